/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run: a problem, an algorithm with its parameters and state, the trace of its steps, and snapshots for time travel.
 *
 * Not thread safe: while one thread steps a run, others may only read copies that events carry.
 */
#ifndef WEAKLAB_RUN_H
#define WEAKLAB_RUN_H

#include "weaklab/algo.h"
#include "weaklab/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wlab_run wlab_run;

/* An instance whose label a step changed, and its new label. */
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
    int64_t nweights;    /* values of the recorded probe (mu, ...) after the step */
    double *weight;
    /* [nflips] all labels that differ from the row before, by instance (a metric `flips` may count only some of them).
     * labels_first and the flips up to a step give the labels after it.  Row 0 has none. */
    int64_t nflips;
    wlab_flip *flip;
    /* The number of steps that the run had made by then, including those that time travel has dropped since: unique among
     * all rows of the run, past and future. */
    int64_t made;
} wlab_trace_row;

/* A change of a parameter after outer step `iter`. */
typedef struct wlab_change {
    int64_t iter;
    char *name, *value;
} wlab_change;

/* Keeps a reference to the problem and copies the parameters.  history_bytes: the limit for all snapshots (0: 256 MiB). */
wlab_code wlab_run_create(wlab_run **, const char *name, int number, wlab_problem *, const wlab_algo *,
                          const wlab_params *, size_t history_bytes, wlab_ctx *, wlab_err *);
void wlab_run_destroy(wlab_run *);

const char *wlab_run_name(const wlab_run *);
int wlab_run_number(const wlab_run *);
wlab_problem *wlab_run_problem(const wlab_run *);
const wlab_algo *wlab_run_algo(const wlab_run *);
/* The problem that the run solves: the task's, or one that the algorithm made of it (wlab_algo.solved). */
const wlab_problem *wlab_run_solved(const wlab_run *);
/* A parameter's value in use (wlab_algo_setting). */
const char *wlab_run_setting(const wlab_run *, const wlab_param_info *, const wlab_param_info **by,
                             char buf[WL_REAL_TEXT]);
/* Whether rows[t] of a trace reports another restart than the row before: its flips are then the rows on which the labels
 * of the two differ, and not labels that a step changed. */
bool wlab_row_restarted(const wlab_algo *, const wlab_trace_row *rows, int64_t t);
/* What makes the objectives of two runs incomparable, in words: other data, another task, other observed labels, bags or
 * candidates, other algorithms (unless both evaluate the same target problem), another r or set of labelings.  *sure: false
 * for the last two, which an algorithm need not use.  NULL: nothing that is known; settings of one algorithm may differ all
 * the same. */
const char *wlab_problems_differ(const wlab_algo *, const wlab_problem *, const wlab_algo *,
                                 const wlab_problem *, bool *sure);
/* The kernel in use; NULL: the algorithm has none, or it is not known before the first step. */
const wlab_kernel *wlab_run_kernel(const wlab_run *);
const wlab_params *wlab_run_params(const wlab_run *);
/* The parameters at the start. */
const wlab_params *wlab_run_params_first(const wlab_run *);
/* The changes by `set` since the start, in order; returns how many. */
int wlab_run_changes(const wlab_run *, const wlab_change **);
void *wlab_run_state(const wlab_run *);
int64_t wlab_run_iter(const wlab_run *);  /* outer steps done */
int64_t wlab_run_inner(const wlab_run *); /* inner units done since the start */
int64_t wlab_run_half(const wlab_run *);  /* inner units done of an incomplete step; 0: between steps */
wlab_verdict wlab_run_verdict(const wlab_run *);
const int8_t *wlab_run_labels(const wlab_run *);       /* [n] now */
const int8_t *wlab_run_labels_first(const wlab_run *); /* [n] at the start */
const int8_t *
wlab_run_labels_before(const wlab_run *); /* [n] one step before; at the start the same as now */
/* since[n]: the step that gave each instance its present label, 0 if it has had it from the start; inside a step also
 * that step.  From the trace's flips; O(n + flips). */
void wlab_run_since(const wlab_run *, int64_t *since);
int64_t wlab_run_trace(const wlab_run *, const wlab_trace_row **rows); /* iter + 1 rows */
/* Writes the metrics now, also inside an incomplete step, in the order of the algorithm's table. */
void wlab_run_metrics(const wlab_run *, double *metric);
/* The values now of the recorded probe (wlab_probe_recorded), also inside an incomplete step; empty if there is none. */
wlab_code wlab_run_recorded(const wlab_run *, wlab_probed *, wlab_err *);
/* The bytes and the number of the snapshots that are kept. */
size_t wlab_run_history(const wlab_run *, int *snapshots);
void wlab_run_set_history(wlab_run *, size_t bytes); /* the limit for all snapshots; 0: 256 MiB */

/* stepi does one inner unit; step continues to the end of the outer step.  On a finished run (converged, stalled, limit)
 * nothing changes, *did = false, and the code is WL_OK.  WL_EINTERRUPTED leaves the run consistent.  A completed outer step
 * adds a row to the trace, may take a snapshot, and emits WL_EV_STEP. */
wlab_code wlab_run_stepi(wlab_run *, wlab_ctx *, bool *did, bool *outer, wlab_err *);
wlab_code wlab_run_step(wlab_run *, wlab_ctx *, bool *did, wlab_err *);
/* Travels back to the state after outer step `iter` (0 .. current), the same bits and random generator included.  Restores
 * the nearest earlier snapshot and repeats the steps from there, with the changes of parameters where they were made;
 * forgets changes made after `iter`, and drops an incomplete step.  If it is interrupted or fails, the run is as before
 * (or, if memory is too short even for that, consistent at an earlier step).  WL_EDIFFERS: a repeated step gave other
 * metrics. */
