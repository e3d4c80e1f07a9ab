/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Branch and bound's state, shared by its parts: the table (bb.c), a node's bounds (bb_node.c), the labelings that got
 * an SVM (bb_pool.c), open nodes and snapshots (bb_tree.c), what is shown (bb_report.c).
 */
#ifndef WEAKLAB_ALGO_BB_H
#define WEAKLAB_ALGO_BB_H

#include "algo/wellsvm/wellsvm.h"

/* A part of B: the labelings that agree with `decided`. */
typedef struct bb_node {
    double lower;    /* certified: no labeling in it has a smaller objective */
    int64_t number;  /* nodes are numbered as they are made, the root is 0 */
    int32_t depth;   /* branchings above it */
    int32_t T;       /* of the labelings of its parent's working set, those that lie in it */
    int8_t *decided; /* [n] WL_FREE where nothing is */
    int32_t *known;  /* [T] in the pool */
} bb_node;

typedef enum bb_end { /* how a node was closed */
    BB_BRANCHED,
    BB_SVM,     /* by the SVM of its decided examples */
    BB_RELAXED, /* by its relaxation */
    BB_SOLVED,  /* a single labeling */
    BB_ENDS
} bb_end;

typedef struct bb_state {
    wellsvm w;         /* K, costs, and the relaxation at the node in hand */
    wlab_problem view; /* the problem with that node's labelings in place of B */
    double eps;
    int64_t max_nodes;
    uint64_t seed;

    /* ---- what a snapshot holds ---- */
    int64_t count;  /* the pool: labelings that got an SVM of their own */
    int8_t *y;      /* [room x n] */
    double *value;  /* [room] certified upper bounds of their objectives */
    double *floor;  /* [room] and lower ones */
    int64_t best;   /* the incumbent, in the pool */
    well_point at;  /* its SVM */
    int64_t before; /* the incumbent when the step began */
    int64_t open;   /* a heap: the smallest lower bound first, the deepest of equals, then the oldest */
    bb_node **heap; /* [heap_room] */
    int64_t made;   /* nodes made */
    int64_t nodes;  /* nodes closed */
    int64_t ended[BB_ENDS];
    int64_t improved; /* incumbents found */
    int64_t step, step_nodes;
    double step_gap;             /* when the step began */
    double lower, upper, closed; /* closed: the smallest lower bound of what was left */
    double root;                 /* the relaxation's certified lower bound at the root; NaN: not known */
    bb_node last;                /* the node closed last; its arrays are not kept */
    bb_end last_end;
    int64_t last_pick; /* the instance branched on, or -1 */
    int64_t svms, seen_svms;
    bool in_step, finished;
    wlab_verdict verdict;
    double seconds;

    int64_t room, heap_room;
} bb_state;

/* What an SVM's upper bound must lie below to be of use: the incumbent less eps of it. */
static inline double bb_enough(const bb_state *s)
{
    return s->upper - s->eps * fabs(s->upper);
}

/* ---- bb_pool.c ---- */
/* *at: where y is in the pool, after training its SVM where it was not there.  Takes it as the incumbent where it is
 * better. */
wlab_code bb_try(bb_state *, const int8_t *y, int64_t *at, wlab_ctx *, wlab_err *);
/* Exchanges that the incumbent's alpha speaks for, each with an SVM of its own, while they gain. */
wlab_code bb_improve(bb_state *, wlab_ctx *, wlab_err *);

/* ---- bb_node.c ---- */
/* One node: bounds it, and closes it or puts its two children (either may be NULL) into child. */
wlab_code bb_node_close(bb_state *, bb_node *, bb_node *child[2], bb_end *, wlab_ctx *, wlab_err *);

/* ---- bb_tree.c ---- */
void bb_node_free(bb_node *);
/* A node below `parent` (NULL: the root) with the arrays of its size. */
bb_node *bb_node_create(const bb_state *, const bb_node *parent, int64_t known);
wlab_code bb_room(bb_state *, int64_t more, wlab_err *);
void bb_push(bb_state *, bb_node *); /* there must be room */
bb_node *bb_pop(bb_state *);
/* Frees what a walk reads anew: nodes, labelings, the best solution. */
void bb_forget(bb_state *);
void bb_walk(void *state, struct wlab_walk *);

/* ---- bb_report.c ---- */
extern const wlab_metric_info bb_metrics[];
void bb_observe(const void *state, double *metric, int8_t *labels);
wlab_code bb_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
void bb_explain(const void *state, char *buf, size_t size);
void bb_next(const void *state, char *buf, size_t size);

#endif
