/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of generators, and the functions that they share.
 */
#include "base/progress.h"
#include "data/generators/generate.h"
#include "data/share.h"

#include <endian.h>
#include <math.h>
#include <string.h>

const wlab_generator *const wlab_generators[] = {
    &wlab_gen_two_moons, &wlab_gen_g50c,     &wlab_gen_g241c,   &wlab_gen_g241d,
    &wlab_gen_blobs,     &wlab_gen_rings,    &wlab_gen_polygon, &wlab_gen_llp_toy,
    &wlab_gen_topics,    &wlab_gen_roi_bags, &wlab_gen_formula, NULL,
};

const wlab_generator *wlab_generator_find(const char *name)
{
    for (size_t g = 0; wlab_generators[g]; g++) {
        if (strcmp(wlab_generators[g]->name, name) == 0)
            return wlab_generators[g];
    }
    return NULL;
}

wlab_code wlab_gen_labels(wlab_dataset **made, int64_t n, int classes, wlab_err *err)
{
    *made = NULL;
    wlab_dataset *data = wlab_calloc(1, sizeof *data);
    if (!data)
        return wlab_nomem(err);
    data->refs = 1;
    data->class_name = wlab_calloc((size_t)classes, sizeof *data->class_name);
    data->class_value = wlab_calloc((size_t)classes, sizeof *data->class_value);
    data->label = wlab_calloc((size_t)n, sizeof *data->label);
    bool fine = data->class_name && data->class_value && data->label;
    for (int c = 0; c < classes && fine; c++) {
        int value = classes == 2 ? 2 * c - 1 : c + 1;
        data->classes = c + 1;
        data->class_value[c] = value;
        data->class_name[c] = wlab_format(classes == 2 ? "%+d" : "%d", value);
        fine = data->class_name[c] != NULL;
    }
    if (!fine) {
        wlab_dataset_unref(data);
        return wlab_nomem(err);
    }
    *made = data;
    return WL_OK;
}

wlab_code wlab_gen_dense(wlab_dataset **made, int64_t n, int64_t dims, int classes, wlab_err *err)
{
    wlab_code code = wlab_gen_labels(made, n, classes, err);
    if (code)
        return code;
    code = wlab_matrix_create_dense(&(*made)->X, n, (int32_t)dims, err);
    if (code) {
        wlab_dataset_unref(*made);
        *made = NULL;
    }
    return code;
}

void wlab_gen_groups(wlab_dataset *data, int groups, wlab_rng *rng)
{
    int64_t n = data->X->rows;
    for (int64_t i = 0; i < n; i++)
        data->label[i] = (int32_t)(i % groups);
    wlab_rng_shuffle(rng, data->label, (size_t)n);
}

static wlab_code stop(wlab_dataset **made, wlab_err *err)
{
    wlab_dataset_unref(*made);
    *made = NULL;
    return wlab_fail(err, WL_EINTERRUPTED, "interrupted: no data were generated");
}

wlab_code wlab_gen_around(wlab_dataset **made, const double *centre, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_matrix *X = (*made)->X;
    const int64_t dims = X->cols;
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "rows", X->rows);
    for (int64_t i = 0; i < X->rows; i++) {
        if (!wlab_look_at(i, 8 * dims, &progress, ctx))
            return stop(made, err);
        memcpy(X->dense + i * dims, centre + (*made)->label[i] * dims, (size_t)dims * sizeof *centre);
    }
    return WL_OK;
}

wlab_code wlab_gen_noise(wlab_dataset **made, double scale, wlab_rng *rng, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        PIECE = 65536
    };
    const wlab_matrix *X = (*made)->X;
    const int64_t size = X->rows * X->cols;
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "values", size);
    for (int64_t i = 0; i < size; i++) {
        if (i % PIECE == 0) {
            if (wlab_interrupted(ctx))
                return stop(made, err);
            wlab_progress_add(&progress, i ? PIECE : 0);
        }
        X->dense[i] += scale * wlab_rng_normal(rng);
    }
    return WL_OK;
}

void wlab_gen_direction(double *v, int64_t dims, double radius, wlab_rng *rng)
{
    double square = 0;
    while (!(square > 0)) {
        for (int64_t j = 0; j < dims; j++) {
            v[j] = wlab_rng_normal(rng);
            square += v[j] * v[j];
        }
    }
    for (int64_t j = 0; j < dims; j++)
        v[j] *= radius / sqrt(square);
}

