/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Views: a view turns runs into a figure.  One file for each view; what they share is in views.c.
 */
#ifndef PLOT_VIEW_H
#define PLOT_VIEW_H

#include "plot/figure.h"
#include "session/command.h"

typedef enum wlab_axis {
    WL_VS_ITER,
    WL_VS_INNER,
    WL_VS_SECONDS, /* volatile: only on request is it in the .dat */
    WL_VS_LEVEL    /* what an algorithm anneals: C*, T, lambda' */
} wlab_axis;
extern const char *const wlab_axis_names[]; /* "iter", "inner", "seconds", "level", NULL */

typedef enum wlab_marks { /* marks.h: which labels the marks of rows show */
    WL_MARKS_PREDICTION,
    WL_MARKS_LABELING,
    WL_MARKS_TRUTH
} wlab_marks;
extern const char *const wlab_marks_names[]; /* "prediction", "labeling", "truth", NULL */

/* What views see of a run. */
typedef struct wlab_view_run {
    const char *name;
    int number; /* of the run: it decides on the run's colour and marks */
    wlab_problem *problem;
    const wlab_algo *algo;
    const wlab_params *params; /* as at the start */
    const wlab_change *change; /* [changes] and what `set` changed since */
    int changes;
    const void *state; /* NULL: of a mirror */
    const wlab_model
        *model; /* of a mirror, after step model_iter; NULL: made from `state`, if there is one */
    int64_t model_iter;
    const wlab_trace_row *row; /* [rows], row 0 is the start */
    int64_t rows;
    const int8_t *labels, *labels_before;       /* [problem->n] */
    int64_t labelings;                          /* of a mirror: as its own */
    wlab_marks marks;                           /* what these are, in a view with WL_VIEW_MARKS */
    const int8_t *predicted, *predicted_before; /* of a mirror, or NULL */
    const int8_t *labels_first;                 /* [problem->n] at the start */
    const wlab_shown *probe;                    /* [wlab_probe_count] of a mirror; NULL: made from `state` */
} wlab_view_run;
wlab_view_run wlab_view_run_of(const wlab_run *);
wlab_view_run wlab_view_run_of_mirror(const wlab_mirror *);

typedef struct wlab_view_request {
    const wlab_view_run *run;
    int runs;
    wlab_axis vs;
    bool vs_given; /* for views that have no such axis */
    wlab_marks marks;
    wlab_ctx *ctx;
    /* A live picture: it may leave out what it has no room for, and says so.  Curves keep the lowest and highest of the
     * points that fall into one of `columns` (0: all points); `boundary` has at most some thousand points, the labelled
     * and flipped ones among them, over a grid of grid_x x grid_y (0: 160 x 120); `objective` of several runs has fewer curves where there are few columns. */
    bool live;
    int columns, grid_x, grid_y;
} wlab_view_request;

/* A view.  One file for each, which ends with its descriptor; its line below is the registry. */
typedef struct wlab_view {
    const char *name, *summary; /* of help and completion */
    unsigned of;                /* WL_VIEW_ bits */
    wlab_probe_kind probe;      /* with WL_VIEW_PROBE */
    /* Draws into an empty figure.  WL_ESTATE when there is nothing to draw. */
    wlab_code (*draw)(wlab_figure *, const wlab_view_request *, wlab_err *);
} wlab_view;
#define WLAB_VIEWS(X)                                                                                        \
    X(objective)                                                                                             \
    X(gap)                                                                                                   \
    X(flips)                                                                                                 \
    X(violation)                                                                                             \
    X(mu)                                                                                                    \
    X(boundary)                                                                                              \
    X(loss)                                                                                                  \
    X(labels)                                                                                                \
    X(bags)                                                                                                  \
    X(gram)                                                                                                  \
    X(roi)                                                                                                   \
    X(proportions)                                                                                           \
    X(bagflips)                                                                                              \
    X(matrix)                                                                                                \
    X(kernel)                                                                                                \
    X(spectrum)                                                                                              \
    X(scores)
#define WLAB_VIEW_EXTERN(name) extern const wlab_view wlab_view_##name;
WLAB_VIEWS(WLAB_VIEW_EXTERN)
#undef WLAB_VIEW_EXTERN
enum {
#define WLAB_VIEW_COUNT(name) +1
    WL_VIEWS = 0 WLAB_VIEWS(WLAB_VIEW_COUNT)
#undef WLAB_VIEW_COUNT
};
extern const wlab_view *const wlab_views[];        /* in that order, NULL-terminated */
const wlab_view *wlab_view_find(const char *name); /* NULL: none */

/* Columns of block 0 of `bags`, a row an instance, for its pane. */
enum {
    WL_BAGS_PLACE,  /* from 1, in its bag; in long bags several share one */
    WL_BAGS_LINE,   /* of its bag, from 1 at the bottom */
    WL_BAGS_OUTPUT, /* NaN: no model */
    WL_BAGS_KIND, /* 0 nothing, 1 truly positive, 2 key before the last step, 3 largest output, 4 key, 5 both */
    WL_BAGS_LABEL,
    WL_BAGS_BEFORE, /* the label before the last step */
    WL_BAGS_BAG,    /* number, from 1 */
    WL_BAGS_SHARE,  /* what is told of it: 0 to 1 */
    WL_BAGS_COLUMNS
};

