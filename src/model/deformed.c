/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kernels deformed by a graph.
 */
#include "model/deformed.h"
#include "base/progress.h"
#include "linalg/cholesky.h"
#include "linalg/product.h"
#include "linalg/transpose.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPLETE 1e-12 /* remaining trace of the factor of K, relative */
enum {
    TILE = 256,
    ROWS =
        192 /* of a triangular product at once: a multiple of the rows that OpenBLAS's kernels take together, on all
                * processors, so that the division changes no bit */
};

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the kernel was deformed by the graph");
}

/* ---- the setting ---- */

wlab_code wlab_graph_parse(wlab_graph_spec *spec, const char *text, wlab_err *err)
{
    static const char *const form =
        "none or knn:K, K neighbours of each row (1 to 1000), with :heat for weights that "
        "fall with the distance and :normalised for the normalised Laplacian: knn:6:heat";
    wlab_graph_spec s = {0};
    const char *at = text;
    char *end;

    *spec = s;
    if (!text || strcmp(text, "none") == 0)
        return WL_OK;
    if (strncmp(at, "knn:", 4) != 0 || at[4] < '0' || at[4] > '9')
        return wlab_fail(err, WL_EARG, "graph=%.60s: must be %s", text, form);
    const long k = strtol(at + 4, &end, 10);
    for (at = end; *at == ':';) {
        const size_t length = strcspn(++at, ":");
        bool *flag = length == 4 && !strncmp(at, "heat", 4)           ? &s.heat
                     : length == 10 && !strncmp(at, "normalised", 10) ? &s.normalised
                                                                      : NULL;
        if (!flag || *flag) {
            at = text; /* refused below */
            break;
        }
        *flag = true;
        at += length;
    }
    if (*at || k < 1 || k > 1000)
        return wlab_fail(err, WL_EARG, "graph=%.60s: must be %s", text, form);
    s.neighbours = (int)k;
    *spec = s;
    return WL_OK;
}

/* ---- creation ---- */

wlab_deformed *wlab_deformed_ref(wlab_deformed *d)
{
    if (d)
        atomic_fetch_add(&d->refs, 1);
    return d;
}

void wlab_deformed_unref(wlab_deformed *d)
{
    if (!d || atomic_fetch_sub(&d->refs, 1) > 1)
        return;
    wlab_graph_unref(d->graph);
    wlab_free(d->Phi);
    wlab_free(d->pivot);
    wlab_free(d->L);
    wlab_free(d->start);
    wlab_free(d->length);
    wlab_free(d->row);
    wlab_free(d);
}

static const void *values_of(const wlab_matrix *X)
{
    return X->sparse ? (const void *)X->val : (const void *)X->dense;
}

