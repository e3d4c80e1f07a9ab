/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weights, allowed classes, bags and hard constraints of a task's rows, for the soft-max problem.
 */
#include "algo/softmax/rows.h"

const char *const wlab_softmax_weight_names[] = {"uniform", "bag", NULL};
const char *const wlab_softmax_entropy_names[] = {"total", "bag", NULL};

void wlab_softmax_rows_clear(wlab_softmax_rows *r)
{
    wlab_free(r->pi);
    wlab_free(r->allowed);
    wlab_free(r->bag);
    wlab_free(r->hard);
    *r = (wlab_softmax_rows){0};
}

/* Numbers the bag of every row and returns how many bags there are.  If the task has none, all rows without any
 * information are one bag, and every other row is a bag of its own. */
static int64_t number_bags(const wlab_problem *p, int32_t *bag)
{
    int32_t next = 0, rest = -1;
    if (p->bag) {
        for (int64_t i = 0; i < p->n; i++)
            bag[i] = p->bag[i];
        return p->bags;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const bool together = p->visible[i] == 0 && p->task->sees != WL_SEES_CANDIDATES;
        if (!together)
            bag[i] = next++;
        else if (rest < 0)
            bag[i] = rest = next++;
        else
            bag[i] = rest;
    }
    return next;
}

wlab_code wlab_softmax_rows_make(wlab_softmax_rows *r, const wlab_problem *p, bool weight_by_bag,
                                 bool entropy_by_bag, bool hard, wlab_err *err)
{
    const size_t n = (size_t)p->n;
    int64_t *size = NULL;
    *r = (wlab_softmax_rows){0};
    r->pi = wlab_alloc(n, sizeof *r->pi);
    r->allowed = wlab_alloc(n, sizeof *r->allowed);
    r->bag = wlab_alloc(n, sizeof *r->bag);
    r->hard = hard ? wlab_alloc(n, 1) : NULL;
    size = wlab_calloc(n, sizeof *size); /* no more bags than rows, as no bag is empty */
    if (!r->pi || !r->allowed || !r->bag || (hard && !r->hard) || !size) {
        wlab_free(size);
        wlab_softmax_rows_clear(r);
        return wlab_nomem(err);
    }
    r->bags = number_bags(p, r->bag);
    for (size_t i = 0; i < n; i++)
        size[r->bag[i]]++;
    for (size_t i = 0; i < n; i++) {
        r->pi[i] = weight_by_bag ? 1 / ((double)r->bags * (double)size[r->bag[i]]) : 1 / (double)n;
        r->allowed[i] = wlab_problem_allowed(p, (int64_t)i);
        r->free_rows += (r->allowed[i] & (r->allowed[i] - 1)) != 0;
        if (hard)
            r->hard[i] = p->visible[i] < 0;
    }
    wlab_free(size);
    if (!entropy_by_bag)
        r->bag = wlab_free(r->bag);
    return WL_OK;
}
