/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp, from the matrix of a step to labels: rounding, numbering of clusters, the objective f of the labels.
 */
#include "algo/softmax/sdp.h"
#include "score/matching.h"

#include <math.h>
#include <string.h>

/* The rounding numbers the clusters in any order.  Renumbers them so that as many points as possible keep the cluster
 * number that they had after the step before. */
static wlab_code keep_cluster_numbers(const sdp *s, int32_t *label, double *score, wlab_err *err)
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

/* A way to round Z.  Each is cheap compared to a step, and none is always the best. */
typedef struct way {
    wlab_rounding_kind kind;
    int64_t vectors; /* number of leading eigenvectors; 0: as many as classes */
    bool plain;
} way;

static wlab_code round_one_way(const sdp *s, way by, const wlab_rounding *base, int32_t *label, double *score,
                               wlab_ctx *ctx, wlab_err *err)
{
    wlab_rounding q = *base;
    q.kind = by.kind;
    q.k = by.vectors;
    q.plain = by.plain;
    wlab_code code = wlab_round(&q, label, score, ctx, err);
    if (!code && !s->block && s->rounded)
        code = keep_cluster_numbers(s, label, score, err);
    return code;
}

/* Labels of all rows.  A row that no point represents gets the prediction of the model of the points' labels. */
static void label_rows(const sdp *s, const int32_t *label, int8_t *shown)
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

/* The entropy h of the class proportions of labels, weighted by pi. */
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

/* The sum of Z's largest eigenvalues as a fraction of its trace.  As many are summed as the Z of a labeling has besides
 * 0: P, or P - 1 in simplex coding. */
static double leading_fraction(const sdp *s)
{
    int64_t known;
    const double *value = wlab_relax_eigenvalues(s->relax, &known);
    const int64_t most = s->P - s->simplex < s->nodes ? s->P - s->simplex : s->nodes;
    double sum = 0;
    for (int64_t k = 0; k < most && k < known; k++)
        sum += value[k] / (double)s->nodes;
    return known < most ? NAN : sum;
}

void sdp_rate(sdp *s, double f)
{
    if (s->integer_upper <= f)
        return;
    s->integer_upper = f;
    s->best_step = s->step + 1;
}

/* Labels of the groups, and their f. */
typedef struct labeling {
    int32_t *label; /* [groups] */
    double *score;  /* [groups x P] */
    double f;
    wlab_buf em; /* the model of these labels */
} labeling;

static bool labeling_alloc(labeling *l, const sdp *s)
{
    l->label = wlab_alloc((size_t)s->groups, sizeof *l->label);
    l->score = wlab_alloc((size_t)(s->groups * s->P), sizeof *l->score);
    return l->label && l->score;
}

static void labeling_free(labeling *l)
{
    wlab_free(l->label);
    wlab_free(l->score);
    wlab_buf_clear(&l->em);
}

static wlab_code restore_model(const sdp *s, wlab_buf *em, wlab_ctx *ctx, wlab_err *err)
{
    em->pos = 0;
    return wlab_walk_read(em, wlab_em_walk, s->part, ctx, err);
}

/* Fits the model of l's labels, starting from the model in `start`, and computes their f. */
static wlab_code rate_labels(const sdp *s, labeling *l, wlab_buf *start, int32_t *of_point, wlab_ctx *ctx,
                             wlab_err *err)
{
    for (int64_t i = 0; i < s->points.n; i++)
        of_point[i] = l->label[s->group[i]];
    wlab_code code = restore_model(s, start, ctx, err);
    if (code || (code = wlab_em_set_labels(s->part, of_point, err)) ||
        (code = wlab_em_m_step(s->part, 1e-6, ctx, err)))
        return code;
    l->f = wlab_em_objective(s->part).total;
    wlab_buf_clear(&l->em);
    return wlab_walk_write(&l->em, wlab_em_walk, s->part, err);
}

/* The unit vectors of the groups, [groups x rank]: those of the nodes, or a copy in *own if these are not the groups. */
static wlab_code group_vectors(const sdp *s, const double **V, double **own, wlab_err *err)
{
    int64_t rank;
    bool same = s->groups == s->nodes;
    *V = wlab_relax_factor(s->relax, &rank);
    *own = NULL;
    for (int64_t g = 0; same && g < s->groups; g++)
        same = s->node[g] == g;
    if (same)
        return WL_OK;
    *V = *own = wlab_alloc((size_t)(s->groups * rank), sizeof **own);
    if (!*own)
        return wlab_nomem(err);
    for (int64_t g = 0; g < s->groups; g++)
        wlab_relax_vector(s->relax, g, *own + g * rank);
    return WL_OK;
}

