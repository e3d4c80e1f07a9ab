/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ambiguous labels: of some rows several classes are told, one of which is the true one.
 */
#include "task/task.h"

#include <string.h>

static const wlab_param_info ambiguous_params[] = {
    {.name = "candidates",
     .type = WL_P_INT,
     .unit = "classes",
     .fallback = "2",
     .lo = 1,
     .hi = 1e6,
     .meaning = "how many classes an ambiguous row may be of: the true one and others drawn at random"},
    {.name = "ambiguous",
     .type = WL_P_REAL,
     .fallback = "0.5",
     .lo = 0,
     .hi = 1,
     .meaning = "fraction of the training rows that are ambiguous; the others show their class"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "which rows are ambiguous, and between which classes"},
    WL_TASK_CLASSES,
    WL_TASK_POSITIVE,
    {0},
};

/* The candidates of a row, candidate[0..more]: the true class and `more` others drawn without replacement. */
static void draw(wlab_rng *rng, int classes, int truth, int64_t more, int32_t *candidate)
{
    int n = 0;
    int32_t *other = candidate + 1;
    candidate[0] = truth;
    for (int c = 0; c < classes; c++)
        if (c != truth)
            other[n++] = c;
    for (int64_t k = 0; k < more; k++) {
        int64_t at = k + (int64_t)wlab_rng_below(rng, (uint64_t)(n - k));
        int32_t c = other[at];
        other[at] = other[k];
        other[k] = c;
    }
}

/* Which labels the candidates leave, as bits of their indices. */
static uint64_t labels_of(const wlab_problem *p, const int32_t *candidate, int64_t n)
{
    uint64_t bits = 0;
    for (int64_t k = 0; k < n; k++)
        bits |= UINT64_C(1) << wlab_label_index(p, (int8_t)wlab_task_sign(p, candidate[k]));
    return bits;
}

static wlab_code show(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int classes = p->data->classes;
    int64_t more = wlab_params_int(params, "candidates") - 1, known = 0, unlabelled = 0;
    if (more >= classes)
        return wlab_fail(err, WL_EARG, "candidates=%lld: '%s' has %d classes", (long long)more + 1,
                         p->data->name, classes);
    int32_t *pick = wlab_alloc((size_t)p->n, sizeof *pick),
            *candidate = wlab_alloc((size_t)classes, sizeof *candidate);
    if (p->classes > 2)
        p->candidates = wlab_alloc((size_t)p->n, sizeof *p->candidates);
    if (!pick || !candidate || (p->classes > 2 && !p->candidates)) {
        wlab_free(pick);
        wlab_free(candidate);
        return wlab_nomem(err);
    }
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(params, "seed"));
    for (int64_t i = 0; i < p->n; i++) {
        p->visible[i] = p->truth[i];
        if (p->truth[i])
            pick[known++] = (int32_t)i;
    }
    unlabelled = p->n - known; /* of these all is possible */
    wlab_rng_shuffle(&rng, pick, (size_t)known);
    int64_t ambiguous = (int64_t)(wlab_params_real(params, "ambiguous") * (double)known + 0.5);
    for (int64_t i = 0; p->candidates && i < p->n; i++) /* the ambiguous ones follow */
        p->candidates[i] = p->visible[i] ? wlab_problem_allowed(p, i) : UINT64_MAX >> (64 - p->classes);
    for (int64_t i = 0; i < ambiguous; i++) {
        draw(&rng, classes, p->data->label[p->row[pick[i]]], more, candidate);
        const uint64_t bits = labels_of(p, candidate, more + 1);
        if (bits & (bits - 1))
            p->visible[pick[i]] = 0;
        if (p->candidates)
            p->candidates[pick[i]] = bits;
    }
    wlab_free(pick);
    wlab_free(candidate);
    return unlabelled ? wlab_task_remark(p,
                                         wlab_format("%lld row%s without a label may be of any class",
                                                     (long long)unlabelled, unlabelled == 1 ? "" : "s"),
                                         err)
                      : WL_OK;
}

static wlab_code ambiguous_fill(wlab_problem *p, const wlab_params *params, const int32_t *test,
                                int64_t n_test, wlab_err *err)
{
    (void)test, (void)n_test;
    wlab_code code = wlab_task_classes(p, params, false, err);
    return code ? code : show(p, params, err);
}

static wlab_code ambiguous_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    (void)params;
    return wlab_labelset_ambiguous(&p->labels, p->visible, p->n, err);
}

static wlab_code ambiguous_describe(const wlab_problem *p, wlab_buf *text)
{
    return wlab_buf_printf(
        text,
        p->classes > 2 ? "%lld row%s ambiguous, %lld fixed; candidates=%lld ambiguous=%g\n"
                       : "%lld row%s free to choose a side, %lld fixed; candidates=%lld ambiguous=%g\n",
        (long long)p->unlabelled, p->unlabelled == 1 ? " is" : "s are", (long long)p->labelled,
        (long long)wlab_params_int(p->params, "candidates"), wlab_params_real(p->params, "ambiguous"));
}

static int ambiguous_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    fact[0] = (wlab_fact){"candidates", (double)wlab_params_int(p->params, "candidates"), true};
    fact[1] = (wlab_fact){"ambiguous", wlab_params_real(p->params, "ambiguous"), false};
    return 2;
}

const wlab_task wlab_task_ambiguous = {
    .name = "ambiguous",
    .summary = "ambiguous labels: several classes are told of a row, one of them is the true one",
    .source = "the label set of rows that choose each for itself, in Li, Tsang, Kwok, Zhou, JMLR 14 (2013)",
    .sees = WL_SEES_CANDIDATES,
    .params = ambiguous_params,
    .fill = ambiguous_fill,
    .allow = ambiguous_allow,
    .describe = ambiguous_describe,
    .facts = ambiguous_facts,
};
