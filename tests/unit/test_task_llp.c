/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Task llp: the proportions of bags (counted, from a file, noisy, all the same), labels observed inside bags, and what
 * parameter tuning depends on.
 */
#include "support.h"

#include "made.h"
#include "weaklab/algo.h"
#include "weaklab/task.h"
#include "weaklab/tune.h"

#include <math.h>
#include <unistd.h>

static wlab_code make(wlab_problem **p, wlab_dataset *data, const int32_t *train, int64_t n, const char *text,
                      wlab_err *err)
{
    *p = NULL;
    wlab_params *params = made_params(wlab_task_find("llp")->params, text, err);
    if (!params)
        return err->code;
    wlab_code code =
        wlab_problem_create(p, data, train, n, NULL, 0, wlab_task_find("llp"), params, NULL, err);
    wlab_params_destroy(params);
    return code;
}

static wlab_problem *problem_or_fail(wlab_dataset *data, const char *text)
{
    wlab_err err = {0};
    wlab_problem *p;
    ASSERT_OK(make(&p, data, NULL, 0, text, &err), err);
    return p;
}

static wlab_dataset *blobs(const char *text)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data("blobs", text, &err);
    assert_non_null(data);
    return data;
}

static void count_bags(const wlab_problem *p, double *positives, double *size)
{
    memset(positives, 0, (size_t)p->bags * sizeof *positives);
    memset(size, 0, (size_t)p->bags * sizeof *size);
    for (int64_t i = 0; i < p->n; i++) {
        size[p->bag[i]]++;
        positives[p->bag[i]] += p->truth[i] > 0;
    }
}

/* ---- the label set ---- */

static bool add_one(void *data, const int8_t *y, const int32_t *changed, int64_t n)
{
    (void)y, (void)changed, (void)n;
    ++*(int64_t *)data;
    return true;
}

/* Checks all 2^n labelings by the rule: observed labels are kept, and in each bag the proportion of positives is within
 * eps of the given one.  If no count of positives is, the nearest count is required.  If the observed labels do not
 * allow these counts, the nearest count that they allow is required. */
static void observed_labels(void **state)
{
    (void)state;
    enum {
        N = 9,
        BAGS = 3
    };
    static const double eps[] = {0, 0.2, 1};
    wlab_rng rng;
    wlab_err err;
    wlab_rng_seed(&rng, 3);
    for (int trial = 0; trial < 60; trial++) {
        int32_t bag[N];
        int8_t visible[N], y[N];
        double proportion[BAGS];
        int64_t lo[BAGS], hi[BAGS], size[BAGS] = {0}, positives[BAGS] = {0}, negatives[BAGS] = {0},
                                    allowed = 0, listed = 0;
        for (int i = 0; i < N; i++) {
            bag[i] = (int32_t)(i < BAGS ? (uint64_t)i : wlab_rng_below(&rng, BAGS));
            visible[i] = (int8_t)(wlab_rng_below(&rng, 2) ? 0 : wlab_rng_below(&rng, 2) ? 1 : -1);
            size[bag[i]]++;
            positives[bag[i]] += visible[i] > 0;
            negatives[bag[i]] += visible[i] < 0;
        }
        for (int b = 0; b < BAGS; b++) {
            proportion[b] = wlab_rng_below(&rng, 5) ? wlab_rng_uniform(&rng) : NAN;
            double n = (double)size[b], off = isnan(proportion[b]) ? n : eps[trial % 3] * n,
                   target = isnan(proportion[b]) ? 0 : proportion[b] * n;
            lo[b] = (int64_t)ceil(target - off - 1e-9);
            hi[b] = (int64_t)floor(target + off + 1e-9);
            if (lo[b] > hi[b])
                lo[b] = hi[b] = (int64_t)floor(target + 0.5);
            lo[b] = lo[b] < positives[b]             ? positives[b]
                    : lo[b] > size[b] - negatives[b] ? size[b] - negatives[b]
                                                     : lo[b];
            hi[b] = hi[b] < positives[b]             ? positives[b]
                    : hi[b] > size[b] - negatives[b] ? size[b] - negatives[b]
                                                     : hi[b];
        }
        wlab_labelset *B;
        ASSERT_OK(wlab_labelset_llp(&B, bag, visible, N, BAGS, proportion, eps[trial % 3], &err), err);
        for (int bits = 0; bits < 1 << N; bits++) {
            int64_t ones[BAGS] = {0};
            bool fits = true;
            for (int i = 0; i < N; i++) {
                y[i] = bits >> i & 1 ? 1 : -1;
                ones[bag[i]] += y[i] > 0;
                fits = fits && (!visible[i] || visible[i] == y[i]);
            }
            for (int b = 0; b < BAGS; b++)
                fits = fits && ones[b] >= lo[b] && ones[b] <= hi[b];
            assert_int_equal(wlab_labelset_contains(B, y), fits);
            allowed += fits;
        }
        assert_true(allowed > 0);
        ASSERT_OK(wlab_labelset_enumerate(B, add_one, &listed, &err), err);
        assert_int_equal(listed, allowed);
        wlab_labelset_destroy(B);
    }
}

