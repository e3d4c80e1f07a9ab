/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * max over y in B of y'Hy for a positive semidefinite H, exactly or bounded with a certificate.
 *
 * B is the group form of weaklab/labelset.h, so one method serves every task:
 *
 *   form.c   y_k = c_k + h_k z_k with z = +-1; fixed instances are one node, those without weight none
 *   shift.c  the smallest bound that multipliers for z_k^2 = 1 (and for what the counts imply) give:
 *                    y'Hy <= total - z'Qz with Q psd where the counts hold; path.c: what gets multipliers,
 *                    pairs.c: Newton's equations where these are many
 *   relax.c  the maximum of that concave function over the convex hull of what is left of B
 *   tree.c   branch and bound on it
 *   quadmax.c        parts of B, each with a tree of its own; the two calls
 */
#ifndef WEAKLAB_ALGO_QUADMAX_H
#define WEAKLAB_ALGO_QUADMAX_H

#include "base/progress.h"
#include "weaklab/labelset.h"

typedef struct wlab_quadmax_result {
    double value;  /* y'Hy of the best labeling */
    double bound;  /* >= max over B of y'Hy: certified */
    bool optimal;  /* bound <= value + worth: the search was not cut short */
    int64_t nodes; /* of the tree */
    int64_t parts; /* B is cut into so many by the counts in its groups, each with multipliers of its own */
} wlab_quadmax_result;

/* max over y in B of y'Hy, H_kl = a_k K_kl a_l (a = NULL: H = K), K [n x n] symmetric and positive semidefinite.
 * y [n]: a labeling of B to start from, the better the faster; replaced by the best found (kept where none is better;
 * instances with H_kk = 0 change only where the counts ask for it).
 * Subtrees are left when their bound is at most the best value + worth; so bound <= max + worth (worth is raised to
 * what rounding could feign).  After `nodes` nodes the best so far is returned with optimal = false; its bound holds.
 * The same bits for any number of threads.  WL_EINTERRUPTED, WL_ENOMEM: y is as it was.
 * Cost: some 20 times 10 N^3 for N free instances of weight, then N^2 a node; exponentially many nodes at worst. */
wlab_code wlab_quadmax(const wlab_labelset *B, const double *K, const double *a, double worth, int64_t nodes,
                       int8_t *y, wlab_quadmax_result *, wlab_ctx *, wlab_err *);
/* *bound >= max over B of y'Hy: the multipliers' bound alone, to within `worth` of the best that they give (bags with
 * many rows: 1e-4 of it; HUGE_VAL: none found).  No tree. */
wlab_code wlab_quadmax_bound(const wlab_labelset *B, const double *K, const double *a, double worth,
                             double *bound, wlab_ctx *, wlab_err *);

/* ---- form.c ---- */

/* B and H over z: node 0 is 1, the others +-1; group g has the nodes start[g] .. start[g+1]-1, of which between lo[g]
 * and hi[g] are +1, neither none nor all of them forced. */
typedef struct quad_form {
    int64_t N, groups;
    int32_t *row;   /* [N] instance; -1 for node 0 */
    int64_t *start; /* [groups + 1] start[0] = 1 */
    int64_t *lo, *hi;
    int8_t *forced; /* [n] +-1 where an instance of weight is decided, high or low; else 0 */
    double *H;      /* [N x N] z'Hz = y'Hy */
} quad_form;

/* Members with H_kk > 0 count: between lo[g] and hi[g] of them are +1 in group g of B (quad_counts says which values
 * are possible at all), those included that are decided already: decided[k] = +1 or -1, high or low; 0: not. */
wlab_code quad_form_create(quad_form *, const wlab_labelset *B, const double *K, const double *a,
                           const int64_t *lo, const int64_t *hi, const int8_t *decided, wlab_err *);
void quad_form_clear(quad_form *);
/* lo, hi [groups of B]: how many members of weight may be +1; the others take what the counts leave. */
void quad_counts(const wlab_labelset *B, const double *K, const double *a, int64_t *lo, int64_t *hi);
/* Whether instance k has weight: H_kk > 0. */
static inline bool quad_weighs(const wlab_labelset *B, const double *K, const double *a, int64_t k)
{
    return K[k * B->n + k] > 0 && (!a || a[k] != 0);
}

/* ---- shift.c ---- */

