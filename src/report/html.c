/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report as one HTML page.  Nothing is loaded from elsewhere, which the page's own policy forbids.  The frames of a stretch
 * of steps are one packed text (gzip, base64), as the pictures of neighbouring steps are alike; without a script, and in
 * print, the last frame stands there.
 */
#include "report/report.h"

#include <jansson.h>
#include <nettle/base64.h>
#include <string.h>
#include <zlib.h>

enum {
    UNFOLDED = 3 /* lines of notes */
};

static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1b1b;--paper:#fdfdfb;--dim:#5b5b5b;--line:#d5d3cc;--code:#f1efe9;--mark:#1f5fa8}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e6e1;--paper:#17181a;--dim:#a5a39d;--line:#3a3b3e;--"
    "code:#232427;"
    "--mark:#84b6ee}figure svg{filter:invert(1) hue-rotate(180deg)}}\n"
    "body{margin:0 auto;padding:1.5rem;max-width:60rem;background:var(--paper);color:var(--ink);"
    "font:17px/1.5 Georgia,'DejaVu Serif',serif}\n"
    "h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.25rem;margin-top:2.5rem}\n"
    "pre,code,table,.controls,.note{font-family:'DejaVu Sans "
    "Mono',monospace;font-size:14px;line-height:1.4}\n"
    "pre{margin:.5rem 0;padding:.5rem .8rem;background:var(--code);overflow-x:auto;white-space:pre}\n"
    "pre.commands{border-left:4px solid var(--mark)}.note{color:var(--dim);white-space:pre-wrap;margin:.4rem "
    "0}\n"
    "table{border-collapse:collapse;margin:.6rem 0}th,td{padding:.1rem .7rem;text-align:right;"
    "border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:normal}\n"
    ".scroll{overflow-x:auto}figure{margin:1rem 0}figure svg{width:100%;height:auto;background:#fff}\n"
    ".views{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,1fr));gap:1rem}\n"
    ".views>div{min-width:0}.controls{display:none;align-items:center;gap:.8rem;margin:.3rem 0}"
    ".live .controls{display:flex}.controls input{flex:1}.controls button{font:inherit;width:4.5rem}"
    ".controls output{width:7rem}\n"
    "figcaption{font-size:.95rem;color:var(--dim);min-height:4.5em}.held{color:var(--dim)}.differs{color:#"
    "b3261e}\n"
    "@media "
    "print{body{max-width:none;font-size:11pt}.controls{display:none!important}pre{white-space:pre-wrap}"
    "figure{break-inside:avoid}}\n";

/* The slider over the frames of each stretch of steps. */
static const char script[] =
    "'use strict';\n"
    "async function unpack(text){\n"
    "  const bytes=Uint8Array.from(atob(text),c=>c.charCodeAt(0));\n"
    "  const stream=new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));\n"
    "  return JSON.parse(await new Response(stream).text());\n"
    "}\n"
    "for(const figure of document.querySelectorAll('figure.steps')){\n"
    "  const data=figure.querySelector('script');\n"
    "  if(!data||!window.DecompressionStream)continue;\n"
    "  const range=figure.querySelector('input'),play=figure.querySelector('button');\n"
    "  const out=figure.querySelector('output'),text=figure.querySelector('figcaption');\n"
    "  const views=figure.querySelectorAll('.views>div');\n"
    "  let frames=null,timer=0;\n"
    "  const show=async()=>{\n"
    "    if(!frames)frames=await unpack(data.textContent);\n"
    "    const f=frames[range.value];\n"
    "    views.forEach((v,i)=>{v.innerHTML=f.p[i]});\n"
    "    text.textContent=f.t;out.textContent='step '+f.s;\n"
    "    range.setAttribute('aria-valuetext','step '+f.s);\n"
    "  };\n"
    "  const stop=()=>{clearInterval(timer);timer=0;play.textContent='play'};\n"
    "  range.addEventListener('input',()=>{stop();show()});\n"
    "  play.addEventListener('click',()=>{\n"
    "    if(timer)return stop();\n"
    "    if(range.value===range.max)range.value=0;\n"
    "    play.textContent='pause';show();\n"
    "    timer=setInterval(()=>{\n"
    "      if(range.value===range.max)return stop();\n"
    "      range.value=Number(range.value)+1;show();\n"
    "    },900);\n"
    "  });\n"
    "  figure.classList.add('live');\n"
    "}\n";

