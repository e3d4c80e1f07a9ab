/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over the data, compared with sums over all entries; skipped rows; views; dense data; threads; failing
 * allocations.
 */
#include "support.h"

#include "linalg/passes.h"
#include "linalg/row.h"
#include "weaklab/rng.h"

static wlab_err err;

typedef struct fixture {
    wlab_matrix *X;
    double *w, *z, *h; /* [cols], [rows] with zeros, [rows] with zeros */
} fixture;

/* Small multiples of 1/4: sums of their products are exact in any order, so the tests compare them with ==. */
static double number(wlab_rng *rng)
{
    return (double)(int)(wlab_rng_below(rng, 17) - 8) / 4.0;
}

static wlab_matrix *sparse(int64_t rows, int32_t cols, double density, wlab_rng *rng)
{
    wlab_matrix *X = NULL;
    int64_t at = 0;

    ASSERT_OK(wlab_matrix_create_sparse(&X, rows, cols, rows * cols, &err), err);
    for (int64_t i = 0; i < rows; i++) {
        const double here = i % 7 == 3 ? 0 : i % 5 == 0 ? 4 * density : density; /* empty rows, long rows */
        X->start[i] = at;
        for (int32_t c = 0; c < cols; c++)
            if (c % 11 != 5 && wlab_rng_uniform(rng) < here) { /* and empty columns */
                X->col[at] = c;
                X->val[at++] = (float)number(rng);
            }
        X->len[i] = (int32_t)(at - X->start[i]);
    }
    X->nnz = at;
    return X;
}

static void set_up(fixture *f, wlab_matrix *X, wlab_rng *rng)
{
    *f = (fixture){.X = X,
                   .w = calloc((size_t)X->cols + 1, sizeof(double)),
                   .z = calloc((size_t)X->rows + 1, sizeof(double)),
                   .h = calloc((size_t)X->rows + 1, sizeof(double))};
    assert_true(f->w && f->z && f->h);
    for (int32_t c = 0; c < X->cols; c++)
        f->w[c] = number(rng);
    for (int64_t i = 0; i < X->rows; i++) {
        f->z[i] = wlab_rng_below(rng, 3) ? number(rng) : 0;
        f->h[i] = wlab_rng_below(rng, 3) ? (double)(1 + wlab_rng_below(rng, 4)) : 0;
    }
}

static void tear_down(fixture *f)
{
    wlab_matrix_destroy(f->X);
    free(f->w);
    free(f->z);
    free(f->h);
}

static const double untouched = 12345.5;

static double *vector(int64_t n)
{
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i <= n; i++)
        v[i] = untouched;
    return v;
}

