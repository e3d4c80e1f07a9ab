/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests of a session: data, tasks, runs, scripts, errors with advice, objects.
 */
#include "talk.h"

static json_t *last(talk *t, const char *type)
{
    json_t *found = NULL, *o;
    size_t i;
    json_array_foreach(t->objects, i, o)
    {
        if (strcmp(json_string_value(json_object_get(o, "type")), type) == 0)
            found = o;
    }
    assert_non_null(found);
    return found;
}

static double real(json_t *o, const char *key)
{
    json_t *x = json_object_get(o, key);
    assert_true(json_is_number(x));
    return json_number_value(x);
}

static void advice(void **state)
{
    talk t;
    (void)state;
    talk_begin(&t, false, ".");
    EXEC_FAILS(&t, "task ssl", WL_ESTATE, "no data are loaded; begin with `load FILE`");
    EXEC_FAILS(&t, "algo wellsvm", WL_ESTATE, "no data are loaded");
    EXEC_FAILS(&t, "step", WL_ESTATE, "first `load FILE`");
    EXEC_FAILS(&t, "generate two-mons", WL_EARG, "did you mean \"two-moons\"");
    EXEC_FAILS(&t, "generate two-moons nn=3", WL_EARG, "nn");
    EXEC_FAILS(&t, "generate two-moons n=3 n=4", WL_EARG, "given twice");
    EXEC_FAILS(&t, "load /nowhere.csv", WL_EIO, "no data file '/nowhere.csv'");
    EXEC_FAILS(&t, "load /tmp", WL_EIO, "not an ordinary file");
    EXEC_FAILS(&t, "load /dev/null", WL_EIO, "not an ordinary file");
    EXEC_FAILS(&t, "load", WL_EARG, "load takes a file");
    EXEC(&t, "generate two-moons n=40 seed=1");
    EXEC_FAILS(&t, "algo wellsvm", WL_ESTATE, "no task is set for two-moons");
    EXEC_FAILS(&t, "task sll", WL_EARG, "did you mean \"ssl\"");
    EXEC_FAILS(&t, "task ssl labelled=4", WL_EARG, "did you mean \"labeled\"");
    EXEC(&t, "task ssl labeled=4");
    EXEC_FAILS(&t, "eval", WL_ESTATE, "start one, for example with `algo");
    EXEC_FAILS(&t, "algo welsvm", WL_EARG, "did you mean \"wellsvm\"");
    EXEC_FAILS(&t, "algo wellsvm kernle=rbf", WL_EARG, "did you mean \"kernel\"");
    EXEC_FAILS(&t, "algo wellsvm kernel=rfb", WL_EARG, "rbf");
    EXEC(&t, "algo wellsvm; step");
    EXEC_FAILS(&t, "eval test", WL_ESTATE, "no rows of two-moons are held out: `split");
    EXEC_FAILS(&t, "eval tset", WL_EARG, "did you mean \"test\"");
    EXEC_FAILS(&t, "eval bags", WL_ESTATE, "no bags");
    EXEC_FAILS(&t, "export trcae x.csv", WL_EARG, "did you mean \"trace\"");
    EXEC_FAILS(&t, "export trace x.png", WL_EARG, "must end in .csv, .jsonl");
    EXEC_FAILS(&t, "info dta", WL_EARG, "did you mean \"data\"");
    EXEC_FAILS(&t, "help stpe", WL_EARG, "did you mean \"step\"");
    EXEC_FAILS(&t, "scale min-max", WL_EARG, "did you mean \"minmax\"");
    EXEC_FAILS(&t, "switch q", WL_EARG, "no run \"q\"");
    talk_end(&t);
}

