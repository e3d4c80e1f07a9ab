/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User text in gnuplot scripts and data files, quoted so that gnuplot executes nothing in it.
 */
#include "plot/draw/quote.h"
#include "base/text.h"
#include <string.h>

/* Append `text` with spaces for control characters and '?' for malformed bytes and the characters in `never`; a text
 * that is cut ends in "...". */
static wlab_code put_inert(wlab_buf *buf, const char *text, const char *never)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t kept = 0;
    wlab_code code = WL_OK;

    while (*p && !code) {
        uint32_t c = 0;
        size_t n = wlab_utf8_read((const char *)p, SIZE_MAX, &c);
        if (kept + (n ? n : 1) > WL_QUOTE_MOST)
            return wlab_buf_put(buf, "...", 3);
        if (!n || (n == 1 && c >= ' ' && strchr(never, (int)c)))
            code = wlab_buf_put(buf, "?", 1);
        else if (wlab_utf8_acts(c))
            code = wlab_buf_put(buf, " ", 1);
        else
            code = wlab_buf_put(buf, p, n);
        n = n ? n : 1;
        kept += n;
        p += n;
    }
    return code;
}

/* Append text without control characters as a string: pieces in '...', with "\047" for each ' between them. */
static wlab_code put_literal(wlab_buf *buf, const char *text)
{
    wlab_code code = WL_OK;
    bool first = true;

    if (!*text)
        return wlab_buf_put(buf, "''", 2);
    while (*text && !code) {
        size_t n = strcspn(text, "'");
        if (!first)
            code = wlab_buf_put(buf, ".", 1);
        if (!code && !n)
            code = wlab_buf_put(buf, "\"\\047\"", 6);
        else if (!code)
            code = wlab_buf_put(buf, "'", 1);
        if (!code && n)
            code = wlab_buf_put(buf, text, n);
        if (!code && n)
            code = wlab_buf_put(buf, "'", 1);
        text += n ? n : 1;
        first = false;
    }
    return code;
}

wlab_code wlab_quote_text(wlab_buf *buf, const char *text)
{
    wlab_buf inert = {0};
    wlab_code code = put_inert(&inert, text, "");
    code = code ? code : wlab_buf_put(&inert, "", 1);
    code = code ? code : put_literal(buf, (const char *)inert.data);
    wlab_buf_clear(&inert);
    return code;
}

/* How LaTeX prints a character: with Greek letters and signs as math, and "?" for what its usual fonts lack; NULL: as it is. */
static const char *in_latex(uint32_t c)
{
    static const struct {
        uint32_t c;
        const char *latex;
    } table[] = {
        {0xb1, "$\\pm$"},        {0xb2, "$^2$"},        {0xb3, "$^3$"},       {0xb0, "$^\\circ$"},
        {0xb5, "$\\mu$"},        {0xb7, "$\\cdot$"},    {0xd7, "$\\times$"},  {0x3b1, "$\\alpha$"},
        {0x3b2, "$\\beta$"},     {0x3b3, "$\\gamma$"},  {0x3b4, "$\\delta$"}, {0x3b5, "$\\varepsilon$"},
        {0x3b6, "$\\zeta$"},     {0x3b7, "$\\eta$"},    {0x3b8, "$\\theta$"}, {0x3b9, "$\\iota$"},
        {0x3ba, "$\\kappa$"},    {0x3bb, "$\\lambda$"}, {0x3bc, "$\\mu$"},    {0x3bd, "$\\nu$"},
        {0x3be, "$\\xi$"},       {0x3bf, "$o$"},        {0x3c0, "$\\pi$"},    {0x3c1, "$\\rho$"},
        {0x3c2, "$\\varsigma$"}, {0x3c3, "$\\sigma$"},  {0x3c4, "$\\tau$"},   {0x3c5, "$\\upsilon$"},
        {0x3c6, "$\\varphi$"},   {0x3c7, "$\\chi$"},    {0x3c8, "$\\psi$"},   {0x3c9, "$\\omega$"},
        {0x393, "$\\Gamma$"},    {0x394, "$\\Delta$"},  {0x398, "$\\Theta$"}, {0x39b, "$\\Lambda$"},
        {0x3a0, "$\\Pi$"},       {0x3a3, "$\\Sigma$"},  {0x3a6, "$\\Phi$"},   {0x3a8, "$\\Psi$"},
        {0x3a9, "$\\Omega$"},    {0x2032, "$'$"},       {0x2013, "--"},       {0x2014, "---"},
        {0x2018, "`"},           {0x2019, "'"},         {0x201c, "``"},       {0x201d, "''"},
        {0x2026, "\\ldots{}"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].c == c)
            return table[k].latex;
    return c < 0x7f ? wlab_latex_of(c) : c >= 0xc0 && c < 0x180 ? NULL : "?";
}

wlab_code wlab_quote_latex(wlab_buf *buf, const char *text)
{
    wlab_buf inert = {0}, latex = {0};
    wlab_code code = put_inert(&inert, text, "");
    size_t n = 0;

    code = code ? code : wlab_buf_put(&inert, "", 1);
    for (const char *p = (const char *)inert.data; !code && *p; p += n) {
        uint32_t c = 0;
        n = wlab_utf8_read(p, SIZE_MAX, &c); /* > 0: the text is well-formed now */
        const char *printed = in_latex(c);
        code = printed ? wlab_buf_put(&latex, printed, strlen(printed)) : wlab_buf_put(&latex, p, n);
    }
    code = code ? code : wlab_buf_put(&latex, "", 1);
    code = code ? code : put_literal(buf, (const char *)latex.data);
    wlab_buf_clear(&inert);
    wlab_buf_clear(&latex);
    return code;
}

wlab_code wlab_quote_comment(wlab_buf *buf, const char *text)
{
    return put_inert(buf, text, "`@\\");
}

wlab_code wlab_quote_file(wlab_buf *buf, const char *name, wlab_err *err)
{
    const unsigned char *p = (const unsigned char *)name;
    wlab_code code;

    if (!*name || strlen(name) > 255)
        return wlab_fail(err, WL_EARG, "a figure's file name must have 1 to 255 bytes");
    while (*p) {
        uint32_t c = 0;
        size_t n = wlab_utf8_read((const char *)p, SIZE_MAX, &c);
        if (!n || wlab_utf8_acts(c) || c == '/')
            return wlab_fail(
                err, WL_EARG,
                "a figure's file name must be UTF-8 without control characters: choose another name");
        p += n;
    }
    code = wlab_buf_put(buf, "'./'.", 5);
    code = code ? code : put_literal(buf, name);
    return code ? wlab_nomem(err) : WL_OK;
}
