/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A mirror: a copy of what a run shows (trace, labels, model), which may be read on the session's thread while
 * the worker computes on the run itself.  Between jobs it equals the run; during one it follows step by step.
 */
#ifndef SESSION_MIRROR_H
#define SESSION_MIRROR_H

#include "run/excerpt.h"
#include "weaklab/run.h"

enum {
    WL_PREDICTED_QUICK = 50000000 /* multiplications that nobody notices */
};

typedef struct wlab_mirror {
    char *name;
    int number;
    const wlab_algo *algo;
    wlab_problem *problem; /* a reference */
    wlab_params *params;   /* as at the start */
    wlab_change *change;   /* [changes] what `set` changed since */
    int changes;
    wlab_trace_row *row; /* [rows] row 0 is the start; each with its flips */
    int64_t rows;
    int8_t *labels_first;  /* [problem->n] at the start, before step 1 */
    int8_t *labels;        /* [problem->n] now; during a job: after the last step that was told */
    int8_t *labels_before; /* [problem->n] after the step before */
    wlab_verdict verdict;
    int64_t inner, half; /* as wlab_run_inner, wlab_run_half; during a job as last told */
    double value;        /* the objective inside a step (WL_EV_INNER); NaN: not told */
    int64_t labelings;  /* how many the algorithm weighs, `labels` being the newest of them; 0: it has none */
    bool running;       /* a job on this run goes on */
    char next[224];     /* what the next step will do; as at the last pause */
    wlab_model *model;  /* the decision function after step model_iter, or NULL */
    int64_t model_iter; /* -1: none; may be an earlier step, never one that was given up */
    int64_t model_half; /* and this many units inside the next step */
    int64_t serial;     /* grows whenever anything here changed; no other mirror of the session ever has it */
    int64_t state_serial; /* grows when what a model is built from changed: a step, a unit, goto, set */
    int64_t
        model_serial; /* state_serial when a model was built, or could not be (the older one stays); -1: neither */
    int8_t *
        predicted; /* [problem->n] what the model of step predicted_iter predicts (wlab_predicted_labels), or NULL */
    int8_t *predicted_before; /* [problem->n] that of the step before; NULL: not known */
    int64_t predicted_iter, predicted_half, predicted_serial; /* as model_iter, model_half, model_serial */
    wlab_shown *probe;                                        /* [wlab_probe_count(algo)] */
} wlab_mirror;

/* Whether there is nothing to gain from wlab_session_want_model: the model is of now, or none can be built. */
static inline bool wlab_mirror_model_is_new(const wlab_mirror *m)
{
    return m->model_serial == m->state_serial;
}

#endif
