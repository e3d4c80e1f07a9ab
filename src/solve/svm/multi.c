/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The multi-class SVM with a set of classes per row: dual coordinate ascent over the variables of one row at a time.
 */
#include "solve/svm/multi.h"
#include "weaklab/rng.h"

#include <math.h>
#include <string.h>

enum {
    SWEEPS = 5,
    MOST_CLASSES = 64
};
#define NO_CHANGE 1e-15 /* a change of a variable below this is none */

wlab_code wlab_multi_create(wlab_multi *m, wlab_err *err)
{
    const uint64_t all = UINT64_MAX >> (64 - m->P);

    m->n = m->X->rows;
    m->dim = m->X->cols + (m->bias > 0);
    m->primal = m->dual = NAN;
    for (int64_t i = 0; i < m->n; i++)
        m->told += m->set[i] != all;
    m->choice = wlab_alloc((size_t)m->n, 1);
    m->beta = wlab_calloc((size_t)m->n * (size_t)m->P, sizeof *m->beta);
    m->W = wlab_calloc((size_t)m->P * (size_t)m->dim + 1, sizeof *m->W);
    m->order = wlab_alloc((size_t)m->n, sizeof *m->order);
    if (!m->choice || !m->beta || !m->W || !m->order)
        return wlab_nomem(err);
    memset(m->choice, WL_MULTI_MEAN, (size_t)m->n);
    return WL_OK;
}

void wlab_multi_clear(wlab_multi *m)
{
    wlab_free(m->choice);
    wlab_free(m->beta);
    wlab_free(m->W);
    wlab_free(m->order);
    *m = (wlab_multi){0};
}

static bool tells(const wlab_multi *m, int64_t i)
{
    return m->set[i] != UINT64_MAX >> (64 - m->P);
}

/* q_ik */
static double weight(const wlab_multi *m, int64_t i, int k)
{
    if (!(m->set[i] >> k & 1))
        return 0;
    return m->choice[i] == WL_MULTI_MEAN ? 1.0 / __builtin_popcountll(m->set[i]) : m->choice[i] == k;
}

static double total(const wlab_multi *m, int64_t i)
{
    double sum = 0;
    for (int k = 0; k < m->P; k++)
        sum += m->beta[i * m->P + k];
    return sum;
}

/* w_k += a x_i */
static void add(wlab_multi *m, int64_t i, int k, double a)
{
    double *w = m->W + k * m->dim;
    if (a == 0)
        return;
    wlab_matrix_row_axpy(m->X, i, a, w);
    if (m->bias > 0)
        w[m->dim - 1] += a * m->bias;
}

void wlab_multi_start(wlab_multi *m)
{
    const double unit = 1 / (m->lambda * (double)m->told);

    memset(m->W, 0, (size_t)m->P * (size_t)m->dim * sizeof *m->W);
    for (int64_t i = 0; i < m->n; i++) {
        const double s = total(m, i);
        for (int k = 0; s > 0 && k < m->P; k++)
            add(m, i, k, unit * (s * weight(m, i, k) - m->beta[i * m->P + k]));
    }
    m->primal = m->dual = NAN;
    m->passes = 0;
}

/* ---- the variables of one row ---- */

/* The theta with `beta_k = max(0, g_k - theta) / A` optimal for g, which is in descending order:
 *
 *     max over beta >= 0, s = sum beta_k <= 1  of  sum_k g_k beta_k - A/2 (kappa s^2 + sum_k beta_k^2).
 *
 * Without the bound, theta = kappa A s; where s would be above 1, theta is larger, and s = 1.  Then A may be far below the
 * rounding errors of g, so g and theta are taken less the largest g: *from. */
static double threshold(const double *g, int count, double A, double kappa, double *from)
{
    double sum = 0, theta = 0;
    int used = 0;
    *from = 0;

    for (; used < count && g[used] > kappa * (sum + g[used]) / (1 + kappa * (used + 1)); used++)
        sum += g[used];
    theta = kappa * sum / (1 + kappa * used);
    if (sum - used * theta <= A)
        return theta;
    *from = g[0];
    for (sum = 0, used = 0; used < count && g[used] - g[0] > (sum + (g[used] - g[0]) - A) / (used + 1);
         used++)
        sum += g[used] - g[0];
    return (sum - A) / used;
}

/* The optimal variables of a row with x_i = 0: its loss is 1 whatever W is. */
static bool fill_zero_row(wlab_multi *m, int64_t i)
{
    double *beta = m->beta + i * m->P;
    beta[__builtin_ctzll(~m->set[i])] = 1;
    return false;
}

