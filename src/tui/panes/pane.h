/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Panes: each draws one aspect of the current run into a rectangle of the canvas.  A pane's data come from mirrors
 * (session/mirror.h: copies of a run's state for display), so that it can be drawn while the run computes; its curves
 * are rasters requested beforehand.  One file for each pane, NAME.c, which ends with its descriptor.
 */
#ifndef TUI_PANE_H
#define TUI_PANE_H

#include "plot/draw/live.h"
#include "plot/views/view.h"
#include "tui/dashboard/canvas.h"

/* The data that panes draw. */
typedef struct wlab_scene {
    wlab_session *session;
    const wlab_mirror *mirror[8]; /* [0]: the current run; then the others of the last `compare` */
    int mirrors;                  /* 0: there is no run */
    const wlab_params *settings;
    bool ascii;          /* no UTF-8: ASCII frames, characters for curves */
    bool tints;          /* the theme shows backgrounds */
    int captions;        /* lines of `say` that the screen still shows */
    const char *command; /* the running command, NULL: none */
    bool stopping;       /* the user has interrupted the job, and it has not stopped yet */
} wlab_scene;

/* The picture of a pane that gnuplot draws. */
typedef struct wlab_picture {
    wlab_figure figure; /* what was drawn: ranges, series, titles; valid if has_figure */
    bool has_figure;
    wlab_raster raster;              /* its lines, possibly of the previous frame; cell NULL: none yet */
    int raster_columns, raster_rows; /* the requested size */
    char why[200];                   /* no figure: what to do ("nothing to draw yet: F5 makes a step") */
} wlab_picture;

typedef enum wlab_side {
    WL_SIDE_ANY,
    WL_SIDE_LEFT,
    WL_SIDE_RIGHT
} wlab_side;

typedef struct wlab_pane {
    const char *name; /* "objective"; the PANE of `dashboard zoom PANE` */
    const char *summary;
    const char *help;                 /* what it shows and what to watch, for `help PANE` */
    const char *also[3];              /* other views drawn in this pane, NULL-terminated */
    const wlab_view *view;            /* the view that draws it; NULL: text only */
    bool (*fits)(const wlab_scene *); /* NULL: always; boundary: data of two columns */
    /* Whether it has little to show at present, so that its place comes after those of the others; NULL: never. */
    bool (*little)(const wlab_scene *);
    /* Its place in the layout (layout.c).  main: the pane is a picture for the top of the left column, used if no
     * pane with a smaller number fits; 0: it is not.  side: its column if there are two (left: below the picture) or
     * three (right).  rank: its order among all others, 1 comes first.  weight: its weight in dividing the height of
     * its column, 0: 10. */
    int main;
    wlab_side side;
    int rank, weight;
    /* Write the title for its frame to buf. */
    void (*title)(const wlab_scene *, const wlab_picture *, char *buf, size_t size);
    /* With a view: the part of `inner` for the raster, without tics and legend. */
    void (*plot_area)(const wlab_scene *, const wlab_picture *, const wlab_rect *inner, wlab_rect *area);
    void (*draw)(const wlab_scene *, const wlab_picture *, wlab_canvas *, const wlab_rect *inner);
} wlab_pane;
/* The registry: one line for each pane. */
#define WLAB_PANES(X)                                                                                        \
    X(boundary)                                                                                              \
    X(projection)                                                                                            \
    X(labels)                                                                                                \
    X(histogram)                                                                                             \
    X(objective)                                                                                             \
    X(gap)                                                                                                   \
    X(flips)                                                                                                 \
    X(violation)                                                                                             \
    X(bagerror)                                                                                              \
    X(score)                                                                                                 \
    X(risk)                                                                                                  \
    X(loss)                                                                                                  \
    X(run)                                                                                                   \
    X(weights)                                                                                               \
    X(bags)                                                                                                  \
    X(gram)                                                                                                  \
    X(tree)                                                                                                  \
    X(treebounds)                                                                                            \
    X(proportions)                                                                                           \
    X(bagflips)                                                                                              \
    X(matrix)                                                                                                \
    X(scores)                                                                                                \
    X(slice)                                                                                                 \
    X(cuts)                                                                                                  \
    X(landscape)
#define WLAB_PANE_EXTERN(name) extern const wlab_pane wlab_pane_##name;
WLAB_PANES(WLAB_PANE_EXTERN)
#undef WLAB_PANE_EXTERN
enum {
#define WLAB_PANE_COUNT(name) +1
    WL_PANES = 0 WLAB_PANES(WLAB_PANE_COUNT)
#undef WLAB_PANE_COUNT
};
_Static_assert(WL_PANES <= 32, "the hidden panes are bits of an unsigned");
extern const wlab_pane *const wlab_panes[]; /* NULL-terminated */
int wlab_pane_find(const char *name);       /* by its name, or by that of a view drawn in it; -1: none */
/* The pane has something to draw, or says what to do. */
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
    bool small;         /* the screen has no space for panes, only for header, log and prompt */
    wlab_rect header;   /* one line */
    wlab_rect metrics;  /* one line, if the pane `run` is not on every page; rows = 0: none */
    wlab_rect captions; /* the text of `say`; rows = 0: none, or no space */
    wlab_rect next;     /* one line: what the next step will do */
    wlab_rect text;     /* the log; the prompt is right below */
    wlab_rect prompt;   /* one line */
    wlab_rect keys;     /* the last line, of keys; may be empty */
    wlab_slot_place place[WL_MOST_PLACES];
    int places;
    /* all places together; a long answer takes it while it is read; = text if there is no pane */
    wlab_rect panes;
    int columns;   /* the number of pages that `column` counts: 1 if all panes are shown */
    char more[80]; /* the panes that the next column would show, "run, weights"; "" if all are shown */
} wlab_layout;
/* Lay out a screen.  hidden: bit set of panes switched off; zoom: the pane shown alone, or -1; column: the page shown
 * if not all panes fit (a key adds 1; taken modulo the number of pages).  Neighbouring places share the line between
 * them (wlab_canvas_frame joins it); nothing else overlaps. */
void wlab_layout_make(wlab_layout *, const wlab_scene *, int rows, int cols, unsigned hidden, int zoom,
                      int column);
/* The most lines of captions that a screen of this height has space for; 0: captions go to the log. */
int wlab_layout_most_captions(int rows);

/* If there is no run yet: the command that leads towards one. */
void wlab_pane_suggestion(const wlab_scene *, char *buf, size_t size);
/* The word for the state, "PAUSED", and its style. */
const char *wlab_pane_state(const wlab_scene *, int cols, char *buf, size_t size, wlab_style *);
/* The header line: data, task, algorithm with its parameters, step and state; the state is never cut. */
void wlab_pane_header(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* The most important metrics, in one line. */
void wlab_pane_metrics(const wlab_scene *, wlab_canvas *, const wlab_rect *);
/* Draws what the next step will do: "next: find the most violated labeling".  While the run computes, it draws the text
 * `running` instead, the work and its duration so far (NULL: only that it runs). */
void wlab_pane_next(const wlab_scene *, wlab_canvas *, const wlab_rect *, const char *running);

#endif
