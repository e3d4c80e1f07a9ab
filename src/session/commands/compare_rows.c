/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare: the rows in which runs differ.
 */
#include "run/predict.h"
#include "score/matching.h"
#include "session/commands/compare.h"
#include <string.h>

enum {
    FIRST = 20 /* differing rows that are listed */
};

bool wlab_compare_same_rows(const wlab_problem *p, const wlab_problem *q)
{
    return p == q || (p->n == q->n && p->data == q->data &&
                      (p->row == q->row ||
                       (p->row && q->row && memcmp(p->row, q->row, (size_t)p->n * sizeof *p->row) == 0)));
}

/* ---- predictions ---- */

/* The signs or classes of the model's outputs on the training rows; NULL if there is no model yet. */
static wlab_code predict(const wlab_run *run, int8_t **labels, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int outputs = wlab_problem_outputs(p);

    if (!p->data) /* a problem of a test */
        return WL_OK;
    double *f = wlab_alloc((size_t)(p->n * outputs), sizeof *f);
    wlab_code code = WL_OK;

    if (!f || !(*labels = wlab_alloc((size_t)p->n, 1)))
        code = wlab_nomem(err);
    code = code ? code
                : wlab_state_predict(wlab_run_algo(run), wlab_run_state(run), p->data, p->row, p->n, f, ctx,
                                     err);
    for (int64_t i = 0; !code && i < p->n; i++)
        (*labels)[i] = wlab_label_at(p, wlab_decide(f + i * outputs, outputs));
    wlab_free(f);
    if (code)
        *labels = wlab_free(*labels);
    return code == WL_ESTATE ? WL_OK : code;
}

wlab_code wlab_compare_predict(void *comparison, wlab_ctx *ctx, wlab_err *err)
{
    wlab_comparison *c = comparison;
    const wlab_problem *first = wlab_run_problem(c->run[0]);
    bool wanted = false;
    wlab_code code = WL_OK;

    for (int k = 1; k < c->n && !code; k++)
        if (wlab_compare_same_rows(first, wlab_run_problem(c->run[k]))) {
            code = predict(c->run[k], &c->predicted[k], ctx, err);
            wanted = true;
        }
    return code || !wanted ? code : predict(c->run[0], &c->predicted[0], ctx, err);
}

/* ---- matching ---- */

/* Labels of run k beside those of the first run. */
typedef struct pairing {
    const wlab_run *run[2];
    const wlab_problem *p, *q;
    const int8_t *a, *b;
    bool clusters; /* one of them has clusters, which are matched first */
    int match
        [WL_CLASSES_MOST]; /* match[j]: the first run's label (index) that is label j of run k; -1: none */
    bool keys; /* both runs mark key instances, and leave other rows of positive bags without a label */
    int64_t differ, none; /* none: rows that have no label in one of the runs */
} pairing;

/* Matches the clusters of a run with those or with the classes of the first run, because their numbers and signs mean
 * nothing.  The matching makes as many rows as possible agree; among equally good matchings it is the one that renames the
 * fewest. */
static wlab_code match_clusters(pairing *m, wlab_err *err)
{
    const wlab_problem *p = m->p, *q = m->q;
    int64_t *both = wlab_calloc((size_t)p->classes * (size_t)q->classes, sizeof *both);

    if (!both)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++)
        if (m->a[i] && m->b[i])
            both[wlab_label_index(q, m->b[i]) * p->classes + wlab_label_index(p, m->a[i])] +=
                WL_CLASSES_MOST + 1;
    for (int j = 0; j < p->classes && j < q->classes; j++)
        both[j * p->classes + j]++;
    wlab_code code = wlab_matching(both, q->classes, p->classes, m->match, err);
    wlab_free(both);
    return code;
}

/* Prints which cluster of run k corresponds to which of the first run: "(cluster of b, and which of a it is: 3 = 1, ...)";
 * of clusters beside clusters only those whose names differ. */
