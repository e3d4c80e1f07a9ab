/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cpmmc: maximum margin clustering by cutting planes (Zhao, Wang and Zhang 2008).
 *
 *   min over w, b, xi of 1/2 ||w||^2 + C xi,   for all c in {0, 1}^n:  1/n sum c_i |o_i| >= 1/n sum c_i - xi,
 *   o_i = w'phi_i + b,   |sum o_i| <= ell
 *
 * At the optimum xi is the mean of max(0, 1 - |o_i|).  A working set W holds some of the 2^n constraints.  Over W the
 * concave-convex procedure alternates: s_i = sign(o_i); then |o_i| is replaced by s_i o_i, which is not larger, and the
 * problem is convex.  The sum of the outputs is prescribed by centring (model/centred.h): o_i = w'(phi_i - m) + beta with
 * |beta| <= ell / n, so the convex problem is
 *
 *   min over |beta| <= ell/n of max over lambda >= 0, 1'lambda <= C of (c~ - beta s~)'lambda - 1/2 ||sum lambda_k z_k||^2,
 *   z_k = 1/n sum_i c_ki s_i (phi_i - m),   s~_k = 1/n sum_i c_ki s_i,   c~_k = 1/n sum_i c_ki:
 *
 * a small QP over a simplex inside a search over one number, along which the value is convex with the slope -s~'lambda.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/walk.h"
#include "model/centred.h"
#include "model/kernel.h"
#include "solve/simplexqp.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_CONSTRAINTS = 1000,
    HALVINGS = 60,
    MOST_ROUNDS = 100, /* of the concave-convex procedure at one working set */
    POWERS = 200       /* start=pca: steps of the power method */
};

typedef enum cp_start {
    CP_PCA,
    CP_CONSTANT
} cp_start;
static const char *const start_names[] = {"pca", "constant", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_ONLY_PARAMS("auto"),
    {"C", WL_P_REAL, "10", 0, HUGE_VAL, NULL, NULL, "C, the weight of the mean loss",
     WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"ell", WL_P_REAL, "10", 0, HUGE_VAL, NULL, NULL,
     "balance: largest absolute value of the sum of the outputs", WL_P_OBJECTIVE},
    {"eps", WL_P_REAL, "0.01", 0, 1, NULL, NULL,
     "the run has converged when no constraint is violated by more than this", WL_P_OPEN_LO | WL_P_MUTABLE},
    {"decrease", WL_P_REAL, "0", 0, 1, NULL, "relative",
     "the concave-convex procedure ends when no sign changes, or when a round lowers the objective by at "
     "most this; "
     "0.01: as in the authors' program",
     0},
    {"start", WL_P_CHOICE, "pca", 0, 0, start_names, NULL,
     "the first w, of which only the signs of the outputs are used; pca: the direction in which the rows "
     "differ "
     "most; constant: all components equal, as in the authors' program",
     0},
    {"constraints", WL_P_INT, "200", 1, MOST_CONSTRAINTS, NULL, "constraints",
     "largest number of constraints in the working set", WL_P_MUTABLE},
    {.name = NULL}};

typedef struct cpmmc {
    wlab_problem *p;
    wlab_kernel kernel;
    wlab_centred *rows;
    int64_t n, dim;
    double C, ell, eps, decrease;
    cp_start start;
    int64_t most;
    int64_t cap;
    /* ---- snapshot ---- */
    int64_t T;                              /* constraints in the working set */
    int8_t *c;                              /* [cap x n] */
    int64_t step, rounds, flips;            /* rounds: of the procedure in this step */
    bool in_step, finished, limited, again; /* again: the most violated constraint was in W already */
    double objective, loss, xi, norm, beta, gap, violation, seconds;
    int64_t active;
    double *w, *o; /* [dim], [n] the outputs */
    int8_t *s;     /* [n] signs, of the outputs from which the convex problem was made */
    int8_t *shown; /* [n] argmax over B of o'y */
} cpmmc;

