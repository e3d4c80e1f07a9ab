/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A gnuplot process: spawned with pipes, fed scripts, each acknowledged; it may be missing, hang or die.
 */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include "weaklab/base.h"
#include <stdatomic.h>

typedef struct wlab_gnuplot wlab_gnuplot;

/* Start `program` (NULL: "gnuplot"; without a slash it is looked up in PATH) in `folder` (NULL: here).
 * timeout_ms: how long one script may take (0: 20 s).  WL_EIO when there is no such program. */
wlab_code wlab_gnuplot_create(wlab_gnuplot **, const char *program, const char *folder, int timeout_ms,
                              wlab_err *);
/* Ends the process and waits for it. */
void wlab_gnuplot_destroy(wlab_gnuplot *);

/* Send `script` and wait until it is done.  `answer` (may be NULL): what it printed after `set print '-'`.
 * A process that died without a word is started once more; one that complained, hung (killed) or died twice
 * is WL_EIO with the first line of what it wrote.  interrupt (may be NULL) not 0: WL_EINTERRUPTED, killed.
 * After a failure the next call starts a new process. */
wlab_code wlab_gnuplot_run(wlab_gnuplot *, const char *script, wlab_buf *answer, const atomic_int *interrupt,
                           wlab_err *);
/* Whether this gnuplot was built with the terminal; asks once. */
wlab_code wlab_gnuplot_has(wlab_gnuplot *, const char *terminal, bool *has, const atomic_int *interrupt,
                           wlab_err *);

#endif
