/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The method of outputs.h.  With x^ = (x, 1, l_1'x, ...), the values of all vectors u, and V = S^-1, u_c = e_i, v_c = e_j:
 *
 *   gradient        -t s (x_i - a)(x_j - b) - 2 s V_ij + 1/lambda
 *   minus Hessian   t (A_c x^)'V(A_d x^) + <A_c, V A_d V> + diag(1/lambda^2),   A_c = s_c (u_c v_c' + v_c u_c')
 *
 * where V is extended by 0 for the constant, and by the products with l for the sums.
 */
#include "solve/mmc/outputs.h"
#include "base/sort.h"
#include "base/walk.h"
#include "linalg/cholesky.h"
#include "linalg/product.h"
#include "linalg/transpose.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    BACKTRACKS = 50,
    NEWTONS = 120, /* of a round, at most */
    STARTS = 80,
    MOST_CONDITIONS = 2000
};
#define SHORT  0.3 /* a Newton step of this length has nearly reached the maximum */
#define GROWTH 8.0 /* of t */
/* Rounds start where the bound could still gain this multiple of what it lacks to the level: nearer to the end S is so nearly
 * singular that new multipliers have to be tiny. */
#define EARLY    3.0
#define VIOLATED 1e-2 /* by which a cut must be violated to be added */
#define ROOM     0.3  /* a cut that is satisfied with this much room is dropped */

/* s (x^_i - a)(x^_j - b) >= 0. */
typedef struct condition {
    double value; /* lambda */
    double early; /* lambda at an earlier maximum, from which the next round starts */
    double s, a, b;
    int32_t i, j;
    int16_t kind;
    int16_t corner; /* rlt: bit 0: a is hi_i, else lo_i; bit 1: b is hi_j, else lo_j */
} condition;

struct wlab_outputs {
    const wlab_form *form;
    int64_t n, sums, ends; /* sums: vectors l; ends: n + 1 + sums */
    /* constant */
    int32_t *group;    /* [n] of the label set, -1: known */
    int8_t *label;     /* [n] the known label or 0 */
    double *low, *top; /* [groups] what the sum of the group's labels is between; infinite: any */
    int64_t groups;
    bool plain; /* the first round has neither box nor balance */
    /* ---- snapshot ---- */
    int64_t count, cap;
    condition *c;                          /* [cap] */
    double *lo, *hi;                       /* [n] */
    double *x;                             /* [n] */
    double *V;                             /* [n x n] S^-1 */
    double t, early_t, at_t, level, bound; /* at_t: that of x and V */
    int64_t rounds, newtons;
    /* ---- made from the box at the start of a round ---- */
    double *l; /* [sums x n] */
};

/* ---- the form ---- */

static double frobenius(const double *A, int64_t size)
{
    return cblas_dnrm2((int)size, A, 1);
}

/* An upper limit of the 2-norm of V - S^-1 for the inverse V as computed; R [n x n] is workspace.  After an
 * interrupt it is wrong. */
static double inverse_error(const double *S, const double *V, double *R, int64_t n, wlab_ctx *ctx)
{
    if (!wlab_gemm(ctx, false, false, n, n, n, -1, S, n, V, n, 0, R, n))
        return HUGE_VAL;
    for (int64_t i = 0; i < n; i++)
        R[i * (n + 1)] += 1;
    const double norm = frobenius(V, n * n);
    const double rest = frobenius(R, n * n) + 2 * DBL_EPSILON * (double)n * frobenius(S, n * n) * norm;
    return rest < 0.5 ? rest / (1 - rest) * norm : HUGE_VAL;
}

/* V = (L L')^-1, of which L has the lower triangle. */
static wlab_code inverse(const double *L, double *V, int64_t n, wlab_err *err)
{
    memcpy(V, L, (size_t)(n * n) * sizeof *V);
    /* the lower triangle by rows is the upper one by columns */
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, V, (lapack_int)n))
        return wlab_fail(err, WL_ENUMERIC, "a matrix of the semidefinite bound is singular");
    (void)wlab_mirror_lower(V, n, NULL); /* without a context nothing interrupts it */
    return WL_OK;
}

