/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * table: the results of an experiment as tables.
 */
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/table/parts.h"
#include <string.h>

static const char *const endings[] = {"txt", "md", "tex", "csv", "json", NULL}; /* as the setting's choices */

/* DIR, and the file behind `to`; NULL: there is none. */
static wlab_code words(const wlab_session *s, const wlab_args *args, const char **dir, const char **file,
                       wlab_err *err)
{
    int n = args->nwords;

    *dir = wlab_results_kept(s);
    *file = NULL;
    if (n >= 2 && strcmp(args->word[n - 2], "to") == 0) {
        *file = args->word[n - 1];
        n -= 2;
    } else if (n > 0 && strcmp(args->word[n - 1], "to") == 0) {
        return wlab_fail(err, WL_EARG, "to which file? `table DIR to FILE.md`, or .txt, .tex, .csv, .json");
    }
    if (n > 1)
        return wlab_args_stray(args, 1, err);
    if (n == 1)
        *dir = args->word[0];
    if (*dir)
        return WL_OK;
    return wlab_fail(err, WL_EARG,
                     "table of what? Name the folder that a sweep wrote its results to: `table DIR`");
}

static wlab_code choose_format(wlab_params *p, const char *file, wlab_err *err)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');

    if (wlab_params_given(p, "format"))
        return WL_OK;
    for (int i = 0; dot && endings[i]; i++)
        if (strcmp(dot + 1, endings[i]) == 0)
            for (const wlab_param_info *info = wlab_table_params; info->name; info++)
                if (strcmp(info->name, "format") == 0)
                    return wlab_params_set(p, "format", info->choices[i], err);
    return wlab_fail(err, WL_EARG,
                     "which format is '%.200s'? Let its name end in .txt, .md, .tex, .csv or .json", file);
}

static wlab_code write_file(wlab_session *s, const wlab_buf *text, const char *name, wlab_err *err)
{
    wlab_output *file = NULL;
    wlab_code code = wlab_output_open(&file, s, name, endings, err);
    char *path = NULL;

    if (code)
        return code;
    code = wlab_output_write(file, text->data, text->len, err);
    if (!code && !(path = wlab_strdup(wlab_output_path(file))))
        code = wlab_nomem(err);
    if (code)
        (void)wlab_output_close(file, false, NULL);
    else
        code = wlab_output_close(file, true, err);
    if (!code && wlab_session_sink(s)->json)
        wlab_session_object(s, json_pack("{s:s, s:o}", "type", "table", "file", wlab_json_text(path)));
    else if (!code)
        wlab_session_say(s, "table written to %s", path);
    wlab_free(path);
    return code;
}

static wlab_code table(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    const char *dir, *file;
    wlab_params *p = NULL;
    wlab_store *store = NULL;
    wlab_buf text = {0}, lacks = {0};
    json_t *o = NULL;
    char *found = NULL;
    wlab_code code = words(s, args, &dir, &file, err);

    if (!code && dir != wlab_results_kept(s)) {
        code = wlab_session_find_results(s, dir, &found, err);
        dir = found;
    }
    if (!code)
        code = wlab_params_copy(&p, args->params, err);
    if (!code && file)
        code = choose_format(p, file, err);
    if (!code)
        code = wlab_store_open(&store, dir, false, wlab_session_ctx(s), err);
    if (!code && wlab_session_sink(s)->json && !file)
        code = wlab_table_json(store, p, &o, &lacks, err);
    else if (!code)
        code = wlab_table_write(store, p, &text, &lacks, err);
    wlab_store_close(store);
    if (!code && file)
        code = write_file(s, &text, file, err);
    else if (!code && o)
        wlab_session_object(s, o);
    else if (!code)
        wlab_session_print(s, "%s", text.data ? (const char *)text.data : "");
    if (!code)
        wlab_table_lacks(s, &lacks);
    if (!code && found)
        code = wlab_results_keep(s, found, err);
    wlab_free(found);
    wlab_buf_clear(&text);
    wlab_buf_clear(&lacks);
    wlab_params_destroy(p);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    int n = o->typed->nwords;
    bool to = n > 0 && strcmp(o->typed->word[n - 1], "to") == 0;

    if (to || n == 0)
        wlab_offers_files(o, s, WL_FILES_ANY, "");
    if (!to && n < 2)
        wlab_offers_add(o, "to", NULL, "the file that is written follows", 0);
    o->no_settings = o->no_settings || to;
}

const wlab_command wlab_cmd_table = {
    .name = "table",
    .usage = "table [DIR] [key=value...] [to FILE]",
    .summary = "the results of an experiment as tables",
    .help = "DIR is the folder that a sweep wrote its results to; without it, that of the last sweep or "
            "table. Rows are "
            "data sets, columns methods, and each setting of the experiment has a table: mean and standard "
            "deviation over "
            "the repetitions, the rank of each method in the row as Demsar computes it (JMLR 7, 2006), "
            "Friedman's test and "
            "which ranks differ. With against=METHOD each other method is compared with that one by a paired "
            "t-test over "
            "the repetitions that both have: v marks significantly better, * worse, as in Weka. Published "
            "numbers that the "
            "experiment names stand beside ours. An unfinished sweep shows what is there.\n"
            "The experiment's own `table` lines say what is shown where a setting is not given here. `to "
            "FILE` writes "
            "text, Markdown, LaTeX, CSV or JSON, by its ending or format=.\n"
            "  table results against=SVM test=corrected\n"
            "  table results score=seconds format=markdown\n"
            "  table results to table2.tex",
    .params = wlab_table_params,
    .flags = WL_C_LOOKS | WL_C_FILES,
    .execute = table,
    .offer = offer,
};
