/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lloyd's iteration.  Distances are computed by matrix products on blocks of rows, sums of clusters over their rows
 * in order, so that the result is the same for any number of threads.
 */
#include "solve/cluster/lloyd.h"
#include "base/progress.h"
#include "weaklab/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    ROWS = 256, /* rows whose distances to all centres are computed at once */
    NOWHERE = -1
};

struct wlab_lloyd {
    wlab_kmeans own;
    const wlab_kmeans *m;
    double *X; /* [n x d] minus the mean, so that distances by products stay accurate for data far from 0 */
    double *mean;         /* [d] */
    double *square;       /* [k] ||centre||^2 */
    int32_t *member;      /* [n] rows by cluster */
    int64_t *first;       /* [k + 1] index of each cluster's first row in member */
    double *products;     /* [blocks x ROWS x k] */
    int blocks;           /* pieces of work over rows; depends on n only */
    int64_t *moved;       /* [blocks] */
    int32_t newest;       /* the centre that k-means++ chose last */
    wlab_lloyd_start *at; /* this and the rest: of the current call */
    wlab_rng *rng;
    wlab_ctx *ctx;
    wlab_progress *progress;
    atomic_bool stopped;
};

typedef wlab_lloyd lloyd;

static void enter(lloyd *s, wlab_lloyd_start *at, wlab_ctx *ctx, wlab_progress *progress)
{
    s->at = at;
    s->ctx = ctx;
    s->progress = progress;
    atomic_store(&s->stopped, false);
}

/* Whether an interrupt came; also shows the caller's progress, as a single call may take seconds. */
static bool stopped(lloyd *s)
{
    if (wlab_interrupted(s->ctx))
        atomic_store(&s->stopped, true);
    wlab_progress_add(s->progress, 0);
    return atomic_load(&s->stopped);
}

static void run(lloyd *s, int blocks, void (*work)(void *, int))
{
    wlab_pool_run(s->ctx ? s->ctx->pool : NULL, blocks, work, s);
}

static bool may_join(const wlab_kmeans *m, int64_t i, int64_t c)
{
    return (!m->fixed || m->fixed[i] < 0 || m->fixed[i] == c) && (!m->allowed || m->allowed[i] >> c & 1);
}

/* The only cluster that row i may join; NOWHERE: there are several. */
static int32_t only_cluster(const wlab_kmeans *m, int64_t i)
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

static double square_distance(const double *x, const double *c, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += (x[j] - c[j]) * (x[j] - c[j]);
    return sum;
}

/* ---- labels of centres ---- */

/* The nearest cluster for row i, given g_c = -2 x'c (unused without columns).  The row leaves its cluster only if
 * another one is strictly nearer, so that rounding causes no cycles. */
static int32_t nearest(const lloyd *s, int64_t i, const double *g)
{
    const int32_t old = s->at->label[i];
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
    for (int64_t from = wlab_block_begin(m->n, s->blocks, b); from < end && !stopped(s); from += ROWS) {
        const int64_t rows = end - from < ROWS ? end - from : ROWS;
        if (d > 0)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)k, (int)d, -2,
                        s->X + from * d, (int)d, s->at->centre, (int)d, 0, G, (int)k);
        for (int64_t r = 0; r < rows; r++) {
            const int64_t i = from + r;
            const double *g = G + r * k;
            const int32_t bound = only_cluster(m, i), best = bound >= 0 ? bound : nearest(s, i, g);
            s->moved[b] += best != s->at->label[i];
            s->at->label[i] = best;
            s->at->distance[i] = square_distance(s->X + i * d, s->at->centre + best * d, d);
        }
    }
}

static int64_t assign(lloyd *s)
{
    int64_t moved = 0;
    for (int64_t c = 0; c < s->m->k; c++)
        s->square[c] =
            cblas_ddot((int)s->m->d, s->at->centre + c * s->m->d, 1, s->at->centre + c * s->m->d, 1);
    run(s, s->blocks, assign_block);
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
        if (s->at->label[i] >= 0)
            s->first[s->at->label[i] + 1]++;
    for (int64_t c = 0; c < m->k; c++)
        s->first[c + 1] += s->first[c];
    for (int64_t i = 0; i < m->n; i++)
        if (s->at->label[i] >= 0)
            s->member[s->first[s->at->label[i]]++] = (int32_t)i;
    for (int64_t c = m->k; c > 0; c--)
        s->first[c] = s->first[c - 1];
    s->first[0] = 0;
}

/* Moves the centre of cluster `block` to the weighted mean of its rows; if their weight is 0, the centre is
 * unchanged. */
