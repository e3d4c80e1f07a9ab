/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures: filling them, and reading their points, values and ranges.
 */
#include "plot/figure.h"
#include <float.h>
#include <math.h>
#include <string.h>

void wlab_figure_init(wlab_figure *f, bool text)
{
    memset(f, 0, sizeof *f);
    f->text = text;
    f->xlo = f->xhi = f->ylo = f->yhi = NAN;
    f->y_tics = -INFINITY;
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
        wlab_free(f->series[i].style);
        wlab_free(f->series[i].title);
    }
    for (int i = 0; i < f->titles; i++)
        wlab_free(f->title[i]);
    for (int i = 0; i < f->events; i++)
        wlab_free(f->event[i].text);
    wlab_free(f->event);
    wlab_free(f->block);
    wlab_free(f->series);
    wlab_free(f->xlabel);
    wlab_free(f->ylabel);
    wlab_buf_clear(&f->before);
    wlab_figure_init(f, f->text);
}

/* Returns `text`.  If it is NULL, memory ran out: sets `failed`. */
static char *check_text(wlab_figure *f, char *text)
{
    if (!text)
        f->failed = true;
    return text;
}

void wlab_figure_title(wlab_figure *f, const char *fmt, ...)
{
    const size_t width = f->text ? 76 : 96;
    va_list ap;
    va_start(ap, fmt);
    char *text = check_text(f, wlab_vformat(fmt, ap)), *p = text;
    va_end(ap);
    while (p && *p && f->titles < WL_FIG_TITLES) {
        size_t n = strlen(p);
        if (n > width && f->titles + 1 < WL_FIG_TITLES) { /* break at the last space that fits */
            for (n = width; n && p[n] != ' '; n--)
                ;
            n = n ? n : strlen(p);
        }
        if (!(f->title[f->titles] = check_text(f, wlab_strndup(p, n))))
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
    f->xlabel = check_text(f, wlab_strdup(xlabel));
    f->ylabel = check_text(f, wlab_strdup(ylabel));
}

void wlab_figure_before(wlab_figure *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = check_text(f, wlab_vformat(fmt, ap));
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
    if ((more[k->nabout] = check_text(f, wlab_vformat(fmt, ap))))
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
    *name = check_text(f, wlab_vformat(fmt, ap));
    va_end(ap);
}

double *wlab_figure_at(wlab_figure *f, int block, int64_t row, int column)
{
    if (f->failed)
        return &f->scrap;
    return &f->block[block].value[row * f->block[block].columns + column];
}

void wlab_figure_break(wlab_figure *f, int block, int64_t at)
{
    if (f->failed || block < 0)
        return;
    wlab_block *b = &f->block[block];
    const size_t columns = (size_t)b->columns, after = (size_t)(b->rows - at);
    double *value = wlab_realloc(b->value, ((size_t)b->rows + 1) * columns, sizeof *value);
    if (!value) {
        f->failed = true;
        return;
    }
    b->value = value;
    value += at * b->columns;
    memmove(value + columns, value, after * columns * sizeof *value);
    for (size_t k = 0; k < columns; k++)
        value[k] = NAN;
    b->rows++;
}

void wlab_figure_series(wlab_figure *f, const wlab_series *like, const char *title, const char *style)
{
    if (f->failed)
        return;
    wlab_series *all = wlab_realloc(f->series, (size_t)f->nseries + 1, sizeof *all), *s;
    if (!all) {
        f->failed = true;
        return;
    }
    f->series = all;
    s = &all[f->nseries++];
    *s = *like;
    s->style = check_text(f, wlab_strdup(style));
    s->title = title ? check_text(f, wlab_strdup(title)) : NULL;
}

void wlab_figure_cover_x(wlab_figure *f, double x)
{
    if (isfinite(x)) {
        f->xlo = fmin(f->xlo, x); /* fmin ignores the NaN of an empty range */
        f->xhi = fmax(f->xhi, x);
    }
}

void wlab_figure_event(wlab_figure *f, double x, int ink, const char *text)
{
    char *copy = check_text(f, wlab_strdup(text));
    wlab_happening *e = copy ? wlab_realloc(f->event, (size_t)f->events + 1, sizeof *e) : NULL;
    if (!e) {
        wlab_free(copy);
        f->failed = true;
        return;
    }
    f->event = e;
    f->event[f->events++] = (wlab_happening){.x = x, .text = copy, .ink = ink};
}

bool wlab_figure_cover(wlab_figure *f, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || (f->logy && y <= 0) || (f->logx && x <= 0))
        return false;
    wlab_figure_cover_x(f, x);
    f->ylo = fmin(f->ylo, y);
    f->yhi = fmax(f->yhi, y);
    return true;
}

/* ---- reading ---- */

int64_t wlab_series_points(const wlab_figure *f, const wlab_series *s)
{
    return s->draw == WL_D_IMAGE || s->draw == WL_D_CONTOUR ? 0 : f->block[s->block].rows;
}

bool wlab_series_point(const wlab_figure *f, const wlab_series *s, int64_t i, double *x, double *y)
{
    const wlab_block *b = &f->block[s->block];
    const double *row = b->value + i * b->columns;
    for (int k = 0; k < s->wheres; k++)
        if (row[s->where[k].column - 1] != s->where[k].value)
            return false;
    *x = row[s->x - 1] + (s->shifted ? s->shift : 0);
    *y = row[s->y - 1];
    return isfinite(*x) && isfinite(*y) && !(s->positive && *y <= 0);
}

