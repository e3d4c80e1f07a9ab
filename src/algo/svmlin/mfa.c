/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mean field annealing (Table 5 of Sindhwani and Keerthi): every unlabelled row has a belief p_j, its probability of
 * being positive, and the objective has an entropy term whose weight is the temperature T.  A step is one
 * alternation: the beliefs for w (mfa_beliefs.c), then w for the beliefs.  When the beliefs have converged, the step
 * first lowers T.  At the end, the run returns to the w with the smallest J on its path; with polish=yes it then
 * switches label pairs as in TSVM.
 */
#include "algo/svmlin/mfa.h"
#include "algo/algos.h"
#include "base/clock.h"
#include "base/rows.h"
#include "base/walk.h"

#include <math.h>
#include <string.h>

#define COOLING 1.5 /* default of cooling=: R of Table 5 */
#define FALLS   30  /* default of temperatures= with this cooling */
#define UNBALANCED                                                                                           \
    0.5 /* warn if the predicted positives are off by more than this fraction of the rarer class */
#define CONVERGED 1e-6 /* epsilon of Table 5, per row */
#define SLACK     0.3  /* how inexact w may be, as a part of what the beliefs gained last */

static const char *const keep_names[] = {"last", "J", "balanced", NULL}; /* in the order of wlab_tr_keep */
static const char *const schedule_names[] = {"paper", "svmlin", NULL};
static const wlab_param_info params[] = {
    TR_SHARED_PARAMS(schedule_names, ""),
    {"anneal", WL_P_BOOL, "yes", 0, 0, NULL, NULL,
     "yes: lower T when the beliefs have converged; no: T is constant (Figures 12, 13)", 0},
    {"T", WL_P_TEXT, "auto", 0, 0, NULL, NULL,
     "initial temperature, or with anneal=no the only one; auto: 10 lambda_u", 0},
    {"cooling", WL_P_REAL, "1.5", 1, 100, NULL, NULL,
     "T is divided by this number when it is lowered; nearer to 1: more temperatures, mostly a smaller J",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"temperatures", WL_P_INT, NULL, 1, 1e9, NULL, NULL,
     "largest number of temperatures; default: 30, or with another cooling= as many as lead to the same "
     "last T",
     WL_P_MUTABLE},
    {"alternations", WL_P_INT, "100", 1, 1000000, NULL, NULL,
     "largest number of alternations at one temperature", WL_P_MUTABLE},
    {"keep", WL_P_CHOICE, "J", 0, 0, keep_names, NULL,
     "the w with which the run ends; J: of all steps' w that with the smallest J, as published; balanced: "
     "that "
     "with the smallest J_balanced, which respects r; last: that of the last step",
     0},
    {"polish", WL_P_BOOL, "no", 0, 0, NULL, NULL, "switch label pairs at the end, as tsvm with S=max does",
     0},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

static void destroy(void *state)
{
    mfa *s = state;
    if (!s)
        return;
    wlab_tr_clear(&s->t);
    wlab_free(s->x);
    wlab_free(s->p);
    wlab_free(s->g);
    wlab_free(s->next.row);
    wlab_free(s->y);
    wlab_free(s);
}

static wlab_code choose_T(mfa *s, const wlab_params *given, wlab_err *err)
{
    const char *text = wlab_params_text(given, "T");

    if (strcmp(text, "auto") == 0)
        s->T = 10 * s->t.lambda_u;
    else if (!wlab_parse_real(text, &s->T) || !(s->T > 0) || isinf(s->T))
        return wlab_fail(err, WL_EARG, "T=%s: give a temperature above 0, or auto", text);
    return WL_OK;
}

/* Reads the parameters by which T falls; they may change between steps. */
static void read_schedule(mfa *s, const wlab_params *given)
{
    s->cooling = wlab_params_real(given, "cooling");
    s->alternations = wlab_params_int(given, "alternations");
    s->temperatures = wlab_params_given(given, "temperatures")
                          ? wlab_params_int(given, "temperatures")
                          : (int64_t)ceil(FALLS * (log(COOLING) / log(s->cooling)) - 1e-9);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    *state = NULL;
    mfa *s = wlab_calloc(1, sizeof *s);
    if ((code = wlab_ranks_agree(wlab_matrix_ranks(p->X), s ? WL_OK : wlab_nomem(err), err))) {
        wlab_free(s);
        return code;
    }
    s->anneal = wlab_params_bool(given, "anneal");
    s->polish = wlab_params_bool(given, "polish");
    read_schedule(s, given);
    if ((code = wlab_tr_create(&s->t, p, given, ctx, err)) || (code = choose_T(s, given, err)))
        goto fail;
    const wlab_code kept = wlab_tr_keep_best(&s->t, (wlab_tr_keep)wlab_params_choice(given, "keep"), err);
    const size_t u = (size_t)s->t.unlabelled.n;
    s->x = wlab_alloc(u, sizeof *s->x);
    s->p = wlab_alloc(u, sizeof *s->p);
    s->g = wlab_alloc(u, sizeof *s->g);
    s->next.row = wlab_alloc(u, sizeof *s->next.row);
    s->y = wlab_calloc((size_t)s->t.n, 1);
    const bool full = !kept && s->x && s->p && s->g && s->next.row && s->y;
    if ((code = wlab_ranks_agree(wlab_tr_ranks(&s->t), full ? WL_OK : wlab_nomem(err), err)))
        goto fail;
    wlab_mfa_even(s);
    s->stage = s->t.l ? MFA_LABELLED : MFA_EVEN;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

static void cost_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    mfa *s = data;
    transductive *t = &s->t;
    const double one = t->lambda_now / (double)t->u;

    (void)block;
    (void)sum;
    for (int64_t j = begin; j < end; j++) {
        t->m->pos[t->unl[j]] = one * s->p[j];
        t->m->neg[t->unl[j]] = one * (1 - s->p[j]);
    }
}

/* Sets the costs of all rows from the beliefs.  As long as these have not converged at a temperature, w may have a gap of
 * SLACK of what their last update gained (about T KL, halved as the losses are). */
static void set_costs(mfa *s, wlab_pool *pool)
{
    transductive *t = &s->t;
    const bool last = t->hinge || !(s->kl > wlab_mfa_tolerance(s)) || s->turn >= s->alternations;

    if (t->lambda_now > 0)
        wlab_rows_run(&t->unlabelled, cost_rows, s, NULL, pool);
    else
        wlab_tr_costs_labelled(t);
    t->m->slack = last ? 0 : SLACK * 0.5 * s->T * s->kl;
    t->m->g_known = false;
}

static void restore_costs(void *state)
{
    set_costs(state, NULL);
}

/* Without labels: sets costs for beliefs that follow the rows' positions along the direction of the largest variance;
 * w = 0. */
static wlab_code begin_unlabelled(mfa *s, wlab_ctx *ctx, wlab_err *err)
{
    transductive *t = &s->t;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const wlab_code code = wlab_tr_direction(t, t->m->o, ctx, err);

    if (!code) {
        t->lambda_now = t->lambda_u;
        s->level = s->turn = 1;
        wlab_mfa_beliefs(s, pool);
    }
    memset(t->m->o, 0, (size_t)t->n * sizeof *t->m->o);
    if (code)
        return code;
    s->kl = NAN;
    set_costs(s, pool);
    return WL_OK;
}

/* Sets costs for p = r everywhere. */
static void begin_even(mfa *s, wlab_pool *pool)
{
    transductive *t = &s->t;

    t->lambda_now = t->lambda_u;
    s->level = s->turn = 1;
    /* Table 5 begins with p = r, and as w = 0 its first update of p gives p = r again.  So the beliefs have converged
     * (kl = 0), and the next step lowers T.  With a constant T, or the schedule of the authors' program, this does not
     * count as convergence. */
    s->kl = t->svmlin || !s->anneal ? NAN : 0;
    set_costs(s, pool);
    if (t->m->mode == WL_MFN_PAPER && t->m->norm > 0) { /* Table 5 begins at w = 0 */
        memset(t->m->w, 0, (size_t)t->m->dim * sizeof *t->m->w);
        memset(t->m->o, 0, (size_t)t->n * sizeof *t->m->o);
        t->m->norm = 0;
    }
}

/* Sets the beliefs to 0 and 1, by the working labels. */
static void set_beliefs_to_labels(mfa *s)
{
    transductive *t = &s->t;

    for (int64_t j = 0; j < t->unlabelled.n; j++)
        s->x[j] = s->y[t->unl[j]] > 0 ? INFINITY : -INFINITY;
    wlab_mfa_from_odds(s);
    s->kl = NAN;
}

/* J has no balance constraint: if classes overlap or one is rare, it may be smallest with all rows on one side. */
static void warn_unbalanced(const mfa *s, wlab_ctx *ctx)
{
    const transductive *t = &s->t;
    const int64_t rarer = t->positives < t->u - t->positives ? t->positives : t->u - t->positives;
    int64_t positive = 0;

    for (int64_t j = 0; j < t->unlabelled.n; j++)
        positive += t->m->o[t->unl[j]] > 0;
    positive = wlab_ranks_total(wlab_tr_ranks(t), positive);
    if (fabs((double)(positive - t->positives)) > UNBALANCED * (double)rarer)
        wlab_emit_warning(
            ctx,
            "this w predicts %lld of %lld unlabelled rows as positive, but r requests %lld: J (Eq. 18) has "
            "no balance constraint%s",
            (long long)positive, (long long)t->u, (long long)t->positives,
            t->keep == WL_TR_KEEP_J ? "; `keep=balanced` ends with the smallest J_balanced" : "");
}

/* An error leaves the state unchanged. */
static wlab_code begin_step(mfa *s, wlab_ctx *ctx, wlab_err *err)
{
    transductive *t = &s->t;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_code code;

    t->cg = t->newtons = 0;
    s->pairs = 0;
    switch (s->stage) {
    case MFA_LABELLED:
        t->phase = 1;
        set_costs(s, pool);
        break;
    case MFA_EVEN:
        if (t->l)
            begin_even(s, pool);
        else if ((code = begin_unlabelled(s, ctx, err)))
            return code;
        t->phase = 1;
        break;
    case MFA_ANNEALING:
        if (s->cool) {
            s->T /= s->cooling;
            s->level++;
            t->phase++;
            s->turn = 0;
        }
        s->turn++;
        wlab_mfa_beliefs(s, pool);
        set_costs(s, pool);
        break;
    case MFA_BEST:
        t->phase++;
        wlab_tr_return_to_best(t);
        wlab_mfa_beliefs(s, pool);
        set_costs(s, pool);
        s->kl = NAN;
        break;
    case MFA_ROUNDED:
        t->phase++;
        wlab_tr_threshold(t, t->m->o, s->y, pool);
        set_beliefs_to_labels(s);
        set_costs(s, pool);
        break;
    case MFA_SWITCHING:
        s->pairs = s->pending;
        for (int64_t k = 0; k < s->next.up + s->next.down; k++)
            s->y[s->next.row[k]] = k < s->next.up ? -1 : 1;
        set_beliefs_to_labels(s);
        set_costs(s, pool);
        break;
    case MFA_END:
        break;
    }
    wlab_tr_begin(t, pool);
    t->in_step = true;
    return WL_OK;
}

/* The stage after the last temperature or the last pair. */
static mfa_stage final_stage(const mfa *s)
{
    if (wlab_tr_had_better(&s->t))
        return MFA_BEST;
    return s->polish && !s->polished ? MFA_ROUNDED : MFA_END;
}

double wlab_mfa_tolerance(const mfa *s)
{
    return s->t.svmlin ? CONVERGED * log(2) : CONVERGED; /* the authors' program counts in bits */
}

double wlab_mfa_entropy_term(const mfa *s)
{
    return (s->t.hinge ? 1 : 0.5) * s->T * s->entropy;
}

/* The stage of the next step.  gained: the step's objective is below that of the step before. */
static mfa_stage next_stage(mfa *s, bool gained, wlab_pool *pool)
{
    const double tolerance = wlab_mfa_tolerance(s);

    switch (s->stage) {
    case MFA_LABELLED:
    case MFA_EVEN:
    case MFA_ANNEALING:
        s->cool = s->kl <= tolerance || s->turn >= s->alternations;
        if (!s->cool)
            return MFA_ANNEALING;
        if (s->anneal && s->level < s->temperatures && s->entropy > tolerance)
            return MFA_ANNEALING;
        s->limited = s->anneal ? s->entropy > tolerance : !(s->kl <= tolerance);
        s->left_entropy = s->entropy;
        return final_stage(s);
    case MFA_ROUNDED:
    case MFA_SWITCHING:
        wlab_tr_pairs(&s->t, s->y, 0, &s->next, pool);
        s->pending = s->next.pairs;
        if (s->stage == MFA_SWITCHING &&
            !gained) /* the gain is lost in rounding: the pairs would be switched back */
            s->pending = 0;
        s->polished = s->pending == 0;
        return s->pending ? MFA_SWITCHING : final_stage(s);
    default:
        return s->polish && !s->polished ? MFA_ROUNDED : MFA_END;
    }
}

static void end_step(mfa *s, wlab_ctx *ctx)
{
    transductive *t = &s->t;
    const bool labels = s->stage == MFA_ROUNDED || s->stage == MFA_SWITCHING;

    const double before = t->objective;
    wlab_pool *pool = ctx ? ctx->pool : NULL;

    t->in_step = false;
    t->step++;
    t->tracking = true;
    wlab_tr_measure(t, labels ? s->y : NULL, pool);
    /* the solver's value, unless w was not solved for these costs */
    t->objective = (s->stage == MFA_BEST ? wlab_tr_value(t, pool) : t->m->f) - wlab_mfa_entropy_term(s);
    wlab_tr_show(t, labels ? s->y : NULL, pool);
    s->last = s->stage;
    s->stage = next_stage(s, t->objective < before, pool);
    t->finished = s->stage == MFA_END;
    t->verdict = !t->finished ? WL_MORE : s->limited ? WL_LIMIT : wlab_tr_ended(t, ctx);
}

/* Each temperature is a phase, and so is each stage after the last temperature; switching may take several steps. */
static wlab_step report(const mfa *s)
{
    return (wlab_step){.complete = true,
                       .verdict = s->t.verdict,
                       .phase = s->t.phase,
                       .phase_complete = s->stage == MFA_ANNEALING ? s->cool : s->stage != MFA_SWITCHING};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    mfa *s = state;
    transductive *t = &s->t;
    const double from = wlab_seconds_now();
    bool done = false;
    wlab_code code = WL_OK;

    *step = t->finished ? report(s) : (wlab_step){0};
    if (t->finished)
        return WL_OK;
    if (!t->in_step) { /* a unit of its own, because the units that follow may fail or be interrupted */
        if ((code = begin_step(s, ctx, err)))
            return code;
    } else if (s->stage == MFA_BEST) { /* w is restored: there is nothing to solve */
        t->m->gap = t->m->gradient = NAN;
        done = true;
    } else if ((code = wlab_tr_iterate(t, ctx, &done, err))) {
        return code;
    }
    if (done && s->stage == MFA_LABELLED) {
        wlab_tr_set_lower(t);
        s->stage = MFA_EVEN;
        begin_even(s, ctx ? ctx->pool : NULL);
        wlab_tr_begin(t, ctx ? ctx->pool : NULL);
        done = false;
    }
    if (done) {
        end_step(s, ctx);
        if (t->finished)
            warn_unbalanced(s, ctx);
        if (t->finished && s->limited) {
            char limit[160];
            wlab_mfa_limit(s, limit, sizeof limit);
            wlab_emit_note(ctx, "%s", limit);
        }
        *step = report(s);
    }
    t->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_tr_model(&((const mfa *)state)->t, out, ctx, err);
}

#define MFA_SCALARS(X)                                                                                       \
    X(T)                                                                                                     \
    X(nu2)                                                                                                   \
    X(kl)                                                                                                    \
    X(entropy)                                                                                               \
    X(level) X(turn) X(pairs) X(pending) X(stage) X(last) X(cool) X(polished) X(limited) X(left_entropy)

static void walk(void *state, wlab_walk *w)
{
    mfa *s = state;
    MFA_SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->x, s->t.unlabelled.n);
    WL_WALK_ARRAY(w, s->y, s->t.n);
    if (wlab_walk_has_read(w))
        wlab_mfa_from_odds(s);
    wlab_tr_walk(&s->t, w, restore_costs, s);
    if (wlab_walk_has_read(w) && !s->t.in_step && s->stage == MFA_SWITCHING) {
        wlab_tr_pairs(&s->t, s->y, 0, &s->next, NULL);
        s->pending = s->next.pairs;
    }
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    mfa *s = state;
    (void)err;
    read_schedule(s, given);
    if (s->t.finished && s->limited &&
        (s->anneal ? s->level < s->temperatures
                   : s->turn < s->alternations)) { /* continue from the w that was kept */
        s->t.finished = s->limited = s->polished = false;
        s->t.verdict = WL_MORE;
        s->stage = MFA_ANNEALING;
        s->cool = s->anneal;
    }
    return WL_OK;
}

