/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A gnuplot process: started with pipes, it executes scripts and acknowledges each.  gnuplot may be missing, hang or
 * die; the functions report that as errors.
 *
 * wlab_gnuplot_begin, _poll and _serve never wait; wlab_gnuplot_run is a loop around them.
 */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include "weaklab/base.h"
#include <poll.h>
#include <stdatomic.h>

typedef struct wlab_gnuplot wlab_gnuplot;

/* Start `program` (NULL: "gnuplot"; without a slash it is looked up in PATH) in `folder` (NULL: the current one).
 * timeout_ms: how long one script may take (0: 20 s).  WL_EIO if there is no such program. */
wlab_code wlab_gnuplot_create(wlab_gnuplot **, const char *program, const char *folder, int timeout_ms,
                              wlab_err *);
/* The same, but the program starts with the first script. */
wlab_code wlab_gnuplot_prepare(wlab_gnuplot **, const char *program, const char *folder, int timeout_ms,
                               wlab_err *);
/* Ends the process and waits for it. */
void wlab_gnuplot_destroy(wlab_gnuplot *);

/* Execute `script` and wait until it is done.  `answer` (may be NULL) receives what it printed after `set print '-'`.
 * A process that dies without an error message is started once more.  WL_EIO: it reported an error (the message has the
 * first line of it), hung (it is killed) or died twice.  WL_EINTERRUPTED, and the process is killed, when *interrupt
 * (may be NULL) becomes nonzero.  After a failure the next call starts a new process. */
wlab_code wlab_gnuplot_run(wlab_gnuplot *, const char *script, wlab_buf *answer, const atomic_int *interrupt,
                           wlab_err *);
/* ---- without waiting ---- */
enum {
    WL_GNUPLOT_FDS = 3
};
typedef enum wlab_turn {
    WL_TURN_IDLE,    /* no script is being executed */
    WL_TURN_BUSY,    /* poll again */
    WL_TURN_DONE,    /* the script was acknowledged */
    WL_TURN_REFUSED, /* gnuplot reported an error in the script; the process was ended */
    WL_TURN_DIED,    /* the process ended without an error message */
    WL_TURN_FAILED   /* it hung or did not answer like a gnuplot and was ended, or memory ran out */
} wlab_turn;
/* Begin to execute a script (copied); starts a process if there is none.  WL_ESTATE while another one is executed. */
wlab_code wlab_gnuplot_begin(wlab_gnuplot *, const char *script, size_t len, wlab_err *);
/* Fills fds[WL_GNUPLOT_FDS] with the descriptors to poll, -1 for unused entries.  Returns the time in ms until
 * wlab_gnuplot_serve must be called; -1: no limit. */
int wlab_gnuplot_poll(const wlab_gnuplot *, struct pollfd *fds);
/* Write to and read from the process, without waiting.  With DONE, *answer (may be NULL) holds what it printed to
 * standard output, which may be binary.  With REFUSED, DIED and FAILED, `err` holds the reason.  A process that died
 * between scripts is cleaned up. */
wlab_turn wlab_gnuplot_serve(wlab_gnuplot *, wlab_buf *answer, wlab_err *);
/* End the process; the next script starts another. */
void wlab_gnuplot_stop(wlab_gnuplot *);
bool wlab_gnuplot_alive(const wlab_gnuplot *); /* as of the last call of wlab_gnuplot_serve */
/* Processor time, in seconds, that its processes have used. */
double wlab_gnuplot_seconds(const wlab_gnuplot *);

/* Whether this gnuplot was built with the terminal.  Queries gnuplot once. */
wlab_code wlab_gnuplot_has(wlab_gnuplot *, const char *terminal, bool *has, const atomic_int *interrupt,
                           wlab_err *);

#endif
