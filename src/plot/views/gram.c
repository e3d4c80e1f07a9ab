/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `gram`: the cosines of the angles between the weight vectors of the labelings in the working set, as a table of
 * shades: 1 (dark blue) if two labelings have the same weight vector up to scale, 0 (white) if they are orthogonal.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMBERS = 14,  /* most labelings with numbers in the cells */
    TEXT_MOST = 8, /* the same in text */
    NAMES = 24     /* most labelings with names at the axes */
};
enum { /* columns of block 0 */
    COLUMN,
    PLACE,
    SHADE, /* the cosine, or 0 if it is undefined, as every cell of an image needs a value */
    ROW,
    CLASS,
    COSINE,
    WIDE,
    CLASSES = 5
};

/* Get the cosines: from the mirror, or computed from the state into *made. */
static wlab_code get_cosines(const wlab_view_run *v, const wlab_view_request *q, wlab_shown *made,
                             const wlab_shown **shown, wlab_err *err)
{
    const wlab_trace_row *now = &v->row[v->rows - 1];
    const int k = wlab_probe_index(v->algo, WL_PROBE_COSINES);
    if (k < 0)
        return wlab_fail(err, WL_ESTATE,
                         "%s has no working set whose labelings could be compared; try `plot %s`",
                         v->algo->name, wlab_probe_recorded(v->algo) ? "mu" : "objective");
    if (q->live && !(v->probe && v->probe[k].iter >= 0) &&
        !wlab_probe_is_quick(&v->algo->probes[k], v->problem, now->nweights))
        return wlab_fail(
            err, WL_ESTATE,
            "the angles between %lld labelings of %lld rows take longer than a live picture may: `plot "
            "gram to FILE`",
            (long long)now->nweights, (long long)v->problem->n);
    return wlab_view_probe(v, q, WL_PROBE_COSINES, "the angles are computed at the next pause", made, shown,
                           err);
}

/* The names of the labelings at the axes: "y3" and, if known, its weight. */
static void put_names(wlab_figure *f, const wlab_view_run *v, const wlab_probed *g, int64_t iter)
{
    const wlab_trace_row *row = iter < v->rows ? &v->row[iter] : NULL;
    const bool mu = wlab_probe_index(v->algo, WL_PROBE_WEIGHTS) >= 0;
    int64_t each = g->rows > NAMES ? (g->rows + NAMES - 1) / NAMES : 1;
    for (int axis = 0; axis < 2; axis++) {
        wlab_figure_before(f, "set %ctics %s(", axis ? 'y' : 'x',
                           axis           ? ""
                           : g->rows > 12 ? "rotate by 90 right "
                                          : "");
        for (int64_t t = 0; t < g->rows; t += each) {
            int64_t at = g->first + t;
            wlab_figure_before(f, "%s'%s%lld", t ? ", " : "", mu ? "y" : "", (long long)at + 1);
            if (axis && row && at < row->nweights)
                wlab_figure_before(f, "%s%s %.3f", f->text ? "" : "  ", mu && !f->text ? "mu" : "",
                                   row->weight[at]);
            wlab_figure_before(f, "' %lld", (long long)(axis ? g->rows - t : t + 1));
        }
        wlab_figure_before(f, ")\n");
    }
}

