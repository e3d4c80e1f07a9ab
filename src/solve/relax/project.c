/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps and bounds if products of rows with rows are prescribed.  These are too many for Gauss-Newton steps on a
 * factor: if Y is close to low rank, their equations are close to linearly dependent.  So a step is the projection
 * itself, with all constraints <A_c, Y> = b_c,
 *
 *   Y+ = argmin <G, Y> + t D(Y - phi, Y0 - phi) = phi + exp(log(Y0 - phi) - (G - S(x))/t),    S(x) = sum_c x_c A_c,
 *
 * where phi > 0 keeps eigenvalues away from 0.  Truncated Newton steps maximise the concave
 * b'x - phi tr S(x) - t tr exp(...), whose derivative is the residual of the constraints.  The final residual is of the
 * size of phi, so that the entries can be corrected while Y remains positive definite.
 *
 * The bound b'x + nodes lambda_min(G - S(x)) is maximised in the same way: lambda_min is -t log tr exp(-H/t) up to
 * t log nodes, which is the same function with a decreasing t and the unit matrix instead of Y0.
 */
#include "linalg/cholesky.h"
#include "solve/relax/state.h"

#include <math.h>
#include <string.h>

enum {
    STEPS = 40,  /* of Newton's method for a projection */
    POLISH = 16, /* and for a bound */
    HALVINGS = 12,
    SHIFTS = 6
};
/* clang-format off */
static const double
    GAP_PART = 0.05,           /* phi may cost this fraction of the gap */
    LEAST = 1e-9, MOST = 1e-4, /* range of phi */
    CUT = 1e-3,                /* smallest eigenvalue that is kept, relative to phi */
    NEAR = 10,                 /* allowed residual of the constraints, relative to phi */
    LESS = 0.03,               /* and relative to the first residual */
    FORCING = 0.05, ROUGH = 0.1, /* relative residuals of Newton's equations: of a projection, of a bound */
    RIDGE = 0.1,               /* in these equations, relative to phi */
    FLAT = 1e-5;               /* cut and ridge for the bound, whose phi is 0 */
/* clang-format on */

double relax_least(const wlab_relax *s)
{
    const double gap = fmax(s->now.f - s->best, s->eps * fabs(s->now.f));
    return fmin(fmax(GAP_PART * gap / s->at.rise, LEAST), MOST);
}

/* sum_c x_c b_c - phi tr S(x). */
static double dual(const wlab_relax *s, const double *x, double phi)
{
    const int64_t M = s->nodes, k = s->block;
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += (1 - phi) * x[M + i * (k + 1)];
    for (int64_t i = k; i < M; i++)
        sum += (1 - phi) * x[i];
    for (int64_t c = 0; c < s->pairs; c++)
        sum += x[M + k * k + c] * s->pair[c].value;
    return sum;
}

/* The dual function of a projection and its last evaluation: Y(x) - phi = exp(centre - (G - S(x))/t), G the gradient of
 * `at`. */
typedef struct projection {
    const relax_slope *at;
    const double *centre; /* [nodes x nodes]; NULL: 0 */
    double t, phi, cut;
    relax_point p; /* the factor of Y(x) - phi, with the eigenvalues above `cut` */
    double value;
} projection;

/* Computes eigenvectors into Q and logarithms of eigenvalues into e.  Shifts x so that Y has the prescribed trace,
 * which increases the value; the value is then b'x - phi tr S(x) up to a constant. */
static wlab_code evaluate(wlab_relax *s, projection *q, double *x, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, k = s->block;
    relax_slope at = *q->at;
    int64_t from = 0;
    double sum = 0;

    at.mult = x;
    at.corner = x + M;
    at.mu = s->negative;
    for (int64_t c = 0; c < s->pairs; c++)
        at.mu[c] = -x[M + k * k + c];
    relax_slack_matrix(s, &at, s->Q, ctx);
    for (int64_t i = 0; i < M * M; i++)
        s->Q[i] = (q->centre ? q->centre[i] : 0) - s->Q[i] / q->t;
    const wlab_code code = relax_eigen(s->Q, M, s->e, s->lapack, s->integers, ctx, err);
    if (code)
        return code;
    const double top = s->e[M - 1];
    for (int64_t i = 0; i < M; i++)
        sum += exp(s->e[i] - top);
    const double shift = log((1 - q->phi) * (double)M / sum) - top;
    for (int64_t i = 0; i < M; i++)
        s->e[i] += shift;
    for (int64_t i = 0; i < k; i++)
        x[M + i * (k + 1)] += q->t * shift;
    for (int64_t i = k; i < M; i++)
        x[i] += q->t * shift;
    q->value = dual(s, x, q->phi);
    while (from < M - 1 && s->e[from] < log(q->cut))
        from++;
    q->p.r = M - from;
    for (int64_t j = 0; j < q->p.r; j++) {
        const double f = exp(s->e[from + j] / 2);
        for (int64_t i = 0; i < M; i++)
            q->p.V[i * q->p.r + j] = f * s->Q[(from + j) * M + i];
    }
    return WL_OK;
}

