/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * scale: makes a scaled copy of the current data set.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
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

typedef struct scaling {
    wlab_dataset *data;
    const wlab_slot *from;
    wlab_scaling kind;
} scaling;

static wlab_code make_data(void *self, wlab_ctx *ctx, wlab_err *err)
{
    scaling *m = self;
    return wlab_dataset_scale(&m->data, m->from->data, m->kind, m->from->train, m->from->ntrain, ctx, err);
}

static wlab_code scale(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *from = NULL;
    wlab_dataset *data = NULL;
    int32_t *train = NULL, *test = NULL;
    size_t n = 0, kind = 0;

    while (wlab_scaling_names[n])
        n++;
    if (args->nwords > 1 || args->nsettings)
        return wlab_fail(err, WL_EARG, "scale takes one of minmax, symmetric, zscore, unit, tfidf");
    wlab_code code = wlab_session_need_data(s, &from, err);
    if (code)
        return code;
    const char *name = args->nwords ? args->word[0] : from->data->X->sparse ? "unit" : "zscore";
    while (kind < n && strcmp(name, wlab_scaling_names[kind]) != 0)
        kind++;
    if (kind == n) {
        const char *near = wlab_nearest(name, wlab_scaling_names, n);
        return wlab_fail(err, WL_EARG, "no scaling \"%.60s\"; %s%s%s", name,
                         near ? "did you mean \"" : "there are minmax, symmetric, zscore, unit, tfidf",
                         near ? near : "", near ? "\"?" : "");
    }
    if (args->nwords == 0)
        code = wlab_session_record_as(s, err, "scale %s", name);
    if (!code) {
        scaling job = {.from = from, .kind = (wlab_scaling)kind};
        code = wlab_session_call(s, make_data, &job, err);
        data = job.data;
    }
    int64_t ntrain = code ? 0 : from->ntrain, ntest = code ? 0 : from->ntest;
    bool split = !code && from->train;
    char *words = NULL;
    if (split) {
        code = copy_rows(&train, from->train, ntrain, err);
        if (!code)
            code = copy_rows(&test, from->test, ntest, err);
        if (!code && from->split && !(words = wlab_strdup(from->split)))
            code = wlab_nomem(err);
    }
    if (!code) {
        code = wlab_session_add_data(s, data, err); /* may move *from */
        data = NULL;
    }
    if (!code) {
        wlab_slot *slot = wlab_session_slot(s);
        slot->train = train;
        slot->ntrain = ntrain;
        slot->test = test;
        slot->ntest = ntest;
        slot->split = words;
        train = test = NULL;
        words = NULL;
        wlab_session_show_data(s, slot);
    }
    wlab_dataset_unref(data);
    wlab_free(train);
    wlab_free(test);
    wlab_free(words);
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
    .usage = "scale [minmax|symmetric|zscore|unit|tfidf]",
    .summary = "make a scaled copy of the current data set",
    .help =
        "Scales a copy of the current data set and makes the copy current. `scale` alone chooses zscore "
        "for dense data and unit for sparse data.\n"
        "  minmax     each column to [0, 1]\n"
        "  symmetric  each column to [-1, 1]\n"
        "  zscore     each column to mean 0 and standard deviation 1\n"
        "  unit       each row to length 1\n"
        "  tfidf      term frequency x inverse document frequency, rows to length 1;\n"
        "             for counts\n"
        "In sparse data a 0 must remain 0: for them minmax and symmetric divide each column by its largest "
        "absolute value, and zscore divides it by its standard deviation without subtracting the mean. "
        "After `split` the scaling is computed from the training rows and applied to all rows. The copy "
        "keeps the split, but it has no task: give the task again.",
    .execute = scale,
    .offer = offer,
};
