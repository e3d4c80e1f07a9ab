/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L-BFGS: quadratic functions against their solution, Rosenbrock's function, a logistic regression against GSL's BFGS;
 * f never rises; a run that is restored at every iteration has the same bits; failures change nothing; a function
 * whose minimum no step can improve ends as stalled.
 */
#include "solve/descent/lbfgs.h"
#include "support.h"
#include "weaklab/rng.h"

#include <gsl/gsl_multimin.h>

enum {
    MOST = 40 /* dimensions */
};

/* f(w) = sum_j c_j (w_j - j)^2 / 2 */
static wlab_code quadratic(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    const int n = *(const int *)of;
    (void)err;
    *f = 0;
    for (int j = 0; j < n; j++) {
        const double c = pow(1.5, j % 12), e = w[j] - j;
        g[j] = c * e;
        *f += c * e * e / 2;
    }
    return WL_OK;
}

/* Pairs of coordinates, each with Rosenbrock's function. */
static wlab_code rosenbrock(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    const int n = *(const int *)of;
    (void)err;
    *f = 0;
    for (int j = 0; j < n; j += 2) {
        const double a = 1 - w[j], b = w[j + 1] - w[j] * w[j];
        *f += a * a + 100 * b * b;
        g[j] = -2 * a - 400 * b * w[j];
        g[j + 1] = 200 * b;
    }
    return WL_OK;
}

/* Logistic regression with a penalty: strongly convex, and no quadratic function. */
typedef struct logistic {
    int n, d;
    double x[200][MOST];
    int y[200];
    int64_t calls, fail_at;
} logistic;

static wlab_code logistic_loss(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    logistic *s = of;
    if (++s->calls == s->fail_at)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    *f = 0;
    for (int j = 0; j < s->d; j++) {
        *f += 0.05 * w[j] * w[j];
        g[j] = 0.1 * w[j];
    }
    for (int i = 0; i < s->n; i++) {
        double o = 0;
        for (int j = 0; j < s->d; j++)
            o += w[j] * s->x[i][j];
        const double m = s->y[i] * o;
        *f += m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
        for (int j = 0; j < s->d; j++)
            g[j] -= s->y[i] * s->x[i][j] / (1 + exp(m));
    }
    return WL_OK;
}

static void draw(logistic *s, int d)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, 7);
    *s = (logistic){.n = 200, .d = d};
    for (int i = 0; i < s->n; i++) {
        s->y[i] = i % 2 ? 1 : -1;
        for (int j = 0; j < d; j++)
            s->x[i][j] = wlab_rng_normal(&rng) * (1 + j % 5) + 0.3 * s->y[i];
    }
}

static wlab_lbfgs *create(int64_t dim)
{
    wlab_err err;
    wlab_lbfgs *s;
    ASSERT_OK(wlab_lbfgs_create(&s, dim, &err), err);
    return s;
}

/* Iterates until ||g|| <= tol or it stalls; f must never rise. */
static void minimise(wlab_lbfgs *s, wlab_lbfgs_fn *fn, void *of, double tol, int64_t most)
{
    wlab_err err;
    ASSERT_OK(wlab_lbfgs_evaluate(s, fn, of, &err), err);
    while (s->gradient > tol && !s->stalled) {
        const double before = s->f;
        if (s->iterations >= most)
            fail_msg("||g|| = %g after %lld iterations", s->gradient, (long long)s->iterations);
        ASSERT_OK(wlab_lbfgs_iterate(s, fn, of, &err), err);
        assert_true(s->f <= before);
    }
}

static void test_quadratic(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n = n * 2 + 1) {
        wlab_lbfgs *s = create(n);
        /* there are at most 12 different curvatures; with exact line searches as many iterations would do */
        minimise(s, quadratic, &n, 1e-9, 10 * (n < 12 ? n : 12));
        for (int j = 0; j < n; j++)
            ASSERT_NEAR(s->w[j], j, 1e-9);
        wlab_lbfgs_destroy(s);
    }
}

