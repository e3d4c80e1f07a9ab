/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by dd and em-dd: a concept t in the space of the instances, with a scale s_k for each column, that is near to
 * some instance of every positive bag and far from all instances of negative ones (Maron and Lozano-Perez, NIPS 1998):
 *
 *     d_j = sum_k s_k^2 (x_jk - t_k)^2,   p_j = exp(-d_j): the probability that instance j is positive,
 *     NLDD(t, s) = - sum over positive bags of log(1 - prod_j (1 - p_j))  -  sum over negative bags of sum_j log(1 - p_j)
 *
 * with columns of mean 0 and deviation 1.  em-dd has only the nearest instance of each bag in these sums.  There are many
 * local minima, so several starts descend side by side.
 */
#ifndef ALGO_DENSITY_H
#define ALGO_DENSITY_H

#include "algo/algos.h"
#include "solve/descent/lbfgs.h"

typedef struct density_start {
    wlab_lbfgs *at;  /* w = (t, s), 2 d numbers */
    double value;    /* dd: NLDD at w; em-dd: that of the nearest instances; NaN before the first step */
    double gradient; /* its norm at the end of the last descent */
    bool moving, stalled;
    int64_t rounds; /* iterations (dd), rounds (em-dd) */
} density_start;

typedef struct density {
    wlab_problem *p; /* a reference */
    int64_t n, d, restarts, most;
    bool em;
    double eps;
    double *X;              /* [n x d] standardised columns */
    double *centre, *width; /* [d] of the columns */
    int64_t *first;         /* [bags + 1] */
    int32_t *row;           /* [n] the instances by bag */
    /* ---- snapshot ---- */
    density_start *r; /* [restarts] */
    int64_t turn, step, leader, flips;
    bool finished, limited;
    double seconds;
    int8_t *shown; /* [n] */
    /* ---- workspace ---- */
    double *dist, *weight; /* [n] */
    int32_t *chosen;       /* [bags] */
    double *old;           /* [2 d] */
} density;

/* clang-format off */
#define DENSITY_PARAMS(most, most_meaning)                                                                   \
    {.name = "restarts", .type = WL_P_INT, .fallback = "10", .lo = 1, .hi = 1000,                            \
     .meaning = "number of starts: each begins at an instance of a positive bag, the bags in random order"}, \
    {.name = "scale", .type = WL_P_REAL, .lo = 0, .hi = HUGE_VAL,                                            \
     .meaning = "first s of every column, in units of its deviation; the default is 1/sqrt(columns)",        \
     .flags = WL_P_OPEN_LO},                                                                                 \
    {.name = "iterations", .type = WL_P_INT, .fallback = most, .lo = 1, .hi = 1e9, .meaning = most_meaning,  \
     .flags = WL_P_MUTABLE},                                                                                 \
    {.name = "eps", .type = WL_P_REAL, .fallback = "1e-5", .lo = 0, .hi = 1,                                 \
     .meaning = "a descent ends when the norm of the gradient is at most this times 1 + |objective|",        \
     .flags = WL_P_OPEN_LO},                                                                                 \
    {.name = "seed", .type = WL_P_INT, .fallback = "1", .lo = 0, .hi = 0x1p53, .meaning = "seed of the starts"}
/* clang-format on */
extern const wlab_metric_info density_metrics[];
extern const wlab_probe density_probes[];

wlab_code density_create(void **state, wlab_problem *, bool em, const wlab_params *, wlab_ctx *, wlab_err *);
wlab_code density_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
void density_observe(const void *state, double *metric, int8_t *labels);
wlab_code density_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
void density_explain(const void *state, char *buf, size_t size);
void density_next(const void *state, char *buf, size_t size);
void density_walk(void *state, struct wlab_walk *);
wlab_code density_set(void *state, const wlab_params *, wlab_err *);
void density_destroy(void *state);

int64_t density_count_moving(const density *);
/* Column k of the concept w, in units of the data. */
double density_concept_at(const density *, const double *w, int64_t k);

/* The objective at w, which changes only the workspace: NLDD over all instances (dd) or over the nearest one of each bag
 * (em-dd). */
double density_objective(density *, const double *w, double part[2]);
/* For the tests: NLDD at w = (t, s) over all instances, or over one of each bag (chosen), and its gradient g, if that is
 * not NULL.  part[2]: what the positive and the negative bags contribute.  2 n d operations. */
double density_value(density *, const double *w, const int32_t *chosen, double *g, double part[2]);
/* chosen [bags] = the nearest instance of each bag. */
void density_choose(density *, const double *w, int32_t *chosen);

#endif
