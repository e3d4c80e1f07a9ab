/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by TSVM (tsvm.c) and mean field annealing (mfa.c): the problem
 *
 *     min over w, y' of lambda/2 ||w||^2 + 1/(2l) sum_i max(0, 1 - y_i o_i)^2
 *                                        + lambda'/(2u) sum_j max(0, 1 - y'_j o'_j)^2,
 *
 * with a fraction r of the u unlabelled rows positive (Eq. 7 of Sindhwani and Keerthi); its objective J with the best
 * label for every row (Eq. 18); the w with the smallest J so far; bounds; and the solver of w for fixed costs, which
 * is L2-SVM-MFN, or SMO for loss=hinge (1/l sum max(0, 1 - y o) and so on, Section 5), or SMO with a free offset for
 * schedule=svmlight.
 */
#ifndef WEAKLAB_ALGO_TRANSDUCTIVE_H
#define WEAKLAB_ALGO_TRANSDUCTIVE_H

#include "algo/algos.h"
#include "base/select.h"
#include "model/kernel.h"
#include "solve/svm/mfn.h"
#include "weaklab/algo.h"

/* Metrics of both, first in their tables and in this order; each adds its own after TR_SHARED. */
enum {
    TR_OBJECTIVE, /* of the current subproblem: at the current lambda' and labels (tsvm), Eq. 8 at T (mfa) */
    TR_J,         /* Eq. 18 at the current w and the final lambda' */
    TR_J_BEST,    /* the smallest J so far */
    TR_J_NORM,    /* the three parts of J at the current w */
    TR_J_LABELLED,
    TR_J_UNLABELLED,
    TR_J_BALANCED, /* Eq. 7 at the current w and the labeling of its u+ largest outputs */
    TR_UPPER,      /* the smallest J_balanced so far */
    TR_LOWER,      /* the optimum of the labelled rows alone: certified */
    TR_GAP,
    TR_RELGAP,
    TR_INNER_GAP, /* primal - dual of the subproblem in w */
    TR_GRADIENT,
    TR_FLIPS,
    TR_CG, /* CG iterations in this step */
    TR_NEWTONS,
    TR_LAMBDA_NOW, /* the current lambda' */
    TR_SECONDS,
    TR_SHARED
};

/* clang-format off */
/* level: the flags of the metric lambda_now: WL_M_LINE in tsvm, which raises it; 0 in mfa, which displays the
 * temperature instead. */
