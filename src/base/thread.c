/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a thread.
 */
#include "base/thread.h"
#include "weaklab/base.h"
#include <errno.h>
#include <signal.h>

typedef struct start {
    void *(*work)(void *);
    void *arg;
} start;

/* The first frame lends the handler of a fault its room: where the stack is full there is no other. */
static void *begin(void *at)
{
    char room[1 << 15];
    const stack_t own = {.ss_sp = room, .ss_size = sizeof room};
    stack_t found;
    const start s = *(start *)at;
    void *result;

    wlab_free(at);
    (void)sigaltstack(&own, &found);
    result = s.work(s.arg);
    (void)sigaltstack(&found, NULL);
    return result;
}

int wlab_thread_start(pthread_t *thread, void *(*work)(void *), void *arg)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t block, before;
    start *s = wlab_alloc(1, sizeof *s);
    int failed;

    if (!s)
        return ENOMEM;
    *s = (start){work, arg};
    sigfillset(&block);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&block, faults[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    failed = pthread_create(thread, NULL, begin, s);
    if (failed)
        wlab_free(s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}
