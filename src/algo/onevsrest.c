/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One against the rest.  The binary classifiers are trained one after another.  Only the one in training has a state,
 * as a state may contain a kernel matrix.  Of each finished classifier only the decision function and its outputs on
 * the training rows are kept.
 */
#include "algo/onevsrest.h"
#include "algo/algos.h"
#include "algo/derived.h"
#include "base/walk.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct classifiers {
    const wlab_algo *base;
    wlab_problem *p;
    wlab_params *params; /* of the current classifier and those to come */
    int P;
    int metrics; /* number of metrics of the base */
    int second;  /* the one with its seconds, or -1 */
    /* ---- snapshot ---- */
    int done;   /* finished classifiers; number `done` is the current one if `classifier` is not NULL */
    bool again; /* all are finished and a parameter was changed: the next step starts with the first */
    bool ended; /* the current one is finished, but storing its function failed (no memory, or interrupted) */
    int64_t phases;                   /* finished classifiers, including those of earlier rounds */
    double seconds;                   /* of these */
    int shown;                        /* the classifier whose metrics are in `metric`, from 0 */
    uint8_t verdict[WL_CLASSES_MOST]; /* [P] */
    double *metric;                   /* [metrics] after the last unit */
    wlab_kernel kernel;               /* the kernel of all functions */
    double *b;                        /* [P] */
    double *
        function[WL_CLASSES_MOST]; /* [P] of a finished classifier: w [cols] or coefficients [n]; else NULL */
    double *F;                     /* [P x n] outputs */
    /* ---- the current classifier ---- */
    wlab_problem *binary;
    void *classifier; /* NULL: the next one was not started */
} classifiers;

static const char *class_at(const classifiers *s, int k)
{
    return wlab_problem_class(s->p, wlab_label_at(s->p, k));
}

static size_t function_size(const classifiers *s)
{
    return s->kernel.kind == WL_K_LINEAR ? (size_t)s->p->X->cols : (size_t)s->p->n;
}

/* ---- the current classifier ---- */

static void destroy_classifier(classifiers *s)
{
    if (s->classifier)
        s->base->destroy(s->classifier);
    s->classifier = NULL;
    wlab_problem_unref(s->binary);
    s->binary = NULL;
}

static wlab_code begin_classifier(classifiers *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_problem *binary = NULL;
    wlab_code code = wlab_problem_one_vs_rest(&binary, s->p, s->done, err);
    if (!code)
        code = s->base->create(&s->classifier, binary, s->params, ctx, err);
    if (code) {
        s->classifier = NULL;
        wlab_problem_unref(binary);
        return code;
    }
    s->binary = binary;
    return WL_OK;
}

/* Writes the coefficient of each instance, 0 without one, to c [n].  The rows of instances ascend, and so do those of
 * support vectors, or at least those of each sign.  So the instance of each support vector is searched from that of the
 * one before, and from the first instance again at the end: one or two passes over the instances find all. */
static wlab_code coefficients(const classifiers *s, const wlab_model *m, double *c, wlab_err *err)
{
    int64_t at = 0;
    memset(c, 0, (size_t)s->p->n * sizeof *c);
    for (int64_t v = 0; v < m->nsv; v++) {
        for (int64_t tries = 0; s->p->row[at] != m->sv_row[v]; tries++) {
            at = at + 1 < s->p->n ? at + 1 : 0;
            if (tries > s->p->n)
                return wlab_fail(err, WL_ENUMERIC, "a support vector is not a training row");
        }
        c[at] = m->coef[v];
    }
    return WL_OK;
}

/* Stores the function and the outputs of the current classifier. */
static wlab_code store_function(classifiers *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_model *m = NULL;
    double *function = NULL;
    wlab_code code = s->base->model(s->classifier, &m, ctx, err);
    if (!code)
        code = wlab_model_predict_progress(m, s->p->X, s->F + (size_t)s->done * (size_t)s->p->n, ctx, err);
    if (!code) {
        s->kernel = m->kernel;
        function = wlab_alloc(function_size(s), sizeof *function);
        code = function ? WL_OK : wlab_nomem(err);
    }
    if (!code && m->kernel.kind == WL_K_LINEAR)
        memcpy(function, m->w, function_size(s) * sizeof *function);
    else if (!code)
        code = coefficients(s, m, function, err);
    if (!code) {
        s->b[s->done] = m->b[0];
        s->function[s->done++] = function;
        function = NULL;
    }
    wlab_free(function);
    wlab_model_destroy(m);
    return code;
}

