/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * help: on commands, algorithms, tasks, generators, formats, views, settings and metrics, all from the tables
 * that the program itself works with.
 */
#include "session/commands.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 79
};

/* `text` in lines of at most WIDTH, each behind `indent` blanks (the first: as it stands at column `at`). */
static void wrap(wlab_buf *out, const char *text, int indent, int at)
{
    int column = at;
    while (*text) {
        size_t len = strcspn(text, " \n");
        if (column > indent && column + 1 + (int)len > WIDTH) {
            (void)wlab_buf_printf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent && len) {
            (void)wlab_buf_printf(out, " ");
            column++;
        }
        (void)wlab_buf_printf(out, "%.*s", (int)len, text);
        column += (int)len;
        text += len;
        if (*text == '\n') {
            (void)wlab_buf_printf(out, "\n%*s", indent, "");
            column = indent;
        }
        text += *text != '\0';
    }
    (void)wlab_buf_printf(out, "\n");
}

/* "  name    text" with the text wrapped behind. */
static void item(wlab_buf *out, int width, const char *name, const char *text)
{
    (void)wlab_buf_printf(out, "  %-*s ", width, name);
    int at = (int)strlen(name) > width ? (int)strlen(name) + 3 : width + 3;
    if (at > width + 3) {
        (void)wlab_buf_printf(out, "\n%*s", width + 3, "");
        at = width + 3;
    }
    wrap(out, text, width + 3, at);
}

static void describe_param(wlab_buf *out, const wlab_param_info *p)
{
    wlab_buf text = {0};
    char range[256] = "", lo[32], hi[32];
    size_t n = 0;

    switch (p->type) {
    case WL_P_REAL:
    case WL_P_INT:
    case WL_P_SCALED:
        if (p->lo < p->hi) {
            bool no_lo = !isfinite(p->lo), no_hi = !isfinite(p->hi);
            snprintf(range, sizeof range, "%s%s, %s%s", no_lo || p->flags & WL_P_OPEN_LO ? "(" : "[",
                     no_lo ? "-inf" : wlab_real_text(p->lo, lo), no_hi ? "inf" : wlab_real_text(p->hi, hi),
                     no_hi || p->flags & WL_P_OPEN_HI ? ")" : "]");
        } else {
            snprintf(range, sizeof range, "%s", p->type == WL_P_INT ? "a whole number" : "a number");
        }
        break;
    case WL_P_CHOICE:
        for (int i = 0; p->choices && p->choices[i] && n < sizeof range; i++)
            n += (size_t)snprintf(range + n, sizeof range - n, "%s%s", i ? "|" : "", p->choices[i]);
        break;
    case WL_P_BOOL:
        snprintf(range, sizeof range, "yes|no");
        break;
    case WL_P_FILE:
        snprintf(range, sizeof range, "a file");
        break;
    case WL_P_TEXT:
        snprintf(range, sizeof range, "text");
        break;
    }
    (void)wlab_buf_printf(&text, "%s (%s%s%s%s%s%s)", p->meaning, range,
                          p->type == WL_P_SCALED ? ", or a multiple as 1x" : "", p->unit ? ", " : "",
                          p->unit ? p->unit : "", p->fallback ? "; default " : "",
                          p->fallback ? p->fallback : "");
    if (p->flags & WL_P_MUTABLE)
        (void)wlab_buf_printf(&text, "; may be set between steps");
    if (text.data)
        item(out, 12, p->name, (const char *)text.data);
    wlab_buf_clear(&text);
}

static void describe_params(wlab_buf *out, const wlab_param_info *p)
{
    if (!p || !p->name)
        return;
    (void)wlab_buf_printf(out, "settings:\n");
    for (; p->name; p++)
        describe_param(out, p);
}

static void describe_command(wlab_buf *out, const wlab_command *c)
{
    (void)wlab_buf_printf(out, "%s", c->usage);
    if (c->alias)
        (void)wlab_buf_printf(out, "    (short: %s)", c->alias);
    (void)wlab_buf_printf(out, "\n");
    wrap(out, c->help ? c->help : c->summary, 0, 0);
    describe_params(out, c->params);
}

