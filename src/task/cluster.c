/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clustering: no label is observed; only the balance of the cluster sizes is bounded.
 */
#include "base/text.h"
#include "task/task.h"

#include <math.h>

static const wlab_param_info cluster_params[] = {
    {.name = "classes",
     .type = WL_P_INT,
     .unit = "clusters",
     .fallback = "2",
     .lo = 2,
     .hi = WL_CLASSES_MOST,
     .meaning =
         "number of clusters; three or more need an algorithm that supports them, and are scored under "
         "the best matching with the data's classes"},
    {.name = "balance",
     .type = WL_P_REAL,
     .fallback = "0.03",
     .lo = 0,
     .hi = 1,
     .meaning =
         "two clusters: by how much their sizes may differ, as a fraction of the n rows: |1'y| <= beta = "
         "balance n. Within this bound tsvm and mfa prescribe a fraction r of positives, 1/2 unless their "
         "r= is set"},
    {.name = "positive",
     .type = WL_P_TEXT,
     .meaning =
         "two clusters: class that counts as +1 in scores, all others as -1; without it data of more than "
         "two classes are not scored"},
    {0},
};

/* Three clusters or more: labels are cluster numbers, and the truth consists of the data's classes. */
static wlab_code fill_many(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    static const char *const of_two[] = {"balance", "positive"};
    p->classes = (int)wlab_params_int(params, "classes");
    for (int k = 0; k < 2; k++)
        if (wlab_params_given(params, of_two[k]))
            return wlab_fail(err, WL_EARG, "%s= is for two clusters, but classes=%d", of_two[k], p->classes);
    if (p->classes > p->n)
        return wlab_fail(err, WL_EARG, "%lld row%s cannot form %d clusters", (long long)p->n,
                         p->n == 1 ? "" : "s", p->classes);
    p->truths = 0;
    if (p->data->classes > WL_CLASSES_MOST)
        return wlab_task_remark(p,
                                wlab_format("the clusters are not scored, as '%s' has %d classes",
                                            p->data->name, p->data->classes),
                                err);
    return p->data->classes > 0 ? wlab_task_all_classes(p, err) : WL_OK;
}

static wlab_code cluster_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                              wlab_ctx *ctx, wlab_err *err)
{
    (void)test, (void)n_test, (void)ctx;
    if (wlab_params_int(params, "classes") > 2)
        return fill_many(p, params, err);
    if (p->data->classes == 2 || wlab_params_given(params, "positive")) {
        wlab_code code = wlab_task_classes(p, params, false, err);
        if (code)
            return code;
    } else if (p->data->classes > 2) {
        p->remark =
            wlab_format("the clusters are not scored, as '%s' has %d classes: positive=CLASS scores one "
                        "against the others, classes=%d finds as many clusters and scores them all",
                        p->data->name, p->data->classes,
                        p->data->classes <= WL_CLASSES_MOST ? p->data->classes : WL_CLASSES_MOST);
        if (!p->remark)
            return wlab_nomem(err);
    }
    return WL_OK;
}

static wlab_code cluster_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    return wlab_labelset_cluster(&p->labels, p->n, wlab_params_real(params, "balance") * (double)p->n, err);
}

static wlab_code cluster_describe(const wlab_problem *p, wlab_buf *text)
{
    const double most = wlab_params_real(p->params, "balance");
    return p->classes > 2
               ? WL_OK
               : wlab_buf_printf(text,
                                 "balance=%g: the sizes of the clusters differ by at most %g of %lld row%s\n",
                                 most, floor(most * (double)p->n), (long long)p->n, wlab_plural(p->n));
}

static int cluster_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    fact[0] = p->classes > 2 ? (wlab_fact){"clusters", p->classes, true}
                             : (wlab_fact){"balance", wlab_params_real(p->params, "balance"), false};
    return 1;
}

const wlab_task wlab_task_cluster = {
    .name = "cluster",
    .summary = "maximum margin clustering: no labels, only a bound on the difference of the cluster sizes",
    .source = "Li, Tsang, Kwok, Zhou, JMLR 14 (2013), section 4.3",
    .sees = WL_SEES_NO_LABELS,
    .clusters = true,
    .params = cluster_params,
    .fill = cluster_fill,
    .allow = cluster_allow,
    .describe = cluster_describe,
    .facts = cluster_facts,
};
