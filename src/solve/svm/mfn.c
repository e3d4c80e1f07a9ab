/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * L2-SVM-MFN: the functions that the linear and the kernel solver share, and the linear solver, which solves its Newton
 * systems by conjugate gradients.
 */
#include "solve/svm/mfn.h"
#include "base/rows.h"
#include "base/walk.h"
#include "linalg/symmetric.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    MOST_NEWTONS = 200,
    PAPER_NEWTONS = 50,
    PAPER_FIRST_CG = 10, /* Table 1, cold start */
    MOST_CG = 10000,
    CHECKED = 256,   /* rows whose outputs are computed anew at the end of a solve */
    FEW_COLUMNS = 32 /* dense: a pass over the data costs little more than one over the rows' outputs */
};
#define DRIFT                                                                                                \
    1e-13 /* largest error of an updated output, relative to the sum of its terms' absolute values */
#define PIECE_ENTRIES 3e8  /* about a second */
#define PAPER_TAU     1e-6 /* Table 1 */
#define GRADIENT_PART                                                                                        \
    0.9 /* CG's part of the gradient that the certificate allows; rows that change sides add to it */
#define MOST_CHANGED                                                                                         \
    0.3              /* of all entries: if changed rows have more, the gradient is not corrected row by row */
#define FORCING 0.03 /* CG stops when the residual is this fraction of the gradient */

const char *const wlab_mfn_modes[] = {"fast", "paper", NULL};

static double *vector(int64_t n)
{
    return wlab_calloc((size_t)(n > 0 ? n : 1), sizeof(double));
}

wlab_code wlab_mfn_create(wlab_mfn **out, const wlab_matrix *X, double bias, const double *K, int64_t n,
                          double lambda, wlab_mfn_mode mode, double eps, wlab_err *err)
{
    wlab_code code = WL_OK;
    *out = NULL;
    wlab_mfn *m = wlab_calloc(1, sizeof *m);
    if (!m)
        return wlab_nomem(err);
    (void)wlab_blas_init(0, NULL);
    m->X = X;
    m->K = K;
    m->n = K ? n : X->rows;
    m->dim = K ? n : X->cols + (bias > 0);
    m->bias = K ? 0 : bias;
    m->lambda = lambda;
    m->mode = mode;
    m->eps = eps;
    m->piece = PIECE_ENTRIES;
    m->f = m->gap = m->gradient = NAN;
    double **of_n[] = {&m->pos, &m->neg, &m->o, &m->h, &m->e, &m->z, &m->Xq, &m->factored};
    double **of_dim[] = {&m->w, &m->g, &m->s, &m->r, &m->q, &m->Hq};
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++)
        if (!(*of_n[k] = vector(m->n)))
            code = wlab_nomem(err);
    for (size_t k = 0; k < sizeof of_dim / sizeof *of_dim; k++)
        if (!(*of_dim[k] = vector(m->dim)))
            code = wlab_nomem(err);
    if (K && !(m->sums = vector(wlab_symmetric_sums(n))))
        code = wlab_nomem(err);
    if (!code && !K)
        code = wlab_passes_create(&m->passes, X, err);
    code = wlab_ranks_agree(K ? NULL : wlab_matrix_ranks(X), code, err);
    if (code) {
        wlab_mfn_destroy(m);
        return code;
    }
    wlab_rows_whole(&m->rows, m->n);
    if (!K) {
        m->rows = *wlab_passes_rows(m->passes);
        for (int64_t i = 0; i < m->n; i++)
            m->entries += X->len[i];
        m->entries = (double)wlab_ranks_total(m->rows.ranks, (int64_t)m->entries);
    }
    *out = m;
    return WL_OK;
}

void wlab_mfn_destroy(wlab_mfn *m)
{
    if (!m)
        return;
    double *all[] = {m->pos, m->neg, m->a, m->c, m->t, m->mean, m->o,  m->h,        m->e,      m->z,
                     m->Xq,  m->w,   m->g, m->s, m->r, m->q,    m->Hq, m->factored, m->factor, m->sums};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        wlab_free(all[k]);
    wlab_woodbury_destroy(m->near);
    wlab_free(m->single);
    wlab_free(m->row);
    wlab_passes_destroy(m->passes);
    wlab_free(m);
}

