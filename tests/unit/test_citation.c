/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * citation-knn: bags whose references and citers are known, the rule against its definition by counting, bags of one row
 * against the nearest neighbour, orders of bags and rows, the model, which leaves a training bag out, labels, units,
 * settings between steps, refusals.
 */
#include "unit/posed.h"
#include "unit/reading.h"

#include "algo/mil/citation.h"

#include <math.h>

static const wlab_algo *const knn = &wlab_algo_citation_knn;

static wlab_problem *of_data(wlab_dataset *data, const char *options)
{
    wlab_problem *p = NULL;
    wlab_params *params = made_params(wlab_task_find("mil")->params, options, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_problem_create(&p, data, NULL, 0, NULL, 0, wlab_task_find("mil"), params, NULL, &err),
              err);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

static wlab_problem *of_text(const char *text)
{
    return of_data(reading_load(text, ".csv", ""), "");
}

static void *ended(wlab_problem *p, const char *options)
{
    void *s = create_state(knn, p, options);
    wlab_verdict v = WL_MORE;
    for (int k = 0; v == WL_MORE; k++) {
        assert_true(k < 20);
        v = step(knn, s, NULL);
    }
    assert_int_equal(v, WL_CONVERGED);
    return s;
}

/* f of the training bags, each without itself. */
static void votes(const void *s, const wlab_problem *p, double *f)
{
    wlab_model *m = model_of(knn, s);
    ASSERT_OK(wlab_model_predict_bags(m, p->X, p->data, p->row, p->bag, p->bags, f, NULL, &err), err);
    wlab_model_destroy(m);
}

/* f of a bag of rows x[0 .. n-1] of one column, of which nothing is known. */
static double vote_of_new(const void *s, const double *x, int64_t n)
{
    wlab_matrix *X = NULL;
    const int32_t bag[4] = {0};
    double f = NAN;
    wlab_model *m = model_of(knn, s);
    ASSERT_OK(wlab_matrix_create_dense(&X, n, 1, &err), err);
    memcpy(X->dense, x, (size_t)n * sizeof *x);
    ASSERT_OK(wlab_model_predict_bags(m, X, NULL, NULL, bag, 1, &f, NULL, &err), err);
    wlab_matrix_destroy(X);
    wlab_model_destroy(m);
    return f;
}

/* Five bags on a line.  Distances: ab 1, ac 2.5, bc 1.5, cd 7.5, de 1, all others larger.  With R = C = 1 the references are
 * b, a, b, e, d, and the citers b | a c | none | e | d. */
static const char line[] = "x,bag,class\n0,a,1\n50,a,1\n1,b,1\n60,b,1\n2.5,c,-1\n10,d,-1\n11,e,-1\n";

static void test_known(void **state)
{
    (void)state;
    static const double loo[] = {2, 1, 1, -2, -2}, near[] = {1.2, 30}, tie[] = {1.75};
    wlab_problem *p = of_text(line);
    void *s = ended(p, "references=1 citers=1");
    double f[5];
    char words[1000];

    votes(s, p, f);
    for (int b = 0; b < 5; b++)
        ASSERT_NEAR(f[b], loo[b], 0);
    ASSERT_NEAR(metric(knn, s, "objective"), 0.2, 0);
    ASSERT_NEAR(metric(knn, s, "alarms"), 1, 0);
    ASSERT_NEAR(metric(knn, s, "missed"), 0, 0);
    ASSERT_NEAR(metric(knn, s, "left"), 0, 0);
    /* at 0.2 from b and 1.3 from c: reference b; b cites it, c, too, as b is farther (1.5), a not (b is nearer) */
    ASSERT_NEAR(vote_of_new(s, near, 2), 1, 0);
    /* as far from b as from c: both are references, both cite it */
    ASSERT_NEAR(vote_of_new(s, tie, 1), 0, 0);
    knn->explain(s, words, sizeof words);
    assert_non_null(strstr(words, "bag e (-): references d (-); citers d (-); votes 0 for +, 2 for -"));
    knn->destroy(s);
    wlab_problem_unref(p);
}

/* ---- the rule by its definition ---- */

static double distance_of(const wlab_problem *p, int64_t a, int64_t b)
{
    double least = HUGE_VAL;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->n && p->bag[i] == a; j++) {
            double sum = 0;
            for (int32_t k = 0; k < p->X->cols && p->bag[j] == b; k++)
                sum += pow(wlab_matrix_at(p->X, i, k) - wlab_matrix_at(p->X, j, k), 2);
            if (p->bag[j] == b)
                least = fmin(least, sum);
        }
    return sqrt(least);
}

