/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure: blocks of numbers with named columns, and how to draw them.  Views fill it; figure_write.c writes its
 * .dat and .gp.
 *
 * The functions that fill a figure return no error: when memory runs out they set `failed`, which the caller checks
 * once at the end.  `style` and `before` are gnuplot commands of our own; titles and labels may come from users.
 */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "weaklab/base.h"

enum {
    WL_FIG_TITLES = 6,
    WL_FIG_COLORS = 8 /* line styles 1..8 of plots/style.gp */
};

typedef struct wlab_block {
    char **about; /* lines of comment for the .dat */
    int nabout;
    char **column; /* names */
    int columns;
    double *value; /* [rows x columns] */
    int64_t rows;
    /* A block of several lines (a grid) has `scan` rows per line, and the .dat a blank line after each of these lines;
     * 0: the block is one line. */
    int64_t scan;
    int digits; /* significant digits in the .dat; 0: 17 */
    bool aside; /* a grid that wlab_figure_value does not read */
} wlab_block;

typedef enum wlab_draw {
    WL_D_POINTS,  /* marks */
    WL_D_LINES,   /* a line through the points, interrupted at a point without a value */
    WL_D_CURVE,   /* marks and a line */
    WL_D_BARS,    /* from `base` up to y; `width` wide, 0: a line */
    WL_D_IMAGE,   /* the values of a grid (column 3) as shades */
    WL_D_CONTOUR, /* the lines on which the values of a grid (column 3) equal `level` */
} wlab_draw;

/* What is drawn of a block, and how: gnuplot reads `style`, panes and rasters use the other fields. */
typedef struct wlab_series {
    int block; /* number of a block */
    wlab_draw draw;
    int x, y;     /* columns, from 1 */
    int lo, hi;   /* columns of the ends of the error bars; 0: none */
    bool shifted; /* `shift` is added to x */
    double shift, width;
    double base;   /* bars start here */
    bool positive; /* on a log axis: draw only values > 0 */
    struct {
        int column, value;
    } where[2]; /* [wheres] draw only rows in which every `column` has its `value` */
    int wheres;
    double level[2]; /* [levels] */
    int levels;
    const char *from; /* the datablock of a contour in scripts, "$zero" */
    int ink;          /* 1..7 (WL_INKS) */
    char mark;        /* a printable ASCII character */
    int dash;         /* 0: solid, 1: long, 2: short, 3: dots */
    char *title;      /* NULL: not in the legend */
    char *style;      /* "with lines ls 1" */
} wlab_series;

/* An event at x, which panes draw as a thin line (in scripts `before` draws it). */
typedef struct wlab_happening {
    double x;
    char *text;  /* "C2=0.5 after 3" */
    int ink;     /* ink of the run to which it happened; 0: there is only one run */
    bool beside; /* write the text beside the line, not in the legend, as there are many */
} wlab_happening;

typedef struct wlab_figure {
    int runs;   /* number of runs in it */
    bool text;  /* for the dumb terminal: no colours, few columns */
    bool latex; /* texts are typeset by LaTeX */
    bool small; /* for a narrow picture: what is written beside it needs more space */
    char *title[WL_FIG_TITLES];
    int titles;
    char *xlabel, *ylabel;
    bool names; /* the labels are names from the data, not words of our own */
    bool logx, logy;
    double xlo, xhi, ylo, yhi; /* ranges of everything drawn; NaN: nothing yet */
    bool whole_x;              /* x is a count: tics at integers */
    bool whole_y;
    bool fixed;      /* the axes span exactly xlo to xhi and ylo to yhi */
    bool zero_y;     /* y begins at 0 */
    double y_tics;   /* panes: no tics below this value; -inf: tics everywhere */
    wlab_buf before; /* commands before `plot` */
    wlab_block *block;
    int blocks;
    wlab_series *series;
    int nseries;
    wlab_happening *event;
    int events;
    bool failed;
    double scrap; /* wlab_figure_at of a failed figure points here */
} wlab_figure;

void wlab_figure_init(wlab_figure *, bool text);
void wlab_figure_clear(wlab_figure *);

void wlab_figure_title(wlab_figure *, const char *fmt, ...)
    WLAB_PRINTF(2, 3); /* adds a line; a long one is broken into several */
