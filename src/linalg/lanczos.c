/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The largest eigenpairs by block Lanczos.  Vectors are rows of length n, in blocks of `wide`.
 */
#include "linalg/lanczos.h"
#include "linalg/product.h"
#include "weaklab/rng.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    SPARE = 2, /* vectors of a block beyond those that are asked for: the last ones converge sooner */
    OFTEN = 4  /* blocks between looks at the Ritz values */
};
static const double TOLERANCE = 1e-9, SINGULAR = 1e-12, NOISE = 1e-3;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

typedef struct space {
    int64_t n, count, wide, most;
    int64_t m;     /* vectors so far */
    double *Q;     /* [most + wide x n] orthonormal rows */
    double *T;     /* [most x most] Q A Q', its blocks on and above the diagonal */
    double *S, *e; /* [most x most], [most] its eigenpairs, in ascending order */
    double *H;     /* [wide x most] */
    double *R;     /* [wide x wide] A's last block, without its part in Q, in the vectors of the next block */
    double *R2;    /* [wide x wide] */
    double *tau, *work;
} space;

static int64_t block_width(int64_t count)
{
    return count + SPARE;
}

static int64_t space_size(int64_t n, int64_t count)
{
    return least(WL_LANCZOS_MOST, n / 2) / block_width(count) * block_width(count);
}

/* Doubles of LAPACK's work: for the eigenpairs of T, for the QR of a block. */
static int64_t work_size(int64_t n, int64_t count)
{
    const int64_t most = space_size(n, count), dense = 1 + 6 * most + 2 * most * most,
                  tall = 64 * block_width(count);
    return dense > tall ? dense : tall;
}

int64_t wlab_lanczos_room(int64_t n, int64_t count)
{
    const int64_t most = space_size(n, count), wide = block_width(count);
    return (most + wide) * n + 2 * most * most + most + most * wide + 2 * wide * wide + wide +
           work_size(n, count);
}

static space make_space(int64_t n, int64_t count, double *room)
{
    space s = {.n = n, .count = count, .wide = block_width(count), .most = space_size(n, count)};
    s.Q = room;
    s.T = s.Q + (s.most + s.wide) * n;
    s.S = s.T + s.most * s.most;
    s.e = s.S + s.most * s.most;
    s.H = s.e + s.most;
    s.R = s.H + s.most * s.wide;
    s.R2 = s.R + s.wide * s.wide;
    s.tau = s.R2 + s.wide * s.wide;
    s.work = s.tau + s.wide;
    return s;
}

/* The axes with the largest diagonal entries, with some noise, so that no eigenvector is orthogonal to all of them. */
static void start(space *s, const double *A)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int64_t i = 0; i < s->wide * s->n; i++)
        s->Q[i] = NOISE / sqrt((double)s->n) * wlab_rng_normal(&rng);
    for (int64_t k = 0; k < s->wide; k++) {
        int64_t best = -1;
        for (int64_t i = 0; i < s->n; i++) {
            bool used = false;
            for (int64_t l = 0; l < k && !used; l++)
                used = s->Q[l * s->n + i] > 0.5;
            if (!used && (best < 0 || A[i * (s->n + 1)] > A[best * (s->n + 1)]))
                best = i;
        }
        s->Q[k * s->n + best] += 1;
    }
}

/* Makes the block at X orthonormal; R of its factors.  False: it is (nearly) singular. */
static bool orthonormal(space *s, double *X, double scale, double *R)
{
    const lapack_int n = (lapack_int)s->n, p = (lapack_int)s->wide;
    const lapack_int size = (lapack_int)work_size(s->n, s->count);
    if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, p, X, n, s->tau, s->work, size))
        return false;
    bool regular = true;
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = 0; j < p; j++)
            R[i * p + j] = j >= i ? X[j * s->n + i] : 0;
        regular = regular && fabs(R[i * (p + 1)]) > SINGULAR * scale;
    }
    return regular && !LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, p, p, X, n, s->tau, s->work, size);
}

