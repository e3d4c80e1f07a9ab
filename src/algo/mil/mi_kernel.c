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
#include "algo/mil/bag_svm.h"
#include "base/clock.h"
#include "base/progress.h"
#include "model/kernel.h"
#include "model/model.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

static const wlab_param_info params[] = {
    WLAB_KERNEL_GRAPH_PARAMS("auto"), WLAB_BIAS_PARAM("0"), BAG_SVM_PARAMS, {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_SVM, /* the first of BAG_SVM_METRICS */
    M_SECONDS = M_SVM + BAG_SVM_COUNT
};
static const wlab_metric_info metrics[] = {{.name = "objective",
                                            .role = WL_R_OBJECTIVE,
                                            .flags = WL_M_SHOWN,
                                            .meaning = "1/2 ||w||^2 + C sum of hinge losses over the bags",
                                            .equation = "1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b))"},
                                           BAG_SVM_METRICS(0),
                                           WLAB_SECONDS,
                                           {.name = NULL}};

typedef struct mi_kernel {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    int64_t *size; /* [bags] */
    /* ---- snapshot ---- */
    bool made; /* the bags' kernel matrix */
    bag_svm svm;
    double seconds;
    int8_t *y; /* [n] */
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
    bag_svm_clear(&s->svm);
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
    s->size = wlab_calloc((size_t)p->bags, sizeof *s->size);
    s->y = wlab_calloc((size_t)p->n, 1);
    code = s->size && s->y
               ? bag_svm_make(&s->svm, p, wlab_params_real(given, "C"), wlab_params_real(given, "eps"), err)
               : wlab_nomem(err);
    if (!code && !(code = wlab_kernel_fits(p->n, WL_KERNEL_ROWS, "instances", "use fewer (`split`)", err)) &&
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
    *state = s;
    return WL_OK;
}

/* ---- steps ---- */

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
}

static wlab_code make_kernel(mi_kernel *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    const int64_t n = p->n, m = p->bags;
    double *all = wlab_alloc((size_t)(n * n), sizeof *all), *K = wlab_calloc((size_t)(m * m), sizeof *K);
    wlab_code code = all && K ? wlab_kernel_matrix_progress(&s->kernel, p->X, p->X, p->row, all, ctx, err)
                              : wlab_nomem(err);
    wlab_progress progress;

    wlab_progress_begin(&progress, ctx, "rows of the bags' kernel", n);
    for (int64_t i = 0; i < n && !code; i++) {
        if (!wlab_look_at(i, 4 * n, &progress, ctx))
            code = interrupted(err);
        for (int64_t j = 0; j < n && !code; j++)
            K[p->bag[i] * m + p->bag[j]] += all[i * n + j];
    }
    for (int64_t a = 0; a < m && !code; a++) {
        if (!wlab_look_at(a, 16 * m, NULL, ctx))
            code = interrupted(err);
        for (int64_t b = 0; b <= a; b++)
            K[a * m + b] = K[b * m + a] = K[a * m + b] / ((double)s->size[a] * (double)s->size[b]);
    }
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
        c[i] = s->svm.beta[s->p->bag[i]] / (double)s->size[s->p->bag[i]];
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
        (*out)->b[0] += s->svm.b;
    wlab_free(c);
    return code;
}

static wlab_code train(mi_kernel *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_model *m = NULL;
    double *f = wlab_alloc((size_t)s->p->n, sizeof *f);
    wlab_code code = f ? bag_svm_train(&s->svm, s->p, s->K, ctx, err) : wlab_nomem(err);

    code = code ? code : make_model(s, &m, ctx, err);
    code = code ? code : wlab_model_predict_progress(m, s->p->X, f, ctx, err);
    code = code ? code : bag_svm_label(s->p, f, s->y, err);
    if (code)
        bag_svm_forget(&s->svm);
    wlab_model_destroy(m);
    wlab_free(f);
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    mi_kernel *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (wlab_interrupted(ctx) && !s->svm.trained)
        return interrupted(err);
    if (!s->made) {
        if (!s->K && (code = make_kernel(s, ctx, err))) /* it is there if the run went back */
            return code;
        s->made = true;
        s->seconds += wlab_seconds_now() - from;
        return WL_OK;
    }
    if (!s->svm.trained) {
        if ((code = train(s, ctx, err)))
            return code;
        s->seconds += wlab_seconds_now() - from;
    }
    *step = (wlab_step){.complete = true, .verdict = bag_svm_verdict(&s->svm)};
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
    metric[M_OBJECTIVE] = s->svm.objective;
    bag_svm_observe(&s->svm, metric + M_SVM);
    metric[M_SECONDS] = s->seconds;
}

static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const mi_kernel *s = state;

    (void)ctx;
    if (!s->K)
        return wlab_fail(err, WL_ESTATE, "there is no kernel matrix of bags yet: `step` first");
    return wlab_probed_bags(out, s->p, ask, s->K, err);
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
    return s->svm.trained ? make_model(s, out, ctx, err) : wlab_no_model(err);
}

WLAB_KERNEL_HOOK(mi_kernel, kernel)

static void explain(const void *state, char *buf, size_t size)
{
    const mi_kernel *s = state;
    const double gap = s->svm.objective - s->svm.lower;

    if (!s->svm.trained)
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
            (long long)s->p->bags, s->svm.objective, gap > 0 ? 100 * gap / fabs(s->svm.objective) : 0,
            s->svm.support);
}

static void next(const void *state, char *buf, size_t size)
{
    const mi_kernel *s = state;
    snprintf(buf, size, "%s",
             s->svm.trained ? "nothing: it is trained"
             : s->made      ? "train the SVM on the bags"
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
    WL_WALK(w, s->seconds);
    bag_svm_walk(&s->svm, w);
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
    .work = "1.4e-8 * n^2 - K * 1e-8 * n^2",
    .memory = "(1 - K) * 8 * n^2 + 8 * b^2",
    .rows_most = WL_KERNEL_ROWS,
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
    .bag_rule = WL_BAG_MEAN,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};
