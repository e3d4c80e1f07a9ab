/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `objective`: the objective, its certified bounds, and the value of the best feasible labeling.  For an algorithm
 * that solves a sequence of problems on the way to a target problem (tsvm, mfa), the target's objective J and the
 * smallest J so far are drawn instead of the upper bound (which is close to J).  An algorithm whose objective changes
 * with the annealed quantity (alter-psvm, C*) is drawn against that quantity, with the best value at its end.  For more than two runs, and for two in
 * a small live picture, only the objectives are drawn (J if there is one): the bounds are in the .dat.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { /* bits: the curves */
    OBJECTIVE = 1,
    LOWER = 4,
    J = 16,
    BEST = 32,
    AT_END = 64,
    PLAIN = 4,  /* number of curves of an algorithm without J */
    WITH_J = 6, /* number of curves of an algorithm with J */
    ALL = 7
};

#define FAR 4.0 /* times the range of the other values */

/* The least columns for which the legend of a live picture of two runs also includes the lower bounds, or all curves
 * that two runs can have. */
enum {
    FOR_LOWER = 40,
    FOR_ALL = 60
};

static bool has(const wlab_view_run *v, wlab_role role)
{
    return wlab_metric_of(v->algo, role) >= 0;
}

/* The bits of the curves that are drawn of run r. */
static unsigned curves_of(const wlab_view_request *q, int r)
{
    bool j = has(&q->run[r], WL_R_TARGET);
    unsigned value = j ? J : OBJECTIVE;
    const bool best = has(&q->run[r], WL_R_BEST);
    if (q->runs > 2)
        return best ? AT_END : value;
    if (best && !wlab_view_values(&q->run[r], WL_R_LOWER))
        return q->runs > 1 ? AT_END : OBJECTIVE | AT_END;
    if (q->vs == WL_VS_LEVEL) /* bounds hold for the problem of the last level */
        return j ? J | OBJECTIVE : OBJECTIVE;
    if (q->runs == 2 && q->live && q->columns && q->columns < FOR_ALL)
        return q->columns >= FOR_LOWER ? value | LOWER : value;
    return !j ? (1u << PLAIN) - 1 : q->runs > 1 ? J | LOWER : OBJECTIVE | LOWER | J | BEST;
}

/* At a high temperature the entropy makes the objective much smaller than J.  Limit the y axis to the range of J and
 * the lower bound, and report in the title how many steps are below. */
static void limit_to_target(wlab_figure *f, const wlab_view_run *v)
{
    static const wlab_role of[] = {WL_R_TARGET, WL_R_LOWER};
    double lo = INFINITY, hi = -INFINITY;
    int objective = wlab_metric_of(v->algo, WL_R_OBJECTIVE);
    int64_t below = 0, inside = 0;

    for (int k = 0; k < 2; k++) {
        int m = wlab_metric_of(v->algo, of[k]);
        for (int64_t i = 0; m >= 0 && i < v->rows; i++)
            if (isfinite(v->row[i].metric[m])) {
                lo = fmin(lo, v->row[i].metric[m]);
                hi = fmax(hi, v->row[i].metric[m]);
            }
    }
    lo -= 0.25 * (hi - lo);
    if (!(lo > f->ylo) || objective < 0)
        return;
    f->ylo = lo;
    for (int64_t i = 0; i < v->rows; i++) {
        below += v->row[i].metric[objective] < lo;
        inside += v->row[i].metric[objective] >= lo;
    }
    if (below)
        wlab_figure_title(f, "the objective of %lld step%s at high T is below the picture", (long long)below,
                          below == 1 ? "" : "s");
    for (int k = 0; !inside && k < f->nseries; k++) /* the legend does not name a curve that cannot be seen */
        if (f->series[k].title && strcmp(f->series[k].title, v->algo->metrics[objective].name) == 0)
            f->series[k].title = wlab_free(f->series[k].title);
}

/* A lower bound that is far below at first (mean-map, softmax-sdp) would flatten the objective to a line.  Then limit the
 * y axis to the range of the objective and of the newest bound, and report how many steps of the bound are below. */
