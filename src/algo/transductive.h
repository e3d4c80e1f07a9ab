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

#include "svm/kernel.h"
#include "svm/mfn.h"
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
    TR_INNER_GAP, /* primal - dual of the subproblem in w */
    TR_GRADIENT,
    TR_FLIPS,
    TR_CG, /* CG iterations of this step */
    TR_NEWTONS,
    TR_LAMBDA_NOW, /* lambda' now */
    TR_SECONDS,
    TR_SHARED
};

/* The loss of an unlabelled row with output o at temperature T (Figures 1 and 2): with V+- = max(0, 1 -+ o)^2 (or hinge),
 *     min over p of p V+ + (1 - p) V- + T/lambda_u (p log p + (1 - p) log(1 - p)) - nu2/lambda_u (p - 1/2);
 * T = 0: min(V+ - nu2/lambda_u/2, V- + ...), nu2 = 2 nu of the balance constraint.  T = inf: p = 1/2. */
double wlab_unlabelled_loss(double o, double T, double lambda_u, double nu2, bool hinge);

#endif
