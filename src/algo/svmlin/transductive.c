/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by TSVM and mean field annealing: the rows of the problem and their costs, J and its bounds, the best w, the
 * model.
 */
#include "algo/svmlin/transductive.h"
#include "algo/algos.h"
#include "base/walk.h"
#include "solve/svm/smo.h"
#include "solve/svm/smo_free.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INEXACT 1e-3 /* a larger relative gap gives a warning */

const char *const wlab_tr_loss_names[] = {"squared-hinge", "hinge", NULL};

void wlab_tr_clear(transductive *t)
{
    wlab_problem_unref(t->p);
    wlab_kernel_clear(&t->kernel);
    wlab_mfn_destroy(t->m);
    wlab_free(t->K);
    wlab_free(t->unl);
    wlab_free(t->sort);
    wlab_free(t->ranked);
    wlab_free(t->largest);
    wlab_free(t->best.w);
    wlab_free(t->best.o);
    wlab_free(t->y);
    *t = (transductive){0};
}

static wlab_code choose_r(transductive *t, const wlab_params *given, wlab_err *err)
{
    const char *text = wlab_params_text(given, "r");

    if (strcmp(text, "auto") == 0)
        t->r = isnan(t->p->r) ? 0.5 : t->p->r;
    else if (!wlab_parse_real(text, &t->r) || !(t->r > 0 && t->r < 1))
        return wlab_fail(err, WL_EARG, "r=%s: give a fraction above 0 and below 1, or auto", text);
    t->positives = t->u - wlab_negatives(t->r, t->u);
    const char *balance = isnan(t->p->r) ? wlab_params_text(t->p->params, "balance") : NULL;
    for (int64_t j = 0; balance && j < t->u; j++)
        t->largest[t->unl[j]] = j < t->positives ? 1 : -1;
    if (balance &&
        !wlab_labelset_contains(t->p->labels, t->largest)) /* balance= is a bound, and r= must be within it */
        return wlab_fail(
            err, WL_EARG,
            "r=%g makes %lld of %lld rows positive, which balance=%s of the task does not allow: "
            "set the task with balance=%.3g, or give another r=",
            t->r, (long long)t->positives, (long long)t->u, balance,
            ceil(1000 * fabs(2 * t->r - 1)) / 1000 + 0.001);
    if (t->positives < 1 || t->positives >= t->u)
        return wlab_fail(
            err, WL_EARG,
            "r=%g makes %lld of the %lld unlabelled rows positive, but each class needs at least one: give "
            "another r=",
            t->r, (long long)t->positives, (long long)t->u);
    return WL_OK;
}

static wlab_code kernel_matrix(transductive *t, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_kernel_fits(
        t->n, WL_KERNEL_ROWS, "rows",
        "use fewer rows, or kernel=linear loss=squared-hinge, which needs no kernel matrix", err);
    if (code)
        return code;
    t->K = wlab_alloc((size_t)t->n * (size_t)t->n, sizeof *t->K);
    if (!t->K)
        return wlab_nomem(err);
    return wlab_kernel_matrix_progress(&t->kernel, t->p->X, t->p->X, t->p->row, t->K, ctx, err);
}

static bool is_svmlight(const wlab_params *given)
{
    return !strcmp(wlab_params_text(given, "schedule"), "svmlight");
}

/* Its loss is the hinge, and its offset is free. */
static wlab_code check_svmlight(transductive *t, const wlab_params *given, wlab_err *err)
{
    if (!t->svmlight)
        return WL_OK;
    if (wlab_params_given(given, "loss") && !t->hinge)
        return wlab_fail(err, WL_EARG,
                         "schedule=svmlight has the hinge loss: leave out loss=, or give loss=hinge");
    if (wlab_params_given(given, "bias") && wlab_params_real(given, "bias") != 0)
        return wlab_fail(err, WL_EARG, "schedule=svmlight has a free offset: leave out bias=");
    t->hinge = true;
    return WL_OK;
}