typedef struct quad_shift {
    double *Q;     /* [N x N] */
    double total;  /* y'Hy <= total - z'Qz on all of B, and z'Qz >= 0 */
    double *range; /* [groups] multiplier of (1'z - L)(1'z - U) <= 0 */
} quad_shift;

/* Ends when total is within `worth` of what multipliers can do, or at most `enough`; where there are many multipliers
 * (pairs.c) within a tenth of total - enough, or, without `enough`, 1e-4 of the total. */
wlab_code quad_shift_solve(quad_shift *, const quad_form *, double enough, double worth, wlab_ctx *,
                           wlab_err *);
void quad_shift_clear(quad_shift *);

/* ---- relax.c ---- */

/* A node of the tree: z in the hull of the labelings that agree with `mark`, lo and hi. */
typedef struct quad_node {
    double *z;        /* [N] */
    int8_t *mark;     /* [N] decided value, or 0 */
    int64_t *lo, *hi; /* [groups] how many are +1, the decided ones included */
} quad_node;

typedef struct quad_relax {
    const quad_form *form;
    const quad_shift *shift;
    double fuzz;   /* what rounding may add up to in a bound */
    double enough; /* a node whose bound is at most this is left */
    double left;   /* the largest bound of what was left */
    double *r;     /* [N] gradient -2Qz */
    double *curve; /* [N] d'Qd for z_k alone or, where its group's sum is fixed, for z_k against the others */
    double *pull;  /* [groups] what a narrower count adds to the gradient of the group's nodes */
    int64_t *ones, *undecided;  /* [groups] */
    struct quad_ranked *ranked; /* [N] */
} quad_relax;

wlab_code quad_relax_create(quad_relax *, const quad_form *, const quad_shift *, wlab_err *);
void quad_relax_clear(quad_relax *);
/* Any point of the hull. */
void quad_relax_start(quad_relax *, quad_node *);
/* Decide node k, with what follows from it for its group; z is moved back into the hull. */
void quad_relax_decide(quad_relax *, quad_node *, int64_t k, int8_t value);
/* Between lo and hi of group g are +1. */
void quad_relax_count(quad_relax *, quad_node *, int64_t g, int64_t lo, int64_t hi);
/* The group whose count, not known yet, weakens the bound at z the most; *loss: by how much.  -1: none does. */
int64_t quad_relax_vague(const quad_relax *, const quad_node *, double *loss);
/* An upper bound of the labelings below this node; decides what every labeling above `enough` has in common. */
double quad_relax_bound(quad_relax *, quad_node *);

/* ---- quadmax.c, tree.c ---- */

typedef struct quad_part {
    int64_t *count;  /* [2 groups] lo, hi of B's groups among members of weight */
    int8_t *decided; /* [n] +1 or -1, high or low; 0: not */
    double bound;    /* of the part that this one is cut from */
    struct quad_part *next;
} quad_part;

typedef struct quad_search {
    const wlab_labelset *B;
    const double *K, *a;
    double worth, rounding, value; /* value: of the best so far */
    int64_t limit, nodes, parts;
    int8_t *y;   /* [n] the best so far */
    double *r;   /* [n] */
    double left; /* the largest bound of what was left */
    quad_part *waiting;
    bool cut_short;
    wlab_ctx *ctx;
    wlab_progress told;
    char unit[64];
} quad_search;

/* `bound` holds for labelings that are not looked at. */
static inline void quad_leave(quad_search *s, double bound)
{
    s->left = bound > s->left ? bound : s->left;
}
/* The labeling of nodes z [N] becomes the best if it is. */
wlab_code quad_take(quad_search *, const quad_form *, const int8_t *z, wlab_err *);
/* A part falls into two: the nodes with a mark are decided, and node k is sign or else -sign, or, k = -1 - g, at most
 * `most` of group g's nodes are +1 or else more. */
typedef struct quad_fork {
    const int8_t *mark; /* [N] */
    int64_t k, most;
    int8_t sign; /* comes first; with a count -1 is "at most" */
    double bound;
} quad_fork;
wlab_code quad_divide(quad_search *, const quad_part *, const quad_form *, const quad_fork *, wlab_err *);
/* All labelings of a part, whose bound is `root`; after `patience` nodes what is open becomes parts again. */
wlab_code quad_tree(quad_search *, const quad_part *, const quad_form *, const quad_shift *, double root,
                    int64_t patience, wlab_err *);

#endif
