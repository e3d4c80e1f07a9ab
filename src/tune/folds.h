/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is held out of a problem.
 */
#ifndef EVAL_FOLDS_H
#define EVAL_FOLDS_H

#include "weaklab/tune.h"

/* Whole bags are held out, not rows. */
bool wlab_folds_of_bags(const wlab_problem *);

#endif
