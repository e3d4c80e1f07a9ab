/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Convex QP over the simplex by a primal active set method.
 */
#include "linalg/simplexqp.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* On the passive set pick[0..m-1]: z = argmin 1/2 z'Hz + c'z with 1'z = 1 (no sign), by H^-1 c and H^-1 1. */
static bool equality_solve(const double *H, const double *c, int64_t t, const int32_t *pick, int64_t m,
                           double *A, double *R, double *z, double *nu)
{
    double mean = 0;
    for (int64_t a = 0; a < t; a++)
        mean += H[a * t + a] / (double)t;
    for (double ridge = 1e-12; ridge < 1e-2; ridge *= 100) {
        double sum_c = 0, sum_1 = 0;
        for (int64_t a = 0; a < m; a++) {
            for (int64_t b = 0; b < m; b++)
                A[a * m + b] = H[pick[a] * t + pick[b]];
            A[a * m + a] += ridge * (mean > 0 ? mean : 1);
            R[a] = c[pick[a]];
            R[m + a] = 1;
        }
        if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 2, A, (lapack_int)m, R, (lapack_int)m))
            continue;
        for (int64_t a = 0; a < m; a++) {
            sum_c += R[a];
            sum_1 += R[m + a];
        }
        if (!(sum_1 > 0) || !isfinite(sum_c))
            continue;
        *nu = (1 + sum_c) / sum_1;
        for (int64_t a = 0; a < m; a++)
            z[a] = *nu * R[m + a] - R[a];
        return true;
    }
    return false;
}

static double gradient(const double *H, const double *c, int64_t t, const double *x, int64_t i)
{
    double g = c[i];
    for (int64_t j = 0; j < t; j++)
        g += H[i * t + j] * x[j];
    return g;
}

wlab_code wlab_simplexqp_solve(const double *H, const double *c, int64_t t, double *x, wlab_err *err)
{
    double *A = wlab_alloc((size_t)(t * t), sizeof *A), *R = wlab_alloc((size_t)(2 * t), sizeof *R);
    double *z = wlab_alloc((size_t)t, sizeof *z);
    int32_t *pick = wlab_alloc((size_t)t, sizeof *pick);
    bool *in = wlab_calloc((size_t)t, sizeof *in);
    wlab_code code = WL_OK;
    if (!A || !R || !z || !pick || !in) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < t; i++)
        in[i] = x[i] > 0;
    for (int64_t round = 0; round < 20 * t + 20; round++) {
        double nu = 0;
        /* shrink the passive set until its equality solution is not negative */
        for (;;) {
            int64_t m = 0, worst = -1;
            double step = 1;
            for (int64_t i = 0; i < t; i++)
                if (in[i])
                    pick[m++] = (int32_t)i;
            if (!equality_solve(H, c, t, pick, m, A, R, z, &nu)) {
                code = wlab_fail(err, WL_ENUMERIC, "the QP over the mixing weights is not convex");
                goto out;
            }
            for (int64_t a = 0; a < m; a++)
                if (z[a] < 0 && x[pick[a]] / (x[pick[a]] - z[a]) < step) {
                    step = x[pick[a]] / (x[pick[a]] - z[a]);
                    worst = pick[a];
                }
            for (int64_t a = 0; a < m; a++)
                x[pick[a]] += step * (z[a] - x[pick[a]]);
            if (worst < 0)
                break;
            x[worst] = 0;
            in[worst] = false;
        }
        /* the multiplier that is most violated enters */
        int64_t enter = -1;
        double most = 0, scale = fabs(nu);
        for (int64_t i = 0; i < t; i++)
            scale = fabs(c[i]) > scale ? fabs(c[i]) : scale;
        for (int64_t i = 0; i < t; i++)
            if (!in[i]) {
                double below = nu - gradient(H, c, t, x, i);
                if (below > most + 1e-13 * scale)
                    most = below, enter = i;
            }
        if (enter < 0)
            break;
        in[enter] = true;
    }
out:
    wlab_free(A);
    wlab_free(R);
    wlab_free(z);
    wlab_free(pick);
    wlab_free(in);
    return code;
}
