/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from positive and unlabelled rows: the labels of some positive rows are observed, and no other label.  The
 * class prior pi, the fraction of positives in the mixture of which the unlabelled rows are a sample, is given or
 * estimated (prior.h); it is the r of the problem.
 */
#include "base/text.h"
#include "task/prior.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const wlab_param_info pu_params[] = {
    {.name = "labeled",
     .type = WL_P_TEXT,
     .unit = "rows",
     .meaning = "how many positive rows are labelled: a count, a percentage of the training rows (5%), or "
                "@FILE: the "
                "positive ones of the rows whose numbers are on one line of FILE (line=)"},
    WL_TASK_LINE,
    {.name = "prior",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning =
         "pi, the class prior: the fraction of positives in the mixture from which the unlabelled rows come, "
         "labelled rows not counted; a number between 0 and 1; auto: estimated, with an interval; true: the "
         "true "
         "fraction of the unlabelled rows, if the data have the labels"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the draw that selects the labelled rows"},
    {.name = "given",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "yes: the positive labels of the data file (or of `load labels=`) are the observed ones; 0, "
                "none, or "
                "another class means unlabelled"},
    WL_TASK_POSITIVE,
    {0},
};

static wlab_code check_settings(const wlab_params *params, wlab_err *err)
{
    const char *labeled = wlab_params_text(params, "labeled");
    const bool given = wlab_params_bool(params, "given");

    if (given && labeled)
        return wlab_fail(err, WL_EARG, "given=yes and labeled=%s exclude each other", labeled);
    if (!given && !labeled)
        return wlab_fail(
            err, WL_EARG,
            "say which positive rows are labelled: labeled=30, labeled=5%%, labeled=@FILE line=1, or "
            "given=yes");
    return WL_OK;
}

/* Hides the labels of negative rows.  Returns how many were observed. */
static int64_t hide_negatives(wlab_problem *p)
{
    int64_t hidden = 0;

    for (int64_t i = 0; i < p->n; i++)
        if (p->visible[i] < 0) {
            p->visible[i] = 0;
            hidden++;
        }
    return hidden;
}

static wlab_code observe(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                         wlab_err *err)
{
    const char *labeled = wlab_params_text(params, "labeled");
    wlab_code code = WL_OK;

    if (labeled)
        code = wlab_task_observe(p, labeled, wlab_params_int(params, "line"), false, 1,
                                 (uint64_t)wlab_params_int(params, "seed"), test, n_test, err);
    else
        wlab_task_observe_given(p);
    if (code)
        return code;
    const int64_t hidden = hide_negatives(p);
    return hidden
               ? wlab_task_remark(p,
                                  wlab_format("%lld row%s of other classes count%s as unlabelled",
                                              (long long)hidden, wlab_plural(hidden), hidden == 1 ? "s" : ""),
                                  err)
               : WL_OK;
}

static wlab_code true_prior(wlab_problem *p, wlab_err *err)
{
    int64_t known = 0, positive = 0;

    for (int64_t i = 0; i < p->n; i++) {
        known += p->visible[i] == 0 && p->truth[i] != 0;
        positive += p->visible[i] == 0 && p->truth[i] > 0;
    }
    if (known == 0)
        return wlab_fail(
            err, WL_EARG,
            "prior=true: the data have no true label of any unlabelled row; give prior=0.5, say");
    p->r = (double)positive / (double)known;
    snprintf(p->r_from, sizeof p->r_from, "the true one");
    if (!(p->r > 0 && p->r < 1))
        return wlab_fail(
            err, WL_EARG,
            "prior=true: %s of the unlabelled rows are positive, but there must be some of both classes: "
            "label fewer rows",
            positive ? "all" : "none");
    return WL_OK;
}

