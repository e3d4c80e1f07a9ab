/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What predicts unseen rows: f(x) = sum_k c_k kappa(x_k, x) + b, or w'x + b for the linear kernel.
 */
#ifndef WEAKLAB_MODEL_H
#define WEAKLAB_MODEL_H

#include "weaklab/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wlab_kernel_kind {
    WL_K_LINEAR,
    WL_K_RBF,
    WL_K_POLY,
    WL_K_PRECOMPUTED
} wlab_kernel_kind;
extern const char *const wlab_kernel_names[]; /* "linear", "rbf", "poly", "precomputed", NULL */

/* kappa(x, z) = x'z | exp(-gamma ||x-z||^2) | (gamma x'z + coef0)^degree | entry of the data matrix;
 * plus `bias`^2 for the feature of ones where bias is not 0. */
typedef struct wlab_kernel {
    wlab_kernel_kind kind;
    double gamma, coef0, bias;
    int degree;
} wlab_kernel;

/* K = kappa(X_i, Z_j), [rows(X) x rows(Z)] row-major.  For precomputed, X's rows hold kernel values against
 * data set rows and zrow[j] (row numbers in the data set) picks the columns; where X is Z it must be symmetric
 * (WL_EARG) and psd (WL_ENUMERIC), which costs rows^3 / 3.  NaN or Inf: WL_ENUMERIC. */
wlab_code wlab_kernel_matrix(const wlab_kernel *, const wlab_matrix *X, const wlab_matrix *Z,
                             const int32_t *zrow, double *K, wlab_pool *, wlab_err *);

typedef struct wlab_model {
    wlab_kernel kernel;
    int32_t cols;              /* features */
    double *w;                 /* linear: [cols] */
    double b;                  /* offset; includes the weight of the feature of ones */
    int64_t nsv;               /* kernels: */
    double *coef;              /* [nsv] */
    wlab_matrix *sv;           /* [nsv x cols] */
    int32_t *sv_row;           /* [nsv] row of the data set (precomputed) */
    char *positive, *negative; /* class names */
    bool squared;              /* of the squared hinge loss: only named in the file, for linear models */
} wlab_model;

/* f(x) = sum_k c[k] kappa(x_k, x) over the problem's instances: w for the linear kernel, the rows with c != 0 for
 * others; the constant feature of kernel->bias becomes the offset. */
wlab_code wlab_model_from_coefficients(wlab_model **, const wlab_problem *, const wlab_kernel *,
                                       const double *c, wlab_pool *, wlab_err *);
/* f(x) = w'x + b, w [p->X->cols]. */
wlab_code wlab_model_from_weights(wlab_model **, const wlab_problem *p, const double *w, double b,
                                  wlab_err *);
void wlab_model_destroy(wlab_model *);
/* f for every row of X, [rows].  Columns that only X or only the model has count as 0 on the other side, as the
 * programs of LIBLINEAR and LIBSVM have it.  precomputed: X's columns are the rows of the data set. */
wlab_code wlab_model_predict(const wlab_model *, const wlab_matrix *X, double *f, wlab_pool *, wlab_err *);
/* LIBLINEAR's format for linear models, LIBSVM's for kernel models, as text; the programs of those packages
 * read it.  Classes that are not integers are written as +1 and -1. */
wlab_code wlab_model_write(const wlab_model *, wlab_buf *out, wlab_err *);
/* Read either back (magic by first line). */
wlab_code wlab_model_read(wlab_model **, const char *path, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif
