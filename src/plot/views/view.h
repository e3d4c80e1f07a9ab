/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Views: a view turns runs into a figure.  Each view has one file; views.c has what they share.
 */
#ifndef PLOT_VIEW_H
#define PLOT_VIEW_H

#include "plot/figure.h"
#include "session/command.h"

typedef enum wlab_axis {
    WL_VS_AUTO, /* not given: steps, or for views with WL_VIEW_LEVEL that quantity (wlab_view_draw) */
    WL_VS_ITER,
    WL_VS_INNER,
    WL_VS_SECONDS, /* volatile: in the .dat only on request */
    WL_VS_LEVEL    /* the quantity that an algorithm anneals: C*, T, lambda' */
} wlab_axis;
extern const char
    *const wlab_axis_names[];          /* from WL_VS_ITER on: "iter", "inner", "seconds", "level", NULL */
const char *wlab_axis_name(wlab_axis); /* not of WL_VS_AUTO */

typedef enum wlab_marks { /* which labels the marks of rows show (marks.h) */
    WL_MARKS_PREDICTION,
    WL_MARKS_LABELING,
    WL_MARKS_TRUTH
} wlab_marks;
extern const char *const wlab_marks_names[]; /* "prediction", "labeling", "truth", NULL */

/* The data of a run that views draw, from the run itself or from its mirror (a copy of the run's state for display,
 * which the session's thread can read while the solver's thread computes). */
typedef struct wlab_view_run {
    const char *name;
    int number; /* of the run: it determines colour and marks */
    wlab_problem *problem;
    const wlab_algo *algo;
    const wlab_params *params; /* at the start */
    const wlab_change *change; /* [changes] the parameters that `set` changed since */
    int changes;
    const void *state; /* the algorithm's state; NULL: the data are a mirror's */
    /* the mirror's model, after step model_iter; NULL: build it from `state` if not NULL */
    const wlab_model *model;
    int64_t model_iter;
    const wlab_trace_row *row; /* [rows], row 0 is the start */
    int64_t rows;
    int64_t scored[WL_HIDDEN_SETS];             /* the number of rows that each set scores; 0: not on */
    const int8_t *labels, *labels_before;       /* [problem->n] */
    int64_t labelings;                          /* of a mirror: its field `labelings` */
    wlab_marks marks;                           /* which labels these are, in a view with WL_VIEW_MARKS */
    const int8_t *predicted, *predicted_before; /* of a mirror, or NULL */
    const int8_t *labels_first;                 /* [problem->n] at the start */
    const wlab_shown *probe; /* [wlab_probe_count] of a mirror; NULL: compute from `state` */
} wlab_view_run;
wlab_view_run wlab_view_run_of(const wlab_run *);
wlab_view_run wlab_view_run_of_mirror(const wlab_mirror *);

typedef struct wlab_view_request {
    const wlab_view_run *run;
    int runs;
    wlab_axis vs; /* in views without an axis of steps anything but WL_VS_AUTO is an error */
    wlab_marks marks;
    wlab_ctx *ctx;
    /* A live picture leaves out what does not fit, and says so.  Curves keep the lowest and highest of the points that
     * fall into one of `columns` (0: all points).  `boundary` draws all labelled and flipped points and at most a few
     * thousand others, over a grid of grid_x x grid_y (0: 160 x 120).  `objective` of several runs has fewer curves if
     * there are few columns, and `gap` no second curve if there are few rows. */
    bool live;
    int columns, rows, grid_x, grid_y; /* rows of the plot, 0: not limited */
} wlab_view_request;

/* A view.  Its file ends with its descriptor; the list WLAB_VIEWS registers it. */
typedef struct wlab_view {
    const char *name, *summary; /* for help and completion */
    unsigned of;                /* WL_VIEW_ bits */
    wlab_probe_kind probe;      /* with WL_VIEW_PROBE or WL_VIEW_MAY_PROBE */
    /* Draws into an empty figure.  WL_ESTATE when there is nothing to draw. */
    wlab_code (*draw)(wlab_figure *, const wlab_view_request *, wlab_err *);
} wlab_view;
#define WLAB_VIEWS(X)                                                                                        \
    X(objective)                                                                                             \
    X(gap)                                                                                                   \
    X(flips)                                                                                                 \
    X(violation)                                                                                             \
    X(bagerror)                                                                                              \
    X(score)                                                                                                 \
    X(risk)                                                                                                  \
    X(mu)                                                                                                    \
    X(boundary)                                                                                              \
    X(projection)                                                                                            \
    X(loss)                                                                                                  \
    X(labels)                                                                                                \
    X(histogram)                                                                                             \
    X(bags)                                                                                                  \
    X(gram)                                                                                                  \
    X(tree)                                                                                                  \
    X(treebounds)                                                                                            \
    X(roi)                                                                                                   \
    X(proportions)                                                                                           \
    X(bagflips)                                                                                              \
    X(matrix)                                                                                                \
    X(kernel)                                                                                                \
    X(spectrum)                                                                                              \
    X(scores)                                                                                                \
    X(slice)                                                                                                 \
    X(cuts)                                                                                                  \
    X(landscape)                                                                                             \
    X(map)
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