wlab_code wlab_form_create(wlab_form *f, const double *K, const double *delta, int64_t n, wlab_ctx *ctx,
                           wlab_err *err)
{
    const size_t square = (size_t)n * (size_t)n;
    double *L = wlab_alloc(2 * square, sizeof *L);
    bool definite = false;
    wlab_code code = WL_OK;
    *f = (wlab_form){.n = n,
                     .K = wlab_alloc(square, sizeof *f->K),
                     .C = wlab_calloc(square, sizeof *f->C),
                     .error = HUGE_VAL};
    if (!L || !f->K || !f->C)
        code = wlab_nomem(err);
    else {
        memcpy(f->K, K, square * sizeof *K);
        for (int64_t i = 0; i < n; i++)
            f->K[i * (n + 1)] += delta[i];
        memcpy(L, f->K, square * sizeof *K);
        code = wlab_cholesky(L, n, &definite, ctx, err);
    }
    if (!code && definite && !(code = inverse(L, f->C, n, err))) {
        f->error = inverse_error(f->K, f->C, L + square, n, ctx);
        /* the sum K + delta is rounded, too */
        double most = 0;
        for (int64_t i = 0; i < n; i++)
            most = fmax(most, f->K[i * (n + 1)]);
        const double norm = frobenius(f->C, (int64_t)square);
        f->error += 2 * DBL_EPSILON * most * norm * norm;
        if (wlab_interrupted(ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    }
    wlab_free(L);
    if (code)
        wlab_form_clear(f);
    return code;
}

void wlab_form_clear(wlab_form *f)
{
    wlab_free(f->K);
    wlab_free(f->C);
    f->K = f->C = NULL;
}

/* ---- the box ---- */

static double reach(const wlab_outputs *s, int64_t j)
{
    return fmax(fabs(s->lo[j]), fabs(s->hi[j]));
}

/* Raises the bound; nothing is known about labelings above the level. */
static void raise_bound(wlab_outputs *s, double bound)
{
    s->bound = fmax(s->bound, fmin(bound, s->level));
}

/* lo_j >= low, hi_j <= top.  |x_j| < 1 is impossible.  A box that becomes empty proves that no labeling has J <= level. */
static void shrink(wlab_outputs *s, int64_t j, double low, double top)
{
    s->lo[j] = fmax(s->lo[j], low);
    s->hi[j] = fmin(s->hi[j], top);
    if (s->lo[j] > -1)
        s->lo[j] = fmax(s->lo[j], 1);
    if (s->hi[j] < 1)
        s->hi[j] = fmin(s->hi[j], -1);
    if (s->lo[j] > s->hi[j]) {
        s->bound = s->level;
        s->lo[j] = s->hi[j] = fmax(fmin(s->lo[j], top), low); /* some finite number */
    }
}

/* The label that the box leaves to row j, or 0. */
static int decided(const wlab_outputs *s, int64_t j)
{
    return s->lo[j] >= 1 ? 1 : s->hi[j] <= -1 ? -1 : 0;
}

/* The first box: |x_j - c_j| <= sqrt(2 (level - G) K_jj), c = K beta, beta_i = alpha_i y_i, G = 1'alpha - beta'K beta / 2. */
static void first_box(wlab_outputs *s, const double *alpha)
{
    const int64_t n = s->n;
    const double *K = s->form->K;
    double sum = 0, square = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        const double a = alpha && s->label[i] ? fmax(alpha[i], 0) : 0;
        s->x[i] = a * s->label[i]; /* beta */
        sum += a;
    }
    for (int64_t j = 0; j < n; j++) {
        double c = 0, most = 0;
        for (int64_t i = 0; i < n; i++) {
            c += K[j * n + i] * s->x[i];
            most += fabs(K[j * n + i] * s->x[i]);
        }
        s->lo[j] = s->hi[j] = c;
        s->V[j] = most;
        square += c * s->x[j];
        size += most * fabs(s->x[j]);
    }
    const double small = 4 * DBL_EPSILON * (double)(n + 4);
    const double G = sum - square / 2 - small * (sum + size), left = s->level - G;
    raise_bound(s, G);
    for (int64_t j = 0; j < n; j++) {
        const double c = s->lo[j],
                     wide = sqrt(2 * fmax(left, 0) * K[j * (n + 1)]) * (1 + small) + small * s->V[j];
        s->lo[j] = -HUGE_VAL, s->hi[j] = HUGE_VAL;
        if (left < 0)
            s->bound = s->level;
        shrink(s, j, c - wide, c + wide);
        if (s->label[j] > 0)
            shrink(s, j, 1, HUGE_VAL);
        if (s->label[j] < 0)
            shrink(s, j, -HUGE_VAL, -1);
    }
}

/* ---- conditions ---- */

static wlab_code reserve(wlab_outputs *s, int64_t more, wlab_err *err)
{
    if (s->count + more <= s->cap)
        return WL_OK;
    const int64_t cap = s->count + more + s->cap / 2;
    condition *c = wlab_realloc(s->c, (size_t)cap, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    s->c = c;
    s->cap = cap;
    return WL_OK;
}

static void add_condition(wlab_outputs *s, wlab_condition kind, int64_t i, int64_t j, double value)
{
    s->c[s->count++] = (condition){.value = value, .kind = (int16_t)kind, .i = (int32_t)i, .j = (int32_t)j};
}

/* The numbers of a condition, for the present box. */
static void place(const wlab_outputs *s, condition *c)
{
    switch ((wlab_condition)c->kind) {
    case WL_OUTSIDE:
        c->s = 0.5, c->a = 1, c->b = -1;
        break;
    case WL_LABEL:
        if (s->plain && s->rounds == 0) {
            c->s = c->a = s->label[c->i], c->b = 0;
            break;
        }
        c->s = decided(s, c->i), c->a = c->s > 0 ? s->lo[c->i] : s->hi[c->i], c->b = 0;
        break;
    case WL_RLT:
        c->s = c->corner == 0 || c->corner == 3 ? 1 : -1;
        c->a = c->corner & 1 ? s->hi[c->i] : s->lo[c->i];
        c->b = c->corner & 2 ? s->hi[c->j] : s->lo[c->j];
        break;
    case WL_SECANT:
        c->s = -1, c->a = s->lo[c->i], c->b = s->hi[c->i];
        break;
    case WL_BALANCE:
    case WL_CONDITIONS:
        break;
    }
}

static condition *find(const wlab_outputs *s, wlab_condition kind, int64_t i)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->c[k].kind == (int16_t)kind && s->c[k].i == (int32_t)i)
            return &s->c[k];
    return NULL;
}

