/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row times a vector, and a row added to a vector: the innermost loops of all linear methods.
 *
 * Their cost is less the arithmetic than the branch at the end of each row, which the processor cannot predict.  The
 * last entry of an odd n therefore has no branch of its own: it is multiplied by n & 1.  This factor is applied to
 * the value of the row first, as a product that overflows times 0 would be NaN.
 */
#ifndef LINALG_ROW_H
#define LINALG_ROW_H

#include "base/two.h"

/* sum_k v_k w[c_k]: two sums, the odd entry first. */
static inline double wlab_sparse_dot(const float *v, const int32_t *c, int32_t n, const double *w)
{
    double s0, s1 = 0;

    if (n == 0)
        return 0;
    s0 = (double)v[n - 1] * (double)(n & 1) * w[c[n - 1]];
    for (int32_t k = 0; k + 2 <= n; k += 2) {
        s0 += (double)v[k] * w[c[k]];
        s1 += (double)v[k + 1] * w[c[k + 1]];
    }
    return s0 + s1;
}

/* w[c_k] += a v_k; the columns are distinct. */
static inline void wlab_sparse_axpy(const float *v, const int32_t *c, int32_t n, double a, double *w)
{
    for (int32_t k = 0; k < n; k++)
        w[c[k]] += a * (double)v[k];
}

/* The same result as wlab_sparse_axpy to the bit, in as many rounds as wlab_sparse_dot.  If it is called directly after
 * wlab_sparse_dot for the same row, the processor predicts the end of this loop from the end of that one, which saves
 * more than the odd entry costs. */
static inline void wlab_sparse_axpy_after_dot(const float *v, const int32_t *c, int32_t n, double a,
                                              double *w)
{
    if (n == 0)
        return;
    w[c[n - 1]] += a * ((double)v[n - 1] * (double)(n & 1));
    for (int32_t k = 0; k + 2 <= n; k += 2) {
        const double w0 = w[c[k]] + a * (double)v[k], w1 = w[c[k + 1]] + a * (double)v[k + 1];
        w[c[k]] = w0;
        w[c[k + 1]] = w1;
    }
}

/* Four sums, added in a fixed order: with one sum, each addition would wait for the one before.  From entry k on, a multiple of
 * 4, with the sums so far. */
static inline double wlab_dense_dot_from(int32_t k, wlab_two s01, wlab_two s23, const double *a,
                                         const double *b, int32_t n)
{
    for (; k + 4 <= n; k += 4) {
        s01 += wlab_two_load(a + k) * wlab_two_load(b + k);
        s23 += wlab_two_load(a + k + 2) * wlab_two_load(b + k + 2);
    }
    for (; k < n; k++)
        s01[0] += a[k] * b[k];
    return wlab_two_sum(s01) + wlab_two_sum(s23);
}

static inline double wlab_dense_dot(const double *a, const double *b, int32_t n)
{
    return wlab_dense_dot_from(0, (wlab_two){0}, (wlab_two){0}, a, b, n);
}

/* The same bits; also fetches as many entries at `next`, the row to come: the hardware fetches ahead to the end of a page only,
 * which a row of 500 columns fills. */
static inline double wlab_dense_dot_fetching(const double *a, const double *b, int32_t n, const double *next)
{
    wlab_two s01 = {0}, s23 = {0};
    int32_t k = 0;

    for (; k + 8 <= n; k += 8) {
        __builtin_prefetch(next + k);
        s01 += wlab_two_load(a + k) * wlab_two_load(b + k);
        s23 += wlab_two_load(a + k + 2) * wlab_two_load(b + k + 2);
        s01 += wlab_two_load(a + k + 4) * wlab_two_load(b + k + 4);
        s23 += wlab_two_load(a + k + 6) * wlab_two_load(b + k + 6);
    }
    return wlab_dense_dot_from(k, s01, s23, a, b, n);
}
enum {
    WLAB_LONG_ROW = 64 /* columns from which on that pays */
};

static inline void wlab_dense_axpy(const double *x, int32_t n, double a, double *w)
{
    int32_t k = 0;

    for (; k + 2 <= n; k += 2)
        wlab_two_store(w + k, wlab_two_load(w + k) + a * wlab_two_load(x + k));
    if (k < n)
        w[k] += a * x[k];
}

#endif
