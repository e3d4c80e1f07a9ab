/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The weight vectors of several labelings, and passes over the data with them.
 */
#include "algo/wellsvm/vectors.h"

#include "linalg/row.h"

#include <string.h>

enum {
    ROW_BLOCKS = 64,
    AHEAD = 8,      /* rows prefetched ahead */
    LINE = 16,      /* entries of 4 bytes per cache line */
    LEFT_OUT = 255, /* the kind of a row that is left out */
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

wlab_code well_vectors_create(well_vectors **out, const wlab_matrix *X, wlab_passes *passes, double bias,
                              const uint32_t *sign, int64_t words, int64_t T, wlab_pool *pool, wlab_err *err)
{
    *out = NULL;
    well_vectors *w = wlab_calloc(1, sizeof *w);
    const wlab_code begun =
        wlab_ranks_agree(wlab_passes_rows(passes)->ranks, w ? WL_OK : wlab_nomem(err), err);
    if (begun) {
        wlab_free(w);
        return begun;
    }
    const wlab_rows *rows = wlab_passes_rows(passes);
    *w = (well_vectors){.X = X, .passes = passes, .pool = pool, .bias = bias, .T = T, .width = T + (T & 1)};
    w->mean = (double)wlab_ranks_total(rows->ranks, X->nnz) / (double)(rows->all ? rows->all : 1);
    w->sign = sign;
    w->words = words;
    w->v = wlab_calloc((size_t)X->cols * (size_t)w->width, sizeof *w->v);
    w->vb = wlab_calloc((size_t)w->width, sizeof *w->vb);
    w->z = wlab_alloc((size_t)X->cols, sizeof *w->z);
    w->kind = wlab_calloc((size_t)X->rows, 1);
    w->one = wlab_alloc((size_t)X->rows, sizeof *w->one);
    const bool full = w->v && w->vb && w->z && w->kind && w->one;
    const wlab_code code = wlab_ranks_agree(rows->ranks, full ? WL_OK : wlab_nomem(err), err);
    if (code) {
        well_vectors_destroy(w);
        return code;
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
    wlab_free(w->one);
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
                            const bool sparse)
{
    const wlab_matrix *X = w->X;
    const int64_t first = X->start[i], width = w->width;
    const int32_t n = X->len[i];
    double *v = w->v + t;
    const two a = load(by), b = many > 2 ? load(by + 2) : a, c = many > 4 ? load(by + 4) : a,
              d = many > 4 ? load(by + 6) : a;
    for (int32_t k = 0; k < n; k++) {
        const int32_t col = sparse ? X->col[first + k] : k;
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

static void add8(const well_vectors *w, int64_t i, int64_t t, const double *by)
{
    if (w->X->sparse)
        add_from(w, i, t, 8, by, true);
    else
        add_from(w, i, t, 8, by, false);
}

static void add4(const well_vectors *w, int64_t i, int64_t t, const double *by)
{
    if (w->X->sparse)
        add_from(w, i, t, 4, by, true);
    else
        add_from(w, i, t, 4, by, false);
}

static void add2(const well_vectors *w, int64_t i, int64_t t, const double *by)
{
    if (w->X->sparse)
        add_from(w, i, t, 2, by, true);
    else
        add_from(w, i, t, 2, by, false);
}

void well_vectors_add(well_vectors *w, int64_t i, const double *by)
{
    int64_t t = 0;

    for (int64_t k = 0; k < w->width; k++)
        w->vb[k] += w->bias * by[k];
    for (; t + 8 <= w->width; t += 8)
        add8(w, i, t, by + t);
    if (t + 4 <= w->width) {
        add4(w, i, t, by + t);
        t += 4;
    }
    if (t < w->width)
        add2(w, i, t, by + t);
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

enum {
    SLOTS = 1024, /* of the table of patterns, a power of 2 */
    KINDS = 64
};

/* A pattern that is frequent enough to pay for a vector of its own. */
typedef struct pattern {
    uint32_t word[MOST_WORDS]; /* relative signs */
    int32_t slot;
} pattern;

static inline int32_t slot_of(const well_vectors *w, int64_t i, const uint32_t *mask)
{
    uint32_t hash = 0;
    for (int64_t k = 0; k < w->words; k++)
        hash = (hash ^ relative(w, i, mask, k)) * 2654435761u;
    return (int32_t)((hash >> 16) & (SLOTS - 1));
}

static bool has_pattern(const well_vectors *w, int64_t i, const uint32_t *mask, const pattern *p)
{
    for (int64_t k = 0; k < w->words; k++)
        if (relative(w, i, mask, k) != p->word[k])
            return false;
    return true;
}

/* The first row of all ranks in each of the patterns' slots: its pattern.  Ranks have the rows in order. */
static void find_first(const well_vectors *w, const uint32_t *mask, const int16_t *index, pattern *p,
                       int kinds)
{
    wlab_ranks *ranks = wlab_passes_rows(w->passes)->ranks;
    bool found[KINDS] = {false};
    int left = kinds;

    for (int64_t i = 0; i < w->X->rows && left > 0; i++) {
        const int k = w->kind[i] == LEFT_OUT ? -1 : index[slot_of(w, i, mask)];
        if (k < 0 || found[k])
            continue;
        found[k] = true;
        left--;
        for (int64_t j = 0; j < w->words; j++)
            p[k].word[j] = relative(w, i, mask, j);
    }
    for (int k = 0; k < kinds && wlab_ranks_size(ranks) > 1; k++) {
        struct {
            pattern p;
            int32_t found;
        } own = {p[k], found[k]}, all[WL_RANKS_MOST];
        wlab_ranks_collect(ranks, &own, sizeof own, all);
        int r = 0;
        while (r + 1 < ranks->size && !all[r].found)
            r++;
        p[k] = all[r].p;
    }
}

/* Sets kind[i] to 1, 2, ... if row i's pattern is frequent enough to pay for a vector of its own, else to 0.  Returns
 * the number of such patterns; they are in p.  Counts, and so the patterns that are found, do not depend on the ranks: of
 * two patterns in one slot, the one of the first row counts. */
static int sort_patterns(well_vectors *w, const double *c, pattern *p)
{
    wlab_ranks *ranks = wlab_passes_rows(w->passes)->ranks;
    uint32_t mask[MOST_WORDS] = {0};
    int64_t count[SLOTS] = {0}, exact[KINDS] = {0};
    int16_t index[SLOTS];
    int kinds = 0, kept = 0;
    uint8_t number[KINDS];

    for (int64_t i = 0; i < w->X->rows; i++)
        w->kind[i] = w->kind[i] == LEFT_OUT ? LEFT_OUT : 0;
    if (w->words > MOST_WORDS || w->T == 1)
        return 0;
    for (int64_t t = 0; t < w->T; t++)
        mask[t >> 5] |= (uint32_t)(c[t] != 0) << (t & 31);
    for (int64_t i = 0; i < w->X->rows; i++)
        if (w->kind[i] != LEFT_OUT)
            count[slot_of(w, i, mask)]++;
    wlab_ranks_totals(ranks, count, SLOTS);
    for (int32_t k = 0; k < SLOTS; k++) {
        index[k] = -1;
        if (kinds < KINDS && (double)count[k] * w->mean > 2.0 * w->X->cols) {
            index[k] = (int16_t)kinds;
            p[kinds++] = (pattern){.slot = k};
        }
    }
    if (!kinds)
        return 0;
    find_first(w, mask, index, p, kinds);
    for (int64_t i = 0; i < w->X->rows; i++) {
        const int k = w->kind[i] == LEFT_OUT ? -1 : index[slot_of(w, i, mask)];
        if (k < 0 || !has_pattern(w, i, mask, &p[k]))
            continue;
        w->kind[i] = (uint8_t)(k + 1);
        exact[k]++;
    }
    wlab_ranks_totals(ranks, exact, kinds);
    for (int k = 0; k < kinds; k++) {
        number[k] = 0;
        if ((double)exact[k] * w->mean > 2.0 * w->X->cols) {
            p[kept] = p[k];
            number[k] = (uint8_t)++kept;
        }
    }
    for (int64_t i = 0; i < w->X->rows; i++)
        if (w->kind[i] != LEFT_OUT && w->kind[i] > 0)
            w->kind[i] = number[w->kind[i] - 1];
    return kept;
}

wlab_code well_vectors_outputs(well_vectors *w, const double *c, double *o, wlab_err *err)
{
    pattern found[KINDS];
    pass p = {.w = w, .c = c, .o = o};
    double *mix = wlab_alloc((size_t)w->width, sizeof *mix);
    const wlab_code code =
        wlab_ranks_agree(wlab_passes_rows(w->passes)->ranks, mix ? WL_OK : wlab_nomem(err), err);

    if (code) {
        wlab_free(mix);
        return code;
    }
    const int kinds = sort_patterns(w, c, found);
    for (p.kind = 0; p.kind <= kinds; p.kind++) {
        if (p.kind > 0) {
            p.mix = mix;
            p.zb = 0;
            for (int64_t t = 0; t < w->T; t++) {
                mix[t] = c[t] * well_sign(found[p.kind - 1].word, t);
                p.zb += mix[t] * w->vb[t] * w->bias;
            }
            wlab_pool_run(w->pool, (w->X->cols + COLUMN_CHUNK - 1) / COLUMN_CHUNK, mix_chunk, &p);
        }
        wlab_pool_run(w->pool, ROW_BLOCKS, outputs_block, &p);
    }
    wlab_free(mix);
    return WL_OK;
}

/* v_t = X'(alpha y_t), one pass for each t: the sums are those of wlab_passes. */
void well_vectors_rebuild(well_vectors *w, const double *alpha)
{
    double sum = 0;

    for (int64_t t = 0; t < w->width; t++) {
        if (t < w->T) {
            for (int64_t i = 0; i < w->X->rows; i++)
                w->one[i] = alpha[i] * well_sign(well_signs(w, i), t);
            wlab_passes_transpose(w->passes, w->one, w->z, w->pool);
            sum = wlab_rows_sum(wlab_passes_rows(w->passes), w->one, w->pool);
        }
        w->vb[t] = t < w->T ? w->bias * sum : 0;
        for (int64_t j = 0; j < w->X->cols; j++)
            w->v[j * w->width + t] = t < w->T ? w->z[j] : 0;
    }
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
