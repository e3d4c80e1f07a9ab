/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the rows' labels say of the bags: a bag is positive when one of its rows is.
 */
#include "weaklab/dataset.h"

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
