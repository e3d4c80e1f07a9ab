/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A kernel deformed by a graph of its rows (Sindhwani, Niyogi and Belkin, ICML 2005).  With K = Phi Phi' the matrix of
 * a kernel over the n rows and L a Laplacian of their graph (linalg/graph.h),
 *
 *     K^ = K (I + rho L K)^-1 = Phi (I + rho Phi'L Phi)^-1 Phi' = Phi^ Phi^',    Phi^ = Phi S'^-1,  S S' = I + rho Phi'L Phi.
 *
 * Its norm is ||f||_K^2 + rho f'Lf over the functions of the kernel K, so an SVM with K^ prefers functions that change
 * little along the edges of the graph: manifold regularisation (LapSVM), with unlabelled rows in the graph.
 *
 * A function sum_i c_i K^(x_i, .) is one of the kernel K itself, sum_i a_i kappa(x_i, .) with a = (I + rho L K)^-1 c, so
 * a model has the plain kernel, and predicts rows that are not in the graph.
 */
#ifndef MODEL_DEFORMED_H
#define MODEL_DEFORMED_H

#include "linalg/graph.h"
#include "model/features.h"

#include <stdatomic.h>

struct wlab_deformed {
    atomic_int refs;
    wlab_kernel base; /* without constant feature: a constant is not deformed */
    wlab_graph *graph;
    double rho;
    int64_t n, r;
    double trace, left; /* traces of K and of K - Phi Phi', before the deformation */
    double *Phi;        /* [n x r] row-major: Phi^ */
    int32_t *pivot;     /* [r] rows */
    double *L;          /* [r x r] lower triangle: phi^(x) = L^-1 (kappa(x_pivot, x)) */
    double least,
        largest; /* the smallest and the largest pivot of S: the largest over the smallest is about its
                            * condition */
    /* ---- which row of the graph a row of a view is ---- */
    const void *values; /* of the matrix */
    int64_t *start;     /* [n] ascending */
    int32_t *length, *row;
};
typedef struct wlab_deformed wlab_deformed;

/* What graph= and rho= say.  neighbours 0: no graph.  Written "knn:6", "knn:6:heat", "knn:6:normalised",
 * "knn:6:heat:normalised", or "none". */
typedef struct wlab_graph_spec {
    int neighbours;
    bool heat, normalised;
} wlab_graph_spec;
/* WL_EARG: the text is none of these. */
wlab_code wlab_graph_parse(wlab_graph_spec *, const char *text, wlab_err *);

/* The kernel `base` (its constant feature left out) over the rows of X, with a graph, which the result owns also after
 * a failure, from a factor of at most `most` columns (0: n).  X must outlive the result, as views of it are recognised by their place.  Errors: those of
 * wlab_features_make, WL_EARG for a precomputed kernel.  Cost n r^2 + edges * r, memory n r + r^2. */
wlab_code wlab_deformed_make(wlab_deformed **, const wlab_kernel *base, const wlab_matrix *X,
                             wlab_graph *graph, double rho, int64_t most, wlab_ctx *, wlab_err *);
wlab_deformed *wlab_deformed_ref(wlab_deformed *); /* NULL: NULL */
void wlab_deformed_unref(wlab_deformed *);         /* NULL: no effect */
/* Whether graphs and rho are the same settings. */
bool wlab_deformed_alike(const wlab_deformed *, const wlab_deformed *);
/* K [rows(X) x rows(Z)] = K^ + bias^2, for views of the matrix of which it was made.  Exactly symmetric if X is Z. */
wlab_code wlab_deformed_matrix(const wlab_deformed *, double bias, const wlab_matrix *X, const wlab_matrix *Z,
                               double *K, wlab_ctx *, wlab_err *);
/* coef [n x P] of the kernel `base` with the same functions: sum_i coef[i,k] kappa(x_i, .) = sum_i c[i,k] K^(x_i, .), or
 * = W_k phi^(.) if W [P x r] is given instead of c.  Only pivots have coefficients. */
wlab_code wlab_deformed_plain(const wlab_deformed *, int P, const double *c, const double *W, double *coef,
                              wlab_err *);

#endif
