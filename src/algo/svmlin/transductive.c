/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by TSVM and mean field annealing: the rows of the problem and their costs, J and its bounds, the best w, the
 * model.
 */
#include "algo/svmlin/transductive.h"
#include "algo/algos.h"
#include "base/rows.h"
#include "base/two.h"
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
    wlab_free(t->lab);
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
    const wlab_labelset *B = t->p->labels;
    if (balance && B->groups == 1 &&
        (t->positives < B->lo[0] ||
         t->positives > B->hi[0])) /* balance= is a bound, and r= must be within it */
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
        "use fewer rows, or loss=squared-hinge with kernel=linear or rank=, which needs no kernel matrix",
        err);
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

/* The labelled and the unlabelled rows, here and in all. */
static wlab_code find_rows(transductive *t, wlab_err *err)
{
    const wlab_problem *p = t->p;
    wlab_ranks *ranks = wlab_matrix_ranks(p->X);
    int64_t u = 0;

    for (int64_t k = 0; k < t->n; k++)
        u += p->visible[k] == 0;
    t->u = wlab_ranks_total(ranks, u);
    t->l = wlab_ranks_total(ranks, t->n) - t->u;
    if (t->u < 2)
        return wlab_fail(
            err, WL_ESTATE,
            "at least two unlabelled rows are needed, but there %s; `algo mfn` and `algo svm` learn from "
            "labelled rows alone",
            t->u ? "is one" : "are none");
    t->unl = wlab_alloc((size_t)u, sizeof *t->unl);
    t->lab = wlab_alloc((size_t)(t->n - u), sizeof *t->lab);
    t->sort = wlab_calloc((size_t)t->n, 1);
    t->y = wlab_calloc((size_t)t->n, 1);
    t->ranked = wlab_alloc((size_t)u, sizeof *t->ranked);
    t->largest = wlab_calloc((size_t)t->n, 1);
    const bool full = t->unl && t->lab && t->sort && t->y && t->ranked && t->largest;
    const wlab_code code = wlab_ranks_agree(ranks, full ? WL_OK : wlab_nomem(err), err);
    if (code)
        return code;
    for (int64_t k = 0, i = 0, j = 0; k < t->n; k++) {
        t->y[k] = p->visible[k];
        if ((t->sort[k] = p->visible[k] == 0))
            t->unl[j++] = (int32_t)k;
        else
            t->lab[i++] = (int32_t)k;
    }
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
    if ((code = find_rows(t, err)))
        return code;
    t->kernel.kind = wlab_kernel_kind_of(given, p->X);
    if ((code = choose_r(t, given, err)) || (code = wlab_kernel_choose(&t->kernel, given, p->X, ctx, err)))
        return code;
    if (t->svmlight)
        t->kernel.bias = 0;
    if ((t->hinge || t->kernel.kind != WL_K_LINEAR) &&
        ((code = wlab_kernel_here(p->X, err)) || (code = kernel_matrix(t, ctx, err))))
        return code;
    double eps = wlab_params_real(given, "eps");
    if (isnan(eps))
        eps = t->svmlin ? 5e-7 : 1e-6;
    code = wlab_mfn_create(&t->m, p->X, t->kernel.bias, t->K, t->n, t->lambda,
                           (wlab_mfn_mode)wlab_params_choice(given, "newton"), eps, err);
    if (code)
        return code;
    int64_t u = 0;
    for (int64_t k = 0; k < t->n; k++)
        u += t->sort[k];
    wlab_rows_list(&t->unlabelled, &t->m->rows, t->unl, u);
    wlab_rows_list(&t->labelled, &t->m->rows, t->lab, t->n - u);
    wlab_tr_costs_labelled(t);
    t->cut = t->reach = NAN;
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

void wlab_tr_begin(transductive *t, wlab_pool *pool)
{
    wlab_mfn_start(t->m, pool);
}

/* loss=hinge: puts alpha = beta / lambda, the outputs and the gap into t->m, starting from the current alpha. */
static wlab_code solve_hinge(transductive *t, wlab_ctx *ctx, wlab_err *err)
{
    wlab_mfn *m = t->m;
    wlab_smo_result result;
    const double before = wlab_tr_value(t, ctx ? ctx->pool : NULL);

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
    const double before = wlab_tr_value(t, ctx ? ctx->pool : NULL);

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
    if (*done && !t->warned && t->m->gap > fmax(INEXACT * t->m->f, wlab_mfn_enough(t->m))) {
        t->warned = true;
        wlab_emit_warning(ctx,
                          "w was found only to a relative gap of %.2g, so later results are no more exact: "
                          "scale the data, or "
                          "use another lambda or lambda_u",
                          t->m->gap / t->m->f);
    }
    return WL_OK;
}

/* ---- labels ---- */

typedef struct row_pass {
    transductive *t;
    int32_t first;   /* the number of this rank's row 0 among those of all ranks */
    const double *f; /* values that are ranked */
    int8_t *y;
    const int8_t *labels;
    int32_t *down; /* [unlabelled.n] workspace */
    double lo, hi; /* the threshold is expected between them; pairs: outputs */
    wlab_ranked cut;
    int64_t count[WL_ROW_BLOCKS], more[WL_ROW_BLOCKS];
    double low[WL_ROW_BLOCKS], high[WL_ROW_BLOCKS];
} row_pass;

/* Counts the rows below lo, and lists those from lo to hi at the block's place in t->ranked. */
static void list_near(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    row_pass *all = data;
    const transductive *t = all->t;
    int64_t below = 0, near = begin;

    (void)sum;
    for (int64_t j = begin; j < end; j++) {
        const double f = all->f[t->unl[j]];
        below += f < all->lo;
        t->ranked[near] = (wlab_ranked){f, t->unl[j] + all->first};
        near += !(f < all->lo) & !(f > all->hi);
    }
    all->count[block] = below;
    all->more[block] = near - begin;
}

/* -1 for the rows up to the cut, 1 for those after it. */
static void label_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    const transductive *t = all->t;

    (void)block;
    (void)sum;
    for (int64_t j = begin; j < end; j++) {
        const int32_t k = t->unl[j];
        const double f = all->f[k];
        all->y[k] =
            (int8_t)(2 * ((f > all->cut.f) | ((f == all->cut.f) & (k + all->first > all->cut.row))) - 1);
    }
}

