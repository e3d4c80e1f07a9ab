/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gmmc: generalised maximum margin clustering (Valizadegan and Jin 2006), with labels where they are known.  The SVM with
 * squared hinge loss and a free offset is written over its outputs with their slacks, x_i = f_i + b + y_i xi_i:
 *
 *   1/2 ||w||^2 + sum_i C_i/2 xi_i^2 = 1/2 (x - b e)'(K + Diag(1/C))^-1 (x - b e),   y_i x_i >= 1.
 *
 * With b at its best value the quadratic form has the null vector e; a penalty on the sum of the outputs of the rows without
 * a label keeps them balanced.  A label that is not known leaves x_i^2 >= 1, which solve/mmc/generalised.h relaxes.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/transpose.h"
#include "model/kernel.h"
#include "solve/mmc/generalised.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_ROWS = 1000
};
static const double LABELING_TOL = 1e-9; /* relative gap to which the problem of a labeling is solved, */
static const double STIFF = 1e-9; /* and the weight there of a violation, as a part of the mean diagonal */

static const wlab_param_info params[] = {
    WLAB_KERNEL_ONLY_PARAMS("auto"),
    {"C1", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "weight of the squared slacks of the labelled rows",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"C2", WL_P_REAL, "0.1", 0, HUGE_VAL, NULL, NULL, "weight of the squared slacks of the unlabelled rows",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"Ce", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL,
     "weight of the squared sum of the outputs of the unlabelled rows, minus the sum that the label set "
     "prescribes for their labels",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"eps", WL_P_REAL, "1e-4", 0, 1, NULL, "relative", "the run has converged when gap <= eps |upper|",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"growth", WL_P_REAL, "4", 1, 1000, NULL, NULL,
     "from step to step t, the weight of the objective against the barriers, grows by this factor",
     WL_P_OPEN_LO},
    {.name = NULL}};

typedef struct gmmc {
    wlab_problem *p;
    wlab_kernel kernel;
    int64_t n;
    double eps, growth;
    double *inverse; /* [n x n] (K + Diag(1/C))^-1 */
    double *sums;    /* [n] its row sums */
    double total;    /* their sum */
    double *H;       /* [(n + 1) x (n + 1)] */
    double *G;       /* [n x n] the inverse of its part over the rows */
    double b0;       /* the mean label that the label set prescribes for the rows without a label */
    wlab_gmmc *sdp;
    /* ---- snapshot ---- */
    bool pending, stuck, finished;
    int64_t step, flips, rank, newtons, before;
    double upper, lower, leading, rounded, integer_upper, seconds, objective;
    double *value;  /* [n + 1] eigenvalues of the normalised X in descending order */
    int8_t *best;   /* [n] the labeling with the smallest objective of all roundings */
    double *output; /* [n] its x */
} gmmc;

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INTEGER_UPPER,
    M_ROUNDED,
    M_RANK,
    M_LEADING,
    M_T,
    M_FLIPS,
    M_NEWTONS,
    M_SECONDS
};

static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the value of the current matrix X",
     .equation = "1/2 <H, X>"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest objective so far: an upper bound on the relaxation's optimum",
     .equation = "1/2 <H, X>"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "certified lower bound on the relaxation's optimum, so on the objective of every labeling; never "
         "falls",
     .equation = "-tau/2 + sum kappa_i + 1/2 sum gamma_i at multipliers that leave S psd"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the relaxation's optimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "objective of the best labeling that X was rounded to so far, which predicts",
     .equation = "min over x with y_i x_i >= 1 of 1/2 (1, x)'H(1, x)"},
    {.name = "rounded",
     .flags = WL_M_LESS,
     .meaning = "objective of the better of the labelings to which the current X rounds",
     .equation = "the same, y = argmax over y in B of c'y, c: column 0 of X, or the leading eigenvector"},
    {.name = "rank",
     .flags = WL_M_COUNT,
     .meaning = "eigenvalues of X, normalised to diagonal 1, above a thousandth of the largest"},
    {.name = "leading",
     .meaning =
         "the part of the trace of the normalised X that is in its largest eigenvalue: 1 for a labeling",
     .equation = "lambda_max / tr"},
    {.name = "t",
     .log = true,
     .meaning = "weight of the objective against the barriers; the gap is about the number of variables / t",
     .equation = "t (-tau/2 + sum kappa_i + 1/2 sum gamma_i) + log det S + ..."},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels of the best labeling that the step changed"},
    {.name = "newtons", .unit = "steps", .flags = WL_M_COUNT, .meaning = "Newton steps in this step"},
    WLAB_SECONDS,
    {0}};

