/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph of nearest neighbours against all distances, its Laplacian against its definition; the kernel deformed by it
 * against K (I + rho L K)^-1 solved by LAPACK, models of it, the dual of the LapSVM paper; graph= in every algorithm that
 * has a kernel.
 */
#include "unit/posed.h"

#include "model/deformed.h"
#include "model/kernel.h"
#include "solve/svm/boxqp.h"
#include "weaklab/rng.h"

#include <lapacke.h>

static const wlab_kernel kernels[] = {{.kind = WL_K_LINEAR},
                                      {.kind = WL_K_RBF, .gamma = 2},
                                      {.kind = WL_K_RBF, .gamma = 40},
                                      {.kind = WL_K_POLY, .gamma = 0.5, .coef0 = 1, .degree = 3}};
enum {
    KERNELS = 4
};

static wlab_problem *moons(void)
{
    return pose("two-moons", "n=60 noise=0.15 seed=3", "ssl", "labeled=8 seed=1 r=0.5");
}

/* ---- the graph ---- */

static double distance(const wlab_matrix *X, int64_t i, int64_t j)
{
    double sum = 0;
    for (int32_t k = 0; k < X->cols; k++) {
        const double d = wlab_matrix_at(X, i, k) - wlab_matrix_at(X, j, k);
        sum += d * d;
    }
    return sum;
}

/* How many rows precede j among the neighbours of i. */
static int64_t rank_of(const wlab_matrix *X, int64_t i, int64_t j)
{
    const double here = distance(X, i, j);
    int64_t before = 0;
    for (int64_t k = 0; k < X->rows; k++) {
        const double d = distance(X, i, k);
        before += k != i && k != j && (d < here || (d == here && k < j));
    }
    return before;
}

static void check_graph(const wlab_matrix *X, int neighbours, bool heat)
{
    wlab_err err;
    wlab_graph *g;
    int64_t edges = 0;
    double t = 0;
    ASSERT_OK(wlab_graph_make(&g, X, neighbours, heat, false, NULL, &err), err);
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t j = i + 1; j < X->rows; j++)
            if (rank_of(X, i, j) < neighbours || rank_of(X, j, i) < neighbours) {
                assert_true(edges < g->edges && g->edge[edges].i == i && g->edge[edges].j == j);
                t += distance(X, i, j);
                edges++;
            }
    assert_true(edges == g->edges);
    ASSERT_NEAR(g->t, t / (double)edges, 1e-12);
    for (int64_t e = 0; e < edges; e++) {
        const double d2 = distance(X, g->edge[e].i, g->edge[e].j);
        ASSERT_NEAR(g->edge[e].weight, heat ? exp(-d2 / (4 * g->t)) : 1, 1e-12);
    }
    wlab_graph_unref(g);
}

/* Points on a grid, some of them twice: many distances are equal. */
static wlab_matrix *lattice(bool sparse)
{
    wlab_err err;
    wlab_matrix *X;
    ASSERT_OK(wlab_matrix_create_dense(&X, 70, 40, &err), err);
    for (int64_t i = 0; i < 70; i++) {
        X->dense[i * 40 + (sparse ? i % 9 * 4 : 0)] = (double)(i % 8) - 3;
        X->dense[i * 40 + 39] = (double)(i / 8 % 7);
        if (!sparse)
            for (int64_t k = 2; k < 30; k++)
                X->dense[i * 40 + k] = 1 + (double)k;
    }
    ASSERT_OK(wlab_matrix_settle(&X, NULL, &err), err);
    assert_true(X->sparse == sparse);
    return X;
}

static void test_neighbours(void **state)
{
    (void)state;
    wlab_problem *p = moons();
    for (int k = 1; k < 70; k = 3 * k + 1) {
        check_graph(p->X, k, false);
        check_graph(p->X, k, true);
    }
    wlab_problem_unref(p);
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *X = lattice(sparse);
        for (int k = 1; k < 12; k += 2)
            check_graph(X, k, k == 3);
        wlab_matrix_destroy(X);
    }
}

