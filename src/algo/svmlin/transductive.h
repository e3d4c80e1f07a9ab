/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What TSVM (tsvm.c) and mean field annealing (mfa.c) share: the problem
 *
 *     min over w, y' of lambda/2 ||w||^2 + 1/(2l) sum_i max(0, 1 - y_i o_i)^2 + lambda'/(2u) sum_j max(0, 1 - y'_j o'_j)^2,
 *
 * with a fraction r of the u unlabelled rows positive (Eq. 7 of Sindhwani and Keerthi), its objective J with the best
 * label for every row (Eq. 18), the w with the smallest J so far, bounds, and the solver of w for fixed costs: L2-SVM-MFN,
 * or for loss=hinge (1/l sum max(0, 1 - y o) and so on, Section 5) SMO.
 */
#ifndef WEAKLAB_ALGO_TRANSDUCTIVE_H
#define WEAKLAB_ALGO_TRANSDUCTIVE_H

#include "algo/algos.h"
#include "model/kernel.h"
#include "solve/svm/mfn.h"
#include "weaklab/algo.h"

/* Metrics that both have, in this order, first in their tables; each adds its own behind TR_SHARED. */
enum {
    TR_OBJECTIVE, /* of the subproblem that is solved now: at lambda' now and the labels (tsvm), Eq. 8 at T (mfa) */
    TR_J,         /* Eq. 18 at the current w and the final lambda' */
    TR_J_BEST, /* the smallest so far */
    TR_J_NORM, /* its three parts at the current w */
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
    TR_CG, /* CG iterations of this step */
    TR_NEWTONS,
    TR_LAMBDA_NOW, /* lambda' now */
    TR_SECONDS,
    TR_SHARED
};

/* clang-format off */
/* level: how the weight is shown that tsvm raises: WL_M_LINE, or 0 where the temperature is. */
#define TR_SHARED_METRICS(level) \
    {.name = "objective", .role = WL_R_OBJECTIVE, .flags = WL_M_SHOWN, \
     .meaning = "of the problem that is solved now: at lambda' now and the labels y' (tsvm), or at T (mfa)", \
     .equation = "Eq. 7 at y' and lambda' now (tsvm); Eq. 8 (mfa)"}, \
    {.name = "J", .role = WL_R_TARGET, .flags = WL_M_SHOWN, \
     .meaning = "the transductive objective at the current w, with the better label for every unlabelled row", \
     .equation = "Eq. 18: lambda/2 ||w||^2 + 1/(2l) sum max(0, 1-y o)^2 + lambda'/(2u) sum max(0, 1-|o'|)^2"}, \
    {.name = "J_best", .role = WL_R_TARGET_BEST, \
     .meaning = "the smallest J on the path", \
     .equation = "min J"}, \
    {.name = "J_norm", .flags = WL_M_LESS, \
     .meaning = "J's first part", \
     .equation = "lambda/2 ||w||^2"}, \
    {.name = "J_labelled", .flags = WL_M_LESS, \
     .meaning = "J's second part", \
     .equation = "1/(2l) sum max(0, 1 - y o)^2"}, \
    {.name = "J_unlabelled", .flags = WL_M_LESS, \
     .meaning = "J's third part", \
     .equation = "lambda'/(2u) sum max(0, 1 - |o'|)^2"}, \
    {.name = "J_balanced", .role = WL_R_BALANCED, \
     .meaning = "J where exactly the wanted number of unlabelled rows is positive: y' itself (tsvm), the largest " \
     "outputs (mfa)", \
     .equation = "Eq. 7 at w and a labeling that it allows"}, \
    {.name = "upper", .role = WL_R_UPPER, .flags = WL_M_HEADER, \
     .meaning = "the smallest J_balanced so far: an upper bound on the optimum of Eq. 7", \
     .equation = "min J_balanced"}, \
    {.name = "lower", .role = WL_R_LOWER, .flags = WL_M_HEADER, \
     .meaning = "the optimum of the labelled rows alone: a certified lower bound on Eq. 7", \
     .equation = "min lambda/2 ||w||^2 + 1/(2l) sum max(0, 1 - y o)^2"}, \
    {.name = "gap", .role = WL_R_GAP, .log = true, .flags = WL_M_HEADER, \
     .meaning = "how far above the global optimum of Eq. 7 `upper` can be at most", \
     .equation = "upper - lower"}, \
    WLAB_RELGAP, \
    {.name = "inner_gap", .role = WL_R_INNER_GAP, .log = true, \
     .meaning = "how exactly w was found, for the costs it was found for", \
     .equation = "primal - dual = ||gradient||^2 / (2 lambda)"}, \
    {.name = "gradient", .log = true, \
     .meaning = "norm of the gradient of that problem at w", \
     .equation = "lambda w + X'C(o - y) on the active rows"}, \
    {.name = "flips", .role = WL_R_FLIPS, .unit = "rows", .flags = WL_M_COUNT | WL_M_SHOWN, \
     .meaning = "unlabelled rows whose label is another than before"}, \
    {.name = "cg", .flags = WL_M_COUNT, \
     .meaning = "conjugate gradient iterations of this step"}, \
    {.name = "newtons", .flags = WL_M_COUNT, \
     .meaning = "Newton iterations of this step (hinge: calls of SMO)"}, \
    {.name = "lambda_now", .role = WL_R_LEVEL, .log = true, .flags = (level), .label = "lambda'", .axis = "lambda', the unlabelled rows' weight", \
     .meaning = "the weight lambda' of the unlabelled rows now", \
     .equation = "lambda'"}, \
    {.name = "seconds", .role = WL_R_SECONDS, .unit = "s", .flags = WL_M_VOLATILE, \
     .meaning = "time in the solver"}

