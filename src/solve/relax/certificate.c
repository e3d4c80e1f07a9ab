/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The outer certificate.  At a feasible Omega the inner objective is linear in Y: entropy + <G, Y>.  Let H be G minus
 * any multipliers.  Over psd Y with the given diagonal, block and products, and so with trace `nodes`, the objective is
 * then at least entropy + the sum of multiplier times given entry + nodes lambda_min(H).
 */
#include "solve/relax/state.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    LARGE = 256,     /* nodes from which on relax_smallest is faster than all eigenvalues */
    SPREAD_OF = 1024 /* from which on it finds the largest as well, roughly */
};
static const double NEWEST_WEIGHT =
    0.3; /* of the newest Omega in the average; in measurements 0.15 to 0.6 do */

/* k in the gradient -k BM'BM. */
static double factor_of(const wlab_relax *s)
{
    return s->c * s->classes / (2 * s->lambda);
}

void relax_spread(const wlab_relax *s, int32_t node, double factor, double *out, int64_t stride)
{
    if (node >= 0)
        out[node * stride] += factor;
    else
        for (int64_t j = 0; j < s->block; j++)
            out[j * stride] += factor * s->vertex[(-1 - node) * s->block + j];
}

/* G Y as (G V) V': out [nodes x r] = G V. */
static void times_factor(wlab_relax *s, const relax_slope *at, const relax_point *p, double *out,
                         wlab_ctx *ctx)
{
    const int64_t M = s->nodes, r = p->r, d = s->d;
    if (s->square)
        (void)wlab_gemm(ctx, false, false, M, r, M, 1, s->M, M, p->V, r, 0, out, r);
    else {
        (void)wlab_gemm(ctx, false, false, d, r, M, 1, at->BM, M, p->V, r, 0, s->T, r);
        (void)wlab_gemm(ctx, true, false, M, r, d, -factor_of(s), at->BM, M, s->T, r, 0, out, r);
    }
}

static void gradient(const wlab_relax *s, const relax_slope *at, double *A, wlab_ctx *ctx)
{
    const int64_t M = s->nodes;
    if (s->square)
        memcpy(A, s->M, (size_t)(M * M) * sizeof *A);
    else
        relax_gram(ctx, true, M, s->d, -factor_of(s), at->BM, M, A);
}

void relax_slack_matrix(const wlab_relax *s, const relax_slope *at, double *A, wlab_ctx *ctx)
{
    const int64_t M = s->nodes;
    gradient(s, at, A, ctx);
    for (int64_t k = 0; k < s->pairs; k++)
        relax_add_pair(s, s->pair + k, at->mu[k], A);
    for (int64_t i = 0; i < M; i++)
        A[i * M + i] -= at->mult[i];
    for (int64_t i = 0; i < s->block; i++)
        for (int64_t j = 0; j < s->block; j++)
            A[i * M + j] -= at->corner[i * s->block + j];
}

typedef struct slack {
    const wlab_relax *s;
    const relax_slope *at;
} slack;

/* out = H q, from the factor BM of few rows. */
static void slack_times(const void *of, const double *q, double *out)
{
    const slack *h = of;
    const wlab_relax *s = h->s;
    const int64_t M = s->nodes, k = s->block;

    for (int64_t i = 0; i < M; i++)
        out[i] = -h->at->mult[i] * q[i];
    for (int64_t i = 0; i < k; i++)
        out[i] -= relax_dot(h->at->corner + i * k, q, k);
    for (int64_t j = 0; j < s->d; j++) {
        const double *b = h->at->BM + j * M;
        cblas_daxpy((int)M, -factor_of(s) * cblas_ddot((int)M, b, 1, q, 1), b, 1, out, 1);
    }
}

double relax_decrease(wlab_relax *s, const relax_point *p, wlab_ctx *ctx)
{
    const int64_t M = s->nodes;
    double sum = 0;
    times_factor(s, &s->at, p, s->Q, ctx);
    if (s->tied) {
        for (int64_t i = 0; i < M; i++)
            sum += relax_dot(s->Q + i * p->r, p->V + i * p->r, p->r);
        return sum - s->at.product;
    }
    /* <G, Y> is the multipliers' sum at the current point */
    for (int64_t i = 0; i < M; i++)
        sum += relax_dot(s->Q + i * p->r, p->V + i * p->r, p->r) - s->at.mult[i];
    for (int64_t i = 0; i < s->block; i++)
        sum -= s->at.corner[i * s->block + i];
    for (int64_t k = 0; k < s->pairs; k++)
        sum += s->at.mu[k] * s->pair[k].value;
    return sum;
}

/* Multipliers that make H orthogonal to Y, from G V in `product`. */
static void multipliers(const wlab_relax *s, relax_slope *at, const relax_point *p, const double *product)
{
    const int64_t r = p->r, k = s->block;
    for (int64_t i = 0; i < s->nodes; i++)
        at->mult[i] = i < k ? 0 : relax_dot(product + i * r, p->V + i * r, r);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            at->corner[i * k + j] =
                (relax_dot(product + i * r, p->V + j * r, r) + relax_dot(product + j * r, p->V + i * r, r)) /
                2;
}

