/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs: creation, steps and queries.  history.c has their history.
 */
#include "base/clock.h"
#include "run/history.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
    DEFAULT_HISTORY_MIB = 256,
    COMPARED = 64 /* labels at a time */
};

/* ---- events ---- */

static void relay_emit(void *sink, const wlab_event *event)
{
    wlab_relay *relay = sink;
    wlab_event e = *event;

    if (relay->silent && event->kind != WL_EV_PROGRESS)
        return;
    e.run = relay->run->number;
    e.step = relay->run->iter + 1; /* the step and the inner unit in progress */
    e.inner = relay->run->inner + 1;
    relay->to->emit(relay->to->sink, &e);
}

void wlab_relay_open(wlab_relay *relay, const wlab_run *run, wlab_ctx *to, bool silent)
{
    memset(relay, 0, sizeof *relay);
    relay->run = run;
    relay->to = to;
    if (!to)
        return;
    relay->ctx.pool = to->pool;
    relay->ctx.interrupt = to->interrupt;
    relay->ctx.lean = to->lean;
    relay->silent = silent;
    if (to->emit) {
        relay->ctx.emit = relay_emit;
        relay->ctx.sink = relay;
    }
}

/* ---- creation and destruction ---- */

static wlab_code name_check(const char *name, wlab_err *err)
{
    size_t n = strlen(name);

    if (n == 0 || n > 63)
        return wlab_fail(err, WL_EARG, "a run's name has 1 to 63 characters");
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
            return wlab_fail(err, WL_EARG, "\"%s\" cannot be a run's name: use letters, digits, _ - .", name);
    return WL_OK;
}

wlab_code wlab_run_create(wlab_run **run, const char *name, int number, wlab_problem *problem,
                          const wlab_algo *algo, const wlab_params *params, size_t history_bytes,
                          wlab_ctx *ctx, wlab_err *err)
{
    wlab_run *r = NULL;
    wlab_relay relay;
    wlab_past past;
    wlab_probed weights = {0};
    size_t m, n;
    wlab_code code = name_check(name, err);

    *run = NULL;
    if (!code)
        code = wlab_algo_for(&algo, algo, problem, params, err);
    if (code)
        return code;
    r = wlab_calloc(1, sizeof *r);
    if (!r)
        return wlab_nomem(err);
    r->number = number;
    r->problem = wlab_problem_ref(problem);
    r->own = r->algo = algo;
    r->verdict = WL_MORE;
    r->nown = r->nmetrics = wlab_metric_count(algo);
    r->history.budget = history_bytes ? history_bytes : (size_t)DEFAULT_HISTORY_MIB << 20;
    m = (size_t)r->nmetrics;
    n = (size_t)problem->n;
    r->name = wlab_strdup(name);
    r->names = wlab_calloc(m + 2, sizeof *r->names);
    r->scratch = wlab_calloc(2 * (m + 2), sizeof *r->scratch);
    r->labels = wlab_calloc(n, 1);
    r->before = wlab_calloc(n, 1);
    r->labels_first = wlab_calloc(n, 1);
    r->last = wlab_calloc(n, 1);
    r->row = wlab_calloc(16, sizeof *r->row);
    if (!r->name || !r->names || !r->scratch || !r->labels || !r->before || !r->labels_first || !r->last ||
        !r->row) {
        code = wlab_nomem(err);
        goto out;
    }
    r->row_cap = 16;
    r->names[0] = "iter";
    r->names[1] = "inner";
    for (size_t i = 0; i < m; i++)
        r->names[i + 2] = algo->metrics[i].name;
    r->row[0].metric = wlab_calloc(m, sizeof(double));
    if (!r->row[0].metric) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = wlab_params_copy(&r->first, params, err)) ||
        (code = wlab_params_copy(&r->params, params, err)))
        goto out;
    wlab_relay_open(&relay, r, ctx, false);
    if ((code = algo->create(&r->state, problem, r->params, &relay.ctx, err)))
        goto out;
    algo->observe(r->state, r->row[0].metric, r->labels);
    memcpy(r->before, r->labels, n);
    memcpy(r->labels_first, r->labels, n);
    memcpy(r->last, r->labels, n);
    if ((code = wlab_run_recorded(r, &weights, err)))
        goto out;
    r->row[0].nweights = weights.rows;
    r->row[0].weight = weights.value;
    if ((code = wlab_past_take(&past, r, r->state, r->before, err)))
        goto out;
    if ((code = wlab_history_put(&r->history, &past, problem->n))) {
        wlab_nomem(err);
        goto out;
    }
