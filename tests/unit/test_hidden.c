/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores by labels that the learner never observes: for every algorithm on every task the metric of each step is what
 * `eval` prints there, or for clusters the adjusted Rand index.  It changes nothing else.  Time travel, forks, changes
 * of settings and late requests keep it.
 */
#include "run/history.h"
#include "session/commands/score.h"
#include "talk.h"
#include <math.h>

enum {
    MOST = 3 /* steps */
};

static const struct {
    const char *problem, *sets;
} places[] = {
    {"generate two-moons n=40 noise=0.35 seed=5; split test=0.25 seed=1; task ssl labeled=6 seed=1",
     "unlabeled test"},
    {"generate two-moons n=40 noise=0.35 seed=5; split test=0.25 seed=1; task cluster balance=0.1",
     "unlabeled test"},
    {"generate two-moons n=40 noise=0.35 seed=5; split test=0.25 seed=1; task supervised", "test"},
    {"generate two-moons n=48 noise=0.35 seed=5; split test=0.25 seed=1; task llp bagsize=4 seed=1",
     "unlabeled test bags"},
    {"generate two-moons n=48 noise=0.35 seed=5; split bagsize=4 test=0.25 seed=1; task llp bagsize=4 "
     "deal=all "
     "seed=1",
     "unlabeled test bags"},
    {"generate roi-bags bags=12 least=2 most=3 dims=2 rois=1 seed=1; split test=0.25 seed=1; task mil",
     "unlabeled test bags"},
    {"generate blobs n=24 classes=3 spread=3 seed=5; split test=0.25 seed=1; task ambiguous classes=all "
     "seed=1",
     "unlabeled test"},
    {"generate blobs n=24 classes=3 spread=3 seed=5; split test=0.25 seed=1; task ssl classes=all labeled=9 "
     "seed=1",
     "unlabeled test"},
    {"generate blobs n=24 classes=3 spread=3 seed=5; split test=0.25 seed=1; task cluster classes=3",
     "unlabeled test"},
};

static void exec_line(talk *t, const char *line)
{
    if (wlab_session_line(t->s, line, WL_FROM_SCRIPT, NULL, 0, &t->err))
        fail_msg("%s: %s", line, t->err.message);
}

/* The number `key` of the last object that the line printed; NaN: null. */
static double number(talk *t, const char *line, const char *key)
{
    json_array_clear(t->objects);
    exec_line(t, line);
    const json_t *o = json_array_get(t->objects, json_array_size(t->objects) - 1);
    const json_t *value = json_object_get(o, key);
    if (!value)
        fail_msg("%s prints no %s", line, key);
    return json_is_null(value) ? (double)NAN : json_number_value(value);
}

/* The adjusted Rand index of the model's clusters and the classes, by counting pairs of rows. */
static double rand_index(const wlab_run *run, const int32_t *row, int64_t n)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int outputs = wlab_problem_outputs(p);
    double f[64 * 3], both = 0, first = 0, second = 0, pairs = (double)(n * (n - 1)) / 2;
    wlab_model *model;
    wlab_matrix *x;
    wlab_err err;

    assert_true(n <= 64 && outputs <= 3);
    if (wlab_run_algo(run)->model(wlab_run_state(run), &model, NULL, &err))
        return NAN;
    ASSERT_OK(wlab_matrix_rows(&x, p->data->X, row, n, &err), err);
    ASSERT_OK(wlab_model_predict(model, x, f, NULL, &err), err);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            const bool a = wlab_decide(f + i * outputs, outputs) == wlab_decide(f + j * outputs, outputs);
            const bool b = p->data->label[row[i]] == p->data->label[row[j]];
            both += a && b;
            first += a;
            second += b;
        }
    wlab_matrix_destroy(x);
    wlab_model_destroy(model);
    const double expected = first * second / pairs, most = (first + second) / 2;
    return most - expected != 0 ? (both - expected) / (most - expected) : 1;
}

