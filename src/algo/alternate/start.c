/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The initial labels of the restarts.
 */
#include "algo/alignment.h"
#include "algo/alternate/alternate.h"
#include "algo/other.h"

#include <math.h>
#include <string.h>

/* Every restart has its own generator, so that its labels do not depend on the number of restarts. */
static void seed_restart(const alternate *s, int64_t k, wlab_rng *rng)
{
    wlab_rng_seed(rng, s->seed * 1000003 + (uint64_t)k);
}

/* s->alpha is 1 for every example. */
static wlab_code alignment(void *data, const int8_t *y, double *q, wlab_ctx *ctx, wlab_err *err)
{
    alternate *s = data;
    return well_quadratic(&s->w, s->alpha, y, q, ctx, err);
}

static wlab_code aligned(alternate *s, int64_t k, wlab_ctx *ctx, wlab_err *err)
{
    wlab_rng rng;
    seed_restart(s, k, &rng);
    for (int64_t i = 0; i < s->dual; i++)
        s->alpha[i] = 1;
    return wlab_aligned_labeling(s->w.p->labels, s->tries, &rng, alignment, s, s->drawn, s->y + k * s->n,
                                 &s->aligned[2 * k], &s->aligned[2 * k + 1], ctx, err);
}

/* The clusters of k-means in the same feature space, rounded into the label set. */
static wlab_code clusters(alternate *s, int8_t *y, wlab_ctx *ctx, wlab_err *err)
{
    static const char *const same[] = {"kernel", "gamma", "sigma", "degree", "coef0",
                                       "graph",  "rho",   "seed",  NULL};
    wlab_code code = wlab_other_outputs(s->w.p, "kmeans", s->given, same, s->f, ctx, err);
    return code ? code : wlab_labelset_argmax(s->w.p->labels, s->f, NULL, y, err);
}

/* WellSVM's first labeling: what the SVM on the given supervision rounds to. */
static wlab_code rounded_svm(alternate *s, int8_t *y, wlab_ctx *ctx, wlab_err *err)
{
    wlab_rng_seed(&s->w.rng, s->seed);
    s->w.svms = 0;
    wlab_code code = well_start(&s->w, ctx, err);
    if (!code)
        memcpy(y, s->w.pending, (size_t)s->n);
    return code;
}

static wlab_code first_labels(alternate *s, int64_t k, wlab_ctx *ctx, wlab_err *err)
{
    wlab_rng rng;
    if (s->start == ALT_ALIGNMENT)
        return aligned(s, k, ctx, err);
    if (s->start == ALT_SVM && k == 0)
        return rounded_svm(s, s->y, ctx, err);
    if (s->start == ALT_KMEANS && k == 0)
        return clusters(s, s->y, ctx, err);
    if (s->start == ALT_ONES && k == 0) {
        for (int64_t i = 0; i < s->n; i++)
            s->f[i] = 1;
        return wlab_labelset_argmax(s->w.p->labels, s->f, NULL, s->y, err);
    }
    seed_restart(s, k, &rng);
    wlab_labelset_random(s->w.p->labels, &rng, s->y + k * s->n);
    return WL_OK;
}

wlab_code alt_begin(alternate *s, wlab_ctx *ctx, wlab_err *err)
{
    for (int64_t k = 0; k < 2 * s->restarts; k++)
        s->aligned[k] = NAN;
    for (int64_t k = 0; k < s->restarts; k++) {
        wlab_code code = first_labels(s, k, ctx, err);
        if (code)
            return code;
    }
    for (int64_t k = 0; k < s->restarts; k++) { /* w = 0 */
        alt_restart *r = &s->r[k];
        memcpy(r->y, s->y + k * s->n, (size_t)s->n);
        r->alignment = s->aligned[2 * k];
        r->least = s->aligned[2 * k + 1];
        r->norm = 0;
        r->loss = r->first = alt_loss(s, r->f, 0, r->y);
    }
    memcpy(s->shown, s->r[0].y, (size_t)s->n);
    if (s->start == ALT_ALIGNMENT)
        wlab_emit_note(ctx,
                       "y'Ky of the %lld labelings drawn for restart 1: %.6g to %.6g, the largest begins",
                       (long long)s->tries, s->r[0].least, s->r[0].alignment);
    return WL_OK;
}
