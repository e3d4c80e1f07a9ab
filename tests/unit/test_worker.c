/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver thread: the order of reports, the places where jobs stop, interrupts, signals, memory.
 */
#include "session/jobs/worker.h"
#include "unit/toy.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static wlab_problem problem = {.refs = 1, .n = TOY_ROWS};

static wlab_run *create_run(const char *name, const char *value)
{
    wlab_params *params = NULL;
    wlab_run *run = NULL;

    assert_int_equal(wlab_params_create(&params, toy_params, NULL), WL_OK);
    if (name)
        assert_int_equal(wlab_params_set(params, name, value, NULL), WL_OK);
    assert_int_equal(wlab_run_create(&run, "a", 1, &problem, &toy_algo, params, 0, NULL, NULL), WL_OK);
    wlab_params_destroy(params);
    return run;
}

/* The reports, as a session would use them. */
typedef struct log {
    int steps, notes, inner, warnings, progress, models, ends;
    wlab_worker *models_of; /* request a model after each step */
    int64_t made;
    double objective;
    int64_t last_iter;
    double sum;
    wlab_report end;
    atomic_int *stop; /* set after `stop_at` steps */
    int stop_at;
    char warning[224];
} log_t;

static void collect_report(void *data, wlab_report *r)
{
    log_t *l = data;

    assert_int_equal(l->ends, 0); /* nothing comes after the end */
    if (r->kind == WL_REPORT_STEP) {
        assert_int_equal(r->row.iter, l->last_iter + 1);
        assert_int_equal(r->before.iter, l->last_iter);
        assert_int_equal(r->event.step, r->row.iter);
        assert_int_equal(r->row.nweights, r->row.iter % 4);
        assert_true(r->whole);
        assert_int_equal(r->row.nflips, r->row.metric[2]);
        for (int64_t k = 0; k < r->row.nflips; k++)
            assert_true(r->row.flip[k].instance < TOY_ROWS && abs(r->row.flip[k].to) == 1);
        l->made = r->row.made;
        l->objective = r->row.metric[0];
        if (l->models_of)
            wlab_worker_request_model(l->models_of);
        l->last_iter = r->row.iter;
        l->sum += r->row.metric[0] + (r->row.nweights ? r->row.weight[0] : 0);
        l->steps++;
        atomic_fetch_add(&toy_turns, TOY_UNITS);
        if (l->stop && l->steps == l->stop_at)
            atomic_store(l->stop, 1);
    } else if (r->kind == WL_REPORT_MODEL) {
        assert_int_equal(r->made, l->made); /* of the last reported step */
        assert_non_null(r->model);
        assert_true(r->model->b[0] == l->objective);
        l->models++;
    } else if (r->kind == WL_REPORT_END) {
        l->ends++;
        l->end = *r;
    } else {
        l->notes += r->event.kind == WL_EV_NOTE;
        l->inner += r->event.kind == WL_EV_INNER;
        l->progress += r->event.kind == WL_EV_PROGRESS;
        l->warnings += r->event.kind == WL_EV_WARNING;
        if (r->event.kind == WL_EV_WARNING)
            snprintf(l->warning, sizeof l->warning, "%s", r->event.text);
    }
}

static void run_job(wlab_worker *w, const wlab_job *job, const wlab_ctx *ctx, log_t *l)
{
    if (job->run)
        l->last_iter = wlab_run_iter(job->run);
    assert_int_equal(wlab_worker_start(w, job, ctx, NULL), WL_OK);
    assert_true(wlab_worker_busy(w));
    wlab_worker_wait(w, collect_report, l, NULL, NULL);
    assert_false(wlab_worker_busy(w));
    assert_int_equal(l->ends, 1);
}

static wlab_worker *create_worker(void)
{
    wlab_worker *w = NULL;

    assert_int_equal(wlab_worker_create(&w, NULL), WL_OK);
    return w;
}

static void test_steps(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run(NULL, NULL);
    const wlab_trace_row *row;
    log_t l = {0};
    double sum = 0;

    (void)state;
    run_job(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 50}, NULL, &l);
    assert_int_equal(l.steps, 50);
    assert_int_equal(l.notes, 50);
    assert_in_range(l.inner, 0, 150); /* inner reports may be dropped, the others never */
    assert_int_equal(l.end.reason, WL_STOP_COUNT);
    assert_int_equal(l.end.steps, 50);
    assert_int_equal(l.end.units, 150);
    assert_int_equal(l.end.which, -1);
    assert_int_equal(wlab_run_trace(run, &row), 51);
    for (int i = 1; i <= 50; i++)
        sum += row[i].metric[0] + (row[i].nweights ? row[i].weight[0] : 0);
    assert_true(sum == l.sum);
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

