/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows on several ranks: which rank has which, and moving them there.
 */
#ifndef LINALG_SPREAD_H
#define LINALG_SPREAD_H

#include "base/rows.h"
#include "weaklab/matrix.h"

/* The order of the rows of all ranks: rank 0's rows, then rank 1's, and so on. */
typedef struct wlab_spread {
    wlab_ranks *ranks;
    int64_t before[WL_RANKS_MOST + 1], after[WL_RANKS_MOST + 1]; /* [size + 1] the first row of each rank */
} wlab_spread;

/* *out: a matrix of the rows that *X has on all ranks, divided into parts (wlab_passes_divide) of which each rank has its
 * own: (*out)->parts is set, also if there is only one rank.  All ranks have the same cols and the same sparse.  `how` moves
 * other values of the rows (wlab_spread_move).  X is not changed; the memory of both is needed.  Every rank calls it;
 * WL_ENOMEM on all if it runs out on one. */
wlab_code wlab_matrix_spread(wlab_matrix **out, const wlab_matrix *X, wlab_ranks *, wlab_spread *how,
                             wlab_err *);
/* Moves `each` bytes per row from where the rows were to where they are now. */
void wlab_spread_move(const wlab_spread *, size_t each, const void *data, void *out);

#endif
