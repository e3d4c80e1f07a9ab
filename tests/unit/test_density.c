/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dd and em-dd: the objective against its definition and its gradient against finite differences, also where all
 * probabilities underflow; descents, the choice of instances, the model, labels; units, refusals.  mi-kernel: the bags'
 * outputs against the kernel of bags, and bags of one row against svm.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/mil/density.h"
#include "model/kernel.h"

static const wlab_algo *const both[] = {&wlab_algo_dd, &wlab_algo_em_dd};

static wlab_problem *images(const char *options)
{
    return pose("roi-bags", "bags=9 least=3 most=5 dims=4 rois=2 seed=4", "mil", options);
}

/* NLDD by its definition in long double. */
static double defined(const density *s, const double *w)
{
    long double sum = 0;
    for (int64_t b = 0; b < s->p->bags; b++) {
        long double none = 0; /* its logarithm */
        for (int64_t i = 0; i < s->n; i++) {
            if (s->p->bag[i] != b)
                continue;
            long double d = 0;
            for (int64_t k = 0; k < s->d; k++) {
                const long double z =
                    (long double)w[s->d + k] * ((long double)s->X[i * s->d + k] - (long double)w[k]);
                d += z * z;
            }
            if (s->p->bag_given[b] > 0.5)
                none += log1pl(-expl(-d));
            else
                sum -= log1pl(-expl(-d));
        }
        if (s->p->bag_given[b] > 0.5)
            sum -= logl(-expm1l(none));
    }
    return (double)sum;
}

static void test_objective(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    density *s = create_state(both[0], p, "");
    const int64_t dim = 2 * s->d;
    double w[8], other[8], g[8], part[2], unused[2];
    wlab_rng rng;
    assert_int_equal(dim, 8);
    wlab_rng_seed(&rng, 5);
    for (int k = 0; k < 40; k++) {
        for (int64_t j = 0; j < dim; j++)
            w[j] = (j < s->d ? 1 : 0.2 + k % 4) * wlab_rng_normal(&rng);
        const double f = density_value(s, w, NULL, g, part);
        ASSERT_NEAR(f, defined(s, w), 1e-10 * (1 + fabs(f)));
        ASSERT_NEAR(f, part[0] + part[1], 1e-14 * (1 + fabs(f)));
        for (int chosen = 0; chosen < 2; chosen++) {
            const int32_t *rows = NULL;
            if (chosen) {
                density_choose(s, w, s->chosen);
                rows = s->chosen;
            }
            density_value(s, w, rows, g, part);
            for (int64_t j = 0; j < dim; j++) {
                const double h = 1e-6;
                memcpy(other, w, sizeof w);
                other[j] = w[j] + h;
                const double up = density_value(s, other, rows, NULL, unused);
                other[j] = w[j] - h;
                const double down = density_value(s, other, rows, NULL, unused);
                ASSERT_NEAR(g[j], (up - down) / (2 * h), 1e-5 * (1 + fabs(g[j])));
            }
        }
    }
    both[0]->destroy(s);
    wlab_problem_unref(p);
}

/* Far from everything all p are 0 in double precision, yet the objective is the distance to the positive bags. */
static void test_far(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    density *s = create_state(both[0], p, "");
    double w[8] = {100, 100, 100, 100, 3, 3, 3, 3}, g[8], part[2], nearest = 0;
    const double f = density_value(s, w, NULL, g, part);
    density_choose(s, w, s->chosen);
    for (int64_t b = 0; b < p->bags; b++)
        nearest += p->bag_given[b] > 0.5 ? s->dist[s->chosen[b]] : 0;
    assert_true(isfinite(f) && part[1] == 0);
    ASSERT_NEAR(f, nearest, 1e-9 * nearest); /* another instance is farther by more than a digit */
    for (int j = 0; j < 8; j++)
        assert_true(isfinite(g[j]) && g[j] > 0); /* towards the bags */
    both[0]->destroy(s);
    wlab_problem_unref(p);
}

/* Nothing rises; at the end each start is at a stationary point, or a round did not help. */
static void test_descent(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    for (int a = 0; a < 2; a++) {
        density *s = create_state(both[a], p, "restarts=6 eps=1e-7");
        double last = HUGE_VAL;
        wlab_step made = {0};
        for (int k = 0; k < 3000 && made.verdict == WL_MORE; k++) {
            made = stepped(both[a], s, NULL);
            assert_true(metric(both[a], s, "objective") <= last);
            last = metric(both[a], s, "objective");
        }
        assert_int_equal(made.verdict, WL_CONVERGED);
        for (int64_t k = 0; k < s->restarts; k++) {
            assert_true(s->r[k].value >= last - 1e-12 * (1 + last));
            double g[8], part[2], norm = 0;
            const double f = density_value(s, s->r[k].at->w, NULL, g, part);
            for (int j = 0; j < 8; j++)
                norm += g[j] * g[j];
            if (a == 0 && !s->r[k].stalled)
                assert_true(sqrt(norm) <= 1e-7 * (1 + f));
        }
        both[a]->destroy(s);
    }
    wlab_problem_unref(p);
}

