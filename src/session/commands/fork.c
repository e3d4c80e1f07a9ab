/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fork: copies the current run under another name.
 */
#include "session/commands/commands.h"
#include "session/jobs/stepping.h"

typedef struct forking {
    const wlab_run *from;
    wlab_run *fork;
    const char *name;
    int number;
} forking;

static wlab_code copy_run(void *data, wlab_ctx *ctx, wlab_err *err)
{
    forking *f = data;

    return wlab_run_fork(&f->fork, f->from, f->name, f->number, ctx, err);
}

static wlab_code fork_run(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    char next[16];
    forking f = {0};
    wlab_run *run;
    wlab_code code = wlab_session_need_run(s, &run, err);

    if (code)
        return code;
    if (args->nwords != 1 || args->nsettings > 0)
        return wlab_fail(err, WL_EARG, "fork takes the name of the new run: `fork b`, say");
    if (wlab_session_find_run(s, args->word[0]))
        return wlab_fail(err, WL_EARG, "there is a run \"%.60s\" already; `runs` lists them", args->word[0]);
    wlab_session_next_name(s, next, &f.number);
    f.from = run;
    f.name = args->word[0];
    if ((code = wlab_session_call(s, copy_run, &f, err)) || (code = wlab_session_add_run(s, f.fork, err)))
        return code;
    wlab_session_print(s, "run %s: a copy of run %s at step %lld; `switch %s` returns to that one\n", f.name,
                       wlab_run_name(run), (long long)wlab_run_iter(run), wlab_run_name(run));
    wlab_session_object(s, json_pack("{s:s, s:s, s:s, s:I}", "type", "fork", "run", f.name, "from",
                                     wlab_run_name(run), "iter", (json_int_t)wlab_run_iter(run)));
    return WL_OK;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    char name[16];
    int number;

    if (o->typed->nwords > 0)
        return;
    wlab_session_next_name(s, name, &number);
    wlab_offers_add(o, name, NULL, "the next free name", 0);
}

const wlab_command wlab_cmd_fork = {
    .name = "fork",
    .usage = "fork NAME",
    .summary = "copy the current run under a new name",
    .help =
        "Copies the current run, with its state, trace and snapshots, and makes the copy the current run. "
        "Change a setting of the copy, continue it, and `compare` the two runs. Runs are named by their "
        "number, and "
        "the copy counts: after runs a and `fork x` the next one is c.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = fork_run,
    .offer = offer,
};
