/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The inner problem of the relaxation: its convex objective in (U, b) and the matrix Omega of a point.
 */
#include "base/two.h"
#include "solve/relax/state.h"

#include <math.h>

enum {
    STRIP = 32
};

double relax_product(const wlab_relax *s, const relax_point *p, int32_t a, int32_t b)
{
    const int64_t r = p->r;
    if (a < 0 && b < 0)
        return relax_dot(s->vertex + (-1 - a) * s->block, s->vertex + (-1 - b) * s->block, s->block);
    if (a >= 0 && b >= 0)
        return relax_dot(p->V + a * r, p->V + b * r, r);
    const int32_t k = a < 0 ? -1 - a : -1 - b, node = a < 0 ? b : a;
    double sum = 0;
    for (int64_t j = 0; j < s->block; j++)
        sum += s->vertex[k * s->block + j] * relax_dot(p->V + j * r, p->V + node * r, r);
    return sum;
}

void relax_vectors(wlab_relax *s, relax_point *p, wlab_ctx *ctx)
{
    const int64_t r = p->r;
    const double root = sqrt(s->c);
    for (int64_t g = 0; g < s->groups; g++) {
        double *v = s->VG + g * r;
        if (s->node[g] >= 0) {
            for (int64_t j = 0; j < r; j++)
                v[j] = root * p->V[s->node[g] * r + j];
            continue;
        }
        for (int64_t j = 0; j < r; j++)
            v[j] = 0;
        for (int64_t i = 0; i < s->block; i++) {
            const double f = root * s->vertex[(-1 - s->node[g]) * s->block + i];
            for (int64_t j = 0; j < r; j++)
                v[j] += f * p->V[i * r + j];
        }
    }
    (void)wlab_gemm(ctx, true, false, s->d, r, s->groups, 1, s->XG, s->d, s->VG, r, 0, s->XV, r);
}

/* T = D VG'. */
static void of_groups(wlab_relax *s, const double *D, int64_t r, wlab_ctx *ctx)
{
    if (relax_is_few(s))
        relax_few_dots(ctx, s->d, s->groups, r, D, s->VG, s->T);
    else
        (void)wlab_gemm(ctx, false, true, s->d, s->groups, r, 1, D, r, s->VG, r, 0, s->T, s->groups);
}

void relax_to_columns(wlab_relax *s, const double *T, int64_t r, double *out, wlab_ctx *ctx)
{
    const int64_t d = s->d, G = s->groups;
    if (relax_is_few(s))
        relax_few_sums(ctx, d, r, G, T, G, 1, s->VG, out);
    else
        (void)wlab_gemm(ctx, false, false, d, r, G, 1, T, G, s->VG, r, 0, out, r);
}

void relax_scores(wlab_relax *s, const double *D, int64_t r, double *out, wlab_ctx *ctx)
{
    const int64_t n = s->n, d = s->d, G = s->groups;
    if (d <= r) {
        of_groups(s, D, r, ctx);
        (void)wlab_gemm(ctx, false, false, n, G, d, 1, s->X, d, s->T, G, 0, out, G);
    } else {
        (void)wlab_gemm(ctx, false, false, n, r, d, 1, s->X, d, D, r, 0, s->T, r);
        (void)wlab_gemm(ctx, false, true, n, G, r, 1, s->T, r, s->VG, r, 0, out, G);
    }
}

void relax_back(wlab_relax *s, const double *A, int64_t r, double *out, wlab_ctx *ctx)
{
    const int64_t n = s->n, d = s->d, G = s->groups;
    if (d <= r) {
        (void)wlab_gemm(ctx, true, false, d, G, n, 1, s->PX, d, A, G, 0, s->T, G);
        relax_to_columns(s, s->T, r, out, ctx);
    } else {
        (void)wlab_gemm(ctx, false, false, n, r, G, 1, A, G, s->VG, r, 0, s->T, r);
        (void)wlab_gemm(ctx, true, false, d, r, n, 1, s->PX, d, s->T, r, 0, out, r);
    }
}

typedef struct softmax {
    wlab_relax *s;
    const double *b;
    bool few; /* the scores of a row are computed when they are needed */
} softmax;

static void softmax_block(void *data, int block)
{
    const softmax *m = data;
    wlab_relax *s = m->s;
    const int64_t G = s->groups, from = (int64_t)block * STRIP,
                  end = from + STRIP < s->n ? from + STRIP : s->n;
    for (int64_t i = from; i < end; i++) {
        double *row = s->Omega + i * G;
        wlab_two each = {0}, tops = wlab_two_of(-INFINITY);
        if (m->few)
            relax_few_scores(s, i, row);
        for (int64_t g = 0; g < G; g += 2) {
            const int64_t left = G - g;
            const wlab_two score =
                wlab_two_load_some(row + g, left) +
                (wlab_two_load_some(s->logp + g, left) - wlab_two_load_some(m->b + g, left));
            wlab_two_store_some(row + g, score, left);
            const wlab_two seen = left > 1 ? score : wlab_two_of(score[0]);
            tops = wlab_two_choose(wlab_two_less(tops, seen), seen, tops);
        }
        const double top = tops[0] > tops[1] ? tops[0] : tops[1];
        for (int64_t g = 0; g < G; g += 2) {
            const int64_t left = G - g;
            const wlab_two e = wlab_two_exp_minus(top - wlab_two_load_some(row + g, left));
            each += left > 1 ? e : (wlab_two){e[0], 0};
            wlab_two_store_some(row + g, e, left);
        }
        const double sum = wlab_two_sum(each);
        s->lse[i] = top + log(sum);
        for (int64_t g = 0; g < G; g++)
            row[g] *= 1 / sum;
    }
}

double relax_value(wlab_relax *s, const relax_point *p, const double *U, const double *b, wlab_ctx *ctx)
{
    const int64_t size = s->d * p->r;
    softmax m = {s, b, relax_is_few(s) && s->d <= p->r};
    if (m.few)
        of_groups(s, U, p->r, ctx);
    else
        relax_scores(s, U, p->r, s->Omega, ctx);
    relax_strips(ctx, s->n, STRIP, softmax_block, &m);
    return relax_dot(s->pg, b, s->groups) - relax_dot(U, s->XV, size) + relax_dot(s->pi, s->lse, s->n) +
           s->lambda / (2 * s->classes) * relax_dot(U, U, size);
}
