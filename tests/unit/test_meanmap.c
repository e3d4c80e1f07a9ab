/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MeanMap: the means against plain least squares and against classes without noise, the optimum against finite
 * differences and LIBLINEAR's logistic regression, kernels against the linear path, equal proportions, the toy,
 * memory. */
#include "posed.h"

#include "algo/llp/meanmap.h"
#include "weaklab/score.h"

#include <linear.h>

static const wlab_algo *const meanmap = &wlab_algo_meanmap;

static void *solve(const wlab_problem *p, const char *settings)
{
    void *s = create_state(meanmap, (wlab_problem *)p, settings);
    wlab_verdict v = WL_MORE;
    double best = HUGE_VAL, lower = -HUGE_VAL;
    for (int k = 0; v == WL_MORE; k++) {
        assert_true(k < 100);
        v = step(meanmap, s, NULL);
        const double up = metric(meanmap, s, "upper"), low = metric(meanmap, s, "lower");
        assert_true(up <= best && low >= lower && up >= low - 1e-13 * fabs(low));
        assert_true(metric(meanmap, s, "objective") <= best + 1e-9 * fabs(best)); /* never rises */
        best = up;
        lower = low;
    }
    assert_int_equal(v, WL_CONVERGED);
    return s;
}

/* mu_+ and mu_- [2 x cols] and the prior by the normal equations, over bags with a given proportion (no labels
 * inside). */
static void plain_means(const wlab_problem *p, bool by_size, double *mu, double *prior, int64_t *rows)
{
    const int32_t d = p->X->cols;
    double A[3] = {0}, positives = 0, *right = calloc(2 * (size_t)d, 8), *mean = calloc((size_t)d, 8);
    assert_true(right && mean);
    *rows = 0;
    for (int64_t b = 0; b < p->bags; b++) {
        const double q = p->bag_given[b];
        double size = 0;
        memset(mean, 0, (size_t)d * 8);
        for (int64_t i = 0; i < p->n; i++)
            if (p->bag[i] == b) {
                size++;
                wlab_matrix_row_axpy(p->X, i, 1, mean);
            }
        if (isnan(q) || size == 0)
            continue;
        const double o = by_size ? size : 1;
        A[0] += o * q * q;
        A[1] += o * q * (1 - q);
        A[2] += o * (1 - q) * (1 - q);
        for (int32_t j = 0; j < d; j++) {
            right[j] += o * q * mean[j] / size;
            right[d + j] += o * (1 - q) * mean[j] / size;
        }
        positives += size * q;
        *rows += (int64_t)size;
    }
    const double det = A[0] * A[2] - A[1] * A[1];
    for (int32_t j = 0; j < d; j++) {
        mu[j] = (A[2] * right[j] - A[1] * right[d + j]) / det;
        mu[d + j] = (A[0] * right[d + j] - A[1] * right[j]) / det;
    }
    *prior = positives / (double)*rows;
    free(right);
    free(mean);
}

/* P at w, b (linear), by definition; bias: its feature. */
static double plain_value(const wlab_problem *p, const double *mu, double prior, int64_t rows,
                          const double *w, double b, double bias, double lambda)
{
    double value = 0, linear = 0, norm = bias > 0 ? b * b / (bias * bias) : 0;
    for (int64_t i = 0; i < p->n; i++)
        if (!isnan(p->bag_given[p->bag[i]])) {
            const double f = wlab_matrix_row_dot(p->X, i, w) + b;
            value += fabs(f) + log(exp(f - fabs(f)) + exp(-f - fabs(f)));
        }
    for (int32_t j = 0; j < p->X->cols; j++) {
        linear += w[j] * (prior * mu[j] - (1 - prior) * mu[p->X->cols + j]);
        norm += w[j] * w[j];
    }
    linear += b * (2 * prior - 1);
    return value - (double)rows * linear + lambda * norm;
}

