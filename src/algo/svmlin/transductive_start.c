/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The start of TSVM and mean field annealing without any label.  w = 0 with p = r is then a stationary point, which no
 * step would leave.  So the first labels or beliefs follow the rows' positions along the direction of the largest
 * variance in the kernel's feature space.
 */
#include "algo/svmlin/transductive.h"
#include "linalg/symmetric.h"
#include "weaklab/rng.h"

#include <cblas.h>
#include <math.h>

enum {
    ITERATIONS = 60
};
#define CONVERGED 1e-4 /* relative growth of the variance in an iteration */

typedef struct scores {
    const transductive *t;
    double *s, shift;
    const int8_t *y;
} scores;

/* s -= shift; sum: s's. */
static void shift(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const scores *all = data;

    (void)block;
    for (int64_t k = begin; k < end; k++) {
        all->s[k] -= all->shift;
        sum[0] += all->s[k] * all->s[k];
    }
}

/* Subtracts the mean of s and divides by the length; returns the length, or 0 if s is constant. */
static double standardise(scores *all, wlab_pool *pool)
{
    const wlab_rows *rows = &all->t->m->rows;
    double sum[WL_ROW_SUMS];

    all->shift = wlab_rows_sum(rows, all->s, pool) / (double)rows->all;
    wlab_rows_run(rows, shift, all, sum, pool);
    const double length = sqrt(sum[0]);
    if (!(length > 0))
        return 0;
    cblas_dscal((int)rows->n, 1 / length, all->s, 1);
    return length;
}

/* Sums: of the scores of the unlabelled rows with the label -1, and with the label 1. */
static void add_by_class(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const scores *all = data;

    (void)block;
    for (int64_t j = begin; j < end; j++)
        sum[all->y[all->t->unl[j]] > 0] += all->s[all->t->unl[j]];
}

/* Sum of squares between the classes of y: u times the variance of s that the labels explain. */
static double between_classes(scores *all, wlab_pool *pool)
{
    const transductive *t = all->t;
    double sum[WL_ROW_SUMS];

    wlab_rows_run(&t->unlabelled, add_by_class, all, sum, pool);
    return sum[0] * sum[0] / (double)(t->u - t->positives) + sum[1] * sum[1] / (double)t->positives;
}

/* The score that is farthest from 0; of equal ones the first. */
static double farthest(const scores *all)
{
    const wlab_rows *rows = &all->t->m->rows;
    double far = rows->n ? all->s[cblas_idamax((int)rows->n, all->s, 1)] : 0, each[WL_RANKS_MOST];

    wlab_ranks_collect(rows->ranks, &far, sizeof far, each);
    for (int r = 0; r < wlab_ranks_size(rows->ranks); r++)
        far = r == 0 || fabs(each[r]) > fabs(far) ? each[r] : far;
    return far;
}

wlab_code wlab_tr_direction(transductive *t, double *score, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    wlab_mfn *m = t->m;
    const int64_t n = t->n;
    scores all = {.t = t, .s = score, .y = t->largest};
    wlab_rng rng;
    double last = 0;

    wlab_rng_seed(&rng, t->seed);
    for (int64_t k = -m->rows.before; k < n; k++) { /* the same numbers wherever the rows are */
        const double x = wlab_rng_normal(&rng);
        if (k >= 0)
            score[k] = x;
    }
    (void)standardise(&all, pool);
    for (int i = 0; i < ITERATIONS; i++) {
        if (wlab_ranks_any(wlab_tr_ranks(t), wlab_interrupted(ctx)))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (t->K) {
            wlab_symmetric_mul(t->K, n, score, m->e, m->sums, pool);
            cblas_dcopy((int)n, m->e, 1, score, 1);
        } else {
            /* X' score is the same for centred rows, as the mean of score is 0; the outputs are centred below */
            wlab_passes_transpose(m->passes, score, m->s, pool);
            wlab_passes_outputs(m->passes, NULL, m->s, 0, score, pool);
        }
        const double length = standardise(&all, pool);
        if (length <= last * (1 + CONVERGED))
            break;
        last = length;
    }
    /* scale to unit variance; choose the sign whose u+ largest values are better separated, and for equal separation
     * the one with the farthest row positive */
    cblas_dscal((int)n, sqrt((double)m->rows.all), score, 1);
    const double far = farthest(&all);
    wlab_tr_threshold(t, score, t->largest, pool);
    const double as_is = between_classes(&all, pool);
    cblas_dscal((int)n, -1, score, 1);
    wlab_tr_threshold(t, score, t->largest, pool);
    const double turned = between_classes(&all, pool);
    if (turned < as_is * (1 - 1e-9) || (turned <= as_is * (1 + 1e-9) && far > 0))
        cblas_dscal((int)n, -1, score, 1);
    return WL_OK;
}