/* Parameters that both have. */
#define TR_SHARED_PARAMS                                                                                     \
    WLAB_KERNEL_PARAMS("linear", "1"),                                                                           \
    {"lambda", WL_P_REAL, "0.001", 0, HUGE_VAL, NULL, NULL, "lambda, weight of ||w||^2/2", WL_P_OPEN_LO},    \
    {"lambda_u", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "lambda', weight of the unlabelled rows",          \
     WL_P_OPEN_LO},                                                                                          \
    {"r", WL_P_TEXT, "auto", 0, 0, NULL, NULL,                                                               \
     "fraction of positives among the unlabelled rows; auto: the task's, or 0.5 where it has none", 0},      \
    {"loss", WL_P_CHOICE, "squared-hinge", 0, 0, wlab_tr_loss_names, NULL,                                   \
     "squared-hinge (L2-SVM-MFN), or hinge (SMO, on a kernel matrix; Section 5)", 0},                        \
    {"newton", WL_P_CHOICE, "fast", 0, 0, wlab_mfn_modes, NULL,                                              \
     "fast: w to a certified relative gap of eps; paper: CGLS and tolerances of Tables 1, 2 and 7", 0},      \
    {"schedule", WL_P_CHOICE, "paper", 0, 0, wlab_tr_schedule_names, NULL,                                   \
     "paper, or svmlin: as the authors' program has it", 0},                                                 \
    {"eps", WL_P_REAL, NULL, 0, 1, NULL, "relative",                                                         \
     "newton=fast: duality gap to which w is found (default 1e-6; schedule=svmlin 5e-7, to be steered into " \
     "the authors' basins)",                                                                                 \
     WL_P_OPEN_LO},                                                                                          \
    {"seed", WL_P_INT, "1", 0, 9007199254740992.0, NULL, NULL,                                               \
     "without labels: where the search for a direction to begin with starts", 0}
/* clang-format on */
extern const char *const wlab_tr_loss_names[], *const wlab_tr_schedule_names[];

typedef struct wlab_ranked {
    double f;
    int32_t row;
} wlab_ranked;

/* Which w of the path is kept, to go back to. */
typedef enum wlab_tr_keep {
    WL_TR_KEEP_LAST, /* none */
    WL_TR_KEEP_J,
    WL_TR_KEEP_BALANCED, /* by J_balanced */
} wlab_tr_keep;

typedef struct tr_best {
    double *w;          /* [dim] */
    double *o;          /* [n] */
    double value, norm; /* J or J_balanced at w */
    int64_t step;       /* that had it */
    bool inexact;
} tr_best;

typedef struct transductive {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    wlab_tr_keep keep;
    bool hinge, svmlin; /* loss=hinge; schedule=svmlin */
    double lambda, lambda_u, r;
    uint64_t seed;
    int64_t n, l, u, positives; /* rows, labelled, unlabelled; u+ of these are to be positive */
    int32_t *unl;               /* [u] the unlabelled rows */
    uint8_t *sort;              /* [n] 1: unlabelled */
    double *K;                  /* [n x n] or NULL: linear squared hinge */
    wlab_mfn *m;                /* w, o and the costs now; loss=hinge: filled by SMO */
    wlab_ranked *ranked;        /* [u] workspace */
    int8_t *largest;            /* [n] workspace: a labeling */
    bool warned;                /* of a w that is not exact */
    /* ---- what a snapshot holds ---- */
    tr_best best; /* where keep asks for it */
    int8_t *y;    /* [n] the labels as shown; +1, -1, 0: none yet */
    double lambda_now, objective, J, J_best, J_norm, J_labelled, J_unlabelled, J_balanced, upper, lower;
    int64_t flips, step, phase, cg, newtons; /* of the newest step; cg and newtons count while it goes */
    bool in_step, finished, tracking;        /* tracking: all rows count, J is measured */
    bool inexact;                            /* w is farther from its optimum than eps allows */
    wlab_verdict verdict;
    double seconds;
} transductive;

