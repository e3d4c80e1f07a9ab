/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * S4VM, the safe semi-supervised SVM (Li and Zhou, ICML 2011; IEEE PAMI 37, 2015): many labelings have wide margins, and one
 * cannot tell which is right.  So many are sampled, and the labels are sought whose worst improvement over them, on the
 * supervised SVM's labels, is largest; where none is surely better, the supervised SVM's are kept.
 *
 *     max over y of  min over candidates y_t of  gain(y, y_t) - lambda loss(y, y_t)
 *
 * Each sampling descends: the SVM for its labels, with costs C1 and C2, then better labels for a part of the rows that want
 * them.  The samplings' ends are divided into clusters, and the one with the smallest objective of each is a candidate.  The
 * max-min problem, with y in a box, is solved with a certified gap (solve/maxmin.h).
 */
#include "algo/safe/s4vm.h"
#include "base/clock.h"
#include "solve/svm/smo_free.h"

#include <string.h>

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("auto", "0"),
    {.name = "C1",
     .type = WL_P_REAL,
     .fallback = "100",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "penalty of the labelled rows",
     .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {.name = "C2",
     .type = WL_P_REAL,
     .fallback = "0.1",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "penalty of the unlabelled rows",
     .flags = WL_P_OPEN_LO | WL_P_OBJECTIVE},
    {.name = "samplings",
     .type = WL_P_INT,
     .fallback = "100",
     .lo = 1,
     .hi = 100000,
     .meaning = "number of labelings that descend: four in five from random labels, one from the supervised "
                "SVM's with a "
                "fifth of them changed"},
    {.name = "candidates",
     .type = WL_P_INT,
     .fallback = "10",
     .lo = 1,
     .hi = 100,
     .meaning = "number of clusters of their ends; the best of each is a candidate",
     .flags = WL_P_OBJECTIVE},
    {.name = "lambda",
     .type = WL_P_REAL,
     .fallback = "3",
     .lo = 0,
     .hi = HUGE_VAL,
     .meaning = "what losing a row counts, if gaining one counts 1",
     .flags = WL_P_OBJECTIVE},
    {.name = "slack",
     .type = WL_P_REAL,
     .fallback = "0.1",
     .lo = 0,
     .hi = 2,
     .meaning = "by how much the mean label of the unlabelled rows may differ from that of the labelled ones",
     .flags = WL_P_OBJECTIVE},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "200",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of SVMs of a sampling"},
    {.name = "eps",
     .type = WL_P_REAL,
     .fallback = "1e-9",
     .lo = 0,
     .hi = 1,
     .unit = "relative",
     .meaning = "gap to which the max-min problem is solved",
     .flags = WL_P_OPEN_LO},
    {.name = "tol",
     .type = WL_P_REAL,
     .fallback = "1e-6",
     .lo = 0,
     .hi = 1,
     .unit = "relative",
     .meaning = "duality gap to which each SVM is solved",
     .flags = WL_P_OPEN_LO},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "seed of the samplings"},
    {.name = NULL}};

static void destroy(void *state)
{
    s4vm *s = state;
    if (!s)
        return;
    for (int64_t k = 0; k < s->samplings && s->r; k++) {
        wlab_free(s->r[k].y);
        wlab_free(s->r[k].beta);
    }
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_maxmin_destroy(s->game);
    wlab_labelset_destroy(s->balanced);
    wlab_free(s->row);
    wlab_free(s->K);
    wlab_free(s->cost);
    wlab_free(s->r);
    wlab_free(s->y0);
    wlab_free(s->shown);
    wlab_free(s->beta);
    wlab_free(s->candidate);
    wlab_free(s->f);
    wlab_free(s->target);
    wlab_free(s->pick);
    wlab_free(s);
}

/* ---- creation ---- */

