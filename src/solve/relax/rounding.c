/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounding: k-means on leading eigenvectors, or a rotation of these onto the axes.
 */
#include "solve/relax/rounding.h"
#include "linalg/eigen.h"
#include "linalg/lanczos.h"
#include "solve/cluster/kmeans.h"
#include "solve/relax/state.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    SMALL = 256,  /* columns up to which all eigenvectors are computed */
    LARGE = 1024, /* from which on the leading eigenvectors are computed without the others */
    DISTINCT = 64 /* values of a diagonal at most */
};

const char *const wlab_rounding_names[] = {"kmeans", "spectral", NULL};

typedef struct rounding {
    const wlab_rounding *m;
    int64_t k;           /* leading eigenvectors in use */
    double *lead;        /* [n x k] rows in the leading eigenvectors */
    const double *value; /* [k] their eigenvalues, in descending order */
    double *score;       /* [n x P] */
} rounding;

static bool is_allowed(const wlab_rounding *m, int64_t i, int c)
{
    return !m->allowed || m->allowed[i] >> c & 1;
}

/* The only allowed class of row i; -1: there are several. */
static int only_class(const wlab_rounding *m, int64_t i)
{
    return m->allowed && (m->allowed[i] & (m->allowed[i] - 1)) == 0 ? __builtin_ctzll(m->allowed[i]) : -1;
}

static double weight(const wlab_rounding *m, int64_t i)
{
    return m->weight ? m->weight[i] : 1;
}

static wlab_code check_finite(const wlab_rounding *m, wlab_err *err)
{
    for (int64_t i = 0; i < m->n * m->r; i++)
        if (!isfinite(m->V[i]))
            return wlab_fail(err, WL_ENUMERIC, "the matrix to round from has entries that are not finite");
    return WL_OK;
}

/* ---- eigenvectors ---- */

/* V with its weights, and with a column for 11'/P: [n x r + simplex]. */
static void weighted(const wlab_rounding *m, double *W)
{
    const int64_t r = m->r + m->simplex;
    for (int64_t i = 0; i < m->n; i++) {
        const double root = sqrt(weight(m, i));
        for (int64_t j = 0; j < m->r; j++)
            W[i * r + j] = root * m->V[i * m->r + j];
        if (m->simplex)
            W[i * r + m->r] = root * sqrt(1.0 / m->P);
    }
}

/* LAPACK's sign is arbitrary; an eigenvector's largest entry is made positive, this one. */
static int64_t top_of(const double *q, int64_t r)
{
    int64_t top = 0;
    for (int64_t j = 1; j < r; j++)
        if (fabs(q[j]) > fabs(q[top]) * (1 + 1e-9))
            top = j;
    return top;
}

/* Z's eigenvectors are V q / root(value) for the eigenvectors q of V'V, with weighted rows. */
static void project(wlab_leading *l, const wlab_rounding *m, const double *q, int64_t r, int64_t a)
{
    const double sign = q[top_of(q, r)] < 0 ? -1 : 1;
    for (int64_t i = 0; i < m->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m->r; j++)
            sum += m->V[i * m->r + j] * q[j];
        if (m->simplex)
            sum += sqrt(1.0 / m->P) * q[m->r];
        l->row[i * l->k + a] = sign * sum;
    }
}

/* The same for all l->k vectors of a large matrix, which are the last rows of M. */
static void project_all(wlab_leading *l, const wlab_rounding *m, const double *M, int64_t r, double *room,
                        wlab_ctx *ctx)
{
    double *q = room;
    for (int64_t a = 0; a < l->k; a++) {
        const double *from = M + (r - 1 - a) * r;
        const bool turned = from[top_of(from, r)] < 0;
        for (int64_t j = 0; j < r; j++)
            q[a * r + j] = turned ? -from[j] : from[j];
    }
    (void)wlab_gemm(ctx, false, true, m->n, l->k, m->r, 1, m->V, m->r, q, r, 0, l->row, l->k);
    for (int64_t i = 0; i < m->n && m->simplex; i++)
        for (int64_t a = 0; a < l->k; a++)
            l->row[i * l->k + a] += sqrt(1.0 / m->P) * q[a * r + m->r];
}

/* M: the lower triangle by rows, which is the upper one by columns. */
static bool all_vectors(double *M, int64_t r, double *e, double *room, int *integers)
{
    const lapack_int n = (lapack_int)r;
    return !LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, M, n, e, room, 1 + 6 * n + 2 * n * n, integers,
                                3 + 5 * n);
}

