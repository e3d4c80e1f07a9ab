/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decision function of an rbf model on a grid.
 */
#include "plot/draw/grid.h"
#include <cblas.h>
#include <math.h>

wlab_code wlab_grid_rbf(const wlab_model *m, int nx, const double *x, int ny, const double *y, double *f,
                        wlab_err *err)
{
    const int P = m->outputs;
    const int64_t cells = (int64_t)nx * ny;
    double *ex = wlab_alloc((size_t)m->nsv, (size_t)(2 * nx + ny) * sizeof *ex), *cx, *ey;
    double *one = P > 1 ? wlab_alloc((size_t)cells, sizeof *one) : f; /* of one output */

    if (!ex || !one) {
        wlab_free(ex);
        if (P > 1)
            wlab_free(one);
        return wlab_nomem(err);
    }
    cx = ex + m->nsv * nx;
    ey = cx + m->nsv * nx;
    for (int64_t s = 0; s < m->nsv; s++) {
        double sx = wlab_matrix_at(m->sv, s, 0), sy = wlab_matrix_at(m->sv, s, 1);
        for (int i = 0; i < nx; i++)
            ex[s * nx + i] = exp(-m->kernel.gamma * (x[i] - sx) * (x[i] - sx));
        for (int j = 0; j < ny; j++)
            ey[s * ny + j] = exp(-m->kernel.gamma * (y[j] - sy) * (y[j] - sy));
    }
    for (int o = 0; o < P; o++) {
        for (int64_t s = 0; s < m->nsv; s++)
            for (int i = 0; i < nx; i++)
                cx[s * nx + i] = m->coef[s * P + o] * ex[s * nx + i];
        for (int64_t k = 0; k < cells; k++)
            one[k] = m->b[o];
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, ny, nx, (int)m->nsv, 1, ey, ny, cx, nx, 1, one,
                    nx);
        for (int64_t k = 0; k < cells && P > 1; k++)
            f[k * P + o] = one[k];
    }
    wlab_free(ex);
    if (P > 1)
        wlab_free(one);
    return WL_OK;
}
