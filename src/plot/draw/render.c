/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a figure to an image: gnuplot works in a temporary folder of its own, with fixed file names.
 */
#include "plot/draw/render.h"
#include "plot/draw/gnuplot.h"
#include "plot/draw/temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words for the best terminal of this gnuplot for the sheet. */
static wlab_code select_terminal(wlab_gnuplot *g, const wlab_sheet *sheet, char words[WL_SHEET_TERMINAL],
                                 const atomic_int *interrupt, wlab_err *err)
{
    const char *name;
    char names[64] = "";
    for (int k = 0; (name = wlab_terminal_of(sheet->kind, k)) != NULL; k++) {
        bool has;
        wlab_code code = wlab_gnuplot_has(g, name, &has, interrupt, err);
        if (code || has)
            return code ? code : wlab_sheet_terminal(sheet, name, words, err);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " nor " : "", name);
    }
    return wlab_fail(err, WL_EARG,
                     "this gnuplot cannot write .%s files: it has no terminal %s; choose another "
                     "ending, or install gnuplot-nox",
                     wlab_image_names[sheet->kind], names);
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

/* words: those after `set terminal`; "": select the best terminal and return its words.  stem, ending: of the file that
 * gnuplot writes.  part: for WL_TEX, the .pdf beside it. */
static wlab_code render(const wlab_sheet *sheet, char words[WL_SHEET_TERMINAL], const char *stem,
                        const char *ending, const char *folder, const char *program, int timeout_ms,
                        const atomic_int *interrupt, wlab_buf *image, wlab_buf *part, wlab_err *err)
{
    static const char dat[] = "figure.dat", gp[] = "figure.gp";
    wlab_gnuplot *g = NULL;
    wlab_buf text = {0}, result = {0}, beside = {0};
    folder = folder ? folder : wlab_temporary_folder();
    char *path = wlab_format("%s/weaklab-plot-XXXXXX", folder);
    char *out = wlab_format("%s.%s", stem, ending), *second = wlab_format("%s.pdf", stem);
    int dir = -1;
    wlab_code code = WL_OK;

    if (!path || !out || !second) {
        code = wlab_nomem(err);
        goto free;
    }
    if (!mkdtemp(path)) {
        code = wlab_fail_errno(err, "cannot make a temporary folder in '%s' for gnuplot", folder);
        goto free;
    }
    if ((dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        code = wlab_fail_errno(err, "cannot open '%s'", path);
        goto out;
    }
    code = wlab_gnuplot_create(&g, program, path, timeout_ms, err);
    if (!code && !words[0])
        code = select_terminal(g, sheet, words, interrupt, err);
    code = code ? code : wlab_sheet_dat(sheet, &text, err);
    code = code ? code : write_file(dir, dat, &text, err);
    wlab_buf_clear(&text);
    code = code ? code : wlab_sheet_gp(sheet, words, dat, out, NULL, &text, err);
    code = code ? code : write_file(dir, gp, &text, err);
    code = code ? code : wlab_gnuplot_run(g, "load 'figure.gp'", NULL, interrupt, err);
    code = code ? code : read_file(dir, out, &result, err);
    if (!code && sheet->kind == WL_SVG)
        code = sharpen(&result, err);
    if (!code && part)
        code = read_file(dir, second, &beside, err);
    if (!code) {
        wlab_buf_clear(image);
        *image = result;
        memset(&result, 0, sizeof result);
    }
    if (!code && part) {
        wlab_buf_clear(part);
        *part = beside;
        memset(&beside, 0, sizeof beside);
    }
out:
    wlab_gnuplot_destroy(g);
    wlab_buf_clear(&text);
    wlab_buf_clear(&result);
    wlab_buf_clear(&beside);
    if (dir >= 0) {
        unlinkat(dir, dat, 0);
        unlinkat(dir, gp, 0);
        unlinkat(dir, out, 0);
        unlinkat(dir, second, 0);
        close(dir);
    }
    rmdir(path);
free:
    wlab_free(path);
    wlab_free(out);
    wlab_free(second);
    return code;
}

wlab_code wlab_render_sheet(const wlab_sheet *sheet, const char *stem, const char *folder,
                            const atomic_int *interrupt, char words[WL_SHEET_TERMINAL], wlab_buf *image,
                            wlab_buf *part, wlab_err *err)
{
    words[0] = '\0';
    wlab_code code =
        render(sheet, words, sheet->kind == WL_TEX ? stem : "figure", wlab_image_names[sheet->kind], folder,
               NULL, 0, interrupt, image, sheet->kind == WL_TEX ? part : NULL, err);
    if (code && !words[0]) /* for the .gp */
        (void)wlab_sheet_terminal(sheet, wlab_terminal_of(sheet->kind, 0), words, NULL);
    return code;
}

wlab_code wlab_render(const wlab_figure *f, wlab_image kind, const char *folder, const char *program,
                      int timeout_ms, const atomic_int *interrupt, wlab_buf *image, wlab_err *err)
{
    const wlab_sheet sheet = wlab_sheet_plain(f, kind);
    char words[WL_SHEET_TERMINAL] = "";
    return render(&sheet, words, "figure", wlab_image_names[kind], folder, program, timeout_ms, interrupt,
                  image, NULL, err);
}

wlab_code wlab_render_svg(const wlab_figure *f, int width, int height, const atomic_int *interrupt,
                          wlab_buf *image, wlab_err *err)
{
    const wlab_sheet sheet = wlab_sheet_plain(f, WL_SVG);
    char line[WL_SHEET_TERMINAL];
    snprintf(line, sizeof line,
             "svg noenhanced size %d,%d dynamic font 'DejaVu Sans,14' background '#ffffff'", width, height);
    return render(&sheet, line, "figure", wlab_image_names[WL_SVG], NULL, NULL, 0, interrupt, image, NULL,
                  err);
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
    const wlab_sheet sheet = wlab_sheet_plain(f, WL_PNG);
    char line[WL_SHEET_TERMINAL];
    snprintf(line, sizeof line,
             "sixelgd noenhanced size %d,%d truecolor font 'DejaVu Sans,%d' background '#ffffff'", width,
             height, width < 500 ? 9 : 12);
    wlab_code code = render(&sheet, line, "figure", "six", folder, program, 0, interrupt, image, NULL, err);
    if (!code && !trim_to_sixel(image)) {
        wlab_buf_clear(image);
        code = wlab_fail(err, WL_EIO, "gnuplot made no sixel picture");
    }
    return code;
}
