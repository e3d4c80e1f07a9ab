/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes: each draws one thing of the current run into a rectangle of the canvas.  A pane's data come from mirrors, so
 * that it can be drawn while the run computes; its curves come as rasters, asked for beforehand.  One file a pane,
 * NAME.c; panes.c holds the table.
 */
#ifndef TUI_PANE_H
#define TUI_PANE_H

#include "plot/draw/live.h"
#include "plot/views/view.h"
#include "tui/dashboard/canvas.h"

/* What panes see. */
typedef struct wlab_scene {
    wlab_session *session;
    const wlab_mirror *mirror[8]; /* [0]: the current run; then the others of the last `compare` */
    int mirrors;                  /* 0: there is no run */
    const wlab_params *settings;
    bool ascii;          /* no UTF-8: ASCII frames, characters for curves */
    bool tints;          /* the theme has grounds */
    int captions;        /* lines that `say` said last and that stay in sight */
    const char *command; /* what is being carried out, NULL: nothing */
    bool stopping;       /* a person asked the job to stop, and it has not yet */
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
enum { /* the order of wlab_panes */
    WL_PANE_BOUNDARY,
    WL_PANE_LABELS,
    WL_PANE_OBJECTIVE,
    WL_PANE_GAP,
    WL_PANE_FLIPS,
    WL_PANE_VIOLATION,
    WL_PANE_LOSS,
    WL_PANE_RUN,
    WL_PANE_WEIGHTS,
    WL_PANE_BAGS,
    WL_PANE_GRAM,
    WL_PANE_PROPORTIONS,
    WL_PANE_BAGFLIPS,
    WL_PANE_MATRIX,
    WL_PANE_SCORES,
    WL_PANES
};
extern const wlab_pane *const wlab_panes[]; /* NULL-terminated */
int wlab_pane_find(const char *name);       /* mu and spectrum, views, are weights; -1: none */
/* There is something to draw in it, or it says what to do. */
bool wlab_pane_fits(int pane, const wlab_scene *);

/* ---- layout ---- */
typedef struct wlab_slot_place {
    int pane;       /* index into wlab_panes */
    wlab_rect rect; /* with its frame */
} wlab_slot_place;
enum {
    WL_MOST_PLACES = 12
};
typedef struct wlab_layout {
    bool small;         /* there is room for prompt and one status line (`header`) only */
    wlab_rect header;   /* one line */
    wlab_rect metrics;  /* one line in place of the pane `run`; rows = 0 where that is shown */
    wlab_rect captions; /* what `say` says; rows = 0: nothing is said, or no room */
    wlab_rect next;     /* one line: what the next step will do */
    wlab_rect text;     /* the log, or help; the prompt follows right below, and may grow into it */
    wlab_rect prompt;   /* one line */
    wlab_rect keys;     /* one line of keys, the last; maybe none */
    wlab_slot_place place[WL_MOST_PLACES];
    int places;
    wlab_rect
        panes; /* all places together: the room that a long answer takes while it is read; = text where there is
                        no pane */
    int columns;   /* what `column` counts through: 1 when all is shown */
    char more[80]; /* the panes that the next column would show, "run, weights"; "" when all is shown */
} wlab_layout;
/* Lay out a screen.  hidden: bit set of panes switched off; zoom: the pane that has all the room, or -1; column:
 * which folded column is shown where not all fit (grows by one with a key; taken modulo what there is).
 * Neighbouring places share the line between them (wlab_canvas_frame joins it); nothing else overlaps. */
void wlab_layout_make(wlab_layout *, const wlab_scene *, int rows, int cols, unsigned hidden, int zoom,
                      int column);

/* The word for the state, "PAUSED", and its style. */
/* The command that leads on where there is no run yet. */
void wlab_pane_suggestion(const wlab_scene *, char *buf, size_t size);
const char *wlab_pane_state(const wlab_scene *, int cols, char *buf, size_t size, wlab_style *);
/* The header line: data, task, algorithm with what matters, step and state; the latter always. */
void wlab_pane_header(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* The metrics that matter most, in one line. */
void wlab_pane_metrics(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* "next: find the most violated labeling"; while it runs, what goes on and for how long (text, given). */
void wlab_pane_next(const wlab_scene *, wlab_canvas *, const wlab_rect *, const char *running);

#endif
