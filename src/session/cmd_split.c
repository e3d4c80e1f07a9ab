/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * split: hold rows out for scoring.
 */
#include "session/commands.h"

static wlab_code split(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_slot *slot = NULL;
    wlab_params *params = NULL;
    int32_t *train = NULL, *test = NULL;
    int64_t ntrain = 0, ntest = 0;

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
    wlab_free(slot->train);
    wlab_free(slot->test);
    slot->train = train;
    slot->ntrain = ntrain;
    slot->test = test;
    slot->ntest = ntest;
    if (slot->problem) { /* it may show labels of rows that are held out now */
        wlab_problem_unref(slot->problem);
        slot->problem = NULL;
        wlab_session_say(s, "the task was of the rows before the split; set it again");
    }
    wlab_session_print(s, "%s: %lld row%s to train, %lld held out\n", slot->data->name, (long long)ntrain,
                       wlab_plural(ntrain), (long long)ntest);
    wlab_session_object(s, json_pack("{s:s, s:o, s:I, s:I}", "type", "split", "data",
                                     wlab_json_text(slot->data->name), "train", (json_int_t)ntrain, "test",
                                     (json_int_t)ntest));
    return WL_OK;
}

const wlab_command wlab_cmd_split = {
    .name = "split",
    .usage = "split [test=0.25|folds=K fold=F] [seed=] [stratified=yes]",
    .summary = "hold rows out for scoring",
    .help =
        "Cuts the rows of the current data set into training rows, which tasks and scalings see, and "
        "test rows, on which `eval test` scores. folds=K fold=F holds out the F-th of K folds: with the same "
        "seed every row is in exactly one of them.",
    .params = wlab_split_params,
    .execute = split,
};
