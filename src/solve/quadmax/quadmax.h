/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * max over y in the label set B of y'Hy for a positive semidefinite H: exactly, or a certified upper bound.
 *
 * B is the group form of weaklab/labelset.h, so one method serves every task:
 *
 *   form.c     substitutes y_k = c_k + h_k z_k with z = +-1.  All fixed instances become one node; instances without
 *              weight (H_kk = 0) get none.
 *   shift.c    computes multipliers for z_k^2 = 1 and for products that the counts imply, such that the bound that
 *              they give, y'Hy <= total - z'Qz with z'Qz >= 0 on all of B, is smallest.  path.c selects the products
 *              that get multipliers; pairs.c solves Newton's equations if there are too many products to factor them.
 *   cuts.c     if the tree is large, chooses triangle inequalities that get multipliers too
 *   relax.c    maximises that concave function over the convex hull of the labelings at a node of the tree
 *   tree.c     runs branch and bound on this relaxation
 *   batch.c    searches parts with cuts on several threads
 *   quadmax.c  cuts B into parts, each with a tree of its own, and has the two public functions
 */
#ifndef WEAKLAB_ALGO_QUADMAX_H
#define WEAKLAB_ALGO_QUADMAX_H

#include "base/progress.h"
#include "weaklab/labelset.h"

typedef struct wlab_quadmax_result {
    double value;  /* y'Hy of the best labeling */
    double bound;  /* >= max over B of y'Hy, certified */
    bool optimal;  /* bound <= value + tolerance: the search was not cut short */
    int64_t nodes; /* visited tree nodes */
    int64_t parts; /* into which the search cut B, each with multipliers of its own */
} wlab_quadmax_result;

/* max over y in B of y'Hy, H_kl = a_k K_kl a_l (a = NULL: H = K), K [n x n] symmetric and positive semidefinite.
 * y [n]: on entry a labeling of B, the better the faster the search; on return the best labeling found.  y is
 * unchanged if none is better; instances with H_kk = 0 change only if the counts require it.
 * A subtree is pruned when its bound is at most the best value + tolerance, so bound <= max + tolerance.  A tolerance
 * below the rounding error of y'Hy is raised to it.  After `nodes` nodes the search stops and returns the best
 * labeling so far with optimal = false; its bound is valid.
 * The result has the same bits for any number of threads.  WL_EINTERRUPTED, WL_ENOMEM: y is unchanged.
 * Cost, with N free instances with weight: for the multipliers of each part about 20 iterations of 10 N^3 operations,
 * then N^2 per node; exponentially many nodes at worst. */
wlab_code wlab_quadmax(const wlab_labelset *B, const double *K, const double *a, double tolerance,
                       int64_t nodes, int8_t *y, wlab_quadmax_result *, wlab_ctx *, wlab_err *);
/* *bound >= max over B of y'Hy: the multipliers' bound alone, without a tree, to within `tolerance` of the best bound
 * that multipliers give (bags with many rows: to within a fraction 1e-4 of it).  HUGE_VAL: no bound was found. */
wlab_code wlab_quadmax_bound(const wlab_labelset *B, const double *K, const double *a, double tolerance,
                             double *bound, wlab_ctx *, wlab_err *);

/* ---- form.c ---- */

/* B and H in terms of z: node 0 is 1, the others are +-1.  Group g has the nodes start[g] .. start[g+1]-1, of which
 * between lo[g] and hi[g] are +1.  Groups whose counts force all or none of their nodes to +1 are left out. */
typedef struct quad_form {
    int64_t N, groups;
    int32_t *row;   /* [N] instance of each node; -1 for node 0 */
    int64_t *start; /* [groups + 1] start[0] = 1 */
    int64_t *lo, *hi;
    int8_t *forced; /* [n] +1 (high) or -1 (low) if an instance with weight is decided; else 0 */
    double *H;      /* [N x N] z'Hz = y'Hy */
} quad_form;

/* lo, hi [groups of B]: between lo[g] and hi[g] of the members with weight (H_kk > 0) of group g are +1, decided
 * members included; quad_counts computes the possible range.  decided [n]: +1 (high) or -1 (low) if decided, else
 * 0. */
wlab_code quad_form_create(quad_form *, const wlab_labelset *B, const double *K, const double *a,
                           const int64_t *lo, const int64_t *hi, const int8_t *decided, wlab_err *);
void quad_form_clear(quad_form *);
/* lo, hi [groups of B]: the range of the number of +1 among the members with weight; members without weight make up
 * the difference to the counts of B. */
