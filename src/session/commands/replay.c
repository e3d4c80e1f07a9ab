/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * replay: executes a recorded session again.
 */
#include "session/commands/commands.h"
#include <string.h>

static wlab_code replay(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *file = NULL;
    char *path = NULL;
    bool check = false;

    for (int i = 0; i < args->nwords; i++) {
        if (strcmp(args->word[i], "--check") == 0)
            check = true;
        else if (!file)
            file = args->word[i];
        else
            return wlab_fail(err, WL_EARG, "replay takes one file: `replay FILE --check`");
    }
    if (!file)
        return wlab_fail(err, WL_EARG, "replay what? `replay FILE [--check]`");
    wlab_code code = wlab_session_find_script(s, file, &path, err);
    if (!code)
        code = wlab_session_replay(s, path, check, wlab_params_real(args->params, "tol"),
                                   wlab_params_real(s->settings, "pace"), err);
    wlab_free(path);
    (void)wlab_session_record_as(s, NULL, NULL); /* the file's lines were recorded one by one */
    return code;
}

static const wlab_param_info params[] = {
    {.name = "tol",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .meaning = "relative difference allowed on another build or machine"},
    {.name = NULL},
};

static void offer(wlab_offers *o, const wlab_session *s)
{
    bool check = false, file = false;

    for (int i = 0; i < o->typed->nwords; i++) {
        bool is = strcmp(o->typed->word[i], "--check") == 0;
        check = check || is;
        file = file || !is;
    }
    if (!file)
        wlab_offers_files(o, s, WL_FILES_SCRIPTS, "");
    if (!check && (file || o->prefix[0] == '-'))
        wlab_offers_add(o, "--check", NULL, "compare every digest", 0);
    o->no_settings = !file;
}

const wlab_command wlab_cmd_replay = {
    .name = "replay",
    .usage = "replay FILE [--check] [tol=1e-6]",
    .summary = "execute a recorded session again, and compare",
    .help = "Executes the session file FILE: the one at this path, beside the script, in the folder of "
            "--out, where scripts "
            "write, in $XDG_DATA_HOME/weaklab/scripts, or among the installed scripts. The session must be "
            "empty: `new` empties it. With --check replay "
            "compares every recorded digest and stops at the first difference. On the build and machine type "
            "of the recording all bits must be equal; elsewhere the numbers may differ by tol. `set pace=2` "
            "makes pauses of 2 seconds between commands.",
    .params = params,
    .flags = WL_C_FILES | WL_C_SHARED,
    .execute = replay,
    .offer = offer,
};
