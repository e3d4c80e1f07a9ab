/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More than two classes: what the tasks show, one class against the rest, the machines as one algorithm.
 */
#include "algo/onevsrest.h"
#include "posed.h"
#include "probed.h"
#include "weaklab/pool.h"
#include "weaklab/tune.h"

#define BLOBS "n=80 classes=4 seed=5"

static int seen_of(const wlab_problem *p, int8_t label)
{
    int n = 0;
    for (int64_t i = 0; i < p->n; i++)
        n += p->visible[i] == label;
    return n;
}

static void test_tasks(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", BLOBS, "ssl", "labeled=10 classes=all");
    assert_int_equal(p->classes, 4);
    assert_int_equal(p->truths, 4);
    assert_int_equal(p->labelled, 10);
    assert_true(!p->labels && isnan(p->r) && p->positive < 0);
    for (int8_t k = 1; k <= 4; k++) /* 20 rows each: shares of 2.5 */
        assert_true(seen_of(p, k) == 2 || seen_of(p, k) == 3);
    for (int64_t i = 0; i < p->n; i++) {
        assert_int_equal(p->truth[i], p->data->label[p->row[i]] + 1);
        assert_true(!p->visible[i] || p->visible[i] == p->truth[i]);
        assert_int_equal(wlab_problem_allowed(p, i), p->visible[i] ? 1u << (p->visible[i] - 1) : 15);
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(wlab_label_index(p, wlab_label_at(p, k)), k);
    assert_int_equal(wlab_label_index(p, 0), -1);
    assert_string_equal(wlab_problem_class(p, 3), "3");
    assert_null(wlab_problem_class(p, 0));
    wlab_problem_unref(p);

    p = pose("blobs", BLOBS, "ssl", "labeled=3 classes=all");
    assert_non_null(p->remark);
    assert_non_null(strstr(p->remark, "no label is seen of class"));
    wlab_problem_unref(p);

    p = pose("blobs", BLOBS, "supervised", "classes=all");
    assert_int_equal(p->labelled, 80);
    wlab_problem_unref(p);

    p = pose("blobs", BLOBS, "cluster", "classes=3");
    assert_int_equal(p->classes, 3);
    assert_int_equal(p->truths, 4);
    assert_int_equal(p->labelled, 0);
    assert_string_equal(wlab_problem_class(p, 3), "3");
    assert_null(wlab_problem_class(p, 4));
    assert_string_equal(wlab_problem_truth_class(p, 4), "4");
    wlab_problem_unref(p);
}

/* Two classes: the same problem, whatever classes= says. */
static void test_two_classes(void **state)
{
    (void)state;
    static const char *const tasks[][2] = {
        {"ssl", "labeled=9 seed=3"}, {"supervised", ""}, {"ambiguous", "candidates=2"}};
    for (int t = 0; t < 3; t++) {
        char all[64];
        snprintf(all, sizeof all, "%s classes=all", tasks[t][1]);
        wlab_problem *a = pose("two-moons", "n=30 seed=1", tasks[t][0], tasks[t][1]),
                     *b = pose("two-moons", "n=30 seed=1", tasks[t][0], all);
        assert_int_equal(b->classes, 2);
        assert_memory_equal(a->visible, b->visible, 30);
        assert_memory_equal(a->truth, b->truth, 30);
        assert_true(b->labels && a->positive == b->positive && !b->class_number && !b->candidates);
        assert_int_equal(wlab_label_at(b, 0), -1);
        assert_int_equal(wlab_label_at(b, 1), 1);
        wlab_problem_unref(a);
        wlab_problem_unref(b);
    }
}

static void test_candidates(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", BLOBS, "ambiguous", "candidates=3 ambiguous=0.5 classes=all");
    int ambiguous = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const uint64_t may = wlab_problem_allowed(p, i);
        assert_true(may >> (p->truth[i] - 1) & 1);
        assert_int_equal(__builtin_popcountll(may), p->visible[i] ? 1 : 3);
        assert_true(may == p->candidates[i]);
        ambiguous += !p->visible[i];
    }
    assert_int_equal(ambiguous, 40);
    for (int k = 0; k < 4; k++) {
        wlab_err err;
        wlab_problem *one;
        ASSERT_OK(wlab_problem_one_vs_rest(&one, p, k, &err), err);
        for (int64_t i = 0; i < p->n; i++) {
            const uint64_t may = wlab_problem_allowed(p, i);
            assert_int_equal(one->visible[i], !(may >> k & 1) ? -1 : may == 1u << k ? 1 : 0);
            assert_int_equal(one->truth[i], p->truth[i] == k + 1 ? 1 : -1);
        }
        wlab_problem_unref(one);
    }
    wlab_problem_unref(p);
}