static void test_rosenbrock(void **state)
{
    (void)state;
    for (int n = 2; n <= 32; n *= 4) {
        wlab_lbfgs *s = create(n);
        for (int j = 0; j < n; j++)
            s->w[j] = j % 2 ? 1 : -1.2;
        wlab_lbfgs_start(s);
        minimise(s, rosenbrock, &n, 1e-9, 200);
        for (int j = 0; j < n; j++)
            ASSERT_NEAR(s->w[j], 1, 1e-8);
        wlab_lbfgs_destroy(s);
    }
}

static double gsl_f(const gsl_vector *x, void *of)
{
    double f, g[MOST];
    wlab_err err;
    logistic_loss(of, x->data, &f, g, &err);
    return f;
}

static void gsl_df(const gsl_vector *x, void *of, gsl_vector *g)
{
    double f;
    wlab_err err;
    logistic_loss(of, x->data, &f, g->data, &err);
}

static void gsl_fdf(const gsl_vector *x, void *of, double *f, gsl_vector *g)
{
    wlab_err err;
    logistic_loss(of, x->data, f, g->data, &err);
}

/* GSL's BFGS, another program, finds the same minimum. */
static void test_gsl(void **state)
{
    (void)state;
    static logistic of;
    for (int d = 3; d <= 30; d += 9) {
        draw(&of, d);
        wlab_lbfgs *s = create(d);
        minimise(s, logistic_loss, &of, 1e-8, 200);
        gsl_multimin_function_fdf fn = {
            .f = gsl_f, .df = gsl_df, .fdf = gsl_fdf, .n = (size_t)d, .params = &of};
        gsl_multimin_fdfminimizer *m =
            gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, (size_t)d);
        gsl_vector *x = gsl_vector_calloc((size_t)d);
        gsl_multimin_fdfminimizer_set(m, &fn, x, 0.1, 0.1);
        for (int k = 0; k < 400 && gsl_multimin_test_gradient(m->gradient, 1e-6) == GSL_CONTINUE; k++)
            if (gsl_multimin_fdfminimizer_iterate(m))
                break;
        ASSERT_NEAR(s->f, m->f, 1e-10);
        for (int j = 0; j < d; j++)
            ASSERT_NEAR(s->w[j], gsl_vector_get(m->x, (size_t)j), 1e-4);
        assert_true(s->f <= m->f * (1 + 1e-12));
        gsl_multimin_fdfminimizer_free(m);
        gsl_vector_free(x);
        wlab_lbfgs_destroy(s);
    }
}

static void write_walk(const wlab_lbfgs *s, wlab_buf *buf)
{
    wlab_err err;
    ASSERT_OK(wlab_walk_write(buf, wlab_lbfgs_walk, s, &err), err);
}

/* A run that a new state continues from a snapshot, at every iteration. */
static void test_snapshots(void **state)
{
    (void)state;
    static logistic of;
    wlab_err err;
    draw(&of, 20);
    wlab_lbfgs *a = create(20), *b = create(20);
    while (!a->stalled && a->iterations < 60) {
        wlab_buf buf = {0}, end = {0};
        ASSERT_OK(wlab_lbfgs_iterate(a, logistic_loss, &of, &err), err);
        write_walk(b, &buf);
        wlab_lbfgs *c = create(20);
        ASSERT_OK(wlab_walk_read(&buf, wlab_lbfgs_walk, c, NULL, &err), err);
        wlab_lbfgs_destroy(b);
        b = c;
        ASSERT_OK(wlab_lbfgs_iterate(b, logistic_loss, &of, &err), err);
        buf.len = 0;
        write_walk(a, &buf);
        write_walk(b, &end);
        assert_int_equal(buf.len, end.len);
        assert_memory_equal(buf.data, end.data, end.len);
        wlab_buf_clear(&buf);
        wlab_buf_clear(&end);
    }
    wlab_lbfgs_destroy(a);
    wlab_lbfgs_destroy(b);
}

