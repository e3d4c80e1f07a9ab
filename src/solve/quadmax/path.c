/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The products of linear forms whose value every labeling fixes or bounds, and a basis P of the vectors on which the
 * groups' equations hold.
 */
#include "solve/quadmax/path.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum {
    /* Limits of the products of pairs of nodes.  They are at most as many as the nodes, so that they cost no more than
     * the products z_k^2.  Above 1000 nodes memory limits all products together to PRODUCTS, as a matrix of that order
     * is factored.  In any case PAIRS_LEAST are allowed.  If there are more pairs, and each group has exactly one +1
     * (or all but one), pairs.c handles them all, without such a matrix. */
    PAIRS_LEAST = 400,
    PRODUCTS = 2000
};

void quad_path_clear(quad_path *w)
{
    wlab_free(w->house);
    wlab_free(w->tau);
    wlab_free(w->work);
    wlab_free(w->at);
    wlab_free(w->col);
    wlab_free(w->val);
    wlab_free(w->pr);
    wlab_free(w->x);
    wlab_free(w->dx);
    wlab_free(w->s);
    wlab_free(w->ds);
    wlab_free(w->S);
    wlab_free(w->Y);
    wlab_free(w->free_diag);
}

/* R <- U'RU (transpose: URU'), U the orthogonal matrix of the Householder vectors. */
static void rotate(const quad_path *w, double *R, bool transpose)
{
    lapack_int N = (lapack_int)w->N, E = (lapack_int)w->E;
    if (E == 0)
        return;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transpose ? 'N' : 'T', N, N, E, w->house, N, w->tau, R, N,
                        w->work, N);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'R', transpose ? 'T' : 'N', N, N, E, w->house, N, w->tau, R, N,
                        w->work, N);
}

/* A = P'RP [r x r]; R [N x N] is overwritten. */
void quad_path_restrict(const quad_path *w, double *R, double *A)
{
    int64_t N = w->N, r = w->r, E = w->E;
    rotate(w, R, false);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            A[i * r + j] = A[j * r + i] = 0.5 * (R[(i + E) * N + j + E] + R[(j + E) * N + i + E]);
}

/* R = PAP' [N x N]. */
void quad_path_lift(const quad_path *w, const double *A, double *R)
{
    int64_t N = w->N, r = w->r, E = w->E;
    memset(R, 0, (size_t)(N * N) * sizeof *R);
    for (int64_t i = 0; i < r; i++)
        memcpy(R + (i + E) * N + E, A + i * r, (size_t)r * sizeof *A);
    rotate(w, R, true);
}

/* R = sum of x_i sym(p_i q_i') */
void quad_path_combine(const quad_path *w, const double *x, double *R)
{
    int64_t N = w->N;
    memset(R, 0, (size_t)(N * N) * sizeof *R);
    for (int64_t i = 0; i < w->m; i++)
        for (int64_t a = w->at[w->pr[i].p]; a < w->at[w->pr[i].p + 1]; a++)
            for (int64_t b = w->at[w->pr[i].q]; b < w->at[w->pr[i].q + 1]; b++) {
                double v = 0.5 * w->pr[i].scale * x[i] * w->val[a] * w->val[b];
                R[w->col[a] * N + w->col[b]] += v;
                R[w->col[b] * N + w->col[a]] += v;
            }
}

/* Copies the lower triangle of A [n x n] to the upper one, in blocks that stay in the cache. */
static void mirror(double *A, int64_t n)
{
    enum {
        BLOCK = 32
    };
    for (int64_t i0 = 0; i0 < n; i0 += BLOCK)
        for (int64_t j0 = 0; j0 <= i0; j0 += BLOCK)
            for (int64_t i = i0; i < n && i < i0 + BLOCK; i++)
                for (int64_t j = j0; j < i && j < j0 + BLOCK; j++)
                    A[j * n + i] = A[i * n + j];
}

/* f't for form j. */
static double form_of(const quad_path *w, int64_t j, const double *t)
{
    const int64_t first = w->at[j], size = w->at[j + 1] - first;
    const double *val = w->val + first;
    const int32_t *col = w->col + first;
    double sum = 0;

    if (size == 3) /* a cut; if there are any, most forms are */
        return val[0] * t[col[0]] + val[1] * t[col[1]] + val[2] * t[col[2]];
    for (int64_t a = 0; a < size; a++)
        sum += val[a] * t[col[a]];
    return sum;
}