/* Columns of block 0 of `bags`, one row per instance, for its pane. */
enum {
    WL_BAGS_PLACE,  /* the cell in the line of its bag, from 1; in long bags several instances share a cell */
    WL_BAGS_LINE,   /* of its bag, from 1 at the bottom */
    WL_BAGS_OUTPUT, /* NaN: no model */
    WL_BAGS_KIND, /* 1 truly positive, 2 key before the last step, 3 largest output, 4 key, 5 key with the largest output, 0 none of these */
    WL_BAGS_LABEL,
    WL_BAGS_BEFORE, /* the label before the last step */
    WL_BAGS_BAG,    /* number, from 1 */
    WL_BAGS_GIVEN,  /* the bag's given label (0, 1) or proportion of positives, 0 to 1; NaN: none */
    WL_BAGS_WRONG,  /* 1: a key instance that is truly negative, which the learner never observes */
    WL_BAGS_COLUMNS
};

/* Columns of block 0 of `proportions`, one row per bag, for its pane. */
enum {
    WL_PROPORTIONS_PLACE, /* from 1, in the order of the picture */
    WL_PROPORTIONS_BAG,   /* number, from 1 */
    WL_PROPORTIONS_ROWS,
    WL_PROPORTIONS_GIVEN,   /* given proportion of positives; NaN: none */
    WL_PROPORTIONS_LABELS,  /* fraction of positives among the newest labels */
    WL_PROPORTIONS_BEFORE,  /* the same before the last step */
    WL_PROPORTIONS_OUTPUTS, /* fraction of rows with output f > 0; NaN: no model */
    WL_PROPORTIONS_FLIPS,   /* rows whose label the last step changed */
    WL_PROPORTIONS_KIND,    /* number of rows of all bags at its point: 0 few, 1 medium, 2 many */
    WL_PROPORTIONS_COLUMNS
};

/* `boundary` of bags with proportions.  wrong: the label of a row whose label is not observed differs from the true
 * label, where that is known for scoring.  letter, if there are at most WL_BOUNDARY_BAGS bags, for such a row: p, q,
 * r, s by its bag; w, x, y, z if the label is wrong; a capital if it is +1; 0: there is no letter. */
enum {
    WL_BOUNDARY_BAGS = 4
};
bool wlab_boundary_lettered(const wlab_problem *); /* whether rows have letters */
/* Whether the label of row i is observed and `label`, that of the marks, is another one. */
bool wlab_boundary_otherwise(const wlab_problem *, int8_t label, int64_t i);
bool wlab_boundary_wrong(const wlab_problem *, int8_t label, int64_t i);
char wlab_boundary_letter(const wlab_problem *, int8_t label, int64_t i);

/* What a picture calls the bag of that number (wlab_problem_bag_number): its name, if all bags have names of at most `width`
 * characters that need no quotes, else the number.  Names in a file of bags are not shown. */
const char *wlab_view_bag(const wlab_problem *, int64_t number, size_t width, char text[24]);
/* Whether all scores of a run are by labels that the learner has. */
bool wlab_view_scores_given(const wlab_algo *);
/* WL_ESTATE if the data are spread over ranks and the view needs values of the rows, or a probe. */
wlab_code wlab_view_readable(const wlab_view *, const wlab_dataset *, wlab_err *);
/* Draw a view into an empty figure, and add what all views have in common: changes of parameters, binary classifiers,
 * thinning of live pictures.  WL_ESTATE if there is nothing to draw. */
wlab_code wlab_view_draw(const wlab_view *, wlab_figure *, const wlab_view_request *, wlab_err *);
/* Properties of a view. */
enum {
    WL_VIEW_ONE = 1,    /* it draws one run */
    WL_VIEW_STATE = 2,  /* it draws the current state: there is no axis of steps */
    WL_VIEW_MODEL = 4,  /* it needs the model */
    WL_VIEW_PROBE = 8,  /* it needs a probe of the kind `probe` */
    WL_VIEW_FIXED = 16, /* its x axis is fixed: no `vs` */
    WL_VIEW_LEVEL =
        128, /* its axis, if not given, is the level where the objective is that of the level (WL_R_BEST) */
    WL_VIEW_MAY_PROBE = 64, /* it draws the probe of the kind `probe`, if the algorithm has one */
    WL_VIEW_MARKS = 32,     /* its marks of rows are predictions, labels, or the truth */
    WL_VIEW_RECORDED = 512, /* it draws a probe that each step records */
    WL_VIEW_VALUES =
        256 /* it is nothing without the values of the rows, which data of `load ranks=all` lack */
};
/* Request that the run's mirror gets what the view needs: model, predictions, probe. */
void wlab_view_prepare(const wlab_view *, wlab_session *, int run_number);

