/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `gram`: the angles between the weight vectors of a working set's labelings, as a table of shades: 1 (dark blue)
 * where two labelings are the same to the machine, 0 (white) where they are at right angles.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMBERS = 14,  /* as many labelings have numbers in their cells, */
    TEXT_MOST = 8, /* in text, */
    NAMES = 24     /* and as many their names at the axes */
};
enum { /* columns of block 0 */
    COLUMN,
    PLACE,
    SHADE, /* the cosine, or 0: every cell of an image has a value */
    ROW,
    CLASS,
    COSINE,
    WIDE,
    CLASSES = 5
};

/* Where the angles come from: of the mirror, or the state, whose are then *made. */
static wlab_code find(const wlab_view_run *v, const wlab_view_request *q, wlab_gram *made,
                      const wlab_gram **gram, wlab_err *err)
{
    const wlab_trace_row *now = &v->row[v->rows - 1];
    if (!v->algo->gram)
        return wlab_fail(err, WL_ESTATE,
                         "%s has no working set whose labelings could be compared; try `plot %s`",
                         v->algo->name, v->algo->weights ? "mu" : "objective");
    if ((*gram = v->gram))
        return WL_OK;
    if (q->live && !wlab_gram_is_quick(v->problem, now->nweights))
        return wlab_fail(
            err, WL_ESTATE,
            "the angles between %lld labelings of %lld rows take longer than a live picture may: `plot "
            "gram to FILE`",
            (long long)now->nweights, (long long)v->problem->n);
    if (!v->state)
        return wlab_fail(err, WL_ESTATE, "the angles are computed at the next pause");
    *gram = made;
    return v->algo->gram(v->state, made, q->ctx, err);
}

/* "y3" and, where it is known, what it weighs. */
static void put_names(wlab_figure *f, const wlab_view_run *v, const wlab_gram *g, int64_t iter)
{
    const wlab_trace_row *row = iter < v->rows ? &v->row[iter] : NULL;
    bool mu = v->algo->weights_name && !strcmp(v->algo->weights_name, "mu");
    int64_t each = g->n > NAMES ? (g->n + NAMES - 1) / NAMES : 1;
    for (int axis = 0; axis < 2; axis++) {
        wlab_figure_before(f, "set %ctics %s(", axis ? 'y' : 'x',
                           axis        ? ""
                           : g->n > 12 ? "rotate by 90 right "
                                       : "");
        for (int64_t t = 0; t < g->n; t += each) {
            int64_t at = g->first + t;
            wlab_figure_before(f, "%s'%s%lld", t ? ", " : "", mu ? "y" : "", (long long)at + 1);
            if (axis && row && at < row->nweights)
                wlab_figure_before(f, "%s%s %.3f", f->text ? "" : "  ", mu && !f->text ? "mu" : "",
                                   row->weight[at]);
            wlab_figure_before(f, "' %lld", (long long)(axis ? g->n - t : t + 1));
        }
        wlab_figure_before(f, ")\n");
    }
}

static void put_cells(wlab_figure *f, const wlab_view_run *v, const wlab_gram *g)
{
    static const char *const names[WIDE] = {"column", "place", "shade", "row", "class", "cosine"};
    static const double least[CLASSES] = {-1, -0.1, 0.1, 0.5, 0.9};
    int b = wlab_figure_block(f, g->n * g->n, WIDE);
    wlab_view_about(f, b, "gram", v);
    wlab_figure_about(f, b,
                      "cosines of the angles between w_s and w_t, w_t = sum over i of alpha_i y_ti phi(x_i)");
    wlab_figure_about(f, b,
                      "place: from the bottom; row: the labeling; class: 0 below -0.1, 1 to 0.1, 2 to 0.5, 3 "
                      "to 0.9, 4 above");
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t s = 0; s < g->n; s++)
        for (int64_t t = 0; t < g->n; t++) {
            int64_t at = s * g->n + t;
            double c = g->cosine[at];
            int class = 0;
            while (class + 1 < CLASSES && c >= least[class + 1])
                class ++;
            *wlab_figure_at(f, b, at, COLUMN) = (double)(t + 1);
            *wlab_figure_at(f, b, at, PLACE) = (double)(g->n - s);
            *wlab_figure_at(f, b, at, SHADE) = isfinite(c) ? c : 0;
            *wlab_figure_at(f, b, at, COSINE) = c;
            *wlab_figure_at(f, b, at, ROW) = (double)(g->first + s + 1);
            *wlab_figure_at(f, b, at, CLASS) = isfinite(c) ? (double)class : (double)NAN;
        }
    if (!f->failed)
        f->block[b].scan = g->n;
}