static wlab_code allocate(s4vm *s, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    s->row = wlab_alloc((size_t)s->u, sizeof *s->row);
    s->K = wlab_alloc(n * n, sizeof *s->K);
    s->cost = wlab_alloc(n, sizeof *s->cost);
    s->r = wlab_calloc((size_t)s->samplings, sizeof *s->r);
    s->y0 = wlab_calloc(n, 1);
    s->shown = wlab_calloc(n, 1);
    s->beta = wlab_calloc(n, sizeof *s->beta);
    s->candidate = wlab_calloc((size_t)s->wanted, sizeof *s->candidate);
    s->f = wlab_calloc(n, sizeof *s->f);
    s->target = wlab_calloc(n, 1);
    s->pick = wlab_alloc(n, sizeof *s->pick);
    bool fine = s->row && s->K && s->cost && s->r && s->y0 && s->shown && s->beta && s->candidate && s->f &&
                s->target && s->pick;
    for (int64_t k = 0; k < s->samplings && fine; k++) {
        s4vm_sampling *r = &s->r[k];
        *r = (s4vm_sampling){.objective = NAN, .moving = true, .same_as = -1, .cluster = -1};
        r->y = wlab_calloc(n, 1);
        r->beta = wlab_calloc(n, sizeof *r->beta);
        fine = r->y && r->beta;
    }
    return fine ? WL_OK : wlab_nomem(err);
}

/* How many unlabelled rows may be positive: their mean label differs from that of the labelled ones by `slack` at most. */
static wlab_code balance(s4vm *s, double mean, wlab_err *err)
{
    const int8_t low = -1;
    int32_t *group = wlab_alloc((size_t)s->n, sizeof *group);
    const double u = (double)s->u;
    const int64_t down = (int64_t)ceil(u * (1 - mean - s->slack) / 2 - 1e-9); /* at least so many negative */
    s->lo = (int64_t)ceil(u * (1 + mean - s->slack) / 2 - 1e-9);
    s->lo = s->lo < 0 ? 0 : s->lo > s->u ? s->u : s->lo;
    s->hi = s->u - (down < 0 ? 0 : down);
    s->hi = s->hi < s->lo ? s->lo : s->hi;
    for (int64_t i = 0; i < s->n && group; i++)
        group[i] = s->p->visible[i] ? WL_NO_GROUP : 0;
    const wlab_code code = group ? wlab_labelset_create(&s->balanced, s->p->task->name, s->n, s->p->visible,
                                                        group, 1, &s->lo, &s->hi, &low, err)
                                 : wlab_nomem(err);
    wlab_free(group);
    return code;
}

