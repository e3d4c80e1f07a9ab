/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matrices against loops over all entries; views; the rule of half; threads; failing allocations.
 */
#include "support.h"

#include "weaklab/matrix.h"
#include "weaklab/rng.h"

static wlab_err err;

/* Small integers times powers of 2: their sums are exact in any order, so the tests compare results with ==. */
static double entry(wlab_rng *rng, double density)
{
    return wlab_rng_uniform(rng) < density ? (double)(int)(wlab_rng_below(rng, 17) - 8) / 4.0 : 0.0;
}

static wlab_matrix *make(int64_t rows, int32_t cols, double density, bool sparse, uint64_t seed, double *full)
{
    wlab_matrix *m = NULL;
    wlab_rng rng;
    int64_t at = 0;

    wlab_rng_seed(&rng, seed);
    for (int64_t k = 0; k < rows * cols; k++)
        full[k] = entry(&rng, density);
    if (!sparse) {
        ASSERT_OK(wlab_matrix_create_dense(&m, rows, cols, &err), err);
        for (int64_t k = 0; k < rows * cols; k++)
            m->nnz += (m->dense[k] = full[k]) != 0.0;
        return m;
    }
    for (int64_t k = 0; k < rows * cols; k++)
        at += full[k] != 0.0;
    ASSERT_OK(wlab_matrix_create_sparse(&m, rows, cols, at, &err), err);
    at = 0;
    for (int64_t i = 0; i < rows; i++) {
        m->start[i] = at;
        for (int32_t c = 0; c < cols; c++)
            if (full[i * cols + c] != 0.0) {
                m->val[at] = (float)full[i * cols + c];
                m->col[at++] = c;
            }
        m->len[i] = (int32_t)(at - m->start[i]);
    }
    return m;
}

static void check_against(const wlab_matrix *m, const double *full, wlab_pool *pool)
{
    const int64_t n = m->rows;
    const int32_t d = m->cols;
    double *w = calloc((size_t)d + 1, sizeof *w), *z = calloc((size_t)n + 1, sizeof *z);
    double *o = calloc((size_t)n + 1, sizeof *o), *g = calloc((size_t)d + 1, sizeof *g);

    for (int32_t c = 0; c < d; c++)
        w[c] = (double)(c % 7 - 3);
    for (int64_t i = 0; i < n; i++)
        z[i] = (double)(i % 5 - 2);
    wlab_matrix_mul(m, w, o, pool);
    ASSERT_OK(wlab_matrix_mul_t(m, z, g, pool, &err), err);
    for (int64_t i = 0; i < n; i++) {
        double dot = 0, norm = 0;
        for (int32_t c = 0; c < d; c++) {
            assert_true(wlab_matrix_at(m, i, c) == full[i * d + c]);
            dot += full[i * d + c] * w[c];
            norm += full[i * d + c] * full[i * d + c];
        }
        assert_true(o[i] == dot);
        assert_true(wlab_matrix_row_dot(m, i, w) == dot);
        assert_true(wlab_matrix_row_sqnorm(m, i) == norm);
    }
    for (int32_t c = 0; c < d; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += full[i * d + c] * z[i];
        assert_true(g[c] == sum);
    }
    if (n && d) {
        wlab_matrix_row_axpy(m, n - 1, 2.0, w);
        for (int32_t c = 0; c < d; c++)
            assert_true(w[c] == (double)(c % 7 - 3) + 2.0 * full[(n - 1) * d + c]);
    }
    free(w);
    free(z);
    free(o);
    free(g);
}

static void products_agree_with_loops(void **state)
{
    static const int sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {5, 7}, {33, 4}, {70, 301}, {400, 90}};
    wlab_pool *pool = NULL;

    (void)state;
    ASSERT_OK(wlab_pool_create(&pool, 2, &err), err);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double *full = calloc((size_t)(sizes[s][0] * sizes[s][1]) + 1, sizeof *full);
            wlab_matrix *m = make(sizes[s][0], sizes[s][1], 0.3, sparse, 5 + s, full);
            check_against(m, full, NULL);
            check_against(m, full, pool);
            wlab_matrix_destroy(m);
            free(full);
        }
    wlab_pool_destroy(pool);
}

static void views_pick_rows(void **state)
{
    static const int32_t pick[] = {4, 0, 4, 39, 17};
    static const int32_t again[] = {3, 2};
    static const int32_t bad[] = {0, 40};
    double full[40 * 9], part[5 * 9], two[2 * 9];

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *m = make(40, 9, 0.4, sparse, 3, full), *v = NULL, *u = NULL;
        int64_t nnz = 0;

        for (int i = 0; i < 5; i++)
            memcpy(part + i * 9, full + pick[i] * 9, 9 * sizeof *part);
        for (int i = 0; i < 2; i++)
            memcpy(two + i * 9, part + again[i] * 9, 9 * sizeof *two);
        for (int k = 0; k < 45; k++)
            nnz += part[k] != 0.0;
        ASSERT_OK(wlab_matrix_rows(&v, m, pick, 5, &err), err);
        assert_true(v->view);
        assert_int_equal(v->nnz, nnz);
        check_against(v, part, NULL);
        ASSERT_OK(wlab_matrix_rows(&u, v, again, 2, &err), err);
        check_against(u, two, NULL);
        wlab_matrix_destroy(u);
        wlab_matrix_destroy(v);
        ASSERT_FAILS(wlab_matrix_rows(&v, m, bad, 2, &err), WL_EARG, err, "no row 41 among 40");
        assert_null(v);
        wlab_matrix_destroy(m);
    }
}

