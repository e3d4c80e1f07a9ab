/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels of all rows over all steps, as a table of cells: a line is a few neighbouring rows, a column a few
 * consecutive steps.  These functions count, from a trace, what the view and the pane `labels` display.
 */
#ifndef PLOT_STRIP_H
#define PLOT_STRIP_H

#include "plot/views/view.h"

/* Numbers of the rows of a line by label after the last step of the cell, and of the flips in any of its steps: a row
 * that flips twice counts twice. */
typedef struct wlab_strip_cell {
    int64_t positive, negative;
    int64_t to_positive,
        to_negative; /* flips; to_negative: away from +1, so to 0 if labels mark key instances */
    /* More than two classes: the most frequent label (ties: the first), which `positive` counts, and the label to which
     * the last flip went; 0: none.  to_positive counts all flips. */
    int8_t label, to;
} wlab_strip_cell;

/* Whether a change from label `from` is a flip.  The first labels of an algorithm, which replace 0, are not, unless 0
 * is a label of the task (not a key instance). */
static inline bool wlab_strip_flips(const wlab_problem *p, int8_t from)
{
    return from != 0 || p->keys;
}

/* Count the steps [first, rows) of a trace, `stride` of them per column, into cell[columns x lines], columns =
 * ceil((rows - first) / stride), which the caller sets to 0.  line[n]: the line of an instance, from 0; most [columns]
 * (may be NULL): the most flips in one step of the column.  Cost: O(n + flips + steps lines).  WL_ENOMEM, without a
 * message, if memory runs out. */
wlab_code wlab_strip_count(const wlab_problem *, const int8_t *labels_first, const wlab_trace_row *row,
                           int64_t rows, int64_t first, int64_t stride, const int32_t *line, int64_t lines,
                           wlab_strip_cell *cell, int64_t *most);

/* The groups of sorted rows, from the top.  In a group rows are sorted by the number of steps with label +1 minus the
 * number with label -1; with more than two classes first by the newest label. */
typedef enum wlab_strip_group {
    WL_STRIP_GIVEN_POSITIVE, /* observed labels; mil: positive bags; llp: bags with a given proportion over 1/2 */
    WL_STRIP_POSITIVE,       /* truth */
    WL_STRIP_UNKNOWN,        /* llp: bags without a given proportion */
    WL_STRIP_NEGATIVE,
    WL_STRIP_GIVEN_NEGATIVE,
    WL_STRIP_GROUPS,
    /* More than two classes: for class k, from 1, group 2 k - 2 has the rows with that observed label, group 2 k - 1
     * the other rows with that true class; the last group has the rows whose truth is not known.  If there would be
     * more than WL_STRIP_GROUPS_MOST groups, all rows are in one group. */
    WL_STRIP_GROUPS_MOST = 160
} wlab_strip_group;

typedef struct wlab_strip_order {
    int32_t *line; /* [n] the line of an instance, from 0 at the top */
    /* number of lines; a group that is not empty has at least one, or lines / 50 if it has so many rows; no line has
     * rows of two groups */
    int64_t lines;
    int64_t *size;       /* [lines] rows */
    int64_t least, most; /* smallest and largest number of rows in a line */
    int groups;
    int64_t rows[WL_STRIP_GROUPS_MOST];      /* of each group */
    int64_t begin[WL_STRIP_GROUPS_MOST + 1]; /* the group's first line */
} wlab_strip_order;
/* Sort the rows into groups and lines.  With bags, rows are sorted by bag (positive bags first, then by number) instead
 * of by truth; ties: by row number.  At most `lines` lines (lines >= WL_STRIP_GROUPS_MOST).  O(n log n + flips). */
wlab_code wlab_strip_sort(wlab_strip_order *, const wlab_view_run *, int64_t lines, wlab_err *);
void wlab_strip_order_clear(wlab_strip_order *);

/* Lines of bags, those with the largest given proportion at the top (ties: by number; bags without one: last).
 * Neighbours share a line if there are more bags than lines. */
typedef struct wlab_strip_bag {
    int64_t lines;
    int32_t *line; /* [n] of an instance, from 0 at the top */
    int64_t *size; /* [lines] rows */
    int32_t *bag;  /* [lines] the first bag of each line */
} wlab_strip_bag;
wlab_code wlab_strip_bags(wlab_strip_bag *, const wlab_problem *, int64_t lines, wlab_err *);
void wlab_strip_bag_clear(wlab_strip_bag *);
/* The class of the fraction of a cell's labels that changed: 0 none, 1 less than a tenth, 2 less than a third, 3 a third or more. */
int wlab_strip_kind(int64_t flips, int64_t rows);

#endif
