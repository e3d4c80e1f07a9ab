/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots: one walk over a state's fields writes them and reads them back.
 */
#ifndef ALGO_WALK_H
#define ALGO_WALK_H

#include "weaklab/base.h"

/* wlab_walk_put or wlab_buf_get. */
typedef wlab_code (*wlab_walk)(wlab_buf *, void *data, size_t len);

/* Only reads the data. */
static inline wlab_code wlab_walk_put(wlab_buf *buf, void *data, size_t len)
{
    return wlab_buf_put(buf, data, len);
}

/* For lists of fields, X(field) X(field) ...; needs `code`, `go`, `buf` and the state `s`. */
#define WL_WALK_FIELD(field) code = code ? code : go(buf, &s->field, sizeof s->field);

#endif
