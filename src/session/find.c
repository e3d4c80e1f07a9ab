/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding files: data and scripts by name; data of a recorded session also by their content.
 */
#include "base/sha256.h"
#include "session/internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEEPEST = 6
};

/* 0: no such file, 1: an ordinary file, 2: something else of that name. */
static int file_kind(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    return S_ISREG(st.st_mode) ? 1 : 2;
}

/* An ordinary file of this path; one in a folder of bags stands for the folder.  *found: NULL if there is none; *other
 * becomes what else has this name, if it was NULL. */
static wlab_code try_path(char *path, char **found, char **other, wlab_err *err)
{
    char *inside = NULL;
    wlab_code code = path ? WL_OK : wlab_nomem(err);
    int is = path ? file_kind(path) : 0;

    if (is == 2)
        code = wlab_folder_data(path, &inside, err);
    if (inside && file_kind(inside) == 1) {
        wlab_free(path);
        path = inside;
        inside = NULL;
        is = 1;
    }
    wlab_free(inside);
    if (is == 1)
        *found = path;
    else if (is == 2 && !*other)
        *other = path;
    else
        wlab_free(path);
    return code;
}

/* Where find_ordinary looks, for messages. */
static void name_places(const wlab_session *s, const char *folders, char *buf, size_t size)
{
    snprintf(buf, size, "neither at this path, nor beside the script,");
    if (strcmp(s->places.out_dir, ".") != 0)
        wlab_text_append(buf, size, " nor in the folder of --out, '%.200s',", s->places.out_dir);
    wlab_text_append(buf, size, " nor %s", folders);
}

/* A relative path is looked for as it is, beside the script, where scripts write (after what is the script's own, so that
 * its output does not take the place of its input), and in dirs.  `folders` says what these are. */
static wlab_code find_ordinary(const wlab_session *s, const char *path, char *const *dirs, const char *what,
                               const char *folders, char **found, wlab_err *err)
{
    const char *const near[] = {s->now.dir, s->places.out_dir};
    char *other = NULL, places[512]; /* other: of that name, but not an ordinary file */
    wlab_code code;

    *found = NULL;
    code = try_path(wlab_strdup(path), found, &other, err);
    for (size_t i = 0; i < 2 && !code && !*found && path[0] != '/'; i++)
        if (near[i])
            code = try_path(wlab_format("%s/%s", near[i], path), found, &other, err);
    for (int i = 0; dirs[i] && !code && !*found && path[0] != '/'; i++)
        code = try_path(wlab_format("%s/%s", dirs[i], path), found, &other, err);
    name_places(s, folders, places, sizeof places);
    if (!code && !*found)
        code = other ? wlab_fail(err, WL_EIO,
                                 "'%.300s' is a folder or a device, not an ordinary file (a folder is loaded "
                                 "when X.mat, with "
                                 "Bag2.mat and BagI.mat, is in it)",
                                 other)
                     : wlab_fail(err, WL_EIO, "no %s '%.300s'; it is %s", what, path, places);
    wlab_free(other);
    return code;
}

static int by_name(const void *a, const void *b);

/* Add the names of the ordinary files in a folder; skip what cannot be read. */
static wlab_code add_names(const char *dir, char ***name, int *n, wlab_err *err)
{
    wlab_code code = WL_OK;
    DIR *d = opendir(dir);
    if (!d)
        return WL_OK;
    for (struct dirent *e; !code && (e = readdir(d));)
        if (e->d_name[0] != '.' && (e->d_type == DT_REG || e->d_type == DT_UNKNOWN))
            code = wlab_list_add(name, n, wlab_strdup(e->d_name), err);
    closedir(d);
    return code;
}

/* The command with which datasets/fetch gets the data set, or file, of that name; NULL: the catalogue, which is in
 * one of the folders, does not have it. */
static char *in_catalogue(const char *path, char *const *dirs)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *found = NULL, line[4096];
    for (int i = 0; dirs[i] && !found; i++) {
        char *file = wlab_format("%s/catalogue.tsv", dirs[i]);
        FILE *f = file ? fopen(file, "re") : NULL;
        while (f && !found && fgets(line, sizeof line, f)) {
            char *tab = strchr(line, '\t'), *end = tab ? strchr(tab + 1, '\t') : NULL;
            if (line[0] == '#' || !end)
                continue;
            *tab = *end = '\0';
            if (strcmp(base, line) == 0 || strcmp(base, tab + 1) == 0)
                found = wlab_format("`%s/fetch %s` gets it, then `load %s`", dirs[i], line, tab + 1);
        }
        if (f)
            fclose(f);
        wlab_free(file);
    }
    return found;
}

/* Adds to the failure in err the file that may have been meant: first a file whose name is `path` with an ending,
 * else the nearest name. */
static void suggest(const wlab_session *s, const char *path, char *const *dirs, const char *what,
                    const char *folders, wlab_err *err)
{
    char **name = NULL;
    int n = 0;
    const char *meant = NULL;
    size_t len = strlen(path);
    wlab_code code = WL_OK;
    if (!err || err->code != WL_EIO)
        return;
    char *fetch = in_catalogue(path, dirs);
    if (fetch)
        wlab_fail(err, WL_EIO, "no %s '%.300s' yet; it is public: %s", what, path, fetch);
    wlab_free(fetch);
    if (fetch || strchr(path, '/'))
        return;
    for (int i = 0; !code && dirs[i]; i++)
        code = add_names(dirs[i], &name, &n, NULL);
    const char *const near[] = {s->now.dir, s->places.out_dir, "."};
    for (int i = 0; !code && i < 3; i++)
        if (near[i])
            code = add_names(near[i], &name, &n, NULL);
    if (!code && n > 0) {
        qsort(name, (size_t)n, sizeof *name, by_name);
        for (int i = 0; i < n && !meant; i++)
            if (strncmp(name[i], path, len) == 0 && name[i][len] == '.')
                meant = name[i];
        if (!meant)
            meant = wlab_nearest(path, (const char *const *)name, (size_t)n);
    }
    if (meant) {
        char places[512];

        name_places(s, folders, places, sizeof places);
        wlab_fail(err, WL_EIO, "no %s '%.200s'; did you mean '%.200s'? '%.200s' is %s", what, path, meant,
                  path, places);
    }
    wlab_list_free(name, n);
}

/* Find a file, and if there is none, say in err where it was looked for and which one may be meant. */
static wlab_code find(const wlab_session *s, const char *path, char *const *dirs, const char *what,
                      const char *folders, char **found, wlab_err *err)
{
    const wlab_code code = find_ordinary(s, path, dirs, what, folders, found, err);

    if (code)
        suggest(s, path, dirs, what, folders, err);
    return code;
}

wlab_code wlab_session_find_file(const wlab_session *s, const char *path, char **found, wlab_err *err)
{
    return find(
        s, path, s->places.data_dirs, "data file",
        "in a --data folder, $WEAKLAB_DATA or $XDG_DATA_HOME/weaklab, nor among the installed data sets",
        found, err);
}

static wlab_code find_commands(const wlab_session *s, const char *path, const char *what, char **found,
                               wlab_err *err)
{
    return find(s, path, s->places.script_dirs, what,
                "in $XDG_DATA_HOME/weaklab/scripts, nor among the installed scripts", found, err);
}

wlab_code wlab_session_find_script(const wlab_session *s, const char *path, char **found, wlab_err *err)
{
    return find_commands(s, path, "script", found, err);
}

wlab_code wlab_session_find_experiment(const wlab_session *s, const char *path, char **found, wlab_err *err)
{
    return find_commands(s, path, "experiment", found, err);
}

wlab_code wlab_session_find_results(const wlab_session *s, const char *dir, char **found, wlab_err *err)
{
    bool mine = s->now.origin == WL_FROM_SCRIPT && dir[0] != '/' && strcmp(s->places.out_dir, ".") != 0;
    char *below = mine ? wlab_format("%s/%s", s->places.out_dir, dir) : wlab_strdup(dir);
    char *file = below ? wlab_format("%s/results.sqlite", below) : NULL;
    struct stat st; /* a file of cells takes the place of a folder */
    wlab_code code = WL_OK;

    if (!file) {
        code = wlab_nomem(err);
    } else if (mine && access(file, F_OK) != 0 && !(stat(below, &st) == 0 && S_ISREG(st.st_mode))) {
        wlab_free(below);
        if (!(below = wlab_strdup(dir)))
            code = wlab_nomem(err);
    }
    wlab_free(file);
    if (code)
        wlab_free(below);
    else
        *found = below;
    return code;
}

wlab_code wlab_file_sha256(const char *path, char hex[65], const wlab_ctx *ctx, wlab_err *err)
{
    struct sha256_ctx sum;
    uint8_t block[1 << 15];
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return wlab_fail_errno(err, "cannot open '%.300s'", path);
    sha256_init(&sum);
    bool stopped = false;
    while (!(stopped = wlab_interrupted(ctx)) && (n = read(fd, block, sizeof block)) > 0)
        sha256_update(&sum, (size_t)n, block);
    wlab_code code = stopped ? wlab_fail(err, WL_EINTERRUPTED, "reading '%.300s' was stopped", path)
                     : n < 0 ? wlab_fail_errno(err, "cannot read '%.300s'", path)
                             : WL_OK;
    close(fd);
    if (!code)
        wlab_sha256_end(&sum, hex);
    return code;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Search depth first in the order of names, so that the same file is found each time. */
static wlab_code search(const char *dir, const char *sha256, int64_t bytes, int depth, char **found,
                        const wlab_ctx *ctx, wlab_err *err)
{
    char **name = NULL, hex[65];
    int n = 0;
    wlab_code code = WL_OK;
    DIR *d = opendir(dir);

    if (!d)
        return WL_OK;
    for (struct dirent *e; !code && (e = readdir(d));)
        if (e->d_name[0] != '.')
            code = wlab_list_add(&name, &n, wlab_strdup(e->d_name), err);
    closedir(d);
    if (n > 0)
        qsort(name, (size_t)n, sizeof *name, by_name);
    for (int i = 0; !code && i < n && !*found; i++) {
        struct stat st;
        char *path = wlab_format("%s/%s", dir, name[i]);
        if (!path) {
            code = wlab_nomem(err);
        } else if (lstat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode) && depth < DEEPEST)
                code = search(path, sha256, bytes, depth + 1, found, ctx, err);
            else if (S_ISREG(st.st_mode) && (bytes < 0 || st.st_size == bytes)) {
                wlab_code read = wlab_file_sha256(path, hex, ctx, err);
                if (!read && strcmp(hex, sha256) == 0) {
                    *found = path;
                    path = NULL;
                }
                code = read == WL_EINTERRUPTED ? read : WL_OK; /* skip what cannot be read */
            }
        }
        wlab_free(path);
    }
    wlab_list_free(name, n);
    return code;
}

wlab_code wlab_session_find_sha256(const wlab_session *s, const char *sha256, int64_t bytes, char **found,
                                   wlab_err *err)
{
    wlab_code code = WL_OK;
    *found = NULL;
    if (s->now.dir)
        code = search(s->now.dir, sha256, bytes, DEEPEST, found, &s->ctx, err);
    for (int i = 0; !code && !*found && s->places.data_dirs[i]; i++)
        code = search(s->places.data_dirs[i], sha256, bytes, 0, found, &s->ctx, err);
    return code;
}
