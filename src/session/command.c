/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The commands of a session: adding them, and finding one by the typed word.
 */
#include "session/internal.h"
#include <string.h>

static int compare_commands(const wlab_command *a, const wlab_command *b)
{
    return strcmp(a->name, b->name);
}

wlab_code wlab_session_add_commands(wlab_session *s, const wlab_command *const *add, wlab_err *err)
{
    int n = 0;
    while (add[n])
        n++;
    const wlab_command **grown = wlab_realloc(s->commands, (size_t)(s->ncommands + n) + 1, sizeof *grown);
    if (!grown)
        return wlab_nomem(err);
    s->commands = grown;
    for (int i = 0; i < n; i++) {
        int k = s->ncommands++;
        for (; k > 0 && compare_commands(s->commands[k - 1], add[i]) > 0; k--)
            s->commands[k] = s->commands[k - 1];
        s->commands[k] = add[i];
    }
    s->commands[s->ncommands] = NULL;
    return WL_OK;
}

const wlab_command *const *wlab_session_commands(const wlab_session *s)
{
    return s->commands;
}

wlab_code wlab_session_add_view(wlab_session *s, const wlab_view_info *view, wlab_err *err)
{
    wlab_view_info *views = wlab_realloc(s->views, (size_t)s->nviews + 2, sizeof *views);

    if (!views)
        return wlab_nomem(err);
    s->views = views;
    s->views[s->nviews++] = *view;
    s->views[s->nviews] = (wlab_view_info){0};
    return WL_OK;
}

const wlab_view_info *wlab_session_views(const wlab_session *s)
{
    return s->views;
}

bool wlab_command_called(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list; p && len > 0; p = strchr(p, ' '), p = p ? p + 1 : NULL)
        if (strncmp(p, word, len) == 0 && (p[len] == '\0' || p[len] == ','))
            return true;
    return false;
}

const char *wlab_command_meant(const wlab_command *const *table, const char *word)
{
    for (; *table; table++)
        if (wlab_command_called((*table)->alias, word) || wlab_command_called((*table)->meant, word))
            return (*table)->name;
    return NULL;
}

wlab_code wlab_command_find(const wlab_command *const *table, const char *word, bool person,
                            const wlab_command **found, wlab_err *err)
{
    const wlab_command *match = NULL;
    char could[512] = "";
    size_t len = strlen(word), used = 0;
    int matches = 0, n = 0;

    for (; table[n]; n++)
        if (strcmp(table[n]->name, word) == 0) {
            *found = table[n];
            return WL_OK;
        }
    if (person) {
        for (int i = 0; i < n; i++)
            if (wlab_command_called(table[i]->alias, word)) {
                *found = table[i];
                return WL_OK;
            }
        for (int i = 0; i < n && len > 0; i++) {
            if (strncmp(table[i]->name, word, len) != 0)
                continue;
            match = table[i];
            matches++;
            size_t k = strlen(match->name);
            if (used + k + 3 < sizeof could) {
                if (used) {
                    memcpy(could + used, ", ", 2);
                    used += 2;
                }
                memcpy(could + used, match->name, k + 1);
                used += k;
            }
        }
        if (matches == 1) {
            *found = match;
            return WL_OK;
        }
        if (matches > 1)
            return wlab_fail(err, WL_EARG, "ambiguous command: %s, could be: %s", word, could);
    }
    const char **name = wlab_alloc((size_t)n + 1, sizeof *name);
    if (!name)
        return wlab_nomem(err);
    const char *near =
        wlab_command_meant(table, word); /* scripts may not use `s`: name the command it abbreviates */
    for (int i = 0; i < n; i++)
        name[i] = table[i]->name;
    for (int i = 0; i < n && !near && len > 2; i++)
        if (strncmp(table[i]->name, word, len) == 0)
            near = table[i]->name;
    if (!near)
        near = wlab_nearest(word, name, (size_t)n);
    wlab_free(name);
    if (near)
        return wlab_fail(err, WL_EARG, "unknown command \"%.80s\"; did you mean \"%s\"?", word, near);
    return wlab_fail(err, WL_EARG, "unknown command \"%.80s\"; `help` lists the commands", word);
}
