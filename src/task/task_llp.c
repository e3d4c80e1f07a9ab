/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from label proportions: of each bag of rows only the fraction of positives is told.
 */
#include "task/task.h"

#include <math.h>
#include <string.h>

static const wlab_param_info llp_params[] = {
    {.name = "bagsize",
     .type = WL_P_INT,
     .unit = "rows",
     .lo = 1,
     .hi = 1e9,
     .meaning = "the training rows are dealt at random into bags of this size (the last may be smaller)"},
    {.name = "bags",
     .type = WL_P_FILE,
     .meaning =
         "a file with one bag number (or name) a row of the data set, in row order; without bagsize= and "
         "bags=, the data's own bags"},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = 1,
     .meaning = "by how much a labeling's fraction of positives may differ from a bag's"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "bagsize=: which rows come together"},
    WL_TASK_POSITIVE,
    {0},
};

static wlab_code deal(wlab_problem *p, int64_t size, uint64_t seed, int32_t *of_row, wlab_err *err)
{
    int32_t *order = wlab_alloc((size_t)p->n, sizeof *order);
    wlab_rng rng;
    if (!order)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++)
        order[i] = p->row[i];
    wlab_rng_seed(&rng, seed);
    wlab_rng_shuffle(&rng, order, (size_t)p->n);
    for (int64_t i = 0; i < p->n; i++)
        of_row[order[i]] = (int32_t)(i / size);
    wlab_free(order);
    return WL_OK;
}

/* The fraction of positives among the rows whose class is known; NaN where none is. */
static wlab_code tell(wlab_problem *p, wlab_err *err)
{
    int64_t *known = wlab_calloc((size_t)p->bags, sizeof *known), untold = 0;
    if (!known)
        return wlab_nomem(err);
    memset(p->bag_shown, 0, (size_t)p->bags * sizeof *p->bag_shown);
    for (int64_t i = 0; i < p->n; i++) {
        known[p->bag[i]] += p->truth[i] != 0;
        p->bag_shown[p->bag[i]] += p->truth[i] > 0;
    }
    for (int64_t b = 0; b < p->bags; b++) {
        p->bag_shown[b] = known[b] ? p->bag_shown[b] / (double)known[b] : NAN;
        untold += known[b] == 0;
    }
    wlab_free(known);
    if (untold == p->bags)
        return wlab_fail(err, WL_EARG, "no row of any bag has a label, so there are no proportions to tell");
    if (untold && !(p->remark = wlab_format("of %lld bag%s nothing is told: no row there has a label",
                                            (long long)untold, untold == 1 ? "" : "s")))
        return wlab_nomem(err);
    return WL_OK;
}

static wlab_code llp_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                          wlab_err *err)
{
    const char *file = wlab_params_text(params, "bags");
    bool sized = wlab_params_given(params, "bagsize");
    int64_t bags = p->data->bags, rows = p->data->X->rows;
    int32_t *made = NULL, *old = NULL;
    (void)test, (void)n_test;
    if (file && sized)
        return wlab_fail(err, WL_EARG, "bagsize= and bags= exclude each other");
    if (!file && !sized && !p->data->bag)
        return wlab_fail(
            err, WL_EARG,
            "'%s' has no bags of its own: deal some with bagsize=16, say, or name a file with one "
            "bag a row: bags=FILE",
            p->data->name);
    wlab_code code = wlab_task_classes(p, params, false, err);
    if (!code && file) {
        code = wlab_bags_file_read(file, rows, &made, &bags, NULL, err);
    } else if (!code && sized) {
        int64_t size = wlab_params_int(params, "bagsize");
        bags = (p->n + size - 1) / size;
        made = wlab_alloc((size_t)rows, sizeof *made);
        code = made ? deal(p, size, (uint64_t)wlab_params_int(params, "seed"), made, err) : wlab_nomem(err);
    }
    if (!code)
        code = wlab_task_bags(p, made ? made : p->data->bag, bags, &old, err);
    if (!code)
        code = tell(p, err);
    wlab_free(old);
    wlab_free(made);
    return code;
}

static wlab_code llp_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    return wlab_labelset_llp(&p->labels, p->bag, p->n, p->bags, p->bag_shown, wlab_params_real(params, "eps"),
                             err);
}

const wlab_task wlab_task_llp = {
    .name = "llp",
    .summary = "label proportions: of each bag of rows only the fraction of positives is told",
    .source =
        "Yu, Liu, Kumar, Jebara, Chang, ICML 2013; as a label set of Li, Tsang, Kwok, Zhou, JMLR 14 (2013)",
    .bit = WL_T_LLP,
    .params = llp_params,
    .fill = llp_fill,
    .allow = llp_allow,
};
