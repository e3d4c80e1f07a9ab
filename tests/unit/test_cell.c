/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The commands `cell` and `merge` on computed results; the experiment as it is read from the store.
 */
#include "unit/talk.h"

#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/store/store.h"

static const char text[] = "generate two-moons n=60 noise=0.1 as moons\n"
                           "split test=0.25\n"
                           "task ssl labeled={6,12}\n"
                           "method SVM algo svm kernel=rbf\n"
                           "method Tuned algo svm kernel=rbf C={0.1,1,10} sigma={1x,0.5x,0.25x,0.1x}\n"
                           "tune folds=3\n"
                           "repeat 2\n";
static const wlab_places places = {talk_nowhere, talk_nowhere, ".", talk_build, NULL};

static char folder[256];
static char dir[3][300]; /* all, and two shards */

static int clean(void **state)
{
    static const char *const names[] = {"results.sqlite", "lock", "c2.wlab", NULL};
    char path[1000];
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *at = i < 3 ? dir[i] : folder;
        for (int k = 0; names[k]; k++) {
            snprintf(path, sizeof path, "%s/%s", at, names[k]);
            unlink(path);
        }
        rmdir(at);
    }
    return 0;
}

/* Computes the first six of the eight cells, gives the fifth an error, and stores each of them in the first folder
 * and, in turn, in the second or the third. */
static int setup(void **state)
{
    wlab_err err;
    wlab_experiment *e = NULL;
    wlab_store *store[3] = {NULL};
    int64_t kept;
    (void)state;

    talk_folder(folder);
    ASSERT_OK(wlab_experiment_parse(&e, text, strlen(text), "small.wexp", &err), err);
    ASSERT_OK(wlab_experiment_check(e, &places, NULL, &err), err);
    assert_int_equal(e->cells, 8);
    for (int i = 0; i < 3; i++) {
        snprintf(dir[i], sizeof dir[i], "%s/%c", folder, 'a' + i);
        ASSERT_OK(wlab_store_open(&store[i], dir[i], true, NULL, &err), err);
        ASSERT_OK(wlab_store_plan(store[i], e, false, &kept, &err), err);
    }
    for (int64_t i = 0; i < 6; i++) {
        wlab_result r = {0};
        ASSERT_OK(wlab_result_compute(&r, e, &e->cell[i], &places, NULL, &err), err);
        assert_null(r.error);
        if (i == 4)
            r.error = wlab_strdup("it rained");
        ASSERT_OK(wlab_store_put(store[0], &r, &err), err);
        ASSERT_OK(wlab_store_put(store[1 + i % 2], &r, &err), err);
        wlab_result_clear(&r);
    }
    for (int i = 0; i < 3; i++)
        wlab_store_close(store[i]);
    wlab_experiment_free(e);
    return 0;
}

static void start_session(talk *t, bool json, const char *out)
{
    talk_begin(t, json, out);
    ASSERT_OK(wlab_experiment_register(t->s, &t->err), t->err);
}

static void assert_has(const char *where, const char *what)
{
    if (!strstr(where, what))
        fail_msg("\"%s\" is not in:\n%s", what, where);
}

