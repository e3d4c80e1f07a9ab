/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mirror: a copy of a run's state for display (trace, labels, model), which the session's thread can read while the
 * solver's thread computes.  Between jobs it equals the run; during a job it follows step by step, from the reports
 * of the solver's thread.
 */
#ifndef SESSION_MIRROR_H
#define SESSION_MIRROR_H

#include "run/excerpt.h"
#include "weaklab/run.h"

enum {
    WL_PREDICTED_QUICK = 50000000 /* multiplications that take no noticeable time */
};

typedef struct wlab_mirror {
    char *name;
    int number;
    const wlab_algo *algo;
    wlab_problem *problem; /* a reference */
    wlab_params *params;   /* as at the start */
    wlab_change *change;   /* [changes] the parameters changed by `set` since */
    int changes;
    wlab_trace_row *row; /* [rows] row 0 is the start; each row has its flips */
    int64_t rows;
    int8_t *labels_first;  /* [problem->n] at the start, before step 1 */
    int8_t *labels;        /* [problem->n] now; during a job: after the last reported step */
    int8_t *labels_before; /* [problem->n] after the previous step */
    wlab_verdict verdict;
    int64_t scored[WL_HIDDEN_SETS]; /* as wlab_run_scored_rows, for each set */
    int64_t inner, half;            /* as wlab_run_inner, wlab_run_half; during a job: as last reported */
    double value;                   /* the objective inside a step (WL_EV_INNER); NaN: not reported */
    int64_t
        labelings; /* how many labelings have weights, `labels` being the newest; 0: the algorithm has no weights */
    bool running;         /* a job on this run is under way */
    char next[224];       /* what the next step will do; as at the last pause */
    wlab_model *model;    /* the decision function after step model_iter, or NULL */
    int64_t model_iter;   /* -1: none; may be an earlier step, but never one that was undone */
    int64_t model_half;   /* and after this many units inside the next step */
    int64_t serial;       /* grows with every change; unique among all mirrors of the session */
    int64_t state_serial; /* grows when a model's input changes: a step, a unit, goto, set */
    int64_t
        model_serial; /* state_serial when building a model was last tried, with or without success; -1: never */
    /* [problem->n] predictions of the model of step predicted_iter (wlab_predicted_labels), or NULL */
    int8_t *predicted;
    int8_t *predicted_before; /* [problem->n] those of the previous step; NULL: unknown */
    int64_t predicted_iter, predicted_half, predicted_serial; /* as model_iter, model_half, model_serial */
    wlab_shown *probe;                                        /* [wlab_probe_count(algo)] */
} wlab_mirror;

/* Is wlab_session_request_model unnecessary?  True if the model is current, or if none can be built. */
static inline bool wlab_mirror_model_is_new(const wlab_mirror *m)
{
    return m->model_serial == m->state_serial;
}

#endif
