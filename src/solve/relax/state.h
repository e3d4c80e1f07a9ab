/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of the relaxation and the functions that its files call in one another.  The state leaves out rows and
 * groups of weight 0.  It scales the features so that sum_n pi_n |x_n|^2 = 1, and lambda with them.
 */
#ifndef ALGO_RELAX_STATE_H
#define ALGO_RELAX_STATE_H

#include "linalg/product.h"
#include "solve/relax/relax.h"

enum {
    RELAX_SINGLE = 1024, /* nodes from which on steps far from the optimum are computed in single precision */
    RELAX_RITZ = 128     /* eigenvalues that are looked for if Y is not decomposed */
};

/* Y with the inner variables that belong to it. */
typedef struct relax_point {
    int64_t r;
    double *V;     /* [nodes x r], rows of unit norm */
    double *U;     /* [d x r] */
    double *b;     /* [groups] */
    double f, low; /* bounds on F(Y) */
    /* How V was made: V = D W' Diag(f), where D is `root` in the block and 1 / length below it, and the rows of W are
     * eigenvectors of a matrix with eigenvalues 2 log f. */
    double *f_of;   /* [r] f */
    double *length; /* [nodes] */
    double *root;   /* [block x block] */
    double spread;  /* largest minus smallest logarithm of D's eigenvalues */
    bool single;    /* W are floats */
    bool unit;      /* V = I, the start */
} relax_point;

/* The gradient G = -c P/(2 lambda) BM'BM at a point Y (square loss: G = M), and the multipliers of
 * H = G - mult - corner + mu. */
typedef struct relax_slope {
    double *BM;           /* [d x nodes] */
    double *mult;         /* [nodes] multipliers of the diagonal; 0 in the block */
    double *corner;       /* [block x block] multipliers of the block */
    double *mu;           /* [pairs] */
    double entropy;       /* part of the inner objective at Omega that does not depend on Y */
    double product;       /* <G, Y> */
    double rise;          /* tied: sum of H's positive eigenvalues */
    double least, spread; /* H's smallest eigenvalue; at the start, when t is 0: largest minus smallest */
    double slack;         /* sum over pairs of |mu * violation| */
    double violation;
} relax_slope;

/* Work done, see wlab_relax_numbers. */
typedef struct relax_counts {
    int64_t inner, cg, fits, trials;
} relax_counts;

typedef enum relax_phase {
    RELAX_BEGIN, /* the trial is the start, which is always accepted */
    RELAX_TRIAL, /* inner steps at the trial */
    RELAX_NEXT   /* a new trial must be computed */
} relax_phase;

struct wlab_relax {
    /* the problem */
    int64_t n, d, groups, nodes, block, pairs;
    int classes;
    bool intercept, square;
    double c, lambda, given, scale; /* lambda for the scaled X; lambda as given; the divisor of X */
    wlab_relax_inner method;
    double eps;
    double *X, *PX;    /* [n x d] rows, and pi_n times them */
    double *pi;        /* [n] */
    double *pg, *logp; /* [groups] */
    double *XG;        /* [groups x d] sum of pi_n x_n over a group */
    int32_t *node;     /* [groups] */
    double *vertex;    /* [classes x block] */
    wlab_relax_pair *pair;
    bool tied;         /* products of rows with rows are prescribed: steps are projections (project.c) */
    int64_t rows, all; /* rows and groups as given, including those of weight 0 */
    int32_t *row_group, *all_node;
    double *moment; /* [d] sum_n pi_n x_nj^2 */
    double *M;      /* [nodes x nodes] the square loss: F = tr(M Y); else NULL */

    /* the current point and the progress of the iteration */
    relax_point now, trial;
    relax_phase phase;
    wlab_relax_verdict verdict;
    double t, best, newest;
    relax_counts counts;
    int64_t outer;
    int64_t tried, doubled; /* inner steps in this trial; doublings of t since the last outer step */
    int64_t idle, wait;     /* outer steps without a smaller gap; outer steps until t may be halved again */