/* Puts the candidates for the last of the k smallest rows first in t->ranked; *n: how many of them are here.  Returns how
 * many rows of all ranks are below them all. */
static int64_t find_near(row_pass *all, int64_t k, int64_t *n, wlab_pool *pool)
{
    transductive *t = all->t;
    const int blocks = wlab_rows_blocks(&t->unlabelled);
    int64_t below = 0;

    *n = 0;
    wlab_rows_run(&t->unlabelled, list_near, all, NULL, pool);
    for (int b = 0; b < blocks; b++) {
        if (all->more[b] > 0 && b > 0)
            memmove(t->ranked + *n, t->ranked + wlab_rows_begin(&t->unlabelled, b),
                    (size_t)all->more[b] * sizeof *t->ranked);
        below += all->count[b];
        *n += all->more[b];
    }
    below = wlab_ranks_total(wlab_tr_ranks(t), below);
    return below < k && k <= below + wlab_ranks_total(wlab_tr_ranks(t), *n) ? below : -1;
}

/* Sets all->cut to the last of the rows that get the label -1, for the values all->f. */
static void find_cut(row_pass *all, wlab_pool *pool)
{
    transductive *t = all->t;
    const int64_t k = t->u - t->positives;
    int64_t n = 0, below = -1;

    for (int i = 0; i < 3 && below < 0 && t->reach < INFINITY; i++, t->reach *= 32) {
        all->lo = t->cut - t->reach;
        all->hi = t->cut + t->reach;
        below = find_near(all, k, &n, pool);
    }
    if (below < 0) { /* not there: look at all rows */
        all->lo = -INFINITY;
        all->hi = INFINITY;
        below = find_near(all, k, &n, pool);
    }
    all->cut = wlab_select(wlab_tr_ranks(t), t->ranked, n, k - below);
    const double moved = 2 * fabs(all->cut.f - t->cut);
    t->reach =
        moved < t->reach / 128 ? t->reach / 128 : moved; /* reach is 32 times the last one that was tried */
    t->cut = all->cut.f;
}

