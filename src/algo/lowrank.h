/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kernels for more rows than a kernel matrix may have: the algorithm gets the rows of a factor F of the matrix
 * (model/features.h) as data with the linear kernel, F F' = K - E with E psd, and its model becomes one of the kernel
 * again, by the pivots of F.  Cost of the factor with R columns: n R^2 and n R kernel values; memory 2 n R numbers while it is
 * made, then n R.
 */
#ifndef ALGO_LOWRANK_H
#define ALGO_LOWRANK_H

#include "weaklab/algo.h"

/* The columns that F may have; 0: the algorithm works by the kernel matrix, or needs none. */
int64_t wlab_lowrank_columns(const wlab_algo *, const wlab_problem *, const wlab_params *);
/* Returns the algorithm that works this way, of a base that is in the table or one against the rest.  All that the base
 * chooses by the kernel (offset=auto) is chosen as for the linear one.  Its metrics are those of the base, and
 * `trace_error`, trace(E) / trace(K).  The hooks `kernel` and `model` are about the kernel, not about F.  Returns NULL if
 * memory is short, and the same pointer for the same base; of what it returned, that itself. */
const wlab_algo *wlab_lowrank(const wlab_algo *base);

#endif
