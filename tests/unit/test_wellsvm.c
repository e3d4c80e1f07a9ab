/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WellSVM: certificates at every step, the optimum by enumeration, reference solvers, and reproducibility bit for
 * bit.
 */
#include "support.h"

#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"
#include "reference.h"
#include "solve/svm/backend.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdatomic.h>

/* ---- problems ---- */

static void set_all(wlab_params *p, const char *settings)
{
    char text[512], *save = NULL;
    wlab_err err;
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = 0;
        ASSERT_OK(wlab_params_set(p, word, equals + 1, &err), err);
    }
}

/* Puts rows into bags of three or four.  In every other bag all labels become 0, so that the bag is negative; in the
 * others the first row becomes positive and the other rows keep their labels. */
static void put_in_bags(wlab_dataset *data)
{
    int64_t n = data->X->rows;
    data->bag = wlab_alloc((size_t)n, sizeof *data->bag);
    assert_non_null(data->bag);
    data->bags = (2 * n + 6) / 7;
    for (int64_t i = 0; i < n; i++) {
        data->bag[i] = (int32_t)(2 * i / 7);
        bool first = i == 0 || data->bag[i - 1] < data->bag[i];
        data->label[i] = data->bag[i] % 2 == 0 ? 0 : first ? 1 : data->label[i];
    }
}

static wlab_problem *create_problem(const char *generator, const char *made, const char *task,
                                    const char *how)
{
    wlab_err err;
    wlab_dataset *data = NULL;
    wlab_problem *problem = NULL;
    wlab_params *g = NULL, *t = NULL;
    const wlab_generator *gen = wlab_generator_find(generator);
    const wlab_task *kind = wlab_task_find(task);
    assert_non_null(gen);
    assert_non_null(kind);
    ASSERT_OK(wlab_params_create(&g, gen->params, &err), err);
    ASSERT_OK(wlab_params_create(&t, kind->params, &err), err);
    set_all(g, made);
    set_all(t, how);
    ASSERT_OK(wlab_dataset_generate(&data, gen, NULL, g, NULL, &err), err);
    if (strcmp(task, "mil") == 0 && !data->bag)
        put_in_bags(data);
    ASSERT_OK(wlab_problem_create(&problem, data, NULL, 0, NULL, 0, kind, t, NULL, &err), err);
    wlab_dataset_unref(data);
    wlab_params_destroy(g);
    wlab_params_destroy(t);
    return problem;
}

static void *create_state(const wlab_algo *algo, wlab_problem *p, const char *settings, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_params *params = NULL;
    void *state = NULL;
    ASSERT_OK(wlab_params_create(&params, algo->params, &err), err);
    set_all(params, settings);
    ASSERT_OK(algo->create(&state, p, params, ctx, &err), err);
    wlab_params_destroy(params);
    return state;
}

static wlab_verdict step(const wlab_algo *algo, void *state, wlab_ctx *ctx)
{
    wlab_err err;
    wlab_step step = {0};
    while (!step.complete)
        ASSERT_OK(algo->advance(state, ctx, &step, &err), err);
    return step.verdict;
}

static double metric(const wlab_algo *algo, const void *state, const char *name)
{
    double values[32];
    int index = wlab_metric_index(algo, name);
    assert_true(index >= 0);
    algo->observe(state, values, NULL);
    return values[index];
}

/* ---- the same quantities, computed from K, alpha, mu and the labelings only ---- */

static double quad(const wellsvm *s, const double *alpha, const int8_t *y)
{
    const int32_t *e = s->p->example;
    double q = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            q += alpha[e[i]] * y[i] * s->K[i * s->n + j] * y[j] * alpha[e[j]];
    return q;
}

/* G in the paper's scale: the alpha of sum-to-one is normalised. */
static double plain_G(const wellsvm *s, const int8_t *y)
{
    double sum = 0, diag = 0, q = quad(s, s->at.alpha, y);
    for (int64_t i = 0; i < s->m; i++) {
        double C = s->p->cost[i] ? s->C2 : s->C1;
        sum += s->at.alpha[i];
        if (s->loss != WELL_HINGE)
            diag += s->at.alpha[i] * s->at.alpha[i] / C;
    }
    return s->loss == WELL_SUM_TO_ONE ? -0.5 * (q + diag) / (sum * sum) : sum - 0.5 * (q + diag);
}

/* The primal value at w_t = mu_t sum_k alpha_k y_tk phi(x_k) (Eq. 16): an upper bound on max_alpha sum mu_t G. */
static double plain_primal(const wellsvm *s)
{
    const int32_t *e = s->p->example;
    double norm = 0, loss = 0, Jsum = 0;
    double *o = calloc((size_t)s->m, sizeof *o);
    for (int64_t t = 0; t < s->T; t++) {
        const int8_t *y = well_labeling(s, t);
        norm += s->mu[t] * quad(s, s->at.alpha, y);
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t j = 0; j < s->n; j++)
                o[e[i]] += s->mu[t] * y[i] * s->K[i * s->n + j] * y[j] * s->at.alpha[e[j]];
    }
    for (int64_t i = 0; i < s->m; i++) {
        double C = s->p->cost[i] ? s->C2 : s->C1, xi = fmax(0, 1 - o[i]);
        loss += s->loss == WELL_HINGE ? C * xi : 0.5 * C * xi * xi;
    }
    free(o);
    Jsum = 0.5 * norm + loss;
    return s->loss == WELL_SUM_TO_ONE ? -1 / (4 * Jsum) : Jsum;
}

/* min over every labeling y of B of G(alpha, y), by enumerating all vectors and testing whether B contains them.  Bit
 * k is the value of the k-th row without a given label: +1, or the low value of the task. */
static double brute_lower(const wellsvm *s)
{
    int8_t y[20];
    int64_t open[20], count = 0;
    double least = HUGE_VAL;
    int found = 0;
    int8_t low = strcmp(s->p->task->name, "mil") == 0 ? 0 : -1;
    for (int64_t k = 0; k < s->n; k++)
        if ((y[k] = s->p->visible[k]) == 0)
            open[count++] = k;
    for (long bits = 0; bits < 1L << count; bits++) {
        for (int64_t k = 0; k < count; k++)
            y[open[k]] = bits >> k & 1 ? 1 : low;
        if (!wlab_labelset_contains(s->p->labels, y))
            continue;
        found++;
        least = fmin(least, plain_G(s, y));
    }
    assert_true(found > 1);
    return least;
}

typedef struct setting {
    const char *generator, *made, *task, *how, *params;
} setting;

