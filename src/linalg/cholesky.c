/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cholesky by panels: LAPACK factors the block on the diagonal; the threads of the pool then solve for the rows below
 * it and update the tiles of the remaining matrix.
 */
#include "linalg/cholesky.h"
#include "base/progress.h"

#include <cblas.h>
#include <lapacke.h>

enum {
    TILE = 192
};

typedef struct panel {
    double *A;
    int64_t n, at, wide; /* columns at .. at + wide - 1 are the panel */
} panel;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* First row of tile b below the panel. */
static int64_t row_of(const panel *p, int64_t b)
{
    return p->at + p->wide + b * TILE;
}

/* Computes rows of L below the block on the diagonal. */
static void solve_rows(void *data, int b)
{
    const panel *p = data;
    const int64_t from = row_of(p, b), rows = least(TILE, p->n - from);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows, (int)p->wide, 1,
                p->A + p->at * p->n + p->at, (int)p->n, p->A + from * p->n + p->at, (int)p->n);
}

/* Subtracts the contribution of the panel's columns from a tile of the lower triangle. */
static void update_tile(void *data, int t)
{
    const panel *p = data;
    int64_t i = 0, j = t;
    while (j > i)
        j -= ++i;
    const int64_t row = row_of(p, i), column = row_of(p, j), rows = least(TILE, p->n - row);
    double *to = p->A + row * p->n + column;
    const double *L = p->A + row * p->n + p->at, *M = p->A + column * p->n + p->at;
    if (i == j)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, (int)p->wide, -1, L, (int)p->n, 1, to,
                    (int)p->n);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, TILE, (int)p->wide, -1, L, (int)p->n,
                    M, (int)p->n, 1, to, (int)p->n);
}

wlab_code wlab_cholesky(double *A, int64_t n, bool *definite, wlab_ctx *ctx, wlab_err *err)
{
    wlab_progress progress;
    const int64_t below =
        n > 0 ? (n - 1) / TILE : 0; /* tiles below the first: the sum of t (t + 1) / 2, t to below */

    wlab_progress_begin(&progress, ctx, "tiles of a factor", below * (below + 1) * (below + 2) / 6);
    *definite = true;
    for (panel p = {.A = A, .n = n}; p.at < n; p.at += p.wide) {
        p.wide = least(TILE, n - p.at);
        /* the lower triangle by rows is the upper one by columns */
        const lapack_int failed = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)p.wide,
                                                      A + p.at * n + p.at, (lapack_int)n);
        /* LAPACK does not report NaN, but all pivots after a NaN are NaN too */
        if (failed || !(A[(p.at + p.wide - 1) * (n + 1)] > 0)) {
            *definite = false;
            return WL_OK;
        }
        const int tiles = (int)((n - p.at - p.wide + TILE - 1) / TILE);
        if (!wlab_pool_run_progress(ctx, tiles, solve_rows, &p, NULL, 0) ||
            !wlab_pool_run_progress(ctx, tiles * (tiles + 1) / 2, update_tile, &p, NULL, 0))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        wlab_progress_add(&progress, (int64_t)tiles * (tiles + 1) / 2);
    }
    return WL_OK;
}

void wlab_cholesky_solve(const double *L, int64_t n, double *b)
{
    if (n == 0) /* BLAS would print that 0 is no leading dimension */
        return;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, L, (int)n, b, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, L, (int)n, b, 1);
}
