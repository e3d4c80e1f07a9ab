/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of an experiment from its store, its tables, and the command `table`.
 */
#include "unit/talk.h"

#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/table/parts.h"

static const char plain_[] = "title Small & quick\n"
                             "generate two-moons n=40 as moons\n"
                             "generate blobs n=40\n"
                             "split test=0.25\n"
                             "task ssl labeled={2,4}\n"
                             "method SVM algo svm C={1,10}\n"
                             "method WellSVM algo wellsvm\n"
                             "tune folds=2\n"
                             "repeat 3\n"
                             "published SVM labeled=2 repeats=10 moons=.7+-.1\n"
                             "table against=SVM level=0.2\n"
                             "curve accuracy vs labeled\n"
                             "table score=seconds digits=1\n"
                             "table level=0.2 against=SVM format=latex\n";
static const char folded_[] = "generate two-moons n=40 as moons\n"
                              "split folds=4\n"
                              "task ssl labeled=4\n"
                              "method SVM algo svm\n"
                              "method WellSVM algo wellsvm\n"
                              "repeat {5,7}\n";

static wlab_buf skipped; /* the tables without a score; empty except in one test */

/* ---- a store ---- */

static char folder[256], dir[300];

static int setup(void **state)
{
    (void)state;
    talk_folder(folder);
    snprintf(dir, sizeof dir, "%s/results", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char line[700];

    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line);
}

static bool mixed = false; /* cells of two builds; some candidates failed */

/* A score that encodes its cell. */
static double score_of(const wlab_cell *c)
{
    return 0.5 + 0.1 * c->setting + 0.01 * c->data + 0.002 * c->method * (double)(c->seed % 5) +
           0.0001 * (double)c->seed + 1e-6 * c->fold;
}

enum {
    DONE,
    FAILS,
    EMPTY,
    LEFT
};

/* What happens to a cell: the first two cells of WellSVM on blobs fail, one cell of SVM has no accuracy, the last
 * cell is missing, all others are done. whole: all are done. */
static int fate(const wlab_experiment *e, const wlab_cell *c, bool whole)
{
    if (whole)
        return DONE;
    if (c->data == 1 && c->method == 1 && c->setting == 0 && c->seed < 3)
        return FAILS;
    if (c->data == 0 && c->method == 0 && c->setting == 1 && c->seed == 2)
        return EMPTY;
    return c->number == e->cells ? LEFT : DONE;
}

static void put_result(wlab_store *store, const wlab_experiment *e, const wlab_cell *c, int fate, bool oracle)
{
    wlab_err err;
    wlab_result r = {.number = c->number};

    memcpy(r.key, c->key, sizeof r.key);
    r.session = wlab_strdup("#@ none\n");
    r.version = wlab_strdup(WLAB_VERSION);
    r.build = wlab_strdup(mixed && c->seed == 2 ? "fedcba9876543210" : "0123456789abcdef");
    if (fate == FAILS)
        r.error = wlab_format("task: only one class, seed %lld", (long long)c->seed);
    else {
        r.parameters = wlab_strdup("svm");
        r.verdict = wlab_strdup("converged");
        r.digest = wlab_format("run=a iter=%lld", (long long)c->number);
        r.scores = json_pack("{s:o, s:i}", "accuracy", fate == EMPTY ? json_null() : json_real(score_of(c)),
                             "auc", 1);
        r.seconds = (double)c->number;
        r.iter = 7;
        if (e->method[c->method].candidates > 1)
            r.tuning = json_pack("{s:s, s:b}", "by", "accuracy", "oracle", (int)oracle);
        if (r.tuning && mixed && c->seed > 1)
            (void)json_object_set_new(r.tuning, "failure",
                                      json_sprintf("C=\"%lld\" is \"failure\"", (long long)c->seed));
    }
    ASSERT_OK(wlab_store_put(store, &r, &err), err);
    wlab_result_clear(&r);
}

