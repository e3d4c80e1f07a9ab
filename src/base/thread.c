/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a thread.
 */
#include "base/thread.h"
#include <signal.h>
#include <stddef.h>

int wlab_thread_start(pthread_t *thread, void *(*work)(void *), void *arg)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t block, before;
    int failed;

    sigfillset(&block);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&block, faults[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    failed = pthread_create(thread, NULL, work, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}
