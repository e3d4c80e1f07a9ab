/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Semi-supervised learning: a few labels are observed, and the number of positives among the other rows is prescribed.
 */
#include "task/task.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const only_names[] = {"both", "positive", "negative", NULL};

static const wlab_param_info ssl_params[] = {
    {.name = "labeled",
     .type = WL_P_TEXT,
     .unit = "rows",
     .meaning = "how many labels are observed: a count, a percentage of the training rows (5%), or @FILE: "
                "those of the rows whose numbers are on one line of FILE (line=)"},
    WL_TASK_LINE,
    {.name = "stratified",
     .type = WL_P_BOOL,
     .fallback = "yes",
     .meaning =
         "yes: each class gets its proportion of the observed labels, and at least one if there are enough"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the draw that selects the labelled rows"},
    {.name = "r",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning =
         "fraction of positives among the unlabelled rows; auto: as among the labelled ones; true: the true "
         "fraction, if the data have the labels"},
    WL_TASK_GIVEN,
    {.name = "only",
     .type = WL_P_CHOICE,
     .fallback = "both",
     .choices = only_names,
     .meaning =
         "both; positive or negative: only labels of this class are observed, which is learning from one "
         "class (then give r=)"},
    WL_TASK_CLASSES,
    WL_TASK_POSITIVE,
    {0},
};

/* The 95 % interval of Clopper and Pearson for a fraction, when k of n draws were positive. */
static void fraction_interval(int64_t k, int64_t n, double *lo, double *hi)
{
    const double a = (double)k, b = (double)(n - k);
    *lo = k > 0 ? gsl_cdf_beta_Pinv(0.025, a, b + 1) : 0;
    *hi = k < n ? gsl_cdf_beta_Pinv(0.975, a + 1, b) : 1;
}

/* Describe where r comes from, since r affects results more than any other setting. */
static void describe_origin(wlab_problem *p, int64_t positive, int64_t labelled, bool by_class)
{
    double lo, hi;
    if (by_class) {
        snprintf(p->r_from, sizeof p->r_from, "%lld of %lld labels, drawn by class", (long long)positive,
                 (long long)labelled);
        return;
    }
    fraction_interval(positive, labelled, &lo, &hi);
    snprintf(p->r_from, sizeof p->r_from, "%lld of %lld labels, 95 %% interval %.2f to %.2f",
             (long long)positive, (long long)labelled, lo, hi);
}

wlab_code wlab_task_balance(wlab_problem *p, const char *r, bool by_class, const char *other_way,
                            wlab_err *err)
{
    int64_t positive = 0, labelled = 0, known = 0, hidden_positive = 0;
    for (int64_t i = 0; i < p->n; i++) {
        bool hidden = p->visible[i] == 0 && p->truth[i] != 0;
        labelled += p->visible[i] != 0;
        positive += p->visible[i] > 0;
        known += hidden;
        hidden_positive += hidden && p->truth[i] > 0;
    }
    bool automatic = strcmp(r, "auto") == 0, oracle = strcmp(r, "true") == 0;
    if (oracle && labelled < p->n) {
        if (known == 0)
            return wlab_fail(err, WL_EARG,
                             "r=true: the data have no true label of any unlabelled row; give r=0.5, say");
        p->r = (double)hidden_positive / (double)known;
        snprintf(p->r_from, sizeof p->r_from, "the true one");
        return WL_OK;
    }
    automatic = automatic || oracle;
    if (!automatic && (!wlab_parse_real(r, &p->r) || p->r < 0 || p->r > 1))
        return wlab_fail(err, WL_EARG, "r=%s: give a fraction from 0 to 1, auto, or true", r);
    if (automatic && (positive == 0 || positive == labelled))
        return wlab_fail(err, WL_EARG,
                         "%s class is among the %lld labelled rows, so r=auto cannot estimate r: %sgive r=",
                         labelled ? "only one" : "no", (long long)labelled, other_way);
    if (automatic) {
        p->r = (double)positive / (double)labelled;
        describe_origin(p, positive, labelled, by_class);
    } else {
        snprintf(p->r_from, sizeof p->r_from, "as given");
    }
    return WL_OK;
}

/* With more than two classes there is neither a single fraction nor a positive side. */
static wlab_code check_all(const wlab_params *params, int only, wlab_err *err)
{
    const char *r = wlab_params_text(params, "r");
    if (only)
        return wlab_fail(err, WL_EARG,
                         "only= is for two classes; leave it out, or name one class with positive=");
    if (strcmp(r, "auto") != 0 && strcmp(r, "true") != 0)
        return wlab_fail(
            err, WL_EARG,
            "r=%s is the fraction of one class; with classes=all use r=auto or r=true, for each class", r);
    return WL_OK;
}

static wlab_code ssl_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                          wlab_ctx *ctx, wlab_err *err)
{
    const char *labeled = wlab_params_text(params, "labeled");
    bool given = wlab_params_bool(params, "given");
    if (given && labeled)
        return wlab_fail(err, WL_EARG, "given=yes and labeled=%s exclude each other", labeled);
    if (!given && !labeled)
        return wlab_fail(err, WL_EARG,
                         "say which labels the learner observes: labeled=10, labeled=5%%, labeled=@FILE "
                         "line=1, or given=yes");
    if (given)
        wlab_task_hidden(p);
    const int choice = wlab_params_choice(params, "only"), only = choice == 0 ? 0 : choice == 1 ? 1 : -1;
    wlab_code code = wlab_task_classes(p, params, given, err);
    code = code ? code : wlab_task_look(ctx, err);
    if (code)
        return code;
    if (p->classes > 2 && (code = check_all(params, only, err)))
        return code;
    if (given)
        wlab_task_observe_given(p);
    else
        code = wlab_task_observe(p, labeled, wlab_params_int(params, "line"),
                                 wlab_params_bool(params, "stratified"), only,
                                 (uint64_t)wlab_params_int(params, "seed"), test, n_test, err);
    code = code ? code : wlab_task_look(ctx, err);
    for (int64_t i = 0; i < p->n; i++)
        if (only && p->visible[i] == -only)
            p->visible[i] = 0;
    if (!code && p->classes > 2)
        return wlab_task_remark_unobserved(p, err);
    if (!code)
        code = wlab_task_balance(p, wlab_params_text(params, "r"),
                                 labeled && *labeled != '@' && wlab_params_bool(params, "stratified"),
                                 only || given     ? ""
                                 : *labeled == '@' ? "name rows of both classes, or "
                                 : wlab_params_bool(params, "stratified")
                                     ? "observe at least two labels, or "
                                     : "observe more labels, use stratified=yes, or ",
                                 err);
    return code;
}

static wlab_code ssl_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int64_t unlabelled = 0;
    (void)params;
    for (int64_t i = 0; i < p->n; i++)
        unlabelled += p->visible[i] == 0;
    return wlab_labelset_ssl(&p->labels, p->visible, p->n, wlab_negatives(p->r, unlabelled), err);
}

static wlab_code ssl_one_class(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    return wlab_task_balance(p, wlab_params_text(params, "r"), false, "", err);
}

const wlab_task wlab_task_ssl = {
    .name = "ssl",
    .summary =
        "semi-supervised: a few labels are observed, and the fraction of positives among the other rows "
        "is prescribed (for the algorithms that take it)",
    .source = "Li, Tsang, Kwok, Zhou, JMLR 14 (2013), section 4.1",
    .sees = WL_SEES_SOME_LABELS,
    .params = ssl_params,
    .fill = ssl_fill,
    .allow = ssl_allow,
    .one_class = ssl_one_class,
};
