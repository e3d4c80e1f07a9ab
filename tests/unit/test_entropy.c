/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Entropy regularisation: the gradient against finite differences, each step against the model, the logistic regression
 * (lambda_e = 0) against LIBLINEAR, bounds, units, refusals.
 */
#include "unit/posed.h"

#include "algo/smooth/smooth.h"
#include "weaklab/rng.h"

#include <linear.h>

static const wlab_algo *const algo = &wlab_algo_entropy;

static wlab_problem *blobs(void)
{
    return pose("g50c", "n=80 seed=2", "ssl", "labeled=20 seed=1 r=0.5");
}

static double entropy_of(double o)
{
    const double p = 1 / (1 + exp(-o)), q = 1 / (1 + exp(o));
    return (p > 0 ? -p * log(p) : 0) + (q > 0 ? -q * log(q) : 0);
}

/* The state begins with the fields that both algorithms share. */
static smooth *shared(void *state)
{
    return state;
}

static double value_at(smooth *s, const double *w, double *g)
{
    wlab_err err;
    smooth_job job = {s, NULL};
    double f;
    ASSERT_OK(wlab_smooth_evaluate(&job, w, &f, g, &err), err);
    return f;
}

static void test_gradient(void **state)
{
    (void)state;
    wlab_problem *p = blobs();
    static const char *const options[] = {"kernel=linear lambda_e=2 lambda=0.1",
                                          "kernel=rbf sigma=1x lambda_e=0.7"};
    for (int k = 0; k < 2; k++) {
        void *a = create_state(algo, p, options[k]);
        smooth *s = shared(a);
        const int64_t r = s->rows->dim;
        double *w = malloc((size_t)r * sizeof *w), *g = malloc((size_t)r * sizeof *g),
               *other = malloc((size_t)r * sizeof *other);
        wlab_rng rng;
        assert_true(w && g && other);
        wlab_rng_seed(&rng, 3);
        for (s->level = 0; s->level <= s->levels; s->level += 5) {
            s->set_level(s->of);
            for (int64_t j = 0; j < r; j++)
                w[j] = 0.4 * wlab_rng_normal(&rng);
            value_at(s, w, g);
            for (int64_t j = 0; j < r; j += 5) {
                const double h = 1e-5, at = w[j];
                w[j] = at + h;
                const double right = value_at(s, w, other);
                w[j] = at - h;
                const double left = value_at(s, w, other);
                w[j] = at;
                ASSERT_NEAR(g[j], (right - left) / (2 * h), 1e-7);
            }
        }
        for (double o = -30; o <= 30; o += 0.37) { /* and the second derivative, which no step uses yet */
            const int64_t i = s->p->visible[0] ? 0 : 1;
            const double h = 1e-5;
            const smooth_loss here = s->loss(s->of, i, o), left = s->loss(s->of, i, o - h),
                              right = s->loss(s->of, i, o + h);
            ASSERT_NEAR(here.second, (right.first - left.first) / (2 * h), 1e-6);
        }
        algo->destroy(a);
        free(w);
        free(g);
        free(other);
    }
    wlab_problem_unref(p);
}

static void test_steps(void **state)
{
    (void)state;
    static const char *const options[] = {"kernel=linear lambda=0.01 lambda_e=0.5", "kernel=rbf lambda_e=0.3",
                                          "kernel=linear lambda=0.1 bias=0 levels=1"};
    wlab_problem *p = blobs();
    for (int k = 0; k < 3; k++) {
        void *a = create_state(algo, p, options[k]);
        const smooth *s = shared(a);
        double before = INFINITY;
        wlab_step made = {0};
        int64_t level = -1;
        for (int n = 0; made.verdict == WL_MORE; n++) {
            assert_true(n < 3000);
            made = stepped(algo, a, NULL);
            double *f = outputs(algo, a, p), labelled = 0, entropy = 0;
            int8_t y[80];
            algo->observe(a, NULL, y);
            for (int64_t i = 0; i < p->n; i++) {
                if (p->visible[i])
                    labelled += log1p(exp(-p->visible[i] * f[i]));
                else
                    entropy += entropy_of(f[i]);
                if (fabs(f[i]) > 1e-6)
                    assert_int_equal(y[i], p->visible[i] ? p->visible[i] : f[i] > 0 ? 1 : -1);
            }
            ASSERT_NEAR(metric(algo, a, "J_labelled"), labelled / (double)s->l, 1e-8);
            ASSERT_NEAR(metric(algo, a, "entropy"), entropy / (double)s->u, 1e-8);
            if (s->level == level)
                assert_true(s->objective <= before);
            if (s->level > 0)
                assert_true(s->lower <= metric(algo, a, "J") * (1 + 1e-12));
            before = s->objective;
            level = s->level;
            free(f);
        }
        assert_int_equal(made.verdict, WL_CONVERGED);
        ASSERT_NEAR(s->objective, metric(algo, a, "J"), 1e-10);
        algo->destroy(a);
    }
    wlab_problem_unref(p);
}

