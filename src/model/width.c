/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/width.h"
#include "base/progress.h"
#include "linalg/gram.h"
#include "weaklab/rng.h"

#include <gsl/gsl_sort.h>
#include <math.h>

enum {
    CHUNK = 256,      /* rows whose distances are in memory at once */
    BLOCKS = 16,      /* of a chunk */
    MOST_ROWS = 8192, /* whose pairs are all visited */
    SAMPLE = 512,
    NEIGHBOUR = 7
};

const char *const wlab_width_units[] = {"x", "rms", "nn", NULL};

/* Processes the squared distances d2 [n] of row i, the k-th that is visited, to all rows, and may overwrite them.
 * Several threads call it at once, for different rows. */
typedef void visit_row(void *self, double *d2, int64_t k, int64_t i, int64_t n);

typedef struct chunk {
    visit_row *visit;
    void *self;
    const double *xx;
    double *D;
    const int32_t *pick;
    int64_t first, rows, n;
} chunk;

static void visit_block(void *data, int block)
{
    const chunk *c = data;
    const int64_t end = wlab_block_begin(c->rows, BLOCKS, block + 1);

    for (int64_t k = wlab_block_begin(c->rows, BLOCKS, block); k < end; k++) {
        double *d2 = c->D + k * c->n;
        const double own = c->xx[c->pick[k]];
        for (int64_t j = 0; j < c->n; j++) {
            const double v = own + c->xx[j] - 2 * d2[j];
            d2[j] = v > 0 ? v : 0;
        }
        c->visit(c->self, d2, c->first + k, c->pick[k], c->n);
    }
}

/* Calls `visit` for `rows` evenly spaced rows, in chunks, so that no matrix [n x n] is in memory. */
static wlab_code visit_rows(const wlab_matrix *X, int64_t rows, visit_row *visit, void *self, wlab_ctx *ctx,
                            wlab_err *err)
{
    const int64_t n = X->rows;
    wlab_code code = WL_OK;
    wlab_progress progress;
    wlab_ctx quiet = wlab_quiet(ctx); /* the inner products are part of the distances */
    double *xx = wlab_alloc((size_t)n, sizeof *xx), *D = wlab_alloc((size_t)(CHUNK * n), sizeof *D);
    int32_t *pick = wlab_alloc(CHUNK, sizeof *pick);

    if (!xx || !D || !pick)
        code = wlab_nomem(err);
    for (int64_t i = 0; i < n && !code; i++)
        xx[i] = wlab_matrix_row_sqnorm(X, i);
    wlab_progress_begin(&progress, ctx, "rows of distances", rows);
    for (int64_t first = 0; first < rows && !code; first += CHUNK) {
        const int64_t k = rows - first < CHUNK ? rows - first : CHUNK;
        wlab_matrix *part = NULL;
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted while the rows' distances were computed");
            break;
        }
        for (int64_t i = 0; i < k; i++)
            pick[i] = (int32_t)((first + i) * n / rows);
        code = wlab_matrix_rows(&part, X, pick, k, err);
        if (!code)
            code = wlab_matrix_gram_progress(part, X, D, n, &quiet, err);
        chunk c = {
            .visit = visit, .self = self, .xx = xx, .D = D, .pick = pick, .first = first, .rows = k, .n = n};
        if (!code)
            wlab_pool_run(ctx ? ctx->pool : NULL, BLOCKS, visit_block, &c);
        wlab_progress_add(&progress, k);
        wlab_matrix_destroy(part);
    }
    wlab_free(xx);
    wlab_free(D);
    wlab_free(pick);
    return code;
}

/* sum [n]: of the distances of row i to those before it. */
static void sum_before(void *self, double *d2, int64_t k, int64_t i, int64_t n)
{
    double *sum = self, row = 0;

    (void)n;
    for (int64_t j = 0; j < i; j++)
        row += sqrt(d2[j]);
    sum[k] = row;
}

/* m random rows of X, in order and always the same. */
static wlab_code random_rows(wlab_matrix **out, const wlab_matrix *X, int32_t m, wlab_err *err)
{
    wlab_rng rng;
    int32_t *pick = wlab_alloc((size_t)m, sizeof *pick), picked = 0;

    if (!pick)
        return wlab_nomem(err);
    wlab_rng_seed(&rng, 1);
    for (int64_t i = 0; i < X->rows; i++) /* each of the rows that are left is as likely as another */
        if (wlab_rng_below(&rng, (uint64_t)(X->rows - i)) < (uint64_t)(m - picked))
            pick[picked++] = (int32_t)i;
    wlab_code code = wlab_matrix_rows(out, X, pick, m, err);
    wlab_free(pick);
    return code;
}

