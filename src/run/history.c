/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run's past: snapshots and their thinning, goto, fork, and changes of parameters.
 */
#include "run/history.h"
#include <math.h>
#include <string.h>

enum {
    SMALL_SNAPSHOT = 1 << 16, /* bytes: a snapshot of this size takes no noticeable time */
    LEAST_WORK = 20 /* larger ones: the steps in between take at least 20 times as long as a snapshot */
};

/* ---- rows of the trace ---- */

void wlab_row_clear(wlab_trace_row *row)
{
    wlab_free(row->metric);
    wlab_free(row->weight);
    wlab_free(row->flip);
    *row = (wlab_trace_row){0};
}

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *copy = from ? wlab_alloc(n, size) : NULL;

    return copy ? memcpy(copy, from, n * size) : NULL;
}

wlab_code wlab_row_extras(wlab_trace_row *to, const wlab_trace_row *from)
{
    double *weight = copy_of(from->weight, (size_t)from->nweights, sizeof *weight);
    wlab_flip *flip = copy_of(from->flip, (size_t)from->nflips, sizeof *flip);

    if (!weight != !from->weight || !flip != !from->flip) {
        wlab_free(weight);
        wlab_free(flip);
        return WL_ENOMEM;
    }
    to->nweights = from->nweights;
    to->weight = weight;
    to->nflips = from->nflips;
    to->flip = flip;
    return WL_OK;
}

wlab_code wlab_row_copy(wlab_trace_row *to, const wlab_trace_row *from, int nmetrics)
{
    wlab_trace_row row = *from;

    row.metric = copy_of(from->metric, (size_t)nmetrics, sizeof *row.metric);
    if (!row.metric || wlab_row_extras(&row, from)) {
        wlab_free(row.metric);
        return WL_ENOMEM;
    }
    *to = row;
    return WL_OK;
}

/* ---- snapshots ---- */

void wlab_past_clear(wlab_past *past)
{
    if (past->algo && past->algo->hold)
        past->algo->hold(&past->state, -1);
    past->algo = NULL;
    wlab_buf_clear(&past->state);
    past->before = wlab_free(past->before);
}

wlab_code wlab_past_take(wlab_past *past, const wlab_run *r, const void *state, const int8_t *before,
                         wlab_err *err)
{
    wlab_past p = {.iter = r->iter, .inner = r->inner, .changes = r->changes};
    wlab_code code = wlab_algo_snapshot(r->algo, state, &p.state, err);
    size_t n = (size_t)r->problem->n;

    if (!code) {
        p.algo = r->own;
        p.before = wlab_alloc(n, 1);
        if (!p.before)
            code = wlab_nomem(err);
    }
    if (code) {
        wlab_past_clear(&p);
        return code;
    }
    memcpy(p.before, before, n);
    *past = p;
    return WL_OK;
}

static size_t past_bytes(const wlab_past *past, int64_t n)
{
    return past->state.cap + (size_t)n + sizeof *past;
}

static void past_remove(wlab_history *h, int i, int64_t n)
{
    h->bytes -= past_bytes(&h->past[i], n);
    wlab_past_clear(&h->past[i]);
    h->count--;
    memmove(&h->past[i], &h->past[i + 1], (size_t)(h->count - i) * sizeof *h->past);
}

void wlab_history_thin(wlab_history *h, int64_t n)
{
    while (h->bytes > h->budget && h->count > 2) {
        int least = 1;

        /* remove the snapshot whose neighbours are closest to each other; ties: the oldest */
        for (int i = 2; i < h->count - 1; i++)
            if (h->past[i + 1].iter - h->past[i - 1].iter < h->past[least + 1].iter - h->past[least - 1].iter)
                least = i;
        past_remove(h, least, n);
    }
}

bool wlab_history_snapshot_due(const wlab_history *h)
{
    return h->count == 0 || h->past[h->count - 1].state.len <= SMALL_SNAPSHOT ||
           h->worked >= (double)LEAST_WORK * h->cost;
}

