/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenpairs of symmetric matrices.  Column-major as in LAPACK: vectors are contiguous, and so the rows of the result.
 * Included with REAL, BLAS(name), LAPACKE(name), LAPACK_PART(name), GEMM, OPERANDS(A, B, C), LEADING, VALUES and VECTORS by
 * one file for each precision.
 *
 * Layout of `room` for a large matrix: 3 n numbers of the reduction, and two areas of n^2 and some.  The first has what the
 * reduction works with, then the eigenvectors of the tridiagonal matrix, which the second holds in ascending order when
 * VALUES ends, and then the groups of reflectors.
 */
#include "base/progress.h"
#include "linalg/eigen.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    LARGE = 256, /* rows from which on threads are used */
    PANEL = 16,  /* columns of the reduction between two updates of the rest */
    TILE = 256,  /* of such an update */
    STRIP = 32,
    BLOCKS = 8, /* of vectors that are transformed at a time, */
    GROUP = 64  /* by so many reflectors */
};

/* LAPACK's parts of the merge, which lapacke.h does not declare: the deflation, a root of the secular equation, the
 * permutation that merges two sorted lists. */
extern void LAPACK_PART(laed2_)(lapack_int *k, const lapack_int *n, const lapack_int *n1, REAL *d, REAL *q,
                                const lapack_int *ldq, lapack_int *indxq, REAL *rho, REAL *z, REAL *dlamda,
                                REAL *w, REAL *q2, lapack_int *indx, lapack_int *indxc, lapack_int *indxp,
                                lapack_int *coltyp, lapack_int *info);
extern void LAPACK_PART(laed4_)(const lapack_int *n, const lapack_int *i, const REAL *d, const REAL *z,
                                REAL *delta, const REAL *rho, REAL *dlam, lapack_int *info);
extern void LAPACK_PART(lamrg_)(const lapack_int *n1, const lapack_int *n2, const REAL *a,
                                const lapack_int *dtrd1, const lapack_int *dtrd2, lapack_int *index);

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int strips(int64_t n)
{
    return (int)((n + STRIP - 1) / STRIP);
}

/* ---- the reduction to a tridiagonal matrix ---- */

/* c has factors of pairs of vectors: exchanges those of a pair. */
static void exchange(REAL *c, int pairs)
{
    for (int t = 0; t < pairs; t++) {
        const REAL first = c[2 * t];
        c[2 * t] = c[2 * t + 1];
        c[2 * t + 1] = first;
    }
}

/* LAPACK's dsytrd for the upper triangle by columns, with the products of the matrix and a vector, half of the work, and the
 * updates on all threads.  Column i becomes tridiagonal by H = I - tau v v', from the last one on; H A H = A - v w' - w v',
 * w = y - (tau y'v / 2) v, y = tau A v.  The columns of a panel are updated when their turn comes, by the pairs v, w in the
 * rows of P, and the matrix before them at its end.  room [4 PANEL n + 2 PANEL + wlab_symmetric_sums(n)], which is less than
 * n^2.  false: interrupted. */
static bool reduce(REAL *A, int64_t n, REAL *d, REAL *e, REAL *tau, REAL *room, wlab_ctx *ctx)
{
    REAL *P = room, *exchanged = P + 2 * PANEL * n, *c = exchanged + 2 * PANEL * n, *sums = c + 2 * PANEL;
    wlab_ctx quiet = wlab_quiet(ctx);
    wlab_progress progress;
    int64_t done = 0; /* columns since the last look */

    wlab_progress_begin(&progress, ctx, "columns made tridiagonal", n);

    for (int64_t end = n, at; end > 0; end = at) {
        int k = 0; /* pairs */
        at = end > PANEL ? end - PANEL : 0;
        for (int64_t i = end - 1; i >= at; i--) {
            REAL *column = A + i * n, *v = P + 2 * k * n, *y = v + n;
            if (k > 0) {
                BLAS(copy)(2 * k, P + i, (int)n, c, 1);
                exchange(c, k);
                BLAS(gemv)(CblasRowMajor, CblasTrans, 2 * k, (int)i + 1, -1, P, (int)n, c, 1, 1, column, 1);
            }
            d[i] = column[i];
            if (i == 0)
                break;
            e[i - 1] = column[i - 1];
            (void)LAPACKE(larfg)((lapack_int)i, e + i - 1, column, 1, tau + i - 1);
            column[i - 1] = 1;
            memcpy(v, column, (size_t)i * sizeof *v);
            LEADING(A, n, i, v, y, sums, quiet.pool);
            if (k > 0) {
                BLAS(gemv)(CblasRowMajor, CblasNoTrans, 2 * k, (int)i, 1, P, (int)n, v, 1, 0, c, 1);
                exchange(c, k);
                BLAS(gemv)(CblasRowMajor, CblasTrans, 2 * k, (int)i, -1, P, (int)n, c, 1, 1, y, 1);
            }
            BLAS(scal)((int)i, tau[i - 1], y, 1);
            BLAS(axpy)((int)i, (REAL)-0.5 * tau[i - 1] * BLAS(dot)((int)i, y, 1, v, 1), v, 1, y, 1);
            k++;
            if (++done < wlab_look_every(i * i))
                continue;
            if (wlab_interrupted(ctx))
                return false;
            wlab_progress_add(&progress, done);
            done = 0;
        }
        for (int t = 0; t < k; t++) {
            memcpy(exchanged + 2 * t * n, P + (2 * t + 1) * n, (size_t)at * sizeof *P);
            memcpy(exchanged + (2 * t + 1) * n, P + 2 * t * n, (size_t)at * sizeof *P);
        }
        const wlab_product update = {.ta = true,
                                     .m = at,
                                     .n = at,
                                     .k = 2 * k,
                                     .alpha = -1,
                                     .beta = 1,
                                     OPERANDS(P, exchanged, A),
                                     .lda = n,
                                     .ldb = n,
                                     .ldc = n,
                                     .rows = TILE,
                                     .columns = TILE,
                                     .half = WL_HALF_LOWER};
        if (at > 0 && !wlab_product_run(&update, &quiet))
            return false;
    }
    return true;
}

