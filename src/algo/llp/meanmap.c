/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap, for learning with label proportions: the first step estimates the means of the classes from those of the
 * bags; each further step is one Newton iteration on the conditional exponential model with these means (objective:
 * meanmap.h).  lmm is the same with other estimates, and amm goes on with labels in place of the means. */
#include "algo/llp/meanmap.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "model/kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    KERNEL_ROWS = 12000 /* K and its factor must fit into memory */
};

static const char *const weight_names[] = {"size", "equal", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"),
    MM_LAMBDA_PARAMS,
    {"average", WL_P_BOOL, "no", 0, 0, NULL, NULL,
     "yes: lambda counts against the mean over the n rows instead of their sum, that is, n lambda is used in "
     "place of lambda",
     WL_P_OBJECTIVE},
    {"weights", WL_P_CHOICE, "size", 0, 0, weight_names, NULL,
     "weights of the bags in the least squares; size: the number of rows, as the variance of a bag's mean is "
     "proportional to 1/size; equal: 1",
     WL_P_OBJECTIVE},
    MM_EPS_PARAM,
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
const wlab_metric_info mm_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "negative log-likelihood with the estimated class means, plus the penalty on theta",
     .equation = "sum_i log 2 cosh f_i - n <theta, p mu_+ - (1-p) mu_-> + lambda ||theta||^2"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest objective so far: an upper bound on the optimum",
     .equation = "sum_i log 2 cosh f_i - n <theta, mu_XY> + lambda ||theta||^2, mu_XY = p mu_+ - (1-p) mu_-"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "the largest dual value so far: a certified lower bound on the optimum",
     .equation = "objective - ||gradient||^2 / (4 lambda)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the best objective is at most this far above the optimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap at the current theta",
     .equation = "||gradient||^2 / (4 lambda)"},
    {.name = "gradient",
     .log = true,
     .meaning = "norm of the gradient",
     .equation = "2 lambda theta + sum_i tanh(f_i) x_i - n mu_XY, mu_XY = p mu_+ - (1-p) mu_-"},
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .meaning =
         "by how much the predicted proportions of the training bags differ from the given ones, in sum",
     .equation = "Eq. 23 of Yu et al.: sum_k |p_k - p^_k|"},
    {.name = "distance",
     .meaning = "distance between the estimated means of the two classes",
     .equation = "||mu_+ - mu_-||"},
    {.name = "condition",
     .log = true,
     .meaning =
         "condition number of the least squares for the class means; no value if all proportions are equal",
     .equation = "sqrt of the ratio of the eigenvalues of sum_k omega_k (p_k, 1-p_k)(p_k, 1-p_k)'"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "predicted labels that differ from those of the step before"},
    {.name = "cg", .flags = WL_M_COUNT, .meaning = "conjugate gradient iterations in this step"},
    WLAB_SECONDS,
    {0}};

void mm_destroy(void *state)
{
    mm_state *s = state;
    if (!s)
        return;
    wlab_passes_destroy(s->passes);
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_proportions_destroy(s->bags);
    wlab_super_instances_destroy(s->super_instances);
    wlab_free(s->K);
    wlab_free(s->in);
    wlab_free(s->c);
    wlab_free(s->apart);
    wlab_free(s->V);
    wlab_free(s->fitted);
    wlab_free(s->seen);
    wlab_free(s->best_theta);
    wlab_free(s->best_f);
    wlab_free(s->theta);
    wlab_free(s->f);
    wlab_free(s->g);
    wlab_free(s->y);
    wlab_free(s);
}

static wlab_code create_operator(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;

    if (s->kernel.kind == WL_K_LINEAR) {
        s->dim = s->p->X->cols + (s->kernel.bias > 0);
        return wlab_passes_create(&s->passes, s->p->X, err);
    }
    wlab_code code = wlab_kernel_fits(s->n, KERNEL_ROWS, "rows", "use fewer rows, or kernel=linear", err);
    if (code)
        return code;
    s->dim = s->n;
    s->K = wlab_alloc(n * n, sizeof *s->K);
    if (!s->K)
        return wlab_nomem(err);
    return wlab_kernel_matrix_progress(&s->kernel, s->p->X, s->p->X, s->p->row, s->K, ctx, err);
}

