/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `mu`: the weights of the working set over the steps, one line per labeling.  The seven labelings with the
 * largest weight at any step have different colours, the others are grey.  Other algorithms record eigenvalues,
 * which are drawn under that name, or objectives of restarts.  Objectives of restarts: the seven smallest, merged
 * restarts once, on a log axis.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SHOWN = 7,
    LIVE_LINES = 60, /* a live picture of more lines or numbers has only the SHOWN heaviest */
    LIVE_NUMBERS = 500000
};

/* Set big[] for the SHOWN columns with the largest peak; ties: the earlier one.  Overwrites peak[most]. */
static void select_heaviest(double *peak, int64_t most, bool *big)
{
    for (int k = 0; k < SHOWN && k < most; k++) {
        int64_t best = 0;
        for (int64_t t = 1; t < most; t++)
            if (peak[t] > peak[best])
                best = t;
        if (isinf(peak[best]))
            break;
        big[best] = true;
        peak[best] = -INFINITY;
    }
}

/* Restarts: peak[t] is larger for a smaller current objective.  A restart that merged with an earlier one, and so has
 * its objective, gets -Inf. */
static void rank_restarts(const wlab_trace_row *now, double *peak)
{
    for (int64_t t = 0; t < now->nweights; t++) {
        bool same = isnan(now->weight[t]);
        for (int64_t k = 0; k < t && !same; k++)
            same = !(now->weight[k] < now->weight[t] || now->weight[k] > now->weight[t]);
        peak[t] = same ? -INFINITY : -now->weight[t];
    }
}

/* "restart 2, best (4 with the same objective)" */
static void name_restart(const wlab_trace_row *now, int64_t t, char *buf, size_t size)
{
    const double *w = now->weight;
    int64_t same = 0, below = 0;

    for (int64_t k = 0; k < now->nweights; k++) {
        below += w[k] < w[t];
        same += k != t && !(w[k] < w[t] || w[k] > w[t]);
    }
    int n = snprintf(buf, size, "restart %lld%s", (long long)t + 1, below ? "" : ", best");
    if (same && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, " (%lld with the same objective)", (long long)same);
}

static bool all_positive(const wlab_view_run *v)
{
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t t = 0; t < v->row[i].nweights; t++)
            if (v->row[i].weight[t] <= 0)
                return false;
    return true;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_code code = wlab_view_stepped(q, err);
    const wlab_probe *probe = wlab_probe_recorded(v->algo);
    int64_t most = 0, others = 0;
    int block, x, first, ls = 0;
    bool *big = NULL;
    double *peak = NULL;
    int *at = NULL; /* columns */

    if (code)
        return code;
    if ((code = wlab_view_alone(q, "mu", NULL, err)))
        return code;
    for (int64_t i = 0; i < v->rows; i++)
        most = v->row[i].nweights > most ? v->row[i].nweights : most;
    if (!most || !probe)
        return wlab_fail(err, WL_ESTATE, "%s records no weights to draw; try `plot %s`", v->algo->name,
                         v->algo->row_loss ? "loss" : "objective");
    if (most > 100000 || most * v->rows > 20000000)
        return wlab_fail(err, WL_EARG, "%lld weights over %lld steps are too many to draw", (long long)most,
                         (long long)v->rows);
    const bool mu = probe->kind == WL_PROBE_WEIGHTS, restarts = probe->kind == WL_PROBE_RESTARTS;
    const char *name = restarts ? probe->meaning : probe->name;
    bool few = q->live && (most > LIVE_LINES || most * v->rows > LIVE_NUMBERS);
    const char *each = mu ? "y" : restarts ? "restart" : name; /* its number follows */
    int column = 0, shown = 0;
    big = wlab_calloc((size_t)most, sizeof *big);
    peak = wlab_calloc((size_t)most, sizeof *peak);
    at = wlab_calloc((size_t)most, sizeof *at);
    if (!big || !peak || !at) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t t = 0; t < v->row[i].nweights; t++)
            peak[t] = fmax(peak[t], fabs(v->row[i].weight[t]));
    if (restarts && v->row[v->rows - 1].nweights == most)
        rank_restarts(&v->row[v->rows - 1], peak);
    select_heaviest(peak, most, big);
    for (int64_t t = 0; t < most; t++)
        shown += big[t];
    if ((code = wlab_view_titles(f, q, name, err)))
        goto out;
    const bool logy = restarts && all_positive(v);
    wlab_view_axes(f, q, mu ? probe->meaning : name, logy);
    f->zero_y = !logy;
    if (few)
        wlab_figure_title(f, "the %d %s of %lld", shown, restarts ? "best" : "largest", (long long)most);
    if ((code = wlab_view_block(f, q, v, "mu", few ? shown : (int)most, &block, &x, &first, err)))
        goto out;
    for (int64_t t = 0; t < most; t++) {
        if (few && !big[t])
            continue;
        at[t] = first + column++;
        wlab_figure_column(f, block, at[t], "%s%lld", each, (long long)t + 1);
        for (int64_t i = 0; i < v->rows; i++)
            if (t < v->row[i].nweights) {
                *wlab_figure_at(f, block, i, at[t]) = v->row[i].weight[t];
                wlab_figure_cover(f, *wlab_figure_at(f, block, i, x - 1), v->row[i].weight[t]);
            }
    }
    for (int pass = few; pass < 2; pass++) /* grey first, the others on top */
        for (int64_t t = 0; t < most; t++) {
            char title[80], style[64];
            wlab_series line = {.block = block, .draw = WL_D_CURVE, .x = x, .y = at[t] + 1};
            if (big[t] != (pass == 1))
                continue;
            if (pass == 0) {
                line.draw = WL_D_LINES;
                line.ink = 7;
                line.mark = '.';
                snprintf(style, sizeof style, f->text ? "with points pt '.'" : "with lines ls 8");
                snprintf(title, sizeof title, restarts ? "%lld others, merged or worse" : "%lld others",
                         (long long)(most - shown));
            } else {
                line.ink = ++ls;
                line.mark = (char)('a' + ls - 1);
                if (f->text)
                    snprintf(style, sizeof style, "with points pt '%c'", line.mark);
                else
                    snprintf(style, sizeof style, "with linespoints ls %d dt 1 pi %d", ls,
                             (int)(v->rows / 40) + 1);
                if (restarts && v->row[v->rows - 1].nweights == most)
                    name_restart(&v->row[v->rows - 1], t, title, sizeof title);
                else
                    snprintf(title, sizeof title, "%s%s%lld", each, mu ? "" : " ", (long long)t + 1);
            }
            wlab_figure_series(f, &line, pass || !others++ ? title : NULL, style);
        }
    wlab_view_break(f, block, v);
    if (isnan(f->xlo))
        code = wlab_fail(err, WL_ESTATE, "the weights have no values to draw");
out:
    wlab_free(big);
    wlab_free(peak);
    wlab_free(at);
    return code ? code : f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_mu = {
    .name = "mu",
    .summary =
        "the weights of the working set's labelings over the steps; other algorithms: the objectives of "
        "their restarts, or eigenvalues",
    .of = WL_VIEW_ONE | WL_VIEW_RECORDED,
    .draw = draw_view,
};
