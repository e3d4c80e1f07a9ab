/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of WellSVM, shared by its parts: the master problem (master.c), the search for a violated labeling
 * (search.c), the exact search (exact.c), the search along axes (linf.c), certified lower bounds (bound.c), the
 * linear kernel at size (linear.c) and on bags (bags.c, thin.c), a step (step.c), metrics and explanations
 * (report.c), snapshots (snapshot.c), and the algorithm's descriptor (wellsvm.c).
 *
 * "At size" means a linear kernel on more than WELL_GRAM_ROWS rows: the kernel matrix K is not formed.
 *
 * Scales.  Inside, every loss is the box QP  max 1'a - 1/2 a'(Q_mu + Diag(delta))a, 0 <= a <= upper, with
 * Q_mu = sum_t mu_t K.(y_t y_t').  The sum-to-one dual is that of the squared hinge, rescaled: with S = 1'a its alpha
 * is a/S, and its optimum is -1/(4 J) for the optimum J of the box QP.  Metrics are in the paper's scale.
 */
#ifndef WEAKLAB_ALGO_WELLSVM_H
#define WEAKLAB_ALGO_WELLSVM_H

#include "base/progress.h"
#include "linalg/passes.h"
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
    WELL_THRESHOLD_AUTO, /* balance if the function has no offset (bias=0) */
    WELL_THRESHOLD_BALANCE,
    WELL_THRESHOLD_ZERO
} well_threshold;
typedef enum well_basis { /* the axes of WELL_LINF */
    WELL_BASIS_AUTO,      /* features for the linear kernel if they fit, else eigenvectors */
    WELL_BASIS_FEATURES,
    WELL_BASIS_PCA /* eigenvectors of K, without centring */
} well_basis;
enum {
    WELL_DIAGONAL_FREE = 400,  /* bound=auto: the largest number of free labels for the diagonal bound */
    WELL_DIAGONAL_MOST = 4000, /* bound=diagonal: the largest number of rows */
};

/* A solution of the SVM at fixed mu, with the values that the master needs. */
typedef struct well_point {
    double *alpha;       /* [m] box QP scale */
    double *q;           /* [T] alpha'Q_t alpha */
    double S, D;         /* 1'alpha; sum of delta alpha^2 */
    double dual, primal; /* box QP scale */
} well_point;

enum {
    WELL_ALTERNATIONS = 10 /* finish=alternate: at most */
};
/* The stage after the master with finish=alternate (finish.c).  All but `wanted` is saved in a snapshot. */
typedef struct well_finish {
    bool wanted;
    bool active;           /* the next step belongs to this stage */
    int64_t rounds;        /* its completed steps that gave a labeling; 0: the run predicts by the mixture */
    wlab_verdict ended;    /* the verdict on the master */
    double mixture, first; /* SVM objectives of the labeling that the mixture rounds to, and of y_1 */
    uint64_t seen[WELL_ALTERNATIONS + 1]; /* [rounds] hashes of the labelings of this stage */
    int8_t *y;                            /* [n] the current labeling; NULL if not wanted */
    well_point at;                        /* its SVM */
} well_finish;