wlab_code mm_create(void **state, mm_kind kind, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                    wlab_err *err)
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
    s->kind = kind;
    s->by_size = kind != MM_MEAN_MAP || wlab_params_choice(given, "weights") == 0;
    s->smoothness = kind == MM_MEAN_MAP ? 0 : wlab_params_real(given, "smooth");
    s->width = kind == MM_MEAN_MAP ? NAN : wlab_params_real(given, "width");
    if (kind == MM_ALTERNATING) {
        s->rounds = wlab_params_int(given, "rounds");
        s->worst = wlab_params_choice(given, "variant") == 1;
    }
    if ((code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = wlab_proportions_create(&s->bags, p, err)) ||
        (code = wlab_super_instances_create(&s->super_instances, p, s->bags, err)))
        goto fail;
    if (kind == MM_MEAN_MAP && wlab_params_bool(given, "average"))
        s->lambda *= (double)s->super_instances->rows;
    if ((code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)) ||
        (code = create_operator(s, ctx, err)))
        goto fail;
    s->in = wlab_alloc(n, sizeof *s->in);
    s->c = wlab_alloc(n, sizeof *s->c);
    s->apart = wlab_alloc(n, sizeof *s->apart);
    s->f = wlab_calloc(n, sizeof *s->f);
    s->theta = wlab_calloc((size_t)s->dim, sizeof *s->theta);
    s->g = wlab_calloc((size_t)s->dim, sizeof *s->g);
    s->y = wlab_alloc(n, 1);
    s->fitted = wlab_calloc(n, 1);
    s->seen = wlab_calloc((size_t)s->rounds + 1, sizeof *s->seen);
    s->best_theta = wlab_calloc((size_t)(s->worst ? s->dim : 1), sizeof *s->best_theta);
    s->best_f = wlab_calloc(s->worst ? n : 1, sizeof *s->best_f);
    if (!s->in || !s->c || !s->apart || !s->f || !s->theta || !s->g || !s->y || !s->fitted || !s->seen ||
        !s->best_theta || !s->best_f) {
        code = wlab_nomem(err);
        goto fail;
    }
    mm_estimate(s);
    memcpy(s->y, p->visible, n);
    s->objective = s->gradient = s->gap = s->upper = s->lower = s->distance = s->bag_error = NAN;
    s->best.objective = NAN;
    *state = s;
    return WL_OK;
fail:
    mm_destroy(s);
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
    s->bag_error = s->bags->given ? wlab_proportions_output_error(s->bags, s->f) : NAN;
}

bool mm_fitted(const mm_state *s)
{
    return s->step > 0 && s->gap <= s->eps * (double)s->super_instances->rows * log(2);
}

/* Step 1: the class means.  theta is still 0. */
static wlab_code estimate_means(mm_state *s, wlab_ctx *ctx, wlab_err *err)
{
    double distance;
    wlab_code code = s->kind == MM_MEAN_MAP ? WL_OK : mm_estimate_smooth(s, ctx, err);

    code = code ? code : mm_distance(s, &distance, ctx, err);
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
            "all bags have the proportion %.3g: their means do not determine those of the classes; the "
            "solution of smallest norm is used, which carries almost no information",
            s->means.least);
    return WL_OK;
}

/* Whether the fit for the present c is at its end.  It has at least one iteration: there is no model before it. */
static bool fit_ended(const mm_state *s)
{
    return s->step > 1 && (mm_fitted(s) || s->stalled);
}

static wlab_verdict verdict_of(const mm_state *s)
{
    if (s->limited)
        return WL_LIMIT;
    return !(s->kind == MM_ALTERNATING ? s->ended : fit_ended(s)) ? WL_MORE
           : mm_fitted(s)                                         ? WL_CONVERGED
                                                                  : WL_STALLED;
}

wlab_code mm_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    mm_state *s = state;
    const double from = wlab_seconds_now();
    const bool fit = fit_ended(s);
    bool iterated = false;
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->step == 0)
        code = estimate_means(s, ctx, err);
    else if (fit && s->kind == MM_ALTERNATING && !s->ended && !s->limited)
        code = amm_label(s, ctx, err);
    else if (!fit && !s->ended && (code = mm_newton(s, ctx, err)) == WL_OK)
        iterated = true;
    if (code)
        return code;
    if (s->step == 0 || iterated) {
        s->upper = iterated ? fmin(s->upper, s->objective) : s->objective;
        s->lower = iterated ? fmax(s->lower, s->objective - s->gap) : s->objective - s->gap;
    }
    s->step++;
    const bool now_fit = fit_ended(s);
    s->limited = s->kind == MM_ALTERNATING && now_fit && !s->ended && s->round >= s->rounds;
    if (s->kind == MM_ALTERNATING)
        amm_keep(s, now_fit);
    if (s->step > 1)
        relabel(s);
    s->seconds += wlab_seconds_now() - from;
    step->complete = true;
    step->phase = s->round;
    step->phase_complete = s->kind == MM_ALTERNATING && (now_fit || s->ended);
    step->verdict = verdict_of(s);
    if (step->verdict == WL_STALLED)
        wlab_emit_note(ctx, "no step lowers the objective in double precision: a gap of %.3g is left",
                       s->gap);
    if (step->verdict == WL_LIMIT)
        wlab_emit_note(ctx, "limit rounds=%lld reached: a larger one needs a new run", (long long)s->rounds);
    return WL_OK;
}

