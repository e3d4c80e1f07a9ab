/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More than two classes: the labels that the tasks give, one class against the rest, the binary classifiers as one
 * algorithm.
 */
#include "algo/onevsrest.h"
#include "posed.h"
#include "probed.h"
#include "weaklab/pool.h"
#include "weaklab/tune.h"

#define BLOBS "n=80 classes=4 seed=5"

static int labelled_of(const wlab_problem *p, int8_t label)
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
    for (int8_t k = 1; k <= 4; k++) /* 20 rows each: 2.5 labels per class */
        assert_true(labelled_of(p, k) == 2 || labelled_of(p, k) == 3);
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
    assert_non_null(strstr(p->remark, "no label is observed of class"));
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

/* On data with two classes, classes=all gives the same problem as the default. */
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

static void write_lines(const char *path, const char *const *line, int n, int lines)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (int i = 0; i < lines; i++)
        fprintf(out, "%s\n", line[i % n]);
    assert_int_equal(fclose(out), 0);
}

/* Candidates of one's own: each line has the classes of a row. */
static void test_candidates_file(void **state)
{
    static const char *const line[] = {"1", "1+2", "2+4+1", "?", "3"}, *const bad[] = {"1", "1+5"};
    static const uint64_t bits[] = {1, 3, 11, 15, 4};
    char path[] = "/tmp/weaklab-candidates-XXXXXX", options[200];
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    write_lines(path, line, 5, 80);
    snprintf(options, sizeof options, "from=%s classes=all", path);
    wlab_problem *p = pose("blobs", BLOBS, "ambiguous", options);
    assert_int_equal(p->n, 80);
    for (int64_t i = 0; i < p->n; i++) {
        assert_true(wlab_problem_allowed(p, i) == bits[p->row[i] % 5]);
        assert_int_equal(p->visible[i], bits[p->row[i] % 5] == 1 ? 1 : bits[p->row[i] % 5] == 4 ? 3 : 0);
    }
    wlab_problem_unref(p);
    snprintf(options, sizeof options, "from=%s positive=3", path); /* one class against the others */
    p = pose("blobs", BLOBS, "ambiguous", options);
    for (int64_t i = 0; i < p->n; i++) {
        const uint64_t b = bits[p->row[i] % 5];
        assert_int_equal(p->visible[i], b == 4 ? 1 : b & 4 ? 0 : -1);
    }
    wlab_problem_unref(p);

    wlab_err err;
    wlab_dataset *data = made_data("blobs", BLOBS, &err);
    char *const names[] = {"1", "2", "3", "4"};
    uint64_t set[80];
    write_lines(path, bad, 2, 80);
    ASSERT_FAILS(wlab_candidates_file_read(path, 80, names, 4, set, &err), WL_EINPUT, err,
                 "row 2: '5' is no class of the data");
    write_lines(path, line, 5, 79);
    ASSERT_FAILS(wlab_candidates_file_read(path, 80, names, 4, set, &err), WL_EINPUT, err, "79");
    write_lines(path, line, 5, 80);
    ALLOC_SWEEP(wlab_candidates_file_read(path, 80, names, 4, set, &err));
    wlab_dataset_unref(data);
    unlink(path);
    ASSERT_FAILS(wlab_candidates_file_read(path, 80, names, 4, set, &err), WL_EIO, err, "");
    snprintf(options, sizeof options, "from=%s candidates=2 classes=all", path);
    wlab_params *params = made_params(wlab_task_find("ambiguous")->params, options, &err);
    data = made_data("blobs", BLOBS, &err);
    p = NULL;
    ASSERT_FAILS(
        wlab_problem_create(&p, data, NULL, 0, NULL, 0, wlab_task_find("ambiguous"), params, NULL, &err),
        WL_EARG, err, "leave out candidates=");
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
}

