/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drawing common to panes: facts of a run, messages, curves with axes and legend.
 */
#ifndef TUI_PANE_DRAW_H
#define TUI_PANE_DRAW_H

#include "tui/dashboard/number.h"
#include "tui/panes/pane.h"

/* Draw text in the middle of the rectangle, broken at blanks. */
void wlab_draw_message(wlab_canvas *, const wlab_rect *, wlab_style, const char *text);
/* Say that there is no run yet, and name an algorithm that solves the problem. */
void wlab_draw_no_run(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* In place of a missing figure: why it is missing, and what to do. */
void wlab_draw_no_figure(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *);
/* plot_area for panes that draw their figure themselves: the whole rectangle. */
void wlab_draw_all_area(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
/* A metric's name, or a shorter one if it is wider than `width` columns. */
const char *wlab_draw_short(const char *name, int width);
/* Draw text in at most `width` columns, cut with ".." or an ellipsis.  Returns the columns used. */
int wlab_draw_cut(const wlab_scene *, wlab_canvas *, const wlab_rect *, int col, int width, wlab_style,
                  const char *text);
/* Draw a guide to the first run over the whole rectangle, from its top left. */
void wlab_draw_guide(const wlab_scene *, wlab_canvas *, const wlab_rect *);

/* For `little`: all runs have ended after one step (svm, invcal), so a curve would be one point. */
bool wlab_scene_one_step(const wlab_scene *);
/* The value of the metric of this role in row `row` of the mirror; NaN if there is none. */
double wlab_mirror_metric(const wlab_mirror *, int64_t row, wlab_role);
/* How many rows of the trace have a finite value of it. */
int64_t wlab_mirror_values(const wlab_mirror *, wlab_role);
/* A parameter's current value: the one set since the start, else that at the start; NULL: none. */
const char *wlab_mirror_param(const wlab_mirror *, const char *name);
/* The mark of a row of the class: '+', 'o', or '.' for none. */
wchar_t wlab_class_mark(int sign);
/* The style of one of more than two classes, by its index; -1: none. */
wlab_style wlab_class_style(int index);

/* ---- curves (plot.c) ---- */
void wlab_plot_area(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
void wlab_plot_draw(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *inner);
/* Draw only the raster, into the area; styles[WL_INKS]: styles for its inks, NULL: the inks' own. */
void wlab_plot_raster(const wlab_picture *, wlab_canvas *, const wlab_rect *area, const wlab_style *styles);

#endif
