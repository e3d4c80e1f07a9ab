/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search of conv-psvm (Yu, Liu, Kumar, Jebara and Chang, Eqs. 18 to 21).  y'Hy, H = K.(aa'), is the squared length
 * of the vector sum_i a_i y_i phi(x_i).  The search maximises the largest absolute coordinate of this vector instead of
 * its length.  The axes are the features or the principal axes of K.  For one axis, sorting the rows gives the
 * labelings with the largest and the smallest coordinate.
 */
#include "algo/wellsvm/wellsvm.h"
#include "base/progress.h"
#include "linalg/eigen.h"

#include <cblas.h>
#include <float.h>
#include <string.h>

enum {
    EIGEN_ROWS = 4000 /* the eigenvectors of K cost about 10 n^3 operations on one thread */
};
static const double FEATURES = 5e7; /* the largest dense copy of the data: rows times columns */

static int64_t columns(const wellsvm *s)
{
    return s->p->X->cols + (s->kernel.bias != 0);
}

static bool features_fit(const wellsvm *s)
{
    return (double)s->n * (double)columns(s) <= FEATURES;
}

static bool by_features(const wellsvm *s)
{
    return s->basis == WELL_BASIS_FEATURES || (s->basis == WELL_BASIS_AUTO && s->kernel.kind == WL_K_LINEAR &&
                                               (features_fit(s) || s->n > EIGEN_ROWS));
}

wlab_code well_linf_check(const wellsvm *s, wlab_err *err)
{
    if (by_features(s) && s->kernel.kind != WL_K_LINEAR)
        return wlab_fail(err, WL_EARG, "basis=features needs the linear kernel; use basis=pca");
    if (by_features(s) && !features_fit(s))
        return wlab_fail(
            err, WL_EARG,
            "search=linf sorts all rows along each axis, and %lld rows with %lld features are too "
            "many; use `algo alter-psvm` for such data",
            (long long)s->n, (long long)columns(s));
    if (!by_features(s) && s->n > EIGEN_ROWS)
        return wlab_fail(
            err, WL_EARG,
            "search=linf computes the eigenvectors of the kernel matrix for at most %d rows, but "
            "there are %lld; use `algo alter-psvm`, or fewer rows (`split`)",
            EIGEN_ROWS, (long long)s->n);
    return WL_OK;
}

static wlab_code make_feature_axes(wellsvm *s, wlab_err *err)
{
    const int64_t n = s->n, d = columns(s);
    const double scale = 1 / sqrt(s->lambda);
    double *row = wlab_alloc((size_t)d, sizeof *row);
    s->axis = row ? wlab_alloc((size_t)d, (size_t)n * sizeof *s->axis) : NULL;
    if (!s->axis) {
        wlab_free(row);
        return wlab_nomem(err);
    }
    for (int64_t k = 0; k < n; k++) {
        memset(row, 0, (size_t)d * sizeof *row);
        wlab_matrix_row_axpy(s->p->X, k, scale, row);
        if (s->kernel.bias != 0)
            row[d - 1] = scale * s->kernel.bias;
        for (int64_t j = 0; j < d; j++)
            s->axis[j * n + k] = row[j];
    }
    for (int64_t j = 0; j < d && s->centred; j++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += s->axis[j * n + k];
        for (int64_t k = 0; k < n; k++)
            s->axis[j * n + k] -= sum / (double)n;
    }
    s->axes = d;
    s->rest = 0;
    wlab_free(row);
    return WL_OK;
}

/* The axes: the leading eigenvectors of K that hold the fraction `variance` of its trace, each times the square root
 * of its eigenvalue. */