void wlab_tr_threshold(transductive *t, const double *f, int8_t *y, wlab_pool *pool)
{
    row_pass all = {.t = t, .first = (int32_t)t->m->rows.before, .f = f, .y = y};

    find_cut(&all, pool);
    wlab_rows_run(&t->unlabelled, label_rows, &all, NULL, pool);
}

/* ---- J ---- */

static inline double loss(bool hinge, double margin)
{
    const double slack = 1 - margin > 0 ? 1 - margin : 0;
    return hinge ? slack : 0.5 * slack * slack;
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

/* Sum: losses. */
static void measure_labelled(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const transductive *t = data;

    (void)block;
    for (int64_t i = begin; i < end; i++)
        sum[0] += loss(t->hinge, t->p->visible[t->lab[i]] * t->m->o[t->lab[i]]);
}

static inline wlab_two losses(bool hinge, wlab_two margin)
{
    const wlab_two slack = wlab_two_positive(wlab_two_of(1) - margin);
    return hinge ? slack : 0.5 * slack * slack;
}

/* Which of the rows a and b have the label +1. */
static inline wlab_two_mask positive_labels(const int8_t *y, int32_t a, int32_t b)
{
    return (wlab_two_mask){-(y[a] > 0), -(y[b] > 0)};
}

/* Sums: losses at the better label; at all->labels, or without these at the labels that all->cut separates. */
static void measure_unlabelled(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    const transductive *t = all->t;
    const wlab_two cut = wlab_two_of(all->cut.f), row = wlab_two_of((double)(all->cut.row - all->first));
    wlab_two best = {0}, given = {0};

    (void)block;
    for (int64_t j = begin; j < end; j += 2) {
        const bool two = j + 1 < end;
        const int32_t a = t->unl[j], b = t->unl[two ? j + 1 : j];
        const wlab_two_mask there = {-1, two ? -1 : 0};
        const wlab_two o = {t->m->o[a], t->m->o[b]};
        const wlab_two_mask up =
            all->labels
                ? positive_labels(all->labels, a, b)
                : wlab_two_less(cut, o) | ((wlab_two_mask)(cut == o) & wlab_two_less(row, (wlab_two){a, b}));
        best += wlab_two_where(there, losses(t->hinge, wlab_two_abs(o)));
        given += wlab_two_where(there, losses(t->hinge, wlab_two_choose(up, o, -o)));
    }
    sum[0] = wlab_two_sum(best);
    sum[1] = wlab_two_sum(given);
}

void wlab_tr_measure(transductive *t, const int8_t *y, wlab_pool *pool)
{
    const double *o = t->m->o;
    row_pass all = {.t = t, .first = (int32_t)t->m->rows.before, .f = o, .labels = y};
    double sum[WL_ROW_SUMS];

    if (!y)
        find_cut(&all, pool);
    wlab_rows_run(&t->labelled, measure_labelled, t, sum, pool);
    const double labelled = sum[0];
    wlab_rows_run(&t->unlabelled, measure_unlabelled, &all, sum, pool);
    const double unlabelled = sum[0], balanced = sum[1];

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

/* Sum: costs times losses. */
static void add_losses(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const transductive *t = data;

    (void)block;
    for (int64_t k = begin; k < end; k++)
        sum[0] += t->m->pos[k] * loss(t->hinge, t->m->o[k]) + t->m->neg[k] * loss(t->hinge, -t->m->o[k]);
}

double wlab_tr_value(const transductive *t, wlab_pool *pool)
{
    double sum[WL_ROW_SUMS];

    wlab_rows_run(&t->m->rows, add_losses, (void *)(uintptr_t)t, sum, pool);
    return 0.5 * t->lambda * t->m->norm + sum[0];
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

/* ---- pairs ---- */

/* Sorts the list, or only its `most` smallest entries; returns how many are sorted. */
static int64_t sort_first(wlab_ranked *list, int64_t n, int64_t most)
{
    if (most > 0 && most < n) {
        wlab_select_first(list, n, most);
        n = most;
    }
    qsort(list, (size_t)n, sizeof *list, wlab_ranked_compare);
    return n;
}

/* The smallest output of a positive row, and the largest of a negative one. */
static void find_range(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    row_pass *all = data;
    const wlab_two most = wlab_two_of(INFINITY);
    wlab_two low = most, high = -most;

    (void)sum;
    for (int64_t j = begin; j < end; j += 2) {
        const int32_t a = all->t->unl[j], b = all->t->unl[j + 1 < end ? j + 1 : j];
        const wlab_two o = {all->t->m->o[a], all->t->m->o[b]};
        const wlab_two_mask is_up = positive_labels(all->labels, a, b);
        const wlab_two up = wlab_two_choose(is_up, o, most), down = wlab_two_choose(is_up, -most, o);
        low = wlab_two_choose(wlab_two_less(up, low), up, low);
        high = wlab_two_choose(wlab_two_less(high, down), down, high);
    }
    all->low[block] = fmin(low[0], low[1]);
    all->high[block] = fmax(high[0], high[1]);
}

/* Lists the rows that may be in a pair at the block's place: positive ones in t->ranked, negative ones in all->down. */
static void list_switchable(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    row_pass *all = data;
    const transductive *t = all->t;
    const double low = fmax(all->lo, -1), high = fmin(all->hi, 1);
    int64_t positive = 0, negative = 0;

    (void)sum;
    for (int64_t j = begin; j < end; j++) {
        const int32_t k = t->unl[j];
        const double o = t->m->o[k];
        t->ranked[begin + positive] = (wlab_ranked){o, k + all->first};
        positive += (all->labels[k] > 0) & (o < high);
        all->down[begin + negative] = k;
        negative += (all->labels[k] < 0) & (o > low);
    }
    all->count[block] = positive;
    all->more[block] = negative;
}

/* Doubles as whole numbers in the same order. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* How many entries of the sorted list are below f, or, with `equal`, not above it. */
static int64_t count_below(const wlab_ranked *list, int64_t n, double f, bool equal)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t at = lo + (hi - lo) / 2;
        if (list[at].f < f || (equal && list[at].f == f))
            lo = at + 1;
        else
            hi = at;
    }
    return lo;
}

/* The number of pairs, the largest k for which the k-th smallest output in `up` is below the k-th largest of `down` (which
 * holds minus the outputs): the maximum over v of min(a, b), for a outputs of `up` below v and b of `down` not below v. */
static int64_t count_pairs(wlab_ranks *ranks, const wlab_ranked *up, int64_t n_up, const wlab_ranked *down,
                           int64_t n_down)
{
    uint64_t lo = key_of(-INFINITY), hi = key_of(INFINITY);
    int64_t pairs = 0;

    while (lo < hi) {
        const uint64_t at = lo + (hi - lo) / 2;
        const double v = value_of(at);
        const int64_t a = wlab_ranks_total(ranks, count_below(up, n_up, v, false)),
                      b = wlab_ranks_total(ranks, count_below(down, n_down, -v, true));
        const int64_t both = a < b ? a : b;
        pairs = both > pairs ? both : pairs;
        if (a < b)
            lo = at + 1;
        else
            hi = at;
    }
    return pairs;
}

/* How many of the k smallest entries of all ranks' sorted lists are in this one. */
static int64_t share_of(wlab_ranks *ranks, const wlab_ranked *list, int64_t n, int64_t k)
{
    uint64_t lo = key_of(-INFINITY), hi = key_of(INFINITY);
    int64_t equal[WL_RANKS_MOST];

    if (wlab_ranks_size(ranks) == 1)
        return k;
    while (lo < hi) { /* the smallest value that k entries do not exceed */
        const uint64_t at = lo + (hi - lo) / 2;
        if (wlab_ranks_total(ranks, count_below(list, n, value_of(at), true)) >= k)
            hi = at;
        else
            lo = at + 1;
    }
    const double v = value_of(hi);
    const int64_t below = count_below(list, n, v, false), own = count_below(list, n, v, true) - below;
    int64_t left = k - wlab_ranks_total(ranks, below);
    wlab_ranks_collect(ranks, &own, sizeof own, equal);
    for (int r = 0; r < ranks->rank; r++)
        left -= left < equal[r] ? left : equal[r];
    return below + (left < own ? left : own);
}

/* first[k] is set to the k-th smallest entry of all ranks' sorted lists, for at most `most` of them. */
static void merge_first(wlab_ranks *ranks, const wlab_ranked *list, int64_t n, wlab_ranked *first,
                        int64_t most)
{
    wlab_ranked own[WL_FIRST_PAIRS];
    int64_t at = 0;

    for (int64_t k = 0; k < most; k++) { /* rank by rank, as few of them have to be compared */
        wlab_ranked next = at < n ? list[at] : (wlab_ranked){INFINITY, INT64_MAX}, all[WL_RANKS_MOST];
        wlab_ranks_collect(ranks, &next, sizeof next, all);
        own[k] = all[0];
        for (int r = 1; r < wlab_ranks_size(ranks); r++)
            if (wlab_ranked_before(&all[r], &own[k]))
                own[k] = all[r];
        at += at < n && own[k].row == next.row;
    }
    memcpy(first, own, (size_t)most * sizeof *own);
}

void wlab_tr_pairs(transductive *t, const int8_t *y, int64_t S, tr_switch *out, wlab_pool *pool)
{
    const wlab_rows *rows = &t->unlabelled;
    wlab_ranks *ranks = wlab_tr_ranks(t);
    const int blocks = wlab_rows_blocks(rows);
    row_pass all = {.t = t,
                    .first = (int32_t)t->m->rows.before,
                    .labels = y,
                    .down = out->row,
                    .lo = INFINITY,
                    .hi = -INFINITY};
    int64_t positive = 0, negative = 0;

    out->pairs = out->up = out->down = 0;
    wlab_rows_run(rows, find_range, &all, NULL, pool);
    for (int b = 0; b < blocks; b++) {
        all.lo = fmin(all.lo, all.low[b]);
        all.hi = fmax(all.hi, all.high[b]);
    }
    all.lo = wlab_ranks_least(ranks, all.lo);
    all.hi = wlab_ranks_most(ranks, all.hi);
    if (!(all.lo < 1 && all.hi > -1 && all.lo < all.hi))
        return;
    wlab_rows_run(rows, list_switchable, &all, NULL, pool);
    /* positive rows go to the begin of t->ranked, negative ones to its end: each row is at most one of them */
    wlab_ranked *up = t->ranked, *down = t->ranked + rows->n;
    for (int b = 0; b < blocks; b++) {
        memmove(up + positive, up + wlab_rows_begin(rows, b), (size_t)all.count[b] * sizeof *up);
        positive += all.count[b];
    }
    for (int b = 0; b < blocks; b++)
        for (const int32_t *k = out->row + wlab_rows_begin(rows, b), *end = k + all.more[b]; k < end; k++)
            *--down = (wlab_ranked){-t->m->o[*k], *k + all.first}, negative++;
    positive = sort_first(up, positive, S);
    negative = sort_first(down, negative, S);
    out->pairs = count_pairs(ranks, up, positive, down, negative);
    out->pairs = S > 0 && S < out->pairs ? S : out->pairs;
    out->up = share_of(ranks, up, positive, out->pairs);
    out->down = share_of(ranks, down, negative, out->pairs);
    for (int64_t k = 0; k < out->up + out->down; k++)
        out->row[k] = (int32_t)((k < out->up ? up[k].row : down[k - out->up].row) - all.first);
    const int64_t some = out->pairs < WL_FIRST_PAIRS ? out->pairs : WL_FIRST_PAIRS;
    wlab_ranked first[2][WL_FIRST_PAIRS];
    merge_first(ranks, up, positive, first[0], some);
    merge_first(ranks, down, negative, first[1], some);
    for (int64_t k = 0; k < some; k++) {
        t->first_pair[k] = (tr_pair){first[0][k], first[1][k]};
        t->first_pair[k].down.f *= -1;
    }
}

/* Sum: flips. */
static void show_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    transductive *t = all->t;
    int64_t flips = 0;

    (void)block;
    for (int64_t j = begin; j < end; j++) {
        const int32_t k = t->unl[j];
        const int8_t y = (int8_t)(all->labels ? all->labels[k] : 2 * (t->m->o[k] > 0) - 1);
        flips += t->y[k] != y;
        t->y[k] = y;
    }
    sum[0] = (double)flips;
}

void wlab_tr_show(transductive *t, const int8_t *y, wlab_pool *pool)
{
    double sum[WL_ROW_SUMS];

    wlab_rows_run(&t->unlabelled, show_rows, &(row_pass){.t = t, .labels = y}, sum, pool);
    t->flips = (int64_t)sum[0];
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