/* What the score of the set must be now; NaN: the run has no model yet. */
static double expected(talk *t, const char *set)
{
    const wlab_run *run = wlab_session_run(t->s);
    const wlab_problem *p = wlab_run_problem(run);
    char line[40];
    int64_t n;
    const int32_t *test = wlab_session_test_rows(t->s, &n);

    if (p->task->clusters)
        return strcmp(set, "test") ? rand_index(run, p->row, p->n) : rand_index(run, test, n);
    snprintf(line, sizeof line, "eval %s", set);
    if (wlab_session_line(t->s, line, WL_FROM_SCRIPT, NULL, 0, &t->err)) {
        assert_non_null(strstr(t->err.message, "no model yet"));
        return NAN;
    }
    return number(t, line,
                  strcmp(set, "bags") == 0 && p->task->scored == WL_SCORED_PROPORTIONS ? "proportion_error"
                                                                                       : "accuracy");
}

static void assert_score(double score, double of_eval)
{
    if (isnan(score) || isnan(of_eval))
        assert_true(isnan(score) && isnan(of_eval));
    else
        assert_float_equal(score, of_eval, 1e-12);
}

static bool has_set(const char *sets, const char *set)
{
    return strstr(sets, set) != NULL;
}

static void check_row(talk *t, const char *sets)
{
    const wlab_run *run = wlab_session_run(t->s);
    const wlab_trace_row *row;
    const int64_t last = wlab_run_trace(run, &row) - 1;

    for (int k = 0; wlab_hidden_names[k]; k++) {
        const int m = wlab_metric_of(wlab_run_algo(run), (wlab_role)(WL_R_HIDDEN + k));
        assert_int_equal(m >= 0, has_set(sets, wlab_hidden_names[k]));
        if (m >= 0 && last > 0)
            assert_score(row[last].metric[m], expected(t, wlab_hidden_names[k]));
    }
}

static void check_same_rows(const wlab_run *a, const wlab_run *b)
{
    const wlab_trace_row *x, *y;
    const int n = wlab_metric_count(wlab_run_algo(a));
    const int64_t rows = wlab_run_trace(a, &x);

    assert_int_equal(rows, wlab_run_trace(b, &y));
    assert_int_equal(n, wlab_metric_count(wlab_run_algo(b)));
    for (int64_t i = 0; i < rows; i++)
        for (int m = 0; m < n; m++)
            if (wlab_role_is_hidden(wlab_run_algo(a)->metrics[m].role) &&
                !(isnan(x[i].metric[m]) && isnan(y[i].metric[m])) && x[i].metric[m] != y[i].metric[m])
                fail_msg("%s, step %lld: %s is %.17g and %.17g", wlab_run_algo(a)->name, (long long)i,
                         wlab_run_algo(a)->metrics[m].name, x[i].metric[m], y[i].metric[m]);
}

static void check_same_digest(const wlab_run *a, const wlab_run *b)
{
    wlab_digest x, y;
    char what[300];

    wlab_run_digest(a, &x);
    wlab_run_digest(b, &y);
    strcpy(y.run, x.run);
    if (!wlab_digest_equal(&x, &y, true, 0, what, sizeof what))
        fail_msg("%s: the score changes the run: %s", wlab_run_algo(a)->name, what);
}

static void check_algorithm(const char *problem, const char *sets, const char *algo)
{
    talk t;
    char line[200];
    wlab_run *a, *b;

    ASSERT_OK(talk_create(&t, true, ".", NULL), t.err);
    exec_line(&t, problem);
    snprintf(line, sizeof line, "score %s on; algo %s", sets, algo);
    exec_line(&t, line);
    check_row(&t, sets);
    for (int k = 0; k < MOST; k++) {
        exec_line(&t, "step");
        check_row(&t, sets);
    }
    a = wlab_session_run(t.s);
    snprintf(line, sizeof line, "score off; algo %s; step %d", algo, MOST);
    exec_line(&t, line);
    b = wlab_session_run(t.s);
    assert_int_equal(wlab_run_scored(a), 0);
    check_same_digest(a, b);
    /* every step has a snapshot, so a late request gives the same as one at the start */
    snprintf(line, sizeof line, "score %s on; switch a", sets);
    exec_line(&t, line);
    check_same_rows(a, b);
    exec_line(&t, "goto 1; step 5");
    check_row(&t, sets);
    exec_line(&t, "fork q");
    check_same_rows(a, wlab_session_run(t.s));
    exec_line(&t, "score off");
    assert_int_equal(wlab_run_scored(b), 0);
    wlab_session_destroy(t.s);
    json_decref(t.objects);
}

