/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folds of the units that may be held out of a problem, labelled rows or bags, and the problem without one fold.
 */
#include "tune/folds.h"
#include "task/task.h"
#include <math.h>
#include <string.h>

bool wlab_folds_of_bags(const wlab_problem *p)
{
    return p->task->scored != WL_SCORED_ROWS;
}

/* The class of a unit (an instance or a bag) that is dealt to the folds; -1: the unit is never held out. */
static int class_of(const wlab_problem *p, int64_t unit)
{
    if (p->task->sees == WL_SEES_POSITIVES)
        return p->visible[unit] > 0; /* unlabelled rows are held out, too */
    if (!wlab_folds_of_bags(p))
        return wlab_label_index(p, p->visible[unit]);
    if (isnan(p->bag_given[unit]))
        return -1;
    return p->task->sees == WL_SEES_BAG_SIGNS && p->bag_given[unit] > 0.5;
}

static wlab_code too_few(const wlab_problem *p, int64_t units, wlab_err *err)
{
    return wlab_fail(err, WL_EARG,
                     "cross-validation needs at least two labelled %s, and the task %s gives %lld: give more",
                     wlab_folds_of_bags(p) ? "bags" : "rows", p->task->name, (long long)units);
}

/* Shuffle the units of each class (the negative one first), and deal all of them, class after class, to the folds in
 * turn.  Each fold gets an equal part of each class, and the sizes of the folds differ by at most one. */
wlab_code wlab_folds_create(wlab_folds *folds, const wlab_problem *p, int k, uint64_t seed, wlab_err *err)
{
    bool bags = wlab_folds_of_bags(p);
    int64_t units = bags ? p->bags : p->n, of[WL_CLASSES_MOST] = {0}, at[WL_CLASSES_MOST] = {0}, all = 0;
    wlab_rng rng;

    if (p->task->sees == WL_SEES_NO_LABELS)
        return wlab_fail(err, WL_EARG, "the task %s gives no labels that could be held out", p->task->name);
    if (k < 2)
        return wlab_fail(err, WL_EARG, "%d fold%s: there must be at least 2", k, k == 1 ? "" : "s");
    for (int64_t u = 0; u < units; u++)
        if (class_of(p, u) >= 0) {
            of[class_of(p, u)]++;
            all++;
        }
    if (all < 2)
        return too_few(p, all, err);
    if (k > all)
        k = (int)all;
    int32_t *pick = wlab_alloc((size_t)all, sizeof *pick);
    int32_t *dealt = wlab_alloc((size_t)units, sizeof *dealt);
    int32_t *fold = bags ? wlab_alloc((size_t)p->n, sizeof *fold) : dealt;
    if (!pick || !dealt || !fold) {
        wlab_free(pick);
        wlab_free(dealt);
        if (bags)
            wlab_free(fold);
        return wlab_nomem(err);
    }
    for (int c = 1; c < WL_CLASSES_MOST; c++)
        at[c] = at[c - 1] + of[c - 1];
    for (int64_t u = 0; u < units; u++) {
        int c = class_of(p, u);

        dealt[u] = -1;
        if (c >= 0)
            pick[at[c]++] = (int32_t)u;
    }
    wlab_rng_seed(&rng, seed);
    for (int c = 0; c < WL_CLASSES_MOST; c++) /* at[c] is now the end of class c */
        if (of[c])
            wlab_rng_shuffle(&rng, pick + at[c] - of[c], (size_t)of[c]);
    for (int64_t i = 0; i < all; i++)
        dealt[pick[i]] = (int32_t)(i % k);
    if (bags) {
        for (int64_t i = 0; i < p->n; i++)
            fold[i] = dealt[p->bag[i]];
        wlab_free(dealt);
    }
    wlab_free(pick);
    folds->k = k;
    folds->fold = fold;
    return WL_OK;
}

void wlab_folds_clear(wlab_folds *folds)
{
    wlab_free(folds->fold);
    *folds = (wlab_folds){0};
}

wlab_code wlab_problem_without(wlab_problem **out, const wlab_problem *p, const wlab_folds *folds, int f,
                               wlab_err *err)
{
    wlab_problem *s;
    wlab_code code = wlab_task_part(&s, p, folds->fold, f, err);
    if (!code)
        code = wlab_task_allow(s, err);
    if (code)
        wlab_problem_unref(s);
    *out = code ? NULL : s;
    return code;
}
