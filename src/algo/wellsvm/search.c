/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search for a violated labeling: max over y in B of y'Hy, H = K.(aa') (Eq. 20).
 *
 * paper: linearises once, at the best labeling of the working set (Eq. 21).
 * multistart: starts from every labeling of the working set, the rounded prediction, the sign patterns of the leading
 * eigenvectors, and random labelings; repeats the linearisation to a fixed point, then makes feasible exchanges while
 * they gain.
 * exact (exact.c): enumerates, or runs multistart and then branch and bound from its result.
 * linf (linf.c): finds the labeling with the largest coordinate along one axis.
 */
#include "algo/wellsvm/wellsvm.h"

#include <cblas.h>
#include <string.h>

enum {
    EIGENVECTORS = 4,
    POWER_STEPS = 30,
    NEAR = 64,
    LARGE = 5000,
    LARGE_STARTS = 5,
    FIXED_POINT_STEPS = 200
};

typedef struct searcher {
    wellsvm *s;
    wlab_ctx *ctx;
    double *a; /* [n] alpha of the instance's example */
    double *r; /* [n] Hy */
    int8_t *y, *next, *best;
    double best_q;
    int32_t *order; /* [n] */
    wlab_progress progress;
} searcher;

/* r = Hy and q = y'Hy. */
static wlab_code linearise(searcher *f, const int8_t *y, double *q, wlab_err *err)
{
    wellsvm *s = f->s;
    wlab_code code = well_quadratic(s, s->at.alpha, y, q, f->ctx, err);
    for (int64_t k = 0; k < s->n && !code; k++)
        f->r[k] = f->a[k] * s->kb[k];
    return code;
}

static void keep_if_better(searcher *f, const int8_t *y, double q)
{
    if (q > f->best_q) {
        f->best_q = q;
        memcpy(f->best, y, (size_t)f->s->n);
    }
}

static double diagonal(const wellsvm *s, int64_t k)
{
    return s->K ? s->K[k * s->n + k] : (double)s->sqnorm[k];
}

static double entry(const wellsvm *s, int64_t i, int64_t j)
{
    if (s->K)
        return s->K[i * s->n + j];
    double b2 = s->kernel.bias * s->kernel.bias;
    return (wlab_matrix_rows_dot(s->p->X, i, s->p->X, j) + b2) / s->lambda;
}

/* Repeated linearisation: y <- argmax r(y)'y while y'Hy grows.  Starts from f->y and replaces it; f->r belongs to
 * it. */
static wlab_code fixed_point(searcher *f, double *q, wlab_err *err)
{
    wellsvm *s = f->s;
    wlab_code code = linearise(f, f->y, q, err);
    for (int step = 0; step < FIXED_POINT_STEPS && !code; step++) {
        double q_next = 0;
        if ((code = well_argmax(s, f->r, f->y, f->next, err)))
            break;
        if (memcmp(f->next, f->y, (size_t)s->n) == 0)
            break;
        if ((code = well_quadratic(s, s->at.alpha, f->next, &q_next, f->ctx, err)))
            break;
        if (!(q_next > *q * (1 + 1e-14)))
            break;
        memcpy(f->y, f->next, (size_t)s->n);
        *q = q_next;
        for (int64_t k = 0; k < s->n; k++)
            f->r[k] = f->a[k] * s->kb[k];
    }
    return code;
}

typedef struct move {
    double gain;
    int64_t i, j; /* i and j exchange their values; j < 0: i gets the other value of its group */
} move;

/* Gain of swapping y_i and y_j, which changes y by c (e_i - e_j), c = y_j - y_i. */
static double swap_gain(const searcher *f, int64_t i, int64_t j)
{
    const wellsvm *s = f->s;
    double c = f->y[j] - f->y[i], ai = f->a[i], aj = f->a[j];
    double curve = ai * ai * diagonal(s, i) + aj * aj * diagonal(s, j) - 2 * ai * aj * entry(s, i, j);
    return 2 * c * (f->r[i] - f->r[j]) + c * c * curve;
}

/* The other one of the two values that the group of i allows. */
static int8_t other_value(const searcher *f, int64_t i)
{
    const wlab_labelset *B = f->s->p->labels;
    return f->y[i] == 1 ? B->low[B->group[i]] : 1;
}