static void test_all_algorithms(void **state)
{
    int made = 0;
    (void)state;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        talk t;
        ASSERT_OK(talk_create(&t, true, ".", NULL), t.err);
        exec_line(&t, places[k].problem);
        const wlab_problem *p = wlab_session_problem(t.s);
        for (int i = 0; wlab_algo_suited(p->task, p->classes, i); i++, made++)
            check_algorithm(places[k].problem, places[k].sets,
                            wlab_algo_suited(p->task, p->classes, i)->name);
        wlab_session_destroy(t.s);
        json_decref(t.objects);
    }
    assert_true(made > 50);
}

/* The metric obeys `set`: earlier steps are scored with the parameters that they had. */
static void test_changes(void **state)
{
    talk t;
    (void)state;
    ASSERT_OK(talk_create(&t, true, ".", NULL), t.err);
    exec_line(&t, "generate g50c n=80 seed=3; task ssl labeled=8 seed=1; score unlabeled on; algo wellsvm "
                  "kernel=linear "
                  "C2=0.01 eps=1e-9; step 2; set C2=1; step 2");
    const wlab_run *a = wlab_session_run(t.s);
    exec_line(&t, "score off; algo wellsvm kernel=linear C2=0.01 eps=1e-9; step 2; set C2=1; step 2; score "
                  "unlabeled on");
    check_same_rows(a, wlab_session_run(t.s));
    wlab_session_destroy(t.s);
    json_decref(t.objects);
}

/* A late request gives no score to a step that has no snapshot.  Scores that a step has already are kept when another
 * set is added. */
static void test_without_snapshots(void **state)
{
    talk t;
    const wlab_trace_row *row;
    (void)state;
    ASSERT_OK(talk_create(&t, true, ".", NULL), t.err);
    exec_line(&t, "generate g50c n=80 seed=3; split test=0.25 seed=1; task ssl labeled=8 seed=1; algo tsvm "
                  "kernel=linear");
    wlab_run_set_history(wlab_session_run(t.s), 1);
    exec_line(&t, "step 6; score unlabeled on");
    wlab_run *run = wlab_session_run(t.s);
    const int m = wlab_metric_of(wlab_run_algo(run), WL_R_HIDDEN);
    wlab_run_trace(run, &row);
    assert_false(row[3].metric[m] >= 0);
    assert_true(row[6].metric[m] >= 0);
    exec_line(&t, "step 2");
    wlab_run_trace(run, &row);
    const double was = row[7].metric[m];
    assert_true(was >= 0);
    exec_line(&t, "score test on");
    wlab_run_trace(run, &row);
    assert_true(wlab_metric_of(wlab_run_algo(run), WL_R_HIDDEN) == m && row[7].metric[m] == was);
    assert_false(row[3].metric[m] >= 0);
    wlab_session_destroy(t.s);
    json_decref(t.objects);
}

static void assert_refused(talk *t, const char *line, const char *words)
{
    json_array_clear(t->objects);
    if (!wlab_session_line(t->s, line, WL_FROM_SCRIPT, NULL, 0, &t->err))
        fail_msg("%s: no error", line);
    if (!strstr(t->err.message, words))
        fail_msg("%s: %s", line, t->err.message);
}

