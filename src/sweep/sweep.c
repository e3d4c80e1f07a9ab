/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The scheduler: assigns the missing cells to workers, in the order of the plan, and stores their results.  Only the
 * scheduler uses the store; a lock protects the status that other threads read.
 */
#include "sweep/sweep.h"
#include "base/clock.h"
#include "sweep/message.h"
#include "sweep/state.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    RECEIVE_MS = 100 /* the longest time until an interrupt is noticed */
};

/* ---- creation and destruction ---- */

wlab_code wlab_sweep_create(wlab_sweep **out, wlab_experiment *e, const wlab_sweep_options *options,
                            const wlab_places *places, wlab_err *err)
{
    wlab_sweep *s = wlab_calloc(1, sizeof *s);

    if (!s)
        return wlab_nomem(err);
    s->e = e;
    s->o = *options;
    s->places = *places;
    s->began = wlab_seconds_now();
    (void)pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return WL_OK;
}

void wlab_sweep_destroy(wlab_sweep *s)
{
    if (!s)
        return;
    if (s->workers && s->workers != s->o.workers)
        s->workers->type->destroy(s->workers);
    wlab_store_close(s->store);
    wlab_tally_clear(&s->tally);
    wlab_finished_free(s->first);
    pthread_mutex_destroy(&s->lock);
    wlab_free(s->assignment);
    wlab_free(s->retry_cells);
    wlab_free(s->todo);
    wlab_free(s->setup);
    wlab_free(s);
}

wlab_store *wlab_sweep_store(const wlab_sweep *s)
{
    return s->store;
}

/* ---- progress, for other threads ---- */

void wlab_sweep_times(wlab_sweep *s)
{
    wlab_sweep_status *n = &s->now;
    double now = wlab_seconds_now(), in_hand = 0;
    int64_t missing = n->total - n->before - n->done;
    int64_t counted = n->done < RECENT ? n->done : RECENT;

    n->seconds = now - s->began;
    n->rate = 0;
    n->left = NAN;
    if (counted > 1 || (counted == 1 && s->nworkers == 1)) {
        double from = n->done <= RECENT ? s->began : s->recent[n->done % RECENT];
        n->rate = now > from ? (double)counted / (now - from) : 0;
    }
    if (!s->planned || missing == 0)
        return;
    for (int w = 0; w < s->nworkers; w++) {
        const wlab_assignment *h = &s->assignment[w];
        if (h->cell >= 0) {
            double expected =
                wlab_tally_expect(&s->tally, s->e->cell[h->cell].data, s->e->cell[h->cell].method);
            in_hand += fmin(now - h->since, expected);
        }
    }
    n->left =
        (wlab_tally_left(&s->tally) - in_hand) / (double)(s->nworkers < missing ? s->nworkers : missing);
}

void wlab_sweep_now(wlab_sweep *s, wlab_sweep_status *status)
{
    pthread_mutex_lock(&s->lock);
    wlab_sweep_times(s);
    *status = s->now;
    pthread_mutex_unlock(&s->lock);
}

wlab_finished *wlab_sweep_finished(wlab_sweep *s)
{
    pthread_mutex_lock(&s->lock);
    wlab_finished *all = s->first;
    s->first = s->last = NULL;
    pthread_mutex_unlock(&s->lock);
    return all;
}

void wlab_finished_free(wlab_finished *f)
{
    while (f) {
        wlab_finished *next = f->next;
        wlab_free(f->line);
        json_decref(f->object);
        wlab_free(f);
        f = next;
    }
}

/* ---- finished cells ---- */

static json_t *real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* The object for --json.  It leaves out the long parts of the result: the session and the scores of all candidates are
 * only in the store. */
static json_t *cell_object(const wlab_sweep *s, const wlab_cell *c, const wlab_result *r)
{
    const wlab_experiment *e = s->e;
    json_t *whole = wlab_result_json(r), *o = json_object();
    static const char *const copied[] = {"error", "parameters", "verdict", "iter", "scores"};

    if (!whole || !o) {
        json_decref(whole);
        json_decref(o);
        return NULL;
    }
    json_object_set_new(o, "type", json_string("cell"));
    json_object_set_new(o, "number", json_integer(c->number));
    json_object_set_new(o, "data", json_string(e->data[c->data].name));
    json_object_set_new(o, "setting", json_string(e->setting[c->setting].name));
    json_object_set_new(o, "method", json_string(e->method[c->method].name));
    json_object_set_new(o, "seed", json_integer(c->seed));
    json_object_set_new(o, "fold", c->fold ? json_integer(c->fold) : json_null());
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        json_object_set(o, copied[i], json_object_get(whole, copied[i]));
    json_object_set_new(o, "seconds", real_or_null(r->seconds));
    json_object_set_new(o, "tuning_seconds", real_or_null(r->tuning_seconds));
    json_object_set_new(o, "done", json_integer(s->now.before + s->now.done));
    json_object_set_new(o, "total", json_integer(s->now.total));
    json_decref(whole);
    return o;
}