/* Two sums for each group, as long as the box leaves labels open. */
static void place_balance(wlab_outputs *s)
{
    memset(s->l, 0, (size_t)(s->sums * s->n) * sizeof *s->l);
    for (int64_t k = 0; k < s->count; k++) {
        condition *c = &s->c[k];
        if (c->kind != WL_BALANCE)
            continue;
        const int64_t v = c->i - s->n - 1, g = v / 2;
        double *l = s->l + v * s->n, rest = v % 2 ? -s->low[g] : s->top[g];
        for (int64_t i = 0; i < s->n; i++) {
            const double lo = s->lo[i], hi = s->hi[i];
            if (s->group[i] != (int32_t)g)
                continue;
            if (decided(s, i))
                rest += (v % 2 ? 1 : -1) * decided(s, i);
            else if (v % 2)
                l[i] = 2 / (1 - lo), rest -= (1 + lo) / (1 - lo);
            else
                l[i] = -2 / (hi + 1), rest += (hi - 1) / (hi + 1);
        }
        /* l'x + rest >= 0; rounding errors of l and rest belong to the condition itself */
        double size = fabs(rest) + fabs(v % 2 ? s->low[g] : s->top[g]);
        for (int64_t i = 0; i < s->n; i++)
            size += fabs(l[i]) * reach(s, i) + 2;
        c->s = 1, c->b = 0;
        c->a = -rest - 4 * DBL_EPSILON * (double)(s->n + 4) * size;
    }
}

static void place_all(wlab_outputs *s)
{
    for (int64_t k = 0; k < s->count; k++)
        place(s, &s->c[k]);
    place_balance(s);
}

/* ---- the Lagrangian ---- */

typedef struct work {
    double *all;
    double *S, *L, *V;       /* [n x n] S, its factor, its inverse */
    double *r, *x, *ext;     /* [n], [n], [ends] x^ */
    double *E;               /* [ends x ends] V extended */
    double *D;               /* [count x count] */
    double *g, *d, *keep;    /* [count] */
    double k, value, logdet; /* L(x) = x'Sx/2 + r'x + k; min L; log det S */
    double size;             /* of the conditions' terms inside of the box */
} work;

static wlab_code work_create(work *w, const wlab_outputs *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, e = (size_t)s->ends, m = (size_t)s->count;
    double *at = wlab_calloc(3 * n * n + 2 * n + e + e * e + m * m + 3 * m, sizeof *at);
    *w = (work){.all = at};
    if (!at)
        return wlab_nomem(err);
    w->S = at, w->L = w->S + n * n, w->V = w->L + n * n;
    w->r = w->V + n * n, w->x = w->r + n, w->ext = w->x + n;
    w->E = w->ext + e, w->D = w->E + e * e;
    w->g = w->D + m * m, w->d = w->g + m, w->keep = w->d + m;
    return WL_OK;
}

/* S, r and k. */
static void assemble(const wlab_outputs *s, work *w)
{
    const int64_t n = s->n;
    memcpy(w->S, s->form->C, (size_t)(n * n) * sizeof *w->S);
    memset(w->r, 0, (size_t)n * sizeof *w->r);
    w->k = w->size = 0;
    for (int64_t q = 0; q < s->count; q++) {
        const condition *c = &s->c[q];
        const double v = c->value * c->s;
        if (c->j < n) {
            w->S[c->i * n + c->j] -= v;
            w->S[c->j * n + c->i] -= v;
            w->r[c->i] += v * c->b;
            w->r[c->j] += v * c->a;
            w->k -= v * c->a * c->b;
            w->size += fabs(v) * (reach(s, c->i) + fabs(c->a)) * (reach(s, c->j) + fabs(c->b));
            continue;
        }
        w->k += v * c->a;
        double most = fabs(c->a);
        if (c->i < n) {
            w->r[c->i] -= v;
            most += reach(s, c->i);
        } else {
            const double *l = s->l + (c->i - n - 1) * n;
            for (int64_t i = 0; i < n; i++) {
                w->r[i] -= v * l[i];
                most += fabs(l[i]) * reach(s, i);
            }
        }
        w->size += fabs(v) * most;
    }
}

