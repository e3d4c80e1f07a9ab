/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets whose rows are on several ranks: no rank ever has all of them.  Labels, classes and names are on rank 0.
 */
#ifndef DATA_AWAY_H
#define DATA_AWAY_H

#include "weaklab/dataset.h"

/* Every rank of ctx->ranks (NULL: there is one) calls these with equal arguments, and gets the same code and message, which
 * are those of one process; only of memory and of a file that a single rank cannot read the message names the rank.
 * *own: this rank's rows, as wlab_matrix_spread divides them.  *whole: on rank 0 the data set that wlab_dataset_load or
 * wlab_dataset_generate makes in one process, but its X is away, also if there is one rank; on other ranks NULL. */

/* Only of formats that WL_READS_SHARES, not compressed, and with the labels in the file itself. */
wlab_code wlab_away_load(wlab_dataset **whole, wlab_matrix **own, const char *path, const char *name,
                         const wlab_params *options, wlab_ctx *, wlab_err *);
/* Only of generators with the hook make_part. */
wlab_code wlab_away_generate(wlab_dataset **whole, wlab_matrix **own, const wlab_generator *,
                             const char *name, const wlab_params *, wlab_ctx *, wlab_err *);

#endif
