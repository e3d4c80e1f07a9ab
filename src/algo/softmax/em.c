/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-em: EM on the soft-max problem (Eq. 1 of Joulin and Bach; solve/softmax/softmax.h) from random labels or
 * those of k-means.  It is the baseline of their convex relaxation, which needs no initial labels.
 */
#include "algo/softmax/em.h"
#include "algo/algos.h"
#include "algo/cluster_names.h"
#include "base/clock.h"
#include "model/kernel.h"
#include "solve/cluster/kmeans.h"

#include <math.h>
#include <string.h>

static const char *const start_names[] = {"random", "kmeans", NULL};
static const char *const hard_names[] = {"auto", "yes", "no", NULL};
enum {
    HARD_AUTO,
    HARD_YES,
    HARD_NO
};

/* clang-format off */
static const wlab_param_info params[] = {
    WLAB_KERNEL_GRAPH_PARAMS("linear"), WLAB_BIAS_PARAM("0"),
    {"lambda", WL_P_REAL, "0.1", 0, HUGE_VAL, NULL, NULL, "lambda, the weight of ||W||^2 / (2P), P: the number of classes", WL_P_OPEN_LO | WL_P_MUTABLE | WL_P_OBJECTIVE},
    {"intercept", WL_P_BOOL, "yes", 0, 0, NULL, NULL,
     "yes: b is free; no: b is the logarithm of the class proportions, as in the relaxation without intercept", WL_P_OBJECTIVE},
    {"weight", WL_P_CHOICE, "uniform", 0, 0, wlab_softmax_weight_names, NULL,
     "weight pi of a row; uniform: 1/n; bag: 1/(bags N_i) in a bag of N_i rows (task ssl: each labelled row is a "
     "bag, the others are one)", WL_P_OBJECTIVE},
    {"entropy", WL_P_CHOICE, "total", 0, 0, wlab_softmax_entropy_names, NULL,
     "H(z); total: entropy of the total class proportions; bag: summed over bags (the label of an unlabelled row "
     "that is a bag by itself is then divided among classes)", WL_P_OBJECTIVE},
    {"hard", WL_P_CHOICE, "auto", 0, 0, hard_names, NULL,
     "task mil; yes: no instance of a negative bag may be on the positive side (Eq. 7); auto: yes if there is an "
     "intercept", WL_P_OBJECTIVE},
    {"start", WL_P_CHOICE, "random", 0, 0, start_names, NULL,
     "initial labels; random: drawn uniformly from those that a row may have; kmeans: those of k-means, but "
     "given labels are kept", 0},
    {"restarts", WL_P_INT, NULL, 1, 1000, NULL, NULL,
     "number of restarts; the one with the smallest objective is shown (default 10; with start=kmeans 1)", 0},
    WLAB_CLUSTER_NAMES_PARAM,
    {"rank", WL_P_INT, "2000", 1, 1e6, NULL, NULL,
     "largest number of features in the factor of the kernel matrix, for nonlinear kernels, and for the linear one if "
     "there are more columns than that", 0},
    {"eps", WL_P_REAL, "1e-6", 0, 1, NULL, "relative",
     "a restart has converged when an iteration lowers its objective by at most this fraction of loss + norm + "
     "|entropy|; M-steps are solved to a thousandth of eps", WL_P_OPEN_LO | WL_P_MUTABLE},
    {"iterations", WL_P_INT, "1000", 1, 1e9, NULL, NULL, "largest number of EM iterations", WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 0x1p53, NULL, NULL, "seed of the initial labels", 0},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};
/* clang-format on */

static void destroy(void *state)
{
    softmax_em *s = state;
    if (!s)
        return;
    for (int64_t k = 0; s->em && k < s->restarts; k++)
        wlab_em_destroy(s->em[k]);
    wlab_free(s->em);
    wlab_features_destroy(s->f);
    wlab_softmax_rows_clear(&s->rows);
    wlab_problem_unref(s->p);
    wlab_free(s->r);
    wlab_free(s->index);
    wlab_free(s->earlier);
    wlab_free(s->shown);
    wlab_free(s->values);
    wlab_free(s);
}

