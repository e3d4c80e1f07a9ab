/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TSVM step by step: metrics against the model, switches against the condition and a plain search for pairs, the
 * levels of lambda', the objective, gaps; every labeling enumerated; snapshots, threads, memory, refusals.
 */
#include "unit/transduction.h"

static const wlab_algo *const tsvm = &wlab_algo_tsvm;

/* ---- pairs and thresholds by plain means ---- */

static int by_output(const void *a, const void *b)
{
    const wlab_ranked *x = a, *y = b;
    return x->f != y->f ? (x->f > y->f) - (x->f < y->f) : (x->row > y->row) - (x->row < y->row);
}

/* Section 3.1.2 literally. */
static int64_t plain_pairs(const wlab_problem *p, const double *o, const int8_t *y, int64_t S, int32_t *pair)
{
    wlab_ranked *up = calloc((size_t)p->n, sizeof *up), *down = calloc((size_t)p->n, sizeof *down);
    int64_t a = 0, b = 0, k = 0;
    assert_true(up && down);
    for (int32_t i = 0; i < p->n; i++) {
        if (!p->visible[i] && y[i] > 0 && o[i] < 1)
            up[a++] = (wlab_ranked){o[i], i};
        if (!p->visible[i] && y[i] < 0 && -o[i] < 1)
            down[b++] = (wlab_ranked){-o[i], i};
    }
    qsort(up, (size_t)a, sizeof *up, by_output);
    qsort(down, (size_t)b, sizeof *down, by_output);
    while (k < a && k < b && (S == 0 || k < S) && up[k].f < -down[k].f) {
        pair[2 * k] = (int32_t)up[k].row;
        pair[2 * k + 1] = (int32_t)down[k].row;
        k++;
    }
    free(up);
    free(down);
    return k;
}

static void test_pairs(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=90 noise=0.1 seed=1", "ssl", "labeled=8 seed=1");
    transductive *t = create_state(tsvm, p, "");
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    int8_t y[90];
    int32_t got[90], expected[90];
    int64_t found = 0;
    for (int c = 0; c < 3000; c++) {
        const int64_t S = c % 4 == 0 ? 0 : c % 4 == 1 ? 1 : (int64_t)wlab_rng_below(&rng, 40) + 1;
        for (int i = 0; i < 90; i++) {
            t->m->o[i] = c % 3 == 0   ? wlab_rng_normal(&rng)
                         : c % 3 == 1 ? (double)wlab_rng_below(&rng, 9) / 2 - 2
                                      : (i % 2 ? 0.5 : -0.5) * (double)wlab_rng_below(&rng, 5);
            y[i] = p->visible[i] ? p->visible[i] : wlab_rng_below(&rng, 2) ? 1 : -1;
            if (c % 5 == 0)
                y[i] = p->visible[i] ? p->visible[i] : t->m->o[i] > 0.1 ? 1 : -1;
        }
        const int64_t k = pairs_of(t, y, S, got, NULL);
        assert_int_equal(k, plain_pairs(p, t->m->o, y, S, expected));
        assert_memory_equal(got, expected, (size_t)(2 * k) * sizeof *got);
        found += k > 1;
    }
    assert_true(found > 500);
    tsvm->destroy(t);
    wlab_problem_unref(p);
}

/* The u+ largest are positive; among equal ones those with lower row numbers are negative. */
static void test_threshold(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=70 noise=0.1 seed=1", "ssl", "labeled=6 seed=1");
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int c = 0; c < 400; c++) {
        char options[32];
        snprintf(options, sizeof options, "r=%g", 0.02 + 0.96 * wlab_rng_uniform(&rng));
        transductive *t = create_state(tsvm, p, options);
        wlab_ranked rank[70];
        double f[70];
        int8_t y[70] = {0};
        int64_t u = 0;
        for (int32_t i = 0; i < 70; i++) {
            f[i] = c % 2 ? wlab_rng_normal(&rng) : (double)wlab_rng_below(&rng, 4);
            if (!p->visible[i])
                rank[u++] = (wlab_ranked){f[i], i};
        }
        wlab_tr_threshold(t, f, y, NULL);
        qsort(rank, (size_t)u, sizeof *rank, by_output);
        for (int64_t j = 0; j < u; j++)
            assert_int_equal(y[rank[j].row], j < u - t->positives ? -1 : 1);
        tsvm->destroy(t);
    }
    wlab_problem_unref(p);
}