wlab_code mm_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const mm_state *s = state;

    *out = NULL;
    if (s->step < 2)
        return wlab_fail(err, WL_ESTATE, "there is no model yet: `step` %s",
                         s->step ? "once more" : "twice, for the class means and for a Newton iteration");
    if (s->K)
        return wlab_model_from_coefficients(out, s->p, &s->kernel, s->theta, ctx ? ctx->pool : NULL, err);
    return wlab_model_from_weights(out, s->p, s->theta,
                                   s->kernel.bias > 0 ? s->kernel.bias * s->theta[s->dim - 1] : 0, err);
}

/* ---- metrics, labels, explanations ---- */

void mm_observe(const void *state, double *metric, int8_t *labels)
{
    const mm_state *s = state;

    if (labels)
        memcpy(labels, s->y, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = wlab_lower_beside(s->lower, s->upper, fabs(s->upper));
    wlab_put_gap(&metric[M_GAP], s->upper - s->lower, s->upper);
    metric[M_INNER_GAP] = s->gap;
    metric[M_GRADIENT] = s->gradient;
    metric[M_BAG_ERROR] = s->bag_error;
    metric[M_DISTANCE] = s->distance;
    metric[M_CONDITION] = s->step && !s->means.singular ? s->means.condition : NAN;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_CG] = (double)s->cg;
    metric[M_SECONDS] = s->seconds;
}

void mm_explain(const void *state, char *buf, size_t size)
{
    const mm_state *s = state;
    char rows[80] = "", how[64] = "a Cholesky factor", halved[64] = "";

    wlab_super_instances_singles_text(s->super_instances, rows, sizeof rows);
    if (!s->K)
        snprintf(how, sizeof how, "%lld CG iterations", (long long)s->cg);
    if (s->halvings > 0)
        snprintf(halved, sizeof halved, " of length %.3g", s->length);
    if (s->step == 0)
        snprintf(buf, size,
                 "No step has been made yet: the proportions of %lld bags%s give information on %lld rows.",
                 (long long)s->super_instances->bags, rows, (long long)s->super_instances->rows);
    else if (s->kind == MM_ALTERNATING && (s->ended || s->limited))
        amm_explain_end(s, buf, size);
    else if (s->step == 1 && s->kind != MM_MEAN_MAP)
        snprintf(
            buf, size,
            "A mean of each class was estimated in each of %lld bags%s, such that they give the bags' means "
            "and "
            "differ little between similar bags.  The means of the classes over all bags are %.4g apart.",
            (long long)s->super_instances->bags, rows, s->distance);
    else if (s->step == 1 && s->means.singular)
        snprintf(
            buf, size,
            "All %lld bags%s have the proportion %.3g, so the means of the classes cannot be determined: the "
            "solution with the smallest norm is used (distance %.4g).",
            (long long)s->super_instances->bags, rows, s->means.least, s->distance);
    else if (s->step == 1)
        snprintf(
            buf, size,
            "The means of both classes were estimated from those of %lld bags%s by least squares: the "
            "proportions range from %.3g to %.3g, the condition number is %.3g, the class means are %.4g "
            "apart.",
            (long long)s->super_instances->bags, rows, s->means.least, s->means.most, s->means.condition,
            s->distance);
    else
        snprintf(buf, size,
                 "The Newton system was solved by %s; the step%s led to the objective %.10g. The norm of the "
                 "gradient is %.3g, so the optimum is at most %.3g lower. %lld predicted labels changed.",
                 how, halved, s->objective, s->gradient, s->gap, (long long)s->flips);
}

void mm_next(const void *state, char *buf, size_t size)
{
    const mm_state *s = state;

    snprintf(buf, size, "%s",
             s->step == 0 ? "estimate the means of the classes from those of the bags"
             : s->ended   ? "nothing: the labels repeat"
             : s->limited ? "nothing: the limit rounds= was reached"
             : s->kind == MM_ALTERNATING && fit_ended(s)
                 ? (s->worst
                        ? "in each bag, the labels that fit theta worst, with the bag's number of positives"
                        : "in each bag, the labels that fit theta best, with the bag's number of positives")
             : mm_fitted(s) && s->step > 1 ? "nothing: the gap is small enough"
             : s->stalled                  ? "nothing: no step lowers the objective in double precision"
                                           : "a Newton iteration on the conditional exponential model");
}

/* clang-format off */
#define SCALARS(X) X(step) X(objective) X(gradient) X(gap) X(upper) X(lower) X(distance) X(bag_error) X(length) \
    X(seconds) X(cg) X(flips) X(halvings) X(stalled) X(round) X(ended) X(limited) X(best)
