/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of an experiment: the drawn values are compared with plain formulas over the scores that the test stores.
 */
#include "unit/talk.h"

#include "plot/curve.h"

static const char experiment_[] = "title Some curves\n"
                                  "generate two-moons n=40 as moons\n"
                                  "generate blobs n=40\n"
                                  "split test=0.25\n"
                                  "task ssl labeled={8,2,4} stratified={yes,no}\n"
                                  "method SVM algo svm\n"
                                  "method Well algo wellsvm\n"
                                  "method Other algo svm C=2\n"
                                  "repeat 3\n"
                                  "published Well labeled=2 stratified=yes moons=.7+-.1\n"
                                  "published Well labeled=8 stratified=yes moons=.9\n";

enum {
    SETTINGS = 6,
    N = 3
};
static const double labels_[] = {2, 4, 8};
static char folder[256], dir[300];
static bool gone; /* SVM has no results on blobs with 4 labels */

/* Whether the cell has no result: Other fails on blobs in the last replicate. */
static bool fails(const wlab_cell *c)
{
    return c->method == 2 && c->data == 1 && c->seed == N;
}

static bool misses(const wlab_experiment *e, const wlab_cell *c)
{
    return gone && c->method == 0 && c->data == 1 && atof(e->setting[c->setting].value[0]) < 5 &&
           atof(e->setting[c->setting].value[0]) > 3;
}

static double score_of(double labels, bool stratified, int data, int method, int64_t seed)
{
    return 0.3 + 0.05 * labels + 0.02 * data + 0.01 * method + 0.003 * (double)(seed * seed) +
           0.1 * stratified;
}

static double labels_of(const wlab_experiment *e, int setting)
{
    return atof(e->setting[setting].value[0]);
}

static void store_scores(void)
{
    wlab_experiment *e = NULL;
    wlab_store *store = NULL;
    wlab_err err;
    int64_t kept;

    ASSERT_OK(wlab_experiment_parse(&e, experiment_, strlen(experiment_), "small.wexp", &err), err);
    ASSERT_OK(wlab_experiment_plan(e, &err), err);
    ASSERT_OK(wlab_store_open(&store, dir, true, NULL, &err), err);
    ASSERT_OK(wlab_store_plan(store, e, false, &kept, &err), err);
    assert_int_equal(e->nsettings, SETTINGS);
    for (int64_t i = 0; i < e->cells; i++) {
        const wlab_cell *c = &e->cell[i];
        wlab_result r = {
            .number = c->number, .seconds = labels_of(e, c->setting) * (1 + c->method), .iter = 5};
        double x = score_of(labels_of(e, c->setting), e->setting[c->setting].value[1][0] == 'y', c->data,
                            c->method, c->seed);

        memcpy(r.key, c->key, sizeof r.key);
        r.session = wlab_strdup("#@ none\n");
        r.version = wlab_strdup(WLAB_VERSION);
        r.build = wlab_strdup("0123456789abcdef");
        if (fails(c) || misses(e, c)) {
            r.error = wlab_strdup("one class");
        } else {
            r.parameters = wlab_strdup("svm");
            r.verdict = wlab_strdup("converged");
            r.digest = wlab_strdup("run=a");
            r.scores = json_pack("{s:f, s:f, s:f, s:f}", "nought", 0.0, "accuracy", x,
                                 c->method ? "J" : "other", 10 * x, "wild", c->seed == N ? 10.0 : 0.1);
        }
        ASSERT_OK(wlab_store_put(store, &r, &err), err);
        wlab_result_clear(&r);
    }
    wlab_store_close(store);
    wlab_experiment_free(e);
}

static int setup(void **state)
{
    (void)state;
    talk_folder(folder);
    snprintf(dir, sizeof dir, "%s/results", folder);
    store_scores();
    return 0;
}

static int teardown(void **state)
{
    char line[700];

    (void)state;
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line);
}

static wlab_code draw(wlab_figure *f, const wlab_curve *what, wlab_err *err)
{
    wlab_store *store = NULL;
    wlab_code code = wlab_store_open(&store, dir, false, NULL, err);

    wlab_figure_init(f, false);
    if (!code)
        code = wlab_curve_draw(f, store, what, err);
    wlab_store_close(store);
    return code;
}

/* Check that series i is the curve of `method` against the number of labels: the mean over `data` (-1: both data
 * sets) and over the replicates that have results. */
