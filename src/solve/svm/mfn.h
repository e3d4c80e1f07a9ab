/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L2-SVM-MFN (Keerthi and DeCoste; Table 1 of Sindhwani and Keerthi), one Newton iteration per call:
 *
 *     min over w of f(w) = lambda/2 ||w||^2 + 1/2 sum_i [ pos_i max(0, 1 - o_i)^2 + neg_i max(0, 1 + o_i)^2 ],
 *
 * o = X w (with a constant feature `bias` in every row), or o = K alpha, ||w||^2 = alpha'K alpha.  A labelled row has
 * one of the two costs, 1/l.  An unlabelled row has the cost lambda'/u at its present label (TSVM), or the costs
 * lambda' p/u and lambda' (1-p)/u (MFA).  So one row stands for what the paper writes as two identical rows, and one
 * solver serves all methods.
 *
 * With z_i = pos_i max(0, 1 - o_i) - neg_i max(0, 1 + o_i) the gradient is g = lambda w - X'z.  The dual point whose
 * variables are the two terms of each z_i has the value f - ||g||^2 / (2 lambda), so the gradient gives the duality
 * gap.
 *
 * wlab_mfn_shape gives the rows margins and a linear term of their own:
 *
 *     lambda/2 ||w||^2 + sum_i [ pos_i/2 max(0, a_i - o_i)^2 + neg_i/2 max(0, c_i + o_i)^2 + t_i o_i ],
 *
 * z_i = pos_i max(0, a_i - o_i) - neg_i max(0, c_i + o_i) - t_i.  The gap is the same, as for every sum of convex
 * differentiable losses of the outputs: the dual point is minus their derivatives.  wlab_mfn_centre subtracts a vector
 * from every row, so that the mean output of a set of rows can be 0 by construction (model/centred.h).
 */
#ifndef SVM_MFN_H
#define SVM_MFN_H

#include "base/two.h"
#include "base/walk.h"
#include "linalg/passes.h"
#include "linalg/woodbury.h"
#include "weaklab/event.h"

typedef enum wlab_mfn_mode {
    WL_MFN_FAST, /* conjugate gradients on the Newton system, one pass over the data per iteration, to a tolerance
                    proportional to the gradient; stops at a certified relative gap of eps */
    WL_MFN_PAPER /* CGLS and the stopping rules of the paper: Tables 1, 2 and 7 */
} wlab_mfn_mode;
extern const char *const wlab_mfn_modes[]; /* "fast", "paper", NULL */

