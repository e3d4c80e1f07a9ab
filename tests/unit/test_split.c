/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Holding out rows, or bags of rows, for testing.
 */
#include "support.h"

#include "made.h"
#include "weaklab/task.h"

typedef struct halves {
    int32_t *train, *test;
    int64_t n_train, n_test;
} halves;

static wlab_code split_data(halves *h, const wlab_dataset *data, const char *text, wlab_err *err)
{
    *h = (halves){0};
    wlab_params *params = made_params(wlab_split_params, text, err);
    if (!params)
        return err->code;
    wlab_code code = wlab_dataset_split(data, params, &h->train, &h->n_train, &h->test, &h->n_test, err);
    wlab_params_destroy(params);
    return code;
}

static void clear(halves *h)
{
    h->train = wlab_free(h->train);
    h->test = wlab_free(h->test);
}

static void check_parts(const halves *h, int64_t n)
{
    int64_t a = 0, b = 0;
    assert_int_equal(h->n_train + h->n_test, n);
    for (int32_t i = 0; i < n; i++) {
        bool in_train = a < h->n_train && h->train[a] == i, in_test = b < h->n_test && h->test[b] == i;
        assert_true(in_train != in_test);
        a += in_train;
        b += in_test;
    }
}

static void class_proportions(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h, again;
    wlab_dataset *data = made_data("blobs", "n=101 classes=3", &err);
    assert_non_null(data);
    for (int i = 0; i < 101; i++)
        data->label[i] = i < 10 ? 0 : i < 60 ? 1 : i < 90 ? 2 : -1;
    ASSERT_OK(split_data(&h, data, "test=0.25 seed=3", &err), err);
    check_parts(&h, 101);
    assert_int_equal(h.n_test, 25);
    int64_t of[4] = {0};
    for (int64_t i = 0; i < h.n_test; i++)
        of[data->label[h.test[i]] < 0 ? 3 : data->label[h.test[i]]]++;
    /* 25/101 of 10, 50, 30, 11 is 2.475, 12.376, 7.426, 2.723: down, then the largest two remainders up. */
    assert_int_equal(of[0], 3);
    assert_int_equal(of[1], 12);
    assert_int_equal(of[2], 7);
    assert_int_equal(of[3], 3);
    ASSERT_OK(split_data(&again, data, "test=0.25 seed=3", &err), err);
    assert_memory_equal(h.test, again.test, 25 * sizeof *h.test);
    clear(&again);
    ASSERT_OK(split_data(&again, data, "test=0.25 seed=4", &err), err);
    assert_memory_not_equal(h.test, again.test, 25 * sizeof *h.test);
    clear(&again);
    clear(&h);
    for (int test = 1; test <= 100; test++) {
        char text[60];
        snprintf(text, sizeof text, "test=%d stratified=%s", test, test % 2 ? "yes" : "no");
        ASSERT_OK(split_data(&h, data, text, &err), err);
        assert_int_equal(h.n_test, test);
        check_parts(&h, 101);
        clear(&h);
    }
    wlab_dataset_unref(data);
}

/* Every row is held out about as often as any other. */
static void equal_chances(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", "n=20", &err);
    assert_non_null(data);
    int64_t hits[20] = {0};
    for (int seed = 0; seed < 1000; seed++) {
        char text[60];
        halves h;
        snprintf(text, sizeof text, "test=0.3 seed=%d stratified=%s", seed, seed % 2 ? "yes" : "no");
        ASSERT_OK(split_data(&h, data, text, &err), err);
        for (int64_t i = 0; i < h.n_test; i++)
            hits[h.test[i]]++;
        clear(&h);
    }
    for (int i = 0; i < 20; i++)
        assert_in_range(hits[i], 300 - 75, 300 + 75); /* five standard deviations of 14.5 */
    wlab_dataset_unref(data);
}

static void refusals(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h;
    wlab_dataset *data = made_data("blobs", "n=20", &err);
    assert_non_null(data);
    ASSERT_FAILS(split_data(&h, data, "test=20", &err), WL_EARG, err, "none to train on");
    ASSERT_FAILS(split_data(&h, data, "test=0.99", &err), WL_EARG, err, "none to train on");
    ASSERT_FAILS(split_data(&h, data, "test=0.01", &err), WL_EARG, err, "holds out none");
    ASSERT_FAILS(split_data(&h, data, "test=2.5", &err), WL_EARG, err, "whole number");
    assert_int_equal(split_data(&h, data, "test=0", &err), WL_EARG);
    assert_int_equal(split_data(&h, data, "test=-1", &err), WL_EARG);
    assert_null(h.train);
    wlab_dataset_unref(data);
}

