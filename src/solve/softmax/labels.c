/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The E-step: labels z for fixed (W, b).
 *
 *     min over z of  sum_n pi_n <z_n, c_n> + sum_k v_k log v_k,   v = sum_n pi_n z_n,   c_nk = -(w_k'x_n + b_k) + ...
 *
 * is convex.  z is optimal when no row gains by another class at the prices a_k = log v_k, that is, when every row
 * with z_nj > 0 has c_nj + a_j <= c_nk + a_k for all classes k that it may have.  These are conditions on pairs of
 * classes.  So pairs of classes exchange rows, beginning with the pairs that violate the conditions most.  Each
 * exchange is exact: it sorts the rows by c_nk - c_nj and moves the first of them to k, up to where the derivative is
 * 0, so it divides one row at most.  For two classes one exchange suffices.  For more, whose costs differ little, many
 * would be needed; in that case prices.c finds the prices.  Any a gives the lower bound
 * sum_n pi_n min_k (c_nk + a_k) - log sum_k exp a_k, and so the certified gap.
 *
 * Without intercept b = log v changes with z, and f = sum_n pi_n (log sum_k v_k exp(w_k'x_n) - <z_n, W x_n>) is
 * concave in z.  Its tangent majorises it: every row moves to its best class on the tangent, until no row moves.
 */
#include "solve/softmax/parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    SWEEPS = 60,
    PATIENCE = 8 /* sweeps before em_smooth() looks for prices */
};

static int compare_candidates(const void *x, const void *y)
{
    const em_candidate *a = x, *b = y;
    if (a->by != b->by)
        return a->by < b->by ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int compare_pairs(const void *x, const void *y)
{
    const em_pair *a = x, *b = y;
    if (a->by != b->by)
        return a->by > b->by ? -1 : 1;
    return a->j != b->j ? a->j - b->j : a->k - b->k;
}

static void update_masses(em_labels *l)
{
    const int P = l->e->q.P;
    memset(l->v, 0, sizeof l->v);
    for (int64_t t = 0; t < l->n; t++) {
        const int64_t i = em_row(l, t);
        for (int k = 0; k < P; k++)
            l->v[k] += l->e->q.pi[i] * l->z[i * P + k];
    }
}

/* Divides the rows of classes j and k between them in the best way. */
static void exchange(em_labels *l, int j, int k)
{
    const int P = l->e->q.P;
    const uint64_t both = UINT64_C(1) << j | UINT64_C(1) << k;
    int64_t m = 0;
    double total = 0, base_j = 0, base_k = 0; /* mass that may move, and mass that cannot */
    for (int64_t t = 0; t < l->n; t++) {
        const int64_t i = em_row(l, t);
        const double *z = l->z + i * P, pi = l->e->q.pi[i];
        if (!(pi > 0))
            continue;
        if ((em_allowed(l->e, i) & both) != both) {
            base_j += pi * z[j];
            base_k += pi * z[k];
        } else if (z[j] + z[k] > 0) {
            total += pi * (z[j] + z[k]);
            l->sorted[m++] = (em_candidate){em_cost(l, i, k) - em_cost(l, i, j), (int32_t)i};
        }
    }
    qsort(l->sorted, (size_t)m, sizeof *l->sorted, compare_candidates);
    double moved = 0; /* mass moved to k so far */
    bool open = true;
    for (int64_t t = 0; t < m; t++) {
        const int64_t i = l->sorted[t].row;
        double *z = l->z + i * P;
        const double pi = l->e->q.pi[i], pair_mass = z[j] + z[k], by = l->sorted[t].by;
        double to_k = 0;
        if (open) {
            /* v_k / v_j = exp(-by) where the derivative is 0 */
            const double up = 1 / (1 + exp(by)), down = 1 / (1 + exp(-by)),
                         goal = (base_j + total) * up - base_k * down;
            to_k = fmin(pair_mass, (goal - moved) / pi);
            to_k = to_k > 1e-14 * pair_mass ? to_k : 0;
            to_k = to_k < (1 - 1e-14) * pair_mass ? to_k : pair_mass;
            open = to_k == pair_mass;
        }
        moved += pi * to_k;
        z[k] = to_k;
        z[j] = pair_mass - to_k;
    }
    l->v[k] = base_k + moved;
    l->v[j] = base_j + fmax(0, total - moved);
}

/* Sets the prices to log v.  An empty class gets the smallest price at which no row would gain by choosing it. */
static void update_prices(em_labels *l)
{
    const int P = l->e->q.P;
    bool empty = false;
    for (int k = 0; k < P; k++) {
        l->a[k] = l->v[k] > 0 ? log(l->v[k]) : HUGE_VAL;
        empty = empty || !(l->v[k] > 0);
    }
    if (!empty)
        return;
    double price[64];
    for (int k = 0; k < P; k++)
        price[k] = -745; /* if no row may have class k */
    for (int64_t t = 0; t < l->n; t++) {
        const int64_t i = em_row(l, t);
        const uint64_t may = em_allowed(l->e, i);
        double least = HUGE_VAL;
        if (!(l->e->q.pi[i] > 0))
            continue;
        for (int k = 0; k < P; k++)
            if (may >> k & 1 && l->v[k] > 0)
                least = fmin(least, em_cost(l, i, k) + l->a[k]);
        for (int k = 0; k < P; k++)
            if (may >> k & 1)
                price[k] = fmax(price[k], least - em_cost(l, i, k));
    }
    for (int k = 0; k < P; k++)
        if (!(l->v[k] > 0))
            l->a[k] = price[k];
}

/* Returns the certified gap.  Writes the pairs of classes j and k such that some row would gain by moving from one to
 * the other, the largest gain first; after them the pairs of an empty class and one with rows. */
static double find_violations(em_labels *l, int *count)
{
    const int P = l->e->q.P;
    double gap = 0, sum = 0, of_a = 0, worst[64 * 64];
    update_prices(l);
    for (int k = 0; k < P * P; k++)
        worst[k] = 0;
    for (int64_t t = 0; t < l->n; t++) {
        const int64_t i = em_row(l, t);
        const uint64_t may = em_allowed(l->e, i);
        const double *z = l->z + i * P, pi = l->e->q.pi[i];
        double price[64], least = HUGE_VAL;
        if (!(pi > 0))
            continue;
        for (int k = 0; k < P; k++) {
            price[k] = may >> k & 1 ? em_cost(l, i, k) + l->a[k] : HUGE_VAL;
            least = fmin(least, price[k]);
        }
        for (int j = 0; j < P; j++) {
            if (!(z[j] > 0))
                continue;
            gap += pi * z[j] * (price[j] - least);
            for (int k = 0; k < P; k++)
                worst[j * P + k] = fmax(worst[j * P + k], price[j] - price[k]);
        }
    }
    *count = 0;
    for (int j = 0; j < P; j++) {
        sum += l->v[j];
        of_a += exp(l->a[j]);
        for (int k = 0; k < P; k++) {
            const double by = fmax(worst[j * P + k], worst[k * P + j]);
            if (j < k && by > 0)
                l->pairs[(*count)++] = (em_pair){by, j, k};
            else if (j < k && (l->v[j] > 0) != (l->v[k] > 0))
                l->pairs[(*count)++] = (em_pair){0, j, k}; /* an empty class always attracts some mass */
        }
    }
    qsort(l->pairs, (size_t)*count, sizeof *l->pairs, compare_pairs);
    /* if the masses have the sum M instead of 1, the bound has -M log(sum exp a / M) */
    return gap + (sum > 0 ? fmax(0, sum * log(of_a / sum)) : 0);
}

static wlab_code exchange_all(em_labels *l, double tol, double *gap, wlab_ctx *ctx, wlab_err *err)
{
    update_masses(l);
    double last = HUGE_VAL;
    for (int sweep = 0;; sweep++) {
        int count;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted in the E-step");
        *gap = find_violations(l, &count);
        if (count == 0 || sweep >= SWEEPS || (sweep > 0 && (*gap <= tol || (*gap < 1e-14 && *gap >= last))))
            return WL_OK;
        last = *gap;
        if (sweep == PATIENCE)
            em_smooth(l, tol);
        for (int t = 0; t < count; t++)
            exchange(l, l->pairs[t].j, l->pairs[t].k);
        update_masses(l);
    }
}

/* Rows of weight 0 get their best class at the prices. */
static void label_weightless_rows(em_labels *l)
{
    const int P = l->e->q.P;
    for (int64_t t = 0; t < l->n; t++) {
        const int64_t i = em_row(l, t);
        int best = -1;
        if (l->e->q.pi[i] > 0)
            continue;
        for (int k = 0; k < P; k++)
            if (em_allowed(l->e, i) >> k & 1 &&
                (best < 0 || em_cost(l, i, k) + l->a[k] < em_cost(l, i, best) + l->a[best]))
                best = k;
        for (int k = 0; k < P; k++)
            l->z[i * P + k] = k == best;
    }
}

/* Without intercept: minimises the tangent of f at z, repeatedly, until no row moves. */
static wlab_code minimise_tangents(em_labels *l, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_em *e = l->e;
    const int P = e->q.P;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double b[64], g[64] = {0};
        bool moved = false;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted in the E-step");
        em_fix_offsets(e, l->z, b);
        for (int64_t i = 0; i < e->q.n; i++) {
            const double *s = e->s + i * P, of = em_log_sum(s, b, P);
            for (int k = 0; k < P && e->q.pi[i] > 0; k++)
                g[k] += e->q.pi[i] * exp(fmin(s[k] - of, 700));
        }
        for (int64_t i = 0; i < e->q.n; i++) {
            const double *s = e->s + i * P;
            double *z = l->z + i * P, now = 0;
            int best = -1;
            for (int k = 0; k < P; k++) {
                if (!(em_allowed(e, i) >> k & 1))
                    continue;
                now += z[k] * (g[k] - s[k]);
                if (best < 0 || g[k] - s[k] < g[best] - s[best])
                    best = k;
            }
            if (!(g[best] - s[best] < now - 1e-14 * (1 + fabs(now))))
                continue;
            moved = true;
            for (int k = 0; k < P; k++)
                z[k] = k == best;
        }
        if (!moved)
            break;
    }
    return WL_OK;
}

wlab_code wlab_em_e_step(wlab_em *e, double tol, wlab_ctx *ctx, wlab_err *err)
{
    const int P = e->q.P;
    const size_t n = (size_t)e->q.n;
    em_labels l = {.e = e, .n = e->q.n};
    wlab_code code = WL_OK;
    double sum = 0, b[64];
    l.z = wlab_alloc(n * (size_t)P, sizeof *l.z);
    l.sorted = wlab_alloc(n, sizeof *l.sorted);
    l.pairs = wlab_alloc((size_t)(P * P), sizeof *l.pairs);
    if (!l.z || !l.sorted || !l.pairs) {
        code = wlab_nomem(err);
        goto out;
    }
    memcpy(l.z, e->z, n * (size_t)P * sizeof *l.z);
    if (!e->q.intercept) {
        code = minimise_tangents(&l, ctx, err);
        sum = NAN;
    } else {
        for (int64_t g = 0; !code && g < (e->q.bag ? e->q.bags : 1); g++) {
            double gap = 0;
            if (e->q.bag) {
                l.rows = e->by_bag + e->bag_first[g];
                l.n = e->bag_first[g + 1] - e->bag_first[g];
            }
            code = exchange_all(&l, e->q.bag ? tol / (double)e->q.bags : tol, &gap, ctx, err);
            if (!code)
                label_weightless_rows(&l);
            sum += gap;
        }
    }
    if (code)
        goto out;
    memcpy(b, e->b, (size_t)P * sizeof *b);
    if (!e->q.intercept)
        em_fix_offsets(e, l.z, b);
    const wlab_em_value value = em_value(e, e->W, b, e->s, l.z);
    e->e_gap = sum;
    if (value.total <= e->value.total) {
        double *z = e->z;
        e->z = l.z;
        l.z = z;
        memcpy(e->b, b, (size_t)P * sizeof *b);
        e->value = value;
    }
out:
    wlab_free(l.z);
    wlab_free(l.sorted);
    wlab_free(l.pairs);
    return code;
}