static void half_full_is_dense(void **state)
{
    double full[40 * 10];

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *m = make(40, 10, 0.9, sparse, 1, full), *v = NULL;
        static const int32_t pick[] = {1, 3};

        ASSERT_OK(wlab_matrix_settle(&m, NULL, &err), err);
        assert_false(m->sparse);
        check_against(m, full, NULL);
        wlab_matrix_destroy(m);
        m = make(40, 10, 0.2, sparse, 1, full);
        ASSERT_OK(wlab_matrix_rows(&v, m, pick, 2, &err), err);
        ASSERT_OK(wlab_matrix_settle(&v, NULL, &err), err); /* leaves the view's parent unchanged */
        assert_true(v->sparse);
        wlab_matrix_destroy(v);
        check_against(m, full, NULL);
        ASSERT_OK(wlab_matrix_settle(&m, NULL, &err), err);
        assert_true(m->sparse);
        check_against(m, full, NULL);
        wlab_matrix_destroy(m);
    }
    { /* exactly half is dense; a stored zero does not count */
        wlab_matrix *m = NULL;

        ASSERT_OK(wlab_matrix_create_sparse(&m, 1, 4, 3, &err), err);
        m->start[0] = 0;
        m->len[0] = 3;
        for (int k = 0; k < 3; k++) {
            m->col[k] = k;
            m->val[k] = (float)k; /* 0 1 2 */
        }
        ASSERT_OK(wlab_matrix_settle(&m, NULL, &err), err);
        assert_false(m->sparse);
        assert_int_equal(m->nnz, 2);
        m->dense[1] = 0;
        ASSERT_OK(wlab_matrix_settle(&m, NULL, &err), err);
        assert_true(m->sparse);
        assert_int_equal(m->nnz, 1);
        wlab_matrix_destroy(m);
        ASSERT_OK(wlab_matrix_create_sparse(&m, 1, 9, 3, &err), err);
        m->start[0] = 0;
        m->len[0] = 3;
        for (int k = 0; k < 3; k++) {
            m->col[k] = k;
            m->val[k] = (float)(k % 2); /* 0 1 0 */
        }
        ASSERT_OK(wlab_matrix_settle(&m, NULL, &err), err); /* remains sparse, without stored zeros */
        assert_true(m->sparse && m->nnz == 1 && m->len[0] == 1 && m->col[0] == 1);
        wlab_matrix_destroy(m);
        ASSERT_OK(wlab_matrix_create_dense(&m, 1, 4, &err), err);
        m->dense[2] = 1e300;
        ASSERT_FAILS(wlab_matrix_settle(&m, NULL, &err), WL_ENUMERIC, err, "column 3");
        assert_false(m->sparse);
        wlab_matrix_destroy(m);
    }
}

static void check_gram(const wlab_matrix *X, const wlab_matrix *Z, wlab_pool *pool)
{
    const int64_t ldg = Z->rows + 3;
    double *G = calloc((size_t)(X->rows * ldg) + 1, sizeof *G);

    for (int64_t k = 0; k < X->rows * ldg; k++)
        G[k] = -77;
    ASSERT_OK(wlab_matrix_gram(X, Z, G, ldg, pool, &err), err);
    for (int64_t i = 0; i < X->rows; i++) {
        for (int64_t j = 0; j < Z->rows; j++)
            if (G[i * ldg + j] != wlab_matrix_rows_dot(X, i, Z, j))
                fail_msg("entry %d %d: %g", (int)i, (int)j, G[i * ldg + j]);
        for (int64_t j = Z->rows; j < ldg; j++)
            assert_true(G[i * ldg + j] == -77);
    }
    free(G);
}

static void gram_agrees_with_loops(void **state)
{
    double *full = calloc(450 * 37, sizeof *full);
    wlab_pool *pool = NULL;
    int32_t pick[450];

    (void)state;
    ASSERT_OK(wlab_pool_create(&pool, 2, &err), err);
    for (int i = 0; i < 450; i++)
        pick[i] = (i * 7) % 450;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            wlab_matrix *X = make(450, 37, 0.3, a, 8, full), *Z = make(201, 37, 0.3, b, 9, full), *V = NULL;

            ASSERT_OK(wlab_matrix_rows(&V, X, pick, 450, &err), err);
            check_gram(X, Z, pool);
            check_gram(V, Z, pool);
            check_gram(Z, V, NULL);
            check_gram(V, V, pool);
            check_gram(Z, Z, pool);
            wlab_matrix_destroy(V);
            wlab_matrix_destroy(X);
            wlab_matrix_destroy(Z);
        }
    wlab_pool_destroy(pool);
    free(full);
}

