/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run: a problem, an algorithm with parameters, its state, its trace, its past.
 *
 * Not thread safe: while a worker steps a run, others read copies sent by events.
 */
#ifndef WEAKLAB_RUN_H
#define WEAKLAB_RUN_H

#include "weaklab/algo.h"
#include "weaklab/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_run wlab_run;

/* An instance whose label a step changed, and what it became. */
typedef struct wlab_flip {
    int32_t instance;
    int8_t to;
} wlab_flip;

/* One row of the trace: the state after outer step `iter`. Row 0 is the start, before any step. */
typedef struct wlab_trace_row {
    int64_t iter;
    int64_t inner; /* inner units since the start */
    wlab_verdict verdict;
    int64_t phase;       /* as the step reported (wlab_step); 0 in row 0 */
    bool phase_complete; /* the same */
    double *metric;      /* [wlab_metric_count] */
    int64_t nweights;    /* the probe that is recorded (mu, ...) after that step */
    double *weight;
    /* [nflips] by instance: labels that differ from the row before, all of them (a metric `flips` may count only some);
     * labels_first and these give the labels after any step.  Row 0 has none. */
    int64_t nflips;
    wlab_flip *flip;
    /* Steps that the run had made by then, those given up since included: no other row of the run ever has it. */
    int64_t made;
} wlab_trace_row;

/* A parameter that was changed after outer step `iter`. */
typedef struct wlab_change {
    int64_t iter;
    char *name, *value;
} wlab_change;

/* Takes references to problem, copies parameters.  history_bytes: what snapshots may take (0: 256 MiB). */
wlab_code wlab_run_create(wlab_run **, const char *name, int number, wlab_problem *, const wlab_algo *,
                          const wlab_params *, size_t history_bytes, wlab_ctx *, wlab_err *);
void wlab_run_destroy(wlab_run *);

const char *wlab_run_name(const wlab_run *);
int wlab_run_number(const wlab_run *);
wlab_problem *wlab_run_problem(const wlab_run *);
const wlab_algo *wlab_run_algo(const wlab_run *);
const wlab_params *wlab_run_params(const wlab_run *);
/* Parameters as at the start, and what `set` changed since, in order; how many. */
const wlab_params *wlab_run_params_first(const wlab_run *);
int wlab_run_changes(const wlab_run *, const wlab_change **);
void *wlab_run_state(const wlab_run *);
int64_t wlab_run_iter(const wlab_run *);  /* outer steps done */
int64_t wlab_run_inner(const wlab_run *); /* inner units done since the start */
int64_t wlab_run_half(const wlab_run *);  /* inner units inside the step begun; 0: between steps */
wlab_verdict wlab_run_verdict(const wlab_run *);
const int8_t *wlab_run_labels(const wlab_run *);        /* [n] now */
const int8_t *wlab_run_labels_first(const wlab_run *);  /* [n] at the start */
const int8_t *wlab_run_labels_before(const wlab_run *); /* [n] after the step before; = now at the start */
int64_t wlab_run_trace(const wlab_run *, const wlab_trace_row **rows); /* iter + 1 rows */
/* Metrics now (also inside a half-done step), in the algorithm's order, then copied out. */
void wlab_run_metrics(const wlab_run *, double *metric);
/* The probe that is recorded (wlab_probe_recorded) now, also inside a half-done step; empty where there is none. */
wlab_code wlab_run_recorded(const wlab_run *, wlab_probed *, wlab_err *);
/* Bytes and number of the snapshots kept; change what they may take (0: 256 MiB). */
size_t wlab_run_history(const wlab_run *, int *snapshots);
void wlab_run_set_history(wlab_run *, size_t bytes);

/* One inner unit / to the end of the outer step.  On a finished run (converged, stalled, limit): nothing
 * changes, *did = false, WL_OK.  Interrupted: WL_EINTERRUPTED, consistent.  Completed outer steps add a trace
 * row, may take a snapshot, and emit WL_EV_STEP. */
wlab_code wlab_run_stepi(wlab_run *, wlab_ctx *, bool *did, bool *outer, wlab_err *);
wlab_code wlab_run_step(wlab_run *, wlab_ctx *, bool *did, wlab_err *);
/* Time travel to after outer step `iter` (0 .. current), bits and generator included: the nearest earlier
 * snapshot is restored and stepped again; parameter changes are applied again where they were made, those
 * made after `iter` are forgotten.  A half-done step is dropped.  All or nothing: interrupted or failed, the
 * run is where it was (or, if memory is short even for that, consistent at an earlier step).  WL_EDIFFERS: a
 * step made again gave other metrics. */
wlab_code wlab_run_goto(wlab_run *, int64_t iter, wlab_ctx *, wlab_err *);
/* A copy of the run as it is now, under another name. */
wlab_code wlab_run_fork(wlab_run **, const wlab_run *, const char *name, int number, wlab_ctx *, wlab_err *);
/* Change one mutable parameter; only between steps (WL_ESTATE inside one).  A finished run may go on after. */
wlab_code wlab_run_set(wlab_run *, const char *name, const char *value, wlab_err *);

/* Whether `name` (NULL: any) was changed after the last step, so that what the trace shows last was made without
 * it. */
bool wlab_run_pending(const wlab_run *, const char *name);

/* ---- conditions ---- */
/* Names for wlab_expr_create: "iter", "inner", then the metrics; owned by the run. */
int wlab_run_names(const wlab_run *, const char *const **names);
/* Their values after the last step and after the one before it (if there is one); arrays as long as names. */
void wlab_run_values(const wlab_run *, double *now, double *before, bool *has_before);
/* The condition after the last step (and the row before it). */
bool wlab_run_holds(const wlab_run *, const wlab_expr *, int *missing);

/* ---- digest ---- */
typedef struct wlab_digest {
    char run[64];
    int64_t iter, inner;
    char verdict[16];
    double objective, gap, flips; /* NaN: the algorithm has none */
    char labels[17];              /* first 16 hex digits of the labels' SHA-256 */
    char metrics[17];             /* the same of all metrics but the volatile, bit for bit */
} wlab_digest;
void wlab_run_digest(const wlab_run *, wlab_digest *);
/* "run=a iter=7 inner=40 verdict=more objective=... gap=... flips=3 labels=... metrics=..." ("-": no value) */
wlab_code wlab_digest_format(const wlab_digest *, wlab_buf *);
wlab_code wlab_digest_parse(wlab_digest *, const char *text, wlab_err *);
/* Equal?  exact: all bits; else objective and gap to `tol` relative (the gap relative to the objective),
 * run, iter, verdict, flips and labels exactly, inner and the hash of the metrics not.  `what`: the first difference with both values. */
bool wlab_digest_equal(const wlab_digest *recorded, const wlab_digest *now, bool exact, double tol,
                       char *what, size_t size);

#ifdef __cplusplus
}
#endif

#endif
