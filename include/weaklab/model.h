/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What predicts unseen rows: f(x) = sum_k c_k kappa(x_k, x) + b, or w'x + b for the linear kernel.  Of two classes there
 * is one such function, whose sign tells them apart (f > 0: +1); of more there is one a class, and the largest tells.
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
    WL_K_PRECOMPUTED,
    WL_K_AUTO /* rbf or linear, by the data: of parameters only, no model has it */
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
    int32_t cols;      /* features */
    int outputs;       /* functions: 1, of two classes, or P >= 3 */
    double *w;         /* linear: [outputs x cols] */
    double *b;         /* [outputs] offsets; include the weight of the feature of ones */
    int64_t nsv;       /* kernels: */
    double *coef;      /* [nsv x outputs] */
    wlab_matrix *sv;   /* [nsv x cols] */
    int32_t *sv_row;   /* [nsv] row of the data set (precomputed) */
    char **class_name; /* [wlab_model_classes] by index: of two, that of -1 first */
    bool squared;      /* of the squared hinge loss: only named in the file, for linear models */
} wlab_model;

static inline int wlab_model_classes(const wlab_model *m)
{
    return m->outputs > 1 ? m->outputs : 2;
}
/* The index of the class that a row's outputs f[0 .. outputs-1] say: of two classes by the sign, else the largest, the
 * first of equals. */
int wlab_decide(const double *f, int outputs);
static inline int wlab_model_decide(const wlab_model *m, const double *f)
{
    return wlab_decide(f, m->outputs);
}
/* The labels that outputs f [n x outputs] of the problem's instances predict, labels [n]: a label that the learner sees
 * stays; of a positive bag (mil) the instance with the largest output is the key, +1, and the others are 0. */
wlab_code wlab_predicted_labels(const wlab_problem *, const double *f, int8_t *labels, wlab_err *);
/* The outputs of a model of the problem. */
static inline int wlab_problem_outputs(const wlab_problem *p)
{
    return p->classes > 2 ? p->classes : 1;
}

/* f(x) = sum_k c[k] kappa(x_k, x) over the problem's instances: w for the linear kernel, the rows with c != 0 for
 * others; the constant feature of kernel->bias becomes the offset. */
wlab_code wlab_model_from_coefficients(wlab_model **, const wlab_problem *, const wlab_kernel *,
                                       const double *c, wlab_pool *, wlab_err *);
/* f(x) = w'x + b, w [p->X->cols]. */
wlab_code wlab_model_from_weights(wlab_model **, const wlab_problem *p, const double *w, double b,
                                  wlab_err *);
/* f_k(x) = W_k'x + b[k] for the class of index k, W [P x cols], b [P], P = p->classes; of two classes f_1 - f_0. */
wlab_code wlab_model_from_class_weights(wlab_model **, const wlab_problem *p, const double *W,
                                        const double *b, wlab_err *);
/* f_k(x) = sum_i coef[i,k] kappa(x_i, x) + b[k] over the problem's instances, coef [n x P] row-major; of two classes
 * f_1 - f_0.  The constant feature of kernel->bias becomes the offset. */
wlab_code wlab_model_from_class_coefficients(wlab_model **, const wlab_problem *p, const wlab_kernel *,
                                             const double *coef, const double *b, wlab_pool *, wlab_err *);
void wlab_model_destroy(wlab_model *);
/* f for every row of X, [rows x outputs].  Columns that only X or only the model has count as 0 on the other side, as the
 * programs of LIBLINEAR and LIBSVM have it.  precomputed: X's columns are the rows of the data set. */
wlab_code wlab_model_predict(const wlab_model *, const wlab_matrix *X, double *f, wlab_pool *, wlab_err *);
/* LIBLINEAR's format for linear models, LIBSVM's for kernel models, as text; the programs of those packages
 * read it.  Classes that are not integers are written as wlab_model_labels says. */
wlab_code wlab_model_write(const wlab_model *, wlab_buf *out, wlab_err *);
/* The labels [classes] that these formats have for the classes, whole numbers.  True: they are the classes' own names;
 * false: some name is no whole number, and the labels are -1 and +1, or 1, 2, ... */
bool wlab_model_labels(const wlab_model *, long *label);
/* Read either back (magic by first line). */
wlab_code wlab_model_read(wlab_model **, const char *path, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif
