/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion: what is offered at which place of a command, how the offers are listed, and how an offer is typed.
 */
#include "talk.h"

#include "plot/plot.h"
#include "session/help/glossary.h"
#include "study/commands/commands.h"
#include "tui/dashboard/canvas.h"
#include "tui/dashboard/dashboard.h"
#include "tui/prompt/complete.h"
#include <locale.h>
#include <poll.h>
#include <strings.h>
#include <unistd.h>

/* The offers at the end of `line`, for the word that begins where readline would begin it. */
static wlab_code complete_line(talk *t, const char *line, wlab_offers *o)
{
    size_t begin = 0;
    char open = '\0';

    for (size_t i = 0; line[i]; i++)
        if (open ? line[i] == open : strchr("\"'", line[i]) != NULL) {
            open = open ? '\0' : line[i];
            if (open)
                begin = i + 1;
        } else if (!open && strchr(" \t;=", line[i])) {
            begin = i + 1;
        }
    memset(o, 0, sizeof *o);
    return wlab_session_complete(t->s, line, begin, strlen(line), o, &t->err);
}

/* The offers at the end of `line`, joined by "|".  None may be there twice. */
static const char *offered(talk *t, const char *line)
{
    static char text[1 << 16];
    wlab_offers o;

    assert_int_equal(complete_line(t, line, &o), WL_OK);
    text[0] = '\0';
    for (int i = 0; i < o.n; i++) {
        strcat(text, i ? "|" : "");
        strcat(text, o.list[i].text);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(o.list[i].text, o.list[k].text);
    }
    wlab_offers_clear(&o);
    return text;
}

#define OFFERS(t, line, text) assert_string_equal(offered((t), (line)), (text))

static bool offers_word(talk *t, const char *line, const char *word)
{
    wlab_offers o;
    bool found = false;

    assert_int_equal(complete_line(t, line, &o), WL_OK);
    for (int i = 0; i < o.n; i++)
        found = found || strcmp(o.list[i].text, word) == 0;
    wlab_offers_clear(&o);
    return found;
}

/* Check the note and the meaning of one offer. */
static void check_offer(talk *t, const char *line, const char *word, const char *note, const char *meaning)
{
    wlab_offers o;
    bool found = false;

    assert_int_equal(complete_line(t, line, &o), WL_OK);
    for (int i = 0; i < o.n; i++)
        if (strcmp(o.list[i].text, word) == 0) {
            found = true;
            assert_string_equal(o.list[i].note, note);
            assert_non_null(strstr(o.list[i].meaning, meaning));
        }
    if (!found)
        fail_msg("'%s' does not offer '%s'", line, word);
    wlab_offers_clear(&o);
}

static void test_commands(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    OFFERS(&t, "ste", "step|stepi");
    OFFERS(&t, "step; disp", "display");
    OFFERS(&t, "step 3;go", "goto");
    OFFERS(&t, "  wat", "watch");
    OFFERS(&t, "xyz", "");
    OFFERS(&t, "step # ste", "");
    OFFERS(&t, "step 3 # see a=", "");
    OFFERS(&t, "# ste", "");
    OFFERS(&t, "\"ste", "");
    OFFERS(&t, "say \"x\" 'y; ste", "");
    OFFERS(&t, "unknown wel", "");
    OFFERS(&t, "s wel", ""); /* an alias of step, which has no words */
    for (int i = 0; i < t.s->ncommands; i++)
        assert_true(offers_word(&t, "", t.s->commands[i]->name));
    check_offer(&t, "st", "step", "(s)", "make N steps");
    wlab_offers o;
    assert_int_equal(complete_line(&t, "", &o), WL_OK);
    assert_int_equal(o.n, t.s->ncommands);
    for (int i = 0; i < o.n; i++)
        assert_true(strlen(o.list[i].meaning) > 5);
    wlab_offers_clear(&o);
    talk_end(&t);
}

