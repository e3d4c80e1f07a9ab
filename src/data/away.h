/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading and making data of which every rank keeps its rows.
 */
#ifndef DATA_AWAY_H
#define DATA_AWAY_H

#include "weaklab/dataset.h"

/* Every rank of ctx->ranks calls them with equal arguments.  *own: this rank's rows; *whole: on rank 0 the data set with an
 * `away` matrix, elsewhere NULL. */
wlab_code wlab_away_load(wlab_dataset **whole, wlab_matrix **own, const char *path, const char *name,
                         const wlab_params *options, wlab_ctx *, wlab_err *);
wlab_code wlab_away_generate(wlab_dataset **whole, wlab_matrix **own, const wlab_generator *,
                             const char *name, const wlab_params *, wlab_ctx *, wlab_err *);

#endif
