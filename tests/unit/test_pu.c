/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Positive and unlabelled rows: the risk is unbiased over 1000 draws; both losses have l(z) - l(-z) = -z; the gradient of nnpu
 * against finite differences; minima against those of another start and of supervised logistic regression; all unlabelled
 * rows positive; bounds; the estimated class prior; the threshold; units, refusals.
 */
#include "unit/posed.h"

#include "algo/pu/risk.h"
#include "task/prior.h"

#include <math.h>

static const wlab_algo *const algos[] = {&wlab_algo_upu, &wlab_algo_nnpu};

static wlab_problem *rows(const char *how)
{
    return pose("two-moons", "n=40 noise=0.3 seed=5", "pu", how);
}

/* Runs to the end; returns the state. */
static void *ended(const wlab_algo *algo, wlab_problem *p, const char *options)
{
    void *s = create_state(algo, p, options);
    int steps = 0;
    while (step(algo, s, NULL) == WL_MORE)
        assert_true(++steps < 5000);
    return s;
}

static void test_losses(void **state)
{
    (void)state;
    for (int logistic = 0; logistic < 2; logistic++)
        for (double z = -4.05; z < 4.1; z += 0.1) {
            const smooth_loss at = pu_loss(logistic, z), before = pu_loss(logistic, z - 1e-5),
                              after = pu_loss(logistic, z + 1e-5);
            ASSERT_NEAR(at.value - pu_loss(logistic, -z).value, -z, 1e-12);
            ASSERT_NEAR(at.first, (after.value - before.value) / 2e-5, 1e-8);
            if (logistic)
                ASSERT_NEAR(at.second, (after.first - before.first) / 2e-5, 1e-8);
            else
                ASSERT_NEAR(at.value, fmax(-z, fmax(0, (1 - z) / 2)), 1e-15);
        }
}

/* P ~ N(1, 1), U from pi N(1, 1) + (1 - pi) N(-1, 1), f(x) = 2 x + 0.3.  The mean of R+ + R- over 1000 draws of 5 positive and
 * 20 unlabelled rows is the supervised risk, which Simpson's rule gives, and so is each part. */
static double expected(bool logistic, double mean, double sign)
{
    enum {
        CELLS = 4000
    };
    double sum = 0;
    for (int k = 0; k <= CELLS; k++) {
        const double x = -10 + 20.0 * k / CELLS, at = x - mean;
        const double weight = k == 0 || k == CELLS ? 1 : k % 2 ? 4 : 2;
        sum += weight * exp(-at * at / 2) * pu_loss(logistic, sign * (2 * x + 0.3)).value;
    }
    return sum * (20.0 / CELLS) / 3 / sqrt(2 * acos(-1));
}

static void test_unbiased(void **state)
{
    enum {
        DRAWS = 1000,
        P = 5,
        U = 20
    };
    (void)state;
    for (int logistic = 0; logistic < 2; logistic++) {
        const double pi = 0.3;
        double sum[2] = {0, 0}, squares[2] = {0, 0}, o[P + U];
        int8_t visible[P + U] = {1, 1, 1, 1, 1};
        int below = 0;
        wlab_rng rng;
        wlab_rng_seed(&rng, 7);
        const pu_risk r = {
            .pi = pi, .logistic = logistic, .positives = P, .unlabelled = U, .visible = visible, .n = P + U};
        for (int k = 0; k < DRAWS; k++) {
            double part[2];
            for (int i = 0; i < P + U; i++) {
                const bool positive = i < P || wlab_rng_uniform(&rng) < pi;
                o[i] = 2 * (wlab_rng_normal(&rng) + (positive ? 1 : -1)) + 0.3;
            }
            pu_risk_parts(&r, o, &part[0], &part[1]);
            below += part[1] < 0;
            for (int j = 0; j < 2; j++) {
                const double value = j ? part[0] + part[1] : part[1];
                sum[j] += value / DRAWS;
                squares[j] += value * value / DRAWS;
            }
        }
        const double negative = (1 - pi) * expected(logistic, -1, -1),
                     positive = pi * expected(logistic, 1, 1);
        const double truth[2] = {negative, positive + negative};
        for (int j = 0; j < 2; j++)
            ASSERT_NEAR(sum[j], truth[j], 2 * sqrt((squares[j] - sum[j] * sum[j]) / DRAWS));
        assert_true(below > 0); /* the estimate of one draw may be below 0, the truth is not */
    }
}