static void test_threads(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("g50c", "n=550 seed=2", "supervised", "");
    wlab_graph *one, *more;
    wlab_pool *pool;
    wlab_deformed *a, *b;
    ASSERT_OK(wlab_pool_create(&pool, 3, &err), err);
    wlab_ctx ctx = {.pool = pool};
    ASSERT_OK(wlab_graph_make(&one, p->X, 6, true, true, NULL, &err), err);
    ASSERT_OK(wlab_graph_make(&more, p->X, 6, true, true, &ctx, &err), err);
    assert_true(one->edges == more->edges);
    for (int64_t e = 0; e < one->edges; e++)
        assert_true(one->edge[e].i == more->edge[e].i && one->edge[e].j == more->edge[e].j &&
                    one->edge[e].weight == more->edge[e].weight);
    ASSERT_OK(wlab_deformed_make(&a, &kernels[0], p->X, one, 3, 0, NULL, &err), err);
    ASSERT_OK(wlab_deformed_make(&b, &kernels[0], p->X, more, 3, 0, &ctx, &err), err);
    assert_true(a->r == b->r);
    assert_memory_equal(a->Phi, b->Phi, (size_t)(a->n * a->r) * sizeof *a->Phi);
    wlab_deformed_unref(a);
    wlab_deformed_unref(b);
    wlab_pool_destroy(pool);
    atomic_int stop = 1;
    wlab_ctx stopped = {.interrupt = &stop};
    one = NULL;
    ASSERT_FAILS(wlab_graph_make(&one, p->X, 6, false, false, &stopped, &err), WL_EINTERRUPTED, err, "graph");
    assert_null(one);
    wlab_problem_unref(p);
}

/* L [n x n] by its definition. */
static double *laplacian(const wlab_graph *g)
{
    const int64_t n = g->n;
    double *L = calloc((size_t)(n * n), sizeof *L), *degree = calloc((size_t)n, sizeof *degree);
    assert_true(L && degree);
    for (int64_t e = 0; e < g->edges; e++) {
        L[g->edge[e].i * n + g->edge[e].j] = L[g->edge[e].j * n + g->edge[e].i] = -g->edge[e].weight;
        degree[g->edge[e].i] += g->edge[e].weight;
        degree[g->edge[e].j] += g->edge[e].weight;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            L[i * n + j] = g->normalised ? (i == j) + L[i * n + j] / sqrt(degree[i] * degree[j])
                                         : (i == j) * degree[i] + L[i * n + j];
    free(degree);
    return L;
}

static void test_laplacian(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    wlab_rng rng;
    wlab_rng_seed(&rng, 8);
    for (int kind = 0; kind < 4; kind++) {
        wlab_graph *g;
        double f[60], Lf[60], energy = 0;
        ASSERT_OK(wlab_graph_make(&g, p->X, 4, kind % 2, kind / 2, NULL, &err), err);
        double *L = laplacian(g);
        for (int i = 0; i < 60; i++)
            f[i] = wlab_rng_normal(&rng);
        wlab_graph_laplacian(g, f, 1, Lf);
        for (int i = 0; i < 60; i++) {
            double sum = 0;
            for (int j = 0; j < 60; j++)
                sum += L[i * 60 + j] * f[j];
            ASSERT_NEAR(sum, Lf[i], 1e-12);
            energy += f[i] * sum;
        }
        ASSERT_NEAR(energy, wlab_graph_energy(g, f), 1e-12);
        free(L);
        wlab_graph_unref(g);
    }
    wlab_problem_unref(p);
}

static void test_components(void **state)
{
    (void)state;
    wlab_err err;
    wlab_matrix *X;
    wlab_graph *g;
    ASSERT_OK(wlab_matrix_create_dense(&X, 9, 1, &err), err);
    for (int64_t i = 0; i < 9; i++)
        X->dense[i] = (double)(i / 3) * 100 + (double)i;
    X->nnz = 9;
    for (int k = 1; k < 12; k++) {
        ASSERT_OK(wlab_graph_make(&g, X, k, false, false, NULL, &err), err);
        assert_true(g->components == (k < 3 ? 3 : 1));
        assert_true(k < 8 || g->edges == 36); /* all pairs */
        wlab_graph_unref(g);
    }
    ALLOC_SWEEP_OUT(wlab_graph_make(&g, X, 2, false, false, NULL, &err), g);
    wlab_graph_unref(g);
    wlab_matrix_destroy(X);
}

/* ---- the kernel ---- */

/* K^ = K (I + rho L K)^-1 by LAPACK; A = (I + rho L K)^-1, both [n x n]. */
static void solve_deformed(const double *K, const double *L, int64_t n, double rho, double *Khat, double *A)
{
    double *M = calloc((size_t)(n * n), sizeof *M);
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot);
    assert_true(M && pivot);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = i == j;
            for (int64_t k = 0; k < n; k++)
                sum += rho * L[i * n + k] * K[k * n + j];
            M[i * n + j] = sum;
            A[i * n + j] = i == j;
        }
    assert_true(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)n, (lapack_int)n, M, (lapack_int)n, pivot, A,
                              (lapack_int)n) == 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += K[i * n + k] * A[k * n + j];
            Khat[i * n + j] = sum;
        }
    free(M);
    free(pivot);
}

