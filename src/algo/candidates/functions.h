/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the algorithms for candidate labels (clpl.c, pl_svm.c): one function for each class,
 *
 *     f_k(x) = <w_k, phi(x)>,   k = 0 .. P-1,
 *
 * on the rows of a problem, and the set of candidates S_i of each row, as bits.  W [P x dim] has the w_k one after the
 * other; outputs are o [P x n], those of a class one after the other.
 *
 * A row that may be of any class says nothing about the classes.  It has no loss; its label is only predicted.
 */
#ifndef ALGO_FUNCTIONS_H
#define ALGO_FUNCTIONS_H

#include "algo/algos.h"
#include "model/centred.h"
#include "model/kernel.h"

typedef struct functions {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    wlab_centred *rows; /* without centring: the data or a factor, and a constant feature */
    int P;
    int64_t n, dim;
    uint64_t all;      /* every class */
    uint64_t *set;     /* [n] S_i */
    int64_t told;      /* rows with fewer candidates than classes: the mean of the losses is over these */
    int64_t ambiguous; /* those of them with several candidates */
} functions;

/* Fills *f, which must be zero; a failure leaves it for wlab_functions_clear.  Errors: those of wlab_kernel_choose and
 * wlab_centred_make; WL_ESTATE if every row may be of any class.  Cost: n r^2 for a kernel with a factor of r columns. */
wlab_code wlab_functions_make(functions *f, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
void wlab_functions_clear(functions *);
/* lambda=, or 1/m, m = told, if it is not given. */
double wlab_functions_lambda(const functions *, const wlab_params *);
/* wlab_algo.setting: the lambda in use. */
double wlab_functions_setting(const wlab_problem *, const wlab_params *, const char *name);
/* o = the outputs of W.  Cost: P passes over the rows. */
void wlab_functions_outputs(const functions *, const double *W, double *o, wlab_pool *);
/* The index of the largest output of row i among the classes `of`, the first of equals; -1 if `of` is empty. */
int wlab_functions_largest(const functions *, const double *o, int64_t i, uint64_t of);
/* y [n] = the candidate with the largest output, and the number of labels that were others before. */
int64_t wlab_functions_labels(const functions *, const double *o, int8_t *y);
wlab_code wlab_functions_model(const functions *, wlab_model **, const double *W, wlab_pool *, wlab_err *);
/* The probe WL_PROBE_SCORES: o by rows. */
wlab_code wlab_functions_scores(const functions *, const double *o, wlab_probed *, wlab_err *);

#endif
