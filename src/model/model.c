/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models: creation from solutions, and prediction on new rows.
 */
#include "model/model.h"
#include "base/progress.h"
#include "model/bagged.h"
#include "model/deformed.h"
#include "model/kernel.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

void wlab_model_destroy(wlab_model *m)
{
    if (!m)
        return;
    wlab_free(m->w);
    wlab_free(m->coef);
    wlab_matrix_destroy(m->sv);
    wlab_free(m->sv_row);
    wlab_free(m->b);
    for (int k = 0; m->class_name && k < wlab_model_classes(m); k++)
        wlab_free(m->class_name[k]);
    wlab_free(m->class_name);
    wlab_bagged_destroy(m->bagged);
    wlab_free(m);
}

wlab_code wlab_model_copy_rows(wlab_matrix **out, const wlab_matrix *X, const int32_t *pick, int64_t n,
                               wlab_err *err)
{
    int64_t nnz = 0, at = 0;
    wlab_matrix *R = NULL;
    wlab_code code;
    *out = NULL;
    for (int64_t i = 0; i < n; i++)
        nnz += X->len[pick[i]];
    code = X->sparse ? wlab_matrix_create_sparse(&R, n, X->cols, nnz, err)
                     : wlab_matrix_create_dense(&R, n, X->cols, err);
    if (code)
        return code;
    R->nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = X->start[pick[i]];
        int32_t len = X->len[pick[i]];
        R->start[i] = at;
        R->len[i] = len;
        if (X->sparse) {
            memcpy(R->val + at, X->val + from, (size_t)len * sizeof *R->val);
            memcpy(R->col + at, X->col + from, (size_t)len * sizeof *R->col);
            R->nnz += len;
        } else {
            memcpy(R->dense + at, X->dense + from, (size_t)len * sizeof *R->dense);
            for (int32_t j = 0; j < len; j++)
                R->nnz += R->dense[at + j] != 0;
        }
        at += len;
    }
    *out = R;
    return WL_OK;
}

int wlab_decide(const double *f, int outputs)
{
    int best = 0;
    if (outputs == 1)
        return f[0] > 0;
    for (int k = 1; k < outputs; k++)
        best = f[k] > f[best] ? k : best;
    return best;
}

wlab_code wlab_predicted_labels(const wlab_problem *p, const double *f, int8_t *labels, wlab_err *err)
{
    const int outputs = wlab_problem_outputs(p);
    if (!p->keys || !p->bag) {
        for (int64_t i = 0; i < p->n; i++)
            labels[i] = (int8_t)wlab_label_at(p, wlab_decide(f + i * outputs, outputs));
        return WL_OK;
    }
    /* the key instance of each bag; -1: all instances have labels */
    int64_t *key = wlab_alloc((size_t)p->bags, sizeof *key);
    if (!key)
        return wlab_nomem(err);
    for (int64_t b = 0; b < p->bags; b++)
        key[b] = -1;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t *now = &key[p->bag[i]];
        labels[i] = (int8_t)(p->visible[i] ? wlab_label_at(p, wlab_decide(f + i, 1)) : 0);
        if (!p->visible[i] && (*now < 0 || f[i] > f[*now]))
            *now = i;
    }
    for (int64_t b = 0; b < p->bags; b++)
        if (key[b] >= 0)
            labels[key[b]] = 1;
    wlab_free(key);
    return WL_OK;
}

/* A model of the problem's classes, without w or support vectors; all offsets are 0. */
static wlab_model *create_empty(const wlab_problem *p, const wlab_kernel *kernel)
{
    wlab_model *m = wlab_calloc(1, sizeof *m);
    bool fine = m != NULL;
    if (!m)
        return NULL;
    m->kernel = *kernel;
    m->kernel.bias = 0;
    m->cols = p->X->cols;
    m->outputs = wlab_problem_outputs(p);
    m->b = wlab_calloc((size_t)m->outputs, sizeof *m->b);
    m->class_name = wlab_calloc((size_t)p->classes, sizeof *m->class_name);
    fine = m->b && m->class_name;
    for (int k = 0; fine && k < p->classes; k++)
        fine = (m->class_name[k] = wlab_strdup(wlab_problem_class(p, wlab_label_at(p, k)))) != NULL;
    if (fine)
        return m;
    wlab_model_destroy(m);
    return NULL;
}

