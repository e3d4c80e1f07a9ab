/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing figures into files, and printing them on the terminal as text.
 */
#ifndef PLOT_SAVE_H
#define PLOT_SAVE_H

#include "plot/draw/render.h"
#include "plot/figure.h"
#include "session/session.h"

/* The kind of image by the ending of `path`; WL_EARG: it names none. */
wlab_code wlab_image_of(const char *path, wlab_image *, wlab_err *);
/* Whether files of this kind are smaller than on the screen, by the setting figure= (wlab_figure.small). */
bool wlab_kind_small(const wlab_session *, wlab_image);
/* Write n figures side by side, at most WL_SHEET_MOST, into the image `to`, as the settings figure=, size=, title= and
 * font= say, and beside it the .dat and the .gp that rebuild it.  Those are written first, so they exist even if gnuplot
 * fails.  The figures are made for the kind of image (wlab_figure_init, `latex`).  name[n]: of the views.  times: the
 * data hold times, which a replay cannot reproduce, so the record has no hash. */
wlab_code wlab_figures_save(wlab_session *, const wlab_figure *, const char *const *name, int n,
                            const char *to, bool times, wlab_err *);
/* Print the figure as text, drawn by gnuplot's dumb terminal. */
wlab_code wlab_figure_print(wlab_session *, const wlab_figure *, const char *name, wlab_err *);

#endif
