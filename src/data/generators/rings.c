/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate ring-clusters: concentric rings in the plane, one per class.
 */
#include "data/generators/generate.h"

#include <math.h>

static const wlab_param_info params[] = {
    WL_GEN_N("300"),
    {.name = "rings",
     .type = WL_P_INT,
     .fallback = "2",
     .lo = 1,
     .hi = 1000,
     .meaning = "rings, one per class"},
    {.name = "noise",
     .type = WL_P_REAL,
     .fallback = "0.1",
     .lo = 0,
     .hi = 100,
     .meaning = "standard deviation of the Gaussian noise; the rings have radius 1, 2, 3, ..."},
    WL_GEN_SEED,
    {0},
};

static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = wlab_params_int(p, "n");
    int rings = (int)wlab_params_int(p, "rings");
    wlab_code code = wlab_gen_dense(made, n, 2, rings, err);
    if (code)
        return code;
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    wlab_gen_groups(*made, rings, &rng);
    for (int64_t i = 0; i < n; i++) {
        double t = 2 * M_PI * wlab_rng_uniform(&rng), radius = (*made)->label[i] + 1;
        (*made)->X->dense[2 * i] = radius * cos(t);
        (*made)->X->dense[2 * i + 1] = radius * sin(t);
    }
    return wlab_gen_noise(made, wlab_params_real(p, "noise"), &rng, ctx, err);
}

const wlab_generator wlab_gen_rings = {
    .name = "ring-clusters",
    .summary = "concentric rings in the plane, one per class: no line separates them",
    .source = "points uniform in angle on circles of radius 1, 2, ... with Gaussian noise",
    .params = params,
    .make = make,
};
