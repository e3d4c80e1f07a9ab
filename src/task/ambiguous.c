/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ambiguous labels: some rows have several candidate classes, one of which is the true class.
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
     .meaning = "number of candidate classes of an ambiguous row: the true one and others drawn at random"},
    {.name = "ambiguous",
     .type = WL_P_REAL,
     .fallback = "0.5",
     .lo = 0,
     .hi = 1,
     .meaning =
         "fraction of the labelled training rows that become ambiguous; the class of the others is given"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the draws: which rows are ambiguous, and their candidates"},
    {.name = "from",
     .type = WL_P_FILE,
     .meaning =
         "a file with one line per row of the data set: the names of the row's candidate classes, joined by "
         "+, such as cat+dog, or ? for any class. Nothing is drawn then; the labels of the data are used for "
         "scoring only"},
    WL_TASK_CLASSES,
    WL_TASK_POSITIVE,
    {0},
};

/* candidate[0..more]: the candidates of a row, its true class and `more` others drawn without replacement. */
static void draw_candidates(wlab_rng *rng, int classes, int truth, int64_t more, int32_t *candidate)
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

/* The labels of the candidate classes, as bits of their indices. */
static uint64_t labels_of(const wlab_problem *p, const int32_t *candidate, int64_t n)
{
    uint64_t bits = 0;
    for (int64_t k = 0; k < n; k++)
        bits |= UINT64_C(1) << wlab_label_index(p, (int8_t)wlab_task_sign(p, candidate[k]));
    return bits;
}

/* Set the candidates of training row i, bits of labels: a single one is observed. */
static void set_candidates(wlab_problem *p, int64_t i, uint64_t bits)
{
    int label = 0;

    for (int k = 0; k < p->classes; k++)
        if (bits == UINT64_C(1) << k)
            label = wlab_label_at(p, k);
    p->visible[i] = (int8_t)label;
    if (p->candidates)
        p->candidates[i] = bits;
}

/* Observe the candidates in a file. */
static wlab_code observe_file(wlab_problem *p, const char *path, wlab_err *err)
{
    const wlab_dataset *d = p->data;
    int64_t wrong = 0;
    uint64_t *all = wlab_alloc((size_t)d->X->rows, sizeof *all);

    if (p->classes > 2)
        p->candidates = wlab_alloc((size_t)p->n, sizeof *p->candidates);
    wlab_code code = !all || (p->classes > 2 && !p->candidates) ? wlab_nomem(err) : WL_OK;
    if (!code)
        code = wlab_candidates_file_read(path, d->X->rows, d->class_name, d->classes, all, err);
    for (int64_t i = 0; !code && i < p->n; i++) {
        uint64_t bits = 0;
        for (int c = 0; c < d->classes; c++)
            if (all[p->row[i]] >> c & 1)
                bits |= UINT64_C(1) << wlab_label_index(p, (int8_t)wlab_task_sign(p, c));
        set_candidates(p, i, bits);
        wrong += p->truth[i] && !(bits >> wlab_label_index(p, p->truth[i]) & 1);
    }
    wlab_free(all);
    return code || !wrong
               ? code
               : wlab_task_remark(p,
                                  wlab_format("of %lld row%s the true class is not among the candidates",
                                              (long long)wrong, wrong == 1 ? "" : "s"),
                                  err);
}

static wlab_code observe(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    static const char *const of_draws[] = {"candidates", "ambiguous", "seed"};
    const char *path = wlab_params_text(params, "from");
    for (int k = 0; path && *path && k < 3; k++)
        if (wlab_params_given(params, of_draws[k]))
            return wlab_fail(err, WL_EARG,
                             "from= gives the candidates, so nothing is drawn: leave out %s=", of_draws[k]);
    if (path && *path)
        return observe_file(p, path, err);
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
    unlabelled = p->n - known; /* rows without a label may be of any class */
    wlab_rng_shuffle(&rng, pick, (size_t)known);
    int64_t ambiguous = (int64_t)(wlab_params_real(params, "ambiguous") * (double)known + 0.5);
    for (int64_t i = 0; p->candidates && i < p->n; i++) /* those of ambiguous rows are set below */
        p->candidates[i] = p->visible[i] ? wlab_problem_allowed(p, i) : UINT64_MAX >> (64 - p->classes);
    for (int64_t i = 0; i < ambiguous; i++) {
        draw_candidates(&rng, classes, p->data->label[p->row[pick[i]]], more, candidate);
        set_candidates(p, pick[i], labels_of(p, candidate, more + 1));
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
                                int64_t n_test, wlab_ctx *ctx, wlab_err *err)
{
    (void)test, (void)n_test;
    wlab_code code = wlab_task_classes(p, params, false, err);
    code = code ? code : wlab_task_look(ctx, err);
    return code ? code : observe(p, params, err);
}

static wlab_code ambiguous_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    (void)params;
    return wlab_labelset_ambiguous(&p->labels, p->visible, p->n, err);
}

static wlab_code ambiguous_describe(const wlab_problem *p, wlab_buf *text)
{
    const char *path = wlab_params_text(p->params, "from");

    if (path && *path)
        return wlab_buf_printf(text, "%lld row%s %s, %lld fixed; candidates from %s\n",
                               (long long)p->unlabelled, p->unlabelled == 1 ? " is" : "s are",
                               p->classes > 2 ? "ambiguous" : "free to choose a side", (long long)p->labelled,
                               path);
    return wlab_buf_printf(
        text,
        p->classes > 2 ? "%lld row%s ambiguous, %lld fixed; candidates=%lld ambiguous=%g\n"
                       : "%lld row%s free to choose a side, %lld fixed; candidates=%lld ambiguous=%g\n",
        (long long)p->unlabelled, p->unlabelled == 1 ? " is" : "s are", (long long)p->labelled,
        (long long)wlab_params_int(p->params, "candidates"), wlab_params_real(p->params, "ambiguous"));
}

static int ambiguous_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    const char *path = wlab_params_text(p->params, "from");

    if (path && *path) /* nothing is drawn */
        return 0;
    fact[0] = (wlab_fact){"candidates", (double)wlab_params_int(p->params, "candidates"), true};
    fact[1] = (wlab_fact){"ambiguous", wlab_params_real(p->params, "ambiguous"), false};
    return 2;
}

const wlab_task wlab_task_ambiguous = {
    .name = "ambiguous",
    .summary = "ambiguous labels: some rows have several candidate classes, one of which is true",
    .source =
        "as a label set of Li, Tsang, Kwok, Zhou, JMLR 14 (2013): each ambiguous row may have either label",
    .sees = WL_SEES_CANDIDATES,
    .params = ambiguous_params,
    .fill = ambiguous_fill,
    .allow = ambiguous_allow,
    .describe = ambiguous_describe,
    .facts = ambiguous_facts,
};
