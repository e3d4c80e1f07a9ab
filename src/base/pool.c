/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pool of threads that process numbered blocks.
 *
 * A job is published under the lock.  Each worker that joins it increments `inside`, gets blocks from an atomic
 * counter until none is left, and decrements `inside`.  The caller works too, then closes the job and waits only for
 * the workers inside: a worker that wakes late finds the job closed and delays nobody.
 *
 * Waking a sleeping thread takes some 50 microseconds, as long as a small job.  So both sides spin for about as long
 * on the condition that they wait for, before they sleep.  If spinning was in vain (the next job is far, or both
 * threads run on one processor because the others are busy), they spin again only after more and more jobs.
 */
#include "weaklab/pool.h"
#include "base/thread.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    SPINS = 4000, /* some 50 microseconds */
    MOST_VAIN = 6
};

/* Whether a thread spins before it sleeps. */
typedef struct spinning {
    int vain; /* how often in a row it spun in vain, at most MOST_VAIN */
    int skip; /* jobs for which it does not spin */
} spinning;

struct wlab_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* for the workers: there is a job, or the end */
    pthread_cond_t idle; /* for the caller: the last worker inside has left */
    pthread_t *workers;
    int threads, started; /* number of threads with the caller; workers that run */
    bool quit;
    bool busy;         /* a wlab_pool_run is in progress */
    atomic_bool open;  /* its job still has blocks to hand out */
    atomic_int inside; /* workers in the job */
    spinning caller;   /* of the thread that called wlab_pool_run */
    int blocks;
    atomic_llong next; /* the next block to hand out; goes past `blocks` */
    void (*work)(void *data, int block);
    void *data;
};

static void work_off(wlab_pool *pool, int blocks, void (*work)(void *, int), void *data)
{
    for (;;) {
        long long b = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (b >= blocks)
            return;
        work(data, (int)b);
    }
}

static inline void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool job_open(wlab_pool *pool)
{
    return atomic_load_explicit(&pool->open, memory_order_relaxed);
}

static bool all_left(wlab_pool *pool)
{
    return atomic_load_explicit(&pool->inside, memory_order_relaxed) == 0;
}

static void spin_until(wlab_pool *pool, spinning *p, bool (*condition)(wlab_pool *))
{
    if (condition(pool))
        return;
    if (p->skip > 0) {
        p->skip--;
        return;
    }
    for (int k = 0; k < SPINS; k++) {
        pause_processor();
        if (condition(pool)) {
            p->vain = 0;
            return;
        }
    }
    p->vain += p->vain < MOST_VAIN;
    p->skip = (1 << p->vain) - 1;
}

static void *worker_main(void *arg)
{
    wlab_pool *pool = arg;
    spinning mine = {0};
    pthread_mutex_lock(&pool->lock);
    for (bool worked = false;; worked = true) {
        if (worked && !pool->quit) { /* the next job may be near */
            pthread_mutex_unlock(&pool->lock);
            spin_until(pool, &mine, job_open);
            pthread_mutex_lock(&pool->lock);
        }
        while (!pool->quit && !pool->open)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->quit)
            break;
        int blocks = pool->blocks;
        void (*work)(void *, int) = pool->work;
        void *data = pool->data;
        pool->inside++;
        pthread_mutex_unlock(&pool->lock);
        work_off(pool, blocks, work, data);
        pthread_mutex_lock(&pool->lock);
        pool->open = false; /* no block is left: do not join the job again */
        if (--pool->inside == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

wlab_code wlab_pool_create(wlab_pool **out, int threads, wlab_err *err)
{
    *out = NULL;
    if (threads < 1 || threads > 256)
        return wlab_fail(err, WL_EARG, "threads=%d: must be from 1 to 256", threads);
    wlab_pool *pool = wlab_calloc(1, sizeof *pool);
    if (!pool)
        return wlab_nomem(err);
    pool->threads = threads;
    pool->workers = wlab_calloc((size_t)threads, sizeof *pool->workers);
    if (!pool->workers) {
        wlab_free(pool);
        return wlab_nomem(err);
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);

    int failed = 0;
    while (!failed && pool->started < threads - 1) {
        failed = wlab_thread_start(&pool->workers[pool->started], worker_main, pool);
        if (!failed)
            pool->started++;
    }
    if (failed) {
        int started = pool->started;
        wlab_pool_destroy(pool);
        errno = failed;
        return wlab_fail_errno(
            err, "cannot start thread %d of %d (see `ulimit -v` and `ulimit -u`); try fewer threads",
            started + 2, threads);
    }
    *out = pool;
    return WL_OK;
}

void wlab_pool_destroy(wlab_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    wlab_free(pool->workers);
    wlab_free(pool);
}

int wlab_pool_threads(const wlab_pool *pool)
{
    return pool ? pool->threads : 1;
}

void wlab_pool_run(wlab_pool *pool, int blocks, void (*work)(void *data, int block), void *data)
{
    bool shared = pool && pool->threads > 1 && blocks > 1;
    if (shared) {
        pthread_mutex_lock(&pool->lock);
        if (pool->busy) { /* nested, or from another thread */
            shared = false;
        } else {
            pool->busy = true;
            pool->open = true;
            pool->blocks = blocks;
            pool->work = work;
            pool->data = data;
            atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
            pthread_cond_broadcast(&pool->wake);
        }
        pthread_mutex_unlock(&pool->lock);
    }
    if (!shared) {
        for (int b = 0; b < blocks; b++)
            work(data, b);
        return;
    }
    work_off(pool, blocks, work, data);
    atomic_store_explicit(&pool->open, false,
                          memory_order_relaxed); /* workers that wake from now on are too late */
    spin_until(pool, &pool->caller, all_left);
    pthread_mutex_lock(&pool->lock);
    while (pool->inside > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pool->busy = false;
    pthread_mutex_unlock(&pool->lock);
}
