/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over a data matrix in fixed parts with about the same number of stored entries.  In a pass that computes a sum
 * over rows, the parts are the leaves of a binary tree, and a node's vector is the sum of its two children's.  A task
 * computes a subtree that lies on this rank, from left to right, with one vector per level.  The tasks' vectors are added
 * up the tree, one range of columns per thread; a node whose right child is on another rank receives that vector.
 *
 * docs/benchmarks.md has the measurements behind this design, and what did not help (a transposed copy, columns ordered
 * by frequency, 16-bit columns, gather instructions).
 */
#include "linalg/passes.h"
#include "linalg/row.h"

#include <string.h>

enum {
    MANY_PARTS = 8,       /* all numbers of parts are powers of 2: equal work for two threads */
    PART_ENTRIES = 12000, /* fewer entries do not outweigh the scheduling of a part, some microseconds */
    TWO_PER_COLUMN = 2,   /* entries per column that outweigh clearing and adding a vector: for 2 parts */
    MORE_PER_COLUMN = 16, /* and for more parts, which only balance the work or serve more threads */
    RANK_TIMES = 16,      /* more than MANY_PARTS parts serve ranks: so much more of both, for each */
    RANK_PER_COLUMN = 64,
    MOST_TASKS = 32,
    LEVELS = 4,            /* a task has at most 2^3 parts */
    GATHER_COLUMNS = 4096, /* columns per chunk of the sum */
    AHEAD = 8,             /* rows to prefetch ahead, across page boundaries, at which the hardware stops */
    LINE = 16,             /* entries of 4 bytes per cache line */
    FEW_COLUMNS = 64, /* dense: summed on the stack, as neighbouring parts' vectors would share cache lines */
    EIGHT = 8,        /* columns whose sums are kept in registers */
    SOME_ROWS = 64    /* rows of few columns that stay in the nearest cache */
};

/* A node of the tree: parts first .. first + size - 1 of all, size a power of 2 that divides first. */
typedef struct node {
    int first, size;
    double *sum; /* [cols]; NULL: the result of the pass */
} node;

typedef void part_work(wlab_passes *, int part, double *g);

struct wlab_passes {
    const wlab_matrix *X;
    wlab_rows rows;
    int tasks, levels;     /* vectors per task beside its sum */
    node task[MOST_TASKS]; /* in order */
    double *vectors;       /* [(tasks - 1 + tasks * levels) x cols] */
    double *received;      /* [cols] or NULL: no other rank */
    /* adding up what is on this rank: in order, task add[k][1] to task add[k][0]; what is left are `tops` */
    int adds, add[MOST_TASKS][2], tops, top[MOST_TASKS];
    double sum[2 * WL_PARTS]; /* per part of this rank: the sums of h q and of h q^2 */
    /* the present pass */
    part_work *work;
    const double *in, *h;
    double *out, *o;
    double offset;
};

int wlab_passes_parts(double entries, double cols)
{
    int parts = 1;

    while (parts < WL_PARTS) {
        const double columns = parts == 1           ? TWO_PER_COLUMN * cols
                               : parts < MANY_PARTS ? MORE_PER_COLUMN * cols
                                                    : RANK_PER_COLUMN * cols;
        const double fixed = parts < MANY_PARTS ? PART_ENTRIES : RANK_TIMES * PART_ENTRIES;
        if (entries < 2 * parts * (fixed + columns))
            break;
        parts *= 2;
    }
    return parts;
}

void wlab_passes_begin(const wlab_matrix *X, int64_t first_row, int64_t first_entry, int64_t entries,
                       int parts, int64_t *begin, int64_t *entry)
{
    int64_t counted = first_entry, i = 0;

    for (int b = 1; b < parts; b++) {
        const int64_t target = entries / parts * b;
        if (target <= first_entry)
            continue;
        while (i < X->rows && counted < target)
            counted += X->len[i++];
        if (counted < target)
            break;
        begin[b] = first_row + i;
        entry[b] = counted;
    }
}

void wlab_passes_divide(wlab_rows *rows, const wlab_matrix *X)
{
    int64_t all = 0, entry[WL_PARTS + 1];

    for (int64_t r = 0; r < X->rows; r++) /* not nnz, which may leave out stored zeros */
        all += X->len[r];
    wlab_rows_whole(rows, X->rows);
    rows->parts = rows->all_parts = wlab_passes_parts((double)all, X->cols);
    rows->begin[1] = 0;
    wlab_passes_begin(X, 0, 0, all, rows->parts, rows->begin, entry);
    rows->begin[rows->parts] = X->rows;
}

