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
    WL_TASK_POSITIVE,
    {0},
};

/* Whether `positive`, or any other class, is among the true class and `more` others drawn without replacement. */
static void draw(wlab_rng *rng, int classes, int truth, int positive, int64_t more, bool *up, bool *down,
                 int32_t *other)
{
    int n = 0;
    for (int c = 0; c < classes; c++)
        if (c != truth)
            other[n++] = c;
    *up = truth == positive;
    *down = truth != positive;
    for (int64_t k = 0; k < more; k++) {
        int64_t at = k + (int64_t)wlab_rng_below(rng, (uint64_t)(n - k));
        int32_t c = other[at];
        other[at] = other[k];
        other[k] = c;
        *up = *up || c == positive;
        *down = *down || c != positive;
    }
}

static wlab_code show(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int classes = p->data->classes;
    int64_t more = wlab_params_int(params, "candidates") - 1, known = 0, unlabelled = 0;
    if (more >= classes)
        return wlab_fail(err, WL_EARG, "candidates=%lld: '%s' has %d classes", (long long)more + 1,
                         p->data->name, classes);
    int32_t *pick = wlab_alloc((size_t)p->n, sizeof *pick),
            *other = wlab_alloc((size_t)classes, sizeof *other);
    if (!pick || !other) {
        wlab_free(pick);
        wlab_free(other);
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
    for (int64_t i = 0; i < ambiguous; i++) {
        bool up, down;
        draw(&rng, classes, p->data->label[p->row[pick[i]]], p->positive, more, &up, &down, other);
        if (up && down)
            p->visible[pick[i]] = 0;
    }
    wlab_free(pick);
    wlab_free(other);
    if (unlabelled && !(p->remark = wlab_format("%lld row%s without a label may be of any class",
                                                (long long)unlabelled, unlabelled == 1 ? "" : "s")))
        return wlab_nomem(err);
    return WL_OK;
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

const wlab_task wlab_task_ambiguous = {
    .name = "ambiguous",
    .summary = "ambiguous labels: several classes are told of a row, one of them is the true one",
    .source = "the label set of rows that choose each for itself, in Li, Tsang, Kwok, Zhou, JMLR 14 (2013)",
    .bit = WL_T_AMBIGUOUS,
    .params = ambiguous_params,
    .fill = ambiguous_fill,
    .allow = ambiguous_allow,
};
