/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * clpl and pl-svm: objectives by their definitions; clpl against the binary SVM to which the paper reduces it; pl-svm
 * against all choices of candidates, each solved separately; kernels; rows that say nothing; units and snapshots.
 */
#include "unit/posed.h"

#include "algo/candidates/pl_svm.h"
#include "solve/svm/mfn.h"

#include <math.h>

static const wlab_algo *const both[] = {&wlab_algo_clpl, &wlab_algo_pl_svm};
enum {
    MOST_DIM = 8
};

static wlab_problem *rows(const char *how, const char *options)
{
    return pose("blobs", how, "ambiguous", options);
}

/* ---- the objectives by their definitions, from the outputs of the model ---- */

static double psi(double u)
{
    return u < 1 ? (1 - u) * (1 - u) : 0;
}

/* The mean loss of rows with fewer candidates than classes, at outputs f [n x P]. */
static double loss_of(const wlab_algo *algo, const wlab_problem *p, const double *f)
{
    const int P = p->classes;
    double sum = 0;
    int64_t told = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const uint64_t set = wlab_problem_allowed(p, i);
        double mean = 0, in = -INFINITY, out = -INFINITY, others = 0;
        int size = 0;
        for (int k = 0; k < P; k++) {
            const double o = f[i * P + k];
            if (set >> k & 1) {
                mean += o;
                in = fmax(in, o);
                size++;
            } else {
                others += psi(-o);
                out = fmax(out, o);
            }
        }
        if (size == P)
            continue;
        told++;
        sum += algo == &wlab_algo_clpl ? psi(mean / size) + others : fmax(0, 1 - in + out);
    }
    return sum / (double)told;
}

/* lambda/2 sum_k (||w_k||^2 + b_k^2): with bias=1 the offset is the weight of the constant feature. */
static double penalty_of(const wlab_model *m, double lambda)
{
    double sum = 0;
    for (int k = 0; k < m->outputs; k++) {
        sum += m->b[k] * m->b[k];
        for (int j = 0; j < m->cols; j++)
            sum += m->w[k * m->cols + j] * m->w[k * m->cols + j];
    }
    return lambda / 2 * sum;
}

/* Each step's objective is that of its model, and none is above the one before. */
static void test_objectives(void **state)
{
    (void)state;
    static const char *const tasks[] = {"classes=all candidates=2 ambiguous=0.7",
                                        "classes=all candidates=3 ambiguous=1 seed=4",
                                        "classes=all ambiguous=0", "classes=all candidates=4 ambiguous=0.5"};
    for (int t = 0; t < 4; t++)
        for (int a = 0; a < 2; a++) {
            wlab_problem *p = rows("n=60 classes=4 spread=2 seed=3", tasks[t]);
            void *s = create_state(both[a], p, "kernel=linear lambda=0.02");
            wlab_verdict verdict = WL_MORE;
            double before = INFINITY;
            for (int k = 0; verdict == WL_MORE; k++) {
                assert_true(k < 1000);
                verdict = step(both[a], s, NULL);
                const double J = metric(both[a], s, "objective");
                double *f = outputs(both[a], s, p);
                wlab_model *m = model_of(both[a], s);
                ASSERT_NEAR(J, loss_of(both[a], p, f) + penalty_of(m, 0.02), 1e-12 * J);
                assert_true(J <= before);
                before = J;
                wlab_model_destroy(m);
                free(f);
            }
            assert_int_equal(verdict, WL_CONVERGED);
            both[a]->destroy(s);
            wlab_problem_unref(p);
        }
}

/* ---- clpl ---- */

/* The row in the blocks of the classes `of`, and its label. */
static void put_block(const wlab_problem *p, wlab_matrix *X, int64_t at, int64_t i, uint64_t of, int d)
{
    double x[MOST_DIM] = {0};
    wlab_matrix_row_axpy(p->X, i, 1, x);
    x[d - 1] = 1;
    for (int k = 0; k < p->classes; k++)
        for (int j = 0; of >> k & 1 && j < d; j++)
            X->dense[at * X->cols + k * d + j] = x[j] / __builtin_popcountll(of);
}

