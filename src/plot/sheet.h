/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of figures: one figure or several side by side, their size, letters and titles.
 */
#ifndef PLOT_SHEET_H
#define PLOT_SHEET_H

#include "plot/figure.h"
#include "session/look.h"

typedef enum wlab_image {
    WL_PNG,
    WL_SVG,
    WL_PDF,
    WL_TXT,
    WL_TEX /* a file for \input in LaTeX, and a .pdf of the same name with the picture without its text */
} wlab_image;
extern const char *const wlab_image_names[]; /* "png", "svg", "pdf", "txt", "tex", NULL */

enum {
    WL_SHEET_MOST = 9,      /* figures in a file */
    WL_SHEET_TERMINAL = 200 /* bytes of a terminal's words */
};

typedef struct wlab_sheet {
    const wlab_figure *figure; /* [n] made for the kind of image: text for WL_TXT, latex for WL_TEX */
    const char *const *name;   /* [n] of their views */
    int n;
    wlab_image kind;
    wlab_look look;
} wlab_sheet;

/* One figure, in the style for the screen. */
wlab_sheet wlab_sheet_plain(const wlab_figure *, wlab_image);

/* The k-th terminal of gnuplot for a kind of image, in order of preference; NULL: there are no more. */
const char *wlab_terminal_of(wlab_image, int k);
/* The words after `set terminal` for this sheet on that terminal.  WL_EARG: a bitmap of this size would be too large. */
wlab_code wlab_sheet_terminal(const wlab_sheet *, const char *name, char words[WL_SHEET_TERMINAL],
                              wlab_err *);
/* The .dat of all figures, one after another; of several, the first line names the views. */
wlab_code wlab_sheet_dat(const wlab_sheet *, wlab_buf *, wlab_err *);
/* A script that draws the sheet, as wlab_figure_gp does one figure. */
wlab_code wlab_sheet_gp(const wlab_sheet *, const char *terminal, const char *data, const char *output,
                        const char *kinds, wlab_buf *, wlab_err *);

#endif
