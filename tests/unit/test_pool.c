/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The thread pool: every block is processed once, by whichever thread; also run under ThreadSanitizer.
 */
#include "support.h"
#include "weaklab/matrix.h"
#include "weaklab/pool.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum {
    MOST = 2000
};

typedef struct job {
    atomic_int runs[MOST];
    int plain[MOST]; /* each block writes its own; the caller reads them after the run */
} job;

static void mark(void *data, int block)
{
    job *j = data;
    atomic_fetch_add(&j->runs[block], 1);
    j->plain[block] = block * block;
}

static void check_each_block_once(wlab_pool *pool, int blocks)
{
    job *j = calloc(1, sizeof *j);
    wlab_pool_run(pool, blocks, mark, j);
    for (int b = 0; b < MOST; b++) {
        assert_int_equal(atomic_load(&j->runs[b]), b < blocks);
        assert_int_equal(j->plain[b], b < blocks ? b * b : 0);
    }
    free(j);
}

static void test_each_block_once(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8, 64};
    static const int blocks[] = {0, 1, 2, 3, 7, 64, 1000, MOST};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        wlab_pool *pool;
        wlab_err err;
        ASSERT_OK(wlab_pool_create(&pool, threads[t], &err), err);
        assert_int_equal(wlab_pool_threads(pool), threads[t]);
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            check_each_block_once(pool, blocks[b]);
        wlab_pool_destroy(pool);
    }
    check_each_block_once(NULL, 9);
    assert_int_equal(wlab_pool_threads(NULL), 1);
}

static void test_many_short_jobs(void **state)
{
    (void)state;
    wlab_pool *pool;
    assert_int_equal(wlab_pool_create(&pool, 4, NULL), WL_OK);
    job *j = calloc(1, sizeof *j);
    for (int round = 0; round < 20000; round++)
        wlab_pool_run(pool, 1 + round % 5, mark, j);
    for (int b = 0; b < 5; b++)
        assert_int_equal(atomic_load(&j->runs[b]), 20000 / 5 * (5 - b));
    wlab_pool_destroy(pool);
    free(j);
}

/* Blocks that wait for each other: they end only if as many threads work at the same time. */
static void meet(void *data, int block)
{
    (void)block;
    pthread_barrier_wait(data);
}

static void test_really_parallel(void **state)
{
    (void)state;
    wlab_pool *pool;
    pthread_barrier_t barrier;
    assert_int_equal(wlab_pool_create(&pool, 3, NULL), WL_OK);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 3), 0);
    for (int i = 0; i < 100; i++)
        wlab_pool_run(pool, 3, meet, &barrier); /* otherwise it hangs, which tests/watch detects */
    pthread_barrier_destroy(&barrier);
    wlab_pool_destroy(pool);
}

typedef struct order {
    pthread_t caller;
    int next;
    bool right;
} order;

static void in_order(void *data, int block)
{
    order *o = data;
    o->right = o->right && block == o->next && pthread_equal(pthread_self(), o->caller);
    o->next++;
}

static void test_one_thread_works_in_order(void **state)
{
    (void)state;
    wlab_pool *pool;
    assert_int_equal(wlab_pool_create(&pool, 1, NULL), WL_OK);
    order o = {.caller = pthread_self(), .right = true};
    wlab_pool_run(pool, 50, in_order, &o);
    assert_true(o.right);
    assert_int_equal(o.next, 50);
    wlab_pool_destroy(pool);
}

typedef struct nested {
    wlab_pool *pool;
    atomic_int count;
} nested;

static void leaf(void *data, int block)
{
    (void)block;
    atomic_fetch_add(&((nested *)data)->count, 1);
}

static void branch(void *data, int block)
{
    (void)block;
    wlab_pool_run(((nested *)data)->pool, 10, leaf, data);
}

static void *from_another_thread(void *data)
{
    for (int i = 0; i < 500; i++)
        wlab_pool_run(((nested *)data)->pool, 4, branch, data);
    return NULL;
}

static void test_nested_and_concurrent_calls(void **state)
{
    (void)state;
    nested n = {0};
    pthread_t other;
    assert_int_equal(wlab_pool_create(&n.pool, 3, NULL), WL_OK);
    assert_int_equal(pthread_create(&other, NULL, from_another_thread, &n), 0);
    from_another_thread(&n);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&n.count), 2 * 500 * 4 * 10);
    wlab_pool_destroy(n.pool);
}

typedef struct masks {
    pthread_barrier_t barrier;
    sigset_t of[2];
    pthread_t who[2];
} masks;

static void read_mask(void *data, int block)
{
    masks *m = data;
    pthread_barrier_wait(&m->barrier); /* one block on each of the two threads */
    m->who[block] = pthread_self();
    pthread_sigmask(SIG_BLOCK, NULL, &m->of[block]);
}

