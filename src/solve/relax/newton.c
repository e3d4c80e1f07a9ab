/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Truncated Newton steps on the inner problem: conjugate gradients and Armijo's line search.  The preconditioner is a
 * diagonal; if that needs many steps, the part of b uses the Cholesky factor of its block of the Hessian.
 */
#include "linalg/cholesky.h"
#include "solve/relax/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    STRIP = 32,
    CG_STEPS = 60,
    HALVINGS = 40,
    HARD = 20,           /* CG steps from which on the block of b is factored */
    HARD_FEW = CG_STEPS, /* with few features a factor is as dear as they are */
    COLUMNS = 32         /* columns of V with an exact diagonal: the last, which are the largest */
};
static const double FORCING = 1e-2; /* relative squared residual to stop CG, in the preconditioner's norm */

/* The Hessian in (U, b), which are stored as one vector. */
typedef struct system {
    wlab_relax *s;
    int64_t size, all; /* d r; d r + groups */
    double *cu;        /* [d r] diagonal of the block of U */
    double *scale;     /* [groups] 1 / sqrt(pi_g) */
    const double *db;
} hessian;

/* W = Omega o (dS - its mean in the row). */
static void curve_block(void *data, int block)
{
    const hessian *h = data;
    wlab_relax *s = h->s;
    const int64_t G = s->groups, from = (int64_t)block * STRIP,
                  end = from + STRIP < s->n ? from + STRIP : s->n;
    for (int64_t i = from; i < end; i++) {
        const double *omega = s->Omega + i * G;
        double *row = s->W + i * G, mean = 0;
        for (int64_t g = 0; g < G; g++) {
            row[g] -= h->db[g];
            mean += omega[g] * row[g];
        }
        for (int64_t g = 0; g < G; g++)
            row[g] = omega[g] * (row[g] - mean);
    }
}

static void multiply(hessian *h, int64_t r, const double *p, double *out, wlab_ctx *ctx)
{
    wlab_relax *s = h->s;
    double *mass = out + h->size;
    const bool few = relax_is_few(s) && s->d <= r;
    h->db = p + h->size;
    if (few) {
        relax_few_dots(ctx, s->d, s->groups, r, p, s->VG, s->T);
        relax_few_middle(s, h->db, mass, ctx);
        relax_to_columns(s, s->T, r, out, ctx);
    } else {
        relax_scores(s, p, r, s->W, ctx);
        relax_strips(ctx, s->n, STRIP, curve_block, h);
        relax_back(s, s->W, r, out, ctx);
        if (s->intercept)
            relax_columns(ctx, s->W, s->n, s->groups, s->pi, mass);
    }
    for (int64_t i = 0; i < h->size; i++)
        out[i] += s->lambda / s->classes * p[i];
    for (int64_t g = 0; g < s->groups; g++)
        mass[g] = s->intercept ? -mass[g] : 0;
}

static void precondition(const hessian *h, const double *r, double *z)
{
    const wlab_relax *s = h->s;
    for (int64_t i = 0; i < h->size; i++)
        z[i] = r[i] / h->cu[i];
    if (!s->intercept) {
        memset(z + h->size, 0, (size_t)s->groups * sizeof *z);
        return;
    }
    for (int64_t g = 0; g < s->groups; g++)
        z[h->size + g] = r[h->size + g] * h->scale[g];
    if (s->hard)
        wlab_cholesky_solve(s->P, s->groups, z + h->size);
    for (int64_t g = 0; g < s->groups; g++)
        z[h->size + g] *= h->scale[g];
}

/* Diag(pg)^-1/2 (Diag(mass) - Omega'Pi Omega + pg pg' + ridge) Diag(pg)^-1/2 = L L'. */
static wlab_code factor(hessian *h, wlab_ctx *ctx, wlab_err *err)
{
    wlab_relax *s = h->s;
    const int64_t n = s->n, G = s->groups;

    for (double ridge = 1e-9;; ridge *= 100) {
        bool definite;
        for (int64_t i = 0; i < n; i++) {
            const double root = sqrt(s->pi[i]);
            for (int64_t g = 0; g < G; g++)
                s->W[i * G + g] = root * s->Omega[i * G + g] * h->scale[g];
        }
        relax_gram(ctx, true, G, n, -1, s->W, G, s->P);
        const wlab_code stopped = relax_look(ctx, err);
        if (stopped)
            return stopped;
        for (int64_t g = 0; g < G; g++) {
            for (int64_t k = 0; k < G; k++)
                s->P[g * G + k] += 1 / h->scale[g] / h->scale[k];
            s->P[g * G + g] += s->mass[g] / s->pg[g] + ridge;
        }
        wlab_code code = wlab_cholesky(s->P, G, &definite, ctx, err);
        if (code || definite)
            return code;
        if (ridge > 1)
            return wlab_fail(err, WL_ENUMERIC, "the relaxation's equations have no solution");
    }
}

