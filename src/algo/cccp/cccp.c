/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cccp: the semi-supervised SVM by the convex-concave procedure (cccp.h).  Step 1 is the SVM of the labelled rows.  Each further
 * step is a round: the concave part of J is replaced by its tangent at the present outputs, and the convex problem that
 * results is solved.  J never rises.  When a round would use the tangents of the round before, w is a fixed point.
 */
#include "algo/cccp/cccp.h"
#include "algo/balance.h"
#include "base/clock.h"
#include "base/walk.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const char *const loss_names[] = {"hinge", "squared-hinge", NULL};
static const wlab_param_info params[] = {
    {.name = "loss",
     .type = WL_P_CHOICE,
     .fallback = "hinge",
     .choices = loss_names,
     .meaning = "hinge: p = 1, each round by SMO, on a kernel matrix; squared-hinge: p = 2, by Newton's "
                "method, with "
                "kernel=linear on the data",
     .flags = WL_P_OBJECTIVE},
    WLAB_KERNEL_ONLY_PARAMS("auto"),
    {.name = "C",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning =
         "C, weight of a labelled row's loss; auto: 1 / the variance of the unlabelled rows, the mean of "
         "||phi - m||^2",
     .flags = WL_P_OBJECTIVE},
    {.name = "ratio",
     .type = WL_P_TEXT,
     .fallback = "auto",
     .meaning = "C*/C, the weight of an unlabelled row relative to a labelled one; auto: l/u",
     .flags = WL_P_OBJECTIVE},
    {.name = "s",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = -1,
     .hi = 0,
     .meaning = "where the ramp ends: the loss of an unlabelled row is flat for |o| <= -s",
     .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},
    WLAB_BALANCE_PARAM,
    {.name = "rounds",
     .type = WL_P_INT,
     .fallback = "20",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of rounds",
     .flags = WL_P_MUTABLE},
    {.name = "decrease",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .unit = "relative",
     .meaning = "a round whose gain is at most this times J is the last"},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-8",
     .lo = 0,
     .hi = 1,
     .unit = "relative",
     .meaning = "duality gap to which each convex problem is solved",
     .flags = WL_P_OPEN_LO},
    {.name = NULL}};

static void destroy(void *state)
{
    cccp *s = state;
    if (!s)
        return;
    wlab_kernel_clear(&s->kernel);
    wlab_mfn_destroy(s->m);
    wlab_centred_destroy(s->rows);
    wlab_free(s->K);
    wlab_free(s->mean_K);
    wlab_free(s->beta);
    wlab_free(s->f);
    wlab_free(s->at);
    wlab_free(s->old);
    wlab_free(s->y);
    wlab_problem_unref(s->p);
    wlab_free(s);
}

static void count_sides(cccp *s, const double *o)
{
    s->plus = s->minus = s->undecided = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->p->visible[i])
            continue;
        const int side = cccp_side(&s->hat, o[i]);
        (side > 0 ? &s->plus : side < 0 ? &s->minus : &s->undecided)[0]++;
    }
}

static wlab_code fill(cccp *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_problem *p = s->p;
    wlab_code code = wlab_balance_check(p, err);

    if (code || (code = wlab_balance_choose(&s->r, p, given, err)))
        return code;
    s->n = p->n;
    for (int64_t i = 0; i < p->n; i++)
        s->u += p->visible[i] == 0;
    s->l = s->n - s->u;
    s->b0 = 2 * s->r - 1;
    s->hat = (cccp_hat){.squared = wlab_params_choice(given, "loss") == 1, .s = wlab_params_real(given, "s")};
    s->decrease = wlab_params_real(given, "decrease");
    s->most = wlab_params_int(given, "rounds");
    s->kernel.kind = wlab_kernel_kind_of(given, p->X);
    if ((code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)))
        return code;
    s->kernel.bias = 0; /* there is no bias=: the offset is free */
    if ((code = cccp_make_problem(s, given, ctx, err)))
        return code;
    s->beta = wlab_alloc((size_t)s->n, sizeof *s->beta);
    s->f = wlab_alloc((size_t)s->n, sizeof *s->f);
    s->at = wlab_calloc((size_t)s->n, sizeof *s->at);
    s->old = wlab_calloc((size_t)s->m->dim + 1, sizeof *s->old);
    s->y = wlab_alloc((size_t)s->n, 1);
    if (!s->beta || !s->f || !s->at || !s->old || !s->y)
        return wlab_nomem(err);
    memcpy(s->y, p->visible, (size_t)s->n);
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    cccp *s = wlab_calloc(1, sizeof *s);

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    s->J = s->J_norm = s->J_labelled = s->J_unlabelled = s->majoriser = s->gain = s->lower = s->cross = NAN;
    s->upper = INFINITY;
    s->pending = s->u;
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    cccp *s = state;

    (void)err;
    s->most = wlab_params_int(given, "rounds");
    if (s->limited && s->step - 1 < s->most)
        s->finished = s->limited = false;
    return WL_OK;
}

