/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The supervised SVM on the labelled rows only, the baseline for every weakly supervised result:
 *
 *     min over w, b of 1/2 ||w||^2 + C sum_i loss(y_i (w'x_i + b)).
 *
 * With positive and unlabelled rows (task pu) the unlabelled rows count as negative: what one gets by ignoring that some of
 * them are positive.
 *
 * One step trains it, by weaklab's own solvers, to a certified gap of eps; LIBLINEAR and LIBSVM are for comparison.
 */
#include "algo/baseline/svm.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "model/kernel.h"
#include "model/model.h"
#include "solve/svm/backend.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/dcd.h"
#include "solve/svm/mfn.h"
#include "solve/svm/smo_free.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

const char *const supervised_backends[] = {"own", "liblinear", "libsvm", NULL};
enum {
    OWN,
    LIBLINEAR,
    LIBSVM
};
const char *const supervised_losses[] = {"hinge", "squared-hinge", NULL};

static const wlab_param_info params[] = {SUPERVISED_PARAMS("penalty of the labelled rows"), {.name = NULL}};

/* The solver, determined by kernel, loss, offset and backend. */
typedef enum solver {
    BY_DCD,       /* linear, hinge */
    BY_MFN,       /* linear, squared hinge */
    BY_SMO_FREE,  /* K, hinge, a free offset */
    BY_BOXQP,     /* K, no offset except that of bias= */
    BY_LIBLINEAR, /* linear; the dual value comes from weaklab's own solver */
    BY_LIBSVM     /* K, hinge, a free offset */
} solver;

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
const wlab_metric_info supervised_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "1/2 ||w||^2 + C sum of losses over the labelled rows",
     .equation = "Eq. 1 of the WellSVM paper"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same as objective: an upper bound on the optimum",
     .equation = "1/2 ||w||^2 + C sum_i loss(y_i f(x_i))"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "the dual value of the solution; with backend=liblinear that of a second solution by weaklab's "
         "own solver",
     .equation = "G(alpha, y) at the given labels, Section 3.1"},
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
    {.name = "support",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "support vectors: rows with alpha_i > 0; no value with backend=liblinear"},
    WLAB_SECONDS,
    {0}};

typedef struct supervised {
    wlab_problem *p;
    wlab_kernel kernel;
    solver how;
    bool squared;
    double C, eps;
    /* ---- snapshot ---- */
    bool trained, gave_up; /* gave_up: LIBLINEAR or LIBSVM reached its limit of iterations */
    double b, objective, lower, support, seconds;
    double *w; /* [cols] linear, else NULL */
    double *c; /* [n] y_k alpha_k, with K, else NULL */
    double *f; /* [n] decision values */
} supervised;

void supervised_destroy(void *state)
{
    supervised *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_free(s->w);
    wlab_free(s->c);
    wlab_free(s->f);
    wlab_free(s);
}

/* The label with which the SVM is trained; 0: the row is not used. */
static int8_t taught(const wlab_problem *p, int64_t k)
{
    return p->visible[k] ? p->visible[k] : p->task->sees == WL_SEES_POSITIVES ? -1 : 0;
}

static int64_t count_taught(const wlab_problem *p)
{
    return p->task->sees == WL_SEES_POSITIVES ? p->n : p->labelled;
}

/* What offset=auto stands for. */
static bool free_by_default(const wlab_params *given, bool linear)
{
    const int backend = wlab_params_choice(given, "backend");

    return backend == LIBSVM || (backend == OWN && !linear && wlab_params_choice(given, "loss") == 0);
}

static double setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    return wlab_offset_setting(given, name,
                               free_by_default(given, wlab_kernel_kind_of(given, p->X) == WL_K_LINEAR));
}

