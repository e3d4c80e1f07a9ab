/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Convert decimal text to double, correctly rounded, and fast for numbers as data files contain them.
 */
#include "base/locale.h"
#include "data/readers/reader.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG == 64 && LDBL_MAX_EXP == 16384
static const long double long_ten[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                       1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                       1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* m * 10^e through x87's 64 bits of mantissa: m and 10^|e| (up to 27) are exact there, so the result is within
 * half a unit of its last place, and rounding it again to 53 bits is right unless the 11 bits that are dropped
 * are exactly one half. */
static bool extended(uint64_t m, int e, double *value)
{
    long double x = (long double)m;
    uint64_t mantissa;

    if (e < -27 || e > 27)
        return false;
    x = e < 0 ? x / long_ten[-e] : x * long_ten[e];
    memcpy(&mantissa, &x, sizeof mantissa);
    if ((mantissa & 0x7ff) == 0x400)
        return false;
    *value = (double)x;
    return true;
}
#else
static bool extended(uint64_t m, int e, double *value)
{
    (void)m;
    (void)e;
    (void)value;
    return false;
}
#endif

/* For rare numbers: more than 19 digits, large exponents, ties. */
static bool slow(const char *p, const char *end, double *value)
{
    char buf[512], *stop;
    const size_t n = (size_t)(end - p);

    if (n >= sizeof buf)
        return false;
    memcpy(buf, p, n);
    buf[n] = 0;
    *value = wlab_strtod(buf, &stop);
    return stop == buf + n && isfinite(*value);
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Add the exponent at *p ("e-5") to *e; false if no digits follow the e. */
static bool exponent(const char **p, const char *end, int *e)
{
    const char *s = *p + 1;
    bool negative = false;
    int x = 0;

    if (s < end && (*s == '-' || *s == '+'))
        negative = *s++ == '-';
    if (s >= end || !is_digit(*s))
        return false;
    for (; s < end && is_digit(*s); s++)
        if (x < 100000)
            x = x * 10 + (*s - '0');
    *e += negative ? -x : x;
    *p = s;
    return true;
}

bool wlab_number_read(const char **at, const char *end, double *value)
{
    const char *const begin = *at, *p = begin, *digits;
    uint64_t m = 0;
    bool negative = false;
    int e = 0, n;
    double v;

    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    digits = p;
    for (; p < end && is_digit(*p); p++)
        m = m * 10 + (uint64_t)(*p - '0');
    n = (int)(p - digits > 1000 ? 1000 : p - digits);
    if (p < end && *p == '.') {
        const char *fraction = ++p;

        for (; p < end && is_digit(*p); p++)
            m = m * 10 + (uint64_t)(*p - '0');
        if (p - fraction > 1000)
            return false;
        e = -(int)(p - fraction);
        n -= e;
    }
    if (n == 0)
        return false;
    if (p < end && (*p == 'e' || *p == 'E') && !exponent(&p, end, &e))
        return false;
    for (const char *z = digits; n > 19 && (*z == '0' || *z == '.'); z++) /* leading zeros do not count */
        n -= *z == '0';
    if (n > 19) { /* m has overflowed */
        if (!slow(begin, p, value))
            return false;
        *at = p;
        return true;
    }
    if (m == 0)
        v = 0.0;
    else if (m <= (1ull << 53) && e >= -22 && e <= 22)
        v = e < 0 ? (double)m / ten[-e] : (double)m * ten[e];
    else if (!extended(m, e, &v)) {
        if (!slow(begin, p, value))
            return false;
        *at = p;
        return true;
    }
    *value = negative ? -v : v;
    *at = p;
    return true;
}

bool wlab_number_is(const char *p, const char *end, double *value)
{
    return wlab_number_read(&p, end, value) && p == end;
}
