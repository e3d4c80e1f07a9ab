/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of s3vm, the semi-supervised SVM in the primal:
 *
 *     J(w) = 1/2 ||w||^2 + C sum_L max(0, 1 - y o)^2 + C* sum_U exp(-3 o^2),   mean of o over U = b0 = 2 r - 1.
 *
 * s3vm.c makes the steps, s3vm_losses.c has the losses, s3vm_newton.c a Newton step, s3vm_report.c metrics and words.
 */
#ifndef WEAKLAB_ALGO_S3VM_H
#define WEAKLAB_ALGO_S3VM_H

#include "algo/smooth/smooth.h"

#define S3VM_S 3.0 /* s in exp(-s o^2), of Chapelle and Zien */

#define S3VM_DECIDED 1e-6 /* da: mean entropy with which the labels count as decided */

typedef enum s3vm_method {
    S3VM_GRADIENT,     /* L-BFGS, C* rises */
    S3VM_CONTINUATION, /* L-BFGS, J is smoothed by a Gaussian function that narrows */
    S3VM_NEWTON,       /* Newton's method, C* rises */
    S3VM_DA,           /* L-BFGS, the temperature of the effective loss falls */
} s3vm_method;

/* What a level fixes. */
typedef struct s3vm_level {
    double Cu;    /* C* */
    double gamma; /* variance of the smoothing in w; 0: none */
    double T;     /* da: temperature in units of C* */
} s3vm_level;

typedef struct s3vm {
    smooth m;
    s3vm_method method;
    double C, ratio, r;
    double gamma_first; /* continuation: the first gamma; 0: J is certainly convex, so only gamma = 0 */
    double gamma_last;  /* continuation: the last gamma above 0 */
    double mean_square; /* mean over U of ||phi - m||^2 */
    s3vm_level now;     /* of the current level; follows from `level`, as does: */
    double curvature;   /* wlab_s3vm_curvature of the level; not for da */
    /* newton: */
    double *Z;          /* [n x r] the centred rows */
    double *scaled;     /* [n x r] workspace */
    double *H, *factor; /* [r x r] workspace: the Hessian, H + mu I */
    double *move;       /* [r] workspace */
    /* ---- snapshot, with m ---- */
    double J, J_norm, J_labelled, J_unlabelled;
    double entropy;  /* da: mean entropy of the beliefs after the last step; else NaN */
    double mu;       /* newton: added to the Hessian's diagonal; 0: not yet chosen */
    int64_t refused; /* newton: values of mu refused in the last step */
} s3vm;

/* ---- s3vm_losses.c ---- */
s3vm_level wlab_s3vm_level(const s3vm *, int64_t level);
/* Sets what follows from m.level. */
void wlab_s3vm_set_level(void *s3vm);
/* smooth.loss: the loss of row i at the current level. */
smooth_loss wlab_s3vm_loss(const void *s3vm, int64_t i, double o);
/* max(0, 1 - m)^2 and its derivatives by the margin m, smoothed by N(0, v): with a = 1 - m, d = sqrt(v),
 * (a^2 + v) Phi(a/d) + a d phi(a/d). */
smooth_loss wlab_s3vm_labelled(double margin, double v);
/* exp(-s o^2), smoothed by N(0, v): (1 + 2 s v)^(-1/2) exp(-s o^2 / (1 + 2 s v)). */
smooth_loss wlab_s3vm_hat(double o, double v);
/* min over p of p max(0, 1 - o)^2 + (1 - p) max(0, 1 + o)^2 - T H(p), H the entropy in nats.  *entropy: H at the minimum,
 * unless NULL. */
smooth_loss wlab_s3vm_effective(double o, double T, double *entropy);
/* J and its parts at w: C* = its last value, gamma = 0; da: T = 0. */
void wlab_s3vm_measure(void *s3vm);
/* An upper bound on how negative the curvature of the unlabelled rows' losses can make the Hessian of F, for smoothing gamma
 * and weight Cu: the trace of sum_U 2 s Cu (1 + 2 s v_i)^(-3/2) phi_i phi_i', v_i = gamma ||phi_i||^2.  If it is at most 1, F is
 * convex, since the penalty has the Hessian I. */
double wlab_s3vm_curvature(const s3vm *, double Cu, double gamma);
/* The smallest gamma, to 1e-3, with which that bound is at most 1; 0 if it is without smoothing. */
double wlab_s3vm_convex_gamma(const s3vm *, double Cu);
double wlab_s3vm_row_loss(const wlab_params *, double T, double weight, double o, double *full);

/* ---- s3vm_newton.c ---- */
wlab_code wlab_s3vm_newton_create(s3vm *, wlab_ctx *, wlab_err *);
/* One step w + d with (H + mu I) d = -g: lowers mu by 4 after a step that lowers F, raises it by 4 until one does.  Sets
 * m.at->stalled if none does.  After an error the state is unchanged.  Cost: n r^2 + r^3/3 per try. */
wlab_code wlab_s3vm_newton_iterate(void *s3vm, wlab_ctx *, wlab_err *);

/* ---- s3vm_report.c: members of the algorithm's table ---- */
extern const wlab_metric_info wlab_s3vm_metrics[];
extern const char *const wlab_s3vm_methods[];
void wlab_s3vm_observe(const void *state, double *metric, int8_t *labels);
void wlab_s3vm_explain(const void *state, char *buf, size_t size);
void wlab_s3vm_next(const void *state, char *buf, size_t size);

#endif