void quad_counts(const wlab_labelset *B, const double *K, const double *a, int64_t *lo, int64_t *hi);
/* Whether instance k has weight: H_kk > 0. */
static inline bool quad_weighs(const wlab_labelset *B, const double *K, const double *a, int64_t k)
{
    return K[k * B->n + k] > 0 && (!a || a[k] != 0);
}

/* ---- cuts.c ---- */

enum {
    QUAD_CUT_NODES = 200, /* with more nodes there are no cuts: a search for them takes N^3 operations */
    QUAD_CUTS = 450       /* at most, since a matrix of the order N + cuts is factored */
};

/* A triangle inequality, (sum of sign[i] z_node[i])^2 >= 1.  It holds for every labeling, as three signs have an odd
 * sum. */
typedef struct quad_cut {
    int32_t node[3]; /* descending; in a part that waits the instances, -1 for node 0 */
    int8_t sign[3];
    int32_t was;      /* its position before quad_cuts_update, or -1 */
    double violation; /* by the Z for which it was chosen */
} quad_cut;

typedef struct quad_cuts {
    quad_cut *cut; /* NULL, or room for QUAD_CUTS */
    int64_t n;
} quad_cuts;

void quad_cuts_clear(quad_cuts *);
/* Replaces cuts that the second moments Z [N x N] of a relaxation satisfy with slack by some that they violate, most
 * violated first and not too many of one node.  *fresh: how many are new; 0 if there is no room for more. */
wlab_code quad_cuts_update(quad_cuts *, const quad_form *, const double *Z, int64_t *fresh, wlab_err *);
/* to = the cuts `from` of instances as cuts of the nodes of f, which may have fewer. */
wlab_code quad_cuts_to_nodes(quad_cuts *to, const quad_cuts *from, const quad_form *f, int64_t n, wlab_err *);
void quad_cuts_to_instances(quad_cuts *, const quad_form *);
wlab_code quad_cuts_copy(quad_cuts *to, const quad_cuts *from, wlab_err *);

/* ---- shift.c ---- */

typedef struct quad_shift {
    double *Q;     /* [N x N] */
    double total;  /* y'Hy <= total - z'Qz on all of B, and z'Qz >= 0 */
    double *range; /* [groups] multiplier of (1'z - L)(1'z - U) <= 0 */
    bool can_cut;  /* whether quad_shift_cut may improve it */
} quad_shift;

/* Ends when total is within `tolerance` of the best bound that multipliers give, or at most `threshold`.  With many
 * multipliers (pairs.c) it also ends within a tenth of total - threshold, or, if `threshold` is not finite, within
 * 1e-4 of the total. */
wlab_code quad_shift_solve(quad_shift *, const quad_form *, double threshold, double tolerance, wlab_ctx *,
                           wlab_err *);
/* The same with multipliers for cuts: those given and, in at most `rounds` rounds, others that the solution violates.
 * Rounds end when `total` is at most `threshold` or when they gain little.  The last one ends within a fifth of the
 * remaining total - threshold.  Each takes some 15 iterations of (N + cuts)^3 / 3 + 10 N^3 operations. */
wlab_code quad_shift_cut(quad_shift *, const quad_form *, double threshold, double tolerance, int rounds,
                         quad_cuts *, wlab_ctx *, wlab_err *);
void quad_shift_clear(quad_shift *);

/* ---- relax.c ---- */

/* A node of the tree: z in the convex hull of the labelings that agree with `mark`, lo and hi. */
typedef struct quad_node {
    double *z;        /* [N] */
    int8_t *mark;     /* [N] decided value, or 0 */
    int64_t *lo, *hi; /* [groups] how many are +1, the decided ones included */
} quad_node;

typedef struct quad_relax {
    const quad_form *form;
    const quad_shift *shift;
    double rounding;  /* an upper limit of the rounding error of a bound */
    double threshold; /* a node whose bound is at most this is pruned */
    double pruned;    /* the largest bound of a pruned labeling */
    bool precise;     /* go on with the ascent at nodes that cannot be pruned, for a better z */
    double *r;        /* [N] gradient -2Qz */
    double *diagonal; /* [N] of Q */
    double
        *curve; /* [N] d'Qd; d = e_k or, if the group's sum is fixed, e_k minus the mean of the group's e_j */
    double *
        pull; /* [groups] added to the gradient of the group's nodes because its count is known more narrowly */
    int64_t *ones, *undecided; /* [groups] */
    int32_t *open;  /* [N] from start[g] on: the undecided[g] undecided nodes of group g, ascending */
    int32_t *order; /* [N] the nodes, those of a group as they were sorted last */
    struct quad_ranked *ranked; /* [N] */
} quad_relax;

