/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures: writing the data file (.dat) and the gnuplot script (.gp).
 */
#include "plot/draw/quote.h"
#include "plot/figure.h"
#include <math.h>
#include <string.h>
#include <sys/random.h>

/* The same text as in plots/style.gp; a test compares them. */
const char wlab_figure_style[] =
    "# The style of weaklab's figures; every .gp that `plot` writes begins with it.\n"
    "# Colours: Okabe and Ito's palette, which colour-blind people can distinguish too.\n"
    "set encoding utf8\n"
    "set datafile commentschars '#'\n"
    "set datafile missing NaN\n"
    "set style line 1 lc rgb '#0072b2' lw 2.4 dt 1 pt 7 ps 1.1\n"
    "set style line 2 lc rgb '#d55e00' lw 2.4 dt 2 pt 11 ps 1.4\n"
    "set style line 3 lc rgb '#009e73' lw 2.4 dt 4 pt 9 ps 1.4\n"
    "set style line 4 lc rgb '#cc79a7' lw 2.4 dt 3 pt 13 ps 1.4\n"
    "set style line 5 lc rgb '#e69f00' lw 2.4 dt 5 pt 5 ps 1.1\n"
    "set style line 6 lc rgb '#56b4e9' lw 2.4 dt 1 pt 6 ps 1.3\n"
    "set style line 7 lc rgb '#000000' lw 2.4 dt 2 pt 8 ps 1.3\n"
    "set style line 8 lc rgb '#999999' lw 1.0 dt 1 pt 4 ps 0.6\n"
    "set border 3 lc rgb '#444444'\n"
    "set tics nomirror out\n"
    "set format '%.10g'\n"
    "set grid lt 1 lc rgb '#d9d9d9' lw 1.0\n"
    "set key outside bottom center horizontal Left reverse noenhanced samplen 3 width 1 height 0.8\n";

static bool is_empty_row(const wlab_block *b, int64_t row)
{
    for (int c = 0; c < b->columns; c++)
        if (isfinite(b->value[row * b->columns + c]))
            return false;
    return true;
}

wlab_code wlab_figure_dat(const wlab_figure *f, wlab_buf *out, wlab_err *err)
{
    wlab_code code = f->failed ? WL_ENOMEM : WL_OK;

    for (int b = 0; b < f->blocks && !code; b++) {
        const wlab_block *k = &f->block[b];
        if (b)
            code = wlab_buf_printf(out, "\n\n");
        for (int i = 0; i < k->nabout && !code; i++) {
            code = wlab_buf_printf(out, "# ");
            code = code ? code : wlab_quote_comment(out, k->about[i]);
            code = code ? code : wlab_buf_printf(out, "\n");
        }
        if (!code)
            code = wlab_buf_printf(out, "# columns:");
        for (int c = 0; c < k->columns && !code; c++) {
            code = wlab_buf_printf(out, " %d ", c + 1);
            code = code ? code : wlab_quote_comment(out, k->column[c] ? k->column[c] : "-");
        }
        code = code ? code : wlab_buf_printf(out, "\n");
        for (int64_t i = 0; i < k->rows && !code; i++) {
            /* a blank line interrupts a curve */
            const bool gap = is_empty_row(k, i) && i > 0 && !is_empty_row(k, i - 1);
            for (int c = 0; c < k->columns && !code && !gap; c++) {
                double v = k->value[i * k->columns + c];
                code = isfinite(v)
                           ? wlab_buf_printf(out, "%s%.*g", c ? " " : "", k->digits ? k->digits : 17, v)
                           : wlab_buf_printf(out, "%sNaN", c ? " " : "");
            }
            code = code ? code : wlab_buf_printf(out, "\n");
            if (!code && k->scan && (i + 1) % k->scan == 0 && i + 1 < k->rows)
                code = wlab_buf_printf(out, "\n");
        }
    }
    return code ? wlab_nomem(err) : WL_OK;
}

/* A step of 1, 2 or 5 times a power of ten, at least 1, giving about ten tics. */
static double whole_step(double width)
{
    double step = 1;
    while (width / step > 10)
        step = width / (step * 2) <= 10 ? step * 2 : width / (step * 5) <= 10 ? step * 5 : step * 10;
    return step;
}

/* Tics of a log axis: at decades; for a range of less than three decades at 1, 2 and 5 of each; for less than one
 * decade at even steps. */
