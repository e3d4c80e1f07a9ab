/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders from the environment and beside the executable; the files of the state directory.
 */
#include "tui/places.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT_LOGS = 500
};

void wlab_xdg_folder(const char *name, const char *fallback, char *buf, size_t size)
{
    const char *value = getenv(name), *home = getenv("HOME");
    buf[0] = '\0';
    if (value && value[0] == '/')
        snprintf(buf, size, "%s/weaklab", value);
    else if (home && home[0] == '/')
        snprintf(buf, size, "%s/%s/weaklab", home, fallback);
}

static void add_folder(wlab_folders *f, bool must_exist, const char *fmt, ...) WLAB_PRINTF(3, 4);
static void add_folder(wlab_folders *f, bool must_exist, const char *fmt, ...)
{
    struct stat st;
    va_list ap;
    if (f->n >= WLAB_MOST_FOLDERS)
        return;
    va_start(ap, fmt);
    char *path = wlab_vformat(fmt, ap);
    va_end(ap);
    if (!path || (must_exist && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))) {
        wlab_free(path);
        return;
    }
    f->list[f->n++] = path;
}

void wlab_folders_add(wlab_folders *f, const char *path)
{
    add_folder(f, false, "%s", path);
}

void wlab_folders_clear(wlab_folders *f)
{
    for (int i = 0; i < f->n; i++)
        f->list[i] = wlab_free(f->list[i]);
    f->n = 0;
}

/* The folder above that of the executable, "" if it is unknown. */
static void find_install_folder(char top[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", top, PATH_MAX - 1);
    top[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(top, '/');
        if (slash)
            *slash = '\0';
    }
}

void wlab_folders_find(wlab_folders *data, wlab_folders *scripts, const char *installed)
{
    char folder[PATH_MAX], top[PATH_MAX];
    const char *list = getenv("WEAKLAB_DATA");

    while (list && *list) {
        size_t len = strcspn(list, ":");
        if (len)
            add_folder(data, true, "%.*s", (int)len, list);
        list += len + (list[len] == ':');
    }
    wlab_xdg_folder("XDG_DATA_HOME", ".local/share", folder, sizeof folder);
    if (folder[0]) {
        add_folder(data, true, "%s", folder);
        add_folder(scripts, true, "%s/scripts", folder);
    }
    find_install_folder(top);
    /* beside the executable: a build tree, or an installation that was moved */
    if (top[0]) {
        add_folder(data, true, "%s/datasets", top);
        add_folder(data, true, "%s/share/weaklab/datasets", top);
        add_folder(scripts, true, "%s/scripts", top);
        add_folder(scripts, true, "%s/share/weaklab/scripts", top);
    }
    add_folder(data, true, "%s/datasets", installed);
    add_folder(scripts, true, "%s/scripts", installed);
}

static bool make_folders(char *path)
{
    for (char *s = path + 1; *s; s++)
        if (*s == '/') {
            *s = '\0';
            (void)mkdir(path, 0700);
            *s = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static int is_session(const struct dirent *e)
{
    return strncmp(e->d_name, "session-", 8) == 0;
}

/* Remove all but the newest KEPT_LOGS logs: their names hold the time, so the order of names is that of time. */
static void drop_old_logs(const char *folder)
{
    struct dirent **list = NULL;
    char path[PATH_MAX + 300];
    int n = scandir(folder, &list, is_session, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        if (i < n - KEPT_LOGS)
            (void)unlink(path);
        free(list[i]);
    }
    free(list);
}

void wlab_state_files(char *history, size_t size, char *log, size_t log_size)
{
    char folder[PATH_MAX], stamp[32];
    time_t now = time(NULL);
    struct tm tm;

    history[0] = log[0] = '\0';
    wlab_xdg_folder("XDG_STATE_HOME", ".local/state", folder, sizeof folder);
    if (!folder[0] || !make_folders(folder))
        return;
    snprintf(history, size, "%s/history", folder);
    drop_old_logs(folder);
    if (!localtime_r(&now, &tm) || strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm) == 0)
        return;
    snprintf(log, log_size, "%s/session-%s-%ld.wlab", folder, stamp, (long)getpid());
}
