/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wlab_matrix_gram with a whole context: it reports progress and can be interrupted (WL_EINTERRUPTED).
 */
#ifndef WEAKLAB_LINALG_GRAM_H
#define WEAKLAB_LINALG_GRAM_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"

wlab_code wlab_matrix_gram_progress(const wlab_matrix *X, const wlab_matrix *Z, double *G, int64_t ldg,
                                    wlab_ctx *, wlab_err *);

#endif
