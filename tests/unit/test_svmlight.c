/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tsvm schedule=svmlight: against a plain implementation of the algorithm (exchange of the extreme pair, both costs times 1.5)
 * with an SVM solver of its own; the objective within a level; costs, model, units, refusals.
 */
#include "unit/posed.h"

#include "algo/svmlin/transductive.h"

static const wlab_algo *const algo = &wlab_algo_tsvm;

/* ---- a plain implementation ---- */

typedef struct plain {
    const wlab_problem *p;
    int64_t n, l, u, positives;
    double lambda, top;
    double *K;           /* [n x n] x'z */
    double *beta, *cost; /* [n] beta has the sign of y */
    int8_t *y;           /* [n] */
    double *o, b;        /* [n] with b */
    double plus, minus;  /* costs of the unlabelled rows */
} plain;

static plain plain_begin(const wlab_problem *p, double lambda, double top, double r)
{
    plain s = {.p = p, .n = p->n, .lambda = lambda, .top = top};
    const size_t n = (size_t)p->n;
    s.K = calloc(n * n, sizeof *s.K);
    s.beta = calloc(n, sizeof *s.beta);
    s.cost = calloc(n, sizeof *s.cost);
    s.o = calloc(n, sizeof *s.o);
    s.y = calloc(n, 1);
    assert_true(s.K && s.beta && s.cost && s.o && s.y);
    for (int64_t i = 0; i < s.n; i++) {
        double *row = calloc((size_t)p->X->cols, sizeof *row);
        assert_non_null(row);
        wlab_matrix_row_axpy(p->X, i, 1, row);
        for (int64_t j = 0; j < s.n; j++)
            s.K[i * s.n + j] = wlab_matrix_row_dot(p->X, j, row);
        free(row);
        s.u += p->visible[i] == 0;
        s.y[i] = p->visible[i] ? p->visible[i] : 1;
    }
    s.l = s.n - s.u;
    s.positives = (int64_t)floor((double)s.u * r + 0.5);
    return s;
}

static void plain_end(plain *s)
{
    free(s->K);
    free(s->beta);
    free(s->cost);
    free(s->o);
    free(s->y);
}

/* min lambda/2 ||w||^2 + sum cost max(0, 1 - y o): exact steps for pairs, every pair in turn, until none moves; returns the
 * objective. */
static double plain_train(plain *s)
{
    double *g = calloc((size_t)s->n, sizeof *g), most = 1;
    assert_non_null(g);
    for (int64_t i = 0; i < s->n; i++) /* labels and costs may have changed: from 0 */
        s->beta[i] = 0;
    for (int round = 0; round < 200000 && most > 1e-13; round++) {
        most = 0;
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t j = 0; j < i; j++) {
                const double h = s->K[i * s->n + i] + s->K[j * s->n + j] - 2 * s->K[i * s->n + j];
                const double Ci = s->cost[i] / s->lambda, Cj = s->cost[j] / s->lambda;
                const double lo_i = s->y[i] > 0 ? 0 : -Ci, hi_i = s->y[i] > 0 ? Ci : 0,
                             lo_j = s->y[j] > 0 ? 0 : -Cj, hi_j = s->y[j] > 0 ? Cj : 0;
                if (!(h > 1e-12))
                    continue;
                double t = ((s->y[i] - g[i]) - (s->y[j] - g[j])) / h;
                t = fmax(t, fmax(lo_i - s->beta[i], s->beta[j] - hi_j));
                t = fmin(t, fmin(hi_i - s->beta[i], s->beta[j] - lo_j));
                s->beta[i] += t;
                s->beta[j] -= t;
                for (int64_t k = 0; k < s->n && t != 0; k++)
                    g[k] += t * (s->K[i * s->n + k] - s->K[j * s->n + k]);
                most = fmax(most, fabs(t) * sqrt(h));
            }
    }
    /* the best offset is at a kink, or anywhere between two of them if the sum is flat there */
    double norm = 0, best = INFINITY, from = 0, to = 0;
    for (int64_t k = 0; k < s->n; k++) {
        if (!(s->cost[k] > 0))
            continue;
        const double b = s->y[k] - g[k];
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum += s->cost[i] * fmax(0, 1 - s->y[i] * (g[i] + b));
        if (sum < best - 1e-12)
            best = sum, from = to = b;
        else if (sum <= best + 1e-12)
            from = fmin(from, b), to = fmax(to, b);
    }
    s->b = (from + to) / 2;
    for (int64_t i = 0; i < s->n; i++) {
        norm += s->beta[i] * g[i];
        s->o[i] = g[i] + s->b;
    }
    free(g);
    return s->lambda / 2 * norm + best;
}