static void read_mutable(softmax_em *s, const wlab_params *given)
{
    s->lambda = wlab_params_real(given, "lambda");
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "iterations");
}

static wlab_code read_rows(softmax_em *s, const wlab_params *given, wlab_err *err)
{
    const int choice = wlab_params_choice(given, "hard");
    const bool signs = s->p->task->sees == WL_SEES_BAG_SIGNS;
    s->intercept = wlab_params_bool(given, "intercept");
    s->weight_by_bag = wlab_params_choice(given, "weight") == 1;
    s->entropy_by_bag = wlab_params_choice(given, "entropy") == 1;
    if (choice == HARD_YES && !signs)
        return wlab_fail(err, WL_EARG,
                         "hard=yes needs the task mil: it constrains instances of negative bags");
    if (choice == HARD_YES && !s->intercept)
        return wlab_fail(err, WL_EARG,
                         "hard=yes needs intercept=yes: without it the negative side may be empty");
    if (s->entropy_by_bag && !s->intercept)
        return wlab_fail(err, WL_EARG,
                         "entropy=bag needs intercept=yes: without it the entropy is that of the total "
                         "proportions");
    const bool hard = choice == HARD_YES || (choice == HARD_AUTO && signs && s->intercept);
    return wlab_softmax_rows_make(&s->rows, s->p, s->weight_by_bag, s->entropy_by_bag, hard, err);
}

/* ---- initial labels ---- */

static void draw_labels(softmax_em *s, int64_t k)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, s->seed * 1000003 + (uint64_t)k);
    for (int64_t i = 0; i < s->n; i++) {
        uint64_t may = s->rows.allowed[i];
        for (uint64_t drop = wlab_rng_below(&rng, (uint64_t)__builtin_popcountll(may)); drop > 0; drop--)
            may &= may - 1;
        s->index[i] = __builtin_ctzll(may);
    }
}

static wlab_code set_initial_labels(softmax_em *s, int64_t k, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    if (s->by_kmeans) {
        const wlab_kmeans clusters = {.X = s->f->Phi,
                                      .n = s->n,
                                      .d = s->f->r,
                                      .k = s->P,
                                      .weight = s->rows.pi,
                                      .allowed = s->rows.allowed,
                                      .restarts = 10,
                                      .seed = s->seed * 1000003 + (uint64_t)k};
        code = wlab_kmeans_run(&clusters, s->index, NULL, NULL, ctx, err);
    } else {
        draw_labels(s, k);
    }
    return code ? code : wlab_em_set_labels(s->em[k], s->index, err);
}

/* ---- creation ---- */

