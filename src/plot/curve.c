/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of an experiment: the mean of a score against a setting, one line per method, with error bars.
 */
#include "plot/curve.h"
#include "weaklab/statistics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One point of a curve: a method at a setting. */
typedef struct point {
    double x, mean, half; /* half: half the length of the error bar; NaN if there is none */
    int64_t n;
} point;

/* The state while a figure is drawn. */
typedef struct curves {
    const wlab_curve *what;
    wlab_values y, x; /* x.e NULL: x is the value of a setting */
    int data;         /* the number of the data set to draw; -1: all */
    bool *of_data;    /* [data sets] whether a data set is drawn, or is in the mean */
    int sets;         /* how many data sets are */
    double *buffer;   /* [replicates] */
    point *at;        /* [settings] */
    double step; /* horizontal distance of neighbouring curves, so that their error bars do not overlap */
    const char *over; /* label of the x axis */
    int drawn;
    /* [methods] index in the experiment: colours and marks follow it, whichever methods are drawn */
    int *place;
    int methods; /* number of methods in the experiment */
} curves;

static const char *value_of(const wlab_exp_setting *s, const char *key)
{
    for (int i = 0; i < s->values; i++)
        if (!strcmp(s->key[i], key))
            return s->value[i];
    return NULL;
}

static bool numeric_key(const wlab_experiment *e, const char *key)
{
    double x;
    for (int i = 0; i < e->nsettings; i++) {
        const char *value = value_of(&e->setting[i], key);
        if (!value || !wlab_exp_number(value, &x))
            return false;
    }
    return true;
}

/* A value of the key with another unit than the first setting's; NULL: there is none. */
static const char *other_unit(const wlab_experiment *e, const char *key)
{
    const char *first = value_of(&e->setting[0], key);
    for (int i = 1; i < e->nsettings; i++) {
        const char *value = value_of(&e->setting[i], key);
        if (strcmp(wlab_exp_unit(value), wlab_exp_unit(first)) != 0)
            return value;
    }
    return NULL;
}

/* The key on the x axis: the requested one, or the only one with numbers; NULL with WL_OK: `vs` is a score. */
static wlab_code find_key(const wlab_experiment *e, const char *vs, const char **key, wlab_err *err)
{
    const wlab_exp_setting *first = &e->setting[0];
    const char *mixed = NULL;
    *key = NULL;
    for (int i = 0; i < first->values; i++) {
        if (vs && strcmp(vs, first->key[i]))
            continue;
        if (!numeric_key(e, first->key[i])) {
            if (vs)
                return wlab_fail(err, WL_EARG,
                                 "the values of %s are not numbers, so there is no x axis for a curve", vs);
            continue;
        }
        if (other_unit(e, first->key[i])) {
            mixed = first->key[i];
            continue;
        }
        if (*key)
            return wlab_fail(err, WL_EARG,
                             "against what? The settings vary %s and %s: write, for example, `vs %s`", *key,
                             first->key[i], *key);
        *key = first->key[i];
    }
    if (!*key && mixed)
        return wlab_exp_fail_units(mixed, value_of(first, mixed), other_unit(e, mixed), err);
    if (!*key && !vs)
        return wlab_fail(
            err, WL_EARG,
            "no setting of this experiment has several numeric values, as in `task ssl labeled={5,10,20}`; "
            "`vs seconds` draws against the time");
    return WL_OK;
}

static bool has_value(const wlab_values *v, int setting, int data, int method)
{
    const double *x = wlab_values_at(v, setting, data, method);
    for (int64_t r = 0; r < v->replicates; r++)
        if (isfinite(x[r]))
            return true;
    return false;
}

/* Select the data sets whose mean is drawn.  Every point of a curve must be a mean over the same data sets.
 * So, once all results are computed, leave out everywhere a data set without a value at a point where another has one; if
 * none would be left, keep all.  With `data=` only that data set is used. */
