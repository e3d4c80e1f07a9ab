/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * softmax-sdp on tasks: bounds that meet if all labels are given, bounds against EM, labels that obey candidates and
 * bags, points instead of rows, changed lambda, threads, snapshots, interrupts, memory, refusals.  test_relax.c and
 * test_softmax.c test the mathematics.
 */
#include "solve/softmax/softmax.h"
#include "unit/posed.h"
#include "unit/probed.h"

static const wlab_algo *const algo = &wlab_algo_sdp;

static wlab_verdict run(void *s, int most)
{
    wlab_verdict verdict = WL_MORE;
    for (int k = 0; k < most && verdict == WL_MORE; k++) {
        verdict = step(algo, s, NULL);
        const double gap = metric(algo, s, "gap"), lower = metric(algo, s, "lower"),
                     upper = metric(algo, s, "upper");
        assert_false(gap < 0);
        assert_false(upper < lower - 1e-9 * fabs(lower));
    }
    return verdict;
}

/* If all labels are given, Z = zz' is fixed, and when the run ends both bounds equal the objective. */
static void test_supervised(void **state)
{
    (void)state;
    wlab_problem *p = pose("blobs", "n=40 classes=3 seed=2", "supervised", "classes=all");
    for (int coding = 0; coding < 2; coding++) {
        void *s = create_state(
            algo, p, coding ? "lambda=0.1 eps=1e-7 em=no coding=indicator" : "lambda=0.1 eps=1e-7 em=no");
        assert_int_equal(run(s, 50), WL_CONVERGED);
        ASSERT_NEAR(metric(algo, s, "objective"), metric(algo, s, "upper"), 1e-6);
        ASSERT_NEAR(metric(algo, s, "lower"), metric(algo, s, "upper"), 1e-6);
        algo->destroy(s);
    }
    wlab_problem_unref(p);
}

/* Every label is an allowed one, in every step of both stages. */
static void check_allowed(wlab_problem *p, const char *setting)
{
    void *s = create_state(algo, p, setting);
    int8_t *y = malloc((size_t)p->n);
    assert_non_null(y);
    for (wlab_verdict verdict = WL_MORE; verdict == WL_MORE;) {
        verdict = step(algo, s, NULL);
        algo->observe(s, NULL, y);
        for (int64_t i = 0; i < p->n; i++)
            assert_true(wlab_problem_allowed(p, i) >> wlab_label_index(p, y[i]) & 1);
    }
    assert_true(metric(algo, s, "em") > 0);
    free(y);
    algo->destroy(s);
}

static void test_labels_are_allowed(void **state)
{
    (void)state;
    wlab_problem *p =
        pose("blobs", "n=36 classes=4 seed=2", "ambiguous", "classes=all candidates=2 ambiguous=0.8");
    check_allowed(p, "lambda=0.3");
    check_allowed(p, "lambda=0.3 coding=indicator rounding=spectral");
    check_allowed(p, "lambda=0.3 reduce=kmeans points=20");
    wlab_problem_unref(p);
    p = pose("blobs", "n=40 classes=3 seed=2", "ssl", "classes=all labeled=9");
    check_allowed(p, "lambda=0.1 weight=bag");
    check_allowed(p, "lambda=0.1 reduce=subset points=20 rounding=spectral");
    wlab_problem_unref(p);
    p = pose("roi-bags", "bags=6 least=4 most=6 seed=2", "mil", "");
    check_allowed(p, "lambda=1 weight=bag");
    check_allowed(p, "lambda=1 entropy=bag hard=no");
    wlab_problem_unref(p);
}

/* Two rows without a common candidate have different classes: in every step their entries of Z have the prescribed
 * value.  With links=rows all such pairs of rows are linked, which gives a higher lower bound. */