/* Minimises L; *definite: false if it has no minimum. */
static wlab_code minimise(const wlab_outputs *s, work *w, bool *definite, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n;
    assemble(s, w);
    memcpy(w->L, w->S, (size_t)(n * n) * sizeof *w->L);
    const wlab_code code = wlab_cholesky(w->L, n, definite, ctx, err);
    if (code || !*definite)
        return code;
    for (int64_t i = 0; i < n; i++)
        w->x[i] = -w->r[i];
    wlab_cholesky_solve(w->L, n, w->x);
    w->logdet = 0, w->value = w->k;
    for (int64_t i = 0; i < n; i++) {
        w->logdet += 2 * log(w->L[i * (n + 1)]);
        w->value += w->r[i] * w->x[i] / 2;
    }
    return WL_OK;
}

/* The certified bound at the present S, r and k; L(z) >= L(x) + (Sx + r)'(z - x) - e/2 ||z - x||^2 if S + e I is psd. */
static double certified(const wlab_outputs *s, const work *w)
{
    const int64_t n = s->n;
    double value = w->k, trace = 0, slope = 0, far = 0, size = fabs(w->k), square = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = w->r[i], most = fabs(w->r[i]);
        for (int64_t j = 0; j < n; j++) {
            sum += w->S[i * n + j] * w->x[j];
            most += fabs(w->S[i * n + j] * w->x[j]);
        }
        const double away = fmax(fabs(s->lo[i] - w->x[i]), fabs(s->hi[i] - w->x[i]));
        value += w->x[i] * (sum + w->r[i]) / 2;
        size += fabs(w->x[i]) * most;
        slope += away * (fabs(sum) + 2 * DBL_EPSILON * (double)(n + 4) * most);
        far += away * away;
        square += reach(s, i) * reach(s, i);
        trace += w->S[i * (n + 1)];
    }
    /* the factor is that of a matrix that differs from S by at most this */
    const double factor = 2 * DBL_EPSILON * (double)(n + 2) * trace;
    const double bound = value - slope - factor / 2 * far - s->form->error / 2 * square -
                         2 * DBL_EPSILON * ((double)(n + 8) * size + (double)(s->count + 8) * w->size);
    return isfinite(bound) ? bound : -HUGE_VAL;
}

static double barrier(const wlab_outputs *s)
{
    double sum = 0;
    for (int64_t q = 0; q < s->count; q++) {
        if (!(s->c[q].value > 0))
            return -HUGE_VAL;
        sum += log(s->c[q].value);
    }
    return sum;
}

/* x^ and E, from x and the inverse V. */
static void extend(const wlab_outputs *s, work *w)
{
    const int64_t n = s->n, e = s->ends;
    memset(w->E, 0, (size_t)(e * e) * sizeof *w->E);
    memcpy(w->ext, w->x, (size_t)n * sizeof *w->x);
    w->ext[n] = 1;
    for (int64_t i = 0; i < n; i++)
        memcpy(w->E + i * e, w->V + i * n, (size_t)n * sizeof *w->V);
    for (int64_t v = 0; v < s->sums; v++) {
        const double *l = s->l + v * n;
        double *out = w->E + (n + 1 + v) * e;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1, w->V, (int)n, l, 1, 0, out, 1);
        for (int64_t u = 0; u < v; u++)
            out[n + 1 + u] = w->E[(n + 1 + u) * e + n + 1 + v] = cblas_ddot((int)n, s->l + u * n, 1, out, 1);
        out[n + 1 + v] = cblas_ddot((int)n, l, 1, out, 1);
        for (int64_t i = 0; i < n; i++)
            w->E[i * e + n + 1 + v] = out[i];
        w->ext[n + 1 + v] = cblas_ddot((int)n, l, 1, w->x, 1);
    }
}

/* Gradient and minus the Hessian (lower triangle). */
static void derivatives(const wlab_outputs *s, work *w)
{
    const int64_t e = s->ends, m = s->count;
    for (int64_t p = 0; p < m; p++) {
        const condition *c = &s->c[p];
        const double *Ei = w->E + c->i * e, *Ej = w->E + c->j * e;
        const double u = w->ext[c->i] - c->a, v = w->ext[c->j] - c->b;
        w->g[p] = -s->t * c->s * u * v - 2 * c->s * Ei[c->j] + 1 / c->value;
        for (int64_t q = 0; q <= p; q++) {
            const condition *d = &s->c[q];
            const double y = w->ext[d->i] - d->a, z = w->ext[d->j] - d->b;
            const double ii = Ei[d->i], ij = Ei[d->j], ji = Ej[d->i], jj = Ej[d->j];
            w->D[p * m + q] =
                c->s * d->s *
                (s->t * (v * (z * ii + y * ij) + u * (z * ji + y * jj)) + 2 * (jj * ii + ji * ij));
        }
        w->D[p * (m + 1)] += 1 / (c->value * c->value);
    }
}

static void set_values(wlab_outputs *s, const double *from, const double *along, double step)
{
    for (int64_t q = 0; q < s->count; q++)
        s->c[q].value = from[q] + step * along[q];
}

/* One Newton step from a point at which `minimise` was done, to another such point.  *near: it was short; *stuck: no step
 * is possible. */
