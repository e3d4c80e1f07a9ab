/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * clpl: the convex loss for partial labels (Cour, Sapp and Taskar 2011, Eq. 5).  The mean of a row's outputs over its
 * candidates is to be large, and each output of a class that is no candidate small.  The paper's experiments use the
 * squared hinge, and so does this: it is differentiable, and the problem is then that of a binary SVM whose examples are
 * the row in the mean of the candidates' blocks (+1) and in the block of each other class (-1).
 *
 * L-BFGS minimises it.  The penalty makes J strongly convex, so the gradient certifies a lower bound,
 *
 *     min J >= J(w) - ||gradient||^2 / (2 lambda),
 *
 * which is the value of the dual at the losses' derivatives.
 */
#include "algo/candidates/functions.h"
#include "base/clock.h"
#include "base/walk.h"
#include "solve/descent/lbfgs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("auto", "1"),
    {.name = "lambda",
     .type = WL_P_REAL,
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "lambda, weight of sum_k ||w_k||^2/2 beside the mean loss of a row; 1/m if not given, which "
                "is C = 1 "
                "of an SVM",
     .flags = WL_P_OPEN_LO | WL_P_OPEN_HI | WL_P_OBJECTIVE},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .unit = "relative",
     .meaning = "the run ends when the certified gap is at most this times the objective",
     .flags = WL_P_OPEN_LO | WL_P_MUTABLE},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "10000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of steps",
     .flags = WL_P_MUTABLE},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_LOSS_IN,
    M_LOSS_OUT,
    M_NORM,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_GRADIENT,
    M_FLIPS,
    M_EVALUATIONS,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "J at the current functions; never rises",
     .equation = "Eq. 5 and a penalty: lambda/2 sum_k ||w_k||^2 + loss_candidates + loss_others"},
    {.name = "loss_candidates",
     .flags = WL_M_LESS,
     .meaning = "the first part of the loss: rows whose mean output over the candidates is below 1",
     .equation = "1/m sum_i psi(1/|S_i| sum_{k in S_i} f_k(x_i)), psi(u) = max(0, 1 - u)^2"},
    {.name = "loss_others",
     .flags = WL_M_LESS,
     .meaning = "the second part of the loss: outputs above -1 of classes that are no candidates",
     .equation = "1/m sum_i sum_{k not in S_i} psi(-f_k(x_i))"},
    {.name = "norm",
     .flags = WL_M_LESS,
     .meaning = "the penalty on the functions",
     .equation = "lambda/2 sum_k ||w_k||^2"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same as objective: an upper bound on the minimum of J",
     .equation = "J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on the minimum of J: the largest so far",
     .equation = "J - ||gradient||^2 / (2 lambda)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the objective is at most this far above the minimum of J",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "gradient",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "norm of the gradient of J",
     .equation = "||dJ/dW||"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "rows whose candidate with the largest output is another one than before the step"},
    {.name = "evaluations",
     .flags = WL_M_COUNT,
     .meaning = "evaluations of J and its gradient since the start"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct clpl {
    functions f;
    double lambda, eps;
    int64_t most;
    /* ---- snapshot ---- */
    wlab_lbfgs *at; /* W, J, gradient */
    int64_t step, flips;
    bool finished;
    wlab_verdict verdict; /* if it is finished */
    double lower, in, out, seconds;
    int64_t evaluations; /* until the last step: an interrupted one may have made more */
    int8_t *y;           /* [n] the labels shown; 0: none yet */
    double *o;           /* [P x n] outputs of W; after step 1 */
    /* ---- workspace ---- */
    double *to, *z; /* [P x n] outputs at a trial, derivatives of the losses */
} clpl;

static void destroy(void *state)
{
    clpl *s = state;
    if (!s)
        return;
    wlab_lbfgs_destroy(s->at);
    wlab_free(s->y);
    wlab_free(s->o);
    wlab_free(s->to);
    wlab_free(s->z);
    wlab_functions_clear(&s->f);
    wlab_free(s);
}

static void read_mutable(clpl *s, const wlab_params *given)
{
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "iterations");
}

