/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The commands of experiments that need no other process: tune, table, cell, merge.
 */
#ifndef EXPERIMENT_COMMANDS_H
#define EXPERIMENT_COMMANDS_H

#include "session/command.h"

extern const wlab_command wlab_cmd_tune, wlab_cmd_table, wlab_cmd_cell, wlab_cmd_merge;
wlab_code wlab_experiment_register(wlab_session *, wlab_err *);
/* The folder of results that a command wrote or read last, the default of `table`, `cell` and `curve`; NULL: none. */
wlab_code wlab_results_keep(wlab_session *, const char *dir, wlab_err *);
const char *wlab_results_kept(const wlab_session *);

#endif
