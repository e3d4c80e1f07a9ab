/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wlab_matrix_rows with a context: counting the entries of millions of rows reports progress and can be interrupted
 * (WL_EINTERRUPTED).
 */
#ifndef WEAKLAB_LINALG_VIEW_H
#define WEAKLAB_LINALG_VIEW_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"

wlab_code wlab_matrix_rows_progress(wlab_matrix **, const wlab_matrix *X, const int32_t *pick, int64_t n,
                                    wlab_ctx *, wlab_err *);

#endif
