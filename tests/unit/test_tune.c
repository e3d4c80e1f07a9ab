/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folds, candidates, cross-validation: results equal those of runs made by hand, and do not depend on hidden labels.
 */
#include "base/walk.h"
#include "support.h"

#include "made.h"
#include "weaklab/run.h"
#include "weaklab/score.h"
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
    wlab_code code =
        params ? wlab_problem_create(p, data, NULL, 0, NULL, 0, task, params, NULL, err) : err->code;

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

/* Each labelled row is in one fold, each class is divided evenly, no other row is held out, and the same seed gives the
 * same folds. */
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

/* The remaining rows are unchanged; r is that of the whole problem, and so are the bounds of the label set. */
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
        wlab_labelset_random(part->labels, &rng, y);
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

    ASSERT_FAILS(wlab_folds_create(&folds, one, 5, 1, &err), WL_EARG, err, "gives 1");
    ASSERT_FAILS(wlab_folds_create(&folds, none, 5, 1, &err), WL_EARG, err, "cluster gives no labels");
    ASSERT_FAILS(wlab_folds_create(&folds, one, 1, 1, &err), WL_EARG, err, "there must be at least 2");
    wlab_problem_unref(one);
    wlab_problem_unref(none);
}

/* ---- candidates ---- */

static void candidates_in_order(void **state)
{
    (void)state;
    static const char *const expected[] = {"wellsvm kernel=rbf sigma=0.5x C2=0.01",
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
        assert_string_equal(list[i].text, expected[i]);
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
    } bad[] = {{"", "algorithm is missing", 1},
               {"  svmm C=1", "did you mean \"svm\"", 3},
               {"svm C", "not key=value", 5},
               {"svm D=1", "did you mean", 5},
               {"svm C={1,-1}", "C", 7},
               {"svm C={1,2", "never closed", 7},
               {"svm  C={1,,2}", "missing", 11},
               {"svm C={1,2} C=3", "given twice", 13},
               {"svm C=1; svm", "may not be among", 8},
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

/* The pooled score of one candidate by hand: for each part a run, and its model on the held-out rows. */
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

/* A fold without which only one class remains is left out; if all are, tuning fails. */
static void one_class_left(void **state)
{
    (void)state;
    static const char *const text[] = {"svm C={0.1,1}", NULL};
    wlab_err err = {0};
    wlab_candidate *list;
    wlab_tuned t = {.best = 7};
    wlab_problem *three = problem("g50c", "n=40", "ssl", "labeled=3"),
                 *two = problem("g50c", "n=40", "ssl", "labeled=2");
    wlab_params *o = made_params(wlab_tune_params, "", &err);
    wlab_tuned u = tune(three, text, "", &list);

    assert_int_equal(u.folds, 2);
    assert_int_equal(u.scored, 2);
    wlab_tuned_clear(&u);
    ASSERT_FAILS(
        wlab_tune(&t, two, list, 2, o, NULL, NULL, &err), WL_EARG, err,
        "two labelled rows of each class, so that one can be held out; there are 1 positive and 1 neg");
    assert_int_equal(t.best, 7);
    ASSERT_FAILS(wlab_tune(&t, three, list, 0, o, NULL, NULL, &err), WL_EARG, err, "no candidates to choose");
    wlab_candidates_free(list, 2);
    wlab_params_destroy(o);
    wlab_problem_unref(two);
    wlab_problem_unref(three);
}

/* Whatever the hidden labels and the labels of test rows are, the scores have the same bits. */
static void hidden_labels_have_no_effect(void **state)
{
    (void)state;
    static const char *const text[] = {"wellsvm kernel=rbf sigma={0.3x,1x} C2={0.01,1} labelings=3",
                                       "svm C={0.01,1} kernel=rbf", NULL};
    wlab_err err = {0};
    wlab_dataset *data = data_of("two-moons", "n=80 noise=0.2");
    wlab_params *params = made_params(wlab_task_find("ssl")->params, "labeled=12", &err);
    wlab_problem *p;
    wlab_candidate *list;
    int32_t train[60], test[20];
    wlab_rng rng;

    for (int32_t i = 0; i < 80; i++)
        *(i < 60 ? &train[i] : &test[i - 60]) = (i * 7) % 80;
    ASSERT_OK(wlab_problem_create(&p, data, train, 60, test, 20, wlab_task_find("ssl"), params, NULL, &err),
              err);
    wlab_params_destroy(params);
    for (int warm = 0; warm < 2; warm++) {
        const char *options = warm ? "folds=4 warm=yes" : "folds=4 by=auc";
        wlab_tuned a = tune(p, text, options, &list), b;

        wlab_candidates_free(list, a.candidates);
        wlab_rng_seed(&rng, 8);
        for (int trial = 0; trial < 3; trial++) {
            for (int64_t i = 0; i < p->n; i++)
                if (p->visible[i] == 0)
                    p->truth[i] = trial == 0 ? 0 : wlab_rng_below(&rng, 2) ? 1 : -1;
            for (int i = 0; i < 80; i++)
                data->label[i] = trial == 0 ? -1 : (int32_t)wlab_rng_below(&rng, 2);
            b = tune(p, text, options, &list);
            assert_memory_equal(a.score, b.score, (size_t)a.candidates * sizeof *a.score);
            assert_int_equal(a.best, b.best);
            wlab_candidates_free(list, b.candidates);
            wlab_tuned_clear(&b);
        }
        wlab_tuned_clear(&a);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

/* Clustering: candidates are chosen with the true labels, which is reported; the score is that of all rows. */
static void an_oracle(void **state)
{
    (void)state;
    static const char *const text[] = {"wellsvm labelings={1,2,4}", NULL};
    wlab_err err = {0};
    wlab_problem *p = problem("two-moons", "n=50 noise=0.1", "cluster", "");
    wlab_params *o = made_params(wlab_tune_params, "by=auc", &err);
    wlab_candidate *list;
    wlab_tuned t = tune(p, text, "", &list), none = {0};

    assert_true(t.oracle);
    assert_false(t.lower);
    assert_int_equal(t.folds, 0);
    assert_int_equal(t.scored, 50);
    for (int i = 0; i < t.candidates; i++) {
        wlab_run *run;
        wlab_model *model;
        bool did = true;
        double f[50];
        int8_t y[50];

        ASSERT_OK(wlab_run_create(&run, "a", 1, p, list[i].algo, list[i].params, 0, NULL, &err), err);
        while (did)
            ASSERT_OK(wlab_run_step(run, NULL, &did, &err), err);
        ASSERT_OK(list[i].algo->model(wlab_run_state(run), &model, NULL, &err), err);
        ASSERT_OK(wlab_model_predict(model, p->X, f, NULL, &err), err);
        for (int k = 0; k < 50; k++)
            y[k] = f[k] > 0 ? 1 : -1;
        ASSERT_NEAR(t.score[i], wlab_matching_accuracy(y, p->truth, 50), 0);
        wlab_model_destroy(model);
        wlab_run_destroy(run);
    }
    ASSERT_FAILS(wlab_tune(&none, p, list, t.candidates, o, NULL, NULL, &err), WL_EARG, err,
                 "only scored by the accuracy under the best matching");
    for (int64_t i = 0; i < p->n; i++)
        p->truth[i] = 0;
    ASSERT_OK(wlab_params_set(o, "by", "auto", &err), err);
    ASSERT_FAILS(wlab_tune(&none, p, list, t.candidates, o, NULL, NULL, &err), WL_EARG, err, "has none");
    wlab_candidates_free(list, t.candidates);
    wlab_tuned_clear(&t);
    wlab_params_destroy(o);
    wlab_problem_unref(p);
}

/* ---- an algorithm with a simple result: w = turn * (sum of sign_i x_i), b = offset ---- */

enum {
    D = 6
};

typedef struct centre {
    wlab_problem *p;
    double turn, offset;
} centre;

static int created, stepped, stop_after; /* counters for the tests */
static atomic_int stop;

static const wlab_param_info centre_params[] = {
    {.name = "turn", .type = WL_P_REAL, .fallback = "1", .meaning = "factor of w"},
    {.name = "offset", .type = WL_P_REAL, .fallback = "0", .meaning = "b", .flags = WL_P_MUTABLE},
    {.name = "other", .type = WL_P_REAL, .meaning = "nothing", .flags = WL_P_MUTABLE},
    {0}};
static const wlab_metric_info centre_metrics[] = {
    {.name = "objective", .role = WL_R_OBJECTIVE, .meaning = "offset"}, {0}};

static wlab_code centre_set(void *state, const wlab_params *params, wlab_err *err)
{
    centre *c = state;

    if (wlab_params_real(params, "offset") > 100)
        return wlab_fail(err, WL_EARG, "offset=%g is too far off", wlab_params_real(params, "offset"));
    c->offset = wlab_params_real(params, "offset");
    return WL_OK;
}

static wlab_code centre_create(void **state, wlab_problem *p, const wlab_params *params, wlab_ctx *ctx,
                               wlab_err *err)
{
    centre *c = wlab_calloc(1, sizeof *c);

    (void)ctx;
    *state = NULL;
    if (!c)
        return wlab_nomem(err);
    if (centre_set(c, params, err)) {
        wlab_free(c);
        return WL_EARG;
    }
    c->p = wlab_problem_ref(p);
    c->turn = wlab_params_real(params, "turn");
    created++;
    *state = c;
    return WL_OK;
}

static wlab_code centre_advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    (void)state, (void)ctx, (void)err;
    *step = (wlab_step){.complete = true, .verdict = WL_CONVERGED};
    if (++stepped == stop_after)
        atomic_store(&stop, 1);
    return WL_OK;
}

static void centre_observe(const void *state, double *metrics, int8_t *labels)
{
    const centre *c = state;

    if (metrics)
        metrics[0] = c->offset;
    if (labels)
        memset(labels, 0, (size_t)c->p->n);
}

static double sign_of(const wlab_problem *p, int64_t i)
{
    return p->bag_given ? 2 * p->bag_given[p->bag[i]] - 1 : p->visible[i];
}

static wlab_code centre_model(const void *state, wlab_model **model, wlab_ctx *ctx, wlab_err *err)
{
    const centre *s = state;
    wlab_kernel kernel = {.kind = WL_K_LINEAR};
    double *c = wlab_alloc((size_t)s->p->n, sizeof *c);
    wlab_code code;

    (void)ctx;
    *model = NULL;
    if (!c)
        return wlab_nomem(err);
    for (int64_t i = 0; i < s->p->n; i++)
        c[i] = s->turn * sign_of(s->p, i);
    code = wlab_model_from_coefficients(model, s->p, &kernel, c, NULL, err);
    if (!code)
        (*model)->b[0] = s->offset;
    wlab_free(c);
    return code;
}

static void centre_walk(void *state, wlab_walk *w)
{
    (void)state;
    (void)w;
}

static void centre_destroy(void *state)
{
    centre *c = state;

    wlab_problem_unref(c->p);
    wlab_free(c);
}

static const wlab_algo centre_algo = {
    .name = "centre",
    .learns_from = WL_SEES_ANYTHING,
    .params = centre_params,
    .metrics = centre_metrics,
    .create = centre_create,
    .advance = centre_advance,
    .observe = centre_observe,
    .model = centre_model,
    .walk = centre_walk,
    .set = centre_set,
    .destroy = centre_destroy,
};

/* "turn=1 offset=2|turn=3|..." */
static wlab_candidate *centres(const char *text, int *n)
{
    wlab_err err = {0};
    wlab_candidate *list = wlab_calloc(16, sizeof *list);
    char copy[512], *rest = NULL;

    *n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *one = strtok_r(copy, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
        list[*n] = (wlab_candidate){&centre_algo, made_params(centre_params, one, &err), wlab_strdup(one)};
        assert_non_null(list[*n].params);
        ++*n;
    }
    return list;
}

/* ---- bags ---- */

/* All instances of a bag have its sign, or none (llp). */
static wlab_code bags_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                           wlab_ctx *ctx, wlab_err *err)
{
    (void)ctx;
    double *size = NULL;

    (void)params, (void)test, (void)n_test, (void)err;
    p->positive = 1;
    p->negative = 0;
    p->bags = p->data->bags;
    p->bag = wlab_alloc((size_t)p->n, sizeof *p->bag);
    p->bag_given = wlab_calloc((size_t)p->bags, sizeof *p->bag_given);
    size = wlab_calloc((size_t)p->bags, sizeof *size);
    assert_true(p->bag && p->bag_given && size);
    for (int64_t i = 0; i < p->n; i++) {
        int32_t b = p->bag[i] = p->data->bag[p->row[i]];

        p->truth[i] = p->data->label[p->row[i]] == 1 ? 1 : -1;
        size[b]++;
        if (p->task->sees == WL_SEES_PROPORTIONS)
            p->bag_given[b] += p->truth[i] > 0;
        else if (p->truth[i] > 0)
            p->bag_given[b] = 1;
    }
    for (int64_t b = 0; b < p->bags && p->task->sees == WL_SEES_PROPORTIONS; b++)
        p->bag_given[b] /= size[b];
    for (int64_t i = 0; i < p->n && p->task->sees == WL_SEES_BAG_SIGNS; i++)
        p->visible[i] = p->bag_given[p->bag[i]] > 0.5 ? 1 : -1;
    p->keys = p->task->sees == WL_SEES_BAG_SIGNS;
    wlab_free(size);
    return WL_OK;
}

static wlab_code bags_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    (void)params;
    return wlab_labelset_cluster(&p->labels, p->n, (double)p->n, err);
}

static const wlab_param_info no_params[] = {{0}};
static const wlab_task mil_task = {.name = "mil",
                                   .sees = WL_SEES_BAG_SIGNS,
                                   .scored = WL_SCORED_BAGS,
                                   .params = no_params,
                                   .fill = bags_fill,
                                   .allow = bags_allow};
static const wlab_task llp_task = {.name = "llp",
                                   .sees = WL_SEES_PROPORTIONS,
                                   .scored = WL_SCORED_PROPORTIONS,
                                   .params = no_params,
                                   .fill = bags_fill,
                                   .allow = bags_allow};

/* 60 rows in 23 bags of one to five, not in order. */
static wlab_problem *bagged(const wlab_task *task)
{
    wlab_err err = {0};
    wlab_dataset *data = data_of("blobs", "n=60 dims=6 classes=2 spread=3");
    wlab_problem *p = NULL;

    data->bags = 23;
    data->bag = wlab_alloc(60, sizeof *data->bag);
    assert_non_null(data->bag);
    for (int i = 0; i < 60; i++)
        data->bag[i] = i < 23 ? 22 - i : (i * i + 3 * (i / 7)) % 23;
    ASSERT_OK(problem_of(&p, data, task, "", &err), err);
    wlab_dataset_unref(data);
    return p;
}

/* Compare with scores computed here, without models, runs or problems of parts. */
static void check_bags(const wlab_task *task, int k)
{
    wlab_err err = {0};
    wlab_problem *p = bagged(task);
    bool llp = task->sees == WL_SEES_PROPORTIONS;
    int n;
    wlab_candidate *list = centres("turn=1|turn=-1|offset=5|offset=-20 turn=2", &n);
    char text[40];
    wlab_folds folds;
    wlab_tuned t;

    snprintf(text, sizeof text, "folds=%d", k);
    wlab_params *o = made_params(wlab_tune_params, text, &err);
    ASSERT_OK(wlab_tune(&t, p, list, n, o, NULL, NULL, &err), err);
    assert_string_equal(t.by, llp ? "bag error" : "bag accuracy");
    assert_int_equal(t.lower, llp);
    assert_int_equal(t.scored, 23);
    ASSERT_OK(wlab_folds_create(&folds, p, k, 1, &err), err);
    assert_int_equal(folds.k, k < 23 ? k : 23);
    assert_int_equal(t.folds, folds.k);
    int of[23] = {0}, best = 0;
    for (int b = 0; b < 23; b++) {
        int fold = -1;

        for (int i = 0; i < 60; i++)
            if (p->bag[i] == b) {
                assert_true(fold < 0 || folds.fold[i] == fold); /* a bag is in one fold */
                fold = folds.fold[i];
            }
        assert_in_range(fold, 0, folds.k - 1);
        if (p->bag_given[b] > 0.5)
            of[fold]++;
    }
    for (int f = 1; f < folds.k && !llp; f++)
        assert_in_range(of[f] - of[0] + 1, 0, 2);
    for (int c = 0; c < n; c++) {
        double turn = wlab_params_real(list[c].params, "turn"), score = 0;
        double offset = wlab_params_real(list[c].params, "offset");

        for (int b = 0; b < 23; b++) {
            double w[D] = {0}, top = -HUGE_VAL, positives = 0, size = 0;
            int fold = 0;

            for (int i = 0; i < 60; i++)
                fold = p->bag[i] == b ? folds.fold[i] : fold;
            for (int i = 0; i < 60; i++)
                for (int d = 0; d < D && folds.fold[i] != fold; d++)
                    w[d] += turn * sign_of(p, i) * wlab_matrix_at(p->X, i, d);
            for (int i = 0; i < 60; i++) {
                double f = offset;

                for (int d = 0; d < D; d++)
                    f += w[d] * wlab_matrix_at(p->X, i, d);
                if (p->bag[i] != b)
                    continue;
                top = f > top ? f : top;
                positives += f > 0;
                size++;
            }
            if (llp)
                score += fabs(p->bag_given[b] - positives / size);
            else
                score += ((top > 0) == (p->bag_given[b] > 0.5)) / 23.0;
        }
        ASSERT_NEAR(t.score[c], score, 1e-12);
        best = llp ? (t.score[c] < t.score[best] ? c : best) : t.score[c] > t.score[best] ? c : best;
    }
    assert_int_equal(t.best, best);
    assert_true(fabs(t.score[0] - t.score[1]) > 1e-3);
    /* only the given labels or proportions of bags are used */
    for (int i = 0; i < 60; i++)
        p->truth[i] = -p->truth[i];
    wlab_tuned again;
    ASSERT_OK(wlab_tune(&again, p, list, n, o, NULL, NULL, &err), err);
    assert_memory_equal(t.score, again.score, (size_t)n * sizeof *t.score);
    if (llp) {
        ASSERT_OK(wlab_params_set(o, "by", "auc", &err), err);
        ASSERT_FAILS(wlab_tune(&again, p, list, n, o, NULL, NULL, &err), WL_EARG, err,
                     "only scored by the bag error");
    }
    wlab_tuned_clear(&t);
    wlab_tuned_clear(&again);
    wlab_folds_clear(&folds);
    wlab_params_destroy(o);
    wlab_candidates_free(list, n);
    wlab_problem_unref(p);
}

static void bags_held_out(void **state)
{
    (void)state;
    check_bags(&mil_task, 4);
    check_bags(&mil_task, 100);
    check_bags(&llp_task, 3);
    check_bags(&llp_task, 23);
}

/* A part numbers its bags anew; they keep their given labels or proportions. */
static void bags_of_parts(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_problem *p = bagged(&mil_task), *part;
    wlab_folds folds;

    ASSERT_OK(wlab_folds_create(&folds, p, 5, 1, &err), err);
    for (int f = 0; f < 5; f++) {
        bool met[23] = {false};
        int64_t k = 0, bags = 0;

        ASSERT_OK(wlab_problem_without(&part, p, &folds, f, &err), err);
        for (int i = 0; i < 60; i++) {
            if (folds.fold[i] == f)
                continue;
            assert_in_range(part->bag[k], 0, part->bags - 1);
            assert_true(part->bag_given[part->bag[k]] == p->bag_given[p->bag[i]]);
            bags += !met[p->bag[i]];
            met[p->bag[i]] = true;
            for (int64_t j = 0, h = 0; j < i; j++) {
                if (folds.fold[j] == f)
                    continue;
                assert_int_equal(p->bag[i] == p->bag[j], part->bag[k] == part->bag[h]);
                h++;
            }
            k++;
        }
        assert_int_equal(part->bags, bags);
        wlab_problem_unref(part);
    }
    wlab_folds_clear(&folds);
    wlab_problem_unref(p);
}

/* ---- paths ---- */

static wlab_tuned tune_centres(wlab_problem *p, const char *text, const char *options)
{
    wlab_err err = {0};
    wlab_tuned t;
    int n;
    wlab_candidate *list = centres(text, &n);
    wlab_params *o = made_params(wlab_tune_params, options, &err);

    created = stepped = 0;
    ASSERT_OK(wlab_tune(&t, p, list, n, o, NULL, NULL, &err), err);
    wlab_params_destroy(o);
    wlab_candidates_free(list, n);
    return t;
}

/* One run serves all candidates that differ only in settings that `set` may change, wherever they are in the list; a
 * candidate that lacks a given setting, or whose value is refused, gets a run of its own. */
static void paths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int runs; /* in 3 folds; a candidate that failed once is not trained again */
    } of[] = {{"turn=1 offset=0|turn=-1 offset=0|turn=1 offset=3|turn=-1 offset=1", 6},
              {"offset=1|offset=2|offset=-1|offset=3", 3},
              {"offset=1|other=1 offset=2|offset=-1", 6},
              {"offset=1|turn=1|offset=2", 6},
              {"turn=1 offset=1|turn=1 offset=1000|turn=1 offset=-1", 4}};
    wlab_problem *p = problem("g50c", "n=50", "supervised", "");

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        wlab_tuned cold = tune_centres(p, of[i].text, "folds=3"), warm;

        assert_int_equal(stepped, created);
        warm = tune_centres(p, of[i].text, "folds=3 warm=yes");
        assert_int_equal(created, of[i].runs);
        for (int k = 0; k < cold.candidates; k++)
            assert_true(cold.score[k] == warm.score[k] || (isnan(cold.score[k]) && isnan(warm.score[k])));
        assert_int_equal(cold.best, warm.best);
        if (strstr(of[i].text, "1000")) {
            assert_true(isnan(cold.score[1]));
            assert_non_null(strstr(cold.failure, "offset=1000: offset=1000 is too far off"));
        } else {
            assert_null(warm.failure);
        }
        wlab_tuned_clear(&cold);
        wlab_tuned_clear(&warm);
    }
    wlab_problem_unref(p);
}