wlab_code wlab_history_put(wlab_history *h, wlab_past *past, int64_t n)
{
    int at = h->count;

    while (at > 0 && h->past[at - 1].iter > past->iter)
        at--;
    if (at > 0 && h->past[at - 1].iter == past->iter) {
        at--;
        h->bytes -= past_bytes(&h->past[at], n);
        wlab_past_clear(&h->past[at]);
    } else {
        if (h->count == h->cap) {
            int cap = h->cap ? 2 * h->cap : 8;
            wlab_past *p = wlab_realloc(h->past, (size_t)cap, sizeof *p);

            if (!p) {
                wlab_past_clear(past);
                return WL_ENOMEM;
            }
            h->past = p;
            h->cap = cap;
        }
        memmove(&h->past[at + 1], &h->past[at], (size_t)(h->count - at) * sizeof *h->past);
        h->count++;
    }
    if (past->state.cap > past->state.len && past->state.len > 0) {
        unsigned char *data = wlab_realloc(past->state.data, past->state.len, 1);

        if (data) {
            past->state.data = data;
            past->state.cap = past->state.len;
        }
    }
    h->past[at] = *past;
    h->bytes += past_bytes(past, n);
    wlab_history_thin(h, n);
    return WL_OK;
}

const wlab_past *wlab_history_nearest(const wlab_history *h, int64_t iter)
{
    int i = h->count - 1;

    while (i > 0 && h->past[i].iter > iter)
        i--;
    return &h->past[i];
}

void wlab_history_cut(wlab_history *h, int64_t iter, int64_t n)
{
    while (h->count > 0 && h->past[h->count - 1].iter > iter)
        past_remove(h, h->count - 1, n);
    h->worked = 0; /* goto has discarded these steps */
}

void wlab_history_clear(wlab_history *h)
{
    for (int i = 0; i < h->count; i++)
        wlab_past_clear(&h->past[i]);
    h->past = wlab_free(h->past);
    h->count = h->cap = 0;
    h->bytes = 0;
}

static wlab_code past_copy(wlab_past *to, const wlab_past *from, int64_t n)
{
    *to = *from;
    to->algo = NULL;
    to->state = (wlab_buf){0};
    to->before = wlab_alloc((size_t)n, 1);
    if (!to->before || wlab_buf_put(&to->state, from->state.data, from->state.len)) {
        wlab_past_clear(to);
        return WL_ENOMEM;
    }
    to->algo = from->algo;
    if (to->algo->hold)
        to->algo->hold(&to->state, 1);
    memcpy(to->before, from->before, (size_t)n);
    return WL_OK;
}

wlab_code wlab_past_restore(const wlab_run *r, void *state, const wlab_past *past, wlab_ctx *ctx,
                            wlab_err *err)
{
    wlab_buf buf = past->state;

    buf.pos = 0;
    return wlab_algo_restore(r->algo, state, &buf, ctx, err);
}

wlab_code wlab_past_create(const wlab_run *r, int changes, void **state, wlab_params **params, wlab_ctx *ctx,
                           wlab_err *err)
{
    wlab_code code = wlab_params_copy(params, r->first, err);

    for (int i = 0; !code && i < changes; i++)
        code = wlab_params_set(*params, r->change[i].name, r->change[i].value, err);
    return code ? code : r->own->create(state, r->problem, *params, ctx, err);
}

/* ---- goto ---- */

/* The point that goto has reached.  It has a state of its own if the parameters were different there, else it uses the
 * run's. */
typedef struct travel {
    void *state;
    wlab_params *params; /* NULL: uses the run's state and parameters */
    int64_t iter, inner, half;
    int changes; /* made so far */
    int8_t *labels, *before;
    double *metric;
} travel;

static wlab_code changes_apply(const wlab_run *r, travel *t, wlab_err *err)
{
    while (t->changes < r->changes && r->change[t->changes].iter == t->iter) {
        const wlab_change *c = &r->change[t->changes];
        wlab_code code = wlab_params_set(t->params, c->name, c->value, err);

        if (!code)
            code = r->algo->set(t->state, t->params, err);
        if (code)
            return code;
        t->changes++;
    }
    return WL_OK;
}