static void test_links(void **state)
{
    double lower[2];
    (void)state;
    wlab_problem *p =
        pose("blobs", "n=40 classes=4 seed=2", "ambiguous", "classes=all candidates=2 ambiguous=0.8");
    for (int rows = 0; rows < 2; rows++) {
        void *s = create_state(algo, p,
                               rows ? "lambda=0.02 eps=1e-3 em=no links=rows" : "lambda=0.02 eps=1e-3 em=no");
        wlab_verdict verdict = WL_MORE;
        while (verdict == WL_MORE) {
            verdict = step(algo, s, NULL);
            assert_true(metric(algo, s, "link_error") <= 1e-8 && metric(algo, s, "gap") >= 0);
            assert_true(metric(algo, s, "upper") >= metric(algo, s, "lower"));
        }
        assert_int_equal(verdict, WL_CONVERGED);
        lower[rows] = metric(algo, s, "lower");
        algo->destroy(s);
    }
    assert_true(lower[1] > lower[0]);
    wlab_problem_unref(p);
}

/* The diagonal of Z is 1; labelled rows of one class have the product 1, those of two classes that of the class
 * vectors. */
static void test_matrix(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=30 classes=3 seed=2", "ssl", "classes=all labeled=6");
    void *s = create_state(algo, p, "lambda=0.1");
    int32_t rows[30];
    wlab_probed z;
    for (int i = 0; i < 30; i++)
        rows[i] = i;
    ASSERT_FAILS(probed_over(algo, s, WL_PROBE_MATRIX, rows, 30, &z, NULL, &err), WL_ESTATE, err, "step");
    ASSERT_FAILS(probed(algo, s, WL_PROBE_SCORES, &z, &err), WL_ESTATE, err, "no scores yet");
    for (int k = 0; k < 3; k++) {
        step(algo, s, NULL);
        ASSERT_OK(probed_over(algo, s, WL_PROBE_MATRIX, rows, 30, &z, NULL, &err), err);
        const double *Z = z.value;
        for (int i = 0; i < 30; i++) {
            ASSERT_NEAR(Z[i * 30 + i], 1, 1e-9);
            for (int j = 0; j < 30; j++) {
                assert_true(fabs(Z[i * 30 + j]) <= 1 + 1e-9 && Z[i * 30 + j] == Z[j * 30 + i]);
                if (p->visible[i] && p->visible[j])
                    ASSERT_NEAR(Z[i * 30 + j], p->visible[i] == p->visible[j] ? 1 : -0.5, 1e-7);
            }
        }
        wlab_probed_clear(&z);
    }
    algo->destroy(s);
    wlab_problem_unref(p);
}

/* `set` after EM: the objective is F of the relaxation again, and another lambda ends where a fresh run with it ends.
 *  */
static void test_set(void **state)
{
    (void)state;
    wlab_err err;
    char text[2000];
    wlab_problem *p = pose("blobs", "n=40 classes=3 seed=4 spread=0.6", "cluster", "classes=3");
    void *s = create_state(algo, p, "lambda=0.3 eps=1e-4"),
         *t = create_state(algo, p, "lambda=0.1 eps=1e-4 em=no");
    double F = 0;
    wlab_verdict verdict = WL_MORE;
    while (verdict == WL_MORE) {
        verdict = step(algo, s, NULL);
        F = metric(algo, s, "em") > 0 ? F : metric(algo, s, "objective");
    }
    wlab_params *given = made_params(algo->params, "lambda=0.3 eps=1e-5", &err);
    ASSERT_OK(algo->set(s, given, &err), err);
    assert_true(metric(algo, s, "objective") == F && metric(algo, s, "em") == 0);
    wlab_params_destroy(given);
    given = made_params(algo->params, "lambda=0.1 eps=1e-4", &err);
    ASSERT_OK(algo->set(s, given, &err), err);
    wlab_params_destroy(given);
    algo->explain(s, text, sizeof text);
    assert_non_null(strstr(text, "lambda was changed to 0.1"));
    assert_true(isnan(metric(algo, s, "objective")) && isnan(metric(algo, s, "gap")));
    do {
        step(algo, s, NULL);
        F = metric(algo, s, "em") > 0 ? F : metric(algo, s, "objective");
    } while (metric(algo, s, "em") == 0);
    run(t, 1000);
    ASSERT_NEAR(F, metric(algo, t, "objective"), 2e-4 * fabs(F));
    algo->destroy(s);
    algo->destroy(t);
    wlab_problem_unref(p);
}