static wlab_verdict verdict_of(const gmmc *s)
{
    return !s->finished ? WL_MORE : s->stuck ? WL_STALLED : WL_CONVERGED;
}

static void destroy(void *state)
{
    gmmc *s = state;
    if (!s)
        return;
    wlab_kernel_clear(&s->kernel);
    wlab_gmmc_destroy(s->sdp);
    wlab_free(s->inverse);
    wlab_free(s->sums);
    wlab_free(s->H);
    wlab_free(s->G);
    wlab_free(s->value);
    wlab_free(s->best);
    wlab_free(s->output);
    wlab_problem_unref(s->p);
    wlab_free(s);
}

/* ---- the quadratic form ---- */

/* A [n x n] = its inverse, both triangles; *definite: false if it has none. */
static wlab_code invert(double *A, int64_t n, bool *definite, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code code = wlab_cholesky(A, n, definite, ctx, err);
    if (code || !*definite)
        return code;
    /* the lower triangle by rows is the upper one by columns */
    *definite = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, A, (lapack_int)n) == 0;
    return wlab_mirror_lower(A, n, ctx) ? WL_OK : wlab_fail(err, WL_EINTERRUPTED, "interrupted");
}

static const char singular[] =
    "the kernel matrix with the slacks is singular in double precision: use smaller C1 and "
    "C2, or scale the data";

static wlab_code invert_kernel(gmmc *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n;
    const double C1 = wlab_params_real(given, "C1"), C2 = wlab_params_real(given, "C2");
    bool definite = false;
    wlab_code code =
        wlab_kernel_matrix_progress(&s->kernel, s->p->X, s->p->X, s->p->row, s->inverse, ctx, err);
    for (int64_t i = 0; i < n && !code; i++)
        s->inverse[i * (n + 1)] += 1 / (s->p->cost[i] ? C2 : C1);
    if (code || (code = invert(s->inverse, n, &definite, ctx, err)))
        return code;
    if (!definite)
        return wlab_fail(err, WL_ENUMERIC, "%s", singular);
    s->total = 0;
    for (int64_t i = 0; i < n; i++) {
        s->sums[i] = 0;
        for (int64_t j = 0; j < n; j++)
            s->sums[i] += s->inverse[i * n + j];
        s->total += s->sums[i];
    }
    return WL_OK;
}

/* H: the inverse without its part along e, plus 2 Ce vv', v'(1, x) = the sum of x over the rows without a label minus the
 * sum of their mean labels. */
static wlab_code make_form(gmmc *s, double Ce, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n, m = n + 1;
    const wlab_labelset *B = s->p->labels;
    double *v = wlab_calloc(2 * (size_t)m, sizeof *v), *mean = v ? v + m : NULL;
    int64_t unlabelled = 0;
    bool definite = false;
    if (!v)
        return wlab_nomem(err);
    wlab_labelset_mean(B, mean);
    for (int64_t i = 0; i < n; i++)
        if (s->p->visible[i] == 0) {
            v[i + 1] = 1;
            v[0] -= mean[i];
            unlabelled++;
        }
    if (fabs(v[0]) < 1e-9) /* rounding of mean labels that cancel */
        v[0] = 0;
    s->b0 = 0 - v[0] / (double)unlabelled;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            s->H[i * m + j] = 2 * Ce * v[i] * v[j];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            s->H[(i + 1) * m + j + 1] += s->inverse[i * n + j] - s->sums[i] * s->sums[j] / s->total;
            s->G[i * n + j] = s->H[(i + 1) * m + j + 1];
        }
    wlab_free(v);
    if (!(fabs(s->b0) < 1 - 1e-9))
        return wlab_fail(
            err, WL_ESTATE,
            "the task prescribes the label of every row: there is nothing to find; use another r=");
    const wlab_code code = invert(s->G, n, &definite, ctx, err);
    return code || definite ? code : wlab_fail(err, WL_ENUMERIC, "%s", singular);
}

