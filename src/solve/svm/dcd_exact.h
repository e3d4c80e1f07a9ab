/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear hinge loss where coordinate descent creeps (columns of very different size): Newton steps and interior
 * points, whose equations do not mind.
 */
#ifndef SVM_DCD_EXACT_H
#define SVM_DCD_EXACT_H

#include "solve/svm/dcd.h"

/* Few enough columns, or rows, for equations of that size. */
bool wlab_dcd_exact_can(const wlab_dcd *);
/* alpha [n] out, near the optimum of the dual of wlab_dcd_solve to relative tol, as far as doubles allow: the caller
 * measures.  Cost: 20 to 60 times n r^2 for r columns, else n^3.  Allocates [n x r], else [n x n], twice.
 * WL_EINTERRUPTED; WL_ENUMERIC where it meets a number that is not finite. */
wlab_code wlab_dcd_exact(const wlab_dcd *, const int8_t *y, double tol, double *alpha, wlab_progress *told,
                         wlab_ctx *, wlab_err *);

#endif
