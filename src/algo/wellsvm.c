/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM (Li, Tsang, Kwok and Zhou): max over alpha of min over y in B of G(alpha, y), by cutting planes
 * (Algorithms 1 and 2).  A step adds the violated labeling found before, solves the master problem over the working
 * set, and searches for the next violated labeling.  Written over label sets: nothing here knows the task.
 */
#include "algo/wellsvm.h"
#include "algo/algos.h"

#include <cblas.h>
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    GRAM_ROWS = 4000,    /* linear kernel: K in memory up to here */
    KERNEL_ROWS = 16000, /* other kernels: K must fit */
    DIAGONAL_ROWS = 400, /* bound=auto: the diagonal bound up to here */
    FREE_EXACT = 40,     /* search=auto */
    AUTO_EXACT_LOG2 = 20,
    SIZE_LABELINGS = 25,
    ALIGNMENT_STARTS = 20,
};

static const char *const loss_names[] = {"auto", "hinge", "sum-to-one", "squared-hinge", NULL};
static const char *const search_names[] = {"auto", "paper", "multistart", "exact", NULL};
static const char *const master_names[] = {"newton", "mklgl", NULL};
static const char *const bound_names[] = {"auto", "labelled", "diagonal", NULL};

static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("1x"),
    {"loss", WL_P_CHOICE, "auto", 0, 0, loss_names, NULL,
     "G(alpha,y): hinge (Eq. 14), sum-to-one (mu-SVM), squared-hinge; auto: hinge if linear, else sum-to-one",
     0},
    {"C", WL_P_REAL, NULL, 0, HUGE_VAL, NULL, NULL, "C1 and C2 at once",
     WL_P_OPEN_LO | WL_P_ALIAS | WL_P_MUTABLE},
    {"C1", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "penalty C1 of the labelled examples",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"C2", WL_P_REAL, "0.1", 0, HUGE_VAL, NULL, NULL, "penalty C2 of the unlabelled examples",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"lambda", WL_P_REAL, "1", 0, HUGE_VAL, NULL, NULL, "squared-hinge: weight of ||w||^2/2, as in SVMlin",
     WL_P_OPEN_LO},
    {"search", WL_P_CHOICE, "auto", 0, 0, search_names, NULL,
     "violated labeling: paper (Eq. 21, once), multistart, exact (enumeration); auto: by the free labels",
     WL_P_MUTABLE},
    {"master", WL_P_CHOICE, "newton", 0, 0, master_names, NULL,
     "how mu is found: newton, or mklgl as printed (Section 4.1.2)", WL_P_MUTABLE},
    {"bound", WL_P_CHOICE, "auto", 0, 0, bound_names, NULL,
     "certified lower bound: labelled rows only, or a minimal-trace diagonal shift (auto: up to 400 rows)",
     WL_P_MUTABLE},
    {"eps", WL_P_REAL, "1e-6", 0, 1, NULL, "relative",
     "stop when violation + master gap + inner gap <= eps |p|", WL_P_OPEN_LO | WL_P_MUTABLE},
    {"mtol", WL_P_REAL, NULL, 0, 1, NULL, "relative",
     "gap to which the master is solved (default 1e-8; linear kernel at size 1e-3)",
     WL_P_OPEN_LO | WL_P_MUTABLE},
    {"decrease", WL_P_REAL, "0", 0, 1, NULL, "relative",
     "search=paper: stop as well when the objective falls by less than this", WL_P_MUTABLE},
    {"labelings", WL_P_INT, "200", 1, 100000, NULL, NULL, "stop at this many labelings in the working set",
     WL_P_MUTABLE},
    {"starts", WL_P_INT, "10", 0, 100000, NULL, NULL, "multistart: random labelings to start from",
     WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 9007199254740992.0, NULL, NULL, "of the random starts", 0},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_INNER_GAP,
    M_MASTER_GAP,
    M_VIOLATION,
    M_INTEGER_UPPER,
    M_FLIPS,
    M_WORKING_SET,
    M_ACTIVE,
    M_MKL_ITERS,
    M_SVM_ITERS,
    M_SECONDS,
    M_COUNT
};

