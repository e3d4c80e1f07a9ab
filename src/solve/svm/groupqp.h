/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The group QP: the dual of an SVM without offset and with hinge loss whose examples share slacks in groups,
 *
 *     min over w of 1/2 ||w||^2 + sum_g C_g max over i in group g of max(0, 1 - w'z_i)
 *     max over a of 1'a - 1/2 a'Qa,   a >= 0,  sum over i in group g of a_i <= C_g,     Q_ij = z_i'z_j,  w = sum_i a_i z_i.
 *
 * z_i is the feature vector of example i times its label.  A group of one example has the box of the box QP (boxqp.h), and
 * if all have, this is the box QP with delta = 0.  One slack per negative bag is MI-SVM as Andrews, Tsochantaridis and
 * Hofmann define it (NIPS 15, 2002).
 */
#ifndef SVM_GROUPQP_H
#define SVM_GROUPQP_H

#include "base/progress.h"
#include "weaklab/event.h"

typedef struct wlab_groupqp {
    const double *Q; /* [m x m] row-major, symmetric positive semidefinite */
    int64_t m, groups;
    const int32_t *group; /* [m] from 0 */
    const double *most;   /* [groups] C_g >= 0, finite; the examples of a group with 0 are ignored */
} wlab_groupqp;

typedef struct wlab_groupqp_result {
    double dual;     /* 1'a - 1/2 a'Qa */
    double primal;   /* upper bound on the optimum from the same a (the SVM primal) */
    int64_t updates; /* of one example, or of two of a group */
    int64_t newtons; /* Newton steps on the free examples */
} wlab_groupqp_result;

/* alpha [m]: warm start in (negative numbers count as 0; a group whose sum is too large is scaled down), solution out; g [m]
 * out: 1 - Q alpha.  Stops at primal - dual <= tol * |dual|, or as near to it as doubles allow; the result holds the gap
 * that was reached, and alpha is feasible.  Each update and each Newton step adds 1 to `progress` (or NULL).
 * Method: in each update the pair of a group with the largest gain, where the unused part of C_g counts as an example with
 * z = 0; then Newton steps on the examples with a_i > 0.  Cost: m per update, v^3 / 3 per Newton step on v free examples,
 * for which it allocates 2 v^2 numbers.  WL_EINTERRUPTED; WL_ENUMERIC if a number is not finite or if the solver notices that
 * Q is not psd; no memory.  After an error alpha is feasible, if it was read. */
wlab_code wlab_groupqp_solve(const wlab_groupqp *, double tol, double *alpha, double *g,
                             wlab_groupqp_result *, wlab_progress *progress, wlab_ctx *, wlab_err *);

#endif