static void describe_metric(wlab_buf *out, const wlab_metric_info *m)
{
    wlab_buf text = {0};
    (void)wlab_buf_printf(&text, "%s%s%s%s", m->meaning, m->unit ? " (" : "", m->unit ? m->unit : "",
                          m->unit ? ")" : "");
    if (m->equation)
        (void)wlab_buf_printf(&text, ": %s", m->equation);
    if (text.data)
        item(out, 15, m->name, (const char *)text.data);
    wlab_buf_clear(&text);
}

static void describe_algo(wlab_buf *out, const wlab_algo *a)
{
    (void)wlab_buf_printf(out, "%s%s%s%s:", a->name, a->alias ? " (also " : "", a->alias ? a->alias : "",
                          a->alias ? ")" : "");
    wrap(out, a->summary, 0, (int)strlen(a->name) + 1);
    wrap(out, a->source, 0, 0);
    (void)wlab_buf_printf(out, "tasks:");
    for (int i = 0; wlab_tasks[i]; i++)
        if (a->tasks & wlab_tasks[i]->bit)
            (void)wlab_buf_printf(out, " %s", wlab_tasks[i]->name);
    (void)wlab_buf_printf(out, "\nstep:  ");
    wrap(out, a->step_unit, 7, 7);
    (void)wlab_buf_printf(out, "stepi: ");
    wrap(out, a->inner_unit, 7, 7);
    describe_params(out, a->params);
    (void)wlab_buf_printf(out, "metrics:\n");
    for (const wlab_metric_info *m = a->metrics; m->name; m++)
        describe_metric(out, m);
}

static void list_commands(wlab_buf *out, const wlab_session *s)
{
    (void)wlab_buf_printf(out, "commands (a unique beginning is enough at the prompt):\n");
    for (int i = 0; i < s->ncommands; i++)
        item(out, 11, s->commands[i]->name, s->commands[i]->summary);
    wrap(out,
         "\n`help NAME` tells more on a command, an algorithm, a task, a generator, a view, a setting or a "
         "metric; "
         "so do `help algorithms`, `tasks`, `generators`, `formats`, `views`, `metrics`, `language`. To "
         "begin: "
         "`generate two-moons`, `task ssl labeled=4`, `algo wellsvm`, `step`.",
         0, 0);
}

static const char language[] =
    "A line is a command, words and key=value settings. # begins a comment, ; separates commands, \"...\" "
    "and '...' "
    "quote (inside \"...\" a backslash takes the next \" or \\ as it is). At the prompt a unique beginning "
    "of a "
    "command's name is enough, and the short names always win; scripts hold full names. An empty line "
    "repeats the "
    "last step, stepi, back or continue, whatever was typed since. Lines typed while a run goes are kept for "
    "when it stops; Ctrl-C stops it and drops them. Conditions compare metrics: gap < 1e-3 and iter > 5, "
    "flips == 0, "
    "objective "
    "increases; a metric without a value shows as - and makes its comparison false.";

static void list_topic(wlab_buf *out, const wlab_session *s, const char *topic)
{
    if (strcmp(topic, "algorithms") == 0)
        for (int i = 0; wlab_algos[i]; i++)
            item(out, 12, wlab_algos[i]->name, wlab_algos[i]->summary);
    else if (strcmp(topic, "tasks") == 0)
        for (int i = 0; wlab_tasks[i]; i++)
            item(out, 12, wlab_tasks[i]->name, wlab_tasks[i]->summary);
    else if (strcmp(topic, "generators") == 0)
        for (int i = 0; wlab_generators[i]; i++)
            item(out, 12, wlab_generators[i]->name, wlab_generators[i]->summary);
    else if (strcmp(topic, "formats") == 0)
        for (const wlab_format_info *f = wlab_formats(); f->name; f++) {
            wlab_buf text = {0};
            (void)wlab_buf_printf(&text, "%s%s%s%s", f->summary, f->extensions ? " (" : "",
                                  f->extensions ? f->extensions : "", f->extensions ? ")" : "");
            if (text.data)
                item(out, 12, f->name, (const char *)text.data);
            wlab_buf_clear(&text);
        }
    else if (strcmp(topic, "views") == 0)
        for (const wlab_view_info *v = s->views; v && v->name; v++)
            item(out, 12, v->name, v->summary);
    else if (strcmp(topic, "metrics") == 0)
        for (int i = 0; wlab_algos[i]; i++) {
            (void)wlab_buf_printf(out, "%s:\n", wlab_algos[i]->name);
            for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name; m++)
                describe_metric(out, m);
        }
    else if (strcmp(topic, "settings") == 0)
        describe_params(out, wlab_settings);
    else if (strcmp(topic, "language") == 0)
        wrap(out, language, 0, 0);
}

