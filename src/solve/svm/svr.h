/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Support vector regression with one tube width per row,
 *
 *     min over (w, b) of 1/2 ||w||^2 + C sum_k max(0, |t_k - w'm_k - b| - e_k),
 *
 * and its dual  max over |beta_k| <= C of  t'beta - sum_k e_k |beta_k| - 1/2 ||sum_k beta_k m_k||^2,  with 1'beta = 0
 * if the offset b is free.  LIBSVM and LIBLINEAR (backend.h) have one e for all rows.  All results are certified:
 * primal and dual are computed from the same beta, in double, and b is the best offset for its w.
 */
#ifndef SVM_SVR_H
#define SVM_SVR_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"

typedef struct wlab_svr_problem {
    int64_t n;
    const double *target, *tube; /* [n] t, e */
    double C;
    bool offset; /* b is free; else b = 0 */
} wlab_svr_problem;

typedef struct wlab_svr_result {
    double primal, dual, b;
    int64_t work; /* updates (kernel); passes over the rows (linear) */
} wlab_svr_result;

/* K [n x n] symmetric psd.  beta [n]: warm start in (must be feasible: zeros are), solution out; f [n] out: K beta.
 * Sequential minimal optimisation: an update changes one beta_k, or if b is free two, of which the second is chosen by
 * the gain.  Newton steps on the rows strictly inside their bounds follow.  Stops at primal - dual <= tol * primal, or
 * when doubles allow no more progress, or soon after `most` updates (0: no limit).  Cost: 3 n per update.
 * WL_EINTERRUPTED. */
wlab_code wlab_svr_solve(const wlab_svr_problem *, const double *K, double tol, int64_t most, double *beta,
                         double *f, wlab_svr_result *, wlab_ctx *, wlab_err *);
/* The same for the rows of M, with `bias`^2 added to every product (a regularised offset; `offset` must then be false).
 * w [M->cols] out: M'beta; with bias, result->b is bias^2 1'beta.  Dual coordinate descent, with 1'beta = 0 by the
 * method of multipliers; stops after `most` passes (0: 1000) at the latest, and the result holds the gap that was
 * reached.  Cost: 2 nnz per pass. */
wlab_code wlab_svr_solve_linear(const wlab_svr_problem *, const wlab_matrix *M, double bias, double tol,
                                int64_t most, double *beta, double *w, wlab_svr_result *, wlab_ctx *,
                                wlab_err *);

/* C sum_k max(0, |t_k - f_k - b| - e_k). */
double wlab_svr_loss(const wlab_svr_problem *, const double *f, double b);
/* The b with the smallest wlab_svr_loss (the middle if there are several): a median of 2n numbers; work [2n]. */
double wlab_svr_best_offset(const wlab_svr_problem *, const double *f, double *work);
/* t'beta - sum e |beta| - 1/2 quad. */
double wlab_svr_dual(const wlab_svr_problem *, const double *beta, double quad);

#endif