wlab_code wlab_mfn_shape(wlab_mfn *m, wlab_err *err)
{
    double *a = vector(m->n), *c = vector(m->n), *t = vector(m->n);

    if (!a || !c || !t) {
        wlab_free(a);
        wlab_free(c);
        wlab_free(t);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < m->n; i++)
        a[i] = c[i] = 1;
    m->a = a;
    m->c = c;
    m->t = t;
    return WL_OK;
}

wlab_code wlab_mfn_centre(wlab_mfn *m, const double *mean, wlab_err *err)
{
    if (!(m->mean = vector(m->dim)))
        return wlab_nomem(err);
    memcpy(m->mean, mean, (size_t)m->dim * sizeof *mean);
    return WL_OK;
}

/* Then the gradient and the change of the outputs are computed anew, instead of being updated. */
static bool has_few_columns(const wlab_mfn *m)
{
    return m->mode == WL_MFN_FAST && !m->X->sparse && m->X->cols <= FEW_COLUMNS;
}

static double dot(int64_t n, const double *a, const double *b)
{
    return cblas_ddot((int)n, a, 1, b, 1);
}

/* The part of w's output that is the same for every row (linear). */
static double constant_output(const wlab_mfn *m, const double *w)
{
    return m->bias > 0 ? m->bias * w[m->dim - 1] : m->mean ? -dot(m->dim, m->mean, w) : 0;
}

/* Adds to g = sum_i z_i x_i what the constant feature and the centring contribute; sum = sum_i z_i. */
static void add_constant(const wlab_mfn *m, double sum, double *g)
{
    if (m->bias > 0)
        g[m->dim - 1] = m->bias * sum;
    for (int64_t j = 0; m->mean && j < m->dim; j++)
        g[j] -= sum * m->mean[j];
}

/* z [n], which is 0 on most rows: g += sum_i z_i x_i, with the constant feature or centred (linear). */
static void add_to_gradient(wlab_mfn *m, wlab_pool *pool)
{
    const double sum = wlab_rows_sum(&m->rows, m->z, pool);

    wlab_passes_transpose(m->passes, m->z, m->Hq, pool);
    add_constant(m, sum, m->Hq);
    cblas_daxpy((int)m->dim, 1, m->Hq, 1, m->g, 1);
}

void wlab_mfn_start(wlab_mfn *m, wlab_pool *pool)
{
    if (m->g_owes && m->g_known)
        add_to_gradient(m, pool);
    m->g_owes = false;
    m->f = NAN;
    m->newtons = m->cg = 0;
    m->done = m->stalled = m->in_cg = m->exact = false;
    m->cold = m->norm == 0;
    m->precise = !m->cold;
}

void wlab_mfn_changes(wlab_mfn *m)
{
    if (m->g_known && !m->g_owes)
        memset(m->z, 0, (size_t)m->n * sizeof *m->z);
    m->g_owes = m->g_known;
}

void wlab_mfn_set_costs(wlab_mfn *m, int64_t i, double pos, double neg)
{
    double before, after, h;

    wlab_mfn_changes(m);
    wlab_mfn_row_loss(m, i, m->o[i], &before, &h);
    m->pos[i] = pos;
    m->neg[i] = neg;
    wlab_mfn_row_loss(m, i, m->o[i], &after, &h);
    if (m->g_owes)
        m->z[i] += before - after;
}

void wlab_mfn_scale(wlab_mfn *m, const uint8_t *sort, double factor)
{
    wlab_mfn_changes(m);
    /* g = lambda w - X_0'z_0 - X_1'z_1, whose last term is multiplied by the factor */
    for (int64_t j = 0; m->g_owes && j < m->dim; j++)
        m->g[j] = factor * m->g[j] + (1 - factor) * m->lambda * m->w[j];
    for (int64_t i = 0; i < m->n; i++) {
        double z, h;
        if (m->g_owes) {
            wlab_mfn_row_loss(m, i, m->o[i], &z, &h);
            m->z[i] = factor * m->z[i] + (sort[i] ? 0 : (factor - 1) * z);
        }
        if (sort[i]) {
            m->pos[i] *= factor;
            m->neg[i] *= factor;
            if (m->t)
                m->t[i] *= factor;
        }
    }
}

