/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The outer certificate.  At a feasible Omega the inner objective is linear in Y; over psd Y of trace `nodes` with the
 * diagonal and the block given, and for any multipliers, it is at least the multipliers' sum plus
 * nodes min(0, lambda_min(H)).
 */
#include "algo/relax_state.h"

#include <math.h>
#include <string.h>

/* -k BM'BM is the gradient. */
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

/* A += factor sym(a b') for the nodes of a pair. */
static void add_pair(const wlab_relax *s, const wlab_relax_pair *p, double factor, double *A)
{
    const int64_t M = s->nodes;
    const int32_t a = s->all_node[p->a], b = s->all_node[p->b];
    for (int64_t i = 0; i < (a < 0 ? s->block : 1); i++)
        for (int64_t j = 0; j < (b < 0 ? s->block : 1); j++) {
            const double va = a < 0 ? s->vertex[(-1 - a) * s->block + i] : 1,
                         vb = b < 0 ? s->vertex[(-1 - b) * s->block + j] : 1;
            const int64_t row = a < 0 ? i : a, column = b < 0 ? j : b;
            A[row * M + column] += factor / 2 * va * vb;
            A[column * M + row] += factor / 2 * va * vb;
        }
}

static double violation_of(const wlab_relax *s, const relax_point *p, int64_t k)
{
    return relax_product(s, p, s->all_node[s->pair[k].a], s->all_node[s->pair[k].b]) - s->pair[k].value;
}

double relax_pairs_value(const wlab_relax *s, const relax_point *p)
{
    double sum = 0;
    for (int64_t k = 0; k < s->pairs; k++) {
        const double v = violation_of(s, p, k);
        sum += v * (s->nu[k] + s->penalty / 2 * v);
    }
    return sum;
}

/* G Y as (G V) V': out [nodes x r] = G V. */
static void times_factor(wlab_relax *s, const relax_slope *at, const relax_point *p, double *out,
                         wlab_pool *pool)
{
    const int64_t M = s->nodes, r = p->r, d = s->d;
    if (s->square)
        relax_gemm(pool, false, false, M, r, M, 1, s->M, M, p->V, r, 0, out, r);
    else {
        relax_gemm(pool, false, false, d, r, M, 1, at->BM, M, p->V, r, 0, s->T, r);
        relax_gemm(pool, true, false, M, r, d, -factor_of(s), at->BM, M, s->T, r, 0, out, r);
    }
    for (int64_t k = 0; k < s->pairs; k++) {
        const int32_t a = s->all_node[s->pair[k].a], b = s->all_node[s->pair[k].b];
        for (int64_t i = 0; i < (a < 0 ? s->block : 1); i++)
            for (int64_t j = 0; j < (b < 0 ? s->block : 1); j++) {
                const double f = at->mu[k] / 2 * (a < 0 ? s->vertex[(-1 - a) * s->block + i] : 1) *
                                 (b < 0 ? s->vertex[(-1 - b) * s->block + j] : 1);
                const int64_t row = a < 0 ? i : a, column = b < 0 ? j : b;
                for (int64_t l = 0; l < r; l++) {
                    out[row * r + l] += f * p->V[column * r + l];
                    out[column * r + l] += f * p->V[row * r + l];
                }
            }
    }
}

static void gradient(const wlab_relax *s, const relax_slope *at, double *A, wlab_pool *pool)
{
    const int64_t M = s->nodes;
    if (s->square)
        memcpy(A, s->M, (size_t)(M * M) * sizeof *A);
    else
        relax_gemm(pool, true, false, M, M, s->d, -factor_of(s), at->BM, M, at->BM, M, 0, A, M);
    for (int64_t k = 0; k < s->pairs; k++)
        add_pair(s, s->pair + k, at->mu[k], A);
}

