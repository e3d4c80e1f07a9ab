/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors for words in the wrong place and for missing arguments, with their places; `eval`, `info` and `explain` of a
 * run.
 */
#include "talk.h"

static void test_stray(void **state)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"task ssl labeled==4", "\"labeled==4\" is not key=value; write labeled=4"},
        {"task ssl labeled=5 %", "\"%\" is not key=value; write labeled=5% without blanks"},
        {"task ssl labeled = 4 seed=1", "write labeled=4 without blanks"},
        {"task ssl labeled seed=1", "write labeled=..."},
        {"algo wellsvm C2", "\"C2\" is not key=value; write C2=..."},
        {"algo wellsvm C2 = 1", "\"C2\" is not key=value; write C2=1 without blanks"},
        {"algo wellsvm C2= 1", "write C2=1 without blanks"},
        {"algo wellsvm C2 =1", "write C2=1 without blanks"},
        {"generate two-moons n 100", "write n=100 without blanks"},
        {"algo wellsvm ==", "\"==\" is not key=value"},
        {"algo wellsvm \"a b\"", "\"a b\" is not key=value"},
        {"set C2 1", "write C2=1 without blanks"},
        {"generate moons", "did you mean \"two-moons\""},
        {"set C2=1", "there is no run"},
        {"get C2", "there is no run"},
        {"delete", "delete which"},
        {"undisplay", "undisplay which"},
    };
    talk t;
    (void)state;

    talk_begin(&t, false, ".");
    EXEC(&t, "generate blobs n=20");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXEC_FAILS(&t, wrong[i].line, strstr(wrong[i].message, "no run") ? WL_ESTATE : WL_EARG,
                   wrong[i].message);
    talk_end(&t);
}

static void test_place(void **state)
{
    talk t;
    (void)state;

    talk_begin(&t, false, ".");
    assert_int_equal(wlab_session_line(t.s, "say x;  nosuch", WL_FROM_PERSON, "-e", 2, &t.err), WL_EARG);
    assert_string_equal(t.err.file, "-e");
    assert_int_equal(t.err.line, 2);
    assert_int_equal(t.err.column, 9);
    assert_int_equal(wlab_session_line(t.s, "  nosuch", WL_FROM_PERSON, "-e", 3, &t.err), WL_EARG);
    assert_int_equal(t.err.column, 0); /* no column, since it is the only command of its line */
    static const struct {
        const char *line;
        long column;
    } settings[] = {{"generate two-moons noise=0.1 n=x", 30},
                    {"say x; generate two-moons n=8 seed=1 m=2", 38},
                    {"generate two-moons n=8 n=9", 24},
                    {"say n=3; generate two-moonz n=8", 10}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(wlab_session_line(t.s, settings[i].line, WL_FROM_PERSON, "-e", 3, &t.err), WL_EARG);
        assert_int_equal(t.err.column, settings[i].column);
    }
    talk_end(&t);
}

static void test_eval(void **state)
{
    char dir[256], path[300];
    talk t;
    (void)state;

    talk_folder(dir);
    snprintf(path, sizeof path, "%s/three.csv", dir);
    talk_write(path, "x,y,class\n1,2,a\n2,1,b\n3,5,c\n4,1,a\n5,2,b\n6,6,c\n");
    talk_begin(&t, false, dir);
    EXEC(&t, "generate blobs n=20");
    EXEC(&t, "task supervised");
    EXEC(&t, "algo svm");
    EXEC(&t, "step");
    EXEC_FAILS(&t, "eval unlabeled", WL_ESTATE, "there are no unlabeled rows");
    EXEC(&t, "generate blobs as wide n=10 dims=3");
    EXEC(&t, "eval wide train");
    assert_non_null(strstr(t.text, "run a, wide: accuracy"));
    assert_non_null(strstr(t.text, "run a, train: accuracy"));
    t.text[0] = '\0';
    EXEC_FAILS(&t, "eval train wdie", WL_EARG, "did you mean \"wide\"?"); /* nothing is scored then */
    EXEC_FAILS(&t, "eval train wide train", WL_EARG, "train is named twice");
    assert_string_equal(t.text, "");
    assert_non_null(strstr(t.messages, "wide has 3 columns, the model has 2: the others are ignored"));
    char line[400];
    snprintf(line, sizeof line, "load %s", path);
    EXEC(&t, line);
    EXEC(&t, "task cluster");
    EXEC(&t, "algo wellsvm");
    EXEC(&t, "step");
    EXEC(&t, "eval");
    assert_non_null(strstr(t.messages,
                           "three has 3 classes, and the task does not say which one is positive: "
                           "`task cluster positive=a`, say"));
    talk_end(&t);
    remove(path);
    remove(dir);
}

