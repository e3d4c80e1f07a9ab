/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models predict the classes of new rows: f(x) = sum_k c_k kappa(x_k, x) + b, or w'x + b for the linear kernel.  For two
 * classes there is one such function, and its sign decides (f > 0: +1).  For more there is one function per class, and the
 * largest decides.
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
    WL_K_AUTO, /* a value of the setting kernel= only: rbf if sigma= or gamma= is given, else by the data; models have rbf or linear */
    WL_K_DEFORMED /* one of the others, deformed by a graph of the training rows (graph=); models have the other one */
} wlab_kernel_kind;
extern const char *const wlab_kernel_names[]; /* "linear", "rbf", "poly", "precomputed", "auto", NULL */

/* kappa(x, z) = x'z | exp(-gamma ||x-z||^2) | (gamma x'z + coef0)^degree | entry of the data matrix; plus `bias`^2, from a
 * constant feature. */
typedef struct wlab_kernel {
    wlab_kernel_kind kind;
    double gamma, coef0, bias;
    int degree;
    struct wlab_deformed
        *deformed; /* WL_K_DEFORMED: what the kernel is, shared by copies of this struct; else NULL */
} wlab_kernel;

/* K = kappa(X_i, Z_j), [rows(X) x rows(Z)] row-major.  precomputed: a row of X holds the kernel values with all rows of the
 * data set, and zrow[j], row numbers in the data set, selects the columns; if X is Z, K must be symmetric (else WL_EARG)
 * and positive semidefinite (else WL_ENUMERIC), which costs rows^3 / 3 to check.  NaN or Inf: WL_ENUMERIC. */
wlab_code wlab_kernel_matrix(const wlab_kernel *, const wlab_matrix *X, const wlab_matrix *Z,
                             const int32_t *zrow, double *K, wlab_pool *, wlab_err *);

/* The loss with which a model was trained. */
typedef enum wlab_loss {
    WL_LOSS_HINGE,
    WL_LOSS_SQUARED_HINGE,
    WL_LOSS_DOUBLE_HINGE,    /* max(-y f, max(0, (1 - y f)/2)) */
    WL_LOSS_LOGISTIC,        /* log(1 + exp(-y f)) */
    WL_LOSS_LOGISTIC_DOUBLE, /* log(1 + exp(-2 y f)) */
    WL_LOSS_SOFTMAX, /* with two classes, whose model is the difference of their functions, the logistic loss */
    WL_LOSS_INSENSITIVE, /* of a regression: max(0, |f - y| - eps) */
    WL_LOSS_DISTANCE     /* the squared distance from the mean of the class */
} wlab_loss;

typedef struct wlab_model {
    wlab_kernel kernel;
    int32_t cols;      /* features */
    int outputs;       /* the number of functions: 1 for two classes, else P >= 3 */
    double *w;         /* linear: [outputs x cols] */
    double *b;         /* [outputs] offsets; they include what a constant feature contributes */
    int64_t nsv;       /* other kernels: the number of support vectors */
    double *coef;      /* [nsv x outputs] */
    wlab_matrix *sv;   /* [nsv x cols] */
    int32_t *sv_row;   /* [nsv] row of the data set (precomputed) */
    char **class_name; /* [wlab_model_classes] by index; for two classes that of -1 comes first */
    wlab_loss loss;    /* the file of a linear model states it, nothing else uses it */
    struct wlab_bagged
        *bagged; /* a model of bags: no sum of kernel values, and no other member but b is set; else NULL */
} wlab_model;

static inline int wlab_model_classes(const wlab_model *m)
{
    return m->outputs > 1 ? m->outputs : 2;
}
/* The index of the class that outputs f[0 .. outputs-1] of a row predict: by the sign for one output, else that of the
 * largest, the first of equals. */
int wlab_decide(const double *f, int outputs);
static inline int wlab_model_decide(const wlab_model *m, const double *f)
{
    return wlab_decide(f, m->outputs);
}
/* labels [n]: the labels that outputs f [n x outputs] of the problem's instances predict, also where a label is
 * observed, so that a model's mistakes on these are visible.  In a positive bag (mil) the instance with the largest output
 * is the key instance, +1, and the others are 0. */
