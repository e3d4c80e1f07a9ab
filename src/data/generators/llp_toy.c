/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate llp-toy: bags whose means lie on the wrong sides of the class boundary.
 */
#include "data/generators/generate.h"

static const wlab_param_info params[] = {
    {.name = "n",
     .type = WL_P_INT,
     .fallback = "200",
     .lo = 10,
     .hi = 1e8,
     .unit = "rows",
     .meaning = "rows in all bags"},
    {.name = "bags",
     .type = WL_P_INT,
     .fallback = "2",
     .lo = 2,
     .hi = 1e6,
     .meaning = "bags of equal size, alternately 60 and 40 % positive"},
    WL_GEN_SEED,
    {0},
};

/* Four Gaussians on the diagonal; the positive class is at its lower end.  In bag 1, 60 % of the rows are positive
 * near the origin and 40 % are negative far out, so that its mean is on the negative side.  Bag 2 is its mirror
 * image, and so on alternately. */
static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    (void)ctx;
    const double near = 0.25, near_spread = 0.1, far = 0.65, far_spread = 0.15;
    int64_t n = wlab_params_int(p, "n"), bags = wlab_params_int(p, "bags");
    if (n < 5 * bags)
        return wlab_fail(err, WL_EARG, "n=%lld rows are too few for bags=%lld: each bag needs at least 5",
                         (long long)n, (long long)bags);
    wlab_code code = wlab_gen_dense(made, n, 2, 2, err);
    if (code)
        return code;
    wlab_dataset *data = *made;
    data->bag = wlab_alloc((size_t)n, sizeof *data->bag);
    if (!data->bag) {
        wlab_dataset_unref(data);
        *made = NULL;
        return wlab_nomem(err);
    }
    data->bags = bags;
    wlab_rng rng;
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    for (int64_t i = 0, b = 0; i < n; i++) {
        while (i >= (b + 1) * n / bags)
            b++;
        bool second = b % 2;
        int64_t begin = b * n / bags, place = i - begin, size = (b + 1) * n / bags - begin;
        bool majority = place < (6 * size + 5) / 10, positive = majority != second;
        double centre = (positive ? -1 : 1) * (majority ? near : far),
               spread = majority ? near_spread : far_spread;
        data->bag[i] = (int32_t)b;
        data->label[i] = positive;
        for (int j = 0; j < 2; j++)
            data->X->dense[2 * i + j] = centre + spread * wlab_rng_normal(&rng);
    }
    return WL_OK;
}

const wlab_generator wlab_gen_llp_toy = {
    .name = "llp-toy",
    .summary = "bags, 60 % and 40 % positive, whose means lie on the wrong sides of the class boundary",
    .source = "Yu, Liu, Kumar, Jebara, Chang, pSVM for Learning with Label Proportions (ICML 2013), Figure "
              "1; centres "
              "and spreads measured on the authors' points",
    .params = params,
    .make = make,
};
