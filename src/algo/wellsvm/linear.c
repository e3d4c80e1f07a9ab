/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM for the linear kernel at size: dual coordinate ascent on all weight vectors at once.
 *
 * A round is one pass over the data, which computes all outputs and from them the primal value and the certified gap,
 * and then some sweeps over the active rows.  Left out are the rows at a bound (alpha_i = 0 or its upper bound) at
 * which the gradient clearly keeps them.  Most rows are left out.
 *
 * The master is a saddle point of alpha and mu.  J(mu) = max over alpha has kinks where the SVM at mu has many
 * solutions, and only one of these solutions makes the q_t of all labelings with mu_t > 0 equal.  So mu is not fixed
 * while alpha is optimised: it adapts to every change of an alpha,
 *     mu = argmax over the simplex of 1/2 mu'q - prox/2 ||mu - center||^2,   q_t = ||v_t||^2.
 * With the term of prox, alpha and mu together are a smooth problem.  After each round center is set to mu (the
 * proximal point method on mu).
 */
#include "algo/wellsvm/shipment.h"
#include "algo/wellsvm/vectors.h"
#include "algo/wellsvm/wellsvm.h"
#include "solve/svm/boxqp.h"

#include <string.h>

enum {
    MAX_ROUNDS = 2000,
    SWEEPS = 4, /* sweeps in a round, at most */
    TURNS = 64, /* of a sweep: each part has a share of every turn */
    BLOCK = 16, /* adjacent rows that a sweep visits together */
    HALVINGS = 40,
};

static const double FIRST_BAND = 0.3;
static const double PROX = 0.05, LEAST_PROX = 1e-10; /* relative to the largest q */

typedef struct solver {
    wellsvm *s;
    wlab_ctx *ctx;
    well_vectors *w;
    double *mu, *q;             /* [T] of the labelings in w */
    uint32_t *sign;             /* packed signs of labelings other than the working set; else NULL */
    double *alpha;              /* [n] */
    double *o;                  /* [n] outputs of the last pass, stored in s->kb */
    double *dot, *by;           /* [width] */
    int32_t *active;            /* of each part of this rank, from its first row on */
    int64_t n_active[WL_PARTS]; /* of each part of this rank */
    int32_t *order;             /* order of the blocks of a part's active rows */
    const wlab_rows *rows;
    int64_t sweeps; /* so far; with `seed` it seeds their order */
    uint64_t seed;
    well_shipment *shipment;            /* on several ranks: rows that rank 0 sweeps for others */
    double S, D, dual, primal, inverse; /* inverse: 1 / lambda */
    int64_t positive;                   /* alphas above 0 */
    double prox, *center;               /* center [T]; prox = 0: mu is fixed during a sweep */
    bool moved;                         /* some alpha changed in this round */
    double *q_before;                   /* [width] */
} solver;

static double most_of(const double *q, int64_t T)
{
    double most = -HUGE_VAL;
    for (int64_t t = 0; t < T; t++)
        most = q[t] > most ? q[t] : most;
    return most;
}

/* sum_t mu_t G - min_t G. */
static double mixing_gap(const solver *v)
{
    double mix = 0;
    for (int64_t t = 0; t < v->w->T; t++)
        mix += v->mu[t] * v->q[t];
    double gap = 0.5 * (most_of(v->q, v->w->T) - mix);
    return gap > 0 ? gap : 0;
}

/* Sums over the rows: losses, alpha, delta alpha^2, and how many alpha are above 0. */
static void add_values(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const solver *v = data;
    const wellsvm *s = v->s;

    (void)block;
    for (int64_t i = begin; i < end; i++) {
        const double cap = well_cap(s, i);
        if (cap == 0)
            continue;
        double slack = 1 - v->o[i];
        slack = slack < 0 ? 0 : slack; /* keeps a NaN */
        sum[0] += s->delta ? 0.5 * slack * slack / s->delta[i] : cap * slack;
        sum[1] += v->alpha[i];
        sum[2] += s->delta ? s->delta[i] * v->alpha[i] * v->alpha[i] : 0;
        sum[3] += v->alpha[i] > 0;
    }
}