/* A failed command changes nothing. */
static void failures_change_nothing(void **state)
{
    static const char *const lines[] = {"load /nowhere.csv",     "generate two-moons n=-3", "split test=700",
                                        "task ssl labeled=1000", "algo wellsvm C1=-1",      "scale what"};
    talk t;
    (void)state;
    talk_begin(&t, false, ".");
    EXEC(&t, "generate two-moons n=40 seed=1; split test=0.5; task ssl labeled=4; algo svm");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const wlab_slot before = *wlab_session_slot(t.s);
        const wlab_run *run = wlab_session_run(t.s);
        assert_int_not_equal(type_line(&t, lines[i]), WL_OK);
        assert_true(t.err.message[0]);
        const wlab_slot *now = wlab_session_slot(t.s);
        assert_ptr_equal(now->data, before.data);
        assert_ptr_equal(now->problem, before.problem);
        assert_ptr_equal(now->test, before.test);
        assert_ptr_equal(wlab_session_run(t.s), run);
        assert_int_equal(t.s->held.nruns, 1);
        assert_int_equal(t.s->held.nslots, 1);
    }
    talk_end(&t);
}

static void splits(void **state)
{
    talk t;
    int64_t n;
    (void)state;
    talk_begin(&t, false, ".");
    EXEC(&t, "generate two-moons n=40 seed=1; task ssl labeled=4; algo svm; step");
    const int32_t *rows = wlab_session_test_rows(t.s, &n);
    assert_null(rows);
    EXEC(&t, "split test=0.25 seed=1");
    rows = wlab_session_test_rows(t.s, &n);
    assert_int_equal(n, 10);
    for (int64_t i = 1; i < n; i++)
        assert_true(rows[i - 1] < rows[i]);
    assert_null(wlab_session_problem(t.s)); /* its task used rows that are now held out */
    EXEC_FAILS(&t, "eval test", WL_ESTATE, "which the later split holds out");
    EXEC(&t, "scale zscore"); /* the split is kept, the task is not */
    assert_int_equal(t.s->held.nslots, 2);
    const int32_t *scaled = wlab_session_test_rows(t.s, &n);
    assert_int_equal(n, 10);
    assert_ptr_not_equal(scaled, rows);
    assert_null(wlab_session_problem(t.s));
    EXEC(&t,
         "task ssl labeled=4; algo svm; step; eval; eval test; eval train; eval unlabeled; eval two-moons");
    talk_end(&t);
}

static void runs_names(void **state)
{
    static const struct {
        int made;
        const char *name;
    } cases[] = {{0, "a"},   {25, "z"},  {26, "aa"},  {27, "ab"},
                 {51, "az"}, {52, "ba"}, {701, "zz"}, {702, "aaa"}};
    talk t;
    char name[16];
    int number;
    (void)state;
    talk_begin(&t, false, ".");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t.s->held.runs_made = cases[i].made;
        wlab_session_next_name(t.s, name, &number);
        assert_string_equal(name, cases[i].name);
        assert_int_equal(number, cases[i].made + 1);
    }
    t.s->held.runs_made = 0;
    EXEC(&t, "generate two-moons n=20; task ssl labeled=4; algo svm; algo svm; fork c; algo svm");
    assert_string_equal(wlab_run_name(wlab_session_run(t.s)), "d"); /* c is in use; no name is given twice */
    talk_end(&t);
}

static void objects(void **state)
{
    talk t;
    json_t *o;
    (void)state;
    talk_begin(&t, true, ".");
    EXEC(&t,
         "generate two-moons n=60 noise=0.1 seed=1; split test=0.25 seed=1; task ssl labeled=4; algo wellsvm "
         "kernel=rbf; step; step; eval test; eval unlabeled; info; info task; info data; info algo wellsvm; "
         "help; "
         "say \"caf\xe9\"; history 1");
    assert_string_equal(t.text, ""); /* only objects */
    o = last(&t, "data");
    assert_string_equal(json_string_value(json_object_get(o, "name")), "two-moons");
    assert_int_equal(real(o, "rows"), 60);
    assert_int_equal(real(o, "cols"), 2);
    assert_true(real(o, "nnz") <= 120);
    assert_int_equal(json_array_size(json_object_get(o, "classes")), 2);
    o = last(&t, "step");
    assert_string_equal(json_string_value(json_object_get(o, "run")), "a");
    assert_int_equal(real(o, "iter"), wlab_run_iter(wlab_session_run(t.s)));
    assert_non_null(json_string_value(json_object_get(o, "verdict")));
    json_t *metrics = json_object_get(o, "metrics");
    for (const wlab_metric_info *m = wlab_algo_find("wellsvm")->metrics; m->name; m++)
        assert_non_null(json_object_get(metrics, m->name));
    assert_true(isfinite(real(metrics, "objective")));
    o = last(&t, "eval");
    assert_string_equal(json_string_value(json_object_get(o, "set")), "unlabeled");
    assert_int_equal(real(o, "n"), 41);
    assert_true(real(o, "accuracy") >= 0 && real(o, "accuracy") <= 1);
    o = last(&t, "message");
    assert_string_equal(json_string_value(json_object_get(o, "message")), "caf\xef\xbf\xbd");
    wlab_err err = {0};
    (void)wlab_fail_at(&err, "s.wlab", 3, 0, "bad \x80 byte");
    o = wlab_error_object(&err);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "error");
    assert_string_equal(json_string_value(json_object_get(o, "file")), "s.wlab");
    assert_int_equal(real(o, "line"), 3);
    json_decref(o);
    o = wlab_json_real((double)NAN);
    assert_true(json_is_null(o));
    json_decref(o);
    talk_end(&t);
}

