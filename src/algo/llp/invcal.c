/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inverse calibration (InvCal), for learning with label proportions: support vector regression on the means of the
 * bags.  The target of a bag with proportion p is -log(1/p - 1), the output that Platt's scaling turns into the
 * probability p.  It is one convex problem, and one step solves it.
 */
#include "algo/algos.h"
#include "algo/llp/super_instances.h"
#include "base/clock.h"
#include "base/walk.h"
#include "model/kernel.h"
#include "model/model.h"
#include "solve/svm/svr.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MATRIX_ROWS = 2000,  /* linear: up to this many super-instances, their Gram matrix is stored */
    KERNEL_ROWS = 12000, /* kernel: super-instances at most */
    MOST_UPDATES = 20000000
};

typedef enum tube {
    TUBE_PROPORTION,
    TUBE_OUTPUT
} tube;
static const char *const tube_names[] = {"share", "output", NULL};
static const char *const offset_names[] = {"free", "none", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "0"),
    {"Cp", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL,
     "Cp, the penalty for each unit by which the output at a bag's mean is outside the tube",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"eps", WL_P_REAL, "0", 0, 1, NULL, NULL,
     "half the width of the tube inside which a bag costs nothing, in the unit that tube= names",
     WL_P_OBJECTIVE},
    {"tube", WL_P_CHOICE, "share", 0, 0, tube_names, NULL,
     "unit of eps; share: a proportion may be off by eps towards 1/2, eps_k = |logit(p) - logit(p -+ eps)|; "
     "output: eps_k = eps",
     WL_P_OBJECTIVE},
    {"clip", WL_P_REAL, NULL, 0, 0.5, NULL, NULL,
     "given proportions are clipped to [clip, 1 - clip]; default: 1/n for n rows, at most 1/4",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"offset", WL_P_CHOICE, "free", 0, 0, offset_names, NULL,
     "free: an unregularised b, as in the paper; none: no b except the regularised weight of bias=",
     WL_P_OBJECTIVE},
    {"passes", WL_P_INT, "1000", 1, 1e9, NULL, "passes",
     "linear kernel with more than 2000 super-instances: limit of the passes over them", 0},
    {"tol", WL_P_REAL, "1e-6", 0, 1, NULL, "relative", "the run has converged when gap <= tol |objective|",
     WL_P_OPEN_LO},
    {.name = NULL, .fallback = "backend=own"}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_BAG_ERROR,
    M_SUPPORT,
    M_OUTSIDE,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "1/2 ||w||^2 plus Cp times the sum of how far the outputs of the bags' means are outside "
                "their tubes",
     .equation = "Eq. 5 of the pSVM paper"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "equal to the objective: an upper bound on the optimum",
     .equation = "1/2 ||w||^2 + Cp sum_k (xi_k + xi*_k), Eq. 5"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "the dual value: a certified lower bound on the optimum",
     .equation = "sum_k t_k beta_k - eps_k |beta_k| - 1/2 ||sum_k beta_k m_k||^2"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the objective is at most this far above the optimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "equal to gap, as the whole problem is convex",
     .equation = "primal - dual"},
    {.name = "bag_error",
     .role = WL_R_BAG_ERROR,
     .meaning =
         "by how much the predicted proportions of the training bags differ from the given ones, in sum",
     .equation = "Eq. 23 of Yu et al.: sum_k |p_k - p^_k|"},
    {.name = "support",
     .unit = "super-instances",
     .flags = WL_M_COUNT,
     .meaning = "super-instances whose dual variable beta_k is not 0"},
    {.name = "outside",
     .unit = "super-instances",
     .flags = WL_M_COUNT,
     .meaning = "super-instances whose dual variable has reached its limit, |beta_k| = Cp; all that are "
                "outside their tube are among them"},
    WLAB_SECONDS,
    {0}};

