/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp: the table of the algorithm, its creation, its steps.
 */
#include "algo/softmax/sdp.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "model/kernel.h"

#include <math.h>
#include <string.h>

enum {
    POINTS_MOST =
        8000 /* the relaxation needs seven matrices with this many rows and columns, with some tasks ten */
};

static const char *const loss_names[] = {"softmax", "square", NULL};
static const char *const coding_names[] = {"simplex", "indicator", NULL};
static const char *const inner_names[] = {"newton", "proximal", NULL};
static const char *const reduce_names[] = {"none", "kmeans", "subset", NULL};
static const char *const rounding_names[] = {"best", "kmeans", "spectral", NULL};
static const char *const link_names[] = {"classes", "rows", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_GRAPH_PARAMS("linear"),
    WLAB_BIAS_PARAM("0"),
    {"lambda", WL_P_REAL, "0.1", 0, HUGE_VAL, NULL, NULL,
     "lambda, the weight of ||w||^2 / (2P), P: the number of classes; after a change the run continues from "
     "the "
     "current matrix Z",
     WL_P_OPEN_LO | WL_P_MUTABLE | WL_P_OBJECTIVE},
    {"intercept", WL_P_BOOL, "yes", 0, 0, NULL, NULL,
     "yes: b is free, so Omega'pi = pi; no: without b, the relaxation of Guo and Schuurmans (2008)",
     WL_P_OBJECTIVE},
    {"loss", WL_P_CHOICE, "softmax", 0, 0, loss_names, NULL,
     "softmax: the soft-max loss; square: DIFFRAC (Bach and Harchaoui 2007), whose objective is linear in Z",
     WL_P_OBJECTIVE},
    {"coding", WL_P_CHOICE, "simplex", 0, 0, coding_names, NULL,
     "which unit vectors stand for the classes; indicator: the axes, as in the paper; simplex: these minus "
     "their mean, with length 1, which gives the tighter bound",
     WL_P_OBJECTIVE},
    {"inner", WL_P_CHOICE, "newton", 0, 0, inner_names, NULL,
     "how to evaluate F(Z); newton: Newton's method for (U, b); proximal: the paper's accelerated proximal "
     "steps in Omega",
     0},
    {"eps", WL_P_REAL, "0.01", 0, 1, NULL, NULL, "the relaxation has converged when gap <= eps |upper|",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"weight", WL_P_CHOICE, "uniform", 0, 0, wlab_softmax_weight_names, NULL,
     "weight pi_n of a row; uniform: 1 / rows; bag: 1 / (bags times rows of its bag)", WL_P_OBJECTIVE},
    {"links", WL_P_CHOICE, "classes", 0, 0, link_names, NULL,
     "task ambiguous: which label vectors must differ; classes: those of a row and of each class that is not "
     "among its candidates; rows: also those of two rows without a common candidate, which gives a tighter "
     "bound, but takes longer",
     WL_P_OBJECTIVE},
    {"rounding", WL_P_CHOICE, "best", 0, 0, rounding_names, NULL,
     "how Z is rounded to labels; kmeans: by k-means on the leading eigenvectors, as in the paper; spectral: "
     "by rotating the leading eigenvectors onto the axes, without random numbers; best: in four ways, "
     "spectral "
     "and three kinds of k-means, of which each step uses the labels with the smallest f. EM begins with the "
     "labels of the last step or, with best, with the best labels of all steps",
     0},
    {"reduce", WL_P_CHOICE, "none", 0, 0, reduce_names, NULL,
     "which points the relaxation has if there are more rows than points=; none: all rows; kmeans: centres "
     "of k-means; subset: a random subset. EM then runs on all rows",
     WL_P_OBJECTIVE},
    {"points", WL_P_INT, "500", 2, POINTS_MOST, NULL, "points",
     "number of points in the relaxation with reduce=", WL_P_OBJECTIVE},
    {"rank", WL_P_INT, "0", 0, 100000, NULL, "columns",
     "largest number of columns of a factor of the kernel matrix; 0: as many as leave out 1e-10 of its "
     "trace, but with more than 4000 rows at most 1000",
     0},
    {"em", WL_P_BOOL, "yes", 0, 0, NULL, NULL, "yes: after the relaxation EM runs on the original problem",
     WL_P_OBJECTIVE},
    {"entropy", WL_P_CHOICE, "total", 0, 0, wlab_softmax_entropy_names, NULL,
     "the entropy in EM; total: that of the total class proportions, as in the relaxation; bag: summed over "
     "bags, as in the paper",
     WL_P_OBJECTIVE},
    {"hard", WL_P_BOOL, "yes", 0, 0, NULL, NULL,
     "task mil: in EM no instance of a negative bag may be predicted positive (Eq. 7)", WL_P_OBJECTIVE},
    {"seed", WL_P_INT, "1", 0, 0x1p53, NULL, NULL, "seed of k-means and random subsets", 0},
    {.name = NULL, .fallback = "vectors=0"}};