/* With all labels given WellSVM is convex, so that the starting point of a run does not matter. */
static void warm_is_cold(void **state)
{
    (void)state;
    static const char *const text[] = {"wellsvm kernel=rbf sigma={1x,0.3x} C1={0.01,1,100,0.1}",
                                       "svm kernel=rbf C={0.1,1,10}", NULL};
    wlab_problem *p = problem("g50c", "n=60 error=0.2", "supervised", "");
    wlab_candidate *list;
    double different = 0;

    for (int auc = 0; auc < 2; auc++) {
        wlab_tuned cold = tune(p, text, auc ? "by=auc" : "folds=4", &list);
        wlab_candidates_free(list, cold.candidates);
        wlab_tuned warm = tune(p, text, auc ? "by=auc warm=yes" : "folds=4 warm=yes", &list);
        wlab_candidates_free(list, warm.candidates);
        for (int i = 0; i < cold.candidates; i++) {
            ASSERT_NEAR(cold.score[i], warm.score[i], 1e-12);
            different += fabs(cold.score[i] - cold.score[0]);
        }
        assert_int_equal(cold.best, warm.best);
        wlab_tuned_clear(&cold);
        wlab_tuned_clear(&warm);
    }
    assert_true(different > 0);
    wlab_problem_unref(p);
}