static wlab_code make_eigenvector_axes(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n;
    double *A = wlab_alloc((size_t)n, (size_t)n * sizeof *A), *value = wlab_alloc((size_t)n, sizeof *value);
    double *work = wlab_alloc((size_t)wlab_eigen_room(n), sizeof *work), trace = 0, held = 0;
    int *iwork = wlab_alloc((size_t)wlab_eigen_integers(n), sizeof *iwork);
    wlab_code code = WL_OK;
    if (!A || !value || !work || !iwork) {
        code = wlab_nomem(err);
        goto out;
    }
    memcpy(A, s->K, (size_t)(n * n) * sizeof *A);
    code = wlab_eigen_values(A, n, true, value, work, iwork, ctx, err);
    if (code == WL_ENUMERIC)
        code = wlab_fail(err, WL_ENUMERIC, "the eigenvectors of the kernel matrix cannot be computed");
    if (code)
        goto out;
    for (int64_t k = 0; k < n; k++)
        trace += value[k] > 0 ? value[k] : 0;
    int64_t d = 0;
    while (d < n && value[n - 1 - d] > 0 && (d == 0 || held < s->variance * trace))
        held += value[n - 1 - d++];
    if ((code = wlab_eigen_vectors(A, n, n - d, work, ctx, err)))
        goto out;
    s->axis = wlab_alloc((size_t)(d > 0 ? d : 1), (size_t)n * sizeof *s->axis);
    if (!s->axis) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < n; k++)
            s->axis[j * n + k] = sqrt(value[n - 1 - j]) * A[(n - 1 - j) * n + k];
    s->axes = d;
    /* by rounding, the decomposition is that of a matrix that differs from K by a few DBL_EPSILON ||K|| */
    s->rest = (d < n && value[n - 1 - d] > 0 ? value[n - 1 - d] : 0) +
              16 * DBL_EPSILON * (double)n * (value[n - 1] > 0 ? value[n - 1] : 0);
out:
    wlab_free(A);
    wlab_free(value);
    wlab_free(work);
    wlab_free(iwork);
    return code;
}

/* Blocks 2j and 2j + 1 compute the largest and the smallest axis_j'(a.y) over B. */
typedef struct sorting {
    const wellsvm *s;
    const double *a;
    double *value;   /* [2 axes] */
    wlab_code *code; /* [2 axes] */
} sorting;

static wlab_code sort_along(const wellsvm *s, const double *a, int64_t way, int8_t *y, double *value,
                            wlab_err *err)
{
    const double *axis = s->axis + way / 2 * s->n, sign = way % 2 ? -1 : 1;
    double *r = wlab_alloc((size_t)s->n, sizeof *r), sum = 0;
    if (!r)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n; k++)
        r[k] = sign * a[k] * axis[k];
    wlab_code code = wlab_labelset_argmax(s->p->labels, r, NULL, y, err);
    for (int64_t k = 0; k < s->n && !code; k++)
        sum += r[k] * y[k];
    *value = sum;
    wlab_free(r);
    return code;
}

static void sort_block(void *data, int way)
{
    sorting *f = data;
    wlab_err err;
    int8_t *y = wlab_alloc((size_t)f->s->n, 1);
    f->code[way] = y ? sort_along(f->s, f->a, way, y, &f->value[way], &err) : WL_ENOMEM;
    wlab_free(y);
}

wlab_code well_linf_run(wellsvm *s, const double *a, int8_t *y, double *most, double *M, wlab_ctx *ctx,
                        wlab_err *err)
{
    wlab_code code = WL_OK;
    if (!s->axis && (code = by_features(s) ? make_feature_axes(s, err) : make_eigenvector_axes(s, ctx, err)))
        return code;
    const int64_t ways = 2 * s->axes;
    int64_t best = 0;
    double sum = 0, square = 0;
    sorting f = {s, a, wlab_alloc((size_t)ways + 1, sizeof *f.value),
                 wlab_calloc((size_t)ways + 1, sizeof *f.code)};
    if (!f.value || !f.code) {
        code = wlab_nomem(err);
        goto out;
    }
    if (!wlab_pool_run_progress(ctx, (int)ways, sort_block, &f, "sorted axes", ways)) {
        code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        goto out;
    }
    for (int64_t w = 0; w < ways && !code; w++)
        code = f.code[w];
    if (code) {
        code = code == WL_ENOMEM
                   ? wlab_nomem(err)
                   : wlab_fail(err, code, "the search along the axes met a value that is not a number");
        goto out;
    }
    /* value 2j + 1 is the negative of the smallest value, so the larger of the two is the largest absolute value */
    for (int64_t w = 0; w < ways; w++) {
        if (f.value[w] > f.value[best])
            best = w;
        if (w % 2) {
            const double size = fmax(fabs(f.value[w - 1]), fabs(f.value[w]));
            sum += size * size;
        }
    }
    for (int64_t k = 0; k < s->n; k++)
        square += a[k] * a[k];
    *M = sum + s->rest * square;
    if (ways == 0) { /* K = 0 */
        *most = 0;
        code = wlab_labelset_argmax(s->p->labels, a, NULL, y, err);
        goto out;
    }
    code = sort_along(s, a, best, y, most, err);
out:
    wlab_free(f.value);
    wlab_free(f.code);
    return code;
}
