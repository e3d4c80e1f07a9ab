/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * help and history: everything in the tables has a description, and every text fits 80 columns.
 */
#include "talk.h"

#include "plot/plot.h"
#include "session/help/help.h"
#include "study/commands/commands.h"
#include "tui/dashboard/dashboard.h"
#include <ctype.h>
#include <unistd.h>

static void open_session(talk *t)
{
    talk_begin(t, false, "build/tests");
    ASSERT_OK(wlab_plot_register(t->s, &t->err), t->err);
    ASSERT_OK(wlab_dashboard_register(t->s, NULL, &t->err), t->err);
    ASSERT_OK(wlab_experiment_register(t->s, &t->err), t->err);
}

/* Executes a line and returns its output, after checking that the output fits a terminal. */
static const char *output_of(talk *t, const char *line)
{
    t->text[0] = '\0';
    EXEC(t, line);
    assert_true(t->text[0] != '\0');
    for (const char *p = t->text; *p; p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0')) {
        size_t len = strcspn(p, "\n");
        if (len > 79)
            fail_msg("%s: a line of %zu columns: %.*s", line, len, (int)len, p);
        if (len > 0 && p[len - 1] == ' ')
            fail_msg("%s: blanks at the end of '%.*s'", line, (int)len, p);
    }
    return t->text;
}

static const char *help_on(talk *t, const char *word)
{
    char line[200];
    snprintf(line, sizeof line, "help %s", word);
    return output_of(t, line);
}

static void check_params(talk *t, const wlab_param_info *p)
{
    for (; p && p->name; p++) {
        assert_non_null(p->meaning);
        if (strlen(p->meaning) < 4)
            fail_msg("%s: '%s' is too short a meaning", p->name, p->meaning);
        if (p->type == WL_P_CHOICE)
            assert_non_null(p->choices[0]);
        assert_non_null(strstr(help_on(t, p->name), p->name));
    }
}

static void test_all(void **state)
{
    wlab_format_info f;
    (void)state;
    talk t;
    open_session(&t);
    for (int i = 0; i < t.s->ncommands; i++) {
        const wlab_command *c = t.s->commands[i];
        assert_true(strlen(c->summary) > 5 && !isupper((unsigned char)c->summary[0]));
        assert_true(strlen(c->help) > strlen(c->summary) / 2);
        if (strncmp(c->usage, c->name, strlen(c->name)) != 0)
            fail_msg("%s: its usage is '%s'", c->name, c->usage);
        assert_non_null(strstr(help_on(&t, c->name), c->usage));
        if (c->alias)
            for (const char *word = c->alias; *word; word += strspn(word, ", ")) { /* "q, exit" */
                char one[32];
                const int n = (int)strcspn(word, ",");
                snprintf(one, sizeof one, "%.*s", n, word);
                assert_non_null(strstr(help_on(&t, one), c->usage));
                word += n;
            }
        check_params(&t, c->params);
    }
    for (int i = 0; wlab_algos[i]; i++) {
        const wlab_algo *a = wlab_algos[i];
        const char *text = help_on(&t, a->name);
        for (const wlab_param_info *p = a->params; p->name; p++)
            assert_non_null(strstr(text, p->name));
        for (const wlab_metric_info *m = a->metrics; m->name; m++) {
            assert_non_null(strstr(text, m->name));
            if (!m->meaning || strlen(m->meaning) < 5)
                fail_msg("metric %s of %s has no meaning", m->name, a->name);
            if (!(m->flags & (WL_M_COUNT | WL_M_VOLATILE)) && !m->equation)
                fail_msg("%s of %s has no equation", m->name, a->name);
        }
        for (const wlab_metric_info *m = a->metrics; m->name; m++)
            help_on(&t, m->name);
        check_params(&t, a->params);
    }
    for (int i = 0; wlab_tasks[i]; i++) {
        help_on(&t, wlab_tasks[i]->name);
        check_params(&t, wlab_tasks[i]->params);
    }
    for (int i = 0; wlab_generators[i]; i++) {
        help_on(&t, wlab_generators[i]->name);
        check_params(&t, wlab_generators[i]->params);
    }
    for (const wlab_view_info *v = wlab_session_views(t.s); v->name; v++)
        assert_non_null(strstr(help_on(&t, v->name), v->pane ? "pane " : "view "));
    for (int k = 0; wlab_format_at(k, &f); k++)
        assert_non_null(strstr(help_on(&t, f.name), "format "));
    check_params(&t, wlab_settings);
    for (const wlab_topic *topic = wlab_topics; topic->name; topic++) {
        help_on(&t, topic->name);
        assert_non_null(topic->summary);
    }
    talk_end(&t);
}

