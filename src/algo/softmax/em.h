/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of the algorithm softmax-em.  em.c has the initial labels and the steps; em_report.c has metrics,
 * explanations and snapshots.
 *
 * All restarts advance together: a step makes one EM iteration of each restart that has not converged (`moving`).  The
 * program shows the restart with the smallest f, so the displayed f never rises while lambda is unchanged.
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
    bool missed; /* the gap of the last M-step is more than ten times the requested one */
} sem_restart;

typedef struct softmax_em {
    wlab_problem *p; /* a reference */
    wlab_features *f;
    wlab_softmax_rows rows;
    bool intercept, weight_by_bag, entropy_by_bag, by_kmeans;
    bool matched; /* names=matched, and the task is cluster */
    uint64_t seed;
    int64_t n, restarts;
    int P;
    double lambda, eps;
    int64_t most;    /* iterations */
    wlab_em **em;    /* [restarts] */
    int32_t *index;  /* [n] workspace */
    double *earlier; /* [n x P] workspace: z before a step */
    /* ---- snapshot, together with em ---- */
    sem_restart *r; /* [restarts] */
    sem_stage stage;
    bool fitted, finished, limited; /* fitted: W and b exist; limited: stopped by iterations= */
    int64_t step, leader, shown_before, flips, fractional, newtons, moving;
    double change, inner_gap, e_gap;
    bool missed; /* that of the displayed restart */
    wlab_em_value value;
    double seconds;
    /* Clusters have no names of their own: cluster c of restart `named` is displayed as class name[c].  matched: when
     * another restart is displayed, with the names with which the fewest labels change. */
    int64_t named;
    int name[WL_CLASSES_MOST];
    int8_t *shown;  /* [n] displayed labels */
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