/* Computes all outputs and the primal and dual value at alpha; recomputes S, D and q without accumulated rounding. */
static wlab_code evaluate(solver *v, wlab_err *err)
{
    const wellsvm *s = v->s;
    double norm = 0, sum[WL_ROW_SUMS];
    for (int64_t t = 0; t < v->w->T; t++)
        v->by[t] = v->mu[t] / s->lambda;
    wlab_code code = v->rows->ranks && v->rows->ranks->broken ? wlab_ranks_say_lost(v->rows->ranks, err)
                                                              : well_vectors_outputs(v->w, v->by, v->o, err);
    if (code)
        return code;
    well_vectors_norms(v->w, v->q);
    for (int64_t t = 0; t < v->w->T; t++) {
        v->q[t] /= s->lambda;
        norm += v->mu[t] * v->q[t];
    }
    wlab_rows_run(v->rows, add_values, v, sum, v->w->pool);
    v->S = sum[1];
    v->D = sum[2];
    v->positive = (int64_t)sum[3];
    v->dual = v->S - 0.5 * norm - 0.5 * v->D;
    v->primal = 0.5 * norm + sum[0];
    if (!isfinite(v->dual) || !isfinite(v->primal))
        return wlab_fail(err, WL_ENUMERIC, "%s", wlab_svm_not_finite);
    return WL_OK;
}

/* Selects the rows that are free, that violate their optimality condition, or whose gradient is within `band` of
 * violating it. */
static void select_active_rows(solver *v, double band)
{
    const wellsvm *s = v->s;
    for (int p = 0; p < v->rows->parts; p++) {
        int64_t to = v->rows->begin[p];
        for (int64_t i = to; i < v->rows->begin[p + 1]; i++) {
            double a = v->alpha[i], g = 1 - v->o[i] - (s->delta ? s->delta[i] * a : 0);
            const double cap = well_cap(s, i);
            if (cap == 0 || (a == 0 && g < -band) || (a == cap && g > band))
                continue;
            v->active[to++] = (int32_t)i;
        }
        v->n_active[p] = to - v->rows->begin[p];
    }
}

/* mu = the point of the simplex nearest to center + q / (2 prox).  The largest q is subtracted from all q, which does
 * not change mu: with a small prox, q / (2 prox) alone would be so large that rounding loses center. */
static void update_mu(solver *v)
{
    const int64_t T = v->w->T;
    const double most = most_of(v->q, T);
    double level = 0, sum = 0, last;
    int64_t in = T;
    for (int64_t t = 0; t < T; t++) {
        v->by[t] = v->center[t] + (v->q[t] - most) / (2 * v->prox);
        sum += v->by[t];
    }
    level = (sum - 1) / (double)T;
    do { /* drop the entries below the level, which raises the level */
        last = level;
        sum = 0;
        in = 0;
        for (int64_t t = 0; t < T; t++)
            if (v->by[t] > last) {
                sum += v->by[t];
                in++;
            }
        level = (sum - 1) / (double)in;
    } while (level > last);
    for (int64_t t = 0; t < T; t++)
        v->mu[t] = v->by[t] > level ? v->by[t] - level : 0;
}

/* 1/2 mu'q - prox/2 ||mu - center||^2, the maximum that update_mu() found. */
static double proximal_value(const solver *v)
{
    double sum = 0, away = 0;
    for (int64_t t = 0; t < v->w->T; t++) {
        const double d = v->mu[t] - v->center[t];
        sum += v->mu[t] * v->q[t];
        away += d * d;
    }
    return 0.5 * (sum - v->prox * away);
}

/* The term that the adaptation of mu adds to the curvature along alpha_i: the sum over the labelings with mu > 0 of
 * (z_t - their mean)^2 / prox, z_t = dot_t / lambda. */
static double stiffness(const solver *v)
{
    double sum = 0, squares = 0;
    int64_t in = 0;
    for (int64_t t = 0; t < v->w->T; t++)
        if (v->mu[t] > 0) {
            const double z = v->dot[t] * v->inverse;
            sum += z;
            squares += z * z;
            in++;
        }
    const double spread = squares - sum * sum / (double)in;
    return spread > 0 ? spread / v->prox : 0;
}

/* The rows that are swept: this rank's, or some that another has sent. */
typedef struct swept {
    well_vectors *w;
    double *alpha;
    const float *sqnorm;
    const double *delta; /* NULL: hinge loss */
    const double *cap;   /* NULL: well_cap */
} swept;