static wlab_code attempt(const wlab_dataset *data)
{
    halves h;
    wlab_err err = {0};
    wlab_code code = split_data(&h, data, "test=0.5", &err);
    if (code && (h.train || h.test))
        return WL_ESTATE;
    clear(&h);
    return code;
}

/* Every row is held out by exactly one fold.  If stratified, each fold holds out its proportion of each class, rounded
 * down or up. */
static void folds_partition(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", "n=50 classes=3", &err);
    assert_non_null(data);
    for (int i = 0; i < 50; i++)
        data->label[i] = i < 7 ? 0 : i < 30 ? 1 : i < 47 ? 2 : -1;
    static const int all[4] = {7, 23, 17, 3};
    for (int k = 2; k <= 50; k += 6)
        for (int stratified = 0; stratified < 2; stratified++) {
            int by[50] = {0};
            for (int fold = 1; fold <= k; fold++) {
                char text[80];
                halves h;
                int of[4] = {0};
                snprintf(text, sizeof text, "folds=%d fold=%d seed=9 stratified=%d", k, fold, stratified);
                ASSERT_OK(split_data(&h, data, text, &err), err);
                check_parts(&h, 50);
                assert_in_range(h.n_test, 50 / k, (50 + k - 1) / k);
                for (int64_t i = 0; i < h.n_test; i++) {
                    by[h.test[i]]++;
                    of[data->label[h.test[i]] < 0 ? 3 : data->label[h.test[i]]]++;
                }
                for (int c = 0; c < 4 && stratified; c++)
                    assert_in_range(of[c], all[c] / k, (all[c] + k - 1) / k);
                clear(&h);
            }
            for (int i = 0; i < 50; i++)
                assert_int_equal(by[i], 1);
        }
    wlab_dataset_unref(data);
}

static void folds_refused(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h;
    wlab_dataset *data = made_data("blobs", "n=20", &err);
    assert_non_null(data);
    ASSERT_FAILS(split_data(&h, data, "folds=4", &err), WL_EARG, err, "fold=1 to fold=4");
    ASSERT_FAILS(split_data(&h, data, "fold=4", &err), WL_EARG, err, "needs the number of folds");
    ASSERT_FAILS(split_data(&h, data, "folds=4 fold=5", &err), WL_EARG, err, "only 4 folds");
    ASSERT_FAILS(split_data(&h, data, "folds=21 fold=5", &err), WL_EARG, err, "only 20 rows");
    ASSERT_FAILS(split_data(&h, data, "folds=1 fold=1", &err), WL_EARG, err, "folds");
    ASSERT_FAILS(split_data(&h, data, "folds=4 fold=1 test=0.5", &err), WL_EARG, err, "exclude each other");
    wlab_dataset_unref(data);
}

static void out_of_memory(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", "n=20", &err);
    assert_non_null(data);
    ALLOC_SWEEP(attempt(data));
    wlab_dataset_unref(data);
}

/* Bags b = 0 .. bags-1 of 1 + b % 5 rows, dealt in turn, so that the rows of a bag are not adjacent.  The first
 * `positive` bags have one positive row, their last. */
static wlab_dataset *data_in_bags(int32_t bags, int32_t positive, wlab_err *err)
{
    char text[32];
    int64_t n = 0;
    for (int32_t b = 0; b < bags; b++)
        n += 1 + b % 5;
    snprintf(text, sizeof text, "n=%lld", (long long)n);
    wlab_dataset *data = made_data("blobs", text, err);
    assert_non_null(data);
    data->bag = wlab_alloc((size_t)n, sizeof *data->bag);
    assert_non_null(data->bag);
    data->bags = bags;
    int64_t i = 0;
    for (int32_t round = 0; round < 5; round++)
        for (int32_t b = 0; b < bags; b++)
            if (b % 5 >= round) {
                data->bag[i] = b;
                data->label[i++] = b < positive && b % 5 == round;
            }
    assert_int_equal(i, n);
    return data;
}

/* All rows of a bag are on the same side of the split; held[]: how many bags are held out, by sign. */
static void check_bags(const halves *h, const wlab_dataset *data, int8_t *side, int64_t held[2])
{
    int8_t sign[256];
    memset(side, -1, (size_t)data->bags);
    for (int64_t k = 0; k < h->n_train + h->n_test; k++) {
        bool test = k >= h->n_train;
        int32_t b = data->bag[test ? h->test[k - h->n_train] : h->train[k]];
        assert_true(side[b] < 0 || side[b] == test);
        side[b] = test;
    }
    held[0] = held[1] = 0;
    wlab_dataset_bag_signs(data, 1, sign);
    for (int64_t b = 0; b < data->bags; b++)
        held[sign[b] > 0] += side[b] == 1;
}