/* Checks that the repeated step gave the same verdict, phase and metrics as the first time; volatile metrics may
 * differ. */
static wlab_code row_check(const wlab_run *r, const travel *t, const wlab_step *step, wlab_err *err)
{
    const wlab_trace_row *row = &r->row[t->iter];

    if (step->verdict != row->verdict || step->phase != row->phase ||
        step->phase_complete != row->phase_complete)
        return wlab_fail(err, WL_EDIFFERS,
                         "step %lld of run %s ended as %s in phase %lld, and now as %s in phase %lld: %s is "
                         "not deterministic, please report it",
                         (long long)t->iter, r->name, wlab_verdict_names[row->verdict], (long long)row->phase,
                         wlab_verdict_names[step->verdict], (long long)step->phase, r->algo->name);
    for (int i = 0; i < r->nown; i++) {
        bool same = memcmp(&row->metric[i], &t->metric[i], sizeof(double)) == 0 ||
                    (isnan(row->metric[i]) && isnan(t->metric[i]));

        if (!same && !(r->algo->metrics[i].flags & WL_M_VOLATILE))
            return wlab_fail(
                err, WL_EDIFFERS,
                "step %lld of run %s gave %s = %.17g, and now %.17g: %s is not deterministic, please "
                "report it",
                (long long)t->iter, r->name, r->algo->metrics[i].name, row->metric[i], t->metric[i],
                r->algo->name);
    }
    return WL_OK;
}

static wlab_code step_again(wlab_run *r, travel *t, wlab_ctx *ctx, wlab_err *err)
{
    wlab_step step = {0};
    int8_t *labels;
    wlab_past past;

    while (!step.complete) {
        wlab_code code;

        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        code = r->algo->advance(t->state, ctx, &step, err);
        if (code)
            return code;
        t->inner++;
        t->half++;
    }
    t->iter++;
    t->half = 0;
    labels = t->before;
    t->before = t->labels;
    t->labels = labels;
    r->algo->observe(t->state, t->metric, t->labels);
    if (row_check(r, t, &step, err))
        return WL_EDIFFERS;
    if (!wlab_past_take(&past, r, t->state, t->before, NULL)) {
        past.iter = t->iter;
        past.inner = t->inner;
        past.changes = t->changes;
        (void)wlab_history_put(&r->history, &past, r->problem->n); /* on failure there is only no snapshot */
    }
    return WL_OK;
}

/* Moves the run to the point that goto has reached. */
static void move_run(wlab_run *r, travel *t)
{
    bool changed = false;
    int8_t *swap;

    if (t->params) {
        r->algo->destroy(r->state);
        wlab_params_destroy(r->params);
        r->state = t->state;
        r->params = t->params;
        t->state = NULL;
        t->params = NULL;
    }
    for (int64_t i = r->iter; i > t->iter; i--)
        wlab_row_clear(&r->row[i]);
    memcpy(r->last, r->labels_first, (size_t)r->problem->n);
    for (int64_t i = 1; i <= t->iter; i++)
        for (int64_t k = 0; k < r->row[i].nflips; k++)
            r->last[r->row[i].flip[k].instance] = r->row[i].flip[k].to;
    for (; r->changes > t->changes; r->changes--) {
        wlab_free(r->change[r->changes - 1].name);
        wlab_free(r->change[r->changes - 1].value);
    }
    for (int i = 0; i < r->changes; i++)
        changed = changed || r->change[i].iter == t->iter;
    r->iter = t->iter;
    r->inner = t->inner;
    r->half = t->half;
    r->verdict = changed || t->half ? WL_MORE : r->row[r->iter].verdict;
    swap = r->before;
    r->before = t->half ? t->labels : t->before; /* inside a step: the labels at its start */
    if (t->half)
        t->labels = swap;
    else
        t->before = swap;
    r->algo->observe(r->state, NULL, r->labels);
    wlab_history_cut(&r->history, r->iter, r->problem->n);
}

