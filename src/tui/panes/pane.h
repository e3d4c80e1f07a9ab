/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes: each draws one thing of the current run into a rectangle of the canvas.  A pane's data come from mirrors, so
 * that it can be drawn while the run computes; its curves come as rasters, asked for beforehand.  One file for each pane,
 * NAME.c, which ends with its descriptor.
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

typedef enum wlab_side {
    WL_SIDE_ANY,
    WL_SIDE_LEFT,
    WL_SIDE_RIGHT
} wlab_side;

typedef struct wlab_pane {
    const char *name; /* "objective"; what `dashboard PANE` names */
    const char *summary;
    const char *also[3];              /* views of other names that are drawn in it, NULL-terminated */
    const wlab_view *view;            /* that draws it; NULL: text only */
    bool (*fits)(const wlab_scene *); /* NULL: always; boundary: data of two columns */
    /* Where the layout puts it (layout.c).  main: it is a picture for the top of the left column, where none with a smaller
     * number fits; 0: it is not.  side: its column where there are two (left: below the picture) or three (right).  rank:
     * its order among all others, 1 comes first.  weight: its share of the height of its column, 0: 10. */
    int main;
    wlab_side side;
    int rank, weight;
    /* The title for its frame, into buf. */
    void (*title)(const wlab_scene *, const wlab_picture *, char *buf, size_t size);
    /* with a view: where inside `inner` the raster goes (room for tics and legend taken off). */
    void (*plot_area)(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
    void (*draw)(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *inner);
} wlab_pane;
/* The registry: one line for each pane. */
#define WLAB_PANES(X)                                                                                        \
    X(boundary)                                                                                              \
    X(labels)                                                                                                \
    X(objective)                                                                                             \
    X(gap)                                                                                                   \
    X(flips)                                                                                                 \
    X(violation)                                                                                             \
    X(loss)                                                                                                  \
    X(run)                                                                                                   \
    X(weights)                                                                                               \
    X(bags)                                                                                                  \
    X(gram)                                                                                                  \
    X(proportions)                                                                                           \
    X(bagflips)                                                                                              \
    X(matrix)                                                                                                \
    X(scores)
#define WLAB_PANE_EXTERN(name) extern const wlab_pane wlab_pane_##name;
WLAB_PANES(WLAB_PANE_EXTERN)
#undef WLAB_PANE_EXTERN
enum {
#define WLAB_PANE_COUNT(name) +1
    WL_PANES = 0 WLAB_PANES(WLAB_PANE_COUNT)
#undef WLAB_PANE_COUNT
};
_Static_assert(WL_PANES <= 32, "which panes are hidden are bits of an unsigned");
extern const wlab_pane *const wlab_panes[]; /* NULL-terminated */
int wlab_pane_find(const char *name);       /* by its name, or that of a view that is drawn in it; -1: none */
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
