/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs under a balance constraint: their mean over the chosen rows, the centred kernel matrix, the transposed
 * product, models, sparse data, threads, and failing allocations.
 */
#include "unit/posed.h"

#include "model/centred.h"
#include "weaklab/rng.h"

static const struct {
    wlab_kernel kernel;
    bool factor;
} cases[] = {
    {{.kind = WL_K_LINEAR}, false},
    {{.kind = WL_K_LINEAR}, true},
    {{.kind = WL_K_RBF, .gamma = 0.7}, false},
    {{.kind = WL_K_POLY, .gamma = 0.5, .coef0 = 1, .degree = 3}, true},
};

static wlab_problem *problem(int k)
{
    return k ? pose("topics", "n=60 d=300 meanlen=20 seed=2 labeled=10", "ssl", "given=yes")
             : pose("two-moons", "n=60 noise=0.2 seed=3", "ssl", "labeled=6 seed=1");
}

static uint8_t *unlabelled(const wlab_problem *p)
{
    uint8_t *member = calloc((size_t)p->n, 1);
    assert_non_null(member);
    for (int64_t i = 0; i < p->n; i++)
        member[i] = p->visible[i] == 0;
    return member;
}

static void draw(double *v, int64_t n, uint64_t seed)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    for (int64_t i = 0; i < n; i++)
        v[i] = wlab_rng_normal(&rng);
}

/* The kernel matrix, centred on the members. */
static double *centred_matrix(const wlab_problem *p, const wlab_kernel *kernel, const uint8_t *member)
{
    wlab_err err;
    const int64_t n = p->n;
    double *K = malloc((size_t)(n * n) * sizeof *K), *mean = calloc((size_t)n, sizeof *mean), all = 0;
    int64_t u = 0;
    assert_true(K && mean);
    ASSERT_OK(wlab_kernel_matrix(kernel, p->X, p->X, p->row, K, NULL, &err), err);
    for (int64_t k = 0; k < n; k++)
        u += member[k];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            mean[i] += member[k] ? K[i * n + k] / (double)u : 0;
    for (int64_t k = 0; k < n; k++)
        all += member[k] ? mean[k] / (double)u : 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] += all - mean[i] - mean[j];
    free(mean);
    return K;
}

static void test_outputs(void **state)
{
    (void)state;
    wlab_err err;
    for (int k = 0; k < 2; k++) {
        wlab_problem *p = problem(k);
        const int64_t n = p->n;
        uint8_t *member = unlabelled(p);
        double *o = malloc((size_t)n * sizeof *o), *z = malloc((size_t)n * sizeof *z),
               *f = malloc((size_t)n * sizeof *f);
        assert_true(o && z && f);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            wlab_centred *r;
            wlab_model *m;
            ASSERT_OK(wlab_centred_make(&r, p, &cases[c].kernel, member, -0.3, cases[c].factor, NULL, &err),
                      err);
            assert_true(!r->Phi == (cases[c].kernel.kind == WL_K_LINEAR && !cases[c].factor));
            double *w = malloc(((size_t)r->dim + 1) * sizeof *w),
                   *g = malloc(((size_t)r->dim + 1) * sizeof *g);
            assert_true(w && g);
            draw(w, r->dim, c);
            wlab_centred_outputs(r, w, o, NULL);
            double mean = 0, left = 0, right = 0;
            int64_t u = 0;
            for (int64_t i = 0; i < n; i++) {
                mean += member[i] ? o[i] : 0;
                u += member[i];
            }
            ASSERT_NEAR(mean / (double)u, -0.3, 1e-10);
            /* the transposed product is the adjoint: z'(o - b0) = w'g */
            draw(z, n, 10 + c);
            ASSERT_OK(wlab_centred_transpose(r, z, g, NULL, &err), err);
            for (int64_t i = 0; i < n; i++)
                left += z[i] * (o[i] + 0.3);
            for (int64_t j = 0; j < r->dim; j++)
                right += w[j] * g[j];
            ASSERT_NEAR(left, right, 1e-9);
            /* outputs of w = X'z are those of the centred kernel matrix */
            double *K = centred_matrix(p, &cases[c].kernel, member);
            wlab_centred_outputs(r, g, o, NULL);
            for (int64_t i = 0; i < n; i++) {
                double sum = -0.3;
                for (int64_t j = 0; j < n; j++)
                    sum += K[i * n + j] * z[j];
                ASSERT_NEAR(o[i], sum, 1e-7);
                ASSERT_NEAR(r->square[i], K[i * n + i], 1e-7);
            }
            ASSERT_OK(wlab_centred_model(&m, r, g, NULL, &err), err);
            ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
            for (int64_t i = 0; i < n; i++)
                ASSERT_NEAR(f[i], o[i], 1e-7);
            wlab_model_destroy(m);
            free(K);
            free(w);
            free(g);
            wlab_centred_destroy(r);
        }
        free(member);
        free(o);
        free(z);
        free(f);
        wlab_problem_unref(p);
    }
}

