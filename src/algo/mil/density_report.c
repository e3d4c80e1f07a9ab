/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Diverse density: metrics, the landscape, and words.
 */
#include "algo/mil/density.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum {
    NAMED = 5 /* columns that explain lists */
};
enum {
    M_OBJECTIVE,
    M_POSITIVE,
    M_NEGATIVE,
    M_GRADIENT,
    M_FLIPS,
    M_RESTART,
    M_MOVING,
    M_COLUMNS,
    M_SECONDS
};
const wlab_metric_info density_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the smallest negative logarithm of the diverse density of all starts; never rises",
     .equation = "NLDD(t, s)"},
    {.name = "positive",
     .flags = WL_M_LESS | WL_M_LINE,
     .meaning = "the part of the positive bags: how far the concept is from them",
     .equation = "- sum log(1 - prod_j (1 - p_j)) over positive bags"},
    {.name = "negative",
     .flags = WL_M_LESS | WL_M_LINE,
     .meaning = "the part of the negative bags: how near the concept is to them",
     .equation = "- sum sum_j log(1 - p_j) over negative bags"},
    {.name = "gradient",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "norm of the gradient at the end of the last descent of the start that is shown",
     .equation = "||d NLDD / d (t, s)||"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those shown one step before, possibly of another start; a first "
                "label is no flip"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "number of the start that is shown: the one with the smallest objective"},
    {.name = "moving", .unit = "starts", .flags = WL_M_COUNT, .meaning = "starts that have not ended"},
    {.name = "columns",
     .meaning = "the number of columns that count: that of equal scales with the same concentration",
     .equation = "(sum s_k^2)^2 / sum s_k^4"},
    WLAB_SECONDS,
    {.name = NULL}};

/* In units of the data. */
double density_concept_at(const density *s, const double *w, int64_t k)
{
    return s->centre[k] + s->width[k] * w[k];
}

int64_t density_count_moving(const density *s)
{
    int64_t moving = 0;
    for (int64_t k = 0; k < s->restarts; k++)
        moving += s->r[k].moving;
    return moving;
}

/* ---- metrics, labels and pictures ---- */

static double columns_that_count(const density *s, const double *w)
{
    double two = 0, four = 0;
    for (int64_t k = 0; k < s->d; k++) {
        const double square = w[s->d + k] * w[s->d + k];
        two += square;
        four += square * square;
    }
    return four > 0 ? two * two / four : NAN;
}

void density_observe(const void *state, double *metric, int8_t *labels)
{
    const density *s = state;
    const density_start *r = &s->r[s->leader];

    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    for (int m = 0; m < M_SECONDS; m++)
        metric[m] = NAN;
    metric[M_MOVING] = (double)density_count_moving(s);
    metric[M_SECONDS] = s->seconds;
    if (s->step == 0)
        return;
    double part[2];
    const double value = density_objective((density *)s, r->at->w, part); /* only its workspace is written */
    if (isfinite(value)) {
        metric[M_OBJECTIVE] = value;
        metric[M_POSITIVE] = part[0];
        metric[M_NEGATIVE] = part[1];
    }
    metric[M_GRADIENT] = r->gradient;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_RESTART] = (double)(s->leader + 1);
    metric[M_COLUMNS] = columns_that_count(s, r->at->w);
}