/* The minimum of J as that of a binary SVM with squared hinge loss (Cour, Sapp and Taskar, Section 4). */
static double reduced(const wlab_problem *p, double lambda)
{
    wlab_err err;
    wlab_matrix *X;
    wlab_mfn *m;
    const int P = p->classes, d = p->X->cols + 1;
    int64_t count = 0, told = 0;
    ASSERT_OK(wlab_matrix_create_dense(&X, p->n * P, P * d, &err), err);
    int8_t *y = calloc((size_t)(p->n * P), 1);
    assert_non_null(y);
    for (int64_t i = 0; i < p->n; i++) {
        const uint64_t set = wlab_problem_allowed(p, i);
        if (__builtin_popcountll(set) == P)
            continue;
        told++;
        put_block(p, X, count, i, set, d);
        y[count++] = 1;
        for (int k = 0; k < P; k++)
            if (!(set >> k & 1)) {
                put_block(p, X, count, i, UINT64_C(1) << k, d);
                y[count++] = -1;
            }
    }
    X->nnz = X->rows * X->cols;
    ASSERT_OK(wlab_mfn_create(&m, X, 0, NULL, 0, lambda, WL_MFN_FAST, 1e-12, &err), err);
    for (int64_t e = 0; e < X->rows; e++) {
        m->pos[e] = y[e] > 0 ? 2 / (double)told : 0;
        m->neg[e] = y[e] < 0 ? 2 / (double)told : 0;
    }
    wlab_mfn_start(m, NULL);
    while (!m->done && !m->stalled)
        ASSERT_OK(wlab_mfn_iterate(m, NULL, &err), err);
    const double J = m->f;
    assert_true(m->gap <= 1e-9 * J);
    wlab_mfn_destroy(m);
    wlab_matrix_destroy(X);
    free(y);
    return J;
}

static void test_reduction(void **state)
{
    (void)state;
    static const char *const tasks[] = {"classes=all candidates=2 ambiguous=0.7", "classes=all ambiguous=0",
                                        "classes=all candidates=3 ambiguous=0.6"};
    for (int t = 0; t < 3; t++) {
        wlab_problem *p = rows("n=50 classes=3 spread=2 dims=3 seed=5", tasks[t]);
        void *s = create_state(both[0], p, "kernel=linear lambda=0.003 eps=1e-9");
        while (step(both[0], s, NULL) == WL_MORE)
            ;
        const double J = metric(both[0], s, "objective"), exact = reduced(p, 0.003);
        ASSERT_NEAR(J, exact, 1e-8 * J);
        assert_true(metric(both[0], s, "lower") <= exact * (1 + 1e-9));
        both[0]->destroy(s);
        wlab_problem_unref(p);
    }
}

/* The bound holds from the first step on. */
static void test_bound(void **state)
{
    (void)state;
    wlab_problem *p = rows("n=50 classes=3 spread=2 dims=3 seed=6", "classes=all candidates=2 ambiguous=0.7");
    void *s = create_state(both[0], p, "kernel=linear lambda=0.01");
    const double exact = reduced(p, 0.01);
    wlab_verdict verdict = WL_MORE;
    while (verdict == WL_MORE) {
        verdict = step(both[0], s, NULL);
        assert_true(metric(both[0], s, "lower") <= exact * (1 + 1e-9));
        assert_true(metric(both[0], s, "upper") >= exact * (1 - 1e-9));
    }
    assert_int_equal(verdict, WL_CONVERGED);
    both[0]->destroy(s);
    wlab_problem_unref(p);
}

/* ---- pl-svm ---- */

