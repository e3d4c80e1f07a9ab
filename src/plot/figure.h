/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure: blocks of numbers with named columns, and how to draw them.  Views fill it; one writer makes the
 * .dat and the .gp of it.
 *
 * Filling functions never fail on their own: they set `failed` (memory ran out), looked at once at the end.
 * `using`, `style` and `before` are gnuplot written by our own code; titles and labels may come from users.
 */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "weaklab/base.h"

enum {
    WL_FIG_TITLES = 4,
    WL_FIG_COLORS = 8 /* line styles 1..8 of plots/style.gp */
};

typedef struct wlab_block {
    char **about; /* lines for the .dat's comments */
    int nabout;
    char **column; /* names */
    int columns;
    double *value; /* [rows x columns] */
    int64_t rows;
    int64_t scan; /* a grid: a blank line after every so many rows; 0: none */
    int digits;   /* significant ones in the .dat; 0: 17 */
} wlab_block;

typedef struct wlab_series {
    int block;           /* number of a block; -1: the datablock `from` that `before` makes */
    const char *from;    /* "$zero" */
    char *using, *style; /* "1:3", "with lines ls 1" */
    char *title;         /* NULL: not in the legend */
} wlab_series;

typedef struct wlab_figure {
    bool text; /* for the dumb terminal: no colours, few columns */
    char *title[WL_FIG_TITLES];
    int titles;
    char *xlabel, *ylabel;
    bool logy;
    double xlo, xhi, ylo, yhi; /* of all that is drawn; NaN: nothing yet */
    bool whole_x;              /* x counts: tics at integers */
    bool whole_y;
    bool fixed;      /* the ranges are exactly xlo.. and ylo.. */
    bool zero_y;     /* y begins at 0 */
    wlab_buf before; /* commands before `plot`; the data file's name is in `data` */
    wlab_block *block;
    int blocks;
    wlab_series *series;
    int nseries;
    bool failed;
    double scrap; /* what a failed figure is given to fill */
} wlab_figure;

void wlab_figure_init(wlab_figure *, bool text);
void wlab_figure_clear(wlab_figure *);

void wlab_figure_title(wlab_figure *, const char *fmt, ...)
    WLAB_PRINTF(2, 3); /* one more line, or several: long ones are broken */
void wlab_figure_axes(wlab_figure *, const char *xlabel, const char *ylabel);
void wlab_figure_before(wlab_figure *, const char *fmt, ...) WLAB_PRINTF(2, 3);
/* A new block with room for rows x columns NaN; its number, or -1 (failed). */
int wlab_figure_block(wlab_figure *, int64_t rows, int columns);
void wlab_figure_about(wlab_figure *, int block, const char *fmt, ...) WLAB_PRINTF(3, 4);
void wlab_figure_column(wlab_figure *, int block, int column, const char *fmt, ...) WLAB_PRINTF(4, 5);
/* Where a number stands; a scrap place when the figure has failed.  Never NULL. */
double *wlab_figure_at(wlab_figure *, int block, int64_t row, int column);
/* A series; title NULL: none. */
void wlab_figure_series(wlab_figure *, int block, const char *from, const char *title, const char *using,
                        const char *style);
/* Widen the ranges; NaN, Inf and, on a log axis, y <= 0 are ignored.  Whether the point counts. */
bool wlab_figure_cover(wlab_figure *, double x, double y);
void wlab_figure_cover_x(wlab_figure *, double x);

/* ---- writing ---- */
/* The common look: the text of plots/style.gp, with which every .gp begins. */
extern const char wlab_figure_style[];
/* Plain columns, 17 digits unless the block says fewer, NaN where there is no value; blocks are parted by two blank lines. */
wlab_code wlab_figure_dat(const wlab_figure *, wlab_buf *, wlab_err *);
#define WL_FIG_PICTURES "\n# Pictures: " /* what a script is for: "png, txt" */
/* A script that draws it from file `data` into file `output`, both beside the script.  `terminal`: what goes
 * after `set terminal`.  `kinds` (may be NULL): the endings of all images of these data, for its second line. */
wlab_code wlab_figure_gp(const wlab_figure *, const char *terminal, const char *data, const char *output,
                         const char *kinds, wlab_buf *, wlab_err *);

#endif
