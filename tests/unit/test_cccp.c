/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cccp: the hat against the ramps of the paper, its majorisers (above it, touching, convex), the centred kernel matrix; each round
 * against the model and against the inequalities that make J fall; the fixed point; the labelled rows alone; the slice; symmetry,
 * the same problem by another solver; limits, units, refusals.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/cccp/cccp.h"
#include "solve/svm/smo.h"
#include "weaklab/rng.h"

static const wlab_algo *const algo = &wlab_algo_cccp;

static wlab_problem *moons(void)
{
    return pose("two-moons", "n=60 noise=0.2 seed=3", "ssl", "labeled=6 seed=1 r=0.4");
}

static wlab_problem *blobs(const char *r)
{
    return pose("g50c", "n=80 seed=2", "ssl", r);
}

/* ---- losses ---- */

static double ramp(double s, double z)
{
    return fmin(1 - s, fmax(0, 1 - z));
}

static void test_hat(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        const cccp_hat hat = {.squared = c % 2, .s = -0.3 * (c / 2)};
        for (double o = -3; o <= 3; o += 0.013) {
            const double value = cccp_loss(&hat, o);
            assert_true(value >= 0 && value <= 1 && value == cccp_loss(&hat, -o));
            if (!hat.squared) /* the ramps of Collobert and others, less a constant */
                ASSERT_NEAR(value, ramp(hat.s, o) + ramp(hat.s, -o) - (1 - hat.s), 1e-14);
            if (fabs(o) >= 1)
                assert_true(value == 0);
        }
        for (double at = -2.98; at <= 3; at += 0.07) {
            double before = NAN, slope = -INFINITY;
            ASSERT_NEAR(cccp_majoriser(&hat, at, at), cccp_loss(&hat, at), 1e-13);
            for (double o = -3; o <= 3; o += 0.01) {
                const double here = cccp_majoriser(&hat, at, o);
                assert_true(here >= cccp_loss(&hat, o) - 1e-13);
                if (!isnan(before)) { /* convex: the slope does not fall */
                    assert_true((here - before) / 0.01 >= slope - 1e-9);
                    slope = (here - before) / 0.01;
                }
                before = here;
            }
            /* a line replaces the concave part: the tangent's slope is that of the hinges less that of the hat */
            const double e = 1e-6, o = at;
            if (fabs(fabs(o) + hat.s) > 1e-3 && fabs(fabs(o) - 1) > 1e-3 && fabs(o) > 1e-3) {
                const double hinges = cccp_hinge(&hat, o + e) + cccp_hinge(&hat, -o - e) -
                                      cccp_hinge(&hat, o - e) - cccp_hinge(&hat, -o + e),
                             loss = cccp_loss(&hat, o + e) - cccp_loss(&hat, o - e);
                ASSERT_NEAR(cccp_slope(&hat, at), (hinges - loss) / (2 * e), 1e-7);
            }
        }
    }
}

