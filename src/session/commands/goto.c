/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * goto: restores the state after an earlier step.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static wlab_code go_to(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t target;
    wlab_run *run;
    wlab_code code = wlab_session_need_run(s, &run, err);

    if (code)
        return code;
    if (args->nwords != 1 || args->nsettings > 0 || !wlab_parse_int(args->word[0], &target) || target < 0)
        return wlab_fail(err, WL_EARG, "goto takes the number of a step: `goto 3`, say");
    if (target > wlab_run_iter(run) && wlab_run_verdict(run) != WL_MORE)
        return wlab_fail(err, WL_EARG, "run %s ended at step %lld (%s): it has no step %lld",
                         wlab_run_name(run), (long long)wlab_run_iter(run),
                         wlab_verdict_names[wlab_run_verdict(run)], (long long)target);
    if (target > wlab_run_iter(run))
        return wlab_fail(
            err, WL_EARG,
            "run %s is at step %lld and has not made step %lld yet: `continue until iter == %lld` does",
            wlab_run_name(run), (long long)wlab_run_iter(run), (long long)target, (long long)target);
    return wlab_session_go(s, WL_JOB_GOTO, target, NULL, err);
}

/* Offers the 20 steps before this one, the newest first, and the start; each with two metrics that have values. */
static void offer(wlab_offers *o, const wlab_session *s)
{
    const wlab_run *run = s->job.running ? NULL : wlab_session_run(s);
    const wlab_trace_row *row = NULL;
    char number[32], note[100];

    if (!run || o->typed->nwords > 0)
        return;
    const wlab_algo *algo = wlab_run_algo(run);
    int64_t now = wlab_run_iter(run), n = wlab_run_trace(run, &row);
    for (int64_t i = now - 1; i >= 0 && i<n; i = i> now - 20 || i == 0 ? i - 1 : 0) {
        size_t len = 0;
        note[0] = '\0';
        for (int m = 0, shown = 0; algo->metrics[m].name && shown < 2; m++)
            if (isfinite(row[i].metric[m])) {
                len = strlen(note);
                snprintf(note + len, sizeof note - len, "%s%s %.6g", len ? ", " : "", algo->metrics[m].name,
                         row[i].metric[m]);
                shown++;
            }
        snprintf(number, sizeof number, "%lld", (long long)row[i].iter);
        wlab_offers_add(o, number, NULL, i == 0 ? "the start" : note, 0);
    }
}

const wlab_command wlab_cmd_goto = {
    .name = "goto",
    .usage = "goto N",
    .summary = "go back to the state after step N",
    .help = "Restores the state after step N exactly, as `back` does; `goto 0` is the start. The trace after "
            "step N is lost; `fork` first to keep it.",
    .flags = WL_C_STEPS | WL_C_OWN | WL_C_SHARED,
    .execute = go_to,
    .offer = offer,
};
