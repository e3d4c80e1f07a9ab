/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results: conversion to JSON and back; computed results, which must equal those of the same lines at the prompt.
 */
#include "same_result.h"
#include "unit/talk.h"

#include "study/experiment/result.h"
#include <stdatomic.h>

static const wlab_places places = {talk_nowhere, talk_nowhere, ".", talk_build, NULL};

/* The experiment with its cells, with keys that do not depend on the content of data files. */
static wlab_experiment *experiment(const char *text)
{
    wlab_err err;
    wlab_experiment *e = NULL;
    ASSERT_OK(wlab_experiment_parse(&e, text, strlen(text), "test.wexp", &err), err);
    for (int i = 0; i < e->ndata; i++)
        if (!e->data[i].drawn)
            memset(e->data[i].sha256, 'a', 64);
    ASSERT_OK(wlab_experiment_plan(e, &err), err);
    return e;
}

static wlab_result compute(const wlab_experiment *e, int64_t number)
{
    wlab_err err;
    wlab_result r = {0};
    ASSERT_OK(wlab_result_compute(&r, e, &e->cell[number - 1], &places, NULL, &err), err);
    return r;
}

/* ---- JSON ---- */

static void round_trip(const wlab_result *r)
{
    wlab_err err;
    wlab_result back = {0};
    json_error_t why;
    json_t *o = wlab_result_json(r);
    assert_non_null(o);
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_t *again = json_loads(text, 0, &why);
    assert_non_null(again);
    ASSERT_OK(wlab_result_read(&back, again, &err), err);
    same_result(r, &back);
    wlab_result_clear(&back);
    ALLOC_SWEEP_CHECK(wlab_result_read(&back, o, &err), assert_null(back.session));
    same_result(r, &back);
    wlab_result_clear(&back);
    json_decref(o);
    json_decref(again);
    free(text);
}

static const char moons[] = "generate two-moons n=60 noise=0.1\n"
                            "split test=0.25\n"
                            "task ssl labeled=6\n"
                            "method SVM algo svm kernel=rbf\n"
                            "method Tuned algo svm kernel=rbf sigma={1x,0.5x}\n"
                            "    or algo wellsvm kernel=rbf C2={0.1,1} labelings=5\n"
                            "tune folds=3\n"
                            "repeat 2\n";

static void test_json(void **state)
{
    wlab_experiment *e = experiment(moons);
    (void)state;

    for (int64_t number = 1; number <= 2; number++) {
        wlab_result r = compute(e, number);
        assert_null(r.error);
        assert_true(number == 1 ? !r.tuning : json_is_object(r.tuning));
        round_trip(&r);
        r.error = wlab_strdup("x.csv:3: not a \"number\"");
        r.digest = wlab_free(r.digest);
        r.verdict = wlab_free(r.verdict);
        round_trip(&r);
        wlab_result_clear(&r);
    }
    wlab_experiment_free(e);
}

static void test_malformed(void **state)
{
    static const struct {
        const char *name, *json;
    } wrong[] = {
        {"key", "\"AB\""},   {"key", "7"},
        {"number", "0"},     {"number", "1.5"},
        {"iter", "-1"},      {"iter", "\"x\""},
        {"seconds", "-0.5"}, {"seconds", "null"},
        {"scores", "[1]"},   {"scores", "{\"accuracy\":\"high\"}"},
        {"tuning", "3"},     {"session", "null"},
        {"session", "{}"},   {"digest", "null"},
        {"scores", "null"},
    };
    wlab_err err;
    wlab_result back = {0};
    wlab_experiment *e = experiment(moons);
    wlab_result r = compute(e, 1);
    json_t *good = wlab_result_json(&r), *list = json_array();
    (void)state;

    ASSERT_FAILS(wlab_result_read(&back, list, &err), WL_EINPUT, err, "not a result");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *o = json_deep_copy(good);
        json_error_t why;
        assert_int_equal(
            json_object_set_new(o, wrong[i].name, json_loads(wrong[i].json, JSON_DECODE_ANY, &why)), 0);
        ASSERT_FAILS(wlab_result_read(&back, o, &err), WL_EINPUT, err, "not a result");
        assert_null(back.session);
        json_decref(o);
    }
    json_decref(list);
    json_decref(good);
    wlab_result_clear(&r);
    wlab_experiment_free(e);
}

/* ---- computing ---- */

/* The last object of this type that the session printed. */
static json_t *last_reported(const talk *t, const char *type)
{
    json_t *last = NULL, *o;
    size_t i;
    json_array_foreach(t->objects, i, o) if (strcmp(json_string_value(json_object_get(o, "type")), type) == 0)
        last = o;
    assert_non_null(last);
    return last;
}