/* Maximises D over the variables of row i; returns whether they changed. */
static bool update_row(wlab_multi *m, int64_t i)
{
    const double unit = 1 / (m->lambda * (double)m->told), A = unit * m->square[i],
                 kappa = m->choice[i] == WL_MULTI_MEAN ? 1.0 / __builtin_popcountll(m->set[i]) : 1;
    double *beta = m->beta + i * m->P, f[MOST_CLASSES], g[MOST_CLASSES], sorted[MOST_CLASSES], own = 0;
    int count = 0;
    bool changed = false;

    if (!(A > 0))
        return fill_zero_row(m, i);
    for (int k = 0; k < m->P; k++) {
        if (weight(m, i, k) == 0 && m->set[i] >> k & 1)
            continue;
        const double *w = m->W + k * m->dim;
        f[k] = wlab_matrix_row_dot(m->X, i, w) + (m->bias > 0 ? m->bias * w[m->dim - 1] : 0);
        own += weight(m, i, k) * f[k];
    }
    const double before = total(m, i);
    for (int k = 0; k < m->P; k++) {
        if (m->set[i] >> k & 1)
            continue;
        g[k] = 1 - own + f[k] + A * (kappa * before + beta[k]);
        int at = count++;
        for (; at > 0 && sorted[at - 1] < g[k]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = g[k];
    }
    double from;
    const double theta = threshold(sorted, count, A, kappa, &from);
    double s = 0;
    for (int k = 0; k < m->P; k++) {
        if (m->set[i] >> k & 1)
            continue;
        const double h = g[k] - from, now = h > theta ? fmin((h - theta) / A, 1) : 0, move = now - beta[k];
        s += now;
        if (fabs(move) <= NO_CHANGE && now > 0) { /* too little to tell from rounding */
            s += beta[k] - now;
            continue;
        }
        changed |= move != 0;
        beta[k] = now;
        add(m, i, k, -unit * move);
    }
    for (int k = 0; changed && k < m->P; k++)
        add(m, i, k, unit * (s - before) * weight(m, i, k));
    return changed;
}

/* ---- passes ---- */

/* Updates the rows order[0 .. count-1], shuffled, and keeps those that changed; returns how many. */
static int64_t sweep(wlab_multi *m, int64_t count, wlab_rng *rng)
{
    int64_t left = 0;

    wlab_rng_shuffle(rng, m->order, (size_t)count);
    for (int64_t j = 0; j < count; j++) {
        const int32_t i = m->order[j];
        if (update_row(m, i))
            m->order[left++] = i;
    }
    return left;
}

void wlab_multi_pass(wlab_multi *m, uint64_t seed)
{
    wlab_rng rng;
    int64_t count = 0;

    wlab_rng_seed(&rng, seed * 1000003 + (uint64_t)m->passes);
    for (int64_t i = 0; i < m->n; i++)
        if (tells(m, i))
            m->order[count++] = (int32_t)i;
    for (int k = 0; k <= SWEEPS && count > 0; k++)
        count = sweep(m, count, &rng);
    m->passes++;
    m->primal = m->dual = NAN;
}

void wlab_multi_measure(wlab_multi *m, const double *o)
{
    double norm = 0, loss = 0, sum = 0;

    for (int64_t j = 0; j < m->P * m->dim; j++)
        norm += m->W[j] * m->W[j];
    for (int64_t i = 0; i < m->n; i++) {
        double own = 0, other = -INFINITY;
        if (!tells(m, i))
            continue;
        for (int k = 0; k < m->P; k++)
            if (m->set[i] >> k & 1)
                own += weight(m, i, k) * o[k * m->n + i];
            else
                other = fmax(other, o[k * m->n + i]);
        loss += fmax(0, 1 - own + other);
        sum += total(m, i);
    }
    m->primal = 0.5 * m->lambda * norm + loss / (double)m->told;
    m->dual = sum / (double)m->told - 0.5 * m->lambda * norm;
}

void wlab_multi_walk(wlab_multi *m, wlab_walk *w)
{
    WL_WALK(w, m->primal);
    WL_WALK(w, m->dual);
    WL_WALK(w, m->passes);
    WL_WALK_ARRAY(w, m->choice, m->n);
    for (int64_t i = 0; wlab_walk_has_read(w) && i < m->n; i++)
        if (m->choice[i] != WL_MULTI_MEAN &&
            (m->choice[i] < 0 || m->choice[i] >= m->P || !(m->set[i] >> m->choice[i] & 1))) {
            m->choice[i] = WL_MULTI_MEAN;
            wlab_walk_damaged(w);
        }
    WL_WALK_ARRAY(w, m->beta, m->n * m->P);
    WL_WALK_ARRAY(w, m->W, m->P * m->dim);
}
