/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp: the convex relaxation of Joulin and Bach (2012) on a task, then EM from its rounding.  The state is
 * shared by its parts: the arrays of the relaxation (sdp_problem.c), points that represent many rows (sdp_points.c),
 * rounding of a matrix to labels (sdp_labels.c), metrics and explanations (sdp_report.c), snapshots (sdp_snapshot.c),
 * the table of the algorithm and its steps (sdp.c).
 *
 * The relaxation works on *points*: the rows themselves, or (reduce=) groups or a subset of them.  The EM after the
 * relaxation works on all rows. */
#ifndef ALGO_SDP_H
#define ALGO_SDP_H

#include "algo/softmax/rows.h"
#include "model/features.h"
#include "solve/relax/relax.h"
#include "solve/relax/rounding.h"
#include "solve/softmax/softmax.h"
#include "weaklab/algo.h"

typedef enum sdp_reduce {
    SDP_ALL,
    SDP_KMEANS,
    SDP_SUBSET
} sdp_reduce;

/* The points of the relaxation.  Its roundings are also rated on them: an M-step gives the f of their labels.  If the
 * points are all rows, the arrays are borrowed from `features` and `rows`. */
typedef struct sdp_points {
    int64_t n;
    double *X;         /* [n x d] */
    double *pi;        /* [n] */
    uint64_t *allowed; /* [n] */
    uint8_t *hard;     /* [n] or NULL */
    int32_t *bag;      /* [n] or NULL */
    int32_t *of;       /* [rows] the point that represents a row, -1: none does; NULL: point n is row n */
    bool own;          /* the arrays are not borrowed */
} sdp_points;

typedef struct sdp {
    wlab_problem *p; /* a reference */
    wlab_features *features;
    int64_t n; /* rows */
    int P;
    double lambda, eps;
    bool intercept, square, simplex, em;
    wlab_relax_inner inner;
    bool best; /* use the labels with the smallest f of several roundings and of all steps */
    wlab_rounding_kind rounding; /* else use this rounding of the newest step */
    uint64_t seed;
    wlab_softmax_rows rows; /* of all rows */
    sdp_points points;
    /* the problem of the relaxation: see wlab_relax_problem */
    int32_t *group, *node;
    int64_t groups, nodes, block;
    double *vertex; /* [P x block] */
    double c;
    wlab_relax_pair *pair;
    int64_t pairs;
    double *weight;          /* [groups] points in each */
    uint64_t *group_allowed; /* [groups] */
    wlab_relax *relax;
    wlab_em *part; /* on the points: rates roundings */
    wlab_em *full; /* on all rows; equal to part if the points are the rows */
    /* ---- snapshot ---- */
    bool relaxed, begun_em, middle, finished; /* middle: between E- and M-step */
    bool reset;                               /* lambda was changed, and no step has been made since */
    bool pending; /* the relaxation made a step that is not rounded to labels yet */
    int64_t step, em_steps, flips, best_step; /* best_step: the step whose labels have f = integer_upper */
    double objective, upper, lower, integer_upper, seconds, before;
    double leading; /* see leading_fraction() in sdp_labels.c; NaN before the relaxation ends */
    double entropy;
    int32_t *label;      /* [groups] the newest rounding */
    double *score;       /* [groups x P] the scores that were rounded to it */
    double best_f;       /* the smallest f of a rounding at this lambda; NaN: none yet */
    int32_t *best_label; /* [groups] its labels, if `best` */
    double *best_score;  /* [groups x P] */
    int8_t *shown;       /* [rows] displayed labels */
    bool rounded;
} sdp;

/* Whether the relaxation ended without reaching its tolerance. */
static inline bool sdp_stalled(const sdp *s)
{
    return s->relaxed && wlab_relax_state(s->relax) == WL_RELAX_STALLED;
}

extern const wlab_metric_info sdp_metrics[];
extern const wlab_probe sdp_probes[];

/* ---- sdp_problem.c ---- */
/* Sets groups, nodes, class vectors and pairs from the points; link_rows: links=rows. */
wlab_code sdp_groups(sdp *, bool link_rows, wlab_err *);

/* ---- sdp_points.c ---- */
/* Makes at most `most` points for the rows; point n is row n if there are no more rows than that. */
wlab_code sdp_points_make(sdp *, sdp_reduce, int64_t most, wlab_ctx *, wlab_err *);
void sdp_points_clear(sdp_points *);

/* ---- sdp_labels.c ---- */
/* Completes an accepted step of the relaxation: rounds it to labels, rates them, updates the metrics.  On an error
 * the state is unchanged. */
wlab_code sdp_finish_step(sdp *, wlab_ctx *, wlab_err *);
/* Updates integer_upper and best_step with f, that of the labels of the step that is being made. */
void sdp_rate(sdp *, double f);

/* ---- sdp_report.c ---- */
const char *sdp_certified(const wlab_params *, const double *metric, double *value);
void sdp_observe(const void *state, double *metric, int8_t *labels);
void sdp_explain(const void *state, char *buf, size_t size);
void sdp_next(const void *state, char *buf, size_t size);

/* ---- sdp_snapshot.c ---- */
void sdp_walk(void *state, struct wlab_walk *);

#endif