static wlab_code mean_distance(double *mean, const wlab_matrix *X, wlab_ctx *ctx, wlab_err *err)
{
    double sum = 0, *row = wlab_calloc((size_t)X->rows, sizeof *row);
    wlab_code code = row ? visit_rows(X, X->rows, sum_before, row, ctx, err) : wlab_nomem(err);

    for (int64_t i = 0; i < X->rows && !code; i++)
        sum += row[i];
    wlab_free(row);
    *mean = X->rows > 1 ? sum / ((double)X->rows * (double)(X->rows - 1) / 2) : 0;
    return code;
}

/* The mean over pairs i < j of ||x_i - x_j||^2 = 2 / (n - 1) * sum_i ||x_i - mean||^2, in one pass for the mean and
 * one for the sum, which uses ||x_i||^2 - 2 x_i'mean + ||mean||^2 so that sparse rows remain sparse. */
static wlab_code mean_squared_distance(double *mean, const wlab_matrix *X, wlab_err *err)
{
    double *centre = wlab_calloc((size_t)X->cols, sizeof *centre), cc = 0, sum = 0;
    if (!centre)
        return wlab_nomem(err);
    for (int64_t i = 0; i < X->rows; i++)
        wlab_matrix_row_axpy(X, i, 1 / (double)X->rows, centre);
    for (int32_t j = 0; j < X->cols; j++)
        cc += centre[j] * centre[j];
    for (int64_t i = 0; i < X->rows; i++) {
        double d2 = wlab_matrix_row_sqnorm(X, i) - 2 * wlab_matrix_row_dot(X, i, centre) + cc;
        sum += d2 > 0 ? d2 : 0;
    }
    wlab_free(centre);
    *mean = X->rows > 1 ? 2 * sum / (double)(X->rows - 1) : 0;
    return WL_OK;
}

typedef struct neighbours {
    double found[SAMPLE], same; /* squared distances; those below `same` count as 0 */
    int count;
} neighbours;

/* Adds the NEIGHBOUR-th smallest distance that is not 0, or the largest if there are fewer. */
static void find_neighbour(void *self, double *d2, int64_t row, int64_t i, int64_t n)
{
    neighbours *s = self;
    double near[NEIGHBOUR];
    size_t others = 0, k;

    (void)i;
    for (int64_t j = 0; j < n; j++)
        if (d2[j] > s->same)
            d2[others++] = d2[j];
    k = others < NEIGHBOUR ? others : NEIGHBOUR;
    gsl_sort_smallest(near, k, d2, 1, others);
    s->found[row] = k ? near[k - 1] : 0;
}

static wlab_code neighbour_distance(double *median, const wlab_matrix *X, wlab_ctx *ctx, wlab_err *err)
{
    neighbours s = {.count = X->rows < SAMPLE ? (int)X->rows : SAMPLE};
    double largest = 0;

    for (int64_t i = 0; i < X->rows; i++)
        largest = fmax(largest, wlab_matrix_row_sqnorm(X, i));
    s.same = 1e-13 * largest;
    wlab_code code = visit_rows(X, s.count, find_neighbour, &s, ctx, err);
    gsl_sort(s.found, 1, (size_t)s.count);
    *median = s.count ? sqrt(s.found[s.count / 2]) : 0;
    return code;
}

wlab_code wlab_width(double *length, wlab_width_unit unit, const wlab_matrix *X, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    wlab_matrix *part = NULL;

    switch (unit) {
    case WL_WIDTH_X:
        if (X->rows > MOST_ROWS)
            code = random_rows(&part, X, MOST_ROWS, err);
        if (!code)
            code = mean_distance(length, part ? part : X, ctx, err);
        wlab_matrix_destroy(part);
        if (!code)
            *length = sqrt(*length);
        break;
    case WL_WIDTH_RMS:
        code = mean_squared_distance(length, X, err);
        *length = sqrt(*length);
        break;
    case WL_WIDTH_NN:
        code = neighbour_distance(length, X, ctx, err);
        break;
    }
    return code;
}