static wlab_code make_restarts(softmax_em *s, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n, R = (size_t)s->restarts;
    const wlab_em_problem q = {.n = s->n,
                               .d = s->f->r,
                               .Phi = s->f->Phi,
                               .pi = s->rows.pi,
                               .P = s->P,
                               .allowed = s->rows.allowed,
                               .bag = s->rows.bag,
                               .bags = s->rows.bags,
                               .hard = s->rows.hard,
                               .lambda = s->lambda,
                               .intercept = s->intercept};
    s->em = wlab_calloc(R, sizeof *s->em);
    s->r = wlab_calloc(R, sizeof *s->r);
    s->values = wlab_calloc(R, sizeof *s->values);
    s->index = wlab_alloc(n, sizeof *s->index);
    s->earlier = wlab_alloc(n * (size_t)s->P, sizeof *s->earlier);
    s->shown = wlab_calloc(n, 1);
    if (!s->em || !s->r || !s->values || !s->index || !s->earlier || !s->shown)
        return wlab_nomem(err);
    for (size_t k = 0; k < R; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        const wlab_code code = wlab_em_create(&s->em[k], &q, err);
        if (code)
            return code;
        s->r[k] = (sem_restart){.before = NAN, .moving = true};
    }
    return WL_OK;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_kernel kernel;
    softmax_em *s = wlab_calloc(1, sizeof *s);
    wlab_code code;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->P = p->classes;
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    s->by_kmeans = wlab_params_choice(given, "start") == 1;
    s->matched = wlab_cluster_names_matched(p, given);
    for (int c = 0; c < s->P; c++)
        s->name[c] = c;
    read_mutable(s, given);
    if ((code = read_rows(s, given, err)))
        goto fail;
    if (s->by_kmeans && s->P > s->n) {
        code = wlab_fail(err, WL_EARG, "start=kmeans: there are fewer rows (%lld) than classes (%d)",
                         (long long)s->n, s->P);
        goto fail;
    }
    s->restarts = s->rows.free_rows == 0                 ? 1
                  : wlab_params_given(given, "restarts") ? wlab_params_int(given, "restarts")
                  : s->by_kmeans                         ? 1
                                                         : 10;
    if ((code = wlab_kernel_choose(&kernel, given, p->X, ctx, err)) ||
        (code = wlab_features_keep(&s->f, p, &kernel, 1e-10, wlab_params_int(given, "rank"), ctx, err)) ||
        (code = make_restarts(s, ctx, err)))
        goto fail;
    if (s->f->left > 1e-3 * s->f->trace)
        wlab_emit_warning(ctx,
                          "%lld features leave out %.2g %% of the kernel matrix's trace: use a larger rank=",
                          (long long)s->f->r, 100 * s->f->left / s->f->trace);
    if (!s->by_kmeans) /* the flips of step 1 are counted from these */
        draw_labels(s, 0);
    for (int64_t i = 0; i < s->n; i++)
        s->shown[i] = s->by_kmeans ? p->visible[i] : wlab_label_at(p, s->index[i]);
    s->value = (wlab_em_value){NAN, NAN, NAN, NAN};
    s->change = s->inner_gap = s->e_gap = NAN;
    s->moving = s->restarts;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    softmax_em *s = state;
    const double lambda = s->lambda, eps = s->eps;
    (void)err;
    read_mutable(s, given);
    if (s->lambda != lambda || s->eps < eps) {
        for (int64_t k = 0; k < s->restarts; k++) {
            s->r[k] = (sem_restart){.before = NAN, .moving = true};
            wlab_em_set_lambda(s->em[k], s->lambda);
        }
        s->moving = s->restarts;
        s->finished = false;
    }
    if (s->limited && s->step < s->most)
        s->finished = s->limited = false;
    return WL_OK;
}

/* ---- steps ---- */

/* The sum of the sizes of f's parts: eps is relative to it. */
static double objective_scale(const wlab_em *e)
{
    const wlab_em_value v = wlab_em_objective(e);
    return v.loss + v.norm + fabs(v.entropy);
}

/* The restart with the smallest f; the present leader if none has a value. */
static int64_t best_restart(const softmax_em *s)
{
    double smallest = HUGE_VAL;
    int64_t best = s->leader;
    for (int64_t k = 0; k < s->restarts; k++) {
        const double value = wlab_em_objective(s->em[k]).total;
        if (value < smallest) {
            smallest = value;
            best = k;
        }
    }
    return best;
}

/* Which restart will be displayed now, and if it is another one than `named`, the names of its clusters with which the
 * fewest displayed labels change. */
static wlab_code match_names(softmax_em *s, int64_t *leader, int *name, wlab_err *err)
{
    *leader = best_restart(s);
    if (*leader == s->named)
        return WL_OK;
    wlab_em_labels(s->em[*leader], s->index);
    return wlab_cluster_names_match(s->p, s->index, s->shown, name, err);
}

/* Does the next stage (initial labels, M-step or E-step) for every restart that has not converged.  After an error in
 * an M- or E-step all restarts are as before the call.  After an error in the first stage some restarts may have
 * initial labels; the next call sets all of them again. */