static double *matrix_of(const wlab_kernel *k, const wlab_problem *p)
{
    wlab_err err;
    double *K = malloc((size_t)(p->n * p->n) * sizeof *K);
    assert_non_null(K);
    ASSERT_OK(wlab_kernel_matrix(k, p->X, p->X, p->row, K, NULL, &err), err);
    return K;
}

static wlab_deformed *deformed_of(const wlab_problem *p, const wlab_kernel *base, bool normalised, double rho)
{
    wlab_err err;
    wlab_graph *g;
    wlab_deformed *d;
    ASSERT_OK(wlab_graph_make(&g, p->X, 5, !normalised, normalised, NULL, &err), err);
    ASSERT_OK(wlab_deformed_make(&d, base, p->X, g, rho, 0, NULL, &err), err);
    return d;
}

static void check_psd(const double *K, int64_t n)
{
    double *copy = malloc((size_t)(n * n) * sizeof *copy), *value = malloc((size_t)n * sizeof *value);
    assert_true(copy && value);
    memcpy(copy, K, (size_t)(n * n) * sizeof *copy);
    assert_true(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (lapack_int)n, copy, (lapack_int)n, value) == 0);
    assert_true(value[0] >= -1e-12 * value[n - 1]);
    free(copy);
    free(value);
}

static void test_deformed(void **state)
{
    (void)state;
    wlab_problem *p = moons();
    const int64_t n = p->n;
    double *A = malloc((size_t)(n * n) * sizeof *A), *expected = malloc((size_t)(n * n) * sizeof *expected);
    assert_true(A && expected);
    for (int c = 0; c < KERNELS; c++)
        for (int normalised = 0; normalised < 2; normalised++)
            for (double rho = 0.01; rho < 1e5; rho *= 100) {
                wlab_deformed *d = deformed_of(p, &kernels[c], normalised, rho);
                const wlab_kernel kernel = {.kind = WL_K_DEFORMED, .bias = 1.5, .deformed = d};
                double *K = matrix_of(&kernels[c], p), *L = laplacian(d->graph),
                       *made = matrix_of(&kernel, p);
                solve_deformed(K, L, n, rho, expected, A);
                for (int64_t i = 0; i < n; i++)
                    for (int64_t j = 0; j < n; j++) {
                        ASSERT_NEAR(made[i * n + j] - 2.25, expected[i * n + j], 1e-8);
                        assert_true(made[i * n + j] == made[j * n + i]);
                    }
                check_psd(made, n);
                free(K);
                free(L);
                free(made);
                wlab_deformed_unref(d);
            }
    free(A);
    free(expected);
    wlab_problem_unref(p);
}

/* Parts of the matrix, for views of rows in any order. */
static void test_views(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    wlab_deformed *d = deformed_of(p, &kernels[1], false, 2);
    const wlab_kernel kernel = {.kind = WL_K_DEFORMED, .deformed = d};
    double *all = matrix_of(&kernel, p), part[6];
    const int32_t rows[3] = {7, 3, 3}, columns[2] = {50, 7};
    wlab_matrix *X, *Z, *other;
    ASSERT_OK(wlab_matrix_rows(&X, p->X, rows, 3, &err), err);
    ASSERT_OK(wlab_matrix_rows(&Z, p->X, columns, 2, &err), err);
    ASSERT_OK(wlab_kernel_matrix(&kernel, X, Z, NULL, part, NULL, &err), err);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            ASSERT_NEAR(part[2 * i + j], all[rows[i] * p->n + columns[j]], 1e-14);
    ASSERT_OK(wlab_matrix_create_dense(&other, 2, 2, &err), err);
    ASSERT_FAILS(wlab_kernel_matrix(&kernel, other, Z, NULL, part, NULL, &err), WL_ESTATE, err,
                 "training rows");
    wlab_matrix_destroy(other);
    wlab_matrix_destroy(X);
    wlab_matrix_destroy(Z);
    free(all);
    wlab_deformed_unref(d);
    wlab_problem_unref(p);
}

