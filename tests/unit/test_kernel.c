/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kernel matrices against their formulas entry by entry, and the widths that are relative to the data.
 */
#include "support.h"

#include "made.h"
#include "model/kernel.h"
#include "model/width.h"
#include "weaklab/rng.h"

static const wlab_param_info table[] = {WLAB_KERNEL_PARAMS("linear", "0"), {0}};

/* About half of the entries are 0; values are single precision, so that both forms hold the same. */
static wlab_matrix *random_matrix(int64_t rows, int32_t cols, bool sparse, wlab_rng *rng)
{
    wlab_err err;
    wlab_matrix *X, *S;
    ASSERT_OK(wlab_matrix_create_dense(&X, rows, cols, &err), err);
    for (int64_t k = 0; k < rows * cols; k++)
        if (wlab_rng_uniform(rng) < 0.5) {
            X->dense[k] = (float)wlab_rng_normal(rng);
            X->nnz++;
        }
    if (!sparse)
        return X;
    ASSERT_OK(wlab_matrix_create_sparse(&S, rows, cols, X->nnz, &err), err);
    int64_t at = 0;
    for (int64_t i = 0; i < rows; i++) {
        S->start[i] = at;
        for (int32_t j = 0; j < cols; j++)
            if (X->dense[i * cols + j] != 0) {
                S->val[at] = (float)X->dense[i * cols + j];
                S->col[at++] = j;
            }
        S->len[i] = (int32_t)(at - S->start[i]);
    }
    wlab_matrix_destroy(X);
    return S;
}

static double direct(const wlab_kernel *k, const wlab_matrix *X, int64_t i, const wlab_matrix *Z, int64_t j)
{
    double dot = 0, d2 = 0, value = 0;
    for (int32_t c = 0; c < X->cols; c++) {
        double x = wlab_matrix_at(X, i, c), z = wlab_matrix_at(Z, j, c);
        dot += x * z;
        d2 += (x - z) * (x - z);
    }
    switch (k->kind) {
    case WL_K_LINEAR:
        value = dot;
        break;
    case WL_K_RBF:
        value = exp(-k->gamma * d2);
        break;
    case WL_K_POLY:
        value = 1;
        for (int p = 0; p < k->degree; p++)
            value *= k->gamma * dot + k->coef0;
        break;
    case WL_K_PRECOMPUTED:
    case WL_K_AUTO:     /* a value of parameters only */
    case WL_K_DEFORMED: /* test_graph */
        break;
    }
    return value + k->bias * k->bias;
}

static const wlab_kernel kernels[] = {
    {WL_K_LINEAR, 0, 0, 0, 0, NULL},     {WL_K_LINEAR, 0, 0, 2, 0, NULL}, {WL_K_RBF, 0.3, 0, 0, 0, NULL},
    {WL_K_RBF, 0.01, 0, 1, 0, NULL},     {WL_K_POLY, 0.5, 0, 0, 3, NULL}, {WL_K_POLY, 0.2, 1.5, 0, 2, NULL},
    {WL_K_POLY, 0.2, 0.5, 0.5, 5, NULL},
};

static void test_entries(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int how = 0; how < 8; how++) {
            const int64_t n = 23, m = 37;
            wlab_matrix *X = random_matrix(n, 11, how & 1, &rng), *Z = random_matrix(m, 11, how & 2, &rng);
            wlab_matrix *A = X, *B = Z;
            int32_t pick[50];
            double K[50 * 50];
            if (how & 4) { /* views: rows in another order, some of them twice */
                for (int i = 0; i < 50; i++)
                    pick[i] = (int32_t)((i * 7 + 3) % n);
                ASSERT_OK(wlab_matrix_rows(&A, X, pick, 50, &err), err);
                ASSERT_OK(wlab_matrix_rows(&B, Z, pick, 20, &err), err);
            }
            ASSERT_OK(wlab_kernel_matrix(&kernels[k], A, B, NULL, K, NULL, &err), err);
            for (int64_t i = 0; i < A->rows; i++)
                for (int64_t j = 0; j < B->rows; j++)
                    ASSERT_NEAR(K[i * B->rows + j], direct(&kernels[k], A, i, B, j), 1e-13);
            ASSERT_OK(wlab_kernel_matrix(&kernels[k], A, A, NULL, K, NULL, &err), err);
            for (int64_t i = 0; i < A->rows; i++)
                for (int64_t j = 0; j < A->rows; j++) {
                    ASSERT_NEAR(K[i * A->rows + j], direct(&kernels[k], A, i, A, j), 1e-13);
                    assert_true(K[i * A->rows + j] == K[j * A->rows + i]);
                }
            if (A != X) {
                wlab_matrix_destroy(A);
                wlab_matrix_destroy(B);
            }
            wlab_matrix_destroy(X);
            wlab_matrix_destroy(Z);
        }
}