typedef struct place {
    int64_t start;
    int32_t length, row;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Remembers where each row's values are.  Rows at the same place have the same values, so that any of them will do. */
static wlab_code remember_rows(wlab_deformed *d, const wlab_matrix *X, wlab_err *err)
{
    const size_t n = (size_t)d->n;
    place *at = wlab_alloc(n + 1, sizeof *at);
    d->values = values_of(X);
    d->start = wlab_alloc(n + 1, sizeof *d->start);
    d->length = wlab_alloc(n + 1, sizeof *d->length);
    d->row = wlab_alloc(n + 1, sizeof *d->row);
    if (!at || !d->start || !d->length || !d->row) {
        wlab_free(at);
        return wlab_nomem(err);
    }
    for (size_t i = 0; i < n; i++)
        at[i] = (place){X->start[i], X->len[i], (int32_t)i};
    qsort(at, n, sizeof *at, compare_places);
    for (size_t i = 0; i < n; i++) {
        d->start[i] = at[i].start;
        d->length[i] = at[i].length;
        d->row[i] = at[i].row;
    }
    wlab_free(at);
    return WL_OK;
}

/* The row of the graph that row i of X is; -1: none. */
static int64_t row_of(const wlab_deformed *d, const wlab_matrix *X, int64_t i)
{
    int64_t lo = 0, hi = d->n;
    if (values_of(X) != d->values)
        return -1;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (d->start[mid] < X->start[i] || (d->start[mid] == X->start[i] && d->length[mid] < X->len[i]))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < d->n && d->start[lo] == X->start[i] && d->length[lo] == X->len[i] ? d->row[lo] : -1;
}

/* S [r x r], row-major lower triangle, of S S' = I + rho Phi'L Phi. */
static wlab_code factor(double *S, wlab_deformed *d, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = d->n, r = d->r;
    double *LPhi = wlab_alloc((size_t)(n * r) + 1, sizeof *LPhi);
    bool definite = true;
    if (!LPhi)
        return wlab_nomem(err);
    wlab_graph_laplacian(d->graph, d->Phi, r, LPhi);
    const wlab_product p = {.ta = true,
                            .m = r,
                            .n = r,
                            .k = n,
                            .alpha = d->rho,
                            .A = d->Phi,
                            .B = LPhi,
                            .C = S,
                            .lda = r,
                            .ldb = r,
                            .ldc = r,
                            .rows = TILE,
                            .columns = TILE,
                            .half = WL_HALF_MIRRORED};
    wlab_code code = r == 0 || n == 0 || wlab_product_run(&p, ctx) ? WL_OK : interrupted(err);
    wlab_free(LPhi);
    for (int64_t k = 0; k < r; k++)
        S[k * r + k] += 1;
    code = code ? code : wlab_cholesky(S, r, &definite, ctx, err);
    if (!code && !definite)
        code = wlab_fail(err, WL_ENUMERIC, "rho=%g is too large for doubles: use a smaller one", d->rho);
    d->least = d->largest = r > 0 ? S[0] : 1;
    for (int64_t i = 0; i < r && !code; i++) {
        if (!wlab_look_at(i, r, NULL, ctx))
            code = interrupted(err);
        d->least = fmin(d->least, S[i * r + i]);
        d->largest = fmax(d->largest, S[i * r + i]);
        for (int64_t j = i + 1; j < r; j++)
            S[i * r + j] = 0;
    }
    return code;
}

typedef struct triangular {
    const double *S;
    double *Phi, *L;
    int64_t n, r;
} triangular;

static void solve_rows(void *data, int block)
{
    const triangular *t = data;
    const int64_t first = (int64_t)block * ROWS, rows = t->n - first < ROWS ? t->n - first : ROWS;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows, (int)t->r, 1,
                t->S, (int)t->r, t->Phi + first * t->r, (int)t->r);
}

static void multiply_rows(void *data, int block)
{
    const triangular *t = data;
    const int64_t first = (int64_t)block * ROWS, rows = t->r - first < ROWS ? t->r - first : ROWS;
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows, (int)t->r, 1,
                t->S, (int)t->r, t->L + first * t->r, (int)t->r);
}

/* Replaces Phi by Phi S'^-1 and L by L S. */
static wlab_code deform(wlab_deformed *d, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = d->n, r = d->r;
    double *S = wlab_calloc((size_t)(r * r) + 1, sizeof *S);
    wlab_code code = S ? factor(S, d, ctx, err) : wlab_nomem(err);

    for (int64_t i = 0; i < r && !code; i++)
        for (int64_t j = i + 1; j < r; j++)
            d->L[i * r + j] = 0;
    if (!code && r > 0) {
        triangular t = {.S = S, .Phi = d->Phi, .L = d->L, .n = n, .r = r};
        if (!wlab_pool_run_progress(ctx, (int)((n + ROWS - 1) / ROWS), solve_rows, &t, "rows", n) ||
            !wlab_pool_run_progress(ctx, (int)((r + ROWS - 1) / ROWS), multiply_rows, &t, "rows", r))
            code = interrupted(err);
    }
    wlab_free(S);
    return code;
}

wlab_code wlab_deformed_make(wlab_deformed **out, const wlab_kernel *base, const wlab_matrix *X,
                             wlab_graph *graph, double rho, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    wlab_deformed *d = wlab_calloc(1, sizeof *d);
    wlab_features *f = NULL;
    wlab_code code = WL_OK;

    *out = NULL;
    if (!d) {
        wlab_graph_unref(graph);
        return wlab_nomem(err);
    }
    atomic_init(&d->refs, 1);
    d->graph = graph;
    d->base = *base;
    d->base.bias = 0;
    d->base.deformed = NULL;
    d->rho = rho;
    d->n = X->rows;
    if (base->kind == WL_K_PRECOMPUTED)
        code = wlab_fail(
            err, WL_EARG,
            "graph= needs the rows themselves, to find their neighbours; kernel=precomputed has only a "
            "matrix of kernel values");
    code = code ? code : wlab_features_factor(&f, X, &d->base, COMPLETE, most, ctx, err);
    if (!code) {
        d->r = f->r;
        d->trace = f->trace;
        d->left = f->left;
        d->Phi = f->Phi;
        d->L = f->L;
        d->pivot = f->pivot;
        f->Phi = f->L = NULL;
        f->pivot = NULL;
        code = deform(d, ctx, err);
    }
    wlab_features_destroy(f);
    code = code ? code : remember_rows(d, X, err);
    if (code)
        wlab_deformed_unref(d);
    else
        *out = d;
    return code;
}