/* A run ends at the step at which the condition holds, as if this were the run's own limit. */
static void until_it_holds(void **state)
{
    (void)state;
    static const char *const limited[] = {"wellsvm kernel=rbf sigma={0.2x,1x} labelings=1", NULL},
                             *const endless[] = {"wellsvm kernel=rbf sigma={0.2x,1x}", NULL};
    wlab_err err = {0};
    wlab_problem *p = problem("two-moons", "n=100 noise=0.6", "ssl", "labeled=25");
    wlab_params *o = made_params(wlab_tune_params, "by=auc", &err);
    wlab_candidate *list;
    wlab_tuned a = tune(p, limited, "by=auc", &list), b, c;

    wlab_candidates_free(list, 2);
    c = tune(p, endless, "by=auc", &list);
    ASSERT_OK(wlab_tune(&b, p, list, 2, o, "iter >= 1", NULL, &err), err);
    assert_memory_equal(a.score, b.score, 2 * sizeof *a.score);
    assert_memory_not_equal(a.score, c.score, 2 * sizeof *a.score);
    wlab_tuned_clear(&a);
    wlab_tuned_clear(&b);
    wlab_tuned_clear(&c);
    ASSERT_FAILS(wlab_tune(&a, p, list, 2, o, "gapp < 1", NULL, &err), WL_EARG, err, "gapp");
    wlab_params_destroy(o);
    wlab_candidates_free(list, 2);
    wlab_problem_unref(p);
}

