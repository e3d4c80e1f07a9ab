/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eval: scores of more than two classes, and of more than two clusters, which are matched to classes first.
 */
#include "session/commands/eval_classes.h"
#include "lang/phrase.h"
#include "session/commands/eval_bags.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TABLE_MOST = 12, /* columns of the confusion matrix that fit a line */
    LISTED = 10      /* largest confusions that are listed if there are more columns */
};

typedef struct classes_scored {
    const wlab_run *run;
    const wlab_problem *p;
    const char *name;
    const wlab_beside *beside;
    bool cluster;
    wlab_class_scores model, own; /* own: of the run's labels */
    bool labelled, same;          /* the run has labels of these rows; they equal the predictions */
} classes_scored;

static const char *truth_name(const classes_scored *c, int k)
{
    return c->p->data->class_name[c->p->class_number[k]];
}

/* Whether label k is right for class t. */
static bool stands_for(const classes_scored *c, int k, int t)
{
    return c->model.match[k] == t;
}

/* Prints the LISTED confusions with the most rows, the largest first.  Of equal ones, that of the earlier true class
 * comes first, then that of the earlier prediction. */
static void print_largest(wlab_session *s, const classes_scored *c)
{
    const wlab_class_scores *m = &c->model;
    const int width = m->labels + 1;
    int64_t most = INT64_MAX, rows = 0;
    int last = -1, found = 0;

    for (int t = 0; t < m->classes; t++)
        for (int k = 0; k < m->labels; k++)
            rows += stands_for(c, k, t) ? 0 : m->count[t * width + k];
    if (rows == 0) {
        wlab_session_print(s, "no %s is confused with another\n", c->cluster ? "cluster" : "class");
        return;
    }
    wlab_session_print(s, "the largest confusions, %s (the whole matrix: --json):\n",
                       c->cluster ? "class -> cluster (the class it stands for): rows"
                                  : "true class -> prediction: rows");
    for (int best = 0; best >= 0 && found < LISTED; found++) {
        best = -1;
        for (int at = 0; at < m->classes * width; at++) {
            const int t = at / width, k = at % width;
            if (k == m->labels || m->count[at] == 0 || stands_for(c, k, t) || m->count[at] > most ||
                (m->count[at] == most && at <= last))
                continue;
            if (best < 0 || m->count[at] > m->count[best])
                best = at;
        }
        if (best < 0)
            break;
        most = m->count[best];
        last = best;
        const int t = best / width, k = best % width;
        wlab_session_print(s, "  %s -> %s", truth_name(c, t),
                           wlab_problem_class(c->p, wlab_label_at(c->p, k)));
        if (c->cluster)
            wlab_session_print(s, " (%s)", m->match[k] < 0 ? "none" : truth_name(c, m->match[k]));
        wlab_session_print(s, ": %lld\n", (long long)most);
    }
}

static void print_confusion(wlab_session *s, const classes_scored *c)
{
    const wlab_class_scores *m = &c->model;
    if (m->labels > TABLE_MOST || m->classes > TABLE_MOST) {
        print_largest(s, c);
        return;
    }
    wlab_session_print(s, "%s\n%-14s",
                       c->cluster ? "one row per class, one column per cluster:"
                                  : "one row per true class, one column per prediction:",
                       "");
    for (int k = 0; k < m->labels; k++)
        wlab_session_print(s, " %7.7s", wlab_problem_class(c->p, wlab_label_at(c->p, k)));
    wlab_session_print(s, "\n");
    for (int t = 0; t < m->classes; t++) {
        wlab_session_print(s, "%-14.14s", truth_name(c, t));
        for (int k = 0; k < m->labels; k++)
            wlab_session_print(s, " %7lld", (long long)m->count[t * (m->labels + 1) + k]);
        wlab_session_print(s, "\n");
    }
    if (!c->cluster)
        return;
    wlab_session_print(s, "%-14s", "stands for");
    for (int k = 0; k < m->labels; k++)
        wlab_session_print(s, " %7.7s", m->match[k] < 0 ? "-" : truth_name(c, m->match[k]));
    wlab_session_print(s, "\n");
}

static void print_scores(wlab_session *s, const classes_scored *c)
{
    const wlab_class_scores *m = &c->model;
    char a[32], b[32], d[32];
    print_confusion(s, c);
    if (c->cluster)
        wlab_session_print(s, "normalised mutual information %s, adjusted Rand index %s\n",
                           wlab_eval_number(m->nmi, b), wlab_eval_number(m->ari, d));
    else
        wlab_session_print(s, "balanced accuracy %s, macro-F1 %s\n",
                           wlab_eval_number(m->balanced_accuracy, b), wlab_eval_number(m->macro_f1, d));
    /* near the end, so that a log pane of three lines still shows the accuracy */
    wlab_session_print(s, "run %s, %s: %s%s on %lld row%s%s%s", wlab_run_name(c->run), c->name,
                       c->cluster ? "accuracy under the best matching " : "accuracy ",
                       wlab_eval_number(m->accuracy, a), (long long)m->n, wlab_plural(m->n), c->beside->words,
                       m->skipped ? "" : "\n");
    if (m->skipped)
        wlab_session_print(s, " (%lld without a true label left out)\n", (long long)m->skipped);
    if (c->labelled && !c->same)
        wlab_eval_say_labeling(s, c->run, c->name, c->own.accuracy);
}