wlab_code wlab_tr_create(transductive *t, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                         wlab_err *err)
{
    wlab_code code;
    *t = (transductive){.p = wlab_problem_ref(p), .n = p->n};
    t->lambda = wlab_params_real(given, "lambda");
    t->lambda_u = wlab_params_real(given, "lambda_u");
    t->hinge = wlab_params_choice(given, "loss") == 1;
    t->seed = (uint64_t)wlab_params_int(given, "seed");
    t->svmlin = wlab_params_choice(given, "schedule") == 1;
    t->svmlight = is_svmlight(given);
    if ((code = check_svmlight(t, given, err)))
        return code;
    for (int64_t k = 0; k < t->n; k++)
        t->u += p->visible[k] == 0;
    t->l = t->n - t->u;
    if (t->u < 2)
        return wlab_fail(
            err, WL_ESTATE,
            "at least two unlabelled rows are needed, but there %s; `algo mfn` and `algo svm` learn from "
            "labelled rows alone",
            t->u ? "is one" : "are none");
    t->kernel.kind = wlab_kernel_kind_of(given, p->X);
    t->unl = wlab_alloc((size_t)t->u, sizeof *t->unl);
    t->sort = wlab_calloc((size_t)t->n, 1);
    t->y = wlab_calloc((size_t)t->n, 1);
    t->ranked = wlab_alloc((size_t)t->u, sizeof *t->ranked);
    t->largest = wlab_calloc((size_t)t->n, 1);
    if (!t->unl || !t->sort || !t->y || !t->ranked || !t->largest)
        return wlab_nomem(err);
    for (int64_t k = 0, j = 0; k < t->n; k++) {
        t->y[k] = p->visible[k];
        if ((t->sort[k] = p->visible[k] == 0))
            t->unl[j++] = (int32_t)k;
    }
    if ((code = choose_r(t, given, err)) || (code = wlab_kernel_choose(&t->kernel, given, p->X, ctx, err)))
        return code;
    if (t->svmlight)
        t->kernel.bias = 0;
    if ((t->hinge || t->kernel.kind != WL_K_LINEAR) && (code = kernel_matrix(t, ctx, err)))
        return code;
    double eps = wlab_params_real(given, "eps");
    if (isnan(eps))
        eps = t->svmlin ? 5e-7 : 1e-6;
    code = wlab_mfn_create(&t->m, p->X, t->kernel.bias, t->K, t->n, t->lambda,
                           (wlab_mfn_mode)wlab_params_choice(given, "newton"), eps, err);
    if (code)
        return code;
    t->J_best = t->upper = INFINITY;
    t->lower = t->l ? NAN : 0;
    t->objective = t->J = t->J_norm = t->J_labelled = t->J_unlabelled = t->J_balanced = NAN;
    t->verdict = WL_MORE;
    return WL_OK;
}

/* ---- w ---- */

void wlab_tr_costs_labelled(transductive *t)
{
    for (int64_t k = 0; k < t->n; k++) {
        const int8_t y = t->p->visible[k];
        t->m->pos[k] = y > 0 ? 1 / (double)t->l : 0;
        t->m->neg[k] = y < 0 ? 1 / (double)t->l : 0;
    }
}

void wlab_tr_begin(transductive *t)
{
    wlab_mfn_start(t->m);
}

/* loss=hinge: puts alpha = beta / lambda, the outputs and the gap into t->m, starting from the current alpha. */
static wlab_code solve_hinge(transductive *t, wlab_ctx *ctx, wlab_err *err)
{
    wlab_mfn *m = t->m;
    wlab_smo_result result;
    const double before = wlab_tr_value(t);

    for (int64_t k = 0; k < t->n; k++)
        m->s[k] = m->lambda * m->w[k];
    wlab_code code =
        wlab_smo_solve(t->K, t->n, m->lambda, m->pos, m->neg, m->eps, 0, m->s, m->e, &result, ctx, err);
    if (code)
        return code;
    if (result.stopped) /* drop what was computed: results must not depend on when the interrupt came */
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    /* A dual method may end with a larger primal value than it began with, within eps.  Then keep the old w, so that
     * the objective never rises. */
    const bool keep = before <= result.primal;
    const double f = keep ? before : result.primal, gap = fmax(0, f - result.dual);
    const bool reached = gap <= m->eps * f;
    for (int64_t k = 0; k < t->n && !keep; k++) {
        m->w[k] = m->s[k] / m->lambda;
        m->o[k] = m->e[k];
    }
    m->norm = keep ? m->norm : fmax(0, cblas_ddot((int)t->n, m->w, 1, m->o, 1));
    m->f = f;
    m->gap = gap;
    m->gradient = NAN; /* the hinge loss has none */
    m->done = reached;
    m->stalled = !reached;
    t->newtons++;
    return WL_OK;
}

