/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure: blocks of numbers with named columns, and how to draw them.  Views fill it; one writer makes the
 * .dat and the .gp of it.
 *
 * Filling functions never fail on their own: they set `failed` (memory ran out), looked at once at the end.
 * `style` and `before` are gnuplot written by our own code; titles and labels may come from users.
 */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "weaklab/base.h"

enum {
    WL_FIG_TITLES = 5,
    WL_FIG_COLORS = 8 /* line styles 1..8 of plots/style.gp */
};

typedef struct wlab_block {
    char **about; /* lines for the .dat's comments */
    int nabout;
    char **column; /* names */
    int columns;
    double *value; /* [rows x columns] */
    int64_t rows;
    int64_t scan; /* a grid, or lines: a blank line after every so many rows, where lines break; 0: none */
    int digits;   /* significant ones in the .dat; 0: 17 */
} wlab_block;

typedef enum wlab_draw {
    WL_D_POINTS,  /* marks */
    WL_D_LINES,   /* a line through the points, broken where one has no value */
    WL_D_CURVE,   /* both */
    WL_D_BARS,    /* from `base` up to y; `width` wide, 0: a line */
    WL_D_IMAGE,   /* a grid's values (column 3) as shades */
    WL_D_CONTOUR, /* where a grid's values (column 3) are `level` */
} wlab_draw;

/* What is drawn of a block, and how: for gnuplot in words (`style`), for panes and rasters in the rest. */
typedef struct wlab_series {
    int block; /* number of a block */
    wlab_draw draw;
    int x, y;     /* columns, from 1 */
    int lo, hi;   /* columns of an error bar's ends; 0: none */
    bool shifted; /* `shift` is added to x */
    double shift, width;
    double base;   /* bars rise from here */
    bool positive; /* a log axis: only what is > 0 */
    struct {
        int column, value;
    } where[2]; /* [wheres] only rows with column == value in all of them */
    int wheres;
    double level[2]; /* [levels] */
    int levels;
    const char *from; /* a contour's datablock in scripts, "$zero" */
    int ink;          /* 1..7 (WL_INKS) */
    char mark;        /* a printable ASCII character */
    int dash;         /* 0: solid, 1: long, 2: short, 3: dots */
    char *title;      /* NULL: not in the legend */
    char *style;      /* "with lines ls 1" */
} wlab_series;

/* Something that happened at x: for panes a thin line (scripts have theirs in `before`). */
typedef struct wlab_happening {
    double x;
    char *text;  /* "C2=0.5 after 3" */
    int ink;     /* of the run that it is of; 0: of the only one */
    bool beside; /* the text stands beside the line, not in the legend: there are many */
} wlab_happening;

typedef struct wlab_figure {
    int runs;  /* that it is of */
    bool text; /* for the dumb terminal: no colours, few columns */
    char *title[WL_FIG_TITLES];
    int titles;
    char *xlabel, *ylabel;
    bool logx, logy;
    double xlo, xhi, ylo, yhi; /* of all that is drawn; NaN: nothing yet */
    bool whole_x;              /* x counts: tics at integers */
    bool whole_y;
    bool fixed;      /* the ranges are exactly xlo.. and ylo.. */
    bool zero_y;     /* y begins at 0 */
    double y_tics;   /* panes: no tics below it; -inf: everywhere */
    wlab_buf before; /* commands before `plot` */
    wlab_block *block;
    int blocks;
    wlab_series *series;
    int nseries;
    wlab_happening *event;
    int events;
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
/* A series as `like` but with copies of title (NULL: none) and style. */
void wlab_figure_series(wlab_figure *, const wlab_series *like, const char *title, const char *style);
void wlab_figure_event(wlab_figure *, double x, int ink, const char *text);
/* A row without values in front of row `at`, where a curve breaks. */
void wlab_figure_break(wlab_figure *, int block, int64_t at);
/* Widen the ranges; NaN, Inf and, on a log axis, what is <= 0 are ignored.  Whether the point counts. */
bool wlab_figure_cover(wlab_figure *, double x, double y);
void wlab_figure_cover_x(wlab_figure *, double x);

/* ---- reading ---- */

/* Points of a series, missing ones included: i of wlab_series_point runs below it. */
int64_t wlab_series_points(const wlab_figure *, const wlab_series *);
/* Point i; false: it is not drawn (no value, filtered out).  Not for images and contours. */
bool wlab_series_point(const wlab_figure *, const wlab_series *, int64_t i, double *x, double *y);
/* The value of a grid (a block with `scan`) at its point nearest to (x, y); NaN: the figure has no grid. */
double wlab_figure_value(const wlab_figure *, double x, double y);
/* What the axes span, padded; in every case finite, lo < hi, and > 0 on a log axis.  false: the values reach the end
 * of the doubles, and a script had better let gnuplot choose y. */
bool wlab_figure_ranges(const wlab_figure *, double *xlo, double *xhi, double *ylo, double *yhi);
/* Leave out rows where more than four fall into one of `columns` parts of the x axis: for every series the first, the
 * last, the lowest and the highest of them stay.  Blocks with filters, grids and what no series draws stay
 * as they are. */
void wlab_figure_thin(wlab_figure *, int columns);

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
/* A script that draws it on `terminal`, with the data in it. */
wlab_code wlab_figure_script(const wlab_figure *, const char *terminal, wlab_buf *, wlab_err *);

#endif