/* Cuts this rank's parts into the largest subtrees that leave MANY_PARTS tasks to all of the tree. */
static void make_tasks(wlab_passes *p)
{
    const int end = p->rows.first + p->rows.parts;
    const int most = p->rows.all_parts > MANY_PARTS ? p->rows.all_parts / MANY_PARTS : 1;

    for (int at = p->rows.first; at < end; at += p->task[p->tasks++].size) {
        int size = most;
        while (at % size || at + size > end)
            size /= 2;
        p->task[p->tasks] = (node){.first = at, .size = size};
    }
    while (1 << p->levels < most)
        p->levels++;
}

/* Plans the additions of siblings on this rank. */
static void plan_additions(wlab_passes *p)
{
    node top[MOST_TASKS];

    for (int t = 0; t < p->tasks; t++) {
        top[p->tops] = p->task[t];
        p->top[p->tops++] = t;
        while (p->tops > 1) {
            node *a = &top[p->tops - 2];
            if (a->size != a[1].size || a->first % (2 * a->size))
                break;
            p->add[p->adds][0] = p->top[p->tops - 2];
            p->add[p->adds++][1] = p->top[--p->tops];
            a->size *= 2;
        }
    }
}

wlab_code wlab_passes_create(wlab_passes **out, const wlab_matrix *X, wlab_err *err)
{
    wlab_passes *p = wlab_calloc(1, sizeof *p);

    *out = NULL;
    if (!p)
        return wlab_nomem(err);
    p->X = X;
    if (X->parts)
        p->rows = *X->parts;
    else
        wlab_passes_divide(&p->rows, X);
    make_tasks(p);
    plan_additions(p);
    const size_t cols = (size_t)X->cols, several = wlab_ranks_size(p->rows.ranks) > 1,
                 vectors = (size_t)((p->tasks > 1 ? p->tasks - 1 : 0) + p->tasks * p->levels);
    if (vectors)
        p->vectors = wlab_alloc(vectors * cols, sizeof *p->vectors);
    if (several)
        p->received = wlab_alloc(cols, sizeof *p->received);
    if ((vectors && !p->vectors) || (several && !p->received)) {
        wlab_passes_destroy(p);
        return wlab_nomem(err);
    }
    for (int t = 1; t < p->tasks; t++)
        p->task[t].sum = p->vectors + (size_t)(t - 1) * cols;
    *out = p;
    return WL_OK;
}

void wlab_passes_destroy(wlab_passes *p)
{
    if (!p)
        return;
    wlab_free(p->vectors);
    wlab_free(p->received);
    wlab_free(p);
}

const wlab_rows *wlab_passes_rows(const wlab_passes *p)
{
    return &p->rows;
}

/* ---- the tree ---- */

static double *sum_of(const wlab_passes *p, int task)
{
    return task ? p->task[task].sum : p->out;
}

static void run_task(void *data, int t)
{
    wlab_passes *p = data;
    const int64_t cols = p->X->cols;
    double *stack[LEVELS];
    int held = 0;

    stack[0] = sum_of(p, t);
    for (int k = 0; k < p->levels; k++)
        stack[k + 1] = p->vectors + ((p->tasks - 1) + t * p->levels + k) * cols;
    for (int k = 0; k < p->task[t].size; k++) {
        p->work(p, p->task[t].first - p->rows.first + k, stack[held++]);
        for (int done = k + 1; done % 2 == 0; done /= 2, held--)
            for (int64_t j = 0; j < cols; j++)
                stack[held - 2][j] += stack[held - 1][j];
    }
}

static void add_chunk(void *data, int c)
{
    wlab_passes *p = data;
    const int64_t cols = p->X->cols, begin = (int64_t)c * GATHER_COLUMNS,
                  end = begin + GATHER_COLUMNS < cols ? begin + GATHER_COLUMNS : cols;

    for (int k = 0; k < p->adds; k++) {
        double *a = sum_of(p, p->add[k][0]);
        const double *b = sum_of(p, p->add[k][1]);
        for (int64_t j = begin; j < end; j++)
            a[j] += b[j];
    }
}

static int rank_of_part(const wlab_passes *p, int part)
{
    const int parts = p->rows.all_parts, size = p->rows.ranks->size;
    int r = (int)((int64_t)part * size / parts);

    while (wlab_rows_first(parts, size, r + 1) <= part)
        r++;
    while (wlab_rows_first(parts, size, r) > part)
        r--;
    return r;
}

