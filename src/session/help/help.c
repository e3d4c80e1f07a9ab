/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tables of commands, algorithms, tasks, generators, formats, views, settings and metrics have on a word, as
 * text for people.
 */
#include "session/help/help.h"
#include "session/commands/commands.h"
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 77 /* fits inside a frame of 80 columns */
};

/* Writes the words of line[0 .. len-1] from column `at`; further lines begin with `indent` blanks. */
static void wrap_line(wlab_buf *out, const char *line, size_t len, int indent, int at)
{
    int column = at;

    for (size_t i = 0; i < len;) {
        size_t n = 0;
        while (i + n < len && line[i + n] != ' ')
            n++;
        if (n > 0 && column > indent && column + 1 + (int)n > WIDTH) {
            (void)wlab_buf_printf(out, "\n%*s", indent, "");
            column = indent;
        } else if (n > 0 && column > indent) {
            (void)wlab_buf_put(out, " ", 1);
            column++;
        }
        (void)wlab_buf_put(out, line + i, n);
        column += (int)n;
        i += n + 1;
    }
}

/* Writes a line that begins with a blank (of a list or a formula) and keeps its blanks.  If the line is too long, it is
 * wrapped, and its further lines begin in the column where the text after the first two adjacent blanks begins. */
static void keep_line(wlab_buf *out, const char *line, size_t len, int indent)
{
    size_t hang = strspn(line, " "), at = hang;

    if (indent + (int)len <= WIDTH) {
        (void)wlab_buf_put(out, line, len);
        return;
    }
    while (at + 1 < len && !(line[at] == ' ' && line[at + 1] == ' '))
        at++;
    while (at < len && line[at] == ' ')
        at++;
    if (at < len)
        hang = at;
    (void)wlab_buf_put(out, line, hang);
    wrap_line(out, line + hang, len - hang, indent + (int)hang, indent + (int)hang);
}

void wlab_help_wrap(wlab_buf *out, const char *text, int indent, int at)
{
    for (bool first = true;; first = false) {
        size_t len = strcspn(text, "\n");
        if (!first)
            (void)wlab_buf_put(out, "\n", 1);
        if (!first && len > 0)
            (void)wlab_buf_printf(out, "%*s", indent, "");
        if (*text == ' ' && (!first || at <= indent))
            keep_line(out, text, len, indent);
        else
            wrap_line(out, text, len, indent, first ? at : indent);
        if (!text[len] || !text[len + 1])
            break;
        text += len + 1;
    }
    (void)wlab_buf_put(out, "\n", 1);
}

void wlab_help_item(wlab_buf *out, int width, const char *name, const char *text)
{
    int column = width + 3;

    if ((int)strlen(name) > width)
        (void)wlab_buf_printf(out, "  %s\n%*s", name, column, "");
    else
        (void)wlab_buf_printf(out, "  %-*s ", width, name);
    wlab_help_wrap(out, text, column, column);
}

static void describe_param(wlab_buf *out, const wlab_param_info *p)
{
    wlab_buf text = {0};
    char legal[256];

    wlab_param_legal(p, legal, sizeof legal);
    (void)wlab_buf_printf(&text, "%s (%s%s%s%s%s)", p->meaning, legal, p->unit ? ", " : "",
                          p->unit ? p->unit : "", p->fallback ? "; default " : "",
                          p->fallback ? p->fallback : "");
    if (p->flags & WL_P_MUTABLE)
        (void)wlab_buf_printf(&text, "; may be set between steps");
    if (text.data)
        wlab_help_item(out, 12, p->name, (const char *)text.data);
    wlab_buf_clear(&text);
}

void wlab_help_params(wlab_buf *out, const wlab_param_info *p)
{
    if (!p || !p->name)
        return;
    (void)wlab_buf_printf(out, "settings:\n");
    for (; p->name; p++)
        describe_param(out, p);
}

static void describe_command(wlab_buf *out, const wlab_command *c)
{
    (void)wlab_buf_printf(out, "%s%s%s%s\n", c->usage, c->alias ? "    (short: " : "",
                          c->alias ? c->alias : "", c->alias ? ")" : "");
    wlab_help_wrap(out, c->help ? c->help : c->summary, 0, 0);
    wlab_help_params(out, c->params);
}

void wlab_help_metric(wlab_buf *out, const wlab_metric_info *m)
{
    wlab_buf text = {0};

    (void)wlab_buf_printf(&text, "%s%s%s%s%s%s", m->meaning, m->unit ? " (" : "", m->unit ? m->unit : "",
                          m->unit ? ")" : "", m->equation ? ": " : "", m->equation ? m->equation : "");
    if (text.data)
        wlab_help_item(out, 15, m->name, (const char *)text.data);
    wlab_buf_clear(&text);
}

/* Writes "title: summary", and the source below it. */
static void write_entry(wlab_buf *out, const char *title, const char *summary, const char *source)
{
    (void)wlab_buf_printf(out, "%s:", title);
    wlab_help_wrap(out, summary, 0, (int)strlen(title) + 1);
    if (source)
        wlab_help_wrap(out, source, 0, 0);
}