static void destroy(void *state)
{
    sdp *s = state;
    if (!s)
        return;
    if (s->full != s->part)
        wlab_em_destroy(s->full);
    wlab_em_destroy(s->part);
    wlab_relax_destroy(s->relax);
    sdp_points_clear(&s->points);
    wlab_features_destroy(s->features);
    wlab_problem_unref(s->p);
    wlab_softmax_rows_clear(&s->rows);
    wlab_free(s->group);
    wlab_free(s->node);
    wlab_free(s->vertex);
    wlab_free(s->pair);
    wlab_free(s->weight);
    wlab_free(s->group_allowed);
    wlab_free(s->label);
    wlab_free(s->score);
    wlab_free(s->best_label);
    wlab_free(s->best_score);
    wlab_free(s->shown);
    wlab_free(s);
}

static wlab_em_problem em_problem(const sdp *s, int64_t n, const double *X, const double *pi,
                                  const uint64_t *allowed, const int32_t *bag, const uint8_t *hard)
{
    return (wlab_em_problem){.n = n,
                             .d = s->features->r,
                             .Phi = X,
                             .pi = pi,
                             .P = s->P,
                             .allowed = allowed,
                             .bag = bag,
                             .bags = bag ? s->rows.bags : 0,
                             .hard = hard,
                             .lambda = s->lambda,
                             .intercept = s->intercept};
}

