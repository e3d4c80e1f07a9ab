/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: the first step estimates the classes' means from those of the bags, each further one is a Newton iteration
 * of the conditional exponential model with these means.
 */
#include "algo/llp/meanmap.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "model/kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    KERNEL_ROWS = 12000 /* K and a factor must fit */
};

static const char *const weight_names[] = {"size", "equal", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"),
    {"lambda", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "weight of ||theta||^2", WL_P_OPEN_LO},
    {"average", WL_P_BOOL, "no", 0, 0, NULL, NULL,
     "lambda is weighed against the mean over the rows, not their sum: n lambda takes its place", 0},
    {"weights", WL_P_CHOICE, "size", 0, 0, weight_names, NULL,
     "of the bags in the least squares: their sizes (their means' variances are as 1/size), or all equal", 0},
    {"eps", WL_P_REAL, "1e-9", 0, 1, NULL, "relative",
     "duality gap at which it ends, relative to the objective at theta = 0", WL_P_OPEN_LO},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_GRADIENT,
    M_BAG_ERROR,
    M_DISTANCE,
    M_CONDITION,
    M_FLIPS,
    M_CG,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "negative log-likelihood with the estimated means, and the penalty",
     .equation = "sum_i log 2 cosh f_i - n <theta, p mu_+ - (1-p) mu_-> + lambda ||theta||^2"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest objective so far",
     .equation = "sum_i log 2 cosh f_i - n <theta, mu_XY> + lambda ||theta||^2"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "the largest dual value so far: certified",
     .equation = "objective - ||gradient||^2 / (4 lambda)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "how far from the optimum theta can be at most",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "the same at the current theta",
     .equation = "||gradient||^2 / (4 lambda)"},
    {.name = "gradient",
     .log = true,
     .meaning = "norm of the gradient",
     .equation = "2 lambda theta + sum_i tanh(f_i) x_i - n mu_XY"},
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .meaning = "how far the predicted proportions of the training bags are from those told",
     .equation = "Eq. 23: sum_k |p_k - p^_k|"},
    {.name = "distance",
     .meaning = "how far apart the estimated means of the classes are",
     .equation = "||mu_+ - mu_-||"},
    {.name = "condition",
     .log = true,
     .meaning =
         "condition number of the least squares for the means; no value where all proportions are the same",
     .equation = "sqrt of the ratio of the eigenvalues of sum_k omega_k (p_k, 1-p_k)(p_k, 1-p_k)'"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "predicted labels that differ from those of the step before"},
    {.name = "cg", .flags = WL_M_COUNT, .meaning = "conjugate gradient iterations of this step"},
    {.name = "seconds",
     .role = WL_R_SECONDS,
     .unit = "s",
     .flags = WL_M_VOLATILE,
     .meaning = "time in the solver"},
    {0}};

static void destroy(void *state)
{
    mm_state *s = state;
    if (!s)
        return;
    wlab_passes_destroy(s->passes);
    wlab_problem_unref(s->p);
    wlab_proportions_destroy(s->bags);
    wlab_supers_destroy(s->supers);
    wlab_free(s->K);
    wlab_free(s->in);
    wlab_free(s->c);
    wlab_free(s->apart);
    wlab_free(s->theta);
    wlab_free(s->f);
    wlab_free(s->g);
    wlab_free(s->y);
    wlab_free(s);
}

