/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp with fewer points than rows: the relaxation works on k-means centres or on a subset of the rows, and EM
 * on all rows (Section 4 of Joulin and Bach: "on subsets of instances or on pre-clustering").  Rows with different
 * candidates never share a point.
 */
#include "algo/softmax/sdp.h"
#include "solve/cluster/kmeans.h"

#include <stdlib.h>
#include <string.h>

void sdp_points_clear(sdp_points *q)
{
    if (q->own) {
        wlab_free(q->X);
        wlab_free(q->pi);
        wlab_free(q->allowed);
        wlab_free(q->hard);
    }
    wlab_free(q->of);
    *q = (sdp_points){0};
}

/* Rows with the same candidates, and how many points they get. */
typedef struct kind {
    uint64_t allowed;
    int64_t rows, points;
} kind;

static int64_t kind_of(const kind *k, int64_t kinds, uint64_t allowed)
{
    for (int64_t i = 0; i < kinds; i++)
        if (k[i].allowed == allowed)
            return i;
    return kinds;
}

/* Distributes the points among the kinds in proportion to their rows, at least one to each.  The points that are left
 * go, one by one, to the kind with the most rows per point at that time. */
static void distribute_points(kind *k, int64_t kinds, int64_t rows, int64_t most)
{
    int64_t distributed = 0;
    for (int64_t i = 0; i < kinds; i++) {
        k[i].points = (int64_t)((double)most * (double)k[i].rows / (double)rows);
        k[i].points = k[i].points < 1 ? 1 : k[i].points;
        distributed += k[i].points;
    }
    while (distributed < most) {
        int64_t best = -1;
        for (int64_t i = 0; i < kinds; i++)
            if (k[i].points < k[i].rows && (best < 0 || (double)k[i].rows * (double)k[best].points >
                                                            (double)k[best].rows * (double)k[i].points))
                best = i;
        if (best < 0)
            return;
        k[best].points++;
        distributed++;
    }
}

/* Makes the points of one kind, from number `first` on: centres of k-means. */
static wlab_code points_by_kmeans(sdp *s, const kind *k, const int32_t *row, int64_t first, wlab_ctx *ctx,
                                  wlab_err *err)
{
    const int64_t d = s->features->r;
    sdp_points *q = &s->points;
    wlab_code code = WL_OK;
    double *X = wlab_alloc((size_t)(k->rows * d), sizeof *X),
           *weight = wlab_alloc((size_t)k->rows, sizeof *weight);
    int32_t *label = wlab_alloc((size_t)k->rows, sizeof *label);
    if (!X || !weight || !label) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < k->rows; i++) {
        memcpy(X + i * d, s->features->Phi + row[i] * d, (size_t)d * sizeof *X);
        weight[i] = s->rows.pi[row[i]];
    }
    const wlab_kmeans km = {
        .X = X, .n = k->rows, .d = d, .k = k->points, .weight = weight, .restarts = 1, .seed = s->seed};
    if ((code = wlab_kmeans_run(&km, label, q->X + first * d, NULL, ctx, err)))
        goto out;
    for (int64_t i = 0; i < k->rows; i++) {
        q->of[row[i]] = (int32_t)(first + label[i]);
        q->pi[first + label[i]] += weight[i];
    }
out:
    wlab_free(X);
    wlab_free(weight);
    wlab_free(label);
    return code;
}

/* Makes the points of one kind: rows drawn without replacement, whose weights are scaled up to the weight of all rows
 * of the kind. */
static void points_by_subset(sdp *s, const kind *k, int32_t *row, int64_t first, wlab_rng *rng)
{
    const int64_t d = s->features->r;
    sdp_points *q = &s->points;
    double all = 0, mine = 0;
    for (int64_t i = 0; i < k->rows; i++)
        all += s->rows.pi[row[i]];
    wlab_rng_shuffle(rng, row, (size_t)k->rows);
    for (int64_t i = 0; i < k->points; i++)
        mine += s->rows.pi[row[i]];
    for (int64_t i = 0; i < k->points; i++) {
        memcpy(q->X + (first + i) * d, s->features->Phi + row[i] * d, (size_t)d * sizeof *q->X);
        q->pi[first + i] = s->rows.pi[row[i]] * (all / mine);
        q->of[row[i]] = (int32_t)(first + i);
    }
}

static wlab_code reduce(sdp *s, sdp_reduce how, int64_t most, kind *k, int32_t *row, wlab_ctx *ctx,
                        wlab_err *err)
{
    sdp_points *q = &s->points;
    int64_t kinds = 0, n = 0;
    wlab_code code = WL_OK;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t at = kind_of(k, kinds, s->rows.allowed[i]);
        if (at == kinds)
            k[kinds++] = (kind){.allowed = s->rows.allowed[i]};
        k[at].rows++;
    }
    if (kinds > most)
        return wlab_fail(
            err, WL_EARG,
            "points=%lld: the rows have %lld different sets of candidates, and each needs a point",
            (long long)most, (long long)kinds);
    distribute_points(k, kinds, s->n, most);
    for (int64_t i = 0; i < kinds; i++)
        n += k[i].points;
    q->n = n;
    q->own = true;
    q->X = wlab_alloc((size_t)(n * s->features->r), sizeof *q->X);
    q->pi = wlab_calloc((size_t)n, sizeof *q->pi);
    q->allowed = wlab_alloc((size_t)n, sizeof *q->allowed);
    q->of = wlab_alloc((size_t)s->n, sizeof *q->of);
    if (s->rows.hard)
        q->hard = wlab_calloc((size_t)n, sizeof *q->hard);
    if (!q->X || !q->pi || !q->allowed || !q->of || (s->rows.hard && !q->hard))
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++)
        q->of[i] = -1;
    wlab_rng rng;
    wlab_rng_seed(&rng, s->seed);
    for (int64_t at = 0, first = 0; at < kinds && !code; first += k[at++].points) {
        int64_t rows = 0;
        for (int64_t i = 0; i < s->n; i++)
            if (s->rows.allowed[i] == k[at].allowed)
                row[rows++] = (int32_t)i;
        for (int64_t i = 0; i < k[at].points; i++) {
            q->allowed[first + i] = k[at].allowed;
            if (q->hard)
                q->hard[first + i] = k[at].allowed == 1;
        }
        if (how == SDP_KMEANS)
            code = points_by_kmeans(s, &k[at], row, first, ctx, err);
        else
            points_by_subset(s, &k[at], row, first, &rng);
    }
    return code;
}

wlab_code sdp_points_make(sdp *s, sdp_reduce how, int64_t most, wlab_ctx *ctx, wlab_err *err)
{
    if (how == SDP_ALL || s->n <= most) {
        s->points = (sdp_points){.n = s->n,
                                 .X = s->features->Phi,
                                 .pi = s->rows.pi,
                                 .allowed = s->rows.allowed,
                                 .hard = s->rows.hard,
                                 .bag = s->rows.bag};
        return WL_OK;
    }
    kind *k = wlab_calloc((size_t)s->n, sizeof *k);
    int32_t *row = wlab_alloc((size_t)s->n, sizeof *row);
    wlab_code code = k && row ? reduce(s, how, most, k, row, ctx, err) : wlab_nomem(err);
    wlab_free(k);
    wlab_free(row);
    return code;
}
