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
#ifndef WEAKLAB_ALGO_PU_RISK_H
#define WEAKLAB_ALGO_PU_RISK_H

#include "algo/smooth/smooth.h"

typedef struct pu_risk {
    double pi;
    bool logistic; /* else the double hinge */
    int64_t positives, unlabelled;
    const int8_t *visible; /* [n] */
    int64_t n;
} pu_risk;

/* WL_ESTATE if the problem has no positive or no unlabelled rows, or no class prior between 0 and 1. */
wlab_code pu_risk_make(pu_risk *, const wlab_problem *, bool logistic, wlab_err *);
/* l(z), and its derivatives; at a kink of the double hinge those on the left. */
smooth_loss pu_loss(bool logistic, double z);
/* R+ and R-. */
void pu_risk_parts(const pu_risk *, const double *o, double *positive, double *negative);
/* How many unlabelled rows have a positive output. */
int64_t pu_risk_predicted(const pu_risk *, const double *o);

#endif
