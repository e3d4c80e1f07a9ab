/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact line search of L2-SVM-MFN (Table 3): the root of phi'(delta), which is piecewise linear and
 * increasing; O(n) per evaluation.
 */
#include "base/rows.h"
#include "solve/root.h"
#include "solve/svm/mfn.h"

typedef struct search {
    const wlab_mfn *m;
    const double *e;
    wlab_pool *pool;
    double slope0, curve0, delta;
} search;

static void slopes(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const search *s = data;
    const wlab_mfn *m = s->m;
    wlab_two slope = {0}, curve = {0};

    (void)block;
    for (int64_t i = begin; i < end; i += 2) {
        const int64_t left = end - i;
        const wlab_two e = wlab_two_load_some(s->e + i, left);
        wlab_two z, h;
        (void)wlab_mfn_two_losses(m, i, left, wlab_two_load_some(m->o + i, left) + s->delta * e, &z, &h);
        slope -= z * e;
        curve += h * e * e;
    }
    sum[0] = wlab_two_sum(slope);
    sum[1] = wlab_two_sum(curve);
}

/* phi'(delta) and the slope of its piece there. */
static double slope_at(void *data, double delta, double *curve)
{
    search *s = data;
    double sum[WL_ROW_SUMS];

    s->delta = delta;
    wlab_rows_run(&s->m->rows, slopes, s, sum, s->pool);
    *curve = s->curve0 + sum[1];
    return s->slope0 + delta * s->curve0 + sum[0];
}

double wlab_mfn_line_search(const wlab_mfn *m, double slope0, double curve0, const double *e, wlab_pool *pool)
{
    search s = {.m = m, .e = e, .pool = pool, .slope0 = slope0, .curve0 = curve0};

    return wlab_rising_root(slope_at, &s);
}
