/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which labels the marks of `boundary` and `bags` show: the model's predictions, the algorithm's newest labeling, or
 * the truth.
 */
#include "plot/views/marks.h"

#include <stdio.h>
#include <string.h>

const char *const wlab_marks_names[] = {"prediction", "labeling", "truth", NULL};

bool wlab_marks_truth(const wlab_problem *p)
{
    for (int64_t i = 0; p->truth && i < p->n; i++)
        if (p->truth[i] && !p->visible[i])
            return true;
    return false;
}

/* The labels that the run's own model predicts.  *have: false if the model cannot be built, which is not an error. */
static wlab_code predict(const wlab_view_run *v, const wlab_view_request *q, int8_t *labels, bool *have,
                         wlab_err *err)
{
    const wlab_problem *p = v->problem;
    wlab_model *made = NULL;
    wlab_err why = {0};
    double *f = wlab_alloc((size_t)p->n * (size_t)wlab_problem_outputs(p), sizeof *f);
    wlab_code code = f ? WL_OK : wlab_nomem(&why);

    *have = false;
    if (!code && !v->model)
        code = v->algo->model(v->state, &made, q->ctx, &why);
    const wlab_model *m = v->model ? v->model : made;
    if (!code && m->outputs != wlab_problem_outputs(p))
        code = WL_ESTATE;
    code = code ? code
                : wlab_model_predict_rows(m, p->X, p->data, p->row, f, q->ctx ? q->ctx->pool : NULL, &why);
    code = code ? code : wlab_predicted_labels(p, f, labels, &why);
    *have = !code;
    wlab_model_destroy(made);
    wlab_free(f);
    if (code != WL_ENOMEM && code != WL_EINTERRUPTED)
        return WL_OK;
    if (err)
        *err = why;
    return code;
}

wlab_code wlab_marks_select(wlab_view_run *v, const wlab_view_request *q, int8_t **buffer, wlab_err *err)
{
    wlab_code code = WL_OK;
    bool have = false;

    *buffer = NULL;
    v->marks = WL_MARKS_LABELING;
    if (q->marks == WL_MARKS_TRUTH && wlab_marks_truth(v->problem)) {
        v->labels = v->labels_before = v->problem->truth;
        v->marks = WL_MARKS_TRUTH;
    } else if (q->marks == WL_MARKS_PREDICTION && v->predicted) {
        v->labels = v->predicted;
        v->labels_before = v->predicted_before ? v->predicted_before : v->predicted;
        v->marks = WL_MARKS_PREDICTION;
    } else if (q->marks == WL_MARKS_PREDICTION && !q->live && v->state && v->algo->model) {
        int8_t *labels = wlab_alloc((size_t)v->problem->n, 1);
        code = labels ? predict(v, q, labels, &have, err) : wlab_nomem(err);
        if (have) {
            v->labels = v->labels_before = labels;
            v->marks = WL_MARKS_PREDICTION;
            *buffer = labels;
        } else {
            wlab_free(labels);
        }
    }
    return code;
}

/* The number of labelings that the algorithm weighs now.  Inside a step there may be more than after the last one. */
static int64_t count_labelings(const wlab_view_run *v)
{
    const int k = wlab_probe_index(v->algo, WL_PROBE_WEIGHTS);
    wlab_shown made;
    int64_t n = v->rows > 0 ? v->row[v->rows - 1].nweights : 0;

    if (v->labelings > 0)
        n = v->labelings;
    if (k < 0)
        return 0;
    if (n > 0 && v->state &&
        !wlab_shown_get(&made, &v->algo->probes[k], v->state, v->problem, v->labels, NULL, NULL)) {
        n = made.value.rows;
        wlab_shown_clear(&made);
    }
    return n;
}

void wlab_marks_words(const wlab_view_run *v, char *buf, size_t size)
{
    int64_t n = 0;

    if (v->marks == WL_MARKS_PREDICTION)
        snprintf(buf, size, v->problem->keys ? "predicted keys; in negative bags: signs" : "prediction");
    else if (v->marks == WL_MARKS_TRUTH)
        snprintf(buf, size, "true labels");
    else if (v->algo->labels_are)
        snprintf(buf, size, "%s", v->algo->labels_are);
    else if ((n = count_labelings(v)) > 0)
        snprintf(buf, size, "labeling y%lld", (long long)n);
    else
        snprintf(buf, size, "the run's labels");
}