static void silent(const char *text)
{
    (void)text;
}

/* LIBLINEAR minimises 1/2 ||w||^2 + C sum log(1 + exp(-y o)): the same with C = 1 / (lambda l). */
static void test_liblinear(void **state)
{
    (void)state;
    wlab_problem *p = blobs();
    const int64_t d = p->X->cols;
    struct feature_node *node = calloc((size_t)(20 * (d + 2)), sizeof *node), *x[20];
    double y[20];
    int l = 0;
    assert_non_null(node);
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->visible[i])
            continue;
        x[l] = node + l * (d + 2);
        y[l] = p->visible[i];
        for (int64_t j = 0; j < d; j++)
            x[l][j] = (struct feature_node){(int)j + 1, wlab_matrix_at(p->X, i, (int32_t)j)};
        x[l][d] = (struct feature_node){(int)d + 1, 1};
        x[l++][d + 1].index = -1;
    }
    set_print_string_function(silent);
    for (double lambda = 1e-3; lambda < 1; lambda *= 10) {
        const struct problem problem = {.l = l, .n = (int)d + 1, .y = y, .x = x, .bias = 1};
        const struct parameter parameter = {.solver_type = L2R_LR, .eps = 1e-10, .C = 1 / (lambda * l)};
        struct model *m = train(&problem, &parameter);
        char options[100];
        snprintf(options, sizeof options, "kernel=linear lambda_e=0 eps=1e-9 lambda=%.17g", lambda);
        void *a = create_state(algo, p, options);
        while (step(algo, a, NULL) == WL_MORE)
            ;
        const smooth *s = shared(a);
        assert_true(s->verdict == WL_CONVERGED && s->level == 0);
        const double sign = m->label[0] > 0 ? 1 : -1;
        double norm = 0, loss = 0;
        for (int64_t j = 0; j <= d; j++) {
            ASSERT_NEAR(s->at->w[j], sign * m->w[j], 1e-4);
            norm += m->w[j] * m->w[j];
        }
        for (int i = 0; i < l; i++) {
            double o = 0;
            for (int64_t j = 0; j <= d; j++)
                o += sign * m->w[j] * x[i][j].value;
            loss += log1p(exp(-y[i] * o)) / l;
        }
        ASSERT_NEAR(s->objective, lambda * norm / 2 + loss, 1e-9);
        /* certified: no w has a smaller objective */
        assert_true(metric(algo, a, "lower") <= lambda * norm / 2 + loss);
        ASSERT_NEAR(metric(algo, a, "lower"), s->objective, 1e-9);
        algo->destroy(a);
        free_and_destroy_model(&m);
    }
    free(node);
    wlab_problem_unref(p);
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("two-moons", "n=30 noise=0.2 seed=3", "ssl", "labeled=6 seed=1");
    units_hold(algo, p, "kernel=rbf", 25, 0);
    units_hold(algo, p, "kernel=linear levels=3", 25, 0);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    wlab_err err;
    void *a;
    wlab_problem *p = blobs();
    wlab_params *params = made_params(algo->params, "", &err);
    for (int label = 0; label < 2; label++) {
        for (int64_t i = 0; i < p->n; i++)
            p->visible[i] = (int8_t)label;
        ASSERT_FAILS(algo->create(&a, p, params, NULL, &err), WL_ESTATE, err,
                     label ? "at least one unlabelled row" : "at least one labelled row");
        assert_null(a);
    }
    wlab_params_destroy(params);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_steps),    cmocka_unit_test(test_liblinear),
        cmocka_unit_test(test_units),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