static wlab_code fill(s4vm *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_problem *p = s->p;
    int64_t of[2] = {0, 0};
    wlab_code code;

    s->n = p->n;
    for (int64_t i = 0; i < s->n; i++)
        if (p->visible[i])
            of[p->visible[i] > 0]++;
    s->l = of[0] + of[1];
    s->u = s->n - s->l;
    if (!of[0] || !of[1] || s->u == 0)
        return wlab_fail(
            err, WL_ESTATE, "%s",
            s->u == 0 ? "at least one unlabelled row is needed: `algo svm` learns from labelled rows alone"
                      : "labelled rows of both classes are needed: tsvm and mfa learn from one class");
    s->C1 = wlab_params_real(given, "C1");
    s->C2 = wlab_params_real(given, "C2");
    s->lambda = wlab_params_real(given, "lambda");
    s->slack = wlab_params_real(given, "slack");
    s->eps = wlab_params_real(given, "eps");
    s->tol = wlab_params_real(given, "tol");
    s->samplings = wlab_params_int(given, "samplings");
    s->wanted = wlab_params_int(given, "candidates");
    s->most = wlab_params_int(given, "iterations");
    if (isinf(s->lambda))
        return wlab_fail(err, WL_EARG, "lambda=inf: give a finite weight");
    wlab_rng_seed(&s->rng, (uint64_t)wlab_params_int(given, "seed"));
    if ((code = wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows", "use fewer (`split`)", err)) ||
        (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)) ||
        (code = wlab_kernel_choose(&s->kernel, given, p->X, ctx, err)) || (code = allocate(s, err)) ||
        (code = wlab_kernel_matrix_progress(&s->kernel, p->X, p->X, p->row, s->K, ctx, err)))
        return code;
    for (int64_t i = 0, j = 0; i < s->n; i++) {
        s->cost[i] = p->visible[i] ? s->C1 : s->C2;
        s->y0[i] = s->shown[i] = p->visible[i];
        if (!p->visible[i])
            s->row[j++] = (int32_t)i;
    }
    return balance(s, (double)(of[1] - of[0]) / (double)s->l, err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    s4vm *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->rounded = NAN;
    const wlab_code code = fill(s, given, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* ---- steps ---- */

/* The SVM for labels y, from beta, which becomes its solution; f [n]: outputs. */
static wlab_code train(s4vm *s, const int8_t *y, double *beta, double *f, wlab_smo_free_result *result,
                       wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code code =
        wlab_smo_free_solve(s->K, s->n, y, s->cost, 0.9 * s->tol, beta, f, result, ctx, err);
    return code ? code : result->stopped ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
}

/* The SVM of the labelled rows: its labels are y0, from which the samplings are drawn. */
static wlab_code begin(s4vm *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t l = (size_t)s->l;
    double *K = wlab_alloc(l * l, sizeof *K), *beta = wlab_calloc(l, sizeof *beta),
           *f = wlab_alloc(l, sizeof *f), *cost = wlab_alloc(l, sizeof *cost);
    int8_t *y = wlab_alloc(l, 1);
    int32_t *at = wlab_alloc(l, sizeof *at);
    wlab_smo_free_result result = {0};
    wlab_code code = K && beta && f && cost && y && at ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0, k = 0; i < s->n && !code; i++)
        if (s->p->visible[i]) {
            y[k] = s->p->visible[i];
            cost[k] = s->C1;
            at[k++] = (int32_t)i;
        }
    for (size_t a = 0; a < l && !code; a++)
        for (size_t b = 0; b < l; b++)
            K[a * l + b] = s->K[at[a] * s->n + at[b]];
    code =
        code ? code : wlab_smo_free_solve(K, (int64_t)l, y, cost, 0.9 * s->tol, beta, f, &result, ctx, err);
    if (!code && result.stopped)
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    for (int64_t i = 0; i < s->n && !code; i++) {
        s->f[i] = result.b;
        for (size_t a = 0; a < l; a++)
            s->f[i] += beta[a] * s->K[at[a] * s->n + i];
        if (!s->p->visible[i])
            s->y0[i] = s->shown[i] = s->f[i] > 0 ? 1 : -1;
    }
    if (!code) {
        memset(s->beta, 0, (size_t)s->n * sizeof *s->beta);
        for (size_t a = 0; a < l; a++)
            s->beta[at[a]] = beta[a];
        s->b = result.b;
        s->svms++;
        s4vm_draw(s);
    }
    wlab_free(K);
    wlab_free(beta);
    wlab_free(f);
    wlab_free(cost);
    wlab_free(y);
    wlab_free(at);
    return code;
}

static int64_t next_turn(const s4vm *s, int64_t k)
{
    while (k < s->samplings && !s->r[k].moving)
        k++;
    return k;
}

/* The SVM of one sampling, then its labels. */
static wlab_code descend(s4vm *s, wlab_ctx *ctx, wlab_err *err)
{
    s4vm_sampling *r = &s->r[s->turn];
    double *beta = wlab_alloc((size_t)s->n, sizeof *beta);
    wlab_smo_free_result result = {0};
    wlab_code code = beta ? WL_OK : wlab_nomem(err);

    if (!code) {
        memcpy(beta, r->beta, (size_t)s->n * sizeof *beta);
        code = train(s, r->y, beta, s->f, &result, ctx, err);
    }
    const bool last = s->rounds + 1 >= s->most; /* its labels remain those of its SVM */
    if (!code && !last)
        code = s4vm_move(s, r, s->f, err);
    if (!code) {
        memcpy(r->beta, beta, (size_t)s->n * sizeof *beta);
        r->objective = result.primal;
        s->svms++;
        s->limited = s->limited || last;
        r->moving = r->moving && !last;
    }
    wlab_free(beta);
    return code;
}

/* Labels of y in the box, or y0's if these are not surely better, and the SVM for them. */
static wlab_code hand_out(s4vm *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    int8_t *y = wlab_alloc(n, 1);
    double *beta = wlab_calloc(n, sizeof *beta);
    wlab_smo_free_result result = {0};
    wlab_code code = y && beta ? WL_OK : wlab_nomem(err);
    bool kept = false;
    double safe = 0;

    if (!code) {
        memcpy(y, s->y0, n);
        for (int64_t j = 0; j < s->u; j++)
            if (s->game->best[j] != 0)
                y[s->row[j]] = s->game->best[j] > 0 ? 1 : -1;
        safe = s4vm_improvement(s, y);
        kept = !(safe > 0);
        if (kept) {
            memcpy(y, s->y0, n);
            safe = 0;
        } else {
            memcpy(beta, s->beta, n * sizeof *beta);
            code = train(s, y, beta, s->f, &result, ctx, err);
        }
    }
    if (!code) {
        s->kept = kept;
        s->rounded = safe;
        s->flips = 0;
        for (int64_t i = 0; i < s->n; i++)
            s->flips += y[i] != s->shown[i];
        memcpy(s->shown, y, n);
        if (!kept) {
            memcpy(s->beta, beta, n * sizeof *beta);
            s->b = result.b;
            s->svms++;
        }
        s->stage = S4VM_DONE;
    }
    wlab_free(y);
    wlab_free(beta);
    return code;
}

enum {
    IDLE = 20 /* proximal steps without effect: double precision allows no more */
};

static void end_round(s4vm *s, wlab_ctx *ctx)
{
    s4vm_merge(s);
    s->rounds++;
    s->turn = next_turn(s, 0);
    if (s->turn < s->samplings)
        return;
    s->stage = S4VM_CLUSTERS;
    if (s->limited)
        wlab_emit_note(ctx, "some samplings were stopped by iterations=%lld before their labels repeated",
                       (long long)s->most);
}

static wlab_code advance_stage(s4vm *s, bool *complete, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    *complete = true;
    switch (s->stage) {
    case S4VM_BEGIN:
        if (!(code = begin(s, ctx, err)))
            s->stage = S4VM_DESCENT;
        break;
    case S4VM_DESCENT:
        if ((code = descend(s, ctx, err)))
            break;
        s->turn = next_turn(s, s->turn + 1);
        *complete = s->turn == s->samplings;
        if (*complete)
            end_round(s, ctx);
        break;
    case S4VM_CLUSTERS:
        if (!(code = s4vm_cluster(s, err)))
            s->stage = S4VM_MAXMIN;
        break;
    case S4VM_MAXMIN:
        if (!s4vm_solved(s) && s->game->idle < IDLE)
            code = wlab_maxmin_step(s->game, err);
        else
            code = hand_out(s, ctx, err);
        break;
    case S4VM_DONE:
        break;
    }
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    s4vm *s = state;
    const double from = wlab_seconds_now();
    bool complete = true;

    *step = (wlab_step){0};
    if (s->stage != S4VM_DONE) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        const int64_t flips = s->flips;
        s->flips = 0;
        const wlab_code code = advance_stage(s, &complete, ctx, err);
        if (code) {
            s->flips = flips;
            return code;
        }
        s->step += complete;
        s->seconds += wlab_seconds_now() - from;
    }
    if (complete)
        *step = (wlab_step){.complete = true,
                            .verdict = s->stage != S4VM_DONE ? WL_MORE
                                       : s4vm_solved(s)      ? WL_CONVERGED
                                                             : WL_STALLED,
                            .phase = (int64_t)s->stage,
                            .phase_complete = true};
    return WL_OK;
}

/* ---- the model ---- */

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const s4vm *s = state;
    *out = NULL;
    if (s->stage == S4VM_BEGIN)
        return wlab_no_model(err);
    const wlab_code code =
        wlab_model_from_coefficients(out, s->p, &s->kernel, s->beta, ctx ? ctx->pool : NULL, err);
    if (!code)
        (*out)->b[0] += s->b;
    return code;
}

