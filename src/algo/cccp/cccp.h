/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of cccp, the semi-supervised SVM by the convex-concave procedure (USVM):
 *
 *     J(w) = 1/2 ||w||^2 + C sum_L max(0, 1 - y o)^p + C* sum_U hat(o),     mean of o over U = b0 = 2 r - 1,
 *     hat(o) = min(max(0, 1 - |o|)^p, (1 + s)^p),     p = 1 (hinge) or 2 (squared hinge), -1 < s <= 0.
 *
 * The hat is the difference of two convex functions,
 *
 *     hat(o) = max(0, 1 - o)^p + max(0, 1 + o)^p - G(|o|),
 *     p = 1:  G(m) = 1 - s + max(0, s + m)
 *     p = 2:  G(m) = (1 + m)^2 for m >= -s, else 2 + 2 m^2 - (1 + s)^2.
 *
 * For p = 1 that is R_s(o) + R_s(-o) - (1 - s) with the ramp R_s(z) = min(1 - s, max(0, 1 - z)).  A round replaces G by its
 * tangent at the present outputs.  The result, the majoriser, is convex, nowhere below J, and equal to J at the present w; so its
 * minimum lowers J.  It is an SVM with both costs on every unlabelled row and a linear term (solve/svm/smo.h, mfn.h).
 *
 * The balance needs no multiplier: all rows are centred on U (model/centred.h), and the losses see <w, phi - m> + b0.
 *
 * cccp.c makes the rounds, convex.c sets and solves a convex problem, losses.c has hat and majoriser, report.c metrics and words.
 */
#ifndef WEAKLAB_ALGO_CCCP_H
#define WEAKLAB_ALGO_CCCP_H

#include "algo/algos.h"
#include "model/centred.h"
#include "model/kernel.h"
#include "solve/svm/mfn.h"

/* The loss of an unlabelled row: p and s. */
typedef struct cccp_hat {
    bool squared;
    double s;
} cccp_hat;

typedef struct cccp {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    cccp_hat hat;
    double C, Cu, r, b0; /* Cu: C* */
    double decrease;
    int64_t most; /* rounds */
    int64_t n, l, u;
    double *K;          /* [n x n] the kernel matrix centred on U; NULL: linear squared hinge */
    double *mean_K;     /* [n] mean over U of K_ik, not centred */
    double mean;        /* mean over U of mean_K */
    wlab_centred *rows; /* K is NULL: the centred data */
    /* w (or coefficients of the centred rows), the outputs less b0, and the convex problem: costs, the margins 1 - b0 and
     * 1 + b0, tilts.  With the hinge loss SMO solves it, and this only holds it. */
    wlab_mfn *m;
    double *beta, *f; /* [n] workspace */
    /* ---- snapshot ---- */
    double *at;  /* [n] the outputs at which the tangents touch: those before the last round */
    double *old; /* [dim] inside a round: w before it */
    int8_t *y;   /* [n] displayed labels */
    double J, J_norm, J_labelled, J_unlabelled;
    double majoriser, gain; /* of the last round at the new w; J before minus that */
    double upper, lower;
    double old_norm, cross;         /* ||w_old||^2, <w_old, w> */
    int64_t step;                   /* complete ones; step 1 is the supervised SVM, then come the rounds */
    int64_t flips, pending, solves; /* solves: units of the last step's solver */
    int64_t plus, minus, undecided; /* unlabelled rows by their tangent at the present outputs */
    bool in_step, finished, limited, inexact;
    wlab_verdict verdict;
    double seconds;
} cccp;

/* The number of the problem that m holds: 0 the labelled rows alone, then the rounds. */
static inline int64_t cccp_round(const cccp *s)
{
    return s->in_step ? s->step : s->step - 1;
}

/* ---- losses.c ---- */
double cccp_loss(const cccp_hat *, double o);
/* The derivative of G(|o|) at `at`: a row's tilt is -C* times this.  0 for an undecided row, |at| <= -s, if p = 1. */
double cccp_slope(const cccp_hat *, double at);
/* hat(o) with G replaced by its tangent at `at`. */
double cccp_majoriser(const cccp_hat *, double at, double o);
/* The side that the tangent at o favours: +1, -1, or 0: undecided, |o| <= -s. */
int cccp_side(const cccp_hat *, double o);
/* max(0, 1 - margin)^p */
double cccp_hinge(const cccp_hat *, double margin);
/* wlab_algo.row_loss and row_majoriser */
double cccp_row_loss(const wlab_params *, double T, double weight, double o, double *full);
double cccp_row_majoriser(const wlab_params *, int side, double o, double *at);

/* ---- convex.c ---- */
/* Kernel matrix or centred data, C and C*. */
wlab_code cccp_make_problem(cccp *, const wlab_params *, wlab_ctx *, wlab_err *);
/* Sets the costs and tilts of the problem number cccp_round. */
void cccp_set_costs(void *cccp);
/* One unit of its solution from the present w: SMO, or a Newton iteration; *done: solved.  The objective does not rise. */
wlab_code cccp_solve(cccp *, wlab_ctx *, bool *done, wlab_err *);
wlab_code cccp_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);

/* ---- cccp.c ---- */
/* J and, if `majoriser` is not NULL, the majoriser at outputs o (with b0) and norm = ||w||^2; parts [3], or NULL. */
double cccp_value(const cccp *, double norm, const double *o, double *majoriser, double *parts);

/* ---- report.c: members of the algorithm's table ---- */
extern const wlab_metric_info cccp_metrics[];
void cccp_observe(const void *state, double *metric, int8_t *labels);
void cccp_explain(const void *state, char *buf, size_t size);
void cccp_next(const void *state, char *buf, size_t size);

#endif
