/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What branch and bound shows: metrics, the incumbent and its model, and what it did in words.
 */
#include "algo/algos.h"
#include "algo/wellsvm/bb.h"

#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INTEGER_UPPER,
    M_ROOT,
    M_FLIPS,
    M_NODES,
    M_OPEN,
    M_DEPTH,
    M_BY_SVM,
    M_BY_RELAXATION,
    M_SINGLE,
    M_IMPROVED,
    M_LABELINGS,
    M_SECONDS
};

const wlab_metric_info bb_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "SVM objective of the incumbent, the best labeling found",
     .equation = "max_alpha G(alpha, y), y in B, Eq. 3 of the WellSVM paper"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same: no more than that is the optimum",
     .equation = "max_alpha G(alpha, y) by its primal value"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "certified: no labeling in B has a smaller objective; never falls",
     .equation = "min over open and closed nodes of their bounds, min over y in B' of G(alpha, y)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "how far from the optimum the incumbent can be at most",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "the same as upper, under the name it has in wellsvm",
     .equation = "max_alpha G(alpha, y) at one y in B, Eq. 3"},
    {.name = "root",
     .meaning = "certified lower bound of the relaxation over all of B: WellSVM's",
     .equation = "max_alpha min over y in B of G(alpha, y)"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ between the incumbent and the one when the step began"},
    {.name = "nodes", .unit = "nodes", .flags = WL_M_COUNT, .meaning = "nodes closed or cut in two"},
    {.name = "open", .unit = "nodes", .flags = WL_M_COUNT, .meaning = "nodes that wait"},
    {.name = "depth",
     .unit = "instances",
     .flags = WL_M_COUNT,
     .meaning = "branchings above the newest node"},
    {.name = "by_svm",
     .unit = "nodes",
     .flags = WL_M_COUNT,
     .meaning = "nodes closed by the SVM of their decided examples"},
    {.name = "by_relaxation",
     .unit = "nodes",
     .flags = WL_M_COUNT,
     .meaning = "nodes closed by their relaxation's bound"},
    {.name = "single", .unit = "nodes", .flags = WL_M_COUNT, .meaning = "nodes that held a single labeling"},
    {.name = "improved", .flags = WL_M_COUNT, .meaning = "how often a better labeling was found"},
    {.name = "labelings", .flags = WL_M_COUNT, .meaning = "labelings that got an SVM of their own"},
    {.name = "seconds",
     .role = WL_R_SECONDS,
     .unit = "s",
     .flags = WL_M_VOLATILE,
     .meaning = "time in the solver since the start"},
    {0}};

static int64_t flips(const bb_state *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->w.n; k++)
        count += s->y[s->best * s->w.n + k] != s->y[s->before * s->w.n + k];
    return count;
}

void bb_observe(const void *state, double *metric, int8_t *labels)
{
    const bb_state *s = state;
    if (metric) {
        bool bounded = isfinite(s->lower);
        double gap = s->upper - s->lower;
        metric[M_OBJECTIVE] = metric[M_UPPER] = metric[M_INTEGER_UPPER] = s->upper;
        metric[M_LOWER] = bounded ? s->lower : NAN;
        metric[M_GAP] = !bounded ? NAN : gap < 0 ? 0 : gap;
        metric[M_RELGAP] = wlab_relgap(metric[M_GAP], metric[M_UPPER]);
        metric[M_ROOT] = isfinite(s->root) ? s->root : NAN;
        metric[M_FLIPS] = s->step > 0 || s->in_step ? (double)flips(s) : NAN;
        metric[M_NODES] = (double)s->nodes;
        metric[M_OPEN] = (double)s->open;
        metric[M_DEPTH] = s->nodes > 0 ? (double)s->last.depth : NAN;
        metric[M_BY_SVM] = (double)s->ended[BB_SVM];
        metric[M_BY_RELAXATION] = (double)s->ended[BB_RELAXED];
        metric[M_SINGLE] = (double)s->ended[BB_SOLVED];
        metric[M_IMPROVED] = (double)s->improved;
        metric[M_LABELINGS] = (double)s->count;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        memcpy(labels, s->y + s->best * s->w.n, (size_t)s->w.n);
}

wlab_code bb_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const bb_state *s = state;
    const double one = 1;
    *out = NULL;
    return well_mixture(&s->w, s->y + s->best * s->w.n, 1, &one, &s->at, out, ctx, err);
}

