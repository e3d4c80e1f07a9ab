/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * resume: continues a lesson or replay that the user has taken over.
 */
#include "session/commands/commands.h"
#include "session/record/questions.h"

static wlab_code resume(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    if (args->nwords || args->nsettings)
        return wlab_fail(err, WL_EARG,
                         "resume takes no words: it continues the lesson or replay that was left");
    if (s->now.origin == WL_FROM_SCRIPT && wlab_turn_of(s) == WL_TURN_OPEN)
        return WL_OK; /* in a recorded session it ends the turn */
    wlab_code code = wlab_session_resume(s, err);
    (void)wlab_session_record_as(s, NULL, NULL); /* the script's lines were recorded one by one */
    return code;
}

const wlab_command wlab_cmd_resume = {
    .name = "resume",
    .usage = "resume",
    .summary = "return to the lesson or replay that you left, or that has ended",
    .help = "Enter or Ctrl-C at a pause of a lesson or replay gives you the prompt. `resume` returns to that "
            "pause; after the end it returns to the last one, after an error to the line that failed. If you "
            "have changed the session since, `resume` begins a new session and executes the "
            "script again up to the pause, without showing it. A recording then has your own commands, "
            "`new`, and "
            "the script's commands again. After a `turn` it goes on with the session as you leave it, and is "
            "recorded itself, as the end of the turn.",
    .flags = WL_C_SHARED,
    .execute = resume,
};