static wlab_code create_parts(gmmc *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    const size_t n = (size_t)s->n, m = n + 1;
    int64_t free_rows = 0;
    wlab_code code;
    if (p->n > MOST_ROWS)
        return wlab_fail(
            err, WL_EARG,
            "gmmc allows at most %d rows, but there are %lld (a Newton step takes some three times "
            "the cube of their number); use fewer rows (`split`)",
            MOST_ROWS, (long long)p->n);
    static const char *const weights[] = {"C1", "C2", "Ce"};
    for (int k = 0; k < 3; k++)
        if (isinf(wlab_params_real(given, weights[k])))
            return wlab_fail(err, WL_EARG, "%s=inf: give a finite weight", weights[k]);
    for (int64_t i = 0; i < p->n; i++)
        free_rows += p->visible[i] == 0;
    if (!free_rows)
        return wlab_fail(err, WL_ESTATE,
                         "at least one unlabelled row is needed; `algo svm` learns from labelled rows alone");
    if ((code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)))
        return code;
    s->kernel.bias = 0; /* b is free instead */
    s->inverse = wlab_calloc(n, n * sizeof *s->inverse);
    s->sums = wlab_calloc(n, sizeof *s->sums);
    s->H = wlab_calloc(m, m * sizeof *s->H);
    s->G = wlab_calloc(n, n * sizeof *s->G);
    s->value = wlab_calloc(m, sizeof *s->value);
    s->best = wlab_calloc(n, 1);
    s->output = wlab_calloc(n, sizeof *s->output);
    if (!s->inverse || !s->sums || !s->H || !s->G || !s->value || !s->best || !s->output)
        return wlab_nomem(err);
    memcpy(s->best, p->visible, n);
    if ((code = invert_kernel(s, given, ctx, err)) ||
        (code = make_form(s, wlab_params_real(given, "Ce"), ctx, err)))
        return code;
    return wlab_gmmc_create(&s->sdp, s->H, p->visible, s->n, s->growth, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    gmmc *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->eps = wlab_params_real(given, "eps");
    s->growth = wlab_params_real(given, "growth");
    s->objective = s->upper = s->leading = s->rounded = s->integer_upper = NAN;
    s->lower = -HUGE_VAL;
    const wlab_code code = create_parts(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* ---- the end of a step ---- */

typedef struct found {
    double *A, *value, *score; /* [m x m], [m], [n] */
    double *output, *x;        /* [n] of `best`; of y */
    int8_t *best, *y;          /* [n] */
    double rounded, integer_upper;
} found;

/* The problem of one labeling, a QP.  The form is 0 at x = b0 e, so with x = b0 e + z it is 1/2 z'Hz, y_i z_i >= l_i =
 * 1 - y_i b0 > 0, whose dual is the box QP with y_i y_j (H^-1)_ij / (l_i l_j).  z is scaled so that it is feasible: *value is
 * its objective, an upper bound. */
static wlab_code solve_labeling(const gmmc *s, const int8_t *y, double *x, double *value, wlab_ctx *ctx,
                                wlab_err *err)
{
    const int64_t n = s->n;
    wlab_boxqp_result r;
    double trace = 0, scale = 1, *Q = wlab_calloc((size_t)n, (size_t)(n + 5) * sizeof *Q);
    if (!Q)
        return wlab_nomem(err);
    double *delta = Q + n * n, *upper = delta + n, *a = upper + n, *g = a + n, *l = g + n;
    for (int64_t i = 0; i < n; i++)
        l[i] = 1 - y[i] * s->b0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            Q[i * n + j] = y[i] * y[j] * s->G[i * n + j] / (l[i] * l[j]);
        trace += Q[i * (n + 1)];
    }
    for (int64_t i = 0; i < n; i++) { /* the solver is one for losses, of which hardly any may be left */
        delta[i] = STIFF * trace / (double)n;
        upper[i] = HUGE_VAL;
    }
    const wlab_code code = wlab_boxqp_solve(Q, n, delta, upper, LABELING_TOL, a, g, &r, ctx, err);
    for (int64_t i = 0; i < n && !code; i++) {
        const double margin = 1 - g[i] - delta[i] * a[i]; /* (Qa)_i, to be 1 */
        x[i] = y[i] * l[i] * margin;
        scale = fmax(scale, margin > 0 ? 1 / margin : HUGE_VAL);
    }
    *value = 0;
    for (int64_t i = 0; i < n && !code; i++) {
        *value += scale * scale * a[i] * (1 - g[i] - delta[i] * a[i]) / 2;
        x[i] = s->b0 + scale * x[i];
    }
    wlab_free(Q);
    if (!code && !isfinite(*value))
        return wlab_fail(err, WL_ENUMERIC,
                         "the problem of a labeling could not be solved: use a smaller C1 or C2");
    return code;
}

static wlab_code try_labels(const gmmc *s, found *f, wlab_ctx *ctx, wlab_err *err)
{
    double own = NAN;
    wlab_code code = wlab_labelset_argmax(s->p->labels, f->score, f->best, f->y, err);
    if (code)
        return code;
    if (!isnan(f->integer_upper) && memcmp(f->y, f->best, (size_t)s->n) == 0) {
        f->rounded = fmin(f->rounded, f->integer_upper);
        return WL_OK;
    }
    if ((code = solve_labeling(s, f->y, f->x, &own, ctx, err)))
        return code;
    f->rounded = fmin(f->rounded, own);
    if (own >= f->integer_upper)
        return WL_OK;
    f->integer_upper = own;
    memcpy(f->best, f->y, (size_t)s->n);
    memcpy(f->output, f->x, (size_t)s->n * sizeof *f->x);
    return WL_OK;
}

/* Entry of X over rows i and j (-1: the constant), normalised to diagonal 1. */
static double entry(const gmmc *s, int64_t i, int64_t j)
{
    const double *X = wlab_gmmc_matrix(s->sdp);
    const int64_t m = s->n + 1;
    i++, j++;
    return X[i * m + j] / sqrt(X[i * (m + 1)] * X[j * (m + 1)]);
}

static wlab_code round_matrix(const gmmc *s, found *f, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t first = s->p->labelled > 0 ? -1 : 0,
                  r = s->n - first; /* without labels nothing ties the constant */
    wlab_code code;
    if (first < 0) {
        for (int64_t i = 0; i < s->n; i++)
            f->score[i] = entry(s, -1, i);
        if ((code = try_labels(s, f, ctx, err)))
            return code;
    }
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            f->A[i * r + j] = entry(s, i + first, j + first);
    if ((code = wlab_eigen_top(f->A, r, f->value, ctx, err)))
        return code;
    const double *v = f->A + (r - 1) * r;
    double agree = 0;
    for (int64_t i = 0; i < s->n; i++) {
        f->score[i] = v[i - first];
        agree += f->score[i] * s->best[i];
    }
    for (int64_t i = 0; i < s->n && agree < 0; i++)
        f->score[i] = -f->score[i];
    return try_labels(s, f, ctx, err);
}

static wlab_code end_step(gmmc *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n, m = n + 1;
    double *at = wlab_calloc(m * m + m + 3 * n, sizeof *at);
    found f = {.A = at, .y = wlab_calloc(2, n), .rounded = NAN, .integer_upper = s->integer_upper};
    wlab_code code = at && f.y ? WL_OK : wlab_nomem(err);
    if (code)
        goto out;
    f.value = f.A + m * m, f.score = f.value + m, f.output = f.score + n, f.x = f.output + n;
    f.best = f.y + n;
    memcpy(f.best, s->best, n);
    memcpy(f.output, s->output, n * sizeof *f.output);
    if ((code = round_matrix(s, &f, ctx, err)))
        goto out;
    const wlab_gmmc_numbers r = wlab_gmmc_get(s->sdp);
    const int64_t size = s->n + (s->p->labelled > 0);
    s->objective = r.upper;
    s->upper = fmin(s->upper, r.upper);
    /* S has a Cholesky factor; the rounding errors of the sums are far below this */
    s->lower = fmax(s->lower, r.lower - 1e-12 * fabs(r.lower));
    s->rounded = f.rounded;
    s->integer_upper = f.integer_upper;
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++)
        s->flips += s->best[i] != f.best[i];
    memcpy(s->best, f.best, n);
    memcpy(s->output, f.output, n * sizeof *f.output);
    s->rank = 0;
    for (int64_t k = 0; k < size; k++) {
        s->value[k] = fmax(f.value[size - 1 - k], 0);
        s->rank += s->value[k] > 1e-3 * s->value[0];
    }
    s->leading = s->value[0] / (double)size;
    s->step++;
    s->pending = false;
    s->newtons = r.newtons - s->before;
    s->before = r.newtons;
    s->finished = s->upper - s->lower <= s->eps * fabs(s->upper);
out:
    wlab_free(at);
    wlab_free(f.y);
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    gmmc *s = state;
    const double from = wlab_seconds_now();
    bool centred, stuck;
    wlab_code code;
    *step = (wlab_step){.complete = s->finished, .verdict = verdict_of(s)};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->pending) {
        if ((code = end_step(s, ctx, err)))
            return code;
        *step = (wlab_step){.complete = true, .verdict = verdict_of(s)};
    } else {
        if ((code = wlab_gmmc_advance(s->sdp, &centred, &stuck, ctx, err)))
            return code;
        s->pending = centred;
        if (stuck) {
            s->finished = s->stuck = true;
            s->step++;
            *step = (wlab_step){.complete = true, .verdict = WL_STALLED};
            wlab_emit_warning(
                ctx,
                "rounding errors allow no further Newton step; a gap of %.3g is left, %.2g of the "
                "objective: scale the data, or use smaller C1 and C2",
                s->upper - s->lower, (s->upper - s->lower) / fabs(s->upper));
        }
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    gmmc *s = state;
    (void)err;
    s->eps = wlab_params_real(given, "eps");
    if (s->finished && !s->stuck)
        s->finished = s->upper - s->lower <= s->eps * fabs(s->upper);
    return WL_OK;
}

