/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The soft-max problem: its objective f, setting of labels, acceptance of M-steps, snapshots.
 */
#include "base/walk.h"
#include "solve/softmax/parts.h"
#include "weaklab/matrix.h"

#include <string.h>

void wlab_em_destroy(wlab_em *e)
{
    if (!e)
        return;
    wlab_free(e->by_bag);
    wlab_free(e->bag_first);
    wlab_free(e->W);
    wlab_free(e->b);
    wlab_free(e->z);
    wlab_free(e->s);
    wlab_free(e);
}

/* ---- f ---- */

void em_proportions(const wlab_em *e, const double *z, double *v)
{
    const int P = e->q.P;
    memset(v, 0, (size_t)P * sizeof *v);
    for (int64_t i = 0; i < e->q.n; i++)
        for (int k = 0; k < P; k++)
            v[k] += e->q.pi[i] * z[i * P + k];
}

static double entropy(const wlab_em *e, const double *z)
{
    const int P = e->q.P;
    double v[64], h = 0;
    if (!e->q.bag) {
        em_proportions(e, z, v);
        for (int k = 0; k < P; k++)
            h -= em_xlogx(v[k]);
        return h;
    }
    for (int64_t g = 0; g < e->q.bags; g++) {
        memset(v, 0, sizeof v);
        for (int64_t t = e->bag_first[g]; t < e->bag_first[g + 1]; t++)
            for (int k = 0; k < P; k++)
                v[k] += e->q.pi[e->by_bag[t]] * z[e->by_bag[t] * P + k];
        for (int k = 0; k < P; k++)
            h -= em_xlogx(v[k]);
    }
    return h;
}

wlab_em_value em_value(const wlab_em *e, const double *W, const double *b, const double *s, const double *z)
{
    const int P = e->q.P;
    wlab_em_value v = {0};
    for (int64_t i = 0; i < e->q.n; i++) {
        double loss = e->q.pi[i] > 0 ? em_log_sum(s + i * P, b, P) : 0;
        for (int k = 0; k < P && e->q.pi[i] > 0; k++)
            if (z[i * P + k] > 0)
                loss -= z[i * P + k] * (s[i * P + k] + b[k]);
        v.loss += e->q.pi[i] * loss;
    }
    v.entropy = entropy(e, z);
    for (int64_t j = 0; j < P * e->q.d; j++)
        v.norm += W[j] * W[j];
    v.norm *= e->q.lambda / (2 * P);
    v.total = v.loss - v.entropy + v.norm;
    return v;
}

void em_fix_offsets(const wlab_em *e, const double *z, double *b)
{
    double v[64];
    em_proportions(e, z, v);
    for (int k = 0; k < e->q.P; k++) /* a class without rows does not contribute */
        b[k] = v[k] > 0 ? log(v[k]) : -1e4;
}

static void update_value(wlab_em *e)
{
    e->value = em_value(e, e->W, e->b, e->s, e->z);
}

/* ---- creation ---- */

static wlab_code check_problem(const wlab_em_problem *q, wlab_err *err)
{
    const uint64_t all = q->P >= 64 ? UINT64_MAX : (UINT64_C(1) << (q->P & 63)) - 1;
    double sum = 0;
    if (q->n < 1 || q->d < 0 || q->P < 2 || q->P > 64)
        return wlab_fail(err, WL_EARG, "%lld rows of %lld features and %d classes are no soft-max problem",
                         (long long)q->n, (long long)q->d, q->P);
    if (!(q->lambda > 0) || isinf(q->lambda))
        return wlab_fail(err, WL_EARG, "lambda=%g: it must be above 0", q->lambda);
    if (q->bag && !q->intercept)
        return wlab_fail(err, WL_EARG,
                         "without intercept the entropy is that of the total proportions, not by bags");
    if (q->hard && (q->P != 2 || !q->intercept))
        return wlab_fail(err, WL_EARG, "hard constraints on rows need two classes and an intercept");
    for (int64_t i = 0; i < q->n; i++) {
        if (!(q->pi[i] >= 0) || isinf(q->pi[i]))
            return wlab_fail(err, WL_EARG, "the weight of row %lld is not a finite number >= 0",
                             (long long)i + 1);
        if (q->allowed && (q->allowed[i] == 0 || q->allowed[i] & ~all))
            return wlab_fail(err, WL_EARG, "row %lld has no allowed class", (long long)i + 1);
        if (q->bag && (q->bag[i] < 0 || q->bag[i] >= q->bags))
            return wlab_fail(err, WL_EARG, "row %lld is in no bag", (long long)i + 1);
        sum += q->pi[i];
    }
    if (!(fabs(sum - 1) < 1e-6))
        return wlab_fail(err, WL_EARG, "the weights of the rows have the sum %g, not 1", sum);
    for (int64_t i = 0; i < q->n * q->d; i++)
        if (!(fabs(q->Phi[i]) < 1e150))
            return wlab_fail(err, WL_ENUMERIC, "the features of row %lld are too large; scale the data",
                             (long long)(i / q->d) + 1);
    return WL_OK;
}