static wlab_code escaped(wlab_buf *out, const char *text, size_t len)
{
    wlab_code code = WL_OK;

    for (size_t i = 0; i < len && !code; i++)
        code = text[i] == '&'   ? wlab_report_put(out, "&amp;")
               : text[i] == '<' ? wlab_report_put(out, "&lt;")
               : text[i] == '>' ? wlab_report_put(out, "&gt;")
               : text[i] == '"' ? wlab_report_put(out, "&quot;")
               : (unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t'
                   ? wlab_report_put(out, " ")
                   : wlab_buf_put(out, &text[i], 1);
    return code;
}

static wlab_code element(wlab_buf *out, const char *open, const char *text, size_t len, const char *close)
{
    wlab_code code = wlab_report_put(out, open);
    code = code ? code : escaped(out, text, len);
    return code ? code : wlab_report_put(out, close);
}

/* ---- pictures ---- */

/* Puts `prefix` before the identifiers of an SVG and before what refers to them, as those of several pictures would clash in
 * one page; leaves out what stands before the element itself. */
static wlab_code svg(wlab_buf *out, const wlab_buf *picture, const char *prefix)
{
    static const char *const before[] = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
    const char *at = picture->data ? strstr((const char *)picture->data, "<svg") : NULL;
    wlab_code code = WL_OK;

    while (at && *at && !code) {
        const char *next = NULL;
        size_t len = 0;
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            const char *found = strstr(at, before[k]);
            if (found && (!next || found < next)) {
                next = found;
                len = strlen(before[k]);
            }
        }
        if (!next)
            return wlab_report_put(out, at);
        code = wlab_buf_put(out, at, (size_t)(next - at) + len);
        code = code ? code : wlab_report_put(out, prefix);
        at = next + len;
    }
    return code;
}

/* Of the identifiers of view v of an item. */
static void name_prefix(char prefix[32], int number, int v)
{
    snprintf(prefix, 32, "f%d-%d-", number, v);
}

static wlab_code packed(wlab_buf *out, const char *text, size_t len)
{
    z_stream z = {0};
    wlab_code code = WL_ENOMEM;

    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) /* 16: a gzip header */
        return code;
    const size_t bound = deflateBound(&z, len);
    uint8_t *bytes = wlab_alloc(bound, 1);
    char *coded = bytes ? wlab_alloc(BASE64_ENCODE_RAW_LENGTH(bound), 1) : NULL;
    if (coded) {
        z.next_in = (Bytef *)(uintptr_t)text;
        z.avail_in = (uInt)len;
        z.next_out = bytes;
        z.avail_out = (uInt)bound;
        if (deflate(&z, Z_FINISH) == Z_STREAM_END) {
            base64_encode_raw(coded, z.total_out, bytes);
            code = wlab_buf_put(out, coded, BASE64_ENCODE_RAW_LENGTH(z.total_out));
        }
    }
    deflateEnd(&z);
    wlab_free(bytes);
    wlab_free(coded);
    return code;
}

