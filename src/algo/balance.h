/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For algorithms in which the mean output of the unlabelled rows is prescribed (model/centred.h): the fraction r of
 * positives, and the rows that they need.
 */
#ifndef WEAKLAB_ALGO_BALANCE_H
#define WEAKLAB_ALGO_BALANCE_H

#include "weaklab/algo.h"

/* clang-format off */
#define WLAB_BALANCE_PARAM                                                                                   \
    {.name = "r", .type = WL_P_TEXT, .fallback = "auto", .flags = WL_P_OBJECTIVE,                            \
     .meaning = "fraction of positives among the unlabelled rows: their mean output is 2 r - 1; auto: the "  \
                "task's r, or 0.5 if it has none"}
/* clang-format on */

/* *r as the parameter r= says.  WL_EARG if it is no number, or not above 0 and below 1. */
wlab_code wlab_balance_choose(double *r, const wlab_problem *, const wlab_params *, wlab_err *);
/* *C as the parameter C= says, auto: 1 / mean_square, the mean of ||phi - m||^2 over the unlabelled rows.  WL_ESTATE if that
 * is 0; WL_EARG if C= is not a number above 0. */
wlab_code wlab_balance_choose_C(double *C, double mean_square, const wlab_params *, wlab_err *);
/* WL_ESTATE with fewer than two unlabelled rows, or without labels. */
wlab_code wlab_balance_check(const wlab_problem *, wlab_err *);

#endif