static const wlab_metric_info metrics[] = {
    {"objective", NULL, false, 0, "the master's dual value at the current alpha and mu",
     "sum_t mu_t G(alpha, y_t), Eq. 11 (Eq. 15 for ssl)"},
    {"upper", NULL, false, 0,
     "smallest certified upper bound on the optimum of the relaxation so far; never rises",
     "J(mu) = max_alpha sum_t mu_t G(alpha, y_t), its SVM's primal value"},
    {"lower", NULL, false, 0,
     "largest certified lower bound on the optimum of the relaxation so far; never falls",
     "min over B of G(alpha, y) >= 1'alpha - M/2, M >= max y'Hy; or the labelled rows' SVM"},
    {"gap", NULL, true, 0, "upper - lower: how far from the relaxation's optimum the run can be at most",
     NULL},
    {"inner_gap", NULL, true, 0, "primal minus dual of the SVM just solved", NULL},
    {"master_gap", NULL, true, 0, "certified gap of the master over the working set",
     "sum_t mu_t G(alpha, y_t) - min_t G(alpha, y_t)"},
    {"violation", NULL, true, 0, "by how much the labeling just found violates the working set",
     "epsilon_r = min over C of G(alpha, y) - G(alpha, y_r), Proposition 3"},
    {"integer_upper", NULL, false, 0,
     "SVM objective of the best feasible labeling seen: upper bound on the mixed-integer problem",
     "max_alpha G(alpha, y) at one y in B, Eq. 3"},
    {"flips", "labels", false, WL_M_COUNT, "labels (alpha > 0) that differ between the two newest labelings",
     NULL},
    {"working_set", "labelings", false, WL_M_COUNT, "labelings in the working set C", NULL},
    {"active", "labelings", false, WL_M_COUNT, "labelings with mu > 0", NULL},
    {"mkl_iters", NULL, false, WL_M_COUNT, "updates of mu in this step", NULL},
    {"svm_iters", NULL, false, WL_M_COUNT, "SVM problems solved in this step", NULL},
    {"seconds", "s", false, WL_M_VOLATILE, "time in the solver since the start", NULL},
    {NULL, NULL, false, 0, NULL, NULL}};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void destroy(void *state)
{
    wellsvm *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_free(s->K);
    wlab_free(s->Q);
    wlab_free(s->kb);
    wlab_free(s->beta);
    wlab_free(s->delta);
    wlab_free(s->upper);
    wlab_free(s->sqnorm);
    wlab_free(s->y);
    wlab_free(s->mu);
    wlab_free(s->G);
    wlab_free(s->at.alpha);
    wlab_free(s->at.q);
    wlab_free(s->pending);
    wlab_free(s->before);
    wlab_free(s);
}

/* Room for `want` labelings. */
static wlab_code reserve(wellsvm *s, int64_t want, wlab_err *err)
{
    if (want <= s->cap)
        return WL_OK;
    int64_t cap = s->cap ? 2 * s->cap : 8;
    cap = cap < want ? want : cap;
    struct {
        void **p;
        size_t size;
    } grow[] = {
        {(void **)&s->y, (size_t)s->n}, {(void **)&s->mu, 8}, {(void **)&s->G, 8}, {(void **)&s->at.q, 8}};
    for (size_t k = 0; k < sizeof grow / sizeof *grow; k++) {
        void *p = wlab_realloc(*grow[k].p, (size_t)cap, grow[k].size);
        if (!p)
            return wlab_nomem(err);
        *grow[k].p = p;
    }
    s->cap = cap;
    return WL_OK;
}

static void costs(wellsvm *s)
{
    for (int64_t i = 0; i < s->m; i++) {
        double C = s->p->cost[i] ? s->C2 : s->C1;
        s->upper[i] = s->delta ? HUGE_VAL : C;
        if (s->delta)
            s->delta[i] = 1 / C;
    }
}