enum {
    M_OBJECTIVE,
    M_TARGET,
    M_XI,
    M_LOSS,
    M_VIOLATION,
    M_INNER_GAP,
    M_BALANCE,
    M_FLIPS,
    M_WORKING_SET,
    M_ACTIVE,
    M_ROUNDS,
    M_SECONDS
};

static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "the objective over the constraints of the working set: falls in each round of the concave-convex "
         "procedure, and mostly rises when a constraint is added",
     .equation = "1/2 ||w||^2 + C xi, xi = max(0, max over W of 1/n sum_i c_i (1 - |o_i|))"},
    {.name = "target",
     .role = WL_R_TARGET,
     .flags = WL_M_HEADER,
     .meaning =
         "the objective over all constraints at this w and b; not convex, so `objective` is no lower bound "
         "on its minimum",
     .equation = "1/2 ||w||^2 + C/n sum_i max(0, 1 - |o_i|)"},
    {.name = "xi", .meaning = "the slack that the working set needs", .equation = "xi"},
    {.name = "loss",
     .flags = WL_M_LESS,
     .meaning = "the mean loss, which is the slack that all constraints need",
     .equation = "1/n sum_i max(0, 1 - |o_i|)"},
    {.name = "violation",
     .role = WL_R_VIOLATION,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "by how much the most violated constraint is violated",
     .equation = "loss - xi"},
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap of the convex problem of the last round",
     .equation = "primal - dual at fixed signs s and fixed W"},
    {.name = "balance",
     .meaning = "the sum of the outputs, between -ell and ell",
     .equation = "sum_i o_i = n beta"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "rows whose output changed its sign in the last round"},
    {.name = "working_set",
     .role = WL_R_WORKING_SET,
     .unit = "constraints",
     .flags = WL_M_COUNT,
     .meaning = "constraints in the working set W"},
    {.name = "active",
     .role = WL_R_ACTIVE,
     .unit = "constraints",
     .flags = WL_M_COUNT,
     .meaning = "constraints with a multiplier lambda > 0"},
    {.name = "rounds", .flags = WL_M_COUNT, .meaning = "rounds of the concave-convex procedure in this step"},
    WLAB_SECONDS,
    {0}};

static void destroy(void *state)
{
    cpmmc *s = state;
    if (!s)
        return;
    wlab_kernel_clear(&s->kernel);
    wlab_centred_destroy(s->rows);
    wlab_free(s->c);
    wlab_free(s->w);
    wlab_free(s->o);
    wlab_free(s->s);
    wlab_free(s->shown);
    wlab_problem_unref(s->p);
    wlab_free(s);
}

static wlab_code create_parts(cpmmc *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    if (isinf(s->C) || isinf(s->ell))
        return wlab_fail(err, WL_EARG, "%s=inf: give a finite value", isinf(s->C) ? "C" : "ell");
    wlab_code code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err);
    if (code || (code = wlab_kernel_choose(&s->kernel, given, s->p->X, ctx, err)))
        return code;
    s->kernel.bias = 0; /* b is free instead */
    uint8_t *member = wlab_alloc(n, 1);
    if (!member)
        return wlab_nomem(err);
    memset(member, 1, n);
    code = wlab_centred_make(&s->rows, s->p, &s->kernel, member, 0, false, ctx, err);
    wlab_free(member);
    if (code)
        return code;
    s->dim = s->rows->dim;
    s->w = wlab_calloc((size_t)s->dim, sizeof *s->w);
    s->o = wlab_calloc(n, sizeof *s->o);
    s->s = wlab_calloc(n, 1);
    s->shown = wlab_calloc(n, 1);
    return s->w && s->o && s->s && s->shown ? WL_OK : wlab_nomem(err);
}