static wlab_code choose_solver(supervised *s, const wlab_params *given, wlab_err *err)
{
    const bool linear = s->kernel.kind == WL_K_LINEAR;
    const int backend = wlab_params_choice(given, "backend");
    bool is_free;
    wlab_code code = wlab_offset_choose(&is_free, given, free_by_default(given, linear), err);

    if (code)
        return code;
    if (backend == LIBLINEAR && s->kernel.kind == WL_K_DEFORMED)
        return wlab_fail(
            err, WL_EARG,
            "graph= makes a kernel that is not linear, and backend=liblinear is for the linear one; use own "
            "or libsvm");
    if (backend == LIBLINEAR && (is_free || !linear))
        return wlab_fail(err, WL_EARG,
                         "backend=liblinear works with the linear kernel and offset=feature only; use own%s",
                         s->squared ? "" : " or libsvm");
    if (backend == LIBSVM && (!is_free || s->squared))
        return wlab_fail(err, WL_EARG,
                         "backend=libsvm works with the hinge loss and offset=free only; use own%s",
                         linear ? " or liblinear" : "");
    if (is_free && s->squared)
        return wlab_fail(err, WL_EARG, "loss=squared-hinge works with offset=feature only");
    s->how = backend == LIBLINEAR ? BY_LIBLINEAR
             : backend == LIBSVM  ? BY_LIBSVM
             : is_free            ? BY_SMO_FREE
             : !linear            ? BY_BOXQP
             : s->squared         ? BY_MFN
                                  : BY_DCD;
    return WL_OK;
}

static bool has_weights(const supervised *s)
{
    return s->how == BY_DCD || s->how == BY_MFN || s->how == BY_LIBLINEAR;
}

wlab_code supervised_create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                            wlab_err *err)
{
    wlab_code code;
    supervised *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    (void)wlab_blas_init(0, NULL);
    s->p = wlab_problem_ref(p);
    int64_t labelled[2] = {0, 0};
    for (int64_t k = 0; k < p->n; k++)
        if (taught(p, k))
            labelled[taught(p, k) > 0]++;
    if (!labelled[0] || !labelled[1]) {
        code = wlab_fail(err, WL_ESTATE,
                         "the supervised SVM needs labelled rows of both classes, but the task `%s` has %lld "
                         "positive and %lld negative ones%s",
                         p->task->name, (long long)labelled[1], (long long)labelled[0],
                         p->unlabelled ? "; tsvm and mfa can learn from one class and unlabelled rows" : "");
        goto fail;
    }
    s->kernel.kind = wlab_kernel_kind_of(given, p->X);
    s->squared = wlab_params_choice(given, "loss") == 1;
    s->C = wlab_params_real(given, "C");
    s->eps = wlab_params_real(given, "eps");
    if ((code = choose_solver(s, given, err)))
        goto fail;
    if (!has_weights(s) &&
        (code = wlab_kernel_fits(count_taught(p), WL_KERNEL_ROWS, "rows that it learns from",
                                 "use fewer, or kernel=linear offset=feature", err)))
        goto fail;
    if ((!has_weights(s) && (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err))) ||
        (code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)))
        goto fail;
    s->f = wlab_calloc((size_t)p->n, sizeof *s->f);
    if (has_weights(s))
        s->w = wlab_calloc((size_t)p->X->cols, sizeof *s->w);
    else
        s->c = wlab_calloc((size_t)p->n, sizeof *s->c);
    if (!s->f || (!s->w && !s->c)) {
        code = wlab_nomem(err);
        goto fail;
    }
    s->objective = s->lower = s->support = NAN;
    *state = s;
    return WL_OK;
fail:
    supervised_destroy(s);
    return code;
}

static double loss_at(const supervised *s, double margin)
{
    double slack = margin < 1 ? 1 - margin : 0;
    return s->squared ? 0.5 * s->C * slack * slack : s->C * slack;
}

/* ---- linear ---- */

/* The relative gap to which weaklab's own solver is called.  It is less than eps, because the gap that is reported also
 * contains rounding errors and, with backend=liblinear, the error of LIBLINEAR's solution. */
static double tolerance(const supervised *s)
{
    return s->eps * (s->how == BY_LIBLINEAR ? 0.1 : 0.9);
}