out:
    if (code)
        wlab_run_destroy(r);
    else
        *run = r;
    return code;
}

void wlab_run_destroy(wlab_run *r)
{
    if (!r)
        return;
    if (r->state)
        r->algo->destroy(r->state);
    for (int64_t i = 0; r->row && i <= r->iter; i++)
        wlab_row_clear(&r->row[i]);
    for (int i = 0; i < r->changes; i++) {
        wlab_free(r->change[i].name);
        wlab_free(r->change[i].value);
    }
    wlab_history_clear(&r->history);
    wlab_hidden_clear(&r->hidden);
    wlab_params_destroy(r->first);
    wlab_params_destroy(r->params);
    wlab_problem_unref(r->problem);
    wlab_free(r->name);
    wlab_free(r->names);
    wlab_free(r->scratch);
    wlab_free(r->spare);
    wlab_free(r->flips);
    wlab_free(r->labels);
    wlab_free(r->before);
    wlab_free(r->labels_first);
    wlab_free(r->last);
    wlab_free(r->row);
    wlab_free(r->change);
    wlab_free(r);
}

/* ---- queries ---- */

const char *wlab_run_name(const wlab_run *r)
{
    return r->name;
}

int wlab_run_number(const wlab_run *r)
{
    return r->number;
}

wlab_problem *wlab_run_problem(const wlab_run *r)
{
    return r->problem;
}

const wlab_algo *wlab_run_algo(const wlab_run *r)
{
    return r->algo;
}

bool wlab_row_restarted(const wlab_algo *algo, const wlab_trace_row *rows, int64_t t)
{
    const int m = wlab_metric_of(algo, WL_R_RESTART);
    return m >= 0 && t > 0 && isfinite(rows[t - 1].metric[m]) && isfinite(rows[t].metric[m]) &&
           rows[t].metric[m] != rows[t - 1].metric[m];
}

static bool alike(const void *a, const void *b, int64_t n, size_t size)
{
    return (!a && !b) || (a && b && memcmp(a, b, (size_t)n * size) == 0);
}

const char *wlab_problems_differ(const wlab_algo *a, const wlab_problem *p, const wlab_algo *b,
                                 const wlab_problem *q, bool *sure)
{
    *sure = true;
    if (p->data != q->data || p->task != q->task || p->n != q->n || p->labelled != q->labelled ||
        p->bags != q->bags || p->classes != q->classes)
        return "other data or another task";
    if (p != q && memcmp(p->visible, q->visible, (size_t)p->n) != 0)
        return "other observed labels";
    if (!alike(p->candidates, q->candidates, p->n, sizeof *p->candidates))
        return "other candidate labels";
    if (!alike(p->bag, q->bag, p->n, sizeof *p->bag) ||
        !alike(p->bag_given, q->bag_given, p->bags, sizeof *p->bag_given))
        return "other bags or proportions";
    /* scored runs have descriptors of their own, so names are compared */
    const bool same_target = wlab_metric_of(a, WL_R_TARGET) >= 0 && wlab_metric_of(b, WL_R_TARGET) >= 0;
    if (strcmp(a->name, b->name) != 0 && !same_target)
        return "other algorithms";
    *sure = false; /* whether an algorithm uses these is not known here */
    if ((p->r < q->r || p->r > q->r) || isnan(p->r) != isnan(q->r))
        return "another r of the task";
    if (p->labels && q->labels && !wlab_labelset_same(p->labels, q->labels))
        return "another set of labelings";
    return NULL;
}

const wlab_problem *wlab_run_solved(const wlab_run *r)
{
    return r->algo->solved ? r->algo->solved(r->state) : r->problem;
}

const char *wlab_run_setting(const wlab_run *r, const wlab_param_info *p, const wlab_param_info **by,
                             char buf[WL_REAL_TEXT])
{
    return wlab_algo_setting(r->algo, wlab_run_solved(r), r->params, p, by, buf);
}

const wlab_kernel *wlab_run_kernel(const wlab_run *r)
{
    return r->algo->kernel ? r->algo->kernel(r->state) : NULL;
}

const wlab_params *wlab_run_params(const wlab_run *r)
{
    return r->params;
}

const wlab_params *wlab_run_params_first(const wlab_run *r)
{
    return r->first;
}

int wlab_run_changes(const wlab_run *r, const wlab_change **change)
{
    if (change)
        *change = r->change;
    return r->changes;
}

void *wlab_run_state(const wlab_run *r)
{
    return r->state;
}

int64_t wlab_run_iter(const wlab_run *r)
{
    return r->iter;
}

int64_t wlab_run_inner(const wlab_run *r)
{
    return r->inner;
}