static void test_units(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run(NULL, NULL);
    log_t l = {0};

    (void)state;
    run_job(w, &(wlab_job){.kind = WL_JOB_STEPI, .run = run, .count = 5}, NULL, &l);
    assert_int_equal(l.end.units, 5);
    assert_int_equal(l.end.steps, 1);
    assert_int_equal(l.end.units_after, 2);
    assert_int_equal(wlab_run_half(run), 2);
    l = (log_t){0};
    run_job(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 1}, NULL, &l); /* completes */
    assert_int_equal(l.end.units, 1);
    assert_int_equal(wlab_run_iter(run), 2);
    assert_int_equal(wlab_run_half(run), 0);
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

static void test_conditions(void **state)
{
    static const struct {
        const char *until, *stop[2];
        int64_t iter;
        wlab_stop_reason reason;
        int which, warnings;
    } cases[] = {
        {"iter == 7", {NULL}, 7, WL_STOP_CONDITION, 0, 0},
        {NULL, {"iter == 9", "iter > 4"}, 5, WL_STOP_CONDITION, 1, 0},
        {"iter == 5", {"iter == 5", NULL}, 5, WL_STOP_CONDITION, 0, 0},
        {"gap < 0.1", {NULL}, 11, WL_STOP_CONDITION, 0, 1}, /* no gap at even steps: reported once */
        {"gap < 0.1", {"gap < 0.2", NULL}, 7, WL_STOP_CONDITION, 1, 2},
        {"objective decreases", {NULL}, 12, WL_STOP_VERDICT, -1, 0},
        {NULL, {NULL}, 12, WL_STOP_VERDICT, -1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_worker *w = create_worker();
        wlab_run *run = create_run("limit", "12");
        const char *const *names;
        int n = wlab_run_names(run, &names), nstops = 0;
        wlab_stop_at stop[3] = {{0}};
        wlab_expr *expr[3] = {NULL};
        log_t l = {0};

        for (int k = 0; k < 3; k++) {
            const char *text = k == 0 ? cases[i].until : cases[i].stop[k - 1];

            if (!text)
                continue;
            assert_int_equal(wlab_expr_create(&expr[nstops], text, names, n, NULL), WL_OK);
            stop[nstops] = (wlab_stop_at){.number = k, .expr = expr[nstops]};
            nstops++;
        }
        run_job(w, &(wlab_job){.kind = WL_JOB_GO, .run = run, .stop = stop, .nstops = nstops}, NULL, &l);
        assert_int_equal(wlab_run_iter(run), cases[i].iter);
        assert_int_equal(l.end.reason, cases[i].reason);
        assert_int_equal(l.end.which, cases[i].which);
        assert_int_equal(l.warnings, cases[i].warnings);
        if (l.warnings)
            assert_non_null(strstr(l.warning, "gap has no value at step 2"));
        l = (log_t){0};
        if (cases[i].reason == WL_STOP_VERDICT) {
            run_job(w, &(wlab_job){.kind = WL_JOB_GO, .run = run}, NULL, &l);
            assert_int_equal(l.end.reason, WL_STOP_FINISHED);
            assert_int_equal(l.end.units, 0);
        }
        for (int k = 0; k < 3; k++)
            wlab_expr_destroy(expr[k]);
        wlab_run_destroy(run);
        wlab_worker_destroy(w);
    }
}

/* A breakpoint stops `step N` before its end, and inside `stepi N`, after a completed step. */
static void test_break_in_steps(void **state)
{
    for (int k = 0; k < 2; k++) {
        wlab_worker *w = create_worker();
        wlab_run *run = create_run(NULL, NULL);
        const char *const *names;
        int n = wlab_run_names(run, &names);
        wlab_stop_at stop = {.number = 3};
        wlab_expr *expr = NULL;
        log_t l = {0};

        (void)state;
        assert_int_equal(wlab_expr_create(&expr, "iter == 2", names, n, NULL), WL_OK);
        stop.expr = expr;
        run_job(
            w,
            &(wlab_job){
                .kind = k ? WL_JOB_STEPI : WL_JOB_STEP, .run = run, .count = 20, .stop = &stop, .nstops = 1},
            NULL, &l);
        assert_int_equal(wlab_run_iter(run), 2);
        assert_int_equal(wlab_run_inner(run), 2 * TOY_UNITS);
        assert_int_equal(l.end.reason, WL_STOP_CONDITION);
        wlab_expr_destroy(expr);
        wlab_run_destroy(run);
        wlab_worker_destroy(w);
    }
}

static wlab_code add_up(void *data, wlab_ctx *ctx, wlab_err *err)
{
    for (int i = 0; i < 1000; i++) {
        ++*(int *)data;
        wlab_emit_progress(ctx, "items", i + 1, 1000);
    }
    return wlab_fail(err, WL_EIO, "as planned");
}

static void test_goto_and_call(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run(NULL, NULL);
    log_t l = {0};
    int sum = 0;

    (void)state;
    wlab_run_set_history(run, 1);
    run_job(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 20}, NULL, &l);
    l = (log_t){0};
    run_job(w, &(wlab_job){.kind = WL_JOB_GOTO, .run = run, .count = 13}, NULL, &l);
    assert_int_equal(wlab_run_iter(run), 13);
    assert_int_equal(l.steps + l.notes, 0);
    assert_in_range(l.progress, 1, 13);
    l = (log_t){0};
    run_job(w, &(wlab_job){.kind = WL_JOB_CALL, .call = add_up, .data = &sum}, NULL, &l);
    assert_int_equal(sum, 1000);
    assert_in_range(l.progress, 1, 1000);
    assert_int_equal(l.end.code, WL_EIO);
    assert_int_equal(l.end.reason, WL_STOP_ERROR);
    assert_string_equal(l.end.err.message, "as planned");
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

static atomic_int events_sent;

static wlab_code send_many(void *data, wlab_ctx *ctx, wlab_err *err)
{
    wlab_event inner = {.kind = WL_EV_INNER};

    (void)data;
    (void)err;
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 500; i++) {
            wlab_emit_progress(ctx, "items", i + 1, 500);
            ctx->emit(ctx->sink, &inner);
        }
        wlab_emit_note(ctx, "part %d", part);
    }
    atomic_store(&events_sent, 1);
    return WL_OK;
}