/* the accuracy equals a count by hand */
static void scores(void **state)
{
    talk t;
    (void)state;
    talk_begin(&t, true, ".");
    EXEC(&t, "generate two-moons n=60 noise=0.2 seed=2; split test=0.5 seed=1; task ssl labeled=6; algo svm; "
             "step; eval");
    json_t *o = last(&t, "eval");
    assert_string_equal(json_string_value(json_object_get(o, "set")), "test");
    const wlab_problem *p = wlab_session_problem(t.s);
    int64_t n, right = 0;
    const int32_t *rows = wlab_session_test_rows(t.s, &n);
    double f[60];
    ASSERT_OK(wlab_session_predict(t.s, wlab_session_run(t.s), p->data, NULL, 60, f, &t.err), t.err);
    for (int64_t i = 0; i < n; i++)
        right += (f[rows[i]] > 0 ? 1 : -1) == wlab_problem_truth(p, p->data, rows[i]);
    ASSERT_NEAR(real(o, "accuracy"), (double)right / (double)n, 1e-15);
    talk_end(&t);
}

static void scripts(void **state)
{
    char folder[256], path[512];
    talk t;
    (void)state;
    snprintf(path, sizeof path, "%s/s.wlab", talk_folder(folder));
    talk_begin(&t, false, folder);
    talk_write(path, "say one\n\n# nothing\ngen two-moons\nsay two\n");
    ASSERT_FAILS(wlab_session_script(t.s, path, WL_FROM_SCRIPT, &t.err), WL_EARG, t.err,
                 "did you mean \"generate\"");
    assert_string_equal(t.err.file, path);
    assert_int_equal(t.err.line, 4);
    assert_string_equal(t.text, "one\n"); /* it stops at the failing line */
    talk_write(path, "source s.wlab\n");
    ASSERT_FAILS(wlab_session_script(t.s, path, WL_FROM_SCRIPT, &t.err), WL_ESTATE, t.err,
                 "is there a circle?");
    talk_write(path, "say one; quit; say two\nsay three\n");
    t.text[0] = '\0';
    ASSERT_OK(wlab_session_script(t.s, path, WL_FROM_SCRIPT, &t.err), t.err);
    assert_string_equal(t.text, "one\n");
    assert_true(wlab_session_quits(t.s));
    talk_end(&t);
    talk_begin(&t, false, folder);
    ASSERT_FAILS(wlab_session_script(t.s, folder, WL_FROM_SCRIPT, &t.err), WL_EIO, t.err, "folder");
    ASSERT_FAILS(wlab_session_script(t.s, "/nowhere.wlab", WL_FROM_SCRIPT, &t.err), WL_EIO, t.err,
                 "No such file");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite("say one\nsay \0two\n", 1, 17, f), 17);
    assert_int_equal(fclose(f), 0);
    ASSERT_FAILS(wlab_session_script(t.s, path, WL_FROM_SCRIPT, &t.err), WL_EINPUT, t.err, "value 0");
    assert_int_equal(t.err.line, 2);
    /* interrupted: the rest of a script is not executed */
    talk_write(path, "say one\n");
    t.text[0] = '\0';
    wlab_session_interrupt(t.s);
    ASSERT_FAILS(wlab_session_script(t.s, path, WL_FROM_SCRIPT, &t.err), WL_EINTERRUPTED, t.err,
                 "interrupted");
    assert_string_equal(t.text, "");
    wlab_session_clear_interrupt(t.s);
    talk_end(&t);
}

