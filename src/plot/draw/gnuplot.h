/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A gnuplot process: spawned with pipes, fed scripts, each acknowledged; it may be missing, hang or die.
 *
 * begin, poll and serve never wait; wlab_gnuplot_run is a loop around them.
 */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include "weaklab/base.h"
#include <poll.h>
#include <stdatomic.h>

typedef struct wlab_gnuplot wlab_gnuplot;

/* Start `program` (NULL: "gnuplot"; without a slash it is looked up in PATH) in `folder` (NULL: here).
 * timeout_ms: how long one script may take (0: 20 s).  WL_EIO when there is no such program. */
wlab_code wlab_gnuplot_create(wlab_gnuplot **, const char *program, const char *folder, int timeout_ms,
                              wlab_err *);
/* The same without starting it: the first script does. */
wlab_code wlab_gnuplot_prepare(wlab_gnuplot **, const char *program, const char *folder, int timeout_ms,
                               wlab_err *);
/* Ends the process and waits for it. */
void wlab_gnuplot_destroy(wlab_gnuplot *);

/* Send `script` and wait until it is done.  `answer` (may be NULL): what it printed after `set print '-'`.
 * A process that died without a word is started once more; one that complained, hung (killed) or died twice
 * is WL_EIO with the first line of what it wrote.  interrupt (may be NULL) not 0: WL_EINTERRUPTED, killed.
 * After a failure the next call starts a new process. */
wlab_code wlab_gnuplot_run(wlab_gnuplot *, const char *script, wlab_buf *answer, const atomic_int *interrupt,
                           wlab_err *);
/* ---- without waiting ---- */
enum {
    WL_GNUPLOT_FDS = 3
};
typedef enum wlab_turn {
    WL_TURN_IDLE,    /* there is no script under way */
    WL_TURN_BUSY,    /* poll again */
    WL_TURN_DONE,    /* acknowledged */
    WL_TURN_REFUSED, /* acknowledged, with an error in it; the process was ended */
    WL_TURN_DIED,    /* the process ended without a word */
    WL_TURN_FAILED   /* it hung or printed rubbish and was ended, or memory ran out */
} wlab_turn;
/* Hand over a script (copied); starts a process when there is none.  Only when none is under way. */
wlab_code wlab_gnuplot_begin(wlab_gnuplot *, const char *script, size_t len, wlab_err *);
/* What to poll, fds[WL_GNUPLOT_FDS] with -1 where nothing; and the time until wlab_gnuplot_serve must be called, ms, -1:
 * none. */
int wlab_gnuplot_poll(const wlab_gnuplot *, struct pollfd *fds);
/* Feed and read.  At DONE *answer (may be NULL) is what it printed to standard output, bytes and all; in the cases
 * after it `err` says why.  A process that dies between scripts is cleared away. */
wlab_turn wlab_gnuplot_serve(wlab_gnuplot *, wlab_buf *answer, wlab_err *);
/* End the process; the next script starts another. */
void wlab_gnuplot_stop(wlab_gnuplot *);
bool wlab_gnuplot_alive(const wlab_gnuplot *); /* as far as serve has seen */
/* Processor time, in seconds, that its processes have taken. */
double wlab_gnuplot_seconds(const wlab_gnuplot *);

/* Whether this gnuplot was built with the terminal; asks once. */
wlab_code wlab_gnuplot_has(wlab_gnuplot *, const char *terminal, bool *has, const atomic_int *interrupt,
                           wlab_err *);

#endif
