/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The supervised SVM on the labelled rows only: the baseline beside every weak-label result.  One step trains it,
 * by LIBLINEAR, LIBSVM or our own box QP.
 */
#include "weaklab/svm.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "svm/backend.h"
#include "svm/kernel.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

enum {
    KERNEL_ROWS = 16000 /* K of the labelled rows must fit */
};

typedef enum backend {
    BACKEND_AUTO,
    BACKEND_LIBLINEAR,
    BACKEND_LIBSVM,
    BACKEND_OWN
} backend;
static const char *const backend_names[] = {"auto", "liblinear", "libsvm", "own", NULL};
static const char *const loss_names[] = {"hinge", "squared-hinge", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("1x", "0"),
    {"C", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "penalty of the labelled rows", WL_P_OPEN_LO},
    {"loss", WL_P_CHOICE, "hinge", 0, 0, loss_names, NULL,
     "hinge, or squared-hinge: sum of C/2 max(0, 1 - y f)^2", 0},
    {"backend", WL_P_CHOICE, "auto", 0, 0, backend_names, NULL,
     "auto: LIBLINEAR if linear, else LIBSVM (which has a free offset); own: our box QP, offset only by "
     "bias=",
     0},
    {"eps", WL_P_REAL, "1e-4", 0, 1, NULL, NULL,
     "tolerance of LIBLINEAR and LIBSVM; own, which solves as exactly as doubles allow, has converged at "
     "this gap",
     WL_P_OPEN_LO},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_INNER_GAP,
    M_SUPPORT,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {"objective", NULL, false, 0, "1/2 ||w||^2 + C sum of losses over the labelled rows",
     "Eq. 1 of the WellSVM paper"},
    {"upper", NULL, false, 0, "the same: an upper bound on the optimum",
     "1/2 ||w||^2 + C sum_i loss(y_i f(x_i))"},
    {"lower", NULL, false, 0, "the dual value, where the back end returns alpha",
     "G(alpha, y) at the labels seen, Section 3.1"},
    {"gap", NULL, true, 0, "how far from the optimum the SVM can be at most", "upper - lower"},
    {"inner_gap", NULL, true, 0, "the same as gap, as the whole problem is convex", "primal - dual"},
    {"support", "rows", false, WL_M_COUNT, "support vectors, where the back end returns alpha", NULL},
    {"seconds", "s", false, WL_M_VOLATILE, "time in the solver", NULL},
    {NULL, NULL, false, 0, NULL, NULL}};

typedef struct supervised {
    wlab_problem *p;
    wlab_kernel kernel;
    backend how;
    bool squared;
    double C, eps;
    /* ---- snapshot ---- */
    bool trained, gave_up; /* gave_up: LIBLINEAR or LIBSVM did */
    double b, objective, lower, seconds;
    double *w; /* [cols] LIBLINEAR, else NULL */
    double *c; /* [n] y_k alpha_k, else NULL */
    double *f; /* [n] decision values */
} supervised;

