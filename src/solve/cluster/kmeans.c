/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means: runs Lloyd's iteration to convergence from every start and keeps the best result.
 */
#include "solve/cluster/kmeans.h"
#include "solve/cluster/lloyd.h"
#include "weaklab/matrix.h"

#include <math.h>
#include <string.h>

static wlab_code run_once(wlab_lloyd *s, wlab_lloyd_start *at, wlab_rng *rng, int64_t most, wlab_ctx *ctx,
                          wlab_progress *progress, wlab_err *err)
{
    int64_t moved = 0;
    wlab_code code = wlab_lloyd_seed(s, at, rng, ctx, progress, err);
    for (int64_t t = 0; !code; t++) {
        if ((code = wlab_lloyd_assign(s, at, &moved, ctx, progress, err)))
            break;
        wlab_progress_add(progress, 1);
        if (moved == 0 || t >= most)
            break;
        code = wlab_lloyd_centres(s, at, ctx, progress, err);
    }
    return code;
}

wlab_code wlab_kmeans_run(const wlab_kmeans *m, int32_t *label, double *centre, double *sum, wlab_ctx *ctx,
                          wlab_err *err)
{
    wlab_lloyd *s = NULL;
    wlab_lloyd_start now = {0}, kept = {0};
    wlab_progress progress;
    wlab_rng rng;
    double best = HUGE_VAL;
    wlab_code code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err);
    if (code || (code = wlab_lloyd_create(&s, m, ctx, err)) || (code = wlab_lloyd_start_make(&now, s, err)) ||
        (code = wlab_lloyd_start_make(&kept, s, err)))
        goto out;
    wlab_rng_seed(&rng, m->seed);
    wlab_progress_begin(&progress, ctx, "iterations of k-means", 0);
    for (int64_t r = 0; r < (m->restarts > 1 ? m->restarts : 1); r++) {
        if ((code = run_once(s, &now, &rng, m->most > 0 ? m->most : 100, ctx, &progress, err)))
            goto out;
        const double found = wlab_lloyd_sum(s, &now);
        if (r == 0 || found < best) {
            const wlab_lloyd_start swap = kept;
            best = found;
            kept = now;
            now = swap;
        }
    }
    memcpy(label, kept.label, (size_t)m->n * sizeof *label);
    for (int64_t i = 0; centre && i < m->k * m->d; i++)
        centre[i] = kept.centre[i] + wlab_lloyd_mean(s)[i % m->d];
    if (sum)
        *sum = best;
out:
    wlab_lloyd_start_clear(&now);
    wlab_lloyd_start_clear(&kept);
    wlab_lloyd_destroy(s);
    return code;
}
