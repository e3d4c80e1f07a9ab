/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outputs that satisfy a balance constraint by construction.  The mean output of a set U of rows is to be b0, and the
 * offset b is free:
 *
 *     o_i = <w, phi(x_i)> + b,   mean of o over U = b0   <=>   b = b0 - <w, m>,   m = mean of phi over U,
 *
 * so o_i = <w, phi(x_i) - m> + b0.  No multiplier is needed, and every w is feasible.  The centred rows are never
 * stored: sparse data remain sparse.
 *
 * For solvers that have the kernel matrix, wlab_centre_matrix centres that.
 *
 * Without a set U, m = 0 and b0 = 0, and a constant feature may take the place of the offset.
 */
#ifndef MODEL_CENTRED_H
#define MODEL_CENTRED_H

#include "model/features.h"

typedef struct wlab_centred {
    int64_t n, dim; /* rows; of w */
    double b0;
    double *mean;         /* [dim] m */
    double *square;       /* [n] ||phi(x_i) - m||^2 */
    double bias;          /* value of the constant feature, the last of dim; 0: none */
    wlab_problem *p;      /* a reference */
    const wlab_matrix *X; /* rows phi(x_i): the data, or Phi */
    wlab_matrix *Phi;     /* NULL: the data */
    wlab_features *f;     /* NULL: the data; its own Phi is freed */
} wlab_centred;

/* member [n]: the rows of U; NULL: no constraint (then b0 is not used).  The constant feature kernel->bias is allowed
 * only without U.  factor: also the linear kernel gets a dense factor Phi with at most n columns.  A factor is complete: the
 * remaining trace is at most 1e-10 of the trace.  Errors: those of wlab_features_make.  Cost: a pass over the data, or
 * n r^2 for a factor with r columns. */
wlab_code wlab_centred_make(wlab_centred **, wlab_problem *, const wlab_kernel *, const uint8_t *member,
                            double b0, bool factor, wlab_ctx *, wlab_err *);
void wlab_centred_destroy(wlab_centred *); /* NULL: no effect */
/* o [n] for w.  Cost: a pass over the rows.  The bits do not depend on the threads. */
void wlab_centred_outputs(const wlab_centred *, const double *w, double *o, wlab_pool *);
/* g [dim] = sum_i z_i (phi(x_i) - m), the transposed product, at the same cost. */
wlab_code wlab_centred_transpose(const wlab_centred *, const double *z, double *g, wlab_pool *, wlab_err *);
/* The model with the outputs of w. */
wlab_code wlab_centred_model(wlab_model **, const wlab_centred *, const double *w, wlab_pool *, wlab_err *);

/* Centres a kernel matrix K [n x n] in place: <phi_i - m, phi_j - m>, m the mean of phi over the rows with member[i] != 0.  K
 * remains symmetric to the bit.  mean [n] gets the mean over these rows k of K_ik as it was, *of_mean the mean of those over
 * them.  WL_EINTERRUPTED: K is partly centred.  Cost: n^2. */
wlab_code wlab_centre_matrix(double *K, int64_t n, const uint8_t *member, double *mean, double *of_mean,
                             wlab_ctx *, wlab_err *);

#endif
