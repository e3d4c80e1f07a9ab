/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of figures: their size, letters, titles, and several figures side by side.
 */
#include "plot/sheet.h"
#include "plot/draw/quote.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const wlab_image_names[] = {"png", "svg", "pdf", "txt", "tex", NULL};

enum {
    ACROSS = 3, /* figures beside each other */
    TEXT_COLUMNS = 79,
    TEXT_LINES = 24,
    DOTS_MOST = 100000000 /* of a bitmap */
};
#define POINTS_PER_CM (72 / 2.54)
#define STYLE_LINE    2.4 /* the width of a curve in plots/style.gp */

static const struct style {
    double width, height; /* cm, of one figure */
    double most;          /* cm, the width of a file */
    double points;        /* letters */
    double line;          /* points, the width of a curve */
} styles[] = {
    [WL_FOR_SCREEN] = {20, 12.5, INFINITY, 11, 1.2},
    [WL_FOR_PAPER] = {8.4, 6, 17.4, 7, 0.9}, /* one column, two columns */
    [WL_FOR_SLIDE] = {16, 9, 16, 11, 1.6},
    [WL_FOR_POSTER] = {40, 28, 80, 26, 3.6},
};

/* Terminals in order of preference. */
static const struct terminal {
    wlab_image kind;
    const char *name;
} terminals[] = {
    {WL_PNG, "pngcairo"}, {WL_PNG, "png"},  {WL_SVG, "svg"},        {WL_PDF, "pdfcairo"},
    {WL_PDF, "pdf"},      {WL_TXT, "dumb"}, {WL_TEX, "cairolatex"},
};
enum {
    TERMINALS = sizeof terminals / sizeof *terminals
};

const char *wlab_terminal_of(wlab_image kind, int k)
{
    for (int i = 0; i < TERMINALS; i++)
        if (terminals[i].kind == kind && k-- == 0)
            return terminals[i].name;
    return NULL;
}

wlab_sheet wlab_sheet_plain(const wlab_figure *f, wlab_image kind)
{
    return (wlab_sheet){.figure = f, .n = 1, .kind = kind};
}

/* ---- size and letters ---- */

/* LaTeX documents are papers; text has one style. */
static wlab_style_of style_of(const wlab_sheet *s)
{
    return s->kind == WL_TXT                                     ? WL_FOR_SCREEN
           : s->kind == WL_TEX && s->look.style == WL_FOR_SCREEN ? WL_FOR_PAPER
                                                                 : s->look.style;
}

static int columns_of(const wlab_sheet *s)
{
    return s->kind == WL_TXT ? 1 : s->n == 4 ? 2 : s->n < ACROSS ? s->n : ACROSS;
}

static int lines_of(const wlab_sheet *s)
{
    return (s->n + columns_of(s) - 1) / columns_of(s);
}

static void size_of(const wlab_sheet *s, double *width, double *height)
{
    const struct style *style = &styles[style_of(s)];

    *width = fmin(columns_of(s) * style->width, style->most);
    *height = lines_of(s) * style->height;
    if (s->look.width > 0) {
        *width = s->look.width;
        *height = s->look.height;
    }
}

/* The size of letters, in points: smaller where several figures share the width, but legible.  LaTeX's are small for
 * their size. */
static double letters_of(const wlab_sheet *s)
{
    const struct style *style = &styles[style_of(s)];
    const double least = s->kind == WL_TEX ? 8 : 7;
    double width, height;

    if (s->look.points > 0)
        return s->look.points;
    size_of(s, &width, &height);
    return fmax(style->points * fmin(sqrt(width / columns_of(s) / style->width), 1), least);
}

