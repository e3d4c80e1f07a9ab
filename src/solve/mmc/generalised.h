/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The semidefinite relaxation over outputs (Valizadegan and Jin 2006), with labels where they are known.
 *
 *   min over x of 1/2 (1, x)'H(1, x),   y_i x_i >= 1 where the label y_i is known, x_i^2 >= 1 elsewhere,
 *
 * is relaxed by a psd matrix X over (x_0, x) in place of its products:
 *
 *   min 1/2 <H, X>,   X_00 = 1,   y_i X_0i >= 1,   X_ii >= 1
 *   = max -tau/2 + sum kappa_i + 1/2 sum gamma_i,   kappa, gamma >= 0,
 *     S = H + tau e_0 e_0' - sum kappa_i y_i (e_0 e_i' + e_i e_0') - sum gamma_i e_i e_i' psd:
 *
 * one variable for each row in place of a matrix.  If all labels are known both are the problem itself, a QP.  Method: the
 * maxima of t times the dual objective + log det S + sum log kappa + sum log gamma, by Newton's method; there X = 2 S^-1 / t
 * is feasible.  The matrix of a Newton step, 2/t (S^-1 - S^-1 dS S^-1), is feasible if the step is shorter than 1.
 */
#ifndef WEAKLAB_SOLVE_GENERALISED_H
#define WEAKLAB_SOLVE_GENERALISED_H

#include "weaklab/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_gmmc wlab_gmmc;

/* H [(n + 1) x (n + 1)], psd, positive definite on x: borrowed.  label [n]: +1, -1, or 0 where it is not known; copied.
 * growth > 1: t is multiplied by it when a maximum is reached.  WL_ENUMERIC if no multipliers above 0 leave S psd.  Memory:
 * about 6 n^2 doubles during a step. */
wlab_code wlab_gmmc_create(wlab_gmmc **, const double *H, const int8_t *label, int64_t n, double growth,
                           wlab_err *);
void wlab_gmmc_destroy(wlab_gmmc *);
/* One Newton step, about 3 n^3.  *centred: there is a new X, and t has grown.  *stuck: rounding errors allow no step, and
 * nothing changed.  After an error nothing has changed. */
wlab_code wlab_gmmc_advance(wlab_gmmc *, bool *centred, bool *stuck, wlab_ctx *, wlab_err *);

typedef struct wlab_gmmc_numbers {
    double t;     /* of X; NaN: there is none yet */
    double upper; /* 1/2 <H, X>; NaN: there is none yet */
    double lower; /* the dual objective at the current point, which is feasible */
    int64_t newtons;
} wlab_gmmc_numbers;
wlab_gmmc_numbers wlab_gmmc_get(const wlab_gmmc *);
/* [(n + 1) x (n + 1)], row 0 that of the constant; 0 before the first centred step. */
const double *wlab_gmmc_matrix(const wlab_gmmc *);

struct wlab_walk;
void wlab_gmmc_walk(void *, struct wlab_walk *);

#ifdef __cplusplus
}
#endif

#endif