static wlab_code values(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const density *s = state;
    (void)ask, (void)ctx;
    if (wlab_probed_make(out, s->step > 0 ? s->restarts : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < out->rows; k++)
        out->value[k] = isfinite(s->r[k].value) ? s->r[k].value : NAN;
    return WL_OK;
}

/* The two columns with the largest scales. */
static void leading_columns(const density *s, const double *w, int64_t of[2])
{
    of[0] = of[1] = 0;
    for (int64_t k = 1; k < s->d; k++)
        if (fabs(w[s->d + k]) > fabs(w[s->d + of[0]]))
            of[0] = k;
    of[1] = of[0] == 0 ? 1 : 0;
    for (int64_t k = 0; k < s->d; k++)
        if (k != of[0] && fabs(w[s->d + k]) > fabs(w[s->d + of[1]]))
            of[1] = k;
    if (of[0] > of[1]) { /* as in the data */
        const int64_t first = of[1];
        of[1] = of[0];
        of[0] = first;
    }
}

static wlab_code landscape(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                           wlab_err *err)
{
    density *s = (density *)state; /* only its workspace is written */
    const size_t d = (size_t)s->d;
    double lo[2], step[2], part[2];
    int64_t of[2];

    (void)ask;
    if (s->step == 0 || s->d < 2)
        return wlab_fail(err, WL_ESTATE,
                         s->d < 2 ? "there is one column only: a landscape needs two"
                                  : "there is no concept yet: `step` first");
    if (wlab_probed_make(out, WL_LAND_SIDE * WL_LAND_SIDE + 2, WL_LAND_COLUMNS, err))
        return WL_ENOMEM;
    double *w = wlab_alloc(2 * d, sizeof *w), *row = out->value;
    if (!w) {
        wlab_probed_clear(out);
        return wlab_nomem(err);
    }
    memcpy(w, s->r[s->leader].at->w, 2 * d * sizeof *w);
    leading_columns(s, w, of);
    for (int k = 0; k < 2; k++) {
        double hi = w[of[k]];
        lo[k] = hi;
        for (int64_t i = 0; i < s->n; i++) {
            lo[k] = fmin(lo[k], s->X[i * s->d + of[k]]);
            hi = fmax(hi, s->X[i * s->d + of[k]]);
        }
        step[k] = hi > lo[k] ? (hi - lo[k]) / (WL_LAND_SIDE - 3) : 1;
        lo[k] -= step[k];
    }
    const double concept[] = {density_concept_at(s, w, of[0]), density_concept_at(s, w, of[1]),
                              density_objective(s, w, part)};
    for (int k = 0; k < WL_LAND_SIDE * WL_LAND_SIDE; k++, row += WL_LAND_COLUMNS) {
        w[of[0]] = lo[0] + (k % WL_LAND_SIDE) * step[0];
        w[of[1]] = lo[1] + (k / WL_LAND_SIDE) * step[1];
        row[WL_LAND_X] = density_concept_at(s, w, of[0]);
        row[WL_LAND_Y] = density_concept_at(s, w, of[1]);
        row[WL_LAND_VALUE] = density_objective(s, w, part);
        if (k % WL_LAND_SIDE == 0 && wlab_interrupted(ctx)) {
            wlab_probed_clear(out);
            wlab_free(w);
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        }
    }
    memcpy(row, concept, sizeof concept);
    row[WL_LAND_COLUMNS] = (double)of[0];
    row[WL_LAND_COLUMNS + 1] = (double)of[1];
    row[WL_LAND_COLUMNS + 2] = 0;
    wlab_free(w);
    return WL_OK;
}

const wlab_probe density_probes[] = {{.name = "objective",
                                      .kind = WL_PROBE_RESTARTS,
                                      .when = WL_PROBE_RECORDED,
                                      .meaning = "objective of each start",
                                      .get = values},
                                     {.name = "NLDD",
                                      .kind = WL_PROBE_LANDSCAPE,
                                      .when = WL_PROBE_QUICK,
                                      .meaning = "the objective over the two columns with the largest scales",
                                      .get = landscape},
                                     {.name = NULL}};

/* ---- words ---- */

/* "columns with the largest scales: 3 (s = 1.2), ..." */
static void name_columns(const density *s, const double *w, char *buf, size_t size)
{
    int64_t listed[NAMED];
    for (int64_t k = 0; k < NAMED && k < s->d; k++) {
        int64_t best = -1;
        for (int64_t c = 0; c < s->d; c++) {
            bool had = false;
            for (int64_t j = 0; j < k; j++)
                had = had || listed[j] == c;
            if (!had && (best < 0 || fabs(w[s->d + c]) > fabs(w[s->d + best])))
                best = c;
        }
        listed[k] = best;
        wlab_text_append(buf, size, "%s%lld (s = %.3g, t = %.4g)", k ? ", " : "", (long long)best + 1,
                         fabs(w[s->d + best]), density_concept_at(s, w, best));
    }
}

void density_explain(const void *state, char *buf, size_t size)
{
    const density *s = state;
    const density_start *r = &s->r[s->leader];
    double part[2];

    if (s->step == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: %lld start%s will begin at instances of positive bags, with equal "
            "scales for "
            "all %lld columns.",
            (long long)s->restarts, s->restarts == 1 ? "" : "s", (long long)s->d);
        return;
    }
    const double value = density_objective((density *)s, r->at->w, part); /* only its workspace is written */
    if (!isfinite(value)) {
        snprintf(buf, size,
                 "Each of the %lld starts lies at an instance that a negative bag has, too, where no concept "
                 "can be: use "
                 "more restarts=, or another seed=.",
                 (long long)s->restarts);
        return;
    }
    snprintf(
        buf, size,
        "%s.  Start %lld of %lld has the smallest objective, %.10g: %.6g for the positive bags, whose "
        "nearest "
        "instances are not at the concept, and %.6g for the negative ones, some of whose instances are near "
        "it.  %lld "
        "labels changed; %lld of %lld starts have not ended%s.  Columns with the largest scales: ",
        s->em ? "In each start that had not ended, the nearest instance of each bag was chosen, and the "
                "concept that fits these was found by L-BFGS"
              : "Each start that had not ended made an iteration of L-BFGS",
        (long long)s->leader + 1, (long long)s->restarts, value, part[0], part[1], (long long)s->flips,
        (long long)density_count_moving(s), (long long)s->restarts,
        s->limited ? ", and iterations= stopped the run" : "");
    name_columns(s, r->at->w, buf, size);
    wlab_text_append(buf, size, " (s per standard deviation of the column, t in its own units).");
    if (r->stalled)
        wlab_text_append(buf, size, "  No step lowers the objective of this start in double precision.");
}

void density_next(const void *state, char *buf, size_t size)
{
    const density *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited ? "the limit iterations= was reached" : "all starts have ended");
    else
        snprintf(buf, size,
                 s->em
                     ? "the nearest instance of each bag, then the concept that fits these, for %lld start%s"
                     : "an iteration of L-BFGS for each of %lld start%s",
                 (long long)density_count_moving(s), density_count_moving(s) == 1 ? "" : "s");
}
