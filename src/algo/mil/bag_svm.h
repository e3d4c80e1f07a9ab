/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by mi-kernel and ppmm, which differ in the kernel of bags: the SVM on bags,
 *
 *     min over w, b of 1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b)),   f(B) = sum_b y_b alpha_b k(B_b, B) + offset,
 *
 * with its duality gap, and the labels of instances that follow from their outputs.
 */
#ifndef ALGO_BAG_SVM_H
#define ALGO_BAG_SVM_H

#include "algo/algos.h"
#include "base/walk.h"

typedef struct bag_svm {
    int64_t bags;
    double C, eps;
    /* ---- snapshot ---- */
    bool trained;
    double b, objective, lower, support; /* NaN before it is trained, but b, which is 0 */
    double *beta;                        /* [bags] y_b alpha_b */
} bag_svm;

/* clang-format off */
#define BAG_SVM_PARAMS                                                                                       \
    {.name = "C", .type = WL_P_REAL, .fallback = "100", .lo = 0, .hi = HUGE_VAL,                             \
     .meaning = "penalty of the bags", .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},                              \
    {.name = "eps", .type = WL_P_REAL, .fallback = "1e-6", .lo = 0, .hi = 1, .unit = "relative",             \
     .meaning = "duality gap to which the SVM is solved", .flags = WL_P_OPEN_LO}
/* The metrics after `objective`; `last`: WL_M_LAST, or 0 if the run has one stage. */
#define BAG_SVM_METRICS(last)                                                                                \
    {.name = "upper", .role = WL_R_UPPER, .flags = WL_M_HEADER,                                              \
     .meaning = "the objective of the SVM: an upper bound on its optimum",                                   \
     .equation = "1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b))"},                                                 \
    {.name = "lower", .role = WL_R_LOWER, .flags = WL_M_HEADER, .meaning = "the dual value of the solution", \
     .equation = "sum_b alpha_b - 1/2 ||w||^2"},                                                             \
    {.name = "gap", .role = WL_R_GAP, .log = true, .flags = WL_M_SHOWN | (last),                             \
     .meaning = "the objective of the SVM is at most this far above its optimum",                            \
     .equation = "upper - lower"},                                                                           \
    WLAB_RELGAP,                                                                                             \
    {.name = "inner_gap", .role = WL_R_INNER_GAP, .log = true,                                               \
     .meaning = "the same as gap, as the whole SVM is convex", .equation = "primal - dual"},                 \
    {.name = "support", .unit = "bags", .flags = WL_M_COUNT, .meaning = "bags with alpha_b > 0"}
/* clang-format on */
enum {
    BAG_SVM_UPPER, /* places in BAG_SVM_METRICS */
    BAG_SVM_LOWER,
    BAG_SVM_GAP,
    BAG_SVM_RELGAP,
    BAG_SVM_INNER_GAP,
    BAG_SVM_SUPPORT,
    BAG_SVM_COUNT
};

wlab_code bag_svm_make(bag_svm *, const wlab_problem *, double C, double eps, wlab_err *);
void bag_svm_clear(bag_svm *);
/* Trains on K [bags x bags], symmetric psd, and warns if the gap remains above eps.  After an error it is untrained. */
wlab_code bag_svm_train(bag_svm *, const wlab_problem *, const double *K, wlab_ctx *, wlab_err *);
void bag_svm_forget(bag_svm *); /* it is untrained again */
wlab_verdict bag_svm_verdict(const bag_svm *);
/* at [BAG_SVM_COUNT] */
void bag_svm_observe(const bag_svm *, double *at);
void bag_svm_walk(bag_svm *, wlab_walk *);
/* y [n]: the labels by the instances' outputs f: key instances of positive bags, or signs with one positive at least. */
wlab_code bag_svm_label(const wlab_problem *, const double *f, int8_t *y, wlab_err *);

#endif
