/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Excerpts of matrices over the instances, as pictures need them.
 */
#ifndef RUN_EXCERPT_H
#define RUN_EXCERPT_H

#include "weaklab/algo.h"

/* A matrix over some of a problem's instances, those of a class beside each other. */
typedef struct wlab_excerpt {
    int64_t n;
    /* [n] instances by truth, where they are sorted by it, then by label (in the order of wlab_label_index), those of
     * none last, then by number. */
    int32_t *row;
    int8_t *label; /* [n] */
    int8_t *truth; /* [n] 0: unknown; NULL: not sorted by it */
    double *value; /* [n x n] row-major; NULL: not computed */
} wlab_excerpt;
enum {
    WL_EXCERPT_MOST = 200 /* instances: more are no picture */
};
/* At most `most` instances, evenly of all in that order; value stays NULL.  by_truth: sorted by it where two true
 * classes are known: labels that were rounded from a matrix make blocks of whatever it is. */
wlab_code wlab_excerpt_choose(wlab_excerpt *, const wlab_problem *, const int8_t *labels, bool by_truth,
                              int64_t most, wlab_err *);
/* The same by truth, with the values of matrices[0] of an algorithm. */
wlab_code wlab_excerpt_matrix(wlab_excerpt *, const wlab_algo *, const void *state, const wlab_problem *,
                              const int8_t *labels, wlab_err *);
void wlab_excerpt_clear(wlab_excerpt *);

#endif