static wlab_code newton(wlab_outputs *s, work *w, bool *near, bool *stuck, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t m = s->count;
    const double before = s->t * w->value + w->logdet + barrier(s);
    double length = 0, step = 1;
    bool definite;
    wlab_code code = inverse(w->L, w->V, s->n, err);
    *near = false;
    *stuck = true;
    if (code)
        return code;
    extend(s, w);
    derivatives(s, w);
    for (int64_t q = 0; q < m; q++)
        w->D[q * (m + 1)] *= 1 + 1e-13;
    if ((code = wlab_cholesky(w->D, m, &definite, ctx, err)))
        return code;
    for (int64_t q = 0; q < m; q++)
        w->d[q] = w->g[q], w->keep[q] = s->c[q].value;
    if (definite) {
        wlab_cholesky_solve(w->D, m, w->d);
        for (int64_t q = 0; q < m; q++)
            length += w->g[q] * w->d[q];
    }
    if (!definite || !(length >= 0) || !isfinite(length))
        return WL_OK;
    *near = length <= SHORT * SHORT;
    /* no multiplier may reach 0 */
    for (int64_t q = 0; q < m; q++)
        if (w->keep[q] + step * w->d[q] <= 0)
            step = 0.95 * w->keep[q] / -w->d[q];
    for (int k = 0; k < BACKTRACKS; k++, step *= 0.6) {
        set_values(s, w->keep, w->d, step);
        if ((code = minimise(s, w, &definite, ctx, err)))
            return code;
        const double now = s->t * w->value + w->logdet + barrier(s);
        /* a short step needs no proof: the values may differ by rounding only */
        if (definite && isfinite(now) && (*near || now >= before + 0.1 * step * length)) {
            *stuck = false;
            s->newtons++;
            return WL_OK;
        }
    }
    set_values(s, w->keep, w->d, 0);
    return minimise(s, w, &definite, ctx, err);
}

