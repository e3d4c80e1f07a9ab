/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to quadmax: the linear forms whose products get multipliers and the vectors on which the multipliers must
 * give a bound (path.c), the path of the interior-point method that finds the multipliers (shift.c), and Newton's
 * equations by conjugate gradients if the pairs in the groups are too many to factor their matrix (pairs.c).
 */
#ifndef WEAKLAB_ALGO_QUADMAX_PATH_H
#define WEAKLAB_ALGO_QUADMAX_PATH_H

#include "solve/quadmax/quadmax.h"

typedef struct quad_product {
    int32_t p, q;  /* forms */
    int32_t range; /* the group whose range this product states, or -1 */
    double scale;  /* +1, or -1 for a cut */
    double c;
    bool inequality; /* scale (p'z)(q'z) <= c; else = c */
} quad_product;

typedef struct quad_path {
    const quad_form *f;
    int64_t N, E, r;            /* nodes; equations; r = N - E columns of P */
    double *house, *tau, *work; /* [N x E] Householder vectors whose first E columns span the equations */
    /* the forms, as sparse columns */
    int64_t forms, *at;
    int32_t *col;
    double *val;
    int64_t m, cuts; /* the last `cuts` products are those of the cuts */
    quad_product *pr;
    double *x, *dx;  /* [m] */
    double *s, *ds;  /* [m] slack of the inequalities */
    double *S, *Y;   /* [r x r] P'(sum x A - H)P, and its complement */
    bool iterative;  /* many pairs: pairs.c solves Newton's equations iteratively */
    bool *free_diag; /* [N] whether z_k^2 = 1 has a multiplier of its own (otherwise the pairs imply it) */
} quad_path;

/* x, s and Y are 0, S is not set.  cuts: NULL or, if the path turns out `iterative`, ignored. */
wlab_code quad_path_create(quad_path *, const quad_form *, const quad_cuts *cuts, wlab_err *);
void quad_path_clear(quad_path *);
/* R = sum of x_i sym(p_i q_i') [N x N] */
void quad_path_combine(const quad_path *, const double *x, double *R);
/* A = P'RP [r x r]; R [N x N] is overwritten. */
void quad_path_restrict(const quad_path *, double *R, double *A);
/* R = PAP' [N x N]. */
void quad_path_lift(const quad_path *, const double *A, double *R);
/* A = F'RF [forms x forms] over all forms, T [N]. */
void quad_path_forms(const quad_path *, const double *R, double *T, double *A);

/* ---- pairs.c: for a path with `iterative`, whose forms are z_0 and z_0 +- z_k ---- */

typedef struct quad_pairs {
    double *V, *d;             /* [N x N], [N] for each group: V'WV = I, V'ZV = Diag(d) */
    double *left;              /* [N x N] */
    double *block;             /* two squares of the largest group's size */
    double *r, *z, *q, *s, *x; /* [m] */
} quad_pairs;

wlab_code quad_pairs_create(quad_pairs *, const quad_path *, wlab_err *);
void quad_pairs_clear(quad_pairs *);
/* Starting values of x and Y: total = N times the largest eigenvalue of P'HP (times 1.1), and Y the second moments of
 * labels drawn uniformly.  T [N x N], D [N] are workspace. */
void quad_pairs_start(quad_path *, double *T, double *D);
/* Replaces dx, on entry the right side, by the solution of sum_j <A_i, W A_j Z> dx_j = right_i, to the accuracy that
 * Newton's steps need; W and Z are given over the forms [N x N].  false: it failed or was interrupted. */
bool quad_pairs_solve(const quad_path *, quad_pairs *, const double *W, const double *Z, wlab_ctx *);

#endif
