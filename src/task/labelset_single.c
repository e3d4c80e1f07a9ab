/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The label set with one labeling: supervised learning.
 */
#include "weaklab/labelset.h"

#include <string.h>

typedef struct single_set {
    wlab_labelset base;
    int8_t *y; /* [n] */
} single_set;

static const int8_t *labels_of(const wlab_labelset *set)
{
    return ((const single_set *)(const void *)set)->y;
}

static wlab_code single_argmax(const wlab_labelset *set, const double *r, const int8_t *ref, int8_t *y,
                               wlab_err *err)
{
    (void)r, (void)ref, (void)err;
    memcpy(y, labels_of(set), (size_t)set->n);
    return WL_OK;
}

static bool single_contains(const wlab_labelset *set, const int8_t *y)
{
    return memcmp(y, labels_of(set), (size_t)set->n) == 0;
}

static void single_random(const wlab_labelset *set, wlab_rng *rng, int8_t *y)
{
    (void)rng;
    memcpy(y, labels_of(set), (size_t)set->n);
}

static int single_fixed(const wlab_labelset *set, int64_t k)
{
    return labels_of(set)[k];
}

static int32_t single_group(const wlab_labelset *set, int64_t k)
{
    (void)set, (void)k;
    return -1;
}

static bool single_may_flip(const wlab_labelset *set, const int8_t *y, int64_t k)
{
    (void)set, (void)y, (void)k;
    return false;
}

static bool single_equation(const wlab_labelset *set, int e, double *a, double *b)
{
    (void)set, (void)e, (void)a, (void)b;
    return false;
}

static double single_count(const wlab_labelset *set)
{
    (void)set;
    return 1;
}

static wlab_code single_enumerate(const wlab_labelset *set, wlab_visit visit, void *data, wlab_err *err)
{
    int32_t *changed = wlab_alloc((size_t)set->n, sizeof *changed);
    if (!changed)
        return wlab_nomem(err);
    for (int64_t k = 0; k < set->n; k++)
        changed[k] = (int32_t)k;
    visit(data, labels_of(set), changed, set->n);
    wlab_free(changed);
    return WL_OK;
}

static void single_destroy(wlab_labelset *set)
{
    single_set *s = (single_set *)(void *)set;
    wlab_free(s->y);
    wlab_free(s);
}

static const wlab_labelset_ops single_ops = {
    .name = "single",
    .argmax = single_argmax,
    .contains = single_contains,
    .random = single_random,
    .fixed = single_fixed,
    .group = single_group,
    .may_flip = single_may_flip,
    .equation = single_equation,
    .count = single_count,
    .enumerate = single_enumerate,
    .destroy = single_destroy,
};

wlab_code wlab_labelset_single(wlab_labelset **set, const int8_t *y, int64_t n, wlab_err *err)
{
    *set = NULL;
    single_set *s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->base = (wlab_labelset){.ops = &single_ops, .n = n};
    s->y = wlab_alloc((size_t)n, sizeof *s->y);
    if (!s->y) {
        single_destroy(&s->base);
        return wlab_nomem(err);
    }
    memcpy(s->y, y, (size_t)n);
    *set = &s->base;
    return WL_OK;
}