static const char *const topics[] = {"algorithms", "formats",  "generators", "language",
                                     "metrics",    "settings", "tasks",      "views"};

/* The settings named `word` in a table, behind whose it is. */
static void find_param(wlab_buf *out, const char *word, const char *whose, const wlab_param_info *p)
{
    for (; p && p->name; p++)
        if (strcmp(p->name, word) == 0) {
            (void)wlab_buf_printf(out, "setting of %s:\n", whose);
            describe_param(out, p);
        }
}

/* All that goes by the name `word`. */
static void describe(wlab_buf *out, const wlab_session *s, const char *word)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(topics[i], word) == 0)
            list_topic(out, s, word);
    for (int i = 0; i < s->ncommands; i++)
        if (strcmp(s->commands[i]->name, word) == 0 ||
            (s->commands[i]->alias && strcmp(s->commands[i]->alias, word) == 0))
            describe_command(out, s->commands[i]);
    for (int i = 0; wlab_algos[i]; i++)
        if (strcmp(wlab_algos[i]->name, word) == 0 ||
            (wlab_algos[i]->alias && strcmp(wlab_algos[i]->alias, word) == 0))
            describe_algo(out, wlab_algos[i]);
    for (int i = 0; wlab_tasks[i]; i++)
        if (strcmp(wlab_tasks[i]->name, word) == 0) {
            (void)wlab_buf_printf(out, "task %s:", wlab_tasks[i]->name);
            wrap(out, wlab_tasks[i]->summary, 0, (int)strlen(word) + 6);
            if (wlab_tasks[i]->source)
                wrap(out, wlab_tasks[i]->source, 0, 0);
            describe_params(out, wlab_tasks[i]->params);
        }
    for (int i = 0; wlab_generators[i]; i++)
        if (strcmp(wlab_generators[i]->name, word) == 0) {
            (void)wlab_buf_printf(out, "generate %s:", wlab_generators[i]->name);
            wrap(out, wlab_generators[i]->summary, 0, (int)strlen(word) + 10);
            if (wlab_generators[i]->source)
                wrap(out, wlab_generators[i]->source, 0, 0);
            describe_params(out, wlab_generators[i]->params);
        }
    for (const wlab_view_info *v = s->views; v && v->name; v++)
        if (strcmp(v->name, word) == 0) {
            (void)wlab_buf_printf(out, "view %s:", v->name);
            wrap(out, v->summary, 0, (int)strlen(word) + 6);
        }
    for (const wlab_format_info *f = wlab_formats(); f->name; f++)
        if (strcmp(f->name, word) == 0)
            (void)wlab_buf_printf(out, "format %s: %s\n", f->name, f->summary);
    for (int i = 0; wlab_algos[i]; i++) {
        for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name; m++)
            if (strcmp(m->name, word) == 0) {
                (void)wlab_buf_printf(out, "metric of %s:\n", wlab_algos[i]->name);
                describe_metric(out, m);
            }
        find_param(out, word, wlab_algos[i]->name, wlab_algos[i]->params);
    }
    for (int i = 0; wlab_tasks[i]; i++)
        find_param(out, word, wlab_tasks[i]->name, wlab_tasks[i]->params);
    for (int i = 0; wlab_generators[i]; i++)
        find_param(out, word, wlab_generators[i]->name, wlab_generators[i]->params);
    for (int i = 0; i < s->ncommands; i++)
        find_param(out, word, s->commands[i]->name, s->commands[i]->params);
    find_param(out, word, "the session", wlab_settings);
}

void wlab_session_describe(const wlab_session *s, const char *word, wlab_buf *out)
{
    describe(out, s, word);
}

void wlab_help_wrap(wlab_buf *out, const char *text, int indent, int at)
{
    wrap(out, text, indent, at);
}

