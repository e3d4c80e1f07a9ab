/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * upu: the classifier with the smallest unbiased risk (risk.h), a convex problem:
 *
 *     min over f of J(f) = lambda/2 ||f||^2 - pi/n_p sum_P f_i + 1/n_u sum_U l(-f_i).
 *
 * Double hinge: l(-f) = 1/2 H(1 + f) + 1/2 H(1 - f) + 1/2 f - 1/2 with H(z) = max(0, z), so J is an SVM's objective with two
 * costs per unlabelled row and a linear term (wlab_smo_tilted), whose dual gives the gap; a step is a pass of its solver.
 * Logistic loss: a step is an iteration of L-BFGS; J is strongly convex, so J - ||gradient||^2 / (2 lambda) is a lower
 * bound on its minimum.
 */
#include "algo/pu/risk.h"
#include "solve/svm/smo.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const loss_names[] = {"double-hinge", "logistic", NULL};
static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("auto", "1"),
    {.name = "lambda",
     .type = WL_P_REAL,
     .fallback = "0.01",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "lambda, weight of ||f||^2/2; `set lambda=` goes on from the present f",
     .flags = WL_P_OPEN_LO | WL_P_OPEN_HI | WL_P_OBJECTIVE | WL_P_MUTABLE},
    {.name = "loss",
     .type = WL_P_CHOICE,
     .fallback = "double-hinge",
     .choices = loss_names,
     .meaning =
         "double-hinge, on a kernel matrix; logistic: log(1 + exp(-z)), with kernel=linear on the data",
     .flags = WL_P_OBJECTIVE},
    PU_THRESHOLD,
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of passes, or of iterations, for one lambda",
     .flags = WL_P_MUTABLE},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .meaning = "the run ends when the gap is at most this times 1 + |objective|",
     .flags = WL_P_OPEN_LO},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_NORM,
    M_RISK,
    M_POSITIVE,
    M_NEGATIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_LAMBDA,
    M_FLIPS,
    M_PREDICTED,
    M_THRESHOLD,
    M_LENGTH,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "J, which no step raises; it may be negative",
     .equation = "lambda/2 ||f||^2 - pi/n_p sum_P f + 1/n_u sum_U l(-f)"},
    {.name = "norm_part",
     .flags = WL_M_LESS,
     .meaning = "the first part of J: the penalty on f",
     .equation = "lambda/2 ||f||^2"},
    {.name = "risk",
     .flags = WL_M_LESS,
     .meaning = "the unbiased estimate of the risk, the rest of J",
     .equation = "R^ = risk_pos + risk_neg"},
    {.name = "risk_pos",
     .role = WL_R_RISK_POSITIVE,
     .flags = WL_M_HEADER,
     .meaning = "R+, the part of the risk that is due to positive rows",
     .equation = "pi/n_p sum_P l(f)"},
    {.name = "risk_neg",
     .role = WL_R_RISK_NEGATIVE,
     .flags = WL_M_SHOWN,
     .meaning = "R-, the estimate of the part that is due to negative rows, which is never negative itself; "
                "below 0: f fits "
                "the rows, not the classes",
     .equation = "1/n_u sum_U l(-f) - pi/n_p sum_P l(-f)"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest J so far",
     .equation = "min J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on the minimum of J: the largest dual value so far; logistic loss: "
                "by the gradient",
     .equation = "dual of the SVM - 1/2; logistic: J - ||gradient||^2 / (2 lambda)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "J is at most this far above its minimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "lambda_now",
     .role = WL_R_LEVEL,
     .log = true,
     .label = "lambda",
     .axis = "lambda, weight of ||f||^2/2",
     .meaning = "lambda in this step, which `set lambda=` changes",
     .equation = "lambda"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "unlabelled rows whose output changed its sign in this step"},
    {.name = "predicted",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "unlabelled rows whose output is above 0; about pi times their number are positive"},
    {.name = "threshold",
     .meaning =
         "what threshold=balance subtracts from the outputs for predictions; far from 0: f itself is biased",
     .equation = "the fraction pi of U has f > threshold"},
    {.name = "length", .log = true, .meaning = "by how far the step moved f", .equation = "||f - f_old||"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct upu {
    smooth m;
    pu_risk risk;
    /* ---- double hinge ---- */
    double *K;                /* [n x n], with bias^2 */
    double *pos, *neg, *tilt; /* [n] of the SVM */
    double *beta_new, *f_new; /* [n] workspace */
    double *w_new, *g_new;    /* [dim] workspace */
    /* ---- snapshot, with m and m.penalty ---- */
    double *beta; /* [n]; double hinge */
    double dual;  /* the largest dual value for this lambda, without the constant; NaN: none yet */
    bool stuck;   /* the solver of the SVM ended by itself */
    double norm, positive, negative;
    int64_t predicted;
} upu;

static void destroy(void *state)
{
    upu *s = state;
    if (!s)
        return;
    pu_risk_clear(&s->risk);
    wlab_smooth_clear(&s->m);
    wlab_free(s->K);
    wlab_free(s->pos);
    wlab_free(s->neg);
    wlab_free(s->tilt);
    wlab_free(s->beta);
    wlab_free(s->beta_new);
    wlab_free(s->f_new);
    wlab_free(s->w_new);
    wlab_free(s->g_new);
    wlab_free(s);
}

/* ---- the objective ---- */

static smooth_loss loss(const void *state, int64_t i, double o)
{
    const upu *s = state;
    const double positive = s->risk.pi / (double)s->risk.positives,
                 unlabelled = 1 / (double)s->risk.unlabelled;

    if (s->risk.visible[i] > 0)
        return (smooth_loss){-positive * o, -positive, 0};
    const smooth_loss row = pu_loss(s->risk.logistic, -o);
    return (smooth_loss){unlabelled * row.value, -unlabelled * row.first, unlabelled * row.second};
}

static void set_level(void *state)
{
    (void)state; /* there is one */
}

/* The lower bound that the present point gives. */
static double bound(const upu *s)
{
    const wlab_lbfgs *at = s->m.at;

    return s->risk.logistic ? at->f - at->gradient * at->gradient / (2 * s->m.penalty) : s->dual - 0.5;
}

static bool minimal(const void *state)
{
    const upu *s = state;

    return s->m.at->f - fmax(s->m.lower, bound(s)) <= s->m.eps * (1 + fabs(s->m.at->f));
}

static double threshold(void *state)
{
    upu *s = state;
    return pu_risk_threshold(&s->risk, s->m.o);
}

static void measure(void *state)
{
    upu *s = state;

    s->norm = wlab_smooth_norm(&s->m);
    pu_risk_parts(&s->risk, s->m.o, &s->positive, &s->negative);
    s->predicted = pu_risk_predicted(&s->risk, s->m.o);
    s->m.upper = fmin(s->m.upper, s->m.at->f);
    s->m.lower = fmax(s->m.lower, bound(s));
}

/* ---- the double hinge ---- */

/* How much of the dual value may be rounding: its quadratic term (beta - t)'K(beta - t) / (2 lambda) is a difference of larger
 * ones if the constant feature is large.  0 if that is less than what a bound is read to. */
static double rounding(const upu *s, const double *beta)
{
    const int64_t n = s->m.n;
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += fabs(beta[i] - s->tilt[i]) * sqrt(fmax(s->K[i * n + i], 0));
    const double error = DBL_EPSILON * (double)(n + 2) * sum * sum / (2 * s->m.penalty);
    return error > 1e-9 ? error : 0;
}

/* A pass of SMO from the last beta; w moves if that lowers J, as a dual method may end with a larger primal value. */
static wlab_code pass(void *state, wlab_ctx *ctx, wlab_err *err)
{
    upu *s = state;
    wlab_lbfgs *at = s->m.at;
    const int64_t n = s->m.n, dim = s->m.rows->dim;
    const wlab_smo_shape shape = {.t = s->tilt};
    smooth_job job = {&s->m, ctx};
    wlab_smo_result result;
    double f, move = 0, gradient = 0;

    memcpy(s->beta_new, s->beta, (size_t)n * sizeof *s->beta);
    wlab_code code = wlab_smo_tilted(s->K, n, s->m.penalty, s->pos, s->neg, &shape, 0.1 * s->m.eps,
                                     3 * n + 10, s->beta_new, s->f_new, &result, ctx, err);
    if (code)
        return code;
    if (result.stopped)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    for (int64_t i = 0; i < n; i++)
        s->f_new[i] = (s->beta_new[i] - s->tilt[i]) / s->m.penalty;
    if ((code = wlab_centred_transpose(s->m.rows, s->f_new, s->w_new, ctx ? ctx->pool : NULL, err)) ||
        (code = wlab_smooth_evaluate(&job, s->w_new, &f, s->g_new, err)))
        return code;
    memcpy(s->beta, s->beta_new, (size_t)n * sizeof *s->beta);
    s->dual = fmax(s->dual, result.dual - rounding(s, s->beta));
    s->stuck = result.updates < 3 * n + 10;
    at->iterations++;
    at->evaluations++;
    at->length = 0;
    if (f < at->f) {
        for (int64_t j = 0; j < dim; j++) {
            move += (s->w_new[j] - at->w[j]) * (s->w_new[j] - at->w[j]);
            gradient += s->g_new[j] * s->g_new[j];
        }
        memcpy(at->w, s->w_new, (size_t)dim * sizeof *at->w);
        memcpy(at->g, s->g_new, (size_t)dim * sizeof *at->g);
        at->f = f;
        at->gradient = sqrt(gradient);
        at->length = sqrt(move);
    }
    at->stalled = s->stuck && f - (s->dual - 0.5) > s->m.eps * (1 + fabs(f));
    return WL_OK;
}

static wlab_code make_svm(upu *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->m.p;
    const size_t n = (size_t)p->n;
    const double half = 0.5 / (double)s->risk.unlabelled;

    s->K = wlab_alloc(n * n, sizeof *s->K);
    s->pos = wlab_calloc(n, sizeof *s->pos);
    s->neg = wlab_calloc(n, sizeof *s->neg);
    s->tilt = wlab_alloc(n, sizeof *s->tilt);
    s->beta = wlab_calloc(n, sizeof *s->beta);
    s->beta_new = wlab_alloc(n, sizeof *s->beta_new);
    s->f_new = wlab_alloc(n, sizeof *s->f_new);
    s->w_new = wlab_alloc((size_t)s->m.rows->dim + 1, sizeof *s->w_new);
    s->g_new = wlab_alloc((size_t)s->m.rows->dim + 1, sizeof *s->g_new);
    if (!s->K || !s->pos || !s->neg || !s->tilt || !s->beta || !s->beta_new || !s->f_new || !s->w_new ||
        !s->g_new)
        return wlab_nomem(err);
    for (int64_t i = 0; i < p->n; i++) {
        const bool positive = p->visible[i] > 0;
        s->pos[i] = s->neg[i] = positive ? 0 : half;
        s->tilt[i] = positive ? -s->risk.pi / (double)s->risk.positives : half;
    }
    return wlab_kernel_matrix_progress(&s->m.kernel, p->X, p->X, p->row, s->K, ctx, err);
}

/* ---- creation ---- */

static wlab_code fill(upu *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->m.p;
    wlab_code code = pu_risk_make(&s->risk, p, given, wlab_params_choice(given, "loss") == 1, err);

    if (code ||
        (!s->risk.logistic &&
         (code = wlab_kernel_fits(
              p->n, WL_KERNEL_ROWS, "rows",
              "use fewer rows, or kernel=linear loss=logistic, which needs no kernel matrix", err))) ||
        (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = wlab_kernel_choose(&s->m.kernel, given, p->X, ctx, err)))
        return code;
    s->m.penalty = wlab_params_real(given, "lambda");
    s->m.of = s;
    s->m.loss = loss;
    s->m.set_level = set_level;
    s->m.measure = measure;
    s->m.minimal = minimal;
    s->m.threshold = threshold;
    s->m.iterate = s->risk.logistic ? NULL : pass;
    wlab_smooth_set(&s->m, given);
    if ((code = wlab_smooth_create(&s->m, NULL, 0, false, ctx, err)))
        return code;
    return s->risk.logistic ? WL_OK : make_svm(s, ctx, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    upu *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->m.p = wlab_problem_ref(p);
    const wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    s->dual = s->norm = s->positive = s->negative = NAN;
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    upu *s = state;

    (void)err;
    if (pu_set(&s->m, given))
        s->dual = NAN;
    return WL_OK;
}

/* ---- what is shown ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const upu *s = state;
    const smooth *m = &s->m;
    const bool begun = m->step > 0;

    if (labels)
        memcpy(labels, m->y, (size_t)m->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = m->objective;
    metric[M_NORM] = s->norm;
    metric[M_RISK] = s->positive + s->negative;
    metric[M_POSITIVE] = s->positive;
    metric[M_NEGATIVE] = s->negative;
    metric[M_UPPER] = begun && isfinite(m->upper) ? m->upper : NAN;
    metric[M_LOWER] = wlab_lower_beside(m->lower, metric[M_UPPER], 1 + fabs(m->upper));
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_LAMBDA] = begun ? m->penalty : NAN;
    metric[M_FLIPS] = m->step > 1 ? (double)m->flips : NAN; /* a first label does not count */
    metric[M_PREDICTED] = begun ? (double)s->predicted : NAN;
    metric[M_THRESHOLD] = begun ? m->cut : NAN;
    metric[M_LENGTH] = m->length;
    metric[M_SECONDS] = m->seconds;
}

WLAB_SMOOTH_HOOKS(upu, "the objective along the last move of f");

static wlab_loss loss_of(const wlab_params *given)
{
    return wlab_params_choice(given, "loss") == 1 ? WL_LOSS_LOGISTIC : WL_LOSS_DOUBLE_HINGE;
}

static void explain(const void *state, char *buf, size_t size)
{
    const upu *s = state;
    const smooth *m = &s->m;

    if (m->step == 0) {
        pu_explain_start(&s->risk, m->p, buf, size);
        return;
    }
    snprintf(buf, size,
             "%s %lld, lambda = %.4g: the objective is %.10g, at most %.3g above its minimum.  The unbiased "
             "risk is %.4g = "
             "%.4g (positive rows) + %.4g (negative ones, estimated as U minus pi times P).",
             s->risk.logistic ? "Iteration" : "Pass", (long long)m->tries, m->penalty, m->objective,
             fmax(m->upper - m->lower, 0), s->positive + s->negative, s->positive, s->negative);
    const double error = pu_risk_error(&s->risk, m->o);
    if (s->negative < -2 * error)
        wlab_text_append(
            buf, size,
            "  The second part is below 0 by more than two standard errors (of %.2g each), which no "
            "true risk can be: f "
            "fits these rows, not the classes; a larger lambda or nnpu prevents that.",
            error);
    else if (s->negative < 0)
        wlab_text_append(
            buf, size,
            "  The second part is below 0, which no true risk can be, but within two standard "
            "errors (of %.2g each) of an f that does not depend on these rows; one that was fitted to "
            "them is below 0 more often.",
            error);
    wlab_text_append(buf, size,
                     "  %lld of %lld unlabelled rows have a positive output; %.4g are expected%s.%s",
                     (long long)s->predicted, (long long)s->risk.unlabelled,
                     s->risk.pi * (double)s->risk.unlabelled, pu_cut_words(&s->risk, s->predicted),
                     !m->level_done               ? ""
                     : m->verdict == WL_CONVERGED ? "  The gap is small enough: this is the minimum."
                     : m->verdict == WL_STALLED   ? "  Doubles allow no more progress."
                                                  : "  The limit iterations= stopped the run.");
}

static void next(const void *state, char *buf, size_t size)
{
    const upu *s = state;

    if (s->m.finished)
        snprintf(buf, size, "nothing: %s",
                 s->m.verdict == WL_CONVERGED ? "the minimum was found; `set lambda=` goes on to another"
                 : s->m.verdict == WL_LIMIT ? "the limit iterations= was reached; `set iterations=` continues"
                                            : "no step lowers the objective in double precision");
    else
        snprintf(buf, size, "%s at lambda = %.4g",
                 s->risk.logistic ? "an iteration of L-BFGS" : "a pass of the SVM's solver", s->m.penalty);
}

static void walk(void *state, wlab_walk *w)
{
    upu *s = state;

    pu_walk_penalty(&s->m, w);
    WL_WALK(w, s->dual);
    WL_WALK(w, s->stuck);
    WL_WALK(w, s->norm);
    WL_WALK(w, s->positive);
    WL_WALK(w, s->negative);
    WL_WALK(w, s->predicted);
    if (s->beta)
        WL_WALK_ARRAY(w, s->beta, s->m.n);
    wlab_smooth_walk(&s->m, w);
}

WLAB_KERNEL_HOOK(upu, m.kernel)

const wlab_algo wlab_algo_upu = {
    .name = "upu",
    .summary = "positive and unlabelled rows: the classifier with the smallest unbiased estimate of the risk",
    .idea = WL_IDEA_DESCENT,
    .problem = "min over f of J(f) = lambda/2 ||f||^2 - pi/n_p sum_P f_i + 1/n_u sum_U l(-f_i)",
    .symbols = "P, U: the n_p rows that are labelled positive, and the n_u unlabelled ones\n"
               "f_i: the output of row i\n"
               "pi: the class prior, the fraction of positives in the mixture from which U comes\n"
               "l: the double hinge loss, max(-z, max(0, (1 - z)/2)), or the logistic one, log(1 + exp(-z))\n"
               "||f||: the norm of the kernel",
    .when = "only positive labels, a known class prior, and a classifier that is not too flexible",
    .cost = "a pass over the kernel matrix of all rows; logistic loss: some passes over the rows",
    .proves = "its own objective, which is convex, to the gap; nothing about labelings",
    .work = "1.8e-8 * n^2",
    .work_once = "(1 - K) * 1e-8 * n^2 + K * 4.4e-11 * n^3",
    .memory = "(8 + K * 8) * n^2",
    .rows_most = WL_KERNEL_ROWS,
    .source = "du Plessis, Niu and Sugiyama, ICML 2015, section 3; NIPS 2014",
    .learns_from = WL_SEES_POSITIVES,
    .made_for = WL_SEES_POSITIVES,
    .step_unit =
        "a pass of the SVM's solver over all rows, about 3 n updates; logistic loss: an iteration of L-BFGS",
    .inner_unit = "the same",
    .converged = "gap <= eps * (1 + abs(objective))",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .loss_of = loss_of,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
