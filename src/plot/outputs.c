/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What views that need a model share: the outputs of rows.
 */
#include "plot/view.h"

wlab_code wlab_view_outputs(const wlab_view_run *v, const wlab_view_request *q, const int32_t *pick,
                            int64_t n, double *out, bool *have, wlab_err *why, wlab_err *err)
{
    wlab_model *made = NULL;
    wlab_matrix *X = NULL;
    wlab_code code = WL_OK;

    *have = false;
    if (!v->model && (!v->algo->model || !v->state))
        code = wlab_fail(why, WL_ESTATE, "the model is not made yet");
    else if (!v->model)
        code = v->algo->model(v->state, &made, q->ctx, why);
    if (!code && pick)
        code = wlab_matrix_rows(&X, v->problem->X, pick, n, why);
    code = code ? code
                : wlab_model_predict(v->model ? v->model : made, pick ? X : v->problem->X, out,
                                     q->ctx ? q->ctx->pool : NULL, why);
    wlab_matrix_destroy(X);
    wlab_model_destroy(made);
    *have = !code;
    if (code != WL_ENOMEM && code != WL_EINTERRUPTED)
        return WL_OK;
    if (err)
        *err = *why;
    return code;
}