/* ---- values ---- */

double cccp_value(const cccp *s, double norm, const double *o, double *majoriser, double *parts)
{
    double labelled = 0, unlabelled = 0, touching = 0;

    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = s->p->visible[i];
        if (y) {
            labelled += cccp_hinge(&s->hat, y * o[i]);
        } else {
            unlabelled += cccp_loss(&s->hat, o[i]);
            touching += majoriser ? cccp_majoriser(&s->hat, s->at[i], o[i]) : 0;
        }
    }
    if (majoriser)
        *majoriser = 0.5 * norm + s->C * labelled + s->Cu * touching;
    if (parts) {
        parts[0] = 0.5 * norm;
        parts[1] = s->C * labelled;
        parts[2] = s->Cu * unlabelled;
    }
    return 0.5 * norm + s->C * labelled + s->Cu * unlabelled;
}

/* ---- rounds ---- */

static void begin_step(cccp *s)
{
    wlab_mfn *m = s->m;

    s->in_step = true;
    s->solves = 0;
    for (int64_t i = 0; i < s->n; i++)
        s->at[i] = s->step > 0 ? m->o[i] + s->b0 : 0;
    if (m->dim)
        memcpy(s->old, m->w, (size_t)m->dim * sizeof *s->old);
    s->old_norm = m->norm;
    cccp_set_costs(s);
    m->g_known = false;
    wlab_mfn_start(m, NULL);
}

/* <w_old, w> */
static double product(const cccp *s)
{
    return cblas_ddot((int)s->m->dim, s->old, 1, s->K ? s->m->o : s->m->w, 1);
}

/* Labels by the signs of the outputs, and the rows whose tangent the next round changes. */
static void compare_outputs(cccp *s, const double *o)
{
    s->flips = s->pending = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = o[i] > 0 ? 1 : -1;
        if (s->p->visible[i])
            continue;
        s->flips += s->y[i] != y;
        s->y[i] = y;
        s->pending += s->step == 1 || cccp_slope(&s->hat, o[i]) != cccp_slope(&s->hat, s->at[i]);
    }
    count_sides(s, o);
}

static void end_step(cccp *s, wlab_ctx *ctx)
{
    const double before = s->J;
    double *o = s->f, parts[3];

    for (int64_t i = 0; i < s->n; i++)
        o[i] = s->m->o[i] + s->b0;
    s->in_step = false;
    s->inexact = !s->m->done;
    s->cross = product(s);
    if (s->step++ == 0) {
        s->J = cccp_value(s, s->m->norm, o, NULL, parts);
        s->lower = fmax(0, s->m->f - s->m->gap);
    } else {
        s->J = cccp_value(s, s->m->norm, o, &s->majoriser, parts);
        s->gain = before - s->majoriser;
    }
    s->J_norm = parts[0];
    s->J_labelled = parts[1];
    s->J_unlabelled = parts[2];
    s->upper = fmin(s->upper, s->J);
    compare_outputs(s, o);
    if (s->step == 1)
        return;
    const bool ends = s->pending == 0 || s->gain <= s->decrease * s->J;
    s->limited = !ends && s->step - 1 >= s->most;
    s->finished = ends || s->limited;
    s->verdict = !s->finished ? WL_MORE : s->limited ? WL_LIMIT : s->inexact ? WL_STALLED : WL_CONVERGED;
    if (s->limited)
        wlab_emit_note(ctx, "limit rounds=%lld reached: `set rounds=%lld` continues", (long long)s->most,
                       2 * (long long)s->most);
    else if (s->verdict == WL_STALLED)
        wlab_emit_note(
            ctx, "J falls no further, but the last convex problem could not be solved as exactly as eps= "
                 "requests");
}

