/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores compared with their definitions.
 */
#include "support.h"

#include "weaklab/rng.h"
#include "weaklab/score.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* AUC is P(f+ > f-) + P(f+ = f-)/2 over all pairs; ties, zeros and unknown rows are frequent here. */
static void against_pairs(void **state)
{
    (void)state;
    wlab_rng rng;
    wlab_rng_seed(&rng, 3);
    for (int trial = 0; trial < 300; trial++) {
        double f[40];
        int8_t truth[40];
        int64_t n = 1 + (int64_t)wlab_rng_below(&rng, 40), right = 0, known = 0;
        double pairs = 0, ordered = 0;
        for (int64_t i = 0; i < n; i++) {
            f[i] = (double)wlab_rng_below(&rng, 7) - 3;
            truth[i] = (int8_t)((int)wlab_rng_below(&rng, 3) - 1);
            known += truth[i] != 0;
            right += truth[i] != 0 && (f[i] > 0 ? truth[i] > 0 : truth[i] < 0);
        }
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                if (truth[i] > 0 && truth[j] < 0) {
                    pairs += 1;
                    ordered += f[i] > f[j] ? 1 : f[i] < f[j] ? 0 : 0.5;
                }
            }
        }
        wlab_scores s;
        wlab_score(f, truth, n, &s);
        assert_int_equal(s.n, known);
        assert_int_equal(s.skipped, n - known);
        assert_int_equal(s.tp + s.tn + s.fp + s.fn, known);
        assert_int_equal(s.tp + s.tn, right);
        assert_true(known ? near(s.accuracy, (double)right / (double)known) : isnan(s.accuracy));
        assert_true(pairs > 0 ? near(s.auc, ordered / pairs) : isnan(s.auc));
    }
}

static void by_hand(void **state)
{
    (void)state;
    /* tp 2, fn 1, tn 1, fp 1; a decision value of 0 is negative. */
    double f[6] = {2, 0.5, 0, -1, 3, 9};
    int8_t truth[6] = {1, 1, 1, -1, -1, 0};
    wlab_scores s;
    wlab_score(f, truth, 6, &s);
    assert_int_equal(s.tp, 2);
    assert_int_equal(s.fn, 1);
    assert_int_equal(s.tn, 1);
    assert_int_equal(s.fp, 1);
    assert_int_equal(s.skipped, 1);
    assert_true(near(s.accuracy, 0.6));
    assert_true(near(s.precision, 2.0 / 3) && near(s.recall, 2.0 / 3) && near(s.f1, 2.0 / 3));
    assert_true(near(s.balanced_accuracy, (2.0 / 3 + 0.5) / 2));
    assert_true(near(s.auc, 0.5));
}

static void one_class(void **state)
{
    (void)state;
    double f[3] = {1, -1, 1};
    int8_t truth[3] = {-1, -1, -1};
    wlab_scores s;
    wlab_score(f, truth, 3, &s);
    assert_true(near(s.accuracy, 1.0 / 3) && near(s.balanced_accuracy, 1.0 / 3));
    assert_true(isnan(s.auc) && isnan(s.recall) && near(s.precision, 0) && near(s.f1, 0));
    wlab_score(f, truth, 0, &s);
    assert_true(isnan(s.accuracy) && isnan(s.auc) && isnan(s.balanced_accuracy) && isnan(s.f1));
    f[1] = NAN;
    truth[0] = 1;
    wlab_score(f, truth, 3, &s);
    assert_true(isnan(s.auc));
    wlab_alloc_fail_at(1);
    f[1] = 0;
    wlab_score(f, truth, 3, &s);
    wlab_alloc_fail_at(0);
    assert_true(isnan(s.auc) && near(s.accuracy, 2.0 / 3));
}

static void matching(void **state)
{
    (void)state;
    int8_t labels[6] = {1, 1, -1, -1, 1, 0}, truth[6] = {-1, -1, 1, 1, 1, 1};
    assert_true(near(wlab_matching_accuracy(labels, truth, 6), 4.0 / 6));
    assert_true(near(wlab_matching_accuracy(labels, truth, 4), 1));
    assert_true(near(wlab_matching_accuracy(labels, labels, 5), 1));
    int8_t none[2] = {0, 0};
    assert_true(isnan(wlab_matching_accuracy(labels, none, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_pairs),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(one_class),
        cmocka_unit_test(matching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
