/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * nnpu: the non-negative risk (Kiryo, Niu, du Plessis and Sugiyama, NIPS 2017) of all rows with the logistic loss:
 *
 *     min over f of J(f) = lambda/2 ||f||^2 + R+ + max(0, R-)     (risk.h).
 *
 * R+ and R+ + R- are convex, so J, the larger one of two strongly convex functions, is too: it has one minimum, which is
 * found to a certified gap.  The kink at R- = 0 is rounded over a width delta, which falls from level to level:
 *
 *     F(f) = lambda/2 ||f||^2 + R+ + delta log(1 + exp(R-/delta)),   gradient: lambda f + R+' + theta R-',
 *     theta = 1 / (1 + exp(-R-/delta)).
 *
 * So where R- is below 0 by some delta, a step of L-BFGS lowers R+ and the penalty alone, and where it is above, the whole
 * unbiased risk.  (The authors' program steps against R- there instead, on small batches.)  For every theta in [0, 1]
 *
 *     J >= lambda/2 ||f||^2 + R+ + theta R-   for all f,   and this function is strongly convex, so
 *     min J >= its value at f - ||gradient||^2 / (2 lambda),
 *
 * which, with theta from above and the gradient of F, is the lower bound.  At a minimum of F the gap is at most 0.28 delta.
 */
#include "algo/pu/risk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST 0.1 /* delta of level 0 */

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("auto", "1"),
    {.name = "lambda",
     .type = WL_P_REAL,
     .fallback = "0.01",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "lambda, weight of ||f||^2/2; `set lambda=` goes on from the present f",
     .flags = WL_P_OPEN_LO | WL_P_OPEN_HI | WL_P_OBJECTIVE | WL_P_MUTABLE},
    PU_THRESHOLD,
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of iterations at a level",
     .flags = WL_P_MUTABLE},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .meaning = "the run ends when the gap is at most this times 1 + |J|; also the last delta",
     .flags = WL_P_OPEN_LO},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_J,
    M_NORM,
    M_POSITIVE,
    M_NEGATIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_THETA,
    M_DELTA,
    M_FLIPS,
    M_PREDICTED,
    M_THRESHOLD,
    M_GRADIENT,
    M_LENGTH,
    M_LEVEL,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the function that the steps of this level minimise; never rises within a level",
     .equation = "lambda/2 ||f||^2 + R+ + delta log(1 + exp(R-/delta))"},
    {.name = "J",
     .role = WL_R_TARGET,
     .flags = WL_M_HEADER,
     .meaning = "the non-negative risk with the penalty",
     .equation = "lambda/2 ||f||^2 + R+ + max(0, R-)"},
    {.name = "norm_part",
     .flags = WL_M_LESS,
     .meaning = "the first part of J: the penalty on f",
     .equation = "lambda/2 ||f||^2"},
    {.name = "risk_pos",
     .role = WL_R_RISK_POSITIVE,
     .flags = WL_M_HEADER,
     .meaning = "R+, the part of the risk that is due to positive rows",
     .equation = "pi/n_p sum_P l(f)"},
    {.name = "risk_neg",
     .role = WL_R_RISK_NEGATIVE,
     .flags = WL_M_SHOWN,
     .meaning = "R-, the estimate of the part that is due to negative rows, which is never negative itself",
     .equation = "1/n_u sum_U l(-f) - pi/n_p sum_P l(-f)"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest J so far",
     .equation = "min J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on the minimum of J: the largest so far",
     .equation = "lambda/2 ||f||^2 + R+ + theta R- - ||gradient||^2 / (2 lambda)"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the minimum of J",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "theta",
     .meaning = "the weight of R- in the gradient: 1 where R- is well above 0, 0 where it is well below",
     .equation = "1 / (1 + exp(-R-/delta))"},
    {.name = "delta",
     .role = WL_R_LEVEL,
     .log = true,
     .flags = WL_M_LINE,
     .label = "delta",
     .axis = "delta, width of the rounded kink",
     .meaning = "the width over which the kink of max(0, R-) is rounded at this level",
     .equation = "delta"},
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
    {.name = "gradient",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "norm of the objective's gradient",
     .equation = "||lambda f + R+' + theta R-'||"},
    {.name = "length", .log = true, .meaning = "by how far the step moved f", .equation = "||f - f_old||"},
    {.name = "level", .flags = WL_M_COUNT, .meaning = "number of the level"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct nnpu {
    smooth m;
    pu_risk risk;
    double delta; /* of the level; follows from m.level */
    /* ---- snapshot, with m and m.penalty ---- */
    double norm, positive, negative, theta;
    int64_t predicted;
} nnpu;

static void destroy(void *state)
{
    nnpu *s = state;
    if (!s)
        return;
    pu_risk_clear(&s->risk);
    wlab_smooth_clear(&s->m);
    wlab_free(s);
}

/* ---- the objective ---- */

static double share(double r, double delta)
{
    const double e = exp(-fabs(r) / delta);
    return r > 0 ? 1 / (1 + e) : e / (1 + e);
}

/* delta log(1 + exp(r / delta)) */
static double rounded(double r, double delta)
{
    return fmax(0, r) + delta * log1p(exp(-fabs(r) / delta));
}

static double data(const void *state, const double *o, double *z)
{
    const nnpu *s = state;
    const pu_risk *r = &s->risk;
    double positive, negative;

    pu_risk_parts(r, o, &positive, &negative);
    const double theta = share(negative, s->delta), p = r->pi / (double)r->positives,
                 u = 1 / (double)r->unlabelled;
    for (int64_t i = 0; z && i < r->n; i++)
        z[i] = r->visible[i] > 0    ? p * (pu_loss(true, o[i]).first + theta * pu_loss(true, -o[i]).first)
               : r->visible[i] == 0 ? -theta * u * pu_loss(true, -o[i]).first
                                    : 0;
    return positive + rounded(negative, s->delta);
}

static void set_level(void *state)
{
    nnpu *s = state;
    s->delta = fmax(FIRST * pow(0.1, (double)s->m.level), fmin(s->m.eps, FIRST));
}

/* At the present f: J, and the lower bound on its minimum. */
typedef struct place {
    double norm, positive, negative, theta, J, lower;
} place;

static place here(const nnpu *s)
{
    const smooth *m = &s->m;
    place at = {.norm = wlab_smooth_norm(m)};

    pu_risk_parts(&s->risk, m->o, &at.positive, &at.negative);
    at.theta = share(at.negative, s->delta);
    at.J = at.norm + at.positive + fmax(0, at.negative);
    at.lower =
        at.norm + at.positive + at.theta * at.negative - m->at->gradient * m->at->gradient / (2 * m->penalty);
    return at;
}

static bool small_enough(const nnpu *s, double upper, double lower)
{
    return upper - lower <= s->m.eps * (1 + fabs(upper));
}

/* A level ends when its minimum is found to a tenth of delta, or when the gap is small enough for the run to end. */
static bool minimal(const void *state)
{
    const nnpu *s = state;
    const place at = here(s);
    const double above = s->m.at->gradient * s->m.at->gradient / (2 * s->m.penalty);

    return small_enough(s, fmin(s->m.upper, at.J), fmax(s->m.lower, at.lower)) ||
           (s->m.level < s->m.levels && above <= 0.1 * s->delta);
}

static double threshold(void *state)
{
    nnpu *s = state;
    return pu_risk_threshold(&s->risk, s->m.o);
}

static void measure(void *state)
{
    nnpu *s = state;
    const place at = here(s);

    s->norm = at.norm;
    s->positive = at.positive;
    s->negative = at.negative;
    s->theta = at.theta;
    s->predicted = pu_risk_predicted(&s->risk, s->m.o);
    s->m.upper = fmin(s->m.upper, at.J);
    s->m.lower = fmax(s->m.lower, at.lower);
    s->m.decided = small_enough(s, s->m.upper, s->m.lower);
}

/* ---- creation ---- */

static wlab_code fill(nnpu *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->m.p;
    wlab_code code = pu_risk_make(&s->risk, p, given, true, err);

    if (code || (code = wlab_kernel_choose(&s->m.kernel, given, p->X, ctx, err)))
        return code;
    s->m.penalty = wlab_params_real(given, "lambda");
    s->m.of = s;
    s->m.data = data;
    s->m.set_level = set_level;
    s->m.measure = measure;
    s->m.minimal = minimal;
    s->m.threshold = threshold;
    wlab_smooth_set(&s->m, given);
    s->m.levels = (int64_t)ceil(fmax(0, log10(FIRST / s->m.eps) - 1e-9));
    set_level(s);
    return wlab_smooth_create(&s->m, NULL, 0, false, ctx, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    nnpu *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->m.p = wlab_problem_ref(p);
    const wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    s->norm = s->positive = s->negative = s->theta = NAN;
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    (void)err;
    (void)pu_set(&((nnpu *)state)->m, given);
    return WL_OK;
}

/* ---- what is shown ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const nnpu *s = state;
    const smooth *m = &s->m;
    const bool begun = m->step > 0;

    if (labels)
        memcpy(labels, m->y, (size_t)m->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = m->objective;
    metric[M_J] = s->norm + s->positive + fmax(0, s->negative);
    metric[M_NORM] = s->norm;
    metric[M_POSITIVE] = s->positive;
    metric[M_NEGATIVE] = s->negative;
    metric[M_UPPER] = begun && isfinite(m->upper) ? m->upper : NAN;
    metric[M_LOWER] = wlab_lower_beside(m->lower, metric[M_UPPER], 1 + fabs(m->upper));
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_THETA] = s->theta;
    metric[M_DELTA] = s->delta;
    metric[M_FLIPS] = m->step > 1 ? (double)m->flips : NAN; /* a first label does not count */
    metric[M_PREDICTED] = begun ? (double)s->predicted : NAN;
    metric[M_GRADIENT] = m->gradient;
    metric[M_THRESHOLD] = begun ? m->cut : NAN;
    metric[M_LENGTH] = m->length;
    metric[M_LEVEL] = (double)m->level;
    metric[M_SECONDS] = m->seconds;
}

WLAB_SMOOTH_HOOKS(nnpu, "the objective of the current level along the last move of f");

/* What the kink does to the minimum. */
static const char *why(const nnpu *s)
{
    return s->theta > 0.999 ? "  R- is above 0 there: the minimum is that of upu loss=logistic, and max(0, "
                              ".) has no effect."
           : s->theta < 0.001
               ? "  R- is below 0 there, and has no effect."
               : "  The minimum is on the kink: a smaller unbiased risk would have R- below 0.";
}

static void explain(const void *state, char *buf, size_t size)
{
    const nnpu *s = state;
    const smooth *m = &s->m;

    if (m->step == 0) {
        pu_explain_start(&s->risk, m->p, buf, size);
        return;
    }
    snprintf(buf, size,
             "Iteration %lld at delta = %.3g, lambda = %.4g: J is %.10g = %.4g (penalty) + %.4g (R+, "
             "positive rows) + "
             "max(0, %.4g) (R-, negative ones), and the smallest J so far is at most %.3g above the minimum. "
             " The gradient of "
             "R- had the weight theta = %.4g%s.",
             (long long)m->tries, s->delta, m->penalty, s->norm + s->positive + fmax(0, s->negative), s->norm,
             s->positive, s->negative, fmax(m->upper - m->lower, 0), s->theta,
             s->negative < 0 && !m->finished ? ": R- is below 0, so the next step looks at it less than at R+"
                                             : "");
    wlab_text_append(buf, size,
                     "  %lld of %lld unlabelled rows have a positive output; %.4g are expected%s.%s%s",
                     (long long)s->predicted, (long long)s->risk.unlabelled,
                     s->risk.pi * (double)s->risk.unlabelled, pu_cut_words(&s->risk, s->predicted),
                     wlab_smooth_reached(m), m->finished && m->verdict == WL_CONVERGED ? why(s) : "");
}

static void next(const void *state, char *buf, size_t size)
{
    const nnpu *s = state;

    if (s->m.finished)
        snprintf(buf, size, "nothing: %s", wlab_smooth_why(&s->m));
    else if (s->m.level_done)
        snprintf(buf, size,
                 "make the width delta of the kink ten times smaller, then an iteration of L-BFGS");
    else
        snprintf(buf, size, "an iteration of L-BFGS at delta = %.3g", s->delta);
}

static void walk(void *state, wlab_walk *w)
{
    nnpu *s = state;

    pu_walk_penalty(&s->m, w);
    WL_WALK(w, s->norm);
    WL_WALK(w, s->positive);
    WL_WALK(w, s->negative);
    WL_WALK(w, s->theta);
    WL_WALK(w, s->predicted);
    wlab_smooth_walk(&s->m, w);
}

WLAB_KERNEL_HOOK(nnpu, m.kernel)

const wlab_algo wlab_algo_nnpu = {
    .name = "nnpu",
    .summary = "positive and unlabelled rows: the smallest non-negative risk, for flexible classifiers",
    .idea = WL_IDEA_DESCENT,
    .problem =
        "min over f of J(f) = lambda/2 ||f||^2 + R+ + max(0, R-), where R+ = pi/n_p sum_P l(f_i), R- = 1/n_u "
        "sum_U l(-f_i) - pi/n_p sum_P l(-f_i)",
    .symbols = "P, U: the n_p rows that are labelled positive, and the n_u unlabelled ones\n"
               "f_i: the output of row i\n"
               "pi: the class prior, the fraction of positives in the mixture from which U comes\n"
               "l: the logistic loss, log(1 + exp(-z))\n"
               "R+, R-: the parts of the estimated risk that are due to positive and to negative rows\n"
               "delta: the width over which the kink of max(0, R-) is rounded\n"
               "||f||: the norm of the kernel",
    .when = "only positive labels, a known class prior, and a flexible kernel, with which the risk of upu "
            "falls below 0",
    .cost = "an iteration: some passes over the rows; a kernel needs a factor of its matrix once",
    .proves = "its own objective, which is convex, to the gap; nothing about labelings",
    .work = "(1 - K) * 5e-9 * z + K * 2.2e-9 * n^2",
    .work_once = "K * 4.4e-11 * n^3",
    .memory = "K * 16 * n^2 + 40 * n",
    .source = "Kiryo, Niu, du Plessis and Sugiyama, NIPS 2017, section 3",
    .learns_from = WL_SEES_POSITIVES,
    .made_for = WL_SEES_POSITIVES,
    .step_unit = "an iteration of L-BFGS",
    .inner_unit = "the same; the first of a level makes delta ten times smaller",
    .converged = "gap <= eps * (1 + abs(upper))",
    .phase_unit = "level",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .loss = WL_LOSS_LOGISTIC,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
