/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: state shared by the estimation of the means (meanmap_means.c), the Newton iterations (meanmap_newton.c)
 * and the steps (meanmap.c).
 *
 *     min over theta of  P = sum_i [ log 2 cosh f_i - c_i f_i ] + lambda ||theta||^2,   f = <theta, phi(x)>
 *
 * over the n rows of the super-instances, that is, those with a label or in a bag with a given proportion.
 * sum_i c_i phi(x_i) = n (P(+) mu_+ - P(-) mu_-), where mu_+ and mu_- are the class means that least squares estimate
 * from the means of the bags.  With the dual point u = tanh f the duality gap is ||gradient||^2 / (4 lambda).
 */
#ifndef ALGO_MEANMAP_H
#define ALGO_MEANMAP_H

#include "algo/llp/super_instances.h"
#include "linalg/passes.h"

#include <math.h>

typedef struct mm_means {
    double least, most; /* smallest and largest given proportion */
    double condition;   /* of the least squares' matrix; INFINITY: all proportions are the same */
    bool singular;
    double prior; /* P(+): the proportion of positives among all rows */
} mm_means;

typedef struct mm_state {
    wlab_problem *p;
    wlab_proportions *bags;
    wlab_super_instances *super_instances;
    wlab_kernel kernel;
    double lambda, eps;
    bool by_size; /* weights of the least squares */
    int64_t n;    /* instances */
    int64_t dim;  /* of theta: cols (+ 1 for bias), or n: coefficients of the rows */
    double *K;    /* [n x n], NULL: linear */
    wlab_passes *passes;
    double *in;    /* [n] 1: in a super-instance, 0: in none */
    double *c;     /* [n] */
    double *apart; /* [n] sum_i apart_i phi(x_i) = mu_+ - mu_- */
    mm_means means;
    /* ---- snapshot ---- */
    int64_t step; /* 0: nothing is computed; 1: the class means are */
    double objective, gradient, gap, upper, lower, distance, bag_error, length, seconds;
    int64_t cg, flips, halvings;
    bool stalled;
    double *theta; /* [dim] */
    double *f;     /* [n] outputs at theta */
    double *g;     /* [dim] gradient; for kernels its coefficients */
    int8_t *y;     /* [n] displayed labels */
} mm_state;

/* Sets in, c, apart and means from the proportions.  O(n). */
void mm_estimate(mm_state *);
/* The distance between the class means. */
wlab_code mm_distance(const mm_state *, double *distance, wlab_ctx *, wlab_err *);
/* Sets objective, g, gradient and gap at theta and f. */
wlab_code mm_evaluate(mm_state *, wlab_ctx *, wlab_err *);
/* One Newton iteration with a line search; sets stalled if no step length lowers the objective.  On an error the
 * state is unchanged. */
wlab_code mm_newton(mm_state *, wlab_ctx *, wlab_err *);

/* log(2 cosh f) */
static inline double mm_log_partition(double f)
{
    return fabs(f) + log1p(exp(-2 * fabs(f)));
}

#endif