static wlab_code put_log_tics(char axis, double lo, double hi, bool latex, wlab_buf *out)
{
    wlab_code code = wlab_buf_printf(out, "set logscale %c\n", axis);
    if (code || hi / lo >= 1000)
        return code ? code
                    : wlab_buf_printf(out, latex ? "set format %c '$10^{%%T}$'\n" : "set format %c '1e%%T'\n",
                                      axis);
    const char *comma = "";
    code = wlab_buf_printf(out, "set %ctics (", axis);
    if (hi / lo < 10) {
        double step = pow(10, floor(log10(hi - lo)));
        step = (hi - lo) / step < 2 ? step / 5 : (hi - lo) / step < 5 ? step / 2 : step;
        for (double k = ceil(lo / step); k * step <= hi && !code; k++, comma = ", ")
            code = wlab_buf_printf(out, "%s%.6g", comma, k * step);
    } else {
        static const int digit[] = {1, 2, 5};
        for (int e = (int)floor(log10(lo)); e <= (int)ceil(log10(hi)); e++)
            for (int d = 0; d < 3 && !code; d++) {
                double v = digit[d] * pow(10, e);
                if (v < lo || v > hi)
                    continue;
                code = wlab_buf_printf(out, "%s%.6g", comma, v);
                comma = ", ";
            }
    }
    return code ? code
                : wlab_buf_printf(out, latex ? ")\nset format %c '$%%.6g$'\n" : ")\nset format %c '%%.6g'\n",
                                  axis);
}

static wlab_code put_ranges(const wlab_figure *f, wlab_buf *out)
{
    double xlo, xhi, ylo, yhi;
    bool fine = wlab_figure_ranges(f, &xlo, &xhi, &ylo, &yhi);
    wlab_code code = fine ? wlab_buf_printf(out, "set yrange [%.15g:%.15g]\n", ylo, yhi)
                          : wlab_buf_printf(out, "set autoscale y\n");
    if (!code)
        code = wlab_buf_printf(out, "set xrange [%.15g:%.15g]\n", xlo, xhi);
    if (!code && f->logx)
        code = put_log_tics('x', xlo, xhi, f->latex, out);
    else if (!code && f->whole_x)
        code = wlab_buf_printf(out, "set xtics %.10g\n", whole_step(xhi - xlo));
    if (!code && f->whole_y && !f->logy)
        code = wlab_buf_printf(out, "set ytics %.10g\n", whole_step(yhi - ylo));
    if (!code && f->logy)
        code = fine ? put_log_tics('y', ylo, yhi, f->latex, out) : wlab_buf_printf(out, "set logscale y\n");
    return code;
}

wlab_code wlab_figure_quote(const wlab_figure *f, wlab_buf *out, const char *text)
{
    return f->latex ? wlab_quote_latex(out, text) : wlab_quote_text(out, text);
}

static wlab_code put_title(const wlab_figure *f, const char *instead, wlab_buf *out)
{
    wlab_code code = WL_OK;
    if (instead && !*instead)
        return WL_OK;
    for (int i = 0; i < (instead ? 1 : f->titles) && !code; i++) {
        code = wlab_buf_printf(out, i ? " . \"\\n\" . \\\n    " : "set title ");
        code = code ? code : wlab_figure_quote(f, out, instead ? instead : f->title[i]);
    }
    return code || !(instead || f->titles) ? code : wlab_buf_printf(out, " noenhanced\n");
}

/* Symbols as the papers print them. */
static const struct symbol {
    const char *word, *printed, *latex;
} symbols[] = {
    {"lambda'", "λ′", "$\\lambda'$"},
    {"lambda_e", "λₑ", "$\\lambda_e$"},
    {"lambda_u/(2u)", "λᵤ/(2u)", "$\\lambda_u/(2u)$"},
    {"lambda", "λ", "$\\lambda$"},
    {"mu", "μ", "$\\mu$"},
    {"delta", "δ", "$\\delta$"},
    {"||f||^2/2", "‖f‖²/2", "$\\|f\\|^2/2$"},
    {"C*/C", "C*/C", "$C^*\\!/C$"},
    {"C*", "C*", "$C^*$"},
    {"x1", "x₁", "$x_1$"},
    {"x2", "x₂", "$x_2$"},
    {"f", "f", "$f$"},
    {"o", "o", "$o$"},
    {"t", "t", "$t$"},
    {"J", "J", "$J$"},
    {"T", "T", "$T$"},
};

/* The symbol at `at`, which is a word of `text`; NULL: none. */
static const struct symbol *symbol_at(const char *text, const char *at)
{
    static const char of_words[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (at > text && strchr(of_words, at[-1]))
        return NULL;
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        const size_t n = strlen(symbols[k].word);
        if (strncmp(at, symbols[k].word, n) == 0 && !(at[n] && strchr(of_words, at[n])))
            return &symbols[k];
    }
    return NULL;
}