WLAB_KERNEL_HOOK(mfa, t.kernel)

const wlab_algo wlab_algo_mfa = {
    .name = "mfa",
    .alias = "da",
    .summary = "mean field annealing: beliefs about the unlabelled rows' labels, at a decreasing temperature",
    .idea = WL_IDEA_DESCENT,
    .problem =
        "min over w and p of lambda/2 ||w||^2 + 1/(2l) sum_i max(0, 1 - y_i o_i)^2 + lambda'/(2u) sum_j (p_j "
        "max(0, 1 - o'_j)^2 + (1 - p_j) max(0, 1 + o'_j)^2) - T/(2u) sum_j H(p_j), where the mean of p is r "
        "(Eq. 8), while T decreases; loss=hinge: max(0, .) in place of max(0, .)^2/2, T in place of T/2",
    .symbols = "i: one of l labelled rows, with the label y_i and the output o_i = w'x_i\n"
               "j: one of u unlabelled rows, with the output o'_j and the belief p_j, the probability that "
               "its label is +1\n"
               "H: the entropy of a belief\n"
               "T: the temperature\n"
               "lambda': the same as lambda_u\n"
               "g_j: lambda' (max(0, 1 - o'_j)^2 - max(0, 1 + o'_j)^2)\n"
               "nu: multiplier of the condition that the mean of p is r\n"
               "active rows: the rows with a loss above 0 at the current w\n"
               "X, y, o, C: their data, labels, outputs, and weights in the objective\n"
               "Eq. 7: the problem with labels y'_j of -1 or +1 in place of beliefs, a fraction r of them +1",
    .when = "as tsvm, where tsvm ends in a poor local optimum",
    .cost = "some Newton iterations, each with some passes over the rows",
    .proves =
        "a lower bound, from the labelled rows alone; `compare` with a WellSVM run may give a better one",
    .work = "(1 - K) * 6e-9 * z + K * 3e-9 * n^2",
    .work_once = "(1 - K) * 6e-8 * z + K * 1.5e-8 * n^2",
    .memory = "K * 3.5 * n^2 + 100 * n",
    .source =
        "Sindhwani and Keerthi, Large Scale Semi-supervised Linear SVMs (2006), Section 3.2, Tables 5 to 7",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES | WL_SEES_NO_LABELS,
    .ranks = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES | WL_SEES_NO_LABELS,
    .step_unit =
        "find the beliefs for w, then w for the beliefs; if the beliefs have converged, lower T first "
        "(step 1: train on the labelled rows, then find w for the belief r in every other row)",
    .inner_unit = "the first of a step: new beliefs; each further one: a Newton iteration",
    .phase_unit = "temperature",
    .converged = "anneal=yes and entropy <= 1e-6 or anneal=no and kl <= 1e-6",
    .converged_also =
        "with schedule=svmlin the limit 1e-6 is 1e-6 log 2. After that the run returns to the w "
        "that keep= selects, and with polish=yes switches pairs. It has converged only if the last w is "
        "exact to eps. With a kernel and 500 rows or more, w may have 100 times this gap in steps before "
        "the beliefs have converged at a temperature, and so may the w that keep= selects",
    .params = params,
    .metrics = wlab_mfa_metrics,
    .create = create,
    .advance = advance,
    .observe = wlab_mfa_observe,
    .model = model,
    .kernel = kernel,
    .row_loss = wlab_tr_row_loss,
    .loss_of = wlab_tr_loss_of,
    .certified = wlab_tr_certified,
    .explain = wlab_mfa_explain,
    .next = wlab_mfa_next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
