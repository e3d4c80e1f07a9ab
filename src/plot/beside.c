/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .gp and .dat beside an image: check which figure existing files belong to before they are overwritten.
 *
 * The check reads the files, so it also works across sessions: the second line of a script lists the endings of the
 * images it draws, and the first line of a .dat names the view and the run.
 */
#include "plot/beside.h"
#include "plot/figure.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAD = 4096
};

typedef struct beside_file {
    bool there, equal; /* equal: it holds the bytes that are to be written */
    char head[HEAD + 1];
} beside_file;

/* Read the file's first HEAD bytes, and compare all of it with `expected` (may be NULL: `equal` is false). */
static wlab_code read_beside(beside_file *f, const char *path, const wlab_buf *expected, wlab_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    size_t at = 0;
    bool same = expected != NULL;

    memset(f, 0, sizeof *f);
    if (fd < 0)
        return errno == ENOENT ? WL_OK
                               : wlab_fail_errno(err, "cannot check which figure '%s' belongs to", path);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) { /* a device: writing to it loses nothing */
        close(fd);
        return WL_OK;
    }
    f->there = true;
    for (;;) {
        char piece[16384];
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            wlab_code code = wlab_fail_errno(err, "cannot check which figure '%s' belongs to", path);
            close(fd);
            return code;
        }
        if (n == 0)
            break;
        if (at < HEAD)
            memcpy(f->head + at, piece, (size_t)n < HEAD - at ? (size_t)n : HEAD - at);
        same = same && at + (size_t)n <= expected->len && !memcmp(expected->data + at, piece, (size_t)n);
        at += (size_t)n;
        if (!same && at >= HEAD)
            break;
    }
    close(fd);
    f->equal = same && at == expected->len;
    return WL_OK;
}

/* Find "objective of run a" in "# weaklab objective of run a: ...", return its length; 0: not the data of a figure. */
static size_t subject(const char *head, size_t len, const char **at)
{
    static const char prefix[] = "# weaklab ";
    size_t n = strlen(prefix);
    if (len < n || memcmp(head, prefix, n) != 0)
        return 0;
    *at = head + n;
    for (; n < len && head[n] != ':'; n++)
        if (head[n] == '\n')
            return 0;
    return n < len ? (size_t)(head + n - *at) : 0;
}

/* The image endings listed after "# Pictures: "; "" if there are none.  Ends the string at the end of that line, so the
 * rest of `head` is lost. */
static const char *pictures(char *head)
{
    char *at = strstr(head, WL_FIG_PICTURES), *end;
    if (!at)
        return "";
    at += strlen(WL_FIG_PICTURES);
    end = strchrnul(at, '\n');
    *end = '\0';
    return at;
}

static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; *list; list += strspn(list, ", ")) {
        size_t len = strcspn(list, ", ");
        if (len == n && !memcmp(list, word, n))
            return true;
        list += len;
    }
    return false;
}

static const char *file_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

wlab_code wlab_check_beside(const char *image, const char *gp_path, const char *dat_path, const wlab_buf *dat,
                            wlab_buf *kinds, wlab_err *err)
{
    const char *kind = strrchr(image, '.') + 1, *list, *was = "", *now = "";
    int stem = (int)(kind - 1 - image);
    beside_file gp, old;
    wlab_code code;

    if ((code = read_beside(&gp, gp_path, NULL, err)) || (code = read_beside(&old, dat_path, dat, err)))
        return code;
    size_t was_len = subject(old.head, strlen(old.head), &was);
    size_t now_len = subject((const char *)dat->data, dat->len, &now);
    int view = (int)strcspn(now, " ");
    if (gp.there && strncmp(gp.head, "# Draws ", 8) != 0)
        return wlab_fail(err, WL_EARG,
                         "'%s' exists and is not the script of a figure: choose another name than %s",
                         gp_path, image);
    if (old.there && !was_len)
        return wlab_fail(err, WL_EARG,
                         "'%s' exists and does not hold the data of a figure: choose another name than %s",
                         dat_path, image);
    list = pictures(gp.head);
    const bool tex = strcmp(kind, "tex") == 0;
    if ((tex || strcmp(kind, "pdf") == 0) && listed(list, tex ? "pdf" : "tex"))
        return wlab_fail(err, WL_EARG, "%.*s.pdf is %s: choose another name than %s, such as %.*s-2.%s", stem,
                         image,
                         tex ? "a picture already, and a .tex has its drawing in a .pdf of the same name"
                             : "the drawing that goes with the .tex of this name",
                         image, stem, image, kind);
    bool this_kind = listed(list, kind), alone = this_kind && !strpbrk(list, ", ");
    bool same = was_len && was_len == now_len && !memcmp(was, now, was_len);
    /* if the name already ends in the view, propose "NAME-2" instead of "NAME-VIEW" */
    bool ends = view <= stem && !memcmp(image + stem - view, now, (size_t)view);
    if (gp.there && !old.equal && !alone && !(this_kind && same))
        return wlab_fail(err, WL_EARG,
                         "'%s' and %s rebuild another figure, %.*s.%s%s%.*s: choose another name, such as "
                         "%.*s-%.*s.%s",
                         gp_path, file_part(dat_path), stem, image, *list ? list : "*",
                         was_len ? ", which shows the " : "", (int)was_len, was, stem, image, ends ? 1 : view,
                         ends ? "2" : now, kind);
    code = wlab_buf_printf(kinds, "%s", kind);
    for (; old.equal && gp.there && *list && !code; list += strspn(list, ", ")) {
        int len = (int)strcspn(list, ", ");
        if ((size_t)len != strlen(kind) || memcmp(list, kind, (size_t)len) != 0)
            code = wlab_buf_printf(kinds, ", %.*s", len, list);
        list += len;
    }
    code = code ? code : wlab_buf_put(kinds, "", 1);
    return code ? wlab_nomem(err) : WL_OK;
}
