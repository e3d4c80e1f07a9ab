/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver thread: runs jobs and queues their reports; an eventfd announces them.
 */
#include "session/jobs/worker.h"
#include "base/clock.h"
#include "base/locale.h"
#include "base/progress.h"
#include "base/thread.h"
#include "run/history.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef struct node {
    struct node *next, *prev;
    wlab_report report;
} node;

struct wlab_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* has_job or quit was set */
    int fd;

    /* under the lock */
    node *head, *tail;
    node *inner, *progress; /* not yet drained and followed only by their like: overwritten */
    node *end;              /* the END report, allocated when the job begins */
    bool has_job, quit;

    atomic_bool request_model;

    bool busy;                   /* only for the session's thread */
    const atomic_int *interrupt; /* the session's flag */
    wlab_job job;
    wlab_pool *pool;
    struct wlab_ranks *ranks; /* the same as in the context of the job */

    /* only for the worker, during a job */
    wlab_report *outcome; /* inside `end` */
    node *step;           /* the next STEP report, allocated before the step is made */
    double *now, *before; /* values for conditions */
};

static void node_free(node *n)
{
    if (!n)
        return;
    wlab_row_clear(&n->report.row);
    wlab_row_clear(&n->report.before);
    wlab_model_destroy(n->report.model);
    wlab_free(n);
}

/* ---- the bus ---- */