wlab_code wlab_model_of_bags(wlab_model **out, const wlab_problem *p, const wlab_bagged_kind *kind, void *own,
                             int64_t vectors, wlab_err *err)
{
    const wlab_kernel linear = {.kind = WL_K_LINEAR};
    wlab_model *m = create_empty(p, &linear);
    wlab_bagged *b = wlab_calloc(1, sizeof *b);
    int32_t *row = wlab_alloc((size_t)p->n, sizeof *row);

    *out = NULL;
    if (!m || !b || !row) {
        kind->destroy(own);
        wlab_model_destroy(m);
        wlab_free(b);
        wlab_free(row);
        return wlab_nomem(err);
    }
    memcpy(row, p->row, (size_t)p->n * sizeof *row);
    *b = (wlab_bagged){.kind = kind, .own = own, .data = wlab_dataset_ref(p->data), .n = p->n, .row = row};
    m->bagged = b;
    m->nsv = vectors;
    *out = m;
    return WL_OK;
}

wlab_code wlab_model_from_weights(wlab_model **out, const wlab_problem *p, const double *w, double b,
                                  wlab_err *err)
{
    const wlab_kernel linear = {.kind = WL_K_LINEAR};
    wlab_model *m = create_empty(p, &linear);
    *out = NULL;
    if (!m || !(m->w = wlab_calloc((size_t)m->cols, sizeof *m->w))) {
        wlab_model_destroy(m);
        return wlab_nomem(err);
    }
    if (m->cols)
        memcpy(m->w, w, (size_t)m->cols * sizeof *w);
    m->b[0] = b;
    *out = m;
    return WL_OK;
}

/* For the unit vector e_k, (x'e_k + 1)^2 + (-x'e_k + 1)^2 = 2 x_k^2 + 2 and (x'e_k + 1)^2 - (-x'e_k + 1)^2 = 4 x_k. */
wlab_code wlab_model_from_distance(wlab_model **out, const wlab_problem *p, const double *a, const double *c,
                                   double top, wlab_err *err)
{
    const wlab_kernel square = {.kind = WL_K_POLY, .gamma = 1, .coef0 = 1, .degree = 2};
    const int32_t d = p->X->cols;
    wlab_model *m = create_empty(p, &square);
    *out = NULL;
    if (!m || !(m->coef = wlab_alloc(2 * (size_t)d, sizeof *m->coef)) ||
        wlab_matrix_create_sparse(&m->sv, 2 * (int64_t)d, d, 2 * (int64_t)d, err)) {
        wlab_model_destroy(m);
        return wlab_nomem(err);
    }
    m->nsv = 2 * (int64_t)d;
    m->b[0] = top;
    for (int32_t k = 0; k < d; k++) {
        for (int minus = 0; minus < 2; minus++) {
            const int64_t row = 2 * (int64_t)k + minus;
            m->sv->start[row] = row;
            m->sv->len[row] = 1;
            m->sv->col[row] = k;
            m->sv->val[row] = minus ? -1 : 1;
            m->coef[row] = 0.5 * (minus ? -a[k] - a[k] * c[k] : -a[k] + a[k] * c[k]);
        }
        m->b[0] += a[k] - a[k] * c[k] * c[k];
    }
    *out = m;
    return WL_OK;
}

wlab_code wlab_model_from_class_weights(wlab_model **out, const wlab_problem *p, const double *W,
                                        const double *b, wlab_err *err)
{
    const wlab_kernel linear = {.kind = WL_K_LINEAR};
    wlab_model *m = create_empty(p, &linear);
    *out = NULL;
    if (!m || !(m->w = wlab_calloc((size_t)m->outputs * (size_t)m->cols, sizeof *m->w))) {
        wlab_model_destroy(m);
        return wlab_nomem(err);
    }
    const size_t cols = (size_t)m->cols;
    for (size_t j = 0; j < (size_t)m->outputs * cols; j++)
        m->w[j] = m->outputs > 1 ? W[j] : W[cols + j] - W[j];
    for (int k = 0; k < m->outputs; k++)
        m->b[k] = m->outputs > 1 ? b[k] : b[1] - b[0];
    *out = m;
    return WL_OK;
}

/* The same functions as sums of the kernel before it was deformed; coef [n x P].  The constant feature, which is not
 * deformed, becomes offsets. */
