/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bundled lessons: scripts in the folder lessons/ beside the installed scripts.
 */
#include "session/internal.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".wlab";

/* Read the first two lines of a script: its title, without the mark and the full stop, and its place among the lessons. */
static void read_head(wlab_lesson *lesson)
{
    char line[256] = "", *title = line;
    FILE *in = fopen(lesson->path, "re");

    if (in && !fgets(line, sizeof line, in))
        line[0] = '\0';
    if (*title == '#')
        title += strspn(title, "# \t");
    else
        *title = '\0';
    size_t len = strcspn(title, "\r\n");
    while (len > 0 && (title[len - 1] == '.' || title[len - 1] == ' '))
        len--;
    lesson->title = wlab_strndup(title, len);
    if (in && fgets(line, sizeof line, in))
        (void)sscanf(line, "# lesson %d, %d minutes, after %39[^\r\n]", &lesson->number, &lesson->minutes,
                     lesson->after);
    if (in)
        fclose(in);
}

static bool is_listed(const wlab_lesson *list, int n, const char *name, size_t len)
{
    for (int i = 0; i < n; i++)
        if (strncmp(list[i].name, name, len) == 0 && list[i].name[len] == '\0')
            return true;
    return false;
}

static wlab_code add_lesson(wlab_lesson **list, int *n, const char *folder, const char *file, wlab_err *err)
{
    size_t len = strlen(file) - strlen(ending);
    wlab_lesson one = {0}, *grown;

    if (is_listed(*list, *n, file, len))
        return WL_OK;
    grown = wlab_realloc(*list, (size_t)*n + 1, sizeof *grown);
    if (!grown)
        return wlab_nomem(err);
    *list = grown;
    one.name = wlab_strndup(file, len);
    one.path = wlab_format("%s/%s", folder, file);
    if (one.path)
        read_head(&one);
    grown[(*n)++] = one;
    return one.name && one.title ? WL_OK : wlab_nomem(err);
}

/* By number; those without one last, by name. */
static int in_order(const void *a, const void *b)
{
    const wlab_lesson *p = a, *q = b;

    if (p->number != q->number)
        return !p->number ? 1 : !q->number ? -1 : p->number < q->number ? -1 : 1;
    return strcmp(p->name, q->name);
}

void wlab_lessons_free(wlab_lesson *list, int n)
{
    for (int i = 0; i < n; i++) {
        wlab_free(list[i].name);
        wlab_free(list[i].title);
        wlab_free(list[i].path);
    }
    wlab_free(list);
}

wlab_code wlab_session_lessons(const wlab_session *s, wlab_lesson **out, int *count, wlab_err *err)
{
    wlab_lesson *list = NULL;
    int n = 0;
    wlab_code code = WL_OK;

    *out = NULL;
    *count = 0;
    for (int i = 0; !code && s->places.script_dirs[i]; i++) {
        char *folder = wlab_format("%s/lessons", s->places.script_dirs[i]);
        DIR *d = folder ? opendir(folder) : NULL;

        if (!folder)
            code = wlab_nomem(err);
        for (struct dirent *e; !code && d && (e = readdir(d));) {
            size_t len = strlen(e->d_name);

            if (e->d_name[0] != '.' && len >= sizeof ending && strcmp(e->d_name + len - 5, ending) == 0)
                code = add_lesson(&list, &n, folder, e->d_name, err);
        }
        if (d)
            closedir(d);
        wlab_free(folder);
    }
    if (code) {
        wlab_lessons_free(list, n);
        return code;
    }
    if (n > 0)
        qsort(list, (size_t)n, sizeof *list, in_order);
    *out = list;
    *count = n;
    return WL_OK;
}