/* ---- the eigenpairs of the two halves of the tridiagonal matrix ---- */

typedef struct halves {
    int64_t n, cut; /* the first half has `cut` rows */
    REAL *d, *e;    /* diagonal, beside it */
    REAL *Q;        /* [n x n] */
    REAL *work;
    int *integers;
    bool failed[2];
} halves;

static void solve_half(void *data, int b)
{
    halves *h = data;
    const int64_t from = b ? h->cut : 0, m = b ? h->n - h->cut : h->cut;
    const int64_t size = 1 + 4 * m + m * m;
    h->failed[b] = LAPACKE(stedc)(LAPACK_COL_MAJOR, 'I', (lapack_int)m, h->d + from, h->e + from,
                                  h->Q + from * h->n + from, (lapack_int)h->n,
                                  h->work + (b ? 1 + 4 * h->cut + h->cut * h->cut : 0), (lapack_int)size,
                                  h->integers + (b ? 3 + 5 * h->cut : 0), (lapack_int)(3 + 5 * m)) != 0;
}

/* ---- the merge: eigenpairs of D + rho z z' (LAPACK's dlaed1 and dlaed3, with tiles) ---- */

typedef struct merge {
    lapack_int k; /* eigenvalues that are not deflated */
    int64_t n;
    REAL *d, *Q, *pole, *w, *signs, *S;
    const lapack_int *order;
    REAL rho;
    lapack_int failed;
} merge;

static void roots(void *data, int b)
{
    merge *m = data;
    const lapack_int end = (lapack_int)least((b + 1) * (int64_t)STRIP, m->k);
    for (lapack_int j = b * STRIP + 1; j <= end; j++) {
        lapack_int failed = 0;
        LAPACK_PART(laed4_)(&m->k, &j, m->pole, m->w, m->Q + (j - 1) * m->n, &m->rho, m->d + j - 1, &failed);
        if (failed)
            __atomic_store_n(&m->failed, failed, __ATOMIC_RELAXED);
    }
}

/* The z for which the roots are exact (Gu and Eisenstat). */
static void weights(void *data, int b)
{
    const merge *m = data;
    const int64_t from = b * (int64_t)STRIP, end = least(from + STRIP, m->k);
    for (int64_t i = from; i < end; i++)
        m->signs[i] = m->Q[i * m->n + i];
    for (int64_t j = 0; j < m->k; j++)
        for (int64_t i = from; i < end; i++)
            if (i != j)
                m->signs[i] *= m->Q[j * m->n + i] / (m->pole[i] - m->pole[j]);
    for (int64_t i = from; i < end; i++)
        m->signs[i] = (REAL)copysign(sqrt(fmax(-m->signs[i], 0)), m->w[i]);
}

/* The vectors in the old basis, with rows in the order of dlaed2's groups. */
static void vectors(void *data, int b)
{
    const merge *m = data;
    const int64_t from = b * (int64_t)STRIP, end = least(from + STRIP, m->k);
    REAL *s = m->S + b * (int64_t)m->k;
    for (int64_t j = from; j < end; j++) {
        REAL *q = m->Q + j * m->n;
        for (int64_t i = 0; i < m->k && m->k > 2; i++) /* else dlaed4 returned the vectors */
            q[i] = m->signs[i] / q[i];
        const REAL length = m->k > 2 ? BLAS(nrm2)((int)m->k, q, 1) : 1;
        memcpy(s, q, (size_t)m->k * sizeof *s);
        for (int64_t i = 0; i < m->k; i++)
            q[i] = s[m->order[i] - 1] / length;
    }
}

