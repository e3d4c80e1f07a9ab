/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Supervised learning: every label is observed.
 */
#include "task/task.h"

static const wlab_param_info supervised_params[] = {WL_TASK_CLASSES, WL_TASK_POSITIVE, {0}};

/* Keep only the rows with a label. */
static wlab_code keep_labelled(wlab_problem *p, wlab_err *err)
{
    int64_t kept = 0, n = p->n;
    bool *keep = wlab_alloc((size_t)n, sizeof *keep);
    if (!keep)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++) {
        keep[i] = p->truth[i] != 0;
        kept += keep[i];
    }
    wlab_code code = WL_OK;
    if (kept == 0)
        code = wlab_fail(err, WL_EARG, "none of the %lld training rows has a label", (long long)n);
    else if (kept < n && !(code = wlab_task_keep(p, keep, err)))
        code = wlab_task_remark(
            p, wlab_format("%lld rows without a label are left out", (long long)(n - kept)), err);
    wlab_free(keep);
    return code;
}

static wlab_code supervised_fill(wlab_problem *p, const wlab_params *params, const int32_t *test,
                                 int64_t n_test, wlab_ctx *ctx, wlab_err *err)
{
    (void)test, (void)n_test;
    wlab_code code = wlab_task_classes(p, params, false, err);
    code = code ? code : wlab_task_look(ctx, err);
    code = code ? code : keep_labelled(p, err);
    code = code ? code : wlab_task_look(ctx, err);
    if (code)
        return code;
    for (int64_t i = 0; i < p->n; i++)
        p->visible[i] = p->truth[i];
    return WL_OK;
}

static wlab_code supervised_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    (void)params;
    return wlab_labelset_single(&p->labels, p->visible, p->n, err);
}

const wlab_task wlab_task_supervised = {
    .name = "supervised",
    .summary = "every label is observed",
    .source = "the limit of the other tasks in which no label is hidden",
    .sees = WL_SEES_ALL_LABELS,
    .params = supervised_params,
    .fill = supervised_fill,
    .allow = supervised_allow,
};