static double change_gain(const searcher *f, int64_t i)
{
    double c = other_value(f, i) - f->y[i];
    return 2 * c * f->r[i] + c * c * f->a[i] * f->a[i] * diagonal(f->s, i);
}

typedef struct by_group {
    const wlab_labelset *B;
    const searcher *f;
} by_group;

static int compare_candidates(const void *pa, const void *pb, void *context)
{
    const by_group *c = context;
    int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    int32_t ga = c->B->group[a], gb = c->B->group[b];
    if (ga != gb)
        return ga < gb ? -1 : 1;
    int8_t ya = c->f->y[a], yb = c->f->y[b];
    if (ya != yb)
        return ya < yb ? 1 : -1;
    /* first the higher value by ascending r, then the lower value by descending r: nearest the threshold first */
    double ra = c->f->r[a], rb = c->f->r[b];
    if (ra != rb)
        return (ra < rb) == (ya > 0) ? -1 : 1;
    return a < b ? -1 : 1;
}

/* Finds the best change of a single label in group g that the group's counts allow.  Appends the group's candidates for
 * an exchange to f->order from `at` on: the rows with alpha > 0 and, for each value, one row with alpha = 0.  This one
 * represents all others like it, as an exchange with any of them gains the same.  Returns the end of f->order. */
static int64_t single_moves(searcher *f, int64_t g, int64_t at, move *best)
{
    const wlab_labelset *B = f->s->p->labels;
    bool idle[2] = {false, false};
    int64_t ones = 0;
    for (int64_t i = B->start[g]; i < B->start[g + 1]; i++)
        ones += f->y[B->member[i]] == 1;
    for (int64_t i = B->start[g]; i < B->start[g + 1]; i++) {
        int32_t k = B->member[i];
        bool one = f->y[k] == 1;
        if (f->a[k] == 0) {
            if (!idle[one])
                f->order[at++] = k;
            idle[one] = true;
            continue;
        }
        f->order[at++] = k;
        if (one ? ones > B->lo[g] : ones < B->hi[g]) {
            double gain = change_gain(f, k);
            if (gain > best->gain)
                *best = (move){gain, k, -1};
        }
    }
    return at;
}

/* The best single move: a change, or an exchange within a group among all pairs of the NEAR instances of each value
 * nearest the threshold. */
static move best_move(searcher *f)
{
    const wlab_labelset *B = f->s->p->labels;
    move best = {0, -1, -1};
    int64_t candidates = 0;
    for (int64_t g = 0; g < B->groups; g++)
        candidates = single_moves(f, g, candidates, &best);
    by_group context = {B, f};
    qsort_r(f->order, (size_t)candidates, sizeof *f->order, compare_candidates, &context);
    for (int64_t first = 0; first < candidates;) {
        int32_t group = B->group[f->order[first]];
        int64_t end = first;
        while (end < candidates && B->group[f->order[end]] == group)
            end++;
        /* a group has at most two values */
        int64_t split = first;
        while (split < end && f->y[f->order[split]] == f->y[f->order[first]])
            split++;
        for (int64_t a = first; a < split && a < first + NEAR; a++)
            for (int64_t b = split; b < end && b < split + NEAR; b++) {
                double gain = swap_gain(f, f->order[a], f->order[b]);
                if (gain > best.gain)
                    best = (move){gain, f->order[a], f->order[b]};
            }
        first = end;
    }
    return best;
}

