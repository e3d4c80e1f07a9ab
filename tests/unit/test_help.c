/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * help and history: all that the tables hold has a meaning, and the text fits 80 columns.
 */
#include "talk.h"

#include "plot/plot.h"
#include "session/help/help.h"
#include "study/commands/commands.h"
#include "tui/dashboard/dashboard.h"
#include <ctype.h>
#include <unistd.h>

static void begin(talk *t)
{
    talk_begin(t, false, "build/tests");
    ASSERT_OK(wlab_plot_register(t->s, &t->err), t->err);
    ASSERT_OK(wlab_dashboard_register(t->s, NULL, &t->err), t->err);
    ASSERT_OK(wlab_experiment_register(t->s, &t->err), t->err);
}

/* The answer to a line, every line of which fits a terminal. */
static const char *answer(talk *t, const char *line)
{
    t->text[0] = '\0';
    TELL(t, line);
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
    return answer(t, line);
}

static void check_params(talk *t, const wlab_param_info *p)
{
    for (; p && p->name; p++) {
        assert_non_null(p->meaning);
        if (strlen(p->meaning) < 4)
            fail_msg("%s: '%s' is no meaning", p->name, p->meaning);
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
    begin(&t);
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
                fail_msg("%s of %s means nothing", m->name, a->name);
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
        assert_non_null(strstr(help_on(&t, v->name), "view "));
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
    begin(&t);
    const char *text = answer(&t, "help");
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
        assert_non_null(strstr(answer(&t, "help"), word));
    }
    /* what it says to begin with works */
    talk u;
    begin(&u);
    text = answer(&t, "help");
    const char *p = strstr(text, "\n  generate");
    assert_non_null(p);
    for (int i = 0; i < 5; i++) {
        char line[80];
        p = strchr(p, '\n') + 1;
        snprintf(line, sizeof line, "%.*s", (int)(strstr(p + 2, "  ") - p), p);
        TELL(&u, line);
    }
    assert_int_equal(wlab_run_iter(wlab_session_run(u.s)), 1);
    talk_end(&u);
    talk_end(&t);
}

static void test_words(void **state)
{
    (void)state;
    talk t;
    begin(&t);
    assert_non_null(strstr(help_on(&t, "session files"), "#@ run="));
    assert_non_null(strstr(help_on(&t, "conditions"), "increases"));
    assert_non_null(strstr(help_on(&t, "C1"), "(> 0; default 1)"));
    assert_non_null(strstr(help_on(&t, "sigma"), "or as 1x, 1rms"));
    /* one text of several owners stands once */
    const char *text = help_on(&t, "kernel");
    int owners = 0, texts = 0;
    for (int i = 0; wlab_algos[i]; i++)
        for (const wlab_param_info *p = wlab_algos[i]->params; p->name; p++)
            owners += strcmp(p->name, "kernel") == 0;
    for (const char *p = text; (p = strstr(p, "setting of")); p++)
        texts++;
    assert_true(owners > 1 && texts >= 1 && texts < owners);
    t.text[0] = '\0';
    TELL(&t, "help cutting plane; help phase"); /* a word of the field that is nothing else */
    assert_non_null(strstr(t.text, "cutting plane:"));
    assert_non_null(strstr(t.text, "phase: Steps that belong together"));
    TELL_FAILS(&t, "help algoritms", WL_EARG, "did you mean \"algorithms\"");
    TELL_FAILS(&t, "help boundry", WL_EARG, "did you mean \"boundary\"");
    TELL_FAILS(&t, "help viloation", WL_EARG, "did you mean \"violation\"");
    TELL_FAILS(&t, "help lables", WL_EARG, "did you mean \"labels\""); /* a view, and a word of the field */
    TELL_FAILS(&t, "help annealng", WL_EARG, "did you mean `explain annealing`");
    TELL_FAILS(&t, "help qqqqqq", WL_EARG, "`help` lists");
    TELL_FAILS(&t, "help x=1", WL_EARG, "one topic");
    TELL_FAILS(
        &t,
        "help "
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        WL_EARG, "no help on");
    talk_end(&t);
}

/* What a metric or setting of the run at hand means; without a run, or where it has none, what those of all mean. */
static void test_explain_of_run(void **state)
{
    (void)state;
    talk t;
    begin(&t);
    TELL(&t, "explain gap");
    assert_non_null(strstr(t.text, "metric of wellsvm"));
    assert_non_null(strstr(t.text, "metric of svm"));
    TELL(&t, "generate two-moons n=20; task supervised; algo svm");
    t.text[0] = '\0';
    TELL(&t, "explain gap");
    assert_null(strstr(t.text, "metric of wellsvm"));
    assert_non_null(strstr(t.text, "metric of svm"));
    t.text[0] = '\0';
    TELL(&t, "explain violation");
    assert_non_null(strstr(t.text, "metric of wellsvm"));
    assert_non_null(strstr(help_on(&t, "gap"), "metric of wellsvm")); /* help tells all */
    talk_end(&t);
}

/* Lines of a list keep their blanks, and go on under their second column. */
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
    begin(&t);
    TELL(&t, "say one; say two");
    TELL(&t, "");
    TELL(&t, "   ");
    (void)tell(&t, "frob");
    TELL(&t, line);
    TELL(&t, "say one; say two");
    TELL(&t, "say one; say two");
    (void)tell(&t, "say \"open");
    (void)tell_script(&t, "say not typed");
    char want[1000];
    snprintf(want, sizeof want,
             "    1  say one; say two\n    2  frob\n    3  %s\n    4  say one; say two\n    5  say \"open\n"
             "    6  history\n",
             line);
    t.text[0] = '\0';
    TELL(&t, "history");
    assert_string_equal(t.text, want);
    t.text[0] = '\0';
    TELL(&t, "history 2");
    assert_string_equal(t.text, "    6  history\n    7  history 2\n");
    t.text[0] = '\0';
    TELL(&t, "history 100");
    assert_int_equal(t.text[4], '1');
    TELL_FAILS(&t, "history 0", WL_EARG, "history 20");
    TELL_FAILS(&t, "history 1 2", WL_EARG, "history 20");
    TELL_FAILS(&t, "history -3", WL_EARG, "history 20");
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
