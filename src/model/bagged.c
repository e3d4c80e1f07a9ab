/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/bagged.h"
#include "base/sort.h"

#include <string.h>

void wlab_bagged_destroy(wlab_bagged *b)
{
    if (!b)
        return;
    b->kind->destroy(b->own);
    wlab_dataset_unref(b->data);
    wlab_free(b->row);
    wlab_free(b);
}

/* Which training instance each row is; *out has its own memory. */
static wlab_code find_trained(int32_t **out, const wlab_bagged *b, const wlab_dataset *data,
                              const int32_t *row, int64_t n, wlab_err *err)
{
    const bool same = data && data == b->data;
    int32_t *trained = wlab_alloc((size_t)n + 1, sizeof *trained), *of = NULL;

    *out = NULL;
    if (same)
        of = wlab_alloc((size_t)data->X->rows, sizeof *of);
    if (!trained || (same && !of)) {
        wlab_free(trained);
        wlab_free(of);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; same && i < data->X->rows; i++)
        of[i] = -1;
    for (int64_t i = 0; same && i < b->n; i++)
        of[b->row[i]] = (int32_t)i;
    for (int64_t i = 0; i < n; i++)
        trained[i] = same ? of[row ? row[i] : i] : -1;
    wlab_free(of);
    *out = trained;
    return WL_OK;
}

wlab_code wlab_bagged_predict(const wlab_bagged *b, const wlab_matrix *X, const wlab_dataset *data,
                              const int32_t *row, double *f, wlab_pool *pool, wlab_err *err)
{
    int32_t *trained = NULL;
    wlab_code code = find_trained(&trained, b, data, row, X->rows, err);

    code = code ? code : b->kind->rows(b->own, X, trained, f, pool, err);
    wlab_free(trained);
    return code;
}

/* Only the bags that have rows: `of` [n] numbers them from 0, number [n] becomes their numbers. */
static int64_t pack(const int32_t *bag, int64_t n, int64_t bags, int32_t *place, int32_t *of, int32_t *number)
{
    int64_t count = 0;

    for (int64_t b = 0; b < bags; b++)
        place[b] = -1;
    for (int64_t i = 0; i < n; i++) {
        if (place[bag[i]] < 0) {
            number[count] = bag[i];
            place[bag[i]] = (int32_t)count++;
        }
        of[i] = place[bag[i]];
    }
    return count;
}

wlab_code wlab_model_predict_bags(const wlab_model *m, const wlab_matrix *X, const wlab_dataset *data,
                                  const int32_t *row, const int32_t *bag, int64_t bags, double *whole,
                                  wlab_pool *pool, wlab_err *err)
{
    const size_t n = (size_t)X->rows + 1;
    int32_t *trained = NULL, *place = wlab_alloc((size_t)bags + 1, sizeof *place),
            *of = wlab_alloc(n, sizeof *of), *number = wlab_alloc(n, sizeof *number),
            *member = wlab_alloc(n, sizeof *member);
    int64_t *start = wlab_alloc(n, sizeof *start);
    double *out = wlab_alloc(n, sizeof *out);
    wlab_code code = place && of && number && member && start && out ? WL_OK : wlab_nomem(err);

    code = code ? code : find_trained(&trained, m->bagged, data, row, X->rows, err);
    if (!code) {
        const int64_t count = pack(bag, X->rows, bags, place, of, number);
        wlab_members_fill(of, X->rows, count, start, member);
        code = m->bagged->kind->bags(m->bagged->own, X, trained, count, start, member, out, pool, err);
        for (int64_t k = 0; !code && k < count; k++)
            whole[number[k]] = out[k];
    }
    wlab_free(trained);
    wlab_free(place);
    wlab_free(of);
    wlab_free(number);
    wlab_free(member);
    wlab_free(start);
    wlab_free(out);
    return code;
}
