/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * history: lists the lines typed in this session.
 */
#include "session/commands/commands.h"

static wlab_code history(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int64_t last = s->typed.n;
    if (args->nwords > 1 || (args->nwords == 1 && (!wlab_parse_int(args->word[0], &last) || last < 1)))
        return wlab_fail(err, WL_EARG, "history takes a number of lines: `history 20`, say");
    int begin = last < s->typed.n ? s->typed.n - (int)last : 0;
    json_t *lines = json_array();
    for (int i = begin; i < s->typed.n; i++) {
        wlab_session_print(s, "%5d  %s\n", i + 1, s->typed.line[i]);
        json_array_append_new(lines, wlab_json_text(s->typed.line[i]));
    }
    wlab_session_object(s, json_pack("{s:s, s:o}", "type", "history", "lines", lines));
    return WL_OK;
}

const wlab_command wlab_cmd_history = {
    .name = "history",
    .usage = "history [N]",
    .summary = "list the last N lines that were typed",
    .help =
        "Lists the lines typed in this session, or the last N of them, including lines that failed. A line "
        "that was repeated immediately is listed once; lines of scripts are not listed. Do not confuse "
        "this command with the setting history (`set history=512`), the memory for the snapshots of a run.",
    .flags = WL_C_READS | WL_C_ALWAYS | WL_C_SHARED,
    .execute = history,
};