/* The reports are read only after the job has sent all of them.  Progress reports between two notes are merged into
 * one, and so are inner reports. */
static void test_coalescing(void **state)
{
    wlab_worker *w = create_worker();
    log_t l = {0};

    (void)state;
    assert_int_equal(wlab_worker_start(w, &(wlab_job){.kind = WL_JOB_CALL, .call = send_many}, NULL, NULL),
                     WL_OK);
    while (!atomic_load(&events_sent))
        usleep(1000);
    while (!wlab_worker_drain(w, collect_report, &l))
        usleep(1000);
    assert_int_equal(l.progress, 2);
    assert_int_equal(l.inner, 2);
    assert_int_equal(l.notes, 2);
    assert_int_equal(l.ends, 1);
    wlab_worker_destroy(w);
}

/* As when a terminal is stopped, no report is read before the job is over.  All steps and notes are kept; progress
 * within completed steps is dropped. */
static void test_piling(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run("held", "1");
    log_t l = {0};

    (void)state;
    atomic_store(&toy_turns, 200 * TOY_UNITS);
    assert_int_equal(
        wlab_worker_start(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 200}, NULL, NULL), WL_OK);
    while (atomic_load(&toy_turns) > 0)
        usleep(1000);
    wlab_worker_wait(w, collect_report, &l, NULL, NULL);
    assert_int_equal(l.steps, 200);
    assert_int_equal(l.notes, 200);
    assert_in_range(l.inner, 0, 150);
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

/* A requested model is reported right after its step. */
static void test_models(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run("held", "1");
    log_t l = {.models_of = w};

    (void)state;
    atomic_store(&toy_turns, TOY_UNITS);
    run_job(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 40}, NULL, &l);
    assert_int_equal(l.steps, 40);
    assert_in_range(l.models, 1, 39);
    l = (log_t){.ends = 0};
    wlab_worker_request_model(w); /* before a job begins: dropped */
    run_job(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 5}, NULL, &l);
    assert_int_equal(l.models, 0);
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

