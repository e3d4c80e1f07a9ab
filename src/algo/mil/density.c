/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Diverse density and its descents (density.h).
 */
#include "algo/mil/density.h"
#include "base/clock.h"
#include "base/text.h"
#include "weaklab/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONSTANT                                                                                             \
    1e-6 /* a column whose deviation is at most this fraction of its values is constant: data are kept in single
                         precision, and the model's sums lose as many digits as the square of this */
#define TINY  1e-290 /* a sum of probabilities below this is computed by its logarithm */
#define FALLS 1e-9   /* em-dd: a round that lowers the objective by less than this fraction is the last */
enum {
    MOST_NUMBERS = 1 << 27, /* of the dense copy of the data */
    NAMED = 5               /* columns that explain lists */
};

enum {
    M_OBJECTIVE,
    M_POSITIVE,
    M_NEGATIVE,
    M_GRADIENT,
    M_FLIPS,
    M_RESTART,
    M_MOVING,
    M_COLUMNS,
    M_SECONDS
};
const wlab_metric_info density_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the smallest negative logarithm of the diverse density of all starts; never rises",
     .equation = "NLDD(t, s)"},
    {.name = "positive",
     .flags = WL_M_LESS | WL_M_LINE,
     .meaning = "the part of the positive bags: how far the concept is from them",
     .equation = "- sum log(1 - prod_j (1 - p_j)) over positive bags"},
    {.name = "negative",
     .flags = WL_M_LESS | WL_M_LINE,
     .meaning = "the part of the negative bags: how near the concept is to them",
     .equation = "- sum sum_j log(1 - p_j) over negative bags"},
    {.name = "gradient",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "norm of the gradient at the end of the last descent of the start that is shown",
     .equation = "||d NLDD / d (t, s)||"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those shown one step before, possibly of another start; a first "
                "label is no flip"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "number of the start that is shown: the one with the smallest objective"},
    {.name = "moving", .unit = "starts", .flags = WL_M_COUNT, .meaning = "starts that have not ended"},
    {.name = "columns",
     .meaning = "the number of columns that count: that of equal scales with the same concentration",
     .equation = "(sum s_k^2)^2 / sum s_k^4"},
    WLAB_SECONDS,
    {.name = NULL}};

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

double density_value(density *s, const double *w, const int32_t *chosen, double *g, double part[2])
{
    part[0] = part[1] = 0;
    if (g)
        memset(g, 0, 2 * (size_t)s->d * sizeof *g);
    for (int64_t b = 0; b < s->p->bags; b++) {
        const int32_t *row = chosen ? &chosen[b] : s->row + s->first[b];
        const int64_t rows = chosen ? 1 : s->first[b + 1] - s->first[b];
        for (int64_t j = 0; j < rows; j++)
            s->dist[row[j]] = distance(s, w, row[j]);
        part[!positive(s, b)] += (positive(s, b) ? of_positive : of_negative)(s, row, rows);
        for (int64_t j = 0; j < rows && g; j++)
            add_gradient(s, w, row[j], g);
    }
    return part[0] + part[1];
}

void density_choose(density *s, const double *w, int32_t *chosen)
{
    for (int64_t b = 0; b < s->p->bags; b++) {
        double least = HUGE_VAL;
        chosen[b] = s->row[s->first[b]];
        for (int64_t j = s->first[b]; j < s->first[b + 1]; j++) {
            const double d = distance(s, w, s->row[j]);
            if (d < least) {
                least = d;
                chosen[b] = s->row[j];
            }
        }
    }
}

typedef struct job {
    density *s;
    const int32_t *chosen;
    wlab_ctx *ctx;
} job;

