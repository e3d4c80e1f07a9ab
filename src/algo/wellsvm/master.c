/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM's master problem: min over mu in the simplex of J(mu) = max over alpha of sum_t mu_t G(alpha, y_t)
 * (Eqs. 11 and 15), to a certified gap  sum_t mu_t G(alpha, y_t) - min_t G(alpha, y_t).
 *
 * newton: J has the gradient -1/2 q_t, q_t = alpha'Q_t alpha, and on the free alphas F the Hessian B Q_FF^-1 B' with
 * rows B_t = (Q_t alpha)_F.  An update solves a QP over the simplex, then does an Armijo line search.  If updates make
 * no progress (because the SVM at mu has many solutions), the interior-point method of interior.c solves the master
 * instead.
 * mklgl: mu_t = ||w_t|| / sum_s ||w_s|| with ||w_t||^2 = mu_t^2 q_t (Section 4.1.2).
 */
#include "algo/wellsvm/wellsvm.h"
#include "linalg/symmetric.h"
#include "solve/simplexqp.h"
#include "solve/svm/boxqp.h"

#include <cblas.h>
#include <float.h>
#include <string.h>

enum {
    MAX_UPDATES = 100,
    MAX_STUCK = 1,
    MAX_STUCK_LARGE =
        5 /* with many rows, as the interior-point method then costs more than several updates */
};

void well_normalise(double *mu, int64_t T)
{
    double sum = 0;
    for (int64_t t = 0; t < T; t++)
        sum += mu[t];
    for (int64_t t = 0; t < T; t++)
        mu[t] /= sum;
}

void well_beta(const wellsvm *s, const double *alpha, const int8_t *y, double *beta)
{
    const int32_t *example = s->p->example;
    for (int64_t k = 0; k < s->n; k++)
        beta[k] = y[k] ? alpha[example[k]] * y[k] : 0;
}

typedef struct product {
    const wellsvm *s;
    const double *beta; /* [T x n] */
    int64_t T;
    double *out;  /* [T x n] */
    int32_t *row; /* [rows] the rows of K that some beta needs */
    int64_t rows;
    double *panels; /* for each block [ROWS x COLUMNS] and [T x ROWS] */
} product;

enum {
    COLUMNS = 512, /* columns of K per block */
    ROWS = 64,
    HALVED = 1024, /* rows from which on a product reads only half of K */
    MANY = 4       /* number of vectors from which on a matrix product is faster */
};

static void product_block(void *data, int b)
{
    const product *p = data;
    const wellsvm *s = p->s;
    int64_t n = s->n, first = (int64_t)b * COLUMNS, m = first + COLUMNS < n ? COLUMNS : n - first;
    for (int64_t t = 0; t < p->T; t++)
        memset(p->out + t * n + first, 0, (size_t)m * sizeof(double));
    for (int64_t k = 0; k < n; k++)
        for (int64_t t = 0; t < p->T; t++)
            if (p->beta[t * n + k] != 0)
                cblas_daxpy((int)m, p->beta[t * n + k], s->K + k * n + first, 1, p->out + t * n + first, 1);
}

/* product_block by matrix products: copies panels of at most ROWS rows of K, only rows at which some beta is not 0. */
static void panel_block(void *data, int b)
{
    const product *p = data;
    const wellsvm *s = p->s;
    int64_t n = s->n, first = (int64_t)b * COLUMNS, m = first + COLUMNS < n ? COLUMNS : n - first;
    double *panel = p->panels + (int64_t)b * ROWS * (COLUMNS + p->T), *coefficient = panel + ROWS * COLUMNS;
    for (int64_t t = 0; t < p->T; t++)
        memset(p->out + t * n + first, 0, (size_t)m * sizeof(double));
    for (int64_t at = 0; at < p->rows; at += ROWS) {
        int64_t rows = at + ROWS < p->rows ? ROWS : p->rows - at;
        for (int64_t a = 0; a < rows; a++) {
            int64_t k = p->row[at + a];
            memcpy(panel + a * m, s->K + k * n + first, (size_t)m * sizeof(double));
            for (int64_t t = 0; t < p->T; t++)
                coefficient[t * rows + a] = p->beta[t * n + k];
        }
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->T, (int)m, (int)rows, 1, coefficient,
                    (int)rows, panel, (int)m, 1, p->out + first, (int)n);
    }
}

