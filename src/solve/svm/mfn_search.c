/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact line search of L2-SVM-MFN (Table 3): the root of phi'(delta), which is piecewise linear and
 * increasing; O(n) per evaluation.
 */
#include "solve/root.h"
#include "solve/svm/mfn.h"

enum {
    ROWS = 32768, /* per block */
    MOST_BLOCKS = 64
};

typedef struct search {
    const wlab_mfn *m;
    const double *e;
    wlab_pool *pool;
    double slope0, curve0, delta;
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
        wlab_mfn_row_loss(m, i, m->o[i] + s->delta * s->e[i], &z, &h);
        slope -= z * s->e[i];
        curve += h * s->e[i] * s->e[i];
    }
    s->slope[b] = slope;
    s->curve[b] = curve;
}

/* phi'(delta) and the slope of its piece there. */
static double slope_at(void *data, double delta, double *curve)
{
    search *s = data;
    double slope = s->slope0 + delta * s->curve0;

    s->delta = delta;
    wlab_pool_run(s->pool, s->blocks, slopes_block, s);
    *curve = s->curve0;
    for (int b = 0; b < s->blocks; b++) {
        slope += s->slope[b];
        *curve += s->curve[b];
    }
    return slope;
}

double wlab_mfn_line_search(const wlab_mfn *m, double slope0, double curve0, const double *e, wlab_pool *pool)
{
    search s = {.m = m, .e = e, .pool = pool, .slope0 = slope0, .curve0 = curve0};
    const int64_t blocks = m->n / ROWS + 1;

    s.blocks = (int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
    return wlab_rising_root(slope_at, &s);
}
