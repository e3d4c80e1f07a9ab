/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * s4vm: y0 against svm, the samplings' labels and objectives, the clusters, gain - lambda loss as a linear function, the
 * max-min value against all labelings of six rows, labels that are safe, one candidate, the map; units, refusals.
 */
#include "unit/posed.h"
#include "unit/probed.h"

#include "algo/safe/s4vm.h"

static const wlab_algo *const algo = &wlab_algo_s4vm;
enum {
    N = 60
};

static wlab_problem *rows(const char *how)
{
    return pose("g50c", "n=60 seed=2", "ssl", how);
}

static s4vm *ended(wlab_problem *p, const char *options)
{
    s4vm *s = create_state(algo, p, options);
    for (wlab_step made = {0}; made.verdict == WL_MORE;)
        made = stepped(algo, s, NULL);
    return s;
}

static void test_supervised(void **state)
{
    (void)state;
    wlab_problem *p = rows("labeled=12 seed=1 r=0.5");
    void *s = create_state(algo, p, "kernel=rbf sigma=8 tol=1e-9"),
         *svm = create_state(&wlab_algo_svm, p, "kernel=rbf sigma=8 offset=free C=100 eps=1e-9");
    step(algo, s, NULL);
    step(&wlab_algo_svm, svm, NULL);
    double *f = outputs(algo, s, p), *g = outputs(&wlab_algo_svm, svm, p);
    for (int i = 0; i < N; i++)
        ASSERT_NEAR(f[i], g[i], 1e-4);
    free(f);
    free(g);
    algo->destroy(s);
    wlab_algo_svm.destroy(svm);
    wlab_problem_unref(p);
}

/* At the end each sampling has the objective of its labels' SVM, and no row wants another label; candidates are the best of
 * their clusters. */