static const setting small[] = {
    {"two-moons", "n=16 seed=1", "ssl", "labeled=4 seed=1", "kernel=linear"},
    {"two-moons", "n=16 seed=2", "ssl", "labeled=4 seed=2", "kernel=rbf"},
    {"two-moons", "n=16 seed=3", "ssl", "labeled=4 seed=2", "kernel=linear loss=sum-to-one"},
    {"two-moons", "n=16 seed=3", "ssl", "labeled=4 seed=3", "kernel=rbf loss=hinge C2=1"},
    {"g50c", "n=16 seed=1", "ssl", "labeled=6 seed=1 r=0.4", "kernel=linear loss=squared-hinge lambda=0.1"},
    {"blobs", "n=16 seed=2", "ssl", "labeled=4 seed=1", "kernel=rbf sigma=0.5x"},
    {"blobs", "n=16 seed=1", "ssl", "labeled=4 seed=4", "kernel=linear bias=1"},
    {"blobs", "n=14 seed=5", "ssl", "labeled=4 seed=4", "kernel=poly gamma=0.5 coef0=1 degree=2"},
    {"two-moons", "n=12 seed=4", "cluster", "balance=0.2", "kernel=linear C=0.5"},
    {"blobs", "n=12 seed=4", "cluster", "balance=0.1", "kernel=rbf"},
    {"two-moons", "n=14 seed=6", "cluster", "balance=0.4", "kernel=rbf loss=hinge C=2"},
    {"blobs", "n=14 seed=6", "cluster", "balance=0.3", "kernel=linear loss=squared-hinge"},
    {"blobs", "n=16 seed=1", "mil", "", "kernel=linear"},
    {"two-moons", "n=16 seed=2", "mil", "", "kernel=rbf C1=10 C2=10"},
    {"two-moons", "n=15 seed=3", "mil", "keys=2", "kernel=rbf loss=hinge"},
    {"blobs", "n=16 seed=4", "mil", "", "kernel=linear loss=squared-hinge C1=5"},
    {"two-moons", "n=16 seed=1", "llp", "bagsize=4", "kernel=linear"},
    {"two-moons", "n=14 seed=2", "llp", "bagsize=5", "kernel=rbf"},
    {"blobs", "n=14 seed=3", "llp", "bagsize=5 eps=0.2", "kernel=rbf loss=hinge"},
    {"two-moons", "n=14 seed=4", "llp", "bagsize=4 eps=0.25", "kernel=linear loss=squared-hinge"},
    {"two-moons", "n=16 seed=1", "ambiguous", "ambiguous=0.7", "kernel=linear"},
    {"blobs", "n=16 seed=2", "ambiguous", "ambiguous=0.8", "kernel=rbf"},
    {"two-moons", "n=14 seed=3", "ambiguous", "ambiguous=0.9", "kernel=rbf loss=hinge C1=3"},
    {"blobs", "n=14 seed=4", "ambiguous", "ambiguous=0.9", "kernel=linear loss=squared-hinge C1=2"},
    /* four positive bags of four rows (256 labelings) and a negative bag */
    {"roi-bags", "bags=5 positive=0.8 least=4 most=4 dims=2 seed=3", "mil", "", "kernel=rbf C1=5 C2=5"},
};

/* Runs to the end and checks that the numbers of every step satisfy the theorems.  Returns the final objective.
 * search "tree": exact by branch and bound, without enumeration. */
static double run_certified(const setting *c, const char *search, double optimum)
{
    char params[256];
    wlab_problem *p = create_problem(c->generator, c->made, c->task, c->how);
    bool tree = strcmp(search, "tree") == 0;
    snprintf(params, sizeof params, "%s search=%s", c->params, tree ? "exact" : search);
    wellsvm *s = create_state(&wlab_algo_wellsvm, p, params, NULL);
    if (tree)
        s->enumerated = 0;
    double last = HUGE_VAL, last_gap = 0, upper = HUGE_VAL, lower = -HUGE_VAL;
    wlab_verdict verdict = WL_MORE;
    while (verdict == WL_MORE) {
        verdict = step(&wlab_algo_wellsvm, s, NULL);
        double p_t = s->objective, scale = fabs(p_t);
        /* the master is solved to its certified gap, and its numbers agree with their definitions */
        double mix = 0, least = HUGE_VAL, mass = 0;
        for (int64_t t = 0; t < s->T; t++) {
            assert_true(s->mu[t] >= 0);
            mass += s->mu[t];
            double G = plain_G(s, well_labeling(s, t));
            ASSERT_NEAR(G, s->G[t], 1e-10);
            mix += s->mu[t] * G;
            least = fmin(least, G);
            assert_true(wlab_labelset_contains(p->labels, well_labeling(s, t)));
        }
        ASSERT_NEAR(mass, 1, 1e-12);
        ASSERT_NEAR(mix, p_t, 1e-10);
        assert_true(mix - least <= 1.01e-8 * scale);
        /* weak duality, computed from the definitions */
        double primal = plain_primal(s);
        assert_true(primal >= p_t - 1e-12 * scale);
        assert_true(primal - p_t <= 1.01e-8 * scale);
        for (int64_t i = 0; i < s->m; i++)
            assert_true(s->at.alpha[i] >= 0 && s->at.alpha[i] <= s->upper[i]);
        /* Theorem 2: p(t) decreases, up to the remaining gap */
        assert_true(p_t <= last + last_gap + 1e-12 * scale);
        last = p_t;
        last_gap = metric(&wlab_algo_wellsvm, s, "master_gap") + metric(&wlab_algo_wellsvm, s, "inner_gap");
        double up = metric(&wlab_algo_wellsvm, s, "upper"), low = metric(&wlab_algo_wellsvm, s, "lower");
        assert_true(up <= upper && low >= lower && low <= up);
        upper = up, lower = low;
        if (isfinite(optimum)) {
            /* `optimum` is the result of a run with eps = 1e-6: at most that much above the true optimum */
            assert_true(low <= optimum + 1e-9 * scale);
            assert_true(up >= optimum - 1.01e-6 * scale);
            /* the optimum of the integer problem is not below that of its relaxation */
            assert_true(metric(&wlab_algo_wellsvm, s, "integer_upper") >= optimum - 1.01e-6 * scale);
        }
    }
    assert_int_equal(verdict, WL_CONVERGED);
    double final = s->objective;
    if (strcmp(search, "paper") != 0) {
        /* certify the optimum by enumeration, without the solver */
        double bound = brute_lower(s);
        assert_true(bound <= plain_primal(s) + 1e-12);
        assert_true(plain_primal(s) - bound <= 2e-6 * fabs(final));
        if (isfinite(optimum)) /* the bound that the run itself reports; multistart cannot prove its gap */
            assert_true(upper <= optimum + 1e-6 * fabs(optimum));
        if (tree || strcmp(search, "exact") == 0)
            assert_true(upper - lower <= 1.01e-6 * fabs(final));
    }
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
    return final;
}

static void test_enumerated_optimum(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        double exact = run_certified(&small[k], "exact", NAN);
        run_certified(&small[k], "exact", exact);
        double tree = run_certified(&small[k], "tree", exact);
        assert_true(fabs(tree - exact) <= 1e-6 * fabs(exact));
        double multistart = run_certified(&small[k], "multistart", exact);
        assert_true(fabs(multistart - exact) <= 1e-6 * fabs(exact));
        double paper = run_certified(&small[k], "paper", exact);
        assert_true(paper >= exact - 1e-6 * fabs(exact));
    }
}