/* The frames as JSON: s the step, t its explanation, p the pictures. */
static wlab_code frames(wlab_buf *out, const wlab_item *item, int number)
{
    char prefix[32];
    json_t *all = json_array();
    wlab_code code = all ? WL_OK : WL_ENOMEM;

    for (int k = 0; k < item->frames && !code; k++) {
        json_t *pictures = json_array();
        for (int v = 0; v < item->views && !code; v++) {
            wlab_buf one = {0};
            name_prefix(prefix, number, v);
            code = svg(&one, &item->frame[k].picture[v], prefix);
            if (!code && json_array_append_new(pictures,
                                               json_stringn(one.data ? (const char *)one.data : "", one.len)))
                code = WL_ENOMEM;
            wlab_buf_clear(&one);
        }
        json_t *frame = json_pack("{s:I, s:s, s:o}", "s", (json_int_t)item->frame[k].iter, "t",
                                  item->frame[k].explanation, "p", pictures);
        if (!code && json_array_append_new(all, frame))
            code = WL_ENOMEM;
    }
    char *text = code ? NULL : json_dumps(all, JSON_COMPACT);
    code = code ? code : text ? packed(out, text, strlen(text)) : WL_ENOMEM;
    free(text);
    json_decref(all);
    return code;
}

static wlab_code steps(wlab_buf *out, const wlab_item *item, int number)
{
    const wlab_frame *last = &item->frame[item->frames - 1];
    char prefix[32];
    wlab_code code = wlab_report_put(out, "<figure class=\"steps\">\n");

    if (item->frames > 1 && item->views > 0)
        code = code ? code
                    : wlab_buf_printf(
                          out,
                          "<div class=\"controls\"><button type=\"button\">play</button>"
                          "<input type=\"range\" min=\"0\" max=\"%d\" value=\"%d\" aria-label=\"step\">"
                          "<output>step %lld</output></div>\n",
                          item->frames - 1, item->frames - 1, (long long)last->iter);
    code = code ? code : wlab_report_put(out, "<div class=\"views\">");
    for (int v = 0; v < item->views && !code; v++) {
        name_prefix(prefix, number, v);
        code = wlab_report_put(out, "<div>");
        code = code ? code : svg(out, &last->picture[v], prefix);
        code = code ? code : wlab_report_put(out, "</div>\n");
    }
    code = code ? code : wlab_report_put(out, "</div>\n<figcaption aria-live=\"polite\">");
    code = code ? code : escaped(out, last->explanation, strlen(last->explanation));
    code = code ? code : wlab_report_put(out, "</figcaption>\n");
    if (item->frames > 1 && item->views > 0) {
        code = code ? code : wlab_report_put(out, "<script type=\"text/plain\">");
        code = code ? code : frames(out, item, number);
        code = code ? code : wlab_report_put(out, "</script>\n");
    }
    return code ? code : wlab_report_put(out, "</figure>\n");
}

/* ---- text ---- */

/* Escaped, with <code> for what stands in backquotes. */
static wlab_code phrase(wlab_buf *out, const char *text, size_t len)
{
    wlab_code code = WL_OK;

    while (len > 0 && !code) {
        const char *open = memchr(text, '`', len);
        const char *close = open ? memchr(open + 1, '`', len - (size_t)(open + 1 - text)) : NULL;
        if (!close)
            return escaped(out, text, len);
        code = escaped(out, text, (size_t)(open - text));
        code = code ? code : element(out, "<code>", open + 1, (size_t)(close - open - 1), "</code>");
        len -= (size_t)(close + 1 - text);
        text = close + 1;
    }
    return code;
}

/* Lines of prose: a blank one begins a paragraph. */
static wlab_code prose(wlab_buf *out, const char *text)
{
    wlab_code code = WL_OK;
    bool open = false;

    while (*text && !code) {
        const size_t len = strcspn(text, "\n");
        if (len == 0) {
            code = open ? wlab_report_put(out, "</p>\n") : WL_OK;
            open = false;
        } else {
            code = wlab_report_put(out, open ? "\n" : "<p>");
            code = code ? code : phrase(out, text, len);
            open = true;
        }
        text += len + (text[len] == '\n');
    }
    return code ? code : open ? wlab_report_put(out, "</p>\n") : WL_OK;
}