static void read_mutable(wellsvm *s, const wlab_params *p)
{
    bool both = wlab_params_given(p, "C");
    s->C1 = wlab_params_real(p, both && !wlab_params_given(p, "C1") ? "C" : "C1");
    s->C2 = wlab_params_real(p, both && !wlab_params_given(p, "C2") ? "C" : "C2");
    s->master = (well_master)wlab_params_choice(p, "master");
    s->bound = (well_bound)wlab_params_choice(p, "bound");
    s->eps = wlab_params_real(p, "eps");
    s->decrease = wlab_params_real(p, "decrease");
    s->master_tol = wlab_params_real(p, "mtol");
    if (isnan(s->master_tol))
        s->master_tol = s->at_size ? 1e-3 : 1e-8;
    s->max_labelings = wlab_params_int(p, "labelings");
    if (s->at_size && !wlab_params_given(p, "labelings"))
        s->max_labelings = SIZE_LABELINGS;
    s->starts = wlab_params_int(p, "starts");
    int search = wlab_params_choice(p, "search");
    if (search > 0) {
        s->search = (well_search)(search - 1);
        return;
    }
    const wlab_labelset *B = s->p->labels;
    if (!s->at_size && B->ops->count(B) <= ldexp(1, AUTO_EXACT_LOG2))
        s->search = WELL_EXACT;
    else
        s->search = wlab_labelset_free_count(B) <= FREE_EXACT ? WELL_MULTISTART : WELL_PAPER;
}

static wlab_code check_search(const wellsvm *s, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    double count = B->ops->count(B);
    if (s->search == WELL_EXACT && (!s->K || count > ldexp(1, WELL_ENUMERATE_LOG2)))
        return wlab_fail(err, WL_EARG,
                         "search=exact enumerates at most 2^%d labelings and here are about %.3g; use "
                         "search=multistart, or hide fewer labels",
                         WELL_ENUMERATE_LOG2, count);
    return WL_OK;
}

/* The labelled rows' SVM predicts, the label set rounds; without labelled rows, the best of some random labelings
 * by kernel alignment y'Ky. */
static wlab_code initial_labeling(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_labelset *B = s->p->labels;
    wlab_code code = WL_OK;
    well_point at = {0};
    double q = 0, one = 1, *keep = s->upper, *upper = wlab_alloc((size_t)s->m, sizeof *upper);
    int8_t *y = wlab_calloc((size_t)s->n, 1);
    at.alpha = wlab_calloc((size_t)s->m, sizeof(double));
    at.q = &q;
    if (!upper || !y || !at.alpha) {
        code = wlab_nomem(err);
        goto out;
    }
    int64_t fixed = 0;
    memcpy(upper, keep, (size_t)s->m * sizeof *upper);
    for (int64_t k = 0; k < s->n; k++) {
        int f = B->ops->fixed(B, k);
        if (f == 2)
            upper[s->p->example[k]] = 0;
        else
            y[k] = (int8_t)f;
        fixed += f != 2;
    }
    if (fixed > 0) {
        s->upper = upper;
        code = well_solve(s, y, 1, &one, 1e-8, &at, ctx, err);
        s->upper = keep;
        if (!code)
            code = well_quadratic(s, at.alpha, y, &q, ctx, err); /* kb = f */
        if (!code)
            code = B->ops->argmax(B, s->kb, NULL, s->pending, err);
    } else {
        double best = -HUGE_VAL;
        for (int k = 0; k < ALIGNMENT_STARTS && !code; k++) {
            B->ops->random(B, &s->rng, y);
            for (int64_t i = 0; i < s->m; i++)
                at.alpha[i] = 1;
            code = well_quadratic(s, at.alpha, y, &q, ctx, err);
            if (!code && q > best) {
                best = q;
                memcpy(s->pending, y, (size_t)s->n);
            }
        }
    }
    memcpy(s->before, s->pending, (size_t)s->n);
out:
    wlab_free(upper);
    wlab_free(y);
    wlab_free(at.alpha);
    return code;
}

