/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * index:value text: files of LIBSVM and SVMlight, pairs of files of SVMlin.
 */
#include "reading.h"

#include <float.h>

static void plain(void **state)
{
    static const double x[] = {0.5, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, -1e-3};
    static const int32_t label[] = {1, 0, 1};
    wlab_dataset *ds = reading_load("+1 1:0.5\n-1 1:2\n1 5:-1e-3\n", ".libsvm", NULL);

    (void)state;
    reading_is(ds, 3, 5, x);
    reading_classes(ds, "-1 +1", label);
    assert_true(ds->class_value[0] == -1 && ds->class_value[1] == 1);
    assert_null(ds->feature_name);
    assert_null(ds->given);
    reading_remark(ds, NULL);
    assert_int_equal(strlen(ds->sha256), 64);
    wlab_dataset_unref(ds);
}

/* The same rows, written in different ways. */
static void variants(void **state)
{
    static const char *const same[] = {
        "1 1:1 3:-2.5\n-1 2:4\n-1 1:1 2:1 3:1\n",
        "1 1:1 3:-2.5\r\n-1 2:4\r\n-1 1:1 2:1 3:1\r\n",
        "1 1:1 3:-2.5\n-1 2:4\n-1 1:1 2:1 3:1",
        "# a comment\n\n1\t1:1   3:-2.5  # and one: here\n\n  -1 2:4#x\n   \n-1 1:1 2:1 3:1\t\n\n",
        "1 3:-2.5 1:1\n-1 2:4\n-1 2:1 3:1 1:1\n",
        "1.0 1:1. 2:0 3:-25e-1\n-1e0 1:-0.0 2:+4 3:0\n-1 1:1 2:.1E1 3:01\n",
        "1 qid:3 1:1 3:-2.5\n-1 qid:3 2:4\n-1 1:1 2:1 3:1\n",
    };
    wlab_dataset *first = reading_load(same[0], ".libsvm", NULL);

    (void)state;
    for (size_t i = 1; i < sizeof same / sizeof *same; i++) {
        wlab_dataset *ds = reading_load(same[i], "", NULL);
        reading_equal(first, ds);
        reading_remark(ds, i == 4 ? "indices of 2 rows were sorted" : i == 6 ? "qid: of 2 rows" : NULL);
        wlab_dataset_unref(ds);
    }
    wlab_dataset_unref(first);
}

static void zero_based(void **state)
{
    static const double x[] = {1, 2, 3, 0};
    wlab_dataset *ds = reading_load("1 0:1 1:2\n-1 0:3\n", ".libsvm", NULL);

    (void)state;
    reading_is(ds, 2, 2, x);
    reading_remark(ds, "indices begin with 0");
    wlab_dataset_unref(ds);
    ds = reading_load("1 1:1 2:2\n-1 1:3\n", ".libsvm", "base=0");
    assert_int_equal(ds->X->cols, 3);
    assert_true(wlab_matrix_at(ds->X, 0, 1) == 1);
    wlab_dataset_unref(ds);
    ds = reading_load("1 1:1 2:2\n-1 1:3\n", ".libsvm", "base=1 columns=9");
    assert_int_equal(ds->X->cols, 9);
    wlab_dataset_unref(ds);
    reading_fails("1 1:1 2:2\n", ".libsvm", "columns=1", 0, 0, "index 2 occurs");
    reading_fails("1 1:1\n1 0:1 1:2\n", ".libsvm", "base=1", 2, 3, "index 0");
}

static void precomputed(void **state)
{
    static const double k[] = {4, 6, 1, 6, 9, 1, 1, 1, 18};
    wlab_dataset *ds =
        reading_load("15 0:1 1:4 2:6 3:1\n20 0:2 1:6 2:9 3:1\n20 0:3 1:1 2:1 3:18\n", "", NULL);

    (void)state;
    reading_is(ds, 3, 3, k);
    reading_remark(ds, "precomputed kernel");
    wlab_dataset_unref(ds);
}

