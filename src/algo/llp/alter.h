/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of alter-pSVM (Algorithm 1 of Yu, Liu, Kumar, Jebara and Chang), shared by its parts: the SVM half of an
 * alternation (alter_svm.c), the labels' half and the initial labels (alter_labels.c), metrics and explanations
 * (alter_report.c), snapshots (alter_snapshot.c), the table of the algorithm and its steps (alter.c).
 *
 *     min over y, w, b of  1/2 ||w||^2 + sum_i C_i hinge(y_i f_i) + Cp sum_k L_p(p_k(y), p_k),
 *
 * where C_i = C* if the label of row i is free and C if it is visible.  All restarts share the same C* and advance
 * together: a step makes one alternation of each restart that has not converged at this C* (`moving`).  The program
 * shows the restart with the smallest objective.  When all have converged at a C*, restarts with (nearly) the same
 * labels are merged.
 */
#ifndef ALGO_ALTER_H
#define ALGO_ALTER_H

#include "algo/llp/proportions.h"
#include "algo/restarts.h"
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
    double free;    /* sum of hinge losses of the free labels */
    double penalty; /* Cp sum L_p */
} alter_value;

/* One start. */
typedef struct alter_restart {
    int8_t *y; /* [n] */
    /* [n] dual variables, for the next warm start: alpha >= 0 (linear), beta = y alpha (kernel) */
    double *alpha;
    double *v; /* [dim] linear: sum_i alpha_i y_i x_i; else NULL */
    double *w; /* [dim] linear: weights, the constant feature's last; kernel: coefficients */
    double *f; /* [n] outputs at w */
    double b;  /* free offset */
    alter_value at;
    double dual; /* of the last SVM: a lower bound of its optimum; NaN: not known */
    double gap;  /* of the last SVM, at the labels for which it was solved: primal - dual; NaN: not known */
    double objective; /* after the newest labels, at this C* */
    int64_t flips;    /* of the newest labels */
    int64_t svms;     /* solved so far; also the seed of the next one's order of rows */
    int64_t same_as;  /* -1, or the restart with the same labels that represents this one since the merge */
    bool moving;      /* not converged at this C* yet */
    bool fresh;       /* C* was raised since the last SVM */
    bool missed;      /* the last SVM missed its tolerance */
    /* ready: this restart's SVM is solved, but not yet those of all restarts.  Once they are, the *_next values
     * become w, b, at, dual, gap and missed. */
    bool ready, missed_next;
    bool labelled; /* this restart has its new labels, but not yet all restarts */
    double *w_next;
    double b_next, dual_next, gap_next;
    alter_value at_next;
} alter_restart;

/* Workspace for half an alternation of one restart.  One restart at a time uses it. */
typedef struct alter_work {
    double *alpha, *f; /* [n] */
    double *v;         /* [dim] linear */
    int32_t *order;    /* [2 n] linear */
    int8_t *y;
    wlab_proportion_rank *rank; /* [n] */
    atomic_flag in_use;
} alter_work;

typedef struct alter {
    wlab_problem *p; /* a reference */
    wlab_params *given;
    wlab_kernel kernel;
    alter_solver solver;
    alter_start start;
    wlab_proportion_loss loss;
    double C, first, grow, decrease, merge, tol;
    uint64_t seed;
    int64_t n, dim, restarts;
    wlab_proportions *bags;
    double *factor; /* [bags] factors of Cp, or NULL: 1 */
    double *K;      /* [n x n] or NULL: linear */
    double *sqnorm; /* [n] linear */
    double *cost;   /* [n] C_i now */
    int64_t free_rows;
    int64_t works;
    alter_work **work;     /* [restarts] one for each thread so far, then NULL */
    wlab_err *errs;        /* [restarts] */
    int32_t *queue;        /* [restarts] */
    wlab_restart *merging; /* [restarts] workspace of alter_merge */
    /* ---- snapshot ---- */
    alter_restart *r; /* [restarts] */
    alter_stage stage;
    double C_now, ratio; /* C*; the factor by which it was last raised */
    int64_t level;       /* number of the C*, from 1 */
    /* what is displayed; changes with whole units only */
    int64_t leader, step, shown_level, flips, distinct, svms;
    int64_t shown_before; /* the restart that was shown one step before */
    double shown_C, objective, best, inner_gap, bag_error, lower, seconds, shown_penalty;
    int8_t *shown; /* [n] labels */
    double *value; /* [restarts] objectives at C* */
    bool shown_converged;
    bool raised;    /* C* was raised before the last step */
    bool converged; /* every restart has converged at this C* */
    bool finished;
} alter;

/* ---- alter_svm.c ---- */
wlab_code alter_svm_create(alter *, const wlab_params *, wlab_ctx *, wlab_err *);
/* Sets the costs C_i for the current C*. */
void alter_costs(alter *);
/* Solves the SVM of every restart that is `moving`. */
wlab_code alter_solve(alter *, wlab_ctx *, wlab_err *);

/* ---- alter_labels.c ---- */
/* Draws random labels of restart k, whatever start= says. */
void alter_draw_labels(alter *, int64_t k);
/* Sets the initial labels of all restarts, as start= says. */
wlab_code alter_initial_labels(alter *, wlab_ctx *, wlab_err *);
/* Finds the best labels of every restart that is `moving`. */
wlab_code alter_label(alter *, wlab_ctx *, wlab_err *);
/* Merges restarts whose labels differ in at most the fraction `merge` of the rows, and sets `distinct`. */
void alter_merge(alter *);

/* ---- alter.c ---- */
static inline double alter_objective(const alter *s, const alter_value *v)
{
    return v->norm + s->C * v->known + s->C_now * v->free + v->penalty;
}
/* The restart that represents restart k after merges. */
static inline int64_t alter_representative(const alter *s, int64_t k)
{
    while (s->r[k].same_as >= 0)
        k = s->r[k].same_as;
    return k;
}
/* Counts the restarts that are left whose last SVM missed its tolerance. */
int64_t alter_missed(const alter *);
typedef wlab_code (*alter_task)(alter *, int64_t k, alter_work *, wlab_ctx *, wlab_progress *, wlab_err *);
/* Calls task(s, k, ...) for every restart k that is `moving`, several at once if there are threads.  If some fail, it
 * returns the error of the one with the lowest number.  The tasks' context emits no events; `unit` names what their
 * progress counts. */
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