static wlab_code prepare(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;

    if (s->kernel.kind == WL_K_LINEAR) {
        s->dim = s->p->X->cols + (s->kernel.bias > 0);
        return wlab_passes_create(&s->passes, s->p->X, err);
    }
    wlab_code code = wlab_kernel_fits(s->n, KERNEL_ROWS, "rows", "take fewer, or kernel=linear", err);
    if (code)
        return code;
    s->dim = s->n;
    s->K = wlab_alloc(n * n, sizeof *s->K);
    if (!s->K)
        return wlab_nomem(err);
    return wlab_kernel_matrix_told(&s->kernel, s->p->X, s->p->X, s->p->row, s->K, ctx, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)p->n;
    wlab_code code;
    mm_state *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->lambda = wlab_params_real(given, "lambda");
    s->eps = wlab_params_real(given, "eps");
    s->by_size = wlab_params_choice(given, "weights") == 0;
    if ((code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = wlab_proportions_create(&s->bags, p, err)) ||
        (code = wlab_supers_create(&s->supers, p, s->bags, err)))
        goto fail;
    if (wlab_params_bool(given, "average"))
        s->lambda *= (double)s->supers->rows;
    if ((code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)) || (code = prepare(s, ctx, err)))
        goto fail;
    s->in = wlab_alloc(n, sizeof *s->in);
    s->c = wlab_alloc(n, sizeof *s->c);
    s->apart = wlab_alloc(n, sizeof *s->apart);
    s->f = wlab_calloc(n, sizeof *s->f);
    s->theta = wlab_calloc((size_t)s->dim, sizeof *s->theta);
    s->g = wlab_calloc((size_t)s->dim, sizeof *s->g);
    s->y = wlab_alloc(n, 1);
    if (!s->in || !s->c || !s->apart || !s->f || !s->theta || !s->g || !s->y) {
        code = wlab_nomem(err);
        goto fail;
    }
    mm_estimate(s);
    memcpy(s->y, p->visible, n);
    s->objective = s->gradient = s->gap = s->upper = s->lower = s->distance = s->bag_error = NAN;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

static void relabel(mm_state *s)
{
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = s->p->visible[i] ? s->p->visible[i] : s->f[i] > 0 ? 1 : -1;
        s->flips += y != s->y[i];
        s->y[i] = y;
    }
    s->bag_error = s->bags->told ? wlab_proportions_output_error(s->bags, s->f) : NAN;
}

static bool done(const mm_state *s)
{
    return s->step > 0 && s->gap <= s->eps * (double)s->supers->rows * log(2);
}

/* The means: theta stays 0. */
static wlab_code begin(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    double distance;
    wlab_code code = mm_distance(s, &distance, ctx, err);

    if (code || (code = mm_evaluate(s, ctx, err)))
        return code;
    if (!isfinite(s->gap)) {
        s->objective = s->gradient = s->gap = NAN;
        return wlab_fail(err, WL_ENUMERIC, "the means of the classes are not finite: scale the data");
    }
    s->distance = distance;
    if (s->means.singular)
        wlab_emit_warning(
            ctx,
            "all bags have the proportion %.3g: their means do not tell those of the classes apart, "
            "and the solution of smallest norm is taken, which says next to nothing",
            s->means.least);
    return WL_OK;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    mm_state *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (s->step == 0)
        code = begin(s, ctx, err);
    else if (!done(s) || s->step == 1) /* one iteration at least: there is no model before it */
        code = mm_newton(s, ctx, err);
    if (code)
        return code;
    if (s->step > 0)
        relabel(s);
    s->upper = s->step > 0 ? fmin(s->upper, s->objective) : s->objective;
    s->lower = s->step > 0 ? fmax(s->lower, s->objective - s->gap) : s->objective - s->gap;
    s->step++;
    s->seconds += wlab_seconds_now() - from;
    step->complete = true;
    step->verdict = s->step == 1 ? WL_MORE : done(s) ? WL_CONVERGED : s->stalled ? WL_STALLED : WL_MORE;
    if (step->verdict == WL_STALLED)
        wlab_emit_note(ctx, "no step goes down in doubles: a gap of %.3g is left", s->gap);
    return WL_OK;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const mm_state *s = state;

    *out = NULL;
    if (s->step < 2)
        return wlab_fail(err, WL_ESTATE, "there is no model yet: `step` %s",
                         s->step ? "once more" : "twice, for the means and for a Newton iteration");
    if (s->K)
        return wlab_model_from_coefficients(out, s->p, &s->kernel, s->theta, ctx ? ctx->pool : NULL, err);
    return wlab_model_from_weights(out, s->p, s->theta,
                                   s->kernel.bias > 0 ? s->kernel.bias * s->theta[s->dim - 1] : 0, err);
}

