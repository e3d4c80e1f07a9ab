/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks mil, llp and ambiguous: what the learner observes, and which labelings are allowed.
 */
#include "support.h"

#include "made.h"
#include "weaklab/score.h"
#include "weaklab/task.h"

#include <unistd.h>

static wlab_code make(wlab_problem **p, wlab_dataset *data, const int32_t *train, int64_t n, const char *kind,
                      const char *text, wlab_err *err)
{
    *p = NULL;
    const wlab_task *task = wlab_task_find(kind);
    wlab_params *params = made_params(task->params, text, err);
    if (!params)
        return err->code;
    wlab_code code = wlab_problem_create(p, data, train, n, NULL, 0, task, params, NULL, err);
    wlab_params_destroy(params);
    return code;
}

/* 30 rows in bags of 1 to 7 rows, not in order; the labels are those of the bags, or (own) of the instances. */
enum {
    ROWS = 30,
    BAGS = 8
};

static wlab_dataset *data_in_bags(bool own)
{
    static const int32_t bag[ROWS] = {0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5,
                                      5, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 1};
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", "n=30 seed=3", &err);
    assert_non_null(data);
    data->bag = wlab_alloc(ROWS, sizeof *data->bag);
    assert_non_null(data->bag);
    data->bags = BAGS;
    for (int i = 0; i < ROWS; i++) {
        int at = i * 7 % ROWS; /* not in order */
        data->bag[at] = bag[i];
        data->label[at] = bag[i] % 2 && (!own || i % 2);
    }
    return data;
}

static int sign_of_bag(const wlab_dataset *data, int32_t b)
{
    int sign = -1;
    for (int i = 0; i < ROWS; i++)
        if (data->bag[i] == b && data->label[i] == 1)
            sign = 1;
    return sign;
}

/* Compare examples, costs, visible and true labels of a mil problem with the data set. */
static void check_mil(const wlab_problem *p, int64_t keys, bool own)
{
    int64_t positives = 0, inside = 0;
    int8_t y[ROWS];
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    for (int64_t b = 0; b < p->bags; b++)
        positives += p->bag_given[b] > 0.5;
    for (int64_t i = 0; i < p->n; i++) {
        int sign = sign_of_bag(p->data, p->data->bag[p->row[i]]);
        assert_int_equal(p->bag_given[p->bag[i]] > 0.5, sign > 0);
        assert_int_equal(p->visible[i], sign > 0 ? 0 : -1);
        /* C1 for positive bags, C2 for the instances of negative ones */
        assert_int_equal(p->cost[p->example[i]], sign > 0 ? 0 : 1);
        assert_int_equal(p->truth[i], sign > 0 && !own ? 0 : p->data->label[p->row[i]] == 1 ? 1 : -1);
        inside += sign > 0;
        for (int64_t j = 0; j < i; j++)
            assert_int_equal(p->example[i] == p->example[j], sign > 0 && p->bag[i] == p->bag[j]);
        assert_in_range(p->example[i], 0, p->examples - 1);
        assert_true(p->examples != p->n ||
                    p->example[i] == i); /* then algorithms use instances as examples */
    }
    assert_int_equal(p->examples, positives + p->n - inside);
    assert_true(p->unlabelled == inside && p->labelled == p->n - inside);
    for (int draw = 0; draw < 10; draw++) {
        int64_t chosen[BAGS] = {0}, size[BAGS] = {0};
        wlab_labelset_random(p->labels, &rng, y);
        for (int64_t i = 0; i < p->n; i++) {
            size[p->bag[i]]++;
            chosen[p->bag[i]] += y[i] > 0;
            assert_true(p->visible[i] ? y[i] == -1 : y[i] >= 0);
        }
        for (int64_t b = 0; b < p->bags; b++)
            assert_int_equal(chosen[b], p->bag_given[b] < 0.5 ? 0 : keys < size[b] ? keys : size[b]);
    }
}