/* A first line longer than the bytes that the probes get, which end at different places within a pair. */
static void long_first_line(void **state)
{
    enum {
        PAIRS = 40000
    };
    char *text = malloc(PAIRS * 16);
    size_t len = 0;

    (void)state;
    assert_non_null(text);
    for (int before = 0; before < 9; before++) {
        len = (size_t)sprintf(text, "%0*d", before + 1, 1);
        for (int k = 1; k <= PAIRS; k++)
            len += (size_t)sprintf(text + len, " %d:1", k);
        len += (size_t)sprintf(text + len, "\n2 3:4\n");
        wlab_dataset *ds = reading_load(text, ".txt", NULL);
        assert_int_equal(ds->X->rows, 2);
        assert_int_equal(ds->X->cols, PAIRS);
        assert_int_equal(ds->X->nnz, PAIRS + 1);
        wlab_dataset_unref(ds);
    }
    free(text);
}

static void zero_is_unlabelled_beside_one_and_minus_one(void **state)
{
    static const int32_t label[] = {0, -1, 1, -1};
    static const int32_t three[] = {0, 1, 2, 1};
    static const char text[] = "-1 1:1\n0 1:2\n+1 1:3\n0 1:4\n";
    wlab_dataset *ds = reading_load(text, ".libsvm", NULL);

    (void)state;
    reading_classes(ds, "-1 +1", label);
    assert_non_null(ds->given);
    assert_memory_equal(ds->given, label, sizeof label);
    reading_remark(ds, "2 rows with 0 are unlabelled");
    wlab_dataset_unref(ds);
    ds = reading_load(text, ".libsvm", "classes=-1,0,1");
    reading_classes(ds, "-1 0 +1", three);
    assert_null(ds->given);
    wlab_dataset_unref(ds);
}

static void classes_are_selected(void **state)
{
    static const int32_t label[] = {1, 0, 1};
    static const double x[] = {3, 0, 0, 1, 2, 0};
    wlab_dataset *ds = reading_load("7 1:3\n2 1:1\n3 2:1\n7 1:2\n", ".libsvm", "classes=3,7");
    static const int32_t order[] = {0, 1, 0};

    (void)state;
    reading_is(ds, 3, 2, x);
    reading_classes(ds, "3 7", label);
    wlab_dataset_unref(ds);
    ds = reading_load("7 1:3\n2 1:1\n3 2:1\n7 1:2\n", ".libsvm", "classes=7,3");
    reading_classes(ds, "7 3", order);
    wlab_dataset_unref(ds);
    reading_fails("1 1:1\n2 1:1\n", "", "classes=1,5", 0, 0, "no class '5'; the classes are 1, 2");
    reading_fails("1 1:1\n2 1:1\n", "", "classes=1,1", 0, 0, "twice");
}

static void no_labels(void **state)
{
    wlab_dataset *ds = reading_load("1 1:1\n2 1:1\n", ".libsvm", "label=none");
    static const int32_t none[] = {-1, -1};

    (void)state;
    reading_classes(ds, "", none);
    wlab_dataset_unref(ds);
    ds = reading_load("1:1 4:2\n3:1\n", "", NULL); /* SVMlin's examples */
    assert_int_equal(ds->X->cols, 4);
    reading_classes(ds, "", none);
    wlab_dataset_unref(ds);
    reading_fails("1 1:1\n", ".libsvm", "label=2", 0, 0, "no named columns");
    reading_fails("1 1:1\n", ".libsvm", "header=yes", 0, 0, "header=");
    reading_fails("1 1:1\n", ".libsvm", "missing=drop", 0, 0, "missing=");
}

static void svmlin_pair(void **state)
{
    static const char labels[] = "1\n0\n-1\n0\n", truth[] = "1\n1\n-1\n-1\n", few[] = "1\n-1\n";
    static const char text[] = "1:1 4:2\n3:1\n1:1\n2:5\n";
    static const int32_t given[] = {1, -1, 0, -1}, label[] = {1, 1, 0, 0};
    char a[256], b[256], c[256], options[700];
    wlab_dataset *ds;

    (void)state;
    support_temp_file(a, ".labels", labels, strlen(labels));
    support_temp_file(b, ".truth", truth, strlen(truth));
    support_temp_file(c, ".few", few, strlen(few));
    snprintf(options, sizeof options, "labels=%s truth=%s", a, b);
    ds = reading_load(text, "", options);
    reading_classes(ds, "-1 1", label);
    assert_memory_equal(ds->given, given, sizeof given);
    wlab_dataset_unref(ds);
    snprintf(options, sizeof options, "labels=%s", a);
    ds = reading_load(text, "", options);
    reading_classes(ds, "-1 1", given);
    assert_memory_equal(ds->given, given, sizeof given);
    wlab_dataset_unref(ds);
    ds = reading_load("1,2\n3,4\n5,6\n7,8\n", ".csv", options); /* any format may come with labels */
    assert_int_equal(ds->X->cols, 2);
    assert_memory_equal(ds->given, given, sizeof given);
    wlab_dataset_unref(ds);
    snprintf(options, sizeof options, "truth=%s", b);
    ds = reading_load(text, "", options);
    assert_null(ds->given);
    reading_classes(ds, "-1 1", label);
    wlab_dataset_unref(ds);
    { /* the message must name the file of labels, not the examples */
        wlab_params *p = NULL;
        char path[256];

        support_temp_file(path, "", text, strlen(text));
        snprintf(options, sizeof options, "labels=%s", c);
        p = reading_options(options);
        ASSERT_FAILS(wlab_dataset_load(&ds, path, NULL, p, NULL, &err), WL_EINPUT, err,
                     "2 labels for 4 rows");
        assert_string_equal(err.file, c);
        wlab_params_destroy(p);
        unlink(path);
    }
    unlink(a);
    unlink(b);
    unlink(c);
}

