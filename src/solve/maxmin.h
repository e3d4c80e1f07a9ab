/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The largest of the smallest of a few linear functions over a box,
 *
 *     max over y in [-1, 1]^u of  min over t of  c_t'y + d_t   =   min over mu in the simplex of  d'mu + ||C'mu||_1,
 *
 * a linear program with few functions and many variables.  Each step is a proximal one: it maximises
 * min_t (c_t'y + d_t) - ||y - y_0||^2 / (2 tau) from the last y_0, whose dual is smooth in mu and is solved by Newton's method
 * with a small QP per iteration.  For a linear program such steps end after finitely many.  Every y and mu bound the value
 * from below and above.
 */
#ifndef SOLVE_MAXMIN_H
#define SOLVE_MAXMIN_H

#include "base/walk.h"

typedef struct wlab_maxmin {
    int64_t t, u; /* functions, variables */
    double *c;    /* [t x u], the caller fills it */
    double *d;    /* [t] */
    /* ---- the state, which a snapshot holds ---- */
    double *y;           /* [u] the point; 0 at first */
    double *mu;          /* [t] in the simplex; equal at first */
    double lower, upper; /* values of y and mu: lower <= optimum <= upper; the best so far */
    double *best;        /* [u] the y of `lower` */
    double tau;
    int64_t steps, idle; /* idle: the last ones that moved neither bound */
} wlab_maxmin;

wlab_code wlab_maxmin_create(wlab_maxmin **, int64_t t, int64_t u, wlab_err *);
void wlab_maxmin_destroy(wlab_maxmin *); /* NULL: no effect */
/* Begins at y [u]; sets lower and upper. */
void wlab_maxmin_start(wlab_maxmin *, const double *y);
/* One proximal step.  t u operations per Newton iteration, of which there are some tens at most. */
wlab_code wlab_maxmin_step(wlab_maxmin *, wlab_err *);
void wlab_maxmin_walk(wlab_maxmin *, wlab_walk *);

#endif
