/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run from inside: its state, its trace and its past (snapshots, and the changes of parameters between).
 */
#ifndef WEAKLAB_SESSION_HISTORY_H
#define WEAKLAB_SESSION_HISTORY_H

#include "weaklab/run.h"

/* The run as it was after outer step `iter` (or inside the next one). */
typedef struct wlab_past {
    int64_t iter, inner;
    int changes;    /* how many of the run's changes had been made */
    wlab_buf state; /* a snapshot */
    int8_t *before; /* [n] labels after the step before */
} wlab_past;

/* Snapshots in order of iter: the first, the last, and as many between as fit `budget`, thinned evenly.  Where they are
 * large, none is taken of a step from which it would hardly be nearer than from the one before. */
typedef struct wlab_history {
    wlab_past *past;
    int count, cap;
    size_t bytes, budget;
    double worked; /* seconds of steps since the newest was taken */
    double cost;   /* seconds that taking it took */
} wlab_history;

struct wlab_run {
    char *name;
    int number;
    wlab_problem *problem;
    const wlab_algo *algo;
    wlab_params *first, *params; /* as at the start, and now */
    void *state;
    int64_t iter, inner, half;
    wlab_verdict verdict;
    int nmetrics;
    const char **names; /* [2 + nmetrics] "iter", "inner", metrics */
    double *scratch;    /* [2 (2 + nmetrics)] for conditions */
    double *spare;      /* [nmetrics] of the row to come, allocated before the step is made */
    wlab_flip *flips;   /* [n] the same */
    int64_t made;       /* steps ever made */
    int8_t *labels, *before;
    int8_t *labels_first, *last; /* [n] labels at the start, and of the trace's last row */
    wlab_trace_row *row;         /* [iter + 1] */
    int64_t row_cap;
    wlab_change *change;
    int changes, change_cap;
    wlab_history history;
};

void wlab_row_clear(wlab_trace_row *);
/* A copy with memory of its own; WL_ENOMEM: *to is untouched. */
wlab_code wlab_row_copy(wlab_trace_row *to, const wlab_trace_row *from, int nmetrics);
/* The weights and flips into a row that has none; WL_ENOMEM: *to is untouched. */
wlab_code wlab_row_extras(wlab_trace_row *to, const wlab_trace_row *from);

void wlab_past_clear(wlab_past *);
/* The snapshot of `state`, with `before` [n]; *past is untouched on failure. */
wlab_code wlab_past_take(wlab_past *past, const wlab_run *, const void *state, const int8_t *before,
                         wlab_err *);
/* Whether the step just made is worth a snapshot: small ones always are, of large ones those that cost little beside
 * the steps since the newest, which `goto` would have to make again. */
bool wlab_history_worth(const wlab_history *);
/* Takes over *past (also on failure), in place of one of the same iter; then thins. */
wlab_code wlab_history_put(wlab_history *, wlab_past *past, int64_t n);
const wlab_past *wlab_history_nearest(const wlab_history *, int64_t iter); /* the last with iter <= this */
void wlab_history_cut(wlab_history *, int64_t iter, int64_t n);            /* forget what came after */
void wlab_history_thin(wlab_history *, int64_t n);
void wlab_history_clear(wlab_history *);

/* ctx for the algorithm: events get the run's numbers on their way to the caller's sink. */
typedef struct wlab_relay {
    const wlab_run *run;
    wlab_ctx *to;
    wlab_ctx ctx; /* hand this down */
} wlab_relay;
void wlab_relay_open(wlab_relay *, const wlab_run *, wlab_ctx *to, bool silent);

#endif