    /* computed from the points */
    relax_slope mean;      /* a moving average over steps; tied: only the multipliers of the best bound */
    relax_slope blend;     /* buffer in which the next average is computed */
    relax_slope at, spare; /* at the current point; buffer in which the next one is computed */
    double *spectrum; /* [nodes] eigenvalues of the current Y, in descending order; 0 before the first step */
    double *next_spectrum;     /* of the trial that is being accepted */
    int64_t known, next_known; /* how many of them are known */
    /* A trial was rejected for what may be rounding errors, or errors of log Y: from then on steps are computed in double
     * precision, and log Y from a decomposition. */
    bool exact;
    bool hard;       /* conjugate gradients needed many steps: use the better preconditioner */
    bool logged;     /* logY belongs to the current point */
    bool fresh;      /* Omega and the fields below belong to the trial */
    double expected; /* by how much F should fall with the trial, to the first order: not above 0 */
    double *Omega;   /* [n x groups], in the memory of lapack: see below */
    double *lse;     /* [n] */
    double *mass;    /* [groups] Omega'pi */
    double *C;       /* [d x groups] X'Pi Omega; then B */
    double *XV;      /* [d x r] */
    double *VG;      /* [groups x r] the groups' vectors */
    double *gU, *gb;

    /* An accepted trial whose certificate was interrupted: the next call goes on with it.  The counts with it; L before it. */
    bool accepted;
    relax_counts waiting;
    double L_before;

    /* proximal steps: the previous point, the constant L and the momentum */
    double *before, *before_b;
    double L, momentum;

    /* Work.  Omega and W are used while F is evaluated at a trial, eigen-decompositions before that and after it, so
     * lapack, Omega and W share memory.  So do Q and P: relax_warm uses the eigenvectors in Q before the first inner
     * step. */
    double *W;               /* [n x groups], in the memory of lapack */
    double *Q, *logY;        /* [nodes x nodes] */
    double *basis;           /* [3 block^2 + block nodes]; with pairs at least [nodes x nodes] */
    double *e;               /* [nodes]; free between two calls, so that snapshots use it */
    double *factor;          /* tied: [2 nodes] work of a projection */
    double *P;               /* [groups x groups], in the memory of Q */
    double *T;               /* [d x groups], or [n x r] if r < d, or [n x 32] */
    double *small;           /* CG: 5 (d r + groups) */
    double *links;           /* [4 constraints] conjugate gradients for pairs */
    double *force;           /* tied: [constraints] the multipliers of the projection that gave the trial */
    double *next, *negative; /* tied: [3 constraints], [pairs] */
    double *last, *more;     /* tied: [nodes x nodes] */
    double *class_rows;      /* [2 classes x nodes] */
    double *row;             /* [n] */
    double *column, *extra;  /* [groups] */
    double *lapack;          /* at least wlab_eigen_room(nodes + 1), and then Q: [room] in all */
    int64_t room;
    int *integers;
};

/* a * b zeros, at least one; NULL when memory ran out. */
double *relax_vector(int64_t a, int64_t b);
/* lambda for features divided by s->scale. */
double relax_scaled(const wlab_relax *, double lambda);
/* Makes the current Y the start of a new solve and discards its bounds. */
void relax_begin(wlab_relax *);

/* ---- products on the pool (products.c): results do not depend on the number of threads ---- */
/* An interrupt stops these and the functions of the inner problem early, and what they compute is then unfinished.  The flag
 * stays up, so it is enough to look once before a result decides anything or becomes part of the state. */
wlab_code relax_look(const wlab_ctx *, wlab_err *);
/* Calls work(data, b) for each strip b of n rows or columns, with a look at the interrupt before each. */
void relax_strips(wlab_ctx *, int64_t n, int64_t strip, void (*work)(void *data, int block), void *data);
/* C [m x m] = alpha op(A) op(A)', inner size k, row-major: half of the work of wlab_gemm. */
void relax_gram(wlab_ctx *, bool ta, int64_t m, int64_t k, double alpha, const double *A, int64_t lda,
                double *C);
/* Whether the lower triangle of the first n rows, `stride` apart, is that of I. */
bool relax_is_unit(const double *A, int64_t n, int64_t stride);
double relax_dot(const double *a, const double *b, int64_t n);
/* out_g = sum_n w_n A_ng; and out_n = sum_g A_ng w_g. */
void relax_columns(wlab_ctx *, const double *A, int64_t n, int64_t groups, const double *w, double *out);
void relax_rows(wlab_ctx *, const double *A, int64_t n, int64_t groups, const double *w, double *out);
/* Eigenvalues of the symmetric A [n x n], which is overwritten, in ascending order.  vectors: wlab_eigen_vectors
 * follows (linalg/eigen.h), with `lapack` as its room. */
wlab_code relax_eigenvalues(double *A, int64_t n, double *value, double *lapack, int *integers, bool vectors,
                            wlab_ctx *, wlab_err *);
/* In single precision; wlab_eigen_vectors_single follows.  The memory of A and of the room holds floats then.  *found
 * false: an entry is no float, or LAPACK did not find them; A is lost. */
wlab_code relax_eigenvalues_single(double *A, int64_t n, double *value, double *lapack, int *integers,
                                   bool *found, wlab_ctx *, wlab_err *);