static const char *line_of(const char *format, ...) WLAB_PRINTF(1, 2);
static const char *line_of(const char *format, ...)
{
    static char line[1000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    return line;
}

static void test_experiment(void **state)
{
    wlab_err err;
    wlab_experiment *e = NULL, *planned = NULL;
    wlab_store *store = NULL;
    int64_t cells, done, failed;
    (void)state;

    ASSERT_OK(wlab_experiment_parse(&planned, text, strlen(text), "small.wexp", &err), err);
    ASSERT_OK(wlab_experiment_check(planned, &places, NULL, &err), err);
    ASSERT_OK(wlab_store_open(&store, dir[0], false, NULL, &err), err);
    ASSERT_OK(wlab_store_count(store, &cells, &done, &failed, &err), err);
    assert_true(cells == 8 && done == 5 && failed == 1);
    ALLOC_SWEEP_OUT(wlab_store_experiment(store, &e, &err), e);
    assert_string_equal(e->text, text);
    assert_string_equal(e->path, "small.wexp");
    assert_string_equal(e->plan, planned->plan);
    assert_true(e->test_ratio == planned->test_ratio && e->test_ratio > 0);
    assert_int_equal(e->cells, 8);
    for (int i = 0; i < 8; i++) { /* field by field: bytes between the fields may differ */
        const wlab_cell *a = &e->cell[i], *b = &planned->cell[i];
        assert_true(a->number == b->number && a->data == b->data && a->setting == b->setting &&
                    a->method == b->method && a->seed == b->seed && a->fold == b->fold);
        assert_string_equal(a->key, b->key);
    }
    wlab_experiment_free(e);
    wlab_experiment_free(planned);
    wlab_store_close(store);
}

static void test_words(void **state)
{
    talk t;
    (void)state;

    start_session(&t, false, ".");
    EXEC_FAILS(&t, "cell 2", WL_EARG, "cell 2 of DIR");
    EXEC_FAILS(&t, "cell", WL_EARG, "takes a number");
    EXEC_FAILS(&t, "cell two", WL_EARG, "takes a number");
    EXEC_FAILS(&t, line_of("cell 9 of %s", dir[0]), WL_EARG, "numbered 1 to 8");
    EXEC_FAILS(&t, "cell 1 of", WL_EARG, "a folder must follow");
    EXEC_FAILS(&t, "cell 1 in x", WL_EARG, "\"in\"");
    EXEC_FAILS(&t, "cell 1 of /no/where", WL_EIO, "no results in");
    assert_string_equal(t.text, "");
    EXEC(&t, line_of("cell 2 of %s", dir[0]));
    assert_has(t.text, "moons labeled=6 Tuned seed=1\n");
    assert_has(t.text, "\n  algo svm ");
    assert_has(t.text, "\n  chosen from 12 candidates in 3 folds, in ");
    assert_has(t.text, "\n  * ");
    assert_has(t.text, " and 2 more\n");
    assert_has(t.text, "scores");
    assert_has(t.text, "accuracy 0.");
    assert_has(t.text, "goto 0");
    t.text[0] = '\0';
    EXEC(&t, "cell 5"); /* of the same folder */
    assert_has(t.text, "failed: it rained\n");
    assert_has(t.text, "--retry` tries it again");
    assert_null(strstr(t.text, "goto 0"));
    t.text[0] = '\0';
    EXEC(&t, "cell 8");
    assert_has(t.text, "moons labeled=12 Tuned seed=2\n  not computed yet");
    EXEC_FAILS(&t, "cell 8 to x.wlab", WL_ESTATE, "is not computed yet");
    talk_end(&t);
}

/* The best candidates come first, and the chosen one is the first of them. */
static void test_best_ten(void **state)
{
    talk t;
    double last = 2;
    (void)state;

    start_session(&t, false, ".");
    EXEC(&t, line_of("cell 6 of %s", dir[0]));
    const char *at = strstr(t.text, "candidate\n");
    assert_non_null(at);
    at = strchr(at, '\n') + 1;
    assert_int_equal(at[2], '*');
    for (int i = 0; i < 10; i++, at = strchr(at, '\n') + 1) {
        double score = strtod(at + 3, NULL);
        assert_true(score <= last);
        last = score;
    }
    assert_has(at, " and 2 more");
    talk_end(&t);
}

static void test_objects(void **state)
{
    talk t;
    (void)state;

    start_session(&t, true, ".");
    EXEC(&t, line_of("cell 2 of %s", dir[0]));
    EXEC(&t, "cell 5");
    EXEC(&t, "cell 7");
    json_t *o = json_array_get(t.objects, 0);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "cell");
    assert_string_equal(json_string_value(json_object_get(o, "status")), "done");
    assert_string_equal(json_string_value(json_object_get(o, "method")), "Tuned");
    assert_string_equal(json_string_value(json_object_get(o, "setting")), "labeled=6");
    assert_true(json_number_value(json_object_get(json_object_get(o, "scores"), "accuracy")) > 0.3);
    assert_int_equal(json_array_size(json_object_get(json_object_get(o, "tuning"), "candidates")), 12);
    assert_null(json_object_get(o, "session"));
    o = json_array_get(t.objects, 1);
    assert_string_equal(json_string_value(json_object_get(o, "status")), "failed");
    assert_string_equal(json_string_value(json_object_get(o, "error")), "it rained");
    o = json_array_get(t.objects, 2);
    assert_string_equal(json_string_value(json_object_get(o, "status")), "missing");
    assert_int_equal(json_integer_value(json_object_get(o, "seed")), 2);
    talk_end(&t);
}

