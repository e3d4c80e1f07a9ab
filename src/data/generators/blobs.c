/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate blobs: Gaussian clusters, one per class.
 */
#include "data/generators/generate.h"

static const wlab_param_info params[] = {
    WL_GEN_N("300"),
    WL_GEN_DIMS("2"),
    {.name = "classes",
     .type = WL_P_INT,
     .fallback = "2",
     .lo = 1,
     .hi = 1000,
     .meaning = "clusters, one per class"},
    {.name = "spread",
     .type = WL_P_REAL,
     .fallback = "1",
     .lo = 0,
     .hi = 1e6,
     .meaning = "standard deviation within a cluster"},
    {.name = "box",
     .type = WL_P_REAL,
     .fallback = "5",
     .lo = 0,
     .hi = 1e6,
     .meaning = "the centres are uniform in [-box, box] in every column"},
    WL_GEN_SEED,
    {0},
};

static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    *made = NULL;
    int64_t n = wlab_params_int(p, "n"), dims = wlab_params_int(p, "dims"),
            classes = wlab_params_int(p, "classes");
    double box = wlab_params_real(p, "box");
    double *centre = wlab_alloc((size_t)(classes * dims), sizeof *centre);
    if (!centre)
        return wlab_nomem(err);
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    for (int64_t j = 0; j < classes * dims; j++)
        centre[j] = box * (2 * wlab_rng_uniform(&rng) - 1);
    wlab_code code = wlab_gen_dense(made, n, dims, (int)classes, err);
    if (code)
        goto out;
    wlab_gen_groups(*made, (int)classes, &rng);
    code = wlab_gen_around(made, centre, ctx, err);
    code = code ? code : wlab_gen_noise(made, wlab_params_real(p, "spread"), &rng, ctx, err);
out:
    wlab_free(centre);
    return code;
}

const wlab_generator wlab_gen_blobs = {
    .name = "blobs",
    .summary = "Gaussian clusters with random centres, one per class",
    .source = "a mixture of isotropic Gaussians",
    .params = params,
    .make = make,
};