/* The first Z is diagonal, and any basis has its eigenvectors where values repeat.  Which one LAPACK finds decides the
 * labels of the first step, so for small matrices this must not change: dsyevd from the upper triangle. */
static bool is_diagonal(const double *M, int64_t size, int64_t stride)
{
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < i; j++)
            if (M[i * stride + j] != 0)
                return false;
    return true;
}

/* A large M = [D u; u' c], or D alone, with few different values in the diagonal D.  Where D has the value d, the part of u
 * there has a direction; the vectors orthogonal to it have the eigenvalue d.  The directions and the last axis span the
 * others: those of a small matrix with the values, the lengths of the parts of u, and c. */
typedef struct arrow {
    int64_t n;       /* rows of D */
    int values, *of; /* [n] which value a row has, */
    int64_t left[DISTINCT];
    double d[DISTINCT], length[DISTINCT], *direction; /* and how many vectors with it there are; [n] */
} arrow;

static bool find_values(arrow *w, const double *M, int64_t r)
{
    for (int64_t i = 0; i < w->n; i++) {
        int k = 0;
        while (k < w->values && w->d[k] != M[i * r + i])
            k++;
        if (k == DISTINCT)
            return false;
        if (k == w->values) {
            w->d[k] = M[i * r + i];
            w->left[k] = -1; /* one is the direction */
            w->values++;
        }
        w->of[i] = k;
        w->left[k]++;
    }
    return true;
}

static void add_squares(const arrow *w, const double *x, double *sum)
{
    for (int64_t i = 0; i < w->n; i++)
        sum[w->of[i]] += x[i] * x[i];
}

/* A part of u that is 0 has no direction, and none is better than another: a random one. */
static void find_directions(arrow *w, const double *u, wlab_rng *rng)
{
    double square[DISTINCT] = {0}, sum[DISTINCT] = {0};
    if (u)
        add_squares(w, u, square);
    for (int64_t i = 0; i < w->n; i++)
        w->direction[i] = square[w->of[i]] > 0 ? u[i] : wlab_rng_normal(rng);
    add_squares(w, w->direction, sum);
    for (int k = 0; k < w->values; k++)
        w->length[k] = square[k] > 0 ? sqrt(square[k]) : 0;
    for (int64_t i = 0; i < w->n; i++)
        w->direction[i] /= sqrt(sum[w->of[i]]);
}

/* A random unit vector among the rows of value k, orthogonal to their direction and to the vectors before it. */
static void beside_direction(const arrow *w, int k, double *q, const double *before, int64_t count, int64_t r,
                             wlab_rng *rng)
{
    for (int64_t i = 0; i < r; i++)
        q[i] = i < w->n && w->of[i] == k ? wlab_rng_normal(rng) : 0;
    for (int twice = 0; twice < 2; twice++)
        for (int64_t b = -1; b < count; b++) {
            const double *o = b < 0 ? w->direction : before + b * r, dot = cblas_ddot((int)w->n, o, 1, q, 1);
            for (int64_t i = 0; i < w->n; i++)
                if (w->of[i] == k)
                    q[i] -= dot * o[i];
        }
    cblas_dscal((int)r, 1 / cblas_dnrm2((int)r, q, 1), q, 1);
}

/* The largest `count` eigenvalues of such an M [r x r] into the end of e, their vectors into the last rows of M.  false: it is
 * none. */
static bool arrow_vectors(double *M, int64_t n, int64_t r, int64_t count, uint64_t seed, double *e,
                          double *room, int *integers)
{
    arrow w = {.n = n, .of = integers, .direction = room + count * r};
    wlab_rng rng;
    if (!is_diagonal(M, n, r) || !find_values(&w, M, r))
        return false;
    wlab_rng_seed(&rng, seed);
    find_directions(&w, r > n ? M + n * r : NULL, &rng);
    const int64_t m = w.values + r - n;
    double *S = w.direction + n, *value = S + m * m;
    memset(S, 0, (size_t)(m * m) * sizeof *S);
    for (int k = 0; k < w.values; k++) {
        S[k * (m + 1)] = w.d[k];
        if (r > n)
            S[(m - 1) * m + k] = w.length[k];
    }
    if (r > n)
        S[m * m - 1] = M[r * r - 1];
    if (!all_vectors(S, m, value, value + m, integers + n))
        return false;
    int64_t next = m - 1; /* of the small matrix */
    for (int64_t a = 0; a < count; a++) {
        int top = -1;
        double *q = room + a * r;
        for (int k = 0; k < w.values; k++)
            if (w.left[k] > 0 && (top < 0 || w.d[k] > w.d[top]))
                top = k;
        if (top >= 0 && (next < 0 || w.d[top] > value[next])) {
            e[r - 1 - a] = w.d[top];
            w.left[top]--;
            beside_direction(&w, top, q, room, a, r, &rng);
            continue;
        }
        e[r - 1 - a] = value[next];
        for (int64_t i = 0; i < r; i++)
            q[i] = i < n ? S[next * m + w.of[i]] * w.direction[i] : S[next * m + m - 1];
        next--;
    }
    for (int64_t a = 0; a < count; a++)
        memcpy(M + (r - 1 - a) * r, room + a * r, (size_t)r * sizeof *M);
    return true;
}

