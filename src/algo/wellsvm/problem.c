/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts that WellSVM and branch and bound share: loss, costs and kernel of the SVM of a labeling, and its
 * buffers.
 */
#include "algo/wellsvm/wellsvm.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

const char *const well_loss_names[] = {"auto", "hinge", "sum-to-one", "squared-hinge", NULL};

/* The loss that a choice of `loss` stands for. */
static well_loss loss_for(int choice, wlab_kernel_kind kind)
{
    return choice > 0 ? (well_loss)(choice - 1) : kind == WL_K_LINEAR ? WELL_HINGE : WELL_SUM_TO_ONE;
}

wlab_loss well_loss_of(const wlab_params *params)
{
    const int loss = wlab_params_choice(params, "loss");
    return loss - 1 == WELL_SQUARED_HINGE || loss - 1 == WELL_SUM_TO_ONE ? WL_LOSS_SQUARED_HINGE
                                                                         : WL_LOSS_HINGE;
}

void well_clear(wellsvm *s)
{
    wlab_problem_unref(s->p);
    wlab_kernel_clear(&s->kernel);
    wlab_free(s->K);
    wlab_free(s->Q);
    wlab_free(s->active_Q);
    wlab_free(s->kb);
    wlab_free(s->beta);
    wlab_free(s->delta);
    wlab_free(s->upper);
    wlab_free(s->group);
    wlab_free(s->shared);
    wlab_free(s->sqnorm);
    wlab_free(s->weights);
    wlab_passes_destroy(s->passes);
    wlab_free(s->axis);
    wlab_free(s->y);
    wlab_free(s->sign);
    wlab_free(s->mu);
    wlab_free(s->G);
    wlab_free(s->own);
    wlab_free(s->at.alpha);
    wlab_free(s->at.q);
    wlab_free(s->pending);
    wlab_free(s->before);
    wlab_free(s->finish.y);
    wlab_free(s->finish.at.alpha);
    wlab_free(s->finish.at.q);
}

void well_destroy(void *state)
{
    wellsvm *s = state;
    if (s)
        well_clear(s);
    wlab_free(s);
}

/* Allocates packed signs for `cap` labelings; rows grow by whole words. */
static wlab_code reserve_signs(wellsvm *s, int64_t cap, wlab_err *err)
{
    const int64_t words = (cap + 31) / 32;
    if (words <= s->words)
        return WL_OK;
    uint32_t *sign = wlab_calloc((size_t)s->n * (size_t)words, sizeof *sign);
    if (!sign)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n && s->sign; k++)
        memcpy(sign + k * words, s->sign + k * s->words, (size_t)s->words * sizeof *sign);
    wlab_free(s->sign);
    s->sign = sign;
    s->words = words;
    return WL_OK;
}

wlab_code well_reserve(wellsvm *s, int64_t count, wlab_err *err)
{
    if (count <= s->cap)
        return WL_OK;
    int64_t cap = s->cap ? 2 * s->cap : 8;
    cap = cap < count ? count : cap;
    struct {
        void **p;
        size_t size;
    } grow[] = {{(void **)&s->mu, 8},
                {(void **)&s->G, 8},
                {(void **)&s->own, 8},
                {(void **)&s->at.q, 8},
                {(void **)&s->y, (size_t)s->n}};
    if (s->at_size) {
        wlab_code code = reserve_signs(s, cap, err);
        if (code)
            return code;
    }
    for (size_t k = 0; k < sizeof grow / sizeof *grow - (s->at_size ? 1 : 0); k++) {
        void *p = wlab_realloc(*grow[k].p, (size_t)cap, grow[k].size);
        if (!p)
            return wlab_nomem(err);
        *grow[k].p = p;
    }
    s->cap = cap;
    return WL_OK;
}

void well_costs(wellsvm *s)
{
    for (int64_t i = 0; i < s->m; i++) {
        double C = s->p->cost[i] ? s->C2 : s->C1;
        if (s->upper)
            s->upper[i] = s->delta ? HUGE_VAL : C;
        if (s->delta)
            s->delta[i] = 1 / C;
    }
}

double well_setting(const wlab_problem *p, const wlab_params *given, const char *name)
{
    const bool first = strcmp(name, "C1") == 0;

    if (strcmp(name, "loss") == 0 && wlab_params_choice(given, "loss") == 0)
        return 1 + loss_for(0, wlab_kernel_kind_of(given, p->X));
    if (!first && strcmp(name, "C2") != 0)
        return NAN;
    if (wlab_params_given(given, "lambda_u"))
        return first ? 1 / fmax((double)p->labelled, 1)
                     : wlab_params_real(given, "lambda_u") / fmax((double)p->unlabelled, 1);
    return wlab_params_given(given, name) ? NAN : wlab_params_real(given, "C");
}

static double cost(const wlab_problem *p, const wlab_params *given, const char *name)
{
    const double by_others = well_setting(p, given, name);
    return isnan(by_others) ? wlab_params_real(given, name) : by_others;
}

void well_read_costs(wellsvm *s, const wlab_params *given)
{
    s->C1 = cost(s->p, given, "C1");
    s->C2 = cost(s->p, given, "C2");
}

wlab_code well_check_costs(const wellsvm *s, const wlab_params *p, wlab_err *err)
{
    static const char *const other[] = {"C", "C1", "C2"};
    for (int k = 0; k < 3 && wlab_params_given(p, "lambda_u"); k++)
        if (wlab_params_given(p, other[k]))
            return wlab_fail(err, WL_EARG, "lambda_u= and %s= exclude each other: both set the costs",
                             other[k]);
    if (s->loss != WELL_SQUARED_HINGE)
        for (int k = 0; k < 2; k++) {
            const char *name = k ? "lambda_u" : "lambda";
            if (wlab_params_given(p, name))
                return wlab_fail(err, WL_EARG, "%s= works with loss=squared-hinge only", name);
        }
    return WL_OK;
}