/* Adds up the tops of all ranks: level by level, a right child is sent to the rank of its sibling's first part. */
static void add_ranks(wlab_passes *p)
{
    wlab_ranks *r = p->rows.ranks;
    const int64_t cols = p->X->cols;
    const size_t bytes = (size_t)cols * sizeof *p->out;
    node top[MOST_TASKS];
    int tops = 0;

    for (int k = 0, first = p->rows.first; k < p->tops; k++) {
        const int t = p->top[k],
                  end = k + 1 < p->tops ? p->task[p->top[k + 1]].first : p->rows.first + p->rows.parts;
        top[tops++] = (node){.first = first, .size = end - first, .sum = sum_of(p, t)};
        first = end;
    }
    for (int size = 1; size < p->rows.all_parts; size *= 2) {
        int left = 0;
        for (int k = 0; k < tops; k++) {
            node n = top[k];
            if (n.size == size && n.first % (2 * size)) { /* a right child */
                const int to = rank_of_part(p, n.first - size);
                if (to != r->rank) {
                    wlab_ranks_send(r, to, n.sum, bytes);
                    continue;
                }
                double *a = top[left - 1].sum; /* its sibling is on this rank, too */
                for (int64_t j = 0; j < cols; j++)
                    a[j] += n.sum[j];
                top[left - 1].size *= 2;
                continue;
            }
            if (n.size == size && rank_of_part(p, n.first + size) != r->rank) {
                wlab_ranks_receive(r, rank_of_part(p, n.first + size), p->received, bytes);
                for (int64_t j = 0; j < cols; j++)
                    n.sum[j] += p->received[j];
                n.size *= 2;
            }
            top[left++] = n;
        }
        tops = left;
    }
    wlab_ranks_broadcast(r, p->out, bytes);
}

/* out = the sum of the parts' vectors. */
static void run_tree(wlab_passes *p, part_work *work, wlab_pool *pool)
{
    p->work = work;
    wlab_pool_run(pool, p->tasks, run_task, p);
    if (p->adds)
        wlab_pool_run(pool, (int)(((int64_t)p->X->cols + GATHER_COLUMNS - 1) / GATHER_COLUMNS), add_chunk, p);
    if (wlab_ranks_size(p->rows.ranks) > 1)
        add_ranks(p);
}

/* ---- the passes ---- */

/* Prefetches row i of the sparse matrix. */
static inline void prefetch_row(const wlab_matrix *X, int64_t i)
{
    const float *v = X->val + X->start[i];
    const int32_t *c = X->col + X->start[i];

    for (int32_t k = 0; k < X->len[i]; k += LINE) {
        __builtin_prefetch(v + k);
        __builtin_prefetch(c + k);
    }
}

/* Row i of a dense matrix times p->in; fetches the next row if it is in this part, before `end`. */
static inline double dense_dot(const wlab_passes *p, int64_t i, int64_t end)
{
    const wlab_matrix *X = p->X;
    const double *row = X->dense + X->start[i];

    return X->cols >= WLAB_LONG_ROW && i + 1 < end
               ? wlab_dense_dot_fetching(row, p->in, X->cols, X->dense + X->start[i + 1])
               : wlab_dense_dot(row, p->in, X->len[i]);
}

static void outputs_part(void *data, int b)
{
    wlab_passes *p = data;
    const wlab_matrix *X = p->X;
    const int64_t end = p->rows.begin[b + 1];

    for (int64_t i = p->rows.begin[b]; i < end; i++) {
        const int64_t s = X->start[i];
        if (X->sparse && i + AHEAD < end && (!p->h || p->h[i + AHEAD] == 0))
            prefetch_row(X, i + AHEAD);
        if (p->h && p->h[i] != 0)
            continue;
        p->o[i] = p->offset + (X->sparse ? wlab_sparse_dot(X->val + s, X->col + s, X->len[i], p->in)
                                         : dense_dot(p, i, end));
    }
}

void wlab_passes_outputs(wlab_passes *p, const double *skip, const double *w, double offset, double *o,
                         wlab_pool *pool)
{
    p->offset = offset;
    p->h = skip;
    p->in = w;
    p->o = o;
    wlab_pool_run(pool, p->rows.parts, outputs_part, p);
}