static void check_series(const wlab_figure *f, int i, const char *title, bool stratified, int data,
                         int method, bool error, double scale)
{
    const wlab_series *s = &f->series[i];
    const wlab_block *b = &f->block[s->block];
    int n = method == 2 && data != 0 ? N - 1 : N;

    assert_string_equal(s->title, title);
    assert_int_equal(b->rows, 3);
    for (int k = 0; k < 3; k++) {
        const double *at = b->value + k * b->columns;
        double sum = 0, squares = 0;

        for (int r = 1; r <= n; r++) {
            double x = 0;

            for (int d = 0; d < 2; d++)
                if (data < 0 || data == d)
                    x += score_of(labels_[k], stratified, d, method, r) / (data < 0 ? 2 : 1);
            x = scale * (error ? 1 - x : x);
            sum += x;
            squares += x * x;
        }
        double deviation = sqrt((squares - sum * sum / n) / (n - 1));
        ASSERT_NEAR(at[0], labels_[k], 1e-15);
        ASSERT_NEAR(at[1], sum / n, 1e-12);
        ASSERT_NEAR(at[3] - at[1], deviation, 1e-7);
        ASSERT_NEAR(at[1] - at[2], deviation, 1e-7);
        assert_true(at[4] == n);
    }
}

static void test_all(void **state)
{
    (void)state;
    wlab_err err;
    wlab_figure f;
    wlab_curve what = {.score = "accuracy", .vs = "labeled"};

    ASSERT_OK(draw(&f, &what, &err), err);
    assert_int_equal(f.nseries, 6);
    assert_false(f.logy);
    check_series(&f, 0, "SVM stratified=yes", true, -1, 0, false, 1);
    check_series(&f, 2, "Other stratified=yes", true, -1, 2, false, 1);
    check_series(&f, 4, "Well stratified=no", false, -1, 1, false, 1);
    wlab_figure_clear(&f);

    what.data = "blobs";
    what.score = "error";
    ASSERT_OK(draw(&f, &what, &err), err);
    check_series(&f, 1, "Well stratified=yes", true, 1, 1, true, 1);
    check_series(&f, 5, "Other stratified=no", false, 1, 2, true, 1);
    wlab_figure_clear(&f);
}

static void test_methods(void **state)
{
    (void)state;
    wlab_err err;
    wlab_figure f;
    wlab_curve what = {.score = "accuracy", .vs = "labeled", .data = "moons", .methods = "Other,SVM"};

    ASSERT_OK(draw(&f, &what, &err), err);
    assert_int_equal(f.nseries, 4);
    check_series(&f, 0, "SVM stratified=yes", true, 0, 0, false, 1);
    check_series(&f, 1, "Other stratified=yes", true, 0, 2, false, 1);
    /* the same colours and marks as in a figure of all methods */
    assert_int_equal(f.series[0].ink, 1);
    assert_int_equal(f.series[1].ink, 3);
    assert_int_equal(f.series[1].mark, 'c');
    assert_string_equal(f.title[1], "accuracy on the test rows of moons against labeled");
    assert_non_null(strstr(f.title[2], "; curves shifted sideways"));
    assert_true(f.series[0].shift != f.series[1].shift);
    assert_true(f.xlo <= 2 + f.series[0].shift &&
                f.xhi >= 8 + f.series[1].shift); /* no shifted mark is cut */
    wlab_figure_clear(&f);
    what.methods = "Othr";
    ASSERT_FAILS(draw(&f, &what, &err), WL_EARG, err, "did you mean \"Other\"?");
    wlab_figure_clear(&f);

    /* methods without this metric have no curve */
    what = (wlab_curve){.score = "J", .vs = "labeled", .data = "moons"};
    ASSERT_OK(draw(&f, &what, &err), err);
    assert_int_equal(f.nseries, 4);
    check_series(&f, 0, "Well stratified=yes", true, 0, 1, false, 10);
    assert_int_equal(f.series[0].ink, 2);
    assert_string_equal(f.title[1], "J of moons against labeled");
    wlab_figure_clear(&f);
    what.methods = "SVM";
    ASSERT_FAILS(draw(&f, &what, &err), WL_ESTATE, err, "nothing to draw");
    wlab_figure_clear(&f);
}

