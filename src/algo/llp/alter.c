/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * alter-pSVM, for learning with label proportions: optimises the labels and the classifier in turn while the weight
 * C* of the hinge losses grows (Algorithm 1 of Yu, Liu, Kumar, Jebara and Chang; objective: alter.h).
 */
#include "algo/llp/alter.h"
#include "algo/algos.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const start_names[] = {"random", "bags", "invcal", "conv", NULL};
static const char *const weight_names[] = {"one", "size", NULL};

/* clang-format off */
static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"),
    {"offset", WL_P_CHOICE, "auto", 0, 0, wlab_offset_names, NULL,
     "free: an unregularised b, as in the paper; feature: b comes from a constant feature (bias=), whose weight is "
     "regularised; auto: feature if linear, else free", WL_P_OBJECTIVE},
    {"C", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "C, the weight of the hinge losses at the end; C* grows up to "
                                                   "it", WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {"Cp", WL_P_REAL, "10", 0, HUGE_VAL, NULL, NULL, "weight of the losses of the proportions; 0: ignore them", WL_P_OBJECTIVE},
    {"ploss", WL_P_CHOICE, "absolute", 0, 0, wlab_proportion_loss_names, NULL,
     "L_p, the loss of d = predicted - given proportion; absolute: |d|; squared: d^2; hinge: max(0, |d| - eps)", WL_P_OBJECTIVE},
    {"eps", WL_P_REAL, "0", 0, 1, NULL, NULL, "ploss=hinge: a proportion that is off by at most eps costs nothing", WL_P_OBJECTIVE},
    {"weight", WL_P_CHOICE, "size", 0, 0, weight_names, NULL,
     "weight of a bag in the losses of the proportions; size: its number of rows (as in the authors' program); "
     "one: 1 (Eq. 4 as printed)", WL_P_OBJECTIVE},
    {"restarts", WL_P_INT, NULL, 1, 1000, NULL, NULL,
     "number of restarts; the one with the smallest objective is shown; default: 10; 1 with start=invcal or conv, "
     "where further restarts begin with random labels, or if all labels are given", 0},
    {"start", WL_P_CHOICE, "random", 0, 0, start_names, NULL,
     "initial labels; random: a coin flip for each row; bags: drawn so that each bag has its given proportion; "
     "invcal, conv: the predictions of invcal or conv-psvm", 0},
    {"first", WL_P_REAL, NULL, 0, 1, NULL, "times C",
     "C* starts at first times C, and step 1 first raises it once by grow (default 1e-4; 1 if start=invcal or conv, "
     "as annealing would discard the initial labels, or if all labels are given)", WL_P_OPEN_LO},
    {"grow", WL_P_REAL, "0.5", 1e-3, 100, NULL, NULL, "Delta: C* = min((1 + Delta) C*, C)", 0},
    {"decrease", WL_P_REAL, "1e-4", 0, 1, NULL, "relative",
     "a restart has converged at a C* when an alternation changes no label or lowers the objective by at most this", 0},
    {"merge", WL_P_REAL, "0.005", 0, 1, NULL, "of the rows",
     "when all restarts have converged at a C*, those whose labels differ in at most this fraction of the rows are "
     "merged; 0: only if all labels are equal", 0},
    {"tol", WL_P_REAL, "1e-4", 0, 1, NULL, "relative", "duality gap to which each SVM is solved", WL_P_OPEN_LO},
    {"seed", WL_P_INT, "1", 0, 0x1p53, NULL, NULL, "seed of the initial labels", 0},
    {.name = NULL, .fallback = "backend=own"}};
/* clang-format on */

static void work_destroy(alter_work *w)
{
    if (!w)
        return;
    wlab_free(w->alpha);
    wlab_free(w->f);
    wlab_free(w->v);
    wlab_free(w->order);
    wlab_free(w->y);
    wlab_free(w->rank);
    wlab_free(w);
}

