/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * alternate: an SVM for the labels, then the labels of the label set that fit the SVM best, in turn, from several initial
 * labelings side by side (objective: alternate.h).  On bags with one key instance it is MI-SVM.
 */
#include "algo/alternate/alternate.h"
#include "algo/algos.h"
#include "algo/alignment.h"
#include "base/clock.h"
#include "base/walk.h"

#include <math.h>
#include <string.h>

static const char *const start_choices[] = {"random", "svm", "alignment", "kmeans", NULL};

static const wlab_param_info params[] = {
    WELL_PROBLEM_PARAMS(0),
    WELL_THRESHOLD_PARAM,
    ALT_PARAMS(
        start_choices, "svm",
        "initial labels; random: drawn from the label set; alignment: the best of tries= drawn ones by y'Ky, "
        "in "
        "each restart; svm: in restart 1 the first labeling of wellsvm, to which the SVM on the given labels "
        "rounds; kmeans: in restart 1 those of kmeans (task cluster; with kernel= and its width if they are "
        "given), "
        "rounded into the label set; the other restarts are random",
        NULL, "; default: 10, or 1 with start=kmeans"),
    {.name = NULL}};

void alt_destroy(void *state)
{
    alternate *s = state;
    if (!s)
        return;
    for (int64_t k = 0; s->r && k < s->restarts; k++) {
        wlab_free(s->r[k].y);
        wlab_free(s->r[k].alpha);
        wlab_free(s->r[k].beta);
        wlab_free(s->r[k].f);
    }
    wlab_free(s->r);
    wlab_free(s->alpha);
    wlab_free(s->beta);
    wlab_free(s->f);
    wlab_free(s->target);
    wlab_free(s->tube);
    wlab_free(s->sum);
    wlab_free(s->slack);
    wlab_free(s->order);
    wlab_free(s->y);
    wlab_free(s->drawn);
    wlab_free(s->aligned);
    wlab_free(s->merging);
    wlab_free(s->shown);
    wlab_params_destroy(s->given);
    well_clear(&s->w);
    wlab_free(s);
}

static wlab_code make_restarts(alternate *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m, R = (size_t)s->restarts, dual = (size_t)s->dual;
    s->r = wlab_calloc(R, sizeof *s->r);
    s->alpha = wlab_calloc(dual, sizeof *s->alpha);
    s->beta = wlab_calloc(n, sizeof *s->beta);
    s->f = wlab_calloc(n, sizeof *s->f);
    s->target = wlab_calloc(n, sizeof *s->target);
    s->tube = wlab_calloc(n, sizeof *s->tube);
    s->sum = wlab_calloc(m, sizeof *s->sum);
    s->slack = wlab_calloc((size_t)s->w.groups + 1, sizeof *s->slack);
    s->order = wlab_calloc(n, sizeof *s->order);
    s->y = wlab_calloc(R * n, 1);
    s->drawn = wlab_calloc(n, 1);
    s->aligned = wlab_calloc(2 * R, sizeof *s->aligned);
    s->merging = wlab_calloc(R, sizeof *s->merging);
    s->shown = wlab_alloc(n, 1);
    if (!s->r || !s->alpha || !s->beta || !s->f || !s->target || !s->tube || !s->sum || !s->slack ||
        !s->order || !s->y || !s->drawn || !s->aligned || !s->merging || !s->shown)
        return wlab_nomem(err);
    for (size_t k = 0; k < R; k++) {
        alt_restart *r = &s->r[k];
        r->y = wlab_calloc(n, 1);
        r->alpha = wlab_calloc(dual, sizeof *r->alpha);
        r->beta = wlab_calloc(n, sizeof *r->beta);
        r->f = wlab_calloc(n, sizeof *r->f);
        if (!r->y || !r->alpha || !r->beta || !r->f)
            return wlab_nomem(err);
        r->norm = r->loss = r->first = r->gap = r->alignment = r->least = NAN;
        r->scale = 1;
        r->same_as = -1;
        r->moving = true;
        s->merging[k] = (wlab_restart){.y = r->y, .same_as = &r->same_as, .moving = &r->moving};
    }
    memcpy(s->shown, s->w.p->visible, n);
    return WL_OK;
}