/* The store at `dir`, open for reading. */
static wlab_store *make_store(const char *text, bool whole, bool oracle)
{
    wlab_experiment *e = NULL;
    wlab_store *store = NULL;
    wlab_err err;
    int64_t kept = 0;

    ASSERT_OK(wlab_experiment_parse(&e, text, strlen(text), "small.wexp", &err), err);
    ASSERT_OK(wlab_experiment_plan(e, &err), err);
    ASSERT_OK(wlab_store_open(&store, dir, true, NULL, &err), err);
    ASSERT_OK(wlab_store_plan(store, e, false, &kept, &err), err);
    for (int64_t i = e->cells - 1; i >= 0; i--) { /* the last cell first: the order has no effect */
        int what = fate(e, &e->cell[i], whole);

        if (what != LEFT)
            put_result(store, e, &e->cell[i], what, oracle);
    }
    wlab_store_close(store);
    wlab_experiment_free(e);
    store = NULL;
    ASSERT_OK(wlab_store_open(&store, dir, false, NULL, &err), err);
    return store;
}

/* ---- values ---- */

static void values(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, false, false);
    wlab_values v = {0};
    wlab_err err;
    int found = 0;

    ASSERT_OK(wlab_values_read(&v, store, "accuracy", NULL, &err), err);
    assert_true(v.replicates == 3 && v.missing == 1 && v.failed == 2 && v.empty == 1 && !v.oracle);
    assert_true(v.builds == 1 && v.untrained == NULL);
    assert_string_equal(v.failure, "blobs labeled=2, WellSVM: 2 failed: task: only one class, seed 1");
    for (int64_t i = 0; i < v.e->cells; i++) {
        const wlab_cell *c = &v.e->cell[i];
        double x = wlab_values_at(&v, c->setting, c->data, c->method)[c->seed - 1];

        assert_true(fate(v.e, c, false) == DONE ? x == score_of(c) : isnan(x));
        found += !isnan(x);
    }
    assert_int_equal(found, 24 - 4);
    wlab_values_clear(&v);
    ASSERT_OK(wlab_values_read(&v, store, "seconds", NULL, &err), err);
    assert_true(wlab_values_at(&v, 0, 0, 0)[0] == 1 && v.empty == 0);
    wlab_values_clear(&v);
    ASSERT_OK(wlab_values_read(&v, store, "iter", NULL, &err), err);
    assert_true(wlab_values_at(&v, 0, 0, 1)[2] == 7);
    wlab_values_clear(&v);
    ASSERT_FAILS(wlab_values_read(&v, store, "acuracy", NULL, &err), WL_EARG, err,
                 "did you mean \"accuracy\"?");
    ASSERT_FAILS(wlab_values_read(&v, store, "zzz", NULL, &err), WL_EARG, err, "auc");
    assert_null(v.e);
    ALLOC_SWEEP_CHECK(wlab_values_read(&v, store, "accuracy", NULL, &err), assert_null(v.value));
    wlab_values_clear(&v);
    wlab_store_close(store);
}