/* Finite differences in every coordinate confirm the optimum, and the objective agrees with its definition. */
static void test_optimum(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double lambda, bias;
        bool by_size, untold;
    } cases[] = {{"eps=1e-13", 1, 1, true, false},
                 {"lambda=0.1 bias=0 weights=equal eps=1e-13", 0.1, 0, false, false},
                 {"lambda=10 bias=3 eps=1e-13", 10, 3, true, true},
                 {"lambda=0.01 average=yes eps=1e-13", 1.03, 1, true, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wlab_problem *p =
            pose("g50c", "n=103 seed=2", "llp", "bagsize=6 seed=1"); /* the last bag is smaller */
        const int32_t d = p->X->cols;
        double *mu = malloc(2 * (size_t)d * 8), prior;
        int64_t rows;
        assert_non_null(mu);
        if (cases[c].untold)
            p->bag_given[3] = p->bag_given[0] = NAN;
        plain_means(p, cases[c].by_size, mu, &prior, &rows);
        void *s = solve(p, cases[c].settings);
        wlab_model *m = model_of(meanmap, s);
#define VALUE() plain_value(p, mu, prior, rows, m->w, m->b[0], cases[c].bias, cases[c].lambda)
        const double best = VALUE(), h = 1e-4;
        ASSERT_NEAR(best, metric(meanmap, s, "objective"), 1e-10);
        for (int32_t j = 0; j < d + (cases[c].bias > 0); j++) {
            double *at = j < d ? &m->w[j] : &m->b[0], was = *at, up, down;
            *at = was + h;
            up = VALUE();
            *at = was - h;
            down = VALUE();
            *at = was;
            assert_true(up > best && down > best);
            assert_true(fabs(up - down) / (2 * h) < 1e-4);
        }
#undef VALUE
        double apart = 0;
        for (int32_t j = 0; j < d; j++)
            apart += (mu[j] - mu[d + j]) * (mu[j] - mu[d + j]);
        ASSERT_NEAR(metric(meanmap, s, "distance"), sqrt(apart), 1e-10);
        wlab_model_destroy(m);
        meanmap->destroy(s);
        free(mu);
        wlab_problem_unref(p);
    }
}

/* If in every bag the mean of the rows of each class is the mean of that class, the class means are found exactly. */
static void test_exact_means(void **state)
{
    (void)state;
    static const double centre[2][2] = {{-1.5, 0.25}, {2, 1}};
    wlab_problem *p = pose("two-moons", "n=80 seed=1", "llp", "bagsize=8 seed=1");
    assert_false(p->X->sparse);
    for (int64_t b = 0; b < p->bags; b++) { /* pairs around the class mean; a row left over is at it */
        int64_t last[2] = {-1, -1}, positives = 0, size = 0;
        for (int64_t i = 0; i < p->n; i++) {
            if (p->bag[i] != b)
                continue;
            const int y = p->truth[i] > 0;
            double *x = p->X->dense + p->X->start[i];
            positives += y;
            size++;
            for (int j = 0; j < 2; j++) {
                double *other = last[y] >= 0 ? p->X->dense + p->X->start[last[y]] : NULL;
                x[j] = centre[y][j];
                if (other) {
                    const double off = 0.01 * (double)(i % 7) + 0.1 * j;
                    x[j] += off;
                    other[j] -= off;
                }
            }
            last[y] = last[y] >= 0 ? -1 : i;
        }
        assert_true(p->bag_given[b] == (double)positives / (double)size);
    }
    void *s = solve(p, "");
    ASSERT_NEAR(metric(meanmap, s, "distance"), hypot(3.5, 0.75), 1e-12);
    meanmap->destroy(s);
    s = solve(p, "kernel=poly degree=1 gamma=1 bias=0 weights=equal");
    ASSERT_NEAR(metric(meanmap, s, "distance"), hypot(3.5, 0.75), 1e-10);
    meanmap->destroy(s);
    wlab_problem_unref(p);
}

static void silent(const char *text)
{
    (void)text;
}

