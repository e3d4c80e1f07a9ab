/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The supervised SVM, for algorithms that are one on other labels (algo/mil/sil.c).
 */
#ifndef ALGO_SVM_H
#define ALGO_SVM_H

#include "weaklab/algo.h"

extern const wlab_param_info supervised_params[];
extern const wlab_metric_info supervised_metrics[];
wlab_code supervised_create(void **state, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
wlab_code supervised_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
void supervised_observe(const void *state, double *metric, int8_t *labels);
wlab_code supervised_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
const wlab_kernel *supervised_kernel(const void *state);
bool supervised_squared_loss(const wlab_params *);
void supervised_explain(const void *state, char *buf, size_t size);
void supervised_next(const void *state, char *buf, size_t size);
void supervised_walk(void *state, struct wlab_walk *);
void supervised_destroy(void *state);

#endif