int64_t wlab_run_half(const wlab_run *r)
{
    return r->half;
}

wlab_verdict wlab_run_verdict(const wlab_run *r)
{
    return r->verdict;
}

const int8_t *wlab_run_labels(const wlab_run *r)
{
    return r->labels;
}

const int8_t *wlab_run_labels_first(const wlab_run *r)
{
    return r->labels_first;
}

void wlab_run_since(const wlab_run *r, int64_t *since)
{
    memset(since, 0, (size_t)r->problem->n * sizeof *since);
    for (int64_t t = 1; t <= r->iter; t++)
        for (int64_t k = 0; k < r->row[t].nflips; k++)
            since[r->row[t].flip[k].instance] = r->row[t].iter;
    for (int64_t i = 0; r->half > 0 && i < r->problem->n; i++)
        if (r->labels[i] != r->before[i])
            since[i] = r->iter + 1;
}

const int8_t *wlab_run_labels_before(const wlab_run *r)
{
    return r->before;
}

int64_t wlab_run_trace(const wlab_run *r, const wlab_trace_row **rows)
{
    *rows = r->row;
    return r->iter + 1;
}

void wlab_run_observe(const wlab_run *r, const void *state, double *metric, int8_t *labels)
{
    r->own->observe(state, metric, labels);
    for (int i = r->nown; metric && i < r->nmetrics; i++)
        metric[i] = NAN;
}

void wlab_run_metrics(const wlab_run *r, double *metric)
{
    wlab_run_observe(r, r->state, metric, NULL);
    for (int i = r->nown; i < r->nmetrics && r->half == 0; i++)
        metric[i] = r->row[r->iter].metric[i];
}

wlab_code wlab_run_recorded(const wlab_run *r, wlab_probed *out, wlab_err *err)
{
    const wlab_probe *probe = wlab_probe_recorded(r->algo);

    *out = (wlab_probed){0};
    return probe ? probe->get(r->state, &(wlab_probe_ask){.probe = probe}, out, NULL, err) : WL_OK;
}

int wlab_run_names(const wlab_run *r, const char *const **names)
{
    *names = r->names;
    return r->nmetrics + 2;
}

size_t wlab_run_history(const wlab_run *r, int *snapshots)
{
    if (snapshots)
        *snapshots = r->history.count;
    return r->history.bytes;
}

void wlab_run_set_history(wlab_run *r, size_t bytes)
{
    r->history.budget = bytes ? bytes : (size_t)DEFAULT_HISTORY_MIB << 20;
    wlab_history_thin(&r->history, r->problem->n);
}

static void row_values(const wlab_run *r, const wlab_trace_row *row, double *value)
{
    value[0] = (double)row->iter;
    value[1] = (double)row->inner;
    for (int i = 0; i < r->nmetrics; i++)
        value[i + 2] = row->metric[i];
}

void wlab_run_values(const wlab_run *r, double *now, double *before, bool *has_before)
{
    row_values(r, &r->row[r->iter], now);
    *has_before = r->iter > 0;
    if (r->iter > 0)
        row_values(r, &r->row[r->iter - 1], before);
}

bool wlab_run_holds(const wlab_run *r, const wlab_expr *expr, int *missing)
{
    double *now = r->scratch, *before = r->scratch + r->nmetrics + 2;
    bool has_before;

    wlab_run_values(r, now, before, &has_before);
    return wlab_expr_true(expr, now, has_before ? before : NULL, missing);
}

/* ---- steps ---- */

/* Allocates memory for the next row, so that nothing can fail after its step. */
static wlab_code row_reserve(wlab_run *r)
{
    if (r->iter + 2 > r->row_cap) {
        wlab_trace_row *row = wlab_realloc(r->row, (size_t)r->row_cap * 2, sizeof *row);

        if (!row)
            return WL_ENOMEM;
        r->row = row;
        r->row_cap *= 2;
    }
    if (!r->spare)
        r->spare = wlab_calloc((size_t)r->nmetrics, sizeof *r->spare);
    if (!r->flips)
        r->flips = wlab_alloc((size_t)r->problem->n, sizeof *r->flips);
    return r->spare && r->flips ? WL_OK : WL_ENOMEM;
}

/* Stores the labels that the step changed in the row: in memory of the exact size, or if there is none, in the reserved
 * buffer. */