void wlab_mfn_outputs(wlab_mfn *m, wlab_pool *pool)
{
    if (m->K) {
        wlab_symmetric_mul(m->K, m->n, m->w, m->o, m->sums, pool);
        const double norm = dot(m->n, m->w, m->o);
        m->norm = norm < 0 ? 0 : norm; /* negative only by rounding */
    } else {
        wlab_passes_outputs(m->passes, NULL, m->w, constant_output(m, m->w), m->o, pool);
        m->norm = dot(m->dim, m->w, m->w);
    }
    m->g_known = false;
}

typedef struct row_pass {
    wlab_mfn *m;
    double step; /* of a move along e; of CG along Xq */
} row_pass;

/* o += step e, then z and h; sums: losses and z. */
static void evaluate_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    wlab_mfn *m = all->m;
    const double step = all->step;
    wlab_two loss = {0}, ones = {0};

    (void)block;
    for (int64_t i = begin; i < end; i += 2) {
        const int64_t left = end - i;
        wlab_two o = wlab_two_load_some(m->o + i, left), z, h;
        if (step != 0) {
            o += step * wlab_two_load_some(m->e + i, left);
            wlab_two_store_some(m->o + i, o, left);
        }
        loss += wlab_mfn_two_losses(m, i, left, o, &z, &h);
        ones += z;
        wlab_two_store_some(m->z + i, z, left);
        wlab_two_store_some(m->h + i, h, left);
    }
    sum[0] = wlab_two_sum(loss);
    sum[1] = wlab_two_sum(ones);
}

/* Moves the outputs by `step` along e, and computes f, z, h, and the gradient if it is not known. */
static void evaluate(wlab_mfn *m, double step, wlab_pool *pool)
{
    row_pass all = {.m = m, .step = step};
    double sum[WL_ROW_SUMS];

    wlab_rows_run(&m->rows, evaluate_rows, &all, sum, pool);
    m->f = 0.5 * m->lambda * m->norm + sum[0];
    if (!m->g_known) {
        wlab_passes_transpose(m->passes, m->z, m->g, pool);
        add_constant(m, sum[1], m->g);
        for (int64_t j = 0; j < m->dim; j++)
            m->g[j] = m->lambda * m->w[j] - m->g[j];
        m->g_known = true;
    }
    m->gradient = sqrt(dot(m->dim, m->g, m->g));
    m->gap = m->gradient * m->gradient / (2 * m->lambda);
}

/* Starts CG at s = 0 for H s = -g. */
static void start_cg(wlab_mfn *m)
{
    memset(m->s, 0, (size_t)m->dim * sizeof *m->s);
    memset(m->e, 0, (size_t)m->n * sizeof *m->e);
    for (int64_t j = 0; j < m->dim; j++)
        m->q[j] = m->r[j] = -m->g[j];
    m->rho = m->gradient * m->gradient;
    m->cg_now = 0;
    m->in_cg = true;
    /* no more exact than the certificate requires, and less exact while rows may still change sides */
    m->target =
        fmax(GRADIENT_PART * sqrt(2 * m->lambda * m->eps * wlab_mfn_scale_of(m)), FORCING * m->gradient);
}

/* e += step Xq on the rows that have a curvature; Xq is not set on the others. */
static void advance_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    wlab_mfn *m = all->m;

    (void)block;
    (void)sum;
    for (int64_t i = begin; i < end; i += 2) {
        const int64_t left = end - i;
        const wlab_two_mask some = (wlab_two_mask)(wlab_two_load_some(m->h + i, left) != wlab_two_of(0));
        const wlab_two e = wlab_two_load_some(m->e + i, left);
        wlab_two_store_some(m->e + i,
                            e + wlab_two_where(some, all->step * wlab_two_load_some(m->Xq + i, left)), left);
    }
}