static void forget_bounds(wellsvm *s)
{
    s->objective = s->last_objective = s->upper_bound = s->lower_bound = s->integer_upper = NAN;
    s->inner_gap = s->master_gap = s->violation = NAN;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = wlab_calloc(1, sizeof *s);
    wlab_code code;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    wlab_blas_init();
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->m = p->examples;
    size_t n = (size_t)s->n, m = (size_t)s->m;
    if ((code = wlab_kernel_choose(&s->kernel, given, p->X, pool, err)))
        goto fail;
    int loss = wlab_params_choice(given, "loss");
    s->loss = loss > 0 ? (well_loss)(loss - 1) : s->kernel.kind == WL_K_LINEAR ? WELL_HINGE : WELL_SUM_TO_ONE;
    s->lambda = s->loss == WELL_SQUARED_HINGE ? wlab_params_real(given, "lambda") : 1;
    if (wlab_params_given(given, "lambda") && s->loss != WELL_SQUARED_HINGE) {
        code = wlab_fail(err, WL_EARG, "lambda= goes with loss=squared-hinge only");
        goto fail;
    }
    s->at_size = s->kernel.kind == WL_K_LINEAR && s->n > GRAM_ROWS && s->n == s->m;
    if (!s->at_size && s->n > KERNEL_ROWS) {
        code =
            wlab_fail(err, WL_EARG,
                      "the kernel matrix of %lld rows would take %.0f GB; take at most %d rows (`split`), or "
                      "kernel=linear",
                      (long long)s->n, 8e-9 * (double)s->n * (double)s->n, KERNEL_ROWS);
        goto fail;
    }
    wlab_rng_seed(&s->rng, (uint64_t)wlab_params_int(given, "seed"));
    read_mutable(s, given);
    if (s->at_size) {
        s->sqnorm = wlab_alloc(n, sizeof *s->sqnorm);
    } else {
        s->K = wlab_alloc(n * n, sizeof *s->K);
        s->Q = wlab_alloc(m * m, sizeof *s->Q);
    }
    s->kb = wlab_alloc(n, sizeof *s->kb);
    s->beta = wlab_alloc(n, sizeof *s->beta);
    s->upper = wlab_alloc(m, sizeof *s->upper);
    s->pending = wlab_alloc(n, 1);
    s->before = wlab_alloc(n, 1);
    s->at.alpha = wlab_calloc(m, sizeof *s->at.alpha);
    if (s->loss != WELL_HINGE)
        s->delta = wlab_alloc(m, sizeof *s->delta);
    if ((s->at_size ? !s->sqnorm : !s->K || !s->Q) || !s->kb || !s->beta || !s->upper || !s->pending ||
        !s->before || !s->at.alpha || (s->loss != WELL_HINGE && !s->delta)) {
        code = wlab_nomem(err);
        goto fail;
    }
    if ((code = check_search(s, err)) || (code = reserve(s, 8, err)))
        goto fail;
    if (s->K) {
        if ((code = wlab_kernel_matrix(&s->kernel, p->X, p->X, p->row, s->K, pool, err)))
            goto fail;
        if (s->lambda != 1)
            cblas_dscal((int)(n * n), 1 / s->lambda, s->K, 1);
    } else {
        double b2 = s->kernel.bias * s->kernel.bias;
        for (int64_t k = 0; k < s->n; k++)
            s->sqnorm[k] = (wlab_matrix_row_sqnorm(p->X, k) + b2) / s->lambda;
    }
    costs(s);
    forget_bounds(s);
    if ((code = initial_labeling(s, ctx, err)))
        goto fail;
    *state = s;
    return WL_OK;
fail:
    destroy(s);
    return code;
}

/* ---- a step ---- */

static bool known(const wellsvm *s, const int8_t *y)
{
    for (int64_t t = 0; t < s->T; t++)
        if (memcmp(well_labeling(s, t), y, (size_t)s->n) == 0)
            return true;
    return false;
}

static wlab_code begin_step(wellsvm *s, wlab_err *err)
{
    wlab_code code = reserve(s, s->T + 1, err);
    if (code)
        return code;
    if (s->T > 0)
        memcpy(s->before, well_labeling(s, s->T - 1), (size_t)s->n);
    if (!known(s, s->pending)) { /* after `set` on a finished run it may be there already */
        memcpy(s->y + s->T * s->n, s->pending, (size_t)s->n);
        double fresh = s->T == 0 ? 1 : s->master == WELL_MKLGL || !s->K ? 1.0 / (double)(s->T + 1) : 0;
        for (int64_t t = 0; t < s->T; t++)
            s->mu[t] *= 1 - fresh;
        s->mu[s->T] = fresh;
        s->at.q[s->T] = s->G[s->T] = 0;
        s->T++;
        well_normalise(s->mu, s->T);
    }
    s->last_objective = s->objective;
    s->in_master = true;
    s->evaluated = s->tightened = false;
    s->updates = s->svms = s->stuck = 0;
    return WL_OK;
}

