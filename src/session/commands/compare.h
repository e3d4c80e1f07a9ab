/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of `compare`: the table (compare.c), whether scores may be compared (compare_scores.c), and the rows in which
 * runs differ (compare_rows.c).
 */
#ifndef SESSION_COMMANDS_COMPARE_H
#define SESSION_COMMANDS_COMPARE_H

#include "session/commands/commands.h"

typedef struct wlab_comparison {
    wlab_session *s;
    int n;
    const wlab_run *run[WLAB_COMPARED];
    int width;     /* of a run's column */
    wlab_buf line; /* the line being built */
    json_t *settings, *metrics, *measures, *scored_rows;
    int differences;
    int8_t
        *predicted[WLAB_COMPARED]; /* [n] by each run's model; NULL: there is no model, or it is not needed */
} wlab_comparison;

/* Prints the line and empties it. */
void wlab_compare_end_line(wlab_comparison *);

/* Prints texts in a line of the table, or in several if they are wider than their columns.  Prints nothing if all are
 * empty. */
void wlab_compare_texts(wlab_comparison *, const char *name, const char *const *text);

/* ---- scores ---- */
/* Prints, below the numbers of a score by hidden labels, what measure they are and of how many rows, where the runs
 * differ in that. */
void wlab_compare_measures(wlab_comparison *, wlab_role);
/* Prints which of these scores cannot be compared, and why. */
void wlab_compare_say_scores(wlab_comparison *);
/* Which scores of the runs may be compared: a clause for a message. */
const char *wlab_compare_advice(const wlab_comparison *);
/* Whether any may. */
bool wlab_compare_scores_alike(const wlab_comparison *);

/* ---- rows ---- */
/* Whether two problems have the same training rows. */
bool wlab_compare_same_rows(const wlab_problem *, const wlab_problem *);
/* Computes the predictions that wlab_compare_rows compares; for wlab_session_call. */
wlab_code wlab_compare_predict(void *comparison, wlab_ctx *, wlab_err *);
/* Prints how many predictions differ between run k and the first run, and the first of these rows (numbers in the data
 * set, from 1); and the same of the runs' labels, if these are not the predictions.  Rows without a label in one of the
 * runs do not count.  Returns the same as JSON objects, of the labels in *labels.  JSON null: the runs have different rows
 * or classes, or there is no model yet.  NULL: out of memory. */
json_t *wlab_compare_rows(wlab_comparison *, int k, json_t **labels, wlab_err *);

#endif
