/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of probes for display.  For a matrix over the instances this is an excerpt of some of them.
 */
#ifndef RUN_EXCERPT_H
#define RUN_EXCERPT_H

#include "weaklab/algo.h"

/* Some of a problem's instances, with those of a class next to each other. */
typedef struct wlab_excerpt {
    int64_t n;
    /* [n] instances, sorted by truth (if that is asked for), then by label, then by number.  Truths and labels are in
     * the order of wlab_label_index; unknown truths and instances without a label are last. */
    int32_t *row;
    int8_t *label; /* [n] */
    int8_t *truth; /* [n] 0: unknown; NULL: not sorted by truth */
} wlab_excerpt;
enum {
    WL_EXCERPT_MOST = 200 /* instances: a picture cannot show more */
};
/* Selects at most `most` instances, evenly spaced in that order.  by_truth: sort by truth first if at least two true
 * classes are known.  (If a matrix is sorted by labels that were rounded from it, it shows blocks in any case.) */
wlab_code wlab_excerpt_choose(wlab_excerpt *, const wlab_problem *, const int8_t *labels, bool by_truth,
                              int64_t most, wlab_err *);
void wlab_excerpt_clear(wlab_excerpt *);

/* The value of a probe, for display. */
typedef struct wlab_shown {
    wlab_probed value;
    wlab_excerpt over; /* of a matrix: the selected instances, sorted by truth; else empty */
    int64_t
        iter; /* the step after which the value was computed; -1: no value.  An older value than the run's state
                     * is kept until a newer one is computed */
    int64_t serial; /* of a mirror: its state_serial at the last request, even if that gave no value */
} wlab_shown;
/* Computes the probe's value; leaves `iter` and `serial` unchanged. */
wlab_code wlab_shown_get(wlab_shown *, const wlab_probe *, const void *state, const wlab_problem *,
                         const int8_t *labels, wlab_ctx *, wlab_err *);
void wlab_shown_clear(wlab_shown *);

#endif
