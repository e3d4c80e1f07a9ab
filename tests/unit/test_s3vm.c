/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * s3vm: losses against finite differences and quadrature, the gradient and the Hessian of the objective against finite
 * differences, the smoothing against random draws; the labelled rows alone against L2-SVM-MFN on the centred kernel matrix;
 * each step against the model; symmetry; the methods against each other and against the alternation of mfa; bounds, limits,
 * units, refusals.
 */
#include "unit/posed.h"

#include "algo/smooth/s3vm.h"
#include "solve/svm/mfn.h"
#include "weaklab/rng.h"

static const wlab_algo *const algo = &wlab_algo_s3vm;
static const char *const methods[] = {"method=gradient", "method=continuation", "method=newton", "method=da"};
enum {
    METHODS = 4
};

static wlab_problem *moons(void)
{
    return pose("two-moons", "n=60 noise=0.2 seed=3", "ssl", "labeled=6 seed=1 r=0.4");
}

static wlab_problem *blobs(const char *r)
{
    return pose("g50c", "n=80 seed=2", "ssl", r);
}

static void *create_with(wlab_problem *p, const char *method, const char *more)
{
    char options[200];
    snprintf(options, sizeof options, "%s %s", method, more);
    return create_state(algo, p, options);
}

/* ---- losses ---- */

typedef smooth_loss loss_fn(double o, double at);

static smooth_loss effective(double o, double T)
{
    return wlab_s3vm_effective(o, T, NULL);
}

static void check_derivatives(loss_fn *fn, double o, double at)
{
    const double h = 1e-5;
    const smooth_loss here = fn(o, at), left = fn(o - h, at), right = fn(o + h, at);
    const double first = (right.value - left.value) / (2 * h), second = (right.first - left.first) / (2 * h);
    if (!(fabs(here.first - first) <= 1e-6 * (1 + fabs(first))) ||
        !(fabs(here.second - second) <= 1e-5 * (1 + fabs(second))))
        fail_msg("o = %g, %g: derivatives %g, %g; differences %g, %g", o, at, here.first, here.second, first,
                 second);
}

/* Simpson's rule for the mean of fn(o + d z) over normal z. */
static double mean_over_normal(loss_fn *fn, double o, double v)
{
    const int n = 4000;
    const double h = 20.0 / n, d = sqrt(v);
    double sum = 0;
    for (int k = 0; k <= n; k++) {
        const double z = -10 + k * h;
        sum += (k == 0 || k == n ? 1 : k % 2 ? 4 : 2) * fn(o + d * z, 0).value * exp(-z * z / 2);
    }
    return sum * h / 3 / sqrt(2 * M_PI);
}

static void test_losses(void **state)
{
    (void)state;
    for (double o = -2.965; o < 3; o += 0.07) /* not at a kink */
        for (double v = 0; v < 30; v = v * 4 + 0.01) {
            check_derivatives(wlab_s3vm_labelled, o, v);
            check_derivatives(wlab_s3vm_hat, o, v);
            if (v > 0) {
                ASSERT_NEAR(wlab_s3vm_labelled(o, v).value, mean_over_normal(wlab_s3vm_labelled, o, v), 1e-6);
                ASSERT_NEAR(wlab_s3vm_hat(o, v).value, mean_over_normal(wlab_s3vm_hat, o, v), 1e-6);
                check_derivatives(effective, o, v);
            }
        }
    /* at T = 0 the better label decides; at a high temperature the belief is 1/2 */
    ASSERT_NEAR(wlab_s3vm_effective(0.4, 0, NULL).value, 0.36, 1e-15);
    ASSERT_NEAR(wlab_s3vm_effective(-0.4, 0, NULL).first, 1.2, 1e-15);
    double entropy;
    ASSERT_NEAR(wlab_s3vm_effective(0.4, 1e9, &entropy).first, 0.8, 1e-6);
    ASSERT_NEAR(entropy, log(2), 1e-6);
    (void)wlab_s3vm_effective(0.5, 0.1, &entropy);
    const double p = 1 / (1 + exp(-20));
    ASSERT_NEAR(entropy, -p * log(p) - (1 - p) * log(1 - p), 1e-12);
}

