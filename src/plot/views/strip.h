/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels of all rows over all steps, as a table of cells: a line is a few neighbouring rows, a column a few steps in
 * a row.  What the view and the pane `labels` show is counted here, from a trace.
 */
#ifndef PLOT_STRIP_H
#define PLOT_STRIP_H

#include "plot/views/view.h"

/* Rows of a line by their labels after the cell's last step, and the flips to either side in any of its steps: a row that
 * flips twice counts twice. */
typedef struct wlab_strip_cell {
    int64_t positive, negative;
    int64_t to_positive, to_negative; /* to_negative: away from +1, to 0 where key instances are labelled */
    /* More than two classes: the most frequent label (of equals the first), which `positive` counts, and the one that the
     * last flip, of `to_positive`, went to; 0: none. */
    int8_t label, to;
} wlab_strip_cell;

/* Whether a change from `from` is a flip: an algorithm's first labels, in place of 0, are none, unless the task has 0 as
 * a label (no key instance). */
static inline bool wlab_strip_flips(const wlab_problem *p, int8_t from)
{
    return from != 0 || p->task->keys;
}

/* Count the steps [first, rows) of a trace, `stride` of them a column, into cell[columns x lines], columns =
 * ceil((rows - first) / stride), all 0 before.  line[n]: the line of an instance, from 0; most [columns] (may be NULL):
 * the most flips in one step of the column.  Cost: n and all flips, and a line a step; NULL memory is WL_ENOMEM. */
wlab_code wlab_strip_count(const wlab_problem *, const int8_t *labels_first, const wlab_trace_row *row,
                           int64_t rows, int64_t first, int64_t stride, const int32_t *line, int64_t lines,
                           wlab_strip_cell *cell, int64_t *most);

/* How rows are sorted: groups from the top, a group's rows by the part of steps in which they were +1. */
typedef enum wlab_strip_group {
    WL_STRIP_GIVEN_POSITIVE, /* labels that are seen; of mil positive bags, of llp those told over 1/2 */
    WL_STRIP_POSITIVE,       /* truth */
    WL_STRIP_UNKNOWN,        /* of llp bags of which nothing is told */
    WL_STRIP_NEGATIVE,
    WL_STRIP_GIVEN_NEGATIVE,
    WL_STRIP_GROUPS,
    /* More than two classes: for label or truth k, from 1, group 2 k - 2 with the labels that are seen, and 2 k - 1 with
     * the others; then those whose truth is not known.  All are of that one where there would be more than MOST. */
    WL_STRIP_GROUPS_MOST = 160
} wlab_strip_group;

typedef struct wlab_strip_order {
    int32_t *line; /* [n] the line of an instance, from 0 at the top */
    int64_t
        lines; /* at least one a group that is not empty (lines / 50 if it has so many rows); no line has rows of two groups */
    int64_t *size;       /* [lines] rows */
    int64_t least, most; /* of them */
    int groups;
    int64_t rows[WL_STRIP_GROUPS_MOST];      /* of each group */
    int64_t begin[WL_STRIP_GROUPS_MOST + 1]; /* the group's first line */
} wlab_strip_order;
/* Sorted as above, with bags by bag (positive ones first, then by number) in place of groups of truth; ties by row
 * number.  At most `lines` lines (WL_STRIP_GROUPS_MOST or
 * more).  O(n log n) and all flips. */
wlab_code wlab_strip_sort(wlab_strip_order *, const wlab_view_run *, int64_t lines, wlab_err *);
void wlab_strip_order_clear(wlab_strip_order *);

/* Lines of bags, those with the largest proportion told on top (ties by number, of which nothing is told: last);
 * neighbours share a line where there are more bags than lines. */
typedef struct wlab_strip_bag {
    int64_t lines;
    int32_t *line; /* [n] of an instance, from 0 at the top */
    int64_t *size; /* [lines] rows */
    int32_t *bag;  /* [lines] the first bag of a line */
} wlab_strip_bag;
wlab_code wlab_strip_bags(wlab_strip_bag *, const wlab_problem *, int64_t lines, wlab_err *);
void wlab_strip_bag_clear(wlab_strip_bag *);
/* How many of a cell's labels changed: 0 none, 1 some, 2 a tenth, 3 a third or more. */
int wlab_strip_kind(int64_t flips, int64_t rows);

#endif