/* The kernel matrix for regression, in the same place as that of an SVM. */
static wlab_code make_regression(alternate *s, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                                 wlab_err *err)
{
    wellsvm *w = &s->w;
    const size_t n = (size_t)p->n;
    wlab_code code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err);
    w->p = wlab_problem_ref(p);
    w->n = w->m = p->n;
    w->lambda = 1;
    if (code || (code = wlab_kernel_choose(&w->kernel, given, p->X, ctx, err)) ||
        (code = wlab_kernel_fits(p->n, WL_KERNEL_ROWS, "rows", "use fewer (`split`), or `algo kmeans`", err)))
        return code;
    w->kernel.bias = 0; /* b is free instead */
    w->K = wlab_alloc(n * n, sizeof *w->K);
    w->kb = wlab_alloc(n, sizeof *w->kb);
    w->beta = wlab_alloc(n, sizeof *w->beta);
    if (!w->K || !w->kb || !w->beta)
        return wlab_nomem(err);
    if (p->labels->groups != 1 || wlab_labelset_size(p->labels, 0) != p->n)
        return wlab_fail(
            err, WL_ESTATE,
            "the label set fixes the labels of some rows, but the cut of the outputs decides all: use "
            "a larger balance=");
    return wlab_kernel_matrix_progress(&w->kernel, p->X, p->X, p->row, w->K, ctx, err);
}

static wlab_code make_svm(alternate *s, wlab_problem *p, const wlab_params *given, bool shared, wlab_ctx *ctx,
                          wlab_err *err)
{
    wlab_code code = well_problem_read(&s->w, p, given, ctx, err);
    s->w.threshold = (well_threshold)wlab_params_choice(given, "threshold");
    if (!code && shared)
        code = well_share_slacks(&s->w, given, err);
    return code ? code : well_problem_make(&s->w, ctx, err);
}

static alt_start start_of(const wlab_params *given)
{
    static const struct {
        const char *name;
        alt_start start;
    } all[] = {{"random", ALT_RANDOM}, {"svm", ALT_SVM},   {"alignment", ALT_ALIGNMENT},
               {"kmeans", ALT_KMEANS}, {"means", ALT_SVM}, {"bags", ALT_ONES}};
    const char *name = wlab_params_text(given, "start");
    size_t k = 0;
    while (strcmp(all[k].name, name) != 0)
        k++;
    return all[k].start;
}