static double share(const bb_state *s, bb_end end)
{
    return s->nodes > 0 ? 100 * (double)s->ended[end] / (double)s->nodes : 0;
}

void bb_explain(const void *state, char *buf, size_t size)
{
    const bb_state *s = state;
    static const char *const how[] = {"its bound lies below the incumbent, so it was cut in two",
                                      "the SVM of its decided examples closed it",
                                      "its relaxation's bound closed it",
                                      "it held a single labeling, which got its SVM"};
    buf[0] = 0;
    if (s->nodes == 0) {
        wlab_text_append(
            buf, size,
            "Nothing was stepped yet. B has %.4g labelings; the first incumbent is the one that WellSVM "
            "begins with, "
            "with the SVM objective %.10g. The root node is all of B.",
            wlab_labelset_count(s->w.p->labels), s->upper);
        return;
    }
    wlab_text_append(buf, size, "%s %lld closed or cut %lld node%s. ", s->in_step ? "Inside step" : "Step",
                     (long long)s->step + s->in_step, (long long)s->step_nodes,
                     s->step_nodes == 1 ? "" : "s");
    wlab_text_append(
        buf, size, "The newest, number %lld, lies %d branching%s deep and has the certified bound %.10g: %s",
        (long long)s->last.number, (int)s->last.depth, s->last.depth == 1 ? "" : "s", s->last.lower,
        how[s->last_end]);
    if (s->last_pick >= 0)
        wlab_text_append(buf, size, " at row %lld, on which the labelings of its relaxation disagree",
                         (long long)s->w.p->row[s->last_pick] + 1);
    wlab_text_append(buf, size, ". ");
    if (s->best != s->before)
        wlab_text_append(buf, size, "A better labeling was found, %lld labels from the one before. ",
                         (long long)flips(s));
    wlab_text_append(
        buf, size,
        "Incumbent %.10g, lower bound %.10g: it is optimal to within %.3g %%. Of all nodes (%lld) %.0f %% "
        "were "
        "closed by an "
        "SVM, %.0f %% by a relaxation, %.0f %% held one labeling; %lld are open. %lld labelings got an SVM.",
        s->upper, s->lower, 100 * (s->upper - s->lower) / fabs(s->upper), (long long)s->nodes,
        share(s, BB_SVM), share(s, BB_RELAXED), share(s, BB_SOLVED), (long long)s->open, (long long)s->count);
    if (s->verdict == WL_CONVERGED)
        wlab_text_append(buf, size, " No node is open: no labeling in B is better by more than eps.");
    if (s->verdict == WL_STALLED)
        wlab_text_append(
            buf, size,
            " No node is open, but SVMs of single labelings are not known to eps: rounding takes "
            "more than that from their bounds. Scaled data, a smaller C or bias help.");
}

void bb_next(const void *state, char *buf, size_t size)
{
    const bb_state *s = state;
    if (s->verdict == WL_LIMIT)
        snprintf(buf, size, "limit nodes=%lld reached: `set nodes=%lld` goes on", (long long)s->max_nodes,
                 10 * (long long)s->max_nodes);
    else if (s->finished)
        snprintf(buf, size, "nothing: %s; `back`, `algo` go on",
                 s->verdict == WL_STALLED ? "no node is open" : "the optimum is known");
    else if (s->nodes == 0)
        snprintf(buf, size, "bound the root of the tree: all of B");
    else
        snprintf(buf, size,
                 "bound node %lld, %d branching%s deep, whose lower bound is the smallest of %lld (%.6g)",
                 (long long)s->heap[0]->number, (int)s->heap[0]->depth, s->heap[0]->depth == 1 ? "" : "s",
                 (long long)s->open, s->heap[0]->lower);
}