/* A sum of K^ as a model of the plain kernel; features and their models. */
static void test_models(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    wlab_rng rng;
    wlab_rng_seed(&rng, 4);
    for (int c = 0; c < KERNELS; c++) {
        wlab_deformed *d = deformed_of(p, &kernels[c], c % 2, 0.7);
        const wlab_kernel kernel = {.kind = WL_K_DEFORMED, .bias = 0.5, .deformed = d};
        double *K = matrix_of(&kernel, p), coef[60], out[60];
        wlab_model *m;
        wlab_features *f;
        for (int i = 0; i < 60; i++)
            coef[i] = i % 3 ? wlab_rng_normal(&rng) : 0;
        ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernel, coef, NULL, &err), err);
        assert_true(m->kernel.kind == kernels[c].kind && !m->kernel.deformed);
        ASSERT_OK(wlab_model_predict(m, p->X, out, NULL, &err), err);
        for (int i = 0; i < 60; i++) {
            double sum = 0;
            for (int j = 0; j < 60; j++)
                sum += K[i * 60 + j] * coef[j];
            ASSERT_NEAR(out[i], sum, 1e-6);
        }
        wlab_model_destroy(m);
        ASSERT_OK(wlab_features_make(&f, p, &kernel, 1e-10, 0, NULL, &err), err);
        double *W = malloc((size_t)(2 * f->r) * sizeof *W);
        assert_non_null(W);
        for (int64_t j = 0; j < 2 * f->r; j++)
            W[j] = wlab_rng_normal(&rng);
        ASSERT_OK(wlab_features_model(&m, f, 2, W, (const double[]){0.1, 0.4}, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(m, p->X, out, NULL, &err), err);
        for (int i = 0; i < 60; i++) {
            double sum = 0.3, square = 0;
            for (int64_t j = 0; j < f->r; j++) {
                sum += (W[f->r + j] - W[j]) * f->Phi[i * f->r + j];
                square += f->Phi[i * f->r + j] * f->Phi[i * f->r + j];
            }
            ASSERT_NEAR(out[i], sum, 1e-4);
            ASSERT_NEAR(square, K[i * 61], 1e-12);
        }
        free(W);
        free(K);
        wlab_model_destroy(m);
        wlab_features_destroy(f);
        wlab_deformed_unref(d);
    }
    wlab_problem_unref(p);
}

/* New rows: f(x) = sum_i a_i kappa(x_i, x) with a = (I + rho L K)^-1 c by LAPACK. */
static void test_new_rows(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_kernel *base = &kernels[2];
    wlab_problem *p = moons(), *other = pose("two-moons", "n=40 noise=0.15 seed=9", "supervised", "");
    wlab_deformed *d = deformed_of(p, base, false, 3);
    const wlab_kernel kernel = {.kind = WL_K_DEFORMED, .bias = 0.5, .deformed = d};
    double *K = matrix_of(base, p), *L = laplacian(d->graph), *A = malloc(3600 * sizeof *A),
           *Khat = malloc(3600 * sizeof *Khat), *cross = malloc(2400 * sizeof *cross), c[60], out[40],
           sum = 0;
    wlab_model *m;
    assert_true(A && Khat && cross);
    solve_deformed(K, L, 60, 3, Khat, A);
    for (int i = 0; i < 60; i++)
        sum += c[i] = i % 4 ? 0 : cos(i);
    ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernel, c, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, other->X, out, NULL, &err), err);
    ASSERT_OK(wlab_kernel_matrix(base, other->X, p->X, p->row, cross, NULL, &err), err);
    for (int x = 0; x < 40; x++) {
        double f = 0.25 * sum;
        for (int i = 0; i < 60; i++)
            for (int j = 0; j < 60; j++)
                f += cross[x * 60 + i] * A[i * 60 + j] * c[j];
        ASSERT_NEAR(out[x], f, 1e-8);
    }
    free(K);
    free(L);
    free(A);
    free(Khat);
    free(cross);
    wlab_model_destroy(m);
    wlab_deformed_unref(d);
    wlab_problem_unref(other);
    wlab_problem_unref(p);
}

