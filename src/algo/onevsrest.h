/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More than two classes for algorithms of two classes: one binary classifier per class, which the algorithm trains on
 * that class against the rest (wlab_problem_one_vs_rest).
 */
#ifndef ALGO_ONEVSREST_H
#define ALGO_ONEVSREST_H

#include "weaklab/algo.h"

/* Returns the algorithm that trains the binary classifiers one after the other.  Its steps are those of the
 * classifiers, and each classifier is a phase.  Its metrics are those of the current classifier and the classifier's
 * number, `machine`.  A labelled row keeps its label.  Any other row gets, of the classes allowed to it, the one whose
 * finished classifier has the largest output; while classifiers are missing, only if that output is positive, else 0.
 * `set` changes the current classifier and those to come; if all are finished, the next step trains all again, from the
 * first.  Returns NULL if wlab_onevsrest_takes() is false or memory is short, and the same pointer for the same
 * algorithm. */
const wlab_algo *wlab_onevsrest(const wlab_algo *);
/* Whether wlab_onevsrest() accepts the algorithm: it solves problems of two classes only, can learn from at least one
 * of all labels, some labels, or candidates (other tasks do not matter), and gives a model. */
bool wlab_onevsrest_takes(const wlab_algo *);

#endif
