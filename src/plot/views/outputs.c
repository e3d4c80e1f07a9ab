/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The outputs of rows, for the views that need a model.
 */
#include "plot/views/view.h"
#include "run/predict.h"

/* Decide whether missing outputs stop a view: only lack of memory and interruption do.  For other codes *have = false,
 * and `why` has the reason. */
static wlab_code check_outputs(wlab_code code, bool *have, const wlab_err *why, wlab_err *err)
{
    *have = !code;
    if (code != WL_ENOMEM && code != WL_EINTERRUPTED)
        return WL_OK;
    if (err)
        *err = *why;
    return code;
}

/* The run's model: the one that is there, or one that is made, which the caller destroys. */
static wlab_code find_model(const wlab_model **m, wlab_model **made, const wlab_view_run *v,
                            const wlab_view_request *q, wlab_err *why)
{
    wlab_code code = WL_OK;

    *made = NULL;
    if (!v->model && (!v->algo->model || !v->state))
        return wlab_fail(why, WL_ESTATE, "the model is not built yet");
    if (!v->model)
        code = v->algo->model(v->state, made, q->ctx, why);
    *m = v->model ? v->model : *made;
    if (!code && (*m)->outputs != 1)
        code = wlab_fail(why, WL_ESTATE, "the model has an output for each of %d classes", (*m)->outputs);
    if (!code && q->live && (*m)->nsv > 0)
        code = wlab_blas_beside(why);
    return code;
}

wlab_code wlab_view_outputs(const wlab_view_run *v, const wlab_view_request *q, const int32_t *pick,
                            int64_t n, double *out, bool *have, wlab_err *why, wlab_err *err)
{
    const wlab_problem *p = v->problem;
    const wlab_model *m = NULL;
    wlab_model *made = NULL;
    wlab_matrix *X = NULL;
    int32_t *row = NULL;
    wlab_code code = find_model(&m, &made, v, q, why);

    if (!code && pick && !(row = wlab_alloc((size_t)n + 1, sizeof *row)))
        code = wlab_nomem(why);
    for (int64_t i = 0; !code && pick && i < n; i++)
        row[i] = p->row[pick[i]];
    if (!code && pick)
        code = wlab_matrix_rows(&X, p->X, pick, n, why);
    code = code ? code
                : wlab_model_predict_rows(m, X ? X : p->X, p->data, row ? row : p->row, out,
                                          q->ctx ? q->ctx->pool : NULL, why);
    wlab_matrix_destroy(X);
    wlab_free(row);
    wlab_model_destroy(made);
    return check_outputs(code, have, why, err);
}

wlab_code wlab_view_outputs_of_bags(const wlab_view_run *v, const wlab_view_request *q, double *out,
                                    wlab_bag_outputs *o, bool *have, wlab_err *why, wlab_err *err)
{
    const wlab_dataset *d = v->problem->data;
    wlab_pool *pool = q->ctx ? q->ctx->pool : NULL;
    const wlab_model *m = NULL;
    wlab_model *made = NULL;
    wlab_code code = find_model(&m, &made, v, q, why);

    code = code ? code : wlab_model_predict_rows(m, d->X, d, NULL, out, pool, why);
    code = code ? code
                : wlab_predicted_bags(o, m, v->algo->bag_rule, d, NULL, d->X->rows, d->bag, d->bags, out,
                                      pool, why);
    wlab_model_destroy(made);
    return check_outputs(code, have, why, err);
}
