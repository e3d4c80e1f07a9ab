/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing files: only where a script may, and never half a file.
 *
 * A script's path is relative, below the output folder, without `..`, links or dot-files, and has one of the
 * program's extensions.  The folders on the way are opened one by one with O_NOFOLLOW, so that a link placed there
 * later has no effect.  The user's path may lead anywhere.
 */
#include "base/file.h"
#include "session/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wlab_output {
    int fd, dir;
    char *leaf;      /* the final name inside dir */
    char *temp;      /* the temporary name inside dir, or NULL: write in place (a device, a pipe) */
    char *full;      /* the final path */
    char *temp_path; /* path of the temporary file */
};

static const char *const own[] = {"csv", "jsonl", "json", "txt",   "md",   "tex",    "png",  "svg",
                                  "pdf", "gp",    "dat",  "model", "wlab", "sqlite", "html", NULL};

static const char *extension(const char *leaf)
{
    const char *dot = strrchr(leaf, '.');
    return dot && dot != leaf ? dot + 1 : "";
}

static bool listed(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static void join(char *buf, size_t size, const char *const *list)
{
    buf[0] = '\0';
    for (int i = 0; list[i]; i++)
        wlab_text_append(buf, size, "%s.%s", i ? ", " : "", list[i]);
}

static wlab_code refuse(wlab_err *err, const char *path, const char *why)
{
    return wlab_fail(err, WL_EARG, "a script may not write '%.300s': %s", path, why);
}

/* Open the folder `name` of `at`, not through a link; make it if it is missing. */
static int open_folder(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && (mkdirat(at, name, 0777) == 0 || errno == EEXIST))
        fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd;
}

/* The same for the user's path: follow links, make every missing folder on the way. */
static int open_path(const char *path, bool *made)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *made = false;
    if (fd >= 0 || errno != ENOENT)
        return fd;
    char *part = wlab_strdup(path);
    if (!part) {
        errno = ENOMEM;
        return -1;
    }
    for (char *s = part + 1; *s; s++)
        if (*s == '/') {
            *s = '\0';
            (void)mkdir(part, 0777);
            *s = '/';
        }
    *made = part[0] && mkdir(part, 0777) == 0;
    wlab_free(part);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static wlab_code place_script(const wlab_session *s, const char *path, const char *const *allowed, int *dir,
                              const char **leaf, wlab_err *err)
{
    char list[256];
    const char *slash = strrchr(path, '/');
    const char *ext = extension(slash ? slash + 1 : path);
    wlab_code code = WL_OK;
    int at = -1;

    if (path[0] == '/')
        return refuse(err, path, "only paths relative to --out are allowed");
    if (!listed(ext, own) || (allowed && !listed(ext, allowed))) {
        join(list, sizeof list, allowed ? allowed : own);
        return wlab_fail(err, WL_EARG, "a script may not write '%.300s': the name must end in %s", path,
                         list);
    }
    bool made;
    at = open_path(s->places.out_dir, &made);
    if (at < 0)
        return wlab_fail_errno(err, "cannot open the output folder '%.300s'", s->places.out_dir);
    for (const char *part = path;;) {
        size_t len = strcspn(part, "/");
        if (len == 0)
            code = refuse(err, path, "a part of the path is empty");
        else if (len == 1 && part[0] == '.' && part[len]) {
            part += 2; /* ./a.csv */
            continue;
        } else if (part[0] == '.')
            code = refuse(err, path, part[1] == '.' ? "`..` leads out of the output folder" : "no dot-files");
        if (code)
            break;
        if (part[len] == '\0') {
            *leaf = part;
            *dir = at;
            return WL_OK;
        }
        char *name = wlab_strndup(part, len);
        int next = name ? open_folder(at, name) : -1;
        if (!name)
            code = wlab_nomem(err);
        else if (next < 0)
            code = errno == ELOOP || errno == ENOTDIR
                       ? wlab_fail(err, WL_EARG,
                                   "a script may not write '%.300s': '%.100s' is a link, or not a folder",
                                   path, name)
                       : wlab_fail_errno(err, "cannot open the folder '%.100s' of '%.300s'", name, path);
        wlab_free(name);
        if (code)
            break;
        close(at);
        at = next;
        part += len + 1;
    }
    close(at);
    return code;
}

wlab_code wlab_output_place(wlab_session *s, const char *path, wlab_origin origin, const char *const *allowed,
                            int *dir, char **leaf, char **full, wlab_err *err)
{
    const char *name = NULL;
    struct stat st;
    int at = -1;
    wlab_code code;

    if (origin == WL_FROM_SCRIPT) {
        code = place_script(s, path, allowed, &at, &name, err);
        if (code)
            return code;
        if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
            close(at);
            return refuse(err, path, "it exists and is not an ordinary file");
        }
        *full = strcmp(s->places.out_dir, ".") == 0 ? wlab_strdup(path)
                                                    : wlab_format("%s/%s", s->places.out_dir, path);
    } else {
        const char *slash = strrchr(path, '/');
        name = slash ? slash + 1 : path;
        if (*name == '\0')
            return wlab_fail(err, WL_EARG, "'%.300s' is not the name of a file", path);
        if (allowed && !listed(extension(name), allowed)) {
            char list[256];
            join(list, sizeof list, allowed);
            return wlab_fail(err, WL_EARG, "'%.300s': the name must end in %s", path, list);
        }
        char *folder =
            !slash ? wlab_strdup(".") : wlab_strndup(path, (size_t)(slash - path) + (slash == path));
        if (!folder)
            return wlab_nomem(err);
        bool made;
        at = open_path(folder, &made);
        if (made)
            wlab_session_say(s, "made the folder %s", folder);
        code = at < 0 ? wlab_fail_errno(err, "cannot open the folder '%.300s'", folder) : WL_OK;
        wlab_free(folder);
        if (code)
            return code;
        if (fstatat(at, name, &st, 0) == 0 && S_ISDIR(st.st_mode)) {
            close(at);
            return wlab_fail(err, WL_EARG, "'%.300s' is a folder; name a file in it", path);
        }
        struct stat link;
        if (fstatat(at, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode)) {
            char *target = realpath(path, NULL); /* keep the link, write the file it points to */
            if (target) {
                close(at);
                code = wlab_output_place(s, target, origin, NULL, dir, leaf, full, err);
                free(target);
                return code;
            }
        }
        *full = wlab_strdup(path);
    }
    *leaf = *full ? wlab_strdup(name) : NULL;
    if (!*leaf) {
        *full = wlab_free(*full);
        close(at);
        return wlab_nomem(err);
    }
    *dir = at;
    return WL_OK;
}

