/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algo/mil/bag_svm.h"
#include "solve/svm/smo_free.h"

#include <string.h>

void bag_svm_forget(bag_svm *s)
{
    s->trained = false;
    s->b = 0;
    s->objective = s->lower = s->support = NAN;
    memset(s->beta, 0, (size_t)s->bags * sizeof *s->beta);
}

wlab_code bag_svm_make(bag_svm *s, const wlab_problem *p, double C, double eps, wlab_err *err)
{
    *s =
        (bag_svm){.bags = p->bags, .C = C, .eps = eps, .beta = wlab_calloc((size_t)p->bags, sizeof *s->beta)};
    if (!s->beta)
        return wlab_nomem(err);
    bag_svm_forget(s);
    return WL_OK;
}

void bag_svm_clear(bag_svm *s)
{
    s->beta = wlab_free(s->beta);
}

wlab_verdict bag_svm_verdict(const bag_svm *s)
{
    return s->objective - s->lower <= s->eps * fabs(s->objective) ? WL_CONVERGED : WL_STALLED;
}

wlab_code bag_svm_train(bag_svm *s, const wlab_problem *p, const double *K, wlab_ctx *ctx, wlab_err *err)
{
    const size_t m = (size_t)s->bags;
    int8_t *y = wlab_alloc(m, 1);
    double *cost = wlab_alloc(m, sizeof *cost), *f = wlab_alloc(m, sizeof *f);
    wlab_smo_free_result result = {0};
    wlab_code code = y && cost && f ? WL_OK : wlab_nomem(err);

    for (size_t b = 0; b < m && !code; b++) {
        y[b] = p->bag_given[b] > 0.5 ? 1 : -1;
        cost[b] = s->C;
    }
    code =
        code ? code : wlab_smo_free_solve(K, s->bags, y, cost, 0.9 * s->eps, s->beta, f, &result, ctx, err);
    if (!code && result.stopped)
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    wlab_free(y);
    wlab_free(cost);
    wlab_free(f);
    if (code) {
        bag_svm_forget(s);
        return code;
    }
    s->b = result.b;
    s->objective = result.primal;
    s->lower = result.dual;
    s->support = 0;
    for (size_t b = 0; b < m; b++)
        s->support += s->beta[b] != 0;
    s->trained = true;
    if (bag_svm_verdict(s) != WL_CONVERGED)
        wlab_emit_warning(ctx,
                          "the SVM could not be solved to eps; the objective is at most %.3g %% above the "
                          "optimum: scale the data, or use a smaller C",
                          100 * (s->objective - s->lower) / fabs(s->objective));
    return WL_OK;
}

void bag_svm_observe(const bag_svm *s, double *at)
{
    at[BAG_SVM_UPPER] = s->objective;
    at[BAG_SVM_LOWER] = wlab_lower_beside(s->lower, s->objective, fabs(s->objective));
    wlab_put_gap(&at[BAG_SVM_GAP], s->objective - s->lower, s->objective);
    at[BAG_SVM_INNER_GAP] = at[BAG_SVM_GAP];
    at[BAG_SVM_SUPPORT] = s->support;
}

void bag_svm_walk(bag_svm *s, wlab_walk *w)
{
    WL_WALK(w, s->trained);
    WL_WALK(w, s->b);
    WL_WALK(w, s->objective);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->support);
    WL_WALK_ARRAY(w, s->beta, s->bags);
}

wlab_code bag_svm_label(const wlab_problem *p, const double *f, int8_t *y, wlab_err *err)
{
    int64_t *key = wlab_alloc((size_t)p->bags, sizeof *key);

    if (!key)
        return wlab_nomem(err);
    for (int64_t b = 0; b < p->bags; b++)
        key[b] = -1;
    for (int64_t i = 0; i < p->n; i++)
        if (key[p->bag[i]] < 0 || f[i] > f[key[p->bag[i]]])
            key[p->bag[i]] = i;
    for (int64_t i = 0; i < p->n; i++)
        y[i] = (int8_t)(p->visible[i]         ? p->visible[i]
                        : key[p->bag[i]] == i ? 1
                        : p->keys             ? 0
                        : f[i] > 0            ? 1
                                              : -1);
    wlab_free(key);
    return WL_OK;
}
