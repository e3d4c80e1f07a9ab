/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `loss`: the loss of an unlabelled row as a function of its output o, at the current temperature and weight
 * lambda' (Figures 1 and 2 of Sindhwani and Keerthi), above a histogram of the outputs of the unlabelled rows.
 *
 * A curve is the effective loss of Eq. 8 in units of lambda_u / (2u), shifted so that all curves have the same value at
 * o = 0: there all p are 1/2, and the entropy contributes T log 2.  The multiplier of the balance constraint, which
 * tilts the curves, is left out, as in the figures.  The curve of a TSVM is scaled by lambda' / lambda_u.
 *
 * The loss of an algorithm without temperature and level never changes.  If its steps replace the loss by majorisers, those of
 * a row on either side are drawn beside it, with the points where they touch.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SIDE = 3,           /* o in [-SIDE, SIDE] */
    POINTS = 60 * SIDE, /* of a curve, on either side of 0 */
    BINS = 20 * SIDE,   /* of the histogram */
    MARGIN = 12,        /* points of each of the two margin lines */
    ROWS = 50000,       /* most unlabelled rows whose outputs are computed */
    LIVE_ROWS = 4000,   /* the same in a live picture */
    GAP = 12,           /* points of a majoriser that are drawn, and that are not */
    SMALL = 60,         /* panes with fewer columns are small */
    TINY = 42           /* panes with fewer columns are tiny */
};
#define DEPTH 0.367 /* depth of the histogram, as a fraction of the height of the losses */
#define HIGH  0.1   /* distance from 0 to its tallest bar, as a fraction of its depth */

/* The shape of the loss at a step. */
typedef struct shape {
    const wlab_algo *algo;
    const wlab_params *params; /* current parameters */
    double T, weight;          /* at that step */
    double full;               /* the final weight lambda' */
    bool annealed;             /* the algorithm has a temperature */
} shape;

/* The current parameters; owned by the caller. */
static wlab_code params_now(wlab_params **params, const wlab_view_run *v, wlab_err *err)
{
    wlab_code code = wlab_params_copy(params, v->params, err);
    for (int i = 0; i < v->changes && !code; i++)
        code = wlab_params_set(*params, v->change[i].name, v->change[i].value, err);
    return code;
}

/* T = 0 if no temperature is known, or if the entropy is 0, as the beliefs p have become labels.  The weight is the
 * final one if none is known. */
static shape shape_at(const wlab_view_run *v, int64_t row, const wlab_params *params, double full)
{
    const double *metric = v->row[row].metric;
    const double T = wlab_metric_value(v->algo, metric, WL_R_TEMPERATURE),
                 weight = wlab_metric_value(v->algo, metric, WL_R_LEVEL);
    const bool beliefs = wlab_metric_value(v->algo, metric, WL_R_ENTROPY) != 0;
    return (shape){.algo = v->algo,
                   .params = params,
                   .T = T > 0 && beliefs ? T : 0,
                   .weight = weight >= 0 ? weight : full,
                   .full = full,
                   .annealed = !isnan(T)};
}

/* What the algorithm calls the metric of this role: "T", "lambda'". */
static const char *word_of(const wlab_algo *algo, wlab_role role)
{
    const int k = wlab_metric_of(algo, role);
    return k < 0 ? "lambda'" : algo->metrics[k].label ? algo->metrics[k].label : algo->metrics[k].name;
}

/* Whether the loss is the same at every step. */
static bool constant(const wlab_algo *algo)
{
    return wlab_metric_of(algo, WL_R_TEMPERATURE) < 0 && wlab_metric_of(algo, WL_R_LEVEL) < 0;
}

static double value(const shape *s, double o)
{
    double full;
    return s->algo->row_loss(s->params, s->T, s->weight, o, &full);
}

/* The top of the y axis.  The valley of a hot annealed loss needs more space than the hump of a TSVM's.  Below the
 * critical temperature the loss is nowhere higher than at o = 0, and its two valleys are shallow at first: a high axis
 * would show a straight line. */
static double top_of(const wlab_view_request *q, const shape *now)
{
    double highest = 0;

    if (!now->annealed)
        return 1.5;
    for (int i = 0; i <= POINTS; i++)
        highest = fmax(highest, value(now, (double)(i * SIDE) / (double)POINTS));
    return highest < 1.05 ? 1.1 : highest < 1.5 || (q->live && q->columns && q->columns < SMALL) ? 1.5 : 3;
}

static bool same(const shape *a, const shape *b)
{
    return a->T == b->T && a->weight == b->weight;
}

/* ---- outputs of the unlabelled rows ---- */

typedef struct outputs {
    double *o; /* [n] */
    int64_t n, all, stride;
} outputs;