/* ---- reports ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const gmmc *s = state;
    const bool begun = !isnan(s->objective);
    if (labels)
        memcpy(labels, s->best, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = isfinite(s->lower) ? s->lower : NAN;
    wlab_put_gap(&metric[M_GAP], s->upper - metric[M_LOWER], s->upper);
    metric[M_INTEGER_UPPER] = s->integer_upper;
    metric[M_ROUNDED] = s->rounded;
    metric[M_RANK] = begun ? (double)s->rank : NAN;
    metric[M_LEADING] = s->leading;
    metric[M_T] = begun ? wlab_gmmc_get(s->sdp).t : NAN;
    metric[M_FLIPS] = s->step > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_NEWTONS] = begun ? (double)s->newtons : NAN;
    metric[M_SECONDS] = s->seconds;
}

/* The bounds enclose the optimum over matrices; the labeling that was rounded from one predicts. */
static const char *certified(const wlab_params *given, const double *metric, double *value)
{
    const char *of = wlab_relaxation_of(metric[M_INTEGER_UPPER], metric[M_LOWER]);
    (void)given;
    if (of)
        *value = metric[M_INTEGER_UPPER];
    return of;
}

static wlab_code eigenvalues(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                             wlab_err *err)
{
    const gmmc *s = state;
    const int64_t n = isnan(s->objective) ? 0 : s->n + (s->p->labelled > 0);
    (void)ask;
    (void)ctx;
    return wlab_probed_eigenvalues(w, s->value, n, err);
}

