/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of the alternation between a classifier and the labels of a label set B, shared by its parts: the
 * classifier's half (classifier.c), the labels' half (labels.c), the initial labels (start.c), metrics and explanations
 * (report.c), the steps and snapshots (alternate.c), and the algorithms that it serves: alternate, itersvr, and those of
 * algo/mil.
 *
 *     P(w, b, y) = 1/2 ||w||^2 + sum_i C_i loss(y_i, f_i + b),   y in B
 *
 * Half 1 minimises P over w and b for the labels y, half 2 over the labels for w (and, with regression, b).  An example i
 * is a row or, if the task says so, a bag: then y_i f_i stands for the sum of y_k f_k over its instances k.
 *
 *     hinge, squared hinge   half 1 is the SVM of a labeling as in wellsvm and bb, whose problem this is: no b but that of
 *                            a constant feature.  Half 2 is y = argmax over B of f'y: with g(o) = loss(-o) - loss(o), which
 *                            rises with o and has its sign, sum_i C_i loss(y_i f_i) is smallest where sum_i C_i y_i g(f_i)
 *                            is largest.  As C_i is the same within a group of B, only the order of the f_i counts there,
 *                            and the sign of f_i where the number of positives is free.
 *     hinge, shared slacks   the examples of a negative bag have one loss, the largest: half 1 is the group QP.  Half 2 is as
 *                            above, as the labels of negative bags are given.
 *     regression             half 1 is support vector regression on the targets y with a free b; half 2 takes the best of
 *                            the cuts of the sorted outputs that B allows, and of the present b.
 *
 * All restarts advance together: a step makes one alternation of each restart that has not converged.
 */
#ifndef ALGO_ALTERNATE_H
#define ALGO_ALTERNATE_H

#include "algo/restarts.h"
#include "algo/wellsvm/wellsvm.h"

typedef enum alt_start {
    ALT_RANDOM,
    ALT_SVM, /* wellsvm's first labeling */
    ALT_ALIGNMENT,
    ALT_KMEANS,
    ALT_ONES /* as many +1 as the label set allows */
} alt_start;

/* clang-format off */
/* Rows of a parameter table after those of the SVM.  How the restarts begin, their number by default (NULL: 10, or 1 with
 * start=kmeans), and what the help says of both. */
#define ALT_PARAMS(starts, start, start_meaning, restarts, restarts_meaning)                                 \
    {"restarts", WL_P_INT, restarts, 1, 1000, NULL, NULL,                                                    \
     "number of restarts; the one with the smallest objective is shown" restarts_meaning, 0},                \
    {"start", WL_P_CHOICE, start, 0, 0, starts, NULL, start_meaning, 0},                                     \
    WLAB_TRIES_PARAM,                                                                                        \
    {"decrease", WL_P_REAL, "0", 0, 1, NULL, "relative",                                                     \
     "a restart has converged when an alternation changes no label or lowers the objective by at most this", 0}, \
    {"tol", WL_P_REAL, "1e-8", 0, 1, NULL, "relative", "duality gap to which each SVM is solved", WL_P_OPEN_LO}, \
    {"iterations", WL_P_INT, "1000", 1, 1e9, NULL, NULL, "largest number of steps", WL_P_MUTABLE},           \
    {"seed", WL_P_INT, "1", 0, 0x1p53, NULL, NULL, "seed of the initial labels", 0}
/* clang-format on */

typedef enum alt_form { /* half 1 */
    ALT_SVM_OF_EACH,    /* an SVM in which each example has a loss */
    ALT_SVM_OF_BAGS,    /* and each negative bag one: the largest of its instances' */
    ALT_REGRESSION
} alt_form;

typedef enum alt_stage { /* what comes next */
    ALT_BEGIN,
    ALT_CLASSIFIER, /* of the restart `turn` */
    ALT_LABELS
} alt_stage;

typedef struct alt_restart {
    int8_t *y; /* [n] */
    double
        *alpha; /* [m] dual variables of the last SVM, for the next warm start; regression: [n], with signs */
    double *beta;     /* [n] coefficients: w = sum_k beta_k phi(x_k) */
    double *f;        /* [n] outputs of w, without b */
    double b;         /* regression only */
    double norm;      /* 1/2 ||w||^2 */
    double loss;      /* sum_i C_i loss at the labels y */
    double first;     /* norm + loss before the last alternation */
    double scale;     /* 1'alpha of w's SVM, by which the sum-to-one loss divides w; else 1 */
    double gap;       /* of the last classifier: primal - dual at the labels for which it was trained */
    double upper;     /* that primal value, raised by its rounding error */
    double alignment; /* y'Ky of the initial labels; NaN: they were not drawn by it */
    double least;     /* the smallest y'Ky among the labelings drawn for it */
    int64_t flips;    /* of the newest labels */
    int64_t same_as;  /* -1, or the restart that represents this one since a merge */
    bool moving;      /* it has not converged */
    bool missed;      /* the last classifier missed its tolerance */
} alt_restart;