static void row_flips(wlab_run *r, wlab_trace_row *row)
{
    int64_t k = 0;

    for (int64_t from = 0; from < r->problem->n; from += COMPARED) { /* most labels remain as they are */
        const int64_t end = from + COMPARED < r->problem->n ? from + COMPARED : r->problem->n;
        if (memcmp(r->labels + from, r->last + from, (size_t)(end - from)) == 0)
            continue;
        for (int64_t i = from; i < end; i++)
            if (r->labels[i] != r->last[i])
                r->flips[k++] = (wlab_flip){(int32_t)i, r->last[i] = r->labels[i]};
    }
    row->nflips = k;
    if (k == 0)
        return;
    row->flip = wlab_alloc((size_t)k, sizeof *row->flip);
    if (row->flip) {
        memcpy(row->flip, r->flips, (size_t)k * sizeof *row->flip);
    } else {
        row->flip = r->flips;
        r->flips = NULL;
    }
}

/* Completes a step: adds its row, takes a snapshot and reports the step.  If memory is short, the weights or the
 * snapshot are lost (goto then starts from an earlier one), but never the step. */
static void step_complete(wlab_run *r, const wlab_step *step, wlab_ctx *ctx, wlab_ctx *relay)
{
    wlab_trace_row *row = &r->row[r->iter + 1];
    wlab_probed weights = {0};
    wlab_past past;
    wlab_event event = {.kind = WL_EV_STEP, .run = r->number};
    wlab_err err = {0};

    *row = (wlab_trace_row){.iter = r->iter + 1,
                            .inner = r->inner,
                            .verdict = step->verdict,
                            .phase = step->phase,
                            .phase_complete = step->phase_complete,
                            .metric = r->spare,
                            .made = ++r->made};
    r->spare = NULL;
    row_flips(r, row);
    r->iter++;
    r->half = 0;
    r->verdict = step->verdict;
    if (wlab_run_recorded(r, &weights, NULL))
        wlab_emit_warning(relay, "memory is short: the weights of step %lld are not kept",
                          (long long)r->iter);
    row->nweights = weights.rows;
    row->weight = weights.value;
    if (r->hidden.sets &&
        wlab_hidden_compute(&r->hidden, r->problem, r->own, r->state, row->metric + r->nown, relay, &err))
        wlab_emit_warning(relay, "step %lld has no score by hidden labels: %s", (long long)r->iter,
                          err.message);
    if (wlab_history_snapshot_due(&r->history)) {
        const double begin = wlab_seconds_now();
        if (wlab_past_take(&past, r, r->state, r->before, NULL) ||
            wlab_history_put(&r->history, &past, r->problem->n))
            wlab_emit_warning(
                relay, "memory is short: no snapshot of step %lld is kept, going back to it takes longer",
                (long long)r->iter);
        r->history.cost = wlab_seconds_now() - begin;
        r->history.worked = 0;
    }
    if (ctx && ctx->emit) {
        event.step = r->iter;
        event.inner = r->inner;
        event.value = wlab_metric_value(r->algo, row->metric, WL_R_OBJECTIVE);
        ctx->emit(ctx->sink, &event);
    }
}

wlab_code wlab_run_stepi(wlab_run *r, wlab_ctx *ctx, bool *did, bool *outer, wlab_err *err)
{
    wlab_relay relay;
    wlab_step step;
    wlab_code code;

    *did = *outer = false;
    if (r->verdict != WL_MORE)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (row_reserve(r))
        return wlab_nomem(err);
    wlab_relay_open(&relay, r, ctx, false);
    const double begin = wlab_seconds_now();
    code = r->algo->advance(r->state, &relay.ctx, &step, err);
    if (code)
        return code;
    r->history.worked += wlab_seconds_now() - begin;
    if (r->half == 0)
        memcpy(r->before, r->labels, (size_t)r->problem->n);
    r->inner++;
    r->half++;
    wlab_run_observe(r, r->state, step.complete || (ctx && ctx->emit) ? r->spare : NULL, r->labels);
    if (ctx && ctx->emit) {
        wlab_event event = {.kind = WL_EV_INNER, .run = r->number, .step = r->iter + 1, .inner = r->inner};

        event.value = wlab_metric_value(r->algo, r->spare, WL_R_OBJECTIVE);
        ctx->emit(ctx->sink, &event);
    }
    if (step.complete)
        step_complete(r, &step, ctx, &relay.ctx);
    *did = true;
    *outer = step.complete;
    return WL_OK;
}

wlab_code wlab_run_step(wlab_run *r, wlab_ctx *ctx, bool *did, wlab_err *err)
{
    bool outer = false, unit = true;
    wlab_code code;

    *did = false;
    while (!outer && unit) {
        code = wlab_run_stepi(r, ctx, &unit, &outer, err);
        if (code)
            return code;
    }
    *did = outer;
    return WL_OK;
}