/* Published accuracies are drawn only with accuracy and error, and only for the drawn methods. */
static void test_published(void **state)
{
    (void)state;
    wlab_err err;
    wlab_figure f;
    wlab_curve what = {.score = "accuracy", .vs = "labeled", .data = "moons", .published = true};

    for (int error = 0; error < 2; error++) {
        what.score = error ? "error" : "accuracy";
        ASSERT_OK(draw(&f, &what, &err), err);
        assert_int_equal(f.nseries, 7);
        assert_string_equal(f.series[2].title, "Well stratified=yes (published)");
        const wlab_block *b = &f.block[f.series[2].block];
        assert_int_equal(b->rows, 2);
        ASSERT_NEAR(b->value[1], error ? 0.3 : 0.7, 1e-15);
        ASSERT_NEAR(b->value[b->columns], 8, 0);
        ASSERT_NEAR(b->value[b->columns + 1], error ? 0.1 : 0.9, 1e-15);
        wlab_figure_clear(&f);
    }
    what.methods = "SVM";
    ASSERT_OK(draw(&f, &what, &err), err);
    assert_int_equal(f.nseries, 2);
    wlab_figure_clear(&f);
    what = (wlab_curve){.score = "J", .vs = "labeled", .data = "moons", .published = true};
    ASSERT_OK(draw(&f, &what, &err), err);
    assert_int_equal(f.nseries, 4);
    wlab_figure_clear(&f);
}

/* On a log axis no error bar ends at or below 0; against a score, x is the mean of that score. */
static void test_axes(void **state)
{
    (void)state;
    wlab_err err;
    wlab_figure f;
    wlab_curve what = {.score = "accuracy", .vs = "seconds", .data = "moons", .log = true};
    wlab_buf script = {0};

    ASSERT_OK(draw(&f, &what, &err), err);
    assert_true(f.logy);
    assert_int_equal(f.nseries, 3);
    assert_int_equal(f.block[2].rows, SETTINGS);
    ASSERT_NEAR(f.block[2].value[0], 2 * 3, 1e-15);
    ASSERT_OK(wlab_figure_script(&f, "dumb", &script, &err), err);
    assert_non_null(strstr((const char *)script.data, "set logscale y"));
    wlab_buf_clear(&script);
    wlab_figure_clear(&f);
    what = (wlab_curve){.score = "accuracy", .vs = "labeled", .data = "moons", .logx = true};
    ASSERT_OK(draw(&f, &what, &err), err);
    double xlo, xhi, ylo, yhi;
    assert_true(wlab_figure_ranges(&f, &xlo, &xhi, &ylo, &yhi));
    assert_true(xlo > 1.5 && xlo < 2 && xhi > 8 && xhi < 10);
    for (int i = 0; i < f.nseries; i++) /* on a log axis a shift would have another width at each point */
        assert_true(f.series[i].shift == 0);
    assert_null(strstr(f.title[2], "sideways"));
    ASSERT_OK(wlab_figure_script(&f, "dumb", &script, &err), err);
    assert_non_null(strstr((const char *)script.data, "set logscale x\nset xtics (2, 3, 4, 5, 6, 7, 8)"));
    wlab_buf_clear(&script);
    wlab_figure_clear(&f);
    what = (wlab_curve){.score = "wild", .vs = "labeled", .data = "moons"};
    for (int log = 0; log < 2; log++) {
        what.log = log;
        ASSERT_OK(draw(&f, &what, &err), err);
        ASSERT_NEAR(f.block[0].value[1], 3.4, 1e-12);
        assert_true(f.block[0].value[3] > 9);
        if (log)
            ASSERT_NEAR(f.block[0].value[2] * f.block[0].value[3], 3.4 * 3.4, 1e-9);
        else
            ASSERT_NEAR(f.block[0].value[2] + f.block[0].value[3], 2 * 3.4, 1e-9);
        wlab_figure_clear(&f);
    }
}

