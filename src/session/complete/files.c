/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion of files and folders.
 */
#include "session/commands/commands.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct listing {
    wlab_offers *w;
    const char *before; /* put in front of each name, as typed: "@" */
    const char *shown;  /* the folder as typed, with its /; or "" */
    const char *base;   /* the typed part of the name */
    const char *home;   /* the home folder, which replaces `~` if a name needs quotes; or NULL */
} listing;

static void offer_entry(listing *l, const char *dir, const struct dirent *e)
{
    const char *name = e->d_name;
    struct stat st;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strncmp(name, l->base, strlen(l->base)) != 0 ||
        (name[0] == '.' && l->base[0] != '.'))
        return;
    for (const char *c = name; *c; c++) /* the language cannot express control characters */
        if ((unsigned char)*c < ' ' || *c == 127)
            return;
    char *path = wlab_format("%s/%s", dir, name);
    bool known = path && stat(path, &st) == 0, folder = known && S_ISDIR(st.st_mode);
    bool bare = name[strcspn(name, " \"'\\;#=")] == '\0';
    char *text = NULL;
    wlab_free(path);
    if (!path) {
        l->w->failed = true;
        return;
    }
    if (!known || (!folder && !S_ISREG(st.st_mode)))
        return;
    if (!bare && l->home) /* the language does not expand a `~` in quotes */
        text = wlab_format("%s%s%s%s%s", l->before, l->home, l->shown + 1, name, folder ? "/" : "");
    else
        text = wlab_format("%s%s%s%s", l->before, l->shown, name, folder ? "/" : "");
    if (text)
        wlab_offers_add_any(l->w, text, NULL, NULL, WL_OFFER_VALUE | (folder ? WL_OFFER_OPEN : 0));
    else
        l->w->failed = true;
    wlab_free(text);
}

static void list_folder(listing *l, const char *dir)
{
    DIR *d = opendir(dir);

    if (!d)
        return;
    for (struct dirent *e; !l->w->failed && (e = readdir(d));)
        offer_entry(l, dir, e);
    closedir(d);
}

/* List the folder as typed and, for a relative path, in each of `more`. */
static void list_all(listing *l, const char *folder, char *const *more)
{
    list_folder(l, *folder ? folder : ".");
    for (int i = 0; more && more[i] && folder[0] != '/' && !l->w->failed; i++) {
        char *dir = wlab_format("%s/%s", more[i], folder);
        if (dir)
            list_folder(l, dir);
        else
            l->w->failed = true;
        wlab_free(dir);
    }
}

static int by_text(const void *a, const void *b)
{
    const wlab_offer *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static bool is_script(const wlab_offer *word)
{
    size_t n = strlen(word->text);
    return n > 5 && strcmp(word->text + n - 5, ".wlab") == 0;
}

/* Sort the words from `first` on; drop repeats and, if there are scripts, other files. */
static void tidy(wlab_offers *w, int first, bool scripts)
{
    bool only = false;
    int kept = first;

    for (int i = first; scripts && i < w->n; i++)
        only = only || is_script(&w->list[i]);
    if (w->n > first)
        qsort(w->list + first, (size_t)(w->n - first), sizeof *w->list, by_text);
    for (int i = first; i < w->n; i++)
        if ((kept > first && strcmp(w->list[kept - 1].text, w->list[i].text) == 0) ||
            (only && !is_script(&w->list[i]) && !(w->list[i].flags & WL_OFFER_OPEN)))
            wlab_offer_clear(&w->list[i]);
        else
            w->list[kept++] = w->list[i];
    w->n = kept;
}

void wlab_offers_file_names(wlab_offers *w, const wlab_session *s, unsigned kind, const char *before)
{
    size_t skip = strlen(before);
    const char *typed = strncmp(w->prefix, before, skip) == 0 ? w->prefix + skip : NULL;
    const char *slash = typed ? strrchr(typed, '/') : NULL;
    bool home = typed && s->places.home && strncmp(typed, "~/", 2) == 0 && !w->quoted;
    char *const *more = kind == WL_FILES_DATA      ? s->places.data_dirs
                        : kind == WL_FILES_SCRIPTS ? s->places.script_dirs
                                                   : NULL;
    listing l = {.w = w, .before = before, .home = home ? s->places.home : NULL};
    int first = w->n;

    if (!typed || w->failed)
        return;
    l.base = slash ? slash + 1 : typed;
    char *shown = wlab_strndup(typed, (size_t)(l.base - typed));
    char *folder = shown ? wlab_format("%s%s", home ? s->places.home : "", shown + home) : NULL;
    l.shown = shown;
    if (folder)
        list_all(&l, folder, more);
    else
        w->failed = true;
    tidy(w, first, kind == WL_FILES_SCRIPTS);
    wlab_free(shown);
    wlab_free(folder);
}

void wlab_offers_files(wlab_offers *w, const wlab_session *s, wlab_file_kind kind, const char *before)
{
    if (!w->key)
        wlab_offers_file_names(w, s, kind, before);
}