static void test_session(void **state)
{
    talk t;
    char path[400];
    (void)state;

    start_session(&t, false, folder);
    snprintf(path, sizeof path, "%s/c2.wlab", folder);
    assert_int_equal(exec_script(&t, line_of("cell 2 of %s to %s", dir[0], path)),
                     WL_EARG); /* refused for a script */
    assert_has(t.err.message, "a script may not write");
    assert_int_equal(exec_script(&t, line_of("cell 2 of %s to c2.txt", dir[0])), WL_EARG);
    assert_int_equal(exec_script(&t, line_of("cell 2 of %s to c2.wlab", dir[0])), WL_OK);
    assert_has(t.messages, "replay");
    t.messages[0] = '\0';
    ASSERT_OK(wlab_session_replay(t.s, path, true, 1e-6, 0, &t.err), t.err);
    assert_has(t.messages, "all equal bit for bit");
    EXEC(&t, "goto 0");
    EXEC(&t, "step");
    char *session = talk_read(path);
    assert_has(session, "# chosen by `tune folds=3 seed=1`");
    free(session);
    unlink(path);
    EXEC(&t, line_of("cell 1 to %s", path)); /* a person may */
    assert_int_equal(access(path, R_OK), 0);
    talk_end(&t);
}

static void test_merged(void **state)
{
    talk t;
    char all[300];
    (void)state;

    start_session(&t, false, folder);
    snprintf(all, sizeof all, "%s/all", folder);
    EXEC_FAILS(&t, line_of("merge %s %s", dir[1], dir[2]), WL_EARG, "merge part1 part2 to all");
    EXEC_FAILS(&t, line_of("merge to %s", all), WL_EARG, "merge part1 part2 to all");
    EXEC_FAILS(&t, line_of("merge %s %s/none to %s", dir[1], folder, all), WL_EIO, "no results in");
    assert_int_equal(access(all, F_OK), -1);
    EXEC_FAILS(&t, line_of("merge %s %s to %s/./a", dir[0], dir[1], folder), WL_EARG,
               "the folder for the results");
    EXEC(&t, line_of("merge %s %s to %s", dir[1], dir[2], all));
    assert_has(t.text, "/b: 3 cells added\n");
    assert_has(t.text, "/c: 3 cells added\n");
    assert_has(t.text, "/all: 5 of 8 cells done, 1 failed, 2 missing\n");
    t.text[0] = '\0';
    EXEC(&t, line_of("merge %s to %s", dir[0], all));
    assert_has(t.text, "/a: 0 cells added, 6 were there already\n");
    EXEC(&t, "cell 2"); /* of the merged results */
    assert_has(t.text, "/all: moons labeled=6 Tuned seed=1\n");
    talk_end(&t);

    start_session(&t, true, folder);
    assert_int_equal(exec_script(&t, line_of("merge %s to %s", dir[0], all)), WL_EARG);
    assert_has(t.err.message, "a script may not write");
    assert_int_equal(exec_script(&t, line_of("merge %s to all", dir[0])), WL_OK);
    json_t *o = json_array_get(t.objects, 0);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "merge");
    assert_int_equal(json_integer_value(json_object_get(o, "same")), 6);
    o = json_array_get(t.objects, 1);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "merged");
    assert_int_equal(json_integer_value(json_object_get(o, "done")), 5);
    talk_end(&t);
    char path[400];
    snprintf(path, sizeof path, "%s/results.sqlite", all);
    unlink(path);
    snprintf(path, sizeof path, "%s/lock", all);
    unlink(path);
    rmdir(all);
}

/* ---- Tab ---- */

static bool offered(wlab_session *s, const char *line, const char *word)
{
    wlab_offers o = {0};
    wlab_err err;
    bool found = false;
    size_t len = strlen(line), from = len;
    while (from > 0 && line[from - 1] != ' ')
        from--;
    ASSERT_OK(wlab_session_complete(s, line, from, len, &o, &err), err);
    for (int i = 0; i < o.n; i++)
        found = found || strcmp(o.list[i].text, word) == 0;
    wlab_offers_clear(&o);
    return found;
}

static void test_offers(void **state)
{
    talk t;
    (void)state;

    start_session(&t, false, ".");
    assert_true(offered(t.s, "cell 3 ", "of") && offered(t.s, "cell 3 ", "to"));
    assert_true(!offered(t.s, "cell ", "of") && !offered(t.s, "cell 3 of x ", "of"));
    assert_true(offered(t.s, "cell 3 of x t", "to") && offered(t.s, "cell 3 of ", "src/"));
    assert_true(!offered(t.s, "cell 3 of x to y ", "to"));
    assert_true(offered(t.s, "merge ", "src/") && !offered(t.s, "merge ", "to"));
    assert_true(offered(t.s, "merge a b ", "to") && !offered(t.s, "merge a to b ", "to"));
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_experiment), cmocka_unit_test(test_words),   cmocka_unit_test(test_best_ten),
        cmocka_unit_test(test_objects),    cmocka_unit_test(test_session), cmocka_unit_test(test_merged),
        cmocka_unit_test(test_offers),
    };
    return cmocka_run_group_tests_name("cell", tests, setup, clean);
}
