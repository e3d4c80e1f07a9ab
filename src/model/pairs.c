/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts one function per class to LIBSVM's binary classifiers of pairs of classes, and back (model/model.h).
 */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Index of the pair a < b in LIBSVM's order. */
static int pair_number(int P, int a, int b)
{
    return a * P - a * (a + 1) / 2 + b - a - 1;
}

static bool same_number(double a, double b)
{
    return !(a < b) && !(a > b);
}

/* The most frequent coefficient of a vector; ties: the first. */
static double most_frequent(const double *c, int P)
{
    int best = 0, most = 0;
    for (int k = 0; k < P; k++) {
        int n = 0;
        for (int i = 0; i < P; i++)
            n += same_number(c[i], c[k]);
        if (n > most) {
            most = n;
            best = k;
        }
    }
    return c[best];
}

void wlab_pairs_clear(wlab_pairs *pairs)
{
    wlab_free(pairs->vector);
    wlab_free(pairs->coef);
    wlab_free(pairs->rho);
    *pairs = (wlab_pairs){0};
}

wlab_code wlab_pairs_of_model(wlab_pairs *out, const wlab_model *m, wlab_err *err)
{
    const int P = m->outputs;
    wlab_pairs pairs = {0};
    int64_t at = 0;
    double *common = wlab_alloc((size_t)m->nsv, sizeof *common);
    for (int64_t s = 0; common && s < m->nsv; s++) {
        common[s] = most_frequent(m->coef + s * P, P);
        for (int k = 0; k < P; k++)
            pairs.total += !same_number(m->coef[s * P + k], common[s]);
    }
    pairs.vector = wlab_alloc((size_t)pairs.total, sizeof *pairs.vector);
    pairs.coef = wlab_calloc((size_t)pairs.total * (size_t)(P - 1), sizeof *pairs.coef);
    pairs.rho = wlab_alloc((size_t)(P * (P - 1) / 2), sizeof *pairs.rho);
    if (!common || !pairs.vector || !pairs.coef || !pairs.rho) {
        wlab_free(common);
        wlab_pairs_clear(&pairs);
        return wlab_nomem(err);
    }
    for (int a = 0; a < P; a++) { /* class a of the file is our class P - 1 - a */
        for (int b = a + 1; b < P; b++)
            pairs.rho[pair_number(P, a, b)] = m->b[P - 1 - b] - m->b[P - 1 - a];
        for (int64_t s = 0; s < m->nsv; s++) {
            const double *c = m->coef + s * P, own = c[P - 1 - a];
            if (same_number(own, common[s]))
                continue;
            pairs.nsv[a]++;
            pairs.vector[at] = s;
            for (int b = 0; b < P; b++) {
                const double other = c[P - 1 - b];
                const bool has_copy = !same_number(other, common[s]);
                if (b > a)
                    pairs.coef[at * (P - 1) + b - 1] = own - other;
                else if (b < a && !has_copy) /* the pair is b, a */
                    pairs.coef[at * (P - 1) + b] = other - own;
            }
            at++;
        }
    }
    wlab_free(common);
    *out = pairs;
    return WL_OK;
}

/* ---- back to one function per class ---- */

typedef struct copy {
    const wlab_model *m;
    int64_t row;
} copy;

static int compare_bytes(const void *a, const void *b, size_t n)
{
    return n ? memcmp(a, b, n) : 0;
}

/* Order of the contents of two vectors. */
static int by_content(const void *x, const void *y)
{
    const copy *a = x, *b = y;
    const wlab_matrix *X = a->m->sv;
    const int32_t len = X->len[a->row], other = X->len[b->row];
    int order = (a->m->sv_row[a->row] > b->m->sv_row[b->row]) - (a->m->sv_row[a->row] < b->m->sv_row[b->row]);
    if (!order)
        order = (len > other) - (len < other);
    if (!order && X->sparse)
        order =
            compare_bytes(X->col + X->start[a->row], X->col + X->start[b->row], (size_t)len * sizeof *X->col);
    if (!order && X->sparse)
        order =
            compare_bytes(X->val + X->start[a->row], X->val + X->start[b->row], (size_t)len * sizeof *X->val);
    if (!order && !X->sparse)
        order = compare_bytes(X->dense + X->start[a->row], X->dense + X->start[b->row], (size_t)len * 8);
    return order;
}

