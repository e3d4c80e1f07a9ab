/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best matching of two sets, which decides which cluster stands for which class.
 */
#ifndef EVAL_MATCHING_H
#define EVAL_MATCHING_H

#include "weaklab/base.h"

/* Matches min(rows, cols) rows to different columns with the largest sum of gain [rows x cols]: match[rows] is the
 * row's column or -1.  The Hungarian algorithm by shortest augmenting paths (Kuhn, Naval Research
 * Logistics Quarterly 2 (1955); Jonker and Volgenant, Computing 38 (1987)), exact in integers; |gain| < 2^60.
 * O(min(rows, cols)^2 max(rows, cols)). */
wlab_code wlab_matching(const int64_t *gain, int rows, int cols, int *match, wlab_err *);

#endif
