/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots: the same walk over the fields of a state writes and reads them, so that there is only one list of fields.
 *
 *     static void walk(void *state, wlab_walk *w)
 *     {
 *         thing *s = state;
 *         WL_WALK(w, s->step);
 *         WL_WALK_ARRAY(w, s->label, s->n);
 *         if (wlab_walk_has_read(w))
 *             ... compute what follows from the fields and is not walked
 *     }
 */
#ifndef BASE_WALK_H
#define BASE_WALK_H

#include "weaklab/event.h"

/* A walk in progress.  After a failure all further calls do nothing, so that a list of fields needs no checks. */
typedef struct wlab_walk {
    wlab_buf *buf;
    bool reading;  /* from the buffer into the state; else from the state, which is not changed */
    wlab_ctx *ctx; /* when reading, for what is computed again; may be NULL */
    wlab_code code;
    wlab_err *err;
} wlab_walk;

/* One list for both directions.  Fields for which reading needs memory come first, so that the state is unchanged if
 * there is none.  Check sizes that are read (wlab_walk_left, wlab_walk_damaged): a state must remain valid for
 * another walk, or to be destroyed. */
typedef void wlab_walker(void *state, wlab_walk *);

void wlab_walk_bytes(wlab_walk *, void *data, size_t len);
#define WL_WALK(w, field)          wlab_walk_bytes((w), &(field), sizeof(field))
#define WL_WALK_ARRAY(w, array, n) wlab_walk_bytes((w), (array), (size_t)(n) * sizeof *(array))
/* For long lists, X(field) X(field) ...; the walk is `w`, the state `s`. */
#define WL_WALK_FIELD(field) WL_WALK(w, s->field);

/* When reading: how many bytes are left. */
size_t wlab_walk_left(const wlab_walk *);
/* When reading: fail, because what was read is invalid. */
void wlab_walk_damaged(wlab_walk *);
/* Whether the walk reads and has not failed: then the state has the fields walked so far. */
static inline bool wlab_walk_has_read(const wlab_walk *w)
{
    return w->reading && !w->code;
}
/* Stores the code of a function that the walk has called with w->err as `err`; returns whether it is WL_OK. */
bool wlab_walk_check(wlab_walk *, wlab_code);

/* Append a whole walk to *buf. */
wlab_code wlab_walk_write(wlab_buf *, wlab_walker *, const void *state, wlab_err *);
/* Read it back from buf->pos.  The state is unchanged if the snapshot is truncated (WL_EINPUT), memory runs out or
 * the walk is interrupted.  If the snapshot is damaged inside, a part may have been read: then the state is valid for
 * another walk, or to be destroyed. */
wlab_code wlab_walk_read(wlab_buf *, wlab_walker *, void *state, wlab_ctx *, wlab_err *);

#endif
