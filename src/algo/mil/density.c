/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Diverse density and its descents (density.h).
 */
#include "algo/mil/density.h"
#include "algo/mil/standardise.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/sort.h"
#include "weaklab/rng.h"

#include <math.h>
#include <string.h>

#define TINY  1e-290 /* a sum of probabilities below this is computed by its logarithm */
#define FALLS 1e-9   /* em-dd: a round that lowers the objective by less than this fraction is the last */
void density_destroy(void *state)
{
    density *s = state;
    if (!s)
        return;
    for (int64_t k = 0; k < s->restarts && s->r; k++)
        wlab_lbfgs_destroy(s->r[k].at);
    wlab_problem_unref(s->p);
    wlab_free(s->X);
    wlab_free(s->centre);
    wlab_free(s->width);
    wlab_free(s->first);
    wlab_free(s->row);
    wlab_free(s->r);
    wlab_free(s->shown);
    wlab_free(s->dist);
    wlab_free(s->weight);
    wlab_free(s->chosen);
    wlab_free(s->old);
    wlab_free(s);
}

/* ---- the objective ---- */

static bool positive(const density *s, int64_t bag)
{
    return s->p->bag_given[bag] > 0.5;
}

static double distance(const density *s, const double *w, int64_t i)
{
    const double *x = s->X + i * s->d, *scale = w + s->d;
    double sum = 0;
    for (int64_t k = 0; k < s->d; k++) {
        const double z = scale[k] * (x[k] - w[k]);
        sum += z * z;
    }
    return sum;
}

/* log(1 - exp(-d)), d >= 0. */
static double log_without(double d)
{
    return d < M_LN2 ? log(-expm1(-d)) : log1p(-exp(-d));
}

/* -log(1 - prod_j (1 - p_j)) over `rows` instances, and its derivatives by their distances into s->weight. */
static double of_positive(density *s, const int32_t *row, int64_t rows)
{
    double A = 0, sum = 0, nearest = HUGE_VAL;

    for (int64_t j = 0; j < rows; j++) {
        A += log_without(s->dist[row[j]]);
        sum += exp(-s->dist[row[j]]);
        nearest = fmin(nearest, s->dist[row[j]]);
    }
    if (rows == 1 || sum < TINY) { /* 1 - prod (1 - p) is p, or the sum of all p */
        double relative = 0;
        for (int64_t j = 0; j < rows; j++)
            relative += s->weight[row[j]] = exp(nearest - s->dist[row[j]]);
        for (int64_t j = 0; j < rows; j++)
            s->weight[row[j]] /= relative;
        return nearest - log(relative);
    }
    const double some = -expm1(A);
    for (int64_t j = 0; j < rows; j++) {
        const double d = s->dist[row[j]];
        /* at the concept itself the distance has the gradient 0 */
        s->weight[row[j]] = d > 0 ? exp(A - log_without(d) - d) / some : 0;
    }
    return -log(some);
}

static double of_negative(density *s, const int32_t *row, int64_t rows)
{
    double sum = 0;
    for (int64_t j = 0; j < rows; j++) {
        sum -= log_without(s->dist[row[j]]);
        s->weight[row[j]] = -1 / expm1(s->dist[row[j]]);
    }
    return sum;
}

static void add_gradient(const density *s, const double *w, int64_t i, double *g)
{
    const double *x = s->X + i * s->d, *scale = w + s->d, c = 2 * s->weight[i];
    if (!(c != 0) || !isfinite(c))
        return;
    for (int64_t k = 0; k < s->d; k++) {
        const double away = w[k] - x[k];
        g[k] += c * scale[k] * scale[k] * away;
        g[s->d + k] += c * scale[k] * away * away;
    }
}

/* The current call: its interrupts, and what it reports. */
typedef struct job {
    density *s;
    const int32_t *chosen;
    wlab_ctx *ctx;
    wlab_progress progress;
} job;

/* How many bags lie between two looks at the interrupt: an instance costs a logarithm or two and its columns. */
static int64_t look_every(const density *s)
{
    return wlab_look_every((s->n / s->p->bags + 1) * 4 * (s->d + 16));
}

static wlab_code look(job *j, wlab_err *err)
{
    if (!j)
        return WL_OK;
    wlab_progress_add(&j->progress, 0);
    return wlab_interrupted(j->ctx) ? wlab_fail(err, WL_EINTERRUPTED, "interrupted") : WL_OK;
}

