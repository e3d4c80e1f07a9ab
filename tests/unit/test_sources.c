/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every public data set of ../shared/datasets without bags loads, with the rows, columns and classes in the list
 * SOURCES.tsv; the text and MAT forms of the same data give the same matrix.
 */
#include "reading.h"

#define ROOT "../shared/datasets/"

static char *sources;

static int setup(void **state)
{
    FILE *f = fopen(ROOT "SOURCES.tsv", "r");
    size_t n = 0;

    (void)state;
    if (!f)
        return 0;
    if (getdelim(&sources, &n, 0, f) < 0)
        return -1;
    fclose(f);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(sources);
    return 0;
}

/* Files whose number of columns differs from that in the list, and why. */
static const struct {
    const char *file;
    int32_t cols;
    const char *why;
} columns[] = {
    {"ssl/chapelle2008/text1.libsvm", 7510, "no row has the last column"},
    {"ssl/ssl_book_text/text.libsvm", 11959, "no row has the last column"},
    {"ssl/svmlin_pcmac/training_examples", 7510, "no row has the last column"},
    {"ssl/svmlin_pcmac/test_examples", 7509, "no row has the last two"},
    {"llp/psvm_heart_split.csv", 2, "row and set; the list gives no count"},
    {"uci/echocardiogram.data", 13, "column 12 is three words and column 11 one"},
};

/* Compare the class sizes in the list, "-1:1210 +1:395 ?:57", with the labels. */
static void check_classes(const char *file, const char *list, const wlab_dataset *ds)
{
    char copy[1024], *save = NULL;
    int classes = 0;
    int64_t known = 0, listed = 0;

    snprintf(copy, sizeof copy, "%s", list);
    for (char *item = strtok_r(copy, " ", &save); item; item = strtok_r(NULL, " ", &save)) {
        char *colon = strrchr(item, ':');
        const long expected = strtol(colon + 1, NULL, 10);
        char *end;
        const double value = strtod(item, &end);
        int64_t n = 0;

        *colon = 0;
        if (strcmp(item, "?") == 0)
            continue;
        for (int c = 0; c < ds->classes; c++)
            if (strcmp(ds->class_name[c], item) == 0 || (end == colon && ds->class_value[c] == value))
                for (int64_t i = 0; i < ds->X->rows; i++)
                    n += ds->label[i] == c;
        if (n != expected)
            fail_msg("%s: %ld rows of class %s instead of %ld", file, (long)n, item, expected);
        classes++;
        listed += expected;
    }
    for (int64_t i = 0; i < ds->X->rows; i++)
        known += ds->label[i] >= 0;
    if (ds->classes != classes || known != listed)
        fail_msg("%s: %d classes instead of %d, %ld labelled rows instead of %ld", file, ds->classes, classes,
                 (long)known, (long)listed);
}

static void check_file(const char *file, const char *rows, const char *cols, const char *classes,
                       const char *format)
{
    char path[512];
    wlab_dataset *ds = NULL;
    int32_t expected = (int32_t)strtol(cols, NULL, 10);
    const bool table = strstr(format, "ARFF") != NULL;

    snprintf(path, sizeof path, ROOT "%s", file);
    ASSERT_OK(wlab_dataset_load(&ds, path, NULL, NULL, NULL, &err), err);
    if (ds->X->rows != strtol(rows, NULL, 10))
        fail_msg("%s: %ld rows instead of %s", file, (long)ds->X->rows, rows);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        if (strcmp(columns[k].file, file) == 0)
            expected = columns[k].cols;
    /* categories become several columns, so ARFF files may have more; sick loses one column without any value */
    if (table ? ds->X->cols < expected && strcmp(file, "uci/sick.arff") != 0 : ds->X->cols != expected)
        fail_msg("%s: %d columns instead of %d", file, (int)ds->X->cols, (int)expected);
    if (strstr(format, "no label"))
        assert_int_equal(ds->classes, 0);
    else if (classes[0]) /* the list gives no classes for one file */
        check_classes(file, classes, ds);
    wlab_dataset_unref(ds);
}

