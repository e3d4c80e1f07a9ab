/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate g50c: two Gaussians with a known Bayes error.
 */
#include "data/generators/generate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static const wlab_param_info params[] = {
    WL_GEN_N("550"),
    WL_GEN_DIMS("50"),
    {.name = "error",
     .type = WL_P_REAL,
     .fallback = "0.05",
     .lo = 0,
     .hi = 0.5,
     .meaning = "Bayes error: that of the sign of x1 + x2 + ..., the best possible classifier",
     .flags = WL_P_OPEN_LO},
    WL_GEN_SEED,
    {0},
};

/* Unit covariance, means +-m (1, ..., 1) with m sqrt(dims) the upper `error` quantile of N(0, 1). */
static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = wlab_params_int(p, "n"), dims = wlab_params_int(p, "dims");
    wlab_code code = wlab_gen_dense(made, n, dims, 2, err);
    if (code)
        return code;
    double m = gsl_cdf_ugaussian_Qinv(wlab_params_real(p, "error")) / sqrt((double)dims);
    wlab_rng rng;
    double *centre = wlab_alloc(2 * (size_t)dims, sizeof *centre);
    if (!centre) {
        wlab_dataset_unref(*made);
        *made = NULL;
        return wlab_nomem(err);
    }
    for (int64_t j = 0; j < dims; j++) {
        centre[j] = -m;
        centre[dims + j] = m;
    }
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    wlab_gen_groups(*made, 2, &rng);
    code = wlab_gen_around(made, centre, ctx, err);
    wlab_free(centre);
    return code ? code : wlab_gen_noise(made, 1, &rng, ctx, err);
}

const wlab_generator wlab_gen_g50c = {
    .name = "g50c",
    .summary = "two Gaussians in 50 dimensions whose Bayes error is 5 %",
    .source =
        "the form of g50c in Chapelle, Zien, Semi-Supervised Classification by Low Density Separation (2005)",
    .params = params,
    .make = make,
};