/* part[], and the gradient if g is not NULL.  j: NULL, or who may interrupt. */
static wlab_code compute(density *s, const double *w, const int32_t *chosen, double *g, double part[2],
                         job *j, wlab_err *err)
{
    const int64_t each = look_every(s);
    part[0] = part[1] = 0;
    if (g)
        memset(g, 0, 2 * (size_t)s->d * sizeof *g);
    for (int64_t b = 0; b < s->p->bags; b++) {
        if (b % each == 0 && look(j, err))
            return WL_EINTERRUPTED;
        const int32_t *row = chosen ? &chosen[b] : s->row + s->first[b];
        const int64_t rows = chosen ? 1 : s->first[b + 1] - s->first[b];
        for (int64_t k = 0; k < rows; k++)
            s->dist[row[k]] = distance(s, w, row[k]);
        part[!positive(s, b)] += (positive(s, b) ? of_positive : of_negative)(s, row, rows);
        for (int64_t k = 0; k < rows && g; k++)
            add_gradient(s, w, row[k], g);
    }
    return WL_OK;
}

double density_value(density *s, const double *w, const int32_t *chosen, double *g, double part[2])
{
    (void)compute(s, w, chosen, g, part, NULL, NULL);
    return part[0] + part[1];
}

static wlab_code choose(density *s, const double *w, int32_t *chosen, job *of, wlab_err *err)
{
    const int64_t each = look_every(s);
    for (int64_t b = 0; b < s->p->bags; b++) {
        double least = HUGE_VAL;
        if (b % each == 0 && look(of, err))
            return WL_EINTERRUPTED;
        chosen[b] = s->row[s->first[b]];
        for (int64_t j = s->first[b]; j < s->first[b + 1]; j++) {
            const double d = distance(s, w, s->row[j]);
            if (d < least) {
                least = d;
                chosen[b] = s->row[j];
            }
        }
    }
    return WL_OK;
}

void density_choose(density *s, const double *w, int32_t *chosen)
{
    (void)choose(s, w, chosen, NULL, NULL);
}

static wlab_code objective(density *s, const double *w, double *value, job *j, wlab_err *err)
{
    double part[2] = {0};
    wlab_code code = s->em ? choose(s, w, s->chosen, j, err) : WL_OK;
    code = code ? code : compute(s, w, s->em ? s->chosen : NULL, NULL, part, j, err);
    *value = part[0] + part[1];
    return code;
}

double density_objective(density *s, const double *w, double part[2])
{
    if (s->em)
        density_choose(s, w, s->chosen);
    return density_value(s, w, s->em ? s->chosen : NULL, NULL, part);
}

static wlab_code evaluate(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    job *j = of;
    double part[2];
    const wlab_code code = compute(j->s, w, j->chosen, g, part, j, err);
    *f = part[0] + part[1];
    wlab_progress_add(&j->progress, 1);
    return code;
}

/* ---- creation ---- */

static wlab_code draw_starts(density *s, const wlab_params *given, wlab_err *err)
{
    const double scale = wlab_params_real(given, "scale");
    int64_t n = 0;
    wlab_rng rng;
    int32_t *bag = s->chosen; /* workspace */

    wlab_rng_seed(&rng, (uint64_t)wlab_params_int(given, "seed"));
    for (int64_t b = 0; b < s->p->bags; b++)
        if (positive(s, b))
            bag[n++] = (int32_t)b;
    for (int64_t k = 0; k < s->restarts; k++) {
        density_start *r = &s->r[k];
        if (k % n == 0)
            wlab_rng_shuffle(&rng, bag, (size_t)n);
        const int64_t b = bag[k % n], rows = s->first[b + 1] - s->first[b];
        const int32_t i = s->row[s->first[b] + (int64_t)wlab_rng_below(&rng, (uint64_t)rows)];
        *r = (density_start){.value = NAN, .gradient = NAN, .moving = true};
        wlab_code code = wlab_lbfgs_create(&r->at, 2 * s->d, err);
        if (code)
            return code;
        for (int64_t c = 0; c < s->d; c++) {
            r->at->w[c] = s->X[i * s->d + c];
            r->at->w[s->d + c] = isnan(scale) ? 1 / sqrt((double)s->d) : scale;
        }
        wlab_lbfgs_start(r->at);
    }
    return WL_OK;
}

