/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by algorithms that descend a differentiable objective (s3vm.c, entropy.c, pu/):
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
    /* ---- the algorithm sets these before wlab_smooth_create ---- */
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    double penalty;
    int64_t levels;     /* after level 0 */
    int64_t iterations; /* of a level, at most */
    double eps;         /* a level ends when ||gradient|| <= eps (1 + |F|) */
    void *of;           /* the algorithm's state, for: */
    smooth_loss (*loss)(const void *of, int64_t i, double o); /* the loss of row i at the current level */
    /* In place of `loss`, for an F that is no sum over the rows: its part in the outputs o, and the derivatives z (unless
     * NULL). */
    double (*data)(const void *of, const double *o, double *z);
    /* Whether F is small enough to end the level, by bounds that the algorithm keeps in `upper` and `lower` itself; NULL: by
     * eps, above. */
    bool (*minimal)(const void *of);
    double (*threshold)(void *of); /* the output above which a row is labelled +1, after a step; NULL: 0 */
    void (*set_level)(void *of);   /* computes what follows from `level` */
    void (*measure)(void *of);     /* after a step: J, upper, decided */
    wlab_code (*iterate)(void *of, wlab_ctx *, wlab_err *); /* NULL: L-BFGS */
    /* ---- made by it ---- */
    wlab_centred *rows;
    int64_t n, l, u;
    /* ---- snapshot ---- */
    wlab_lbfgs *at; /* w, F, gradient */
    int8_t *y;      /* [n] displayed labels */
    double *o;      /* [n] outputs of w */
    double cut;     /* the threshold */
    double *before; /* [dim] w before the last step that moved it */
    bool moved;     /* there was such a step */
    int64_t flips, step;
    double seconds;
    int64_t level;   /* 0: labelled rows alone; then 1 .. levels */
    int64_t tries;   /* iterations at this level */
    bool level_done; /* its minimum was found, or cannot be improved, or iterations= is reached */
    bool finished;
    bool decided;                       /* the algorithm needs no further level */
    wlab_verdict verdict;               /* of the level, if it is done */
    double objective, gradient, length; /* of the current level after the last step; by how far it moved w */
    int64_t evaluations;                /* at the level of the last step */
    double upper, lower; /* the smallest J so far; a certified lower bound on the labelled rows' objective */
    /* ---- workspace ---- */
    double *old;    /* [dim] w before this step */
    double *z, *to; /* [n] derivatives; outputs of another w */
};

/* Fills *s, which must be zero, except for what the algorithm sets.  member, b0, factor: as in wlab_centred_make.  On failure wlab_smooth_clear frees what was allocated. */
wlab_code wlab_smooth_create(smooth *, const uint8_t *member, double b0, bool factor, wlab_ctx *, wlab_err *);
void wlab_smooth_clear(smooth *);
/* F and its gradient at w, for wlab_lbfgs: `job` is a smooth_job.  Cost: two passes over the rows. */
typedef struct smooth_job {
    smooth *s;
    wlab_ctx *ctx;
} smooth_job;
wlab_code wlab_smooth_evaluate(void *job, const double *w, double *f, double *g, wlab_err *);
/* penalty/2 ||w||^2 at the present w. */
double wlab_smooth_norm(const smooth *);
/* penalty/2 ||w||^2 + sum of the losses at w with outputs o. */
double wlab_smooth_value(const smooth *, const double *w, const double *o);
/* wlab_algo.advance: one iteration, or, as a unit of its own, the preparation of a level.  Level 0 has the labelled rows
 * alone; its end sets `lower`, as the penalty makes F strongly convex: min F >= F - ||gradient||^2 / (2 penalty). */
wlab_code wlab_smooth_advance(smooth *, wlab_ctx *, wlab_step *, wlab_err *);
/* Reads iterations= and eps=.  A run that the old iterations= ended continues. */
void wlab_smooth_set(smooth *, const wlab_params *);
/* After the penalty changed: a new run from the present w, at level 0, with bounds that are not known yet. */
void wlab_smooth_again(smooth *);
/* What has been reached at the end of a level: "  The gradient is small enough: ..."; "" before. */
const char *wlab_smooth_reached(const smooth *);
enum {
    WL_SMOOTH_CHANGED = 100
};
/* How many unlabelled rows changed their sign, as a sentence; "" after the first step, which gives all of them a sign. */
const char *wlab_smooth_changed(const smooth *, char buf[WL_SMOOTH_CHANGED]);
/* Why nothing is left to do, once `finished`. */
const char *wlab_smooth_why(const smooth *);
wlab_code wlab_smooth_model(const smooth *, wlab_model **, wlab_ctx *, wlab_err *);
void wlab_smooth_walk(smooth *, wlab_walk *);

/* ---- the probe of kind WL_PROBE_SLICE ---- */
/* F(before + t (w - before)) for the t of the slice, at the current level. */
wlab_code wlab_smooth_slice(const smooth *, wlab_probed *out, wlab_ctx *, wlab_err *);

/* Defines the hooks `advance` and `model` and the table `probes` with the slice, whose text is `meaning`, for a state that has
 * its smooth in the member m. */
#define WLAB_SMOOTH_HOOKS(type, meaning_)                                                                    \
    static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)                     \
    {                                                                                                        \
        return wlab_smooth_advance(&((type *)state)->m, ctx, step, err);                                     \
    }                                                                                                        \
    static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)                \
    {                                                                                                        \
        return wlab_smooth_model(&((const type *)state)->m, out, ctx, err);                                  \
    }                                                                                                        \
    static wlab_code slice(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,    \
                           wlab_err *err)                                                                    \
    {                                                                                                        \
        (void)ask;                                                                                           \
        return wlab_smooth_slice(&((const type *)state)->m, out, ctx, err);                                  \
    }                                                                                                        \
    static const wlab_probe probes[] = {{.name = "slice",                                                    \
                                         .kind = WL_PROBE_SLICE,                                             \
                                         .when = WL_PROBE_QUICK,                                             \
                                         .meaning = meaning_,                                                \
                                         .get = slice},                                                      \
                                        {.name = NULL}}

#endif