static void hash_32(struct sha256_ctx *hash, const void *items, int64_t n)
{
    uint32_t word, block[256];
    for (int64_t i = 0; i < n;) {
        size_t filled = 0;
        for (; filled < 256 && i < n; i++) {
            memcpy(&word, (const char *)items + 4 * i, 4);
            block[filled++] = htole32(word);
        }
        sha256_update(hash, 4 * filled, (const uint8_t *)block);
    }
}

static void hash_64(struct sha256_ctx *hash, const void *items, int64_t n)
{
    uint64_t word, block[256];
    for (int64_t i = 0; i < n;) {
        size_t filled = 0;
        for (; filled < 256 && i < n; i++) {
            memcpy(&word, (const char *)items + 8 * i, 8);
            block[filled++] = htole64(word);
        }
        sha256_update(hash, 8 * filled, (const uint8_t *)block);
    }
}

void wlab_gen_hash_begin(struct sha256_ctx *hash, const wlab_matrix *X)
{
    hash_64(hash, &X->rows, 1);
    hash_32(hash, &X->cols, 1);
}

wlab_code wlab_gen_hash_rows(struct sha256_ctx *hash, const wlab_matrix *X, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t mean = X->rows ? X->nnz / X->rows : 0; /* entries of a row */
    wlab_progress progress;
    wlab_progress_begin(&progress, ctx, "rows hashed", X->rows);
    for (int64_t i = 0; i < X->rows; i++) {
        if (!wlab_look_at(i, 16 * mean, &progress, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if (X->sparse) {
            hash_32(hash, &X->len[i], 1);
            hash_32(hash, X->col + X->start[i], X->len[i]);
            hash_32(hash, X->val + X->start[i], X->len[i]);
        } else {
            hash_64(hash, X->dense + X->start[i], X->cols);
        }
    }
    return WL_OK;
}

void wlab_gen_hash_end(struct sha256_ctx *hash, const wlab_dataset *data, char hex[65])
{
    if (data->label)
        hash_32(hash, data->label, data->X->rows);
    if (data->given)
        hash_32(hash, data->given, data->X->rows);
    if (data->bag)
        hash_32(hash, data->bag, data->X->rows);
    wlab_sha256_end(hash, hex);
}

wlab_code wlab_dataset_sha256(const wlab_dataset *data, char hex[65], wlab_ctx *ctx, wlab_err *err)
{
    struct sha256_ctx hash;
    wlab_code code;

    if (data->X->away)
        return wlab_fail(err, WL_ESTATE, "the rows are on several ranks, and no single one has all of them");
    sha256_init(&hash);
    wlab_gen_hash_begin(&hash, data->X);
    if ((code = wlab_gen_hash_rows(&hash, data->X, ctx, err)))
        return code;
    wlab_gen_hash_end(&hash, data, hex);
    return WL_OK;
}

/* "generate KIND name=value ...", defaults included, so that it makes the same data in any version. */
static char *describe(const wlab_generator *generator, const wlab_params *params)
{
    wlab_buf text = {0};
    wlab_code code = wlab_buf_printf(&text, "generate %s", generator->name);
    for (const wlab_param_info *p = generator->params; p->name && !code; p++) {
        const char *value = wlab_params_text(params, p->name);
        if (p->choices == wlab_ranks_names) /* where the rows are does not change them */
            continue;
        if (value && !(code = wlab_buf_printf(&text, " %s=", p->name)))
            code = wlab_buf_quote(&text, value);
    }
    char *source = code ? NULL : wlab_strndup((const char *)text.data, text.len);
    wlab_buf_clear(&text);
    return source;
}

wlab_code wlab_gen_name(wlab_dataset *data, const wlab_generator *generator, const char *name,
                        const wlab_params *params, wlab_err *err)
{
    data->name = wlab_strdup(name ? name : generator->name);
    data->source = describe(generator, params);
    return data->name && data->source ? WL_OK : wlab_nomem(err);
}

wlab_code wlab_dataset_generate(wlab_dataset **made, const wlab_generator *generator, const char *name,
                                const wlab_params *params, wlab_ctx *ctx, wlab_err *err)
{
    *made = NULL;
    wlab_dataset *data;
    wlab_code code = generator->make(&data, params, ctx, err);
    if (code)
        return code;
    wlab_matrix_count_nnz(data->X);
    if (!(code = wlab_gen_name(data, generator, name, params, err)))
        code = wlab_dataset_sha256(data, data->sha256, ctx, err);
    if (code)
        wlab_dataset_unref(data);
    else
        *made = data;
    return code;
}