/* The objective along random directions: its slope is the gradient's. */
typedef struct at_point {
    smooth m; /* the states of both algorithms begin with it */
} at_point;

static void test_gradient(void **state)
{
    static const struct {
        int algo;
        const char *options;
    } cases[] = {{1, "kernel=rbf lambda=0.01"},
                 {1, "kernel=linear lambda=0.1"},
                 {0, "loss=logistic kernel=rbf"},
                 {0, "loss=logistic kernel=linear"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wlab_problem *p = rows("labeled=8 prior=0.4 seed=1");
        const wlab_algo *algo = algos[cases[c].algo];
        at_point *s = create_state(algo, p, cases[c].options);
        const int64_t dim = s->m.rows->dim;
        smooth_job job = {&s->m, NULL};
        double *w = calloc((size_t)dim, sizeof *w), *g = calloc((size_t)dim, sizeof *g),
               *unused = calloc((size_t)dim, sizeof *unused), f, lower, upper;
        wlab_rng rng;
        wlab_err err;
        wlab_rng_seed(&rng, c);
        for (int t = 0; t < 20; t++) {
            for (int64_t j = 0; j < dim; j++)
                w[j] = 2 * wlab_rng_normal(&rng);
            ASSERT_OK(wlab_smooth_evaluate(&job, w, &f, g, &err), err);
            const int64_t j = t % dim;
            const double at = w[j];
            w[j] = at + 1e-6;
            ASSERT_OK(wlab_smooth_evaluate(&job, w, &upper, unused, &err), err);
            w[j] = at - 1e-6;
            ASSERT_OK(wlab_smooth_evaluate(&job, w, &lower, unused, &err), err);
            ASSERT_NEAR(g[j], (upper - lower) / 2e-6, 1e-6);
        }
        free(w);
        free(g);
        free(unused);
        algo->destroy(s);
        wlab_problem_unref(p);
    }
}

/* The minimum of the double hinge is not above the objective at random points, nor far above its dual bound; a run that
 * comes from another lambda ends at the same value. */
static void test_minimum(void **state)
{
    static const char *const options[] = {"kernel=rbf", "kernel=linear", "kernel=rbf loss=logistic",
                                          "kernel=linear loss=logistic bias=3"};
    wlab_err err;
    (void)state;
    for (int a = 0; a < 2; a++)
        for (size_t k = 0; k < (a ? 2 : 4); k++) {
            wlab_problem *p = rows("labeled=8 prior=0.4 seed=1");
            char there[100], first[100];
            snprintf(there, sizeof there, "%s lambda=0.001 eps=1e-8", options[k]);
            snprintf(first, sizeof first, "%s lambda=0.1 eps=1e-8", options[k]);
            void *s = ended(algos[a], p, there), *t = ended(algos[a], p, first);
            wlab_params *params = made_params(algos[a]->params, there, &err);
            ASSERT_OK(algos[a]->set(t, params, &err), err);
            while (step(algos[a], t, NULL) == WL_MORE)
                ;
            const double upper = metric(algos[a], s, "upper"), lower = metric(algos[a], s, "lower");
            assert_true(lower <= upper && upper - lower <= 1e-8 * (1 + fabs(upper)));
            ASSERT_NEAR(metric(algos[a], t, "upper"), upper, 2e-8 * (1 + fabs(upper)));
            wlab_params_destroy(params);
            algos[a]->destroy(s);
            algos[a]->destroy(t);
            wlab_problem_unref(p);
        }
}

/* Where R- is above 0 at the minimum of upu with the logistic loss, nnpu has the same minimum; else a larger one, on the kink. */
static void test_kink(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        wlab_problem *p = rows("labeled=8 prior=0.4 seed=1");
        const char *lambda = k ? "lambda=0.0003 kernel=rbf eps=1e-7" : "lambda=1 kernel=rbf eps=1e-7";
        char other[100];
        snprintf(other, sizeof other, "%s loss=logistic", lambda);
        void *s = ended(&wlab_algo_nnpu, p, lambda), *u = ended(&wlab_algo_upu, p, other);
        const double J = metric(&wlab_algo_nnpu, s, "upper"), R = metric(&wlab_algo_nnpu, s, "risk_neg");
        if (k == 0) {
            assert_true(R > 0);
            ASSERT_NEAR(J, metric(&wlab_algo_upu, u, "upper"), 1e-6);
        } else {
            assert_true(metric(&wlab_algo_upu, u, "risk_neg") < -0.1);
            assert_true(J > metric(&wlab_algo_upu, u, "upper") + 0.01);
            ASSERT_NEAR(R, 0, 1e-4);
        }
        wlab_algo_nnpu.destroy(s);
        wlab_algo_upu.destroy(u);
        wlab_problem_unref(p);
    }
}

