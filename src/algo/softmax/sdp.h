/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp: the relaxation of Joulin and Bach (2012) on a task, then EM from its rounding.  What its parts share: the
 * problem's arrays (sdp_problem.c), points that stand for many rows (sdp_points.c), labels of a matrix (sdp_labels.c),
 * what is seen (sdp_report.c), snapshots (sdp_snapshot.c), the table and the steps (sdp.c).
 *
 * The relaxation is of *points*: the rows themselves, or (reduce=) groups or a subset of them.  EM is of all rows.
 */
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

/* Rows of the relaxation and of the EM that rates its roundings: borrowed from the problem where they are all rows. */
typedef struct sdp_points {
    int64_t n;
    double *X;         /* [n x d] */
    double *pi;        /* [n] */
    uint64_t *allowed; /* [n] */
    uint8_t *hard;     /* [n] or NULL */
    int32_t *bag;      /* [n] or NULL */
    int32_t *of;       /* [rows] the point that stands for a row, -1: none does; NULL: point n is row n */
    bool own;          /* the arrays are its own */
} sdp_points;

typedef struct sdp {
    wlab_problem *p; /* a reference */
    wlab_features *features;
    int64_t n; /* rows */
    int P;
    double lambda, eps;
    bool intercept, square, simplex, em;
    wlab_relax_inner inner;
    bool best;                   /* of several roundings and of all steps, the labels with the smallest f */
    wlab_rounding_kind rounding; /* else this one, and the newest */
    uint64_t seed;
    wlab_softmax_rows rows; /* of all rows */
    sdp_points points;
    /* the relaxation's problem, of points */
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
    wlab_em *full; /* on all rows; = part where the points are the rows */
    /* ---- snapshot ---- */
    bool relaxed, begun_em, middle, finished; /* middle: between E- and M-step */
    bool reset;                               /* lambda was changed, and no step made since */
    bool pending;                             /* the relaxation took a step whose labels are not made yet */
    int64_t step, em_steps, flips, best_step; /* best_step: the one whose labels have f = integer_upper */
    double objective, upper, lower, integer_upper, seconds, before;
    double
        share; /* of Z's trace that as many eigenvalues have as a labeling's Z would; NaN before the relaxation's end */
    double entropy;
    int32_t *label;      /* [groups] the newest rounding */
    double *score;       /* [groups x P] what it was rounded from */
    double best_f;       /* the smallest f of a rounding at this lambda; NaN: none yet */
    int32_t *best_label; /* [groups] its labels, where `best` */
    double *best_score;  /* [groups x P] */
    int8_t *shown;       /* [rows] labels */
    bool rounded;
} sdp;

/* The relaxation ended without its tolerance. */
static inline bool sdp_stalled(const sdp *s)
{
    return s->relaxed && wlab_relax_state(s->relax) == WL_RELAX_STALLED;
}

extern const wlab_metric_info sdp_metrics[];
extern const wlab_probe sdp_probes[];

/* ---- sdp_problem.c ---- */
/* Groups, nodes, class vectors and pairs of the points. */
wlab_code sdp_groups(sdp *, bool link_rows, wlab_err *);

/* ---- sdp_points.c ---- */
/* At most `most` points for the rows; point n is row n where there are no more rows than that. */
wlab_code sdp_points_make(sdp *, sdp_reduce, int64_t most, wlab_ctx *, wlab_err *);
void sdp_points_clear(sdp_points *);

/* ---- sdp_labels.c ---- */
/* Behind an accepted step: labels, and what they cost. */
wlab_code sdp_settle(sdp *, wlab_ctx *, wlab_err *);
/* f of the labels of the step that is being made: the smallest is integer_upper. */
void sdp_rate(sdp *, double f);

/* ---- sdp_report.c ---- */
void sdp_observe(const void *state, double *metric, int8_t *labels);
void sdp_explain(const void *state, char *buf, size_t size);
void sdp_next(const void *state, char *buf, size_t size);

/* ---- sdp_snapshot.c ---- */
void sdp_walk(void *state, struct wlab_walk *);

#endif