/* Makes the step of one row.  A row at a bound whose gradient is beyond the band is marked in *row instead: it is
 * left out until the next pass.  Adds the row's part of the inner gap before the step to *gap. */
static void update_row(solver *v, const swept *r, int32_t *row, double band, double *gap)
{
    wellsvm *s = v->s;
    well_vectors *w = r->w;
    const int64_t i = *row, T = w->T;
    const uint32_t *sign = well_signs(w, i);
    const double de = r->delta ? r->delta[i] : 0, norm = r->sqnorm[i], a = r->alpha[i],
                 up = r->cap ? r->cap[i] : well_cap(s, i);
    double o = 0;
    well_vectors_dots(w, i, v->dot);
    for (int64_t t = 0; t < T; t++) {
        v->dot[t] *= well_sign(sign, t);
        o += v->mu[t] * v->dot[t];
    }
    o *= v->inverse;
    const double g = 1 - o - de * a;
    if ((a == 0 && g < 0) || (a == up && g > 0)) {
        if (fabs(g) > band)
            *row = ~*row;
        if (!s->delta || a == 0)
            return;
    }
    if (s->delta) {
        const double slack = o < 1 ? 1 - o : 0, off = slack / de - a;
        *gap += 0.5 * de * off * off + (o > 1 ? a * (o - 1) : 0);
    } else {
        *gap += g > 0 ? (up - a) * g : -a * g;
    }
    const double h = norm + de + (v->prox > 0 ? stiffness(v) : 0);
    double to = h > 0 ? a + g / h : g > 0 ? up : a;
    to = to < 0 ? 0 : to > up ? up : to;
    if (to == a)
        return;
    double by = to - a;
    const double before = v->prox > 0 ? proximal_value(v) : 0;
    memcpy(v->q_before, v->q, (size_t)T * sizeof *v->q);
    for (int halvings = 0;; halvings++) {
        for (int64_t t = 0; t < T; t++)
            v->q[t] = v->q_before[t] + by * (2 * v->dot[t] * v->inverse + by * norm);
        if (!(v->prox > 0))
            break;
        update_mu(v);
        /* The curvature is that of the labelings with mu > 0; if others enter, the step may be too long. */
        const double gain = by - 0.5 * de * by * (2 * a + by) - (proximal_value(v) - before);
        if (gain >= -1e-12 * fabs(before) || halvings == HALVINGS)
            break;
        by *= 0.5;
    }
    to = a + by;
    v->moved = true;
    r->alpha[i] = to;
    v->S += by;
    v->D += de * (to * to - a * a);
    for (int64_t t = 0; t < T; t++)
        v->by[t] = by * well_sign(sign, t);
    well_vectors_add(w, i, v->by);
}

/* The place in v->order of the blocks of part p. */
static int32_t *order_of(const solver *v, int p)
{
    return v->order + v->rows->begin[p] / BLOCK + p;
}

/* Puts the active rows of part p into the order of this sweep: blocks in random order, and so the rows in each; neighbours in
 * memory stay in one block for the sake of the cache.  The order depends on the part and the sweep alone. */
static void shuffle_part(solver *v, int p)
{
    wlab_rng rng;

    wlab_rng_seed(&rng, v->seed + 1000003 * (uint64_t)v->sweeps + 7919 * (uint64_t)(v->rows->first + p));
    (void)wlab_rng_shuffle_blocks(&rng, v->active + v->rows->begin[p], v->n_active[p], BLOCK, order_of(v, p));
}

/* The turn-th share of part p's blocks: block b, in the order of the sweep, has the active rows *first .. *end - 1. */
static void blocks_of_turn(const solver *v, int p, int turn, int64_t *begin, int64_t *end)
{
    const int64_t blocks = (v->n_active[p] + BLOCK - 1) / BLOCK;

    *begin = wlab_block_begin(blocks, TURNS, turn);
    *end = wlab_block_begin(blocks, TURNS, turn + 1);
}

static int64_t rows_of_block(const solver *v, int p, int64_t b, int32_t **active)
{
    const int64_t first = (int64_t)order_of(v, p)[b] * BLOCK, left = v->n_active[p] - first;

    *active = v->active + v->rows->begin[p] + first;
    return left < BLOCK ? left : BLOCK;
}