/* clang-format on */

void mm_walk(void *state, wlab_walk *w)
{
    mm_state *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->theta, s->dim);
    WL_WALK_ARRAY(w, s->f, s->n);
    WL_WALK_ARRAY(w, s->g, s->dim);
    WL_WALK_ARRAY(w, s->y, s->n);
    if (s->kind == MM_MEAN_MAP)
        return;
    WL_WALK_ARRAY(w, s->c, s->n);
    WL_WALK_ARRAY(w, s->apart, s->n);
    WL_WALK_ARRAY(w, s->fitted, s->n);
    if (s->round < 0 || s->round > s->rounds) {
        wlab_walk_damaged(w);
        return;
    }
    WL_WALK_ARRAY(w, s->seen, s->round + 1);
    if (!s->worst)
        return;
    WL_WALK_ARRAY(w, s->best_theta, s->dim);
    WL_WALK_ARRAY(w, s->best_f, s->n);
}

const wlab_kernel *mm_kernel(const void *state)
{
    return &((const mm_state *)state)->kernel;
}

/* The similarity of the bags of two rows; a row in no bag is like itself only. */
static wlab_code similarity(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                            wlab_err *err)
{
    const mm_state *s = state;
    const wlab_super_instances *u = s->super_instances;
    int32_t *of = NULL;

    (void)ctx;
    if (!s->V)
        return wlab_fail(err, WL_ESTATE, "the similarity of the bags is not computed yet: `step` first");
    if (wlab_probed_make(out, ask->n, ask->n, err))
        return WL_ENOMEM;
    if (!(of = wlab_alloc((size_t)s->n, sizeof *of))) {
        wlab_probed_clear(out);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < s->n; i++)
        of[i] = -1;
    for (int64_t k = 0; k < u->n; k++)
        for (int64_t j = u->start[k]; j < u->start[k + 1]; j++)
            of[u->member[j]] = (int32_t)k;
    for (int64_t i = 0; i < ask->n; i++)
        for (int64_t j = 0; j < ask->n; j++) {
            const int32_t a = of[ask->instance[i]], b = of[ask->instance[j]];
            out->value[i * ask->n + j] = i == j ? 1 : a < 0 || b < 0 ? 0 : s->V[a * u->n + b];
        }
    wlab_free(of);
    return WL_OK;
}

const wlab_probe mm_probes[] = {{.name = "V",
                                 .kind = WL_PROBE_MATRIX,
                                 .when = WL_PROBE_QUICK,
                                 .meaning = "the similarity of the bags to which two rows belong",
                                 .get = similarity},
                                {.name = NULL}};

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return mm_create(state, MM_MEAN_MAP, p, given, ctx, err);
}

const wlab_algo wlab_algo_meanmap = {
    .name = "mean-map",
    .alias = "meanmap",
    .summary = "MeanMap: class means from bag means by least squares, then the conditional exponential model",
    .idea = WL_IDEA_BAG_MEANS,
    .problem = "min over theta of sum_i log 2 cosh f_i - n <theta, mu_XY> + lambda ||theta||^2",
    .symbols = "f_i: the output of row i, <theta, x_i>\n"
               "n: number of rows\n"
               "mu_+, mu_-: the estimated means of the rows of the two classes\n"
               "p: fraction of positives in all rows\n"
               "mu_XY: p mu_+ - (1 - p) mu_-\n"
               "p_k, p^_k: given and predicted proportion of positives in bag k\n"
               "omega_k: weight of bag k in the least squares (weights=)",
    .when = "many bags whose given proportions differ from each other",
    .cost = "a Newton iteration over the rows",
    .proves = "that its model is optimal for the means it has found",
    .work = "4e-9 * z + K * 1.1e-11 * n^3",
    .memory = "K * 5 * n^2 + 60 * n",
    .source = "Quadrianto, Smola, Caetano, Le, Estimating Labels from Label Proportions, JMLR 10 (2009); "
              "Section 2 of Yu, Liu, Kumar, Jebara, Chang, ICML 2013",
    .learns_from = WL_SEES_PROPORTIONS | WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS,
    .made_for = WL_SEES_PROPORTIONS,
    .step_unit = "step 1: the means of the classes; each further step: a Newton iteration",
    .inner_unit = "the same",
    .converged = "inner_gap <= eps * first_objective",
    .converged_also = "first_objective is the objective after step 1, at theta = 0",
    .params = params,
    .metrics = mm_metrics,
    .create = create,
    .advance = mm_advance,
    .observe = mm_observe,
    .loss = WL_LOSS_LOGISTIC_DOUBLE,
    .model = mm_model,
    .kernel = mm_kernel,
    .explain = mm_explain,
    .next = mm_next,
    .walk = mm_walk,
    .destroy = mm_destroy,
};
