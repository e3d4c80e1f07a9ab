/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Initialises OpenBLAS: one thread of its own, and its work buffers mapped at a point where a failure can be reported.
 *
 * Most calls into BLAS and LAPACK use a buffer of address space while they run, from a table of the whole process.  An
 * entry of the table is mapped when it is first needed and remains mapped.  If the system refuses the mapping, for
 * example under ulimit -v, OpenBLAS 0.3.21 retries forever, and only a signal ends it.
 */
#include "weaklab/matrix.h"

#include <cblas.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define BUFFER ((size_t)128 << 20) /* BUFFER_SIZE of x86-64 and arm64, the largest of all */
#define MOST   128               /* entries in the table of Debian's build, which prints a warning for more */
#define SPARE  ((size_t)2 << 20) /* address space that another thread may map meanwhile */

#define ARENA ((size_t)64 << 20) /* what malloc reserves for a thread if it can */

/* Ends the threads that OpenBLAS starts when it is loaded, one for each processor but one.  Before they sleep, they
 * wait actively for tens of milliseconds and take processor time from our threads.  Weak, like the two functions on
 * buffers: other BLAS libraries do not have it. */
extern int blas_thread_shutdown_(void) __attribute__((weak));
extern void *blas_memory_alloc(int unused) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* protected by the lock */
static int mapped;           /* number of mapped buffers */
static bool beside_reserved; /* one of them is for wlab_blas_beside */

static void one_thread(void)
{
    openblas_set_num_threads(1); /* another number would change the last digits of results */
    if (blas_thread_shutdown_)
        (void)blas_thread_shutdown_();
}

static bool space_available(void)
{
    void *at = mmap(NULL, BUFFER + SPARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED && munmap(at, BUFFER + SPARE) == 0;
}

static wlab_code fail_address_space(int threads, wlab_err *err)
{
    const size_t more = (size_t)(threads - mapped) * (BUFFER + SPARE) +
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

/* Makes sure that at least `threads` buffers are mapped.  Call with the lock held. */
static wlab_code map_buffers(int threads, wlab_err *err)
{
    void *buffer[MOST];
    int n = 0;
    wlab_code code = WL_OK;
    if (!blas_memory_alloc || !blas_memory_free)
        return WL_OK;
    threads = threads < MOST ? threads : MOST;
    /* Allocate all of them before freeing any: else OpenBLAS would return the same buffer again.  Other threads may
     * hold buffers, so check for free address space before each allocation, even if a buffer may already exist. */
    while (!code && mapped < threads && n < threads) {
        if (space_available())
            buffer[n++] = blas_memory_alloc(0);
        else
            code = fail_address_space(threads, err);
    }
    for (int i = 0; i < n; i++)
        blas_memory_free(buffer[i]);
    mapped = n > mapped ? n : mapped;
    return code;
}

wlab_code wlab_blas_init(int threads, wlab_err *err)
{
    wlab_code code = WL_OK;
    pthread_once(&once, one_thread);
    if (threads < 1)
        return WL_OK;
    pthread_mutex_lock(&lock);
    code = map_buffers(threads + beside_reserved, err);
    pthread_mutex_unlock(&lock);
    return code;
}

wlab_code wlab_blas_beside(wlab_err *err)
{
    wlab_code code = WL_OK;
    pthread_once(&once, one_thread);
    pthread_mutex_lock(&lock);
    if (!beside_reserved && !(code = map_buffers(mapped + 1, err)))
        beside_reserved = true;
    pthread_mutex_unlock(&lock);
    return code;
}

bool wlab_blas_used(void)
{
    pthread_mutex_lock(&lock);
    const bool used = mapped > 0;
    pthread_mutex_unlock(&lock);
    return used;
}