/* Numbers in the cells, light ones on dark. */
static void put_numbers(wlab_figure *f, const wlab_gram *g)
{
    for (int64_t s = 0; s < g->n; s++)
        for (int64_t t = 0; t < g->n; t++) {
            double c = g->cosine[s * g->n + t];
            char text[16] = "-";
            if (isfinite(c))
                snprintf(text, sizeof text, "%.2f", c);
            wlab_figure_before(f, "set label '%s' at first %lld, first %lld center front%s\n", text,
                               (long long)t + 1, (long long)(g->n - s),
                               f->text         ? ""
                               : fabs(c) > 0.6 ? " tc rgb '#ffffff'"
                                               : " tc rgb '#000000'");
        }
}

static void put_text(wlab_figure *f)
{
    static const char *const title[CLASSES] = {"below", "-0.1 to 0.1", "0.1 to 0.5", "0.5 to 0.9",
                                               "above 0.9"};
    static const char mark[] = "-.+*#";
    for (int k = CLASSES; k-- > 0;) {
        wlab_series s = {.draw = WL_D_POINTS, .x = 1, .y = 2, .ink = 1, .mark = mark[k], .wheres = 1};
        char style[32];
        s.where[0].column = CLASS + 1;
        s.where[0].value = k;
        snprintf(style, sizeof style, "with points pt '%c'", mark[k]);
        wlab_figure_series(f, &s, title[k], style);
    }
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_gram *g = NULL;
    wlab_gram made = {0};
    wlab_code code = wlab_view_alone(q, "gram", "its axes are the working set's labelings", err);

    code = code ? code : wlab_view_stepped(q, err);
    code = code ? code : wlab_view_titles(f, q, "gram", err);
    code = code ? code : find(v, q, &made, &g, err);
    if (code)
        return code;
    bool any = false;
    for (int64_t i = 0; i < g->n * g->n; i++)
        any = any || isfinite(g->cosine[i]);
    if (!any) {
        wlab_free(made.cosine);
        return wlab_fail(err, WL_ESTATE, "all alpha are 0: there are no angles to draw");
    }
    int64_t iter = v->gram ? v->gram_iter : v->row[v->rows - 1].iter, all = v->row[v->rows - 1].nweights;
    if (g->n == 1)
        wlab_figure_title(f, "one labeling, the cosine with itself, after step %lld", (long long)iter);
    else
        wlab_figure_title(f, "cosines between the %lld %slabelings' weight vectors, after step %lld",
                          (long long)g->n, g->first > 0 && all > g->n ? "newest " : "", (long long)iter);
    wlab_figure_axes(f, "labeling", f->text ? "" : "labeling, and its weight");
    f->fixed = true;
    wlab_figure_cover(f, 0.5, 0.5);
    wlab_figure_cover(f, (double)g->n + 0.5, (double)g->n + 0.5);
    put_names(f, v, g, iter);
    put_cells(f, v, g);
    if (g->n <= (f->text ? TEXT_MOST : NUMBERS))
        put_numbers(f, g);
    if (!f->text) {
        wlab_figure_before(f,
                           "set palette defined (-1 '#7a2c00', -0.5 '#e06c1f', 0 '#ffffff', 0.5 '#7fb3d8', 1 "
                           "'#00304f')\nset cbrange [-1:1]\nset cblabel 'cosine'\nunset grid\nunset key\n"
                           "set size ratio -1\nset border 0\nset tics scale 0\n");
        if (g->n == 1) { /* gnuplot draws no image of one cell */
            wlab_figure_before(f, "set object 1 rectangle from 0.5, 0.5 to 1.5, 1.5 behind fs solid noborder "
                                  "fc rgb '#00304f'\n");
            wlab_figure_series(
                f, &(wlab_series){.draw = WL_D_POINTS, .x = COLUMN + 1, .y = PLACE + 1, .mark = ' '}, NULL,
                "with points pt 7 ps 0.1 lc rgb '#00304f'");
        } else {
            wlab_figure_series(f, &(wlab_series){.draw = WL_D_IMAGE, .mark = ' '}, NULL, "with image");
        }
    } else {
        put_text(f);
    }
    wlab_free(made.cosine);
    return f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_gram = {
    .name = "gram",
    .summary = "how alike the working set's labelings are: the angles between their weight vectors",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_ANGLES,
    .draw = draw_view,
};