static void every_file_without_bags_loads(void **state)
{
    int files = 0;
    char *save = NULL, *copy;

    (void)state;
    SHARED_OR_SKIP("datasets/SOURCES.tsv");
    copy = strdup(sources);
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *field[12], *p = line;
        int n = 0;

        while (n < 12 && p) {
            field[n++] = p;
            p = strchr(p, '\t');
            if (p)
                *p++ = 0;
        }
        assert_int_equal(n, 12);
        /* test_read_bags reads mil/; splits and files of labels are no data sets */
        if (strcmp(field[0], "file") == 0 || strncmp(field[0], "mil/", 4) == 0 ||
            strstr(field[0], "_splits_") || strstr(field[0], "_labels"))
            continue;
        check_file(field[0], field[2], field[3], field[4], field[5]);
        files++;
    }
    free(copy);
    print_message("%d files\n", files);
    assert_true(files > 80);
}

/* The same data as text and as MAT. */
static void text_and_mat_are_equal(void **state)
{
    static const char *const pairs[][3] = {
        {"ssl/COIL20.libsvm.xz", "ssl/COIL20.mat", ""},
        {"ssl/chapelle2008/g10n.libsvm", "ssl/chapelle2008/g10n.mat", ""},
        {"ssl/chapelle2008/g50c.libsvm", "ssl/chapelle2008/g50c.mat", ""},
        {"ssl/chapelle2008/text1.libsvm", "ssl/chapelle2008/text1.mat", "columns=7511"},
        {"ssl/chapelle2008/uspst.libsvm.xz", "ssl/chapelle2008/uspst.mat", ""},
        {"ssl/ssl_book_text/bci.libsvm", "ssl/ssl_book/bci_data.mat", ""},
        {"ssl/ssl_book_text/coil.libsvm.xz", "ssl/ssl_book/coil_data.mat", ""},
        {"ssl/ssl_book_text/coil2.libsvm.xz", "ssl/ssl_book/coil2_data.mat", ""},
        {"ssl/ssl_book_text/digit1.libsvm.xz", "ssl/ssl_book/digit1_data.mat", ""},
        {"ssl/ssl_book_text/g241c.libsvm.xz", "ssl/ssl_book/g241c_data.mat", ""},
        {"ssl/ssl_book_text/g241d.libsvm.xz", "ssl/ssl_book/g241d_data.mat", ""},
        {"ssl/ssl_book_text/text.libsvm", "ssl/ssl_book/text_data.mat", "columns=11960"},
        {"ssl/text/BASEHOCK.libsvm", "ssl/text/BASEHOCK.mat", ""},
        {"ssl/text/PCMAC.libsvm", "ssl/text/PCMAC.mat", ""},
        {"uci/flare_solar.libsvm", "uci/flare_solar.mat", ""},
        {"uci/wellsvm16/australian.libsvm", "uci/wellsvm16/australian.mat", ""},
        {"uci/wellsvm16/clean1.libsvm", "uci/wellsvm16/clean1.mat", ""},
        {"uci/wellsvm16/diabetes.libsvm", "uci/wellsvm16/diabetes.mat", ""},
        {"uci/wellsvm16/echocardiogram.libsvm", "uci/wellsvm16/echocardiogram.mat", ""},
        {"uci/wellsvm16/haberman.libsvm", "uci/wellsvm16/haberman.mat", ""},
        {"uci/wellsvm16/heart-statlog.libsvm", "uci/wellsvm16/heart-statlog.mat", ""},
        {"uci/wellsvm16/heart.libsvm", "uci/wellsvm16/heart.mat", ""},
        {"uci/wellsvm16/house-votes.libsvm", "uci/wellsvm16/house-votes.mat", ""},
        {"uci/wellsvm16/house.libsvm", "uci/wellsvm16/house.mat", ""},
        {"uci/wellsvm16/ionosphere.libsvm", "uci/wellsvm16/ionosphere.mat", ""},
        {"uci/wellsvm16/isolet.libsvm", "uci/wellsvm16/isolet.mat", ""},
        {"uci/wellsvm16/krvskp.libsvm", "uci/wellsvm16/krvskp.mat", ""},
        {"uci/wellsvm16/liverDisorders.libsvm", "uci/wellsvm16/liverDisorders.mat", ""},
        {"uci/wellsvm16/sick.libsvm", "uci/wellsvm16/sick.mat", ""},
    };

    (void)state;
    SHARED_OR_SKIP("datasets/SOURCES.tsv");
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        wlab_params *p = reading_options(pairs[k][2]);
        wlab_dataset *a = NULL, *b = NULL;
        char path[512];

        snprintf(path, sizeof path, ROOT "%s", pairs[k][0]);
        ASSERT_OK(wlab_dataset_load(&a, path, NULL, p, NULL, &err), err);
        snprintf(path, sizeof path, ROOT "%s", pairs[k][1]);
        ASSERT_OK(wlab_dataset_load(&b, path, NULL, NULL, NULL, &err), err);
        reading_equal(a, b);
        wlab_dataset_unref(a);
        wlab_dataset_unref(b);
        wlab_params_destroy(p);
    }
}