static void repeats(void **state)
{
    talk t;
    (void)state;
    talk_begin(&t, false, ".");
    assert_null(wlab_session_repeat(t.s));
    EXEC(&t, "generate two-moons n=40; task ssl labeled=4; algo wellsvm kernel=rbf");
    assert_null(wlab_session_repeat(t.s));
    EXEC(&t, "s 2");
    assert_string_equal(wlab_session_repeat(t.s), "step 2");
    EXEC(&t, "info; eval");
    assert_string_equal(wlab_session_repeat(t.s), "step 2");
    EXEC(&t, "b");
    assert_string_equal(wlab_session_repeat(t.s), "back");
    talk_end(&t);
}

static void exports(void **state)
{
    char folder[256], path[512];
    talk t;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    EXEC(&t, "generate two-moons n=40 seed=1; split test=0.25; task ssl labeled=4; algo wellsvm kernel=rbf; "
             "step 2");
    ASSERT_OK(
        exec_script(
            &t, "export trace t.csv; export trace t.jsonl; export labels l.csv; export predictions p.jsonl; "
                "export model m.model"),
        t.err);
    int steps = (int)wlab_run_iter(wlab_session_run(t.s));
    const struct {
        const char *name;
        int lines;
    } files[] = {{"t.csv", steps + 2}, {"t.jsonl", steps + 1}, {"l.csv", 31}, {"p.jsonl", 40}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        char *text = talk_read(path);
        assert_non_null(text);
        int lines = 0;
        char *line = text;
        while (*line) {
            size_t len = strcspn(line, "\n");
            assert_int_equal(line[len], '\n');
            if (strstr(files[i].name, ".jsonl")) {
                json_t *o = json_loadb(line, len, 0, NULL);
                assert_non_null(o);
                json_decref(o);
            }
            line += len + 1;
            lines++;
        }
        if (lines != files[i].lines)
            fail_msg("%s has %d lines instead of %d", files[i].name, lines, files[i].lines);
        free(text);
    }
    snprintf(path, sizeof path, "%s/m.model", folder);
    wlab_model *model = NULL;
    ASSERT_OK(wlab_model_read(&model, path, &t.err), t.err);
    wlab_model_destroy(model);
    /* linear models name their loss */
    static const struct {
        const char *algo, *expected, *task, *says; /* task: NULL: that of the row before */
    } linear[] = {{"svm", "solver_type L2R_L1LOSS_SVC_DUAL\n", NULL, NULL},
                  {"svm loss=squared-hinge", "solver_type L2R_L2LOSS_SVC\n", NULL, NULL},
                  {"wellsvm kernel=linear", "solver_type L2R_L1LOSS_SVC_DUAL\n", NULL, NULL},
                  {"wellsvm kernel=linear loss=sum-to-one", "solver_type L2R_L2LOSS_SVC\n", NULL, NULL},
                  {"mfn", "solver_type L2R_L2LOSS_SVC\n", NULL, NULL},
                  {"tsvm", "solver_type L2R_L2LOSS_SVC\n", NULL, NULL},
                  {"mfa loss=hinge", "solver_type L2R_L1LOSS_SVC_DUAL\n", NULL, NULL},
                  {"bb kernel=linear", "solver_type L2R_L1LOSS_SVC_DUAL\n", NULL, NULL},
                  {"softmax-em", "solver_type L2R_LR\n", NULL, NULL},
                  {"softmax-sdp loss=square", "solver_type L2R_LR\n", NULL, NULL},
                  {"entropy kernel=linear", "solver_type L2R_LR\n", NULL, NULL},
                  {"s3vm kernel=linear", "solver_type L2R_L2LOSS_SVC\n", NULL, NULL},
                  {"cccp kernel=linear", "solver_type L2R_L1LOSS_SVC_DUAL\n", NULL, NULL},
                  {"alter-psvm", "solver_type L2R_L1LOSS_SVC_DUAL\n", "llp bagsize=4", NULL},
                  {"conv-psvm", "solver_type L2R_L1LOSS_SVC_DUAL\n", "llp bagsize=4", NULL},
                  {"invcal", "solver_type L2R_L1LOSS_SVC_DUAL\n", "llp bagsize=4", "insensitive loss"},
                  {"mean-map", "solver_type L2R_LR\n", "llp bagsize=4", "logistic loss of twice"},
                  {"kmeans", "solver_type L2R_L2LOSS_SVC\n", "cluster", "squared distance"},
                  {"itersvr kernel=linear", "solver_type L2R_L1LOSS_SVC_DUAL\n", NULL, "insensitive loss"},
                  {"softmax-em", "solver_type L2R_LR\n", "cluster classes=3", "soft-max loss"},
                  {"upu kernel=linear", "solver_type L2R_L1LOSS_SVC_DUAL\n", "pu labeled=4 prior=0.5 seed=1",
                   "double hinge loss"},
                  {"upu kernel=linear loss=logistic", "solver_type L2R_LR\n", NULL, NULL},
                  {"nnpu kernel=linear", "solver_type L2R_LR\n", NULL, NULL},
                  {"svm loss=squared-hinge", "solver_type L2R_L2LOSS_SVC\n", "supervised", NULL}};
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        char lines[200];
        if (linear[i].task) {
            snprintf(lines, sizeof lines, "task %s", linear[i].task);
            ASSERT_OK(exec_script(&t, lines), t.err);
        }
        t.messages[0] = '\0';
        snprintf(lines, sizeof lines, "algo %s; step 3; export model m%zu.model", linear[i].algo, i);
        ASSERT_OK(exec_script(&t, lines), t.err);
        if (!strstr(t.messages, "LIBLINEAR has no type") != !linear[i].says ||
            (linear[i].says && !strstr(t.messages, linear[i].says)))
            fail_msg("%s: the answer is %s", linear[i].algo, t.messages);
        snprintf(path, sizeof path, "%s/m%zu.model", folder, i);
        char *text = talk_read(path);
        if (!text || strncmp(text, linear[i].expected, strlen(linear[i].expected)) != 0)
            fail_msg("%s: %s", linear[i].algo, text ? text : "no file");
        free(text);
    }
    talk_end(&t);
}

