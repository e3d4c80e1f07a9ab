/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Totals over the cells that a sweep has computed so far: scores for "best so far", seconds for the time left.
 */
#ifndef SWEEP_TALLY_H
#define SWEEP_TALLY_H

#include "study/experiment/result.h"

typedef struct wlab_tally_cost {
    double seconds;
    int64_t done, missing;
} wlab_tally_cost;

typedef struct wlab_tally_score {
    double sum, squares;
    int64_t n;
} wlab_tally_score;

typedef struct wlab_tally {
    const wlab_experiment *e; /* borrowed */
    char *score;              /* its name: that of the first `table` line with score=, else accuracy */
    bool lower;               /* a lower score is better */
    wlab_tally_cost *cost;    /* [data][method] */
    wlab_tally_score *value;  /* [setting][data][method] */
} wlab_tally;

wlab_code wlab_tally_create(wlab_tally *, const wlab_experiment *, wlab_err *);
void wlab_tally_clear(wlab_tally *);
/* Count a cell that has to be computed. */
void wlab_tally_missing(wlab_tally *, const wlab_cell *);
/* Such a cell was computed, in so many seconds: it is no longer missing. */
void wlab_tally_done(wlab_tally *, const wlab_cell *, const wlab_result *r, double seconds);
/* Add the result of a cell that an earlier sweep computed. */
void wlab_tally_known(wlab_tally *, const wlab_cell *, const wlab_result *r);
/* Seconds that one worker needs for all missing cells: the sum of wlab_tally_expect over these cells.  NaN: one of them
 * cannot be predicted. */
double wlab_tally_left(const wlab_tally *);
/* Seconds of one cell: the mean over the computed cells of its data and method or, if there are none, over those of its
 * method on any data. NaN: the method has no computed cell yet, and methods differ too much to predict one from
 * another. */
double wlab_tally_expect(const wlab_tally *, int data, int method);
/* The method with the best mean score for (setting, data), with the mean, standard deviation (NaN if n is 1) and number
 * of its scores.  -1, and nothing is set: no method has a score. */
int wlab_tally_best(const wlab_tally *, int setting, int data, double *mean, double *deviation, int64_t *n);

#endif