/* ---- what is shown ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const mm_state *s = state;

    if (labels)
        memcpy(labels, s->y, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = wlab_lower_beside(s->lower, s->upper, fabs(s->upper));
    metric[M_GAP] = s->step ? fmax(s->upper - s->lower, 0) : NAN;
    metric[M_RELGAP] = wlab_relgap(metric[M_GAP], metric[M_UPPER]);
    metric[M_INNER_GAP] = s->gap;
    metric[M_GRADIENT] = s->gradient;
    metric[M_BAG_ERROR] = s->bag_error;
    metric[M_DISTANCE] = s->distance;
    metric[M_CONDITION] = s->step && !s->means.singular ? s->means.condition : NAN;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_CG] = (double)s->cg;
    metric[M_SECONDS] = s->seconds;
}

static void explain(const void *state, char *buf, size_t size)
{
    const mm_state *s = state;
    char rows[80] = "", how[64] = "a Cholesky factor", halved[64] = "";

    wlab_supers_singles_text(s->supers, rows, sizeof rows);
    if (!s->K)
        snprintf(how, sizeof how, "%lld CG iterations", (long long)s->cg);
    if (s->halvings > 0)
        snprintf(halved, sizeof halved, ", of which %.3g was gone", s->length);
    if (s->step == 0)
        snprintf(buf, size, "Nothing was stepped yet: %lld bags%s tell of %lld rows.",
                 (long long)s->supers->bags, rows, (long long)s->supers->rows);
    else if (s->step == 1 && s->means.singular)
        snprintf(
            buf, size,
            "All of %lld bags%s have the proportion %.3g, and nothing tells the means of the classes apart: "
            "of all solutions that with the smallest norm was taken (distance %.4g).",
            (long long)s->supers->bags, rows, s->means.least, s->distance);
    else if (s->step == 1)
        snprintf(buf, size,
                 "The means of both classes were estimated from those of %lld bags%s by least squares: the "
                 "proportions go from %.3g to %.3g, the condition number is %.3g, the means are %.4g apart.",
                 (long long)s->supers->bags, rows, s->means.least, s->means.most, s->means.condition,
                 s->distance);
    else
        snprintf(buf, size,
                 "The Newton system was solved by %s; its step%s led to an objective of %.10g. The "
                 "gradient's norm "
                 "is %.3g, so that the optimum is at most %.3g below. %lld predicted labels changed.",
                 how, halved, s->objective, s->gradient, s->gap, (long long)s->flips);
}

static void next(const void *state, char *buf, size_t size)
{
    const mm_state *s = state;

    snprintf(buf, size, "%s",
             s->step == 0             ? "estimate the means of the classes from those of the bags"
             : done(s) && s->step > 1 ? "nothing: the gap is small enough"
             : s->stalled             ? "nothing: no step descends in doubles"
                                      : "a Newton iteration of the conditional exponential model");
}

/* clang-format off */
#define SCALARS(X) X(step) X(objective) X(gradient) X(gap) X(upper) X(lower) X(distance) X(bag_error) X(length) \
    X(seconds) X(cg) X(flips) X(halvings) X(stalled)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    mm_state *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->theta, s->dim);
    WL_WALK_ARRAY(w, s->f, s->n);
    WL_WALK_ARRAY(w, s->g, s->dim);
    WL_WALK_ARRAY(w, s->y, s->n);
}

WLAB_KERNEL_HOOK(mm_state, kernel)

const wlab_algo wlab_algo_meanmap = {
    .name = "mean-map",
    .alias = "meanmap",
    .summary = "MeanMap: class means from bag means by least squares, then the conditional exponential model",
    .source = "Quadrianto, Smola, Caetano, Le, Estimating Labels from Label Proportions, JMLR 10 (2009); "
              "Section 2 of "
              "Yu, Liu, Kumar, Jebara, Chang, ICML 2013",
    .learns_from = WL_SEES_PROPORTIONS | WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS,
    .made_for = WL_SEES_PROPORTIONS,
    .step_unit = "first the means of the classes, then a Newton iteration each",
    .inner_unit = "the same",
    .converged = "inner_gap <= eps * first_objective",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};