typedef struct wellsvm {
    wlab_problem *p; /* a reference */
    int64_t n, m;    /* instances, examples; of this rank if rows are on several */
    int64_t all;     /* instances of all ranks */
    wlab_kernel kernel;
    well_loss loss;
    well_search search;
    well_master master;
    well_bound bound;
    double C1, C2, lambda, eps, decrease, master_tol;
    bool integer_all;    /* integer=all: an SVM is trained on every labeling, once */
    bool thin;           /* linear kernel on bags: thin.c */
    bool at_size;        /* linear kernel without K; its stopping rule is below at WELL_SMALL_VIOLATION */
    bool spread;         /* at size, and the rows are on several ranks (p->X->parts) */
    wlab_passes *passes; /* at size */
    bool centred;        /* the rows of K have mean 0 */
    int64_t max_labelings, starts, max_nodes;
    int64_t tree_nodes; /* search=auto: nodes of the tree search after multistart; 0: no tree */
    double enumerated;  /* search=exact visits every labeling if there are at most so many */
    well_basis basis;   /* WELL_LINF */
    well_threshold threshold;
    double variance; /* the fraction of the trace of K that the axes hold */
    /* Called at the end of a step, after the search and the bounds, before `step` is incremented.  An algorithm that
     * has this struct as its first member does its own work in it.  If the function fails, it leaves the state
     * unchanged.  NULL: none. */
    wlab_code (*after_search)(struct wellsvm *, wlab_ctx *, wlab_err *);

    double *K;       /* [n x n] kappa / lambda; NULL: linear at size */
    double *Q;       /* [m x m] workspace, NULL until it is needed */
    bool Q_fixed;    /* bags: the block of examples without free labels is in Q */
    float *active_Q; /* twice [active_rows x active_rows]: workspace of SVMs on many rows; or NULL */
    int64_t active_rows;
    double *kb;      /* [n] K beta of the last product */
    double *beta;    /* [n] NULL at size, where products are computed in place */
    double *delta;   /* [m] or NULL */
    bool fixed_only; /* at size: set temporarily to leave out the rows with a free label */
    double *upper;   /* [m] NULL: well_cap derives it from the cost */
    double
        *weights;   /* spread: [cols + 1] the model's w and offset, of the state after each unit; else NULL */
    int64_t active; /* at size: examples with alpha > 0 */
    int32_t
        *group; /* [m] hinge loss: examples of a group share one slack, the largest; NULL: each has its own */
    double *shared; /* [groups] the cost of a group's slack, which is the bound of the sum of its alphas */
    int64_t groups;
    float *sqnorm; /* [n] K_kk if K is NULL */
    double *axis;  /* [axes x n] K = sum of axis_j axis_j' + the omitted part; NULL until it is needed */
    int64_t axes;
    double rest; /* the largest omitted eigenvalue */

    wlab_progress *progress; /* counts SVM iterations during a call; NULL: not counted */
    int64_t iterations;      /* SVM iterations of this step reported so far */
    int64_t due;             /* when the next report is due */

    /* ---- saved in a snapshot ---- */
    int64_t T, cap; /* labelings in the working set; allocated labelings */
    int8_t *y;      /* [cap x n] NULL at size, where the signs are packed: */
    uint32_t *sign; /* [n x words] bit t of a row's words is set if y_t is -1 */
    int64_t words;
    double *mu;      /* [cap] */
    double *G;       /* [cap] G(alpha, y_t), paper's scale */
    double *own;     /* [cap] the SVM objective of y_t alone; NaN: not computed */
    well_point at;   /* the SVM at mu */
    int8_t *pending; /* [n] the labeling that the search found; the next step adds it */
    int8_t *before;  /* [n] the labeling of the step before */
    int64_t step;    /* completed outer steps */
    bool in_master;  /* inside a step */
    bool
        pending_known; /* spread: after a step, `pending` is in the working set; `next` may not ask the other ranks */
    bool spread_mu; /* the next step starts with all mu > 0, as mklgl never raises a weight from 0 */
    bool evaluated; /* `at` belongs to mu and the working set */
    bool added;     /* this step has added a labeling; not after `set` on a run whose search had found none */
    bool tightened; /* the master of this step is solved again, to a smaller tolerance */
    bool finished;
    wlab_verdict verdict;
    int64_t updates; /* updates of mu in this step */
    int64_t svms;    /* SVM solves in this step */
    int64_t stuck;   /* successive updates in this step without gain */
    int64_t slow;    /* at size: successive steps whose objective fell by less than WELL_SLOW */
    double objective, last_objective; /* NaN: none */
    double upper_bound, lower_bound, inner_gap, master_gap, violation, integer_upper, rounded;
    bool integer_done; /* integer_upper is the optimum: every labeling was tried */
    int64_t imbalance; /* by how many labels sign(f) misses the counts that the label set prescribes */
    int64_t flips;
    double seconds;
    wlab_rng rng;
    well_finish finish;
} wellsvm;