/* schedule=svmlight: the same with a free offset.  smo_free.h has the objective divided by lambda, so its beta is alpha. */
static wlab_code solve_free(transductive *t, wlab_ctx *ctx, wlab_err *err)
{
    wlab_mfn *m = t->m;
    wlab_smo_free_result result;
    int8_t *y = t->largest;
    double *cost = m->Xq, norm = 0;
    const double before = wlab_tr_value(t);

    for (int64_t k = 0; k < t->n; k++) { /* a row has one of the two costs */
        y[k] = m->neg[k] > 0 ? -1 : 1;
        cost[k] = (m->pos[k] + m->neg[k]) / t->lambda;
        m->s[k] = m->w[k];
    }
    wlab_code code = wlab_smo_free_solve(t->K, t->n, y, cost, m->eps, m->s, m->e, &result, ctx, err);
    if (code)
        return code;
    if (result.stopped)
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    const bool keep = before <= t->lambda * result.primal;
    const double f = keep ? before : t->lambda * result.primal, gap = fmax(0, f - t->lambda * result.dual);
    if (!keep) {
        memcpy(m->w, m->s, (size_t)t->n * sizeof *m->w);
        memcpy(m->o, m->e, (size_t)t->n * sizeof *m->o);
        t->b = result.b;
        for (int64_t k = 0; k < t->n; k++)
            norm += m->w[k] * (m->o[k] - t->b);
        m->norm = fmax(0, norm);
    }
    m->f = f;
    m->gap = gap;
    m->gradient = NAN;
    m->done = gap <= m->eps * f;
    m->stalled = !m->done;
    t->newtons++;
    return WL_OK;
}

wlab_code wlab_tr_iterate(transductive *t, wlab_ctx *ctx, bool *done, wlab_err *err)
{
    wlab_code code = WL_OK;
    const int64_t cg = t->m->cg, newtons = t->m->newtons;

    if (t->hinge) {
        if ((code = t->svmlight ? solve_free(t, ctx, err) : solve_hinge(t, ctx, err)))
            return code;
        *done = true;
    } else {
        if ((code = wlab_mfn_iterate(t->m, ctx, err)))
            return code;
        t->cg += t->m->cg - cg;
        t->newtons += t->m->newtons - newtons;
        *done = t->m->done || t->m->stalled;
    }
    if (*done)
        t->inexact = !t->m->done;
    if (*done && !t->warned && t->m->gap > INEXACT * t->m->f) {
        t->warned = true;
        wlab_emit_warning(ctx,
                          "w was found only to a relative gap of %.2g, so later results are no more exact: "
                          "scale the data, or "
                          "use another lambda or lambda_u",
                          t->m->gap / t->m->f);
    }
    return WL_OK;
}

/* ---- J ---- */

static double loss(const transductive *t, double margin)
{
    const double slack = margin < 1 ? 1 - margin : 0;
    return t->hinge ? slack : 0.5 * slack * slack;
}

/* The value by which the best w is chosen. */
static double current_value(const transductive *t)
{
    return t->keep == WL_TR_KEEP_BALANCED ? t->J_balanced : t->J;
}

wlab_code wlab_tr_keep_best(transductive *t, wlab_tr_keep keep, wlab_err *err)
{
    t->keep = keep;
    t->best.value = INFINITY;
    if (keep == WL_TR_KEEP_LAST)
        return WL_OK;
    t->best.w = wlab_calloc((size_t)t->m->dim, sizeof *t->best.w);
    t->best.o = wlab_calloc((size_t)t->n, sizeof *t->best.o);
    return t->best.w && t->best.o ? WL_OK : wlab_nomem(err);
}

