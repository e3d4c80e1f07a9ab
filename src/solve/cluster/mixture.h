/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Gaussian mixture with diagonal covariances, and the two halves of EM for it:
 *
 *     p(x) = sum_c w_c prod_j N(x_j; m_cj, v_cj),     r_ic = w_c N(x_i; m_c, v_c) / p(x_i)   (posteriors).
 *
 * The M step maximises sum_i sum_c r_ic log(w_c N(x_i; m_c, v_c)) subject to v_cj >= floor, so neither half lowers the
 * log-likelihood; without the floor it would have no upper bound.
 */
#ifndef SOLVE_MIXTURE_H
#define SOLVE_MIXTURE_H

#include "weaklab/event.h"
#include "weaklab/pool.h"

typedef struct wlab_mixture {
    int64_t k, d;
    double *weight;         /* [k] w_c; 0: the component has no rows */
    double *mean, *inverse; /* [k x d] m_c, 1 / v_c */
    double *constant;       /* [k] log w_c - 1/2 sum_j log(2 pi v_cj); -inf if w_c is 0 */
} wlab_mixture;

wlab_code wlab_mixture_make(wlab_mixture *, int64_t k, int64_t d, wlab_err *);
void wlab_mixture_clear(wlab_mixture *);
void wlab_mixture_copy(wlab_mixture *to, const wlab_mixture *from); /* of the same size */
/* r [k]: the posteriors of the row x [d], and log p(x). */
double wlab_mixture_posteriors(const wlab_mixture *, const double *x, double *r);
/* The E step: R [n x k] and rows [n], log p(x_i) of each; *mean of them.  Cost n k d.  The bits do not depend on the
 * threads.  WL_EINTERRUPTED: the results are incomplete. */
wlab_code wlab_mixture_expect(const wlab_mixture *, const double *X, int64_t n, double *R, double *rows,
                              double *mean, wlab_ctx *, wlab_err *);
/* The M step.  A component whose posteriors sum to 0 keeps its mean and variances.  Cost n k d.  WL_EINTERRUPTED: the
 * mixture is partly changed. */
wlab_code wlab_mixture_maximise(wlab_mixture *, const double *X, int64_t n, const double *R, double floor,
                                wlab_ctx *, wlab_err *);

#endif
