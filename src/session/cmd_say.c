/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * say: words for the people who watch.
 */
#include "session/commands.h"

static wlab_code say(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    (void)err;
    bool quoted = args->rest[0] == '"' || args->rest[0] == '\'';
    const char *text = quoted && args->nwords == 1 ? args->word[0] : args->rest;
    wlab_session_print(s, "%s\n", text);
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "message", "message", wlab_json_text(text)));
    return WL_OK;
}

const wlab_command wlab_cmd_say = {
    .name = "say",
    .usage = "say TEXT",
    .summary = "print a text",
    .help = "Prints the rest of the line. Text with ; or # needs quotes: say \"one; two\".",
    .flags = WL_C_WORDS,
    .execute = say,
};
