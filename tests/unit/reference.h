/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * LIBSVM and LIBLINEAR as references for solvers that have no such back end.
 */
#ifndef WEAKLAB_TESTS_REFERENCE_H
#define WEAKLAB_TESTS_REFERENCE_H

#include "support.h"

#include "weaklab/matrix.h"

#include <libsvm/svm.h>
#include <linear.h>

static void reference_ignore(const char *text)
{
    (void)text;
}

/* LIBSVM solves the problem that `parameter` describes, with kernel matrix K [n x n] and labels or targets `label`.
 * Its output on the rows is K c - rho: c [n] receives the coefficients, and -rho is returned. */
static inline double reference_libsvm(const double *K, const double *label, int64_t n,
                                      struct svm_parameter *parameter, double *c)
{
    struct svm_node *node = calloc((size_t)(n * (n + 2)), sizeof *node),
                    **row = calloc((size_t)n, sizeof *row);
    double *y = calloc((size_t)n, sizeof *y);
    assert_true(node && row && y);
    memcpy(y, label, (size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++) { /* the serial number comes first */
        row[i] = node + i * (n + 2);
        row[i][0] = (struct svm_node){0, (double)(i + 1)};
        for (int64_t j = 0; j < n; j++)
            row[i][j + 1] = (struct svm_node){(int)j + 1, K[i * n + j]};
        row[i][n + 1] = (struct svm_node){-1, 0};
    }
    struct svm_problem problem = {.l = (int)n, .y = y, .x = row};
    parameter->kernel_type = PRECOMPUTED;
    parameter->cache_size = 200;
    parameter->shrinking = 1;
    assert_null(svm_check_parameter(&problem, parameter));
    svm_set_print_string_function(reference_ignore);
    srand(1);
    struct svm_model *model = svm_train(&problem, parameter);
    memset(c, 0, (size_t)n * sizeof *c);
    for (int k = 0; k < model->l; k++)
        c[model->sv_indices[k] - 1] = model->sv_coef[0][k];
    const double b = -model->rho[0];
    svm_free_and_destroy_model(&model);
    free(node);
    free(row);
    free(y);
    return b;
}

/* LIBSVM's EPSILON_SVR, whose offset is not regularised.  The outputs are K c + offset; the offset is returned. */
static inline double reference_libsvm_regress(const double *K, const double *target, int64_t n, double C,
                                              double tube, double eps, double *c)
{
    struct svm_parameter parameter = {.svm_type = EPSILON_SVR, .C = C, .p = tube, .eps = eps};
    return reference_libsvm(K, target, n, &parameter, c);
}

/* ONE_CLASS with nu = 1/n: min 1/2 a'Ka, a >= 0, 1'a = 1. */
static inline void reference_libsvm_one_class(const double *K, int64_t n, double eps, double *a)
{
    struct svm_parameter parameter = {.svm_type = ONE_CLASS, .nu = 1 / (double)n, .eps = eps};
    double *label = calloc((size_t)n, sizeof *label);
    assert_non_null(label);
    for (int64_t i = 0; i < n; i++)
        label[i] = 1;
    (void)reference_libsvm(K, label, n, &parameter, a);
    free(label);
}

/* min 1/2 ||(w, wb)||^2 + C sum over the rows of X of max(0, |t_i - w'x_i - wb| - tube) (-s 13, -B 1): w [cols]; wb is
 * returned. */
static inline double reference_liblinear_regress(const wlab_matrix *X, const double *target, double C,
                                                 double tube, double eps, double *w)
{
    const struct parameter parameter = {.solver_type = L2R_L1LOSS_SVR_DUAL, .eps = eps, .C = C, .p = tube};
    int64_t nodes = 0, at = 0;
    for (int64_t i = 0; i < X->rows; i++)
        nodes += X->len[i] + 2;
    struct feature_node *node = calloc((size_t)nodes, sizeof *node),
                        **row = calloc((size_t)X->rows, sizeof *row);
    double *y = calloc((size_t)X->rows, sizeof *y);
    assert_true(node && row && y);
    memcpy(y, target, (size_t)X->rows * sizeof *y);
    for (int64_t i = 0; i < X->rows; i++) {
        row[i] = node + at;
        for (int32_t k = 0; k < X->len[i]; k++) {
            const int64_t e = X->start[i] + k;
            node[at++] = (struct feature_node){(X->sparse ? X->col[e] : k) + 1,
                                               X->sparse ? (double)X->val[e] : X->dense[e]};
        }
        node[at++] = (struct feature_node){X->cols + 1, 1};
        node[at++] = (struct feature_node){-1, 0};
    }
    struct problem problem = {.l = (int)X->rows, .n = X->cols + 1, .y = y, .x = row, .bias = 1};
    assert_null(check_parameter(&problem, &parameter));
    set_print_string_function(reference_ignore);
    srand(1);
    struct model *model = train(&problem, &parameter);
    memcpy(w, model->w, (size_t)X->cols * sizeof *w);
    const double wb = model->w[X->cols];
    free_and_destroy_model(&model);
    free(node);
    free(row);
    free(y);
    return wb;
}

#endif