/* The vectors' rows from first .. of Q are coefficients of the `inner` columns of `old`, [rows x inner]; the product
 * goes into Q from row `to` on.  false: interrupted. */
static bool multiply(const merge *m, int64_t first, int64_t inner, const REAL *old, int64_t rows, int64_t to,
                     wlab_ctx *ctx)
{
    for (int64_t j = 0; j < m->k; j++)
        memcpy(m->S + j * inner, m->Q + j * m->n + first, (size_t)inner * sizeof *m->S);
    return GEMM(ctx, false, false, m->k, rows, inner, 1, m->S, inner, old, rows, 0, m->Q + to, m->n);
}

/* Merges the halves, whose last and first row of eigenvectors make z.  On output the columns of Q in ascending order of
 * d are in `sorted`. */
static wlab_code join(halves *h, REAL rho, REAL *value, REAL *sorted, wlab_ctx *ctx)
{
    const lapack_int n = (lapack_int)h->n, cut = (lapack_int)h->cut, up = 1, down = -1;
    lapack_int *index = h->integers, *indx = index + n, *indxc = indx + n, *indxp = indxc + n,
               *type = indxp + n, failed = 0, k = 0;
    REAL *z = value, *pole = h->e, *w = sorted, *old = w + n;

    for (lapack_int i = 0; i < n; i++) {
        z[i] = h->Q[(int64_t)i * n + (i < cut ? cut - 1 : cut)];
        index[i] = i < cut ? i + 1 : i - cut + 1;
    }
    LAPACK_PART(laed2_)
    (&k, &n, &cut, h->d, h->Q, &n, index, &rho, z, pole, w, old, indx, indxc, indxp, type, &failed);
    if (failed)
        return WL_ENUMERIC;
    for (lapack_int i = 0; i < n && k == 0; i++)
        index[i] = i + 1;
    if (k > 0) {
        const int64_t top = type[0] + type[1], bottom = type[1] + type[2];
        REAL *S = old + top * cut + bottom * (n - cut);
        merge m = {k, n, h->d, h->Q, pole, w, z, S, indxc, rho, 0};
        if (!wlab_pool_run_progress(ctx, strips(k), roots, &m, "eigenvalues merged", k))
            return WL_EINTERRUPTED;
        if (m.failed)
            return WL_ENUMERIC;
        if ((k > 2 && !wlab_pool_run_progress(ctx, strips(k), weights, &m, NULL, 0)) ||
            !wlab_pool_run_progress(ctx, strips(k), vectors, &m, NULL, 0) ||
            !multiply(&m, type[0], bottom, old + top * cut, n - cut, cut, ctx) ||
            !multiply(&m, 0, top, old, cut, 0, ctx))
            return WL_EINTERRUPTED;
        const lapack_int rest = n - k;
        LAPACK_PART(lamrg_)(&k, &rest, h->d, &up, &down, index);
    }
    for (int64_t i = 0; i < n; i++) {
        value[i] = h->d[index[i] - 1];
        memcpy(sorted + i * n, h->Q + (index[i] - 1) * (int64_t)n, (size_t)n * sizeof *sorted);
    }
    return WL_OK;
}

/* ---- the whole ---- */

static REAL largest(const REAL *d, const REAL *e, int64_t n)
{
    double top = 0;
    for (int64_t i = 0; i < n; i++) {
        top = fmax(top, fabs(d[i]));
        if (i < n - 1)
            top = fmax(top, fabs(e[i]));
    }
    return (REAL)top;
}

/* Where a large matrix has its parts in `room`. */
typedef struct parts {
    REAL *tau, *e, *d, *Q, *sorted;
} parts;

static parts parts_of(REAL *room, int64_t n)
{
    return (parts){room, room + n, room + 2 * n, room + 3 * n, room + 3 * n + n * n};
}