static wlab_code advance_half(softmax_em *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_buf *was = wlab_calloc((size_t)s->restarts, sizeof *was);
    wlab_code code = was ? WL_OK : wlab_nomem(err);
    int64_t k = 0;
    for (; !code && k < s->restarts; k++) {
        wlab_em *e = s->em[k];
        if (s->r[k].moving && s->restarts > 1 && s->stage != SEM_BEGIN)
            code = wlab_walk_write(&was[k], wlab_em_walk, e, err);
        if (code || !s->r[k].moving)
            continue;
        code = s->stage == SEM_BEGIN ? set_initial_labels(s, k, ctx, err)
               : s->stage == SEM_M   ? wlab_em_m_step(e, fmax(1e-3 * s->eps, 1e-13), ctx, err)
                                     : wlab_em_e_step(e, 1e-3 * s->eps * objective_scale(e), ctx, err);
    }
    int name[WL_CLASSES_MOST];
    int64_t leader = s->named;
    if (!code && s->matched && s->step > 0)
        code = match_names(s, &leader, name, err);
    if (!code && leader != s->named) {
        s->named = leader;
        memcpy(s->name, name, (size_t)s->P * sizeof *name);
    }
    for (int64_t j = 0; code && was && j < k; j++)
        if (was[j].data)
            (void)wlab_walk_read(&was[j], wlab_em_walk, s->em[j], ctx, NULL);
    for (int64_t j = 0; was && j < s->restarts; j++)
        wlab_buf_clear(&was[j]);
    wlab_free(was);
    return code;
}

/* Updates the displayed numbers from the restart with the smallest f. */
static void update_shown(softmax_em *s)
{
    for (int64_t k = 0; k < s->restarts; k++)
        s->values[k] = wlab_em_objective(s->em[k]).total;
    s->leader = best_restart(s);
    const wlab_em *e = s->em[s->leader];
    s->value = wlab_em_objective(e);
    s->inner_gap = wlab_em_m_gap(e);
    s->e_gap = wlab_em_e_gap(e);
    s->missed = s->r[s->leader].missed;
    s->fractional = wlab_em_fractional(e);
    s->newtons = wlab_em_newtons(e);
}

static void end_m(softmax_em *s)
{
    for (int64_t k = 0; k < s->restarts; k++)
        if (s->r[k].moving)
            s->r[k].missed = wlab_em_m_gap(s->em[k]) > 0.01 * s->eps * objective_scale(s->em[k]);
    s->shown_before = s->leader; /* the leader of the step before: each half of this step may change it */
    update_shown(s);
    s->fitted = true;
}

static void end_e(softmax_em *s)
{
    update_shown(s);
    if (s->step == 0)
        s->named = s->leader;
    s->moving = 0;
    for (int64_t k = 0; k < s->restarts; k++) {
        const double now = wlab_em_objective(s->em[k]).total;
        sem_restart *r = &s->r[k];
        if (r->moving && r->before - now <= s->eps * objective_scale(s->em[k])) /* false if before is NaN */
            r->moving = false;
        if (s->rows.free_rows == 0)
            r->moving = false;
        r->before = now;
        s->moving += r->moving;
    }
    wlab_em_labels(s->em[s->leader], s->index);
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = wlab_label_at(s->p, s->name[s->index[i]]);
        s->flips += s->shown[i] != y;
        s->shown[i] = y;
    }
    s->step++;
    s->limited = s->moving > 0 && s->step >= s->most;
    s->finished = s->moving == 0 || s->limited;
}

static wlab_verdict ended(const softmax_em *s)
{
    return s->limited ? WL_LIMIT : s->missed ? WL_STALLED : WL_CONVERGED;
}

/* Sets `change`, the total weight of the (parts of) labels that the E-step moved to another class, from z before and
 * after it; NaN if another restart than `leader` is displayed now. */
static void update_change(softmax_em *s, int64_t leader)
{
    const double *z = wlab_em_z(s->em[s->leader]);
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < s->P; k++)
            sum += s->rows.pi[i] * fabs(z[i * s->P + k] - s->earlier[i * s->P + k]) / 2;
    s->change = leader == s->leader ? sum : NAN;
}