static wlab_code select_data(curves *c, wlab_err *err)
{
    const wlab_experiment *e = c->y.e;

    if (!(c->of_data = wlab_calloc((size_t)e->ndata, sizeof *c->of_data)))
        return wlab_nomem(err);
    for (int d = 0; d < e->ndata; d++)
        c->of_data[d] = c->data < 0 || c->data == d;
    for (int d = 0; d < e->ndata && c->data < 0 && c->y.missing == 0; d++)
        for (int s = 0; s < e->nsettings; s++)
            for (int m = 0; m < e->nmethods; m++) {
                bool others = false;
                for (int o = 0; o < e->ndata; o++)
                    others = others || has_value(&c->y, s, o, m);
                c->of_data[d] = c->of_data[d] && (!others || has_value(&c->y, s, d, m));
            }
    for (int d = 0; d < e->ndata; d++)
        c->sets += c->of_data[d];
    for (int d = 0; d < e->ndata && c->sets == 0; d++)
        c->of_data[d] = true;
    c->sets = c->sets ? c->sets : e->ndata;
    return WL_OK;
}

/* Fill c->buffer with one value per replicate of a method at a setting: the mean over the data sets.  Replicates that
 * some data set lacks are skipped.  Returns the number of values. */
static int64_t collect_replicates(const curves *c, const wlab_values *v, int setting, int method)
{
    int64_t n = 0;
    for (int64_t r = 0; r < v->replicates; r++) {
        double sum = 0;
        for (int d = 0; d < v->e->ndata; d++)
            if (c->of_data[d])
                sum += wlab_values_at(v, setting, d, method)[r];
        if (isfinite(sum))
            c->buffer[n++] = sum / c->sets;
    }
    return n;
}

static int by_x(const void *a, const void *b)
{
    double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return (x > y) - (x < y);
}

/* Whether two settings belong to one curve: they differ in `key` only.  Against a score (key NULL) all do. */
static bool same_except(const wlab_exp_setting *a, const wlab_exp_setting *b, const char *key)
{
    for (int i = 0; key && i < a->values; i++)
        if (strcmp(a->key[i], key) && strcmp(a->value[i], b->value[i]))
            return false;
    return true;
}

/* The name of a curve: "WellSVM", and the settings that are constant along it. */
static wlab_code name_series(const wlab_experiment *e, const char *method, const wlab_exp_setting *s,
                             const char *key, const char *more, wlab_buf *out)
{
    wlab_code code = wlab_buf_printf(out, "%s", method);
    for (int i = 0; i < s->values && !code && key; i++)
        if (strcmp(s->key[i], key) && e->nsettings > 1)
            code = wlab_buf_printf(out, " %s=%s", s->key[i], s->value[i]);
    return code ? code : wlab_buf_printf(out, "%s", more);
}

/* Add c->at[points] to the figure as a block and a series.  style: selects colour and mark; nth: number of the curve,
 * for its shift. */