/* out_t = K beta_t for T vectors. */
static wlab_code multiply(const wellsvm *s, const double *beta, int64_t T, double *out, wlab_ctx *ctx,
                          wlab_err *err)
{
    product p = {.s = s, .beta = beta, .T = T, .out = out};
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    int blocks = (int)((s->n + COLUMNS - 1) / COLUMNS);
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (T > 1 && !well_one_to_one(s))
        return well_bags_multiply(s, beta, T, out, ctx, err);
    if (T == 1 && s->n >= HALVED) {
        double *sums = wlab_alloc((size_t)wlab_symmetric_sums(s->n), sizeof *sums);
        if (!sums)
            return wlab_nomem(err);
        wlab_symmetric_mul(s->K, s->n, beta, out, sums, pool);
        wlab_free(sums);
        return WL_OK;
    }
    if (T < MANY || s->n < COLUMNS) {
        wlab_pool_run(pool, blocks, product_block, &p);
        return WL_OK;
    }
    p.row = wlab_alloc((size_t)s->n, sizeof *p.row);
    p.panels = wlab_alloc((size_t)blocks * (size_t)(ROWS * (COLUMNS + T)), sizeof *p.panels);
    wlab_code code = p.row && p.panels ? WL_OK : wlab_nomem(err);
    for (int64_t k = 0; k < s->n && !code; k++) {
        bool any = false;
        for (int64_t t = 0; t < T && !any; t++)
            any = beta[t * s->n + k] != 0;
        if (any)
            p.row[p.rows++] = (int32_t)k;
    }
    if (!code)
        wlab_pool_run(pool, blocks, panel_block, &p);
    wlab_free(p.row);
    wlab_free(p.panels);
    return code;
}

/* out may be beta. */
static wlab_code product_at_size(const wellsvm *s, const double *beta, double *out, wlab_ctx *ctx,
                                 wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    double *w = wlab_calloc((size_t)s->p->X->cols, sizeof *w);
    const wlab_code code = wlab_ranks_agree(well_ranks(s), w ? WL_OK : wlab_nomem(err), err);
    if (!code) {
        const double b2 = s->kernel.bias * s->kernel.bias,
                     sum = b2 > 0 ? wlab_rows_sum(wlab_passes_rows(s->passes), beta, pool) : 0;
        wlab_passes_transpose(s->passes, beta, w, pool);
        wlab_passes_outputs(s->passes, NULL, w, b2 * sum, out, pool);
        for (int64_t k = 0; k < s->n; k++)
            out[k] /= s->lambda;
    }
    wlab_free(w);
    return code;
}

/* thin: K is made of few columns */
static wlab_code product_by_rows(const wellsvm *s, const double *beta, double *out, wlab_ctx *ctx,
                                 wlab_err *err)
{
    const wlab_matrix *X = s->p->X;
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    double *w = wlab_calloc((size_t)X->cols, sizeof *w);
    if (!w)
        return wlab_nomem(err);
    wlab_code code = wlab_matrix_mul_t(X, beta, w, pool, err);
    if (!code) {
        double sum = 0, b2 = s->kernel.bias * s->kernel.bias;
        for (int64_t k = 0; k < s->n; k++)
            sum += beta[k];
        wlab_matrix_mul(X, w, out, pool);
        for (int64_t k = 0; k < s->n; k++)
            out[k] = (out[k] + b2 * sum) / s->lambda;
    }
    wlab_free(w);
    return code;
}

wlab_code well_product(wellsvm *s, const double *beta, double *out, wlab_ctx *ctx, wlab_err *err)
{
    if (s->K && !s->thin)
        return multiply(s, beta, 1, out, ctx, err);
    return s->at_size ? product_at_size(s, beta, out, ctx, err) : product_by_rows(s, beta, out, ctx, err);
}

typedef struct quadratic {
    const wellsvm *s;
    const double *alpha;
    const int8_t *y;
} quadratic;

static void add_quadratic(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const quadratic *q = data;

    (void)block;
    for (int64_t k = begin; k < end; k++)
        sum[0] += q->alpha[k] * q->y[k] * q->s->kb[k];
}