static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *z, wlab_ctx *ctx,
                        wlab_err *err)
{
    const gmmc *s = state;
    const int64_t n = ask->n;
    (void)ctx;
    if (isnan(s->objective))
        return wlab_fail(err, WL_ESTATE, "there is no matrix X yet: `step` first");
    if (wlab_probed_make(z, n, n, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            z->value[i * n + j] = entry(s, ask->instance[i], ask->instance[j]);
    return WL_OK;
}

static const wlab_probe probes[] = {{.name = "eigenvalue",
                                     .kind = WL_PROBE_EIGENVALUES,
                                     .when = WL_PROBE_RECORDED,
                                     .meaning = "eigenvalues of X, normalised to diagonal 1",
                                     .get = eigenvalues},
                                    {.name = "X",
                                     .kind = WL_PROBE_MATRIX,
                                     .when = WL_PROBE_PAUSE,
                                     .meaning = "the matrix in place of the products of two rows' outputs, "
                                                "normalised to diagonal 1",
                                     .get = matrix},
                                    {.name = NULL}};

/* f = K c with c = (K + Diag(1/C))^-1 (x - b e), and the b that is best for x. */
static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const gmmc *s = state;
    *out = NULL;
    if (isnan(s->integer_upper))
        return wlab_no_model(err);
    double *c = wlab_calloc(2 * (size_t)s->n, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    double *centred = c + s->n;
    const double b = cblas_ddot((int)s->n, s->sums, 1, s->output, 1) / s->total;
    for (int64_t i = 0; i < s->n; i++)
        centred[i] = s->output[i] - b;
    for (int64_t i = 0; i < s->n; i++)
        c[i] = cblas_ddot((int)s->n, s->inverse + i * s->n, 1, centred, 1);
    const wlab_code code =
        wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += b;
    wlab_free(c);
    return code;
}

static void explain(const void *state, char *buf, size_t size)
{
    const gmmc *s = state;
    char percent[32];
    buf[0] = 0;
    if (isnan(s->objective)) {
        snprintf(
            buf, size,
            "No step has been made yet.  In place of the products x_i x_j of the outputs the run looks for "
            "a matrix X over %lld rows%s; the dual has one variable for each row.",
            (long long)s->n, s->p->labelled ? " and a constant, which carries the given labels" : "");
        return;
    }
    const wlab_gmmc_numbers r = wlab_gmmc_get(s->sdp);
    wlab_text_append(
        buf, size,
        "Step %lld reached the maximum for t = %.4g in %lld Newton step%s, which gives a feasible "
        "matrix X with the value %.10g; the multipliers prove that no matrix, so no labeling, has "
        "less than %.10g: gap %.3g, %s of it.  ",
        (long long)s->step, r.t, (long long)s->newtons, s->newtons == 1 ? "" : "s", s->objective, s->lower,
        fmax(s->upper - s->lower, 0), wlab_percent(fmax(s->upper - s->lower, 0) / fabs(s->upper), percent));
    wlab_text_append(
        buf, size,
        "%s of the trace of the normalised X is in its largest eigenvalue.  X was rounded to labels "
        "with the objective %.10g; the best so far has %.10g",
        wlab_percent(s->leading, percent), s->rounded, s->integer_upper);
    if (s->step > 1)
        wlab_text_append(buf, size, ", %lld of its labels changed", (long long)s->flips);
    wlab_text_append(buf, size, ".");
    if (s->finished)
        wlab_text_append(buf, size, "%s",
                         s->stuck ? "  Rounding errors allow no further Newton step."
                                  : "  The relaxation is solved to eps.");
}

static void next(const void *state, char *buf, size_t size)
{
    const gmmc *s = state;
    snprintf(buf, size, "%s",
             s->finished ? (s->stuck ? "nothing: rounding errors allow no further Newton step"
                                     : "nothing: gap <= eps |upper|")
             : s->pending
                 ? "compute the bounds of the new matrix X, and labels"
                 : "a Newton step towards the maximum of t times the dual objective plus the barriers");
}

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(pending) X(stuck) X(finished) X(step) X(flips) X(rank) X(newtons) X(before) X(upper) X(lower) X(leading) X(rounded)   \
    X(integer_upper) X(seconds) X(objective)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    gmmc *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->value, s->n + 1);
    WL_WALK_ARRAY(w, s->best, s->n);
    WL_WALK_ARRAY(w, s->output, s->n);
    wlab_gmmc_walk(s->sdp, w);
}

