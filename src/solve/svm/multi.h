/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The multi-class SVM of Crammer and Singer (2001), in which a row may have a set S_i of classes of its own, with weights
 * q_ik >= 0 that add up to 1 over them:
 *
 *     min over W of G = lambda/2 sum_k ||w_k||^2
 *                       + 1/m sum_i max(0, 1 - sum_{k in S_i} q_ik f_k(x_i) + max_{k not in S_i} f_k(x_i)),
 *
 * f_k(x) = <w_k, x>, over the m rows whose set is not every class.  Either one class of a row has the weight 1 (its
 * choice), or all of S_i have the same.  With sets of one class this is the supervised problem.
 *
 * The dual has a variable beta_ik >= 0 for each class k outside S_i, with s_i = sum_k beta_ik <= 1:
 *
 *     max D = 1/m sum_i s_i - lambda/2 sum_k ||w_k||^2,   w_k = 1/(lambda m) sum_i (s_i q_ik - beta_ik) x_i,
 *
 * where q is 0 outside S_i and beta inside.  A pass maximises D over the variables of one row after the other, in closed
 * form (as Keerthi, Sundararajan, Chang, Hsieh and Lin, KDD 2008, do for one class per row), and then makes some sweeps
 * over the rows that it has changed.  G - D is the certified gap.
 *
 * beta does not refer to the choices, so it is feasible for other choices too: a warm start.
 */
#ifndef SVM_MULTI_H
#define SVM_MULTI_H

#include "base/walk.h"
#include "weaklab/matrix.h"

enum {
    WL_MULTI_MEAN = -1 /* a choice: every class of the set has the same weight */
};

typedef struct wlab_multi {
    /* ---- the caller sets these before wlab_multi_create; pointers are borrowed ---- */
    const wlab_matrix *X; /* [n x d] */
    double bias;          /* value of a constant feature of every row, the last of w_k; 0: none */
    const double *square; /* [n] ||x_i||^2, with the constant feature */
    const uint64_t *set;  /* [n] S_i as bits, not empty */
    int P;                /* classes, 2 .. 64 */
    double lambda;
    /* ---- the state, which a snapshot holds ---- */
    int8_t
        *choice;  /* [n] a class of S_i, or WL_MULTI_MEAN; the caller changes it and calls wlab_multi_start */
    double *beta; /* [n x P] */
    double *W;    /* [P x dim] */
    double primal, dual; /* G and D at W, or NaN */
    int64_t passes;      /* since the start of the problem */
    /* ---- workspace ---- */
    int64_t n, dim, told;
    int32_t *order; /* [n] */
} wlab_multi;

/* Starts at W = 0, where every choice is WL_MULTI_MEAN.  Memory: n P + P dim numbers. */
wlab_code wlab_multi_create(wlab_multi *, wlab_err *);
void wlab_multi_clear(wlab_multi *);
/* Begins the problem with the present choices at the present beta: W becomes that of beta.  Cost: a pass over the rows for
 * each class. */
void wlab_multi_start(wlab_multi *);
/* A pass over all rows and at most 5 sweeps over those that it changes.  The order of the rows follows from `seed` and the
 * number of passes.  primal and dual become NaN; D does not fall.  Cost: some passes over the rows for each class. */
void wlab_multi_pass(wlab_multi *, uint64_t seed);
/* Sets primal and dual from o [P x n], the outputs of W. */
void wlab_multi_measure(wlab_multi *, const double *o);
void wlab_multi_walk(wlab_multi *, wlab_walk *);

#endif
