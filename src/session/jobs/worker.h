/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver thread of a session and its event bus.
 *
 * One job at a time.  While it goes on only the worker touches the run: others see the copies in the reports.
 * Where a job stops is decided here, after each step and before the next, so it never depends on timing.
 */
#ifndef WEAKLAB_SESSION_WORKER_H
#define WEAKLAB_SESSION_WORKER_H

#include "weaklab/run.h"

typedef struct wlab_worker wlab_worker;

typedef enum wlab_job_kind {
    WL_JOB_STEP,  /* `count` outer steps; a half-done step is completed as the first */
    WL_JOB_STEPI, /* `count` inner units */
    WL_JOB_GO,    /* until a condition holds or the run ends */
    WL_JOB_PHASE, /* until `count` phases have ended, of an algorithm that has phases; one step at least */
    WL_JOB_GOTO,  /* back to after step `count` */
    WL_JOB_CALL,  /* any long computation: call(data, ctx, err) */
} wlab_job_kind;

/* Read after each outer step; borrowed until the job has ended. */
typedef struct wlab_stop_at {
    int number; /* of the breakpoint; 0: the job's own condition */
    const wlab_expr *expr;
    bool warned; /* written by the worker: that a metric in it has no value was said */
} wlab_stop_at;

typedef struct wlab_job {
    wlab_job_kind kind;
    wlab_run *run;
    int64_t count;
    wlab_stop_at *stop; /* in order of priority */
    int nstops;
    wlab_code (*call)(void *data, wlab_ctx *, wlab_err *);
    void *data;
} wlab_job;

typedef enum wlab_stop_reason {
    WL_STOP_COUNT,     /* all that was asked for was done */
    WL_STOP_FINISHED,  /* the run had ended before: nothing was done */
    WL_STOP_VERDICT,   /* converged, stalled, or a limit, at the last step */
    WL_STOP_CONDITION, /* stop[which] holds */
    WL_STOP_PHASE,     /* the phase has ended */
    WL_STOP_INTERRUPT,
    WL_STOP_ERROR,
} wlab_stop_reason;

typedef enum wlab_report_kind {
    WL_REPORT_EVENT, /* `event`: progress, inner, note, warning */
    WL_REPORT_STEP,  /* an outer step is done: `row`, and the row `before` it */
    WL_REPORT_MODEL, /* wlab_worker_want_model: of the step told last */
    WL_REPORT_END,   /* the job is over; the run may be touched again */
} wlab_report_kind;

typedef struct wlab_report {
    wlab_report_kind kind;
    wlab_event event;
    const wlab_run *run;        /* its name, algorithm and problem only */
    wlab_trace_row row, before; /* STEP: owned by the report; before without weights and flips */
    bool whole;                 /* STEP: memory was there for the row's weights and flips */
    wlab_model *model;          /* MODEL: owned by the report; NULL: it cannot be built */
    int64_t made;               /* MODEL: wlab_trace_row.made of its step */
    wlab_stop_reason reason;    /* END */
    int which;                  /* END: index into stop[], or -1 */
    int64_t steps, units;       /* END: outer steps and inner units done */
    int64_t phases;             /* END: of WL_JOB_PHASE: ended */
    int64_t units_after;        /* END: those of them since the last outer step */
    wlab_code code;             /* END: WL_OK, WL_EINTERRUPTED, or what went wrong */
    wlab_err err;
} wlab_report;

/* May take over what the report owns: set it to zero. */
typedef void (*wlab_report_fn)(void *data, wlab_report *);

/* The thread blocks all signals. */
wlab_code wlab_worker_create(wlab_worker **, wlab_err *);
/* Waits for a job that goes on (interrupt it first); what it reported and was not drained is lost. */
void wlab_worker_destroy(wlab_worker *);
/* Begin a job; WL_ESTATE while another goes on or its end was not drained.  ctx: pool and interrupt are used,
 * emit is not. */
wlab_code wlab_worker_start(wlab_worker *, const wlab_job *, const wlab_ctx *, wlab_err *);
bool wlab_worker_busy(const wlab_worker *); /* from start until the END report was drained */
int wlab_worker_fd(const wlab_worker *);    /* readable when there are reports */
/* The job that steps a run shall build the model after its next step, once, and report it.  Forgotten when the job
 * ends before. */
void wlab_worker_want_model(wlab_worker *);
/* Hand over the reports there are, in order, without waiting.  Returns whether END was among them. */
bool wlab_worker_drain(wlab_worker *, wlab_report_fn, void *data);
/* Drain until END.  idle (may be NULL): called in place of sleeping on the fd; returns when it is readable, or
 * before. */
void wlab_worker_wait(wlab_worker *, wlab_report_fn, void *data, void (*idle)(void *self, int fd),
                      void *self);

#endif
