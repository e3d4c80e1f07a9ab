/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict of `eval` beside a weakly supervised score: what the supervised baseline gets on the same labels.
 */
#ifndef SESSION_EVAL_BASELINE_H
#define SESSION_EVAL_BASELINE_H

#include "session/internal.h"

typedef struct wlab_beside {
    char words[200]; /* " (svm C=1: 0.8100, p = 0.022)", or "" */
    char
        cut[120]; /* a line, if the baseline compares otherwise with the threshold that r prescribes; or "" */
    json_t *object; /* for the key "baseline" of the answer, or NULL */
} wlab_beside;
/* Trains the baseline of the run (run/baseline.h) and scores it on rows row[0 .. n-1] of `data`, which the run predicts by
 * the outputs f [n x outputs]; p: of McNemar's test over the rows with a true label (truth[i] != 0).  Empty if the run has
 * no baseline, or if no true label is known.  WL_EINTERRUPTED, WL_ENOMEM; that the baseline cannot be trained is said and
 * is no error. */
wlab_code wlab_eval_baseline(wlab_beside *, wlab_session *, const wlab_run *, const wlab_dataset *data,
                             const int32_t *row, int64_t n, const double *f, const int8_t *truth, wlab_err *);

#endif
