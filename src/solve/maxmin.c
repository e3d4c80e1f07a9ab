/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The largest of the smallest of a few linear functions over a box, by proximal steps (maxmin.h).
 */
#include "solve/maxmin.h"
#include "solve/simplexqp.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON = 200,
    HALVINGS = 60,
    POLISH = 5
};
#define FLAT  1e-10
#define FIRST 1   /* the first tau; outputs C'mu are of order 1 */
#define GROWS 8   /* per step */
#define LAST  1e4 /* beyond, y is known to fewer digits than the value needs */

void wlab_maxmin_destroy(wlab_maxmin *s)
{
    if (!s)
        return;
    wlab_free(s->c);
    wlab_free(s->d);
    wlab_free(s->y);
    wlab_free(s->mu);
    wlab_free(s->best);
    wlab_free(s);
}

wlab_code wlab_maxmin_create(wlab_maxmin **out, int64_t t, int64_t u, wlab_err *err)
{
    wlab_maxmin *s = wlab_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return wlab_nomem(err);
    s->t = t;
    s->u = u;
    s->c = wlab_calloc((size_t)(t * u) + 1, sizeof *s->c);
    s->d = wlab_calloc((size_t)t, sizeof *s->d);
    s->y = wlab_calloc((size_t)u + 1, sizeof *s->y);
    s->mu = wlab_calloc((size_t)t, sizeof *s->mu);
    s->best = wlab_calloc((size_t)u + 1, sizeof *s->best);
    if (!s->c || !s->d || !s->y || !s->mu || !s->best) {
        wlab_maxmin_destroy(s);
        return wlab_nomem(err);
    }
    s->lower = -HUGE_VAL;
    s->upper = HUGE_VAL;
    *out = s;
    return WL_OK;
}

static double clip(double x)
{
    return fmin(fmax(x, -1), 1);
}

/* min_t c_t'y + d_t */
static double smallest(const wlab_maxmin *s, const double *y)
{
    double least = HUGE_VAL;
    for (int64_t t = 0; t < s->t; t++) {
        double sum = s->d[t];
        for (int64_t i = 0; i < s->u; i++)
            sum += s->c[t * s->u + i] * y[i];
        least = fmin(least, sum);
    }
    return least;
}

/* o = C'mu; returns d'mu + ||o||_1, the dual value. */
static double dual(const wlab_maxmin *s, const double *mu, double *o)
{
    double sum = 0;
    memset(o, 0, (size_t)s->u * sizeof *o);
    for (int64_t t = 0; t < s->t; t++) {
        sum += s->d[t] * mu[t];
        for (int64_t i = 0; i < s->u && mu[t] != 0; i++)
            o[i] += mu[t] * s->c[t * s->u + i];
    }
    for (int64_t i = 0; i < s->u; i++)
        sum += fabs(o[i]);
    return sum;
}

static void offer(wlab_maxmin *s, const double *y, double upper)
{
    const double value = smallest(s, y);
    if (value > s->lower) {
        s->lower = value;
        memcpy(s->best, y, (size_t)s->u * sizeof *y);
    }
    s->upper = fmin(s->upper, upper);
}

void wlab_maxmin_start(wlab_maxmin *s, const double *y)
{
    double most = HUGE_VAL;
    for (int64_t t = 0; t < s->t; t++) { /* mu at a corner */
        double sum = s->d[t];
        for (int64_t i = 0; i < s->u; i++)
            sum += fabs(s->c[t * s->u + i]);
        most = fmin(most, sum);
        s->mu[t] = 1.0 / (double)s->t;
    }
    memcpy(s->y, y, (size_t)s->u * sizeof *y);
    s->lower = -HUGE_VAL;
    s->upper = HUGE_VAL;
    s->tau = FIRST;
    s->steps = s->idle = 0;
    offer(s, y, most);
}

/* The dual of the proximal problem at mu: phi = d'mu + sum_i max over y_i of o_i y_i - (y_i - y0_i)^2 / (2 tau).  y [u]: the
 * maximiser.  o: C'mu. */
static double phi(const wlab_maxmin *s, const double *mu, double *o, double *y)
{
    double sum = 0;
    (void)dual(s, mu, o);
    for (int64_t t = 0; t < s->t; t++)
        sum += s->d[t] * mu[t];
    for (int64_t i = 0; i < s->u; i++) {
        y[i] = clip(s->y[i] + s->tau * o[i]);
        sum += o[i] * y[i] - (y[i] - s->y[i]) * (y[i] - s->y[i]) / (2 * s->tau);
    }
    return sum;
}

