/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SVM over label matrices, as a semidefinite program (Xu, Neufeld, Larson and Schuurmans 2004).
 *
 * A labeling y in B enters the SVM dual only by the matrix yy'.  With M in its place, M in a convex set that contains yy'
 * for every y in B,
 *
 *   min over M of F(M),   F(M) = max over 0 <= alpha <= upper of 1'alpha - 1/2 alpha'(K o M + Diag(delta))alpha,
 *
 * is a convex problem (o: element-wise).  Rows whose label all of B shares are one node, node 0; every other row is a node
 * of its own.  M is a matrix over the nodes z: psd, diagonal 1, and for each group of B, whose sum over its nodes is between
 * L and U,  (1'z - L)(1'z - U) <= 0 with zz' replaced by M; = 0 if U = L + 2; if L = U, M(1 - L e_0) = 0, which is the same
 * as (1'z - L)^2 = 0.  wlab_quadmax_bound has multipliers for these constraints, and for more in groups with at most one
 * +1 or at most one -1.
 *
 * Method: a barrier in the dual.  By the duality of the inner maximum over M the problem is
 *
 *   max over alpha, d, nu of 1'alpha - 1/2 alpha'Diag(delta)alpha - 1/2 1'd,    S psd, nu >= 0,
 *   S = Diag(d) + sum_g nu_g sym((1_g - L e_0)(1_g - U e_0)') - R'Diag(alpha)K Diag(alpha)R
 *
 * with R the signed map of rows to nodes.  log det S is concave in all variables together, as it is that of a matrix that
 * is linear in them, [[S + R'AKAR, R'A], [AR, K^-1]].  Newton's method follows the maxima of t times the objective plus the
 * barriers; there 2 S^-1 / t is feasible in the problem over M.  Away from them the matrix M of a Newton step,
 * 2/t (S^-1 - S^-1 dS S^-1), is exactly feasible if the step is shorter than 1 in the metric of the barrier.
 */
#ifndef WEAKLAB_SOLVE_MMC_H
#define WEAKLAB_SOLVE_MMC_H

#include "weaklab/event.h"
#include "weaklab/labelset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_mmc_problem {
    const wlab_labelset *B; /* labels +1 and -1 only */
    const double *K;        /* [n x n] symmetric, psd */
    const double *delta;    /* [n] >= 0, or NULL: 0 */
    const double *upper;    /* [n] > 0, HUGE_VAL: none */
    double growth;          /* > 1: t is multiplied by it when a maximum is reached */
} wlab_mmc_problem;

typedef struct wlab_mmc wlab_mmc;

/* Borrows what the problem points to.  WL_EARG: B has labels 0.  Memory: about 8 (2 n)^2 doubles during a step, and
 * n^2 between steps. */
wlab_code wlab_mmc_create(wlab_mmc **, const wlab_mmc_problem *, wlab_err *);
void wlab_mmc_destroy(wlab_mmc *);

typedef enum wlab_mmc_made {
    WL_MMC_MOVED,   /* a Newton step */
    WL_MMC_CENTRED, /* the step was short: M is a new feasible matrix, and t has grown */
    WL_MMC_STUCK    /* rounding errors allow no step any more; nothing changed */
} wlab_mmc_made;
/* One Newton step: at most about 10 n^3.  After an error nothing has changed. */
wlab_code wlab_mmc_advance(wlab_mmc *, wlab_mmc_made *, wlab_ctx *, wlab_err *);

typedef struct wlab_mmc_numbers {
    double t;    /* of M; NaN: there is no M yet */
    double dual; /* 1'alpha - 1/2 alpha'Diag(delta)alpha - 1/2 1'd at the current point, which is feasible */
    double decrement; /* length of the last Newton step in the metric of the barrier */
    int64_t newtons;
    int64_t nodes;
    bool constant; /* node 0 stands for at least one row */
} wlab_mmc_numbers;
wlab_mmc_numbers wlab_mmc_get(const wlab_mmc *);
/* [n] > 0, < upper: a feasible alpha. */
const double *wlab_mmc_alpha(const wlab_mmc *);
/* [nodes x nodes]; 0 before the first centred step. */
const double *wlab_mmc_matrix(const wlab_mmc *);
/* The node of row k, and its sign: the label of row k is *sign times that of the node. */
int64_t wlab_mmc_node(const wlab_mmc *, int64_t k, int *sign);
/* M over rows: the entry that stands for y_k y_l. */
double wlab_mmc_entry(const wlab_mmc *, int64_t k, int64_t l);

struct wlab_walk;
void wlab_mmc_walk(void *mmc, struct wlab_walk *);

#ifdef __cplusplus
}
#endif

#endif
