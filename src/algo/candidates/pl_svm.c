/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pl-svm: the max-margin method for partial labels (Nguyen and Caruana 2008).  The largest output over a row's candidates
 * is to exceed the largest over the other classes by 1.  J is not convex, as -max over the candidates is concave.  With
 * one candidate of each row in place of the maximum, its choice, it is convex, nowhere below J, and touches J where the
 * choice is the candidate with the largest output.  So a round solves that problem (solve/svm/multi.h) to a certified gap,
 * and then chooses again; J never rises.
 *
 * The first round has the mean over the candidates in place of the maximum, which is convex, nowhere below J, and depends
 * on no random numbers.  Further restarts begin with random choices.
 */
#include "algo/candidates/pl_svm.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

enum {
    MOST_PASSES = 5000 /* of one convex problem */
};

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
    {.name = "restarts",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 1,
     .hi = 1000,
     .meaning =
         "number of restarts; the first begins with the mean over the candidates, the others with random "
         "choices; the one with the smallest objective is shown"},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-4",
     .lo = 0,
     .hi = 1,
     .unit = "relative",
     .meaning =
         "the convex problem of a round is solved to a certified gap of this times the objective, and a "
         "restart ends when a round lowers its objective by at most this fraction",
     .flags = WL_P_OPEN_LO | WL_P_MUTABLE},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "100",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of rounds",
     .flags = WL_P_MUTABLE},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the random choices, and of the order of the rows in a pass"},
    {.name = NULL}};

static void destroy(void *state)
{
    pl_svm *s = state;
    if (!s)
        return;
    for (int64_t k = 0; s->r && k < s->restarts; k++) {
        wlab_multi_clear(&s->r[k].m);
        wlab_free(s->r[k].W);
        wlab_free(s->r[k].o);
    }
    wlab_free(s->r);
    wlab_free(s->list);
    wlab_free(s->y);
    wlab_free(s->o);
    wlab_functions_clear(&s->f);
    wlab_free(s);
}

static void read_mutable(pl_svm *s, const wlab_params *given)
{
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "iterations");
}

/* ---- creation ---- */

/* A random candidate of every row that has several. */
static void draw_choices(const pl_svm *s, int64_t k, int8_t *choice)
{
    wlab_rng rng;

    wlab_rng_seed(&rng, s->seed * 1000003 + (uint64_t)k);
    for (int64_t i = 0; i < s->f.n; i++) {
        uint64_t may = s->f.set[i];
        for (uint64_t drop = wlab_rng_below(&rng, (uint64_t)__builtin_popcountll(may)); drop > 0; drop--)
            may &= may - 1;
        choice[i] = (int8_t)__builtin_ctzll(may);
    }
}

static wlab_code make_restart(pl_svm *s, int64_t k, wlab_err *err)
{
    const functions *f = &s->f;
    pl_restart *r = &s->r[k];
    wlab_code code;

    *r = (pl_restart){.m = {.X = f->rows->X,
                            .bias = f->rows->bias,
                            .square = f->rows->square,
                            .set = f->set,
                            .P = f->P,
                            .lambda = s->lambda},
                      .moving = true,
                      .same_as = -1,
                      .J = NAN,
                      .loss = NAN,
                      .drop = NAN,
                      .gap = NAN,
                      .convex = NAN,
                      .lower = 0};
    if ((code = wlab_multi_create(&r->m, err)))
        return code;
    r->W = wlab_calloc((size_t)(f->P * f->dim) + 1, sizeof *r->W);
    r->o = wlab_calloc((size_t)(f->P * f->n), sizeof *r->o);
    if (!r->W || !r->o)
        return wlab_nomem(err);
    if (k > 0)
        draw_choices(s, k, r->m.choice);
    return WL_OK;
}

