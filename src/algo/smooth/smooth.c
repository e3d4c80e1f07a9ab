/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by algorithms that descend a differentiable objective: rows, evaluation, labels, the slice along a move.
 */
#include "algo/smooth/smooth.h"

#include <math.h>
#include <string.h>

void wlab_smooth_clear(smooth *s)
{
    wlab_lbfgs_destroy(s->at);
    wlab_centred_destroy(s->rows);
    wlab_free(s->y);
    wlab_free(s->o);
    wlab_free(s->before);
    wlab_free(s->z);
    wlab_free(s->to);
    wlab_problem_unref(s->p);
    *s = (smooth){0};
}

wlab_code wlab_smooth_create(smooth *s, const uint8_t *member, double b0, bool factor, wlab_ctx *ctx,
                             wlab_err *err)
{
    wlab_code code;

    s->n = s->p->n;
    for (int64_t i = 0; i < s->n; i++)
        s->l += s->p->visible[i] != 0;
    s->u = s->n - s->l;
    if (s->kernel.kind != WL_K_LINEAR || factor)
        if ((code = wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows",
                                     "use fewer rows, or kernel=linear and a method without a matrix", err)))
            return code;
    if ((code = wlab_centred_make(&s->rows, s->p, &s->kernel, member, b0, factor, ctx, err)) ||
        (code = wlab_lbfgs_create(&s->at, s->rows->dim, err)))
        return code;
    s->y = wlab_alloc((size_t)s->n, 1);
    s->o = wlab_calloc((size_t)s->n, sizeof *s->o);
    s->before = wlab_calloc((size_t)s->rows->dim + 1, sizeof *s->before);
    s->z = wlab_alloc((size_t)s->n, sizeof *s->z);
    s->to = wlab_alloc((size_t)s->n, sizeof *s->to);
    if (!s->y || !s->o || !s->before || !s->z || !s->to)
        return wlab_nomem(err);
    memcpy(s->y, s->p->visible, (size_t)s->n);
    wlab_centred_outputs(s->rows, s->at->w, s->o, ctx ? ctx->pool : NULL);
    return WL_OK;
}

static double square(const double *w, int64_t dim)
{
    double sum = 0;
    for (int64_t j = 0; j < dim; j++)
        sum += w[j] * w[j];
    return sum;
}

double wlab_smooth_value(const smooth *s, const double *w, const double *o)
{
    double sum = 0.5 * s->penalty * square(w, s->rows->dim);
    for (int64_t i = 0; i < s->n; i++)
        sum += s->loss(s->of, i, o[i]).value;
    return sum;
}

wlab_code wlab_smooth_evaluate(void *job, const double *w, double *f, double *g, wlab_err *err)
{
    const smooth_job *of = job;
    smooth *s = of->s;
    wlab_pool *pool = of->ctx ? of->ctx->pool : NULL;

    if (wlab_interrupted(of->ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    *f = 0.5 * s->penalty * square(w, s->rows->dim);
    wlab_centred_outputs(s->rows, w, s->to, pool);
    for (int64_t i = 0; i < s->n; i++) {
        const smooth_loss row = s->loss(s->of, i, s->to[i]);
        *f += row.value;
        s->z[i] = row.first;
    }
    wlab_code code = wlab_centred_transpose(s->rows, s->z, g, pool, err);
    for (int64_t j = 0; !code && j < s->rows->dim; j++)
        g[j] += s->penalty * w[j];
    return code;
}

void wlab_smooth_after_step(smooth *s, wlab_pool *pool)
{
    wlab_centred_outputs(s->rows, s->at->w, s->o, pool);
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = s->p->visible[i] ? s->p->visible[i] : s->o[i] > 0 ? 1 : -1;
        s->flips += y != s->y[i];
        s->y[i] = y;
    }
}

wlab_code wlab_smooth_model(const smooth *s, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    return wlab_centred_model(out, s->rows, s->at->w, ctx ? ctx->pool : NULL, err);
}

void wlab_smooth_walk(smooth *s, wlab_walk *w)
{
    WL_WALK(w, s->moved);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->step);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->y, s->n);
    WL_WALK_ARRAY(w, s->o, s->n);
    if (s->moved)
        WL_WALK_ARRAY(w, s->before, s->rows->dim);
    wlab_lbfgs_walk(s->at, w);
}

wlab_code wlab_smooth_slice(const smooth *s, wlab_probed *out, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t dim = s->rows->dim;

    if (!s->moved)
        return wlab_fail(err, WL_ESTATE, "w has not moved yet: `step` first");
    /* outputs are linear in w, so each point costs no pass over the data */
    double *from = wlab_alloc((size_t)s->n, sizeof *from), *o = wlab_alloc((size_t)s->n, sizeof *o),
           *w = wlab_alloc((size_t)dim + 1, sizeof *w);
    wlab_code code = from && o && w ? wlab_probed_make(out, WL_SLICE_POINTS, 2, err) : wlab_nomem(err);
    if (!code)
        wlab_centred_outputs(s->rows, s->before, from, ctx ? ctx->pool : NULL);
    for (int64_t k = 0; !code && k < WL_SLICE_POINTS; k++) {
        const double t = wlab_slice_place(k);
        for (int64_t i = 0; i < s->n; i++)
            o[i] = (1 - t) * from[i] + t * s->o[i];
        for (int64_t j = 0; j < dim; j++)
            w[j] = (1 - t) * s->before[j] + t * s->at->w[j];
        out->value[2 * k] = t;
        out->value[2 * k + 1] = wlab_smooth_value(s, w, o);
    }
    wlab_free(from);
    wlab_free(o);
    wlab_free(w);
    return code;
}