static wlab_code model_of_deformed(wlab_model **out, const wlab_problem *p, const wlab_kernel *kernel, int P,
                                   const double *coef, const double *b, wlab_pool *pool, wlab_err *err)
{
    double *plain = wlab_alloc((size_t)(p->n * P) + 1, sizeof *plain), at[WL_CLASSES_MOST];
    wlab_code code = plain ? WL_OK : wlab_nomem(err);

    for (int k = 0; k < P; k++) {
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++)
            sum += coef[i * P + k];
        at[k] = (b ? b[k] : 0) + kernel->bias * kernel->bias * sum;
    }
    code = code ? code : wlab_deformed_plain(kernel->deformed, P, coef, NULL, plain, err);
    if (!code && P == 1) {
        code = wlab_model_from_coefficients(out, p, &kernel->deformed->base, plain, pool, err);
        if (!code)
            (*out)->b[0] += at[0];
    } else if (!code) {
        code = wlab_model_from_class_coefficients(out, p, &kernel->deformed->base, plain, at, pool, err);
    }
    wlab_free(plain);
    return code;
}

wlab_code wlab_model_from_coefficients(wlab_model **out, const wlab_problem *p, const wlab_kernel *kernel,
                                       const double *c, wlab_pool *pool, wlab_err *err)
{
    if (kernel->kind == WL_K_DEFORMED) {
        *out = NULL;
        return model_of_deformed(out, p, kernel, 1, c, NULL, pool, err);
    }
    wlab_code code = WL_OK;
    wlab_model *m = create_empty(p, kernel);
    int32_t *pick = NULL;
    double sum = 0;
    *out = NULL;
    if (!m)
        return wlab_nomem(err);
    for (int64_t k = 0; k < p->n; k++)
        sum += c[k];
    m->b[0] = kernel->bias * kernel->bias * sum;
    if (kernel->kind == WL_K_LINEAR) {
        if (!(m->w = wlab_calloc((size_t)m->cols, sizeof *m->w)))
            goto nomem;
        code = wlab_matrix_mul_t(p->X, c, m->w, pool, err);
    } else {
        for (int64_t k = 0; k < p->n; k++)
            m->nsv += c[k] != 0;
        pick = wlab_alloc((size_t)m->nsv, sizeof *pick);
        m->coef = wlab_alloc((size_t)m->nsv, sizeof *m->coef);
        m->sv_row = wlab_alloc((size_t)m->nsv, sizeof *m->sv_row);
        if (!pick || !m->coef || !m->sv_row)
            goto nomem;
        int64_t at = 0;
        /* LIBSVM's format has the vectors of the positive class first */
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < p->n; k++)
                if (c[k] != 0 && (c[k] > 0) == (pass == 0)) {
                    pick[at] = (int32_t)k;
                    m->sv_row[at] = p->row[k];
                    m->coef[at++] = c[k];
                }
        code = wlab_model_copy_rows(&m->sv, p->X, pick, m->nsv, err);
    }
    wlab_free(pick);
    if (code) {
        wlab_model_destroy(m);
        return code;
    }
    *out = m;
    return WL_OK;
nomem:
    wlab_free(pick);
    wlab_model_destroy(m);
    return wlab_nomem(err);
}

/* For kernels other than the linear one: copies the rows with a coefficient other than 0, and their coefficients. */
static wlab_code copy_vectors(wlab_model *m, const wlab_problem *p, const double *coef, wlab_err *err)
{
    const size_t P = (size_t)m->outputs;
    int64_t at = 0;
    wlab_code code = WL_OK;
    bool *used = wlab_calloc((size_t)p->n, sizeof *used);
    for (int64_t i = 0; used && i < p->n; i++) {
        for (size_t k = 0; k < P; k++)
            used[i] = used[i] || coef[(size_t)i * P + k] != 0;
        m->nsv += used[i];
    }
    int32_t *pick = wlab_alloc((size_t)m->nsv, sizeof *pick);
    m->coef = wlab_alloc((size_t)m->nsv * P, sizeof *m->coef);
    m->sv_row = wlab_alloc((size_t)m->nsv, sizeof *m->sv_row);
    if (!used || !pick || !m->coef || !m->sv_row)
        code = wlab_nomem(err);
    for (int64_t i = 0; !code && i < p->n; i++) {
        if (!used[i])
            continue;
        pick[at] = (int32_t)i;
        m->sv_row[at] = p->row[i];
        memcpy(m->coef + (size_t)at++ * P, coef + (size_t)i * P, P * sizeof *coef);
    }
    code = code ? code : wlab_model_copy_rows(&m->sv, p->X, pick, m->nsv, err);
    wlab_free(used);
    wlab_free(pick);
    return code;
}

