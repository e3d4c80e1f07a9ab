/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel parameters that every kernel algorithm shares, and the kernel they name.
 */
#ifndef WEAKLAB_SVM_KERNEL_H
#define WEAKLAB_SVM_KERNEL_H

#include "model/width.h"
#include "weaklab/model.h"

#include <math.h>

/* Rows for an algorithm's parameter table. */
/* clang-format off */
#define WLAB_KERNEL_PARAMS(default_kernel, default_bias)                                                     \
    {"kernel", WL_P_CHOICE, default_kernel, 0, 0, wlab_kernel_names, NULL,                                   \
     "kappa(x,z): x'z | exp(-gamma ||x-z||^2) | (gamma x'z + coef0)^degree | the data are K itself; auto: rbf for dense data of at most 4000 rows, else linear", 0}, \
    {"gamma", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL,                                                      \
     "rbf, poly: gamma of the kernel (rbf: in place of sigma)", WL_P_OPEN_LO},                               \
    {"sigma", WL_P_SCALED, "1nn", 0, HUGE_VAL, wlab_width_units, NULL,                                       \
     "rbf: width in exp(-||x-z||^2 / (2 sigma^2)); 1nn, 0.5nn, ...: times the median distance from a row to its seventh nearest; rms: the root of the mean squared distance of two rows; x: the root of their mean distance", WL_P_OPEN_LO}, \
    {"degree", WL_P_INT, "3", 1, 20, NULL, NULL, "poly: degree", 0},                                         \
    {"coef0", WL_P_REAL, "0", 0, HUGE_VAL, NULL, NULL, "poly: coef0 (not negative: K stays psd)", 0},        \
    {"bias", WL_P_REAL, default_bias, 0, HUGE_VAL, NULL, NULL,                                               \
     "value of a constant feature added to every row, its weight regularised; 0: no offset", 0}
/* clang-format on */

/* The kernel that they name; auto is resolved by X. */
wlab_kernel_kind wlab_kernel_kind_of(const wlab_params *, const wlab_matrix *X);
/* Names the kernel and the width that recordings of format 1 meant where they left them out: linear, and 1x. */
wlab_code wlab_kernel_older(wlab_params *, wlab_err *);
/* What can be said of such parameters without data: WL_EARG when one of those given has no part in the kernel. */
wlab_code wlab_kernel_check(const wlab_params *params, wlab_err *);
/* The kernel that `params` (with WLAB_KERNEL_PARAMS in their table) name, relative widths resolved on the rows
 * of X.  poly without gamma: gamma = 1/d.  Cost: wlab_width's where sigma has a unit, else
 * O(1). */
wlab_code wlab_kernel_choose(wlab_kernel *, const wlab_params *params, const wlab_matrix *X, wlab_ctx *,
                             wlab_err *);
/* "kernel=rbf sigma=0.42": what it came to, in the words of the settings. */
void wlab_kernel_words(const wlab_kernel *, char *buf, size_t size);
/* offset=auto|free|feature, of machines that have both. */
extern const char *const wlab_offset_names[];
/* Whether it is the free one; `by_default`: what auto comes to.  WL_EARG: bias= beside a free offset. */
wlab_code wlab_offset_choose(bool *is_free, const wlab_params *, bool by_default, wlab_err *);
/* wlab_kernel_matrix that tells its progress. */
wlab_code wlab_kernel_matrix_told(const wlab_kernel *, const wlab_matrix *X, const wlab_matrix *Z,
                                  const int32_t *zrow, double *K, wlab_ctx *, wlab_err *);
enum {
    WL_KERNEL_ROWS = 16000 /* the most that a kernel matrix is made of: 2 GB */
};
/* WL_EARG where the kernel matrix of n > most things ("rows") would be made; `instead`: what to do. */
wlab_code wlab_kernel_fits(int64_t n, int64_t most, const char *things, const char *instead, wlab_err *);

#endif
