/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables as Markdown, in the syntax that GitHub and others read.
 */
#include "base/text.h"
#include "study/table/parts.h"

/* Names and titles, in which backquotes mark nothing. */
static wlab_code escaped(wlab_buf *out, const char *text)
{
    return wlab_text_markdown(out, text, false);
}

/* One line of the list below a table. */
static wlab_code note(wlab_buf *out, const char *text)
{
    wlab_code code = wlab_buf_printf(out, "- ");

    return code ? code : wlab_text_markdown(out, text, true);
}

static wlab_code cell(wlab_buf *out, const wlab_grid_cell *c)
{
    const char *bold = c->bold ? "**" : "", *mean = c->piece[WL_PIECE_MEAN],
               *more = c->piece[WL_PIECE_DEVIATION];
    wlab_code code = mean ? wlab_buf_printf(out, "%s%s%s%s", bold, mean, more ? more : "", bold) : WL_OK;

    for (int p = WL_PIECE_N; !code && p <= WL_PIECE_MARK; p++)
        if (c->piece[p] && !(code = wlab_buf_put(out, " ", 1)))
            code = escaped(out, c->piece[p]);
    return code;
}

static wlab_code block(const wlab_sheet *t, const wlab_sheet_block *b, wlab_buf *out)
{
    wlab_grid g = {0};
    wlab_buf caption = {0};
    wlab_code code = wlab_grid_make(&g, t, b, " \xc2\xb1 ");

    if (!code)
        code = wlab_sheet_caption(t, b, "\xc2\xb1", &caption);
    if (!code)
        code = escaped(out, (const char *)caption.data);
    if (!code)
        code = wlab_buf_printf(out, "\n\n|");
    for (int c = -1; !code && c < g.columns; c++) {
        code = wlab_buf_put(out, " ", 1);
        if (!code && c >= 0)
            code = escaped(out, g.head[c]);
        if (!code)
            code = wlab_buf_printf(out, " |");
    }
    if (!code)
        code = wlab_buf_printf(out, "\n| :-- |");
    for (int c = 0; !code && c < g.columns; c++)
        code = wlab_buf_printf(out, " --: |");
    for (int r = 0; !code && r < g.rows; r++) {
        code = wlab_buf_printf(out, "\n| ");
        if (!code)
            code = escaped(out, g.name[r]);
        for (int c = 0; !code && c < g.columns; c++) {
            code = wlab_buf_printf(out, " | ");
            if (!code)
                code = cell(out, &g.cell[r * g.columns + c]);
        }
        if (!code)
            code = wlab_buf_printf(out, " |");
    }
    if (!code)
        code = wlab_buf_printf(out, "\n\n");
    for (int i = 0; !code && i < b->notes; i++) {
        code = note(out, b->note[i]);
        if (!code)
            code = wlab_buf_printf(out, i + 1 < b->notes ? "\n" : "\n\n");
    }
    wlab_buf_clear(&caption);
    wlab_grid_clear(&g);
    return code;
}

wlab_code wlab_sheet_markdown(const wlab_sheet *t, bool first, wlab_buf *out)
{
    const wlab_experiment *e = t->v->e;
    wlab_code code = WL_OK;

    if (first && e->title && e->title[0]) {
        code = wlab_buf_printf(out, "**");
        if (!code)
            code = escaped(out, e->title);
        if (!code)
            code = wlab_buf_printf(out, "**\n\n");
    }
    for (int s = 0; !code && s < e->nsettings; s++)
        code = block(t, &t->block[s], out);
    if (!code && e->nmethods > 1)
        code = wlab_buf_printf(out, "- bold: the best of its row\n");
    for (int i = 0; !code && i < t->notes; i++) {
        code = note(out, t->note[i]);
        if (!code)
            code = wlab_buf_printf(out, "\n");
    }
    return code;
}