static void destroy(void *state)
{
    alter *s = state;
    if (!s)
        return;
    for (int64_t k = 0; s->r && k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        wlab_free(r->y);
        wlab_free(r->alpha);
        wlab_free(r->v);
        wlab_free(r->w);
        wlab_free(r->f);
        wlab_free(r->w_next);
    }
    for (int64_t k = 0; s->work && k < s->restarts; k++)
        work_destroy(s->work[k]);
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_params_destroy(s->given);
    wlab_proportions_destroy(s->bags);
    wlab_free(s->r);
    wlab_free(s->work);
    wlab_free(s->errs);
    wlab_free(s->queue);
    wlab_free(s->merging);
    wlab_free(s->factor);
    wlab_free(s->K);
    wlab_free(s->sqnorm);
    wlab_free(s->cost);
    wlab_free(s->shown);
    wlab_free(s->value);
    wlab_free(s);
}

static double setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    return wlab_offset_setting(given, name, wlab_kernel_kind_of(given, p->X) != WL_K_LINEAR);
}

/* The solver depends on the kernel and on offset=. */
static wlab_code choose_solver(alter *s, const wlab_params *given, wlab_err *err)
{
    const bool linear = s->kernel.kind == WL_K_LINEAR;
    bool is_free;
    wlab_code code = wlab_offset_choose(&is_free, given, !linear, err);
    s->solver = is_free ? ALTER_FREE : linear ? ALTER_DCD : ALTER_SMO;
    return code;
}

static wlab_code read_params(alter *s, const wlab_params *given, wlab_err *err)
{
    s->kernel.kind = wlab_kernel_kind_of(given, s->p->X);
    s->C = wlab_params_real(given, "C");
    s->grow = 1 + wlab_params_real(given, "grow");
    s->decrease = wlab_params_real(given, "decrease");
    s->merge = wlab_params_real(given, "merge");
    s->tol = wlab_params_real(given, "tol");
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    s->start = (alter_start)wlab_params_choice(given, "start");
    s->loss = (wlab_proportion_loss){.kind = (wlab_proportion_loss_kind)wlab_params_choice(given, "ploss"),
                                     .eps = wlab_params_real(given, "eps"),
                                     .weight = wlab_params_real(given, "Cp")};
    if (s->loss.eps > 0 && s->loss.kind != WL_PROPORTION_HINGE)
        return wlab_fail(err, WL_EARG, "eps= needs ploss=hinge");
    const bool drawn = s->start == ALTER_RANDOM || s->start == ALTER_BAGS;
    s->restarts = wlab_params_given(given, "restarts") ? wlab_params_int(given, "restarts") : drawn ? 10 : 1;
    if (s->free_rows == 0)
        s->restarts = 1;
    s->first = wlab_params_given(given, "first") ? wlab_params_real(given, "first") : drawn ? 1e-4 : 1;
    if (!isnormal(s->first * s->C))
        return wlab_fail(err, WL_EARG,
                         "C* would begin at first * C = %g * %g, which is too small or too large for double "
                         "precision: use a "
                         "larger first= or another C",
                         s->first, s->C);
    return wlab_params_copy(&s->given, given, err);
}

