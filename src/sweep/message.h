/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The messages between the scheduler and its workers: JSON objects, one per line.
 *
 *   to a worker     {"experiment", "path", "data": [{"line", "sha256", "file"}], "plan", "places": {...}}   first
 *                   {"cell": number}
 *   from a worker   {"ready": true}                            it has read the experiment
 *                   {"result": {...}}                          wlab_result_json
 *                   {"progress": number, "done", "total", "text"}   of the cell that it computes
 *                   {"fatal": why}                             it cannot compute any cell of this experiment
 *
 * Each byte of a text that a person wrote is sent as the code point of the same number, so that bytes that are not
 * UTF-8 arrive unchanged: both sides must read the same experiment.
 */
#ifndef SWEEP_MESSAGE_H
#define SWEEP_MESSAGE_H

#include "study/experiment/experiment.h"

json_t *wlab_message_bytes(const char *bytes, size_t len); /* NULL: out of memory */
/* To be freed with wlab_free; NULL: not a text, or out of memory. */
char *wlab_message_read_bytes(const json_t *, size_t *len);

/* The first message: all that a worker needs of a checked experiment, as a line, to be freed with wlab_free.  NULL: out
 * of memory. */
char *wlab_message_setup(const wlab_experiment *, const wlab_places *);
/* The object as a line, to be freed with wlab_free.  Releases the object.  NULL: out of memory. */
char *wlab_message_line(json_t *);

typedef struct wlab_setup {
    wlab_experiment *e; /* with its cells */
    char **data_dirs, **script_dirs, *out_dir, *home;
    wlab_places places; /* points to the fields above; the caller sets `build` */
} wlab_setup;
/* Read the first message.  WL_EINPUT: it is malformed, or gives other cells than the sender's. */
wlab_code wlab_setup_read(wlab_setup *, const json_t *, wlab_err *);
void wlab_setup_clear(wlab_setup *);

#endif