static void execute_all(talk *t, char **line, int n)
{
    for (int i = 0; i < n; i++)
        EXEC(t, line[i]);
    wlab_list_free(line, n);
}

/* Executes the cell's lines in a session, with this algorithm. */
static void run_session(talk *t, const wlab_experiment *e, const wlab_cell *cell, const char *parameters)
{
    char **line = NULL, text[300];
    int n = 0;
    talk_begin(t, true, ".");
    ASSERT_OK(wlab_cell_before(e, cell, &line, &n, &t->err), t->err);
    execute_all(t, line, n);
    snprintf(text, sizeof text, "algo %s", parameters);
    EXEC(t, text);
    ASSERT_OK(wlab_cell_after(e, cell, &line, &n, &t->err), t->err);
    execute_all(t, line, n);
}

/* The replay of the recorded session gives the same result. */
static void assert_replays(const wlab_result *r)
{
    talk t;
    char path[256];
    support_temp_file(path, ".wlab", r->session, strlen(r->session));
    talk_begin(&t, false, ".");
    ASSERT_OK(wlab_session_replay(t.s, path, true, 1e-6, 0, &t.err), t.err);
    assert_non_null(strstr(t.messages, "all equal bit for bit"));
    talk_end(&t);
    unlink(path);
}

static void assert_same_as_session(const wlab_experiment *e, int64_t number)
{
    talk t;
    wlab_result r = compute(e, number);
    const char *name;
    json_t *value;
    int numbers = 0;

    if (r.error)
        fail_msg("cell %lld failed: %s", (long long)number, r.error);
    assert_int_equal(r.number, number);
    assert_string_equal(r.key, e->cell[number - 1].key);
    run_session(&t, e, &e->cell[number - 1], r.parameters);
    json_object_foreach(last_reported(&t, "eval"), name,
                        value) if (json_is_number(value) && strcmp(name, "iter") != 0)
    {
        assert_true(json_equal(value, json_object_get(r.scores, name)));
        numbers++;
    }
    assert_true(numbers >= 4);
    /* the metrics after the last step, but not the time it took */
    json_object_foreach(json_object_get(last_reported(&t, "step"), "metrics"), name, value)
    {
        if (strcmp(name, "seconds") == 0)
            assert_null(json_object_get(r.scores, name));
        else if (!json_object_get(last_reported(&t, "eval"), name))
            assert_true(json_equal(value, json_object_get(r.scores, name)));
    }
    wlab_digest digest;
    wlab_buf text = {0};
    wlab_run_digest(wlab_session_run(t.s), &digest);
    assert_int_equal(wlab_digest_format(&digest, &text), WL_OK);
    assert_string_equal(r.digest, (const char *)text.data);
    assert_non_null(strstr(r.session, r.digest));
    wlab_buf_clear(&text);
    assert_int_equal(r.iter, wlab_run_iter(wlab_session_run(t.s)));
    assert_string_equal(r.verdict, wlab_verdict_names[wlab_run_verdict(wlab_session_run(t.s))]);
    assert_true(r.seconds > 0);
    assert_true((r.tuning_seconds > 0) == (r.tuning != NULL));
    assert_replays(&r);
    talk_end(&t);
    wlab_result_clear(&r);
}

static void test_computed(void **state)
{
    wlab_experiment *e = experiment(moons);
    (void)state;

    assert_int_equal(e->cells, 4);
    for (int64_t number = 1; number <= e->cells; number++)
        assert_same_as_session(e, number);
    wlab_experiment_free(e);
}

/* Scores of several sets of rows: those of the first set have plain names, the others a prefix. */
static void test_several_rows(void **state)
{
    wlab_experiment *e = experiment("generate two-moons n=80 noise=0.2\nsplit test=0.25\ntask ssl labeled=6\n"
                                    "method a algo svm\neval unlabeled test train\n");
    wlab_result r = compute(e, 1);
    static const char *const rows[] = {"unlabeled", "test", "train"};
    static const int counts[] = {54, 20, 60};
    talk t;
    (void)state;

    assert_null(r.error);
    run_session(&t, e, &e->cell[0], r.parameters);
    for (int i = 0; i < 3; i++) {
        char line[40], name[40];
        snprintf(line, sizeof line, "eval %s", rows[i]);
        EXEC(&t, line);
        for (int k = 0; k < 2; k++) {
            const char *what = k ? "auc" : "accuracy";
            snprintf(name, sizeof name, i ? "%s_%s" : "%.0s%s", rows[i], what);
            assert_true(json_is_number(json_object_get(r.scores, name)));
            assert_true(json_equal(json_object_get(r.scores, name),
                                   json_object_get(last_reported(&t, "eval"), what)));
        }
        snprintf(name, sizeof name, i ? "%s_n" : "%.0sn", rows[i]);
        assert_int_equal(json_integer_value(json_object_get(r.scores, name)), counts[i]);
    }
    assert_null(json_object_get(r.scores, "unlabeled_accuracy"));
    assert_replays(&r);
    talk_end(&t);
    wlab_result_clear(&r);
    wlab_experiment_free(e);
}

