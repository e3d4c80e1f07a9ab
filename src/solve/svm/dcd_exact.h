/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear hinge loss for data on which coordinate descent is slow (columns of very different scale): Newton steps
 * and an interior point method, which do not suffer from that.
 */
#ifndef SVM_DCD_EXACT_H
#define SVM_DCD_EXACT_H

#include "solve/svm/dcd.h"

/* Whether there are few enough columns, or rows, for equations of that size. */
bool wlab_dcd_exact_can(const wlab_dcd *);
/* alpha [n] out, near the optimum of the dual of wlab_dcd_solve to relative tol, as far as doubles allow: the caller
 * computes the gap.  Cost: 20 to 60 times n r^2 for few columns r, else n^3.  Allocates two matrices [n x r], else
 * [n x n].  WL_EINTERRUPTED; WL_ENUMERIC if a number is not finite. */
wlab_code wlab_dcd_exact(const wlab_dcd *, const int8_t *y, double tol, double *alpha,
                         wlab_progress *progress, wlab_ctx *, wlab_err *);

#endif