static wlab_code make_restarts(alter *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, dim = (size_t)s->dim, R = (size_t)s->restarts;
    s->r = wlab_calloc(R, sizeof *s->r);
    s->work = wlab_calloc(R, sizeof *s->work);
    s->errs = wlab_calloc(R, sizeof *s->errs);
    s->queue = wlab_alloc(R, sizeof *s->queue);
    s->merging = wlab_alloc(R, sizeof *s->merging);
    s->cost = wlab_calloc(n, sizeof *s->cost);
    s->shown = wlab_calloc(n, 1);
    s->value = wlab_calloc(R, sizeof *s->value);
    if (!s->r || !s->work || !s->errs || !s->queue || !s->merging || !s->cost || !s->shown || !s->value)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        r->y = wlab_calloc(n, 1);
        r->alpha = wlab_calloc(n, sizeof *r->alpha);
        r->f = wlab_calloc(n, sizeof *r->f);
        r->w = wlab_calloc(dim, sizeof *r->w);
        r->w_next = wlab_calloc(dim, sizeof *r->w_next);
        if (!s->K)
            r->v = wlab_calloc(dim, sizeof *r->v);
        if (!r->y || !r->alpha || !r->f || !r->w || !r->w_next || (!s->K && !r->v))
            return wlab_nomem(err);
        r->same_as = -1;
        r->dual = r->gap = NAN;
    }
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    *state = NULL;
    alter *s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    (void)wlab_blas_init(0, NULL);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    for (int64_t i = 0; i < s->n; i++)
        s->free_rows += p->visible[i] == 0;
    if ((code = read_params(s, given, err)) || (code = choose_solver(s, given, err)) ||
        (code = wlab_proportions_create(&s->bags, p, err)) || (code = alter_svm_create(s, given, ctx, err)) ||
        (code = make_restarts(s, err)))
        goto fail;
    if (wlab_params_choice(given, "weight") == 1) {
        s->factor = wlab_alloc((size_t)s->bags->bags, sizeof *s->factor);
        if (!s->factor) {
            code = wlab_nomem(err);
            goto fail;
        }
        for (int64_t g = 0; g < s->bags->bags; g++)
            s->factor[g] = (double)wlab_proportions_size(s->bags, g);
        s->loss.of_bag = s->factor;
    }
    memcpy(s->shown, p->visible, (size_t)s->n);
    if (s->start == ALTER_RANDOM || s->start == ALTER_BAGS) { /* the flips of step 1 are counted from these */
        alter_draw_labels(s, 0);
        memcpy(s->shown, s->r[0].y, (size_t)s->n);
    }
    s->C_now = s->free_rows ? s->first * s->C : s->C;
    s->objective = s->best = s->inner_gap = s->bag_error = s->lower = s->shown_C = NAN;
    s->converged = true;
    s->distinct = s->restarts;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

/* ---- one half of an alternation for every restart ---- */

static wlab_code work_create(alter_work **out, const alter *s, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    alter_work *w = wlab_calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return wlab_nomem(err);
    atomic_flag_clear(&w->in_use);
    w->alpha = wlab_alloc(n, sizeof *w->alpha);
    w->f = wlab_alloc(n, sizeof *w->f);
    w->y = wlab_alloc(n, 1);
    w->rank = wlab_alloc(n, sizeof *w->rank);
    if (!s->K) {
        w->v = wlab_calloc((size_t)s->dim, sizeof *w->v);
        w->order = wlab_alloc(2 * n, sizeof *w->order);
    }
    if (!w->alpha || !w->f || !w->y || !w->rank || (!s->K && (!w->v || !w->order))) {
        work_destroy(w);
        return wlab_nomem(err);
    }
    *out = w;
    return WL_OK;
}

typedef struct each {
    alter *s;
    alter_task task;
    wlab_ctx quiet;
    wlab_progress progress;
    int64_t works;
} each;

static void run_one(void *data, int block)
{
    each *e = data;
    const int64_t k = e->s->queue[block];
    int64_t w = 0;
    while (atomic_flag_test_and_set(&e->s->work[w]->in_use)) /* ends: there is one work per thread */
        w = (w + 1) % e->works;
    (void)e->task(e->s, k, e->s->work[w], &e->quiet, &e->progress, &e->s->errs[k]);
    atomic_flag_clear(&e->s->work[w]->in_use);
}

wlab_code alter_each(alter *s, alter_task task, const char *unit, wlab_ctx *ctx, wlab_err *err)
{
    each e = {.s = s, .task = task};
    int blocks = 0;
    e.quiet = wlab_quiet(ctx);
    for (int64_t k = 0; k < s->restarts; k++)
        if (s->r[k].moving) {
            s->errs[k].code = WL_OK;
            s->queue[blocks++] = (int32_t)k;
        }
    const int64_t threads = wlab_pool_threads(e.quiet.pool);
    e.works = threads < blocks ? threads : blocks;
    for (int64_t w = 0; w < e.works; w++)
        if (!s->work[w]) {
            wlab_code code = work_create(&s->work[w], s, err);
            if (code)
                return code;
        }
    wlab_progress_begin(&e.progress, ctx, unit, 0);
    if (blocks == 1)
        run_one(&e, 0); /* outside the pool, so that the task may use the pool itself */
    else
        wlab_pool_run(e.quiet.pool, blocks, run_one, &e);
    for (int b = 0; b < blocks; b++) {
        const wlab_err *failed = &s->errs[s->queue[b]];
        if (failed->code) {
            if (err)
                *err = *failed;
            return failed->code;
        }
    }
    return WL_OK;
}