static char *cell_line(const wlab_sweep *s, const wlab_cell *c, const wlab_result *r)
{
    const json_t *score = json_object_get(r->scores, s->tally.score);
    wlab_buf b = {0};
    char *line = NULL;
    bool bad = wlab_buf_printf(&b, "[%lld/%lld] cell %lld: ", (long long)(s->now.before + s->now.done),
                               (long long)s->now.total, (long long)c->number) ||
               wlab_cell_title(s->e, c, &b);

    if (!bad && r->error) {
        bad = wlab_buf_printf(&b, ": failed: %s", r->error);
    } else if (!bad) {
        bool has = json_is_number(score);
        bad = (has && wlab_buf_printf(&b, ": %s %.3f", s->tally.score, json_number_value(score))) ||
              wlab_buf_printf(&b, "%s %.1f s", has ? "," : ":", r->seconds + r->tuning_seconds) ||
              (r->parameters && wlab_buf_printf(&b, " (%s)", r->parameters));
    }
    if (!bad)
        line = wlab_strdup((const char *)b.data);
    wlab_buf_clear(&b);
    return line;
}

/* If memory is short the cell is not reported; its result is in the store nevertheless. */
static void append_finished(wlab_sweep *s, const wlab_cell *c, const wlab_result *r)
{
    wlab_finished *f = wlab_calloc(1, sizeof *f);

    if (f && (!(f->line = cell_line(s, c, r)) || !(f->object = cell_object(s, c, r)))) {
        wlab_finished_free(f);
        f = NULL;
    }
    if (!f)
        return;
    if (s->last)
        s->last->next = f;
    else
        s->first = f;
    s->last = f;
}

static wlab_code store_result(wlab_sweep *s, int64_t cell, const wlab_result *r, double seconds,
                              wlab_err *err)
{
    const wlab_cell *c = &s->e->cell[cell];
    wlab_code code = wlab_store_put(s->store, r, err);

    if (code)
        return code;
    pthread_mutex_lock(&s->lock);
    s->recent[s->now.done % RECENT] = wlab_seconds_now();
    s->now.done++;
    s->now.failed += r->error != NULL;
    wlab_tally_done(&s->tally, c, r, seconds);
    append_finished(s, c, r);
    pthread_mutex_unlock(&s->lock);
    return WL_OK;
}

/* ---- workers ---- */

static void clear_assignment(wlab_sweep *s, int w)
{
    wlab_assignment *h = &s->assignment[w];

    pthread_mutex_lock(&s->lock);
    s->now.working -= h->cell >= 0;
    *h = (wlab_assignment){.started = h->started, .ready = h->ready, .cell = -1};
    pthread_mutex_unlock(&s->lock);
}

static wlab_code assign_cell(wlab_sweep *s, int w, int64_t cell, int tries, wlab_err *err)
{
    wlab_assignment *h = &s->assignment[w];
    char text[48];
    wlab_code code = WL_OK;

    if (!h->started) {
        code = s->workers->type->start(s->workers, w, err);
        code = code ? code : s->workers->type->send(s->workers, w, s->setup, strlen(s->setup), err);
        if (code)
            return code;
        h->started = true;
    }
    snprintf(text, sizeof text, "{\"cell\":%lld}", (long long)s->e->cell[cell].number);
    code = s->workers->type->send(s->workers, w, text, strlen(text), err);
    if (code)
        return code;
    pthread_mutex_lock(&s->lock);
    h->cell = cell;
    h->tries = tries;
    h->since = wlab_seconds_now();
    s->now.working++;
    pthread_mutex_unlock(&s->lock);
    return WL_OK;
}

/* Give every idle worker a cell.  A worker that cannot be started is an error only if no other one is computing. */
static wlab_code assign_cells(wlab_sweep *s, wlab_err *err)
{
    for (int w = 0; w < s->nworkers; w++) {
        bool retry = s->nretry > 0;
        wlab_code code;

        if (s->assignment[w].cell >= 0)
            continue;
        if (!retry && s->next >= s->ntodo)
            break;
        code = assign_cell(s, w, retry ? s->retry_cells[s->nretry - 1] : s->todo[s->next], retry, err);
        if (code)
            return s->now.working > 0 ? WL_OK : code;
        if (retry)
            s->nretry--;
        else
            s->next++;
    }
    return WL_OK;
}

/* A worker ended.  Its cell is tried once more.  If a worker dies again while it computes that cell, the cell's row in
 * the store says how the worker died.  A worker that was not ready yet had not begun its cell, so its death does not
 * count as a try, but MAX_FAILED_STARTS such deaths in a row end the sweep with an error. */