/* The model's output is log 2 - d in the units of the data; bag outputs are those of the descriptor's rule. */
static void test_model(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = images("");
    for (int a = 0; a < 2; a++) {
        density *s = create_state(both[a], p, "");
        wlab_model *m = NULL;
        ASSERT_FAILS(both[a]->model(s, &m, NULL, &err), WL_ESTATE, err, "step");
        for (int k = 0; k < 3; k++)
            step(both[a], s, NULL);
        double *f = outputs(both[a], s, p), part[2];
        const double *w = s->r[s->leader].at->w;
        wlab_bag_outputs o;
        (void)density_value(s, w, NULL, NULL, part);
        for (int64_t i = 0; i < p->n; i++)
            ASSERT_NEAR(f[i], M_LN2 - s->dist[i], 1e-9 * (1 + s->dist[i]));
        ASSERT_OK(wlab_bag_outputs_make(&o, both[a]->bag_rule, f, NULL, p->bag, p->n, p->bags, &err), err);
        for (int64_t b = 0; b < p->bags; b++) {
            double none = 1, least = HUGE_VAL;
            for (int64_t i = 0; i < p->n; i++)
                if (p->bag[i] == b) {
                    none *= 1 - exp(-s->dist[i]);
                    least = fmin(least, s->dist[i]);
                }
            ASSERT_NEAR(o.top[b], a ? M_LN2 - least : log(2 * (1 - none)), 1e-8 * (1 + fabs(o.top[b])));
        }
        wlab_bag_outputs_clear(&o);
        free(f);
        both[a]->destroy(s);
    }
    wlab_problem_unref(p);
}

/* The picture's values are those of the objective with the concept at that place; that of the concept is the run's. */
static void test_landscape(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = images("");
    for (int a = 0; a < 2; a++) {
        density *s = create_state(both[a], p, "");
        wlab_probed l;
        double w[8], part[2];
        ASSERT_FAILS(probed(both[a], s, WL_PROBE_LANDSCAPE, &l, &err), WL_ESTATE, err, "step");
        step(both[a], s, NULL);
        ASSERT_OK(probed(both[a], s, WL_PROBE_LANDSCAPE, &l, &err), err);
        const double *concept = l.value + WL_LAND_SIDE * WL_LAND_SIDE * WL_LAND_COLUMNS;
        const int of[] = {(int)concept[3], (int)concept[4]};
        assert_true(of[0] < of[1] && of[1] < 4);
        ASSERT_NEAR(concept[2], metric(both[a], s, "objective"), 1e-13 * (1 + concept[2]));
        for (int k = 0; k < WL_LAND_SIDE * WL_LAND_SIDE; k += 97) {
            memcpy(w, s->r[s->leader].at->w, sizeof w);
            for (int j = 0; j < 2; j++)
                w[of[j]] = (l.value[3 * k + j] - s->centre[of[j]]) / s->width[of[j]];
            if (a)
                density_choose(s, w, s->chosen);
            const double value = density_value(s, w, a ? s->chosen : NULL, NULL, part);
            ASSERT_NEAR(l.value[3 * k + 2], value, 1e-9 * (1 + value));
        }
        wlab_probed_clear(&l);
        both[a]->destroy(s);
    }
    wlab_problem_unref(p);
}

/* One key in each positive bag; with labels=instances at least one positive, and none in negative bags. */
static void test_labels(void **state)
{
    (void)state;
    static const wlab_algo *const algos[] = {&wlab_algo_dd, &wlab_algo_em_dd, &wlab_algo_mi_kernel};
    static const char *const options[] = {"", "labels=instances"};
    for (int a = 0; a < 3; a++)
        for (int o = 0; o < 2; o++) {
            wlab_problem *p = images(options[o]);
            void *s = create_state(algos[a], p, "");
            int8_t y[64];
            step(algos[a], s, NULL);
            algos[a]->observe(s, NULL, y);
            assert_true(p->n <= 64 && wlab_labelset_contains(p->labels, y));
            algos[a]->destroy(s);
            wlab_problem_unref(p);
        }
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    units_hold(both[0], p, "restarts=2", 9, 0);
    units_hold(both[1], p, "restarts=2", 7, 0);
    units_hold(&wlab_algo_mi_kernel, p, "kernel=rbf sigma=1", 2, 0);
    wlab_problem_unref(p);
}

