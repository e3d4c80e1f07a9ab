/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound: the pool of labelings with a trained SVM, among them the incumbent, and the local search around
 * it.
 */
#include "algo/wellsvm/bb.h"

#include <string.h>

enum {
    TRIED = 8 /* exchanges on which an SVM is trained */
};

static wlab_code reserve_pool(bb_state *s, wlab_err *err)
{
    if (s->count < s->cap)
        return WL_OK;
    int64_t cap = s->cap ? 2 * s->cap : 64;
    int8_t *y = wlab_realloc(s->y, (size_t)cap, (size_t)s->w.n);
    if (!y)
        return wlab_nomem(err);
    s->y = y;
    double *value = wlab_realloc(s->value, (size_t)cap, sizeof *value);
    if (!value)
        return wlab_nomem(err);
    s->value = value;
    double *floor = wlab_realloc(s->floor, (size_t)cap, sizeof *floor);
    if (!floor)
        return wlab_nomem(err);
    s->floor = floor;
    s->cap = cap;
    return WL_OK;
}

wlab_code bb_try(bb_state *s, const int8_t *y, int64_t *at, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    size_t n = (size_t)w->n, m = (size_t)w->m;
    const double one = 1;
    double q = 0;
    well_point point = {.q = &q};
    wlab_code code;

    for (int64_t t = 0; t < s->count; t++)
        if (memcmp(s->y + t * w->n, y, n) == 0) {
            *at = t;
            return WL_OK;
        }
    if ((code = reserve_pool(s, err)))
        return code;
    point.alpha = wlab_alloc(m, sizeof *point.alpha);
    if (!point.alpha)
        return wlab_nomem(err);
    memcpy(point.alpha, s->at.alpha, m * sizeof *point.alpha);
    if ((code = well_solve(w, y, 1, &one, 1e-11, &point, ctx, err)))
        goto out;
    s->svms++;
    double up = well_upper(w, &point) + well_rounding(w, &point);
    if (!isfinite(up)) {
        code = wlab_fail(err, WL_ENUMERIC, "the objective of a labeling is not finite; scale the data");
        goto out;
    }
    *at = s->count++;
    memcpy(s->y + *at * w->n, y, n);
    s->value[*at] = up;
    s->floor[*at] = well_scaled(w, point.dual) - well_rounding(w, &point);
    if (s->best < 0 || up < s->upper) {
        memcpy(s->at.alpha, point.alpha, m * sizeof *point.alpha);
        *s->at.q = q;
        s->at.S = point.S, s->at.D = point.D;
        s->at.dual = point.dual, s->at.primal = point.primal;
        s->improved += s->best >= 0;
        s->best = *at;
        s->upper = up;
    }
out:
    wlab_free(point.alpha);
    return code;
}

typedef struct exchange {
    double q; /* y'Hy after the exchange, at the incumbent's alpha */
    int64_t i, j;
} exchange;

/* Inserts e into top, which holds the TRIED exchanges with the largest q in descending order; ties: the earlier
 * first. */
static void offer_exchange(exchange *top, int *n, exchange e)
{
    int at = *n;
    while (at > 0 && top[at - 1].q < e.q)
        at--;
    if (at == TRIED)
        return;
    if (*n < TRIED)
        ++*n;
    memmove(top + at + 1, top + at, (size_t)(*n - at - 1) * sizeof *top);
    top[at] = e;
}

/* top: the exchanges at the incumbent with the largest y'Hy.  They have the smallest G(alpha, y), a lower bound of
 * the objective of y. */
static wlab_code candidates(bb_state *s, const wlab_labelset *B, exchange *top, int *found, wlab_ctx *ctx,
                            wlab_err *err)
{
    wellsvm *w = &s->w;
    const int8_t *y = s->y + s->best * w->n;
    const int32_t *example = w->p->example;
    const double *a = s->at.alpha;
    double q;
    wlab_code code = well_quadratic(w, a, y, &q, ctx, err); /* kb = K beta */
    if (code)
        return code;
    *found = 0;
    for (int64_t g = 0; g < B->groups; g++)
        for (int64_t u = B->start[g]; u < B->start[g + 1]; u++) {
            int64_t i = B->member[u];
            double ai = a[example[i]], Kii = w->K[i * w->n + i];
            if (B->low[g] != 0 && wlab_labelset_may_flip(B, y, i)) {
                double d = -2.0 * y[i] * ai;
                offer_exchange(top, found, (exchange){q + 2 * d * w->kb[i] + d * d * Kii, i, -1});
            }
            for (int64_t v = u + 1; v < B->start[g + 1]; v++) {
                int64_t j = B->member[v];
                double aj = a[example[j]], Kij = w->K[i * w->n + j], Kjj = w->K[j * w->n + j];
                double di = (y[j] - y[i]) * ai, dj = (y[i] - y[j]) * aj;
                if (y[i] != y[j])
                    offer_exchange(top, found,
                                   (exchange){q + 2 * (di * w->kb[i] + dj * w->kb[j]) + di * di * Kii +
                                                  dj * dj * Kjj + 2 * di * dj * Kij,
                                              i, j});
            }
        }
    return WL_OK;
}

wlab_code bb_improve(bb_state *s, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    const wlab_labelset *B = w->p->labels;
    exchange top[TRIED + 1];
    wlab_code code = WL_OK;
    int8_t *y = wlab_alloc((size_t)w->n, 1);
    int64_t at = 0;
    if (!y)
        return wlab_nomem(err);
    for (bool gained = true; gained && !code;) {
        int64_t best = s->best;
        int n = 0;
        if ((code = candidates(s, B, top, &n, ctx, err)))
            break;
        for (int k = 0; k < n && s->best == best && !code; k++) {
            memcpy(y, s->y + best * w->n, (size_t)w->n);
            int8_t keep = y[top[k].i];
            y[top[k].i] = top[k].j < 0 ? (int8_t)-keep : y[top[k].j];
            if (top[k].j >= 0)
                y[top[k].j] = keep;
            code = bb_try(s, y, &at, ctx, err);
        }
        gained = s->best != best;
        if (!code && wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    }
    wlab_free(y);
    return code;
}