static void test_settings(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    OFFERS(&t, "generate two-m", "two-moons");
    OFFERS(&t, "gen two-m", "two-moons"); /* a unique beginning */
    OFFERS(&t, "generate two-moons ", "as|n=|noise=|dims=|seed=");
    OFFERS(&t, "generate two-moons n=40 noise=0 ", "as|dims=|seed=");
    OFFERS(&t, "generate two-moons as ", "");
    OFFERS(&t, "generate two-moons as x s", "seed=");
    OFFERS(&t, "generate two-moons noise=", "0.08");
    OFFERS(&t, "generate two-moons noise=0.0", "0.08");
    OFFERS(&t, "generate two-moons noise=7", "");
    OFFERS(&t, "generate two-moons frob=", "");
    check_offer(&t, "generate two-moons ", "noise=", "0.08 ([0, 100])", "deviation");
    check_offer(&t, "generate two-moons ", "n=", "200 ([2, 100000000], rows)", "rows");
    OFFERS(&t, "generate frob ", "as");
    OFFERS(&t, "task ssl lab", "labeled=");
    OFFERS(&t, "task ssl stratified=", "yes|no");
    OFFERS(&t, "task ssl given=", "yes|no");
    check_offer(&t, "task ssl given=", "no", "default", "");
    assert_true(offers_word(&t, "task ", "cluster"));
    OFFERS(&t, "split ", "test=|folds=|fold=|hold=|seed=|stratified=|by=|bagsize=");
    OFFERS(&t, "scale ", "minmax|zscore|unit|tfidf|symmetric");
    OFFERS(&t, "scale minmax ", "");
    OFFERS(&t, "scale x=", "");
    OFFERS(&t, "algo well", "wellsvm");
    OFFERS(&t, "algo wellsvm ker", "kernel=");
    OFFERS(&t, "algo wellsvm kernel=r", "rbf");
    OFFERS(&t, "algo wellsvm kernel=\"r", "rbf");
    check_offer(&t, "algo wellsvm k", "kernel=", "auto (linear|rbf|poly|precomputed|auto)", "kappa");
    check_offer(&t, "algo wellsvm sig", "sigma=", "1nn (> 0 or as 1x, 1rms, 1nn)", "width");
    check_offer(&t, "algo wellsvm ep", "eps=", "1e-6 ((0, 1], relative)", "stop when");
    for (int i = 0; wlab_algos[i]; i++)
        assert_true(offers_word(&t, "algo ", wlab_algos[i]->name));
    EXEC(&t, "generate two-moons n=20 seed=1");
    check_offer(&t, "task cluster positive=", "+1", "", "class");
    EXEC(&t, "task cluster");
    assert_true(offers_word(&t, "algo ", "wellsvm"));
    assert_false(offers_word(&t, "algo ", "svm")); /* it does not solve the task */
    OFFERS(&t, "new ", "seed=");
    talk_end(&t);
}