/* The diagonal of U's block: lambda/P + sum_n pi_n x_nj^2 times the variance of v_k under Omega; for the small
 * columns of V an upper bound of it. */
static void diagonal(hessian *h, const relax_point *p, wlab_ctx *ctx)
{
    wlab_relax *s = h->s;
    const int64_t n = s->n, d = s->d, G = s->groups, r = p->r, few = r < COLUMNS ? r : COLUMNS,
                  from = r - few;
    double *variance = s->small; /* free until the directions are computed */

    (void)wlab_gemm(ctx, false, false, n, few, G, 1, s->Omega, G, s->VG + from, r, 0, s->T, few);
    for (int64_t k = 0; k < r; k++)
        variance[k] = 0;
    for (int64_t g = 0; g < G; g++)
        for (int64_t k = 0; k < r; k++)
            variance[k] += s->mass[g] * s->VG[g * r + k] * s->VG[g * r + k];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < few; k++)
            variance[from + k] -= s->pi[i] * s->T[i * few + k] * s->T[i * few + k];
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < r; k++)
            h->cu[j * r + k] = fmax(s->lambda / s->classes + s->moment[j] * fmax(variance[k], 0), DBL_MIN);
}

wlab_code relax_newton(wlab_relax *s, relax_point *p, bool *moved, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t size = s->d * p->r, all = size + s->groups;
    hessian h = {.s = s, .size = size, .all = all};
    const int64_t before = s->counts.cg;
    double *step = s->small, *r = step + all, *z = r + all, *q = z + all, *Hq = q + all, rho, first,
           slope = 0;
    wlab_code code;

    h.cu = s->before; /* a buffer that only the proximal method uses otherwise */
    h.scale = s->extra;
    for (int64_t g = 0; g < s->groups; g++)
        h.scale[g] = 1 / sqrt(s->pg[g]);
    diagonal(&h, p, ctx);
    if (s->intercept && s->hard && (code = factor(&h, ctx, err)))
        return code;
    for (int64_t i = 0; i < all; i++) {
        step[i] = 0;
        r[i] = i < size ? -s->gU[i] : -s->gb[i - size];
    }
    precondition(&h, r, z);
    memcpy(q, z, (size_t)all * sizeof *q);
    first = rho = relax_dot(r, z, all);
    for (int k = 0; k < CG_STEPS && rho > 0; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        multiply(&h, p->r, q, Hq, ctx);
        const double curve = relax_dot(q, Hq, all);
        if (!(curve > 0))
            break;
        const double a = rho / curve;
        for (int64_t i = 0; i < all; i++) {
            step[i] += a * q[i];
            r[i] -= a * Hq[i];
        }
        s->counts.cg++;
        precondition(&h, r, z);
        const double fresh = relax_dot(r, z, all);
        if (!(fresh > FORCING * first))
            break;
        for (int64_t i = 0; i < all; i++)
            q[i] = z[i] + fresh / rho * q[i];
        rho = fresh;
    }
    const bool hard = s->hard || s->counts.cg - before >= (relax_is_few(s) ? HARD_FEW : HARD);
    slope = relax_dot(step, s->gU, size) + relax_dot(step + size, s->gb, s->groups);
    *moved = false;
    double a = 1;
    const relax_point was = {.U = z, .b = z + size, .f = p->f, .low = p->low}; /* z is free now */
    memcpy(was.U, p->U, (size_t)size * sizeof *r);
    memcpy(was.b, p->b, (size_t)s->groups * sizeof *r);
    for (int k = 0; k < HALVINGS && slope < 0; k++, a /= 2) {
        if (wlab_interrupted(ctx)) {
            s->fresh = false;
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        }
        for (int64_t i = 0; i < all; i++)
            r[i] = (i < size ? p->U[i] : p->b[i - size]) + a * step[i];
        const double f = relax_value(s, p, r, r + size, ctx);
        if (f <= p->f + 1e-4 * a * slope) { /* false for NaN */
            *moved = f < p->f;
            memcpy(p->U, r, (size_t)size * sizeof *r);
            memcpy(p->b, r + size, (size_t)s->groups * sizeof *r);
            p->f = f;
            s->hard = hard;
            return relax_settle(s, p, &was, ctx, err);
        }
    }
    /* no step found: restore Omega */
    s->hard = hard;
    p->f = relax_value(s, p, p->U, p->b, ctx);
    return relax_settle(s, p, &was, ctx, err);
}
