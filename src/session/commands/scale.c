/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * scale: a new data set from the current one.
 */
#include "session/commands/commands.h"
#include <string.h>

static wlab_code copy_rows(int32_t **copy, const int32_t *rows, int64_t n, wlab_err *err)
{
    *copy = wlab_alloc((size_t)n + 1, sizeof **copy);
    if (!*copy)
        return wlab_nomem(err);
    if (n > 0)
        memcpy(*copy, rows, (size_t)n * sizeof **copy);
    return WL_OK;
}

static wlab_code scale(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *from = NULL;
    wlab_dataset *data = NULL;
    int32_t *train = NULL, *test = NULL;
    size_t n = 0, kind = 0;

    while (wlab_scaling_names[n])
        n++;
    if (args->nwords != 1 || args->nsettings)
        return wlab_fail(err, WL_EARG, "scale takes one of minmax, symmetric, zscore, unit, tfidf");
    while (kind < n && strcmp(args->word[0], wlab_scaling_names[kind]) != 0)
        kind++;
    if (kind == n) {
        const char *near = wlab_nearest(args->word[0], wlab_scaling_names, n);
        return wlab_fail(err, WL_EARG, "no scaling \"%.60s\"; %s%s%s", args->word[0],
                         near ? "did you mean \"" : "there are minmax, symmetric, zscore, unit, tfidf",
                         near ? near : "", near ? "\"?" : "");
    }
    wlab_code code = wlab_session_need_data(s, &from, err);
    if (!code)
        code = wlab_dataset_scale(&data, from->data, (wlab_scaling)kind, from->train, from->ntrain, &s->ctx,
                                  err);
    int64_t ntrain = code ? 0 : from->ntrain, ntest = code ? 0 : from->ntest;
    bool split = !code && from->train;
    if (split) {
        code = copy_rows(&train, from->train, ntrain, err);
        if (!code)
            code = copy_rows(&test, from->test, ntest, err);
    }
    if (!code) {
        code = wlab_session_add_data(s, data, err); /* `from` may have moved */
        data = NULL;
    }
    if (!code) {
        wlab_slot *slot = wlab_session_slot(s);
        slot->train = train;
        slot->ntrain = ntrain;
        slot->test = test;
        slot->ntest = ntest;
        train = test = NULL;
        wlab_session_show_data(s, slot);
    }
    wlab_dataset_unref(data);
    wlab_free(train);
    wlab_free(test);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const meaning[] = {
        "each column to [0, 1]", "each column to mean 0 and deviation 1", "each row to length 1",
        "term frequency times inverse document frequency, rows to length 1", "each column to [-1, 1]"};

    (void)s;
    if (o->typed->nwords == 0)
        wlab_offers_list(o, wlab_scaling_names, meaning);
}

const wlab_command wlab_cmd_scale = {
    .name = "scale",
    .usage = "scale minmax|symmetric|zscore|unit|tfidf",
    .summary = "make a scaled data set of the current one",
    .help =
        "minmax: each column to [0, 1], symmetric: to [-1, 1] (sparse data: divided by its largest absolute "
        "value). zscore: mean 0 "
        "and deviation 1 (sparse data: deviation only). unit: each row to length 1. tfidf: term frequency "
        "times inverse document frequency, rows to length 1. With a split, the statistics are those of the "
        "training rows. The split stays, the task has to be set again.",
    .execute = scale,
    .offer = offer,
};