static wlab_code table(wlab_buf *out, const char *text, const wlab_columns *c)
{
    wlab_code code = wlab_report_put(out, "<div class=\"scroll\"><table>\n");

    for (int l = 0; l < c->lines && !code; l++, text = wlab_columns_skip(text, 1)) {
        code = wlab_report_put(out, "<tr>");
        for (int k = 0; k < c->columns && !code; k++) {
            size_t len;
            const char *word = wlab_columns_word(text, k, &len);
            code = element(out, l == 0 ? "<th>" : "<td>", word, len, l == 0 ? "</th>" : "</td>");
        }
        code = code ? code : wlab_report_put(out, "</tr>\n");
    }
    return code ? code : wlab_report_put(out, "</table></div>\n");
}

static wlab_code lines(wlab_buf *out, const char *kind, const char *text, size_t len)
{
    (void)kind;
    return element(out, "<pre>", text, len, "</pre>\n");
}

/* Many are folded away. */
static wlab_code notes(wlab_buf *out, const char *text, size_t len)
{
    int count = 0;

    for (size_t i = 0; i < len; i++)
        count += text[i] == '\n';
    if (count <= UNFOLDED)
        return element(out, "<div class=\"note\">", text, len, "</div>\n");
    wlab_code code = wlab_buf_printf(out, "<details class=\"note\"><summary>%d remarks</summary>", count);
    return code ? code : element(out, "", text, len, "</details>\n");
}

static wlab_code write_item(const wlab_item *item, int number, wlab_buf *out)
{
    const char *text = item->text.data ? (const char *)item->text.data : "";
    const size_t len = strlen(text);
    char prefix[32];
    wlab_code code = WL_OK;

    switch (item->kind) {
    case WL_ITEM_SAY:
        return prose(out, text);
    case WL_ITEM_COMMAND:
        return element(out, "<pre class=\"commands\">", text, len, "</pre>\n");
    case WL_ITEM_RESULT:
        return wlab_report_result(out, text, table, lines);
    case WL_ITEM_NOTE:
        return notes(out, text, len);
    case WL_ITEM_FIGURE:
        name_prefix(prefix, number, 0);
        code = wlab_report_put(out, "<figure>");
        code = code ? code : svg(out, &item->picture, prefix);
        return code ? code : wlab_report_put(out, "</figure>\n");
    case WL_ITEM_STEPS:
        return steps(out, item, number);
    }
    return code;
}

static wlab_code write_page(const wlab_report *r, wlab_buf *out)
{
    wlab_code code =
        wlab_report_put(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                             "img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                             "<link rel=\"icon\" href=\"data:,\">\n");
    code = code ? code : element(out, "<title>", r->title, strlen(r->title), "</title>\n<style>\n");
    code = code ? code : wlab_report_put(out, style);
    code = code ? code
                : element(out, "</style></head>\n<body><main>\n<h1>", r->title, strlen(r->title), "</h1>\n");
    for (int i = 0; i < r->items && !code; i++)
        code = write_item(&r->item[i], i, out);
    code = code ? code : wlab_report_put(out, "<h2>The session</h2>\n");
    code = code ? code
                : element(out,
                          r->held ? "<p class=\"held\">Executed again: "
                                  : "<p class=\"differs\">Executed again: ",
                          r->verdict, strlen(r->verdict), ".</p>\n");
    code = code ? code
                : element(out,
                          "<details><summary>Its recording, with the digests of the results</summary>\n"
                          "<pre class=\"session\">",
                          r->session, strlen(r->session), "</pre></details>\n");
    code = code ? code : wlab_report_put(out, "</main>\n<script>\n");
    code = code ? code : wlab_report_put(out, script);
    return code ? code : wlab_report_put(out, "</script>\n</body></html>\n");
}

const wlab_report_format wlab_report_html = {
    .ending = "html", .image = WL_SVG, .inside = true, .moves = true, .write = write_page};
