/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of a cell: the lines of the file with one value for each brace, with seeds and absolute paths.
 */
#include "study/experiment/file.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const wlab_param_info *wlab_exp_table(const char *command, const char *which)
{
    const wlab_generator *g;
    const wlab_task *t;

    if (strcmp(command, "load") == 0)
        return wlab_load_params;
    if (strcmp(command, "split") == 0)
        return wlab_split_params;
    if (strcmp(command, "generate") == 0 && which && (g = wlab_generator_find(which)))
        return g->params;
    if (strcmp(command, "task") == 0 && which && (t = wlab_task_find(which)))
        return t->params;
    return NULL;
}

long wlab_exp_column(const wlab_experiment *e, long number, const char *word)
{
    const char *begin = e->text;
    wlab_phrase w = {0};
    size_t pos = 0;
    bool more;

    for (long i = 1; i < number && begin; i++) {
        begin = strchr(begin, '\n');
        begin += begin ? 1 : 0;
    }
    char *line = begin ? wlab_strndup(begin, strcspn(begin, "\n")) : NULL;
    if (line && number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        memset(line, ' ', 3);
    bool cut = line && wlab_phrase_read(&w, line, &pos, &more, NULL) == WL_OK;
    long column = cut && w.name ? w.column : 1;
    for (int i = w.n - 1; i >= 0; i--) {
        size_t len = w.plain[i] ? wlab_setting_length(w.word[i]) : 0;
        if (word && (*word ? len && strncmp(w.word[i], word, len + 1) == 0 : len == 0))
            column = w.at[i];
    }
    wlab_phrase_clear(&w);
    wlab_free(line);
    return column;
}

/* ---- paths ---- */

wlab_code wlab_exp_absolute(const char *path, char **absolute, wlab_err *err)
{
    const char *slash = strrchr(path, '/');
    char real[PATH_MAX];
    char *dir = slash ? wlab_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : wlab_strdup(".");

    if (!dir)
        return wlab_nomem(err);
    /* resolve `..` and links in the folder, but keep the file's own name: its suffix gives the format */
    wlab_code code =
        realpath(dir, real) ? WL_OK : wlab_fail_errno(err, "cannot find the folder '%.300s'", dir);
    if (!code) {
        char *text = wlab_format("%s/%s", strcmp(real, "/") == 0 ? "" : real, slash ? slash + 1 : path);
        if (text)
            *absolute = text;
        else
            code = wlab_nomem(err);
    }
    wlab_free(dir);
    return code;
}

wlab_code wlab_exp_beside(const wlab_experiment *e, const char *path, char **found, wlab_err *err)
{
    const char *slash = strrchr(e->path, '/');
    struct stat st;
    wlab_code code = WL_OK;

    *found = NULL;
    char *try = path[0] == '/' ? wlab_strdup(path)
                               : wlab_format("%.*s%s", slash ? (int)(slash + 1 - e->path) : 0, e->path, path);
    if (!try)
        return wlab_nomem(err);
    if (stat(try, &st) == 0 && S_ISDIR(st.st_mode)) {
        char *inside;
        code = wlab_folder_data(try, &inside, err);
        wlab_free(try);
        try = inside;
    }
    if (try && stat(try, &st) == 0 && S_ISREG(st.st_mode))
        code = wlab_exp_absolute(try, found, err);
    wlab_free(try);
    return code;
}

/* ---- one line ---- */

/* Append the value with {seed} and {data} replaced; seed < 0: {seed} is kept. */
static wlab_code put_value(wlab_buf *out, const char *value, const char *data, int64_t seed)
{
    wlab_code code = wlab_buf_put(out, "", 0);

    while (!code && *value) {
        if (seed >= 0 && strncmp(value, "{seed}", 6) == 0) {
            code = wlab_buf_printf(out, "%lld", (long long)seed);
            value += 6;
        } else if (strncmp(value, "{data}", 6) == 0) {
            code = wlab_buf_put(out, data, strlen(data));
            value += 6;
        } else {
            code = wlab_buf_put(out, value++, 1);
        }
    }
    return code;
}

/* If `value` has braces, the value of `key` in this setting, else `value` itself. */
static const char *setting_value(const wlab_exp_setting *s, const char *key, size_t len, const char *value)
{
    for (int i = 0; i < s->values; i++)
        if (strlen(s->key[i]) == len && strncmp(s->key[i], key, len) == 0 && wlab_exp_braced(value))
            return s->value[i];
    return value;
}

/* Whether a value of this parameter names a file; *at: how many characters precede its path. */
static bool names_file(const wlab_param_info *table, const char *key, size_t len, const char *value, int *at)
{
    for (; table && table->name; table++) {
        if (strlen(table->name) != len || strncmp(table->name, key, len) != 0)
            continue;
        *at = table->type == WL_P_TEXT && value[0] == '@';
        return table->type == WL_P_FILE || *at;
    }
    return false;
}

static bool has_seed(const wlab_param_info *table)
{
    for (; table && table->name; table++)
        if (strcmp(table->name, "seed") == 0)
            return true;
    return false;
}

typedef struct filling {
    const wlab_experiment *e;
    const wlab_param_info *table;
    wlab_exp_form form;
    int setting, data;
    int64_t seed;
    wlab_buf *out;
    wlab_err *err;
} filling;

static wlab_code put_setting(filling *g, const char *word, size_t len)
{
    const char *value = setting_value(&g->e->setting[g->setting], word, len, word + len + 1);
    bool run = g->form == WL_FORM_RUN;
    wlab_buf text = {0};
    char *found = NULL;
    int at = 0;
    wlab_code code = WL_OK;

    if (put_value(&text, value, g->e->data[g->data].name, run ? g->seed : -1))
        code = wlab_nomem(g->err);
    const char *filled = code ? "" : (const char *)text.data;
    bool file = !code && names_file(g->table, word, len, filled, &at);
    if (file && run)
        code = wlab_exp_beside(g->e, filled + at, &found, g->err);
    if (!code && wlab_buf_printf(g->out, " %.*s=", (int)len, word))
        code = wlab_nomem(g->err);
    if (!code && file && !run) {
        /* the data's sum covers the content of the file, so the key needs no path; if braces name several files, it
         * needs the name that this setting selects */
        bool several = wlab_exp_braced(word + len + 1);
        code = wlab_buf_printf(g->out, "@%s", several ? value + at : "") ? wlab_nomem(g->err) : WL_OK;
    } else if (!code && found) {
        char *path = wlab_format("%s%s", at ? "@" : "", found);
        code = !path || wlab_buf_quote(g->out, path) ? wlab_nomem(g->err) : WL_OK;
        wlab_free(path);
    } else if (!code && *filled && wlab_buf_quote(g->out, filled))
        code = wlab_nomem(g->err);
    wlab_free(found);
    wlab_buf_clear(&text);
    return code;
}

wlab_code wlab_exp_fill(const wlab_experiment *e, const char *line, wlab_exp_form form, int setting, int data,
                        int64_t seed, int fold, wlab_buf *out, wlab_err *err)
{
    filling g = {e, NULL, form, setting, data, seed, out, err};
    wlab_phrase w = {0};
    size_t pos = 0;
    bool more, seeded = false;
    int word = 0; /* counts the words that are not settings */
    wlab_code code = wlab_phrase_read(&w, line, &pos, &more, err);

    if (code)
        return code;
    bool load = strcmp(w.name, "load") == 0, made = load || strcmp(w.name, "generate") == 0;
    g.table = wlab_exp_table(w.name, w.n > 0 ? w.word[0] : NULL);
    if (wlab_buf_put(out, w.name, strlen(w.name)))
        code = wlab_nomem(err);
    for (int i = 0; !code && i < w.n; i++) {
        size_t len = w.plain[i] ? wlab_setting_length(w.word[i]) : 0;
        if (len) {
            code = put_setting(&g, w.word[i], len);
            seeded = seeded || (len == 4 && strncmp(w.word[i], "seed", 4) == 0);
            continue;
        }
        word++;
        if (form == WL_FORM_KEY && made && (load || word > 1))
            continue;
        char *found = NULL;
        if (load && word == 1)
            code = wlab_exp_beside(e, w.word[i], &found, err);
        if (!code && (wlab_buf_put(out, " ", 1) || wlab_buf_quote(out, found ? found : w.word[i])))
            code = wlab_nomem(err);
        wlab_free(found);
    }
    if (!code && form == WL_FORM_RUN && !seeded && has_seed(g.table) &&
        wlab_buf_printf(out, " seed=%lld", (long long)seed))
        code = wlab_nomem(err);
    if (!code && form == WL_FORM_RUN && fold > 0 && strcmp(w.name, "split") == 0 &&
        wlab_buf_printf(out, " fold=%d", fold))
        code = wlab_nomem(err);
    wlab_phrase_clear(&w);
    return code;
}
