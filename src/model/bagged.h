/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models of bags: f(B) follows from the rows of the bag B together (nearest bags, pooled posteriors), and not from outputs of
 * single rows.  Rows have outputs, too; that of the key instance of a bag is the largest.  A bag on which the model was
 * trained may be classified without itself, so a model is told which rows of the data set it predicts.
 */
#ifndef MODEL_BAGGED_H
#define MODEL_BAGGED_H

#include "weaklab/model.h"

/* What a kind of model computes; `own` is its parameters.  trained [rows]: the training instance that a row is, -1: a row
 * that is not among them. */
typedef struct wlab_bagged_kind {
    /* f [rows]: outputs of single rows */
    wlab_code (*rows)(const void *own, const wlab_matrix *X, const int32_t *trained, double *f, wlab_pool *,
                      wlab_err *);
    /* whole [bags]: outputs of the bags that the sets start, member (wlab_members_fill) of rows are, each of at least one
     * row */
    wlab_code (*bags)(const void *own, const wlab_matrix *X, const int32_t *trained, int64_t bags,
                      const int64_t *start, const int32_t *member, double *whole, wlab_pool *, wlab_err *);
    void (*destroy)(void *own);
} wlab_bagged_kind;

typedef struct wlab_bagged {
    const wlab_bagged_kind *kind;
    void *own;
    wlab_dataset *data; /* owned reference: rows of other data sets are not among the training rows */
    int64_t n;
    int32_t *row; /* [n] rows of the training instances, ascending */
} wlab_bagged;

/* Makes a model of the problem's two classes, which owns `own`; after a failure `own` is destroyed.  vectors: the number of
 * rows with which each row is compared, from which callers estimate the cost of a prediction. */
wlab_code wlab_model_of_bags(wlab_model **, const wlab_problem *, const wlab_bagged_kind *, void *own,
                             int64_t vectors, wlab_err *);
void wlab_bagged_destroy(wlab_bagged *); /* NULL is fine */
/* f [rows(X)] of rows of which nothing is known. */
wlab_code wlab_bagged_predict(const wlab_bagged *, const wlab_matrix *X, const wlab_dataset *,
                              const int32_t *row, double *f, wlab_pool *, wlab_err *);

#endif