static void sweep_own(solver *v, int turn, double band, double *gap)
{
    const swept own = {v->w, v->alpha, v->s->sqnorm, v->s->delta, NULL};

    for (int p = 0; p < v->rows->parts; p++) {
        int64_t b, end;
        int32_t *active;
        for (blocks_of_turn(v, p, turn, &b, &end); b < end; b++) {
            const int64_t n = rows_of_block(v, p, b, &active);
            for (int64_t k = 0; k < n; k++)
                well_vectors_fetch(v->w, active[k]);
            for (int64_t k = 0; k < n; k++)
                update_row(v, &own, &active[k], band, gap);
        }
    }
}

/* Sends the rows of the shipment to rank 0, and takes their new alphas back. */
static void exchange(solver *v, bool last)
{
    const wellsvm *s = v->s;
    well_shipment *h = v->shipment;

    well_shipment_fill(h, v->w);
    for (int64_t k = 0; k < h->X.rows; k++) {
        const int32_t i = *h->where[k];
        h->alpha[k] = v->alpha[i];
        h->sqnorm[k] = s->sqnorm[i];
        h->delta[k] = s->delta ? s->delta[i] : 0;
        h->cap[k] = well_cap(s, i);
    }
    well_shipment_exchange(h, v->rows->ranks, v->alpha, last);
}

/* Sends the rows of a turn, in pieces that fit into the shipment. */
static void send_turn(solver *v, int turn)
{
    well_shipment *h = v->shipment;
    int32_t *active;

    for (int p = 0; p < v->rows->parts; p++) {
        int64_t b, end;
        for (blocks_of_turn(v, p, turn, &b, &end); b < end; b++) {
            const int64_t n = rows_of_block(v, p, b, &active);
            for (int64_t k = 0; k < n; k++) {
                if (!well_shipment_fits(h, v->w, active[k]))
                    exchange(v, false);
                well_shipment_add(h, v->w, &active[k]);
            }
        }
    }
    exchange(v, true);
}

/* Rank 0: sweeps over the rows that rank r sends in this turn. */
static void sweep_sent(solver *v, int r, double band, double *gap)
{
    well_shipment *h = v->shipment;
    well_vectors w = *v->w;
    bool last = false;

    w.X = &h->X;
    while (!last && !v->rows->ranks->broken) {
        well_shipment_receive(h, v->rows->ranks, r, &last);
        const swept sent = {&w, h->alpha, h->sqnorm, v->s->delta ? h->delta : NULL, h->cap};
        w.sign = h->sign;
        for (int64_t k = 0; k < h->X.rows; k++) {
            int32_t row = (int32_t)k;
            update_row(v, &sent, &row, band, gap);
            h->left_out[k] = row < 0;
        }
        well_shipment_return(h, v->rows->ranks, r);
    }
}

/* Every rank gets the vectors that rank 0's steps have changed. */
static void share_vectors(solver *v)
{
    wlab_ranks *ranks = v->rows->ranks;
    const size_t width = (size_t)v->w->width;

    wlab_ranks_broadcast(ranks, v->w->v, (size_t)v->w->X->cols * width * sizeof *v->w->v);
    wlab_ranks_broadcast(ranks, v->w->vb, width * sizeof *v->w->vb);
}

/* The same for the numbers, by which all ranks decide how to go on. */
static void share_numbers(solver *v, double *gap)
{
    wlab_ranks *ranks = v->rows->ranks;
    const size_t T = (size_t)v->w->T;
    double number[] = {v->S, v->D, *gap, v->moved};

    wlab_ranks_broadcast(ranks, v->q, T * sizeof *v->q);
    wlab_ranks_broadcast(ranks, v->mu, T * sizeof *v->mu);
    wlab_ranks_broadcast(ranks, number, sizeof number);
    v->S = number[0];
    v->D = number[1];
    *gap = number[2];
    v->moved = number[3] != 0;
}

/* One sweep over the active rows; returns an estimate of their inner gap: the sum of the rows' parts, each before its
 * step.  A step needs the vectors that the one before it has left, so rank 0 makes them all, and the others send their
 * rows.  Every turn has rows of every part, since mu, which follows each step, would lean to the part that was swept
 * last: with the parts one after the other a master of 36000 rows took a hundred times as many sweeps. */
