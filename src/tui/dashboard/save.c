/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dashboard save FILE: the screen as a picture (.svg), as a page (.html) or as text (.txt), with the colours of a theme
 * for 256 colours.
 */
#include "session/command.h"
#include "tui/dashboard/frame.h"
#include "tui/dashboard/theme.h"
#include <stdio.h>
#include <string.h>

enum { /* of a cell of the SVG, in pixels */
    WIDTH = 9,
    HEIGHT = 18,
    BASELINE = 14
};

typedef struct look {
    unsigned fg, bg; /* 0xrrggbb */
    bool has_bg, bold, underlined;
} look;

/* The colours that have no number: those of the terminal. */
typedef struct paper {
    const char *theme;
    unsigned fg, bg;
} paper;

/* The colour of number n of 256, as most terminals have it. */
static unsigned color(int n)
{
    static const unsigned first[16] = {0x000000, 0xcd3131, 0x0dbc79, 0xc5b500, 0x2472c8, 0xbc3fbc,
                                       0x11a8cd, 0xd0d0d0, 0x666666, 0xf14c4c, 0x23d18b, 0xf5f543,
                                       0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff};
    static const unsigned level[6] = {0, 95, 135, 175, 215, 255};

    if (n < 16)
        return first[n & 15];
    if (n >= 232)
        return 0x010101u * (unsigned)(8 + 10 * (n - 232));
    n -= 16;
    return level[n / 36] << 16 | level[n / 6 % 6] << 8 | level[n % 6];
}

/* The colours of a glyph, read from the escape sequence that a terminal gets. */
static look look_of(const paper *p, wlab_glyph g)
{
    char text[64];
    look l = {.fg = p->fg, .bg = p->bg};
    bool reverse = false, dim = false;
    int n = 0, used;

    wlab_theme_sgr(p->theme, 256, (wlab_style)g.style, (wlab_ground)g.ground, text, sizeof text);
    for (const char *at = text + 2; sscanf(at, "%d%n", &n, &used) == 1; at += used + (at[used] == ';')) {
        int number, more;
        if ((n == 38 || n == 48) && sscanf(at + used, ";5;%d%n", &number, &more) == 1) {
            *(n == 38 ? &l.fg : &l.bg) = color(number);
            l.has_bg = l.has_bg || n == 48;
            used += more;
        }
        l.bold = l.bold || n == 1;
        dim = dim || n == 2;
        l.underlined = l.underlined || n == 4;
        reverse = reverse || n == 7;
        if (!at[used])
            break;
    }
    if (dim)
        l.fg = (l.fg & 0xfefefe) / 2 + (l.bg & 0xfefefe) / 2;
    if (reverse)
        l = (look){.fg = l.bg, .bg = l.fg, .has_bg = true, .bold = l.bold, .underlined = l.underlined};
    return l;
}

static bool alike(const look *a, const look *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->underlined == b->underlined;
}

/* One character, escaped for XML. */
static wlab_code put_character(wlab_buf *out, wchar_t ch)
{
    unsigned u = (unsigned)ch;

    if (u == '<' || u == '>' || u == '&')
        return wlab_buf_printf(out, "&#%u;", u);
    if (u < 0x80)
        return wlab_buf_printf(out, "%c", (int)u);
    if (u < 0x800)
        return wlab_buf_printf(out, "%c%c", (int)(0xc0 | u >> 6), (int)(0x80 | (u & 0x3f)));
    if (u < 0x10000)
        return wlab_buf_printf(out, "%c%c%c", (int)(0xe0 | u >> 12), (int)(0x80 | (u >> 6 & 0x3f)),
                               (int)(0x80 | (u & 0x3f)));
    return wlab_buf_printf(out, "%c%c%c%c", (int)(0xf0 | u >> 18), (int)(0x80 | (u >> 12 & 0x3f)),
                           (int)(0x80 | (u >> 6 & 0x3f)), (int)(0x80 | (u & 0x3f)));
}

/* The characters of columns from..to-1 of a row. */
static wlab_code put_characters(wlab_buf *out, const wlab_glyph *row, int from, int to)
{
    wlab_code code = WL_OK;

    for (int c = from; c < to && !code; c++)
        if (row[c].ch) /* 0: the right half of a wide character */
            code = put_character(out, row[c].ch);
    return code;
}

static bool blank(const wlab_glyph *row, int from, int to)
{
    for (int c = from; c < to; c++)
        if (row[c].ch != L' ')
            return false;
    return true;
}

static bool plain(const wlab_glyph *row, int from, int to)
{
    for (int c = from; c < to; c++)
        if (row[c].ch >= 0x80)
            return false;
    return true;
}

