/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Axes of small pictures: their ranges, and tics on round numbers with short labels.
 */
#include "plot/draw/raster.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

double wlab_span_place(const wlab_axis_span *a, double v, int size)
{
    double t = a->log ? log(v / a->lo) / log(a->hi / a->lo) : (v - a->lo) / (a->hi - a->lo);
    return t * (size - 1);
}

/* Shorten an exponent: "1.5e-07" becomes "1.5e-7". */
static void shorten(char *text)
{
    char *e = strchr(text, 'e'), *p = e ? e + 1 : NULL, *q;
    if (!e)
        return;
    if (*p == '+')
        memmove(p, p + 1, strlen(p));
    p += *p == '-';
    for (q = p; *q == '0' && q[1]; q++)
        ;
    memmove(p, q, strlen(q) + 1);
}

/* Write v with enough digits to distinguish it from v + step; size: the largest absolute value on the axis, so that all
 * labels have the same format. */
static void label(double v, double step, double size, char text[12])
{
    char long_text[64];
    int decimals = (int)-floor(log10(step) + 1e-9);
    if (fabs(v) < step / 2)
        snprintf(long_text, sizeof long_text, "0");
    else if (size >= 1e7 || (step < 1e-4 && size < 1e-2)) {
        int digits = (int)(floor(log10(fabs(v)) + 1e-9)) + decimals;
        snprintf(long_text, sizeof long_text, "%.*e", digits < 0 ? 0 : digits > 5 ? 5 : digits, v);
        shorten(long_text);
    } else
        snprintf(long_text, sizeof long_text, "%.*f", decimals < 0 ? 0 : decimals > 15 ? 15 : decimals, v);
    if (strlen(long_text) > 11) {
        snprintf(long_text, sizeof long_text, "%.4g", v);
        shorten(long_text);
    }
    memcpy(text, long_text, 11);
    text[11] = '\0';
}

static void add(wlab_axis_span *a, double v, const char *text)
{
    if (a->tics &&
        !strcmp(a->label[a->tics - 1], text)) /* the labels have too few digits to distinguish them */
        return;
    a->tic[a->tics] = v;
    memcpy(a->label[a->tics++], text, 12);
}

/* Round numbers on an axis: candidates for its tics. */
typedef struct round_numbers {
    double v[64];
    int n;       /* their number, which may exceed the size of v */
    double step; /* between them; 0: powers of ten, maybe times 2, 3, 5 */
} round_numbers;

static void add_number(round_numbers *r, double v)
{
    if (r->n < (int)(sizeof r->v / sizeof *r->v))
        r->v[r->n] = v;
    r->n++;
}

/* Called with ever coarser lists of round numbers: add the tics of the first list with at most `most` numbers.  If that
 * list has fewer than two numbers, use every k-th number of the list before it instead.  True: the tics are added. */
static bool add_tics(wlab_axis_span *a, int most, const round_numbers *now, const round_numbers *before)
{
    const round_numbers *r = now;
    int stride = 1;
    double size = 0;
    bool powers = false;

    if (now->n > most)
        return false;
    if (now->n < 2 && most >= 2 && before->n > most && before->n <= (int)(sizeof r->v / sizeof *r->v)) {
        r = before;
        stride = (r->n + most - 1) / most;
    }
    for (int i = 0; i < r->n; i += stride) {
        size = fmax(size, fabs(r->v[i]));
        powers = powers || r->v[i] < 0.0099 || r->v[i] > 9999;
    }
    for (int i = 0; i < r->n; i += stride) {
        char text[32];
        if (r->step > 0) {
            label(r->v[i], r->step, fmax(size, r->step), text);
        } else {
            snprintf(text, sizeof text, powers ? "%.0e" : "%g", r->v[i]);
            shorten(text);
        }
        add(a, r->v[i], text);
    }
    return true;
}

/* Tics at multiples of 1, 2 or 5 times a power of ten. */
static void even_tics(wlab_axis_span *a, int most, bool whole)
{
    static const double digit[] = {1, 2, 5};
    double width = a->hi - a->lo;
    int power = (int)floor(log10(width / (most + 1))) - 1;
    round_numbers before = {.n = 0};
    for (int k = 0; k < 12; k++) {
        round_numbers now = {.step = digit[k % 3] * pow(10, power + k / 3)};
        double slack = 1e-9 * width, first = ceil((a->lo - slack) / now.step),
               last = floor((a->hi + slack) / now.step);
        if (whole && now.step < 1)
            continue;
        for (double i = first; i <= last; i++)
            add_number(&now, i * now.step);
        if (add_tics(a, most, &now, &before))
            return;
        before = now;
    }
}

static const struct digits {
    int digit[3], n, decades;
} log_steps[] = {{{1, 2, 5}, 3, 1}, {{1, 3}, 2, 1}, {{1}, 1, 1},   {{1}, 1, 2},
                 {{1}, 1, 3},       {{1}, 1, 5},    {{1}, 1, 10},  {{1}, 1, 20},
                 {{1}, 1, 50},      {{1}, 1, 100},  {{1}, 1, 200}, {{1}, 1, 500}};

static void log_tics(wlab_axis_span *a, int most)
{
    int lo = (int)floor(log10(a->lo)), hi = (int)ceil(log10(a->hi));
    round_numbers before = {.n = 0};
    for (size_t k = 0; k < sizeof log_steps / sizeof *log_steps; k++) {
        const struct digits *d = &log_steps[k];
        round_numbers now = {.n = 0};
        for (int e = lo; e <= hi; e++)
            for (int i = 0; i < d->n; i++) {
                double v = d->digit[i] * pow(10, e);
                if (e % d->decades == 0 && v >= a->lo * (1 - 1e-9) && v <= a->hi * (1 + 1e-9))
                    add_number(&now, v);
            }
        if (add_tics(a, most, &now, &before))
            break;
        before = now;
    }
    if (a->tics < 2 && most >= 2 && a->hi / a->lo < 20) { /* little more than a decade */
        a->tics = 0;
        even_tics(a, most, false);
    }
}

static void tics(wlab_axis_span *a, int most, bool whole)
{
    most = most < WL_MOST_TICS ? most : WL_MOST_TICS;
    if (most < 1)
        return;
    if (a->log)
        log_tics(a, most);
    else
        even_tics(a, most, whole);
}

void wlab_figure_spans(const wlab_figure *f, int xtics, int ytics, wlab_axis_span *x, wlab_axis_span *y)
{
    memset(x, 0, sizeof *x);
    memset(y, 0, sizeof *y);
    (void)wlab_figure_ranges(f, &x->lo, &x->hi, &y->lo, &y->hi);
    x->log = f->logx;
    y->log = f->logy;
    tics(x, xtics, f->whole_x);
    tics(y, ytics, f->whole_y);
    int below = 0;
    while (below < y->tics && y->tic[below] < f->y_tics)
        below++;
    y->tics -= below;
    memmove(y->tic, y->tic + below, (size_t)y->tics * sizeof *y->tic);
    memmove(y->label, y->label + below, (size_t)y->tics * sizeof *y->label);
}