static void destroy(void *state)
{
    supervised *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_free(s->w);
    wlab_free(s->c);
    wlab_free(s->f);
    wlab_free(s);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    supervised *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    (void)wlab_blas_init(0, NULL);
    s->p = wlab_problem_ref(p);
    int64_t seen[2] = {0, 0};
    for (int64_t k = 0; k < p->n; k++)
        if (p->visible[k])
            seen[p->visible[k] > 0]++;
    if (!seen[0] || !seen[1]) {
        code =
            wlab_fail(err, WL_ESTATE,
                      "the supervised SVM needs labelled rows of both classes, and the task `%s` shows %lld "
                      "positive and %lld negative ones%s",
                      p->task->name, (long long)seen[1], (long long)seen[0],
                      p->unlabelled ? "; tsvm and mfa learn from one class and the other rows" : "");
        goto fail;
    }
    s->kernel.kind = (wlab_kernel_kind)wlab_params_choice(given, "kernel");
    s->how = (backend)wlab_params_choice(given, "backend");
    s->squared = wlab_params_choice(given, "loss") == 1;
    s->C = wlab_params_real(given, "C");
    s->eps = wlab_params_real(given, "eps");
    bool linear = s->kernel.kind == WL_K_LINEAR;
    if (s->how == BACKEND_AUTO)
        s->how = linear ? BACKEND_LIBLINEAR : s->squared ? BACKEND_OWN : BACKEND_LIBSVM;
    if (s->how == BACKEND_LIBLINEAR && !linear) {
        code = wlab_fail(err, WL_EARG, "backend=liblinear has the linear kernel only; use libsvm or own");
        goto fail;
    }
    if (s->how == BACKEND_LIBSVM && s->squared) {
        code = wlab_fail(err, WL_EARG, "backend=libsvm has the hinge loss only; use own or liblinear");
        goto fail;
    }
    if (s->how != BACKEND_LIBLINEAR && p->labelled > KERNEL_ROWS) {
        code = wlab_fail(
            err, WL_EARG,
            "the kernel matrix of %lld labelled rows would take %.0f GB; show at most %d labels, or "
            "take kernel=linear backend=liblinear",
            (long long)p->labelled, 8e-9 * (double)p->labelled * (double)p->labelled, KERNEL_ROWS);
        goto fail;
    }
    if ((s->how != BACKEND_LIBLINEAR &&
         (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err))) ||
        (code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)))
        goto fail;
    s->f = wlab_calloc((size_t)p->n, sizeof *s->f);
    if (s->how == BACKEND_LIBLINEAR)
        s->w = wlab_calloc((size_t)p->X->cols, sizeof *s->w);
    else
        s->c = wlab_calloc((size_t)p->n, sizeof *s->c);
    if (!s->f || (!s->w && !s->c)) {
        code = wlab_nomem(err);
        goto fail;
    }
    s->objective = s->lower = NAN;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

static double loss_at(const supervised *s, double margin)
{
    double slack = margin < 1 ? 1 - margin : 0;
    return s->squared ? 0.5 * s->C * slack * slack : s->C * slack;
}

static wlab_code train_linear(supervised *s, const int32_t *pick, const int8_t *y, int64_t n, wlab_ctx *ctx,
                              wlab_err *err)
{
    const wlab_matrix *X = s->p->X;
    /* LIBLINEAR's squared loss is C xi^2, ours C/2 xi^2 */
    double C = s->squared ? s->C / 2 : s->C;
    wlab_progress told;
    wlab_progress_begin(&told, ctx, "SVM iterations", 0);
    wlab_code code = wlab_liblinear_solve(X, pick, y, n, s->squared, C, C, s->kernel.bias, s->eps, 1, s->w,
                                          &s->b, &told, err);
    if (code)
        return code;
    double wb = s->kernel.bias > 0 ? s->b / s->kernel.bias : 0;
    s->objective = 0.5 * (cblas_ddot(X->cols, s->w, 1, s->w, 1) + wb * wb);
    for (int64_t i = 0; i < n; i++)
        s->objective += loss_at(s, y[i] * (wlab_matrix_row_dot(X, pick[i], s->w) + s->b));
    return WL_OK;
}