typedef struct invcal {
    wlab_problem *p;
    wlab_proportions *bags;
    wlab_super_instances *super_instances;
    wlab_kernel kernel;
    tube kind;
    bool offset;
    double Cp, eps, clip, tol;
    int64_t passes;
    double *target, *tube; /* [super-instances] */
    int64_t clipped;
    /* ---- snapshot ---- */
    bool trained;
    double b, objective, lower, bag_error, seconds;
    int64_t work;
    double *beta; /* [super-instances] */
    double *w;    /* [cols], or NULL: kernel */
    double *f;    /* [n] outputs */
} invcal;

static void destroy(void *state)
{
    invcal *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_proportions_destroy(s->bags);
    wlab_super_instances_destroy(s->super_instances);
    wlab_free(s->target);
    wlab_free(s->tube);
    wlab_free(s->beta);
    wlab_free(s->w);
    wlab_free(s->f);
    wlab_free(s);
}

static double logit(double p)
{
    return -log(1 / p - 1);
}

/* Computes targets and tubes.  The program of the pSVM paper's authors uses the width to first order, eps / (p (1-p)).
 * At p = 1/n that is about eps n, so with many rows n the tube is so wide that the bag has no effect.  The exact width
 * towards 1/2, used here, is only about log(eps n) there. */
static void calibrate(invcal *s)
{
    for (int64_t k = 0; k < s->super_instances->n; k++) {
        const double given = s->super_instances->proportion[k], p = fmin(fmax(given, s->clip), 1 - s->clip),
                     off = p < 0.5 ? p + s->eps : p - s->eps, edge = fmin(fmax(off, s->clip), 1 - s->clip);

        s->clipped += given < s->clip || given > 1 - s->clip;
        s->target[k] = logit(p);
        s->tube[k] = s->kind == TUBE_PROPORTION ? fabs(s->target[k] - logit(edge)) : s->eps;
    }
}