/* ---- steps ---- */

/* Raises C* for the next alternation, once all restarts have converged at this C*. */
static void raise_C(alter *s)
{
    const double before = s->C_now;
    s->C_now = s->free_rows ? fmin(s->grow * before, s->C) : s->C;
    s->ratio = s->C_now / before;
    s->level++;
    s->converged = false;
    alter_costs(s);
    for (int64_t k = 0; k < s->restarts; k++) {
        alter_restart *r = &s->r[k];
        r->moving = r->same_as < 0;
        r->fresh = true;
        r->objective = alter_objective(s, &r->at);
    }
}

/* Updates the displayed numbers from the leader, the restart that is shown. */
static void update_shown(alter *s)
{
    const alter_restart *r = &s->r[s->leader];
    s->objective = alter_objective(s, &r->at);
    s->inner_gap = r->gap;
    s->bag_error = s->bags->given ? wlab_proportions_output_error(s->bags, r->f) : NAN;
    s->shown_C = s->C_now;
    s->shown_penalty = r->at.penalty;
    for (int64_t k = 0; k < s->restarts; k++)
        s->value[k] = alter_objective(s, &s->r[alter_representative(s, k)].at);
}

static void end_w(alter *s)
{
    update_shown(s);
    if (s->free_rows == 0 &&
        !isnan(s->r[0].dual)) /* alpha = 0 has dual value 0, so 0 is always a lower bound */
        s->lower = fmax(isnan(s->lower) ? 0 : s->lower, s->r[0].dual);
}

static void end_y(alter *s, wlab_ctx *ctx)
{
    s->shown_before = s->leader;
    double smallest = HUGE_VAL;
    bool converged = true;
    for (int64_t k = 0; k < s->restarts; k++) {
        const alter_restart *r = &s->r[k];
        if (r->same_as >= 0)
            continue;
        converged = converged && !r->moving;
        if (alter_objective(s, &r->at) < smallest) {
            smallest = alter_objective(s, &r->at);
            s->leader = k;
        }
        const double final = r->at.norm + s->C * (r->at.known + r->at.free) + r->at.penalty;
        s->best = isnan(s->best) ? final : fmin(s->best, final);
    }
    s->converged = converged;
    if (converged) {
        const int64_t before = s->distinct;
        alter_merge(s);
        if (s->distinct < before)
            wlab_emit_note(ctx,
                           "C* = %.4g: %lld of %lld restarts are left; each of the others reached nearly the "
                           "same labels as one of these",
                           s->C_now, (long long)s->distinct, (long long)s->restarts);
        s->leader = alter_representative(s, s->leader);
        s->finished = s->C_now >= s->C;
    }
    update_shown(s);
    const alter_restart *r = &s->r[s->leader];
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->flips += s->shown[i] != r->y[i];
        s->shown[i] = r->y[i];
    }
    s->raised = s->step > 0 && s->level != s->shown_level;
    s->step++;
    s->shown_level = s->level;
    s->shown_converged = converged;
}

int64_t alter_missed(const alter *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->restarts; k++)
        count += s->r[k].same_as < 0 && s->r[k].missed;
    return count;
}

static wlab_verdict ended(const alter *s)
{
    return alter_missed(s) ? WL_STALLED : WL_CONVERGED;
}

/* The verdict on the displayed step.  Each C* is a phase; the phase ends when all restarts have converged. */
static wlab_step report(const alter *s)
{
    return (wlab_step){.complete = true,
                       .verdict = s->finished ? ended(s) : WL_MORE,
                       .phase = s->shown_level,
                       .phase_complete = s->shown_converged};
}