/* Rows that positive and negative bags share: such a start ends at once, the others go on; if there is no other, the run says
 * so. */
static void test_shared_rows(void **state)
{
    (void)state;
    wlab_problem *p = images("");
    for (int a = 0; a < 2; a++)
        for (int all = 0; all < 2; all++) {
            density *s = create_state(both[a], p, "restarts=3");
            int64_t down = 0;
            while (p->bag_given[p->bag[down]] > 0.5)
                down++;
            for (int k = 0; k < (all ? 3 : 1);
                 k++) /* the start, at the place of an instance of a negative bag */
                memcpy(s->r[k].at->w, s->X + down * s->d, (size_t)s->d * sizeof *s->X);
            wlab_step made = {0};
            for (int k = 0; k < 3000 && made.verdict == WL_MORE; k++)
                made = stepped(both[a], s, NULL);
            assert_int_equal(made.verdict, all ? WL_STALLED : WL_CONVERGED);
            assert_true(isinf(s->r[0].value) && !s->r[0].moving);
            assert_true(all ? isnan(metric(both[a], s, "objective"))
                            : isfinite(metric(both[a], s, "objective")));
            both[a]->destroy(s);
        }
    wlab_problem_unref(p);
}

static void test_limit(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = images("");
    void *s = create_state(both[0], p, "iterations=2");
    assert_int_equal(step(both[0], s, NULL), WL_MORE);
    assert_int_equal(step(both[0], s, NULL), WL_LIMIT);
    wlab_params *more = made_params(both[0]->params, "iterations=3", &err);
    ASSERT_OK(both[0]->set(s, more, &err), err);
    wlab_params_destroy(more);
    assert_int_equal(step(both[0], s, NULL), WL_LIMIT);
    both[0]->destroy(s);
    wlab_problem_unref(p);
}

/* The mean of the instances' outputs is the output of the SVM on bags. */
static void test_kernel_of_bags(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo = &wlab_algo_mi_kernel;
    wlab_problem *p = images("");
    void *s = create_state(algo, p, "kernel=rbf sigma=1.3 C=7 eps=1e-10");
    assert_int_equal(step(algo, s, NULL), WL_CONVERGED);
    int32_t *first = malloc((size_t)p->bags * sizeof *first);
    assert_non_null(first);
    for (int64_t i = p->n - 1; i >= 0; i--)
        first[p->bag[i]] = (int32_t)i;
    wlab_probed K = {0};
    const wlab_probe_ask ask = {.probe = algo->probes, .instance = first, .n = p->bags};
    ASSERT_OK(algo->probes[0].get(s, &ask, &K, NULL, &err), err);
    double *f = outputs(algo, s, p), hinge = 0, all[64 * 64];
    wlab_bag_outputs o;
    ASSERT_OK(wlab_bag_outputs_make(&o, algo->bag_rule, f, NULL, p->bag, p->n, p->bags, &err), err);
    assert_true(p->n <= 64);
    ASSERT_OK(wlab_kernel_matrix(algo->kernel(s), p->X, p->X, p->row, all, NULL, &err), err);
    for (int64_t a = 0; a < p->bags; a++) {
        hinge += fmax(0, 1 - (p->bag_given[a] > 0.5 ? 1 : -1) * o.top[a]);
        for (int64_t b = 0; b < p->bags; b++) {
            double sum = 0;
            int64_t pairs = 0;
            for (int64_t i = 0; i < p->n; i++)
                for (int64_t j = 0; j < p->n; j++)
                    if (p->bag[i] == a && p->bag[j] == b) {
                        sum += all[i * p->n + j];
                        pairs++;
                    }
            ASSERT_NEAR(K.value[a * p->bags + b], sum / (double)pairs, 1e-14);
        }
    }
    /* the objective is at least the losses, and the norm is what remains of the dual's value */
    const double objective = metric(algo, s, "objective"), norm = 2 * (objective - 7 * hinge);
    assert_true(norm >= 0 && metric(algo, s, "gap") <= 1e-9 * objective);
    wlab_bag_outputs_clear(&o);
    wlab_probed_clear(&K);
    free(f);
    free(first);
    algo->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objective),   cmocka_unit_test(test_far),
        cmocka_unit_test(test_descent),     cmocka_unit_test(test_model),
        cmocka_unit_test(test_labels),      cmocka_unit_test(test_units),
        cmocka_unit_test(test_landscape),   cmocka_unit_test(test_limit),
        cmocka_unit_test(test_shared_rows), cmocka_unit_test(test_kernel_of_bags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