static void limit_far_bound(wlab_figure *f, const wlab_view_run *v)
{
    const int objective = wlab_metric_of(v->algo, WL_R_OBJECTIVE),
              lower = wlab_metric_of(v->algo, WL_R_LOWER);
    double lo = INFINITY, hi = -INFINITY, newest = NAN;
    int64_t below = 0;

    for (int64_t i = 0; objective >= 0 && lower >= 0 && i < v->rows; i++) {
        const double value = v->row[i].metric[objective];
        if (isfinite(value)) {
            lo = fmin(lo, value);
            hi = fmax(hi, value);
        }
        newest = isfinite(v->row[i].metric[lower]) ? v->row[i].metric[lower] : newest;
    }
    if (!isfinite(newest) || !(hi > lo))
        return;
    lo = fmin(lo, newest);
    if (!(lo - f->ylo > FAR * (hi - lo)))
        return;
    f->ylo = lo - 0.1 * (hi - lo);
    for (int64_t i = 0; i < v->rows; i++)
        below += v->row[i].metric[lower] < f->ylo;
    wlab_figure_title(f, "the lower bound of %lld step%s is far below the picture", (long long)below,
                      below == 1 ? "" : "s");
}

/* Against levels use a log scale if all objectives are positive, as each level has another objective. */
static bool on_log_scale(const wlab_view_request *q)
{
    bool positive = q->vs == WL_VS_LEVEL;
    for (int r = 0; r < q->runs && positive; r++) {
        int m = wlab_metric_of(q->run[r].algo, WL_R_OBJECTIVE);
        positive = m >= 0 && !has(&q->run[r], WL_R_TARGET);
        for (int64_t i = 0; positive && i < q->run[r].rows; i++)
            positive = !(q->run[r].row[i].metric[m] <= 0);
    }
    return positive;
}

/* The label of the y axis; `targets`: the number of runs with a target problem. */
static void axis_title(const wlab_view_request *q, int targets, char *buf, size_t size)
{
    const char *target = wlab_role_name(WL_R_TARGET);

    if (targets == 0)
        snprintf(buf, size, "objective");
    else if (targets < q->runs)
        snprintf(buf, size, "%s, or the objective", target);
    else if (q->runs == 1)
        snprintf(buf, size, "objective and %s", target);
    else
        snprintf(buf, size, "%s", target);
}

static wlab_code draw_view(wlab_figure *f, const wlab_view_request *q, wlab_err *err)
{
    static const wlab_role metrics[ALL] = {WL_R_OBJECTIVE, WL_R_UPPER,       WL_R_LOWER, WL_R_LABELING,
                                           WL_R_TARGET,    WL_R_TARGET_BEST, WL_R_BEST};
    int drawn = 0, n = PLAIN, js = 0;
    char axis[80];
    wlab_code code = wlab_view_stepped(q, err);

    for (int r = 0; r < q->runs; r++)
        n = has(&q->run[r], WL_R_BEST) ? ALL : has(&q->run[r], WL_R_TARGET) && n < WITH_J ? WITH_J : n;
    code = code ? code : wlab_view_titles(f, q, "objective", err);
    if (code)
        return code;
    for (int r = 0; r < q->runs; r++)
        js += has(&q->run[r], WL_R_TARGET);
    const char *differ = wlab_view_differ(q->run, q->runs);
    if (differ)
        wlab_figure_title(
            f, "problems may differ (%s): if so compare the shapes of the curves, not their heights", differ);
    axis_title(q, js, axis, sizeof axis);
    wlab_view_axes(f, q, axis, on_log_scale(q));
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "objective", metrics, n, curves_of(q, r), &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has no objective to draw; `info run` lists its metrics",
                         q->run[0].algo->name);
    if (!code && q->runs == 1 && has(&q->run[0], WL_R_TARGET) && has(&q->run[0], WL_R_TEMPERATURE))
        limit_to_target(f, &q->run[0]);
    else if (!code && q->runs == 1 && q->vs != WL_VS_LEVEL)
        limit_far_bound(f, &q->run[0]);
    return code;
}

const wlab_view wlab_view_objective = {
    .name = "objective",
    .summary =
        "the objective with its upper and lower bounds and the value of the best feasible labeling; tsvm, "
        "mfa: J and the smallest J in place of the upper bound; several runs: fewer curves",
    .of = WL_VIEW_LEVEL,
    .draw = draw_view,
};
