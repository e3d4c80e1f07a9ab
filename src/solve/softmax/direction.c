/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Newton direction for the M-step, by a Cholesky factor of the second derivative or by conjugate gradients.
 */
#include "linalg/cholesky.h"
#include "solve/softmax/newton.h"

#include <cblas.h>
#include <string.h>

enum {
    CG_MOST = 500
};

/* The second derivative of row i's loss between coordinates a and b. */
static double curve(const newton *s, int64_t i, int a, int b)
{
    const double *q = s->q + i * s->Q;
    double ab = 0, sa = 0, sb = 0;
    for (int k = 0; k < s->Q; k++) {
        const double u = s->E[k * s->m + a], v = s->E[k * s->m + b];
        ab += q[k] * u * v;
        sa += q[k] * u;
        sb += q[k] * v;
    }
    return s->e->q.pi[i] * (ab - sa * sb);
}

wlab_code newton_exact(newton *s, bool *found, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t D = s->D, wide = s->wide;
    for (int a = 0; a < s->m; a++)
        for (int b = 0; b <= a; b++) {
            double *H = s->H + a * wide * D + b * wide;
            for (int64_t i = 0; i < s->n; i++)
                s->weight[i] = curve(s, i, a, b);
            em_gram(s->e, s->weight, wide > s->d, H, D, s->scratch, s->ctx);
            for (int64_t i = 0; a > b && i < wide; i++)
                for (int64_t j = 0; j < i; j++)
                    H[j * D + i] = H[i * D + j];
            for (int64_t j = 0; a == b && j < s->d; j++)
                H[j * D + j] += s->kappa;
            if (wlab_interrupted(ctx))
                return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        }
    wlab_code code = wlab_cholesky(s->H, D, found, ctx, err);
    if (code || !*found)
        return code;
    for (int64_t j = 0; j < D; j++)
        s->step[j] = -s->grad[j];
    wlab_cholesky_solve(s->H, D, s->step);
    return WL_OK;
}

/* out = (second derivative) p; R, G and ds are workspace. */
static void multiply(newton *s, const double *p, double *out)
{
    const int Q = s->Q;
    double g[64];
    newton_outputs(s, p, false, s->ds);
    for (int64_t i = 0; i < s->n; i++) {
        const double *q = s->q + i * Q, *v = s->ds + i * Q;
        double mean = 0;
        for (int k = 0; k < Q; k++)
            mean += q[k] * v[k];
        for (int k = 0; k < Q; k++)
            s->R[i * Q + k] = s->e->q.pi[i] * q[k] * (v[k] - mean);
    }
    em_transpose(s->e, s->R, Q, s->G, s->ctx);
    newton_sums(s, s->R, g);
    newton_project(s, s->G, g, out);
    for (int a = 0; a < s->m; a++)
        cblas_daxpy((int)s->d, s->kappa, p + a * s->wide, 1, out + a * s->wide, 1);
}

static void diagonal(newton *s, double *out)
{
    memset(out, 0, (size_t)s->D * sizeof *out);
    for (int a = 0; a < s->m; a++) {
        double *row = out + a * s->wide;
        for (int64_t i = 0; i < s->n; i++) {
            const double w = curve(s, i, a, a), *x = s->e->q.Phi + i * s->d;
            for (int64_t j = 0; j < s->d; j++)
                row[j] += w * x[j] * x[j];
            if (s->wide > s->d)
                row[s->d] += w;
        }
        for (int64_t j = 0; j < s->d; j++)
            row[j] += s->kappa;
    }
    for (int64_t j = 0; j < s->D; j++)
        out[j] = out[j] > 1e-300 ? out[j] : 1;
}

wlab_code newton_cg(newton *s, double accuracy, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t D = s->D;
    double *r = s->cg, *p = r + D, *Hp = p + D, *diag = Hp + D, *x = s->step, rz = 0, first;
    diagonal(s, diag);
    for (int64_t j = 0; j < D; j++) {
        x[j] = 0;
        r[j] = -s->grad[j];
        p[j] = r[j] / diag[j];
        rz += r[j] * p[j];
    }
    first = rz;
    for (int k = 0; k < CG_MOST && rz > accuracy * accuracy * first && rz > 0; k++) {
        if (k % 8 == 0 && wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        multiply(s, p, Hp);
        const double pHp = cblas_ddot((int)D, p, 1, Hp, 1);
        if (!(pHp > 0))
            break;
        const double alpha = rz / pHp;
        cblas_daxpy((int)D, alpha, p, 1, x, 1);
        cblas_daxpy((int)D, -alpha, Hp, 1, r, 1);
        double now = 0;
        for (int64_t j = 0; j < D; j++)
            now += r[j] * r[j] / diag[j];
        for (int64_t j = 0; j < D; j++)
            p[j] = r[j] / diag[j] + now / rz * p[j];
        rz = now;
    }
    return WL_OK;
}