/* A = F'RF [forms x forms] over all forms, T [N]. */
void quad_path_forms(const quad_path *w, const double *R, double *T, double *A)
{
    int64_t N = w->N, F = w->forms;
    for (int64_t i = 0; i < F; i++) {
        memset(T, 0, (size_t)N * sizeof *T);
        for (int64_t a = w->at[i]; a < w->at[i + 1]; a++)
            cblas_daxpy((int)N, w->val[a], R + w->col[a] * N, 1, T, 1);
        for (int64_t j = 0; j <= i; j++)
            A[i * F + j] = form_of(w, j, T);
    }
    mirror(A, F);
}

/* The sign of z_k in the forms whose pair products are 0.  +1: no two nodes of the group are +1; -1: no two are low;
 * 0: no pair product is 0. */
static int pair_sign(const quad_form *f, int64_t g)
{
    int64_t size = f->start[g + 1] - f->start[g];
    return f->hi[g] == 1 ? 1 : f->lo[g] == size - 1 ? -1 : 0;
}

static void add_form(quad_path *w, int32_t first, double v)
{
    w->at[w->forms + 1] = w->at[w->forms];
    w->forms++;
    if (v != 0) {
        w->col[w->at[w->forms]] = first;
        w->val[w->at[w->forms]++] = v;
    }
}

static void extend_form(quad_path *w, int64_t k, double v)
{
    w->col[w->at[w->forms]] = (int32_t)k;
    w->val[w->at[w->forms]++] = v;
}

static void add_product(quad_path *w, int64_t p, int64_t q, double c, bool inequality, int32_t range)
{
    w->pr[w->m++] = (quad_product){
        .p = (int32_t)p, .q = (int32_t)q, .range = range, .scale = 1, .c = c, .inequality = inequality};
}

/* -(sum of sign z)^2 <= -1 */
static void add_cuts(quad_path *w, const quad_cuts *cuts)
{
    w->cuts = cuts->n;
    for (int64_t i = 0; i < cuts->n; i++) {
        const quad_cut *c = &cuts->cut[i];
        add_product(w, w->forms, w->forms, -1, true, -1);
        w->pr[w->m - 1].scale = -1;
        add_form(w, c->node[0], c->sign[0]);
        extend_form(w, c->node[1], c->sign[1]);
        extend_form(w, c->node[2], c->sign[2]);
    }
}

/* Adds the forms and products of all groups; pairs [groups]: whether the group's pairs get products. */
static void build_products(quad_path *w, const bool *pairs)
{
    const quad_form *f = w->f;
    for (int64_t k = 0; k < w->N; k++)
        w->free_diag[k] = true;
    for (int64_t k = 0; k < (w->iterative ? 1 : w->N); k++)
        add_form(w, (int32_t)k, 1);
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t first = w->forms, size = f->start[g + 1] - f->start[g];
        bool equation = f->lo[g] == f->hi[g];
        if (pairs[g]) {
            for (int64_t k = f->start[g]; k < f->start[g + 1]; k++) {
                add_form(w, 0, 1);
                extend_form(w, k, pair_sign(f, g));
                w->free_diag[k] = !equation;
            }
            for (int64_t i = 0; i < size; i++)
                for (int64_t j = 0; j < i; j++)
                    add_product(w, first + i, first + j, 0, false, -1);
        }
        if (equation || (f->lo[g] == 0 && f->hi[g] == size) || (pairs[g] && f->hi[g] - f->lo[g] == 1))
            continue; /* P eliminates the equation, or the other products imply the range */
        int64_t bounds[2] = {f->lo[g], f->hi[g]}, form = w->forms;
        for (int end = 0; end < 2; end++) {
            add_form(w, 0, (double)(size - 2 * bounds[end]));
            for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
                extend_form(w, k, 1);
        }
        add_product(w, form, form + 1, 0, f->hi[g] - f->lo[g] > 1, (int32_t)g);
    }
    for (int64_t k = 0; k < w->N; k++)
        if (w->free_diag[k])
            add_product(w, k, k, 1, false, -1);
}

