/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of the algorithm softmax-em: where it starts and its steps are in em.c, what it shows and its snapshots in
 * em_report.c.
 *
 * All restarts go on together: a step is an EM iteration of each that still moves, and what is shown is the one with the
 * smallest f, which therefore never rises.
 */
#ifndef ALGO_SOFTMAX_EM_H
#define ALGO_SOFTMAX_EM_H

#include "algo/softmax/rows.h"
#include "model/features.h"
#include "solve/softmax/softmax.h"
#include "weaklab/algo.h"

typedef enum sem_stage { /* what comes next */
    SEM_BEGIN,
    SEM_M,
    SEM_E
} sem_stage;

typedef struct sem_restart {
    double before; /* f one iteration ago; NaN: not known, or at another lambda */
    bool moving;
    bool missed; /* the last M-step: its gap is ten times what was asked for, or more */
} sem_restart;

typedef struct softmax_em {
    wlab_problem *p; /* a reference */
    wlab_features *f;
    wlab_softmax_rows rows;
    bool intercept, weigh, apart, by_kmeans;
    uint64_t seed;
    int64_t n, restarts;
    int P;
    double lambda, eps;
    int64_t most;    /* iterations */
    wlab_em **em;    /* [restarts] */
    int32_t *index;  /* [n] workspace */
    double *earlier; /* [n x P] workspace: z before a step */
    /* ---- snapshot, with em ---- */
    sem_restart *r; /* [restarts] */
    sem_stage stage;
    bool fitted, finished, limited; /* fitted: there is a (W, b) */
    int64_t step, leader, shown_before, flips, fractional, newtons, moving;
    double change, inner_gap, e_gap;
    bool missed; /* of the restart that is shown */
    wlab_em_value value;
    double seconds;
    int8_t *shown;  /* [n] labels */
    double *values; /* [restarts] f */
} softmax_em;

/* ---- em_report.c: members of the table ---- */
extern const wlab_metric_info sem_metrics[];
void sem_observe(const void *state, double *metric, int8_t *labels);
extern const wlab_probe sem_probes[];
void sem_explain(const void *state, char *buf, size_t size);
void sem_next(const void *state, char *buf, size_t size);
void sem_walk(void *state, struct wlab_walk *);

#endif
