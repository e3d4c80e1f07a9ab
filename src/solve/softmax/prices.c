/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dual of the E-step, for more than two classes whose costs are nearly equal, where exchanges between pairs are
 * slow:
 *
 *     max over a of  -M log(sum_k exp a_k) + sum_n pi_n min_k (c_nk + a_k),   M = sum pi.
 *
 * The minimum is smoothed to -eps log sum_k exp(-(c_nk + a_k)/eps).  While eps decreases, Newton's method in as many
 * unknowns as classes keeps a optimal.  The weights of the smoothed minimum are z, within eps M log P of the optimum.
 */
#include "linalg/cholesky.h"
#include "solve/softmax/parts.h"

#include <string.h>

typedef struct smooth {
    em_labels *l;
    double eps, M;
    int Q, class[64]; /* classes that have rows */
    double a[64], g[64], H[64 * 64];
} smooth;

/* Returns the smoothed dual at a and sets its gradient and (negated) second derivative; if z_too, sets z as well. */
static double smoothed_dual(smooth *s, const double *a, bool z_too)
{
    const em_labels *l = s->l;
    const int P = l->e->q.P, Q = s->Q;
    double sum = 0, top = a[0], total = 0;
    for (int k = 1; k < Q; k++)
        top = fmax(top, a[k]);
    for (int k = 0; k < Q; k++)
        total += exp(a[k] - top);
    for (int k = 0; k < Q; k++) {
        const double p = exp(a[k] - top) / total;
        s->g[k] = -s->M * p;
        for (int j = 0; j < Q; j++)
            s->H[k * Q + j] = s->M * ((j == k ? p : 0) - p * exp(a[j] - top) / total);
    }
    for (int64_t t = 0; t < l->n; t++) {
        const int64_t i = em_row(l, t);
        const uint64_t may = em_allowed(l->e, i);
        const double pi = l->e->q.pi[i];
        double w[64], least = HUGE_VAL, mass = 0;
        if (!(pi > 0))
            continue;
        for (int k = 0; k < Q; k++) {
            w[k] = may >> s->class[k] & 1 ? em_cost(l, i, s->class[k]) + a[k] : HUGE_VAL;
            least = fmin(least, w[k]);
        }
        for (int k = 0; k < Q;
             k++) { /* with a small eps most classes are far from the best: skip exp for these */
            w[k] = w[k] == least ? 1 : w[k] - least > 40 * s->eps ? 0 : exp(-(w[k] - least) / s->eps);
            mass += w[k];
        }
        sum += pi * (mass > 1 ? least - s->eps * log(mass) : least);
        for (int k = 0; mass > 1 && k < Q; k++)
            w[k] /= mass;
        for (int k = 0; k < Q; k++) {
            if (!(w[k] > 0))
                continue;
            s->g[k] += pi * w[k];
            for (int j = 0; mass > 1 && j < Q; j++)
                s->H[k * Q + j] += pi * w[k] * ((j == k) - w[j]) / s->eps;
        }
        if (!z_too)
            continue;
        mass = 0;
        for (int k = 0; k < Q; k++)
            mass += w[k] > 1e-12 ? w[k] : 0;
        memset(l->z + i * P, 0, (size_t)P * sizeof *l->z);
        for (int k = 0; k < Q; k++)
            l->z[i * P + s->class[k]] = w[k] > 1e-12 ? w[k] / mass : 0;
    }
    return sum - s->M * (top + log(total));
}

/* Newton's method at this eps, until the Newton decrement is small relative to eps. */
static void newton_at_eps(smooth *s, double accuracy)
{
    const int Q = s->Q;
    double value = smoothed_dual(s, s->a, false);
    for (int it = 0; it < 40; it++) {
        double step[64], next[64], size = 0, slope = 0, t = 1;
        bool definite = false;
        for (int k = 0; k < Q; k++)
            size += s->H[k * Q + k] / Q;
        for (int k = 0; k < Q * Q;
             k++) /* fixes the direction (1, ..., 1), along which the dual is constant */
            s->H[k] += size;
        for (int k = 0; k < Q; k++) {
            s->H[k * Q + k] += 1e-14 * size;
            step[k] = s->g[k];
        }
        if (wlab_cholesky(s->H, Q, &definite, NULL, NULL) || !definite)
            return;
        wlab_cholesky_solve(s->H, Q, step);
        for (int k = 0; k < Q; k++)
            slope += step[k] * s->g[k];
        if (!(slope > accuracy * s->eps * s->M))
            return;
        for (int tries = 0;; tries++, t /= 2) {
            if (tries == 40)
                return;
            for (int k = 0; k < Q; k++)
                next[k] = s->a[k] + t * step[k];
            const double now = smoothed_dual(s, next, false);
            if (now >= value + 1e-4 * t * slope - 1e-15 * (1 + fabs(value))) {
                value = now;
                break;
            }
        }
        memcpy(s->a, next, (size_t)Q * sizeof *next);
    }
}

void em_smooth(em_labels *l, double tol)
{
    smooth s = {.l = l};
    double spread = 0, largest = 0;
    for (int k = 0; k < l->e->q.P; k++)
        if (l->v[k] > 0) {
            s.class[s.Q] = k;
            s.a[s.Q++] = log(l->v[k]);
            s.M += l->v[k];
        }
    for (int64_t t = 0; t < l->n; t++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int k = 0; k < s.Q; k++) {
            const double c = em_cost(l, em_row(l, t), s.class[k]);
            low = fmin(low, c);
            high = fmax(high, c);
        }
        spread = fmax(spread, high - low);
        largest = fmax(largest, fmax(fabs(low), fabs(high)));
    }
    const double last = fmax(0.1 * tol / (s.M * log(2.0 * s.Q)), 1e-15 * (1 + largest));
    for (s.eps = fmin(0.1 * spread, 1); s.eps > last; s.eps /= 5)
        newton_at_eps(&s, 0.01);
    s.eps = last;
    newton_at_eps(&s, 1e-8);
    (void)smoothed_dual(&s, s.a, true);
    memset(l->v, 0, sizeof l->v);
    for (int64_t t = 0; t < l->n; t++)
        for (int k = 0; k < l->e->q.P; k++)
            l->v[k] += l->e->q.pi[em_row(l, t)] * l->z[em_row(l, t) * l->e->q.P + k];
}