wlab_code well_quadratic(wellsvm *s, const double *alpha, const int8_t *y, double *q, wlab_ctx *ctx,
                         wlab_err *err)
{
    double *beta = s->beta ? s->beta : s->kb;
    well_beta(s, alpha, y, beta);
    wlab_code code = well_product(s, beta, s->kb, ctx, err);
    if (code)
        return code;
    if (s->beta) {
        *q = cblas_ddot((int)s->n, beta, 1, s->kb, 1);
        return WL_OK;
    }
    *q = well_sum(s, add_quadratic, &(quadratic){s, alpha, y}, ctx ? ctx->pool : NULL);
    return WL_OK;
}

wlab_code well_products(wellsvm *s, const double *alpha, const int8_t *y, int64_t T, double *out, double *q,
                        wlab_ctx *ctx, wlab_err *err)
{
    int64_t n = s->n;
    wlab_code code = WL_OK;
    double *beta = wlab_alloc((size_t)(T * n), sizeof *beta);
    if (!beta)
        return wlab_nomem(err);
    for (int64_t t = 0; t < T; t++)
        well_beta(s, alpha, y + t * n, beta + t * n);
    const bool by_rows = !s->K || s->thin;
    if (!by_rows)
        code = multiply(s, beta, T, out, ctx, err);
    for (int64_t t = 0; t < T && !code; t++) {
        if (by_rows)
            code = well_product(s, beta + t * n, out + t * n, ctx, err);
        q[t] = cblas_ddot((int)n, beta + t * n, 1, out + t * n, 1);
    }
    wlab_free(beta);
    return code;
}

wlab_code well_quadratics(wellsvm *s, const double *alpha, const int8_t *y, int64_t T, double *q,
                          wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    if (well_one_to_one(s)) {
        for (int64_t t = 0; t < T && !code; t++)
            code = well_quadratic(s, alpha, y + t * s->n, &q[t], ctx, err);
        return code;
    }
    double *out = wlab_alloc((size_t)(T * s->n), sizeof *out);
    if (!out)
        return wlab_nomem(err);
    code = well_products(s, alpha, y, T, out, q, ctx, err);
    wlab_free(out);
    return code;
}

wlab_code well_round(wellsvm *s, const int8_t *ref, int8_t *y, wlab_ctx *ctx, wlab_err *err)
{
    double *beta = s->beta ? s->beta : s->kb;
    for (int64_t k = 0; k < s->n; k++)
        beta[k] = well_mean_label(s, k) * s->at.alpha[s->p->example[k]];
    wlab_code code = well_product(s, beta, s->kb, ctx, err);
    return code ? code : well_argmax(s, s->kb, ref, y, err);
}

double well_scaled(const wellsvm *s, double J)
{
    return s->loss == WELL_SUM_TO_ONE ? -1 / (4 * J) : J;
}

double well_G(const wellsvm *s, const well_point *at, double q)
{
    if (s->loss == WELL_SUM_TO_ONE)
        return -0.5 * (q + at->D) / (at->S * at->S);
    return at->S - 0.5 * (q + at->D);
}

double well_upper(const wellsvm *s, const well_point *at)
{
    return well_scaled(s, at->primal);
}

typedef struct lengths {
    const wellsvm *s;
    const well_point *at;
} lengths;

static void add_lengths(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const lengths *l = data;

    (void)block;
    for (int64_t k = begin; k < end; k++)
        sum[0] += l->at->alpha[k] * sqrt((double)l->s->sqnorm[k]);
}

double well_rounding(const wellsvm *s, const well_point *at)
{
    double sum = s->at_size ? well_sum(s, add_lengths, &(lengths){s, at}, NULL) : 0;
    for (int64_t k = 0; k < s->n && !s->at_size; k++)
        sum += at->alpha[s->p->example[k]] * sqrt(s->K ? s->K[k * s->n + k] : (double)s->sqnorm[k]);
    double r = 16 * DBL_EPSILON * (sum * sum + at->S);
    return s->loss == WELL_SUM_TO_ONE ? r / (2 * at->S * at->S) : r;
}