static void mil(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    for (int own = 0; own < 2; own++)
        for (int keys = 1; keys <= 3; keys++) {
            char text[20];
            int32_t train[ROWS];
            int64_t n = 0;
            wlab_dataset *data = data_in_bags(own);
            snprintf(text, sizeof text, "keys=%d", keys);
            ASSERT_OK(make(&p, data, NULL, 0, "mil", text, &err), err);
            assert_int_equal(p->bags, BAGS);
            check_mil(p, keys, own);
            wlab_problem_unref(p);
            for (int i = 0; i < ROWS; i++) /* leave out two bags */
                if (data->bag[i] != 2 && data->bag[i] != 5)
                    train[n++] = i;
            ASSERT_OK(make(&p, data, train, n, "mil", text, &err), err);
            assert_int_equal(p->bags, BAGS - 2);
            check_mil(p, keys, own);
            wlab_problem_unref(p);
            wlab_dataset_unref(data);
        }
}

/* If positive bags have one row, the examples are the instances, in whatever order the bags are. */
static void mil_single(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = data_in_bags(false);
    for (int i = 0; i < ROWS; i++)
        data->bag[i] = i % BAGS;
    for (int i = 0; i < ROWS; i++) /* bag 3 alone is positive, with one row; the others are negative */
        data->label[i] = i == 3;
    int32_t train[ROWS];
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++)
        if (data->bag[i] != 3 || i == 3)
            train[n++] = i;
    ASSERT_OK(make(&p, data, train, n, "mil", "", &err), err);
    assert_int_equal(p->examples, p->n);
    check_mil(p, 1, true);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void mil_refusals(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = data_in_bags(false);
    int32_t odd[ROWS];
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++)
        if (data->bag[i] % 2)
            odd[n++] = i;
    ASSERT_FAILS(make(&p, data, odd, n, "mil", "", &err), WL_EARG, err, "all 4 training bags are positive");
    /* a bag with a row of unknown class and no positive row has no class */
    for (int i = 0; i < ROWS; i++)
        if (data->bag[i] == 2) {
            data->label[i] = -1;
            break;
        }
    ASSERT_OK(make(&p, data, NULL, 0, "mil", "", &err), err);
    assert_true(p->bags == BAGS - 1 && p->n == ROWS - 2);
    assert_non_null(strstr(p->remark, "2 rows of bags"));
    check_mil(p, 1, false);
    wlab_problem_unref(p);
    ALLOC_SWEEP_OUT(make(&p, data, NULL, 0, "mil", "", &err), p);
    wlab_problem_unref(p);
    for (int i = 0; i < ROWS; i++)
        data->label[i] = data->label[i] == 1 ? 1 : -1;
    ASSERT_FAILS(make(&p, data, NULL, 0, "mil", "", &err), WL_EARG, err, "positive");
    data->bag = wlab_free(data->bag);
    ASSERT_FAILS(make(&p, data, NULL, 0, "mil", "", &err), WL_EARG, err, "bags=FILE");
    wlab_dataset_unref(data);
}

/* The given proportions are those of the truth.  Every labeling drawn from the label set has, in each bag, a proportion
 * within eps of the given one. */
static void check_llp(const wlab_problem *p, double eps)
{
    double positives[ROWS] = {0}, size[ROWS] = {0};
    int8_t y[ROWS];
    wlab_rng rng;
    wlab_rng_seed(&rng, 2);
    for (int64_t i = 0; i < p->n; i++) {
        size[p->bag[i]]++;
        positives[p->bag[i]] += p->truth[i] > 0;
        assert_true(p->visible[i] == 0 && p->cost[i] == 1 && p->example[i] == i);
    }
    for (int64_t b = 0; b < p->bags; b++)
        ASSERT_NEAR(p->bag_given[b], positives[b] / size[b], 1e-15);
    assert_true(wlab_labelset_contains(p->labels, p->truth));
    for (int draw = 0; draw < 20; draw++) {
        double of[ROWS] = {0};
        wlab_labelset_random(p->labels, &rng, y);
        for (int64_t i = 0; i < p->n; i++)
            of[p->bag[i]] += y[i] > 0;
        for (int64_t b = 0; b < p->bags; b++)
            assert_true(fabs(of[b] / size[b] - p->bag_given[b]) <= eps + 1e-9);
    }
}

