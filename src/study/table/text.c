/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables as plain text, for a terminal of 80 columns: methods that do not fit beside the others are printed below them.
 */
#include "study/table/parts.h"
#include <string.h>

enum {
    MOST = 79,
    GAP = 2 /* between columns */
};

/* The number of characters, not of bytes: names may be UTF-8. */
static int width(const char *text)
{
    int n = 0;

    for (; text && *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

typedef struct layout {
    const wlab_grid *g;
    int name;                /* width of the longest row name */
    int (*piece)[WL_PIECES]; /* [columns] width of each piece; 0: no row has it */
    int *total; /* [columns] width of the pieces with the blanks between them, or of a wider head */
    wlab_buf *out, line;
    wlab_code code;
} layout;

/* Whether a blank precedes the piece. */
static bool has_blank(int piece)
{
    return piece == WL_PIECE_N || piece == WL_PIECE_RANK || piece == WL_PIECE_MARK;
}

static void measure(layout *l)
{
    const wlab_grid *g = l->g;

    for (int r = 0; r < g->rows; r++)
        l->name = larger(l->name, width(g->name[r]));
    for (int c = 0; c < g->columns; c++) {
        for (int r = 0; r < g->rows; r++)
            for (int p = 0; p < WL_PIECES; p++)
                l->piece[c][p] = larger(l->piece[c][p], width(g->cell[r * g->columns + c].piece[p]));
        for (int p = 0; p < WL_PIECES; p++)
            l->total[c] += l->piece[c][p] + (l->piece[c][p] && has_blank(p));
        /* if the head is wider than its column, the means move to the right */
        if (width(g->head[c]) > l->total[c]) {
            l->piece[c][WL_PIECE_MEAN] += width(g->head[c]) - l->total[c];
            l->total[c] = width(g->head[c]);
        }
    }
}

static void pad(layout *l, int n)
{
    if (!l->code && n > 0)
        l->code = wlab_buf_printf(&l->line, "%*s", n, "");
}

static void put_text(layout *l, const char *text)
{
    if (!l->code && text)
        l->code = wlab_buf_put(&l->line, text, strlen(text));
}

/* Write the line without blanks at its end. */
static void end_line(layout *l)
{
    while (l->line.len > 0 && l->line.data[l->line.len - 1] == ' ')
        l->line.len--;
    if (!l->code && l->line.len)
        l->code = wlab_buf_put(l->out, l->line.data, l->line.len);
    if (!l->code)
        l->code = wlab_buf_put(l->out, "\n", 1);
    l->line.len = 0;
}

static void rule(layout *l, int n)
{
    for (int i = 0; i < n; i++)
        put_text(l, "-");
    end_line(l);
}

static void cell(layout *l, int row, int c)
{
    for (int p = 0; p < WL_PIECES; p++) {
        const char *text = l->g->cell[row * l->g->columns + c].piece[p];
        int blanks = l->piece[c][p] - width(text);

        if (l->piece[c][p] == 0)
            continue;
        if (p == WL_PIECE_BEST) { /* the mark is directly before its number */
            const char *mean = l->g->cell[row * l->g->columns + c].piece[WL_PIECE_MEAN];

            pad(l, l->piece[c][WL_PIECE_MEAN] - width(mean));
        }
        pad(l, has_blank(p));
        if (p == WL_PIECE_BEST || (p == WL_PIECE_MEAN && l->piece[c][WL_PIECE_BEST] == 0))
            pad(l, blanks);
        put_text(l, text);
        if (p != WL_PIECE_MEAN && p != WL_PIECE_BEST)
            pad(l, blanks);
    }
}

/* Returns the column after the last one that fits beside the row names, if `first` is the first one shown: at least one
 * column, together with those that belong to it.  *wide: the characters of a line with these columns. */
static int fitting_end(const layout *l, int first, int *wide)
{
    int last = first;

    *wide = l->name;
    for (int c = first; c < l->g->columns;) {
        int more = 0, next = c;

        do
            more += GAP + l->total[next++];
        while (next < l->g->columns && l->g->with[next]);
        if (c > first && *wide + more > MOST)
            break;
        *wide += more;
        c = last = next;
    }
    return last;
}

static void columns(layout *l, int first, int last, int wide)
{
    const wlab_grid *g = l->g;

    pad(l, l->name);
    for (int c = first; c < last; c++) {
        /* the head is above the means: the mark > is to the left of both */
        int before = larger(0, l->total[c] - width(g->head[c])), mean = l->piece[c][WL_PIECE_BEST];

        pad(l, GAP + (before < mean ? before : mean));
        put_text(l, g->head[c]);
        pad(l, l->total[c] - width(g->head[c]) - (before < mean ? before : mean));
    }
    end_line(l);
    rule(l, wide);
    for (int r = 0; r < g->rows; r++) {
        if (r == g->body)
            rule(l, wide);
        put_text(l, g->name[r]);
        pad(l, l->name - width(g->name[r]));
        for (int c = first; c < last; c++) {
            pad(l, GAP);
            cell(l, r, c);
        }
        end_line(l);
    }
}

/* Wrap the words to lines of at most MOST characters; lines after the first are indented. */
static wlab_code sentence(wlab_buf *out, const char *text)
{
    int column = 0;
    wlab_code code = WL_OK;

    for (text += strspn(text, " "); !code && *text; text += strspn(text, " ")) {
        int len = (int)strcspn(text, " "), wide = 0;

        for (int i = 0; i < len; i++)
            wide += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (column > 0 && column + 1 + wide > MOST) {
            code = wlab_buf_printf(out, "\n ");
            column = 1;
        }
        if (!code)
            code = wlab_buf_printf(out, "%s%.*s", column > 0 ? " " : "", len, text);
        column += (column > 0) + wide;
        text += len;
    }
    return code ? code : wlab_buf_put(out, "\n", 1);
}

static wlab_code block(const wlab_sheet *t, const wlab_sheet_block *b, wlab_buf *out)
{
    wlab_grid g = {0};
    layout l = {.g = &g, .out = out};
    wlab_buf caption = {0};
    wlab_code code = wlab_grid_make(&g, t, b, "+-");

    if (!code && !(l.piece = wlab_calloc((size_t)g.columns, sizeof *l.piece)))
        code = WL_ENOMEM;
    if (!code && !(l.total = wlab_calloc((size_t)g.columns, sizeof *l.total)))
        code = WL_ENOMEM;
    if (!code)
        code = wlab_sheet_caption(t, b, "+-", &caption);
    if (!code)
        code = sentence(out, (const char *)caption.data);
    if (!code) {
        measure(&l);
        for (int first = 0, last, wide; first < g.columns; first = last) {
            last = fitting_end(&l, first, &wide);
            end_line(&l); /* an empty line */
            columns(&l, first, last, wide);
        }
        code = l.code;
    }
    for (int i = 0; !code && i < b->notes; i++)
        code = sentence(out, b->note[i]);
    if (!code)
        code = wlab_buf_put(out, "\n", 1);
    wlab_buf_clear(&caption);
    wlab_buf_clear(&l.line);
    wlab_free(l.piece);
    wlab_free(l.total);
    wlab_grid_clear(&g);
    return code;
}

wlab_code wlab_sheet_text(const wlab_sheet *t, bool first, wlab_buf *out)
{
    const wlab_experiment *e = t->v->e;
    wlab_code code = WL_OK;

    if (first && e->title && e->title[0])
        code = wlab_buf_printf(out, "%s\n\n", e->title);
    for (int s = 0; !code && s < e->nsettings; s++)
        code = block(t, &t->block[s], out);
    if (!code && e->nmethods > 1)
        code = wlab_buf_printf(out, ">: the best of its row\n");
    for (int i = 0; !code && i < t->notes; i++)
        code = sentence(out, t->note[i]);
    return code;
}