static wlab_code values(REAL *A, int64_t n, bool vectors, REAL *value, REAL *room, int *integers,
                        wlab_ctx *ctx)
{
    const lapack_int order = (lapack_int)n;
    if (wlab_interrupted(ctx))
        return WL_EINTERRUPTED;
    if (n < LARGE)
        return LAPACKE(syevd)(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'L', order, A, order, value, room,
                              1 + 6 * order + 2 * order * order, integers, 3 + 5 * order)
                   ? WL_ENUMERIC
                   : WL_OK;
    parts p = parts_of(room, n);
    if (!reduce(A, n, vectors ? p.d : value, p.e, p.tau, p.Q, ctx))
        return WL_EINTERRUPTED;
    if (!vectors)
        return LAPACKE(sterf)(order, value, p.e) ? WL_ENUMERIC : WL_OK;
    const REAL scale = largest(p.d, p.e, n);
    for (int64_t i = 0; i < n && scale > 0; i++) {
        p.d[i] /= scale;
        p.e[i] /= scale;
    }
    const int64_t cut = n / 2;
    const REAL rho = p.e[cut - 1];
    p.d[cut - 1] -= (REAL)fabs(rho);
    p.d[cut] -= (REAL)fabs(rho);
    halves h = {.n = n, .cut = cut, .d = p.d, .e = p.e, .Q = p.Q, .work = p.sorted, .integers = integers};
    memset(p.Q, 0, (size_t)(n * n) * sizeof *p.Q);
    if (!wlab_pool_run_progress(ctx, 2, solve_half, &h, "halves of a tridiagonal matrix", 2))
        return WL_EINTERRUPTED;
    const wlab_code code = h.failed[0] || h.failed[1] ? WL_ENUMERIC : join(&h, rho, value, p.sorted, ctx);
    for (int64_t i = 0; i < n && scale > 0 && !code; i++)
        value[i] *= scale;
    return code;
}

wlab_code VALUES(REAL *A, int64_t n, bool vectors, REAL *value, REAL *room, int *integers, wlab_ctx *ctx,
                 wlab_err *err)
{
    const wlab_code code = values(A, n, vectors, value, room, integers, ctx);
    return !code ? WL_OK
                 : wlab_fail(err, code,
                             code == WL_EINTERRUPTED ? "interrupted"
                                                     : "the eigenvalues of a matrix were not found");
}

/* The transformation of the eigenvectors of the tridiagonal matrix, the columns from .. n-1 of V, in blocks. */
typedef struct back {
    REAL *A, *V;
    const REAL *tau;
    REAL *T, *work; /* of each group of reflectors; of each block */
    int64_t n, from, share;
    const wlab_ctx *ctx;
    wlab_progress progress;
    atomic_bool stopped;
} back;

/* After `reduce`: reflector j is in column j + 1, in the rows up to j.  A group of GROUP reflectors is I - V T V'. */
static int groups_of(int64_t n)
{
    return (int)((n - 1 + GROUP - 1) / GROUP);
}

static lapack_int group_size(int64_t n, int g)
{
    return (lapack_int)least(GROUP, n - 1 - (int64_t)g * GROUP);
}

static void make_group(void *data, int g)
{
    const back *t = data;
    const lapack_int size = group_size(t->n, g);
    (void)LAPACKE(larft)(LAPACK_COL_MAJOR, 'B', 'C', g * GROUP + size, size, t->A + (g * GROUP + 1) * t->n,
                         (lapack_int)t->n, t->tau + g * GROUP, t->T + g * GROUP * GROUP, GROUP);
}

static void apply_groups(void *data, int b)
{
    back *t = data;
    const int64_t begin = t->from + wlab_block_begin(t->n - t->from, BLOCKS, b);
    const lapack_int columns =
        (lapack_int)(t->from + wlab_block_begin(t->n - t->from, BLOCKS, b + 1) - begin);
    for (int g = 0; g < groups_of(t->n) && columns > 0; g++) {
        const lapack_int size = group_size(t->n, g);
        if (atomic_load(&t->stopped) || wlab_interrupted(t->ctx)) {
            atomic_store(&t->stopped, true);
            return;
        }
        (void)LAPACKE(larfb)(LAPACK_COL_MAJOR, 'L', 'N', 'B', 'C', g * GROUP + size, columns, size,
                             t->A + (g * GROUP + 1) * t->n, (lapack_int)t->n, t->T + g * GROUP * GROUP, GROUP,
                             t->V + begin * t->n, (lapack_int)t->n, t->work + b * t->share, columns);
        wlab_progress_add(&t->progress, 1);
    }
}

wlab_code VECTORS(REAL *A, int64_t n, int64_t from, REAL *room, wlab_ctx *ctx, wlab_err *err)
{
    if (n < LARGE)
        return WL_OK;
    const parts p = parts_of(room, n);
    const int groups = groups_of(n);
    back t = {.A = A,
              .V = p.sorted,
              .tau = p.tau,
              .T = p.Q,
              .work = p.Q + groups * GROUP * GROUP,
              .n = n,
              .from = from,
              .share = (n / BLOCKS + 1) * GROUP,
              .ctx = ctx};
    atomic_init(&t.stopped, !wlab_pool_run_progress(ctx, groups, make_group, &t, NULL, 0));
    wlab_progress_begin(&t.progress, ctx, "parts of the eigenvectors", (int64_t)groups * BLOCKS);
    if (!atomic_load(&t.stopped))
        wlab_pool_run(ctx ? ctx->pool : NULL, BLOCKS, apply_groups, &t);
    if (atomic_load(&t.stopped))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    memcpy(A + from * n, p.sorted + from * n, (size_t)((n - from) * n) * sizeof *A);
    return WL_OK;
}
