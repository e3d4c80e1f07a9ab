/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel parameters that all kernel algorithms have in common, and the kernel that they define.
 */
#ifndef WEAKLAB_SVM_KERNEL_H
#define WEAKLAB_SVM_KERNEL_H

#include "model/width.h"
#include "weaklab/model.h"

#include <math.h>

enum {
    WL_KERNEL_ROWS = 16000, /* largest order of a kernel matrix: 2 GB */
    WL_KERNEL_RANK = 500    /* rank= where that does not suffice */
};

/* Entries for an algorithm's table of parameters.  PLAIN: without a graph. */
#define WLAB_KERNEL_FLAGS (WL_P_OBJECTIVE | WL_P_KERNEL)
/* clang-format off */
#define WLAB_KERNEL_PLAIN_PARAMS(default_kernel)                                                             \
    {"kernel", WL_P_CHOICE, default_kernel, 0, 0, wlab_kernel_names, NULL,                                   \
     "kappa(x,z), the kernel function of two rows; linear: x'z; rbf: exp(-gamma ||x-z||^2); poly: (gamma x'z + coef0)^degree; precomputed: the " \
     "data are the kernel matrix itself; auto: rbf if sigma= or gamma= is given or the data are dense with at " \
     "most 4000 rows, else linear", WLAB_KERNEL_FLAGS}, \
    {"gamma", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL,                                                      \
     "poly: gamma, 1 / columns if not given; rbf: gamma = 1 / (2 sigma^2), in place of sigma=", WL_P_OPEN_LO | WLAB_KERNEL_FLAGS},                                \
    {"sigma", WL_P_SCALED, "1nn", 0, HUGE_VAL, wlab_width_units, NULL,                                       \
     "rbf: width in exp(-||x-z||^2 / (2 sigma^2)): a number, or with a unit a multiple of a length of the data; " \
     "nn: the median distance of a row from its seventh nearest; rms: the root of the mean squared distance of " \
     "two rows; x: the root of the mean distance of two rows, as in the WellSVM paper; if not given, with rank= or more " \
     "than 16000 rows 0.5rms, else 1nn", WL_P_OPEN_LO | WLAB_KERNEL_FLAGS}, \
    {"degree", WL_P_INT, "3", 1, 20, NULL, NULL, "poly: degree", WLAB_KERNEL_FLAGS},                                         \
    {"coef0", WL_P_REAL, "0", 0, HUGE_VAL, NULL, NULL, "poly: coef0; not negative, so that K remains psd", WLAB_KERNEL_FLAGS}
#define WLAB_KERNEL_GRAPH_PARAMS(default_kernel)                                                             \
    WLAB_KERNEL_PLAIN_PARAMS(default_kernel),                                                                \
    {"graph", WL_P_TEXT, "none", 0, 0, NULL, NULL,                                                           \
     "graph of all training rows by which the kernel is deformed: K (I + rho L K)^-1, L its Laplacian; knn:6: each row is " \
     "joined to its 6 nearest; knn:6:heat: weights that fall with the distance; knn:6:normalised: the normalised " \
     "Laplacian; none: no graph", WLAB_KERNEL_FLAGS}, \
    {"rho", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL,                                                         \
     "with graph=: weight of f'Lf, the squared differences along the edges, beside ||f||^2; 0: no graph", WL_P_OPEN_HI | WLAB_KERNEL_FLAGS}
#define WLAB_RANK_MEANING                                                                                    \
    "kernels that are not linear: the largest number of columns of a factor F, K = F F' up to a certified trace error, " \
    "by whose rows the algorithm works as it does by rows of data with the linear kernel, without the matrix K; 0: K " \
    "itself; if not given, 0 if K fits into memory, else 500"
#define WLAB_KERNEL_ONLY_PARAMS(default_kernel)                                                              \
    WLAB_KERNEL_GRAPH_PARAMS(default_kernel),                                                                \
    {"rank", WL_P_INT, NULL, 0, WL_KERNEL_ROWS, NULL, "columns", WLAB_RANK_MEANING, WL_P_OBJECTIVE | WL_P_FACTOR}
#define WLAB_BIAS_PARAM(default_bias)                                                                        \
    {"bias", WL_P_REAL, default_bias, 0, HUGE_VAL, NULL, NULL,                                               \
     "value of a constant feature that is added to every row, with a regularised weight; 0: no such feature", WL_P_OBJECTIVE}
