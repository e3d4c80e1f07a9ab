/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An algorithm on the rows of a factor of the kernel matrix.  The factor depends on the data and the parameters alone, so
 * a snapshot is that of the base, and create() makes the factor again.
 */
#include "algo/lowrank.h"
#include "algo/algos.h"
#include "algo/derived.h"
#include "algo/onevsrest.h"
#include "base/walk.h"
#include "model/features.h"
#include "model/kernel.h"

#include <stdio.h>
#include <string.h>

static const double TOO_MUCH = 10;    /* percent of the trace, above which a warning gives advice */
static const double COMPLETE = 1e-10; /* no more columns once the trace error is at most this */

typedef struct derivation {
    wlab_derived is;
    wlab_probe *probes;        /* those of the base, with another hook */
    wlab_metric_info metric[]; /* those of the base, `trace_error`, and the end */
} derivation;

static wlab_derivations derivations;

typedef struct lowrank {
    const derivation *d;
    wlab_features *f; /* without Phi, which is X of the inner problem */
    wlab_problem *inner;
    void *state; /* of the base */
} lowrank;

int64_t wlab_lowrank_columns(const wlab_algo *algo, const wlab_problem *p, const wlab_params *given)
{
    return wlab_kernel_rank(given, p->X, algo->kernel_of_labelled ? p->labelled : p->n);
}

/* ---- parameters ---- */

/* The parameters for the factor: all that are given but those of the kernel, which is linear. */
static wlab_code inner_params(wlab_params **out, const wlab_params *given, wlab_err *err)
{
    const wlab_param_info *table = wlab_params_table(given);
    wlab_code code = wlab_params_create(out, table, err);

    if (code)
        return code;
    for (; !code && table->name; table++)
        if (!(table->flags & (WL_P_KERNEL | WL_P_FACTOR)) && wlab_params_given(given, table->name))
            code = wlab_params_set(*out, table->name, wlab_params_text(given, table->name), err);
    if (!code)
        code = wlab_params_set(*out, "kernel", wlab_kernel_names[WL_K_LINEAR], err);
    if (code) {
        wlab_params_destroy(*out);
        *out = NULL;
    }
    return code;
}

/* The base of what the parameters' algorithm is run by on this problem. */
static const wlab_algo *base_for(const wlab_problem *p, const wlab_params *given)
{
    const wlab_algo *algo = wlab_algo_of_params(given);
    return p->classes > 2 && !algo->multiclass ? wlab_onevsrest(algo) : algo;
}

static double setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    const wlab_algo *algo = wlab_algo_of_params(given);
    wlab_params *inner;
    wlab_err err;
    double value;

    if (!algo->setting || inner_params(&inner, given, &err))
        return NAN;
    value = algo->setting(p, inner, name);
    wlab_params_destroy(inner);
    return value;
}

/* ---- the state ---- */

static void destroy(void *state)
{
    lowrank *s = state;
    if (!s)
        return;
    if (s->state)
        s->d->is.base->destroy(s->state);
    wlab_problem_unref(s->inner);
    wlab_features_destroy(s->f);
    wlab_free(s);
}

static double trace_error(const lowrank *s)
{
    return s->f->left / fmax(s->f->trace, 1e-300);
}

static void say_error(const lowrank *s, const wlab_params *given, wlab_ctx *ctx)
{
    const wlab_features *f = s->f;
    const double percent = 100 * trace_error(s);

    if (ctx && ctx->lean)
        return;
    if (wlab_params_given(given, "rank"))
        wlab_emit_note(ctx, "rank=%s: %lld columns; trace(K - FF') is %.2g %% of trace(K), certified",
                       wlab_params_text(given, "rank"), (long long)f->r, percent);
    else
        wlab_emit_warning(
            ctx,
            "the kernel matrix of %lld rows would take %.0f GB: a factor F with %lld columns is used in its "
            "place (rank=%d); trace(K - FF') is %.2g %% of trace(K), certified",
            (long long)f->n, 8e-9 * (double)f->n * (double)f->n, (long long)f->r, WL_KERNEL_RANK, percent);
    if (percent > TOO_MUCH)
        wlab_emit_warning(ctx,
                          "the factor has lost %.0f %% of the kernel matrix's trace: use a wider kernel (a "
                          "larger sigma=), which fewer columns describe, or a larger rank=",
                          percent);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t most = wlab_lowrank_columns(wlab_algo_of_params(given), p, given);
    lowrank *s = wlab_calloc(1, sizeof *s);
    wlab_params *inner = NULL;
    wlab_matrix *Phi = NULL;
    wlab_kernel kernel;
    wlab_code code;

    *state = NULL;
    if (!s || !(s->d = (derivation *)wlab_derived_find(&derivations, base_for(p, given)))) {
        wlab_free(s);
        return wlab_nomem(err);
    }
    if ((code = inner_params(&inner, given, err)) ||
        (code = wlab_kernel_choose(&kernel, given, p->X, ctx, err)))
        goto out;
    kernel.bias = 0; /* the constant feature is the base's own */
    if ((code = wlab_features_keep(&s->f, p, &kernel, COMPLETE, most, ctx, err)) ||
        (code = wlab_features_take(&Phi, s->f, err)) ||
        (code = wlab_problem_with_columns(&s->inner, p, Phi, err)) ||
        (code = s->d->is.base->create(&s->state, s->inner, inner, ctx, err)))
        goto out;
    say_error(s, given, ctx);
out:
    wlab_params_destroy(inner);
    if (code)
        destroy(s);
    else
        *state = s;
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    lowrank *s = state;
    return s->d->is.base->advance(s->state, ctx, step, err);
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const lowrank *s = state;
    s->d->is.base->observe(s->state, metric, labels);
    if (metric)
        metric[wlab_metric_count(s->d->is.base)] = trace_error(s);
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const lowrank *s = state;
    wlab_model *linear = NULL;
    wlab_code code = s->d->is.base->model(s->state, &linear, ctx, err);

    *out = NULL;
    if (!code && !(code = wlab_features_function(out, s->f, linear, ctx ? ctx->pool : NULL, err)))
        (*out)->loss = linear->loss;
    wlab_model_destroy(linear);
    return code;
}