WLAB_KERNEL_HOOK(gmmc, kernel)

const wlab_algo wlab_algo_gmmc = {
    .name = "gmmc",
    .summary =
        "generalised maximum margin clustering: a semidefinite relaxation with one dual variable per row",
    .idea = WL_IDEA_RELAXATION,
    .problem = "min over x of 1/2 (1, x)'H(1, x), y_i x_i >= 1 or x_i^2 >= 1, relaxed",
    .symbols =
        "x_i: the output of row i with its slack, f_i + b + y_i xi_i; the offset b has its best value\n"
        "H: (K + Diag(1/C))^-1 without its part along 1, plus 2 Ce vv' for the balance\n"
        "X: a psd matrix in place of the products of 1 and x: X_00 = 1, y_i X_0i >= 1, X_ii >= 1\n"
        "S: H + tau e_0 e_0' minus the multipliers of these conditions, psd: see metric lower\n"
        "t: the weight of the objective against the barriers",
    .when = "the relaxation of mmc-sdp for the squared hinge loss, with an offset and without a bound on the "
            "balance, in a fraction of the time; up to some hundred rows",
    .cost = "per step some Newton steps of about 3 n^3, and the problems of two labelings",
    .proves =
        "a lower bound on its objective of every labeling; its problem has a free offset and a penalty on "
        "the sum of the outputs, so the bound is none for wellsvm and bb",
    .work = "1e-9 * n^3",
    .work_once = "2e-9 * n^3",
    .memory = "65 * n^2",
    .rows_most = MOST_ROWS,
    .source =
        "Valizadegan, Jin, Generalized maximum margin clustering and unsupervised kernel learning, NIPS 19 "
        "(2006)",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_NO_LABELS,
    .made_for = WL_SEES_NO_LABELS,
    .step_unit = "Newton steps to the maximum at one t, then the bounds of X and labels",
    .inner_unit = "one Newton step, or the bounds and labels of a new X",
    .converged = "gap <= eps * abs(upper)",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .loss = WL_LOSS_SQUARED_HINGE,
    .certified = certified,
    .labels_are = "labels rounded from X",
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
