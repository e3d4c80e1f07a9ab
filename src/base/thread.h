/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a thread of the library's own.
 */
#ifndef WEAKLAB_BASE_THREAD_H
#define WEAKLAB_BASE_THREAD_H

#include <pthread.h>

/* pthread_create for a thread in which signals are blocked, since they are for the program's own threads.  Signals of
 * faults are not blocked: a fault whose signal is blocked ends the process without the program's crash handler.  A
 * handler with SA_ONSTACK runs even after the thread's stack has overflowed.  Returns the result of pthread_create. */
int wlab_thread_start(pthread_t *, void *(*work)(void *), void *arg);

#endif