/* Computes w [d + 1], whose last entry is the weight of the constant feature, and its dual value. */
static wlab_code solve_dcd(supervised *s, const wlab_matrix *X, const int8_t *y, double *w, double *dual,
                           wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)X->rows;
    double *sqnorm = wlab_alloc(n, sizeof *sqnorm), *cost = wlab_alloc(n, sizeof *cost);
    double *alpha = wlab_calloc(n, sizeof *alpha), *f = wlab_calloc(n, sizeof *f);
    int32_t *work = wlab_alloc(2 * n, sizeof *work);
    const wlab_dcd d = {.X = X, .bias = s->kernel.bias, .cost = cost, .sqnorm = sqnorm};
    wlab_dcd_result result;
    wlab_code code = WL_OK;

    if (!sqnorm || !cost || !alpha || !f || !work) {
        code = wlab_nomem(err);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        sqnorm[i] = wlab_matrix_row_sqnorm(X, (int64_t)i) + s->kernel.bias * s->kernel.bias;
        cost[i] = s->C;
    }
    if ((code = wlab_dcd_solve(&d, y, tolerance(s), 1, alpha, w, f, work, &result, progress, ctx, err)))
        goto out;
    if (result.stopped) {
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        goto out;
    }
    *dual = result.dual;
    s->support = 0;
    for (size_t i = 0; i < n; i++)
        s->support += alpha[i] > 0;
out:
    wlab_free(sqnorm);
    wlab_free(cost);
    wlab_free(alpha);
    wlab_free(f);
    wlab_free(work);
    return code;
}

/* The same with the squared hinge loss. */
static wlab_code solve_mfn(supervised *s, const wlab_matrix *X, const int8_t *y, double *w, double *dual,
                           wlab_progress *progress, wlab_ctx *ctx, wlab_err *err)
{
    wlab_mfn *m = NULL;
    wlab_code code = wlab_mfn_create(&m, X, s->kernel.bias, NULL, X->rows, 1, WL_MFN_FAST, tolerance(s), err);

    if (code)
        return code;
    for (int64_t i = 0; i < X->rows; i++) {
        m->pos[i] = y[i] > 0 ? s->C : 0;
        m->neg[i] = y[i] < 0 ? s->C : 0;
    }
    wlab_mfn_start(m, NULL);
    while (!code && !m->done && !m->stalled) {
        if (wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        else
            code = wlab_mfn_iterate(m, ctx, err);
        wlab_progress_add(progress, 1);
    }
    if (!code) {
        memcpy(w, m->w, (size_t)m->dim * sizeof *w);
        *dual = m->f - m->gap;
        s->support = 0;
        for (int64_t i = 0; i < X->rows; i++)
            s->support += y[i] * m->o[i] < 1;
    }
    wlab_mfn_destroy(m);
    return code;
}

static wlab_code train_linear(supervised *s, const int32_t *pick, const int8_t *y, int64_t n, wlab_ctx *ctx,
                              wlab_err *err)
{
    const int64_t d = s->p->X->cols;
    wlab_matrix *few = NULL;
    const wlab_matrix *X = s->p->X;
    double *w = wlab_calloc((size_t)(d + 1), sizeof *w), b = 0, wb;
    wlab_progress progress;
    wlab_code code = w ? WL_OK : wlab_nomem(err);

    if (!code && n < X->rows && !(code = wlab_matrix_rows(&few, X, pick, n, err)))
        X = few;
    wlab_progress_begin(&progress, ctx, "SVM iterations", 0);
    if (!code)
        code = (s->squared ? solve_mfn : solve_dcd)(s, X, y, w, &s->lower, &progress, ctx, err);
    wb = code ? 0 : w[d];
    if (!code && s->how == BY_LIBLINEAR) {
        /* the squared loss of LIBLINEAR is C xi^2, that of weaklab is C/2 xi^2 */
        const double C = s->squared ? s->C / 2 : s->C;
        code = wlab_liblinear_solve(s->p->X, pick, y, n, s->squared, C, C, s->kernel.bias, s->eps, 1, w, &b,
                                    &progress, err);
        wb = s->kernel.bias > 0 ? b / s->kernel.bias : 0;
        s->support = NAN;
    }
    if (!code) {
        memcpy(s->w, w, (size_t)d * sizeof *w);
        s->b = wb * s->kernel.bias;
        s->objective = 0.5 * (cblas_ddot((int)d, w, 1, w, 1) + wb * wb);
        for (int64_t i = 0; i < n; i++)
            s->objective += loss_at(s, y[i] * (wlab_matrix_row_dot(X, i, w) + s->b));
    }
    wlab_matrix_destroy(few);
    wlab_free(w);
    return code;
}

/* ---- with the kernel matrix ---- */

static wlab_code solve_boxqp(const supervised *s, double *K, const int8_t *y, int64_t n, double *c,
                             wlab_ctx *ctx, wlab_err *err)
{
    const size_t m = (size_t)n;
    double *alpha = wlab_calloc(m, sizeof *alpha), *g = wlab_alloc(m, sizeof *g);
    double *upper = wlab_alloc(m, sizeof *upper), *delta = wlab_alloc(m, sizeof *delta);
    wlab_boxqp_result result;
    wlab_code code = WL_OK;

    if (!alpha || !g || !upper || !delta) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        upper[i] = s->squared ? HUGE_VAL : s->C;
        delta[i] = 1 / s->C;
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] *= y[i] * y[j];
    }
    code = wlab_boxqp_solve(K, n, s->squared ? delta : NULL, upper, fmin(1e-11, s->eps), alpha, g, &result,
                            ctx, err);
    for (int64_t i = 0; !code && i < n; i++) {
        c[i] = y[i] * alpha[i];
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] *= y[i] * y[j];
    }