#define TR_SHARED_METRICS(level) \
    {.name = "objective", .role = WL_R_OBJECTIVE, .flags = WL_M_SHOWN, \
     .meaning = "the objective that this step minimises", \
     .equation = "Eq. 7 at the labels y' and the current lambda' (tsvm); Eq. 8 at the temperature T (mfa)"}, \
    {.name = "J", .role = WL_R_TARGET, .flags = WL_M_SHOWN, \
     .meaning = "the transductive objective at the current w and the last lambda', lambda_u, with the better " \
                "label for every unlabelled row; the balance is not in it (see J_balanced)", \
     .equation = "Eq. 18: lambda/2 ||w||^2 + 1/(2l) sum max(0, 1-y o)^2 + lambda_u/(2u) sum max(0, 1-|o'|)^2"}, \
    {.name = "J_best", .role = WL_R_TARGET_BEST, \
     .meaning = "the smallest J so far, which may be that of an early w that predicts nearly one class: J has no " \
                "balance in it", \
     .equation = "min J"}, \
    {.name = "J_norm", .flags = WL_M_LESS, \
     .meaning = "the first part of J: the penalty on w", \
     .equation = "lambda/2 ||w||^2"}, \
    {.name = "J_labelled", .flags = WL_M_LESS, \
     .meaning = "the second part of J: the loss of the labelled rows", \
     .equation = "1/(2l) sum max(0, 1 - y o)^2"}, \
    {.name = "J_unlabelled", .flags = WL_M_LESS, \
     .meaning = "the third part of J: the loss of the unlabelled rows", \
     .equation = "lambda_u/(2u) sum max(0, 1 - |o'|)^2"}, \
    {.name = "J_balanced", .role = WL_R_BALANCED, \
     .meaning = "as J, but at labels of which exactly the requested number are positive: y' (tsvm), or positive " \
                "for the largest outputs (mfa); by it runs are compared where the balance counts", \
     .equation = "Eq. 7 at w and a labeling that it allows, with lambda' = lambda_u"}, \
    {.name = "upper", .role = WL_R_UPPER, .flags = WL_M_HEADER, \
     .meaning = "the smallest J_balanced so far: an upper bound on the optimum of Eq. 7", \
     .equation = "min J_balanced"}, \
    {.name = "lower", .role = WL_R_LOWER, .flags = WL_M_HEADER, \
     .meaning = "the optimum of the labelled rows alone: a certified lower bound on Eq. 7", \
     .equation = "min lambda/2 ||w||^2 + 1/(2l) sum max(0, 1 - y o)^2"}, \
    {.name = "gap", .role = WL_R_GAP, .log = true, .flags = WL_M_HEADER, \
     .meaning = "`upper` is at most this far above the global optimum of Eq. 7", \
     .equation = "upper - lower"}, \
    WLAB_RELGAP, \
    {.name = "inner_gap", .role = WL_R_INNER_GAP, .log = true, \
     .meaning = "duality gap of the current problem in w, which says how exactly w was found", \
     .equation = "primal - dual; squared hinge: ||gradient||^2 / (2 lambda)"}, \
    {.name = "gradient", .log = true, \
     .meaning = "norm of the gradient of the current problem in w; no value with loss=hinge", \
     .equation = "lambda w + X'C(o - y) on the active rows"}, \
    {.name = "flips", .role = WL_R_FLIPS, .unit = "rows", .flags = WL_M_COUNT | WL_M_SHOWN, \
     .meaning = "unlabelled rows whose label differs from that of the step before"}, \
    {.name = "cg", .flags = WL_M_COUNT, \
     .meaning = "conjugate gradient iterations in this step"}, \
    {.name = "newtons", .flags = WL_M_COUNT, \
     .meaning = "Newton iterations in this step (loss=hinge: calls of SMO)"}, \
    {.name = "lambda_now", .role = WL_R_LEVEL, .log = true, .flags = (level), .label = "lambda'", .axis = "lambda', the unlabelled rows' weight", \
     .meaning = "the weight lambda' of the unlabelled rows in this step", \
     .equation = "lambda'"}, \
    WLAB_SECONDS

/* Parameters of both; schedules: the names of the choices of schedule=, and `more` what to say of further ones. */
#define TR_SHARED_PARAMS(schedules, more)                                                                                     \
    WLAB_KERNEL_PARAMS("linear", "1"),                                                                           \
    {"lambda", WL_P_REAL, "0.001", 0, HUGE_VAL, NULL, NULL, "lambda, weight of ||w||^2/2", WL_P_OPEN_LO | WL_P_OBJECTIVE},    \
    {"lambda_u", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, \
     "lambda', weight of the unlabelled rows; in tsvm its last value",                                       \
     WL_P_OPEN_LO | WL_P_OBJECTIVE},                                                                                          \
    {"r", WL_P_TEXT, "auto", 0, 0, NULL, NULL,                                                               \
     "fraction of positives among the unlabelled rows; auto: the task's r, or 0.5 if it has none", WL_P_OBJECTIVE},       \
    {"loss", WL_P_CHOICE, "squared-hinge", 0, 0, wlab_tr_loss_names, NULL,                                   \
     "squared-hinge: by L2-SVM-MFN; hinge: by SMO, on a kernel matrix (Section 5)", WL_P_OBJECTIVE},                        \
    {"newton", WL_P_CHOICE, "fast", 0, 0, wlab_mfn_modes, NULL,                                              \
     "fast: find w to a certified relative gap of eps; paper: CGLS with the tolerances of Tables 1, 2 and 7", 0}, \
    {"schedule", WL_P_CHOICE, "paper", 0, 0, schedules, NULL,                                                \
     "how lambda' (tsvm) or T (mfa) changes: as in the paper, or as in the authors' program svmlin" more, 0},             \
    {"eps", WL_P_REAL, NULL, 0, 1, NULL, "relative",                                                         \
     "newton=fast: duality gap to which w is found (default 1e-6; with schedule=svmlin 5e-7, which leads to the " \
     "same local optima as the authors' program)",                                                           \
     WL_P_OPEN_LO},                                                                                          \
    {"seed", WL_P_INT, "1", 0, 9007199254740992.0, NULL, NULL,                                               \
     "without labels: seed of the iteration that finds the direction of the largest variance, along which the " \
     "first labels (mfa: beliefs) are chosen", 0}
/* clang-format on */
extern const char *const wlab_tr_loss_names[];

