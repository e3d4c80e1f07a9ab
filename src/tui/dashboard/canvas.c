/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The canvas: clipping, UTF-8, wide characters, frames that join where they meet.
 */
#include "tui/dashboard/canvas.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

static const wlab_glyph blank = {L' ', WL_S_TEXT, WL_G_NONE};

wlab_code wlab_canvas_resize(wlab_canvas *c, int rows, int cols, wlab_err *err)
{
    if (rows < 0 || cols < 0)
        return wlab_fail(err, WL_EARG, "a screen cannot have %d rows of %d columns", rows, cols);
    wlab_glyph *cell = wlab_alloc((size_t)rows * (size_t)cols, sizeof *cell);
    if (!cell)
        return wlab_nomem(err);
    wlab_free(c->cell);
    *c = (wlab_canvas){rows, cols, cell};
    wlab_canvas_blank(c);
    return WL_OK;
}

void wlab_canvas_clear(wlab_canvas *c)
{
    wlab_free(c->cell);
    memset(c, 0, sizeof *c);
}

void wlab_canvas_blank(wlab_canvas *c)
{
    for (size_t i = 0; i < (size_t)c->rows * (size_t)c->cols; i++)
        c->cell[i] = blank;
}

/* The part of the rectangle that is on the canvas, as absolute bounds. */
typedef struct bounds {
    int row0, row1, col0, col1; /* [row0, row1) x [col0, col1) */
} bounds;

static bounds clip(const wlab_canvas *c, const wlab_rect *r)
{
    bounds b = {0, c->rows, 0, c->cols};
    if (r) {
        b.row0 = r->row > 0 ? r->row : 0;
        b.col0 = r->col > 0 ? r->col : 0;
        b.row1 = r->row + r->rows < c->rows ? r->row + r->rows : c->rows;
        b.col1 = r->col + r->cols < c->cols ? r->col + r->cols : c->cols;
    }
    return b;
}

/* The cell at (row, col) of the rectangle if `width` columns fit there, else NULL. */
static wlab_glyph *cell_at(wlab_canvas *c, const wlab_rect *r, int row, int col, int width)
{
    bounds b = clip(c, r);
    row += r ? r->row : 0;
    col += r ? r->col : 0;
    if (row < b.row0 || row >= b.row1 || col < b.col0 || col + width > b.col1)
        return NULL;
    return &c->cell[row * c->cols + col];
}

/* Overwriting one half of a wide character blanks its other half. */
static void blank_other_half(const wlab_canvas *c, wlab_glyph *g)
{
    int col = (int)((g - c->cell) % c->cols);
    if (g->ch == 0 && col > 0)
        g[-1].ch = L' ';
    if (col + 1 < c->cols && g[1].ch == 0)
        g[1].ch = L' ';
}

static void set_cells(wlab_canvas *c, wlab_glyph *g, wchar_t ch, int width, wlab_style style)
{
    for (int k = 0; k < width; k++)
        blank_other_half(c, &g[k]);
    for (int k = 0; k < width; k++) {
        g[k].ch = k ? 0 : ch;
        g[k].style = (uint8_t)style;
    }
}

void wlab_canvas_put(wlab_canvas *c, const wlab_rect *r, int row, int col, wchar_t ch, wlab_style style)
{
    int width = wcwidth(ch) == 2 ? 2 : 1; /* -1: one of the program's own signs, unknown to the locale */
    wlab_glyph *g = cell_at(c, r, row, col, width);
    if (g)
        set_cells(c, g, ch ? ch : L' ', width, style);
}

void wlab_canvas_fill(wlab_canvas *c, const wlab_rect *r)
{
    for (int row = 0; row < r->rows; row++)
        for (int col = 0; col < r->cols; col++) {
            wlab_canvas_put(c, r, row, col, L' ', WL_S_TEXT);
            wlab_canvas_ground(c, r, row, col, WL_G_NONE);
        }
}

size_t wlab_utf8_next(const char *text, wchar_t *ch)
{
    uint32_t c = 0xfffd;
    size_t n = wlab_utf8_read(text, SIZE_MAX, &c);

    *ch = (wchar_t)c;
    return n ? n : 1;
}

int wlab_utf8_put(wchar_t *ch)
{
    if (wlab_utf8_acts((uint32_t)*ch)) {
        *ch = L' ';
        return 1;
    }
    if (*ch < 0x7f)
        return 1;
    int width = *ch == L'\xfffd' ? -1 : wcwidth(*ch);
    if (width < 0) { /* malformed, or a character that this locale cannot show */
        *ch = L'?';
        return 1;
    }
    return width;
}

int wlab_text_columns(const char *text)
{
    int n = 0;
    while (*text) {
        wchar_t ch;
        text += wlab_utf8_next(text, &ch);
        n += wlab_utf8_put(&ch);
    }
    return n;
}

int wlab_canvas_text(wlab_canvas *c, const wlab_rect *r, int row, int col, wlab_style style, const char *fmt,
                     ...)
{
    char text[4096];
    va_list ap;
    int at = col;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (const char *p = text; *p;) {
        wchar_t ch;
        p += wlab_utf8_next(p, &ch);
        int width = wlab_utf8_put(&ch);
        if (width == 0)
            continue;
        wlab_glyph *g = cell_at(c, r, row, at, width);
        if (g)
            set_cells(c, g, ch, width, style);
        else if (width == 2 && (g = cell_at(c, r, row, at, 1)) != NULL)
            set_cells(c, g, L' ', 1, style); /* only its left half fits */
        at += width;
    }
    bounds b = clip(c, r);
    int most = b.col1 - (r ? r->col : 0);
    return at > most ? (most > col ? most - col : 0) : at - col;
}

