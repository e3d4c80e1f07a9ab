/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The weight vectors of several labelings, and passes over the data with them.  Passes that read share the rows; the one
 * that writes shares the columns, so that every sum is added up in the order of the rows whoever does it.
 */
#include "algo/wellsvm_vectors.h"

#include <string.h>

enum {
    ROW_BLOCKS = 64,
    COLUMN_BLOCKS = 2, /* each reads all rows */
    AHEAD = 8,
    LINE = 16, /* entries of 4 bytes in a line of cache */
    MOST_FETCHED = 256
};

/* Four, or two, numbers side by side that need not be aligned. */
typedef double four __attribute__((vector_size(32), aligned(8)));
typedef double two __attribute__((vector_size(16), aligned(8)));

wlab_code well_vectors_create(well_vectors **out, const wlab_matrix *X, double bias, const int8_t *y,
                              int64_t T, const bool *pick, wlab_pool *pool, wlab_err *err)
{
    *out = NULL;
    well_vectors *w = wlab_calloc(1, sizeof *w);
    if (!w)
        return wlab_nomem(err);
    w->X = X;
    w->pool = pool;
    w->bias = bias;
    for (int64_t t = 0; t < T; t++)
        w->T += !pick || pick[t];
    w->width = w->T + (w->T & 1);
    w->words = (w->T + 31) / 32;
    w->v = wlab_calloc((size_t)X->cols * (size_t)w->width, sizeof *w->v);
    w->vb = wlab_calloc((size_t)w->width, sizeof *w->vb);
    w->sign = wlab_calloc((size_t)(X->rows * w->words), sizeof *w->sign);
    if (!w->v || !w->vb || !w->sign) {
        well_vectors_destroy(w);
        return wlab_nomem(err);
    }
    for (int64_t t = 0, k = 0; t < T; t++) {
        if (pick && !pick[t])
            continue;
        for (int64_t i = 0; i < X->rows; i++)
            w->sign[i * w->words + (k >> 5)] |= (uint32_t)(y[t * X->rows + i] < 0) << (k & 31);
        k++;
    }
    *out = w;
    return WL_OK;
}

void well_vectors_destroy(well_vectors *w)
{
    if (!w)
        return;
    wlab_free(w->v);
    wlab_free(w->vb);
    wlab_free(w->sign);
    wlab_free(w);
}

void well_vectors_fetch(const well_vectors *w, int64_t i)
{
    const wlab_matrix *X = w->X;
    if (!X->sparse)
        return;
    const float *v = X->val + X->start[i];
    const int32_t *c = X->col + X->start[i];
    for (int32_t k = 0; k < X->len[i] && k < MOST_FETCHED; k += LINE) {
        __builtin_prefetch(v + k);
        __builtin_prefetch(c + k);
    }
}

/* dot_t for eight, four or two labelings from t on. */
static inline void dots_from(const well_vectors *w, int64_t i, int64_t t, int many, double *dot)
{
    const wlab_matrix *X = w->X;
    const int64_t first = X->start[i], width = w->width;
    const int32_t n = X->len[i];
    const double *v = w->v + t;
    if (many == 2) {
        two a = *(const two *)(w->vb + t) * w->bias;
        for (int32_t k = 0; k < n; k++) {
            const double x = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
            a += x * *(const two *)(v + (X->sparse ? X->col[first + k] : k) * width);
        }
        *(two *)dot = a;
        return;
    }
    four a = *(const four *)(w->vb + t) * w->bias, b = {0};
    if (many == 4) {
        for (int32_t k = 0; k < n; k++) {
            const double x = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
            a += x * *(const four *)(v + (X->sparse ? X->col[first + k] : k) * width);
        }
        *(four *)dot = a;
        return;
    }
    b = *(const four *)(w->vb + t + 4) * w->bias;
    for (int32_t k = 0; k < n; k++) {
        const double x = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
        const double *at = v + (X->sparse ? X->col[first + k] : k) * width;
        a += x * *(const four *)at;
        b += x * *(const four *)(at + 4);
    }
    *(four *)dot = a;
    *(four *)(dot + 4) = b;
}

void well_vectors_dots(const well_vectors *w, int64_t i, double *dot)
{
    int64_t t = 0;
    for (; t + 8 <= w->width; t += 8)
        dots_from(w, i, t, 8, dot + t);
    if (t + 4 <= w->width) {
        dots_from(w, i, t, 4, dot + t);
        t += 4;
    }
    if (t < w->width)
        dots_from(w, i, t, 2, dot + t);
}

