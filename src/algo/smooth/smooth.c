/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by algorithms that descend a differentiable objective: rows, evaluation, labels, the slice along a move.
 */
#include "algo/smooth/smooth.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

void wlab_smooth_clear(smooth *s)
{
    wlab_lbfgs_destroy(s->at);
    wlab_centred_destroy(s->rows);
    wlab_free(s->y);
    wlab_free(s->o);
    wlab_free(s->before);
    wlab_free(s->old);
    wlab_free(s->z);
    wlab_free(s->to);
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
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
    s->old = wlab_calloc((size_t)s->rows->dim + 1, sizeof *s->old);
    s->z = wlab_alloc((size_t)s->n, sizeof *s->z);
    s->to = wlab_alloc((size_t)s->n, sizeof *s->to);
    if (!s->y || !s->o || !s->before || !s->old || !s->z || !s->to)
        return wlab_nomem(err);
    memcpy(s->y, s->p->visible, (size_t)s->n);
    s->objective = s->gradient = s->length = s->lower = NAN;
    s->upper = INFINITY;
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

double wlab_smooth_norm(const smooth *s)
{
    return 0.5 * s->penalty * square(s->at->w, s->rows->dim);
}

double wlab_smooth_value(const smooth *s, const double *w, const double *o)
{
    double sum = 0.5 * s->penalty * square(w, s->rows->dim);
    if (s->data)
        return sum + s->data(s->of, o, NULL);
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
    if (s->data)
        *f += s->data(s->of, s->to, s->z);
    for (int64_t i = 0; !s->data && i < s->n; i++) {
        const smooth_loss row = s->loss(s->of, i, s->to[i]);
        *f += row.value;
        s->z[i] = row.first;
    }
    wlab_code code = wlab_centred_transpose(s->rows, s->z, g, pool, err);
    for (int64_t j = 0; !code && j < s->rows->dim; j++)
        g[j] += s->penalty * w[j];
    return code;
}

/* After w moved: outputs, labels and flips. */
static void after_step(smooth *s, wlab_pool *pool)
{
    wlab_centred_outputs(s->rows, s->at->w, s->o, pool);
    s->flips = 0;
    s->cut = s->threshold ? s->threshold(s->of) : 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = s->p->visible[i] ? s->p->visible[i] : s->o[i] > s->cut ? 1 : -1;
        s->flips += y != s->y[i];
        s->y[i] = y;
    }
}

/* ---- levels ---- */

void wlab_smooth_set(smooth *s, const wlab_params *given)
{
    s->iterations = wlab_params_int(given, "iterations");
    s->eps = wlab_params_real(given, "eps");
    if (s->finished && s->verdict == WL_LIMIT && s->tries < s->iterations)
        s->finished = s->level_done = false; /* the last level continues */
}

/* The next level: its function is new, its start is the current w. */
static void prepare_level(smooth *s)
{
    s->level++;
    s->tries = 0;
    s->level_done = false;
    s->set_level(s->of);
    wlab_lbfgs_start(s->at);
}

void wlab_smooth_again(smooth *s)
{
    s->level = s->tries = 0;
    s->level_done = s->finished = s->decided = false;
    s->verdict = WL_MORE;
    s->upper = INFINITY;
    s->lower = NAN;
    s->set_level(s->of);
    wlab_lbfgs_start(s->at);
}

static bool stationary(const smooth *s)
{
    return s->minimal ? s->minimal(s->of) : s->at->gradient <= s->eps * (1 + fabs(s->at->f));
}

/* Judges the level after an iteration. */
static void judge(smooth *s, wlab_ctx *ctx)
{
    const bool exact = stationary(s);

    s->level_done = exact || s->at->stalled || s->tries >= s->iterations;
    if (!s->level_done)
        return;
    s->verdict = exact ? WL_CONVERGED : s->at->stalled ? WL_STALLED : WL_LIMIT;
    if (s->level == 0 && !s->minimal)
        s->lower = fmax(0, s->at->f - s->at->gradient * s->at->gradient / (2 * s->penalty));
    s->finished = s->level == s->levels || s->decided;
    if (s->finished && s->verdict == WL_LIMIT)
        wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                       (long long)s->iterations, 2 * (long long)s->iterations);
    if (s->finished && s->verdict == WL_STALLED)
        wlab_emit_note(ctx,
                       "no step lowers the objective in double precision: the norm of the gradient is %.2g",
                       s->at->gradient);
}

