/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by mi-bag, mi-instance and sil, which differ in their label set only: the alternation on another problem.
 */
#ifndef ALGO_MIL_H
#define ALGO_MIL_H

#include "algo/alternate/alternate.h"

/* Begins the alternation on the problem `solved`, of which it takes the reference, also after an error; the task's problem
 * p says what labels look like. */
wlab_code mil_create(void **state, const wlab_problem *p, wlab_problem *solved, const wlab_params *,
                     wlab_ctx *, wlab_err *);

#endif
