/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact line search of L2-SVM-MFN (Table 3): the root of phi'(delta), which is piecewise linear and rises.  Instead
 * of sorting its breakpoints, Newton's method goes from piece to piece within a bracket: O(n) a piece, and three to six
 * pieces where the sorted walk passes thousands.
 */
#include "svm/mfn.h"

#include <math.h>

enum {
    MOST_PIECES = 100,
    ROWS = 32768, /* a block */
    MOST_BLOCKS = 64
};

typedef struct search {
    const wlab_mfn *m;
    const double *e;
    double delta;
    int blocks;
    double slope[MOST_BLOCKS], curve[MOST_BLOCKS];
} search;

static void slopes_block(void *data, int b)
{
    search *s = data;
    const wlab_mfn *m = s->m;
    const int64_t end = wlab_block_begin(m->n, s->blocks, b + 1);
    double slope = 0, curve = 0, z, h;

    for (int64_t i = wlab_block_begin(m->n, s->blocks, b); i < end; i++) {
        wlab_mfn_loss(m->pos[i], m->neg[i], m->o[i] + s->delta * s->e[i], &z, &h);
        slope -= z * s->e[i];
        curve += h * s->e[i] * s->e[i];
    }
    s->slope[b] = slope;
    s->curve[b] = curve;
}

/* phi'(delta) and the slope of its piece there. */
static double slope_at(search *s, double delta, double slope0, double curve0, double *curve, wlab_pool *pool)
{
    double slope = slope0 + delta * curve0;

    s->delta = delta;
    wlab_pool_run(pool, s->blocks, slopes_block, s);
    *curve = curve0;
    for (int b = 0; b < s->blocks; b++) {
        slope += s->slope[b];
        *curve += s->curve[b];
    }
    return slope;
}

double wlab_mfn_line_search(const wlab_mfn *m, double slope0, double curve0, const double *e, wlab_pool *pool)
{
    search s = {.m = m, .e = e};
    int64_t blocks = m->n / ROWS + 1;
    double lo = 0, hi = INFINITY, delta = 1, curve;

    s.blocks = (int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
    for (int k = 0; k < MOST_PIECES; k++) {
        const double slope = slope_at(&s, delta, slope0, curve0, &curve, pool);

        if (slope < 0)
            lo = delta;
        else
            hi = delta;
        if (slope == 0 || !(curve > 0))
            break;
        double to = delta - slope / curve;
        /* on the piece that holds the root Newton lands on it: the next is the same up to rounding */
        if (fabs(to - delta) <= 1e-14 * fabs(delta))
            break;
        if (!(to > lo && to < hi))
            to = isinf(hi) ? 2 * delta : 0.5 * (lo + hi);
        if (to == delta)
            break;
        delta = to;
    }
    return delta;
}