static void test_samplings(void **state)
{
    (void)state;
    wlab_problem *p = rows("labeled=12 seed=1 r=0.5");
    s4vm *s = create_state(algo, p, "samplings=20 candidates=4 tol=1e-9");
    while (s->stage != S4VM_MAXMIN)
        step(algo, s, NULL);
    assert_true(s->candidates > 0 && s->candidates <= 4 && s->distinct >= s->candidates);
    for (int64_t k = 0; k < s->samplings; k++) {
        const s4vm_sampling *r = &s->r[k];
        int64_t positives = 0;
        double loss = 0;
        assert_true(!r->moving);
        if (r->same_as >= 0) {
            assert_memory_equal(r->y, s->r[r->same_as].y, N);
            continue;
        }
        assert_true(r->cluster >= 0 && r->cluster < s->candidates);
        assert_true(s->r[s->candidate[r->cluster]].objective <= r->objective);
        assert_int_equal(s->r[s->candidate[r->cluster]].cluster, r->cluster);
        for (int i = 0; i < N; i++) {
            positives += !p->visible[i] && r->y[i] > 0;
            assert_true(!p->visible[i] || r->y[i] == p->visible[i]);
            (void)loss;
        }
        assert_true(positives >= s->lo && positives <= s->hi);
    }
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* gain - lambda loss is c'y + d for all signs; no labeling's worst improvement is above the bound; what is handed out is safe.
 * With six unlabelled rows all labelings are tried. */
static void test_safety(void **state)
{
    (void)state;
    static const char *const how[] = {"lambda=3", "lambda=1", "lambda=0", "lambda=3 candidates=1",
                                      "lambda=8 candidates=3"};
    for (int k = 0; k < 5; k++)
        for (int seed = 1; seed <= 4; seed++) {
            char task[60], options[120];
            snprintf(task, sizeof task, "labeled=54 seed=%d r=0.5", seed);
            snprintf(options, sizeof options, "samplings=30 C2=5 slack=1 seed=%d %s", seed, how[k]);
            wlab_problem *p = rows(task);
            s4vm *s = ended(p, options);
            double best = -HUGE_VAL;
            int8_t y[N];
            assert_int_equal(s->u, 6);
            for (int code = 0; code < 64; code++) {
                double least = HUGE_VAL;
                memcpy(y, s->y0, N);
                for (int j = 0; j < 6; j++)
                    y[s->row[j]] = code >> j & 1 ? 1 : -1;
                for (int64_t t = 0; t < s->candidates; t++) {
                    double linear = s->game->d[t];
                    for (int j = 0; j < 6; j++)
                        linear += s->game->c[t * 6 + j] * y[s->row[j]];
                    least = fmin(least, linear);
                }
                ASSERT_NEAR(least, s4vm_improvement(s, y), 1e-12);
                best = fmax(best, least);
            }
            assert_true(best <= s->game->upper + 1e-8);
            assert_true(s->game->lower >= 0 &&
                        s->game->upper - s->game->lower <= 1e-8 * (1 + s->game->upper));
            ASSERT_NEAR(s->rounded, s4vm_improvement(s, s->shown), 1e-12);
            assert_true(s->rounded >= 0 && s->rounded <= best + 1e-12);
            if (s->kept)
                assert_memory_equal(s->shown, s->y0, N);
            else
                assert_true(s->rounded > 0);
            if (s->candidates == 1 && !s->kept) /* there is one truth, so its labels are the answer */
                assert_memory_equal(s->shown, s->r[s->candidate[0]].y, N);
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

/* All distances of the plane are at most those of the labelings, and the start is one of the points. */
static void test_map(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = rows("labeled=12 seed=1 r=0.5");
    s4vm *s = create_state(algo, p, "samplings=20 candidates=4");
    wlab_probed m;
    ASSERT_FAILS(probed(algo, s, WL_PROBE_MAP, &m, &err), WL_ESTATE, err, "step");
    while (s->stage != S4VM_DONE)
        step(algo, s, NULL);
    ASSERT_OK(probed(algo, s, WL_PROBE_MAP, &m, &err), err);
    int64_t kinds[WL_MAP_KINDS] = {0}, at = 0;
    for (int64_t k = 0; k < m.rows; k++)
        kinds[(int)m.value[k * WL_MAP_COLUMNS + WL_MAP_KIND]]++;
    assert_true(m.rows == s->distinct + 2 && kinds[WL_MAP_CANDIDATE] == s->candidates &&
                kinds[WL_MAP_START] == 1 && kinds[WL_MAP_RESULT] == 1);
    const double *start = m.value + (m.rows - 2) * WL_MAP_COLUMNS;
    for (int64_t k = 0; k < s->samplings; k++) {
        if (s->r[k].same_as >= 0)
            continue;
        const double *row = m.value + at++ * WL_MAP_COLUMNS,
                     far = hypot(row[0] - start[0], row[1] - start[1]);
        int64_t differ = 0;
        for (int i = 0; i < N; i++)
            differ += s->r[k].y[i] != s->y0[i];
        assert_true(far <= 2 * sqrt((double)differ) + 1e-6); /* ||y - y'|| = 2 sqrt(rows that differ) */
        assert_true(row[WL_MAP_VALUE] == s->r[k].objective);
    }
    wlab_probed_clear(&m);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    void *s = NULL;
    wlab_problem *all = pose("g50c", "n=60 seed=2", "ssl", "labeled=60"),
                 *one = pose("g50c", "n=60 seed=2", "ssl", "labeled=6 only=positive r=0.5");
    wlab_params *params = made_params(algo->params, "", &err);
    ASSERT_FAILS(algo->create(&s, all, params, NULL, &err), WL_ESTATE, err, "unlabelled");
    ASSERT_FAILS(algo->create(&s, one, params, NULL, &err), WL_ESTATE, err, "both classes");
    wlab_params_destroy(params);
    wlab_problem_unref(all);
    wlab_problem_unref(one);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = rows("labeled=12 seed=1 r=0.5");
    units_hold(algo, p, "samplings=3 candidates=2", 30, 0);
    units_hold(algo, p, "samplings=3 iterations=1", 10, 0);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_supervised), cmocka_unit_test(test_samplings),
                                       cmocka_unit_test(test_safety),     cmocka_unit_test(test_map),
                                       cmocka_unit_test(test_refusals),   cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
