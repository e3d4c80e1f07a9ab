/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap and what follows it: state shared by the estimation of the means (meanmap_means.c; lmm_means.c), the Newton
 * iterations (meanmap_newton.c), the steps (meanmap.c), and the algorithms mean-map, lmm and amm.
 *
 *     min over theta of  P = sum_i [ log 2 cosh f_i - c_i f_i ] + lambda ||theta||^2,   f = <theta, phi(x)>
 *
 * over the n rows of the super-instances, that is, those with a label or in a bag with a given proportion.
 * sum_i c_i phi(x_i) = n (P(+) mu_+ - P(-) mu_-), where mu_+ and mu_- are the class means that least squares (mean-map), or
 * means of each class in each bag (lmm), estimate from the means of the bags.  amm then has labels in place of c.  With the dual point u = tanh f the duality gap is ||gradient||^2 / (4 lambda).
 */
#ifndef ALGO_MEANMAP_H
#define ALGO_MEANMAP_H

#include "algo/algos.h"
#include "algo/llp/super_instances.h"
#include "base/walk.h"
#include "linalg/passes.h"

#include <math.h>

typedef struct mm_means {
    double least, most; /* smallest and largest given proportion */
    double condition;   /* of the least squares' matrix; INFINITY: all proportions are the same */
    bool singular;
    double prior; /* P(+): the proportion of positives among all rows */
} mm_means;

typedef enum mm_kind {
    MM_MEAN_MAP,
    MM_LAPLACIAN,  /* lmm */
    MM_ALTERNATING /* amm */
} mm_kind;

typedef struct mm_best {
    double objective, gradient, gap; /* NaN: no fit to labels has ended */
    int64_t round;
} mm_best;

typedef struct mm_state {
    mm_kind kind;
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
    double smoothness,
        width;      /* lmm, amm: gamma, and the width of the bags' similarity; NaN: the median distance */
    int64_t rounds; /* amm: at most */
    bool worst;     /* amm variant=max: each round has the labels that fit theta worst */
    double *V;      /* lmm, amm: [bags x bags] their similarity, NULL before step 1 */
    /* ---- snapshot; of lmm and amm also c and apart ---- */
    int64_t round;               /* amm: 0: with the estimated means; then the number of labelings fitted */
    bool ended, limited;         /* amm: the labels repeat; rounds= are done */
    uint64_t *seen;              /* amm: [rounds + 1] hashes of the labelings, by round from 1 on */
    mm_best best;                /* amm: the fit to labels with the smallest objective */
    double *best_theta, *best_f; /* amm variant=max: [dim], [n] of that fit */
    int8_t *fitted;              /* amm: [n] the labels that c has; 0 before */
    int64_t step;                /* 0: nothing is computed; 1: the class means are */
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

/* lmm, amm: the same with a mean of each class in each bag; sets V, c and apart.  WL_ENUMERIC if the data are not finite.
 * Cost: the kernel of the bags' means, and (2 bags)^3 / 3. */
wlab_code mm_estimate_smooth(mm_state *, wlab_ctx *, wlab_err *);

/* The hooks of mean-map, lmm and amm. */
extern const wlab_metric_info mm_metrics[];
#define MM_LAMBDA_PARAMS                                                                                     \
    {                                                                                                        \
        "lambda", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "weight of ||theta||^2",                          \
            WL_P_OPEN_LO | WL_P_OBJECTIVE                                                                    \
    }
#define MM_EPS_PARAM                                                                                         \
    {                                                                                                        \
        "eps", WL_P_REAL, "1e-9", 0, 1, NULL, "relative",                                                    \
            "a fit has converged when inner_gap is at most eps times the objective at theta = 0",            \
            WL_P_OPEN_LO                                                                                     \
    }
/* clang-format off */
#define MM_SMOOTH_PARAMS                                                                                     \
    {"smooth", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL,                                                      \
     "weight of the differences between the class means of similar bags; the larger, the nearer to mean-map", \
     WL_P_OPEN_LO | WL_P_OBJECTIVE},                                                                         \
    {"width", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL,                                                      \
     "width of the bags' similarity exp(-||m_k - m_l|| / width); the default is the median distance",        \
     WL_P_OPEN_LO | WL_P_OBJECTIVE}
/* clang-format on */
wlab_code mm_create(void **state, mm_kind, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
wlab_code mm_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
void mm_observe(const void *state, double *metric, int8_t *labels);
wlab_code mm_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
void mm_explain(const void *state, char *buf, size_t size);
void mm_next(const void *state, char *buf, size_t size);
void mm_walk(void *state, wlab_walk *);
const wlab_kernel *mm_kernel(const void *state);
void mm_destroy(void *state);
extern const wlab_probe mm_probes[]; /* of lmm and amm */
/* amm, after a fit: the next labels as c of the next fit, or sets ended if they were fitted before.  After an error the
 * state is unchanged. */
wlab_code amm_label(mm_state *, wlab_ctx *, wlab_err *);
/* amm, at the end of a step; fit: that of the round has ended.  Keeps the best fit, to which variant=max returns at its end. */
void amm_keep(mm_state *, bool fit);
void amm_explain_end(const mm_state *, char *buf, size_t size);
/* Whether theta is the minimum for c, to eps. */
bool mm_fitted(const mm_state *);

/* log(2 cosh f) */
static inline double mm_log_partition(double f)
{
    return fabs(f) + log1p(exp(-2 * fabs(f)));
}

#endif