static void test_runs(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    OFFERS(&t, "switch ", "");
    OFFERS(&t, "fork ", "a");
    OFFERS(&t, "goto ", "");
    EXEC(&t, "generate two-moons n=20 seed=1; task ssl labeled=4; algo wellsvm kernel=linear; step 2; fork "
             "other; set C2=0.5");
    OFFERS(&t, "switch ", "a"); /* not the current run */
    check_offer(&t, "compare ", "a", "step 2, more", "wellsvm on two-moons (ssl)");
    OFFERS(&t, "compare ", "a|other");
    OFFERS(&t, "compare other ", "a");
    OFFERS(&t, "fork ", "c");
    OFFERS(&t, "fork c ", "");
    OFFERS(&t, "goto ", "1|0");
    check_offer(&t, "goto ", "0", "", "the start");
    check_offer(&t, "goto ", "1", "", "objective ");
    OFFERS(&t, "set C", "C=|C1=|C2=");
    check_offer(&t, "set C2", "C2=", "0.5 (> 0)", "unlabelled");
    OFFERS(&t, "set C2=", "0.5|0.1");
    check_offer(&t, "set C2=", "0.5", "now", "");
    check_offer(&t, "set C2=", "0.1", "default", "");
    OFFERS(&t, "set C2=1 C", "C=|C1=");
    assert_false(offers_word(&t, "set ", "kernel=")); /* it may not be changed */
    OFFERS(&t, "set search=", "auto|paper|multistart|exact|linf");
    check_offer(&t, "set search=", "auto", "now", "");
    OFFERS(&t, "get kern", "kernel");
    check_offer(&t, "get C2", "C2", "0.5", "unlabelled");
    for (const wlab_param_info *p = wlab_settings; p->name; p++) {
        char key[80];
        snprintf(key, sizeof key, "%s=", p->name);
        assert_true(offers_word(&t, "set ", key));
        assert_true(offers_word(&t, "get ", p->name));
    }
    OFFERS(&t, "get C2 ", "");
    OFFERS(&t, "eval ", "test|unlabeled|train|bags|train-bags|two-moons");
    check_offer(&t, "eval t", "two-moons", "20 x 2", "all rows");
    OFFERS(&t, "info fl", "flips");
    OFFERS(&t, "info algo w", "wellsvm");
    OFFERS(&t, "info data ", "");
    OFFERS(&t, "export mo", "model");
    talk_end(&t);
}

static void test_conditions(void **state)
{
    (void)state;
    static const char operators[] = "<|<=|>|>=|==|!=|increases|decreases|changes";
    talk t;
    talk_begin(&t, false, "build/tests");
    assert_true(offers_word(&t, "break ", "gap")); /* a metric of some algorithm */
    EXEC(&t, "generate two-moons n=20 seed=1; task ssl labeled=4; algo wellsvm");
    OFFERS(&t, "continue ", "until");
    OFFERS(&t, "c ", "until");
    OFFERS(&t, "continue until ga", "gap");
    OFFERS(&t, "continue until gap ", operators);
    OFFERS(&t, "continue until gap i", "increases");
    OFFERS(&t, "continue until gap <", "<|<=");
    OFFERS(&t, "continue until gap < ga", "gap");
    OFFERS(&t, "continue until gap < 1e-3 ", "and|or");
    OFFERS(&t, "continue until gap < 1e-3 a", "and");
    OFFERS(&t, "continue until gap <= 1e-3 and ite", "iter");
    OFFERS(&t, "continue until gap <= 1e-3 and no", "not");
    OFFERS(&t, "continue until gap increases ", "and|or");
    OFFERS(&t, "continue until gap increases or fli", "flips");
    OFFERS(&t, "continue unt gap ", "");
    OFFERS(&t, "break abs(upp", "abs(upper");
    OFFERS(&t, "break (lo", "(lower");
    OFFERS(&t, "break gap<upp", "gap<upper");
    OFFERS(&t, "break gap<=upp", "upper"); /* the word begins after the = */
    OFFERS(&t, "break gap <= upper ", "and|or");
    OFFERS(&t, "break upper - lo", "lower");
    OFFERS(&t, "break upper - lower ", "<|<=|>|>=|==|!=");
    OFFERS(&t, "break \"gap < upp", "gap < upper"); /* readline's word begins after the quote */
    OFFERS(&t, "break 1e-3 ", "<|<=|>|>=|==|!=");
    OFFERS(&t, "display work", "working_set");
    OFFERS(&t, "watch low", "lower");
    OFFERS(&t, "watch lower ", "");
    for (const wlab_metric_info *m = wlab_algo_find("wellsvm")->metrics; m->name; m++) {
        assert_true(offers_word(&t, "watch ", m->name));
        assert_true(offers_word(&t, "break ", m->name));
    }
    assert_true(offers_word(&t, "watch ", "iter"));
    EXEC(&t, "step");
    check_offer(&t, "watch it", "iter", "1", "steps");
    check_offer(&t, "watch work", "working_set", "1 labelings", "working set");
    OFFERS(&t, "delete ", "");
    EXEC(&t, "break gap < 1e-3; watch lower; display upper");
    OFFERS(&t, "delete ", "1|2");
    check_offer(&t, "delete ", "1", "break", "gap < 1e-3");
    check_offer(&t, "delete ", "2", "watch", "lower");
    OFFERS(&t, "undisplay ", "1");
    check_offer(&t, "undisplay ", "1", "display", "upper");
    OFFERS(&t, "delete 1 ", "");
    talk_end(&t);
}