static void refused(const char *task, const char *options, const char *why)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_dataset *data = made_data("blobs", BLOBS, &err);
    const wlab_task *t = wlab_task_find(task);
    wlab_params *params = made_params(t->params, options, &err);
    assert_true(data && params);
    ASSERT_FAILS(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, &err), WL_EARG, err, why);
    assert_null(p);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("ssl", "labeled=8", "or learn them all: classes=all");
    refused("ssl", "labeled=8 classes=all positive=2", "exclude each other");
    refused("ssl", "labeled=8 classes=all r=0.3", "auto or true");
    refused("ssl", "labeled=8 classes=all only=positive", "only= is for two classes");
    refused("cluster", "classes=3 balance=0.1", "balance= is for two clusters");
    refused("cluster", "classes=3 positive=1", "positive= is for two clusters");
}

/* r of each machine: auto, the share among the labelled; true, that among the others. */
static void test_fractions(void **state)
{
    (void)state;
    static const char *const options[] = {"labeled=10 classes=all", "labeled=10 classes=all r=true"};
    for (int t = 0; t < 2; t++) {
        wlab_problem *p = pose("blobs", BLOBS, "ssl", options[t]);
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            wlab_err err;
            wlab_problem *one;
            ASSERT_OK(wlab_problem_one_vs_rest(&one, p, k, &err), err);
            const int seen = seen_of(p, (int8_t)(k + 1));
            ASSERT_NEAR(one->r, t ? (20 - seen) / 70.0 : seen / 10.0, 1e-15);
            sum += one->r;
            assert_non_null(one->labels);
            assert_string_equal(wlab_problem_class(one, 1), wlab_problem_class(p, k + 1));
            assert_string_equal(wlab_problem_class(one, -1), "-1");
            wlab_problem_unref(one);
        }
        ASSERT_NEAR(sum, 1, 1e-12);
        wlab_problem_unref(p);
    }
}

static void test_folds(void **state)
{
    (void)state;
    wlab_err err;
    wlab_folds folds = {0};
    wlab_problem *p = pose("blobs", BLOBS, "ambiguous", "candidates=3 classes=all"), *part;
    ASSERT_OK(wlab_folds_create(&folds, p, 4, 1, &err), err);
    for (int f = 0; f < folds.k; f++) {
        ASSERT_OK(wlab_problem_without(&part, p, &folds, f, &err), err);
        assert_int_equal(part->classes, 4);
        assert_null(part->labels);
        for (int64_t i = 0, k = 0; i < p->n; i++)
            if (folds.fold[i] != f) {
                assert_int_equal(part->row[k], p->row[i]);
                assert_true(wlab_problem_allowed(part, k) == wlab_problem_allowed(p, i));
                k++;
            }
        for (int8_t c = 1; c <= 4; c++) { /* stratified */
            const int held = seen_of(p, c) - seen_of(part, c);
            assert_true(held >= seen_of(p, c) / 4 && held <= seen_of(p, c) / 4 + 1);
        }
        wlab_problem_unref(part);
    }
    wlab_folds_clear(&folds);
    wlab_problem_unref(p);
}

/* No two algorithms share a table of parameters, by which the machines know theirs; each that solves a task with
 * classes has machines. */
static void test_table(void **state)
{
    (void)state;
    for (int i = 0; wlab_algos[i]; i++) {
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(wlab_algos[i]->params, wlab_algos[k]->params);
        const bool classes = wlab_algos[i]->learns_from & WL_SEES_ROWS;
        const wlab_algo *machines = wlab_onevsrest(wlab_algos[i]);
        assert_int_equal(machines != NULL, classes && !wlab_algos[i]->multiclass);
        if (!machines)
            continue;
        assert_string_equal(machines->name, wlab_algos[i]->name);
        assert_int_equal(wlab_metric_count(machines), wlab_metric_count(wlab_algos[i]) + 1);
        assert_int_equal(wlab_metric_index(machines, "machine"), wlab_metric_count(wlab_algos[i]));
        assert_true(wlab_onevsrest(machines) == NULL);
        assert_ptr_equal(wlab_onevsrest(wlab_algos[i]), machines);
    }
}

/* However many metrics an algorithm has, and whether or not it is in the table. */
static void test_many_metrics(void **state)
{
    static wlab_metric_info many[202];
    static wlab_algo toy;
    (void)state;
    for (int i = 0; i < 200; i++)
        many[i] = (wlab_metric_info){.name = i == 199 ? "the_last" : "m", .meaning = "a number"};
    toy = *wlab_algo_find("mfn");
    toy.metrics = many;
    const wlab_algo *machines = wlab_onevsrest(&toy);
    assert_non_null(machines);
    assert_int_equal(wlab_metric_count(machines), 201);
    assert_int_equal(wlab_metric_index(machines, "the_last"), 199);
    assert_int_equal(wlab_metric_index(machines, "machine"), 200);
    toy.learns_from = WL_SEES_NO_LABELS;
    assert_false(wlab_onevsrest_takes(&toy));
}

