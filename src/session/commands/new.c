/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * new: empties the session.
 */
#include "session/commands/commands.h"
#include "session/jobs/stops.h"

/* "2 data sets, 1 run" */
static void add_count(wlab_buf *out, int n, const char *what)
{
    if (n > 0)
        (void)wlab_buf_printf(out, "%s%d %s%s", out->len ? ", " : "", n, what, wlab_plural(n));
}

static void say_removed(wlab_session *s)
{
    const char *record = wlab_session_record_path(s), *log = record ? record : wlab_session_log_path(s);
    wlab_buf what = {0};

    add_count(&what, s->held.nslots, "data set");
    add_count(&what, s->held.nruns, "run");
    add_count(&what, s->held.stops ? s->held.stops->nstops : 0, "breakpoint");
    add_count(&what, s->held.stops ? s->held.stops->ndisplays : 0, "display");
    if (what.data && log)
        wlab_session_say(s, "removed: %s; the commands are kept in %s", (const char *)what.data, log);
    else if (what.data)
        wlab_session_say(s, "removed: %s; no log of the commands is kept", (const char *)what.data);
    else
        wlab_session_say(s, "the session is empty");
    wlab_buf_clear(&what);
}

static wlab_code new_session(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    if (args->nwords > 0)
        return wlab_fail(err, WL_EARG, "new takes no words; `new`, or `new seed=2`, say");
    say_removed(s);
    wlab_session_clear(s);
    if (wlab_params_given(args->params, "seed"))
        s->seed = (uint64_t)wlab_params_int(args->params, "seed");
    wlab_session_object(s, json_pack("{s:s, s:I}", "type", "new", "seed", (json_int_t)s->seed));
    return WL_OK;
}

static const wlab_param_info params[] = {
    {.name = "seed",
     .type = WL_P_INT,
     .lo = 0,
     .hi = 9007199254740992.0,
     .meaning = "the seed for commands without seed= from here on; without it the seed is kept"},
    {.name = NULL},
};

const wlab_command wlab_cmd_new = {
    .name = "new",
    .usage = "new [seed=N]",
    .summary = "begin an empty session",
    .help = "Removes all data sets, tasks, runs, breakpoints, watches and displays; the next run is named a "
            "again. "
            "Settings are kept. The record continues, with this line in it, and replays to the same digests.",
    .params = params,
    .flags = WL_C_EMPTIES | WL_C_SHARED,
    .execute = new_session,
};