static void test_upper_layers(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    ASSERT_OK(wlab_plot_register(t.s, &t.err), t.err);
    EXEC(&t,
         "generate two-moons n=20 seed=1; task ssl labeled=4; algo wellsvm kernel=linear; step; fork other");
    for (const wlab_view_info *v = wlab_session_views(t.s); v->name; v++)
        assert_true(offers_word(&t, "plot ", v->name));
    ASSERT_OK(wlab_dashboard_register(t.s, NULL, &t.err), t.err);
    OFFERS(&t, "dashboard ", "on|off|zoom|hide|show|save");
    OFFERS(&t, "dashboard zoom obj", "objective");
    OFFERS(&t, "dashboard on ", "");
    OFFERS(&t, "plot bou", "boundary");
    for (int i = 0; i < 6; i++)
        assert_true(
            offers_word(&t, "plot gap ", ((const char *[]){"a", "other", "vs", "to", "mu", "boundary"})[i]));
    assert_false(offers_word(&t, "plot gap mu ", "gap"));
    assert_true(offers_word(&t, "plot gap boundary ", "labels=truth"));
    OFFERS(&t, "plot gap mu of ", "a|other|vs|to");
    OFFERS(&t, "plot gap a ", "other|vs|to");
    OFFERS(&t, "plot gap a other ", "vs|to");
    OFFERS(&t, "plot labels of ", "a|other|to"); /* its axis is fixed, and it shows one run */
    OFFERS(&t, "plot gram a ", "to");
    OFFERS(&t, "plot mu a ", "vs|to");
    OFFERS(&t, "plot gap vs ", "iter|inner|seconds|level");
    OFFERS(&t, "plot gap vs iter ", "to");
    OFFERS(&t, "plot gap to term", "terminal");
    OFFERS(&t, "plot gap to Makef", "Makefile");
    OFFERS(&t, "plot gap to x.png ", "vs");
    assert_true(offers_word(&t, "help ", "boundary"));
    talk_end(&t);
}

static void test_tune(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    ASSERT_OK(wlab_experiment_register(t.s, &t.err), t.err);
    OFFERS(&t, "tune ", "folds=|by=|warm=|seed=|algo");
    OFFERS(&t, "tune folds=3 by=", "auto|accuracy|balanced-accuracy|auc|f1");
    OFFERS(&t, "tune folds=3 warm=y", "yes");
    OFFERS(&t, "tune folds=3 ", "by=|warm=|seed=|algo");
    OFFERS(&t, "tune algo well", "wellsvm");
    OFFERS(&t, "tune by=auc algo svm ker", "kernel=");
    OFFERS(&t, "tune algo svm kernel=", "linear|rbf|poly|precomputed|auto");
    OFFERS(&t, "tune algo svm C={1,2} o", "offset=|or");
    assert_false(offers_word(&t, "tune algo svm C={1,2} ", "C="));
    assert_false(offers_word(&t, "tune algo svm C={1,2} ", "folds="));
    assert_true(offers_word(&t, "tune algo svm C={1,2} ", "eps="));
    OFFERS(&t, "tune algo svm C={1,2} or ", "algo");
    OFFERS(&t, "tune algo svm C={1,2} or algo well", "wellsvm");
    assert_true(offers_word(&t, "tune algo svm C={1,2} or algo wellsvm ", "C2="));
    OFFERS(&t, "tune algo svm C={1,2} or algo wellsvm search=m", "multistart");
    OFFERS(&t, "tune algo nothing ", "");
    EXEC(&t, "generate two-moons n=20; task cluster");
    assert_false(offers_word(&t, "tune algo ", "svm"));
    assert_true(offers_word(&t, "tune algo ", "wellsvm"));
    talk_end(&t);
}