bool wlab_tr_had_better(const transductive *t)
{
    return t->keep != WL_TR_KEEP_LAST && t->best.value < current_value(t);
}

void wlab_tr_measure(transductive *t, const int8_t *y)
{
    const double *o = t->m->o;
    double labelled = 0, unlabelled = 0, balanced = 0;

    for (int64_t k = 0; k < t->n; k++) {
        if (t->p->visible[k])
            labelled += loss(t, t->p->visible[k] * o[k]);
        else
            unlabelled += loss(t, fabs(o[k]));
    }
    if (!y) {
        wlab_tr_threshold(t, o, t->largest);
        y = t->largest;
    }
    for (int64_t j = 0; j < t->u; j++)
        balanced += loss(t, y[t->unl[j]] * o[t->unl[j]]);
    t->J_norm = 0.5 * t->lambda * t->m->norm;
    t->J_labelled = t->l ? labelled / (double)t->l : 0;
    t->J_unlabelled = t->lambda_u * unlabelled / (double)t->u;
    t->J = t->J_norm + t->J_labelled + t->J_unlabelled;
    t->J_balanced = t->J_norm + t->J_labelled + t->lambda_u * balanced / (double)t->u;
    if (t->J_balanced < t->upper)
        t->upper = t->J_balanced;
    t->J_best = fmin(t->J_best, t->J);
    if (t->keep != WL_TR_KEEP_LAST && current_value(t) < t->best.value) {
        t->best.value = current_value(t);
        t->best.norm = t->m->norm;
        t->best.step = t->step;
        t->best.inexact = t->inexact;
        memcpy(t->best.w, t->m->w, (size_t)t->m->dim * sizeof *t->best.w);
        memcpy(t->best.o, o, (size_t)t->n * sizeof *t->best.o);
    }
}

double wlab_tr_value(const transductive *t)
{
    double sum = 0;

    for (int64_t k = 0; k < t->n; k++)
        sum += t->m->pos[k] * loss(t, t->m->o[k]) + t->m->neg[k] * loss(t, -t->m->o[k]);
    return 0.5 * t->lambda * t->m->norm + sum;
}

void wlab_tr_set_lower(transductive *t)
{
    t->lower = fmax(0, t->m->f - t->m->gap);
}

void wlab_tr_return_to_best(transductive *t)
{
    memcpy(t->m->w, t->best.w, (size_t)t->m->dim * sizeof *t->best.w);
    memcpy(t->m->o, t->best.o, (size_t)t->n * sizeof *t->best.o);
    t->m->norm = t->best.norm;
    t->m->g_known = false;
    t->inexact = t->best.inexact;
}

wlab_verdict wlab_tr_ended(const transductive *t, wlab_ctx *ctx)
{
    if (!t->inexact)
        return WL_CONVERGED;
    wlab_emit_note(ctx, "the labels have converged, but w could not be found as exactly as eps= requests");
    return WL_STALLED;
}

/* ---- labels ---- */

static bool before(const wlab_ranked *a, const wlab_ranked *b)
{
    return a->f < b->f || (a->f == b->f && a->row < b->row);
}

static int by_value(const void *a, const void *b)
{
    return before(a, b) ? -1 : before(b, a);
}

/* Puts the k smallest of list[0..n-1] first, in any order. */
static void select_first(wlab_ranked *list, int64_t n, int64_t k)
{
    int64_t lo = 0, hi = n - 1;
    while (lo < hi && k > lo && k <= hi) {
        const wlab_ranked a = list[lo], b = list[lo + (hi - lo) / 2], c = list[hi];
        const wlab_ranked least = before(&a, &b) ? a : b, most = before(&a, &b) ? b : a;
        const wlab_ranked pivot = before(&c, &least) ? least : before(&most, &c) ? most : c;
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (before(&list[i], &pivot))
                i++;
            while (before(&pivot, &list[j]))
                j--;
            if (i <= j) {
                const wlab_ranked x = list[i];
                list[i++] = list[j];
                list[j--] = x;
            }
        }
        if (k <= j + 1)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
}