/* The same with many rows, by threads, and with values that move little or much from call to call: where the threshold was
 * the last time must not matter. */
static void test_many_rows(void **state)
{
    (void)state;
    enum {
        N = 13001
    };
    wlab_problem *p = pose("two-moons", "n=13001 noise=0.1 seed=1", "ssl", "labeled=60 seed=1");
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    wlab_ranked *rank = calloc(N, sizeof *rank);
    double *f = calloc(N, sizeof *f);
    int8_t *y = calloc(N, 1);
    int32_t *got = calloc(N, sizeof *got), *expected = calloc(N, sizeof *expected);
    assert_true(rank && f && y && got && expected);
    for (int threads = 1; threads <= 3; threads++) {
        wlab_err err;
        wlab_pool *pool = NULL;
        transductive *t = create_state(tsvm, p, threads == 2 ? "r=0.01" : "r=0.4");
        ASSERT_OK(wlab_pool_create(&pool, threads, &err), err);
        for (int c = 0; c < 60; c++) {
            const double move = c % 10 == 9 ? 100 : pow(10, -(double)(c % 10)),
                         shift = move * wlab_rng_normal(&rng);
            int64_t u = 0;
            double best = 0, balanced = 0;
            for (int32_t i = 0; i < N; i++) {
                f[i] = c == 0 ? wlab_rng_normal(&rng) : f[i] + shift + 0.1 * move * wlab_rng_normal(&rng);
                if (c == 30) /* many ties */
                    f[i] = (double)wlab_rng_below(&rng, 5);
                if (!p->visible[i])
                    rank[u++] = (wlab_ranked){f[i], i};
            }
            wlab_tr_threshold(t, f, y, pool);
            qsort(rank, (size_t)u, sizeof *rank, by_output);
            for (int64_t j = 0; j < u; j++)
                assert_int_equal(y[rank[j].row], j < u - t->positives ? -1 : 1);
            memcpy(t->m->o, f, N * sizeof *f);
            wlab_tr_measure(t, NULL, pool); /* at these labels */
            for (int64_t j = 0; j < u; j++) {
                best += half_square(fabs(rank[j].f));
                balanced += half_square(y[rank[j].row] * rank[j].f);
            }
            assert_true(fabs(t->J_unlabelled - best / (double)u) <= 1e-12 * t->J);
            assert_true(fabs(t->J_balanced - t->J_labelled - balanced / (double)u) <= 1e-12 * t->J_balanced);
            const double J = t->J_balanced;
            wlab_tr_measure(t, y, pool);
            assert_true(t->J_balanced == J);
            for (int i = 0; i < 1000; i++) { /* the best labels have no pairs */
                const int64_t j = (int64_t)wlab_rng_below(&rng, (uint64_t)u);
                y[rank[j].row] = (int8_t)-y[rank[j].row];
            }
            for (int32_t i = 0; i < N; i++)
                t->m->o[i] = 0.2 * f[i];
            const int64_t S = c % 2 ? 0 : 50, k = pairs_of(t, y, S, got, pool);
            assert_int_equal(k, plain_pairs(p, t->m->o, y, S, expected));
            assert_memory_equal(got, expected, (size_t)(2 * k) * sizeof *got);
            memcpy(t->largest, t->y, N);
            wlab_tr_show(t, c % 2 ? y : NULL, pool);
            int64_t flips = 0;
            for (int32_t i = 0; i < N; i++) {
                const int8_t label = p->visible[i] ? p->visible[i] : c % 2 ? y[i] : t->m->o[i] > 0 ? 1 : -1;
                assert_int_equal(t->y[i], label);
                flips += t->largest[i] != label;
            }
            assert_int_equal(t->flips, flips);
        }
        wlab_pool_destroy(pool);
        tsvm->destroy(t);
    }
    free(rank);
    free(f);
    free(y);
    free(got);
    free(expected);
    wlab_problem_unref(p);
}

