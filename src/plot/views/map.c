/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `map`: labelings as points of the plane, those that agree on most rows near each other, shaded by their objective: the
 * local minima that a run has found.  Groups of points are solutions of one kind; several groups with nearly equal objectives
 * mean that the data do not tell which is right.
 */
#include "plot/views/view.h"

#include <math.h>
#include <stdio.h>

enum { /* columns of block 0 */
    X,
    Y,
    VALUE,
    KIND,
    LEVEL, /* 0 to 2: the third of the objectives, the smallest first */
    WIDE
};

static wlab_code draw_map(wlab_figure *f, const wlab_view_run *v, const wlab_shown *shown, wlab_err *err)
{
    static const char *const names[WIDE] = {"x", "y", "objective", "kind", "level"};
    static const char *const color[] = {"00304f", "4a9bcb", "c6dcec"};
    const wlab_probed *p = &shown->value;
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    int64_t labelings = 0;
    bool result = false;

    for (int64_t k = 0; k < p->rows; k++) {
        const double *row = p->value + k * WL_MAP_COLUMNS;
        if (isfinite(row[WL_MAP_VALUE])) {
            lo = fmin(lo, row[WL_MAP_VALUE]);
            hi = fmax(hi, row[WL_MAP_VALUE]);
            labelings++;
        }
        result = result || row[WL_MAP_KIND] == WL_MAP_RESULT;
    }
    if (labelings == 0)
        return wlab_fail(err, WL_ESTATE, "no labeling has an objective yet: `step` first");
    const int b = wlab_figure_block(f, p->rows, WIDE);
    wlab_view_about(f, b, "map", v);
    wlab_figure_about(
        f, b,
        "kind: 0 a labeling, 1 a candidate, 2 the start, 3 the result; level: its third of the objectives");
    for (int c = 0; c < WIDE; c++)
        wlab_figure_column(f, b, c, "%s", names[c]);
    for (int64_t k = 0; k < p->rows && !f->failed; k++) {
        const double *row = p->value + k * WL_MAP_COLUMNS, value = row[WL_MAP_VALUE];
        *wlab_figure_at(f, b, k, X) = row[WL_MAP_X];
        *wlab_figure_at(f, b, k, Y) = row[WL_MAP_Y];
        *wlab_figure_at(f, b, k, VALUE) = value;
        *wlab_figure_at(f, b, k, KIND) = row[WL_MAP_KIND];
        *wlab_figure_at(f, b, k, LEVEL) = isnan(value) ? NAN
                                          : hi > lo    ? fmin(2, floor(3 * (value - lo) / (hi - lo)))
                                                       : 0;
        wlab_figure_cover(f, row[WL_MAP_X], row[WL_MAP_Y]);
    }
    wlab_figure_title(f, "after step %lld: %lld labelings, objectives %.5g to %.5g", (long long)shown->iter,
                      (long long)labelings, lo, hi);
    wlab_figure_axes(
        f, "squared distance / 4: the rows on which two labelings differ, as far as a plane shows it", "");
    for (int level = 2; level >= 0; level--) {
        char title[60], style[80];
        snprintf(title, sizeof title, "%s to %.4g",
                 level == 0   ? "lowest third:"
                 : level == 1 ? "second:"
                              : "highest:",
                 lo + (hi - lo) * (level + 1) / 3);
        snprintf(style, sizeof style, "with points pt 7 ps 1.4 lc rgb '#%s'", color[level]);
        wlab_view_points(f, 0, title, LEVEL, level, ".:#"[2 - level], level + 1, style);
    }
    wlab_view_points(f, 0, "candidate", KIND, WL_MAP_CANDIDATE, 'o', 3,
                     "with points pt 6 ps 2.6 lw 2 lc rgb '#d55e00'");
    wlab_view_points(f, 0, "supervised svm", KIND, WL_MAP_START, 'x', 4,
                     "with points pt 2 ps 2.2 lw 3 lc rgb '#000000'");
    if (result)
        wlab_view_points(f, 0, "handed out", KIND, WL_MAP_RESULT, '*', 5,
                         "with points pt 3 ps 2.6 lw 3 lc rgb '#009e73'");
    return f->failed ? wlab_nomem(err) : WL_OK;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    wlab_shown made = {0};
    const wlab_shown *shown = NULL;
    wlab_code code = wlab_view_alone(q, "map", "its points are the labelings of one run", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && wlab_probe_index(v->algo, WL_PROBE_MAP) < 0)
        code = wlab_fail(err, WL_ESTATE, "%s keeps no labelings of several starts; try `plot labels`",
                         v->algo->name);
    code = code ? code : wlab_view_titles(f, q, "map", err);
    code =
        code ? code
             : wlab_view_probe(v, q, WL_PROBE_MAP, "the map is copied at the next pause", &made, &shown, err);
    code = code ? code : draw_map(f, v, shown, err);
    wlab_shown_clear(&made);
    return code;
}

const wlab_view wlab_view_map = {
    .name = "map",
    .summary = "s4vm: its labelings as points, those that agree on most rows near each other, by objective",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE | WL_VIEW_PROBE,
    .probe = WL_PROBE_MAP,
    .draw = draw_view,
};
