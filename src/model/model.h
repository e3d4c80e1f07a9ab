/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of models: copies of rows, and LIBSVM's binary classifiers of pairs of classes.
 *
 * LIBSVM distinguishes P classes by P (P - 1) / 2 binary classifiers, one per pair a < b, each of which votes for a
 * class.  A model with one output f_k per class is written with f_a - f_b as the classifier of the pair a, b.  Then
 * the class with the largest output wins all its votes, so that the vote is our argmax.
 *
 * In LIBSVM's format each vector belongs to one class, and a vector of class a is part of the classifiers of a only.
 * So a vector is written several times, once for each class whose coefficient differs from the vector's most frequent
 * one.  Then every classifier in which it has a coefficient gets a copy: of two classes with the most frequent
 * coefficient, the difference is 0.
 *
 * LIBSVM decides a tie for b.  The file has our classes from the last to the first, so that this is the lower class,
 * as in our models.
 */
#ifndef SVM_MODEL_H
#define SVM_MODEL_H

#include "weaklab/event.h"
#include "weaklab/model.h"

/* A copy of rows pick[0..n-1] of X. */
wlab_code wlab_model_copy_rows(wlab_matrix **out, const wlab_matrix *X, const int32_t *pick, int64_t n,
                               wlab_err *);

/* wlab_model_predict that reports its rows and ends at an interrupt (WL_EINTERRUPTED), with the same bits. */
wlab_code wlab_model_predict_progress(const wlab_model *, const wlab_matrix *X, double *f, wlab_ctx *,
                                      wlab_err *);
/* The same for wlab_model_predict_rows; a model of bags does not look. */
wlab_code wlab_model_predict_rows_progress(const wlab_model *, const wlab_matrix *X, const wlab_dataset *data,
                                           const int32_t *row, double *f, wlab_ctx *, wlab_err *);

typedef struct wlab_pairs {
    int64_t total;                /* number of vectors, including copies */
    int64_t nsv[WL_CLASSES_MOST]; /* [P] number of vectors of each class of the file */
    int64_t *vector;              /* [total] index of the model's vector; ordered by class */
    double *coef;                 /* [total x (P - 1)] as in the file */
    double *rho;                  /* [P (P - 1) / 2] */
} wlab_pairs;
wlab_code wlab_pairs_of_model(wlab_pairs *, const wlab_model *, wlab_err *);
void wlab_pairs_clear(wlab_pairs *);

/* The inverse of wlab_pairs_of_model.  On input m has outputs, kernel, sv, sv_row and coef [nsv x (P - 1)] as in the
 * file, whose classes have nsv[P] vectors.  It becomes a model whose outputs sum to 0 for each row (the pairs
 * determine the outputs up to a common term).  WL_EINPUT if the binary classifiers are not differences of P
 * functions; the caller may then only destroy the model. */
wlab_code wlab_model_of_pairs(wlab_model *m, const int64_t *nsv, const double *rho, wlab_err *);

#endif
