/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command `table`: the results of an experiment as tables.
 */
#include "session/command.h"
#include "session/complete/complete.h"
#include "study/commands/commands.h"
#include "study/table/parts.h"
#include <string.h>

/* in the order of the choices of format= */
static const char *const endings[] = {"txt", "md", "tex", "csv", "json", NULL};

/* *dir: the folder that is given, or else the last one that was used; WL_EARG: there is none.  *file: the file after
 * `to`, or NULL. */
static wlab_code read_words(const wlab_session *s, const wlab_args *args, const char **dir, const char **file,
                            wlab_err *err)
{
    int n = args->nwords;

    *dir = wlab_results_kept(s);
    *file = NULL;
    if (n >= 2 && strcmp(args->word[n - 2], "to") == 0) {
        *file = args->word[n - 1];
        n -= 2;
    } else if (n > 0 && strcmp(args->word[n - 1], "to") == 0) {
        return wlab_fail(err, WL_EARG,
                         "a file must follow `to`: `table DIR to FILE.md`, or .txt, .tex, .csv, .json");
    }
    if (n > 1)
        return wlab_args_stray(args, 1, err);
    if (n == 1)
        *dir = args->word[0];
    if (*dir)
        return WL_OK;
    return wlab_fail(err, WL_EARG, "table takes the folder that a sweep wrote its results to: `table DIR`");
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
                     "the name '%.200s' gives no format: let it end in .txt, .md, .tex, .csv or .json", file);
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
    wlab_buf text = {0}, skipped = {0};
    json_t *o = NULL;
    char *found = NULL;
    wlab_code code = read_words(s, args, &dir, &file, err);

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
        code = wlab_table_json(store, p, &o, &skipped, err);
    else if (!code)
        code = wlab_table_write(store, p, &text, &skipped, err);
    wlab_store_close(store);
    if (!code && file)
        code = write_file(s, &text, file, err);
    else if (!code && o)
        wlab_session_object(s, o);
    else if (!code)
        wlab_session_print(s, "%s", text.data ? (const char *)text.data : "");
    if (!code)
        wlab_table_warn_skipped(s, &skipped);
    if (!code && found)
        code = wlab_results_keep(s, found, err);
    wlab_free(found);
    wlab_buf_clear(&text);
    wlab_buf_clear(&skipped);
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
    .help =
        "Compares the methods of an experiment by their results in the folder DIR; the default is the "
        "folder of the last sweep, merge, table or cell. There is one table for each setting, which is a "
        "combination of the experiment's values in braces. Its rows are data sets, its columns methods. It "
        "shows the mean and standard deviation over the replicates (repetitions or folds), the rank of "
        "each method in its row, the mean ranks, Friedman's test whether these differ at all, and which of "
        "them differ (Demsar, JMLR 7, 2006). With against=METHOD a t-test compares each other "
        "method with that one, over the replicates that both have, of at least ten; v marks methods that are "
        "significantly "
        "better, * those that are significantly worse. Published numbers that the experiment contains are "
        "shown beside the computed ones. If the sweep is unfinished, the table shows the cells computed so "
        "far.\n"
        "\n"
        "Settings that are not given here come from the `table` lines of the experiment. `to FILE` writes "
        "text, Markdown, LaTeX, CSV or JSON, according to its suffix or format=.\n"
        "  table results against=SVM spread=repetitions\n"
        "  table results score=seconds format=markdown\n"
        "  table results to table2.tex",
    .params = wlab_table_params,
    .flags = WL_C_READS | WL_C_FILES | WL_C_SHARED,
    .execute = table,
    .offer = offer,
};
