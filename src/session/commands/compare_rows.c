/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare: the rows in which runs differ.
 */
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

/* Matches the clusters of run k with those of the first run, because their numbers and signs mean nothing. match[j]:
 * the first run's label (index) that corresponds to label j of run k, or -1.  The matching makes as many rows as
 * possible agree; among equally good matchings it is the one that renames the fewest. */
static wlab_code match_clusters(const wlab_comparison *c, int k, int match[WL_CLASSES_MOST], wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(c->run[0]), *q = wlab_run_problem(c->run[k]);
    const int8_t *a = wlab_run_labels(c->run[0]), *b = wlab_run_labels(c->run[k]);
    int64_t *both = wlab_calloc((size_t)p->classes * (size_t)q->classes, sizeof *both);

    if (!both)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++)
        if (a[i] && b[i])
            both[wlab_label_index(q, b[i]) * p->classes + wlab_label_index(p, a[i])] += WL_CLASSES_MOST + 1;
    for (int j = 0; j < p->classes && j < q->classes; j++)
        both[j * p->classes + j]++;
    wlab_code code = wlab_matching(both, q->classes, p->classes, match, err);
    wlab_free(both);
    return code;
}

/* Prints which cluster of run k corresponds to which of the first run, for those whose names differ: "(cluster of b,
 * and which of a it is: 3 = 1, ...)". */
static void say_match(wlab_comparison *c, int k, const int *match)
{
    const wlab_problem *p = wlab_run_problem(c->run[0]), *q = wlab_run_problem(c->run[k]);
    const char *before = "";

    for (int j = 0; j < q->classes; j++) {
        const char *own = wlab_problem_class(q, wlab_label_at(q, j));
        const char *other = match[j] < 0 ? NULL : wlab_problem_class(p, wlab_label_at(p, match[j]));

        if (match[j] == j)
            continue;
        if (!*before)
            (void)wlab_buf_printf(&c->line,
                                  "  (cluster of %s, and which of %s it is: ", wlab_run_name(c->run[k]),
                                  wlab_run_name(c->run[0]));
        (void)wlab_buf_printf(&c->line, "%s%s = %s", before, own ? own : "-", other ? other : "none");
        before = ", ";
    }
    if (*before) {
        (void)wlab_buf_printf(&c->line, ")");
        wlab_compare_end_line(c);
    }
}

json_t *wlab_compare_rows(wlab_comparison *c, int k, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(c->run[0]), *q = wlab_run_problem(c->run[k]);
    const int8_t *a = wlab_run_labels(c->run[0]), *b = wlab_run_labels(c->run[k]);
    const bool clusters = p->task && q->task && p->task->clusters && q->task->clusters;
    int match[WL_CLASSES_MOST];
    wlab_buf list = {0};
    int64_t differ = 0;

    if (!wlab_compare_same_rows(p, q)) {
        if (c->n == 2)
            wlab_session_print(c->s, "the runs have different rows: their labels cannot be compared\n");
        else
            wlab_session_print(c->s, "%s has other rows than %s: their labels cannot be compared\n",
                               wlab_run_name(c->run[k]), wlab_run_name(c->run[0]));
        return json_null();
    }
    if (p->classes != q->classes && !clusters) {
        wlab_session_print(c->s, "%s has other classes than %s: their labels cannot be compared\n",
                           wlab_run_name(c->run[k]), wlab_run_name(c->run[0]));
        return json_null();
    }
    if (clusters && match_clusters(c, k, match, err))
        return NULL;
    json_t *rows = json_array();
    for (int64_t i = 0; i < p->n; i++) {
        long long row = p->row ? (long long)p->row[i] + 1 : (long long)i + 1;
        const int theirs = clusters && a[i] && b[i] ? wlab_label_index(q, b[i]) : -1;
        const bool agree = theirs < 0 ? a[i] == b[i] : match[theirs] == wlab_label_index(p, a[i]);

        if (agree || differ++ >= FIRST)
            continue;
        (void)wlab_buf_printf(&list, " %lld", row);
        json_array_append_new(rows, json_integer(row));
    }
    const char *how = clusters ? ", under the best matching of the clusters" : "";
    if (c->n == 2)
        (void)wlab_buf_printf(&c->line, "labels that differ%s: ", how);
    else
        (void)wlab_buf_printf(&c->line,
                              "labels of %s that differ from those of %s%s: ", wlab_run_name(c->run[k]),
                              wlab_run_name(c->run[0]), how);
    (void)wlab_buf_printf(&c->line, "%lld of %lld%s%s%s", (long long)differ, (long long)p->n,
                          differ > 0 ? "; rows" : "", list.data ? (const char *)list.data : "",
                          differ > FIRST ? " ..." : "");
    wlab_compare_end_line(c);
    wlab_buf_clear(&list);
    if (clusters)
        say_match(c, k, match);
    json_t *o =
        json_pack("{s:I, s:I, s:o}", "n", (json_int_t)p->n, "differ", (json_int_t)differ, "rows", rows);
    if (clusters) {
        json_t *matching = json_array();
        for (int j = 0; j < q->classes; j++)
            json_array_append_new(
                matching, match[j] < 0 ? json_null()
                                       : wlab_json_text(wlab_problem_class(p, wlab_label_at(p, match[j]))));
        json_object_set_new(o, "matching", matching);
    }
    return o;
}