static const wlab_kernel *kernel(const void *state)
{
    const lowrank *s = state;
    return &s->f->kernel;
}

static const wlab_problem *solved(const void *state)
{
    const lowrank *s = state;
    const wlab_problem *p = s->d->is.base->solved ? s->d->is.base->solved(s->state) : NULL;
    return p == s->inner ? NULL : p;
}

static wlab_code probe(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                       wlab_err *err)
{
    const lowrank *s = state;
    wlab_probe_ask own = *ask;
    own.probe = &s->d->is.base->probes[ask->probe - s->d->probes];
    return own.probe->get(s->state, &own, out, ctx, err);
}

static void explain(const void *state, char *buf, size_t size)
{
    const lowrank *s = state;
    int len =
        snprintf(buf, size, "In place of the kernel matrix a factor with %lld columns, trace error %.2g. ",
                 (long long)s->f->r, trace_error(s));
    if (len > 0 && (size_t)len < size)
        s->d->is.base->explain(s->state, buf + len, size - (size_t)len);
}

static void next(const void *state, char *buf, size_t size)
{
    const lowrank *s = state;
    s->d->is.base->next(s->state, buf, size);
}

static void walk(void *state, wlab_walk *w)
{
    lowrank *s = state;
    s->d->is.base->walk(s->state, w);
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    lowrank *s = state;
    wlab_params *inner = NULL;
    wlab_code code = inner_params(&inner, given, err);

    code = code ? code : s->d->is.base->set(s->state, inner, err);
    wlab_params_destroy(inner);
    return code;
}

/* ---- the algorithms that are derived ---- */

static wlab_derived *derive(const wlab_algo *base)
{
    const int metrics = wlab_metric_count(base), probes = wlab_probe_count(base);
    derivation *d = wlab_calloc(1, sizeof *d + (size_t)(metrics + 2) * sizeof *d->metric);

    if (!d || !(d->probes = wlab_calloc((size_t)probes + 1, sizeof *d->probes)))
        return wlab_free(d);
    d->is.base = base;
    memcpy(d->metric, base->metrics, (size_t)metrics * sizeof *d->metric);
    d->metric[metrics] =
        (wlab_metric_info){.name = "trace_error",
                           .flags = WL_M_LESS,
                           .log = true,
                           .meaning = "how far the factor F is from the kernel matrix K, certified: no entry "
                                      "of K - FF' is larger than its trace",
                           .equation = "trace(K - FF') / trace(K)"};
    for (int k = 0; k < probes; k++) {
        d->probes[k] = base->probes[k];
        d->probes[k].get = probe;
    }
    d->is.algo = *base;
    d->is.algo.metrics = d->metric;
    d->is.algo.probes = base->probes ? d->probes : NULL;
    d->is.algo.create = create;
    d->is.algo.advance = advance;
    d->is.algo.observe = observe;
    d->is.algo.model = model;
    d->is.algo.kernel = kernel;
    d->is.algo.setting = setting;
    d->is.algo.solved = base->solved ? solved : NULL;
    d->is.algo.explain = explain;
    d->is.algo.next = next;
    d->is.algo.walk = walk;
    d->is.algo.set = base->set ? set : NULL;
    d->is.algo.destroy = destroy;
    return &d->is;
}

static wlab_derivations derivations = {.lock = PTHREAD_MUTEX_INITIALIZER, .make = derive};

const wlab_algo *wlab_lowrank(const wlab_algo *base)
{
    if (base->create == create)
        return base;
    const wlab_derived *d = wlab_derived_find(&derivations, base);
    return d ? &d->algo : NULL;
}