/* The minimum of the convex problem with these choices, to a relative gap of 1e-7. */
static double solved(pl_svm *s, const int8_t *choice)
{
    const functions *f = &s->f;
    wlab_err err;
    wlab_multi m = {.X = f->rows->X,
                    .bias = f->rows->bias,
                    .square = f->rows->square,
                    .set = f->set,
                    .P = f->P,
                    .lambda = s->lambda};
    ASSERT_OK(wlab_multi_create(&m, &err), err);
    memcpy(m.choice, choice, (size_t)f->n);
    wlab_multi_start(&m);
    double dual = 0;
    for (int k = 0; k < 20000 && !(m.primal - m.dual <= 1e-7 * m.primal); k++) {
        wlab_multi_pass(&m, 7);
        wlab_functions_outputs(f, m.W, s->o, NULL);
        wlab_multi_measure(&m, s->o);
        assert_true(m.dual >= dual * (1 - 1e-12)); /* D never falls */
        assert_true(m.dual <= m.primal * (1 + 1e-12));
        dual = m.dual;
    }
    assert_true(m.primal - m.dual <= 1e-7 * m.primal);
    const double value = m.primal;
    wlab_multi_clear(&m);
    return value;
}

/* No choice of candidates has a smaller optimum than the best of many restarts, and each round's is what it says. */
static void test_choices(void **state)
{
    (void)state;
    wlab_problem *p = rows("n=14 classes=3 spread=3 seed=8", "classes=all candidates=2 ambiguous=0.5 seed=2");
    pl_svm *s = create_state(both[1], p, "kernel=linear lambda=0.05 eps=1e-7 restarts=40");
    int8_t *choice = malloc((size_t)p->n);
    int64_t count = 1;
    double least = INFINITY;
    assert_non_null(choice);
    for (int64_t i = 0; i < p->n; i++)
        count *= __builtin_popcountll(s->f.set[i]);
    assert_int_equal(count, 128);
    for (int64_t c = 0; c < count; c++) {
        int64_t rest = c;
        for (int64_t i = 0; i < p->n; i++) {
            uint64_t set = s->f.set[i];
            const int size = __builtin_popcountll(set);
            for (int64_t skip = rest % size; skip > 0; skip--)
                set &= set - 1;
            rest /= size;
            choice[i] = (int8_t)__builtin_ctzll(set);
        }
        least = fmin(least, solved(s, choice));
    }
    while (step(both[1], s, NULL) == WL_MORE)
        ;
    ASSERT_NEAR(metric(both[1], s, "objective"), least, 1e-5 * least);
    for (int64_t k = 0; k < s->restarts; k++)
        assert_true(s->r[k].J >= least * (1 - 1e-6));
    both[1]->destroy(s);
    wlab_problem_unref(p);
    free(choice);
}

/* Every row has one class: one convex problem, with bounds. */
static void test_supervised(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=60 classes=4 spread=2 seed=3", "supervised", "classes=all");
    void *s = create_state(both[1], p, "kernel=linear lambda=0.01");
    assert_int_equal(step(both[1], s, NULL), WL_CONVERGED);
    assert_true(metric(both[1], s, "relgap") <= 1e-4);
    assert_true(metric(both[1], s, "lower") > 0);
    both[1]->destroy(s);
    wlab_problem_unref(p);
}

/* Where ||x||^2 / (lambda m) is far below the rounding errors of the outputs, the dual still certifies. */
static void test_short_rows(void **state)
{
    (void)state;
    static const char *const settings[] = {"kernel=rbf lambda=1e4 eps=1e-9", "kernel=rbf lambda=1e8 eps=1e-9",
                                           "kernel=rbf lambda=1e16 eps=1e-9",
                                           "kernel=linear lambda=1e12 eps=1e-9"};
    wlab_problem *p = pose("blobs", "n=60 classes=4 spread=2 seed=3", "supervised", "classes=all");
    for (int k = 0; k < 4; k++) {
        void *s = create_state(both[1], p, settings[k]);
        wlab_verdict verdict = WL_MORE;
        while (verdict == WL_MORE)
            verdict = step(both[1], s, NULL);
        const double upper = metric(both[1], s, "objective"), lower = metric(both[1], s, "lower");
        assert_int_equal(verdict, WL_CONVERGED);
        assert_true(lower <= upper * (1 + 1e-12) && upper <= 1 + 1e-12 && upper - lower <= 1e-9);
        both[1]->destroy(s);
    }
    wlab_problem_unref(p);
}

