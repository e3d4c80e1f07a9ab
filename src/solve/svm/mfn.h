/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L2-SVM-MFN (Keerthi and DeCoste; Table 1 of Sindhwani and Keerthi), stepped one Newton iteration at a time:
 *
 *     min over w of f(w) = lambda/2 ||w||^2 + 1/2 sum_i [ pos_i max(0, 1 - o_i)^2 + neg_i max(0, 1 + o_i)^2 ],
 *
 * o = X w (with a feature of `bias` for every row), or o = K alpha, ||w||^2 = alpha'K alpha.  A labelled row has one
 * of the two costs, 1/l; an unlabelled one has lambda'/u at its label (TSVM), or lambda' p/u and lambda' (1-p)/u (MFA):
 * so that what the paper writes as two identical rows is one, and one solver serves all.
 *
 * With z_i = pos_i max(0, 1 - o_i) - neg_i max(0, 1 + o_i) the gradient is g = lambda w - X'z, and since the natural
 * dual point has the value f - ||g||^2 / (2 lambda), the duality gap is known whenever the gradient is.
 */
#ifndef SVM_MFN_H
#define SVM_MFN_H

#include "base/walk.h"
#include "linalg/passes.h"
#include "weaklab/event.h"

typedef enum wlab_mfn_mode {
    WL_MFN_FAST, /* conjugate gradients on the Newton system, one pass an iteration, to a tolerance that follows
                    the gap; stops at a certified relative gap of eps */
    WL_MFN_PAPER /* CGLS and stopping rules as printed: Tables 1, 2 and 7 */
} wlab_mfn_mode;
extern const char *const wlab_mfn_modes[]; /* "fast", "paper", NULL */

typedef struct wlab_mfn {
    /* ---- as created ---- */
    const wlab_matrix *X; /* linear; borrowed */
    const double *K;      /* [n x n] or NULL: linear; borrowed; includes bias^2 */
    wlab_passes *passes;  /* linear */
    int64_t n;
    int64_t dim; /* of w: X->cols (+ 1 where bias is not 0), or n (alpha) */
    double bias, lambda, eps;
    wlab_mfn_mode mode;
    double piece; /* linear: entries of the data that one call of wlab_mfn_iterate goes over, about */
    /* ---- the problem: the caller writes these and calls wlab_mfn_start, or uses wlab_mfn_recost ---- */
    double *pos, *neg; /* [n] costs, >= 0 */
    /* ---- where it stands: what a snapshot holds ---- */
    double *w;           /* [dim] w with the weight of the feature of ones last, or alpha */
    double *o;           /* [n] outputs, always of w */
    double norm;         /* ||w||^2 */
    double f;            /* f(w); NaN until the first iteration after a start */
    double gradient;     /* ||g||; for kernels sqrt(g'K g) of its coefficients */
    double gap;          /* primal - dual at w */
    int64_t newtons, cg; /* iterations since the start */
    bool done;           /* the criterion holds at w */
    bool stalled;        /* no progress in doubles, or 200 Newton iterations (paper: 50) */
    bool cold, precise;  /* paper: w was 0; epsilon is 1e-6 by now */
    bool g_known;        /* g belongs to w and the costs */
    bool in_cg;          /* a Newton iteration is half done: s, r, q, e, h are live */
    int64_t cg_now;      /* CG iterations in this Newton iteration */
    double rho, target;  /* r'M^-1 r; ||r|| to reach */
    double *g;           /* [dim] gradient; for kernels its coefficients */
    double *s, *r, *q;   /* [dim] direction so far, residual, conjugate direction */
    double *h, *e;       /* [n] curvatures; change of outputs along s */
    double *z;           /* [n] paper: z of Table 2 */
    /* ---- workspace ---- */
    double *Hq, *Xq; /* [dim], [n] */
} wlab_mfn;

/* What the row's term is at output o: half its costs times squares; *z: minus its derivative; *h: its curvature. */
static inline double wlab_mfn_loss(double pos, double neg, double o, double *z, double *h)
{
    const double a = o < 1 ? 1 - o : 0, b = o > -1 ? 1 + o : 0;

    *z = pos * a - neg * b;
    *h = (o < 1 ? pos : 0) + (o > -1 ? neg : 0);
    return 0.5 * (pos * a * a + neg * b * b);
}

/* w = 0.  Linear: X and bias, K NULL.  Kernel: K, X NULL and n.  eps: relative gap (WL_MFN_FAST). */
wlab_code wlab_mfn_create(wlab_mfn **, const wlab_matrix *X, double bias, const double *K, int64_t n,
                          double lambda, wlab_mfn_mode, double eps, wlab_err *);
void wlab_mfn_destroy(wlab_mfn *);
/* The costs changed (or w: then o = X w must hold): a new minimisation begins at w. */
void wlab_mfn_start(wlab_mfn *);
/* Row i gets other costs; the gradient, where it is known, follows: cost nnz(x_i).  Call wlab_mfn_start after the last. */
void wlab_mfn_recost(wlab_mfn *, int64_t i, double pos, double neg);
/* Rows with sort[i] != 0 get `factor` times their costs; the gradient follows as above, at the cost of the others. */
void wlab_mfn_scale(wlab_mfn *, const uint8_t *sort, double factor);
/* One Newton iteration, or on large data a part of one (some CG iterations); sets done or stalled when it ends. */
wlab_code wlab_mfn_iterate(wlab_mfn *, wlab_ctx *, wlab_err *);
/* o = X w or K alpha anew, after w was written. */
void wlab_mfn_outputs(wlab_mfn *, wlab_pool *);
/* All but the costs, which follow from what the caller keeps: they must be there before it is read. */
void wlab_mfn_walk(void *mfn, wlab_walk *);

/* ---- mfn_search.c: the exact line search, shared ---- */
/* argmin over delta >= 0 of f(w + delta s): the root of a piecewise linear function, by Newton's method within a bracket.
 * slope0 = lambda w's, curve = lambda ||s||^2, e = outputs of s. */
double wlab_mfn_line_search(const wlab_mfn *, double slope0, double curve, const double *e, wlab_pool *);
/* ---- mfn_kernel.c: one Newton iteration on alpha: (lambda H_J^-1 + K_JJ) alpha_J = targets, by Cholesky |J|^3/3 ---- */
wlab_code wlab_mfn_kernel_iterate(wlab_mfn *, wlab_ctx *, wlab_err *);

#endif
