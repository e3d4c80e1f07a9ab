/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .gp and .dat beside an image: whose they are before they are written over.
 *
 * It is seen from the files, so that it holds across sessions: a script's second line lists the endings of the
 * images it is for, a .dat's first line names the view and the run.
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
    bool there, equal; /* equal: holds the bytes to come */
    char head[HEAD + 1];
} beside_file;

/* `want` may be NULL. */
static wlab_code look(beside_file *f, const char *path, const wlab_buf *want, wlab_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    size_t at = 0;
    bool same = want != NULL;

    memset(f, 0, sizeof *f);
    if (fd < 0)
        return errno == ENOENT ? WL_OK : wlab_fail_errno(err, "cannot look whose '%s' is", path);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) { /* a person's device: nothing is lost there */
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
            wlab_code code = wlab_fail_errno(err, "cannot look whose '%s' is", path);
            close(fd);
            return code;
        }
        if (n == 0)
            break;
        if (at < HEAD)
            memcpy(f->head + at, piece, (size_t)n < HEAD - at ? (size_t)n : HEAD - at);
        same = same && at + (size_t)n <= want->len && !memcmp(want->data + at, piece, (size_t)n);
        at += (size_t)n;
        if (!same && at >= HEAD)
            break;
    }
    close(fd);
    f->equal = same && at == want->len;
    return WL_OK;
}

/* "objective of run a" of "# weaklab objective of run a: ...", its length; 0: no figure's data. */
static size_t subject(const char *head, size_t len, const char **at)
{
    static const char mine[] = "# weaklab ";
    size_t n = strlen(mine);
    if (len < n || memcmp(head, mine, n) != 0)
        return 0;
    *at = head + n;
    for (; n < len && head[n] != ':'; n++)
        if (head[n] == '\n')
            return 0;
    return n < len ? (size_t)(head + n - *at) : 0;
}

/* The list behind "# Pictures: ", cut at the line's end; "" where there is none. */
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

wlab_code wlab_beside(const char *image, const char *gp_path, const char *dat_path, const wlab_buf *dat,
                      wlab_buf *kinds, wlab_err *err)
{
    const char *kind = strrchr(image, '.') + 1, *list, *was = "", *now = "";
    int stem = (int)(kind - 1 - image);
    beside_file gp, old;
    wlab_code code;

    if ((code = look(&gp, gp_path, NULL, err)) || (code = look(&old, dat_path, dat, err)))
        return code;
    size_t was_len = subject(old.head, strlen(old.head), &was);
    size_t now_len = subject((const char *)dat->data, dat->len, &now);
    int view = (int)strcspn(now, " ");
    if (gp.there && strncmp(gp.head, "# Draws ", 8) != 0)
        return wlab_fail(err, WL_EARG, "'%s' is there and is no figure's script: choose another name than %s",
                         gp_path, image);
    if (old.there && !was_len)
        return wlab_fail(err, WL_EARG, "'%s' is there and is no figure's data: choose another name than %s",
                         dat_path, image);
    list = pictures(gp.head);
    bool mine = listed(list, kind), alone = mine && !strpbrk(list, ", ");
    bool same = was_len && was_len == now_len && !memcmp(was, now, was_len);
    bool ends = view <= stem && !memcmp(image + stem - view, now, (size_t)view); /* then "-2" */
    if (gp.there && !old.equal && !alone && !(mine && same))
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
