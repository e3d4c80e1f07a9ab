/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows that a rank sends to rank 0, which sweeps over them (linear.c), and their new alphas on the way back.
 */
#ifndef ALGO_WELLSVM_SHIPMENT_H
#define ALGO_WELLSVM_SHIPMENT_H

#include "algo/wellsvm/vectors.h"

typedef struct well_shipment {
    char *message;               /* one message for all; the arrays below are in it */
    wlab_matrix X;               /* the rows: start, which is not in it, and len, col and val, or dense */
    double *alpha, *delta, *cap; /* [rows] */
    float *sqnorm;
    uint32_t *sign;  /* [rows x words] */
    bool *left_out;  /* [rows] the sweep has marked the row */
    int32_t **where; /* [rows] the sender's entry in its list of active rows */
    int64_t words, entries, most_entries;
} well_shipment;

/* NULL: no memory.  Every rank calls it: it must hold the longest row of all ranks. */
well_shipment *well_shipment_create(const well_vectors *);
void well_shipment_destroy(well_shipment *);
/* ---- the sender: adds rows while they fit, fills the message, and exchanges ---- */
bool well_shipment_fits(const well_shipment *, const well_vectors *, int64_t row);
/* Adds the row *active; the entry becomes ~row if the sweep leaves it out. */
void well_shipment_add(well_shipment *, const well_vectors *, int32_t *active);
/* Fills the arrays but for alpha, delta, cap and sqnorm, which the caller fills. */
void well_shipment_fill(well_shipment *, const well_vectors *);
/* Sends the rows, and takes their alphas back. */
void well_shipment_exchange(well_shipment *, wlab_ranks *, double *alpha, bool last);
/* ---- rank 0 ---- */
void well_shipment_receive(well_shipment *, wlab_ranks *, int from, bool *last);
void well_shipment_return(well_shipment *, wlab_ranks *, int to);

#endif