/* Columns of block 0 of `proportions`, a row a bag, for its pane. */
enum {
    WL_PROPORTIONS_PLACE, /* from 1, in the order of the picture */
    WL_PROPORTIONS_BAG,   /* number, from 1 */
    WL_PROPORTIONS_ROWS,
    WL_PROPORTIONS_TOLD,    /* fractions of positives: told (NaN: nothing), */
    WL_PROPORTIONS_LABELS,  /* of the newest labels, */
    WL_PROPORTIONS_BEFORE,  /* of those before the last step, */
    WL_PROPORTIONS_OUTPUTS, /* of the predictions f > 0 (NaN: no model) */
    WL_PROPORTIONS_FLIPS,   /* rows whose label the last step changed */
    WL_PROPORTIONS_KIND,    /* rows of the bags at its point: 0 few, 1 middle, 2 many */
    WL_PROPORTIONS_COLUMNS
};

/* `boundary` of bags with proportions.  wrong: a free label that is not the one known for scoring.  letter: where the bags are few
 * (WL_BOUNDARY_BAGS), of a free row: p, q, r, s by its bag, w, x, y, z where it is wrong, a capital where the label is +1; 0:
 * no such row. */
enum {
    WL_BOUNDARY_BAGS = 4
};
bool wlab_boundary_lettered(const wlab_problem *); /* whether rows have letters at all */
bool wlab_boundary_wrong(const wlab_problem *, int8_t label, int64_t i);
char wlab_boundary_letter(const wlab_problem *, int8_t label, int64_t i);

/* Draw a view into an empty figure, with what all views have in common: changes of parameters, binary classifiers, thinning
 * of live pictures.  WL_ESTATE when there is nothing to draw. */
wlab_code wlab_view_draw(const wlab_view *, wlab_figure *, const wlab_view_request *, wlab_err *);
/* What a view is of. */
enum {
    WL_VIEW_ONE = 1,    /* one run */
    WL_VIEW_STATE = 2,  /* what is now: there is no axis of steps */
    WL_VIEW_MODEL = 4,  /* it needs the model, */
    WL_VIEW_PROBE = 8,  /* or a probe of the kind that stands in the table */
    WL_VIEW_FIXED = 16, /* its x axis is what it is: no `vs` */
    WL_VIEW_MARKS = 32  /* its marks of rows are predictions, labels, or the truth */
};
/* Have made, in a run's mirror, what the view needs. */
void wlab_view_want(const wlab_view *, wlab_session *, int run_number);

/* ---- shared by the views ---- */
/* Titles: the view, the data and the task, then algorithm and parameters of each run. */
wlab_code wlab_view_titles(wlab_figure *, const wlab_view_request *, const char *view, wlab_err *);
/* The comment lines of a run's block in the .dat: run, data set, task. */
void wlab_view_about(wlab_figure *, int block, const char *view, const wlab_view_run *);
/* Has each run done a step?  WL_ESTATE "nothing to draw yet: `step` first" otherwise. */
wlab_code wlab_view_stepped(const wlab_view_request *, wlab_err *);
/* WL_EARG where a view of one run is asked for more, or one without an axis of steps for `vs`; axes: what it has
 * instead, "its axis is a row's output". */
wlab_code wlab_view_alone(const wlab_view_request *, const char *view, const char *axes, wlab_err *);
/* The outputs f of rows pick[0..n-1] of the problem (NULL: all n), into out, with the run's model; *of: the step that
 * the model is of.  What stops it other than memory and interruption is no error: *have = false, and `why` says so. */
wlab_code wlab_view_outputs(const wlab_view_run *, const wlab_view_request *, const int32_t *pick, int64_t n,
                            double *out, bool *have, wlab_err *why, wlab_err *err);
/* The same of the rows of any matrix. */
wlab_code wlab_view_outputs_of(const wlab_view_run *, const wlab_view_request *, const wlab_matrix *X,
                               double *out, bool *have, wlab_err *why, wlab_err *err);
/* What the run's first probe of a kind, which it has, shows: of the mirror, or computed from the state into *made, which is
 * to be cleared.  WL_ESTATE: there is nothing yet; the mirror has nothing before the next pause, as at_pause says. */
wlab_code wlab_view_probe(const wlab_view_run *, const wlab_view_request *, wlab_probe_kind,
                          const char *at_pause, wlab_shown *made, const wlab_shown **, wlab_err *);
/* x axis from `vs`; y label as given, which a log axis adds to. */
void wlab_view_axes(wlab_figure *, const wlab_view_request *, const char *ylabel, bool logy);
/* A block with the columns iter, inner and, with vs seconds, seconds, and `more` others; *x: the column, from 1,
 * that goes on the x axis, *first: the first of the others, from 0. */
wlab_code wlab_view_block(wlab_figure *, const wlab_view_request *, const wlab_view_run *, const char *view,
                          int more, int *block, int *x, int *first, wlab_err *);
/* Number of rows in which the metric of this role has a finite value; 0 when the algorithm has none. */
int64_t wlab_view_values(const wlab_view_run *, wlab_role);
/* The place of run r of the request among its runs by their numbers: what its colour and marks follow, so that they stay
 * when another of them becomes the current one. */
int wlab_view_place(const wlab_view_request *, int r);
/* A letter for each run: its name's initial, or, where two have the same, 'a', 'b', ... */
char wlab_view_letter(const wlab_view_request *, int r);
/* Whether change i of a run is one that a later one of the same parameter, behind the same step, took back. */
bool wlab_view_undone(const wlab_view_run *, int i);
/* One against the rest: breaks in the curves of a block (a row a row of the trace) where another machine begins. */
void wlab_view_break(wlab_figure *, int block, const wlab_view_run *);
/* metrics[0..n-1] of run r of the request go into the .dat, those of the bits in `show` are drawn; those without
 * any value are left out, on a log axis also the points <= 0, which a title line says.  *drawn is added to. */
wlab_code wlab_view_curves(wlab_figure *, const wlab_view_request *, int r, const char *view,
                           const wlab_role *metrics, int n, unsigned show, int *drawn, wlab_err *);

#endif
