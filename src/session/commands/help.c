/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * help: shows a first page, or all there is on a word.
 */
#include "session/help/help.h"
#include "session/commands/commands.h"
#include "session/help/glossary.h"
#include <stdio.h>
#include <string.h>

enum {
    MOST = 2000 /* known words that an unknown one is compared with */
};

static size_t add_params(const char **names, size_t n, const wlab_param_info *p)
{
    for (; p && p->name && n < MOST; p++)
        names[n++] = p->name;
    return n;
}

static wlab_code fail_unknown(const wlab_session *s, const char *word, wlab_err *err)
{
    const char *known[MOST];
    size_t n = 0, described;

    for (const wlab_topic *t = wlab_topics; t->name && n < MOST; t++)
        known[n++] = t->name;
    for (int i = 0; i < s->ncommands && n < MOST; i++)
        known[n++] = s->commands[i]->name;
    for (int i = 0; wlab_tasks[i] && n < MOST; i++) {
        known[n++] = wlab_tasks[i]->name;
        n = add_params(known, n, wlab_tasks[i]->params);
    }
    for (int i = 0; wlab_generators[i] && n < MOST; i++)
        known[n++] = wlab_generators[i]->name;
    for (const wlab_view_info *v = wlab_session_views(s); v && v->name && n < MOST; v++)
        known[n++] = v->name;
    for (int i = 0; wlab_algos[i] && n < MOST; i++) {
        known[n++] = wlab_algos[i]->name;
        for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name && n < MOST; m++)
            known[n++] = m->name;
        n = add_params(known, n, wlab_algos[i]->params);
    }
    n = described = add_params(known, n, wlab_settings);
    for (const wlab_term *t = wlab_glossary; t->name && n < MOST; t++)
        known[n++] = t->name;
    const char *near = wlab_command_meant(wlab_session_commands(s), word);
    if (!near)
        near = wlab_nearest(word, known, n);
    size_t at = 0;
    while (near && strcmp(known[at], near) != 0)
        at++;
    if (near && at >= described) /* only the glossary has it */
        return wlab_fail(err, WL_EARG, "no help on \"%.60s\"; did you mean `explain %s`?", word, near);
    if (near)
        return wlab_fail(err, WL_EARG, "no help on \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no help on \"%.60s\"; `help` lists the topics", word);
}

static void print_help(wlab_session *s, const char *topic, const wlab_buf *text)
{
    wlab_session_print(s, "%s", (const char *)text->data);
    wlab_session_object(s, json_pack("{s:s, s:o, s:o}", "type", "help", "topic", wlab_json_text(topic),
                                     "text", wlab_json_text((const char *)text->data)));
}

wlab_code wlab_session_help_algo(wlab_session *s, const char *name, wlab_err *err)
{
    wlab_buf out = {0};
    const char *known[64];
    size_t n = 0;
    const wlab_algo *algo = wlab_algo_find(name);
    if (!algo) {
        for (; wlab_algos[n] && n < 64; n++)
            known[n] = wlab_algos[n]->name;
        const char *near = wlab_nearest(name, known, n);
        return wlab_fail(err, WL_EARG, "no algorithm \"%.60s\"; %s%s%s", name,
                         near ? "did you mean \"" : "`help algorithms` lists them", near ? near : "",
                         near ? "\"?" : "");
    }
    wlab_help_algo(&out, algo);
    if (out.data)
        print_help(s, algo->name, &out);
    wlab_code code = out.data ? WL_OK : wlab_nomem(err);
    wlab_buf_clear(&out);
    return code;
}

/* Joins the words by "-": `help session files` requests the topic "session-files". */
static wlab_code join_topic(const wlab_args *args, char *topic, size_t size, wlab_err *err)
{
    topic[0] = '\0';
    for (int i = 0; i < args->nwords; i++) {
        wlab_text_append(topic, size, "%s%s", i ? "-" : "", args->word[i]);
        if (strlen(topic) + 1 == size)
            return wlab_fail(err, WL_EARG, "no help on \"%.60s...\"; `help` lists the topics", topic);
    }
    return WL_OK;
}

static wlab_code help(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_buf out = {0};
    char topic[128];
    wlab_code code = join_topic(args, topic, sizeof topic, err);

    if (code)
        return code;
    if (args->nsettings)
        return wlab_fail(err, WL_EARG, "help takes one topic: `help step`, say");
    if (args->nwords == 0)
        wlab_help_page(&out, s);
    else
        wlab_help_group(&out, s, topic);
    if (!out.data && args->nwords > 0)
        wlab_session_describe(s, topic, true, &out);
    if (!out.data && args->nwords == 2) { /* `help algo wellsvm`, `help task ssl`: describe the second word */
        char kind[64];
        wlab_buf first = {0};

        snprintf(kind, sizeof kind, "%.60s", args->word[0]);
        wlab_session_describe(s, kind, true, &first);
        if (first.data) {
            snprintf(topic, sizeof topic, "%s", args->word[1]);
            wlab_session_describe(s, topic, true, &out);
            if (!out.data && wlab_term_find(topic)) { /* `help export model`: describe the first word */
                snprintf(topic, sizeof topic, "%s", kind);
                wlab_session_describe(s, kind, true, &out);
            }
        }
        wlab_buf_clear(&first);
    }
    if (!out.data && wlab_term_find(topic))
        wlab_help_term(&out, wlab_term_find(topic));
    if (out.data)
        print_help(s, topic, &out);
    else
        code = fail_unknown(s, topic, err);
    wlab_buf_clear(&out);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_offers_topics(o, s);
}

const wlab_command wlab_cmd_help = {
    .name = "help",
    .alias = "h",
    .usage = "help [TOPIC]",
    .summary = "list the commands, or describe a command, setting, metric ...",
    .help =
        "Without TOPIC: how to begin, and the commands grouped by purpose. With TOPIC: everything on it. A "
        "TOPIC is a command, an algorithm, a task, a generator, a format, a view, a pane, a setting or a "
        "metric; one of the lists commands, algorithms, tasks, generators, formats, views, metrics, settings "
        "(of the session; `help NAME` has those of an algorithm, a task or a command); or one of conditions, "
        "language, experiments, "
        "session files. `explain TERM` says what a term of the field means. `help TERM` does so, too, "
        "unless TERM is also the name of a command, a setting and so on.",
    .flags = WL_C_READS | WL_C_ALWAYS | WL_C_SHARED,
    .execute = help,
    .offer = offer,
};
