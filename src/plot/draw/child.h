/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting another program: never fork, which hangs while a thread is inside OpenBLAS.
 */
#ifndef PLOT_CHILD_H
#define PLOT_CHILD_H

#include <sys/types.h>

/* `program` (without a slash: looked up in PATH) in `folder` (NULL: here) with fd[i] as its descriptor i, default signals
 * (those that a terminal's keys send are blocked, and stay so), in a process group of its own, so that the terminal's
 * Ctrl-C does not reach it.  0, or an errno, and then *pid = 0. */
int wlab_child_start(pid_t *pid, const char *program, char *const argv[], const char *folder, const int *fd,
                     int n);

#endif
