/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Super-instances: their members, means and mean kernels.
 */
#include "algo/llp/super_instances.h"
#include "base/progress.h"
#include "base/sort.h"
#include "model/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DENSE_MEANS = 30000000, /* most entries of dense means: 240 MB */
    BLOCK_VALUES = 8000000  /* kernel values computed at a time */
};

/* Returns how many rows of bag g are unlabelled; *proportion: the fraction of positives among these. */
static int64_t unlabelled_rows(const wlab_proportions *b, int64_t g, double *proportion)
{
    const int64_t size = wlab_proportions_size(b, g);
    int64_t known = 0, positives = 0;

    for (int64_t j = b->start[g]; j < b->start[g + 1]; j++) {
        known += b->visible[b->member[j]] != 0;
        positives += b->visible[b->member[j]] > 0;
    }
    *proportion = b->proportion[g];
    if (known > 0 && known < size)
        *proportion = (*proportion * (double)size - (double)positives) / (double)(size - known);
    if (!isnan(*proportion))
        *proportion = fmin(fmax(*proportion, 0), 1);
    return size - known;
}

wlab_code wlab_super_instances_create(wlab_super_instances **out, const wlab_problem *p,
                                      const wlab_proportions *b, wlab_err *err)
{
    int64_t singles = 0;
    double proportion;
    wlab_code code = WL_OK;
    wlab_super_instances *s = wlab_calloc(1, sizeof *s);
    int32_t *of = wlab_alloc((size_t)p->n, sizeof *of);

    *out = NULL;
    if (!s || !of) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < p->n; i++)
        singles += p->visible[i] != 0;
    for (int64_t g = 0; g < b->bags; g++)
        s->bags += unlabelled_rows(b, g, &proportion) > 0 && !isnan(proportion);
    s->n = s->bags + singles;
    s->start = wlab_alloc((size_t)s->n + 1, sizeof *s->start);
    s->member = wlab_alloc((size_t)p->n, sizeof *s->member);
    s->proportion = wlab_alloc((size_t)s->n, sizeof *s->proportion);
    if (!s->start || !s->member || !s->proportion) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0, next = s->bags; i < p->n; i++) {
        of[i] = p->visible[i] ? (int32_t)next : -1;
        if (p->visible[i])
            s->proportion[next++] = p->visible[i] > 0;
    }
    for (int64_t g = 0, next = 0; g < b->bags; g++)
        if (unlabelled_rows(b, g, &proportion) > 0 && !isnan(proportion)) {
            for (int64_t j = b->start[g]; j < b->start[g + 1]; j++)
                if (!b->visible[b->member[j]])
                    of[b->member[j]] = (int32_t)next;
            s->proportion[next++] = proportion;
        }
    wlab_members_fill(of, p->n, s->n, s->start, s->member);
    s->rows = s->start[s->n];
    if (s->n == 0)
        code = wlab_fail(err, WL_ESTATE, "the task `%s` gives no label of a row and no proportion of a bag",
                         p->task->name);
out:
    wlab_free(of);
    if (code)
        wlab_super_instances_destroy(s);
    else
        *out = s;
    return code;
}

void wlab_super_instances_destroy(wlab_super_instances *s)
{
    if (!s)
        return;
    wlab_free(s->start);
    wlab_free(s->member);
    wlab_free(s->proportion);
    wlab_free(s);
}

void wlab_super_instances_spread(const wlab_super_instances *s, const double *a, double *c, int64_t instances)
{
    memset(c, 0, (size_t)instances * sizeof *c);
    for (int64_t k = 0; k < s->n; k++)
        for (int64_t j = s->start[k]; j < s->start[k + 1]; j++)
            c[s->member[j]] = a[k] / (double)wlab_super_instances_size(s, k);
}

void wlab_super_instances_singles_text(const wlab_super_instances *s, char *buf, size_t size)
{
    const int64_t single = s->n - s->bags;

    buf[0] = 0;
    if (single > 0)
        snprintf(buf, size, " and %lld labelled rows by themselves", (long long)single);
}

/* ---- means ---- */

static wlab_code dense_means(wlab_matrix **M, const wlab_super_instances *s, const wlab_matrix *X,
                             wlab_err *err)
{
    wlab_code code = wlab_matrix_create_dense(M, s->n, X->cols, err);

    for (int64_t k = 0; !code && k < s->n; k++) {
        double *m = (*M)->dense + k * X->cols;

        for (int64_t j = s->start[k]; j < s->start[k + 1]; j++)
            wlab_matrix_row_axpy(X, s->member[j], 1, m);
        for (int32_t c = 0; c < X->cols; c++) {
            m[c] /= (double)wlab_super_instances_size(s, k);
            (*M)->nnz += m[c] != 0;
        }
    }
    return code;
}

static int by_column(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return x < y ? -1 : x > y;
}

/* Puts the sum of the rows of set k into `sum` and lists its columns in touched[0..n-1], ascending; returns n.  Only
 * these columns of `sum` are valid. */
static int64_t sum_rows(const wlab_super_instances *s, const wlab_matrix *X, int64_t k, double *sum,
                        int64_t *stamp, int32_t *touched)
{
    int64_t n = 0;

    for (int64_t j = s->start[k]; j < s->start[k + 1]; j++) {
        const int64_t row = s->member[j], at = X->start[row];

        for (int32_t e = 0; e < X->len[row]; e++) {
            const int32_t c = X->col[at + e];

            if (stamp[c] != k + 1) {
                stamp[c] = k + 1;
                sum[c] = 0;
                touched[n++] = c;
            }
            sum[c] += (double)X->val[at + e];
        }
    }
    qsort(touched, (size_t)n, sizeof *touched, by_column);
    return n;
}