const char *wlab_smooth_reached(const smooth *s)
{
    return !s->level_done               ? ""
           : s->verdict == WL_CONVERGED ? "  The gradient is small enough: the level is complete."
           : s->verdict == WL_STALLED   ? "  No step lowers the objective in double precision."
                                        : "  The limit iterations= ended the level.";
}

const char *wlab_smooth_changed(const smooth *s, char buf[WL_SMOOTH_CHANGED])
{
    *buf = 0;
    if (s->step > 1)
        snprintf(buf, WL_SMOOTH_CHANGED, "  %lld of %lld unlabelled rows changed their sign.",
                 (long long)s->flips, (long long)s->u);
    return buf;
}

const char *wlab_smooth_why(const smooth *s)
{
    return s->verdict == WL_CONVERGED ? "the last level's minimum was found"
           : s->verdict == WL_LIMIT   ? "the limit iterations= was reached; `set iterations=` continues"
                                      : "no step lowers the objective in double precision";
}

static wlab_step report(const smooth *s)
{
    return (wlab_step){.complete = true,
                       .verdict = s->finished ? s->verdict : WL_MORE,
                       .phase = s->level,
                       .phase_complete = s->level_done};
}

/* An iteration of the method; none if w is already a minimum of the level. */
static wlab_code iterate(smooth *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_lbfgs *at = s->at;
    smooth_job job = {s, ctx};
    wlab_code code = wlab_lbfgs_evaluate(at, wlab_smooth_evaluate, &job, err);

    if (code)
        return code;
    if (stationary(s)) {
        at->length = 0;
        return WL_OK;
    }
    memcpy(s->old, at->w, (size_t)at->dim * sizeof *s->old);
    code = s->iterate ? s->iterate(s->of, ctx, err) : wlab_lbfgs_iterate(at, wlab_smooth_evaluate, &job, err);
    if (!code && !at->stalled) {
        memcpy(s->before, s->old, (size_t)at->dim * sizeof *s->old);
        s->moved = true;
    }
    return code;
}

wlab_code wlab_smooth_advance(smooth *s, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    const double from = wlab_seconds_now();
    wlab_code code;

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->level_done) { /* a unit of its own, because the iteration may fail or be interrupted */
        prepare_level(s);
    } else {
        if ((code = iterate(s, ctx, err)))
            return code;
        s->tries++;
        s->step++;
        after_step(s, ctx ? ctx->pool : NULL);
        s->objective = s->at->f;
        s->gradient = s->at->gradient;
        s->length = s->at->length;
        s->evaluations = s->at->evaluations;
        s->measure(s->of);
        judge(s, ctx);
        *step = report(s);
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

wlab_code wlab_smooth_model(const smooth *s, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    const wlab_code code = wlab_centred_model(out, s->rows, s->at->w, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] -= s->cut;
    return code;
}

void wlab_smooth_walk(smooth *s, wlab_walk *w)
{
    WL_WALK(w, s->moved);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->step);
    WL_WALK(w, s->seconds);
    WL_WALK(w, s->level);
    WL_WALK(w, s->tries);
    WL_WALK(w, s->level_done);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->decided);
    WL_WALK(w, s->verdict);
    WL_WALK(w, s->objective);
    WL_WALK(w, s->gradient);
    WL_WALK(w, s->length);
    WL_WALK(w, s->evaluations);
    WL_WALK(w, s->cut);
    WL_WALK(w, s->upper);
    WL_WALK(w, s->lower);
    if (wlab_walk_has_read(w) && (s->level < 0 || s->level > s->levels || s->verdict > WL_LIMIT)) {
        s->level = 0;
        s->verdict = WL_MORE;
        wlab_walk_damaged(w);
    }
    WL_WALK_ARRAY(w, s->y, s->n);
    WL_WALK_ARRAY(w, s->o, s->n);
    if (s->moved)
        WL_WALK_ARRAY(w, s->before, s->rows->dim);
    wlab_lbfgs_walk(s->at, w);
    if (w->reading)
        s->set_level(s->of);
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
