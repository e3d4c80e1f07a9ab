/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hinge loss with two costs per row, on a kernel matrix (Section 5 of Sindhwani and Keerthi):
 *
 *     min over f of lambda/2 ||f||_K^2 + sum_i [ pos_i max(0, 1 - f_i) + neg_i max(0, 1 + f_i) ],
 *
 * whose dual has one variable per row, beta_i in [-neg_i, pos_i] (f = K beta / lambda): one row with two costs stands
 * for two identical rows with both labels.  Sequential minimal optimisation: as there is no offset (bias is in K),
 * each update changes one variable, the one with the largest gain.  Newton steps follow on the variables that are at
 * no bound and not at pos_i - neg_i, where the dual has a kink; if K is ill-conditioned, proximal steps follow, too.
 * The remaining gap is then mostly rounding.
 */
#ifndef SVM_SMO_H
#define SVM_SMO_H

#include "weaklab/event.h"

typedef struct wlab_smo_result {
    double primal, dual;
    int64_t updates; /* of one variable */
    bool stopped;    /* an interrupt ended the solve: the result depends on its moment */
} wlab_smo_result;

/* K [n x n] symmetric psd; pos, neg [n] >= 0.  beta [n]: warm start in (clipped into its box), solution out; f [n] out:
 * K beta / lambda.  Stops at primal - dual <= eps * primal, when doubles allow no more progress, after max_updates
 * (0: no limit), or, if there is an interrupt, at the end of the round.  The result holds the gap that was reached, and
 * beta is in its box.  Cost: n per update, m^3 / 3 per Newton step on m variables, whose matrix it allocates.
 * WL_ENUMERIC if a number is not finite or if the solver notices that K is not psd. */
wlab_code wlab_smo_solve(const double *K, int64_t n, double lambda, const double *pos, const double *neg,
                         double eps, int64_t max_updates, double *beta, double *f, wlab_smo_result *,
                         wlab_ctx *, wlab_err *);

/* Margins and a linear term of a row's own; each [n], or NULL for the default. */
typedef struct wlab_smo_shape {
    const double *a, *c; /* default 1; a_i + c_i >= 0 */
    const double *t;     /* the tilt; default 0 */
} wlab_smo_shape;

/* The same for
 *
 *     min over f of lambda/2 ||f||_K^2 + sum_i [ pos_i max(0, a_i - f_i) + neg_i max(0, c_i + f_i) + t_i f_i ].
 *
 * Its dual is  max over -neg_i <= beta_i <= pos_i of sum_i h_i(beta_i) - (beta - t)'K(beta - t) / (2 lambda),
 * h_i(beta) = (a_i + c_i) neg_i + a_i beta for beta <= pos_i - neg_i, (a_i + c_i) pos_i - c_i beta beyond, and
 * f = K (beta - t) / lambda.  eps is relative to the primal value without the tilt's part, as the whole may be negative.
 * With all defaults it is wlab_smo_solve, with the same bits. */
wlab_code wlab_smo_tilted(const double *K, int64_t n, double lambda, const double *pos, const double *neg,
                          const wlab_smo_shape *, double eps, int64_t max_updates, double *beta, double *f,
                          wlab_smo_result *, wlab_ctx *, wlab_err *);

#endif
