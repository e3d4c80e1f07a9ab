/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/cluster/mixture.h"
#include "base/progress.h"

#include <math.h>
#include <string.h>

enum {
    BLOCKS = 16
};

wlab_code wlab_mixture_make(wlab_mixture *m, int64_t k, int64_t d, wlab_err *err)
{
    const size_t size = (size_t)(k * d);

    *m = (wlab_mixture){.k = k,
                        .d = d,
                        .weight = wlab_calloc((size_t)k, sizeof *m->weight),
                        .mean = wlab_calloc(size, sizeof *m->mean),
                        .inverse = wlab_calloc(size, sizeof *m->inverse),
                        .constant = wlab_calloc((size_t)k, sizeof *m->constant)};
    if (m->weight && m->mean && m->inverse && m->constant)
        return WL_OK;
    wlab_mixture_clear(m);
    return wlab_nomem(err);
}

void wlab_mixture_clear(wlab_mixture *m)
{
    wlab_free(m->weight);
    wlab_free(m->mean);
    wlab_free(m->inverse);
    wlab_free(m->constant);
    *m = (wlab_mixture){0};
}

void wlab_mixture_copy(wlab_mixture *to, const wlab_mixture *from)
{
    const size_t k = (size_t)from->k, size = k * (size_t)from->d;

    memcpy(to->weight, from->weight, k * sizeof *to->weight);
    memcpy(to->constant, from->constant, k * sizeof *to->constant);
    memcpy(to->mean, from->mean, size * sizeof *to->mean);
    memcpy(to->inverse, from->inverse, size * sizeof *to->inverse);
}

/* sum_j (x_j - mean_j)^2 inverse_j in four sums, of which none waits for another. */
static double scaled_distance(const double *x, const double *mean, const double *inverse, int64_t d)
{
    double s[4] = {0};
    int64_t j = 0;

    for (; j + 4 <= d; j += 4)
        for (int64_t k = j; k < j + 4; k++)
            s[k - j] += (x[k] - mean[k]) * (x[k] - mean[k]) * inverse[k];
    for (; j < d; j++)
        s[0] += (x[j] - mean[j]) * (x[j] - mean[j]) * inverse[j];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

double wlab_mixture_posteriors(const wlab_mixture *m, const double *x, double *r)
{
    double top = -HUGE_VAL, sum = 0;

    for (int64_t c = 0; c < m->k; c++) {
        r[c] = m->constant[c] - scaled_distance(x, m->mean + c * m->d, m->inverse + c * m->d, m->d) / 2;
        top = fmax(top, r[c]);
    }
    if (!isfinite(top)) { /* too far from all components to tell them apart */
        memcpy(r, m->weight, (size_t)m->k * sizeof *r);
        return -HUGE_VAL;
    }
    for (int64_t c = 0; c < m->k; c++)
        sum += r[c] = exp(r[c] - top);
    for (int64_t c = 0; c < m->k; c++)
        r[c] /= sum;
    return top + log(sum);
}

typedef struct halves {
    const wlab_mixture *m;
    wlab_mixture *changed;
    const double *X;
    int64_t n;
    double *R, *rows, floor;
    const double *given; /* the posteriors of the M step */
    wlab_ctx *ctx;
    wlab_progress progress;
    atomic_bool stopped;
} halves;

static bool stopped(halves *h)
{
    if (wlab_interrupted(h->ctx))
        atomic_store(&h->stopped, true);
    return atomic_load(&h->stopped);
}

static wlab_code run(halves *h, int blocks, void (*work)(void *, int), const char *unit, int64_t total,
                     wlab_err *err)
{
    wlab_progress_begin(&h->progress, h->ctx, unit, total);
    wlab_pool_run(h->ctx ? h->ctx->pool : NULL, blocks, work, h);
    return atomic_load(&h->stopped) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted in an iteration of EM")
                                    : WL_OK;
}

static void expect_block(void *data, int block)
{
    halves *h = data;
    const int64_t end = wlab_block_begin(h->n, BLOCKS, block + 1), each = wlab_look_every(h->m->k * h->m->d);

    for (int64_t i = wlab_block_begin(h->n, BLOCKS, block), to; i < end && !stopped(h); i = to) {
        to = end - i < each ? end : i + each;
        for (int64_t j = i; j < to; j++)
            h->rows[j] = wlab_mixture_posteriors(h->m, h->X + j * h->m->d, h->R + j * h->m->k);
        wlab_progress_add(&h->progress, to - i);
    }
}

wlab_code wlab_mixture_expect(const wlab_mixture *m, const double *X, int64_t n, double *R, double *rows,
                              double *mean, wlab_ctx *ctx, wlab_err *err)
{
    halves h = {.m = m, .X = X, .n = n, .R = R, .rows = rows, .ctx = ctx};
    double sum = 0;
    const wlab_code code = run(&h, BLOCKS, expect_block, "instances", n, err);

    for (int64_t i = 0; i < n && !code; i++)
        sum += rows[i];
    *mean = sum / (double)n;
    return code;
}

/* One component.  Its variances are sums of squared differences from its new mean, without cancellation. */
static void maximise_one(void *data, int c)
{
    halves *h = data;
    wlab_mixture *m = h->changed;
    double *mean = m->mean + c * m->d, *v = m->inverse + c * m->d, sum = 0;
    const int64_t each = wlab_look_every(2 * m->d);

    if (stopped(h))
        return;
    for (int64_t i = 0; i < h->n; i++)
        sum += h->given[i * m->k + c];
    m->weight[c] = sum / (double)h->n;
    m->constant[c] = -HUGE_VAL;
    if (!(sum > 0))
        return;
    memset(mean, 0, (size_t)m->d * sizeof *mean);
    memset(v, 0, (size_t)m->d * sizeof *v);
    for (int64_t i = 0; i < h->n; i++) {
        const double share = h->given[i * m->k + c] / sum;
        if (i % each == 0 && stopped(h))
            return;
        for (int64_t j = 0; share > 0 && j < m->d; j++)
            mean[j] += share * h->X[i * m->d + j];
    }
    for (int64_t i = 0; i < h->n; i++) {
        const double share = h->given[i * m->k + c] / sum;
        if (i % each == 0) {
            wlab_progress_add(&h->progress, 0);
            if (stopped(h))
                return;
        }
        for (int64_t j = 0; share > 0 && j < m->d; j++) {
            const double away = h->X[i * m->d + j] - mean[j];
            v[j] += share * away * away;
        }
    }
    double constant = log(m->weight[c]);
    for (int64_t j = 0; j < m->d; j++) {
        v[j] = 1 / fmax(v[j], h->floor);
        constant += 0.5 * log(v[j] / (2 * M_PI));
    }
    m->constant[c] = constant;
    wlab_progress_add(&h->progress, 1);
}

wlab_code wlab_mixture_maximise(wlab_mixture *m, const double *X, int64_t n, const double *R, double floor,
                                wlab_ctx *ctx, wlab_err *err)
{
    halves h = {.changed = m, .X = X, .n = n, .given = R, .floor = floor, .ctx = ctx};

    return run(&h, (int)m->k, maximise_one, "components", m->k, err);
}