static void whole_bags(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h, again;
    int8_t side[100];
    int64_t held[2];
    wlab_dataset *data = data_in_bags(100, 30, &err);
    ASSERT_OK(split_data(&h, data, "test=0.1 seed=1", &err), err);
    check_parts(&h, data->X->rows);
    check_bags(&h, data, side, held);
    assert_int_equal(held[1], 3);
    assert_int_equal(held[0], 7);
    ASSERT_OK(split_data(&again, data, "test=10 seed=1 by=bags", &err), err);
    assert_int_equal(h.n_test, again.n_test);
    assert_memory_equal(h.test, again.test, (size_t)h.n_test * sizeof *h.test);
    clear(&h);
    clear(&again);
    int times[100] = {0};
    for (int fold = 1; fold <= 7; fold++) { /* every bag once, classes in proportion */
        char text[64];
        snprintf(text, sizeof text, "folds=7 fold=%d seed=5", fold);
        ASSERT_OK(split_data(&h, data, text, &err), err);
        check_parts(&h, data->X->rows);
        check_bags(&h, data, side, held);
        assert_in_range(held[0] + held[1], 14, 15);
        assert_in_range(held[1], 4, 5);
        for (int b = 0; b < 100; b++)
            times[b] += side[b] == 1;
        clear(&h);
    }
    for (int b = 0; b < 100; b++)
        assert_int_equal(times[b], 1);
    /* a row without a label makes the class of its bag unknown, unless another row is positive */
    for (int64_t i = 0; i < data->X->rows; i++)
        if (data->bag[i] >= 70 || (data->bag[i] < 30 && data->label[i] == 0))
            data->label[i] = -1;
    ASSERT_OK(split_data(&h, data, "test=0.1 seed=1", &err), err);
    check_bags(&h, data, side, held);
    assert_int_equal(held[1], 3);
    int unknown = 0;
    for (int b = 70; b < 100; b++)
        unknown += side[b] == 1;
    assert_int_equal(unknown, 3);
    clear(&h);
    ASSERT_OK(split_data(&h, data, "test=0.1 seed=1 by=rows", &err), err);
    assert_int_equal(h.n_test, (data->X->rows + 5) / 10);
    clear(&h);
    wlab_dataset_unref(data);
}

/* bagsize= deals all rows into bags, and task llp with deal=all deals them into the same bags. */
static void dealt_bags(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h;
    int32_t bag[130], size[9] = {0}, times[130] = {0};
    wlab_dataset *data = made_data("blobs", "n=130", &err);
    assert_non_null(data);
    ASSERT_OK(wlab_bags_deal(130, 16, 4, bag, &err), err);
    for (int i = 0; i < 130; i++)
        size[bag[i]]++;
    for (int b = 0; b < 9; b++)
        assert_int_equal(size[b], b < 8 ? 16 : 2);
    for (int fold = 1; fold <= 5; fold++) {
        char text[64];
        bool held[9] = {false};
        int64_t rows = 0;
        snprintf(text, sizeof text, "folds=5 fold=%d bagsize=16 seed=4", fold);
        ASSERT_OK(split_data(&h, data, text, &err), err);
        check_parts(&h, 130);
        for (int64_t k = 0; k < h.n_test; k++) {
            held[bag[h.test[k]]] = true;
            times[h.test[k]]++;
        }
        for (int b = 0; b < 9; b++)
            rows += held[b] ? size[b] : 0;
        assert_int_equal(rows, h.n_test); /* whole bags */
        wlab_params *params = made_params(wlab_task_find("llp")->params, "bagsize=16 deal=all seed=4", &err);
        wlab_problem *p;
        ASSERT_OK(wlab_problem_create(&p, data, h.train, h.n_train, h.test, h.n_test, wlab_task_find("llp"),
                                      params, NULL, &err),
                  err);
        assert_memory_equal(p->all.of_row, bag, sizeof bag);
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t j = 0; j < i; j++)
                assert_true((p->bag[i] == p->bag[j]) == (bag[p->row[i]] == bag[p->row[j]]));
        assert_null(p->remark);
        wlab_problem_unref(p);
        wlab_params_destroy(params);
        clear(&h);
    }
    for (int i = 0; i < 130; i++)
        assert_int_equal(times[i], 1);
    ASSERT_FAILS(split_data(&h, data, "bagsize=16 by=rows", &err), WL_EARG, err,
                 "by=rows divides single rows");
    ASSERT_FAILS(split_data(&h, data, "bagsize=16 hold=test", &err), WL_EARG, err,
                 "hold= selects the data's own bags");
    ASSERT_FAILS(split_data(&h, data, "bagsize=130", &err), WL_EARG, err, "of 1 bag");
    ASSERT_FAILS(split_data(&h, data, "bagsize=16 folds=10 fold=1", &err), WL_EARG, err,
                 "there are only 9 bags");
    wlab_dataset_unref(data);
}

