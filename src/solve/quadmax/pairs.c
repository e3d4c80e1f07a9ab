/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Newton's equations of the multipliers' path for groups with exactly one +1 (or all but one) whose pairs, with
 * products (z_0 +- z_i)(z_0 +- z_j) = 0, are too many to factor their matrix.  Over the forms the unknown is a
 * symmetric block-diagonal matrix X, one block per group with a zero diagonal, and one number for z_0^2; the
 * equations prescribe sym(WXZ) on the pairs.  Conjugate gradients solve them; an iteration costs N^2 times the size
 * of a group.  The preconditioner is each group's own (WXZ + ZXW)/2, which is diagonal in the generalised
 * eigenvectors of the group's blocks of Z and W.
 */
#include "solve/quadmax/path.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 200
};

static const double ACCURACY =
    1e-3; /* reduction of the squared residual, in the norm of the preconditioner */

static int64_t size_of(const quad_form *f, int64_t g)
{
    return f->start[g + 1] - f->start[g];
}

void quad_pairs_clear(quad_pairs *p)
{
    wlab_free(p->V);
    wlab_free(p->d);
    wlab_free(p->left);
    wlab_free(p->block);
    wlab_free(p->r);
    wlab_free(p->z);
    wlab_free(p->q);
    wlab_free(p->s);
    wlab_free(p->x);
}

wlab_code quad_pairs_create(quad_pairs *p, const quad_path *w, wlab_err *err)
{
    size_t N = (size_t)w->N, m = (size_t)w->m, most = 0;
    for (int64_t g = 0; g < w->f->groups; g++)
        most = (size_t)size_of(w->f, g) > most ? (size_t)size_of(w->f, g) : most;
    p->V = wlab_alloc(N * N, sizeof(double));
    p->d = wlab_alloc(N, sizeof(double));
    p->left = wlab_alloc(N * N, sizeof(double));
    p->block = wlab_alloc(2 * most * most, sizeof(double));
    p->r = wlab_alloc(m, sizeof(double));
    p->z = wlab_alloc(m, sizeof(double));
    p->q = wlab_alloc(m, sizeof(double));
    p->s = wlab_alloc(m, sizeof(double));
    p->x = wlab_alloc(m, sizeof(double));
    return p->V && p->d && p->left && p->block && p->r && p->z && p->q && p->s && p->x ? WL_OK
                                                                                       : wlab_nomem(err);
}

void quad_pairs_start(quad_path *w, double *T, double *D)
{
    const quad_form *f = w->f;
    int64_t N = w->N, r = w->r;
    memcpy(T, f->H, (size_t)(N * N) * sizeof *T);
    quad_path_restrict(w, T, w->S);
    double most =
        0; /* the trace, which bounds the largest eigenvalue, unless LAPACK finds the eigenvalue itself */
    for (int64_t i = 0; i < r; i++)
        most += w->S[i * r + i];
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)r, w->S, (lapack_int)r, D) == 0 &&
        D[r - 1] > 0)
        most = D[r - 1];
    /* a multiple of z'z, which on the equations is N z_0^2 less twice the pairs */
    for (int64_t i = 0; i < w->m; i++)
        w->x[i] = 1.1 * most * (w->pr[i].c == 1 ? (double)N : -2);
    D[0] = 1;
    for (int64_t g = 0; g < f->groups; g++)
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
            D[k] = (double)(2 * f->lo[g] - size_of(f, g)) / (double)size_of(f, g);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            T[i * N + j] = D[i] * D[j];
    for (int64_t g = 0; g < f->groups; g++)
        for (int64_t i = f->start[g]; i < f->start[g + 1]; i++)
            for (int64_t j = f->start[g]; j < f->start[g + 1]; j++)
                T[i * N + j] = i == j ? 1 : 1 - 4 / (double)size_of(f, g);
    quad_path_restrict(w, T, w->Y);
}

/* X = the symmetric block of a group whose pairs are x; its diagonal is 0. */
static void unpack(int64_t size, const double *x, double *X)
{
    for (int64_t i = 0; i < size; i++) {
        X[i * size + i] = 0;
        for (int64_t j = 0; j < i; j++)
            X[i * size + j] = X[j * size + i] = x[i * (i - 1) / 2 + j];
    }
}

