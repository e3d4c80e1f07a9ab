/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a probe shows, as pictures need it: of a matrix over the instances an excerpt.
 */
#ifndef RUN_EXCERPT_H
#define RUN_EXCERPT_H

#include "weaklab/algo.h"

/* Some of a problem's instances, those of a class beside each other. */
typedef struct wlab_excerpt {
    int64_t n;
    /* [n] instances by truth, where they are sorted by it, then by label (in the order of wlab_label_index), those of
     * none last, then by number. */
    int32_t *row;
    int8_t *label; /* [n] */
    int8_t *truth; /* [n] 0: unknown; NULL: not sorted by it */
} wlab_excerpt;
enum {
    WL_EXCERPT_MOST = 200 /* instances: more are no picture */
};
/* At most `most` instances, evenly of all in that order.  by_truth: sorted by it where two true
 * classes are known: labels that were rounded from a matrix make blocks of whatever it is. */
wlab_code wlab_excerpt_choose(wlab_excerpt *, const wlab_problem *, const int8_t *labels, bool by_truth,
                              int64_t most, wlab_err *);
void wlab_excerpt_clear(wlab_excerpt *);

/* What a probe showed. */
typedef struct wlab_shown {
    wlab_probed value;
    wlab_excerpt over; /* of a matrix: the instances, chosen by truth; else empty */
    int64_t iter;      /* after that step; -1: nothing; may be an earlier one, never one that was given up */
    int64_t serial;    /* of a mirror: its state_serial when it was asked, whether it could be or not */
} wlab_shown;
/* `iter` and `serial` stay. */
wlab_code wlab_shown_get(wlab_shown *, const wlab_probe *, const void *state, const wlab_problem *,
                         const int8_t *labels, wlab_ctx *, wlab_err *);
void wlab_shown_clear(wlab_shown *);

#endif
