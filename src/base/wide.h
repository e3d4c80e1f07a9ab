/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops with 32-byte registers where the processor has them.  Compilers split a vector of 32 bytes into two of 16 elsewhere:
 * as no product is fused with a sum, both have the same bits.
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

/* Four adjacent numbers, which need not be aligned. */
typedef double wlab_four __attribute__((vector_size(32), aligned(8)));
#define WLAB_FOUR_AT(p) (*(wlab_four *)(p))
#define WLAB_FOUR_OF(p) (*(const wlab_four *)(p)) /* to read */

/* Of the functions that name_body calls. */
#define WLAB_WIDE_INLINE static inline __attribute__((always_inline))

/* Makes name(void *, int), the work of a pool, from name_body, which is WLAB_WIDE_INLINE. */
#if defined __x86_64__ && defined __GNUC__ && !defined WLAB_NARROW
#define WLAB_WIDE_WORK(name)                                                                                 \
    __attribute__((target("avx2"))) static void name##_wide(void *data, int block)                           \
    {                                                                                                        \
        name##_body(data, block);                                                                            \
    }                                                                                                        \
    static void name(void *data, int block)                                                                  \
    {                                                                                                        \
        if (__builtin_cpu_supports("avx2"))                                                                  \
            name##_wide(data, block);                                                                        \
        else                                                                                                 \
            name##_body(data, block);                                                                        \
    }
#else
#define WLAB_WIDE_WORK(name)                                                                                 \
    static void name(void *data, int block)                                                                  \
    {                                                                                                        \
        name##_body(data, block);                                                                            \
    }
#endif

#endif
