/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows on their way to rank 0 and back.
 */
#include "algo/wellsvm/shipment.h"

#include <string.h>

enum {
    ROWS = 4096,      /* at most */
    ENTRIES = 1 << 18 /* or as many as the longest row has */
};

well_shipment *well_shipment_create(const well_vectors *w)
{
    const wlab_matrix *X = w->X;
    well_shipment *h = wlab_calloc(1, sizeof *h);
    int32_t longest = 0;

    for (int64_t i = 0; i < X->rows; i++)
        longest = X->len[i] > longest ? X->len[i] : longest;
    const int64_t entries = (int64_t)wlab_ranks_most(wlab_passes_rows(w->passes)->ranks, longest);
    if (!h)
        return NULL;
    h->words = w->words;
    h->most_entries = entries > ENTRIES ? entries : ENTRIES;
    h->X = (wlab_matrix){.cols = X->cols, .sparse = X->sparse};
    h->X.start = wlab_alloc(ROWS, sizeof *h->X.start);
    h->X.len = wlab_alloc(ROWS, sizeof *h->X.len);
    h->alpha = wlab_alloc(ROWS, sizeof *h->alpha);
    h->delta = wlab_alloc(ROWS, sizeof *h->delta);
    h->cap = wlab_alloc(ROWS, sizeof *h->cap);
    h->sqnorm = wlab_alloc(ROWS, sizeof *h->sqnorm);
    h->sign = wlab_alloc(ROWS * (size_t)h->words, sizeof *h->sign);
    h->left_out = wlab_alloc(ROWS, sizeof *h->left_out);
    h->where = wlab_alloc(ROWS, sizeof *h->where);
    if (X->sparse) {
        h->X.col = wlab_alloc((size_t)h->most_entries, sizeof *h->X.col);
        h->X.val = wlab_alloc((size_t)h->most_entries, sizeof *h->X.val);
    } else {
        h->X.dense = wlab_alloc((size_t)h->most_entries, sizeof *h->X.dense);
    }
    if (h->X.start && h->X.len && h->alpha && h->delta && h->cap && h->sqnorm && h->sign && h->left_out &&
        h->where && (X->sparse ? h->X.col && h->X.val : h->X.dense != NULL))
        return h;
    well_shipment_destroy(h);
    return NULL;
}

void well_shipment_destroy(well_shipment *h)
{
    if (!h)
        return;
    void *all[] = {h->X.start, h->X.len, h->X.col,  h->X.val, h->X.dense,  h->alpha,
                   h->delta,   h->cap,   h->sqnorm, h->sign,  h->left_out, (void *)h->where};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        wlab_free(all[k]);
    wlab_free(h);
}

bool well_shipment_fits(const well_shipment *h, const well_vectors *w, int64_t row)
{
    return h->X.rows < ROWS && h->entries + w->X->len[row] <= h->most_entries;
}

void well_shipment_add(well_shipment *h, const well_vectors *w, int32_t *active, double alpha, float sqnorm,
                       double delta, double cap)
{
    const wlab_matrix *X = w->X;
    const int64_t i = *active, k = h->X.rows++, s = X->start[i];
    const size_t n = (size_t)X->len[i];

    h->X.len[k] = X->len[i];
    h->alpha[k] = alpha;
    h->delta[k] = delta;
    h->cap[k] = cap;
    h->sqnorm[k] = sqnorm;
    h->where[k] = active;
    memcpy(h->sign + k * h->words, well_signs(w, i), (size_t)h->words * sizeof *h->sign);
    if (X->sparse) {
        memcpy(h->X.col + h->entries, X->col + s, n * sizeof *X->col);
        memcpy(h->X.val + h->entries, X->val + s, n * sizeof *X->val);
    } else {
        memcpy(h->X.dense + h->entries, X->dense + s, n * sizeof *X->dense);
    }
    h->entries += X->len[i];
}

typedef struct shipment_head {
    int64_t rows, entries, last;
} shipment_head;

void well_shipment_exchange(well_shipment *h, wlab_ranks *ranks, double *alpha, bool last)
{
    const shipment_head head = {h->X.rows, h->entries, last};
    const size_t n = (size_t)h->X.rows, entries = (size_t)h->entries;

    wlab_ranks_send(ranks, 0, &head, sizeof head);
    wlab_ranks_send(ranks, 0, h->X.len, n * sizeof *h->X.len);
    wlab_ranks_send(ranks, 0, h->alpha, n * sizeof *h->alpha);
    wlab_ranks_send(ranks, 0, h->delta, n * sizeof *h->delta);
    wlab_ranks_send(ranks, 0, h->cap, n * sizeof *h->cap);
    wlab_ranks_send(ranks, 0, h->sqnorm, n * sizeof *h->sqnorm);
    wlab_ranks_send(ranks, 0, h->sign, n * (size_t)h->words * sizeof *h->sign);
    if (h->X.sparse) {
        wlab_ranks_send(ranks, 0, h->X.col, entries * sizeof *h->X.col);
        wlab_ranks_send(ranks, 0, h->X.val, entries * sizeof *h->X.val);
    } else {
        wlab_ranks_send(ranks, 0, h->X.dense, entries * sizeof *h->X.dense);
    }
    wlab_ranks_receive(ranks, 0, h->alpha, n * sizeof *h->alpha);
    wlab_ranks_receive(ranks, 0, h->left_out, n * sizeof *h->left_out);
    for (size_t k = 0; k < n; k++) {
        alpha[*h->where[k]] = h->alpha[k];
        if (h->left_out[k])
            *h->where[k] = ~*h->where[k];
    }
    h->X.rows = h->entries = 0;
}

void well_shipment_receive(well_shipment *h, wlab_ranks *ranks, int from, bool *last)
{
    shipment_head head = {0};

    wlab_ranks_receive(ranks, from, &head, sizeof head);
    const size_t n = (size_t)head.rows, entries = (size_t)head.entries;
    h->X.rows = head.rows;
    h->entries = head.entries;
    *last = head.last != 0;
    wlab_ranks_receive(ranks, from, h->X.len, n * sizeof *h->X.len);
    wlab_ranks_receive(ranks, from, h->alpha, n * sizeof *h->alpha);
    wlab_ranks_receive(ranks, from, h->delta, n * sizeof *h->delta);
    wlab_ranks_receive(ranks, from, h->cap, n * sizeof *h->cap);
    wlab_ranks_receive(ranks, from, h->sqnorm, n * sizeof *h->sqnorm);
    wlab_ranks_receive(ranks, from, h->sign, n * (size_t)h->words * sizeof *h->sign);
    if (h->X.sparse) {
        wlab_ranks_receive(ranks, from, h->X.col, entries * sizeof *h->X.col);
        wlab_ranks_receive(ranks, from, h->X.val, entries * sizeof *h->X.val);
    } else {
        wlab_ranks_receive(ranks, from, h->X.dense, entries * sizeof *h->X.dense);
    }
    for (int64_t k = 0, at = 0; k < h->X.rows; at += h->X.len[k++])
        h->X.start[k] = at;
}

void well_shipment_return(well_shipment *h, wlab_ranks *ranks, int to)
{
    const size_t n = (size_t)h->X.rows;

    wlab_ranks_send(ranks, to, h->alpha, n * sizeof *h->alpha);
    wlab_ranks_send(ranks, to, h->left_out, n * sizeof *h->left_out);
    h->X.rows = h->entries = 0;
}
