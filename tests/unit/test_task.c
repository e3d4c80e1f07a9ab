/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks: the labels that the learner observes, and the label sets.
 */
#include "support.h"

#include "made.h"
#include "weaklab/task.h"

static wlab_code make(wlab_problem **p, wlab_dataset *data, const char *kind, const char *text, wlab_err *err)
{
    *p = NULL;
    const wlab_task *task = wlab_task_find(kind);
    wlab_params *params = made_params(task->params, text, err);
    if (!params)
        return err->code;
    wlab_code code = wlab_problem_create(p, data, NULL, 0, NULL, 0, task, params, NULL, err);
    wlab_params_destroy(params);
    return code;
}

static wlab_dataset *generate_or_fail(const char *kind, const char *text)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data(kind, text, &err);
    if (!data)
        fail_msg("%s", err.message);
    return data;
}

/* What is true of every problem. */
static void check_problem(const wlab_problem *p)
{
    int64_t labelled = 0;
    int8_t y[1000];
    wlab_rng rng;
    wlab_rng_seed(&rng, 5);
    assert_true(p->n <= 1000);
    assert_int_equal(p->X->rows, p->n);
    assert_int_equal(p->examples, p->n);
    assert_int_equal(p->labels->n, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        assert_int_equal(p->example[i], i);
        assert_int_equal(p->cost[i], p->visible[i] == 0);
        labelled += p->visible[i] != 0;
        if (p->visible[i] && p->truth[i])
            assert_int_equal(p->visible[i], p->truth[i]);
        assert_int_equal(p->truth[i], wlab_problem_truth(p, p->data, p->row[i]));
        ASSERT_NEAR(wlab_matrix_at(p->X, i, 0), wlab_matrix_at(p->data->X, p->row[i], 0), 0);
    }
    assert_int_equal(labelled, p->labelled);
    assert_int_equal(p->n - labelled, p->unlabelled);
    for (int draw = 0; draw < 10; draw++) {
        wlab_labelset_random(p->labels, &rng, y);
        assert_true(wlab_labelset_contains(p->labels, y));
        for (int64_t i = 0; i < p->n; i++) {
            if (p->visible[i])
                assert_int_equal(y[i], p->visible[i]);
        }
    }
}

static int64_t count_observed(const wlab_problem *p, int sign)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        count += p->visible[i] == sign;
    return count;
}

/* The number of negatives among the unlabelled rows, counted in a random labeling. */
static int64_t negatives(const wlab_problem *p)
{
    int8_t y[1000];
    int64_t count = 0;
    wlab_rng rng;
    wlab_rng_seed(&rng, 1);
    wlab_labelset_random(p->labels, &rng, y);
    for (int64_t i = 0; i < p->n; i++)
        count += !p->visible[i] && y[i] < 0;
    return count;
}

static void ssl_counts(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = generate_or_fail("two-moons", "n=200");
    for (int64_t i = 0; i < 200; i++)
        data->label[i] = i >= 150; /* 150 negative, 50 positive */
    static const struct {
        const char *text;
        int64_t negative, positive;
    } cases[] = {
        {"labeled=10", 7, 3}, /* 2.5 positive, rounded up */
        {"labeled=2", 1, 1},          {"labeled=3", 2, 1},      {"labeled=5%", 7, 3},
        {"labeled=100%", 150, 50},    {"labeled=199", 149, 50}, {"labeled=1 r=0.25", 1, 0},
        {"labeled=0.5% r=0.3", 1, 0}, {"labeled=40", 30, 10},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ASSERT_OK(make(&p, data, "ssl", cases[c].text, &err), err);
        check_problem(p);
        assert_int_equal(count_observed(p, -1), cases[c].negative);
        assert_int_equal(count_observed(p, 1), cases[c].positive);
        double r = cases[c].positive ? (double)cases[c].positive / (double)p->labelled : p->r;
        ASSERT_NEAR(p->r, r, 1e-15);
        double exact = (1 - r) * (double)p->unlabelled;
        assert_true((double)negatives(p) >= exact - 1e-6 && (double)negatives(p) < exact + 1);
        wlab_problem_unref(p);
    }
    /* a rare class gets at least one label */
    for (int64_t i = 0; i < 200; i++)
        data->label[i] = i < 2;
    ASSERT_OK(make(&p, data, "ssl", "labeled=5", &err), err);
    assert_int_equal(count_observed(p, 1), 1);
    wlab_problem_unref(p);
    for (int64_t i = 0; i < 200; i++)
        data->label[i] = i >= 2;
    ASSERT_OK(make(&p, data, "ssl", "labeled=5", &err), err);
    assert_int_equal(count_observed(p, -1), 1);
    wlab_problem_unref(p);
    /* (1 - 0.7) 10 is 3.0000000000000004 in doubles, but means 3 */
    wlab_dataset *small = generate_or_fail("two-moons", "n=20");
    ASSERT_OK(make(&p, small, "ssl", "labeled=10 r=0.7", &err), err);
    assert_int_equal(negatives(p), 3);
    wlab_problem_unref(p);
    wlab_dataset_unref(small);
    wlab_dataset_unref(data);
}

