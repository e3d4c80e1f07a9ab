/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures: filling them, and writing .dat and .gp.
 */
#include "plot/figure.h"
#include "plot/quote.h"
#include <math.h>
#include <string.h>

/* plots/style.gp holds the same text; a test compares them. */
const char wlab_figure_style[] =
    "# The look of weaklab's figures; every .gp that `plot` writes begins with it.\n"
    "# Colours: Okabe and Ito's palette, which the colour-blind tell apart too.\n"
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
    "set grid lt 1 lc rgb '#d9d9d9' lw 1.0\n"
    "set key outside bottom center horizontal Left reverse noenhanced samplen 3 width 1 height 0.8\n";

void wlab_figure_init(wlab_figure *f, bool text)
{
    memset(f, 0, sizeof *f);
    f->text = text;
    f->xlo = f->xhi = f->ylo = f->yhi = NAN;
}

void wlab_figure_clear(wlab_figure *f)
{
    for (int b = 0; b < f->blocks; b++) {
        wlab_block *k = &f->block[b];
        for (int i = 0; i < k->nabout; i++)
            wlab_free(k->about[i]);
        for (int i = 0; k->column && i < k->columns; i++)
            wlab_free(k->column[i]);
        wlab_free(k->about);
        wlab_free(k->column);
        wlab_free(k->value);
    }
    for (int i = 0; i < f->nseries; i++) {
        wlab_free(f->series[i].using);
        wlab_free(f->series[i].style);
        wlab_free(f->series[i].title);
    }
    for (int i = 0; i < f->titles; i++)
        wlab_free(f->title[i]);
    wlab_free(f->block);
    wlab_free(f->series);
    wlab_free(f->xlabel);
    wlab_free(f->ylabel);
    wlab_buf_clear(&f->before);
    wlab_figure_init(f, f->text);
}

static char *keep(wlab_figure *f, char *text)
{
    if (!text)
        f->failed = true;
    return text;
}

void wlab_figure_title(wlab_figure *f, const char *fmt, ...)
{
    const size_t width = f->text ? 76 : 105;
    va_list ap;
    va_start(ap, fmt);
    char *text = keep(f, wlab_vformat(fmt, ap)), *p = text;
    va_end(ap);
    while (p && *p && f->titles < WL_FIG_TITLES) {
        size_t n = strlen(p);
        if (n > width && f->titles + 1 < WL_FIG_TITLES) { /* break at the last space that fits */
            for (n = width; n && p[n] != ' '; n--)
                ;
            n = n ? n : strlen(p);
        }
        if (!(f->title[f->titles] = keep(f, wlab_strndup(p, n))))
            break;
        f->titles++;
        p += n;
        p += *p == ' ';
    }
    wlab_free(text);
}

void wlab_figure_axes(wlab_figure *f, const char *xlabel, const char *ylabel)
{
    wlab_free(f->xlabel);
    wlab_free(f->ylabel);
    f->xlabel = keep(f, wlab_strdup(xlabel));
    f->ylabel = keep(f, wlab_strdup(ylabel));
}

void wlab_figure_before(wlab_figure *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = keep(f, wlab_vformat(fmt, ap));
    va_end(ap);
    if (text && wlab_buf_put(&f->before, text, strlen(text)))
        f->failed = true;
    wlab_free(text);
}

int wlab_figure_block(wlab_figure *f, int64_t rows, int columns)
{
    wlab_block *all = f->failed ? NULL : wlab_realloc(f->block, (size_t)f->blocks + 1, sizeof *all), *k;
    if (!all) {
        f->failed = true;
        return -1;
    }
    f->block = all;
    k = &all[f->blocks];
    memset(k, 0, sizeof *k);
    k->column = wlab_calloc((size_t)columns, sizeof *k->column);
    k->value = wlab_alloc((size_t)rows, (size_t)columns * sizeof(double));
    if (!k->column || !k->value) {
        wlab_free(k->column);
        wlab_free(k->value);
        f->failed = true;
        return -1;
    }
    k->columns = columns;
    k->rows = rows;
    for (int64_t i = 0; i < rows * columns; i++)
        k->value[i] = NAN;
    return f->blocks++;
}

void wlab_figure_about(wlab_figure *f, int block, const char *fmt, ...)
{
    va_list ap;
    if (f->failed)
        return;
    wlab_block *k = &f->block[block];
    char **more = wlab_realloc(k->about, (size_t)k->nabout + 1, sizeof *more);
    if (!more) {
        f->failed = true;
        return;
    }
    k->about = more;
    va_start(ap, fmt);
    if ((more[k->nabout] = keep(f, wlab_vformat(fmt, ap))))
        k->nabout++;
    va_end(ap);
}

void wlab_figure_column(wlab_figure *f, int block, int column, const char *fmt, ...)
{
    va_list ap;
    if (f->failed)
        return;
    char **name = &f->block[block].column[column];
    wlab_free(*name);
    va_start(ap, fmt);
    *name = keep(f, wlab_vformat(fmt, ap));
    va_end(ap);
}

double *wlab_figure_at(wlab_figure *f, int block, int64_t row, int column)
{
    if (f->failed)
        return &f->scrap;
    return &f->block[block].value[row * f->block[block].columns + column];
}