static void assert_refused(const char *task, const char *options, const char *why)
{
    wlab_err err;
    wlab_problem *p = NULL;
    wlab_dataset *data = made_data("blobs", BLOBS, &err);
    const wlab_task *t = wlab_task_find(task);
    wlab_params *params = made_params(t->params, options, &err);
    assert_true(data && params);
    ASSERT_FAILS(wlab_problem_create(&p, data, NULL, 0, NULL, 0, t, params, NULL, &err), WL_EARG, err, why);
    assert_null(p);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("ssl", "labeled=8", "or learn them all: classes=all");
    assert_refused("ssl", "labeled=8 classes=all positive=2", "exclude each other");
    assert_refused("ssl", "labeled=8 classes=all r=0.3", "r=auto or r=true");
    assert_refused("ssl", "labeled=8 classes=all only=positive", "only= is for two classes");
    assert_refused("cluster", "classes=3 balance=0.1", "balance= is for two clusters");
    assert_refused("cluster", "classes=3 positive=1", "positive= is for two clusters");
}

/* r of each binary classifier: with r=auto the fraction of its class among the labelled rows, with r=true the
 * fraction among the rows without a label. */
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
            const int labelled = labelled_of(p, (int8_t)(k + 1));
            ASSERT_NEAR(one->r, t ? (20 - labelled) / 70.0 : labelled / 10.0, 1e-15);
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
            const int held = labelled_of(p, c) - labelled_of(part, c);
            assert_true(held >= labelled_of(p, c) / 4 && held <= labelled_of(p, c) / 4 + 1);
        }
        wlab_problem_unref(part);
    }
    wlab_folds_clear(&folds);
    wlab_problem_unref(p);
}

/* No two algorithms have the same table of parameters, as one-vs-rest identifies its base by the table.  Every
 * algorithm of two classes that solves a task with classes has a one-vs-rest variant. */
static void test_table(void **state)
{
    (void)state;
    for (int i = 0; wlab_algos[i]; i++) {
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(wlab_algos[i]->params, wlab_algos[k]->params);
        const bool classes = wlab_algos[i]->learns_from & WL_SEES_ROWS;
        const wlab_algo *derived = wlab_onevsrest(wlab_algos[i]);
        assert_int_equal(derived != NULL, classes && !wlab_algos[i]->multiclass);
        if (!derived)
            continue;
        assert_string_equal(derived->name, wlab_algos[i]->name);
        assert_int_equal(wlab_metric_count(derived), wlab_metric_count(wlab_algos[i]) + 1);
        assert_int_equal(wlab_metric_index(derived, "classifier"), wlab_metric_count(wlab_algos[i]));
        assert_true(wlab_onevsrest(derived) == NULL);
        assert_ptr_equal(wlab_onevsrest(wlab_algos[i]), derived);
    }
}

/* One-vs-rest works with any number of metrics, and with algorithms outside the table. */
static void test_many_metrics(void **state)
{
    static wlab_metric_info many[202];
    static wlab_algo toy;
    (void)state;
    for (int i = 0; i < 200; i++)
        many[i] = (wlab_metric_info){.name = i == 199 ? "the_last" : "m", .meaning = "a number"};
    toy = *wlab_algo_find("mfn");
    toy.metrics = many;
    const wlab_algo *derived = wlab_onevsrest(&toy);
    assert_non_null(derived);
    assert_int_equal(wlab_metric_count(derived), 201);
    assert_int_equal(wlab_metric_index(derived, "the_last"), 199);
    assert_int_equal(wlab_metric_index(derived, "classifier"), 200);
    toy.learns_from = WL_SEES_NO_LABELS;
    assert_false(wlab_onevsrest_takes(&toy));
}

