/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * quit: ends the session.
 */
#include "session/commands/commands.h"

static wlab_code quit(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    if (args->nwords || args->nsettings)
        return wlab_fail(err, WL_EARG, "quit takes no words");
    s->quits = true;
    return wlab_session_record_as(s, err, NULL);
}

const wlab_command wlab_cmd_quit = {
    .name = "quit",
    .alias = "q, exit",
    .meant = "bye, logout",
    .usage = "quit",
    .summary = "end the session",
    .help = "Ends the session. A run in progress stops after its current inner unit first. Whatever is "
            "recorded is on disk already.",
    .flags = WL_C_QUITS | WL_C_SHARED,
    .execute = quit,
};