/* The bounds of a tree search that is cut short are valid. */
static void test_few_nodes(void **state)
{
    (void)state;
    bool open = false;
    for (size_t k = 0; k < sizeof small / sizeof *small; k += 2) {
        char params[256];
        double exact = run_certified(&small[k], "exact", NAN);
        wlab_problem *p = create_problem(small[k].generator, small[k].made, small[k].task, small[k].how);
        snprintf(params, sizeof params, "%s search=exact nodes=%d", small[k].params, 1 + (int)k % 4);
        wellsvm *s = create_state(&wlab_algo_wellsvm, p, params, NULL);
        s->enumerated = 0;
        wlab_verdict verdict = WL_MORE;
        for (int t = 0; t < 60 && verdict == WL_MORE; t++) {
            verdict = step(&wlab_algo_wellsvm, s, NULL);
            assert_true(s->lower_bound <= exact + 1e-9 * fabs(exact));
            assert_true(s->upper_bound >= exact - 1.01e-6 * fabs(exact));
        }
        open = open || s->upper_bound - s->lower_bound > 1e-4 * fabs(exact);
        assert_true(verdict != WL_MORE);
        wlab_algo_wellsvm.destroy(s);
        wlab_problem_unref(p);
    }
    assert_true(open); /* some tree was cut short */
}

/* On sixty problems multistart reaches the enumerated optimum; the paper's search does not on some of them, and never
 * ends below it. */
static void test_multistart_on_sixty(void **state)
{
    static const char *const kernels[] = {"kernel=linear", "kernel=rbf", "kernel=linear loss=sum-to-one"};
    static const char *const generators[] = {"two-moons", "blobs"};
    int early = 0, problems = 0;
    (void)state;
    for (int seed = 1; seed <= 10; seed++)
        for (int g = 0; g < 2; g++)
            for (int k = 0; k < 3; k++) {
                char made[64], how[64];
                snprintf(made, sizeof made, "n=16 seed=%d", 100 + seed);
                snprintf(how, sizeof how, "labeled=4 seed=%d", seed);
                setting c = {generators[g], made, "ssl", how, kernels[k]};
                double exact = run_certified(&c, "exact", NAN);
                double multi = run_certified(&c, "multistart", exact);
                double tree = run_certified(&c, "tree", exact);
                assert_true(fabs(tree - exact) <= 1e-6 * fabs(exact));
                double paper = run_certified(&c, "paper", exact);
                assert_true(fabs(multi - exact) <= 1e-6 * fabs(exact));
                assert_true(paper >= exact - 1e-6 * fabs(exact));
                early += paper > exact + 1e-5 * fabs(exact);
                problems++;
            }
    print_message("the paper's search stopped above the relaxation's optimum in %d of %d problems\n", early,
                  problems);
    assert_true(early > 0);
}

/* Two moons on which multistart converges to a labeling that is not optimal: the tree of search=auto finds the better
 * one and proves it.  A tree of one node proves nothing, and the verdict is that of multistart. */
static void test_auto_adds_tree(void **state)
{
    static const char *const how[] = {"search=multistart", "search=multistart nodes=10", "nodes=1", ""};
    double objective[4], relgap[4];
    wlab_problem *p = create_problem("two-moons", "n=200 seed=5", "ssl", "labeled=4 seed=5");
    (void)state;
    for (int k = 0; k < 4; k++) {
        wellsvm *s = create_state(&wlab_algo_wellsvm, p, how[k], NULL);
        wlab_verdict verdict = WL_MORE;
        for (int t = 0; t < 100 && verdict == WL_MORE; t++)
            verdict = step(&wlab_algo_wellsvm, s, NULL);
        assert_int_equal(verdict, WL_CONVERGED);
        assert_int_equal(s->tree_nodes, k == 2 ? 1 : k == 3 ? 100 : 0);
        objective[k] = s->objective;
        relgap[k] = metric(&wlab_algo_wellsvm, s, "relgap");
        wlab_algo_wellsvm.destroy(s);
    }
    assert_true(objective[0] == objective[1] && objective[0] == objective[2]);
    assert_true(objective[3] < objective[0] * 1.01); /* both are negative */
    assert_true(relgap[0] > 1e-2 && relgap[2] > 1e-2 && relgap[3] <= 1e-6);
    wlab_problem_unref(p);
}

/* ---- references ---- */

/* One labeling: the hinge loss with C1 : C2 = 10 : 1 equals LIBLINEAR with each labelled row repeated ten times. */
static void reference_hinge(const char *generator, const char *params)
{
    wlab_err err;
    wlab_problem *p = create_problem(generator, "n=60 seed=3", "ssl", "labeled=6 seed=1");
    wellsvm *s = create_state(&wlab_algo_wellsvm, p, params, NULL);
    step(&wlab_algo_wellsvm, s, NULL);
    assert_int_equal(s->T, 1);
    /* rows whose inner products are K: a factor of K from its eigenvectors */
    int64_t n = s->n;
    double *V = malloc((size_t)(n * n) * sizeof *V), *lambda = malloc((size_t)n * sizeof *lambda), b;
    memcpy(V, s->K, (size_t)(n * n) * sizeof *V);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', (int)n, V, (int)n, lambda), 0);
    wlab_matrix *X = NULL;
    ASSERT_OK(wlab_matrix_create_dense(&X, n, (int32_t)n, &err), err);
    for (int64_t i = 0; i < n; i++) {
        X->start[i] = i * n;
        X->len[i] = (int32_t)n;
        for (int64_t j = 0; j < n; j++)
            X->dense[i * n + j] = V[i * n + j] * sqrt(fmax(0, lambda[j]));
    }
    int32_t *pick = malloc((size_t)(10 * n) * sizeof *pick);
    int8_t *y = malloc((size_t)(10 * n));
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++)
        for (int copy = 0; copy < (s->p->cost[i] ? 1 : 10); copy++) {
            pick[rows] = (int32_t)i;
            y[rows++] = well_labeling(s, 0)[i];
        }
    double *w = malloc((size_t)n * sizeof *w), value = 0;
    ASSERT_OK(wlab_liblinear_solve(X, pick, y, rows, false, 0.1, 0.1, 0, 1e-10, 1, w, &b, NULL, &err), err);
    for (int64_t j = 0; j < n; j++)
        value += 0.5 * w[j] * w[j];
    for (int64_t i = 0; i < rows; i++)
        value += 0.1 * fmax(0, 1 - y[i] * wlab_matrix_row_dot(X, pick[i], w));
    assert_true(fabs(value - s->objective) <= 1e-6 * value);
    free(V), free(lambda), free(pick), free(y), free(w);
    wlab_matrix_destroy(X);
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

static void test_one_labeling_is_the_svm(void **state)
{
    (void)state;
    reference_hinge("two-moons", "kernel=linear C1=1 C2=0.1");
    reference_hinge("g50c", "kernel=linear C1=1 C2=0.1 bias=1");
    reference_hinge("two-moons", "kernel=rbf loss=hinge C1=1 C2=0.1");
    reference_hinge("two-moons", "kernel=poly loss=hinge gamma=0.3 coef0=1 C1=1 C2=0.1");
}

