/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the matrix of a step to labels: rounding, clusters' names, what the labels cost.
 */
#include "algo/sdp.h"
#include "eval/matching.h"

#include <math.h>
#include <string.h>

/* Clusters have no names: those of the step before, where most points are the same. */
static wlab_code same_names(const sdp *s, int32_t *label, double *score, wlab_err *err)
{
    int64_t common[WL_CLASSES_MOST * WL_CLASSES_MOST] = {0};
    int match[WL_CLASSES_MOST];
    double row[WL_CLASSES_MOST];
    for (int64_t g = 0; g < s->groups; g++)
        common[label[g] * s->P + s->label[g]] += (int64_t)s->weight[g];
    const wlab_code code = wlab_matching(common, s->P, s->P, match, err);
    if (code)
        return code;
    for (int64_t g = 0; g < s->groups; g++) {
        label[g] = match[label[g]];
        for (int k = 0; k < s->P; k++)
            row[match[k]] = score[g * s->P + k];
        memcpy(score + g * s->P, row, (size_t)s->P * sizeof *row);
    }
    return WL_OK;
}

static wlab_code round_now(const sdp *s, int32_t *label, double *score, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t rank = wlab_relax_get(s->relax).rank;
    double *V = wlab_alloc((size_t)(s->groups * rank), sizeof *V);
    if (!V)
        return wlab_nomem(err);
    for (int64_t g = 0; g < s->groups; g++)
        wlab_relax_vector(s->relax, g, V + g * rank);
    const wlab_rounding q = {.kind = s->rounding,
                             .n = s->groups,
                             .r = rank,
                             .V = V,
                             .P = s->P,
                             .simplex = s->simplex,
                             .k = s->vectors,
                             .weight = s->weight,
                             .allowed = s->group_allowed,
                             .nodes = s->block ? V : NULL, /* groups 0 .. P-1 are the classes' */
                             .seed = s->seed};
    wlab_code code = wlab_round(&q, label, score, ctx, err);
    if (!code && !s->block && s->rounded)
        code = same_names(s, label, score, err);
    wlab_free(V);
    return code;
}

/* Labels of all rows; those that no point stands for: what the model of the points' labels predicts. */
static void show(const sdp *s, const int32_t *label, int8_t *shown)
{
    const double *W = wlab_em_W(s->part), *b = wlab_em_b(s->part);
    const int64_t d = s->features->r;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t q = s->points.of ? s->points.of[i] : i;
        int best = -1;
        if (q >= 0) {
            best = label[s->group[q]];
        } else {
            double top = 0;
            for (int k = 0; k < s->P; k++) {
                double f = b[k];
                for (int64_t j = 0; j < d; j++)
                    f += W[k * d + j] * s->features->Phi[i * d + j];
                if ((s->rows.allowed[i] >> k & 1) && (best < 0 || f > top)) {
                    best = k;
                    top = f;
                }
            }
        }
        shown[i] = wlab_label_at(s->p, best);
    }
}

/* h of the proportions of labels, by weight. */
static double entropy_of(const sdp *s, const int8_t *shown)
{
    double v[WL_CLASSES_MOST] = {0}, h = 0;
    for (int64_t i = 0; i < s->n; i++)
        v[wlab_label_index(s->p, shown[i])] += s->rows.pi[i];
    for (int k = 0; k < s->P; k++)
        h -= v[k] > 0 ? v[k] * log(v[k]) : 0;
    return h;
}

static int64_t count_flips(const sdp *s, const int8_t *shown)
{
    int64_t flips = 0;
    for (int64_t i = 0; i < s->n; i++)
        flips += s->shown[i] && shown[i] != s->shown[i]; /* a first label is no flip */
    return flips;
}

/* A labeling's Z has P eigenvalues, P - 1 in simplex coding. */
static wlab_code share_of_leading(const sdp *s, double *share, wlab_err *err)
{
    double value[WL_CLASSES_MOST];
    const int64_t most = s->P - s->simplex, count = most < s->nodes ? most : s->nodes;
    const wlab_code code = wlab_relax_eigenvalues(s->relax, value, count, err);
    *share = 0;
    for (int64_t k = 0; k < count && !code; k++)
        *share += value[k] / (double)s->nodes;
    return code;
}

void sdp_rate(sdp *s, double f)
{
    if (s->square || s->points.bag || s->upper <= f)
        return;
    s->upper = f;
    s->best_step = s->step + 1;
}

wlab_code sdp_settle(sdp *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    int32_t *label = wlab_alloc((size_t)s->groups, sizeof *label),
            *of_point = wlab_alloc((size_t)s->points.n, sizeof *of_point);
    double *score = wlab_alloc((size_t)(s->groups * s->P), sizeof *score);
    int8_t *shown = wlab_alloc((size_t)s->n, sizeof *shown);
    if (!label || !of_point || !score || !shown) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = round_now(s, label, score, ctx, err)))
        goto out;
    for (int64_t i = 0; i < s->points.n; i++)
        of_point[i] = label[s->group[i]];
    if ((code = wlab_em_set_labels(s->part, of_point, err)) ||
        (code = wlab_em_m_step(s->part, 1e-6, ctx, err)))
        goto out;
    show(s, label, shown);
    double share = NAN;
    if (wlab_relax_state(s->relax) != WL_RELAX_GOING && (code = share_of_leading(s, &share, err)))
        goto out;
    const wlab_relax_numbers r = wlab_relax_get(s->relax);
    const double f = wlab_em_objective(s->part).total;
    s->before = s->objective;
    s->objective = r.upper;
    s->lower = r.lower;
    sdp_rate(s, f);
    s->flips = count_flips(s, shown);
    s->entropy = entropy_of(s, shown);
    memcpy(s->label, label, (size_t)s->groups * sizeof *label);
    memcpy(s->score, score, (size_t)(s->groups * s->P) * sizeof *score);
    memcpy(s->shown, shown, (size_t)s->n);
    s->rounded = true;
    s->step++;
    s->reset = false;
    s->relaxed = wlab_relax_state(s->relax) != WL_RELAX_GOING;
    s->share = share;
out:
    wlab_free(label);
    wlab_free(of_point);
    wlab_free(score);
    wlab_free(shown);
    return code;
}
