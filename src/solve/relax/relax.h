/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss (Joulin and Bach 2012).  This interface has plain arrays and no data sets:
 * the caller decides what the rows are.
 *
 * Rows n have features x_n and weights pi_n and belong to groups; rows of a group have the same label vector.  The
 * label vectors' Gram matrix is Z = c R Y R', Y psd with unit diagonal (`nodes` of them) and the identity at the nodes
 * 0 .. block-1, an orthonormal basis of the class vectors.  Row n of R is 1 at the node of row n's group, or holds the
 * class vector of the group in that basis.  The relaxation is min_Y F(Y),
 *
 *   F = max_Omega -P/(2 lambda) tr(Z (I-Omega)'K(I-Omega)) - sum_n pi_n sum_m Omega_nm log(Omega_nm / pi_m)
 *     = min_{U,b} pi'b - sum_n pi_n x_n'U v_n + sum_n pi_n log sum_m pi_m exp(x_n'U v_m - b_m) + lambda/(2P) |U|^2
 *
 * over Omega >= 0, Omega 1 = 1, Omega'pi = pi, where Z = V V' with rows v_n, K_nm = pi_n x_n'x_m pi_m and
 * Omega_nm ~ pi_m exp(x_n'U v_m - b_m).  Any (U, b) gives an upper bound on F, any Omega a lower bound.  Without
 * an intercept there is no constraint Omega'pi = pi, and b = 0.  With the square loss (Bach and Harchaoui 2007) F is
 * linear in Y.
 */
#ifndef ALGO_RELAX_H
#define ALGO_RELAX_H

#include "weaklab/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_relax_pair {
    int32_t a, b; /* groups */
    double value; /* prescribed product of their unit vectors */
} wlab_relax_pair;

typedef struct wlab_relax_problem {
    int64_t n, d;
    const double *X;  /* [n x d] */
    const double *pi; /* [n] >= 0, sum 1 */
    int classes;      /* P >= 2 */
    double lambda;    /* > 0 */
    bool intercept;
    bool square; /* the square loss: 1/2 sum_n pi_n |z_n - W'x_n - b|^2 + lambda/2 |W|^2 */
    int64_t groups;
    const int32_t *group; /* [n] the group of each row */
    int64_t nodes, block;
    const int32_t *node; /* [groups] >= block: the group's node; -1-k: the group has the vector of class k */
    const double
        *vertex; /* [classes x block] the class vectors in the basis, unit norm; NULL when block = 0 */
    double c;    /* Z = c times the Gram matrix of unit vectors */
    int64_t pairs;
    const wlab_relax_pair *pair; /* prescribed products */
} wlab_relax_problem;

typedef enum wlab_relax_inner {
    WL_RELAX_NEWTON,  /* truncated Newton steps on (U, b) */
    WL_RELAX_PROXIMAL /* the paper's: accelerated proximal steps in the Kullback-Leibler divergence */
} wlab_relax_inner;

typedef enum wlab_relax_verdict {
    WL_RELAX_GOING,
    WL_RELAX_CONVERGED, /* gap <= eps max(|upper|, 1e-9) */
    WL_RELAX_STALLED    /* no step decreases F beyond the rounding of doubles */
} wlab_relax_verdict;

/* lambda_min belongs to the current Y alone.  It is often far below 0 when `lower`, the best bound of all steps and of
 * their averaged Omega, is already close to `upper`. */
typedef struct wlab_relax_numbers {
    double upper;     /* upper bound on F at the current Y: the value at (U, b) */
    double inner_gap; /* upper minus the value at a feasible Omega */
    double lower;     /* the best certified lower bound on min F, and so on the objective of every labeling */
    double gap;       /* upper - lower, plus the change of F that the violation of pairs may cause */
    double newest;    /* the lower bound at the current Y */
    double lambda_min; /* the least eigenvalue of H = gradient minus multipliers at the current Y */
    double t;          /* inverse step length: Y+ ~ exp(log Y - H/t) */
    double violation;  /* largest |product - value| over pairs: at most 1e-8 */
    int64_t rank;      /* columns of the factor of Y */
    int64_t outer;     /* steps taken */
    int64_t inner;     /* Newton or proximal steps, including those of rejected trials */
    int64_t cg, fits;  /* conjugate gradient steps, rounds of iterative proportional fitting */
    int64_t trials;    /* trial points of outer line searches */
} wlab_relax_numbers;

typedef struct wlab_relax wlab_relax;

/* Copies all data that it needs.  eps: relative gap at which it is converged.  WL_EARG if a value is out of range, if
 * prescribed products contradict one another, or if prescribed products of rows with rows allow no Y of full rank.
 * Memory in doubles: about 4 nodes^2 + max(nodes, groups)^2 + max(2 nodes^2, n groups + n nodes), with pairs nodes^2 more,
 * with products of rows 3 nodes^2 more, and 14 d nodes, 2 d groups, 2 n d, n min(d, nodes). */
wlab_code wlab_relax_create(wlab_relax **, const wlab_relax_problem *, wlab_relax_inner, double eps,
                            wlab_ctx *, wlab_err *);
void wlab_relax_destroy(wlab_relax *);
/* One inner step; the first step of a trial also computes the trial point, and the last one of an outer step log Y and
 * the certificates: each by an eigen-decomposition of order `nodes` or about as much.
 * *outer: an outer step was accepted (the first one is the start).  On failure the numbers are as before the call, and
 * the same calls then give the same bits. */
wlab_code wlab_relax_advance(wlab_relax *, bool *outer, wlab_ctx *, wlab_err *);
wlab_relax_verdict wlab_relax_state(const wlab_relax *);
/* Warm start: keeps Y, U and b and discards the bounds.  The next call of wlab_relax_advance starts the new problem. */
wlab_code wlab_relax_set_lambda(wlab_relax *, double lambda, wlab_err *);
void wlab_relax_set_eps(wlab_relax *, double eps);

/* Before the first outer step the bounds are infinite. */
wlab_relax_numbers wlab_relax_get(const wlab_relax *);
/* The factor of the current Y: [nodes x rank], rows of unit norm.  Valid until the next call that changes it. */
const double *wlab_relax_factor(const wlab_relax *, int64_t *rank);
/* Rows a and b of the data: their entry of Z / c, in [-1, 1]. */
double wlab_relax_entry(const wlab_relax *, int64_t a, int64_t b);
/* The unit vector of group g, [rank]. */
void wlab_relax_vector(const wlab_relax *, int64_t g, double *v);
/* The largest eigenvalues of the current Y, in descending order; 0 before the first outer step.  known: how many.  All if the
 * iteration has converged, with less than 1024 nodes, and after steps in double precision; else at most 128, up to the first
 * whose error may exceed one percent. */
const double *wlab_relax_eigenvalues(const wlab_relax *, int64_t *known);
/* Working memory that the caller may use between calls of wlab_relax_advance that end an outer step, and its size in
 * doubles: enough for wlab_eigen_values with nodes + 1 rows, and for a matrix of as many. */
double *wlab_relax_room(wlab_relax *, int64_t *size);
/* The gradient of F at the current Y, [nodes x nodes], which the last certificate uses. */
void wlab_relax_gradient(const wlab_relax *, double *G);

/* Writes a snapshot, or reads it into an object created for the same problem: it then continues with the same bits. */
struct wlab_walk;
void wlab_relax_walk(void *relax, struct wlab_walk *);

#ifdef __cplusplus
}
#endif

#endif