#define WLAB_KERNEL_PARAMS(default_kernel, default_bias)                                                     \
    WLAB_KERNEL_ONLY_PARAMS(default_kernel), WLAB_BIAS_PARAM(default_bias)
/* clang-format on */

/* The kind of kernel that the parameters define; X decides about auto.  WL_K_DEFORMED if there is a graph (and rho is
 * not 0), which algorithms treat as any kernel that is not linear. */
wlab_kernel_kind wlab_kernel_kind_of(const wlab_params *, const wlab_matrix *X);
/* The kind without the graph. */
wlab_kernel_kind wlab_kernel_plain_kind(const wlab_params *, const wlab_matrix *X);
/* Kernels are copied as structs, but a state that keeps one made by wlab_kernel_choose releases it at its end, and
 * another that keeps it longer makes a copy. */
wlab_kernel wlab_kernel_copy(const wlab_kernel *);
void wlab_kernel_clear(wlab_kernel *);
/* sigma= in use, in text, and its number and unit (-1: none).  If it is not given: 1nn; but 0.5rms if rank= is given or X has
 * more than WL_KERNEL_ROWS rows, as a factor cannot describe a kernel as narrow as 1nn is then (docs/lowrank.md). */
const char *wlab_kernel_sigma(const wlab_params *, const wlab_matrix *X, double *number, int *unit);
/* Sets the kernel and its width to the defaults of recordings of this format if these are others than today's and none is given:
 * format 1: linear, and 1x; 4 and before: 1nn. */
wlab_code wlab_kernel_set_old_defaults(wlab_params *, const wlab_matrix *X, int format, wlab_err *);
/* Checks the parameters without data: WL_EARG if one of those given does not apply to the kernel. */
wlab_code wlab_kernel_check(const wlab_params *params, wlab_err *);
/* The kernel that `params` (with WLAB_KERNEL_PARAMS in their table) define; a sigma with a unit is multiplied by that
 * length of the rows of X.  poly without gamma: gamma = 1/d.  Cost: that of wlab_width if sigma has a unit, else
 * O(1); with a graph also that of wlab_graph_make and wlab_deformed_make.  X must outlive a kernel with a graph. */
wlab_code wlab_kernel_choose(wlab_kernel *, const wlab_params *params, const wlab_matrix *X, wlab_ctx *,
                             wlab_err *);
/* The columns of the factor by which an algorithm works, if rank= or, without it, the number of rows of a kernel matrix says
 * so; 0: by the kernel matrix. */
int64_t wlab_kernel_rank(const wlab_params *, const wlab_matrix *X, int64_t rows);
/* What rank= says of a kernel matrix with so many rows, for a table that has it, whatever the kernel is. */
int64_t wlab_kernel_columns(const wlab_params *, int64_t rows);
/* Describes the kernel as settings: "kernel=rbf sigma=0.42". */
void wlab_kernel_describe(const wlab_kernel *, char *buf, size_t size);
/* offset=auto|free|feature, for SVMs that have both kinds of offset. */
extern const char *const wlab_offset_names[];
/* *is_free: whether the offset is free; by_default: the value for auto.  WL_EARG: bias= is given with a free offset. */
wlab_code wlab_offset_choose(bool *is_free, const wlab_params *, bool by_default, wlab_err *);
/* The hook `setting` of an algorithm with offset=: the number of the choice that auto stands for; NaN for other settings. */
double wlab_offset_setting(const wlab_params *, const char *name, bool by_default);
/* wlab_kernel_matrix that reports its progress and ends at an interrupt (WL_EINTERRUPTED). */
wlab_code wlab_kernel_matrix_progress(const wlab_kernel *, const wlab_matrix *X, const wlab_matrix *Z,
                                      const int32_t *zrow, double *K, wlab_ctx *, wlab_err *);
/* WL_EARG if n > most, where n is the order of the kernel matrix of `things` ("rows"); `instead`: the remedy in the
 * message. */
wlab_code wlab_kernel_here(const wlab_matrix *X, wlab_err *); /* WL_EARG if its rows are on several ranks */
wlab_code wlab_kernel_fits(int64_t n, int64_t most, const char *things, const char *instead, wlab_err *);

#endif
