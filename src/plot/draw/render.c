/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a figure to an image: gnuplot works in a temporary folder of its own, with fixed file names.
 */
#include "plot/draw/render.h"
#include "plot/draw/gnuplot.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const wlab_image_names[] = {"png", "svg", "pdf", "txt", NULL};

/* Terminals in order of preference; `line`: the words after `set terminal`. */
static const struct terminal {
    wlab_image kind;
    const char *name, *line;
} terminals[] = {
    {WL_PNG, "pngcairo", "pngcairo noenhanced size 1280,800 font 'DejaVu Sans,16' background '#ffffff'"},
    {WL_PNG, "png", "png noenhanced size 1280,800 large background '#ffffff'"},
    {WL_SVG, "svg", "svg noenhanced size 960,600 dynamic font 'DejaVu Sans,13' background '#ffffff'"},
    {WL_PDF, "pdfcairo", "pdfcairo noenhanced size 20cm,12.5cm font 'DejaVu Sans,11'"},
    {WL_PDF, "pdf", "pdf noenhanced size 20cm,12.5cm"},
    {WL_TXT, "dumb", "dumb noenhanced size 79,24"},
};
enum {
    TERMINALS = sizeof terminals / sizeof *terminals
};

const char *wlab_render_terminal(wlab_image kind)
{
    for (int i = 0; i < TERMINALS; i++)
        if (terminals[i].kind == kind)
            return terminals[i].line;
    return "dumb";
}

static wlab_code select_terminal(wlab_gnuplot *g, wlab_image kind, const char **terminal,
                                 const atomic_int *interrupt, wlab_err *err)
{
    char names[64] = "";
    for (int i = 0; i < TERMINALS; i++) {
        bool has;
        wlab_code code;
        if (terminals[i].kind != kind)
            continue;
        if ((code = wlab_gnuplot_has(g, terminals[i].name, &has, interrupt, err)))
            return code;
        if (has) {
            *terminal = terminals[i].line;
            return WL_OK;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " nor " : "",
                 terminals[i].name);
    }
    return wlab_fail(err, WL_EARG,
                     "this gnuplot cannot write .%s files: it has no terminal %s; choose another "
                     "ending, or install gnuplot-nox",
                     wlab_image_names[kind], names);
}

static wlab_code write_file(int dir, const char *name, const wlab_buf *b, wlab_err *err)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    if (fd < 0)
        return wlab_fail_errno(err, "cannot make a temporary file for gnuplot");
    while (done < b->len) {
        ssize_t n = write(fd, b->data + done, b->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            wlab_fail_errno(err, "cannot write a temporary file for gnuplot");
            close(fd);
            return WL_EIO;
        }
        done += (size_t)n;
    }
    if (close(fd))
        return wlab_fail_errno(err, "cannot write a temporary file for gnuplot");
    return WL_OK;
}

static wlab_code read_file(int dir, const char *name, wlab_buf *b, wlab_err *err)
{
    char piece[16384];
    wlab_code code = WL_OK;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return wlab_fail(err, WL_EIO, "gnuplot made no picture");
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            code = wlab_fail_errno(err, "cannot read the picture that gnuplot made");
        else if (n > 0 && wlab_buf_put(b, piece, (size_t)n))
            code = wlab_nomem(err);
        if (n <= 0 || code)
            break;
    }
    close(fd);
    if (!code && !b->len)
        code = wlab_fail(err, WL_EIO, "gnuplot made an empty picture");
    return code;
}

/* The cells of an image have edges: a browser would blend neighbouring cells, that is, different rows or steps. */
static wlab_code sharpen(wlab_buf *svg, wlab_err *err)
{
    static const char element[] = "<image ", edges[] = "image-rendering='pixelated' ";
    wlab_buf out = {0};
    const uint8_t *at = svg->data, *end = at + svg->len, *found;
    wlab_code code = WL_OK;

    while (!code && (found = memmem(at, (size_t)(end - at), element, sizeof element - 1))) {
        found += sizeof element - 1;
        if (wlab_buf_put(&out, at, (size_t)(found - at)) || wlab_buf_put(&out, edges, sizeof edges - 1))
            code = wlab_nomem(err);
        at = found;
    }
    if (!code && wlab_buf_put(&out, at, (size_t)(end - at)))
        code = wlab_nomem(err);
    if (!code) {
        wlab_buf_clear(svg);
        *svg = out;
    } else {
        wlab_buf_clear(&out);
    }
    return code;
}

/* line: the words after `set terminal`; NULL: use the best terminal for the kind and return it in *terminal.  name: the
 * ending of the image. */
