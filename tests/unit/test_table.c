/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of values filled in by hand: their numbers are compared with plain formulas, and every format is read back.
 */
#include "support.h"

#include "study/table/parts.h"
#include "weaklab/rng.h"
#include <gsl/gsl_cdf.h>

enum {
    SETTINGS = 2,
    SETS = 5,
    METHODS = 3,
    N = 12,
    COLUMNS = 4,
    HOLE = 3,
    SHORT = 1
};

/* ---- an experiment ---- */

static wlab_exp_data data_[SETS] = {{.name = (char *)"heart"},
                                    {.name = (char *)"a|b_c*"},
                                    {.name = (char *)"x, \"y\" & 5%"},
                                    {.name = (char *)"gr\xc3\xb6\xc3\x9f"
                                                     "e"},
                                    {.name = (char *)"iris"}};
static wlab_exp_setting setting_[SETTINGS] = {{.name = (char *)"labeled=5%"},
                                              {.name = (char *)"labeled=10%"}};
static wlab_exp_method method_[METHODS] = {{.name = (char *)"SVM", .candidates = 1},
                                           {.name = (char *)"Well_SVM", .candidates = 6},
                                           {.name = (char *)"T#SVM", .candidates = 1}};
/* .70 and .8125: four decimals in the first setting; LapSVM is published only; the second setting has no numbers */
static wlab_exp_published published_[] = {{0, (char *)"SVM", 0, 0, 0.70, 0.08, 30},
                                          {1, (char *)"Well_SVM", 0, 0, 0.8125, (double)NAN, 0},
                                          {-1, (char *)"LapSVM", 4, 0, 0.7, 0.09, 30},
                                          {0, (char *)"SVM", 1, 0, 0.5, 0, 10}};
