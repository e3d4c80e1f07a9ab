/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The smallest eigenvalue of a large symmetric matrix: Lanczos finds a number, and a Cholesky factor proves that no
 * eigenvalue is below it, whatever Lanczos has missed.
 */
#include "base/progress.h"
#include "linalg/cholesky.h"
#include "solve/relax/state.h"
#include "weaklab/rng.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    STEPS = 600, /* of Lanczos */
    OFTEN = 8    /* steps between looks at the Ritz values */
};

/* The extreme eigenvalues of the tridiagonal T [k x k]; false: not found. */
static bool extremes(const double *diagonal, const double *beside, int k, double *copy, double *low,
                     double *high)
{
    double *d = copy, *e = copy + k;
    memcpy(d, diagonal, (size_t)k * sizeof *d);
    memcpy(e, beside, (size_t)k * sizeof *e);
    if (LAPACKE_dsterf_work(k, d, e))
        return false;
    *low = d[0];
    *high = d[k - 1];
    return true;
}

/* q -= Q'Q q for the k rows of Q, twice. */
static void orthogonalise(const double *Q, int k, int64_t n, double *q, double *product)
{
    for (int twice = 0; twice < 2; twice++) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, k, (int)n, 1, Q, (int)n, q, 1, 0, product, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, k, (int)n, -1, Q, (int)n, product, 1, 1, q, 1);
    }
}

wlab_code relax_smallest(double *A, int64_t n, relax_times *times, const void *of, double *low, double *high,
                         double *room, bool *proven, wlab_ctx *ctx, wlab_err *err)
{
    const int most = n < STEPS ? (int)n : STEPS;
    double diagonal[STEPS], beside[STEPS], copy[2 * STEPS], before = INFINITY, margin = 0;
    double *Q = room, *next = room + (int64_t)most * n;
    wlab_progress progress;
    wlab_rng rng;

    *proven = false;
    wlab_progress_begin(&progress, ctx, "Lanczos vectors", 0);
    wlab_rng_seed(&rng, 1);
    for (int64_t i = 0; i < n; i++)
        next[i] = wlab_rng_normal(&rng);
    double length = cblas_dnrm2((int)n, next, 1);
    for (int k = 0, calm = 0; calm < 2; k++) {
        double *q = Q + (int64_t)k * n;
        const wlab_code stopped = relax_look(ctx, err); /* at first as A may be unfinished */
        if (stopped || k == most || !(length > 0))
            return stopped;
        for (int64_t i = 0; i < n; i++)
            q[i] = next[i] / length;
        if (times)
            times(of, q, next);
        else
            cblas_dsymv(CblasRowMajor, CblasLower, (int)n, 1, A, (int)n, q, 1, 0, next, 1);
        diagonal[k] = cblas_ddot((int)n, q, 1, next, 1);
        orthogonalise(Q, k + 1, n, next, copy);
        beside[k] = length = cblas_dnrm2((int)n, next, 1);
        wlab_progress_add(&progress, 1);
        if ((k + 1) % OFTEN)
            continue;
        if (!extremes(diagonal, beside, k + 1, copy, low, high))
            return WL_OK;
        margin = RELAX_ROUNDING * (double)n * fmax(fabs(*low), fabs(*high));
        calm = before - *low <= margin / 16 ? calm + 1 : 0;
        before = *low;
    }
    for (int64_t i = 0; i < n; i++)
        A[i * (n + 1)] -= *low - margin / 2;
    return wlab_cholesky(A, n, proven, ctx, err);
}
