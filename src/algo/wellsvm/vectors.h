/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The weight vectors of several labelings at once, for WellSVM's linear kernel at size: v_t = sum_i alpha_i y_ti x_i.
 * They are stored feature by feature, so that the entries of all v_t for one feature are adjacent and each row of the
 * data is read once.
 */
#ifndef ALGO_WELLSVM_VECTORS_H
#define ALGO_WELLSVM_VECTORS_H

#include "linalg/passes.h"

typedef struct well_vectors {
    const wlab_matrix *X;
    wlab_passes
        *passes; /* over X; with rows on several ranks v is the same on all, and sums are over all rows */
    double mean; /* entries per row */
    wlab_pool *pool;
    double bias;          /* the constant feature of every row, or 0 */
    int64_t T;            /* labelings */
    int64_t width;        /* T, rounded up to an even number */
    int64_t words;        /* words of a row's signs, for 32 labelings each */
    double *v;            /* [cols x width] */
    double *vb;           /* [width] weights of the constant feature */
    const uint32_t *sign; /* [rows x words] bit t is set if y_t is -1 */
    double *z;            /* [cols] a mixture of the v_t */
    double *one;          /* [rows] workspace */
    uint8_t *kind;        /* [rows] the mixture that gives a row's output; 0: no precomputed mixture */
} well_vectors;

static inline double well_sign(const uint32_t *sign, int64_t t)
{
    return (sign[t >> 5] >> (t & 31)) & 1 ? -1 : 1;
}
static inline const uint32_t *well_signs(const well_vectors *w, int64_t i)
{
    return w->sign + i * w->words;
}

/* Borrows X, passes, pool and the signs of T labelings [rows x words].  All v_t = 0. */
wlab_code well_vectors_create(well_vectors **, const wlab_matrix *X, wlab_passes *, double bias,
                              const uint32_t *sign, int64_t words, int64_t T, wlab_pool *, wlab_err *);
/* Leaves row i out: it has no output. */
void well_vectors_leave_out(well_vectors *, int64_t i);
void well_vectors_destroy(well_vectors *);
/* Recomputes v_t from alpha [rows]. */
void well_vectors_rebuild(well_vectors *, const double *alpha);
/* dot_t = v_t'x_i, [width], the constant feature included. */
void well_vectors_dots(const well_vectors *, int64_t i, double *dot);
/* v_t += by_t x_i. */
void well_vectors_add(well_vectors *, int64_t i, const double *by);
/* o_i = sum_t c_t y_ti v_t'x_i for every row that is not left out. */
wlab_code well_vectors_outputs(well_vectors *, const double *c, double *o, wlab_err *);
/* norm_t = ||v_t||^2, [T]. */
void well_vectors_norms(const well_vectors *, double *norm);
/* Prefetches row i into the cache. */
void well_vectors_fetch(const well_vectors *, int64_t i);

#endif