static void put_cells(wlab_figure *f, const wlab_view_run *v, const wlab_probed *g)
{
    static const char *const names[WIDE] = {"column", "place", "shade", "row", "class", "cosine"};
    static const double least[CLASSES] = {-1, -0.1, 0.1, 0.5, 0.9};
    int b = wlab_figure_block(f, g->rows * g->rows, WIDE);
    wlab_view_about(f, b, "gram", v);
    wlab_figure_about(f, b,
                      "cosines of the angles between w_s and w_t, w_t = sum over i of alpha_i y_ti phi(x_i)");
    wlab_figure_about(f, b,
                      "place: from the bottom; row: the labeling; class: 0 below -0.1, 1 to 0.1, 2 to 0.5, 3 "
                      "to 0.9, 4 above");
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t s = 0; s < g->rows; s++)
        for (int64_t t = 0; t < g->rows; t++) {
            int64_t at = s * g->rows + t;
            double c = g->value[at];
            int class = 0;
            while (class + 1 < CLASSES && c >= least[class + 1])
                class ++;
            *wlab_figure_at(f, b, at, COLUMN) = (double)(t + 1);
            *wlab_figure_at(f, b, at, PLACE) = (double)(g->rows - s);
            *wlab_figure_at(f, b, at, SHADE) = isfinite(c) ? c : 0;
            *wlab_figure_at(f, b, at, COSINE) = c;
            *wlab_figure_at(f, b, at, ROW) = (double)(g->first + s + 1);
            *wlab_figure_at(f, b, at, CLASS) = isfinite(c) ? (double)class : (double)NAN;
        }
    if (!f->failed)
        f->block[b].scan = g->rows;
}

/* Numbers in the cells, light ones on dark. */
static void put_numbers(wlab_figure *f, const wlab_probed *g)
{
    for (int64_t s = 0; s < g->rows; s++)
        for (int64_t t = 0; t < g->rows; t++) {
            double c = g->value[s * g->rows + t];
            char text[16] = "-";
            if (isfinite(c))
                snprintf(text, sizeof text, "%.2f", c);
            wlab_figure_before(f, "set label '%s' at first %lld, first %lld center front%s\n", text,
                               (long long)t + 1, (long long)(g->rows - s),
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
    const wlab_shown *shown = NULL;
    wlab_shown made = {0};
    wlab_code code = wlab_view_alone(q, "gram", "its axes are the working set's labelings", err);

    code = code ? code : wlab_view_stepped(q, err);
    code = code ? code : wlab_view_titles(f, q, "gram", err);
    code = code ? code : get_cosines(v, q, &made, &shown, err);
    if (code)
        return code;
    const wlab_probed *g = &shown->value;
    bool any = false;
    for (int64_t i = 0; i < g->rows * g->rows; i++)
        any = any || isfinite(g->value[i]);
    if (!any) {
        wlab_shown_clear(&made);
        return wlab_fail(err, WL_ESTATE, "all alpha are 0: there are no angles to draw");
    }
    const int64_t iter = shown->iter, all = v->row[v->rows - 1].nweights;
    if (g->rows == 1)
        wlab_figure_title(f, "one labeling, the cosine with itself, after step %lld", (long long)iter);
    else
        wlab_figure_title(f, "cosines between the %lld %slabelings' weight vectors, after step %lld",
                          (long long)g->rows, g->first > 0 && all > g->rows ? "newest " : "",
                          (long long)iter);
    wlab_figure_axes(f, "labeling", f->text ? "" : "labeling and its weight");
    f->fixed = true;
    wlab_figure_cover(f, 0.5, 0.5);
    wlab_figure_cover(f, (double)g->rows + 0.5, (double)g->rows + 0.5);
    put_names(f, v, g, iter);
    put_cells(f, v, g);
    if (g->rows <= (f->text ? TEXT_MOST : NUMBERS))
        put_numbers(f, g);
    if (!f->text) {
        wlab_figure_before(f,
                           "set palette defined (-1 '#7a2c00', -0.5 '#e06c1f', 0 '#ffffff', 0.5 '#7fb3d8', 1 "
                           "'#00304f')\nset cbrange [-1:1]\nset cblabel 'cosine'\nunset grid\nunset key\n"
                           "set size ratio -1\nset border 0\nset tics scale 0\n");
        if (g->rows == 1) { /* gnuplot draws no image of one cell */
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
    wlab_shown_clear(&made);
    return f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_gram = {
    .name = "gram",
    .summary = "how similar the working set's labelings are: the cosines of the angles between their weight "
               "vectors",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_COSINES,
    .draw = draw_view,
};
