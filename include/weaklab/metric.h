/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metrics: the numbers that an algorithm has after each step.  A metric says what it is by its role.  Whatever shows,
 * compares or draws metrics asks for roles, and so works for an algorithm that it never heard of.
 */
#ifndef WEAKLAB_METRIC_H
#define WEAKLAB_METRIC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wlab_algo;

/* What a metric is.  An algorithm may have several metrics of one role: the first in its table counts. */
typedef enum wlab_role {
    WL_R_NONE,
    WL_R_OBJECTIVE, /* what the steps lower */
    WL_R_TARGET,    /* where the steps lower other functions on the way: the value of the one that is meant */
    WL_R_TARGET_BEST, /* the smallest of these so far */
    WL_R_BALANCED, /* the same function at a labeling with the prescribed number of negatives: Eq. 7 of SVMlin's paper, for
                      the bracket across algorithms */
    WL_R_TEMPERATURE, /* what falls from step to step; the objective has an entropy with this weight */
    WL_R_ENTROPY,     /* how undecided the labels are; 0: they are labels */
    WL_R_LEVEL,       /* another weight that the steps raise or lower */
    WL_R_LOWER,       /* certified: the optimum is not below it */
    WL_R_UPPER,       /* the optimum is not above it */
    WL_R_GAP,         /* upper - lower */
    WL_R_RELGAP,      /* gap / |upper|: what the verdict says is open */
    WL_R_INNER_GAP,   /* how exactly the problem inside the last step was solved */
    WL_R_INSIDE,      /* how far a half-done step is */
    WL_R_LABELING, /* the value of the best labeling found: an upper bound where `upper` is that of a relaxation */
    WL_R_BEST,        /* the smallest value of any restart */
    WL_R_VIOLATION,   /* by how much the newest constraint is violated */
    WL_R_BAG_ERROR,   /* how far the predicted proportions of bags are from the given ones */
    WL_R_DISTINCT,    /* restarts that have not come to the same labels */
    WL_R_FLIPS,       /* labels that the last step changed */
    WL_R_RESTART,     /* the number, from 1, of the restart that is shown */
    WL_R_STAGE,       /* above 0 in a later stage of the run, which has another objective */
    WL_R_CLASSIFIER,  /* the number, from 1, of the binary classifier that the step was one of */
    WL_R_ACTIVE,      /* how many things the model is made of */
    WL_R_WORKING_SET, /* of how many that are kept */
    WL_R_SECONDS,     /* time in the solver */
    WL_ROLES
} wlab_role;

enum {                 /* flags */
    WL_M_VOLATILE = 1, /* seconds and the like: in no digest, no hash */
    WL_M_COUNT = 2,    /* an integer */
    WL_M_DERIVED = 4,  /* follows from others: in no digest */
    WL_M_LINE = 8,     /* a column of the line that each step prints */
    WL_M_HEADER = 16,  /* in the dashboard's line of metrics */
    WL_M_SHOWN = WL_M_LINE | WL_M_HEADER,
    WL_M_LESS = 32,  /* the smaller the better, where the role does not say so */
    WL_M_BESIDE = 64 /* an inner gap that limits the gap: `plot gap` draws it too */
};

typedef struct wlab_metric_info {
    const char *name;
    wlab_role role;
    const char *unit; /* or NULL */
    bool log;         /* drawn on a log axis */
    unsigned flags;
    const char *label;    /* in the dashboard, where it is not the role's or the name: "C*" */
    const char *axis;     /* the title of an axis for a temperature or level: "temperature T" */
    const char *meaning;  /* one line */
    const char *equation; /* in the paper's notation, with where it stands; NULL: of a count or a time */
} wlab_metric_info;       /* tables end with name = NULL */

/* How a metric is shown, as its role says.  Orders: 1 comes first. */
typedef struct wlab_role_style {
    const char *name;
    const char *label;       /* in the dashboard, where there is room for seven columns, */
    const char *brief;       /* and where there is less */
    int line, width, digits; /* its order in the line of a step, its columns there, its significant digits */
    int header, room;        /* its order in the dashboard's line of metrics, the columns of its number */
    int pane;                /* its order where the pane `run` has too few lines for all */
    bool less;               /* the smaller the better */
} wlab_role_style;
wlab_role_style wlab_metric_style(const wlab_metric_info *);
/* What a column is called where an algorithm has no metric of this role. */
const char *wlab_role_name(wlab_role);

int wlab_metric_index(const struct wlab_algo *, const char *name); /* -1: none */
int wlab_metric_of(const struct wlab_algo *, wlab_role);           /* the first of this role; -1: none */
/* The metric of this role among `metric`, one for each of the algorithm's table; NaN: it has none. */
double wlab_metric_value(const struct wlab_algo *, const double *metric, wlab_role);
int wlab_metric_count(const struct wlab_algo *);
/* What the steps anneal: the temperature, else the level; -1: nothing. */
int wlab_metric_level(const struct wlab_algo *);
/* What `runs` and comparisons put beside other runs': the target, else the objective; -1: none. */
int wlab_metric_compared(const struct wlab_algo *);
/* The metrics with flag WL_M_LINE or WL_M_HEADER in the order of that place, at most `most`; how many. */
int wlab_metrics_shown(const struct wlab_algo *, unsigned flag, int *index, int most);
/* The first metric of any algorithm that has this name; NULL: none has. */
const wlab_metric_info *wlab_metric_named(const char *name);

#ifdef __cplusplus
}
#endif

#endif