/* C <- A B, or with A' or B', all column-major of one size */
static void times(int64_t size, const double *A, bool tA, const double *B, bool tB, double *C)
{
    int k = (int)size;
    cblas_dgemm(CblasColMajor, tA ? CblasTrans : CblasNoTrans, tB ? CblasTrans : CblasNoTrans, k, k, k, 1, A,
                k, B, k, 0, C, k);
}

static bool decompose(const quad_form *f, quad_pairs *p, const double *W, const double *Z)
{
    int64_t N = f->N;
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t first = f->start[g], size = size_of(f, g);
        double *V = p->V + first * N, *B = p->block;
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++) {
                V[i * size + j] = Z[(first + i) * N + first + j];
                B[i * size + j] = W[(first + i) * N + first + j];
            }
        if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', (lapack_int)size, V, (lapack_int)size, B,
                           (lapack_int)size, p->d + first) != 0 ||
            !(p->d[first] > 0))
            return false;
    }
    return W[0] > 0 && Z[0] > 0;
}

/* z = the preconditioner times r: solves each group's equations without the other groups and with a free diagonal. */
static void precondition(const quad_form *f, quad_pairs *p, const double *W, const double *Z)
{
    int64_t N = f->N, at = 0;
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t size = size_of(f, g);
        const double *V = p->V + f->start[g] * N, *d = p->d + f->start[g];
        double *A = p->block, *B = p->block + size * size;
        unpack(size, p->r + at, A);
        times(size, V, true, A, false, B);
        times(size, B, false, V, false, A);
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++)
                A[i * size + j] *= 2 / (d[i] + d[j]);
        times(size, V, false, A, false, B);
        times(size, B, false, V, true, A);
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < i; j++)
                p->z[at + i * (i - 1) / 2 + j] = A[i * size + j] + A[j * size + i];
        at += size * (size - 1) / 2;
    }
    p->z[at] = p->r[at] / (W[0] * Z[0]);
}

/* s = sym(WXZ) on the pairs, for the X whose pairs are q. */
static void apply(const quad_form *f, quad_pairs *p, const double *W, const double *Z)
{
    int N = (int)f->N;
    int64_t at = 0;
    for (int64_t g = 0; g < f->groups; g++) { /* left = WX */
        int64_t first = f->start[g];
        int size = (int)size_of(f, g);
        unpack(size, p->q + at, p->block);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, size, size, 0.5, W + first, N, p->block,
                    size, 0, p->left + first, N);
        at += (int64_t)size * (size - 1) / 2;
    }
    for (int64_t i = 0; i < N; i++)
        p->left[i * N] = W[i * N] * p->q[at];
    p->s[at] = cblas_ddot(N, p->left, 1, Z, 1);
    at = 0;
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t first = f->start[g];
        int size = (int)size_of(f, g);
        double *A = p->block;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, N, 0.5, p->left + first * N, N,
                    Z + first, N, 0, A, size);
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < i; j++)
                p->s[at + i * (i - 1) / 2 + j] = A[i * size + j] + A[j * size + i];
        at += (int64_t)size * (size - 1) / 2;
    }
}

bool quad_pairs_solve(const quad_path *w, quad_pairs *p, const double *W, const double *Z, wlab_ctx *ctx)
{
    int m = (int)w->m;
    double last = 0, first = 0;
    if (!decompose(w->f, p, W, Z))
        return false;
    memcpy(p->r, w->dx, (size_t)m * sizeof *p->r);
    memset(p->x, 0, (size_t)m * sizeof *p->x);
    memset(p->q, 0, (size_t)m * sizeof *p->q);
    for (int k = 0; k < ROUNDS; k++) {
        precondition(w->f, p, W, Z);
        double now = cblas_ddot(m, p->r, 1, p->z, 1);
        first = k == 0 ? now : first;
        if (!(now > ACCURACY * first))
            break;
        cblas_dscal(m, k == 0 ? 0 : now / last, p->q, 1);
        cblas_daxpy(m, 1, p->z, 1, p->q, 1);
        last = now;
        apply(w->f, p, W, Z);
        double curve = cblas_ddot(m, p->q, 1, p->s, 1);
        if (!(curve > 0))
            return false;
        cblas_daxpy(m, now / curve, p->q, 1, p->x, 1);
        cblas_daxpy(m, -now / curve, p->s, 1, p->r, 1);
        if (wlab_interrupted(ctx))
            return false;
    }
    memcpy(w->dx, p->x, (size_t)m * sizeof *p->x);
    return true;
}