/* The dual that the LapSVM paper prints (without its equality, which belongs to the offset):
 * beta = argmax 1'b - 1/2 b'Q b over 0 <= b <= 1/l, Q = Y J K (2 gamma_A I + 2 gamma_I/n^2 L K)^-1 J'Y, and
 * alpha* = (2 gamma_A I + 2 gamma_I/n^2 L K)^-1 J'Y beta.  The model of an SVM with K^ has the same alpha*. */
static void test_printed_dual(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_kernel base = {.kind = WL_K_RBF, .gamma = 60}; /* K is well conditioned, so alpha* is unique */
    const double gamma_A = 0.01, gamma_I = 30;
    wlab_problem *p = moons();
    enum {
        N = 60
    };
    double *K = matrix_of(&base, p), M[N * N], inverse[N * N], Q[N * N], beta[N] = {0}, g[N], upper[N],
           alpha[N], c[N];
    lapack_int pivot[N];
    wlab_deformed *d = deformed_of(p, &base, false, gamma_I / (gamma_A * N * N));
    double *L = laplacian(d->graph);
    const wlab_kernel kernel = {.kind = WL_K_DEFORMED, .deformed = d};
    wlab_boxqp_result result;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += L[i * N + k] * K[k * N + j];
            M[i * N + j] = 2 * gamma_A * (i == j) + 2 * gamma_I / (N * N) * sum;
            inverse[i * N + j] = i == j;
        }
    assert_true(LAPACKE_dgesv(LAPACK_ROW_MAJOR, N, N, M, N, pivot, inverse, N) == 0);
    for (int i = 0; i < N; i++) {
        upper[i] = p->visible[i] ? 1 / (double)p->labelled : 0;
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += K[i * N + k] * inverse[k * N + j];
            Q[i * N + j] = p->visible[i] * p->visible[j] * sum;
        }
    }
    ASSERT_OK(wlab_boxqp_solve(Q, N, NULL, upper, 1e-14, beta, g, &result, NULL, &err), err);
    for (int i = 0; i < N; i++) {
        alpha[i] = 0;
        for (int j = 0; j < N; j++)
            alpha[i] += inverse[i * N + j] * p->visible[j] * beta[j];
    }
    /* the SVM with K^ and C = 1 / (2 gamma_A l): its variables are beta / (2 gamma_A) */
    double *Khat = matrix_of(&kernel, p), plain[N];
    memset(beta, 0, sizeof beta);
    for (int i = 0; i < N; i++) {
        upper[i] /= 2 * gamma_A;
        for (int j = 0; j < N; j++)
            Q[i * N + j] = p->visible[i] * p->visible[j] * Khat[i * N + j];
    }
    ASSERT_OK(wlab_boxqp_solve(Q, N, NULL, upper, 1e-14, beta, g, &result, NULL, &err), err);
    for (int i = 0; i < N; i++)
        c[i] = p->visible[i] * beta[i];
    assert_true(d->r == N);
    ASSERT_OK(wlab_deformed_plain(d, 1, c, NULL, plain, &err), err);
    for (int i = 0; i < N; i++)
        ASSERT_NEAR(plain[i], alpha[i], 1e-8);
    free(K);
    free(L);
    free(Khat);
    wlab_deformed_unref(d);
    wlab_problem_unref(p);
}

/* ---- the setting ---- */

static void test_parse(void **state)
{
    (void)state;
    wlab_err err;
    wlab_graph_spec s;
    static const char *const bad[] = {
        "knn",    "knn:",   "knn:0",      "knn:1001", "knn:6:",    "knn:6:hot", "6",
        "knn:-3", "knn: 3", "knn:6,heat", "",         "knn:6heat", "none:heat", "knn:6:heat:heat"};
    ASSERT_OK(wlab_graph_parse(&s, "none", &err), err);
    assert_true(s.neighbours == 0);
    ASSERT_OK(wlab_graph_parse(&s, "knn:7", &err), err);
    assert_true(s.neighbours == 7 && !s.heat && !s.normalised);
    ASSERT_OK(wlab_graph_parse(&s, "knn:1000:normalised:heat", &err), err);
    assert_true(s.neighbours == 1000 && s.heat && s.normalised);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ASSERT_FAILS(wlab_graph_parse(&s, bad[k], &err), WL_EARG, err, "knn:6:heat");
}