static void put_points(wlab_figure *f, curves *c, int points, const char *title, int style, int nth,
                       bool dashed)
{
    bool bars = !dashed && c->what->bar != WL_BAR_NONE, some = false;
    int block = wlab_figure_block(f, points, 5);
    static const char *const column[] = {"x", "mean", "low", "high", "n"};
    enum {
        COLOURS = 7
    };
    static const int again[COLOURS] = {4, 1, 2, 3, 12, 10, 14}; /* marks that no style has (style.gp) */
    char text[64];

    qsort(c->at, (size_t)points, sizeof *c->at, by_x);
    if (block == 0) { /* beside.c recognises a .dat by this line */
        snprintf(text, sizeof text, "%lld replicates", (long long)c->y.replicates);
        wlab_figure_about(f, block, "weaklab curve of %s over %s, %s: %s", c->what->score, c->over,
                          c->data < 0 ? "all data sets" : c->y.e->data[c->data].name,
                          c->y.e->title ? c->y.e->title : text);
    }
    wlab_figure_about(f, block, "%s", title);
    for (int k = 0; k < 5; k++)
        wlab_figure_column(f, block, k, "%s", column[k]);
    for (int i = 0; i < points; i++) {
        const point *p = &c->at[i];
        double half = bars && isfinite(p->half) ? p->half : 0;
        double high = p->mean + half; /* on a log axis the bar is equally long below and above the mean */
        double low = f->logy && p->mean > 0 ? p->mean * p->mean / high : p->mean - half;
        *wlab_figure_at(f, block, i, 0) = p->x;
        *wlab_figure_at(f, block, i, 1) = p->mean;
        *wlab_figure_at(f, block, i, 2) = low;
        *wlab_figure_at(f, block, i, 3) = high;
        *wlab_figure_at(f, block, i, 4) = (double)p->n;
        if (!f->logx || p->x > 0)
            wlab_figure_cover_x(f, p->x);
        wlab_figure_cover(f, p->x, low);
        wlab_figure_cover(f, p->x, high);
        some = some || half > 0;
    }
    const double shift = c->step * (nth - (c->y.e->nmethods - 1) / 2.0);
    for (int i = 0; i < points && some && shift != 0; i++) /* not on a log axis, where nothing is shifted */
        wlab_figure_cover_x(f, c->at[i].x + shift);
    wlab_series line = {.block = block,
                        .draw = WL_D_CURVE,
                        .x = 1,
                        .y = 2,
                        .shifted = some,
                        .shift = shift,
                        .lo = some ? 3 : 0,
                        .hi = some ? 4 : 0,
                        .ink = style % COLOURS + 1,
                        .mark = (char)('a' + style % 26),
                        .dash = dashed ? 2 : 0};
    if (f->text && some) { /* a separate series: bars in the legend would cover the lines above and below */
        snprintf(text, sizeof text, "with yerrorbars lt %d pt '%c'", style + 1, 'A' + style % 26);
        wlab_figure_series(f, &line, NULL, text);
        line.lo = line.hi = 0;
    }
    if (f->text) {
        snprintf(text, sizeof text, "with linespoints lt %d pt '%c'", style + 1,
                 dashed ? 'a' + style % 26 : 'A' + style % 26);
    } else {
        int len = snprintf(text, sizeof text, "with %s ls %d dt %d", some ? "yerrorlines" : "linespoints",
                           style % COLOURS + 1, dashed ? 3 : 1);
        if (style >= COLOURS) /* the colours repeat: the marks must not */
            snprintf(text + len, sizeof text - (size_t)len, " pt %d", again[style % COLOURS]);
    }
    wlab_figure_series(f, &line, title, text);
    c->drawn++;
}

/* The curve of one method over `first` and the later settings that equal it in all keys but `key` (NULL: over all). */
static wlab_code put_method(wlab_figure *f, curves *c, int method, int first, const char *key, int style,
                            wlab_err *err)
{
    const wlab_experiment *e = c->y.e;
    wlab_buf title = {0};
    int points = 0;
    wlab_code code;

    for (int s = first; s < e->nsettings; s++) {
        point p = {.half = NAN};
        if (!same_except(&e->setting[first], &e->setting[s], key))
            continue;
        if (key) {
            wlab_exp_number(value_of(&e->setting[s], key), &p.x);
        } else {
            int64_t n = collect_replicates(c, &c->x, s, method);
            p.x = wlab_mean(c->buffer, n);
        }
        p.n = collect_replicates(c, &c->y, s, method);
        p.mean = wlab_mean(c->buffer, p.n);
        p.half = wlab_deviation(c->buffer, p.n);
        if (c->what->bar == WL_BAR_SE)
            p.half /= sqrt((double)p.n);
        if (p.n > 0 && isfinite(p.x))
            c->at[points++] = p;
    }
    if (points == 0)
        return WL_OK;
    code = name_series(e, e->method[method].name, &e->setting[first], key, "", &title);
    if (!code)
        put_points(f, c, points, (const char *)title.data, style, c->drawn, false);
    wlab_buf_clear(&title);
    return code ? wlab_nomem(err) : WL_OK;
}

