/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate roi-bags: images as bags of regions; in positive images some regions show a concept.
 */
#include "base/progress.h"
#include "data/generators/generate.h"

#include <math.h>

enum {
    SCENE = 3,  /* kinds of background in an image */
    RADIUS = 5, /* radius of the sphere on which the centres of the backgrounds lie */
    MODES_MAX = 16
};

static const wlab_param_info params[] = {
    {.name = "bags",
     .type = WL_P_INT,
     .fallback = "100",
     .lo = 2,
     .hi = 1e6,
     .unit = "bags",
     .meaning = "images"},
    {.name = "positive",
     .type = WL_P_REAL,
     .fallback = "0.2",
     .lo = 0,
     .hi = 1,
     .meaning = "fraction of images that show the concept",
     .flags = WL_P_OPEN_LO | WL_P_OPEN_HI},
    {.name = "least",
     .type = WL_P_INT,
     .fallback = "16",
     .lo = 1,
     .hi = 1e5,
     .unit = "rows",
     .meaning = "smallest number of regions of an image"},
    {.name = "most",
     .type = WL_P_INT,
     .fallback = "32",
     .lo = 1,
     .hi = 1e5,
     .unit = "rows",
     .meaning = "largest number of regions of an image"},
    {.name = "rois",
     .type = WL_P_REAL,
     .fallback = "4",
     .lo = 1,
     .hi = 1e5,
     .unit = "rows",
     .meaning =
         "mean number of regions of interest in a positive image: 1 plus a Poisson number, at most all"},
    WL_GEN_DIMS("16"),
    {.name = "clutter",
     .type = WL_P_INT,
     .fallback = "8",
     .lo = SCENE,
     .hi = 1000,
     .meaning = "kinds of background; every image, positive or not, shows three of them"},
    {.name = "modes",
     .type = WL_P_INT,
     .fallback = "2",
     .lo = 1,
     .hi = MODES_MAX,
     .meaning =
         "appearances of the concept; each lies beside its own kind of background as long as there are "
         "enough kinds"},
    {.name = "distance",
     .type = WL_P_REAL,
     .fallback = "3.5",
     .lo = 0,
     .hi = 1e6,
     .meaning = "distance between the centres of an appearance and of the background beside it"},
    {.name = "context",
     .type = WL_P_REAL,
     .fallback = "0.7",
     .lo = 0,
     .hi = 1,
     .meaning =
         "probability that a positive image always includes the background beside its appearance; otherwise "
         "its backgrounds are drawn like those of all images"},
    {.name = "noise",
     .type = WL_P_REAL,
     .fallback = "1",
     .lo = 0,
     .hi = 1e6,
     .meaning = "standard deviation of a region, in each column"},
    {.name = "light",
     .type = WL_P_REAL,
     .fallback = "0.3",
     .lo = 0,
     .hi = 1e6,
     .meaning = "standard deviation of an image, in each column: a shift that all its regions share"},
    WL_GEN_SEED,
    {0},
};

typedef struct model {
    const wlab_params *p;
    int64_t dims, kinds, modes;
    double *kind;       /* [kinds * dims] centres of the backgrounds */
    double *appearance; /* [modes * dims] centres of the concept's appearances */
} model;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void draw_centres(model *m, wlab_rng *rng)
{
    for (int64_t k = 0; k < m->kinds; k++)
        wlab_gen_direction(m->kind + k * m->dims, m->dims, RADIUS, rng);
    for (int64_t k = 0; k < m->modes; k++) {
        double *appearance = m->appearance + k * m->dims;
        wlab_gen_direction(appearance, m->dims, wlab_params_real(m->p, "distance"), rng);
        for (int64_t j = 0; j < m->dims; j++)
            appearance[j] += m->kind[k % m->kinds * m->dims + j];
    }
}

/* A Poisson number, at most `most`: counts exponential waiting times, because exp(-mean) could underflow. */
static int64_t poisson(double mean, int64_t most, wlab_rng *rng)
{
    int64_t n = 0;
    for (double sum = -log1p(-wlab_rng_uniform(rng)); sum < mean && n < most; n++)
        sum -= log1p(-wlab_rng_uniform(rng));
    return n;
}

/* Draw the three backgrounds of an image, and their fractions of it (uniform on the simplex) as cumulative sums in
 * upto[]. sure >= 0: this is the first background. */
static void draw_scene(const model *m, int64_t sure, int64_t kind[SCENE], double upto[SCENE], wlab_rng *rng)
{
    double sum = 0;
    for (int s = 0; s < SCENE; s++) {
        bool again = true;
        while (again) {
            kind[s] = s == 0 && sure >= 0 ? sure : (int64_t)wlab_rng_below(rng, (uint64_t)m->kinds);
            again = false;
            for (int t = 0; t < s; t++)
                again |= kind[t] == kind[s];
        }
        sum -= log1p(-wlab_rng_uniform(rng));
        upto[s] = sum;
    }
    for (int s = 0; s < SCENE; s++)
        upto[s] = sum > 0 ? upto[s] / sum : 1;
}

