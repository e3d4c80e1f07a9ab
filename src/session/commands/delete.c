/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * delete: removes a breakpoint or a watch.
 */
#include "session/commands/commands.h"
#include "session/jobs/stops.h"

static wlab_code delete_stop(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t number;

    if (args->nwords + args->nsettings == 0)
        return wlab_fail(err, WL_EARG,
                         "delete which breakpoint or watch? `delete 2`, say; `info break` lists them");
    if (args->nwords != 1 || args->nsettings > 0 || !wlab_parse_int(args->word[0], &number))
        return wlab_fail(err, WL_EARG,
                         "delete takes the number of a breakpoint or watch; `info break` lists them");
    return wlab_stops_remove(s, number, err);
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_stops_offer(o, s, false);
}

const wlab_command wlab_cmd_delete = {
    .name = "delete",
    .usage = "delete N",
    .summary = "remove a breakpoint or watch",
    .help = "Removes breakpoint or watch N; `info break` lists them. Numbers are not reused before `new`.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = delete_stop,
    .offer = offer,
};
