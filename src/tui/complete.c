/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion from the registries.
 */
#include "tui/complete.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

static const wlab_session *the; /* readline's hooks get no data of ours */

typedef struct wlab_found {
    char **word;
    size_t n;
    const char *prefix;
    size_t len;
} found;

static void add(found *f, const char *word, const char *suffix)
{
    if (!word || strncmp(word, f->prefix, f->len) != 0)
        return;
    char **grown = realloc(f->word, (f->n + 2) * sizeof *grown);
    size_t size = strlen(word) + strlen(suffix) + 1;
    char *copy = grown ? malloc(size) : NULL;
    if (grown)
        f->word = grown;
    if (!copy)
        return;
    snprintf(copy, size, "%s%s", word, suffix);
    f->word[f->n++] = copy;
    f->word[f->n] = NULL;
}

static void add_params(found *f, const wlab_param_info *table)
{
    for (; table && table->name; table++)
        add(f, table->name, "=");
}

static void add_metrics(found *f, const wlab_run *run)
{
    const wlab_metric_info *m = run ? wlab_run_algo(run)->metrics : NULL;
    add(f, "iter", "");
    for (; m && m->name; m++)
        add(f, m->name, "");
}

static void add_runs(found *f, const wlab_session *s)
{
    wlab_run *runs[64];
    int n = wlab_session_runs(s, runs, 64);
    for (int i = 0; i < n && i < 64; i++)
        add(f, wlab_run_name(runs[i]), "");
}

/* The table of settings of `command` when its first word is `kind`. */
static const wlab_param_info *table_of(const wlab_session *s, const wlab_command *command, const char *kind)
{
    if (strcmp(command->name, "algo") == 0) {
        const wlab_algo *a = wlab_algo_find(kind);
        return a ? a->params : NULL;
    }
    if (strcmp(command->name, "task") == 0) {
        const wlab_task *t = wlab_task_find(kind);
        return t ? t->params : NULL;
    }
    if (strcmp(command->name, "generate") == 0) {
        const wlab_generator *g = wlab_generator_find(kind);
        return g ? g->params : NULL;
    }
    if (strcmp(command->name, "set") == 0 || strcmp(command->name, "get") == 0) {
        const wlab_run *run = wlab_session_run(s);
        return run ? wlab_run_algo(run)->params : NULL;
    }
    return command->params;
}

static void add_words(found *f, const wlab_session *s, const char *command, bool first, bool *files)
{
    static const char *const of_info[] = {"algo", "break", "data", "run", "task", NULL};
    static const char *const of_eval[] = {"bags", "test", "train", "unlabeled", NULL};
    static const char *const of_export[] = {"labels", "model", "predictions", "trace", NULL};
    const char *const *list = NULL;

    if (strcmp(command, "algo") == 0 || strcmp(command, "explain") == 0) {
        for (int i = 0; first && strcmp(command, "algo") == 0 && wlab_algos[i]; i++)
            add(f, wlab_algos[i]->name, "");
    } else if (strcmp(command, "task") == 0) {
        for (int i = 0; first && wlab_tasks[i]; i++)
            add(f, wlab_tasks[i]->name, "");
    } else if (strcmp(command, "generate") == 0) {
        for (int i = 0; first && wlab_generators[i]; i++)
            add(f, wlab_generators[i]->name, "");
    } else if (strcmp(command, "scale") == 0) {
        list = wlab_scaling_names;
    } else if (strcmp(command, "info") == 0) {
        list = of_info;
    } else if (strcmp(command, "eval") == 0) {
        list = of_eval;
    } else if (strcmp(command, "export") == 0) {
        list = first ? of_export : NULL;
        *files = !first;
    } else if (strcmp(command, "plot") == 0) {
        for (const wlab_view_info *v = wlab_session_views(s); first && v && v->name; v++)
            add(f, v->name, "");
        if (!first) {
            add(f, "vs", "");
            add(f, "to", "");
            *files = true;
        }
    } else if (strcmp(command, "help") == 0) {
        for (const wlab_command *const *c = wlab_session_commands(s); *c; c++)
            add(f, (*c)->name, "");
        for (int i = 0; wlab_algos[i]; i++)
            add(f, wlab_algos[i]->name, "");
    } else if (strcmp(command, "switch") == 0 || strcmp(command, "compare") == 0) {
        add_runs(f, s);
    }
    if (strcmp(command, "break") == 0 || strcmp(command, "watch") == 0 || strcmp(command, "display") == 0 ||
        strcmp(command, "explain") == 0 || strcmp(command, "continue") == 0) {
        if (strcmp(command, "continue") == 0 && first)
            add(f, "until", "");
        else
            add_metrics(f, wlab_session_run(s));
    }
    if (strcmp(command, "load") == 0 || strcmp(command, "source") == 0 || strcmp(command, "record") == 0 ||
        strcmp(command, "replay") == 0)
        *files = true;
    for (; list && *list; list++)
        add(f, *list, "");
}