out:
    wlab_free(alpha);
    wlab_free(g);
    wlab_free(upper);
    wlab_free(delta);
    return code;
}

static wlab_code solve_free(supervised *s, const double *K, const int8_t *y, int64_t n, double *c,
                            wlab_ctx *ctx, wlab_err *err)
{
    double *cost = wlab_alloc((size_t)n, sizeof *cost), *f = wlab_alloc((size_t)n, sizeof *f);
    wlab_smo_free_result result;
    wlab_code code = cost && f ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0; !code && i < n; i++)
        cost[i] = s->C;
    code = code ? code : wlab_smo_free_solve(K, n, y, cost, tolerance(s), c, f, &result, ctx, err);
    if (!code && result.stopped)
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (!code)
        s->b = result.b;
    wlab_free(cost);
    wlab_free(f);
    return code;
}

static wlab_code train_kernel(supervised *s, const int32_t *pick, const int8_t *y, int64_t n, wlab_ctx *ctx,
                              wlab_err *err)
{
    wlab_code code = WL_OK;
    size_t m = (size_t)n;
    wlab_matrix *L = NULL;
    wlab_progress progress;
    int32_t *row = wlab_alloc(m, sizeof *row);
    double *K = wlab_alloc(m * m, sizeof *K), *c = wlab_calloc(m, sizeof *c), *Kc = wlab_alloc(m, sizeof *Kc);

    if (!row || !K || !c || !Kc) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        row[i] = s->p->row[pick[i]];
    if ((code = wlab_matrix_rows(&L, s->p->X, pick, n, err)) ||
        (code = wlab_kernel_matrix_progress(&s->kernel, L, L, row, K, ctx, err)))
        goto out;
    s->b = 0;
    wlab_progress_begin(&progress, ctx, "SVM iterations", 0);
    code = s->how == BY_LIBSVM  ? wlab_libsvm_solve(K, y, n, s->C, s->eps, c, &s->b, &progress, err)
           : s->how == BY_BOXQP ? solve_boxqp(s, K, y, n, c, ctx, err)
                                : solve_free(s, K, y, n, c, ctx, err);
    if (code)
        goto out;
    /* compute objective and dual from alpha in double precision, whatever the precision of the backend */
    cblas_dsymv(CblasRowMajor, CblasLower, (int)n, 1, K, (int)n, c, 1, 0, Kc, 1);
    double norm = cblas_ddot((int)n, c, 1, Kc, 1);
    s->objective = 0.5 * norm;
    s->lower = -0.5 * norm;
    s->support = 0;
    memset(s->c, 0, (size_t)s->p->n * sizeof *s->c);
    for (int64_t i = 0; i < n; i++) {
        s->objective += loss_at(s, y[i] * (Kc[i] + s->b));
        s->lower += y[i] * c[i] - (s->squared ? 0.5 * c[i] * c[i] / s->C : 0);
        s->c[pick[i]] = c[i];
        s->support += y[i] * c[i] > 0;
    }
out:
    wlab_matrix_destroy(L);
    wlab_free(row);
    wlab_free(K);
    wlab_free(c);
    wlab_free(Kc);
    return code;
}

