/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The outputs of rows, for the views that need a model.
 */
#include "plot/views/view.h"

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

wlab_code wlab_view_outputs_of(const wlab_view_run *v, const wlab_view_request *q, const wlab_matrix *X,
                               double *out, bool *have, wlab_err *why, wlab_err *err)
{
    wlab_model *made = NULL;
    wlab_code code = WL_OK;

    if (!v->model && (!v->algo->model || !v->state))
        code = wlab_fail(why, WL_ESTATE, "the model is not built yet");
    else if (!v->model)
        code = v->algo->model(v->state, &made, q->ctx, why);
    const wlab_model *m = v->model ? v->model : made;
    if (!code && m->outputs != 1)
        code = wlab_fail(why, WL_ESTATE, "the model has an output for each of %d classes", m->outputs);
    if (!code && q->live && m->nsv > 0)
        code = wlab_blas_beside(why);
    if (!code)
        code = wlab_model_predict(m, X, out, q->ctx ? q->ctx->pool : NULL, why);
    wlab_model_destroy(made);
    return check_outputs(code, have, why, err);
}

wlab_code wlab_view_outputs(const wlab_view_run *v, const wlab_view_request *q, const int32_t *pick,
                            int64_t n, double *out, bool *have, wlab_err *why, wlab_err *err)
{
    wlab_matrix *X = NULL;
    wlab_code code;

    if (!pick)
        return wlab_view_outputs_of(v, q, v->problem->X, out, have, why, err);
    if ((code = wlab_matrix_rows(&X, v->problem->X, pick, n, why)))
        return check_outputs(code, have, why, err);
    code = wlab_view_outputs_of(v, q, X, out, have, why, err);
    wlab_matrix_destroy(X);
    return code;
}