char **wlab_complete_words(const wlab_session *s, const char *line, size_t begin, size_t len, bool *files)
{
    char command[64] = "", kind[64] = "", key[64] = "", prefix[256];
    const wlab_command *const *table = wlab_session_commands(s), *is = NULL;
    found f = {.prefix = prefix};
    size_t start = 0;
    int words = 0;

    *files = false;
    f.len = len - begin < sizeof prefix - 1 ? len - begin : sizeof prefix - 1;
    memcpy(prefix, line + begin, f.len);
    prefix[f.len] = '\0';
    for (size_t i = 0; i < begin; i++)
        if (line[i] == ';')
            start = i + 1;
    for (size_t i = start; i < begin;) {
        while (i < begin && strchr(" \t", line[i]))
            i++;
        size_t from = i;
        while (i < begin && !strchr(" \t", line[i]))
            i++;
        if (i == from)
            break;
        if (i == begin && line[i - 1] == '=') {
            snprintf(key, sizeof key, "%.*s", (int)(i - from - 1), line + from);
            break;
        }
        if (words == 0)
            snprintf(command, sizeof command, "%.*s", (int)(i - from), line + from);
        else if (words == 1)
            snprintf(kind, sizeof kind, "%.*s", (int)(i - from), line + from);
        words++;
    }
    if (words == 0 && !key[0]) {
        for (int i = 0; table[i]; i++)
            add(&f, table[i]->name, "");
        return f.word;
    }
    int matches = 0;
    for (int i = 0; table[i]; i++) {
        if (strcmp(table[i]->name, command) == 0 ||
            (table[i]->alias && strcmp(table[i]->alias, command) == 0)) {
            is = table[i];
            matches = 1;
            break;
        }
        if (strncmp(table[i]->name, command, strlen(command)) == 0) {
            is = table[i];
            matches++;
        }
    }
    if (matches != 1)
        return NULL;
    const wlab_param_info *params = table_of(s, is, kind);
    if (key[0]) {
        for (; params && params->name; params++)
            if (strcmp(params->name, key) == 0) {
                for (int i = 0; params->type == WL_P_CHOICE && params->choices && params->choices[i]; i++)
                    add(&f, params->choices[i], "");
                if (params->type == WL_P_BOOL) {
                    add(&f, "yes", "");
                    add(&f, "no", "");
                }
                if (params->type == WL_P_FILE)
                    *files = true;
                else if (params->fallback && !f.word)
                    add(&f, params->fallback, "");
                return f.word;
            }
        return NULL;
    }
    add_words(&f, s, is->name, words == 1, files);
    add_params(&f, params);
    return f.word;
}

static char *next_word(const char *text, int state)
{
    static char **list;
    static size_t at;
    (void)text;
    if (state == 0) {
        bool files;
        for (; list && list[at]; at++)
            free(list[at]);
        free(list);
        at = 0;
        list = wlab_complete_words(the, rl_line_buffer, (size_t)rl_point - strlen(text), (size_t)rl_point,
                                   &files);
    }
    if (!list || !list[at]) {
        free(list);
        list = NULL;
        at = 0;
        return NULL;
    }
    return list[at++];
}

static char **attempt(const char *text, int begin, int end)
{
    bool files = false;
    char **list = wlab_complete_words(the, rl_line_buffer, (size_t)begin, (size_t)end, &files);
    bool any = list != NULL, sets = false;

    for (size_t i = 0; list && list[i]; i++) {
        sets = sets || list[i][strlen(list[i]) - 1] == '=';
        free(list[i]);
    }
    free(list);
    rl_attempted_completion_over = !files;
    if (sets)
        rl_completion_append_character = '\0';
    return any ? rl_completion_matches(text, next_word) : NULL;
}

void wlab_complete_install(wlab_session *s)
{
    the = s;
    rl_attempted_completion_function = attempt;
    rl_completer_word_break_characters = " \t\n;=\"'";
    rl_basic_word_break_characters = " \t\n;=\"'";
}