/* The stopping rule at size: a run has converged if the violation is below the first fraction of the objective, or if
 * the objective fell by less than the second in each of two steps. */
#define WELL_SMALL_VIOLATION 1e-2
#define WELL_SLOW            1e-3

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
static inline wlab_ranks *well_ranks(const wellsvm *s)
{
    return wlab_matrix_ranks(s->p->X);
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
wlab_loss well_loss_of(const wlab_params *);                                      /* wlab_algo.loss_of */
double well_setting(const wlab_problem *, const wlab_params *, const char *name); /* wlab_algo.setting */
extern const char *const well_search_names[]; /* "auto", then those of well_search */
#define WELL_THRESHOLD_PARAM                                                                                 \
    {                                                                                                        \
        "threshold", WL_P_CHOICE, "auto", 0, 0, well_threshold_names, NULL,                                  \
            "threshold of f; balance: such that the signs on the training rows have the counts that the "    \
            "label set "                                                                                     \
            "prescribes; zero: 0; auto: balance if f has no offset (bias=0), else zero",                     \
            WL_P_MUTABLE                                                                                     \
    }
/* Rows of a parameter table that define the SVM of a labeling.  `change`: WL_P_MUTABLE or 0, for the costs; C2: its default. */
/* clang-format off */
#define WELL_PROBLEM_PARAMS(change) WELL_PROBLEM_PARAMS_C2(change, "0.1")
#define WELL_PROBLEM_PARAMS_C2(change, C2)                                                                   \
    WLAB_KERNEL_PARAMS("auto", "0"),                                                                           \
    {"loss", WL_P_CHOICE, "auto", 0, 0, well_loss_names, NULL,                                               \
     "loss of the SVM, which determines G(alpha, y): hinge (Eq. 14), sum-to-one (mu-SVM) or squared-hinge (C/2 max(0, 1 - y f)^2); auto: " \
     "hinge if linear, else sum-to-one", \
     WL_P_OBJECTIVE},                                                                                                     \
    {"C", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL, "the value of C1 and C2, or of the one of them that is not given",                                   \
     WL_P_OPEN_LO | WL_P_ALIAS | (change)},                                                                  \
    {"C1", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL,                                                          \
     "penalty C1 of the labelled examples (mil: of the positive bags)",                                      \
     WL_P_OPEN_LO | (change) | WL_P_OBJECTIVE},                                                                               \
    {"C2", WL_P_REAL, C2, 0, HUGE_VAL, NULL, NULL,                                                        \
     "penalty C2 of the unlabelled examples (mil: of the instances of negative bags)",                       \
     WL_P_OPEN_LO | (change) | WL_P_OBJECTIVE},                                                                               \
    {"lambda", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "squared-hinge: weight of ||w||^2/2, as in SVMlin",  \
     WL_P_OPEN_LO | WL_P_OBJECTIVE},                                                                                          \
    {"lambda_u", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL,                                                   \
     "squared-hinge: sets C1 = 1/l and C2 = lambda_u/u for l labelled and u unlabelled rows, as in SVMlin, " \
     "in place of C1= and C2=",                                                                              \
     WL_P_OPEN_LO | WL_P_ALIAS | (change)}
/* clang-format on */
/* Sets the problem (a reference), kernel, loss and costs of *s, which is all 0, from these parameters.  The caller
 * frees *s with well_destroy, here and below, also after an error. */
wlab_code well_problem_read(wellsvm *, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
/* The part of well_problem_read that is the same for every loss: sets the problem and the kernel. */
wlab_code well_problem_init(wellsvm *, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
/* Computes K and allocates the buffers of the SVMs. */
wlab_code well_problem_make(wellsvm *, wlab_ctx *, wlab_err *);
/* After well_problem_read and before well_problem_make: the instances of each negative bag share one slack of cost C2, and
 * loss=auto is the hinge loss.  WL_EARG for another loss; no memory. */
wlab_code well_share_slacks(wellsvm *, const wlab_params *, wlab_err *);
void well_read_costs(wellsvm *, const wlab_params *);
wlab_code well_check_costs(const wellsvm *, const wlab_params *, wlab_err *);
/* Sets upper and delta from C1 and C2. */
void well_costs(wellsvm *);
void well_clear(wellsvm *); /* frees everything except *s itself */
void well_destroy(void *);  /* NULL is allowed */
/* ---- wellsvm.c ---- */
extern const char *const well_bound_names[];
/* y_t: a pointer to the stored labeling or, if the signs are packed, y_t unpacked into buffer [n]. */
const int8_t *well_unpacked(const wellsvm *, int64_t t, int8_t *buffer);
/* Stores y as y_t. */
void well_put(wellsvm *, int64_t t, const int8_t *y);
/* Clears the packed signs of the labelings from `first` on. */
void well_forget(wellsvm *, int64_t first);
/* wlab_labelset_argmax and wlab_labelset_threshold on the rows of all ranks. */
wlab_code well_argmax(const wellsvm *, const double *r, const int8_t *ref, int8_t *y, wlab_err *);
wlab_code well_threshold_of(const wellsvm *, const double *f, double *threshold, int64_t *by_sign,
                            wlab_err *);
/* The sum of work's sums over the rows of all ranks, at size (base/rows.h); `data` is passed to it. */
double well_sum(const wellsvm *, wlab_rows_work *work, const void *data, wlab_pool *);
/* spread: sets `weights` for the present state. */
wlab_code well_spread_model(wellsvm *, wlab_ctx *, wlab_err *);
/* sum_t mu_t y_tk. */
double well_mean_label(const wellsvm *, int64_t k);
/* Whether y equals a labeling of the working set on all rows. */
bool well_known(const wellsvm *, const int8_t *y);
/* Allocates buffers for `count` labelings. */
wlab_code well_reserve(wellsvm *, int64_t count, wlab_err *);
/* WL_EARG if the search, the bound or integer= is not available on this problem. */
wlab_code well_check_search(const wellsvm *, wlab_err *);
/* Discards objective, gaps and bounds, because the costs changed and with them the problem. */
void well_forget_bounds(wellsvm *);
/* Follows a change of parameters: a finished run continues; if the costs changed, the bounds are discarded. */
void well_changed(wellsvm *, const wellsvm *was);
/* ---- the members of the algorithm's table: step.c, report.c, snapshot.c ---- */
extern const wlab_metric_info well_metrics[];
enum {
    WELL_FLIPS = 11,  /* index of flips in well_metrics */
    WELL_METRICS = 17 /* number of entries of well_metrics */
};
/* Whether the gaps of the SVM at mu or of the master exceed tolerance and rounding; such a run has not converged. */
bool well_unsolved(const wellsvm *);
/* Trains the SVM of one labeling from s->at.alpha on, fills `at` (whose alpha [m] and q [1] the caller owns), and sets
 * *own to a certified upper bound of its objective. */
wlab_code well_train(wellsvm *, const int8_t *y, well_point *at, double *own, wlab_ctx *, wlab_err *);
wlab_code well_advance(void *state, wlab_ctx *, wlab_step *, wlab_err *);
const char *well_certified(const wlab_params *, const double *metric, double *value);
void well_observe(const void *state, double *metric, int8_t *labels);
extern const wlab_probe well_probes[]; /* mu and the cosines; conv-psvm uses them too */
wlab_code well_model(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
/* The classifier f(x) = sum_k c_k kappa(x_k, x), c [n], with the threshold that `threshold` asks for. */
wlab_code well_classifier(const wellsvm *, const double *c, wlab_model **, wlab_ctx *, wlab_err *);
/* The classifier sum_t mu_t w_t, where w_t is the weight vector for labeling y_t and the alpha of `at`.  y [T x n]; NULL:
 * the working set. */
wlab_code well_mixture(const wellsvm *, const int8_t *y, int64_t T, const double *mu, const well_point *at,
                       wlab_model **, wlab_ctx *, wlab_err *);
void well_explain(const void *state, char *buf, size_t size);
void well_next(const void *state, char *buf, size_t size);
/* "limit labelings=25 reached: `set labelings=50` continues", or the same for nodes=. */
void well_limit(const wellsvm *, char *buf, size_t size);
enum {
    WELL_MOST_LABELINGS = 100000 /* the largest value of labelings= */
};
void well_walk(void *state, struct wlab_walk *);

/* ---- master.c ---- */
/* mu / 1'mu. */
void well_normalise(double *mu, int64_t T);
/* beta_k = alpha_{example[k]} y_k. */
void well_beta(const wellsvm *, const double *alpha, const int8_t *y, double *beta);
/* out = K beta, [n].  The linear kernel at size computes X (X'beta); then out may be beta. */
wlab_code well_product(wellsvm *, const double *beta, double *out, wlab_ctx *, wlab_err *);
/* out_t = K beta_t, [T x n], and q_t = beta_t'K beta_t, for the labelings y [T x n]. */
wlab_code well_products(wellsvm *, const double *alpha, const int8_t *y, int64_t T, double *out, double *q,
                        wlab_ctx *, wlab_err *);
/* q_t as in well_products, without out. */
wlab_code well_quadratics(wellsvm *, const double *alpha, const int8_t *y, int64_t T, double *q, wlab_ctx *,
                          wlab_err *);
/* q = beta'K beta for alpha and y; leaves K beta in s->kb. */
wlab_code well_quadratic(wellsvm *, const double *alpha, const int8_t *y, double *q, wlab_ctx *, wlab_err *);
/* y = argmax over the label set of f'y, f(x_k) = sum_t w_t'phi(x_k): the prediction rounded into the label set.  Ties
 * are broken as in ref. */
wlab_code well_round(wellsvm *, const int8_t *ref, int8_t *y, wlab_ctx *, wlab_err *);
/* One update of mu.  *done: the relative gap of the master is certified to be at most `tol`, or cannot be reduced any
 * more; master_gap has its value. */
wlab_code well_master_update(wellsvm *, double tol, bool *done, wlab_ctx *, wlab_err *);
/* G(alpha, y) in the paper's scale for the quadratic form q. */
double well_G(const wellsvm *, const well_point *, double q);
/* The certified upper bound of max_alpha sum_t mu_t G, in the paper's scale. */
double well_upper(const wellsvm *, const well_point *);
/* An upper limit of the rounding error of a bound computed at this point: q and 1'alpha are sums with cancellation,
 * each off by a few eps (sum_i alpha_i sqrt(K_ii))^2.  Bounds are moved outwards by it. */
double well_rounding(const wellsvm *, const well_point *);
/* Lowers integer_upper and upper_bound to the SVM objective of a labeling, or an upper bound of it: it bounds the
 * mixed-integer optimum, and with it the relaxation's, from above. */
void well_offer_labeling(wellsvm *, double objective);
/* The value J of the box QP in the paper's scale: J, or -1/(4 J). */
double well_scaled(const wellsvm *, double J);

/* ---- finish.c ---- */
/* If the run has just ended and finish=alternate: its verdict is WL_MORE again, and the stage begins. */
void well_finish_begin(wellsvm *);
/* Returns to the master, after `set`. */
void well_finish_cancel(wellsvm *);
/* One step of the stage.  After an error only scalars of *s have changed. */
wlab_code well_finish_step(wellsvm *, wlab_ctx *, wlab_err *);

/* ---- start.c ---- */
/* Computes the first labeling and stores it in `pending` and `before`. */
wlab_code well_start(wellsvm *, wlab_ctx *, wlab_err *);

/* ---- svm.c ---- */
/* Whether conjugate gradients solve Newton's equations of the SVM: for a squared hinge loss and many rows. */
bool well_large(const wellsvm *);
/* H [T x T] = the Hessian of J at `at` and mu.  X [T x m]: if mu changes by d, alpha changes by -sum_t d_t X_t to
 * first order; X = 0 if this is not known. */
wlab_code well_hessian(wellsvm *, double *X, double *H, wlab_ctx *, wlab_err *);
/* The box QP, or the group QP if examples share slacks, for Q [m x m] from alpha on, and g [m] = its gradient. */
wlab_code well_solve_Q(wellsvm *, double tol, double *alpha, double *g, wlab_boxqp_result *, wlab_ctx *,
                       wlab_err *);
/* Solves the SVM at weights mu over labelings y [T x n] (NULL: the working set) and fills `at`.  Starts from
 * at->alpha; increments s->svms. */
wlab_code well_solve(wellsvm *, const int8_t *y, int64_t T, const double *mu, double tol, well_point *at,
                     wlab_ctx *, wlab_err *);
/* Allocates s->Q if it is NULL; false: no memory. */
bool well_reserve_Q(wellsvm *);
/* s->Q = Q_mu over labelings y [T x n]. */
wlab_code well_form_Q(wellsvm *, const int8_t *y, int64_t T, const double *mu, wlab_ctx *, wlab_err *);
/* Fills `at` from at->alpha, which the caller computed. */
wlab_code well_assess(wellsvm *, const int8_t *y, int64_t T, const double *mu, well_point *at, wlab_ctx *ctx,
                      wlab_err *err);

/* ---- bags.c ---- */
/* Numbers the examples that have a free label: place [m] gets 0, 1, ... for them and -1 for the others.  Returns how
 * many were numbered. */
int64_t well_free_examples(const wellsvm *, int32_t *place);
/* well_form_Q if examples are bags. */
wlab_code well_bags_form_Q(wellsvm *, const int8_t *y, int64_t T, const double *mu, const wlab_ctx *,
                           wlab_err *);
/* out_t = K beta_t for T vectors that agree in most entries. */
wlab_code well_bags_multiply(const wellsvm *, const double *beta, int64_t T, double *out, wlab_ctx *,
                             wlab_err *);

/* ---- thin.c ---- */
/* Sets s->thin: whether Q_mu = F F' with few columns pays off. */
wlab_code well_thin_decide(wellsvm *, wlab_err *);
/* Whether the SVM of a single labeling alone pays off with few columns, that of several labelings does not. */
bool well_thin_alone(const wellsvm *);
/* *F [m x *r], owned by the caller: Q_mu = F F'. */
wlab_code well_thin_form(const wellsvm *, const int8_t *y, int64_t T, const double *mu, double **F,
                         int64_t *r, wlab_err *);
/* The same for one vector of labels c [n] that need not be integers. */
wlab_code well_thin_mean(const wellsvm *, const double *c, double **F, int64_t *r, wlab_err *);
/* well_solve with such an F, and the Hessian that well_hessian otherwise gets from wlab_boxqp_hessian. */
wlab_code well_thin_solve(wellsvm *, const int8_t *y, int64_t T, const double *mu, double tol, well_point *,
                          wlab_ctx *, wlab_err *);
wlab_code well_thin_hessian(const wellsvm *, const double *B, double *H, wlab_err *);

/* ---- interior.c ---- */
/* Solves the master by a primal-dual interior-point method in alpha and mu together, to a certified relative gap of
 * tol.  Sets at.alpha and mu (and evaluated = false) if the gap is smaller than before.  Cost: 10 to 40 times m^3 /
 * 3. */
wlab_code well_interior_solve(wellsvm *, double tol, wlab_ctx *, wlab_err *);

/* ---- search.c ---- */
typedef struct well_found {
    int8_t *y;  /* [n] */
    double q;   /* y'Hy */
    double M;   /* >= max over B of y'Hy, certified; inf: not known */
    bool known; /* y is already in the working set (up to rows with alpha = 0) */
    bool cut;   /* the tree search reached its limit of nodes */
} well_found;
wlab_code well_search_run(wellsvm *, well_found *, wlab_ctx *, wlab_err *);
enum {
    WELL_ENUMERATE_LOG2 =
        14, /* search=exact enumerates up to 2^14 labelings, which is then faster than a tree */
    WELL_INTEGER_LOG2 = 16 /* integer=all: at most 2^16 labelings */
};

/* ---- exact.c ---- */
/* Whether search=exact enumerates all labelings.  Otherwise it runs branch and bound from a good labeling. */
bool well_enumerates(const wellsvm *);
/* Sets found->y to a maximiser of y'Hy over B, or to the best labeling that a tree of `nodes` nodes finds, *q = y'Hy,
 * the bound found->M, and found->cut if the tree was not completed. */
wlab_code well_exact_run(wellsvm *, const double *a, int64_t nodes, well_found *found, double *q, wlab_ctx *,
                         wlab_err *);

/* ---- linf.c ---- */
/* WL_EARG if the axes are not available on this problem. */
wlab_code well_linf_check(const wellsvm *, wlab_err *);
/* y = the labeling of B with the largest |axis_j'(a.y)| over all axes (Yu et al., Eqs. 19 to 21), a [n]; *most: that
 * value.  Ties go to the first axis, and there to the maximum rather than the minimum.  *M >= max over B of y'Hy,
 * certified: the sum over the axes of the largest squared coordinate, and rest ||a||^2 for the omitted axes.  Computes
 * the axes if they are NULL.  O(axes n log n). */
wlab_code well_linf_run(wellsvm *, const double *a, int8_t *y, double *most, double *M, wlab_ctx *,
                        wlab_err *);

/* ---- bound.c ---- */
/* `fraction` of |objective| in the scale of y'Hy at the current alpha. */
double well_tolerance(const wellsvm *, double fraction);
/* M >= max over B of y'Hy, H = K.(aa'), from the multipliers of quadmax; *M = inf if K is not formed. */
wlab_code well_diagonal_bound(wellsvm *, const double *alpha, double *M, wlab_ctx *, wlab_err *);
/* The lower bound on the optimum that a certified M >= max y'Hy gives at `at`, in the paper's scale; it may scale
 * alpha down. */
double well_lower_from(const wellsvm *, const well_point *at, double M);
/* Solves the SVM of the examples whose labels are fixed, to `tol`; fills at and y (0 if the label is free).  If no
 * label is fixed, it solves nothing and sets *any to false. */
wlab_code well_labelled_solve(wellsvm *, double tol, int8_t *y, well_point *at, bool *any, wlab_ctx *,
                              wlab_err *);
/* The supervised optimum on the examples whose labels are fixed (alpha = 0 elsewhere), in the paper's scale. */
wlab_code well_labelled_bound(wellsvm *, double *lower, wlab_ctx *, wlab_err *);

/* ---- linear.c ---- */
/* well_solve at size, by dual coordinate ascent on all weight vectors at once; starts from at->alpha. */
wlab_code well_linear_solve(wellsvm *, const int8_t *y, int64_t T, const double *mu, double tol,
                            well_point *at, wlab_ctx *, wlab_err *);
/* Solves the master at size in alpha and mu together, from s->at.alpha and s->mu, to a relative gap (of the SVM and
 * of mu) of tol; sets s->mu and s->at.  *done: that gap is certified. */
wlab_code well_linear_master(wellsvm *, double tol, bool *done, wlab_ctx *, wlab_err *);

#endif