/* One labeling, sum-to-one: equals LIBSVM's ONE_CLASS with nu = 1/n on K.yy' + diag(1/C); the value is computed from
 * alpha in double precision. */
static void test_one_labeling_is_one_class(void **state)
{
    static const char *const kernels[] = {"kernel=rbf", "kernel=linear loss=sum-to-one",
                                          "kernel=rbf sigma=0.3x C2=1"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        wlab_problem *p = create_problem("two-moons", "n=80 seed=5", "ssl", "labeled=8 seed=1");
        wellsvm *s = create_state(&wlab_algo_wellsvm, p, kernels[k], NULL);
        step(&wlab_algo_wellsvm, s, NULL);
        int64_t n = s->n;
        const int8_t *y = well_labeling(s, 0);
        double *Q = malloc((size_t)(n * n) * sizeof *Q), *a = malloc((size_t)n * sizeof *a), value = 0,
               sum = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                Q[i * n + j] =
                    y[i] * y[j] * s->K[i * n + j] + (i == j ? 1 / (p->cost[i] ? s->C2 : s->C1) : 0);
        reference_libsvm_one_class(Q, n, 1e-9, a);
        for (int64_t i = 0; i < n; i++)
            sum += a[i];
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                value -= 0.5 * a[i] * Q[i * n + j] * a[j] / (sum * sum);
        /* LIBSVM's cache in single precision limits the accuracy to about 5e-8 */
        assert_true(fabs(value - s->objective) <= 1e-6 * fabs(value));
        free(Q), free(a);
        wlab_algo_wellsvm.destroy(s);
        wlab_problem_unref(p);
    }
}

/* If all labels are given, WellSVM is the supervised SVM and needs one step. */
static void test_all_visible_is_supervised(void **state)
{
    (void)state;
    wlab_problem *p = create_problem("two-moons", "n=80 seed=5", "supervised", "");
    wellsvm *s = create_state(&wlab_algo_wellsvm, p, "kernel=rbf loss=hinge C1=0.7", NULL);
    void *svm = create_state(&wlab_algo_svm, p, "kernel=rbf offset=feature C=0.7", NULL);
    assert_int_equal(step(&wlab_algo_wellsvm, s, NULL), WL_CONVERGED);
    assert_int_equal(step(&wlab_algo_svm, svm, NULL), WL_CONVERGED);
    assert_int_equal(s->T, 1);
    ASSERT_NEAR(s->objective, metric(&wlab_algo_svm, svm, "objective"), 1e-9);
    ASSERT_NEAR(metric(&wlab_algo_wellsvm, s, "gap"), 0, 1e-6);
    wlab_algo_wellsvm.destroy(s);
    wlab_algo_svm.destroy(svm);
    wlab_problem_unref(p);
}

static void test_masters_agree(void **state)
{
    static const char *const kernels[] = {"kernel=rbf", "kernel=linear", "kernel=linear loss=squared-hinge"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char params[128];
        wlab_problem *p = create_problem("two-moons", "n=60 seed=7", "ssl", "labeled=6 seed=1");
        wellsvm *a = create_state(&wlab_algo_wellsvm, p, kernels[k], NULL);
        snprintf(params, sizeof params, "%s master=mklgl", kernels[k]);
        wellsvm *b = create_state(&wlab_algo_wellsvm, p, params, NULL);
        /* the same working sets: the second run gets the labelings of the first */
        for (int t = 0; t < 5 && step(&wlab_algo_wellsvm, a, NULL) == WL_MORE; t++) {
            if (t > 0)
                memcpy(b->pending, well_labeling(a, a->T - 1), (size_t)a->n);
            b->finished = false;
            step(&wlab_algo_wellsvm, b, NULL);
            double left = b->master_gap + b->inner_gap + a->master_gap + a->inner_gap;
            assert_true(fabs(a->objective - b->objective) <= left + 1e-9 * fabs(a->objective));
            assert_true(left <=
                        0.05 *
                            fabs(a->objective)); /* mklgl as in the paper gets near in at most 100 updates */
        }
        wlab_algo_wellsvm.destroy(a);
        wlab_algo_wellsvm.destroy(b);
        wlab_problem_unref(p);
    }
}

/* ---- the diagonal bound ---- */

static void test_diagonal_bound(void **state)
{
    static const setting cases[] = {
        {"two-moons", "n=14 seed=1", "ssl", "labeled=4 seed=1", "kernel=rbf"},
        {"two-moons", "n=14 seed=2", "ssl", "labeled=4 seed=1", "kernel=linear"},
        {"g50c", "n=14 seed=2", "ssl", "labeled=4 seed=1 r=0.3", "kernel=linear"},
        {"blobs", "n=12 seed=2", "cluster", "balance=0.2", "kernel=linear"},
    };
    wlab_err err;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlab_problem *p = create_problem(cases[k].generator, cases[k].made, cases[k].task, cases[k].how);
        wellsvm *s = create_state(&wlab_algo_wellsvm, p, cases[k].params, NULL);
        wlab_rng rng;
        wlab_rng_seed(&rng, k);
        step(&wlab_algo_wellsvm, s, NULL);
        for (int trial = 0; trial < 20; trial++) {
            double M, most = 0, signs = 0;
            for (int64_t i = 0; i < s->m; i++) /* some rows have no weight */
                s->at.alpha[i] = wlab_rng_below(&rng, 4) ? wlab_rng_uniform(&rng) : 0;
            ASSERT_OK(well_diagonal_bound(s, s->at.alpha, &M, NULL, &err), err);
            int8_t y[20];
            for (long bits = 0; bits < 1L << s->n; bits++) {
                bool fits = true;
                for (int64_t i = 0; i < s->n && fits; i++) {
                    y[i] = bits >> i & 1 ? 1 : -1;
                    fits = !p->visible[i] || p->visible[i] == y[i];
                }
                if (fits)
                    signs = fmax(signs, quad(s, s->at.alpha, y));
                if (fits && wlab_labelset_contains(p->labels, y))
                    most = fmax(most, quad(s, s->at.alpha, y));
            }
            assert_true(M >= most);
            /* the relaxation of a psd form over sign vectors is at most pi/2 times the maximum; the balance only
             * tightens it */
            assert_true(M <= 1.5708 * signs);
        }
        wlab_algo_wellsvm.destroy(s);
        wlab_problem_unref(p);
    }
}

/* ---- reproducibility bit for bit ---- */

typedef struct timed {
    const wlab_algo *algo;
    setting c;
} timed;