static wlab_code fill(density *s, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d, bags = (size_t)s->p->bags;
    wlab_code code;

    if ((code = standardised_fits(s->n, s->d, err)))
        return code;
    s->restarts = wlab_params_int(given, "restarts");
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "iterations");
    s->X = wlab_alloc(n * d, sizeof *s->X);
    s->centre = wlab_alloc(d, sizeof *s->centre);
    s->width = wlab_alloc(d, sizeof *s->width);
    s->first = wlab_alloc(bags + 1, sizeof *s->first);
    s->row = wlab_alloc(n, sizeof *s->row);
    s->r = wlab_calloc((size_t)s->restarts, sizeof *s->r);
    s->shown = wlab_calloc(n, 1);
    s->dist = wlab_alloc(n, sizeof *s->dist);
    s->weight = wlab_alloc(n, sizeof *s->weight);
    s->chosen = wlab_alloc(bags, sizeof *s->chosen);
    s->old = wlab_alloc(2 * d, sizeof *s->old);
    if (!s->X || !s->centre || !s->width || !s->first || !s->row || !s->r || !s->shown || !s->dist ||
        !s->weight || !s->chosen || !s->old)
        return wlab_nomem(err);
    if ((code = standardise(s->p->X, s->X, s->centre, s->width, ctx, err)))
        return code;
    wlab_members_fill(s->p->bag, s->n, s->p->bags, s->first, s->row);
    return draw_starts(s, given, err);
}

wlab_code density_create(void **state, wlab_problem *p, bool em, const wlab_params *given, wlab_ctx *ctx,
                         wlab_err *err)
{
    density *s = wlab_calloc(1, sizeof *s);
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->d = p->X->cols;
    s->em = em;
    const wlab_code code = fill(s, given, ctx, err);
    if (code) {
        density_destroy(s);
        return code;
    }
    *state = s;
    return WL_OK;
}

/* ---- steps ---- */

static bool stationary(const density *s, const wlab_lbfgs *at)
{
    return at->gradient <= s->eps * (1 + fabs(at->f));
}

/* *value: the objective where the start is.  A start at an instance that a negative bag has, too, has an infinite one, and
 * ends there. */
static wlab_code value_before(density *s, density_start *r, double *value, job *j, wlab_err *err)
{
    wlab_code code = WL_OK;
    *value = r->value;
    if (isnan(r->value))
        code = objective(s, r->at->w, value, j, err);
    if (!code && !isfinite(*value)) {
        r->value = HUGE_VAL;
        r->moving = false;
    }
    return code;
}

/* dd: an iteration of one start. */
static wlab_code descend(density *s, density_start *r, wlab_ctx *ctx, wlab_err *err)
{
    job j = {.s = s, .ctx = ctx};
    double before;
    wlab_progress_begin(&j.progress, ctx, "evaluations", 0);
    wlab_code code = value_before(s, r, &before, &j, err);
    if (code || !isfinite(before))
        return code;
    code = wlab_lbfgs_evaluate(r->at, evaluate, &j, err);
    if (!code && !stationary(s, r->at))
        code = wlab_lbfgs_iterate(r->at, evaluate, &j, err);
    if (code)
        return code;
    r->value = r->at->f;
    r->gradient = r->at->gradient;
    r->stalled = r->at->stalled;
    r->moving = !stationary(s, r->at) && !r->stalled;
    return WL_OK;
}

/* Goes back to the point `old`, from which a new descent begins. */
static void go_back(density *s, density_start *r)
{
    memcpy(r->at->w, s->old, 2 * (size_t)s->d * sizeof *s->old);
    wlab_lbfgs_start(r->at);
}

/* em-dd: the nearest instance of each bag, then the best concept for these alone. */
static wlab_code round_of(density *s, density_start *r, wlab_ctx *ctx, wlab_err *err)
{
    enum {
        ITERATIONS = 500
    };
    job j = {.s = s, .chosen = s->chosen, .ctx = ctx};
    double value = 0, before;

    wlab_progress_begin(&j.progress, ctx, "evaluations", 0);
    wlab_code code = value_before(s, r, &before, &j, err);
    if (code || !isfinite(before) || (code = choose(s, r->at->w, s->chosen, &j, err)))
        return code;
    memcpy(s->old, r->at->w, 2 * (size_t)s->d * sizeof *s->old);
    wlab_lbfgs_start(r->at);
    code = wlab_lbfgs_evaluate(r->at, evaluate, &j, err);
    for (int k = 0; !code && k < ITERATIONS && !stationary(s, r->at) && !r->at->stalled; k++)
        code = wlab_lbfgs_iterate(r->at, evaluate, &j, err);
    code = code ? code : objective(s, r->at->w, &value, &j, err);
    if (code) {
        go_back(s, r);
        return code;
    }
    r->gradient = r->at->gradient;
    r->moving = value < before - FALLS * (1 + fabs(before));
    r->value = r->moving ? value : before;
    if (!r->moving)
        go_back(s, r);
    return WL_OK;
}

