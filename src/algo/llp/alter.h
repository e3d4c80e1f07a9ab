/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of alter-pSVM (Algorithm 1 of Yu, Liu, Kumar, Jebara and Chang), shared by its parts: the SVM half of an
 * alternation (alter_svm.c), the labels' half and where they start (alter_labels.c), what is shown (alter_report.c),
 * snapshots (alter_snapshot.c), the table (alter.c).
 *
 *     min over y, w, b of  1/2 ||w||^2 + sum_i C_i hinge(y_i f_i) + Cp sum_k L_p(p_k(y), p_k),
 *
 * C_i = C* where the label is free, C where it is visible.  All restarts are at the same C* and go on together: a step is
 * an alternation of each that still moves, and what is shown is the restart whose objective is the smallest.  Restarts
 * that come to (nearly) the same labels go on as one.
 */
#ifndef ALGO_ALTER_H
#define ALGO_ALTER_H

#include "algo/llp/proportions.h"
#include "base/progress.h"
#include "model/kernel.h"
#include "solve/svm/dcd.h"
#include "weaklab/algo.h"

typedef enum alter_solver {
    ALTER_DCD,  /* linear, offset a feature: solve/svm/dcd.h */
    ALTER_FREE, /* kernel matrix, free offset: solve/svm/smo_free.h */
    ALTER_SMO,  /* kernel matrix, offset a feature: solve/svm/smo.h */
} alter_solver;

typedef enum alter_start {
    ALTER_RANDOM,
    ALTER_BAGS,
    ALTER_INVCAL,
    ALTER_CONV
} alter_start;

typedef enum alter_stage { /* what comes next */
    ALTER_BEGIN,
    ALTER_W,
    ALTER_Y
} alter_stage;

/* Parts of the objective at (w, y). */
typedef struct alter_value {
    double norm;    /* 1/2 ||w||^2 */
    double known;   /* sum of hinge losses of visible labels */
    double free;    /* of the others */
    double penalty; /* Cp sum L_p */
} alter_value;

/* One start. */
typedef struct alter_restart {
    int8_t *y; /* [n] */
    double *
        alpha; /* [n] dual variables, for the next warm start: alpha >= 0 (linear), beta = y alpha (kernel) */
    double *v; /* [dim] linear: w of alpha; else NULL */
    double *w; /* [dim] linear: weights, the constant feature's last; kernel: coefficients */
    double *f; /* [n] outputs at w */
    double b;  /* free offset */
    alter_value at;
    double dual; /* of the last SVM: a lower bound of its optimum; NaN: not known */
    double gap;  /* of the last SVM, at the labels that it was solved for: primal - dual; NaN: not known */
    double objective; /* behind the newest labels at this C* */
    int64_t flips;    /* of the newest labels */
    int64_t svms;     /* solved so far: seeds of their order */
    int64_t same_as;  /* -1, or the restart with the same labels that goes on for both */
    bool moving;      /* not at rest at this C* yet */
    bool fresh;       /* C* was raised since the last SVM */
    bool missed;      /* the last SVM missed its tolerance */
    /* the SVM is solved, but not that of all restarts: becomes w, b, at, dual, gap with those */
    bool ready, missed_next;
    double *w_next;
    double b_next, dual_next, gap_next;
    alter_value at_next;
} alter_restart;

/* What one restart's half needs beside, for one at a time. */
typedef struct alter_work {
    double *alpha, *f; /* [n] */
    double *v;         /* [dim] linear */
    int32_t *order;    /* [2 n] linear */
    int8_t *y;
    wlab_share_rank *rank; /* [n] */
    atomic_flag taken;
} alter_work;

typedef struct alter {
    wlab_problem *p; /* a reference */
    wlab_params *given;
    wlab_kernel kernel;
    alter_solver solver;
    alter_start start;
    wlab_share_loss loss;
    double C, first, grow, decrease, merge, tol;
    uint64_t seed;
    int64_t n, dim, restarts;
    wlab_proportions *bags;
    double *factor; /* [bags] of Cp, or NULL */
    double *K;      /* [n x n] or NULL: linear */
    double *sqnorm; /* [n] linear */
    double *cost;   /* [n] C_i now */
    int64_t free_rows;
    int64_t works;
    alter_work **work; /* [restarts] as many as threads ever were, then NULL */
    wlab_err *errs;    /* [restarts] */
    int32_t *queue;    /* [restarts] */
    /* ---- snapshot ---- */
    alter_restart *r; /* [restarts] */
    alter_stage stage;
    double C_now, ratio; /* C*, by what it was raised last */
    int64_t level;       /* which C*, from 1 */
    /* as shown: changes with whole units only */
    int64_t leader, step, shown_level, flips, distinct, svms;
    int64_t shown_before; /* the restart that was shown one step before */
    double shown_C, objective, best, inner_gap, bag_error, lower, seconds, shown_penalty;
    int8_t *shown; /* [n] labels */
    double *value; /* [restarts] objectives at C* */
    bool shown_rest;
    bool raised;  /* C* was, before the last step */
    bool at_rest; /* every restart at this C* */
    bool finished;
} alter;

/* ---- alter_svm.c ---- */
wlab_code alter_svm_create(alter *, const wlab_params *, wlab_ctx *, wlab_err *);
/* C_i at C* now. */
void alter_costs(alter *);
/* The SVM of every restart that moves. */
wlab_code alter_solve(alter *, wlab_ctx *, wlab_err *);

/* ---- alter_labels.c ---- */
/* Those of restart k by chance, also where it begins with others. */
void alter_toss(alter *, int64_t k);
/* The labels at the start. */
wlab_code alter_begin(alter *, wlab_ctx *, wlab_err *);
/* The labels of every restart that moves. */
wlab_code alter_label(alter *, wlab_ctx *, wlab_err *);
/* Restarts with the same labels, but for a few, become one. */
void alter_merge(alter *);

/* ---- alter.c ---- */
static inline double alter_objective(const alter *s, const alter_value *v)
{
    return v->norm + s->C * v->known + s->C_now * v->free + v->penalty;
}
/* NaN stays; below 0 is rounding. */
static inline double alter_gap(double upper, double lower)
{
    const double gap = upper - lower;
    return gap < 0 ? 0 : gap;
}
/* The restart that goes on for restart k. */
static inline int64_t alter_goes_on(const alter *s, int64_t k)
{
    while (s->r[k].same_as >= 0)
        k = s->r[k].same_as;
    return k;
}
/* Of the restarts that are left, those whose last SVM missed its tolerance. */
int64_t alter_missed(const alter *);
typedef wlab_code (*alter_task)(alter *, int64_t k, alter_work *, wlab_ctx *, wlab_progress *, wlab_err *);
/* task(s, k, ...) for every restart k that moves, several at once where there are threads; the first error by number.
 * What a task is given tells no events; `unit` is what it counts. */
wlab_code alter_each(alter *, alter_task, const char *unit, wlab_ctx *, wlab_err *);
wlab_code alter_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);

/* ---- alter_report.c, alter_snapshot.c: members of the table ---- */
extern const wlab_metric_info alter_metrics[];
void alter_observe(const void *state, double *metric, int8_t *labels);
extern const wlab_probe alter_probes[];
void alter_explain(const void *state, char *buf, size_t size);
void alter_next(const void *state, char *buf, size_t size);
void alter_walk(void *state, struct wlab_walk *);

#endif
