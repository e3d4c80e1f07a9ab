/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data matrices: creation, row views, the rule that decides between sparse and dense, and operations on rows.
 *
 * Sparse values are stored in single precision and summed in double.  Measured on 51 million entries (677 399
 * rows of 76, 47 236 columns): X w takes 0.79 of the time that values in double take, and X two thirds of the
 * memory (8 bytes per entry instead of 12); `make bench` repeats the measurement.  Text data have 6 digits, which
 * single precision holds.  Dense matrices are in double, which dgemm needs.
 */
#include "weaklab/matrix.h"
#include "base/progress.h"
#include "linalg/row.h"
#include "linalg/view.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 1 << 23 /* entries that are counted between two looks: some hundredths of a second */
};

static wlab_matrix *new_matrix(int64_t rows, int32_t cols)
{
    wlab_matrix *m = wlab_calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->rows = rows;
    m->cols = cols;
    m->start = wlab_calloc((size_t)rows, sizeof *m->start);
    m->len = wlab_calloc((size_t)rows, sizeof *m->len);
    if (!m->start || !m->len) {
        wlab_matrix_destroy(m);
        return NULL;
    }
    return m;
}

wlab_code wlab_matrix_create_sparse(wlab_matrix **X, int64_t rows, int32_t cols, int64_t nnz, wlab_err *err)
{
    wlab_matrix *m;

    *X = NULL;
    if (rows < 0 || rows > INT32_MAX || cols < 0 || nnz < 0)
        return wlab_fail(err, WL_EARG, "a matrix of %lld rows and %d columns is out of range",
                         (long long)rows, (int)cols);
    m = new_matrix(rows, cols);
    if (!m)
        return wlab_nomem(err);
    m->sparse = true;
    m->nnz = nnz;
    m->val = wlab_alloc((size_t)nnz, sizeof *m->val);
    m->col = wlab_alloc((size_t)nnz, sizeof *m->col);
    if (!m->val || !m->col) {
        wlab_matrix_destroy(m);
        return wlab_nomem(err);
    }
    *X = m;
    return WL_OK;
}

wlab_code wlab_matrix_adopt(wlab_matrix **X, int64_t rows, int32_t cols, double *values, wlab_err *err)
{
    wlab_matrix *m;

    *X = NULL;
    if (rows < 0 || rows > INT32_MAX || cols < 0)
        return wlab_fail(err, WL_EARG, "a matrix of %lld rows and %d columns is out of range",
                         (long long)rows, (int)cols);
    m = new_matrix(rows, cols);
    if (!m)
        return wlab_nomem(err);
    m->dense = values;
    for (int64_t i = 0; i < rows; i++) {
        m->start[i] = i * cols;
        m->len[i] = cols;
    }
    *X = m;
    return WL_OK;
}

wlab_code wlab_matrix_create_dense(wlab_matrix **X, int64_t rows, int32_t cols, wlab_err *err)
{
    const wlab_code code = wlab_matrix_adopt(X, rows, cols, NULL, err);

    if (code)
        return code;
    (*X)->dense = wlab_calloc((size_t)rows * (size_t)cols, sizeof *(*X)->dense);
    if (!(*X)->dense) {
        wlab_matrix_destroy(*X);
        *X = NULL;
        return wlab_nomem(err);
    }
    return WL_OK;
}

void wlab_matrix_destroy(wlab_matrix *m)
{
    if (!m)
        return;
    if (!m->view) {
        wlab_free(m->val);
        wlab_free(m->col);
        wlab_free(m->dense);
        wlab_free(m->parts);
    }
    wlab_free(m->start);
    wlab_free(m->len);
    wlab_free(m);
}

/* false: interrupted, and *count is too small. */
static bool count_nonzeros(const wlab_matrix *m, int64_t *count, wlab_ctx *ctx)
{
    int64_t nnz = 0, seen = 0, told = 0;
    wlab_progress progress;

    wlab_progress_begin(&progress, ctx, "rows", m->rows);
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t s = m->start[i];
        if ((seen += m->len[i] + 1) > PIECE) {
            seen = 0;
            wlab_progress_add(&progress, i - told);
            told = i;
            if (wlab_interrupted(ctx))
                return false;
        }
        for (int32_t k = 0; k < m->len[i]; k++)
            nnz += m->sparse ? m->val[s + k] != 0.0f : m->dense[s + k] != 0.0;
    }
    *count = nnz;
    return true;
}

void wlab_matrix_count_nnz(wlab_matrix *m)
{
    (void)count_nonzeros(m, &m->nnz, NULL);
}

