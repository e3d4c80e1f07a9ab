/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * split: hold rows out for scoring.
 */
#include "session/commands/commands.h"

char *wlab_split_text(const wlab_slot *slot)
{
    int64_t bags[3] = {0, 0, 1};
    long long train = slot->ntrain, test = slot->ntest;

    if (slot->data->bag &&
        wlab_dataset_bags_split(slot->data, slot->train, train, slot->test, test, bags, NULL) != WL_OK)
        return NULL;
    if (bags[2]) /* rows of a bag on both sides: not bags were cut */
        return wlab_format("%lld row%s to train, %lld held out", train, wlab_plural(train), test);
    return wlab_format("%lld bag%s (%lld row%s) to train, %lld bag%s (%lld row%s) held out",
                       (long long)bags[0], wlab_plural(bags[0]), train, wlab_plural(train),
                       (long long)bags[1], wlab_plural(bags[1]), test, wlab_plural(test));
}

static wlab_code split(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *slot = NULL;
    wlab_params *params = NULL;
    int32_t *train = NULL, *test = NULL;
    int64_t ntrain = 0, ntest = 0;
    wlab_slot cut;
    int64_t bags[3];
    json_t *o;
    char *text;

    if (args->nwords && args->nsettings)
        return wlab_args_stray(args, 0, err);
    if (args->nwords)
        return wlab_fail(err, WL_EARG, "split takes settings: `split test=0.25 seed=1`, say");
    wlab_code code = wlab_session_need_data(s, &slot, err);
    if (!code)
        code = wlab_params_copy(&params, args->params, err);
    if (!code)
        code = wlab_session_default_seed(s, params, err);
    if (!code)
        code = wlab_dataset_split(slot->data, params, &train, &ntrain, &test, &ntest, err);
    wlab_params_destroy(params);
    if (code)
        return code;
    cut = *slot;
    cut.train = train;
    cut.test = test;
    cut.ntrain = ntrain;
    cut.ntest = ntest;
    text = wlab_split_text(&cut);
    if (!text) {
        wlab_free(train);
        wlab_free(test);
        return wlab_nomem(err);
    }
    wlab_free(slot->train);
    wlab_free(slot->test);
    slot->train = train;
    slot->ntrain = ntrain;
    slot->test = test;
    slot->ntest = ntest;
    if (slot->problem) { /* it may show labels of rows that are held out now */
        wlab_problem_unref(slot->problem);
        slot->problem = NULL;
        slot->task_ended = true;
        wlab_session_say(s, "the task was of the rows before the split; set it again");
    }
    wlab_session_print(s, "%s: %s\n", slot->data->name, text);
    wlab_free(text);
    o = json_pack("{s:s, s:o, s:I, s:I}", "type", "split", "data", wlab_json_text(slot->data->name), "train",
                  (json_int_t)ntrain, "test", (json_int_t)ntest);
    if (o && slot->data->bag &&
        wlab_dataset_bags_split(slot->data, train, ntrain, test, ntest, bags, NULL) == WL_OK) {
        json_object_set_new(o, "train_bags", json_integer(bags[0]));
        json_object_set_new(o, "test_bags", json_integer(bags[1]));
    }
    wlab_session_object(s, o);
    return WL_OK;
}

const wlab_command wlab_cmd_split = {
    .name = "split",
    .usage = "split [test=0.25|folds=K fold=F|hold=NAME] [seed=] [stratified=] [by=|bagsize=]",
    .summary = "hold rows, or bags of rows, out for scoring",
    .help =
        "Cuts the rows of the current data set into training rows, which tasks and scalings see, and "
        "test rows, on which `eval test` scores. folds=K fold=F holds out the F-th of K folds: with the same "
        "seed every row is in exactly one of them. Of data in bags whole bags are held out, in proportion of "
        "positive and negative ones, unless by=rows says otherwise; test= and folds= then count bags. "
        "bagsize=16 deals all rows into bags first, for `task llp bagsize=16 deal=all` with the same seed. "
        "hold=test holds out the bags that are called test-1, test2 and so on: a MAT-file with a split of "
        "its own has such bags.",
    .params = wlab_split_params,
    .execute = split,
};