static wlab_code create_parts(sdp *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    const bool signs = p->task->sees == WL_SEES_BAG_SIGNS;
    const sdp_reduce how = (sdp_reduce)wlab_params_choice(given, "reduce");
    const int64_t rank = wlab_params_int(given, "rank"), points = wlab_params_int(given, "points");
    wlab_kernel kernel;
    wlab_code code;
    if (p->n < p->classes)
        return wlab_fail(err, WL_ESTATE, "%lld rows are too few for %d classes", (long long)p->n, p->classes);
    if (how != SDP_ALL && points < p->classes)
        return wlab_fail(err, WL_EARG, "points=%lld are too few for %d classes", (long long)points,
                         p->classes);
    if (how == SDP_ALL && p->n > POINTS_MOST)
        return wlab_fail(err, WL_EARG,
                         "the relaxation of %lld rows would need matrices of %lld x %lld; reduce=kmeans "
                         "relaxes points=%lld centres instead, and runs EM on all rows",
                         (long long)p->n, (long long)p->n, (long long)p->n, (long long)points);
    if ((code = wlab_kernel_choose(&kernel, given, p->X, ctx, err)) ||
        (code = wlab_features_keep(&s->features, s->p, &kernel, 1e-10,
                                   rank          ? rank
                                   : p->n > 4000 ? 1000
                                                 : 0,
                                   ctx, err)) ||
        (code = wlab_softmax_rows_make(&s->rows, p, wlab_params_choice(given, "weight") == 1,
                                       wlab_params_choice(given, "entropy") == 1,
                                       signs && s->intercept && wlab_params_bool(given, "hard"), err)) ||
        (code = sdp_points_make(s, how, points, ctx, err)) ||
        (code = sdp_groups(s, wlab_params_choice(given, "links") == 1, err)))
        return code;
    const sdp_points *q = &s->points;
    const wlab_relax_problem r = {.n = q->n,
                                  .d = s->features->r,
                                  .X = q->X,
                                  .pi = q->pi,
                                  .classes = s->P,
                                  .lambda = s->lambda,
                                  .intercept = s->intercept,
                                  .square = s->square,
                                  .groups = s->groups,
                                  .group = s->group,
                                  .nodes = s->nodes,
                                  .block = s->block,
                                  .node = s->node,
                                  .vertex = s->block ? s->vertex : NULL,
                                  .c = s->c,
                                  .pairs = s->pairs,
                                  .pair = s->pair};
    const wlab_em_problem e = em_problem(s, q->n, q->X, q->pi, q->allowed, q->bag, q->hard);
    if ((code = wlab_relax_create(&s->relax, &r, s->inner, s->eps, ctx, err)) ||
        (code = wlab_em_create(&s->part, &e, err)))
        return code;
    s->full = s->part;
    if (!q->own)
        return WL_OK;
    const wlab_em_problem all =
        em_problem(s, s->n, s->features->Phi, s->rows.pi, s->rows.allowed, s->rows.bag, s->rows.hard);
    return wlab_em_create(&s->full, &all, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    sdp *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->P = p->classes;
    s->lambda = wlab_params_real(given, "lambda");
    s->eps = wlab_params_real(given, "eps");
    s->intercept = wlab_params_bool(given, "intercept");
    s->square = wlab_params_choice(given, "loss") == 1;
    s->simplex = wlab_params_choice(given, "coding") == 0;
    s->inner = (wlab_relax_inner)wlab_params_choice(given, "inner");
    const int rounding = wlab_params_choice(given, "rounding");
    s->best = rounding == 0;
    s->rounding = s->best ? WL_ROUND_KMEANS : (wlab_rounding_kind)(rounding - 1);
    s->em = wlab_params_bool(given, "em");
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    s->objective = s->upper = s->integer_upper = s->best_f = s->before = s->entropy = s->leading = NAN;
    s->lower = -HUGE_VAL;
    s->shown = wlab_calloc((size_t)s->n, sizeof *s->shown);
    const wlab_code code = s->shown ? create_parts(s, given, ctx, err) : wlab_nomem(err);
    for (int64_t i = 0; i < s->n && !code; i++)
        s->shown[i] = p->visible[i];
    if (code) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* Warns if the relaxation ended without its tolerance, or far from a labeling. */
static void warn_about_end(const sdp *s, wlab_ctx *ctx)
{
    if (sdp_stalled(s))
        wlab_emit_warning(ctx,
                          "the relaxation is stalled: a gap of %.3g is left, %.2g of the objective; use a "
                          "larger lambda, or scale the data",
                          fmax(s->objective - s->lower, 0),
                          fmax(s->objective - s->lower, 0) / fabs(s->objective));
    if (s->relaxed && s->leading < 0.5)
        wlab_emit_warning(
            ctx,
            "only %.0f %% of the trace of Z is in the largest %d eigenvalue%s: Z is far from "
            "that of a labeling, and the rounded labels mean little; try a larger lambda (`plot "
            "spectrum` shows the eigenvalues)",
            100 * s->leading, s->P - s->simplex, s->P - s->simplex == 1 ? "" : "s");
}

static wlab_verdict verdict_now(const sdp *s)
{
    if (!s->relaxed || (s->em && !s->finished))
        return WL_MORE;
    return sdp_stalled(s) ? WL_STALLED : WL_CONVERGED;
}

/* ---- a step of EM ---- */

/* EM has converged when an iteration lowers f of all rows by no more than this, relative to 1 + |f|. */
static const double EM_TOL = 1e-7;

/* Begins EM with an M-step for the final labels of the relaxation. */
static wlab_code start_em(sdp *s, wlab_ctx *ctx, wlab_err *err)
{
    int32_t *label = wlab_alloc((size_t)s->n, sizeof *label);
    if (!label)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++)
        label[i] = wlab_label_index(s->p, s->shown[i]);
    wlab_code code = wlab_em_set_labels(s->full, label, err);
    if (!code && !(code = wlab_em_m_step(s->full, EM_TOL, ctx, err))) {
        s->begun_em = true;
        s->before = wlab_em_objective(s->full).total;
    }
    wlab_free(label);
    return code;
}

static wlab_code end_em_step(sdp *s, wlab_ctx *ctx, wlab_err *err)
{
    int32_t *label = wlab_alloc((size_t)s->n, sizeof *label);
    if (!label)
        return wlab_nomem(err);
    const wlab_code code = wlab_em_m_step(s->full, EM_TOL, ctx, err);
    if (!code) {
        const wlab_em_value f = wlab_em_objective(s->full);
        wlab_em_labels(s->full, label);
        s->flips = 0;
        for (int64_t i = 0; i < s->n; i++) {
            const int8_t now = wlab_label_at(s->p, label[i]);
            s->flips += now != s->shown[i];
            s->shown[i] = now;
        }
        s->finished = s->before - f.total <= EM_TOL * (1 + fabs(f.total));
        s->before = s->objective = f.total;
        s->entropy = f.entropy;
        if (s->points.own && s->em_steps == 0) /* until now it was f of the points' labels */
            s->integer_upper = NAN;
        sdp_rate(s, f.total);
        s->middle = false;
        s->em_steps++;
        s->step++;
    }
    wlab_free(label);
    return code;
}

static wlab_code advance_now(sdp *s, wlab_ctx *ctx, bool *outer, wlab_err *err)
{
    wlab_code code = WL_OK;
    if (!s->relaxed) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (!s->pending) /* to round is a unit of its own: if it is interrupted, this one stands */
            return wlab_relax_advance(s->relax, &s->pending, ctx, err);
        if ((code = sdp_finish_step(s, ctx, err)))
            return code;
        s->pending = false;
        *outer = true;
        warn_about_end(s, ctx);
        return WL_OK;
    }
    if (!s->begun_em)
        return start_em(s, ctx, err);
    if (!s->middle) {
        if (!(code = wlab_em_e_step(s->full, EM_TOL * 0.1, ctx, err)))
            s->middle = true;
        return code;
    }
    if (!(code = end_em_step(s, ctx, err))) {
        *outer = true;
        if (s->finished && s->integer_upper < s->objective - 1e-6 * (1 + fabs(s->objective)))
            wlab_emit_warning(ctx,
                              "the labels of step %lld have a smaller f, %.10g; `goto %lld` returns to them, "
                              "rounding=best begins EM with them",
                              (long long)s->best_step, s->integer_upper, (long long)s->best_step);
    }
    return code;
}