static wlab_step report(const cccp *s)
{
    return (wlab_step){.complete = true, .verdict = s->finished ? s->verdict : WL_MORE};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    cccp *s = state;
    const double from = wlab_seconds_now();
    bool done = false;
    wlab_code code;

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (!s->in_step) /* a unit of its own, because the units that follow may fail or be interrupted */
        begin_step(s);
    else if ((code = cccp_solve(s, ctx, &done, err)))
        return code;
    if (done) {
        end_step(s, ctx);
        *step = report(s);
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- the slice ---- */

static wlab_code slice(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                       wlab_err *err)
{
    const cccp *s = state;

    (void)ask;
    (void)ctx;
    if (s->step < 2 || s->in_step)
        return wlab_fail(err, WL_ESTATE,
                         s->in_step ? "a round is in work: `step` completes it"
                                    : "no round has been made yet: `step 2` first");
    double *o = wlab_alloc((size_t)s->n, sizeof *o);
    wlab_code code = o ? wlab_probed_make(out, WL_SLICE_POINTS, 3, err) : wlab_nomem(err);
    for (int64_t k = 0; !code && k < WL_SLICE_POINTS; k++) {
        const double t = wlab_slice_place(k);
        const double norm = (1 - t) * (1 - t) * s->old_norm + 2 * t * (1 - t) * s->cross + t * t * s->m->norm;
        for (int64_t i = 0; i < s->n; i++)
            o[i] = (1 - t) * s->at[i] + t * (s->m->o[i] + s->b0);
        out->value[3 * k] = t;
        out->value[3 * k + 1] = cccp_value(s, norm, o, &out->value[3 * k + 2], NULL);
    }
    wlab_free(o);
    return code;
}

static const wlab_probe probes[] = {
    {.name = "slice",
     .kind = WL_PROBE_SLICE,
     .when = WL_PROBE_QUICK,
     .meaning = "J along the last move of w, and the convex majoriser that the round minimised",
     .get = slice,
     .beside = "majoriser"},
    {.name = NULL}};

/* ---- snapshots ---- */

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(J) X(J_norm) X(J_labelled) X(J_unlabelled) X(majoriser) X(gain) X(upper) X(lower) X(old_norm) X(cross) \
    X(step) X(flips) X(pending) X(solves) X(plus) X(minus) X(undecided) X(in_step) X(finished) X(limited)   \
    X(inexact) X(verdict) X(seconds)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    cccp *s = state;
    SCALARS(WL_WALK_FIELD)
    if (wlab_walk_has_read(w) && (s->step < 0 || s->verdict > WL_LIMIT)) {
        s->step = 0;
        s->verdict = WL_MORE;
        wlab_walk_damaged(w);
    }
    WL_WALK_ARRAY(w, s->y, s->n);
    WL_WALK_ARRAY(w, s->at, s->n);
    if (s->in_step)
        WL_WALK_ARRAY(w, s->old, s->m->dim);
    if (wlab_walk_has_read(w))
        cccp_set_costs(s);
    wlab_mfn_walk(s->m, w);
}

WLAB_KERNEL_HOOK(cccp, kernel)

static wlab_loss loss_of(const wlab_params *given)
{
    return wlab_params_choice(given, "loss") == 1 ? WL_LOSS_SQUARED_HINGE : WL_LOSS_HINGE;
}

const wlab_algo wlab_algo_cccp = {
    .name = "cccp",
    .alias = "usvm",
    .summary =
        "semi-supervised SVM by the convex-concave procedure: a convex problem that touches J, in each round",
    .idea = WL_IDEA_DESCENT,
    .problem = "min over w of J(w) = 1/2 ||w||^2 + C sum_i max(0, 1 - y_i o_i)^p + C* sum_j hat(o'_j), where "
               "the mean "
               "of o' is 2 r - 1, hat(o) = min(max(0, 1 - |o|)^p, (1 + s)^p), p = 1 for the hinge loss",
    .symbols = "i: a labelled row, with the label y_i and the output o_i = w'(phi(x_i) - m) + 2 r - 1\n"
               "j: an unlabelled row, with the output o'_j\n"
               "m: the mean of phi over the unlabelled rows\n"
               "phi(x): the features of a row; their inner products are the kernel\n"
               "C, C*: weights of a labelled and of an unlabelled row; C* = C times ratio=\n"
               "p: 1 with loss=hinge, 2 with loss=squared-hinge\n"
               "s: hat is flat for |o| <= -s\n"
               "w_old: w before the round",
    .when = "few labels, the fraction of positives is known, and a descent that needs no step length",
    .cost = "a convex problem of all rows, from the last w: SMO or Newton's method",
    .proves = "a lower bound, from the labelled rows alone",
    .work = "6e-9 * n^2",
    .work_once = "(1 - K) * 1.1e-8 * n^2",
    .memory = "(1 - K) * 8 * n^2 + 60 * n",
    .rows_most = WL_KERNEL_ROWS,
    .source = "Collobert, Sinz, Weston and Bottou, JMLR 7 (2006)",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES,
    .step_unit =
        "a round: replace the concave part of J by its tangent at the outputs, and minimise the majoriser "
        "(step 1: the labelled rows alone)",
    .inner_unit = "the first of a step: the tangents; each further one: a run of SMO, or a Newton iteration",
    .converged = "pending == 0 or gain <= decrease * objective",
    .converged_also = "the last convex problem was solved to eps",
    .params = params,
    .metrics = cccp_metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = cccp_observe,
    .model = cccp_model,
    .kernel = kernel,
    .row_loss = cccp_row_loss,
    .row_majoriser = cccp_row_majoriser,
    .loss_of = loss_of,
    .explain = cccp_explain,
    .next = cccp_next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