/* ---- the algorithm ---- */

static void clear_classifiers(classifiers *s)
{
    destroy_classifier(s);
    for (int k = 0; k < s->P; k++)
        s->function[k] = wlab_free(s->function[k]);
    s->done = 0;
}

static void destroy(void *state)
{
    classifiers *s = state;
    if (!s)
        return;
    clear_classifiers(s);
    wlab_problem_unref(s->p);
    wlab_params_destroy(s->params);
    wlab_free(s->metric);
    wlab_free(s->b);
    wlab_free(s->F);
    wlab_free(s);
}

/* Returns WL_ESTATE if a class has no labelled row, as its binary classifier could not be trained. */
static wlab_code check_labelled(const wlab_problem *p, const wlab_algo *base, wlab_err *err)
{
    for (int k = 0; k < p->classes; k++) {
        const int8_t label = wlab_label_at(p, k);
        bool any = false;
        for (int64_t i = 0; i < p->n && !any; i++)
            any = p->visible[i] == label;
        if (!any)
            return wlab_fail(
                err, WL_ESTATE,
                "no row is labelled with class %s, but %s trains each class against the rest: label more "
                "rows, or rows of that class",
                wlab_problem_class(p, label), base->name);
    }
    return WL_OK;
}

static wlab_code allocate(classifiers **out, const wlab_algo *base, wlab_problem *p, const wlab_params *given,
                          wlab_err *err)
{
    classifiers *s = wlab_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return wlab_nomem(err);
    s->base = base;
    s->p = wlab_problem_ref(p);
    s->P = p->classes;
    s->metrics = wlab_metric_count(base);
    s->second = wlab_metric_of(base, WL_R_SECONDS);
    s->metric = wlab_calloc((size_t)s->metrics, sizeof *s->metric);
    s->b = wlab_calloc((size_t)s->P, sizeof *s->b);
    s->F = wlab_calloc((size_t)s->P * (size_t)p->n, sizeof *s->F);
    wlab_code code = s->metric && s->b && s->F ? wlab_params_copy(&s->params, given, err) : wlab_nomem(err);
    if (code)
        destroy(s);
    else
        *out = s;
    return code;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_algo *base = wlab_algo_of_params(given);
    classifiers *s = NULL;
    wlab_code code = check_labelled(p, base, err);
    *state = NULL;
    if (!code)
        code = allocate(&s, base, p, given, err);
    if (!code)
        code = begin_classifier(s, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    base->observe(s->classifier, s->metric, NULL);
    *state = s;
    return WL_OK;
}

/* The verdict on all classifiers: limit if any reached a limit, else stalled if any stalled, else converged. */
static wlab_verdict verdict_of(const classifiers *s)
{
    wlab_verdict all = WL_CONVERGED;
    for (int k = 0; k < s->P; k++)
        if (s->verdict[k] > all)
            all = (wlab_verdict)s->verdict[k];
    return all;
}

/* The metrics are those of the current classifier, except that the seconds go on from one to the next. */
static void observe_classifier(classifiers *s)
{
    s->base->observe(s->classifier, s->metric, NULL);
    if (s->second >= 0)
        s->metric[s->second] += s->seconds;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    classifiers *s = state;
    wlab_code code;
    bool complete = false;
    *step = (wlab_step){0};
    if (s->done == s->P && !s->again) {
        *step = (wlab_step){
            .complete = true, .verdict = verdict_of(s), .phase = s->phases, .phase_complete = true};
        return WL_OK;
    }
    if (!s->classifier) {
        const int done = s->done;
        s->done = s->again ? 0 : done;
        if ((code = begin_classifier(s, ctx, err))) {
            s->done = done;
            return code;
        }
        for (int k = 0; s->again && k < s->P; k++)
            s->function[k] = wlab_free(s->function[k]);
        s->again = false;
    }
    if (!s->ended) {
        wlab_step own;
        if ((code = s->base->advance(s->classifier, ctx, &own, err)))
            return code;
        complete = own.complete;
        s->ended = complete && own.verdict != WL_MORE;
        if (complete)
            s->verdict[s->done] = (uint8_t)own.verdict;
    }
    const int now = s->done;
    const bool ended = s->ended;
    if (ended && (code = store_function(s, ctx, err)))
        return code; /* metrics are unchanged, and the next call only stores the function */
    observe_classifier(s);
    s->shown = now;
    if (complete || ended)
        *step = (wlab_step){.complete = true, .phase = s->phases + 1, .phase_complete = ended};
    if (ended) {
        if (s->second >= 0)
            s->seconds = s->metric[s->second];
        destroy_classifier(s);
        s->ended = false;
        s->phases++;
        step->verdict = s->done == s->P ? verdict_of(s) : WL_MORE;
    }
    return WL_OK;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const classifiers *s = state;
    if (metric) {
        memcpy(metric, s->metric, (size_t)s->metrics * sizeof *metric);
        metric[s->metrics] = s->shown + 1;
    }
    for (int64_t i = 0; labels && i < s->p->n; i++) {
        const uint64_t allowed = wlab_problem_allowed(s->p, i);
        int best = -1;
        for (int k = 0; k < s->done; k++)
            if (allowed >> k & 1 && (best < 0 || s->F[(size_t)k * (size_t)s->p->n + (size_t)i] >
                                                     s->F[(size_t)best * (size_t)s->p->n + (size_t)i]))
                best = k;
        /* before all are finished, a class gets only rows on which its output is positive */
        if (best >= 0 && s->done < s->P && !(s->F[(size_t)best * (size_t)s->p->n + (size_t)i] > 0))
            best = -1;
        labels[i] = s->p->visible[i] ? s->p->visible[i] : best < 0 ? 0 : wlab_label_at(s->p, best);
    }
}

static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const classifiers *s = state;
    (void)ask;
    (void)ctx;
    if (s->done < s->P)
        return wlab_fail(
            err, WL_ESTATE,
            "there are no scores yet: they need all binary classifiers, which `continue` trains");
    if (wlab_probed_make(out, s->p->n, s->P, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < s->p->n; i++)
        for (int k = 0; k < s->P; k++)
            out->value[i * s->P + k] = s->F[(size_t)k * (size_t)s->p->n + (size_t)i];
    return WL_OK;
}

/* A probe of the current classifier. */
static wlab_code probe_classifier(const void *state, const wlab_probe_ask *ask, wlab_probed *out,
                                  wlab_ctx *ctx, wlab_err *err)
{
    const classifiers *s = state;
    const wlab_probe *own = &s->base->probes[wlab_probe_index(s->base, ask->probe->kind)];
    if (s->classifier)
        return own->get(s->classifier, &(wlab_probe_ask){.probe = own}, out, ctx, err);
    return own->when == WL_PROBE_RECORDED
               ? WL_OK
               : wlab_fail(
                     err, WL_ESTATE,
                     "this picture needs the binary classifier in training, and none is: if one is left "
                     "to train, `step` starts it");
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const classifiers *s = state;
    const size_t P = (size_t)s->P, size = function_size(s);
    *out = NULL;
    if (s->done < s->P)
        return wlab_fail(err, WL_ESTATE,
                         "there is no model yet: binary classifier %d of %d (class %s against the rest) is "
                         "being trained, and the model needs all of them: `finish` completes this one, "
                         "`continue` completes all",
                         s->done + 1, s->P, class_at(s, s->done));
    double *all = wlab_alloc(P * size, sizeof *all);
    if (!all)
        return wlab_nomem(err);
    const bool linear = s->kernel.kind == WL_K_LINEAR;
    for (size_t k = 0; k < P; k++)
        for (size_t j = 0; j < size; j++)
            all[linear ? k * size + j : j * P + k] = s->function[k][j];
    wlab_code code = linear ? wlab_model_from_class_weights(out, s->p, all, s->b, err)
                            : wlab_model_from_class_coefficients(out, s->p, &s->kernel, all, s->b,
                                                                 ctx ? ctx->pool : NULL, err);
    wlab_free(all);
    return code;
}

static void explain(const void *state, char *buf, size_t size)
{
    const classifiers *s = state;
    int len = 0;
    if (s->classifier) {
        len = snprintf(buf, size, "Binary classifier %d of %d, class %s against the rest. ", s->done + 1,
                       s->P, class_at(s, s->done));
        if (len > 0 && (size_t)len < size)
            s->base->explain(s->classifier, buf + len, size - (size_t)len);
        return;
    }
    if (s->done == s->P)
        (void)snprintf(
            buf, size,
            "All %d binary classifiers are trained, each of one class against the rest; a row gets the class "
            "whose classifier has the largest output.",
            s->P);
    else
        (void)snprintf(buf, size, "Binary classifier %d of %d, class %s against the rest, is finished (%s).",
                       s->done, s->P, class_at(s, s->done - 1), wlab_verdict_names[s->verdict[s->done - 1]]);
}

static void next(const void *state, char *buf, size_t size)
{
    const classifiers *s = state;
    if (s->classifier) {
        const int len =
            snprintf(buf, size, "binary classifier %d of %d, class %s against the rest: ", s->done + 1, s->P,
                     class_at(s, s->done));
        if (len > 0 && (size_t)len < size)
            s->base->next(s->classifier, buf + len, size - (size_t)len);
        return;
    }
    if (s->done == s->P && !s->again)
        (void)snprintf(buf, size, "nothing: all %d binary classifiers are trained", s->P);
    else
        (void)snprintf(buf, size, "start binary classifier %d of %d, class %s against the rest",
                       s->again ? 1 : s->done + 1, s->P, class_at(s, s->again ? 0 : s->done));
}

static const wlab_kernel *kernel(const void *state)
{
    const classifiers *s = state;
    return s->classifier ? s->base->kernel(s->classifier) : s->done > 0 ? &s->kernel : NULL;
}

/* Checks the parameters between two classifiers: creates the next one with them, and destroys it. */
static wlab_code check_params(const classifiers *s, const wlab_params *params, wlab_err *err)
{
    wlab_problem *binary = NULL;
    void *classifier = NULL;
    wlab_code code = wlab_problem_one_vs_rest(&binary, s->p, s->done == s->P ? 0 : s->done, err);
    if (!code && !(code = s->base->create(&classifier, binary, params, NULL, err)))
        s->base->destroy(classifier);
    wlab_problem_unref(binary);
    return code;
}

static wlab_code set(void *state, const wlab_params *params, wlab_err *err)
{
    classifiers *s = state;
    wlab_params *copy = NULL;
    wlab_code code = wlab_params_copy(&copy, params, err);
    if (!code)
        code = s->classifier ? s->base->set(s->classifier, params, err) : check_params(s, params, err);
    if (code) {
        wlab_params_destroy(copy);
        return code;
    }
    wlab_params_destroy(s->params);
    s->params = copy;
    s->again = s->done == s->P;
    return WL_OK;
}

/* ---- snapshots ---- */

/* Walks all fields; reading expects a newly allocated state. */
static void walk_all(classifiers *s, wlab_walk *w)
{
    int32_t done = s->done;
    uint8_t classifier = s->classifier != NULL;
    WL_WALK(w, s->phases);
    WL_WALK(w, s->seconds);
    WL_WALK(w, s->shown);
    WL_WALK(w, s->again);
    WL_WALK(w, s->ended);
    WL_WALK(w, s->verdict);
    WL_WALK(w, s->kernel.kind);
    WL_WALK(w, s->kernel.gamma);
    WL_WALK(w, s->kernel.coef0);
    WL_WALK(w, s->kernel.bias);
    WL_WALK(w, s->kernel.degree);
    WL_WALK(w, done);
    WL_WALK(w, classifier);
    WL_WALK_ARRAY(w, s->metric, s->metrics);
    WL_WALK_ARRAY(w, s->b, s->P);
    for (int k = 0; k < s->P; k++)
        if (s->verdict[k] > WL_LIMIT)
            wlab_walk_damaged(w);
    if (w->reading && (s->kernel.kind > WL_K_PRECOMPUTED || done < 0 || done > s->P || s->shown < 0 ||
                       s->shown >= s->P || (classifier && done == s->P)))
        wlab_walk_damaged(w);
    for (int k = 0; k < done && !w->code; k++) {
        if (w->reading && !(s->function[k] = wlab_alloc(function_size(s), sizeof **s->function)))
            w->code = wlab_nomem(w->err);
        WL_WALK_ARRAY(w, s->function[k], function_size(s));
        WL_WALK_ARRAY(w, s->F + (size_t)k * (size_t)s->p->n, s->p->n);
    }
    if (w->code)
        return;
    if (w->reading)
        s->done = done;
    if (classifier && (!w->reading || wlab_walk_check(w, begin_classifier(s, w->ctx, w->err))))
        s->base->walk(s->classifier, w);
}

static void walk(void *state, wlab_walk *w)
{
    classifiers *s = state, *fresh = NULL;
    if (!w->reading) {
        walk_all(s, w);
        return;
    }
    if (wlab_walk_check(w, allocate(&fresh, s->base, s->p, s->params, w->err)))
        walk_all(fresh, w);
    if (!w->code) {
        const classifiers old = *s;
        *s = *fresh;
        *fresh = old;
    }
    destroy(fresh);
}

/* ---- the algorithms that are derived ---- */

typedef struct derivation {
    wlab_derived is;
    wlab_probe probe[WL_PROBE_KINDS + 1];
    wlab_metric_info metric[]; /* those of the base, `classifier`, and the end */
} derivation;

/* Fills to [WL_PROBE_KINDS + 1] with the first probe of each kind that the base has, and with the scores of all
 * classifiers.  The base's own matrix and scores are left out, as they belong to a problem of two classes. */
static void derive_probes(const wlab_algo *base, wlab_probe *to)
{
    for (int k = 0; k < wlab_probe_count(base); k++) {
        const wlab_probe_kind kind = base->probes[k].kind;
        if (kind == WL_PROBE_MATRIX || kind == WL_PROBE_SCORES || wlab_probe_index(base, kind) != k)
            continue;
        *to = base->probes[k];
        to++->get = probe_classifier;
    }
    *to = (wlab_probe){.name = "scores",
                       .kind = WL_PROBE_SCORES,
                       .when = WL_PROBE_QUICK,
                       .meaning = "outputs of the binary classifiers; the largest determines the label",
                       .get = scores};
}

static wlab_derived *derive(const wlab_algo *base)
{
    const int metrics = wlab_metric_count(base);
    derivation *d = wlab_calloc(1, sizeof *d + (size_t)(metrics + 2) * sizeof *d->metric);
    if (!d)
        return NULL;
    d->is.base = base;
    memcpy(d->metric, base->metrics, (size_t)metrics * sizeof *d->metric);
    d->metric[metrics] = (wlab_metric_info){
        .name = "classifier",
        .role = WL_R_CLASSIFIER,
        .flags = WL_M_COUNT,
        .meaning = "number of the binary classifier (this class against the rest) whose metrics these are"};
    derive_probes(base, d->probe);
    d->is.algo = (wlab_algo){.name = base->name,
                             .alias = base->alias,
                             .summary = base->summary,
                             .idea = base->idea,
                             .when = base->when,
                             .cost = base->cost,
                             .work = base->work,
                             .work_once = base->work_once,
                             .memory = base->memory,
                             .columns = base->columns,
                             .rows_most = base->rows_most,
                             .proves = base->proves,
                             .source = base->source,
                             .learns_from = base->learns_from & WL_SEES_ROWS,
                             .multiclass = true,
                             .step_unit = base->step_unit,
                             .inner_unit = base->inner_unit,
                             .converged = base->converged,
                             .converged_also = base->converged_also,
                             .phase_unit = "binary classifier",
                             .params = base->params,
                             .metrics = d->metric,
                             .probes = d->probe,
                             .create = create,
                             .advance = advance,
                             .observe = observe,
                             .model = model,
                             .kernel = base->kernel ? kernel : NULL,
                             .row_loss = base->row_loss,
                             .row_majoriser = base->row_majoriser,
                             .loss = base->loss,
                             .loss_of = base->loss_of,
                             .setting = base->setting,
                             .explain = explain,
                             .next = next,
                             .walk = walk,
                             .set = base->set ? set : NULL,
                             .destroy = destroy};
    return &d->is;
}

static wlab_derivations derivations = {.lock = PTHREAD_MUTEX_INITIALIZER, .make = derive};

bool wlab_onevsrest_takes(const wlab_algo *algo)
{
    return !algo->multiclass && algo->model && algo->learns_from & WL_SEES_ROWS;
}

const wlab_algo *wlab_onevsrest(const wlab_algo *algo)
{
    const wlab_derived *d = wlab_onevsrest_takes(algo) ? wlab_derived_find(&derivations, algo) : NULL;

    return d ? &d->algo : NULL;
}
