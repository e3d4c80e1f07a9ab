/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Multi-instance learning: examples are bags of rows.  A positive bag contains some key instances, but which ones
 * they are is unknown; all instances of a negative bag are negative.
 */
#include "task/task.h"

static const char *const labels_names[] = {"keys", "instances", NULL};
enum {
    KEYS,
    INSTANCES
};

static const wlab_param_info mil_params[] = {
    {.name = "labels",
     .type = WL_P_CHOICE,
     .fallback = "keys",
     .choices = labels_names,
     .meaning =
         "what a labeling says of a positive bag; keys: which of its rows are the key instances, nothing of "
         "the "
         "others (MI-SVM); instances: for each of its rows whether it is positive, at least one is (mi-SVM)"},
    {.name = "keys",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 1,
     .hi = 1e9,
     .meaning = "labels=keys: v, the number of key instances of a positive bag; in a bag with fewer "
                "instances all are keys"},
    WL_TASK_POSITIVE,
    {0},
};

/* Leave out bags of unknown class: they are neither positive nor negative. */
static wlab_code keep_known(wlab_problem *p, const int8_t *sign, wlab_err *err)
{
    int64_t kept = 0, n = p->n;
    wlab_code code = WL_OK;
    bool *keep = wlab_alloc((size_t)n, sizeof *keep);
    if (!keep)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++) {
        keep[i] = sign[p->data->bag[p->row[i]]] != 0;
        kept += keep[i];
    }
    if (kept == 0)
        code = wlab_fail(err, WL_EARG,
                         "no bag has a known class: every bag has rows without a label and no positive row");
    else if (kept < n && !(code = wlab_task_keep(p, keep, err)) &&
             !(p->remark = wlab_format("%lld row%s of bags without a known class left out",
                                       (long long)(n - kept), n - kept == 1 ? "" : "s")))
        code = wlab_nomem(err);
    wlab_free(keep);
    return code;
}

static wlab_code observe(wlab_problem *p, const int8_t *sign, bool keys, wlab_err *err)
{
    int64_t of[2] = {0, 0};
    p->all = (wlab_all_bags){.of_row = p->data->bag, .bags = p->data->bags, .name = p->data->bag_name};
    wlab_code code = wlab_task_bags(p, p->data->bag, p->data->bags, err);
    if (code)
        return code;
    for (int64_t b = 0; b < p->bags; b++) {
        p->bag_given[b] = sign[p->bag_number[b]] > 0 ? 1 : 0;
        of[sign[p->bag_number[b]] > 0]++;
    }
    if (!of[0] || !of[1])
        return wlab_fail(err, WL_EARG,
                         "all %lld training bags are %s, but mil learns from positive and negative ones",
                         (long long)p->bags, of[1] ? "positive" : "negative");
    bool known = wlab_dataset_instances_known(p->data, p->positive);
    for (int64_t i = 0; i < p->n; i++) {
        bool positive = p->bag_given[p->bag[i]] > 0.5;
        p->visible[i] = positive ? 0 : -1;
        if (positive && !known)
            p->truth[i] = 0; /* a copy of the bag's label is not the label of the instance */
    }
    return wlab_task_number_examples(p, keys, err);
}

static wlab_code mil_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                          wlab_ctx *ctx, wlab_err *err)
{
    (void)test, (void)n_test;
    if (wlab_params_choice(params, "labels") == INSTANCES && wlab_params_given(params, "keys"))
        return wlab_fail(err, WL_EARG,
                         "keys= works with labels=keys only: with labels=instances any number of rows of a "
                         "positive bag is positive");
    if (!p->data->bag)
        return wlab_fail(err, WL_EARG,
                         "'%s' has no bags: load a format that has them, name the column of bags, load ... "
                         "bag=image, say, or a file with one bag per row, load ... bags=FILE",
                         p->data->name);
    wlab_code code = wlab_task_classes(p, params, false, err);
    code = code ? code : wlab_task_look(ctx, err);
    if (code)
        return code;
    int8_t *sign = wlab_alloc((size_t)p->data->bags, 1);
    if (!sign)
        return wlab_nomem(err);
    wlab_dataset_bag_signs(p->data, p->positive, sign);
    code = keep_known(p, sign, err);
    code = code ? code : wlab_task_look(ctx, err);
    if (!code)
        code = observe(p, sign, wlab_params_choice(params, "labels") == KEYS, err);
    wlab_free(sign);
    return code;
}

static wlab_code mil_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    if (wlab_params_choice(params, "labels") == INSTANCES)
        return wlab_labelset_instances(&p->labels, p->bag, p->n, p->bags, p->bag_given, err);
    return wlab_labelset_mil(&p->labels, p->bag, p->n, p->bags, p->bag_given, wlab_params_int(params, "keys"),
                             err);
}

static wlab_code mil_describe(const wlab_problem *p, wlab_buf *text)
{
    if (!p->keys)
        return wlab_buf_printf(text, "labels of the rows of a positive bag: at least one is +1\n");
    return wlab_buf_printf(text, "key instances of a positive bag: keys=%lld\n",
                           (long long)wlab_params_int(p->params, "keys"));
}

static int mil_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    if (!p->keys)
        return 0;
    fact[0] = (wlab_fact){"keys", (double)wlab_params_int(p->params, "keys"), true};
    return 1;
}

const wlab_task wlab_task_mil = {
    .name = "mil",
    .summary =
        "multi-instance learning: bags of rows have labels, but which rows of a positive bag are its key "
        "instances is hidden",
    .source = "Li, Tsang, Kwok, Zhou, JMLR 14 (2013), section 4.2",
    .sees = WL_SEES_BAG_SIGNS,
    .scored = WL_SCORED_BAGS,
    .params = mil_params,
    .fill = mil_fill,
    .allow = mil_allow,
    .describe = mil_describe,
    .facts = mil_facts,
};
