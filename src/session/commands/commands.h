/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The commands: each has one static description, in NAME.c; the table is in commands.c.
 */
#ifndef SESSION_COMMANDS_H
#define SESSION_COMMANDS_H

#include "session/complete/complete.h"
#include "session/internal.h"

/* clang-format off */
extern const wlab_command
    wlab_cmd_algo, wlab_cmd_ask, wlab_cmd_back, wlab_cmd_break, wlab_cmd_choose, wlab_cmd_compare, wlab_cmd_continue, wlab_cmd_delete,
    wlab_cmd_display, wlab_cmd_eval, wlab_cmd_expect, wlab_cmd_explain, wlab_cmd_export, wlab_cmd_finish, wlab_cmd_fork,
    wlab_cmd_generate, wlab_cmd_get, wlab_cmd_goto, wlab_cmd_help, wlab_cmd_history, wlab_cmd_info,
    wlab_cmd_lesson, wlab_cmd_load, wlab_cmd_new, wlab_cmd_quit, wlab_cmd_record, wlab_cmd_replay, wlab_cmd_resume, wlab_cmd_runs, wlab_cmd_say,
    wlab_cmd_scale, wlab_cmd_score, wlab_cmd_set, wlab_cmd_source, wlab_cmd_split, wlab_cmd_step, wlab_cmd_stepi,
    wlab_cmd_switch, wlab_cmd_task, wlab_cmd_turn, wlab_cmd_undisplay, wlab_cmd_wait, wlab_cmd_watch;
/* clang-format on */

#endif
