/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's first labeling: a classifier trained on the given supervision predicts, and the label set rounds its
 * prediction.
 *
 * With given labels of both signs, the classifier is the SVM on them.  Otherwise, if the mean labeling of the label set
 * differs from 0 on some free instance (mil: the same value for all instances of a bag; llp: 2 p - 1), it is an SVM
 * whose labels are this mean.  If it is 0 on all, the classifier is the SVM on the given labels.  Without any given
 * label there is none: the first labeling is then the one with the largest kernel alignment y'Ky of some random
 * labelings.
 */
#include "algo/alignment.h"
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
    double *c;     /* [n] the mean labeling of the label set */
    int8_t *y;     /* [n] */
} start;

static wlab_code solve_thin(start *f, double *g, wlab_boxqp_result *result, wlab_err *err)
{
    wellsvm *s = f->s;
    double *F;
    int64_t r;
    wlab_code code = well_thin_mean(s, f->c, &F, &r, err);
    if (!code)
        code = wlab_boxqp_thin_solve(F, s->m, r, s->delta, s->upper, 1e-8, f->alpha, g, result, s->progress,
                                     f->ctx, err);
    wlab_free(F);
    return code;
}

static wlab_code solve_mean(start *f, double *g, wlab_boxqp_result *result, wlab_err *err)
{
    wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    if (!well_reserve_Q(s))
        return wlab_nomem(err);
    s->Q_fixed = false;
    wlab_progress rows;
    wlab_progress_begin(&rows, f->ctx, "rows of the SVM's matrix", s->m + s->n);
    for (int64_t i = 0; i < s->m; i++) {
        if (!wlab_look_at(i, 8 * s->m, &rows, f->ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        memset(s->Q + i * s->m, 0, (size_t)s->m * sizeof *s->Q);
    }
    for (int64_t i = 0; i < s->n; i++) {
        if (!wlab_look_at(i, 8 * s->n, &rows, f->ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t j = 0; j < s->n; j++)
            s->Q[example[i] * s->m + example[j]] += f->c[i] * f->c[j] * s->K[i * s->n + j];
    }
    return well_solve_Q(s, 1e-8, f->alpha, g, result, f->ctx, err);
}

/* Computes kb = K beta, beta_k = alpha_i c_k, for the SVM whose example i has the feature vector sum_k c_k phi(x_k),
 * over the instances k of example i. */
static wlab_code predict_by_mean(start *f, wlab_err *err)
{
    wellsvm *s = f->s;
    const int32_t *example = s->p->example;
    wlab_code code = WL_OK;
    for (int64_t i = 0; i < s->m; i++)
        f->alpha[i] = s->K ? 0 : 1; /* at size the means of the two classes are good enough */
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

/* The value of a labeling for wlab_aligned_labeling; alpha is 1 for every example. */
static wlab_code alignment(void *data, const int8_t *y, double *q, wlab_ctx *ctx, wlab_err *err)
{
    const start *f = data;
    return well_quadratic(f->s, f->alpha, y, q, ctx, err);
}

static wlab_code best_aligned(start *f, wlab_err *err)
{
    wellsvm *s = f->s;
    for (int64_t i = 0; i < s->m; i++)
        f->alpha[i] = 1;
    return wlab_aligned_labeling(s->p->labels, ALIGNMENT_STARTS, &s->rng, alignment, f, f->y, s->pending,
                                 NULL, NULL, f->ctx, err);
}

static wlab_code choose_first_labeling(start *f, wlab_err *err)
{
    wellsvm *s = f->s;
    const wlab_labelset *B = s->p->labels;
    bool up = false, down = false, informative = false,
         any = false; /* up, down: labels of that sign are given */
    double q = 0;
    well_point at = {.alpha = f->alpha, .q = &q};
    wlab_code code;
    for (int64_t k = 0; k < s->n; k++) {
        up = up || B->fixed[k] == 1;
        down = down || B->fixed[k] == -1;
    }
    up = wlab_ranks_any(well_ranks(s), up);
    down = wlab_ranks_any(well_ranks(s), down);
    if (s->spread && !(up && down))
        return wlab_fail(err, WL_ESTATE,
                         "from data with ranks=all wellsvm learns only if rows of both classes are labelled: "
                         "label more rows, or use another algorithm (`algo`)");
    if (!(up && down)) {
        wlab_labelset_mean(B, f->c);
        for (int64_t k = 0; k < s->n; k++)
            informative = informative || (B->fixed[k] == WL_FREE && fabs(f->c[k]) > 1e-12);
    }
    if (informative && !(up && down)) {
        if ((code = predict_by_mean(f, err)))
            return code;
    } else {
        if ((code = well_labelled_solve(s, 1e-8, f->y, &at, &any, f->ctx, err)))
            return code;
        if (!any)
            return best_aligned(f, err);
        if (s->at_size) /* otherwise a step would compute it again, with more memory */
            s->lower_bound = well_G(s, &at, q) - well_rounding(s, &at);
        if ((code = well_quadratic(s, f->alpha, f->y, &q, f->ctx, err))) /* kb = f(x) */
            return code;
    }
    return well_argmax(s, s->kb, NULL, s->pending, err);
}

wlab_code well_start(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    start f = {s, ctx, wlab_calloc((size_t)s->m, sizeof *f.alpha), wlab_alloc((size_t)s->n, sizeof *f.c),
               wlab_calloc((size_t)s->n, 1)};
    wlab_code code = wlab_ranks_agree(well_ranks(s), f.alpha && f.c && f.y ? WL_OK : wlab_nomem(err), err);
    if (!code)
        code = choose_first_labeling(&f, err);
    if (!code)
        memcpy(s->before, s->pending, (size_t)s->n);
    wlab_free(f.alpha);
    wlab_free(f.c);
    wlab_free(f.y);
    return code;
}
