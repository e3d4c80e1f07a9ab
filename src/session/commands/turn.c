/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * turn: in an exercise, gives the person at the terminal the prompt.
 */
#include "session/commands/commands.h"
#include "session/record/questions.h"
#include "session/record/replay.h"
#include <string.h>

static wlab_code turn(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_code code = WL_OK;

    if (args->nwords != 1 || args->nsettings)
        return wlab_fail(err, WL_EARG,
                         "turn takes what is to be done, in quotes: `turn \"Close the gap.\"`, say");
    if (wlab_questions_off(s))
        return wlab_question_pass(s, err);
    char *text = wlab_format("Your turn: %s", args->word[0]);
    if (!text)
        return wlab_nomem(err);
    wlab_session_caption(s, text, NULL);
    wlab_free(text);
    if (s->replay && s->replay->silent_to && s->now.depth == s->replay->depth) {
        char *line = wlab_format("turn %s", args->rest);
        code = wlab_replay_pass_stop(s, err);
        code = code ? code : line ? wlab_turn_again(s, line, err) : wlab_nomem(err);
        wlab_free(line);
    } else if (wlab_replay_turn(s)) {
        code = wlab_replay_pass_stop(s, err); /* the left arrow comes back to it */
    }
    return code;
}

const wlab_command wlab_cmd_turn = {
    .name = "turn",
    .usage = "turn \"TEXT\"",
    .summary = "in an exercise: give the person the prompt, until `resume`",
    .help =
        "For exercises: prints TEXT and leaves the script for the prompt. The person types commands, and "
        "`resume` goes on "
        "with the session as they left it, so that the script's next `expect` can say whether the aim was "
        "reached: an `expect` that does not hold then says so, and the script goes on. At the next pause the "
        "left arrow goes back to the turn, with everything as it was before it. "
        "The record has the commands between `turn` and `resume`, and a replay executes them. "
        "Without a terminal nobody takes the turn: the script goes on, and prints each `expect` that follows "
        "in "
        "place of checking it.",
    .flags = WL_C_SHOWS | WL_C_WAITS | WL_C_TURNS | WL_C_SHARED,
    .execute = turn,
};