/* ---- shared by the views ---- */
/* Points of the rows of `block` whose `column` has this value (column -1: all rows), at its first two columns: with `mark` in
 * a text picture and a pane, in gnuplot's `style` in an image. */
void wlab_view_points(wlab_figure *, int block, const char *title, int column, int value, char mark, int ink,
                      const char *style);
/* Titles: the view, the data and the task, then algorithm and parameters of each run. */
wlab_code wlab_view_titles(wlab_figure *, const wlab_view_request *, const char *view, wlab_err *);
/* The comment lines of a run's block in the .dat: run, data set, task. */
void wlab_view_about(wlab_figure *, int block, const char *view, const wlab_view_run *);
/* WL_ESTATE "nothing to draw yet: `step` first" unless each run has done a step. */
wlab_code wlab_view_stepped(const wlab_view_request *, wlab_err *);
/* For a view of one run: WL_EARG if several runs are requested, or `vs` although the view has no axis of steps.  axes:
 * what it has instead, "its axis is a row's output"; NULL: it has an axis of steps. */
wlab_code wlab_view_alone(const wlab_view_request *, const char *view, const char *axes, wlab_err *);
/* Compute the outputs f of rows pick[0..n-1] of the problem (NULL: all n) into out, with the run's model.  Only
 * WL_ENOMEM and WL_EINTERRUPTED are errors; otherwise, if there are no outputs, *have = false and `why` has the
 * reason. */
wlab_code wlab_view_outputs(const wlab_view_run *, const wlab_view_request *, const int32_t *pick, int64_t n,
                            double *out, bool *have, wlab_err *why, wlab_err *err);
/* The same for all rows of the data set, and the outputs *o of its bags, which the caller clears. */
wlab_code wlab_view_outputs_of_bags(const wlab_view_run *, const wlab_view_request *, double *out,
                                    wlab_bag_outputs *o, bool *have, wlab_err *why, wlab_err *err);
/* The values of the run's first probe of a kind, which it must have: the mirror's, or computed from the state into
 * *made, which the caller clears.  WL_ESTATE with the message at_pause: the mirror has no values before the next
 * pause. */
wlab_code wlab_view_probe(const wlab_view_run *, const wlab_view_request *, wlab_probe_kind,
                          const char *at_pause, wlab_shown *made, const wlab_shown **, wlab_err *);
/* Set the x axis by `vs`, and the label of y, to which "(log scale)" is added if logy. */
void wlab_view_axes(wlab_figure *, const wlab_view_request *, const char *ylabel, bool logy);
/* Add a block with the columns iter, inner and, with vs seconds or level, that one, and `more` others; *x: the column,
 * from 1, on the x axis; *first: the first of the others, from 0. */
wlab_code wlab_view_block(wlab_figure *, const wlab_view_request *, const wlab_view_run *, const char *view,
                          int more, int *block, int *x, int *first, wlab_err *);
/* Number of rows in which the metric of this role has a finite value; 0 if the algorithm has no such metric. */
int64_t wlab_view_values(const wlab_view_run *, wlab_role);
/* The rank of run r among the runs of the request by number.  Colour and marks follow it, so they are the same when
 * another run becomes the current one. */
int wlab_view_place(const wlab_view_request *, int r);
/* wlab_problems_differ of the first run and some other, or "other settings" of the objective, except those of the kernel;
 * NULL: neither, or other algorithms with equal settings that bound one problem (`certifies`). */
const char *wlab_view_differ(const wlab_view_run *, int runs);
/* A letter for each run: the first letter of its name, or, if two runs have the same, 'a', 'b', ... */
char wlab_view_letter(const wlab_view_request *, int r);
/* Whether a later change of the same parameter, after the same step, replaced change i of a run. */
bool wlab_view_undone(const wlab_view_run *, int i);
/* One class against the rest: interrupt the curves of a block (one row per row of the trace) where another binary
 * classifier begins. */
void wlab_view_break(wlab_figure *, int block, const wlab_view_run *);
/* Put metrics[0..n-1] of run r of the request into the .dat, and draw those whose bit is set in `show`.  Metrics
 * without any value are not drawn, nor points <= 0 on a log axis, which a title line reports.  Adds the number of
 * curves to *drawn. */
wlab_code wlab_view_curves(wlab_figure *, const wlab_view_request *, int r, const char *view,
                           const wlab_role *metrics, int n, unsigned show, int *drawn, wlab_err *);

#endif