/* Compares all passes, with this number of threads, with sums entry by entry. */
static void against_sums(const fixture *f, int threads)
{
    const wlab_matrix *X = f->X;
    const int64_t n = X->rows;
    const int32_t d = X->cols;
    const double offset = 0.75;
    double *dot = vector(n), *o = vector(n), *g = vector(d), *expected = vector(d), quad = NAN, sum, s = 0,
           q2 = 0;
    wlab_passes *p = NULL;
    wlab_pool *pool = NULL;

    ASSERT_OK(wlab_pool_create(&pool, threads, &err), err);
    ASSERT_OK(wlab_passes_create(&p, X, &err), err);
    for (int64_t i = 0; i < n; i++) {
        dot[i] = 0;
        for (int32_t k = 0; k < X->len[i]; k++)
            dot[i] += X->sparse ? (double)X->val[X->start[i] + k] * f->w[X->col[X->start[i] + k]]
                                : X->dense[X->start[i] + k] * f->w[k];
    }

    wlab_passes_outputs(p, NULL, f->w, 0, o, pool);
    for (int64_t i = 0; i < n; i++)
        assert_true(o[i] == dot[i]);
    for (int64_t i = 0; i < n; i++)
        o[i] = untouched;
    wlab_passes_outputs(p, f->h, f->w, 0, o, pool);
    for (int64_t i = 0; i < n; i++)
        assert_true(o[i] == (f->h[i] == 0 ? dot[i] : untouched));
    memcpy(o, f->h, (size_t)n * sizeof *o); /* `skip` and the outputs may be the same array */
    wlab_passes_outputs(p, o, f->w, 0, o, pool);
    for (int64_t i = 0; i < n; i++)
        assert_true(o[i] == (f->h[i] == 0 ? dot[i] : f->h[i]));

#define SUM_OVER_ENTRIES(term)                                                                               \
    for (int32_t c = 0; c < d; c++)                                                                          \
        expected[c] = 0;                                                                                     \
    for (int64_t i = 0; i < n; i++)                                                                          \
        for (int32_t k = 0; k < X->len[i]; k++) {                                                            \
            const double x = X->sparse ? (double)X->val[X->start[i] + k] : X->dense[X->start[i] + k];        \
            expected[X->sparse ? X->col[X->start[i] + k] : k] += (term);                                     \
        }                                                                                                    \
    for (int32_t c = 0; c < d; c++)                                                                          \
    assert_true(g[c] == expected[c])

    wlab_passes_transpose(p, f->z, g, pool);
    SUM_OVER_ENTRIES(f->z[i] * x);
    for (int64_t i = 0; i < n; i++)
        o[i] = untouched;
    sum = wlab_passes_normal(p, f->h, f->w, offset, o, g, &quad, pool);
    SUM_OVER_ENTRIES(f->h[i] * (dot[i] + offset) * x);
    for (int64_t i = 0; i < n; i++) {
        assert_true(f->h[i] == 0 || o[i] == dot[i] + offset);
        s += f->h[i] * (dot[i] + offset);
        q2 += f->h[i] * (dot[i] + offset) * (dot[i] + offset);
    }
    assert_true(sum == s && quad == q2);
    assert_true(o[n] == untouched && g[d] == untouched); /* nothing is written after the ends */

    wlab_passes_destroy(p);
    wlab_pool_destroy(pool);
    free(dot);
    free(o);
    free(g);
    free(expected);
}

static void all_threads(const fixture *f)
{
    against_sums(f, 1);
    against_sums(f, 2);
    against_sums(f, 4);
}

static void test_sparse(void **state)
{
    /* From nothing to several blocks of rows and of columns. */
    static const struct {
        int64_t rows;
        int32_t cols;
        double density;
    } shape[] = {{0, 0, 0},    {0, 5, .5},      {5, 0, .5},       {1, 1, 1},      {9, 12, .3},
                 {900, 60, 0}, {3000, 60, .25}, {700, 9000, .02}, {20000, 40, .2}};
    wlab_rng rng;

    (void)state;
    wlab_rng_seed(&rng, 1);
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        fixture f;
        set_up(&f, sparse(shape[k].rows, shape[k].cols, shape[k].density, &rng), &rng);
        all_threads(&f);
        tear_down(&f);
    }
}

static void test_dense(void **state)
{
    static const int shape[][2] = {{0, 3},     {4, 0},     {3, 1},     {50, 7},   {20000, 9},
                                   {20000, 8}, {9000, 2},  {9000, 3},  {9001, 4}, {900, 5},
                                   {9000, 6},  {9000, 16}, {9000, 63}, {500, 64}, {500, 65}};
    wlab_rng rng;

    (void)state;
    wlab_rng_seed(&rng, 2);
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        wlab_matrix *X = NULL;
        fixture f;
        ASSERT_OK(wlab_matrix_create_dense(&X, shape[k][0], shape[k][1], &err), err);
        for (int64_t i = 0; i < X->rows * X->cols; i++)
            X->nnz += (X->dense[i] = number(&rng)) != 0;
        set_up(&f, X, &rng);
        all_threads(&f);
        for (int64_t i = 0; i < X->rows; i++) /* whole blocks of rows whose factor is 0 */
            if (wlab_rng_below(&rng, 500))
                f.z[i] = f.h[i] = 0;
        all_threads(&f);
        tear_down(&f);
    }
}

/* Rows in any order, some twice, some never. */
static void test_views(void **state)
{
    enum {
        PICKED = 9000
    };
    static int32_t pick[PICKED];
    wlab_rng rng;

    (void)state;
    wlab_rng_seed(&rng, 3);
    for (int dense = 0; dense < 2; dense++) {
        wlab_matrix *parent = NULL, *view = NULL;
        fixture f;
        if (dense) {
            ASSERT_OK(wlab_matrix_create_dense(&parent, 4000, 30, &err), err);
            for (int64_t i = 0; i < parent->rows * parent->cols; i++)
                parent->nnz += (parent->dense[i] = number(&rng)) != 0;
        } else {
            parent = sparse(4000, 70, .3, &rng);
        }
        for (int k = 0; k < PICKED; k++)
            pick[k] = (int32_t)wlab_rng_below(&rng, 4000);
        ASSERT_OK(wlab_matrix_rows(&view, parent, pick, PICKED, &err), err);
        set_up(&f, view, &rng);
        all_threads(&f);
        tear_down(&f);
        wlab_matrix_destroy(parent);
    }
}

