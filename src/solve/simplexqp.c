/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Convex QP over the simplex by a primal active set method.  x moves to the optimum over the set of free coordinates,
 * and coordinates that reach 0 leave the set; then the coordinate with the lowest gradient enters.
 */
#include "solve/simplexqp.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* On the set pick[0..m-1]: d = argmin 1/2 d'(H + ridge)d + g'd with 1'd = 0.  The last coordinate is eliminated, so
 * that 1'x is preserved for any condition of H.  false: no ridge makes H definite. */
static bool direction(const double *H, const double *g, int64_t t, const int32_t *pick, int64_t m, double *A,
                      double *d)
{
    double mean = 0;
    if (m == 0)
        return false;
    int64_t k = m - 1, l = pick[k];
    for (int64_t a = 0; a < t; a++)
        mean += H[a * t + a] / (double)t;
    for (double ridge = 1e-13; ridge < 1e-2; ridge *= 100) {
        double sum = 0, add = ridge * (mean > 0 ? mean : 1);
        for (int64_t a = 0; a < k; a++) {
            const double *Ha = H + pick[a] * t;
            for (int64_t b = 0; b < k; b++)
                A[a * k + b] = Ha[pick[b]] - Ha[l] - H[pick[b] * t + l] + H[l * t + l];
            A[a * k + a] += add;
            d[a] = g[l] - g[pick[a]];
        }
        if (k > 0 &&
            LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, 1, A, (lapack_int)k, d, (lapack_int)k))
            continue;
        for (int64_t a = 0; a < k; a++)
            sum += d[a];
        if (!isfinite(sum))
            continue;
        d[k] = -sum;
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

/* Moves x towards the optimum over the set, as far as x >= 0 holds; true: a coordinate reached 0 and left the set. */
static bool move_on_set(double *x, bool *in, const int32_t *pick, int64_t m, const double *d)
{
    double step = 1;
    int64_t first = -1;
    for (int64_t a = 0; a < m; a++)
        if (x[pick[a]] + d[a] < 0 && x[pick[a]] < -step * d[a]) {
            step = -x[pick[a]] / d[a];
            first = pick[a];
        }
    for (int64_t a = 0; a < m; a++) {
        double to = x[pick[a]] + step * d[a];
        x[pick[a]] = to > 0 ? to : 0;
    }
    if (first >= 0) {
        x[first] = 0;
        in[first] = false;
    }
    return first >= 0;
}

static void normalise(double *x, int64_t t)
{
    double sum = 0;
    for (int64_t i = 0; i < t; i++)
        sum += x[i];
    for (int64_t i = 0; i < t; i++)
        x[i] /= sum;
}

wlab_code wlab_simplexqp_solve(const double *H, const double *c, int64_t t, double *x, wlab_err *err)
{
    enum {
        REFINE = 3 /* least number of steps on each set, as H may be ill-conditioned */
    };
    double *A = wlab_alloc((size_t)(t * t), sizeof *A), *g = wlab_alloc((size_t)t, sizeof *g);
    double *d = wlab_alloc((size_t)t, sizeof *d);
    int32_t *pick = wlab_alloc((size_t)t, sizeof *pick);
    bool *in = wlab_calloc((size_t)t, sizeof *in);
    wlab_code code = WL_OK;
    if (!A || !g || !d || !pick || !in) {
        code = wlab_nomem(err);
        goto out;
    }
    double scale = 0;
    int64_t enter = -1, refused = 0;
    for (int64_t i = 0; i < t; i++) {
        in[i] = x[i] > 0;
        scale = fmax(scale, fmax(fabs(c[i]), fabs(H[i * t + i])));
    }
    for (int64_t round = 0; round < 20 * t + 20; round++) {
        /* shrink the set until its optimum has no negative coordinate */
        for (int refine = 0; refine < REFINE;) {
            int64_t m = 0;
            for (int64_t i = 0; i < t; i++) {
                g[i] = gradient(H, c, t, x, i);
                if (in[i])
                    pick[m++] = (int32_t)i;
            }
            if (!direction(H, g, t, pick, m, A, d)) {
                code = wlab_fail(err, WL_ENUMERIC, "the QP over the mixing weights is not convex");
                goto out;
            }
            refine = move_on_set(x, in, pick, m, d) ? 0 : refine + 1;
        }
        normalise(x, t);
        /* the coordinate whose gradient is farthest below that of the set enters */
        refused = enter >= 0 && !in[enter] ? refused + 1 : 0;
        enter = -1;
        double nu = 0, least = HUGE_VAL;
        for (int64_t i = 0; i < t; i++) {
            g[i] = gradient(H, c, t, x, i);
            nu += x[i] * g[i];
            if (!in[i] && g[i] < least)
                least = g[i], enter = i;
        }
        if (!(nu - least > 1e-13 * scale) ||
            refused > 3) /* refused: entering coordinates leave at once, by rounding */
            break;
        in[enter] = true;
    }
out:
    wlab_free(A);
    wlab_free(g);
    wlab_free(d);
    wlab_free(pick);
    wlab_free(in);
    return code;
}