void wlab_tr_threshold(const transductive *t, const double *f, int8_t *y)
{
    for (int64_t j = 0; j < t->u; j++)
        t->ranked[j] = (wlab_ranked){f[t->unl[j]], t->unl[j]};
    select_first(t->ranked, t->u, t->u - t->positives);
    for (int64_t j = 0; j < t->u; j++)
        y[t->ranked[j].row] = j < t->u - t->positives ? -1 : 1;
}

/* Sorts the list, or only its `most` smallest entries; returns how many are sorted. */
static int64_t sort_first(wlab_ranked *list, int64_t n, int64_t most)
{
    if (most > 0 && most < n) {
        select_first(list, n, most);
        n = most;
    }
    qsort(list, (size_t)n, sizeof *list, by_value);
    return n;
}

int64_t wlab_tr_pairs(transductive *t, const int8_t *y, int64_t S, int32_t *pair)
{
    const double *o = t->m->o;
    double lowest = INFINITY, highest = -INFINITY; /* output of a positive row; of a negative row */
    int64_t positive = 0, negative = 0, pairs = 0;

    for (int64_t j = 0; j < t->u; j++) {
        const int32_t k = t->unl[j];
        if (y[k] > 0 && o[k] < lowest)
            lowest = o[k];
        if (y[k] < 0 && o[k] > highest)
            highest = o[k];
    }
    if (!(lowest < 1 && highest > -1 && lowest < highest))
        return 0;
    wlab_ranked *up = t->ranked,
                *down = t->ranked + t->u; /* filled from both ends: each row is in at most one of them */
    for (int64_t j = 0; j < t->u; j++) {
        const int32_t k = t->unl[j];
        if (y[k] > 0 && o[k] < 1 && o[k] < highest)
            up[positive++] = (wlab_ranked){o[k], k};
        else if (y[k] < 0 && o[k] > -1 && o[k] > lowest)
            *--down = (wlab_ranked){-o[k], k}, negative++;
    }
    positive = sort_first(up, positive, S);
    negative = sort_first(down, negative, S);
    while (pairs < positive && pairs < negative && up[pairs].f < -down[pairs].f) {
        pair[2 * pairs] = up[pairs].row;
        pair[2 * pairs + 1] = down[pairs].row;
        pairs++;
    }
    return pairs;
}

void wlab_tr_show(transductive *t, const int8_t *y)
{
    t->flips = 0;
    for (int64_t j = 0; j < t->u; j++) {
        const int32_t k = t->unl[j];
        t->flips += t->y[k] != y[k];
        t->y[k] = y[k];
    }
}

/* ---- members of the algorithms' tables ---- */

const char *wlab_tr_effort(const transductive *t, char buf[64])
{
    if (t->hinge)
        snprintf(buf, 64, "a run of SMO");
    else if (t->K)
        snprintf(buf, 64, "%lld Newton iteration%s", (long long)t->newtons, t->newtons == 1 ? "" : "s");
    else
        snprintf(buf, 64, "%lld Newton and %lld CG iterations", (long long)t->newtons, (long long)t->cg);
    return buf;
}

const char *wlab_tr_certified(const wlab_params *given, const double *metric, double *value)
{
    (void)given;
    *value = metric[TR_J_BALANCED];
    return *value > metric[TR_UPPER] ? "best labeling" : NULL;
}