static void warn(const alter *s, wlab_ctx *ctx)
{
    const int64_t count = alter_missed(s);
    char of[64] = "";
    if (count == 0)
        return;
    if (s->restarts > 1)
        snprintf(of, sizeof of, " of %lld of %lld restarts", (long long)count, (long long)s->distinct);
    wlab_emit_warning(
        ctx,
        "the last SVM%s missed tol=%g (inner_gap of the restart shown: %.3g): the magnitudes in "
        "the data differ too much for double precision; scale the columns (`scale minmax`), or "
        "use a smaller C",
        of, s->tol, s->inner_gap);
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    alter *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;
    *step = (wlab_step){0};
    if (s->finished) {
        *step = report(s);
        return WL_OK;
    }
    switch (s->stage) {
    case ALTER_BEGIN:
        if ((code = alter_initial_labels(s, ctx, err)))
            return code;
        s->stage = ALTER_W;
        break;
    case ALTER_W:
        if (s->converged)
            raise_C(s);
        if ((code = alter_solve(s, ctx, err)))
            return code;
        end_w(s);
        s->stage = ALTER_Y;
        break;
    case ALTER_Y:
        if ((code = alter_label(s, ctx, err)))
            return code;
        end_y(s, ctx);
        s->stage = ALTER_W;
        *step = report(s);
        if (s->finished)
            warn(s, ctx);
        break;
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

wlab_code alter_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const alter *s = state;
    const alter_restart *r = &s->r[s->leader];
    *out = NULL;
    if (isnan(s->shown_C))
        return wlab_no_model(err);
    if (!s->K)
        return wlab_model_from_weights(out, s->p, r->w, s->kernel.bias * r->w[s->dim - 1], err);
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, r->w, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += r->b;
    return code;
}

WLAB_KERNEL_HOOK(alter, kernel)

const wlab_algo wlab_algo_alter = {
    .name = "alter-psvm",
    .alias = "alter",
    .summary = "alter-pSVM: finds the labels and an SVM in turn, with the proportions in the bags near the "
               "given ones, while C* grows",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over y, w, b of 1/2 ||w||^2 + C* sum_i max(0, 1 - y_i f_i) + Cp sum_k v_k L_p(p_k(y), "
               "p_k), while C* grows to C (Eq. 4)",
    .symbols = "y_i: label of row i, which is to be found\n"
               "f_i: the output of row i, w'x_i + b\n"
               "k: a bag\n"
               "p_k: given proportion of positives in bag k\n"
               "p_k(y): proportion of positives in bag k by the labels y\n"
               "L_p: the loss of the difference of the two (ploss=)\n"
               "v_k: weight of the bag (weight=)",
    .when = "a first choice for proportions",
    .cost = "an SVM for each restart that has not converged",
    .work = "restarts * ((1 - K) * 2.5e-9 * z + K * 1.1e-11 * n^2.7)",
    .memory = "60 * n + restarts * 24 * n",
    .source =
        "Yu, Liu, Kumar, Jebara, Chang, pSVM for Learning with Label Proportions (ICML 2013), Section 4, "
        "Algorithm 1, Equations 4, 7, 8, Proposition 1",
    .learns_from = WL_SEES_PROPORTIONS | WL_SEES_SOME_LABELS | WL_SEES_ALL_LABELS,
    .made_for = WL_SEES_PROPORTIONS,
    .advised_for = WL_SEES_PROPORTIONS,
    .step_unit = "one alternation of every restart that has not converged: w and b for its labels, then "
                 "labels for its "
                 "w and b; once all have converged at a C*, the next step is the first at the next C*",
    .inner_unit = "the first: the initial labels; after that in turn: w and b, then the labels",
    .phase_unit = "value of C*",
    .converged = "C_now >= C",
    .converged_also =
        "and in every restart the last alternation changed no label or lowered the objective by "
        "at most decrease, and the last SVM reached tol",
    .params = params,
    .metrics = alter_metrics,
    .probes = alter_probes,
    .create = create,
    .advance = advance,
    .observe = alter_observe,
    .loss = WL_LOSS_HINGE,
    .model = alter_model,
    .kernel = kernel,
    .setting = setting,
    .explain = alter_explain,
    .next = alter_next,
    .walk = alter_walk,
    .destroy = destroy,
};