static wlab_code on_death(wlab_sweep *s, const wlab_worker_event *h, wlab_err *err)
{
    wlab_assignment assignment = s->assignment[h->worker];
    wlab_result r = {0};
    wlab_code code;

    if (!assignment.ready && ++s->failed_starts == MAX_FAILED_STARTS)
        return wlab_fail(err, WL_EIO, "%s, before it was ready for a cell", h->how);
    s->assignment[h->worker].started = s->assignment[h->worker].ready = false;
    clear_assignment(s, h->worker);
    if (assignment.cell < 0)
        return WL_OK;
    if (assignment.tries == 0 || !assignment.ready) { /* after an interrupt the cell stays missing */
        s->retry_cells[s->nretry++] = assignment.cell;
        return WL_OK;
    }
    r.number = s->e->cell[assignment.cell].number;
    memcpy(r.key, s->e->cell[assignment.cell].key, sizeof r.key);
    r.error = wlab_format("%s, in the second attempt too", h->how);
    r.version = wlab_strdup(WLAB_VERSION);
    r.build = wlab_strdup(s->places.build ? s->places.build() : "unknown");
    r.scores = json_object();
    code = r.error && r.version && r.build && r.scores ? store_result(s, assignment.cell, &r, 0, err)
                                                       : wlab_nomem(err);
    wlab_result_clear(&r);
    return code;
}

static void on_ready(wlab_sweep *s, int w)
{
    s->assignment[w].ready = true;
    s->failed_starts = 0;
}

static void on_progress(wlab_sweep *s, wlab_assignment *h, const json_t *o)
{
    const char *text = json_string_value(json_object_get(o, "text"));

    pthread_mutex_lock(&s->lock);
    h->done = json_integer_value(json_object_get(o, "done"));
    h->total = json_integer_value(json_object_get(o, "total"));
    snprintf(h->text, sizeof h->text, "%s", text ? text : "");
    pthread_mutex_unlock(&s->lock);
}

static wlab_code on_result(wlab_sweep *s, int w, const json_t *o, wlab_err *err)
{
    int64_t cell = s->assignment[w].cell;
    double seconds = wlab_seconds_now() - s->assignment[w].since;
    wlab_result r = {0};
    wlab_code code = wlab_result_read(&r, o, err);

    if (!code &&
        (cell < 0 || r.number != s->e->cell[cell].number || strcmp(r.key, s->e->cell[cell].key) != 0))
        code = wlab_fail(err, WL_EINPUT, "a worker sent a result of cell %lld, which was not assigned to it",
                         (long long)r.number);
    if (!code) {
        wlab_code next = WL_OK;
        clear_assignment(s, w);
        if (!s->now.stopping) /* assign before the row is written, so that the worker computes meanwhile */
            next = assign_cells(s, err);
        code = store_result(s, cell, &r, seconds, err);
        code = code ? code : next;
    }
    wlab_result_clear(&r);
    return code;
}

static wlab_code on_message(wlab_sweep *s, const wlab_worker_event *h, wlab_err *err)
{
    json_t *o = json_loadb(h->line, h->len, JSON_ALLOW_NUL, NULL);
    const json_t *result = json_object_get(o, "result"), *fatal = json_object_get(o, "fatal");
    wlab_code code = WL_OK;

    if (result)
        code = on_result(s, h->worker, result, err);
    else if (json_object_get(o, "progress"))
        on_progress(s, &s->assignment[h->worker], o);
    else if (json_object_get(o, "ready"))
        on_ready(s, h->worker);
    else if (json_is_string(fatal))
        code = wlab_fail(err, WL_ESTATE, "a worker cannot compute this experiment: %s",
                         json_string_value(fatal));
    else
        code = wlab_fail(err, WL_EINPUT, "a worker sent an unknown message: '%.60s'", h->line);
    json_decref(o);
    return code;
}

static wlab_code serve_workers(wlab_sweep *s, wlab_ctx *ctx, wlab_err *err)
{
    double reported = 0;
    wlab_worker_event h;
    wlab_code code = WL_OK;

    while (!code) {
        if (wlab_interrupted(ctx) && !s->now.stopping) {
            pthread_mutex_lock(&s->lock);
            s->now.stopping = true;
            pthread_mutex_unlock(&s->lock);
        }
        if (!s->now.stopping)
            code = assign_cells(s, err);
        if (code || s->now.working == 0 || wlab_hurried(ctx))
            break;
        bool came = s->workers->type->receive(s->workers, &h, RECEIVE_MS);
        /* a signal that ends this process may have ended the worker too: then do not count its death */
        if (came && (h.line || !wlab_hurried(ctx)))
            code = h.line ? on_message(s, &h, err) : on_death(s, &h, err);
        if (came || wlab_seconds_now() - reported > 1) {
            reported = wlab_seconds_now();
            wlab_emit_progress(ctx, "cells", s->now.before + s->now.done, s->now.total);
        }
    }
    return code;
}