/* The most negative curvature of the smoothed loss is at 0, as wlab_s3vm_curvature assumes. */
static void test_curvature(void **state)
{
    (void)state;
    for (double v = 0; v < 30; v = v * 3 + 0.02) {
        const double least = -6 * pow(1 + 6 * v, -1.5);
        for (double o = -4; o <= 4; o += 0.01)
            assert_true(wlab_s3vm_hat(o, v).second >= least * (1 + 1e-12));
        ASSERT_NEAR(wlab_s3vm_hat(0, v).second, least, 1e-12);
    }
}

/* ---- the objective ---- */

static double value_at(s3vm *s, const double *w, double *g)
{
    wlab_err err;
    smooth_job job = {&s->m, NULL};
    double f;
    ASSERT_OK(wlab_smooth_evaluate(&job, w, &f, g, &err), err);
    return f;
}

static void draw(double *w, int64_t n, double size, uint64_t seed)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    for (int64_t j = 0; j < n; j++)
        w[j] = size * wlab_rng_normal(&rng);
}

static void test_gradient(void **state)
{
    (void)state;
    wlab_problem *p[] = {moons(), blobs("labeled=10 seed=1 r=0.5")};
    for (int k = 0; k < 2 * METHODS; k++) {
        s3vm *s = create_with(p[k % 2], methods[k / 2], "kernel=rbf sigma=1x C=1.5 ratio=0.7");
        const int64_t r = s->m.rows->dim;
        double *w = malloc((size_t)r * sizeof *w), *g = malloc((size_t)r * sizeof *g),
               *other = malloc((size_t)r * sizeof *other);
        assert_true(w && g && other);
        for (s->m.level = 0; s->m.level <= s->m.levels; s->m.level += 3) {
            wlab_s3vm_set_level(s);
            draw(w, r, 0.5, (uint64_t)s->m.level + 1);
            value_at(s, w, g);
            for (int64_t j = 0; j < r; j += 7) {
                const double h = 1e-5, at = w[j];
                w[j] = at + h;
                const double right = value_at(s, w, other);
                w[j] = at - h;
                const double left = value_at(s, w, other);
                w[j] = at;
                ASSERT_NEAR(g[j], (right - left) / (2 * h), 1e-6);
            }
        }
        algo->destroy(s);
        free(w);
        free(g);
        free(other);
    }
    wlab_problem_unref(p[0]);
    wlab_problem_unref(p[1]);
}

/* The Hessian of a Newton step against differences of the gradient. */
static void test_hessian(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    s3vm *s = create_with(p, "method=newton", "kernel=rbf sigma=1x C=1.5");
    const int64_t r = s->m.rows->dim;
    double *w = malloc((size_t)r * sizeof *w), *left = malloc((size_t)r * sizeof *w),
           *right = malloc((size_t)r * sizeof *w);
    assert_true(w && left && right);
    s->m.level = s->m.levels;
    wlab_s3vm_set_level(s);
    draw(w, r, 0.5, 5);
    memcpy(s->m.at->w, w, (size_t)r * sizeof *w);
    wlab_centred_outputs(s->m.rows, w, s->m.o, NULL);
    ASSERT_OK(wlab_s3vm_newton_iterate(s, NULL, &err), err);
    const double h = 1e-6;
    for (int64_t j = 0; j < r; j++) {
        const double at = w[j];
        w[j] = at + h;
        value_at(s, w, right);
        w[j] = at - h;
        value_at(s, w, left);
        w[j] = at;
        for (int64_t k = j; k < r; k++)
            ASSERT_NEAR(s->H[k * r + j], (right[k] - left[k]) / (2 * h), 1e-4);
    }
    algo->destroy(s);
    free(w);
    free(left);
    free(right);
    wlab_problem_unref(p);
}

