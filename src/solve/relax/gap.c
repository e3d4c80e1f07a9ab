/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The certified inner gap: rounds Omega to a feasible one as Altschuler, Weed and Rigollet (2017) round a transport
 * plan, and computes its value.
 */
#include "base/two.h"
#include "solve/relax/state.h"

#include <math.h>
#include <string.h>

enum {
    STRIP = 32
};

typedef struct entropy {
    wlab_relax *s;
    double total;
} entropy;

/* -sum_g q log(q / (pi_n pi_g)) for each row of the feasible Q = Diag(pi) Omega. */
static void entropy_block(void *data, int block)
{
    const entropy *e = data;
    const wlab_relax *s = e->s;
    const int64_t G = s->groups, from = (int64_t)block * STRIP,
                  end = from + STRIP < s->n ? from + STRIP : s->n;
    for (int64_t i = from; i < end; i++) {
        const double *row = s->Omega + i * G, missing = e->total > 0 ? s->row[i] / e->total : 0;
        const wlab_two pi = wlab_two_of(s->pi[i]), least = wlab_two_of(DBL_MIN);
        wlab_two sum = {0};
        for (int64_t g = 0; g < G; g += 2) {
            const int64_t left = G - g;
            const wlab_two q = pi * wlab_two_load_some(row + g, left) *
                                   wlab_two_load_some(s->column + g, left) +
                               missing * wlab_two_load_some(s->extra + g, left),
                           ratio = q / (pi * wlab_two_load_some(s->pg + g, left));
            /* smaller ones add nothing */
            sum += wlab_two_where(wlab_two_less(least, q) & wlab_two_less(least, ratio),
                                  q * wlab_two_log(ratio));
        }
        s->W[i] = -wlab_two_sum(sum);
    }
}

void relax_bound(wlab_relax *s, relax_point *p, wlab_ctx *ctx)
{
    const int64_t n = s->n, d = s->d, G = s->groups, r = p->r;
    entropy e = {s, 0};
    double value = 0;

    relax_columns(ctx, s->Omega, n, G, s->pi, s->mass);
    if (relax_is_few(s))
        relax_few_sums(ctx, d, G, n, s->PX, 1, d, s->Omega, s->C);
    else
        (void)wlab_gemm(ctx, true, false, d, G, n, 1, s->PX, d, s->Omega, G, 0, s->C, G);
    relax_to_columns(s, s->C, r, s->gU, ctx);
    for (int64_t i = 0; i < d * r; i++)
        s->gU[i] += s->lambda / s->classes * p->U[i] - s->XV[i];
    for (int64_t g = 0; g < G; g++) {
        s->gb[g] = s->intercept ? s->pg[g] - s->mass[g] : 0;
        /* an empty column is filled below, so avoid a division by its mass */
        s->column[g] = s->intercept && s->mass[g] > s->pg[g] ? s->pg[g] / s->mass[g] : 1;
        s->extra[g] = s->intercept ? fmax(s->pg[g] - s->mass[g] * s->column[g], 0) : 0;
        e.total += s->extra[g];
    }
    if (s->intercept) {
        relax_rows(ctx, s->Omega, n, G, s->column, s->row);
        for (int64_t i = 0; i < n; i++)
            s->row[i] = s->pi[i] * fmax(1 - s->row[i], 0);
    }
    relax_strips(ctx, n, STRIP, entropy_block, &e);
    for (int64_t i = 0; i < n; i++)
        value += s->W[i];
    /* C becomes B = X'Pi(I - Omega) by groups */
    for (int64_t j = 0; j < d; j++) {
        double shift = 0;
        if (e.total > 0)
            for (int64_t i = 0; i < n; i++)
                shift += s->X[i * d + j] * s->row[i] / e.total;
        for (int64_t g = 0; g < G; g++)
            s->C[j * G + g] = s->XG[g * d + j] - s->C[j * G + g] * s->column[g] - shift * s->extra[g];
    }
    relax_to_columns(s, s->C, r, s->T, ctx);
    p->low = fmin(p->f, value - s->classes / (2 * s->lambda) * relax_dot(s->T, s->T, d * r));
}

wlab_code relax_settle(wlab_relax *s, relax_point *p, const relax_point *was, wlab_ctx *ctx, wlab_err *err)
{
    relax_bound(s, p, ctx);
    const wlab_code stopped = relax_look(ctx, err);
    s->fresh = !stopped;
    if (!stopped)
        return WL_OK;
    memcpy(p->U, was->U, (size_t)(s->d * p->r) * sizeof *p->U);
    memcpy(p->b, was->b, (size_t)s->groups * sizeof *p->b);
    p->f = was->f;
    p->low = was->low;
    return stopped;
}
