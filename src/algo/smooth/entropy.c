/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Entropy regularisation (Grandvalet and Bengio 2004): logistic regression on the labelled rows, with a penalty on the
 * entropy of the predicted probabilities of the unlabelled ones.  Its weight lambda_e rises from level to level, each of
 * which L-BFGS minimises from the minimum of the one before.  Level 0 is the logistic regression alone.
 */
#include "algo/smooth/smooth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_SHARE 0.01 /* the first lambda_e as a fraction of the last */

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("auto", "1"),
    {.name = "lambda",
     .type = WL_P_REAL,
     .fallback = "0.001",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "lambda, weight of ||w||^2/2",
     .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {.name = "lambda_e",
     .type = WL_P_REAL,
     .fallback = "0.1",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "last lambda_e, weight of the unlabelled rows' mean entropy; 0: logistic regression",
     .flags = WL_P_OBJECTIVE},
    {.name = "levels",
     .type = WL_P_INT,
     .fallback = "11",
     .lo = 1,
     .hi = 1000,
     .meaning = "number of values of lambda_e; 1: only the last one"},
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
     .meaning = "a level ends when the norm of the gradient is at most this times 1 + |objective|",
     .flags = WL_P_OPEN_LO},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_J,
    M_J_NORM,
    M_J_LABELLED,
    M_J_UNLABELLED,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_GRADIENT,
    M_FLIPS,
    M_LAMBDA,
    M_ENTROPY,
    M_LEVEL,
    M_LENGTH,
    M_EVALUATIONS,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the function that the steps of this level minimise; never rises within a level",
     .equation = "J at the current lambda_e"},
    {.name = "J",
     .role = WL_R_TARGET,
     .flags = WL_M_SHOWN,
     .meaning = "the objective of the last level at the current w",
     .equation = "lambda/2 ||w||^2 + 1/l sum log(1 + exp(-y o)) + lambda_e/u sum H(p)"},
    {.name = "J_norm",
     .flags = WL_M_LESS,
     .meaning = "the first part of J: the penalty on w",
     .equation = "lambda/2 ||w||^2"},
    {.name = "J_labelled",
     .flags = WL_M_LESS,
     .meaning = "the second part of J: the loss of the labelled rows",
     .equation = "1/l sum log(1 + exp(-y o))"},
    {.name = "J_unlabelled",
     .flags = WL_M_LESS,
     .meaning = "the third part of J: the entropy of the unlabelled rows",
     .equation = "lambda_e/u sum H(p)"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest J so far: an upper bound on its minimum",
     .equation = "min J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "a certified lower bound on J: the minimum of the logistic regression, as no entropy is negative",
     .equation = "f - ||gradient||^2 / (2 lambda) at the end of the first level"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_HEADER,
     .meaning = "`upper` is at most this far above the global minimum of J",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "gradient",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "norm of the objective's gradient",
     .equation = "||lambda w + sum of the losses' derivatives times phi||"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "unlabelled rows whose output changed its sign in this step"},
    {.name = "lambda_now",
     .role = WL_R_LEVEL,
     .log = true,
     .flags = WL_M_LINE,
     .label = "lambda_e",
     .axis = "lambda_e, weight of the entropy",
     .meaning = "lambda_e at this level; 0: logistic regression",
     .equation = "lambda_e"},
    {.name = "entropy",
     .role = WL_R_ENTROPY,
     .unit = "nats",
     .log = true,
     .meaning = "mean entropy of the unlabelled rows' probabilities",
     .equation = "1/u sum H(p)"},
    {.name = "level", .flags = WL_M_COUNT, .meaning = "number of the level; 0: the labelled rows alone"},
    {.name = "length", .log = true, .meaning = "by how far the step moved w", .equation = "||w - w_old||"},
    {.name = "evaluations",
     .flags = WL_M_COUNT,
     .meaning = "evaluations of the objective and its gradient at this level"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct entropy {
    smooth m;
    double lambda_e;
    double now; /* lambda_e of the level; follows from m.level */
    /* ---- snapshot, with m ---- */
    double J, J_norm, J_labelled, J_unlabelled, mean; /* mean: entropy of the unlabelled rows */
} entropy;

/* log(1 + exp(-m)) by the margin m. */
static smooth_loss logistic(double m)
{
    const double e = exp(-fabs(m)),
                 p = m > 0 ? e / (1 + e) : 1 / (1 + e); /* the probability of the other label */

    return (smooth_loss){(m > 0 ? 0 : -m) + log1p(e), -p, p * (1 - p)};
}

/* H(p), p = 1 / (1 + exp(-o)).  As log(p / (1 - p)) = o, dH/do = -p (1 - p) o. */
static smooth_loss uncertainty(double o)
{
    const double e = exp(-fabs(o)), large = 1 / (1 + e), small = e / (1 + e), spread = large * small;

    return (smooth_loss){.value = log1p(e) + fabs(o) * small,
                         .first = -spread * o,
                         .second = -spread * (1 - fabs(o) * (large - small))};
}

static smooth_loss loss(const void *state, int64_t i, double o)
{
    const entropy *s = state;
    const int8_t y = s->m.p->visible[i];
    const double weight = y ? 1 / (double)s->m.l : s->now / (double)s->m.u;
    if (!y && !(weight > 0))
        return (smooth_loss){0};
    const smooth_loss row = y ? logistic(y * o) : uncertainty(o);
    return (smooth_loss){weight * row.value, weight * row.first * (y ? y : 1), weight * row.second};
}

static void set_level(void *state)
{
    entropy *s = state;
    const int64_t k = s->m.level, levels = s->m.levels;

    s->now = k == 0        ? 0
             : levels == 1 ? s->lambda_e
                           : s->lambda_e * pow(FIRST_SHARE, (double)(levels - k) / (double)(levels - 1));
}

static void measure(void *state)
{
    entropy *s = state;
    double labelled = 0, unlabelled = 0, norm = 0;

    for (int64_t j = 0; j < s->m.rows->dim; j++)
        norm += s->m.at->w[j] * s->m.at->w[j];
    for (int64_t i = 0; i < s->m.n; i++) {
        const int8_t y = s->m.p->visible[i];
        if (y)
            labelled += logistic(y * s->m.o[i]).value;
        else
            unlabelled += uncertainty(s->m.o[i]).value;
    }
    s->mean = unlabelled / (double)s->m.u;
    s->J_norm = 0.5 * s->m.penalty * norm;
    s->J_labelled = labelled / (double)s->m.l;
    s->J_unlabelled = s->lambda_e * s->mean;
    s->J = s->J_norm + s->J_labelled + s->J_unlabelled;
    s->m.upper = fmin(s->m.upper, s->J);
    s->m.decided = s->lambda_e == 0; /* the other levels are this one again */
}

static void destroy(void *state)
{
    entropy *s = state;
    if (!s)
        return;
    wlab_smooth_clear(&s->m);
    wlab_free(s);
}

static wlab_code fill(entropy *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->m.p;
    int64_t u = 0;
    wlab_code code;

    for (int64_t i = 0; i < p->n; i++)
        u += p->visible[i] == 0;
    if (u == 0 || u == p->n)
        return wlab_fail(err, WL_ESTATE, "%s",
                         u ? "at least one labelled row is needed; `algo mfa` learns without labels"
                           : "at least one unlabelled row is needed; `algo svm` and `algo mfn` learn from "
                             "labelled rows alone");
    s->lambda_e = wlab_params_real(given, "lambda_e");
    if (isinf(s->lambda_e))
        return wlab_fail(err, WL_EARG, "lambda_e=inf: give a finite weight");
    if ((code = wlab_kernel_choose(&s->m.kernel, given, p->X, ctx, err)))
        return code;
    s->m.penalty = wlab_params_real(given, "lambda");
    s->m.levels = wlab_params_int(given, "levels");
    s->m.of = s;
    s->m.loss = loss;
    s->m.set_level = set_level;
    s->m.measure = measure;
    wlab_smooth_set(&s->m, given);
    return wlab_smooth_create(&s->m, NULL, 0, false, ctx, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    entropy *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->m.p = wlab_problem_ref(p);
    wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    s->J = s->J_norm = s->J_labelled = s->J_unlabelled = s->mean = NAN;
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    (void)err;
    wlab_smooth_set(&((entropy *)state)->m, given);
    return WL_OK;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const entropy *s = state;
    const smooth *m = &s->m;

    if (labels)
        memcpy(labels, m->y, (size_t)m->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = m->objective;
    metric[M_J] = s->J;
    metric[M_J_NORM] = s->J_norm;
    metric[M_J_LABELLED] = s->J_labelled;
    metric[M_J_UNLABELLED] = s->J_unlabelled;
    metric[M_UPPER] = m->step ? m->upper : NAN;
    metric[M_LOWER] = m->step ? wlab_lower_beside(m->lower, m->upper, m->upper) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_GRADIENT] = m->gradient;
    metric[M_FLIPS] = m->step > 1 ? (double)m->flips : NAN; /* a first label does not count */
    metric[M_LAMBDA] = s->now;
    metric[M_ENTROPY] = s->mean;
    metric[M_LEVEL] = (double)m->level;
    metric[M_LENGTH] = m->length;
    metric[M_EVALUATIONS] = (double)m->evaluations;
    metric[M_SECONDS] = m->seconds;
}

WLAB_SMOOTH_HOOKS(entropy, "the objective of the current level along the last move of w");

static double row_loss(const wlab_params *given, double T, double weight, double o, double *full)
{
    (void)T;
    *full = wlab_params_real(given, "lambda_e");
    return weight > 0 ? weight / *full * uncertainty(o).value : 0;
}

static void explain(const void *state, char *buf, size_t size)
{
    const entropy *s = state;
    const smooth *m = &s->m;
    char changed[WL_SMOOTH_CHANGED];

    if (m->step == 0)
        snprintf(buf, size,
                 "No step has been made yet: w = 0.  The first level is a logistic regression on the %lld "
                 "labelled rows.",
                 (long long)m->l);
    else
        snprintf(buf, size,
                 "Level %lld of %lld, lambda_e = %.4g: iteration %lld of L-BFGS moved w by %.3g, to the "
                 "objective %.10g "
                 "with a gradient of norm %.3g; J is %.10g.  The mean entropy of the unlabelled rows is %.3g "
                 "nats.%s%s",
                 (long long)m->level, (long long)m->levels, s->now, (long long)m->tries, m->length,
                 m->objective, m->gradient, s->J, s->mean, wlab_smooth_changed(m, changed),
                 wlab_smooth_reached(m));
}

static void next(const void *state, char *buf, size_t size)
{
    const entropy *s = state;

    if (s->m.finished)
        snprintf(buf, size, "nothing: %s", wlab_smooth_why(&s->m));
    else if (s->m.level_done)
        snprintf(buf, size, "raise lambda_e, then an iteration of L-BFGS");
    else
        snprintf(buf, size, "an iteration of L-BFGS at lambda_e = %.4g", s->now);
}

static void walk(void *state, wlab_walk *w)
{
    entropy *s = state;
    WL_WALK(w, s->J);
    WL_WALK(w, s->J_norm);
    WL_WALK(w, s->J_labelled);
    WL_WALK(w, s->J_unlabelled);
    WL_WALK(w, s->mean);
    wlab_smooth_walk(&s->m, w);
}

WLAB_KERNEL_HOOK(entropy, m.kernel)

const wlab_algo wlab_algo_entropy = {
    .name = "entropy",
    .summary = "logistic regression with a penalty on the entropy of the unlabelled rows' probabilities",
    .idea = WL_IDEA_DESCENT,
    .problem = "min over w of J(w) = lambda/2 ||w||^2 + 1/l sum_i log(1 + exp(-y_i o_i)) + lambda_e/u sum_j "
               "H(p_j), where "
               "p_j = 1/(1 + exp(-o'_j))",
    .symbols = "i: one of l labelled rows, with the label y_i and the output o_i = w'phi(x_i)\n"
               "j: one of u unlabelled rows, with the output o'_j\n"
               "phi(x): the features of a row; their inner products are the kernel\n"
               "p_j: the predicted probability that row j has the label +1\n"
               "H(p): its entropy, -p log p - (1 - p) log(1 - p)\n"
               "lambda_e: weight of the entropy, which rises",
    .when = "some labels; probabilities are wanted, and the balance of the classes is not known",
    .cost = "an iteration: some passes over the rows; a kernel needs a factor of its matrix once",
    .proves = "a lower bound on J, from the labelled rows alone",
    .work = "(1 - K) * 2e-9 * z + K * 3e-9 * n^2",
    .work_once = "K * 4.4e-11 * n^3",
    .memory = "K * 16 * n^2 + 60 * n",
    .source =
        "Grandvalet and Bengio, Semi-supervised learning by entropy minimization, NIPS 17 (2004), Eq. 5",
    .learns_from = WL_SEES_SOME_LABELS,
    .any_balance = true,
    .step_unit = "an iteration of L-BFGS",
    .inner_unit = "the same; the first of a level raises lambda_e",
    .converged = "gradient <= eps * (1 + abs(objective))",
    .converged_also = "the condition is that of the last level",
    .phase_unit = "level",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .row_loss = row_loss,
    .loss = WL_LOSS_LOGISTIC,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