/* Local search from f->y: alternates fixed points and exchanges until neither gains; keeps the best labeling. */
static wlab_code search_locally(searcher *f, wlab_err *err)
{
    wellsvm *s = f->s;
    double q = 0, last = -HUGE_VAL, tolerance, top = 0;
    wlab_code code;
    for (int64_t k = 0; k < s->n; k++) {
        double h = s->p->labels->group[k] < 0 ? 0 : f->a[k] * f->a[k] * diagonal(s, k);
        top = h > top ? h : top;
    }
    double scale = s->loss == WELL_SUM_TO_ONE ? s->at.S * s->at.S : 1;
    /* at size the master is solved only to master_tol, so smaller gains are ignored */
    tolerance = (s->at_size ? s->master_tol : s->eps / 10) * fabs(s->objective) * scale;
    for (;;) {
        if ((code = fixed_point(f, &q, err)))
            return code;
        keep_if_better(f, f->y, q);
        if (!(q > last)) /* the gain was only rounding: to continue could cycle */
            return WL_OK;
        last = q;
        if (wlab_interrupted(f->ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        wlab_progress_add(&f->progress, 0); /* report that the search has begun */
        if (8 * top < tolerance && (s->at_size || s->n > LARGE))
            return WL_OK; /* no exchange can gain as much as the tolerance */
        move m = best_move(f);
        if (!(m.gain > 1e-12 * fabs(q)))
            return WL_OK;
        if (m.j < 0) {
            f->y[m.i] = other_value(f, m.i);
        } else {
            int8_t keep = f->y[m.i];
            f->y[m.i] = f->y[m.j];
            f->y[m.j] = keep;
        }
    }
}

static wlab_code climb(searcher *f, wlab_err *err)
{
    wlab_code code = search_locally(f, err);
    wlab_progress_add(&f->progress, 1);
    return code;
}

static wlab_code search_paper(searcher *f, wlab_err *err)
{
    wellsvm *s = f->s;
    int64_t ybar = 0;
    double q_bar = 0, q = 0;
    for (int64_t t = 1; t < s->T; t++)
        if (s->at.q[t] > s->at.q[ybar])
            ybar = t;
    const int8_t *ref = well_unpacked(s, ybar, f->next);
    wlab_code code = linearise(f, ref, &q_bar, err);
    if (!code)
        code = well_argmax(s, f->r, ref, f->y, err);
    if (!code)
        code = well_quadratic(s, s->at.alpha, f->y, &q, f->ctx, err);
    if (!code)
        keep_if_better(f, f->y, q);
    return code;
}

static wlab_code search_linf(searcher *f, double *M, wlab_err *err)
{
    double most = 0, q = 0;
    wlab_code code = well_linf_run(f->s, f->a, f->y, &most, M, f->ctx, err);
    if (!code)
        code = well_quadratic(f->s, f->s->at.alpha, f->y, &q, f->ctx, err);
    if (!code)
        keep_if_better(f, f->y, q);
    return code;
}

/* Searches from the sign patterns of the leading eigenvectors of H, computed by power steps with deflation. */
static wlab_code eigenvector_starts(searcher *f, wlab_err *err)
{
    wellsvm *s = f->s;
    int64_t n = s->n;
    wlab_code code = WL_OK;
    double *v = wlab_alloc((size_t)(EIGENVECTORS * n), sizeof *v), *u = wlab_alloc((size_t)n, sizeof *u);
    double *beta = s->beta ? s->beta : u;
    if (!v || !u) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int e = 0; e < EIGENVECTORS && e < n; e++) {
        double *x = v + e * n;
        for (int64_t k = 0; k < n; k++)
            x[k] = f->a[k] * wlab_rng_normal(&s->rng);
        for (int step = 0; step < POWER_STEPS; step++) {
            for (int64_t k = 0; k < n; k++)
                beta[k] = f->a[k] * x[k];
            if ((code = well_product(s, beta, u, f->ctx, err)))
                goto out;
            for (int64_t k = 0; k < n; k++)
                u[k] *= f->a[k];
            for (int d = 0; d < e; d++)
                cblas_daxpy((int)n, -cblas_ddot((int)n, v + d * n, 1, u, 1), v + d * n, 1, u, 1);
            double norm = cblas_dnrm2((int)n, u, 1);
            if (!(norm > 0))
                goto out;
            for (int64_t k = 0; k < n; k++)
                x[k] = u[k] / norm;
        }
        for (int sign = 0; sign < 2; sign++) {
            for (int64_t k = 0; k < n; k++)
                f->r[k] = sign ? -x[k] : x[k];
            if ((code = well_argmax(s, f->r, NULL, f->y, err)) || (code = climb(f, err)))
                goto out;
        }
    }
out:
    wlab_free(v);
    wlab_free(u);
    return code;
}

/* The number of labelings from which multistart starts. */
static int64_t starts_of(const wellsvm *s)
{
    int64_t known = 0, vectors = s->n < EIGENVECTORS ? s->n : EIGENVECTORS;
    if (s->n <= LARGE)
        return s->T + 1 + 2 * vectors + s->starts;
    for (int64_t t = 0; t < s->T; t++)
        known += s->mu[t] > 0;
    return (known < LARGE_STARTS ? known : LARGE_STARTS) + 1;
}

static wlab_code search_multistart(searcher *f, wlab_err *err)
{
    wellsvm *s = f->s;
    wlab_code code;
    int64_t starts = 0;
    wlab_progress_begin(&f->progress, f->ctx, "starts", starts_of(s));
    for (int64_t t = s->T - 1; t >= 0; t--) {
        if (s->n > LARGE && (s->mu[t] == 0 || starts == LARGE_STARTS))
            continue;
        starts++;
        const int8_t *yt = well_unpacked(s, t, f->y);
        if (yt != f->y)
            memcpy(f->y, yt, (size_t)s->n);
        if ((code = climb(f, err)))
            return code;
    }
    if ((code = well_round(s, well_unpacked(s, s->T - 1, f->next), f->y, f->ctx, err)) ||
        (code = climb(f, err)))
        return code;
    if (s->n > LARGE)
        return WL_OK;
    if ((code = eigenvector_starts(f, err)))
        return code;
    for (int64_t k = 0; k < s->starts; k++) {
        wlab_labelset_random(s->p->labels, &s->rng, f->y);
        if ((code = climb(f, err)))
            return code;
    }
    return WL_OK;
}

/* Whether y equals a labeling of the working set on all rows with alpha > 0. */
static bool in_working_set(const searcher *f, const int8_t *y)
{
    const wellsvm *s = f->s;
    for (int64_t t = 0; t < s->T; t++) {
        int64_t k = 0;
        while (k < s->n && (f->a[k] == 0 || y[k] == well_label(s, t, k)))
            k++;
        if (!wlab_ranks_any(well_ranks(s), k < s->n))
            return true;
    }
    return false;
}

wlab_code well_search_run(wellsvm *s, well_found *found, wlab_ctx *ctx, wlab_err *err)
{
    size_t n = (size_t)s->n;
    searcher f = {.s = s, .ctx = ctx, .best = found->y, .best_q = -HUGE_VAL};
    wlab_code code = WL_OK;
    wlab_rng rng = s->rng;
    found->M = HUGE_VAL;
    /* at size memory is scarce: f.a and f.r use buffers of *s, and search=paper needs no f.order */
    const bool lean = s->at_size && s->search == WELL_PAPER;
    f.a = s->at_size ? s->at.alpha : wlab_alloc(n, sizeof *f.a);
    f.r = lean ? s->kb : wlab_alloc(n, sizeof *f.r);
    f.y = wlab_alloc(n, 1);
    f.next = wlab_alloc(n, 1);
    f.order = lean ? NULL : wlab_alloc(n, sizeof *f.order);
    if (!f.a || !f.r || !f.y || !f.next || !(f.order || lean))
        code = wlab_nomem(err);
    if ((code = wlab_ranks_agree(well_ranks(s), code, err)))
        goto out;
    for (int64_t k = 0; k < s->n && !s->at_size; k++)
        f.a[k] = s->at.alpha[s->p->example[k]];
    switch (s->search) {
    case WELL_PAPER:
        code = search_paper(&f, err);
        break;
    case WELL_MULTISTART:
        code = search_multistart(&f, err);
        if (!code && s->tree_nodes > 0)
            code = well_exact_run(s, f.a, s->tree_nodes, found, &f.best_q, ctx, err);
        found->cut = false; /* the verdict is that of multistart, whether or not the tree was completed */
        break;
    case WELL_EXACT:
        if (!well_enumerates(s))
            code = search_multistart(&f, err);
        if (!code)
            code = well_exact_run(s, f.a, s->max_nodes, found, &f.best_q, ctx, err);
        if (!code && found->cut)
            wlab_emit_note(
                ctx,
                "the search for a violated labeling stopped at nodes=%lld: max y'Hy is at most %.3g %% "
                "above the value that it found",
                (long long)s->max_nodes, 100 * (found->M - f.best_q) / f.best_q);
        break;
    case WELL_LINF:
        code = search_linf(&f, &found->M, err);
        break;
    }
    if (code) {
        s->rng = rng;
        goto out;
    }
    found->q = f.best_q;
    found->known = in_working_set(&f, found->y);
out:
    wlab_free(f.a == s->at.alpha ? NULL : f.a);
    wlab_free(f.r == s->kb ? NULL : f.r);
    wlab_free(f.y);
    wlab_free(f.next);
    wlab_free(f.order);
    return code;
}