static void mean_block(void *data, int block)
{
    lloyd *s = data;
    const wlab_kmeans *m = s->m;
    const int64_t c = block, d = m->d, each = wlab_look_every(d);
    double total = 0;
    for (int64_t t = s->first[c]; t < s->first[c + 1]; t++)
        total += weight(m, s->member[t]);
    if (!(total > 0))
        return;
    double *centre = s->at->centre + c * d;
    memset(centre, 0, (size_t)d * sizeof *centre);
    for (int64_t t = s->first[c]; t < s->first[c + 1]; t++) {
        const int64_t i = s->member[t];
        const double w = weight(m, i) / total;
        if ((t - s->first[c]) % each == 0 && stopped(s))
            return;
        for (int64_t j = 0; j < d; j++)
            centre[j] += w * s->X[i * d + j];
    }
}

/* Gives each empty cluster the row with the largest weight times squared distance from its centre, of those that may
 * join it; returns how many rows moved.  Sets `stopped` at an interrupt. */
static int64_t fill_empty(lloyd *s)
{
    const wlab_kmeans *m = s->m;
    int64_t filled = 0;
    for (int32_t c = 0; c < m->k; c++) {
        if (s->first[c + 1] > s->first[c])
            continue;
        if (stopped(s))
            break;
        int64_t far = -1;
        for (int64_t i = 0; i < m->n; i++) {
            const int32_t now = s->at->label[i];
            if (only_cluster(m, i) < 0 && may_join(m, i, c) && s->at->distance[i] > 0 && weight(m, i) > 0 &&
                s->first[now + 1] - s->first[now] > 1 &&
                (far < 0 || weight(m, i) * s->at->distance[i] > weight(m, far) * s->at->distance[far]))
                far = i;
        }
        if (far < 0)
            continue;
        s->at->label[far] = c;
        s->at->distance[far] = 0;
        memcpy(s->at->centre + c * m->d, s->X + far * m->d, (size_t)m->d * sizeof *s->at->centre);
        sort_members(s);
        filled++;
    }
    return filled;
}

/* ---- k-means++ ---- */

static void nearer_block(void *data, int b)
{
    lloyd *s = data;
    const wlab_kmeans *m = s->m;
    const int64_t d = m->d, end = wlab_block_begin(m->n, s->blocks, b + 1);
    if (stopped(s))
        return;
    for (int64_t i = wlab_block_begin(m->n, s->blocks, b); i < end; i++) {
        if (!may_join(m, i, s->newest))
            continue;
        const double v = square_distance(s->X + i * d, s->at->centre + s->newest * d, d);
        if (v < s->at->distance[i])
            s->at->distance[i] = v;
    }
}

/* Draws a row for centre c, with probability proportional to its weight times the squared distance to the nearest
 * centre that it may join.  If there are rows that may join none of the centres drawn so far, it draws one of these, by
 * weight. */
static int64_t draw_row(lloyd *s, int32_t c)
{
    const wlab_kmeans *m = s->m;
    bool fresh = false;
    int64_t last = -1;
    double sum = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (may_join(m, i, c) && weight(m, i) > 0) {
            last = i;
            fresh = fresh || isinf(s->at->distance[i]);
            sum += isinf(s->at->distance[i]) ? 0 : weight(m, i) * s->at->distance[i];
        }
    const bool even = !fresh && !(sum > 0); /* every row coincides with a centre: draw by weight */
    if (fresh || even) {
        sum = 0;
        for (int64_t i = 0; i < m->n; i++)
            if (may_join(m, i, c) && (even || isinf(s->at->distance[i])))
                sum += weight(m, i);
    }
    double at = sum * wlab_rng_uniform(s->rng);
    for (int64_t i = 0; i < m->n; i++) {
        if (!may_join(m, i, c) || !(weight(m, i) > 0) || (fresh && !isinf(s->at->distance[i])))
            continue;
        const double mass = weight(m, i) * (fresh || even ? 1 : s->at->distance[i]);
        if (mass > 0)
            last = i;
        if ((at -= mass) < 0)
            break;
    }
    return last;
}

