/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From y in the label set B to z = +-1: y_k = c_k + h_k z_k, h_k = (1 - low)/2, c_k = (1 + low)/2.  Fixed instances
 * are multiples of node 0.  Instances without weight get no node: they may take any value that satisfies the counts,
 * so in a group with w such members and a count in [lo, hi] the count of the other members is in [lo - w, hi].
 */
#include "solve/quadmax/quadmax.h"

#include <string.h>

void quad_counts(const wlab_labelset *B, const double *K, const double *a, int64_t *lo, int64_t *hi)
{
    for (int64_t g = 0; g < B->groups; g++) {
        int64_t weigh = 0, size = wlab_labelset_size(B, g);
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++)
            weigh += quad_weighs(B, K, a, B->member[i]);
        lo[g] = B->lo[g] - (size - weigh) > 0 ? B->lo[g] - (size - weigh) : 0;
        hi[g] = B->hi[g] < weigh ? B->hi[g] : weigh;
    }
}

void quad_form_clear(quad_form *f)
{
    f->row = wlab_free(f->row);
    f->start = wlab_free(f->start);
    f->lo = wlab_free(f->lo);
    f->hi = wlab_free(f->hi);
    f->forced = wlab_free(f->forced);
    f->H = wlab_free(f->H);
}

/* Sets the nodes, groups and forced labels of f, and c, h [n]: y_k = c_k + h_k z. */
static void collect_nodes(quad_form *f, const wlab_labelset *B, const double *K, const double *a,
                          const int64_t *lo, const int64_t *hi, const int8_t *decided, double *c, double *h)
{
    f->N = 1;
    f->row[0] = -1;
    f->start[0] = 1;
    for (int64_t k = 0; k < B->n; k++) {
        c[k] = B->group[k] < 0 ? B->fixed[k] : 0;
        h[k] = 0;
    }
    for (int64_t g = 0; g < B->groups; g++) {
        int64_t first = f->N, ones = 0;
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++) {
            int32_t k = B->member[i];
            if (!quad_weighs(B, K, a, k))
                continue;
            if (decided && decided[k]) {
                c[k] = decided[k] > 0 ? 1 : B->low[g];
                f->forced[k] = decided[k];
                ones += decided[k] > 0;
            } else {
                f->row[f->N++] = k;
            }
        }
        int64_t least = lo[g] > ones ? lo[g] - ones : 0;
        int64_t most = hi[g] - ones < f->N - first ? hi[g] - ones : f->N - first;
        bool none = most == 0, all = least == f->N - first;
        for (int64_t i = first; i < f->N; i++) {
            c[f->row[i]] = none ? B->low[g] : all ? 1 : 0.5 * (1 + B->low[g]);
            h[f->row[i]] = none || all ? 0 : 0.5 * (1 - B->low[g]);
            f->forced[f->row[i]] = none ? -1 : all ? 1 : 0;
        }
        if (none || all) {
            f->N = first;
            continue;
        }
        f->lo[f->groups] = least;
        f->hi[f->groups] = most;
        f->start[++f->groups] = f->N;
    }
}

wlab_code quad_form_create(quad_form *form, const wlab_labelset *B, const double *K, const double *a,
                           const int64_t *lo, const int64_t *hi, const int8_t *decided, wlab_err *err)
{
    int64_t n = B->n;
    wlab_code code = WL_OK;
    quad_form f = {0};
    size_t nodes = (size_t)wlab_labelset_free_count(B) + 1, groups = (size_t)B->groups;
    double *c = wlab_alloc((size_t)n, sizeof *c), *h = wlab_alloc((size_t)n, sizeof *h);
    double *u = wlab_alloc((size_t)n, sizeof *u);
    f.row = wlab_alloc(nodes, sizeof *f.row);
    f.start = wlab_alloc(groups + 1, sizeof *f.start);
    f.lo = wlab_alloc(groups, sizeof *f.lo);
    f.hi = wlab_alloc(groups, sizeof *f.hi);
    f.forced = wlab_calloc((size_t)n, 1);
    if (!c || !h || !u || !f.row || !f.start || !f.lo || !f.hi || !f.forced) {
        code = wlab_nomem(err);
        goto out;
    }
    collect_nodes(&f, B, K, a, lo, hi, decided, c, h);
    int64_t N = f.N;
    f.H = wlab_alloc((size_t)(N * N), sizeof *f.H);
    if (!f.H) {
        code = wlab_nomem(err);
        goto out;
    }
    /* u = Hc */
    double cHc = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, ai = a ? a[i] : 1;
        for (int64_t j = 0; j < n && ai != 0; j++)
            if (c[j] != 0)
                sum += K[i * n + j] * c[j] * (a ? a[j] : 1);
        u[i] = ai * sum;
        cHc += c[i] * u[i];
    }
    f.H[0] = cHc;
    for (int64_t i = 1; i < N; i++) {
        int64_t p = f.row[i];
        double left = h[p] * (a ? a[p] : 1);
        f.H[i] = f.H[i * N] = h[p] * u[p];
        for (int64_t j = 1; j <= i; j++) {
            int64_t q = f.row[j];
            f.H[i * N + j] = f.H[j * N + i] = left * K[p * n + q] * h[q] * (a ? a[q] : 1);
        }
    }
out:
    wlab_free(c);
    wlab_free(h);
    wlab_free(u);
    if (code)
        quad_form_clear(&f);
    else
        *form = f;
    return code;
}