/* If all labels are known the risk is the supervised one: with U made of n_u rows of which the positive ones are P itself
 * (each row twice in the data, labelled and unlabelled) and pi their fraction, R^ is the mean logistic loss of the rows, so
 * upu and supervised logistic regression have the same minimum.  Here: the objective of upu at any w is
 * lambda/2 ||w||^2 + mean of l(y f). */
static void test_known_labels(void **state)
{
    wlab_err err;
    enum {
        N = 30,
        P = 12
    };
    double x[N + P][2];
    wlab_rng rng;
    (void)state;
    wlab_rng_seed(&rng, 3);
    int8_t visible[N + P];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 2; j++)
            x[i][j] = wlab_rng_normal(&rng) + (i < P ? 1 : -1);
        visible[i] = 0;
    }
    for (int i = 0; i < P; i++) {
        x[N + i][0] = x[i][0];
        x[N + i][1] = x[i][1];
        visible[N + i] = 1;
    }
    for (int logistic = 0; logistic < 2; logistic++) {
        const pu_risk r = {.pi = (double)P / N,
                           .logistic = logistic,
                           .positives = P,
                           .unlabelled = N,
                           .visible = visible,
                           .n = N + P};
        double o[N + P], positive, negative, truth = 0;
        for (int i = 0; i < N + P; i++)
            o[i] = 1.5 * x[i][0] - 0.7 * x[i][1] + 0.2;
        for (int i = 0; i < N; i++)
            truth += pu_loss(logistic, i < P ? o[i] : -o[i]).value / N;
        pu_risk_parts(&r, o, &positive, &negative);
        ASSERT_NEAR(positive + negative, truth, 1e-12);
        assert_true(negative >= 0);
    }
    (void)err;
}

/* All unlabelled rows are positive, and pi is nearly 1: every row is predicted positive by the sign of f. */
static void test_all_positive(void **state)
{
    (void)state;
    wlab_problem *p = rows("labeled=5 prior=0.999 seed=1");
    for (int a = 0; a < 2; a++) {
        void *s = ended(algos[a], p, "kernel=rbf lambda=0.1 threshold=zero");
        double *f = outputs(algos[a], s, p);
        for (int64_t i = 0; i < p->n; i++)
            assert_true(f[i] > 0);
        ASSERT_NEAR(metric(algos[a], s, "predicted"), (double)p->unlabelled, 0);
        free(f);
        algos[a]->destroy(s);
    }
    wlab_problem_unref(p);
}

static void test_threshold(void **state)
{
    static const char *const priors[] = {"0.01", "0.2", "0.5", "0.99"};
    (void)state;
    for (size_t k = 0; k < 4; k++)
        for (int a = 0; a < 2; a++) {
            char how[60];
            snprintf(how, sizeof how, "labeled=8 prior=%s seed=2", priors[k]);
            wlab_problem *p = rows(how);
            void *s = ended(algos[a], p, "kernel=rbf");
            double *f = outputs(algos[a], s, p);
            int64_t above = 0;
            for (int64_t i = 0; i < p->n; i++)
                above += !p->visible[i] && f[i] > 0;
            assert_int_equal(above, p->unlabelled - wlab_negatives(p->r, p->unlabelled));
            free(f);
            algos[a]->destroy(s);
            wlab_problem_unref(p);
        }
}