/* ---- failures ---- */

static void some_cannot_be_trained(void **state)
{
    (void)state;
    static const char *const some[] = {"svm backend=liblinear kernel={linear,rbf}", "svm C=0.1", NULL},
                             *const none[] = {"svm backend=liblinear kernel={poly,rbf}", NULL};
    wlab_err err = {0};
    wlab_problem *p = problem("g50c", "n=40", "supervised", ""),
                 *free = problem("g50c", "n=40", "cluster", "");
    wlab_params *o = made_params(wlab_tune_params, "", &err);
    wlab_candidate *list = NULL;
    int n = 0;
    wlab_tuned t = tune(p, some, "", &list);

    assert_true(isnan(t.score[1]) && t.score[0] > 0 && t.score[2] > 0);
    assert_non_null(
        strstr(t.failure, "svm kernel=rbf backend=liblinear: backend=liblinear works with the linear"));
    wlab_candidates_free(list, 3);
    wlab_tuned_clear(&t);
    list = NULL;
    ASSERT_OK(wlab_candidates_add(&list, &n, none[0], &err), err);
    ASSERT_FAILS(wlab_tune(&t, p, list, n, o, NULL, NULL, &err), WL_EARG, err,
                 "none of the candidates could be trained; the first: svm kernel=poly");
    ASSERT_FAILS(wlab_tune(&t, free, list, n, o, NULL, NULL, &err), WL_EARG, err, "does not solve the task");
    wlab_candidates_free(list, n);
    wlab_params_destroy(o);
    wlab_problem_unref(free);
    wlab_problem_unref(p);
}

