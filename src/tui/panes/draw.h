/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What panes share: words of the run, messages, curves with axes and legend.
 */
#ifndef TUI_PANE_DRAW_H
#define TUI_PANE_DRAW_H

#include "tui/dashboard/number.h"
#include "tui/panes/pane.h"

/* Text broken at blanks, in the middle of the rectangle. */
void wlab_draw_message(wlab_canvas *, const wlab_rect *, wlab_style, const char *text);
/* That there is no run yet, and an algorithm that takes the problem. */
void wlab_draw_no_run(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* In place of a figure that there is not: why, and what to do. */
void wlab_draw_no_figure(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *);
/* plot_area of panes that draw their figure themselves: all there is. */
void wlab_draw_all_area(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
/* A metric's name, or a shorter one where it has less room than columns. */
const char *wlab_draw_short(const char *name, int room);
/* The whole rectangle as a guide to what has to come first; at its top left. */
void wlab_draw_guide(const wlab_scene *, wlab_canvas *, const wlab_rect *);

/* The value of the metric of this role in row `row` of the mirror; NaN where there is none. */
double wlab_mirror_metric(const wlab_mirror *, int64_t row, wlab_role);
/* Rows of the trace in which it has a finite value. */
int64_t wlab_mirror_values(const wlab_mirror *, wlab_role);
/* What a parameter is now: as changed since the start, else as at the start; NULL: none. */
const char *wlab_mirror_param(const wlab_mirror *, const char *name);
/* How a row of the class is marked: '+', 'o', '.' for none. */
wchar_t wlab_class_mark(int sign);
/* The same of one of more than two classes, by its index: a letter; -1: none. */
wlab_style wlab_class_style(int index);

/* ---- curves (plot.c) ---- */
void wlab_plot_area(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
void wlab_plot_draw(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *inner);
/* The raster alone, into the area; styles[WL_INKS] for its inks, NULL: the inks' own. */
void wlab_plot_raster(const wlab_picture *, wlab_canvas *, const wlab_rect *area, const wlab_style *styles);

#endif