/* min(0, the smallest eigenvalue of H), minus a bound on its rounding error. */
static double least_of(const wlab_relax *s, const projection *q)
{
    const double least = -q->t * s->e[s->nodes - 1], most = -q->t * s->e[0];
    return fmin(least, 0) - 1e-15 * (double)s->nodes * fmax(fabs(least), fabs(most));
}

/* y = b - A(Y); returns its norm as that of a matrix. */
static double residual(wlab_relax *s, const projection *q, double *y)
{
    const int64_t M = s->nodes, k = s->block;
    const double phi = q->phi;
    double *corner = y + M, *pairs = corner + k * k, sum = 0;
    relax_pairs_adjoint(s, &q->p, q->p.V, y);
    for (int64_t i = 0; i < M; i++) {
        y[i] = i < k ? 0 : 1 - phi - y[i];
        sum += y[i] * y[i];
    }
    for (int64_t i = 0; i < k * k; i++) {
        corner[i] = (i % (k + 1) == 0 ? 1 - phi : 0) - corner[i];
        sum += corner[i] * corner[i];
    }
    for (int64_t c = 0; c < s->pairs; c++) {
        pairs[c] = s->pair[c].value - pairs[c];
        sum += 2 * pairs[c] * pairs[c];
    }
    return sqrt(sum);
}

/* The derivative of exp along S.  On input W [nodes x r] = S V, V the last eigenvectors in Q; on output E (D o (E'W))
 * with all eigenvectors E and the divided differences D of `factor` = exp(e).  Entries between V and itself are
 * halved, as the caller uses W V' + V W'. */
static void differentiate(wlab_relax *s, int64_t r, double *W, wlab_ctx *ctx)
{
    const int64_t M = s->nodes, from = M - r;
    const double *value = s->factor;
    double *C = s->lapack;
    (void)wlab_gemm(ctx, false, false, M, r, M, 1, s->Q, M, W, r, 0, C, r);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < r; j++) {
            const double h = s->e[i] - s->e[from + j], a = value[i], b = value[from + j],
                         d = fabs(h) < 1e-3 ? (a + b) / 2 : (a - b) / h;
            C[i * r + j] *= i < from ? d : d / 2;
        }
    (void)wlab_gemm(ctx, true, false, M, r, M, 1, s->Q, M, C, r, 0, W, r);
}

/* Changes u so that its prescribed products with class vectors hold, by Gram-Schmidt over these vectors. */
static void set_class_products(const wlab_relax *s, int64_t row, double *u, double *span)
{
    const int64_t k = s->block;
    int64_t found = 0;
    for (int64_t c = 0; c < s->pairs; c++) {
        const int32_t a = s->all_node[s->pair[c].a], b = s->all_node[s->pair[c].b];
        if ((a < 0) == (b < 0) || (a < 0 ? b : a) != row || found == k)
            continue;
        const double *t = s->vertex + (a < 0 ? -1 - a : -1 - b) * k;
        double *q = span + found * k;
        const double missing = s->pair[c].value - relax_dot(u, t, k);
        memcpy(q, t, (size_t)k * sizeof *q);
        for (int64_t j = 0; j < found; j++) {
            const double f = relax_dot(span + j * k, t, k);
            for (int64_t l = 0; l < k; l++)
                q[l] -= f * span[j * k + l];
        }
        const double square = relax_dot(q, q, k);
        if (!(square > 1e-12))
            continue; /* depends on the vectors before */
        for (int64_t l = 0; l < k; l++) {
            u[l] += missing / square * q[l];
            q[l] /= sqrt(square);
        }
        found++;
    }
}

