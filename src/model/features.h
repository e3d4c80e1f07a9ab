/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Feature vectors whose inner products are the kernel: an explicit factor of the kernel matrix, K = Phi Phi'.
 */
#ifndef SVM_FEATURES_H
#define SVM_FEATURES_H

#include "weaklab/event.h"
#include "weaklab/model.h"

typedef struct wlab_features {
    int64_t n, r;
    double *Phi;        /* [n x r] row-major */
    double trace, left; /* of K; of K - Phi Phi', what the columns left out would explain */
    bool direct;        /* the data themselves: linear kernel; else by pivoted Cholesky */
    wlab_problem *p;    /* a reference */
    wlab_kernel kernel;
    int32_t *pivot; /* [r] instances, or NULL where direct */
    double *L;      /* [r x r] lower triangle: rows pivot[] of Phi */
} wlab_features;

/* Phi of the problem's instances.  Linear kernel with no more columns than instances and `most`: the data, densely (and the
 * constant of kernel->bias as a last column).  Else Cholesky with pivots, kernel values taken as they are needed: columns
 * until the rest of the trace is at most tol times the trace, or there are `most` of them (0: n).  Errors: WL_ENUMERIC
 * where kernel values are not finite or not those of a psd matrix, WL_EARG where a precomputed one is not symmetric.
 * Memory 2 n r; cost n r^2 and n r kernel values. */
wlab_code wlab_features_make(wlab_features **, wlab_problem *, const wlab_kernel *, double tol, int64_t most,
                             wlab_ctx *, wlab_err *);
void wlab_features_destroy(wlab_features *); /* NULL is fine */
/* f_k(x) = W_k phi(x) + b_k, W [P x r], b [P]: weights for the linear kernel, else coefficients on the pivots. */
wlab_code wlab_features_model(wlab_model **, const wlab_features *, int P, const double *W, const double *b,
                              wlab_pool *, wlab_err *);

#endif
