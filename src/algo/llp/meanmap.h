/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: what the estimation of the means (meanmap_means.c), the Newton iterations (meanmap_newton.c) and the
 * stepping (meanmap.c) share.
 *
 *     min over theta of  P = sum_i [ log 2 cosh f_i - c_i f_i ] + lambda ||theta||^2,   f = <theta, phi(x)>
 *
 * over the n rows of which something is told; sum_i c_i phi(x_i) = n (P(+) mu_+ - P(-) mu_-), where mu are the means of
 * the classes that least squares find from the means of the bags.  With the dual point u = tanh f the duality gap is
 * ||gradient||^2 / (4 lambda).
 */
#ifndef ALGO_MEANMAP_H
#define ALGO_MEANMAP_H

#include "algo/llp/supers.h"
#include "linalg/passes.h"

#include <math.h>

typedef struct mm_means {
    double least, most; /* proportions told */
    double condition;   /* of the least squares' matrix; INFINITY: all proportions are the same */
    bool singular;
    double prior; /* P(+): the share of positives among all rows */
} mm_means;

typedef struct mm_state {
    wlab_problem *p;
    wlab_proportions *bags;
    wlab_supers *supers;
    wlab_kernel kernel;
    double lambda, eps;
    bool by_size; /* weights of the least squares */
    int64_t n;    /* instances */
    int64_t dim;  /* of theta: cols (+ 1 for bias), or n: coefficients of the rows */
    double *K;    /* [n x n], NULL: linear */
    wlab_passes *passes;
    double *in;    /* [n] 1: takes part, 0: nothing is told of the row */
    double *c;     /* [n] */
    double *apart; /* [n] sum_i apart_i phi(x_i) = mu_+ - mu_- */
    mm_means means;
    /* ---- snapshot ---- */
    int64_t step; /* 0: nothing; 1: the means */
    double objective, gradient, gap, upper, lower, distance, bag_error, length, seconds;
    int64_t cg, flips, halvings;
    bool stalled;
    double *theta; /* [dim] */
    double *f;     /* [n] outputs at theta */
    double *g;     /* [dim] gradient; for kernels its coefficients */
    int8_t *y;     /* [n] labels shown */
} mm_state;

/* in, c, apart and means, from the shares.  O(n). */
void mm_estimate(mm_state *);
/* The class means' distance. */
wlab_code mm_distance(const mm_state *, double *distance, wlab_ctx *, wlab_err *);
/* objective, g, gradient and gap at theta and f. */
wlab_code mm_evaluate(mm_state *, wlab_ctx *, wlab_err *);
/* One Newton iteration with a line search; sets stalled where none descends.  On an error nothing has changed. */
wlab_code mm_newton(mm_state *, wlab_ctx *, wlab_err *);

/* log(2 cosh f) */
static inline double mm_log_partition(double f)
{
    return fabs(f) + log1p(exp(-2 * fabs(f)));
}

#endif