/* Whether no labeling has a 0, so that one bit per row can store a labeling. */
static bool only_signs(const wlab_labelset *B)
{
    for (int64_t k = 0; k < B->n; k++)
        if (B->group[k] < 0 ? B->fixed[k] == 0 : B->low[B->group[k]] == 0)
            return false;
    return true;
}

wlab_code well_problem_init(wellsvm *s, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                            wlab_err *err)
{
    wlab_code code = wlab_ranks_agree(wlab_matrix_ranks(p->X),
                                      wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err), err);
    if (code)
        return code;
    s->p = wlab_problem_ref(p);
    s->n = s->all = p->n;
    s->m = p->examples;
    const bool linear = wlab_kernel_kind_of(given, p->X) == WL_K_LINEAR, parts = p->X->parts != NULL;
    if (parts)
        s->all = p->X->parts->all;
    s->at_size = linear && (parts || s->n > WELL_GRAM_ROWS) && s->n == s->m && only_signs(p->labels);
    s->spread = parts && s->at_size;
    if (parts && !s->at_size)
        code = wlab_kernel_here(p->X, err);
    else if (!s->at_size)
        code = wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows", "use fewer (`split`), or kernel=linear", err);
    return code ? code : wlab_kernel_choose(&s->kernel, given, p->X, ctx, err);
}

wlab_code well_problem_read(wellsvm *s, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx,
                            wlab_err *err)
{
    wlab_code code = well_problem_init(s, p, given, ctx, err);
    if (code)
        return code;
    s->loss = loss_for(wlab_params_choice(given, "loss"), s->kernel.kind);
    s->lambda = s->loss == WELL_SQUARED_HINGE ? wlab_params_real(given, "lambda") : 1;
    well_read_costs(s, given);
    return well_check_costs(s, given, err);
}

wlab_code well_share_slacks(wellsvm *s, const wlab_params *given, wlab_err *err)
{
    const wlab_problem *p = s->p;
    const int loss = wlab_params_choice(given, "loss");
    if (loss > 0 && loss - 1 != WELL_HINGE)
        return wlab_fail(err, WL_EARG,
                         "loss=%s has a slack for each instance: leave loss= out, or use negatives=instance",
                         well_loss_names[loss]);
    s->loss = WELL_HINGE;
    s->at_size = false; /* the group QP needs the kernel matrix */
    wlab_code code =
        wlab_kernel_fits(s->n, WL_KERNEL_ROWS, "rows", "use fewer (`split`), or negatives=instance", err);
    if (code)
        return code;
    s->groups = p->bags; /* a positive bag is one example, and so is alone in its group */
    s->group = wlab_alloc((size_t)s->m, sizeof *s->group);
    s->shared = wlab_calloc((size_t)p->bags, sizeof *s->shared);
    if (!s->group || !s->shared)
        return wlab_nomem(err);
    for (int64_t k = 0; k < p->n; k++) {
        const int32_t i = p->example[k];
        s->group[i] = p->bag[k];
        s->shared[p->bag[k]] = p->cost[i] ? s->C2 : s->C1;
    }
    return WL_OK;
}

wlab_code well_problem_make(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    size_t n = (size_t)s->n, m = (size_t)s->m;
    wlab_code code;
    if (s->at_size) {
        s->sqnorm = wlab_alloc(n, sizeof *s->sqnorm);
    } else {
        s->K = wlab_alloc(n * n, sizeof *s->K);
    }
    s->kb = wlab_alloc(n, sizeof *s->kb);
    if (!s->at_size) {
        s->beta = wlab_alloc(n, sizeof *s->beta);
        s->upper = wlab_alloc(m, sizeof *s->upper);
    }
    s->pending = wlab_alloc(n, 1);
    s->before = wlab_alloc(n, 1);
    s->at.alpha = wlab_calloc(m, sizeof *s->at.alpha);
    if (s->loss != WELL_HINGE)
        s->delta = wlab_alloc(m, sizeof *s->delta);
    if ((s->at_size ? !s->sqnorm : !s->K || !s->beta || !s->upper) || !s->kb || !s->pending || !s->before ||
        !s->at.alpha || (s->loss != WELL_HINGE && !s->delta)) {
        return wlab_nomem(err);
    }
    if ((code = well_reserve(s, 8, err)))
        return code;
    if (s->at_size && (code = wlab_passes_create(&s->passes, s->p->X, err)))
        return code;
    if (s->spread && !(s->weights = wlab_calloc((size_t)s->p->X->cols + 1, sizeof *s->weights)))
        return wlab_nomem(err);
    if (s->K) {
        if ((code = wlab_kernel_matrix_progress(&s->kernel, s->p->X, s->p->X, s->p->row, s->K, ctx, err)))
            return code;
        if (s->lambda != 1)
            cblas_dscal((int)(n * n), 1 / s->lambda, s->K, 1);
    } else {
        double b2 = s->kernel.bias * s->kernel.bias;
        for (int64_t k = 0; k < s->n; k++)
            s->sqnorm[k] = (float)((wlab_matrix_row_sqnorm(s->p->X, k) + b2) / s->lambda);
    }
    well_costs(s);
    return WL_OK;
}
