/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The output of branch and bound: metrics, the incumbent and its model, and the explanation of a step in words.
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
    M_SDP_BASE,
    M_SDP_ROOT,
    M_SDP,
    M_FLIPS,
    M_NODES,
    M_OPEN,
    M_DEPTH,
    M_BY_SVM,
    M_BY_RELAXATION,
    M_BY_SDP,
    M_SINGLE,
    M_IMPROVED,
    M_LABELINGS,
    M_ROUNDS,
    M_RLT,
    M_SECANTS,
    M_WIDTH,
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
     .meaning = "the same as objective: an upper bound on the optimum",
     .equation = "the primal value of max_alpha G(alpha, y)"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "certified lower bound: no labeling in the label set has a smaller objective; never falls",
     .equation =
         "min over open and closed nodes B' of their bounds, each <= min over y in B' of the objective"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the objective of the incumbent is at most this far above the optimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "the same as upper, under its name in wellsvm",
     .equation = "max_alpha G(alpha, y) at one y in B, Eq. 3"},
    {.name = "root",
     .meaning =
         "certified lower bound over the whole label set, found at the root node: the optimum of WellSVM's "
         "relaxation, or less if its cutting planes needed more than 100 rounds there",
     .equation = "max_alpha min over y in B of G(alpha, y)"},
    {.name = "sdp_base",
     .meaning =
         "bound=sdp: certified lower bound over the whole label set by the semidefinite program without cuts",
     .equation = "largest minimum over x of a Lagrangian of 1/2 x'Cx, x_i^2 >= 1, y_i x_i >= 1, balance"},
    {.name = "sdp_root",
     .meaning = "the same with the cuts so far; never falls",
     .equation = "and (x_i - lo_i)(x_j - lo_j) >= 0, ..., (x_i - lo_i)(hi_i - x_i) >= 0"},
    {.name = "sdp",
     .meaning = "bound=sdp: certified lower bound by the newest semidefinite program, over the labelings of "
                "its node",
     .equation = "min over x of the Lagrangian, minus rounding errors"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ between the incumbent now and at the start of the step"},
    {.name = "nodes", .unit = "nodes", .flags = WL_M_COUNT, .meaning = "nodes closed or split in two"},
    {.name = "open", .unit = "nodes", .flags = WL_M_COUNT, .meaning = "open nodes, still to be bounded"},
    {.name = "depth",
     .flags = WL_M_COUNT,
     .meaning = "branchings above the node that was closed or split last"},
    {.name = "by_svm",
     .unit = "nodes",
     .flags = WL_M_COUNT,
     .meaning = "nodes closed by the bound of the SVM of their decided examples"},
    {.name = "by_relaxation",
     .unit = "nodes",
     .flags = WL_M_COUNT,
     .meaning = "nodes closed by the bound of their relaxation, or, before they were examined, by that of "
                "their parent"},
    {.name = "by_sdp",
     .unit = "nodes",
     .flags = WL_M_COUNT,
     .meaning = "nodes closed by the bound of their semidefinite program"},
    {.name = "single", .unit = "nodes", .flags = WL_M_COUNT, .meaning = "nodes that held a single labeling"},
    {.name = "improved", .flags = WL_M_COUNT, .meaning = "how often a better labeling was found"},
    {.name = "labelings", .flags = WL_M_COUNT, .meaning = "labelings on which an SVM was trained"},
    {.name = "rounds",
     .flags = WL_M_COUNT,
     .meaning = "rounds of the newest semidefinite program; each but the first adds cuts"},
    {.name = "rlt",
     .unit = "cuts",
     .flags = WL_M_COUNT,
     .meaning = "its cuts on two rows: products of the distances of two outputs to the ends of their boxes"},
    {.name = "secants",
     .unit = "cuts",
     .flags = WL_M_COUNT,
     .meaning = "its cuts on the square of one output"},
    {.name = "width",
     .meaning = "mean width of its box, over the rows whose label its node leaves open",
     .equation = "mean of hi_i - lo_i"},
    WLAB_SECONDS,
    {0}};

static int64_t flips(const bb_state *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->w.n; k++)
        count += s->y[s->best * s->w.n + k] != s->y[s->before * s->w.n + k];
    return count;
}

static double finite_or_nan(double value)
{
    return isfinite(value) ? value : NAN;
}