/* The errors in place of the accuracies; the values of some methods alone; settings exchanged with data sets. */
static void views(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, false, false);
    wlab_values v = {0}, transposed = {0};
    wlab_err err;

    ASSERT_OK(wlab_values_read(&v, store, "error", NULL, &err), err);
    for (int64_t i = 0; i < v.e->cells; i++) {
        const wlab_cell *c = &v.e->cell[i];
        double x = wlab_values_at(&v, c->setting, c->data, c->method)[c->seed - 1];

        assert_true(fate(v.e, c, false) == DONE ? x == 1 - score_of(c) : isnan(x));
    }
    ASSERT_NEAR(v.e->published[0].mean, 0.3, 1e-15);
    assert_true(wlab_score_lower("error") && wlab_score_lower("unlabeled_error") &&
                wlab_score_lower("J_best"));
    wlab_values_clear(&v);
    ASSERT_FAILS(wlab_values_read(&v, store, "test_error", NULL, &err), WL_EARG, err,
                 "there are accuracy, error, auc");
    ASSERT_FAILS(wlab_values_read(&v, store, "terror", NULL, &err), WL_EARG, err, "did you mean \"error\"?");

    /* the failed cells and the missing one are of WellSVM, the empty one is of SVM */
    ASSERT_OK(wlab_values_read(&v, store, "accuracy", "WellSVM", &err), err);
    assert_true(v.e->nmethods == 1 && v.e->cells == 12 && v.e->npublished == 0);
    assert_true(v.missing == 1 && v.failed == 2 && v.empty == 0);
    for (int64_t i = 0; i < v.e->cells; i++) {
        wlab_cell c = v.e->cell[i];
        double x = wlab_values_at(&v, c.setting, c.data, c.method)[c.seed - 1];

        assert_true(c.method == 0);
        c.method = 1;
        assert_true(isnan(x) || x == score_of(&c));
    }
    wlab_values_clear(&v);
    ASSERT_OK(wlab_values_read(&v, store, "accuracy", "SVM", &err), err);
    assert_true(v.missing == 0 && v.failed == 0 && v.empty == 1 && !v.failure && v.e->npublished == 1);
    wlab_values_clear(&v);
    ASSERT_FAILS(wlab_values_read(&v, store, "accuracy", "SVM,WelSVM", &err), WL_EARG, err,
                 "did you mean \"WellSVM\"?");
    ASSERT_FAILS(wlab_values_read(&v, store, "accuracy", "", &err), WL_EARG, err, "the first is \"SVM\"");
    ALLOC_SWEEP_CHECK(wlab_values_read(&v, store, "error", "SVM", &err), assert_null(v.value));
    wlab_values_clear(&v);

    ASSERT_OK(wlab_values_read(&v, store, "accuracy", NULL, &err), err);
    ASSERT_OK(wlab_values_read(&transposed, store, "accuracy", NULL, &err), err);
    ALLOC_SWEEP(wlab_values_transpose(&transposed, &err));
    if (!transposed.transposed)
        ASSERT_OK(wlab_values_transpose(&transposed, &err), err);
    assert_string_equal(transposed.e->data[1].name, "labeled=4");
    assert_string_equal(transposed.e->setting[1].name, "blobs");
    for (int s = 0; s < 2; s++)
        for (int d = 0; d < 2; d++)
            for (int m = 0; m < 2; m++)
                assert_memory_equal(wlab_values_at(&v, s, d, m), wlab_values_at(&transposed, d, s, m),
                                    3 * sizeof(double));
    wlab_values_clear(&v);
    wlab_values_clear(&transposed);
    wlab_store_close(store);
}

/* rows=settings: one table per data set, without ranks; CSV and JSON are unchanged. */
static void turned_tables(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, false, false);
    wlab_params *p = NULL;
    wlab_buf out = {0}, csv[2] = {{0}};
    wlab_err err;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    ASSERT_OK(wlab_params_set(p, "rows", "settings", &err), err);
    ASSERT_OK(wlab_table_write(store, p, &out, &skipped, &err), err);
    const char *text = (const char *)out.data, *at = strstr(text, "blobs: accuracy (test), mean +- standard");
    assert_non_null(strstr(text, "moons: accuracy (test), mean +- standard"));
    assert_non_null(at);
    assert_non_null(at = strstr(at, "\nlabeled=2 "));
    assert_non_null(strstr(at, "\nlabeled=4 "));
    assert_null(strstr(text, "rank"));
    assert_non_null(strstr(text, "0.7+-0.1")); /* the published number of moons at labeled=2 */
    wlab_buf_clear(&out);
    ASSERT_OK(wlab_params_set(p, "format", "csv", &err), err);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(wlab_params_set(p, "rows", i ? "settings" : "data", &err), err);
        ASSERT_OK(wlab_table_write(store, p, &csv[i], &skipped, &err), err);
    }
    assert_true(csv[0].len == csv[1].len && !memcmp(csv[0].data, csv[1].data, csv[0].len));
    wlab_buf_clear(&csv[0]);
    wlab_buf_clear(&csv[1]);
    wlab_params_destroy(p);
    wlab_store_close(store);
}

static void folds(void **state)
{
    (void)state;
    wlab_store *store = make_store(folded_, true, false);
    wlab_values v = {0};
    wlab_err err;

    ASSERT_OK(wlab_values_read(&v, store, "accuracy", NULL, &err), err);
    assert_true(v.replicates == 8 && v.missing == 0 && v.failed == 0 && v.empty == 0 && !v.failure);
    for (int64_t i = 0; i < v.e->cells; i++) {
        const wlab_cell *c = &v.e->cell[i];

        assert_true(c->fold >= 1 && c->fold <= 4);
        assert_true(wlab_values_at(&v, 0, 0, c->method)[(c->seed == 7) * 4 + c->fold - 1] == score_of(c));
    }
    wlab_values_clear(&v);
    wlab_store_close(store);
}

/* ---- tables ---- */

