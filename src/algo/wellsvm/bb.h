/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of branch and bound, shared by its parts: the algorithm's descriptor (bb.c), the bounds of a node
 * (bb_node.c) and by a semidefinite program (bb_sdp.c), the labelings with a trained SVM (bb_pool.c), open nodes and snapshots (bb_tree.c), metrics and
 * explanations (bb_report.c).
 */
#ifndef WEAKLAB_ALGO_BB_H
#define WEAKLAB_ALGO_BB_H

#include "algo/wellsvm/wellsvm.h"
#include "solve/mmc/outputs.h"

/* A part of the label set: the labelings that agree with `decided`. */
typedef struct bb_node {
    double lower;    /* certified: no labeling of the node has a smaller objective */
    int64_t number;  /* nodes are numbered in the order of their creation; the root is 0 */
    int32_t depth;   /* number of branchings above the node */
    int32_t T;       /* number of labelings of the parent's working set that are in the node */
    bool relax_only; /* bound=sdp: its parent's semidefinite program was of no use */
    int8_t *decided; /* [n] the decided value, or WL_FREE */
    int32_t *known;  /* [T] indices of these labelings in the pool */
} bb_node;

typedef enum bb_end { /* how a node was closed */
    BB_BRANCHED,
    BB_SVM,     /* by the bound of the SVM of its decided examples */
    BB_RELAXED, /* by the bound of its relaxation */
    BB_SOLVED,  /* it held a single labeling, which was solved */
    BB_SDP,     /* by the bound of its semidefinite program */
    BB_ENDS,
    BB_OPEN = BB_ENDS /* it has not ended: rounds of its semidefinite program follow */
} bb_end;

typedef enum bb_bound {
    BB_BOUND_RELAXATION,
    BB_BOUND_SDP
} bb_bound;

/* The semidefinite program of a node, the newest one; saved in a snapshot. */
typedef struct bb_sdp {
    wlab_outputs *at; /* NULL: no node is between its rounds.  Else the node on top of the heap is */
    int32_t *known;   /* [count] indices in the pool of the labelings of its relaxation, for its children */
    int64_t count;
    double relaxed; /* the node's bound without it */
    int64_t pick;   /* the instance on which the node's relaxation would branch */
    double level;   /* upper, as its newest round knew it: the box holds for labelings up to it */
    double bound;   /* certified, in the scale of the objective; NaN: there was none */
    double width;   /* mean width of the box of the rows whose labels the node leaves open */
    int64_t rounds, rlt, secant, decided;
    double base, root; /* at the root: the bound without cuts, and with the cuts so far; NaN: not computed */
} bb_sdp;

typedef struct bb_state {
    wellsvm w;         /* K, costs, and the relaxation at the current node */
    wlab_problem view; /* the problem with the current node's labelings as its label set */
    double eps;
    int64_t max_nodes;
    uint64_t seed;
    bb_bound bound;
    wlab_form *form; /* of bound=sdp, else NULL; programs point to it, so it keeps its place */

    /* ---- saved in a snapshot ---- */
    int64_t count;  /* size of the pool, the labelings with a trained SVM */
    int8_t *y;      /* [cap x n] */
    double *value;  /* [cap] certified upper bounds of their objectives */
    double *floor;  /* [cap] certified lower bounds of their objectives */
    int64_t best;   /* index of the incumbent in the pool */
    well_point at;  /* the SVM of the incumbent */
    int64_t before; /* index of the incumbent at the start of the step */
    int64_t open;   /* number of nodes in the heap */
    bb_node **heap; /* [heap_cap] the smallest lower bound on top; ties: the deepest node, then the oldest */
    int64_t made;   /* created nodes */
    int64_t nodes;  /* closed nodes */
    int64_t ended[BB_ENDS];
    /* [levels] by depth, of the nodes that were bounded or closed: how many ended in each way, and the smallest lower
     * bound of those that were split [0] and of those that were closed [1] (HUGE_VAL: there is none) */
    int64_t (*ended_at)[BB_ENDS];
    double (*bound_at)[2];
    int64_t improved; /* how often a better incumbent was found */
    int64_t step, step_nodes;
    double step_gap;             /* the gap at the start of the step */
    double lower, upper, closed; /* closed: the smallest lower bound of the pruned nodes */
    double root;  /* the certified lower bound of the relaxation at the root; NaN: not computed */
    bb_node last; /* the last closed node, without its arrays */
    bb_end last_end;
    bb_sdp sdp;
    bool by_spread;    /* last_pick is by the semidefinite program */
    int64_t last_pick; /* the instance on which it was branched, or -1 */
    int64_t svms;
    bool in_step, finished;
    wlab_verdict verdict;
    double seconds;

    int64_t levels;        /* constant: the largest depth + 1 */
    int64_t cap, heap_cap; /* allocated entries of the pool and of the heap */
} bb_state;