wlab_code wlab_run_goto(wlab_run *r, int64_t iter, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_past *past;
    wlab_past origin = {0};
    travel t = {0};
    wlab_relay loud, quiet;
    size_t n = (size_t)r->problem->n;
    int64_t start;
    wlab_code code = WL_OK;

    if (iter < 0 || iter > r->iter)
        return wlab_fail(err, WL_EARG, "run %s has been at steps 0 to %lld; it cannot go back to %lld",
                         r->name, (long long)r->iter, (long long)iter);
    if (iter == r->iter && r->half == 0)
        return WL_OK;
    wlab_relay_open(&loud, r, ctx, false);
    wlab_relay_open(&quiet, r, ctx, true);
    past = wlab_history_nearest(&r->history, iter);
    t.iter = start = past->iter;
    t.inner = past->inner;
    t.changes = past->changes;
    t.labels = wlab_alloc(n, 1);
    t.before = wlab_alloc(n, 1);
    t.metric = wlab_calloc((size_t)r->nown, sizeof *t.metric);
    if (!t.labels || !t.before || !t.metric) {
        code = wlab_nomem(err);
        goto out;
    }
    memcpy(t.before, past->before, n);
    if (t.changes == r->changes) {
        t.state = r->state;
        code = wlab_past_take(&origin, r, r->state, r->before, err);
    } else {
        code = wlab_past_create(r, t.changes, &t.state, &t.params, &quiet.ctx, err);
    }
    if (code)
        goto out;
    if ((code = wlab_past_restore(r, t.state, past, &quiet.ctx, err))) {
        /* the state may be partly read: restore it.  If memory ran out, neither call has read anything */
        if (!t.params)
            (void)wlab_past_restore(r, r->state, &origin, &quiet.ctx, NULL);
        goto out;
    }
    r->algo->observe(t.state, NULL, t.labels);
    while (!(code = changes_apply(r, &t, err)) && t.iter < iter) {
        code = step_again(r, &t, &quiet.ctx, err);
        if (code)
            break;
        wlab_emit_progress(&loud.ctx, "steps", t.iter - start, iter - start);
    }
    /* on failure restore the start; if even that fails, the run remains at the point that it has reached */
    if (!code || (!t.params && wlab_past_restore(r, r->state, &origin, &quiet.ctx, NULL)))
        move_run(r, &t);
out:
    if (t.params && t.state)
        r->algo->destroy(t.state);
    wlab_params_destroy(t.params);
    wlab_past_clear(&origin);
    wlab_free(t.labels);
    wlab_free(t.before);
    wlab_free(t.metric);
    return code;
}

/* ---- fork ---- */

static wlab_code trace_copy(wlab_run *to, const wlab_run *from)
{
    wlab_trace_row *row = wlab_realloc(to->row, (size_t)from->row_cap, sizeof *row);

    if (!row)
        return WL_ENOMEM;
    to->row = row;
    to->row_cap = from->row_cap;
    wlab_row_clear(&row[0]);
    to->made = from->made;
    for (int64_t i = 0; i <= from->iter; i++) {
        if (wlab_row_copy(&row[i], &from->row[i], from->nmetrics))
            return WL_ENOMEM;
        to->iter = i;
    }
    return WL_OK;
}

static wlab_code history_copy(wlab_run *to, const wlab_run *from)
{
    const wlab_history *h = &from->history;
    int64_t n = from->problem->n;

    wlab_history_clear(&to->history);
    to->history.budget = h->budget;
    for (int i = 0; i < h->count; i++) {
        wlab_past past;

        if (past_copy(&past, &h->past[i], n) || wlab_history_put(&to->history, &past, n))
            return WL_ENOMEM;
    }
    return WL_OK;
}

static wlab_code changes_copy(wlab_run *to, const wlab_run *from)
{
    to->change = wlab_calloc((size_t)from->changes, sizeof *to->change);
    if (!to->change)
        return WL_ENOMEM;
    to->change_cap = from->changes;
    for (int i = 0; i < from->changes; i++) {
        wlab_change *c = &to->change[i];

        c->iter = from->change[i].iter;
        c->name = wlab_strdup(from->change[i].name);
        c->value = wlab_strdup(from->change[i].value);
        to->changes = i + 1;
        if (!c->name || !c->value)
            return WL_ENOMEM;
    }
    return WL_OK;
}

