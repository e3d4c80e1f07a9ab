/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of the experiments' commands.
 */
#include "study/commands/commands.h"

wlab_code wlab_experiment_register(wlab_session *s, wlab_err *err)
{
    static const wlab_command *const commands[] = {&wlab_cmd_cell, &wlab_cmd_merge, &wlab_cmd_table,
                                                   &wlab_cmd_tune, NULL};
    return wlab_session_add_commands(s, commands, err);
}