static void clear(const wlab_passes *p, double *g)
{
    if (p->X->cols)
        memset(g, 0, (size_t)p->X->cols * sizeof *g);
}

/* g += sum of z_i x_i over the rows, for EIGHT columns from c on. */
static void add_eight_columns(const wlab_matrix *X, const double *z, int64_t begin, int64_t end, int64_t c,
                              double *g)
{
    wlab_two g0 = wlab_two_load(g), g1 = wlab_two_load(g + 2), g2 = wlab_two_load(g + 4),
             g3 = wlab_two_load(g + 6);

    for (int64_t i = begin; i < end; i++) {
        const double *x = X->dense + X->start[i] + c;
        g0 += z[i] * wlab_two_load(x);
        g1 += z[i] * wlab_two_load(x + 2);
        g2 += z[i] * wlab_two_load(x + 4);
        g3 += z[i] * wlab_two_load(x + 6);
    }
    wlab_two_store(g, g0);
    wlab_two_store(g + 2, g1);
    wlab_two_store(g + 4, g2);
    wlab_two_store(g + 6, g3);
}

/* The next block *i .. *next - 1 of rows from *next on, which begins with a row whose factor is not 0; false: there is none
 * before `end`.  With few columns a branch costs more than a row, so all SOME_ROWS of a block are computed whatever their
 * factors; only the zeros before the next block are skipped. */
static inline bool next_rows(const double *factor, int64_t *i, int64_t *next, int64_t end)
{
    *i = *next;
    while (*i < end && factor[*i] == 0)
        ++*i;
    *next = *i + SOME_ROWS < end ? *i + SOME_ROWS : end;
    return *i < end;
}

/* g += sum of z_i x_i over the rows of a dense matrix of few columns; z belongs to row `begin`. */
static void add_rows(const wlab_matrix *X, const double *z, int64_t begin, int64_t end, double *g)
{
    int32_t c = 0;

    for (; c + EIGHT <= X->cols; c += EIGHT)
        add_eight_columns(X, z - begin, begin, end, c, g + c);
    for (int64_t i = begin; c < X->cols && i < end; i++)
        wlab_dense_axpy(X->dense + X->start[i] + c, X->cols - c, z[i - begin], g + c);
}

static bool has_few_columns(const wlab_matrix *X)
{
    return !X->sparse && X->cols <= FEW_COLUMNS;
}

static void transpose_part(wlab_passes *p, int b, double *g)
{
    const wlab_matrix *X = p->X;
    const int64_t begin = p->rows.begin[b], end = p->rows.begin[b + 1];

    clear(p, g);
    if (has_few_columns(X)) {
        double few[FEW_COLUMNS] = {0};
        for (int64_t i, next = begin; next_rows(p->in, &i, &next, end);)
            add_rows(X, p->in + i, i, next, few);
        memcpy(g, few, (size_t)X->cols * sizeof *g);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t s = X->start[i];
        if (X->sparse && i + AHEAD < end && p->in[i + AHEAD] != 0)
            prefetch_row(X, i + AHEAD);
        if (p->in[i] == 0)
            continue;
        if (X->sparse)
            wlab_sparse_axpy(X->val + s, X->col + s, X->len[i], p->in[i], g);
        else
            wlab_dense_axpy(X->dense + s, X->len[i], p->in[i], g);
    }
}

void wlab_passes_transpose(wlab_passes *p, const double *z, double *g, wlab_pool *pool)
{
    p->in = z;
    p->out = g;
    run_tree(p, transpose_part, pool);
}

/* Columns k and k + 1 of a row of `cols` columns; 0 for those that it does not have. */
static inline wlab_two pair_of(const double *x, int32_t cols, int32_t k)
{
    return k + 1 < cols ? wlab_two_load(x + k) : k < cols ? (wlab_two){x[k], 0} : (wlab_two){0, 0};
}

