/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best matching, compared with all matchings, and the scores of classes and clusters.
 */
#include "score/matching.h"
#include "support.h"
#include "weaklab/rng.h"
#include "weaklab/score.h"

#include <math.h>

/* The best sum over all matchings of the rows from `row` on with columns that are not in `used`; up to `skip` rows
 * may remain unmatched. */
static int64_t best_of_all(const int64_t *gain, int rows, int cols, int row, unsigned used, int skip)
{
    int64_t best = INT64_MIN / 2;
    if (row == rows)
        return 0;
    for (int j = 0; j < cols; j++)
        if (!(used & 1u << j)) {
            const int64_t sum =
                gain[row * cols + j] + best_of_all(gain, rows, cols, row + 1, used | 1u << j, skip);
            best = sum > best ? sum : best;
        }
    if (skip > 0) {
        const int64_t sum = best_of_all(gain, rows, cols, row + 1, used, skip - 1);
        best = sum > best ? sum : best;
    }
    return best;
}

static void test_all_matchings(void **state)
{
    wlab_rng rng;
    wlab_err err;
    (void)state;
    wlab_rng_seed(&rng, 7);
    for (int turn = 0; turn < 400; turn++) {
        const int rows = 1 + (int)wlab_rng_below(&rng, 6), cols = 1 + (int)wlab_rng_below(&rng, 6);
        const uint64_t range = turn % 2 ? 4 : 1000000; /* few values: many ties */
        int64_t gain[36], sum = 0;
        int match[6], pairs = 0;
        unsigned used = 0;
        for (int k = 0; k < rows * cols; k++)
            gain[k] = (int64_t)wlab_rng_below(&rng, range) - (turn % 3 ? 0 : (int64_t)range / 2);
        ASSERT_OK(wlab_matching(gain, rows, cols, match, &err), err);
        for (int i = 0; i < rows; i++) {
            if (match[i] < 0)
                continue;
            assert_true(match[i] < cols && !(used & 1u << match[i]));
            used |= 1u << match[i];
            sum += gain[i * cols + match[i]];
            pairs++;
        }
        assert_int_equal(pairs, rows < cols ? rows : cols);
        assert_int_equal(sum, best_of_all(gain, rows, cols, 0, 0, rows > cols ? rows - cols : 0));
    }
}

static void test_classes(void **state)
{
    /* worked by hand: class 1 has 3 of 4 right, class 2 has 1 of 2, class 3 none of 1 */
    const int8_t truth[] = {1, 1, 1, 1, 2, 2, 3, 0}, label[] = {1, 1, 1, 2, 2, 3, 0, 1};
    wlab_class_scores s;
    wlab_err err;
    (void)state;
    ASSERT_OK(wlab_score_classes(&s, label, 3, truth, 3, 8, false, &err), err);
    assert_int_equal(s.n, 7);
    assert_int_equal(s.skipped, 1);
    assert_int_equal(s.count[0 * 4 + 0], 3);
    assert_int_equal(s.count[2 * 4 + 3], 1);
    ASSERT_NEAR(s.accuracy, 4.0 / 7, 1e-15);
    ASSERT_NEAR(s.balanced_accuracy, (0.75 + 0.5 + 0) / 3, 1e-15);
    ASSERT_NEAR(s.macro_f1, (6.0 / 7 + 2.0 / 4 + 0) / 3, 1e-15);
    wlab_class_scores_clear(&s);
}

static void test_clusters(void **state)
{
    /* 6 rows, 2 classes, 3 clusters: the joint counts, with the clusters in the order 3, 1, 2, are {2,1,0; 0,1,2}.  The
     * numbers of pairs by hand: in the same class and cluster 1 + 1 = 2, in the same class 6, in the same cluster 3, of
     * all rows 15.  So ARI = (2 - 18/15) / (4.5 - 18/15).  The entropies: H(class) = log 2, H(cluster) = log 3. */
    const int8_t truth[] = {1, 1, 1, 2, 2, 2}, label[] = {3, 3, 1, 1, 2, 2};
    const double joint = 2 * (-(2.0 / 6) * log(2.0 / 6)) + 2 * (-(1.0 / 6) * log(1.0 / 6));
    wlab_class_scores s;
    wlab_err err;
    (void)state;
    ASSERT_OK(wlab_score_classes(&s, label, 3, truth, 2, 6, true, &err), err);
    assert_int_equal(s.match[2], 0);
    assert_int_equal(s.match[1], 1);
    assert_int_equal(s.match[0], -1);
    ASSERT_NEAR(s.accuracy, 4.0 / 6, 1e-15);
    ASSERT_NEAR(s.ari, (2 - 1.2) / (4.5 - 1.2), 1e-14);
    ASSERT_NEAR(s.nmi, 2 * (log(2) + log(3) - joint) / (log(2) + log(3)), 1e-14);
    wlab_class_scores_clear(&s);
    /* renamed clusters change nothing; the truth itself is perfect */
    const int8_t renamed[] = {1, 1, 2, 2, 3, 3};
    wlab_class_scores t;
    ASSERT_OK(wlab_score_classes(&s, renamed, 3, truth, 2, 6, true, &err), err);
    ASSERT_NEAR(s.accuracy, 4.0 / 6, 1e-15);
    ASSERT_NEAR(s.ari, (2 - 1.2) / (4.5 - 1.2), 1e-14);
    ASSERT_OK(wlab_score_classes(&t, truth, 2, truth, 2, 6, true, &err), err);
    ASSERT_NEAR(t.accuracy, 1, 0);
    ASSERT_NEAR(t.ari, 1, 1e-15);
    ASSERT_NEAR(t.nmi, 1, 1e-15);
    wlab_class_scores_clear(&s);
    wlab_class_scores_clear(&t);
    const int8_t nothing[] = {0, 0};
    ASSERT_OK(wlab_score_classes(&s, label, 3, nothing, 2, 2, true, &err), err);
    assert_true(isnan(s.accuracy) && isnan(s.ari) && isnan(s.nmi) && s.skipped == 2);
    wlab_class_scores_clear(&s);
}

static void test_memory_runs_out(void **state)
{
    const int8_t truth[] = {1, 2, 3, 1}, label[] = {2, 1, 1, 4};
    wlab_class_scores s = {0};
    wlab_err err;
    (void)state;
    ALLOC_SWEEP(wlab_score_classes(&s, label, 4, truth, 3, 4, true, &err));
    wlab_class_scores_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_matchings),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