/* `runs` shows a value that can be compared between runs: the objective or, if the algorithm changes its objective
 * during the run, J. */
static void lists_runs(void **state)
{
    talk t;
    (void)state;
    for (int json = 0; json < 2; json++) {
        talk_begin(&t, json, ".");
        EXEC(&t, "generate blobs n=20 seed=1; task ssl labeled=4 seed=1; algo mfn; step; algo mfa; step 2; "
                 "algo tsvm; step");
        char expected[3][64];
        t.text[0] = '\0';
        json_array_clear(t.objects);
        EXEC(&t, "runs");
        for (int r = 0; r < 3; r++) {
            const wlab_trace_row *row;
            const wlab_algo *a = wlab_run_algo(t.s->held.run[r]);
            int64_t n = wlab_run_trace(t.s->held.run[r], &row);
            const char *name = r ? "J" : "objective";
            double value = row[n - 1].metric[wlab_metric_index(a, name)];
            snprintf(expected[r], sizeof expected[r], "%-9s %-16.10g", name, value);
            if (!json && !strstr(t.text, expected[r]))
                fail_msg("\"%s\" is not in \"%s\"", expected[r], t.text);
            if (json)
                assert_true(json_real_value(json_object_get(json_array_get(t.objects, (size_t)r), name)) ==
                            value);
        }
        talk_end(&t);
        talk_begin(&t, false, ".");
        EXEC(&t,
             "generate blobs n=20 seed=1; task cluster balance=0.5; algo mfa r=0.3; algo tsvm; algo wellsvm");
        assert_non_null(strstr(t.text, "run a: mfa on blobs (cluster, r=0.3)"));
        assert_non_null(strstr(t.text, "run b: tsvm on blobs (cluster, r=0.5)"));
        assert_non_null(strstr(t.text, "run c: wellsvm on blobs (cluster)"));
        talk_end(&t);
    }
}

