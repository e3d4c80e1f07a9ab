/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hinge loss with two costs a row, on a kernel matrix (Section 5 of Sindhwani and Keerthi):
 *
 *     min over f of lambda/2 ||f||_K^2 + sum_i [ pos_i max(0, 1 - f_i) + neg_i max(0, 1 + f_i) ],
 *
 * whose dual has one variable a row, beta_i in [-neg_i, pos_i] (f = K beta / lambda): two identical rows with both
 * labels are one.  Sequential minimal optimisation: without an offset (bias is in K) one variable at a time, chosen by
 * its gain.
 */
#ifndef SVM_SMO_H
#define SVM_SMO_H

#include "weaklab/event.h"

typedef struct wlab_smo_result {
    double primal, dual;
    int64_t updates;
} wlab_smo_result;

/* K [n x n] symmetric psd; pos, neg [n] >= 0.  beta [n]: warm start in (clipped into its box), solution out; f [n] out:
 * K beta / lambda.  Stops at primal - dual <= eps * primal, or after max_updates (0: no limit); the result says how
 * near it is.  Cost: n an update. */
wlab_code wlab_smo_solve(const double *K, int64_t n, double lambda, const double *pos, const double *neg,
                         double eps, int64_t max_updates, double *beta, double *f, wlab_smo_result *,
                         wlab_ctx *, wlab_err *);

#endif