/* Compute the output of every stride-th unlabelled row.  A model that cannot be built here is not an error, as the
 * picture can do without: o remains NULL and `why` has the reason. */
static wlab_code compute_outputs(outputs *out, const wlab_view_run *v, const wlab_view_request *q,
                                 wlab_err *why, wlab_err *err)
{
    const wlab_problem *p = v->problem;
    int64_t most = q->live ? LIVE_ROWS : ROWS, counted = 0;
    bool have = false;
    int32_t *pick;
    wlab_code code;

    for (int64_t i = 0; i < p->n; i++)
        out->all += !p->visible[i];
    out->stride = out->all > most ? (out->all + most - 1) / most : 1;
    pick = wlab_alloc((size_t)(out->all / out->stride + 1), sizeof *pick);
    out->o = wlab_alloc((size_t)(out->all / out->stride + 1), sizeof *out->o);
    for (int64_t i = 0; i < p->n && pick; i++)
        if (!p->visible[i] && counted++ % out->stride == 0)
            pick[out->n++] = (int32_t)i;
    code = pick && out->o ? wlab_view_outputs(v, q, pick, out->n, out->o, &have, why, err) : wlab_nomem(err);
    wlab_free(pick);
    if (!have)
        out->o = wlab_free(out->o);
    return code;
}

/* ---- the figure ---- */

static void line(wlab_figure *f, int block, int x, int y, int ink, int dash, char mark, const char *title,
                 const char *style)
{
    wlab_series s = {
        .block = block, .draw = WL_D_LINES, .x = x, .y = y, .ink = ink, .dash = dash, .mark = mark};
    char text[32];
    snprintf(text, sizeof text, "with points pt '%c'", mark);
    wlab_figure_series(f, &s, title, f->text ? text : style);
}

static void name_of(const shape *s, const char *when, char *buf, size_t size)
{
    if (s->annealed && s->T > 0)
        snprintf(buf, size, "%s = %.3g%s", word_of(s->algo, WL_R_TEMPERATURE), s->T, when);
    else if (s->annealed)
        snprintf(buf, size, "%s = 0%s", word_of(s->algo, WL_R_TEMPERATURE), when);
    else if (s->weight < s->full)
        snprintf(buf, size, "%s = %.3g%s: %.2g of the final", word_of(s->algo, WL_R_LEVEL), s->weight, when,
                 s->weight / s->full);
    else
        snprintf(buf, size, "%s = %.3g%s", word_of(s->algo, WL_R_LEVEL), s->weight, when);
}

/* The majorisers of a row on either side: a block of curves, and one of the points where they touch.  On its side each of
 * them lies on the loss, which is seen through its gaps; of characters these are points without a value. */
static void put_majorisers(wlab_figure *f, const shape *now, bool brief, bool characters)
{
    const int b = wlab_figure_block(f, 2 * POINTS + 1, 3), touch = wlab_figure_block(f, 2, 2);
    double at[2] = {0, 0};

    wlab_figure_about(
        f, b, "the convex functions that replace the loss of a row with a negative or positive output");
    wlab_figure_column(f, b, 0, "o");
    wlab_figure_column(f, b, 1, "minus");
    wlab_figure_column(f, b, 2, "plus");
    for (int i = 0; i <= 2 * POINTS; i++) {
        const double o = (double)((i - POINTS) * SIDE) / (double)POINTS;
        *wlab_figure_at(f, b, i, 0) = o;
        for (int k = 0; k < 2; k++)
            *wlab_figure_at(f, b, i, 1 + k) =
                characters && i / GAP % 2 == k ? NAN
                                               : now->algo->row_majoriser(now->params, 2 * k - 1, o, &at[k]);
    }
    wlab_figure_about(f, touch, "where they touch it");
    wlab_figure_column(f, touch, 0, "o");
    wlab_figure_column(f, touch, 1, "loss");
    for (int k = 0; k < 2; k++) {
        *wlab_figure_at(f, touch, k, 0) = at[k];
        *wlab_figure_at(f, touch, k, 1) = value(now, at[k]);
    }
    line(f, b, 1, 2, 2, 2, '-', brief ? "o<0" : "majoriser, output below 0",
         "with lines lw 2.5 dt 2 lc rgb '#d55e00'");
    line(f, b, 1, 3, 5, 3, '=', brief ? "o>0" : "majoriser, output above 0",
         "with lines lw 2.5 dt 4 lc rgb '#cc79a7'");
    wlab_series points = {.block = touch, .draw = WL_D_POINTS, .x = 1, .y = 2, .ink = 1, .mark = 'o'};
    wlab_figure_series(f, &points, brief ? NULL : "touching points",
                       f->text ? "with points pt 'o'" : "with points pt 7 ps 2 lc rgb '#0072b2'");
}