static void offer_upper(wellsvm *s, double up)
{
    if (isnan(s->upper_bound) || up < s->upper_bound)
        s->upper_bound = up;
}

void well_offer_labeling(wellsvm *s, double objective)
{
    if (isnan(s->integer_upper) || objective < s->integer_upper)
        s->integer_upper = objective;
    offer_upper(s, objective);
}

/* Computes objective, master_gap, inner_gap, upper_bound and G from the point at mu. */
static void update_values(wellsvm *s)
{
    double sum = 0, least = HUGE_VAL;
    for (int64_t t = 0; t < s->T; t++) {
        s->G[t] = well_G(s, &s->at, s->at.q[t]);
        sum += s->mu[t] * s->G[t];
        least = s->G[t] < least ? s->G[t] : least;
    }
    double up = well_upper(s, &s->at);
    s->objective = sum;
    s->master_gap = sum > least ? sum - least : 0;
    s->inner_gap = up > sum ? up - sum : 0;
    offer_upper(s, up + well_rounding(s, &s->at));
    s->evaluated = true;
}

static wlab_code point_copy(wellsvm *s, well_point *to, const well_point *from)
{
    double *alpha = to->alpha, *q = to->q;
    memcpy(alpha, from->alpha, (size_t)s->m * sizeof *alpha);
    memcpy(q, from->q, (size_t)s->T * sizeof *q);
    *to = *from;
    to->alpha = alpha;
    to->q = q;
    return WL_OK;
}

/* sum_t mu_t G - min_t G in the scale of the box QP. */
static double box_gap(const wellsvm *s, const double *mu, const well_point *at)
{
    double mix = 0, most = -HUGE_VAL;
    for (int64_t t = 0; t < s->T; t++) {
        mix += mu[t] * at->q[t];
        most = at->q[t] > most ? at->q[t] : most;
    }
    return 0.5 * (most - mix);
}

/* Predicts alpha at mu to first order: alpha - sum_t X_t (mu_t - s->mu_t), clipped to [0, upper]. */
static void predict(const wellsvm *s, const double *X, const double *mu, double *alpha)
{
    for (int64_t t = 0; t < s->T; t++)
        if (mu[t] != s->mu[t])
            cblas_daxpy((int)s->m, s->mu[t] - mu[t], X + t * s->m, 1, alpha, 1);
    for (int64_t i = 0; i < s->m; i++)
        alpha[i] = !(alpha[i] > 0) ? 0 : alpha[i] > s->upper[i] ? s->upper[i] : alpha[i];
}

/* Armijo line search from mu to target; *moved: whether some step decreased J, or the gap of the master, enough. */
static wlab_code line_search(wellsvm *s, const double *target, const double *X, double tol, bool *moved,
                             wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = WL_OK;
    well_point trial = {0};
    double slope = 0, *mu = wlab_alloc((size_t)s->T, sizeof *mu);
    trial.alpha = wlab_alloc((size_t)s->m, sizeof(double));
    trial.q = wlab_alloc((size_t)s->T, sizeof(double));
    *moved = false;
    if (!mu || !trial.alpha || !trial.q) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t t = 0; t < s->T; t++)
        slope += -0.5 * s->at.q[t] * (target[t] - s->mu[t]);
    if (!(slope < 0))
        goto out;
    double gap = box_gap(s, s->mu, &s->at);
    for (double step = 1; step > 1e-3; step *= 0.5) {
        for (int64_t t = 0; t < s->T; t++) {
            mu[t] = s->mu[t] + step * (target[t] - s->mu[t]);
            if (mu[t] < 1e-15)
                mu[t] = 0;
        }
        well_normalise(mu, s->T);
        point_copy(s, &trial, &s->at);
        predict(s, X, mu, trial.alpha);
        if ((code = well_solve(s, s->y, s->T, mu, tol, &trial, ctx, err)))
            goto out;
        /* near the optimum rounding errors hide a decrease of J; then the certified gap decides */
        if (trial.dual <= s->at.dual + 1e-4 * step * slope || box_gap(s, mu, &trial) < 0.5 * gap) {
            memcpy(s->mu, mu, (size_t)s->T * sizeof *mu);
            point_copy(s, &s->at, &trial);
            *moved = true;
            break;
        }
        if (-slope < 1e-10 * fabs(s->at.dual))
            break;
    }
