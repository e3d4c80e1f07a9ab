/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The decision function of an rbf model on a grid.
 */
#include "plot/grid.h"
#include <cblas.h>
#include <math.h>

wlab_code wlab_grid_rbf(const wlab_model *m, int nx, const double *x, int ny, const double *y, double *f,
                        wlab_err *err)
{
    double *ex = wlab_alloc((size_t)m->nsv, (size_t)(nx + ny) * sizeof *ex), *ey;
    if (!ex)
        return wlab_nomem(err);
    ey = ex + m->nsv * nx;
    for (int64_t s = 0; s < m->nsv; s++) {
        double sx = wlab_matrix_at(m->sv, s, 0), sy = wlab_matrix_at(m->sv, s, 1);
        for (int i = 0; i < nx; i++)
            ex[s * nx + i] = m->coef[s] * exp(-m->kernel.gamma * (x[i] - sx) * (x[i] - sx));
        for (int j = 0; j < ny; j++)
            ey[s * ny + j] = exp(-m->kernel.gamma * (y[j] - sy) * (y[j] - sy));
    }
    for (int k = 0; k < nx * ny; k++)
        f[k] = m->b[0];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, ny, nx, (int)m->nsv, 1, ey, ny, ex, nx, 1, f, nx);
    wlab_free(ex);
    return WL_OK;
}
