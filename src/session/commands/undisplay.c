/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * undisplay: removes a display.
 */
#include "session/commands/commands.h"
#include "session/jobs/stops.h"

static wlab_code undisplay(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t number;

    if (args->nwords + args->nsettings == 0)
        return wlab_fail(err, WL_EARG, "undisplay which? `undisplay 2`, say; `info break` lists them");
    if (args->nwords != 1 || args->nsettings > 0 || !wlab_parse_int(args->word[0], &number))
        return wlab_fail(err, WL_EARG, "undisplay takes the number of a display; `info break` lists them");
    return wlab_stops_remove_display(s, number, err);
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_stops_offer(o, s, true);
}

const wlab_command wlab_cmd_undisplay = {
    .name = "undisplay",
    .usage = "undisplay N",
    .summary = "stop printing a display",
    .help = "Removes display N; `info break` lists the displays.",
    .flags = WL_C_OWN | WL_C_SHARED,
    .execute = undisplay,
    .offer = offer,
};
