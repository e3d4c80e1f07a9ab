/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * continue: makes steps until something stops the run.
 */
#include "session/commands/commands.h"
#include "session/commands/score.h"
#include "session/jobs/stepping.h"
#include <string.h>

static wlab_code continue_run(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *rest = args->rest;
    size_t blanks;

    if (!*rest)
        return wlab_session_go(s, WL_JOB_GO, 0, NULL, err);
    blanks = strncmp(rest, "until", 5) == 0 ? strspn(rest + 5, " \t") : 0;
    if (strcmp(rest, "until") == 0)
        return wlab_fail(err, WL_EARG, "continue until what? `continue until relgap < 1e-3`, say");
    if (blanks == 0)
        return wlab_fail(
            err, WL_EARG,
            "continue is typed alone or with a condition: `continue until relgap < 1e-3`, say; `step 5` "
            "makes 5 steps");
    rest += 5 + blanks;
    wlab_session_note_hidden(s, rest);
    return wlab_args_place(args, rest, wlab_session_go(s, WL_JOB_GO, 0, rest, err), err);
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_offers_add(o, "until", NULL, "a condition follows: relgap < 1e-3, say", 0);
    else if (strcmp(o->typed->word[0], "until") == 0)
        wlab_offers_condition(o, s, o->typed->rest + strlen("until"));
}

const wlab_command wlab_cmd_continue = {
    .name = "continue",
    .alias = "c",
    .meant = "fit, train",
    .usage = "continue [until CONDITION]",
    .summary = "make steps until the end, a breakpoint, the condition, or Ctrl-C",
    .help =
        "Makes steps until the run has converged, stalled or reached a limit. A breakpoint, a watch or "
        "Ctrl-C stops it earlier, and so does CONDITION, which is checked after each step. Unless the run "
        "has ended, at least one step is made. Conditions compare metrics, iter (steps made) and inner "
        "(inner units made): `relgap < 1e-3 and iter > 5`, `abs(upper - lower) <= 0.1`, `objective "
        "increases`, `flips > 20 or not gap decreases`. A comparison with a metric that has no value is "
        "false. `help conditions` says more.",
    .flags = WL_C_STEPS | WL_C_WORDS | WL_C_REPEATS | WL_C_OWN | WL_C_SHARED,
    .execute = continue_run,
    .offer = offer,
};
