/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a figure to an image: gnuplot works in a folder of its own, on file names that we made.
 */
#ifndef PLOT_RENDER_H
#define PLOT_RENDER_H

#include "plot/figure.h"
#include <stdatomic.h>

typedef enum wlab_image {
    WL_PNG,
    WL_SVG,
    WL_PDF,
    WL_TXT
} wlab_image;
extern const char *const wlab_image_names[]; /* "png", "svg", "pdf", "txt", NULL */

/* The terminal to try first: what a .gp names when there is no gnuplot to ask. */
const char *wlab_render_terminal(wlab_image);
/* Draw.  *terminal: the one that was used, for the .gp that goes beside the image (also set, to the first, when
 * gnuplot cannot be started).  folder: where the temporary folder is made (NULL: /tmp).  program, timeout_ms: as
 * wlab_gnuplot_create.  Errors: WL_EIO from gnuplot or the system, WL_EARG when it has no terminal for the kind. */
wlab_code wlab_render(const wlab_figure *, wlab_image, const char *folder, const char *program,
                      int timeout_ms, const atomic_int *interrupt, const char **terminal, wlab_buf *image,
                      wlab_err *);

/* As a sixel picture of width x height pixels. */
wlab_code wlab_render_sixel(const wlab_figure *, int width, int height, const char *folder,
                            const char *program, const atomic_int *interrupt, wlab_buf *image, wlab_err *);

#endif
