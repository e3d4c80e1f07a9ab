/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a thread.
 */
#include "base/thread.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>

/* On the stack of the starting thread, which waits until the started one has copied it. */
typedef struct start {
    void *(*work)(void *);
    void *arg;
    sem_t copied;
} start;

/* The first frame provides the alternate stack of fault handlers, which need one when the thread's stack is full.
 * Nothing here allocates: at the first call in a thread malloc maps 128 MB, while the starting thread may be checking
 * the free address space for OpenBLAS. */
static void *thread_main(void *at)
{
    char stack[1 << 15];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    stack_t found;
    start *s = at;
    void *(*const work)(void *) = s->work;
    void *const arg = s->arg;
    void *result;

    sem_post(&s->copied);
    (void)sigaltstack(&own, &found);
    result = work(arg);
    (void)sigaltstack(&found, NULL);
    return result;
}

int wlab_thread_start(pthread_t *thread, void *(*work)(void *), void *arg)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    start s = {.work = work, .arg = arg};
    sigset_t block, before;
    int failed;

    sem_init(&s.copied, 0, 0);
    sigfillset(&block);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&block, faults[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    failed = pthread_create(thread, NULL, thread_main, &s);
    while (!failed && sem_wait(&s.copied) && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sem_destroy(&s.copied);
    return failed;
}