static void test_topics(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    OFFERS(&t, "help wells", "wellsvm");
    assert_true(offers_word(&t, "help ", "step"));
    assert_true(offers_word(&t, "h ", "algorithms"));
    assert_true(offers_word(&t, "help g", "gap")); /* with a typed prefix also settings and metrics */
    assert_true(offers_word(&t, "help k", "kernel"));
    OFFERS(&t, "help step ", "");
    assert_true(offers_word(&t, "explain work", "working"));
    OFFERS(&t, "explain working ", "set");
    OFFERS(&t, "explain working s", "set");
    OFFERS(&t, "explain frob ", "");
    assert_true(offers_word(&t, "explain sv", "SVM")); /* case is ignored */
    check_offer(&t, "explain S3", "S3VM", "semi-supervised learning",
                "Few rows"); /* another name of the term */
    assert_true(offers_word(&t, "explain maximum margin ", "clustering"));
    assert_false(offers_word(&t, "explain ", "S3VM"));
    for (const wlab_term *term = wlab_glossary; term->name; term++) {
        char line[128], word[64];
        const char *last = strrchr(term->name, ' ');
        snprintf(word, sizeof word, "%s", last ? last + 1 : term->name);
        snprintf(line, sizeof line, "explain %.*s", (int)(strlen(term->name) - strlen(word)), term->name);
        if (!offers_word(&t, line, word))
            fail_msg("'%s' does not offer '%s'", line, word);
    }
    OFFERS(&t, "wait ", "key");
    talk_end(&t);
}

/* ---- files ---- */

static void test_files(void **state)
{
    (void)state;
    char folder[256], path[600], home[300], was[600];
    static const char *const names[] = {"one.csv",      "with blank.csv", "it's.csv",  "odd=name.csv",
                                        "deep/two.csv", "a.wlab",         "notes.txt", ".hidden"};
    talk t;

    assert_non_null(getcwd(was, sizeof was));
    talk_folder(folder);
    snprintf(path, sizeof path, "%s/deep", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        talk_write(path, "1,2\n");
    }
    const char *const data[] = {folder, NULL};
    assert_int_equal(talk_create(&t, false, "build/tests", data), WL_OK);
    wlab_free(t.s->places.home);
    snprintf(home, sizeof home, "%s", folder);
    t.s->places.home = wlab_strdup(home);

    assert_int_equal(chdir(folder), 0);
    OFFERS(&t, "load on", "one.csv"); /* in both folders: offered once */
    OFFERS(&t, "load ", "a.wlab|deep/|it's.csv|notes.txt|odd=name.csv|one.csv|with blank.csv");
    OFFERS(&t, "load .h", ".hidden");
    OFFERS(&t, "load de", "deep/");
    OFFERS(&t, "load deep/t", "deep/two.csv");
    OFFERS(&t, "load \"with b", "with blank.csv");
    OFFERS(&t, "load 'with b", "with blank.csv");
    OFFERS(&t, "load ~/on", "~/one.csv");
    OFFERS(&t, "load ~/deep/", "~/deep/two.csv");
    OFFERS(&t, "load \"~/on", ""); /* a ~ in quotes is not expanded */
    snprintf(path, sizeof path, "%s/with blank.csv", folder);
    OFFERS(&t, "load ~/wi", path); /* the name needs quotes, in which ~ is not expanded */
    snprintf(path, sizeof path, "load %s/on", folder);
    assert_non_null(strstr(offered(&t, path), "/one.csv"));
    OFFERS(&t, "load one.csv ",
           "as|format=|labels=|truth=|label=|bags=|bag=|header=|missing=|base=|columns=|classes=|one=|draw=|"
           "ranks=|"
           "unpacked=");
    OFFERS(&t, "load one.csv as ", "");
    OFFERS(&t, "load one.csv labels=on", "one.csv");
    OFFERS(&t, "load one.csv labels=\"with", "with blank.csv");
    OFFERS(&t, "load one.csv labels=x truth=de", "deep/");
    OFFERS(&t, "load one.csv labels=x la", "label=");
    OFFERS(&t, "task ssl labeled=@on", "@one.csv");
    OFFERS(&t, "task ssl labeled=@~/on", "@~/one.csv");
    OFFERS(&t, "source ", "a.wlab|deep/");
    OFFERS(&t, "source no", "notes.txt"); /* no script begins so: any file */
    OFFERS(&t, "replay ", "a.wlab|deep/");
    OFFERS(&t, "replay a.wlab ", "--check|tol=");
    OFFERS(&t, "replay a.wlab --check ", "tol=");
    OFFERS(&t, "replay --check a", "a.wlab");
    OFFERS(&t, "record s", "stop");
    OFFERS(&t, "record a", "a.wlab");
    OFFERS(&t, "export trace on", "one.csv");
    OFFERS(&t, "load nowhere/", "");
    assert_int_equal(chdir(was), 0);
    OFFERS(&t, "load odd", "odd=name.csv"); /* in the data folder */
    OFFERS(&t, "load deep/tw", "deep/two.csv");
    OFFERS(&t, "export trace odd", "");
    talk_end(&t);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/deep", folder);
    rmdir(path);
    assert_int_equal(rmdir(folder), 0);
}

