/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's state, shared by its parts: master problem (master.c), search for a violated labeling
 * (search.c), exact search (exact.c), search along axes (linf.c), certified lower bounds
 * (bound.c), the linear kernel at size (linear.c), on bags (bags.c, thin.c), a step
 * (step.c), what is shown (report.c), snapshots, and the table that joins them (wellsvm.c).
 *
 * Scales.  Inside, every loss is the box QP  max 1'a - 1/2 a'(Q_mu + Diag(delta))a, 0 <= a <= upper, with
 * Q_mu = sum_t mu_t K.(y_t y_t').  The sum-to-one dual is the squared hinge one scaled: with S = 1'a its alpha is
 * a/S, and its optimum is -1/(4 J) where J is the box QP's.  What metrics show is in the paper's scale.
 */
#ifndef WEAKLAB_ALGO_WELLSVM_H
#define WEAKLAB_ALGO_WELLSVM_H

#include "base/progress.h"
#include "model/kernel.h"
#include "solve/svm/boxqp.h"
#include "weaklab/algo.h"

typedef enum well_loss {
    WELL_HINGE,
    WELL_SUM_TO_ONE,
    WELL_SQUARED_HINGE
} well_loss;
typedef enum well_search {
    WELL_PAPER,
    WELL_MULTISTART,
    WELL_EXACT,
    WELL_LINF
} well_search;
typedef enum well_master {
    WELL_NEWTON,
    WELL_MKLGL
} well_master;
typedef enum well_bound {
    WELL_BOUND_AUTO,
    WELL_BOUND_LABELLED,
    WELL_BOUND_DIAGONAL
} well_bound;
typedef enum well_threshold {
    WELL_THRESHOLD_AUTO, /* balance where the function has no offset (bias=0) */
    WELL_THRESHOLD_BALANCE,
    WELL_THRESHOLD_ZERO
} well_threshold;
typedef enum well_basis { /* WELL_LINF: the axes */
    WELL_BASIS_AUTO,      /* features for the linear kernel, else */
    WELL_BASIS_FEATURES,
    WELL_BASIS_PCA /* eigenvectors of K, without centring */
} well_basis;
enum {                         /* rows */
    WELL_DIAGONAL_FREE = 400,  /* bound=auto: the diagonal bound up to so many free labels */
    WELL_DIAGONAL_MOST = 4000, /* bound=diagonal */
};

/* A solution of the SVM at fixed mu, with what the master needs of it. */
typedef struct well_point {
    double *alpha;       /* [m] box QP scale */
    double *q;           /* [T] alpha'Q_t alpha */
    double S, D;         /* 1'alpha, sum of delta alpha^2 */
    double dual, primal; /* box QP scale */
} well_point;

typedef struct wellsvm {
    wlab_problem *p; /* a reference */
    int64_t n, m;    /* instances, examples */
    wlab_kernel kernel;
    well_loss loss;
    well_search search;
    well_master master;
    well_bound bound;
    double C1, C2, lambda, eps, decrease, master_tol;
    bool integer_all; /* every labeling gets its own SVM, once */
    bool thin;        /* linear kernel on bags: thin.c */
    bool at_size;     /* linear kernel without K: the stopping rule for size */
    bool centred;     /* K's rows have mean 0 */
    int64_t max_labelings, starts, max_nodes;
    int64_t tree_nodes; /* of the tree behind multistart (search=auto); 0: none */
    double enumerated;  /* search=exact visits every labeling where there are at most so many */
    well_basis basis;   /* WELL_LINF */
    well_threshold threshold;
    double variance; /* the share of the trace of K that its eigenvectors hold */
    /* Behind a step's search and before the step counts: an algorithm that has this as its first member adds its own
     * share, and changes nothing where it fails.  NULL: none. */
    wlab_code (*settle)(struct wellsvm *, wlab_ctx *, wlab_err *);

    double *K;    /* [n x n] kappa / lambda; NULL: linear at size */
    double *Q;    /* [m x m] workspace, NULL while nobody needs it */
    bool Q_fixed; /* bags: the block of examples without free labels is in Q */
    float *near;  /* twice [near_rows x near_rows]: workspace of SVMs on many rows; or NULL */
    int64_t near_rows;
    double *kb;      /* [n] K beta of the last product */
    double *beta;    /* [n] NULL at size: products are made in place */
    double *delta;   /* [m] or NULL */
    bool fixed_only; /* at size, for a while: rows whose label is free take no part */
    double *upper;   /* [m] NULL: well_cap tells it from the cost */
    float *sqnorm;   /* [n] K_kk where K is NULL */
    double *axis;    /* [axes x n] K = sum of axis_j axis_j' + what is left out; NULL while nobody needs it */
    int64_t axes;
    double rest; /* the largest eigenvalue left out */

    wlab_progress *told; /* iterations of SVMs are counted here while there is a call; NULL: not */
    int64_t iterations;  /* of this step, as told so far */
    int64_t due;         /* when the next is told */

    /* ---- what a snapshot holds ---- */
    int64_t T, cap; /* labelings in the working set; room for */
    int8_t *y;      /* [cap x n] NULL at size, where signs are packed: */
    uint32_t *sign; /* [n x words] bit t of a row's words: y_t is -1 */
    int64_t words;
    double *mu;      /* [cap] */
    double *G;       /* [cap] G(alpha, y_t), paper's scale */
    double *own;     /* [cap] the SVM objective of y_t alone; NaN: not known */
    well_point at;   /* the SVM at mu */
    int8_t *pending; /* [n] the labeling found, to be added by the next step */
    int8_t *before;  /* [n] the labeling of the step before */
    int64_t step;    /* outer steps done */
    bool in_master;  /* inside a step */
    bool
        spread_mu; /* the next step begins with every mu above 0: mklgl never brings back a weight that is 0 */
    bool evaluated; /* `at` belongs to mu and the working set */
    bool tightened; /* the master was solved again, ten times tighter */
    bool finished;
    wlab_verdict verdict;
    int64_t updates;                  /* of mu in this step */
    int64_t svms;                     /* SVM solves in this step */
    int64_t stuck;                    /* updates in this step that brought nothing */
    int64_t slow;                     /* steps in a row whose objective hardly fell (the rule for size) */
    double objective, last_objective; /* NaN: none */
    double upper_bound, lower_bound, inner_gap, master_gap, violation, integer_upper, rounded;
    bool integer_done; /* integer_upper is the optimum: all of B was tried */
    int64_t imbalance; /* by how many labels the plain sign misses the counts that B prescribes */
    int64_t flips;
    double seconds;
    wlab_rng rng;
} wellsvm;

/* The rule for size, relative to the objective. */
#define WELL_LITTLE 1e-2 /* violation */
#define WELL_SLOW   1e-3 /* fall of the objective, in each of two steps */

static inline const int8_t *well_labeling(const wellsvm *s, int64_t t)
{
    return s->y + t * s->n;
}
/* The upper bound of alpha_i. */
static inline double well_cap(const wellsvm *s, int64_t i)
{
    if (s->fixed_only && s->p->labels->fixed[i] == WL_FREE)
        return 0;
    return s->upper ? s->upper[i] : s->delta ? HUGE_VAL : s->p->cost[i] ? s->C2 : s->C1;
}
static inline int8_t well_label(const wellsvm *s, int64_t t, int64_t k)
{
    if (s->y)
        return s->y[t * s->n + k];
    return (s->sign[k * s->words + (t >> 5)] >> (t & 31)) & 1 ? -1 : 1;
}
static inline bool well_one_to_one(const wellsvm *s)
{
    return s->m == s->n;
}

/* ---- problem.c ---- */
enum {
    WELL_GRAM_ROWS = 4000 /* linear kernel: K in memory up to here */
};
extern const char *const well_loss_names[], *const well_threshold_names[];
bool well_squared_loss(const wlab_params *);  /* wlab_algo.squared_loss */
extern const char *const well_search_names[]; /* "auto", then those of well_search */
#define WELL_THRESHOLD_PARAM                                                                                 \
    {                                                                                                        \
        "threshold", WL_P_CHOICE, "auto", 0, 0, well_threshold_names, NULL,                                  \
            "where f is cut: balance, so that the signs on the training rows have the counts that the "      \
            "label set "                                                                                     \
            "prescribes; zero; auto: balance where f has no offset (bias=0)",                                \
            WL_P_MUTABLE                                                                                     \
    }
/* Rows for a parameter table: what decides on the SVM of a labeling.  `change`: WL_P_MUTABLE or 0, for the costs. */
/* clang-format off */
#define WELL_PROBLEM_PARAMS(change)                                                                          \
    WLAB_KERNEL_PARAMS("auto", "0"),                                                                           \
    {"loss", WL_P_CHOICE, "auto", 0, 0, well_loss_names, NULL,                                               \
     "G(alpha,y): hinge (Eq. 14), sum-to-one (mu-SVM), squared-hinge; auto: hinge if linear, else sum-to-one", \
     0},                                                                                                     \
    {"C", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL, "C1 and C2 at once",                                     \
     WL_P_OPEN_LO | WL_P_ALIAS | (change)},                                                                  \
    {"C1", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "penalty C1 of the labelled examples",                   \
     WL_P_OPEN_LO | (change)},                                                                               \
    {"C2", WL_P_REAL, "0.1", 0, HUGE_VAL, NULL, NULL, "penalty C2 of the unlabelled examples",               \
     WL_P_OPEN_LO | (change)},                                                                               \
    {"lambda", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "squared-hinge: weight of ||w||^2/2, as in SVMlin",  \
     WL_P_OPEN_LO},                                                                                          \
    {"lambda_u", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL,                                                   \
     "squared-hinge, in place of C1 and C2: C1 = 1/l and C2 = lambda_u/u for l labelled and u unlabelled "   \
     "rows, as in SVMlin",                                                                                   \
     WL_P_OPEN_LO | (change)}
/* clang-format on */
/* From such parameters: the problem (a reference), kernel, loss and costs of *s, which is all 0.  well_destroy frees
 * what was made, here and below, on errors too. */
wlab_code well_problem_read(wellsvm *, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
/* Its part that every loss shares: the problem and the kernel. */
wlab_code well_problem_take(wellsvm *, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
/* K and the room for SVMs. */
wlab_code well_problem_make(wellsvm *, wlab_ctx *, wlab_err *);
void well_read_costs(wellsvm *, const wlab_params *);
wlab_code well_check_costs(const wellsvm *, const wlab_params *, wlab_err *);
/* upper and delta from C1 and C2. */
void well_costs(wellsvm *);
void well_clear(wellsvm *); /* all but *s itself */
void well_destroy(void *);  /* NULL is fine */
/* ---- wellsvm.c ---- */
extern const char *const well_bound_names[];
/* y_t: where it lies, or unpacked into room [n]. */
const int8_t *well_unpacked(const wellsvm *, int64_t t, int8_t *room);
/* y_t = y. */
void well_put(wellsvm *, int64_t t, const int8_t *y);
/* Labelings from `first` on leave no trace in what is packed. */
void well_forget(wellsvm *, int64_t first);
/* sum_t mu_t y_tk. */
double well_mean_label(const wellsvm *, int64_t k);
/* Whether y is in the working set, to the letter. */
bool well_known(const wellsvm *, const int8_t *y);
/* Room for `want` labelings. */
wlab_code well_reserve(wellsvm *, int64_t want, wlab_err *);
/* Whether the search, the bound and integer= can be had on this problem. */
wlab_code well_check_search(const wellsvm *, wlab_err *);
/* Values and bounds of another problem: those with other costs. */
void well_forget_bounds(wellsvm *);
/* Parameters changed: a finished run goes on, and other costs are another problem. */
void well_changed(wellsvm *, const wellsvm *was);
/* ---- the members of the algorithm's table: step.c, report.c, snapshot.c ---- */
extern const wlab_metric_info well_metrics[];
enum {
    WELL_FLIPS = 11,  /* where flips stands in well_metrics */
    WELL_METRICS = 17 /* in well_metrics */
};
/* The gaps of the SVM at mu and of the master are more than rounding and tolerance: no run has converged there. */
bool well_unsolved(const wellsvm *);
wlab_code well_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
void well_observe(const void *state, double *metric, int8_t *labels);
extern const wlab_probe well_probes[]; /* mu and the cosines, of conv-psvm too */
wlab_code well_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
/* The classifier sum_t mu_t w_t of `at` over labelings y [T x n] (NULL: the working set's). */
wlab_code well_mixture(const wellsvm *, const int8_t *y, int64_t T, const double *mu, const well_point *at,
                       wlab_model **, wlab_ctx *, wlab_err *);
void well_explain(const void *state, char *buf, size_t size);
void well_next(const void *state, char *buf, size_t size);
/* "limit labelings=25 reached: `set labelings=50` goes on"; or nodes= */
void well_limit(const wellsvm *, char *buf, size_t size);
enum {
    WELL_MOST_LABELINGS = 100000 /* what labelings= may be */
};
void well_walk(void *state, struct wlab_walk *);

/* ---- master.c ---- */
/* mu / 1'mu. */
void well_normalise(double *mu, int64_t T);
/* beta_k = alpha_{example[k]} y_k. */
void well_beta(const wellsvm *, const double *alpha, const int8_t *y, double *beta);
/* out = K beta, [n]; for the linear kernel at size X (X'beta), and then out may be beta. */
wlab_code well_product(wellsvm *, const double *beta, double *out, wlab_ctx *, wlab_err *);
/* out_t = K beta_t, [T x n], and q_t = beta_t'K beta_t, for the labelings y [T x n]. */
wlab_code well_products(wellsvm *, const double *alpha, const int8_t *y, int64_t T, double *out, double *q,
                        wlab_ctx *, wlab_err *);
/* The same without out. */
wlab_code well_quadratics(wellsvm *, const double *alpha, const int8_t *y, int64_t T, double *q, wlab_ctx *,
                          wlab_err *);
/* q = beta'K beta for alpha and y; leaves K beta in s->kb. */
wlab_code well_quadratic(wellsvm *, const double *alpha, const int8_t *y, double *q, wlab_ctx *, wlab_err *);
/* y = argmax over B of f'y, f(x_k) = sum_t w_t'phi(x_k): the prediction rounded into the label set; ties as in ref. */
wlab_code well_round(wellsvm *, const int8_t *ref, int8_t *y, wlab_ctx *, wlab_err *);
/* One update of mu.  *done: the relative gap of the master is certified to be at most `tol` (or nothing more can
 * be gained: then master_gap says what is left). */
wlab_code well_master_update(wellsvm *, double tol, bool *done, wlab_ctx *, wlab_err *);
/* G(alpha, y) in the paper's scale for the quadratic form q. */
double well_G(const wellsvm *, const well_point *, double q);
/* The certified upper bound of max_alpha sum_t mu_t G, in the paper's scale. */
double well_upper(const wellsvm *, const well_point *);
/* What cancellation may have taken from a bound computed at this point: q and 1'alpha are sums of both signs, each off
 * by a few eps (sum_i alpha_i sqrt(K_ii))^2.  Bounds are moved outwards by it. */
double well_rounding(const wellsvm *, const well_point *);
/* `up` bounds the relaxation's optimum from above: the smallest such is kept. */
void well_take_upper(wellsvm *, double up);
/* The box QP's value J in the paper's scale: J, or -1/(4 J). */
double well_scaled(const wellsvm *, double J);

/* ---- start.c ---- */
/* The first labeling, into `pending` and `before`. */
wlab_code well_start(wellsvm *, wlab_ctx *, wlab_err *);

/* ---- svm.c ---- */
/* Whether Newton's equations of the SVM go by conjugate gradients: a squared hinge loss and many rows. */
bool well_large(const wellsvm *);
/* H: the Hessian of J at `at` and mu, [T x T].  X [T x m]: as mu moves by d alpha moves by -sum_t d_t X_t, or 0 where that
 * is not known. */
wlab_code well_bend(wellsvm *, double *X, double *H, wlab_ctx *, wlab_err *);
/* The SVM at weights mu over labelings y [T x n] (NULL: the working set's): fills `at` (warm start in at->alpha); one more in s->svms. */
wlab_code well_solve(wellsvm *, const int8_t *y, int64_t T, const double *mu, double tol, well_point *at,
                     wlab_ctx *, wlab_err *);
/* s->Q is there; false: no memory. */
bool well_room_for_Q(wellsvm *);
/* s->Q = Q_mu over labelings y [T x n]. */
wlab_code well_form_Q(wellsvm *, const int8_t *y, int64_t T, const double *mu, wlab_ctx *, wlab_err *);
/* Fill `at` from its alpha as it stands (an SVM solved elsewhere). */
wlab_code well_assess(wellsvm *, const int8_t *y, int64_t T, const double *mu, well_point *at, wlab_ctx *ctx,
                      wlab_err *err);

/* ---- bags.c ---- */
/* place[e]: 0, 1, ... for examples with a free label, else -1; returns how many. */
int64_t well_free_examples(const wellsvm *, int32_t *place);
/* well_form_Q where examples are bags. */
wlab_code well_bags_form_Q(wellsvm *, const int8_t *y, int64_t T, const double *mu, wlab_err *);
/* out_t = K beta_t for T vectors of which most entries are the same. */
wlab_code well_bags_multiply(const wellsvm *, const double *beta, int64_t T, double *out, wlab_ctx *,
                             wlab_err *);

/* ---- thin.c ---- */
/* s->thin. */
wlab_code well_thin_choose(wellsvm *, wlab_err *);
/* *F [m x *r], owned by the caller: Q_mu = F F'. */
wlab_code well_thin_form(const wellsvm *, const int8_t *y, int64_t T, const double *mu, double **F,
                         int64_t *r, wlab_err *);
/* The same for one labeling c [n] that need not be whole. */
wlab_code well_thin_mean(const wellsvm *, const double *c, double **F, int64_t *r, wlab_err *);
/* well_solve, and what well_bend asks of wlab_boxqp_hessian. */
wlab_code well_thin_solve(wellsvm *, const int8_t *y, int64_t T, const double *mu, double tol, well_point *,
                          wlab_ctx *, wlab_err *);
wlab_code well_thin_hessian(const wellsvm *, const double *B, double *H, wlab_err *);

/* ---- interior.c ---- */
/* The master by a primal-dual interior point method in alpha and mu together, to a certified relative gap of tol;
 * sets at.alpha and mu (evaluated = false) if that is better than what is there.  Cost: 10 to 40 times m^3 / 3. */
wlab_code well_interior_solve(wellsvm *, double tol, wlab_ctx *, wlab_err *);

/* ---- search.c ---- */
typedef struct well_found {
    int8_t *y;  /* [n] */
    double q;   /* y'Hy */
    double M;   /* >= max over B of y'Hy, certified; inf: not known */
    bool known; /* y is in the working set already (up to rows with alpha = 0) */
    bool cut;   /* the tree ended at its number of nodes */
} well_found;
wlab_code well_search_run(wellsvm *, well_found *, wlab_ctx *, wlab_err *);
enum {
    WELL_ENUMERATE_LOG2 = 14, /* search=exact visits each of up to 2^14 labelings: there it is the faster */
    WELL_INTEGER_LOG2 = 16    /* integer=all */
};

/* ---- exact.c ---- */
/* Whether search=exact visits every labeling; else it starts from a labeling that is good already. */
bool well_enumerates(const wellsvm *);
/* found->y (and *q = y'Hy) becomes a maximiser over B, or the best that a tree of `nodes` finds; sets found->M, and
 * found->cut where the tree had more. */
wlab_code well_exact_run(wellsvm *, const double *a, int64_t nodes, well_found *found, double *q, wlab_ctx *,
                         wlab_err *);

/* ---- linf.c ---- */
/* Whether the axes can be had. */
wlab_code well_linf_check(const wellsvm *, wlab_err *);
/* y = the labeling of B with the largest |axis_j'(a.y)| over all axes (Yu et al., Eqs. 19 to 21), a [n]; ties: the first
 * axis, and there the maximum rather than the minimum.  *most: that value.  *M >= max over B of y'Hy, certified: the
 * sum over the axes of their own largest squares.  Makes the axes when they are not there.  O(axes n log n). */
wlab_code well_linf_run(wellsvm *, const double *a, int8_t *y, double *most, double *M, wlab_ctx *,
                        wlab_err *);

/* ---- bound.c ---- */
/* `fraction` of |p| in the scale of y'Hy at the current alpha. */
double well_worth(const wellsvm *, double fraction);
/* M >= max over B of y'Hy, H = K.(aa'), from quadmax's multipliers; *M = inf where K is not formed. */
wlab_code well_diagonal_bound(wellsvm *, const double *alpha, double *M, wlab_ctx *, wlab_err *);
/* The lower bound on the optimum that a certified M >= max y'Hy gives at `at`, paper's scale; alpha may be shrunk. */
double well_lower_from(const wellsvm *, const well_point *at, double M);
/* The SVM of the examples whose labels are fixed, to `tol`: fills at and y (0 where free).  *any = false: there are
 * none, and nothing was solved. */
wlab_code well_labelled_solve(wellsvm *, double tol, int8_t *y, well_point *at, bool *any, wlab_ctx *,
                              wlab_err *);
/* The supervised optimum on the examples whose labels are fixed (alpha = 0 elsewhere), paper's scale. */
wlab_code well_labelled_bound(wellsvm *, double *lower, wlab_ctx *, wlab_err *);

/* ---- linear.c ---- */
/* The same SVM by dual coordinate ascent on all weight vectors at once; warm start in at->alpha. */
wlab_code well_linear_solve(wellsvm *, const int8_t *y, int64_t T, const double *mu, double tol,
                            well_point *at, wlab_ctx *, wlab_err *);
/* The master: alpha and mu together, from s->at.alpha and s->mu, to a relative gap (inner and mu's) of tol; sets s->mu
 * and s->at.  *done: that gap is certified. */
wlab_code well_linear_master(wellsvm *, double tol, bool *done, wlab_ctx *, wlab_err *);

#endif
