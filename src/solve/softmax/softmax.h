/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The soft-max problem of Joulin and Bach (Eq. 1), and EM on it:
 *
 *     min over z, W, b of  f = sum_n pi_n softmaxloss(z_n, W x_n + b) - h(sum_n pi_n z_n) + lambda/(2P) ||W||_F^2,
 *
 * where softmaxloss(z, s) = log sum_k exp s_k - z's, h(v) = -sum_k v_k log v_k, and z_n is in the simplex over the
 * classes that row n may have.  With entropy by bags, h is summed over the class masses of each bag.  Without
 * intercept, b is not free but log(sum_n pi_n z_n); then f is the objective of the relaxation without Omega'pi = pi
 * at Z = zz'.
 *
 * Works on plain arrays; does not depend on tasks and data sets.
 */
#ifndef ALGO_SOFTMAX_H
#define ALGO_SOFTMAX_H

#include "base/walk.h"
#include "weaklab/event.h"

/* The arrays are borrowed until wlab_em_destroy. */
typedef struct wlab_em_problem {
    int64_t n, d;
    const double *Phi; /* [n x d] rows x_n */
    const double *pi;  /* [n] weights >= 0 with sum 1 */
    int P;             /* 2 .. 64 */
    const uint64_t
        *allowed;       /* [n] bit k: row n may be of class k; never 0; NULL: any row may be of any class */
    const int32_t *bag; /* [n] from 0; NULL: one entropy, of the total proportions */
    int64_t bags;
    const uint8_t
        *hard; /* [n] 1: f_0(x_n) >= f_1(x_n) must hold (Eq. 7; P = 2 with intercept); NULL: for no row */
    double lambda;
    bool intercept;
} wlab_em_problem;

/* The parts of f = loss - entropy + norm. */
typedef struct wlab_em_value {
    double total, loss, entropy, norm;
} wlab_em_value;

typedef struct wlab_em wlab_em;

/* Initial labels are uniform over the allowed classes; W and b are 0 (no intercept: b the log proportions).  WL_EARG
 * if the arrays do not fit the problem, WL_ENUMERIC if features are too large. */
wlab_code wlab_em_create(wlab_em **, const wlab_em_problem *, wlab_err *);
void wlab_em_destroy(wlab_em *);

/* z_n = the unit vector of label[n] (0 .. P-1; -1: uniform over the allowed classes).  WL_EARG if a label is not
 * allowed; then nothing changes.  W and b are kept as the start of the next M-step. */
wlab_code wlab_em_set_labels(wlab_em *, const int32_t *label, wlab_err *);
/* Sets z [n x P]: its rows must be in the simplex, and 0 for classes that are not allowed (else WL_EARG). */
wlab_code wlab_em_set_z(wlab_em *, const double *z, wlab_err *);
void wlab_em_set_lambda(wlab_em *, double lambda);

/* (W, b) = argmin of f at z, to a certified gap (wlab_em_m_gap) of at most tol * (loss + norm), or as near as doubles
 * allow.  Newton's method, warm started, with Cholesky or CG depending on the size; with hard rows an interior point
 * method.  f never rises.  WL_EINTERRUPTED: the state is unchanged.  Cost: some ten times n P d^2, or n P d times CG
 * iterations. */
wlab_code wlab_em_m_step(wlab_em *, double tol, wlab_ctx *, wlab_err *);
/* z = argmin of f at (W, b), to a certified gap (wlab_em_e_gap) of at most tol; exact for P = 2.  Pairs of classes
 * exchange rows, each exchange being optimal.  Without intercept f is concave in z, and its tangent is minimised
 * repeatedly, to a local minimum; there is then no gap (NaN).  f never rises. */
wlab_code wlab_em_e_step(wlab_em *, double tol, wlab_ctx *, wlab_err *);

/* f at the current (z, W, b). */
wlab_em_value wlab_em_objective(const wlab_em *);
double wlab_em_m_gap(const wlab_em *); /* of the last M-step; NaN: none yet */
double wlab_em_e_gap(const wlab_em *);
int64_t wlab_em_newtons(const wlab_em *); /* of the last M-step */
const double *wlab_em_W(const wlab_em *); /* [P x d], the sum of the rows is 0 */
const double *wlab_em_b(const wlab_em *); /* [P] */
const double *wlab_em_z(const wlab_em *); /* [n x P] */
/* W x_n + b, score [n x P]. */
void wlab_em_scores(const wlab_em *, double *score);
/* argmax z_n; ties: the larger score, then the lower class.  [n] */
void wlab_em_labels(const wlab_em *, int32_t *label);
/* The number of rows of z that are not unit vectors. */
int64_t wlab_em_fractional(const wlab_em *);

/* Writes a snapshot (wlab_walk_write), or reads it into a wlab_em created for the same problem (wlab_walk_read), which
 * needs no memory. */
void wlab_em_walk(void *em, wlab_walk *);

#endif
