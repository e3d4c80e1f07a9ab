/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lower bounds of the semi-supervised SVM with squared hinge loss, over outputs (Piccialli, Schwiddessen, Sudoso 2023).
 *
 * With x_i = f_i + y_i xi_i, the output with its slack, the SVM objective of a labeling y is
 *
 *   J(y) = min over x of 1/2 x'Cx,   y_i x_i >= 1 for all i,      C = (K + Diag(delta))^-1,   delta_i = 1/C_i.
 *
 * Where the label is not known, x_i^2 >= 1.  Given a `level`, only labelings with J(y) <= level matter.  Their x lies in a
 * box lo <= x <= hi, so products of two of the differences x_i - lo_i, hi_i - x_i are not negative.  Each condition used is
 * s (u'x - a)(v'x - b) >= 0 with sparse u and v:
 *
 *   outside     x_i^2 >= 1                                  (label not known)
 *   label       y_i x_i >= 1, or the end of the box         (label known)
 *   balance     the sum of the labels of a group is between L and U.  As y_i >= (2 x_i - hi_i + 1)/(hi_i + 1) and
 *               y_i <= (2 x_i - lo_i - 1)/(1 - lo_i), it follows that sum_i (2 x_i - hi_i + 1)/(hi_i + 1) <= U and
 *               sum_i (2 x_i - lo_i - 1)/(1 - lo_i) >= L
 *   rlt         (x_i - lo_i)(x_j - lo_j), (hi_i - x_i)(hi_j - x_j), (hi_i - x_i)(x_j - lo_j), (x_i - lo_i)(hi_j - x_j) >= 0
 *   secant      (x_i - lo_i)(hi_i - x_i) >= 0
 *
 * With a multiplier lambda_c >= 0 for each, the Lagrangian is a quadratic function
 *
 *   L(x) = 1/2 x'Cx - sum_c lambda_c s_c (u_c'x - a_c)(v_c'x - b_c) = 1/2 x'Sx + r'x + k,
 *
 * and J(y) >= min over x of L(x) for all these labelings if S is positive definite.  The largest such bound is the optimum of
 * a semidefinite program, min 1/2 <C, X> over X >= xx' (psd order) with X in place of the products.  Method: maxima of t times
 * the bound + log det S + sum log lambda, by Newton's method on lambda alone; there x = -S^-1 r and X = xx' + 2 S^-1 / t.
 *
 * Every iterate is certified.  The bound is L at the computed x, minus what the gradient there, and what rounding errors in C,
 * S, r and k, can amount to inside of the box.  By the same inequality (x - c)'S(x - c) <= 2 (level - bound) with c the
 * minimum of L, so |x_j - c_j| <= sqrt(2 (level - bound) (S^-1)_jj): the box, which shrinks from round to round.  At the start
 * S = C, and the multipliers are those of the SVM of the known labels (or 0: |x_j| <= sqrt(2 level (K_jj + delta_j))).
 */
#ifndef WEAKLAB_SOLVE_OUTPUTS_H
#define WEAKLAB_SOLVE_OUTPUTS_H

#include "weaklab/event.h"
#include "weaklab/labelset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The quadratic form. */
typedef struct wlab_form {
    int64_t n;
    double *K;    /* [n x n] K + Diag(delta) */
    double *C;    /* [n x n] its inverse, as computed */
    double error; /* the 2-norm of C minus the inverse is at most this; HUGE_VAL: C is useless */
} wlab_form;
/* K [n x n] symmetric, psd; delta [n] > 0.  O(n^3). */
wlab_code wlab_form_create(wlab_form *, const double *K, const double *delta, int64_t n, wlab_ctx *,
                           wlab_err *);
void wlab_form_clear(wlab_form *);

typedef enum wlab_condition {
    WL_OUTSIDE,
    WL_LABEL,
    WL_BALANCE,
    WL_RLT,
    WL_SECANT,
    WL_CONDITIONS
} wlab_condition;

typedef struct wlab_outputs wlab_outputs;

/* The relaxation without cuts, for the labelings of B (labels +1 and -1) with J <= level.  alpha [n] >= 0: any, those of
 * rows with known labels are used; NULL: 0.  plain: the first round is that of the published relaxation without cuts, with
 * neither the box nor the balance.  The form is borrowed.
 * WL_ENUMERIC: `level` is not finite.  Memory: about 6 n^2 doubles, and some m^2 for m conditions during a round. */
wlab_code wlab_outputs_create(wlab_outputs **, const wlab_form *, const wlab_labelset *B, const double *alpha,
                              double level, bool plain, wlab_err *);
/* A copy, which borrows the same form; NULL: no memory. */
wlab_outputs *wlab_outputs_copy(const wlab_outputs *);
void wlab_outputs_destroy(wlab_outputs *);
/* Lowers the level, if this one is smaller: later rounds shrink the box for it. */
void wlab_outputs_lower_level(wlab_outputs *, double level);

/* A round: moves the multipliers until the bound is within `tolerance` of that of the present conditions, or reaches `goal`,
 * or cannot grow; then shrinks the box.  After an error nothing is lost but *s is to be destroyed.  Each Newton step costs
 * m^3/3 + 10 m^2 for m conditions; it makes some 10 to 40. */
wlab_code wlab_outputs_round(wlab_outputs *, double tolerance, double goal, wlab_ctx *, wlab_err *);
/* Drops the cuts (rlt and secant) that X satisfies with room, and adds those that it violates by more than 0.01, the most
 * violated ones first, at most 3 n; *added: how many.  O(n^2). */
wlab_code wlab_outputs_cut(wlab_outputs *, int64_t *added, wlab_err *);

typedef struct wlab_outputs_numbers {
    double bound; /* certified: J(y) >= bound for every labeling y of B with J(y) <= level; at most `level` */
    double width; /* mean of hi - lo over the rows whose label B leaves open; NaN: there are none */
    double room;  /* the bound of the present conditions is at most this far above `bound`, about */
    int64_t count[WL_CONDITIONS]; /* conditions */
    int64_t rounds, newtons;
    int64_t decided; /* rows whose label B leaves open, but not the box */
} wlab_outputs_numbers;
wlab_outputs_numbers wlab_outputs_get(const wlab_outputs *);
/* [n], of the last round. */
const double *wlab_outputs_x(const wlab_outputs *);
/* X_jj - x_j^2. */
double wlab_outputs_spread(const wlab_outputs *, int64_t j);
/* [n] each. */
const double *wlab_outputs_lo(const wlab_outputs *);
const double *wlab_outputs_hi(const wlab_outputs *);
/* X_ij. */
double wlab_outputs_moment(const wlab_outputs *, int64_t i, int64_t j);

struct wlab_walk;
/* Reading: into the result of wlab_outputs_create with the same form and label set. */
void wlab_outputs_walk(void *outputs, struct wlab_walk *);

#ifdef __cplusplus
}
#endif

#endif