/* Bags that are no division of the rows are not dealt without a word. */
static void one_bag(void **state)
{
    static const char *const settings[] = {"bagsize=60", "bagsize=90", "bagsize=90 deal=even",
                                           "bagsize=90 deal=all"};
    wlab_dataset *data = blobs("n=60 seed=2 spread=3");
    wlab_problem *p;

    (void)state;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        p = problem_or_fail(data, settings[k]);
        assert_int_equal(p->bags, 1);
        assert_string_equal(p->remark,
                            "all 60 training rows are in one bag, so only their overall proportion is "
                            "known: a smaller bagsize= deals more bags");
        wlab_problem_unref(p);
    }
    p = problem_or_fail(data, "bagsize=59");
    assert_null(p->remark);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void labels_inside(void **state)
{
    (void)state;
    wlab_err err;
    wlab_problem *q;
    wlab_dataset *data = blobs("n=60 seed=2 spread=3");
    wlab_problem *p = problem_or_fail(data, "bagsize=6 labeled=20% seed=4");
    double positives[60], size[60];
    assert_true(p->labelled == 12 && p->unlabelled == 48);
    assert_null(p->remark); /* true labels do not contradict true proportions */
    count_bags(p, positives, size);
    for (int64_t i = 0; i < p->n; i++) {
        assert_true(p->visible[i] == 0 || p->visible[i] == p->truth[i]);
        assert_int_equal(p->cost[i], p->visible[i] == 0);
        assert_true(p->visible[i] == 0 || p->labels->fixed[i] == p->visible[i]);
    }
    for (int64_t b = 0; b < p->bags; b++)
        ASSERT_NEAR(p->bag_given[b], positives[b] / size[b], 1e-15); /* observed labels are included */
    assert_true(wlab_labelset_contains(p->labels, p->truth));
    /* the same bags as without labels, and other labels with another seed */
    q = problem_or_fail(data, "bagsize=6 seed=4");
    assert_memory_equal(p->bag, q->bag, 60 * sizeof *p->bag);
    assert_memory_equal(p->bag_given, q->bag_given, (size_t)p->bags * sizeof *p->bag_given);
    wlab_problem_unref(q);
    q = problem_or_fail(data, "bagsize=6 labeled=20% seed=5");
    assert_memory_not_equal(p->visible, q->visible, 60);
    wlab_problem_unref(q);
    ALLOC_SWEEP_OUT(make(&q, data, NULL, 0, "bagsize=6 labeled=20% noise=0.1 deal=even", &err), q);
    wlab_problem_unref(q);
    /* a part of the problem keeps the observed labels, also in its label set */
    wlab_folds folds = {0};
    ASSERT_OK(wlab_folds_create(&folds, p, 3, 1, &err), err);
    ASSERT_OK(wlab_problem_without(&q, p, &folds, 0, &err), err);
    assert_true(q->labelled > 0 && q->n < p->n);
    assert_true(wlab_labelset_contains(q->labels, q->truth));
    for (int64_t i = 0; i < q->n; i++)
        assert_true(q->visible[i] == 0 || q->labels->fixed[i] == q->visible[i]);
    wlab_problem_unref(q);
    wlab_folds_clear(&folds);
    wlab_problem_unref(p);
    /* every label is observed: only one labeling is left */
    p = problem_or_fail(data, "bagsize=6 labeled=100%");
    ASSERT_NEAR(wlab_labelset_count(p->labels), 1, 0);
    wlab_problem_unref(p);
    /* the file gives a few labels, and the truth separately */
    data->given = wlab_alloc(60, sizeof *data->given);
    assert_non_null(data->given);
    for (int i = 0; i < 60; i++)
        data->given[i] = i % 10 == 0 ? data->label[i] : -1;
    p = problem_or_fail(data, "bagsize=6 given=yes");
    assert_int_equal(p->labelled, 6);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

/* ---- given proportions ---- */

static void noise(void **state)
{
    (void)state;
    wlab_dataset *data = blobs("n=4000 seed=2 spread=3");
    wlab_problem *p = problem_or_fail(data, "bagsize=4 seed=9"),
                 *q = problem_or_fail(data, "bagsize=4 seed=9 noise=0.1"),
                 *again = problem_or_fail(data, "bagsize=4 seed=9 noise=0.1"),
                 *far = problem_or_fail(data, "bagsize=4 seed=9 noise=1");
    double sum = 0, squares = 0, off[1000];
    int64_t inside = 0, at_ends = 0;
    assert_memory_equal(p->bag, q->bag, 4000 * sizeof *p->bag);
    assert_memory_equal(q->bag_given, again->bag_given, 1000 * sizeof *p->bag_given);
    for (int b = 0; b < 1000; b++) {
        assert_true(q->bag_given[b] >= 0 && q->bag_given[b] <= 1 && far->bag_given[b] >= 0 &&
                    far->bag_given[b] <= 1);
        at_ends += far->bag_given[b] <= 0 || far->bag_given[b] >= 1;
        if (fabs(p->bag_given[b] - 0.5) < 0.3) /* far from the ends */
            off[inside++] = q->bag_given[b] - p->bag_given[b];
    }
    for (int64_t k = 0; k < inside; k++) {
        sum += off[k];
        squares += off[k] * off[k];
    }
    assert_true(inside > 500 && at_ends > 400);
    assert_true(fabs(sum / (double)inside) < 5 * 0.1 / sqrt((double)inside));
    assert_true(fabs(sqrt(squares / (double)inside) - 0.1) < 5 * 0.1 / sqrt(2 * (double)inside));
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_problem_unref(again);
    wlab_problem_unref(far);
    wlab_dataset_unref(data);
}

/* deal=even: in every bag the counts of either class are right within one, and all bags are given the same
 * proportion. */
static void even(void **state)
{
    (void)state;
    static const int of_100[] = {0, 1, 13, 50, 97, 100};
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = blobs("n=100 seed=1");
    double positives[100], size[100];
    for (size_t k = 0; k < sizeof of_100 / sizeof *of_100; k++)
        for (int s = 1; s <= 33; s += 4)
            for (int unknown = 0; unknown <= 30; unknown += 30) {
                char text[80];
                int64_t known = 0, positives_of_all = 0;
                for (int i = 0; i < 100; i++) {
                    data->label[i] = i * 37 % 100 < of_100[k];
                    data->label[i] = i % 100 < unknown ? -1 : data->label[i];
                    known += data->label[i] >= 0;
                    positives_of_all += data->label[i] == 1;
                }
                snprintf(text, sizeof text, "bagsize=%d deal=even seed=%d", s, s);
                p = problem_or_fail(data, text);
                double prior = (double)positives_of_all / (double)known, none[100] = {0};
                count_bags(p, positives, size);
                for (int64_t i = 0; i < 100; i++)
                    none[p->bag[i]] += p->truth[i] == 0;
                for (int64_t b = 0; b < p->bags; b++) {
                    ASSERT_NEAR(p->bag_given[b], prior, 1e-15);
                    assert_true(fabs(none[b] - size[b] * (double)(100 - known) / 100) < 1 + 1e-9);
                    assert_true(fabs(positives[b] - (size[b] - none[b]) * prior) < 1 + 1e-9);
                    assert_true(size[b] <= s);
                }
                wlab_problem_unref(p);
            }
    ASSERT_FAILS(make(&p, data, NULL, 0, "deal=even", &err), WL_EARG, err, "for example bagsize=16");
    ASSERT_FAILS(make(&p, data, NULL, 0, "deal=all", &err), WL_EARG, err, "deal=all needs bagsize=");
    p = problem_or_fail(data, "bagsize=8 deal=even seed=1");
    wlab_problem *q = problem_or_fail(data, "bagsize=8 deal=even seed=2");
    assert_memory_not_equal(p->bag, q->bag, 100 * sizeof *p->bag);
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_dataset_unref(data);
}

/* ---- proportions from a file ---- */

static char bags_path[256];

/* Write a file of bags: the rows are in bags b0, b1, b2 in turn. */
static void write_bags(int rows)
{
    char lines[1000] = "";
    for (int i = 0; i < rows; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "b%d\n", i % 3);
    support_temp_file(bags_path, ".txt", lines, strlen(lines));
}

static wlab_code make_with_proportions(wlab_problem **p, wlab_dataset *data, const char *content,
                                       const char *more, wlab_err *err)
{
    char path[256], text[900];
    support_temp_file(path, ".txt", content, strlen(content));
    snprintf(text, sizeof text, "bags=%s proportions=%s %s", bags_path, path, more);
    wlab_code code = make(p, data, NULL, 0, text, err);
    if (code && err->file[0])
        assert_string_equal(err->file, path);
    unlink(path);
    return code;
}

/* Remarks: no count of 10 rows gives the proportion, but one within eps does; a bag is cut by the split. */
static void unfit_proportions(wlab_dataset *data)
{
    wlab_err err;
    wlab_problem *p;

    ASSERT_OK(make_with_proportions(&p, data, "b0 0.25\nb1 1\nb2 0.3333\n", "", &err), err);
    assert_non_null(strstr(p->remark, "in 2 bags no count of positives gives the proportion"));
    assert_non_null(strstr(p->remark, "in the bag of row 1, given 0.25 of 10 rows, 3 positive (0.3)"));
    wlab_problem_unref(p);
    ASSERT_OK(make_with_proportions(&p, data, "b0 0.25\nb1 1\nb2 0.3\n", "eps=0.05", &err), err);
    assert_null(p->remark);
    wlab_problem_unref(p);
    static const int32_t part[] = {0,  1,  2,  3,  4,  5,  6,  7,  9,  10, 12,
                                   13, 15, 16, 18, 19, 21, 22, 24, 25, 27, 28};
    char path[256], text[900];
    support_temp_file(path, ".txt", "b0 0.2\nb1 0.5\nb2 0.3\n", 21);
    snprintf(text, sizeof text, "bags=%s proportions=%s", bags_path, path);
    ASSERT_OK(make(&p, data, part, sizeof part / sizeof *part, text, &err), err);
    assert_non_null(strstr(p->remark, "of the 3 bags "));
    assert_non_null(strstr(p->remark, "cut by the split"));
    wlab_problem_unref(p);
    ALLOC_SWEEP_OUT(make(&p, data, part, sizeof part / sizeof *part, text, &err), p);
    wlab_problem_unref(p);
    unlink(path);
}

/* Messages quote names of bags that are the data's own, but nothing of a file of bags. */
static void names_of_bags(void **state)
{
    (void)state;
    static const char rows[] = "a,bag,class\n1,green,p\n2,blue,n\n3,blue,p\n",
                      twins[] = "a\376\na\377\na\377\n";
    char data_path[256], proportions_path[256], text[600];
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = NULL;
    support_temp_file(data_path, ".csv", rows, sizeof rows - 1);
    support_temp_file(proportions_path, ".txt", "red 0.5\n", 8);
    support_temp_file(bags_path, ".txt", "TOKEN\nTOKEN\nzz_secret\n", 22);
    snprintf(text, sizeof text, "proportions=%s", proportions_path);
    for (int apart = 0; apart < 2; apart++) {
        wlab_params *options = NULL;
        ASSERT_OK(wlab_params_create(&options, wlab_load_params, &err), err);
        if (apart)
            ASSERT_OK(wlab_params_set(options, "bags", bags_path, &err), err);
        ASSERT_OK(wlab_dataset_load(&data, data_path, NULL, options, NULL, &err), err);
        ASSERT_FAILS(make(&p, data, NULL, 0, text, &err), WL_EINPUT, err,
                     apart ? "none of the 2 bags in the file of bags"
                           : "none of the 2 bags, which are blue to green");
        wlab_params_destroy(options);
        if (!apart)
            wlab_dataset_unref(data);
    }
    /* two names that look the same */
    unlink(bags_path);
    support_temp_file(bags_path, ".txt", twins, sizeof twins - 1);
    snprintf(text, sizeof text, "bags=%s proportions=%s", bags_path, proportions_path);
    ASSERT_FAILS(make(&p, data, NULL, 0, text, &err), WL_EARG, err, "bags 1 and 2 have the same name, so");
    wlab_dataset_unref(data);
    unlink(bags_path);
    unlink(proportions_path);
    unlink(data_path);
}

static void given_proportions(void **state)
{
    (void)state;
    static const char *const forms[] = {"b0 0.25\nb1 1\nb2 0\n",
                                        "bag,proportion\nb2,0\r\nb0,0.25\r\nb1,1\r\n",
                                        "# comment\n\n  b1;1\n b0\t.25\nb2 , 0.0"};
    static const struct {
        const char *content, *message;
        long line, column;
    } wrong[] = {
        {"b0 0.25\nb3 1\n", "this bag is none of the 3 bags in the file of bags", 2, 1},
        {"b0 0.25\n zebra 1\n", "this bag is none of the 3 bags in the file of bags", 2, 2},
        {"b0 0.25\nb1 40\n", "(0.4 for 40 %)", 2, 4},
        {"b0 -0.1\n", "a number from 0 to 1", 1, 4},
        {"b0 nan\n", "this is not a proportion", 1, 4},
        {"b0 0.25\nb1\n", "a bag and its proportion are expected", 2, 1},
        {"b0 0.25\n\nb1 0.5\nb0 0.5\n", "line 1 already gives the proportion of this bag: 0.25", 4, 1},
        {"b0 x\n", "this is not a proportion", 1, 4},
        {"b0 0.5\nbag proportion\n", "this is not a proportion", 2, 5},
    };
    wlab_err err;
    wlab_problem *p;
    wlab_dataset *data = blobs("n=30 seed=1");
    write_bags(30);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        ASSERT_OK(make_with_proportions(&p, data, forms[k], "eps=0.1", &err), err);
        static const double expected[3] = {0.25, 1, 0};
        assert_memory_equal(p->bag_given, expected, sizeof expected);
        assert_null(p->remark);
        wlab_problem_unref(p);
    }
    ASSERT_OK(make_with_proportions(&p, data, "b1 0.7\n", "", &err), err);
    assert_true(isnan(p->bag_given[0]) && isnan(p->bag_given[2]));
    assert_non_null(strstr(p->remark, "2 bags without a given proportion"));
    wlab_problem_unref(p);
    unfit_proportions(data);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ASSERT_FAILS(make_with_proportions(&p, data, wrong[k].content, "", &err), WL_EINPUT, err,
                     wrong[k].message);
        assert_true(!p && err.line == wrong[k].line && err.column == wrong[k].column);
        assert_null(strstr(err.message, "b0")); /* a file of bags is not quoted */
    }
    ASSERT_FAILS(make_with_proportions(&p, data, "# nothing\n", "", &err), WL_EARG, err,
                 "gives no proportion for any bag of the training rows");
    ASSERT_FAILS(make_with_proportions(&p, data, "b0 0.5", "labeled=3 given=yes", &err), WL_EARG, err,
                 "exclude each other");
    ASSERT_FAILS(make(&p, data, NULL, 0, "bagsize=4 proportions=x", &err), WL_EARG, err, "cannot refer to");
    /* observed labels that contradict the given proportions */
    ASSERT_OK(make_with_proportions(&p, data, "b0 0\nb1 0\nb2 0\n", "labeled=10", &err), err);
    assert_non_null(strstr(p->remark, "the observed labels contradict the given proportion"));
    int8_t y[30];
    for (int i = 0; i < 30; i++)
        y[i] = p->visible[i] > 0 ? 1 : -1;
    assert_true(wlab_labelset_contains(p->labels, y));
    ASSERT_NEAR(wlab_labelset_count(p->labels), 1, 0);
    wlab_problem_unref(p);
    unlink(bags_path);
    /* the data's own bags, without names; the bags of held-out rows are known too */
    data->bag = wlab_alloc(30, sizeof *data->bag);
    assert_non_null(data->bag);
    data->bags = 3;
    for (int i = 0; i < 30; i++)
        data->bag[i] = i % 3;
    char path[256], text[300];
    int32_t train[20];
    for (int i = 0, n = 0; i < 30; i++)
        if (i % 3)
            train[n++] = i;
    support_temp_file(path, ".txt", "3 0.5\n1 0.25\n2 1.0\n", 19);
    snprintf(text, sizeof text, "proportions=%s", path);
    ASSERT_OK(make(&p, data, train, 20, text, &err), err);
    assert_true(p->bags == 2 && p->all.bags == 3 && p->all.of_row[0] == 0);
    ASSERT_NEAR(p->all.given[0], 0.25, 0);
    ASSERT_NEAR(p->bag_given[0], 1, 0);
    ASSERT_NEAR(p->bag_given[1], 0.5, 0);
    wlab_problem_unref(p);
    ALLOC_SWEEP_OUT(make(&p, data, NULL, 0, text, &err), p);
    wlab_problem_unref(p);
    /* without any label, proportions alone are enough */
    int classes = data->classes;
    data->classes = 0;
    for (int i = 0; i < 30; i++)
        data->label[i] = -1;
    ASSERT_OK(make(&p, data, NULL, 0, text, &err), err);
    assert_true(p->positive == -1 && p->truth[0] == 0 && p->bags == 3);
    wlab_problem_unref(p);
    ASSERT_FAILS(make(&p, data, NULL, 0, "", &err), WL_EARG, err, "has no labels");
    data->classes = classes;
    ASSERT_FAILS(make(&p, data, NULL, 0, "", &err), WL_EARG, err, "proportions=FILE");
    unlink(path);
    wlab_dataset_unref(data);
}

