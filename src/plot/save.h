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
/* Write the image `to`, and beside it the .dat and the .gp that rebuild it.  Those are written first, so they exist
 * even if gnuplot fails.  name: of the view, for JSON.  times: the data hold times, which a replay cannot reproduce, so
 * the record has no hash. */
wlab_code wlab_figure_save(wlab_session *, const wlab_figure *, const char *name, const char *to, bool times,
                           wlab_err *);
/* Print the figure as text, drawn by gnuplot's dumb terminal. */
wlab_code wlab_figure_print(wlab_session *, const wlab_figure *, const char *name, wlab_err *);

#endif