wlab_code supervised_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const supervised *s = state;
    *out = NULL;
    if (!s->trained)
        return wlab_no_model(err);
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
        if (taught(p, k)) {
            pick[n] = (int32_t)k;
            y[n++] = taught(p, k);
        }
    code = s->w ? train_linear(s, pick, y, n, ctx, err) : train_kernel(s, pick, y, n, ctx, err);
    if (code)
        goto out;
    s->trained = true;
    s->gave_up = (s->how == BY_LIBLINEAR || s->how == BY_LIBSVM) && wlab_backend_gave_up();
    if (!(code = supervised_model(s, &m, ctx, err)))
        code = wlab_model_predict_progress(m, p->X, s->f, ctx, err);
out:
    if (code) { /* restore the state before the call */
        s->trained = false;
        s->objective = s->lower = s->support = NAN;
    }
    wlab_model_destroy(m);
    wlab_free(pick);
    wlab_free(y);
    return code;
}

static wlab_verdict ended(const supervised *s)
{
    if (s->objective - s->lower <= s->eps * fabs(s->objective))
        return WL_CONVERGED;
    return s->gave_up ? WL_LIMIT : WL_STALLED;
}

static const char *solver_name(const supervised *s)
{
    return s->how == BY_LIBLINEAR ? "LIBLINEAR" : s->how == BY_LIBSVM ? "LIBSVM" : "weaklab's own solver";
}

static void warn(const supervised *s, wlab_ctx *ctx)
{
    const double open = 100 * (s->objective - s->lower) / fabs(s->objective);

    if (s->gave_up)
        wlab_emit_warning(
            ctx,
            "the SVM is not solved: %s stopped at its limit of iterations, and the objective may be "
            "up to %.3g %% above the optimum: scale the data, or use backend=own",
            solver_name(s), open);
    else if (s->how == BY_LIBLINEAR || s->how == BY_LIBSVM)
        wlab_emit_warning(ctx,
                          "%s converged by its own criterion, but its result may be up to %.3g %% above the "
                          "optimum: use a smaller eps, or backend=own",
                          solver_name(s), open);
    else
        wlab_emit_warning(
            ctx,
            "the SVM could not be solved to eps; the objective is at most %.3g %% above the optimum: "
            "scale the data, or use a smaller C",
            open);
}

wlab_code supervised_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    supervised *s = state;
    wlab_code code = WL_OK;
    *step = (wlab_step){0};
    if (!s->trained) {
        double start = wlab_seconds_now();
        code = train_now(s, ctx, err);
        s->seconds += wlab_seconds_now() - start;
        if (!code && ended(s) != WL_CONVERGED)
            warn(s, ctx);
    }
    if (!code) {
        step->complete = true;
        step->verdict = ended(s);
    }
    return code;
}