/* Puts into `now` the labels of this step: the only rounding, or the one with the smallest f of several. */
static wlab_code choose_labels(const sdp *s, labeling *now, wlab_buf *start, int32_t *of_point, wlab_ctx *ctx,
                               wlab_err *err)
{
    const way several[] = {{WL_ROUND_KMEANS, 0, false},
                           {WL_ROUND_KMEANS, 0, true},
                           {WL_ROUND_KMEANS, 2 * s->P, true},
                           {WL_ROUND_SPECTRAL, 0, false}},
              one[] = {{s->rounding, 0, false}};
    const int ways = s->best ? (int)(sizeof several / sizeof *several) : 1;
    wlab_leading leading = {0};
    labeling next = {0};
    double *own;
    const double *V;
    wlab_code code = group_vectors(s, &V, &own, err);
    if (!code && !labeling_alloc(&next, s))
        code = wlab_nomem(err);
    wlab_rounding q = {.n = s->groups,
                       .r = wlab_relax_get(s->relax).rank,
                       .V = V,
                       .P = s->P,
                       .simplex = s->simplex,
                       .weight = s->weight,
                       .allowed = s->group_allowed,
                       .nodes = s->block ? V : NULL, /* groups 0 .. P-1 are the classes */
                       .seed = s->seed};
    q.room = wlab_relax_room(s->relax, &q.space);
    if (!code && ways > 1 && !(code = wlab_leading_make(&leading, &q, 2 * (int64_t)s->P, ctx, err)))
        q.leading = &leading;
    for (int k = 0; k < ways && !code; k++) {
        code = round_one_way(s, s->best ? several[k] : one[0], &q, next.label, next.score, ctx, err);
        if (code || (k && !memcmp(next.label, now->label, (size_t)s->groups * sizeof *next.label)))
            continue;
        if ((code = rate_labels(s, &next, start, of_point, ctx, err)) || (k && next.f >= now->f))
            continue;
        const labeling worse = *now;
        *now = next;
        next = worse;
    }
    wlab_leading_clear(&leading);
    wlab_free(own);
    labeling_free(&next);
    return code;
}

wlab_code sdp_finish_step(sdp *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    const bool ends = wlab_relax_state(s->relax) != WL_RELAX_GOING;
    wlab_buf start = {0};
    labeling now = {0};
    int32_t *of_point = wlab_alloc((size_t)s->points.n, sizeof *of_point);
    int8_t *shown = wlab_alloc((size_t)s->n, sizeof *shown);
    if (!of_point || !shown || !labeling_alloc(&now, s)) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = wlab_walk_write(&start, wlab_em_walk, s->part, err)))
        goto out;
    if ((code = choose_labels(s, &now, &start, of_point, ctx, err)))
        goto failed;
    /* at the end of the relaxation, use the best labels of all steps */
    const bool newest = !s->best || isnan(s->best_f) || now.f < s->best_f;
    if (!newest && ends) {
        memcpy(now.label, s->best_label, (size_t)s->groups * sizeof *now.label);
        memcpy(now.score, s->best_score, (size_t)(s->groups * s->P) * sizeof *now.score);
        if ((code = rate_labels(s, &now, &start, of_point, ctx, err)))
            goto failed;
    }
    if ((code = restore_model(s, &now.em, ctx, err)))
        goto failed;
    label_rows(s, now.label, shown);
    const wlab_relax_numbers r = wlab_relax_get(s->relax);
    s->before = s->objective;
    s->objective = r.upper;
    if (!(s->upper <= r.upper))
        s->upper = r.upper;
    s->lower = r.lower;
    sdp_rate(s, now.f);
    s->flips = count_flips(s, shown);
    s->entropy = entropy_of(s, shown);
    memcpy(s->label, now.label, (size_t)s->groups * sizeof *s->label);
    memcpy(s->score, now.score, (size_t)(s->groups * s->P) * sizeof *s->score);
    memcpy(s->shown, shown, (size_t)s->n);
    if (s->best && newest) {
        s->best_f = now.f;
        memcpy(s->best_label, now.label, (size_t)s->groups * sizeof *s->label);
        memcpy(s->best_score, now.score, (size_t)(s->groups * s->P) * sizeof *s->score);
    }
    s->rounded = true;
    s->step++;
    s->reset = false;
    s->relaxed = ends;
    s->leading = ends ? leading_fraction(s) : NAN;
    goto out;
failed:
    (void)restore_model(s, &start, ctx, NULL);
out:
    labeling_free(&now);
    wlab_buf_clear(&start);
    wlab_free(of_point);
    wlab_free(shown);
    return code;
}
