/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's inner loop: proximal steps in the Kullback-Leibler divergence, accelerated in the logarithm of Omega,
 * each followed by iterative proportional fitting.  log Omega is x_n'U v_m - b_m up to one term per row, so all
 * computations are in (U, b):  U <- (L U + U*) / (1 + L),  U* = P/lambda X'Pi(I - Omega)V.
 */
#include "solve/relax/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    STRIP = 64,
    FITS = 200,
    BACKTRACKS = 60
};

typedef struct fit {
    wlab_relax *s;
    double *b;
} fit;

/* b_g += log(mass_g / pi_g), with the mass as a logarithm, as it may be below the smallest double. */
static void fit_block(void *data, int block)
{
    const fit *f = data;
    wlab_relax *s = f->s;
    const int64_t G = s->groups, from = (int64_t)block * STRIP, wide = G - from < STRIP ? G - from : STRIP;
    double top[STRIP], sum[STRIP];

    for (int64_t g = 0; g < wide; g++)
        top[g] = -INFINITY, sum[g] = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t g = 0; g < wide; g++)
            top[g] = fmax(top[g], s->W[i * G + from + g] + s->row[i]);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t g = 0; g < wide; g++)
            sum[g] += exp(s->W[i * G + from + g] + s->row[i] - top[g]);
    for (int64_t g = 0; g < wide; g++)
        f->b[from + g] = top[g] + log(sum[g]);
}

/* Fits b so that Omega'pi = pi up to tol in the sum of absolute differences, in at most FITS rounds.  Returns Omega,
 * lse and *value, the objective at (U, b).  Uses W for X U VG'. */
static wlab_code fit_columns(wlab_relax *s, const relax_point *p, const double *U, double *b, double tol,
                             double *value, wlab_ctx *ctx, wlab_err *err)
{
    fit f = {s, b};
    for (int round = 0;; round++) {
        double off = 0;
        *value = relax_value(s, p, U, b, ctx);
        const wlab_code stopped = relax_look(ctx, err);
        if (stopped)
            return stopped;
        if (!s->intercept)
            return WL_OK;
        relax_columns(ctx, s->Omega, s->n, s->groups, s->pi, s->mass);
        for (int64_t g = 0; g < s->groups; g++)
            off += fabs(s->mass[g] - s->pg[g]);
        if (off <= tol || round == FITS)
            return WL_OK;
        if (round == 0)
            relax_scores(s, U, p->r, s->W, ctx);
        for (int64_t i = 0; i < s->n; i++)
            s->row[i] = log(s->pi[i]) - s->lse[i];
        relax_strips(ctx, s->groups, STRIP, fit_block, &f);
        s->counts.fits++;
    }
}

/* X'Pi(I - Omega)V at the present Omega. */
static void slope_at(wlab_relax *s, int64_t r, double *A, wlab_ctx *ctx)
{
    relax_back(s, s->Omega, r, A, ctx);
    for (int64_t i = 0; i < s->d * r; i++)
        A[i] = s->XV[i] - A[i];
}

/* Makes one step of the proximal method from point p (see the head of this file) to a new p; *moved: whether p changed.
 * The columns are fitted to a tolerance proportional to the gap at the old p. */
wlab_code relax_proximal(wlab_relax *s, relax_point *p, bool *moved, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t r = p->r, size = s->d * r, G = s->groups;
    double *U0 = s->small, *U1 = U0 + size, *A0 = U1 + size, *A1 = A0 + size;
    double *b0 = A1 + size, *b1 = b0 + G, *l0 = s->P; /* lse at the first point, in Newton's buffer */
    const double k = s->classes / s->lambda, tol = fmin(1e-3, fmax(1e-12, 1e-2 * (p->f - p->low)));
    const double next = (1 + sqrt(1 + 4 * s->momentum * s->momentum)) / 2,
                 beta = (s->momentum - 1) / next; /* 0 at first */
    double L = s->L / 2, value;
    wlab_code code;

    s->fresh = false; /* Omega belongs to no point until the step ends */
    for (int64_t i = 0; i < size; i++)
        U0[i] = p->U[i] + beta * (p->U[i] - s->before[i]);
    for (int64_t g = 0; g < G; g++)
        b0[g] = p->b[g] + beta * (p->b[g] - s->before_b[g]);
    if ((code = fit_columns(s, p, U0, b0, tol, &value, ctx, err)))
        return code;
    slope_at(s, r, A0, ctx);
    memcpy(l0, s->lse, (size_t)s->n * sizeof *l0);
    for (int trial = 0;; trial++, L *= 2) {
        double divergence, gain = 0;
        for (int64_t i = 0; i < size; i++)
            U1[i] = (L * U0[i] + k * A0[i]) / (1 + L);
        for (int64_t g = 0; g < G; g++)
            b1[g] = L * b0[g] / (1 + L);
        if ((code = fit_columns(s, p, U1, b1, tol, &value, ctx, err)))
            return code;
        slope_at(s, r, A1, ctx);
        /* D(Omega1 | Omega0) = <U1 - U0, X'Pi Omega1 V> - (b1 - b0)'mass - pi'(lse1 - lse0) */
        divergence = relax_dot(s->pi, l0, s->n) - relax_dot(s->pi, s->lse, s->n);
        for (int64_t i = 0; i < size; i++) {
            divergence += (U1[i] - U0[i]) * (s->XV[i] - A1[i]);
            gain += (A1[i] - A0[i]) * (A1[i] - A0[i]);
        }
        if (s->intercept)
            for (int64_t g = 0; g < G; g++)
                divergence -= (b1[g] - b0[g]) * s->mass[g];
        if (k / 2 * gain <= L * divergence + 1e-15 || trial == BACKTRACKS)
            break;
    }
    /* restart the acceleration if the step points against the direction of progress */
    double turn = 0;
    for (int64_t i = 0; i < size; i++)
        turn += (U0[i] - U1[i]) * (U1[i] - p->U[i]);
    const double momentum = s->momentum;
    s->momentum = turn > 0 ? 1 : next;
    s->L = fmax(L, 1e-6);
    *moved =
        memcmp(p->U, U1, (size_t)size * sizeof *U1) != 0 || memcmp(p->b, b1, (size_t)G * sizeof *b1) != 0;
    /* A0 and b0 are free now */
    memcpy(A0, s->before, (size_t)size * sizeof *U1);
    memcpy(b0, s->before_b, (size_t)G * sizeof *b1);
    memcpy(s->before, p->U, (size_t)size * sizeof *U1);
    memcpy(s->before_b, p->b, (size_t)G * sizeof *b1);
    const relax_point was = {.U = s->before, .b = s->before_b, .f = p->f, .low = p->low};
    memcpy(p->U, U1, (size_t)size * sizeof *U1);
    memcpy(p->b, b1, (size_t)G * sizeof *b1);
    p->f = value;
    if ((code = relax_settle(s, p, &was, ctx, err))) {
        memcpy(s->before, A0, (size_t)size * sizeof *U1);
        memcpy(s->before_b, b0, (size_t)G * sizeof *b1);
        s->momentum = momentum;
    }
    return code;
}