wlab_code wlab_predicted_labels(const wlab_problem *, const double *f, int8_t *labels, wlab_err *);
/* The number of outputs of a model of the problem. */
static inline int wlab_problem_outputs(const wlab_problem *p)
{
    return p->classes > 2 ? p->classes : 1;
}

/* f(x) = sum_k c[k] kappa(x_k, x) over the problem's instances.  The model stores w for the linear kernel, else the rows
 * with c != 0.  The constant feature of kernel->bias becomes the offset. */
wlab_code wlab_model_from_coefficients(wlab_model **, const wlab_problem *, const wlab_kernel *,
                                       const double *c, wlab_pool *, wlab_err *);
/* f(x) = w'x + b, w [p->X->cols]. */
wlab_code wlab_model_from_weights(wlab_model **, const wlab_problem *p, const double *w, double b,
                                  wlab_err *);
/* f_k(x) = W_k'x + b[k] for the class of index k, W [P x cols], b [P], P = p->classes; for two classes f_1 - f_0. */
wlab_code wlab_model_from_class_weights(wlab_model **, const wlab_problem *p, const double *W,
                                        const double *b, wlab_err *);
/* f_k(x) = sum_i coef[i,k] kappa(x_i, x) + b[k] over the problem's instances, coef [n x P] row-major; for two classes
 * f_1 - f_0.  The constant feature of kernel->bias becomes the offset. */
wlab_code wlab_model_from_class_coefficients(wlab_model **, const wlab_problem *p, const wlab_kernel *,
                                             const double *coef, const double *b, wlab_pool *, wlab_err *);
/* f(x) = top - sum_k a[k] (x_k - c[k])^2, a, c [p->X->cols], written with the kernel (x'z + 1)^2. */
wlab_code wlab_model_from_distance(wlab_model **, const wlab_problem *p, const double *a, const double *c,
                                   double top, wlab_err *);
void wlab_model_destroy(wlab_model *);
/* f [rows x outputs] for every row of X.  Columns that only X or only the model has are 0 in the other, as in LIBLINEAR's
 * and LIBSVM's programs.  precomputed: X's columns are the rows of the data set. */
wlab_code wlab_model_predict(const wlab_model *, const wlab_matrix *X, double *f, wlab_pool *, wlab_err *);
/* The same for rows row[0 .. rows(X)-1] of `data` (NULL: all), which X holds.  A model of bags gives the rows of a bag on
 * which it was trained the outputs that they have without their bag, where it would compare the bag with itself. */
wlab_code wlab_model_predict_rows(const wlab_model *, const wlab_matrix *X, const wlab_dataset *data,
                                  const int32_t *row, double *f, wlab_pool *, wlab_err *);
/* A model of bags (bagged): whole [bags] becomes f(B) of each bag that has rows in X; bag [rows(X)] in 0 .. bags-1, data and
 * row as above. */
wlab_code wlab_model_predict_bags(const wlab_model *, const wlab_matrix *X, const wlab_dataset *data,
                                  const int32_t *row, const int32_t *bag, int64_t bags, double *whole,
                                  wlab_pool *, wlab_err *);
/* Writes the model as text, in LIBLINEAR's format if it is linear, else in LIBSVM's; the programs of those packages read
 * it.  wlab_model_labels says how classes are written whose names are no integers. */
wlab_code wlab_model_write(const wlab_model *, wlab_buf *out, wlab_err *);
/* The loss of a linear model in words, if LIBLINEAR has no solver type for it, and *type, the nearest one, which is in the
 * file: it changes no predicted class, but probabilities would not be the model's.  NULL: the type is that of the loss. */
const char *wlab_model_nearest(const wlab_model *, const char **type);
/* label [classes]: the integers by which these formats name the classes.  True: they are the classes' own names.  False:
 * some name is no integer, and the labels are -1 and +1, or 1, 2, ... */
bool wlab_model_labels(const wlab_model *, long *label);
/* Reads a model in either format; the first line decides which. */
wlab_code wlab_model_read(wlab_model **, const char *path, wlab_err *);

#ifdef __cplusplus
}
#endif

#endif