static json_t *tables(const wlab_store *store, const char *key, const char *value)
{
    wlab_params *p = NULL;
    wlab_err err;
    json_t *o = NULL;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    if (key)
        ASSERT_OK(wlab_params_set(p, key, value, &err), err);
    ASSERT_OK(wlab_table_json(store, p, &o, &skipped, &err), err);
    wlab_params_destroy(p);
    return o;
}

static const char *word(const json_t *tables, size_t i, const char *name)
{
    return json_string_value(json_object_get(json_array_get(tables, i), name));
}

/* The experiment's lines: the third gives the first table again, because format= is ignored. */
static void reports(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, false, false);
    json_t *o = tables(store, NULL, NULL), *list = json_object_get(o, "tables"), *cell;

    assert_string_equal(json_string_value(json_object_get(o, "title")), "Small & quick");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(word(list, 0, "score"), "accuracy");
    assert_string_equal(word(list, 0, "against"), "SVM");
    assert_string_equal(word(list, 1, "score"), "seconds");
    assert_string_equal(word(list, 1, "better"), "low");
    assert_null(word(list, 1, "against"));
    cell = json_object_get(json_array_get(json_object_get(json_array_get(list, 0), "settings"), 0), "rows");
    cell = json_array_get(json_object_get(json_array_get(cell, 0), "cells"), 0);
    assert_true(json_number_value(json_object_get(json_object_get(cell, "published"), "n")) == 10);
    json_decref(o);

    o = tables(store, "against", "WellSVM"); /* given by hand: in all of them */
    list = json_object_get(o, "tables");
    assert_string_equal(word(list, 0, "against"), "WellSVM");
    assert_string_equal(word(list, 1, "against"), "WellSVM");
    json_decref(o);
    wlab_store_close(store);
}

static void oracle(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, true, true);
    wlab_params *p = NULL;
    wlab_buf out = {0};
    wlab_err err;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    ASSERT_OK(wlab_table_write(store, p, &out, &skipped, &err), err);
    assert_non_null(strstr((const char *)out.data, "SVM (oracle)"));
    assert_null(strstr((const char *)out.data, "WellSVM (oracle)"));
    assert_non_null(strstr((const char *)out.data, "the settings were chosen with the true labels"));
    assert_null(strstr((const char *)out.data, "missing"));
    assert_null(strstr((const char *)out.data, "not computed"));
    wlab_buf_clear(&out);
    wlab_params_destroy(p);
    wlab_store_close(store);
}

/* The programs that computed the cells, and candidates that could not be trained, are noted below. */
static void provenance(void **state)
{
    (void)state;
    mixed = true;
    wlab_store *store = make_store(plain_, true, false);
    wlab_values v = {0};
    wlab_params *p = NULL;
    wlab_buf out = {0};
    wlab_err err;

    mixed = false;
    ASSERT_OK(wlab_values_read(&v, store, "accuracy", NULL, &err), err);
    assert_int_equal(v.builds, 2);
    assert_string_equal(v.untrained, "SVM: some candidates could not be trained: C=\"2\" is \"failure\"");
    ALLOC_SWEEP_CHECK((wlab_values_clear(&v), wlab_values_read(&v, store, "accuracy", NULL, &err)),
                      assert_null(v.value));
    wlab_values_clear(&v);
    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    ASSERT_OK(wlab_table_write(store, p, &out, &skipped, &err), err);
    assert_non_null(strstr((const char *)out.data, "\ncomputed by 2 builds of weaklab, "));
    assert_non_null(strstr((const char *)out.data, "\nSVM: some candidates could not be trained: C=\"2\""));
    wlab_buf_clear(&out);
    wlab_params_destroy(p);
    wlab_store_close(store);
}