/* One iteration on the normal equations; true: the residual is small enough to stop. */
static bool fast_cg(wlab_mfn *m, wlab_pool *pool)
{
    double quad, rr = 0;
    const double offset = constant_output(m, m->q);
    const double sum = wlab_passes_normal(m->passes, m->h, m->q, offset, m->Xq, m->Hq, &quad, pool);

    add_constant(m, sum, m->Hq);
    const double curve = m->lambda * dot(m->dim, m->q, m->q) + quad;
    if (!(curve > 0))
        return true;
    const double step = m->rho / curve;
    for (int64_t j = 0; j < m->dim; j++) {
        m->s[j] += step * m->q[j];
        m->r[j] -= step * (m->lambda * m->q[j] + m->Hq[j]);
        rr += m->r[j] * m->r[j];
    }
    if (!has_few_columns(m))
        wlab_rows_run(&m->rows, advance_rows, &(row_pass){.m = m, .step = step}, NULL, pool);
    const double beta = rr / m->rho;
    m->rho = rr;
    if (!(sqrt(rr) > m->target))
        return true;
    for (int64_t j = 0; j < m->dim; j++)
        m->q[j] = m->r[j] + beta * m->q[j];
    return false;
}

/* Xq on the rows that have a curvature, else 0; sum: the curvature. */
static void paper_curve(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const wlab_mfn *m = ((const row_pass *)data)->m;

    (void)block;
    for (int64_t i = begin; i < end; i++) {
        m->Xq[i] = m->h[i] != 0 ? m->Xq[i] + (m->bias > 0 ? m->bias * m->q[m->dim - 1] : 0) : 0;
        sum[0] += m->h[i] * m->Xq[i] * m->Xq[i];
    }
}

/* Sums: z'z and z. */
static void paper_move(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    const wlab_mfn *m = all->m;

    (void)block;
    for (int64_t i = begin; i < end; i++) {
        m->e[i] += all->step * m->Xq[i];
        m->z[i] -= all->step * m->h[i] * m->Xq[i];
        sum[0] += m->z[i] * m->z[i];
        sum[1] += m->z[i];
    }
}

/* One iteration of Table 2, with z and r as in the table; true: its optimality criterion holds. */
static bool paper_cgls(wlab_mfn *m, wlab_pool *pool)
{
    const bool ones = m->bias > 0;
    row_pass all = {.m = m};
    double sum[WL_ROW_SUMS];

    for (int64_t i = 0; i < m->n; i++)
        m->Xq[i] = m->h[i] != 0 ? 0 : 1; /* rows to leave out */
    wlab_passes_outputs(m->passes, m->Xq, m->q, 0, m->Xq, pool);
    wlab_rows_run(&m->rows, paper_curve, &all, sum, pool);
    const double curve = m->lambda * dot(m->dim, m->q, m->q) + sum[0];
    if (!(curve > 0))
        return true;
    all.step = m->rho / curve;
    cblas_daxpy((int)m->dim, all.step, m->q, 1, m->s, 1);
    wlab_rows_run(&m->rows, paper_move, &all, sum, pool);
    const double zz = sum[0];
    wlab_passes_transpose(m->passes, m->z, m->r, pool);
    if (ones)
        m->r[m->dim - 1] = m->bias * sum[1];
    for (int64_t j = 0; j < m->dim; j++)
        m->r[j] -= m->lambda * (m->w[j] + m->s[j]);
    const double before = m->rho, eps = m->precise ? 1e-6 : 1e-2;
    m->rho = dot(m->dim, m->r, m->r);
    if (!(m->rho > eps * eps * zz)) /* if no row is active both are 0 */
        return true;
    for (int64_t j = 0; j < m->dim; j++)
        m->q[j] = m->r[j] + m->rho / before * m->q[j];
    return false;
}

/* Whether no row with a cost crosses its margin by more than tau on the way from w to w + s (the conditions of Tables 1
 * and 7 of Sindhwani and Keerthi, with one tau for all rows). */
static bool same_sides(const wlab_mfn *m)
{
    bool crosses = false;

    for (int64_t i = 0; i < m->n && !crosses; i++) {
        const double o = m->o[i], to = o + m->e[i];
        crosses = (m->pos[i] > 0 && (o < 1 ? to > 1 + PAPER_TAU : to < 1 - PAPER_TAU)) ||
                  (m->neg[i] > 0 && (o > -1 ? to < -1 - PAPER_TAU : to > -1 + PAPER_TAU));
    }
    return !wlab_ranks_any(m->rows.ranks, crosses);
}

