/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Probes: which probes an algorithm offers, and whether a probe is quick.
 */
#include "algo/algos.h"

#include <string.h>

enum { /* limits up to which the delay is not noticeable */
    MULTIPLICATIONS = 200000000,
    NUMBERS = 2000000
};

int wlab_probe_count(const wlab_algo *algo)
{
    int n = 0;

    while (algo->probes && algo->probes[n].name)
        n++;
    return n;
}

int wlab_probe_index(const wlab_algo *algo, wlab_probe_kind kind)
{
    for (int k = 0; k < wlab_probe_count(algo); k++)
        if (algo->probes[k].kind == kind)
            return k;
    return -1;
}

const wlab_probe *wlab_probe_recorded(const wlab_algo *algo)
{
    for (int k = 0; k < wlab_probe_count(algo); k++)
        if (algo->probes[k].when == WL_PROBE_RECORDED)
            return &algo->probes[k];
    return NULL;
}

bool wlab_probe_is_quick(const wlab_probe *probe, const wlab_problem *p, int64_t weighed)
{
    const int64_t cosines = weighed < WL_COSINES_MOST ? weighed : WL_COSINES_MOST;

    if (probe->when != WL_PROBE_QUICK)
        return true;
    switch (probe->kind) {
    case WL_PROBE_COSINES: /* each needs a product with the kernel matrix */
        return (double)cosines * (double)p->n * (double)p->n <= MULTIPLICATIONS;
    case WL_PROBE_SCORES:
        return p->n * p->classes <= NUMBERS;
    case WL_PROBE_SLICE: /* a loss for every row at every point */
        return p->n * WL_SLICE_POINTS <= NUMBERS;
    case WL_PROBE_CUTS: /* all rows for every cut */
        return (double)p->n * (double)p->n <= MULTIPLICATIONS;
    case WL_PROBE_MAP: /* inner products of all labelings */
        return (double)p->n * WL_COSINES_MOST * WL_COSINES_MOST <= MULTIPLICATIONS;
    case WL_PROBE_LANDSCAPE: /* a distance of every row at every place */
        return (double)p->n * p->X->cols * WL_LAND_SIDE * WL_LAND_SIDE <= MULTIPLICATIONS;
    default:
        return true;
    }
}

wlab_code wlab_probed_make(wlab_probed *out, int64_t rows, int64_t columns, wlab_err *err)
{
    double *value = wlab_alloc((size_t)rows, (size_t)columns * sizeof *value);

    if (!value)
        return wlab_nomem(err);
    *out = (wlab_probed){.rows = rows, .columns = columns, .value = value};
    return WL_OK;
}

wlab_code wlab_probed_bags(wlab_probed *out, const wlab_problem *p, const wlab_probe_ask *ask,
                           const double *M, wlab_err *err)
{
    if (wlab_probed_make(out, ask->n, ask->n, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < ask->n; i++)
        for (int64_t j = 0; j < ask->n; j++)
            out->value[i * ask->n + j] = M[p->bag[ask->instance[i]] * p->bags + p->bag[ask->instance[j]]];
    return WL_OK;
}

wlab_code wlab_probed_eigenvalues(wlab_probed *out, const double *value, int64_t n, wlab_err *err)
{
    const int64_t rows = n < WL_EIGENVALUES_MOST ? n : WL_EIGENVALUES_MOST;

    if (wlab_probed_make(out, rows, 1, err))
        return WL_ENOMEM;
    memcpy(out->value, value, (size_t)rows * sizeof *out->value);
    return WL_OK;
}

void wlab_probed_clear(wlab_probed *probed)
{
    wlab_free(probed->value);
    *probed = (wlab_probed){0};
}
