/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate polygon: long thin clusters along the sides of a polygon.
 */
#include "data/generators/generate.h"

#include <math.h>

static const wlab_param_info params[] = {
    WL_GEN_N("300"),
    {.name = "classes",
     .type = WL_P_INT,
     .fallback = "3",
     .lo = 3,
     .hi = 60,
     .meaning = "sides of the polygon; along each side lies one cluster, one per class"},
    {.name = "length",
     .type = WL_P_REAL,
     .fallback = "0.8",
     .lo = 0,
     .hi = 100,
     .meaning = "length of a cluster, in sides; the sides touch a circle of radius 0.4"},
    {.name = "ends",
     .type = WL_P_REAL,
     .fallback = "0.6",
     .lo = 0,
     .hi = 1,
     .meaning = "how much denser a cluster is towards its ends: 0 is uniform, 1 the arcsine distribution"},
    {.name = "spread",
     .type = WL_P_REAL,
     .fallback = "0.03",
     .lo = 0,
     .hi = 100,
     .meaning = "standard deviation across a cluster, in the unit of that radius"},
    {.name = "shift",
     .type = WL_P_REAL,
     .fallback = "3",
     .lo = -1e6,
     .hi = 1e6,
     .meaning =
         "the polygon's centre is at (shift, 2/3 shift); a boundary without an intercept goes through 0"},
    {.name = "noise",
     .type = WL_P_INT,
     .unit = "columns",
     .fallback = "0",
     .lo = 0,
     .hi = 1e6,
     .meaning = "additional columns of normal noise, unrelated to the class"},
    {.name = "deviation",
     .type = WL_P_REAL,
     .fallback = "1",
     .lo = 0,
     .hi = 1e6,
     .meaning = "standard deviation of each noise column; the polygon is about 1 across"},
    WL_GEN_SEED,
    {0},
};

static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = wlab_params_int(p, "n"), dims = 2 + wlab_params_int(p, "noise");
    const int classes = (int)wlab_params_int(p, "classes");
    const double inner = 0.4, side = 2 * inner * tan(M_PI / classes), shift = wlab_params_real(p, "shift"),
                 length = side * wlab_params_real(p, "length"), spread = wlab_params_real(p, "spread"),
                 ends = wlab_params_real(p, "ends"), deviation = wlab_params_real(p, "deviation");
    (void)ctx;
    *made = NULL;
    wlab_code code = wlab_gen_dense(made, n, dims, classes, err);
    if (code)
        return code;
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    wlab_gen_groups(*made, classes, &rng);
    for (int64_t i = 0; i < n; i++) {
        double *x = (*made)->X->dense + i * dims;
        const double angle = 2 * M_PI * (*made)->label[i] / classes + M_PI / 10;
        const double u = wlab_rng_uniform(&rng) - 0.5;
        const double along = length * ((1 - ends) * u + ends / 2 * sin(M_PI * u)),
                     out = inner + spread * wlab_rng_normal(&rng);
        x[0] = shift + out * cos(angle) - along * sin(angle);
        x[1] = shift * 2 / 3 + out * sin(angle) + along * cos(angle);
        for (int64_t j = 2; j < dims; j++)
            x[j] = deviation * wlab_rng_normal(&rng);
    }
    return WL_OK;
}

const wlab_generator wlab_gen_polygon = {
    .name = "polygon",
    .summary = "long thin clusters along the sides of a polygon, one per class: linear boundaries can "
               "separate them, but few do",
    .source = "after the picture of Joulin, Bach (2012), Figure 2 (their data are not described)",
    .params = params,
    .make = make,
};