/* Factors the equations 1'z = (2 lo - size) z_0. */
static void factor_equations(quad_path *w)
{
    const quad_form *f = w->f;
    int64_t N = w->N, e = 0;
    for (int64_t g = 0; g < f->groups; g++) {
        if (f->lo[g] != f->hi[g])
            continue;
        double *v = w->house + e++ * N;
        v[0] = (double)(f->start[g + 1] - f->start[g] - 2 * f->lo[g]);
        for (int64_t k = f->start[g]; k < f->start[g + 1]; k++)
            v[k] = 1;
    }
    if (e > 0)
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)N, (lapack_int)e, w->house, (lapack_int)N, w->tau,
                            w->work, (lapack_int)N);
}

wlab_code quad_path_create(quad_path *w, const quad_form *f, const quad_cuts *cuts, wlab_err *err)
{
    wlab_code code = WL_OK;
    int64_t N = f->N, forms = N, pairs = 0, all = 0, ranges = 0, most = N < PRODUCTS - N ? N : PRODUCTS - N;
    most = most > PAIRS_LEAST ? most : PAIRS_LEAST;
    bool *use_pairs = wlab_calloc((size_t)f->groups, sizeof *use_pairs);
    memset(w, 0, sizeof *w);
    w->f = f;
    w->N = N;
    if (!use_pairs)
        return wlab_nomem(err);
    w->iterative = f->groups > 0;
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t size = f->start[g + 1] - f->start[g];
        w->E += f->lo[g] == f->hi[g];
        ranges += f->lo[g] < f->hi[g];
        w->iterative = w->iterative && pair_sign(f, g) && f->lo[g] == f->hi[g];
        all += size * (size - 1) / 2;
    }
    w->iterative = w->iterative && all > most;
    for (int64_t g = 0; g < f->groups; g++) {
        int64_t size = f->start[g + 1] - f->start[g];
        if (w->iterative || (pair_sign(f, g) && size > 1 && pairs + size * (size - 1) / 2 <= most)) {
            use_pairs[g] = true;
            pairs += size * (size - 1) / 2;
            forms += size;
        }
    }
    cuts = w->iterative ? NULL : cuts;
    int64_t more = cuts ? cuts->n : 0;
    forms += 2 * ranges + more;
    w->r = N - w->E;
    size_t m = (size_t)(N + pairs + ranges + more), square = (size_t)(w->r * w->r);
    w->house = wlab_calloc((size_t)(N * w->E), sizeof *w->house);
    w->tau = wlab_alloc((size_t)w->E, sizeof *w->tau);
    w->work = wlab_alloc((size_t)N, sizeof *w->work);
    w->at = wlab_calloc((size_t)forms + 1, sizeof *w->at);
    w->col = wlab_alloc((size_t)(2 * forms + 2 * N + more), sizeof *w->col);
    w->val = wlab_alloc((size_t)(2 * forms + 2 * N + more), sizeof *w->val);
    w->pr = wlab_alloc(m, sizeof *w->pr);
    w->x = wlab_calloc(m, sizeof *w->x);
    w->dx = wlab_alloc(m, sizeof *w->dx);
    w->s = wlab_calloc(m, sizeof *w->s);
    w->ds = wlab_calloc(m, sizeof *w->ds);
    w->S = wlab_alloc(square, sizeof *w->S);
    w->Y = wlab_calloc(square, sizeof *w->Y);
    w->free_diag = wlab_alloc((size_t)N, sizeof *w->free_diag);
    if (!w->house || !w->tau || !w->work || !w->at || !w->col || !w->val || !w->pr || !w->x || !w->dx ||
        !w->s || !w->ds || !w->S || !w->Y || !w->free_diag) {
        code = wlab_nomem(err);
        quad_path_clear(w);
        memset(w, 0, sizeof *w);
        goto out;
    }
    build_products(w, use_pairs);
    if (cuts)
        add_cuts(w, cuts);
    factor_equations(w);
out:
    wlab_free(use_pairs);
    return code;
}