/* How many bags but x and y are strictly nearer to x than y is. */
static int64_t rank_of(const double *D, int64_t m, int64_t x, int64_t y)
{
    int64_t nearer = 0;
    for (int64_t b = 0; b < m; b++)
        nearer += b != x && b != y && D[x * m + b] < D[x * m + y];
    return nearer;
}

static double defined(const wlab_problem *p, const double *D, int64_t a, int64_t R, int64_t C)
{
    double f = 0;
    for (int64_t b = 0; b < p->bags; b++) {
        const int votes_of_b = b == a ? 0 : (rank_of(D, p->bags, a, b) < R) + (rank_of(D, p->bags, b, a) < C);
        f += (p->bag_given[b] > 0.5 ? 1 : -1) * votes_of_b;
    }
    return f;
}

static double *distances(const wlab_problem *p)
{
    double *D = malloc((size_t)(p->bags * p->bags) * sizeof *D);
    assert_non_null(D);
    for (int64_t a = 0; a < p->bags; a++)
        for (int64_t b = 0; b < p->bags; b++)
            D[a * p->bags + b] = distance_of(p, a, b);
    return D;
}

static void test_defined(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        char how[80];
        snprintf(how, sizeof how, "bags=14 least=1 most=4 dims=2 rois=1 positive=0.4 seed=%d", seed);
        wlab_problem *p = pose("roi-bags", how, "mil", "");
        double *D = distances(p), f[14];
        for (int R = 0; R <= 4; R += 2)
            for (int C = R ? 0 : 1; C <= 20; C += 3) {
                char settings[60];
                int64_t wrong = 0;
                snprintf(settings, sizeof settings, "references=%d citers=%d", R, C);
                void *s = ended(p, settings);
                votes(s, p, f);
                for (int64_t b = 0; b < p->bags; b++) {
                    ASSERT_NEAR(f[b], defined(p, D, b, R, C), 0);
                    wrong += (f[b] > 0) != (p->bag_given[b] > 0.5);
                }
                ASSERT_NEAR(metric(knn, s, "objective"), (double)wrong / (double)p->bags, 1e-15);
                knn->destroy(s);
            }
        free(D);
        wlab_problem_unref(p);
    }
}

/* Bags of one row with R = 1, C = 0: the label of the nearest other row, also by the outputs of rows. */
static void test_nearest_neighbour(void **state)
{
    (void)state;
    wlab_problem *p = pose("roi-bags", "bags=60 least=1 most=1 dims=3 rois=1 positive=0.4 seed=3", "mil", "");
    void *s = ended(p, "references=1 citers=0");
    wlab_model *m = model_of(knn, s);
    double whole[60], f[60];
    assert_int_equal(p->n, p->bags);
    votes(s, p, whole);
    ASSERT_OK(wlab_model_predict_rows(m, p->X, p->data, p->row, f, NULL, &err), err);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t near = -1;
        double least = HUGE_VAL;
        for (int64_t j = 0; j < p->n; j++) {
            const double d = j == i ? HUGE_VAL : distance_of(p, p->bag[i], p->bag[j]);
            near = d < least ? j : near;
            least = fmin(least, d);
        }
        const int sign = p->bag_given[p->bag[near]] > 0.5 ? 1 : -1;
        ASSERT_NEAR(whole[p->bag[i]], sign, 0);
        assert_int_equal(f[i] > 0 ? 1 : -1, sign);
    }
    wlab_model_destroy(m);
    knn->destroy(s);
    wlab_problem_unref(p);
}

/* ---- order ---- */

/* Bags in another order, and rows mixed: the same votes for each bag, the same outputs for each row. */
static void test_order(void **state)
{
    (void)state;
    static const char *const text[] = {"x,y,bag,class\n0,1,a,1\n5,2,a,1\n1,1,b,1\n6,0,b,1\n2,2,c,-1\n4,4,c,-"
                                       "1\n3,1,d,-1\n1,2,d,-1\n0,4,e,-1\n",
                                       "x,y,bag,class\n1,2,d,-1\n0,4,e,-1\n6,0,b,1\n2,2,c,-1\n0,1,a,1\n3,1,d,"
                                       "-1\n1,1,b,1\n4,4,c,-1\n5,2,a,1\n"};
    static const int second[] = {4, 2, 3, 0, 1}; /* the numbers of bags a to e in the second text */
    double f[2][5];
    for (int t = 0; t < 2; t++) {
        wlab_problem *p = of_text(text[t]);
        void *s = ended(p, "references=2 citers=2");
        votes(s, p, f[t]);
        knn->destroy(s);
        wlab_problem_unref(p);
    }
    for (int b = 0; b < 5; b++)
        ASSERT_NEAR(f[0][b], f[1][second[b]], 0);
}

