/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merge sort that an interrupt can stop: qsort, which cannot be stopped, sorts short runs, which are then merged;
 * merging checks for an interrupt once in some thousand items.
 */
#include "base/sort.h"
#include <stdlib.h>
#include <string.h>

enum {
    RUN = 1 << 15,     /* items that qsort sorts at once: some milliseconds */
    CHECK_EVERY = 4096 /* items merged between two checks for an interrupt */
};

static wlab_code check_interrupt(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
}

/* Merge [a, middle) and [middle, end) into `to`. */
static wlab_code merge(char *to, const char *a, const char *middle, const char *end, size_t size,
                       int (*compare)(const void *, const void *), const wlab_ctx *ctx, wlab_err *err)
{
    const char *b = middle;
    wlab_code code = WL_OK;

    for (size_t k = 1; a < middle && b < end && !code; k++, to += size) {
        const char **from = compare(a, b) <= 0 ? &a : &b;
        memcpy(to, *from, size);
        *from += size;
        code = k % CHECK_EVERY == 0 ? check_interrupt(ctx, err) : WL_OK;
    }
    memcpy(to, a, (size_t)(middle - a));
    memcpy(to + (middle - a), b, (size_t)(end - b));
    return code;
}

wlab_code wlab_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *),
                    const wlab_ctx *ctx, wlab_err *err)
{
    const size_t all = n * size, first = RUN * size;
    char *from = items, *to, *buffer;
    wlab_code code = WL_OK;

    if (n <= RUN) {
        if (n > 1)
            qsort(items, n, size, compare);
        return WL_OK;
    }
    to = buffer = wlab_alloc(n, size);
    if (!buffer)
        return wlab_nomem(err);
    for (size_t at = 0; at < all && !(code = check_interrupt(ctx, err)); at += first)
        qsort(from + at, (all - at < first ? all - at : first) / size, size, compare);
    for (size_t run = first; run < all && !code; run *= 2) {
        for (size_t at = 0; at < all;
             at += 2 * run) { /* also after an interrupt, copy up to the end, so that no item is lost */
            const size_t middle = all - at < run ? all : at + run,
                         end = all - middle < run ? all : middle + run;
            if (code)
                memcpy(to + at, from + at, end - at);
            else
                code = merge(to + at, from + at, from + middle, from + end, size, compare, ctx, err);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != (char *)items)
        memcpy(items, from, all);
    wlab_free(buffer);
    return code;
}

void wlab_members_fill(const int32_t *of, int64_t n, int64_t sets, int64_t *start, int32_t *member)
{
    memset(start, 0, (size_t)(sets + 1) * sizeof *start);
    for (int64_t i = 0; i < n; i++)
        if (of[i] >= 0)
            start[of[i] + 1]++;
    for (int64_t k = 0; k < sets; k++)
        start[k + 1] += start[k];
    for (int64_t i = 0; i < n; i++)
        if (of[i] >= 0)
            member[start[of[i]]++] = (int32_t)i;
    for (int64_t k = sets; k > 0; k--)
        start[k] = start[k - 1];
    start[0] = 0;
}
