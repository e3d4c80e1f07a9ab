/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a figure to an image: gnuplot works in a temporary folder of its own, with fixed file names.
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

/* The preferred terminal, which a .gp names if there is no gnuplot to query. */
const char *wlab_render_terminal(wlab_image);
/* Draw the figure into `image`.  *terminal: the terminal that was used, for the .gp beside the image (if gnuplot cannot
 * be started, the preferred one).  folder: where the temporary folder is made (NULL: /tmp).  program, timeout_ms: as in
 * wlab_gnuplot_create.  Errors: WL_EIO from gnuplot or the system, WL_EARG if gnuplot has no terminal for the kind,
 * WL_EINTERRUPTED. */
wlab_code wlab_render(const wlab_figure *, wlab_image, const char *folder, const char *program,
                      int timeout_ms, const atomic_int *interrupt, const char **terminal, wlab_buf *image,
                      wlab_err *);

/* Draw the figure as SVG with a canvas of width x height units, in which letters are 14 high. */
wlab_code wlab_render_svg(const wlab_figure *, int width, int height, const atomic_int *interrupt,
                          wlab_buf *image, wlab_err *);

/* Draw the figure as a sixel picture of width x height pixels. */
wlab_code wlab_render_sixel(const wlab_figure *, int width, int height, const char *folder,
                            const char *program, const atomic_int *interrupt, wlab_buf *image, wlab_err *);

#endif