/* The MAT-files of the authors of pSVM have the rows of libsvm/heart_scale and of the toy's CSV file. */
static void labels_inside_structs(void **state)
{
    wlab_dataset *a = NULL, *b = NULL;

    (void)state;
    SHARED_OR_SKIP("datasets/SOURCES.tsv");
    ASSERT_OK(wlab_dataset_load(&a, ROOT "llp/psvm_heart.mat", NULL, NULL, NULL, &err), err);
    ASSERT_OK(wlab_dataset_load(&b, ROOT "libsvm/heart_scale", NULL, NULL, NULL, &err), err);
    reading_equal(a, b);
    wlab_dataset_unref(a);
    wlab_dataset_unref(b);
    ASSERT_OK(wlab_dataset_load(&a, ROOT "llp/psvm_toy.mat", NULL, NULL, NULL, &err), err);
    ASSERT_OK(wlab_dataset_load(&b, ROOT "llp/psvm_toy.csv", NULL, NULL, NULL, &err), err);
    reading_equal(a, b);
    assert_int_equal(b->bags, 2);
    wlab_dataset_unref(a);
    wlab_dataset_unref(b);
}

/* Official splits: the text form and idxLabs of the MAT form name the same rows. */
static void splits_are_equal(void **state)
{
    static const char *const pairs[][2] = {
        {"ssl/chapelle2008/g50c_splits_50.txt", "ssl/chapelle2008/g50c.mat"},
        {"ssl/ssl_book_text/bci_splits_10.txt", "ssl/ssl_book/bci_splits_10.mat"},
        {"ssl/ssl_book_text/digit1_splits_100.txt", "ssl/ssl_book/digit1_splits_100.mat"},
    };

    (void)state;
    SHARED_OR_SKIP("datasets/SOURCES.tsv");
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int64_t line = 1; line <= 11; line++) {
            int32_t *a = NULL, *b = NULL;
            int64_t n = 0, m = 0;
            char path[512];

            if (k == 0 && line == 11) { /* ten splits */
                ASSERT_FAILS(wlab_split_file_read(ROOT "ssl/chapelle2008/g50c.mat", line, &a, &n, &err),
                             WL_EARG, err, "has 10 splits");
                continue;
            }
            snprintf(path, sizeof path, ROOT "%s", pairs[k][0]);
            ASSERT_OK(wlab_split_file_read(path, line, &a, &n, &err), err);
            snprintf(path, sizeof path, ROOT "%s", pairs[k][1]);
            ASSERT_OK(wlab_split_file_read(path, line, &b, &m, &err), err);
            assert_int_equal(n, m);
            assert_int_equal(n, k == 0 ? 50 : k == 1 ? 10 : 100);
            assert_memory_equal(a, b, (size_t)n * sizeof *a);
            wlab_free(a);
            wlab_free(b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_without_bags_loads),
        cmocka_unit_test(text_and_mat_are_equal),
        cmocka_unit_test(labels_inside_structs),
        cmocka_unit_test(splits_are_equal),
    };
    return cmocka_run_group_tests_name("sources", tests, setup, teardown);
}