static void malformed(void **state)
{
    (void)state;
    reading_fails("1 1:1\n1 2:x 3:1\n", "", NULL, 2, 3, "not a finite number");
    reading_fails("1 1:1\n1 2:1 3:nan\n", "", NULL, 2, 7, "not a finite number");
    reading_fails("1 1:1\n1 2:1 3:inf\n", "", NULL, 2, 7, "not a finite number");
    reading_fails("1 1:1\n1 2:1e400\n", "", NULL, 2, 3, "not a finite number");
    reading_fails("1 1:1\n1 9:1 40:1\n1 2:1e39\n", "", NULL, 3, 3, "too large");
    reading_fails("1 1:1\n1 2:1 3:\n", "", NULL, 2, 7, "not a finite number");
    reading_fails("1 1:1\n1 2:1 3: 4\n", "", NULL, 2, 7, "not a finite number");
    reading_fails("1 1:1\n1 2:1 x:1\n", "", NULL, 2, 7, "is not index:value");
    reading_fails("1 1:1\n1 2:1 :1\n", "", NULL, 2, 7, "is not index:value");
    reading_fails("1 1:1\n1 2:1 7\n", "", NULL, 2, 7, "is not index:value");
    reading_fails("1 1:1\n1 2:1 -7:1\n", "", NULL, 2, 7, "is not index:value");
    reading_fails("1 1:1\n1 2:1 2:3\n", "", NULL, 2, 7, "index 2 occurs twice");
    reading_fails("1 1:1\n1 2:1 1:4 2:3\n", "", NULL, 2, 11, "index 2 occurs twice");
    reading_fails("1 1:1\n1 0:1 1:4 0:3\n", "", NULL, 2, 11, "index 0 occurs twice");
    reading_fails("1 1:1\n1 2:1 2147483647:3\n", "", NULL, 2, 7, "above 2147483646");
    reading_fails("1 1:1\n1 2:1 99999999999999999999999:3\n", "", NULL, 2, 7, "above 2147483646");
    reading_fails("1 1:1\n1 1:1\nspam 2:1\n", "", NULL, 3, 1, "'spam' is not a label");
    reading_fails("1 1:1\n1 1:1\n1,2 2:1\n", "", NULL, 3, 1, "'1,2' is not a label");
    reading_fails("1 1:1\n1 1:1\n2:1 3:1\n", "", NULL, 3, 1, "'2:1' is not a label; for rows without labels");
    reading_fails("0:0:1 1:1\n1:0:1 1:2\n", "", "format=libsvm", 1, 1, "instance:bag:label");
    reading_fails("1:2 2:3\n1:2 spam\n1:3\n", "", NULL, 2, 5, "is not index:value");
    reading_fails("# nothing\n\n", "", "format=libsvm", 1, 1, "no rows");
    reading_fails("1 1:1\n1 2:1 3:\x1b[31m\n", "", NULL, 2, 7, "'3:?[31m'");
    reading_fails(
        "0.5 1:1\n1.5 1:1\n2.5 1:1\n3.5 1:1\n4.5 1:1\n5.5 1:1\n6.5 1:1\n7.5 1:1\n8.5 1:1\n9.5 1:1\n10 1:1\n",
        "", NULL, 0, 0, "regression targets");
}

/* Every path of the parser gives the same numbers as strtod. */
/* If each line has a fault, the file is still LIBSVM's text, and the error is that of its first fault, whatever the name of
 * the file.  Tables with a column of times or of other words with colons remain tables. */
