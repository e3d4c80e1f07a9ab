/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scaling of sparse and dense data.
 */
#include "support.h"

#include "made.h"

enum {
    ROWS = 6,
    COLS = 5
};
/* Column 1 is constant, column 3 all zero, column 4 constant on the first three rows. */
static const double table[ROWS][COLS] = {
    {1, 7, 0, 0, 2}, {0, 7, 4, 0, 2}, {3, 7, 0, 0, 2}, {0, 7, -8, 0, 5}, {5, 7, 0, 0, 0}, {0, 7, 2, 0, 1},
};
static const int32_t first_three[] = {0, 1, 2};

static wlab_dataset *table_data(bool sparse, bool counts)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", "n=6 dims=5", &err);
    if (!data)
        return NULL;
    wlab_matrix_destroy(data->X);
    data->X = NULL;
    if (sparse ? wlab_matrix_create_sparse(&data->X, ROWS, COLS, ROWS * COLS, &err)
               : wlab_matrix_create_dense(&data->X, ROWS, COLS, &err)) {
        wlab_dataset_unref(data);
        return NULL;
    }
    int64_t at = 0;
    for (int i = 0; i < ROWS; i++) {
        if (sparse)
            data->X->start[i] = at;
        for (int j = 0; j < COLS; j++) {
            double x = counts ? fabs(table[i][j]) : table[i][j];
            if (!sparse)
                data->X->dense[i * COLS + j] = x;
            else if (x < 0 || x > 0) {
                data->X->col[at] = j;
                data->X->val[at++] = (float)x;
                data->X->len[i]++;
            }
        }
    }
    return data;
}

static wlab_dataset *scaled(const wlab_dataset *data, wlab_scaling scaling, const int32_t *train, int64_t n)
{
    wlab_err err;
    wlab_dataset *made;
    ASSERT_OK(wlab_dataset_scale(&made, data, scaling, train, n, NULL, &err), err);
    int64_t nnz = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++)
            nnz += fabs(wlab_matrix_at(made->X, i, j)) > 0;
        assert_int_equal(made->label[i], data->label[i]);
        if (made->X->sparse) {
            for (int32_t e = 0; e < made->X->len[i]; e++)
                assert_true(fabsf(made->X->val[made->X->start[i] + e]) > 0);
        }
    }
    assert_int_equal(made->X->nnz, nnz);
    assert_int_equal(made->X->sparse, data->X->sparse);
    assert_non_null(made->remark);
    assert_int_equal(strlen(made->sha256), 64);
    assert_string_equal(made->class_name[1], data->class_name[1]);
    return made;
}

/* tf-idf before the row is scaled to length 1. */
static double weight(int i, int j, const int32_t *train, int n)
{
    double documents = 0;
    for (int t = 0; t < n; t++)
        documents += fabs(table[train ? train[t] : t][j]) > 0;
    return fabs(table[i][j]) * log(n / fmax(documents, 1));
}

/* The scaled entry by the definition of the scaling, with statistics from the rows of `train`. */
static double expected(int i, int j, wlab_scaling scaling, bool sparse, const int32_t *train, int n)
{
    double lo = INFINITY, hi = -INFINITY, mean = 0, square = 0, length = 0;
    for (int t = 0; t < n; t++) {
        double x = table[train ? train[t] : t][j];
        lo = fmin(lo, x);
        hi = fmax(hi, x);
        mean += x / n;
    }
    for (int t = 0; t < n; t++)
        square += pow(table[train ? train[t] : t][j] - mean, 2);
    for (int k = 0; k < COLS; k++)
        length += pow(scaling == WL_SCALE_TFIDF ? weight(i, k, train, n) : table[i][k], 2);
    double x = table[i][j];
    switch (scaling) {
    case WL_SCALE_UNIT:
        return x / sqrt(length);
    case WL_SCALE_TFIDF:
        return weight(i, j, train, n) / sqrt(length);
    case WL_SCALE_MINMAX:
        return !(lo < hi) ? 0 : sparse ? x / fmax(fabs(lo), fabs(hi)) : (x - lo) / (hi - lo);
    case WL_SCALE_SYMMETRIC:
        return !(lo < hi) ? 0 : sparse ? x / fmax(fabs(lo), fabs(hi)) : 2 * (x - lo) / (hi - lo) - 1;
    default:
        return !(lo < hi) ? 0 : (sparse ? x : x - mean) / sqrt(square / n);
    }
}

