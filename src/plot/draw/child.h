/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting another program with posix_spawn.  Never fork: it hangs while a thread is inside OpenBLAS.
 */
#ifndef PLOT_CHILD_H
#define PLOT_CHILD_H

#include <sys/types.h>

/* Start `program` (without a slash: looked up in PATH) in `folder` (NULL: the current one).  fd[i] becomes its
 * descriptor i, for i < n.  It has default signal handlers; the signals that keys of a terminal send are blocked for
 * good.  It is in a process group of its own, so that the terminal's Ctrl-C does not reach it.  Returns 0, or an errno
 * with *pid = 0. */
int wlab_child_start(pid_t *pid, const char *program, char *const argv[], const char *folder, const int *fd,
                     int n);

#endif