static void faults_on_all_lines(void **state)
{
    static const char *const suffixes[] = {".libsvm", ".txt", ".csv", ""};
    (void)state;
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
        reading_fails("+1 1:0.5 2:x\n-1 1:0.5 2:x\n+1 1:0.7 2:y\n", suffixes[k], NULL, 1, 10, "number");
        reading_fails("+1 1:0.5 a:2\n-1 1:0.5 b:2\n", suffixes[k], NULL, 1, 10, "");
        reading_fails("1 1:0.5 2:0,5\n2 1:0.5 2:0,7\n", suffixes[k], NULL, 1, 9, "");
    }
    static const char *const tables[] = {
        "5 12:30 abc\n6 13:10 de\n7 9:05 f\n",      "5 12:30:15\n6 13:10:00\n7 9:05:59\n",
        "time,value\n12:30,1\n13:10,2\n",           "name a:b\nx 1:2\ny 3:4\n",
        "2020-01-01 12:30 5\n2020-01-02 13:30 6\n",
    };
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        wlab_dataset *ds = NULL;
        const wlab_code code = reading_load_bytes(&ds, tables[k], strlen(tables[k]), ".txt", NULL, NULL);
        if (code && (strstr(err.message, "index") || strstr(err.message, "pair")))
            fail_msg("%s is read as LIBSVM's text: %s", tables[k], err.message);
        if (!code)
            wlab_dataset_unref(ds);
    }
}

static void numbers_are_correctly_rounded(void **state)
{
    static const char *const special[] = {"0.1",
                                          "1e22",
                                          "1e23",
                                          "123456789012345678",
                                          "9007199254740993",
                                          "9007199254740992.5",
                                          "1e-22",
                                          "4.9e-324",
                                          "1.7976931348623157e308",
                                          "2.2250738585072011e-308",
                                          "0.000000000000000000000000000001",
                                          "1234567890123456789012345678901234567890e-30",
                                          "00000000000000000000000000000001.5",
                                          "-0.3",
                                          "18446744073709551615",
                                          "9999999999999999999e27",
                                          "1e-27",
                                          "7205759403792793e-27",
                                          "5e-324",
                                          "0.30000000000000004",
                                          "8.5e15",
                                          "6.02214076E+23"};
    unsigned long long s = 88172645463325252ull;
    const int n = 20000;
    char *text = malloc((size_t)n * 64), *p = text;
    double *expected = malloc((size_t)n * sizeof *expected);
    wlab_dataset *ds = NULL;

    (void)state;
    for (int i = 0; i < n; i++) {
        char number[48];

        if (i < (int)(sizeof special / sizeof *special)) {
            snprintf(number, sizeof number, "%s", special[i]);
        } else {
            double v;
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
            if (i % 3 == 0) {
                memcpy(&v, &s, sizeof v);
                if (!isfinite(v))
                    v = 1;
                snprintf(number, sizeof number, "%.*g", (int)(s % 18) + 1, v);
            } else if (i % 3 == 1) {
                snprintf(number, sizeof number, "%.*f", (int)(s % 17), (double)(s % 1000003) / 1009.0);
            } else {
                snprintf(number, sizeof number, "%llu.%llue%d", s % 1000000007ull, s >> 34,
                         (int)(s % 50) - 25);
            }
        }
        expected[i] = strtod(number, NULL);
        p += sprintf(p, "1 1:%s\n", isfinite(expected[i]) ? number : "1");
        expected[i] = isfinite(expected[i]) ? expected[i] : 1;
    }
    ASSERT_OK(reading_load_bytes(&ds, text, (size_t)(p - text), "", NULL, NULL), err);
    assert_false(ds->X->sparse);
    reading_is(ds, n, 1, expected);
    wlab_dataset_unref(ds);
    free(text);
    free(expected);
}

