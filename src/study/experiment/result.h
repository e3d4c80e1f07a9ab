/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a cell: computing it, and its form as JSON, in which processes exchange it.
 */
#ifndef EXPERIMENT_RESULT_H
#define EXPERIMENT_RESULT_H

#include "study/experiment/experiment.h"

typedef struct wlab_result {
    int64_t number;
    char key[65];
    char *error; /* why the cell failed, with FILE:LINE if there is one; NULL: it succeeded */
    /* the chosen algorithm line, "wellsvm kernel=rbf C2=0.1"; NULL: the cell failed before */
    char *parameters;
    char *verdict;
    int64_t iter; /* steps */
    /* Object: every number of `eval`, and the metrics of the run's last step except volatile ones, by name (of two with
     * the same name, that of `eval`); null: no value. */
    json_t *scores;
    /* NULL: nothing was tuned; else
     * {"by","folds","scored","oracle","lower","best","candidates":[{"parameters","score"}], "failure"}. */
    json_t *tuning;
    double seconds;        /* wall time of the run: `algo` and `continue` */
    double tuning_seconds; /* 0: nothing was tuned */
    char *digest;          /* of the run at its end */
    char *session;         /* the whole recorded session, for `replay --check` */
    char *version, *build;
} wlab_result;

/* Compute the cell in a session of its own, without output.  A cell that fails gives WL_OK and a result with `error`.
 * Errors: WL_ENOMEM; WL_EINTERRUPTED; WL_EINPUT: the data file is not the one that was checked.  The result has the
 * same bits for any number of threads of ctx. */
wlab_code wlab_result_compute(wlab_result *, const wlab_experiment *, const wlab_cell *, const wlab_places *,
                              wlab_ctx *, wlab_err *);
void wlab_result_clear(wlab_result *);
json_t *wlab_result_json(const wlab_result *); /* NULL: out of memory */
wlab_code wlab_result_read(wlab_result *, const json_t *, wlab_err *);

#endif