/* Rounds n numbers to floats, which it puts at the beginning of the same memory; and extends such floats to doubles. */
float *relax_singles(double *A, int64_t n);
void relax_doubles(double *A, int64_t n);
/* And all eigenvectors: vector k is row k of A. */
wlab_code relax_eigen(double *A, int64_t n, double *value, double *lapack, int *integers, wlab_ctx *,
                      wlab_err *);
/* The smallest and roughly the largest eigenvalue of the symmetric A [n x n], n >= 16, which is overwritten.  times: how `of`
 * computes out = A q in less than n^2, NULL: from A.  *proven: no
 * eigenvalue is below low - n RELAX_ROUNDING max(|low|, |high|); else nothing is known.  room: 601 n.
 * Cost n^3/3, and n^2 for each of some dozens to hundreds of steps. */
#define RELAX_ROUNDING 1e-15
typedef void relax_times(const void *of, const double *q, double *out);
wlab_code relax_smallest(double *A, int64_t n, relax_times *, const void *of, double *low, double *high,
                         double *room, bool *proven, wlab_ctx *, wlab_err *);

/* ---- the inner problem (inner.c, gap.c, newton.c, proximal.c) ---- */
/* VG and XV of the trial's V. */
void relax_vectors(wlab_relax *, relax_point *, wlab_ctx *);
/* Returns the inner objective at (U, b).  Writes the soft-max of each row of X U VG' - b + log pg into Omega, and the
 * logarithms of its denominators into lse. */
double relax_value(wlab_relax *, const relax_point *, const double *U, const double *b, wlab_ctx *);
/* From Omega: the gradients, and p->low, the certified value at Omega rounded to a feasible one. */
void relax_bound(wlab_relax *, relax_point *, wlab_ctx *);
/* The end of an inner step: the bounds at p.  WL_EINTERRUPTED: p has again U, b and bounds of `was`. */
wlab_code relax_settle(wlab_relax *, relax_point *p, const relax_point *was, wlab_ctx *, wlab_err *);
/* out [n x groups] = X D VG' (D [d x r]), in the cheaper order of products. */
void relax_scores(wlab_relax *, const double *D, int64_t r, double *out, wlab_ctx *);
/* out [d x r] = PX' A VG. */
void relax_back(wlab_relax *, const double *A, int64_t r, double *out, wlab_ctx *);
/* T VG for T [d x groups], into out [d x r]. */
void relax_to_columns(wlab_relax *, const double *T, int64_t r, double *out, wlab_ctx *);

/* ---- large problems with few features (few.c) ---- */
bool relax_is_few(const wlab_relax *);
/* out [m x n] = A B for B [k x n] and A [m x k], whose entry (j, i) is at A[j row + i column]. */
void relax_few_sums(wlab_ctx *, int64_t m, int64_t n, int64_t k, const double *A, int64_t row, int64_t column,
                    const double *B, double *out);
/* out [m x n] = A B' for A [m x k], B [n x k]. */
void relax_few_dots(wlab_ctx *, int64_t m, int64_t n, int64_t k, const double *A, const double *B,
                    double *out);
/* Row i of X T: [groups]. */
void relax_few_scores(const wlab_relax *, int64_t i, double *row);
/* The middle of a product with the Hessian: from T [d x groups] and db [groups] the matrix w = Omega o (X T - db - its mean in
 * the row), of which mass [groups] = w'pi, and T becomes PX'w.  Changes W. */
void relax_few_middle(wlab_relax *, const double *db, double *mass, wlab_ctx *);
/* A step at p, and its bounds.  On failure p is as before. */
wlab_code relax_newton(wlab_relax *, relax_point *, bool *moved, wlab_ctx *, wlab_err *);
wlab_code relax_proximal(wlab_relax *, relax_point *, bool *moved, wlab_ctx *, wlab_err *);

/* ---- the outer problem (outer.c, certificate.c, square.c) ---- */
wlab_code relax_start(wlab_relax *, wlab_ctx *, wlab_err *);
/* Y = I, the start unless products are prescribed. */
void relax_unit(const wlab_relax *, relax_point *);
/* Multiplies the first `block` rows by the inverse root of their Gram matrix and divides the others by their length;
 * stores both, and the spread of their logarithms.  *usable = false if that is singular. */
wlab_code relax_rescale(wlab_relax *, relax_point *, bool *usable, wlab_ctx *, wlab_err *);
/* Computes the trial from the current point; *usable = false if its factor is singular, so that t must grow. */
wlab_code relax_move(wlab_relax *, bool *usable, wlab_ctx *, wlab_err *);
/* Computes log Y of p, unless the iteration ends there, and eigenvalues of Y into `next_spectrum`: all if Y is decomposed,
 * which it is at the end, else those of relax_ritz. */