static double sweep(solver *v, double band)
{
    wlab_ranks *ranks = v->rows->ranks;
    const int size = wlab_ranks_size(ranks), all = v->rows->all_parts;
    double gap = 0;

    for (int p = 0; p < v->rows->parts; p++)
        shuffle_part(v, p);
    v->sweeps++;
    for (int turn = 0; turn < TURNS; turn++)
        for (int r = 0; r < size; r++) {
            if (wlab_rows_first(all, size, r) == wlab_rows_first(all, size, r + 1))
                continue; /* no part */
            if (size == 1 || ranks->rank == r)
                r ? send_turn(v, turn) : sweep_own(v, turn, band, &gap);
            else if (ranks->rank == 0)
                sweep_sent(v, r, band, &gap);
        }
    if (size > 1)
        share_numbers(v, &gap);
    for (int p = 0; p < v->rows->parts; p++) {
        int32_t *active = v->active + v->rows->begin[p];
        const int64_t n = v->n_active[p];
        v->n_active[p] = 0;
        for (int64_t k = 0; k < n; k++)
            if (active[k] >= 0)
                active[v->n_active[p]++] = active[k];
    }
    wlab_progress_add(v->s->progress, 1);
    return gap;
}

static void solver_free(solver *v)
{
    well_vectors_destroy(v->w);
    wlab_free(v->mu);
    wlab_free(v->q);
    wlab_free(v->sign);
    wlab_free(v->dot);
    wlab_free(v->by);
    wlab_free(v->active);
    wlab_free(v->order);
    wlab_free(v->center);
    wlab_free(v->q_before);
    well_shipment_destroy(v->shipment);
}

/* Sets up *v with v_t computed from alpha, for labelings y [T x n] (NULL: the working set). */
static wlab_code solver_make(solver *v, wellsvm *s, const int8_t *y, int64_t T, const double *mu,
                             double *alpha, wlab_ctx *ctx, wlab_err *err)
{
    const size_t n = (size_t)s->n;
    const int64_t words = y ? (T + 31) / 32 : s->words;
    *v = (solver){.s = s, .ctx = ctx, .alpha = alpha, .o = s->kb, .inverse = 1 / s->lambda};
    v->rows = wlab_passes_rows(s->passes);
    wlab_code code =
        y && !(v->sign = wlab_calloc(n * (size_t)words, sizeof *v->sign)) ? wlab_nomem(err) : WL_OK;
    if ((code = wlab_ranks_agree(v->rows->ranks, code, err)))
        return code;
    for (int64_t t = 0; t < T && y; t++)
        for (int64_t i = 0; i < s->n; i++)
            v->sign[i * words + (t >> 5)] |= (uint32_t)(y[t * s->n + i] < 0) << (t & 31);
    code = well_vectors_create(&v->w, s->p->X, s->passes, s->kernel.bias, y ? v->sign : s->sign, words, T,
                               ctx ? ctx->pool : NULL, err);
    if (code)
        return code;
    const size_t width = (size_t)v->w->width;
    v->mu = wlab_calloc(width, sizeof *v->mu);
    v->q = wlab_calloc(width, sizeof *v->q);
    v->dot = wlab_calloc(width, sizeof *v->dot);
    v->by = wlab_calloc(width, sizeof *v->by);
    v->center = wlab_calloc(width, sizeof *v->center);
    v->q_before = wlab_calloc(width, sizeof *v->q_before);
    v->active = wlab_alloc(n, sizeof *v->active);
    v->order = wlab_alloc(n / BLOCK + (size_t)v->rows->parts + 1, sizeof *v->order);
    if (wlab_ranks_size(v->rows->ranks) > 1)
        v->shipment = well_shipment_create(v->w);
    if (!v->center || !v->q_before || !v->order || !v->mu || !v->q || !v->dot || !v->by || !v->active ||
        (!v->shipment && wlab_ranks_size(v->rows->ranks) > 1))
        code = wlab_nomem(err);
    if ((code = wlab_ranks_agree(v->rows->ranks, code, err)))
        return code;
    memcpy(v->mu, mu, (size_t)T * sizeof *mu);
    for (int64_t i = 0; i < s->n; i++) {
        const double a = alpha[i], cap = well_cap(s, i);
        alpha[i] = !(a > 0) ? 0 : a > cap ? cap : a;
        if (cap == 0)
            well_vectors_leave_out(v->w, i);
    }
    well_vectors_rebuild(v->w, alpha);
    /* the result depends on the order of the sweeps, so each solve has an order of its own */
    v->seed = (uint64_t)(s->step * 1000003 + s->svms) << 32;
    return WL_OK;
}

