/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `merge`: join the results of an experiment's shards in one folder.
 */
#include "base/list.h"
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/store/store.h"
#include <string.h>
#include <sys/stat.h>

/* Before anything is written: every source must be readable, and none may be the destination. */
static wlab_code check_sources(wlab_session *s, char *const *part, int n, const char *dir, wlab_err *err)
{
    struct stat to, from;
    bool there = stat(dir, &to) == 0;
    wlab_code code = WL_OK;

    for (int i = 0; !code && i < n; i++) {
        wlab_store *store = NULL;
        int64_t cells, done, failed;
        if (there && stat(part[i], &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            return wlab_fail(err, WL_EARG, "'%.300s' is the folder for the results; name it only after `to`",
                             part[i]);
        code = wlab_store_open(&store, part[i], false, wlab_session_ctx(s), err);
        code = code ? code : wlab_store_count(store, &cells, &done, &failed, err);
        wlab_store_close(store);
    }
    return code;
}

static wlab_code merge_part(wlab_session *s, wlab_store *to, const char *from, const char *dir, wlab_err *err)
{
    wlab_store *store = NULL;
    int64_t added = 0, same = 0;
    wlab_code code = wlab_store_open(&store, from, false, wlab_session_ctx(s), err);

    code = code ? code : wlab_store_merge(to, store, &added, &same, err);
    wlab_store_close(store);
    if (code)
        return code;
    wlab_session_print(s, "%s: %lld cell%s added", from, (long long)added, wlab_plural(added));
    if (same)
        wlab_session_print(s, ", %lld %s there already", (long long)same, same == 1 ? "was" : "were");
    wlab_session_print(s, "\n");
    wlab_session_object(s, json_pack("{s:s, s:o, s:o, s:I, s:I}", "type", "merge", "from",
                                     wlab_json_text(from), "to", wlab_json_text(dir), "added",
                                     (json_int_t)added, "same", (json_int_t)same));
    return WL_OK;
}

static wlab_code print_summary(wlab_session *s, const wlab_store *store, const char *dir, wlab_err *err)
{
    int64_t cells = 0, done = 0, failed = 0;
    wlab_code code = wlab_store_count(store, &cells, &done, &failed, err);

    if (code)
        return code;
    wlab_session_print(s, "%s: %lld of %lld cells done", dir, (long long)done, (long long)cells);
    if (failed)
        wlab_session_print(s, ", %lld failed", (long long)failed);
    if (cells > done + failed)
        wlab_session_print(s, ", %lld missing", (long long)(cells - done - failed));
    wlab_session_print(s, "\n");
    wlab_session_object(s, json_pack("{s:s, s:o, s:I, s:I, s:I}", "type", "merged", "to", wlab_json_text(dir),
                                     "cells", (json_int_t)cells, "done", (json_int_t)done, "failed",
                                     (json_int_t)failed));
    return WL_OK;
}

static wlab_code merge(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    int n = args->nwords - 2;
    wlab_store *store = NULL;
    char *dir = NULL, **part;
    wlab_code code;

    if (args->nsettings || n < 1 || strcmp(args->word[n], "to") != 0)
        return wlab_fail(err, WL_EARG,
                         "merge takes the folders of the parts and the folder for the results: `merge part1 "
                         "part2 to all`");
    if (!(part = wlab_calloc((size_t)n, sizeof *part)))
        return wlab_nomem(err);
    code = wlab_output_folder(s, args->word[n + 1], &dir, err);
    for (int i = 0; !code && i < n; i++)
        code = wlab_session_find_results(s, args->word[i], &part[i], err);
    code = code ? code : check_sources(s, part, n, dir, err);
    code = code ? code : wlab_store_open(&store, dir, true, wlab_session_ctx(s), err);
    for (int i = 0; !code && i < n; i++)
        code = merge_part(s, store, part[i], dir, err);
    code = code ? code : print_summary(s, store, dir, err);
    wlab_store_close(store);
    code = code ? code : wlab_results_keep(s, dir, err);
    wlab_list_free(part, n);
    wlab_free(dir);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    int n = o->typed->nwords;
    bool to = n > 0 && strcmp(o->typed->word[n - 1], "to") == 0;

    if (n > 1 && strcmp(o->typed->word[n - 2], "to") == 0)
        return;
    wlab_offers_files(o, s, WL_FILES_ANY, "");
    if (n > 0 && !to)
        wlab_offers_add(o, "to", NULL, "the folder for the results follows", 0);
}

const wlab_command wlab_cmd_merge = {
    .name = "merge",
    .usage = "merge DIR... to DIR",
    .summary = "join the results of a sweep's parts",
    .help =
        "Joins results that were computed in parts, as by `sweep FILE shard=2/10`, in the folder after "
        "`to`, which is created if it is missing. merge copies into it those cells of the folders before "
        "`to` that it does not have yet. All folders must hold results of the same experiment on the same "
        "data. If a cell failed in one folder and succeeded in another, the success is kept. If it "
        "succeeded in two folders, the two results must be equal; otherwise merge stops and copies nothing "
        "of the folder that differs. The folders before `to` are not changed, and merging again changes "
        "nothing.\n"
        "  merge part1 part2 part3 to results",
    .flags = WL_C_SHOWS | WL_C_FILES | WL_C_SHARED,
    .execute = merge,
    .offer = offer,
};
