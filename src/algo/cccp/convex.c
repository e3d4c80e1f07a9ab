/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex problem of a round: the kernel matrix or the data, centred on the unlabelled rows; costs, margins and tilts; its
 * solution by SMO or by finite Newton.
 */
#include "algo/balance.h"
#include "algo/cccp/cccp.h"
#include "solve/svm/smo.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* ---- the rows ---- */

static wlab_code make_matrix(cccp *s, const uint8_t *member, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    wlab_code code = wlab_kernel_fits(
        s->n, WL_KERNEL_ROWS, "rows",
        "use fewer rows, or loss=squared-hinge with kernel=linear or rank=, which needs no kernel matrix",
        err);

    if (code || (code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err)))
        return code;
    s->K = wlab_alloc(n * n, sizeof *s->K);
    s->mean_K = wlab_alloc(n, sizeof *s->mean_K);
    if (!s->K || !s->mean_K)
        return wlab_nomem(err);
    code = wlab_kernel_matrix_progress(&s->kernel, s->p->X, s->p->X, s->p->row, s->K, ctx, err);
    return code ? code : wlab_centre_matrix(s->K, s->n, member, s->mean_K, &s->mean, ctx, err);
}

/* C=auto: 1 / the mean over U of ||phi - m||^2; ratio=auto: l/u. */
static wlab_code choose_costs(cccp *s, const wlab_params *given, wlab_err *err)
{
    const char *ratio = wlab_params_text(given, "ratio");
    double square = 0, times = (double)s->l / (double)s->u;

    for (int64_t i = 0; i < s->n; i++)
        if (!s->p->visible[i])
            square += (s->K ? s->K[i * s->n + i] : s->rows->square[i]) / (double)s->u;
    const wlab_code code = wlab_balance_choose_C(&s->C, square, given, err);
    if (code)
        return code;
    if (strcmp(ratio, "auto") != 0 && (!wlab_parse_real(ratio, &times) || !(times >= 0) || isinf(times)))
        return wlab_fail(err, WL_EARG, "ratio=%s: give a number of at least 0, or auto", ratio);
    s->Cu = s->C * times;
    return WL_OK;
}

wlab_code cccp_make_problem(cccp *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    uint8_t *member = wlab_alloc((size_t)s->n, 1);
    wlab_code code;

    if (!member)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++)
        member[i] = s->p->visible[i] == 0;
    if (!s->hat.squared || s->kernel.kind != WL_K_LINEAR)
        code = make_matrix(s, member, ctx, err);
    else
        code = wlab_centred_make(&s->rows, s->p, &s->kernel, member, s->b0, false, ctx, err);
    wlab_free(member);
    if (code || (code = choose_costs(s, given, err)) ||
        (code = wlab_mfn_create(&s->m, s->p->X, 0, s->K, s->n, 1, WL_MFN_FAST, wlab_params_real(given, "eps"),
                                err)) ||
        (code = wlab_mfn_shape(s->m, err)) || (s->rows && (code = wlab_mfn_centre(s->m, s->rows->mean, err))))
        return code;
    for (int64_t i = 0; i < s->n; i++) {
        s->m->a[i] = 1 - s->b0;
        s->m->c[i] = 1 + s->b0;
    }
    return WL_OK;
}

/* ---- the problem and its solution ---- */

void cccp_set_costs(void *state)
{
    cccp *s = state;
    wlab_mfn *m = s->m;
    const double unit = s->hat.squared ? 2 : 1; /* mfn has half the squares */
    const bool alone = cccp_round(s) <= 0;

    for (int64_t i = 0; i < s->n; i++) {
        const int8_t y = s->p->visible[i];
        const double free_row = alone ? 0 : s->Cu;
        m->pos[i] = unit * (y > 0 ? s->C : y < 0 ? 0 : free_row);
        m->neg[i] = unit * (y < 0 ? s->C : y > 0 ? 0 : free_row);
        m->t[i] = y || alone ? 0 : -s->Cu * cccp_slope(&s->hat, s->at[i]);
    }
}

/* The convex problem's objective at the present w, in the terms of smo.h. */
static double hinge_value(const cccp *s)
{
    const wlab_mfn *m = s->m;
    double sum = 0.5 * m->norm;

    for (int64_t i = 0; i < s->n; i++)
        sum += m->pos[i] * fmax(0, m->a[i] - m->o[i]) + m->neg[i] * fmax(0, m->c[i] + m->o[i]) +
               m->t[i] * m->o[i];
    return sum;
}

static wlab_code solve_hinge(cccp *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_mfn *m = s->m;
    const wlab_smo_shape shape = {.a = m->a, .c = m->c, .t = m->t};
    const double before = hinge_value(s);
    wlab_smo_result result;

    for (int64_t i = 0; i < s->n; i++) /* the present w, if the box allows it */
        s->beta[i] = m->w[i] + m->t[i];
    wlab_code code =
        wlab_smo_tilted(s->K, s->n, 1, m->pos, m->neg, &shape, m->eps, 0, s->beta, s->f, &result, ctx, err);
    if (code)
        return code;
    if (result.stopped) /* drop what was computed: results must not depend on when the interrupt came */
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    /* a dual method may end with a larger primal value than it began with, within eps; then the old w is kept, so that J
     * never rises */
    const bool keep = before <= result.primal;
    for (int64_t i = 0; i < s->n && !keep; i++) {
        m->w[i] = s->beta[i] - m->t[i];
        m->o[i] = s->f[i];
    }
    m->norm = keep ? m->norm : fmax(0, cblas_ddot((int)s->n, m->w, 1, m->o, 1));
    m->f = keep ? before : result.primal;
    m->gap = fmax(0, m->f - result.dual);
    m->done = m->gap <= m->eps * wlab_mfn_scale_of(m);
    m->stalled = !m->done;
    return WL_OK;
}

wlab_code cccp_solve(cccp *s, wlab_ctx *ctx, bool *done, wlab_err *err)
{
    wlab_code code = s->hat.squared ? wlab_mfn_iterate(s->m, ctx, err) : solve_hinge(s, ctx, err);

    if (code)
        return code;
    s->solves++;
    *done = s->m->done || s->m->stalled;
    return WL_OK;
}

/* ---- the model ---- */

/* f(x) = sum_k a_k <phi_k - m, phi(x) - m> + b0: the coefficient of a row of U gets -sum a / u, and b is the rest. */
wlab_code cccp_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const cccp *s = state;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    double sum = 0, along = 0;

    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    if (!s->K)
        return wlab_centred_model(out, s->rows, s->m->w, pool, err);
    double *coef = wlab_calloc(2 * (size_t)s->n, sizeof *coef);
    if (!coef)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->n; i++) {
        sum += s->m->w[i];
        along += s->m->w[i] * (s->mean_K[i] - s->mean);
    }
    /* a model of two classes is the difference of their functions; that of -1 is 0 */
    for (int64_t i = 0; i < s->n; i++)
        coef[2 * i + 1] = s->m->w[i] - (s->p->visible[i] ? 0 : sum / (double)s->u);
    wlab_code code = wlab_model_from_class_coefficients(out, s->p, &s->kernel, coef,
                                                        (const double[]){0, s->b0 - along}, pool, err);
    wlab_free(coef);
    return code;
}