static wlab_code check_params(const invcal *s, const wlab_params *given, wlab_err *err)
{
    const bool linear = s->kernel.kind == WL_K_LINEAR;

    if (s->offset && s->kernel.bias > 0)
        return wlab_fail(err, WL_EARG,
                         "bias=%s is a regularised offset, which has no effect beside the free one: add "
                         "offset=none, or leave bias= out",
                         wlab_params_text(given, "bias"));
    return linear ? WL_OK
                  : wlab_kernel_fits(s->super_instances->n, KERNEL_ROWS, "super-instances",
                                     "make larger bags, or use kernel=linear", err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    invcal *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->kind = (tube)wlab_params_choice(given, "tube");
    s->offset = wlab_params_choice(given, "offset") == 0;
    s->Cp = wlab_params_real(given, "Cp");
    s->eps = wlab_params_real(given, "eps");
    s->tol = wlab_params_real(given, "tol");
    s->clip =
        wlab_params_given(given, "clip") ? wlab_params_real(given, "clip") : fmin(1 / (double)p->n, 0.25);
    if ((code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = wlab_proportions_create(&s->bags, p, err)) ||
        (code = wlab_super_instances_create(&s->super_instances, p, s->bags, err)) ||
        (code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)) ||
        (code = check_params(s, given, err)))
        goto fail;
    const size_t n = (size_t)s->super_instances->n;
    s->target = wlab_alloc(n, sizeof *s->target);
    s->tube = wlab_alloc(n, sizeof *s->tube);
    s->beta = wlab_calloc(n, sizeof *s->beta);
    s->f = wlab_calloc((size_t)p->n, sizeof *s->f);
    if (s->kernel.kind == WL_K_LINEAR)
        s->w = wlab_calloc((size_t)p->X->cols, sizeof *s->w);
    if (!s->target || !s->tube || !s->beta || !s->f || (s->kernel.kind == WL_K_LINEAR && !s->w)) {
        code = wlab_nomem(err);
        goto fail;
    }
    calibrate(s);
    s->objective = s->lower = s->bag_error = NAN;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

/* ---- training ---- */

static wlab_svr_problem regression(const invcal *s)
{
    return (wlab_svr_problem){
        .n = s->super_instances->n, .target = s->target, .tube = s->tube, .C = s->Cp, .offset = s->offset};
}

/* Trains on K, the inner products of the super-instances with bias^2 added. */
static wlab_code train_matrix(invcal *s, const double *K, double *beta, wlab_svr_result *r, wlab_ctx *ctx,
                              wlab_err *err)
{
    const wlab_svr_problem q = regression(s);
    wlab_code code;
    double *f = wlab_alloc(2 * (size_t)q.n, sizeof *f);

    if (!f)
        return wlab_nomem(err);
    code = wlab_svr_solve(&q, K, s->tol, MOST_UPDATES, beta, f, r, ctx, err);
    if (!code && !s->offset && s->kernel.bias > 0)
        for (int64_t k = 0; k < q.n; k++)
            r->b += s->kernel.bias * s->kernel.bias * beta[k];
    wlab_free(f);
    return code;
}

/* Subtracts the mean of all bag means from each row of M.  With a free offset this changes nothing but b, which
 * train_linear corrects.  The means of large bags differ only slightly: in products that contain their common part, the
 * digits of these differences would be lost. */
static void centre_means(wlab_matrix *M, double *mean)
{
    memset(mean, 0, (size_t)M->cols * sizeof *mean);
    for (int64_t k = 0; k < M->rows; k++)
        for (int32_t j = 0; j < M->cols; j++)
            mean[j] += M->dense[k * M->cols + j] / (double)M->rows;
    for (int64_t k = 0; k < M->rows; k++)
        for (int32_t j = 0; j < M->cols; j++)
            M->dense[k * M->cols + j] -= mean[j];
}

static wlab_code train_linear(invcal *s, double *beta, double *w, wlab_svr_result *r, wlab_ctx *ctx,
                              wlab_err *err)
{
    const wlab_svr_problem q = regression(s);
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_matrix *M = NULL;
    double *K = NULL, *mean = wlab_alloc((size_t)s->p->X->cols, sizeof *mean);
    wlab_code code =
        mean ? wlab_super_instances_means(&M, s->super_instances, s->p->X, err) : wlab_nomem(err);

    if (code) {
        wlab_free(mean);
        return code;
    }
    const bool centred = s->offset && !M->sparse;
    if (centred)
        centre_means(M, mean);
    if (q.n > MATRIX_ROWS) {
        code = wlab_svr_solve_linear(&q, M, s->kernel.bias, s->tol, s->passes, beta, w, r, ctx, err);
    } else if (!(K = wlab_alloc((size_t)(q.n * q.n), sizeof *K))) {
        code = wlab_nomem(err);
    } else if (!(code = wlab_matrix_gram(M, M, K, q.n, pool, err))) {
        for (int64_t i = 0; i < q.n * q.n; i++)
            K[i] += s->kernel.bias * s->kernel.bias;
        if (!(code = train_matrix(s, K, beta, r, ctx, err)))
            code = wlab_matrix_mul_t(M, beta, w, pool, err);
    }
    if (!code && centred)
        r->b -= cblas_ddot(M->cols, w, 1, mean, 1);
    wlab_free(mean);
    wlab_free(K);
    wlab_matrix_destroy(M);
    return code;
}

static wlab_code train_kernel(invcal *s, double *beta, wlab_svr_result *r, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->super_instances->n;
    double *K = wlab_alloc(n * n, sizeof *K);
    wlab_code code =
        K ? wlab_super_instances_kernel(s->super_instances, s->p, &s->kernel, K, ctx, err) : wlab_nomem(err);

    if (!code)
        code = train_matrix(s, K, beta, r, ctx, err);
    wlab_free(K);
    return code;
}

static wlab_code model_of(const invcal *s, const double *beta, const double *w, double b, wlab_model **out,
                          wlab_pool *pool, wlab_err *err)
{
    *out = NULL;
    if (s->w)
        return wlab_model_from_weights(out, s->p, w, b, err);
    double *c = wlab_alloc((size_t)s->p->n, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    wlab_super_instances_spread(s->super_instances, beta, c, s->p->n);
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, c, pool, err);
    if (!code) /* b already includes the contribution of bias= */
        (*out)->b[0] = b;
    wlab_free(c);
    return code;
}

static wlab_code train_now(invcal *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_svr_result r = {0};
    wlab_model *m = NULL;
    double *beta = wlab_calloc((size_t)s->super_instances->n, sizeof *beta);
    double *w = wlab_calloc((size_t)s->p->X->cols, sizeof *w), *f = wlab_alloc((size_t)s->p->n, sizeof *f);
    wlab_code code = WL_OK;

    if (!beta || !w || !f)
        code = wlab_nomem(err);
    if (!code)
        code = s->w ? train_linear(s, beta, w, &r, ctx, err) : train_kernel(s, beta, &r, ctx, err);
    code = code ? code : model_of(s, beta, w, r.b, &m, pool, err);
    code = code ? code : wlab_model_predict_progress(m, s->p->X, f, ctx, err);
    if (!code) {
        memcpy(s->beta, beta, (size_t)s->super_instances->n * sizeof *beta);
        memcpy(s->f, f, (size_t)s->p->n * sizeof *f);
        if (s->w)
            memcpy(s->w, w, (size_t)s->p->X->cols * sizeof *w);
        s->b = r.b;
        s->objective = r.primal;
        s->lower = r.dual;
        s->work = r.work;
        s->bag_error = s->bags->given ? wlab_proportions_output_error(s->bags, f) : NAN;
        s->trained = true;
    }
    wlab_model_destroy(m);
    wlab_free(beta);
    wlab_free(w);
    wlab_free(f);
    return code;
}

/* Whether all targets are equal, so that the best regression is a constant. */
static bool equal_targets(const invcal *s)
{
    for (int64_t k = 1; k < s->super_instances->n; k++)
        if (fabs(s->target[k] - s->target[0]) > 1e-9)
            return false;
    return true;
}

static wlab_verdict ended(const invcal *s)
{
    if (s->objective - s->lower <= s->tol * s->objective)
        return WL_CONVERGED;
    return s->w && s->super_instances->n > MATRIX_ROWS ? WL_LIMIT : WL_STALLED;
}

/* Describes the gap, relative to the objective, and why it was not closed. */
static void describe_gap(const invcal *s, char *buf, size_t size)
{
    snprintf(buf, size, ", at most %.2g %% above the optimum%s",
             100 * (s->objective - s->lower) / s->objective,
             ended(s) == WL_LIMIT ? " (a larger passes= brings it closer)" : ", as close as doubles allow");
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    invcal *s = state;
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (!s->trained) {
        const double start = wlab_seconds_now();
        code = train_now(s, ctx, err);
        s->seconds += wlab_seconds_now() - start;
        if (!code && equal_targets(s))
            wlab_emit_warning(ctx,
                              "all bags have the proportion %.3g, so the regression is a constant: InvCal "
                              "cannot distinguish rows",
                              s->super_instances->proportion[0]);
        if (!code && ended(s) != WL_CONVERGED) {
            char rest[120];
            describe_gap(s, rest, sizeof rest);
            wlab_emit_note(ctx, "objective %.10g%s", s->objective, rest);
        }
    }
    if (!code) {
        step->complete = true;
        step->verdict = ended(s);
    }
    return code;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const invcal *s = state;

    *out = NULL;
    if (!s->trained)
        return wlab_no_model(err);
    return model_of(s, s->beta, s->w, s->b, out, ctx ? ctx->pool : NULL, err);
}

/* ---- metrics, labels, explanations ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const invcal *s = state;

    if (metric) {
        int64_t support = 0, outside = 0;
        for (int64_t k = 0; k < s->super_instances->n; k++) {
            support += s->beta[k] != 0;
            outside += fabs(s->beta[k]) >= s->Cp;
        }
        metric[M_OBJECTIVE] = metric[M_UPPER] = s->objective;
        metric[M_LOWER] = wlab_lower_beside(s->lower, s->objective, fabs(s->objective));
        wlab_put_gap(&metric[M_GAP], s->objective - s->lower, s->objective);
        metric[M_INNER_GAP] = metric[M_GAP];
        metric[M_BAG_ERROR] = s->bag_error;
        metric[M_SUPPORT] = s->trained ? (double)support : NAN;
        metric[M_OUTSIDE] = s->trained ? (double)outside : NAN;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        for (int64_t k = 0; k < s->p->n; k++)
            labels[k] = s->p->visible[k] ? s->p->visible[k] : !s->trained ? 0 : s->f[k] > 0 ? 1 : -1;
}

static void explain(const void *state, char *buf, size_t size)
{
    const invcal *s = state;
    char rows[80] = "", about[200] = "", clip[120] = "", gap[120] = "";

    wlab_super_instances_singles_text(s->super_instances, rows, sizeof rows);
    if (s->clipped > 0)
        snprintf(clip, sizeof clip,
                 " (%lld proportions closer to 0 or 1 than %.3g were moved to this distance)",
                 (long long)s->clipped, s->clip);
    if (!s->trained) {
        snprintf(
            buf, size,
            "No step has been made yet: one step fits a function whose value at the mean of a bag is near "
            "-log(1/p - 1), p being the bag's proportion, to %lld bags%s%s.",
            (long long)s->super_instances->bags, rows, clip);
        return;
    }
    if (s->bags->given)
        snprintf(about, sizeof about,
                 " The proportions predicted by the signs of f are off by %.3g on average over %lld bags.",
                 s->bag_error / (double)s->bags->given, (long long)s->bags->given);
    if (ended(s) != WL_CONVERGED)
        describe_gap(s, gap, sizeof gap);
    snprintf(
        buf, size,
        "weaklab's own solver fitted a function whose value at the mean of a bag is near -log(1/p - 1), p "
        "being the bag's proportion, to %lld bags%s%s. Objective %.10g%s.%s",
        (long long)s->super_instances->bags, rows, clip, s->objective, gap, about);
}

static void next(const void *state, char *buf, size_t size)
{
    const invcal *s = state;

    snprintf(buf, size, "%s",
             s->trained ? "nothing: the regression is trained" : "fit the bags' means to their proportions");
}

/* clang-format off */
#define SCALARS(X) X(trained) X(b) X(objective) X(lower) X(bag_error) X(seconds) X(work)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    invcal *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->beta, s->super_instances->n);
    WL_WALK_ARRAY(w, s->f, s->p->n);
    if (s->w)
        WL_WALK_ARRAY(w, s->w, s->p->X->cols);
}

