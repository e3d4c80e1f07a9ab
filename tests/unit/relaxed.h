/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests of the relaxation: small problems with given labels, and soft-max regression by plain Newton steps.
 */
#ifndef TESTS_RELAXED_H
#define TESTS_RELAXED_H

#include "support.h"

#include "solve/relax/state.h"
#include "weaklab/rng.h"

#include <lapacke.h>

/* A problem that owns its arrays. */
typedef struct posed {
    wlab_relax_problem q;
    double *X, *pi, *vertex;
    int32_t *group, *node;
    wlab_relax_pair pair[8]; /* a test that uses it sets q.pair */
} posed;

/* Class vectors: the simplex's vertices in P - 1 coordinates, or the unit vectors in P. */
static inline int64_t posed_vertices(posed *p, int classes, bool simplex)
{
    const int64_t k = simplex ? classes - 1 : classes;
    p->vertex = calloc((size_t)(classes * k), sizeof *p->vertex);
    for (int i = 0; i < classes; i++)
        for (int64_t j = 0; j <= i && j < k; j++) {
            double rest = i == j ? 1 : simplex ? -1.0 / (classes - 1) : 0;
            for (int64_t l = 0; l < j; l++)
                rest -= p->vertex[i * k + l] * p->vertex[j * k + l];
            p->vertex[i * k + j] = i == j ? sqrt(fmax(rest, 0)) : rest / p->vertex[j * k + j];
        }
    p->q.vertex = p->vertex;
    p->q.classes = classes;
    p->q.c = simplex ? 1 - 1.0 / classes : 1;
    return k;
}

/* n rows around `classes` centres in d dimensions; row i belongs to class i % classes.  Each of the first `labelled`
 * rows is in the group of its class; each other row is a group of its own, with a node of its own. uneven: the rows
 * have unequal weights. */
static inline posed posed_create(int64_t n, int64_t d, int classes, bool simplex, int64_t labelled,
                                 bool uneven, uint64_t seed)
{
    posed p = {0};
    wlab_rng rng;
    double sum = 0;
    wlab_rng_seed(&rng, seed);
    p.X = calloc((size_t)(n * d) + 1, sizeof *p.X);
    p.pi = calloc((size_t)n, sizeof *p.pi);
    p.group = calloc((size_t)n, sizeof *p.group);
    p.node = calloc((size_t)(n + classes), sizeof *p.node);
    const int64_t k = posed_vertices(&p, classes, simplex);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            p.X[i * d + j] = (j == i % classes % d ? 1.5 : 0) + 0.7 * wlab_rng_normal(&rng);
        p.pi[i] = uneven ? 0.2 + wlab_rng_uniform(&rng) : 1;
        sum += p.pi[i];
    }
    for (int64_t i = 0; i < n; i++)
        p.pi[i] /= sum;
    p.q.block = labelled > 0 ? k : 0;
    p.q.nodes = p.q.block;
    if (labelled > 0)
        for (int c = 0; c < classes; c++)
            p.node[p.q.groups++] = -1 - c;
    for (int64_t i = 0; i < n; i++) {
        if (i < labelled)
            p.group[i] = (int32_t)(i % classes);
        else {
            p.group[i] = (int32_t)p.q.groups;
            p.node[p.q.groups++] = (int32_t)p.q.nodes++;
        }
    }
    p.q.n = n;
    p.q.d = d;
    p.q.X = p.X;
    p.q.pi = p.pi;
    p.q.group = p.group;
    p.q.node = p.node;
    p.q.lambda = 0.1;
    p.q.intercept = true;
    return p;
}

static inline void posed_clear(posed *p)
{
    free(p->X);
    free(p->pi);
    free(p->vertex);
    free(p->group);
    free(p->node);
}

/* The minimum over W [d x P] and the intercepts (`fixed`: over W only, with these intercepts) of sum_n pi_n
 * softmaxloss + lambda/(2P) |W|^2, by Newton steps with halving.  The Hessian has (d + 1) P rows, so only for small
 * problems. */