/* Block 0: the curves; block 1: the margin. */
static void put_curves(wlab_figure *f, const wlab_view_run *v, const shape *now, const shape *first,
                       double top, bool live, bool brief)
{
    const shape end = {.algo = now->algo, .params = now->params, .weight = now->full, .full = now->full};
    int b = wlab_figure_block(f, 2 * POINTS + 1, 4), m;
    char title[80];

    wlab_view_about(f, b, "loss", v);
    if (constant(now->algo))
        wlab_figure_about(f, b, "loss of an unlabelled row by its output o, without its weight");
    else
        wlab_figure_about(f, b,
                          "loss of an unlabelled row by its output o, in units of lambda_u/(2u); at o = 0 "
                          "lambda' / lambda_u");
    wlab_figure_column(f, b, 0, "o");
    wlab_figure_column(f, b, 1, "now");
    wlab_figure_column(f, b, 2, "first");
    wlab_figure_column(f, b, 3, "last");
    for (int i = 0; i <= 2 * POINTS; i++) {
        double o = (double)((i - POINTS) * SIDE) / (double)POINTS;
        *wlab_figure_at(f, b, i, 0) = o;
        *wlab_figure_at(f, b, i, 1) = value(now, o);
        *wlab_figure_at(f, b, i, 2) = value(first, o);
        *wlab_figure_at(f, b, i, 3) = value(&end, o);
    }
    m = wlab_figure_block(f, MARGIN, 3);
    wlab_figure_about(f, m, "the margin");
    wlab_figure_column(f, m, 0, "left");
    wlab_figure_column(f, m, 1, "right");
    wlab_figure_column(f, m, 2, "y");
    for (int i = 0; i < MARGIN; i++) {
        *wlab_figure_at(f, m, i, 0) = -1;
        *wlab_figure_at(f, m, i, 1) = 1;
        *wlab_figure_at(f, m, i, 2) = top * (-DEPTH + (1 + DEPTH) * i / (MARGIN - 1));
    }
    for (int x = 1; x <= 2; x++)
        line(f, m, x, 3, 7, 3, ':', NULL, "with lines lw 1.5 dt 3 lc rgb '#888888'");
    if (constant(now->algo)) {
        line(f, b, 1, 2, 1, 0, '*', "loss", "with lines lw 4 dt 1 lc rgb '#0072b2'");
        if (now->algo->row_majoriser)
            put_majorisers(f, now, brief, live || f->text);
        return;
    }
    char last[48];
    if (now->annealed && live)
        snprintf(last, sizeof last, "last");
    else if (now->annealed)
        snprintf(last, sizeof last, "%s = 0, the last loss", word_of(now->algo, WL_R_TEMPERATURE));
    else
        snprintf(last, sizeof last, "the final %s, %.3g", word_of(now->algo, WL_R_LEVEL), now->full);
    /* small panes have little space for legends, and the numbers in their title */
    line(f, b, 1, 4, 7, 1, '.', brief ? "last" : last, "with lines lw 3 dt 1 lc rgb '#999999'");
    if (!same(now, first) && first->weight > 0) {
        name_of(first, ", first", title, sizeof title);
        line(f, b, 1, 3, 2, 2, '-', brief ? "first" : title, "with lines ls 2");
    }
    name_of(now, "", title, sizeof title);
    line(f, b, 1, 2, 1, 0, '*', brief ? "now" : title, "with lines lw 4 dt 1 lc rgb '#0072b2'");
}

