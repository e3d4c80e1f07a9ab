/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What alter-pSVM reports: metrics, labels, the objectives of the restarts, explanations.
 */
#include "algo/algos.h"
#include "algo/llp/alter.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_BEST,
    M_C_NOW,
    M_RESTART,
    M_DISTINCT,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_PENALTY,
    M_BAG_ERROR,
    M_FLIPS,
    M_SVMS,
    M_SECONDS
};

const wlab_metric_info alter_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "objective of the restart that is shown, at the current C*; never rises while C* is unchanged",
     .equation =
         "Eq. 4 with C*: 1/2 ||w||^2 + C* sum hinge(y_i f_i) + Cp sum_k v_k L_p(p_k(y), p_k), v_k the "
         "weight= of bag k"},
    {.name = "best",
     .role = WL_R_BEST,
     .flags = WL_M_HEADER,
     .meaning = "the smallest value of Eq. 4 (C* = C) that any restart has reached so far",
     .equation = "Eq. 4 at (w, b, y)"},
    {.name = "C_now",
     .role = WL_R_LEVEL,
     .log = true,
     .flags = WL_M_SHOWN,
     .label = "C*",
     .axis = "C*, the hinge losses' weight",
     .meaning = "C*, the current weight of the hinge losses",
     .equation = "C* = min((1 + Delta) C*, C), Algorithm 1"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "number of the restart that is shown: the one with the smallest objective now"},
    {.name = "distinct",
     .role = WL_R_DISTINCT,
     .unit = "restarts",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning =
         "restarts that are left after those with nearly the same labels were merged, which happens when "
         "all have converged at a C*"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .meaning = "the same as best: an upper bound on the optimum over all labelings",
     .equation = "Eq. 4 at (w, b, y)"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .meaning = "a lower bound on the optimum if all labels are given; else no value, as none is certified",
     .equation = "the SVM's dual value at the given labels"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .meaning = "`best` is at most this far above the optimum; no value if `lower` has none",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap of the last SVM of the restart shown: how exactly it was solved",
     .equation = "primal - dual at fixed y"},
    {.name = "penalty",
     .meaning = "the part of the objective that charges for wrong proportions of the labels",
     .equation = "Cp sum_k v_k L_p(p_k(y), p_k), v_k the weight= of bag k"},
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .flags = WL_M_SHOWN,
     .meaning =
         "by how much the predicted proportions of the training bags differ from the given ones, in sum",
     .equation = "Eq. 23 of Yu et al.: sum_k |p_k - fraction of i in bag k with f_i > 0|"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those that were shown one step before, possibly of another restart; "
                "with start=random or bags step 0 shows the initial labels of restart 1"},
    {.name = "svms", .unit = "SVMs", .flags = WL_M_COUNT, .meaning = "SVMs solved so far, over all restarts"},
    WLAB_SECONDS,
    {0}};

void alter_observe(const void *state, double *metric, int8_t *labels)
{
    const alter *s = state;
    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    const bool begun = !isnan(s->shown_C);
    metric[M_OBJECTIVE] = s->objective;
    metric[M_BEST] = metric[M_UPPER] = s->best;
    metric[M_C_NOW] = s->shown_C;
    metric[M_RESTART] = begun ? (double)(s->leader + 1) : NAN;
    metric[M_DISTINCT] = (double)s->distinct;
    metric[M_LOWER] = wlab_lower_beside(s->lower, s->best, fabs(s->best));
    wlab_put_gap(&metric[M_GAP], s->best - s->lower, s->best);
    metric[M_INNER_GAP] = s->inner_gap;
    metric[M_PENALTY] = begun ? s->shown_penalty : NAN;
    metric[M_BAG_ERROR] = s->bag_error;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_SVMS] = (double)s->svms;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code objectives(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                            wlab_err *err)
{
    const alter *s = state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, isnan(s->shown_C) ? 0 : s->restarts, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < w->rows; k++)
        w->value[k] = s->value[k];
    return WL_OK;
}

