/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * source: executes the commands of a script.
 */
#include "session/commands/commands.h"

static wlab_code source(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    char *path = NULL;
    if (args->nwords != 1 || args->nsettings)
        return wlab_fail(err, WL_EARG, "source takes one file: `source tour.wlab`, say");
    wlab_code code = wlab_session_find_script(s, args->word[0], &path, err);
    if (code)
        return code;
    code = wlab_session_script(s, path, WL_FROM_SCRIPT, err);
    wlab_free(path);
    /* the script's lines were recorded one by one, including one that failed */
    (void)wlab_session_record_as(s, NULL, NULL);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    if (o->typed->nwords == 0)
        wlab_offers_files(o, s, WL_FILES_SCRIPTS, "");
}

const wlab_command wlab_cmd_source = {
    .name = "source",
    .usage = "source FILE",
    .summary = "execute the commands of a script",
    .help = "Executes the script FILE line by line and stops at its first error. The program looks for the "
            "file at the given path, beside the script that contains the line, in "
            "$XDG_DATA_HOME/weaklab/scripts, and among the installed scripts. A script must spell command "
            "names in full. It writes files only at relative paths, below the folder of --out (the current "
            "folder by default). The record holds the script's lines.",
    .flags = WL_C_FILES | WL_C_SHARED,
    .execute = source,
    .offer = offer,
};