static wlab_code put_in_notation(wlab_buf *out, const char *label, bool latex)
{
    wlab_buf piece = {0};
    wlab_code code = WL_OK;

    for (const char *at = label; *at && !code;) {
        const struct symbol *symbol = symbol_at(label, at);
        const char *next = at + (symbol ? strlen(symbol->word) : 1);
        while (!symbol && *next && !symbol_at(label, next))
            next++;
        code = at > label ? wlab_buf_printf(out, ".") : WL_OK;
        wlab_buf_clear(&piece);
        code = code ? code : wlab_buf_printf(&piece, "%.*s", (int)(next - at), at);
        if (!code && symbol) /* no user's text: LaTeX's own signs act */
            code = wlab_quote_text(out, latex ? symbol->latex : symbol->printed);
        else if (!code)
            code = latex ? wlab_quote_latex(out, (const char *)piece.data)
                         : wlab_quote_text(out, (const char *)piece.data);
        at = next;
    }
    wlab_buf_clear(&piece);
    return code ? code : *label ? WL_OK : wlab_buf_printf(out, "''");
}

static wlab_code put_label(const wlab_figure *f, const char *axis, const char *label, bool papers,
                           wlab_buf *out)
{
    wlab_code code = WL_OK;
    if (label) {
        code = wlab_buf_printf(out, "set %slabel ", axis);
        code = code                  ? code
               : papers && !f->names ? put_in_notation(out, label, f->latex)
                                     : wlab_figure_quote(f, out, label);
        code = code ? code
                    : wlab_buf_printf(out, papers && !f->text ? " noenhanced offset %s\n" : " noenhanced\n",
                                      *axis == 'x' ? "0,0.8"
                                      : f->latex   ? "0,0"
                                                   : "1,0");
    }
    return code;
}

static wlab_code put_using(const wlab_series *s, wlab_buf *out)
{
    wlab_code code = WL_OK;
    if (s->draw == WL_D_IMAGE)
        return wlab_buf_printf(out, "1:2:3");
    if (s->draw == WL_D_CONTOUR)
        return wlab_buf_printf(out, "1:2");
    if (s->draw == WL_D_BARS && s->base < 0) /* boxes from 0 are gnuplot's own */
        return s->width > 0
                   ? wlab_buf_printf(out, "%d:%d:($%d - %.6g):($%d + %.6g):(%.6g):%d", s->x, s->y, s->x,
                                     s->width / 2, s->x, s->width / 2, s->base, s->y)
                   : wlab_buf_printf(out, "%d:(%.6g):(0):($%d - %.6g)", s->x, s->base, s->y, s->base);
    if (s->shifted)
        code = wlab_buf_printf(out, "($%d + %.6g):", s->x, s->shift);
    else
        code = wlab_buf_printf(out, "%d:", s->x);
    if (!code && s->lo)
        return wlab_buf_printf(out, "%d:%d:%d", s->y, s->lo, s->hi);
    if (code || !s->wheres) /* on a log axis gnuplot interrupts the line at values of 0 or less */
        return code ? code : wlab_buf_printf(out, "%d", s->y);
    code = wlab_buf_printf(out, "(");
    for (int i = 0; i < s->wheres && !code; i++)
        code = wlab_buf_printf(out, "%scolumn(%d) == %d", i ? " && " : "", s->where[i].column,
                               s->where[i].value);
    return code ? code : wlab_buf_printf(out, " ? column(%d) : NaN)", s->y);
}

/* `data`: the name of the data in the script. */
/* Commands of our own, with the sizes of points ("ps 1.1") multiplied. */
static wlab_code put_scaled(wlab_buf *out, const char *commands, double points)
{
    wlab_code code = WL_OK;

    while (*commands && !code) {
        const char *ps = points != 1 ? strstr(commands, " ps ") : NULL, *rest = ps ? ps + 4 : NULL;
        double size = 0;
        char number[32];
        if (!ps)
            return wlab_buf_put(out, commands, strlen(commands));
        const size_t n = strspn(rest, "0123456789.");
        if (n > 0 && n < sizeof number) {
            memcpy(number, rest, n);
            number[n] = '\0';
        }
        const bool is_number = n > 0 && n < sizeof number && wlab_parse_real(number, &size);
        code = wlab_buf_put(out, commands, (size_t)(rest - commands));
        if (!code && is_number)
            code = wlab_buf_printf(out, "%.3g", size * points);
        commands = is_number ? rest + n : rest;
    }
    return code;
}

