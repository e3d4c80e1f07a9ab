/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transductive L2-SVM-MFN with multiple switching (Table 4 of Sindhwani and Keerthi).  The first step trains on the
 * labelled rows and labels the others by their outputs, u+ of them positive.  Each further step switches up to S
 * pairs of labels, or raises lambda' if no pair can be switched, and trains again, starting from the current w.
 *
 * schedule=svmlight is the transductive SVM of SVMlight (Joachims 1999): hinge loss, a free offset, one pair at a time, and a
 * weight lambda' for each class of the unlabelled rows,
 *
 *     lambda'_- = 1e-5 lambda_u at first, lambda'_+ = lambda'_- (u - u+) / u+,
 *
 * so that a rare class counts as much as the other.  Both grow by a factor of 1.5, each up to lambda_u.  A switch lowers the
 * objective for any two weights: as 2 - o's slack is less than the partner's, each row's loss falls.
 */
#include "algo/algos.h"
#include "algo/svmlin/transductive.h"
#include "base/clock.h"
#include "base/rows.h"
#include "base/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_LAMBDA 1e-5 /* lambda' begins here; schedule=svmlight: times lambda_u */

static const char *const schedule_names[] = {"paper", "svmlin", "svmlight", NULL};
static const wlab_param_info params[] = {
    TR_SHARED_PARAMS(schedule_names, "; svmlight: as in SVMlight, with hinge loss, free offset, "
                                     "and a weight for each class"),
    {"S", WL_P_TEXT, "max", 0, 0, NULL, "pairs",
     "largest number of label pairs that a step switches; max: all that "
     "may be switched (`explain pairs`); if it is not given with "
     "schedule=svmlight: 1",
     WL_P_MUTABLE},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

enum {
    M_PAIRS = TR_SHARED,
    M_PENDING,
    M_PLUS,
    M_MINUS,
};
static const wlab_metric_info metrics[] = {
    TR_SHARED_METRICS(WL_M_LINE),
    {.name = "pairs",
     .unit = "pairs",
     .flags = WL_M_COUNT,
     .meaning = "label pairs switched in this step",
     .equation = "y_i = 1, y_j = -1, o_i < 1, -o_j < 1, o_i < o_j"},
    {.name = "pending",
     .unit = "pairs",
     .flags = WL_M_COUNT,
     .meaning = "label pairs that the next step will switch (0: it will raise lambda')"},
    {.name = "lambda_plus",
     .log = true,
     .meaning =
         "schedule=svmlight: lambda' of the unlabelled rows with the label +1; lambda_now is the smaller one",
     .equation = "lambda'_- (u - u+) / u+ at first"},
    {.name = "lambda_minus", .log = true, .meaning = "the same for the label -1", .equation = "lambda'_-"},
    {0}};

typedef struct tsvm {
    transductive t;
    int64_t S;      /* 0: max */
    tr_switch next; /* the next pairs; found again from o and labels after a restore */
    int8_t *y;      /* [n] working labels y' */
    /* ---- snapshot, with t ---- */
    int64_t pairs, pending;
    double plus,
        minus; /* schedule=svmlight: lambda' of each class, of which t.lambda_now is the smaller one */
} tsvm;

static void destroy(void *state)
{
    tsvm *s = state;
    if (!s)
        return;
    wlab_tr_clear(&s->t);
    wlab_free(s->next.row);
    wlab_free(s->y);
    wlab_free(s);
}

static wlab_code choose_S(int64_t *S, const wlab_params *given, wlab_err *err)
{
    const char *text = wlab_params_text(given, "S");

    if (strcmp(text, "max") == 0)
        *S = !wlab_params_given(given, "S") && !strcmp(wlab_params_text(given, "schedule"), "svmlight");
    else if (!wlab_parse_int(text, S) || *S < 1)
        return wlab_fail(err, WL_EARG, "S=%s: give a number of pairs, at least 1, or max", text);
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    *state = NULL;
    tsvm *s = wlab_calloc(1, sizeof *s);
    if ((code = wlab_ranks_agree(wlab_matrix_ranks(p->X), s ? WL_OK : wlab_nomem(err), err))) {
        wlab_free(s);
        return code;
    }
    if ((code = wlab_tr_create(&s->t, p, given, ctx, err)) || (code = choose_S(&s->S, given, err)))
        goto fail;
    s->next.row = wlab_alloc((size_t)s->t.unlabelled.n, sizeof *s->next.row);
    s->y = wlab_calloc((size_t)s->t.n, 1);
    code = wlab_ranks_agree(wlab_tr_ranks(&s->t), s->next.row && s->y ? WL_OK : wlab_nomem(err), err);
    if (code)
        goto fail;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

static void find_pairs(tsvm *s, wlab_pool *pool)
{
    wlab_tr_pairs(&s->t, s->y, s->S, &s->next, pool);
    s->pending = s->next.pairs;
}

static void report_pairs(const tsvm *s, wlab_ctx *ctx)
{
    if (!ctx || !ctx->emit)
        return;
    for (int64_t k = 0; k < s->pending && k < WL_FIRST_PAIRS; k++) {
        const tr_pair *pair = &s->t.first_pair[k];
        wlab_emit_note(ctx, "row %lld, output %.4g, becomes negative, and row %lld, output %.4g, positive",
                       (long long)wlab_tr_row(&s->t, pair->up.row) + 1, pair->up.f,
                       (long long)wlab_tr_row(&s->t, pair->down.row) + 1, pair->down.f);
    }
    if (s->pending > WL_FIRST_PAIRS)
        wlab_emit_note(ctx, "and %lld more pairs are switched", (long long)(s->pending - WL_FIRST_PAIRS));
}

/* lambda' of an unlabelled row with the label y. */
static double weight_of(const tsvm *s, int8_t y)
{
    return !s->t.svmlight ? s->t.lambda_now : y > 0 ? s->plus : s->minus;
}

static void switch_pairs(tsvm *s)
{
    transductive *t = &s->t;

    if (!t->svmlight)
        wlab_mfn_changes(t->m);
    for (int64_t k = 0; k < s->next.up + s->next.down; k++) {
        const int32_t i = s->next.row[k];
        const bool up = k >= s->next.up; /* its new label */
        if (t->svmlight)
            wlab_tr_cost(t, i, up ? s->plus : s->minus, up);
        else
            wlab_mfn_set_costs(t->m, i, up ? t->m->neg[i] : 0, up ? 0 : t->m->pos[i]);
        s->y[i] = up ? 1 : -1;
    }
    s->pairs = s->pending;
}

static void cost_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    tsvm *s = data;
    transductive *t = &s->t;
    const double plus = weight_of(s, 1) / (double)t->u, minus = weight_of(s, -1) / (double)t->u;

    (void)block;
    (void)sum;
    for (int64_t j = begin; j < end; j++) {
        const int32_t k = t->unl[j];
        t->m->pos[k] = s->y[k] > 0 ? plus : 0;
        t->m->neg[k] = s->y[k] > 0 ? 0 : minus;
    }
}

/* Sets the costs of all rows from the labels and lambda'. */
static void set_costs(tsvm *s, wlab_pool *pool)
{
    if (s->t.lambda_now > 0)
        wlab_rows_run(&s->t.unlabelled, cost_rows, s, NULL, pool);
    else
        wlab_tr_costs_labelled(&s->t);
}

static void restore_costs(void *state)
{
    set_costs(state, NULL);
}

/* schedule=svmlight */
static void raise_both(tsvm *s, wlab_pool *pool)
{
    transductive *t = &s->t;
    const double top = t->lambda_u, u = (double)t->u, positives = (double)t->positives;

    s->minus = fmin(top, s->minus > 0 ? 1.5 * s->minus : FIRST_LAMBDA * top);
    s->plus = fmin(top, s->plus > 0 ? 1.5 * s->plus : FIRST_LAMBDA * top * (u - positives) / positives);
    t->lambda_now = fmin(s->plus, s->minus);
    set_costs(s, pool);
    t->phase++;
}

static void raise_lambda(tsvm *s, wlab_pool *pool)
{
    transductive *t = &s->t;

    if (t->lambda_now == 0 && t->m->mode == WL_MFN_PAPER) { /* Table 4 begins again at w = 0 */
        memset(t->m->w, 0, (size_t)t->m->dim * sizeof *t->m->w);
        memset(t->m->o, 0, (size_t)t->n * sizeof *t->m->o);
        t->m->norm = 0;
    }
    const double before = t->lambda_now;
    t->lambda_now = fmin(before > 0 ? before * (t->svmlin ? 1.5 : 2) : FIRST_LAMBDA, t->lambda_u);
    if (before > 0)
        wlab_mfn_scale(t->m, t->sort, t->lambda_now / before);
    else
        t->m->g_known = false;
    set_costs(s, pool);
    t->phase++;
}

/* An error leaves the state unchanged. */
static wlab_code begin_step(tsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    transductive *t = &s->t;
    wlab_pool *pool = ctx ? ctx->pool : NULL;

    t->cg = t->newtons = 0;
    s->pairs = 0;
    if (t->step == 0) {
        if (!t->l) {
            const wlab_code code = wlab_tr_direction(t, t->m->Xq, ctx, err);
            if (code)
                return code;
            wlab_tr_threshold(t, t->m->Xq, s->y, pool);
        }
        t->phase = 1;
        set_costs(s, pool);
        t->m->g_known = false;
    } else if (s->pending > 0) {
        report_pairs(s, ctx);
        switch_pairs(s);
    } else if (t->svmlight) {
        raise_both(s, pool);
    } else {
        raise_lambda(s, pool);
    }
    wlab_tr_begin(t, pool);
    t->in_step = true;
    return WL_OK;
}

static void end_step(tsvm *s, wlab_ctx *ctx)
{
    transductive *t = &s->t;

    const double before = t->objective;
    wlab_pool *pool = ctx ? ctx->pool : NULL;

    t->in_step = false;
    t->objective = t->m->f;
    if (t->step++ == 0) {
        wlab_tr_set_lower(t);
        if (t->l) /* else begin_step has labelled the rows */
            wlab_tr_threshold(t, t->m->o, s->y, pool);
        t->tracking = true;
    }
    wlab_tr_show(t, s->y, pool);
    wlab_tr_measure(t, s->y, pool);
    find_pairs(s, pool);
    if (t->lambda_now == 0) /* switching has no effect yet: the unlabelled rows have no cost */
        s->pending = 0;
    if (s->pairs > 0 &&
        !(t->objective < before)) /* the gain is lost in rounding: the pairs would be switched back */
        s->pending = 0;
    t->finished = s->pending == 0 && t->lambda_now == t->lambda_u;
    t->verdict = t->finished ? wlab_tr_ended(t, ctx) : WL_MORE;
}

/* Each weight lambda' is a phase, which ends when no pair is left to switch. */
static wlab_step report(const tsvm *s)
{
    return (wlab_step){
        .complete = true, .verdict = s->t.verdict, .phase = s->t.phase, .phase_complete = s->pending == 0};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    tsvm *s = state;
    const double from = wlab_seconds_now();
    bool done = false;
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (s->t.finished) {
        *step = report(s);
        return WL_OK;
    }
    /* to begin is a unit of its own, because the units that follow may fail or be interrupted */
    if ((code = s->t.in_step ? wlab_tr_iterate(&s->t, ctx, &done, err) : begin_step(s, ctx, err)))
        return code;
    if (done) {
        end_step(s, ctx);
        *step = report(s);
    }
    s->t.seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const tsvm *s = state;

    wlab_tr_observe(&s->t, metric, labels);
    if (metric) {
        metric[M_PAIRS] = (double)s->pairs;
        metric[M_PENDING] = s->t.step && !s->t.in_step ? (double)s->pending : NAN;
        metric[M_PLUS] = s->t.svmlight ? s->plus : NAN;
        metric[M_MINUS] = s->t.svmlight ? s->minus : NAN;
    }
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_tr_model(&((const tsvm *)state)->t, out, ctx, err);
}

/* "0.01", or "0.01 for the label +1 and 0.02 for -1"; returns buf. */
static const char *name_level(const tsvm *s, char buf[80])
{
    if (s->t.svmlight && s->plus != s->minus)
        snprintf(buf, 80, "%.6g for the label +1 and %.6g for -1", s->plus, s->minus);
    else
        snprintf(buf, 80, "%.6g", s->t.lambda_now);
    return buf;
}

static void explain(const void *state, char *buf, size_t size)
{
    const tsvm *s = state;
    const transductive *t = &s->t;
    char effort[64], level[80];

    if (t->step == 0) {
        snprintf(buf, size,
                 t->l ? "No step has been made yet: the first step trains on the %lld labelled rows."
                      : "No step has been made yet, and no label is given: the first step orders the rows "
                        "along the direction of the largest variance.",
                 (long long)t->l);
    } else if (t->step == 1 && !t->l) {
        snprintf(
            buf, size,
            "No label is given: the rows were ordered along the direction of the largest variance; the first "
            "%lld got the label +1, the other %lld -1.",
            (long long)t->positives, (long long)(t->u - t->positives));
    } else if (t->step == 1) {
        snprintf(buf, size,
                 "The SVM was trained on the %lld labelled rows alone (objective %.10g, %s); the %lld "
                 "unlabelled rows with the largest outputs got the label +1, the other %lld "
                 "-1.",
                 (long long)t->l, t->objective, wlab_tr_effort(t, effort), (long long)t->positives,
                 (long long)(t->u - t->positives));
    } else if (s->pairs == 0) {
        snprintf(buf, size,
                 "No pair of labels was left to switch, so lambda' was raised to %s%s, and w was trained "
                 "again: objective %.10g with these labels, %s.  J, with the better label for every row and "
                 "the final lambda', is %.10g.",
                 name_level(s, level), t->lambda_now == t->lambda_u ? ", its final value" : "", t->objective,
                 wlab_tr_effort(t, effort), t->J);
    } else {
        snprintf(buf, size,
                 "%lld pair%s of labels %s switched at lambda' = %s: in each, a positive row had a smaller "
                 "output than a negative one, and neither was beyond the margin on the side of its label, so "
                 "the switch alone lowered the "
                 "objective.  After training again it is %.10g (%s); J is %.10g.",
                 (long long)s->pairs, s->pairs == 1 ? "" : "s", s->pairs == 1 ? "was" : "were",
                 name_level(s, level), t->objective, wlab_tr_effort(t, effort), t->J);
    }
}

static void next(const void *state, char *buf, size_t size)
{
    const tsvm *s = state;
    const transductive *t = &s->t;
    char level[80];

    if (t->finished)
        snprintf(buf, size, "nothing: lambda' has its final value and no pair is left to switch");
    else if (t->in_step)
        snprintf(buf, size, "continue training w");
    else if (t->step == 0)
        snprintf(buf, size,
                 t->l ? "train on the labelled rows and label the others by their outputs"
                      : "label the rows by their positions along the direction of the largest variance");
    else if (s->pending > 0)
        snprintf(buf, size, "switch %lld pair%s of labels and train again", (long long)s->pending,
                 s->pending == 1 ? "" : "s");
    else
        snprintf(buf, size, "raise lambda' from %s and train again", name_level(s, level));
}

static void walk(void *state, wlab_walk *w)
{
    tsvm *s = state;
    WL_WALK(w, s->pairs);
    WL_WALK(w, s->pending);
    WL_WALK(w, s->plus);
    WL_WALK(w, s->minus);
    WL_WALK_ARRAY(w, s->y, s->t.n);
    wlab_tr_walk(&s->t, w, restore_costs, s);
    if (wlab_walk_has_read(w) && !s->t.in_step && s->pending > 0)
        find_pairs(s, NULL);
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    tsvm *s = state;
    int64_t S = 0;
    wlab_code code = choose_S(&S, given, err);

    if (code)
        return code;
    s->S = S;
    if (!s->t.in_step && s->pending > 0)
        find_pairs(s, NULL);
    return WL_OK;
}

WLAB_KERNEL_HOOK(tsvm, t.kernel)

const wlab_algo wlab_algo_tsvm = {
    .name = "tsvm",
    .summary = "transductive SVM with multiple switching: label pairs change sides while lambda' grows",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w and y' of lambda/2 ||w||^2 + 1/(2l) sum_i max(0, 1 - y_i o_i)^2 + lambda'/(2u) "
               "sum_j max(0, 1 - y'_j o'_j)^2, where a fraction r of the labels y' is +1 (Eq. 7); "
               "loss=hinge: max(0, .) in place of max(0, .)^2/2; schedule=svmlight: that with a free offset",
    .symbols = "i: one of l labelled rows, with the label y_i and the output o_i = w'x_i\n"
               "j: one of u unlabelled rows, with the output o'_j and the label y'_j, which is to be found\n"
               "lambda': grows from level to level, up to lambda_u\n"
               "active rows: the rows with a loss above 0 at the current w\n"
               "X, y, o, C: their data, labels, outputs, and weights in the objective",
    .when = "few labels and many rows, text for example; the fraction of positives is known",
    .cost = "some Newton iterations, each with some passes over the rows",
    .proves =
        "a lower bound, from the labelled rows alone; `compare` with a WellSVM run may give a better one",
    .work = "(1 - K) * 6e-9 * z + K * 2.5e-9 * n^2",
    .work_once = "(1 - K) * (5e-3 + 1e-8 * z)",
    .memory = "K * 3.5 * n^2 + 80 * n",
    .source = "Sindhwani and Keerthi, Large Scale Semi-supervised Linear SVMs (2006), Section 3.1, Table 4; "
              "schedule=svmlight: Joachims, ICML 1999",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES | WL_SEES_NO_LABELS,
    .ranks = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES | WL_SEES_NO_LABELS,
    .step_unit =
        "switch up to S pairs of labels, or raise lambda' if no pair is left, and train again (step 1: "
        "train on the labelled rows and label the others by their outputs)",
    .inner_unit = "the first of a step: new labels or a larger lambda'; each further one: a Newton iteration",
    .phase_unit = "lambda' level",
    .converged =
        "pending == 0 and lambda_now >= lambda_u and (newton=paper or inner_gap <= eps * abs(objective))",
    .converged_also = "with newton=paper the test of Table 1 decides whether w is exact",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .kernel = kernel,
    .row_loss = wlab_tr_row_loss,
    .loss_of = wlab_tr_loss_of,
    .certified = wlab_tr_certified,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
