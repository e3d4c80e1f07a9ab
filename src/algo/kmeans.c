/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means: distances by matrix products on blocks of rows, sums of clusters by their rows in order, so that the result is
 * the same for any number of threads.
 */
#include "algo/kmeans.h"
#include "base/progress.h"
#include "weaklab/matrix.h"
#include "weaklab/rng.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    ROWS = 256, /* whose distances to all centres are taken at once */
    NOWHERE = -1
};

typedef struct lloyd {
    const wlab_kmeans *m;
    double *X; /* [n x d] less the mean: distances by products lose nothing where the data are far from 0 */
    double *mean;     /* [d] */
    double *centre;   /* [k x d] */
    double *square;   /* [k] ||centre||^2 */
    int32_t *label;   /* [n] */
    double *distance; /* [n] squared, to the centre of label */
    int32_t *member;  /* [n] rows by cluster */
    int64_t *first;   /* [k + 1] where a cluster's begin */
    double *products; /* [blocks x ROWS x k] */
    int blocks;       /* pieces of work over rows: of n alone */
    int64_t *moved;   /* [blocks] */
    int32_t newest;   /* the centre that k-means++ chose last */
    wlab_rng rng;
} lloyd;

static bool may(const wlab_kmeans *m, int64_t i, int64_t c)
{
    return (!m->fixed || m->fixed[i] < 0 || m->fixed[i] == c) && (!m->allowed || m->allowed[i] >> c & 1);
}

/* The only cluster that row i may be of; NOWHERE: there are several. */
static int32_t only(const wlab_kmeans *m, int64_t i)
{
    if (m->fixed && m->fixed[i] >= 0)
        return m->fixed[i];
    if (m->allowed && (m->allowed[i] & (m->allowed[i] - 1)) == 0)
        return (int32_t)__builtin_ctzll(m->allowed[i]);
    return NOWHERE;
}

static double weight(const wlab_kmeans *m, int64_t i)
{
    return m->weight ? m->weight[i] : 1;
}

static double apart(const double *x, const double *c, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += (x[j] - c[j]) * (x[j] - c[j]);
    return sum;
}

/* ---- labels of centres ---- */

/* The cluster for row i, g_c = -2 x'c (of no meaning without columns).  Where it is it stays unless another is nearer: no
 * circles through rounding. */
static int32_t nearest(const lloyd *s, int64_t i, const double *g)
{
    const int32_t old = s->label[i];
    const bool any = !s->m->allowed, blank = s->m->d == 0;
    int32_t best = old;
    double least = blank || old < 0 ? HUGE_VAL : g[old] + s->square[old];
    if (blank && old >= 0)
        return old;
    for (int32_t c = 0; c < s->m->k; c++) {
        const double v = blank ? 0 : g[c] + s->square[c];
        if (v < least && (any || s->m->allowed[i] >> c & 1)) {
            least = v;
            best = c;
        }
    }
    return best;
}

static void assign_block(void *data, int b)
{
    lloyd *s = data;
    const wlab_kmeans *m = s->m;
    const int64_t k = m->k, d = m->d, end = wlab_block_begin(m->n, s->blocks, b + 1);
    double *G = s->products + (int64_t)b * ROWS * k;
    s->moved[b] = 0;
    for (int64_t from = wlab_block_begin(m->n, s->blocks, b); from < end; from += ROWS) {
        const int64_t rows = end - from < ROWS ? end - from : ROWS;
        if (d > 0)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)k, (int)d, -2,
                        s->X + from * d, (int)d, s->centre, (int)d, 0, G, (int)k);
        for (int64_t r = 0; r < rows; r++) {
            const int64_t i = from + r;
            const double *g = G + r * k;
            const int32_t bound = only(m, i), best = bound >= 0 ? bound : nearest(s, i, g);
            s->moved[b] += best != s->label[i];
            s->label[i] = best;
            s->distance[i] = apart(s->X + i * d, s->centre + best * d, d);
        }
    }
}