/* Keeps x and V of the present point, whose bound is `bound`, and shrinks the box by its ellipsoid. */
static wlab_code settle(wlab_outputs *s, work *w, double bound, wlab_ctx *ctx, wlab_err *err)
{
    const int64_t n = s->n;
    wlab_code code = inverse(w->L, w->V, n, err);
    if (code)
        return code;
    const bool ends = s->bound >= s->level || !isfinite(bound);
    const double error = ends ? HUGE_VAL : inverse_error(w->S, w->V, w->E, n, ctx);
    if (!ends && wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    memcpy(s->V, w->V, (size_t)(n * n) * sizeof *s->V);
    memcpy(s->x, w->x, (size_t)n * sizeof *s->x);
    s->at_t = s->t;
    for (int64_t j = 0; j < n && isfinite(error); j++) {
        const double square = 2 * (s->level - bound) * (w->V[j * (n + 1)] + error);
        const double wide = sqrt(fmax(square, 0)) * (1 + 8 * DBL_EPSILON) + 8 * DBL_EPSILON * fabs(w->x[j]);
        shrink(s, j, w->x[j] - wide, w->x[j] + wide);
    }
    return WL_OK;
}

/* Rows that the box has decided get the condition of a label, groups those of their sums. */
static wlab_code add_known(wlab_outputs *s, wlab_err *err)
{
    const int64_t n = s->n;
    const wlab_code code = reserve(s, n + s->sums, err);
    if (code || (s->plain && s->rounds == 0))
        return code;
    for (int64_t i = 0; i < n; i++)
        if (decided(s, i) && !find(s, WL_LABEL, i))
            add_condition(s, WL_LABEL, i, n, 0);
    for (int64_t v = 0; v < s->sums; v++)
        if (isfinite(v % 2 ? s->low[v / 2] : s->top[v / 2]) && !find(s, WL_BALANCE, n + 1 + v))
            add_condition(s, WL_BALANCE, n + 1 + v, n, 0);
    return WL_OK;
}

/* If there are new conditions, returns to the maximum that was kept for that. */
static void restart(wlab_outputs *s)
{
    bool fresh = false;
    for (int64_t q = 0; q < s->count; q++)
        fresh = fresh || s->c[q].value == 0;
    if (!fresh || !(s->early_t > 0))
        return;
    s->t = s->early_t;
    s->early_t = 0;
    for (int64_t q = 0; q < s->count; q++)
        s->c[q].value = s->c[q].early;
}

/* Scales the multipliers down until S is positive definite; with all of them near 0, S is near C. */
static wlab_code scale_down(wlab_outputs *s, work *w, wlab_ctx *ctx, wlab_err *err)
{
    const double *values = w->keep;
    double scale = 1;
    bool definite = false;
    wlab_code code = WL_OK;
    for (int64_t q = 0; q < s->count; q++)
        w->keep[q] = s->c[q].value;
    for (int k = 0; k < STARTS && !definite && !code; k++, scale *= 0.7) {
        for (int64_t q = 0; q < s->count; q++)
            s->c[q].value = scale * values[q];
        code = minimise(s, w, &definite, ctx, err);
    }
    return code || definite ? code
                            : wlab_fail(err, WL_ENUMERIC,
                                        "the semidefinite bound: the quadratic form of the outputs is "
                                        "singular; use a smaller C");
}

/* Gives new conditions (value 0) multipliers of the size that those at a maximum have, 1 / (t s u v + 2 s V_ij), or less, so
 * that S is positive definite. */
static wlab_code begin(wlab_outputs *s, work *w, wlab_ctx *ctx, wlab_err *err)
{
    double scale = 1;
    bool definite = false;
    wlab_code code = scale_down(s, w, ctx, err);
    if (code || (code = inverse(w->L, w->V, s->n, err)))
        return code;
    extend(s, w);
    for (int64_t q = 0; q < s->count; q++) {
        const condition *c = &s->c[q];
        const double u = fabs(w->ext[c->i] - c->a), v = fabs(w->ext[c->j] - c->b);
        const double spread = sqrt(w->E[c->i * (s->ends + 1)] * w->E[c->j * (s->ends + 1)]);
        w->keep[q] = c->value;
        w->d[q] = 1 / fmax(s->t * u * v + 2 * spread, 1e-300);
    }
    for (int k = 0; k < STARTS && !definite && !code; k++, scale /= 4) {
        for (int64_t q = 0; q < s->count; q++)
            s->c[q].value = w->keep[q] > 0 ? w->keep[q] : scale * w->d[q];
        code = minimise(s, w, &definite, ctx, err);
    }
    return code || definite
               ? code
               : wlab_fail(
                     err, WL_ENUMERIC,
                     "the semidefinite bound: no multipliers leave its matrix definite; scale the data");
}

/* Keeps a maximum as the start of the next round: later ones are too near to the edge, where S is singular. */
static void keep_early(wlab_outputs *s)
{
    if (s->early_t > 0 && (double)(s->n + s->count) / s->t < EARLY * (s->level - s->bound))
        return;
    s->early_t = s->t;
    for (int64_t q = 0; q < s->count; q++)
        s->c[q].early = s->c[q].value;
}

wlab_code wlab_outputs_round(wlab_outputs *s, double tolerance, double goal, wlab_ctx *ctx, wlab_err *err)
{
    work w;
    bool near = false, stuck = false;
    wlab_code code = WL_OK;
    if (s->bound >= goal || s->bound >= s->level || !isfinite(s->form->error)) {
        s->rounds++;
        return WL_OK;
    }
    if ((code = add_known(s, err)))
        return code;
    restart(s);
    place_all(s);
    if ((code = work_create(&w, s, err)) || (code = begin(s, &w, ctx, err)))
        goto out;
    double bound = certified(s, &w);
    raise_bound(s, bound);
    for (int k = 0; k < NEWTONS && s->bound < goal && !stuck && !code; k++) {
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        if ((code = newton(s, &w, &near, &stuck, ctx, err)))
            break;
        raise_bound(s, bound = certified(s, &w));
        if (!near)
            continue;
        keep_early(s);
        if ((code = settle(s, &w, bound, ctx, err)))
            break;
        if ((double)(s->n + s->count) / s->t <= tolerance)
            break;
        s->t *= GROWTH;
    }
    if (!code && !near)
        code = settle(s, &w, bound, ctx, err);
    s->rounds++;
out:
    wlab_free(w.all);
    return code;
}

/* ---- cuts ---- */

double wlab_outputs_moment(const wlab_outputs *s, int64_t i, int64_t j)
{
    return s->x[i] * s->x[j] + 2 / s->at_t * s->V[i * s->n + j];
}

/* By how much X violates a condition of two rows. */
static double violation(const wlab_outputs *s, const condition *c)
{
    return -c->s * ((s->x[c->i] - c->a) * (s->x[c->j] - c->b) + 2 / s->at_t * s->V[c->i * s->n + c->j]);
}

typedef struct candidate {
    double violation;
    condition c;
} candidate;

static int more_violated(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->violation != q->violation)
        return p->violation > q->violation ? -1 : 1;
    if (p->c.i != q->c.i)
        return p->c.i < q->c.i ? -1 : 1;
    if (p->c.j != q->c.j)
        return p->c.j < q->c.j ? -1 : 1;
    return (p->c.corner > q->c.corner) - (p->c.corner < q->c.corner);
}

static bool is_cut(const condition *c)
{
    return c->kind == WL_RLT || c->kind == WL_SECANT;
}

/* The cuts in use: bit `corner` of entry i, j; bit 0 of the diagonal for the secant. */
static void mark(const wlab_outputs *s, uint8_t *used)
{
    for (int64_t q = 0; q < s->count; q++)
        if (is_cut(&s->c[q]))
            used[s->c[q].i * s->n + s->c[q].j] |= (uint8_t)(1 << s->c[q].corner);
}

static void offer(const wlab_outputs *s, const uint8_t *used, condition c, candidate *found, int64_t *count)
{
    if (used[c.i * s->n + c.j] >> c.corner & 1)
        return;
    place(s, &c);
    const double v = violation(s, &c);
    if (v > VIOLATED)
        found[(*count)++] = (candidate){v, c};
}

static void drop(wlab_outputs *s)
{
    int64_t kept = 0;
    for (int64_t q = 0; q < s->count; q++)
        if (!is_cut(&s->c[q]) || -violation(s, &s->c[q]) < ROOM)
            s->c[kept++] = s->c[q];
    s->count = kept;
}

