/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The class prior pi of positive and unlabelled rows, estimated.
 *
 * The unlabelled rows are a sample of u = pi p+ + (1 - pi) p-, the labelled ones of p+.  So for every set A of places
 *
 *     pi <= u(A) / p+(A),   with equality if p-(A) = 0,
 *
 * and the smallest ratio estimates pi (Blanchard, Lee and Scott, JMLR 11, 2010).  The sets are {s >= c} for a score s
 * that is high where labelled rows are dense among the unlabelled ones; c is the one for which the upper confidence limit
 * of the ratio is smallest (Garg et al., NeurIPS 2021), chosen by four fifths of the rows and applied to the others, in
 * turn.  s is the ratio of two Parzen densities at the row, which leave the
 * row itself out, so that no row is scored by its own label:
 *
 *     s(x) = mean over P of k(x, .) / mean over U of k(x, .),   k Gaussian,
 *
 * with the one of four widths whose s ranks labelled rows before unlabelled ones best.
 */
#ifndef TASK_PRIOR_H
#define TASK_PRIOR_H

#include "weaklab/event.h"
#include "weaklab/matrix.h"

typedef struct wlab_prior {
    double prior; /* in (0, 1) */
    double lo,
        hi; /* the 95 % interval of the ratio at c (Katz et al. 1978), at most 1: one of pi only if the rows beyond c
                    * are all positive, else it is too large */
    double width;                 /* that was chosen, in medians of the distances */
    int64_t positive, unlabelled; /* how many rows of each are beyond c */
} wlab_prior;

/* visible [rows of X]: +1 labelled, 0 unlabelled.  Of more than 3000 rows it uses 3000, evenly spaced among each kind.  WL_EARG
 * with fewer than 5 rows of either kind.  WL_EINTERRUPTED.  Cost: n^2 d / 2, memory n^2 numbers. */
wlab_code wlab_prior_estimate(wlab_prior *, const wlab_matrix *X, const int8_t *visible, wlab_ctx *,
                              wlab_err *);

#endif