/* The lower bound over all Y: `rest` + the sum of multiplier times given entry + nodes lambda_min(H), where lambda_min is
 * lowered by a bound on its rounding error.  `whole`: all eigenvalues are needed, in s->e; else only e[0] is set, and
 * e[M - 1] roughly. */
static wlab_code bound(wlab_relax *s, const relax_slope *at, double rest, bool whole, double *lower,
                       wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes;
    const slack h = {s, at};
    relax_times *times = relax_is_few(s) && !s->square && s->pairs == 0 ? slack_times : NULL;
    const bool quick = !whole && M >= LARGE;
    bool proven = false;
    double low = 0, high = 0;
    wlab_code code;

    relax_slack_matrix(s, at, s->Q, ctx);
    if (quick && (code = relax_smallest(s->Q, M, times, &h, &low, &high, s->lapack, &proven, ctx, err)))
        return code;
    if (!proven) {
        if (quick)
            relax_slack_matrix(s, at, s->Q, ctx);
        if ((code = relax_eigenvalues(s->Q, M, s->e, s->lapack, s->integers, false, ctx, err)))
            return code;
        low = s->e[0];
        high = s->e[M - 1];
    }
    s->e[0] = low;
    s->e[M - 1] = high;
    for (int64_t i = 0; i < M; i++)
        rest += at->mult[i];
    for (int64_t i = 0; i < s->block; i++)
        rest += at->corner[i * s->block + i];
    for (int64_t k = 0; k < s->pairs; k++)
        rest -= at->mu[k] * s->pair[k].value;
    *lower = rest + (double)M * (low - RELAX_ROUNDING * (double)M * fmax(fabs(low), fabs(high)));
    return WL_OK;
}

wlab_code relax_certify(wlab_relax *s, const relax_point *p, double *lower, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, d = s->d;
    relax_slope *at = &s->spare, *mean = &s->blend;
    double averaged;
    wlab_code code;

    if (!s->square) {
        memset(at->BM, 0, (size_t)(d * M) * sizeof *at->BM);
        for (int64_t j = 0; j < d; j++)
            for (int64_t g = 0; g < s->groups; g++)
                relax_spread(s, s->node[g], s->C[j * s->groups + g], at->BM + j * M, 1);
    }
    times_factor(s, at, p, s->Q, ctx);
    multipliers(s, at, p, s->Q);
    /* <G, Y> is the sum of these multipliers */
    at->entropy = p->low;
    for (int64_t i = 0; i < M; i++)
        at->entropy -= at->mult[i];
    for (int64_t i = 0; i < s->block; i++)
        at->entropy -= at->corner[i * s->block + i];
    at->product = p->low - at->entropy;
    if (s->tied && s->phase != RELAX_BEGIN)
        relax_scatter(s, s->force, at);
    else if (s->pairs > 0)
        relax_pairs_multipliers(s, at, p, s->Q, ctx);
    /* only the first step needs the spread, and only projections need the rise */
    const bool first = !(s->t > 0), whole = s->tied || (first && M < SPREAD_OF);
    if ((code = bound(s, at, at->entropy, whole, lower, ctx, err)))
        return code;
    at->least = s->e[0];
    at->rise = at->spread = 0;
    if (whole || first)
        at->spread = s->e[M - 1] - s->e[0];
    for (int64_t i = 0; i < M && whole; i++)
        at->rise += fmax(s->e[i], 0);
    at->slack = at->violation = 0;
    for (int64_t k = 0; k < s->pairs; k++) {
        const double v = fabs(relax_violation(s, p, k));
        at->violation = fmax(at->violation, v);
        at->slack += fabs(at->mu[k]) * v;
    }
    if (s->tied)
        return relax_polish(s, at, p, lower, ctx, err);
    if (s->square)
        return WL_OK;
    /* the inner objective is concave in Omega: the average of several Omega has at least the average entropy, and the
     * average B */
    const double weight = s->best == -INFINITY ? 1 : NEWEST_WEIGHT;
    for (int64_t i = 0; i < d * M; i++)
        mean->BM[i] = s->mean.BM[i] + weight * (at->BM[i] - s->mean.BM[i]);
    mean->entropy = s->mean.entropy + weight * (at->entropy - s->mean.entropy);
    times_factor(s, mean, p, s->Q, ctx);
    if (s->pairs > 0)
        relax_pairs_multipliers(s, mean, p, s->Q, ctx);
    else
        multipliers(s, mean, p, s->Q);
    if ((code = bound(s, mean, mean->entropy, false, &averaged, ctx, err)))
        return code;
    if (*lower > averaged) {
        memcpy(mean->BM, at->BM, (size_t)(d * M) * sizeof *at->BM);
        mean->entropy = at->entropy;
    }
    *lower = fmax(*lower, averaged);
    return WL_OK;
}

void wlab_relax_gradient(const wlab_relax *s, double *G)
{
    gradient(s, &s->at, G, NULL);
}
