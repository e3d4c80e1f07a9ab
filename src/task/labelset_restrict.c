/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labelings of a label set that agree with the labels decided so far.  They are a label set again: groups with
 * counts.
 */
#include "weaklab/labelset.h"

#include <string.h>

/* The counts of group g that remain for its undecided members; false: no labeling agrees. */
static bool reduce(const wlab_labelset *B, const int8_t *decided, int64_t g, int64_t *lo, int64_t *hi)
{
    int64_t ones = 0, undecided = 0;
    for (int64_t i = B->start[g]; i < B->start[g + 1]; i++) {
        int8_t d = decided[B->member[i]];
        if (d != WL_FREE && d != 1 && d != B->low[g])
            return false;
        ones += d == 1;
        undecided += d == WL_FREE;
    }
    *lo = B->lo[g] > ones ? B->lo[g] - ones : 0;
    *hi = B->hi[g] - ones < undecided ? B->hi[g] - ones : undecided;
    return *lo <= *hi;
}

wlab_code wlab_labelset_restrict(wlab_labelset **set, const wlab_labelset *B, const int8_t *decided,
                                 wlab_err *err)
{
    size_t n = (size_t)B->n, groups = (size_t)B->groups;
    wlab_code code = WL_OK;
    int8_t *fixed = wlab_alloc(n, sizeof *fixed);
    int32_t *group = wlab_alloc(n, sizeof *group);
    int64_t *lo = wlab_alloc(groups, sizeof *lo), *hi = wlab_alloc(groups, sizeof *hi);
    *set = NULL;
    if (!fixed || !group || !lo || !hi) {
        code = wlab_nomem(err);
        goto out;
    }
    memcpy(fixed, B->fixed, n);
    memcpy(group, B->group, n * sizeof *group);
    for (int64_t k = 0; k < B->n; k++) {
        if (decided[k] == WL_FREE)
            continue;
        if (group[k] < 0 && decided[k] != fixed[k])
            goto out;
        fixed[k] = decided[k];
        group[k] = WL_NO_GROUP;
    }
    for (int64_t g = 0; g < B->groups; g++)
        if (!reduce(B, decided, g, &lo[g], &hi[g]))
            goto out;
    code = wlab_labelset_create(set, B->name, B->n, fixed, group, B->groups, lo, hi, B->low, err);
out:
    wlab_free(fixed);
    wlab_free(group);
    wlab_free(lo);
    wlab_free(hi);
    return code;
}