/* normal_part for a dense matrix of at most EIGHT columns, which are read once; `cols` is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void normal_narrow(wlab_passes *p, int b, double *to,
                                                                const int32_t cols)
{
    const wlab_matrix *X = p->X;
    const int64_t end = p->rows.begin[b + 1];
    const wlab_two in0 = pair_of(p->in, cols, 0), in1 = pair_of(p->in, cols, 2),
                   in2 = pair_of(p->in, cols, 4), in3 = pair_of(p->in, cols, 6);
    wlab_two g0 = {0}, g1 = {0}, g2 = {0}, g3 = {0};
    double sum = 0, quad = 0, g[EIGHT];

    for (int64_t begin, next = p->rows.begin[b]; next_rows(p->h, &begin, &next, end);) {
        for (int64_t i = begin; i < next; i++) {
            const double *x = X->dense + X->start[i];
            const wlab_two x0 = pair_of(x, cols, 0), x1 = pair_of(x, cols, 2), x2 = pair_of(x, cols, 4),
                           x3 = pair_of(x, cols, 6);
            const double q = p->offset + wlab_two_sum((x0 * in0 + x2 * in2) + (x1 * in1 + x3 * in3)),
                         hq = p->h[i] * q;
            p->o[i] = q;
            sum += hq;
            quad += hq * q;
            g0 += hq * x0;
            g1 += hq * x1;
            g2 += hq * x2;
            g3 += hq * x3;
        }
    }
    wlab_two_store(g, g0);
    wlab_two_store(g + 2, g1);
    wlab_two_store(g + 4, g2);
    wlab_two_store(g + 6, g3);
    memcpy(to, g, (size_t)cols * sizeof *g);
    p->sum[2 * b] = sum;
    p->sum[2 * b + 1] = quad;
}

/* normal_part for a dense matrix of few columns: some rows' products, then their sum. */
static void normal_few(wlab_passes *p, int b, double *to)
{
    const wlab_matrix *X = p->X;
    const int64_t end = p->rows.begin[b + 1];
    double g[FEW_COLUMNS] = {0}, hq[SOME_ROWS], sum = 0, quad = 0;

    for (int64_t i, next = p->rows.begin[b]; next_rows(p->h, &i, &next, end);) {
        for (int64_t k = i; k < next; k++) {
            const double q = p->offset + wlab_dense_dot(X->dense + X->start[k], p->in, X->cols);
            hq[k - i] = p->h[k] * q;
            p->o[k] = q;
            sum += hq[k - i];
            quad += hq[k - i] * q;
        }
        add_rows(X, hq, i, next, g);
    }
    memcpy(to, g, (size_t)X->cols * sizeof *g);
    p->sum[2 * b] = sum;
    p->sum[2 * b + 1] = quad;
}

static void normal_part(wlab_passes *p, int b, double *g)
{
    const wlab_matrix *X = p->X;
    const int64_t end = p->rows.begin[b + 1];
    const double *h = p->h;

    if (has_few_columns(X)) {
        switch (X->cols) { /* clang-format off */
        case 1: normal_narrow(p, b, g, 1); return;
        case 2: normal_narrow(p, b, g, 2); return;
        case 3: normal_narrow(p, b, g, 3); return;
        case 4: normal_narrow(p, b, g, 4); return;
        case 5: normal_narrow(p, b, g, 5); return;
        case 6: normal_narrow(p, b, g, 6); return;
        case 7: normal_narrow(p, b, g, 7); return;
        case 8: normal_narrow(p, b, g, 8); return;
        default: normal_few(p, b, g); return;
        } /* clang-format on */
    }
    double sum = 0, quad = 0;

    clear(p, g);
    for (int64_t i = p->rows.begin[b]; i < end; i++) {
        const int64_t s = X->start[i];
        const int32_t n = X->len[i];
        double q, hq;
        if (X->sparse && i + AHEAD < end && h[i + AHEAD] != 0)
            prefetch_row(X, i + AHEAD);
        if (h[i] == 0)
            continue;
        q = p->offset +
            (X->sparse ? wlab_sparse_dot(X->val + s, X->col + s, n, p->in) : dense_dot(p, i, end));
        hq = h[i] * q;
        p->o[i] = q;
        sum += hq;
        quad += hq * q;
        if (X->sparse)
            wlab_sparse_axpy_after_dot(X->val + s, X->col + s, n, hq, g);
        else
            wlab_dense_axpy(X->dense + s, n, hq, g);
    }
    p->sum[2 * b] = sum;
    p->sum[2 * b + 1] = quad;
}

double wlab_passes_normal(wlab_passes *p, const double *h, const double *in, double offset, double *q,
                          double *g, double *quad, wlab_pool *pool)
{
    double sum[2];

    p->h = h;
    p->in = in;
    p->offset = offset;
    p->o = q;
    p->out = g;
    run_tree(p, normal_part, pool);
    wlab_rows_add(&p->rows, p->sum, 2, sum);
    *quad = sum[1];
    return sum[0];
}