typedef struct wlab_mfn {
    /* ---- as created ---- */
    const wlab_matrix *X; /* linear; borrowed */
    const double *K;      /* [n x n] or NULL: linear; borrowed; includes bias^2 */
    wlab_passes *passes;  /* linear */
    wlab_rows rows;       /* on how many ranks X has its rows; K: all are here */
    double entries;       /* linear: stored entries of all rows */
    int64_t n;            /* rows here */
    int64_t dim;          /* of w: X->cols (+ 1 if bias is not 0), or n (alpha) */
    double bias, lambda, eps;
    wlab_mfn_mode mode;
    double piece; /* linear: about how many entries of the data one call of wlab_mfn_iterate reads */
    /* ---- the problem: the caller writes these and calls wlab_mfn_start, or uses wlab_mfn_set_costs ---- */
    double *pos, *neg; /* [n] costs, >= 0 */
    double *a, *c, *t; /* [n] margins and tilt, or NULL: 1, 1, 0 */
    double *mean;      /* [X->cols] subtracted from every row (linear), or NULL */
    double slack;      /* kernel, 500 rows and more: see wlab_mfn_enough; 0 if the caller does not set it */
    /* ---- the state, which a snapshot holds ---- */
    double *w;           /* [dim] w, the weight of the constant feature last; or alpha */
    double *o;           /* [n] outputs of the present w */
    double norm;         /* ||w||^2 */
    double f;            /* f(w); NaN until the first iteration after a start */
    double gradient;     /* ||g||; for kernels sqrt(g'K g) of its coefficients */
    double gap;          /* primal - dual at w */
    int64_t newtons, cg; /* iterations since the start */
    bool done;           /* the criterion holds at w */
    bool stalled;        /* no progress in doubles, or 200 Newton iterations (paper: 50) */
    bool cold, precise;  /* paper: w was 0 at the start; epsilon is already 1e-6 */
    bool g_known;        /* g belongs to the present w and costs, but for X'z if g_owes */
    bool g_owes;         /* only between a change of costs and wlab_mfn_start */
    bool exact;          /* kernel: conjugate gradients gain nothing more, a factor is needed */
    bool in_cg;          /* inside a Newton iteration: s, r, q, e, h are in use */
    int64_t cg_now;      /* CG iterations in this Newton iteration */
    double rho, target;  /* r'M^-1 r; the ||r|| at which to stop */
    double *g;           /* [dim] gradient; for kernels its coefficients */
    double *s, *r, *q;   /* [dim] Newton direction so far, residual, conjugate direction */
    double *h, *e;       /* [n] curvatures of the losses; change of outputs along s */
    double *z;           /* [n] paper: z of Table 2; what rows that change add to the gradient */
    /* ---- kernel: made again when needed ---- */
    wlab_woodbury *near; /* many rows: the preconditioner, */
    float *
        single; /* and K at `row`, in single precision: the lower triangle of [nsingle x nsingle] in [n x n] */
    int32_t *row; /* [nsingle], ascending; NULL: none yet */
    int64_t nsingle;
    double *factor; /* [nfactor x nfactor] of the system with the h of `factored` [n] */
    double *factored;
    int64_t nfactor;
    /* ---- workspace ---- */
    double *Hq, *Xq; /* [dim], [n] */
    double *sums;    /* kernel: [wlab_symmetric_sums(n)] */
} wlab_mfn;

/* A row's loss at output o: half its costs times squares.  *z: minus its derivative; *h: its curvature. */
static inline double wlab_mfn_loss(double pos, double neg, double o, double *z, double *h)
{
    const double a = o < 1 ? 1 - o : 0, b = o > -1 ? 1 + o : 0;

    *z = pos * a - neg * b;
    *h = (o < 1 ? pos : 0) + (o > -1 ? neg : 0);
    return 0.5 * (pos * a * a + neg * b * b);
}

/* The same for row i of m, with its margins and tilt. */
static inline double wlab_mfn_row_loss(const wlab_mfn *m, int64_t i, double o, double *z, double *h)
{
    if (!m->t)
        return wlab_mfn_loss(m->pos[i], m->neg[i], o, z, h);
    const double a = o < m->a[i] ? m->a[i] - o : 0, b = o > -m->c[i] ? m->c[i] + o : 0;

    *z = m->pos[i] * a - m->neg[i] * b - m->t[i];
    *h = (o < m->a[i] ? m->pos[i] : 0) + (o > -m->c[i] ? m->neg[i] : 0);
    return 0.5 * (m->pos[i] * a * a + m->neg[i] * b * b) + m->t[i] * o;
}

/* The same for rows i and i + 1, with the same bits; left = 1: for row i alone, the other results are 0. */
static inline wlab_two wlab_mfn_two_losses(const wlab_mfn *m, int64_t i, int64_t left, wlab_two o,
                                           wlab_two *z, wlab_two *h)
{
    const wlab_two pos = wlab_two_load_some(m->pos + i, left), neg = wlab_two_load_some(m->neg + i, left);
    const wlab_two up = m->t ? wlab_two_load_some(m->a + i, left) : wlab_two_of(1),
                   down = m->t ? wlab_two_load_some(m->c + i, left) : wlab_two_of(1);
    const wlab_two a = wlab_two_positive(up - o), b = wlab_two_positive(down + o);

    *z = pos * a - neg * b;
    *h = wlab_two_where(wlab_two_less(o, up), pos) + wlab_two_where(wlab_two_less(-down, o), neg);
    const wlab_two loss = 0.5 * (pos * a * a + neg * b * b);
    if (!m->t)
        return loss;
    const wlab_two tilt = wlab_two_load_some(m->t + i, left);
    *z -= tilt;
    return loss + tilt * o;
}

