/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests: the SVM objective of one labeling, by the box QP.
 */
#ifndef TESTS_LABELING_VALUE_H
#define TESTS_LABELING_VALUE_H

#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp.h"
#include "support.h"

/* max over alpha of G(alpha, y) for one labeling. */
static inline double value_of(const wellsvm *w, const int8_t *y)
{
    wlab_err err;
    wlab_boxqp_result result;
    int64_t m = w->m;
    const int32_t *example = w->p->example;
    double *Q = calloc((size_t)(m * m), sizeof *Q), *alpha = calloc((size_t)m, sizeof *alpha);
    double *g = malloc((size_t)m * sizeof *g), *delta = malloc((size_t)m * sizeof *delta);
    double *upper = malloc((size_t)m * sizeof *upper);
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t j = 0; j < w->n; j++)
            Q[example[i] * m + example[j]] += y[i] * y[j] * w->K[i * w->n + j];
    for (int64_t i = 0; i < m; i++) {
        double C = w->p->cost[i] ? w->C2 : w->C1;
        delta[i] = w->loss == WELL_HINGE ? 0 : 1 / C;
        upper[i] = w->loss == WELL_HINGE ? C : HUGE_VAL;
    }
    ASSERT_OK(wlab_boxqp_solve(Q, m, delta, upper, 1e-12, alpha, g, &result, NULL, &err), err);
    free(Q), free(alpha), free(g), free(delta), free(upper);
    return w->loss == WELL_SUM_TO_ONE ? -1 / (4 * result.dual) : result.dual;
}

#endif
