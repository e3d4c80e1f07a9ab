/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenBLAS's work buffers: an error if there is no address space for them, and one buffer per thread once they are
 * mapped.  A thread without a buffer would retry forever: a limit of processor time ends the program.
 */
#include "support.h"
#include "weaklab/matrix.h"
#include "weaklab/pool.h"
#include <cblas.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/time.h>

enum {
    THREADS = 4,
    ORDER = 120
};

typedef struct job {
    atomic_int inside;
    double a[ORDER * ORDER], c[THREADS][ORDER * ORDER];
} job;

/* All threads are in BLAS at once: each waits until all have started. */
static void multiply(void *data, int block)
{
    job *j = data;
    atomic_fetch_add(&j->inside, 1);
    while (atomic_load(&j->inside) < THREADS)
        ;
    for (int k = 0; k < 50; k++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, ORDER, ORDER, ORDER, 1, j->a, ORDER, j->a, ORDER,
                    0, j->c[block], ORDER);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void limit_address_space(const struct rlimit *before, rlim_t bytes)
{
    struct rlimit small = *before;
    small.rlim_cur = support_address_space() + bytes;
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
}
#endif

static void test_buffers_for_all_threads(void **state)
{
    (void)state;
    job *j = calloc(1, sizeof *j);
    wlab_pool *pool;
    wlab_err err;
    struct rlimit before;
    for (int i = 0; i < ORDER * ORDER; i++)
        j->a[i] = i % 7 - 3;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    ASSERT_OK(wlab_pool_create(&pool, THREADS, &err), err);
    ASSERT_OK(wlab_blas_init(0, &err), err);
    assert_false(wlab_blas_used());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit_address_space(&before, (rlim_t)100 << 20);
    const wlab_code none = wlab_blas_init(1, &err);
    const bool used = wlab_blas_used();
    limit_address_space(&before, (rlim_t)300 << 20);
    wlab_err why;
    const wlab_code two =
        wlab_blas_init(THREADS, &why); /* there is space for two buffers, and four are requested */
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(none, WL_ENOMEM);
    assert_non_null(strstr(err.message, "not enough address space"));
    assert_false(used);
    assert_int_equal(two, WL_ENOMEM);
    assert_non_null(strstr(why.message, "each thread that computes (4)"));
    assert_non_null(strstr(why.message, "`ulimit -v "));
    assert_true(wlab_blas_used());
#endif
    ASSERT_OK(wlab_blas_init(THREADS, &err), err);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit_address_space(&before, (rlim_t)20 << 20);
#endif
    assert_int_equal(setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 60}, NULL), 0);
    wlab_pool_run(pool, THREADS, multiply, j);
    assert_int_equal(setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 0}, NULL), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    for (int t = 1; t < THREADS; t++)
        assert_memory_equal(j->c[0], j->c[t], sizeof j->c[t]);
    ASSERT_OK(wlab_blas_beside(&err), err);
    ASSERT_OK(wlab_blas_beside(&err), err);
    wlab_pool_destroy(pool);
    free(j);
}

/* A matrix product without address space for its buffers returns the error; when there is space again, it succeeds. */
static void test_products_refuse(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: the sanitizer needs the address space itself\n");
    skip();
#else
    enum {
        MORE = 8
    };
    wlab_pool *pool;
    wlab_matrix *X;
    wlab_err err;
    double G[9];
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    ASSERT_OK(wlab_pool_create(&pool, MORE, &err), err);
    ASSERT_OK(wlab_matrix_create_dense(&X, 3, 2, &err), err);
    limit_address_space(&before, (rlim_t)50 << 20);
    const wlab_code code = wlab_matrix_gram(X, X, G, 3, pool, &err);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(code, WL_ENOMEM);
    assert_non_null(strstr(err.message, "not enough address space"));
    ASSERT_OK(wlab_matrix_gram(X, X, G, 3, pool, &err), err);
    wlab_matrix_destroy(X);
    wlab_pool_destroy(pool);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffers_for_all_threads),
        cmocka_unit_test(test_products_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
