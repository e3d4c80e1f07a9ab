/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dividing the rows of all ranks into parts.
 */
#include "linalg/spread.h"
#include "linalg/passes.h"

#include <string.h>

void wlab_spread_move(const wlab_spread *s, size_t each, const void *data, void *out)
{
    wlab_ranks_move(s->ranks, s->before, s->after, each, data, out);
}

/* begin, entry [parts + 1]: the first row of each part, and the entries before it, of all ranks. */
static void find_parts(const wlab_matrix *X, wlab_ranks *ranks, int64_t first_row, int64_t first_entry,
                       int64_t entries, int parts, int64_t *begin, int64_t *entry)
{
    int64_t found[2][WL_PARTS + 1] = {{0}}, all[WL_RANKS_MOST][2];

    wlab_passes_begin(X, first_row, first_entry, entries, parts, found[0], found[1]);
    for (int b = 0; b < parts; b++) {
        const int64_t own[] = {found[0][b], found[1][b]};
        wlab_ranks_collect(ranks, own, sizeof own, all);
        begin[b] = entry[b] = 0;
        for (int r = wlab_ranks_size(ranks) - 1; r >= 0; r--) /* later ranks may have found a later row */
            if (all[r][0] > 0) {
                begin[b] = all[r][0];
                entry[b] = all[r][1];
            }
    }
}

/* The rows' values, which begin at `first`; contiguous in *copy if they are not so in X. */
static const void *contiguous(const wlab_matrix *X, const void *values, size_t each, void **copy)
{
    int64_t at = X->rows ? X->start[0] : 0, n = 0;
    bool together = true;

    for (int64_t i = 0; i < X->rows; i++) {
        together = together && X->start[i] == at + n;
        n += X->len[i];
    }
    if (together)
        return (const unsigned char *)values + (size_t)at * each;
    if (!(*copy = wlab_alloc((size_t)n, each)))
        return NULL;
    n = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        memcpy((unsigned char *)*copy + (size_t)n * each,
               (const unsigned char *)values + (size_t)X->start[i] * each, (size_t)X->len[i] * each);
        n += X->len[i];
    }
    return *copy;
}

wlab_code wlab_matrix_spread(wlab_matrix **out, const wlab_matrix *X, wlab_ranks *ranks, wlab_spread *how,
                             wlab_err *err)
{
    const int size = wlab_ranks_size(ranks), me = ranks ? ranks->rank : 0;
    int64_t from[WL_RANKS_MOST + 1], to[WL_RANKS_MOST + 1], own = 0, begin[WL_PARTS + 1], entry[WL_PARTS + 1];
    void *copy[2] = {NULL, NULL};
    wlab_matrix *m = NULL;
    wlab_code code;

    *out = NULL;
    how->ranks = ranks;
    for (int64_t i = 0; i < X->rows; i++)
        own += X->len[i];
    wlab_ranks_number(ranks, X->rows, how->before);
    wlab_ranks_number(ranks, own, from);
    const int64_t rows = how->before[size], entries = from[size];
    const int parts = wlab_passes_parts((double)entries, X->cols);
    find_parts(X, ranks, how->before[me], from[me], entries, parts, begin, entry);
    begin[parts] = rows;
    entry[parts] = entries;
    for (int r = 0; r <= size; r++) {
        how->after[r] = begin[wlab_rows_first(parts, size, r)];
        to[r] = entry[wlab_rows_first(parts, size, r)];
    }
    const int64_t n = how->after[me + 1] - how->after[me], n_entries = to[me + 1] - to[me];
    code = X->sparse ? wlab_matrix_create_sparse(&m, n, X->cols, n_entries, err)
                     : wlab_matrix_create_dense(&m, n, X->cols, err);
    const void *first = NULL, *second = NULL;
    if (!code) {
        m->parts = wlab_calloc(1, sizeof *m->parts);
        first = X->sparse ? contiguous(X, X->col, sizeof *X->col, &copy[0])
                          : contiguous(X, X->dense, sizeof *X->dense, &copy[0]);
        second = X->sparse ? contiguous(X, X->val, sizeof *X->val, &copy[1]) : first;
        if (!m->parts || !first || !second)
            code = wlab_nomem(err);
    }
    if ((code = wlab_ranks_agree(ranks, code, err)))
        goto out;
    *m->parts = (wlab_rows){.n = n,
                            .before = how->after[me],
                            .all = rows,
                            .first = wlab_rows_first(parts, size, me),
                            .all_parts = parts,
                            .ranks = ranks};
    m->parts->parts = wlab_rows_first(parts, size, me + 1) - m->parts->first;
    for (int p = 0; p <= m->parts->parts; p++)
        m->parts->begin[p] = begin[m->parts->first + p] - how->after[me];
    wlab_spread_move(how, sizeof *m->len, X->len, m->len);
    if (X->sparse) {
        wlab_ranks_move(ranks, from, to, sizeof *m->col, first, m->col);
        wlab_ranks_move(ranks, from, to, sizeof *m->val, second, m->val);
    } else {
        wlab_ranks_move(ranks, from, to, sizeof *m->dense, first, m->dense);
    }
    for (int64_t i = 0, at = 0; i < n; at += m->len[i++])
        m->start[i] = at;
    wlab_matrix_count_nnz(m);
out:
    wlab_free(copy[0]);
    wlab_free(copy[1]);
    if (code)
        wlab_matrix_destroy(m);
    else
        *out = m;
    return code;
}