static json_t *json_of(const classes_scored *c)
{
    const wlab_class_scores *m = &c->model;
    json_t *classes = json_array(), *confusion = json_array(), *matching = json_array();
    for (int t = 0; t < m->classes; t++) {
        json_t *row = json_array();
        json_array_append_new(classes, wlab_json_text(truth_name(c, t)));
        for (int k = 0; k < m->labels; k++)
            json_array_append_new(row, json_integer((json_int_t)m->count[t * (m->labels + 1) + k]));
        json_array_append_new(confusion, row);
    }
    for (int k = 0; k < m->labels; k++)
        json_array_append_new(matching,
                              m->match[k] < 0 ? json_null() : wlab_json_text(truth_name(c, m->match[k])));
    json_t *o =
        json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:o}", "type", "eval", "run", wlab_run_name(c->run), "set",
                  wlab_json_text(c->name), "n", (json_int_t)m->n, "skipped", (json_int_t)m->skipped, "iter",
                  (json_int_t)wlab_run_iter(c->run), "accuracy", wlab_json_real(m->accuracy));
    if (o && !c->cluster) {
        json_object_set_new(o, "balanced_accuracy", wlab_json_real(m->balanced_accuracy));
        json_object_set_new(o, "macro_f1", wlab_json_real(m->macro_f1));
    } else if (o) {
        json_object_set_new(o, "clusters", json_integer(m->labels));
        json_object_set_new(o, "nmi", wlab_json_real(m->nmi));
        json_object_set_new(o, "ari", wlab_json_real(m->ari));
        json_object_set(o, "matching", matching);
    }
    if (o) {
        json_object_set(o, "classes", classes);
        json_object_set(o, "confusion", confusion);
    }
    if (o && c->beside->object)
        json_object_set(o, "baseline", c->beside->object);
    if (o && c->labelled)
        json_object_set_new(o, "label_accuracy", wlab_json_real(c->own.accuracy));
    json_decref(classes);
    json_decref(confusion);
    json_decref(matching);
    return o;
}

/* The mark that `replay --check` compares: counts, because they do not differ by rounding between machines. */
static wlab_code mark_scores(wlab_session *s, const classes_scored *c, wlab_err *err)
{
    const wlab_class_scores *m = &c->model;
    wlab_buf name = {0};
    wlab_code code = wlab_buf_quote(&name, c->name) ? wlab_nomem(err) : WL_OK;
    if (!code)
        code = wlab_session_mark(s, err, "eval set=%s n=%lld %s=%lld", (const char *)name.data,
                                 (long long)m->n, c->cluster ? "matched" : "right",
                                 m->n ? (long long)llround(m->accuracy * (double)m->n) : 0);
    wlab_buf_clear(&name);
    return code;
}

wlab_code wlab_eval_classes(wlab_session *s, const wlab_run *run, const char *name, const wlab_beside *beside,
                            const double *f, const int8_t *labels, const int8_t *truth, int64_t n,
                            int64_t *scored, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int P = p->classes;
    classes_scored c = {.run = run, .p = p, .name = name, .beside = beside, .cluster = p->task->clusters};
    int8_t *predicted = wlab_alloc((size_t)n + 1, sizeof *predicted);
    wlab_code code = predicted ? WL_OK : wlab_nomem(err);
    for (int64_t i = 0; !code && i < n; i++)
        predicted[i] = wlab_label_at(p, wlab_decide(f + i * P, P));
    if (!code)
        code = wlab_score_classes(&c.model, predicted, P, truth, p->truths, n, c.cluster, err);
    if (!code && labels) {
        c.labelled = true;
        c.same = memcmp(labels, predicted, (size_t)n) == 0;
        code = wlab_score_classes(&c.own, labels, P, truth, p->truths, n, c.cluster, err);
    }
    if (!code)
        code = mark_scores(s, &c, err);
    if (!code) {
        *scored = c.model.n;
        if (c.model.n)
            print_scores(s, &c);
        wlab_session_object(s, json_of(&c));
    }
    wlab_class_scores_clear(&c.model);
    wlab_class_scores_clear(&c.own);
    wlab_free(predicted);
    return code;
}
