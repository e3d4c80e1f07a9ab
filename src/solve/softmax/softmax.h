/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The soft-max problem of Joulin and Bach (Eq. 1), and EM on it:
 *
 *     min over z, W, b of  f = sum_n pi_n softmaxloss(z_n, W x_n + b) - h(sum_n pi_n z_n) + lambda/(2P) ||W||_F^2,
 *
 * softmaxloss(z, s) = log sum_k exp s_k - z's, h(v) = -sum_k v_k log v_k, z_n in the simplex over the classes that row n may
 * have.  With entropy by bags h is summed over bags of the rows' masses in each.  Without intercept b is not free but
 * log(sum_n pi_n z_n): then f is what the relaxation without Omega'pi = pi has at Z = zz'.
 *
 * Plain arrays: knows nothing of tasks and data sets.
 */
#ifndef ALGO_SOFTMAX_H
#define ALGO_SOFTMAX_H

#include "base/walk.h"
#include "weaklab/event.h"

/* The arrays are borrowed until wlab_em_destroy. */
typedef struct wlab_em_problem {
    int64_t n, d;
    const double *Phi;       /* [n x d] rows x_n */
    const double *pi;        /* [n] >= 0, of sum 1 */
    int P;                   /* 2 .. 64 */
    const uint64_t *allowed; /* [n] bit k: row n may be of class k; never 0; NULL: every row of any */
    const int32_t *bag;      /* [n] from 0; NULL: one entropy, of the total proportions */
    int64_t bags;
    const uint8_t
        *hard; /* [n] 1: f_0(x_n) >= f_1(x_n) must hold (Eq. 7; P = 2 with intercept); NULL: nowhere */
    double lambda;
    bool intercept;
} wlab_em_problem;

/* The parts of f = loss - entropy + norm. */
typedef struct wlab_em_value {
    double total, loss, entropy, norm;
} wlab_em_value;

typedef struct wlab_em wlab_em;

/* Labels are at first uniform over the classes allowed, W and b 0 (no intercept: log proportions).  WL_EARG where the arrays do not fit the problem. */
wlab_code wlab_em_create(wlab_em **, const wlab_em_problem *, wlab_err *);
void wlab_em_destroy(wlab_em *);

/* z_n = the unit vector of label[n] (0 .. P-1; -1: uniform over the classes allowed).  A label that is not allowed:
 * WL_EARG, nothing changes.  W and b stay, as the next M-step's start. */
wlab_code wlab_em_set_labels(wlab_em *, const int32_t *label, wlab_err *);
/* z [n x P] as it is: rows in the simplex, 0 where not allowed. */
wlab_code wlab_em_set_z(wlab_em *, const double *z, wlab_err *);
void wlab_em_set_lambda(wlab_em *, double lambda);

/* (W, b) = argmin of f at z, to a certified gap (wlab_em_m_gap) of at most tol * (loss + norm); as near as doubles come where
 * that is less.  Newton's method, warm started: Cholesky or CG by size; hard: interior point.  f never rises.
 * WL_EINTERRUPTED: all is as before.  Cost: some ten times n P d^2 or n P d times CG iterations. */
wlab_code wlab_em_m_step(wlab_em *, double tol, wlab_ctx *, wlab_err *);
/* z = argmin of f at (W, b), to a certified gap (wlab_em_e_gap) of at most tol; exact for P = 2.  Pairs of classes exchange
 * rows, the best exchange at once; without intercept f is concave in z, and majorised by its tangent.  f never rises. */
wlab_code wlab_em_e_step(wlab_em *, double tol, wlab_ctx *, wlab_err *);

/* f at (z, W, b) now. */
wlab_em_value wlab_em_objective(const wlab_em *);
double wlab_em_m_gap(const wlab_em *); /* of the last M-step; NaN: none yet */
double wlab_em_e_gap(const wlab_em *);
int64_t wlab_em_newtons(const wlab_em *); /* of the last M-step */
const double *wlab_em_W(const wlab_em *); /* [P x d], rows of sum 0 */
const double *wlab_em_b(const wlab_em *); /* [P] */
const double *wlab_em_z(const wlab_em *); /* [n x P] */
/* W x_n + b, score [n x P]. */
void wlab_em_scores(const wlab_em *, double *score);
/* argmax z_n; ties: the larger score, then the lower class.  [n] */
void wlab_em_labels(const wlab_em *, int32_t *label);
/* Rows of z that are not unit vectors. */
int64_t wlab_em_fractional(const wlab_em *);

/* Of one created for the same problem (wlab_walk_write, wlab_walk_read); reading needs no memory. */
void wlab_em_walk(void *em, wlab_walk *);

#endif