static void copy_result(const solver *v, well_point *at)
{
    if (at == &v->s->at)
        v->s->active = v->positive;

    memcpy(at->q, v->q, (size_t)v->w->T * sizeof *at->q);
    at->dual = v->dual;
    at->primal = v->primal;
    at->S = v->S;
    at->D = v->D;
}

/* The band of the next round: twice as wide if the gap that the pass found is much larger than the sweeps' estimate,
 * else half as wide. */
static double next_band(double band, double estimate, double found)
{
    return found > 3 * estimate ? 2 * band : band > 0.04 ? 0.5 * band : band;
}

wlab_code well_linear_solve(wellsvm *s, const int8_t *y, int64_t T, const double *mu, double tol,
                            well_point *at, wlab_ctx *ctx, wlab_err *err)
{
    solver v = {0};
    wlab_code code;
    if ((code = solver_make(&v, s, y, T, mu, at->alpha, ctx, err)))
        goto out;
    double band = FIRST_BAND, estimate = HUGE_VAL;
    for (int64_t round = 0; round < MAX_ROUNDS; round++) {
        if ((code = evaluate(&v, err)))
            goto out;
        const double allowed = tol * fabs(v.dual);
        if (v.primal - v.dual <= allowed)
            break;
        if (wlab_ranks_any(v.rows->ranks, wlab_interrupted(ctx))) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        band = round > 0 ? next_band(band, estimate, v.primal - v.dual) : band;
        select_active_rows(&v, band);
        for (int k = 0; k < SWEEPS && (k == 0 || estimate > 0.5 * allowed); k++)
            estimate = sweep(&v, band);
        share_vectors(&v);
    }
    copy_result(&v, at);
out:
    solver_free(&v);
    return code;
}

/* Prepares the next round of the proximal point method: centers it at mu, and halves prox if the last round gained
 * little. */
static void update_prox(solver *v, double inner, double mixing, double *last_mixing)
{
    if (!(v->prox > 0))
        v->prox = PROX * most_of(v->q, v->w->T);
    else if (inner < mixing && mixing > 0.5 * *last_mixing && v->prox > LEAST_PROX * most_of(v->q, v->w->T))
        v->prox *= 0.5;
    *last_mixing = mixing;
    memcpy(v->center, v->mu, (size_t)v->w->T * sizeof *v->mu);
    v->s->updates++;
}

wlab_code well_linear_master(wellsvm *s, double tol, bool *done, wlab_ctx *ctx, wlab_err *err)
{
    solver v;
    double band = FIRST_BAND, estimate = HUGE_VAL, last_mixing = HUGE_VAL;
    *done = false;
    wlab_code code = solver_make(&v, s, NULL, s->T, s->mu, s->at.alpha, ctx, err);
    if (code)
        goto out;
    for (int64_t round = 0; round < MAX_ROUNDS; round++) {
        s->svms++;
        if ((code = evaluate(&v, err)))
            goto out;
        double inner = v.primal - v.dual, mixing = mixing_gap(&v);
        const double allowed = tol * fabs(v.dual);
        *done = inner + mixing <= allowed;
        if (*done)
            break;
        if (wlab_ranks_any(v.rows->ranks, wlab_interrupted(ctx))) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            goto out;
        }
        if (s->T > 1)
            update_prox(&v, inner, mixing, &last_mixing);
        band = round > 0 ? next_band(band, estimate, inner) : band;
        select_active_rows(&v, band);
        v.moved = false;
        for (int k = 0; k < SWEEPS && (k == 0 || inner + mixing > 0.5 * allowed); k++) {
            inner = estimate = sweep(&v, band);
            mixing = mixing_gap(&v);
        }
        share_vectors(&v);
        if (!v.moved && s->T > 1) /* every row remained at its bound, so no row updated mu */
            update_mu(&v);
    }
    memcpy(s->mu, v.mu, (size_t)s->T * sizeof *s->mu);
    copy_result(&v, &s->at);
out:
    solver_free(&v);
    return code;
}
