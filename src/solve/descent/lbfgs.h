/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L-BFGS (Nocedal 1980; Liu and Nocedal 1989), one iteration per call:
 *
 *     min over w of f(w), f differentiable, w in R^dim.
 *
 * The direction is d = -B g, where B approximates the inverse Hessian by the last WL_LBFGS_PAIRS pairs of a move and
 * the change of the gradient along it (two-loop recursion).  A line search then finds a step length a with
 *
 *     f(w + a d) <= f(w) + 1e-4 a g'd   (Armijo)   and   g(w + a d)'d >= 0.9 g'd   (Wolfe).
 *
 * f never rises.  On a convex quadratic function the method converges linearly at least; with exact line searches it
 * would need dim iterations.
 *
 * The library liblbfgs has the same method, but its function returns only when the minimum is found, and keeps the
 * pairs in memory of its own.  So a run could be neither stepped nor continued from a snapshot.  Here the state is one
 * struct, whose fields wlab_lbfgs_walk names.
 */
#ifndef SOLVE_LBFGS_H
#define SOLVE_LBFGS_H

#include "base/walk.h"

enum {
    WL_LBFGS_PAIRS = 10
};

/* Writes f(w) to *f and the gradient to g[dim].  If it fails, an iteration fails with the same code.  A value that is
 * not finite makes the line search try a shorter step. */
typedef wlab_code wlab_lbfgs_fn(void *of, const double *w, double *f, double *g, wlab_err *);

typedef struct wlab_lbfgs {
    int64_t dim;
    /* ---- the state, which a snapshot holds ---- */
    double *w, *g;                   /* [dim] the point, and the gradient there */
    double *S, *Y;                   /* [WL_LBFGS_PAIRS x dim] moves, and changes of the gradient; a ring */
    double f, gradient;              /* f(w), ||g||; NaN before the first evaluation */
    double length;                   /* of the last move, ||a d||; 0: none since the start */
    int64_t iterations, evaluations; /* since the start */
    int32_t pairs, newest;           /* how many pairs are stored; the place of the newest */
    bool known;                      /* f and g belong to w */
    bool stalled;                    /* no step lowers f in double precision */
    /* ---- workspace ---- */
    double *d, *try_w, *try_g; /* [dim] */
} wlab_lbfgs;

/* Starts at w = 0.  Memory: 25 dim numbers. */
wlab_code wlab_lbfgs_create(wlab_lbfgs **, int64_t dim, wlab_err *);
void wlab_lbfgs_destroy(wlab_lbfgs *); /* NULL: no effect */
/* Starts a new minimisation from the current w, after the caller wrote w or f became another function. */
void wlab_lbfgs_start(wlab_lbfgs *);
/* Evaluates f and g at w if they are not known. */
wlab_code wlab_lbfgs_evaluate(wlab_lbfgs *, wlab_lbfgs_fn *, void *of, wlab_err *);
/* One iteration.  If no step along d lowers f, it forgets the pairs and tries d = -g; if that fails too, it sets
 * `stalled` and leaves w as it is.  After an error the state is as before the call, apart from f and g, which may have
 * become known.  Cost: 40 dim operations and about one evaluation, more in the first iterations. */
wlab_code wlab_lbfgs_iterate(wlab_lbfgs *, wlab_lbfgs_fn *, void *of, wlab_err *);
void wlab_lbfgs_walk(void *lbfgs, wlab_walk *);

#endif
