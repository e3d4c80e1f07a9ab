/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops over rows, two numbers at a time and without branches: whether an output is beyond its margin cannot be predicted,
 * and a mispredicted branch costs more than all arithmetic of a row.  Vectors of gcc and clang; every processor has
 * registers for two numbers, so the bits do not depend on the kind of processor.
 */
#ifndef BASE_TWO_H
#define BASE_TWO_H

#include <float.h>
#include <math.h>
#include <stdint.h>

/* Two adjacent numbers, which need not be aligned; and a mask: all bits of a number are 1 or 0. */
typedef double wlab_two __attribute__((vector_size(16), aligned(8)));
typedef int64_t wlab_two_mask __attribute__((vector_size(16), aligned(8)));

static inline wlab_two wlab_two_load(const double *p)
{
    return *(const wlab_two *)p;
}

static inline void wlab_two_store(double *p, wlab_two x)
{
    *(wlab_two *)p = x;
}

/* The first `left` (1, or 2 and more) numbers at p; 0 for a missing one. */
static inline wlab_two wlab_two_load_some(const double *p, int64_t left)
{
    return left > 1 ? wlab_two_load(p) : (wlab_two){*p, 0};
}

static inline void wlab_two_store_some(double *p, wlab_two x, int64_t left)
{
    if (left > 1)
        wlab_two_store(p, x);
    else
        *p = x[0];
}

static inline wlab_two wlab_two_of(double x)
{
    return (wlab_two){x, x};
}

static inline wlab_two_mask wlab_two_less(wlab_two a, wlab_two b)
{
    return (wlab_two_mask)(a < b);
}

/* x where the mask is set, else 0 (whatever x is, also NaN). */
static inline wlab_two wlab_two_where(wlab_two_mask mask, wlab_two x)
{
    return (wlab_two)(mask & (wlab_two_mask)x);
}

static inline wlab_two wlab_two_choose(wlab_two_mask mask, wlab_two yes, wlab_two no)
{
    return (wlab_two)((mask & (wlab_two_mask)yes) | (~mask & (wlab_two_mask)no));
}

/* max(0, x); 0 for NaN. */
static inline wlab_two wlab_two_positive(wlab_two x)
{
    return wlab_two_where(wlab_two_less(wlab_two_of(0), x), x);
}

static inline wlab_two wlab_two_abs(wlab_two x)
{
    return (wlab_two)((wlab_two_mask)x & (wlab_two_mask){INT64_MAX, INT64_MAX});
}

static inline double wlab_two_sum(wlab_two x)
{
    return x[0] + x[1];
}

/* e^-a for a >= 0, within one unit in the last place; 0 from a = 700 on (and for infinity).  e^-a = 2^k e^r with |r| <=
 * log(2)/2, and e^r = 1 + r + r^2 q(r), q by interpolation of degree 9 at Chebyshev's points, relative error 2e-17. */
static inline wlab_two wlab_two_exp_minus(wlab_two a)
{
    const wlab_two shift = wlab_two_of(6755399441055744.0); /* 1.5 2^52: adding it rounds to a whole number */
    const wlab_two_mask small = wlab_two_less(a, wlab_two_of(700));
    const wlab_two x = -wlab_two_where(small, a), shifted = x * 1.4426950408889634 + shift,
                   k = shifted - shift;
    /* log 2 in two parts, of which the first has 32 bits, so that k times it is exact */
    const wlab_two r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10, r2 = r * r,
                   r4 = r2 * r2;
    const wlab_two low = (0.5000000000000001 + r * 0.16666666666666669) +
                         r2 * (0.041666666666624164 + r * 0.008333333333330065),
                   middle = (0.0013888888917196881 + r * 0.0001984126986304067) +
                            r2 * (2.4801521322116825e-05 + r * 2.7557268480116333e-06),
                   high = 2.762007599981065e-07 + r * 2.5100375924709717e-08;
    const wlab_two e = 1 + (r + r2 * (low + r4 * (middle + r4 * high)));
    /* k is in the last bits of `shifted`; it is added to the exponent */
    return wlab_two_where(small,
                          (wlab_two)((wlab_two_mask)e + (wlab_two_mask)((wlab_two_mask)shifted << 52)));
}

/* log x for finite x >= 0, within two units in the last place; minus infinity for numbers below 2.3e-308.  x = 2^k m, and with
 * s = (m - 1) / (m + 1), |s| <= 0.172, log m = 2 (s + s^3/3 + s^5/5 + ..), whose terms after s^19 are below rounding. */
static inline wlab_two wlab_two_log(wlab_two x)
{
    typedef uint64_t bits __attribute__((vector_size(16), aligned(8)));
    const wlab_two one = wlab_two_of(1);
    const bits of = (bits)x, sign_and_exponent = of & ~(bits){0xFFFFFFFFFFFFF, 0xFFFFFFFFFFFFF},
               high = {0x4330000000000000, 0x4330000000000000}; /* 2^52: its last bits are a whole number */
    const wlab_two whole = (wlab_two)(of ^ sign_and_exponent ^ (bits)one); /* 1 to 2 */
    const wlab_two_mask large = wlab_two_less(wlab_two_of(1.4142135623730951), whole);
    const wlab_two m = wlab_two_choose(large, 0.5 * whole, whole),
                   k = (wlab_two)((sign_and_exponent >> 52) | high) - 4503599627371519.0 +
                       wlab_two_where(large, one);
    const wlab_two s = (m - 1) / (m + 1), z = s * s, z2 = z * z, z4 = z2 * z2;
    const wlab_two low = (1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9)),
                   top = (1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17)),
                   rest = s * (z * (low + z4 * (top + z4 * (1.0 / 19))));
    /* log 2 in two parts, as above */
    const wlab_two y = k * 6.93147180369123816490e-01 + (2 * s + (2 * rest + k * 1.90821492927058770002e-10));
    return wlab_two_choose(wlab_two_less(x, wlab_two_of(DBL_MIN)), wlab_two_of(-INFINITY), y);
}

#endif