/* What eps is relative to: f without the tilt's part. */
static inline double wlab_mfn_scale_of(const wlab_mfn *m)
{
    double f = m->f;
    for (int64_t i = 0; m->t && i < m->n; i++)
        f -= m->t[i] * m->o[i];
    return f;
}

/* Starts at w = 0.  Linear: pass X and bias, and K = NULL (n is not used).  Kernel: pass K and n, and X = NULL (bias
 * is not used).  eps: the relative gap, used only by WL_MFN_FAST. */
wlab_code wlab_mfn_create(wlab_mfn **, const wlab_matrix *X, double bias, const double *K, int64_t n,
                          double lambda, wlab_mfn_mode, double eps, wlab_err *);
void wlab_mfn_destroy(wlab_mfn *);
/* Allocates margins and tilt, 1, 1 and 0, for the caller to change.  eps is then relative to f without the tilt's part, as
 * the whole may be negative.  Only for WL_MFN_FAST. */
wlab_code wlab_mfn_shape(wlab_mfn *, wlab_err *);
/* Linear, without bias: subtracts mean [X->cols], which is copied, from every row; the data remain as they are. */
wlab_code wlab_mfn_centre(wlab_mfn *, const double *mean, wlab_err *);
/* Starts a new minimisation at w, after the costs changed (or w: then o = X w must hold). */
void wlab_mfn_start(wlab_mfn *, wlab_pool *);
/* Changes the costs of row i of this rank.  wlab_mfn_start then updates the gradient if it is known, in as many operations
 * as the changed rows have nonzeros.  A rank that changes no row while others do calls wlab_mfn_changes. */
void wlab_mfn_changes(wlab_mfn *);
void wlab_mfn_set_costs(wlab_mfn *, int64_t i, double pos, double neg);
/* Multiplies the costs (and tilts) of rows with sort[i] != 0 by `factor`; wlab_mfn_start then updates the gradient if it is
 * known, in as many operations as the other rows have nonzeros. */
void wlab_mfn_scale(wlab_mfn *, const uint8_t *sort, double factor);
/* One Newton iteration, or on large data a part of one (some CG iterations).  Sets done or stalled at the end of the
 * minimisation. */
wlab_code wlab_mfn_iterate(wlab_mfn *, wlab_ctx *, wlab_err *);
/* Recomputes o = X w or K alpha after the caller has written w. */
void wlab_mfn_outputs(wlab_mfn *, wlab_pool *);
/* The gap that ends the present minimisation: that of eps, or after one Newton iteration at least m->slack, up to 100 times
 * that of eps. */
double wlab_mfn_enough(const wlab_mfn *);
/* Writes or reads a snapshot of all but the costs and slack.  The caller derives these from its own state and must set them
 * before it reads a snapshot. */
void wlab_mfn_walk(void *mfn, wlab_walk *);

/* ---- mfn_search.c: the exact line search, of the linear and the kernel solver ---- */
/* argmin over delta >= 0 of f(w + delta s): the root of a piecewise linear function, by Newton's method within a
 * bracket.  slope0 = lambda w's, curve = lambda ||s||^2, e = outputs of s. */
double wlab_mfn_line_search(const wlab_mfn *, double slope0, double curve, const double *e, wlab_pool *);
/* ---- mfn_kernel.c ---- */
/* One Newton iteration on alpha: (lambda H_J^-1 + K_JJ) alpha_J = targets, by Cholesky, |J|^3 / 3, or with at least
 * 500 rows mostly by some conjugate gradient iterations of |J|^2 (n^2 if most rows are in J). */
wlab_code wlab_mfn_kernel_iterate(wlab_mfn *, wlab_ctx *, wlab_err *);

#endif
