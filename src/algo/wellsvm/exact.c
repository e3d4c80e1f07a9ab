/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * search=exact: max over y in B of y'Hy with a certificate.  Small label sets are enumerated, with r = K (a.y) updated
 * at each change, so that H = Diag(a) K Diag(a) is not formed; larger ones are searched by branch and bound (quadmax.h).
 */
#include "algo/wellsvm/wellsvm.h"
#include "solve/quadmax/quadmax.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct visitor {
    const double *a, *K; /* [n], [n x n] */
    double *r;           /* [n] K (a.y) */
    int8_t *now, *best;
    double q, best_q;
    int64_t n, visited, left; /* left: changes before the next look at the interrupt */
    bool interrupted;
    wlab_ctx *ctx;
    wlab_progress progress;
} visitor;

static bool visit(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    visitor *v = data;
    int64_t n = v->n;
    for (int64_t c = 0; c < nchanged; c++) {
        int64_t k = changed[c];
        if (--v->left <= 0) {
            v->left = wlab_look_every(n);
            if ((v->interrupted = wlab_interrupted(v->ctx)))
                return false;
        }
        const double d = v->a[k] * (y[k] - v->now[k]);
        v->now[k] = y[k];
        if (d == 0) /* no change, or the row does not contribute */
            continue;
        v->q += d * (2 * v->r[k] + d * v->K[k * n + k]);
        cblas_daxpy((int)n, d, v->K + k * n, 1, v->r, 1);
    }
    if (v->q > v->best_q * (1 + 1e-13)) {
        v->best_q = v->q;
        memcpy(v->best, y, (size_t)n);
    }
    if ((++v->visited & 0xfff) == 0)
        wlab_progress_add(&v->progress, 0x1000);
    return true;
}

/* *rounding: by how much a rejected labeling may exceed the best one because of the accumulated rounding errors. */
static wlab_code enumerate(wellsvm *s, const double *a, int8_t *y, double *rounding, wlab_ctx *ctx,
                           wlab_err *err)
{
    int64_t n = s->n;
    const wlab_labelset *B = s->p->labels;
    visitor v = {.a = a, .K = s->K, .best = y, .best_q = -HUGE_VAL, .n = n, .ctx = ctx};
    wlab_code code = WL_OK;
    double size = 0;
    v.r = wlab_calloc((size_t)n, sizeof *v.r);
    v.now = wlab_calloc((size_t)n, 1); /* now = 0: the first visit changes every position */
    if (!v.r || !v.now) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        size += fabs(a[i]) * sqrt(fabs(s->K[i * n + i]));
    wlab_progress_begin(&v.progress, ctx, "labelings", (int64_t)wlab_labelset_count(B));
    code = wlab_labelset_enumerate(B, visit, &v, err);
    if (v.interrupted)
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    *rounding = (1e-13 + DBL_EPSILON * (double)v.visited) * size * size; /* no |y'Hy| exceeds size^2 */
out:
    wlab_free(v.r);
    wlab_free(v.now);
    return code;
}

bool well_enumerates(const wellsvm *s)
{
    return wlab_labelset_count(s->p->labels) <= s->enumerated;
}

wlab_code well_exact_run(wellsvm *s, const double *a, int64_t nodes, well_found *found, double *q,
                         wlab_ctx *ctx, wlab_err *err)
{
    wlab_quadmax_result result = {0};
    bool all = well_enumerates(s);
    double rounding = 0;
    wlab_code code = all ? enumerate(s, a, found->y, &rounding, ctx, err)
                         : wlab_quadmax(s->p->labels, s->K, a, well_tolerance(s, s->eps / 50), nodes,
                                        found->y, &result, ctx, err);
    if (!code) /* compute the value as elsewhere, without the accumulated rounding errors */
        code = well_quadratic(s, s->at.alpha, found->y, q, ctx, err);
    if (code)
        return code;
    found->M = (all || result.bound < *q ? *q : result.bound) + rounding;
    found->cut = !all && !result.optimal;
    return WL_OK;
}