/* Draw one image: `rois` of its regions, at random places, show the appearance `mode`; the others are background. */
static void draw_image(const model *m, int64_t regions, int64_t rois, int64_t mode, double *x, int32_t *label,
                       double *shift, wlab_rng *rng)
{
    double noise = wlab_params_real(m->p, "noise"), light = wlab_params_real(m->p, "light"), upto[SCENE];
    int64_t kind[SCENE];
    bool sure = rois && wlab_rng_uniform(rng) < wlab_params_real(m->p, "context");

    draw_scene(m, sure ? mode % m->kinds : -1, kind, upto, rng);
    for (int64_t j = 0; j < m->dims; j++)
        shift[j] = light * wlab_rng_normal(rng);
    for (int64_t i = 0; i < regions; i++)
        label[i] = i < rois;
    wlab_rng_shuffle(rng, label, (size_t)regions);
    for (int64_t i = 0; i < regions; i++) {
        const double *centre = m->appearance + mode * m->dims;
        if (!label[i]) {
            double u = wlab_rng_uniform(rng);
            centre = m->kind + kind[u < upto[0] ? 0 : u < upto[1] ? 1 : 2] * m->dims;
        }
        for (int64_t j = 0; j < m->dims; j++)
            x[i * m->dims + j] = centre[j] + shift[j] + noise * wlab_rng_normal(rng);
    }
}

static wlab_code make(wlab_dataset **made, const wlab_params *p, wlab_ctx *ctx, wlab_err *err)
{
    int64_t bags = wlab_params_int(p, "bags"), few = wlab_params_int(p, "least"),
            many = wlab_params_int(p, "most");
    model m = {.p = p,
               .dims = wlab_params_int(p, "dims"),
               .kinds = wlab_params_int(p, "clutter"),
               .modes = wlab_params_int(p, "modes")};
    int64_t positive = (int64_t)floor(wlab_params_real(p, "positive") * (double)bags + 0.5), n = 0, row = 0;
    wlab_dataset *data = NULL;
    wlab_progress progress;
    wlab_rng rng;
    wlab_code code = WL_OK;

    *made = NULL;
    if (few > many)
        return wlab_fail(err, WL_EARG, "least=%lld regions are more than most=%lld regions", (long long)few,
                         (long long)many);
    positive = positive < 1 ? 1 : least(positive, bags - 1);
    int32_t *is_positive = wlab_alloc((size_t)bags, sizeof *is_positive);
    int32_t *regions = wlab_alloc((size_t)bags, sizeof *regions);
    double *shift = wlab_alloc((size_t)m.dims, sizeof *shift);
    m.kind = wlab_alloc((size_t)(m.kinds * m.dims), sizeof *m.kind);
    m.appearance = wlab_alloc((size_t)(m.modes * m.dims), sizeof *m.appearance);
    if (!is_positive || !regions || !shift || !m.kind || !m.appearance) {
        code = wlab_nomem(err);
        goto out;
    }
    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(p, "seed"));
    draw_centres(&m, &rng);
    for (int64_t b = 0; b < bags; b++) {
        is_positive[b] = b < positive;
        regions[b] = (int32_t)(few + (int64_t)wlab_rng_below(&rng, (uint64_t)(many - few + 1)));
        n += regions[b];
    }
    wlab_rng_shuffle(&rng, is_positive, (size_t)bags);
    if (n > INT32_MAX) {
        code = wlab_fail(err, WL_EARG, "%lld regions in total are too many rows", (long long)n);
        goto out;
    }
    if ((code = wlab_gen_dense(&data, n, m.dims, 2, err)))
        goto out;
    data->bag = wlab_alloc((size_t)n, sizeof *data->bag);
    if (!data->bag) {
        code = wlab_nomem(err);
        goto out;
    }
    data->bags = bags;
    wlab_progress_begin(&progress, ctx, "images", bags);
    for (int64_t b = 0; b < bags; b++) {
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "generating was stopped");
            goto out;
        }
        int64_t rois =
            is_positive[b] ? 1 + poisson(wlab_params_real(p, "rois") - 1, regions[b] - 1, &rng) : 0;
        int64_t mode = (int64_t)wlab_rng_below(&rng, (uint64_t)m.modes);
        draw_image(&m, regions[b], rois, mode, data->X->dense + row * m.dims, data->label + row, shift, &rng);
        for (int64_t i = 0; i < regions[b]; i++)
            data->bag[row++] = (int32_t)b;
        wlab_progress_add(&progress, 1);
    }
    *made = data;
    data = NULL;
out:
    wlab_dataset_unref(data);
    wlab_free(is_positive);
    wlab_free(regions);
    wlab_free(shift);
    wlab_free(m.kind);
    wlab_free(m.appearance);
    return code;
}

const wlab_generator wlab_gen_roi_bags = {
    .name = "roi-bags",
    .summary = "images as bags of regions: positive images have regions of interest among background that "
               "negative images have too; the rows' labels mark the regions of interest",
    .source =
        "own model, after the images of Table 9 of Li, Tsang, Kwok, Zhou, Convex and Scalable Weakly Labeled "
        "SVMs (JMLR 2013): there 64 regions per image, 2.3 (sunset) to 27 (firework) of interest",
    .params = params,
    .make = make,
};
