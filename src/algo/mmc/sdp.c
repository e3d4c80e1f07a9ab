/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mmc-sdp: maximum margin clustering and the semi-supervised SVM by semidefinite programming (Xu, Neufeld, Larson and
 * Schuurmans 2004; Xu and Schuurmans 2005).  A labeling y enters the SVM's dual only by the matrix yy'; a matrix M from a
 * convex set that contains all of them takes its place.
 */
#include "algo/mmc/sdp.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "linalg/eigen.h"
#include "solve/quadmax/quadmax.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 1000
};

static const wlab_param_info params[] = {
    WELL_PROBLEM_PARAMS(0),
    WELL_THRESHOLD_PARAM,
    {"eps", WL_P_REAL, "1e-4", 0, 1, NULL, "relative", "the run has converged when gap <= eps |upper|",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"growth", WL_P_REAL, "4", 1, 1000, NULL, NULL,
     "from step to step t, the weight of the objective against the barriers, grows by this factor: a smaller "
     "one shows more of the way from an undecided matrix M to the optimum",
     WL_P_OPEN_LO},
    {.name = NULL}};

static void destroy(void *state)
{
    mmc_sdp *s = state;
    if (!s)
        return;
    wlab_mmc_destroy(s->sdp);
    wlab_free(s->inner);
    wlab_free(s->value);
    wlab_free(s->best);
    well_clear(&s->w);
    wlab_free(s);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    mmc_sdp *s = wlab_calloc(1, sizeof *s);
    wellsvm *w;
    wlab_code code = WL_OK;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    w = &s->w;
    if (p->n > MOST_ROWS)
        code =
            wlab_fail(err, WL_EARG,
                      "mmc-sdp allows at most %d rows, but there are %lld (a step takes some ten times the "
                      "cube of their number); use `algo wellsvm`, or fewer rows (`split`)",
                      MOST_ROWS, (long long)p->n);
    if (code || (code = well_problem_read(w, p, given, ctx, err)) || (code = well_problem_make(w, ctx, err)))
        goto fail;
    w->threshold = (well_threshold)wlab_params_choice(given, "threshold");
    s->n = p->n;
    s->eps = wlab_params_real(given, "eps");
    s->growth = wlab_params_real(given, "growth");
    s->objective = s->inner_gap = s->upper = s->leading = s->rounded = s->integer_upper = NAN;
    s->lower = -HUGE_VAL;
    const wlab_mmc_problem q = {p->labels, w->K, w->delta, w->upper, s->growth};
    if ((code = wlab_mmc_create(&s->sdp, &q, err)))
        goto fail;
    s->nodes = wlab_mmc_get(s->sdp).nodes;
    s->inner = wlab_calloc((size_t)s->n, sizeof *s->inner);
    s->value = wlab_calloc((size_t)s->nodes, sizeof *s->value);
    s->best = wlab_calloc((size_t)s->n, 1);
    if (!s->inner || !s->value || !s->best) {
        code = wlab_nomem(err);
        goto fail;
    }
    memcpy(s->best, p->visible, (size_t)s->n);
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

/* ---- the end of a step ---- */

/* What the last unit of a step computes; nothing of it is kept after an error. */
typedef struct found {
    double *Q;          /* [n x n] K o M */
    double *inner, *g;  /* [n] alpha of F(M); its gradient */
    double *score;      /* [n] */
    double *A, *value;  /* [nodes x nodes], [nodes] eigenvalues of M */
    int8_t *y, *best;   /* [n] */
    double *alpha;      /* [n] of the SVM of a labeling */
    double *best_alpha; /* [n] */
    well_point at;      /* of `best` */
    double objective, inner_gap, lower, rounded, integer_upper;
} found;

static wlab_code found_create(found *f, const mmc_sdp *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, N = (size_t)s->nodes;
    double *at = wlab_calloc(n * n + 5 * n + N * N + N, sizeof *at);
    *f = (found){.Q = at, .y = wlab_calloc(2, n), .integer_upper = s->integer_upper, .rounded = NAN};
    if (!at || !f->y)
        return wlab_nomem(err);
    f->inner = at + n * n, f->g = f->inner + n, f->score = f->g + n, f->alpha = f->score + n;
    f->best_alpha = f->alpha + n, f->A = f->best_alpha + n, f->value = f->A + N * N;
    f->best = f->y + n;
    memcpy(f->inner, s->inner, n * sizeof *f->inner);
    memcpy(f->best, s->best, n);
    return WL_OK;
}

static void found_clear(found *f)
{
    wlab_free(f->Q);
    wlab_free(f->y);
}

/* F(M), by the SVM with the kernel K o M. */
static wlab_code evaluate(mmc_sdp *s, found *f, wlab_ctx *ctx, wlab_err *err)
{
    const wellsvm *w = &s->w;
    wlab_boxqp_result r;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            f->Q[i * s->n + j] = w->K[i * s->n + j] * wlab_mmc_entry(s->sdp, i, j);
    const wlab_code code =
        wlab_boxqp_solve(f->Q, s->n, w->delta, w->upper, 1e-10, f->inner, f->g, &r, ctx, err);
    if (code)
        return code;
    f->objective = well_scaled(w, r.primal);
    f->inner_gap = f->objective - well_scaled(w, r.dual);
    return WL_OK;
}

/* Whether quadmax.h has multipliers for more conditions than M satisfies: in a group with at most one +1, or at most one
 * -1.  Its bound may then be above the relaxation's optimum. */
static bool bounded_more(const wlab_labelset *B)
{
    for (int64_t g = 0; g < B->groups; g++)
        if (B->hi[g] <= 1 || B->lo[g] >= wlab_labelset_size(B, g) - 1)
            return true;
    return false;
}

/* The lower bound at the alpha of the barrier method, by multipliers that quadmax.h computes anew, or by its own. */
static wlab_code certify(mmc_sdp *s, found *f, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    const double *alpha = wlab_mmc_alpha(s->sdp);
    double M = HUGE_VAL, trace = 0;
    well_point at = {.alpha = f->alpha};
    const bool own = bounded_more(w->p->labels);
    for (int64_t i = 0; i < s->n; i++) {
        f->alpha[i] = alpha[i];
        at.S += alpha[i];
        at.D += w->delta ? w->delta[i] * alpha[i] * alpha[i] : 0;
        trace += alpha[i] * alpha[i] * w->K[i * (s->n + 1)];
    }
    if (own) { /* the multipliers of the barrier method: S has a Cholesky factor */
        const double dual = wlab_mmc_get(s->sdp).dual;
        f->lower = w->loss == WELL_SUM_TO_ONE && dual <= 0 ? -HUGE_VAL
                                                           : well_scaled(w, dual) - well_rounding(w, &at);
        return WL_OK;
    }
    const wlab_code code =
        wlab_quadmax_bound(w->p->labels, w->K, f->alpha, 1e-3 * s->eps * fmin(trace, at.S), &M, ctx, err);
    if (!code)
        f->lower = well_lower_from(w, &at, M) - well_rounding(w, &at);
    return code;
}

/* Trains the SVM of argmax over y in B of score'y, and keeps it if its objective is the smallest of all. */
static wlab_code try_labels(mmc_sdp *s, found *f, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    double own, q = 0;
    well_point at = {.alpha = f->alpha, .q = &q};
    wlab_code code = wlab_labelset_argmax(w->p->labels, f->score, f->best, f->y, err);
    if (code || (code = well_train(w, f->y, &at, &own, ctx, err)))
        return code;
    f->rounded = fmin(f->rounded, own);
    if (own >= f->integer_upper)
        return WL_OK;
    f->integer_upper = own;
    f->at = at;
    memcpy(f->best, f->y, (size_t)s->n);
    memcpy(f->best_alpha, f->alpha, (size_t)s->n * sizeof *f->alpha);
    return WL_OK;
}

/* Labels from the column of M that belongs to the labelled rows, and from the leading eigenvector. */
static wlab_code round_matrix(mmc_sdp *s, found *f, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_mmc_numbers numbers = wlab_mmc_get(s->sdp);
    const double *M = wlab_mmc_matrix(s->sdp);
    const int64_t N = s->nodes, first = numbers.constant ? 0 : 1, r = N - first;
    wlab_code code;
    int sign;
    if (numbers.constant) {
        for (int64_t k = 0; k < s->n; k++) {
            const int64_t p = wlab_mmc_node(s->sdp, k, &sign);
            f->score[k] = sign * M[p];
        }
        if ((code = try_labels(s, f, ctx, err)))
            return code;
    }
    if (r == 0)
        return WL_OK;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            f->A[i * r + j] = M[(i + first) * N + j + first];
    if ((code = wlab_eigen_top(f->A, r, f->value, ctx, err)))
        return code;
    const double *v = f->A + (r - 1) * r;
    double agree = 0;
    for (int64_t k = 0; k < s->n; k++) {
        const int64_t p = wlab_mmc_node(s->sdp, k, &sign);
        f->score[k] = sign * v[p - first];
        agree += f->score[k] * s->best[k];
    }
    for (int64_t k = 0; k < s->n && agree < 0; k++)
        f->score[k] = -f->score[k];
    return try_labels(s, f, ctx, err);
}

/* Completes a step: bounds and labels at the new M. */
static wlab_code end_step(mmc_sdp *s, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *w = &s->w;
    found f;
    wlab_code code = found_create(&f, s, err);
    const int64_t svms = w->svms;
    if (code || (code = evaluate(s, &f, ctx, err)) || (code = certify(s, &f, ctx, err)) ||
        (code = round_matrix(s, &f, ctx, err)))
        goto out;
    const wlab_mmc_numbers numbers = wlab_mmc_get(s->sdp);
    const int64_t r = s->nodes - !numbers.constant;
    s->objective = f.objective;
    s->inner_gap = f.inner_gap;
    s->upper = fmin(s->upper, f.objective);
    s->lower = fmax(s->lower, f.lower);
    s->rounded = f.rounded;
    s->flips = 0;
    for (int64_t k = 0; k < s->n; k++)
        s->flips += s->best[k] != f.best[k];
    if (f.integer_upper < s->integer_upper || isnan(s->integer_upper)) {
        double *alpha = w->at.alpha, *q = w->at.q;
        memcpy(alpha, f.best_alpha, (size_t)s->n * sizeof *alpha);
        w->at = f.at;
        w->at.alpha = alpha;
        w->at.q = q;
        memcpy(s->best, f.best, (size_t)s->n);
        s->integer_upper = f.integer_upper;
    }
    memcpy(s->inner, f.inner, (size_t)s->n * sizeof *s->inner);
    s->rank = 0;
    for (int64_t k = 0; k < r; k++) {
        s->value[k] = fmax(f.value[r - 1 - k], 0);
        s->rank += s->value[k] > 1e-3 * s->value[0];
    }
    s->leading = r > 0 ? s->value[0] / (double)r : NAN;
    s->step++;
    s->pending = false;
    s->newtons = numbers.newtons - s->before;
    s->before = numbers.newtons;
    s->finished = s->upper - s->lower <= s->eps * fabs(s->upper);
    s->stuck = false;
out:
    w->svms = svms;
    found_clear(&f);
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    mmc_sdp *s = state;
    const double from = wlab_seconds_now();
    wlab_mmc_made made = WL_MMC_MOVED;
    wlab_code code;
    *step = (wlab_step){.complete = s->finished, .verdict = mmc_verdict(s)};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->pending) {
        if ((code = end_step(s, ctx, err)))
            return code;
        *step = (wlab_step){.complete = true, .verdict = mmc_verdict(s)};
    } else {
        if ((code = wlab_mmc_advance(s->sdp, &made, ctx, err)))
            return code;
        s->pending = made == WL_MMC_CENTRED;
        if (made == WL_MMC_STUCK) {
            s->finished = s->stuck = true;
            s->step++;
            *step = (wlab_step){.complete = true, .verdict = WL_STALLED};
            wlab_emit_warning(ctx,
                              "rounding errors allow no further Newton step; a gap of %.3g is left, %.2g of "
                              "the objective: scale the data, or use a smaller C",
                              s->upper - s->lower, (s->upper - s->lower) / fabs(s->upper));
        }
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    mmc_sdp *s = state;
    (void)err;
    s->eps = wlab_params_real(given, "eps");
    s->w.threshold = (well_threshold)wlab_params_choice(given, "threshold");
    if (s->finished && !s->stuck)
        s->finished = s->upper - s->lower <= s->eps * fabs(s->upper);
    return WL_OK;
}

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(pending) X(stuck) X(finished) X(step) X(flips) X(rank) X(newtons) X(before) X(objective) X(inner_gap) X(upper)        \
    X(lower) X(leading) X(rounded) X(integer_upper) X(seconds) X(w.at.S) X(w.at.D) X(w.at.dual) X(w.at.primal)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    mmc_sdp *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->inner, s->n);
    WL_WALK_ARRAY(w, s->value, s->nodes);
    WL_WALK_ARRAY(w, s->best, s->n);
    WL_WALK_ARRAY(w, s->w.at.alpha, s->n);
    wlab_mmc_walk(s->sdp, w);
}

