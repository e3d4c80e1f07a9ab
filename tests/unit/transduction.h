/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests of tsvm, mfa and mfn: runs step by step, and for tsvm and mfa the values after each step, computed from
 * the model alone.  Tests of other algorithms use the comparisons of runs.
 */
#ifndef TESTS_TRANSDUCTION_H
#define TESTS_TRANSDUCTION_H

#include "posed.h"

#include "algo/svmlin/transductive.h"

/* The values after a step, computed from the model's outputs. */
typedef struct observation {
    int64_t n, positives; /* rows; unlabelled ones with a positive label */
    double *o;            /* [n] */
    int8_t *y;            /* [n] as observed */
    double norm, labelled, unlabelled, J, balanced;
} observation;

/* The pairs that wlab_tr_pairs finds, those of pair k in pair[2k] and pair[2k + 1]; returns how many.  All rows are
 * here. */
static inline int64_t pairs_of(transductive *t, const int8_t *y, int64_t S, int32_t *pair, wlab_pool *pool)
{
    tr_switch next = {.row = malloc(((size_t)t->u + 1) * sizeof(int32_t))};

    assert_non_null(next.row);
    wlab_tr_pairs(t, y, S, &next, pool);
    assert_true(next.up == next.pairs && next.down == next.pairs);
    for (int64_t k = 0; k < next.pairs; k++) {
        pair[2 * k] = next.row[k];
        pair[2 * k + 1] = next.row[next.pairs + k];
        if (k < WL_FIRST_PAIRS)
            assert_true(t->first_pair[k].up.row == pair[2 * k] &&
                        t->first_pair[k].down.row == pair[2 * k + 1] &&
                        t->first_pair[k].up.f == t->m->o[pair[2 * k]] &&
                        t->first_pair[k].down.f == t->m->o[pair[2 * k + 1]]);
    }
    free(next.row);
    return next.pairs;
}

static inline double half_square(double margin)
{
    const double slack = margin < 1 ? 1 - margin : 0;
    return 0.5 * slack * slack;
}

static inline int falling(const void *a, const void *b)
{
    const wlab_ranked *x = a, *y = b;
    return x->f != y->f ? (x->f < y->f) - (x->f > y->f) : (x->row < y->row) - (x->row > y->row);
}

/* most: the requested number of positive unlabelled rows; squared hinge. */
static inline observation observe_step(const wlab_algo *algo, const void *state, const wlab_problem *p,
                                       int64_t most)
{
    wlab_err err;
    const transductive *t = state;
    wlab_model *m = NULL;
    observation s = {.n = p->n, .o = calloc((size_t)p->n, sizeof(double)), .y = calloc((size_t)p->n, 1)};
    wlab_ranked *rank = calloc((size_t)p->n, sizeof *rank);
    int64_t u = 0;
    assert_true(s.o && s.y && rank);
    ASSERT_OK(algo->model(state, &m, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, p->X, s.o, NULL, &err), err);
    algo->observe(state, NULL, s.y);
    if (m->w) {
        const double bias = t->kernel.bias;
        for (int32_t j = 0; j < m->cols; j++)
            s.norm += 0.5 * t->lambda * m->w[j] * m->w[j];
        s.norm += bias > 0 ? 0.5 * t->lambda * (m->b[0] / bias) * (m->b[0] / bias) : 0;
    } else {
        for (int64_t k = 0; k < p->n; k++)
            s.norm += 0.5 * t->lambda * t->m->w[k] * s.o[k];
    }
    for (int64_t k = 0; k < p->n; k++) {
        if (p->visible[k]) {
            s.labelled += half_square(p->visible[k] * s.o[k]);
            assert_int_equal(s.y[k], p->visible[k]);
        } else {
            s.unlabelled += half_square(fabs(s.o[k]));
            s.positives += s.y[k] > 0;
            rank[u++] = (wlab_ranked){s.o[k], (int32_t)k};
        }
    }
    qsort(rank, (size_t)u, sizeof *rank, falling);
    for (int64_t j = 0; j < u; j++)
        s.balanced += half_square(j < most ? rank[j].f : -rank[j].f);
    s.labelled /= u < p->n ? (double)(p->n - u) : 1;
    s.unlabelled *= t->lambda_u / (double)u;
    s.balanced *= t->lambda_u / (double)u;
    s.J = s.norm + s.labelled + s.unlabelled;
    s.balanced += s.norm + s.labelled;
    wlab_model_destroy(m);
    free(rank);
    return s;
}

