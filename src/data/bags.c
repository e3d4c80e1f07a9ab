/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags: their signs, which follow from the labels of their rows (a bag is positive when one of its rows is), dealing
 * rows into bags at random, and reading a file of bags.
 */
#include "data/readers/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNKNOWN = 1,
    OTHER = 2,
    POSITIVE = 4
};

static int label_kind(const wlab_dataset *ds, int64_t i, int positive)
{
    return ds->label[i] < 0 ? UNKNOWN : ds->label[i] == positive ? POSITIVE : OTHER;
}

void wlab_dataset_bag_signs(const wlab_dataset *ds, int positive, int8_t *sign)
{
    if (!ds->bag)
        return;
    memset(sign, 0, (size_t)ds->bags);
    for (int64_t i = 0; i < ds->X->rows; i++)
        sign[ds->bag[i]] |= (int8_t)label_kind(ds, i, positive);
    for (int64_t b = 0; b < ds->bags; b++)
        sign[b] = sign[b] & POSITIVE ? 1 : sign[b] == OTHER ? -1 : 0;
}

bool wlab_dataset_instances_known(const wlab_dataset *ds, int positive)
{
    int8_t kinds[1 << 14]; /* bags per pass; a fixed buffer, so that nothing can fail */

    for (int64_t from = 0; ds->bag && from < ds->bags; from += (int64_t)sizeof kinds) {
        memset(kinds, 0, sizeof kinds);
        for (int64_t i = 0; i < ds->X->rows; i++) {
            int64_t b = ds->bag[i] - from;
            if (b < 0 || b >= (int64_t)sizeof kinds)
                continue;
            kinds[b] |= (int8_t)label_kind(ds, i, positive);
            if ((kinds[b] & POSITIVE) && (kinds[b] & OTHER))
                return true;
        }
    }
    return false;
}

