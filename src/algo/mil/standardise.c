/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algo/mil/standardise.h"
#include "base/progress.h"

#include <math.h>
#include <string.h>

/* A column whose deviation is at most this fraction of its values is constant: data are kept in single precision, and sums
 * of squares lose as many digits as the square of this. */
#define CONSTANT 1e-6
enum {
    MOST_NUMBERS = 1 << 27 /* of the dense copy */
};

wlab_code standardised_fits(int64_t n, int64_t d, wlab_err *err)
{
    if (d <= MOST_NUMBERS / n)
        return WL_OK;
    return wlab_fail(err, WL_ESTATE,
                     "%lld rows of %lld columns are too many for a dense copy: use fewer (`split`)",
                     (long long)n, (long long)d);
}

wlab_code standardise(const wlab_matrix *X, double *Z, double *centre, double *width, wlab_ctx *ctx,
                      wlab_err *err)
{
    const int64_t n = X->rows, d = X->cols;
    wlab_code code = WL_OK;
    wlab_progress progress;

    for (int64_t i = 0; i < n; i++) {
        if (!wlab_look_at(i, 8 * d, NULL, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        memset(Z + i * d, 0, (size_t)d * sizeof *Z);
        wlab_matrix_row_axpy(X, i, 1, Z + i * d);
    }
    wlab_progress_begin(&progress, ctx, "columns", d);
    for (int64_t k = 0; k < d; k++) {
        if (!wlab_look_at(k, 16 * n, &progress, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        double mean = 0, square = 0, largest = 0;
        for (int64_t i = 0; i < n; i++) {
            mean += Z[i * d + k] / (double)n;
            largest = fmax(largest, fabs(Z[i * d + k]));
        }
        for (int64_t i = 0; i < n; i++)
            square += (Z[i * d + k] - mean) * (Z[i * d + k] - mean) / (double)n;
        centre[k] = mean;
        const bool varies = sqrt(square) > CONSTANT * largest;
        width[k] = varies ? sqrt(square) : 1;
        if (!isfinite(mean) || !isfinite(square))
            code = wlab_fail(err, WL_ENUMERIC,
                             "column %lld has values whose squares are too large: use `scale` first",
                             (long long)k + 1);
        for (int64_t i = 0; i < n; i++)
            Z[i * d + k] = varies ? (Z[i * d + k] - mean) / width[k] : 0;
    }
    return code;
}