/* About 6 MB in several blocks, dense and sparse: 1, 2 and 4 threads and no pool give the same. */
static void threads_do_not_matter(void **state)
{
    const int rows = 60000;

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        char *text = malloc((size_t)rows * 120), *p = text;
        wlab_dataset *one = NULL, *ds = NULL;

        for (int i = 0; i < rows; i++) {
            p += sprintf(p, "%d", i % 3);
            if (i % 1000 == 7)
                p += sprintf(p, " 5:0 6:1 # a: comment :::");
            for (int k = 1; k <= 8 && i % 1000 != 7; k++)
                p +=
                    sprintf(p, " %d:%d.%06d", sparse ? k * 50 + i % 49 : k, i % 10, (i * 7919 + k) % 1000000);
            p += sprintf(p, i % 17 ? "\n" : "\r\n\n");
        }
        ASSERT_OK(reading_load_bytes(&one, text, (size_t)(p - text), "", NULL, NULL), err);
        assert_int_equal(one->X->rows, rows);
        assert_true(one->X->sparse == sparse);
        for (int threads = 1; threads <= 4; threads *= 2) {
            wlab_ctx ctx = {0};
            char *const late = p - 5000;
            const char kept = *late;

            ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
            ASSERT_OK(reading_load_bytes(&ds, text, (size_t)(p - text), "", NULL, &ctx), err);
            reading_equal(one, ds);
            assert_string_equal(one->sha256, ds->sha256);
            wlab_dataset_unref(ds);
            *late =
                'x'; /* an error in the last block; then one in the first block too: that of the first block is reported */
            assert_int_equal(reading_load_bytes(&ds, text, (size_t)(p - text), "", NULL, &ctx), WL_EINPUT);
            assert_true(err.line > rows / 2);
            text[0] = 'x';
            assert_int_equal(reading_load_bytes(&ds, text, (size_t)(p - text), "", NULL, &ctx), WL_EINPUT);
            assert_int_equal(err.line, 1);
            text[0] = '0';
            *late = kept;
            wlab_pool_destroy(ctx.pool);
        }
        wlab_dataset_unref(one);
        free(text);
    }
}

/* The first block is unlike the rest: data that looked sparse turn out to be at least half full. */
static void dense_after_a_sparse_start(void **state)
{
    const int head = 2000, rows = 60000;
    char *text = malloc((size_t)rows * 100), *p = text;
    wlab_dataset *ds = NULL;

    (void)state;
    for (int i = 0; i < rows; i++)
        if (i < head)
            p += sprintf(p, "1 10:1\n");
        else
            p += sprintf(p, "0 1:0.1 2:0.2 3:0.3 4:0.4 5:0.5 6:0.6 7:0.7 8:0.8 9:0.9 10:0.123456789\n");
    ASSERT_OK(reading_load_bytes(&ds, text, (size_t)(p - text), "", NULL, NULL), err);
    assert_false(ds->X->sparse);
    assert_int_equal(ds->X->nnz, head + (rows - head) * 10);
    assert_true(wlab_matrix_at(ds->X, rows - 1, 9) == 0.123456789); /* all of a double's digits */
    assert_int_equal(ds->classes, 2);
    wlab_dataset_unref(ds);
    free(text);
}

static wlab_dataset *swept;

static void allocations_may_fail(void **state)
{
    static const char text[] = "3 2:1 1:4\n1 1:2 2:0 # x\n\n2 qid:1 3:1\n1 900:2\n";
    static const char labels[] = "1\n0\n-1\n1\n";
    char path[256], b[256], options[700];
    wlab_params *p;

    (void)state;
    support_temp_file(path, ".libsvm", text, strlen(text));
    support_temp_file(b, "", labels, strlen(labels));
    p = reading_options("classes=1,3");
    ALLOC_SWEEP_OUT(wlab_dataset_load(&swept, path, NULL, p, NULL, &err), swept);
    assert_int_equal(swept->X->rows, 3);
    wlab_dataset_unref(swept);
    wlab_params_destroy(p);
    snprintf(options, sizeof options, "labels=%s truth=%s", b, b);
    p = reading_options(options);
    ALLOC_SWEEP_OUT(wlab_dataset_load(&swept, path, "n", p, NULL, &err), swept);
    wlab_dataset_unref(swept);
    wlab_params_destroy(p);
    unlink(path);
    unlink(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(variants),
        cmocka_unit_test(zero_based),
        cmocka_unit_test(long_first_line),
        cmocka_unit_test(precomputed),
        cmocka_unit_test(zero_is_unlabelled_beside_one_and_minus_one),
        cmocka_unit_test(classes_are_selected),
        cmocka_unit_test(no_labels),
        cmocka_unit_test(svmlin_pair),
        cmocka_unit_test(malformed),
        cmocka_unit_test(faults_on_all_lines),
        cmocka_unit_test(numbers_are_correctly_rounded),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(dense_after_a_sparse_start),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("read_libsvm", tests, NULL, NULL);
}
