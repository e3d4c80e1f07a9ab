/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * stepi: makes inner units of a step.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"

static wlab_code stepi(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t count;
    wlab_code code = wlab_args_count(args, "stepi", &count, err);

    return code ? code : wlab_session_go(s, WL_JOB_STEPI, count, NULL, err);
}

const wlab_command wlab_cmd_stepi = {
    .name = "stepi",
    .alias = "si",
    .usage = "stepi [N]",
    .summary = "make N inner units of a step (default 1)",
    .help =
        "Makes N inner units of the current run (default 1). Inner units are the parts of a step; in "
        "wellsvm, for example, one update of mu is a unit. `info algo` says what a unit is. When a step is "
        "complete, stepi continues with the next one. Inside a step the iteration is shown as 7+2: two "
        "units after step 7. Breakpoints are checked only when a step is complete. `step` completes the "
        "step; `back` undoes the units of an incomplete step.",
    .flags = WL_C_STEPS | WL_C_REPEATS | WL_C_OWN | WL_C_SHARED,
    .execute = stepi,
};