static inline double regression(const wlab_relax_problem *q, const int *label, const double *fixed)
{
    const int P = q->classes;
    const int64_t d = q->d, k = (d + 1) * P;
    double *w = calloc((size_t)k, sizeof *w), *g = calloc((size_t)k, sizeof *g);
    double *H = calloc((size_t)(k * k), sizeof *H), *next = calloc((size_t)k, sizeof *next);
    double best = INFINITY, prob[64];

    if (fixed)
        memcpy(w + d * P, fixed, (size_t)P * sizeof *w);
    for (int round = 0; round < 200; round++) {
        double f = 0;
        memset(g, 0, (size_t)k * sizeof *g);
        memset(H, 0, (size_t)(k * k) * sizeof *H);
        for (int64_t i = 0; i < q->n; i++) {
            double top = -INFINITY, sum = 0;
            for (int c = 0; c < P; c++) {
                prob[c] = w[d * P + c];
                for (int64_t j = 0; j < d; j++)
                    prob[c] += q->X[i * d + j] * w[j * P + c];
                top = fmax(top, prob[c]);
            }
            f -= q->pi[i] * prob[label[i]];
            for (int c = 0; c < P; c++)
                sum += prob[c] = exp(prob[c] - top);
            f += q->pi[i] * (top + log(sum));
            for (int c = 0; c < P; c++)
                prob[c] /= sum;
            for (int64_t j = 0; j <= d; j++)
                for (int c = 0; c < P; c++) {
                    const double x = j < d ? q->X[i * d + j] : 1;
                    g[j * P + c] += q->pi[i] * x * (prob[c] - (c == label[i]));
                    for (int64_t l = 0; l <= d; l++)
                        for (int e = 0; e < P; e++)
                            H[(j * P + c) * k + l * P + e] +=
                                q->pi[i] * x * (l < d ? q->X[i * d + l] : 1) * prob[c] * ((c == e) - prob[e]);
                }
        }
        for (int64_t i = 0; i < k; i++) {
            if (i < d * P) {
                f += q->lambda / (2 * P) * w[i] * w[i];
                g[i] += q->lambda / P * w[i];
                H[i * k + i] += q->lambda / P;
            } else if (fixed) {
                g[i] = 0;
                for (int64_t l = 0; l < k; l++)
                    H[i * k + l] = H[l * k + i] = 0;
                H[i * k + i] = 1;
            } else
                for (int64_t l = d * P; l < k; l++) /* makes the free common part of the intercepts unique */
                    H[i * k + l] += 1;
        }
        if (f < best) {
            const double gained = best - f;
            best = f;
            memcpy(next, w, (size_t)k * sizeof *w);
            if (gained < 1e-15)
                break;
            if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (lapack_int)k, 1, H, (lapack_int)k, g, 1))
                break;
        } else /* the step was too long: halve it */
            for (int64_t i = 0; i < k; i++)
                g[i] /= 2;
        for (int64_t i = 0; i < k; i++)
            w[i] = next[i] - g[i];
    }
    free(w);
    free(g);
    free(H);
    free(next);
    return best;
}

/* The paper's objective of a labeling: the optimum of the soft-max regression minus the entropy of the proportions.
 * Without an intercept the regression has fixed intercepts, the logarithms of the proportions: b = 0 in (U, b) gives
 * class c the mass p_c exp(w_c'x). */
static inline double labeling_value(const wlab_relax_problem *q, const int *label)
{
    double proportion[64] = {0}, logs[64], entropy = 0;
    for (int64_t i = 0; i < q->n; i++)
        proportion[label[i]] += q->pi[i];
    for (int c = 0; c < q->classes; c++) {
        logs[c] = proportion[c] > 0 ? log(proportion[c]) : -1e4; /* a class without rows */
        if (proportion[c] > 0)
            entropy -= proportion[c] * log(proportion[c]);
    }
    return regression(q, label, q->intercept ? NULL : logs) - entropy;
}

/* Makes inner steps until there is a verdict, but at most `units` of them. */
static inline wlab_relax_numbers relax_run(wlab_relax *s, int units, wlab_ctx *ctx)
{
    wlab_err err;
    bool outer;
    for (int u = 0; u < units && wlab_relax_state(s) == WL_RELAX_GOING; u++)
        ASSERT_OK(wlab_relax_advance(s, &outer, ctx, &err), err);
    return wlab_relax_get(s);
}

/* Restarts the solver at the Y of factor V, and returns F there. */
static inline double relax_value_at(wlab_relax *s, const double *V, int64_t r)
{
    wlab_err err;
    bool outer = false;
    s->now.r = r;
    memcpy(s->now.V, V, (size_t)(s->nodes * r) * sizeof *V);
    memset(s->now.U, 0, (size_t)(s->d * r) * sizeof *V);
    memset(s->now.b, 0, (size_t)s->groups * sizeof *V);
    ASSERT_OK(wlab_relax_set_lambda(s, s->given, &err), err);
    while (!outer)
        ASSERT_OK(wlab_relax_advance(s, &outer, NULL, &err), err);
    return wlab_relax_get(s).upper;
}

/* Scales rows from `block` on to unit length. */
static inline void to_length(double *V, int64_t nodes, int64_t block, int64_t r)
{
    for (int64_t i = block; i < nodes; i++) {
        double sum = 0;
        for (int64_t j = 0; j < r; j++)
            sum += V[i * r + j] * V[i * r + j];
        for (int64_t j = 0; j < r; j++)
            V[i * r + j] /= sqrt(sum);
    }
}

/* Random rows of unit length, the first `block` of them unit vectors. */
static inline double *random_factor(int64_t nodes, int64_t block, int64_t r, uint64_t seed)
{
    double *V = calloc((size_t)(nodes * r), sizeof *V);
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t j = 0; j < r; j++)
            V[i * r + j] = i < block ? i == j : wlab_rng_normal(&rng);
    to_length(V, nodes, block, r);
    return V;
}

/* Two solvers have the same state, to the bit. */
static inline void assert_same_solver(const wlab_relax *a, const wlab_relax *b)
{
    int64_t ra, rb;
    const double *Va = wlab_relax_factor(a, &ra), *Vb = wlab_relax_factor(b, &rb);
    const wlab_relax_numbers na = wlab_relax_get(a), nb = wlab_relax_get(b);
    assert_memory_equal(&na, &nb, sizeof na);
    assert_int_equal(ra, rb);
    assert_memory_equal(Va, Vb, (size_t)(a->nodes * ra) * sizeof *Va);
    assert_int_equal(wlab_relax_state(a), wlab_relax_state(b));
}

#endif
