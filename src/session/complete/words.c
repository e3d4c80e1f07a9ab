/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion of the session's runs and metrics, and of conditions.
 */
#include "session/commands/commands.h"
#include "session/help/glossary.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void wlab_offers_runs(wlab_offers *w, const wlab_session *s, bool current)
{
    char note[64], meaning[300];

    for (int i = 0; i < s->held.nruns; i++) {
        const wlab_run *run = s->held.run[i];
        const wlab_problem *p = wlab_run_problem(run);
        bool typed = false;

        for (int k = 0; k < w->typed->nwords; k++)
            typed = typed || strcmp(w->typed->word[k], wlab_run_name(run)) == 0;
        if (typed || (!current && i == s->held.current_run))
            continue;
        if (s->job.running && run == s->job.run) /* the worker is changing it */
            snprintf(note, sizeof note, "running");
        else
            snprintf(note, sizeof note, "step %lld, %s", (long long)wlab_run_iter(run),
                     wlab_verdict_names[wlab_run_verdict(run)]);
        snprintf(meaning, sizeof meaning, "%s on %s (%s)%s", wlab_run_algo(run)->name, p->data->name,
                 p->task->name, i == s->held.current_run ? ", current" : "");
        wlab_offers_add(w, wlab_run_name(run), note, meaning, 0);
    }
}

static void add_metric(wlab_offers *w, const wlab_metric_info *m, const double *now, const char *lead)
{
    char text[128], note[96] = "";

    if (now && isnan(*now))
        snprintf(note, sizeof note, "-%s%s", m->unit ? " " : "", m->unit ? m->unit : "");
    else if (now)
        snprintf(note, sizeof note, "%.5g%s%s", *now, m->unit ? " " : "", m->unit ? m->unit : "");
    else if (m->unit)
        snprintf(note, sizeof note, "(%s)", m->unit);
    snprintf(text, sizeof text, "%s%s", lead, m->name);
    wlab_offers_add(w, text, note, m->meaning, WL_OFFER_PLAIN);
}

/* lead: the text before the metric's name in the word being typed. */
static void add_metrics(wlab_offers *w, const wlab_session *s, const char *lead)
{
    const wlab_run *run = wlab_session_run(s);
    const wlab_metric_info iter = {.name = "iter", .meaning = "steps made"},
                           inner = {.name = "inner", .meaning = "inner units made since the start (stepi)"};
    double *now = NULL, count;

    if (run && !s->job.running)
        now = wlab_calloc((size_t)wlab_metric_count(wlab_run_algo(run)) + 1, sizeof *now);
    if (now)
        wlab_run_metrics(run, now);
    const wlab_algo *one[] = {run ? wlab_run_algo(run) : NULL, NULL};
    for (const wlab_algo *const *a = run ? one : wlab_algos; *a; a++)
        for (int i = 0; (*a)->metrics[i].name; i++)
            add_metric(w, &(*a)->metrics[i], now ? &now[i] : NULL, lead);
    count = now ? (double)wlab_run_iter(run) : 0;
    add_metric(w, &iter, now ? &count : NULL, lead);
    count = now ? (double)wlab_run_inner(run) : 0;
    add_metric(w, &inner, now ? &count : NULL, lead);
    wlab_free(now);
}

void wlab_offers_metrics(wlab_offers *w, const wlab_session *s)
{
    add_metrics(w, s, "");
}

/* Offer one name of a term, word by word; case is ignored. */
static void offer_name(wlab_offers *o, const wlab_term *t, const char *name, size_t len)
{
    char text[128];
    const char *rest = name, *end = name + len;

    for (int i = 0; i < o->typed->nwords; i++) {
        size_t n = strlen(o->typed->word[i]);
        if (n >= (size_t)(end - rest) || strncasecmp(rest, o->typed->word[i], n) != 0 || rest[n] != ' ')
            return;
        rest += n + 1;
    }
    size_t n = strcspn(rest, " ");
    n = n < (size_t)(end - rest) ? n : (size_t)(end - rest);
    snprintf(text, sizeof text, "%.*s", (int)n, rest);
    if (strncasecmp(text, o->prefix, strlen(o->prefix)) != 0)
        return;
    for (int i = 0; i < o->n; i++)
        if (strcmp(o->list[i].text, text) == 0)
            return;
    bool whole = o->typed->nwords == 0 && strcmp(text, t->name) == 0;
    wlab_offers_add_any(o, text, whole ? NULL : t->name, t->meaning, 0);
}

