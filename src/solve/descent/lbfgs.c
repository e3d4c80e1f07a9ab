/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L-BFGS, one iteration per call: the two-loop recursion and the line search.
 */
#include "solve/descent/lbfgs.h"

#include <math.h>
#include <string.h>

#define ARMIJO 1e-4
#define WOLFE  0.9
#define NOISE  1e-15 /* relative rounding error of f that the line search tolerates */
enum {
    TRIALS = 60 /* of one line search */
};

/* The sums are plain loops, so that their bits depend on nothing but the numbers. */
static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void axpy(double a, const double *x, double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void wlab_lbfgs_destroy(wlab_lbfgs *s)
{
    if (!s)
        return;
    wlab_free(s->w);
    wlab_free(s->g);
    wlab_free(s->S);
    wlab_free(s->Y);
    wlab_free(s->d);
    wlab_free(s->try_w);
    wlab_free(s->try_g);
    wlab_free(s);
}

wlab_code wlab_lbfgs_create(wlab_lbfgs **out, int64_t dim, wlab_err *err)
{
    wlab_lbfgs *s = wlab_calloc(1, sizeof *s);
    const size_t n = (size_t)dim + (dim == 0); /* an empty vector has an address too */
    *out = NULL;
    if (!s)
        return wlab_nomem(err);
    s->dim = dim;
    s->w = wlab_calloc(n, sizeof *s->w);
    s->g = wlab_calloc(n, sizeof *s->g);
    s->S = wlab_calloc(n, WL_LBFGS_PAIRS * sizeof *s->S);
    s->Y = wlab_calloc(n, WL_LBFGS_PAIRS * sizeof *s->Y);
    s->d = wlab_alloc(n, sizeof *s->d);
    s->try_w = wlab_alloc(n, sizeof *s->try_w);
    s->try_g = wlab_alloc(n, sizeof *s->try_g);
    if (!s->w || !s->g || !s->S || !s->Y || !s->d || !s->try_w || !s->try_g) {
        wlab_lbfgs_destroy(s);
        return wlab_nomem(err);
    }
    wlab_lbfgs_start(s);
    *out = s;
    return WL_OK;
}

void wlab_lbfgs_start(wlab_lbfgs *s)
{
    s->known = s->stalled = false;
    s->f = s->gradient = NAN;
    s->length = 0;
    s->iterations = s->evaluations = 0;
    s->pairs = s->newest = 0;
}

wlab_code wlab_lbfgs_evaluate(wlab_lbfgs *s, wlab_lbfgs_fn *fn, void *of, wlab_err *err)
{
    double f;
    if (s->known)
        return WL_OK;
    wlab_code code = fn(of, s->w, &f, s->try_g, err);
    if (code)
        return code;
    if (!isfinite(f))
        return wlab_fail(err, WL_ENUMERIC,
                         "the objective at the start is not a finite number; scale the data");
    memcpy(s->g, s->try_g, (size_t)s->dim * sizeof *s->g);
    s->f = f;
    s->gradient = sqrt(dot(s->g, s->g, s->dim));
    s->evaluations++;
    s->known = true;
    return WL_OK;
}

/* The k-th newest pair, from 0. */
static int64_t place(const wlab_lbfgs *s, int k)
{
    return (int64_t)((s->newest + WL_LBFGS_PAIRS - k) % WL_LBFGS_PAIRS) * s->dim;
}

/* d = -B g by the two-loop recursion; B = s'y / y'y for the newest pair before the updates. */
static void find_direction(wlab_lbfgs *s)
{
    double a[WL_LBFGS_PAIRS];
    const int64_t n = s->dim;

    for (int64_t i = 0; i < n; i++)
        s->d[i] = -s->g[i];
    for (int k = 0; k < s->pairs; k++) {
        const double *move = s->S + place(s, k), *change = s->Y + place(s, k);
        a[k] = dot(move, s->d, n) / dot(move, change, n);
        axpy(-a[k], change, s->d, n);
    }
    if (s->pairs) {
        const double *move = s->S + place(s, 0), *change = s->Y + place(s, 0);
        const double scale = dot(move, change, n) / dot(change, change, n);
        for (int64_t i = 0; i < n; i++)
            s->d[i] *= scale;
    }
    for (int k = s->pairs - 1; k >= 0; k--) {
        const double *move = s->S + place(s, k), *change = s->Y + place(s, k);
        axpy(a[k] - dot(change, s->d, n) / dot(move, change, n), move, s->d, n);
    }
}

/* A trial of the line search: step length, value and slope. */
typedef struct trial {
    double a, f, slope;
} trial;

/* The minimum of the cubic function with these values and slopes at two points, or NaN. */
static double cubic(const trial *p, const trial *q)
{
    const double c = p->slope + q->slope - 3 * (p->f - q->f) / (p->a - q->a),
                 root = c * c - p->slope * q->slope;
    if (!(root >= 0))
        return NAN;
    const double e = copysign(sqrt(root), q->a - p->a);
    return q->a - (q->a - p->a) * (q->slope + e - c) / (q->slope - p->slope + 2 * e);
}

/* The step length after the trial `at`.  lo: the longest that was too short.  hi: the shortest that was too long; a = inf:
 * none. */
static double next_length(const trial *lo, const trial *hi, const trial *at)
{
    if (isinf(hi->a)) {
        /* beyond the trial: where the slope would be 0 if it changed linearly */
        const double bend = (at->slope - lo->slope) / (at->a - lo->a), a = at->a - at->slope / bend;
        return bend > 0 ? fmin(fmax(a, 2 * at->a), 10 * at->a) : 10 * at->a;
    }
    const double width = hi->a - lo->a, a = isfinite(hi->f) ? cubic(lo, hi) : NAN;
    if (!(a >= lo->a + 0.1 * width && a <= hi->a - 0.1 * width))
        return lo->a + 0.5 * width;
    return a;
}

/* Finds a point along d that satisfies both conditions: w, g and f in try_w, try_g and *end.  *found: false if there is
 * none in double precision. */
static wlab_code search(wlab_lbfgs *s, wlab_lbfgs_fn *fn, void *of, double slope, double first, trial *end,
                        int64_t *evaluations, bool *found, wlab_err *err)
{
    const trial start = {.a = 0, .f = s->f, .slope = slope};
    trial lo = start, hi = {.a = INFINITY, .f = INFINITY};
    double a = first;

    *found = false;
    for (int k = 0; k < TRIALS && !*found; k++) {
        for (int64_t i = 0; i < s->dim; i++)
            s->try_w[i] = s->w[i] + a * s->d[i];
        trial at = {.a = a};
        wlab_code code = fn(of, s->try_w, &at.f, s->try_g, err);
        if (code)
            return code;
        ++*evaluations;
        at.slope = dot(s->try_g, s->d, s->dim);
        /* Near the minimum the decrease that Armijo's condition asks for is lost in rounding.  Then a flatter slope
         * shows the progress, as long as f does not rise (Hager and Zhang 2005). */
        const bool falls = at.f <= start.f + ARMIJO * a * slope ||
                           (at.f <= start.f && at.f >= start.f - NOISE * fabs(start.f) &&
                            at.slope <= (2 * ARMIJO - 1) * slope);
        if (!isfinite(at.f) || !isfinite(at.slope) || !falls) {
            hi = at;
            if (!isfinite(at.slope))
                hi.f = INFINITY;
        } else if (at.slope < WOLFE * slope) {
            const double next = next_length(&lo, &hi, &at);
            lo = at;
            if (isinf(hi.a)) {
                a = next;
                continue;
            }
        } else {
            *end = at;
            *found = true;
            break;
        }
        a = next_length(&lo, &hi, &lo);
        if (!(a > lo.a && a < hi.a)) /* the interval has no double inside */
            break;
    }
    return WL_OK;
}

/* Makes the found point the current one and stores the pair, if it says that f is convex along the move. */
static void accept_point(wlab_lbfgs *s, const trial *end)
{
    const int64_t n = s->dim;
    const int32_t at = s->pairs ? (s->newest + 1) % WL_LBFGS_PAIRS : 0;
    double *move = s->S + at * n, *change = s->Y + at * n;

    for (int64_t i = 0; i < n; i++) {
        move[i] = s->try_w[i] - s->w[i];
        change[i] = s->try_g[i] - s->g[i];
    }
    const double product = dot(move, change, n), square = dot(change, change, n);
    s->length = sqrt(dot(move, move, n));
    if (product > 1e-14 * s->length * sqrt(square)) {
        s->newest = at;
        s->pairs += s->pairs < WL_LBFGS_PAIRS;
    } else if (s->pairs == WL_LBFGS_PAIRS) { /* the place belonged to the oldest pair */
        s->pairs--;
    }
    memcpy(s->w, s->try_w, (size_t)n * sizeof *s->w);
    memcpy(s->g, s->try_g, (size_t)n * sizeof *s->g);
    s->f = end->f;
    s->gradient = sqrt(dot(s->g, s->g, n));
}

wlab_code wlab_lbfgs_iterate(wlab_lbfgs *s, wlab_lbfgs_fn *fn, void *of, wlab_err *err)
{
    bool found = false;
    int64_t evaluations = 0;
    const int32_t pairs = s->pairs;
    trial end = {0};
    wlab_code code = wlab_lbfgs_evaluate(s, fn, of, err);

    if (code || s->gradient == 0)
        return code;
    for (int attempt = 0; attempt < 2 && !found; attempt++) {
        if (attempt == 1 && pairs == 0) /* it was already along -g */
            break;
        if (attempt == 1)
            s->pairs = 0;
        find_direction(s);
        const double slope = dot(s->g, s->d, s->dim);
        if (!(slope < 0) || !isfinite(slope))
            continue;
        /* without pairs d has no natural length: move by at most 1 first */
        const double first = s->pairs ? 1 : fmin(1, 1 / s->gradient);
        if ((code = search(s, fn, of, slope, first, &end, &evaluations, &found, err))) {
            s->pairs = pairs;
            return code;
        }
    }
    s->evaluations += evaluations;
    s->iterations++;
    if (found)
        accept_point(s, &end);
    else
        s->stalled = true;
    return WL_OK;
}

void wlab_lbfgs_walk(void *lbfgs, wlab_walk *w)
{
    wlab_lbfgs *s = lbfgs;
    WL_WALK(w, s->f);
    WL_WALK(w, s->gradient);
    WL_WALK(w, s->length);
    WL_WALK(w, s->iterations);
    WL_WALK(w, s->evaluations);
    WL_WALK(w, s->pairs);
    WL_WALK(w, s->newest);
    WL_WALK(w, s->known);
    WL_WALK(w, s->stalled);
    if (wlab_walk_has_read(w) &&
        !(s->pairs >= 0 && s->pairs <= WL_LBFGS_PAIRS && s->newest >= 0 && s->newest < WL_LBFGS_PAIRS)) {
        s->pairs = s->newest = 0;
        wlab_walk_damaged(w);
    }
    WL_WALK_ARRAY(w, s->w, s->dim);
    if (s->known)
        WL_WALK_ARRAY(w, s->g, s->dim);
    for (int k = 0; k < s->pairs; k++) {
        wlab_walk_bytes(w, s->S + place(s, k), (size_t)s->dim * sizeof *s->S);
        wlab_walk_bytes(w, s->Y + place(s, k), (size_t)s->dim * sizeof *s->Y);
    }
}
