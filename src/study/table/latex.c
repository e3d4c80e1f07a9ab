/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables as LaTeX: one table environment per setting, with the rules of the package booktabs.
 */
#include "base/text.h"
#include "study/table/parts.h"
#include <stdlib.h>
#include <string.h>

static wlab_code escaped(wlab_buf *out, const char *text)
{
    wlab_code code = WL_OK;

    for (; !code && *text; text++) {
        const char *tex = *text == '*' ? "$*$" : wlab_latex_of((unsigned char)*text);

        code = tex ? wlab_buf_printf(out, "%s", tex) : wlab_buf_printf(out, "%c", *text);
    }
    return code;
}

/* A caption: its "+-" becomes the plus-minus sign. */
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
    else if (mean) /* a minus sign, not a hyphen */
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
        code = wlab_buf_printf(out, " \\\\%s\n", r == 0 || r == g->body ? "\n\\midrule" : "");
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

/* Length of a statistic at the beginning of the text, as "chi2(1) = 1.333", "F(1, 2) = 1.6", "z = -1.2", "p = 3e-05";
 * 0: there is none.  *symbol: how many letters it begins with; *value: where its number begins. */
static size_t statistic(const char *text, size_t *symbol, size_t *value)
{
    static const char *const name[] = {"chi2", "F", "z", "p"};

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        size_t at = *symbol = strlen(name[i]);

        if (strncmp(text, name[i], at) != 0)
            continue;
        if (text[at] == '(') {
            at += 1 + strspn(text + at + 1, "0123456789., ");
            at += text[at] == ')';
        }
        if (strncmp(text + at, " = ", 3) != 0)
            continue;
        *value = at += 3;
        at += text[at] == '-';
        if (text[at] < '0' || text[at] > '9')
            continue;
        at += strspn(text + at, "0123456789");
        if (text[at] == '.')
            at += 1 + strspn(text + at + 1, "0123456789");
        if (text[at] == 'e')
            at += 2 + strspn(text + at + 2, "0123456789");
        return at;
    }
    return 0;
}

static wlab_code math(wlab_buf *out, const char *text, size_t len, size_t symbol, size_t value)
{
    const char *e = memchr(text + value, 'e', len - value);
    int digits = (int)(e ? (size_t)(e - text) - value : len - value);
    wlab_code code = wlab_buf_printf(out, "$%s%.*s%.*s", symbol == 4 ? "\\chi^2" : "", symbol == 4 ? 0 : 1,
                                     text, (int)(value - symbol), text + symbol);

    if (!code)
        code = wlab_buf_printf(out, "%.*s", digits, text + value);
    if (!code && e)
        code = wlab_buf_printf(out, " \\cdot 10^{%d}", atoi(e + 1));
    return code ? code : wlab_buf_put(out, "$", 1);
}

/* A sentence, with its statistics as formulas. */
static wlab_code sentence(wlab_buf *out, const char *text)
{
    wlab_code code = WL_OK;

    while (!code && *text) {
        size_t symbol, value, len = statistic(text, &symbol, &value);

        if (len > 0) {
            code = math(out, text, len, symbol, value);
        } else {
            len = strcspn(text, " ") + (text[strcspn(text, " ")] == ' ');
            char *word = wlab_strndup(text, len);
            code = word ? escaped(out, word) : WL_ENOMEM;
            wlab_free(word);
        }
        text += len;
    }
    return code;
}

static wlab_code notes(wlab_buf *out, char *const *note, int n)
{
    wlab_code code = WL_OK;

    for (int i = 0; !code && i < n; i++) {
        code = sentence(out, note[i]);
        if (!code)
            code = wlab_buf_printf(out, "%s\\par\n", note[i][strlen(note[i]) - 1] == ':' ? "" : ".");
    }
    return code;
}

/* Append the letters, in lower case, and digits, with a hyphen for other characters between them. */
static wlab_code slug(wlab_buf *out, const char *text)
{
    bool apart = false;
    wlab_code code = WL_OK;

    for (; !code && *text; text++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (fits)
            code = wlab_buf_printf(out, "%s%c", apart ? "-" : "", c);
        apart = !fits && (apart || out->data[out->len - 1] != ':');
    }
    return code;
}

/* \label{tab:small-sets-labeled-5-accuracy} */
static wlab_code label(const wlab_sheet *t, const wlab_sheet_block *b, wlab_buf *out)
{
    const char *title = t->v->e->title;
    wlab_buf name = {0};
    wlab_code code = wlab_buf_printf(&name, "tab:");
    const char *const part[] = {title ? title : "", b->setting, t->score};

    for (int i = 0; !code && i < 3; i++) {
        if (part[i][0] && name.data[name.len - 1] != ':')
            code = wlab_buf_put(&name, "-", 1);
        code = code ? code : slug(&name, part[i]);
    }
    if (!code)
        code = wlab_buf_printf(out, "\\label{%.*s}\n", (int)name.len, (const char *)name.data);
    wlab_buf_clear(&name);
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
    if (!code && t->v->e->title && t->v->e->title[0]) {
        code = escaped(out, t->v->e->title);
        code = code ? code : wlab_buf_printf(out, ". ");
    }
    if (!code)
        code = with_sign(out, (const char *)caption.data);
    if (!code)
        code = wlab_buf_printf(out, "}\n");
    if (!code)
        code = label(t, b, out);
    if (!code)
        code = wlab_buf_printf(out, "\\begin{tabular}{l");
    for (int c = 0; !code && c < g.columns; c++)
        code = wlab_buf_printf(out, "r");
    if (!code)
        code = wlab_buf_printf(out, "}\n\\toprule\n");
    if (!code)
        code = rows(&g, out);
    if (!code)
        code = wlab_buf_printf(out, "\\bottomrule\n\\end{tabular}\n\\par\\smallskip\\footnotesize\n");
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

    if (first)
        code = wlab_buf_printf(out, "%% \\usepackage{booktabs}\n");
    for (int s = 0; !code && s < e->nsettings; s++)
        code = block(t, &t->block[s], out);
    return code;
}