/* <phi_i - m, phi_j - m> from the rows themselves */
static void test_centre(void **state)
{
    (void)state;
    enum {
        N = 20,
        D = 3
    };
    wlab_rng rng;
    double x[N][D], K[N * N], mean[N], m[D] = {0};
    uint8_t member[N];
    wlab_err err;
    wlab_rng_seed(&rng, 3);
    for (int i = 0; i < N; i++) {
        member[i] = i % 4 != 0;
        for (int j = 0; j < D; j++) {
            x[i][j] = wlab_rng_normal(&rng);
            m[j] += member[i] ? x[i][j] / 15 : 0;
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            K[i * N + j] = 0;
            for (int k = 0; k < D; k++)
                K[i * N + j] += x[i][k] * x[j][k];
        }
    double all;
    ASSERT_OK(wlab_centre_matrix(K, N, member, mean, &all, NULL, &err), err);
    double mm = 0;
    for (int k = 0; k < D; k++)
        mm += m[k] * m[k];
    ASSERT_NEAR(all, mm, 1e-13);
    for (int i = 0; i < N; i++) {
        double im = 0;
        for (int k = 0; k < D; k++)
            im += x[i][k] * m[k];
        ASSERT_NEAR(mean[i], im, 1e-13);
        for (int j = 0; j < N; j++) {
            double dot = 0;
            for (int k = 0; k < D; k++)
                dot += (x[i][k] - m[k]) * (x[j][k] - m[k]);
            ASSERT_NEAR(K[i * N + j], dot, 1e-13);
            assert_true(K[i * N + j] == K[j * N + i]);
        }
    }
}

/* ---- rounds ---- */

/* The state after a step: J from the model's outputs, the balance, labels and sides. */
static void check_step(const wlab_problem *p, const cccp *s)
{
    double *f = outputs(algo, s, p), mean = 0, labelled = 0, unlabelled = 0;
    int8_t *y = calloc((size_t)p->n, 1);
    int64_t plus = 0, minus = 0;
    assert_non_null(y);
    algo->observe(s, NULL, y);
    for (int64_t i = 0; i < p->n; i++) {
        ASSERT_NEAR(f[i], s->m->o[i] + s->b0, 1e-9);
        if (p->visible[i]) {
            const double slack = fmax(0, 1 - p->visible[i] * f[i]);
            labelled += s->hat.squared ? slack * slack : slack;
            assert_int_equal(y[i], p->visible[i]);
            continue;
        }
        const double slack = fmin(1 + s->hat.s, fmax(0, 1 - fabs(f[i])));
        unlabelled += s->hat.squared ? slack * slack : slack;
        mean += f[i] / (double)s->u;
        plus += f[i] > -s->hat.s;
        minus += f[i] < s->hat.s;
        if (fabs(f[i]) > 1e-6)
            assert_int_equal(y[i], f[i] > 0 ? 1 : -1);
    }
    ASSERT_NEAR(mean, 2 * s->r - 1, 1e-8);
    ASSERT_NEAR(s->J, s->J_norm + s->C * labelled + s->Cu * unlabelled, 1e-6);
    ASSERT_NEAR(s->J, s->J_norm + s->J_labelled + s->J_unlabelled, 1e-12);
    assert_int_equal(s->plus, plus);
    assert_int_equal(s->minus, minus);
    assert_int_equal(s->undecided, s->u - plus - minus);
    assert_true(s->lower <= s->J * (1 + 1e-12) && metric(algo, s, "gap") >= 0);
    free(f);
    free(y);
}

/* Along the last move: the majoriser touches J where the round began, is nowhere below it, convex, and smallest at t = 1. */
static void check_slice(const cccp *s)
{
    wlab_err err;
    wlab_probed got;
    ASSERT_OK(probed(algo, s, WL_PROBE_SLICE, &got, &err), err);
    assert_true(got.rows == WL_SLICE_POINTS && got.columns == 3);
    const double *v = got.value;
    const double size = fabs(s->J) + s->gain + 1e-300;
    ASSERT_NEAR(v[3 * WL_SLICE_OLD + 1], s->majoriser + s->gain, 1e-9 * size);
    ASSERT_NEAR(v[3 * WL_SLICE_OLD + 2], s->majoriser + s->gain, 1e-9 * size);
    ASSERT_NEAR(v[3 * WL_SLICE_NEW + 1], s->J, 1e-9 * size);
    ASSERT_NEAR(v[3 * WL_SLICE_NEW + 2], s->majoriser, 1e-9 * size);
    for (int k = 0; k < WL_SLICE_POINTS; k++) {
        const double J = v[3 * k + 1], M = v[3 * k + 2];
        assert_true(M >= J - 1e-9 * (fabs(J) + size));
        assert_true(M >= v[3 * WL_SLICE_NEW + 2] - 1e-7 * size);
        if (k > 0 && k < WL_SLICE_POINTS - 1)
            assert_true(v[3 * k - 1] + v[3 * k + 5] - 2 * M >= -1e-9 * (fabs(M) + size));
    }
    wlab_probed_clear(&got);
}

static const char *const settings[] = {"",
                                       "kernel=linear",
                                       "loss=squared-hinge kernel=linear",
                                       "loss=squared-hinge kernel=rbf",
                                       "s=-0.5",
                                       "s=-0.8 ratio=3",
                                       "loss=squared-hinge kernel=linear s=-0.4 C=5 ratio=1",
                                       "C=20 ratio=0.7",
                                       "kernel=rbf sigma=1x C=3 ratio=1"};
enum {
    SETTINGS = sizeof settings / sizeof *settings
};

static void test_rounds(void **state)
{
    (void)state;
    wlab_problem *p[] = {moons(), blobs("labeled=10 seed=1 r=0.4"),
                         pose("topics", "n=80 d=300 meanlen=20 seed=2 labeled=10", "ssl", "given=yes")};
    for (int c = 0; c < 3 * SETTINGS; c++) {
        wlab_problem *on = p[c % 3];
        char more[120];
        snprintf(more, sizeof more, "%s rounds=1000", settings[c / 3]);
        cccp *s = create_state(algo, on, more);
        wlab_step made = stepped(algo, s, NULL);
        check_step(on, s);
        ASSERT_NEAR(s->lower, s->J_norm + s->J_labelled, 1e-6 * s->lower);
        for (int k = 0; made.verdict == WL_MORE; k++) {
            const double before = s->J;
            assert_true(k < 1000);
            made = stepped(algo, s, NULL);
            check_step(on, s);
            /* what makes J fall */
            assert_true(s->majoriser <= before * (1 + 1e-13) && s->J <= s->majoriser * (1 + 1e-13));
            ASSERT_NEAR(s->gain, before - s->majoriser, 1e-12);
            assert_true(s->J <= before * (1 + 1e-13));
            check_slice(s);
        }
        if (made.verdict != WL_CONVERGED)
            fail_msg("%s: ended with verdict %d", settings[c / 3], (int)made.verdict);
        assert_true(s->pending == 0 || s->gain <= 1e-6 * s->J);
        const wlab_step again = stepped(algo, s, NULL);
        assert_true(again.complete && again.verdict == made.verdict);
        algo->destroy(s);
    }
    for (int k = 0; k < 3; k++)
        wlab_problem_unref(p[k]);
}

static cccp *finished(wlab_problem *p, const char *options)
{
    cccp *s = create_state(algo, p, options);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    return s;
}

/* Where no tangent changes, the convex problem of the present outputs, solved from 0, has its minimum at the present w. */
static void test_fixed_point(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p[] = {moons(), blobs("labeled=10 seed=1 r=0.5")};
    for (int k = 0; k < 4; k++) {
        cccp *s =
            finished(p[k % 2], k < 2 ? "kernel=rbf rounds=1000" : "kernel=rbf s=-0.4 ratio=1 rounds=1000");
        const int64_t n = s->n;
        double *beta = calloc((size_t)n, sizeof *beta), *f = calloc((size_t)n, sizeof *f),
               *t = calloc((size_t)n, sizeof *t), sum = 0;
        wlab_smo_result r;
        assert_true(beta && f && t);
        assert_int_equal(s->pending, 0);
        for (int64_t i = 0; i < n; i++)
            t[i] = p[k % 2]->visible[i] ? 0 : -s->Cu * cccp_slope(&s->hat, s->m->o[i] + s->b0);
        const wlab_smo_shape shape = {.a = s->m->a, .c = s->m->c, .t = t};
        ASSERT_OK(
            wlab_smo_tilted(s->K, n, 1, s->m->pos, s->m->neg, &shape, 1e-10, 0, beta, f, &r, NULL, &err),
            err);
        for (int64_t i = 0; i < n; i++) {
            ASSERT_NEAR(f[i], s->m->o[i], 1e-3);
            sum += t[i] * s->m->o[i] + s->m->pos[i] * fmax(0, s->m->a[i] - s->m->o[i]) +
                   s->m->neg[i] * fmax(0, s->m->c[i] + s->m->o[i]);
        }
        ASSERT_NEAR(s->J_norm + sum, r.primal, 1e-6 * (1 + fabs(r.primal)));
        algo->destroy(s);
        free(beta);
        free(f);
        free(t);
    }
    wlab_problem_unref(p[0]);
    wlab_problem_unref(p[1]);
}

/* Without unlabelled rows' weight the SVM remains, whose value its dual certifies. */
static void test_labelled_alone(void **state)
{
    (void)state;
    wlab_problem *p = moons();
    for (int k = 0; k < 3; k++) {
        cccp *s = create_state(algo, p,
                               k == 0   ? "ratio=0 kernel=rbf"
                               : k == 1 ? "ratio=0 kernel=linear"
                                        : "ratio=0 loss=squared-hinge kernel=linear");
        step(algo, s, NULL);
        const double J = s->J;
        while (step(algo, s, NULL) == WL_MORE)
            ;
        ASSERT_NEAR(s->J, J, 1e-7 * J);
        ASSERT_NEAR(s->J, s->lower, 1e-7 * J);
        assert_true(s->J_unlabelled == 0);
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

/* The squared hinge on the data, by conjugate gradients, and on the kernel matrix of the same rows, by Cholesky. */
static void test_two_solvers(void **state)
{
    (void)state;
    wlab_problem *p = blobs("labeled=10 seed=1 r=0.4");
    cccp *a = create_state(algo, p, "loss=squared-hinge kernel=linear eps=1e-12"),
         *b = create_state(algo, p, "loss=squared-hinge kernel=poly degree=1 gamma=1 eps=1e-12");
    assert_true(!a->K && b->K);
    for (int k = 0; k < 5; k++) {
        step(algo, a, NULL);
        step(algo, b, NULL);
        ASSERT_NEAR(a->J, b->J, 1e-6 * a->J);
        for (int64_t i = 0; i < p->n; i++)
            ASSERT_NEAR(a->m->o[i], b->m->o[i], 1e-4);
    }
    algo->destroy(a);
    algo->destroy(b);
    wlab_problem_unref(p);
}

/* Other signs of all labels, and r and 1 - r exchanged, give minus the same function. */
static void test_symmetry(void **state)
{
    (void)state;
    static const char *const how[] = {"kernel=rbf", "loss=squared-hinge kernel=linear", "kernel=rbf s=-0.5"};
    for (int k = 0; k < 3; k++) {
        char one[80], other[80];
        wlab_problem *p = moons();
        snprintf(one, sizeof one, "%s r=0.25", how[k]);
        snprintf(other, sizeof other, "%s r=0.75", how[k]);
        cccp *a = finished(p, one);
        for (int64_t i = 0; i < p->n; i++)
            p->visible[i] = (int8_t)-p->visible[i];
        cccp *b = finished(p, other);
        assert_int_equal(a->step, b->step);
        ASSERT_NEAR(a->J, b->J, 1e-6 * a->J);
        for (int64_t i = 0; i < p->n; i++)
            ASSERT_NEAR(a->m->o[i] + a->b0, -b->m->o[i] - b->b0, 1e-3);
        algo->destroy(a);
        algo->destroy(b);
        wlab_problem_unref(p);
    }
}

static void test_limit(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    cccp *s = create_state(algo, p, "ratio=3 rounds=1"), *whole = finished(p, "ratio=3");
    assert_int_equal(step(algo, s, NULL), WL_MORE);
    assert_int_equal(step(algo, s, NULL), WL_LIMIT);
    assert_int_equal(step(algo, s, NULL), WL_LIMIT);
    wlab_params *more = made_params(algo->params, "ratio=3 rounds=20", &err);
    ASSERT_OK(algo->set(s, more, &err), err);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    same_state(algo, s, whole, p->n);
    wlab_params_destroy(more);
    algo->destroy(s);
    algo->destroy(whole);
    wlab_problem_unref(p);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.2 seed=3", "ssl", "labeled=6 seed=1 r=0.4");
    for (int c = 0; c < SETTINGS; c++)
        units_hold(algo, p, settings[c], 9, 0);
    wlab_problem_unref(p);
}

static void refused(wlab_problem *p, const char *options, wlab_code code, const char *words)
{
    wlab_err err;
    void *state = NULL;
    wlab_params *params = made_params(algo->params, options, &err);
    assert_non_null(params);
    ASSERT_FAILS(algo->create(&state, p, params, NULL, &err), code, err, words);
    assert_null(state);
    wlab_params_destroy(params);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_probed got;
    wlab_problem *p = moons();
    refused(p, "C=-1", WL_EARG, "C=-1");
    refused(p, "ratio=-1", WL_EARG, "ratio=-1");
    refused(p, "ratio=x", WL_EARG, "ratio=x");
    refused(p, "r=1", WL_EARG, "r=1");
    cccp *s = create_state(algo, p, "");
    wlab_model *m = NULL;
    assert_int_equal(algo->model(s, &m, NULL, &err), WL_ESTATE);
    step(algo, s, NULL);
    assert_int_equal(probed(algo, s, WL_PROBE_SLICE, &got, &err), WL_ESTATE);
    algo->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hat),
        cmocka_unit_test(test_centre),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_fixed_point),
        cmocka_unit_test(test_labelled_alone),
        cmocka_unit_test(test_two_solvers),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