static const timed algorithms[] = {
    {&wlab_algo_wellsvm,
     {"two-moons", "n=50 seed=1", "ssl", "labeled=6 seed=1", "kernel=rbf search=multistart"}},
    {&wlab_algo_wellsvm,
     {"two-moons", "n=50 seed=1", "ssl", "labeled=6 seed=1", "kernel=linear search=multistart"}},
    {&wlab_algo_wellsvm,
     {"g50c", "n=40 seed=1", "ssl", "labeled=6 seed=1", "kernel=linear master=mklgl search=paper"}},
    {&wlab_algo_wellsvm, {"blobs", "n=40 seed=1", "cluster", "balance=0.1", "kernel=rbf loss=squared-hinge"}},
    {&wlab_algo_wellsvm,
     {"two-moons", "n=14 seed=1", "ssl", "labeled=4 seed=1", "kernel=linear search=exact"}},
    {&wlab_algo_wellsvm,
     {"two-moons", "n=60 seed=2", "ssl", "labeled=4 seed=1", "sigma=2nn"}}, /* with the tree */
    {&wlab_algo_svm, {"two-moons", "n=50 seed=1", "ssl", "labeled=6 seed=1", "kernel=rbf"}},
    {&wlab_algo_svm, {"two-moons", "n=50 seed=1", "ssl", "labeled=6 seed=1", "kernel=linear"}},
    {&wlab_algo_svm, {"two-moons", "n=50 seed=1", "supervised", "", "kernel=poly offset=feature"}},
};

enum {
    LOG = 4096
};

/* Runs `units` inner units; appends the metrics (except seconds) and labels after each to the log. */
static int64_t record(const wlab_algo *algo, void *state, wlab_ctx *ctx, int units, wlab_buf *log, int64_t n)
{
    wlab_err err;
    double values[32];
    int8_t *labels = malloc((size_t)n);
    int64_t done = 0;
    for (int u = 0; u < units; u++) {
        wlab_step step = {0};
        ASSERT_OK(algo->advance(state, ctx, &step, &err), err);
        algo->observe(state, values, labels);
        for (int k = 0; algo->metrics[k].name; k++)
            if (!(algo->metrics[k].flags & WL_M_VOLATILE))
                assert_int_equal(wlab_buf_put(log, &values[k], sizeof values[k]), WL_OK);
        assert_int_equal(wlab_buf_put(log, labels, (size_t)n), WL_OK);
        done++;
    }
    free(labels);
    return done;
}

static void assert_same(const wlab_buf *a, const wlab_buf *b)
{
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->data, b->data, a->len);
}

/* Six units after a snapshot and six units after restoring it give the same bits, from every point, also if it is
 * restored into another state.  A damaged snapshot is refused. */
static void test_time_travel(void **unused)
{
    enum {
        UNITS = SANITIZED ? 7 : 14
    };
    (void)unused;
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        const wlab_algo *algo = algorithms[a].algo;
        const setting *c = &algorithms[a].c;
        wlab_err err;
        wlab_problem *p = create_problem(c->generator, c->made, c->task, c->how);
        void *state = create_state(algo, p, c->params, NULL), *other = create_state(algo, p, c->params, NULL);
        for (int at = 0; at < UNITS; at++) {
            wlab_buf shot = {0}, first = {0}, again = {0}, elsewhere = {0};
            ASSERT_OK(wlab_algo_snapshot(algo, state, &shot, &err), err);
            record(algo, state, NULL, 6, &first, p->n);
            ASSERT_OK(wlab_algo_restore(algo, state, &shot, NULL, &err), err);
            record(algo, state, NULL, 6, &again, p->n);
            shot.pos = 0;
            ASSERT_OK(wlab_algo_restore(algo, other, &shot, NULL, &err), err);
            record(algo, other, NULL, 6, &elsewhere, p->n);
            assert_same(&first, &again);
            assert_same(&first, &elsewhere);
            shot.pos = 0;
            ASSERT_OK(wlab_algo_restore(algo, state, &shot, NULL, &err), err);
            /* a damaged snapshot is refused and changes nothing */
            wlab_buf cut = shot, before = {0}, after = {0};
            cut.pos = 0;
            cut.len = shot.len - 1;
            ASSERT_OK(wlab_algo_snapshot(algo, state, &before, &err), err);
            assert_int_not_equal(wlab_algo_restore(algo, state, &cut, NULL, &err), WL_OK);
            ASSERT_OK(wlab_algo_snapshot(algo, state, &after, &err), err);
            assert_same(&before, &after);
            wlab_buf none = {0};
            record(algo, state, NULL, 1, &none, p->n);
            wlab_buf_clear(&none);
            wlab_buf_clear(&before);
            wlab_buf_clear(&after);
            wlab_buf_clear(&shot);
            wlab_buf_clear(&first);
            wlab_buf_clear(&again);
            wlab_buf_clear(&elsewhere);
        }
        algo->destroy(state);
        algo->destroy(other);
        wlab_problem_unref(p);
    }
}

static void test_threads(void **unused)
{
    (void)unused;
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        const wlab_algo *algo = algorithms[a].algo;
        const setting *c = &algorithms[a].c;
        wlab_buf logs[3] = {{0}};
        for (int k = 0; k < 3; k++) {
            wlab_err err;
            wlab_pool *pool = NULL;
            ASSERT_OK(wlab_pool_create(&pool, 1 << k, &err), err);
            wlab_ctx ctx = {.pool = pool};
            wlab_problem *p = create_problem(c->generator, c->made, c->task, c->how);
            void *state = create_state(algo, p, c->params, &ctx);
            record(algo, state, &ctx, 12, &logs[k], p->n);
            algo->destroy(state);
            wlab_problem_unref(p);
            wlab_pool_destroy(pool);
        }
        assert_same(&logs[0], &logs[1]);
        assert_same(&logs[0], &logs[2]);
        for (int k = 0; k < 3; k++)
            wlab_buf_clear(&logs[k]);
    }
}

/* In each unit memory runs out at the k-th allocation, for k = 1, 2, ..., until the unit succeeds: the metrics are
 * then, bit for bit, those of a run in which nothing failed. */
static void test_allocation_failures(void **unused)
{
    static const int which[] = {1, 3, 4, 5, 6};
    (void)unused;
    for (size_t a = 0; a < sizeof which / sizeof *which; a++) {
        const wlab_algo *algo = algorithms[which[a]].algo;
        const setting *c = &algorithms[which[a]].c;
        wlab_err err;
        wlab_problem *p = create_problem(c->generator, "n=14 seed=2", c->task, c->how);
        wlab_params *params = NULL;
        void *state = NULL;
        ASSERT_OK(wlab_params_create(&params, algo->params, &err), err);
        set_all(params, c->params);
        ALLOC_SWEEP_OUT(algo->create(&state, p, params, NULL, &err), state);
        void *undisturbed = create_state(algo, p, c->params, NULL);
        for (int u = 0; u < 8; u++) {
            wlab_step step = {0};
            wlab_buf before = {0}, after = {0}, reference = {0};
            ASSERT_OK(wlab_algo_snapshot(algo, state, &before, &err), err);
            ALLOC_SWEEP(algo->advance(state, NULL, &step, &err));
            ASSERT_OK(algo->advance(undisturbed, NULL, &step, &err), err);
            double x[32], y[32];
            int seconds = wlab_metric_index(algo, "seconds");
            algo->observe(state, x, NULL);
            algo->observe(undisturbed, y, NULL);
            x[seconds] = y[seconds] = 0;
            assert_memory_equal(x, y, (size_t)wlab_metric_count(algo) * sizeof *x);
            wlab_buf_clear(&before);
            wlab_buf_clear(&after);
            wlab_buf_clear(&reference);
        }
        wlab_params_destroy(params);
        algo->destroy(state);
        algo->destroy(undisturbed);
        wlab_problem_unref(p);
    }
}

