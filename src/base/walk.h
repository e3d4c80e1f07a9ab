/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Snapshots: one walk over a state's fields writes them and reads them back, so that there is one list of them.
 *
 *     static void walk(void *state, wlab_walk *w)
 *     {
 *         thing *s = state;
 *         WL_WALK(w, s->step);
 *         WL_WALK_ARRAY(w, s->label, s->n);
 *         if (wlab_walk_has_read(w))
 *             ... what follows from the fields and is not walked
 *     }
 */
#ifndef BASE_WALK_H
#define BASE_WALK_H

#include "weaklab/event.h"

/* A walk on its way.  After a failure all that follows does nothing, so that a list of fields need not ask. */
typedef struct wlab_walk {
    wlab_buf *buf;
    bool reading;  /* into the state; else out of it, which then is only looked at */
    wlab_ctx *ctx; /* of a reading one, or NULL: for what is made again */
    wlab_code code;
    wlab_err *err;
} wlab_walk;

/* One list for both ways.  What reading needs memory for comes first, so that the state is as before where there is none.
 * Sizes that are read are checked (wlab_walk_left, wlab_walk_damaged): a state must stay good for another walk or its end. */
typedef void wlab_walker(void *state, wlab_walk *);

void wlab_walk_bytes(wlab_walk *, void *data, size_t len);
#define WL_WALK(w, field)          wlab_walk_bytes((w), &(field), sizeof(field))
#define WL_WALK_ARRAY(w, array, n) wlab_walk_bytes((w), (array), (size_t)(n) * sizeof *(array))
/* For long lists, X(field) X(field) ...; the walk is `w`, the state `s`. */
#define WL_WALK_FIELD(field) WL_WALK(w, s->field);

/* Of a reading one: bytes to come. */
size_t wlab_walk_left(const wlab_walk *);
/* Of a reading one: what was read cannot be. */
void wlab_walk_damaged(wlab_walk *);
/* Of a reading one that has not failed: what was walked so far is in the state. */
static inline bool wlab_walk_has_read(const wlab_walk *w)
{
    return w->reading && !w->code;
}
/* For what is called on the way, w->err being its `err`: w->code = what it gave.  Whether that is WL_OK. */
bool wlab_walk_take(wlab_walk *, wlab_code);

/* A whole walk, appended to *buf. */
wlab_code wlab_walk_write(wlab_buf *, wlab_walker *, const void *state, wlab_err *);
/* The same back from buf->pos.  The state is as before where a snapshot is cut short (WL_EINPUT), memory does not suffice or
 * the walk is interrupted; of one that is damaged within, half may be read: then the state is good for another walk, or
 * its end. */
wlab_code wlab_walk_read(wlab_buf *, wlab_walker *, void *state, wlab_ctx *, wlab_err *);

#endif