WLAB_KERNEL_HOOK(invcal, kernel)

const wlab_algo wlab_algo_invcal = {
    .name = "invcal",
    .summary =
        "inverse calibration: support vector regression on super-instances, the means of bags; the target of "
        "a bag is "
        "the log-odds log(p/(1-p)) of its proportion p. Labelled rows are super-instances of their own",
    .idea = WL_IDEA_BAG_MEANS,
    .problem = "min over w, b of 1/2 ||w||^2 + Cp sum_k max(0, |t_k - w'm_k - b| - eps_k)",
    .symbols = "k: a super-instance, with the proportion p_k of positives\n"
               "m_k: the mean of its rows\n"
               "t_k: its target, log(p_k/(1 - p_k))\n"
               "tube: the outputs within eps_k of the target; they cost nothing\n"
               "xi_k, xi*_k: by how much the output is below or above the tube\n"
               "beta_k: the dual variable of k\n"
               "p^_k: predicted proportion of positives",
    .when = "proportions of many bags: one convex problem, in which labels of rows are no unknowns",
    .cost = "the whole regression on the means of the bags",
    .proves = "that its regression is solved",
    .work = "1.2e-7 * (1 - K) * max(b, l + 1)^2 + K * 1.2e-8 * n^2",
    .memory = "(1 - K) * 8 * min(2000, max(b, l + 1))^2 + 60 * n",
    .source =
        "Rueping, SVM Classifier Estimation from Group Probabilities, ICML 2010; Eqs. 5 and 6 of Yu, Liu, "
        "Kumar, Jebara, Chang, ICML 2013",
    .learns_from = WL_SEES_PROPORTIONS | WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS,
    .made_for = WL_SEES_PROPORTIONS,
    .step_unit = "train the regression",
    .inner_unit = "the same",
    .converged = "gap <= tol * abs(objective)",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .loss = WL_LOSS_INSENSITIVE,
    .model = model,
    .kernel = kernel,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};
