/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * continue: go on until something happens.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
#include <string.h>

static wlab_code go_on(wlab_session *s, const wlab_args *args, wlab_err *err)
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
            "continue stands alone or has a condition: `continue until relgap < 1e-3`, say; `step 5` "
            "makes 5 steps");
    return wlab_session_go(s, WL_JOB_GO, 0, rest + 5 + blanks, err);
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
    .usage = "continue [until CONDITION]",
    .summary = "go on to the end, a breakpoint, the condition, or Ctrl-C",
    .help = "Makes steps until the run has converged, stalled or reached a limit, a breakpoint holds, or the "
            "condition does; at least one step. Conditions compare metrics, iter and inner: "
            "`relgap < 1e-3 and iter > 5`, `abs(upper - lower) <= 0.1`, `objective increases`, "
            "`flips > 20 or not gap decreases`. A metric without a value compares false.",
    .flags = WL_C_STEPS | WL_C_WORDS | WL_C_REPEATS,
    .execute = go_on,
    .offer = offer,
};