double wlab_figure_value(const wlab_figure *f, double x, double y)
{
    for (int k = 0; k < f->blocks; k++) {
        const wlab_block *b = &f->block[k];
        if (!b->scan || b->aside)
            continue;
        int64_t nx = b->scan, ny = b->rows / nx;
        const double *first = b->value, *last = b->value + (b->rows - 1) * b->columns;
        double i = (x - first[0]) / (last[0] - first[0]) * (double)(nx - 1);
        double j = (y - first[1]) / (last[1] - first[1]) * (double)(ny - 1);
        if (!(i >= -0.5 && i < (double)nx - 0.5 && j >= -0.5 && j < (double)ny - 0.5))
            return NAN;
        return b->value[(lround(j) * nx + lround(i)) * b->columns + 2];
    }
    return NAN;
}

bool wlab_figure_ranges(const wlab_figure *f, double *xlo, double *xhi, double *ylo, double *yhi)
{
    const double most = DBL_MAX / 4;
    double x0 = f->xlo, x1 = f->xhi, y0 = f->ylo, y1 = f->yhi;
    const bool empty_x = isnan(x0), empty_y = isnan(y0);
    if (empty_x) {
        x0 = f->logx ? 0.1 : 0;
        x1 = 1;
    }
    if (empty_y) {
        y0 = f->logy ? 0.1 : 0;
        y1 = 1;
    }
    if (!f->fixed && !empty_x) {
        double pad = x1 > x0 ? 0.02 * (x1 - x0) : f->whole_x ? 1 : fmax(fabs(x0) * 0.1, 1e-3);
        if (f->logx) {
            pad = x1 > x0 ? pow(x1 / x0, 0.02) : 2;
            x0 /= pad;
            x1 *= pad;
        } else {
            x0 -= pad;
            x1 += pad;
        }
    }
    if (!f->fixed && !empty_y) {
        double pad;
        if (f->logy) {
            pad = fmax(y1 > y0 ? 1.1 : 2, pow(y1 / y0, 0.06));
            y0 /= pad;
            y1 *= pad;
        } else {
            /* a difference that is only rounding error counts as none */
            bool flat = !(y1 - y0 > 1e-12 * fmax(fabs(y0), fabs(y1)));
            pad = !flat ? 0.05 * (y1 - y0) : fabs(y0) > 0 ? 0.1 * fabs(y0) : 1;
            y0 = f->zero_y && y0 >= 0 ? 0 : y0 - pad;
            y1 += pad;
        }
    }
    bool fine = isfinite(y0) && isfinite(y1) && !(f->logy && !(y0 > 0));
    *xlo = fmin(fmax(x0, f->logx ? DBL_MIN : -most), most);
    *xhi = fmin(fmax(x1, -most), most);
    *ylo = fmin(fmax(y0, f->logy ? DBL_MIN : -most), most);
    *yhi = fmin(fmax(y1, -most), most);
    if (!(*xlo < *xhi)) {
        *xlo -= fmax(1, fabs(*xlo) * 1e-9);
        *xhi += fmax(1, fabs(*xhi) * 1e-9);
    }
    if (!(*ylo < *yhi))
        *yhi = *ylo + fmax(1, fabs(*ylo) * 1e-9);
    return fine;
}

/* Set kept[i] for the rows that a thinned series needs: of each part of the x axis the first, last, lowest and highest
 * row, and the first row of every gap. */
static void mark_rows(const wlab_figure *f, const wlab_series *s, int columns, bool *kept)
{
    const double width = f->xhi - f->xlo;
    int64_t n = wlab_series_points(f, s), first = -1, last = -1, low = -1, high = -1;
    long part = -1;
    bool broken = false; /* the previous row has no value */
    double lowest = 0, highest = 0;
    for (int64_t i = 0; i <= n; i++) {
        double x = 0, y = 0;
        bool there = i < n && wlab_series_point(f, s, i, &x, &y);
        long now = there ? lround((x - f->xlo) / width * columns) : part;
        if ((i == n || (there && now != part)) && first >= 0) {
            kept[first] = kept[last] = kept[low] = kept[high] = true;
            first = -1;
        }
        if (i == n)
            break;
        if (!there) {
            kept[i] = kept[i] || !broken;
            broken = true;
            continue;
        }
        broken = false;
        part = now;
        if (first < 0) {
            first = low = high = i;
            lowest = highest = y;
        }
        last = i;
        if (y < lowest) {
            lowest = y;
            low = i;
        }
        if (y > highest) {
            highest = y;
            high = i;
        }
    }
}

void wlab_figure_thin(wlab_figure *f, int columns)
{
    for (int k = 0; k < f->blocks && !f->failed && columns > 0; k++) {
        wlab_block *b = &f->block[k];
        bool fits = !b->scan && b->rows > 4 * (int64_t)columns && f->xhi > f->xlo, drawn = false;
        for (int i = 0; i < f->nseries; i++) {
            drawn = drawn || f->series[i].block == k;
            fits = fits && !(f->series[i].block == k && f->series[i].wheres);
        }
        if (!fits || !drawn) /* a pane reads a block that no series draws */
            continue;
        bool *kept = wlab_calloc((size_t)b->rows, sizeof *kept);
        if (!kept) {
            f->failed = true;
            return;
        }
        for (int i = 0; i < f->nseries; i++)
            if (f->series[i].block == k)
                mark_rows(f, &f->series[i], columns, kept);
        int64_t rows = 0;
        for (int64_t i = 0; i < b->rows; i++)
            if (kept[i]) {
                memmove(b->value + rows * b->columns, b->value + i * b->columns,
                        (size_t)b->columns * sizeof *b->value);
                rows++;
            }
        b->rows = rows;
        wlab_free(kept);
    }
}