static void say_match(wlab_comparison *c, const pairing *m)
{
    const bool own_clusters = m->q->task->clusters, their_clusters = m->p->task->clusters;
    const char *before = "";

    for (int j = 0; j < m->q->classes; j++) {
        const char *own = wlab_problem_class(m->q, wlab_label_at(m->q, j));
        const char *other =
            m->match[j] < 0 ? NULL : wlab_problem_class(m->p, wlab_label_at(m->p, m->match[j]));

        if (m->match[j] == j && own_clusters == their_clusters)
            continue;
        if (!*before)
            (void)wlab_buf_printf(&c->line, "  (%s of %s, and which%s of %s it is: ",
                                  own_clusters ? "cluster" : "class", wlab_run_name(m->run[1]),
                                  own_clusters == their_clusters ? ""
                                  : their_clusters               ? " cluster"
                                                                 : " class",
                                  wlab_run_name(m->run[0]));
        (void)wlab_buf_printf(&c->line, "%s%s = %s", before, own ? own : "-", other ? other : "none");
        before = ", ";
    }
    if (*before) {
        (void)wlab_buf_printf(&c->line, ")");
        wlab_compare_end_line(c);
    }
}

/* Whether a row has no label in one of the runs.  Where both mark key instances, "no key" is another label than "key". */
static bool unlabelled(const pairing *m, int64_t i)
{
    return !m->keys && (!m->a[i] || !m->b[i]);
}

/* Whether both runs label row i, and the labels differ. */
static bool differs(const pairing *m, int64_t i)
{
    if (unlabelled(m, i))
        return false;
    return m->clusters ? m->match[wlab_label_index(m->q, m->b[i])] != wlab_label_index(m->p, m->a[i])
                       : m->a[i] != m->b[i];
}

static wlab_code pair(pairing *m, const wlab_comparison *c, int k, const int8_t *a, const int8_t *b,
                      wlab_err *err)
{
    *m = (pairing){.run = {c->run[0], c->run[k]},
                   .p = wlab_run_problem(c->run[0]),
                   .q = wlab_run_problem(c->run[k]),
                   .a = a,
                   .b = b};
    m->clusters = m->p->task && m->q->task && (m->p->task->clusters || m->q->task->clusters);
    m->keys = m->p->keys && m->q->keys && memchr(a, 0, (size_t)m->p->n) && memchr(b, 0, (size_t)m->p->n);
    const wlab_code code = m->clusters ? match_clusters(m, err) : WL_OK;
    for (int64_t i = 0; !code && i < m->p->n; i++) {
        m->differ += differs(m, i);
        m->none += unlabelled(m, i);
    }
    return code;
}

/* ---- output ---- */

/* Appends the first rows that differ (numbers in the data set, from 1), and returns them. */
static json_t *list_rows(wlab_comparison *c, const pairing *m)
{
    json_t *rows = json_array();
    int listed = 0;

    if (m->differ > 0)
        (void)wlab_buf_printf(&c->line, "; rows");
    for (int64_t i = 0; i < m->p->n && listed < FIRST; i++)
        if (differs(m, i)) {
            const long long row = m->p->row ? (long long)m->p->row[i] + 1 : (long long)i + 1;
            (void)wlab_buf_printf(&c->line, " %lld", row);
            json_array_append_new(rows, json_integer(row));
            listed++;
        }
    if (m->differ > FIRST)
        (void)wlab_buf_printf(&c->line, " ...");
    return rows;
}

/* What the labels of a run are: "newest labelings", "recovered labels"; "labels". */
static const char *kind_of_labels(const wlab_run *run)
{
    const wlab_probe *weights = wlab_probe_recorded(wlab_run_algo(run));
    const char *own = wlab_run_algo(run)->labels_are;
    return own ? own : weights && weights->kind == WL_PROBE_WEIGHTS ? "newest labelings" : "labels";
}