/* ---- whole runs ---- */

typedef struct heard_events {
    int pairs, more;
} heard_events;

static void record_event(void *sink, const wlab_event *e)
{
    heard_events *t = sink;
    t->pairs += e->kind == WL_EV_NOTE && strstr(e->text, "becomes negative");
    t->more += e->kind == WL_EV_NOTE && strstr(e->text, "more pairs");
}

/* Checks every step of a run; returns the number of steps. */
static int64_t check_run(wlab_problem *p, const char *options, double r, int64_t S)
{
    const bool svmlin = strstr(options, "svmlin"), paper = strstr(options, "newton=paper");
    const bool linear = !strstr(options, "rbf");
    transductive *t = create_state(tsvm, p, options);
    const double u = (double)t->u;
    const int64_t positives = t->u - (int64_t)ceil((1 - r) * u - 1e-9 * u);
    double level = 0, objective = HUGE_VAL, best = HUGE_VAL, upper = HUGE_VAL, lower = 0;
    observation before = {0}, now;
    int64_t steps = 0, pending = 0, phase = 0;
    int32_t *pair = calloc((size_t)p->n, sizeof *pair);
    wlab_step last = {0};
    assert_non_null(pair);
    while (last.verdict == WL_MORE) {
        heard_events heard = {0, 0};
        wlab_ctx ctx = {.emit = record_event, .sink = &heard};
        assert_true(steps < 20000);
        last = stepped(tsvm, t, &ctx);
        now = observe_step(tsvm, t, p, positives);
        assert_int_equal(now.positives, positives);
        const double f = now.norm + now.labelled + labelled_as(p, now.o, now.y, t->lambda_now);
        ASSERT_NEAR(metric(tsvm, t, "J_norm") / now.norm, 1, 1e-8);
        assert_true(fabs(metric(tsvm, t, "J_labelled") - now.labelled) <= 1e-9 * now.J);
        assert_true(fabs(metric(tsvm, t, "J_unlabelled") - now.unlabelled) <= 1e-9 * now.J);
        ASSERT_NEAR(metric(tsvm, t, "J") / now.J, 1, 1e-9);
        ASSERT_NEAR(metric(tsvm, t, "objective") / f, 1, 1e-9);
        /* J_balanced is the value at the labels y'; the labels by the largest outputs have no larger value */
        const double balanced = metric(tsvm, t, "J_balanced");
        ASSERT_NEAR(balanced / (now.norm + now.labelled + labelled_as(p, now.o, now.y, t->lambda_u)), 1,
                    1e-9);
        assert_true(balanced >= now.balanced * (1 - 1e-9) && now.balanced >= now.J * (1 - 1e-12));
        best = fmin(best, metric(tsvm, t, "J"));
        upper = fmin(upper, balanced);
        assert_true(metric(tsvm, t, "J_best") == best && metric(tsvm, t, "upper") == upper);
        assert_true(metric(tsvm, t, "gap") == metric(tsvm, t, "upper") - metric(tsvm, t, "lower"));
        if (linear && !paper) {
            assert_true(gap_of(t) <= 1e-6 * (1 + 1e-6));
            assert_true(metric(tsvm, t, "inner_gap") <= 1e-6 * metric(tsvm, t, "objective"));
        }
        if (linear)
            assert_true(fabs(metric(tsvm, t, "inner_gap") / metric(tsvm, t, "objective") - gap_of(t)) <=
                        1e-5 * gap_of(t) + 1e-14); /* its gradient was updated, ours is computed anew */
        if (steps == 0) {
            assert_true(t->lambda_now == 0 && isnan(metric(tsvm, t, "flips"))); /* first labels */
            lower = metric(tsvm, t, "lower");
            ASSERT_NEAR(lower / f, 1, 1e-5);
            assert_true(lower <= f * (1 + 1e-12));
        } else {
            int64_t down = 0, up = 0;
            for (int64_t i = 0; i < p->n; i++)
                if (now.y[i] != before.y[i]) {
                    down += now.y[i] < 0;
                    up += now.y[i] > 0;
                }
            assert_true(down == pending && up == pending && metric(tsvm, t, "flips") == 2 * (double)pending);
            assert_true(metric(tsvm, t, "pairs") == (double)pending);
            assert_int_equal(heard.pairs, pending < 20 ? pending : 20);
            assert_int_equal(heard.more, pending > 20);
            for (int64_t k = 0; k < pending; k++) {
                const int32_t i = pair[2 * k], j = pair[2 * k + 1];
                assert_true(before.y[i] == 1 && before.y[j] == -1 && now.y[i] == -1 && now.y[j] == 1);
                assert_true(before.o[i] < 1 && -before.o[j] < 1 && before.o[i] < before.o[j]);
            }
            if (pending == 0) { /* the next level */
                level = fmin(level > 0 ? level * (svmlin ? 1.5 : 2) : 1e-5, t->lambda_u);
                phase++;
            } else if (!(t->objective <= objective * (paper ? 1 + 1e-9 : 1))) {
                fail_msg("%s: the objective rose from %.17g to %.17g", options, objective, t->objective);
            }
            assert_true(t->lambda_now == level && metric(tsvm, t, "lambda_now") == level);
            assert_true(metric(tsvm, t, "lower") == lower && lower <= upper);
        }
        assert_int_equal(last.phase, phase + 1);
        objective = t->objective;
        pending = level > 0 ? plain_pairs(p, t->m->o, now.y, S, pair) : 0;
        assert_true(metric(tsvm, t, "pending") == (double)pending);
        assert_true(last.phase_complete == (pending == 0));
        assert_true((last.verdict == WL_CONVERGED) == (pending == 0 && level == t->lambda_u));
        observation_free(&before);
        before = now;
        steps++;
    }
    /* a finished run does not change any more */
    assert_true(step(tsvm, t, NULL) == WL_CONVERGED && t->objective == objective);
    observation_free(&before);
    free(pair);
    tsvm->destroy(t);
    return steps;
}

