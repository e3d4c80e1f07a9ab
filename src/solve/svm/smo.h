/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hinge loss with two costs a row, on a kernel matrix (Section 5 of Sindhwani and Keerthi):
 *
 *     min over f of lambda/2 ||f||_K^2 + sum_i [ pos_i max(0, 1 - f_i) + neg_i max(0, 1 + f_i) ],
 *
 * whose dual has one variable a row, beta_i in [-neg_i, pos_i] (f = K beta / lambda): two identical rows with both
 * labels are one.  Sequential minimal optimisation: without an offset (bias is in K) one variable at a time, chosen by
 * its gain; then Newton steps on the variables that are on no bound and no kink, and proximal ones where K is
 * ill-conditioned, so that the gap that remains is mostly rounding.
 */
#ifndef SVM_SMO_H
#define SVM_SMO_H

#include "weaklab/event.h"

typedef struct wlab_smo_result {
    double primal, dual;
    int64_t updates; /* of one variable */
    bool stopped;    /* an interrupt ended it: what is here depends on the moment */
} wlab_smo_result;

/* K [n x n] symmetric psd; pos, neg [n] >= 0.  beta [n]: warm start in (clipped into its box), solution out; f [n] out:
 * K beta / lambda.  Stops at primal - dual <= eps * primal, or where doubles allow no more, or behind max_updates (0: no
 * limit) or the round of an interrupt: the result says how near it is, and beta is in its box.  Cost: n an update,
 * m^3 / 3 a Newton step of m variables, whose matrix it allocates.  WL_ENUMERIC where a number is not finite or K is
 * seen not to be psd. */
wlab_code wlab_smo_solve(const double *K, int64_t n, double lambda, const double *pos, const double *neg,
                         double eps, int64_t max_updates, double *beta, double *f, wlab_smo_result *,
                         wlab_ctx *, wlab_err *);

#endif
