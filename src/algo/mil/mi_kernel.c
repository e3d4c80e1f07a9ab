/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MI-Kernel (Gartner, Flach, Kowalczyk and Smola, ICML 2002): an SVM on bags, with the mean of an instance kernel over all
 * pairs of instances as the kernel of two bags,
 *
 *     k(B, B') = 1 / (|B| |B'|) sum over x in B and x' in B' of kappa(x, x').
 *
 * This is the inner product of the means of the bags' images.  So f(B) = sum_b y_b alpha_b k(B_b, B) + offset is the mean
 * over x in B of f(x) = sum_b y_b alpha_b mean_{x' in B_b} kappa(x', x) + offset: an output for each instance, too, by
 * which the key instances are chosen.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "model/kernel.h"
#include "solve/svm/smo_free.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

static const wlab_param_info params[] = {WLAB_KERNEL_PARAMS("auto", "0"),
                                         {.name = "C",
                                          .type = WL_P_REAL,
                                          .fallback = "100",
                                          .lo = 0,
                                          .hi = HUGE_VAL,
                                          .meaning = "penalty of the bags",
                                          .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},
                                         {.name = "eps",
                                          .type = WL_P_REAL,
                                          .fallback = "1e-6",
                                          .lo = 0,
                                          .hi = 1,
                                          .unit = "relative",
                                          .meaning = "duality gap to which the SVM is solved",
                                          .flags = WL_P_OPEN_LO},
                                         {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_SUPPORT,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "1/2 ||w||^2 + C sum of hinge losses over the bags",
     .equation = "1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b))"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same as objective: an upper bound on the optimum",
     .equation = "1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b))"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "the dual value of the solution",
     .equation = "sum_b alpha_b - 1/2 ||w||^2"},
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
     .meaning = "the same as gap, as the whole problem is convex",
     .equation = "primal - dual"},
    {.name = "support", .unit = "bags", .flags = WL_M_COUNT, .meaning = "bags with alpha_b > 0"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct mi_kernel {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    double C, eps;
    int64_t *size; /* [bags] */
    /* ---- snapshot ---- */
    bool made, trained; /* the bags' kernel matrix; the SVM */
    double b, objective, lower, support, seconds;
    double *beta; /* [bags] y_b alpha_b */
    int8_t *y;    /* [n] */
    /* ---- follows from the data: computed anew by a run that goes back ---- */
    double *K; /* [bags x bags], NULL before it is made */
} mi_kernel;

static void destroy(void *state)
{
    mi_kernel *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_free(s->size);
    wlab_free(s->beta);
    wlab_free(s->y);
    wlab_free(s->K);
    wlab_free(s);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    mi_kernel *s = wlab_calloc(1, sizeof *s);
    wlab_code code;

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->C = wlab_params_real(given, "C");
    s->eps = wlab_params_real(given, "eps");
    s->size = wlab_calloc((size_t)p->bags, sizeof *s->size);
    s->beta = wlab_calloc((size_t)p->bags, sizeof *s->beta);
    s->y = wlab_calloc((size_t)p->n, 1);
    if (!s->size || !s->beta || !s->y)
        code = wlab_nomem(err);
    else if (!(code = wlab_kernel_fits(p->n, WL_KERNEL_ROWS, "instances", "use fewer (`split`)", err)) &&
             !(code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    for (int64_t i = 0; i < p->n; i++)
        s->size[p->bag[i]]++;
    for (int64_t i = 0; i < p->n; i++)
        s->y[i] = p->visible[i];
    s->objective = s->lower = s->support = NAN;
    *state = s;
    return WL_OK;
}

/* ---- steps ---- */

static wlab_code make_kernel(mi_kernel *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    const int64_t n = p->n, m = p->bags;
    double *all = wlab_alloc((size_t)(n * n), sizeof *all), *K = wlab_calloc((size_t)(m * m), sizeof *K);
    wlab_code code = all && K ? wlab_kernel_matrix_progress(&s->kernel, p->X, p->X, p->row, all, ctx, err)
                              : wlab_nomem(err);

    for (int64_t i = 0; i < n && !code; i++)
        for (int64_t j = 0; j < n; j++)
            K[p->bag[i] * m + p->bag[j]] += all[i * n + j];
    for (int64_t a = 0; a < m && !code; a++)
        for (int64_t b = 0; b <= a; b++)
            K[a * m + b] = K[b * m + a] = K[a * m + b] / ((double)s->size[a] * (double)s->size[b]);
    wlab_free(all);
    if (code)
        wlab_free(K);
    else
        s->K = K;
    return code;
}

/* c [n]: f(x_i) = sum_j c_j kappa(x_j, x_i) + offset. */
static void spread(const mi_kernel *s, double *c)
{
    for (int64_t i = 0; i < s->p->n; i++)
        c[i] = s->beta[s->p->bag[i]] / (double)s->size[s->p->bag[i]];
}

static wlab_code make_model(const mi_kernel *s, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    double *c = wlab_alloc((size_t)s->p->n, sizeof *c);
    *out = NULL;
    if (!c)
        return wlab_nomem(err);
    spread(s, c);
    const wlab_code code =
        wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += s->b;
    wlab_free(c);
    return code;
}

/* The labels that the model gives instances: key instances of positive bags, or signs with one positive at least. */
static wlab_code label(mi_kernel *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    wlab_model *m = NULL;
    double *f = wlab_alloc((size_t)p->n, sizeof *f);
    int64_t *key = wlab_alloc((size_t)p->bags, sizeof *key);
    wlab_code code = f && key ? make_model(s, &m, ctx, err) : wlab_nomem(err);

    code = code ? code : wlab_model_predict(m, p->X, f, ctx ? ctx->pool : NULL, err);
    for (int64_t b = 0; b < p->bags && !code; b++)
        key[b] = -1;
    for (int64_t i = 0; i < p->n && !code; i++)
        if (key[p->bag[i]] < 0 || f[i] > f[key[p->bag[i]]])
            key[p->bag[i]] = i;
    for (int64_t i = 0; i < p->n && !code; i++)
        s->y[i] = p->visible[i] ? p->visible[i] : key[p->bag[i]] == i ? 1 : p->keys ? 0 : f[i] > 0 ? 1 : -1;
    wlab_model_destroy(m);
    wlab_free(f);
    wlab_free(key);
    return code;
}

static wlab_code train(mi_kernel *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t m = (size_t)s->p->bags;
    int8_t *y = wlab_alloc(m, 1);
    double *cost = wlab_alloc(m, sizeof *cost), *f = wlab_alloc(m, sizeof *f),
           *beta = wlab_calloc(m, sizeof *beta), *old = s->beta;
    const double old_b = s->b;
    wlab_smo_free_result result = {0};
    wlab_code code = y && cost && f && beta ? WL_OK : wlab_nomem(err);

    for (size_t b = 0; b < m && !code; b++) {
        y[b] = s->p->bag_given[b] > 0.5 ? 1 : -1;
        cost[b] = s->C;
    }
    code = code ? code
                : wlab_smo_free_solve(s->K, (int64_t)m, y, cost, 0.9 * s->eps, beta, f, &result, ctx, err);
    if (!code && result.stopped)
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (!code) {
        s->beta = beta;
        s->b = result.b;
        if ((code = label(s, ctx, err))) {
            s->beta = old;
            s->b = old_b;
        } else {
            beta = old;
        }
    }
    if (!code) {
        s->objective = result.primal;
        s->lower = result.dual;
        s->support = 0;
        for (size_t b = 0; b < m; b++)
            s->support += s->beta[b] != 0;
        s->trained = true;
    }
    wlab_free(y);
    wlab_free(cost);
    wlab_free(f);
    wlab_free(beta);
    return code;
}

static wlab_verdict ended(const mi_kernel *s)
{
    return s->objective - s->lower <= s->eps * fabs(s->objective) ? WL_CONVERGED : WL_STALLED;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    mi_kernel *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (wlab_interrupted(ctx) && !s->trained)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (!s->made) {
        if (!s->K && (code = make_kernel(s, ctx, err))) /* it is there if the run went back */
            return code;
        s->made = true;
        s->seconds += wlab_seconds_now() - from;
        return WL_OK;
    }
    if (!s->trained) {
        if ((code = train(s, ctx, err)))
            return code;
        s->seconds += wlab_seconds_now() - from;
        if (ended(s) != WL_CONVERGED)
            wlab_emit_warning(
                ctx,
                "the SVM could not be solved to eps; the objective is at most %.3g %% above the "
                "optimum: scale the data, or use a smaller C",
                100 * (s->objective - s->lower) / fabs(s->objective));
    }
    *step = (wlab_step){.complete = true, .verdict = ended(s)};
    return WL_OK;
}

/* ---- metrics, labels, the kernel's picture and the model ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const mi_kernel *s = state;

    if (labels)
        memcpy(labels, s->y, (size_t)s->p->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = metric[M_UPPER] = s->objective;
    metric[M_LOWER] = wlab_lower_beside(s->lower, s->objective, fabs(s->objective));
    wlab_put_gap(&metric[M_GAP], s->objective - s->lower, s->objective);
    metric[M_INNER_GAP] = metric[M_GAP];
    metric[M_SUPPORT] = s->support;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const mi_kernel *s = state;
    const int64_t m = s->p->bags;

    (void)ctx;
    if (!s->K)
        return wlab_fail(err, WL_ESTATE, "there is no kernel matrix of bags yet: `step` first");
    if (wlab_probed_make(out, ask->n, ask->n, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < ask->n; i++)
        for (int64_t j = 0; j < ask->n; j++)
            out->value[i * ask->n + j] = s->K[s->p->bag[ask->instance[i]] * m + s->p->bag[ask->instance[j]]];
    return WL_OK;
}

static const wlab_probe probes[] = {{.name = "k",
                                     .kind = WL_PROBE_MATRIX,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "the kernel of the bags to which two instances belong",
                                     .get = matrix},
                                    {.name = NULL}};

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const mi_kernel *s = state;
    *out = NULL;
    return s->trained ? make_model(s, out, ctx, err) : wlab_no_model(err);
}

WLAB_KERNEL_HOOK(mi_kernel, kernel)

static bool squared_loss(const wlab_params *given)
{
    (void)given;
    return false;
}

static void explain(const void *state, char *buf, size_t size)
{
    const mi_kernel *s = state;
    const double gap = s->objective - s->lower;

    if (!s->trained)
        snprintf(buf, size,
                 s->made
                     ? "The kernel of the %lld bags was computed: the mean over all pairs of their instances."
                     : "No step has been made yet: one step computes the kernel of the %lld bags, and trains "
                       "the SVM "
                       "on them.",
                 (long long)s->p->bags);
    else
        snprintf(
            buf, size,
            "The SVM was trained on %lld bags, each by the mean of its instances in the kernel's space.  "
            "Objective %.10g, at most %.3g %% above the optimum; %.0f bags are support vectors.",
            (long long)s->p->bags, s->objective, gap > 0 ? 100 * gap / fabs(s->objective) : 0, s->support);
}

static void next(const void *state, char *buf, size_t size)
{
    const mi_kernel *s = state;
    snprintf(buf, size, "%s",
             s->trained ? "nothing: it is trained"
             : s->made  ? "train the SVM on the bags"
                        : "the kernel of the bags, then train the SVM on them");
}

static void walk(void *state, wlab_walk *w)
{
    mi_kernel *s = state;
    bool made = s->made;
    WL_WALK(w, made);
    if (wlab_walk_has_read(w) && made && !s->K && !wlab_walk_check(w, make_kernel(s, w->ctx, w->err)))
        return;
    s->made = made;
    WL_WALK(w, s->trained);
    WL_WALK(w, s->b);
    WL_WALK(w, s->objective);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->support);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->beta, s->p->bags);
    WL_WALK_ARRAY(w, s->y, s->p->n);
}

const wlab_algo wlab_algo_mi_kernel = {
    .name = "mi-kernel",
    .summary = "an SVM on bags, with the mean of a kernel over all pairs of instances as their kernel",
    .idea = WL_IDEA_BAG_MEANS,
    .problem =
        "min over w, b of 1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b)), f(B) = mean over x in B of w'phi(x) + b",
    .symbols = "y_b: label of bag b, -1 or +1\n"
               "B_b: the instances of bag b\n"
               "phi(x): the features of an instance; their inner products are the kernel kappa\n"
               "H(z): max(0, z)\n"
               "alpha_b: the dual variable of bag b",
    .when =
        "bags whose instances as a whole tell their class; the first thing to try where keys do not matter",
    .cost = "a kernel matrix of all instances, and the training on as many rows as there are bags",
    .proves = "that its SVM is solved",
    .source =
        "Gartner, Flach, Kowalczyk, Smola, Multi-instance kernels, ICML 2002: the set kernel, normalised by "
        "the sizes of the bags",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit = "the kernel of the bags, then the SVM on them",
    .inner_unit = "the kernel; then the SVM",
    .converged = "gap <= eps * abs(objective)",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .squared_loss = squared_loss,
    .bag_rule = WL_BAG_MEAN,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};
