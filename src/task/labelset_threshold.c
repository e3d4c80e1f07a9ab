/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The threshold of a function's outputs at which its signs have the counts that a label set prescribes.
 */
#include "task/task.h"

#include <math.h>
#include <stdlib.h>

typedef struct output {
    double f;
    int32_t group;
} output;

static int by_output(const void *a, const void *b)
{
    const output *x = a, *y = b;
    return x->f > y->f ? -1 : x->f < y->f ? 1 : 0;
}

/* How far `count` positives of group g are from the allowed range. */
static int64_t deviation(const wlab_labelset *B, int32_t g, int64_t count)
{
    return count < B->lo[g] ? B->lo[g] - count : count > B->hi[g] ? count - B->hi[g] : 0;
}

double wlab_threshold_between(double above, double below)
{
    if (above > 0 && below <= 0)
        return 0;
    if (isinf(above))
        return below;
    if (isinf(below))
        return above - 1e-9 * (1 + fabs(above));
    double middle = below + (above - below) / 2;
    return middle < above ? middle : below;
}

bool wlab_labelset_counts(const wlab_labelset *B)
{
    for (int64_t g = 0; g < B->groups; g++)
        if (B->low[g] == -1 && (B->lo[g] > 0 || B->hi[g] < wlab_labelset_size(B, g)))
            return true;
    return false;
}

wlab_code wlab_labelset_threshold(const wlab_labelset *B, const double *f, double *threshold,
                                  int64_t *by_sign, wlab_err *err)
{
    const int64_t free_ones = wlab_labelset_free_count(B);
    wlab_code code = WL_OK;
    int64_t now = 0, least, n = 0;
    double best;

    *threshold = 0;
    *by_sign = 0;
    if (!wlab_labelset_counts(B))
        return WL_OK;
    output *all = wlab_alloc((size_t)free_ones, sizeof *all);
    int64_t *count = wlab_calloc((size_t)B->groups, sizeof *count);
    if (!all || !count) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int32_t g = 0; g < B->groups; g++) {
        if (B->low[g] != -1)
            continue;
        int64_t positives = 0;
        for (int64_t i = B->start[g]; i < B->start[g + 1]; i++) {
            const int32_t k = B->member[i];
            if (isnan(f[k])) {
                code = wlab_fail(err, WL_ENUMERIC, "the output of row %d is not a number", k + 1);
                goto out;
            }
            all[n++] = (output){f[k], g};
            positives += f[k] > 0;
        }
        now += deviation(B, g, 0);
        *by_sign += deviation(B, g, positives);
    }
    qsort(all, (size_t)n, sizeof *all, by_output);
    least = now; /* lower the threshold from above all outputs, equal outputs together */
    best = wlab_threshold_between(HUGE_VAL, all[0].f);
    for (int64_t i = 0; i < n;) {
        const double here = all[i].f;
        for (; i < n && all[i].f == here; i++) {
            const int32_t g = all[i].group;
            now -= deviation(B, g, count[g]);
            now += deviation(B, g, ++count[g]);
        }
        const double t = wlab_threshold_between(here, i < n ? all[i].f : -HUGE_VAL);
        if (now < least || (now == least && fabs(t) < fabs(best))) {
            least = now;
            best = t;
        }
    }
    *threshold = best;
out:
    wlab_free(all);
    wlab_free(count);
    return code;
}
