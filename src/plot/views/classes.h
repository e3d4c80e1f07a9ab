/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How up to 64 classes look: a colour, a shape and a character each, in pictures and panes alike.
 */
#ifndef PLOT_CLASSES_H
#define PLOT_CLASSES_H

#include "plot/figure.h"
#include "weaklab/task.h"

/* The ink (1..7) of a class by its index: it comes again every seven classes, with another shape. */
int wlab_class_ink(int index);
/* A character: 'a' .. 'z', '0' .. '9', then others; of a row whose label is given 'A' .. 'Z', from then on the same. */
char wlab_class_letter(int index, bool given);
/* gnuplot's number of a filled shape. */
int wlab_class_shape(int index);
/* "#rrggbb" as 0xrrggbb, eight that were chosen first, then hues between; light: mixed with white by that part, with
 * black where it is below 0. */
unsigned wlab_class_color(int index, double light);
/* Where a list of n rows sorted by label, label[n], changes class: fills begin[] with the first row of each block and
 * of[] with its label; n at the end of begin.  At most WL_CLASSES_MOST + 1 blocks; how many. */
int wlab_class_blocks(const int8_t *label, int64_t n, int64_t *begin, int8_t *of);
/* A name for a label: the class's, "cluster 3" ("cluster +1" of two: which class it is, is for `eval` to find), or
 * "none". */
const char *wlab_class_name(const wlab_problem *, int label);
/* "class " in front of such a name that is a class's, else "". */
const char *wlab_class_word(const wlab_problem *);
/* Lines through x (axes & 1) and y (axes & 2) where the class changes, and the classes' names beside them where there
 * is room for `most` of them; on y row 0 is on top of `n`.  truths: label[] are true classes, not labels. */
void wlab_class_frames(wlab_figure *, const wlab_problem *, const int8_t *label, bool truths, int64_t n,
                       int axes, int most);

#endif