void wlab_figure_axes(wlab_figure *, const char *xlabel, const char *ylabel);
void wlab_figure_before(wlab_figure *, const char *fmt, ...) WLAB_PRINTF(2, 3);
/* Adds a block of rows x columns NaN.  Returns its number, or -1 (failed). */
int wlab_figure_block(wlab_figure *, int64_t rows, int columns);
void wlab_figure_about(wlab_figure *, int block, const char *fmt, ...) WLAB_PRINTF(3, 4);
void wlab_figure_column(wlab_figure *, int block, int column, const char *fmt, ...) WLAB_PRINTF(4, 5);
/* The address of a number of a block; of a scrap variable when the figure has failed.  Never NULL. */
double *wlab_figure_at(wlab_figure *, int block, int64_t row, int column);
/* Adds a copy of the series `like` with copies of title (NULL: none) and style. */
void wlab_figure_series(wlab_figure *, const wlab_series *like, const char *title, const char *style);
void wlab_figure_event(wlab_figure *, double x, int ink, const char *text);
/* Insert a row without values before row `at`, to interrupt a curve there. */
void wlab_figure_break(wlab_figure *, int block, int64_t at);
/* Widen the ranges to include the point.  A point with NaN, Inf or, on a log axis, a value <= 0 is ignored: false. */
bool wlab_figure_cover(wlab_figure *, double x, double y);
void wlab_figure_cover_x(wlab_figure *, double x);

/* ---- reading ---- */

/* The number of points of a series, missing ones included: for wlab_series_point, i counts from 0 up to below it.  0
 * for images and contours. */
int64_t wlab_series_points(const wlab_figure *, const wlab_series *);
/* Point i; false: it is not drawn (no value, filtered out).  Not for images and contours. */
bool wlab_series_point(const wlab_figure *, const wlab_series *, int64_t i, double *x, double *y);
/* The value of a grid (a block with `scan`) at its point nearest to (x, y); NaN: the figure has no grid (but one that is aside), or (x, y) is
 * outside it. */
double wlab_figure_value(const wlab_figure *, double x, double y);
/* The ranges of the axes, padded; always finite, lo < hi, and > 0 on a log axis.  false: the padded values exceed the
 * range of doubles, so a script should let gnuplot choose the range of y. */
bool wlab_figure_ranges(const wlab_figure *, double *xlo, double *xhi, double *ylo, double *yhi);
/* Thin the rows of long curves: divide the x axis into `columns` parts and keep, for every series, only the first, the
 * last, the lowest and the highest row of each part, and one row for each gap.  Blocks of at most 4 * columns rows,
 * grids, blocks whose series have filters and blocks that no series draws are unchanged. */
void wlab_figure_thin(wlab_figure *, int columns);

/* ---- writing ---- */
/* The common style: the text of plots/style.gp, with which every .gp begins. */
extern const char wlab_figure_style[];
/* Writes the .dat: plain columns, 17 digits unless the block sets fewer, NaN for a missing value, two blank lines
 * between blocks. */
wlab_code wlab_figure_dat(const wlab_figure *, wlab_buf *, wlab_err *);
#define WL_FIG_PICTURES                                                                                      \
    "\n# Pictures: " /* before the endings of the images that a script draws: "png, txt" */
/* Appends a text as a string expression of gnuplot that acts on neither gnuplot nor LaTeX. */
wlab_code wlab_figure_quote(const wlab_figure *, wlab_buf *, const char *text);
/* Appends the commands that draw the figure; its data are in `data`, a name in the script, from block number `block` on.
 * title: NULL: the figure's own; "": none.  papers: the axes are labelled in the notation of the papers, λ for lambda, and
 * take little space.  points: a factor for the sizes of points. */
wlab_code wlab_figure_body(const wlab_figure *, const char *data, int block, const char *title, bool papers,
                           double points, wlab_buf *out);
/* Appends wlab_figure_style, with that factor. */
wlab_code wlab_figure_put_style(wlab_buf *out, double points);
/* A script that draws it on `terminal`, with the data in it. */
wlab_code wlab_figure_script(const wlab_figure *, const char *terminal, wlab_buf *, wlab_err *);

#endif