static void plain_costs(plain *s)
{
    for (int64_t i = 0; i < s->n; i++)
        s->cost[i] = s->p->visible[i] ? 1 / (double)s->l : (s->y[i] > 0 ? s->plus : s->minus) / (double)s->u;
}

/* The next exchange or the next level, and training.  false: done.  If only rounding decides whether the pair is exchanged,
 * `tied` does. */
static bool plain_step(plain *s, double *objective, bool *exchanged, bool tied)
{
    int64_t i = -1, j = -1;
    for (int64_t k = 0; k < s->n; k++) {
        if (s->p->visible[k])
            continue;
        if (s->y[k] > 0 && (i < 0 || s->o[k] < s->o[i]))
            i = k;
        if (s->y[k] < 0 && (j < 0 || s->o[k] > s->o[j]))
            j = k;
    }
    const double slack_i = 1 - s->o[i], slack_j = 1 + s->o[j];
    /* rows on the margin have a slack of 0, up to rounding */
    const bool tie =
        s->minus > 0 && fmin(fabs(slack_i + slack_j - 2), fmin(fabs(slack_i), fabs(slack_j))) < 1e-4;
    *exchanged = s->minus > 0 && slack_i > 0 && slack_j > 0 && slack_i + slack_j > 2;
    if (tie && slack_i > -1e-4 && slack_j > -1e-4 && slack_i + slack_j > 2 - 1e-4)
        *exchanged = tied;
    if (*exchanged) {
        s->y[i] = -1;
        s->y[j] = 1;
    } else if (s->plus >= s->top && s->minus >= s->top) {
        return false;
    } else {
        const double ratio = (double)(s->u - s->positives) / (double)s->positives;
        s->plus = fmin(s->top, s->plus > 0 ? 1.5 * s->plus : 1e-5 * s->top * ratio);
        s->minus = fmin(s->top, s->minus > 0 ? 1.5 * s->minus : 1e-5 * s->top);
    }
    plain_costs(s);
    *objective = plain_train(s);
    return true;
}

/* The labels of the u+ largest outputs. */
static void plain_first(plain *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t larger = 0;
        for (int64_t k = 0; k < s->n && !s->p->visible[i]; k++)
            larger += !s->p->visible[k] && s->o[k] > s->o[i];
        if (!s->p->visible[i])
            s->y[i] = larger < s->positives ? 1 : -1;
    }
}

static void test_plain(void **state)
{
    (void)state;
    static const struct {
        const char *data, *how, *task;
        double r;
    } on[] = {{"two-moons", "n=24 noise=0.3", "labeled=4", 0.4},
              {"g50c", "n=24", "labeled=4", 0.5},
              {"two-moons", "n=24 noise=0.5", "labeled=6", 0.3}};
    int exchanges = 0;
    for (int c = 0; c < 90; c++) {
        char options[120], how[80], task[80];
        const double r = on[c % 3].r;
        snprintf(how, sizeof how, "%s seed=%d", on[c % 3].how, c + 1);
        snprintf(task, sizeof task, "%s seed=%d", on[c % 3].task, c + 1);
        wlab_problem *p = pose(on[c % 3].data, how, "ssl", task);
        plain s = plain_begin(p, 0.02, 8, r);
        snprintf(options, sizeof options,
                 "schedule=svmlight kernel=linear lambda=0.02 lambda_u=8 r=%g eps=1e-9", r);
        void *a = create_state(algo, p, options);
        int8_t *y = calloc((size_t)p->n, 1);
        bool exchanged, ended = false;
        wlab_verdict made;
        double objective = 0;
        assert_non_null(y);
        for (int64_t i = 0; i < p->n; i++)
            s.cost[i] = p->visible[i] ? 1 / (double)s.l : 0;
        objective = plain_train(&s);
        assert_int_equal(made = step(algo, a, NULL), WL_MORE);
        ASSERT_NEAR(metric(algo, a, "objective"), objective, 1e-8);
        ASSERT_NEAR(metric(algo, a, "lower"), objective, 1e-8);
        plain_first(&s);
        for (int k = 0;; k++) {
            algo->observe(a, NULL, y);
            if (memcmp(y, s.y, (size_t)p->n) != 0)
                fail_msg("problem %d: other labels after step %d", c, k + 1);
            double *f = outputs(algo, a, p);
            for (int64_t i = 0; i < p->n; i++)
                ASSERT_NEAR(f[i], s.o[i], 1e-4);
            free(f);
            assert_true(k < 1000);
            if (made == WL_MORE)
                made = step(algo, a, NULL);
            else
                ended = true;
            if (!plain_step(&s, &objective, &exchanged, !ended && metric(algo, a, "pairs") > 0)) {
                assert_true(ended);
                break;
            }
            assert_false(ended);
            ASSERT_NEAR(metric(algo, a, "objective"), objective, 1e-8);
            ASSERT_NEAR(metric(algo, a, "lambda_plus"), s.plus, 1e-12);
            ASSERT_NEAR(metric(algo, a, "lambda_minus"), s.minus, 1e-12);
            assert_int_equal(metric(algo, a, "pairs"), exchanged);
            exchanges += exchanged;
        }
        assert_int_equal(made, WL_CONVERGED);
        algo->destroy(a);
        free(y);
        plain_end(&s);
        wlab_problem_unref(p);
    }
    assert_true(exchanges >= 10); /* else little was compared */
}

