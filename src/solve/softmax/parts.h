/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State of EM on the soft-max problem, shared by its parts: the problem and its objective (softmax.c), products
 * (products.c), the M-step (newton.c, direction.c; with hard constraints hard.c), the E-step (labels.c, prices.c).
 */
#ifndef ALGO_SOFTMAX_PARTS_H
#define ALGO_SOFTMAX_PARTS_H

#include "solve/softmax/softmax.h"

#include <math.h>
#include <stdbool.h>

enum {
    EM_ROWS = 512 /* least rows in a piece of work */
};

struct wlab_em {
    wlab_em_problem q;
    int blocks; /* pieces of work over rows; depends on n only, so results are the same for any threads */
    int32_t *by_bag;    /* [n] rows sorted by bag; only for entropy by bags */
    int64_t *bag_first; /* [bags + 1] */
    /* ---- snapshot ---- */
    double *W, *b, *z;
    wlab_em_value value;
    double m_gap, e_gap;
    int64_t newtons;
    /* ---- computed from the snapshot ---- */
    double *s; /* [n x P] W x_n, without b */
};

static inline uint64_t em_allowed(const wlab_em *e, int64_t i)
{
    return e->q.allowed ? e->q.allowed[i] : e->q.P >= 64 ? UINT64_MAX : (UINT64_C(1) << e->q.P) - 1;
}

/* log sum_k exp(s_k + b_k). */
static inline double em_log_sum(const double *s, const double *b, int P)
{
    double top = s[0] + b[0], sum = 0;
    for (int k = 1; k < P; k++)
        top = fmax(top, s[k] + b[k]);
    for (int k = 0; k < P; k++)
        sum += exp(s[k] + b[k] - top);
    return top + log(sum);
}

static inline double em_xlogx(double v)
{
    return v > 0 ? v * log(v) : 0;
}

/* ---- softmax.c ---- */
/* v_k = sum_n pi_n z_nk. */
void em_proportions(const wlab_em *, const double *z, double *v);
wlab_em_value em_value(const wlab_em *, const double *W, const double *b, const double *s, const double *z);
/* Without intercept: b = log of the class proportions of z. */
void em_fix_offsets(const wlab_em *, const double *z, double *b);

/* ---- products.c: after an interrupt they are not finished, so look before the result decides anything ---- */
/* S = Phi W', [n x Q], for W [Q x d]. */
void em_outputs(const wlab_em *, const double *W, int Q, double *S, wlab_ctx *);
/* G = R'Phi, [Q x d], for R [n x Q]. */
void em_transpose(const wlab_em *, const double *R, int Q, double *G, wlab_ctx *);
/* The lower triangle of sum_n w_n (x_n, 1)(x_n, 1)' in H, [d + 1 x d + 1] with row stride `wide`; without `constant`
 * sum_n w_n x_n x_n', [d x d].  The upper triangle is overwritten too.  scratch [em_gram_scratch()]. */
void em_gram(const wlab_em *, const double *w, bool constant, double *H, int64_t wide, double *scratch,
             wlab_ctx *);
size_t em_gram_scratch(const wlab_em *);

/* ---- newton.c, hard.c ---- */
/* The result of an M-step; on entry W, b and s hold its start. */
typedef struct em_fit {
    double *W, *b, *s; /* [P x d], [P], [n x P] */
    double gap;
    int64_t newtons;
} em_fit;
wlab_code em_newton(const wlab_em *, double tol, em_fit *, wlab_ctx *, wlab_err *);
wlab_code em_hard(const wlab_em *, double tol, em_fit *, wlab_ctx *, wlab_err *);

/* ---- labels.c, prices.c ---- */
typedef struct em_candidate {
    double by; /* c_nk - c_nj */
    int32_t row;
} em_candidate;
typedef struct em_pair {
    double by; /* by how much two classes violate the optimality conditions */
    int j, k;
} em_pair;
/* An E-step on the rows of one entropy. */
typedef struct em_labels {
    const wlab_em *e;
    double *z;            /* [n x P] for all rows of the problem */
    em_candidate *sorted; /* [n] */
    em_pair *pairs;       /* [P P] */
    const int32_t *rows;  /* [n] the rows of this entropy; NULL: all */
    int64_t n;            /* their number */
    double v[64], a[64];  /* masses, prices */
} em_labels;

static inline int64_t em_row(const em_labels *l, int64_t t)
{
    return l->rows ? l->rows[t] : t;
}
/* c_nk, up to a constant of the row. */
static inline double em_cost(const em_labels *l, int64_t i, int k)
{
    return -(l->e->s[i * l->e->q.P + k] + l->e->b[k]);
}
/* Finds prices by Newton's method on the smoothed dual, and z from these. */
void em_smooth(em_labels *, double tol);

#endif