/* The SVM objective of one feasible labeling bounds the mixed-integer problem. */
static wlab_code try_integer(wellsvm *s, const int8_t *y, wlab_ctx *ctx, wlab_err *err)
{
    well_point at = {0};
    double q = 0, one = 1;
    at.alpha = wlab_alloc((size_t)s->m, sizeof(double));
    at.q = &q;
    if (!at.alpha)
        return wlab_nomem(err);
    memcpy(at.alpha, s->at.alpha, (size_t)s->m * sizeof(double));
    wlab_code code = well_solve(s, y, 1, &one, s->K ? 1e-10 : 0.1 * s->master_tol, &at, ctx, err);
    if (!code) {
        double up = well_upper(s, &at);
        if (isnan(s->integer_upper) || up < s->integer_upper)
            s->integer_upper = up;
        /* the relaxation's optimum lies below the SVM of any one labeling of B */
        if (up < s->upper_bound)
            s->upper_bound = up;
    }
    wlab_free(at.alpha);
    return code;
}

static wlab_code integer_bounds(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = s->n, svms = s->svms;
    const int8_t *newest = well_labeling(s, s->T - 1);
    int8_t *y = wlab_alloc((size_t)n, 1);
    wlab_code code = WL_OK;
    if (!y) {
        code = wlab_nomem(err);
        goto out;
    }
    if ((code = try_integer(s, newest, ctx, err)))
        goto out;
    if ((code = well_round(s, newest, y, ctx, err)))
        goto out;
    if (!known(s, y)) /* each labeling of the working set was tried when it was the newest */
        code = try_integer(s, y, ctx, err);
out:
    s->svms = svms;
    wlab_free(y);
    return code;
}

static wlab_code lower_bounds(wellsvm *s, const well_found *found, wlab_ctx *ctx, wlab_err *err)
{
    double lower = -HUGE_VAL, M = HUGE_VAL;
    wlab_code code;
    if (isnan(s->lower_bound)) {
        if ((code = well_labelled_bound(s, &lower, ctx, err)))
            return code;
        if (isfinite(lower))
            s->lower_bound = lower;
    }
    if (found->optimal)
        M = found->q;
    else if (s->bound == WELL_BOUND_DIAGONAL || (s->bound == WELL_BOUND_AUTO && s->n <= DIAGONAL_ROWS)) {
        if ((code = well_diagonal_bound(s, s->at.alpha, &M, ctx, err)))
            return code;
    }
    lower = well_lower_from(s, &s->at, M);
    if (isfinite(lower) && (isnan(s->lower_bound) || lower > s->lower_bound))
        s->lower_bound = lower;
    /* both are certified up to rounding: the optimum lies between them */
    if (s->lower_bound > s->upper_bound && s->lower_bound - s->upper_bound < 1e-11 * fabs(s->upper_bound))
        s->lower_bound = s->upper_bound;
    return WL_OK;
}

static void judge(wellsvm *s, const well_found *found, bool *tighten, wlab_ctx *ctx)
{
    double scale = fabs(s->objective), remains = s->violation + s->master_gap + s->inner_gap;
    double fall = isnan(s->last_objective) ? HUGE_VAL : (s->last_objective - s->objective) / scale;
    bool nothing_new = found->known || !(s->violation > 1e-14 * scale);
    *tighten = false;
    s->verdict = WL_MORE;
    if (s->at_size) {
        s->slow = fall < 1e-3 ? s->slow + 1 : 0;
        if (s->violation < 1e-2 * scale && (s->slow >= 2 || nothing_new)) {
            s->verdict = WL_CONVERGED;
            wlab_emit_note(
                ctx, "converged: violation below 1e-2 |p| and the objective settled (the rule for size)");
        }
    }
    if (s->verdict == WL_MORE && remains <= s->eps * scale)
        s->verdict = WL_CONVERGED;
    else if (s->verdict == WL_MORE && s->search == WELL_PAPER && s->decrease > 0 && fall < s->decrease) {
        s->verdict = WL_CONVERGED;
        wlab_emit_note(ctx, "converged: the objective fell by less than decrease=%g", s->decrease);
    } else if (s->verdict == WL_MORE && nothing_new) {
        if (!s->tightened && s->K) {
            *tighten = true;
        } else if (s->search == WELL_PAPER) {
            s->verdict = WL_CONVERGED;
            wlab_emit_note(ctx, "converged: Eq. 21 finds no violated labeling (search=multistart may)");
        } else {
            s->verdict = WL_STALLED;
            wlab_emit_note(ctx,
                           "stalled: no new labeling is violated, but a gap of %.3g remains in the master",
                           s->master_gap + s->inner_gap);
        }
    }
    if (s->verdict == WL_MORE && !*tighten && s->T >= s->max_labelings)
        s->verdict = WL_LIMIT;
}