/* Block 2: the histogram. */
static void put_histogram(wlab_figure *f, const outputs *out, double top, bool live, bool brief, bool tiny)
{
    const double deep = -DEPTH * top;
    int64_t count[BINS] = {0}, most = 0, inside = 0, beyond = 0;
    const double width = (double)(2 * SIDE) / (double)BINS;
    int b = wlab_figure_block(f, BINS, 3);
    char title[160];

    for (int64_t i = 0; i < out->n; i++) {
        double at = floor((out->o[i] + (double)SIDE) / width);
        inside += fabs(out->o[i]) < 1;
        if (!(at >= 0 && at < (double)BINS))
            beyond++;
        else if (++count[(int)at] > most)
            most = count[(int)at];
    }
    wlab_figure_about(f, b, "outputs of %lld of %lld unlabelled rows, every %lld. of them; %lld beyond %d",
                      (long long)out->n, (long long)out->all, (long long)out->stride, (long long)beyond,
                      SIDE);
    wlab_figure_column(f, b, 0, "o");
    wlab_figure_column(f, b, 1, "rows");
    wlab_figure_column(f, b, 2, "bar");
    for (int k = 0; k < BINS; k++) {
        *wlab_figure_at(f, b, k, 0) = -SIDE + (k + 0.5) * width;
        *wlab_figure_at(f, b, k, 1) = (double)count[k];
        *wlab_figure_at(f, b, k, 2) = deep * (1 - (1 - HIGH) * (double)count[k] / (double)(most ? most : 1));
    }
    if (tiny)
        snprintf(title, sizeof title, "rows");
    else if (brief &&
             out->stride == 1) /* small panes have little space, and show the number of rows elsewhere */
        snprintf(title, sizeof title, "%lld in margin", (long long)inside);
    else if (live && out->stride > 1)
        snprintf(title, sizeof title, "%.0f %% in margin", 100.0 * (double)inside / (double)out->n);
    else if (live)
        snprintf(title, sizeof title, "%lld of %lld in margin", (long long)inside, (long long)out->n);
    else
        snprintf(title, sizeof title, "%lld of %lld%s rows inside the margin", (long long)inside,
                 (long long)out->n, out->stride > 1 ? " sampled" : "");
    if (!brief) { /* the bars have no axis of their own, and these rows no bar */
        const size_t n = strlen(title);
        snprintf(title + n, sizeof title - n, live ? ", tallest bar %lld" : ", %lld in the tallest bar",
                 (long long)most);
    }
    if (beyond && !tiny) {
        const size_t n = strlen(title);
        snprintf(title + n, sizeof title - n, ", %lld beyond %d", (long long)beyond, SIDE);
    }
    wlab_series bars = {.block = b,
                        .draw = WL_D_BARS,
                        .x = 1,
                        .y = 3,
                        .base = deep,
                        .width = f->text ? 0 : width,
                        .ink = 3,
                        .mark = '#'};
    wlab_figure_series(f, &bars, title,
                       f->text ? "with vectors nohead lt 3"
                               : "with boxxyerror fs solid 0.55 noborder lc rgb '#009e73'");
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_params *params = NULL;
    double full = 0;
    outputs out = {0};
    wlab_err why = {0};
    wlab_code code;

    if ((code = wlab_view_alone(q, "loss", "its axis is a row's output", err)))
        return code;
    if (!v->algo->row_loss)
        return wlab_fail(err, WL_ESTATE,
                         "%s has neither a temperature nor a growing weight of unlabelled rows; `loss` "
                         "draws algorithms that change it; try `plot objective`",
                         v->algo->name);
    if ((code = params_now(&params, v, err)))
        goto out;
    (void)v->algo->row_loss(params, 0, 0, 0, &full);
    code = full > 0 ? wlab_view_stepped(q, err)
                    : wlab_fail(err, WL_ESTATE, "lambda_u is 0: unlabelled rows have no loss to draw");
    code = code ? code : wlab_view_titles(f, q, "loss of an unlabelled row", err);
    code = code ? code : compute_outputs(&out, v, q, &why, err);
    if (code)
        goto out;
    int64_t begin = 1; /* the first step in which the unlabelled rows have a weight */
    while (begin < v->rows - 1 && !(shape_at(v, begin, params, full).weight > 0))
        begin++;
    shape now = shape_at(v, v->rows - 1, params, full), first = shape_at(v, begin, params, full);
    const double top = top_of(q, &now);
    const bool narrow = q->live && q->columns && q->columns < SMALL;
    char older[64] = "", strided[64] = "";
    if (out.o && v->model && v->model_iter < v->row[v->rows - 1].iter)
        snprintf(older, sizeof older, "; outputs of step %lld", (long long)v->model_iter);
    if (out.o && out.stride > 1)
        snprintf(strided, sizeof strided, "; outputs of 1 unlabelled row in %lld", (long long)out.stride);
    wlab_figure_title(f, "after step %lld%s%s%s%s", (long long)v->row[v->rows - 1].iter, older, strided,
                      out.o ? "" : "; no outputs: ", out.o ? "" : why.message);
    wlab_figure_axes(f, "output o", "loss, shifted to one value at o = 0 (above), rows (below)");
    f->fixed = true;
    f->y_tics = 0;
    wlab_figure_cover(f, -SIDE, -DEPTH * top);
    wlab_figure_cover(f, SIDE, top);
    wlab_figure_before(f, "set ytics 0, 0.5\nset xtics 1\n");
    put_curves(f, v, &now, &first, top, q->live, narrow || (q->live && !now.annealed));
    if (out.o && out.n)
        put_histogram(f, &out, top, q->live, narrow, narrow && q->columns < TINY);
    code = f->failed ? wlab_nomem(err) : WL_OK;
out:
    wlab_free(out.o);
    wlab_params_destroy(params);
    return code;
}

const wlab_view wlab_view_loss = {
    .name = "loss",
    .summary = "the loss of an unlabelled row as a function of its output, at the current temperature or "
               "lambda', and a histogram of the outputs",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_MODEL,
    .draw = draw_view,
};