void wlab_offers_terms(wlab_offers *o, const wlab_session *s)
{
    for (const wlab_term *t = wlab_glossary; t->name; t++)
        offer_name(o, t, t->name, strlen(t->name));
    for (const wlab_term *t = wlab_glossary; t->name && (o->prefix[0] || o->typed->nwords); t++)
        for (const char *p = t->also; p && p[0] && p[1]; p += 1 + strcspn(p + 1, "|"))
            offer_name(o, t, p + 1, strcspn(p + 1, "|"));
    if (o->typed->nwords > 0)
        return;
    wlab_offers_words(o, s);
    for (int i = 0; i < s->ncommands; i++)
        wlab_offers_add(o, s->commands[i]->name, "command", s->commands[i]->summary, 0);
}

/* ---- conditions ---- */

typedef struct condition_state {
    bool value;    /* a number or metric has just ended: an operator follows */
    bool metric;   /* it is a metric alone on its side of the comparison */
    bool sum;      /* it is an arithmetic expression */
    bool compared; /* the comparison already has its operator */
    bool truth;    /* the comparison is complete: `and` or `or` may follow */
} condition_state;

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool word_is(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && strncmp(word, name, len) == 0;
}

/* The state after text[0 .. len-1].  Brackets are skipped, so too much may be offered after one. */
static condition_state read_condition(const char *text, size_t len)
{
    condition_state r = {0};

    for (size_t i = 0; i < len;) {
        size_t n = 1;
        if (is_name(text[i])) {
            while (i + n < len &&
                   (is_name(text[i + n]) || (strchr("eE", text[i + n - 1]) && n > 1 &&
                                             isdigit((unsigned char)text[i]) && strchr("+-", text[i + n]))))
                n++;
            if (word_is(text + i, n, "and") || word_is(text + i, n, "or") || word_is(text + i, n, "not"))
                r = (condition_state){0};
            else if (word_is(text + i, n, "increases") || word_is(text + i, n, "decreases") ||
                     word_is(text + i, n, "changes"))
                r = (condition_state){.truth = true};
            else if (!word_is(text + i, n, "abs")) {
                r.metric = !r.value && !r.sum && !r.compared && !isdigit((unsigned char)text[i]) &&
                           (i == 0 || text[i - 1] != '(');
                r.value = true;
                r.truth = r.compared;
            }
        } else if (strchr("<>=!", text[i])) {
            n += i + 1 < len && text[i + 1] == '=';
            r = (condition_state){.compared = true};
        } else if (strchr("&|", text[i])) {
            n += i + 1 < len && text[i + 1] == text[i];
            r = (condition_state){0};
        } else if (strchr("+-*/", text[i])) {
            r.value = r.metric = r.truth = false;
            r.sum = true;
        }
        i += n;
    }
    return r;
}

static void add_operator(wlab_offers *w, const char *lead, const char *word, const char *meaning)
{
    char text[128];

    snprintf(text, sizeof text, "%s%s", lead, word);
    wlab_offers_add(w, text, NULL, meaning,
                    WL_OFFER_PLAIN | (word[strlen(word) - 1] == '(' ? WL_OFFER_OPEN : 0));
}

void wlab_offers_condition(wlab_offers *w, const wlab_session *s, const char *before)
{
    char *text = wlab_format("%s%s", before, w->prefix), lead[100];
    size_t all = text ? strlen(text) : 0, part = 0, typed = strlen(w->prefix);

    if (!text) {
        w->failed = true;
        return;
    }
    /* find the part of the word to complete: a name, or an operator */
    while (part < typed && is_name(w->prefix[typed - 1 - part]))
        part++;
    bool sign = part == 0 && typed > 0 && strchr("<>=!", w->prefix[typed - 1]);
    while (sign && part < typed && strchr("<>=!", w->prefix[typed - 1 - part]))
        part++;
    condition_state r = read_condition(text, all - part);
    wlab_free(text);
    if (typed - part >= sizeof lead)
        return;
    snprintf(lead, sizeof lead, "%.*s", (int)(typed - part), w->prefix);
    if (!r.value && !r.truth) {
        add_metrics(w, s, lead);
        add_operator(w, lead, "abs(", "the absolute value");
        if (!r.compared)
            add_operator(w, lead, "not", "the opposite of the condition that follows");
        return;
    }
    if (!r.compared && !r.truth) {
        add_operator(w, lead, "<", "less than");
        add_operator(w, lead, "<=", "at most");
        add_operator(w, lead, ">", "more than");
        add_operator(w, lead, ">=", "at least");
        add_operator(w, lead, "==", "equal");
        add_operator(w, lead, "!=", "not equal");
    }
    if (r.metric) {
        add_operator(w, lead, "increases", "greater than after the previous step");
        add_operator(w, lead, "decreases", "less than after the previous step");
        add_operator(w, lead, "changes", "different from its value after the previous step");
    }
    if (r.truth) {
        add_operator(w, lead, "and", "both hold");
        add_operator(w, lead, "or", "one of them holds");
    }
}