static inline void add_from(const well_vectors *w, int64_t i, int64_t t, int many, const double *by,
                            int32_t lo, int32_t hi)
{
    const wlab_matrix *X = w->X;
    const int64_t first = X->start[i], width = w->width;
    const int32_t n = X->len[i];
    double *v = w->v + t;
    const two a2 = *(const two *)by;
    const four a = many >= 4 ? *(const four *)by : (four){0}, b = many == 8 ? *(const four *)(by + 4) : a;
    for (int32_t k = 0; k < n; k++) {
        const int32_t c = X->sparse ? X->col[first + k] : k;
        if (c < lo || c >= hi)
            continue;
        const double x = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
        double *at = v + c * width;
        if (many == 2) {
            *(two *)at += x * a2;
        } else {
            *(four *)at += x * a;
            if (many == 8)
                *(four *)(at + 4) += x * b;
        }
    }
}

static void add_columns(const well_vectors *w, int64_t i, const double *by, int32_t lo, int32_t hi)
{
    int64_t t = 0;
    for (; t + 8 <= w->width; t += 8)
        add_from(w, i, t, 8, by + t, lo, hi);
    if (t + 4 <= w->width) {
        add_from(w, i, t, 4, by + t, lo, hi);
        t += 4;
    }
    if (t < w->width)
        add_from(w, i, t, 2, by + t, lo, hi);
}

void well_vectors_add(well_vectors *w, int64_t i, const double *by)
{
    for (int64_t t = 0; t < w->width; t++)
        w->vb[t] += w->bias * by[t];
    add_columns(w, i, by, 0, INT32_MAX);
}

/* ---- passes ---- */
typedef struct pass {
    well_vectors *w;
    const double *alpha, *c;
    double *o;
} pass;

static int64_t block_first(const well_vectors *w, int b)
{
    return w->X->rows * b / ROW_BLOCKS;
}

static void outputs_block(void *data, int b)
{
    const pass *p = data;
    const well_vectors *w = p->w;
    const int64_t end = block_first(w, b + 1);
    double dot[8];
    for (int64_t i = block_first(w, b); i < end; i++) {
        const uint32_t *sign = well_signs(w, i);
        double o = 0;
        if (i + AHEAD < end)
            well_vectors_fetch(w, i + AHEAD);
        for (int64_t t = 0; t < w->width;) {
            const int many = w->width - t >= 8 ? 8 : w->width - t >= 4 ? 4 : 2;
            dots_from(w, i, t, many, dot);
            for (int k = 0; k < many && t + k < w->T; k++)
                o += p->c[t + k] * well_sign(sign, t + k) * dot[k];
            t += many;
        }
        p->o[i] = o;
    }
}

void well_vectors_outputs(well_vectors *w, const double *c, double *o)
{
    pass p = {.w = w, .c = c, .o = o};
    wlab_pool_run(w->pool, ROW_BLOCKS, outputs_block, &p);
}

static void rebuild_block(void *data, int b)
{
    const pass *p = data;
    well_vectors *w = p->w;
    const int64_t rows = w->X->rows;
    const int32_t cols = w->X->cols;
    const int32_t lo = (int32_t)((int64_t)cols * b / COLUMN_BLOCKS),
                  hi = (int32_t)((int64_t)cols * (b + 1) / COLUMN_BLOCKS);
    double by[8];
    memset(w->v + lo * w->width, 0, (size_t)((hi - lo) * w->width) * sizeof *w->v);
    for (int64_t i = 0; i < rows; i++) {
        if (i + AHEAD < rows && p->alpha[i + AHEAD] != 0)
            well_vectors_fetch(w, i + AHEAD);
        if (p->alpha[i] == 0)
            continue;
        const uint32_t *sign = well_signs(w, i);
        for (int64_t t = 0; t < w->width;) {
            const int many = w->width - t >= 8 ? 8 : w->width - t >= 4 ? 4 : 2;
            for (int k = 0; k < many; k++)
                by[k] = t + k < w->T ? p->alpha[i] * well_sign(sign, t + k) : 0;
            add_from(w, i, t, many, by, lo, hi);
            t += many;
        }
    }
}

void well_vectors_rebuild(well_vectors *w, const double *alpha)
{
    pass p = {.w = w, .alpha = alpha};
    wlab_pool_run(w->pool, COLUMN_BLOCKS, rebuild_block, &p);
    memset(w->vb, 0, (size_t)w->width * sizeof *w->vb);
    if (w->bias == 0)
        return;
    for (int64_t i = 0; i < w->X->rows; i++)
        if (alpha[i] != 0)
            for (int64_t t = 0; t < w->T; t++)
                w->vb[t] += w->bias * alpha[i] * well_sign(well_signs(w, i), t);
}

void well_vectors_norms(const well_vectors *w, double *norm)
{
    for (int64_t t = 0; t < w->T; t++)
        norm[t] = w->vb[t] * w->vb[t];
    for (int64_t j = 0; j < w->X->cols; j++) {
        const double *v = w->v + j * w->width;
        for (int64_t t = 0; t < w->T; t++)
            norm[t] += v[t] * v[t];
    }
}