/* Computes the trial from Y = V V' + phi with all prescribed entries corrected.  Each row is a part u in the space of
 * the classes and a rest.  The Gram matrix of the rests gets its prescribed entries and, if it is then not definite,
 * a larger diagonal; finally the rows get their lengths. */
static wlab_code correct_entries(wlab_relax *s, double phi, int shifts, bool *usable, wlab_ctx *ctx,
                                 wlab_err *err)
{
    const int64_t M = s->nodes, k = s->block, m = M - k;
    relax_point *p = &s->trial;
    double *Y = s->last, *A = s->basis, *rest = s->factor, *length = rest + M, *span = s->lapack;
    bool definite = false;
    wlab_code code;

    *usable = false;
    relax_gram(ctx, false, M, p->r, 1, p->V, p->r, Y);
    if ((code = relax_look(ctx, err)))
        return code;
    for (int64_t i = 0; i < M; i++)
        Y[i * (M + 1)] += phi;
    if ((code = wlab_cholesky(Y, M, &definite, ctx, err)) || !definite)
        return code;
    for (int64_t i = k; i < M; i++) {
        double *u = Y + i * M;
        for (int64_t j = i + 1; j < M; j++)
            u[j] = 0;
        set_class_products(s, i, u, span);
        rest[i] = 1 - relax_dot(u, u, k);
        if (!(rest[i] > 1e-14))
            return WL_OK;
    }
    double *gram = s->more;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            gram[i * m + j] = relax_dot(Y + (k + i) * M + k, Y + (k + j) * M + k, j + 1);
    double delta = 0;
    for (int round = 0;; round++, delta += phi) {
        memcpy(A, gram, (size_t)(m * m) * sizeof *A);
        for (int64_t i = 0; i < m; i++)
            length[i] = A[i * (m + 1)] += delta;
        for (int64_t c = 0; c < s->pairs; c++) {
            const int64_t a = s->all_node[s->pair[c].a], b = s->all_node[s->pair[c].b];
            if (a < 0 || b < 0)
                continue;
            const int64_t i = (a > b ? a : b), j = (a > b ? b : a);
            const double value = s->pair[c].value - relax_dot(Y + i * M, Y + j * M, k);
            A[(i - k) * m + j - k] = value * sqrt(length[i - k] / rest[i] * length[j - k] / rest[j]);
        }
        if ((code = wlab_cholesky(A, m, &definite, ctx, err)))
            return code;
        if (definite)
            break;
        if (round >= shifts)
            return WL_OK;
    }
    p->r = M;
    memset(p->V, 0, (size_t)(M * M) * sizeof *p->V);
    for (int64_t i = 0; i < k; i++)
        p->V[i * (M + 1)] = 1;
    for (int64_t i = 0; i < m; i++) {
        double *v = p->V + (k + i) * M;
        const double f = sqrt(rest[k + i] / length[i]);
        memcpy(v, Y + (k + i) * M, (size_t)k * sizeof *v);
        for (int64_t j = 0; j <= i; j++)
            v[k + j] = f * A[i * m + j];
    }
    *usable = true;
    return WL_OK;
}

/* A Newton step from x, whose residual is in `y`, which it overwrites.  *better: a step was found; *whole: the full
 * one. */
static wlab_code newton_step(wlab_relax *s, projection *q, double *x, double *y, double tol, double ridge,
                             bool *better, bool *whole, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, N = relax_constraints(s), r = q->p.r;
    double *dx = s->links, *next = s->next, *left = next + N, slope = 0, a = q->t / 2;
    const double before = q->value;
    relax_point last = {.r = r, .V = s->last};
    for (int64_t j = 0; j < r; j++)
        for (int64_t i = 0; i < M; i++)
            last.V[i * r + j] = s->Q[(M - r + j) * M + i];
    for (int64_t i = 0; i < M; i++)
        s->factor[i] = exp(s->e[i]);
    memcpy(left, y, (size_t)N * sizeof *y);
    relax_pairs_solve(s, &last, dx, y, tol, differentiate, ridge, ctx);
    for (int64_t i = 0; i < N; i++)
        slope += dx[i] * left[i];
    *better = false;
    for (int tries = 0; tries <= HALVINGS && !*better; tries++, a /= 2) {
        for (int64_t i = 0; i < N; i++)
            next[i] = x[i] + a * dx[i];
        const wlab_code code = evaluate(s, q, next, ctx, err);
        if (code)
            return code;
        *better = q->value >= before + 1e-4 * a * slope - 1e-13 * fabs(before);
        *whole = tries == 0;
    }
    if (*better)
        memcpy(x, next, (size_t)N * sizeof *x);
    return WL_OK;
}