static void read_params(cpmmc *s, const wlab_params *given)
{
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "constraints");
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    cpmmc *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->C = wlab_params_real(given, "C");
    s->ell = wlab_params_real(given, "ell");
    s->decrease = wlab_params_real(given, "decrease");
    s->start = (cp_start)wlab_params_choice(given, "start");
    s->objective = s->loss = s->xi = s->norm = s->gap = s->violation = NAN;
    read_params(s, given);
    const wlab_code code = create_parts(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* ---- the first signs ---- */

/* w = the leading eigenvector of the centred rows' second moments, by the power method from their first nonzero row. */
static wlab_code principal(cpmmc *s, double *w, double *o, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_progress progress;
    for (int64_t i = 0; i < s->n; i++)
        o[i] = 0;
    int64_t first = 0;
    while (first + 1 < s->n && !(s->rows->square[first] > 0))
        first++;
    o[first] = 1;
    wlab_progress_begin(&progress, ctx, "steps of the power method", POWERS);
    for (int k = 0; k < POWERS; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        const wlab_code code = wlab_centred_transpose(s->rows, o, w, pool, err);
        if (code)
            return code;
        const double norm = cblas_dnrm2((int)s->dim, w, 1);
        for (int64_t j = 0; j < s->dim; j++)
            w[j] = norm > 0 ? w[j] / norm : 0;
        wlab_centred_outputs(s->rows, w, o, pool);
        wlab_progress_add(&progress, 1);
    }
    return WL_OK;
}

static wlab_code begin(cpmmc *s, wlab_ctx *ctx, wlab_err *err)
{
    double *w = wlab_calloc((size_t)(s->dim + s->n), sizeof *w), *o = w ? w + s->dim : NULL;
    wlab_code code = w ? WL_OK : wlab_nomem(err);
    if (!code && s->start == CP_PCA)
        code = principal(s, w, o, ctx, err);
    else if (!code) {
        for (int64_t j = 0; j < s->dim; j++)
            w[j] = 1;
        wlab_centred_outputs(s->rows, w, o, ctx ? ctx->pool : NULL);
    }
    for (int64_t i = 0; i < s->n && !code; i++)
        s->s[i] = o[i] >= 0 ? 1 : -1;
    wlab_free(w);
    return code;
}

/* ---- a round: the convex problem at fixed signs ---- */

typedef struct convex {
    int64_t T;
    double *z, *G;                /* [T x dim], [(T + 1)^2]: C^2 z z' and a slack coordinate */
    double *ones, *signs;         /* [T] c~, s~ */
    double *c, *p, *left, *right; /* [T + 1] */
    double *row;                  /* [n] */
    double *w, *o;                /* [dim], [n] */
    int8_t *shown;                /* [n] */
} convex;

static wlab_code convex_create(convex *f, const cpmmc *s, wlab_err *err)
{
    const int64_t T = s->T,
                  size = T * s->dim + (T + 1) * (T + 1) + 2 * T + 4 * (T + 1) + s->n + s->dim + s->n;
    double *at = wlab_calloc((size_t)size, sizeof *at);
    *f = (convex){.T = T, .z = at, .shown = wlab_calloc((size_t)s->n, 1)};
    if (!at || !f->shown)
        return wlab_nomem(err);
    f->G = at + T * s->dim;
    f->ones = f->G + (T + 1) * (T + 1);
    f->signs = f->ones + T;
    f->c = f->signs + T;
    f->p = f->c + T + 1;
    f->left = f->p + T + 1;
    f->right = f->left + T + 1;
    f->row = f->right + T + 1;
    f->w = f->row + s->n;
    f->o = f->w + s->dim;
    return WL_OK;
}

static void convex_clear(convex *f)
{
    wlab_free(f->z);
    wlab_free(f->shown);
}

static wlab_code make_convex(const cpmmc *s, convex *f, wlab_ctx *ctx, wlab_err *err)
{
    const double share = 1 / (double)s->n;
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "constraints", f->T);
    for (int64_t k = 0; k < f->T; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t i = 0; i < s->n; i++) {
            const int8_t c = s->c[k * s->n + i];
            f->row[i] = share * c * s->s[i];
            f->ones[k] += share * c;
            f->signs[k] += share * c * s->s[i];
        }
        const wlab_code code =
            wlab_centred_transpose(s->rows, f->row, f->z + k * s->dim, ctx ? ctx->pool : NULL, err);
        if (code)
            return code;
        wlab_progress_add(&progress, 1);
    }
    for (int64_t k = 0; k < f->T; k++) {
        if (!wlab_look_at(k, f->T * s->dim, NULL, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t l = 0; l <= k; l++)
            f->G[k * (f->T + 1) + l] = f->G[l * (f->T + 1) + k] =
                s->C * s->C * cblas_ddot((int)s->dim, f->z + k * s->dim, 1, f->z + l * s->dim, 1);
    }
    return WL_OK;
}