static wlab_code train_kernel(supervised *s, const int32_t *pick, const int8_t *y, int64_t n, wlab_ctx *ctx,
                              wlab_err *err)
{
    wlab_code code = WL_OK;
    size_t m = (size_t)n;
    wlab_matrix *L = NULL;
    int32_t *row = wlab_alloc(m, sizeof *row);
    double *K = wlab_alloc(m * m, sizeof *K), *c = wlab_calloc(m, sizeof *c), *Kc = wlab_alloc(m, sizeof *Kc);
    double *alpha = wlab_calloc(m, sizeof *alpha), *g = wlab_alloc(m, sizeof *g);
    double *upper = wlab_alloc(m, sizeof *upper), *delta = wlab_alloc(m, sizeof *delta);
    if (!row || !K || !c || !Kc || !alpha || !g || !upper || !delta) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        row[i] = s->p->row[pick[i]];
        upper[i] = s->squared ? HUGE_VAL : s->C;
        delta[i] = 1 / s->C;
    }
    if ((code = wlab_matrix_rows(&L, s->p->X, pick, n, err)) ||
        (code = wlab_kernel_matrix_told(&s->kernel, L, L, row, K, ctx, err)))
        goto out;
    s->b = 0;
    if (s->how == BACKEND_LIBSVM) {
        wlab_progress told;
        wlab_progress_begin(&told, ctx, "SVM iterations", 0);
        if ((code = wlab_libsvm_solve(K, y, n, s->C, s->eps, c, &s->b, &told, err)))
            goto out;
    } else {
        wlab_boxqp_result result;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                K[i * n + j] *= y[i] * y[j];
        if ((code = wlab_boxqp_solve(K, n, s->squared ? delta : NULL, upper, 1e-11, alpha, g, &result, ctx,
                                     err)))
            goto out;
        for (int64_t i = 0; i < n; i++) {
            c[i] = y[i] * alpha[i];
            for (int64_t j = 0; j < n; j++)
                K[i * n + j] *= y[i] * y[j];
        }
    }
    /* objective and dual in double from alpha, whatever the back end's own precision */
    cblas_dsymv(CblasRowMajor, CblasLower, (int)n, 1, K, (int)n, c, 1, 0, Kc, 1);
    double norm = cblas_ddot((int)n, c, 1, Kc, 1);
    s->objective = 0.5 * norm;
    s->lower = -0.5 * norm;
    memset(s->c, 0, (size_t)s->p->n * sizeof *s->c);
    for (int64_t i = 0; i < n; i++) {
        s->objective += loss_at(s, y[i] * (Kc[i] + s->b));
        s->lower += y[i] * c[i] - (s->squared ? 0.5 * c[i] * c[i] / s->C : 0);
        s->c[pick[i]] = c[i];
    }
out:
    wlab_matrix_destroy(L);
    wlab_free(row);
    wlab_free(K);
    wlab_free(c);
    wlab_free(Kc);
    wlab_free(alpha);
    wlab_free(g);
    wlab_free(upper);
    wlab_free(delta);
    return code;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const supervised *s = state;
    *out = NULL;
    if (!s->trained)
        return wlab_fail(err, WL_ESTATE, "there is no model yet: `step` first");
    if (s->w)
        return wlab_model_from_weights(out, s->p, s->w, s->b, err);
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, s->c, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += s->b;
    return code;
}

static wlab_code train_now(supervised *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    int64_t n = 0;
    wlab_code code;
    wlab_model *m = NULL;
    int32_t *pick = wlab_alloc((size_t)p->n, sizeof *pick);
    int8_t *y = wlab_alloc((size_t)p->n, 1);
    if (!pick || !y) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t k = 0; k < p->n; k++)
        if (p->visible[k]) {
            pick[n] = (int32_t)k;
            y[n++] = p->visible[k];
        }
    code = s->w ? train_linear(s, pick, y, n, ctx, err) : train_kernel(s, pick, y, n, ctx, err);
    if (code)
        goto out;
    s->trained = true;
    s->gave_up = s->how != BACKEND_OWN && wlab_backend_gave_up();
    if (!(code = model(s, &m, ctx, err)))
        code = wlab_model_predict(m, p->X, s->f, ctx ? ctx->pool : NULL, err);
out:
    if (code) { /* as before the call */
        s->trained = false;
        s->objective = s->lower = NAN;
    }
    wlab_model_destroy(m);
    wlab_free(pick);
    wlab_free(y);
    return code;
}

/* LIBLINEAR and LIBSVM have criteria of their own. */
static wlab_verdict ended(const supervised *s)
{
    const bool enough =
        s->how == BACKEND_OWN ? s->objective - s->lower <= s->eps * fabs(s->objective) : !s->gave_up;
    return enough ? WL_CONVERGED : WL_STALLED;
}