/* Zeroed *t is filled; on failure wlab_tr_clear frees what is there. */
wlab_code wlab_tr_create(transductive *, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
void wlab_tr_clear(transductive *);
/* Costs: labelled rows 1/l; unlabelled ones 0. */
void wlab_tr_costs_labelled(transductive *);
/* Costs of unlabelled row k: weight now/u, a fraction p of it for label +1. */
static inline void wlab_tr_cost(transductive *t, int32_t k, double now, double p)
{
    t->m->pos[k] = now * p / (double)t->u;
    t->m->neg[k] = now * (1 - p) / (double)t->u;
}
/* After the costs: begin to solve for w. */
void wlab_tr_begin(transductive *);
/* One inner unit of that; *done: w is found. */
wlab_code wlab_tr_iterate(transductive *, wlab_ctx *, bool *done, wlab_err *);
/* J and its parts at the current w, J_balanced of the labeling y (NULL: the u+ largest outputs), the best w so far. */
void wlab_tr_measure(transductive *, const int8_t *y);
/* What w is found for: lambda/2 ||w||^2 + the costs times the losses, at the current w. */
double wlab_tr_value(const transductive *);
/* The optimum of the labelled rows alone, now that w is solved for their costs. */
void wlab_tr_take_lower(transductive *);
/* y[unlabelled] = +1 for the u+ largest of f (rows' values, [n]), else -1; ties: the lower row number gets -1. */
void wlab_tr_threshold(const transductive *, const double *f, int8_t *y);
/* Without labels: a value for every row, [n], by which to begin: its place along the direction of the largest variance
 * (power iterations from t->seed; products with K, or with X twice), centred, of variance 1.  t->m->w is left alone. */
void wlab_tr_direction(transductive *, double *score, wlab_pool *);
/* From now on the w of the path that is best by `keep` is kept: memory of one w and its outputs. */
wlab_code wlab_tr_keep_best(transductive *, wlab_tr_keep, wlab_err *);
/* The verdict of a run that has nothing left to do: converged if w is what was asked for, or stalled, with a note. */
wlab_verdict wlab_tr_ended(const transductive *, wlab_ctx *);
/* Whether one of the path is better than the current w. */
bool wlab_tr_had_better(const transductive *);
/* w = the one kept. */
void wlab_tr_return_to_best(transductive *);
/* t->y = y on the unlabelled rows; flips are counted from what was. */
void wlab_tr_show(transductive *, const int8_t *y);

/* Label pairs to switch (Section 3.1.2): at most S pairs (0: as many as there are) of unlabelled rows i, j with y_i = +1,
 * y_j = -1, o_i < 1, -o_j < 1 and o_i < o_j, taken from the most violating on; pair[2k], pair[2k + 1] ([u] entries).
 * Returns their number.  Cost O(u), and O(m log m) for m rows that may take part. */
int64_t wlab_tr_pairs(transductive *, const int8_t *y, int64_t S, int32_t *pair);

/* For members of the algorithms' tables. */
/* What this step's w took, in words: "3 Newton and 12 CG iterations"; returns buf. */
const char *wlab_tr_effort(const transductive *, char buf[64]);
void wlab_tr_observe(const transductive *, double *metric, int8_t *labels);
wlab_code wlab_tr_model(const transductive *, wlab_model **, wlab_ctx *, wlab_err *);
/* Behind what the algorithm walks itself: where it reads, costs(state) writes the costs of all rows from that. */
void wlab_tr_walk(transductive *, struct wlab_walk *, void (*costs)(void *state), void *state);

/* The loss of an unlabelled row with output o at temperature T (Figures 1 and 2): with V+- = max(0, 1 -+ o)^2 (or hinge),
 *     min over p of p V+ + (1 - p) V- + T/lambda_u (p log p + (1 - p) log(1 - p)) - nu2/lambda_u (p - 1/2);
 * T = 0: min(V+ - nu2/lambda_u/2, V- + ...), nu2 = 2 nu of the balance constraint.  T = inf: p = 1/2. */
double wlab_unlabelled_loss(double o, double T, double lambda_u, double nu2, bool hinge);
/* wlab_algo.row_loss of tsvm and mfa. */
double wlab_tr_row_loss(const wlab_params *, double T, double weight, double o, double *full);
bool wlab_tr_squared_loss(const wlab_params *); /* wlab_algo.squared_loss */

#endif