/* Help is made from the tables: every name in them has help. */
static void help_on_all(void **state)
{
    wlab_format_info f;
    talk t;
    char line[200];
    (void)state;
    talk_begin(&t, false, ".");
    const wlab_command *const *c = wlab_session_commands(t.s);
    for (; *c; c++) {
        assert_true(c[1] == NULL || strcmp(c[0]->name, c[1]->name) < 0);
        assert_non_null((*c)->usage);
        assert_non_null((*c)->summary);
        assert_non_null((*c)->help);
        snprintf(line, sizeof line, "help %s", (*c)->name);
        t.text[0] = '\0';
        EXEC(&t, line);
        assert_non_null(strstr(t.text, (*c)->usage));
    }
    for (int i = 0; wlab_algos[i]; i++) {
        const wlab_algo *a = wlab_algos[i];
        snprintf(line, sizeof line, "info algo %s", a->name);
        t.text[0] = '\0';
        EXEC(&t, line);
        for (const wlab_param_info *p = a->params; p->name; p++)
            assert_non_null(strstr(t.text, p->name));
        for (const wlab_metric_info *m = a->metrics; m->name; m++) {
            snprintf(line, sizeof line, "help %s", m->name);
            EXEC(&t, line);
        }
    }
    for (int i = 0; wlab_generators[i]; i++) {
        snprintf(line, sizeof line, "help %s", wlab_generators[i]->name);
        EXEC(&t, line);
    }
    for (int k = 0; wlab_format_at(k, &f); k++) {
        snprintf(line, sizeof line, "help %s", f.name);
        EXEC(&t, line);
    }
    EXEC(&t, "help algorithms; help tasks; help generators; help formats; help metrics; help settings; help "
             "language");
    talk_end(&t);
}

static wlab_code use_everything(talk *t)
{
    wlab_code code = talk_create(t, false, ".", NULL);
    if (code) {
        json_decref(t->objects);
        t->objects = NULL;
        return code;
    }
    code = type_line(
        t, "generate two-moons n=12 seed=1; split test=0.25; scale minmax; task ssl labeled=4; algo "
           "svm; step; eval");
    talk_end(t);
    return code;
}

static void memory(void **state)
{
    talk t;
    (void)state;
    /* without memory a text is lost, which is no error; every other failure is WL_ENOMEM */
    for (long k = 1, reached = k; reached >= k; k++) {
        wlab_alloc_fail_at(k);
        wlab_code code = use_everything(&t);
        reached = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        if (code != WL_OK && code != WL_ENOMEM)
            fail_msg("code %d when allocation %ld fails: %s", (int)code, k, t.err.message);
        if (reached < k)
            assert_int_equal(code, WL_OK);
    }
}

/* `~/` stands for the home folder in a line of the user, at the beginning of an unquoted word or value of a command
 * that takes file names; not in a script. */
static void home(void **state)
{
    char folder[256], record[300], *text;
    talk t;
    (void)state;
    talk_begin(&t, false, talk_folder(folder));
    snprintf(record, sizeof record, "record %s/a.wlab", folder);
    EXEC(&t, record);
    EXEC_FAILS(&t, "load ~/x.csv", WL_EIO, "no data file '/nowhere/of no body/x.csv'");
    EXEC_FAILS(&t, "load ~", WL_EIO, "'/nowhere/of no body'");
    EXEC_FAILS(&t, "load \"~/x.csv\"", WL_EIO, "no data file '~/x.csv'");
    EXEC_FAILS(&t, "load ~other/x.csv", WL_EIO, "no data file '~other/x.csv'");
    EXEC(&t, "generate two-moons n=20; say ~/x");
    EXEC_FAILS(&t, "task ssl labeled=@~/rows seed=2", WL_EIO, "'/nowhere/of no body/rows'");
    ASSERT_FAILS(exec_script(&t, "load ~/x.csv"), WL_EIO, t.err, "no data file '~/x.csv'");
    EXEC(&t, "record stop");
    snprintf(record, sizeof record, "%s/a.wlab", folder);
    text = talk_read(record);
    assert_non_null(text);
    assert_non_null(strstr(text, "# failed: load \"/nowhere/of no body/x.csv\"  "));
    assert_non_null(strstr(text, "# failed: task ssl labeled=\"@/nowhere/of no body/rows\" seed=2  "));
    assert_non_null(strstr(text, "\nsay ~/x\n"));
    free(text);
    assert_int_equal(unlink(record), 0);
    assert_int_equal(rmdir(folder), 0);
    talk_end(&t);
}