wlab_code wlab_sheet_terminal(const wlab_sheet *s, const char *name, char words[WL_SHEET_TERMINAL],
                              wlab_err *err)
{
    const bool screen = style_of(s) == WL_FOR_SCREEN;
    const struct style *style = &styles[style_of(s)];
    const char *font = s->look.font[0] ? s->look.font : "DejaVu Sans";
    const double points = letters_of(s);
    double width, height;

    size_of(s, &width, &height);
    if (s->kind == WL_TXT) {
        snprintf(words, WL_SHEET_TERMINAL, "dumb noenhanced size %d,%d", TEXT_COLUMNS, TEXT_LINES * s->n);
    } else if (s->kind == WL_PNG) {
        const double dots = screen ? 64 : 300 / 2.54, scale = dots / POINTS_PER_CM;
        /* pngcairo's letters are a third larger than their number, as on a screen with 96 dots per inch */
        const double letters =
            screen && !(s->look.points > 0) ? 16 * points / style->points : points * scale * 0.75;
        char thick[80] = "";
        if (width * dots * height * dots > DOTS_MOST)
            return wlab_fail(err, WL_EARG,
                             "a .png of %g x %g cm would have %.0f x %.0f dots: write a .pdf or .svg", width,
                             height, width * dots, height * dots);
        if (!screen)
            snprintf(thick, sizeof thick, " linewidth %.4g pointscale %.4g", style->line * scale / STYLE_LINE,
                     style->line * scale / STYLE_LINE);
        if (strcmp(name, "png") == 0) /* without cairo: its letters have sizes of their own */
            snprintf(words, WL_SHEET_TERMINAL, "png noenhanced size %.0f,%.0f large background '#ffffff'",
                     width * dots, height * dots);
        else
            snprintf(words, WL_SHEET_TERMINAL,
                     "pngcairo noenhanced size %.0f,%.0f font '%s,%.3g'%s background '#ffffff'", width * dots,
                     height * dots, font, letters, thick);
    } else if (s->kind == WL_SVG) {
        /* svg has no setting for the width of lines: its unit is chosen for them */
        const double scale = screen ? 48 / POINTS_PER_CM : STYLE_LINE / style->line;
        const double letters = screen && !(s->look.points > 0) ? 13 * points / style->points : points * scale;
        snprintf(words, WL_SHEET_TERMINAL,
                 "svg noenhanced size %.0f,%.0f dynamic font '%s,%.3g' background '#ffffff'",
                 width * scale * POINTS_PER_CM, height * scale * POINTS_PER_CM, font, letters);
    } else if (s->kind == WL_TEX) {
        snprintf(
            words, WL_SHEET_TERMINAL,
            "cairolatex pdf input colourtext header '\\fontsize{%.3g}{%.3g}\\selectfont' size %.4gcm,%.4gcm "
            "font ',%.3g' linewidth %.4g pointscale %.4g",
            points, 1.2 * points, width, height, points, style->line / 1.2, style->line / 2.4);
    } else if (strcmp(name, "pdf") == 0) {
        snprintf(words, WL_SHEET_TERMINAL, "pdf noenhanced size %.4gcm,%.4gcm", width, height);
    } else {
        char thick[80] = "";
        if (!screen)
            snprintf(thick, sizeof thick, " linewidth %.4g pointscale %.4g", style->line / 1.2,
                     style->line / 3);
        snprintf(words, WL_SHEET_TERMINAL, "pdfcairo noenhanced size %.4gcm,%.4gcm font '%s,%.3g'%s", width,
                 height, font, points, thick);
    }
    return WL_OK;
}

/* ---- data ---- */

wlab_code wlab_sheet_dat(const wlab_sheet *s, wlab_buf *out, wlab_err *err)
{
    wlab_code code = s->n > 1 ? wlab_buf_printf(out, "# weaklab") : WL_OK;

    for (int i = 0; s->n > 1 && i < s->n && !code; i++)
        code = wlab_buf_printf(out, " %s", s->name[i]);
    if (!code && s->n > 1)
        code = wlab_buf_printf(out, ": the data of %d views, one after another\n", s->n);
    for (int i = 0; i < s->n && !code; i++) {
        if (i)
            code = wlab_buf_printf(out, "\n\n");
        if (!code && (code = wlab_figure_dat(&s->figure[i], out, err)))
            return code;
    }
    return code ? wlab_nomem(err) : WL_OK;
}

/* ---- scripts ---- */

/* The title of figure i: NULL: its own lines. */
static const char *title_of(const wlab_sheet *s, int i, char own[40])
{
    if (s->look.title && (s->n == 1 || !s->look.title[0]))
        return s->look.title;
    if (!s->look.title && style_of(s) == WL_FOR_SCREEN)
        return NULL;
    own[0] = '\0';
    if (s->n > 1)
        snprintf(own, 40, "(%c) %.30s", 'a' + i, s->name[i]);
    return own;
}