/* A snapshot with an impossible number of pairs is refused, and the state can be used again. */
static void test_damage(void **state)
{
    (void)state;
    static logistic of;
    wlab_err err;
    wlab_buf buf = {0};
    draw(&of, 5);
    wlab_lbfgs *s = create(5);
    ASSERT_OK(wlab_lbfgs_iterate(s, logistic_loss, &of, &err), err);
    s->pairs = WL_LBFGS_PAIRS + 1;
    const int32_t pairs = s->pairs;
    assert_true(pairs > WL_LBFGS_PAIRS);
    /* only the fields before the vectors are read until the damage is found, so those may be anything */
    s->pairs = 1;
    write_walk(s, &buf);
    bool found = false;
    for (size_t at = 0; at + sizeof pairs <= buf.len && !found; at++) {
        int32_t old;
        memcpy(&old, buf.data + at, sizeof old);
        if (old != 1)
            continue;
        memcpy(buf.data + at, &pairs, sizeof pairs);
        buf.pos = 0;
        found = wlab_walk_read(&buf, wlab_lbfgs_walk, s, NULL, &err) == WL_EINPUT && s->pairs == 0;
        memcpy(buf.data + at, &old, sizeof old);
    }
    assert_true(found);
    wlab_lbfgs_start(s);
    minimise(s, logistic_loss, &of, 1e-8, 100);
    wlab_lbfgs_destroy(s);
    wlab_buf_clear(&buf);
}

/* An evaluation that fails, wherever: the next call continues with the same bits. */
static void test_failures(void **state)
{
    (void)state;
    static logistic of;
    wlab_err err;
    for (int64_t at = 1; at < 60; at++) {
        draw(&of, 10);
        wlab_lbfgs *a = create(10), *b = create(10);
        for (int k = 0; k < 25; k++)
            ASSERT_OK(wlab_lbfgs_iterate(a, logistic_loss, &of, &err), err);
        of.calls = 0;
        of.fail_at = at;
        for (int k = 0; k < 25;) {
            wlab_code code = wlab_lbfgs_iterate(b, logistic_loss, &of, &err);
            assert_true(code == WL_OK || code == WL_EINTERRUPTED);
            k += code == WL_OK;
        }
        assert_memory_equal(a->w, b->w, 10 * sizeof *a->w);
        wlab_lbfgs_destroy(a);
        wlab_lbfgs_destroy(b);
    }
}

static wlab_code cone(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    (void)of;
    (void)err;
    *f = fabs(w[0]);
    g[0] = w[0] < 0 ? -1 : 1;
    return WL_OK;
}

static wlab_code wall(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    (void)of;
    (void)err;
    *f = w[0] < 1 ? -log(1 - w[0]) - w[0] : NAN; /* the minimum is at 0, and there is nothing beyond 1 */
    g[0] = 1 / (1 - w[0]) - 1;
    return WL_OK;
}

/* A function with a kink at its minimum; one that is finite only on one side; one without dimensions. */
static void test_odd_functions(void **state)
{
    (void)state;
    wlab_err err;
    wlab_lbfgs *s = create(1);
    s->w[0] = 0;
    wlab_lbfgs_start(s);
    for (int k = 0; k < 10; k++)
        ASSERT_OK(wlab_lbfgs_iterate(s, cone, NULL, &err), err);
    assert_true(s->stalled && s->w[0] == 0);
    s->w[0] = -30;
    wlab_lbfgs_start(s);
    minimise(s, wall, NULL, 1e-10, 100);
    ASSERT_NEAR(s->w[0], 0, 1e-9);
    s->w[0] = 2;
    wlab_lbfgs_start(s);
    ASSERT_FAILS(wlab_lbfgs_iterate(s, wall, NULL, &err), WL_ENUMERIC, err, "not a finite number");
    wlab_lbfgs_destroy(s);
    int none = 0;
    s = create(0);
    ASSERT_OK(wlab_lbfgs_iterate(s, quadratic, &none, &err), err);
    assert_true(s->gradient == 0 && !s->stalled);
    wlab_lbfgs_destroy(s);
    wlab_lbfgs_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadratic),     cmocka_unit_test(test_rosenbrock),
        cmocka_unit_test(test_gsl),           cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_damage),        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_odd_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
