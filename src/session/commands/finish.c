/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * finish: to the end of the current phase.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"

static wlab_code finish(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t count;
    wlab_code code = wlab_args_count(args, "finish", &count, err);
    const wlab_algo *algo;
    wlab_run *run;

    if (code || (code = wlab_session_need_run(s, &run, err)))
        return code;
    algo = wlab_run_algo(run);
    if (!algo->phase_unit)
        return wlab_fail(err, WL_ESTATE,
                         "%s has no phases to finish: `step` %s, `continue` goes on to the end, `continue "
                         "until CONDITION` to where you say",
                         algo->name, wlab_run_half(run) > 0 ? "completes the step" : "makes one step");
    return wlab_session_go(s, WL_JOB_PHASE, count, NULL, err);
}

const wlab_command wlab_cmd_finish = {
    .name = "finish",
    .usage = "finish [N]",
    .summary = "go on to the end of the current phase, or of N phases",
    .help =
        "Makes steps until the last one of the current phase is done, at least one, so that typed again it "
        "makes the whole next phase; `finish 3` ends this phase and the two behind it. A breakpoint, the "
        "run's end or Ctrl-C may come before. What a phase is "
        "depends on the algorithm, `info algo` says it: a temperature of mfa, a weight lambda' of the "
        "unlabelled rows in tsvm. Algorithms without phases, such as wellsvm, have nothing to finish: `step` "
        "completes a step that `stepi` began, `continue until` goes on to a condition.",
    .flags = WL_C_STEPS | WL_C_REPEATS,
    .execute = finish,
};
