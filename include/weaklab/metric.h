/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metrics: the numbers that an algorithm reports after each step.  The role of a metric says what the number is.  Code
 * that displays, compares or draws metrics selects them by role, so it works for every algorithm.
 */
#ifndef WEAKLAB_METRIC_H
#define WEAKLAB_METRIC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wlab_algo;

/* What a metric is.  If several metrics of an algorithm have the same role, the first in its table is used. */
typedef enum wlab_role {
    WL_R_NONE,
    WL_R_OBJECTIVE, /* the function that the steps decrease */
    WL_R_TARGET, /* the function that the algorithm is meant to minimise, if the steps decrease others on the way */
    WL_R_TARGET_BEST, /* the smallest value of the target so far */
    WL_R_BALANCED, /* the target at a labeling with the prescribed number of negatives: Eq. 7 of SVMlin's paper, for
                      the bracket across algorithms */
    WL_R_TEMPERATURE, /* the weight of an entropy in the objective, which decreases from step to step */
    WL_R_ENTROPY,     /* how undecided the soft labels are; 0: they are labels */
    WL_R_LEVEL,       /* another weight that the steps increase or decrease */
    WL_R_LOWER,       /* a certified lower bound on the optimum */
    WL_R_UPPER,       /* an upper bound on the optimum */
    WL_R_GAP,         /* upper - lower */
    WL_R_RELGAP,      /* gap / |upper|, which the verdict reports */
    WL_R_INNER_GAP,   /* the gap of the problem that the last step solved inside */
    WL_R_INSIDE,      /* how far an incomplete step has come */
    WL_R_LABELING, /* the objective of the best labeling found: an upper bound if `upper` is that of a relaxation */
    WL_R_BEST,          /* the smallest value of any restart */
    WL_R_VIOLATION,     /* by how much the newest constraint is violated */
    WL_R_RISK_POSITIVE, /* the part of an estimated risk that is due to positive rows */
    WL_R_RISK_NEGATIVE, /* and to negative ones; the true one is never below 0, the estimate may be */
    WL_R_BAG_ERROR,     /* how far the predicted proportions of bags are from the given ones */
    WL_R_DISTINCT,      /* restarts whose labels differ from those of all earlier restarts */
    WL_R_FLIPS,         /* labels that the last step changed */
    WL_R_RESTART,       /* the number, from 1, of the restart that is displayed */
    WL_R_STAGE,         /* above 0 in a later stage of the run, which has another objective */
    WL_R_CLASSIFIER,    /* the number, from 1, of the binary classifier that the step trained */
    WL_R_ACTIVE,        /* the number of elements (labelings, rows) with a nonzero weight in the model */
    WL_R_WORKING_SET,   /* the number of elements that are kept, with or without weight */
    WL_R_SECONDS,       /* time in the solver */
    /* Scores by labels that the learner never observes (wlab_run_score): of unlabelled rows, held-out rows, bags. */
    WL_R_HIDDEN,
    WL_R_HIDDEN_TEST,
    WL_R_HIDDEN_BAGS,
    WL_ROLES
} wlab_role;

enum {                 /* flags */
    WL_M_VOLATILE = 1, /* differs between equal runs, as times do: left out of digests */
    WL_M_COUNT = 2,    /* an integer */
    WL_M_DERIVED = 4,  /* follows from other metrics: left out of digests */
    WL_M_LINE = 8,     /* has a column in the line that each step prints */
    WL_M_HEADER = 16,  /* is in the dashboard's line of metrics */
    WL_M_SHOWN = WL_M_LINE | WL_M_HEADER,
    WL_M_LESS = 32, /* smaller is better; needed only if the role does not say so */
    WL_M_LAST =
        128, /* of a gap: it belongs to the objective of the last stage, and not to that of the first */
    WL_M_GIVEN = 256, /* a score by labels that the learner has */
    WL_M_BESIDE = 64  /* an inner gap that limits the gap: `plot gap` draws it too */
};

typedef struct wlab_metric_info {
    const char *name;
    wlab_role role;
    const char *unit; /* or NULL */
    bool log;         /* drawn on a log axis */
    unsigned flags;
    const char *label;   /* in the dashboard, if it is neither the role's label nor the name: "C*" */
    const char *axis;    /* the title of an axis for a temperature or level: "temperature T"; of a stage what
                            happens in it, for the line above its steps; its `label` is in figures */
    const char *meaning; /* one line */
    const char
        *equation;  /* in the paper's notation, with its place in the paper; NULL for counts and times */
} wlab_metric_info; /* tables end with name = NULL */

/* How a metric is displayed, by its role.  Orders: 1 comes first. */
typedef struct wlab_role_style {
    const char *name;
    const char *label;   /* in the dashboard, if seven columns are free */
    const char *brief;   /* in the dashboard, if fewer are free */
    const char *heading; /* of its column in the line of a step */
    int line, width,
        digits; /* in the line of a step: its order, its width in columns, its significant digits */
    int header, header_width; /* in the dashboard's line of metrics: its order, the columns of its number */
    int pane;                 /* its order in the pane `run` if that has too few lines for all */
    bool less;                /* smaller is better */
} wlab_role_style;
wlab_role_style wlab_metric_style(const wlab_metric_info *);
static inline bool wlab_role_is_hidden(wlab_role role)
{
    return role >= WL_R_HIDDEN && role <= WL_R_HIDDEN_BAGS;
}
/* The name of a column of this role for an algorithm that has no such metric. */
const char *wlab_role_name(wlab_role);

int wlab_metric_index(const struct wlab_algo *, const char *name); /* -1: none */
int wlab_metric_of(const struct wlab_algo *, wlab_role);           /* the first of this role; -1: none */
/* The value of the metric with this role in metric[], which is in the order of the algorithm's table; NaN: there is none. */
double wlab_metric_value(const struct wlab_algo *, const double *metric, wlab_role);
int wlab_metric_count(const struct wlab_algo *);
/* The stage of the run to which a step with these metrics belongs; 0: the first, or there are no others.  The bounds and
 * the gap belong to the objective of the first stage (WL_M_LAST: of the last one), and do not enclose that of another. */
int wlab_metric_stage(const struct wlab_algo *, const double *metric);
/* Whether metric number k is a gap, but not that of the objective of this step: beside the objective it would say that
 * the objective is certified. */
bool wlab_metric_gap_of_other(const struct wlab_algo *, const double *metric, int k);
/* The metric that the steps anneal: the temperature, else the level; -1: none. */
int wlab_metric_level(const struct wlab_algo *);
/* The metric by which `runs` and `compare` compare runs: the target, else the objective; -1: none. */
int wlab_metric_compared(const struct wlab_algo *);
/* Writes to index[] which metrics have the flag WL_M_LINE (or WL_M_HEADER), in the order in which that line has them,
 * at most `most`; returns how many. */
int wlab_metrics_shown(const struct wlab_algo *, unsigned flag, int *index, int most);
/* The first metric with this name in any algorithm's table; NULL: none. */
const wlab_metric_info *wlab_metric_named(const char *name);

#ifdef __cplusplus
}
#endif

#endif