static wlab_code allocate(pl_svm *s, wlab_err *err)
{
    wlab_code code = WL_OK;

    s->r = wlab_calloc((size_t)s->restarts, sizeof *s->r);
    s->list = wlab_calloc((size_t)s->restarts, sizeof *s->list);
    s->y = wlab_alloc((size_t)s->f.n, 1);
    s->o = wlab_alloc((size_t)(s->f.P * s->f.n), sizeof *s->o);
    if (!s->r || !s->list || !s->y || !s->o)
        return wlab_nomem(err);
    memcpy(s->y, s->f.p->visible, (size_t)s->f.n);
    for (int64_t k = 0; !code && k < s->restarts; k++)
        code = make_restart(s, k, err);
    return code;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    pl_svm *s = wlab_calloc(1, sizeof *s);
    wlab_code code;

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    read_mutable(s, given);
    if ((code = wlab_functions_make(&s->f, p, given, ctx, err))) {
        destroy(s);
        return code;
    }
    s->lambda = wlab_functions_lambda(&s->f, given);
    /* without a choice to make, all restarts would be the same */
    s->restarts = s->f.ambiguous ? wlab_params_int(given, "restarts") : 1;
    s->moving = s->restarts;
    if ((code = allocate(s, err))) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* A smaller eps= makes every restart that is not merged move again. */
static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    pl_svm *s = state;
    const double eps = s->eps;
    (void)err;
    read_mutable(s, given);
    if (s->eps < eps) {
        s->moving = 0;
        for (int64_t k = 0; k < s->restarts; k++)
            s->moving += s->r[k].moving = s->r[k].same_as < 0;
        s->finished = false;
    }
    if (s->limited && s->step < s->most)
        s->finished = s->limited = false;
    return WL_OK;
}

/* ---- a round of one restart ---- */

/* J at outputs o of W. */
static double value(const pl_svm *s, const double *W, const double *o, double *loss)
{
    const functions *f = &s->f;
    double norm = 0, sum = 0;

    for (int64_t j = 0; j < f->P * f->dim; j++)
        norm += W[j] * W[j];
    for (int64_t i = 0; i < f->n; i++) {
        if (f->set[i] == f->all)
            continue;
        const int in = wlab_functions_largest(f, o, i, f->set[i]),
                  out = wlab_functions_largest(f, o, i, f->all & ~f->set[i]);
        sum += fmax(0, 1 - o[in * f->n + i] + o[out * f->n + i]);
    }
    *loss = sum / (double)f->told;
    return 0.5 * s->lambda * norm + *loss;
}

/* Chooses the candidate with the largest output of each row, the present one if none is larger; returns how many choices
 * of rows with a loss changed. */
static int64_t choose(const functions *f, const double *o, int8_t *choice)
{
    int64_t changes = 0;

    for (int64_t i = 0; i < f->n; i++) {
        const int best = wlab_functions_largest(f, o, i, f->set[i]);
        if (f->set[i] == f->all)
            choice[i] = 0; /* it has no effect */
        else if (choice[i] < 0 || o[best * f->n + i] > o[choice[i] * f->n + i]) {
            changes += (f->set[i] & (f->set[i] - 1)) != 0; /* a single candidate is no choice */
            choice[i] = (int8_t)best;
        }
    }
    return changes;
}

/* Ends the round at outputs s->o of the convex problem's W.  If J has not fallen, the restart keeps its functions. */
static void end_round(pl_svm *s, pl_restart *r, double J, double loss)
{
    const functions *f = &s->f;

    r->in_round = false;
    r->passes = r->m.passes;
    r->gap = fmax(0, r->m.primal - r->m.dual);
    r->convex = r->m.primal;
    if (f->ambiguous == 0)
        r->lower = fmax(r->lower, r->m.dual);
    if (J >= r->J) { /* false in the first round */
        r->drop = 0;
        r->changes = 0;
        r->moving = false;
        return;
    }
    r->drop = r->J - J;
    r->J = J;
    r->loss = loss;
    memcpy(r->W, r->m.W, (size_t)(f->P * f->dim) * sizeof *r->W);
    memcpy(r->o, s->o, (size_t)(f->P * f->n) * sizeof *r->o);
    r->changes = choose(f, r->o, r->m.choice);
    r->moving = r->changes > 0 && !(r->drop <= s->eps * r->J);
}

/* A pass of the restart's convex problem.  The round ends when its gap is small enough. */
static void advance_restart(pl_svm *s, pl_restart *r, wlab_pool *pool)
{
    double loss;

    wlab_multi_pass(&r->m, s->seed);
    wlab_functions_outputs(&s->f, r->m.W, s->o, pool);
    wlab_multi_measure(&r->m, s->o);
    const double J = value(s, r->m.W, s->o, &loss);
    r->missed = !(r->m.primal - r->m.dual <= s->eps * fmin(J, r->J)); /* fmin leaves out a NaN */
    if (!r->missed || r->m.passes >= MOST_PASSES)
        end_round(s, r, J, loss);
}

/* ---- a step ---- */

static void begin_step(pl_svm *s)
{
    for (int64_t k = 0; k < s->restarts; k++)
        if (s->r[k].moving) {
            wlab_multi_start(&s->r[k].m);
            s->r[k].in_round = true;
        }
    s->begun = true;
}