static void refuse(const char *options, const char *text)
{
    wlab_err err;
    wlab_problem *p = moons();
    void *state = NULL;
    wlab_params *params = made_params(wlab_algo_svm.params, options, &err);
    assert_non_null(params);
    ASSERT_FAILS(wlab_algo_svm.create(&state, p, params, NULL, &err), WL_EARG, err, text);
    assert_null(state);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("kernel=rbf rho=2", "graph=knn:6");
    refuse("kernel=rbf graph=2", "graph=2");
    refuse("kernel=precomputed graph=knn:3", "rows themselves");
    refuse("backend=liblinear graph=knn:3", "liblinear");
}

/* Without weight the graph changes no bit. */
static void test_no_weight(void **state)
{
    (void)state;
    static const char *const with[][2] = {{"kernel=rbf", "kernel=rbf graph=knn:5 rho=0"},
                                          {"kernel=linear", "kernel=linear graph=knn:5 rho=0"}};
    for (int k = 0; k < 2; k++) {
        wlab_problem *p = moons();
        void *a = create_state(&wlab_algo_svm, p, with[k][0]),
             *b = create_state(&wlab_algo_svm, p, with[k][1]);
        double one[MOST_METRICS], other[MOST_METRICS];
        stepped(&wlab_algo_svm, a, NULL);
        stepped(&wlab_algo_svm, b, NULL);
        wlab_algo_svm.observe(a, one, NULL);
        wlab_algo_svm.observe(b, other, NULL);
        assert_true(one[0] == other[0] && one[1] == other[1] && one[2] == other[2]);
        wlab_algo_svm.destroy(a);
        wlab_algo_svm.destroy(b);
        wlab_problem_unref(p);
    }
}

/* ---- algorithms ---- */

static const struct {
    wlab_sees sees;
    const char *task, *options;
} tasks[] = {{WL_SEES_SOME_LABELS, "ssl", "labeled=8 seed=1 r=0.5"},
             {WL_SEES_NO_LABELS, "cluster", "balance=0.3"},
             {WL_SEES_PROPORTIONS, "llp", "bagsize=10 seed=2"}};

/* Every algorithm that has a kernel steps with a graph, and its model has the plain kernel. */
static void test_algorithms(void **state)
{
    (void)state;
    int tried = 0;
    for (const wlab_algo *const *a = wlab_algos; *a; a++) {
        if (!wlab_param_known((*a)->params, "graph"))
            continue;
        for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
            wlab_err err;
            if (!((*a)->learns_from & (unsigned)tasks[k].sees))
                continue;
            wlab_problem *p = pose("two-moons", "n=60 noise=0.15 seed=3", tasks[k].task, tasks[k].options);
            void *s = NULL;
            wlab_params *params = made_params((*a)->params, "graph=knn:5:heat", &err);
            assert_non_null(params);
            const wlab_code code = (*a)->create(&s, p, params, NULL, &err);
            if (code)
                fail_msg("%s on %s: %s", (*a)->name, tasks[k].task, err.message);
            wlab_params_destroy(params);
            for (int steps = 0; steps < 4 && stepped(*a, s, NULL).verdict == WL_MORE; steps++)
                continue;
            const wlab_kernel *kernel = (*a)->kernel(s);
            wlab_model *m = NULL;
            double out[60];
            assert_true(kernel && kernel->kind == WL_K_DEFORMED);
            ASSERT_OK((*a)->model(s, &m, NULL, &err), err);
            assert_true(m->kernel.kind != WL_K_DEFORMED && !m->kernel.deformed);
            ASSERT_OK(wlab_model_predict(m, p->X, out, NULL, &err), err);
            wlab_model_destroy(m);
            (*a)->destroy(s);
            wlab_problem_unref(p);
            tried++;
        }
    }
    assert_true(tried >= 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_laplacian),  cmocka_unit_test(test_components),
        cmocka_unit_test(test_deformed),   cmocka_unit_test(test_views),
        cmocka_unit_test(test_models),     cmocka_unit_test(test_printed_dual),
        cmocka_unit_test(test_new_rows),   cmocka_unit_test(test_parse),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_no_weight),
        cmocka_unit_test(test_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
