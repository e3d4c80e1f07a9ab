/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clustering: no label is seen, only that neither side may be too small.
 */
#include "task/task.h"

static const wlab_param_info cluster_params[] = {
    {.name = "balance",
     .type = WL_P_REAL,
     .fallback = "0.03",
     .lo = 0,
     .hi = 1,
     .meaning = "bound on |1'y| / n: by how much the sizes of the two clusters may differ (beta = balance "
                "n); within it tsvm and "
                "mfa prescribe a fraction r of positives, 1/2 unless their r= says otherwise"},
    {.name = "positive",
     .type = WL_P_TEXT,
     .meaning = "class that counts as +1 in scores, all others as -1; without it more than two classes are "
                "not scored"},
    {0},
};

static wlab_code cluster_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                              wlab_err *err)
{
    (void)test, (void)n_test;
    if (p->data->classes == 2 || wlab_params_given(params, "positive")) {
        wlab_code code = wlab_task_classes(p, params, false, err);
        if (code)
            return code;
    } else if (p->data->classes > 2) {
        p->remark =
            wlab_format("the clusters are not scored, as '%s' has %d classes: positive=CLASS scores one "
                        "against the others",
                        p->data->name, p->data->classes);
        if (!p->remark)
            return wlab_nomem(err);
    }
    return WL_OK;
}

static wlab_code cluster_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    return wlab_labelset_cluster(&p->labels, p->n, wlab_params_real(params, "balance") * (double)p->n, err);
}

const wlab_task wlab_task_cluster = {
    .name = "cluster",
    .summary = "maximum margin clustering: no labels, only a bound on the balance",
    .source = "Li, Tsang, Kwok, Zhou, JMLR 14 (2013), section 4.3",
    .bit = WL_T_CLUSTER,
    .params = cluster_params,
    .fill = cluster_fill,
    .allow = cluster_allow,
};