static void test_tuned(void **state)
{
    wlab_experiment *e = experiment(moons);
    wlab_result r = compute(e, 2), again = compute(e, 2);
    json_t *list = json_object_get(r.tuning, "candidates"), *o;
    double best = -1;
    size_t i, at = 0;
    (void)state;

    assert_int_equal(json_array_size(list), 4);
    json_array_foreach(list, i, o) if (json_number_value(json_object_get(o, "score")) > best)
    {
        best = json_number_value(json_object_get(o, "score"));
        at = i;
    }
    o = json_array_get(list, at);
    assert_string_equal(r.parameters, json_string_value(json_object_get(o, "parameters")));
    assert_int_equal(json_integer_value(json_object_get(r.tuning, "best")), at);
    assert_string_equal(json_string_value(json_object_get(r.tuning, "by")), "accuracy");
    assert_true(json_is_false(json_object_get(r.tuning, "oracle")));
    assert_int_equal(json_integer_value(json_object_get(r.tuning, "folds")), 3);
    /* the session has the choice, with the tuning's seed, before its algorithm */
    const char *chosen = strstr(r.session, "\n# chosen by `tune folds=3 seed=1`: accuracy ");
    assert_non_null(chosen);
    assert_non_null(strstr(chosen, ", the best of 4\nalgo "));
    assert_true(json_equal(r.tuning, again.tuning) && json_equal(r.scores, again.scores));
    assert_string_equal(r.session, again.session);
    wlab_result_clear(&r);
    wlab_result_clear(&again);
    r = compute(e, 4);
    assert_non_null(strstr(r.session, "\n# chosen by `tune folds=3 seed=2`: accuracy "));
    assert_non_null(strstr(r.session, " seed=2\n"));
    wlab_result_clear(&r);
    wlab_experiment_free(e);
}

/* Data from a file; folds; the number of threads outside has no effect. */
static void test_file_and_folds(void **state)
{
    wlab_err err;
    wlab_pool *pool = NULL;
    wlab_result r = {0}, one;
    char text[600], cwd[300];
    (void)state;

    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(
        text, sizeof text,
        "load %s/datasets/two-moons-noisy.libsvm as moons\nsplit folds=3\ntask ssl labeled=10%%\nscale "
        "zscore\n"
        "method W algo wellsvm kernel=linear labelings=4\nrepeat 2\ncontinue until gap < 1e-2\neval train\n",
        cwd);
    wlab_experiment *e = experiment(text);
    assert_int_equal(e->cells, 6);
    assert_same_as_session(e, 1);
    assert_same_as_session(e, 6);
    ASSERT_OK(wlab_pool_create(&pool, 2, &err), err);
    wlab_ctx ctx = {.pool = pool};
    ASSERT_OK(wlab_result_compute(&r, e, &e->cell[4], &places, &ctx, &err), err);
    one = compute(e, 5);
    assert_string_equal(r.session, one.session);
    assert_true(json_equal(r.scores, one.scores));
    assert_non_null(strstr(r.session, "#@ weaklab " WLAB_VERSION " session 5  build=0123456789abcdef "));
    assert_non_null(strstr(r.session, "\n#@ data moons rows="));
    wlab_result_clear(&r);
    wlab_result_clear(&one);
    wlab_pool_destroy(pool);
    wlab_experiment_free(e);
}

/* ---- cells that fail ---- */

static void assert_fails(const char *text, const char *data, const char *why, const char *recorded)
{
    char path[256], whole[600];
    support_temp_file(path, ".libsvm", data, strlen(data));
    snprintf(whole, sizeof whole, "load %s as x\n%s", path, text);
    wlab_experiment *e = experiment(whole);
    wlab_result r = compute(e, 1);
    if (!r.error || !strstr(r.error, why))
        fail_msg("failed with \"%s\" instead of \"...%s...\"", r.error ? r.error : "nothing", why);
    assert_non_null(strstr(r.session, recorded));
    assert_null(r.digest);
    assert_null(r.scores);
    assert_string_equal(r.key, e->cell[0].key);
    round_trip(&r);
    wlab_result_clear(&r);
    wlab_experiment_free(e);
    unlink(path);
}