static void seed_centres(lloyd *s)
{
    const wlab_kmeans *m = s->m;
    for (int64_t i = 0; i < m->n; i++) {
        s->at->distance[i] = HUGE_VAL;
        s->at->label[i] = only_cluster(m, i);
    }
    sort_members(s);
    memset(s->at->centre, 0, (size_t)(m->k * m->d) * sizeof *s->at->centre);
    for (int pass = 0; pass < 2;
         pass++) /* first the clusters of rows that may join no other, at the mean of these */
        for (int32_t c = 0; c < m->k && !atomic_load(&s->stopped); c++) {
            const bool known = s->first[c + 1] > s->first[c];
            if (known != (pass == 0))
                continue;
            const int64_t i = known ? -1 : draw_row(s, c);
            if (known)
                mean_block(s, c);
            else if (i >= 0)
                memcpy(s->at->centre + c * m->d, s->X + i * m->d, (size_t)m->d * sizeof *s->at->centre);
            else
                continue; /* no row may join it */
            s->newest = c;
            run(s, s->blocks, nearer_block);
        }
    for (int64_t i = 0; i < m->n; i++)
        s->at->label[i] = NOWHERE;
}

/* ---- creation ---- */

static wlab_code check_arguments(const wlab_kmeans *m, wlab_err *err)
{
    double total = 0;
    if (m->k < 1 || m->k > m->n)
        return wlab_fail(err, WL_EARG,
                         "%lld clusters of %lld rows: use at least 1 and at most as many as rows",
                         (long long)m->k, (long long)m->n);
    if (m->allowed && m->k > 64)
        return wlab_fail(err, WL_EARG, "restrictions to clusters need k <= 64, and k is %lld",
                         (long long)m->k);
    const uint64_t all = m->k >= 64 ? UINT64_MAX : (UINT64_C(1) << m->k) - 1;
    for (int64_t i = 0; i < m->n; i++) {
        if ((m->fixed && m->fixed[i] >= m->k) || (m->allowed && (m->allowed[i] == 0 || m->allowed[i] & ~all)))
            return wlab_fail(err, WL_EARG, "row %lld is restricted to a cluster that does not exist",
                             (long long)i + 1);
        if (!(weight(m, i) >= 0) || isinf(weight(m, i)))
            return wlab_fail(err, WL_EARG, "the weight of row %lld is not a finite number >= 0",
                             (long long)i + 1);
        total += weight(m, i);
    }
    return total > 0 ? WL_OK : wlab_fail(err, WL_EARG, "all rows have weight 0");
}

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted in k-means");
}

static wlab_code prepare(lloyd *s, const wlab_kmeans *m, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)m->n, k = (size_t)m->k, d = (size_t)m->d,
                 each = (size_t)wlab_look_every(8 * m->d); /* memory is slow when it is first touched */
    double total = 0;
    wlab_progress progress;
    s->own = *m;
    s->m = &s->own;
    s->blocks = (int)(n / ROWS > 32 ? 32 : n / ROWS + 1);
    s->X = wlab_alloc(n * d, sizeof *s->X);
    s->mean = wlab_calloc(d, sizeof *s->mean);
    s->square = wlab_alloc(k, sizeof *s->square);
    s->member = wlab_alloc(n, sizeof *s->member);
    s->first = wlab_alloc(k + 1, sizeof *s->first);
    s->products = wlab_alloc((size_t)s->blocks * ROWS * k, sizeof *s->products);
    s->moved = wlab_alloc((size_t)s->blocks, sizeof *s->moved);
    if (!s->X || !s->mean || !s->square || !s->member || !s->first || !s->products || !s->moved)
        return wlab_nomem(err);
    for (size_t i = 0; i < n; i++)
        total += weight(m, (int64_t)i);
    wlab_progress_begin(&progress, ctx, "rows", 2 * m->n);
    enter(s, NULL, ctx, &progress);
    for (size_t i = 0; i < n; i++) {
        if (i % each == 0 && stopped(s))
            return interrupted(err);
        for (size_t j = 0; j < d; j++)
            s->mean[j] += weight(m, (int64_t)i) / total * m->X[i * d + j];
    }
    wlab_progress_add(&progress, m->n);
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % each == 0 && stopped(s))
            return interrupted(err);
        for (size_t j = 0; j < d; j++) {
            const double x = s->X[i * d + j] = m->X[i * d + j] - s->mean[j];
            most = fmax(most, isnan(x) ? HUGE_VAL : fabs(x));
        }
    }
    return most * most * (double)(d + 1) < HUGE_VAL
               ? WL_OK
               : wlab_fail(err, WL_ENUMERIC, "distances are not finite numbers; scale the data");
}