wlab_code wlab_model_from_class_coefficients(wlab_model **out, const wlab_problem *p,
                                             const wlab_kernel *kernel, const double *coef, const double *b,
                                             wlab_pool *pool, wlab_err *err)
{
    const size_t P = (size_t)p->classes;
    if (kernel->kind == WL_K_DEFORMED) {
        *out = NULL;
        return model_of_deformed(out, p, kernel, p->classes, coef, b, pool, err);
    }
    wlab_code code = WL_OK;
    wlab_model *m = NULL;
    double *c = wlab_alloc((size_t)p->n, sizeof *c);
    *out = NULL;
    if (!c)
        return wlab_nomem(err);
    if (P == 2) {
        for (int64_t i = 0; i < p->n; i++)
            c[i] = coef[2 * i + 1] - coef[2 * i];
        code = wlab_model_from_coefficients(&m, p, kernel, c, pool, err);
        if (!code)
            m->b[0] += b[1] - b[0];
        goto out;
    }
    if (!(m = create_empty(p, kernel))) {
        code = wlab_nomem(err);
        goto out;
    }
    if (kernel->kind == WL_K_LINEAR && !(m->w = wlab_calloc(P * (size_t)m->cols, sizeof *m->w)))
        code = wlab_nomem(err);
    for (size_t k = 0; k < P && !code; k++) {
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++)
            sum += c[i] = coef[(size_t)i * P + k];
        m->b[k] = b[k] + kernel->bias * kernel->bias * sum;
        if (kernel->kind == WL_K_LINEAR)
            code = wlab_matrix_mul_t(p->X, c, m->w + k * (size_t)m->cols, pool, err);
    }
    if (!code && kernel->kind != WL_K_LINEAR)
        code = copy_vectors(m, p, coef, err);
out:
    wlab_free(c);
    if (code)
        wlab_model_destroy(m);
    else
        *out = m;
    return code;
}

/* x_i'w over the columns that both X and the model have. */
static double linear_value(const wlab_model *m, const double *w, const wlab_matrix *X, int64_t i)
{
    if (X->cols <= m->cols)
        return wlab_matrix_row_dot(X, i, w);
    double sum = 0;
    int64_t first = X->start[i];
    for (int32_t k = 0; k < X->len[i]; k++) {
        int32_t j = X->sparse ? X->col[first + k] : k;
        if (j < m->cols)
            sum += (X->sparse ? (double)X->val[first + k] : X->dense[first + k]) * w[j];
    }
    return sum;
}

/* Reduces the rows of a view to their first `cols` columns; extra[i] = squared norm of the removed entries. */
static void cut_columns(wlab_matrix *view, int32_t cols, double *extra)
{
    for (int64_t i = 0; i < view->rows; i++) {
        int64_t first = view->start[i];
        int32_t keep = view->sparse ? view->len[i] : cols;
        if (view->sparse)
            while (keep > 0 && view->col[first + keep - 1] >= cols)
                keep--;
        extra[i] = 0;
        for (int32_t k = keep; k < view->len[i]; k++) {
            double v = view->sparse ? (double)view->val[first + k] : view->dense[first + k];
            extra[i] += v * v;
        }
        view->len[i] = keep;
    }
    view->cols = cols;
}

enum {
    PREDICT_ROWS = 256
};

/* A view of rows first .. first + n - 1; pick [n] is workspace. */
static wlab_code view_rows(wlab_matrix **view, const wlab_matrix *X, int64_t first, int64_t n, int32_t *pick,
                           wlab_err *err)
{
    for (int64_t i = 0; i < n; i++)
        pick[i] = (int32_t)(first + i);
    return wlab_matrix_rows(view, X, pick, n, err);
}