/* The published mean over the drawn data sets; NaN unless all of them have one. */
static double published_mean(const curves *c, int method, int setting)
{
    const wlab_experiment *e = c->y.e;
    double sum = 0;
    int found = 0;
    for (int i = 0; i < e->npublished; i++) {
        const wlab_exp_published *p = &e->published[i];
        if (p->method == method && p->setting == setting && c->of_data[p->data]) {
            sum += p->mean;
            found++;
        }
    }
    return found == c->sets ? sum / found : NAN;
}

static wlab_code put_published(wlab_figure *f, curves *c, int method, int first, const char *key, int style,
                               int nth, wlab_err *err)
{
    const wlab_experiment *e = c->y.e;
    wlab_buf title = {0};
    int points = 0;
    for (int s = first; s < e->nsettings; s++) {
        point p = {.half = NAN, .mean = published_mean(c, method, s)};
        if (isfinite(p.mean) && same_except(&e->setting[first], &e->setting[s], key)) {
            wlab_exp_number(value_of(&e->setting[s], key), &p.x);
            c->at[points++] = p;
        }
    }
    if (points == 0)
        return WL_OK;
    wlab_code code = name_series(e, e->method[method].name, &e->setting[first], key, " (published)", &title);
    if (!code)
        put_points(f, c, points, (const char *)title.data, style, nth, true);
    wlab_buf_clear(&title);
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code find_data(const wlab_experiment *e, const char *name, int *data, wlab_err *err)
{
    *data = -1;
    for (int d = 0; name && d < e->ndata; d++)
        if (!strcmp(e->data[d].name, name))
            *data = d;
    if (!name || *data >= 0)
        return WL_OK;
    const char **names = wlab_calloc((size_t)e->ndata, sizeof *names);
    if (!names)
        return wlab_nomem(err);
    for (int d = 0; d < e->ndata; d++)
        names[d] = e->data[d].name;
    const char *near = wlab_nearest(name, names, (size_t)e->ndata);
    wlab_free(names);
    if (near)
        return wlab_fail(err, WL_EARG, "no data set \"%.60s\" in this experiment; did you mean \"%s\"?", name,
                         near);
    return wlab_fail(err, WL_EARG, "no data set \"%.60s\" in this experiment", name);
}

/* The shift between neighbouring curves: 1/200 of the range of the x axis. */
static double shift_of(const wlab_experiment *e, const char *key)
{
    double lo = HUGE_VAL, hi = -HUGE_VAL, x;
    for (int s = 0; key && s < e->nsettings; s++)
        if (wlab_exp_number(value_of(&e->setting[s], key), &x)) {
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
    return hi > lo ? (hi - lo) / 200 : 0;
}

/* Fill c->place and c->methods from the whole experiment, of which c->y.e may have only the selected methods. */
static wlab_code find_places(curves *c, const wlab_store *store, wlab_err *err)
{
    wlab_experiment *all = NULL;
    wlab_code code = wlab_store_experiment(store, &all, err);

    if (!code && !(c->place = wlab_calloc((size_t)c->y.e->nmethods, sizeof *c->place)))
        code = wlab_nomem(err);
    for (int m = 0; !code && m < c->y.e->nmethods; m++)
        while (c->place[m] < all->nmethods &&
               strcmp(all->method[c->place[m]].name, c->y.e->method[m].name) != 0)
            c->place[m]++;
    c->methods = code ? 0 : all->nmethods;
    wlab_experiment_free(all);
    return code;
}

static void put_titles(wlab_figure *f, const curves *c, const char *key)
{
    static const char *const bar[] = {"bars: standard deviation", "bars: standard error", ""};
    const wlab_experiment *e = c->y.e;
    const char *x = c->over, *value = key ? value_of(&e->setting[0], key) : "";
    char label[80], of[40] = "";
    const char *rows;
    int len = wlab_exp_score_rows(e, c->what->score, &rows);

    const char *score = rows == c->what->score && len ? rows + len + 1 : c->what->score;
    if (len)
        snprintf(of, sizeof of, " on the %.*s%s", len < 20 ? len : 20, rows,
                 len >= 4 && strncmp(rows + len - 4, "bags", 4) == 0 ? "" : " rows");

    snprintf(label, sizeof label, "%.60s%s", x, *value && value[strlen(value) - 1] == '%' ? " (%)" : "");
    if (e->title)
        wlab_figure_title(f, "%s", e->title);
    if (c->data >= 0)
        wlab_figure_title(f, "%s%s of %s against %s", score, of, e->data[c->data].name, x);
    else if (e->ndata > 1)
        wlab_figure_title(f, "%s%s, mean over %d data set%s, against %s", score, of, c->sets,
                          c->sets == 1 ? "" : "s", x);
    else
        wlab_figure_title(f, "%s%s of %s against %s", score, of, e->data[0].name, x);
    if (c->data < 0 && c->sets < e->ndata) {
        char without[120] = "";
        for (int d = 0; d < e->ndata; d++)
            if (!c->of_data[d]) {
                const size_t at = strlen(without);
                snprintf(without + at, sizeof without - at, "%s%s", at ? ", " : "", e->data[d].name);
            }
        wlab_figure_title(f, "without %s: no value at some points", without);
    }
    if (c->what->bar != WL_BAR_NONE)
        wlab_figure_title(f, "%lld replicates; %s%s", (long long)c->y.replicates, bar[c->what->bar],
                          c->step > 0 && c->y.e->nmethods > 1 ? "; curves shifted sideways" : "");
    wlab_figure_axes(f, label, c->what->score);
}

static wlab_code draw_all(wlab_figure *f, curves *c, const char *key, wlab_err *err)
{
    const wlab_experiment *e = c->y.e;
    int groups = 0;
    for (int first = 0; first < e->nsettings; first++) {
        bool begun = false; /* a curve that began at an earlier setting passes through this one */
        for (int s = 0; s < first; s++)
            begun = begun || same_except(&e->setting[s], &e->setting[first], key);
        for (int m = 0; m < e->nmethods && !begun; m++) {
            int style = groups * c->methods + c->place[m], nth = c->drawn;
            wlab_code code = put_method(f, c, m, first, key, style, err);
            if (!code && c->what->published && key && wlab_score_published(c->what->score))
                code = put_published(f, c, m, first, key, style, nth, err);
            if (code)
                return code;
        }
        groups += !begun;
    }
    return c->drawn
               ? WL_OK
               : wlab_fail(
                     err, WL_ESTATE,
                     "nothing to draw yet: no replicate has %s for every data set; `data=NAME` draws one",
                     c->what->score);
}

wlab_code wlab_curve_draw(wlab_figure *f, const wlab_store *store, const wlab_curve *what, wlab_err *err)
{
    curves c = {.what = what};
    const char *key = NULL;
    wlab_code code = wlab_values_read(&c.y, store, what->score, what->methods, err);

    if (!code)
        code = find_key(c.y.e, what->vs, &key, err);
    if (!code)
        code = find_data(c.y.e, what->data, &c.data, err);
    if (!code && !key)
        code = wlab_values_read(&c.x, store, what->vs, what->methods, err);
    code = code ? code : find_places(&c, store, err);
    code = code ? code : select_data(&c, err);
    if (!code) {
        c.buffer = wlab_alloc((size_t)c.y.replicates + 1, sizeof *c.buffer);
        c.at = wlab_alloc((size_t)c.y.e->nsettings + 1, sizeof *c.at);
        if (!c.buffer || !c.at)
            code = wlab_nomem(err);
    }
    if (!code) {
        c.step = what->logx || what->bar == WL_BAR_NONE ? 0 : shift_of(c.y.e, key);
        f->logx = what->logx;
        c.over = key ? key : what->vs;
        f->logy = what->log;
        put_titles(f, &c, key);
        code = draw_all(f, &c, key, err);
        if (!code && (isnan(f->xlo) || isnan(f->ylo)))
            wlab_figure_title(f, "nothing to draw on a logarithmic axis: no %s is above 0",
                              isnan(f->xlo) ? c.over : what->score);
    }
    wlab_free(c.place);
    wlab_free(c.of_data);
    wlab_free(c.buffer);
    wlab_free(c.at);
    wlab_values_clear(&c.x);
    wlab_values_clear(&c.y);
    return code;
}