static void test_failures(void **state)
{
    static const char rest[] = "task supervised\nmethod A algo svm\neval train\n";
    static const char two[] = "+1 1:1 2:1\n-1 1:2 2:0.5\n+1 1:1.5 2:1\n-1 1:3\n";
    (void)state;

    assert_fails(rest, "+1 1:1\n+1 1:2\n+1 1:3\n", "class", "# failed: task supervised");
    assert_fails(rest, "+1 1:1\n-1 1:x\n", ".libsvm:2: ", "# failed: load ");
    assert_fails("task ssl labeled=2\nmethod A algo svm C={1,10}\ntune folds=2\n", two, "two labelled rows",
                 "task ssl labeled=2");
    assert_fails("task ssl labeled=300\nmethod A algo svm\n", two, "300", "# failed: task ssl labeled=300");
    assert_fails("task supervised\nmethod A algo svm kernel=poly degree=9\neval train\n",
                 "+1 1:1e38\n-1 1:-1e38\n+1 1:1\n-1 1:3\n", "not a finite number", "# failed: continue");
}

static void test_gone(void **state)
{
    wlab_experiment *e =
        experiment("load /no/such/file.csv as x\ntask supervised\nmethod A algo svm\neval train\n");
    wlab_result r = compute(e, 1);
    (void)state;

    assert_non_null(r.error);
    assert_non_null(strstr(r.error, "/no/such/file.csv"));
    wlab_result_clear(&r);
    wlab_experiment_free(e);
}

/* If the data changed after the check, there is no result under the key of the checked data, failed or not. */
static void test_changed(void **state)
{
    static const char data[] = "+1 1:1 2:1\n-1 1:2 2:0.5\n+1 1:1.5 2:1\n-1 1:3\n";
    static const char *const later[] = {"+1 1:1 2:2\n-1 1:2 2:0.5\n+1 1:1.5 2:1\n-1 1:3\n",
                                        "+1 1:1 2:1\n+1 1:2 2:0.5\n"};
    char path[256], whole[600];
    wlab_experiment *e = NULL;
    wlab_err err = {0};
    (void)state;

    support_temp_file(path, ".libsvm", data, strlen(data));
    snprintf(whole, sizeof whole,
             "load %s as x\nscale minmax\ntask supervised\nmethod A algo svm\neval train\n", path);
    ASSERT_OK(wlab_experiment_parse(&e, whole, strlen(whole), "x.wexp", &err), err);
    ASSERT_OK(wlab_experiment_check(e, &places, NULL, &err), err);
    wlab_result r = compute(e, 1);
    assert_null(r.error);
    wlab_result_clear(&r);
    for (int i = 0; i < 2; i++) {
        talk_write(path, later[i]);
        ASSERT_FAILS(wlab_result_compute(&r, e, &e->cell[0], &places, NULL, &err), WL_EINPUT, err,
                     "changed during the sweep");
    }
    wlab_experiment_free(e);
    unlink(path);
}

static void test_interrupted(void **state)
{
    wlab_err err;
    wlab_result r = {0};
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_experiment *e = experiment(moons);
    (void)state;

    for (int64_t i = 0; i < 2; i++)
        ASSERT_FAILS(wlab_result_compute(&r, e, &e->cell[i], &places, &ctx, &err), WL_EINTERRUPTED, err,
                     "interrupted");
    assert_null(r.session);
    wlab_experiment_free(e);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    wlab_err err;
    wlab_result r = {0};
    wlab_experiment *e = experiment("generate two-moons n=16 noise=0.1 seed=3\ntask ssl labeled=6\n"
                                    "method A algo svm kernel=rbf C={1,10}\ntune folds=2\nrepeat 1\n");
    wlab_result expected = compute(e, 1);
    (void)state;

    assert_null(expected.error);
    wlab_alloc_fail_at(1000000);
    wlab_result_clear(&r);
    r = compute(e, 1);
    long n = wlab_alloc_count();
    wlab_alloc_fail_at(0);
    wlab_result_clear(&r);
    for (long k = 1; k <= n; k++) {
        wlab_alloc_fail_at(k);
        wlab_code code = wlab_result_compute(&r, e, &e->cell[0], &places, NULL, &err);
        wlab_alloc_fail_at(0);
        if (code == WL_OK) { /* only a snapshot or a line of history could not be stored */
            r.seconds = expected.seconds;
            r.tuning_seconds = expected.tuning_seconds;
            same_result(&r, &expected);
            wlab_result_clear(&r);
        } else if (code != WL_ENOMEM) {
            fail_msg("code %d when allocation %ld of %ld fails: %s", (int)code, k, n, err.message);
        }
        assert_null(r.session);
    }
    wlab_result_clear(&expected);
    wlab_experiment_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),     cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_computed), cmocka_unit_test(test_several_rows),
        cmocka_unit_test(test_tuned),    cmocka_unit_test(test_file_and_folds),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_gone),
        cmocka_unit_test(test_changed),  cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