wlab_code wlab_outputs_cut(wlab_outputs *s, int64_t *added, wlab_err *err)
{
    const int64_t n = s->n;
    int64_t count = 0;
    *added = 0;
    if (s->bound >= s->level || !isfinite(s->form->error))
        return WL_OK;
    uint8_t *used = wlab_calloc((size_t)n, (size_t)n);
    candidate *found = wlab_alloc((size_t)(2 * n * (n - 1) + n), sizeof *found);
    wlab_code code = used && found ? reserve(s, 3 * n, err) : wlab_nomem(err);
    if (!code) {
        drop(s);
        mark(s, used);
        for (int64_t i = 0; i < n; i++) {
            offer(s, used, (condition){.kind = WL_SECANT, .i = (int32_t)i, .j = (int32_t)i}, found, &count);
            for (int64_t j = i + 1; j < n; j++)
                for (int16_t corner = 0; corner < 4; corner++)
                    offer(s, used,
                          (condition){.kind = WL_RLT, .i = (int32_t)i, .j = (int32_t)j, .corner = corner},
                          found, &count);
        }
        code = wlab_sort(found, (size_t)count, sizeof *found, more_violated, NULL, err);
    }
    if (!code) {
        const int64_t space = s->count < MOST_CONDITIONS ? MOST_CONDITIONS - s->count : 0;
        const int64_t most = 3 * n < space ? 3 * n : space;
        *added = count < most ? count : most;
        for (int64_t k = 0; k < *added; k++)
            s->c[s->count++] = found[k].c;
    }
    wlab_free(used);
    wlab_free(found);
    return code;
}

/* ---- creation ---- */

static wlab_code allocate(wlab_outputs *s, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    s->group = wlab_calloc(n, sizeof *s->group);
    s->label = wlab_calloc(n, 1);
    s->low = wlab_calloc((size_t)s->groups + 1, sizeof *s->low);
    s->top = wlab_calloc((size_t)s->groups + 1, sizeof *s->top);
    s->c = wlab_calloc((size_t)s->cap, sizeof *s->c);
    s->lo = wlab_calloc(n, sizeof *s->lo);
    s->hi = wlab_calloc(n, sizeof *s->hi);
    s->x = wlab_calloc(n, sizeof *s->x);
    s->V = wlab_calloc(n, n * sizeof *s->V);
    s->l = wlab_calloc((size_t)s->sums * n + 1, sizeof *s->l);
    return s->group && s->label && s->low && s->top && s->c && s->lo && s->hi && s->x && s->V && s->l
               ? WL_OK
               : wlab_nomem(err);
}

/* The conditions without cuts, with multipliers that leave S positive definite. */
static void first_conditions(wlab_outputs *s, const double *alpha)
{
    const int64_t n = s->n;
    double norm = 0, mean = 0;
    for (int64_t i = 0; i < n; i++) {
        double row = 0;
        for (int64_t j = 0; j < n; j++)
            row += fabs(s->form->K[i * n + j]);
        norm = fmax(norm, row);
        mean += alpha && s->label[i] ? fmax(alpha[i], 0) / (double)n : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        if (s->label[i])
            add_condition(s, WL_LABEL, i, n, fmax(alpha ? alpha[i] : 0, 0.1 * mean + 0.1 / norm));
        else
            add_condition(s, WL_OUTSIDE, i, i, 0.5 / norm);
    }
    s->t = (double)(n + s->count) / s->level;
}

wlab_code wlab_outputs_create(wlab_outputs **out, const wlab_form *f, const wlab_labelset *B,
                              const double *alpha, double level, bool plain, wlab_err *err)
{
    *out = NULL;
    if (!(level > 0) || !isfinite(level))
        return wlab_fail(err, WL_ENUMERIC, "the semidefinite bound needs an SVM objective that is finite");
    wlab_outputs *s = wlab_calloc(1, sizeof *s);
    if (!s)
        return wlab_nomem(err);
    *s = (wlab_outputs){.form = f,
                        .n = f->n,
                        .groups = B->groups,
                        .plain = plain,
                        .sums = 2 * B->groups,
                        .cap = f->n,
                        .level = level,
                        .bound = -HUGE_VAL};
    s->ends = s->n + 1 + s->sums;
    const wlab_code code = allocate(s, err);
    if (code) {
        wlab_outputs_destroy(s);
        return code;
    }
    for (int64_t k = 0; k < s->n; k++) {
        s->group[k] = B->group[k];
        s->label[k] = B->group[k] < 0 ? B->fixed[k] : 0;
    }
    for (int64_t g = 0; g < s->groups; g++) {
        const double size = (double)wlab_labelset_size(B, g);
        s->low[g] = B->lo[g] > 0 ? 2 * (double)B->lo[g] - size : -HUGE_VAL;
        s->top[g] = 2 * (double)B->hi[g] < 2 * size ? 2 * (double)B->hi[g] - size : HUGE_VAL;
    }
    first_box(s, alpha);
    first_conditions(s, alpha);
    *out = s;
    return WL_OK;
}