wlab_code relax_spectrum(wlab_relax *, const relax_point *p, bool ends, wlab_ctx *, wlab_err *);
/* The largest eigenvalues of p's Y in descending order, up to the first whose error may exceed one percent: the first ones of
 * value [RELAX_RITZ], of which the number is returned.  It is not proven that none between them is missing (ritz.c).
 * Changes lapack. */
int64_t relax_ritz(wlab_relax *, const relax_point *p, double *value, wlab_ctx *);
/* Whether relax_near_log may compute log Y of p (near.c). */
bool relax_is_near(const wlab_relax *, const relax_point *p);
/* s->logY = log Y of p = D exp(A) D, up to terms of the second order in log D.  least: the logarithm of Y's
 * eigenvalues in the directions that V leaves out.  Changes Q, lapack, basis, e and next_spectrum. */
wlab_code relax_near_log(wlab_relax *, const relax_point *p, double least, wlab_ctx *, wlab_err *);
/* Sets U of a new trial so that U V' is close to that of the current point. */
wlab_code relax_warm(wlab_relax *, wlab_ctx *, wlab_err *);
/* Computes into `spare` the gradient, multipliers and lower bound at p, whose inner problem was just solved, and into
 * `blend` the new average. */
wlab_code relax_certify(wlab_relax *, const relax_point *p, double *lower, wlab_ctx *, wlab_err *);
/* H = G - multipliers into A [nodes x nodes]. */
void relax_slack_matrix(const wlab_relax *, const relax_slope *, double *A, wlab_ctx *);
/* <H, Y of p - Y of the current point>. */
double relax_decrease(wlab_relax *, const relax_point *p, wlab_ctx *);
wlab_code relax_square_form(wlab_relax *, wlab_ctx *, wlab_err *);

/* ---- prescribed products (pairs.c) ---- */
/* The number of multipliers: of the diagonal, the block and the pairs. */
int64_t relax_constraints(const wlab_relax *);
void relax_add_pair(const wlab_relax *, const wlab_relax_pair *, double factor, double *A);
double relax_violation(const wlab_relax *, const relax_point *, int64_t pair);
/* The multipliers from G V in `product`. */
void relax_pairs_multipliers(wlab_relax *, relax_slope *, const relax_point *, double *product, wlab_ctx *);
/* y_c = <A_c, W V'>, W [nodes x r]. */
void relax_pairs_adjoint(wlab_relax *, const relax_point *, double *W, double *y);
/* Solves <A_c, f(S(x) V) V'> + ridge x_c = y_c for x by conjugate gradients.  f is linear and such that the system is
 * psd; NULL: f(W) = W.  Overwrites y, after which there must be space for two more vectors.  Stops when the norm of the
 * residual is `tol` times that of y. */
typedef void relax_between(wlab_relax *, int64_t r, double *W, wlab_ctx *);
void relax_pairs_solve(wlab_relax *, const relax_point *, double *x, double *y, double tol, relax_between *,
                       double ridge, wlab_ctx *);
/* Computes a start that satisfies the prescribed products. */
wlab_code relax_pairs_start(wlab_relax *, relax_point *, wlab_ctx *, wlab_err *);
/* Restores the prescribed products of a point close to them; *usable = false if that fails. */
wlab_code relax_pairs_return(wlab_relax *, relax_point *, bool *usable, wlab_ctx *, wlab_err *);

/* ---- steps if products of rows are prescribed (project.c) ---- */
/* phi, the lower bound on Y's eigenvalues. */
double relax_least(const wlab_relax *);
/* Computes the trial, which satisfies all products, and its multipliers `force` from logY = log(Y - phi). */
wlab_code relax_project(wlab_relax *, bool *usable, wlab_ctx *, wlab_err *);
/* Copies a vector of all multipliers into a slope. */
void relax_scatter(const wlab_relax *, const double *x, relax_slope *);
/* Raises the lower bound of `at`, which was just computed at `now`; stores its multipliers in `mean`. */
wlab_code relax_polish(wlab_relax *, const relax_slope *at, const relax_point *now, double *lower, wlab_ctx *,
                       wlab_err *);

/* A group as a vector over nodes: out [nodes] += factor * (unit vector of the group in nodes). */
void relax_spread(const wlab_relax *, int32_t node, double factor, double *out, int64_t stride);
double relax_product(const wlab_relax *, const relax_point *, int32_t a, int32_t b);

#endif
