/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What scheduler and workers say to each other: JSON objects, one a line.
 *
 *   to a worker     {"experiment", "path", "data": [{"line", "sha256", "file"}], "plan", "places": {...}}   first
 *                   {"cell": number}
 *   from a worker   {"ready": true}                            it has understood the experiment
 *                   {"result": {...}}                          wlab_result_json
 *                   {"progress": number, "done", "total", "text"}   of the cell under way
 *                   {"fatal": why}                             it cannot work on this experiment at all
 *
 * Texts that people wrote travel as the code points of their bytes, so that bytes that are no UTF-8 arrive as they
 * were: what is read from them must be the same on both sides.
 */
#ifndef SWEEP_MESSAGE_H
#define SWEEP_MESSAGE_H

#include "study/experiment/experiment.h"

json_t *wlab_message_bytes(const char *bytes, size_t len); /* NULL: out of memory */
char *wlab_message_read_bytes(const json_t *,
                              size_t *len); /* wlab_free; NULL: no such text, or out of memory */

/* The first message: all that a worker must know of a checked experiment.  A line, wlab_free; NULL: out of memory. */
char *wlab_message_setup(const wlab_experiment *, const wlab_places *);
/* A line from an object, which is released; wlab_free. */
char *wlab_message_line(json_t *);

typedef struct wlab_setup {
    wlab_experiment *e; /* with its cells */
    char **data_dirs, **script_dirs, *out_dir, *home;
    wlab_places places; /* of these; build is the caller's */
} wlab_setup;
/* Read it.  WL_EINPUT: it is none, or the cells come out otherwise than the sender's. */
wlab_code wlab_setup_read(wlab_setup *, const json_t *, wlab_err *);
void wlab_setup_clear(wlab_setup *);

#endif
