/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The convex relaxation of the soft-max loss: making it, and its units.
 */
#include "algo/relax_state.h"

#include "weaklab/matrix.h"

#include <math.h>
#include <string.h>

enum {
    INNER_STEPS = 2000, /* at one Y: after that its gap stays as it is */
    DOUBLINGS = 60,
    WAIT = 3,
    PATIENCE = 40 /* outer steps without a smaller gap */
};

/* ---- making it ---- */

static wlab_code refuse(const wlab_relax_problem *q, wlab_err *err)
{
    double sum = 0;
    if (q->n < 1 || q->d < 0 || q->groups < 1 || q->nodes < 1 || q->block < 0 || q->block > q->nodes ||
        q->classes < 2 || q->pairs < 0 || q->nodes > 20000)
        return wlab_fail(err, WL_EARG, "the relaxation needs 1 to 20000 nodes and 2 classes or more");
    if (!(q->lambda > 0) || !isfinite(q->lambda) || !(q->c > 0) || !isfinite(q->c))
        return wlab_fail(err, WL_EARG, "lambda must be a number above 0");
    for (int64_t i = 0; i < q->n; i++) {
        if (!(q->pi[i] >= 0) || q->group[i] < 0 || q->group[i] >= q->groups)
            return wlab_fail(err, WL_EARG, "weights of rows must not be negative, and groups must exist");
        sum += q->pi[i];
    }
    if (!(fabs(sum - 1) < 1e-6))
        return wlab_fail(err, WL_EARG, "weights of rows must add up to 1");
    for (int64_t i = 0; i < q->n * q->d; i++)
        if (!isfinite(q->X[i]))
            return wlab_fail(err, WL_ENUMERIC, "a feature is not a finite number");
    for (int64_t g = 0; g < q->groups; g++)
        if (q->node[g] >= q->nodes || (q->node[g] >= 0 && q->node[g] < q->block) ||
            (q->node[g] < 0 && (-1 - q->node[g] >= q->classes || q->block == 0)))
            return wlab_fail(err, WL_EARG, "a group of rows has no node");
    for (int64_t k = 0; k < q->pairs; k++)
        if (q->pair[k].a < 0 || q->pair[k].b < 0 || q->pair[k].a >= q->groups || q->pair[k].b >= q->groups ||
            !(fabs(q->pair[k].value) <= 1))
            return wlab_fail(err, WL_EARG, "a prescribed product is not of two groups");
    return WL_OK;
}

static double *vector(int64_t a, int64_t b)
{
    return wlab_calloc((size_t)(a > 0 ? a : 1), (size_t)(b > 0 ? b : 1) * sizeof(double));
}

static bool make_point(const wlab_relax *s, relax_point *p)
{
    p->V = vector(s->nodes, s->nodes);
    p->U = vector(s->d, s->nodes);
    p->b = vector(s->groups, 1);
    p->f = INFINITY;
    p->low = -INFINITY;
    return p->V && p->U && p->b;
}