/* f->p = lambda / C at this beta (its last coordinate is slack); *slope: that of the value in beta. */
static wlab_code solve_at(const cpmmc *s, convex *f, double beta, double *slope, wlab_err *err)
{
    for (int64_t k = 0; k < f->T; k++)
        f->c[k] = -s->C * (f->ones[k] - beta * f->signs[k]);
    f->c[f->T] = 0;
    const wlab_code code = wlab_simplexqp_solve(f->G, f->c, f->T + 1, f->p, err);
    *slope = 0;
    for (int64_t k = 0; k < f->T && !code; k++)
        *slope -= s->C * f->signs[k] * f->p[k];
    return code;
}

/* The best beta by halving the interval between slopes of different sign; f->p is then a mixture of the solutions at its
 * ends whose slope is 0, so that it is a solution at the kink between them. */
static wlab_code search(const cpmmc *s, convex *f, double *beta, wlab_ctx *ctx, wlab_err *err)
{
    const size_t bytes = (size_t)(f->T + 1) * sizeof *f->p;
    double lo = -s->ell / (double)s->n, hi = -lo, down, up, slope;
    wlab_code code;
    f->p[f->T] = 1;
    if ((code = solve_at(s, f, lo, &down, err)))
        return code;
    *beta = lo + 0.0; /* 0 in place of -0 if ell = 0 */
    if (down >= 0 || lo == hi)
        return WL_OK;
    memcpy(f->left, f->p, bytes);
    if ((code = solve_at(s, f, hi, &up, err)))
        return code;
    *beta = hi;
    if (up <= 0)
        return WL_OK;
    memcpy(f->right, f->p, bytes);
    for (int k = 0; k < HALVINGS && hi - lo > 4 * DBL_EPSILON * fmax(fabs(lo), fabs(hi)); k++) {
        const double middle = lo + (hi - lo) / 2;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if ((code = solve_at(s, f, middle, &slope, err)))
            return code;
        if (slope < 0) {
            lo = middle, down = slope;
            memcpy(f->left, f->p, bytes);
        } else {
            hi = middle, up = slope;
            memcpy(f->right, f->p, bytes);
        }
    }
    const double part = up / (up - down); /* of the left end: part down + (1 - part) up = 0 */
    for (int64_t k = 0; k <= f->T; k++)
        f->p[k] = part * f->left[k] + (1 - part) * f->right[k];
    *beta = lo + (hi - lo) / 2;
    return WL_OK;
}

/* max over W of 1/n sum_i c_i (1 - |o_i|), or 0. */
static double slack_of(const cpmmc *s, const double *o)
{
    double most = 0;
    for (int64_t k = 0; k < s->T; k++) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum += s->c[k * s->n + i] * (1 - fabs(o[i]));
        most = fmax(most, sum / (double)s->n);
    }
    return most;
}

