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

/* The leading eigenvectors of a Z, for several roundings of the same V, weights and coding. */
typedef struct wlab_leading {
    int64_t k;
    double *value; /* [k] eigenvalues in descending order; those of rounding errors are left out */
    double *row;   /* [n x k] the rows of V in the eigenvectors */
} wlab_leading;

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
    double *room; /* working memory of `space` doubles, used if it is large enough; or NULL */
    int64_t space;
    const wlab_leading *leading; /* as many as this rounding uses, or more; NULL: computed */
} wlab_rounding;

/* The leading `count` eigenvectors for V, weight and simplex.  Cost n r^2 + r^3; memory: 3 r^2
 * doubles, or `room` if it has space for r' r' + max(n r', wlab_eigen_room(r')), r' = r + 1. */
wlab_code wlab_leading_make(wlab_leading *, const wlab_rounding *, int64_t count, wlab_ctx *, wlab_err *);
void wlab_leading_clear(wlab_leading *);

/* label [n] in 0..P-1: the allowed class with the largest score.  score [n x P] (or NULL): minus the squared distance
 * to the cluster's centre, or the rotated coordinate, or <v_n, node_k>.  Cost that of the leading eigenvectors, if they are not given, plus
 * that of k-means. */
wlab_code wlab_round(const wlab_rounding *, int32_t *label, double *score, wlab_ctx *, wlab_err *);

#endif