/* ---- both ---- */

/* poly of degree 1 is the linear kernel, by a factor of its matrix. */
static void test_kernels(void **state)
{
    (void)state;
    wlab_problem *p = rows("n=60 classes=4 spread=2 seed=3", "classes=all candidates=2 ambiguous=0.7");
    for (int a = 0; a < 2; a++) {
        void *s = create_state(both[a], p, "kernel=linear eps=1e-7"),
             *t = create_state(both[a], p, "kernel=poly degree=1 gamma=1 coef0=0 eps=1e-7");
        while (step(both[a], s, NULL) == WL_MORE)
            ;
        while (step(both[a], t, NULL) == WL_MORE)
            ;
        ASSERT_NEAR(metric(both[a], s, "objective"), metric(both[a], t, "objective"), 1e-6);
        double *f = outputs(both[a], s, p), *g = outputs(both[a], t, p);
        for (int64_t i = 0; i < p->n * p->classes; i++)
            ASSERT_NEAR(f[i], g[i], 5e-3);
        free(f);
        free(g);
        both[a]->destroy(s);
        both[a]->destroy(t);
    }
    wlab_problem_unref(p);
}

/* The problem of those rows of p alone that have a label. */
static wlab_problem *labelled_of(const wlab_problem *p)
{
    wlab_err err;
    wlab_problem *q;
    int32_t *row = malloc((size_t)p->n * sizeof *row);
    int64_t n = 0;
    wlab_params *params = made_params(wlab_task_find("supervised")->params, "classes=all", &err);
    assert_true(row && params);
    for (int64_t i = 0; i < p->n; i++)
        if (p->visible[i])
            row[n++] = p->row[i];
    ASSERT_OK(
        wlab_problem_create(&q, p->data, row, n, NULL, 0, wlab_task_find("supervised"), params, NULL, &err),
        err);
    wlab_params_destroy(params);
    free(row);
    return q;
}

/* Rows that may be of any class: alone they are refused; beside others they change nothing. */
static void test_nothing_told(void **state)
{
    (void)state;
    wlab_problem *p = rows("n=30 classes=3 seed=1", "classes=all candidates=3 ambiguous=1"),
                 *q = rows("n=30 classes=3 spread=3 seed=1", "classes=all candidates=3 ambiguous=0.5"),
                 *alone = labelled_of(q);
    for (int a = 0; a < 2; a++) {
        wlab_err err;
        void *s = NULL;
        wlab_params *params = made_params(both[a]->params, "", &err);
        ASSERT_FAILS(both[a]->create(&s, p, params, NULL, &err), WL_ESTATE, err, "may be of any class");
        wlab_params_destroy(params);
        s = create_state(both[a], q, "kernel=linear eps=1e-8");
        void *t = create_state(both[a], alone, "kernel=linear eps=1e-8");
        while (step(both[a], s, NULL) == WL_MORE)
            ;
        while (step(both[a], t, NULL) == WL_MORE)
            ;
        const double J = metric(both[a], s, "objective");
        ASSERT_NEAR(J, metric(both[a], t, "objective"), 2e-8 * J);
        both[a]->destroy(s);
        both[a]->destroy(t);
    }
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_problem_unref(alone);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = rows("n=24 classes=3 spread=3 seed=2", "classes=all candidates=2 ambiguous=0.7");
    units_hold(both[0], p, "kernel=linear", 12, 0);
    units_hold(both[0], p, "kernel=rbf", 6, 0);
    units_hold(both[1], p, "kernel=linear restarts=3", 12, 0);
    units_hold(both[1], p, "kernel=rbf", 6, 0);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_objectives), cmocka_unit_test(test_reduction),
                                       cmocka_unit_test(test_bound),      cmocka_unit_test(test_choices),
                                       cmocka_unit_test(test_supervised), cmocka_unit_test(test_short_rows),
                                       cmocka_unit_test(test_kernels),    cmocka_unit_test(test_nothing_told),
                                       cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
