/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel of ppmm, its alignment with the labels, and its model.
 */
#include "algo/mil/ppmm.h"
#include "model/bagged.h"

#include <math.h>
#include <string.h>

void ppmm_features(const double *pi, int64_t bags, int64_t k, double p, double *F)
{
    for (int64_t j = 0; j < bags * k; j++)
        F[j] = pow(pi[j], p);
}

/* <K, yy'> = ||F'y||^2 and ||K|| = ||F'F||, with centred columns of F. */
double ppmm_alignment(const double *pi, int64_t bags, int64_t k, const double *y, double p, double *work)
{
    double *F = work, with = 0, norm = 0, labels = 0;

    ppmm_features(pi, bags, k, p, F);
    for (int64_t c = 0; c < k; c++) {
        double mean = 0, dot = 0;
        for (int64_t b = 0; b < bags; b++)
            mean += F[b * k + c] / (double)bags;
        for (int64_t b = 0; b < bags; b++) {
            F[b * k + c] -= mean;
            dot += F[b * k + c] * y[b];
        }
        with += dot * dot;
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t c = 0; c <= a; c++) {
            double dot = 0;
            for (int64_t b = 0; b < bags; b++)
                dot += F[b * k + a] * F[b * k + c];
            norm += (a == c ? 1 : 2) * dot * dot;
        }
    for (int64_t b = 0; b < bags; b++)
        labels += y[b] * y[b];
    return norm > 0 && labels > 0 ? with / (sqrt(norm) * labels) : 0;
}

/* ---- the model ---- */

enum {
    BLOCKS = 16
};

typedef struct pooled {
    wlab_mixture mixture;
    int64_t cols;
    double *centre, *scale; /* [cols] scale: 1 / width, 0: the column is left out */
    double *w;              /* [k] */
    double p, b;
} pooled;

static void destroy(void *own)
{
    pooled *m = own;
    if (!m)
        return;
    wlab_mixture_clear(&m->mixture);
    wlab_free(m->centre);
    wlab_free(m->scale);
    wlab_free(m->w);
    wlab_free(m);
}

typedef struct predicting {
    const pooled *m;
    const wlab_matrix *X;
    int64_t n;            /* bags */
    const int64_t *start; /* NULL: each row is a bag of its own */
    const int32_t *member;
    double *out;
    double *work; /* [BLOCKS x (cols + 2 k)] */
} predicting;

/* Adds the posteriors of row i to sum. */
static void add_row(const predicting *p, int64_t i, double *x, double *r, double *sum)
{
    const pooled *m = p->m;

    memset(x, 0, (size_t)m->cols * sizeof *x);
    if (p->X->cols <= m->cols)
        wlab_matrix_row_axpy(p->X, i, 1, x);
    else
        for (int64_t j = 0; j < m->cols; j++)
            x[j] = wlab_matrix_at(p->X, i, (int32_t)j);
    for (int64_t j = 0; j < m->cols; j++)
        x[j] = (x[j] - m->centre[j]) * m->scale[j];
    (void)wlab_mixture_posteriors(&m->mixture, x, r);
    for (int64_t c = 0; c < m->mixture.k; c++)
        sum[c] += r[c];
}

static void predict_block(void *data, int block)
{
    predicting *p = data;
    const pooled *m = p->m;
    const int64_t k = m->mixture.k, end = wlab_block_begin(p->n, BLOCKS, block + 1);
    double *x = p->work + block * (m->cols + 2 * k), *r = x + m->cols, *sum = r + k;

    for (int64_t a = wlab_block_begin(p->n, BLOCKS, block); a < end; a++) {
        const int64_t first = p->start ? p->start[a] : a, last = p->start ? p->start[a + 1] : a + 1;
        memset(sum, 0, (size_t)k * sizeof *sum);
        for (int64_t i = first; i < last; i++)
            add_row(p, p->start ? p->member[i] : i, x, r, sum);
        p->out[a] = m->b;
        for (int64_t c = 0; c < k; c++)
            p->out[a] += m->w[c] * pow(sum[c] / (double)(last - first), m->p);
    }
}

static wlab_code predict(predicting *p, wlab_pool *pool, wlab_err *err)
{
    const size_t each = (size_t)(p->m->cols + 2 * p->m->mixture.k);

    p->work = wlab_alloc(BLOCKS * each, sizeof *p->work);
    if (!p->work)
        return wlab_nomem(err);
    wlab_pool_run(pool, BLOCKS, predict_block, p);
    wlab_free(p->work);
    return WL_OK;
}

static wlab_code rows(const void *own, const wlab_matrix *X, const int32_t *trained, double *f,
                      wlab_pool *pool, wlab_err *err)
{
    predicting p = {.m = own, .X = X, .n = X->rows, .out = f};
    (void)trained;
    return predict(&p, pool, err);
}

static wlab_code bags(const void *own, const wlab_matrix *X, const int32_t *trained, int64_t n,
                      const int64_t *start, const int32_t *member, double *whole, wlab_pool *pool,
                      wlab_err *err)
{
    predicting p = {.m = own, .X = X, .n = n, .start = start, .member = member, .out = whole};
    (void)trained;
    return predict(&p, pool, err);
}

static const wlab_bagged_kind kind = {.rows = rows, .bags = bags, .destroy = destroy};

wlab_code ppmm_model(wlab_model **out, const wlab_problem *p, const wlab_mixture *mixture,
                     const double *centre, const double *width, const double *w, double power, double b,
                     wlab_err *err)
{
    const size_t cols = (size_t)p->X->cols, k = (size_t)mixture->k;
    pooled *own = wlab_calloc(1, sizeof *own);

    *out = NULL;
    if (!own)
        return wlab_nomem(err);
    own->cols = p->X->cols;
    own->p = power;
    own->b = b;
    own->centre = wlab_alloc(cols, sizeof *own->centre);
    own->scale = wlab_alloc(cols, sizeof *own->scale);
    own->w = wlab_alloc(k, sizeof *own->w);
    if (!own->centre || !own->scale || !own->w ||
        wlab_mixture_make(&own->mixture, mixture->k, mixture->d, err)) {
        destroy(own);
        return wlab_nomem(err);
    }
    wlab_mixture_copy(&own->mixture, mixture);
    for (size_t j = 0; j < cols; j++) {
        own->centre[j] = centre[j];
        own->scale[j] = width[j] > 0 ? 1 / width[j] : 0;
    }
    memcpy(own->w, w, k * sizeof *w);
    return wlab_model_of_bags(out, p, &kind, own, 2 * mixture->k, err);
}