wlab_code wlab_run_goto(wlab_run *, int64_t iter, wlab_ctx *, wlab_err *);
/* Copies the run as it is now, under another name. */
wlab_code wlab_run_fork(wlab_run **, const wlab_run *, const char *name, int number, wlab_ctx *, wlab_err *);
/* Changes one mutable parameter; only between steps (WL_ESTATE inside one).  A finished run may continue afterwards. */
wlab_code wlab_run_set(wlab_run *, const char *name, const char *value, wlab_err *);

/* Whether the parameter `name` (NULL: any) was changed after the last step, so that the last row of the trace was computed
 * with its former value. */
bool wlab_run_pending(const wlab_run *, const char *name);

/* ---- conditions ---- */
/* Names for wlab_expr_create: "iter", "inner", then the metrics; owned by the run. */
int wlab_run_names(const wlab_run *, const char *const **names);
/* Their values after the last step and after the one before it (if there is one); arrays as long as names. */
void wlab_run_values(const wlab_run *, double *now, double *before, bool *has_before);
/* Whether the condition holds after the last step; `increases` and the like compare it with the step before. */
bool wlab_run_holds(const wlab_run *, const wlab_expr *, int *missing);

/* ---- scores by hidden labels ---- */
/* Sets of rows or bags whose labels the learner never observes. */
typedef enum wlab_hidden {
    WL_HIDDEN_UNLABELED = 1, /* the training rows without an observed label */
    WL_HIDDEN_TEST = 2,      /* the held-out rows */
    WL_HIDDEN_BAGS = 4       /* the held-out bags, or the training bags if none are held out */
} wlab_hidden;
enum {
    WL_HIDDEN_SETS = 3
};
extern const char
    *const wlab_hidden_names[]; /* in the order of the bits: "unlabeled", "test", "bags", NULL */
/* Whether the set can be scored in this problem; WL_ESTATE with the reason.  test [n_test]: the held-out rows, ascending. */
wlab_code wlab_hidden_check(const wlab_problem *, wlab_hidden set, const int32_t *test, int64_t n_test,
                            wlab_err *);
/* Whether rows are held out, and none of them is a training row of the problem (after a later split); WL_ESTATE with the
 * reason. */
wlab_code wlab_hidden_held_out(const wlab_problem *, const int32_t *test, int64_t n_test, wlab_err *);
/* The metric that the set adds to a run: hidden_unlabeled, hidden_test or hidden_bags.  Its value is the accuracy of the
 * model; of clusters the adjusted Rand index; of bags with proportions the mean error of the proportions.  given: the bags
 * are the training bags, whose labels or proportions the learner has (WL_M_GIVEN). */
wlab_metric_info wlab_hidden_metric(const wlab_problem *, wlab_hidden set, bool given);
/* Whether the bags that would be scored are the training bags. */
bool wlab_hidden_bags_given(const wlab_problem *, int64_t n_test);
/* What that value is, in words: "accuracy", "adjusted Rand index", "mean error of proportions". */
const char *wlab_hidden_measure(const wlab_problem *, wlab_hidden set);
/* Adds the metrics of these sets (bits of wlab_hidden, each one checked; 0: none) to the run, in place of those that it had;
 * so wlab_run_algo and wlab_run_names return other pointers.  From now on the run computes these scores after each
 * step, with the model that the algorithm then has.  The call itself computes those of the present state and of earlier
 * steps with a snapshot; other rows of the trace get NaN, or keep the value of a set that the run had.  The scores have
 * no effect on the steps and are left out of digests.  After an error nothing has changed. */
wlab_code wlab_run_score(wlab_run *, unsigned sets, const int32_t *test, int64_t n_test, wlab_ctx *,
                         wlab_err *);
unsigned wlab_run_scored(const wlab_run *); /* the sets */
/* The rows of the data set (for bags: the rows of the bags) that the run scores in this set; returns how many, 0 if the set
 * is not among its sets.  row: NULL, or receives the numbers of the rows. */
int64_t wlab_run_scored_rows(const wlab_run *, wlab_hidden set, const int32_t **row);

/* ---- digest ---- */
typedef struct wlab_digest {
    char run[64];
    int64_t iter, inner;
    char verdict[16];
    double objective, gap, flips; /* NaN: the algorithm has none */
    char labels[17];              /* first 16 hex digits of the labels' SHA-256 */
    char metrics[17];             /* the same of the bits of all metrics except volatile and derived ones */
} wlab_digest;
void wlab_run_digest(const wlab_run *, wlab_digest *);
/* "run=a iter=7 inner=40 verdict=more objective=... gap=... flips=3 labels=... metrics=..." ("-": no value) */
wlab_code wlab_digest_format(const wlab_digest *, wlab_buf *);
wlab_code wlab_digest_parse(wlab_digest *, const char *text, wlab_err *);
/* Whether two digests are equal.  exact: in all bits.  Else objective and gap may differ by `tol` relative (the gap relative
 * to the objective); run, iter, verdict, flips and labels must be equal; inner and the hash of the metrics are not
 * compared.  `what`: the first difference with both values. */
bool wlab_digest_equal(const wlab_digest *recorded, const wlab_digest *now, bool exact, double tol,
                       char *what, size_t size);

#ifdef __cplusplus
}
#endif

#endif