/* The relaxation is phase 1, EM phase 2. */
static void report(const sdp *s, wlab_step *step)
{
    *step = (wlab_step){.complete = true,
                        .verdict = verdict_now(s),
                        .phase = s->em_steps ? 2 : 1,
                        .phase_complete = s->em_steps ? s->finished : s->relaxed};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    sdp *s = state;
    const double start = wlab_seconds_now();
    *step = (wlab_step){0};
    if (s->relaxed && (!s->em || s->finished)) {
        report(s, step);
        return WL_OK;
    }
    const wlab_code code = advance_now(s, ctx, &step->complete, err);
    s->seconds += wlab_seconds_now() - start;
    if (!code && step->complete)
        report(s, step);
    return code;
}

/* ---- the table ---- */

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const sdp *s = state;
    const wlab_em *em = s->begun_em ? s->full : s->part;
    *out = NULL;
    if (!s->rounded)
        return wlab_no_model(err);
    return wlab_features_model(out, s->features, s->P, wlab_em_W(em), wlab_em_b(em), ctx ? ctx->pool : NULL,
                               err);
}

/* `set` may change eps and lambda; then the relaxation continues from the current matrix, and EM follows it again. */
static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    sdp *s = state;
    const double lambda = wlab_params_real(given, "lambda"), eps = wlab_params_real(given, "eps");
    if (lambda != s->lambda) {
        const wlab_code code = wlab_relax_set_lambda(s->relax, lambda, err);
        if (code)
            return code;
        wlab_em_set_lambda(s->part, lambda);
        if (s->full != s->part)
            wlab_em_set_lambda(s->full, lambda);
        s->lambda = lambda;
        s->reset = true;
        s->pending = false;
        s->objective = s->upper = s->integer_upper = s->best_f = NAN;
        s->lower = -HUGE_VAL;
    } else if (s->rounded && !s->reset &&
               !s->pending) { /* back from EM: objective is F of the current matrix again */
        const wlab_relax_numbers r = wlab_relax_get(s->relax);
        s->objective = r.upper;
        s->lower = r.lower;
    }
    wlab_relax_set_eps(s->relax, eps);
    s->eps = eps;
    s->relaxed = wlab_relax_state(s->relax) != WL_RELAX_GOING && !s->pending;
    s->begun_em = s->middle = s->finished = false;
    s->em_steps = 0;
    return WL_OK;
}

