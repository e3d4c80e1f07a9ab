/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * switch: makes another run the current one.
 */
#include "session/commands/commands.h"

static wlab_code switch_run(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_run *run;
    wlab_code code;

    if (args->nwords != 1 || args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "switch takes the name of a run; `runs` lists them");
    if ((code = wlab_session_switch_run(s, args->word[0], err)))
        return code;
    run = wlab_session_run(s);
    wlab_session_print(s, "run %s: %s at step %lld, %s\n", wlab_run_name(run), wlab_run_algo(run)->name,
                       (long long)wlab_run_iter(run), wlab_verdict_names[wlab_run_verdict(run)]);
    return WL_OK;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_offers_runs(o, s, false);
}

const wlab_command wlab_cmd_switch = {
    .name = "switch",
    .usage = "switch NAME",
    .summary = "make another run the current one",
    .help = "Makes the run of that name the current one; `runs` lists them.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = switch_run,
    .offer = offer,
};