void wlab_figure_series(wlab_figure *f, int block, const char *from, const char *title, const char *using,
                        const char *style)
{
    if (f->failed)
        return;
    wlab_series *all = wlab_realloc(f->series, (size_t)f->nseries + 1, sizeof *all);
    if (!all) {
        f->failed = true;
        return;
    }
    f->series = all;
    all[f->nseries++] = (wlab_series){.block = block,
                                      .from = from,
                                      .using = keep(f, wlab_strdup(using)),
                                      .style = keep(f, wlab_strdup(style)),
                                      .title = title ? keep(f, wlab_strdup(title)) : NULL};
}

void wlab_figure_cover_x(wlab_figure *f, double x)
{
    if (isfinite(x)) {
        f->xlo = fmin(f->xlo, x); /* fmin ignores the NaN of an empty range */
        f->xhi = fmax(f->xhi, x);
    }
}

bool wlab_figure_cover(wlab_figure *f, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || (f->logy && y <= 0))
        return false;
    wlab_figure_cover_x(f, x);
    f->ylo = fmin(f->ylo, y);
    f->yhi = fmax(f->yhi, y);
    return true;
}

/* ---- writing ---- */

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
            for (int c = 0; c < k->columns && !code; c++) {
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

/* Tics of a log axis: decades; over less than three of them 1, 2 and 5 of each; over less than one, even steps. */
static wlab_code put_log_tics(double lo, double hi, wlab_buf *out)
{
    wlab_code code = wlab_buf_printf(out, "set logscale y\n");
    if (code || hi / lo >= 1000)
        return code ? code : wlab_buf_printf(out, "set format y '1e%%T'\n");
    const char *comma = "";
    code = wlab_buf_printf(out, "set ytics (");
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
    return code ? code : wlab_buf_printf(out, ")\nset format y '%%.6g'\n");
}

static wlab_code put_ranges(const wlab_figure *f, wlab_buf *out)
{
    wlab_code code = WL_OK;
    double xlo = f->xlo, xhi = f->xhi, ylo = f->ylo, yhi = f->yhi;
    if (isnan(xlo) ||
        isnan(ylo)) { /* no point at all: an empty frame, which gnuplot would refuse to range by itself */
        xlo = ylo = f->logy ? 0.1 : 0;
        xhi = yhi = 1;
    } else if (f->fixed) {
        ;
    } else {
        double pad = xhi > xlo ? 0.02 * (xhi - xlo) : f->whole_x ? 1 : fmax(fabs(xlo) * 0.1, 1e-3);
        xlo -= pad;
        xhi += pad;
        if (f->logy) {
            pad = fmax(yhi > ylo ? 1.1 : 2, pow(yhi / ylo, 0.06));
            ylo /= pad;
            yhi *= pad;
        } else {
            /* a difference that is mere rounding is no range */
            bool flat = !(yhi - ylo > 1e-12 * fmax(fabs(ylo), fabs(yhi)));
            pad = !flat ? 0.05 * (yhi - ylo) : fabs(ylo) > 0 ? 0.1 * fabs(ylo) : 1;
            ylo = f->zero_y && ylo >= 0 ? 0 : ylo - pad;
            yhi += pad;
        }
    }
    if (!isfinite(ylo) || !isfinite(yhi) || (f->logy && !(ylo > 0))) /* at the end of the doubles */
        code = wlab_buf_printf(out, "set autoscale y\n");
    else
        code = wlab_buf_printf(out, "set yrange [%.15g:%.15g]\n", ylo, yhi);
    if (!code)
        code = wlab_buf_printf(out, "set xrange [%.15g:%.15g]\n", xlo, xhi);
    if (!code && f->whole_x)
        code = wlab_buf_printf(out, "set xtics %.10g\n", whole_step(xhi - xlo));
    if (!code && f->whole_y && !f->logy)
        code = wlab_buf_printf(out, "set ytics %.10g\n", whole_step(yhi - ylo));
    if (!code && f->logy)
        code =
            isfinite(yhi) && ylo > 0 ? put_log_tics(ylo, yhi, out) : wlab_buf_printf(out, "set logscale y\n");
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

static wlab_code put_series(const wlab_series *s, wlab_buf *out)
{
    wlab_code code = s->block >= 0 ? wlab_buf_printf(out, "data index %d using %s", s->block, s->using)
                                   : wlab_buf_printf(out, "%s using %s", s->from, s->using);
    if (code || !s->title)
        return code ? code : wlab_buf_printf(out, " notitle %s", s->style);
    code = wlab_buf_printf(out, " title ");
    code = code ? code : wlab_quote_text(out, s->title);
    return code ? code : wlab_buf_printf(out, " noenhanced %s", s->style);
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
    if (!code && f->text)
        code = wlab_buf_printf(out, "unset grid\n");
    code = code ? code : put_title(f, out);
    code = code ? code : put_label(out, "x", f->xlabel);
    code = code ? code : put_label(out, "y", f->ylabel);
    code = code ? code : put_ranges(f, out);
    if (!code && f->before.len)
        code = wlab_buf_put(out, f->before.data, f->before.len);
    for (int i = 0; i < f->nseries && !code; i++) {
        code = wlab_buf_printf(out, i ? ", \\\n     " : "plot ");
        code = code ? code : put_series(&f->series[i], out);
    }
    code = code ? code : wlab_buf_printf(out, "\nset output\n");
    return code ? wlab_nomem(err) : WL_OK;
}