/* The largest `count` eigenvalues into the end of e, and their vectors into the last rows of M [r x r], as if all were
 * computed.  *found false: they must be. */
static wlab_code largest_vectors(double *M, int64_t r, int64_t count, double *e, double *room, bool *found,
                                 wlab_ctx *ctx, wlab_err *err)
{
    double *value = room, *vector = value + count;
    const wlab_code code = wlab_lanczos(M, r, count, value, vector, vector + count * r, found, ctx, err);
    if (code || !*found)
        return code;
    for (int64_t a = 0; a < count; a++) {
        e[r - 1 - a] = value[a];
        memcpy(M + (r - 1 - a) * r, vector + a * r, (size_t)r * sizeof *M);
    }
    return WL_OK;
}

wlab_code wlab_leading_make(wlab_leading *l, const wlab_rounding *m, int64_t count, wlab_ctx *ctx,
                            wlab_err *err)
{
    const int64_t n = m->n, r = m->r + m->simplex;
    wlab_code code = check_finite(m, err);
    double *M = m->room, *e = NULL, *own = NULL;
    int *integers = NULL;
    const int64_t all = wlab_eigen_room(r),
                  few = r >= LARGE ? wlab_lanczos_room(r, count) + count * (r + 1) : 0,
                  most = all > few ? all : few, space = n * r > most ? n * r : most;

    *l = (wlab_leading){0};
    if (code || (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        return code;
    count = count < r ? count : r;
    e = wlab_alloc((size_t)r, sizeof *e);
    l->value = wlab_alloc((size_t)count, sizeof *l->value);
    l->row = wlab_alloc((size_t)(n * count), sizeof *l->row);
    integers = wlab_alloc((size_t)wlab_eigen_integers(r), sizeof *integers);
    if (!M || m->space < r * r + space)
        M = own = wlab_alloc((size_t)(r * r + space), sizeof *own);
    if (!e || !M || !l->value || !l->row || !integers) {
        code = wlab_nomem(err);
        goto out;
    }
    double *room = M + r * r;
    weighted(m, room);
    /* the lower triangle */
    if (r < SMALL)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)r, (int)n, 1, room, (int)r, 0, M, (int)r);
    else
        relax_gram(ctx, true, r, n, 1, room, r, M);
    if ((code = relax_look(ctx, err)))
        goto out;
    bool enough = r > LARGE && arrow_vectors(M, m->r, r, count, m->seed, e, room, integers);
    const bool whole = r < SMALL || (r <= LARGE && is_diagonal(M, m->r, r));
    if (!enough && !whole && r >= LARGE)
        code = largest_vectors(M, r, count, e, room, &enough, ctx, err);
    if (!code && whole && !all_vectors(M, r, e, room, integers))
        code = WL_ENUMERIC;
    if (!code && !whole && !enough)
        code = wlab_eigen_values(M, r, true, e, room, integers, ctx, err);
    if (code == WL_ENUMERIC || (!code && !(e[r - 1] > 0)))
        code = wlab_fail(err, WL_ENUMERIC, "the matrix has no positive eigenvalue to round from");
    if (code)
        goto out;
    while (l->k < count && e[r - 1 - l->k] > 1e-12 * e[r - 1]) {
        l->value[l->k] = e[r - 1 - l->k];
        l->k++;
    }
    if (!whole && !enough && (code = wlab_eigen_vectors(M, r, r - l->k, room, ctx, err)))
        goto out;
    if (enough)
        project_all(l, m, M, r, room, ctx);
    for (int64_t a = 0; a < l->k && !enough; a++)
        project(l, m, M + (r - 1 - a) * r, r, a);
    code = relax_look(ctx, err);
out:
    wlab_free(e);
    wlab_free(own);
    wlab_free(integers);
    if (code)
        wlab_leading_clear(l);
    return code;
}