/* An interrupt inside a unit leaves the state unchanged: continuing gives the same bits. */
static void test_interrupt(void **unused)
{
    (void)unused;
    wlab_err err;
    atomic_int stop = 1;
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_problem *p = create_problem("two-moons", "n=40 seed=1", "ssl", "labeled=6 seed=1");
    wellsvm *a = create_state(&wlab_algo_wellsvm, p, "kernel=linear search=multistart", NULL);
    wellsvm *b = create_state(&wlab_algo_wellsvm, p, "kernel=linear search=multistart", NULL);
    wlab_buf first = {0}, second = {0};
    for (int u = 0; u < 8; u++) {
        wlab_step step = {0};
        stop = 1;
        wlab_code code = wlab_algo_wellsvm.advance(a, &ctx, &step, &err);
        stop = 0;
        if (code == WL_EINTERRUPTED)
            ASSERT_OK(wlab_algo_wellsvm.advance(a, &ctx, &step, &err), err);
        else
            assert_int_equal(code, WL_OK);
        record(&wlab_algo_wellsvm, b, NULL, 1, &first, p->n);
        double x[32];
        int8_t labels[64];
        wlab_algo_wellsvm.observe(a, x, labels);
        for (int k = 0; wlab_algo_wellsvm.metrics[k].name; k++)
            if (!(wlab_algo_wellsvm.metrics[k].flags & WL_M_VOLATILE))
                wlab_buf_put(&second, &x[k], sizeof x[k]);
        wlab_buf_put(&second, labels, (size_t)p->n);
    }
    assert_same(&first, &second);
    wlab_buf_clear(&first);
    wlab_buf_clear(&second);
    wlab_algo_wellsvm.destroy(a);
    wlab_algo_wellsvm.destroy(b);
    wlab_problem_unref(p);
}

/* ---- every labeling ---- */

/* integer=all: the mixed-integer optimum is the smallest objective of the SVMs of single labelings, each solved
 * separately; the other metrics of the run do not depend on it. */
typedef struct singles {
    wlab_problem *p;
    const char *params;
    double least;
} singles;

static bool visit_single(void *data, const int8_t *y, const int32_t *changed, int64_t nchanged)
{
    singles *f = data;
    wlab_labelset *all = f->p->labels;
    wlab_err err;
    (void)changed, (void)nchanged;
    ASSERT_OK(wlab_labelset_single(&f->p->labels, y, f->p->n, &err), err);
    wellsvm *s = create_state(&wlab_algo_wellsvm, f->p, f->params, NULL);
    step(&wlab_algo_wellsvm, s, NULL);
    f->least = fmin(f->least, s->objective);
    wlab_algo_wellsvm.destroy(s);
    wlab_labelset_destroy(f->p->labels);
    f->p->labels = all;
    return true;
}

static void test_integer_optimum(void **unused)
{
    static const setting cases[] = {
        {"two-moons", "n=13 noise=0.2 seed=1", "ssl", "labeled=4 seed=1",
         "kernel=rbf sigma=0.5x loss=hinge C2=1"},
        {"blobs", "n=12 seed=2", "ssl", "labeled=4 seed=2", "kernel=rbf sigma=0.5x C2=1"},
        {"two-moons", "n=9 seed=4", "cluster", "balance=0.2", "kernel=linear loss=squared-hinge"},
    };
    (void)unused;
    wlab_err err;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const setting *c = &cases[k];
        char params[256];
        wlab_problem *p = create_problem(c->generator, c->made, c->task, c->how);
        singles f = {p, c->params, HUGE_VAL};
        snprintf(params, sizeof params, "%s search=exact integer=all", c->params);
        ASSERT_OK(wlab_labelset_enumerate(p->labels, visit_single, &f, &err), err);
        wellsvm *s = create_state(&wlab_algo_wellsvm, p, params, NULL);
        wellsvm *plain = create_state(&wlab_algo_wellsvm, p, c->params, NULL);
        for (wlab_verdict v = WL_MORE; v == WL_MORE;) {
            v = step(&wlab_algo_wellsvm, s, NULL);
            assert_int_equal(step(&wlab_algo_wellsvm, plain, NULL), v);
            assert_true(s->integer_done);
            ASSERT_NEAR(s->integer_upper, f.least, 1e-8);
            assert_true(s->rounded >= f.least - 1e-8 * fabs(f.least));
            assert_true(plain->integer_upper >= s->integer_upper && plain->integer_upper <= s->rounded);
            assert_true(metric(&wlab_algo_wellsvm, s, "upper") ==
                        fmin(metric(&wlab_algo_wellsvm, plain, "upper"), s->integer_upper));
            const char *same[] = {"objective", "lower", "violation", "rounded", "svm_iters"};
            for (int m = 0; m < 5; m++)
                assert_true(metric(&wlab_algo_wellsvm, s, same[m]) ==
                            metric(&wlab_algo_wellsvm, plain, same[m]));
        }
        assert_true(s->objective <= f.least + 1e-6 * fabs(f.least));
        wlab_algo_wellsvm.destroy(s);
        wlab_algo_wellsvm.destroy(plain);
        wlab_problem_unref(p);
    }
    wlab_problem *p = create_problem("two-moons", "n=8 seed=1", "ssl", "labeled=4 seed=1");
    wellsvm *s = create_state(&wlab_algo_wellsvm, p, "integer=all", NULL);
    wlab_step now = {0};
    ALLOC_SWEEP(wlab_algo_wellsvm.advance(s, NULL, &now, &err));
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

/* ---- parameters ---- */