wlab_outputs *wlab_outputs_copy(const wlab_outputs *from)
{
    const size_t n = (size_t)from->n;
    wlab_err err;
    wlab_outputs *s = wlab_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = *from;
    if (allocate(s, &err)) {
        wlab_outputs_destroy(s);
        return NULL;
    }
    memcpy(s->group, from->group, n * sizeof *s->group);
    memcpy(s->label, from->label, n);
    memcpy(s->low, from->low, (size_t)s->groups * sizeof *s->low);
    memcpy(s->top, from->top, (size_t)s->groups * sizeof *s->top);
    memcpy(s->c, from->c, (size_t)s->count * sizeof *s->c);
    memcpy(s->lo, from->lo, n * sizeof *s->lo);
    memcpy(s->hi, from->hi, n * sizeof *s->hi);
    memcpy(s->x, from->x, n * sizeof *s->x);
    memcpy(s->V, from->V, n * n * sizeof *s->V);
    return s;
}

void wlab_outputs_destroy(wlab_outputs *s)
{
    if (!s)
        return;
    wlab_free(s->group);
    wlab_free(s->label);
    wlab_free(s->low);
    wlab_free(s->top);
    wlab_free(s->c);
    wlab_free(s->lo);
    wlab_free(s->hi);
    wlab_free(s->x);
    wlab_free(s->V);
    wlab_free(s->l);
    wlab_free(s);
}

void wlab_outputs_lower_level(wlab_outputs *s, double level)
{
    s->level = fmin(s->level, level);
    s->bound = fmin(s->bound, s->level);
}

/* ---- results ---- */

wlab_outputs_numbers wlab_outputs_get(const wlab_outputs *s)
{
    wlab_outputs_numbers out = {.bound = s->bound,
                                .room = (double)(s->n + s->count) / s->t,
                                .rounds = s->rounds,
                                .newtons = s->newtons};
    int64_t open = 0;
    double sum = 0;
    for (int64_t q = 0; q < s->count; q++)
        out.count[s->c[q].kind]++;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->label[i])
            continue;
        open++;
        sum += s->hi[i] - s->lo[i];
        out.decided += decided(s, i) != 0;
    }
    out.width = open ? sum / (double)open : NAN;
    return out;
}

const double *wlab_outputs_x(const wlab_outputs *s)
{
    return s->x;
}

double wlab_outputs_spread(const wlab_outputs *s, int64_t j)
{
    return 2 / s->at_t * s->V[j * (s->n + 1)];
}

const double *wlab_outputs_lo(const wlab_outputs *s)
{
    return s->lo;
}

const double *wlab_outputs_hi(const wlab_outputs *s)
{
    return s->hi;
}

/* Whether a condition that was read names rows that exist. */
static bool valid(const wlab_outputs *s, const condition *c)
{
    const int64_t first = c->kind == WL_BALANCE ? s->n + 1 : 0, end = c->kind == WL_BALANCE ? s->ends : s->n;
    const bool one = c->kind == WL_LABEL || c->kind == WL_BALANCE;
    return c->kind >= 0 && c->kind < WL_CONDITIONS && c->i >= first && c->i < end &&
           (one ? c->j == s->n : c->j >= 0 && c->j < s->n) && c->corner >= 0 && c->corner < 4;
}

void wlab_outputs_walk(void *outputs, wlab_walk *w)
{
    wlab_outputs *s = outputs;
    int64_t count = s->count;
    WL_WALK(w, count);
    if (w->reading && (count < 0 || (size_t)count > wlab_walk_left(w) / sizeof *s->c))
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w)) {
        s->count = 0;
        if (!wlab_walk_check(w, reserve(s, count, w->err)))
            return;
        s->count = count;
        memset(s->c, 0, (size_t)count * sizeof *s->c);
    }
    if (w->code)
        return;
    for (int64_t q = 0; q < count; q++) { /* field by field: a struct may have bytes between fields */
        WL_WALK(w, s->c[q].value);
        WL_WALK(w, s->c[q].early);
        WL_WALK(w, s->c[q].s);
        WL_WALK(w, s->c[q].a);
        WL_WALK(w, s->c[q].b);
        WL_WALK(w, s->c[q].i);
        WL_WALK(w, s->c[q].j);
        WL_WALK(w, s->c[q].kind);
        WL_WALK(w, s->c[q].corner);
        if (w->reading && (w->code || !valid(s, &s->c[q]))) {
            s->count = 0;
            wlab_walk_damaged(w);
            return;
        }
    }
    WL_WALK_ARRAY(w, s->lo, s->n);
    WL_WALK_ARRAY(w, s->hi, s->n);
    WL_WALK_ARRAY(w, s->x, s->n);
    WL_WALK_ARRAY(w, s->V, s->n * s->n);
    WL_WALK(w, s->t);
    WL_WALK(w, s->early_t);
    WL_WALK(w, s->at_t);
    WL_WALK(w, s->level);
    WL_WALK(w, s->bound);
    WL_WALK(w, s->rounds);
    WL_WALK(w, s->newtons);
}
