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

/* Subtracts the mean of s and divides by the length; returns the length, or 0 if s is constant. */
static double standardise(double *s, int64_t n)
{
    double mean = 0;
    for (int64_t k = 0; k < n; k++)
        mean += s[k] / (double)n;
    for (int64_t k = 0; k < n; k++)
        s[k] -= mean;
    const double length = cblas_dnrm2((int)n, s, 1);
    if (!(length > 0))
        return 0;
    cblas_dscal((int)n, 1 / length, s, 1);
    return length;
}

/* Sum of squares between the classes of y: u times the variance of s that the labels explain. */
static double between_classes(const transductive *t, const double *s, const int8_t *y)
{
    double sum[2] = {0, 0};
    for (int64_t j = 0; j < t->u; j++)
        sum[y[t->unl[j]] > 0] += s[t->unl[j]];
    return sum[0] * sum[0] / (double)(t->u - t->positives) + sum[1] * sum[1] / (double)t->positives;
}

void wlab_tr_direction(transductive *t, double *score, wlab_pool *pool)
{
    wlab_mfn *m = t->m;
    const int64_t n = t->n;
    wlab_rng rng;
    double before = 0;

    wlab_rng_seed(&rng, t->seed);
    for (int64_t k = 0; k < n; k++)
        score[k] = wlab_rng_normal(&rng);
    (void)standardise(score, n);
    for (int i = 0; i < ITERATIONS; i++) {
        if (t->K) {
            wlab_symmetric_mul(t->K, n, score, m->e, m->sums, pool);
            cblas_dcopy((int)n, m->e, 1, score, 1);
        } else {
            /* X' score is the same for centred rows, as the mean of score is 0; the outputs are centred below */
            wlab_passes_transpose(m->passes, score, m->s, pool);
            wlab_passes_outputs(m->passes, NULL, m->s, 0, score, pool);
        }
        const double length = standardise(score, n);
        if (length <= before * (1 + CONVERGED))
            break;
        before = length;
    }
    /* scale to unit variance; choose the sign whose u+ largest values are better separated, and for equal separation
     * the one with the farthest row positive */
    cblas_dscal((int)n, sqrt((double)n), score, 1);
    const double far = score[cblas_idamax((int)n, score, 1)];
    wlab_tr_threshold(t, score, t->largest, pool);
    const double as_is = between_classes(t, score, t->largest);
    cblas_dscal((int)n, -1, score, 1);
    wlab_tr_threshold(t, score, t->largest, pool);
    const double turned = between_classes(t, score, t->largest);
    if (turned < as_is * (1 - 1e-9) || (turned <= as_is * (1 + 1e-9) && far > 0))
        cblas_dscal((int)n, -1, score, 1);
}