WLAB_KERNEL_HOOK(s4vm, kernel)

/* ---- snapshots ---- */

/* clang-format off */
#define SCALARS(X) X(rng) X(turn) X(step) X(rounds) X(distinct) X(flips) X(svms) X(limited) X(kept) X(seconds) X(rounded) \
    X(b)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    s4vm *s = state;
    s4vm_stage stage = s->stage;
    int64_t candidates = s->candidates;
    bool has = s->game != NULL;

    WL_WALK(w, stage);
    WL_WALK(w, candidates);
    WL_WALK(w, has);
    if (wlab_walk_has_read(w)) {
        if ((unsigned)stage > S4VM_DONE || candidates < 0 || candidates > s->wanted ||
            (has && candidates == 0)) {
            wlab_walk_damaged(w);
            return;
        }
        wlab_maxmin *game = NULL;
        if (has && !wlab_walk_check(w, wlab_maxmin_create(&game, candidates, s->u, w->err)))
            return;
        wlab_maxmin_destroy(s->game);
        s->game = game;
    }
    if (w->code)
        return;
    s->stage = stage;
    s->candidates = candidates;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->y0, s->n);
    WL_WALK_ARRAY(w, s->shown, s->n);
    WL_WALK_ARRAY(w, s->beta, s->n);
    WL_WALK_ARRAY(w, s->candidate, s->wanted);
    for (int64_t k = 0; k < s->samplings; k++) {
        s4vm_sampling *r = &s->r[k];
        WL_WALK(w, r->objective);
        WL_WALK(w, r->moving);
        WL_WALK(w, r->same_as);
        WL_WALK(w, r->cluster);
        WL_WALK_ARRAY(w, r->y, s->n);
        WL_WALK_ARRAY(w, r->beta, s->n);
    }
    if (s->game)
        wlab_maxmin_walk(s->game, w);
    bool valid = s->turn >= 0 && s->turn <= s->samplings && s->distinct >= 0 && s->distinct <= s->samplings;
    for (int64_t t = 0; t < s->candidates; t++)
        valid = valid && s->candidate[t] >= 0 && s->candidate[t] < s->samplings;
    if (wlab_walk_has_read(w) && !valid) {
        s->turn = s->candidates = 0;
        s->stage = S4VM_BEGIN;
        wlab_walk_damaged(w);
    }
}