/* H = tau C_F C_F' over the coordinates F in which y moves freely, g = d + C y. */
static void derivatives(const wlab_maxmin *s, const double *o, const double *y, double *g, double *H)
{
    for (int64_t t = 0; t < s->t; t++) {
        g[t] = s->d[t];
        for (int64_t i = 0; i < s->u; i++)
            g[t] += s->c[t * s->u + i] * y[i];
        for (int64_t r = 0; r <= t; r++) {
            double sum = 0;
            for (int64_t i = 0; i < s->u; i++)
                if (fabs(s->y[i] + s->tau * o[i]) < 1)
                    sum += s->c[t * s->u + i] * s->c[r * s->u + i];
            H[t * s->t + r] = H[r * s->t + t] = s->tau * sum;
        }
    }
}

/* The minimum of phi over the simplex by Newton's method; y becomes its maximiser. */
static wlab_code minimise(wlab_maxmin *s, double *work, wlab_err *err)
{
    const int64_t t = s->t, u = s->u;
    double *o = work, *y = o + u, *g = y + u, *to = g + t, *linear = to + t, *tried = linear + t,
           *H = tried + t;
    wlab_code code = WL_OK;

    double f = phi(s, s->mu, o, y);
    int last = 0;
    for (int k = 0; k < NEWTON && !code; k++) {
        double slope = 0, length = 1, trace = 0;
        derivatives(s, o, y, g, H);
        for (int64_t a = 0; a < t; a++)
            trace += H[a * t + a];
        for (int64_t a = 0; a < t; a++) { /* a little curvature where no coordinate is free */
            H[a * t + a] += 1e-10 * (1 + trace);
            linear[a] = g[a];
            for (int64_t b = 0; b < t; b++)
                linear[a] -= H[a * t + b] * s->mu[b];
            to[a] = s->mu[a];
        }
        if ((code = wlab_simplexqp_solve(H, linear, t, to, err)))
            break;
        for (int64_t a = 0; a < t; a++)
            slope += g[a] * (to[a] - s->mu[a]);
        if (!(slope < 0))
            break;
        if (slope >
            -FLAT *
                (1 +
                 fabs(f))) { /* values of phi tell no more; its pieces are quadratic, so Newton's steps do */
            memcpy(s->mu, to, (size_t)t * sizeof *to);
            f = phi(s, s->mu, o, y);
            if (++last == POLISH)
                break;
            continue;
        }
        int halvings = 0;
        double now = f;
        for (; halvings < HALVINGS; halvings++, length /= 2) {
            for (int64_t a = 0; a < t; a++)
                tried[a] = s->mu[a] + length * (to[a] - s->mu[a]);
            now = phi(s, tried, o, y);
            if (now <= f + 1e-4 * length * slope)
                break;
        }
        if (halvings == HALVINGS) {
            f = phi(s, s->mu, o, y);
            break;
        }
        memcpy(s->mu, tried, (size_t)t * sizeof *tried);
        f = now;
    }
    if (!code)
        memcpy(s->y, y, (size_t)u * sizeof *y);
    return code;
}

wlab_code wlab_maxmin_step(wlab_maxmin *s, wlab_err *err)
{
    const size_t t = (size_t)s->t, u = (size_t)s->u;
    double *work = wlab_alloc(2 * u + 4 * t + t * t + t, sizeof *work);
    if (!work)
        return wlab_nomem(err);
    double *mu = work + 2 * u + 4 * t + t * t; /* in case of an error */
    memcpy(mu, s->mu, t * sizeof *mu);
    const wlab_code code = minimise(s, work, err);
    if (code) {
        memcpy(s->mu, mu, t * sizeof *mu);
    } else {
        const double lower = s->lower, upper = s->upper;
        offer(s, s->y, dual(s, s->mu, work));
        const bool helped = s->lower > lower || s->upper < upper;
        s->idle = helped ? 0 : s->idle + 1;
        s->tau = helped ? fmin(s->tau * GROWS, LAST) : FIRST;
        s->steps++;
    }
    wlab_free(work);
    return code;
}

void wlab_maxmin_walk(wlab_maxmin *s, wlab_walk *w)
{
    WL_WALK_ARRAY(w, s->c, s->t * s->u);
    WL_WALK_ARRAY(w, s->d, s->t);
    WL_WALK_ARRAY(w, s->y, s->u);
    WL_WALK_ARRAY(w, s->mu, s->t);
    WL_WALK_ARRAY(w, s->best, s->u);
    WL_WALK(w, s->lower);
    WL_WALK(w, s->upper);
    WL_WALK(w, s->tau);
    WL_WALK(w, s->steps);
    WL_WALK(w, s->idle);
}
