/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `spectrum`: the eigenvalues of the matrix that an algorithm works on, as bars on a log axis, the largest first,
 * and their values at the first step.  The matrix of a labeling of P classes has P - 1 nonzero eigenvalues (P if
 * constants count).  So the faster the other eigenvalues decrease, the nearer the relaxed solution is to a labeling.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 60,
    DECADES = 12 /* eigenvalues more than so many decades below the largest are rounding errors */
};

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    const wlab_view_run *v = &q->run[0];
    const wlab_trace_row *now = &v->row[v->rows - 1], *first = NULL;
    wlab_code code = wlab_view_alone(q, "spectrum", "its axis is the eigenvalues", err);

    code = code ? code : wlab_view_stepped(q, err);
    if (!code && wlab_probe_index(v->algo, WL_PROBE_EIGENVALUES) < 0)
        code = wlab_fail(err, WL_ESTATE, "%s has no matrix with eigenvalues to draw; try `plot %s`",
                         v->algo->name, wlab_probe_recorded(v->algo) ? "mu" : "objective");
    code = code ? code : wlab_view_titles(f, q, "spectrum", err);
    if (code)
        return code;
    for (int64_t i = 0; i < v->rows && !first; i++)
        first = v->row[i].nweights ? &v->row[i] : NULL;
    const int64_t all = now->nweights;
    double *value = wlab_alloc((size_t)all + 1, sizeof *value), sum = 0;
    if (!value)
        return wlab_nomem(err);
    for (int64_t t = 0; t < all; t++) {
        value[t] = now->weight[t];
        sum += value[t] > 0 ? value[t] : 0;
    }
    qsort(value, (size_t)all, sizeof *value, descending);
    const double least = all ? value[0] * pow(10, -DECADES) : 0;
    int64_t n = 0, above = 0;
    while (n < all && n < SHOWN && value[n] > 0)
        n++;
    for (int64_t t = 0; t < all; t++)
        above += value[t] > 1e-6 * value[0];
    if (!n) {
        wlab_free(value);
        return wlab_fail(err, WL_ESTATE, "there are no eigenvalues above 0 to draw");
    }
    double fraction = 0;
    const int P = v->problem->classes, most = P - 1 < n ? P - 1 : (int)n;
    for (int k = 0; k < most; k++)
        fraction += value[k] / sum;
    char largest[32] = "the largest is";
    if (most > 1)
        snprintf(largest, sizeof largest, "the %d largest are", most);
    /* the trace includes eigenvalues that are not recorded */
    const bool few = all < first->nweights, cut = few || all >= WL_EIGENVALUES_MOST;
    char whole[60];
    snprintf(whole, sizeof whole, "the sum of the %lld%s", (long long)all,
             few   ? " that are known"
             : cut ? " largest"
                   : "");
    wlab_figure_title(f, "after step %lld: %s %.4g %% of %s, %s%lld are above 1e-6 of the largest",
                      (long long)now->iter, largest, 100 * fraction, whole,
                      cut && above == all ? "at least " : "", (long long)above);

    const int b = wlab_figure_block(f, n, 3);
    wlab_view_about(f, b, "spectrum", v);
    wlab_figure_about(f, b, "eigenvalues, the largest first; before: after step %lld",
                      (long long)first->iter);
    wlab_figure_column(f, b, 0, "number");
    wlab_figure_column(f, b, 1, "eigenvalue");
    wlab_figure_column(f, b, 2, "before");
    double *old = wlab_alloc((size_t)first->nweights, sizeof *old);
    if (!old) {
        wlab_free(value);
        return wlab_nomem(err);
    }
    memcpy(old, first->weight, (size_t)first->nweights * sizeof *old);
    qsort(old, (size_t)first->nweights, sizeof *old, descending);
    f->whole_x = true;
    wlab_figure_axes(f, "number of the eigenvalue, from the largest", "eigenvalue (log scale)");
    f->logy = true;
    wlab_figure_before(f, "set boxwidth 0.8\n");
    for (int64_t t = 0; t < n; t++) {
        const double before = t < first->nweights ? old[t] : NAN;
        *wlab_figure_at(f, b, t, 0) = (double)(t + 1);
        *wlab_figure_at(f, b, t, 1) = value[t] > least ? value[t] : NAN;
        *wlab_figure_at(f, b, t, 2) = before > least ? before : NAN;
        wlab_figure_cover(f, (double)(t + 1), *wlab_figure_at(f, b, t, 1));
        wlab_figure_cover(f, (double)(t + 1), *wlab_figure_at(f, b, t, 2));
    }
    wlab_free(old);
    wlab_free(value);
    wlab_figure_cover_x(f, 0.5);
    wlab_figure_cover_x(f, (double)n + 0.5);
    char title[60];
    wlab_figure_series(
        f,
        &(wlab_series){
            .block = b, .draw = WL_D_BARS, .x = 1, .y = 2, .positive = true, .ink = 1, .mark = '#'},
        "now", f->text ? "with points pt '#'" : "with boxes fs solid 0.7 noborder lc rgb '#0072b2'");
    snprintf(title, sizeof title, "after step %lld", (long long)first->iter);
    if (first != now)
        wlab_figure_series(
            f,
            &(wlab_series){
                .block = b, .draw = WL_D_CURVE, .x = 1, .y = 3, .positive = true, .ink = 2, .mark = 'o'},
            title, f->text ? "with points pt 'o'" : "with linespoints ls 2 dt 1");
    return f->failed ? wlab_nomem(err) : WL_OK;
}

const wlab_view wlab_view_spectrum = {
    .name = "spectrum",
    .summary =
        "the eigenvalues of the matrix that an algorithm works on (softmax-sdp: Z), log axis: now and at "
        "the first step",
    .of = WL_VIEW_ONE | WL_VIEW_FIXED | WL_VIEW_STATE,
    .draw = draw_view,
};
