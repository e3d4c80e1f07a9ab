/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of models: copies of rows, and LIBSVM's machines of pairs of classes.
 *
 * LIBSVM tells P classes apart by P (P - 1) / 2 machines, one a pair a < b, and each votes.  Let the machine of a pair be
 * f_a - f_b; then the class with the largest output wins all its votes, and the vote is our argmax.  LIBSVM's
 * coefficients are by the class that a vector is of: a vector of class a serves the machines of a only.  So a vector is
 * written for as many classes as it takes that each machine in which it counts has a copy: for all classes but those of
 * its commonest coefficient, between which it does not count.  A tie is for b; with the classes in the file from our last
 * to our first that is the lower one, as with us.
 */
#ifndef SVM_MODEL_H
#define SVM_MODEL_H

#include "weaklab/model.h"

/* A copy of rows pick[0..n-1] of X. */
wlab_code wlab_model_copy_rows(wlab_matrix **out, const wlab_matrix *X, const int32_t *pick, int64_t n,
                               wlab_err *);

typedef struct wlab_pairs {
    int64_t total;                /* vectors, copies counted */
    int64_t nsv[WL_CLASSES_MOST]; /* [P] of each class of the file */
    int64_t *vector;              /* [total] which of the model's it is; by class */
    double *coef;                 /* [total x (P - 1)] as in the file */
    double *rho;                  /* [P (P - 1) / 2] */
} wlab_pairs;
wlab_code wlab_pairs_of_model(wlab_pairs *, const wlab_model *, wlab_err *);
void wlab_pairs_clear(wlab_pairs *);

/* The way back.  m: outputs, kernel, sv, sv_row and coef [nsv x (P - 1)] as in the file, whose classes have nsv[P]
 * vectors; becomes a model whose outputs sum to 0 for each row (the pairs tell them up to what they share).  WL_EINPUT
 * where the machines are no differences of P functions; the model may then only be destroyed. */
wlab_code wlab_model_of_pairs(wlab_model *m, const int64_t *nsv, const double *rho, wlab_err *);

#endif