static wlab_code allocate(clpl *s, wlab_err *err)
{
    const size_t n = (size_t)s->f.n, all = n * (size_t)s->f.P;

    s->y = wlab_alloc(n, 1);
    s->o = wlab_calloc(all, sizeof *s->o);
    s->to = wlab_alloc(all, sizeof *s->to);
    s->z = wlab_alloc(all, sizeof *s->z);
    if (!s->y || !s->o || !s->to || !s->z)
        return wlab_nomem(err);
    memcpy(s->y, s->f.p->visible, n);
    return wlab_lbfgs_create(&s->at, s->f.P * s->f.dim, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    clpl *s = wlab_calloc(1, sizeof *s);
    wlab_code code;

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    if ((code = wlab_functions_make(&s->f, p, given, ctx, err)) || (code = allocate(s, err))) {
        destroy(s);
        return code;
    }
    s->lambda = wlab_functions_lambda(&s->f, given);
    s->lower = 0; /* no loss is negative */
    s->in = s->out = NAN;
    read_mutable(s, given);
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    clpl *s = state;
    (void)err;
    read_mutable(s, given);
    if (s->verdict != WL_STALLED)
        s->finished = false;
    return WL_OK;
}

/* ---- J and its gradient ---- */

/* max(0, 1 - u)^2; *slope: its derivative. */
static double psi(double u, double *slope)
{
    const double short_of = u < 1 ? 1 - u : 0;
    *slope = -2 * short_of;
    return short_of * short_of;
}

/* The two parts of the loss of row i at outputs o, times m, and their derivatives in z (NULL: none). */
static void row_loss(const functions *f, const double *o, int64_t i, double *in, double *out, double *z)
{
    const uint64_t set = f->set[i];
    double mean = 0, slope;
    *in = *out = 0;
    if (set == f->all) {
        for (int k = 0; z && k < f->P; k++)
            z[k * f->n + i] = 0;
        return;
    }
    const int size = __builtin_popcountll(set);
    for (int k = 0; k < f->P; k++)
        mean += set >> k & 1 ? o[k * f->n + i] / size : 0;
    *in = psi(mean, &slope);
    const double share = slope / size;
    for (int k = 0; k < f->P; k++) {
        const bool candidate = set >> k & 1;
        if (!candidate)
            *out += psi(-o[k * f->n + i], &slope);
        if (z)
            z[k * f->n + i] = (candidate ? share : -slope) / (double)f->told;
    }
}

typedef struct evaluation {
    clpl *s;
    wlab_ctx *ctx;
} evaluation;

static double square(const double *w, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += w[j] * w[j];
    return sum;
}

static wlab_code evaluate(void *of, const double *W, double *J, double *g, wlab_err *err)
{
    const evaluation *e = of;
    clpl *s = e->s;
    const functions *f = &s->f;
    wlab_pool *pool = e->ctx ? e->ctx->pool : NULL;
    double sum = 0, in, out;
    wlab_code code = WL_OK;

    if (wlab_interrupted(e->ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    wlab_functions_outputs(f, W, s->to, pool);
    for (int64_t i = 0; i < f->n; i++) {
        row_loss(f, s->to, i, &in, &out, s->z);
        sum += in + out;
    }
    *J = 0.5 * s->lambda * square(W, s->at->dim) + sum / (double)f->told;
    for (int k = 0; !code && k < f->P; k++)
        code = wlab_centred_transpose(f->rows, s->z + k * f->n, g + k * f->dim, pool, err);
    for (int64_t j = 0; !code && j < s->at->dim; j++)
        g[j] += s->lambda * W[j];
    return code;
}

/* ---- a step ---- */

static void measure(clpl *s, wlab_ctx *ctx)
{
    double in, out;

    wlab_functions_outputs(&s->f, s->at->w, s->o, ctx ? ctx->pool : NULL);
    s->flips = wlab_functions_labels(&s->f, s->o, s->y);
    s->in = s->out = 0;
    for (int64_t i = 0; i < s->f.n; i++) {
        row_loss(&s->f, s->o, i, &in, &out, NULL);
        s->in += in / (double)s->f.told;
        s->out += out / (double)s->f.told;
    }
    s->lower = fmax(s->lower, s->at->f - s->at->gradient * s->at->gradient / (2 * s->lambda));
}

static void judge(clpl *s, wlab_ctx *ctx)
{
    const bool certified = s->at->f - s->lower <= s->eps * s->at->f;

    s->finished = certified || s->at->stalled || s->step >= s->most;
    s->verdict = !s->finished ? WL_MORE : certified ? WL_CONVERGED : s->at->stalled ? WL_STALLED : WL_LIMIT;
    if (s->verdict == WL_LIMIT)
        wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                       (long long)s->most, 2 * (long long)s->most);
    if (s->verdict == WL_STALLED)
        wlab_emit_note(ctx, "no step lowers the objective in double precision; the gap is %.2g",
                       s->at->f - s->lower);
}

static wlab_step report(const clpl *s)
{
    return (wlab_step){.complete = true, .verdict = s->finished ? s->verdict : WL_MORE};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    clpl *s = state;
    const double from = wlab_seconds_now();
    evaluation e = {s, ctx};
    wlab_code code;

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if ((code = wlab_lbfgs_iterate(s->at, evaluate, &e, err)))
        return code;
    s->step++;
    s->evaluations = s->at->evaluations;
    measure(s, ctx);
    judge(s, ctx);
    *step = report(s);
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- what it shows ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const clpl *s = state;

    if (labels)
        memcpy(labels, s->y, (size_t)s->f.n);
    if (!metric)
        return;
    const bool begun = s->step > 0;
    metric[M_OBJECTIVE] = metric[M_UPPER] = begun ? s->at->f : NAN;
    metric[M_LOSS_IN] = s->in;
    metric[M_LOSS_OUT] = s->out;
    metric[M_NORM] = begun ? 0.5 * s->lambda * square(s->at->w, s->at->dim) : NAN;
    metric[M_LOWER] = begun ? wlab_lower_beside(s->lower, s->at->f, s->at->f) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_GRADIENT] = begun ? s->at->gradient : NAN;
    metric[M_FLIPS] = s->step > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_EVALUATIONS] = (double)s->evaluations;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const clpl *s = state;
    (void)ask;
    (void)ctx;
    if (s->step == 0)
        return wlab_fail(err, WL_ESTATE, "there are no scores yet: `step` first");
    return wlab_functions_scores(&s->f, s->o, out, err);
}

