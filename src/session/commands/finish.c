/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * finish: makes steps to the end of the current phase.
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
        return wlab_fail(
            err, WL_ESTATE,
            "this run of %s has no phases to finish: `step` %s, `continue` makes steps to the end, "
            "`continue until CONDITION` until a condition holds",
            algo->name, wlab_run_half(run) > 0 ? "completes the step" : "makes one step");
    return wlab_session_go(s, WL_JOB_PHASE, count, NULL, err);
}

const wlab_command wlab_cmd_finish = {
    .name = "finish",
    .usage = "finish [N]",
    .summary = "make steps to the end of the current phase, or of N phases",
    .help =
        "Makes steps to the end of the current phase. Typed again, it makes the whole next phase; `finish "
        "3` ends this phase and the next two. Unless the run has ended, at least one step is made. A "
        "breakpoint, a watch, the end of the run or Ctrl-C may stop it earlier. What a phase is, "
        "`help ALGORITHM` says: the steps at one temperature of mfa, at one weight lambda' of tsvm, at one "
        "level of alter-psvm, s3vm or entropy, and so on. "
        "With classes=all, an algorithm for two classes trains one binary classifier per class; each of them "
        "is a phase. "
        "If the help of an algorithm names no phase (wellsvm, for example), `finish` is an error. "
        "There `step` completes a step that `stepi` began, and `continue until CONDITION` makes steps "
        "until a condition holds.",
    .flags = WL_C_STEPS | WL_C_REPEATS | WL_C_OWN | WL_C_SHARED,
    .execute = finish,
};
