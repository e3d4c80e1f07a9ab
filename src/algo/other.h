/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts of one algorithm from the result of another.
 */
#ifndef ALGO_OTHER_H
#define ALGO_OTHER_H

#include "weaklab/algo.h"

/* Runs the algorithm `name` on the problem (two classes) to its end, and puts the outputs of its predictor on the
 * problem's rows into f [n].  It has its default settings, except those of `same` (names, ended by NULL) that `given`, the
 * settings of the algorithm that asks, sets explicitly and that `name` has, too.  WL_EARG if it does not solve the task;
 * WL_EINTERRUPTED; errors of the other algorithm. */
wlab_code wlab_other_outputs(wlab_problem *, const char *name, const wlab_params *given,
                             const char *const *same, double *f, wlab_ctx *, wlab_err *);

#endif
