/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report as LaTeX sections, for a paper's supplement, with PDF files beside it.  It needs the packages booktabs and
 * graphicx, and is read by \input.
 */
#include "base/text.h"
#include "report/report.h"

#include <string.h>

static wlab_code words(wlab_buf *out, const char *text, size_t len)
{
    wlab_code code = WL_OK;

    for (size_t i = 0; i < len && !code; i++) {
        const char *tex = wlab_latex_of((unsigned char)text[i]);
        code = tex ? wlab_report_put(out, tex) : wlab_buf_put(out, &text[i], 1);
    }
    return code;
}

/* Text as it is.  A line that would end it gets a blank before it. */
static wlab_code verbatim(wlab_buf *out, const char *kind, const char *text, size_t len)
{
    static const char end[] = "\\end{verbatim}";
    wlab_code code = wlab_report_put(out, "\\begin{verbatim}\n");

    (void)kind;
    for (size_t i = 0; i < len && !code; i++) {
        if (len - i >= sizeof end - 1 && memcmp(text + i, end, sizeof end - 1) == 0) {
            code = wlab_report_put(out, "\\ ");
            continue;
        }
        code = wlab_buf_put(out, &text[i], 1);
    }
    return code ? code
                : wlab_buf_printf(out, "%s\\end{verbatim}\n\n", len && text[len - 1] == '\n' ? "" : "\n");
}

static wlab_code table(wlab_buf *out, const char *text, const wlab_columns *c)
{
    wlab_code code = wlab_report_put(out, "\\begin{center}\\begin{tabular}{");

    for (int k = 0; k < c->columns && !code; k++)
        code = wlab_report_put(out, "r");
    code = code ? code : wlab_report_put(out, "}\n\\toprule\n");
    for (int l = 0; l < c->lines && !code; l++) {
        for (int k = 0; k < c->columns && !code; k++) {
            size_t len;
            const char *word = wlab_columns_word(text, k, &len);
            code = wlab_report_put(out, k ? " & " : "");
            code = code ? code : words(out, word, len);
        }
        code = code ? code : wlab_report_put(out, l == 0 ? " \\\\\n\\midrule\n" : " \\\\\n");
        text = wlab_columns_skip(text, 1);
    }
    return code ? code : wlab_report_put(out, "\\bottomrule\n\\end{tabular}\\end{center}\n\n");
}

static wlab_code picture(wlab_buf *out, const wlab_report *r, int number, int v, double width)
{
    return wlab_buf_printf(out, "\\includegraphics[width=%g\\linewidth]{%s/%d-%d.%s}\n", width, r->folder,
                           number, v, wlab_image_names[r->format->image]);
}

static wlab_code write_item(const wlab_report *r, const wlab_item *item, int number, wlab_buf *out)
{
    const char *text = item->text.data ? (const char *)item->text.data : "";
    const wlab_frame *last = item->frames ? &item->frame[item->frames - 1] : NULL;
    wlab_code code = WL_OK;

    switch (item->kind) {
    case WL_ITEM_SAY:
    case WL_ITEM_NOTE:
        code = words(out, text, strlen(text));
        return code ? code : wlab_report_put(out, "\n");
    case WL_ITEM_COMMAND:
        return verbatim(out, "", text, strlen(text));
    case WL_ITEM_RESULT:
        return wlab_report_result(out, text, table, verbatim);
    case WL_ITEM_FIGURE:
        code = wlab_report_put(out, "\\begin{center}\n");
        code = code ? code : picture(out, r, number, 0, 0.7);
        return code ? code : wlab_report_put(out, "\\end{center}\n\n");
    case WL_ITEM_STEPS:
        code = wlab_report_put(out, "\\begin{center}\n");
        for (int v = 0; v < item->views && !code; v++)
            code = last->picture[v].len ? picture(out, r, number, v, item->views > 1 ? 0.48 : 0.7) : WL_OK;
        code = code ? code : wlab_report_put(out, "\\end{center}\n");
        code = code ? code : words(out, last->explanation, strlen(last->explanation));
        return code ? code : wlab_report_put(out, "\n\n");
    }
    return code;
}

static wlab_code write_page(const wlab_report *r, wlab_buf *out)
{
    wlab_code code = wlab_report_put(out, "\\section{");

    code = code ? code : words(out, r->title, strlen(r->title));
    code = code ? code : wlab_report_put(out, "}\n\n");
    for (int i = 0; i < r->items && !code; i++)
        code = write_item(r, &r->item[i], i, out);
    code = code ? code : wlab_report_put(out, "\\subsection{The session}\nExecuted again: ");
    code = code ? code : words(out, r->verdict, strlen(r->verdict));
    code = code ? code : wlab_report_put(out, ".\n\n{\\footnotesize\n");
    code = code ? code : verbatim(out, "", r->session, strlen(r->session));
    return code ? code : wlab_report_put(out, "}\n");
}

const wlab_report_format wlab_report_latex = {.ending = "tex", .image = WL_PDF, .write = write_page};
