/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of the M-step without hard constraints: the method (newton.c) and its directions (direction.c).
 */
#ifndef ALGO_SOFTMAX_NEWTON_H
#define ALGO_SOFTMAX_NEWTON_H

#include "solve/softmax/parts.h"

typedef struct newton {
    const wlab_em *e;
    wlab_ctx *ctx;
    int Q, m;                     /* classes that have rows; m = Q - 1 */
    int class[64];                /* [Q] */
    double E[64 * 63];            /* [Q x m] orthonormal basis of the vectors of sum 0 */
    double fixed[64];             /* [Q] offsets, if they are not free */
    int64_t n, d, wide, D;        /* wide = d plus 1 for a free offset; D = m wide */
    double kappa;                 /* lambda / P */
    double *z, *s, *ds, *q, *R;   /* [n x Q] */
    double *W, *G;                /* [Q x d] */
    double *C, *grad, *step;      /* [m x wide] */
    double *cg;                   /* [4 x D] CG: residual, direction, product, diagonal */
    double *H, *scratch, *weight; /* exact direction: [D x D], em_gram_scratch(), [n] */
    double *part;                 /* [blocks] */
    double t;                     /* step length being tried */
    double f;
} newton;

/* W [Q x d], b [Q] of coordinates C, and C = E'(G, g) back. */
void newton_expand(const newton *, const double *C, double *W, double *b);
void newton_project(const newton *, const double *G, const double *g, double *C);
/* W x_n + b for C, into S [n x Q]; plus the fixed offsets if `fixed`.  Overwrites W. */
void newton_outputs(newton *, const double *C, bool fixed, double *S);
/* The sum of the rows of R [n x Q]. */
void newton_sums(const newton *, const double *R, double *g);

/* ---- direction.c: set step to the Newton direction at the current q and grad ---- */
/* By Cholesky; *found: the matrix was definite. */
wlab_code newton_exact(newton *, bool *found, wlab_ctx *, wlab_err *);
/* By CG with the diagonal as preconditioner, until the residual has fallen by the factor `accuracy`; overwrites R, G,
 * ds. */
wlab_code newton_cg(newton *, double accuracy, wlab_ctx *, wlab_err *);

#endif