static void gram_refuses_what_does_not_fit(void **state)
{
    double full[6], G[4];
    wlab_matrix *X = make(2, 3, 1, false, 1, full), *Z = make(2, 2, 1, false, 1, full);

    (void)state;
    ASSERT_FAILS(wlab_matrix_gram(X, Z, G, 2, NULL, &err), WL_EARG, err, "3 columns");
    ASSERT_FAILS(wlab_matrix_gram(X, X, G, 1, NULL, &err), WL_EARG, err, "does not fit");
    wlab_matrix_destroy(X);
    wlab_matrix_destroy(Z);
}

/* Values that round: the bits must be the same for 1, 2 and 4 threads. */
static void threads_give_the_same_bits(void **state)
{
    enum {
        N = 3000,
        D = 40,
        M = 500
    };
    double *full = calloc((size_t)N * D, sizeof *full), *w = calloc(D, sizeof *w), *z = calloc(N, sizeof *z);
    double *o[3], *g[3], *G[3];
    static const int threads[] = {1, 2, 4};
    wlab_rng rng;

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *m = make(N, D, 0.4, sparse, 2, full), *v = NULL;
        int32_t pick[M];

        wlab_rng_seed(&rng, 4);
        for (int64_t k = 0; k < (sparse ? m->nnz : (int64_t)N * D); k++)
            if (sparse)
                m->val[k] = (float)wlab_rng_normal(&rng);
            else
                m->dense[k] = wlab_rng_normal(&rng);
        for (int i = 0; i < N; i++)
            z[i] = wlab_rng_normal(&rng);
        for (int i = 0; i < D; i++)
            w[i] = wlab_rng_normal(&rng);
        for (int i = 0; i < M; i++)
            pick[i] = (int32_t)wlab_rng_below(&rng, N);
        ASSERT_OK(wlab_matrix_rows(&v, m, pick, M, &err), err);
        for (int t = 0; t < 3; t++) {
            wlab_pool *pool = NULL;

            ASSERT_OK(wlab_pool_create(&pool, threads[t], &err), err);
            o[t] = calloc(N, sizeof *o[t]);
            g[t] = calloc(D, sizeof *g[t]);
            G[t] = calloc((size_t)M * M, sizeof *G[t]);
            wlab_matrix_mul(m, w, o[t], pool);
            ASSERT_OK(wlab_matrix_mul_t(m, z, g[t], pool, &err), err);
            ASSERT_OK(wlab_matrix_gram(v, v, G[t], M, pool, &err), err);
            wlab_pool_destroy(pool);
            assert_memory_equal(o[t], o[0], N * sizeof(double));
            assert_memory_equal(g[t], g[0], D * sizeof(double));
            assert_memory_equal(G[t], G[0], sizeof(double) * M * M);
        }
        for (int i = 0; i < M; i++)
            for (int j = 0; j < i; j++)
                assert_true(G[0][i * M + j] == G[0][j * M + i]);
        for (int t = 0; t < 3; t++) {
            free(o[t]);
            free(g[t]);
            free(G[t]);
        }
        wlab_matrix_destroy(v);
        wlab_matrix_destroy(m);
    }
    free(full);
    free(w);
    free(z);
}

static void allocations_may_fail(void **state)
{
    enum {
        N = 3000
    };
    double *full = calloc(N * 10, sizeof *full), *z = calloc(N, sizeof *z), g[10], G[16];
    static const int32_t pick[] = {5, 1, 3, 0};

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *m = make(N, 10, sparse ? 0.2 : 0.9, sparse, 7, full), *v = NULL, *a = NULL;

        ALLOC_SWEEP(wlab_matrix_mul_t(m, z, g, NULL, &err));
        ALLOC_SWEEP_OUT(wlab_matrix_rows(&v, m, pick, 4, &err), v);
        ALLOC_SWEEP(wlab_matrix_gram(v, v, G, 4, NULL, &err));
        wlab_matrix_destroy(v);
        wlab_matrix_destroy(m);
        m = make(N, 10, sparse ? 0.9 : 0.2, sparse, 7, full); /* of the wrong kind */
        ALLOC_SWEEP_CHECK(wlab_matrix_settle(&m, NULL, &err), assert_true(m->sparse == sparse));
        check_against(m, full, NULL);
        wlab_matrix_destroy(m);
        ALLOC_SWEEP_OUT(wlab_matrix_create_sparse(&a, 4, 4, 9, &err), a);
        wlab_matrix_destroy(a);
        ALLOC_SWEEP_OUT(wlab_matrix_create_dense(&a, 4, 4, &err), a);
        wlab_matrix_destroy(a);
    }
    free(full);
    free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_loops),
        cmocka_unit_test(views_pick_rows),
        cmocka_unit_test(half_full_is_dense),
        cmocka_unit_test(gram_agrees_with_loops),
        cmocka_unit_test(gram_refuses_what_does_not_fit),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