static wlab_code end_step(wellsvm *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    bool tighten = false;
    well_found found = {0};
    int8_t *y = wlab_alloc((size_t)s->n, 1);
    if (!y)
        return wlab_nomem(err);
    found.y = y;
    if ((code = well_search_run(s, &found, ctx, err)))
        goto out;
    double least = HUGE_VAL;
    for (int64_t t = 0; t < s->T; t++)
        least = s->G[t] < least ? s->G[t] : least;
    double violation = least - well_G(s, &s->at, found.q);
    s->violation = violation > 0 ? violation : 0;
    judge(s, &found, &tighten, ctx);
    if (tighten) {
        s->tightened = true;
        s->stuck = 0;
        goto out;
    }
    if ((code = integer_bounds(s, ctx, err)) || (code = lower_bounds(s, &found, ctx, err)))
        goto out;
    const int8_t *newest = well_labeling(s, s->T - 1);
    s->flips = 0;
    for (int64_t k = 0; k < s->n; k++)
        s->flips += newest[k] != s->before[k] && s->at.alpha[s->p->example[k]] > 0;
    memcpy(s->pending, y, (size_t)s->n);
    s->in_master = false;
    s->step++;
    s->finished = s->verdict != WL_MORE;
    *outer = true;
    wlab_emit_note(ctx, "y%lld: %lld flips; master over %lld labelings, gap %.2g; next violation %.3g",
                   (long long)s->T, (long long)s->flips, (long long)s->T, s->master_gap, s->violation);
out:
    wlab_free(y);
    return code;
}

static wlab_code unit(wellsvm *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    bool done = false;
    if (!s->in_master && (code = begin_step(s, err)))
        return code;
    double tol = s->tightened ? s->master_tol / 10 : s->master_tol;
    if ((code = well_master_update(s, tol, &done, ctx, err)))
        return code;
    return done ? end_step(s, outer, ctx, err) : WL_OK;
}

static wlab_code advance(void *state, wlab_ctx *ctx, bool *outer, wlab_verdict *verdict, wlab_err *err)
{
    wellsvm *s = state;
    *outer = false;
    if (s->finished) {
        *outer = true;
        *verdict = s->verdict;
        return WL_OK;
    }
    /* what an error or an interrupt must put back: scalars, mu, alpha (labelings are only appended) */
    double start = now();
    size_t m = (size_t)s->m, T = (size_t)s->T;
    wellsvm was = *s;
    double *keep = wlab_alloc(m + 3 * T, sizeof *keep);
    int8_t *before = wlab_alloc((size_t)s->n, 1);
    wlab_code code = keep && before ? WL_OK : wlab_nomem(err);
    if (!code) {
        memcpy(before, s->before, (size_t)s->n);
        memcpy(keep, s->at.alpha, m * sizeof *keep);
        memcpy(keep + m, s->mu, T * sizeof *keep);
        memcpy(keep + m + T, s->G, T * sizeof *keep);
        memcpy(keep + m + 2 * T, s->at.q, T * sizeof *keep);
        code = unit(s, outer, ctx, err);
        if (code) {
            /* the arrays may have been moved by reserve(): keep the new ones */
            was.y = s->y, was.mu = s->mu, was.G = s->G, was.cap = s->cap;
            was.at.q = s->at.q;
            *s = was;
            memcpy(s->before, before, (size_t)s->n);
            memcpy(s->at.alpha, keep, m * sizeof *keep);
            memcpy(s->mu, keep + m, T * sizeof *keep);
            memcpy(s->G, keep + m + T, T * sizeof *keep);
            memcpy(s->at.q, keep + m + 2 * T, T * sizeof *keep);
            *outer = false;
        }
    }
    wlab_free(keep);
    wlab_free(before);
    s->seconds += now() - start;
    *verdict = s->verdict;
    return code;
}

/* ---- looking ---- */

