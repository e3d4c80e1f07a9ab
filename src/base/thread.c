/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting a thread.
 */
#include "base/thread.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>

/* On the stack of the one who starts, until it is taken. */
typedef struct start {
    void *(*work)(void *);
    void *arg;
    sem_t taken;
} start;

/* The first frame lends the handler of a fault its room: where the stack is full there is no other.  Nothing here
 * allocates: for the first call of a thread malloc maps 128 MB, while whoever started it may be looking how much room
 * there is for OpenBLAS. */
static void *begin(void *at)
{
    char room[1 << 15];
    const stack_t own = {.ss_sp = room, .ss_size = sizeof room};
    stack_t found;
    start *given = at;
    void *(*const work)(void *) = given->work;
    void *const arg = given->arg;
    void *result;

    sem_post(&given->taken);
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

    sem_init(&s.taken, 0, 0);
    sigfillset(&block);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&block, faults[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    failed = pthread_create(thread, NULL, begin, &s);
    while (!failed && sem_wait(&s.taken) && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sem_destroy(&s.taken);
    return failed;
}