enum {
    WL_FIRST_PAIRS = 20 /* pairs that are reported one by one */
};
typedef struct tr_pair {
    wlab_ranked up, down; /* a row with the label +1 and its output, and one with the label -1 */
} tr_pair;

/* Which w of all steps is stored for the end of the run. */
typedef enum wlab_tr_keep {
    WL_TR_KEEP_LAST,     /* none: the run ends with the last w */
    WL_TR_KEEP_J,        /* the one with the smallest J */
    WL_TR_KEEP_BALANCED, /* the one with the smallest J_balanced */
} wlab_tr_keep;

typedef struct tr_best {
    double *w;          /* [dim] */
    double *o;          /* [n] */
    double value, norm; /* J or J_balanced at w */
    int64_t step;       /* the step after which it was current */
    bool inexact;
} tr_best;

typedef struct transductive {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    wlab_tr_keep keep;
    bool hinge, svmlin; /* loss=hinge; schedule=svmlin */
    bool svmlight;      /* schedule=svmlight: hinge, and the offset b is free */
    double lambda, lambda_u, r;
    uint64_t seed;
    int64_t n; /* rows of this rank */
    int64_t l, u,
        positives; /* of all ranks: labelled, unlabelled rows; u+: how many of these must be positive */
    wlab_rows unlabelled, labelled;     /* those of this rank */
    int32_t *unl;                       /* [unlabelled.n] the unlabelled rows of this rank */
    uint8_t *sort;                      /* [n] 1: unlabelled */
    double *K;                          /* [n x n] or NULL: linear squared hinge */
    wlab_mfn *m;                        /* the current w, o and costs; with loss=hinge SMO fills them */
    wlab_ranked *ranked;                /* [unlabelled.n] workspace */
    tr_pair first_pair[WL_FIRST_PAIRS]; /* of those that wlab_tr_pairs found */
    double cut, reach; /* the last threshold, and how far from it the next one is expected; NaN: unknown */
    int32_t *lab;      /* [labelled.n] the labelled rows of this rank */
    int8_t *largest;   /* [n] workspace: a labeling */
    bool warned;       /* a warning was given that w is not exact */
    /* ---- what a snapshot holds ---- */
    tr_best best; /* unless keep is WL_TR_KEEP_LAST */
    int8_t *y;    /* [n] displayed labels: +1, -1, 0: none yet */
    double b;     /* svmlight: the offset, which is in o */
    double lambda_now, objective, J, J_best, J_norm, J_labelled, J_unlabelled, J_balanced, upper, lower;
    int64_t flips, step, phase, cg,
        newtons;                      /* of the newest step; cg and newtons already count during a step */
    bool in_step, finished, tracking; /* tracking: all rows count, J is measured */
    bool inexact;                     /* w is farther from its optimum than eps allows */
    wlab_verdict verdict;
    double seconds;
} transductive;

