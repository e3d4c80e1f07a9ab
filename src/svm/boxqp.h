/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box QP for callers that count its iterations with those of others.
 */
#ifndef WEAKLAB_SVM_BOXQP_H
#define WEAKLAB_SVM_BOXQP_H

#include "base/progress.h"
#include "weaklab/svm.h"

/* wlab_boxqp_solve; each sweep and each Newton step is one more for `told` (NULL: nobody counts). */
wlab_code wlab_boxqp_solve_told(const double *Q, int64_t n, const double *delta, const double *upper,
                                double tol, double *alpha, double *g, wlab_boxqp_result *,
                                wlab_progress *told, wlab_ctx *, wlab_err *);

#endif
