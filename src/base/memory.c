/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory: overflow-checked allocation that tests can make fail.  Large blocks ask for huge pages: a kernel matrix has
 * thousands of small ones, and to look their addresses up can take as long as the arithmetic.
 */
#include "base/locale.h"
#include "weaklab/base.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE = 2 << 20 /* bytes: a huge page of x86; neighbouring blocks together have whole ones */
};

/* For tests, in the whole process: how many allocations there were, and the first one that fails (0: none). */
static atomic_long count, fail_from;

void wlab_alloc_fail_at(long k)
{
    atomic_store(&fail_from, 0);
    atomic_store(&count, 0);
    atomic_store(&fail_from, k);
}

long wlab_alloc_count(void)
{
    return atomic_load(&count);
}

/* The bytes to ask for (at least 1), or 0 when the allocation must fail. */
static size_t bytes_of(size_t n, size_t size)
{
    long index = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    long limit = atomic_load_explicit(&fail_from, memory_order_relaxed);
    if (limit > 0 && index >= limit)
        return 0;
    if (n == 0 || size == 0)
        return 1;
    return n > (size_t)PTRDIFF_MAX / size ? 0 : n * size;
}

/* p [bytes], or NULL.  A system without huge pages, or without permission to use them, ignores the advice. */
static void *advise(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (p && bytes >= LARGE) {
        const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                        first = ((uintptr_t)p + page - 1) / page * page;
        (void)madvise((void *)first, ((uintptr_t)p + bytes - first) / page * page, MADV_HUGEPAGE);
    }
#endif
    return p;
}

void *wlab_alloc(size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    return bytes ? advise(malloc(bytes), bytes) : NULL;
}

void *wlab_calloc(size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    return bytes ? advise(calloc(bytes, 1), bytes) : NULL;
}

void *wlab_realloc(void *p, size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    return bytes ? advise(realloc(p, bytes), bytes) : NULL;
}

void *wlab_free(void *p)
{
    free(p);
    return NULL;
}

char *wlab_strndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *copy = wlab_alloc(len + 1, 1);
    if (copy) {
        memcpy(copy, s, len);
        copy[len] = 0;
    }
    return copy;
}

char *wlab_strdup(const char *s)
{
    return wlab_strndup(s, strlen(s));
}

char *wlab_vformat(const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int len = wlab_vprint(NULL, 0, fmt, ap);
    char *text = len < 0 ? NULL : wlab_alloc((size_t)len + 1, 1);
    if (text)
        wlab_vprint(text, (size_t)len + 1, fmt, again);
    va_end(again);
    return text;
}

char *wlab_format(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = wlab_vformat(fmt, ap);
    va_end(ap);
    return text;
}