/* On well separated data the estimated prior is near the truth, and its interval contains it. */
static void test_prior(void **state)
{
    (void)state;
    int within = 0;
    for (int seed = 1; seed <= 10; seed++) {
        char data[60], task[60];
        snprintf(data, sizeof data, "n=400 noise=0.1 seed=%d", seed);
        snprintf(task, sizeof task, "labeled=80 seed=%d", seed);
        wlab_problem *p = pose("two-moons", data, "pu", task);
        assert_true(p->r_lo <= p->r && p->r <= p->r_hi && p->r_hi <= 1);
        assert_true(fabs(p->r - 0.375) < 0.15); /* 120 of 320 */
        within += p->r_lo <= 0.375 && 0.375 <= p->r_hi;
        wlab_problem_unref(p);
    }
    assert_true(within >= 8);
}

static void refused(const char *data, const char *how, const char *task, const char *why)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_dataset *d = made_data(data, how, &err);
    wlab_params *params = made_params(wlab_task_find("pu")->params, task, &err);
    ASSERT_FAILS(wlab_problem_create(&p, d, NULL, 0, NULL, 0, wlab_task_find("pu"), params, NULL, &err),
                 WL_EARG, err, why);
    wlab_params_destroy(params);
    wlab_dataset_unref(d);
}

static void test_task(void **state)
{
    (void)state;
    wlab_problem *p = rows("labeled=8 prior=true seed=1");
    ASSERT_NEAR(p->r, 12.0 / 32, 1e-12);
    for (int64_t i = 0; i < p->n; i++)
        assert_true(p->visible[i] == 0 || (p->visible[i] == 1 && p->truth[i] == 1));
    assert_int_equal(p->labelled, 8);
    assert_true(isnan(p->r_lo) && isnan(p->r_hi));
    wlab_problem_unref(p);
    refused("two-moons", "n=40 seed=5", "labeled=21 prior=0.5", "only 20");
    refused("two-moons", "n=40 seed=5", "labeled=5 prior=1", "between 0 and 1");
    refused("two-moons", "n=40 seed=5", "labeled=5 prior=nan", "between 0 and 1");
    refused("two-moons", "n=40 seed=5", "labeled=20 prior=true", "label fewer");
    refused("two-moons", "n=40 seed=5", "prior=0.5", "labeled=30");
    refused("two-moons", "n=40 seed=5", "labeled=4", "at least 5 labelled");
    refused("two-moons", "n=40 seed=5", "labeled=4 given=yes", "exclude");
    p = pose("two-moons", "n=40 seed=5", "pu", "given=yes prior=0.2"); /* all positive rows are labelled */
    assert_int_equal(p->labelled, 20);
    assert_non_null(strstr(p->remark, "20 rows of other classes count as unlabelled"));
    wlab_problem_unref(p);
    p = pose("two-moons", "n=2 seed=5", "pu", "labeled=1 prior=0.5");
    for (int a = 0; a < 2; a++) {
        void *s = ended(algos[a], p, "kernel=rbf");
        algos[a]->destroy(s);
    }
    wlab_problem_unref(p);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=20 noise=0.3 seed=5", "pu", "labeled=5 prior=0.4 seed=1");
    units_hold(&wlab_algo_upu, p, "kernel=rbf", 3, 0);
    units_hold(&wlab_algo_upu, p, "kernel=linear loss=logistic", 3, 0);
    units_hold(&wlab_algo_nnpu, p, "kernel=rbf lambda=0.001", 6, 0);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),       cmocka_unit_test(test_unbiased),
        cmocka_unit_test(test_gradient),     cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_kink),         cmocka_unit_test(test_known_labels),
        cmocka_unit_test(test_all_positive), cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_prior),        cmocka_unit_test(test_task),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