wlab_code wlab_matrix_away(wlab_matrix **X, int64_t rows, int32_t cols, bool sparse, int64_t nnz,
                           wlab_err *err)
{
    if (!(*X = wlab_calloc(1, sizeof **X)))
        return wlab_nomem(err);
    **X = (wlab_matrix){.rows = rows, .cols = cols, .sparse = sparse, .nnz = nnz, .away = true};
    return WL_OK;
}

wlab_code wlab_matrix_rows(wlab_matrix **view, const wlab_matrix *X, const int32_t *pick, int64_t n,
                           wlab_err *err)
{
    return wlab_matrix_rows_progress(view, X, pick, n, NULL, err);
}

wlab_code wlab_matrix_rows_progress(wlab_matrix **view, const wlab_matrix *X, const int32_t *pick, int64_t n,
                                    wlab_ctx *ctx, wlab_err *err)
{
    wlab_matrix *m;

    bool same = n == X->rows; /* all rows, in order */

    *view = NULL;
    for (int64_t i = 0; i < n; i++) {
        if (pick[i] < 0 || pick[i] >= X->rows)
            return wlab_fail(err, WL_EARG, "there is no row %d among %lld", (int)pick[i] + 1,
                             (long long)X->rows);
        same = same && pick[i] == i;
    }
    if (X->away)
        return same ? wlab_matrix_away(view, X->rows, X->cols, X->sparse, X->nnz, err)
                    : wlab_fail(err, WL_ESTATE,
                                "the rows are on several ranks, where only all of them can be used");
    m = new_matrix(n, X->cols);
    if (!m)
        return wlab_nomem(err);
    m->sparse = X->sparse;
    m->view = true;
    m->val = X->val;
    m->col = X->col;
    m->dense = X->dense;
    for (int64_t i = 0; i < n; i++) {
        m->start[i] = X->start[pick[i]];
        m->len[i] = X->len[pick[i]];
    }
    if (same)
        m->parts = X->parts;
    if (!count_nonzeros(m, &m->nnz, ctx)) {
        wlab_matrix_destroy(m);
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the entries of the rows were counted");
    }
    *view = m;
    return WL_OK;
}