void relax_slack_matrix(const wlab_relax *s, const relax_slope *at, double *A, wlab_pool *pool)
{
    const int64_t M = s->nodes;
    gradient(s, at, A, pool);
    for (int64_t i = 0; i < M; i++)
        A[i * M + i] -= at->mult[i];
    for (int64_t i = 0; i < s->block; i++)
        for (int64_t j = 0; j < s->block; j++)
            A[i * M + j] -= at->corner[i * s->block + j];
}

double relax_decrease(wlab_relax *s, const relax_point *p, wlab_pool *pool)
{
    const int64_t M = s->nodes;
    double sum = 0;
    /* <H, Y> = 0 at the current point; the multipliers see nothing of a feasible difference */
    times_factor(s, &s->at, p, s->Q, pool);
    for (int64_t i = 0; i < M; i++)
        sum += relax_dot(s->Q + i * p->r, p->V + i * p->r, p->r) - s->at.mult[i];
    for (int64_t i = 0; i < s->block; i++)
        sum -= s->at.corner[i * s->block + i];
    return sum;
}

/* The multipliers of the pairs: those of the augmented Lagrangian move every third step, its penalty doubles where that
 * did not halve the violation. */
static void settle_pairs(wlab_relax *s, const relax_point *p, relax_slope *at)
{
    at->slack = at->violation = 0;
    for (int64_t k = 0; k < s->pairs; k++)
        at->violation = fmax(at->violation, fabs(violation_of(s, p, k)));
    if (!(s->penalty > 0))
        s->penalty = 10 * fmax(fabs(p->f), 1e-9) / (double)s->nodes;
    else if (s->outer % 3 == 2) {
        for (int64_t k = 0; k < s->pairs; k++)
            s->nu[k] += s->penalty * violation_of(s, p, k);
        if (at->violation > s->checked / 2)
            s->penalty *= 2;
        s->checked = at->violation;
    }
    for (int64_t k = 0; k < s->pairs; k++) {
        const double v = violation_of(s, p, k);
        at->mu[k] = s->nu[k] + s->penalty * v;
        at->slack += fabs(at->mu[k] * v);
    }
}

wlab_code relax_certify(wlab_relax *s, const relax_point *p, double *lower, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, d = s->d, r = p->r;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    relax_slope *at = &s->spare;
    double hidden = 0;

    if (!s->square) {
        memset(at->BM, 0, (size_t)(d * M) * sizeof *at->BM);
        for (int64_t j = 0; j < d; j++)
            for (int64_t g = 0; g < s->groups; g++)
                relax_spread(s, s->node[g], s->C[j * s->groups + g], at->BM + j * M, 1);
    }
    settle_pairs(s, p, at);
    times_factor(s, at, p, s->Q, pool);
    for (int64_t i = 0; i < M; i++)
        at->mult[i] = i < s->block ? 0 : relax_dot(s->Q + i * r, p->V + i * r, r);
    for (int64_t i = 0; i < s->block; i++)
        for (int64_t j = 0; j < s->block; j++)
            at->corner[i * s->block + j] =
                (relax_dot(s->Q + i * r, p->V + j * r, r) + relax_dot(s->Q + j * r, p->V + i * r, r)) / 2;
    relax_slack_matrix(s, at, s->Q, pool);
    wlab_code code = relax_eigen(s->Q, M, s->e, s->lapack, s->integers, false, err);
    if (code)
        return code;
    at->spread = s->e[M - 1] - s->e[0];
    at->least = s->e[0];
    for (int64_t k = 0; k < s->pairs; k++)
        hidden += at->mu[k] * violation_of(s, p, k);
    /* what the eigenvalue may be wrong by, as far as doubles go, is taken off */
    *lower = p->low + hidden +
             (double)M * fmin(0, at->least - 1e-15 * (double)M * fmax(fabs(s->e[0]), fabs(s->e[M - 1])));
    return WL_OK;
}

void wlab_relax_gradient(const wlab_relax *s, double *G)
{
    gradient(s, &s->at, G, NULL);
}
