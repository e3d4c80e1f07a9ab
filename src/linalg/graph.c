/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nearest neighbours in chunks of rows: a product of matrices gives approximate distances of the chunk from all rows,
 * and those that may be among the k smallest are computed again without cancellation.
 */
#include "linalg/graph.h"
#include "base/progress.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 256, /* rows whose distances are in memory at once */
    BLOCKS = 16
};

wlab_graph *wlab_graph_ref(wlab_graph *g)
{
    atomic_fetch_add(&g->refs, 1);
    return g;
}

void wlab_graph_unref(wlab_graph *g)
{
    if (!g || atomic_fetch_sub(&g->refs, 1) > 1)
        return;
    wlab_free(g->edge);
    wlab_free(g->degree);
    wlab_free(g);
}

/* One neighbour of a row. */
typedef struct near {
    double d2;
    int32_t row;
} near;

static int compare_near(const void *a, const void *b)
{
    const near *x = a, *y = b;
    if (x->d2 < y->d2 || x->d2 > y->d2)
        return x->d2 < y->d2 ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

typedef struct search {
    const wlab_matrix *X;
    const double *xx;  /* [n] squared norms */
    double largest;    /* of xx */
    double *D;         /* [CHUNK x n] inner products of the chunk */
    int64_t first, of; /* rows of the chunk */
    int k;
    near *found; /* [n x k] */
    /* ---- workspace of a block ---- */
    near *candidate[BLOCKS]; /* [n] */
    double *smallest;        /* [BLOCKS x k] */
} search;

/* The k nearest of one row. */
static void search_row(search *s, int64_t i, double *product, near *candidate, double *smallest)
{
    const int64_t n = s->X->rows;
    int64_t count = 0;

    for (int64_t j = 0; j < n; j++) {
        const double d2 = s->xx[i] + s->xx[j] - 2 * product[j];
        product[j] = d2 > 0 ? d2 : 0; /* fmax() would take a third of the time */
    }
    product[i] = HUGE_VAL; /* a row is not its own neighbour */
    gsl_sort_smallest(smallest, (size_t)s->k, product, 1, (size_t)n);
    /* the error of a product of rows with d columns is below d * 1e-16 * ||x|| ||z|| */
    const double limit = smallest[s->k - 1] + 1e-15 * (double)(s->X->cols + 10) * s->largest;
    for (int64_t j = 0; j < n; j++)
        if (product[j] <= limit && j != i)
            candidate[count++] = (near){wlab_matrix_rows_distance(s->X, i, s->X, j), (int32_t)j};
    qsort(candidate, (size_t)count, sizeof *candidate, compare_near);
    memcpy(s->found + i * s->k, candidate, (size_t)s->k * sizeof *candidate);
}

static void search_block(void *data, int block)
{
    search *s = data;
    const int64_t end = wlab_block_begin(s->of, BLOCKS, block + 1), n = s->X->rows;
    for (int64_t c = wlab_block_begin(s->of, BLOCKS, block); c < end; c++)
        search_row(s, s->first + c, s->D + c * n, s->candidate[block], s->smallest + block * s->k);
}

static wlab_code search_chunk(search *s, int32_t *pick, wlab_pool *pool, wlab_err *err)
{
    wlab_matrix *part = NULL;
    for (int64_t c = 0; c < s->of; c++)
        pick[c] = (int32_t)(s->first + c);
    wlab_code code = wlab_matrix_rows(&part, s->X, pick, s->of, err);
    code = code ? code : wlab_matrix_gram(part, s->X, s->D, s->X->rows, pool, err);
    wlab_matrix_destroy(part);
    if (!code)
        wlab_pool_run(pool, BLOCKS, search_block, s);
    return code;
}

/* found [n x k]: the k nearest others of each row, nearest first. */
static wlab_code find_neighbours(near *found, const wlab_matrix *X, int k, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)X->rows;
    double *xx = wlab_alloc(n, sizeof *xx);
    int32_t *pick = wlab_alloc(CHUNK, sizeof *pick);
    search s = {.X = X, .xx = xx, .k = k, .found = found};
    wlab_progress progress;
    wlab_code code = WL_OK;

    s.D = wlab_alloc(CHUNK * n, sizeof *s.D);
    s.smallest = wlab_alloc((size_t)(BLOCKS * k), sizeof *s.smallest);
    bool fine = xx && pick && s.D && s.smallest;
    for (int b = 0; fine && b < BLOCKS; b++)
        fine = (s.candidate[b] = wlab_alloc(n, sizeof **s.candidate)) != NULL;
    if (!fine)
        code = wlab_nomem(err);
    for (size_t i = 0; !code && i < n; i++) {
        xx[i] = wlab_matrix_row_sqnorm(X, (int64_t)i);
        s.largest = fmax(s.largest, xx[i]);
        if (!isfinite(xx[i]))
            code =
                wlab_fail(err, WL_ENUMERIC, "the square of row %lld is not a finite number; scale the data",
                          (long long)i + 1);
    }
    wlab_progress_begin(&progress, ctx, "rows of a graph of neighbours", X->rows);
    for (s.first = 0; s.first < X->rows && !code; s.first += CHUNK) {
        s.of = X->rows - s.first < CHUNK ? X->rows - s.first : CHUNK;
        code = wlab_interrupted(ctx)
                   ? wlab_fail(err, WL_EINTERRUPTED, "interrupted while the graph of neighbours was computed")
                   : search_chunk(&s, pick, ctx ? ctx->pool : NULL, err);
        wlab_progress_add(&progress, s.of);
    }
    for (int b = 0; b < BLOCKS; b++)
        wlab_free(s.candidate[b]);
    wlab_free(s.smallest);
    wlab_free(s.D);
    wlab_free(xx);
    wlab_free(pick);
    return code;
}

