/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of commands, one file each (cmd_NAME.c).  The upper layers add theirs at start.
 */
#include "session/commands.h"

/* clang-format off */
const wlab_command *const wlab_commands[] = {
    &wlab_cmd_algo,
    &wlab_cmd_eval,
    &wlab_cmd_export,
    &wlab_cmd_generate,
    &wlab_cmd_help,
    &wlab_cmd_history,
    &wlab_cmd_info,
    &wlab_cmd_load,
    &wlab_cmd_quit,
    &wlab_cmd_record,
    &wlab_cmd_replay,
    &wlab_cmd_say,
    &wlab_cmd_scale,
    &wlab_cmd_source,
    &wlab_cmd_split,
    &wlab_cmd_task,
    &wlab_cmd_wait,
    NULL,
};
/* clang-format on */