static wlab_code check_interrupt(const wlab_ctx *ctx, wlab_err *err)
{
    return wlab_interrupted(ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
}

static wlab_code to_dense(wlab_matrix **out, const wlab_matrix *m, const wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_matrix_create_dense(out, m->rows, m->cols, err);

    if (code)
        return code;
    for (int64_t i = 0; i < m->rows && !(code = check_interrupt(ctx, err)); i++)
        for (int64_t k = m->start[i]; k < m->start[i] + m->len[i]; k++)
            (*out)->dense[i * m->cols + m->col[k]] = (double)m->val[k];
    if (code) {
        wlab_matrix_destroy(*out);
        *out = NULL;
    }
    return code;
}

/* Copies the entries of m that are not 0 in single precision. */
static wlab_code to_sparse(wlab_matrix **out, const wlab_matrix *m, int64_t nnz, const wlab_ctx *ctx,
                           wlab_err *err)
{
    wlab_code code = wlab_matrix_create_sparse(out, m->rows, m->cols, nnz, err);
    wlab_matrix *s = *out;
    int64_t at = 0;

    if (code)
        return code;
    for (int64_t i = 0; i < m->rows && !code; i++) {
        s->start[i] = at;
        code = check_interrupt(ctx, err);
        for (int32_t k = 0; k < m->len[i] && !code; k++) {
            const float v = m->sparse ? m->val[m->start[i] + k] : (float)m->dense[m->start[i] + k];

            if (isinf(v))
                code = wlab_fail(err, WL_ENUMERIC,
                                 "row %lld has a number above 3.4e38 in column %d: too large for sparse data",
                                 (long long)i + 1, (int)(m->sparse ? m->col[m->start[i] + k] : k) + 1);
            if (code || v == 0.0f)
                continue;
            s->val[at] = v;
            s->col[at++] = m->sparse ? m->col[m->start[i] + k] : k;
        }
        s->len[i] = (int32_t)(at - s->start[i]);
    }
    s->nnz = at;
    if (code) {
        wlab_matrix_destroy(s);
        *out = NULL;
    }
    return code;
}

wlab_code wlab_matrix_settle(wlab_matrix **X, const wlab_ctx *ctx, wlab_err *err)
{
    wlab_matrix *m = *X, *made;
    int64_t nnz;
    (void)count_nonzeros(m, &nnz, NULL);
    const bool dense = (double)nnz * 2.0 >= (double)m->rows * (double)m->cols;
    wlab_code code;

    if (dense ? !m->sparse : m->sparse && nnz == m->nnz) {
        m->nnz = nnz;
        return WL_OK;
    }
    code = dense ? to_dense(&made, m, ctx, err) : to_sparse(&made, m, nnz, ctx, err);
    if (code)
        return code;
    if (dense)
        made->nnz = nnz;
    wlab_matrix_destroy(m);
    *X = made;
    return WL_OK;
}

double wlab_matrix_at(const wlab_matrix *m, int64_t row, int32_t col)
{
    int64_t lo = m->start[row], hi = lo + m->len[row];

    if (!m->sparse)
        return m->dense[lo + col];
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (m->col[mid] < col)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->start[row] + m->len[row] && m->col[lo] == col ? (double)m->val[lo] : 0.0;
}

double wlab_matrix_row_dot(const wlab_matrix *m, int64_t row, const double *w)
{
    const int64_t s = m->start[row];

    return m->sparse ? wlab_sparse_dot(m->val + s, m->col + s, m->len[row], w)
                     : wlab_dense_dot(m->dense + s, w, m->len[row]);
}

void wlab_matrix_row_axpy(const wlab_matrix *m, int64_t row, double a, double *w)
{
    const int64_t s = m->start[row];

    if (m->sparse)
        wlab_sparse_axpy(m->val + s, m->col + s, m->len[row], a, w);
    else
        wlab_dense_axpy(m->dense + s, m->len[row], a, w);
}

double wlab_matrix_row_sqnorm(const wlab_matrix *m, int64_t row)
{
    return wlab_matrix_rows_dot(m, row, m, row);
}

double wlab_matrix_rows_dot(const wlab_matrix *a, int64_t i, const wlab_matrix *b, int64_t j)
{
    int64_t p, q, pe, qe;
    double sum = 0;

    if (!a->sparse && !b->sparse)
        return wlab_dense_dot(a->dense + a->start[i], b->dense + b->start[j], a->len[i]);
    if (!b->sparse)
        return wlab_matrix_row_dot(a, i, b->dense + b->start[j]);
    if (!a->sparse)
        return wlab_matrix_row_dot(b, j, a->dense + a->start[i]);
    p = a->start[i], pe = p + a->len[i];
    q = b->start[j], qe = q + b->len[j];
    while (p < pe && q < qe) {
        const int32_t c = a->col[p], d = b->col[q];
        if (c == d)
            sum += (double)a->val[p] * (double)b->val[q];
        p += c <= d;
        q += d <= c;
    }
    return sum;
}

/* The squares of entries k .. n-1 of a dense row. */
static double dense_tail(const double *a, int32_t k, int32_t n)
{
    double sum = 0;

    for (; k < n; k++)
        sum += a[k] * a[k];
    return sum;
}

static double dense_distance(const double *a, int32_t na, const double *b, int32_t nb)
{
    const int32_t n = na < nb ? na : nb;
    double s[4] = {0};
    int32_t k = 0;

    for (; k + 4 <= n; k += 4)
        for (int32_t j = 0; j < 4; j++)
            s[j] += (a[k + j] - b[k + j]) * (a[k + j] - b[k + j]);
    for (; k < n; k++)
        s[0] += (a[k] - b[k]) * (a[k] - b[k]);
    return (s[0] + s[1]) + (s[2] + s[3]) + dense_tail(a, n, na) + dense_tail(b, n, nb);
}

/* Row i of a sparse matrix and a dense row of n columns. */
static double mixed_distance(const wlab_matrix *a, int64_t i, const double *b, int32_t n)
{
    int64_t p = a->start[i];
    const int64_t end = p + a->len[i];
    double sum = 0;

    for (int32_t k = 0; k < n; k++) {
        const double v = p < end && a->col[p] == k ? (double)a->val[p++] : 0;
        sum += (v - b[k]) * (v - b[k]);
    }
    for (; p < end; p++)
        sum += (double)a->val[p] * (double)a->val[p];
    return sum;
}

double wlab_matrix_rows_distance(const wlab_matrix *a, int64_t i, const wlab_matrix *b, int64_t j)
{
    double sum = 0;

    if (!a->sparse && !b->sparse)
        return dense_distance(a->dense + a->start[i], a->len[i], b->dense + b->start[j], b->len[j]);
    if (!b->sparse)
        return mixed_distance(a, i, b->dense + b->start[j], b->len[j]);
    if (!a->sparse)
        return mixed_distance(b, j, a->dense + a->start[i], a->len[i]);
    int64_t p = a->start[i], q = b->start[j];
    const int64_t p_end = p + a->len[i], q_end = q + b->len[j];
    while (p < p_end || q < q_end) {
        double difference;
        if (q == q_end || (p < p_end && a->col[p] < b->col[q]))
            difference = (double)a->val[p++];
        else if (p == p_end || b->col[q] < a->col[p])
            difference = (double)b->val[q++];
        else
            difference = (double)a->val[p++] - (double)b->val[q++];
        sum += difference * difference;
    }
    return sum;
}