static const wlab_probe probes[] = {{.name = "scores",
                                     .kind = WL_PROBE_SCORES,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "outputs f_k of the classes; the largest one gives the label",
                                     .get = scores},
                                    {.name = NULL}};

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const clpl *s = state;

    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    return wlab_functions_model(&s->f, out, s->at->w, ctx ? ctx->pool : NULL, err);
}

static void explain(const void *state, char *buf, size_t size)
{
    const clpl *s = state;

    if (s->step == 0) {
        snprintf(buf, size,
                 "No step has been made yet: all %d functions are 0.  %lld rows have fewer candidates than "
                 "classes, %lld of them several; the other %lld say nothing and have no loss.",
                 s->f.P, (long long)s->f.told, (long long)s->f.ambiguous, (long long)(s->f.n - s->f.told));
        return;
    }
    snprintf(buf, size,
             "Iteration %lld of L-BFGS moved the %d functions by %.3g.  J is %.10g: %.4g because the mean "
             "output over a row's candidates is below 1, %.4g because other classes have outputs above -1, "
             "and the penalty.  The gradient, of norm %.3g, and J >= 0, prove that the minimum is at most "
             "%.3g lower.",
             (long long)s->step, s->f.P, s->at->length, s->at->f, s->in, s->out, s->at->gradient,
             fmax(0, s->at->f - s->lower));
    if (s->step > 1)
        wlab_text_append(buf, size, "  %lld rows now have another candidate with the largest output.",
                         (long long)s->flips);
}

static void next(const void *state, char *buf, size_t size)
{
    const clpl *s = state;

    snprintf(buf, size, "%s",
             !s->finished                 ? "an iteration of L-BFGS on all functions together"
             : s->verdict == WL_CONVERGED ? "nothing: the minimum is certified to eps="
             : s->verdict == WL_LIMIT     ? "nothing: the limit iterations= was reached"
                                          : "nothing: no step lowers the objective in double precision");
}

static void walk(void *state, wlab_walk *w)
{
    clpl *s = state;
    WL_WALK(w, s->step);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->verdict);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->in);
    WL_WALK(w, s->out);
    WL_WALK(w, s->seconds);
    WL_WALK(w, s->evaluations);
    if (wlab_walk_has_read(w) && s->verdict > WL_LIMIT) {
        s->verdict = WL_MORE;
        wlab_walk_damaged(w);
    }
    WL_WALK_ARRAY(w, s->y, s->f.n);
    WL_WALK_ARRAY(w, s->o, s->f.n * s->f.P);
    wlab_lbfgs_walk(s->at, w);
}

WLAB_KERNEL_HOOK(clpl, f.kernel)

const wlab_algo wlab_algo_clpl = {
    .name = "clpl",
    .summary =
        "candidate labels by a convex loss: the mean output of the candidates against each other class",
    .idea = WL_IDEA_DESCENT,
    .problem =
        "min over w of J = lambda/2 sum_k ||w_k||^2 + 1/m sum_i [ psi(1/|S_i| sum_{k in S_i} f_k(x_i)) "
        "+ sum_{k not in S_i} psi(-f_k(x_i)) ] (Eq. 5, with a penalty)",
    .symbols = "f_k(x) = w_k'phi(x): the function of class k; the largest one gives the label\n"
               "S_i: the candidates of row i\n"
               "m: number of rows with fewer candidates than classes; the others have no loss\n"
               "psi(u): max(0, 1 - u)^2, the squared hinge\n"
               "phi(x): the features of a row; their inner products are the kernel",
    .when = "candidate labels of more than two classes; one answer, which depends on no start",
    .cost = "an iteration: two passes over the rows for each class, a few more at first; a kernel needs a "
            "factor of its matrix once",
    .proves = "a lower bound on J, from its gradient",
    .work = "P * ((1 - K) * 2e-9 * z + K * 2.2e-9 * n^2)",
    .work_once = "K * 4.4e-11 * n^3",
    .memory = "K * 16 * n^2 + 8 * n * P",
    .source = "Cour, Sapp and Taskar, Learning from partial labels, JMLR 12 (2011), Eq. 5",
    .learns_from = WL_SEES_ALL_LABELS | WL_SEES_CANDIDATES,
    .made_for = WL_SEES_CANDIDATES,
    .multiclass = true,
    .step_unit = "an iteration of L-BFGS",
    .inner_unit = "the same",
    .converged = "gap <= eps * objective",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .loss = WL_LOSS_SQUARED_HINGE,
    .model = model,
    .kernel = kernel,
    .setting = wlab_functions_setting,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