/* A table whose score no result has is left out; if it is the only one, that is an error. */
static void lacking(void **state)
{
    (void)state;
    wlab_store *store =
        make_store("generate two-moons n=40 as moons\ntask ssl labeled=4\nmethod SVM algo svm\n"
                   "table score=precision\ntable\ntable score=tp\n",
                   true, false);
    wlab_params *p = NULL;
    wlab_buf out = {0};
    json_t *o;
    wlab_err err;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    ASSERT_OK(wlab_table_write(store, p, &out, &skipped, &err), err);
    assert_non_null(strstr((const char *)out.data, "accuracy"));
    assert_null(strstr((const char *)out.data, "precision"));
    assert_non_null(strstr((const char *)skipped.data, "\"precision\""));
    assert_non_null(strstr((const char *)skipped.data, "\n"));
    assert_non_null(strstr((const char *)skipped.data, "\"tp\""));
    ASSERT_OK(wlab_table_json(store, p, &o, &skipped, &err), err);
    assert_int_equal(json_array_size(json_object_get(o, "tables")), 1);
    json_decref(o);
    wlab_buf_clear(&out);
    wlab_buf_clear(&skipped);
    ASSERT_OK(wlab_params_set(p, "score", "precision", &err), err);
    assert_int_equal(wlab_table_write(store, p, &out, &skipped, &err), WL_EARG);
    assert_non_null(strstr(err.message, "no result has a score \"precision\""));
    assert_true(out.len == 0 && skipped.len == 0);
    wlab_params_destroy(p);
    wlab_store_close(store);
}

static wlab_code write_out(const wlab_store *store, const wlab_params *p, wlab_err *err)
{
    wlab_buf out = {0};
    wlab_code code = wlab_table_write(store, p, &out, &skipped, err);

    if (code)
        assert_true(out.len == 0);
    wlab_buf_clear(&out);
    return code;
}

static void memory(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, false, true);
    wlab_params *p = NULL;
    wlab_err err;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    ALLOC_SWEEP(write_out(store, p, &err));
    ASSERT_OK(wlab_params_set(p, "format", "csv", &err), err);
    ALLOC_SWEEP(write_out(store, p, &err));
    wlab_params_destroy(p);
    wlab_store_close(store);
}

/* ---- the command ---- */

static void start_session(talk *t, bool json)
{
    talk_begin(t, json, folder);
    ASSERT_OK(wlab_experiment_register(t->s, &t->err), t->err);
}

static const char *output_of(talk *t, const char *fmt)
{
    char line[800];

    snprintf(line, sizeof line, fmt, dir);
    t->text[0] = t->messages[0] = '\0';
    EXEC(t, line);
    return t->text;
}

static void command(void **state)
{
    (void)state;
    talk t;
    char line[800], *text;
    json_t *o;
    json_error_t why;

    start_session(&t, false);
    EXEC_FAILS(&t, "table", WL_EARG, "takes the folder");
    wlab_store_close(make_store(plain_, false, false));
    assert_non_null(
        strstr(output_of(&t, "table %s"), "Small & quick\n\nlabeled=2: accuracy (test), mean +- standard"));
    assert_non_null(
        strstr(t.text, "labeled=4: seconds, mean +- standard deviation of 3 repetitions (rank)\n"));
    assert_non_null(strstr(t.text, "1 of 24 cells is not computed yet\n"));
    assert_non_null(strstr(
        t.text, "2 cells failed:\nblobs labeled=2, WellSVM: 2 failed: task: only one class, seed 1\n"));
    for (const char *at = t.text; *at; at = strchr(at, '\n') + 1)
        assert_true(strcspn(at, "\n") < 80);
    assert_non_null(
        strstr(output_of(&t, "table score=iter best=high"), "iter, mean")); /* again the last folder */
    assert_non_null(strstr(output_of(&t, "table %s format=markdown"), "| :-- | --: |"));
    assert_non_null(strstr(output_of(&t, "table %s format=csv"), "score,setting,data,method,n,mean,"));
    assert_non_null(strstr(strstr(t.text, "\n"), "\nseconds,labeled=2,moons,SVM,3,"));
    o = json_loads(output_of(&t, "table %s format=json"), 0, &why);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "table");
    json_decref(o);

    /* files: the format of their suffix, or the given one */
    snprintf(line, sizeof line, "table %s to %s/deep/table.tex", dir, folder);
    EXEC(&t, line);
    snprintf(line, sizeof line, "%s/deep/table.tex", folder);
    assert_non_null(strstr(t.messages, line));
    text = talk_read(line);
    assert_non_null(text);
    assert_non_null(strstr(text, "\\begin{tabular}{lrrrr}"));
    free(text);
    snprintf(line, sizeof line, "table to %s/table.md format=text", folder);
    EXEC(&t, line);
    snprintf(line, sizeof line, "%s/table.md", folder);
    text = talk_read(line);
    assert_non_null(text);
    assert_true(strncmp(text, "Small & quick\n", 14) == 0);
    free(text);
    EXEC_FAILS(&t, "table to nowhere.doc", WL_EARG, ".tex");
    EXEC_FAILS(&t, "table to", WL_EARG, "a file must follow");
    EXEC_FAILS(&t, "table scor=auc", WL_EARG, "did you mean \"score\"?");
    EXEC_FAILS(&t, "table against=WelSVM", WL_EARG, "did you mean \"WellSVM\"?");
    EXEC_FAILS(&t, "table a b", WL_EARG, "\"b\" is not key=value");
    snprintf(line, sizeof line, "table %s/nothing", folder);
    EXEC_FAILS(&t, line, WL_EIO, "nothing");
    assert_int_not_equal(exec_script(&t, "table to ../table.md"), WL_OK);
    ASSERT_OK(exec_script(&t, "table to sub/table.md"), t.err);
    snprintf(line, sizeof line, "%s/sub/table.md", folder);
    assert_int_equal(access(line, R_OK), 0);
    talk_end(&t);

    start_session(&t, true);
    (void)output_of(&t, "table %s score=auc");
    assert_int_equal(json_array_size(t.objects), 1);
    o = json_array_get(t.objects, 0);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "table");
    assert_string_equal(word(json_object_get(o, "tables"), 0, "score"), "auc");
    (void)output_of(&t, "table to %s/../table.csv");
    o = json_array_get(t.objects, 1);
    assert_non_null(strstr(json_string_value(json_object_get(o, "file")), "table.csv"));
    talk_end(&t);
}

