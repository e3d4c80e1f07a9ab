/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prescribed products of label vectors.  Together with the diagonal and the block they are constraints <A_c, Y> =
 * value.  With S(x) = sum_c x_c A_c the linear map x -> <A_c, S(x) Y> is symmetric and psd.  Conjugate gradients
 * solve equations in this map for two purposes: the multipliers, which minimise the squares of (G - S(x)) V; and the
 * return to the constraints, by Gauss-Newton steps V + S(x) V.  With such multipliers <H, S(x) Y> = 0 for all x.  So
 * the return does not change F to the first order, and the steps exp(log Y - H/t) are descent steps.
 *
 * This is the method for products of rows with classes, and for the start.  If products of rows with rows are
 * prescribed too, steps are projections (project.c).
 */
#include "base/progress.h"
#include "solve/relax/state.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    CG_STEPS = 150,
    RETURNS = 30 /* Gauss-Newton steps, each of which must halve the violation */
};
static const double EXACT = 1e-8, /* tolerance of products */
    SOLVED = 1e-8, NEAR = 1e-2;   /* relative residuals: for multipliers, for Gauss-Newton steps */

int64_t relax_constraints(const wlab_relax *s)
{
    return s->nodes + s->block * s->block + s->pairs;
}

/* A += factor sym(a b') for the nodes of a pair. */
void relax_add_pair(const wlab_relax *s, const wlab_relax_pair *p, double factor, double *A)
{
    const int64_t M = s->nodes;
    const int32_t a = s->all_node[p->a], b = s->all_node[p->b];
    for (int64_t i = 0; i < (a < 0 ? s->block : 1); i++)
        for (int64_t j = 0; j < (b < 0 ? s->block : 1); j++) {
            const double va = a < 0 ? s->vertex[(-1 - a) * s->block + i] : 1,
                         vb = b < 0 ? s->vertex[(-1 - b) * s->block + j] : 1;
            const int64_t row = a < 0 ? i : a, column = b < 0 ? j : b;
            A[row * M + column] += factor / 2 * va * vb;
            A[column * M + row] += factor / 2 * va * vb;
        }
}

double relax_violation(const wlab_relax *s, const relax_point *p, int64_t k)
{
    return relax_product(s, p, s->all_node[s->pair[k].a], s->all_node[s->pair[k].b]) - s->pair[k].value;
}

/* out [classes x r]: the vectors of all classes, from the rows W of the basis. */
static void class_rows(const wlab_relax *s, const double *W, int64_t r, double *out)
{
    memset(out, 0, (size_t)(s->classes * r) * sizeof *out);
    for (int64_t c = 0; s->block > 0 && c < s->classes; c++)
        for (int64_t j = 0; j < s->block; j++)
            for (int64_t l = 0; l < r; l++)
                out[c * r + l] += s->vertex[c * s->block + j] * W[j * r + l];
}

static double *row_of(const wlab_relax *s, int64_t k, bool second, double *rows, double *classes, int64_t r)
{
    const int32_t node = s->all_node[second ? s->pair[k].b : s->pair[k].a];
    return node < 0 ? classes + (-1 - node) * r : rows + node * r;
}

static double dot(const double *a, const double *b, int64_t n)
{
    return cblas_ddot((int)n, a, 1, b, 1);
}

/* out [nodes x r] = S(x) V. */
static void apply(wlab_relax *s, const relax_point *p, const double *x, double *out)
{
    const int64_t M = s->nodes, k = s->block, r = p->r, C = s->classes;
    const double *corner = x + M, *mu = corner + k * k;
    double *V = p->V, *CV = s->class_rows, *add = CV + C * r;

    for (int64_t i = 0; i < M; i++)
        for (int64_t l = 0; l < r; l++)
            out[i * r + l] = i < k ? 0 : x[i] * V[i * r + l];
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t l = 0; l < r; l++)
                out[i * r + l] += corner[i * k + j] * V[j * r + l];
    memset(add, 0, (size_t)(C * r) * sizeof *add);
    for (int64_t c = 0; c < s->pairs; c++) {
        const double f = mu[c] / 2, *va = row_of(s, c, false, V, CV, r), *vb = row_of(s, c, true, V, CV, r);
        double *oa = row_of(s, c, false, out, add, r), *ob = row_of(s, c, true, out, add, r);
        for (int64_t l = 0; l < r; l++)
            oa[l] += f * vb[l];
        for (int64_t l = 0; l < r; l++)
            ob[l] += f * va[l];
    }
    for (int64_t c = 0; k > 0 && c < C; c++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t l = 0; l < r; l++)
                out[j * r + l] += s->vertex[c * k + j] * add[c * r + l];
}

/* y_c = <A_c, W V'>. */
static void adjoint(wlab_relax *s, const relax_point *p, double *W, double *y)
{
    const int64_t M = s->nodes, k = s->block, r = p->r;
    double *corner = y + M, *mu = corner + k * k, *V = p->V, *CV = s->class_rows, *CW = CV + s->classes * r;

    for (int64_t i = 0; i < M; i++)
        y[i] = i < k ? 0 : dot(W + i * r, V + i * r, r);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            corner[i * k + j] = (dot(W + i * r, V + j * r, r) + dot(W + j * r, V + i * r, r)) / 2;
    class_rows(s, W, r, CW);
    for (int64_t c = 0; c < s->pairs; c++)
        mu[c] = (dot(row_of(s, c, false, W, CW, r), row_of(s, c, true, V, CV, r), r) +
                 dot(row_of(s, c, true, W, CW, r), row_of(s, c, false, V, CV, r), r)) /
                2;
}