void wlab_tr_observe(const transductive *t, double *metric, int8_t *labels)
{
    if (labels)
        memcpy(labels, t->y, (size_t)t->n);
    if (!metric)
        return;
    const bool begun = t->tracking;
    metric[TR_OBJECTIVE] =
        t->in_step ? t->m->f : t->objective; /* the others change only with complete steps */
    metric[TR_J] = t->J;
    metric[TR_J_BEST] = begun ? t->J_best : NAN;
    metric[TR_J_NORM] = t->J_norm;
    metric[TR_J_LABELLED] = t->J_labelled;
    metric[TR_J_UNLABELLED] = t->J_unlabelled;
    metric[TR_J_BALANCED] = t->J_balanced;
    metric[TR_UPPER] = begun ? t->upper : NAN;
    metric[TR_LOWER] = t->lower;
    wlab_put_gap(&metric[TR_GAP], metric[TR_UPPER] - t->lower, metric[TR_UPPER]);
    metric[TR_INNER_GAP] = t->m->gap;
    metric[TR_GRADIENT] = t->m->gradient;
    metric[TR_FLIPS] = t->step > 1 && !t->in_step ? (double)t->flips : NAN; /* a first label does not count */
    metric[TR_CG] = (double)t->cg;
    metric[TR_NEWTONS] = (double)t->newtons;
    metric[TR_LAMBDA_NOW] = t->lambda_now;
    metric[TR_SECONDS] = t->seconds;
}

/* A model of two classes is the difference of their functions; that of -1 is 0. */
static wlab_code free_model(const transductive *t, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    double *coef = wlab_calloc(2 * (size_t)t->n, sizeof *coef);
    if (!coef)
        return wlab_nomem(err);
    for (int64_t k = 0; k < t->n; k++)
        coef[2 * k + 1] = t->m->w[k];
    wlab_code code = wlab_model_from_class_coefficients(
        out, t->p, &t->kernel, coef, (const double[]){0, t->b}, ctx ? ctx->pool : NULL, err);
    wlab_free(coef);
    return code;
}

wlab_code wlab_tr_model(const transductive *t, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    *out = NULL;
    if (t->step == 0)
        return wlab_no_model(err);
    if (t->svmlight)
        return free_model(t, out, ctx, err);
    if (t->K)
        return wlab_model_from_coefficients(out, t->p, &t->kernel, t->m->w, ctx ? ctx->pool : NULL, err);
    return wlab_model_from_weights(out, t->p, t->m->w,
                                   t->kernel.bias > 0 ? t->kernel.bias * t->m->w[t->m->dim - 1] : 0, err);
}

/* clang-format off */
#define TR_SCALARS(X)                                                                                        \
    X(b) X(J_best) X(best.value) X(best.norm) X(best.step) X(best.inexact) X(inexact) X(lambda_now) X(objective) X(J) X(J_norm)              \
    X(J_labelled) X(J_unlabelled) X(J_balanced) X(upper) X(lower) X(flips) X(step) X(phase) X(cg)            \
    X(newtons) X(in_step) X(finished) X(tracking) X(verdict) X(seconds)
/* clang-format on */

/* The best w is often the current one; then the snapshot holds it only once. */
static bool best_is_now(const transductive *t)
{
    return t->keep != WL_TR_KEEP_LAST &&
           memcmp(t->best.w, t->m->w, (size_t)t->m->dim * sizeof *t->best.w) == 0 &&
           memcmp(t->best.o, t->m->o, (size_t)t->n * sizeof *t->best.o) == 0;
}

void wlab_tr_walk(transductive *s, wlab_walk *w, void (*costs)(void *state), void *state)
{
    uint8_t same = !w->reading && best_is_now(s);
    TR_SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->y, s->n);
    WL_WALK(w, same);
    if (wlab_walk_has_read(w) && same > (s->keep != WL_TR_KEEP_LAST))
        wlab_walk_damaged(w);
    if (s->keep != WL_TR_KEEP_LAST && s->tracking && !same) {
        WL_WALK_ARRAY(w, s->best.w, s->m->dim);
        WL_WALK_ARRAY(w, s->best.o, s->n);
    }
    if (wlab_walk_has_read(w))
        costs(state);
    wlab_mfn_walk(s->m, w);
    if (wlab_walk_has_read(w) && same) {
        memcpy(s->best.w, s->m->w, (size_t)s->m->dim * sizeof *s->best.w);
        memcpy(s->best.o, s->m->o, (size_t)s->n * sizeof *s->best.o);
    }
}