static wlab_code predict_kernel(const wlab_model *m, const wlab_matrix *X, double *f, wlab_ctx *ctx,
                                wlab_err *err)
{
    wlab_ctx quiet = wlab_quiet(ctx);
    wlab_progress progress;
    wlab_code code = WL_OK;
    int64_t most = m->nsv > PREDICT_ROWS ? m->nsv : PREDICT_ROWS;
    bool pre = m->kernel.kind == WL_K_PRECOMPUTED;
    int32_t shared = pre || X->cols < m->sv->cols ? X->cols : m->sv->cols;
    wlab_matrix *part = NULL, *sv = NULL;
    int32_t *pick = wlab_alloc((size_t)most, sizeof *pick);
    double *K = wlab_alloc((size_t)(PREDICT_ROWS * m->nsv), sizeof *K);
    double *extra = wlab_calloc((size_t)(m->nsv + PREDICT_ROWS), sizeof *extra);
    if (!pick || !K || !extra) {
        code = wlab_nomem(err);
        goto out;
    }
    double *extra_x = extra + m->nsv;
    if ((code = view_rows(&sv, m->sv, 0, m->nsv, pick, err)))
        goto out;
    if (!pre)
        cut_columns(sv, shared, extra);
    wlab_progress_begin(&progress, ctx, "rows predicted", X->rows);
    for (int64_t first = 0; first < X->rows; first += PREDICT_ROWS) {
        int64_t n = X->rows - first < PREDICT_ROWS ? X->rows - first : PREDICT_ROWS;
        if ((code = view_rows(&part, X, first, n, pick, err)))
            goto out;
        if (!pre)
            cut_columns(part, shared, extra_x);
        if ((code = wlab_kernel_matrix_progress(&m->kernel, part, sv, m->sv_row, K, &quiet, err)))
            goto out;
        for (int64_t i = 0; i < n; i++) {
            double *row = K + i * m->nsv;
            /* exp(-gamma (d2 + extra)) for the columns that only one side has */
            if (m->kernel.kind == WL_K_RBF && X->cols != m->sv->cols)
                for (int64_t s = 0; s < m->nsv; s++)
                    row[s] *= exp(-m->kernel.gamma * (extra_x[i] + extra[s]));
            for (int k = 0; k < m->outputs; k++)
                f[(first + i) * m->outputs + k] =
                    cblas_ddot((int)m->nsv, row, 1, m->coef + k, m->outputs) + m->b[k];
        }
        wlab_matrix_destroy(part);
        part = NULL;
        wlab_progress_add(&progress, n);
    }
out:
    wlab_matrix_destroy(part);
    wlab_matrix_destroy(sv);
    wlab_free(pick);
    wlab_free(K);
    wlab_free(extra);
    return code;
}

static wlab_code predict_linear(const wlab_model *m, const wlab_matrix *X, double *f, wlab_ctx *ctx,
                                wlab_err *err)
{
    wlab_progress progress;

    wlab_progress_begin(&progress, ctx, "rows predicted", X->rows);
    for (int64_t i = 0; i < X->rows; i++) {
        if (!wlab_look_at(i, (int64_t)m->outputs * X->cols, &progress, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted while rows were predicted");
        for (int k = 0; k < m->outputs; k++)
            f[i * m->outputs + k] = m->b[k] + (m->kernel.kind == WL_K_LINEAR
                                                   ? linear_value(m, m->w + (size_t)k * (size_t)m->cols, X, i)
                                                   : 0);
    }
    return WL_OK;
}

static wlab_code predict(const wlab_model *m, const wlab_matrix *X, const wlab_dataset *data,
                         const int32_t *row, double *f, wlab_ctx *ctx, wlab_err *err)
{
    if (X->away)
        return wlab_fail(err, WL_ESTATE,
                         "the rows are on several ranks (ranks=all), where no model predicts them");
    if (m->bagged)
        return wlab_bagged_predict(m->bagged, X, data, row, f, ctx ? ctx->pool : NULL, err);
    if (m->kernel.kind != WL_K_LINEAR && m->nsv > 0)
        return predict_kernel(m, X, f, ctx, err);
    return predict_linear(m, X, f, ctx, err);
}

wlab_code wlab_model_predict(const wlab_model *m, const wlab_matrix *X, double *f, wlab_pool *pool,
                             wlab_err *err)
{
    return predict(m, X, NULL, NULL, f, &(wlab_ctx){.pool = pool}, err);
}

wlab_code wlab_model_predict_progress(const wlab_model *m, const wlab_matrix *X, double *f, wlab_ctx *ctx,
                                      wlab_err *err)
{
    return predict(m, X, NULL, NULL, f, ctx, err);
}

wlab_code wlab_model_predict_rows_progress(const wlab_model *m, const wlab_matrix *X,
                                           const wlab_dataset *data, const int32_t *row, double *f,
                                           wlab_ctx *ctx, wlab_err *err)
{
    return predict(m, X, data, row, f, ctx, err);
}

wlab_code wlab_model_predict_rows(const wlab_model *m, const wlab_matrix *X, const wlab_dataset *data,
                                  const int32_t *row, double *f, wlab_pool *pool, wlab_err *err)
{
    return predict(m, X, data, row, f, &(wlab_ctx){.pool = pool}, err);
}