/* `info flips` lists the labels that changed, `info run` the current metrics. */
static void test_info(void **state)
{
    talk t;
    char text[40], line[80];
    double metric[32];
    (void)state;

    for (int json = 0; json < 2; json++) {
        talk_begin(&t, json, ".");
        EXEC(&t, "generate two-moons n=100 seed=1; task ssl labeled=4 seed=1; algo wellsvm kernel=rbf "
                 "sigma=1x search=paper; step 4");
        const wlab_run *run = wlab_session_run(t.s);
        const wlab_problem *p = wlab_run_problem(run);
        const int8_t *now = wlab_run_labels(run), *before = wlab_run_labels_before(run);
        long long n = 0;
        json_array_clear(t.objects);
        t.text[0] = '\0';
        EXEC(&t, "info flips");
        json_t *o = json_array_get(t.objects, 0), *list = json_object_get(o, "flips");
        for (int64_t i = 0; i < p->n; i++) {
            if (now[i] == before[i])
                continue;
            json_t *row = json_array_get(list, (size_t)n++);
            snprintf(line, sizeof line, "%8lld  %-12s %-12s", (long long)p->row[i] + 1,
                     before[i] > 0 ? "+1" : "-1", now[i] > 0 ? "+1" : "-1");
            if (!json)
                assert_non_null(strstr(t.text, line));
            else
                assert_int_equal(json_integer_value(json_object_get(row, "row")), p->row[i] + 1);
        }
        assert_true(n > 0);
        assert_int_equal(json ? (long long)json_array_size(list) : n, n);
        snprintf(line, sizeof line, "it changed %lld of 100 labels", n);
        assert_true(json || strstr(t.text, line));
        EXEC(&t, "stepi 2");
        json_array_clear(t.objects);
        t.text[0] = '\0';
        EXEC(&t, "info run");
        wlab_run_metrics(run, metric);
        int objective = wlab_metric_index(wlab_run_algo(run), "objective");
        snprintf(text, sizeof text, "%.10g", metric[objective]);
        assert_true(json || strstr(t.text, text));
        o = json_object_get(json_array_get(t.objects, 0), "metrics");
        if (json) {
            assert_true(json_real_value(json_object_get(o, "objective")) == metric[objective]);
            assert_true(json_is_null(json_object_get(o, "violation"))); /* the search has not run yet */
        }
        talk_end(&t);
    }
}

/* `explain` after a step that added no labeling does not claim that it did. */
static void test_explain_kept(void **state)
{
    talk t;
    (void)state;

    talk_begin(&t, false, ".");
    EXEC(&t, "generate two-moons n=100; task ssl labeled=4; algo wellsvm kernel=rbf; continue");
    t.text[0] = '\0';
    EXEC(&t, "explain");
    assert_non_null(strstr(t.text, "added labeling y2 to the working set"));
    EXEC(&t, "set C2=0.3; step");
    t.text[0] = '\0';
    EXEC(&t, "explain");
    assert_null(strstr(t.text, "added"));
    assert_non_null(strstr(t.text, "kept the working set of 2 labelings"));
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stray), cmocka_unit_test(test_place),        cmocka_unit_test(test_eval),
        cmocka_unit_test(test_info),  cmocka_unit_test(test_explain_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