/* w [cols] of LIBLINEAR's logistic regression, min 1/2 ||w||^2 + C sum log(1 + exp(-y w'x)). */
static void logistic(const wlab_problem *p, double C, double *w)
{
    const int n = (int)p->n, d = p->X->cols;
    struct feature_node *node = calloc((size_t)(n * (d + 1)), sizeof *node),
                        **row = calloc((size_t)n, sizeof *row);
    double *y = malloc((size_t)n * 8);
    assert_true(node && row && y);
    for (int i = 0; i < n; i++) {
        row[i] = node + i * (d + 1);
        for (int j = 0; j < d; j++)
            row[i][j] = (struct feature_node){j + 1, wlab_matrix_at(p->X, i, j)};
        row[i][d].index = -1;
        y[i] = p->truth[i];
    }
    const struct problem problem = {.l = n, .n = d, .y = y, .x = row, .bias = -1};
    const struct parameter parameter = {.solver_type = L2R_LR, .eps = 1e-10, .C = C};
    set_print_string_function(silent);
    struct model *m = train(&problem, &parameter);
    for (int j = 0; j < d; j++)
        w[j] = m->label[0] > 0 ? m->w[j] : -m->w[j];
    free_and_destroy_model(&m);
    free(node);
    free(row);
    free(y);
}

/* With bags of one row MeanMap is logistic regression: with u = 2 theta its objective is sum log(1 + exp(-y u'x)) +
 * lambda/4 ||u||^2, so C = 2 / lambda. */
static void test_logistic_regression(void **state)
{
    (void)state;
    static const double lambdas[] = {0.1, 1, 10};
    for (int k = 0; k < 3; k++) {
        wlab_problem *one = pose("g50c", "n=90 seed=1", "llp", "bagsize=1 seed=1");
        wlab_problem *all = pose("g50c", "n=90 seed=1", "supervised", "");
        char settings[64];
        double w[50];
        snprintf(settings, sizeof settings, "bias=0 lambda=%g eps=1e-13", lambdas[k]);
        void *a = solve(one, settings), *b = solve(all, settings);
        wlab_model *m = model_of(meanmap, a), *l = model_of(meanmap, b);
        logistic(all, 2 / lambdas[k], w);
        for (int j = 0; j < 50; j++) {
            ASSERT_NEAR(2 * m->w[j], w[j], 1e-5);
            ASSERT_NEAR(m->w[j], l->w[j], 1e-7);
        }
        wlab_model_destroy(m);
        wlab_model_destroy(l);
        meanmap->destroy(a);
        meanmap->destroy(b);
        wlab_problem_unref(one);
        wlab_problem_unref(all);
    }
}

/* The kernel poly of degree 1 is the linear kernel, and gives the same result as kernel=linear, also with visible
 * labels inside bags and with a bag that has no proportion. */
static void test_kernel(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=70 noise=0.2 seed=1", "llp", "bagsize=5 labeled=6 seed=2");
    p->bag_given[2] = NAN;
    void *a = solve(p, "lambda=0.1 eps=1e-13");
    void *b = solve(p, "kernel=poly degree=1 gamma=1 bias=1 lambda=0.1 eps=1e-13");
    ASSERT_NEAR(metric(meanmap, a, "objective"), metric(meanmap, b, "objective"), 1e-11);
    double *f = outputs(meanmap, a, p), *g = outputs(meanmap, b, p);
    for (int64_t i = 0; i < p->n; i++)
        ASSERT_NEAR(f[i], g[i], 1e-5);
    free(f);
    free(g);
    meanmap->destroy(a);
    meanmap->destroy(b);
    b = solve(p, "kernel=rbf sigma=0.3x lambda=0.1");
    int8_t y[70];
    g = outputs(meanmap, b, p);
    meanmap->observe(b, NULL, y);
    for (int64_t i = 0; i < p->n; i++) { /* the state's outputs are the model's */
        ASSERT_NEAR(((const mm_state *)b)->f[i], g[i], 1e-9);
        assert_int_equal(y[i], p->visible[i] ? p->visible[i] : g[i] > 0 ? 1 : -1);
    }
    free(g);
    meanmap->destroy(b);
    wlab_problem_unref(p);
}

static int warned;
static void count_warnings(void *sink, const wlab_event *event)
{
    (void)sink;
    warned += event->kind == WL_EV_WARNING && strstr(event->text, "do not determine");
}

