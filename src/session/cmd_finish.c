/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * finish: to the end of the current phase.
 */
#include "session/commands.h"
#include "session/stepping.h"

static wlab_code finish(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_code code = wlab_args_none(args, "finish", err);

    return code ? code : wlab_session_go(s, WL_JOB_STEP, 1, NULL, err);
}

const wlab_command wlab_cmd_finish = {
    .name = "finish",
    .usage = "finish",
    .summary = "go on to the end of the current phase",
    .help =
        "Completes the current phase: for wellsvm that is the step, with its master problem solved. When no "
        "step has been begun, the next one is made.",
    .flags = WL_C_STEPS,
    .execute = finish,
};