static void test_set_resets_bounds(void **unused)
{
    (void)unused;
    wlab_err err;
    wlab_params *params = NULL;
    wlab_problem *p = create_problem("two-moons", "n=40 seed=1", "ssl", "labeled=6 seed=1");
    ASSERT_OK(wlab_params_create(&params, wlab_algo_wellsvm.params, &err), err);
    set_all(params, "kernel=linear search=multistart");
    void *raw = NULL;
    ASSERT_OK(wlab_algo_wellsvm.create(&raw, p, params, NULL, &err), err);
    wellsvm *s = raw;
    for (int k = 0; k < 200 && step(&wlab_algo_wellsvm, s, NULL) == WL_MORE; k++)
        ;
    double before = s->upper_bound;
    set_all(params, "C2=0.5");
    ASSERT_OK(wlab_algo_wellsvm.set(s, params, &err), err);
    assert_true(isnan(s->upper_bound));
    step(&wlab_algo_wellsvm, s, NULL);
    assert_true(s->upper_bound > before); /* a larger penalty costs more */
    wlab_params_destroy(params);
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

static void keep_note(void *sink, const wlab_event *event)
{
    if (event->kind == WL_EV_NOTE)
        snprintf(sink, 300, "%s", event->text);
}

/* The note, next and explain give the value of the limit and the command that continues; `set` does continue the
 * run. */
static void test_limit(void **state)
{
    (void)state;
    char note[300] = "", text[1024] = "";
    wlab_err err;
    wlab_ctx ctx = {.emit = keep_note, .sink = note};
    wlab_step step = {0};
    wlab_params *params = NULL;
    wlab_problem *p = create_problem("two-moons", "n=60 noise=0.1 seed=1", "ssl", "labeled=4");
    void *s =
        create_state(&wlab_algo_wellsvm, p,
                     "kernel=rbf sigma=0.3x loss=squared-hinge C2=0.5 search=multistart labelings=2", &ctx);
    for (int k = 0; k < 200 && step.verdict == WL_MORE; k++) {
        step.complete = false;
        ASSERT_OK(wlab_algo_wellsvm.advance(s, &ctx, &step, &err), err);
    }
    assert_int_equal(step.verdict, WL_LIMIT);
    assert_string_equal(note, "limit labelings=2 reached: `set labelings=4` continues");
    wlab_algo_wellsvm.next(s, text, sizeof text);
    assert_string_equal(text, note);
    wlab_algo_wellsvm.explain(s, text, sizeof text);
    assert_non_null(strstr(text, "`set labelings=4` continues"));
    ASSERT_OK(wlab_params_create(&params, wlab_algo_wellsvm.params, &err), err);
    set_all(params, "kernel=rbf sigma=0.3x loss=squared-hinge C2=0.5 search=multistart labelings=4");
    ASSERT_OK(wlab_algo_wellsvm.set(s, params, &err), err);
    wlab_algo_wellsvm.next(s, text, sizeof text);
    assert_non_null(strstr(text, "add y3"));
    wlab_params_destroy(params);
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

/* The clock of this program advances by 20 ms whenever it is read, so that steps are long on every computer. */
static atomic_int_least64_t clock_ms;

int64_t __wrap_wlab_ms_now(void);
int64_t __wrap_wlab_ms_now(void)
{
    return atomic_fetch_add(&clock_ms, 20) + 20;
}

typedef struct reports {
    int n, bad;
    int64_t done, starts, iterations;
    struct {
        char unit[32];
        int64_t last; /* when it was reported, ms */
    } of[16];         /* more than there are units */
    char unit[32];
} reports;

/* Whether a report of this unit comes less than 100 ms after the one before. */
static bool too_soon(reports *h, const char *unit, int64_t ms)
{
    size_t k = 0;
    while (k < 15 && h->of[k].unit[0] && strcmp(h->of[k].unit, unit) != 0)
        k++;
    bool soon = h->of[k].unit[0] && ms - h->of[k].last < 100;
    snprintf(h->of[k].unit, sizeof h->of[k].unit, "%.31s", unit);
    h->of[k].last = ms;
    return soon;
}

static void on_report(void *sink, const wlab_event *event)
{
    reports *h = sink;
    if (event->kind != WL_EV_PROGRESS)
        return;
    bool same = strcmp(h->unit, event->text) == 0, starts = strcmp(event->text, "starts") == 0;
    h->n++;
    h->bad += too_soon(h, event->text, atomic_load(&clock_ms));
    /* the count grows during one search; SVM iterations start from 0 with each solve */
    h->bad += same && starts && event->total == h->starts && event->done < h->done;
    h->bad += event->total > 0 ? event->done > event->total : starts;
    h->done = event->done;
    snprintf(h->unit, sizeof h->unit, "%.31s", event->text);
    if (starts)
        h->starts = event->total;
    else if (strncmp(event->text, "SVM iterations", 14) == 0)
        h->iterations = event->done;
}

/* A long step reports its progress at most ten times a second, and the reports do not change its result. */
static void test_progress(void **state)
{
    (void)state;
    reports h = {0};
    wlab_err err;
    wlab_ctx loud = {.emit = on_report, .sink = &h}, silent = {0};
    wlab_step now = {0};
    double objective[2], metric[32];
    wlab_problem *p = create_problem("two-moons", "n=1500 noise=0.2 seed=1", "ssl", "labeled=8");
    for (int k = 0; k < 2; k++) {
        wlab_ctx *ctx = k ? &silent : &loud;
        void *s =
            create_state(&wlab_algo_wellsvm, p, "kernel=rbf sigma=0.3x search=multistart starts=12", ctx);
        h.n = 0; /* drop the reports on the rows of the kernel matrix */
        for (int step = 0; step < 2; step++)
            for (now.complete = false; !now.complete;)
                ASSERT_OK(wlab_algo_wellsvm.advance(s, ctx, &now, &err), err);
        if (!k) {
            assert_true(h.n > 0);
            assert_int_equal(h.bad, 0);
            assert_true(h.starts == 0 || h.starts == 2 + 1 + 8 + 12 || h.starts == 1 + 1 + 8 + 12);
        }
        wlab_algo_wellsvm.observe(s, metric, NULL);
        objective[k] = metric[0];
        wlab_algo_wellsvm.destroy(s);
    }
    assert_true(objective[0] == objective[1]);
    wlab_problem_unref(p);
}

static void test_refusals(void **unused)
{
    static const struct {
        const char *params;
        wlab_code code;
        const char *text;
    } bad[] = {
        {"integer=all", WL_EARG, "integer=seen"},
        {"lambda=2 loss=hinge", WL_EARG, "squared-hinge"},
        {"kernel=rbf gamma=1 sigma=1", WL_EARG, "not both"},
        {"kernel=precomputed", WL_EARG, "square"},
    };
    (void)unused;
    wlab_err err;
    wlab_problem *p = create_problem("two-moons", "n=60 seed=1", "ssl", "labeled=6 seed=1");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        wlab_params *params = NULL;
        void *state = NULL;
        ASSERT_OK(wlab_params_create(&params, wlab_algo_wellsvm.params, &err), err);
        set_all(params, bad[k].params);
        ASSERT_FAILS(wlab_algo_wellsvm.create(&state, p, params, NULL, &err), bad[k].code, err, bad[k].text);
        assert_null(state);
        wlab_params_destroy(params);
    }
    wlab_problem_unref(p);
    static const char *const large[] = {"n=1100 seed=1", "n=4100 seed=1"};
    static const char *const says[] = {"at most 1000 free labels", "at most 4000 rows"};
    for (int k = 0; k < 2; k++) {
        wlab_params *params = NULL;
        void *state = NULL;
        p = create_problem("two-moons", large[k], "ssl", "labeled=6 seed=1");
        ASSERT_OK(wlab_params_create(&params, wlab_algo_wellsvm.params, &err), err);
        set_all(params, "kernel=linear search=exact");
        ASSERT_FAILS(wlab_algo_wellsvm.create(&state, p, params, NULL, &err), WL_EARG, err, says[k]);
        assert_null(state);
        wlab_params_destroy(params);
        wlab_problem_unref(p);
    }
}

/* Equal rows and very different costs: the gain of an exchange is only rounding, and the search must not cycle. */
static void test_search_ends(void **unused)
{
    static const char text[] = "-1 1:-1\n1 1:1\n1 1:-1\n-1 1:-1\n";
    (void)unused;
    wlab_err err;
    char path[256];
    wlab_dataset *data = NULL;
    wlab_params *load = NULL;
    support_temp_file(path, ".libsvm", text, sizeof text - 1);
    ASSERT_OK(wlab_params_create(&load, wlab_load_params, &err), err);
    ASSERT_OK(wlab_dataset_load(&data, path, NULL, load, NULL, &err), err);
    wlab_params_destroy(load);
    unlink(path);
    for (int seed = 1; seed <= 20; seed++) {
        char how[64];
        wlab_problem *p = NULL;
        wlab_params *t = NULL;
        const wlab_task *task = wlab_task_find("ssl");
        ASSERT_OK(wlab_params_create(&t, task->params, &err), err);
        snprintf(how, sizeof how, "labeled=2 seed=%d r=0.5", seed);
        set_all(t, how);
        ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, task, t, NULL, &err), err);
        wellsvm *s = create_state(&wlab_algo_wellsvm, p,
                                  "kernel=rbf sigma=0.3x loss=hinge C1=1e3 C2=1e-3 search=multistart", NULL);
        for (int k = 0; k < 5 && step(&wlab_algo_wellsvm, s, NULL) == WL_MORE; k++)
            ;
        wlab_algo_wellsvm.destroy(s);
        wlab_problem_unref(p);
        wlab_params_destroy(t);
    }
    wlab_dataset_unref(data);
}