wlab_code wlab_run_fork(wlab_run **fork, const wlab_run *r, const char *name, int number, wlab_ctx *ctx,
                        wlab_err *err)
{
    wlab_run *f = NULL;
    wlab_past now = {0};
    wlab_params *first = NULL;
    size_t n = (size_t)r->problem->n;
    wlab_code code;

    *fork = NULL;
    if ((code = wlab_past_take(&now, r, r->state, r->before, err)))
        return code;
    /* created with the present parameters, which the snapshot needs when it is restored */
    if ((code =
             wlab_run_create(&f, name, number, r->problem, r->own, r->params, r->history.budget, ctx, err)) ||
        (code = wlab_run_hide(f, r->hidden.sets, r->hidden.test, r->hidden.n_test, err)))
        goto out;
    if ((code = wlab_params_copy(&first, r->first, err)) ||
        (code = wlab_past_restore(r, f->state, &now, ctx, err)))
        goto out;
    wlab_params_destroy(f->first);
    f->first = first;
    first = NULL;
    if (trace_copy(f, r) || history_copy(f, r) || changes_copy(f, r)) {
        code = wlab_nomem(err);
        goto out;
    }
    f->inner = r->inner;
    f->half = r->half;
    f->verdict = r->verdict;
    memcpy(f->labels, r->labels, n);
    memcpy(f->before, r->before, n);
    memcpy(f->labels_first, r->labels_first, n);
    memcpy(f->last, r->last, n);
    *fork = f;
    f = NULL;
out:
    wlab_run_destroy(f);
    wlab_params_destroy(first);
    wlab_past_clear(&now);
    return code;
}

/* ---- changing parameters ---- */

wlab_code wlab_run_set(wlab_run *r, const char *name, const char *value, wlab_err *err)
{
    const wlab_param_info *info;
    wlab_params *params = NULL;
    wlab_change c = {.iter = r->iter};
    wlab_past past;
    wlab_code code;

    if (r->half > 0)
        return wlab_fail(err, WL_ESTATE, "run %s is inside a step: complete the step first, with `step`",
                         r->name);
    if ((code = wlab_params_copy(&params, r->params, err)) ||
        (code = wlab_params_set(params, name, value, err)))
        goto out;
    info = wlab_param_find(wlab_params_table(params), name);
    if (!info || !(info->flags & WL_P_MUTABLE) || !r->algo->set) {
        code = wlab_fail(err, WL_EARG, "%s cannot change during a run of %s; start another: algo %s %s=%s",
                         name, r->algo->name, r->algo->name, name, value);
        goto out;
    }
    if (r->changes == r->change_cap) {
        int cap = 2 * r->change_cap + 4;
        wlab_change *change = wlab_realloc(r->change, (size_t)cap, sizeof *change);

        if (!change) {
            code = wlab_nomem(err);
            goto out;
        }
        r->change = change;
        r->change_cap = cap;
    }
    c.name = wlab_strdup(name);
    c.value = wlab_strdup(value);
    if (!c.name || !c.value) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = r->algo->set(r->state, params, err)))
        goto out;
    r->change[r->changes++] = c;
    c = (wlab_change){0};
    wlab_params_destroy(r->params);
    r->params = params;
    params = NULL;
    r->verdict = WL_MORE; /* the reason to end the run may hold no longer: the next step decides */
    r->algo->observe(r->state, NULL, r->labels);
    /* a snapshot that includes the change saves goto from creating a new state */
    if (!wlab_past_take(&past, r, r->state, r->before, NULL))
        (void)wlab_history_put(&r->history, &past, r->problem->n);
out:
    wlab_params_destroy(params);
    wlab_free(c.name);
    wlab_free(c.value);
    return code;
}

bool wlab_run_pending(const wlab_run *r, const char *name)
{
    for (int i = r->changes; i-- > 0 && r->change[i].iter == r->iter && r->half == 0;)
        if (!name || strcmp(r->change[i].name, name) == 0)
            return true;
    return false;
}