static void test_moons(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=120 noise=0.15 seed=1", "ssl", "labeled=8 seed=1");
    assert_true(check_run(p, "S=max r=0.5", 0.5, 0) > 18);
    check_run(p, "lambda_u=10 bias=0 r=0.3", 0.3, 0);
    check_run(p, "schedule=svmlin lambda=0.1 S=2 r=0.61", 0.61, 2);
    check_run(p, "newton=paper r=0.5", 0.5, 0);
    check_run(p, "newton=paper schedule=svmlin S=3 lambda_u=3 r=0.5", 0.5, 3);
    check_run(p, "kernel=rbf sigma=0.5 r=0.5 lambda=0.01", 0.5, 0);
    check_run(p, "lambda_u=1e-5 r=0.5", 0.5, 0);
    check_run(p, "lambda_u=1e-7 r=0.5", 0.5, 0);
    wlab_problem_unref(p);
}

/* Overlapping clouds need many switches. */
static void test_clouds(void **state)
{
    (void)state;
    wlab_problem *p = pose("g50c", "seed=1", "ssl", "labeled=10");
    const int64_t one = check_run(p, "S=1 r=0.5", 0.5, 1), three = check_run(p, "S=3 r=0.5", 0.5, 3),
                  all = check_run(p, "S=max r=0.5", 0.5, 0);
    assert_true(one > three && one > all && all > 40);
    check_run(p, "lambda=0.1 lambda_u=10 r=0.37", 0.37, 0);
    check_run(p, "newton=paper r=0.5", 0.5, 0);
    check_run(p, "newton=paper schedule=svmlin S=3 lambda_u=3 r=0.5", 0.5, 3);
    wlab_problem_unref(p);
}

