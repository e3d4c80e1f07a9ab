/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wait: waits for a key or some seconds, so that an audience can follow.
 */
#include "session/commands/commands.h"
#include "session/record/replay.h"
#include <string.h>

static wlab_code wait_for(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    double seconds = -1; /* until a key is pressed */
    if (args->nwords > 1 || args->nsettings)
        return wlab_fail(err, WL_EARG, "wait takes a number of seconds, or `key`");
    if (args->nwords == 1 && strcmp(args->word[0], "key") != 0 &&
        (!wlab_parse_real(args->word[0], &seconds) || seconds < 0 || seconds > 3600))
        return wlab_fail(err, WL_EARG, "wait takes a number of seconds from 0 to 3600, or `key`");
    if (wlab_replay_presents(s))
        return wlab_replay_wait(s, seconds, err);
    if (s->sink.terminal && s->terminal.pause)
        s->terminal.pause(s->terminal.self, seconds);
    if (wlab_interrupted(&s->ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    return WL_OK;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    (void)s;
    if (o->typed->nwords == 0)
        wlab_offers_add(o, "key", NULL, "until a key is pressed", 0);
}

const wlab_command wlab_cmd_wait = {
    .name = "wait",
    .usage = "wait [SECONDS|key]",
    .summary = "wait for a key, or some seconds",
    .help =
        "`wait` or `wait key` waits for a key, `wait SECONDS` that long, so that people can follow a script. "
        "During the SECONDS, Space makes it wait for a key instead, and any other key ends the wait. In a "
        "replay or a lesson, Space or the right arrow continues, the left arrow goes back to the previous "
        "pause, Enter gives you the prompt, and other keys do nothing. Without a terminal `wait` returns at "
        "once.",
    .flags = WL_C_SHOWS | WL_C_WAITS | WL_C_SHARED,
    .execute = wait_for,
    .offer = offer,
};
