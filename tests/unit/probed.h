/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests: evaluates the first probe of a kind that an algorithm has.
 */
#ifndef TESTS_PROBED_H
#define TESTS_PROBED_H

#include "weaklab/algo.h"

/* Evaluates the first probe of this kind. instance: for a matrix, the n instances that select its rows and columns. */
static inline wlab_code probed_over(const wlab_algo *algo, const void *state, wlab_probe_kind kind,
                                    const int32_t *instance, int64_t n, wlab_probed *out, wlab_ctx *ctx,
                                    wlab_err *err)
{
    const wlab_probe *probe = &algo->probes[wlab_probe_index(algo, kind)];
    *out = (wlab_probed){0};
    return probe->get(state, &(wlab_probe_ask){.probe = probe, .instance = instance, .n = n}, out, ctx, err);
}

static inline wlab_code probed(const wlab_algo *algo, const void *state, wlab_probe_kind kind,
                               wlab_probed *out, wlab_err *err)
{
    return probed_over(algo, state, kind, NULL, 0, out, NULL, err);
}

#endif