static wlab_step report(const softmax_em *s)
{
    return (wlab_step){.complete = true, .verdict = s->finished ? ended(s) : WL_MORE};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    softmax_em *s = state;
    const double from = wlab_seconds_now();
    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    const int64_t leader = s->leader;
    memcpy(s->earlier, wlab_em_z(s->em[leader]), (size_t)(s->n * s->P) * sizeof *s->earlier);
    wlab_code code = advance_half(s, ctx, err);
    if (code)
        return code;
    switch (s->stage) {
    case SEM_BEGIN:
        s->stage = SEM_M;
        break;
    case SEM_M:
        end_m(s);
        s->stage = SEM_E;
        break;
    case SEM_E:
        end_e(s);
        update_change(s, leader);
        s->stage = SEM_M;
        *step = report(s);
        if (s->finished && s->missed && !s->limited)
            wlab_emit_warning(ctx,
                              "the last M-step missed its tolerance (inner_gap %.3g): the magnitudes in the "
                              "data differ too "
                              "much for double precision; "
                              "scale the columns (`scale zscore`), or use a larger lambda",
                              s->inner_gap);
        if (s->limited)
            wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                           (long long)s->most, 2 * (long long)s->most);
        break;
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const softmax_em *s = state;
    *out = NULL;
    if (!s->fitted)
        return wlab_no_model(err);
    const wlab_em *e = s->em[s->leader];
    const size_t r = (size_t)s->f->r;
    double *W = wlab_alloc((size_t)s->P * r, sizeof *W), b[WL_CLASSES_MOST];
    if (!W)
        return wlab_nomem(err);
    for (int c = 0; c < s->P; c++) { /* in the order of the displayed names */
        memcpy(W + (size_t)s->name[c] * r, wlab_em_W(e) + (size_t)c * r, r * sizeof *W);
        b[s->name[c]] = wlab_em_b(e)[c];
    }
    const wlab_code code = wlab_features_model(out, s->f, s->P, W, b, ctx ? ctx->pool : NULL, err);
    wlab_free(W);
    return code;
}

WLAB_KERNEL_HOOK(softmax_em, f->kernel)

const wlab_algo wlab_algo_softmax_em = {
    .name = "softmax-em",
    .alias = "em",
    .summary =
        "EM with the soft-max loss: classifier and labels in turn, beginning with random labels or those "
        "of k-means",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over z, W, b of f = sum_n pi_n loss(z_n, W x_n + b) - H(z) + lambda/(2P) ||W||^2 (Eq. 1)",
    .symbols =
        "P: number of classes\n"
        "z_n: label of row n: the fraction of it that belongs to each class, almost always a single 1\n"
        "pi_n: weight of row n (weight=)\n"
        "loss: the soft-max loss\n"
        "H(z): entropy of the class proportions v (entropy=)\n"
        "w_k, b_k: row k of W and entry k of b\n"
        "c_nk: - (w_k'x_n + b_k)\n"
        "q: the class probabilities that (W, b) gives each row\n"
        "q': q, moved so that its class proportions are those of z",
    .when = "the problems of softmax-sdp with more rows; several restarts show how much depends on the first "
            "labels",
    .cost = "some passes over the rows for each restart that has not converged",
    .work = "(1 + (restarts - 1) * min(1, u)) * P / 2 * (1 + 2 * min(1, b)) * (1.5e-6 * n + z * (5e-9 + "
            "7e-11 * d))",
    .columns = "min(n, rank)",
    .memory = "16 * z + 8 * n * P / 2 * restarts",
    .source =
        "Joulin, Bach, A convex relaxation for weakly supervised classifiers (ICML 2012), Equations 1 and 7, "
        "Section 4.3",
    .learns_from =
        WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS | WL_SEES_NO_LABELS | WL_SEES_BAG_SIGNS | WL_SEES_CANDIDATES,
    .multiclass = true,
    .any_balance = true,
    .step_unit =
        "one EM iteration of every restart that has not converged: W and b for its labels, then labels for "
        "its W and b",
    .inner_unit =
        "the first: the initial labels; after that in turn: W and b (M-step), then the labels (E-step)",
    .converged = "moving == 0 and inner_gap <= eps * (loss + norm + abs(entropy))",
    .params = params,
    .metrics = sem_metrics,
    .probes = sem_probes,
    .create = create,
    .advance = advance,
    .observe = sem_observe,
    .loss = WL_LOSS_SOFTMAX,
    .model = model,
    .kernel = kernel,
    .explain = sem_explain,
    .next = sem_next,
    .walk = sem_walk,
    .older = wlab_cluster_names_older,
    .set = set,
    .destroy = destroy,
};
