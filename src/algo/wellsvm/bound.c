/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Certified lower bounds on WellSVM's optimum max over alpha of min over y in B of G(alpha, y).
 *
 * If M >= max over B of y'Hy at a feasible alpha, 1'alpha - M/2 - 1/2 sum_i delta_i alpha_i^2 is a lower bound.  M
 * comes from quadmax.h: either from its bound by multipliers alone, or from its tree search.
 */
#include "algo/wellsvm/wellsvm.h"
#include "solve/quadmax/quadmax.h"

#include <string.h>

double well_tolerance(const wellsvm *s, double fraction)
{
    double scale = s->loss == WELL_SUM_TO_ONE ? s->at.S * s->at.S : 1;
    return fabs(s->objective) * scale * fraction;
}

wlab_code well_diagonal_bound(wellsvm *s, const double *alpha, double *M, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    double *a, tolerance = well_tolerance(s, 1e-7), trace = 0;
    *M = HUGE_VAL;
    if (!s->K)
        return WL_OK;
    a = wlab_alloc((size_t)s->n, sizeof *a);
    if (!a)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n; k++) {
        a[k] = alpha[s->p->example[k]];
        trace += a[k] * a[k] * s->K[k * s->n + k];
    }
    code = wlab_quadmax_bound(s->p->labels, s->K, a, tolerance > 0 ? tolerance : 1e-7 * trace, M, ctx, err);
    wlab_free(a);
    return code;
}

double well_lower_from(const wellsvm *s, const well_point *at, double M)
{
    if (!isfinite(M))
        return -HUGE_VAL;
    double V = (M > 0 ? M : 0) + at->D;
    if (s->loss == WELL_SUM_TO_ONE)
        return -0.5 * V / (at->S * at->S);
    /* c alpha is feasible for 0 <= c <= 1 (any c >= 0 without an upper bound): max of c S - c^2 V / 2 */
    if (V > at->S || s->loss == WELL_SQUARED_HINGE)
        return V > 0 ? at->S * at->S / (2 * V) : 0;
    return at->S - 0.5 * V;
}

wlab_code well_labelled_solve(wellsvm *s, double tol, int8_t *y, well_point *at, bool *any, wlab_ctx *ctx,
                              wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    wlab_code code = WL_OK;
    double one = 1, *keep = s->upper, *upper = s->at_size ? NULL : wlab_alloc((size_t)s->m, sizeof *upper);
    if (!upper && !s->at_size)
        return wlab_nomem(err);
    /* alpha = 0 on every example with a free instance */
    for (int64_t i = 0; i < s->m && upper; i++)
        upper[i] = well_cap(s, i);
    *any = false;
    for (int64_t k = 0; k < s->n; k++) {
        int f = B->fixed[k];
        y[k] = f == WL_FREE ? 0 : (int8_t)f;
        if (f == WL_FREE && upper)
            upper[s->p->example[k]] = 0;
        *any = *any || (!upper && f != WL_FREE);
    }
    for (int64_t i = 0; i < s->m && upper; i++)
        *any = *any || upper[i] > 0;
    *any = wlab_ranks_any(well_ranks(s), *any);
    if (*any) {
        s->upper = upper;
        s->fixed_only = s->at_size;
        code = well_solve(s, y, 1, &one, tol, at, ctx, err);
        s->fixed_only = false;
        s->upper = keep;
    }
    wlab_free(upper);
    return code;
}

wlab_code well_labelled_bound(wellsvm *s, double *lower, wlab_ctx *ctx, wlab_err *err)
{
    well_point at = {0};
    double q = 0;
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    int64_t svms = s->svms;
    bool any = false;
    wlab_code code = WL_OK;
    *lower = -HUGE_VAL;
    at.alpha = wlab_calloc((size_t)s->m, sizeof(double));
    at.q = &q;
    code = wlab_ranks_agree(well_ranks(s), y && at.alpha ? WL_OK : wlab_nomem(err), err);
    if (code)
        goto out;
    code = well_labelled_solve(s, 1e-10, y, &at, &any, ctx, err);
    s->svms = svms;
    if (!code && any)
        *lower = well_G(s, &at, at.q[0]) - well_rounding(s, &at);
    else if (!code && s->loss != WELL_SUM_TO_ONE)
        *lower = 0; /* alpha = 0 */
out:
    wlab_free(y);
    wlab_free(at.alpha);
    return code;
}