static void interrupted(void **state)
{
    (void)state;
    wlab_err err = {0};
    wlab_problem *p = problem("g50c", "n=50", "supervised", "");
    wlab_params *o = made_params(wlab_tune_params, "folds=4 warm=yes", &err);
    int n;
    wlab_candidate *list = centres("turn=1|turn=-1|offset=2|offset=3", &n);
    wlab_ctx ctx = {.interrupt = &stop};
    wlab_tuned t = {.best = 7};

    for (stop_after = 1; stop_after < 16; stop_after++) {
        stepped = 0;
        atomic_store(&stop, 0);
        ASSERT_FAILS(wlab_tune(&t, p, list, n, o, NULL, &ctx, &err), WL_EINTERRUPTED, err,
                     "no candidate was chosen");
        assert_int_equal(t.best, 7);
        assert_int_equal(stepped, stop_after);
    }
    stop_after = 0;
    atomic_store(&stop, 0);
    ASSERT_OK(wlab_tune(&t, p, list, n, o, NULL, &ctx, &err), err);
    wlab_tuned_clear(&t);
    wlab_candidates_free(list, n);
    wlab_params_destroy(o);
    wlab_problem_unref(p);
}

static wlab_code attempt(wlab_problem *p, const char *text, const char *options)
{
    wlab_candidate *list = NULL;
    wlab_params *o = NULL;
    wlab_tuned t = {0};
    int n = 0;
    wlab_code code = wlab_candidates_add(&list, &n, text, NULL);

    if (!code)
        code = wlab_params_create(&o, wlab_tune_params, NULL);
    if (!code)
        code = wlab_params_set(o, "folds", "2", NULL);
    if (!code)
        code = wlab_params_set(o, "warm", options, NULL);
    if (!code)
        code = wlab_tune(&t, p, list, n, o, "gap < 1e-3", NULL, NULL);
    wlab_tuned_clear(&t);
    wlab_params_destroy(o);
    wlab_candidates_free(list, n);
    return code;
}

