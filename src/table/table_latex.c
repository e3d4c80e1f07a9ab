/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables as LaTeX: a table environment for each setting, with nothing but LaTeX's own commands.
 */
#include "table/table_parts.h"
#include <string.h>

static wlab_code escaped(wlab_buf *out, const char *text)
{
    static const struct {
        char c;
        const char *tex;
    } special[] = {{'\\', "\\textbackslash{}"},
                   {'~', "\\textasciitilde{}"},
                   {'^', "\\textasciicircum{}"},
                   {'<', "$<$"},
                   {'>', "$>$"},
                   {'|', "$|$"},
                   {'*', "$*$"},
                   {'"', "''"}};
    wlab_code code = WL_OK;

    for (; !code && *text; text++) {
        const char *tex = NULL;

        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            if (special[i].c == *text)
                tex = special[i].tex;
        if (tex)
            code = wlab_buf_printf(out, "%s", tex);
        else
            code = wlab_buf_printf(out, strchr("&%$#_{}", *text) ? "\\%c" : "%c", *text);
    }
    return code;
}

/* Text with "+-" in it, ours: the sign, not the characters. */
static wlab_code with_sign(wlab_buf *out, const char *text)
{
    const char *at = strstr(text, "+-");
    char *before = at ? wlab_strndup(text, (size_t)(at - text)) : NULL;
    wlab_code code = at && !before ? WL_ENOMEM : escaped(out, at ? before : text);

    if (!code && at)
        code = wlab_buf_printf(out, "$\\pm$");
    if (!code && at)
        code = escaped(out, at + 2);
    wlab_free(before);
    return code;
}

static wlab_code cell(wlab_buf *out, const wlab_grid_cell *c)
{
    const char *mean = c->piece[WL_PIECE_MEAN], *more = c->piece[WL_PIECE_DEVIATION];
    wlab_code code = WL_OK;

    if (mean && strcmp(mean, "-") == 0)
        code = wlab_buf_printf(out, "--");
    else if (mean) /* a sign is not a hyphen */
        code = wlab_buf_printf(out, "%s%s%s%s%s", c->bold ? "\\textbf{" : "",
                               *mean == '-'   ? "$-$"
                               : *mean == '+' ? "$+$"
                                              : "",
                               mean + (*mean == '-' || *mean == '+'), more ? more : "", c->bold ? "}" : "");
    for (int p = WL_PIECE_N; !code && p <= WL_PIECE_MARK; p++)
        if (c->piece[p])
            code = p == WL_PIECE_MARK ? wlab_buf_printf(out, " $^{%s}$", c->piece[p])
                                      : wlab_buf_printf(out, " %s", c->piece[p]);
    return code;
}

static wlab_code rows(const wlab_grid *g, wlab_buf *out)
{
    wlab_code code = WL_OK;

    for (int c = 0; !code && c < g->columns; c++) {
        code = wlab_buf_printf(out, " & ");
        if (!code)
            code = escaped(out, g->head[c]);
    }
    for (int r = 0; !code && r < g->rows; r++) {
        code = wlab_buf_printf(out, " \\\\%s\n", r == 0 || r == g->body ? "\n\\hline" : "");
        if (!code)
            code = escaped(out, g->name[r]);
        for (int c = 0; !code && c < g->columns; c++) {
            code = wlab_buf_printf(out, " & ");
            if (!code)
                code = cell(out, &g->cell[r * g->columns + c]);
        }
    }
    return code ? code : wlab_buf_printf(out, " \\\\\n");
}

static wlab_code notes(wlab_buf *out, char *const *note, int n)
{
    wlab_code code = WL_OK;

    for (int i = 0; !code && i < n; i++) {
        code = escaped(out, note[i]);
        if (!code)
            code = wlab_buf_printf(out, "%s\\par\n", note[i][strlen(note[i]) - 1] == ':' ? "" : ".");
    }
    return code;
}

static wlab_code block(const wlab_sheet *t, const wlab_sheet_block *b, wlab_buf *out)
{
    wlab_grid g = {0};
    wlab_buf caption = {0};
    wlab_code code = wlab_grid_make(&g, t, b, " $\\pm$ ");

    if (!code)
        code = wlab_sheet_caption(t, b, "+-", &caption);
    if (!code)
        code = wlab_buf_printf(out, "\\begin{table}\n\\centering\n\\caption{");
    if (!code)
        code = with_sign(out, (const char *)caption.data);
    if (!code)
        code = wlab_buf_printf(out, "}\n\\begin{tabular}{l");
    for (int c = 0; !code && c < g.columns; c++)
        code = wlab_buf_printf(out, "r");
    if (!code)
        code = wlab_buf_printf(out, "}\n\\hline\n");
    if (!code)
        code = rows(&g, out);
    if (!code)
        code = wlab_buf_printf(out, "\\hline\n\\end{tabular}\n\\par\\smallskip\\footnotesize\n");
    if (!code)
        code = notes(out, b->note, b->notes);
    if (!code)
        code = notes(out, t->note, t->notes);
    if (!code)
        code = wlab_buf_printf(out, "\\end{table}\n");
    wlab_buf_clear(&caption);
    wlab_grid_clear(&g);
    return code;
}

wlab_code wlab_sheet_latex(const wlab_sheet *t, bool first, wlab_buf *out)
{
    const wlab_experiment *e = t->v->e;
    wlab_code code = WL_OK;

    if (first && e->title && e->title[0])
        code = wlab_buf_printf(out, "%% %s\n", e->title);
    for (int s = 0; !code && s < e->nsettings; s++)
        code = block(t, &t->block[s], out);
    return code;
}