static int by_content_and_row(const void *x, const void *y)
{
    const copy *a = x, *b = y;
    const int order = by_content(x, y);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* Computes value [P], in our order and with sum 0, from its differences `pair`; false: they are no such differences. */
static bool solve_pairs(const double *pair, int P, double *value)
{
    double largest = 0, sum = 0;
    for (int a = 0; a < P; a++) {
        value[P - 1 - a] = a ? -pair[pair_number(P, 0, a)] : 0;
        sum += value[P - 1 - a];
    }
    for (int k = 0; k < P * (P - 1) / 2; k++)
        largest = fmax(largest, fabs(pair[k]));
    for (int a = 0; a < P; a++)
        for (int b = a + 1; b < P; b++)
            if (!(fabs(value[P - 1 - a] - value[P - 1 - b] - pair[pair_number(P, a, b)]) <= 1e-9 * largest))
                return false;
    for (int k = 0; k < P; k++)
        value[k] -= sum / P;
    return true;
}

wlab_code wlab_model_of_pairs(wlab_model *m, const int64_t *nsv, const double *rho, wlab_err *err)
{
    const int P = m->outputs, pairs = P * (P - 1) / 2;
    const size_t total = (size_t)m->nsv;
    wlab_code code = WL_OK;
    wlab_matrix *sv = NULL;
    int64_t kept = 0;
    double *pair = wlab_alloc((size_t)pairs, sizeof *pair),
           *coef = wlab_alloc(total * (size_t)P, sizeof *coef);
    copy *order = wlab_alloc(total, sizeof *order);
    int *of = wlab_alloc(total, sizeof *of); /* class in the file */
    int32_t *pick = wlab_alloc(total, sizeof *pick), *sv_row = wlab_alloc(total, sizeof *sv_row);
    if (!pair || !coef || !order || !of || !pick || !sv_row) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int k = 0; k < pairs; k++)
        pair[k] = -rho[k];
    bool fine = solve_pairs(pair, P, m->b);
    for (int64_t s = 0, a = 0, end = nsv[0]; s < m->nsv; s++) {
        while (s >= end)
            end += nsv[++a];
        of[s] = (int)a;
        order[s] = (copy){m, s};
    }
    qsort(order, total, sizeof *order, by_content_and_row);
    for (int64_t s = 0, end; s < m->nsv && fine; s = end) {
        memset(pair, 0, (size_t)pairs * sizeof *pair);
        for (end = s; end < m->nsv && by_content(&order[s], &order[end]) == 0; end++) {
            const int64_t row = order[end].row;
            for (int b = 0; b < P; b++) {
                const int a = of[row];
                if (b > a)
                    pair[pair_number(P, a, b)] += m->coef[row * (P - 1) + b - 1];
                else if (b < a)
                    pair[pair_number(P, b, a)] += m->coef[row * (P - 1) + b];
            }
        }
        pick[kept] = (int32_t)order[s].row;
        sv_row[kept] = m->sv_row[order[s].row];
        fine = solve_pairs(pair, P, coef + kept++ * P);
    }
    code = fine ? wlab_model_copy_rows(&sv, m->sv, pick, kept, err)
                : wlab_fail(err, WL_EINPUT,
                            "the binary classifiers of pairs are not differences of one function per class");
    if (!code) {
        wlab_matrix_destroy(m->sv);
        wlab_free(m->coef);
        wlab_free(m->sv_row);
        m->sv = sv;
        m->coef = coef;
        m->sv_row = sv_row;
        m->nsv = kept;
        coef = NULL;
        sv_row = NULL;
    }
out:
    wlab_free(pair);
    wlab_free(coef);
    wlab_free(order);
    wlab_free(of);
    wlab_free(pick);
    wlab_free(sv_row);
    return code;
}