static int64_t assign(lloyd *s, wlab_pool *pool)
{
    int64_t moved = 0;
    for (int64_t c = 0; c < s->m->k; c++)
        s->square[c] = cblas_ddot((int)s->m->d, s->centre + c * s->m->d, 1, s->centre + c * s->m->d, 1);
    wlab_pool_run(pool, s->blocks, assign_block, s);
    for (int b = 0; b < s->blocks; b++)
        moved += s->moved[b];
    return moved;
}

/* ---- centres of labels ---- */

static void sort_members(lloyd *s)
{
    const wlab_kmeans *m = s->m;
    memset(s->first, 0, (size_t)(m->k + 1) * sizeof *s->first);
    for (int64_t i = 0; i < m->n; i++)
        if (s->label[i] >= 0)
            s->first[s->label[i] + 1]++;
    for (int64_t c = 0; c < m->k; c++)
        s->first[c + 1] += s->first[c];
    for (int64_t i = 0; i < m->n; i++)
        if (s->label[i] >= 0)
            s->member[s->first[s->label[i]]++] = (int32_t)i;
    for (int64_t c = m->k; c > 0; c--)
        s->first[c] = s->first[c - 1];
    s->first[0] = 0;
}

/* The weighted mean of cluster c's rows; without any weight the centre stays. */
static void mean_block(void *data, int block)
{
    lloyd *s = data;
    const wlab_kmeans *m = s->m;
    const int64_t c = block, d = m->d;
    double total = 0;
    for (int64_t t = s->first[c]; t < s->first[c + 1]; t++)
        total += weight(m, s->member[t]);
    if (!(total > 0))
        return;
    double *centre = s->centre + c * d;
    memset(centre, 0, (size_t)d * sizeof *centre);
    for (int64_t t = s->first[c]; t < s->first[c + 1]; t++) {
        const int64_t i = s->member[t];
        const double w = weight(m, i) / total;
        for (int64_t j = 0; j < d; j++)
            centre[j] += w * s->X[i * d + j];
    }
}

/* Clusters without rows take the farthest rows; whether any did. */
static bool fill_empty(lloyd *s)
{
    const wlab_kmeans *m = s->m;
    bool any = false;
    for (int32_t c = 0; c < m->k; c++) {
        if (s->first[c + 1] > s->first[c])
            continue;
        int64_t far = -1;
        for (int64_t i = 0; i < m->n; i++) {
            const int32_t now = s->label[i];
            if (only(m, i) < 0 && may(m, i, c) && s->distance[i] > 0 && weight(m, i) > 0 &&
                s->first[now + 1] - s->first[now] > 1 &&
                (far < 0 || weight(m, i) * s->distance[i] > weight(m, far) * s->distance[far]))
                far = i;
        }
        if (far < 0)
            continue;
        s->label[far] = c;
        s->distance[far] = 0;
        memcpy(s->centre + c * m->d, s->X + far * m->d, (size_t)m->d * sizeof *s->centre);
        sort_members(s);
        any = true;
    }
    return any;
}

/* ---- k-means++ ---- */

static void nearer_block(void *data, int b)
{
    lloyd *s = data;
    const wlab_kmeans *m = s->m;
    const int64_t d = m->d, end = wlab_block_begin(m->n, s->blocks, b + 1);
    for (int64_t i = wlab_block_begin(m->n, s->blocks, b); i < end; i++) {
        if (!may(m, i, s->newest))
            continue;
        const double v = apart(s->X + i * d, s->centre + s->newest * d, d);
        if (v < s->distance[i])
            s->distance[i] = v;
    }
}

/* A row for centre c, with probability proportional to its weight times the squared distance to the nearest centre; rows
 * for which there is none yet come first. */
