/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folds, candidates, cross-validation: against runs made by hand, and never with a look at hidden labels.
 */
#include "support.h"

#include "made.h"
#include "weaklab/eval.h"
#include "weaklab/run.h"
#include "weaklab/tune.h"

static wlab_dataset *data_of(const char *kind, const char *text)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data(kind, text, &err);

    if (!data)
        fail_msg("%s", err.message);
    return data;
}

static wlab_code problem_of(wlab_problem **p, wlab_dataset *data, const wlab_task *task, const char *text,
                            wlab_err *err)
{
    wlab_params *params = made_params(task->params, text, err);
    wlab_code code = params ? wlab_problem_create(p, data, NULL, 0, NULL, 0, task, params, err) : err->code;

    wlab_params_destroy(params);
    return code;
}

static wlab_problem *problem(const char *kind, const char *data_text, const char *task, const char *text)
{
    wlab_err err = {0};
    wlab_problem *p = NULL;
    wlab_dataset *data = data_of(kind, data_text);

    ASSERT_OK(problem_of(&p, data, wlab_task_find(task), text, &err), err);
    wlab_dataset_unref(data);
    return p;
}

/* ---- folds ---- */

/* The labelled rows are parted, each class evenly; no other row is held out; the same seed cuts the same. */
static void check_folds(const wlab_problem *p, int k)
{
    wlab_err err = {0};
    wlab_folds a, b, c;
    int64_t least = INT64_MAX, most = 0;
    bool other = false;

    ASSERT_OK(wlab_folds_create(&a, p, k, 3, &err), err);
    ASSERT_OK(wlab_folds_create(&b, p, k, 3, &err), err);
    ASSERT_OK(wlab_folds_create(&c, p, k, 4, &err), err);
    assert_int_equal(a.k, k < p->labelled ? k : (int)p->labelled);
    assert_memory_equal(a.fold, b.fold, (size_t)p->n * sizeof *a.fold);
    for (int f = 0; f < a.k; f++) {
        int64_t of[2] = {0, 0}, all[2] = {0, 0};

        for (int64_t i = 0; i < p->n; i++) {
            assert_int_equal(a.fold[i] < 0, p->visible[i] == 0);
            other = other || a.fold[i] != c.fold[i];
            if (p->visible[i])
                all[p->visible[i] > 0]++;
            if (a.fold[i] == f)
                of[p->visible[i] > 0]++;
        }
        for (int side = 0; side < 2; side++)
            assert_in_range(of[side], all[side] / a.k, (all[side] + a.k - 1) / a.k);
        least = of[0] + of[1] < least ? of[0] + of[1] : least;
        most = of[0] + of[1] > most ? of[0] + of[1] : most;
    }
    assert_in_range(most - least, 0, 1);
    assert_true(least > 0);
    if (p->labelled > 6)
        assert_true(other);
    wlab_folds_clear(&a);
    wlab_folds_clear(&b);
    wlab_folds_clear(&c);
}

static void folds_part(void **state)
{
    (void)state;
    wlab_problem *ssl = problem("g50c", "n=90", "ssl", "labeled=23"),
                 *all = problem("g50c", "n=41", "supervised", ""),
                 *few = problem("g50c", "n=40", "ssl", "labeled=2");

    for (int k = 2; k < 27; k += 4) {
        check_folds(ssl, k);
        check_folds(all, k);
        check_folds(few, k);
    }
    check_folds(ssl, 1000000);
    wlab_problem_unref(ssl);
    wlab_problem_unref(all);
    wlab_problem_unref(few);
}

/* What stays is as it was; r is that of the whole, and so is what the label set allows. */
static void parts_of_problems(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_problem *p = problem("g50c", "n=80", "ssl", "labeled=10 seed=4"), *part;
    wlab_folds folds;
    int8_t y[80];
    wlab_rng rng;

    wlab_rng_seed(&rng, 1);
    ASSERT_OK(wlab_folds_create(&folds, p, 3, 1, &err), err);
    for (int f = 0; f < folds.k; f++) {
        int64_t k = 0, negatives = 0;

        ASSERT_OK(wlab_problem_without(&part, p, &folds, f, &err), err);
        for (int64_t i = 0; i < p->n; i++) {
            if (folds.fold[i] == f)
                continue;
            assert_int_equal(part->row[k], p->row[i]);
            assert_int_equal(part->visible[k], p->visible[i]);
            assert_int_equal(part->truth[k], p->truth[i]);
            assert_int_equal(part->example[k], k);
            assert_int_equal(part->cost[k], p->visible[i] == 0);
            ASSERT_NEAR(wlab_matrix_at(part->X, k, 7), wlab_matrix_at(p->X, i, 7), 0);
            k++;
        }
        assert_int_equal(part->n, k);
        assert_int_equal(part->examples, k);
        assert_int_equal(part->unlabelled, p->unlabelled);
        assert_int_equal(part->labelled, k - p->unlabelled);
        assert_true(part->r == p->r);
        part->labels->ops->random(part->labels, &rng, y);
        for (int64_t i = 0; i < k; i++)
            negatives += part->visible[i] == 0 && y[i] < 0;
        assert_int_equal(negatives, (int64_t)ceil((1 - p->r) * (double)p->unlabelled - 1e-7));
        wlab_problem_unref(part);
    }
    wlab_folds_clear(&folds);
    wlab_problem_unref(p);
}