static void test_page(void **state)
{
    (void)state;
    talk t;
    open_session(&t);
    const char *text = output_of(&t, "help");
    int lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    assert_in_range(lines, 15, 23); /* a screen of 24 lines, the prompt included */
    assert_null(strstr(text, "  more "));
    char all[1 << 14];
    snprintf(all, sizeof all, "%s", help_on(&t, "commands"));
    for (int i = 0; i < t.s->ncommands; i++) {
        char word[64];
        snprintf(word, sizeof word, " %s", t.s->commands[i]->name);
        assert_non_null(strstr(all, word));
        assert_non_null(strstr(output_of(&t, "help"), word));
    }
    /* the commands that it begins with work */
    talk u;
    open_session(&u);
    text = output_of(&t, "help");
    const char *p = strstr(text, "\n  generate");
    assert_non_null(p);
    for (int i = 0; i < 5; i++) {
        char line[80];
        p = strchr(p, '\n') + 1;
        snprintf(line, sizeof line, "%.*s", (int)(strstr(p + 2, "  ") - p), p);
        EXEC(&u, line);
    }
    assert_int_equal(wlab_run_iter(wlab_session_run(u.s)), 1);
    talk_end(&u);
    talk_end(&t);
}

static void test_words(void **state)
{
    (void)state;
    talk t;
    open_session(&t);
    assert_non_null(strstr(help_on(&t, "comparing"), "  fork ")); /* a heading of `help` */
    assert_non_null(strstr(help_on(&t, "task"), "task KIND"));    /* the command, not the heading */
    assert_non_null(strstr(help_on(&t, "session files"), "#@ run="));
    assert_non_null(strstr(help_on(&t, "conditions"), "increases"));
    assert_non_null(strstr(help_on(&t, "C1"), "(> 0; default 1)"));
    assert_non_null(strstr(help_on(&t, "sigma"), "1rms, 1nn"));
    /* a text that several owners share is printed once */
    const char *text = help_on(&t, "kernel");
    int owners = 0, texts = 0;
    for (int i = 0; wlab_algos[i]; i++)
        for (const wlab_param_info *p = wlab_algos[i]->params; p->name; p++)
            owners += strcmp(p->name, "kernel") == 0;
    for (const char *p = text; (p = strstr(p, "setting of")); p++)
        texts++;
    assert_true(owners > 1 && texts >= 1 && texts < owners);
    t.text[0] = '\0';
    EXEC(&t, "help cutting plane; help phase"); /* terms that are the names of nothing else */
    assert_non_null(strstr(t.text, "cutting plane:"));
    assert_non_null(strstr(t.text, "phase: Steps that belong together"));
    /* a setting with the name of its task is printed once */
    assert_null(strstr(help_on(&t, "ambiguous"), "setting of ambiguous"));
    EXEC_FAILS(&t, "help algoritms", WL_EARG, "did you mean \"algorithms\"");
    EXEC_FAILS(&t, "help boundry", WL_EARG, "did you mean \"boundary\"");
    EXEC_FAILS(&t, "help viloation", WL_EARG, "did you mean \"violation\"");
    EXEC_FAILS(&t, "help lables", WL_EARG, "did you mean \"labels\""); /* a view, and a term */
    EXEC_FAILS(&t, "help annealng", WL_EARG, "did you mean `explain annealing`");
    EXEC_FAILS(&t, "help qqqqqq", WL_EARG, "`help` lists");
    EXEC_FAILS(&t, "help x=1", WL_EARG, "one topic");
    EXEC_FAILS(
        &t,
        "help "
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        WL_EARG, "no help on");
    talk_end(&t);
}

/* explain describes the metric or setting of the current run; without a run, or if the run has none of that name, those
 * of all algorithms. */
