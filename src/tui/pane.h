/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes: each draws one thing of the current run into a rectangle of the canvas.  A pane's data come from mirrors, so
 * that it can be drawn while the run computes; its curves come as rasters, asked for beforehand.  One file a pane,
 * pane_*.c; panes.c holds the table.
 */
#ifndef TUI_PANE_H
#define TUI_PANE_H

#include "plot/live.h"
#include "plot/view.h"
#include "tui/canvas.h"

/* What panes see. */
typedef struct wlab_scene {
    wlab_session *session;
    const wlab_mirror *mirror[8]; /* [0]: the current run; then the others of the last `compare` */
    int mirrors;                  /* 0: there is no run */
    const wlab_params *settings;
    bool ascii; /* no UTF-8: ASCII frames, characters for curves */
    bool tints; /* the theme has grounds */
} wlab_scene;

/* The picture of a pane that gnuplot draws. */
typedef struct wlab_picture {
    wlab_figure figure; /* what was drawn: ranges, series, titles; has_figure */
    bool has_figure;
    wlab_raster raster;              /* the lines of it, maybe of the frame before; cell NULL: none yet */
    int raster_columns, raster_rows; /* what it was asked for */
    char why[200];                   /* no figure: what to do ("nothing to draw yet: F5 makes a step") */
} wlab_picture;

typedef struct wlab_pane {
    const char *name; /* "objective"; what `dashboard PANE` names */
    const char *summary;
    int view;                         /* number of the view that draws it, -1: text only */
    bool (*fits)(const wlab_scene *); /* NULL: always; boundary: data of two columns */
    /* The title for its frame, into buf. */
    void (*title)(const wlab_scene *, const wlab_picture *, char *buf, size_t size);
    /* view >= 0: where inside `inner` the raster goes (room for tics and legend taken off). */
    void (*plot_area)(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
    void (*draw)(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *inner);
} wlab_pane;
extern const wlab_pane *const wlab_panes[]; /* NULL-terminated */
int wlab_pane_find(const char *name);       /* -1: none */

/* ---- layout ---- */
typedef struct wlab_slot_place {
    int pane;       /* index into wlab_panes */
    wlab_rect rect; /* with its frame */
} wlab_slot_place;
enum {
    WL_MOST_PLACES = 12
};
typedef struct wlab_layout {
    bool small;       /* there is room for prompt and one status line only */
    wlab_rect header; /* one line */
    wlab_rect text;   /* the log, or help, in the place of... */
    wlab_rect next;   /* one line: what the next step will do */
    wlab_rect prompt; /* the last lines */
    wlab_rect keys;   /* one line of keys */
    wlab_slot_place place[WL_MOST_PLACES];
    int places;
    wlab_rect panes; /* all places together: the room that a long answer takes while it is read */
} wlab_layout;
/* Lay out a screen.  hidden: bit set of panes switched off; zoom: the pane that has all the room, or -1; column: which
 * folded column is shown where not all fit (grows by one with a key; taken modulo what there is). */
void wlab_layout_make(wlab_layout *, const wlab_scene *, int rows, int cols, unsigned hidden, int zoom,
                      int column);

/* The header line: data, task, algorithm with what matters, state. */
void wlab_pane_header(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* "next: find the most violated labeling"; while it runs, what goes on and for how long (text, given). */
void wlab_pane_next(const wlab_scene *, wlab_canvas *, const wlab_rect *, const char *running);

#endif
