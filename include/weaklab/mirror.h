/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A mirror: a copy of what a run shows (trace, labels, model), which may be read on the session's thread while
 * the worker computes on the run itself.  Between jobs it equals the run; during one it follows step by step.
 */
#ifndef WEAKLAB_MIRROR_H
#define WEAKLAB_MIRROR_H

#include "weaklab/run.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    bool running;        /* a job on this run goes on */
    int64_t serial;      /* grows whenever anything above changed */
    char next[224];      /* what the next step will do; as at the last pause */
    wlab_model *model;   /* the decision function after step model_iter, or NULL */
    int64_t model_iter;  /* -1: none; together with `serial_of_model` it says whether the model is of now */
    int64_t model_serial;
} wlab_mirror;

#ifdef __cplusplus
}
#endif

#endif