static void offer_params(wlab_offers *o, const wlab_param_info *p)
{
    for (; p && p->name; p++)
        wlab_offers_add(o, p->name, "setting", p->meaning, 0);
}

void wlab_offers_words(wlab_offers *o, const wlab_session *s)
{
    for (int i = 0; wlab_algos[i]; i++)
        for (const wlab_metric_info *m = wlab_algos[i]->metrics; m->name; m++)
            wlab_offers_add(o, m->name, "metric", m->meaning, 0);
    for (int i = 0; wlab_algos[i]; i++)
        offer_params(o, wlab_algos[i]->params);
    for (int i = 0; wlab_tasks[i]; i++)
        offer_params(o, wlab_tasks[i]->params);
    for (int i = 0; wlab_generators[i]; i++)
        offer_params(o, wlab_generators[i]->params);
    for (int i = 0; i < s->ncommands; i++)
        offer_params(o, s->commands[i]->params);
    offer_params(o, wlab_settings);
}

void wlab_offers_topics(wlab_offers *o, const wlab_session *s)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        wlab_offers_add(o, topics[i], NULL, "a list", 0);
    for (int i = 0; i < s->ncommands; i++)
        wlab_offers_add(o, s->commands[i]->name, "command", s->commands[i]->summary, 0);
    for (int i = 0; wlab_algos[i]; i++)
        wlab_offers_add(o, wlab_algos[i]->name, "algorithm", wlab_algos[i]->summary, 0);
    for (int i = 0; wlab_tasks[i]; i++)
        wlab_offers_add(o, wlab_tasks[i]->name, "task", wlab_tasks[i]->summary, 0);
    for (int i = 0; wlab_generators[i]; i++)
        wlab_offers_add(o, wlab_generators[i]->name, "generator", wlab_generators[i]->summary, 0);
    for (const wlab_view_info *v = s->views; v && v->name; v++)
        wlab_offers_add(o, v->name, "view", v->summary, 0);
    for (const wlab_format_info *f = wlab_formats(); f->name; f++)
        wlab_offers_add(o, f->name, "format", f->summary, 0);
    if (o->prefix[0])
        wlab_offers_words(o, s);
}

static wlab_code unknown(const wlab_session *s, const char *word, wlab_err *err)
{
    const char *known[256];
    size_t n = 0;
    for (int i = 0; i < s->ncommands && n < 100; i++)
        known[n++] = s->commands[i]->name;
    for (int i = 0; wlab_algos[i] && n < 150; i++)
        known[n++] = wlab_algos[i]->name;
    for (int i = 0; wlab_tasks[i] && n < 180; i++)
        known[n++] = wlab_tasks[i]->name;
    for (int i = 0; wlab_generators[i] && n < 220; i++)
        known[n++] = wlab_generators[i]->name;
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        known[n++] = topics[i];
    const char *near = wlab_nearest(word, known, n);
    if (near)
        return wlab_fail(err, WL_EARG, "no help on \"%.60s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "no help on \"%.60s\"; `help` lists the topics", word);
}

static void show(wlab_session *s, const char *topic, const wlab_buf *text)
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
    describe_algo(&out, algo);
    if (out.data)
        show(s, algo->name, &out);
    wlab_code code = out.data ? WL_OK : wlab_nomem(err);
    wlab_buf_clear(&out);
    return code;
}

static wlab_code help(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_buf out = {0};
    wlab_code code = WL_OK;
    if (args->nwords > 1 || args->nsettings)
        return wlab_fail(err, WL_EARG, "help takes one topic: `help step`, say");
    if (args->nwords == 0)
        list_commands(&out, s);
    else
        describe(&out, s, args->word[0]);
    if (out.data)
        show(s, args->nwords ? args->word[0] : "", &out);
    else
        code = unknown(s, args->nwords ? args->word[0] : "", err);
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
    .summary = "tell what there is and how it is used",
    .help = "Alone: the commands. TOPIC: a command, an algorithm, a task, a generator, a format, a view, a "
            "setting or a "
            "metric; or algorithms, tasks, generators, formats, views, metrics, settings, language.",
    .flags = WL_C_LOOKS | WL_C_ALWAYS,
    .execute = help,
    .offer = offer,
};
