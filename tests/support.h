/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Macros and functions that the unit tests share.  It includes cmocka.h after the headers that cmocka needs, so tests do
 * not include cmocka.h themselves.
 */
#ifndef WEAKLAB_TESTS_SUPPORT_H
#define WEAKLAB_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "weaklab/base.h"

/* The path of a file below ../shared; if there is no such file the test is skipped:
 * SHARED_OR_SKIP("datasets/x.libsvm"). */
#define SHARED_OR_SKIP(path) support_shared("../shared/" path)

static inline const char *support_shared(const char *path)
{
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is missing\n", path);
        skip();
    }
    return path;
}

/* The test is skipped if there is no gnuplot in PATH. */
#define GNUPLOT_OR_SKIP() support_gnuplot()

static inline void support_gnuplot(void)
{
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
        print_message("skipped: gnuplot is not installed\n");
        skip();
    }
}

/* Whether a sanitizer is on: most tests take two to five times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
/* The number of repetitions of a randomised test, or of cases that are alike. */
#define REPEATS(n) (SANITIZED ? (n) / 4 : (n))

/* The call must succeed; otherwise prints the message in `err` (a wlab_err). */
#define ASSERT_OK(call, err)                                                                                 \
    do {                                                                                                     \
        (err).message[0] = (err).file[0] = 0;                                                                \
        (err).line = (err).column = 0;                                                                       \
        wlab_code code_ = (call);                                                                            \
        if (code_ != WL_OK) {                                                                                \
            char text_[2048];                                                                                \
            fail_msg("%s: code %d, %s", #call, (int)code_, wlab_err_format(&(err), text_, sizeof text_));    \
        }                                                                                                    \
    } while (0)

/* The call must fail with this code, and its message must contain this text. */
#define ASSERT_FAILS(call, expected, err, text)                                                              \
    do {                                                                                                     \
        (err).message[0] = 0;                                                                                \
        wlab_code code_ = (call);                                                                            \
        if (code_ != (expected) || !strstr((err).message, (text)))                                           \
            fail_msg("%s: code %d instead of %d, \"%s\" instead of \"...%s...\"", #call, (int)code_,         \
                     (int)(expected), (err).message, (text));                                                \
    } while (0)

/* |a - b| <= tol * max(1, |a|, |b|); fails if either is NaN. */
#define ASSERT_NEAR(a, b, tol)                                                                               \
    do {                                                                                                     \
        double a_ = (a), b_ = (b);                                                                           \
        if (!(fabs(a_ - b_) <= (tol)*fmax(1.0, fmax(fabs(a_), fabs(b_)))))                                   \
            fail_msg("%s = %.17g, %s = %.17g, they differ by %.3g", #a, a_, #b, b_, fabs(a_ - b_));          \
    } while (0)

/* Which allocations fail: under AddressSanitizer, which reports leaks, each one; otherwise every third. */
#define SWEEP_STRIDE (SANITIZED ? 1 : 3)
/* Evaluates a call with its k-th allocation failing, for k = 1, 1 + stride, ... until it succeeds; each failure must be
 * WL_ENOMEM.  The caller owns what the last, successful call made. */
#define ALLOC_SWEEP(call) ALLOC_SWEEP_CHECK(call, (void)0)
/* The same for a call that sets `out` (a pointer), which must remain NULL after each failure. */
#define ALLOC_SWEEP_OUT(call, out)                                                                           \
    do {                                                                                                     \
        (out) = NULL;                                                                                        \
        ALLOC_SWEEP_CHECK(call, assert_null(out));                                                           \
        assert_non_null(out);                                                                                \
    } while (0)
/* The same with a statement to run after each failure, for example that an object has not changed. */
#define ALLOC_SWEEP_CHECK(call, check)                                                                       \
    do {                                                                                                     \
        for (long k_ = 1;; k_ += SWEEP_STRIDE) {                                                             \
            wlab_alloc_fail_at(k_);                                                                          \
            wlab_code code_ = (call);                                                                        \
            long reached_ = wlab_alloc_count();                                                              \
            wlab_alloc_fail_at(0);                                                                           \
            if (reached_ < k_) { /* nothing failed */                                                        \
                if (code_ != WL_OK)                                                                          \
                    fail_msg("%s: code %d with enough memory", #call, (int)code_);                           \
                break;                                                                                       \
            }                                                                                                \
            if (code_ != WL_ENOMEM)                                                                          \
                fail_msg("%s: code %d when allocation %ld fails", #call, (int)code_, k_);                    \
            check;                                                                                           \
        }                                                                                                    \
    } while (0)

/* Bytes of address space in use; 0: unknown. */
static inline size_t support_address_space(void)
{
    size_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%zu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Writes a file under $TMPDIR or /tmp, whose name ends in `suffix` (such as ".csv"), and its path to `path`.  The
 * caller unlinks it. */
static inline void support_temp_file(char path[256], const char *suffix, const void *data, size_t len)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, 256, "%s/weaklab-XXXXXX%s", dir ? dir : "/tmp", suffix);
    int fd = mkstemps(path, (int)strlen(suffix));
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

#endif
