/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * goto: to an earlier step.
 */
#include "session/commands.h"
#include "session/stepping.h"

static wlab_code go_to(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t target;
    wlab_run *run;
    wlab_code code = wlab_session_need_run(s, &run, err);

    if (code)
        return code;
    if (args->nwords != 1 || args->nsettings > 0 || !wlab_parse_int(args->word[0], &target) || target < 0)
        return wlab_fail(err, WL_EARG, "goto takes the number of a step: `goto 3`, say");
    if (target > wlab_run_iter(run))
        return wlab_fail(
            err, WL_EARG, "run %s is at step %lld, before %lld: `continue until iter == %lld` goes on",
            wlab_run_name(run), (long long)wlab_run_iter(run), (long long)target, (long long)target);
    return wlab_session_go(s, WL_JOB_GOTO, target, NULL, err);
}

const wlab_command wlab_cmd_goto = {
    .name = "goto",
    .usage = "goto N",
    .summary = "go back to the state after step N",
    .help =
        "Restores the state after step N exactly, as `back` does; `goto 0` is the start. The trace behind N "
        "is forgotten; `fork` first to keep it.",
    .flags = WL_C_STEPS,
    .execute = go_to,
};