static wlab_code choose_prior(wlab_problem *p, const char *prior, wlab_ctx *ctx, wlab_err *err)
{
    if (strcmp(prior, "true") == 0)
        return true_prior(p, err);
    if (strcmp(prior, "auto") != 0) {
        if (!wlab_parse_real(prior, &p->r) || !(p->r > 0 && p->r < 1))
            return wlab_fail(err, WL_EARG, "prior=%s: give a fraction between 0 and 1, auto, or true", prior);
        snprintf(p->r_from, sizeof p->r_from, "as given");
        return WL_OK;
    }
    wlab_prior e;
    if (p->data->share)
        return wlab_fail(err, WL_ESTATE,
                         "prior=auto compares the values of rows, but '%s' was loaded with ranks=all: give "
                         "prior=0.3, say",
                         p->data->name);
    const wlab_code code = wlab_prior_estimate(&e, p->X, p->visible, ctx, err);
    if (code)
        return code;
    p->r = e.prior;
    p->r_lo = e.lo;
    p->r_hi = e.hi;
    snprintf(p->r_from, sizeof p->r_from, "estimated, interval %.2f to %.2f", e.lo, e.hi);
    return WL_OK;
}

static wlab_code pu_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                         wlab_ctx *ctx, wlab_err *err)
{
    const bool given = wlab_params_bool(params, "given");
    int64_t positive = 0;
    wlab_code code = check_settings(params, err);

    if (!code && given)
        wlab_task_hidden(p);
    if (code || (code = wlab_task_classes(p, params, given, err)) || (code = wlab_task_look(ctx, err)) ||
        (code = observe(p, params, test, n_test, err)) || (code = wlab_task_look(ctx, err)))
        return code;
    for (int64_t i = 0; i < p->n; i++)
        positive += p->visible[i] > 0;
    if (positive == 0 || positive == p->n)
        return wlab_fail(err, WL_EARG, "%s of the %lld training rows %s labelled positive: %s",
                         positive ? "all" : "none", (long long)p->n, positive ? "are" : "is",
                         positive ? "label fewer, or add unlabelled rows" : "label some");
    return choose_prior(p, wlab_params_text(params, "prior"), ctx, err);
}

static wlab_code pu_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int64_t unlabelled = 0;

    (void)params;
    for (int64_t i = 0; i < p->n; i++)
        unlabelled += p->visible[i] == 0;
    return wlab_labelset_ssl(&p->labels, p->visible, p->n, wlab_negatives(p->r, unlabelled), err);
}

static wlab_code pu_describe(const wlab_problem *p, wlab_buf *text)
{
    wlab_code code = wlab_buf_printf(text,
                                     "class prior pi=%.4g: the fraction of positives in the mixture from "
                                     "which the %lld unlabelled rows come\n",
                                     p->r, (long long)p->unlabelled);

    if (!code && !isnan(p->r_lo))
        code = wlab_buf_printf(text,
                               "interval of the estimate: %.4g to %.4g; it counts on a region where nearly "
                               "all rows are positive, and is "
                               "too large if there is none; it missed the truth in one draw of four, on "
                               "either side (docs/pu.md)\n",
                               p->r_lo, p->r_hi);
    return code;
}

static int pu_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    fact[0] = (wlab_fact){"prior", p->r, false};
    if (isnan(p->r_lo))
        return 1;
    fact[1] = (wlab_fact){"prior_lo", p->r_lo, false};
    fact[2] = (wlab_fact){"prior_hi", p->r_hi, false};
    return 3;
}

const wlab_task wlab_task_pu = {
    .name = "pu",
    .summary = "positive and unlabelled: some positive rows are labelled, all other rows are unlabelled, and "
               "the class "
               "prior is given or estimated",
    .source = "du Plessis, Niu, Sugiyama, NIPS 2014; as a label set of Li, Tsang, Kwok, Zhou, JMLR 14 (2013)",
    .sees = WL_SEES_POSITIVES,
    .params = pu_params,
    .fill = pu_fill,
    .allow = pu_allow,
    .describe = pu_describe,
    .facts = pu_facts,
};