static void llp(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p, *q;
    char path[256], text[400], lines[ROWS * 8] = "";
    wlab_dataset *data = data_in_bags(true);
    ASSERT_OK(make(&p, data, NULL, 0, "llp", "", &err), err); /* the data's own bags */
    assert_int_equal(p->bags, BAGS);
    check_llp(p, 0);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < i; j++)
            assert_int_equal(p->bag[i] == p->bag[j], data->bag[i] == data->bag[j]);
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, NULL, 0, "llp", "bagsize=7 eps=0.2 seed=4", &err), err);
    assert_int_equal(p->bags, 5);
    check_llp(p, 0.2);
    ASSERT_OK(make(&q, data, NULL, 0, "llp", "bagsize=7 seed=5", &err), err);
    assert_memory_not_equal(p->bag, q->bag, sizeof(int32_t) * ROWS);
    wlab_problem_unref(q);
    ASSERT_OK(make(&q, data, NULL, 0, "llp", "bagsize=7 seed=4", &err), err);
    assert_memory_equal(p->bag, q->bag, sizeof(int32_t) * ROWS);
    wlab_problem_unref(q);
    wlab_problem_unref(p);
    for (int i = 0; i < ROWS; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "b%d\n", i % 3);
    support_temp_file(path, ".txt", lines, strlen(lines));
    snprintf(text, sizeof text, "bags=%s", path);
    ASSERT_OK(make(&p, data, NULL, 0, "llp", text, &err), err);
    assert_int_equal(p->bags, 3);
    check_llp(p, 0);
    for (int i = 3; i < ROWS; i++)
        assert_int_equal(p->bag[i], p->bag[i % 3]);
    wlab_problem_unref(p);
    strcat(text, " bagsize=3");
    ASSERT_FAILS(make(&p, data, NULL, 0, "llp", text, &err), WL_EARG, err, "exclude each other");
    *strrchr(text, ' ') = 0;
    ALLOC_SWEEP_OUT(make(&p, data, NULL, 0, "llp", text, &err), p);
    wlab_problem_unref(p);
    FILE *out = fopen(path, "a");
    fputs("one more\n", out);
    fclose(out);
    ASSERT_FAILS(make(&p, data, NULL, 0, "llp", text, &err), WL_EINPUT, err,
                 "several words, but one bag per line is expected");
    unlink(path);
    /* rows of unknown class: the proportion is that of the others */
    int32_t first = data->bag[0];
    data->label[0] = -1;
    ASSERT_OK(make(&p, data, NULL, 0, "llp", "", &err), err);
    assert_int_equal(p->truth[0], 0);
    for (int i = 0; i < ROWS; i++)
        if (data->bag[i] == first)
            data->label[i] = -1;
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, NULL, 0, "llp", "", &err), err);
    assert_true(isnan(p->bag_given[p->bag[0]]) && p->remark);
    wlab_problem_unref(p);
    data->bag = wlab_free(data->bag);
    ASSERT_FAILS(make(&p, data, NULL, 0, "llp", "", &err), WL_EARG, err, "bagsize=16");
    wlab_dataset_unref(data);
}