static void ssl_choice(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p, *q;
    wlab_dataset *data = generate_or_fail("two-moons", "n=100");
    ASSERT_OK(make(&p, data, "ssl", "labeled=20 seed=4", &err), err);
    ASSERT_OK(make(&q, data, "ssl", "labeled=20 seed=4", &err), err);
    assert_memory_equal(p->visible, q->visible, 100);
    wlab_problem_unref(q);
    ASSERT_OK(make(&q, data, "ssl", "labeled=20 seed=5", &err), err);
    assert_memory_not_equal(p->visible, q->visible, 100);
    wlab_problem_unref(q);
    wlab_problem_unref(p);
    /* unstratified: the number of positives varies, and every row is selected sometimes */
    int64_t least = 20, most = 0, hits[100] = {0};
    for (int seed = 0; seed < 100; seed++) {
        char text[80];
        snprintf(text, sizeof text, "labeled=20 stratified=no seed=%d", seed);
        ASSERT_OK(make(&p, data, "ssl", text, &err), err);
        int64_t positive = count_observed(p, 1);
        assert_int_equal(positive + count_observed(p, -1), 20);
        least = positive < least ? positive : least;
        most = positive > most ? positive : most;
        for (int i = 0; i < 100; i++)
            hits[i] += p->visible[i] != 0;
        wlab_problem_unref(p);
    }
    assert_true(least < 9 && most > 11);
    for (int i = 0; i < 100; i++)
        assert_in_range(hits[i], 2, 45);
    wlab_dataset_unref(data);
}

/* r=true counts the hidden labels; if none is hidden, the observed ones; if none is known, it is an error. */
static void ssl_true_balance(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = generate_or_fail("two-moons", "n=90");
    for (int i = 0; i < 90; i++)
        data->label[i] = i % 9 == 0;
    ASSERT_OK(make(&p, data, "ssl", "labeled=4 r=true", &err), err);
    check_problem(p);
    assert_true(count_observed(p, 1) == 1 && p->unlabelled == 86);
    ASSERT_NEAR(p->r, 9.0 / 86, 1e-15);
    assert_int_equal(negatives(p), 77);
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, "ssl", "labeled=90 r=true", &err), err);
    ASSERT_NEAR(p->r, 10.0 / 90, 1e-15);
    wlab_problem_unref(p);
    for (int i = 2; i < 60; i++)
        data->label[i] = -1;
    ASSERT_OK(make(&p, data, "ssl", "labeled=4 r=true", &err), err);
    ASSERT_NEAR(p->r, 3.0 / 28, 1e-15); /* of 32 known labels 4 are positive */
    wlab_problem_unref(p);
    for (int i = 2; i < 90; i++)
        data->label[i] = -1;
    ASSERT_FAILS(make(&p, data, "ssl", "given=yes r=true", &err), WL_EARG, err, "no true label");
    wlab_dataset_unref(data);
}

