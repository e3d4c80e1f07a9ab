/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which units of a problem cross-validation holds out.
 */
#ifndef EVAL_FOLDS_H
#define EVAL_FOLDS_H

#include "weaklab/tune.h"

/* Whether cross-validation of the problem holds out whole bags instead of rows. */
bool wlab_folds_of_bags(const wlab_problem *);

#endif