/* Each binary classifier equals the algorithm on its own problem, bit for bit. */
static void compare_classifiers(const char *name, const char *options, const char *task, const char *shown)
{
    wlab_err err;
    const wlab_algo *base = wlab_algo_find(name), *algo = wlab_onevsrest(base);
    wlab_problem *p = pose("blobs", BLOBS, task, shown);
    void *s = create_state(algo, p, options);
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
        void *own = create_state(base, one, options);
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

static void test_classifiers(void **state)
{
    (void)state;
    compare_classifiers("svm", "", "ssl", "labeled=10 classes=all");
    compare_classifiers("svm", "kernel=rbf", "supervised", "classes=all");
    compare_classifiers("mfn", "", "ssl", "labeled=10 classes=all");
    compare_classifiers("tsvm", "lambda=0.01", "ssl", "labeled=10 classes=all");
    compare_classifiers("wellsvm", "kernel=rbf labelings=5", "ambiguous",
                        "candidates=2 ambiguous=0.2 classes=all");
}

static wlab_buf snapshot_of(const wlab_algo *algo, const void *s)
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
    void *a = create_state(algo, p, ""), *b = create_state(algo, p, "");
    wlab_ctx ctx = {0};
    ASSERT_OK(wlab_pool_create(&ctx.pool, 3, &err), err);
    wlab_step step = {0}, then = {0};
    int units = 0;
    int64_t phase = 0;
    for (bool end = false; !end; units++) {
        wlab_buf before = snapshot_of(algo, a);
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
    wlab_buf whole = snapshot_of(algo, a);
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

/* A change by `set` after the last binary classifier starts all of them again. */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo = wlab_onevsrest(wlab_algo_find("tsvm"));
    wlab_problem *p = pose("blobs", "n=40 classes=3 seed=5", "ssl", "labeled=9 classes=all");
    void *s = create_state(algo, p, "");
    wlab_step last;
    while ((last = stepped(algo, s, NULL)).verdict == WL_MORE)
        continue;
    assert_int_equal(last.phase, 3);
    wlab_params *params = made_params(algo->params, "", &err);
    ASSERT_OK(algo->set(s, params, &err), err);
    last = stepped(algo, s, NULL);
    assert_int_equal((int)metric(algo, s, "classifier"), 1);
    assert_int_equal(last.phase, 4); /* phases never fall */
    wlab_model *m = NULL;
    ASSERT_FAILS(algo->model(s, &m, NULL, &err), WL_ESTATE, err, "binary classifier 1 of 3");
    wlab_params_destroy(params);
    algo->destroy(s);
    wlab_problem_unref(p);
}

static void test_no_one_vs_rest(void **state)
{
    (void)state;
    wlab_err err;
    const wlab_algo *algo;
    wlab_problem *p = pose("blobs", BLOBS, "cluster", "classes=3"), *one = NULL;
    ASSERT_FAILS(wlab_algo_for(&algo, wlab_algo_find("wellsvm"), p, NULL, &err), WL_ESTATE, err,
                 "two clusters");
    ASSERT_FAILS(wlab_problem_one_vs_rest(&one, p, 0, &err), WL_ESTATE, err, "cluster");
    assert_false(wlab_algo_suits(wlab_algo_find("wellsvm"), p->task, 3));
    assert_true(wlab_algo_suits(wlab_algo_find("wellsvm"), p->task, 2));
    wlab_problem_unref(p);
    p = pose("blobs", BLOBS, "ssl", "labeled=3 classes=all");
    ASSERT_OK(wlab_algo_for(&algo, wlab_algo_find("svm"), p, NULL, &err), err);
    wlab_params *params = made_params(algo->params, "", &err);
    void *s = NULL;
    ASSERT_FAILS(algo->create(&s, p, params, NULL, &err), WL_ESTATE, err, "no row is labelled with class");
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
    ALLOC_SWEEP_OUT(wlab_problem_create(&q, data, NULL, 0, NULL, 0, ambiguous, shown, NULL, &err), q);
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
        wlab_buf b = snapshot_of(algo, s);
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
        cmocka_unit_test(test_tasks),          cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_candidates),     cmocka_unit_test(test_candidates_file),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_folds),          cmocka_unit_test(test_table),
        cmocka_unit_test(test_classifiers),    cmocka_unit_test(test_many_metrics),
        cmocka_unit_test(test_snapshots),      cmocka_unit_test(test_set),
        cmocka_unit_test(test_no_one_vs_rest), cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