static int64_t draw(lloyd *s, int32_t c)
{
    const wlab_kmeans *m = s->m;
    bool fresh = false;
    int64_t last = -1;
    double sum = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (may(m, i, c) && weight(m, i) > 0) {
            last = i;
            fresh = fresh || isinf(s->distance[i]);
            sum += isinf(s->distance[i]) ? 0 : weight(m, i) * s->distance[i];
        }
    const bool even = !fresh && !(sum > 0); /* every row is at a centre */
    if (fresh || even) {
        sum = 0;
        for (int64_t i = 0; i < m->n; i++)
            if (may(m, i, c) && (even || isinf(s->distance[i])))
                sum += weight(m, i);
    }
    double at = sum * wlab_rng_uniform(&s->rng);
    for (int64_t i = 0; i < m->n; i++) {
        if (!may(m, i, c) || !(weight(m, i) > 0) || (fresh && !isinf(s->distance[i])))
            continue;
        const double mass = weight(m, i) * (fresh || even ? 1 : s->distance[i]);
        if (mass > 0)
            last = i;
        if ((at -= mass) < 0)
            break;
    }
    return last;
}

static void seed_centres(lloyd *s, wlab_pool *pool)
{
    const wlab_kmeans *m = s->m;
    for (int64_t i = 0; i < m->n; i++) {
        s->distance[i] = HUGE_VAL;
        s->label[i] = only(m, i);
    }
    sort_members(s);
    memset(s->centre, 0, (size_t)(m->k * m->d) * sizeof *s->centre);
    for (int pass = 0; pass < 2; pass++) /* clusters with fixed rows begin at these */
        for (int32_t c = 0; c < m->k; c++) {
            const bool known = s->first[c + 1] > s->first[c];
            if (known != (pass == 0))
                continue;
            const int64_t i = known ? -1 : draw(s, c);
            if (known)
                mean_block(s, c);
            else if (i >= 0)
                memcpy(s->centre + c * m->d, s->X + i * m->d, (size_t)m->d * sizeof *s->centre);
            else
                continue; /* no row may be of it */
            s->newest = c;
            wlab_pool_run(pool, s->blocks, nearer_block, s);
        }
    for (int64_t i = 0; i < m->n; i++)
        s->label[i] = NOWHERE;
}

/* ---- all of it ---- */

static wlab_code check(const wlab_kmeans *m, wlab_err *err)
{
    double total = 0;
    if (m->k < 1 || m->k > m->n)
        return wlab_fail(err, WL_EARG, "%lld clusters of %lld rows: there may be 1 to as many as rows",
                         (long long)m->k, (long long)m->n);
    if (m->allowed && m->k > 64)
        return wlab_fail(err, WL_EARG, "sets of allowed clusters hold 64 at most, and k is %lld",
                         (long long)m->k);
    const uint64_t all = m->k >= 64 ? UINT64_MAX : (UINT64_C(1) << m->k) - 1;
    for (int64_t i = 0; i < m->n; i++) {
        if ((m->fixed && m->fixed[i] >= m->k) || (m->allowed && (m->allowed[i] == 0 || m->allowed[i] & ~all)))
            return wlab_fail(err, WL_EARG, "row %lld is bound to a cluster that there is not",
                             (long long)i + 1);
        if (!(weight(m, i) >= 0) || isinf(weight(m, i)))
            return wlab_fail(err, WL_EARG, "the weight of row %lld is not a number from 0 on",
                             (long long)i + 1);
        total += weight(m, i);
    }
    return total > 0 ? WL_OK : wlab_fail(err, WL_EARG, "all rows have weight 0");
}