/* Completion after `table` and its words. */
static const char *offered(const talk *t, const char *line)
{
    static char all[4096];
    wlab_offers o = {0};
    wlab_err err;
    size_t begin = strlen(line);

    while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '=')
        begin--;
    ASSERT_OK(wlab_session_complete(t->s, line, begin, strlen(line), &o, &err), err);
    all[0] = '\0';
    for (int i = 0; i < o.n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s|", o.list[i].text);
    wlab_offers_clear(&o);
    return all;
}

static void completion(void **state)
{
    (void)state;
    talk t;
    char line[400];

    wlab_store_close(make_store(plain_, true, false));
    start_session(&t, false);
    snprintf(line, sizeof line, "table %s/re", folder);
    assert_non_null(strstr(offered(&t, line), "/results/|"));
    assert_string_equal(offered(&t, "table x t"), "to|test=|");
    assert_string_equal(offered(&t, "table x format=j"), "json|");
    assert_string_equal(offered(&t, "table x posthoc="), "nemenyi|holm|none|");
    assert_null(strstr(offered(&t, "table x to "), "score="));
    talk_end(&t);
}

/* ---- results as a text file ---- */

static char *table_of(const wlab_store *store)
{
    wlab_params *p = NULL;
    wlab_buf out = {0};
    wlab_err err;
    char *text;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    ASSERT_OK(wlab_table_write(store, p, &out, &skipped, &err), err);
    text = wlab_strdup((const char *)out.data);
    wlab_buf_clear(&out);
    wlab_params_destroy(p);
    return text;
}

static wlab_code open_and_close(const char *path, wlab_err *err)
{
    wlab_store *s = NULL;
    wlab_code code = wlab_store_open(&s, path, false, NULL, err);

    wlab_store_close(s);
    return code;
}

/* The text with `from` replaced by `to`, once, written to the file: the error of opening it. */
static void garble(const char *path, const char *text, const char *from, const char *to, const char *expected)
{
    const char *at = strstr(text, from);
    wlab_err err = {0};

    assert_non_null(at);
    char *other = wlab_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    talk_write(path, other);
    ASSERT_FAILS(open_and_close(path, &err), WL_EINPUT, err, expected);
    wlab_free(other);
}