static wlab_code attempt_folds(const wlab_problem *p)
{
    wlab_folds folds = {0};
    wlab_problem *part = NULL;
    wlab_code code = wlab_folds_create(&folds, p, 3, 1, NULL);

    if (!code)
        code = wlab_problem_without(&part, p, &folds, 1, NULL);
    wlab_problem_unref(part);
    wlab_folds_clear(&folds);
    return code;
}

static void out_of_memory(void **state)
{
    (void)state;
    wlab_problem *ssl = problem("g50c", "n=16", "ssl", "labeled=6"), *bags = bagged(&mil_task),
                 *free = problem("g50c", "n=12", "cluster", ""),
                 *llp = problem("g50c", "n=16", "llp", "bagsize=4");

    ALLOC_SWEEP(attempt_folds(ssl));
    ALLOC_SWEEP(attempt_folds(bags));
    ALLOC_SWEEP(attempt(ssl, "svm C={1,2} kernel=rbf", "no"));
    ALLOC_SWEEP(attempt(ssl, "wellsvm C2={1,2} kernel=rbf search=paper bound=labelled labelings=2", "yes"));
    ALLOC_SWEEP(attempt(free, "wellsvm C2={1,2} search=paper bound=labelled labelings=1", "no"));
    ALLOC_SWEEP(attempt(llp, "conv-psvm kernel=linear eps={0,0.1} labelings=1", "no"));
    wlab_problem_unref(llp);
    wlab_problem_unref(free);
    wlab_problem_unref(ssl);
    wlab_problem_unref(bags);
}

