/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best possible classifier of data by `generate formula`.
 */
#include "session/commands/eval_bayes.h"
#include "data/formula.h"
#include "session/jobs/stepping.h"

typedef struct integrating {
    const wlab_formula *formula;
    wlab_bayes bayes;
} integrating;

static wlab_code integrate(void *self, wlab_ctx *ctx, wlab_err *err)
{
    integrating *job = self;
    return wlab_formula_bayes(job->formula, &job->bayes, ctx, err);
}

wlab_code wlab_eval_best(wlab_best *best, wlab_session *s, const wlab_dataset *data, const int32_t *row,
                         int64_t n, wlab_err *err)
{
    integrating job = {.formula = data->formula};
    wlab_code code = wlab_session_call(s, integrate, &job, err);
    int64_t right = 0;
    double error = 0;

    if (code)
        return code;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = row ? row[i] : i;
        const double value = wlab_formula_at(data, at);
        right += (value > 0) == (data->label[at] == 1);
        error += wlab_formula_error(data->formula, value);
    }
    *best = (wlab_best){.accuracy = (double)right / (double)n,
                        .expected = 1 - error / (double)n,
                        .error = job.bayes.error,
                        .deviation = job.bayes.deviation};
    return WL_OK;
}

json_t *wlab_eval_best_object(const wlab_best *best)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "accuracy", best->accuracy, "expected", best->expected,
                     "box_error", best->error, "standard_error", best->deviation);
}
