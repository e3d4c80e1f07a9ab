/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Restarts that advance side by side: which of them are left once those whose labels have met are merged.
 */
#ifndef ALGO_RESTARTS_H
#define ALGO_RESTARTS_H

#include <stdbool.h>
#include <stdint.h>

/* What merging needs of one restart; the arrays and fields are the caller's. */
typedef struct wlab_restart {
    const int8_t *y; /* [n] its labels */
    double objective;
    int64_t *same_as; /* -1, or the restart that represents this one since a merge */
    bool *moving;     /* set to false when it is merged into another one */
} wlab_restart;

/* Whether a and b differ in at most `most` of n labels. */
bool wlab_labels_nearly_equal(const int8_t *a, const int8_t *b, int64_t n, int64_t most);
/* Whether a and -b do. */
bool wlab_labels_nearly_opposite(const int8_t *a, const int8_t *b, int64_t n, int64_t most);
/* Merges every two restarts whose labels differ in at most `most` rows (opposite: or differ so little from the opposite
 * labels, where the signs of labels have no meaning) into the one with the smaller objective, the first of equals, so that
 * no objective rises.  Returns how many restarts are left.  Cost: restarts^2 n at most. */
int64_t wlab_restarts_merge(const wlab_restart *r, int64_t restarts, int64_t n, int64_t most, bool opposite);

#endif