/* Restarts with the same choices go the same way. */
static void merge(pl_svm *s)
{
    for (int64_t k = 0; k < s->restarts; k++)
        s->list[k] = (wlab_restart){s->r[k].m.choice, s->r[k].J, &s->r[k].same_as, &s->r[k].moving};
    wlab_restarts_merge(s->list, s->restarts, s->f.n, 0, false);
}

static void end_step(pl_svm *s)
{
    s->begun = false;
    s->step++;
    s->moving = 0;
    s->leader_before = s->leader;
    for (int64_t k = 0; k < s->restarts; k++) {
        s->moving += s->r[k].moving;
        if (s->r[k].J < s->r[s->leader].J)
            s->leader = k;
    }
    s->flips = wlab_functions_labels(&s->f, s->r[s->leader].o, s->y);
    s->limited = s->moving > 0 && s->step >= s->most;
    s->finished = s->moving == 0 || s->limited;
}

static wlab_step report(const pl_svm *s)
{
    return (wlab_step){.complete = true,
                       .verdict = !s->finished             ? WL_MORE
                                  : s->limited             ? WL_LIMIT
                                  : s->r[s->leader].missed ? WL_STALLED
                                                           : WL_CONVERGED};
}

static void note_end(const pl_svm *s, wlab_ctx *ctx)
{
    if (s->limited)
        wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                       (long long)s->most, 2 * (long long)s->most);
    else if (s->finished && s->r[s->leader].missed)
        wlab_emit_note(ctx,
                       "the last convex problem has a gap of %.2g after %d passes, more than eps= allows: "
                       "scale the columns (`scale zscore`), or use a larger lambda",
                       s->r[s->leader].gap, MOST_PASSES);
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    pl_svm *s = state;
    const double from = wlab_seconds_now();
    bool inside = false;

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (!s->begun)
        begin_step(s);
    for (int64_t k = 0; k < s->restarts; k++) {
        if (s->r[k].in_round)
            advance_restart(s, &s->r[k], ctx ? ctx->pool : NULL);
        inside |= s->r[k].in_round;
    }
    if (!inside) {
        merge(s);
        end_step(s);
        *step = report(s);
        note_end(s, ctx);
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const pl_svm *s = state;

    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    return wlab_functions_model(&s->f, out, s->r[s->leader].W, ctx ? ctx->pool : NULL, err);
}

WLAB_KERNEL_HOOK(pl_svm, f.kernel)

const wlab_algo wlab_algo_pl_svm = {
    .name = "pl-svm",
    .summary =
        "candidate labels by a multi-class SVM: the best candidate against the best other class, in turn",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w of J = lambda/2 sum_k ||w_k||^2 + 1/m sum_i max(0, 1 - [max_{k in S_i} f_k(x_i) - "
               "max_{k not in S_i} f_k(x_i)])",
    .symbols =
        "f_k(x) = w_k'phi(x): the function of class k; the largest one gives the label\n"
        "S_i: the candidates of row i\n"
        "c_i: its choice, the candidate with the largest output before the round\n"
        "m: number of rows with fewer candidates than classes; the others have no loss\n"
        "G: J with the output of c_i in place of the largest of S_i (first round: with the mean over S_i)\n"
        "D: the dual value of G's minimisation\n"
        "phi(x): the features of a row; their inner products are the kernel",
    .when = "candidate labels of more than two classes, where the wrong candidates of a row vary",
    .cost = "a round: some ten to some hundred passes over the rows for each class; a kernel needs a factor "
            "of its "
            "matrix once",
    .proves = "the minimum if every row has one candidate; else the minimum for the choices of each round",
    .work = "restarts * P * ((1 - K) * 1e-5 * z + K * 2.5e-8 * n^2)",
    .work_once = "K * 4.4e-11 * n^3",
    .memory = "K * 16 * n^2 + 16 * n * P",
    .source = "Nguyen and Caruana, Classification with partial labels, KDD 2008",
    .learns_from = WL_SEES_ALL_LABELS | WL_SEES_CANDIDATES,
    .made_for = WL_SEES_CANDIDATES,
    .multiclass = true,
    .step_unit = "a round of every restart that moves: the convex problem for its choices, then new choices",
    .inner_unit = "a pass over the rows",
    .converged = "inner_gap <= eps * objective and (changes == 0 or drop <= eps * objective)",
    .params = params,
    .metrics = pl_svm_metrics,
    .probes = pl_svm_probes,
    .create = create,
    .advance = advance,
    .observe = pl_svm_observe,
    .loss = WL_LOSS_HINGE,
    .model = model,
    .kernel = kernel,
    .setting = wlab_functions_setting,
    .explain = pl_svm_explain,
    .next = pl_svm_next,
    .walk = pl_svm_walk,
    .set = set,
    .destroy = destroy,
};