static void definitions(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        for (wlab_scaling scaling = WL_SCALE_MINMAX; scaling <= WL_SCALE_SYMMETRIC; scaling++) {
            wlab_dataset *data = table_data(sparse, scaling == WL_SCALE_TFIDF);
            for (int part = 0; part < 2; part++) {
                wlab_dataset *made = scaled(data, scaling, part ? first_three : NULL, part ? 3 : 0);
                for (int i = 0; i < ROWS; i++) {
                    for (int j = 0; j < COLS; j++)
                        ASSERT_NEAR(
                            wlab_matrix_at(made->X, i, j),
                            expected(i, j, scaling, sparse, part ? first_three : NULL, part ? 3 : ROWS),
                            1e-6);
                }
                wlab_dataset_unref(made);
            }
            wlab_dataset_unref(data);
        }
    }
}

static void messages(void **state)
{
    (void)state;
    wlab_dataset *data = table_data(true, false);
    wlab_dataset *made = scaled(data, WL_SCALE_ZSCORE, first_three, 3);
    assert_string_equal(made->name, "blobs-zscore");
    assert_non_null(strstr(made->source, "scale zscore of generate blobs"));
    assert_non_null(strstr(made->remark, "not centred"));
    assert_non_null(strstr(made->remark, "3 training rows"));
    wlab_dataset_unref(made);
    wlab_err err;
    ASSERT_FAILS(wlab_dataset_scale(&made, data, WL_SCALE_TFIDF, NULL, 0, NULL, &err), WL_EARG, err,
                 "row 4, column 3");
    assert_null(made);
    ASSERT_FAILS(wlab_dataset_scale(&made, data, WL_SCALE_ZSCORE, first_three, 0, NULL, &err), WL_EARG, err,
                 "no rows");
    wlab_dataset_unref(data);
    data = table_data(false, false);
    for (int i = 0; i < ROWS; i++)
        data->X->dense[i * COLS] = i * 5e-324;
    ASSERT_FAILS(wlab_dataset_scale(&made, data, WL_SCALE_ZSCORE, NULL, 0, NULL, &err), WL_ENUMERIC, err,
                 "too large");
    wlab_dataset_unref(data);
}

/* A standard deviation of 1 beside a mean of 1e9 keeps its digits. */
static void large_mean(void **state)
{
    (void)state;
    wlab_dataset *data = table_data(false, false);
    for (int i = 0; i < ROWS; i++)
        data->X->dense[i * COLS] = 1e9 + (i % 2 ? 1 : -1);
    wlab_dataset *made = scaled(data, WL_SCALE_ZSCORE, NULL, 0);
    for (int i = 0; i < ROWS; i++)
        ASSERT_NEAR(made->X->dense[i * COLS], i % 2 ? 1.0 : -1.0, 1e-6);
    wlab_dataset_unref(made);
    wlab_dataset_unref(data);
}

/* Spans of columns: constant columns and columns of rare words do not count. */
static void uneven(void **state)
{
    (void)state;
    wlab_err err;
    wlab_spans spans;
    wlab_dataset *data = made_data("blobs", "n=40 dims=4 seed=1", &err);
    assert_non_null(data);
    assert_false(wlab_dataset_uneven(data, &spans, NULL));
    for (int i = 0; i < 40; i++) {
        data->X->dense[i * 4] = i;                    /* spans 39 */
        data->X->dense[i * 4 + 1] = 1e9;              /* constant */
        data->X->dense[i * 4 + 2] = i % 2 ? 0.3 : 0;  /* 0.3 */
        data->X->dense[i * 4 + 3] = i < 3 ? 1e-6 : 0; /* not 0 in less than a tenth of the rows */
    }
    assert_true(wlab_dataset_uneven(data, &spans, NULL));
    assert_true(spans.wide == 0 && spans.narrow == 2);
    ASSERT_NEAR(spans.widest, 39, 1e-12);
    ASSERT_NEAR(spans.narrowest, 0.3, 1e-12);
    wlab_dataset *made = NULL;
    ASSERT_OK(wlab_dataset_scale(&made, data, WL_SCALE_ZSCORE, NULL, 0, NULL, &err), err);
    assert_false(wlab_dataset_uneven(made, &spans, NULL));
    wlab_dataset_unref(made);
    data->X->dense[0] = -30; /* 69 */
    data->X->dense[2] = 0.69001;
    assert_false(wlab_dataset_uneven(data, &spans, NULL));
    wlab_dataset_unref(data);
}

static void out_of_memory(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_dataset *data = table_data(sparse, true), *made;
        for (wlab_scaling scaling = WL_SCALE_MINMAX; scaling <= WL_SCALE_SYMMETRIC; scaling++) {
            ALLOC_SWEEP_OUT(wlab_dataset_scale(&made, data, scaling, first_three, 3, NULL, NULL), made);
            wlab_dataset_unref(made);
        }
        wlab_dataset_unref(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions), cmocka_unit_test(messages),      cmocka_unit_test(large_mean),
        cmocka_unit_test(uneven),      cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