static wlab_code sort_bags(wlab_em *e, wlab_err *err)
{
    const wlab_em_problem *q = &e->q;
    e->by_bag = wlab_alloc((size_t)q->n, sizeof *e->by_bag);
    e->bag_first = wlab_calloc((size_t)q->bags + 2, sizeof *e->bag_first);
    if (!e->by_bag || !e->bag_first)
        return wlab_nomem(err);
    int64_t *at = e->bag_first + 1; /* becomes bag_first one place on */
    for (int64_t i = 0; i < q->n; i++)
        at[q->bag[i] + 1]++;
    for (int64_t g = 0; g < q->bags; g++)
        at[g + 1] += at[g];
    for (int64_t i = 0; i < q->n; i++)
        e->by_bag[at[q->bag[i]]++] = (int32_t)i;
    return WL_OK;
}

wlab_code wlab_em_create(wlab_em **out, const wlab_em_problem *q, wlab_err *err)
{
    wlab_code code = check_problem(q, err);
    *out = NULL;
    if (code ||
        (code = wlab_blas_init(1, err))) /* the caller has prepared BLAS for the threads of its pool */
        return code;
    wlab_em *e = wlab_calloc(1, sizeof *e);
    if (!e)
        return wlab_nomem(err);
    const size_t n = (size_t)q->n, P = (size_t)q->P;
    e->q = *q;
    e->blocks = (int)(n / EM_ROWS > 63 ? 64 : n / EM_ROWS + 1);
    e->W = wlab_calloc(P * (size_t)q->d, sizeof *e->W);
    e->b = wlab_calloc(P, sizeof *e->b);
    e->z = wlab_calloc(n * P, sizeof *e->z);
    e->s = wlab_calloc(n * P, sizeof *e->s);
    if (!e->W || !e->b || !e->z || !e->s)
        code = wlab_nomem(err);
    if (!code && q->bag)
        code = sort_bags(e, err);
    if (code) {
        wlab_em_destroy(e);
        return code;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t may = em_allowed(e, (int64_t)i);
        for (size_t k = 0; k < P; k++)
            e->z[i * P + k] = may >> k & 1 ? 1.0 / __builtin_popcountll(may) : 0;
    }
    e->m_gap = e->e_gap = NAN;
    if (!q->intercept)
        em_fix_offsets(e, e->z, e->b);
    update_value(e);
    *out = e;
    return WL_OK;
}

/* ---- labels and lambda from outside ---- */

static void labels_changed(wlab_em *e)
{
    if (!e->q.intercept)
        em_fix_offsets(e, e->z, e->b);
    e->m_gap = e->e_gap = NAN;
    update_value(e);
}

wlab_code wlab_em_set_labels(wlab_em *e, const int32_t *label, wlab_err *err)
{
    const int P = e->q.P;
    for (int64_t i = 0; i < e->q.n; i++)
        if (label[i] < -1 || label[i] >= P || (label[i] >= 0 && !(em_allowed(e, i) >> label[i] & 1)))
            return wlab_fail(err, WL_EARG, "row %lld may not be of class %d", (long long)i + 1, label[i] + 1);
    for (int64_t i = 0; i < e->q.n; i++) {
        const uint64_t may = em_allowed(e, i);
        for (int k = 0; k < P; k++)
            e->z[i * P + k] = label[i] >= 0  ? label[i] == k
                              : may >> k & 1 ? 1.0 / __builtin_popcountll(may)
                                             : 0;
    }
    labels_changed(e);
    return WL_OK;
}

wlab_code wlab_em_set_z(wlab_em *e, const double *z, wlab_err *err)
{
    const int P = e->q.P;
    for (int64_t i = 0; i < e->q.n; i++) {
        double sum = 0;
        for (int k = 0; k < P; k++) {
            const double v = z[i * P + k];
            if (!(v >= 0) || (v > 0 && !(em_allowed(e, i) >> k & 1)))
                return wlab_fail(err, WL_EARG, "row %lld may not be of class %d by %g", (long long)i + 1,
                                 k + 1, v);
            sum += v;
        }
        if (!(fabs(sum - 1) < 1e-9))
            return wlab_fail(err, WL_EARG, "the classes of row %lld have the sum %g, not 1", (long long)i + 1,
                             sum);
    }
    memcpy(e->z, z, (size_t)(e->q.n * P) * sizeof *z);
    labels_changed(e);
    return WL_OK;
}