wlab_code quad_relax_create(quad_relax *, const quad_form *, const quad_shift *, wlab_err *);
void quad_relax_clear(quad_relax *);
/* Sets the root node: z is some point of the hull. */
void quad_relax_start(quad_relax *, quad_node *);
/* Decides node k and what follows for its group; moves z back into the hull. */
void quad_relax_decide(quad_relax *, quad_node *, int64_t k, int8_t value);
/* Restricts the number of +1 in group g to lo .. hi; moves z back into the hull. */
void quad_relax_count(quad_relax *, quad_node *, int64_t g, int64_t lo, int64_t hi);
/* The group whose undetermined count weakens the bound at z most; *loss: by how much.  -1: no group weakens it. */
int64_t quad_relax_uncertain_count(const quad_relax *, const quad_node *, double *loss);
/* An upper bound of y'Hy over the labelings below this node.  Also decides the nodes on which all labelings with a
 * value above `threshold` agree. */
double quad_relax_bound(quad_relax *, quad_node *);

/* ---- quadmax.c, tree.c, batch.c ---- */

typedef struct quad_part {
    int64_t *count;  /* [2 groups] lo, hi: the number of +1 among the members with weight of B's groups */
    int8_t *decided; /* [n] +1 (high) or -1 (low) if decided, else 0 */
    double bound;    /* of the part from which this one is cut */
    quad_cuts cuts;  /* of the part from which this one is cut */
    struct quad_part *next;
} quad_part;

typedef struct quad_search {
    const wlab_labelset *B;
    const double *K, *a;
    double tolerance, rounding, value; /* value: y'Hy of the best labeling so far */
    int64_t limit, nodes, parts;
    int64_t before_cuts; /* nodes before a tree that was given up leads to cuts */
    int8_t *y;           /* [n] the best labeling so far */
    double *r;           /* [n] workspace */
    double pruned;       /* the largest bound of a pruned labeling */
    quad_part *waiting;
    bool cut_short;
    bool hard;    /* a tree was given up, so parts get cuts */
    bool restart; /* and B is searched anew, as one part */
    wlab_ctx *ctx;
    wlab_progress *progress; /* of nodes */
    char unit[64];           /* its text */
} quad_search;

/* Records `bound`, an upper bound of labelings that the search skips. */
static inline void quad_prune(quad_search *s, double bound)
{
    s->pruned = bound > s->pruned ? bound : s->pruned;
}
/* The largest bound of the pruned labelings and the waiting parts, or the best value. */
double quad_open_bound(const quad_search *);
/* Shows `bound` beside the best value in the progress reports.  A copy of a search has no part in these. */
void quad_say(quad_search *, double bound);
/* Takes the part off the top of the stack. */
quad_part *quad_pop(quad_search *);
/* Makes the labeling z [N] of the nodes the best so far if its value is larger. */
wlab_code quad_try(quad_search *, const quad_form *, const int8_t *z, wlab_err *);
/* A cut of a part into two.  Both decide the nodes with a mark.  k > 0: node k is `sign` in one part and -sign in the
 * other.  k = -1 - g: at most `most` of group g's nodes are +1 in one part, more in the other. */
typedef struct quad_fork {
    const int8_t *mark; /* [N] */
    int64_t k, most;
    int8_t sign; /* of the part that is searched first; for a count -1 means "at most" */
    double bound;
} quad_fork;
wlab_code quad_divide(quad_search *, const quad_part *, const quad_form *, const quad_fork *, wlab_err *);
/* Searches all labelings of a part, whose bound is `root`.  After `patience` nodes the open subtrees become parts or, if
 * this is the first tree so large and cuts are possible, `hard` and `restart` are set. */
wlab_code quad_tree(quad_search *, const quad_part *, const quad_form *, const quad_shift *, double root,
                    int64_t patience, wlab_err *);

/* Gives a part multipliers and prunes it, divides it or searches it by a tree. */
wlab_code quad_search_part(quad_search *, quad_part *, wlab_err *);
void quad_free_parts(quad_part *);
/* quad_search_part for some waiting parts, which are taken off the stack, on ctx->pool's threads; `nodes`: as many as a
 * part visits at most. */
wlab_code quad_batch(quad_search *, int64_t nodes, wlab_err *);

/* wlab_quadmax with another number of nodes before parts get cuts. */
wlab_code quad_maximise(const wlab_labelset *B, const double *K, const double *a, double tolerance,
                        int64_t nodes, int64_t before_cuts, int8_t *y, wlab_quadmax_result *, wlab_ctx *,
                        wlab_err *);

#endif