/* The labels of the start that is shown: the nearest instance of each positive bag is its key instance; where all
 * instances have labels, so are those that are positive with a probability of 1/2 or more. */
static void update_labels(density *s)
{
    const wlab_problem *p = s->p;
    const double *w = s->r[s->leader].at->w;

    density_choose(s, w, s->chosen);
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t b = p->bag[i];
        const int8_t y = !positive(s, b)              ? -1
                         : s->chosen[b] == i          ? 1
                         : p->keys                    ? 0
                         : distance(s, w, i) <= M_LN2 ? 1
                                                      : -1;
        s->flips += s->step > 0 && y != s->shown[i];
        s->shown[i] = y;
    }
}

static wlab_step report(const density *s)
{
    return (wlab_step){.complete = true,
                       .verdict = !s->finished                      ? WL_MORE
                                  : s->limited                      ? WL_LIMIT
                                  : isfinite(s->r[s->leader].value) ? WL_CONVERGED
                                                                    : WL_STALLED};
}

/* The next start that has not ended, from k on. */
static int64_t next_turn(const density *s, int64_t k)
{
    while (k < s->restarts && (!s->r[k].moving || s->r[k].rounds >= s->most))
        k++;
    return k;
}

static void end_step(density *s, wlab_ctx *ctx)
{
    for (int64_t k = 0; k < s->restarts; k++)
        if (s->r[k].value < s->r[s->leader].value)
            s->leader = k;
    update_labels(s);
    s->step++;
    s->turn = next_turn(s, 0);
    s->finished = s->turn == s->restarts;
    s->limited = s->finished && density_count_moving(s) > 0;
    if (!isfinite(s->r[s->leader].value))
        wlab_emit_note(ctx, "every start lies at an instance that a negative bag has, too: use more "
                            "restarts=, or another seed=");
    if (s->limited)
        wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                       (long long)s->most, 2 * (long long)s->most);
}

wlab_code density_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    density *s = state;
    const double from = wlab_seconds_now();

    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    s->turn = next_turn(s, s->turn);
    if (s->turn < s->restarts) {
        density_start *r = &s->r[s->turn];
        const wlab_code code = (s->em ? round_of : descend)(s, r, ctx, err);
        if (code)
            return code;
        r->rounds++;
        s->turn = next_turn(s, s->turn + 1);
    }
    if (s->turn == s->restarts) {
        end_step(s, ctx);
        *step = report(s);
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

wlab_code density_set(void *state, const wlab_params *given, wlab_err *err)
{
    density *s = state;
    (void)err;
    s->most = wlab_params_int(given, "iterations");
    if (s->limited) {
        s->turn = next_turn(s, 0);
        s->finished = s->limited = s->turn == s->restarts;
    }
    return WL_OK;
}

/* ---- the model ---- */

/* f(x) = log 2 - d(x), which is positive where p > 1/2. */
wlab_code density_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const density *s = state;
    (void)ctx;
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    const double *w = s->r[s->leader].at->w;
    double *a = wlab_alloc((size_t)s->d, sizeof *a), *c = wlab_alloc((size_t)s->d, sizeof *c);
    wlab_code code = a && c ? WL_OK : wlab_nomem(err);
    for (int64_t k = 0; k < s->d && !code; k++) {
        const double scale = w[s->d + k] / s->width[k];
        a[k] = scale * scale;
        c[k] = density_concept_at(s, w, k);
    }
    code = code ? code : wlab_model_from_distance(out, s->p, a, c, M_LN2, err);
    wlab_free(a);
    wlab_free(c);
    return code;
}

void density_walk(void *state, wlab_walk *w)
{
    density *s = state;
    WL_WALK(w, s->turn);
    WL_WALK(w, s->step);
    WL_WALK(w, s->leader);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->limited);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->shown, s->n);
    for (int64_t k = 0; k < s->restarts; k++) {
        density_start *r = &s->r[k];
        WL_WALK(w, r->value);
        WL_WALK(w, r->gradient);
        WL_WALK(w, r->moving);
        WL_WALK(w, r->stalled);
        WL_WALK(w, r->rounds);
        wlab_lbfgs_walk(r->at, w);
    }
    if (wlab_walk_has_read(w) &&
        (s->leader < 0 || s->leader >= s->restarts || s->turn < 0 || s->turn > s->restarts)) {
        s->leader = s->turn = 0;
        wlab_walk_damaged(w);
    }
}