/* Numbers whose sums depend on the order: the same bits for any number of threads. */
/* Results of any number of threads have the same bits; few: of a dense matrix of few columns. */
static void check_bits(bool few)
{
    enum {
        ROWS = 6000,
        COLS = 300
    };
    static double g[3][COLS], o[3][ROWS], t[3][COLS];
    static const int threads[] = {1, 2, 4};
    double quad[3], sum[3];
    wlab_rng rng;
    fixture f;

    wlab_rng_seed(&rng, 4);
    memset(g, 0, sizeof g);
    memset(t, 0, sizeof t);
    wlab_matrix *X = NULL;
    if (few)
        ASSERT_OK(wlab_matrix_create_dense(&X, ROWS, 11, &err), err);
    else
        X = sparse(ROWS, COLS, .1, &rng);
    for (int64_t k = 0; k < ROWS * 11 && few; k++)
        X->dense[k] = wlab_rng_uniform(&rng);
    set_up(&f, X, &rng);
    for (int64_t k = 0; !few && k < f.X->nnz; k++)
        f.X->val[k] = (float)wlab_rng_uniform(&rng);
    for (int32_t c = 0; c < X->cols; c++)
        f.w[c] = wlab_rng_uniform(&rng) - 0.5;
    for (int64_t i = 0; i < ROWS; i++)
        f.z[i] = wlab_rng_uniform(&rng) - 0.5;
    for (int k = 0; k < 3; k++) {
        wlab_passes *p = NULL;
        wlab_pool *pool = NULL;
        ASSERT_OK(wlab_pool_create(&pool, threads[k], &err), err);
        ASSERT_OK(wlab_passes_create(&p, f.X, &err), err);
        sum[k] = wlab_passes_normal(p, f.h, f.w, 0.1, o[k], g[k], &quad[k], pool);
        wlab_passes_outputs(p, f.h, f.w, 0, o[k], pool);
        wlab_passes_transpose(p, f.z, t[k], pool);
        wlab_passes_destroy(p);
        wlab_pool_destroy(pool);
        assert_true(sum[k] == sum[0] && quad[k] == quad[0]);
        assert_memory_equal(g[k], g[0], sizeof g[0]);
        assert_memory_equal(o[k], o[0], sizeof o[0]);
        assert_memory_equal(t[k], t[0], sizeof t[0]);
    }
    tear_down(&f);
}

static void test_bits(void **state)
{
    (void)state;
    check_bits(false);
    check_bits(true);
}

/* Products that overflow are infinite in rows of odd and even length, and not NaN. */
static void test_overflow(void **state)
{
    (void)state;
    const float v[] = {1, 2, 3e38F};
    const int32_t c[] = {0, 1, 2};
    double w[] = {1, 1e300, 1e300};
    assert_true(wlab_sparse_dot(v, c, 3, w) == (double)INFINITY);
    assert_true(wlab_sparse_dot(v + 1, c + 1, 2, w) == (double)INFINITY);
    assert_true(wlab_sparse_dot(v, c, 2, w) == 1 + 2e300);
    wlab_sparse_axpy_after_dot(v + 1, c + 1, 2, 1e300, w);
    assert_true(w[0] == 1 && w[1] == 3e300 && w[2] == (double)INFINITY);
}

static void test_allocation(void **state)
{
    wlab_passes *p;
    wlab_rng rng;
    wlab_matrix *X;

    (void)state;
    wlab_rng_seed(&rng, 5);
    X = sparse(4000, 60, .25, &rng);
    ALLOC_SWEEP_OUT(wlab_passes_create(&p, X, &err), p);
    wlab_passes_destroy(p);
    wlab_passes_destroy(NULL);
    wlab_matrix_destroy(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse),   cmocka_unit_test(test_dense),
                                       cmocka_unit_test(test_views),    cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_overflow), cmocka_unit_test(test_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