/* Fills *t, which must be zero.  On failure wlab_tr_clear frees what has been allocated. */
wlab_code wlab_tr_create(transductive *, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
void wlab_tr_clear(transductive *);
/* Sets the costs of labelled rows to 1/l, which wlab_tr_create has done and nothing else changes, and of unlabelled ones
 * to 0. */
void wlab_tr_costs_labelled(transductive *);
/* Sets the costs of unlabelled row k: weight now/u, a fraction p of it for label +1. */
static inline void wlab_tr_cost(transductive *t, int32_t k, double now, double p)
{
    t->m->pos[k] = now * p / (double)t->u;
    t->m->neg[k] = now * (1 - p) / (double)t->u;
}
/* Begins to solve for w; the costs must be set. */
void wlab_tr_begin(transductive *, wlab_pool *);
/* One inner unit of the solve; *done: w is found. */
wlab_code wlab_tr_iterate(transductive *, wlab_ctx *, bool *done, wlab_err *);
/* The ranks on which the rows lie. */
static inline wlab_ranks *wlab_tr_ranks(const transductive *t)
{
    return t->unlabelled.ranks;
}
/* The data's row with this number among the training rows of all ranks; on several ranks all rows are training rows. */
static inline int64_t wlab_tr_row(const transductive *t, int64_t row)
{
    return t->p->X->parts ? row : t->p->row[row];
}
/* Updates J and its parts at the current w, J_balanced at the labeling y (NULL: that of the u+ largest outputs), and
 * the best w so far. */
void wlab_tr_measure(transductive *, const int8_t *y, wlab_pool *);
/* The objective of the current problem at the current w: lambda/2 ||w||^2 + the sum of costs times losses. */
double wlab_tr_value(const transductive *, wlab_pool *);
/* Sets `lower`, the certified optimum of the labelled rows alone, after w was solved for their costs. */
void wlab_tr_set_lower(transductive *);
/* y[unlabelled] = +1 for the u+ largest of f (rows' values, [n]), else -1; ties: the lower row number gets -1.
 * Cost: O(u), least if the threshold is near that of the last call, which does not change the result. */
void wlab_tr_threshold(transductive *, const double *f, int8_t *y, wlab_pool *);
/* Without labels: a score for every row, [n], to begin with: its position along the direction of the largest variance
 * (power iterations from t->seed; products with K, or with X twice), centred, with variance 1.  Does not change
 * t->m->w.  WL_EINTERRUPTED: `score` is then partly written. */
wlab_code wlab_tr_direction(transductive *, double *score, wlab_ctx *, wlab_err *);
/* Allocates memory for one w and its outputs.  From now on wlab_tr_measure stores there the best w so far, by
 * `keep`. */
wlab_code wlab_tr_keep_best(transductive *, wlab_tr_keep, wlab_err *);
/* The verdict of a run that has nothing left to do: converged if w reached the requested tolerance; else stalled,
 * with a note. */
wlab_verdict wlab_tr_ended(const transductive *, wlab_ctx *);
/* Whether the stored w is better than the current one. */
bool wlab_tr_had_better(const transductive *);
/* Makes the stored w the current one. */
void wlab_tr_return_to_best(transductive *);
/* Sets the displayed labels t->y to y on the unlabelled rows, and counts the flips.  y NULL: the signs of
 * the outputs. */
void wlab_tr_show(transductive *, const int8_t *y, wlab_pool *);

/* The rows of this rank whose labels are to be switched: row[0 .. up-1] have the label +1, row[up .. up+down-1] -1. */
typedef struct tr_switch {
    int64_t pairs; /* of all ranks */
    int64_t up, down;
    int32_t *row; /* [unlabelled.n] */
} tr_switch;
/* Finds the label pairs to switch (Section 3.1.2): at most S (0: any number) pairs of unlabelled rows i, j with y_i =
 * +1, y_j = -1, o_i < 1, -o_j < 1 and o_i < o_j.  Pair 0 consists of the positive row with the smallest output and the
 * negative row with the largest, and so on (of equal outputs the lower row number first).  Sets all but `row`, which the
 * caller has allocated, and the first pairs in t->first_pair.  Cost: O(u), and O(m log m) for the m rows that may be in
 * a pair. */
void wlab_tr_pairs(transductive *, const int8_t *y, int64_t S, tr_switch *, wlab_pool *);

/* ---- for members of the algorithms' tables ---- */
/* The work for this step's w in words: "3 Newton and 12 CG iterations"; returns buf. */
const char *wlab_tr_effort(const transductive *, char buf[64]);
/* The bounds are those of Eq. 7; the w that predicts may have a larger value than the best one so far. */
const char *wlab_tr_certified(const wlab_params *, const double *metric, double *value);
void wlab_tr_observe(const transductive *, double *metric, int8_t *labels);
wlab_code wlab_tr_model(const transductive *, wlab_model **, wlab_ctx *, wlab_err *);
/* The algorithm walks its own state before it calls this: when reading, this calls costs(state), which computes the
 * costs of all rows from the algorithm's state. */
void wlab_tr_walk(transductive *, struct wlab_walk *, void (*costs)(void *state), void *state);

/* The loss of an unlabelled row with output o at temperature T (Figures 1 and 2): with V+- = max(0, 1 -+ o)^2 (or
 * hinge),
 *     min over p of p V+ + (1 - p) V- + T/lambda_u (p log p + (1 - p) log(1 - p)) - nu2/lambda_u (p - 1/2);
 * T = 0: min(V+ - nu2/lambda_u/2, V- + ...), where nu2 = 2 nu of the balance constraint.  T = inf: p = 1/2. */
double wlab_unlabelled_loss(double o, double T, double lambda_u, double nu2, bool hinge);
/* wlab_algo.row_loss of tsvm and mfa. */
double wlab_tr_row_loss(const wlab_params *, double T, double weight, double o, double *full);
wlab_loss wlab_tr_loss_of(const wlab_params *); /* wlab_algo.loss_of */

#endif
