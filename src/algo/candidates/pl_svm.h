/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of the algorithm pl-svm.  pl_svm.c has the steps; pl_svm_report.c has metrics, probes, explanations and
 * snapshots.
 *
 * All restarts advance together: a step makes one round of each restart that moves.  The program shows the restart with the
 * smallest J, so the displayed J never rises.
 */
#ifndef ALGO_PL_SVM_H
#define ALGO_PL_SVM_H

#include "algo/candidates/functions.h"
#include "algo/restarts.h"
#include "solve/svm/multi.h"

typedef struct pl_restart {
    wlab_multi m;    /* the convex problem of the round, at the choices of its beginning */
    bool moving;     /* the last round lowered J by more than eps and changed choices, and it is not merged */
    bool in_round;   /* its convex problem is not solved yet */
    bool missed;     /* the last convex problem did not reach its gap */
    int64_t same_as; /* the restart that represents this one since a merge; -1: none */
    /* ---- after the last round; NaN before ---- */
    double J, loss, drop, gap, convex, lower;
    int64_t changes, passes;
    double *W; /* [P x dim] */
    double *o; /* [P x n] its outputs */
} pl_restart;

typedef struct pl_svm {
    functions f;
    double lambda, eps;
    uint64_t seed;
    int64_t most, restarts;
    /* ---- snapshot ---- */
    pl_restart *r; /* [restarts] */
    bool begun;    /* a step has begun but is not complete */
    bool finished, limited;
    int64_t step, flips, leader, leader_before, moving;
    double seconds;
    int8_t *y; /* [n] the labels shown; 0: none yet */
    /* ---- workspace ---- */
    double *o;          /* [P x n] */
    wlab_restart *list; /* [restarts] */
} pl_svm;

/* ---- pl_svm_report.c: members of the table ---- */
extern const wlab_metric_info pl_svm_metrics[];
extern const wlab_probe pl_svm_probes[];
void pl_svm_observe(const void *state, double *metric, int8_t *labels);
void pl_svm_explain(const void *state, char *buf, size_t size);
void pl_svm_next(const void *state, char *buf, size_t size);
void pl_svm_walk(void *state, struct wlab_walk *);

#endif
