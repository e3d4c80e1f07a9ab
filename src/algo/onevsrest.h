/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More than two classes for algorithms that tell two apart: a machine for each class, which is the algorithm on that
 * class against the rest (wlab_problem_one_vs_rest).
 */
#ifndef ALGO_ONEVSREST_H
#define ALGO_ONEVSREST_H

#include "weaklab/algo.h"

/* The machines one after the other as one algorithm: its steps are the machines', a machine is a phase, its metrics are
 * those of the machine at hand and `machine`, its labels those of the largest output among the machines that are done,
 * where the row's own is not seen.  What `set` changes holds for the machine at hand and those to come; behind the last
 * they begin again.  NULL where it does not take the algorithm, or memory is short.  Of one algorithm always the same. */
const wlab_algo *wlab_onevsrest(const wlab_algo *);
/* Whether it takes the algorithm: one of two classes for a task that has classes. */
bool wlab_onevsrest_takes(const wlab_algo *);

#endif
