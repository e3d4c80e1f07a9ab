/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP  max over a of  1'a - 1/2 a'(Q + Diag(delta))a,  0 <= a <= upper,
 * which is the SVM dual without offset for hinge loss (delta = 0, upper = C_i) and squared hinge loss
 * (delta = 1/C_i, upper = inf).  The solution of the sum-to-one dual is a / 1'a, with the a of the squared hinge.
 * A coordinate with upper = 0 is ignored: its row has no loss.
 */
#ifndef WEAKLAB_SVM_BOXQP_H
#define WEAKLAB_SVM_BOXQP_H

#include "base/progress.h"
#include "weaklab/event.h"
#include "weaklab/matrix.h"

/* Messages of errors that all solvers of an SVM on a kernel matrix can return. */
extern const char wlab_svm_not_finite[], wlab_svm_not_psd[];

typedef struct wlab_boxqp_result {
    double dual;     /* 1'a - 1/2 a'(Q + Diag(delta))a */
    double primal;   /* upper bound on the optimum from the same a (the SVM primal) */
    int64_t sweeps;  /* rounds of n/2 + 10 coordinate updates (the first from alpha = 0: 3 n) */
    int64_t newtons; /* Newton steps on the free coordinates */
} wlab_boxqp_result;

/* Dense Q (n x n, row-major, symmetric positive semidefinite; only read); delta NULL: zeros.  alpha [n]: warm start
 * in, solution out; g [n] out: 1 - (Q + Diag(delta)) alpha.  Stops at primal - dual <= tol * |dual|, or as near to
 * it as doubles allow; the result holds the gap that was reached.  Method: coordinate ascent with projected Newton
 * steps on the free coordinates.  Cost: n per coordinate update, |free|^3 / 3 per Newton step.  WL_ENUMERIC if a number
 * is not finite or if the solver notices that Q is not psd (it does not check all of Q: see wlab_kernel_matrix). */
wlab_code wlab_boxqp_solve(const double *Q, int64_t n, const double *delta, const double *upper, double tol,
                           double *alpha, double *g, wlab_boxqp_result *, wlab_ctx *, wlab_err *);

/* H = B_F' ((Q + Diag(delta))_FF)^-1 B_F over the coordinates F strictly inside their bounds at alpha.  If
 * Q = sum_s mu_s Q_s and B_s = Q_s alpha, this is the Hessian of the optimum in mu.  B [t x n] row-major, H [t x t].
 * The block gets a ridge as in wlab_boxqp_factor.  Cost |F|^3 / 3 + t |F|^2. */
wlab_code wlab_boxqp_hessian(const double *Q, int64_t n, const double *delta, const double *upper,
                             const double *alpha, const double *B, int64_t t, double *H, wlab_ctx *,
                             wlab_err *);
/* primal - dual at alpha with g = 1 - (Q + Diag(delta)) alpha, as a sum of terms that are never negative. */
double wlab_boxqp_gap(int64_t n, const double *delta, const double *upper, const double *alpha,
                      const double *g);
/* 1'alpha - 1/2 alpha'(Q + Diag(delta)) alpha from the same g. */
double wlab_boxqp_dual(int64_t n, const double *alpha, const double *g);

/* wlab_boxqp_solve for callers with a counter of their own: each sweep and each Newton step adds 1 to `progress`
 * (or NULL). */
wlab_code wlab_boxqp_solve_progress(const double *Q, int64_t n, const double *delta, const double *upper,
                                    double tol, double *alpha, double *g, wlab_boxqp_result *,
                                    wlab_progress *progress, wlab_ctx *, wlab_err *);
/* A [m x m] = (Q + Diag(delta)) at the coordinates pick[0..m-1].  false: interrupted; A is then partly written. */
bool wlab_boxqp_gather(const double *Q, int64_t n, const double *delta, const int32_t *pick, int64_t m,
                       double *A, wlab_ctx *ctx);
/* The lower Cholesky factor (column-major; and its transpose) of (Q + Diag(delta)) at the coordinates pick[0..m-1], into
 * A [m x m].  Tries increasing ridges, from 1e-13 of the mean diagonal, and uses the first that works.  WL_ENUMERIC: not
 * psd; WL_EINTERRUPTED.  Cost m^3 / 3. */
wlab_code wlab_boxqp_factor(const double *Q, int64_t n, const double *delta, const int32_t *pick, int64_t m,
                            double *A, wlab_ctx *ctx, wlab_err *err);

#endif