wlab_code wlab_lloyd_create(wlab_lloyd **out, const wlab_kmeans *m, wlab_ctx *ctx, wlab_err *err)
{
    lloyd *s = NULL;
    wlab_code code = check_arguments(m, err);
    *out = NULL;
    if (code ||
        (code = wlab_blas_init(1, err))) /* the caller has prepared BLAS for the threads of its pool */
        return code;
    s = wlab_calloc(1, sizeof *s);
    code = s ? prepare(s, m, ctx, err) : wlab_nomem(err);
    if (code)
        wlab_lloyd_destroy(s);
    else
        *out = s;
    return code;
}

void wlab_lloyd_destroy(wlab_lloyd *s)
{
    if (!s)
        return;
    wlab_free(s->X);
    wlab_free(s->mean);
    wlab_free(s->square);
    wlab_free(s->member);
    wlab_free(s->first);
    wlab_free(s->products);
    wlab_free(s->moved);
    wlab_free(s);
}

wlab_code wlab_lloyd_start_make(wlab_lloyd_start *at, const wlab_lloyd *s, wlab_err *err)
{
    const size_t n = (size_t)s->m->n;
    at->label = wlab_calloc(n, sizeof *at->label);
    at->centre = wlab_calloc((size_t)(s->m->k * s->m->d), sizeof *at->centre);
    at->distance = wlab_calloc(n, sizeof *at->distance);
    if (at->label && at->centre && at->distance)
        return WL_OK;
    wlab_lloyd_start_clear(at);
    return wlab_nomem(err);
}

void wlab_lloyd_start_clear(wlab_lloyd_start *at)
{
    wlab_free(at->label);
    wlab_free(at->centre);
    wlab_free(at->distance);
    *at = (wlab_lloyd_start){0};
}

void wlab_lloyd_start_copy(wlab_lloyd_start *to, const wlab_lloyd_start *from, const wlab_lloyd *s)
{
    const size_t n = (size_t)s->m->n;
    memcpy(to->label, from->label, n * sizeof *to->label);
    memcpy(to->centre, from->centre, (size_t)(s->m->k * s->m->d) * sizeof *to->centre);
    memcpy(to->distance, from->distance, n * sizeof *to->distance);
}

/* ---- steps ---- */

wlab_code wlab_lloyd_seed(wlab_lloyd *s, wlab_lloyd_start *at, wlab_rng *rng, wlab_ctx *ctx,
                          wlab_progress *progress, wlab_err *err)
{
    enter(s, at, ctx, progress);
    s->rng = rng;
    seed_centres(s);
    return atomic_load(&s->stopped) ? interrupted(err) : WL_OK;
}

wlab_code wlab_lloyd_assign(wlab_lloyd *s, wlab_lloyd_start *at, int64_t *moved, wlab_ctx *ctx,
                            wlab_progress *progress, wlab_err *err)
{
    enter(s, at, ctx, progress);
    *moved = assign(s);
    if (!atomic_load(&s->stopped)) {
        sort_members(s);
        *moved += fill_empty(s);
    }
    return atomic_load(&s->stopped) ? interrupted(err) : WL_OK;
}

wlab_code wlab_lloyd_centres(wlab_lloyd *s, wlab_lloyd_start *at, wlab_ctx *ctx, wlab_progress *progress,
                             wlab_err *err)
{
    enter(s, at, ctx, progress);
    sort_members(s);
    run(s, (int)s->m->k, mean_block);
    return atomic_load(&s->stopped) ? interrupted(err) : WL_OK;
}

static void measure_block(void *data, int b)
{
    lloyd *s = data;
    const int64_t d = s->m->d, end = wlab_block_begin(s->m->n, s->blocks, b + 1);
    if (stopped(s))
        return;
    for (int64_t i = wlab_block_begin(s->m->n, s->blocks, b); i < end; i++)
        s->at->distance[i] = square_distance(s->X + i * d, s->at->centre + s->at->label[i] * d, d);
}

wlab_code wlab_lloyd_measure(wlab_lloyd *s, wlab_lloyd_start *at, wlab_ctx *ctx, wlab_progress *progress,
                             wlab_err *err)
{
    enter(s, at, ctx, progress);
    run(s, s->blocks, measure_block);
    return atomic_load(&s->stopped) ? interrupted(err) : WL_OK;
}

double wlab_lloyd_sum(const wlab_lloyd *s, const wlab_lloyd_start *at)
{
    double sum = 0;
    for (int64_t i = 0; i < s->m->n; i++)
        sum += weight(s->m, i) * at->distance[i];
    return sum;
}

const double *wlab_lloyd_mean(const wlab_lloyd *s)
{
    return s->mean;
}

const double *wlab_lloyd_rows(const wlab_lloyd *s)
{
    return s->X;
}