/* Whether row i's loss is on another piece at o + delta e than at o. */
static bool changes_piece(const wlab_mfn *m, int64_t i, double delta)
{
    const double o = m->o[i], to = o + delta * m->e[i];
    const double a = m->t ? m->a[i] : 1, c = m->t ? -m->c[i] : -1;
    return ((o < a) != (to < a) || (o > c) != (to > c)) && (m->pos[i] != 0 || m->neg[i] != 0);
}

/* The rows that are on another piece after the move: what they add to the gradient, in z; 0 for the others.  Sums: their
 * entries, their number (a row without entries has the constant feature). */
static void correct_rows(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const row_pass *all = data;
    const wlab_mfn *m = all->m;
    const double delta = all->step;

    (void)block;
    for (int64_t i = begin; i < end; i++) {
        double z0, z1, h0, h1;
        m->z[i] = 0;
        if (!changes_piece(m, i, delta))
            continue;
        sum[0] += m->X->len[i];
        sum[1]++;
        wlab_mfn_row_loss(m, i, m->o[i], &z0, &h0);
        wlab_mfn_row_loss(m, i, m->o[i] + delta * m->e[i], &z1, &h1);
        m->z[i] = z0 - delta * h0 * m->e[i] - z1;
    }
}

/* Computes the gradient at w + delta s, before the move.  The quadratic model gives (1 - delta) g - delta r, which is
 * exact for rows that remain on their piece.  The other rows are corrected one by one if they are few; else the
 * gradient remains unknown. */
static void update_gradient(wlab_mfn *m, double delta, wlab_pool *pool)
{
    double sum[WL_ROW_SUMS];

    wlab_rows_run(&m->rows, correct_rows, &(row_pass){.m = m, .step = delta}, sum, pool);
    if (sum[0] > MOST_CHANGED * m->entries)
        return;
    for (int64_t j = 0; j < m->dim; j++)
        m->g[j] = (1 - delta) * m->g[j] - delta * m->r[j];
    if (sum[1] > 0)
        add_to_gradient(m, pool);
    m->g_known = true;
}

/* Moves w by delta along s; the caller moves the outputs. */
static void move(wlab_mfn *m, double delta, wlab_pool *pool)
{
    m->g_known = false;
    if (m->mode == WL_MFN_FAST && !has_few_columns(m))
        update_gradient(m, delta, pool);
    cblas_daxpy((int)m->dim, delta, m->s, 1, m->w, 1);
    m->norm = dot(m->dim, m->w, m->w);
}

/* Whether the outputs, which each move updates, differ from those of w by more than a product with w has rounding errors: they
 * keep the errors of earlier, larger values.  Looks at most at CHECKED rows, evenly spaced. */
static bool has_drifted(const wlab_mfn *m)
{
    const wlab_matrix *X = m->X;
    const int64_t apart = (m->rows.all + CHECKED - 1) / CHECKED, before = m->rows.before;
    const double b = constant_output(m, m->w);
    bool drifted = false;

    for (int64_t at = (before + apart - 1) / apart * apart; at < before + m->n && !drifted; at += apart) {
        const int64_t i = at - before;
        double o = b, size = 1 + fabs(b);
        for (int32_t a = 0; a < X->len[i]; a++) {
            const double part = X->sparse ? (double)X->val[X->start[i] + a] * m->w[X->col[X->start[i] + a]]
                                          : X->dense[X->start[i] + a] * m->w[a];
            o += part;
            size += fabs(part);
        }
        drifted = !(fabs(o - m->o[i]) <= DRIFT * size);
    }
    return wlab_ranks_any(m->rows.ranks, drifted);
}

/* Ends a Newton iteration with direction s: computes the outputs of the rows that CG left out (few columns: of all), searches along s and
 * moves.  false: s is not finite, and w is unchanged. */