/* Each machine is the algorithm on its own problem, to the bit. */
static void each_is_its_own(const char *name, const char *options, const char *task, const char *shown)
{
    wlab_err err;
    const wlab_algo *base = wlab_algo_find(name), *algo = wlab_onevsrest(base);
    wlab_problem *p = pose("blobs", BLOBS, task, shown);
    void *s = begin(algo, p, options);
    while (step(algo, s, NULL) == WL_MORE)
        continue;
    double *f = malloc((size_t)p->n * 4 * sizeof *f);
    wlab_probed scored;
    int8_t *labels = malloc((size_t)p->n);
    ASSERT_OK(probed(algo, s, WL_PROBE_SCORES, &scored, &err), err);
    assert_true(f && labels && scored.rows == p->n && scored.columns == 4);
    const double *scores = scored.value;
    wlab_model *m = model_of(algo, s);
    assert_int_equal(m->outputs, 4);
    ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
    algo->observe(s, NULL, labels);
    for (int k = 0; k < 4; k++) {
        wlab_problem *one;
        ASSERT_OK(wlab_problem_one_vs_rest(&one, p, k, &err), err);
        void *own = begin(base, one, options);
        while (step(base, own, NULL) == WL_MORE)
            continue;
        double *g = outputs(base, own, one);
        for (int64_t i = 0; i < p->n; i++) {
            assert_true(memcmp(&scores[i * 4 + k], &g[i], sizeof *g) == 0);
            ASSERT_NEAR(f[i * 4 + k], g[i], 1e-9);
        }
        free(g);
        base->destroy(own);
        wlab_problem_unref(one);
    }
    for (int64_t i = 0; i < p->n; i++) {
        int best = -1;
        for (int k = 0; k < 4; k++)
            if (wlab_problem_allowed(p, i) >> k & 1 && (best < 0 || scores[i * 4 + k] > scores[i * 4 + best]))
                best = k;
        assert_int_equal(labels[i], best + 1);
    }
    free(f);
    wlab_probed_clear(&scored);
    free(labels);
    wlab_model_destroy(m);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_machines(void **state)
{
    (void)state;
    each_is_its_own("svm", "", "ssl", "labeled=10 classes=all");
    each_is_its_own("svm", "kernel=rbf", "supervised", "classes=all");
    each_is_its_own("mfn", "", "ssl", "labeled=10 classes=all");
    each_is_its_own("tsvm", "lambda=0.01", "ssl", "labeled=10 classes=all");
    each_is_its_own("wellsvm", "kernel=rbf labelings=5", "ambiguous",
                    "candidates=2 ambiguous=0.2 classes=all");
}

static wlab_buf shot(const wlab_algo *algo, const void *s)
{
    wlab_buf b = {0};
    wlab_err err;
    ASSERT_OK(wlab_algo_snapshot(algo, s, &b, &err), err);
    return b;
}

/* Snapshots at every unit, restored into fresh and used states, with threads and without. */
static void test_snapshots(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo = wlab_onevsrest(wlab_algo_find("mfn"));
    const int M = wlab_metric_index(algo, "seconds");
    wlab_problem *p = pose("blobs", "n=40 classes=3 seed=5", "ssl", "labeled=9 classes=all");
    void *a = begin(algo, p, ""), *b = begin(algo, p, "");
    wlab_ctx ctx = {0};
    ASSERT_OK(wlab_pool_create(&ctx.pool, 3, &err), err);
    wlab_step step = {0}, then = {0};
    int units = 0;
    int64_t phase = 0;
    for (bool end = false; !end; units++) {
        wlab_buf before = shot(algo, a);
        before.pos = 0;
        ASSERT_OK(wlab_algo_restore(algo, b, &before, NULL, &err), err);
        assert_int_equal(before.pos, before.len);
        ASSERT_OK(algo->advance(a, NULL, &step, &err), err);
        ASSERT_OK(algo->advance(b, &ctx, &then, &err), err);
        assert_true(step.complete == then.complete && (!step.complete || step.verdict == then.verdict));
        double x[MOST_METRICS], y[MOST_METRICS];
        int8_t u[40], v[40];
        algo->observe(a, x, u);
        algo->observe(b, y, v);
        for (int k = 0; k < wlab_metric_count(algo); k++)
            assert_true(k == M || memcmp(&x[k], &y[k], sizeof *x) == 0);
        assert_memory_equal(u, v, 40);
        assert_true(step.phase == then.phase && step.phase_complete == then.phase_complete);
        assert_true(!step.complete || step.phase == phase || step.phase == phase + 1);
        phase = step.complete ? step.phase : phase;
        wlab_buf_clear(&before);
        end = step.complete && step.verdict != WL_MORE;
    }
    assert_true(units >= 3 && phase == 3 && step.phase_complete);
    wlab_buf whole = shot(algo, a);
    for (size_t len = 0; len < whole.len; len += whole.len / 50 + 1) {
        wlab_buf cut = whole;
        cut.len = len;
        cut.pos = 0;
        assert_int_equal(wlab_algo_restore(algo, b, &cut, NULL, &err), WL_EINPUT);
    }
    wlab_buf_clear(&whole);
    wlab_pool_destroy(ctx.pool);
    algo->destroy(a);
    algo->destroy(b);
    wlab_problem_unref(p);
}

/* What `set` changes behind the last machine makes all begin again. */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo = wlab_onevsrest(wlab_algo_find("tsvm"));
    wlab_problem *p = pose("blobs", "n=40 classes=3 seed=5", "ssl", "labeled=9 classes=all");
    void *s = begin(algo, p, "");
    wlab_step last;
    while ((last = stepped(algo, s, NULL)).verdict == WL_MORE)
        continue;
    assert_int_equal(last.phase, 3);
    wlab_params *params = made_params(algo->params, "", &err);
    ASSERT_OK(algo->set(s, params, &err), err);
    last = stepped(algo, s, NULL);
    assert_int_equal((int)metric(algo, s, "machine"), 1);
    assert_int_equal(last.phase, 4); /* phases never fall */
    wlab_model *m = NULL;
    ASSERT_FAILS(algo->model(s, &m, NULL, &err), WL_ESTATE, err, "machine 1 of 3");
    wlab_params_destroy(params);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_no_machines(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo;
    wlab_problem *p = pose("blobs", BLOBS, "cluster", "classes=3"), *one = NULL;
    ASSERT_FAILS(wlab_algo_for(&algo, wlab_algo_find("wellsvm"), p, &err), WL_ESTATE, err, "two clusters");
    ASSERT_FAILS(wlab_problem_one_vs_rest(&one, p, 0, &err), WL_ESTATE, err, "cluster");
    assert_false(wlab_algo_suits(wlab_algo_find("wellsvm"), p->task, 3));
    assert_true(wlab_algo_suits(wlab_algo_find("wellsvm"), p->task, 2));
    wlab_problem_unref(p);
    p = pose("blobs", BLOBS, "ssl", "labeled=3 classes=all");
    ASSERT_OK(wlab_algo_for(&algo, wlab_algo_find("svm"), p, &err), err);
    wlab_params *params = made_params(algo->params, "", &err);
    void *s = NULL;
    ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_ESTATE, err, "no label of class");
    assert_null(s);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo = wlab_onevsrest(wlab_algo_find("svm"));
    const wlab_task *ambiguous = wlab_task_find("ambiguous");
    wlab_dataset *data = made_data("blobs", "n=30 classes=3 seed=5", &err);
    wlab_params *shown = made_params(ambiguous->params, "candidates=2 classes=all", &err);
    wlab_problem *q, *one;
    ALLOC_SWEEP_OUT(wlab_problem_create(&q, data, NULL, 0, NULL, 0, ambiguous, shown, &err), q);
    ALLOC_SWEEP_OUT(wlab_problem_one_vs_rest(&one, q, 1, &err), one);
    wlab_problem_unref(q);
    wlab_problem_unref(one);
    wlab_params_destroy(shown);
    wlab_dataset_unref(data);

    wlab_problem *p = pose("blobs", "n=30 classes=3 seed=5", "ssl", "labeled=9 classes=all");
    wlab_params *params = made_params(algo->params, "kernel=rbf", &err);
    void *s;
    wlab_model *m;
    ALLOC_SWEEP_OUT(algo->create(&s, p, params, NULL, &err), s);
    for (int k = 0; k < 3; k++) {
        wlab_step step = {0};
        ALLOC_SWEEP(algo->advance(s, NULL, &step, &err));
        assert_int_equal(step.verdict, k < 2 ? WL_MORE : WL_CONVERGED);
        wlab_buf b = shot(algo, s);
        ALLOC_SWEEP((b.pos = 0, wlab_algo_restore(algo, s, &b, NULL, &err)));
        wlab_buf_clear(&b);
    }
    ALLOC_SWEEP_OUT(algo->model(s, &m, NULL, &err), m);
    wlab_model_destroy(m);
    algo->destroy(s);
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_many_metrics),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_no_machines),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