static void test_topics(void **state)
{
    (void)state;
    wlab_problem *large = pose("topics", "n=4000 d=3000 labeled=20 seed=2 meanlen=30", "ssl", "given=yes");
    check_run(large, "S=max r=0.5", 0.5, 0);
    wlab_problem_unref(large);
    wlab_problem *p = pose("topics", "seed=2", "ssl", "given=yes");
    check_run(p, "S=max r=0.5", 0.5, 0);
    check_run(p, "S=10 schedule=svmlin lambda_u=10 r=0.5", 0.5, 10);
    check_run(p, "newton=paper r=0.5", 0.5, 0);
    wlab_problem_unref(p);
}

/* The fast solver and the paper's, which may decide near-ties differently, end at J that differ by at most 5 %, and
 * certify the same lower bound. */
static void test_paper(void **state)
{
    (void)state;
    wlab_problem *p = pose("g50c", "seed=1", "ssl", "labeled=10");
    transductive *a = create_state(tsvm, p, "r=0.5 eps=1e-10"),
                 *b = create_state(tsvm, p, "r=0.5 newton=paper");
    while (step(tsvm, a, NULL) == WL_MORE)
        ;
    while (step(tsvm, b, NULL) == WL_MORE)
        ;
    ASSERT_NEAR(a->J / b->J, 1, 0.05);
    ASSERT_NEAR(a->lower / b->lower, 1, 1e-5);
    tsvm->destroy(a);
    tsvm->destroy(b);
    wlab_problem_unref(p);
}

/* All balanced labelings of a few rows: the optimum is in [lower, upper], and no run ends below it. */
static void test_enumerated(void **state)
{
    (void)state;
    int found = 0;
    for (int seed = 1; seed <= 10; seed++) {
        char how[64];
        snprintf(how, sizeof how, "n=12 noise=0.2 seed=%d", seed);
        wlab_problem *p = pose("two-moons", how, "ssl", "labeled=4 seed=1");
        for (int c = 0; c < 3; c++) {
            const char *const options[] = {"r=0.5 lambda=0.1", "r=0.26 lambda=0.01 lambda_u=0.5 S=1",
                                           "r=0.63 lambda=1 lambda_u=10 bias=0"};
            transductive *t = create_state(tsvm, p, options[c]);
            const double best = enumerated(p, t->kernel.bias, t->lambda, t->lambda_u, t->positives);
            while (step(tsvm, t, NULL) == WL_MORE)
                assert_true(t->upper >= best * (1 - 1e-9) && t->lower <= best * (1 + 1e-9));
            assert_true(t->objective >= best * (1 - 1e-9) && t->upper >= best * (1 - 1e-9));
            assert_true(t->upper <= t->J_balanced && t->lower <= best);
            ASSERT_NEAR(t->objective / t->J_balanced, 1, 1e-12);
            found += t->upper <= best * (1 + 1e-5);
            tsvm->destroy(t);
        }
        wlab_problem_unref(p);
    }
    assert_true(found >= 5); /* at least 5 of the 30 runs find the optimum */
}

/* ---- what all algorithms must do ---- */

static void test_restored(void **state)
{
    (void)state;
    const char *const options[] = {"S=3 r=0.5", "schedule=svmlin newton=paper r=0.5",
                                   "schedule=svmlin lambda_u=0.7 r=0.4"};
    assert_restored(tsvm, options, 3);
}

static void test_threads(void **state)
{
    (void)state;
    assert_threads(tsvm, "topics", "n=5000 d=3000 meanlen=40 labeled=60 seed=2", "given=yes", "r=0.5");
    assert_threads(tsvm, "blobs", "n=9001 dims=5 spread=2 box=1 seed=1", "labeled=40 seed=1", ""); /* dense */
}

