/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the supervised SVM predicts from the labels that a run observes: the baseline of weak labels.
 */
#ifndef RUN_BASELINE_H
#define RUN_BASELINE_H

#include "weaklab/run.h"

/* The algorithm that is the baseline of the run: the first one that learns from the labelled rows only.  NULL: the run is of
 * such an algorithm itself, or its task has no rows of both kinds, labelled and unlabelled. */
const wlab_algo *wlab_baseline_of(const wlab_run *);
typedef struct wlab_baseline_settings {
    char kernel[96]; /* "rbf sigma=0.4" */
    char cost[24];   /* "C=1", or "" */
    /* The threshold of its outputs by which as many training rows are positive as the task prescribes, if the run knows this
     * number (two classes); NaN: it prescribes none, or the run's algorithm does not use it. */
    double cut;
} wlab_baseline_settings;
/* Trains the baseline on the run's problem, with the run's kernel and otherwise its own defaults, and writes its outputs
 * f [n x outputs] for rows[0 .. n-1] of `data` (NULL: all rows), and its settings.  Cost:
 * one training on the labelled rows.  Errors: those of the algorithm; WL_EINTERRUPTED. */
wlab_code wlab_baseline_predict(const wlab_run *, const wlab_dataset *data, const int32_t *rows, int64_t n,
                                double *f, wlab_baseline_settings *, wlab_ctx *, wlab_err *);

#endif
