/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver thread of a session and the queue of its reports.
 *
 * It runs one job at a time.  During a job only the worker touches the run; others read the copies in the reports.
 * The worker decides where a job stops, after each step and before the next, so that this never depends on timing.
 */
#ifndef WEAKLAB_SESSION_WORKER_H
#define WEAKLAB_SESSION_WORKER_H

#include "weaklab/run.h"

typedef struct wlab_worker wlab_worker;

typedef enum wlab_job_kind {
    WL_JOB_STEP,  /* `count` outer steps; completing an unfinished step is the first */
    WL_JOB_STEPI, /* `count` inner units */
    WL_JOB_GO,    /* until a condition holds or the run ends */
    WL_JOB_PHASE, /* until `count` phases have ended, of an algorithm with phases; at least one step */
    WL_JOB_GOTO,  /* back to the state after step `count` */
    WL_JOB_CALL,  /* any long computation: call(data, ctx, err) */
} wlab_job_kind;

/* Read after each outer step; borrowed until the job has ended. */
typedef struct wlab_stop_at {
    int number; /* of the breakpoint; 0: the job's own condition */
    const wlab_expr *expr;
    bool warned; /* set by the worker, once it has warned that a metric of the condition has no value */
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
    WL_STOP_COUNT,     /* all that was requested is done */
    WL_STOP_FINISHED,  /* the run had already ended: nothing was done */
    WL_STOP_VERDICT,   /* converged, stalled, or a limit, at the last step */
    WL_STOP_CONDITION, /* stop[which] holds */
    WL_STOP_PHASE,     /* the phase has ended */
    WL_STOP_INTERRUPT,
    WL_STOP_ERROR,
} wlab_stop_reason;

typedef enum wlab_report_kind {
    WL_REPORT_EVENT, /* `event`: progress, inner, note, warning */
    WL_REPORT_STEP,  /* an outer step is done: `row`, and the row `before` it */
    WL_REPORT_MODEL, /* wlab_worker_request_model: the model of the last reported step */
    WL_REPORT_END,   /* the job is over; the run may be touched again */
} wlab_report_kind;

typedef struct wlab_report {
    wlab_report_kind kind;
    wlab_event event;
    const wlab_run *run;        /* only its name, algorithm and problem may be read */
    wlab_trace_row row, before; /* STEP: owned by the report; before without weights and flips */
    bool whole;                 /* STEP: there was memory for the row's weights and flips */
    wlab_model *model;          /* MODEL: owned by the report; NULL: it cannot be built */
    int64_t made;               /* MODEL: wlab_trace_row.made of its step */
    wlab_stop_reason reason;    /* END */
    int which;                  /* END: index into stop[], or -1 */
    int64_t steps, units;       /* END: outer steps and inner units done */
    int64_t phases;             /* END: of WL_JOB_PHASE: phases ended */
    int64_t units_after;        /* END: inner units since the last outer step */
    wlab_code code;             /* END: WL_OK, WL_EINTERRUPTED, or the error */
    wlab_err err;
} wlab_report;

/* The function may keep memory that the report owns; it then sets the report's pointers to zero. */
typedef void (*wlab_report_fn)(void *data, wlab_report *);

/* The thread blocks all signals. */
wlab_code wlab_worker_create(wlab_worker **, wlab_err *);
/* Waits for a job under way (interrupt it first); reports that were not drained are lost. */
void wlab_worker_destroy(wlab_worker *);
/* Begin a job; WL_ESTATE while another is under way or its end has not been drained.  Uses pool and interrupt of
 * ctx, but not emit. */
wlab_code wlab_worker_start(wlab_worker *, const wlab_job *, const wlab_ctx *, wlab_err *);
bool wlab_worker_busy(const wlab_worker *); /* from start until the END report was drained */
int wlab_worker_fd(const wlab_worker *);    /* readable when there are reports */
/* Request that the job, if it steps a run, build the model once, after its next step, and report it.  If the job
 * ends before, the request is dropped. */
void wlab_worker_request_model(wlab_worker *);
/* Pass the queued reports to the function, the oldest first, without waiting for more.  Returns whether END was
 * among them. */
bool wlab_worker_drain(wlab_worker *, wlab_report_fn, void *data);
/* Drain until END.  idle (may be NULL): called instead of waiting for the fd; returns when the fd is readable, or
 * earlier. */
void wlab_worker_wait(wlab_worker *, wlab_report_fn, void *data, void (*idle)(void *self, int fd),
                      void *self);

#endif
