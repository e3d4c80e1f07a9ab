/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The internal struct of a run: its state, its trace and its history (snapshots, and changes of parameters).
 */
#ifndef WEAKLAB_SESSION_HISTORY_H
#define WEAKLAB_SESSION_HISTORY_H

#include "run/hidden.h"

/* The run as it was after outer step `iter` (or inside the next one). */
typedef struct wlab_past {
    int64_t iter, inner;
    int changes;           /* how many of the run's changes of parameters were made before */
    wlab_buf state;        /* a snapshot */
    const wlab_algo *algo; /* of the snapshot; NULL: there is none yet */
    int8_t *before;        /* [n] labels one step before; inside a step: at its start */
} wlab_past;

/* Snapshots in order of iter: the first, the last, and as many in between as fit `budget`, thinned evenly.  Large
 * snapshots are taken only after enough computing time (see wlab_history_snapshot_due). */
typedef struct wlab_history {
    wlab_past *past;
    int count, cap;
    size_t bytes, budget;
    double worked; /* seconds of steps since the newest snapshot */
    double cost;   /* seconds that the newest snapshot took */
} wlab_history;

struct wlab_run {
    char *name;
    int number;
    wlab_problem *problem;
    const wlab_algo *own;        /* the algorithm */
    const wlab_algo *algo;       /* the same with the metrics of `hidden` */
    wlab_params *first, *params; /* at the start; now */
    void *state;
    int64_t iter, inner, half;
    wlab_verdict verdict;
    int nmetrics; /* of algo: first those of `own`, which observe() writes, then those of `hidden` */
    int nown;
    wlab_hidden_scores hidden;
    const char **names; /* [2 + nmetrics] "iter", "inner", metrics */
    double *scratch;    /* [2 (2 + nmetrics)] for conditions */
    double *spare;      /* [nmetrics] metrics of the next row, allocated before its step */
    wlab_flip *flips;   /* [n] its flips, likewise */
    int64_t made;       /* steps made in all, including those that goto discarded */
    int8_t *labels, *before;
    int8_t *labels_first, *last; /* [n] labels at the start, and of the trace's last row */
    wlab_trace_row *row;         /* [iter + 1] */
    int64_t row_cap;
    wlab_change *change;
    int changes, change_cap;
    wlab_history history;
};

/* Writes metric[nmetrics] (NULL: not) and labels (NULL: not) of a state of the run; scores by hidden labels become NaN. */
void wlab_run_observe(const wlab_run *, const void *state, double *metric, int8_t *labels);
/* Sets the metrics of these sets without computing any: rows of the trace get NaN, or keep the value of a set that the run
 * had.  After an error nothing has changed. */
wlab_code wlab_run_hide(wlab_run *, unsigned sets, const int32_t *test, int64_t n_test, wlab_err *);

void wlab_row_clear(wlab_trace_row *);
/* A deep copy; WL_ENOMEM: *to is unchanged. */
wlab_code wlab_row_copy(wlab_trace_row *to, const wlab_trace_row *from, int nmetrics);
/* Copies the weights and flips into a row without any; WL_ENOMEM: *to is unchanged. */
wlab_code wlab_row_extras(wlab_trace_row *to, const wlab_trace_row *from);

void wlab_past_clear(wlab_past *);
/* Takes a snapshot of `state`, with `before` [n]; on failure *past is unchanged. */
wlab_code wlab_past_take(wlab_past *past, const wlab_run *, const void *state, const int8_t *before,
                         wlab_err *);
/* Reads the snapshot into a state of the run; on failure the state may be partly read. */
wlab_code wlab_past_restore(const wlab_run *, void *state, const wlab_past *, wlab_ctx *, wlab_err *);
/* Creates a state with the parameters that the run had after its first `changes` changes.  The caller destroys both, also
 * after a failure; they are NULL before the call. */
wlab_code wlab_past_create(const wlab_run *, int changes, void **state, wlab_params **params, wlab_ctx *,
                           wlab_err *);
/* Whether to take a snapshot after the step just made: always if snapshots are small, else if its cost is low compared
 * with that of the steps since the newest one, which `goto` would have to repeat. */
bool wlab_history_snapshot_due(const wlab_history *);
/* Adds *past, of which it becomes the owner (also on failure).  Replaces a snapshot of the same iter; then thins. */
wlab_code wlab_history_put(wlab_history *, wlab_past *past, int64_t n);
const wlab_past *wlab_history_nearest(const wlab_history *, int64_t iter); /* the last with iter <= this */
void wlab_history_cut(wlab_history *, int64_t iter, int64_t n);            /* removes later snapshots */
void wlab_history_thin(wlab_history *, int64_t n);
void wlab_history_clear(wlab_history *);

/* A context for the algorithm, which adds the run's numbers to events and passes them to the caller's sink. */
typedef struct wlab_relay {
    const wlab_run *run;
    wlab_ctx *to;
    wlab_ctx ctx; /* for the algorithm */
    bool
        silent; /* work that is repeated: its notes and warnings are dropped, and only its progress is passed on */
} wlab_relay;
void wlab_relay_open(wlab_relay *, const wlab_run *, wlab_ctx *to, bool silent);

#endif