/* One round: changes the state only if it succeeds. */
static wlab_code round_of(cpmmc *s, wlab_ctx *ctx, wlab_err *err)
{
    convex f;
    double beta = 0;
    wlab_code code = convex_create(&f, s, err);
    if (code || (code = make_convex(s, &f, ctx, err)) || (code = search(s, &f, &beta, ctx, err)))
        goto out;
    for (int64_t k = 0; k < f.T; k++)
        cblas_daxpy((int)s->dim, s->C * f.p[k], f.z + k * s->dim, 1, f.w, 1);
    wlab_centred_outputs(s->rows, f.w, f.o, ctx ? ctx->pool : NULL);
    for (int64_t i = 0; i < s->n; i++)
        f.o[i] += beta;
    const double norm = cblas_ddot((int)s->dim, f.w, 1, f.w, 1) / 2;
    double primal = 0, dual = -norm, tilt = 0;
    for (int64_t k = 0; k < f.T; k++) {
        primal = fmax(primal,
                      f.ones[k] - beta * f.signs[k] - cblas_ddot((int)s->dim, f.w, 1, f.z + k * s->dim, 1));
        dual += s->C * f.p[k] * f.ones[k];
        tilt += s->C * f.p[k] * f.signs[k];
    }
    primal = norm + s->C * primal;
    dual -= s->ell / (double)s->n * fabs(tilt);
    if ((code =
             wlab_labelset_argmax(s->p->labels, f.o, s->step || s->rounds ? s->shown : NULL, f.shown, err)))
        goto out;
    s->gap = fmax(primal - dual, 0);
    s->norm = norm;
    s->beta = beta;
    s->xi = slack_of(s, f.o);
    s->loss = 0;
    s->flips = s->active = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t sign = f.o[i] >= 0 ? 1 : -1;
        s->loss += fmax(0, 1 - fabs(f.o[i])) / (double)s->n;
        s->flips += sign != s->s[i];
        s->s[i] = sign;
    }
    for (int64_t k = 0; k < f.T; k++)
        s->active += f.p[k] > 0;
    memcpy(s->w, f.w, (size_t)s->dim * sizeof *s->w);
    memcpy(s->o, f.o, (size_t)s->n * sizeof *s->o);
    memcpy(s->shown, f.shown, (size_t)s->n);
    s->objective = norm + s->C * s->xi;
    s->violation = fmax(s->loss - s->xi, 0);
    s->rounds++;
out:
    convex_clear(&f);
    return code;
}

/* ---- steps ---- */

static wlab_code reserve(cpmmc *s, wlab_err *err)
{
    if (s->T < s->cap)
        return WL_OK;
    const int64_t cap = s->cap ? 2 * s->cap : 8;
    int8_t *c = wlab_realloc(s->c, (size_t)cap, (size_t)s->n);
    if (!c)
        return wlab_nomem(err);
    s->c = c;
    s->cap = cap;
    return WL_OK;
}

/* Adds the most violated constraint: c_i = [|o_i| < 1]; at first all rows. */
static bool add_constraint(cpmmc *s)
{
    int8_t *c = s->c + s->T * s->n;
    for (int64_t i = 0; i < s->n; i++)
        c[i] = s->T == 0 || fabs(s->o[i]) < 1;
    for (int64_t k = 0; k < s->T; k++)
        if (!memcmp(s->c + k * s->n, c, (size_t)s->n))
            return false;
    s->T++;
    return true;
}

static wlab_verdict verdict_of(const cpmmc *s)
{
    return !s->finished             ? WL_MORE
           : s->limited             ? WL_LIMIT
           : s->violation <= s->eps ? WL_CONVERGED
                                    : WL_STALLED;
}