/* The final labels are the best of all steps, and in EM the bounds are still those of the relaxation. */
static void test_best_labels_are_final(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 8; seed++)
        for (int em = 0; em < 2; em++) {
            char data[80], settings[80];
            double best = INFINITY, gap = INFINITY, upper = NAN;
            wlab_verdict verdict = WL_MORE;
            snprintf(data, sizeof data, "n=60 classes=3 spread=0.5 seed=%d", seed);
            snprintf(settings, sizeof settings, "lambda=0.1 em=%s", em ? "yes" : "no");
            wlab_problem *p = pose("blobs", data, "cluster", "classes=3");
            void *s = create_state(algo, p, settings);
            while (verdict == WL_MORE) {
                verdict = step(algo, s, NULL);
                if (metric(algo, s, "em") > 0)
                    assert_true(metric(algo, s, "gap") == gap && metric(algo, s, "upper") == upper);
                assert_true(metric(algo, s, "gap") <= gap);
                ASSERT_NEAR(metric(algo, s, "gap"), metric(algo, s, "upper") - metric(algo, s, "lower"),
                            1e-15);
                assert_true(metric(algo, s, "integer_upper") <= best);
                gap = metric(algo, s, "gap");
                upper = metric(algo, s, "upper");
                best = metric(algo, s, "integer_upper");
            }
            assert_int_equal(verdict, WL_CONVERGED);
            assert_true(best >= metric(algo, s, "lower"));
            if (em)
                assert_true(metric(algo, s, "objective") <= best + 1e-7); /* EM begins at these labels */
            else { /* recompute f of the displayed labels */
                wlab_err err;
                int8_t y[60];
                int32_t label[60];
                double pi[60];
                wlab_em *e = NULL;
                algo->observe(s, NULL, y);
                for (int i = 0; i < 60; i++) {
                    label[i] = wlab_label_index(p, y[i]);
                    pi[i] = 1.0 / 60;
                }
                const wlab_em_problem q = {
                    .n = 60, .d = 2, .Phi = p->X->dense, .pi = pi, .P = 3, .lambda = 0.1, .intercept = true};
                assert_int_equal(p->X->cols, 2);
                ASSERT_OK(wlab_em_create(&e, &q, &err), err);
                ASSERT_OK(wlab_em_set_labels(e, label, &err), err);
                ASSERT_OK(wlab_em_m_step(e, 1e-10, NULL, &err), err);
                ASSERT_NEAR(wlab_em_objective(e).total, best, 2e-6);
                wlab_em_destroy(e);
            }
            algo->destroy(s);
            wlab_problem_unref(p);
        }
}

static void test_threads_interrupts_memory(void **state)
{
    (void)state;
    wlab_problem *p =
        pose("blobs", "n=14 classes=3 seed=2", "ambiguous", "classes=all candidates=2 ambiguous=0.6");
    units_hold(algo, p, "lambda=0.5 eps=0.1", 40, 0);
    wlab_problem_unref(p);
    p = pose("blobs", "n=24 classes=3 seed=2", "cluster", "classes=3");
    units_hold(algo, p, "lambda=0.5 eps=0.1 kernel=rbf reduce=kmeans points=9", 40, 0);
    units_hold(algo, p, "lambda=0.5 eps=0.1 loss=square reduce=subset points=9", 40, 0);
    units_hold(algo, p, "lambda=0.5 eps=0.1 rounding=spectral", 40, 0);
    wlab_problem_unref(p);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const refused[][2] = {
        {"reduce=kmeans points=2", "too few for 3 classes"},
        {"kernel=linear gamma=2", "gamma"},
    };
    wlab_err err;
    wlab_problem *p = pose("blobs", "n=24 classes=3 seed=2", "cluster", "classes=3");
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        void *s = p;
        wlab_params *given = made_params(algo->params, refused[k][0], &err);
        ASSERT_FAILS(algo->create(&s, p, given, NULL, &err), WL_EARG, err, refused[k][1]);
        assert_null(s);
        wlab_params_destroy(given);
    }
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_supervised),
        cmocka_unit_test(test_labels_are_allowed),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_best_labels_are_final),
        cmocka_unit_test(test_threads_interrupts_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