/* ---- planning ---- */

static bool in_shard(const wlab_sweep *s, int64_t cell)
{
    return cell % s->o.shards + 1 == s->o.shard;
}

static wlab_code add_known_result(void *self, const wlab_result *r, wlab_err *err)
{
    wlab_sweep *s = self;

    (void)err;
    if (r->number >= 1 && r->number <= s->e->cells)
        wlab_tally_known(&s->tally, &s->e->cell[r->number - 1], r);
    return WL_OK;
}

static wlab_code plan_cells(wlab_sweep *s, wlab_ctx *ctx, wlab_err *err)
{
    int64_t kept, anew = 0, n = s->e->cells;
    bool *changed = wlab_calloc((size_t)s->e->ndata, sizeof *changed);
    uint8_t *state = wlab_calloc((size_t)n, 1);
    wlab_code code = wlab_store_open(&s->store, s->o.dir, true, ctx, err);

    s->todo = wlab_alloc((size_t)n, sizeof *s->todo);
    if (!code && (!state || !s->todo || !changed))
        code = wlab_nomem(err);
    code = code ? code : wlab_store_changed(s->store, s->e, changed, err);
    code = code ? code : wlab_store_plan(s->store, s->e, s->o.anew, &kept, err);
    code = code ? code : wlab_store_states(s->store, state, n, err);
    code = code ? code : wlab_tally_create(&s->tally, s->e, err);
    code = code ? code : wlab_store_each(s->store, add_known_result, s, err);
    if (s->store)
        wlab_store_keep_writing(s->store); /* after an interrupt running cells are still stored */
    pthread_mutex_lock(&s->lock);
    for (int64_t i = 0; !code && i < n; i++) {
        if (!in_shard(s, i))
            continue;
        s->now.total++;
        if (state[i] == 1 || (state[i] == 2 && !s->o.retry)) {
            s->now.before++;
            s->now.failed += state[i] == 2;
        } else {
            s->todo[s->ntodo++] = i;
            anew += changed[s->e->cell[i].data];
            wlab_tally_missing(&s->tally, &s->e->cell[i]);
        }
    }
    pthread_mutex_unlock(&s->lock);
    if (!code && anew > 0)
        wlab_emit_warning(ctx, "the data changed: %lld cell%s computed again", (long long)anew,
                          anew == 1 ? " is" : "s are");
    wlab_free(changed);
    wlab_free(state);
    return code;
}

static wlab_code prepare_workers(wlab_sweep *s, wlab_err *err)
{
    int nworkers = s->o.workers ? s->o.workers->size : s->o.processes;
    wlab_code code = WL_OK;

    s->setup = wlab_message_setup(s->e, &s->places);
    if (nworkers > s->ntodo)
        nworkers = (int)s->ntodo;
    s->assignment = wlab_calloc((size_t)nworkers, sizeof *s->assignment);
    s->retry_cells = wlab_alloc((size_t)nworkers, sizeof *s->retry_cells);
    if (!s->setup || !s->assignment || !s->retry_cells)
        return wlab_nomem(err);
    for (int w = 0; w < nworkers; w++)
        s->assignment[w].cell = -1;
    s->workers = s->o.workers;
    if (!s->workers && nworkers > 0)
        code = wlab_workers_processes(&s->workers, nworkers, s->o.program, err);
    if (code)
        return code;
    pthread_mutex_lock(&s->lock);
    s->nworkers = nworkers;
    s->planned = true;
    pthread_mutex_unlock(&s->lock);
    return WL_OK;
}

wlab_code wlab_sweep_run(wlab_sweep *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_experiment_check(s->e, &s->places, ctx, err);

    code = code ? code : plan_cells(s, ctx, err);
    code = code ? code : prepare_workers(s, err);
    if (code)
        return code;
    wlab_emit_progress(ctx, "cells", s->now.before, s->now.total);
    code = serve_workers(s, ctx, err);
    if (s->workers && s->workers != s->o.workers) {
        s->workers->type->destroy(s->workers);
        s->workers = NULL;
    } else if (s->workers) {
        s->workers->abandoned = s->workers->abandoned || s->now.working > 0;
    }
    wlab_emit_progress(ctx, "cells", s->now.before + s->now.done, s->now.total);
    if (!code && s->now.before + s->now.done < s->now.total)
        code = wlab_fail(err, WL_EINTERRUPTED,
                         "interrupted: %lld of %lld cells are in %.200s; the same command continues",
                         (long long)(s->now.before + s->now.done), (long long)s->now.total, s->o.dir);
    return code;
}