static wlab_code evaluate(void *of, const double *w, double *f, double *g, wlab_err *err)
{
    const job *j = of;
    double part[2];
    if (wlab_interrupted(j->ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    *f = density_value(j->s, w, j->chosen, g, part);
    return WL_OK;
}

/* ---- creation ---- */

/* The columns with mean 0 and deviation 1; a column with one value only, up to rounding, is 0. */
static wlab_code standardise(density *s, wlab_err *err)
{
    const int64_t n = s->n, d = s->d;
    wlab_code code = WL_OK;

    memset(s->X, 0, (size_t)(n * d) * sizeof *s->X);
    for (int64_t i = 0; i < n; i++)
        wlab_matrix_row_axpy(s->p->X, i, 1, s->X + i * d);
    for (int64_t k = 0; k < d; k++) {
        double mean = 0, square = 0, largest = 0;
        for (int64_t i = 0; i < n; i++) {
            mean += s->X[i * d + k] / (double)n;
            largest = fmax(largest, fabs(s->X[i * d + k]));
        }
        for (int64_t i = 0; i < n; i++)
            square += (s->X[i * d + k] - mean) * (s->X[i * d + k] - mean) / (double)n;
        s->centre[k] = mean;
        const bool varies = sqrt(square) > CONSTANT * largest;
        s->width[k] = varies ? sqrt(square) : 1;
        if (!isfinite(mean) || !isfinite(square))
            code = wlab_fail(err, WL_ENUMERIC,
                             "column %lld has values whose squares are too large: use `scale` first",
                             (long long)k + 1);
        for (int64_t i = 0; i < n; i++)
            s->X[i * d + k] = varies ? (s->X[i * d + k] - mean) / s->width[k] : 0;
    }
    return code;
}

static void sort_by_bag(density *s)
{
    const wlab_problem *p = s->p;
    for (int64_t i = 0; i < s->n; i++)
        s->first[p->bag[i] + 1]++;
    for (int64_t b = 0; b < p->bags; b++)
        s->first[b + 1] += s->first[b];
    for (int64_t i = s->n - 1; i >= 0; i--) /* in each bag from its end, so that they are in order */
        s->row[--s->first[p->bag[i] + 1]] = (int32_t)i;
    /* first[b + 1] is now where bag b begins */
    memmove(s->first, s->first + 1, (size_t)p->bags * sizeof *s->first);
    s->first[p->bags] = s->n;
}

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

static wlab_code fill(density *s, const wlab_params *given, wlab_err *err)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d, bags = (size_t)s->p->bags;
    wlab_code code;

    if (s->d > MOST_NUMBERS / s->n)
        return wlab_fail(err, WL_ESTATE,
                         "%lld rows of %lld columns are too many for a dense copy: use fewer (`split`)",
                         (long long)s->n, (long long)s->d);
    s->restarts = wlab_params_int(given, "restarts");
    s->eps = wlab_params_real(given, "eps");
    s->most = wlab_params_int(given, "iterations");
    s->X = wlab_alloc(n * d, sizeof *s->X);
    s->centre = wlab_alloc(d, sizeof *s->centre);
    s->width = wlab_alloc(d, sizeof *s->width);
    s->first = wlab_calloc(bags + 2, sizeof *s->first);
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
    if ((code = standardise(s, err)))
        return code;
    sort_by_bag(s);
    return draw_starts(s, given, err);
}

wlab_code density_create(void **state, wlab_problem *p, bool em, const wlab_params *given, wlab_ctx *ctx,
                         wlab_err *err)
{
    density *s = wlab_calloc(1, sizeof *s);
    (void)ctx;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->d = p->X->cols;
    s->em = em;
    const wlab_code code = fill(s, given, err);
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

/* dd: an iteration of one start. */
static wlab_code descend(density *s, density_start *r, wlab_ctx *ctx, wlab_err *err)
{
    job j = {.s = s, .ctx = ctx};
    wlab_code code = wlab_lbfgs_evaluate(r->at, evaluate, &j, err);
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
    double part[2];
    wlab_code code;

    density_choose(s, r->at->w, s->chosen);
    const double before = isnan(r->value) ? density_value(s, r->at->w, s->chosen, NULL, part) : r->value;
    memcpy(s->old, r->at->w, 2 * (size_t)s->d * sizeof *s->old);
    wlab_lbfgs_start(r->at);
    code = wlab_lbfgs_evaluate(r->at, evaluate, &j, err);
    for (int k = 0; !code && k < ITERATIONS && !stationary(s, r->at) && !r->at->stalled; k++)
        code = wlab_lbfgs_iterate(r->at, evaluate, &j, err);
    if (code) {
        go_back(s, r);
        return code;
    }
    density_choose(s, r->at->w, s->chosen);
    const double value = density_value(s, r->at->w, s->chosen, NULL, part);
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
                       .verdict = s->limited    ? WL_LIMIT
                                  : s->finished ? WL_CONVERGED
                                                : WL_MORE};
}

/* The next start that has not ended, from k on. */
static int64_t next_turn(const density *s, int64_t k)
{
    while (k < s->restarts && (!s->r[k].moving || s->r[k].rounds >= s->most))
        k++;
    return k;
}

static int64_t count_moving(const density *s)
{
    int64_t moving = 0;
    for (int64_t k = 0; k < s->restarts; k++)
        moving += s->r[k].moving;
    return moving;
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
    s->limited = s->finished && count_moving(s) > 0;
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

/* ---- metrics, labels, probes and the model ---- */

static double columns_that_count(const density *s, const double *w)
{
    double two = 0, four = 0;
    for (int64_t k = 0; k < s->d; k++) {
        const double square = w[s->d + k] * w[s->d + k];
        two += square;
        four += square * square;
    }
    return four > 0 ? two * two / four : NAN;
}

void density_observe(const void *state, double *metric, int8_t *labels)
{
    const density *s = state;
    const density_start *r = &s->r[s->leader];

    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    for (int m = 0; m < M_SECONDS; m++)
        metric[m] = NAN;
    metric[M_MOVING] = (double)count_moving(s);
    metric[M_SECONDS] = s->seconds;
    if (s->step == 0)
        return;
    double part[2];
    density *work = (density *)s; /* only its workspace is written */
    if (s->em)
        density_choose(work, r->at->w, work->chosen);
    metric[M_OBJECTIVE] = density_value(work, r->at->w, s->em ? work->chosen : NULL, NULL, part);
    metric[M_POSITIVE] = part[0];
    metric[M_NEGATIVE] = part[1];
    metric[M_GRADIENT] = r->gradient;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_RESTART] = (double)(s->leader + 1);
    metric[M_COLUMNS] = columns_that_count(s, r->at->w);
}

static wlab_code values(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const density *s = state;
    (void)ask, (void)ctx;
    if (wlab_probed_make(out, s->step > 0 ? s->restarts : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < out->rows; k++)
        out->value[k] = s->r[k].value;
    return WL_OK;
}

/* In units of the data. */
static double concept_at(const density *s, const double *w, int64_t k)
{
    return s->centre[k] + s->width[k] * w[k];
}

/* The two columns with the largest scales. */
static void leading_columns(const density *s, const double *w, int64_t of[2])
{
    of[0] = of[1] = 0;
    for (int64_t k = 1; k < s->d; k++)
        if (fabs(w[s->d + k]) > fabs(w[s->d + of[0]]))
            of[0] = k;
    of[1] = of[0] == 0 ? 1 : 0;
    for (int64_t k = 0; k < s->d; k++)
        if (k != of[0] && fabs(w[s->d + k]) > fabs(w[s->d + of[1]]))
            of[1] = k;
    if (of[0] > of[1]) { /* as in the data */
        const int64_t first = of[1];
        of[1] = of[0];
        of[0] = first;
    }
}

/* The objective at place w, for the picture. */
static double value_at(density *s, const double *w)
{
    double part[2];
    if (s->em)
        density_choose(s, w, s->chosen);
    return density_value(s, w, s->em ? s->chosen : NULL, NULL, part);
}

static wlab_code landscape(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                           wlab_err *err)
{
    density *s = (density *)state; /* only its workspace is written */
    const size_t d = (size_t)s->d;
    double lo[2], step[2];
    int64_t of[2];

    (void)ask;
    if (s->step == 0 || s->d < 2)
        return wlab_fail(err, WL_ESTATE,
                         s->d < 2 ? "there is one column only: a landscape needs two"
                                  : "there is no concept yet: `step` first");
    if (wlab_probed_make(out, WL_LAND_SIDE * WL_LAND_SIDE + 2, WL_LAND_COLUMNS, err))
        return WL_ENOMEM;
    double *w = wlab_alloc(2 * d, sizeof *w), *row = out->value;
    if (!w) {
        wlab_probed_clear(out);
        return wlab_nomem(err);
    }
    memcpy(w, s->r[s->leader].at->w, 2 * d * sizeof *w);
    leading_columns(s, w, of);
    for (int k = 0; k < 2; k++) {
        double hi = w[of[k]];
        lo[k] = hi;
        for (int64_t i = 0; i < s->n; i++) {
            lo[k] = fmin(lo[k], s->X[i * s->d + of[k]]);
            hi = fmax(hi, s->X[i * s->d + of[k]]);
        }
        step[k] = hi > lo[k] ? (hi - lo[k]) / (WL_LAND_SIDE - 3) : 1;
        lo[k] -= step[k];
    }
    const double concept[] = {concept_at(s, w, of[0]), concept_at(s, w, of[1]), value_at(s, w)};
    for (int k = 0; k < WL_LAND_SIDE * WL_LAND_SIDE; k++, row += WL_LAND_COLUMNS) {
        w[of[0]] = lo[0] + (k % WL_LAND_SIDE) * step[0];
        w[of[1]] = lo[1] + (k / WL_LAND_SIDE) * step[1];
        row[WL_LAND_X] = concept_at(s, w, of[0]);
        row[WL_LAND_Y] = concept_at(s, w, of[1]);
        row[WL_LAND_VALUE] = value_at(s, w);
        if (k % WL_LAND_SIDE == 0 && wlab_interrupted(ctx)) {
            wlab_probed_clear(out);
            wlab_free(w);
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        }
    }
    memcpy(row, concept, sizeof concept);
    row[WL_LAND_COLUMNS] = (double)of[0];
    row[WL_LAND_COLUMNS + 1] = (double)of[1];
    row[WL_LAND_COLUMNS + 2] = 0;
    wlab_free(w);
    return WL_OK;
}

const wlab_probe density_probes[] = {{.name = "objective",
                                      .kind = WL_PROBE_RESTARTS,
                                      .when = WL_PROBE_RECORDED,
                                      .meaning = "objective of each start",
                                      .get = values},
                                     {.name = "NLDD",
                                      .kind = WL_PROBE_LANDSCAPE,
                                      .when = WL_PROBE_QUICK,
                                      .meaning = "the objective over the two columns with the largest scales",
                                      .get = landscape},
                                     {.name = NULL}};

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
        c[k] = concept_at(s, w, k);
    }
    code = code ? code : wlab_model_from_distance(out, s->p, a, c, M_LN2, err);
    wlab_free(a);
    wlab_free(c);
    return code;
}

