/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a figure to an image: gnuplot works in a temporary folder of its own, with fixed file names.
 */
#ifndef PLOT_RENDER_H
#define PLOT_RENDER_H

#include "plot/sheet.h"
#include <stdatomic.h>

/* Draw the figure into `image`, in the style for the screen.  folder: where the temporary folder is made (NULL: in $TMPDIR or /tmp).
 * program, timeout_ms: as in wlab_gnuplot_create.  Errors: WL_EIO from gnuplot or the system, WL_EARG if gnuplot has no
 * terminal for the kind, WL_EINTERRUPTED. */
wlab_code wlab_render(const wlab_figure *, wlab_image, const char *folder, const char *program,
                      int timeout_ms, const atomic_int *interrupt, wlab_buf *image, wlab_err *);
/* Draw a sheet.  words: those of the terminal that was used, for the .gp beside the image (if gnuplot cannot be started,
 * those of the preferred one; "": there is none for this size).  stem, part: for WL_TEX, the name of the file without
 * ending, which names the picture in it, and that picture (.pdf). */
wlab_code wlab_render_sheet(const wlab_sheet *, const char *stem, const char *folder,
                            const atomic_int *interrupt, char words[WL_SHEET_TERMINAL], wlab_buf *image,
                            wlab_buf *part, wlab_err *);

/* Draw the figure as SVG with a canvas of width x height units, in which letters are 14 high. */
wlab_code wlab_render_svg(const wlab_figure *, int width, int height, const atomic_int *interrupt,
                          wlab_buf *image, wlab_err *);

/* Draw the figure as a sixel picture of width x height pixels. */
wlab_code wlab_render_sixel(const wlab_figure *, int width, int height, const char *folder,
                            const char *program, const atomic_int *interrupt, wlab_buf *image, wlab_err *);

#endif