static int by_size(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

wlab_code wlab_dataset_bag_summary(const wlab_dataset *ds, int positive, wlab_bag_summary *out, wlab_err *err)
{
    int32_t *size = wlab_calloc((size_t)ds->bags, sizeof *size);
    int8_t *sign = wlab_calloc((size_t)ds->bags, sizeof *sign);
    wlab_code code = size && sign ? WL_OK : wlab_nomem(err);

    if (!code) {
        int64_t middle = ds->bags / 2;

        memset(out, 0, sizeof *out);
        out->bags = ds->bags;
        wlab_dataset_bag_signs(ds, positive, sign);
        for (int64_t b = 0; b < ds->bags; b++) {
            out->positive += sign[b] > 0;
            out->negative += sign[b] < 0;
            out->unknown += sign[b] == 0;
        }
        for (int64_t i = 0; ds->bag && i < ds->X->rows; i++)
            size[ds->bag[i]]++;
        if (ds->bags) {
            qsort(size, (size_t)ds->bags, sizeof *size, by_size);
            out->smallest = size[0];
            out->largest = size[ds->bags - 1];
            out->median = ds->bags % 2 ? size[middle] : 0.5 * ((double)size[middle - 1] + size[middle]);
        }
        out->instances_known = wlab_dataset_instances_known(ds, positive);
    }
    wlab_free(size);
    wlab_free(sign);
    return code;
}

wlab_code wlab_dataset_bags_split(const wlab_dataset *ds, const int32_t *train, int64_t n_train,
                                  const int32_t *test, int64_t n_test, int64_t split[3], wlab_err *err)
{
    uint8_t *in = wlab_calloc((size_t)ds->bags, sizeof *in);

    if (!in)
        return wlab_nomem(err);
    memset(split, 0, 3 * sizeof *split);
    for (int64_t k = 0; k < n_train; k++)
        in[ds->bag[train[k]]] |= 1;
    for (int64_t k = 0; k < n_test; k++)
        in[ds->bag[test[k]]] |= 2;
    for (int64_t b = 0; b < ds->bags; b++) {
        split[0] += in[b] & 1;
        split[1] += in[b] >> 1;
        split[2] += in[b] == 3;
    }
    wlab_free(in);
    return WL_OK;
}

wlab_code wlab_bags_deal_rows(const int32_t *row, int64_t n, int64_t size, uint64_t seed, int32_t *bag,
                              wlab_err *err)
{
    int32_t *order = wlab_alloc((size_t)n, sizeof *order);
    wlab_rng rng;

    if (!order)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        order[i] = row ? row[i] : (int32_t)i;
    wlab_rng_seed(&rng, seed);
    wlab_rng_shuffle(&rng, order, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        bag[order[i]] = (int32_t)(i / size);
    wlab_free(order);
    return WL_OK;
}

wlab_code wlab_bags_deal(int64_t rows, int64_t size, uint64_t seed, int32_t *bag, wlab_err *err)
{
    /* the offset makes these draws independent of all others that use the same seed */
    return wlab_bags_deal_rows(NULL, rows, size, seed + (3ull << 60), bag, err);
}

void wlab_bag_names_free(char **names, int64_t bags)
{
    for (int64_t b = 0; names && b < bags; b++)
        wlab_free(names[b]);
    wlab_free(names);
}

static bool is_separator(char c)
{
    return (unsigned char)c <= ' ' || c == ',' || c == ';' || c == '|';
}

const char *wlab_bag_list(const char *p, size_t len, bool numbers)
{
    const char *const end = p + len, *second = NULL;
    int entries = 0;

    while (p < end) {
        const char *stop = p;
        double v;

        while (stop < end && !is_separator(*stop))
            stop++;
        if (stop > p && numbers && (!wlab_number_is(p, stop, &v) || v != nearbyint(v)))
            return NULL;
        second = stop > p && ++entries == 2 ? p : second;
        p = stop + 1;
    }
    return second;
}

wlab_code wlab_bags_check(const wlab_words *words, const wlab_input *in, wlab_err *err)
{
    for (int32_t w = 0; w < words->n; w++) {
        if (wlab_input_check_stop(in, err))
            return WL_EINTERRUPTED;
        const char *text = wlab_words_text(words, w), *const end = in->data + in->size;
        const size_t len = strlen(text);
        char shown[64];

        if (!wlab_bag_list(text, len, true))
            continue;
        wlab_text_clean(text, len, shown, sizeof shown);
        for (const char *at = in->data; at && (at = memmem(at, (size_t)(end - at), text, len)); at++)
            if ((at == in->data || !isalnum((unsigned char)at[-1])) &&
                (at + len == end || !isalnum((unsigned char)at[len])))
                return wlab_input_fail(in, at, err, "'%s' names several bags: " WL_NO_OVERLAP, shown);
        return wlab_fail_at(err, in->path, 0, 0, "'%s' names several bags: " WL_NO_OVERLAP, shown);
    }
    return WL_OK;
}

wlab_code wlab_bags_order(const wlab_words *words, int32_t *id, int64_t n, char ***names, const wlab_ctx *ctx,
                          wlab_err *err)
{
    int32_t *place = NULL;
    char **name = wlab_calloc((size_t)words->n, sizeof *name);
    wlab_code code = name ? wlab_words_rank(words, false, &place, ctx, err) : wlab_nomem(err);

    for (int32_t w = 0; !code && w < words->n; w++) {
        const char *text = wlab_words_text(words, w);
        const size_t len = strlen(text);

        if ((name[place[w]] = wlab_alloc(len + 1, 1)))
            wlab_text_clean(text, len, name[place[w]], len + 1);
        else
            code = wlab_nomem(err);
    }
    for (int64_t i = 0; !code && i < n; i++)
        id[i] = place[id[i]];
    wlab_free(place);
    if (code)
        wlab_bag_names_free(name, words->n);
    else
        *names = name;
    return code;
}

wlab_code wlab_bags_compact(int32_t *bag, int64_t rows, int64_t *bags, char **name, wlab_err *err)
{
    int32_t *to = wlab_calloc((size_t)*bags, sizeof *to), n = 0;

    if (!to)
        return wlab_nomem(err);
    for (int64_t i = 0; i < rows; i++)
        to[bag[i]] = 1;
    for (int64_t b = 0; b < *bags; b++) {
        char *own = name ? name[b] : NULL;

        if (name)
            name[b] = NULL;
        if (to[b] && name)
            name[n] = own;
        else
            wlab_free(own);
        if (to[b])
            to[b] = n++;
    }
    for (int64_t i = 0; n < *bags && i < rows; i++)
        bag[i] = to[bag[i]];
    *bags = n;
    wlab_free(to);
    return WL_OK;
}

wlab_code wlab_bags_file_read(const char *path, int64_t rows, int32_t **out, int64_t *bags, char ***names,
                              wlab_ctx *ctx, wlab_err *err)
{
    char **name = NULL;
    wlab_words words = {0};
    int32_t *bag = wlab_alloc((size_t)rows, sizeof *bag);
    wlab_code code = bag ? wlab_labels_read(path, "bag", rows, &words, bag, ctx, err) : wlab_nomem(err);

    *out = NULL;
    for (int64_t i = 0; !code && i < rows; i++)
        if (bag[i] < 0)
            code =
                wlab_fail_at(err, path, 0, 0, "row %lld has no bag: give a bag number or name for each row",
                             (long long)i + 1);
    if (!code)
        code = wlab_bags_order(&words, bag, rows, &name, ctx, err);
    if (!code) {
        *bags = words.n;
        *out = bag;
        bag = NULL;
        if (names)
            *names = name;
        else
            wlab_bag_names_free(name, words.n);
    }
    wlab_words_clear(&words);
    wlab_free(bag);
    return code;
}
