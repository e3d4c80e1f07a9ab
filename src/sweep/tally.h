/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of a sweep from its cells so far: scores for "best so far", seconds for the time left.
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
    char *score;              /* its name: of the first `table` line, else accuracy */
    bool lower;
    wlab_tally_cost *cost;   /* [data][method] */
    wlab_tally_score *value; /* [setting][data][method] */
} wlab_tally;

wlab_code wlab_tally_create(wlab_tally *, const wlab_experiment *, wlab_err *);
void wlab_tally_clear(wlab_tally *);
/* A cell that has to be computed; one of these that is done, which took so long; one that was before. */
void wlab_tally_missing(wlab_tally *, const wlab_cell *);
void wlab_tally_done(wlab_tally *, const wlab_cell *, const wlab_result *r, double seconds);
void wlab_tally_known(wlab_tally *, const wlab_cell *, const wlab_result *r);
/* Seconds that one processor needs for all that is missing, from the mean of the same data and method, else of the
 * method; NaN: nothing is known yet of a method of them, and methods differ too much to guess it from another. */
double wlab_tally_left(const wlab_tally *);
double wlab_tally_expect(const wlab_tally *, int data, int method); /* of one cell */
/* Method with the best mean of (setting, data), or -1. */
int wlab_tally_best(const wlab_tally *, int setting, int data, double *mean, double *deviation, int64_t *n);

#endif