wlab_code wlab_figure_put_style(wlab_buf *out, double points)
{
    return put_scaled(out, wlab_figure_style, points);
}

static wlab_code put_series(const wlab_figure *f, const wlab_series *s, const char *data, int block,
                            double points, wlab_buf *out)
{
    wlab_code code = s->draw == WL_D_CONTOUR
                         ? wlab_buf_printf(out, "%s using ", s->from)
                         : wlab_buf_printf(out, "%s index %d using ", data, block + s->block);
    code = code ? code : put_using(s, out);
    if (code)
        return code;
    if (!s->title)
        code = wlab_buf_printf(out, " notitle ");
    else if (!(code = wlab_buf_printf(out, " title ")) && !(code = wlab_figure_quote(f, out, s->title)))
        code = wlab_buf_printf(out, " noenhanced ");
    return code ? code : put_scaled(out, s->style, points);
}

#define LATEX_FORMAT "set format '$%.10g$'\n"

/* Grids: compute the contours as datablocks, which put_series draws as lines. */
static wlab_code put_contours(const wlab_figure *f, const char *data, int block, wlab_buf *out)
{
    wlab_code code = WL_OK;
    bool grid = false;
    for (int b = 0; b < f->blocks; b++)
        grid = grid || f->block[b].scan;
    if (!grid)
        return WL_OK;
    /* a table is written in the format of the tics: LaTeX's is not one of numbers */
    code =
        wlab_buf_printf(out, "%sset contour base\nunset surface\n", f->latex ? "set format '%.10g'\n" : "");
    for (int i = 0; i < f->nseries && !code; i++) {
        const wlab_series *s = &f->series[i];
        if (s->draw != WL_D_CONTOUR)
            continue;
        code = wlab_buf_printf(out, "set cntrparam levels discrete ");
        for (int k = 0; k < s->levels && !code; k++)
            code = wlab_buf_printf(out, "%s%.6g", k ? "," : "", s->level[k]);
        if (!code)
            code =
                wlab_buf_printf(out, "\nset table %s\nsplot %s index %d using 1:2:3 notitle\nunset table\n",
                                s->from, data, block + s->block);
    }
    return code ? code : wlab_buf_printf(out, "unset contour\nset surface\n%s", f->latex ? LATEX_FORMAT : "");
}

wlab_code wlab_figure_body(const wlab_figure *f, const char *data, int block, const char *title, bool papers,
                           double points, wlab_buf *out)
{
    wlab_code code = f->text    ? wlab_buf_printf(out, "unset grid\n")
                     : f->latex ? wlab_buf_printf(out, "%s", LATEX_FORMAT)
                                : WL_OK;
    if (!code && papers && !f->text) /* in small pictures every line counts */
        code = wlab_buf_printf(out,
                               "set key samplen 2 spacing %s width -1 height 0.5\nset tics scale 0.6\n"
                               "set xtics offset 0,0.3\nset ytics offset 0.5,0\n",
                               f->latex ? "1.1" : "0.9");
    code = code ? code : put_title(f, title, out);
    code = code ? code : put_label(f, "x", f->xlabel, papers, out);
    code = code ? code : put_label(f, "y", f->ylabel, papers, out);
    code = code ? code : put_ranges(f, out);
    if (!code && f->before.len)
        code = wlab_buf_put(out, f->before.data, f->before.len);
    code = code ? code : put_contours(f, data, block, out);
    for (int i = 0; i < f->nseries && !code; i++) {
        code = wlab_buf_printf(out, i ? ", \\\n     " : "plot ");
        code = code ? code : put_series(f, &f->series[i], data, block, points, out);
    }
    return code ? code : wlab_buf_printf(out, "\n");
}

wlab_code wlab_figure_script(const wlab_figure *f, const char *terminal, wlab_buf *out, wlab_err *err)
{
    uint64_t end;
    wlab_code code;
    if (getrandom(&end, sizeof end, 0) != (ssize_t)sizeof end)
        return wlab_fail_errno(err, "cannot draw random numbers");
    code = wlab_buf_printf(out, "reset\n%s\nset terminal %s\n$data << END%016llx\n", wlab_figure_style,
                           terminal, (unsigned long long)end);
    if (!code && (code = wlab_figure_dat(f, out, err)))
        return code;
    code = code ? code : wlab_buf_printf(out, "END%016llx\n", (unsigned long long)end);
    code = code ? code : wlab_figure_body(f, "$data", 0, NULL, false, 1, out);
    return code ? wlab_nomem(err) : WL_OK;
}
