/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by mi-bag and mi-instance, which differ in their label set only: the alternation on that label set.
 */
#ifndef ALGO_MIL_H
#define ALGO_MIL_H

#include "algo/alternate/alternate.h"

/* Begins the alternation on key instances (keys) or on labels of all instances: on the task's problem p if its labels are
 * of that kind, else on one that is derived from it.  shared: a negative bag has one slack. */
wlab_code mil_create(void **state, wlab_problem *p, bool keys, bool shared, const wlab_params *, wlab_ctx *,
                     wlab_err *);

#endif