/* ---- words ---- */

/* "columns with the largest scales: 3 (s = 1.2), ..." */
static void name_columns(const density *s, const double *w, char *buf, size_t size)
{
    int64_t listed[NAMED];
    for (int64_t k = 0; k < NAMED && k < s->d; k++) {
        int64_t best = -1;
        for (int64_t c = 0; c < s->d; c++) {
            bool had = false;
            for (int64_t j = 0; j < k; j++)
                had = had || listed[j] == c;
            if (!had && (best < 0 || fabs(w[s->d + c]) > fabs(w[s->d + best])))
                best = c;
        }
        listed[k] = best;
        wlab_text_append(buf, size, "%s%lld (s = %.3g, t = %.4g)", k ? ", " : "", (long long)best + 1,
                         fabs(w[s->d + best]), concept_at(s, w, best));
    }
}

void density_explain(const void *state, char *buf, size_t size)
{
    const density *s = state;
    const density_start *r = &s->r[s->leader];
    double part[2];
    density *work = (density *)s; /* only its workspace is written */

    if (s->step == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: %lld start%s will begin at instances of positive bags, with equal "
            "scales for "
            "all %lld columns.",
            (long long)s->restarts, s->restarts == 1 ? "" : "s", (long long)s->d);
        return;
    }
    if (s->em)
        density_choose(work, r->at->w, work->chosen);
    const double value = density_value(work, r->at->w, s->em ? work->chosen : NULL, NULL, part);
    snprintf(
        buf, size,
        "%s.  Start %lld of %lld has the smallest objective, %.10g: %.6g for the positive bags, whose "
        "nearest "
        "instances are not at the concept, and %.6g for the negative ones, some of whose instances are near "
        "it.  %lld "
        "labels changed; %lld of %lld starts have not ended%s.  Columns with the largest scales: ",
        s->em ? "In each start that had not ended, the nearest instance of each bag was chosen, and the "
                "concept that fits these was found by L-BFGS"
              : "Each start that had not ended made an iteration of L-BFGS",
        (long long)s->leader + 1, (long long)s->restarts, value, part[0], part[1], (long long)s->flips,
        (long long)count_moving(s), (long long)s->restarts,
        s->limited ? ", and iterations= stopped the run" : "");
    name_columns(s, r->at->w, buf, size);
    wlab_text_append(buf, size, ".");
    if (r->stalled)
        wlab_text_append(buf, size, "  No step lowers the objective of this start in double precision.");
}

void density_next(const void *state, char *buf, size_t size)
{
    const density *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited ? "the limit iterations= was reached" : "all starts have ended");
    else
        snprintf(buf, size,
                 s->em
                     ? "the nearest instance of each bag, then the concept that fits these, for %lld start%s"
                     : "an iteration of L-BFGS for each of %lld start%s",
                 (long long)count_moving(s), count_moving(s) == 1 ? "" : "s");
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