const wlab_algo wlab_algo_s4vm = {
    .name = "s4vm",
    .summary = "safe S3VM: many labelings with wide margins; labels that improve on the svm whichever of "
               "them is right",
    .idea = WL_IDEA_IN_TURN,
    .problem = "max over y of min over t of gain(y, y_t) - lambda loss(y, y_t), y_t local minima of the S3VM",
    .symbols = "y_t: a candidate labeling of the unlabelled rows; t: its number\n"
               "gain: rows on which y agrees with y_t, and the supervised SVM does not\n"
               "loss: rows on which the supervised SVM agrees with y_t, and y does not\n"
               "lambda: what losing a row counts\n"
               "c_t, d_t: gain - lambda loss = c_t'y + d_t for y in {-1, +1}^u; C: the matrix of all c_t\n"
               "mu: weights of the candidates, in the simplex\n"
               "f_i, f_j: outputs of labelled and unlabelled rows\n"
               "H(z): max(0, z)",
    .when = "few labels, and unlabelled rows may mislead: labels that are not worse than the supervised "
            "SVM's if one of the candidates is right",
    .cost = "an SVM on all rows for each sampling that has not ended",
    .proves = "the best worst-case improvement over its candidates",
    .work = "samplings * (5e-8 - K * 4.4e-8) * n^2",
    .memory = "(1 - K) * 8 * n^2 + 3 * n * samplings",
    .rows_most = WL_KERNEL_ROWS,
    .source = "Li and Zhou, Towards making unlabeled data never hurt, ICML 2011; IEEE PAMI 37 (2015)",
    .learns_from = WL_SEES_SOME_LABELS,
    .any_balance = true,
    .step_unit = "the supervised SVM; then a round of all samplings; the clusters; proximal steps of the "
                 "max-min problem; the "
                 "labels",
    .inner_unit = "the same; in a round one sampling",
    .converged = "maxmin_gap <= eps * (1 + abs(bound))",
    .converged_also = "and the labels are handed out",
    .params = params,
    .metrics = s4vm_metrics,
    .probes = s4vm_probes,
    .create = create,
    .advance = advance,
    .observe = s4vm_observe,
    .model = model,
    .kernel = kernel,
    .explain = s4vm_explain,
    .next = s4vm_next,
    .walk = walk,
    .destroy = destroy,
};