WLAB_KERNEL_HOOK(mmc_sdp, w.kernel)

const wlab_algo wlab_algo_mmc_sdp = {
    .name = "mmc-sdp",
    .summary = "the SVM over label matrices: the semidefinite relaxation of maximum margin clustering",
    .idea = WL_IDEA_RELAXATION,
    .problem = "min over M of F(M) = max over alpha of 1'alpha - 1/2 alpha'(K o M)alpha",
    .symbols = "B: the label set, all labelings that the task allows\n"
               "M: a matrix in place of yy': psd, with diagonal 1, the products of the given labels, and the "
               "balance that B prescribes\n"
               "K o M: the kernel matrix times M, element by element\n"
               "alpha: the dual variables of the SVM; F(M) is the SVM objective of M\n"
               "t: the weight of the objective against the barriers, logarithms that keep all variables "
               "inside their bounds",
    .when =
        "to see how much a mixture of labelings (wellsvm) is tighter than a matrix; up to some hundred rows",
    .cost = "per step some Newton steps of about 10 n^3, and as much again for the certified bound",
    .proves = "a lower bound on the objective of every labeling, never above those of wellsvm and bb",
    .work = "4e-8 * n^3",
    .memory = "200 * n^2",
    .rows_most = MOST_ROWS,
    .source = "Xu, Neufeld, Larson, Schuurmans, Maximum margin clustering, NIPS 17 (2004); Xu, Schuurmans, "
              "Unsupervised and semi-supervised multi-class support vector machines, AAAI 2005",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_NO_LABELS,
    .made_for = WL_SEES_NO_LABELS,
    .step_unit = "Newton steps to the maximum at one t, then F(M), its lower bound and labels",
    .inner_unit = "one Newton step, or the bounds and labels of a new M",
    .converged = "gap <= eps * abs(upper)",
    .params = params,
    .metrics = mmc_sdp_metrics,
    .probes = mmc_sdp_probes,
    .create = create,
    .advance = advance,
    .observe = mmc_sdp_observe,
    .model = mmc_sdp_model,
    .kernel = kernel,
    .certifies = true,
    .certified = mmc_sdp_certified,
    .loss_of = well_loss_of,
    .setting = well_setting,
    .labels_are = "labels rounded from M",
    .explain = mmc_sdp_explain,
    .next = mmc_sdp_next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
