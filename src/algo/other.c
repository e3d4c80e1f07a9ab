/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algo/other.h"
#include "base/progress.h"
#include "model/model.h"

static wlab_code copy_settings(wlab_params **out, const wlab_algo *other, const wlab_params *given,
                               const char *const *same, wlab_err *err)
{
    wlab_code code = wlab_params_create(out, other->params, err);
    for (; !code && *same; same++)
        if (wlab_param_known(other->params, *same) && wlab_params_given(given, *same))
            code = wlab_params_set(*out, *same, wlab_params_text(given, *same), err);
    return code;
}

/* Its reports are those of a part of the caller's work, but its notes and warnings are about settings that nobody gave. */
static void pass_progress(void *ctx, const wlab_event *event)
{
    if (event->kind == WL_EV_PROGRESS)
        wlab_emit_progress(ctx, event->text, event->done, event->total);
}

wlab_code wlab_other_outputs(wlab_problem *p, const char *name, const wlab_params *given,
                             const char *const *same, double *f, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_algo *other = wlab_algo_find(name);
    wlab_params *params = NULL;
    wlab_model *m = NULL;
    void *state = NULL;
    wlab_ctx inner = wlab_quiet(ctx);
    wlab_code code;
    inner.lean = true;
    if (ctx && ctx->emit) {
        inner.emit = pass_progress;
        inner.sink = ctx;
    }
    if (!other || !wlab_algo_suits(other, p->task, 2))
        return wlab_fail(err, WL_EARG,
                         "%s does not solve the task %s, so it gives no initial labels; use start=random",
                         name, p->task->name);
    if ((code = copy_settings(&params, other, given, same, err)) ||
        (code = other->create(&state, p, params, &inner, err)) ||
        (code = wlab_algo_to_end(other, state, &inner, err)))
        goto out;
    if (!(code = other->model(state, &m, &inner, err)))
        code = wlab_model_predict_progress(m, p->X, f, &inner, err);
out:
    wlab_model_destroy(m);
    if (state)
        other->destroy(state);
    wlab_params_destroy(params);
    return code;
}
