/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * stepi: inner units.
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
    .summary = "make N inner units of a step (1)",
    .help = "Makes N inner units, going on into the next step where one is complete. Inside a step the "
            "iteration shows as 7+2: two units after step 7. Breakpoints are looked at where a step is "
            "complete. `step` completes the step, `back` drops what was begun.",
    .flags = WL_C_STEPS | WL_C_REPEATS,
    .execute = stepi,
};