static void test_explain_of_run(void **state)
{
    (void)state;
    talk t;
    open_session(&t);
    EXEC(&t, "explain gap");
    assert_non_null(strstr(t.text, "metric of wellsvm"));
    assert_non_null(strstr(t.text, "metric of svm"));
    EXEC(&t, "generate two-moons n=20; task supervised; algo svm");
    t.text[0] = '\0';
    EXEC(&t, "explain gap");
    assert_null(strstr(t.text, "metric of wellsvm"));
    assert_non_null(strstr(t.text, "metric of svm"));
    t.text[0] = '\0';
    EXEC(&t, "explain violation");
    assert_non_null(strstr(t.text, "metric of wellsvm"));
    assert_non_null(strstr(help_on(&t, "gap"), "metric of wellsvm")); /* help describes all */
    /* what the run's algorithm says comes before the field's term, which speaks of another one */
    EXEC(&t, "task ssl labeled=4; algo mfa; step");
    t.text[0] = '\0';
    EXEC(&t, "explain objective");
    assert_true(strncmp(t.text, "metric of mfa:\n", 15) == 0);
    assert_non_null(strstr(t.text, "in run b after step 1: "));
    assert_true(strstr(t.text, "in run b after step 1: ") < strstr(t.text, "In WellSVM"));
    assert_null(strstr(strstr(t.text, "In WellSVM"), "metric of "));
    talk_end(&t);
}

/* Lines of a list keep their blanks and continue below their second column. */
static void test_wrap(void **state)
{
    (void)state;
    wlab_buf out = {0};
    wlab_help_wrap(
        &out,
        "One line.\n"
        "\n"
        "  key     short\n"
        "  other   this one is far too long for a line of eighty columns and has to be broken at a word\n"
        "The end of it, which is too long for a line as well and is broken at a word, like any text.\n",
        0, 0);
    assert_string_equal((const char *)out.data,
                        "One line.\n"
                        "\n"
                        "  key     short\n"
                        "  other   this one is far too long for a line of eighty columns and has to be\n"
                        "          broken at a word\n"
                        "The end of it, which is too long for a line as well and is broken at a word,\n"
                        "like any text.\n");
    wlab_buf_clear(&out);
    wlab_help_item(&out, 5, "much too long", "text");
    assert_string_equal((const char *)out.data, "  much too long\n        text\n");
    wlab_buf_clear(&out);
}

static void test_history(void **state)
{
    (void)state;
    char folder[256], path[300], line[400];
    talk t;
    talk_folder(folder);
    snprintf(path, sizeof path, "%s/h.wlab", folder);
    talk_write(path, "say from the script\nsay more\n");
    snprintf(line, sizeof line, "source %s", path);
    open_session(&t);
    EXEC(&t, "say one; say two");
    EXEC(&t, "");
    EXEC(&t, "   ");
    (void)type_line(&t, "frob");
    EXEC(&t, line);
    EXEC(&t, "say one; say two");
    EXEC(&t, "say one; say two");
    (void)type_line(&t, "say \"open");
    (void)exec_script(&t, "say not typed");
    char expected[1000];
    snprintf(expected, sizeof expected,
             "    1  say one; say two\n    2  frob\n    3  %s\n    4  say one; say two\n    5  say \"open\n"
             "    6  history\n",
             line);
    t.text[0] = '\0';
    EXEC(&t, "history");
    assert_string_equal(t.text, expected);
    t.text[0] = '\0';
    EXEC(&t, "history 2");
    assert_string_equal(t.text, "    6  history\n    7  history 2\n");
    t.text[0] = '\0';
    EXEC(&t, "history 100");
    assert_int_equal(t.text[4], '1');
    EXEC_FAILS(&t, "history 0", WL_EARG, "history 20");
    EXEC_FAILS(&t, "history 1 2", WL_EARG, "history 20");
    EXEC_FAILS(&t, "history -3", WL_EARG, "history 20");
    talk_end(&t);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),   cmocka_unit_test(test_page),
        cmocka_unit_test(test_words), cmocka_unit_test(test_explain_of_run),
        cmocka_unit_test(test_wrap),  cmocka_unit_test(test_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