static void test_workers_block_signals(void **state)
{
    (void)state;
    masks m;
    sigset_t before, after;
    wlab_pool *pool;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    assert_int_equal(wlab_pool_create(&pool, 2, NULL), WL_OK);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
    pthread_barrier_init(&m.barrier, NULL, 2);
    wlab_pool_run(pool, 2, read_mask, &m);
    int worker = pthread_equal(m.who[0], pthread_self()) ? 1 : 0;
    assert_false(pthread_equal(m.who[worker], pthread_self()));
    static const int blocked[] = {SIGINT,  SIGTERM, SIGHUP,  SIGWINCH, SIGCHLD,
                                  SIGPIPE, SIGALRM, SIGTSTP, SIGUSR1};
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++) {
        assert_int_equal(sigismember(&m.of[worker], blocked[i]), 1);
        assert_int_equal(sigismember(&m.of[1 - worker], blocked[i]), 0);
    }
    assert_int_equal(sigismember(&m.of[worker], SIGSEGV), 0); /* the crash handler must run */
    pthread_barrier_destroy(&m.barrier);
    wlab_pool_destroy(pool);
}

static void test_bad_arguments_and_no_memory(void **state)
{
    (void)state;
    wlab_pool *pool = (wlab_pool *)&pool;
    wlab_err err;
    ASSERT_FAILS(wlab_pool_create(&pool, 0, &err), WL_EARG, err, "threads=0: must be from 1 to 256");
    assert_null(pool);
    ASSERT_FAILS(wlab_pool_create(&pool, 257, &err), WL_EARG, err, "threads=257");
    ALLOC_SWEEP_OUT(wlab_pool_create(&pool, 2, &err), pool);
    wlab_pool_destroy(pool);
    wlab_pool_destroy(NULL);
}

/* With little address space left, 256 stacks do not fit. */
static void test_system_refuses_threads(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: the sanitizer needs the address space itself\n");
    skip();
#else
    const size_t used = support_address_space();
    if (used == 0) {
        print_message("skipped: no /proc/self/statm\n");
        skip();
    }
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)used + (rlim_t)100000000;
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    wlab_pool *pool = NULL;
    wlab_err err;
    wlab_code code = wlab_pool_create(&pool, 256, &err);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(code, WL_EIO);
    assert_null(pool);
    assert_non_null(strstr(err.message, "cannot start thread "));
    assert_non_null(strstr(err.message, "; try fewer threads: "));
#endif
}

/* Workers must not allocate when they start: malloc maps 128 MB for a thread that allocates, and unmaps half of it.
 * Meanwhile a check of the free address space for OpenBLAS would fail, or succeed wrongly. */
static void test_workers_map_only_their_stacks(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: the sanitizer needs the address space itself\n");
    skip();
#else
    wlab_pool *pool;
    wlab_err err;
    pthread_barrier_t barrier;
    pthread_attr_t attr;
    size_t stack, before;
    ASSERT_OK(wlab_blas_init(0, &err), err); /* ends OpenBLAS's own threads */
    before = support_address_space();
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_getstacksize(&attr, &stack), 0);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 4), 0);
    ASSERT_OK(wlab_pool_create(&pool, 4, &err), err);
    wlab_pool_run(pool, 4, meet, &barrier);
    assert_in_range(support_address_space(), before, before + 3 * stack + (1 << 20));
    wlab_pool_destroy(pool);
    pthread_barrier_destroy(&barrier);
    pthread_attr_destroy(&attr);
#endif
}

static void test_block_ranges(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 5, 63, 64, 65, 1000003, INT64_C(1) << 40, INT64_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int blocks = 1; blocks <= 130; blocks++) {
            int64_t n = sizes[s];
            assert_true(wlab_block_begin(n, blocks, 0) == 0);
            assert_true(wlab_block_begin(n, blocks, blocks) == n);
            for (int b = 0; b < blocks; b++) {
                int64_t len = wlab_block_begin(n, blocks, b + 1) - wlab_block_begin(n, blocks, b);
                assert_true(len == n / blocks || len == n / blocks + 1);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_map_only_their_stacks), /* first, because later malloc's arenas exist */
        cmocka_unit_test(test_each_block_once),
        cmocka_unit_test(test_many_short_jobs),
        cmocka_unit_test(test_really_parallel),
        cmocka_unit_test(test_one_thread_works_in_order),
        cmocka_unit_test(test_nested_and_concurrent_calls),
        cmocka_unit_test(test_workers_block_signals),
        cmocka_unit_test(test_bad_arguments_and_no_memory),
        cmocka_unit_test(test_system_refuses_threads),
        cmocka_unit_test(test_block_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
