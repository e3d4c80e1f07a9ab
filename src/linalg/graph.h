/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph of nearest neighbours of the rows of a matrix, and its Laplacian.  Rows i and j are joined if one is among
 * the k nearest others of the other one:
 *
 *     W_ij = 1, or with heat weights exp(-||x_i - x_j||^2 / (4 t)), t the mean squared length of the edges;
 *     D = diag(sum_j W_ij);     L = D - W, or normalised I - D^(-1/2) W D^(-1/2);
 *     f'Lf = sum over edges of W_ij (f_i - f_j)^2   (normalised: of f_i / sqrt(D_ii)),
 *
 * so f'Lf is small for an f that changes little along edges, and 0 for one that is constant on each component.
 */
#ifndef LINALG_GRAPH_H
#define LINALG_GRAPH_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"

#include <stdatomic.h>

typedef struct wlab_edge {
    int32_t i, j; /* i < j */
    double weight;
} wlab_edge;

typedef struct wlab_graph {
    atomic_int refs;
    int64_t n, edges, components;
    int neighbours; /* k */
    bool heat, normalised;
    double t;        /* mean squared length of the edges, in the data's units */
    wlab_edge *edge; /* [edges] ordered by i, then j */
    double *degree;  /* [n] D_ii */
} wlab_graph;

/* The graph of the rows of X.  Equal distances are ordered by row number, and rows at the same place are each other's
 * nearest.  k is at most n - 1; more neighbours than that are all.  Exact: products of the matrix only select
 * candidates, whose distances are then sums of squared differences.  The bits do not depend on the threads.  Cost
 * n^2 d, memory 256 n + the edges.  WL_ENOMEM, WL_EINTERRUPTED; WL_ENUMERIC if a distance is not finite. */
wlab_code wlab_graph_make(wlab_graph **, const wlab_matrix *X, int neighbours, bool heat, bool normalised,
                          wlab_ctx *, wlab_err *);
wlab_graph *wlab_graph_ref(wlab_graph *);
void wlab_graph_unref(wlab_graph *); /* NULL: no effect */
/* LF = L F, F and LF [n x columns] row-major.  Cost edges * columns. */
void wlab_graph_laplacian(const wlab_graph *, const double *F, int64_t columns, double *LF);
/* f'Lf as the sum over edges, which is never negative. */
double wlab_graph_energy(const wlab_graph *, const double *f);

#endif