/* The smoothed objective is the mean of J over normal w, less the constant that the penalty contributes. */
static void test_smoothing(void **state)
{
    (void)state;
    enum {
        DRAWS = 100000
    };
    wlab_problem *p = pose("two-moons", "n=12 noise=0.2 seed=3", "ssl", "labeled=4 seed=1 r=0.5");
    s3vm *s = create_with(p, "method=continuation", "kernel=linear C=1 levels=5");
    const double w[2] = {0.8, -0.5};
    double g[2], moved[2], sum = 0, squares = 0;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    s->m.level = 2;
    wlab_s3vm_set_level(s);
    const double smoothed = value_at(s, w, g), gamma = s->now.gamma;
    assert_true(gamma > 0.01);
    s->m.level = s->m.levels;
    wlab_s3vm_set_level(s);
    assert_true(s->now.gamma == 0);
    for (int k = 0; k < DRAWS; k++) {
        for (int j = 0; j < 2; j++)
            moved[j] = w[j] + sqrt(gamma) * wlab_rng_normal(&rng);
        const double f = value_at(s, moved, g) - gamma; /* dim / 2 gamma */
        sum += f;
        squares += f * f;
    }
    const double mean = sum / DRAWS, error = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    if (!(fabs(mean - smoothed) <= 4 * error))
        fail_msg("%g against the mean %g with the standard error %g", smoothed, mean, error);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* ---- the labelled rows alone ---- */

/* With r = 1/2 the first level is an SVM without offset on the centred kernel matrix. */
static void test_labelled_alone(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = blobs("labeled=20 seed=1 r=0.5");
    for (int k = 0; k < METHODS; k++) {
        s3vm *s = create_with(p, methods[k], "kernel=rbf sigma=1x C=3");
        const int64_t n = p->n;
        wlab_mfn *m;
        double *K = malloc((size_t)(n * n) * sizeof *K), *z = calloc((size_t)n, sizeof *z),
               *w = malloc((size_t)s->m.rows->dim * sizeof *w);
        assert_true(K && z && w);
        for (int64_t i = 0; i < n; i++) {
            z[i] = 1;
            ASSERT_OK(wlab_centred_transpose(s->m.rows, z, w, NULL, &err), err);
            wlab_centred_outputs(s->m.rows, w, K + i * n, NULL);
            z[i] = 0;
        }
        ASSERT_OK(wlab_mfn_create(&m, NULL, 0, K, n, 1, WL_MFN_FAST, 1e-10, &err), err);
        for (int64_t i = 0; i < n; i++) {
            m->pos[i] = p->visible[i] > 0 ? 2 * s->C : 0;
            m->neg[i] = p->visible[i] < 0 ? 2 * s->C : 0;
        }
        wlab_mfn_start(m, NULL);
        while (!m->done && !m->stalled)
            ASSERT_OK(wlab_mfn_iterate(m, NULL, &err), err);
        while (!stepped(algo, s, NULL).phase_complete)
            ;
        assert_int_equal(s->m.level, 0);
        ASSERT_NEAR(s->m.objective, m->f, 1e-9);
        assert_true(s->m.lower <= m->f && s->m.lower >= m->f - m->gap - 1e-6);
        for (int64_t i = 0; i < n; i++)
            ASSERT_NEAR(s->m.o[i], m->o[i], 1e-4);
        wlab_mfn_destroy(m);
        algo->destroy(s);
        free(K);
        free(z);
        free(w);
    }
    wlab_problem_unref(p);
}

/* ---- runs ---- */

/* Checks the state after a step against the model. */
static void check_step(const wlab_problem *p, const s3vm *s, double before, bool same_level, double upper)
{
    double *f = outputs(algo, s, p), mean = 0, labelled = 0, unlabelled = 0, norm = 0;
    int8_t *y = calloc((size_t)p->n, 1);
    assert_non_null(y);
    algo->observe(s, NULL, y);
    for (int64_t i = 0; i < p->n; i++) {
        if (p->visible[i]) {
            const double slack = fmax(0, 1 - p->visible[i] * f[i]);
            labelled += slack * slack;
            assert_int_equal(y[i], p->visible[i]);
            continue;
        }
        const double slack = fmax(0, 1 - fabs(f[i]));
        unlabelled += s->method == S3VM_DA ? slack * slack : exp(-3 * f[i] * f[i]);
        mean += f[i] / (double)s->m.u;
        if (fabs(f[i]) > 1e-6)
            assert_int_equal(y[i], f[i] > 0 ? 1 : -1);
    }
    ASSERT_NEAR(mean, 2 * s->r - 1, 1e-8);
    for (int64_t j = 0; j < s->m.rows->dim; j++)
        norm += s->m.at->w[j] * s->m.at->w[j];
    ASSERT_NEAR(s->J, norm / 2 + s->C * labelled + s->C * s->ratio * unlabelled, 1e-6);
    ASSERT_NEAR(s->J, s->J_norm + s->J_labelled + s->J_unlabelled, 1e-12);
    assert_true(metric(algo, s, "upper") == fmin(upper, s->J));
    if (same_level)
        assert_true(s->m.objective <= before);
    if (s->m.level > 0) {
        assert_true(s->m.lower <= s->J * (1 + 1e-12));
        assert_true(metric(algo, s, "gap") >= 0);
    }
    free(f);
    free(y);
}

static void test_steps(void **state)
{
    (void)state;
    static const char *const more[] = {"", "kernel=linear", "kernel=linear ratio=0.3 levels=2",
                                       "C=20 levels=1"};
    wlab_problem *p[] = {moons(), blobs("labeled=10 seed=1 r=0.4"),
                         pose("topics", "n=80 d=300 meanlen=20 seed=2 labeled=10", "ssl", "given=yes")};
    for (int c = 0; c < 3 * METHODS * 4; c++) {
        wlab_problem *on = p[c % 3];
        s3vm *s = create_with(on, methods[c / 3 % METHODS], more[c / 3 / METHODS]);
        double before = INFINITY, upper = INFINITY;
        wlab_step made = {0};
        int64_t level = -1;
        for (int k = 0; made.verdict == WL_MORE; k++) {
            assert_true(k < 3000);
            made = stepped(algo, s, NULL);
            assert_int_equal(made.phase, s->m.level);
            check_step(on, s, before, s->m.level == level, upper);
            before = s->m.objective;
            upper = fmin(upper, s->J);
            level = s->m.level;
        }
        if (made.verdict != WL_CONVERGED || !made.phase_complete)
            fail_msg("%s %s: ended with verdict %d and gradient %g", methods[c / 3 % METHODS],
                     more[c / 3 / METHODS], (int)made.verdict, s->m.at->gradient);
        assert_true(metric(algo, s, "gradient") <= 1e-6 * (1 + fabs(s->m.objective)));
        if (s->method != S3VM_DA) /* the last level is J itself */
            ASSERT_NEAR(s->m.objective, s->J, 1e-9);
        const wlab_step again = stepped(algo, s, NULL);
        assert_true(again.complete && again.verdict == made.verdict);
        algo->destroy(s);
    }
    for (int k = 0; k < 3; k++)
        wlab_problem_unref(p[k]);
}

static s3vm *finished(wlab_problem *p, const char *method, const char *more)
{
    s3vm *s = create_with(p, method, more);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    return s;
}

/* Other signs of all labels, and r and 1 - r exchanged, give minus the same function. */
static void test_symmetry(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        wlab_problem *p = moons();
        s3vm *a = finished(p, methods[k], "kernel=rbf sigma=1x r=0.25");
        for (int64_t i = 0; i < p->n; i++)
            p->visible[i] = (int8_t)-p->visible[i];
        s3vm *b = finished(p, methods[k], "kernel=rbf sigma=1x r=0.75");
        assert_int_equal(a->m.step, b->m.step);
        for (int64_t i = 0; i < p->n; i++)
            ASSERT_NEAR(a->m.o[i], -b->m.o[i], 1e-9);
        algo->destroy(a);
        algo->destroy(b);
        wlab_problem_unref(p);
    }
}

