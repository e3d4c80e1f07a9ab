/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags of splits in MAT-files: one struct, nested cells of structs, invalid splits, and the authors' own files.
 */
#include "made.h"
#include "weaklab/task.h"

#include "reading.h"

#include <math.h>
#include <matio.h>
#include <unistd.h>

#define ROOT "../shared/datasets/"

static matvar_t *vector(const char *name, const double *x, size_t n)
{
    size_t dims[2] = {1, n};

    return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, (void *)(uintptr_t)x, 0);
}

static matvar_t *cells(const char *name, matvar_t **of, size_t n)
{
    size_t dims[2] = {1, n};

    return Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, of, 0);
}

/* A split of six rows; its fields that are NULL are left out of the file. */
typedef struct halves {
    const double *train, *train_bag, *test, *test_bag, *given;
    size_t n_train, n_test, n_given;
} halves;

static matvar_t *split(const char *name, const halves *h)
{
    static const char *const names[] = {"train_bag_idx", "train_data_idx", "test_bag_idx", "test_data_idx",
                                        "train_bag_prop"};
    size_t dims[2] = {1, 1};
    matvar_t *v = Mat_VarCreateStruct(name, 2, dims, (const char **)(uintptr_t)names, 5);

    assert_non_null(v);
    Mat_VarSetStructFieldByName(v, names[0], 0, vector(names[0], h->train_bag, h->n_train));
    if (h->train)
        Mat_VarSetStructFieldByName(v, names[1], 0, vector(names[1], h->train, h->n_train));
    if (h->test_bag)
        Mat_VarSetStructFieldByName(v, names[2], 0, vector(names[2], h->test_bag, h->n_test));
    if (h->test)
        Mat_VarSetStructFieldByName(v, names[3], 0, vector(names[3], h->test, h->n_test));
    if (h->given)
        Mat_VarSetStructFieldByName(v, names[4], 0, vector(names[4], h->given, h->n_given));
    return v;
}

