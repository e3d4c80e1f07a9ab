/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * back: undoes steps.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"

static wlab_code back(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t count, target;
    wlab_run *run;
    wlab_code code = wlab_args_count(args, "back", &count, err);

    if (code || (code = wlab_session_need_run(s, &run, err)))
        return code;
    if (count - (wlab_run_half(run) > 0) > wlab_run_iter(run))
        return wlab_fail(err, WL_EARG, "run %s is at step %lld: it cannot go back by %lld",
                         wlab_run_name(run), (long long)wlab_run_iter(run), (long long)count);
    target = wlab_run_iter(run) - count + (wlab_run_half(run) > 0);
    return wlab_session_go(s, WL_JOB_GOTO, target, NULL, err);
}

const wlab_command wlab_cmd_back = {
    .name = "back",
    .alias = "b",
    .meant = "undo",
    .usage = "back [N]",
    .summary = "undo N steps (default 1)",
    .help = "Goes back in time: restores the state after an earlier step exactly, including the random "
            "generator, so that `back 3; step 3` gives the same bits if no `set` was among these steps. A "
            "step that "
            "`stepi` began and that is not complete is the first of the N. The settings of the run "
            "get the values that they had then; a later `set` is lost.",
    .flags = WL_C_STEPS | WL_C_REPEATS | WL_C_OWN | WL_C_SHARED,
    .execute = back,
};