/* More rows than a tile or a strip: the same bits with any number of threads, exactly symmetric. */
static void test_threads(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int sparse = 0; sparse < 2; sparse++) {
            const int64_t n = 250;
            const size_t bytes = (size_t)(n * n) * sizeof(double);
            wlab_matrix *X = random_matrix(n, 40, sparse, &rng);
            double *one = malloc(bytes), *more = malloc(bytes);
            assert_true(one && more);
            ASSERT_OK(wlab_kernel_matrix(&kernels[k], X, X, NULL, one, NULL, &err), err);
            for (int threads = 1; threads <= 4; threads *= 2) {
                wlab_pool *pool;
                ASSERT_OK(wlab_pool_create(&pool, threads, &err), err);
                memset(more, 0xff, bytes);
                ASSERT_OK(wlab_kernel_matrix(&kernels[k], X, X, NULL, more, pool, &err), err);
                assert_memory_equal(one, more, bytes);
                wlab_pool_destroy(pool);
            }
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++)
                    assert_true(one[i * n + j] == one[j * n + i]);
            free(one);
            free(more);
            wlab_matrix_destroy(X);
        }
}

static void make_kernel(wlab_kernel *k, const char *text, const wlab_matrix *X)
{
    wlab_err err;
    wlab_params *p = made_params(table, text, &err);
    assert_non_null(p);
    ASSERT_OK(wlab_kernel_choose(k, p, X, NULL, &err), err);
    wlab_params_destroy(p);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over at most 512 rows of the seventh smallest squared distance that is not 0, by sorting. */
static double neighbour(const wlab_matrix *X)
{
    const int64_t n = X->rows, m = n < 512 ? n : 512;
    double *of = calloc((size_t)m, sizeof *of), *d2 = calloc((size_t)n, sizeof *d2), median;
    for (int64_t k = 0; k < m; k++) {
        int64_t i = k * n / m, others = 0;
        for (int64_t j = 0; j < n; j++) {
            d2[others] = 0;
            for (int32_t c = 0; c < X->cols; c++)
                d2[others] += pow(wlab_matrix_at(X, i, c) - wlab_matrix_at(X, j, c), 2);
            others += d2[others] > 0;
        }
        qsort(d2, (size_t)others, sizeof *d2, ascending);
        of[k] = others == 0 ? 0 : d2[others < 7 ? others - 1 : 6];
    }
    qsort(of, (size_t)m, sizeof *of, ascending);
    median = of[m / 2];
    free(of);
    free(d2);
    return median;
}

/* The data have more rows than the sample, contain each row several times, and are far from 0. */
static void test_neighbours(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_kernel k;
    wlab_matrix *X;
    wlab_rng_seed(&rng, 5);
    ASSERT_OK(wlab_matrix_create_dense(&X, 1100, 2, &err), err);
    for (int i = 0; i < 1100; i++)
        for (int c = 0; c < 2; c++)
            X->dense[2 * i + c] = i < 275 ? 30 + wlab_rng_normal(&rng) : X->dense[2 * (i % 275) + c];
    make_kernel(&k, "kernel=rbf", X);
    ASSERT_NEAR(k.gamma * (2 * neighbour(X)), 1, 1e-9);
    make_kernel(&k, "kernel=rbf sigma=1rms", X);
    assert_true(k.gamma * (2 * neighbour(X)) < 0.2); /* neighbours are much closer */
    wlab_matrix_destroy(X);
}

/* The kernel of `auto`, and the defaults of older recordings. */
static void test_auto(void **state)
{
    static const wlab_param_info chosen[] = {WLAB_KERNEL_PARAMS("auto", "0"), {0}};
    static const struct {
        const char *given;
        bool sparse;
        int64_t rows;
        wlab_kernel_kind kind;
        const char *older;
    } cases[] = {{"", false, 30, WL_K_RBF, "kernel=linear"},
                 {"", true, 30, WL_K_LINEAR, "kernel=linear"},
                 {"", false, 4001, WL_K_LINEAR, "kernel=linear"},
                 {"sigma=2", true, 30, WL_K_RBF, "kernel=linear sigma=2"},
                 {"gamma=2", false, 4001, WL_K_RBF, "kernel=linear gamma=2"},
                 {"kernel=linear", false, 30, WL_K_LINEAR, "kernel=linear"},
                 {"kernel=rbf", true, 30, WL_K_RBF, "kernel=rbf sigma=1x"},
                 {"kernel=rbf sigma=2nn", false, 30, WL_K_RBF, "kernel=rbf sigma=2nn"},
                 {"kernel=rbf gamma=3", false, 30, WL_K_RBF, "kernel=rbf gamma=3"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_err err;
        wlab_rng rng;
        wlab_kernel k;
        wlab_buf text = {0};
        wlab_rng_seed(&rng, 6);
        wlab_matrix *X = random_matrix(cases[i].rows, 3, cases[i].sparse, &rng);
        wlab_params *p = made_params(chosen, cases[i].given, &err);
        assert_non_null(p);
        assert_int_equal(wlab_kernel_kind_of(p, X), cases[i].kind);
        ASSERT_OK(wlab_kernel_choose(&k, p, X, NULL, &err), err);
        assert_int_equal(k.kind, cases[i].kind);
        ASSERT_OK(wlab_kernel_set_old_defaults(p, X, 1, &err), err);
        ASSERT_OK(wlab_params_format(p, &text), err);
        assert_string_equal((const char *)text.data, cases[i].older);
        wlab_buf_clear(&text);
        wlab_params_destroy(p);
        wlab_matrix_destroy(X);
    }
}

/* With a factor, or rows that ask for one, the width that is not given is 0.5rms; recordings of format 4 mean 1nn. */
static void test_width_with_factor(void **state)
{
    static const wlab_param_info with_rank[] = {WLAB_KERNEL_PARAMS("auto", "0"), {.name = NULL}};
    static const struct {
        const char *given;
        int64_t rows;
        const char *in_use, *older;
    } cases[] = {{"kernel=rbf", 30, "1nn", "kernel=rbf"},
                 {"kernel=rbf rank=0", 30, "1nn", "kernel=rbf rank=0"},
                 {"kernel=rbf rank=5", 30, "0.5rms", "kernel=rbf sigma=1nn rank=5"},
                 {"rank=5", 30, "0.5rms", "sigma=1nn rank=5"},
                 {"rank=5 sigma=2", 30, "2", "sigma=2 rank=5"},
                 {"rank=5 gamma=2", 30, "0.5rms", "gamma=2 rank=5"},
                 {"kernel=rbf", 16001, "0.5rms", "kernel=rbf sigma=1nn"},
                 {"kernel=rbf rank=0", 16001, "0.5rms", "kernel=rbf sigma=1nn rank=0"},
                 {"", 16001, "0.5rms", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_err err;
        wlab_rng rng;
        wlab_kernel k;
        wlab_buf text = {0};
        double number, length;
        int unit;
        wlab_rng_seed(&rng, 7);
        wlab_matrix *X = random_matrix(cases[i].rows, 2, false, &rng);
        wlab_params *p = made_params(with_rank, cases[i].given, &err);
        assert_non_null(p);
        assert_string_equal(wlab_kernel_sigma(p, X, &number, &unit), cases[i].in_use);
        ASSERT_OK(wlab_kernel_choose(&k, p, X, NULL, &err), err);
        if (k.kind == WL_K_RBF && unit >= 0 && !wlab_params_given(p, "gamma")) {
            ASSERT_OK(wlab_width(&length, (wlab_width_unit)unit, X, NULL, &err), err);
            ASSERT_NEAR(1 / sqrt(2 * k.gamma), number * length, 1e-12);
        }
        ASSERT_OK(wlab_kernel_set_old_defaults(p, X, 4, &err), err);
        ASSERT_OK(wlab_params_format(p, &text), err);
        assert_string_equal((const char *)text.data, cases[i].older);
        wlab_buf_clear(&text);
        wlab_params_destroy(p);
        wlab_matrix_destroy(X);
    }
}

static void test_widths(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_kernel k;
    wlab_rng_seed(&rng, 3);
    for (int sparse = 0; sparse < 2; sparse++)
        for (int64_t n = 2; n < 700; n *= 4) { /* 512 rows: more than a chunk */
            wlab_matrix *X = random_matrix(n, 6, sparse, &rng);
            double sum = 0, squares = 0;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++) {
                    double d2 = 0;
                    for (int32_t c = 0; c < 6; c++)
                        d2 += pow(wlab_matrix_at(X, i, c) - wlab_matrix_at(X, j, c), 2);
                    sum += sqrt(d2);
                    squares += d2;
                }
            double pairs = (double)(n * (n - 1)) / 2, mean = sum / pairs;
            make_kernel(&k, "kernel=rbf sigma=3rms", X);
            ASSERT_NEAR(k.gamma * (2 * 9 * squares / pairs), 1, 1e-11);
            make_kernel(&k, "kernel=rbf sigma=0.5x", X);
            assert_int_equal(k.kind, WL_K_RBF);
            ASSERT_NEAR(k.gamma * (2 * 0.25 * mean), 1, 1e-11);
            const double near = neighbour(X);
            make_kernel(&k, "kernel=rbf sigma=2nn", X);
            ASSERT_NEAR(k.gamma * (2 * 4 * near), 1, 1e-11);
            make_kernel(&k, "kernel=rbf", X);
            ASSERT_NEAR(k.gamma * (2 * near), 1, 1e-11);
            make_kernel(&k, "kernel=rbf sigma=0.5", X);
            assert_true(k.gamma == 2);
            make_kernel(&k, "kernel=rbf gamma=0.7", X);
            assert_true(k.gamma == 0.7);
            make_kernel(&k, "kernel=poly bias=2 coef0=3 degree=4", X);
            ASSERT_NEAR(k.gamma, 1.0 / 6, 1e-15);
            assert_true(k.kind == WL_K_POLY && k.bias == 2 && k.coef0 == 3 && k.degree == 4);
            wlab_matrix_destroy(X);
        }
}

static void choice_fails(const char *text, const wlab_matrix *X, wlab_code code, const char *message)
{
    wlab_err err;
    wlab_kernel k;
    wlab_params *p = made_params(table, text, &err);
    assert_non_null(p);
    ASSERT_FAILS(wlab_kernel_choose(&k, p, X, NULL, &err), code, err, message);
    wlab_params_destroy(p);
}

static void test_bad_widths(void **state)
{
    (void)state;
    wlab_err err;
    wlab_matrix *X;
    ASSERT_OK(wlab_matrix_create_dense(&X, 3, 2, &err), err);
    choice_fails("kernel=rbf sigma=1x gamma=1", X, WL_EARG, "not both");
    choice_fails("sigma=2x", X, WL_EARG,
                 "sigma=2x does not apply to kernel=linear: it applies to kernel=rbf");
    choice_fails("kernel=poly sigma=2", X, WL_EARG, "kernel=rbf");
    choice_fails("kernel=linear gamma=2", X, WL_EARG, "kernel=rbf or kernel=poly");
    choice_fails("kernel=rbf degree=2", X, WL_EARG, "kernel=poly");
    choice_fails("kernel=precomputed coef0=1", X, WL_EARG, "kernel=poly");
    choice_fails("kernel=rbf sigma=2x", X, WL_ENUMERIC, "all rows are equal");
    choice_fails("kernel=rbf sigma=2rms", X, WL_ENUMERIC, "all rows are equal");
    choice_fails("kernel=rbf sigma=1e-200", X, WL_ENUMERIC, "too small");
    wlab_matrix_destroy(X);
}

/* A kernel matrix of 5 rows, as data. */
static wlab_matrix *gram_data(void)
{
    wlab_err err;
    wlab_matrix *X;
    ASSERT_OK(wlab_matrix_create_dense(&X, 5, 5, &err), err);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            X->dense[i * 5 + j] = exp(-0.1 * (i - j) * (i - j));
    X->nnz = 25;
    return X;
}

static void test_precomputed(void **state)
{
    (void)state;
    wlab_err err;
    wlab_matrix *data = gram_data(), *X, *Z;
    const int32_t rows[] = {3, 0, 2}, others[] = {4, 1, 3, 3};
    const wlab_kernel k = {.kind = WL_K_PRECOMPUTED}, with = {.kind = WL_K_PRECOMPUTED, .bias = 2};
    double K[12];
    ASSERT_OK(wlab_matrix_rows(&X, data, rows, 3, &err), err);
    ASSERT_OK(wlab_matrix_rows(&Z, data, others, 4, &err), err);
    ASSERT_OK(wlab_kernel_matrix(&k, X, X, rows, K, NULL, &err), err);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(K[i * 3 + j] == data->dense[rows[i] * 5 + rows[j]]);
    ASSERT_OK(wlab_kernel_matrix(&k, Z, X, rows, K, NULL, &err), err);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            assert_true(K[i * 3 + j] == data->dense[others[i] * 5 + rows[j]]);
    ASSERT_OK(wlab_kernel_matrix(&with, X, X, rows, K, NULL, &err), err);
    assert_true(K[1] == data->dense[3 * 5] + 4);
    wlab_matrix_destroy(X);
    wlab_matrix_destroy(Z);
    wlab_matrix_destroy(data);
}

static void test_bad_precomputed(void **state)
{
    (void)state;
    wlab_err err;
    wlab_matrix *data = gram_data(), *X;
    const int32_t rows[] = {0, 1, 2, 3, 4};
    const wlab_kernel k = {.kind = WL_K_PRECOMPUTED};
    double K[25];
    data->dense[1 * 5 + 3] += 0.01;
    ASSERT_FAILS(wlab_kernel_matrix(&k, data, data, rows, K, NULL, &err), WL_EARG, err,
                 "needs a symmetric matrix: K(4,2)");
    data->dense[3 * 5 + 1] += 0.01;
    ASSERT_OK(wlab_kernel_matrix(&k, data, data, rows, K, NULL, &err), err);
    data->dense[1 * 5 + 3] = data->dense[3 * 5 + 1] =
        0.99; /* an eigenvalue below 0, though no 2 x 2 minor is */
    ASSERT_FAILS(wlab_kernel_matrix(&k, data, data, rows, K, NULL, &err), WL_ENUMERIC, err,
                 "positive semidefinite");
    wlab_matrix_destroy(data);
    ASSERT_OK(wlab_matrix_create_dense(&X, 4, 3, &err), err);
    ASSERT_FAILS(wlab_kernel_matrix(&k, X, X, rows, K, NULL, &err), WL_EARG, err, "row 4 but no column 4");
    wlab_matrix_destroy(X);
    /* psd up to the rounding to six digits in a file: rank 1 */
    ASSERT_OK(wlab_matrix_create_dense(&X, 5, 5, &err), err);
    for (int i = 0; i < 25; i++)
        X->dense[i] = 1e-6 * floor(0.5 + 1e6 * (1 + i / 5) * (1 + i % 5) / 7.0);
    ASSERT_OK(wlab_kernel_matrix(&k, X, X, rows, K, NULL, &err), err);
    for (int i = 0; i < 25; i++)
        assert_true(K[i] == X->dense[i]);
    wlab_matrix_destroy(X);
}

static void test_not_finite(void **state)
{
    (void)state;
    wlab_err err;
    wlab_matrix *X;
    double K[4];
    const wlab_kernel k = {.kind = WL_K_POLY, .gamma = 1, .degree = 20};
    ASSERT_OK(wlab_matrix_create_dense(&X, 2, 1, &err), err);
    X->dense[0] = 1, X->dense[1] = 1e10;
    ASSERT_FAILS(wlab_kernel_matrix(&k, X, X, NULL, K, NULL, &err), WL_ENUMERIC, err, "lower the degree");
    X->dense[1] = 1e160; /* the square of the norm is infinite */
    const wlab_kernel rbf = {.kind = WL_K_RBF, .gamma = 1};
    ASSERT_OK(wlab_kernel_matrix(&rbf, X, X, NULL, K, NULL, &err), err);
    assert_true(K[0] == 1 && K[3] == 1 && K[1] == 0 && K[2] == 0);
    wlab_matrix_destroy(X);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    wlab_kernel k;
    double K[100];
    wlab_rng_seed(&rng, 4);
    wlab_params *p = made_params(table, "kernel=rbf", &err);
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *X = random_matrix(10, 4, sparse, &rng);
        ALLOC_SWEEP(wlab_kernel_choose(&k, p, X, NULL, &err));
        ALLOC_SWEEP(wlab_kernel_matrix(&k, X, X, NULL, K, NULL, &err));
        ASSERT_NEAR(K[1], direct(&k, X, 0, X, 1), 1e-13);
        wlab_matrix_destroy(X);
    }
    wlab_matrix *data = gram_data();
    const int32_t rows[] = {0, 1, 2, 3, 4};
    k.kind = WL_K_PRECOMPUTED;
    ALLOC_SWEEP(wlab_kernel_matrix(&k, data, data, rows, K, NULL, &err));
    wlab_matrix_destroy(data);
    wlab_params_destroy(p);
}

static void count_warnings(void *sink, const wlab_event *event)
{
    if (event->kind == WL_EV_WARNING && strstr(event->text, "nearly the identity"))
        ++*(int *)sink;
}

/* The warning about a width that is far too small depends on the kernel alone, not on the bias added to it. */
static void test_identity(void **state)
{
    static const double biases[] = {0, 1, 1e3, 1e6, 1e9, 1e150};
    wlab_rng rng;
    (void)state;
    wlab_rng_seed(&rng, 9);
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *X = random_matrix(230, 25, sparse, &rng);
        double *K = wlab_calloc(230, 230 * sizeof *K);
        assert_non_null(K);
        for (size_t b = 0; b < sizeof biases / sizeof *biases; b++)
            for (int narrow = 0; narrow < 2; narrow++) {
                wlab_kernel k = {.kind = WL_K_RBF, .gamma = narrow ? 1e4 : 0.02, .bias = biases[b]};
                int warned = 0;
                wlab_ctx ctx = {.emit = count_warnings, .sink = &warned};
                wlab_err err;
                ASSERT_OK(wlab_kernel_matrix_progress(&k, X, X, NULL, K, &ctx, &err), err);
                if (warned != narrow)
                    fail_msg("bias %g, gamma %g: %d warnings", k.bias, k.gamma, warned);
            }
        wlab_free(K);
        wlab_matrix_destroy(X);
    }
}

