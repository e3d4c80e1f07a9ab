/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What came out of a cell; computing it; and as JSON, which is how it travels between processes.
 */
#ifndef EXPERIMENT_RESULT_H
#define EXPERIMENT_RESULT_H

#include "study/experiment/experiment.h"

typedef struct wlab_result {
    int64_t number;
    char key[65];
    char *error;      /* why it failed, FILE:LINE in it where there is one; NULL: it did not */
    char *parameters; /* the chosen algorithm line, "wellsvm kernel=rbf C2=0.1"; NULL: it failed before */
    char *verdict;
    int64_t iter; /* steps */
    json_t
        *scores; /* object: every number that `eval` gave and the run's last metrics, by name (an eval score
                               wins where both have a name); null: no value */
    json_t *
        tuning; /* NULL: nothing was tuned; else {"by","folds","scored","oracle","candidates":[{"parameters","score"}]} */
    double seconds;        /* of the last run: algo, go; wall time */
    double tuning_seconds; /* 0: nothing was tuned */
    char *digest;          /* of the run at its end */
    char *session;         /* the recorded session, whole: what `replay --check` takes */
    char *version, *build;
} wlab_result;

/* Carry the cell out in a session of its own, silently.  A cell that fails is a result with `error`; the code is not
 * WL_OK only when memory ran out, it was interrupted, or its data file is another one than was checked.  The same bits whatever the threads of ctx. */
wlab_code wlab_result_compute(wlab_result *, const wlab_experiment *, const wlab_cell *, const wlab_places *,
                              wlab_ctx *, wlab_err *);
void wlab_result_clear(wlab_result *);
json_t *wlab_result_json(const wlab_result *); /* NULL: out of memory */
wlab_code wlab_result_read(wlab_result *, const json_t *, wlab_err *);

#endif