static inline void observation_free(observation *s)
{
    free(s->o);
    free(s->y);
    *s = (observation){0};
}

/* The sum over the unlabelled rows of weight/u times their loss, for labels y. */
static inline double labelled_as(const wlab_problem *p, const double *o, const int8_t *y, double weight)
{
    double sum = 0;
    int64_t u = 0;
    for (int64_t k = 0; k < p->n; k++)
        if (!p->visible[k]) {
            sum += half_square(y[k] * o[k]);
            u++;
        }
    return weight * sum / (double)u;
}

/* The relative gap of the problem in w, recomputed from w and the solver's costs (linear kernel). */
static inline double gap_of(const void *state)
{
    const wlab_mfn *m = ((const transductive *)state)->m;
    double *g = calloc((size_t)m->dim, sizeof *g), sum = 0, f = 0;
    assert_non_null(g);
    for (int64_t j = 0; j < m->dim; j++) {
        g[j] = m->lambda * m->w[j];
        f += 0.5 * m->lambda * m->w[j] * m->w[j];
    }
    for (int64_t i = 0; i < m->n; i++) {
        const double b = m->bias > 0 ? m->bias * m->w[m->dim - 1] : 0;
        double z, h;
        f += wlab_mfn_loss(m->pos[i], m->neg[i], wlab_matrix_row_dot(m->X, i, m->w) + b, &z, &h);
        wlab_matrix_row_axpy(m->X, i, -z, g);
        if (m->bias > 0)
            g[m->dim - 1] -= m->bias * z;
    }
    for (int64_t j = 0; j < m->dim; j++)
        sum += g[j] * g[j];
    free(g);
    return sum / (2 * m->lambda) / f;
}

/* Runs from start to end with one CG iteration per call; after each call the state is discarded and restored. */
static inline void *restored_at_every_call(const wlab_algo *algo, wlab_problem *p, const char *options)
{
    wlab_err err;
    void *state = create_state(algo, p, options);
    wlab_step step = {0};
    for (step.complete = false; step.verdict == WL_MORE || !step.complete;) {
        wlab_buf buf = {0};
        ((transductive *)state)->m->piece = 0;
        ASSERT_OK(algo->advance(state, NULL, &step, &err), err);
        ASSERT_OK(wlab_algo_snapshot(algo, state, &buf, &err), err);
        void *next = create_state(algo, p, options);
        ASSERT_OK(wlab_algo_restore(algo, next, &buf, NULL, &err), err);
        assert_true(buf.pos == buf.len);
        algo->destroy(state);
        state = next;
        wlab_buf_clear(&buf);
    }
    return state;
}

/* Metrics (except volatile ones) and labels of n rows are equal, bit for bit. */
static inline void assert_same_metrics(const wlab_algo *algo, const void *a, const void *b, int64_t n,
                                       const char *what)
{
    double x[MOST_METRICS], y[MOST_METRICS];
    int8_t *la = calloc((size_t)n, 1), *lb = calloc((size_t)n, 1);
    assert_true(la && lb);
    algo->observe(a, x, la);
    algo->observe(b, y, lb);
    for (int i = 0; i < wlab_metric_count(algo); i++)
        if (!(algo->metrics[i].flags & WL_M_VOLATILE) && !(x[i] == y[i] || (isnan(x[i]) && isnan(y[i]))))
            fail_msg("%s: %s is %.17g and %.17g", what, algo->metrics[i].name, x[i], y[i]);
    assert_memory_equal(la, lb, (size_t)n);
    free(la);
    free(lb);
}

