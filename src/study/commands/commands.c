/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Registers the commands of experiments.
 */
#include "study/commands/commands.h"

static void free_dir(void *dir)
{
    wlab_free(dir);
}

wlab_code wlab_results_keep(wlab_session *s, const char *dir, wlab_err *err)
{
    char *copy = wlab_strdup(dir);
    return copy ? wlab_session_attach(s, "results", copy, free_dir, err) : wlab_nomem(err);
}

const char *wlab_results_kept(const wlab_session *s)
{
    return wlab_session_attached(s, "results");
}

wlab_code wlab_experiment_register(wlab_session *s, wlab_err *err)
{
    static const wlab_command *const commands[] = {&wlab_cmd_cell, &wlab_cmd_merge, &wlab_cmd_table,
                                                   &wlab_cmd_tune, NULL};
    return wlab_session_add_commands(s, commands, err);
}