/* Writes the lines "NAME: MEANING" of wlab_algo's `symbols` as a list. */
static void describe_symbols(wlab_buf *out, const char *symbols)
{
    char name[40], meaning[400];

    (void)wlab_buf_printf(out, "symbols:\n");
    for (const char *line = symbols; *line;) {
        const int len = (int)strcspn(line, "\n"), head = (int)strcspn(line, ":");
        snprintf(name, sizeof name, "%.*s", head, line);
        snprintf(meaning, sizeof meaning, "%.*s", len - head - 2, line + head + 2);
        wlab_help_item(out, 12, name, meaning);
        line += len + (line[len] == '\n');
    }
}

void wlab_help_algo(wlab_buf *out, const wlab_algo *a)
{
    char title[100];

    snprintf(title, sizeof title, "%s%s%s%s", a->name, a->alias ? " (also " : "", a->alias ? a->alias : "",
             a->alias ? ")" : "");
    write_entry(out, title, a->summary, a->source);
    (void)wlab_buf_printf(out, "when:  ");
    wlab_help_wrap(out, a->when, 7, 7);
    (void)wlab_buf_printf(out, "tasks:");
    for (int i = 0; wlab_tasks[i]; i++)
        if (wlab_algo_suits(a, wlab_tasks[i], 2))
            (void)wlab_buf_printf(out, " %s", wlab_tasks[i]->name);
    if (a->multiclass)
        (void)wlab_buf_printf(out, "\nclasses: any number, handled together");
    (void)wlab_buf_printf(out, "\nsolves: ");
    wlab_help_wrap(out, a->problem, 8, 8);
    describe_symbols(out, a->symbols);
    (void)wlab_buf_printf(out, "step:  ");
    wlab_help_wrap(out, a->step_unit, 7, 7);
    (void)wlab_buf_printf(out, "stepi: ");
    wlab_help_wrap(out, a->inner_unit, 7, 7);
    (void)wlab_buf_printf(out, "cost:  ");
    wlab_help_wrap(out, a->cost, 7, 7);
    if (a->proves) {
        (void)wlab_buf_printf(out, "proves: ");
        wlab_help_wrap(out, a->proves, 8, 8);
    }
    if (a->bag_rule != WL_BAG_LARGEST) {
        (void)wlab_buf_printf(out, "bag:   ");
        wlab_help_wrap(out, wlab_bag_rule_words[a->bag_rule], 7, 7);
    }
    if (a->phase_unit)
        (void)wlab_buf_printf(out, "phase: %s (`finish` makes the steps to its end)\n", a->phase_unit);
    char converged[600];
    snprintf(converged, sizeof converged, "%s%s%s", a->converged, a->converged_also ? "; " : "",
             a->converged_also ? a->converged_also : "");
    (void)wlab_buf_printf(out, "converged: ");
    wlab_help_wrap(out, converged, 11, 11);
    wlab_help_params(out, a->params);
    (void)wlab_buf_printf(out, "metrics:\n");
    for (const wlab_metric_info *m = a->metrics; m->name; m++)
        wlab_help_metric(out, m);
}

/* ---- settings and metrics that several owners have under the same name ---- */

typedef struct owned {
    const char *whose;
    const wlab_param_info *param;
    const wlab_metric_info *metric;
} owned;

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_description(const owned *a, const owned *b)
{
    char x[256], y[256];

    if (a->metric && b->metric)
        return same_text(a->metric->meaning, b->metric->meaning) &&
               same_text(a->metric->equation, b->metric->equation);
    if (!a->param || !b->param)
        return false;
    wlab_param_legal(a->param, x, sizeof x);
    wlab_param_legal(b->param, y, sizeof y);
    return same_text(a->param->meaning, b->param->meaning) && strcmp(x, y) == 0 &&
           same_text(a->param->fallback, b->param->fallback) && a->param->flags == b->param->flags;
}

/* Writes each text once, below the list of its owners. */
static void describe_owned(wlab_buf *out, const wlab_buf *owners)
{
    const owned *list = (const owned *)(const void *)owners->data;
    const int n = (int)(owners->len / sizeof *list);

    for (int i = 0; i < n; i++) {
        wlab_buf title = {0};
        bool listed = false;

        for (int k = 0; k < i; k++)
            listed = listed || same_description(&list[k], &list[i]);
        if (listed)
            continue;
        (void)wlab_buf_printf(&title, "%s of %s", list[i].param ? "setting" : "metric", list[i].whose);
        for (int k = i + 1; k < n; k++)
            if (same_description(&list[k], &list[i]))
                (void)wlab_buf_printf(&title, ", %s", list[k].whose);
        (void)wlab_buf_printf(&title, ":");
        if (title.data)
            wlab_help_wrap(out, (const char *)title.data, 0, 0);
        if (list[i].param)
            describe_param(out, list[i].param);
        else
            wlab_help_metric(out, list[i].metric);
        wlab_buf_clear(&title);
    }
}