/* With many rows x comes from a sample of them. */
static void test_sampled_width(void **state)
{
    enum {
        N = 9000
    };
    wlab_err err;
    wlab_rng rng;
    double sum = 0, width, again;
    (void)state;
    wlab_rng_seed(&rng, 12);
    wlab_matrix *X = random_matrix(N, 2, false, &rng);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < i; j++)
            sum += sqrt((X->dense[2 * i] - X->dense[2 * j]) * (X->dense[2 * i] - X->dense[2 * j]) +
                        (X->dense[2 * i + 1] - X->dense[2 * j + 1]) *
                            (X->dense[2 * i + 1] - X->dense[2 * j + 1]));
    ASSERT_OK(wlab_width(&width, WL_WIDTH_X, X, NULL, &err), err);
    ASSERT_OK(wlab_width(&again, WL_WIDTH_X, X, NULL, &err), err);
    assert_true(width == again);
    const double exact = sqrt(sum / (0.5 * N * (N - 1)));
    assert_true(fabs(width - exact) < 0.01 * exact);
    assert_true(width != exact);
    wlab_matrix_destroy(X);
}

/* Dense, sparse and given kernel values end at an interrupt, whatever is being computed. */
static void test_interrupt(void **state)
{
    (void)state;
    wlab_err err;
    wlab_rng rng;
    atomic_int pressed = 1;
    wlab_ctx ctx = {.interrupt = &pressed};
    const wlab_kernel rbf = {.kind = WL_K_RBF, .gamma = 1}, given = {.kind = WL_K_PRECOMPUTED};
    double *K = calloc(300 * 300, sizeof *K);
    int32_t row[300];
    assert_non_null(K);
    wlab_rng_seed(&rng, 3);
    for (int i = 0; i < 300; i++)
        row[i] = i;
    for (int sparse = 0; sparse < 2; sparse++) {
        wlab_matrix *X = random_matrix(300, 300, sparse, &rng);
        ASSERT_FAILS(wlab_kernel_matrix_progress(&rbf, X, X, row, K, &ctx, &err), WL_EINTERRUPTED, err,
                     "interrupted");
        ASSERT_FAILS(wlab_kernel_matrix_progress(&given, X, X, row, K, &ctx, &err), WL_EINTERRUPTED, err,
                     "interrupted");
        pressed = 0;
        ASSERT_OK(wlab_kernel_matrix_progress(&rbf, X, X, row, K, &ctx, &err), err);
        pressed = 1;
        wlab_matrix_destroy(X);
    }
    free(K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_bad_widths),
        cmocka_unit_test(test_width_with_factor),
        cmocka_unit_test(test_precomputed),
        cmocka_unit_test(test_bad_precomputed),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_sampled_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
