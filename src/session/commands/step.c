/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * step: makes steps.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"

static wlab_code step(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t count;
    wlab_code code = wlab_args_count(args, "step", &count, err);

    return code ? code : wlab_session_go(s, WL_JOB_STEP, count, NULL, err);
}

const wlab_command wlab_cmd_step = {
    .name = "step",
    .alias = "s",
    .meant = "next, iterate",
    .usage = "step [N]",
    .summary = "make N steps (default 1)",
    .help = "Makes N steps (default 1) of the current run. A breakpoint, a watch, the end of the run or "
            "Ctrl-C stops the command earlier. What a step is depends on the algorithm; `info algo` says it. "
            "A step "
            "that `stepi` began is "
            "completed and counts as one. On a finished run it changes nothing.",
    .flags = WL_C_STEPS | WL_C_REPEATS | WL_C_OWN | WL_C_SHARED,
    .execute = step,
};
