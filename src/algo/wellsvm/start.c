/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's first labeling: a classifier made from what is told predicts, the label set rounds.
 *
 * labels of both signs: the SVM on them.  Else, where the mean of B says something of the free instances (bags of
 * mil: all instances alike, so the bag's mean; llp: 2 p - 1), the SVM on that mean.  Else what labels there are; and
 * without any, the best of some random labelings by kernel alignment y'Ky.
 */
#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp.h"
#include "solve/svm/boxqp_thin.h"

#include <string.h>

enum {
    ALIGNMENT_STARTS = 20
};

typedef struct start {
    wellsvm *s;
    wlab_ctx *ctx;
    double *alpha; /* [m] */
    double *c;     /* [n] the mean of B */
    int8_t *y;     /* [n] */
} start;

static wlab_code solve_thin(start *f, double *g, wlab_boxqp_result *result, wlab_err *err)
{
    wellsvm *s = f->s;
    double *F;
    int64_t r;
    wlab_code code = well_thin_mean(s, f->c, &F, &r, err);
    if (!code)
        code = wlab_boxqp_thin_solve(F, s->m, r, s->delta, s->upper, 1e-8, f->alpha, g, result, s->told,
                                     f->ctx, err);
    wlab_free(F);
    return code;
}

static wlab_code solve_mean(start *f, double *g, wlab_boxqp_result *result, wlab_err *err)
{
    wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    if (!well_room_for_Q(s))
        return wlab_nomem(err);
    memset(s->Q, 0, (size_t)(s->m * s->m) * sizeof *s->Q);
    s->Q_fixed = false;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            s->Q[example[i] * s->m + example[j]] += f->c[i] * f->c[j] * s->K[i * s->n + j];
    return wlab_boxqp_solve_told(s->Q, s->m, s->delta, s->upper, 1e-8, f->alpha, g, result, s->told, f->ctx,
                                 err);
}

/* kb = K beta, beta_k = alpha c_k, for the SVM whose example i has the feature sum of c_k phi(x_k). */
static wlab_code predict_by_mean(start *f, wlab_err *err)
{
    wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    wlab_code code = WL_OK;
    for (int64_t i = 0; i < s->m; i++)
        f->alpha[i] = s->K ? 0 : 1; /* at size the means of the two sides will do */
    if (s->K) {
        double *g = wlab_alloc((size_t)s->m, sizeof *g);
        wlab_boxqp_result result;
        if (!g)
            return wlab_nomem(err);
        code = s->thin ? solve_thin(f, g, &result, err) : solve_mean(f, g, &result, err);
        wlab_free(g);
    }
    double *beta = s->beta ? s->beta : s->kb;
    for (int64_t k = 0; k < s->n; k++)
        beta[k] = f->alpha[example[k]] * f->c[k];
    return code ? code : well_product(s, beta, s->kb, f->ctx, err);
}

static wlab_code best_aligned(start *f, wlab_err *err)
{
    wellsvm *s = f->s;
    const wlab_labelset *B = s->p->labels;
    double best = -HUGE_VAL, q = 0;
    wlab_code code = WL_OK;
    for (int64_t i = 0; i < s->m; i++)
        f->alpha[i] = 1;
    for (int k = 0; k < ALIGNMENT_STARTS && !code; k++) {
        wlab_labelset_random(B, &s->rng, f->y);
        code = well_quadratic(s, f->alpha, f->y, &q, f->ctx, err);
        if (!code && q > best) {
            best = q;
            memcpy(s->pending, f->y, (size_t)s->n);
        }
    }
    return code;
}

static wlab_code choose(start *f, wlab_err *err)
{
    wellsvm *s = f->s;
    const wlab_labelset *B = s->p->labels;
    bool up = false, down = false, told = false, any = false;
    double q = 0;
    well_point at = {.alpha = f->alpha, .q = &q};
    wlab_code code;
    wlab_labelset_mean(B, f->c);
    for (int64_t k = 0; k < s->n; k++) {
        up = up || B->fixed[k] == 1;
        down = down || B->fixed[k] == -1;
        told = told || (B->fixed[k] == WL_FREE && fabs(f->c[k]) > 1e-12);
    }
    if (told && !(up && down)) {
        if ((code = predict_by_mean(f, err)))
            return code;
    } else {
        if ((code = well_labelled_solve(s, 1e-8, f->y, &at, &any, f->ctx, err)))
            return code;
        if (!any)
            return best_aligned(f, err);
        if (s->at_size) /* what a step would find out anew, with more memory */
            s->lower_bound = well_G(s, &at, q) - well_rounding(s, &at);
        if ((code = well_quadratic(s, f->alpha, f->y, &q, f->ctx, err))) /* kb = f(x) */
            return code;
    }
    return wlab_labelset_argmax(B, s->kb, NULL, s->pending, err);
}

wlab_code well_start(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    start f = {s, ctx, wlab_calloc((size_t)s->m, sizeof *f.alpha), wlab_alloc((size_t)s->n, sizeof *f.c),
               wlab_calloc((size_t)s->n, 1)};
    wlab_code code = f.alpha && f.c && f.y ? choose(&f, err) : wlab_nomem(err);
    if (!code)
        memcpy(s->before, s->pending, (size_t)s->n);
    wlab_free(f.alpha);
    wlab_free(f.c);
    wlab_free(f.y);
    return code;
}