static void ssl_unknown_truth(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = generate_or_fail("two-moons", "n=30");
    for (int i = 0; i < 20; i++)
        data->label[i] = -1;
    ASSERT_OK(make(&p, data, "ssl", "labeled=4", &err), err);
    check_problem(p);
    assert_int_equal(p->unlabelled, 26);
    for (int i = 0; i < 20; i++)
        assert_true(p->truth[i] == 0 && p->visible[i] == 0);
    wlab_problem_unref(p);
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=11", &err), WL_EARG, err, "only 10 of the 30");
    assert_null(p);
    ASSERT_OK(make(&p, data, "ssl", "given=yes r=0.5", &err), err);
    assert_int_equal(p->labelled, 10);
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, "supervised", "", &err), err);
    check_problem(p);
    assert_int_equal(p->n, 10);
    assert_int_equal(p->row[0], 20);
    assert_non_null(strstr(p->remark, "20 rows"));
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void ssl_given(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    /* some labels are given, and all true labels are known */
    wlab_dataset *data = generate_or_fail("topics", "n=60 d=200 labeled=12");
    ASSERT_OK(make(&p, data, "ssl", "given=yes", &err), err);
    check_problem(p);
    assert_int_equal(p->labelled, 12);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(p->visible[i], data->given[i] < 0 ? 0 : data->given[i] ? 1 : -1);
        assert_int_equal(p->truth[i], data->label[i] ? 1 : -1);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    /* data with the classes -1, 0 and +1 */
    data = generate_or_fail("blobs", "n=30 classes=3");
    const char *const names[] = {"-1", "0", "+1"};
    for (int c = 0; c < 3; c++) {
        wlab_free(data->class_name[c]);
        data->class_name[c] = wlab_strdup(names[c]);
        data->class_value[c] = c - 1;
    }
    ASSERT_OK(make(&p, data, "ssl", "given=yes", &err), err);
    check_problem(p);
    assert_int_equal(p->labelled, 20);
    assert_int_equal(p->hidden, 1);
    for (int i = 0; i < 30; i++)
        assert_int_equal(p->visible[i], data->label[i] - 1);
    wlab_problem_unref(p);
    ASSERT_FAILS(make(&p, data, "ssl", "given=yes labeled=3", &err), WL_EARG, err, "exclude");
    ASSERT_FAILS(make(&p, data, "ssl", "given=yes positive=0", &err), WL_EARG, err, "no class '0'");
    wlab_dataset_unref(data);
    /* one class against two others; 0 means unlabelled */
    data = generate_or_fail("blobs", "n=40 classes=4");
    data->class_value[1] = 0;
    ASSERT_OK(make(&p, data, "ssl", "given=yes positive=4", &err), err);
    check_problem(p);
    assert_int_equal(p->negative, -1);
    for (int i = 0; i < 40; i++)
        assert_int_equal(p->truth[i], data->label[i] == 1 ? 0 : data->label[i] == 3 ? 1 : -1);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void more_classes(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = generate_or_fail("blobs", "n=40 classes=4");
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=8", &err), WL_EARG, err, "1, 2, 3, 4");
    ASSERT_FAILS(make(&p, data, "supervised", "", &err), WL_EARG, err, "positive=");
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=8 positive=7", &err), WL_EARG, err, "no class '7'");
    ASSERT_OK(make(&p, data, "ssl", "labeled=8 positive=2.0", &err), err);
    check_problem(p);
    assert_int_equal(p->positive, 1);
    assert_int_equal(p->negative, -1);
    for (int i = 0; i < 40; i++)
        assert_int_equal(p->truth[i], data->label[i] == 1 ? 1 : -1);
    assert_int_equal(count_observed(p, 1), 2);
    /* another data set that has the same classes with other numbers */
    wlab_dataset *other = generate_or_fail("blobs", "n=4 classes=2");
    assert_int_equal(wlab_problem_truth(p, other, 0),
                     other->label[0] == 1 ? -1 : 0); /* +1 is class 1; -1 is no class of the problem */
    other->class_value[0] = 2;
    for (int i = 0; i < 4; i++)
        assert_int_equal(wlab_problem_truth(p, other, i), other->label[i] == 0 ? 1 : -1);
    other->label[0] = -1;
    assert_int_equal(wlab_problem_truth(p, other, 0), 0);
    wlab_dataset_unref(other);
    wlab_problem_unref(p);
    ASSERT_OK(make(&p, data, "cluster", "balance=0.5", &err), err);
    assert_true(p->positive == -1 && p->truth[0] == 0 && p->remark);
    check_problem(p);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    /* two classes, of which the first is positive */
    data = generate_or_fail("two-moons", "n=20");
    ASSERT_OK(make(&p, data, "supervised", "positive=-1", &err), err);
    assert_true(p->positive == 0 && p->negative == 1 && p->truth[0] == (data->label[0] ? -1 : 1));
    assert_int_equal(wlab_labelset_count(p->labels) > 1, 0);
    wlab_problem_unref(p);
    data->classes = 1;
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=2", &err), WL_EARG, err, "only one class");
    data->classes = 0;
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=2", &err), WL_EARG, err, "no labels");
    data->classes = 2;
    wlab_dataset_unref(data);
}

static void cluster(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = generate_or_fail("two-moons", "n=20");
    ASSERT_OK(make(&p, data, "cluster", "balance=0.2", &err), err);
    check_problem(p);
    assert_true(p->labelled == 0 && p->cost[0] == 1 && isnan(p->r));
    assert_int_equal(p->truth[3], data->label[3] ? 1 : -1);
    int8_t y[20];
    for (int i = 0; i < 20; i++)
        y[i] = i < 8 ? -1 : 1; /* 1'y = 4 = 0.2 n */
    assert_true(wlab_labelset_contains(p->labels, y));
    y[0] = 1;
    assert_false(wlab_labelset_contains(p->labels, y));
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    data = generate_or_fail("two-moons", "n=21");
    ASSERT_FAILS(make(&p, data, "cluster", "balance=0.03", &err), WL_EARG, err, "use balance=0.05, say");
    wlab_dataset_unref(data);
}

/* Training rows in any order, and some rows held out. */
static void rows_and_files(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    char path[256], text[400];
    const char lines[] = "1 2 3 4\n20 18\n5 3\n16 1\n19 19\n41\n";
    support_temp_file(path, ".txt", lines, strlen(lines));
    wlab_dataset *data = generate_or_fail("two-moons", "n=20");
    for (int i = 0; i < 20; i++)
        data->label[i] = i % 2;
    int32_t train[15], test[4] = {0, 1, 2, 3};
    for (int i = 0; i < 15; i++)
        train[i] = 19 - i; /* rows 20 .. 6, counted from 1 */
    static const struct {
        int line;
        const char *message; /* NULL: no error */
    } cases[] = {{1, "row 1 is held out"},  {2, NULL},           {3, "row 5 is not among"},
                 {4, "row 1 is held out"},  {5, "row 19 twice"}, {6, "there is no"},
                 {7, "there is no split 7"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        snprintf(text, sizeof text, "labeled=@%s line=%d r=0.5", path, cases[c].line);
        wlab_params *params = made_params(wlab_task_find("ssl")->params, text, &err);
        assert_non_null(params);
        wlab_code code =
            wlab_problem_create(&p, data, train, 15, test, 4, wlab_task_find("ssl"), params, NULL, &err);
        wlab_params_destroy(params);
        if (cases[c].message) {
            if (code == WL_OK || !strstr(err.message, cases[c].message))
                fail_msg("line %d: code %d, %s", cases[c].line, (int)code, err.message);
            assert_null(p);
            assert_true(cases[c].line == 7 || strcmp(err.file, path) == 0);
            continue;
        }
        if (code)
            fail_msg("line %d: %s", cases[c].line, err.message);
        check_problem(p);
        assert_int_equal(p->n, 15);
        for (int i = 0; i < 15; i++)
            assert_int_equal(p->visible[i], i == 0 || i == 2 ? 1 : 0);
        wlab_problem_unref(p);
    }
    data->label[19] = -1;
    snprintf(text, sizeof text, "labeled=@%s line=2 r=0.5", path);
    ASSERT_FAILS(make(&p, data, "ssl", text, &err), WL_EINPUT, err, "row 20 has no label");
    wlab_dataset_unref(data);
    unlink(path);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "labeled=10"},
        {"labeled=0", "give a count"},
        {"labeled=x", "give a count"},
        {"labeled=0%", "above 0%"},
        {"labeled=101%", "at most"},
        {"labeled=-5%", "above 0%"},
        {"labeled=1%", "selects none"},
        {"labeled=1", "observe at least two labels, or give r="},
        {"labeled=2 only=negative", "cannot estimate r: give r="},
        {"labeled=5 r=1.5", "from 0 to 1"},
        {"labeled=5 r=x", "from 0 to 1"},
        {"labeled=5 r=tru", "auto, or true"},
        {"labeled=%", "give a count"},
    };
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = generate_or_fail("two-moons", "n=20");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ASSERT_FAILS(make(&p, data, "ssl", cases[c].text, &err), WL_EARG, err, cases[c].message);
    int32_t beyond[2] = {0, 20};
    wlab_params *params = made_params(wlab_task_find("cluster")->params, "", &err);
    ASSERT_FAILS(
        wlab_problem_create(&p, data, beyond, 2, NULL, 0, wlab_task_find("cluster"), params, NULL, &err),
        WL_EARG, err, "no row 21");
    ASSERT_FAILS(
        wlab_problem_create(&p, data, beyond, 0, NULL, 0, wlab_task_find("cluster"), params, NULL, &err),
        WL_EARG, err, "no training rows");
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    assert_null(wlab_task_find("sssl"));
}

