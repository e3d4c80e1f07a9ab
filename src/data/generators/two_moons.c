/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate two-moons: two interleaved half circles.
 */
#include "data/generators/generate.h"

#include <math.h>

static const wlab_param_info params[] = {
    WL_GEN_N("200"),
    {.name = "noise",
     .type = WL_P_REAL,
     .fallback = "0.08",
     .lo = 0,
     .hi = 100,
     .meaning = "standard deviation of the Gaussian noise in every column"},
    {.name = "dims",
     .type = WL_P_INT,
     .fallback = "2",
     .lo = 2,
     .hi = 1e6,
     .unit = "columns",
     .meaning = "columns: two for the plane of the moons, the others with noise alone"},
    WL_GEN_SEED,
    {0},
};

/* Class +1 lies on (cos t, sin t), class -1 on (1 - cos t, 1/2 - sin t), t uniform on [0, pi]. */
static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = wlab_params_int(p, "n"), dims = wlab_params_int(p, "dims");
    wlab_code code = wlab_gen_dense(made, n, dims, 2, err);
    if (code)
        return code;
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    wlab_gen_groups(*made, 2, &rng);
    for (int64_t i = 0; i < n; i++) {
        double t = M_PI * wlab_rng_uniform(&rng), *x = (*made)->X->dense + i * dims;
        bool upper = (*made)->label[i] == 1;
        x[0] = upper ? cos(t) : 1 - cos(t);
        x[1] = upper ? sin(t) : 0.5 - sin(t);
    }
    return wlab_gen_noise(made, wlab_params_real(p, "noise"), &rng, ctx, err);
}

const wlab_generator wlab_gen_two_moons = {
    .name = "two-moons",
    .summary = "two interleaved half circles of radius 1, in the plane or hidden among noise columns",
    .source =
        "the form n=200 dims=102 is that of 2moons in Chapelle, Sindhwani, Keerthi, Optimization Techniques "
        "for Semi-Supervised Support Vector Machines, JMLR 9 (2008); its noise is set here by noise=",
    .params = params,
    .make = make,
};