WLAB_KERNEL_HOOK(sdp, features->kernel)

const wlab_algo wlab_algo_sdp = {
    .name = "softmax-sdp",
    .summary = "the convex relaxation of the soft-max loss: a semidefinite program with certified gaps, "
               "rounded, then EM",
    .idea = WL_IDEA_RELAXATION,
    .problem = "min over Z of F(Z), a relaxation of: min over z, w, b of f = sum_n pi_n loss(z_n, w'x_n + b) "
               "- h(sum_n pi_n z_n) + lambda/(2P) ||w||^2 (Eq. 1)",
    .symbols =
        "P: number of classes\n"
        "z_n: label vector of row n: 1 in the place of its class, else 0\n"
        "pi_n: weight of row n (weight=)\n"
        "loss: the soft-max loss\n"
        "h: entropy, which is large if the classes have similar sizes\n"
        "Z: a psd matrix in place of the products of the rows' unit label vectors (coding=), with 1 on the "
        "diagonal\n"
        "F(Z): the maximum over Omega of a function that is linear in Z: the inner problem\n"
        "Omega: a matrix whose row n is a distribution over all rows\n"
        "(U, b): the classifier that belongs to Omega\n"
        "H: the gradient of F, minus the multipliers of the constraints on Z\n"
        "K: the kernel matrix",
    .when = "clusters, candidates, positive and negative bags, or several classes, if a bound is wanted; up "
            "to a few thousand rows",
    .cost = "an eigendecomposition, the cube of the rows without a label (mil: the rows of positive bags)",
    .proves = "a lower bound on f of every labeling",
    .work = "3e-7 * u^2 + 8e-9 * u^2.5 + 1.3e-9 * n * min(n, d) * u + 5e-8 * z",
    .columns = "min(n, rank + (1 - min(1, rank)) * max(1000, n * max(0, min(1, 4001 - n))))",
    .memory = "100 * u^2 + 24 * z + 96 * min(n, d) * u",
    .rows_most = POINTS_MOST,
    .source = "Joulin, Bach, A convex relaxation for weakly supervised classifiers, ICML 2012",
    .learns_from =
        WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS | WL_SEES_NO_LABELS | WL_SEES_BAG_SIGNS | WL_SEES_CANDIDATES,
    .multiclass = true,
    .any_balance = true,
    .step_unit = "one von Neumann step in Z, the matrix of the relaxation, with its line search (step 1: "
                 "evaluate the objective F at the first Z); after the relaxation one iteration of EM",
    .inner_unit =
        "one step of the inner problem in Omega, or rounding to labels; in EM an E-step or an M-step",
    .phase_unit = "stage",
    .converged = "gap <= eps * abs(upper) or gap <= eps * 1e-9",
    .converged_also =
        "this ends the relaxation; EM follows and ends when f falls by no more than 1e-7 (1 + |f|)",
    .params = params,
    .metrics = sdp_metrics,
    .probes = sdp_probes,
    .create = create,
    .advance = advance,
    .observe = sdp_observe,
    .loss = WL_LOSS_SOFTMAX,
    .model = model,
    .kernel = kernel,
    .certified = sdp_certified,
    .explain = sdp_explain,
    .next = sdp_next,
    .walk = sdp_walk,
    .set = set,
    .destroy = destroy,
};
