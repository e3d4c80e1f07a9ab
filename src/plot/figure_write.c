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
static wlab_code put_log_tics(char axis, double lo, double hi, wlab_buf *out)
{
    wlab_code code = wlab_buf_printf(out, "set logscale %c\n", axis);
    if (code || hi / lo >= 1000)
        return code ? code : wlab_buf_printf(out, "set format %c '1e%%T'\n", axis);
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
    return code ? code : wlab_buf_printf(out, ")\nset format %c '%%.6g'\n", axis);
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
        code = put_log_tics('x', xlo, xhi, out);
    else if (!code && f->whole_x)
        code = wlab_buf_printf(out, "set xtics %.10g\n", whole_step(xhi - xlo));
    if (!code && f->whole_y && !f->logy)
        code = wlab_buf_printf(out, "set ytics %.10g\n", whole_step(yhi - ylo));
    if (!code && f->logy)
        code = fine ? put_log_tics('y', ylo, yhi, out) : wlab_buf_printf(out, "set logscale y\n");
    return code;
}

static wlab_code put_title(const wlab_figure *f, wlab_buf *out)
{
    wlab_code code = WL_OK;
    for (int i = 0; i < f->titles && !code; i++) {
        code = wlab_buf_printf(out, i ? " . \"\\n\" . \\\n    " : "set title ");
        code = code ? code : wlab_quote_text(out, f->title[i]);
    }
    return code || !f->titles ? code : wlab_buf_printf(out, " noenhanced\n");
}

static wlab_code put_label(wlab_buf *out, const char *axis, const char *label)
{
    wlab_code code = WL_OK;
    if (label) {
        code = wlab_buf_printf(out, "set %slabel ", axis);
        code = code ? code : wlab_quote_text(out, label);
        code = code ? code : wlab_buf_printf(out, " noenhanced\n");
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
    if (code || (!s->wheres && !s->positive))
        return code ? code : wlab_buf_printf(out, "%d", s->y);
    code = wlab_buf_printf(out, "(");
    if (!code && s->positive)
        code = wlab_buf_printf(out, "column(%d) > 0", s->y);
    for (int i = 0; i < s->wheres && !code; i++)
        code = wlab_buf_printf(out, "%scolumn(%d) == %d", i || s->positive ? " && " : "", s->where[i].column,
                               s->where[i].value);
    return code ? code : wlab_buf_printf(out, " ? column(%d) : NaN)", s->y);
}

/* `data`: the name of the data in the script. */
static wlab_code put_series(const wlab_series *s, const char *data, wlab_buf *out)
{
    wlab_code code = s->draw == WL_D_CONTOUR ? wlab_buf_printf(out, "%s using ", s->from)
                                             : wlab_buf_printf(out, "%s index %d using ", data, s->block);
    code = code ? code : put_using(s, out);
    if (code || !s->title)
        return code ? code : wlab_buf_printf(out, " notitle %s", s->style);
    code = wlab_buf_printf(out, " title ");
    code = code ? code : wlab_quote_text(out, s->title);
    return code ? code : wlab_buf_printf(out, " noenhanced %s", s->style);
}

/* Grids: compute the contours as datablocks, which put_series draws as lines. */
static wlab_code put_contours(const wlab_figure *f, const char *data, wlab_buf *out)
{
    wlab_code code = WL_OK;
    bool grid = false;
    for (int b = 0; b < f->blocks; b++)
        grid = grid || f->block[b].scan;
    if (!grid)
        return WL_OK;
    code = wlab_buf_printf(out, "set contour base\nunset surface\n");
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
                                s->from, data, s->block);
    }
    return code ? code : wlab_buf_printf(out, "unset contour\nset surface\n");
}

/* Everything in a script after the terminal and the data. */
static wlab_code put_body(const wlab_figure *f, const char *data, wlab_buf *out)
{
    wlab_code code = f->text ? wlab_buf_printf(out, "unset grid\n") : WL_OK;
    code = code ? code : put_title(f, out);
    code = code ? code : put_label(out, "x", f->xlabel);
    code = code ? code : put_label(out, "y", f->ylabel);
    code = code ? code : put_ranges(f, out);
    if (!code && f->before.len)
        code = wlab_buf_put(out, f->before.data, f->before.len);
    code = code ? code : put_contours(f, data, out);
    for (int i = 0; i < f->nseries && !code; i++) {
        code = wlab_buf_printf(out, i ? ", \\\n     " : "plot ");
        code = code ? code : put_series(&f->series[i], data, out);
    }
    return code ? code : wlab_buf_printf(out, "\n");
}

wlab_code wlab_figure_gp(const wlab_figure *f, const char *terminal, const char *data, const char *output,
                         const char *kinds, wlab_buf *out, wlab_err *err)
{
    wlab_code code = f->failed ? WL_ENOMEM : WL_OK;

    code = code ? code : wlab_buf_printf(out, "# Draws ");
    code = code ? code : wlab_quote_comment(out, output);
    code = code ? code : wlab_buf_printf(out, " from ");
    code = code ? code : wlab_quote_comment(out, data);
    code = code ? code
                : wlab_buf_printf(out, "; run gnuplot on this file, in this folder.%s%s\n",
                                  kinds ? WL_FIG_PICTURES : "", kinds ? kinds : "");
    code =
        code ? code : wlab_buf_printf(out, "%s\nset terminal %s\nset output ", wlab_figure_style, terminal);
    if (!code && (code = wlab_quote_file(out, output, err)))
        return code;
    if (!code)
        code = wlab_buf_printf(out, "\ndata = ");
    if (!code && (code = wlab_quote_file(out, data, err)))
        return code;
    code = code ? code : wlab_buf_printf(out, "\n");
    code = code ? code : put_body(f, "data", out);
    code = code ? code : wlab_buf_printf(out, "set output\n");
    return code ? wlab_nomem(err) : WL_OK;
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
    code = code ? code : put_body(f, "$data", out);
    return code ? wlab_nomem(err) : WL_OK;
}
