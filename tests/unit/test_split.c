/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows held out for testing.
 */
#include "support.h"

#include "made.h"

typedef struct halves {
    int32_t *train, *test;
    int64_t n_train, n_test;
} halves;

static wlab_code cut(halves *h, const wlab_dataset *data, const char *text, wlab_err *err)
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

static void shares(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h, again;
    wlab_dataset *data = made_data("blobs", "n=101 classes=3", &err);
    assert_non_null(data);
    for (int i = 0; i < 101; i++)
        data->label[i] = i < 10 ? 0 : i < 60 ? 1 : i < 90 ? 2 : -1;
    ASSERT_OK(cut(&h, data, "test=0.25 seed=3", &err), err);
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
    ASSERT_OK(cut(&again, data, "test=0.25 seed=3", &err), err);
    assert_memory_equal(h.test, again.test, 25 * sizeof *h.test);
    clear(&again);
    ASSERT_OK(cut(&again, data, "test=0.25 seed=4", &err), err);
    assert_memory_not_equal(h.test, again.test, 25 * sizeof *h.test);
    clear(&again);
    clear(&h);
    for (int test = 1; test <= 100; test++) {
        char text[60];
        snprintf(text, sizeof text, "test=%d stratified=%s", test, test % 2 ? "yes" : "no");
        ASSERT_OK(cut(&h, data, text, &err), err);
        assert_int_equal(h.n_test, test);
        check_parts(&h, 101);
        clear(&h);
    }
    wlab_dataset_unref(data);
}

/* Every row is held out about as often as any other. */
static void fair(void **state)
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
        ASSERT_OK(cut(&h, data, text, &err), err);
        for (int64_t i = 0; i < h.n_test; i++)
            hits[h.test[i]]++;
        clear(&h);
    }
    for (int i = 0; i < 20; i++)
        assert_in_range(hits[i], 300 - 75, 300 + 75); /* five deviations of 14.5 */
    wlab_dataset_unref(data);
}

static void refusals(void **state)
{
    (void)state;
    wlab_err err = {0};
    halves h;
    wlab_dataset *data = made_data("blobs", "n=20", &err);
    assert_non_null(data);
    ASSERT_FAILS(cut(&h, data, "test=20", &err), WL_EARG, err, "none to train on");
    ASSERT_FAILS(cut(&h, data, "test=0.99", &err), WL_EARG, err, "none to train on");
    ASSERT_FAILS(cut(&h, data, "test=0.01", &err), WL_EARG, err, "not a single one");
    ASSERT_FAILS(cut(&h, data, "test=2.5", &err), WL_EARG, err, "whole number");
    assert_int_equal(cut(&h, data, "test=0", &err), WL_EARG);
    assert_int_equal(cut(&h, data, "test=-1", &err), WL_EARG);
    assert_null(h.train);
    wlab_dataset_unref(data);
}

static wlab_code attempt(const wlab_dataset *data)
{
    halves h;
    wlab_err err = {0};
    wlab_code code = cut(&h, data, "test=0.5", &err);
    if (code && (h.train || h.test))
        return WL_ESTATE;
    clear(&h);
    return code;
}

/* Every row is held out by exactly one fold, each class evenly; the same seed cuts the same way. */
static void folds_part(void **state)
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
                ASSERT_OK(cut(&h, data, text, &err), err);
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
    ASSERT_FAILS(cut(&h, data, "folds=4", &err), WL_EARG, err, "fold=1 to fold=4");
    ASSERT_FAILS(cut(&h, data, "fold=4", &err), WL_EARG, err, "of how many");
    ASSERT_FAILS(cut(&h, data, "folds=4 fold=5", &err), WL_EARG, err, "only 4 folds");
    ASSERT_FAILS(cut(&h, data, "folds=21 fold=5", &err), WL_EARG, err, "only 20 rows");
    ASSERT_FAILS(cut(&h, data, "folds=1 fold=1", &err), WL_EARG, err, "folds");
    ASSERT_FAILS(cut(&h, data, "folds=4 fold=1 test=0.5", &err), WL_EARG, err, "exclude each other");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),     cmocka_unit_test(fair),          cmocka_unit_test(refusals),
        cmocka_unit_test(folds_part), cmocka_unit_test(folds_refused), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
