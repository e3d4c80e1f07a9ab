/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * split: holds rows out for scoring.
 */
#include "session/commands/commands.h"

char *wlab_split_text(const wlab_slot *slot)
{
    int64_t bags[3] = {0, 0, 1};
    long long train = slot->ntrain, test = slot->ntest;

    if (slot->data->bag &&
        wlab_dataset_bags_split(slot->data, slot->train, train, slot->test, test, bags, NULL) != WL_OK)
        return NULL;
    if (bags[2]) /* some bag has rows on both sides: rows were split, not bags */
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
    char *text, *words = NULL;
    wlab_buf given = {0};

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
    if (!code && !(code = wlab_params_format(params, &given)) && given.data &&
        !(words = wlab_strdup((const char *)given.data)))
        code = wlab_nomem(err);
    wlab_buf_clear(&given);
    wlab_params_destroy(params);
    if (code) {
        wlab_free(train);
        wlab_free(test);
        return code;
    }
    cut = *slot;
    cut.train = train;
    cut.test = test;
    cut.ntrain = ntrain;
    cut.ntest = ntest;
    text = wlab_split_text(&cut);
    if (!text) {
        wlab_free(train);
        wlab_free(test);
        wlab_free(words);
        return wlab_nomem(err);
    }
    wlab_free(slot->train);
    wlab_free(slot->test);
    wlab_free(slot->split);
    slot->split = words;
    slot->train = train;
    slot->ntrain = ntrain;
    slot->test = test;
    slot->ntest = ntest;
    if (slot->problem) { /* it may contain rows that are held out now */
        wlab_problem_unref(slot->problem);
        slot->problem = NULL;
        slot->task_ended = true;
        wlab_session_say(s, "the task was for the rows before the split: define it again with `task`");
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
        "Divides the rows of the current data set into training rows, which tasks and scalings use, and "
        "test rows, which are held out: `eval test` scores the model on them.\n"
        "  test=0.25       hold out a quarter of the rows; test=50: 50 rows\n"
        "  folds=5 fold=2  divide the rows into 5 folds and hold out the second; for\n"
        "                  fold=1, 2, ... with one seed= each row is held out once\n"
        "  hold=test       hold out the bags whose names begin with test, such as\n"
        "                  test-1 and test2, which a MAT-file with a split has\n"
        "  bagsize=16      first deal all rows into bags of 16, the same bags as `task\n"
        "                  llp bagsize=16 deal=all` with this seed=; then divide these\n"
        "If there are bags, test= and folds= count bags and hold out whole ones, unless by=rows. The same "
        "fraction of each class is held out, unless stratified=no.",
    .params = wlab_split_params,
    .execute = split,
};
