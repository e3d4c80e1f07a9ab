/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The law by which `generate formula` draws its data: rows uniform in a box, and the probability of label +1 from a
 * formula over the columns.  So the boundary and the error of the best possible classifier are known.
 */
#ifndef DATA_FORMULA_H
#define DATA_FORMULA_H

#include "weaklab/dataset.h"
#include "weaklab/expr.h"

typedef struct wlab_formula {
    wlab_expr *f;
    int columns;      /* of the data; the formula may read fewer */
    double low, high; /* the box [low, high]^columns */
    double noise;     /* P(+1 | x) = 1 / (1 + exp(-f(x) / noise)); 0: the sign of f */
} wlab_formula;

void wlab_formula_destroy(wlab_formula *); /* NULL is fine */
/* f at x[columns]; NaN: it has no finite value there. */
double wlab_formula_value(const wlab_formula *, const double *x);
/* f at a row of the data set that has the formula. */
double wlab_formula_at(const wlab_dataset *, int64_t row);
/* The probability of label +1 where f has this value. */
double wlab_formula_positive(const wlab_formula *, double value);
/* The probability that the better of the two labels is wrong where f has this value, min(p, 1 - p). */
double wlab_formula_error(const wlab_formula *, double value);
typedef struct wlab_bayes {
    double error;     /* the mean of wlab_formula_error over the box */
    double deviation; /* the standard error of this estimate */
} wlab_bayes;
/* Integrates over the box, at 262144 points: 16 copies of Sobol's sequence, each shifted at random, whose means also give
 * the standard error.  The same formula gives the same bits.  Points without a value of f are left out.  Some tens of
 * milliseconds.  WL_ENOMEM, WL_EINTERRUPTED. */
wlab_code wlab_formula_bayes(const wlab_formula *, wlab_bayes *, const wlab_ctx *, wlab_err *);

#endif