static wlab_code sparse_means(wlab_matrix **M, const wlab_super_instances *s, const wlab_matrix *X,
                              wlab_err *err)
{
    const size_t d = (size_t)X->cols;
    wlab_code code = WL_OK;
    int64_t nnz = 0, *stamp = wlab_calloc(d, sizeof *stamp);
    double *sum = wlab_alloc(d, sizeof *sum);
    int32_t *touched = wlab_alloc(d, sizeof *touched);

    if (!stamp || !sum || !touched)
        code = wlab_nomem(err);
    for (int64_t k = 0; !code && k < s->n; k++)
        nnz += sum_rows(s, X, k, sum, stamp, touched);
    if (!code && !(code = wlab_matrix_create_sparse(M, s->n, X->cols, nnz, err))) {
        memset(stamp, 0, d * sizeof *stamp);
        nnz = 0;
        for (int64_t k = 0; k < s->n; k++) {
            const int64_t n = sum_rows(s, X, k, sum, stamp, touched);

            (*M)->start[k] = nnz;
            (*M)->len[k] = (int32_t)n;
            for (int64_t e = 0; e < n; e++, nnz++) {
                (*M)->col[nnz] = touched[e];
                (*M)->val[nnz] = (float)(sum[touched[e]] / (double)wlab_super_instances_size(s, k));
            }
        }
        (*M)->nnz = nnz;
    }
    wlab_free(stamp);
    wlab_free(sum);
    wlab_free(touched);
    return code;
}

wlab_code wlab_super_instances_means(wlab_matrix **M, const wlab_super_instances *s, const wlab_matrix *X,
                                     wlab_err *err)
{
    *M = NULL;
    return X->sparse && (double)s->n * X->cols > (double)DENSE_MEANS ? sparse_means(M, s, X, err)
                                                                     : dense_means(M, s, X, err);
}

/* ---- mean kernels ---- */

static wlab_code interrupted(wlab_err *err)
{
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted while the kernel of the bags was computed");
}

wlab_code wlab_super_instances_kernel(const wlab_super_instances *s, const wlab_problem *p,
                                      const wlab_kernel *kernel, double *K, wlab_ctx *ctx, wlab_err *err)
{
    /* one block for a precomputed matrix, because it is checked as a whole: it must be symmetric and psd */
    const int64_t most = BLOCK_VALUES / s->rows + 1;
    const int64_t block = kernel->kind == WL_K_PRECOMPUTED || most > s->rows ? s->rows : most;
    wlab_code code = WL_OK;
    wlab_matrix *all = NULL, *part = NULL;
    /* without reports: the rows are counted */
    wlab_ctx quiet = wlab_quiet(ctx);
    const int64_t each = wlab_look_every(2 * s->rows);
    double *G = wlab_alloc((size_t)block * (size_t)s->rows, sizeof *G);
    int32_t *row = wlab_alloc((size_t)s->rows, sizeof *row);
    wlab_progress progress;

    if (!G || !row)
        code = wlab_nomem(err);
    for (int64_t j = 0; !code && j < s->rows; j++)
        row[j] = p->row[s->member[j]];
    code = code ? code : wlab_matrix_rows(&all, p->X, s->member, s->rows, err);
    for (int64_t k = 0; !code && k < s->n; k++) {
        if (!wlab_look_at(k, 8 * s->n, NULL, ctx))
            code = interrupted(err);
        memset(K + k * s->n, 0, (size_t)s->n * sizeof *K);
    }
    wlab_progress_begin(&progress, ctx, "rows of mean kernels", s->rows);
    for (int64_t first = 0, k = 0; !code && first < s->rows; first += block) {
        const int64_t n = s->rows - first < block ? s->rows - first : block;

        if (wlab_interrupted(ctx)) {
            code = interrupted(err);
            break;
        }
        if (n < s->rows)
            code = wlab_matrix_rows(&part, p->X, s->member + first, n, err);
        code = code ? code : wlab_kernel_matrix_progress(kernel, part ? part : all, all, row, G, &quiet, err);
        for (int64_t i = 0; !code && i < n; i++) {
            if (i % each == 0) {
                if (wlab_interrupted(ctx)) {
                    code = interrupted(err);
                    break;
                }
                wlab_progress_add(&progress, i ? each : 0);
            }
            while (first + i >= s->start[k + 1])
                k++;
            for (int64_t l = 0; l < s->n; l++) {
                double sum = 0;
                for (int64_t j = s->start[l]; j < s->start[l + 1]; j++)
                    sum += G[i * s->rows + j];
                K[k * s->n + l] += sum;
            }
        }
        wlab_progress_add(&progress, n - (n - 1) / each * each);
        wlab_matrix_destroy(part);
        part = NULL;
    }
    for (int64_t k = 0; !code && k < s->n; k++)
        for (int64_t l = 0; l <= k; l++)
            K[k * s->n + l] = K[l * s->n + k] =
                0.5 * (K[k * s->n + l] + K[l * s->n + k]) /
                ((double)wlab_super_instances_size(s, k) * (double)wlab_super_instances_size(s, l));
    wlab_matrix_destroy(part);
    wlab_matrix_destroy(all);
    wlab_free(G);
    wlab_free(row);
    return code;
}
