/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a matrix Z = VV' to labels (Section 4.3 of Joulin and Bach).
 */
#ifndef ALGO_ROUNDING_H
#define ALGO_ROUNDING_H

#include "weaklab/event.h"

typedef enum wlab_rounding_kind {
    /* k-means on the leading eigenvectors of Z, rows scaled to length 1 (Ng, Jordan and Weiss 2001), or plain */
    WL_ROUND_KMEANS,
    /* nothing random: the leading eigenvectors turned onto the axes, by rows that a QR decomposition with pivots picks
     * (Damle, Minden and Ying 2019); with class nodes: the class whose node is nearest, <v_n, node_k> */
    WL_ROUND_SPECTRAL
} wlab_rounding_kind;
extern const char *const wlab_rounding_names[]; /* "kmeans", "spectral", NULL */

typedef struct wlab_rounding {
    wlab_rounding_kind kind;
    int64_t n, r;
    const double *V; /* [n x r] */
    int P;           /* 2 .. 64 classes */
    /* Z is in simplex coding: 11'/P is added back, so that a labeling's Z has P eigenvectors. */
    bool simplex;
    int64_t k;  /* leading eigenvectors for k-means; 0: P */
    bool plain; /* k-means on rows as they are: not scaled to length 1, eigenvectors by their eigenvalues */
    const double *weight;    /* [n] how many rows row n stands for, or NULL: 1 */
    const uint64_t *allowed; /* [n] bit c, never 0, or NULL.  Rows with one bit seed and name the clusters */
    const double *nodes;     /* [P x r] vectors of the classes, or NULL */
    int64_t restarts;        /* of k-means; 0: 10 */
    uint64_t seed;
} wlab_rounding;

/* label [n] in 0..P-1, the best allowed of score [n x P] (NULL: not wanted): minus the squared distance to the cluster's
 * centre, or the turned coordinate, or <v_n, node_k>.  Cost n r^2 + r^3, and k-means'. */
wlab_code wlab_round(const wlab_rounding *, int32_t *label, double *score, wlab_ctx *, wlab_err *);

#endif