/* Prints one line, "predictions that differ: 45 of 202; rows 4 7 ...", and returns the same. */
static json_t *print_pairing(wlab_comparison *c, const pairing *m, bool predictions)
{
    const long long n = (long long)(m->p->n - m->none);
    const char *kind[2] = {kind_of_labels(m->run[0]), kind_of_labels(m->run[1])};
    const bool alike = strcmp(kind[0], kind[1]) == 0;
    const char *what = predictions ? "predictions" : alike ? kind[0] : "labels";

    if (c->n == 2)
        (void)wlab_buf_printf(&c->line, "%s that differ", what);
    else
        (void)wlab_buf_printf(&c->line, "%s of %s that differ from those of %s", what,
                              wlab_run_name(m->run[1]), wlab_run_name(m->run[0]));
    if (!predictions && !alike)
        (void)wlab_buf_printf(&c->line, " (%s: %s, %s: %s)", wlab_run_name(m->run[0]), kind[0],
                              wlab_run_name(m->run[1]), kind[1]);
    if (m->clusters)
        (void)wlab_buf_printf(&c->line, ", under the best matching of the clusters");
    (void)wlab_buf_printf(&c->line, ": %lld of %lld", (long long)m->differ, n);
    json_t *rows = list_rows(c, m);
    if (m->none > 0)
        (void)wlab_buf_printf(&c->line, "; %lld without a label in one of the runs", (long long)m->none);
    wlab_compare_end_line(c);
    if (m->clusters)
        say_match(c, m);
    json_t *o = json_pack("{s:I, s:I, s:I, s:o}", "n", (json_int_t)n, "differ", (json_int_t)m->differ,
                          "without", (json_int_t)m->none, "rows", rows);
    if (m->clusters) {
        json_t *matching = json_array();
        for (int j = 0; j < m->q->classes; j++)
            json_array_append_new(matching, m->match[j] < 0 ? json_null()
                                                            : wlab_json_text(wlab_problem_class(
                                                                  m->p, wlab_label_at(m->p, m->match[j]))));
        json_object_set_new(o, "matching", matching);
    }
    return o;
}

static bool comparable(wlab_comparison *c, int k)
{
    const wlab_problem *p = wlab_run_problem(c->run[0]), *q = wlab_run_problem(c->run[k]);
    const bool clusters = p->task && q->task && (p->task->clusters || q->task->clusters);

    if (!wlab_compare_same_rows(p, q)) {
        if (c->n == 2)
            wlab_session_print(c->s, "the runs have different rows: their labels cannot be compared\n");
        else
            wlab_session_print(c->s, "%s has other rows than %s: their labels cannot be compared\n",
                               wlab_run_name(c->run[k]), wlab_run_name(c->run[0]));
        return false;
    }
    if (p->classes != q->classes && !clusters) {
        wlab_session_print(c->s, "%s has other classes than %s: their labels cannot be compared\n",
                           wlab_run_name(c->run[k]), wlab_run_name(c->run[0]));
        return false;
    }
    return true;
}

json_t *wlab_compare_rows(wlab_comparison *c, int k, json_t **labels, wlab_err *err)
{
    pairing predictions = {0}, own;
    const bool models = c->predicted[0] && c->predicted[k];
    json_t *o = json_null();

    *labels = json_null();
    if (!comparable(c, k))
        return o;
    if ((models && pair(&predictions, c, k, c->predicted[0], c->predicted[k], err)) ||
        pair(&own, c, k, wlab_run_labels(c->run[0]), wlab_run_labels(c->run[k]), err))
        return NULL;
    if (models)
        o = print_pairing(c, &predictions, true);
    else if (wlab_run_problem(c->run[0])->data && wlab_run_problem(c->run[0])->data->share)
        wlab_session_print(c->s,
                           "the rows were loaded with ranks=all: there are no predictions to compare\n");
    else
        wlab_session_print(c->s, "%s has no model yet: there are no predictions to compare\n",
                           wlab_run_name(c->run[c->predicted[0] ? k : 0]));
    /* the labels too, where they are not the predictions */
    if (!models || own.differ != predictions.differ || own.none > 0)
        *labels = print_pairing(c, &own, false);
    else
        *labels = json_incref(o);
    return o;
}
