/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Colour, shape and character of up to 64 classes, the same in pictures and panes.
 */
#ifndef PLOT_CLASSES_H
#define PLOT_CLASSES_H

#include "plot/figure.h"
#include "weaklab/task.h"

/* The ink (1..7) of a class by its index: inks repeat every seven classes, with another shape. */
int wlab_class_ink(int index);
/* A character: 'a' .. 'z' ('A' .. 'Z' for a row whose label is given), '0' .. '9', then others. */
char wlab_class_letter(int index, bool given);
/* gnuplot's number of a filled shape. */
int wlab_class_shape(int index);
/* The colour as 0xrrggbb: eight chosen colours, then hues between them; light: the fraction of white in the mixture, of
 * black if it is negative. */
unsigned wlab_class_color(int index, double light);
/* Find the blocks of equal labels in a list of n rows sorted by label, label[n]: fills begin[] with the first row of
 * each block, followed by n, and of[] with its label.  Returns the number of blocks, at most WL_CLASSES_MOST + 1. */
int wlab_class_blocks(const int8_t *label, int64_t n, int64_t *begin, int8_t *of);
/* The name of a label: of its class, or "cluster 3" ("cluster +1" if there are two; `eval` finds out which class it
 * is), or "none". */
const char *wlab_class_name(const wlab_problem *, int label);
/* The word before such a name: "class " if it is the name of a class, else "". */
const char *wlab_class_word(const wlab_problem *);
/* Draw lines across x (axes & 1) and y (axes & 2) where the class changes, and write the names of at most `most`
 * classes beside them; on y row 0 of the `n` rows is at the top.  truths: label[] are true classes, not labels. */
void wlab_class_frames(wlab_figure *, const wlab_problem *, const int8_t *label, bool truths, int64_t n,
                       int axes, int most);

#endif
