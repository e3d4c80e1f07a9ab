/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures into files and onto the terminal as text.
 */
#ifndef PLOT_SAVE_H
#define PLOT_SAVE_H

#include "plot/draw/render.h"
#include "plot/figure.h"
#include "session/session.h"

/* The kind of image that the ending of `path` names; WL_EARG: none. */
wlab_code wlab_image_of(const char *path, wlab_image *, wlab_err *);
/* The image `to`, and beside it the .dat and the .gp that rebuild it, which are written first: they stay when gnuplot
 * fails.  name: of the view, for JSON.  times: the data hold times, which never come back: the record has no hash. */
wlab_code wlab_figure_save(wlab_session *, const wlab_figure *, const char *name, const char *to, bool times,
                           wlab_err *);
/* As text, drawn by gnuplot's dumb terminal. */
wlab_code wlab_figure_print(wlab_session *, const wlab_figure *, const char *name, wlab_err *);

#endif