/* ---- runs ---- */

static void test_levels(void **state)
{
    (void)state;
    static const char *const how[] = {"schedule=svmlight kernel=rbf r=0.35",
                                      "schedule=svmlight lambda_u=5 r=0.5",
                                      "schedule=svmlight S=3 lambda_u=5 r=0.6"};
    for (int c = 0; c < 6; c++) {
        wlab_problem *p = c % 2 ? pose("two-moons", "n=80 noise=0.2 seed=3", "ssl", "labeled=6 seed=1")
                                : pose("g50c", "n=80 seed=2", "ssl", "labeled=10 seed=1");
        transductive *t = create_state(algo, p, how[c / 2]); /* the first member of its state */
        double before = INFINITY, plus = 0, minus = 0;
        wlab_step made;
        do {
            const int64_t phase = t->phase;
            made = stepped(algo, t, NULL);
            const double now = metric(algo, t, "objective");
            if (t->step > 1 && t->phase == phase) { /* an exchange: the objective falls at fixed costs */
                assert_true(now < before && metric(algo, t, "pairs") >= 1);
                assert_true(metric(algo, t, "lambda_plus") == plus &&
                            metric(algo, t, "lambda_minus") == minus);
            } else if (t->step > 1) {
                assert_true(metric(algo, t, "lambda_plus") > plus || metric(algo, t, "lambda_minus") > minus);
            }
            plus = metric(algo, t, "lambda_plus");
            minus = metric(algo, t, "lambda_minus");
            assert_true(metric(algo, t, "lambda_now") == fmin(plus, minus));
            if (t->step > 1) {
                int8_t *y = calloc((size_t)p->n, 1);
                int64_t positive = 0;
                assert_non_null(y);
                algo->observe(t, NULL, y);
                for (int64_t i = 0; i < p->n; i++)
                    positive += !p->visible[i] && y[i] > 0;
                assert_int_equal(positive, t->positives);
                free(y);
                assert_true(t->lower <= t->upper);
            }
            if (t->svmlight && t->step > 1 && minus < t->lambda_u && plus < t->lambda_u)
                ASSERT_NEAR(plus / minus, (double)(t->u - t->positives) / (double)t->positives, 1e-9);
            before = now;
            assert_true(t->step < 5000);
        } while (made.verdict == WL_MORE);
        assert_int_equal(made.verdict, WL_CONVERGED);
        assert_true(plus == t->lambda_u && minus == t->lambda_u);
        algo->destroy(t);
        wlab_problem_unref(p);
    }
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.2 seed=3", "ssl", "labeled=6 seed=1 r=0.4");
    units_hold(algo, p, "schedule=svmlight lambda_u=4", 30, 100);
    units_hold(algo, p, "schedule=svmlight kernel=rbf", 30, 100);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const wrong[] = {"schedule=svmlight loss=squared-hinge", "schedule=svmlight bias=1"};
    wlab_problem *p = pose("two-moons", "n=30 noise=0.2 seed=3", "ssl", "labeled=6 seed=1 r=0.4");
    for (int k = 0; k < 2; k++) {
        wlab_err err;
        void *a = NULL;
        wlab_params *params = made_params(algo->params, wrong[k], &err);
        assert_non_null(params);
        ASSERT_FAILS(algo->create(&a, p, params, NULL, &err), WL_EARG, err, "schedule=svmlight has");
        assert_null(a);
        wlab_params_destroy(params);
    }
    wlab_err err;
    wlab_params *params = made_params(algo->params, "schedule=svmlight", &err);
    assert_int_equal(algo->loss_of(params), WL_LOSS_HINGE);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