const wlab_probe alter_probes[] = {{.name = "objective",
                                    .kind = WL_PROBE_RESTARTS,
                                    .when = WL_PROBE_RECORDED,
                                    .meaning = "objective of each restart",
                                    .get = objectives},
                                   {.name = NULL}};

static const char *solver_name(const alter *s)
{
    return s->solver == ALTER_DCD ? "dual coordinate descent" : "SMO";
}

static int64_t count_moving(const alter *s)
{
    int64_t k = 0;
    for (int64_t i = 0; i < s->restarts; i++)
        k += s->r[i].moving;
    return k;
}

void alter_explain(const void *state, char *buf, size_t size)
{
    const alter *s = state;
    const alter_restart *r = &s->r[s->leader];
    if (s->step == 0) {
        snprintf(buf, size,
                 "No step has been made yet: %lld restart%s will begin with %sown labels, and C* will rise "
                 "from %.4g to C = %.4g.",
                 (long long)s->restarts, s->restarts == 1 ? "" : "s", s->restarts == 1 ? "its " : "their ",
                 s->first * s->C, s->C);
        return;
    }
    snprintf(
        buf, size,
        "At C* = %.4g, each restart that had not converged solved for w and b given its labels (%s), and "
        "then "
        "for the best labels given w and b: in each bag, the rows that gain most by being positive become "
        "positive, as many as Eq. 8 says.  Restart %lld has the smallest objective, %.10g: 1/2 ||w||^2 = "
        "%.6g, weighted hinge losses %.6g, losses of the proportions %.6g; %lld of its labels changed.",
        s->shown_C, solver_name(s), (long long)s->leader + 1, s->objective, r->at.norm,
        s->C * r->at.known + s->C_now * r->at.free, s->shown_penalty, (long long)r->flips);
    if (s->shown_before != s->leader)
        wlab_text_append(
            buf, size,
            "  Restart %lld was shown before: the flips of this step, %lld, are the rows where the labels of "
            "the two differ.",
            (long long)s->shown_before + 1, (long long)s->flips);
    if (s->raised)
        wlab_text_append(buf, size,
                         "  C* was raised before this step, and the objective is that at the new C*.");
    if (s->stage == ALTER_W && !s->shown_converged)
        wlab_text_append(buf, size, "  %lld of %lld restarts %s not converged%s.", (long long)count_moving(s),
                         (long long)s->distinct, count_moving(s) == 1 ? "has" : "have",
                         s->r[s->leader].moving ? "" : "; this one has");
    if (s->shown_converged)
        wlab_text_append(buf, size, "  All have converged at this C*%s; %lld of %lld have distinct labels.",
                         s->finished ? ", which is C" : "", (long long)s->distinct, (long long)s->restarts);
    if (alter_missed(s))
        wlab_text_append(
            buf, size,
            "  The last SVM of %lld restart%s missed tol=%g, as double precision allows no more: scale the "
            "columns, or use a smaller C.",
            (long long)alter_missed(s), alter_missed(s) == 1 ? "" : "s", s->tol);
}

void alter_next(const void *state, char *buf, size_t size)
{
    const alter *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: C* is C, and every restart has converged");
    else if (s->stage == ALTER_BEGIN)
        snprintf(buf, size,
                 "choose the initial labels of the restarts, then find w and b for them at C* = %.4g",
                 s->free_rows ? fmin(s->grow * s->C_now, s->C) : s->C);
    else if (s->stage == ALTER_Y)
        snprintf(buf, size,
                 "choose the best labels in each bag for w and b of each restart that has not converged");
    else if (s->converged)
        snprintf(buf, size, "raise C* from %.4g to %.4g and find w and b for the labels of each restart",
                 s->C_now, fmin(s->grow * s->C_now, s->C));
    else
        snprintf(buf, size,
                 "find w and b for the labels of each restart that has not converged, at C* = %.4g",
                 s->C_now);
}