/* What the titles would have said, for a caption. */
static wlab_code put_caption(const wlab_sheet *s, wlab_buf *out)
{
    wlab_code code = WL_OK;
    char own[40];

    for (int i = 0; i < s->n; i++)
        for (int k = 0; title_of(s, i, own) && k < s->figure[i].titles && !code; k++) {
            code = wlab_buf_printf(out, "# ");
            code = code ? code : wlab_quote_comment(out, s->figure[i].title[k]);
            code = code ? code : wlab_buf_printf(out, "\n");
        }
    return code;
}

/* The factor for the sizes of points in the commands: svg draws points in proportion to its letters, and has no setting
 * for them, unlike the other terminals. */
static double points_of(const wlab_sheet *s)
{
    const struct style *style = &styles[style_of(s)];
    return s->kind == WL_SVG && style_of(s) != WL_FOR_SCREEN ? 3.9 * style->line / letters_of(s) : 1;
}

/* The place of figure i in a sheet of several, and the title of all above the first. */
static wlab_code put_place(const wlab_sheet *s, int i, wlab_buf *out)
{
    const int across = columns_of(s), down = lines_of(s);
    const bool titled = s->look.title && s->look.title[0];
    const double points = letters_of(s);
    double width, height;
    wlab_code code = WL_OK;

    size_of(s, &width, &height);
    const double strip = !titled             ? 0
                         : s->kind == WL_TXT ? 2.0 / (TEXT_LINES * s->n)
                                             : 2.2 * points / (height * POINTS_PER_CM);
    const double each = (1 - strip) / down;
    if (i > 0)
        code = wlab_buf_printf(out, "reset\n");
    code = code || i == 0 ? code : wlab_figure_put_style(out, points_of(s));
    if (!code && i == 0 && titled) {
        code = wlab_buf_printf(out, "set label ");
        code = code ? code : wlab_figure_quote(&s->figure[0], out, s->look.title);
        code = code ? code
                    : wlab_buf_printf(out, " at screen 0.5, screen %.4g center noenhanced\n", 1 - strip / 2);
    }
    return code ? code
                : wlab_buf_printf(out, "set origin %.6g,%.6g\nset size %.6g,%.6g\n",
                                  (i % across) / (double)across, 1 - strip - each * (i / across + 1),
                                  1.0 / across, each);
}

wlab_code wlab_sheet_gp(const wlab_sheet *s, const char *terminal, const char *data, const char *output,
                        const char *kinds, wlab_buf *out, wlab_err *err)
{
    const bool papers = style_of(s) != WL_FOR_SCREEN;
    int block = 0;
    char own[40];
    wlab_code code = wlab_buf_printf(out, "# Draws ");

    code = code ? code : wlab_quote_comment(out, output);
    code = code ? code : wlab_buf_printf(out, " from ");
    code = code ? code : wlab_quote_comment(out, data);
    code = code ? code
                : wlab_buf_printf(out, "; run gnuplot on this file, in this folder.%s%s\n",
                                  kinds ? WL_FIG_PICTURES : "", kinds ? kinds : "");
    code = code ? code : put_caption(s, out);
    code = code ? code : wlab_figure_put_style(out, points_of(s));
    code = code ? code : wlab_buf_printf(out, "\nset terminal %s\nset output ", terminal);
    if (!code && (code = wlab_quote_file(out, output, err)))
        return code;
    if (!code)
        code = wlab_buf_printf(out, "\ndata = ");
    if (!code && (code = wlab_quote_file(out, data, err)))
        return code;
    code = code ? code : wlab_buf_printf(out, s->n > 1 ? "\nset multiplot\n" : "\n");
    for (int i = 0; i < s->n && !code; i++) {
        const wlab_figure *f = &s->figure[i];
        code = f->failed ? WL_ENOMEM : s->n > 1 ? put_place(s, i, out) : WL_OK;
        code =
            code ? code : wlab_figure_body(f, "data", block, title_of(s, i, own), papers, points_of(s), out);
        block += f->blocks;
    }
    code = code ? code : wlab_buf_printf(out, s->n > 1 ? "unset multiplot\nset output\n" : "set output\n");
    return code ? wlab_nomem(err) : WL_OK;
}