/* The same, and w is equal too (tsvm, mfa). */
static inline void assert_same(const wlab_algo *algo, const void *a, const void *b, const char *what)
{
    const wlab_mfn *m = ((const transductive *)a)->m, *k = ((const transductive *)b)->m;
    assert_true(m->n == k->n && m->dim == k->dim);
    assert_same_metrics(algo, a, b, m->n, what);
    assert_memory_equal(m->w, k->w, (size_t)m->dim * sizeof *m->w);
}

/* The smallest optimum of Eq. 7 over all labelings with the requested number of positive unlabelled rows (linear kernel
 * with bias). */
static inline double enumerated(const wlab_problem *p, double bias, double lambda, double lambda_u,
                                int64_t positives)
{
    wlab_err err;
    wlab_mfn *m = NULL;
    int32_t unl[20];
    int u = 0;
    double best = HUGE_VAL;
    ASSERT_OK(wlab_mfn_create(&m, p->X, bias, NULL, 0, lambda, WL_MFN_FAST, 1e-12, &err), err);
    for (int32_t k = 0; k < p->n; k++)
        if (!p->visible[k])
            unl[u++] = k;
    assert_true(u <= 20);
    for (int32_t bits = 0; bits < 1 << u; bits++) {
        if (__builtin_popcount((unsigned)bits) != positives)
            continue;
        for (int64_t k = 0; k < p->n; k++) {
            m->pos[k] = p->visible[k] > 0 ? 1 / (double)(p->n - u) : 0;
            m->neg[k] = p->visible[k] < 0 ? 1 / (double)(p->n - u) : 0;
        }
        for (int j = 0; j < u; j++)
            *(bits >> j & 1 ? &m->pos[unl[j]] : &m->neg[unl[j]]) = lambda_u / u;
        m->g_known = false;
        wlab_mfn_start(m, NULL);
        while (!m->done && !m->stalled)
            ASSERT_OK(wlab_mfn_iterate(m, NULL, &err), err);
        best = fmin(best, m->f - m->gap);
    }
    wlab_mfn_destroy(m);
    return best;
}

/* Runs that are restored after every call end like those that are not. */
static inline void assert_restored(const wlab_algo *algo, const char *const *options, int n)
{
    wlab_problem *p[] = {pose("two-moons", "n=60 noise=0.15 seed=1", "ssl", "labeled=6 seed=1"),
                         pose("g50c", "seed=2", "ssl", "labeled=8")};
    for (int c = 0; c < 2 * n; c++) {
        void *a = create_state(algo, p[c % 2], options[c / 2]);
        while (step(algo, a, NULL) == WL_MORE)
            ;
        void *b = restored_at_every_call(algo, p[c % 2], options[c / 2]);
        assert_same(algo, a, b, options[c / 2]);
        algo->destroy(a);
        algo->destroy(b);
    }
    wlab_problem_unref(p[0]);
    wlab_problem_unref(p[1]);
}

/* Any number of threads gives the same bits, also if only the result counts, as for candidates of `tune`. */
static inline void assert_threads(const wlab_algo *algo, const char *generator, const char *data,
                                  const char *task, const char *options)
{
    wlab_err err;
    wlab_problem *p = pose(generator, data, "ssl", task);
    void *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        wlab_ctx ctx = {.lean = threads == 4};
        ASSERT_OK(wlab_pool_create(&ctx.pool, threads, &err), err);
        void *s = create_state(algo, p, options);
        while (step(algo, s, &ctx) == WL_MORE)
            ;
        if (first) {
            assert_same(algo, first, s, "threads");
            algo->destroy(s);
        } else {
            first = s;
        }
        wlab_pool_destroy(ctx.pool);
    }
    algo->destroy(first);
    wlab_problem_unref(p);
}

#endif