static void end_step(cpmmc *s, wlab_ctx *ctx)
{
    s->in_step = false;
    s->step++;
    s->limited = false;
    s->finished = s->violation <= s->eps;
    if (!s->finished && s->T >= s->most) {
        s->finished = s->limited = true;
        wlab_emit_note(ctx, "limit constraints=%lld reached: `set constraints=%lld` continues",
                       (long long)s->most, 2 * (long long)s->most);
    }
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    cpmmc *s = state;
    const double from = wlab_seconds_now();
    wlab_code code;
    *step = (wlab_step){.complete = s->finished, .verdict = verdict_of(s)};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    const bool fresh = !s->in_step;
    const int64_t T = s->T, rounds = s->rounds;
    if (fresh) {
        if ((code = reserve(s, err)) || (T == 0 && (code = begin(s, ctx, err))))
            return code;
        if (!add_constraint(s)) { /* the tolerance of the QP is larger than eps */
            s->finished = s->again = true;
            s->step++;
            *step = (wlab_step){.complete = true, .verdict = verdict_of(s)};
            wlab_emit_warning(
                ctx,
                "the most violated constraint is in the working set already, but violated by %.2g: use "
                "a larger eps, or decrease=0",
                s->violation);
            return WL_OK;
        }
        s->rounds = 0;
    }
    const double before = s->objective;
    if ((code = round_of(s, ctx, err))) {
        s->T = T;
        s->rounds = rounds;
        return code;
    }
    s->in_step = true;
    if (s->flips == 0 || s->rounds >= MOST_ROUNDS ||
        (s->rounds > 1 && before - s->objective <= s->decrease * fabs(before))) {
        end_step(s, ctx);
        *step = (wlab_step){.complete = true, .verdict = verdict_of(s)};
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    cpmmc *s = state;
    (void)err;
    read_params(s, given);
    if (s->finished && !s->again) {
        s->limited = s->violation > s->eps && s->T >= s->most;
        s->finished = s->violation <= s->eps || s->limited;
    }
    return WL_OK;
}

/* ---- reports ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const cpmmc *s = state;
    const bool begun = !isnan(s->objective);
    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_TARGET] = s->norm + s->C * s->loss;
    metric[M_XI] = s->xi;
    metric[M_LOSS] = s->loss;
    metric[M_VIOLATION] = s->violation;
    metric[M_INNER_GAP] = s->gap;
    metric[M_BALANCE] = begun ? (double)s->n * s->beta : NAN;
    metric[M_FLIPS] = begun ? (double)s->flips : NAN;
    metric[M_WORKING_SET] = (double)s->T;
    metric[M_ACTIVE] = (double)s->active;
    metric[M_ROUNDS] = begun ? (double)s->rounds : NAN;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const cpmmc *s = state;
    *out = NULL;
    if (isnan(s->objective))
        return wlab_no_model(err);
    const wlab_code code = wlab_centred_model(out, s->rows, s->w, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += s->beta;
    return code;
}

static void explain(const void *state, char *buf, size_t size)
{
    const cpmmc *s = state;
    buf[0] = 0;
    if (isnan(s->objective)) {
        snprintf(buf, size,
                 "No step has been made yet.  There are 2^%lld constraints, one for each choice of rows; the "
                 "first "
                 "is that of all rows.  The first signs are those of %s.",
                 (long long)s->n,
                 s->start == CP_PCA ? "the direction in which the rows differ most"
                                    : "a w with equal components");
        return;
    }
    wlab_text_append(
        buf, size,
        "%s %lld: with %lld constraint%s, round %lld of the concave-convex procedure replaced |o_i| by "
        "its tangent and solved the convex problem: objective %.10g = 1/2 ||w||^2, %.6g, + C xi, xi = "
        "%.6g.  %lld output%s changed the sign.  ",
        s->in_step ? "Inside step" : "Step", (long long)s->step + s->in_step, (long long)s->T,
        wlab_plural(s->T), (long long)s->rounds, s->objective, s->norm, s->xi, (long long)s->flips,
        wlab_plural(s->flips));
    wlab_text_append(
        buf, size,
        "The mean loss of all rows is %.6g, so the most violated constraint is violated by %.3g; over all "
        "constraints the objective here is %.10g.  The problem is not convex: neither number bounds its "
        "minimum from below.",
        s->loss, s->violation, s->norm + s->C * s->loss);
    if (s->finished)
        wlab_text_append(buf, size, "  %s",
                         s->limited ? "The limit constraints= stopped the run."
                         : s->again ? "That constraint is in the working set already."
                                    : "That is at most eps: done.");
}

static void next(const void *state, char *buf, size_t size)
{
    const cpmmc *s = state;
    snprintf(buf, size, "%s",
             s->limited    ? "nothing: the limit constraints= stopped the run"
             : s->finished ? "nothing: no new constraint is violated by more than eps"
             : s->in_step ? "another round of the concave-convex procedure, with the signs of the new outputs"
             : s->T == 0
                 ? "solve the problem with one constraint, that all outputs are at least 1 in the mean"
                 : "add the most violated constraint, that of the rows with |o_i| < 1, and solve again");
}

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(step) X(rounds) X(flips) X(in_step) X(finished) X(limited) X(again) X(objective) X(loss) X(xi) X(norm) X(beta) X(gap) \
    X(violation) X(seconds) X(active)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    cpmmc *s = state;
    int64_t T = s->T;
    WL_WALK(w, T);
    if (w->reading && !w->code) {
        if (T < 0 || T > MOST_CONSTRAINTS || (size_t)T > wlab_walk_left(w) / (size_t)s->n + 1) {
            wlab_walk_damaged(w);
            return;
        }
        if (T > s->cap) {
            int8_t *c = wlab_realloc(s->c, (size_t)T, (size_t)s->n);
            if (!c) {
                wlab_walk_check(w, wlab_nomem(w->err));
                return;
            }
            s->c = c;
            s->cap = T;
        }
        s->T = T;
    }
    WL_WALK_ARRAY(w, s->c, T * s->n);
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->w, s->dim);
    WL_WALK_ARRAY(w, s->o, s->n);
    WL_WALK_ARRAY(w, s->s, s->n);
    WL_WALK_ARRAY(w, s->shown, s->n);
}

WLAB_KERNEL_HOOK(cpmmc, kernel)

const wlab_algo wlab_algo_cpmmc = {
    .name = "cpmmc",
    .summary = "maximum margin clustering by cutting planes and the concave-convex procedure",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w, b of 1/2 ||w||^2 + C/n sum_i max(0, 1 - |o_i|), |sum_i o_i| <= ell",
    .symbols =
        "o_i: output of row i, w'x_i + b\n"
        "c: a choice of rows, 0 or 1 for each; its constraint is 1/n sum c_i |o_i| >= 1/n sum c_i - xi\n"
        "W: the working set, the constraints that are used\n"
        "xi: the slack, the same for all constraints\n"
        "s_i: the sign of o_i in the round before\n"
        "lambda: the multipliers of the constraints",
    .when = "clusters in many rows: a step reads the rows once for each constraint",
    .cost = "per round one pass over the rows for each constraint, and some 60 small QPs",
    .work = "(1 - K) * 1e-7 * z + K * 2e-7 * n^2",
    .work_once = "K * 4.4e-11 * n^3",
    .memory = "K * 17 * n^2 + 60 * n",
    .source = "Zhao, Wang, Zhang, Efficient maximum margin clustering via cutting plane algorithm, SDM 2008",
    .learns_from = WL_SEES_NO_LABELS,
    .made_for = WL_SEES_NO_LABELS,
    .step_unit =
        "add the most violated constraint, then rounds of the concave-convex procedure until no sign changes",
    .inner_unit = "one round: the convex problem for the signs of the outputs before",
    .converged = "violation <= eps",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .loss = WL_LOSS_HINGE,
    .labels_are = "signs of the outputs, rounded into the label set",
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