static wlab_code render(const wlab_figure *f, wlab_image kind, const char *line, const char *name,
                        const char *folder, const char *program, int timeout_ms, const atomic_int *interrupt,
                        const char **terminal, wlab_buf *image, wlab_err *err)
{
    static const char dat[] = "figure.dat", gp[] = "figure.gp";
    wlab_gnuplot *g = NULL;
    wlab_buf text = {0}, result = {0};
    char out[32], *path = wlab_format("%s/weaklab-plot-XXXXXX", folder ? folder : "/tmp");
    int dir = -1;
    wlab_code code = WL_OK;

    if (!path)
        return wlab_nomem(err);
    snprintf(out, sizeof out, "figure.%s", name);
    if (!mkdtemp(path)) {
        code = wlab_fail_errno(err, "cannot make a temporary folder in '%s' for gnuplot",
                               folder ? folder : "/tmp");
        wlab_free(path);
        return code;
    }
    if ((dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        code = wlab_fail_errno(err, "cannot open '%s'", path);
        goto out;
    }
    code = wlab_gnuplot_create(&g, program, path, timeout_ms, err);
    if (!code && !line && !(code = select_terminal(g, kind, terminal, interrupt, err)))
        line = *terminal;
    code = code ? code : wlab_figure_dat(f, &text, err);
    code = code ? code : write_file(dir, dat, &text, err);
    wlab_buf_clear(&text);
    code = code ? code : wlab_figure_gp(f, line, dat, out, NULL, &text, err);
    code = code ? code : write_file(dir, gp, &text, err);
    code = code ? code : wlab_gnuplot_run(g, "load 'figure.gp'", NULL, interrupt, err);
    code = code ? code : read_file(dir, out, &result, err);
    if (!code && kind == WL_SVG)
        code = sharpen(&result, err);
    if (!code) {
        wlab_buf_clear(image);
        *image = result;
        memset(&result, 0, sizeof result);
    }
out:
    wlab_gnuplot_destroy(g);
    wlab_buf_clear(&text);
    wlab_buf_clear(&result);
    if (dir >= 0) {
        unlinkat(dir, dat, 0);
        unlinkat(dir, gp, 0);
        unlinkat(dir, out, 0);
        close(dir);
    }
    rmdir(path);
    wlab_free(path);
    return code;
}

wlab_code wlab_render(const wlab_figure *f, wlab_image kind, const char *folder, const char *program,
                      int timeout_ms, const atomic_int *interrupt, const char **terminal, wlab_buf *image,
                      wlab_err *err)
{
    *terminal = wlab_render_terminal(kind);
    return render(f, kind, NULL, wlab_image_names[kind], folder, program, timeout_ms, interrupt, terminal,
                  image, err);
}

wlab_code wlab_render_svg(const wlab_figure *f, int width, int height, const atomic_int *interrupt,
                          wlab_buf *image, wlab_err *err)
{
    char line[120];
    snprintf(line, sizeof line,
             "svg noenhanced size %d,%d dynamic font 'DejaVu Sans,14' background '#ffffff'", width, height);
    return render(f, WL_SVG, line, wlab_image_names[WL_SVG], NULL, NULL, 0, interrupt, NULL, image, err);
}

/* Keep only the picture, ESC P to ESC \: gnuplot 6 moves the cursor home before it, but the picture belongs at the
 * cursor.  false: there is no picture. */
static bool trim_to_sixel(wlab_buf *b)
{
    const uint8_t *begin = memmem(b->data, b->len, "\033P", 2), *end = NULL;
    if (begin)
        end = memmem(begin, b->len - (size_t)(begin - b->data), "\033\\", 2);
    if (!end)
        return false;
    b->len = (size_t)(end + 2 - begin);
    memmove(b->data, begin, b->len);
    return true;
}

wlab_code wlab_render_sixel(const wlab_figure *f, int width, int height, const char *folder,
                            const char *program, const atomic_int *interrupt, wlab_buf *image, wlab_err *err)
{
    char line[160];
    snprintf(line, sizeof line,
             "sixelgd noenhanced size %d,%d truecolor font 'DejaVu Sans,%d' background '#ffffff'", width,
             height, width < 500 ? 9 : 12);
    wlab_code code = render(f, WL_PNG, line, "six", folder, program, 0, interrupt, NULL, image, err);
    if (!code && !trim_to_sixel(image)) {
        wlab_buf_clear(image);
        code = wlab_fail(err, WL_EIO, "gnuplot made no sixel picture");
    }
    return code;
}
