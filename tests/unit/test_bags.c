/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signs and summaries of bags, from the labels of their rows.
 */
#include "support.h"

#include "made.h"

/* Data with row i in bag[i] and of class label[i]. */
static wlab_dataset *bags_of(const int32_t *bag, const int32_t *label, int64_t n, int64_t bags)
{
    wlab_err err = {0};
    char text[32];
    snprintf(text, sizeof text, "n=%lld", (long long)n);
    wlab_dataset *data = made_data("blobs", text, &err);
    assert_non_null(data);
    data->bag = wlab_alloc((size_t)n, sizeof *data->bag);
    assert_non_null(data->bag);
    memcpy(data->bag, bag, (size_t)n * sizeof *bag);
    memcpy(data->label, label, (size_t)n * sizeof *label);
    data->bags = bags;
    return data;
}

static void signs(void **state)
{
    (void)state;
    static const int32_t bag[] = {0, 1, 2, 0, 3, 1, 4, 4, 5}, mixed[] = {0, 0, 1, 1, -1, 0, -1, 0, 1};
    static const int32_t uniform[] = {1, 0, 1, 1, 0, 0, 0, 0, 1},
                         partly_labelled[] = {1, 0, 1, -1, 0, 0, 0, 0, 1};
    int8_t sign[6];

    wlab_dataset *data = bags_of(bag, mixed, 9, 6);
    wlab_dataset_bag_signs(data, 1, sign);
    static const int8_t expected[] = {1, -1, 1, 0, 0, 1};
    assert_memory_equal(sign, expected, 6);
    assert_true(wlab_dataset_instances_known(data, 1));
    wlab_dataset_bag_signs(data, 0, sign);
    static const int8_t swapped[] = {1, 1, -1, 0, 1, -1};
    assert_memory_equal(sign, swapped, 6);
    wlab_dataset_unref(data);

    data = bags_of(bag, uniform, 9, 6);
    wlab_dataset_bag_signs(data, 1, sign);
    static const int8_t copies[] = {1, -1, 1, -1, -1, 1};
    assert_memory_equal(sign, copies, 6);
    assert_false(wlab_dataset_instances_known(data, 1));
    assert_false(wlab_dataset_instances_known(data, 0));
    wlab_dataset_unref(data);

    data =
        bags_of(bag, partly_labelled, 9, 6); /* a row without a label beside a positive row changes nothing */
    wlab_dataset_bag_signs(data, 1, sign);
    assert_memory_equal(sign, copies, 6);
    assert_false(wlab_dataset_instances_known(data, 1));
    wlab_dataset_unref(data);
}

/* The one bag with rows of both classes is found whatever its number. */
static void many_bags(void **state)
{
    (void)state;
    enum {
        N = 40001
    };
    static int32_t bag[N], label[N];
    for (int32_t i = 0; i < N; i++) {
        bag[i] = i == N - 1 ? N - 2 : i;
        label[i] = i % 2;
    }
    wlab_dataset *data = bags_of(bag, label, N, N - 1);
    assert_true(wlab_dataset_instances_known(data, 1));
    data->label[N - 1] = data->label[N - 2];
    assert_false(wlab_dataset_instances_known(data, 1));
    wlab_dataset_unref(data);
}

static void without_bags(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", "n=10", &err);
    assert_non_null(data);
    wlab_dataset_bag_signs(data, 1, NULL);
    assert_false(wlab_dataset_instances_known(data, 1));
    wlab_dataset_unref(data);
}

static void summary(void **state)
{
    (void)state;
    static const int32_t bag[] = {0, 1, 2, 0, 3, 1, 4, 4, 0}, label[] = {0, 0, 1, 1, -1, 0, -1, 0, 1};
    static const int32_t train[] = {0, 1, 2, 5}, test[] = {3, 4, 6, 7, 8};
    wlab_err err = {0};
    wlab_bag_summary b = {0};
    int64_t split[3];
    wlab_dataset *data = bags_of(bag, label, 9, 5);
    ALLOC_SWEEP(wlab_dataset_bag_summary(data, 1, &b, &err));
    assert_int_equal(b.bags, 5);
    assert_int_equal(b.positive, 2);
    assert_int_equal(b.negative, 1);
    assert_int_equal(b.unknown, 2);
    assert_int_equal(b.smallest, 1);
    assert_int_equal(b.largest, 3);
    assert_true(b.median == 2.0 && b.instances_known);
    ALLOC_SWEEP(wlab_dataset_bags_split(data, train, 4, test, 5, split, &err));
    assert_int_equal(split[0], 3);
    assert_int_equal(split[1], 3);
    assert_int_equal(split[2], 1);
    wlab_dataset_unref(data);
    data = made_data("blobs", "n=10", &err);
    assert_non_null(data);
    ASSERT_OK(wlab_dataset_bag_summary(data, 1, &b, &err), err);
    assert_true(b.bags == 0 && b.positive == 0 && b.largest == 0 && !b.instances_known);
    wlab_dataset_unref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs),
        cmocka_unit_test(many_bags),
        cmocka_unit_test(without_bags),
        cmocka_unit_test(summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
