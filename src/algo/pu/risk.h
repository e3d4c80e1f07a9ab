/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The risk of outputs o, estimated from positive (P) and unlabelled rows (U) and the class prior pi:
 *
 *     R  = pi E_+[l(o)] + (1 - pi) E_-[l(-o)]     of the classifier, with the loss l
 *     U is a mixture:  E_U[l(-o)] = pi E_+[l(-o)] + (1 - pi) E_-[l(-o)],   so R is estimated without negatives by
 *     R^ = R+ + R-,   R+ = pi/n_p sum_P l(o),   R- = 1/n_u sum_U l(-o) - pi/n_p sum_P l(-o).
 *
 * R^ is unbiased.  R- estimates (1 - pi) E_-[l(-o)], which is never negative; the estimate may be.  Both losses here satisfy
 * l(z) - l(-z) = -z, so R^ = 1/n_u sum_U l(-o) - pi/n_p sum_P o is convex in o:
 *
 *     double hinge   l(z) = max(-z, max(0, (1 - z)/2))     (du Plessis, Niu and Sugiyama, ICML 2015)
 *     logistic       l(z) = log(1 + exp(-z))
 */
#ifndef ALGO_PU_RISK_H
#define ALGO_PU_RISK_H

#include "algo/smooth/smooth.h"

typedef struct pu_risk {
    double pi;
    bool logistic; /* else the double hinge */
    int64_t positives, unlabelled;
    const int8_t *visible; /* [n] */
    int64_t n;
    bool balance;   /* threshold=balance */
    double *sorted; /* [unlabelled] workspace */
} pu_risk;

/* Parameter of both algorithms. */
extern const char *const pu_threshold_names[];
#define PU_THRESHOLD                                                                                         \
    {                                                                                                        \
        .name = "threshold", .type = WL_P_CHOICE, .fallback = "balance", .choices = pu_threshold_names,      \
        .meaning = "balance: subtract from the outputs, for predictions, the threshold at which the "        \
                   "fraction pi of the "                                                                     \
                   "unlabelled rows is above it; zero: predict by the sign of f"                             \
    }

/* WL_ESTATE if the problem has no positive or no unlabelled rows, or no class prior between 0 and 1. */
wlab_code pu_risk_make(pu_risk *, const wlab_problem *, const wlab_params *, bool logistic, wlab_err *);
void pu_risk_clear(pu_risk *);
/* l(z), and its derivatives; at a kink of the double hinge those on the left. */
smooth_loss pu_loss(bool logistic, double z);
/* R+ and R-. */
void pu_risk_parts(const pu_risk *, const double *o, double *positive, double *negative);
/* The standard error of R-, of rows on which f was not trained: sqrt(Var_U[l(-o)] / n_u + pi^2 Var_P[l(-o)] / n_p). */
double pu_risk_error(const pu_risk *, const double *o);
/* The threshold of the outputs: 0, or, with threshold=balance, half-way between two of them, so that n_u - ceil((1 - pi) n_u)
 * unlabelled rows are above it (fewer if several are equal there). */
double pu_risk_threshold(pu_risk *, const double *o);
/* Behind the number of positive outputs and the expected one: what the predictions do about the difference. */
const char *pu_cut_words(const pu_risk *, int64_t positive);
/* How many unlabelled rows have a positive output. */
int64_t pu_risk_predicted(const pu_risk *, const double *o);

/* ---- what both algorithms do with lambda, and say before the first step ---- */
/* Reads the parameters that change in a run.  True: lambda is another one, and the run begins again from the present f. */
bool pu_set(smooth *, const wlab_params *);
void pu_walk_penalty(smooth *, wlab_walk *);
void pu_explain_start(const pu_risk *, const wlab_problem *, char *buf, size_t size);

#endif
