/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel parameters that every kernel algorithm shares, and the kernel they name.
 */
#ifndef WEAKLAB_SVM_KERNEL_H
#define WEAKLAB_SVM_KERNEL_H

#include "weaklab/model.h"

#include <math.h>

/* Units of sigma, gamma the mean over pairs of rows i < j: x, sqrt of gamma of ||x_i - x_j||, as the WellSVM paper prints
 * it; rms, sqrt of gamma of ||x_i - x_j||^2, as its authors' programs have it: the only one of the two that follows the
 * data's scale. */
enum {
    WL_WIDTH_X,
    WL_WIDTH_RMS
};
extern const char *const wlab_kernel_widths[]; /* "x", "rms", NULL */

/* Rows for an algorithm's parameter table. */
/* clang-format off */
#define WLAB_KERNEL_PARAMS(default_sigma, default_bias)                                                                   \
    {"kernel", WL_P_CHOICE, "linear", 0, 0, wlab_kernel_names, NULL,                                         \
     "kappa(x,z): x'z | exp(-gamma ||x-z||^2) | (gamma x'z + coef0)^degree | the data are K itself", 0},     \
    {"gamma", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL,                                                      \
     "rbf, poly: gamma of the kernel (rbf: in place of sigma)", WL_P_OPEN_LO},                               \
    {"sigma", WL_P_SCALED, default_sigma, 0, HUGE_VAL, wlab_kernel_widths, NULL,                                           \
     "rbf: width in exp(-||x-z||^2 / (2 sigma^2)); 0.5rms: half the root of the mean squared distance of the rows; 0.5x: half the root of their mean distance", WL_P_OPEN_LO},\
    {"degree", WL_P_INT, "3", 1, 20, NULL, NULL, "poly: degree", 0},                                         \
    {"coef0", WL_P_REAL, "0", 0, HUGE_VAL, NULL, NULL, "poly: coef0 (not negative: K stays psd)", 0},        \
    {"bias", WL_P_REAL, default_bias, 0, HUGE_VAL, NULL, NULL,                                                        \
     "value of a constant feature added to every row, its weight regularised; 0: no offset", 0}
/* clang-format on */

/* What can be said of such parameters without data: WL_EARG when one of those given has no part in the kernel. */
wlab_code wlab_kernel_check(const wlab_params *params, wlab_err *);
/* The kernel that `params` (with WLAB_KERNEL_PARAMS in their table) name, relative widths resolved on the rows
 * of X.  poly without gamma: gamma = 1/d.  Cost: sigma in x: O(n^2 d), in rms O(n d), else O(1). */
wlab_code wlab_kernel_choose(wlab_kernel *, const wlab_params *params, const wlab_matrix *X, wlab_ctx *,
                             wlab_err *);
/* wlab_kernel_matrix that tells its progress. */
wlab_code wlab_kernel_matrix_told(const wlab_kernel *, const wlab_matrix *X, const wlab_matrix *Z,
                                  const int32_t *zrow, double *K, wlab_ctx *, wlab_err *);

#endif