/* Labels of one class: drawn from it, or all its labels in the file. */
static void one_class(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *p;
    static const char *const drawn[] = {"labeled=6 only=positive r=0.3", "labeled=6 only=negative r=0.3",
                                        "labeled=6 only=negative r=0.3 stratified=no",
                                        "given=yes only=positive r=0.3"};
    wlab_dataset *data = generate_or_fail("two-moons", "n=40");
    for (int c = 0; c < 4; c++) {
        ASSERT_OK(make(&p, data, "ssl", drawn[c], &err), err);
        check_problem(p);
        assert_int_equal(p->labelled, c < 3 ? 6 : 20);
        for (int64_t i = 0; i < p->n; i++)
            assert_true(p->truth[i] && (!p->visible[i] || p->visible[i] == (c == 0 || c == 3 ? 1 : -1)));
        wlab_problem_unref(p);
    }
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=21 only=positive r=0.5", &err), WL_EARG, err,
                 "only=positive");
    ASSERT_FAILS(make(&p, data, "ssl", "labeled=6 only=negative", &err), WL_EARG, err, "give r=");
    data->class_value[0] = 0; /* means unlabelled with given=yes */
    ASSERT_FAILS(make(&p, data, "ssl", "given=yes", &err), WL_EARG, err, "estimate r: give r=");
    ASSERT_FAILS(make(&p, data, "ssl", "given=yes r=0.5 positive=2", &err), WL_EARG, err, "no class '2'");
    ASSERT_OK(make(&p, data, "ssl", "given=yes r=0.25", &err), err);
    check_problem(p);
    assert_true(p->labelled == 20 && p->positive == 1 && p->negative == -1 && p->hidden == 0);
    for (int64_t i = 0; i < p->n; i++)
        assert_int_equal(p->visible[i], data->label[i] ? 1 : 0);
    /* in other data every other class is negative */
    wlab_dataset *other = generate_or_fail("two-moons", "n=20");
    other->class_value[0] = 7;
    for (int64_t i = 0; i < 20; i++)
        assert_int_equal(wlab_problem_truth(p, other, i), other->label[i] ? 1 : -1);
    wlab_dataset_unref(other);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void out_of_memory(void **state)
{
    (void)state;
    wlab_problem *p;
    wlab_err err;
    wlab_dataset *data = generate_or_fail("blobs", "n=20 classes=3");
    data->label[0] = -1;
    static const char *const cases[][2] = {{"ssl", "labeled=6 positive=1"},
                                           {"ssl", "labeled=50% positive=1 stratified=no"},
                                           {"cluster", "balance=0.5"},
                                           {"supervised", "positive=2"}};
    for (size_t c = 0; c < 4; c++) {
        ALLOC_SWEEP_OUT(make(&p, data, cases[c][0], cases[c][1], &err), p);
        wlab_problem *same = wlab_problem_ref(p);
        wlab_problem_unref(p);
        wlab_problem_unref(same);
    }
    wlab_problem_unref(NULL);
    wlab_dataset_unref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ssl_counts),       cmocka_unit_test(ssl_choice),
        cmocka_unit_test(ssl_true_balance), cmocka_unit_test(ssl_unknown_truth),
        cmocka_unit_test(ssl_given),        cmocka_unit_test(more_classes),
        cmocka_unit_test(cluster),          cmocka_unit_test(rows_and_files),
        cmocka_unit_test(refusals),         cmocka_unit_test(out_of_memory),
        cmocka_unit_test(one_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