wlab_code alt_create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, alt_form form,
                     wlab_err *err)
{
    const bool regression = form == ALT_REGRESSION;
    alternate *s = wlab_calloc(1, sizeof *s);
    wlab_code code;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->regression = regression;
    if (regression) {
        s->C = wlab_params_real(given, "C");
        s->eps = wlab_params_real(given, "eps");
    }
    s->n = p->n;
    s->m = p->examples;
    s->dual = regression ? s->n : s->m;
    s->start = start_of(given);
    s->tol = wlab_params_real(given, "tol");
    s->decrease = wlab_params_real(given, "decrease");
    s->most = wlab_params_int(given, "iterations");
    s->tries = wlab_params_int(given, "tries");
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    s->mirrored = p->task->clusters;
    s->restarts = wlab_params_text(given, "restarts") ? wlab_params_int(given, "restarts")
                  : s->start == ALT_KMEANS            ? 1
                                                      : 10;
    if (p->labels->groups == 0) /* there is one labeling only */
        s->restarts = 1;
    s->distinct = s->moving = s->restarts;
    s->best = NAN;
    code = regression ? make_regression(s, p, given, ctx, err)
                      : make_svm(s, p, given, form == ALT_SVM_OF_BAGS, ctx, err);
    if (code || (code = make_restarts(s, err)) || (code = wlab_params_copy(&s->given, given, err))) {
        alt_destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    return alt_create(state, p, given, ctx, ALT_SVM_OF_EACH, err);
}

const wlab_problem *alt_solved(const void *state)
{
    return ((const alternate *)state)->w.p;
}

wlab_code alt_set(void *state, const wlab_params *given, wlab_err *err)
{
    alternate *s = state;
    (void)err;
    s->most = wlab_params_int(given, "iterations");
    if (!s->regression)
        s->w.threshold = (well_threshold)wlab_params_choice(given, "threshold");
    if (s->limited && s->step < s->most)
        s->finished = s->limited = false;
    return WL_OK;
}

/* ---- steps ---- */

/* The next restart from `turn` on that has not converged; if there is none, the labels are next. */
static void find_turn(alternate *s)
{
    while (s->turn < s->restarts && !s->r[s->turn].moving)
        s->turn++;
    s->stage = s->turn < s->restarts ? ALT_CLASSIFIER : ALT_LABELS;
}

static void negate(double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = -v[i];
}

/* The signs of clusters mean nothing: another restart is shown with those that change fewer labels. */
static void match_signs(alternate *s, alt_restart *r)
{
    int64_t same = 0, opposite = 0;
    for (int64_t i = 0; i < s->n; i++) {
        same += s->shown[i] == r->y[i];
        opposite += s->shown[i] == -r->y[i];
    }
    if (same >= opposite)
        return;
    for (int64_t i = 0; i < s->n; i++)
        r->y[i] = (int8_t)-r->y[i];
    negate(r->beta, s->n);
    negate(r->f, s->n);
    r->b = -r->b;
    if (s->regression)
        negate(r->alpha, s->n);
}

static void end_step(alternate *s, wlab_ctx *ctx)
{
    const int64_t left = s->distinct;
    for (int64_t k = 0; k < s->restarts; k++)
        s->merging[k].objective = alt_objective(s, &s->r[k]);
    s->distinct = wlab_restarts_merge(s->merging, s->restarts, s->n, 0, s->mirrored);
    s->before = s->leader;
    s->leader = alt_representative(s, s->leader);
    s->moving = 0;
    for (int64_t k = 0; k < s->restarts; k++) {
        const alt_restart *r = &s->r[k];
        if (r->same_as >= 0)
            continue;
        s->moving += r->moving;
        if (alt_objective(s, r) < alt_objective(s, &s->r[s->leader]))
            s->leader = k;
    }
    alt_restart *shown = &s->r[s->leader];
    if (!(s->best <= alt_objective(s, shown)))
        s->best = alt_objective(s, shown);
    if (s->mirrored && s->leader != s->before)
        match_signs(s, shown);
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++)
        s->flips += s->shown[i] != shown->y[i];
    memcpy(s->shown, shown->y, (size_t)s->n);
    s->step++;
    if (s->distinct < left)
        wlab_emit_note(ctx,
                       "%lld of %lld restarts are left; the labels of each of the others met those of one of "
                       "these",
                       (long long)s->distinct, (long long)s->restarts);
}

static int64_t missed(const alternate *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->restarts; k++)
        count += s->r[k].same_as < 0 && s->r[k].missed;
    return count;
}

static wlab_step report(const alternate *s)
{
    return (wlab_step){.complete = true,
                       .verdict = !s->finished ? WL_MORE
                                  : s->limited ? WL_LIMIT
                                  : missed(s)  ? WL_STALLED
                                               : WL_CONVERGED};
}

static void say_end(const alternate *s, wlab_ctx *ctx)
{
    if (s->limited)
        wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                       (long long)s->most, 2 * (long long)s->most);
    else if (missed(s))
        wlab_emit_warning(
            ctx,
            "the last classifier of %lld of %lld restarts missed tol=%g: double precision allows no "
            "more; scale the columns (`scale minmax`), or use a smaller C",
            (long long)missed(s), (long long)s->distinct, s->tol);
}