static bool end_newton(wlab_mfn *m, bool optimal, wlab_pool *pool)
{
    const double f = m->f;
    double delta = 0;

    m->in_cg = false;
    if (!isfinite(m->rho) || !isfinite(dot(m->dim, m->s, m->s)))
        return false;
    wlab_passes_outputs(m->passes, has_few_columns(m) ? NULL : m->h, m->s, constant_output(m, m->s), m->e,
                        pool);
    if (m->mode == WL_MFN_PAPER && optimal && same_sides(m)) {
        if (m->precise) {
            move(m, delta = 1, pool);
            m->done = true;
        }
        m->precise = true; /* Table 1: the tolerance becomes 1e-6, w is unchanged */
    } else {
        delta = wlab_mfn_line_search(m, m->lambda * dot(m->dim, m->w, m->s),
                                     m->lambda * dot(m->dim, m->s, m->s), m->e, pool);
        if (!isfinite(delta))
            return false;
        move(m, delta, pool);
    }
    m->newtons++;
    evaluate(m, delta, pool);
    if (m->mode == WL_MFN_FAST) {
        m->done = m->gap <= m->eps * wlab_mfn_scale_of(m);
        m->stalled = !m->done && (m->newtons >= MOST_NEWTONS || !(m->f < f));
    } else {
        /* an exact line search does not increase f: if it does, f has only rounding errors left */
        m->stalled = !m->done && (m->newtons >= PAPER_NEWTONS || !(m->f <= (1 + 1e-9) * f));
    }
    if (m->stalled || (m->done && (m->mode == WL_MFN_PAPER || has_drifted(m)))) {
        /* o and g were only updated along with w: compute the final values from w itself */
        wlab_mfn_outputs(m, pool);
        evaluate(m, 0, pool);
        if (m->mode == WL_MFN_FAST)
            m->done = m->gap <= m->eps * wlab_mfn_scale_of(m);
        m->stalled = m->stalled && !m->done; /* neither: the next iteration continues */
    }
    return true;
}

wlab_code wlab_mfn_iterate(wlab_mfn *m, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    bool fast = m->mode == WL_MFN_FAST, optimal = false;

    if (m->done || m->stalled)
        return WL_OK;
    if (m->K)
        return wlab_mfn_kernel_iterate(m, ctx, err);
    if (!m->in_cg) {
        if (isnan(m->f))
            evaluate(m, 0, pool);
        if (!isfinite(m->f) || !isfinite(m->gap))
            return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
        if (m->gradient == 0 || (fast && m->gap <= m->eps * wlab_mfn_scale_of(m))) {
            m->done = true;
            return WL_OK;
        }
        start_cg(m);
    }
    const int64_t most = fast || m->precise || !m->cold || m->newtons > 0 ? MOST_CG : PAPER_FIRST_CG;
    int64_t piece = 1 + (int64_t)(m->piece / (m->entries + 1));
    while (!optimal && m->cg_now < most) {
        if (piece-- == 0)
            return WL_OK;
        optimal = fast ? fast_cg(m, pool) : paper_cgls(m, pool);
        m->cg_now++;
        m->cg++;
    }
    if (!end_newton(m, optimal, pool))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    return WL_OK;
}

/* ---- snapshots ---- */

#define MFN_SCALARS(X)                                                                                       \
    X(norm)                                                                                                  \
    X(f)                                                                                                     \
    X(gradient)                                                                                              \
    X(gap)                                                                                                   \
    X(newtons)                                                                                               \
    X(cg) X(done) X(stalled) X(cold) X(precise) X(exact) X(g_known) X(in_cg) X(cg_now) X(rho) X(target)

void wlab_mfn_walk(void *mfn, wlab_walk *w)
{
    wlab_mfn *s = mfn;
    MFN_SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->w, s->dim);
    WL_WALK_ARRAY(w, s->o, s->n);
    if (s->in_cg || s->g_known)
        WL_WALK_ARRAY(w, s->g, s->dim);
    if (s->in_cg) { /* the vectors of CG are in use inside a Newton iteration only */
        WL_WALK_ARRAY(w, s->s, s->dim);
        WL_WALK_ARRAY(w, s->r, s->dim);
        WL_WALK_ARRAY(w, s->q, s->dim);
        WL_WALK_ARRAY(w, s->h, s->n);
        WL_WALK_ARRAY(w, s->e, s->n);
        WL_WALK_ARRAY(w, s->z, s->n);
    }
    for (int64_t i = 0; wlab_walk_has_read(w) && i < s->n && !s->in_cg; i++)
        (void)wlab_mfn_row_loss(s, i, s->o[i], &s->z[i], &s->h[i]);
}
