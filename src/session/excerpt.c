/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Excerpts of matrices over the instances: which rows, in which order.
 */
#include "weaklab/mirror.h"
#include <string.h>

void wlab_excerpt_clear(wlab_excerpt *e)
{
    wlab_free(e->row);
    wlab_free(e->label);
    wlab_free(e->value);
    *e = (wlab_excerpt){0};
}

/* All instances by label, none last, then by number: counted, labels being few. */
static int32_t *sorted(const wlab_problem *p, const int8_t *labels)
{
    int64_t at[WL_CLASSES_MOST + 2] = {0};
    int32_t *all = wlab_alloc((size_t)p->n, sizeof *all);

    for (int64_t i = 0; i < p->n && all; i++) {
        const int k = wlab_label_index(p, labels[i]);
        at[k < 0 ? p->classes + 1 : k + 1]++;
    }
    for (int k = 1; k <= p->classes; k++) /* where each begins; none at the end */
        at[k] += at[k - 1];
    for (int64_t i = 0; i < p->n && all; i++) {
        const int k = wlab_label_index(p, labels[i]);
        all[at[k < 0 ? p->classes : k]++] = (int32_t)i;
    }
    return all;
}

wlab_code wlab_excerpt_choose(wlab_excerpt *e, const wlab_problem *p, const int8_t *labels, int64_t most,
                              wlab_err *err)
{
    int32_t *all = sorted(p, labels);

    *e = (wlab_excerpt){.n = p->n < most ? p->n : most};
    e->row = wlab_alloc((size_t)e->n, sizeof *e->row);
    e->label = wlab_alloc((size_t)e->n, 1);
    if (!all || !e->row || !e->label) {
        wlab_free(all);
        wlab_excerpt_clear(e);
        return wlab_nomem(err);
    }
    for (int64_t k = 0; k < e->n; k++) {
        e->row[k] = all[k * p->n / e->n];
        e->label[k] = labels[e->row[k]];
    }
    wlab_free(all);
    return WL_OK;
}

wlab_code wlab_excerpt_matrix(wlab_excerpt *e, const wlab_algo *algo, const void *state,
                              const wlab_problem *p, const int8_t *labels, wlab_err *err)
{
    wlab_code code = wlab_excerpt_choose(e, p, labels, WL_EXCERPT_MOST, err);

    if (!code && !(e->value = wlab_alloc((size_t)(e->n * e->n), sizeof *e->value)))
        code = wlab_nomem(err);
    code = code ? code : algo->matrix(state, 0, e->row, e->n, e->value, err);
    if (code)
        wlab_excerpt_clear(e);
    return code;
}
