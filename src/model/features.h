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
    double trace, left; /* traces of K and of the remainder K - Phi Phi', before a graph deforms them */
    bool direct;        /* Phi is the data themselves (linear kernel); else by pivoted Cholesky */
    wlab_problem *p;    /* a reference; NULL: of wlab_features_factor */
    const wlab_matrix *X;
    const int32_t *row; /* [n] rows of the data set (precomputed) */
    wlab_kernel kernel;
    int32_t *pivot; /* [r] instances, or NULL if direct */
    double *L;      /* [r x r] lower triangle: rows pivot[] of Phi */
} wlab_features;

/* Phi of the problem's instances.  For a linear kernel with at most as many columns as instances and `most`: the data
 * as a dense matrix (with the constant kernel->bias as a last column).  Else Cholesky with pivots, which computes
 * kernel values as it needs them and adds columns until the remaining trace is at most tol times the trace, or there
 * are `most` columns (0: n).  Errors: WL_ENUMERIC if kernel values are not finite or not those of a psd matrix,
 * WL_EARG if a precomputed matrix is not symmetric.  Memory 2 n r; cost n r^2 and n r kernel values.  A kernel deformed by
 * a graph has its factor already, which is copied, with the constant kernel->bias as a last column, whatever `tol` and
 * `most` are. */
wlab_code wlab_features_make(wlab_features **, wlab_problem *, const wlab_kernel *, double tol, int64_t most,
                             wlab_ctx *, wlab_err *);
/* The same for a kernel made by wlab_kernel_choose that the caller does not keep: it is released. */
wlab_code wlab_features_keep(wlab_features **, wlab_problem *, wlab_kernel *, double tol, int64_t most,
                             wlab_ctx *, wlab_err *);
/* By Cholesky for every kernel, without a problem, and therefore without models; not for a precomputed kernel. */
wlab_code wlab_features_factor(wlab_features **, const wlab_matrix *X, const wlab_kernel *, double tol,
                               int64_t most, wlab_ctx *, wlab_err *);
void wlab_features_destroy(wlab_features *); /* NULL: no effect */
/* The model on rows of the data that has the outputs of `linear`, a linear model on rows of Phi. */
wlab_code wlab_features_function(wlab_model **, const wlab_features *, const wlab_model *linear, wlab_pool *,
                                 wlab_err *);
/* Phi as a matrix that the caller owns; the features keep what models need, but no Phi. */
wlab_code wlab_features_take(wlab_matrix **, wlab_features *, wlab_err *);
/* The model f_k(x) = W_k phi(x) + b_k, W [P x r], b [P]: with weights for the linear kernel, else with coefficients
 * of the pivots. */
wlab_code wlab_features_model(wlab_model **, const wlab_features *, int P, const double *W, const double *b,
                              wlab_pool *, wlab_err *);

#endif
