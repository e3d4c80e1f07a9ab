/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The supervised SVM, for algorithms that are one on other labels (algo/mil/sil.c).
 */
#ifndef ALGO_SVM_H
#define ALGO_SVM_H

#include "model/kernel.h"
#include "weaklab/algo.h"

/* clang-format off */
/* The settings.  Each algorithm has a table of its own, by which one class against the rest knows it. */
#define SUPERVISED_PARAMS(C_meaning)                                                                         \
    WLAB_KERNEL_PARAMS("linear", "0"),                                                                       \
    {"offset", WL_P_CHOICE, "auto", 0, 0, wlab_offset_names, NULL,                                           \
     "free: b is not regularised; feature: b comes from a constant feature (bias=), whose weight is regularised; " \
     "auto: free with a nonlinear kernel and hinge loss, else feature", WL_P_OBJECTIVE},                     \
    {"C", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, C_meaning, WL_P_OPEN_LO | WL_P_OBJECTIVE},                \
    {"loss", WL_P_CHOICE, "hinge", 0, 0, supervised_losses, NULL,                                            \
     "hinge, or squared-hinge: sum of C/2 max(0, 1 - y f)^2", WL_P_OBJECTIVE},                               \
    {"backend", WL_P_CHOICE, "own", 0, 0, supervised_backends, NULL,                                         \
     "own; or, for comparison, liblinear (linear, offset=feature) or libsvm (hinge, offset=free)", 0},       \
    {"eps", WL_P_REAL, "1e-6", 0, 1, NULL, "relative",                                                       \
     "duality gap to which the SVM is solved; LIBLINEAR and LIBSVM use the number as their own tolerance", WL_P_OPEN_LO}
/* clang-format on */
extern const char *const supervised_backends[], *const supervised_losses[];
extern const wlab_metric_info supervised_metrics[];
wlab_code supervised_create(void **state, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
wlab_code supervised_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
void supervised_observe(const void *state, double *metric, int8_t *labels);
wlab_code supervised_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
const wlab_kernel *supervised_kernel(const void *state);
wlab_loss supervised_loss_of(const wlab_params *);
void supervised_explain(const void *state, char *buf, size_t size);
void supervised_next(const void *state, char *buf, size_t size);
void supervised_walk(void *state, struct wlab_walk *);
void supervised_destroy(void *state);

#endif