void bb_observe(const void *state, double *metric, int8_t *labels)
{
    const bb_state *s = state;
    if (metric) {
        metric[M_OBJECTIVE] = metric[M_UPPER] = metric[M_INTEGER_UPPER] = s->upper;
        metric[M_LOWER] = isfinite(s->lower) ? s->lower : NAN;
        wlab_put_gap(&metric[M_GAP], s->upper - metric[M_LOWER], s->upper);
        metric[M_ROOT] = isfinite(s->root) ? s->root : NAN;
        metric[M_SDP_BASE] = finite_or_nan(s->sdp.base);
        metric[M_SDP_ROOT] = finite_or_nan(s->sdp.root);
        metric[M_SDP] = finite_or_nan(s->sdp.bound);
        metric[M_ROUNDS] = s->bound == BB_BOUND_SDP ? (double)s->sdp.rounds : NAN;
        metric[M_RLT] = s->bound == BB_BOUND_SDP ? (double)s->sdp.rlt : NAN;
        metric[M_SECANTS] = s->bound == BB_BOUND_SDP ? (double)s->sdp.secant : NAN;
        metric[M_WIDTH] = finite_or_nan(s->sdp.width);
        metric[M_BY_SDP] = s->bound == BB_BOUND_SDP ? (double)s->ended[BB_SDP] : NAN;
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

static wlab_code tree(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                      wlab_err *err)
{
    const bb_state *s = state;
    int64_t depths = 1;
    (void)ask;
    (void)ctx;
    for (int64_t k = 0; k < s->open; k++)
        depths = s->heap[k]->depth >= depths ? s->heap[k]->depth + 1 : depths;
    for (int64_t k = depths; k < s->levels; k++)
        for (int end = 0; end < BB_ENDS; end++)
            depths = s->ended_at[k][end] ? k + 1 : depths;
    if (wlab_probed_make(out, depths, WL_TREE_COLUMNS, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < depths; k++) {
        double *row = out->value + k * WL_TREE_COLUMNS;
        row[WL_TREE_SPLIT] = (double)s->ended_at[k][BB_BRANCHED];
        row[WL_TREE_CLOSED] = 0;
        for (int end = 0; end < BB_ENDS; end++)
            row[WL_TREE_CLOSED] += end == BB_BRANCHED ? 0 : (double)s->ended_at[k][end];
        row[WL_TREE_OPEN] = 0;
        row[WL_TREE_SPLIT_BOUND] = isfinite(s->bound_at[k][0]) ? s->bound_at[k][0] : NAN;
        row[WL_TREE_CLOSED_BOUND] = isfinite(s->bound_at[k][1]) ? s->bound_at[k][1] : NAN;
        row[WL_TREE_OPEN_BOUND] = NAN;
    }
    for (int64_t k = 0; k < s->open; k++) {
        double *row = out->value + s->heap[k]->depth * WL_TREE_COLUMNS;
        row[WL_TREE_OPEN]++;
        if (isfinite(s->heap[k]->lower))
            row[WL_TREE_OPEN_BOUND] = fmin(row[WL_TREE_OPEN_BOUND], s->heap[k]->lower);
    }
    return WL_OK;
}

const wlab_probe bb_probes[] = {{.name = "tree",
                                 .kind = WL_PROBE_TREE,
                                 .when = WL_PROBE_QUICK,
                                 .meaning = "nodes and smallest bounds by depth",
                                 .get = tree},
                                {.name = NULL}};

wlab_code bb_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const bb_state *s = state;
    const double one = 1;
    *out = NULL;
    return well_mixture(&s->w, s->y + s->best * s->w.n, 1, &one, &s->at, out, ctx, err);
}

static double percent_ended(const bb_state *s, bb_end end)
{
    return s->nodes > 0 ? 100 * (double)s->ended[end] / (double)s->nodes : 0;
}

/* The program of the node on top of the heap, between its rounds. */
static void explain_program(const bb_state *s, char *buf, size_t size)
{
    const bb_sdp *p = &s->sdp;
    wlab_text_append(buf, size, "Neither its SVM nor its relaxation (%.10g) closes node %lld. ", p->relaxed,
                     (long long)s->heap[0]->number);
    if (p->rounds == 0)
        wlab_text_append(
            buf, size,
            "With the incumbent's objective as a limit, the outputs of its undecided rows lie in "
            "intervals of the mean width %.4g. Its semidefinite program is next. ",
            p->width);
    else
        wlab_text_append(
            buf, size,
            "Round %lld of its semidefinite program, with %lld cuts on two rows and %lld on one, "
            "has the certified bound %.10g; the box has the mean width %.4g and decides %lld "
            "label%s. ",
            (long long)p->rounds, (long long)p->rlt, (long long)p->secant, p->bound, p->width,
            (long long)p->decided, p->decided == 1 ? "" : "s");
}

/* Which bound of bound=sdp was the better one at the root, and where the program was left out. */
static void explain_bounds(const bb_state *s, char *buf, size_t size)
{
    if (s->bound != BB_BOUND_SDP || !isfinite(s->sdp.root))
        return;
    wlab_text_append(
        buf, size,
        " At the root the relaxation proved %.10g, the semidefinite program %.10g without cuts and "
        "%.10g with them.",
        s->root, s->sdp.base, s->sdp.root);
    wlab_text_append(buf, size,
                     " Semidefinite programs closed %.0f %% of the nodes; below a node whose program "
                     "proved less than its relaxation, and decided no label, there is none.",
                     percent_ended(s, BB_SDP));
}

void bb_explain(const void *state, char *buf, size_t size)
{
    const bb_state *s = state;
    static const char *const how[] = {"its bound is below the incumbent, so it was split in two",
                                      "the bound of the SVM of its decided examples closed it",
                                      "the bound of its relaxation closed it",
                                      "it held a single labeling, whose SVM was trained",
                                      "the bound of its semidefinite program closed it"};
    buf[0] = 0;
    if (s->sdp.at)
        explain_program(s, buf, size);
    if (s->nodes == 0 && s->sdp.at) {
        wlab_text_append(buf, size, "Incumbent %.10g, lower bound %.10g.", s->upper, s->lower);
        return;
    }
    if (s->nodes == 0) {
        wlab_text_append(buf, size,
                         "No step has been made yet. The label set has %.4g labelings. The first incumbent "
                         "is WellSVM's first "
                         "labeling, with the SVM objective %.10g. The root node is the whole label set.",
                         wlab_labelset_count(s->w.p->labels), s->upper);
        return;
    }
    wlab_text_append(buf, size, "%s %lld closed or split %lld node%s. ", s->in_step ? "Inside step" : "Step",
                     (long long)s->step + s->in_step, (long long)s->step_nodes,
                     s->step_nodes == 1 ? "" : "s");
    wlab_text_append(
        buf, size, "The last one, number %lld, is %d branching%s deep and has the certified bound %.10g: %s",
        (long long)s->last.number, (int)s->last.depth, s->last.depth == 1 ? "" : "s", s->last.lower,
        how[s->last_end]);
    if (s->last_pick >= 0)
        wlab_text_append(buf, size, " at row %lld, %s", (long long)s->w.p->row[s->last_pick] + 1,
                         s->by_spread ? "whose output its semidefinite program leaves most open"
                                      : "on which the labelings of its relaxation disagree");
    wlab_text_append(buf, size, ". ");
    if (s->best != s->before)
        wlab_text_append(buf, size,
                         "A better labeling was found; it differs in %lld labels from the one before. ",
                         (long long)flips(s));
    wlab_text_append(buf, size,
                     "Incumbent %.10g, lower bound %.10g: %.3g %% of the incumbent are open. Of the %lld "
                     "nodes closed or split so far, %.0f %% were closed by an SVM, %.0f %% by a "
                     "relaxation, and %.0f %% held one labeling; "
                     "%lld more are open. SVMs were solved for %lld labelings.",
                     s->upper, s->lower, 100 * (s->upper - s->lower) / fabs(s->upper), (long long)s->nodes,
                     percent_ended(s, BB_SVM), percent_ended(s, BB_RELAXED), percent_ended(s, BB_SOLVED),
                     (long long)s->open, (long long)s->count);
    explain_bounds(s, buf, size);
    if (s->verdict == WL_CONVERGED)
        wlab_text_append(buf, size, " No node is open: no labeling is better by more than eps.");
    if (s->verdict == WL_STALLED)
        wlab_text_append(buf, size,
                         " No node is open, but the SVMs of single labelings are not solved to eps, as the "
                         "rounding errors of their bounds are larger. Scale the data, or use a smaller C or "
                         "bias.");
}

void bb_next(const void *state, char *buf, size_t size)
{
    const bb_state *s = state;
    if (s->verdict == WL_LIMIT)
        snprintf(buf, size, "limit nodes=%lld reached: `set nodes=%lld` continues", (long long)s->max_nodes,
                 10 * (long long)s->max_nodes);
    else if (s->finished)
        snprintf(buf, size, "nothing: %s; `back` or `algo` continues",
                 s->verdict == WL_STALLED || s->upper - s->lower > WLAB_PROVEN * fabs(s->upper)
                     ? "no node is open"
                     : "the optimum is known");
    else if (s->sdp.at)
        snprintf(buf, size, "round %lld of the semidefinite program of node %lld, whose bound so far is %.6g",
                 (long long)s->sdp.rounds + 1, (long long)s->heap[0]->number,
                 fmax(s->sdp.relaxed, s->sdp.rounds ? s->sdp.bound : s->sdp.relaxed));
    else if (s->nodes == 0)
        snprintf(buf, size, "bound the root of the tree: the whole label set");
    else
        snprintf(buf, size,
                 "bound node %lld, %d branching%s deep, whose lower bound is the smallest of %lld (%.6g)",
                 (long long)s->heap[0]->number, (int)s->heap[0]->depth, s->heap[0]->depth == 1 ? "" : "s",
                 (long long)s->open, s->heap[0]->lower);
}