void wlab_em_set_lambda(wlab_em *e, double lambda)
{
    e->q.lambda = lambda;
    e->m_gap = NAN;
    update_value(e);
}

/* ---- the M-step ---- */

wlab_code wlab_em_m_step(wlab_em *e, double tol, wlab_ctx *ctx, wlab_err *err)
{
    const size_t P = (size_t)e->q.P, d = (size_t)e->q.d, n = (size_t)e->q.n;
    em_fit fit = {.gap = NAN};
    wlab_code code = WL_OK;
    fit.W = wlab_alloc(P * d, sizeof *fit.W);
    fit.b = wlab_alloc(P, sizeof *fit.b);
    fit.s = wlab_alloc(n * P, sizeof *fit.s);
    if (!fit.W || !fit.b || !fit.s) {
        code = wlab_nomem(err);
        goto out;
    }
    if (d > 0)
        memcpy(fit.W, e->W, P * d * sizeof *fit.W);
    memcpy(fit.b, e->b, P * sizeof *fit.b);
    memcpy(fit.s, e->s, n * P * sizeof *fit.s);
    code = e->q.hard ? em_hard(e, tol, &fit, ctx, err) : em_newton(e, tol, &fit, ctx, err);
    if (code)
        goto out;
    const wlab_em_value value = em_value(e, fit.W, fit.b, fit.s, e->z);
    /* keep the old (W, b) if f is smaller there, which only rounding can cause; but not the initial ones, which may
     * violate hard constraints */
    if (value.total <= e->value.total || (e->q.hard && isnan(e->m_gap))) {
        double *W = e->W, *b = e->b, *s = e->s;
        e->W = fit.W;
        e->b = fit.b;
        e->s = fit.s;
        fit.W = W;
        fit.b = b;
        fit.s = s;
        e->value = value;
    }
    e->m_gap = fit.gap;
    e->newtons = fit.newtons;
out:
    wlab_free(fit.W);
    wlab_free(fit.b);
    wlab_free(fit.s);
    return code;
}

/* ---- results ---- */

wlab_em_value wlab_em_objective(const wlab_em *e)
{
    return e->value;
}

double wlab_em_m_gap(const wlab_em *e)
{
    return e->m_gap;
}

double wlab_em_e_gap(const wlab_em *e)
{
    return e->e_gap;
}

int64_t wlab_em_newtons(const wlab_em *e)
{
    return e->newtons;
}

const double *wlab_em_W(const wlab_em *e)
{
    return e->W;
}

const double *wlab_em_b(const wlab_em *e)
{
    return e->b;
}

const double *wlab_em_z(const wlab_em *e)
{
    return e->z;
}

void wlab_em_scores(const wlab_em *e, double *score)
{
    const int P = e->q.P;
    for (int64_t i = 0; i < e->q.n * P; i++)
        score[i] = e->s[i] + e->b[i % P];
}

void wlab_em_labels(const wlab_em *e, int32_t *label)
{
    const int P = e->q.P;
    for (int64_t i = 0; i < e->q.n; i++) {
        const double *z = e->z + i * P, *s = e->s + i * P;
        int best = 0;
        for (int k = 1; k < P; k++)
            if (z[k] > z[best] || (z[k] == z[best] && z[k] > 0 && s[k] + e->b[k] > s[best] + e->b[best]))
                best = k;
        label[i] = best;
    }
}

int64_t wlab_em_fractional(const wlab_em *e)
{
    const int P = e->q.P;
    int64_t count = 0;
    for (int64_t i = 0; i < e->q.n; i++) {
        int used = 0;
        for (int k = 0; k < P; k++)
            used += e->z[i * P + k] > 0;
        count += used > 1;
    }
    return count;
}

/* ---- snapshots: W x_n is recomputed to the same bits ---- */

void wlab_em_walk(void *em, wlab_walk *w)
{
    wlab_em *s = em;
    WL_WALK(w, s->q.lambda);
    WL_WALK(w, s->m_gap);
    WL_WALK(w, s->e_gap);
    WL_WALK(w, s->newtons);
    WL_WALK_ARRAY(w, s->W, (int64_t)s->q.P * s->q.d);
    WL_WALK_ARRAY(w, s->b, s->q.P);
    WL_WALK_ARRAY(w, s->z, s->q.n * s->q.P);
    if (wlab_walk_has_read(w)) {
        em_outputs(s, s->W, s->q.P, s->s, &(wlab_ctx){.pool = w->ctx ? w->ctx->pool : NULL});
        update_value(s);
    }
}