/* Takes away from the block at X its part in the m vectors before it, and puts the coefficients into H [wide x m].  False:
 * interrupted. */
static bool project_out(space *s, double *X, wlab_ctx *ctx)
{
    const int64_t n = s->n, p = s->wide, m = s->m;
    return wlab_gemm(ctx, false, true, p, m, n, 1, X, n, s->Q, n, 0, s->H, m) &&
           wlab_gemm(ctx, false, false, p, n, m, -1, s->H, m, s->Q, n, 1, X, n);
}

/* Appends the next block: A times the last one, orthogonal to all.  False: it is singular, or there was an
 * interrupt. */
static bool extend(space *s, const double *A, wlab_ctx *ctx)
{
    const int64_t n = s->n, p = s->wide, m = s->m, last = m - p;
    double *X = s->Q + m * n;

    if (!wlab_gemm(ctx, false, false, p, n, n, 1, s->Q + last * n, n, A, n, 0, X, n))
        return false;
    for (int twice = 0; twice < 2; twice++) {
        if (!project_out(s, X, ctx))
            return false;
        for (int64_t i = 0; i < m; i++)
            for (int64_t k = 0; k < p; k++)
                s->T[i * s->most + last + k] = s->H[k * m + i] + (twice ? s->T[i * s->most + last + k] : 0);
    }
    if (!orthonormal(s, X, fabs(s->T[0]), s->R))
        return false;
    /* a vector of length R_kk has kept errors of 1e-16 / R_kk in the direction of the others: take them away */
    if (!project_out(s, X, ctx) || !orthonormal(s, X, 1, s->R2))
        return false;
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, (int)p, (int)p, 1, s->R2,
                (int)p, s->R, (int)p);
    return true;
}

/* Finds the Ritz pairs; whether all that are wanted have small residuals: those of (e, S) are |R s'| for the last
 * block's part s of the vector. */
static bool accurate(space *s, bool *failed)
{
    const int64_t m = s->m, p = s->wide;
    const lapack_int order = (lapack_int)m;
    int integers[3 + 5 * WL_LANCZOS_MOST];

    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            s->S[i * m + j] = s->T[(i < j ? i : j) * s->most + (i < j ? j : i)];
    *failed = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', order, s->S, order, s->e, s->work,
                                  (lapack_int)work_size(s->n, s->count), integers, 3 + 5 * order) != 0 ||
              !(s->e[m - 1] > 0);
    for (int64_t k = m - s->count; k < m && !*failed; k++) {
        double length = 0;
        for (int64_t i = 0; i < p; i++) {
            const double part = cblas_ddot((int)p, s->R + i * p, 1, s->S + k * m + m - p, 1);
            length += part * part;
        }
        if (!(sqrt(length) <= TOLERANCE * s->e[m - 1]))
            return false;
    }
    return !*failed;
}

wlab_code wlab_lanczos(const double *A, int64_t n, int64_t count, double *value, double *vector, double *room,
                       bool *found, wlab_ctx *ctx, wlab_err *err)
{
    space s = make_space(n, count, room);
    bool failed = false;

    *found = false;
    if (s.most < OFTEN * s.wide)
        return WL_OK;
    start(&s, A);
    if (!orthonormal(&s, s.Q, 1, s.R))
        return WL_OK;
    for (s.m = s.wide;; s.m += s.wide) {
        const bool more = !failed && s.m <= s.most && extend(&s, A, ctx);
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (!more)
            return WL_OK;
        if (s.m / s.wide % OFTEN == 0 && accurate(&s, &failed))
            break;
    }
    for (int64_t k = 0; k < count; k++) {
        value[k] = s.e[s.m - 1 - k];
        memcpy(s.H + k * s.m, s.S + (s.m - 1 - k) * s.m, (size_t)s.m * sizeof *s.H);
    }
    if (!wlab_gemm(ctx, false, false, count, n, s.m, 1, s.H, s.m, s.Q, n, 0, vector, n))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    *found = true;
    return WL_OK;
}