void wlab_canvas_ground(wlab_canvas *c, const wlab_rect *r, int row, int col, wlab_ground ground)
{
    wlab_glyph *g = cell_at(c, r, row, col, 1);
    if (g)
        g->ground = (uint8_t)ground;
}

/* ---- frames ---- */

enum { /* the arms of a line-drawing character */
    UP = 1,
    DOWN = 2,
    LEFT = 4,
    RIGHT = 8
};
static const wchar_t lines[16] = {
    [UP | DOWN] = L'\x2502',
    [LEFT | RIGHT] = L'\x2500',
    [DOWN | RIGHT] = L'\x250c',
    [DOWN | LEFT] = L'\x2510',
    [UP | RIGHT] = L'\x2514',
    [UP | LEFT] = L'\x2518',
    [UP | DOWN | RIGHT] = L'\x251c',
    [UP | DOWN | LEFT] = L'\x2524',
    [DOWN | LEFT | RIGHT] = L'\x252c',
    [UP | LEFT | RIGHT] = L'\x2534',
    [UP | DOWN | LEFT | RIGHT] = L'\x253c',
};

static unsigned arms_of(wchar_t ch)
{
    for (unsigned a = 1; a < 16; a++)
        if (lines[a] && lines[a] == ch)
            return a;
    return 0;
}

/* Draw one cell of a frame; it joins a frame that is already there. */
static void frame_cell(wlab_canvas *c, const wlab_rect *r, int row, int col, unsigned arms, bool ascii,
                       wlab_style style)
{
    wlab_glyph *g = cell_at(c, r, row, col, 1);
    if (!g || g->style == WL_S_TITLE || g->style == WL_S_TITLE_FOCUS) /* keep the title of the pane below */
        return;
    bool framed = g->style == WL_S_FRAME || g->style == WL_S_FRAME_FOCUS;
    wchar_t ch;
    if (ascii) {
        ch = arms == (UP | DOWN) ? L'|' : arms == (LEFT | RIGHT) ? L'-' : L'+';
        if (framed && (g->ch == L'+' || g->ch == L'|' || g->ch == L'-') && g->ch != ch)
            ch = L'+';
    } else {
        ch = lines[arms | (framed ? arms_of(g->ch) : 0)];
    }
    set_cells(c, g, ch, 1, style);
    g->ground = WL_G_NONE;
}

void wlab_canvas_frame(wlab_canvas *c, const wlab_rect *r, const char *title, bool focus, bool ascii,
                       wlab_rect *inner)
{
    wlab_rect all = r ? *r : (wlab_rect){0, 0, c->rows, c->cols};
    wlab_style style = focus ? WL_S_FRAME_FOCUS : WL_S_FRAME;
    int h = all.rows, w = all.cols;

    *inner = (wlab_rect){all.row + 1, all.col + 1, h > 2 ? h - 2 : 0, w > 2 ? w - 2 : 0};
    if (h < 2 || w < 2)
        return;
    for (int k = 1; k < w - 1; k++) {
        frame_cell(c, &all, 0, k, LEFT | RIGHT, ascii, style);
        frame_cell(c, &all, h - 1, k, LEFT | RIGHT, ascii, style);
    }
    for (int k = 1; k < h - 1; k++) {
        frame_cell(c, &all, k, 0, UP | DOWN, ascii, style);
        frame_cell(c, &all, k, w - 1, UP | DOWN, ascii, style);
    }
    frame_cell(c, &all, 0, 0, DOWN | RIGHT, ascii, style);
    frame_cell(c, &all, 0, w - 1, DOWN | LEFT, ascii, style);
    frame_cell(c, &all, h - 1, 0, UP | RIGHT, ascii, style);
    frame_cell(c, &all, h - 1, w - 1, UP | LEFT, ascii, style);
    if (title && *title && w > 6) { /* "+- title -----+" */
        wlab_rect in = {all.row, all.col + 2, 1, w - 4};
        char text[256];
        char *part = text;
        snprintf(text, sizeof text, "%s", title);
        while (
            wlab_text_columns(text) + 1 > in.cols &&
            part) { /* drop whole parts of the title until it fits, then words: half a number would be another number */
            part = strrchr(text, ';')   ? strrchr(text, ';')
                   : strrchr(text, ',') ? strrchr(text, ',')
                                        : strrchr(text, ' ');
            if (part)
                *part = '\0';
        }
        wlab_canvas_text(c, &in, 0, 0, focus ? WL_S_TITLE_FOCUS : WL_S_TITLE, " %s ", text);
    }
}

/* ---- as text ---- */

static size_t utf8(wchar_t ch, char out[4])
{
    uint32_t u = (uint32_t)ch;
    if (u < 0x80) {
        out[0] = (char)u;
        return 1;
    }
    size_t n = u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;
    for (size_t k = n; k-- > 1; u >>= 6)
        out[k] = (char)(0x80 | (u & 0x3f));
    out[0] = (char)((0xf00u >> n & 0xff) | u);
    return n;
}

wlab_code wlab_canvas_dump(const wlab_canvas *c, wlab_buf *out)
{
    wlab_code code = WL_OK;

    for (int row = 0; row < c->rows && !code; row++) {
        const wlab_glyph *g = &c->cell[row * c->cols];
        int end = c->cols;
        while (end > 0 && g[end - 1].ch == L' ')
            end--;
        for (int col = 0; col < end && !code; col++) {
            char bytes[4];
            if (g[col].ch)
                code = wlab_buf_put(out, bytes, utf8(g[col].ch, bytes));
        }
        code = code ? code : wlab_buf_put(out, "\n", 1);
    }
    return code;
}