out:
    wlab_free(mu);
    wlab_free(trial.alpha);
    wlab_free(trial.q);
    return code;
}

static wlab_code newton_update(wellsvm *s, double tol, bool *moved, wlab_ctx *ctx, wlab_err *err)
{
    int64_t T = s->T;
    double *H = wlab_alloc((size_t)(T * T), sizeof *H), *target = wlab_alloc((size_t)T, sizeof *target);
    double *c = wlab_alloc((size_t)T, sizeof *c), *X = wlab_alloc((size_t)(T * s->m), sizeof *X);
    wlab_code code = WL_OK;
    if (!H || !target || !c || !X) {
        code = wlab_nomem(err);
        goto out;
    }
    /* min over mu' in the simplex of g'(mu' - mu) + 1/2 (mu' - mu)'H(mu' - mu), g = -q/2 */
    if ((code = well_hessian(s, X, H, ctx, err)))
        goto out;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)T, (int)T, -1, H, (int)T, s->mu, 1, 0, c, 1);
    for (int64_t t = 0; t < T; t++)
        c[t] -= 0.5 * s->at.q[t];
    memcpy(target, s->mu, (size_t)T * sizeof *target);
    if ((code = wlab_simplexqp_solve(H, c, T, target, err)))
        goto out;
    code = line_search(s, target, X, tol, moved, ctx, err);
out:
    wlab_free(H);
    wlab_free(target);
    wlab_free(c);
    wlab_free(X);
    return code;
}

static wlab_code mklgl_update(wellsvm *s, double tol, wlab_ctx *ctx, wlab_err *err)
{
    double sum = 0;
    for (int64_t t = 0; t < s->T; t++)
        sum += s->mu[t] * sqrt(s->at.q[t] > 0 ? s->at.q[t] : 0);
    if (!(sum > 0))
        return WL_OK; /* all w_t vanish: any mu is optimal */
    for (int64_t t = 0; t < s->T; t++)
        s->mu[t] *= sqrt(s->at.q[t] > 0 ? s->at.q[t] : 0) / sum;
    well_normalise(s->mu, s->T);
    return well_solve(s, NULL, s->T, s->mu, tol, &s->at, ctx, err);
}

wlab_code well_master_update(wellsvm *s, double tol, bool *done, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code;
    double svm_tol = !s->K ? 0.1 * tol
                     : well_large(s) || !well_one_to_one(s)
                         ? 1e-3 * tol
                         : 1e-12; /* the SVM solver's Newton steps make the last digits cheap */
    *done = false;
    if (!s->K && s->master == WELL_NEWTON) {
        code = well_linear_master(s, tol, done, ctx, err);
        if (!code)
            update_values(s);
        *done = true;
        return code;
    }
    if (!s->evaluated) {
        if ((code = well_solve(s, NULL, s->T, s->mu, svm_tol, &s->at, ctx, err)))
            return code;
        update_values(s);
        *done = s->master_gap + s->inner_gap <= tol * fabs(s->objective);
        return WL_OK;
    }
    double gap = s->master_gap;
    bool moved = true;
    if (s->master == WELL_NEWTON)
        code = newton_update(s, svm_tol, &moved, ctx, err);
    else
        code = mklgl_update(s, svm_tol, ctx, err);
    if (code)
        return code;
    int64_t patience = well_large(s) ? MAX_STUCK_LARGE : MAX_STUCK;
    s->updates++;
    update_values(s);
    s->stuck = !moved || s->master_gap > 0.99 * gap ? s->stuck + 1 : 0;
    *done = s->master_gap + s->inner_gap <= tol * fabs(s->objective);
    if (!*done && s->master == WELL_NEWTON && (s->stuck >= patience || s->updates >= MAX_UPDATES)) {
        if ((code = well_interior_solve(s, tol, ctx, err)))
            return code;
        s->updates++;
        if (!s->evaluated) {
            if ((code = well_assess(s, s->y, s->T, s->mu, &s->at, ctx, err)))
                return code;
            update_values(s);
        }
        *done = true;
    }
    if (s->updates >= MAX_UPDATES)
        *done = true;
    return WL_OK;
}