static wlab_code prepare(lloyd *s, const wlab_kmeans *m, wlab_err *err)
{
    const size_t n = (size_t)m->n, k = (size_t)m->k, d = (size_t)m->d;
    double total = 0;
    s->m = m;
    s->blocks = (int)(n / ROWS > 32 ? 32 : n / ROWS + 1);
    s->X = wlab_alloc(n * d, sizeof *s->X);
    s->mean = wlab_calloc(d, sizeof *s->mean);
    s->centre = wlab_alloc(k * d, sizeof *s->centre);
    s->square = wlab_alloc(k, sizeof *s->square);
    s->label = wlab_alloc(n, sizeof *s->label);
    s->distance = wlab_alloc(n, sizeof *s->distance);
    s->member = wlab_alloc(n, sizeof *s->member);
    s->first = wlab_alloc(k + 1, sizeof *s->first);
    s->products = wlab_alloc((size_t)s->blocks * ROWS * k, sizeof *s->products);
    s->moved = wlab_alloc((size_t)s->blocks, sizeof *s->moved);
    if (!s->X || !s->mean || !s->centre || !s->square || !s->label || !s->distance || !s->member ||
        !s->first || !s->products || !s->moved)
        return wlab_nomem(err);
    for (size_t i = 0; i < n; i++)
        total += weight(m, (int64_t)i);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++)
            s->mean[j] += weight(m, (int64_t)i) / total * m->X[i * d + j];
    double most = 0;
    for (size_t i = 0; i < n * d; i++) {
        s->X[i] = m->X[i] - s->mean[i % d];
        most = fmax(most, isnan(s->X[i]) ? HUGE_VAL : fabs(s->X[i]));
    }
    return most * most * (double)(d + 1) < HUGE_VAL
               ? WL_OK
               : wlab_fail(err, WL_ENUMERIC, "distances are not finite numbers; scale the data");
}

static double sum_of(const lloyd *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->m->n; i++)
        sum += weight(s->m, i) * s->distance[i];
    return sum;
}

static wlab_code run_once(lloyd *s, wlab_ctx *ctx, wlab_progress *told, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const int64_t most = s->m->most > 0 ? s->m->most : 100;
    seed_centres(s, pool);
    for (int64_t t = 0;; t++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted while clusters were sought");
        const int64_t moved = assign(s, pool);
        sort_members(s);
        const bool filled = fill_empty(s);
        wlab_progress_add(told, 1);
        if ((moved == 0 && !filled) || t >= most)
            return WL_OK;
        wlab_pool_run(pool, (int)s->m->k, mean_block, s);
    }
}

wlab_code wlab_kmeans_run(const wlab_kmeans *m, int32_t *label, double *centre, double *sum, wlab_ctx *ctx,
                          wlab_err *err)
{
    lloyd s = {.m = m};
    wlab_progress told;
    double best = HUGE_VAL;
    int32_t *kept = NULL;
    double *at = NULL;
    wlab_code code = check(m, err);
    if (code)
        return code;
    wlab_blas_init();
    kept = wlab_alloc((size_t)m->n, sizeof *kept);
    at = wlab_alloc((size_t)(m->k * m->d), sizeof *at);
    code = kept && at ? prepare(&s, m, err) : wlab_nomem(err);
    wlab_rng_seed(&s.rng, m->seed);
    wlab_progress_begin(&told, ctx, "iterations of k-means", 0);
    for (int64_t r = 0; !code && r < (m->restarts > 1 ? m->restarts : 1); r++) {
        if ((code = run_once(&s, ctx, &told, err)))
            break;
        const double now = sum_of(&s);
        if (r == 0 || now < best) {
            best = now;
            memcpy(kept, s.label, (size_t)m->n * sizeof *kept);
            memcpy(at, s.centre, (size_t)(m->k * m->d) * sizeof *at);
        }
    }
    if (!code) {
        memcpy(label, kept, (size_t)m->n * sizeof *label);
        for (int64_t i = 0; centre && i < m->k * m->d; i++)
            centre[i] = at[i] + s.mean[i % m->d];
        if (sum)
            *sum = best;
    }
    wlab_free(kept);
    wlab_free(at);
    wlab_free(s.X);
    wlab_free(s.mean);
    wlab_free(s.centre);
    wlab_free(s.square);
    wlab_free(s.label);
    wlab_free(s.distance);
    wlab_free(s.member);
    wlab_free(s.first);
    wlab_free(s.products);
    wlab_free(s.moved);
    return code;
}
