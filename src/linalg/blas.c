/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenBLAS made ready for us: one thread of its own, and its work space taken where a failure can still be told.
 *
 * Most calls into BLAS and LAPACK take a buffer of address space for as long as they last, from a table that the whole
 * process shares; a place in it is mapped when it is first needed and stays.  Where the system refuses the mapping
 * OpenBLAS 0.3.21 asks again for ever, under ulimit -v too, and nothing but a signal ends it.
 */
#include "weaklab/matrix.h"

#include <cblas.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define BUFFER ((size_t)128 << 20) /* BUFFER_SIZE of x86-64 and arm64; none has more */
#define MOST   128                 /* places in the table of Debian's build; for more it prints a warning */
#define SPARE  ((size_t)2 << 20)   /* what another thread may take meanwhile */

#define ARENA ((size_t)64 << 20) /* what malloc reserves for a thread where it can */

/* Ends the threads that OpenBLAS starts when it is loaded, one for each processor but one: until they sleep they look for
 * work for tens of milliseconds, and take the processor from ours.  Not in every BLAS, as its buffers are not. */
extern int blas_thread_shutdown_(void) __attribute__((weak));
extern void *blas_memory_alloc(int unused) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* under the lock */
static int taken;   /* buffers that are mapped */
static bool beside; /* one of them is for wlab_blas_beside */

static void one_thread(void)
{
    openblas_set_num_threads(1); /* another number gives other last digits */
    if (blas_thread_shutdown_)
        (void)blas_thread_shutdown_();
}

static bool room(void)
{
    void *at = mmap(NULL, BUFFER + SPARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED && munmap(at, BUFFER + SPARE) == 0;
}

static wlab_code refused(int threads, wlab_err *err)
{
    const size_t more = (size_t)(threads - taken) * (BUFFER + SPARE) +
                        (size_t)(threads + 1) * ARENA; /* the session's thread */
    struct rlimit limit;
    char what[96] = "the system refuses it: memory is short";
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
        snprintf(what, sizeof what, "the limit is %llu kB; `ulimit -v %llu` will do",
                 (unsigned long long)limit.rlim_cur >> 10, ((unsigned long long)limit.rlim_cur + more) >> 10);
    return wlab_fail(
        err, WL_ENOMEM,
        "not enough address space: OpenBLAS needs 128 MB for each thread that computes (%d), and %s%s",
        threads, what, threads > 1 ? ", or fewer threads" : "");
}

/* Under the lock. */
static wlab_code take(int threads, wlab_err *err)
{
    void *held[MOST];
    int n = 0;
    wlab_code code = WL_OK;
    if (!blas_memory_alloc || !blas_memory_free)
        return WL_OK;
    threads = threads < MOST ? threads : MOST;
    /* Held at the same time, or it would be the same one again.  Others may be in use: so there is looked for room before
     * each, though it may be there. */
    while (!code && taken < threads && n < threads) {
        if (room())
            held[n++] = blas_memory_alloc(0);
        else
            code = refused(threads, err);
    }
    for (int i = 0; i < n; i++)
        blas_memory_free(held[i]);
    taken = n > taken ? n : taken;
    return code;
}

wlab_code wlab_blas_init(int threads, wlab_err *err)
{
    wlab_code code = WL_OK;
    pthread_once(&once, one_thread);
    if (threads < 1)
        return WL_OK;
    pthread_mutex_lock(&lock);
    code = take(threads + beside, err);
    pthread_mutex_unlock(&lock);
    return code;
}

wlab_code wlab_blas_beside(wlab_err *err)
{
    wlab_code code = WL_OK;
    pthread_once(&once, one_thread);
    pthread_mutex_lock(&lock);
    if (!beside && !(code = take(taken + 1, err)))
        beside = true;
    pthread_mutex_unlock(&lock);
    return code;
}

bool wlab_blas_used(void)
{
    pthread_mutex_lock(&lock);
    const bool used = taken > 0;
    pthread_mutex_unlock(&lock);
    return used;
}
