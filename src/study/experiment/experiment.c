/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads an experiment file, line by line, into a wlab_experiment.
 */
#include "study/experiment/read.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LARGEST = 16 << 20 /* bytes of a file */
};

void wlab_experiment_free(wlab_experiment *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->ndata; i++) {
        wlab_free(e->data[i].name);
        wlab_free(e->data[i].line);
    }
    wlab_free(e->data);
    for (int i = 0; i < e->nsettings; i++) {
        wlab_free(e->setting[i].name);
        wlab_list_free(e->setting[i].key, e->setting[i].values);
        wlab_list_free(e->setting[i].value, e->setting[i].values);
    }
    wlab_free(e->setting);
    for (int i = 0; i < e->nmethods; i++) {
        wlab_free(e->method[i].name);
        wlab_list_free(e->method[i].algo, e->method[i].alternatives);
    }
    wlab_free(e->method);
    for (int i = 0; i < e->npublished; i++)
        wlab_free(e->published[i].name);
    wlab_free(e->published);
    for (int i = 0; i < e->nreports; i++)
        wlab_free(e->report[i].rest);
    wlab_free(e->report);
    wlab_free(e->seed);
    wlab_params_destroy(e->tune);
    wlab_free(e->text);
    wlab_free(e->path);
    wlab_free(e->title);
    wlab_free(e->scale);
    wlab_free(e->split);
    wlab_free(e->task_line);
    wlab_free(e->go);
    wlab_free(e->eval);
    wlab_free(e->until);
    wlab_free(e->cell);
    wlab_free(e);
}

static void file_clear(wlab_exp_file *f)
{
    for (int i = 0; i < f->nlines; i++)
        wlab_phrase_clear(&f->line[i].w);
    wlab_free(f->line);
    for (int i = 0; i < f->nbraces; i++) {
        wlab_free(f->brace[i].key);
        wlab_list_free(f->brace[i].value, f->brace[i].n);
    }
    wlab_free(f->brace);
    wlab_free(f->alternative);
}

/* The first C1 control character in UTF-8.  Terminals obey these as they do ASCII control characters, and names are
 * printed in tables. */
static const char *find_c1(const char *line)
{
    for (; *line; line++)
        if ((unsigned char)line[0] == 0xc2 && (unsigned char)line[1] >= 0x80 && (unsigned char)line[1] < 0xa0)
            return line;
    return NULL;
}

/* One line, raw[0 .. len-1] without its line feed. */
static wlab_code read_line(wlab_exp_file *f, const char *raw, size_t len, long number)
{
    wlab_phrase w = {0};
    size_t pos = 0;
    bool more = false;
    const char *zero = memchr(raw, '\0', len);

    if (zero)
        return wlab_exp_fail(f, number, (long)(zero - raw) + 1, "a byte of value 0: this is not a text file");
    char *line = wlab_strndup(raw, len);
    if (!line)
        return wlab_nomem(f->err);
    if (number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        memset(line, ' ', 3); /* a byte order mark, which some editors write */
    const char *c1 = find_c1(line);
    wlab_code code = c1 ? wlab_fail_at(f->err, NULL, 0, (long)(c1 - line) + 1, "control character in a word")
                        : wlab_phrase_read(&w, line, &pos, &more, f->err);
    wlab_free(line);
    if (code)
        return wlab_exp_set_place(f, code, number, f->err->column);
    if (more)
        code = wlab_exp_fail(f, number, (long)pos,
                             "a line of an experiment holds one command; `;` is for the prompt");
    if (!code && w.name)
        code = wlab_exp_reserve(&f->line, f->nlines, sizeof *f->line, f->err);
    if (code || !w.name) {
        wlab_phrase_clear(&w);
        return code;
    }
    wlab_exp_line *l = &f->line[f->nlines++];
    *l = (wlab_exp_line){w, number, raw};
    return wlab_exp_read_line(f, l);
}

wlab_code wlab_experiment_parse(wlab_experiment **out, const char *text, size_t len, const char *path,
                                wlab_err *err)
{
    wlab_err own = {0};
    wlab_exp_file f = {.err = err ? err : &own};
    wlab_experiment *e = wlab_calloc(1, sizeof *e);
    wlab_code code = WL_OK;

    *out = NULL;
    if (!e)
        return wlab_nomem(err);
    f.e = e;
    e->path = wlab_strdup(path);
    e->text = wlab_alloc(len + 1, 1);
    if (!e->path || !e->text) {
        code = wlab_nomem(err);
        goto out;
    }
    if (len)
        memcpy(e->text, text, len);
    e->text[len] = '\0';
    long number = 1;
    for (size_t begin = 0; !code && begin < len; number++) {
        const char *feed = memchr(e->text + begin, '\n', len - begin);
        size_t end = feed ? (size_t)(feed - e->text) : len, size = end - begin;
        while (size > 0 && e->text[begin + size - 1] == '\r')
            size--;
        code = read_line(&f, e->text + begin, size, number);
        begin = end + 1;
    }
    if (!code)
        code = wlab_exp_finish(&f);
out:
    file_clear(&f);
    if (code)
        wlab_experiment_free(e);
    else
        *out = e;
    return code;
}

/* Read the whole file; WL_EIO for a folder, a device or a file that is too large. */
static wlab_code read_file(const char *path, char **text, size_t *len, wlab_err *err)
{
    struct stat st;
    char *bytes = NULL;
    size_t n = 0;
    wlab_code code = WL_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return wlab_fail_errno(err, "cannot open '%.400s'", path);
    if (fstat(fd, &st) != 0)
        code = wlab_fail_errno(err, "cannot read '%.400s'", path);
    else if (!S_ISREG(st.st_mode))
        code = wlab_fail(err, WL_EIO, "'%.400s' is a folder or a device, not an experiment", path);
    else if (st.st_size > LARGEST)
        code = wlab_fail(err, WL_EIO, "'%.400s' has more than %d MB: this is not an experiment", path,
                         LARGEST >> 20);
    if (!code && !(bytes = wlab_alloc((size_t)st.st_size + 1, 1)))
        code = wlab_nomem(err);
    while (!code && n < (size_t)st.st_size) {
        ssize_t got = read(fd, bytes + n, (size_t)st.st_size - n);
        if (got < 0 && errno != EINTR)
            code = wlab_fail_errno(err, "cannot read '%.400s'", path);
        if (got == 0)
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (code) {
        wlab_free(bytes);
        return code;
    }
    *text = bytes;
    *len = n;
    return WL_OK;
}

wlab_code wlab_experiment_read(wlab_experiment **out, const char *path, wlab_err *err)
{
    char *text = NULL;
    size_t len = 0;
    wlab_code code = read_file(path, &text, &len, err);

    *out = NULL;
    if (!code)
        code = wlab_experiment_parse(out, text, len, path, err);
    wlab_free(text);
    return code;
}