typedef struct alternate {
    wellsvm w; /* kernel, K, costs, and the SVM of a labeling; its `at` is workspace */
    wlab_params *given;
    bool regression;
    double C, eps; /* regression */
    double tol, decrease;
    alt_start start;
    int64_t n, m, restarts, tries, most;
    uint64_t seed;
    bool mirrored; /* labels have no sign of their own (clusters): y and -y are the same */
    bool as_keys;  /* the task shows key instances: +1, and 0 for other rows of positive bags */
    int64_t dual;  /* length of alpha: m, or n */
    /* workspace */
    double *alpha, *beta, *f; /* [dual], [n], [n] */
    double *target, *tube;    /* [n] regression */
    double *sum;              /* [m] */
    double *slack;            /* [groups] */
    int32_t *order;           /* [n] */
    int8_t *y, *drawn;        /* [restarts x n], [n] */
    double *aligned;          /* [2 restarts] */
    wlab_restart *merging;    /* [restarts] */
    /* ---- snapshot ---- */
    alt_restart *r; /* [restarts] */
    alt_stage stage;
    int64_t turn; /* the restart whose classifier is trained next */
    int64_t step, svms, flips, distinct, moving;
    int64_t leader; /* the restart that is shown: the one with the smallest objective */
    int64_t before; /* the one that was shown one step before */
    double best, seconds;
    int8_t *shown; /* [n] */
    bool finished, limited;
} alternate;

/* P in the scale in which wellsvm and bb report the objective of a labeling. */
static inline double alt_scaled(const alternate *s, double value)
{
    return s->regression ? value : well_scaled(&s->w, value);
}
static inline double alt_objective(const alternate *s, const alt_restart *r)
{
    return alt_scaled(s, r->norm + r->loss);
}
/* The restart that represents restart k after merges. */
static inline int64_t alt_representative(const alternate *s, int64_t k)
{
    while (s->r[k].same_as >= 0)
        k = s->r[k].same_as;
    return k;
}

/* ---- alternate.c ---- */
wlab_code alt_create(void **state, wlab_problem *, const wlab_params *, wlab_ctx *, alt_form, wlab_err *);
void alt_destroy(void *state);
/* The problem that it solves, for wlab_algo.solved. */
const wlab_problem *alt_solved(const void *state);
wlab_code alt_set(void *state, const wlab_params *, wlab_err *);
wlab_code alt_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
void alt_walk(void *state, struct wlab_walk *);

/* ---- classifier.c ---- */
/* Half 1 of restart k.  After an error the restart is unchanged. */
wlab_code alt_train(alternate *, int64_t k, wlab_ctx *, wlab_err *);

/* ---- labels.c ---- */
/* sum_i C_i loss at the outputs f + b and labels y. */
double alt_loss(const alternate *, const double *f, double b, const int8_t *y);
/* The best labels of restart k at its w into s->y + k n, and for regression the best offset into *b; *loss: their loss. */
wlab_code alt_best_labels(alternate *, int64_t k, double *b, double *loss, wlab_err *);
/* Half 2 of all restarts that have not converged.  After an error nothing has changed. */
wlab_code alt_label(alternate *, wlab_ctx *, wlab_err *);
/* Regression: loss [n - 1] of each cut of a restart's sorted outputs, by the number of positives minus 1; NaN unless that
 * is from lo to hi.  order [n]: the rows by their outputs; the cut lies half-way between two of them.  O(n^2). */
wlab_code alt_cuts(const alternate *, const alt_restart *, int64_t lo, int64_t hi, int32_t *order,
                   double *loss, wlab_err *);
/* The cut below the k-th of the ordered outputs f, k >= 1. */
double alt_cut_below(const double *f, const int32_t *order, int64_t k);

/* ---- start.c ---- */
/* Sets the initial labels of all restarts, as start= says.  After an error nothing has changed. */
wlab_code alt_begin(alternate *, wlab_ctx *, wlab_err *);

/* ---- report.c ---- */
extern const wlab_metric_info alt_metrics[];
extern const wlab_probe alt_probes[];
extern const wlab_probe itersvr_probes[];
void alt_observe(const void *state, double *metric, int8_t *labels);
wlab_code alt_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
void alt_explain(const void *state, char *buf, size_t size);
void alt_next(const void *state, char *buf, size_t size);
const wlab_kernel *alt_kernel(const void *state);

#endif