void supervised_observe(const void *state, double *metric, int8_t *labels)
{
    const supervised *s = state;
    if (metric) {
        metric[M_OBJECTIVE] = metric[M_UPPER] = s->objective;
        metric[M_LOWER] = wlab_lower_beside(s->lower, s->objective, fabs(s->objective));
        wlab_put_gap(&metric[M_GAP], s->objective - s->lower, s->objective);
        metric[M_INNER_GAP] = metric[M_GAP];
        metric[M_SUPPORT] = s->support;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        for (int64_t k = 0; k < s->p->n; k++)
            labels[k] = s->p->visible[k] ? s->p->visible[k] : !s->trained ? 0 : s->f[k] > 0 ? 1 : -1;
}

void supervised_explain(const void *state, char *buf, size_t size)
{
    const supervised *s = state;
    const bool against = s->p->task->sees == WL_SEES_POSITIVES;
    const bool bags = s->p->task->sees == WL_SEES_BAG_SIGNS; /* all instances have the labels of their bags */
    if (!s->trained) {
        snprintf(buf, size, "No step has been made yet: one step trains the SVM on %s %lld %s.",
                 bags ? "all" : "the", (long long)count_taught(s->p),
                 against ? "rows, the unlabelled ones as negatives"
                 : bags  ? "instances, each with the label of its bag"
                         : "labelled rows");
        return;
    }
    const double gap = s->objective - s->lower;
    if (against) {
        snprintf(buf, size,
                 "The SVM was trained on the %lld labelled rows against the %lld unlabelled ones, as if all "
                 "of these were "
                 "negative, by %s. Objective %.10g, at most %.3g %% above the optimum.",
                 (long long)s->p->labelled, (long long)s->p->unlabelled, solver_name(s), s->objective,
                 gap > 0 ? 100 * gap / fabs(s->objective) : 0);
        return;
    }
    char unused[60] = "";
    if (!bags)
        snprintf(unused, sizeof unused, "; the %lld unlabelled rows were not used",
                 (long long)s->p->unlabelled);
    snprintf(buf, size,
             "The SVM was trained on %s %lld %s by %s%s. Objective %.10g, at most %.3g %% above the optimum.",
             bags ? "all" : "the", (long long)s->p->labelled,
             bags ? "instances, each with the label of its bag," : "labelled rows", solver_name(s), unused,
             s->objective, gap > 0 ? 100 * gap / fabs(s->objective) : 0);
}

void supervised_next(const void *state, char *buf, size_t size)
{
    const supervised *s = state;
    snprintf(buf, size, "%s",
             s->trained ? "nothing: it is trained"
             : s->p->task->sees == WL_SEES_POSITIVES
                 ? "train the SVM on the labelled rows against the unlabelled ones"
             : s->p->task->sees == WL_SEES_BAG_SIGNS
                 ? "train the SVM on all instances, each with the label of its bag"
                 : "train the SVM on the labelled rows");
}

void supervised_walk(void *state, wlab_walk *w)
{
    supervised *s = state;
    WL_WALK(w, s->trained);
    WL_WALK(w, s->gave_up);
    WL_WALK(w, s->b);
    WL_WALK(w, s->objective);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->support);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->f, s->p->n);
    if (s->w)
        WL_WALK_ARRAY(w, s->w, s->p->X->cols);
    else
        WL_WALK_ARRAY(w, s->c, s->p->n);
}

const wlab_kernel *supervised_kernel(const void *state)
{
    return &((const supervised *)state)->kernel;
}

wlab_loss supervised_loss_of(const wlab_params *given)
{
    return wlab_params_choice(given, "loss") == 1 ? WL_LOSS_SQUARED_HINGE : WL_LOSS_HINGE;
}

const wlab_algo wlab_algo_svm = {
    .name = "svm",
    .summary = "the supervised SVM on the labelled rows only: the baseline",
    .idea = WL_IDEA_LABELLED,
    .problem = "min over w, b of 1/2 ||w||^2 + C sum_i loss(y_i f(x_i)), over the labelled rows i",
    .symbols = "y_i: label of row i, -1 or +1\n"
               "f(x): the output w'x + b; with a linear kernel b is 0 unless bias= or offset=free is given\n"
               "alpha_i: the dual variable of row i\n"
               "G(alpha, y): the dual objective",
    .when =
        "the baseline: what the labelled rows alone give (task pu: against the unlabelled ones as negatives)",
    .cost = "the whole training on the labelled rows",
    .proves = "that its SVM is solved",
    .work = "(1 - K) * 3e-7 * z * l / n + K * 1.5e-8 * l^2",
    .memory = "(1 - K) * 20 * z * l / n + 8 * n",
    .source = "Fan et al., LIBLINEAR, JMLR 9 (2008); Chang and Lin, LIBSVM, ACM TIST 2 (2011)",
    .learns_from = WL_SEES_ROWS | WL_SEES_POSITIVES,
    .kernel_of_labelled = true,
    .any_balance = true,
    .setting = setting,
    .step_unit = "train on the labelled rows",
    .inner_unit = "the same",
    .converged = "gap <= eps * abs(objective)",
    .params = params,
    .metrics = supervised_metrics,
    .create = supervised_create,
    .advance = supervised_advance,
    .observe = supervised_observe,
    .model = supervised_model,
    .kernel = supervised_kernel,
    .loss_of = supervised_loss_of,
    .explain = supervised_explain,
    .next = supervised_next,
    .walk = supervised_walk,
    .destroy = supervised_destroy,
};
