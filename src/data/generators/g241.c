/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate g241c and g241d: Gaussian clusters that are the classes (g241c), or that mislead about them (g241d).
 *
 * In the published g241d the two centres of a cluster pair are 3.1 apart, not 2.5; distance= sets this.
 */
#include "data/generators/generate.h"

#include <math.h>

#define DISTANCE(meaning_)                                                                                   \
    {                                                                                                        \
        .name = "distance", .type = WL_P_REAL, .fallback = "2.5", .lo = 0, .hi = 1e6, .meaning = meaning_    \
    }

static const double FAR = 6; /* distance between the two centres of class +1 of g241d */

static const wlab_param_info params_c[] = {
    WL_GEN_N("1500"),
    WL_GEN_DIMS("241"),
    DISTANCE("between the centres of the two classes"),
    WL_GEN_SEED,
    {0},
};

static const wlab_param_info params_d[] = {
    WL_GEN_N("1500"),
    WL_GEN_DIMS("241"),
    DISTANCE("from each centre of class +1 to the centre of class -1 beside it"),
    WL_GEN_SEED,
    {.name = NULL, .fallback = "far=6"},
};

/* Shift and rescale every column to mean 0 and variance 1. */
static void standardise(wlab_matrix *X)
{
    for (int32_t j = 0; j < X->cols; j++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < X->rows; i++)
            mean += X->dense[i * X->cols + j];
        mean /= (double)X->rows;
        for (int64_t i = 0; i < X->rows; i++) {
            double *x = &X->dense[i * X->cols + j];
            *x -= mean;
            square += *x * *x;
        }
        double deviation = sqrt(square / (double)X->rows);
        for (int64_t i = 0; i < X->rows && deviation > 0; i++)
            X->dense[i * X->cols + j] /= deviation;
    }
}

/* Rows around centre[groups x dims], standardised; group g has the class class_of[g]. */
static wlab_code make_clusters(wlab_dataset **made, int64_t n, int64_t dims, const double *centre, int groups,
                               const int32_t *class_of, wlab_rng *rng, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_gen_dense(made, n, dims, 2, err);
    if (code)
        return code;
    wlab_gen_groups(*made, groups, rng);
    if ((code = wlab_gen_around(made, centre, ctx, err)) || (code = wlab_gen_noise(made, 1, rng, ctx, err)))
        return code;
    for (int64_t i = 0; i < n; i++)
        (*made)->label[i] = class_of[(*made)->label[i]];
    standardise((*made)->X);
    return WL_OK;
}

static wlab_code make_c(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    *made = NULL;
    static const int32_t class_of[2] = {0, 1};
    int64_t dims = wlab_params_int(p, "dims");
    double *centre = wlab_calloc(2 * (size_t)dims, sizeof *centre);
    if (!centre)
        return wlab_nomem(err);
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    wlab_gen_direction(centre + dims, dims, wlab_params_real(p, "distance"), &rng);
    wlab_code code = make_clusters(made, wlab_params_int(p, "n"), dims, centre, 2, class_of, &rng, ctx, err);
    wlab_free(centre);
    return code;
}

static wlab_code make_d(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    *made = NULL;
    static const int32_t class_of[4] = {1, 1, 0, 0}; /* groups 2 and 3 lie beside groups 0 and 1 */
    int64_t dims = wlab_params_int(p, "dims");
    double *centre = wlab_calloc(4 * (size_t)dims, sizeof *centre);
    if (!centre)
        return wlab_nomem(err);
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    wlab_gen_direction(centre + dims, dims, FAR, &rng);
    for (int64_t pair = 0; pair < 2; pair++) {
        double *beside = centre + (2 + pair) * dims;
        wlab_gen_direction(beside, dims, wlab_params_real(p, "distance"), &rng);
        for (int64_t j = 0; j < dims; j++)
            beside[j] += centre[pair * dims + j];
    }
    wlab_code code = make_clusters(made, wlab_params_int(p, "n"), dims, centre, 4, class_of, &rng, ctx, err);
    wlab_free(centre);
    return code;
}

const wlab_generator wlab_gen_g241c = {
    .name = "g241c",
    .summary = "two Gaussians in 241 dimensions, 2.5 apart: the clusters are the classes",
    .source =
        "the form of g241c in Chapelle, Schoelkopf, Zien (eds.), Semi-Supervised Learning (2006), chapter 21",
    .params = params_c,
    .make = make_c,
};

const wlab_generator wlab_gen_g241d = {
    .name = "g241d",
    .summary = "two clusters far apart, each holding a Gaussian of either class: the clusters mislead",
    .source =
        "the form of g241d in Chapelle, Schoelkopf, Zien (eds.), Semi-Supervised Learning (2006), chapter 21",
    .params = params_d,
    .make = make_d,
};