static void nothing_to_cut(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_folds folds;
    wlab_problem *one = problem("g50c", "n=30", "ssl", "labeled=1 r=0.5"),
                 *none = problem("g50c", "n=30", "cluster", "");

    ASSERT_FAILS(wlab_folds_create(&folds, one, 5, 1, &err), WL_EARG, err, "shows 1");
    ASSERT_FAILS(wlab_folds_create(&folds, none, 5, 1, &err), WL_EARG, err, "cluster shows no label");
    ASSERT_FAILS(wlab_folds_create(&folds, one, 1, 1, &err), WL_EARG, err, "there must be 2");
    wlab_problem_unref(one);
    wlab_problem_unref(none);
}

/* ---- candidates ---- */

static void candidates_in_order(void **state)
{
    (void)state;
    static const char *const want[] = {"wellsvm kernel=rbf sigma=0.5x C2=0.01",
                                       "wellsvm kernel=rbf sigma=0.5x C2=1",
                                       "wellsvm kernel=rbf sigma=1x C2=0.01",
                                       "wellsvm kernel=rbf sigma=1x C2=1",
                                       "svm C=3",
                                       "svm degree=1",
                                       "svm degree=2",
                                       "svm degree=3",
                                       "svm"};
    wlab_err err = {0};
    wlab_candidate *list = NULL;
    int n = 0;

    ASSERT_OK(wlab_candidates_add(&list, &n, "wellsvm kernel=rbf sigma={0.5,1}x C2={0.01,1}", &err), err);
    assert_int_equal(n, 4);
    ASSERT_OK(wlab_candidates_add(&list, &n, "svm C=3", &err), err);
    ASSERT_OK(wlab_candidates_add(&list, &n, "svm degree={1..3}", &err), err);
    ASSERT_OK(wlab_candidates_add(&list, &n, "svm", &err), err);
    assert_int_equal(n, 9);
    for (int i = 0; i < n; i++) {
        assert_string_equal(list[i].text, want[i]);
        assert_ptr_equal(list[i].algo, wlab_algo_find(i < 4 ? "wellsvm" : "svm"));
    }
    ASSERT_NEAR(wlab_params_real(list[2].params, "C2"), 0.01, 0);
    wlab_candidates_free(list, n);
}

static void candidates_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        long column;
    } bad[] = {{"", "which algorithm", 1},
               {"  svmm C=1", "did you mean \"svm\"", 3},
               {"svm C", "not key=value", 5},
               {"svm D=1", "did you mean", 5},
               {"svm C={1,-1}", "C", 7},
               {"svm C={1,2", "never closed", 7},
               {"svm  C={1,,2}", "missing", 11},
               {"svm C={1,2} C=3", "given twice", 13},
               {"svm C=1; svm", "has no place", 8},
               {"svm C={1..9000} eps={0.1,2}", "eps", 21},
               {"svm C={1..9000} degree={1..20}", "more than 100000", 24}};
    wlab_err err = {0};
    wlab_candidate *list = NULL;
    int n = 0;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (wlab_err){0};
        wlab_code code = wlab_candidates_add(&list, &n, bad[i].text, &err);

        if (code == WL_OK || !strstr(err.message, bad[i].says) || err.column != bad[i].column)
            fail_msg("%s: %d, column %ld: %s", bad[i].text, (int)code, err.column, err.message);
        assert_int_equal(n, 0);
    }
    wlab_candidates_free(list, n);
}

/* ---- cross-validation ---- */