static int compare_edges(const void *a, const void *b)
{
    const wlab_edge *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    return x->j < y->j ? -1 : x->j > y->j;
}

/* The edges with their squared lengths as weights, each once. */
static wlab_code join(wlab_graph *g, const near *found, int k, wlab_err *err)
{
    const int64_t most = g->n * k;
    int64_t count = 0;

    if (!(g->edge = wlab_alloc((size_t)most + 1, sizeof *g->edge)))
        return wlab_nomem(err);
    for (int64_t i = 0; i < g->n; i++)
        for (int c = 0; c < k; c++) {
            const int32_t j = found[i * k + c].row, from = (int32_t)i;
            g->edge[i * k + c] = (wlab_edge){from < j ? from : j, from < j ? j : from, found[i * k + c].d2};
        }
    qsort(g->edge, (size_t)most, sizeof *g->edge, compare_edges);
    for (int64_t e = 0; e < most; e++)
        if (count == 0 || g->edge[e].i != g->edge[count - 1].i || g->edge[e].j != g->edge[count - 1].j)
            g->edge[count++] = g->edge[e];
    g->edges = count;
    return WL_OK;
}

static void weigh(wlab_graph *g)
{
    for (int64_t e = 0; e < g->edges; e++)
        g->t += g->edge[e].weight / (double)g->edges;
    for (int64_t e = 0; e < g->edges; e++) {
        wlab_edge *edge = &g->edge[e];
        edge->weight = g->heat && g->t > 0 ? exp(-edge->weight / (4 * g->t)) : 1;
        g->degree[edge->i] += edge->weight;
        g->degree[edge->j] += edge->weight;
    }
}

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static wlab_code count_components(wlab_graph *g, wlab_err *err)
{
    int32_t *parent = wlab_alloc((size_t)g->n + 1, sizeof *parent);
    if (!parent)
        return wlab_nomem(err);
    for (int64_t i = 0; i < g->n; i++)
        parent[i] = (int32_t)i;
    g->components = g->n;
    for (int64_t e = 0; e < g->edges; e++) {
        const int32_t a = root_of(parent, g->edge[e].i), b = root_of(parent, g->edge[e].j);
        g->components -= a != b;
        parent[a] = b;
    }
    wlab_free(parent);
    return WL_OK;
}

wlab_code wlab_graph_make(wlab_graph **out, const wlab_matrix *X, int neighbours, bool heat, bool normalised,
                          wlab_ctx *ctx, wlab_err *err)
{
    wlab_graph *g = wlab_calloc(1, sizeof *g);
    if (g)
        atomic_init(&g->refs, 1);
    near *found = NULL;
    wlab_code code = wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err);

    *out = NULL;
    if (!g || code) {
        wlab_free(g);
        return code ? code : wlab_nomem(err);
    }
    g->n = X->rows;
    g->neighbours = neighbours;
    g->heat = heat;
    g->normalised = normalised;
    const int k = neighbours < X->rows ? neighbours : X->rows > 0 ? (int)X->rows - 1 : 0;
    g->degree = wlab_calloc((size_t)g->n + 1, sizeof *g->degree);
    found = wlab_alloc((size_t)(g->n * k) + 1, sizeof *found);
    if (!g->degree || !found)
        code = wlab_nomem(err);
    if (!code && k > 0)
        code = find_neighbours(found, X, k, ctx, err);
    code = code ? code : join(g, found, k, err);
    if (!code) {
        weigh(g);
        code = count_components(g, err);
    }
    wlab_free(found);
    if (code)
        wlab_graph_unref(g);
    else
        *out = g;
    return code;
}

/* What f is divided by before differences are taken. */
static double divisor(const wlab_graph *g, int64_t i)
{
    return g->normalised ? sqrt(g->degree[i]) : 1;
}

void wlab_graph_laplacian(const wlab_graph *g, const double *F, int64_t columns, double *LF)
{
    memset(LF, 0, (size_t)(g->n * columns) * sizeof *LF);
    for (int64_t e = 0; e < g->edges; e++) {
        const wlab_edge *edge = &g->edge[e];
        const double *fi = F + edge->i * columns, *fj = F + edge->j * columns;
        double *gi = LF + edge->i * columns, *gj = LF + edge->j * columns;
        const double a = 1 / divisor(g, edge->i), b = 1 / divisor(g, edge->j);
        for (int64_t c = 0; c < columns; c++) {
            const double flow = edge->weight * (a * fi[c] - b * fj[c]);
            gi[c] += a * flow;
            gj[c] -= b * flow;
        }
    }
}

double wlab_graph_energy(const wlab_graph *g, const double *f)
{
    double sum = 0;
    for (int64_t e = 0; e < g->edges; e++) {
        const wlab_edge *edge = &g->edge[e];
        const double d = f[edge->i] / divisor(g, edge->i) - f[edge->j] / divisor(g, edge->j);
        sum += edge->weight * d * d;
    }
    return sum;
}
