/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a thread of the library's own.
 */
#ifndef WEAKLAB_BASE_THREAD_H
#define WEAKLAB_BASE_THREAD_H

#include <pthread.h>

/* pthread_create.  Signals are for the program's own threads, and are blocked in this one; but those of faults stay open:
 * a fault whose signal is blocked ends the process without the program's crash handler.  A handler with SA_ONSTACK runs
 * after the thread's stack overflowed, too.  What pthread_create answers. */
int wlab_thread_start(pthread_t *, void *(*work)(void *), void *arg);

#endif