/* ---- the model, labels, units, settings ---- */

static void test_model(void **state)
{
    (void)state;
    wlab_problem *p = of_text(line);
    void *s = ended(p, "references=1 citers=0");
    wlab_buf out = {0};
    wlab_model *m = model_of(knn, s);
    double f[7], whole[5];
    /* as new rows they are at distance 0 from their own bag, which decides */
    ASSERT_OK(wlab_model_predict_bags(m, p->X, NULL, NULL, p->bag, p->bags, whole, NULL, &err), err);
    for (int b = 0; b < 5; b++)
        ASSERT_NEAR(whole[b], p->bag_given[b] > 0.5 ? 1 : -1, 0);
    /* the row at 0 without bag a: 2.5 from c, 1 from b; that at 50: 39 from e, 10 from b */
    ASSERT_OK(wlab_model_predict_rows(m, p->X, p->data, p->row, f, NULL, &err), err);
    ASSERT_NEAR(f[0], 1.5, 1e-12);
    ASSERT_NEAR(f[1], 29, 1e-12);
    ASSERT_OK(wlab_model_predict(m, p->X, f, NULL, &err), err);
    ASSERT_NEAR(f[0], 2.5, 1e-12);
    ASSERT_FAILS(wlab_model_write(m, &out, &err), WL_ESTATE, err, "export bags");
    wlab_buf_clear(&out);
    wlab_model_destroy(m);
    knn->destroy(s);
    wlab_problem_unref(p);
}

static void test_labels(void **state)
{
    (void)state;
    static const char *const options[] = {"", "labels=instances"};
    for (int o = 0; o < 2; o++) {
        wlab_problem *p = pose("roi-bags", "bags=9 least=3 most=5 dims=4 rois=2 seed=4", "mil", options[o]);
        void *s = ended(p, "");
        int8_t y[64];
        knn->observe(s, NULL, y);
        assert_true(p->n <= 64 && wlab_labelset_contains(p->labels, y));
        knn->destroy(s);
        wlab_problem_unref(p);
    }
}

static void test_units(void **state)
{
    (void)state;
    wlab_problem *p = pose("roi-bags", "bags=9 least=3 most=5 dims=4 rois=2 seed=4", "mil", "");
    units_hold(knn, p, "", 18, 0);
    wlab_problem_unref(p);
}

/* Other votes between steps: the run classifies all bags again, and ends as one that began with them. */
static void test_set(void **state)
{
    (void)state;
    wlab_problem *p = pose("roi-bags", "bags=30 least=1 most=4 dims=3 seed=2", "mil", "");
    void *a = create_state(knn, p, ""), *b = ended(p, "references=3 citers=1");
    for (int k = 0; k < 7; k++)
        assert_int_equal(step(knn, a, NULL), WL_MORE);
    wlab_params *none = made_params(knn->params, "references=0 citers=0", &err),
                *other = made_params(knn->params, "references=3 citers=1", &err);
    ASSERT_FAILS(knn->set(a, none, &err), WL_EARG, err, "no bag votes");
    ASSERT_OK(knn->set(a, other, &err), err);
    for (int k = 0; k < 20; k++)
        assert_int_equal(step(knn, a, NULL), k < 19 ? WL_MORE : WL_CONVERGED);
    same_state(knn, a, b, p->n);
    wlab_params_destroy(none);
    wlab_params_destroy(other);
    knn->destroy(a);
    knn->destroy(b);
    wlab_problem_unref(p);
}

/* Two bags have one other each, of the other class.  Bags at the same place are all references.  No votes at all are
 * refused. */
static void test_edges(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double wrong;
    } one[] = {{"x,bag,class\n1,a,1\n2,b,-1\n", 1}, {"x,bag,class\n1,a,1\n1,b,1\n1,c,1\n1,d,-1\n", 0.25}};
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        wlab_problem *p = of_text(one[k].text);
        void *s = ended(p, "");
        ASSERT_NEAR(metric(knn, s, "objective"), one[k].wrong, 0);
        knn->destroy(s);
        wlab_problem_unref(p);
    }
    wlab_problem *p = of_text(line);
    wlab_params *none = made_params(knn->params, "references=0 citers=0", &err);
    void *s = NULL;
    ASSERT_FAILS(knn->create(&s, p, none, NULL, &err), WL_EARG, err, "no bag votes");
    wlab_params_destroy(none);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_defined),
        cmocka_unit_test(test_nearest_neighbour),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
