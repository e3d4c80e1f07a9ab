/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of a problem's bags: their sizes and their given proportions.
 */
#include "task/task.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

wlab_code wlab_task_given_bags(const wlab_problem *p, wlab_given_bags *t)
{
    int64_t *size = wlab_calloc((size_t)p->bags, sizeof *size), half = p->bags / 2;

    *t = (wlab_given_bags){.least = NAN, .mean = NAN, .most = NAN, .spread = NAN};
    if (!size)
        return WL_ENOMEM;
    for (int64_t i = 0; i < p->n; i++)
        size[p->bag[i]]++;
    double sum = 0, squares = 0;
    for (int64_t b = 0; b < p->bags; b++) {
        t->not_given += isnan(p->bag_given[b]);
        sum += isnan(p->bag_given[b]) ? 0 : p->bag_given[b];
        t->least = fmin(t->least, p->bag_given[b]); /* fmin and fmax ignore NaN */
        t->most = fmax(t->most, p->bag_given[b]);
    }
    if (t->not_given < p->bags) {
        const double n = (double)(p->bags - t->not_given);
        t->mean = sum / n;
        for (int64_t b = 0; b < p->bags; b++)
            squares += isnan(p->bag_given[b]) ? 0 : (p->bag_given[b] - t->mean) * (p->bag_given[b] - t->mean);
        t->spread = sqrt(squares / n);
    }
    qsort(size, (size_t)p->bags, sizeof *size, by_size);
    t->smallest = size[0];
    t->largest = size[p->bags - 1];
    for (int64_t b = 0; b < p->bags; b++) {
        t->small += size[b] == t->smallest;
        t->large += size[b] == t->largest;
    }
    t->median = p->bags % 2 ? (double)size[half] : 0.5 * (double)(size[half - 1] + size[half]);
    wlab_free(size);
    return WL_OK;
}