/* Without a set of rows there is no constraint: the outputs are w'x plus the constant feature's. */
static void test_unconstrained(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = problem(0);
    const wlab_kernel kernel = {.kind = WL_K_LINEAR, .bias = 2};
    const double w[] = {0.5, -1, 3}, z[60] = {1, 2};
    double o[60], f[60], g[3];
    wlab_centred *r;
    wlab_model *m;
    ASSERT_OK(wlab_centred_make(&r, p, &kernel, NULL, 9, false, NULL, &err), err);
    assert_int_equal(r->dim, 3);
    wlab_centred_outputs(r, w, o, NULL);
    ASSERT_OK(wlab_centred_model(&m, r, w, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
    for (int64_t i = 0; i < p->n; i++) {
        ASSERT_NEAR(o[i], wlab_matrix_row_dot(p->X, i, w) + 6, 1e-12);
        ASSERT_NEAR(f[i], o[i], 1e-12);
        ASSERT_NEAR(r->square[i], wlab_matrix_row_sqnorm(p->X, i) + 4, 1e-12);
    }
    ASSERT_OK(wlab_centred_transpose(r, z, g, NULL, &err), err);
    ASSERT_NEAR(g[2], 6, 1e-12);
    ASSERT_NEAR(g[0], wlab_matrix_at(p->X, 0, 0) + 2 * wlab_matrix_at(p->X, 1, 0), 1e-12);
    wlab_model_destroy(m);
    wlab_centred_destroy(r);
    wlab_problem_unref(p);
}

/* Any number of threads gives the same bits. */
static void test_threads(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("topics", "n=900 d=3000 meanlen=60 seed=2 labeled=10", "ssl", "given=yes");
    uint8_t *member = unlabelled(p);
    const wlab_kernel kernel = {.kind = WL_K_LINEAR};
    double *w = malloc(3000 * sizeof *w), *o[2], *g[2];
    draw(w, 3000, 1);
    for (int k = 0; k < 2; k++) {
        wlab_ctx ctx = {0};
        wlab_centred *r;
        o[k] = malloc((size_t)p->n * sizeof **o);
        g[k] = malloc(3000 * sizeof **g);
        assert_true(w && o[k] && g[k]);
        ASSERT_OK(wlab_pool_create(&ctx.pool, 1 + 2 * k, &err), err);
        ASSERT_OK(wlab_centred_make(&r, p, &kernel, member, 0.1, false, &ctx, &err), err);
        wlab_centred_outputs(r, w, o[k], ctx.pool);
        ASSERT_OK(wlab_centred_transpose(r, o[k], g[k], ctx.pool, &err), err);
        wlab_centred_destroy(r);
        wlab_pool_destroy(ctx.pool);
    }
    assert_memory_equal(o[0], o[1], (size_t)p->n * sizeof **o);
    assert_memory_equal(g[0], g[1], 3000 * sizeof **g);
    for (int k = 0; k < 2; k++) {
        free(o[k]);
        free(g[k]);
    }
    free(w);
    free(member);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_unconstrained),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
