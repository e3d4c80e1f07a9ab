/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a matrix Z = VV' to labels (Section 4.3 of Joulin and Bach).
 */
#ifndef ALGO_ROUNDING_H
#define ALGO_ROUNDING_H

#include "weaklab/event.h"

typedef enum wlab_rounding_kind {
    /* k-means on the leading eigenvectors of Z, with rows scaled to length 1 (Ng, Jordan and Weiss 2001) or unscaled */
    WL_ROUND_KMEANS,
    /* deterministic: rotates the leading eigenvectors onto the axes, by rows that a QR decomposition with pivots
     * selects (Damle, Minden and Ying 2019); with class nodes: the class with the largest <v_n, node_k> */
    WL_ROUND_SPECTRAL
} wlab_rounding_kind;
extern const char *const wlab_rounding_names[]; /* "kmeans", "spectral", NULL */

typedef struct wlab_rounding {
    wlab_rounding_kind kind;
    int64_t n, r;
    const double *V; /* [n x r] */
    int P;           /* 2 .. 64 classes */
    /* Z is in simplex coding: wlab_round adds 11'/P, so that a labeling's Z has P eigenvectors. */
    bool simplex;
    int64_t k;            /* leading eigenvectors for k-means; 0: P */
    bool plain;           /* k-means on unscaled rows: eigenvectors times the roots of eigenvalues */
    const double *weight; /* [n] number of rows for which row n stands, or NULL: 1 */
    /* [n] bit c: class c is allowed; never 0; or NULL.  Rows with one bit seed the clusters and name them. */
    const uint64_t *allowed;
    const double *nodes; /* [P x r] vectors of the classes, or NULL */
    int64_t restarts;    /* of k-means; 0: 10 */
    uint64_t seed;
} wlab_rounding;

/* label [n] in 0..P-1: the allowed class with the largest score.  score [n x P] (or NULL): minus the squared distance
 * to the cluster's centre, or the rotated coordinate, or <v_n, node_k>.  Cost n r^2 + r^3, plus that of k-means. */
wlab_code wlab_round(const wlab_rounding *, int32_t *label, double *score, wlab_ctx *, wlab_err *);

#endif