/* A file of cells gives the tables of the store from which it was written, and a damaged one an error with its line. */
static void archive(void **state)
{
    (void)state;
    wlab_store *store = make_store(plain_, false, true), *read = NULL, *joined = NULL;
    wlab_buf text = {0}, again = {0};
    char path[400], other[400];
    int64_t added = 0, same = 0, cells = 0, done = 0, failed = 0;
    wlab_err err;

    snprintf(path, sizeof path, "%s/small.cells", folder);
    snprintf(other, sizeof other, "%s/joined", folder);
    ASSERT_OK(wlab_archive_write(store, NULL, &text, &err), err);
    talk_write(path, (const char *)text.data);
    ASSERT_OK(wlab_store_open(&read, path, false, NULL, &err), err);
    char *expected = table_of(store), *got = table_of(read);
    assert_string_equal(got, expected);
    assert_non_null(strstr(got, "(oracle)"));
    wlab_free(expected);
    wlab_free(got);
    ASSERT_OK(wlab_archive_write(read, NULL, &again, &err), err);
    assert_string_equal((const char *)again.data, (const char *)text.data);
    wlab_buf_clear(&again);
    ASSERT_OK(wlab_archive_write(store, "auc", &again, &err), err);
    assert_null(strstr((const char *)again.data, "\taccuracy"));
    assert_non_null(strstr((const char *)again.data, "\tauc\n"));
    wlab_buf_clear(&again);
    ALLOC_SWEEP(open_and_close(path, &err));
    ALLOC_SWEEP_CHECK(wlab_archive_write(store, NULL, &again, &err), wlab_buf_clear(&again));
    wlab_buf_clear(&again);

    /* it can be merged into a folder, also one that has its cells */
    ASSERT_OK(wlab_store_open(&joined, other, true, NULL, &err), err);
    ASSERT_OK(wlab_store_merge(joined, read, &added, &same, &err), err);
    assert_true(added == 23 && same == 0);
    ASSERT_OK(wlab_store_merge(joined, store, &added, &same, &err), err);
    assert_true(added == 0 && same == 23);
    ASSERT_OK(wlab_store_count(joined, &cells, &done, &failed, &err), err);
    assert_true(cells == 24 && done == 21 && failed == 2);
    wlab_store_close(joined);
    wlab_store_close(read);
    wlab_store_close(store);

    const char *t = (const char *)text.data;
    garble(path, t, "format 1", "format 2", "not a file of results");
    garble(path, t, "\nnumber\t", "\nnumbers\t", "column 1 is \"numbers\", not \"number\"");
    garble(path, t, "\n1\tmoons", "\n1\tmoon", "small.cells:");
    garble(path, t, "\n2\tmoons", "\n99\tmoons", "the experiment has no such cell");
    garble(path, t, "\tdone\t7\t", "\tdone\tseven\t", "iter, seconds");
    garble(path, t, "\tsvm\t", "\t", "does not have");
    garble(path, t, "\t0.60", "\tabc", "the score accuracy is not a number");
    garble(path, t, "# text split test=0.25", "# text splitt test=0.25", "split");
    garble(path, t, "# data - moons\n", "", "no sum of the data set");
    wlab_buf_clear(&text);
}

/* The programs that computed the cells are in the file; the candidates of `tune` and their errors are not. */
static void archive_of_two_programs(void **state)
{
    (void)state;
    mixed = true;
    wlab_store *store = make_store(plain_, false, false), *read = NULL;
    wlab_buf text = {0};
    char path[400];
    wlab_err err;

    snprintf(path, sizeof path, "%s/small.cells", folder);
    ASSERT_OK(wlab_archive_write(store, NULL, &text, &err), err);
    talk_write(path, (const char *)text.data);
    ASSERT_OK(wlab_store_open(&read, path, false, NULL, &err), err);
    char *got = table_of(read);
    assert_non_null(strstr(got, "computed by 2 builds"));
    assert_null(strstr(got, "could not be trained"));
    wlab_free(got);
    wlab_buf_clear(&text);
    wlab_store_close(read);
    wlab_store_close(store);
    mixed = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values, setup, teardown),
        cmocka_unit_test_setup_teardown(views, setup, teardown),
        cmocka_unit_test_setup_teardown(turned_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(folds, setup, teardown),
        cmocka_unit_test_setup_teardown(reports, setup, teardown),
        cmocka_unit_test_setup_teardown(oracle, setup, teardown),
        cmocka_unit_test_setup_teardown(provenance, setup, teardown),
        cmocka_unit_test_setup_teardown(lacking, setup, teardown),
        cmocka_unit_test_setup_teardown(memory, setup, teardown),
        cmocka_unit_test_setup_teardown(archive, setup, teardown),
        cmocka_unit_test_setup_teardown(archive_of_two_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(command, setup, teardown),
        cmocka_unit_test_setup_teardown(completion, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