/* x: a certificate's multipliers as one vector. */
static void gather(const wlab_relax *s, const relax_slope *at, double *x)
{
    const int64_t M = s->nodes, k = s->block;
    memcpy(x, at->mult, (size_t)M * sizeof *x);
    memcpy(x + M, at->corner, (size_t)(k * k) * sizeof *x);
    for (int64_t c = 0; c < s->pairs; c++)
        x[M + k * k + c] = -at->mu[c];
}

void relax_scatter(const wlab_relax *s, const double *x, relax_slope *at)
{
    const int64_t M = s->nodes, k = s->block;
    memcpy(at->mult, x, (size_t)M * sizeof *x);
    memcpy(at->corner, x + M, (size_t)(k * k) * sizeof *x);
    for (int64_t c = 0; c < s->pairs; c++)
        at->mu[c] = -x[M + k * k + c];
}

wlab_code relax_project(wlab_relax *s, bool *usable, wlab_ctx *ctx, wlab_err *err)
{
    const double phi = relax_least(s), shrink = exp2(-2.0 * (double)s->doubled);
    projection q = {.at = &s->at, .centre = s->logY, .t = s->t, .phi = phi, .cut = CUT * phi, .p = s->trial};
    double *x = s->force, *y = s->links + relax_constraints(s), before = INFINITY, allowed = 0;
    bool better = true, whole;
    wlab_code code;

    gather(s, &s->at, x);
    *usable = false;
    if ((code = evaluate(s, &q, x, ctx, err)))
        return code;
    for (int step = 0; step <= STEPS && better; step++) {
        const double left = residual(s, &q, y);
        const bool slow = left > before / 2;
        if (step == 0)
            allowed = fmin(NEAR * phi, LESS * left) * shrink;
        if (left <= allowed || (slow && step > 1 && left <= NEAR * phi)) {
            s->trial.r = q.p.r;
            if ((code = correct_entries(s, phi, slow ? SHIFTS : 0, usable, ctx, err)) || *usable)
                return code;
        }
        before = left;
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        if ((code = newton_step(s, &q, x, y, FORCING, RIDGE * phi * shrink, &better, &whole, ctx, err)))
            return code;
    }
    return WL_OK;
}

wlab_code relax_polish(wlab_relax *s, const relax_slope *at, const relax_point *now, double *lower,
                       wlab_ctx *ctx, wlab_err *err)
{
    const int64_t M = s->nodes, N = relax_constraints(s);
    const double target = s->eps * fabs(now->f), side = (double)M;
    projection q = {.at = at, .phi = 0, .cut = CUT * FLAT, .p = {.V = s->more}};
    double *x = s->next + 2 * N, *y = s->links + N;
    bool better = true, raised = false, whole = false;
    wlab_code code = WL_OK;

    gather(s, s->best > *lower ? &s->mean : at, x);
    q.t = fmax(-at->least / 3, 1e-300);
    for (int step = 0; step < POLISH && better && !code; step++) {
        const double gap = now->f - fmax(*lower, s->best);
        if (gap <= target / 2)
            break;
        q.t = fmax(q.t, fmax(gap, target) / (4 * side * log(side + 1)));
        if ((code = evaluate(s, &q, x, ctx, err)))
            break;
        const double found = at->entropy + q.value + side * least_of(s, &q);
        if (found > *lower) {
            *lower = found;
            relax_scatter(s, x, &s->blend);
            raised = true;
        }
        residual(s, &q, y);
        code = newton_step(s, &q, x, y, ROUGH, FLAT, &better, &whole, ctx, err);
        if (!code && whole)
            q.t /= 2;
    }
    if (code || !raised) /* `mean` is where a next call begins, so an interrupt must leave it as it is */
        return code;
    const relax_slope mean = s->mean;
    s->mean = s->blend;
    s->blend = mean;
    return WL_OK;
}