static void line_kinds(void **state)
{
    talk t;
    (void)state;
    talk_begin(&t, false, ".");
    assert_int_equal(wlab_session_line_kind(t.s, "help step"), WL_LINE_ANSWERED);
    assert_int_equal(wlab_session_line_kind(t.s, "h; hist 3"), WL_LINE_ANSWERED);
    assert_int_equal(wlab_session_line_kind(t.s, "help; step"), WL_LINE_WAITS);
    assert_int_equal(wlab_session_line_kind(t.s, "info run"), WL_LINE_WAITS);
    assert_int_equal(wlab_session_line_kind(t.s, ""), WL_LINE_WAITS);
    assert_int_equal(wlab_session_line_kind(t.s, "# help"), WL_LINE_WAITS);
    assert_int_equal(wlab_session_line_kind(t.s, "say 'open"), WL_LINE_WAITS);
    assert_int_equal(wlab_session_line_kind(t.s, "q"), WL_LINE_QUITS);
    assert_int_equal(wlab_session_line_kind(t.s, "qui # now"), WL_LINE_QUITS);
    assert_int_equal(wlab_session_line_kind(t.s, "step; quit"), WL_LINE_WAITS);
    talk_end(&t);
}

static char destroyed[8];

static void note_destroyed(void *data)
{
    strncat(destroyed, data, 1);
}

/* Data of upper layers in a session: found by key, destroyed once, at the session's end the last attached first. */
static void attached(void **state)
{
    talk t;
    char a[] = "a", b[] = "b", c[] = "c", d[] = "d";
    (void)state;
    destroyed[0] = '\0';
    talk_begin(&t, false, ".");
    assert_null(wlab_session_attached(t.s, "one"));
    ASSERT_OK(wlab_session_attach(t.s, "one", a, note_destroyed, &t.err), t.err);
    ASSERT_OK(wlab_session_attach(t.s, "two", b, note_destroyed, &t.err), t.err);
    ASSERT_OK(wlab_session_attach(t.s, "borrowed", d, NULL, &t.err), t.err);
    assert_ptr_equal(wlab_session_attached(t.s, "one"), a);
    ASSERT_OK(wlab_session_attach(t.s, "one", c, note_destroyed, &t.err), t.err);
    assert_string_equal(destroyed, "a");
    assert_ptr_equal(wlab_session_attached(t.s, "one"), c);
    assert_ptr_equal(wlab_session_attached(t.s, "two"), b);
    ASSERT_OK(wlab_session_attach(t.s, "borrowed", NULL, NULL, &t.err), t.err);
    assert_null(wlab_session_attached(t.s, "borrowed"));
    wlab_alloc_fail_at(1); /* the session owns the data, and so destroys them */
    assert_int_equal(wlab_session_attach(t.s, "three", d, note_destroyed, &t.err), WL_ENOMEM);
    wlab_alloc_fail_at(0);
    assert_string_equal(destroyed, "ad");
    assert_null(wlab_session_attached(t.s, "three"));
    talk_end(&t);
    assert_string_equal(destroyed, "adbc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice),      cmocka_unit_test(failures_change_nothing),
        cmocka_unit_test(splits),      cmocka_unit_test(runs_names),
        cmocka_unit_test(objects),     cmocka_unit_test(scores),
        cmocka_unit_test(scripts),     cmocka_unit_test(repeats),
        cmocka_unit_test(exports),     cmocka_unit_test(lists_runs),
        cmocka_unit_test(help_on_all), cmocka_unit_test(memory),
        cmocka_unit_test(home),        cmocka_unit_test(line_kinds),
        cmocka_unit_test(attached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