/* For any line and any beginning of the word, only words with that beginning are offered. */
static void test_any_line(void **state)
{
    (void)state;
    static const char letters[] = "step algo task ssl =\"';# \\ab@~/.<>()-1\t,\xc3\xa4\x01";
    uint64_t seed = 12345;
    talk t;
    talk_begin(&t, false, "build/tests");
    EXEC(&t, "generate two-moons n=20 seed=1; task ssl labeled=4; algo wellsvm kernel=linear; break gap < 1");
    for (int round = 0; round < 3000; round++) {
        static const char *const starts[] = {"",        "load ",    "algo wellsvm ", "break ",
                                             "set ",    "explain ", "replay ",       "continue until ",
                                             "eval \"", "generate "};
        char line[64];
        size_t n = (size_t)snprintf(line, sizeof line, "%s", starts[round % 10]);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (size_t k = seed >> 60; k > 0; k--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            line[n++] = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        line[n] = '\0';
        for (size_t begin = 0; begin <= n; begin++) {
            wlab_offers o = {0};
            assert_int_equal(wlab_session_complete(t.s, line, begin, n, &o, &t.err), WL_OK);
            for (int i = 0; i < o.n && o.list[i].text[0] != '/'; i++)
                assert_int_equal(strncasecmp(o.list[i].text, o.prefix, strlen(o.prefix)), 0);
            wlab_offers_clear(&o);
        }
    }
    talk_end(&t);
}

/* How often complete_while_running was called.  It tests that completion while the worker makes steps does not read
 * what the worker changes. */
static int completions;

static void complete_while_running(void *self, int fd)
{
    talk *t = self;
    struct pollfd on = {.fd = fd, .events = POLLIN};
    static const char *const lines[] = {"",
                                        "set C",
                                        "get ",
                                        "goto ",
                                        "break ",
                                        "watch ",
                                        "compare ",
                                        "task ssl ",
                                        "eval ",
                                        "help ",
                                        "explain g",
                                        "delete ",
                                        "continue until gap < 1 "};

    assert_true(wlab_session_running(t->s));
    check_offer(t, "compare ", "a", "running", "wellsvm");
    check_offer(t, "compare ", "other", "step 1, more", "wellsvm");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        (void)offered(t, lines[i]);
    OFFERS(t, "goto ", "");
    assert_false(offers_word(t, "set ", "C2="));
    assert_true(offers_word(t, "set ", "pace="));
    assert_true(offers_word(t, "watch ", "gap"));
    completions++;
    (void)poll(&on, 1, -1);
}

static void test_running(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    EXEC(&t,
         "generate two-moons n=100 seed=1; task ssl labeled=4; algo wellsvm kernel=rbf sigma=1x; step; fork "
         "other; switch a");
    completions = 0;
    wlab_session_set_terminal(t.s, &(wlab_terminal){.idle = complete_while_running, .self = &t});
    while (completions == 0) /* on a busy machine the steps may end before the first completion */
        (void)type_line(&t, "goto 1; step 3");
    wlab_session_set_terminal(t.s, NULL);
    talk_end(&t);
}

/* ---- offers as typed ---- */

static void check_typed(const char *text, unsigned flags, char open, bool quoted, const char *expected)
{
    char *copy = wlab_strdup(text), *got;
    const wlab_offer offer = {.text = copy, .flags = flags};

    got = wlab_offer_typed(&offer, open, quoted);
    if (expected)
        assert_string_equal(got, expected);
    else
        assert_null(got);
    wlab_free(got);
    wlab_free(copy);
}

static void test_typed(void **state)
{
    (void)state;
    check_typed("two", 0, '\0', false, "two");
    check_typed("two three", 0, '\0', true, "\"two three\"");
    check_typed("two three/", WL_OFFER_OPEN, '\0', true, "\"two three/");
    check_typed("say \"x\"", 0, '\0', true, "\"say \\\"x\\\"\"");
    check_typed("say \"x\"", 0, '"', false, "say \\\"x\\\"");
    check_typed("say \"x\"", 0, '\'', false, "say \"x\"");
    check_typed("it's", 0, '\'', false, NULL);
    check_typed("it's", 0, '"', false, "it's");
    /* and the language reads back the same text */
    static const char *const words[] = {"a b", "a\"b", "a\\b", "it's", "a=b", "a#b;c", "\\\"", "\\"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *copy = wlab_strdup(words[i]), line[64];
        const wlab_offer offer = {.text = copy};
        char *text = wlab_offer_typed(&offer, '\0', true);
        wlab_phrase p = {0};
        size_t pos = 0;
        bool more;
        snprintf(line, sizeof line, "load %s", text);
        assert_int_equal(wlab_phrase_read(&p, line, &pos, &more, NULL), WL_OK);
        assert_int_equal(p.n, 1);
        assert_string_equal(p.word[0], words[i]);
        assert_false(p.plain[0]);
        wlab_phrase_clear(&p);
        wlab_free(text);
        wlab_free(copy);
    }
}

/* ---- offers as a list ---- */

static char *list_text(const wlab_offer *offer, int n, int width)
{
    const wlab_offer *list[64];
    wlab_buf out = {0};

    for (int i = 0; i < n; i++)
        list[i] = &offer[i];
    assert_int_equal(wlab_offers_layout(list, n, width, &out), WL_OK);
    for (char *line = (char *)out.data; *line; line += strcspn(line, "\n") + 1) {
        char one[512];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        if (wlab_text_columns(one) > width)
            fail_msg("wider than %d: '%s'", width, one);
        assert_true(one[0] && one[strlen(one) - 1] != ' ');
    }
    return (char *)out.data;
}

#define W(text, note, meaning)                                                                               \
    {                                                                                                        \
        (char *)(text), (char *)(note), (char *)(meaning), 0                                                 \
    }

static void test_layout(void **state)
{
    (void)state;
    static const wlab_offer params[] = {
        W("kernel=", "rbf (linear|rbf|poly)", "the kernel function"),
        W("C1=", "1 (> 0)", "penalty of the labelled examples, which takes more words than fit in one line"),
        W("seed=", "", "of the generator"),
        W("loss=", "auto (auto|hinge|sum-to-one|squared-hinge)", "G(alpha,y)"),
    };
    char *text = list_text(params, 4, 80);
    assert_string_equal(text,
                        "kernel=  rbf (linear|rbf|poly)  the kernel function\n"
                        "C1=      1 (> 0)                penalty of the labelled examples, which takes...\n"
                        "seed=                           of the generator\n"
                        "loss=    auto (auto|hinge|sum-to-one|squared-hinge)  G(alpha,y)\n");
    free(text);
    for (int width = 4; width < 100; width++)
        free(list_text(params, 4, width));

    static const wlab_offer commands[] = {W("step", "", "one step"), W("stepi", "", "one unit")};
    text = list_text(commands, 2, 80);
    assert_string_equal(text, "step   one step\nstepi  one unit\n");
    free(text);

    static const wlab_offer files[] = {W("in/alpha.csv", "", ""), W("in/be.csv", "", ""),
                                       W("in/gamma/", "", ""), W("in/delta.csv", "", ""),
                                       W("in/\xc3\xa4\x1b[1m", "", "")};
    text = list_text(files, 5, 24);
    assert_string_equal(text, "alpha.csv  delta.csv\nbe.csv     \xc3\xa4 [1m\ngamma/\n");
    free(text);
    for (int width = 4; width < 60; width++)
        free(list_text(files, 5, width));
}

/* Every word that a command offers fits in a list of 80 columns. */
static void test_widths(void **state)
{
    (void)state;
    talk t;
    talk_begin(&t, false, "build/tests");
    EXEC(&t, "generate two-moons n=20 seed=1; task ssl labeled=4; algo wellsvm kernel=linear; step 2");
    for (int i = -1; i < t.s->ncommands; i++) {
        char line[128];
        const wlab_offer *list[600];
        wlab_offers o;
        wlab_buf out = {0};
        snprintf(line, sizeof line, "%s%s", i < 0 ? "" : t.s->commands[i]->name, i < 0 ? "" : " ");
        assert_int_equal(complete_line(&t, line, &o), WL_OK);
        assert_in_range(o.n, 0, 600);
        for (int k = 0; k < o.n; k++)
            list[k] = &o.list[k];
        assert_int_equal(wlab_offers_layout(list, o.n, 80, &out), WL_OK);
        for (const char *l = (const char *)out.data; l && *l; l += strcspn(l, "\n") + 1)
            assert_in_range(strcspn(l, "\n"), 1, 80);
        wlab_buf_clear(&out);
        wlab_offers_clear(&o);
    }
    talk_end(&t);
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const lines[] = {"",        "algo wellsvm ", "set C2=",    "load ", "compare ",
                                        "help g",  "explain work",  "break gap ", "goto ", "lesson ",
                                        "delete ", "eval \"t",      "source ~/"};
    talk t;
    talk_begin(&t, false, "build/tests");
    EXEC(&t, "generate two-moons n=20 seed=1; task ssl labeled=4; algo wellsvm kernel=linear; step 2; break "
             "gap < 1");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        wlab_offers whole;
        assert_int_equal(complete_line(&t, lines[i], &whole), WL_OK);
        for (long k = 1;; k++) {
            wlab_offers o;
            wlab_alloc_fail_at(k);
            wlab_code code = complete_line(&t, lines[i], &o);
            wlab_alloc_fail_at(0);
            if (code == WL_OK) {
                assert_int_equal(o.n, whole.n);
                wlab_offers_clear(&o);
                break;
            }
            assert_int_equal(code, WL_ENOMEM);
            assert_int_equal(o.n, 0);
            assert_null(o.list);
            assert_true(k < 3000);
        }
        wlab_offers_clear(&whole);
    }
    talk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),     cmocka_unit_test(test_settings), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_conditions),   cmocka_unit_test(test_tune),     cmocka_unit_test(test_topics),
        cmocka_unit_test(test_upper_layers), cmocka_unit_test(test_files),    cmocka_unit_test(test_any_line),
        cmocka_unit_test(test_running),      cmocka_unit_test(test_typed),    cmocka_unit_test(test_layout),
        cmocka_unit_test(test_widths),       cmocka_unit_test(test_memory),
    };

    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
