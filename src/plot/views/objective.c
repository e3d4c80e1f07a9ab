/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `objective`: the objective, its certified bounds, and the best feasible labeling's value.  Where the algorithm
 * solves problems on the way to another (tsvm, mfa), that one's J and the smallest J so far instead of the upper bound
 * (which is next to it).  Of more than two runs the objectives only are drawn, J where it is, and of two in a small live
 * picture: the bounds are in the .dat.
 */
#include "plot/views/view.h"
#include <math.h>
#include <stdio.h>

enum { /* bits: the curves */
    OBJECTIVE = 1,
    LOWER = 4,
    J = 16,
    BEST = 32,
    PLAIN = 4, /* as many curves have algorithms without J, */
    WITH_J = 6 /* and with */
};

/* Columns of a live picture of two runs from which on their legend has room for the lower bounds too, and for all. */
enum {
    FOR_LOWER = 40,
    FOR_ALL = 60
};

static bool has(const wlab_view_run *v, wlab_role role)
{
    return wlab_metric_of(v->algo, role) >= 0;
}

static unsigned curves(const wlab_view_request *q, int r)
{
    bool j = has(&q->run[r], WL_R_TARGET);
    unsigned value = j ? J : OBJECTIVE;
    if (q->vs == WL_VS_LEVEL) /* bounds are of the last level's problem */
        return j ? J | OBJECTIVE : OBJECTIVE;
    if (q->runs > 2)
        return value;
    if (has(&q->run[r], WL_R_LEVEL) && !j && !wlab_view_values(&q->run[r], WL_R_LOWER))
        return value; /* the upper bound is of the last level from the first step on, and would flatten the rest */
    if (q->runs == 2 && q->live && q->columns && q->columns < FOR_ALL)
        return q->columns >= FOR_LOWER ? value | LOWER : value;
    return !j ? (1u << PLAIN) - 1 : q->runs > 1 ? J | LOWER : OBJECTIVE | LOWER | J | BEST;
}

/* At a high temperature the objective has much entropy in it, and is far below J: the picture is J's. */
static void leave_entropy_out(wlab_figure *f, const wlab_view_run *v)
{
    static const wlab_role of[] = {WL_R_TARGET, WL_R_LOWER};
    double lo = INFINITY, hi = -INFINITY;
    int objective = wlab_metric_of(v->algo, WL_R_OBJECTIVE);
    int64_t below = 0;

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
    for (int64_t i = 0; i < v->rows; i++)
        below += v->row[i].metric[objective] < lo;
    if (below)
        wlab_figure_title(f, "the objective of %lld step%s at high T lies below", (long long)below,
                          below == 1 ? "" : "s");
}

/* Over levels the objective is another one at each, and a log scale shows them all where it is positive. */
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

/* What is drawn of the runs, `targets` of which have a target. */
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
    static const wlab_role metrics[WITH_J] = {WL_R_OBJECTIVE, WL_R_UPPER,  WL_R_LOWER,
                                              WL_R_LABELING,  WL_R_TARGET, WL_R_TARGET_BEST};
    int drawn = 0, n = PLAIN, js = 0;
    char axis[80];
    wlab_code code = wlab_view_stepped(q, err);

    for (int r = 0; r < q->runs; r++)
        n = has(&q->run[r], WL_R_TARGET) ? WITH_J : n;
    code = code ? code : wlab_view_titles(f, q, "objective", err);
    if (code)
        return code;
    for (int r = 0; r < q->runs; r++)
        js += has(&q->run[r], WL_R_TARGET);
    axis_title(q, js, axis, sizeof axis);
    wlab_view_axes(f, q, axis, on_log_scale(q));
    for (int r = 0; r < q->runs && !code; r++)
        code = wlab_view_curves(f, q, r, "objective", metrics, n, curves(q, r), &drawn, err);
    if (!code && !drawn)
        code = wlab_fail(err, WL_ESTATE, "%s has no objective to draw; `info run` lists its metrics",
                         q->run[0].algo->name);
    if (!code && q->runs == 1 && has(&q->run[0], WL_R_TARGET) && has(&q->run[0], WL_R_TEMPERATURE))
        leave_entropy_out(f, &q->run[0]);
    return code;
}

const wlab_view wlab_view_objective = {
    .name = "objective",
    .summary = "the objective with its upper and lower bounds, and the best feasible labeling's value",
    .draw = draw_view,
};