/* ---- settings that are the same problem ---- */

static int created_;

static wlab_code count_and_create(void **run_state, wlab_problem *p, const wlab_params *params, wlab_ctx *ctx,
                                  wlab_err *err)
{
    created_++;
    return wlab_algo_find("conv-psvm")->create(run_state, p, params, ctx, err);
}

enum {
    SAME_FOLDS = 3,
    SAME = 6
};

/* Tunes C and eps of conv-psvm with the hook and without: the same scores.  Returns how many trainings the hook saved. */
static int saved_by_hook(wlab_problem *p, const char *options)
{
    wlab_err err = {0};
    wlab_params *o = made_params(wlab_tune_params, options, &err);
    wlab_candidate *list = NULL;
    wlab_tuned with = {0}, without = {0};
    int n = 0;

    assert_non_null(o);
    ASSERT_OK(wlab_candidates_add(&list, &n, "conv-psvm kernel=linear C={1,0.001} eps={0,0.1,0.3}", &err),
              err);
    assert_int_equal(n, SAME);
    wlab_algo counted = *list[0].algo;
    counted.create = count_and_create;
    for (int i = 0; i < n; i++)
        list[i].algo = &counted;
    created_ = 0;
    ASSERT_OK(wlab_tune(&with, p, list, n, o, NULL, NULL, &err), err);
    const int trained = created_;
    created_ = 0;
    counted.same = NULL;
    ASSERT_OK(wlab_tune(&without, p, list, n, o, NULL, NULL, &err), err);
    assert_int_equal(with.best, without.best);
    assert_memory_equal(with.score, without.score, SAME * sizeof *with.score);
    assert_true(with.score[0] != with.score[3]); /* another C is another problem */
    wlab_tuned_clear(&with);
    wlab_tuned_clear(&without);
    wlab_params_destroy(o);
    wlab_candidates_free(list, n);
    return created_ - trained;
}

