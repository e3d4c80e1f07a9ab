/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The weight vectors of several labelings, and passes over the data with them.  Passes that read the vectors
 * distribute rows over threads.  The pass that writes them distributes columns, so that every sum is added up in the
 * order of the rows for any number of threads.
 */
#include "algo/wellsvm/vectors.h"

#include "linalg/row.h"

#include <string.h>

enum {
    ROW_BLOCKS = 64,
    COLUMN_BLOCKS = 2, /* each reads all rows */
    AHEAD = 8,         /* rows prefetched ahead */
    LINE = 16,         /* entries of 4 bytes per cache line */
    LEFT_OUT = 255,    /* the kind of a row that is left out */
    MOST_FETCHED = 256,
    MOST_WORDS = 4 /* words of signs; with more labelings each row is computed by itself */
};

/* Two adjacent numbers that need not be aligned; every processor has registers for them. */
typedef double two __attribute__((vector_size(16), aligned(8)));

static inline two load(const double *p)
{
    return *(const two *)p;
}
static inline void store(double *p, two x)
{
    *(two *)p = x;
}

wlab_code well_vectors_create(well_vectors **out, const wlab_matrix *X, double bias, const uint32_t *sign,
                              int64_t words, int64_t T, wlab_pool *pool, wlab_err *err)
{
    *out = NULL;
    well_vectors *w = wlab_calloc(1, sizeof *w);
    if (!w)
        return wlab_nomem(err);
    *w = (well_vectors){.X = X, .pool = pool, .bias = bias, .T = T, .width = T + (T & 1)};
    w->sign = sign;
    w->words = words;
    w->v = wlab_calloc((size_t)X->cols * (size_t)w->width, sizeof *w->v);
    w->vb = wlab_calloc((size_t)w->width, sizeof *w->vb);
    w->z = wlab_alloc((size_t)X->cols, sizeof *w->z);
    w->kind = wlab_calloc((size_t)X->rows, 1);
    if (!w->v || !w->vb || !w->z || !w->kind) {
        well_vectors_destroy(w);
        return wlab_nomem(err);
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
    wlab_free(w->z);
    wlab_free(w->kind);
    wlab_free(w);
}

void well_vectors_leave_out(well_vectors *w, int64_t i)
{
    w->kind[i] = LEFT_OUT;
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

static inline double entry(const wlab_matrix *X, int64_t at, bool sparse)
{
    return sparse ? (double)X->val[at] : X->dense[at];
}

/* dot_t for `many` = 8, 4 or 2 labelings from t on. */
static inline void dots_from(const well_vectors *w, int64_t i, int64_t t, const int many, const bool sparse,
                             double *dot)
{
    const wlab_matrix *X = w->X;
    const int64_t first = X->start[i], width = w->width;
    const int32_t n = X->len[i];
    const double *v = w->v + t, *vb = w->vb + t;
    two a = load(vb) * w->bias, b = a, c = a, d = a;
    if (many > 2)
        b = load(vb + 2) * w->bias;
    if (many > 4) {
        c = load(vb + 4) * w->bias;
        d = load(vb + 6) * w->bias;
    }
    for (int32_t k = 0; k < n; k++) {
        const double x = entry(X, first + k, sparse), *at = v + (sparse ? X->col[first + k] : k) * width;
        a += x * load(at);
        if (many > 2)
            b += x * load(at + 2);
        if (many > 4) {
            c += x * load(at + 4);
            d += x * load(at + 6);
        }
    }
    store(dot, a);
    if (many > 2)
        store(dot + 2, b);
    if (many > 4) {
        store(dot + 4, c);
        store(dot + 6, d);
    }
}

static void dots8(const well_vectors *w, int64_t i, int64_t t, double *dot)
{
    if (w->X->sparse)
        dots_from(w, i, t, 8, true, dot);
    else
        dots_from(w, i, t, 8, false, dot);
}

static void dots4(const well_vectors *w, int64_t i, int64_t t, double *dot)
{
    if (w->X->sparse)
        dots_from(w, i, t, 4, true, dot);
    else
        dots_from(w, i, t, 4, false, dot);
}

static void dots2(const well_vectors *w, int64_t i, int64_t t, double *dot)
{
    if (w->X->sparse)
        dots_from(w, i, t, 2, true, dot);
    else
        dots_from(w, i, t, 2, false, dot);
}

void well_vectors_dots(const well_vectors *w, int64_t i, double *dot)
{
    int64_t t = 0;
    for (; t + 8 <= w->width; t += 8)
        dots8(w, i, t, dot + t);
    if (t + 4 <= w->width) {
        dots4(w, i, t, dot + t);
        t += 4;
    }
    if (t < w->width)
        dots2(w, i, t, dot + t);
}

static inline void add_from(const well_vectors *w, int64_t i, int64_t t, const int many, const double *by,
                            const bool sparse, int32_t lo, int32_t hi)
{
    const wlab_matrix *X = w->X;
    const int64_t first = X->start[i], width = w->width;
    const int32_t n = X->len[i];
    double *v = w->v + t;
    const two a = load(by), b = many > 2 ? load(by + 2) : a, c = many > 4 ? load(by + 4) : a,
              d = many > 4 ? load(by + 6) : a;
    for (int32_t k = 0; k < n; k++) {
        const int32_t col = sparse ? X->col[first + k] : k;
        if (col < lo || col >= hi)
            continue;
        const double x = entry(X, first + k, sparse);
        double *at = v + col * width;
        store(at, load(at) + x * a);
        if (many > 2)
            store(at + 2, load(at + 2) + x * b);
        if (many > 4) {
            store(at + 4, load(at + 4) + x * c);
            store(at + 6, load(at + 6) + x * d);
        }
    }
}

static void add8(const well_vectors *w, int64_t i, int64_t t, const double *by, int32_t lo, int32_t hi)
{
    if (w->X->sparse)
        add_from(w, i, t, 8, by, true, lo, hi);
    else
        add_from(w, i, t, 8, by, false, lo, hi);
}

static void add4(const well_vectors *w, int64_t i, int64_t t, const double *by, int32_t lo, int32_t hi)
{
    if (w->X->sparse)
        add_from(w, i, t, 4, by, true, lo, hi);
    else
        add_from(w, i, t, 4, by, false, lo, hi);
}

static void add2(const well_vectors *w, int64_t i, int64_t t, const double *by, int32_t lo, int32_t hi)
{
    if (w->X->sparse)
        add_from(w, i, t, 2, by, true, lo, hi);
    else
        add_from(w, i, t, 2, by, false, lo, hi);
}

static void add_columns(const well_vectors *w, int64_t i, const double *by, int32_t lo, int32_t hi)
{
    int64_t t = 0;
    for (; t + 8 <= w->width; t += 8)
        add8(w, i, t, by + t, lo, hi);
    if (t + 4 <= w->width) {
        add4(w, i, t, by + t, lo, hi);
        t += 4;
    }
    if (t < w->width)
        add2(w, i, t, by + t, lo, hi);
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
    const double *alpha, *c, *mix;
    double *o, zb;
    int kind;
} pass;

static int64_t block_first(const well_vectors *w, int b)
{
    return w->X->rows * b / ROW_BLOCKS;
}

/* sum_t c_t y_ti v_t'x_i, summed vector by vector. */
static double output(const well_vectors *w, int64_t i, const double *c)
{
    const uint32_t *sign = well_signs(w, i);
    double o = 0, dot[8];
    for (int64_t t = 0; t < w->width;) {
        const int many = w->width - t >= 8 ? 8 : w->width - t >= 4 ? 4 : 2;
        (many == 8 ? dots8 : many == 4 ? dots4 : dots2)(w, i, t, dot);
        for (int k = 0; k < many && t + k < w->T; k++)
            o += c[t + k] * well_sign(sign, t + k) * dot[k];
        t += many;
    }
    return o;
}

/* Rows whose labels, relative to their first label y_1, form the same pattern over the labelings with c_t != 0 have
 * one vector z = sum_t c_t (y_t y_1) v_t in common: their output is y_1 z'x, one product in place of T. */
static void outputs_block(void *data, int b)
{
    const pass *p = data;
    const well_vectors *w = p->w;
    const wlab_matrix *X = w->X;
    const int64_t end = block_first(w, b + 1);
    for (int64_t i = block_first(w, b); i < end; i++) {
        if (i + AHEAD < end && w->kind[i + AHEAD] == p->kind)
            well_vectors_fetch(w, i + AHEAD);
        if (w->kind[i] != p->kind)
            continue;
        if (p->kind == 0) {
            p->o[i] = output(w, i, p->c);
            continue;
        }
        const int64_t s = X->start[i];
        const double o = p->zb + (X->sparse ? wlab_sparse_dot(X->val + s, X->col + s, X->len[i], w->z)
                                            : wlab_dense_dot(X->dense + s, w->z, X->len[i]));
        p->o[i] = well_signs(w, i)[0] & 1 ? -o : o;
    }
}

enum {
    COLUMN_CHUNK = 4096
};

/* z = sum_t mix_t v_t for the rows of one pattern. */
static void mix_chunk(void *data, int b)
{
    const pass *p = data;
    well_vectors *w = p->w;
    const int64_t begin = (int64_t)b * COLUMN_CHUNK, cols = w->X->cols,
                  end = begin + COLUMN_CHUNK < cols ? begin + COLUMN_CHUNK : cols;
    for (int64_t j = begin; j < end; j++) {
        const double *v = w->v + j * w->width;
        double z = 0;
        for (int64_t t = 0; t < w->T; t++)
            z += p->mix[t] * v[t];
        w->z[j] = z;
    }
}

/* Word k of the signs of row i relative to its first sign, for the labelings in `mask`. */
static inline uint32_t relative(const well_vectors *w, int64_t i, const uint32_t *mask, int64_t k)
{
    const uint32_t *sign = well_signs(w, i);
    return (sign[0] & 1 ? ~sign[k] : sign[k]) & mask[k];
}

static bool same_pattern(const well_vectors *w, int64_t i, int64_t j, const uint32_t *mask)
{
    for (int64_t k = 0; k < w->words; k++)
        if (relative(w, i, mask, k) != relative(w, j, mask, k))
            return false;
    return true;
}

enum {
    SLOTS = 1024, /* of the hash table of patterns, a power of 2 */
    KINDS = 64
};

typedef struct pattern {
    int32_t like, rows; /* a row with this pattern; the number of such rows */
    uint8_t kind;
} pattern;

/* The slot of row i's pattern, or a free slot for it, or NULL if there is neither. */
static pattern *find_slot(const well_vectors *w, pattern *table, int64_t i, const uint32_t *mask)
{
    uint32_t hash = 0;
    for (int64_t k = 0; k < w->words; k++)
        hash = (hash ^ relative(w, i, mask, k)) * 2654435761u;
    for (int probe = 0; probe < 8; probe++) {
        pattern *p = &table[((hash >> 16) + (uint32_t)probe) & (SLOTS - 1)];
        if (p->rows == 0 || same_pattern(w, i, p->like, mask))
            return p;
    }
    return NULL;
}

/* Sets kind[i] to 1, 2, ... if row i's pattern is frequent enough to pay for a vector of its own, else to 0.  Returns
 * the number of such patterns; like[kind] is a row with the pattern. */
static int sort_patterns(well_vectors *w, const double *c, pattern *table, int64_t *like)
{
    uint32_t mask[MOST_WORDS] = {0};
    int kinds = 0;
    memset(table, 0, SLOTS * sizeof *table);
    for (int64_t i = 0; i < w->X->rows; i++)
        w->kind[i] = w->kind[i] == LEFT_OUT ? LEFT_OUT : 0;
    if (w->words > MOST_WORDS || w->T == 1)
        return 0;
    for (int64_t t = 0; t < w->T; t++)
        mask[t >> 5] |= (uint32_t)(c[t] != 0) << (t & 31);
    for (int64_t i = 0; i < w->X->rows; i++) {
        if (w->kind[i] == LEFT_OUT)
            continue;
        pattern *p = find_slot(w, table, i, mask);
        if (!p)
            continue;
        if (p->rows++ == 0)
            p->like = (int32_t)i;
    }
    const double mean = (double)w->X->nnz / (double)(w->X->rows ? w->X->rows : 1);
    for (int k = 0; k < SLOTS && kinds < KINDS; k++)
        if ((double)table[k].rows * mean > 2.0 * w->X->cols) {
            table[k].kind = (uint8_t)++kinds;
            like[kinds] = table[k].like;
        }
    for (int64_t i = 0; i < w->X->rows && kinds; i++) {
        if (w->kind[i] == LEFT_OUT)
            continue;
        const pattern *p = find_slot(w, table, i, mask);
        w->kind[i] = p && p->rows ? p->kind : 0;
    }
    return kinds;
}

wlab_code well_vectors_outputs(well_vectors *w, const double *c, double *o, wlab_err *err)
{
    int64_t like[KINDS + 1];
    pass p = {.w = w, .c = c, .o = o};
    pattern *table = wlab_alloc(SLOTS, sizeof *table);
    double *mix = wlab_alloc((size_t)w->width, sizeof *mix);
    if (!table || !mix) {
        wlab_free(table);
        wlab_free(mix);
        return wlab_nomem(err);
    }
    const int kinds = sort_patterns(w, c, table, like);
    for (p.kind = 0; p.kind <= kinds; p.kind++) {
        if (p.kind > 0) {
            const uint32_t *sign = well_signs(w, like[p.kind]);
            p.mix = mix;
            p.zb = 0;
            for (int64_t t = 0; t < w->T; t++) {
                mix[t] = c[t] * well_sign(sign, t) * well_sign(sign, 0);
                p.zb += mix[t] * w->vb[t] * w->bias;
            }
            wlab_pool_run(w->pool, (w->X->cols + COLUMN_CHUNK - 1) / COLUMN_CHUNK, mix_chunk, &p);
        }
        wlab_pool_run(w->pool, ROW_BLOCKS, outputs_block, &p);
    }
    wlab_free(table);
    wlab_free(mix);
    return WL_OK;
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
            (many == 8 ? add8 : many == 4 ? add4 : add2)(w, i, t, by, lo, hi);
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