static void ambiguous(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = made_data("blobs", "n=400 classes=4", &err);
    assert_non_null(data);
    ASSERT_OK(make(&p, data, NULL, 0, "ambiguous", "positive=2 ambiguous=1 candidates=2", &err), err);
    /* all positive rows are free; of the others, the third whose other candidate is the positive class */
    int64_t free_of[2] = {0, 0}, of[2] = {0, 0};
    for (int i = 0; i < 400; i++) {
        of[p->truth[i] > 0]++;
        free_of[p->truth[i] > 0] += p->visible[i] == 0;
        assert_true(p->visible[i] == 0 || p->visible[i] == p->truth[i]);
        assert_int_equal(p->labels->group[i] >= 0, p->visible[i] == 0);
    }
    assert_int_equal(free_of[1], of[1]);
    double third = (double)of[0] / 3, spread = sqrt((double)of[0] * 2 / 9);
    assert_true(fabs((double)free_of[0] - third) < 5 * spread);
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, NULL, 0, "ambiguous", "positive=2 candidates=4 ambiguous=0.25", &err), err);
    assert_int_equal(p->unlabelled, 100);
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, NULL, 0, "ambiguous", "positive=2 candidates=1", &err), err);
    assert_int_equal(p->unlabelled, 0);
    wlab_problem_unref(p);
    ASSERT_FAILS(make(&p, data, NULL, 0, "ambiguous", "positive=2 candidates=5", &err), WL_EARG, err,
                 "has 4 classes");
    data->label[7] = -1;
    ASSERT_OK(make(&p, data, NULL, 0, "ambiguous", "positive=2 ambiguous=0", &err), err);
    assert_true(p->unlabelled == 1 && p->visible[7] == 0 && p->remark);
    wlab_problem_unref(p);
    ALLOC_SWEEP_OUT(make(&p, data, NULL, 0, "ambiguous", "positive=2", &err), p);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void bag_scores(void **state)
{
    (void)state;
    /* bag 0: relevant, key found; 1: relevant, wrong key; 2: not relevant, but predicted; 3: has no rows; 4: relevant,
     * not predicted */
    static const int32_t bag[9] = {0, 1, 0, 1, 2, 2, 4, 4, 0};
    static const double f[9] = {-1, 0.5, 2, 0.25, 0.125, -3, -1, 0, 2};
    static const int8_t own[9] = {1, -1, 1, 1, -1, -1, 1, 1, -1}, sign[5] = {1, 1, -1, 1, 1};
    static const double proportion[5] = {0.5, 0.5, NAN, 1, 0.75};
    double sum, most;
    wlab_bag_outputs o;
    wlab_key_scores s;
    wlab_err err;
    ASSERT_OK(wlab_bag_outputs_make(&o, WL_BAG_LARGEST, f, NULL, bag, 9, 5, &err), err);
    assert_int_equal(o.n, 4);
    static const int32_t numbers[4] = {0, 1, 2, 4};
    static const int64_t keys[4] = {2, 1, 4, 7}, sizes[4] = {3, 2, 2, 2}, positives[4] = {2, 2, 1, 0};
    for (int k = 0; k < 4; k++) {
        assert_true(o.bag[k] == numbers[k] && o.key[k] == keys[k] && o.size[k] == sizes[k] &&
                    o.positives[k] == positives[k]);
        ASSERT_NEAR(o.top[k], f[keys[k]], 0);
    }
    wlab_score_keys(&o, sign, own, &s);
    assert_true(s.relevant == 3 && s.predicted == 3 && s.successes == 1);
    ASSERT_NEAR(s.of_relevant, 1.0 / 3, 1e-15);
    ASSERT_NEAR(s.of_predicted, 1.0 / 3, 1e-15);
    ASSERT_NEAR(s.success, 1.0 / 3, 1e-15);
    assert_int_equal(wlab_proportion_errors(&o, proportion, &sum, &most), 3);
    ASSERT_NEAR(sum, 1.0 / 6 + 0.5 + 0.75, 1e-15);
    ASSERT_NEAR(most, 0.75, 1e-15);
    wlab_bag_outputs_clear(&o);
    ALLOC_SWEEP(wlab_bag_outputs_make(&o, WL_BAG_LARGEST, f, NULL, bag, 9, 5, &err));
    wlab_bag_outputs_clear(&o);
    ASSERT_OK(wlab_bag_outputs_make(&o, WL_BAG_LARGEST, f, NULL, bag, 0, 5, &err), err);
    wlab_score_keys(&o, sign, own, &s);
    assert_true(o.n == 0 && isnan(s.of_relevant) && isnan(s.success));
    assert_int_equal(wlab_proportion_errors(&o, proportion, &sum, &most), 0);
    assert_true(isnan(sum) && isnan(most));
    wlab_bag_outputs_clear(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mil), cmocka_unit_test(mil_single), cmocka_unit_test(mil_refusals),
        cmocka_unit_test(llp), cmocka_unit_test(ambiguous),  cmocka_unit_test(bag_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