/* ---- use ---- */

bool wlab_deformed_alike(const wlab_deformed *a, const wlab_deformed *b)
{
    return a->graph->neighbours == b->graph->neighbours && a->graph->heat == b->graph->heat &&
           a->graph->normalised == b->graph->normalised && fabs(a->rho - b->rho) <= 1e-12 * a->rho;
}

/* Whether X has all rows of the graph in their order. */
static bool is_whole(const wlab_deformed *d, const wlab_matrix *X)
{
    bool whole = X->rows == d->n;
    for (int64_t i = 0; i < X->rows && whole; i++)
        whole = row_of(d, X, i) == i;
    return whole;
}

/* Rows of Phi^ [rows(X) x r]: Phi itself if X has all rows, else *made, which the caller frees. */
static wlab_code gather(const double **out, double **made, const wlab_deformed *d, const wlab_matrix *X,
                        wlab_err *err)
{
    const int64_t r = d->r;
    *out = d->Phi;
    if (is_whole(d, X))
        return WL_OK;
    *made = wlab_alloc((size_t)(X->rows * r) + 1, sizeof **made);
    *out = *made;
    if (!*made)
        return wlab_nomem(err);
    for (int64_t i = 0; i < X->rows; i++) {
        const int64_t row = row_of(d, X, i);
        if (row < 0)
            return wlab_fail(err, WL_ESTATE,
                             "graph= gives a kernel of the training rows only, and row %lld is none",
                             (long long)i + 1);
        if (r > 0)
            memcpy(*made + i * r, d->Phi + row * r, (size_t)r * sizeof **made);
    }
    return WL_OK;
}

wlab_code wlab_deformed_matrix(const wlab_deformed *d, double bias, const wlab_matrix *X,
                               const wlab_matrix *Z, double *K, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = X->rows, m = Z->rows, r = d->r;
    const bool same = X == Z;
    const double *A = NULL, *B = NULL;
    double *of_X = NULL, *of_Z = NULL;
    wlab_code code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err);

    code = code ? code : gather(&A, &of_X, d, X, err);
    if (!code && !same)
        code = gather(&B, &of_Z, d, Z, err);
    if (!code) {
        const wlab_product p = {.tb = true,
                                .m = n,
                                .n = m,
                                .k = r,
                                .alpha = 1,
                                .A = A,
                                .B = same ? A : B,
                                .C = K,
                                .lda = r,
                                .ldb = r,
                                .ldc = m,
                                .rows = TILE,
                                .columns = TILE,
                                .half = same ? WL_HALF_MIRRORED : WL_HALF_NONE};
        if (r > 0 && n > 0 && m > 0)
            code = wlab_product_run(&p, ctx) ? WL_OK : interrupted(err);
        else
            memset(K, 0, (size_t)(n * m) * sizeof *K);
        for (int64_t i = 0; !code && bias > 0 && i < n * m; i++)
            K[i] += bias * bias;
    }
    wlab_free(of_X);
    wlab_free(of_Z);
    return code;
}

wlab_code wlab_deformed_plain(const wlab_deformed *d, int P, const double *c, const double *W, double *coef,
                              wlab_err *err)
{
    const int64_t r = d->r;
    double *w = wlab_alloc((size_t)r + 1, sizeof *w);
    if (!w)
        return wlab_nomem(err);
    memset(coef, 0, (size_t)(d->n * P) * sizeof *coef);
    for (int k = 0; k < P; k++) {
        memset(w, 0, (size_t)r * sizeof *w);
        if (W && r > 0)
            memcpy(w, W + k * r, (size_t)r * sizeof *w);
        for (int64_t i = 0; !W && i < d->n; i++)
            if (r > 0 && c[i * P + k] != 0)
                cblas_daxpy((int)r, c[i * P + k], d->Phi + i * r, 1, w, 1);
        if (r > 0)
            cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)r, d->L, (int)r, w, 1);
        for (int64_t j = 0; j < r; j++)
            coef[d->pivot[j] * P + k] = w[j];
    }
    wlab_free(w);
    return WL_OK;
}
