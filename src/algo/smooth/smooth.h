/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by algorithms that descend a differentiable objective (s3vm.c, entropy.c):
 *
 *     min over w of F(w) = penalty/2 ||w||^2 + sum_i loss_i(o_i),   o = the outputs of w (model/centred.h),
 *
 * where loss_i changes from level to level (a weight, a temperature, a width).  Here are the rows, w, the evaluation of F
 * and its gradient, the labels by the signs of the outputs, and the slice of F along the last move.
 */
#ifndef WEAKLAB_ALGO_SMOOTH_H
#define WEAKLAB_ALGO_SMOOTH_H

#include "algo/algos.h"
#include "base/walk.h"
#include "model/centred.h"
#include "model/kernel.h"
#include "solve/descent/lbfgs.h"

typedef struct smooth smooth;

/* The loss of a row, with its weight, at output o, and its first and second derivative. */
typedef struct smooth_loss {
    double value, first, second;
} smooth_loss;

struct smooth {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    wlab_centred *rows;
    int64_t n, l, u;
    double penalty;
    /* The loss of row i of the current level; `of` is the algorithm's state. */
    smooth_loss (*loss)(const void *of, int64_t i, double o);
    const void *of;
    /* ---- snapshot ---- */
    wlab_lbfgs *at; /* w, F, gradient */
    int8_t *y;      /* [n] displayed labels */
    double *o;      /* [n] outputs of w */
    double *before; /* [dim] w before the last step that moved it */
    bool moved;     /* there was such a step */
    int64_t flips, step;
    double seconds;
    /* ---- workspace ---- */
    double *z, *to; /* [n] derivatives; outputs of another w */
};

/* Fills *s, which must be zero, except p, kernel, penalty, loss and of, which the caller has set; p is already a
 * reference.  member, b0, factor: as in wlab_centred_make.  On failure wlab_smooth_clear frees what was allocated. */
wlab_code wlab_smooth_create(smooth *, const uint8_t *member, double b0, bool factor, wlab_ctx *, wlab_err *);
void wlab_smooth_clear(smooth *);
/* F and its gradient at w, for wlab_lbfgs: `job` is a smooth_job.  Cost: two passes over the rows. */
typedef struct smooth_job {
    smooth *s;
    wlab_ctx *ctx;
} smooth_job;
wlab_code wlab_smooth_evaluate(void *job, const double *w, double *f, double *g, wlab_err *);
/* penalty/2 ||w||^2 + sum of the losses at w with outputs o. */
double wlab_smooth_value(const smooth *, const double *w, const double *o);
/* After w moved away from `before`: outputs, labels and flips. */
void wlab_smooth_after_step(smooth *, wlab_pool *);
wlab_code wlab_smooth_model(const smooth *, wlab_model **, wlab_ctx *, wlab_err *);
void wlab_smooth_walk(smooth *, wlab_walk *);

/* ---- the probe of kind WL_PROBE_SLICE ---- */
/* F(before + t (w - before)) for the t of the slice, at the current level. */
wlab_code wlab_smooth_slice(const smooth *, wlab_probed *out, wlab_ctx *, wlab_err *);

#endif
