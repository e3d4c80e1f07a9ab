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

/* The next array of the message: n items of `each` bytes from *at on, which moves behind it. */
static void *next_array(char **at, int64_t n, size_t each)
{
    void *array = *at;
    const size_t word = sizeof(double);

    *at += ((size_t)n * each + word - 1) / word * word;
    return array;
}

/* Bytes of what rank 0 sends back. */
static size_t returned(const well_shipment *h)
{
    return (size_t)h->X.rows * (sizeof *h->alpha + sizeof *h->left_out);
}

/* Puts the arrays of h->X.rows rows with h->entries entries into the message; returns its length in bytes.  First comes
 * what is returned. */
static size_t lay_out(well_shipment *h)
{
    const int64_t n = h->X.rows;
    char *at = h->message;

    h->alpha = next_array(&at, n, sizeof *h->alpha);
    h->left_out = next_array(&at, n, sizeof *h->left_out);
    h->delta = next_array(&at, n, sizeof *h->delta);
    h->cap = next_array(&at, n, sizeof *h->cap);
    h->sqnorm = next_array(&at, n, sizeof *h->sqnorm);
    h->sign = next_array(&at, n * h->words, sizeof *h->sign);
    h->X.len = next_array(&at, n, sizeof *h->X.len);
    if (h->X.sparse) {
        h->X.col = next_array(&at, h->entries, sizeof *h->X.col);
        h->X.val = next_array(&at, h->entries, sizeof *h->X.val);
    } else {
        h->X.dense = next_array(&at, h->entries, sizeof *h->X.dense);
    }
    return (size_t)(at - h->message);
}

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
    h->where = wlab_alloc(ROWS, sizeof *h->where);
    /* by alignment an array needs at most a number more than its items */
    const size_t each = sizeof *h->alpha + sizeof *h->delta + sizeof *h->cap + sizeof *h->sqnorm +
                        sizeof *h->X.len + sizeof *h->left_out,
                 numbers = (size_t)(h->X.sparse ? sizeof(float) + sizeof(int32_t) : sizeof(double));
    h->message = wlab_alloc(ROWS * (each + (size_t)h->words * sizeof *h->sign) +
                                (size_t)h->most_entries * numbers + 16 * sizeof(double),
                            1);
    if (h->X.start && h->where && h->message)
        return h;
    well_shipment_destroy(h);
    return NULL;
}

void well_shipment_destroy(well_shipment *h)
{
    if (!h)
        return;
    wlab_free(h->X.start);
    wlab_free((void *)h->where);
    wlab_free(h->message);
    wlab_free(h);
}

bool well_shipment_fits(const well_shipment *h, const well_vectors *w, int64_t row)
{
    return h->X.rows < ROWS && h->entries + w->X->len[row] <= h->most_entries;
}

void well_shipment_add(well_shipment *h, const well_vectors *w, int32_t *active)
{
    h->where[h->X.rows++] = active;
    h->entries += w->X->len[*active];
}

void well_shipment_fill(well_shipment *h, const well_vectors *w)
{
    const wlab_matrix *X = w->X;

    (void)lay_out(h);
    for (int64_t k = 0, to = 0; k < h->X.rows; to += h->X.len[k++]) {
        const int64_t i = *h->where[k], from = X->start[i];
        const size_t n = (size_t)X->len[i];
        h->X.len[k] = X->len[i];
        h->left_out[k] = false;
        memcpy(h->sign + k * h->words, well_signs(w, i), (size_t)h->words * sizeof *h->sign);
        if (X->sparse) {
            memcpy(h->X.col + to, X->col + from, n * sizeof *X->col);
            memcpy(h->X.val + to, X->val + from, n * sizeof *X->val);
        } else {
            memcpy(h->X.dense + to, X->dense + from, n * sizeof *X->dense);
        }
    }
}

typedef struct shipment_head {
    int64_t rows, entries, last;
} shipment_head;

void well_shipment_exchange(well_shipment *h, wlab_ranks *ranks, double *alpha, bool last)
{
    const shipment_head head = {h->X.rows, h->entries, last};

    wlab_ranks_send(ranks, 0, &head, sizeof head);
    if (head.rows > 0) {
        wlab_ranks_send(ranks, 0, h->message, lay_out(h));
        wlab_ranks_receive(ranks, 0, h->message, returned(h));
    }
    for (int64_t k = 0; k < h->X.rows; k++) {
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
    h->X.rows = head.rows;
    h->entries = head.entries;
    *last = head.last != 0;
    if (head.rows > 0)
        wlab_ranks_receive(ranks, from, h->message, lay_out(h));
    for (int64_t k = 0, at = 0; k < h->X.rows; at += h->X.len[k++])
        h->X.start[k] = at;
}

void well_shipment_return(well_shipment *h, wlab_ranks *ranks, int to)
{
    if (h->X.rows > 0)
        wlab_ranks_send(ranks, to, h->message, returned(h));
    h->X.rows = h->entries = 0;
}