static void test_refusals(void **state)
{
    talk t;
    (void)state;
    ASSERT_OK(talk_create(&t, false, ".", NULL), t.err);
    exec_line(&t, "generate two-moons n=20 seed=1; task supervised");
    assert_refused(&t, "score unlabeled on", "hides no labels");
    assert_refused(&t, "score test on", "split test=0.25");
    assert_refused(&t, "score bags on", "does not learn from bags");
    assert_refused(&t, "score tests on", "unlabeled, test or bags");
    assert_refused(&t, "score on", "score what?");
    assert_refused(&t, "score unlabeled seed=1", "no settings");
    exec_line(&t, "score");
    assert_non_null(strstr(t.text, "score unlabeled is off\nscore test is off\nscore bags is off\n"));
    exec_line(&t, "task ssl labeled=4; score unlabeled on; algo svm; step");
    assert_non_null(strstr(t.text, "unlabeled*"));
    assert_non_null(strstr(t.text, "do not stop a run by it"));
    exec_line(&t,
              "break hidden_unlabeled > 0.9; continue until hidden_unlabeled > 0.5; watch hidden_unlabeled");
    const char *note = t.messages;
    for (int k = 0; k < 3; k++)
        assert_non_null(note = strstr(note + 1, "labels that the learner never observes"));
    /* a problem without the set: its runs have no score, and nothing fails */
    exec_line(&t, "task supervised; algo svm; step; runs");
    assert_int_equal(wlab_run_scored(wlab_session_run(t.s)), 0);
    /* a split after the run holds out rows on which it was trained */
    exec_line(
        &t, "task ssl labeled=4; algo svm; step; score off; split test=0.5 seed=1; task ssl labeled=4; score "
            "test on");
    assert_int_equal(wlab_run_scored(wlab_session_run(t.s)), 0);
    exec_line(&t, "algo svm; step");
    assert_int_equal(wlab_run_scored(wlab_session_run(t.s)), WL_HIDDEN_TEST);
    exec_line(&t, "new; score");
    wlab_session_destroy(t.s);
    json_decref(t.objects);
}

/* Instances whose labels are copies of their bags' have no labels of their own to score. */
static void test_copies(void **state)
{
    talk t;
    char folder[256], path[300], line[400];
    (void)state;
    snprintf(path, sizeof path, "%s/bags.csv", talk_folder(folder));
    talk_write(path, "bag,class,x\nb1,yes,1\nb1,yes,2\nb2,no,-1\nb2,no,-2\nb3,yes,0.5\nb3,yes,-0.5\n");
    ASSERT_OK(talk_create(&t, true, ".", NULL), t.err);
    snprintf(line, sizeof line, "load %s bag=bag label=class; task mil", path);
    exec_line(&t, line);
    unlink(path);
    rmdir(folder);
    assert_refused(&t, "score unlabeled on", "score bags on");
    exec_line(&t, "score bags on; algo wellsvm; step");
    check_row(&t, "bags");
    wlab_session_destroy(t.s);
    json_decref(t.objects);
}

/* Memory runs out at every allocation, and an interrupt comes: the run is unchanged, and its steps go on. */
static void test_failures(void **state)
{
    talk t;
    wlab_err err;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_digest before, after;
    char what[300];
    (void)state;
    ASSERT_OK(talk_create(&t, true, ".", NULL), t.err);
    exec_line(&t,
              "generate two-moons n=30 noise=0.3 seed=5; task ssl labeled=6 seed=1; algo wellsvm; step 2");
    wlab_run *run = wlab_session_run(t.s);
    wlab_run_digest(run, &before);
    ASSERT_FAILS(wlab_run_score(run, WL_HIDDEN_UNLABELED, NULL, 0, &ctx, &err), WL_EINTERRUPTED, err,
                 "interrupted");
    assert_int_equal(wlab_run_scored(run), 0);
    ALLOC_SWEEP_CHECK(wlab_run_score(run, WL_HIDDEN_UNLABELED, NULL, 0, NULL, &err),
                      assert_int_equal(wlab_run_scored(run), 0));
    assert_int_equal(wlab_run_scored(run), WL_HIDDEN_UNLABELED);
    wlab_run_digest(run, &after);
    assert_true(wlab_digest_equal(&before, &after, true, 0, what, sizeof what));
    exec_line(&t, "goto 1; step");
    check_row(&t, "unlabeled");
    wlab_session_destroy(t.s);
    json_decref(t.objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_algorithms),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_without_snapshots),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