static wlab_tuned tune(wlab_problem *p, const char *const *text, const char *options, wlab_candidate **list)
{
    wlab_err err = {0};
    wlab_tuned tuned = {0};
    wlab_params *o = made_params(wlab_tune_params, options, &err);
    int n = 0;

    assert_non_null(o);
    *list = NULL;
    for (; *text; text++)
        ASSERT_OK(wlab_candidates_add(list, &n, *text, &err), err);
    ASSERT_OK(wlab_tune(&tuned, p, *list, n, o, NULL, NULL, &err), err);
    assert_int_equal(tuned.candidates, n);
    wlab_params_destroy(o);
    return tuned;
}

/* The pooled score of one candidate by hand: a run on each part, its model on the rows held out. */
static double by_hand(const wlab_problem *p, const wlab_candidate *c, int k, uint64_t seed, bool auc,
                      int *folds)
{
    wlab_err err = {0};
    wlab_folds cut;
    double f[200];
    int8_t sign[200];
    int64_t at = 0;
    wlab_scores s;

    *folds = 0;
    ASSERT_OK(wlab_folds_create(&cut, p, k, seed, &err), err);
    for (int fold = 0; fold < cut.k; fold++) {
        wlab_problem *part;
        wlab_run *run;
        wlab_model *model;
        bool did = true, up = false, down = false;

        ASSERT_OK(wlab_problem_without(&part, p, &cut, fold, &err), err);
        for (int64_t i = 0; i < part->n; i++) {
            up = up || part->visible[i] > 0;
            down = down || part->visible[i] < 0;
        }
        if (up && down) {
            ASSERT_OK(wlab_run_create(&run, "a", 1, part, c->algo, c->params, 0, NULL, &err), err);
            while (did)
                ASSERT_OK(wlab_run_step(run, NULL, &did, &err), err);
            ASSERT_OK(c->algo->model(wlab_run_state(run), &model, NULL, &err), err);
            for (int32_t i = 0; i < p->n; i++) {
                wlab_matrix *row;

                if (cut.fold[i] != fold)
                    continue;
                ASSERT_OK(wlab_matrix_rows(&row, p->X, &i, 1, &err), err);
                ASSERT_OK(wlab_model_predict(model, row, &f[at], NULL, &err), err);
                sign[at++] = p->visible[i];
                wlab_matrix_destroy(row);
            }
            wlab_model_destroy(model);
            wlab_run_destroy(run);
            ++*folds;
        }
        wlab_problem_unref(part);
    }
    wlab_folds_clear(&cut);
    wlab_score(f, sign, at, &s);
    return auc ? s.auc : s.accuracy;
}

static void check_by_hand(wlab_problem *p, const char *const *text, int k, bool auc)
{
    char options[64];
    wlab_candidate *list;
    int folds = 0, best = 0;
    double different = 0;

    snprintf(options, sizeof options, "folds=%d seed=5 by=%s", k, auc ? "auc" : "auto");
    wlab_tuned t = tune(p, text, options, &list);
    for (int i = 0; i < t.candidates; i++) {
        ASSERT_NEAR(t.score[i], by_hand(p, &list[i], k, 5, auc, &folds), 1e-12);
        if (t.score[i] > t.score[best])
            best = i;
        different += fabs(t.score[i] - t.score[0]);
    }
    assert_int_equal(t.folds, folds);
    assert_int_equal(t.best, best);
    assert_true(different > 0);
    assert_string_equal(t.by, auc ? "AUC" : "accuracy");
    assert_false(t.oracle || t.lower);
    assert_null(t.failure);
    wlab_candidates_free(list, t.candidates);
    wlab_tuned_clear(&t);
}

static void as_by_hand(void **state)
{
    (void)state;
    static const char *const svms[] = {"svm C={0.001,0.1,10}", "svm kernel=rbf sigma={0.05x,1x}", NULL};
    static const char *const both[] = {"wellsvm kernel=rbf sigma={0.1x,1x} C2={0.01,1} labelings=4",
                                       "svm C=0.01", NULL};
    wlab_problem *ssl = problem("two-moons", "n=60 noise=0.2", "ssl", "labeled=11"),
                 *all = problem("g50c", "n=50", "supervised", "");

    check_by_hand(all, svms, 5, false);
    check_by_hand(all, svms, 7, true);
    check_by_hand(ssl, both, 3, false);
    check_by_hand(ssl, svms, 1000, false); /* leave one out */
    wlab_problem_unref(ssl);
    wlab_problem_unref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_part),         cmocka_unit_test(parts_of_problems),
        cmocka_unit_test(nothing_to_cut),     cmocka_unit_test(candidates_in_order),
        cmocka_unit_test(candidates_refused), cmocka_unit_test(as_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