static int64_t active(const wellsvm *s)
{
    int64_t count = 0;
    for (int64_t t = 0; t < s->T; t++)
        count += s->mu[t] > 0;
    return count;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const wellsvm *s = state;
    if (metric) {
        bool begun = s->T > 0;
        metric[M_OBJECTIVE] = s->objective;
        metric[M_UPPER] = s->upper_bound;
        metric[M_LOWER] = s->lower_bound;
        double gap = s->upper_bound - s->lower_bound;
        metric[M_GAP] = gap < 0 ? 0 : gap;
        metric[M_INNER_GAP] = s->inner_gap;
        metric[M_MASTER_GAP] = s->master_gap;
        metric[M_VIOLATION] = s->violation;
        metric[M_INTEGER_UPPER] = s->integer_upper;
        metric[M_FLIPS] = begun ? (double)s->flips : NAN;
        metric[M_WORKING_SET] = (double)s->T;
        metric[M_ACTIVE] = (double)active(s);
        metric[M_MKL_ITERS] = (double)s->updates;
        metric[M_SVM_ITERS] = (double)s->svms;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        memcpy(labels, s->T > 0 ? well_labeling(s, s->T - 1) : s->pending, (size_t)s->n);
}

static wlab_code weights(const void *state, wlab_weights *w, wlab_err *err)
{
    const wellsvm *s = state;
    w->name = "mu";
    w->n = s->T;
    w->value = wlab_alloc((size_t)s->T, sizeof *w->value);
    if (!w->value)
        return wlab_nomem(err);
    memcpy(w->value, s->mu, (size_t)s->T * sizeof *w->value);
    return WL_OK;
}

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const wellsvm *s = state;
    *out = NULL;
    if (s->T == 0 || !s->evaluated)
        return wlab_fail(err, WL_ESTATE, "there is no model yet: `step` first");
    double *c = wlab_alloc((size_t)s->n, sizeof *c), S = s->loss == WELL_SUM_TO_ONE ? s->at.S : 1;
    if (!c)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n; k++) {
        double sum = 0;
        for (int64_t t = 0; t < s->T; t++)
            sum += s->mu[t] * well_labeling(s, t)[k];
        c[k] = sum * s->at.alpha[s->p->example[k]] / (S * s->lambda);
    }
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    wlab_free(c);
    return code;
}

static void explain(const void *state, char *buf, size_t size)
{
    const wellsvm *s = state;
    static const char *const how[] = {"linearising once at the best labeling of the working set (Eq. 21)",
                                      "climbing from many starts", "looking at every labeling in B"};
    if (s->step == 0) {
        snprintf(
            buf, size,
            "Nothing was stepped yet. y1 is the labeling that the SVM of the labelled rows predicts, rounded "
            "into the label set B (%.4g labelings).",
            s->p->labels->ops->count(s->p->labels));
        return;
    }
    char mu[256] = "";
    size_t at = 0;
    for (int64_t t = 0; t < s->T; t++)
        if (s->mu[t] > 0 && at + 32 < sizeof mu)
            at += (size_t)snprintf(mu + at, sizeof mu - at, "%smu%lld = %.3f", at ? ", " : "",
                                   (long long)t + 1, s->mu[t]);
    snprintf(
        buf, size,
        "Step %lld added labeling y%lld to the working set C (%lld of its labels with alpha > 0 differ from "
        "y%lld's) and solved the master problem min over mu of max over alpha of sum_t mu_t G(alpha, y_t) in "
        "%lld updates of mu and %lld SVMs: objective %.10g, certified master gap %.2g. Weights: %s. Then it "
        "searched B for a violated labeling, %s: the one found has G lower by %.4g than every labeling in C. "
        "%s",
        (long long)s->step, (long long)s->T, (long long)s->flips, (long long)(s->T > 1 ? s->T - 1 : 1),
        (long long)s->updates, (long long)s->svms, s->objective, s->master_gap, mu, how[s->search],
        s->violation,
        s->verdict == WL_MORE        ? "It will be added next."
        : s->verdict == WL_CONVERGED ? "That is within the tolerance: converged."
                                     : "The run ends here.");
}

static void next(const void *state, char *buf, size_t size)
{
    const wellsvm *s = state;
    if (s->finished)
        snprintf(buf, size, "the run is %s; `back`, `set` or a new `algo` go on from here",
                 wlab_verdict_names[s->verdict]);
    else if (s->in_master)
        snprintf(buf, size, "update mu over %lld labelings (master gap %.2g)", (long long)s->T,
                 s->master_gap);
    else
        snprintf(buf, size, "add y%lld, solve the master over %lld labelings, search for a violated labeling",
                 (long long)s->T + 1, (long long)s->T + 1);
}

/* ---- snapshots ---- */

