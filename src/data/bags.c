/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags: what the rows' labels say of them (a bag is positive when one of its rows is), a file of them.
 */
#include "data/reader.h"

#include <string.h>

enum {
    UNKNOWN = 1,
    OTHER = 2,
    POSITIVE = 4
};

static int says(const wlab_dataset *ds, int64_t i, int positive)
{
    return ds->label[i] < 0 ? UNKNOWN : ds->label[i] == positive ? POSITIVE : OTHER;
}

void wlab_dataset_bag_signs(const wlab_dataset *ds, int positive, int8_t *sign)
{
    if (!ds->bag)
        return;
    memset(sign, 0, (size_t)ds->bags);
    for (int64_t i = 0; i < ds->X->rows; i++)
        sign[ds->bag[i]] |= (int8_t)says(ds, i, positive);
    for (int64_t b = 0; b < ds->bags; b++)
        sign[b] = sign[b] & POSITIVE ? 1 : sign[b] == OTHER ? -1 : 0;
}

bool wlab_dataset_instances_known(const wlab_dataset *ds, int positive)
{
    int8_t seen[1 << 14]; /* so many bags a pass: nothing is allocated, nothing can fail */

    for (int64_t from = 0; ds->bag && from < ds->bags; from += (int64_t)sizeof seen) {
        memset(seen, 0, sizeof seen);
        for (int64_t i = 0; i < ds->X->rows; i++) {
            int64_t b = ds->bag[i] - from;
            if (b < 0 || b >= (int64_t)sizeof seen)
                continue;
            seen[b] |= (int8_t)says(ds, i, positive);
            if ((seen[b] & POSITIVE) && (seen[b] & OTHER))
                return true;
        }
    }
    return false;
}

wlab_code wlab_bags_compact(int32_t *bag, int64_t rows, int64_t *bags, wlab_err *err)
{
    int32_t *to = wlab_calloc((size_t)*bags, sizeof *to), n = 0;

    if (!to)
        return wlab_nomem(err);
    for (int64_t i = 0; i < rows; i++)
        to[bag[i]] = 1;
    for (int64_t b = 0; b < *bags; b++)
        if (to[b])
            to[b] = n++;
    for (int64_t i = 0; n < *bags && i < rows; i++)
        bag[i] = to[bag[i]];
    *bags = n;
    wlab_free(to);
    return WL_OK;
}

wlab_code wlab_bags_file_read(const char *path, int64_t rows, int32_t **out, int64_t *bags, wlab_err *err)
{
    wlab_words words = {0};
    int32_t *bag = wlab_alloc((size_t)rows, sizeof *bag);
    wlab_code code = bag ? wlab_labels_read(path, "bag", rows, &words, bag, NULL, err) : wlab_nomem(err);

    *out = NULL;
    for (int64_t i = 0; !code && i < rows; i++)
        if (bag[i] < 0)
            code =
                wlab_fail_at(err, path, 0, 0, "row %lld has no bag: a number or a name is expected for each",
                             (long long)i + 1);
    if (!code)
        code = wlab_words_order(&words, bag, rows, err);
    if (!code) {
        *bags = words.n;
        *out = bag;
        bag = NULL;
    }
    wlab_words_clear(&words);
    wlab_free(bag);
    return code;
}