wlab_code wlab_output_folder(wlab_session *s, const char *path, char **dir, wlab_err *err)
{
    static const char *const allowed[] = {"sqlite", NULL};
    char *file = NULL, *leaf = NULL, *full = NULL;
    int fd = -1;
    wlab_code code = WL_OK;

    if (path[0] == '\0')
        return wlab_fail(err, WL_EARG, "the folder's name is empty");
    if (s->now.origin != WL_FROM_SCRIPT) {
        *dir = wlab_strdup(path);
        return *dir ? WL_OK : wlab_nomem(err);
    }
    file = wlab_format("%s/results.sqlite", path);
    code =
        file ? wlab_output_place(s, file, WL_FROM_SCRIPT, allowed, &fd, &leaf, &full, err) : wlab_nomem(err);
    if (!code && !(*dir = wlab_strndup(full, strlen(full) - strlen(leaf) - 1)))
        code = wlab_nomem(err);
    if (fd >= 0)
        close(fd);
    wlab_free(leaf);
    wlab_free(full);
    wlab_free(file);
    return code;
}

static void output_free(wlab_output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    if (o->dir >= 0)
        close(o->dir);
    wlab_free(o->leaf);
    wlab_free(o->temp);
    wlab_free(o->full);
    wlab_free(o->temp_path);
    wlab_free(o);
}

wlab_code wlab_output_open(wlab_output **out, wlab_session *s, const char *path, const char *const *allowed,
                           wlab_err *err)
{
    struct stat st;
    wlab_output *o = wlab_calloc(1, sizeof *o);
    wlab_code code;

    if (!o)
        return wlab_nomem(err);
    o->fd = o->dir = -1;
    code = wlab_output_place(s, path, s->now.origin, allowed, &o->dir, &o->leaf, &o->full, err);
    if (code)
        goto out;
    bool exists = fstatat(o->dir, o->leaf, &st, 0) == 0;
    if (exists && !S_ISREG(st.st_mode)) { /* a device or pipe named by the user */
        o->fd = openat(o->dir, o->leaf, O_WRONLY | O_CLOEXEC);
        o->temp_path = wlab_strdup(o->full);
        if (o->fd < 0)
            code = wlab_fail_errno(err, "cannot write '%.300s'", o->full);
        else if (!o->temp_path)
            code = wlab_nomem(err);
        goto out;
    }
    const char *slash = strrchr(o->full, '/');
    int width = slash ? (int)(slash - o->full) + 1 : 0;
    for (int k = 0; o->fd < 0; k++) {
        wlab_free(o->temp);
        o->temp = wlab_format(".weaklab-%ld-%d.tmp", (long)getpid(), k);
        if (!o->temp) {
            code = wlab_nomem(err);
            goto out;
        }
        o->fd = openat(o->dir, o->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (o->fd < 0 && (errno != EEXIST || k > 1000)) {
            code = wlab_fail_errno(err, "cannot write '%.300s'", o->full);
            o->temp = wlab_free(o->temp);
            goto out;
        }
    }
    if (exists)
        (void)fchmod(o->fd, st.st_mode & 07777);
    o->temp_path = wlab_format("%.*s%s", width, o->full, o->temp);
    if (!o->temp_path)
        code = wlab_nomem(err);
out:
    if (code) {
        if (o->temp && o->fd >= 0)
            unlinkat(o->dir, o->temp, 0);
        output_free(o);
    } else {
        *out = o;
    }
    return code;
}

wlab_code wlab_output_write(wlab_output *o, const void *data, size_t len, wlab_err *err)
{
    const char *p = data;
    while (len > 0) {
        ssize_t n = write(o->fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wlab_fail_errno(err, "cannot write '%.300s'", o->full);
        p += n;
        len -= (size_t)n;
    }
    return WL_OK;
}

int wlab_output_fd(const wlab_output *o)
{
    return o->fd;
}

const char *wlab_output_temporary(const wlab_output *o)
{
    return o->temp_path;
}

const char *wlab_output_path(const wlab_output *o)
{
    return o->full;
}

wlab_code wlab_output_close(wlab_output *o, bool commit, wlab_err *err)
{
    wlab_code code = WL_OK;
    if (!o)
        return WL_OK;
    int failed = commit && o->temp ? wlab_file_replace(o->dir, o->fd, o->temp, o->leaf) : close(o->fd);
    if (failed && commit)
        code = wlab_fail_errno(err, "cannot write '%.300s'", o->full);
    o->fd = -1;
    if (o->temp && (!commit || code))
        unlinkat(o->dir, o->temp, 0);
    output_free(o);
    return code;
}
