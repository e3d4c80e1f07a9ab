/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound: min over y in B of max over alpha of G(alpha, y), exactly, for few rows.  WellSVM relaxes this
 * problem.  The open node with the smallest lower bound is examined next.  Its bound closes it (bb_node.c), or it is
 * split in two by deciding the value of one more instance.
 */
#include "algo/wellsvm/bb.h"
#include "algo/algos.h"
#include "base/clock.h"

#include <string.h>

enum {
    MOST_ROWS = 1000,
    STEP_NODES = 100
};

static const char *const bound_names[] = {"relaxation", "sdp", NULL};
static const wlab_param_info params[] = {
    WELL_PROBLEM_PARAMS(0),
    WELL_THRESHOLD_PARAM,
    {"eps", WL_P_REAL, "1e-6", 0, 1, NULL, "relative", "the run has converged when gap <= eps |objective|",
     WL_P_OPEN_LO},
    {"bound", WL_P_CHOICE, "relaxation", 0, 0, bound_names, NULL,
     "where the certified lower bound of a node comes from; relaxation: the SVM of its decided examples, "
     "then "
     "WellSVM's relaxation; sdp: where these leave the node open, a semidefinite program over outputs with "
     "cuts, too (loss=squared-hinge or sum-to-one)",
     0},
    {"nodes", WL_P_INT, "100000", 1, 1e9, NULL, NULL,
     "stop after this many nodes; an open node takes one byte per row and about 300 bytes more",
     WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 9007199254740992.0, NULL, NULL,
     "seed of the random labelings from which the search for violated ones starts", 0},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

static void destroy(void *state)
{
    bb_state *s = state;
    if (!s)
        return;
    bb_forget(s);
    if (s->form)
        wlab_form_clear(s->form);
    wlab_free(s->form);
    well_clear(&s->w);
    wlab_free(s);
}

static wlab_code make_form(bb_state *s, wlab_ctx *ctx, wlab_err *err)
{
    const wellsvm *w = &s->w;
    s->form = wlab_calloc(1, sizeof *s->form);
    return s->form ? wlab_form_create(s->form, w->K, w->delta, w->n, ctx, err) : wlab_nomem(err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    bb_state *s = wlab_calloc(1, sizeof *s);
    wellsvm *w;
    wlab_code code;
    int64_t at = 0;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    w = &s->w;
    s->best = -1;
    s->last_pick = -1;
    s->closed = HUGE_VAL;
    s->lower = -HUGE_VAL;
    s->root = s->upper = NAN;
    s->sdp.bound = s->sdp.width = s->sdp.base = s->sdp.root = NAN;
    if (p->n > MOST_ROWS) {
        code = wlab_fail(
            err, WL_EARG,
            "bb allows at most %d rows, but there are %lld (its tree grows exponentially at worst); use "
            "`algo wellsvm`, or fewer rows (`split`)",
            MOST_ROWS, (long long)p->n);
        goto fail;
    }
    s->bound = (bb_bound)wlab_params_choice(given, "bound");
    if ((code = well_problem_read(w, p, given, ctx, err)) || (code = bb_sdp_check(s, err)) ||
        (code = well_problem_make(w, ctx, err)))
        goto fail;
    if (s->bound == BB_BOUND_SDP && (code = make_form(s, ctx, err)))
        goto fail;
    s->eps = wlab_params_real(given, "eps");
    s->max_nodes = wlab_params_int(given, "nodes");
    s->w.threshold = (well_threshold)wlab_params_choice(given, "threshold");
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    w->master = WELL_NEWTON;
    w->master_tol = 1e-8;
    w->eps = s->eps;
    w->starts = 2;
    wlab_rng_seed(&w->rng, s->seed);
    s->at.alpha = wlab_calloc((size_t)w->m, sizeof *s->at.alpha);
    s->at.q = wlab_calloc(1, sizeof *s->at.q);
    s->levels = w->n + 1;
    s->ended_at = wlab_calloc((size_t)s->levels, sizeof *s->ended_at);
    s->bound_at = wlab_alloc((size_t)s->levels, sizeof *s->bound_at);
    if (!s->ended_at || !s->bound_at) {
        code = wlab_nomem(err);
        goto fail;
    }
    for (int64_t k = 0; k < s->levels; k++)
        s->bound_at[k][0] = s->bound_at[k][1] = HUGE_VAL;
    bb_node *root = s->at.alpha && s->at.q && !bb_reserve(s, 1, err) ? bb_node_create(s, NULL, 1) : NULL;
    if (!root) {
        code = wlab_nomem(err);
        goto fail;
    }
    bb_push(s, root);
    s->made = 1;
    /* the first incumbent */
    if ((code = well_start(w, ctx, err)) || (code = bb_try(s, w->pending, &at, ctx, err)))
        goto fail;
    s->before = s->best;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

/* Counts a node that has ended. */
static void count_end(bb_state *s, const bb_node *node, bb_end end)
{
    double *least = &s->bound_at[node->depth][end != BB_BRANCHED];

    s->nodes++;
    s->ended[end]++;
    s->ended_at[node->depth][end]++;
    *least = fmin(*least, node->lower);
}

/* Updates the lower bound of the whole problem and the verdict. */
static void update_bounds(bb_state *s)
{
    double lower = s->closed;
    if (s->open > 0 &&
        s->heap[0]->lower >= bb_prune_threshold(s)) { /* as are the bounds of all other open nodes */
        lower = s->heap[0]->lower < lower ? s->heap[0]->lower : lower;
        s->closed = lower;
        for (int64_t k = 0; k < s->open; k++) {
            count_end(s, s->heap[k], BB_RELAXED);
            bb_node_free(s->heap[k]);
        }
        s->open = 0;
        bb_sdp_clear(&s->sdp);
    }
    if (s->open > 0)
        lower = s->heap[0]->lower < lower ? s->heap[0]->lower : lower;
    s->lower = lower > s->lower ? lower : s->lower;
    if (s->open > 0)
        s->verdict = s->nodes >= s->max_nodes ? WL_LIMIT : WL_MORE;
    else /* a node with one labeling is closed even if the bounds of its SVM differ by more than eps */
        s->verdict = s->upper - s->lower <= s->eps * fabs(s->upper) ? WL_CONVERGED : WL_STALLED;
    s->finished = s->verdict != WL_MORE;
}

/* Takes the node from the heap, with its outcome. */
static void end_node(bb_state *s, bb_outcome *out)
{
    bb_node *node = bb_pop(s);
    node->lower = out->lower;
    s->step_nodes++;
    count_end(s, node, out->end);
    s->last = *node;
    s->last.decided = NULL, s->last.known = NULL;
    s->last_end = out->end;
    if (out->end != BB_BRANCHED)
        s->closed = fmin(s->closed, out->lower);
    s->closed = fmin(s->closed, out->left_out);
    bb_node_free(node);
    for (int c = 0; c < 2; c++)
        if (out->child[c]) {
            out->child[c]->lower = out->lower;
            out->child[c]->number = s->made++;
            bb_push(s, out->child[c]);
        }
}

static wlab_code one_unit(bb_state *s, wlab_ctx *ctx, wlab_err *err)
{
    bb_outcome out = {0};
    const int64_t best = s->best;
    wlab_code code = bb_reserve(s, 2, err);
    if (code || (code = bb_node_unit(s, s->heap[0], &out, ctx, err)))
        return code;
    if ((s->best != best || (s->nodes == 0 && !s->sdp.at)) && (code = bb_improve(s, ctx, err))) {
        bb_outcome_clear(&out);
        return code;
    }
    /* from here on nothing fails */
    bb_sdp_clear(&s->sdp);
    const double base = s->sdp.base, root = s->sdp.root;
    if (out.sdp.rounds > 0 || out.end == BB_OPEN)
        s->sdp = out.sdp;
    if (s->nodes > 0)
        s->sdp.base = base, s->sdp.root = root;
    if (out.end != BB_OPEN)
        end_node(s, &out);
    else if (s->open == 1) /* else the heap is in the order of the bounds, and this one waits */
        s->heap[0]->lower = out.lower;
    update_bounds(s);
    return WL_OK;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    bb_state *s = state, was;
    size_t m = (size_t)s->w.m;
    double start = wlab_seconds_now();
    *step = (wlab_step){.complete = s->finished, .verdict = s->verdict};
    if (s->finished)
        return WL_OK;
    double *alpha = wlab_alloc(m + 1, sizeof *alpha);
    if (!alpha)
        return wlab_nomem(err);
    was = *s;
    memcpy(alpha, s->at.alpha, m * sizeof *alpha);
    alpha[m] = *s->at.q;
    if (!s->in_step) {
        s->in_step = true;
        s->before = s->best;
        s->step_nodes = 0;
        s->step_gap = s->upper - s->lower;
    }
    wlab_code code = one_unit(s, ctx, err);
    if (code) { /* restore the state, except arrays that may have moved */
        was.w = s->w;
        was.y = s->y, was.value = s->value, was.floor = s->floor, was.cap = s->cap;
        was.heap = s->heap, was.heap_cap = s->heap_cap;
        *s = was;
        memcpy(s->at.alpha, alpha, m * sizeof *alpha);
        *s->at.q = alpha[m];
    } else {
        step->complete = s->finished || (s->nodes == 0 && s->sdp.at) || s->best != s->before ||
                         s->upper - s->lower < 0.9 * s->step_gap || s->step_nodes >= STEP_NODES;
        step->verdict = s->verdict;
        if (step->complete) {
            s->in_step = false;
            s->step++;
            wlab_emit_note(ctx, "%lld node%s (%lld open): between %.10g and %.10g%s", (long long)s->nodes,
                           s->nodes == 1 ? "" : "s", (long long)s->open, s->lower, s->upper,
                           s->best != s->before ? "; a better labeling" : "");
            if (s->verdict == WL_LIMIT)
                wlab_emit_note(ctx, "limit nodes=%lld reached: `set nodes=%lld` continues",
                               (long long)s->max_nodes, 10 * (long long)s->max_nodes);
            if (s->verdict == WL_STALLED)
                wlab_emit_warning(
                    ctx,
                    "no node is open, but the gap is %.2g of the objective: the SVMs of single "
                    "labelings could not be solved more exactly. Scale the data, or use a smaller C or bias",
                    (s->upper - s->lower) / fabs(s->upper));
        }
    }
    wlab_free(alpha);
    s->seconds += wlab_seconds_now() - start;
    return code;
}

static wlab_code set(void *state, const wlab_params *p, wlab_err *err)
{
    bb_state *s = state;
    (void)err;
    s->max_nodes = wlab_params_int(p, "nodes");
    s->w.threshold = (well_threshold)wlab_params_choice(p, "threshold");
    if (s->verdict == WL_LIMIT && s->nodes < s->max_nodes) {
        s->finished = false;
        s->verdict = WL_MORE;
    }
    return WL_OK;
}

WLAB_KERNEL_HOOK(bb_state, w.kernel)

const wlab_algo wlab_algo_bb = {
    .name = "bb",
    .summary = "branch and bound: the labeling whose SVM has the smallest objective of all, for few rows",
    .idea = WL_IDEA_EXACT,
    .problem = "min over y in B of max over alpha of G(alpha, y)",
    .symbols = "B: the label set, all labelings that the task allows\n"
               "y: a labeling, one label per row\n"
               "alpha: the dual variables of the SVM\n"
               "G(alpha, y): the dual objective of the SVM with the labels y; its largest value over alpha "
               "is the SVM objective of y\n"
               "node: a part B' of B: the labelings in which certain labels have certain values. A bound of "
               "a node is a number that is below the SVM objective of all its labelings. If it is not below "
               "the incumbent's objective, the node is closed, else split in two by deciding one more label",
    .when = "the true optimum, to judge another result; mostly up to 60 rows, at most 1000",
    .cost =
        "at most 100 nodes, each with some SVMs; the number of nodes can grow exponentially with the rows",
    .proves = "a lower bound on the objective of every labeling; at the end, that none is better",
    .work = "(1 + 99 * min(1, u)) * (4e-8 * n^2 + 1e-3)",
    .memory = "30 * n^2",
    .rows_most = MOST_ROWS,
    .source = "the mixed-integer problem of Li, Tsang, Kwok, Zhou, JMLR 14 (2013), Eq. 3; branching as in "
              "Chapelle, Sindhwani, Keerthi, Branch and bound for semi-supervised SVMs, NIPS 19 (2007), "
              "with other bounds; bound=sdp: Piccialli, Schwiddessen, Sudoso, Optimization meets machine "
              "learning: an exact algorithm for semi-supervised support vector machines (2023)",
    .learns_from = WL_SEES_ANYTHING,
    .step_unit = "bound nodes until a better labeling is found or the gap has shrunk by a tenth, at most 100 "
                 "nodes; at the root, one round of bound=sdp",
    .inner_unit = "bound one node, then close it or split it in two; with bound=sdp, one round of a node's "
                  "semidefinite program",
    .converged = "gap <= eps * abs(objective)",
    .params = params,
    .metrics = bb_metrics,
    .probes = bb_probes,
    .create = create,
    .advance = advance,
    .observe = bb_observe,
    .model = bb_model,
    .kernel = kernel,
    .certifies = true,
    .loss_of = well_loss_of,
    .setting = well_setting,
    .explain = bb_explain,
    .next = bb_next,
    .walk = bb_walk,
    .set = set,
    .destroy = destroy,
};