#define WELL_SCALARS(X)                                                                                      \
    X(T)                                                                                                     \
    X(step)                                                                                                  \
    X(in_master)                                                                                             \
    X(evaluated)                                                                                             \
    X(tightened)                                                                                             \
    X(finished)                                                                                              \
    X(verdict)                                                                                               \
    X(updates)                                                                                               \
    X(svms)                                                                                                  \
    X(stuck) X(slow) X(objective) X(last_objective) X(upper_bound) X(lower_bound) X(inner_gap) X(master_gap) \
        X(violation) X(integer_upper) X(flips) X(seconds) X(rng) X(at.S) X(at.D) X(at.dual) X(at.primal)

static wlab_code snapshot(const void *state, wlab_buf *buf, wlab_err *err)
{
    const wellsvm *s = state;
    size_t T = (size_t)s->T, n = (size_t)s->n, m = (size_t)s->m;
    wlab_code code = WL_OK;
#define PUT(field) code = code ? code : wlab_buf_put(buf, &s->field, sizeof s->field);
    WELL_SCALARS(PUT)
#undef PUT
    struct {
        const void *p;
        size_t bytes;
    } parts[] = {{s->y, T * n},        {s->mu, T * 8},  {s->G, T * 8}, {s->at.q, T * 8},
                 {s->at.alpha, m * 8}, {s->pending, n}, {s->before, n}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        code = code ? code : wlab_buf_put(buf, parts[k].p, parts[k].bytes);
    return code ? wlab_nomem(err) : WL_OK;
}

static wlab_code restore(void *state, wlab_buf *buf, wlab_ctx *ctx, wlab_err *err)
{
    wellsvm *s = state;
    wellsvm to = *s;
    (void)ctx;
    wlab_code code = WL_OK;
#define GET(field) code = code ? code : wlab_buf_get(buf, &to.field, sizeof to.field);
    WELL_SCALARS(GET)
#undef GET
    if (code || to.T < 0)
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    if ((code = reserve(s, to.T, err)))
        return code;
    to.y = s->y, to.mu = s->mu, to.G = s->G, to.cap = s->cap;
    to.at.q = s->at.q;
    size_t T = (size_t)to.T, n = (size_t)s->n, m = (size_t)s->m;
    if (buf->len - buf->pos < T * n + 24 * T + 8 * m + 2 * n)
        return wlab_fail(err, WL_EINPUT, "the snapshot is damaged");
    struct {
        void *p;
        size_t bytes;
    } parts[] = {{s->y, T * n},        {s->mu, T * 8},  {s->G, T * 8}, {s->at.q, T * 8},
                 {s->at.alpha, m * 8}, {s->pending, n}, {s->before, n}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if ((code = wlab_buf_get(buf, parts[k].p, parts[k].bytes)))
            return code; /* not reached: the length was checked */
    *s = to;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *p, wlab_err *err)
{
    wellsvm *s = state, was = *s;
    read_mutable(s, p);
    wlab_code code = check_search(s, err);
    if (code) {
        *s = was;
        return code;
    }
    if (s->C1 != was.C1 || s->C2 != was.C2) {
        /* another problem: its bounds start anew, labelings and mu stay as a warm start */
        costs(s);
        forget_bounds(s);
    }
    if (s->finished) {
        s->finished = false;
        s->verdict = WL_MORE;
    }
    return WL_OK;
}

const wlab_algo wlab_algo_wellsvm = {
    .name = "wellsvm",
    .summary =
        "cutting planes over labelings: a convex relaxation of the large-margin problem with unknown labels",
    .source =
        "Li, Tsang, Kwok, Zhou, Convex and Scalable Weakly Labeled SVMs, JMLR 14 (2013): Algorithms 1 and 2, "
        "Eqs. 4 to 22",
    .tasks = WL_T_SUPERVISED | WL_T_SSL | WL_T_CLUSTER | WL_T_MIL | WL_T_LLP | WL_T_AMBIGUOUS,
    .step_unit = "add the violated labeling, solve the master to optimality, search for the next",
    .inner_unit = "one update of the mixing weights mu",
    .params = params,
    .metrics = metrics,
    .create = create,
    .advance = advance,
    .observe = observe,
    .weights = weights,
    .model = model,
    .explain = explain,
    .next = next,
    .snapshot = snapshot,
    .restore = restore,
    .set = set,
    .destroy = destroy,
};
