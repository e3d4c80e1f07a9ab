/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes over a data matrix for methods that make hundreds of them: X w on some rows, X'z, and X'HX p in one pass, with
 * workspace that is allocated once.  The rows are divided into parts that depend on the matrix alone, and partial sums are
 * added in a fixed order, so results have the same bits for any number of threads and of ranks.  With a matrix of which
 * each rank has its own rows (X->parts), vectors of rows have this rank's rows, and vectors of columns are the same on
 * all ranks.
 */
#ifndef LINALG_PASSES_H
#define LINALG_PASSES_H

#include "base/rows.h"
#include "weaklab/matrix.h"

typedef struct wlab_passes wlab_passes;

/* The ranks on which the rows of X lie; NULL: all are in this process. */
static inline wlab_ranks *wlab_matrix_ranks(const wlab_matrix *X)
{
    return X->parts ? X->parts->ranks : NULL;
}

/* How many parts a matrix with so many stored entries has. */
int wlab_passes_parts(double entries, double cols);
/* Of rows that begin at row first_row of all, with first_entry of all `entries` before them: sets begin[b] and entry[b], for
 * each part b above 0 that begins behind one of them, to its first row and the entries before it; leaves others alone. */
void wlab_passes_begin(const wlab_matrix *X, int64_t first_row, int64_t first_entry, int64_t entries,
                       int parts, int64_t *begin, int64_t *entry);
/* The parts of a matrix whose rows are all here: a power of 2 of parts with about equally many entries. */
void wlab_passes_divide(wlab_rows *, const wlab_matrix *X);
/* Borrows X.  Memory: at most 8 vectors of X->cols, or 32 if there are more than 8 parts. */
wlab_code wlab_passes_create(wlab_passes **, const wlab_matrix *X, wlab_err *);
void wlab_passes_destroy(wlab_passes *);
const wlab_rows *wlab_passes_rows(const wlab_passes *); /* this rank's rows and their parts */
/* o_i = x_i'w + offset for every row with skip[i] = 0 (skip NULL: every row); other o_i are unchanged.  Cost: the nonzeros of
 * the rows that are not skipped. */
void wlab_passes_outputs(wlab_passes *, const double *skip, const double *w, double offset, double *o,
                         wlab_pool *);
/* g = X'z, [cols].  Rows with z_i = 0 cost nothing, unless the matrix is dense, has at most 64 columns, and one of the 63
 * rows before has another z. */
void wlab_passes_transpose(wlab_passes *, const double *z, double *g, wlab_pool *);
/* q_i = x_i'p + offset if h_i != 0 (else unspecified), g = sum_i h_i q_i x_i; reads no row twice.  Returns
 * sum_i h_i q_i, the entry of g for a feature of ones; *quad = sum_i h_i q_i^2. */
double wlab_passes_normal(wlab_passes *, const double *h, const double *p, double offset, double *q,
                          double *g, double *quad, wlab_pool *);

#endif