static void same_problem(void **state)
{
    (void)state;
    wlab_problem *p = problem("g50c", "n=60 seed=1", "llp", "bagsize=4 seed=1");
    /* in bags of four eps=0.1 allows no other counts than eps=0, and eps=0.3 does */
    assert_int_equal(saved_by_hook(p, "folds=3"), SAME_FOLDS * 2);
    assert_int_equal(saved_by_hook(p, "folds=3 warm=yes"), 0);
    wlab_problem_unref(p);
    /* a fold that leaves out the only bag of ten rows saves some, the others none */
    p = problem("roi-bags", "bags=8 positive=0.5 least=3 most=10 dims=2 seed=1", "llp", "");
    int some = saved_by_hook(p, "folds=8");
    assert_in_range(some, 1, 8 * 2 - 1);
    wlab_problem_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_part),
        cmocka_unit_test(parts_of_problems),
        cmocka_unit_test(nothing_to_cut),
        cmocka_unit_test(candidates_in_order),
        cmocka_unit_test(candidates_refused),
        cmocka_unit_test(as_by_hand),
        cmocka_unit_test(one_class_left),
        cmocka_unit_test(hidden_labels_have_no_effect),
        cmocka_unit_test(an_oracle),
        cmocka_unit_test(bags_held_out),
        cmocka_unit_test(bags_of_parts),
        cmocka_unit_test(paths),
        cmocka_unit_test(warm_is_cold),
        cmocka_unit_test(until_it_holds),
        cmocka_unit_test(some_cannot_be_trained),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(same_problem),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