/* Bags held out by their names. */
static void named_bags(void **state)
{
    (void)state;
    static const char *const name[5] = {"1", "2", "test-1", "10", "test-2"};
    wlab_err err = {0};
    halves h;
    int8_t side[5];
    int64_t held[2];
    wlab_dataset *data = data_in_bags(5, 2, &err);
    ASSERT_FAILS(split_data(&h, data, "hold=test", &err), WL_EARG, err, "no bag of 'blobs' has a name");
    data->bag_name = wlab_calloc(5, sizeof *data->bag_name);
    assert_non_null(data->bag_name);
    for (int b = 0; b < 5; b++)
        assert_non_null(data->bag_name[b] = wlab_strdup(name[b]));
    ASSERT_OK(split_data(&h, data, "hold=test", &err), err);
    check_parts(&h, data->X->rows);
    check_bags(&h, data, side, held);
    for (int b = 0; b < 5; b++)
        assert_int_equal(side[b], name[b][0] == 't');
    clear(&h);
    ASSERT_OK(split_data(&h, data, "hold=1 seed=7", &err), err);
    check_bags(&h, data, side, held);
    assert_true(side[0] == 1 && side[3] == 1 && held[0] + held[1] == 2);
    clear(&h);
    ASSERT_FAILS(split_data(&h, data, "hold=x", &err), WL_EARG, err, "hold=x: no bag of 'blobs'");
    ASSERT_FAILS(split_data(&h, data, "hold=1 test=2", &err), WL_EARG, err,
                 "hold= and test= exclude each other");
    ASSERT_FAILS(split_data(&h, data, "hold=1 by=bags", &err), WL_EARG, err, "hold= and by= exclude");
    for (int b = 0; b < 5; b++)
        data->bag_name[b][0] = 't';
    ASSERT_FAILS(split_data(&h, data, "hold=t", &err), WL_EARG, err, "none is left to train on");
    wlab_dataset_unref(data);
    data = made_data("blobs", "n=10", &err);
    assert_non_null(data);
    ASSERT_FAILS(split_data(&h, data, "hold=1", &err), WL_EARG, err, "'blobs' has no bags");
    wlab_dataset_unref(data);
}

static void refused_bags(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h;
    wlab_dataset *data = data_in_bags(4, 2, &err);
    ASSERT_FAILS(split_data(&h, data, "test=4", &err), WL_EARG, err, "test=4 of 4 bags leaves none");
    ASSERT_FAILS(split_data(&h, data, "test=0.1", &err), WL_EARG, err, "test=0.1 of 4 bags holds out none");
    ASSERT_FAILS(split_data(&h, data, "test=1.5", &err), WL_EARG, err, "a whole number of bags");
    ASSERT_FAILS(split_data(&h, data, "folds=5 fold=1", &err), WL_EARG, err, "only 4 bags");
    wlab_dataset_unref(data);
    data = made_data("blobs", "n=10", &err);
    assert_non_null(data);
    ASSERT_FAILS(split_data(&h, data, "by=bags", &err), WL_EARG, err, "the data have no bags");
    wlab_dataset_unref(data);
    data = data_in_bags(20, 10, &err);
    for (int dealt = 0; dealt < 2; dealt++) {
        wlab_params *params = made_params(wlab_split_params, dealt ? "bagsize=4" : "test=0.25", &err);
        assert_non_null(params);
        h = (halves){0};
        ALLOC_SWEEP_CHECK(wlab_dataset_split(data, params, &h.train, &h.n_train, &h.test, &h.n_test, &err),
                          assert_null(h.train);
                          assert_null(h.test));
        wlab_params_destroy(params);
        clear(&h);
    }
    wlab_dataset_unref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_proportions), cmocka_unit_test(equal_chances), cmocka_unit_test(refusals),
        cmocka_unit_test(folds_partition),   cmocka_unit_test(folds_refused), cmocka_unit_test(out_of_memory),
        cmocka_unit_test(whole_bags),        cmocka_unit_test(named_bags),    cmocka_unit_test(refused_bags),
        cmocka_unit_test(dealt_bags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