/* Write a file of six rows, their labels, and the variable `more`, which is freed. */
static void write_file(const char *path, matvar_t *more)
{
    static const double x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, y[6] = {1, -1, 1, 1, -1, -1};
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    size_t dims[2] = {6, 2};
    matvar_t *X = Mat_VarCreate("data", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, (void *)(uintptr_t)x, 0),
             *Y = vector("y", y, 6);

    assert_non_null(mat);
    assert_int_equal(Mat_VarWrite(mat, X, MAT_COMPRESSION_ZLIB), 0);
    assert_int_equal(Mat_VarWrite(mat, Y, MAT_COMPRESSION_ZLIB), 0);
    assert_int_equal(Mat_VarWrite(mat, more, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(X);
    Mat_VarFree(Y);
    Mat_VarFree(more);
    Mat_Close(mat);
}

static wlab_code load(wlab_dataset **ds, const char *path, const char *options)
{
    wlab_params *p = reading_options(options);
    wlab_code code = wlab_dataset_load(ds, path, NULL, p, NULL, &err);

    wlab_params_destroy(p);
    return code;
}

/* Loading fails cleanly, whichever allocation fails. */
static void sweep(const char *path, const char *options)
{
    wlab_dataset *ds = NULL;
    wlab_params *p = reading_options(options);

    ALLOC_SWEEP_OUT(wlab_dataset_load(&ds, path, NULL, p, NULL, &err), ds);
    wlab_dataset_unref(ds);
    wlab_params_destroy(p);
}

/* The names of the rows' bags are `expected`: "1 1 2 test-1 ...". */
static void bags_called(const wlab_dataset *ds, const char *expected)
{
    char text[300] = "";

    for (int64_t i = 0; i < ds->X->rows; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 ds->bag ? ds->bag_name[ds->bag[i]] : "?");
    assert_string_equal(text, expected);
}

static const double four[4] = {6, 1, 2, 4}, four_bags[4] = {1, 2, 2, 1}, rest[2] = {3, 5},
                    rest_bags[2] = {1, 1}, right[2] = {0.5, 0.5}, wrong[2] = {0.5, 0.75},
                    all_bags[6] = {1, 1, 2, 2, 3, 3};

static void one_split(void **state)
{
    char path[256];
    wlab_dataset *ds = NULL;
    halves h = {four, four_bags, rest, rest_bags, right, 4, 2, 2};

    (void)state;
    support_temp_file(path, ".mat", "", 0);
    write_file(path, split("split", &h));
    ASSERT_OK(load(&ds, path, NULL), err);
    bags_called(ds, "2 2 test-1 1 test-1 1");
    assert_null(strstr(ds->remark, "which is used"));
    wlab_dataset_unref(ds);
    ASSERT_OK(load(&ds, path, "bag=none"), err);
    assert_null(ds->bag);
    wlab_dataset_unref(ds);
    sweep(path, NULL);
    h.given = wrong;
    write_file(path, split("split", &h));
    ASSERT_OK(load(&ds, path, NULL), err);
    assert_non_null(strstr(
        ds->remark, "gives bag 2 the proportion 0.75, but the labels of its rows give 0.5, which is used"));
    wlab_dataset_unref(ds);
    /* without row numbers a split means all rows in their order; here the test rows are the training rows */
    h = (halves){.train_bag = all_bags, .n_train = 6, .test_bag = all_bags, .n_test = 6};
    write_file(path, split("anything", &h));
    ASSERT_OK(load(&ds, path, NULL), err);
    bags_called(ds, "1 1 2 2 3 3");
    wlab_dataset_unref(ds);
    unlink(path);
}

static void cells_of_splits(void **state)
{
    char path[256];
    wlab_dataset *ds = NULL;
    halves a = {four, four_bags, rest, rest_bags, NULL, 4, 2, 0}, b = {.train_bag = all_bags, .n_train = 6};
    matvar_t *first[2] = {split(NULL, &a), split(NULL, &b)}, *second[1] = {split(NULL, &a)};
    matvar_t *both[2] = {cells(NULL, first, 2), cells(NULL, second, 1)};

    (void)state;
    support_temp_file(path, ".mat", "", 0);
    write_file(path, cells("folds", both, 2));
    ASSERT_OK(load(&ds, path, NULL), err);
    assert_null(ds->bag);
    assert_non_null(strstr(ds->remark, "bag=folds.1.1 to bag=folds.2.2; rows in a bag: 2 (.1), 2 (.2)"));
    wlab_dataset_unref(ds);
    ASSERT_OK(load(&ds, path, "bag=folds.1.2"), err);
    bags_called(ds, "1 1 2 2 3 3");
    wlab_dataset_unref(ds);
    ASSERT_OK(load(&ds, path, "bag=folds.2.1"), err);
    bags_called(ds, "2 2 test-1 1 test-1 1");
    wlab_dataset_unref(ds);
    sweep(path, "bag=folds.2.1");
    ASSERT_OK(load(&ds, path, "bag=folds.1.2.train_bag_idx"), err); /* a vector inside */
    bags_called(ds, "1 1 2 2 3 3");
    wlab_dataset_unref(ds);
    ASSERT_FAILS(load(&ds, path, "bag=folds"), WL_EARG, err,
                 "bag=folds names several splits: bag=folds.1.1 to bag=folds.2.2");
    ASSERT_FAILS(load(&ds, path, "bag=folds.1"), WL_EARG, err, "bag=folds.1.1 to bag=folds.1.2");
    ASSERT_FAILS(load(&ds, path, "bag=folds.3.1"), WL_EARG, err,
                 "no such vector or split; its splits are bag=folds.1.1 to bag=folds.2.2");
    ASSERT_FAILS(load(&ds, path, "bag=folds.0.1"), WL_EARG, err, "no such vector or split");
    ASSERT_FAILS(load(&ds, path, "bag=folds.1.2.y"), WL_EARG, err, "no such vector or split");
    ASSERT_FAILS(load(&ds, path, "bag=folds."), WL_EARG, err, "no such vector or split");
    assert_null(ds);
    unlink(path);
}

static void assert_refused(const halves *h, const char *part)
{
    char path[256];
    wlab_dataset *ds = NULL;

    support_temp_file(path, ".mat", "", 0);
    write_file(path, split("split", h));
    ASSERT_FAILS(load(&ds, path, NULL), WL_EINPUT, err, part);
    assert_null(ds);
    unlink(path);
}

static void refusals(void **state)
{
    static const double twice[4] = {6, 1, 6, 4}, beyond[4] = {6, 1, 7, 4}, broken[4] = {6, 1, 2.5, 4},
                        zero[4] = {1, 0, 1, 2}, one[2] = {3, 1};
    halves h = {twice, four_bags, rest, rest_bags, NULL, 4, 2, 0};
    static const double matrix[12] = {1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    char path[256];
    wlab_dataset *ds = NULL;
    size_t dims[2] = {6, 2};

    (void)state;
    assert_refused(&h, "row 6 is in two bags, 1 and 2: overlapping bags cannot be learnt from");
    h.train = beyond;
    assert_refused(&h, "names row 7, but there are 6 rows");
    h.train = broken;
    assert_refused(&h, "names row 2.5");
    h.train = four;
    h.train_bag = zero;
    assert_refused(&h, "the bag of row 1, 0, is not a whole number from 1");
    h.train_bag = four_bags;
    h.test = one;
    assert_refused(&h, "row 1 is in two bags, 2 and test bag 1");
    h.test = rest;
    h.n_test = 1;
    assert_refused(&h, "row 5 is in none of the split's bags");
    h = (halves){.train_bag = all_bags, .n_train = 5};
    assert_refused(&h, "row 6 is in none");
    support_temp_file(path, ".mat", "", 0);
    write_file(path, Mat_VarCreate("bag", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, (void *)(uintptr_t)matrix, 0));
    ASSERT_FAILS(load(&ds, path, NULL), WL_EINPUT, err,
                 "bag is a matrix of 6 x 2, which may put a row into several bags");
    ASSERT_OK(load(&ds, path, "bag=none"), err);
    wlab_dataset_unref(ds);
    unlink(path);
}

static wlab_problem *llp_of(wlab_dataset *ds, const char *split_text)
{
    wlab_params *o = made_params(wlab_split_params, split_text, &err),
                *none = made_params(wlab_task_find("llp")->params, "", &err);
    int32_t *train = NULL, *test = NULL;
    int64_t n_train = 0, n_test = 0;
    wlab_problem *p = NULL;

    if (*split_text)
        ASSERT_OK(wlab_dataset_split(ds, o, &train, &n_train, &test, &n_test, &err), err);
    ASSERT_OK(
        wlab_problem_create(&p, ds, train, n_train, test, n_test, wlab_task_find("llp"), none, NULL, &err),
        err);
    wlab_params_destroy(o);
    wlab_params_destroy(none);
    wlab_free(train);
    wlab_free(test);
    return p;
}

/* The same partition of the rows, whatever the bags' numbers in the files, and the same proportions. */
static void same_bags(const wlab_problem *a, const wlab_problem *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->bags, b->bags);
    assert_memory_equal(a->bag, b->bag, (size_t)a->n * sizeof *a->bag); /* numbered in the order of rows */
    assert_memory_equal(a->bag_given, b->bag_given, (size_t)a->bags * sizeof *a->bag_given);
    assert_memory_equal(a->truth, b->truth, (size_t)a->n);
}

static void authors(void **state)
{
    static const double given[4] = {0.40625, 0.375, 0.546875, 0.5};
    static const int64_t sizes[7] = {1, 2, 4, 8, 16, 32, 64};
    wlab_dataset *a = NULL, *b = NULL;
    char bags[256], text[300], line[80], lines[4000] = "";
    int of_row[270] = {0};

    (void)state;
    SHARED_OR_SKIP("datasets/SOURCES.tsv");
    ASSERT_OK(load(&a, ROOT "llp/psvm_toy.mat", NULL), err);
    ASSERT_OK(load(&b, ROOT "llp/psvm_toy.csv", NULL), err);
    wlab_problem *p = llp_of(a, ""), *q = llp_of(b, "");
    same_bags(p, q);
    ASSERT_NEAR(p->bag_given[0], 0.6, 1e-15);
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_dataset_unref(a);
    wlab_dataset_unref(b);
    /* heart: the CSV file with the same split lists row, set, bag and label of heart_scale */
    FILE *f = fopen(ROOT "llp/psvm_heart_split.csv", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char set[10];
        int row, bag;
        if (sscanf(line, "%d,%9[a-z],%d", &row, set, &bag) == 3)
            of_row[row - 1] = set[1] == 'r' ? bag : -bag;
    }
    fclose(f);
    for (int i = 0; i < 270; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%d\n", of_row[i] < 0 ? "test" : "",
                 of_row[i]);
    support_temp_file(bags, ".txt", lines, strlen(lines));
    snprintf(text, sizeof text, "bags=%s", bags);
    ASSERT_OK(load(&a, ROOT "llp/psvm_heart.mat", NULL), err);
    ASSERT_OK(load(&b, ROOT "libsvm/heart_scale", text), err);
    p = llp_of(a, "hold=test");
    q = llp_of(b, "hold=test");
    same_bags(p, q);
    assert_int_equal(p->n, 206);
    for (int64_t i = 0; i < p->n; i++) {
        int k = atoi(a->bag_name[a->bag[p->row[i]]]);
        assert_in_range(k, 1, 4);
        ASSERT_NEAR(p->bag_given[p->bag[i]], given[k - 1], 1e-15);
    }
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_dataset_unref(a);
    wlab_dataset_unref(b);
    unlink(bags);
    /* breast-cancer: seven sizes of bags, five folds each */
    for (int s = 1; s <= 7; s += 2)
        for (int fold = 1; fold <= 5; fold += 4) {
            snprintf(text, sizeof text, "bag=struct_split.%d.%d", s, fold);
            ASSERT_OK(load(&a, ROOT "llp/psvm_breast-cancer_scale_processed.mat", text), err);
            assert_true(!a->remark ||
                        !strstr(a->remark, "which is used")); /* the given proportions are right */
            p = llp_of(a, "hold=test");
            assert_in_range(p->n, 480, 600);
            assert_in_range(p->bags, p->n / sizes[s - 1], p->n / sizes[s - 1] + 1);
            wlab_problem_unref(p);
            wlab_dataset_unref(a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_split),
        cmocka_unit_test(cells_of_splits),
        cmocka_unit_test(refusals),
        cmocka_unit_test(authors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