static void find_param(wlab_buf *list, const char *word, const char *whose, const wlab_param_info *p)
{
    for (; p && p->name; p++)
        if (strcmp(p->name, word) == 0)
            (void)wlab_buf_put(list, &(owned){whose, p, NULL}, sizeof(owned));
}

static void find_of_algo(wlab_buf *list, const char *word, const wlab_algo *a)
{
    for (const wlab_metric_info *m = a->metrics; m->name; m++)
        if (strcmp(m->name, word) == 0)
            (void)wlab_buf_put(list, &(owned){a->name, NULL, m}, sizeof(owned));
    find_param(list, word, a->name, a->params);
}

bool wlab_help_of_algo(wlab_buf *out, const wlab_algo *a, const char *word)
{
    wlab_buf list = {0};
    bool any;

    find_of_algo(&list, word, a);
    any = list.len > 0;
    describe_owned(out, &list);
    wlab_buf_clear(&list);
    return any;
}

/* Describes everything named `word`.  The settings of a command, task or generator of that name are part of its
 * description, so they are not listed again. */
void wlab_session_describe(const wlab_session *s, const char *word, bool of_algos, wlab_buf *out)
{
    wlab_format_info f;
    wlab_buf list = {0};
    char title[100];

    for (const wlab_topic *t = wlab_topics; t->name; t++)
        if (strcmp(t->name, word) == 0)
            t->write(out, s);
    for (int i = 0; i < s->ncommands; i++)
        if (strcmp(s->commands[i]->name, word) == 0 || wlab_command_called(s->commands[i]->alias, word))
            describe_command(out, s->commands[i]);
    for (int i = 0; wlab_algos[i]; i++)
        if (strcmp(wlab_algos[i]->name, word) == 0 ||
            (wlab_algos[i]->alias && strcmp(wlab_algos[i]->alias, word) == 0)) {
            if (out->len == 0)
                wlab_help_algo(out, wlab_algos[i]);
            else /* a term has the same name, and has been explained */
                (void)wlab_buf_printf(out, "%s is also an algorithm: `help %s`\n", word, word);
        }
    for (int i = 0; wlab_tasks[i]; i++)
        if (strcmp(wlab_tasks[i]->name, word) == 0) {
            snprintf(title, sizeof title, "task %s", word);
            write_entry(out, title, wlab_tasks[i]->summary, wlab_tasks[i]->source);
            wlab_help_params(out, wlab_tasks[i]->params);
        }
    for (int i = 0; wlab_generators[i]; i++)
        if (strcmp(wlab_generators[i]->name, word) == 0) {
            snprintf(title, sizeof title, "generate %s", word);
            write_entry(out, title, wlab_generators[i]->summary, wlab_generators[i]->source);
            wlab_help_params(out, wlab_generators[i]->params);
        }
    for (const wlab_view_info *v = wlab_session_views(s); v && v->name; v++)
        if (strcmp(v->name, word) == 0) {
            if (v->pane)
                snprintf(title, sizeof title, "pane %s of the dashboard", word);
            else
                snprintf(title, sizeof title, "view %s (`plot %s`)", word, word);
            write_entry(out, title, v->summary, NULL);
            if (v->help)
                wlab_help_wrap(out, v->help, 0, 0);
        }
    for (int k = 0; wlab_format_at(k, &f); k++)
        if (strcmp(f.name, word) == 0) {
            snprintf(title, sizeof title, "format %s", word);
            write_entry(out, title, f.summary, NULL);
        }
    for (int i = 0; wlab_algos[i] && of_algos; i++)
        find_of_algo(&list, word, wlab_algos[i]);
    for (int i = 0; wlab_tasks[i]; i++)
        if (strcmp(wlab_tasks[i]->name, word) != 0)
            find_param(&list, word, wlab_tasks[i]->name, wlab_tasks[i]->params);
    for (int i = 0; wlab_generators[i]; i++)
        if (strcmp(wlab_generators[i]->name, word) != 0)
            find_param(&list, word, wlab_generators[i]->name, wlab_generators[i]->params);
    for (int i = 0; i < s->ncommands; i++)
        if (strcmp(s->commands[i]->name, word) != 0)
            find_param(&list, word, s->commands[i]->name, s->commands[i]->params);
    find_param(&list, word, "the session", wlab_settings);
    describe_owned(out, &list);
    wlab_buf_clear(&list);
}

void wlab_help_term(wlab_buf *out, const wlab_term *term)
{
    (void)wlab_buf_printf(out, "%s:", term->name);
    wlab_help_wrap(out, term->meaning, 0, (int)strlen(term->name) + 1);
    if (term->notation) {
        (void)wlab_buf_printf(out, "    ");
        wlab_help_wrap(out, term->notation, 4, 4);
    }
    if (term->watch) {
        (void)wlab_buf_printf(out, "  watch:");
        wlab_help_wrap(out, term->watch, 4, 9);
    }
    if (term->source) {
        char source[256];

        snprintf(source, sizeof source, "(%s)", term->source);
        (void)wlab_buf_printf(out, "    ");
        wlab_help_wrap(out, source, 4, 4);
    }
}