wlab_code alt_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    alternate *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;
    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "SVM iterations", 0);
    switch (s->stage) {
    case ALT_BEGIN:
    case ALT_CLASSIFIER:
        s->w.progress = &progress;
        code = s->stage == ALT_BEGIN ? alt_begin(s, ctx, err) : alt_train(s, s->turn, ctx, err);
        s->w.progress = NULL;
        if (code)
            return code;
        s->turn += s->stage == ALT_CLASSIFIER;
        find_turn(s);
        break;
    case ALT_LABELS:
        if ((code = alt_label(s, ctx, err)))
            return code;
        end_step(s, ctx);
        s->limited = s->moving > 0 && s->step >= s->most;
        s->finished = s->moving == 0 || s->limited;
        s->turn = 0;
        find_turn(s);
        *step = report(s);
        if (s->finished)
            say_end(s, ctx);
        break;
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- snapshots ---- */

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(stage) X(turn) X(step) X(svms) X(flips) X(distinct) X(moving) X(leader) X(before) X(best) X(seconds)   \
    X(finished) X(limited)
#define RESTART(X)                                                                                           \
    X(b) X(norm) X(loss) X(first) X(scale) X(gap) X(alignment) X(least) X(flips) X(same_as) X(moving) X(missed)
/* clang-format on */

static void walk_restart(const alternate *of, alt_restart *s, wlab_walk *w)
{
    RESTART(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->y, of->n);
    WL_WALK_ARRAY(w, s->alpha, of->dual);
    WL_WALK_ARRAY(w, s->beta, of->n);
    WL_WALK_ARRAY(w, s->f, of->n);
}

/* Whether the numbers same_as lead from restart k to one that is left. */
static bool ends(const alternate *s, int64_t k)
{
    for (int64_t many = 0; many < s->restarts; many++) {
        if (s->r[k].same_as < 0)
            return true;
        if (s->r[k].same_as >= s->restarts)
            return false;
        k = s->r[k].same_as;
    }
    return false;
}

void alt_walk(void *state, wlab_walk *w)
{
    alternate *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->shown, s->n);
    for (int64_t k = 0; k < s->restarts; k++)
        walk_restart(s, &s->r[k], w);
    if (!wlab_walk_has_read(w))
        return;
    bool valid = s->leader >= 0 && s->leader < s->restarts && s->turn >= 0 && s->turn <= s->restarts;
    for (int64_t k = 0; k < s->restarts; k++)
        valid = valid && ends(s, k);
    if (valid)
        return;
    s->leader = s->turn = 0; /* remain valid indices */
    for (int64_t k = 0; k < s->restarts; k++)
        s->r[k].same_as = -1;
    wlab_walk_damaged(w);
}

const wlab_algo wlab_algo_alternate = {
    .name = "alternate",
    .summary =
        "an SVM for the labels, then the allowed labels that fit it best, in turn, from several starts",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over w and y in B of 1/2 ||w||^2 + sum_i C_i loss(y_i f_i)",
    .symbols = "B: the label set, all labelings that the task allows\n"
               "y_i: label of example i, given or to be found\n"
               "f_i: the output of example i, w'x_i; of a bag, the sum over its key instances\n"
               "C_i: C1 or C2, the weight of the loss of example i",
    .when = "a quick local minimum for any label set, beside which wellsvm and bb say how good it is",
    .cost = "an SVM for each restart that has not converged",
    .work =
        "restarts * ((1 - K) * (5e-11 * (n * max(0, min(1, 4001 - n)))^2.7 + 3e-7 * z) + K * 5e-11 * n^2.7)",
    .work_once = "(1 - K) * restarts * (1.5e-10 * (n * max(0, min(1, 4001 - n)))^2.7 + 2e-6 * z)",
    .memory = "(1 - K) * 16 * (n * max(0, min(1, 4001 - n)))^2 + K * 8 * n^2 + 40 * z",
    .source = "the problem is Eq. 3 of Li, Tsang, Kwok, Zhou, JMLR 14 (2013); on bags with one key instance "
              "MI-SVM of "
              "Andrews, Tsochantaridis, Hofmann, NIPS 15 (2002)",
    .learns_from = WL_SEES_SOME_LABELS | WL_SEES_POSITIVES | WL_SEES_NO_LABELS | WL_SEES_PROPORTIONS |
                   WL_SEES_BAG_SIGNS | WL_SEES_CANDIDATES,
    .step_unit =
        "one alternation of every restart that has not converged: its SVM for its labels, then the best "
        "labels for its SVM",
    .inner_unit =
        "the first: the initial labels; after that in turn: the SVM of one restart, for each; then the "
        "labels of all",
    .converged = "moving == 0",
    .converged_also =
        "in every restart that is left the last alternation changed no label, or lowered the objective "
        "by at most decrease, and the last SVM reached tol",
    .params = params,
    .metrics = alt_metrics,
    .probes = alt_probes,
    .create = create,
    .advance = alt_advance,
    .observe = alt_observe,
    .model = alt_model,
    .kernel = alt_kernel,
    .certifies = true,
    .loss_of = well_loss_of,
    .setting = well_setting,
    .explain = alt_explain,
    .next = alt_next,
    .walk = alt_walk,
    .set = alt_set,
    .destroy = alt_destroy,
};
