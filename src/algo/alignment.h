/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A start by kernel alignment: the best of some labelings that are drawn from the label set, by y'Ky.  All labelings of a
 * set have the same norm, so this is the order of the alignment y'Ky / (y'y ||K||_F) of the kernel matrix with yy'.
 */
#ifndef ALGO_ALIGNMENT_H
#define ALGO_ALIGNMENT_H

#include "weaklab/event.h"
#include "weaklab/labelset.h"

/* The parameter `tries` of algorithms with start=alignment. */
#define WLAB_TRIES_PARAM                                                                                     \
    {                                                                                                        \
        "tries", WL_P_INT, "20", 1, 100000, NULL, NULL,                                                      \
            "start=alignment: how many labelings are drawn for a start, of which the one with the largest "  \
            "y'Ky is taken",                                                                                 \
            0                                                                                                \
    }

/* *q = y'Ky for a labeling y. */
typedef wlab_code (*wlab_aligned_value)(void *data, const int8_t *y, double *q, wlab_ctx *, wlab_err *);

/* best [n]: of `tries` labelings drawn uniformly from B the first with the largest y'Ky, which *most receives, and *least
 * the smallest (either may be NULL).  `drawn` [n] is workspace.  After an error `best` is undefined, and rng has advanced.
 * WL_EINTERRUPTED. */
wlab_code wlab_aligned_labeling(const wlab_labelset *B, int64_t tries, wlab_rng *rng,
                                wlab_aligned_value value, void *data, int8_t *drawn, int8_t *best,
                                double *most, double *least, wlab_ctx *, wlab_err *);

#endif