/* ---- tuning parameters ---- */

/* If true labels are exchanged inside the bags, the proportions stay the same, and so does every score, to the last
 * bit. */
static void tune_ignores_true_labels(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = blobs("n=40 dims=3 seed=5 spread=2"), *other = blobs("n=40 dims=3 seed=5 spread=2");
    wlab_problem *p = problem_or_fail(data, "bagsize=4 seed=3"), *q;
    wlab_params *o = made_params(wlab_tune_params, "folds=3", &err);
    int changed = 0, solved = 0;
    for (int i = 0; i < 40; i++) /* rotate the labels within each bag */
        for (int k = 1; k <= 40; k++) {
            int next = (i + k) % 40;
            if (p->bag[next] == p->bag[i]) {
                other->label[next] = data->label[i];
                break;
            }
        }
    for (int i = 0; i < 40; i++)
        changed += other->label[i] != data->label[i];
    assert_true(changed > 8);
    q = problem_or_fail(other, "bagsize=4 seed=3");
    assert_memory_equal(p->bag_given, q->bag_given, (size_t)p->bags * sizeof *p->bag_given);
    assert_memory_not_equal(p->truth, q->truth, 40);
    for (int a = 0; wlab_algos[a]; a++) {
        wlab_candidate *list = NULL;
        wlab_tuned s, t;
        int n = 0;
        if (!(wlab_algos[a]->learns_from & WL_SEES_PROPORTIONS) || strcmp(wlab_algos[a]->name, "bb") == 0)
            continue;
        ASSERT_OK(wlab_candidates_add(&list, &n, wlab_algos[a]->name, &err), err);
        ASSERT_OK(wlab_tune(&s, p, list, n, o, "iter >= 5", NULL, &err), err);
        ASSERT_OK(wlab_tune(&t, q, list, n, o, "iter >= 5", NULL, &err), err);
        assert_true(s.lower && !s.oracle && s.scored == p->bags);
        assert_string_equal(s.by, "bag error");
        assert_memory_equal(s.score, t.score, (size_t)n * sizeof *s.score);
        assert_true(s.score[0] >= 0 && s.score[0] <= (double)p->bags);
        wlab_tuned_clear(&s);
        wlab_tuned_clear(&t);
        wlab_candidates_free(list, n);
        solved++;
    }
    assert_true(solved > 0);
    wlab_params_destroy(o);
    wlab_problem_unref(p);
    wlab_problem_unref(q);
    wlab_dataset_unref(data);
    wlab_dataset_unref(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observed_labels),
        cmocka_unit_test(one_bag),
        cmocka_unit_test(labels_inside),
        cmocka_unit_test(noise),
        cmocka_unit_test(even),
        cmocka_unit_test(given_proportions),
        cmocka_unit_test(names_of_bags),
        cmocka_unit_test(tune_ignores_true_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