/* Columns from..to-1 of row r, which look alike. */
static wlab_code put_svg(wlab_buf *out, const wlab_glyph *row, int r, int from, int to, const look *l)
{
    wlab_code code = WL_OK;

    if (l->has_bg)
        code = wlab_buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
                               from * WIDTH, r * HEIGHT, (to - from) * WIDTH, HEIGHT, l->bg);
    if (code || blank(row, from, to))
        return code;
    code = wlab_buf_printf(out, "<text x=\"%d", from * WIDTH);
    if (plain(row, from, to)) /* textLength keeps the columns aligned in whatever font the reader has */
        code = code ? code : wlab_buf_printf(out, "\" textLength=\"%d", (to - from) * WIDTH);
    else /* other characters may come from a font with other widths: each has a place of its own */
        for (int c = from + 1; c < to && !code; c++)
            if (row[c].ch)
                code = wlab_buf_printf(out, " %d", c * WIDTH);
    code = code ? code
                : wlab_buf_printf(out, "\" y=\"%d\" fill=\"#%06x\"%s%s>", r * HEIGHT + BASELINE, l->fg,
                                  l->bold ? " font-weight=\"bold\"" : "",
                                  l->underlined ? " text-decoration=\"underline\"" : "");
    code = code ? code : put_characters(out, row, from, to);
    return code ? code : wlab_buf_printf(out, "</text>\n");
}

static wlab_code put_html(wlab_buf *out, const wlab_glyph *row, int r, int from, int to, const look *l)
{
    (void)r;
    wlab_code code = wlab_buf_printf(out, "<span style=\"color:#%06x", l->fg);
    if (!code && l->has_bg)
        code = wlab_buf_printf(out, ";background:#%06x", l->bg);
    if (!code)
        code = wlab_buf_printf(out, "%s%s\">", l->bold ? ";font-weight:bold" : "",
                               l->underlined ? ";text-decoration:underline" : "");
    code = code ? code : put_characters(out, row, from, to);
    return code ? code : wlab_buf_printf(out, "</span>");
}

/* The canvas in pieces that look alike; `end` follows each row. */
static wlab_code put_pieces(wlab_buf *out, const wlab_canvas *c, const paper *p,
                            wlab_code (*put)(wlab_buf *, const wlab_glyph *, int, int, int, const look *),
                            const char *end)
{
    wlab_code code = WL_OK;

    for (int r = 0; r < c->rows && !code; r++) {
        const wlab_glyph *row = c->cell + (size_t)r * (size_t)c->cols;
        for (int from = 0, to; from < c->cols && !code; from = to) {
            const look l = look_of(p, row[from]);
            for (to = from + 1; to < c->cols; to++) {
                const look next = look_of(p, row[to]);
                if (!alike(&l, &next))
                    break;
            }
            code = put(out, row, r, from, to, &l);
        }
        code = code ? code : wlab_buf_printf(out, "%s", end);
    }
    return code;
}

wlab_code wlab_canvas_svg(const wlab_canvas *c, const char *theme, wlab_buf *out)
{
    const bool light = strcmp(theme, "light") == 0;
    const paper p = {light ? "light" : "dark", light ? 0x202020 : 0xd8d8d8, light ? 0xffffff : 0x101418};
    wlab_code code = wlab_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"15\" "
        "xml:space=\"preserve\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
        c->cols * WIDTH, c->rows * HEIGHT, c->cols * WIDTH, c->rows * HEIGHT, p.bg);
    code = code ? code : put_pieces(out, c, &p, put_svg, "");
    return code ? code : wlab_buf_printf(out, "</svg>\n");
}

wlab_code wlab_canvas_html(const wlab_canvas *c, const char *theme, wlab_buf *out)
{
    const bool light = strcmp(theme, "light") == 0;
    const paper p = {light ? "light" : "dark", light ? 0x202020 : 0xd8d8d8, light ? 0xffffff : 0x101418};
    wlab_code code = wlab_buf_printf(
        out,
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>weaklab</title>\n"
        "<pre style=\"background:#%06x;color:#%06x;font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;"
        "line-height:1.2;display:inline-block;padding:0.5em\">\n",
        p.bg, p.fg);
    code = code ? code : put_pieces(out, c, &p, put_html, "\n");
    return code ? code : wlab_buf_printf(out, "</pre>\n");
}

wlab_code wlab_dashboard_save(wlab_dashboard *d, wlab_session *s, const char *path, wlab_err *err)
{
    static const char *const endings[] = {"svg", "html", "txt", NULL};
    const char *theme = wlab_params_text(wlab_session_settings(s), "theme");
    wlab_output *file = NULL;
    wlab_buf text = {0};
    wlab_code code;

    if (!d || !d->on || !d->canvas.cell)
        return wlab_fail(err, WL_ESTATE,
                         "there is no dashboard on the screen to save: `dashboard on`, in a terminal; "
                         "`plot VIEW to FILE` works without one");
    if ((code = wlab_output_open(&file, s, path, endings, err)))
        return code;
    const char *dot = strrchr(path, '.');
    if (strcmp(dot, ".svg") == 0)
        code = wlab_canvas_svg(&d->canvas, theme, &text);
    else if (strcmp(dot, ".html") == 0)
        code = wlab_canvas_html(&d->canvas, theme, &text);
    else
        code = wlab_canvas_dump(&d->canvas, &text);
    code = code ? wlab_nomem(err) : wlab_output_write(file, text.data, text.len, err);
    char *written = code ? NULL : wlab_strdup(wlab_output_path(file));
    wlab_code closed = wlab_output_close(file, code == WL_OK, code ? NULL : err);
    code = code ? code : closed;
    if (!code)
        wlab_session_say(s, "the screen, %d x %d characters, written to %s", d->canvas.cols, d->canvas.rows,
                         written ? written : path);
    wlab_free(written);
    wlab_buf_clear(&text);
    return code;
}
