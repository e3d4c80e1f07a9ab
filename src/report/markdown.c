/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report as Markdown, with SVG files beside it.
 */
#include "base/text.h"
#include "report/report.h"

#include <string.h>

/* Prose, in which backquotes mark code. */
static wlab_code prose(wlab_buf *out, const char *text)
{
    wlab_code code = wlab_text_markdown(out, text, true);

    return code ? code : wlab_report_put(out, "\n");
}

/* A fence longer than any in the text. */
static wlab_code fenced(wlab_buf *out, const char *kind, const char *text, size_t len)
{
    char fence[64] = "```";
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < len; i++) {
        run = text[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    if (longest >= 3 && longest < sizeof fence - 1) {
        memset(fence, '`', longest + 1);
        fence[longest + 1] = '\0';
    }
    wlab_code code = wlab_buf_printf(out, "%s%s\n", fence, kind);
    code = code ? code : wlab_buf_put(out, text, len);
    return code ? code : wlab_buf_printf(out, "%s%s\n\n", len && text[len - 1] == '\n' ? "" : "\n", fence);
}

static wlab_code table(wlab_buf *out, const char *text, const wlab_columns *c)
{
    wlab_code code = WL_OK;

    for (int l = 0; l < c->lines && !code; l++) {
        code = wlab_report_put(out, "|");
        for (int k = 0; k < c->columns && !code; k++) {
            size_t len;
            const char *word = wlab_columns_word(text, k, &len);
            code = wlab_buf_printf(out, " %.*s |", (int)len, word);
        }
        code = code ? code : wlab_report_put(out, "\n");
        if (l == 0) {
            code = code ? code : wlab_report_put(out, "|");
            for (int k = 0; k < c->columns && !code; k++)
                code = wlab_report_put(out, " --: |");
            code = code ? code : wlab_report_put(out, "\n");
        }
        text = wlab_columns_skip(text, 1);
    }
    return code ? code : wlab_report_put(out, "\n");
}

static wlab_code write_item(const wlab_report *r, const wlab_item *item, int number, wlab_buf *out)
{
    const char *text = item->text.data ? (const char *)item->text.data : "";
    const char *ending = wlab_image_names[r->format->image];
    wlab_code code = WL_OK;

    switch (item->kind) {
    case WL_ITEM_SAY:
        return prose(out, text);
    case WL_ITEM_COMMAND:
        return fenced(out, "wlab", text, strlen(text));
    case WL_ITEM_RESULT:
        return wlab_report_result(out, text, table, fenced);
    case WL_ITEM_NOTE:
        code = wlab_report_put(out, "> ");
        return code ? code : prose(out, text);
    case WL_ITEM_FIGURE:
        return wlab_buf_printf(out, "![%s](%s/%d-0.%s)\n\n", text, r->folder, number, ending);
    case WL_ITEM_STEPS:
        for (int v = 0; v < item->views && !code; v++)
            if (item->frame[item->frames - 1].picture[v].len)
                code = wlab_buf_printf(out, "![%s](%s/%d-%d.%s)\n", text, r->folder, number, v, ending);
        code = code ? code
                    : wlab_buf_printf(out, "\nStep %lld. ", (long long)item->frame[item->frames - 1].iter);
        code = code ? code : prose(out, item->frame[item->frames - 1].explanation);
        return code ? code : wlab_report_put(out, "\n");
    }
    return code;
}

static wlab_code write_page(const wlab_report *r, wlab_buf *out)
{
    wlab_code code = wlab_report_put(out, "# ");

    code = code ? code : prose(out, r->title);
    code = code ? code : wlab_report_put(out, "\n");
    for (int i = 0; i < r->items && !code; i++)
        code = write_item(r, &r->item[i], i, out);
    code = code ? code : wlab_buf_printf(out, "## The session\n\nExecuted again: ");
    code = code ? code : prose(out, r->verdict);
    code = code ? code : wlab_report_put(out, "\n");
    return code ? code : fenced(out, "", r->session, strlen(r->session));
}

const wlab_report_format wlab_report_markdown = {.ending = "md", .image = WL_SVG, .write = write_page};