/* Counts, percentages and multiples are different quantities, and have no common axis. */
static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *values, *vs, *says;
    } t[] = {{"10,5%", "labeled", "labeled=10 is a number and labeled=5% a percentage"},
             {"10%,5", NULL, "labeled=10% is a percentage and labeled=5 a number"},
             {"10,20", "labeled", NULL},
             {"5%,10%", NULL, NULL}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        char text[300], path[320];
        int64_t kept;
        wlab_experiment *e = NULL;
        wlab_store *store = NULL;
        wlab_figure f;
        wlab_err err;
        const wlab_curve what = {.score = "accuracy", .vs = t[k].vs};

        snprintf(text, sizeof text,
                 "generate two-moons n=40\ntask ssl labeled={%s}\nmethod SVM algo svm\nrepeat 2\n",
                 t[k].values);
        ASSERT_OK(wlab_experiment_parse(&e, text, strlen(text), "small.wexp", &err), err);
        ASSERT_OK(wlab_experiment_plan(e, &err), err);
        snprintf(path, sizeof path, "%s/units-%zu", folder, k);
        ASSERT_OK(wlab_store_open(&store, path, true, NULL, &err), err);
        ASSERT_OK(wlab_store_plan(store, e, false, &kept, &err), err);
        wlab_experiment_free(e);
        wlab_figure_init(&f, false);
        assert_true(wlab_curve_draw(&f, store, &what, &err) != WL_OK); /* it has no results */
        assert_true(!t[k].says == !strstr(err.message, "no common axis"));
        if (t[k].says && !strstr(err.message, t[k].says))
            fail_msg("%s", err.message);
        wlab_figure_clear(&f);
        wlab_store_close(store);
    }
}

/* If no value is above 0, a figure with a log axis says so, and the other axis is unchanged. */
static void test_nothing_above_0(void **state)
{
    (void)state;
    wlab_err err;
    wlab_figure f;
    wlab_curve what = {.score = "nought", .vs = "labeled", .data = "moons"};
    double range[2][4];
    for (int log = 0; log < 2; log++) {
        what.log = log;
        ASSERT_OK(draw(&f, &what, &err), err);
        const char *title = f.title[f.titles - 1];
        (void)wlab_figure_ranges(&f, &range[log][0], &range[log][1], &range[log][2], &range[log][3]);
        assert_int_equal(strstr(title, "no nought is above 0") != NULL, log);
        wlab_figure_clear(&f);
    }
    assert_true(range[0][0] == range[1][0] && range[0][1] == range[1][1]);
    assert_true(range[1][0] > 1 && range[1][1] < 10 && range[1][2] > 0);
    what = (wlab_curve){.score = "accuracy", .vs = "nought", .data = "moons", .logx = true};
    ASSERT_OK(draw(&f, &what, &err), err);
    assert_non_null(strstr(f.title[f.titles - 1], "no nought is above 0"));
    wlab_figure_clear(&f);
}

static wlab_code draw_and_clear(const wlab_store *store, const wlab_curve *what, wlab_err *err)
{
    wlab_figure f;

    wlab_figure_init(&f, false);
    wlab_code code = wlab_curve_draw(&f, store, what, err);
    if (!code && f.failed)
        code = wlab_nomem(err);
    wlab_figure_clear(&f);
    return code;
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    wlab_store *store = NULL;
    wlab_curve what = {.score = "error", .vs = "labeled", .methods = "SVM,Well", .published = true};

    ASSERT_OK(wlab_store_open(&store, dir, false, NULL, &err), err);
    ALLOC_SWEEP(draw_and_clear(store, &what, &err));
    wlab_store_close(store);
}

/* A data set without a value at some point is left out of all means; no point is dropped. */
static void test_gap(void **state)
{
    (void)state;
    wlab_err err;
    wlab_figure f;
    wlab_curve what = {.score = "accuracy", .vs = "labeled"};

    gone = true;
    snprintf(dir, sizeof dir, "%s/gap", folder);
    store_scores();
    gone = false;
    ASSERT_OK(draw(&f, &what, &err), err);
    assert_int_equal(f.nseries, 6);
    check_series(&f, 0, "SVM stratified=yes", true, 0, 0, false, 1);
    check_series(&f, 4, "Well stratified=no", false, 0, 1, false, 1);
    assert_string_equal(f.title[1], "accuracy on the test rows, mean over 1 data set, against labeled");
    assert_string_equal(f.title[2], "without blobs: no value at some points");
    wlab_figure_clear(&f);
    what.methods = "Well"; /* it has all values */
    ASSERT_OK(draw(&f, &what, &err), err);
    check_series(&f, 0, "Well stratified=yes", true, -1, 1, false, 1);
    wlab_figure_clear(&f);
    snprintf(dir, sizeof dir, "%s/results", folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),    cmocka_unit_test(test_methods), cmocka_unit_test(test_published),
        cmocka_unit_test(test_axes),   cmocka_unit_test(test_units),   cmocka_unit_test(test_nothing_above_0),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_gap),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