static int64_t seed_[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static wlab_experiment experiment_ = {.title = (char *)"A title with 5% & more",
                                      .data = data_,
                                      .ndata = SETS,
                                      .setting = setting_,
                                      .nsettings = SETTINGS,
                                      .method = method_,
                                      .nmethods = METHODS,
                                      .published = published_,
                                      .npublished = 4,
                                      .seed = seed_,
                                      .nseeds = N,
                                      .test_ratio = 1.0 / 3,
                                      .split = (char *)"split test=0.25",
                                      .eval = (char *)"eval test unlabeled",
                                      .cells = SETTINGS * SETS * METHODS * N};
static int digits_ = 3; /* decimals of the present table */
static double value_[SETTINGS][SETS][METHODS][N];

/* Accuracies on data sets of different difficulty.  On all data sets but the last, the second method is better than
 * the first, more so with more labels; the third equals the first to the last digit on one data set; one cell has 4
 * values, one none. */
static wlab_values values(void)
{
    wlab_rng rng;
    wlab_values v = {.e = &experiment_, .replicates = N, .value = &value_[0][0][0][0]};

    wlab_rng_seed(&rng, 4);
    for (int s = 0; s < SETTINGS; s++)
        for (int d = 0; d < SETS; d++)
            for (int i = 0; i < N; i++) {
                double base = 0.6 + 0.05 * d + 0.03 * wlab_rng_normal(&rng);

                value_[s][d][0][i] = base;
                value_[s][d][1][i] = base + 0.05 * (s + 1) * (d != 4) + 0.02 * wlab_rng_normal(&rng);
                value_[s][d][2][i] = d == 2 ? base : base - 0.06 + 0.03 * wlab_rng_normal(&rng);
            }
    value_[0][SHORT][1][2] = value_[0][SHORT][1][5] = (double)NAN;
    for (int i = 0; i < N; i++)
        value_[1][HOLE][2][i] = (double)NAN;
    v.missing = 5;
    v.failed = 2;
    v.empty = 1;
    v.failure = (char *)"a|b_c* labeled=5%, Well_SVM: 2 failed: one class only";
    return v;
}

static wlab_params *options(const char *const *pairs)
{
    wlab_params *p = NULL;
    wlab_err err;

    ASSERT_OK(wlab_params_create(&p, wlab_table_params, &err), err);
    for (; pairs && pairs[0]; pairs += 2)
        ASSERT_OK(wlab_params_set(p, pairs[0], pairs[1], &err), err);
    return p;
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static wlab_code make(wlab_sheet *t, const wlab_values *v, const char *const *pairs, wlab_err *err)
{
    wlab_params *p = options(pairs);
    wlab_code code = wlab_sheet_make(t, v, p, err);

    wlab_params_destroy(p);
    return code;
}

/* ---- the numbers by plain formulas ---- */

typedef struct expected {
    int n;
    double mean, deviation, rank, t, p, published, diff;
    int mark;
    bool best;
} expected;

static double shown(double x, int digits)
{
    char text[64];

    snprintf(text, sizeof text, "%.*f", digits, x);
    return atof(text);
}

static void compute_expected(expected e[SETTINGS][SETS][METHODS], int against, double ratio, double level,
                             bool lower)
{
    for (int s = 0; s < SETTINGS; s++)
        for (int d = 0; d < SETS; d++) {
            bool hole = false;

            for (int m = 0; m < METHODS; m++) {
                expected *c = &e[s][d][m];
                double sum = 0, squares = 0, dsum = 0, dsquares = 0;
                int pairs = 0;

                *c = (expected){.p = (double)NAN, .published = (double)NAN, .diff = (double)NAN};
                for (int i = 0; i < N; i++) {
                    double x = value_[s][d][m][i], diff = against < 0 ? 0 : x - value_[s][d][against][i];

                    if (!isnan(x))
                        c->n++, sum += x, squares += x * x;
                    if (!isnan(diff))
                        pairs++, dsum += diff, dsquares += diff * diff;
                }
                c->mean = sum / c->n;
                c->deviation = sqrt((squares - sum * sum / c->n) / (c->n - 1));
                hole = hole || c->n == 0;
                if (against >= 0 && against != m && pairs >= 10) {
                    double variance = fmax((dsquares - dsum * dsum / pairs) / (pairs - 1), 0);

                    c->t = dsum == 0 ? 0 : dsum / pairs / sqrt(variance * (1.0 / pairs + ratio));
                    c->p = dsum == 0 ? 1 : 2 * gsl_cdf_tdist_Q(fabs(c->t), pairs - 1);
                    c->mark = c->p < level ? ((c->t > 0) != lower ? 1 : -1) : 0;
                }
                for (size_t i = 0; i < sizeof published_ / sizeof *published_; i++)
                    if (published_[i].method == m && published_[i].data == d && published_[i].setting == s) {
                        const wlab_exp_published *p = &published_[i];
                        double other = isnan(p->deviation) ? 0 : p->deviation;

                        c->published = p->mean;
                        c->diff = (c->mean - p->mean) / sqrt(c->deviation * c->deviation / c->n +
                                                             other * other / (p->repeats ? p->repeats : N) +
                                                             1e-8 / 12); /* four decimals */
                    }
            }
            for (int m = 0; m < METHODS; m++) {
                expected *c = &e[s][d][m];
                double better = 0, equal = 0;

                for (int o = 0; o < METHODS; o++) {
                    double mine = shown(c->mean, 6), other = shown(e[s][d][o].mean, 6);

                    better += lower ? other < mine : other > mine;
                    equal += other == mine;
                }
                c->best = c->n > 0 && better == 0;
                c->rank = hole ? (double)NAN : better + (equal + 1) / 2;
            }
        }
}

static bool equal_or_nan(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* ---- content ---- */

static void check_content(const char *const *pairs, int against, double ratio, double level, bool lower)
{
    wlab_values v = values();
    expected e[SETTINGS][SETS][METHODS];
    wlab_sheet t;
    wlab_err err;

    ASSERT_OK(make(&t, &v, pairs, &err), err);
    compute_expected(e, against, ratio, level, lower);
    for (int s = 0; s < SETTINGS; s++) {
        const wlab_sheet_block *b = &t.block[s];
        double R[METHODS] = {0}, x = 0;
        int win[METHODS] = {0}, loss[METHODS] = {0}, rows = 0;

        assert_int_equal(t.published, strcmp(t.score, "accuracy") == 0);
        assert_int_equal(b->columns, s == 0 && t.published ? COLUMNS : METHODS);
        for (int d = 0; d < SETS; d++)
            for (int m = 0; m < METHODS; m++) {
                const wlab_sheet_cell *c = &b->cell[d * b->columns + m];
                const expected *w = &e[s][d][m];

                assert_int_equal(c->n, w->n);
                assert_true(equal_or_nan(c->mean, w->mean) && equal_or_nan(c->deviation, w->deviation));
                assert_true(equal_or_nan(c->rank, w->rank) && c->best == w->best);
                assert_true(equal_or_nan(c->test.p, w->p) &&
                            (isnan(w->p) || equal_or_nan(c->test.statistic, w->t)));
                assert_int_equal(c->mark, w->mark);
                assert_true(equal_or_nan(c->published, t.published ? w->published : (double)NAN) &&
                            equal_or_nan(c->diff, t.published ? w->diff : (double)NAN));
                win[m] += w->mark > 0;
                loss[m] += w->mark < 0;
                R[m] += isnan(w->rank) ? 0 : w->rank;
                rows += m == 0 && !isnan(w->rank);
            }
        assert_int_equal(b->complete, rows);
        assert_int_equal(rows, s == 0 ? SETS : SETS - 1);
        for (int m = 0; m < METHODS; m++) {
            const wlab_sheet_column *c = &b->column[m];

            R[m] /= rows;
            x += (R[m] - 2) * (R[m] - 2);
            assert_true(equal_or_nan(c->average_rank, R[m]));
            if (against >= 0 && m != against) {
                int tested = s == 1 && m == 2 ? SETS - 1 : SETS;

                assert_true(c->win == win[m] && c->loss == loss[m] && c->tie == tested - win[m] - loss[m]);
            }
        }
        assert_true(b->friedman && equal_or_nan(b->chi2.statistic, rows * x));
    }
    wlab_sheet_clear(&t);
}

static void content(void **state)
{
    (void)state;
    check_content(NULL, -1, 0, 0.05, false);
    check_content(WITH("against", "SVM", "test", "paired"), 0, 0, 0.05, false);
    check_content(WITH("against", "SVM"), 0, 1.0 / 3, 0.05, false); /* the split holds the rows out */
    check_content(WITH("against", "SVM", "digits", "0"), 0, 1.0 / 3, 0.05, false); /* ranks are the same */
    check_content(WITH("against", "none"), -1, 0, 0.05, false);
    check_content(WITH("against", "Well_SVM", "level", "0.01", "test", "paired"), 1, 0, 0.01, false);
    check_content(WITH("against", "SVM", "test", "corrected"), 0, 1.0 / 3, 0.05, false);
    check_content(WITH("against", "SVM", "score", "seconds"), 0, 0, 0.05, true);
    check_content(WITH("against", "SVM", "score", "seconds", "best", "high"), 0, 0, 0.05, false);
    check_content(WITH("against", "SVM", "best", "low"), 0, 1.0 / 3, 0.05, true);
    check_content(WITH("against", "SVM", "score", "unlabeled_accuracy"), 0, 0, 0.05, false);
}

/* The marks must differ, otherwise the other tests prove little. */
static void marks_vary(void **state)
{
    (void)state;
    expected e[SETTINGS][SETS][METHODS];
    int better = 0, worse = 0, ties = 0, half = 0;

    (void)values();
    compute_expected(e, 0, 0, 0.05, false);
    for (int i = 0; i < SETTINGS * SETS * METHODS; i++) {
        const expected *c = &e[0][0][0] + i;

        better += c->mark > 0;
        worse += c->mark < 0;
        ties += !isnan(c->p) && c->mark == 0;
        half += c->rank != floor(c->rank);
    }
    assert_true(better > 1 && worse > 1 && ties > 1 && half > 1);
}

static void posthoc(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_sheet t;
    wlab_err err;
    wlab_test holm[METHODS];
    double rank[METHODS];

    ASSERT_OK(make(&t, &v, NULL, &err), err);
    ASSERT_NEAR(t.block[0].critical, 2.343 * sqrt(3 * 4 / (6.0 * (double)SETS)), 1e-3);
    assert_true(isnan(t.block[0].column[1].holm.p));
    wlab_sheet_clear(&t);
    ASSERT_OK(make(&t, &v, WITH("against", "SVM"), &err), err);
    assert_true(isnan(t.block[0].critical) && isnan(t.block[0].column[0].holm.p));
    for (int m = 0; m < METHODS; m++)
        rank[m] = t.block[0].column[m].average_rank;
    ASSERT_OK(wlab_test_holm(rank, METHODS, SETS, 0, holm, &err), err);
    assert_true(holm[1].p == t.block[0].column[1].holm.p && holm[2].p == t.block[0].column[2].holm.p);
    assert_true(t.block[0].column[1].holm.statistic > 0);
    wlab_sheet_clear(&t);
    ASSERT_OK(make(&t, &v, WITH("against", "SVM", "posthoc", "none"), &err), err);
    assert_true(isnan(t.block[0].critical) && isnan(t.block[0].column[1].holm.p) && t.block[0].friedman);
    wlab_sheet_clear(&t);
    ASSERT_OK(make(&t, &v, WITH("against", "SVM", "ranks", "no"), &err), err);
    assert_true(!t.block[0].friedman && isnan(t.block[0].cell[0].rank) && t.block[0].cell[1].best);
    wlab_sheet_clear(&t);
}

static void refusals(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_experiment other = experiment_;
    wlab_sheet t = {0};
    wlab_err err;

    ASSERT_FAILS(make(&t, &v, WITH("against", "WellSVM"), &err), WL_EARG, err, "did you mean \"Well_SVM\"?");
    ASSERT_FAILS(make(&t, &v, WITH("against", "quux"), &err), WL_EARG, err, "no method has that name");
    ASSERT_FAILS(make(&t, &v, WITH("posthoc", "holm"), &err), WL_EARG, err, "against=SVM");
    other.test_ratio = (double)NAN;
    v.e = &other;
    ASSERT_FAILS(make(&t, &v, WITH("against", "SVM", "test", "corrected"), &err), WL_EARG, err, "split");
    assert_null(t.block);
    ASSERT_OK(make(&t, &v, WITH("test", "corrected"), &err), err); /* no test is requested */
    wlab_sheet_clear(&t);
    assert_true(wlab_score_lower("seconds") && wlab_score_lower("tuning_seconds") &&
                wlab_score_lower("objective"));
    assert_true(wlab_score_lower("proportion_error") && wlab_score_lower("gap") &&
                !wlab_score_lower("accuracy"));
    assert_true(!wlab_score_lower("f1") && !wlab_score_lower("auc") && !wlab_score_lower("label_accuracy"));
}

/* Fewer than ten replicates are not tested, and the note says so. */
static void few_replicates(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_sheet t;
    wlab_err err;
    bool said = false;

    for (int s = 0; s < SETTINGS; s++)
        for (int d = 0; d < SETS; d++)
            for (int m = 0; m < METHODS; m++)
                for (int i = 9; i < N; i++)
                    value_[s][d][m][i] = (double)NAN;
    ASSERT_OK(make(&t, &v, WITH("against", "SVM"), &err), err);
    for (int s = 0; s < SETTINGS; s++)
        for (int i = 0; i < SETS * t.block[s].columns; i++)
            assert_true(isnan(t.block[s].cell[i].test.p) && t.block[s].cell[i].mark == 0);
    for (int i = 0; i < t.notes; i++)
        said =
            said || strstr(t.note[i], "no test: there are 9 replicates, and fewer than ten are not tested");
    assert_true(said);
    wlab_sheet_clear(&t);
}

/* Which scores the corrected test is for. */
static void held_out_scores(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_experiment folds = experiment_;
    wlab_sheet t;
    wlab_err err;
    bool said = false;

    ASSERT_FAILS(make(&t, &v, WITH("against", "SVM", "test", "corrected", "score", "unlabeled_error"), &err),
                 WL_EARG, err, "unlabeled_error is not one");
    ASSERT_FAILS(make(&t, &v, WITH("against", "SVM", "test", "corrected", "score", "objective"), &err),
                 WL_EARG, err, "test=paired");
    ASSERT_OK(make(&t, &v, WITH("against", "SVM", "score", "unlabeled_accuracy"), &err), err);
    assert_true(!t.corrected && !t.held_out);
    for (int i = 0; i < t.notes; i++)
        said =
            said || strstr(t.note[i], "a mark speaks of draws from these data"); /* the split draws others */
    assert_true(said);
    wlab_sheet_clear(&t);
    folds.eval = (char *)"eval bags";
    v.e = &folds;
    ASSERT_OK(make(&t, &v, WITH("against", "SVM"), &err), err);
    assert_true(t.corrected && t.held_out);
    wlab_sheet_clear(&t);
    folds.eval = (char *)"eval unlabeled";
    ASSERT_OK(make(&t, &v, WITH("against", "SVM"), &err), err);
    assert_false(t.corrected);
    wlab_sheet_clear(&t);
}

/* Of generated data each repetition draws another sample, so the plain test is right for them, whatever the score. */
static void independent_samples(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_sheet plain, mixed;
    wlab_err err;
    bool drawn[SETS] = {[1] = true}, said = false;

    v.drawn = drawn;
    ASSERT_OK(make(&plain, &v, WITH("against", "SVM", "test", "paired"), &err), err);
    ASSERT_OK(make(&mixed, &v, WITH("against", "SVM"), &err), err);
    assert_true(mixed.corrected && mixed.held_out);
    for (int d = 0; d < SETS; d++)
        for (int m = 0; m < mixed.block[0].columns; m++) {
            const int at = d * mixed.block[0].columns + m;
            const double p = plain.block[0].cell[at].test.p, q = mixed.block[0].cell[at].test.p;
            assert_true(isnan(p) ? isnan(q) : drawn[d] ? p == q : p <= q);
        }
    for (int i = 0; i < mixed.notes; i++)
        said = said || strstr(mixed.note[i], "each repetition draws another sample");
    assert_true(said);
    wlab_sheet_clear(&mixed);
    ASSERT_OK(make(&mixed, &v, WITH("against", "SVM", "test", "corrected"), &err), err);
    assert_true(mixed.block[0].cell[mixed.block[0].columns + 1].test.p >
                plain.block[0].cell[plain.block[0].columns + 1].test.p); /* as asked for */
    wlab_sheet_clear(&mixed);
    for (int d = 0; d < SETS; d++)
        drawn[d] = true;
    ASSERT_OK(make(&mixed, &v, WITH("against", "SVM"), &err), err);
    assert_false(mixed.corrected);
    wlab_sheet_clear(&mixed);
    wlab_sheet_clear(&plain);
}

/* spread=repetitions: four repetitions of three folds, of which one lacks a fold of the second method. */
static void spread_of_repetitions(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_experiment folds = experiment_;
    wlab_sheet t;
    wlab_buf caption = {0};
    wlab_err err;

    folds.folds = 3;
    folds.nseeds = 4;
    v.e = &folds;
    value_[0][SHORT][1][2] =
        0.5; /* of the two gaps of values(), only the one in the second repetition remains */
    ASSERT_OK(make(&t, &v, WITH("spread", "repetitions", "against", "SVM"), &err), err);
    const wlab_sheet_cell *c = &t.block[0].cell[SHORT * t.block[0].columns];
    double x[4], mean = 0, square = 0;
    for (int r = 0; r < 4; r++) {
        const double *f = value_[0][SHORT][0] + 3 * r;
        x[r] = (f[0] + f[1] + f[2]) / 3;
        mean += x[r] / 4;
    }
    for (int r = 0; r < 4; r++)
        square += (x[r] - mean) * (x[r] - mean);
    assert_true(c[0].n == 4 && equal_or_nan(c[0].mean, mean) &&
                equal_or_nan(c[0].deviation, sqrt(square / 3)));
    assert_int_equal(c[1].n, 3);
    assert_int_equal(c[1].pairs, 11); /* the test is still over the folds */
    ASSERT_OK(wlab_sheet_caption(&t, &t.block[0], "+-", &caption), err);
    assert_non_null(strstr((const char *)caption.data, "of 4 repetitions, each the mean of 3 folds"));
    wlab_buf_clear(&caption);
    wlab_sheet_clear(&t);
}

/* How many of the published numbers agree. */
static void agreement(void **state)
{
    (void)state;
    wlab_values v = values();
    expected e[SETTINGS][SETS][METHODS];
    wlab_sheet t;
    wlab_err err;
    char text[64];
    int agree = 0;
    bool said = false;

    compute_expected(e, -1, 0, 0.05, false);
    for (int m = 0; m < 2; m++)
        agree += fabs(e[0][0][m].diff) <= 2;
    agree += fabs(e[0][1][0].diff) <= 2;
    ASSERT_OK(make(&t, &v, NULL, &err), err);
    assert_true(t.block[0].compared == 3 && t.block[0].agree == agree && t.block[1].compared == 0);
    snprintf(text, sizeof text, "%d of 3 published numbers agree with ours within two", agree);
    for (int i = 0; i < t.block[0].notes; i++)
        said = said || strstr(t.block[0].note[i], text);
    assert_true(said);
    wlab_sheet_clear(&t);
}

/* ---- a cell as it is printed ---- */

typedef struct printed {
    bool there, bold;
    double mean, deviation, rank;
    int n, mark;
} printed;

/* "0.703+-0.081 n=4 (2.5) v" */
static printed read_words(const char *text, const char *plus_minus, bool bold)
{
    printed c = {.bold = bold, .deviation = (double)NAN, .rank = (double)NAN, .n = N};
    char *end = NULL;

    if (strcmp(text, "-") == 0 || !*text)
        return c;
    c.there = true;
    c.mean = strtod(text, &end);
    assert_ptr_not_equal(end, text);
    if (strncmp(end, plus_minus, strlen(plus_minus)) == 0)
        c.deviation = strtod(end + strlen(plus_minus), &end);
    while (*end) {
        while (*end == ' ')
            end++;
        if (strncmp(end, "n=", 2) == 0)
            c.n = (int)strtol(end + 2, &end, 10);
        else if (*end == '(') {
            c.rank = strtod(end + 1, &end);
            assert_int_equal(*end++, ')');
        } else if (*end == 'v' || *end == '*')
            c.mark = *end++ == 'v' ? 1 : -1;
        else if (*end)
            fail_msg("'%s' in '%s'", end, text);
    }
    return c;
}

static void check_ours(const printed *c, const expected *e)
{
    if (e->n == 0) {
        assert_false(c->there);
        return;
    }
    assert_true(c->there && c->n == e->n && c->bold == e->best && c->mark == e->mark);
    assert_true(c->mean == shown(e->mean, digits_) && c->deviation == shown(e->deviation, digits_));
    assert_true(equal_or_nan(c->rank, e->rank));
}

/* One row of a table as text: the cells of SVM, its published number, the difference, and so on. */
static void check_row(const printed *cell, const expected row[METHODS], int setting, int set)
{
    static const bool has[METHODS] = {true, true, false};
    int at = 0;

    for (int m = 0; m < METHODS; m++) {
        check_ours(&cell[at++], &row[m]);
        if (setting > 0 || !has[m])
            continue;
        assert_true(cell[at].there == !isnan(row[m].published));
        if (cell[at].there)
            assert_true(cell[at].mean == row[m].published);
        at++;
        assert_true(cell[at].there == !isnan(row[m].diff));
        if (cell[at].there)
            assert_true(cell[at].mean == shown(row[m].diff, 1));
        at++;
    }
    if (setting == 0) {
        assert_true(cell[at].there == (set == 4));
        if (set == 4)
            assert_true(cell[at].mean == 0.7 && cell[at].deviation == 0.09);
    }
}

enum {
    WORDS0 = METHODS + 2 * 2 + 1,
    WORDS1 = METHODS
};
static const char *const head0[WORDS0] = {"SVM",       "published", "diff",  "Well_SVM (oracle)",
                                          "published", "diff",      "T#SVM", "LapSVM (published)"};
static const char *const head1[WORDS1] = {"SVM", "Well_SVM (oracle)", "T#SVM"};

static bool oracle_ = true; /* whether the present table's parameters were chosen with true labels */

static char *written(wlab_code (*write)(const wlab_sheet *, bool, wlab_buf *), const char *const *pairs)
{
    wlab_values v = values();
    wlab_sheet t;
    wlab_err err;
    wlab_buf out = {0};
    char *text;

    v.oracle = oracle_;
    ASSERT_OK(make(&t, &v, pairs, &err), err);
    assert_int_equal(write(&t, true, &out), WL_OK);
    wlab_sheet_clear(&t);
    text = strdup((const char *)out.data);
    assert_non_null(text);
    wlab_buf_clear(&out);
    return text;
}

/* The summary below the rows. */
static void check_summary(char (*words)[64], int setting, expected e[SETS][METHODS], int row)
{
    int win[METHODS] = {0}, tie[METHODS] = {0}, loss[METHODS] = {0}, rows = 0;
    double mean[METHODS] = {0}, rank[METHODS] = {0};

    for (int d = 0; d < SETS; d++)
        for (int m = 0; m < METHODS; m++) {
            win[m] += e[d][m].mark > 0;
            loss[m] += e[d][m].mark < 0;
            tie[m] += !isnan(e[d][m].p) && e[d][m].mark == 0;
            mean[m] += isnan(e[d][m].rank) ? 0 : e[d][m].mean;
            rank[m] += isnan(e[d][m].rank) ? 0 : e[d][m].rank;
            rows += m == 0 && !isnan(e[d][m].rank);
        }
    for (int m = 0, at = 0; m < METHODS; m++) {
        char text[64] = "";

        if (row == 0 && m > 0)
            snprintf(text, sizeof text, "%d/%d/%d", win[m], tie[m], loss[m]);
        if (row > 0)
            snprintf(text, sizeof text, "%.*f", row == 1 ? digits_ : 3,
                     (row == 1 ? mean[m] : rank[m]) / rows);
        assert_string_equal(words[at], text);
        at += setting == 0 && m < 2 ? 3 : 1;
    }
}

static const char *const summary[3] = {"win/tie/loss", "average", "average rank"};

/* ---- Markdown ---- */

/* Splits "| a | b |" at bars that are not escaped, and removes backslashes. bold[n]: word n was between "**", which
 * are removed. */
static int cut_markdown(const char *line, char words[][64], bool *bold)
{
    int n = 0;

    assert_int_equal(*line, '|');
    for (line++; *line && *line != '\n'; line++) {
        char *to = words[n];

        bold[n] = false;
        for (; *line != '|'; line++) {
            assert_true(*line && *line != '\n');
            if (line[0] == '*' && line[1] == '*') {
                bold[n] = true;
                line++;
                continue;
            }
            assert_true(*line != '*' && *line != '_' && *line != '#');
            if (*line == '\\')
                line++;
            *to++ = *line;
        }
        while (to > words[n] && to[-1] == ' ')
            to--;
        *to = '\0';
        memmove(words[n], words[n] + strspn(words[n], " "), strlen(words[n] + strspn(words[n], " ")) + 1);
        n++;
    }
    return n;
}

static const char *next_line(const char *at)
{
    at = strchr(at, '\n');
    assert_non_null(at);
    return at + 1;
}

static void markdown(void **state)
{
    (void)state;
    char *text = written(wlab_sheet_markdown, WITH("against", "SVM", "test", "paired")), words[16][64];
    expected e[SETTINGS][SETS][METHODS];
    const char *at = text;
    bool bold[16];

    compute_expected(e, 0, 0, 0.05, false);
    assert_non_null(strstr(text, "**A title with 5% & more**\n\n"));
    for (int s = 0; s < SETTINGS; s++) {
        int columns = s ? WORDS1 : WORDS0;

        at = strstr(
            at,
            s ? "labeled=10%: accuracy (test), mean \xc2\xb1 standard deviation of 12 repetitions (rank)\n\n"
              : "labeled=5%: accuracy (test), mean \xc2\xb1 standard deviation of 12 repetitions (rank)\n\n");
        assert_non_null(at);
        at = next_line(next_line(at));
        assert_int_equal(cut_markdown(at, words, bold), columns + 1);
        for (int c = 0; c < columns; c++)
            assert_string_equal(words[c + 1], s ? head1[c] : head0[c]);
        at = next_line(at);
        assert_int_equal(cut_markdown(at, words, bold), columns + 1);
        assert_string_equal(words[0], ":--");
        for (int d = 0; d < SETS; d++) {
            printed cell[16];

            at = next_line(at);
            assert_int_equal(cut_markdown(at, words, bold), columns + 1);
            assert_string_equal(words[0], data_[d].name);
            for (int c = 0; c < columns; c++)
                cell[c] = read_words(words[c + 1], " \xc2\xb1 ", bold[c + 1]);
            check_row(cell, e[s][d], s, d);
        }
        for (int r = 0; r < 3; r++) {
            at = next_line(at);
            assert_int_equal(cut_markdown(at, words, bold), columns + 1);
            assert_string_equal(words[0], summary[r]);
            check_summary(words + 1, s, e[s], r);
        }
        at = next_line(at);
        assert_int_equal(*at, '\n');
    }
    assert_non_null(strstr(at, "- Not every method has a value on gr\xc3\xb6\xc3\x9f"
                               "e: left out"));
    assert_non_null(strstr(at, "- 5 of 360 cells are not computed yet\n"));
    assert_non_null(
        strstr(at, "- 2 cells failed:\n- a\\|b\\_c\\* labeled=5%, Well\\_SVM: 2 failed: one class only\n"));
    free(text);
}

/* ---- LaTeX ---- */

static const char *const tex[][2] = {{"\\&", "&"}, {"\\%", "%"},     {"\\#", "#"},    {"\\_", "_"},
                                     {"$|$", "|"}, {"$*$", "*"},     {"''", "\""},    {"$-$", "-"},
                                     {"$+$", "+"}, {"$\\pm$", "+-"}, {"$^{v}$", "v"}, {"$^{*}$", "*"},
                                     {"--", "-"}};

/* "a & b \\": special characters must be escaped. */
static int cut_latex(const char *line, char words[][64], bool *bold)
{
    int n = 0;

    for (bool more = true; more; n++) {
        char *to = words[n];

        bold[n] = false;
        for (more = false; strncmp(line, " \\\\\n", 4) != 0; line++) {
            bool found = false;

            if (strncmp(line, " & ", 3) == 0) {
                line += 3;
                more = true;
                break;
            }
            if (strncmp(line, "\\textbf{", 8) == 0) {
                char *end = (char *)strchr(line, '}'); /* the caller's text may be changed */

                assert_non_null(end);
                *end = ' '; /* one blank more before the rank */
                bold[n] = true;
                line += 8 - 1;
                continue;
            }
            for (size_t i = 0; !found && i < sizeof tex / sizeof *tex; i++)
                if (strncmp(line, tex[i][0], strlen(tex[i][0])) == 0) {
                    to = stpcpy(to, tex[i][1]);
                    line += strlen(tex[i][0]) - 1;
                    found = true;
                }
            if (!found) {
                assert_null(strchr("\\&%$#_{}|<>\n", *line));
                *to++ = *line;
            }
        }
        *to = '\0';
    }
    return n;
}

static void latex(void **state)
{
    (void)state;
    char *text = written(wlab_sheet_latex, WITH("against", "SVM", "test", "paired")), words[16][64];
    expected e[SETTINGS][SETS][METHODS];
    const char *at = text;
    bool bold[16];

    compute_expected(e, 0, 0, 0.05, false);
    for (int s = 0; s < SETTINGS; s++) {
        int columns = s ? WORDS1 : WORDS0;

        at = strstr(at,
                    s ? "\\caption{A title with 5\\% \\& more. labeled=10\\%: accuracy (test), mean $\\pm$ "
                        "standard deviation of 12 repetitions (rank)}\n"
                      : "\\caption{A title with 5\\% \\& more. labeled=5\\%: accuracy (test), mean $\\pm$ "
                        "standard deviation of 12 repetitions "
                        "(rank)}\n");
        assert_non_null(at);
        at = next_line(at);
        assert_true(strncmp(at,
                            s ? "\\label{tab:a-title-with-5-more-labeled-10-accuracy}\n"
                              : "\\label{tab:a-title-with-5-more-labeled-5-accuracy}\n",
                            strlen("\\label{tab:a-title-with-5-more-labeled-5-accuracy}\n") + (s == 1)) == 0);
        at = next_line(at);
        assert_non_null(strstr(at, s ? "{lrrr}" : "{lrrrrrrrr}"));
        at = next_line(next_line(at));
        assert_int_equal(cut_latex(at, words, bold), columns + 1);
        for (int c = 0; c < columns; c++)
            assert_string_equal(words[c + 1], s ? head1[c] : head0[c]);
        at = next_line(at);
        assert_true(strncmp(at, "\\midrule\n", 9) == 0);
        for (int d = 0; d < SETS; d++) {
            printed cell[16];

            at = next_line(at);
            assert_int_equal(cut_latex(at, words, bold), columns + 1);
            assert_string_equal(words[0], data_[d].name[0] == 'x' ? "x, \"y\" & 5%" : data_[d].name);
            for (int c = 0; c < columns; c++)
                cell[c] = read_words(words[c + 1], " +- ", bold[c + 1]);
            check_row(cell, e[s][d], s, d);
        }
        at = next_line(at);
        assert_true(strncmp(at, "\\midrule\n", 9) == 0);
        for (int r = 0; r < 3; r++) {
            at = next_line(at);
            assert_int_equal(cut_latex(at, words, bold), columns + 1);
            assert_string_equal(words[0], summary[r]);
            check_summary(words + 1, s, e[s], r);
        }
        at = next_line(at);
        assert_true(strncmp(at, "\\bottomrule\n\\end{tabular}\n", 26) == 0);
        assert_non_null(strstr(at, "data sets: $\\chi^2(2) = "));
        assert_non_null(strstr(at, "; $F(2, "));
        assert_non_null(strstr(at, " $z = "));
        assert_non_null(strstr(at, ", $p = "));
        at = strstr(at, "\\end{table}\n");
        assert_non_null(at);
    }
    free(text);
}

/* ---- text ---- */

/* The text in columns from..to - 1 (in characters), without blanks at both ends. */
static void cut_text(const char *line, int from, int to, char *word)
{
    int column = 0;
    char *w = word;

    for (; *line && *line != '\n' && column < to; line++) {
        bool begins = ((unsigned char)*line & 0xc0) != 0x80;

        column += begins;
        if (column > from && !(w == word && *line == ' '))
            *w++ = *line;
    }
    while (w > word && w[-1] == ' ')
        w--;
    *w = '\0';
}

static void plain_text(void **state)
{
    (void)state;
    digits_ = 2;
    oracle_ = false;
    char *text =
        written(wlab_sheet_text, WITH("against", "SVM", "test", "paired", "published", "no", "digits", "2"));
    expected e[SETTINGS][SETS][METHODS];
    const char *at = text;

    compute_expected(e, 0, 0, 0.05, false);
    assert_true(
        strncmp(text, "A title with 5% & more\n\nlabeled=5%: accuracy (test), mean +- standard", 69) == 0);
    for (const char *line = text; *line; line = next_line(line))
        assert_true(strcspn(line, "\n") <= 81 && (line[0] == '\n' || line[strcspn(line, "\n") - 1] != ' '));
    for (int s = 0; s < SETTINGS; s++) {
        const char *head, *rule;
        int column[METHODS + 1], wide;

        at = strstr(at, s ? "labeled=10%: " : "labeled=5%: ");
        assert_non_null(at);
        head = strstr(at, "\n\n") + 2; /* the caption has two lines where it is long */
        for (int m = 0; m < METHODS;
             m++) { /* a column begins one character before its head, for the mark of the best */
            const char *name = strstr(head, method_[m].name);

            assert_non_null(name);
            column[m] = (int)(name - head) - 1;
        }
        rule = next_line(head);
        wide = (int)strspn(rule, "-");
        assert_true(wide > 40 && wide < 80 && rule[wide] == '\n');
        column[METHODS] = wide;
        at = rule;
        for (int d = 0; d < SETS; d++) {
            char word[64];

            at = next_line(at);
            cut_text(at, 0, column[0] - 1, word);
            assert_string_equal(word, data_[d].name);
            for (int m = 0; m < METHODS; m++) {
                printed c;

                cut_text(at, column[m], column[m + 1], word);
                const char *from = word + strspn(word, " ");
                c = read_words(from + (from[0] == '>'), "+-", from[0] == '>');
                check_ours(&c, &e[s][d][m]);
            }
        }
        at = next_line(at);
        assert_int_equal((int)strspn(at, "-"), wide);
        for (int r = 0; r < 3; r++) {
            char words[METHODS][64], name[64];

            at = next_line(at);
            cut_text(at, 0, column[0] - 1, name);
            assert_string_equal(name, summary[r]);
            for (int m = 0; m < METHODS; m++)
                cut_text(at, column[m], column[m + 1], words[m]);
            check_summary(words, 1, e[s], r);
        }
    }
    assert_non_null(
        strstr(at, "\nv, *: significantly better, worse than SVM (paired t-test over the replicates,\n"));
    free(text);
    digits_ = 3;
    oracle_ = true;
}

/* Columns that do not fit are printed below, with a method's published numbers beside it. */
static void folded(void **state)
{
    (void)state;
    char *text = written(wlab_sheet_text, WITH("against", "SVM", "test", "paired"));
    int heads = 0, published = 0;

    for (const char *line = text; *line; line = next_line(line)) {
        int wide = 0, chars = (int)strcspn(line, "\n");

        for (int i = 0; i < chars; i++)
            wide += ((unsigned char)line[i] & 0xc0) != 0x80;
        if (wide > 79)
            fail_msg("%d columns: %.*s", wide, chars, line);
        if (strncmp(next_line(line)[0] ? next_line(line) : "", "-----", 5) == 0 && line[0] == ' ') {
            char *copy = strndup(line, (size_t)chars), *ours = strstr(copy, "SVM");

            heads++;
            for (char *p = copy; (p = strstr(p, " published")); p++) {
                published++;
                assert_true(ours && ours < p && strstr(p, "diff"));
            }
            free(copy);
        }
    }
    assert_true(heads > SETTINGS && published == 2);
    assert_non_null(strstr(text, "LapSVM (published)"));
    free(text);
}

/* ---- CSV ---- */

static int cut_csv(const char *line, char words[][64])
{
    int n = 0;

    for (bool more = true; more; n++) {
        char *to = words[n];

        if (*line == '"') {
            for (line++; line[0] != '"' || line[1] == '"'; line++) {
                line += line[0] == '"';
                *to++ = *line;
            }
            line++;
        } else {
            while (*line != ',' && *line != '\n')
                *to++ = *line++;
        }
        *to = '\0';
        more = *line == ',';
        assert_true(more || *line == '\n');
        line++;
    }
    return n;
}

static double number(const char *text)
{
    double x = (double)NAN;

    assert_true(!*text || wlab_parse_real(text, &x));
    return x;
}

static void csv(void **state)
{
    (void)state;
    char *text = written(wlab_sheet_csv, WITH("against", "SVM", "test", "paired")), words[20][64],
         name[20][64];
    expected e[SETTINGS][SETS][METHODS];
    const char *at = text;

    compute_expected(e, 0, 0, 0.05, false);
    assert_int_equal(cut_csv(at, name), 16);
    for (int s = 0; s < SETTINGS; s++)
        for (int d = 0; d < SETS; d++)
            for (int k = 0; k < (s ? METHODS : COLUMNS); k++) {
                at = next_line(at);
                assert_int_equal(cut_csv(at, words), 16);
                assert_string_equal(words[0], "accuracy");
                assert_string_equal(words[1], setting_[s].name);
                assert_string_equal(words[2], data_[d].name);
                if (k == METHODS) {
                    assert_string_equal(words[3], "LapSVM");
                    assert_string_equal(words[4], "0");
                    assert_string_equal(words[12], d == 4 ? "0.7" : "");
                    assert_string_equal(words[14], d == 4 ? "30" : "");
                    continue;
                }
                const expected *c = &e[s][d][k];
                assert_string_equal(words[3], method_[k].name);
                assert_true(atoi(words[4]) == c->n && atoi(words[8]) == c->best);
                assert_true(equal_or_nan(number(words[5]), c->mean) &&
                            equal_or_nan(number(words[6]), c->deviation));
                assert_true(equal_or_nan(number(words[7]), c->rank) && equal_or_nan(number(words[11]), c->p));
                assert_string_equal(words[9], c->mark > 0 ? "v" : c->mark < 0 ? "*" : "");
                if (!isnan(c->p) && isfinite(c->t))
                    assert_true(equal_or_nan(number(words[10]), c->t));
                assert_true(equal_or_nan(number(words[12]), c->published) &&
                            equal_or_nan(number(words[15]), c->diff));
            }
    assert_int_equal(*next_line(at), '\0');
    assert_string_equal(name[5], "mean");
    assert_string_equal(name[15], "diff");
    free(text);
}

/* ---- JSON ---- */

static double real(const json_t *o, const char *name)
{
    const json_t *x = json_object_get(o, name);

    assert_non_null(x);
    assert_true(json_is_number(x) || json_is_null(x));
    return json_is_null(x) ? (double)NAN : json_number_value(x);
}

static void json(void **state)
{
    (void)state;
    wlab_values v = values();
    expected e[SETTINGS][SETS][METHODS];
    wlab_sheet t;
    wlab_err err;
    char *dump;
    json_t *made, *o, *settings;
    json_error_t why;

    ASSERT_OK(make(&t, &v, WITH("against", "SVM", "test", "corrected"), &err), err);
    made = wlab_sheet_object(&t);
    dump = json_dumps(made, 0);
    o = json_loads(dump, 0, &why);
    assert_non_null(o);
    compute_expected(e, 0, 1.0 / 3, 0.05, false);
    assert_string_equal(json_string_value(json_object_get(o, "test")), "corrected");
    ASSERT_NEAR(real(o, "ratio"), 1.0 / 3, 1e-15);
    assert_true(real(o, "missing") == 5 && real(o, "failed") == 2 && real(o, "replicates") == (double)N);
    assert_string_equal(json_string_value(json_object_get(o, "failures")), v.failure);
    settings = json_object_get(o, "settings");
    assert_int_equal(json_array_size(settings), SETTINGS);
    for (int s = 0; s < SETTINGS; s++) {
        const json_t *b = json_array_get(settings, (size_t)s), *rows = json_object_get(b, "rows");

        assert_string_equal(json_string_value(json_object_get(b, "setting")), setting_[s].name);
        ASSERT_NEAR(real(json_object_get(json_object_get(b, "friedman"), "F"), "p"), t.block[s].F.p, 1e-15);
        for (int d = 0; d < SETS; d++) {
            const json_t *row = json_array_get(rows, (size_t)d), *cells = json_object_get(row, "cells");

            assert_string_equal(json_string_value(json_object_get(row, "data")), data_[d].name);
            for (int m = 0; m < METHODS; m++) {
                const json_t *c = json_array_get(cells, (size_t)m), *x = json_object_get(c, "values");
                const expected *w = &e[s][d][m];
                const json_t *test = json_object_get(c, "test");

                assert_true(equal_or_nan(real(c, "mean"), w->mean) &&
                            equal_or_nan(real(c, "deviation"), w->deviation));
                assert_true(equal_or_nan(real(c, "rank"), w->rank) &&
                            json_is_true(json_object_get(c, "best")) == w->best);
                assert_true(isnan(w->p) ? json_is_null(test) : equal_or_nan(real(test, "p"), w->p));
                assert_int_equal(json_array_size(x), N);
                for (int i = 0; i < N; i++)
                    assert_true(isnan(value_[s][d][m][i])
                                    ? json_is_null(json_array_get(x, (size_t)i))
                                    : json_real_value(json_array_get(x, (size_t)i)) == value_[s][d][m][i]);
                if (!isnan(w->published))
                    assert_true(real(json_object_get(c, "published"), "mean") == w->published &&
                                equal_or_nan(real(c, "diff"), w->diff));
            }
        }
    }
    free(dump);
    json_decref(o);
    json_decref(made);
    wlab_sheet_clear(&t);
}

/* ---- extreme cases ---- */

/* A method without any value removes no data set from the averages and ranks of the others. */
static void without_values(void **state)
{
    (void)state;
    wlab_experiment e = experiment_;
    double x[SETS * 3], gap = (double)NAN;
    wlab_values v = {.e = &e, .replicates = 1, .value = x};
    wlab_sheet t;
    wlab_err err;

    e.nmethods = 3;
    e.nsettings = e.nseeds = 1;
    e.npublished = 0;
    for (int d = 0; d < SETS; d++) {
        x[3 * d] = 0.5 + 0.01 * d;
        x[3 * d + 1] = gap;
        x[3 * d + 2] = 0.7 + 0.02 * d;
    }
    ASSERT_OK(make(&t, &v, NULL, &err), err);
    const wlab_sheet_block *b = &t.block[0];
    assert_true(b->complete == SETS && b->present == 2 && b->friedman);
    ASSERT_NEAR(b->column[0].average, 0.5 + 0.01 * (SETS - 1) / 2.0, 1e-12);
    ASSERT_NEAR(b->column[2].average, 0.7 + 0.02 * (SETS - 1) / 2.0, 1e-12);
    ASSERT_NEAR(b->column[0].average_rank, 2, 1e-12);
    ASSERT_NEAR(b->column[2].average_rank, 1, 1e-12);
    ASSERT_NEAR(b->chi2.df, 1, 1e-12);
    assert_true(isnan(b->column[1].average) && isnan(b->column[1].average_rank));
    bool said = false;
    for (int i = 0; i < b->notes; i++)
        said = said || strncmp(b->note[i], "There is no value of ", 19) == 0;
    assert_true(said);
    wlab_sheet_clear(&t);
    x[0] = gap; /* a gap of a method that has other values does */
    ASSERT_OK(make(&t, &v, NULL, &err), err);
    assert_int_equal(t.block[0].complete, SETS - 1);
    ASSERT_NEAR(t.block[0].column[2].average, 0.7 + 0.02 * (double)SETS / 2.0, 1e-12);
    wlab_sheet_clear(&t);
}

/* One method, one repetition: no ranks, no deviation, no best, no row without a value.  No values at all: a table of
 * gaps. */
static void small(void **state)
{
    (void)state;
    wlab_experiment e = experiment_;
    double x[SETS] = {1, 2.5, (double)NAN, 4, 5};
    wlab_values v = {.e = &e, .replicates = 1, .value = x};
    wlab_sheet t;
    wlab_err err;
    wlab_buf out = {0};

    e.nmethods = e.nsettings = e.nseeds = 1;
    e.npublished = 0;
    e.title = NULL;
    ASSERT_OK(make(&t, &v, WITH("digits", "1", "score", "seconds"), &err), err);
    assert_int_equal(wlab_sheet_text(&t, true, &out), WL_OK);
    assert_string_equal((const char *)out.data, "labeled=5%: seconds of 1 repetition\n"
                                                "\n"
                                                "         SVM\n"
                                                "------------\n"
                                                "heart    1.0\n"
                                                "a|b_c*   2.5\n"
                                                "gr\xc3\xb6\xc3\x9f"
                                                "e    4.0\n"
                                                "iris     5.0\n"
                                                "------------\n"
                                                "average  3.1\n"
                                                "There is no result on x, \"y\" & 5%\n\n");
    wlab_buf_clear(&out);
    wlab_sheet_clear(&t);
    for (int i = 0; i < SETS; i++)
        x[i] = (double)NAN;
    ASSERT_OK(make(&t, &v, WITH("against", "SVM"), &err), err);
    assert_true(isnan(t.block[0].column[0].average) && !t.block[0].friedman && t.block[0].complete == 0);
    assert_int_equal(wlab_sheet_text(&t, true, &out), WL_OK);
    assert_int_equal(wlab_sheet_markdown(&t, true, &out), WL_OK);
    assert_int_equal(wlab_sheet_latex(&t, true, &out), WL_OK);
    assert_null(strstr((const char *)out.data, "nan"));
    wlab_buf_clear(&out);
    wlab_sheet_clear(&t);
}

static wlab_code whole(const wlab_values *v, const wlab_params *p, wlab_err *err)
{
    wlab_sheet t;
    wlab_buf out = {0};
    wlab_code code = wlab_sheet_make(&t, v, p, err);

    if (code)
        return code;
    code = wlab_sheet_text(&t, true, &out);
    if (!code)
        code = wlab_sheet_markdown(&t, true, &out);
    if (!code)
        code = wlab_sheet_latex(&t, false, &out);
    if (!code)
        code = wlab_sheet_csv(&t, true, &out);
    wlab_buf_clear(&out);
    wlab_sheet_clear(&t);
    return code;
}

static void memory(void **state)
{
    (void)state;
    wlab_values v = values();
    wlab_params *p = options(WITH("against", "SVM"));
    wlab_err err;

    v.oracle = true;
    ALLOC_SWEEP(whole(&v, p, &err));
    wlab_params_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content),
        cmocka_unit_test(marks_vary),
        cmocka_unit_test(posthoc),
        cmocka_unit_test(refusals),
        cmocka_unit_test(few_replicates),
        cmocka_unit_test(held_out_scores),
        cmocka_unit_test(independent_samples),
        cmocka_unit_test(spread_of_repetitions),
        cmocka_unit_test(agreement),
        cmocka_unit_test(markdown),
        cmocka_unit_test(latex),
        cmocka_unit_test(plain_text),
        cmocka_unit_test(folded),
        cmocka_unit_test(csv),
        cmocka_unit_test(json),
        cmocka_unit_test(small),
        cmocka_unit_test(memory),
        cmocka_unit_test(without_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