/* Section 7.1: with equal proportions it uses the solution of smallest norm, and says so. */
static void test_equal_proportions(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=80 seed=1", "llp", "bagsize=8 deal=even seed=1");
    wlab_ctx ctx = {.emit = count_warnings};
    char text[1024];
    void *s = create_state(meanmap, p, "");
    warned = 0;
    step(meanmap, s, &ctx);
    assert_int_equal(warned, 1);
    meanmap->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "smallest norm"));
    assert_true(isnan(metric(meanmap, s, "condition")));
    const double q = p->bag_given[0]; /* mu_+ - mu_- = (2q - 1) / (q^2 + (1-q)^2) times the mean of all */
    double mean[2] = {0};
    for (int64_t i = 0; i < p->n; i++)
        wlab_matrix_row_axpy(p->X, i, 1.0 / 80, mean);
    ASSERT_NEAR(metric(meanmap, s, "distance"),
                fabs(2 * q - 1) / (q * q + (1 - q) * (1 - q)) * hypot(mean[0], mean[1]), 1e-12);
    while (step(meanmap, s, NULL) == WL_MORE)
        ;
    assert_true(isfinite(metric(meanmap, s, "objective")));
    meanmap->destroy(s);
    wlab_problem_unref(p);
}

/* On the toy of Figure 1 nearly every row is wrong, because the bags' means lie on the wrong sides. */
static void test_toy(void **state)
{
    (void)state;
    wlab_problem *p = pose("llp-toy", "seed=1", "llp", "");
    void *s = solve(p, "");
    wlab_scores scores;
    double *f = outputs(meanmap, s, p);
    wlab_score(f, p->truth, p->n, &scores);
    assert_true(scores.accuracy < 0.05);
    free(f);
    meanmap->destroy(s);
    wlab_problem_unref(p);
}

static void test_memory_and_snapshots(void **state)
{
    (void)state;
    static const char *const settings[] = {"", "kernel=rbf"};
    wlab_problem *p = pose("two-moons", "n=24 seed=1", "llp", "bagsize=4 labeled=3");
    const atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    for (int k = 0; k < 2; k++) {
        wlab_err err;
        void *s = NULL, *t;
        wlab_buf buf = {0};
        wlab_step now = {0};
        wlab_model *m = NULL;
        wlab_params *params = made_params(meanmap->params, settings[k], &err);
        ALLOC_SWEEP_OUT(meanmap->create(&s, p, params, NULL, &err), s);
        for (int i = 0; i < 3; i++) {
            const double was = metric(meanmap, s, "objective");
            ASSERT_FAILS(meanmap->model(s, &m, NULL, &err), i < 2 ? WL_ESTATE : WL_OK, err,
                         i < 2 ? "step" : "");
            wlab_model_destroy(m);
            m = NULL;
            ALLOC_SWEEP_CHECK(meanmap->advance(s, NULL, &now, &err),
                              assert_true(isnan(was) ? isnan(metric(meanmap, s, "objective"))
                                                     : metric(meanmap, s, "objective") == was));
        }
        if (k == 0)
            ASSERT_FAILS(meanmap->advance(s, &ctx, &now, &err), WL_EINTERRUPTED, err, "interrupted");
        ASSERT_OK(wlab_algo_snapshot(meanmap, s, &buf, &err), err);
        ASSERT_OK(meanmap->create(&t, p, params, NULL, &err), err);
        for (size_t cut = 0; cut < buf.len; cut += 7) {
            wlab_buf part = {.data = buf.data, .len = cut};
            ASSERT_FAILS(wlab_algo_restore(meanmap, t, &part, NULL, &err), WL_EINPUT, err, "damaged");
        }
        ASSERT_OK(wlab_algo_restore(meanmap, t, &buf, NULL, &err), err);
        step(meanmap, s, NULL);
        step(meanmap, t, NULL);
        assert_true(metric(meanmap, s, "objective") == metric(meanmap, t, "objective"));
        double *f = outputs(meanmap, s, p), *g = outputs(meanmap, t, p);
        assert_memory_equal(f, g, (size_t)p->n * sizeof *f);
        free(f);
        free(g);
        wlab_buf_clear(&buf);
        wlab_params_destroy(params);
        meanmap->destroy(s);
        meanmap->destroy(t);
    }
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_exact_means),
        cmocka_unit_test(test_logistic_regression),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_equal_proportions),
        cmocka_unit_test(test_toy),
        cmocka_unit_test(test_memory_and_snapshots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