void relax_pairs_adjoint(wlab_relax *s, const relax_point *p, double *W, double *y)
{
    class_rows(s, p->V, p->r, s->class_rows);
    adjoint(s, p, W, y);
}

/* Preconditioned by the diagonal that the map has for f(W) = W: 1, and 1/2 at pairs. */
void relax_pairs_solve(wlab_relax *s, const relax_point *p, double *x, double *y, double tol,
                       relax_between *between, double ridge, wlab_ctx *ctx)
{
    const int64_t N = relax_constraints(s), pairs = s->pairs, first = N - pairs;
    double *q = y + N, *Aq = q + N, rho = 0, start;
    wlab_progress progress;

    class_rows(s, p->V, p->r, s->class_rows);
    for (int64_t i = 0; i < N; i++) {
        x[i] = 0;
        q[i] = y[i] * (i < first ? 1 : 2);
        rho += q[i] * y[i];
    }
    start = rho;
    wlab_progress_begin(&progress, ctx, "conjugate gradient steps", 0);
    for (int step = 0; step < CG_STEPS && rho > tol * tol * start && !wlab_interrupted(ctx); step++) {
        apply(s, p, q, s->basis);
        if (between)
            between(s, p->r, s->basis, ctx);
        adjoint(s, p, s->basis, Aq);
        for (int64_t i = 0; i < N && ridge > 0; i++)
            Aq[i] += ridge * q[i];
        const double curve = relax_dot(q, Aq, N);
        if (!(curve > 0))
            return;
        const double a = rho / curve;
        double fresh = 0;
        for (int64_t i = 0; i < N; i++) {
            x[i] += a * q[i];
            y[i] -= a * Aq[i];
            fresh += y[i] * y[i] * (i < first ? 1 : 2);
        }
        for (int64_t i = 0; i < N; i++)
            q[i] = y[i] * (i < first ? 1 : 2) + fresh / rho * q[i];
        rho = fresh;
        wlab_progress_add(&progress, 1);
    }
}

void relax_pairs_multipliers(wlab_relax *s, relax_slope *at, const relax_point *p, double *product,
                             wlab_ctx *ctx)
{
    const int64_t M = s->nodes, k = s->block;
    double *x = s->links, *y = x + relax_constraints(s);

    relax_pairs_adjoint(s, p, product, y);
    relax_pairs_solve(s, p, x, y, SOLVED, NULL, 0, ctx);
    memcpy(at->mult, x, (size_t)M * sizeof *x);
    memcpy(at->corner, x + M, (size_t)(k * k) * sizeof *x);
    for (int64_t c = 0; c < s->pairs; c++)
        at->mu[c] = -x[M + k * k + c];
}

wlab_code relax_pairs_return(wlab_relax *s, relax_point *p, bool *usable, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, r = p->r, N = relax_constraints(s), first = N - s->pairs;
    double *x = s->links, *y = x + N, before = INFINITY;

    for (int step = 0; *usable && s->pairs > 0; step++) {
        double worst = 0;
        memset(y, 0, (size_t)N * sizeof *y);
        for (int64_t c = 0; c < s->pairs; c++) {
            const double v = relax_violation(s, p, c);
            worst = fmax(worst, fabs(v));
            y[first + c] = -v / 2;
        }
        if (worst <= EXACT)
            return WL_OK;
        *usable = step < RETURNS && worst <= before / 2;
        before = worst;
        if (!*usable)
            return WL_OK;
        relax_pairs_solve(s, p, x, y, NEAR, NULL, 0, ctx);
        apply(s, p, x, s->basis);
        for (int64_t i = 0; i < M * r; i++)
            p->V[i] += s->basis[i];
        const wlab_code code = relax_rescale(s, p, usable, ctx, err);
        if (code)
            return code;
    }
    return WL_OK;
}

/* Starts at the expected Y of independent random labels, each from the labels that the pairs with classes allow.  This
 * satisfies the prescribed products of rows that have no label in common.  Rows without such pairs are unchanged. */
wlab_code relax_pairs_start(wlab_relax *s, relax_point *p, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, k = s->block, r = p->r, C = s->classes;
    bool *out = wlab_calloc((size_t)M, (size_t)C * sizeof *out);
    bool usable = true;
    if (!out)
        return wlab_nomem(err);
    for (int64_t c = 0; c < s->pairs; c++) {
        const int32_t a = s->all_node[s->pair[c].a], b = s->all_node[s->pair[c].b];
        if ((a < 0) != (b < 0))
            out[(a < 0 ? b : a) * C + (a < 0 ? -1 - a : -1 - b)] = true;
    }
    for (int64_t i = k; i < M; i++) {
        double *row = p->V + i * r, rest = 1;
        int64_t left = 0;
        for (int64_t c = 0; c < C; c++)
            left += !out[i * C + c];
        if (left == 0 || left == C)
            continue;
        for (int64_t c = 0; c < C; c++)
            for (int64_t j = 0; j < k && !out[i * C + c]; j++)
                row[j] += s->vertex[c * k + j] / (double)left;
        for (int64_t j = 0; j < k; j++)
            rest -= row[j] * row[j];
        row[i] = sqrt(fmax(rest, EXACT));
    }
    wlab_free(out);
    wlab_code code = relax_rescale(s, p, &usable, ctx, err);
    if (!code && usable)
        code = relax_pairs_return(s, p, &usable, ctx, err);
    if (!code && !usable)
        code = wlab_fail(err, WL_EARG, "the prescribed products contradict one another");
    return code;
}