/* The pruning threshold: a node whose lower bound is not below it has no labeling that is better than the incumbent by
 * more than the fraction eps. */
static inline double bb_prune_threshold(const bb_state *s)
{
    return s->upper - s->eps * fabs(s->upper);
}

/* ---- bb_pool.c ---- */
/* *at: the index of y in the pool.  If y is not in the pool, trains its SVM and adds it; y becomes the incumbent if
 * it is better. */
wlab_code bb_try(bb_state *, const int8_t *y, int64_t *at, wlab_ctx *, wlab_err *);
/* Local search from the incumbent: trains an SVM on the exchanges that look best at the incumbent's alpha, and
 * repeats this while they gain. */
wlab_code bb_improve(bb_state *, wlab_ctx *, wlab_err *);

/* ---- bb_node.c ---- */
/* The outcome of a unit on a node.  Nothing in it belongs to the state yet. */
typedef struct bb_outcome {
    bb_end end;
    double lower;      /* of the node */
    bb_node *child[2]; /* if BB_BRANCHED; either may be NULL */
    bb_sdp sdp;        /* if BB_OPEN, with new `at` and `known`; else these are NULL */
    double
        left_out; /* no labeling that is in the node but in no child has a smaller objective; HUGE_VAL: there is none */
} bb_outcome;
/* A unit on a node: bounds it, and closes it, splits it, or leaves it open for (more) rounds of its semidefinite program. */
wlab_code bb_node_unit(bb_state *, const bb_node *, bb_outcome *, wlab_ctx *, wlab_err *);
void bb_outcome_clear(bb_outcome *);
/* Below `node` with the decisions of `decided` [n]: *out is the child in which instance k (-1: none) has the value v, with
 * those labelings `known` [count] of the pool that it contains; NULL: no labeling is left. */
wlab_code bb_branch(bb_state *, const bb_node *node, const int8_t *decided, const int32_t *known,
                    int64_t count, int64_t k, int8_t v, bb_node **out, wlab_err *);

/* ---- bb_sdp.c ---- */
/* WL_EARG if the bound is not valid on this problem. */
wlab_code bb_sdp_check(const bb_state *, wlab_err *);
/* p->at: the program of the labelings of B with objectives up to p->level; no round has been made.  alpha, plain: as in outputs.h. */
wlab_code bb_sdp_create(const bb_state *, const wlab_labelset *B, const double *alpha, bool plain, bb_sdp *p,
                        wlab_err *);
/* The program of the node to which the view of the state is restricted. */
wlab_code bb_sdp_begin(bb_state *, const bb_node *, bb_outcome *, wlab_ctx *, wlab_err *);
/* One round of the program in s->sdp. */
wlab_code bb_sdp_round(bb_state *, const bb_node *, bb_outcome *, wlab_ctx *, wlab_err *);
void bb_sdp_clear(bb_sdp *);

/* ---- bb_tree.c ---- */
void bb_node_free(bb_node *);
/* A node below `parent` (NULL: the root) with space for `known` labelings; NULL: no memory. */
bb_node *bb_node_create(const bb_state *, const bb_node *parent, int64_t known);
/* Makes space for `more` nodes in the heap. */
wlab_code bb_reserve(bb_state *, int64_t more, wlab_err *);
void bb_push(bb_state *, bb_node *); /* after bb_reserve */
bb_node *bb_pop(bb_state *);
/* Frees what bb_walk replaces when it reads: nodes, pool, the best solution. */
void bb_forget(bb_state *);
void bb_walk(void *state, struct wlab_walk *);

/* ---- bb_report.c ---- */
extern const wlab_metric_info bb_metrics[];
extern const wlab_probe bb_probes[];
void bb_observe(const void *state, double *metric, int8_t *labels);
wlab_code bb_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
void bb_explain(const void *state, char *buf, size_t size);
void bb_next(const void *state, char *buf, size_t size);

#endif