void wlab_leading_clear(wlab_leading *l)
{
    wlab_free(l->value);
    wlab_free(l->row);
    *l = (wlab_leading){0};
}

/* ---- k-means ---- */

static wlab_code by_kmeans(rounding *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_rounding *m = s->m;
    const int64_t k = s->k;
    int32_t *label = wlab_alloc((size_t)m->n, sizeof *label);
    double *centre = wlab_alloc((size_t)(m->P * k), sizeof *centre);
    wlab_code code = label && centre ? WL_OK : wlab_nomem(err);
    for (int64_t i = 0; !code && !m->plain && i < m->n; i++) {
        double *x = s->lead + i * k, size = 0;
        for (int64_t a = 0; a < k; a++) {
            x[a] /= sqrt(s->value[a]);
            size += x[a] * x[a];
        }
        for (int64_t a = 0; a < k && size > 0; a++)
            x[a] /= sqrt(size);
    }
    const wlab_kmeans clusters = {.X = s->lead,
                                  .n = m->n,
                                  .d = k,
                                  .k = m->P,
                                  .weight = m->weight,
                                  .allowed = m->allowed,
                                  .restarts = m->restarts > 0 ? m->restarts : 10,
                                  .seed = m->seed};
    if (!code)
        code = wlab_kmeans_run(&clusters, label, centre, NULL, ctx, err);
    for (int64_t i = 0; !code && i < m->n; i++)
        for (int c = 0; c < m->P; c++) {
            double sum = 0;
            for (int64_t a = 0; a < k; a++)
                sum += (s->lead[i * k + a] - centre[c * k + a]) * (s->lead[i * k + a] - centre[c * k + a]);
            s->score[i * m->P + c] = -sum;
        }
    wlab_free(label);
    wlab_free(centre);
    return code;
}

/* ---- rotation onto the axes ---- */

/* Selects rows that are far apart, one for each axis: QR with column pivots of the transpose, by Gram-Schmidt. */
static wlab_code representatives(const rounding *s, int64_t *row, wlab_err *err)
{
    const int64_t n = s->m->n, k = s->k;
    double *left = wlab_alloc((size_t)(n * k), sizeof *left);
    if (!left)
        return wlab_nomem(err);
    memcpy(left, s->lead, (size_t)(n * k) * sizeof *left);
    for (int64_t a = 0; a < k; a++) {
        double top = -1, q[64];
        for (int64_t i = 0; i < n; i++) {
            const double size = cblas_ddot((int)k, left + i * k, 1, left + i * k, 1);
            if (size > top * (1 + 1e-9)) {
                top = size;
                row[a] = i;
            }
        }
        for (int64_t j = 0; j < k; j++)
            q[j] = top > 0 ? left[row[a] * k + j] / sqrt(top) : 0;
        for (int64_t i = 0; i < n; i++)
            cblas_daxpy((int)k, -cblas_ddot((int)k, left + i * k, 1, q, 1), q, 1, left + i * k, 1);
    }
    wlab_free(left);
    return WL_OK;
}

/* Names the axes after classes: rows with one allowed class vote, and pairs (class, axis) with the highest mean come
 * first. */
static void name_axes(const rounding *s, const double *axis, int of_class[64])
{
    const wlab_rounding *m = s->m;
    const int P = m->P;
    double mean[64][64] = {{0}}, labelled[64] = {0};
    bool used[64] = {false};
    for (int c = 0; c < P; c++)
        of_class[c] = -1;
    for (int64_t i = 0; i < m->n; i++) {
        const int c = only_class(m, i);
        if (c < 0)
            continue;
        labelled[c] += weight(m, i);
        for (int j = 0; j < s->k; j++)
            mean[c][j] += weight(m, i) * axis[i * s->k + j];
    }
    for (int t = 0; t < P; t++) {
        int best = -1, to = -1;
        for (int c = 0; c < P; c++)
            for (int j = 0; j < s->k && of_class[c] < 0 && labelled[c] > 0; j++)
                if (!used[j] && (best < 0 || mean[c][j] / labelled[c] > mean[best][to] / labelled[best])) {
                    best = c;
                    to = j;
                }
        if (best < 0)
            break;
        of_class[best] = to;
        used[to] = true;
    }
    for (int c = 0, j = 0; c < P; c++) { /* the other classes get the free axes in order */
        if (of_class[c] >= 0)
            continue;
        while (j < s->k && used[j])
            j++;
        if (j < s->k) {
            of_class[c] = j;
            used[j] = true;
        }
    }
}