static void test_busy(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run("held", "1");
    wlab_job job = {.kind = WL_JOB_STEP, .run = run, .count = 5};
    log_t l = {0};
    wlab_err err;

    (void)state;
    atomic_store(&toy_turns, 0);
    assert_int_equal(wlab_worker_start(w, &job, NULL, &err), WL_OK);
    assert_int_equal(wlab_worker_start(w, &job, NULL, &err), WL_ESTATE);
    atomic_store(&toy_turns, TOY_UNITS);
    wlab_worker_wait(w, collect_report, &l, NULL, NULL);
    assert_int_equal(l.steps, 5);
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

/* The session's thread sets the flag at the report of step 4.  Where the run stops depends on timing; that it is
 * consistent does not. */
static void test_interrupt(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run("held", "1"), *expected;
    atomic_int flag = 0;
    wlab_ctx ctx = {.interrupt = &flag};
    log_t l = {.stop = &flag, .stop_at = 4};
    wlab_digest a, b;
    char what[100];
    bool did, outer;

    (void)state;
    atomic_store(&toy_turns, TOY_UNITS);
    run_job(w, &(wlab_job){.kind = WL_JOB_GO, .run = run}, &ctx, &l);
    assert_int_equal(l.end.code, WL_EINTERRUPTED);
    assert_int_equal(l.end.reason, WL_STOP_INTERRUPT);
    assert_true(l.end.steps >= 4 && l.end.steps < 1000);
    assert_int_equal(l.end.steps, wlab_run_iter(run));
    assert_int_equal(l.end.units_after, wlab_run_half(run));
    expected = create_run(NULL, NULL);
    for (int64_t i = 0; i < l.end.units; i++)
        assert_int_equal(wlab_run_stepi(expected, NULL, &did, &outer, NULL), WL_OK);
    wlab_run_digest(run, &a);
    wlab_run_digest(expected, &b);
    if (!wlab_digest_equal(&a, &b, true, 0, what, sizeof what))
        fail_msg("%s", what);
    wlab_run_destroy(expected);
    wlab_run_destroy(run);
    wlab_worker_destroy(w);
}

/* Destroying the worker waits for a job that has begun, and drops one that has not; the reports are lost. */
static void test_destroy_busy(void **state)
{
    wlab_worker *w = create_worker();
    wlab_run *run = create_run("held", "1");

    (void)state;
    atomic_store(&toy_turns, 0);
    assert_int_equal(
        wlab_worker_start(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 3}, NULL, NULL), WL_OK);
    atomic_store(&toy_turns, 3 * TOY_UNITS);
    wlab_worker_destroy(w);
    assert_true(wlab_run_iter(run) == 3 || wlab_run_iter(run) == 0); /* done, or not started */
    assert_int_equal(wlab_run_half(run), 0);
    wlab_run_destroy(run);
}

static void ignore_signal(int number)
{
    (void)number;
}

static wlab_code read_mask(void *data, wlab_ctx *ctx, wlab_err *err)
{
    (void)ctx;
    (void)err;
    pthread_sigmask(SIG_SETMASK, NULL, data);
    return WL_OK;
}

static void test_signals(void **state)
{
    wlab_worker *w = create_worker();
    sigset_t mask, own;
    log_t l = {0};

    (void)state;
    signal(SIGINT, ignore_signal);
    run_job(w, &(wlab_job){.kind = WL_JOB_CALL, .call = read_mask, .data = &mask}, NULL, &l);
    assert_true(sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1 &&
                sigismember(&mask, SIGWINCH) == 1);
    pthread_sigmask(SIG_SETMASK, NULL, &own);
    assert_false(sigismember(&own, SIGINT) == 1);
    wlab_worker_destroy(w);
}

static void test_memory(void **state)
{
    (void)state;
    for (long k = 1;; k++) {
        wlab_worker *w = NULL;
        wlab_run *run = create_run(NULL, NULL);
        log_t l = {0};
        wlab_code code;
        wlab_err err;
        long used;

        wlab_alloc_fail_at(k);
        code = wlab_worker_create(&w, &err);
        if (!code)
            code = wlab_worker_start(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 3}, NULL, &err);
        if (!code) {
            wlab_worker_wait(w, NULL, NULL, NULL, NULL);
            l.last_iter = wlab_run_iter(run);
        }
        used = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        assert_true(code == WL_OK || code == WL_ENOMEM);
        if (w) { /* the worker still works */
            run_job(w, &(wlab_job){.kind = WL_JOB_STEP, .run = run, .count = 2}, NULL, &l);
            assert_int_equal(l.end.code, WL_OK);
            assert_int_equal(l.steps, 2);
        }
        wlab_worker_destroy(w);
        wlab_run_destroy(run);
        if (used < k) {
            assert_int_equal(code, WL_OK);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),         cmocka_unit_test(test_units),
        cmocka_unit_test(test_conditions),    cmocka_unit_test(test_break_in_steps),
        cmocka_unit_test(test_goto_and_call), cmocka_unit_test(test_coalescing),
        cmocka_unit_test(test_piling),        cmocka_unit_test(test_models),
        cmocka_unit_test(test_busy),          cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_destroy_busy),  cmocka_unit_test(test_signals),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