/* S may change between steps, and the next step uses it. */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("g50c", "seed=1", "ssl", "labeled=10");
    transductive *t = create_state(tsvm, p, "r=0.5 S=max");
    while (metric(tsvm, t, "pending") < 3 || isnan(metric(tsvm, t, "pending")))
        assert_true(step(tsvm, t, NULL) == WL_MORE);
    const double many = metric(tsvm, t, "pending");
    for (int c = 0; c < 3; c++) {
        const char *const options[] = {"S=2 r=0.5", "S=max r=0.5", "S=1 r=0.5"};
        const double expected[] = {2, many, 1};
        wlab_params *params = made_params(tsvm->params, options[c], &err);
        ASSERT_OK(tsvm->set(t, params, &err), err);
        assert_true(metric(tsvm, t, "pending") == expected[c]);
        wlab_params_destroy(params);
    }
    step(tsvm, t, NULL);
    assert_true(metric(tsvm, t, "flips") == 2 && metric(tsvm, t, "pairs") == 1);
    tsvm->destroy(t);
    wlab_problem_unref(p);
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.15 seed=1", "ssl", "labeled=6 seed=1");
    const char *const options[] = {"r=0.5", "r=0.5 kernel=rbf sigma=0.5"};
    for (int c = 0; c < 2; c++) {
        wlab_params *params = made_params(tsvm->params, options[c], &err);
        void *a = NULL, *b = create_state(tsvm, p, options[c]);
        ALLOC_SWEEP_OUT(tsvm->create(&a, p, params, NULL, &err), a);
        wlab_step now = {0};
        for (now.complete = false; now.verdict == WL_MORE || !now.complete;) {
            wlab_buf buf = {0};
            ALLOC_SWEEP(tsvm->advance(a, NULL, &now, &err));
            ALLOC_SWEEP_CHECK(wlab_algo_snapshot(tsvm, a, &buf, &err), wlab_buf_clear(&buf));
            wlab_buf_clear(&buf);
        }
        while (step(tsvm, b, NULL) == WL_MORE)
            ;
        assert_same(tsvm, a, b, options[c]);
        wlab_model *m = NULL;
        ALLOC_SWEEP_OUT(tsvm->model(a, &m, NULL, &err), m);
        wlab_model_destroy(m);
        tsvm->destroy(a);
        tsvm->destroy(b);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("two-moons", "n=40 noise=0.15 seed=1", "ssl", "labeled=6 seed=1");
    static const char *const bad[][2] = {{"S=0", "S=0"},    {"S=x", "S=x"},         {"r=0", "r=0"},
                                         {"r=1", "r=1"},    {"r=0.001", "r=0.001"}, {"r=nan", "r=nan"},
                                         {"S=2.5", "S=2.5"}};
    for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
        void *s = NULL;
        wlab_params *params = made_params(tsvm->params, bad[c][0], &err);
        assert_non_null(params);
        ASSERT_FAILS(tsvm->create(&s, p, params, NULL, &err), WL_EARG, err, bad[c][1]);
        assert_null(s);
        wlab_params_destroy(params);
    }
    wlab_model *m = NULL;
    void *s = create_state(tsvm, p, "");
    ASSERT_FAILS(tsvm->model(s, &m, NULL, &err), WL_ESTATE, err, "no model yet");
    wlab_buf buf = {0};
    step(tsvm, s, NULL);
    step(tsvm, s, NULL);
    ASSERT_OK(wlab_algo_snapshot(tsvm, s, &buf, &err), err);
    for (size_t len = 0; len < buf.len; len += 5) {
        wlab_buf cut = buf;
        void *other = create_state(tsvm, p, "");
        cut.len = len;
        ASSERT_FAILS(wlab_algo_restore(tsvm, other, &cut, NULL, &err), WL_EINPUT, err, "damaged");
        tsvm->destroy(other);
    }
    wlab_buf_clear(&buf);
    tsvm->destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),    cmocka_unit_test(test_threshold),  cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_moons),    cmocka_unit_test(test_clouds),     cmocka_unit_test(test_topics),
        cmocka_unit_test(test_paper),    cmocka_unit_test(test_enumerated), cmocka_unit_test(test_restored),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_set),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