static wlab_code by_axes(rounding *s, wlab_err *err)
{
    const wlab_rounding *m = s->m;
    const int64_t n = m->n, k = s->k;
    int64_t row[64];
    int of_class[64];
    double C[64 * 64], U[64 * 64], Vt[64 * 64], T[64 * 64], sigma[64], rest[64];
    double *axis = wlab_alloc((size_t)(n * k), sizeof *axis);
    wlab_code code = axis ? representatives(s, row, err) : wlab_nomem(err);
    if (code)
        goto out;
    /* the orthogonal matrix that moves the representatives closest to the axes */
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++)
            C[b * k + a] = s->lead[row[a] * k + b];
    const lapack_int failed = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', (lapack_int)k, (lapack_int)k, C,
                                             (lapack_int)k, sigma, U, (lapack_int)k, Vt, (lapack_int)k, rest);
    if (failed) {
        code = failed == LAPACK_WORK_MEMORY_ERROR || failed == LAPACK_TRANSPOSE_MEMORY_ERROR
                   ? wlab_nomem(err)
                   : wlab_fail(err, WL_ENUMERIC, "the eigenvectors cannot be rotated onto the axes");
        goto out;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)k, (int)k, (int)k, 1, U, (int)k, Vt, (int)k,
                0, T, (int)k);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)k, (int)k, 1, s->lead, (int)k, T,
                (int)k, 0, axis, (int)k);
    name_axes(s, axis, of_class);
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < m->P; c++) /* a class without an axis comes last */
            s->score[i * m->P + c] = of_class[c] >= 0 ? axis[i * k + of_class[c]] : -1e3;
out:
    wlab_free(axis);
    return code;
}

static void by_nodes(rounding *s)
{
    const wlab_rounding *m = s->m;
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < m->P; c++)
            s->score[i * m->P + c] = cblas_ddot((int)m->r, m->V + i * m->r, 1, m->nodes + c * m->r, 1) +
                                     (m->simplex ? 1.0 / m->P : 0);
}

/* ---- the whole rounding ---- */

static int64_t count_used(const wlab_rounding *m)
{
    return m->kind == WL_ROUND_KMEANS && m->k > 0 ? m->k : m->P;
}

/* Copies as many leading eigenvectors as this rounding uses. */
static wlab_code use(rounding *s, const wlab_leading *l, wlab_err *err)
{
    const wlab_rounding *m = s->m;
    const int64_t count = count_used(m);
    s->k = count < l->k ? count : l->k;
    s->value = l->value;
    s->lead = wlab_alloc((size_t)(m->n * s->k), sizeof *s->lead);
    if (!s->lead)
        return wlab_nomem(err);
    for (int64_t i = 0; i < m->n; i++)
        memcpy(s->lead + i * s->k, l->row + i * l->k, (size_t)s->k * sizeof *s->lead);
    return WL_OK;
}

wlab_code wlab_round(const wlab_rounding *m, int32_t *label, double *score, wlab_ctx *ctx, wlab_err *err)
{
    rounding s = {.m = m};
    wlab_leading own = {0};
    wlab_code code = WL_OK;
    if (m->P < 2 || m->P > 64 || m->n < 1 || m->r < 1)
        return wlab_fail(err, WL_EARG, "%lld rows of %lld numbers cannot be rounded to %d classes",
                         (long long)m->n, (long long)m->r, m->P);
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted while labels were rounded");
    if ((code = check_finite(m, err)) ||
        (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        return code;
    s.score = wlab_alloc((size_t)(m->n * m->P), sizeof *s.score);
    if (!s.score) {
        code = wlab_nomem(err);
    } else if (m->kind == WL_ROUND_SPECTRAL && m->nodes) {
        by_nodes(&s);
    } else if ((m->leading || !(code = wlab_leading_make(&own, m, count_used(m), ctx, err))) &&
               !(code = use(&s, m->leading ? m->leading : &own, err))) {
        code = m->kind == WL_ROUND_KMEANS ? by_kmeans(&s, ctx, err) : by_axes(&s, err);
    }
    for (int64_t i = 0; !code && i < m->n; i++) {
        label[i] = -1;
        for (int c = 0; c < m->P; c++)
            if (is_allowed(m, i, c) && (label[i] < 0 || s.score[i * m->P + c] > s.score[i * m->P + label[i]]))
                label[i] = c;
    }
    if (!code && score)
        memcpy(score, s.score, (size_t)(m->n * m->P) * sizeof *score);
    wlab_leading_clear(&own);
    wlab_free(s.lead);
    wlab_free(s.score);
    return code;
}