static bool make_slope(const wlab_relax *s, relax_slope *at)
{
    at->BM = vector(s->d, s->nodes);
    at->mult = vector(s->nodes, 1);
    at->corner = vector(s->block, s->block);
    at->mu = vector(s->pairs, 1);
    return at->BM && at->mult && at->corner && at->mu;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool make_work(wlab_relax *s)
{
    const int64_t n = s->n, d = s->d, G = s->groups, M = s->nodes, wide = most(G, M);
    s->Omega = vector(n, G);
    s->W = vector(most(n, 1), wide);
    s->lse = vector(n, 1);
    s->row = vector(n, 1);
    s->mass = vector(G, 1);
    s->column = vector(G, 1);
    s->extra = vector(G, 1);
    s->gb = vector(G, 1);
    s->gU = vector(d, M);
    s->XV = vector(d, M);
    s->C = vector(d, G);
    s->VG = vector(G, M);
    s->before = vector(d, M);
    s->before_b = vector(G, 1);
    s->Q = vector(M, M);
    s->logY = vector(M, M);
    s->basis = vector(M * M + 2 * s->block * s->block + s->block * M, 1);
    s->e = vector(M, 1);
    s->factor = vector(2, M);
    s->P = vector(most(G * G, n), 1);
    s->T = vector(most(d * wide, n * M), 1);
    s->small = vector(5 * (d * M + G) + M, 1);
    s->lapack = vector(1 + 6 * M + 2 * M * M, 1);
    s->integers = wlab_calloc((size_t)(3 + 5 * M), sizeof *s->integers);
    return s->Omega && s->W && s->lse && s->row && s->mass && s->column && s->extra && s->gb && s->gU &&
           s->XV && s->C && s->VG && s->before && s->before_b && s->Q && s->logY && s->basis && s->e &&
           s->factor && s->P && s->T && s->small && s->lapack && s->integers;
}

/* The rows and groups that have weight; features are divided by s->scale. */
static bool fill(wlab_relax *s, const wlab_relax_problem *q)
{
    const int64_t d = q->d;
    int32_t *number = wlab_calloc((size_t)q->groups, sizeof *number);
    double total = 0, top = 0;

    if (!number)
        return false;
    for (int64_t i = 0; i < q->n; i++)
        if (q->pi[i] > 0) {
            s->n++;
            total += q->pi[i];
            number[q->group[i]] = 1;
            for (int64_t j = 0; j < d; j++)
                top = fmax(top, fabs(q->X[i * d + j]));
        }
    for (int64_t g = 0; g < q->groups; g++)
        number[g] = number[g] ? (int32_t)++s->groups : 0;
    s->X = vector(s->n, d);
    s->PX = vector(s->n, d);
    s->pi = vector(s->n, 1);
    s->pg = vector(s->groups, 1);
    s->logp = vector(s->groups, 1);
    s->XG = vector(s->groups, d);
    s->moment = vector(d, 1);
    s->node = wlab_calloc((size_t)s->groups, sizeof *s->node);
    if (!s->X || !s->PX || !s->pi || !s->pg || !s->logp || !s->XG || !s->moment || !s->node) {
        wlab_free(number);
        return false;
    }
    double square = 0;
    for (int64_t i = 0; i < q->n && top > 0; i++)
        for (int64_t j = 0; j < d; j++)
            square += q->pi[i] / total * (q->X[i * d + j] / top) * (q->X[i * d + j] / top);
    s->scale = square > 0 ? top * sqrt(square) : 1;
    for (int64_t i = 0, at = 0; i < q->n; i++) {
        if (!(q->pi[i] > 0))
            continue;
        const int64_t g = number[q->group[i]] - 1;
        s->pi[at] = q->pi[i] / total;
        s->pg[g] += s->pi[at];
        s->node[g] = q->node[q->group[i]];
        for (int64_t j = 0; j < d; j++) {
            const double x = q->X[i * d + j] / s->scale;
            s->X[at * d + j] = x;
            s->PX[at * d + j] = s->pi[at] * x;
            s->XG[g * d + j] += s->pi[at] * x;
            s->moment[j] += s->pi[at] * x * x;
        }
        at++;
    }
    for (int64_t g = 0; g < s->groups; g++)
        s->logp[g] = log(s->pg[g]);
    wlab_free(number);
    return true;
}

/* The current Y is to be solved for anew: nothing of its bounds holds. */
static void begin(wlab_relax *s)
{
    const int64_t r = s->trial.r = s->now.r;
    memcpy(s->trial.V, s->now.V, (size_t)(s->nodes * r) * sizeof(double));
    memcpy(s->trial.U, s->now.U, (size_t)(s->d * r) * sizeof(double));
    memcpy(s->trial.b, s->now.b, (size_t)s->groups * sizeof(double));
    s->now.f = INFINITY;
    s->now.low = s->best = s->newest = -INFINITY;
    s->phase = RELAX_BEGIN;
    s->verdict = WL_RELAX_GOING;
    s->fresh = s->hard = false;
    s->tried = s->doubled = s->idle = s->wait = 0;
}

static double our_lambda(const wlab_relax *s, double lambda)
{
    return fmin(fmax(lambda / s->scale / s->scale, 1e-200), 1e200);
}

wlab_code wlab_relax_create(wlab_relax **out, const wlab_relax_problem *q, wlab_relax_inner method,
                            double eps, wlab_ctx *ctx, wlab_err *err)
{
    wlab_relax *s = NULL;
    wlab_code code = refuse(q, err);

    (void)ctx;
    if (code)
        return code;
    wlab_blas_init();
    s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    s->rows = q->n;
    s->all = q->groups;
    s->d = q->d;
    s->nodes = q->nodes;
    s->block = q->block;
    s->pairs = q->pairs;
    s->classes = q->classes;
    s->intercept = q->intercept;
    s->square = q->square;
    s->c = q->c;
    s->given = q->lambda;
    s->method = method;
    s->eps = eps;
    s->row_group = wlab_alloc((size_t)q->n, sizeof *s->row_group);
    s->all_node = wlab_alloc((size_t)q->groups, sizeof *s->all_node);
    s->vertex = vector(q->classes, q->block);
    s->pair = wlab_calloc((size_t)(q->pairs > 0 ? q->pairs : 1), sizeof *s->pair);
    s->nu = vector(q->pairs, 1);
    if (s->square)
        s->M = vector(q->nodes, q->nodes);
    if (!s->row_group || !s->all_node || !s->vertex || !s->pair || !s->nu || (s->square && !s->M) ||
        !fill(s, q) || !make_point(s, &s->now) || !make_point(s, &s->trial) || !make_slope(s, &s->at) ||
        !make_slope(s, &s->spare) || !make_slope(s, &s->mean) || !make_work(s)) {
        code = wlab_nomem(err);
        goto out;
    }
    s->lambda = our_lambda(s, q->lambda);
    memcpy(s->row_group, q->group, (size_t)q->n * sizeof *s->row_group);
    memcpy(s->all_node, q->node, (size_t)q->groups * sizeof *s->all_node);
    if (q->block > 0)
        memcpy(s->vertex, q->vertex, (size_t)(q->classes * q->block) * sizeof *s->vertex);
    if (q->pairs > 0)
        memcpy(s->pair, q->pair, (size_t)q->pairs * sizeof *s->pair);
    if (s->square && (code = relax_square_form(s, err)))
        goto out;
    relax_start(s);
    s->momentum = 1;
    s->L = 1;
    begin(s);
    *out = s;
    s = NULL;
out:
    wlab_relax_destroy(s);
    return code;
}

static void free_point(relax_point *p)
{
    wlab_free(p->V);
    wlab_free(p->U);
    wlab_free(p->b);
}

static void free_slope(relax_slope *at)
{
    wlab_free(at->BM);
    wlab_free(at->mult);
    wlab_free(at->corner);
    wlab_free(at->mu);
}

void wlab_relax_destroy(wlab_relax *s)
{
    if (!s)
        return;
    double *all[] = {s->X,      s->PX,   s->pi,     s->pg,    s->logp,   s->XG,       s->vertex,
                     s->moment, s->M,    s->nu,     s->Omega, s->lse,    s->mass,     s->C,
                     s->XV,     s->VG,   s->gU,     s->gb,    s->before, s->before_b, s->W,
                     s->Q,      s->logY, s->basis,  s->e,     s->P,      s->T,        s->small,
                     s->factor, s->row,  s->column, s->extra, s->lapack};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        wlab_free(all[k]);
    free_point(&s->now);
    free_point(&s->trial);
    free_slope(&s->at);
    free_slope(&s->spare);
    free_slope(&s->mean);
    wlab_free(s->node);
    wlab_free(s->pair);
    wlab_free(s->row_group);
    wlab_free(s->all_node);
    wlab_free(s->integers);
    wlab_free(s);
}

wlab_code wlab_relax_set_lambda(wlab_relax *s, double lambda, wlab_err *err)
{
    const double before = s->lambda;
    if (!(lambda > 0) || !isfinite(lambda))
        return wlab_fail(err, WL_EARG, "lambda must be a number above 0");
    s->lambda = our_lambda(s, lambda);
    if (s->square) {
        wlab_code code = relax_square_form(s, err);
        if (code) {
            s->lambda = before;
            return code;
        }
    }
    s->given = lambda;
    begin(s);
    return WL_OK;
}

/* ---- units ---- */

static double size_of(double f)
{
    return fmax(fabs(f), 1e-9);
}

/* How exactly F is to be known at the trial: a share of the outer gap, at the start of the one that is wanted. */
static double inner_tolerance(const wlab_relax *s)
{
    const double size = size_of(s->trial.f), gap = s->now.f + s->at.slack - s->best, wanted = s->eps * size;
    return fmax(fmax(0.01 * wanted, 1e-14), fmin(1e-3 * size, isfinite(gap) ? 0.05 * gap : 0.1 * wanted));
}

static void set_verdict(wlab_relax *s)
{
    const double gap = s->now.f + s->at.slack - s->best;
    if (gap <= s->eps * size_of(s->now.f) && s->at.violation <= 1e-2)
        s->verdict = WL_RELAX_CONVERGED;
    else
        s->verdict = s->doubled > DOUBLINGS || s->idle > PATIENCE ? WL_RELAX_STALLED : WL_RELAX_GOING;
}

void wlab_relax_set_eps(wlab_relax *s, double eps)
{
    s->eps = eps;
    s->idle = 0;
    if (isfinite(s->now.f))
        set_verdict(s);
}

static wlab_code accept(wlab_relax *s, wlab_ctx *ctx, wlab_err *err)
{
    double lower, gap = s->now.f + s->at.slack - s->best;
    wlab_code code = relax_certify(s, &s->trial, &lower, ctx, err);
    if (code)
        return code;
    const relax_slope at = s->at;
    s->at = s->spare;
    s->spare = at;
    const relax_point now = s->now;
    s->now = s->trial;
    s->trial = now;
    s->newest = lower;
    s->best = fmax(s->best, lower);
    if (!(s->t > 0))
        s->t = s->at.spread > 0 ? s->at.spread : 1;
    /* shorter where it went well; after a refusal only some steps later again */
    s->wait = s->doubled > 0 ? WAIT : s->wait - 1;
    if (s->wait <= 0)
        s->t /= 2;
    s->phase = RELAX_NEXT;
    s->logged = false;
    s->doubled = 0;
    s->idle = s->now.f + s->at.slack - s->best < (1 - 1e-3) * gap ? 0 : s->idle + 1;
    s->outer++;
    set_verdict(s);
    return WL_OK;
}

static void reject(wlab_relax *s)
{
    s->t *= 2;
    s->doubled++;
    s->phase = RELAX_NEXT;
    if (s->doubled > DOUBLINGS)
        set_verdict(s);
}

/* F of the trial, unknown between its bounds, against what the line search asks. */
typedef enum relax_judgement {
    RELAX_UNDECIDED,
    RELAX_ENOUGH,
    RELAX_TOO_HIGH
} judgement;

static judgement judge(wlab_relax *s, bool stuck, wlab_pool *pool)
{
    const double gap = s->trial.f - s->trial.low;
    double tol = inner_tolerance(s);

    if (s->phase == RELAX_BEGIN)
        return stuck || gap <= tol ? RELAX_ENOUGH : RELAX_UNDECIDED;
    const double expected = fmin(relax_decrease(s, &s->trial, pool), 0);
    const double limit = s->now.f + relax_pairs_value(s, &s->now) + 0.1 * expected + 1e-14;
    const double pairs = relax_pairs_value(s, &s->trial);
    if (!(s->trial.low + pairs <= limit))
        return RELAX_TOO_HIGH;
    tol = fmin(tol, fmax(-0.1 * expected, 1e-14));
    if (!stuck && !(gap <= tol))
        return RELAX_UNDECIDED;
    return s->trial.f + pairs <= limit ? RELAX_ENOUGH : RELAX_TOO_HIGH;
}

/* F and its bounds at the trial as it is. */
static void look(wlab_relax *s, wlab_pool *pool)
{
    relax_point *p = &s->trial;
    if (s->square) {
        double sum = 0;
        relax_gemm(pool, false, false, s->nodes, p->r, s->nodes, 1, s->M, s->nodes, p->V, p->r, 0, s->Q,
                   p->r);
        for (int64_t i = 0; i < s->nodes; i++)
            sum += relax_dot(s->Q + i * p->r, p->V + i * p->r, p->r);
        p->f = p->low = sum;
    } else {
        relax_vectors(s, p, pool);
        p->f = relax_value(s, p, p->U, p->b, pool);
        relax_bound(s, p, pool);
    }
    s->fresh = true;
}

static wlab_code unit(wlab_relax *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    bool moved = true;
    wlab_code code;

    if (s->phase == RELAX_NEXT) {
        bool usable;
        if ((code = relax_move(s, &usable, ctx, err)))
            return code;
        s->trials++;
        if (!usable) {
            reject(s);
            return WL_OK;
        }
        if (!s->square)
            relax_warm(s, pool);
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        s->phase = RELAX_TRIAL;
        s->fresh = false;
        s->tried = 0;
    }
    if (!s->fresh) {
        look(s, pool);
        if (s->tried == 0) {
            memcpy(s->before, s->trial.U, (size_t)(s->d * s->trial.r) * sizeof(double));
            memcpy(s->before_b, s->trial.b, (size_t)s->groups * sizeof(double));
            s->momentum = 1;
        }
    }
    judgement found = judge(s, false, pool);
    if (found == RELAX_UNDECIDED) {
        code = s->method == WL_RELAX_NEWTON ? relax_newton(s, &s->trial, &moved, ctx, err)
                                            : relax_proximal(s, &s->trial, &moved, ctx, err);
        if (code)
            return code;
        relax_bound(s, &s->trial, pool);
        s->inner++;
        s->tried++;
        found = judge(s, !moved || s->tried >= INNER_STEPS, pool);
    }
    if (found == RELAX_ENOUGH) {
        *outer = true;
        return accept(s, ctx, err);
    }
    if (found == RELAX_TOO_HIGH)
        reject(s);
    return WL_OK;
}

wlab_code wlab_relax_advance(wlab_relax *s, bool *outer, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t cg = s->cg, fits = s->fits, trials = s->trials;
    *outer = false;
    if (s->verdict == WL_RELAX_STALLED) {
        *outer = true;
        return WL_OK;
    }
    wlab_code code = unit(s, outer, ctx, err);
    if (code) {
        s->cg = cg;
        s->fits = fits;
        s->trials = trials;
        *outer = false;
    }
    return code;
}

/* ---- looking at it ---- */

wlab_relax_verdict wlab_relax_state(const wlab_relax *s)
{
    return s->verdict;
}

wlab_relax_numbers wlab_relax_get(const wlab_relax *s)
{
    return (wlab_relax_numbers){.upper = s->now.f,
                                .inner_gap = s->now.f - s->now.low,
                                .lower = s->best,
                                .gap = fmax(s->now.f + s->at.slack - s->best, 0),
                                .newest = s->newest,
                                .lambda_min = s->at.least,
                                .t = s->t,
                                .violation = s->at.violation,
                                .rank = s->now.r,
                                .outer = s->outer,
                                .inner = s->inner,
                                .cg = s->cg,
                                .fits = s->fits,
                                .trials = s->trials};
}

const double *wlab_relax_factor(const wlab_relax *s, int64_t *rank)
{
    *rank = s->now.r;
    return s->now.V;
}

double wlab_relax_entry(const wlab_relax *s, int64_t a, int64_t b)
{
    if (s->row_group[a] == s->row_group[b])
        return 1;
    return relax_product(s, &s->now, s->all_node[s->row_group[a]], s->all_node[s->row_group[b]]);
}

void wlab_relax_vector(const wlab_relax *s, int64_t g, double *v)
{
    const int64_t r = s->now.r;
    const int32_t node = s->all_node[g];
    memset(v, 0, (size_t)r * sizeof *v);
    for (int64_t i = 0; i < (node < 0 ? s->block : 1); i++) {
        const double f = node < 0 ? s->vertex[(-1 - node) * s->block + i] : 1;
        for (int64_t j = 0; j < r; j++)
            v[j] += f * s->now.V[(node < 0 ? i : node) * r + j];
    }
}

wlab_code wlab_relax_eigenvalues(const wlab_relax *s, double *value, int64_t count, wlab_err *err)
{
    const int64_t M = s->nodes, r = s->now.r, size = r < M ? r : M;
    double *gram = vector(size, size), *e = vector(size, 1),
           *lapack = vector(1 + 6 * size + 2 * size * size, 1);
    int *integers = wlab_calloc((size_t)(3 + 5 * size), sizeof *integers);
    wlab_code code = WL_OK;

    if (!gram || !e || !lapack || !integers) {
        code = wlab_nomem(err);
        goto out;
    }
    if (r < M)
        relax_gram(NULL, true, r, M, 1, s->now.V, r, gram);
    else
        relax_gram(NULL, false, M, r, 1, s->now.V, r, gram);
    if ((code = relax_eigen(gram, size, e, lapack, integers, false, err)))
        goto out;
    for (int64_t k = 0; k < count; k++)
        value[k] = k < size ? fmax(e[size - 1 - k], 0) : 0;
out:
    wlab_free(gram);
    wlab_free(e);
    wlab_free(lapack);
    wlab_free(integers);
    return code;
}