/* Bags with the linear kernel: the factor F in place of Q, against the same kernel as poly, which always uses Q. */
static void compare_thin_with_Q(const char *loss, bool chosen, const char *made, int steps)
{
    const wlab_algo *algo = &wlab_algo_wellsvm;
    wlab_problem *p = create_problem("roi-bags", made, "mil", "");
    void *s[2];
    for (int k = 0; k < 2; k++) {
        char settings[160];
        snprintf(settings, sizeof settings, "%s loss=%s C1=10 C2=0.5 search=paper bias=1",
                 k ? "kernel=poly degree=1 gamma=1 coef0=0" : "kernel=linear", loss);
        s[k] = create_state(algo, p, settings, NULL);
        assert_int_equal(((wellsvm *)s[k])->thin, chosen && k == 0);
    }
    ((wellsvm *)s[0])->thin = true;
    for (int i = 0; i < steps; i++) {
        static const char *const same[] = {"objective", "upper", "lower", "working_set"};
        /* Labelings that are almost equally good differ in the last digits only, and these differ between the two
         * runs.  So both get the same next labeling. */
        memcpy(((wellsvm *)s[0])->pending, ((wellsvm *)s[1])->pending, (size_t)p->n);
        const wlab_verdict a = step(algo, s[0], NULL), b = step(algo, s[1], NULL);
        for (int k = 0; k < 4; k++) {
            const double x = metric(algo, s[0], same[k]), y = metric(algo, s[1], same[k]);
            if (!(fabs(x - y) <= 1e-8 * fabs(y)))
                fail_msg("%s, step %d: %s is %.15g, but %.15g with Q", loss, i + 1, same[k], x, y);
        }
        assert_int_equal(a, b);
        if (a != WL_MORE)
            break;
    }
    for (int k = 0; k < 2; k++)
        algo->destroy(s[k]);
    wlab_problem_unref(p);
}

static void test_thin(void **state)
{
    static const char *const loss[] = {"hinge", "squared-hinge", "sum-to-one"};
    (void)state;
    for (int l = 0; l < (SANITIZED ? 1 : 3); l++) /* few bags, for which the program would use Q */
        compare_thin_with_Q(loss[l], false, "bags=40 positive=0.2 least=12 most=16 dims=5 seed=3", 4);
    compare_thin_with_Q("hinge", true, "bags=100 positive=0.2 least=12 most=16 dims=5 seed=3", 1);
    compare_thin_with_Q("squared-hinge", true, "bags=100 positive=0.2 least=12 most=16 dims=5 seed=3", 2);
}

/* Q on bags, whose block of negative bags is kept, and products of several labelings, against their defining sums. */
static void test_bags(void **state)
{
    enum {
        T = 5
    };
    wlab_problem *p =
        create_problem("roi-bags", "bags=12 positive=0.5 least=3 most=6 seed=2", "mil", "keys=2");
    wellsvm *s = create_state(&wlab_algo_wellsvm, p, "kernel=rbf", NULL);
    const int64_t n = s->n, m = s->m;
    const int32_t *e = p->example;
    int8_t *y = calloc(T, (size_t)n);
    double mu[T] = {0.4, 0, 0.3, 0.2, 0.1}, q[T], *Q = NULL, *out = calloc(T, (size_t)n * sizeof *out);
    wlab_rng rng;
    wlab_err err;
    (void)state;
    wlab_rng_seed(&rng, 3);
    for (int round = 0; round < 3; round++) {
        const int64_t used = round == 2 ? 1 : T;
        if (used == 1)
            mu[0] = 1;
        for (int t = 0; t < T; t++)
            wlab_labelset_random(p->labels, &rng, y + t * n);
        for (int64_t i = 0; i < m; i++)
            s->at.alpha[i] = (double)(i % 4) / 3;
        free(Q);
        Q = calloc((size_t)(m * m), sizeof *Q);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                for (int t = 0; t < used; t++)
                    Q[e[i] * m + e[j]] += mu[t] * y[t * n + i] * y[t * n + j] * s->K[i * n + j];
        ASSERT_OK(well_form_Q(s, y, used, mu, NULL, &err), err);
        for (int64_t i = 0; i < m * m; i++)
            assert_true(fabs(Q[i] - s->Q[i]) < 1e-12);
        ASSERT_OK(well_products(s, s->at.alpha, y, used, out, q, NULL, &err), err);
        for (int t = 0; t < used; t++) {
            assert_true(fabs(q[t] - quad(s, s->at.alpha, y + t * n)) < 1e-10);
            for (int64_t i = 0; i < n; i++) {
                double sum = 0;
                for (int64_t j = 0; j < n; j++)
                    sum += s->K[i * n + j] * y[t * n + j] * s->at.alpha[e[j]];
                assert_true(fabs(sum - out[t * n + i]) < 1e-11);
            }
        }
    }
    free(Q);
    free(out);
    free(y);
    wlab_algo_wellsvm.destroy(s);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_bags),
        cmocka_unit_test(test_enumerated_optimum),
        cmocka_unit_test(test_few_nodes),
        cmocka_unit_test(test_multistart_on_sixty),
        cmocka_unit_test(test_auto_adds_tree),
        cmocka_unit_test(test_one_labeling_is_the_svm),
        cmocka_unit_test(test_one_labeling_is_one_class),
        cmocka_unit_test(test_all_visible_is_supervised),
        cmocka_unit_test(test_masters_agree),
        cmocka_unit_test(test_diagonal_bound),
        cmocka_unit_test(test_time_travel),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_integer_optimum),
        cmocka_unit_test(test_set_resets_bounds),
        cmocka_unit_test(test_search_ends),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
