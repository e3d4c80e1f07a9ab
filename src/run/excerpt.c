/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of probes for display, and the selection and order of instances in excerpts.
 */
#include "run/excerpt.h"
#include <string.h>

void wlab_excerpt_clear(wlab_excerpt *e)
{
    wlab_free(e->row);
    wlab_free(e->label);
    wlab_free(e->truth);
    *e = (wlab_excerpt){0};
}

/* The position of a label or true class among at most WL_CLASSES_MOST classes, unlabelled last.  There may be more true
 * classes than labels. */
static int class_position(const wlab_problem *p, int8_t value)
{
    return !value ? WL_CLASSES_MOST : p->classes > 2 ? value - 1 : value > 0;
}

/* to[] = from[] sorted by value, a stable counting sort. */
static void sort_by_class(const wlab_problem *p, const int8_t *value, const int32_t *from, int32_t *to)
{
    int64_t at[WL_CLASSES_MOST + 2] = {0};

    for (int64_t i = 0; i < p->n; i++)
        at[class_position(p, value[i]) + 1]++;
    for (int k = 1; k <= WL_CLASSES_MOST; k++)
        at[k] += at[k - 1];
    for (int64_t i = 0; i < p->n; i++)
        to[at[class_position(p, value[from[i]])]++] = from[i];
}

/* Whether at least two true classes are known. */
static bool has_truth(const wlab_problem *p)
{
    int8_t one = 0;

    for (int64_t i = 0; i < p->n; i++) {
        if (one && p->truth[i] && p->truth[i] != one)
            return true;
        one = one ? one : p->truth[i];
    }
    return false;
}

wlab_code wlab_excerpt_choose(wlab_excerpt *e, const wlab_problem *p, const int8_t *labels, bool by_truth,
                              int64_t most, wlab_err *err)
{
    int32_t *all = wlab_alloc((size_t)p->n, sizeof *all), *other = wlab_alloc((size_t)p->n, sizeof *other);
    wlab_code code = WL_OK;

    by_truth = by_truth && p->truth && has_truth(p);
    *e = (wlab_excerpt){.n = p->n < most ? p->n : most};
    e->row = wlab_alloc((size_t)e->n, sizeof *e->row);
    e->label = wlab_alloc((size_t)e->n, 1);
    e->truth = by_truth ? wlab_alloc((size_t)e->n, 1) : NULL;
    if (!all || !other || !e->row || !e->label || (by_truth && !e->truth)) {
        wlab_excerpt_clear(e);
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < p->n; i++)
        all[i] = (int32_t)i;
    sort_by_class(p, labels, all, other);
    if (by_truth)
        sort_by_class(p, p->truth, other, all);
    for (int64_t k = 0; k < e->n; k++) {
        e->row[k] = (by_truth ? all : other)[k * p->n / e->n];
        e->label[k] = labels[e->row[k]];
        if (by_truth)
            e->truth[k] = p->truth[e->row[k]];
    }
out:
    wlab_free(all);
    wlab_free(other);
    return code;
}

void wlab_shown_clear(wlab_shown *shown)
{
    wlab_probed_clear(&shown->value);
    wlab_excerpt_clear(&shown->over);
}

wlab_code wlab_shown_get(wlab_shown *shown, const wlab_probe *probe, const void *state, const wlab_problem *p,
                         const int8_t *labels, wlab_ctx *ctx, wlab_err *err)
{
    wlab_excerpt over = {0};
    wlab_probed value = {0};
    wlab_code code = WL_OK;

    if (probe->kind == WL_PROBE_MATRIX)
        code = wlab_excerpt_choose(&over, p, labels, true, WL_EXCERPT_MOST, err);
    const wlab_probe_ask ask = {.probe = probe, .instance = over.row, .n = over.n};
    if (code || (code = probe->get(state, &ask, &value, ctx, err))) {
        wlab_excerpt_clear(&over);
        return code;
    }
    shown->value = value;
    shown->over = over;
    return WL_OK;
}