static wlab_code advance(void *state, wlab_ctx *ctx, bool *outer, wlab_verdict *verdict, wlab_err *err)
{
    supervised *s = state;
    wlab_code code = WL_OK;
    *outer = false;
    if (!s->trained) {
        double start = wlab_seconds_now();
        code = train_now(s, ctx, err);
        s->seconds += wlab_seconds_now() - start;
        if (!code && ended(s) == WL_STALLED)
            wlab_emit_warning(ctx, "the SVM %s: scale the data, or take a smaller C",
                              s->gave_up ? "is not solved: the back end gave up at its limit of iterations"
                                         : "could not be solved to eps");
    }
    if (!code) {
        *outer = true;
        *verdict = ended(s);
    }
    return code;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const supervised *s = state;
    if (metric) {
        int64_t support = 0;
        for (int64_t k = 0; s->c && k < s->p->n; k++)
            support += s->c[k] != 0;
        metric[M_OBJECTIVE] = metric[M_UPPER] = s->objective;
        metric[M_LOWER] = wlab_lower_beside(s->lower, s->objective, fabs(s->objective));
        double gap = s->objective - s->lower;
        metric[M_GAP] = metric[M_INNER_GAP] = gap < 0 ? 0 : gap;
        metric[M_SUPPORT] = s->c && s->trained ? (double)support : NAN;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        for (int64_t k = 0; k < s->p->n; k++)
            labels[k] = s->p->visible[k] ? s->p->visible[k] : !s->trained ? 0 : s->f[k] > 0 ? 1 : -1;
}

static void explain(const void *state, char *buf, size_t size)
{
    const supervised *s = state;
    if (!s->trained) {
        snprintf(buf, size, "Nothing was stepped yet: one step trains the SVM on the %lld labelled rows.",
                 (long long)s->p->labelled);
        return;
    }
    snprintf(buf, size,
             "The SVM was trained on the %lld labelled rows by %s; the %lld unlabelled rows took no part. "
             "Objective "
             "%.10g.",
             (long long)s->p->labelled,
             s->how == BACKEND_LIBLINEAR ? "LIBLINEAR"
             : s->how == BACKEND_LIBSVM  ? "LIBSVM"
                                         : "our own box QP",
             (long long)s->p->unlabelled, s->objective);
}

static void next(const void *state, char *buf, size_t size)
{
    const supervised *s = state;
    snprintf(buf, size, "%s", s->trained ? "nothing: it is trained" : "train the SVM on the labelled rows");
}

static wlab_code snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    const supervised *s = state;
    size_t n = (size_t)s->p->n;
    const uint8_t trained[] = {s->trained, s->gave_up};
    wlab_code code = wlab_buf_put(buf, trained, sizeof trained);
    const double scalars[] = {s->b, s->objective, s->lower, s->seconds};
    code = code ? code : wlab_buf_put(buf, scalars, sizeof scalars);
    code = code ? code : wlab_buf_put(buf, s->f, n * 8);
    code = code ? code : wlab_buf_put(buf, s->w ? s->w : s->c, (s->w ? (size_t)s->p->X->cols : n) * 8);
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code restore(void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    supervised *s = state;
    size_t n = (size_t)s->p->n, more = s->w ? (size_t)s->p->X->cols : n;
    double scalars[4];
    uint8_t trained[2];
    (void)ctx;
    if (buf->len - buf->pos != sizeof trained + sizeof scalars + 8 * (n + more))
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    wlab_buf_get(buf, trained, sizeof trained);
    wlab_buf_get(buf, scalars, sizeof scalars);
    wlab_buf_get(buf, s->f, n * 8);
    wlab_buf_get(buf, s->w ? s->w : s->c, more * 8);
    s->trained = trained[0] != 0;
    s->gave_up = trained[1] != 0;
    s->b = scalars[0];
    s->objective = scalars[1];
    s->lower = scalars[2];
    s->seconds = scalars[3];
    return WL_OK;
}

const wlab_algo wlab_algo_svm = {
    .name = "svm",
    .summary = "the supervised SVM on the labelled rows only (LIBLINEAR, LIBSVM or own): the baseline",
    .source = "Fan et al., LIBLINEAR, JMLR 9 (2008); Chang and Lin, LIBSVM, ACM TIST 2 (2011)",
    .tasks = WL_T_SUPERVISED | WL_T_SSL,
    .step_unit = "train on the labelled rows",
    .inner_unit = "the same",
    .converged = "backend=auto or backend=liblinear or backend=libsvm or gap <= eps * abs(objective)",
    .converged_also = "of LIBLINEAR and LIBSVM: their own criterion, to eps",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .explain = explain,
    .next = next,
    .snapshot = snapshot,
    .restore = restore,
    .destroy = destroy,
};
