/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Gram matrix with progress: wlab_matrix_gram for those who have a whole context.
 */
#ifndef WEAKLAB_LINALG_GRAM_H
#define WEAKLAB_LINALG_GRAM_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"

wlab_code wlab_matrix_gram_told(const wlab_matrix *X, const wlab_matrix *Z, double *G, int64_t ldg,
                                wlab_ctx *, wlab_err *);

#endif
