/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether runs of one algorithm minimise the same function.
 */
#ifndef WEAKLAB_OBJECTIVES_H
#define WEAKLAB_OBJECTIVES_H

#include "weaklab/run.h"

#include <jansson.h>

/* Whether n runs have the same algorithm. */
bool wlab_runs_of_one_algorithm(const wlab_run *const *run, int n);
/* Appends to *out by which settings (WL_P_OBJECTIVE) the objectives of n runs differ, with the value of each run: "C2
 * (0.1, 1), kernel (linear, rbf sigma=0.4)".  Nothing if the runs do not all have the same algorithm, or if no such setting
 * differs.  *certain: whether they do differ; otherwise they may, as a value is chosen by the algorithm.  Returns the names
 * as a JSON array; NULL: no memory. */
json_t *wlab_objectives_differ(const wlab_run *const *run, int n, wlab_buf *out, bool *certain);

/* Whether two runs of algorithms that certify bounds on one problem (wlab_algo.certifies) have the same problem: the same
 * labels observed of the same rows, the same kernel, and equal settings. */
bool wlab_objectives_equal(const wlab_run *, const wlab_run *);

#endif