/* Both reach the same J from the same start, the labelled rows' minimum, if C* does not rise in large steps. */
static void test_newton(void **state)
{
    (void)state;
    wlab_problem *p[] = {moons(), blobs("labeled=10 seed=1 r=0.5")};
    for (int k = 0; k < 2; k++) {
        s3vm *a = finished(p[k], "method=gradient", "kernel=rbf levels=30"),
             *b = finished(p[k], "method=newton", "kernel=rbf levels=30");
        ASSERT_NEAR(a->J, b->J, 1e-8);
        assert_true(b->m.step < a->m.step);
        algo->destroy(a);
        algo->destroy(b);
        wlab_problem_unref(p[k]);
    }
}

/* At the first width the objective is convex: every start leads to the same w.  At the end w is a stationary point of J,
 * from which the gradient method does not move. */
static void test_continuation(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    s3vm *s = create_with(p, "method=continuation", "kernel=rbf");
    smooth_job job = {&s->m, NULL};
    wlab_lbfgs *at = s->m.at;
    double first = 0;
    s->m.level = 1;
    wlab_s3vm_set_level(s);
    assert_true(s->curvature <= 1 && s->curvature > 0.99);
    for (uint64_t k = 0; k < 5; k++) {
        draw(at->w, at->dim, 3 * (double)k, k);
        wlab_lbfgs_start(at);
        do
            ASSERT_OK(wlab_lbfgs_iterate(at, wlab_smooth_evaluate, &job, &err), err);
        while (at->gradient > 1e-7 && !at->stalled);
        assert_true(at->iterations < 1000);
        if (k == 0)
            first = at->f;
        ASSERT_NEAR(at->f, first, 1e-10);
    }
    algo->destroy(s);
    s = finished(p, "method=continuation", "kernel=rbf");
    s3vm *g = create_with(p, "method=gradient", "kernel=rbf levels=1");
    g->m.level = 1;
    wlab_s3vm_set_level(g);
    double *grad = malloc((size_t)g->m.rows->dim * sizeof *grad), norm = 0;
    assert_non_null(grad);
    ASSERT_NEAR(value_at(g, s->m.at->w, grad), s->J, 1e-10);
    for (int64_t j = 0; j < g->m.rows->dim; j++)
        norm += grad[j] * grad[j];
    assert_true(sqrt(norm) <= 2e-6 * (1 + s->J));
    free(grad);
    algo->destroy(g);
    algo->destroy(s);
    /* with a small weight J is convex, and needs no smoothing */
    s = finished(p, "method=continuation", "kernel=rbf ratio=0.001");
    assert_int_equal(s->m.level, 1);
    assert_true(s->curvature <= 1);
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* The alternation of mfa, beliefs for w and then w for the beliefs, descends the same J_T: where it ends the gradient is 0.
 * It is made with L2-SVM-MFN on the centred kernel matrix, with r = 1/2 and without the multiplier of mfa's balance. */
static void test_annealing(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = blobs("labeled=10 seed=1 r=0.5");
    const int64_t n = p->n;
    s3vm *s = create_with(p, "method=da", "kernel=rbf sigma=1x C=2 levels=12");
    double *K = malloc((size_t)(n * n) * sizeof *K), *z = calloc((size_t)n, sizeof *z),
           *w = malloc((size_t)s->m.rows->dim * sizeof *w), *g = malloc((size_t)s->m.rows->dim * sizeof *g);
    wlab_mfn *m;
    assert_true(K && z && w && g);
    for (int64_t i = 0; i < n; i++) {
        z[i] = 1;
        ASSERT_OK(wlab_centred_transpose(s->m.rows, z, w, NULL, &err), err);
        wlab_centred_outputs(s->m.rows, w, K + i * n, NULL);
        z[i] = 0;
    }
    ASSERT_OK(wlab_mfn_create(&m, NULL, 0, K, n, 1, WL_MFN_FAST, 1e-12, &err), err);
    while (!stepped(algo, s, NULL).phase_complete) /* the labelled rows alone */
        ;
    for (int level = 1; level <= 12 && !s->m.finished; level++) {
        while (!stepped(algo, s, NULL).phase_complete)
            ;
        assert_int_equal(s->m.level, level);
        const double T = 10 / pow(1.5, level - 1);
        ASSERT_NEAR(metric(algo, s, "width"), T, 1e-12);
        for (int turn = 0; turn < 3000; turn++) {
            for (int64_t i = 0; i < n; i++) {
                const double o = m->o[i], a = fmax(0, 1 - o), b = fmax(0, 1 + o),
                             belief = 1 / (1 + exp((a * a - b * b) / T));
                m->pos[i] = 2 * s->C * (p->visible[i] ? p->visible[i] > 0 : belief);
                m->neg[i] = 2 * s->C * (p->visible[i] ? p->visible[i] < 0 : 1 - belief);
            }
            m->g_known = false;
            wlab_mfn_start(m, NULL);
            while (!m->done && !m->stalled)
                ASSERT_OK(wlab_mfn_iterate(m, NULL, &err), err);
        }
        ASSERT_OK(wlab_centred_transpose(s->m.rows, m->w, w, NULL, &err), err);
        const double f = value_at(s, w, g);
        double norm = 0;
        for (int64_t j = 0; j < s->m.rows->dim; j++)
            norm += g[j] * g[j];
        if (!(sqrt(norm) <= 1e-4))
            fail_msg("T = %g: the alternation's w has a gradient of norm %g", T, sqrt(norm));
        if (T > 2) /* J_T has one minimum */
            ASSERT_NEAR(f, s->m.objective, 1e-6);
    }
    wlab_mfn_destroy(m);
    algo->destroy(s);
    free(K);
    free(z);
    free(w);
    free(g);
    wlab_problem_unref(p);
}

/* ---- other members of the table ---- */

static void test_slice(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    for (int k = 0; k < METHODS; k++) {
        s3vm *s = create_with(p, methods[k], "kernel=rbf");
        wlab_probed seen = {0};
        const wlab_probe *probe = &algo->probes[wlab_probe_index(algo, WL_PROBE_SLICE)];
        const wlab_probe_ask ask = {.probe = probe};
        ASSERT_FAILS(probe->get(s, &ask, &seen, NULL, &err), WL_ESTATE, err, "w has not moved yet");
        double before = INFINITY;
        for (int j = 0; j < 12; j++) {
            const int64_t level = s->m.level;
            step(algo, s, NULL);
            ASSERT_OK(probe->get(s, &ask, &seen, NULL, &err), err);
            assert_true(seen.rows == WL_SLICE_POINTS && seen.columns == 2);
            assert_true(seen.value[0] == -0.5 && seen.value[2 * (WL_SLICE_POINTS - 1)] == 1.5);
            assert_true(seen.value[2 * WL_SLICE_OLD] == 0 && seen.value[2 * WL_SLICE_NEW] == 1);
            ASSERT_NEAR(seen.value[2 * WL_SLICE_NEW + 1], s->m.objective, 1e-10);
            if (j > 0 && s->m.level == level)
                ASSERT_NEAR(seen.value[2 * WL_SLICE_OLD + 1], before, 1e-10);
            before = s->m.objective;
            wlab_probed_clear(&seen);
        }
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

/* iterations= ends each level; set continues the last one to the same end as a run without the limit. */
static void test_limit(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = moons();
    s3vm *s = finished(p, "method=gradient", "kernel=rbf levels=1 iterations=5");
    assert_true(s->m.verdict == WL_LIMIT && s->m.step == 10);
    wlab_params *more = made_params(algo->params, "method=gradient kernel=rbf levels=1 iterations=900", &err);
    assert_non_null(more);
    ASSERT_OK(algo->set(s, more, &err), err);
    while (step(algo, s, NULL) == WL_MORE)
        ;
    assert_true(s->m.verdict == WL_CONVERGED && s->m.step > 12);
    wlab_params_destroy(more);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.2 seed=3", "ssl", "labeled=6 seed=1 r=0.4");
    for (int k = 0; k < METHODS; k++) {
        char setting[100];
        snprintf(setting, sizeof setting, "%s kernel=rbf C=2", methods[k]);
        units_hold(algo, p, setting, 25, 0);
        snprintf(setting, sizeof setting, "%s kernel=linear levels=3", methods[k]);
        units_hold(algo, p, setting, 25, 0);
    }
    wlab_problem_unref(p);
}

static void refused(wlab_problem *p, const char *options, wlab_code code, const char *text)
{
    wlab_err err;
    void *state;
    wlab_params *params = made_params(algo->params, options, &err);
    assert_non_null(params);
    ASSERT_FAILS(algo->create(&state, p, params, NULL, &err), code, err, text);
    assert_null(state);
    wlab_params_destroy(params);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_problem *p = moons();
    refused(p, "r=0", WL_EARG, "give a fraction above 0 and below 1");
    refused(p, "r=much", WL_EARG, "or auto");
    refused(p, "C=-1", WL_EARG, "C=-1: give a number above 0, or auto");
    for (int64_t i = 0; i < p->n; i++)
        p->visible[i] = 0;
    refused(p, "", WL_ESTATE, "at least one labelled row");
    for (int64_t i = 0; i < p->n; i++)
        p->visible[i] = 1;
    refused(p, "", WL_ESTATE, "at least two unlabelled rows");
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),    cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_gradient),  cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_smoothing), cmocka_unit_test(test_labelled_alone),
        cmocka_unit_test(test_steps),     cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_newton),    cmocka_unit_test(test_continuation),
        cmocka_unit_test(test_annealing), cmocka_unit_test(test_slice),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