static void announce(const wlab_worker *w)
{
    uint64_t one = 1;

    while (write(w->fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* A report that later ones of its kind supersede. */
static bool is_transient(const node *n)
{
    return n->report.kind == WL_REPORT_EVENT &&
           (n->report.event.kind == WL_EV_PROGRESS || n->report.event.kind == WL_EV_INNER);
}

/* Under the lock. */
static void append(wlab_worker *w, node *n)
{
    bool first = !w->head;

    n->next = NULL;
    n->prev = w->tail;
    if (w->tail)
        w->tail->next = n;
    else
        w->head = n;
    w->tail = n;
    if (!is_transient(n))
        w->inner = w->progress = NULL;
    if (first)
        announce(w);
}

/* Called with the lock held.  Drops the progress reports of a step that is complete: they are out of date.  So while
 * a stopped terminal drains nothing, only steps, notes and warnings accumulate. */
static void drop_progress(wlab_worker *w)
{
    node *before;

    for (node *n = w->tail; n && n->report.kind != WL_REPORT_STEP; n = before) {
        before = n->prev;
        if (!is_transient(n))
            continue;
        *(n->prev ? &n->prev->next : &w->head) = n->next;
        *(n->next ? &n->next->prev : &w->tail) = n->prev;
        node_free(n);
    }
    w->inner = w->progress = NULL;
}

static void post_event(wlab_worker *w, const wlab_event *event)
{
    node **slot = event->kind == WL_EV_PROGRESS ? &w->progress
                  : event->kind == WL_EV_INNER  ? &w->inner
                                                : NULL;

    pthread_mutex_lock(&w->lock);
    if (slot && *slot) {
        (*slot)->report.event = *event;
    } else {
        node *n = wlab_calloc(1, sizeof *n);

        if (n) { /* without memory the event is lost: it is only a remark */
            n->report.kind = WL_REPORT_EVENT;
            n->report.event = *event;
            n->report.run = w->job.run;
            append(w, n);
            if (slot)
                *slot = n;
        }
    }
    pthread_mutex_unlock(&w->lock);
}

static void row_fill(wlab_trace_row *to, const wlab_trace_row *from, int n)
{
    double *metric = to->metric;

    *to = *from;
    to->metric = metric;
    to->weight = NULL;
    to->flip = NULL;
    to->nweights = to->nflips = 0;
    memcpy(metric, from->metric, (size_t)n * sizeof *metric);
}

/* Post the step just made, copied into the report allocated for it. */
static void post_step(wlab_worker *w, const wlab_event *event)
{
    const wlab_trace_row *row;
    int64_t iter = wlab_run_trace(w->job.run, &row) - 1;
    int n = wlab_metric_count(wlab_run_algo(w->job.run));
    node *s = w->step;

    if (!s)
        return;
    s->report.event = *event;
    row_fill(&s->report.row, &row[iter], n);
    row_fill(&s->report.before, &row[iter - 1], n);
    s->report.whole = wlab_row_extras(&s->report.row, &row[iter]) == WL_OK;
    w->step = NULL;
    pthread_mutex_lock(&w->lock);
    drop_progress(w);
    append(w, s);
    pthread_mutex_unlock(&w->lock);
}

/* Post the model of the step just made.  A failure to build or post it is no error. */
static void post_model(wlab_worker *w, wlab_ctx *ctx)
{
    const wlab_run *run = w->job.run;
    wlab_ctx quiet = {.pool = ctx->pool, .interrupt = ctx->interrupt};
    const wlab_trace_row *row;
    int64_t iter = wlab_run_trace(run, &row) - 1;
    node *n = wlab_calloc(1, sizeof *n);

    if (!n)
        return;
    n->report.kind = WL_REPORT_MODEL;
    n->report.run = run;
    n->report.made = row[iter].made;
    if (!wlab_run_algo(run)->model ||
        wlab_run_algo(run)->model(wlab_run_state(run), &n->report.model, &quiet, NULL))
        n->report.model = NULL;
    pthread_mutex_lock(&w->lock);
    append(w, n);
    pthread_mutex_unlock(&w->lock);
}

static void emit(void *sink, const wlab_event *event)
{
    if (event->kind == WL_EV_STEP)
        post_step(sink, event);
    else
        post_event(sink, event);
}

static wlab_code step_reserve(wlab_worker *w, wlab_err *err)
{
    size_t n = (size_t)wlab_metric_count(wlab_run_algo(w->job.run));
    node *s;

    if (w->step)
        return WL_OK;
    s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->report.kind = WL_REPORT_STEP;
    s->report.run = w->job.run;
    s->report.row.metric = wlab_alloc(n, sizeof(double));
    s->report.before.metric = wlab_alloc(n, sizeof(double));
    if (!s->report.row.metric || !s->report.before.metric) {
        node_free(s);
        return wlab_nomem(err);
    }
    w->step = s;
    return WL_OK;
}

/* ---- jobs ---- */

/* The index of the first condition that holds, or -1.  Evaluates all of them, for the warnings. */
static int find_condition(wlab_worker *w)
{
    bool has_before;
    int found = -1;

    if (w->job.nstops == 0)
        return -1;
    wlab_run_values(w->job.run, w->now, w->before, &has_before);
    for (int i = 0; i < w->job.nstops; i++) {
        wlab_stop_at *at = &w->job.stop[i];
        int missing = -1;
        bool holds = wlab_expr_true(at->expr, w->now, has_before ? w->before : NULL, &missing);

        if (missing >= 0 && !at->warned) {
            const char *const *names;
            wlab_ctx ctx = {.emit = emit, .sink = w};

            wlab_run_names(w->job.run, &names);
            wlab_emit_warning(&ctx,
                              "%s has no value at step %lld, so in the condition \"%.100s\" every comparison "
                              "with it is false",
                              names[missing], (long long)wlab_run_iter(w->job.run), wlab_expr_text(at->expr));
            at->warned = true;
        }
        if (holds && found < 0)
            found = i;
    }
    return found;
}

/* Is the job over after the units just done? */
static bool is_over(wlab_worker *w, bool outer)
{
    wlab_report *end = w->outcome;

    if (outer) {
        const wlab_trace_row *row;
        const int64_t rows = wlab_run_trace(w->job.run, &row);

        end->which = find_condition(w);
        if (end->which >= 0) {
            end->reason = WL_STOP_CONDITION;
            return true;
        }
        if (wlab_run_verdict(w->job.run) != WL_MORE) {
            end->reason = WL_STOP_VERDICT;
            return true;
        }
        if (w->job.kind == WL_JOB_PHASE && row[rows - 1].phase_complete && ++end->phases >= w->job.count) {
            end->reason = WL_STOP_PHASE;
            return true;
        }
    }
    end->reason = WL_STOP_COUNT;
    if (w->job.kind == WL_JOB_STEP)
        return end->steps >= w->job.count;
    return w->job.kind == WL_JOB_STEPI && end->units >= w->job.count;
}

static void step_run(wlab_worker *w, wlab_ctx *ctx)
{
    enum {
        LONG_MS = 1000
    };
    wlab_run *run = w->job.run;
    wlab_report *end = w->outcome;
    bool did = true, over = false, outer = false;
    int64_t from = wlab_ms_now(); /* of the present step */

    if (wlab_run_verdict(run) != WL_MORE) {
        end->reason = WL_STOP_FINISHED;
        return;
    }
    while (!over) {
        /* a long step of many units, each too short to report anything, tells how many it has made */
        wlab_progress units;
        wlab_progress_begin(&units, wlab_ms_now() - from > LONG_MS ? ctx : NULL, "inner units", 0);
        atomic_store(&units.done, end->units_after);
        end->code = step_reserve(w, &end->err);
        if (!end->code)
            end->code = wlab_run_stepi(run, ctx, &did, &outer, &end->err);
        if (end->code)
            return;
        wlab_progress_add(&units, 1);
        if (outer)
            from = wlab_ms_now();
        end->units += did;
        end->units_after = outer ? 0 : end->units_after + did;
        end->steps += outer;
        over = is_over(w, outer);
        if (outer && !over && atomic_exchange(&w->request_model, false))
            post_model(w, ctx);
    }
}

static void run_job(wlab_worker *w)
{
    wlab_ctx ctx = {.pool = w->pool, .interrupt = w->interrupt, .emit = emit, .sink = w, .ranks = w->ranks};
    wlab_report *end = w->outcome;

    end->which = -1;
    end->reason = WL_STOP_COUNT;
    switch (w->job.kind) {
    case WL_JOB_CALL:
        end->code = w->job.call(w->job.data, &ctx, &end->err);
        break;
    case WL_JOB_GOTO:
        end->code = wlab_run_goto(w->job.run, w->job.count, &ctx, &end->err);
        break;
    default:
        step_run(w, &ctx);
    }
    if (end->code)
        end->reason = end->code == WL_EINTERRUPTED ? WL_STOP_INTERRUPT : WL_STOP_ERROR;
}

static void *serve(void *self)
{
    wlab_worker *w = self;

    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->has_job && !w->quit)
            pthread_cond_wait(&w->wake, &w->lock);
        if (w->quit)
            break;
        w->has_job = false;
        pthread_mutex_unlock(&w->lock);
        wlab_numbers numbers = wlab_numbers_begin();
        run_job(w);
        wlab_numbers_end(&numbers);
        pthread_mutex_lock(&w->lock);
        append(w, w->end);
        w->end = NULL;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- functions for the session's thread ---- */

wlab_code wlab_worker_create(wlab_worker **worker, wlab_err *err)
{
    wlab_worker *w = wlab_calloc(1, sizeof *w);
    int failed;

    *worker = NULL;
    if (!w)
        return wlab_nomem(err);
    w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->fd < 0) {
        wlab_code code = wlab_fail_errno(err, "cannot make the solver's event queue");

        wlab_free(w);
        return code;
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    failed = wlab_thread_start(&w->thread, serve, w);
    if (failed) {
        wlab_code code;

        errno = failed;
        code = wlab_fail_errno(err, "cannot start the solver thread (see `ulimit -v` and `ulimit -u`)");
        pthread_mutex_destroy(&w->lock);
        pthread_cond_destroy(&w->wake);
        close(w->fd);
        wlab_free(w);
        return code;
    }
    *worker = w;
    return WL_OK;
}

void wlab_worker_destroy(wlab_worker *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    while (w->head) {
        node *n = w->head;

        w->head = n->next;
        node_free(n);
    }
    node_free(w->end);
    node_free(w->step);
    wlab_free(w->now);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    close(w->fd);
    wlab_free(w);
}

wlab_code wlab_worker_start(wlab_worker *w, const wlab_job *job, const wlab_ctx *ctx, wlab_err *err)
{
    size_t n = job->run ? (size_t)wlab_metric_count(wlab_run_algo(job->run)) + 2 : 2;
    double *values;
    node *end;

    if (w->busy)
        return wlab_fail(err, WL_ESTATE, "running: Ctrl-C stops it");
    values = wlab_alloc(2 * n, sizeof *values);
    end = wlab_calloc(1, sizeof *end);
    if (!values || !end) {
        wlab_free(values);
        wlab_free(end);
        return wlab_nomem(err);
    }
    end->report.kind = WL_REPORT_END;
    end->report.run = job->run;
    pthread_mutex_lock(&w->lock);
    wlab_free(w->now);
    w->now = values;
    w->before = values + n;
    node_free(w->step); /* of the previous job, which may have been on another run */
    w->step = NULL;
    w->end = end;
    w->outcome = &end->report;
    w->job = *job;
    w->pool = ctx ? ctx->pool : NULL;
    w->interrupt = ctx ? ctx->interrupt : NULL;
    w->ranks = ctx ? ctx->ranks : NULL;
    atomic_store(&w->request_model, false);
    w->has_job = true;
    w->busy = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return WL_OK;
}

void wlab_worker_request_model(wlab_worker *w)
{
    atomic_store(&w->request_model, true);
}

bool wlab_worker_busy(const wlab_worker *w)
{
    return w->busy;
}

int wlab_worker_fd(const wlab_worker *w)
{
    return w->fd;
}

bool wlab_worker_drain(wlab_worker *w, wlab_report_fn report, void *data)
{
    bool ended = false;
    uint64_t rings;
    node *n;

    pthread_mutex_lock(&w->lock);
    if (read(w->fd, &rings, sizeof rings) < 0)
        rings = 0; /* nothing was announced: the queue is empty */
    n = w->head;
    w->head = w->tail = w->inner = w->progress = NULL;
    pthread_mutex_unlock(&w->lock);
    while (n) {
        node *next = n->next;

        if (n->report.kind == WL_REPORT_END) {
            w->busy = false;
            ended = true;
        }
        if (report)
            report(data, &n->report);
        node_free(n);
        n = next;
    }
    return ended;
}

void wlab_worker_wait(wlab_worker *w, wlab_report_fn report, void *data, void (*idle)(void *self, int fd),
                      void *self)
{
    while (w->busy) {
        struct pollfd p = {.fd = w->fd, .events = POLLIN};

        if (idle)
            idle(self, w->fd);
        else
            (void)poll(&p, 1, -1);
        wlab_worker_drain(w, report, data);
    }
}
