/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * generate formula: the Bayes error against closed forms and quadrature, the labels against their probability, points
 * without a value, refusals.
 */
#include "support.h"

#include "data/formula.h"
#include "made.h"

static wlab_dataset *make_or_fail(const char *text)
{
    wlab_err err = {0};
    wlab_dataset *data = made_data("formula", text, &err);
    if (!data)
        fail_msg("generate formula %s: %s", text, err.message);
    return data;
}

static void check_bayes(const char *text, double exact, double tolerance)
{
    wlab_err err = {0};
    wlab_bayes bayes, again;
    wlab_dataset *data = make_or_fail(text);
    ASSERT_OK(wlab_formula_bayes(data->formula, &bayes, NULL, &err), err);
    ASSERT_OK(wlab_formula_bayes(data->formula, &again, NULL, &err), err);
    assert_memory_equal(&bayes, &again, sizeof bayes);
    if (!(bayes.deviation <= tolerance) || !(fabs(bayes.error - exact) <= 6 * bayes.deviation + 1e-12))
        fail_msg("%s: %.9g +- %.3g, exactly %.9g", text, bayes.error, bayes.deviation, exact);
    wlab_dataset_unref(data);
}

/* The mean of min(p, 1 - p) over x uniform on [-a, a] where f = x: s/a (ln 2 - ln(1 + exp(-a/s))). */
static double linear(double a, double s)
{
    return s / a * (log(2) - log1p(exp(-a / s)));
}

static double circle(double a, double s)
{
    enum {
        N = 1500
    };
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double x = a * (2 * (i + 0.5) / N - 1), y = a * (2 * (j + 0.5) / N - 1);
            sum += 1 / (1 + exp(fabs(x * x + y * y - 1) / s));
        }
    return sum / ((double)N * N);
}

static void bayes_error(void **state)
{
    (void)state;
    check_bayes("f=x1 n=2 noise=0.3", linear(2, 0.3), 1e-4);
    check_bayes("f=x1 n=2 columns=1 noise=0.3", linear(2, 0.3), 1e-5);
    check_bayes("f=x1 n=2 noise=0.02 low=-1 high=1", linear(1, 0.02), 1e-4);
    check_bayes("f=x4 n=2 columns=6 noise=0.5 low=-3 high=3", linear(3, 0.5), 1e-4);
    check_bayes("f=3*x2 n=2 noise=0.3", linear(6, 0.3), 1e-4);
    check_bayes("f=x1^2+x2^2-1 n=2 noise=0.2", circle(2, 0.2), 1e-4);
    check_bayes("f=x1 n=2 noise=0", 0, 0);
    check_bayes("f=x1-x1 n=2", 0.5, 0);
    /* where sqrt has no value, no row is drawn: x1 is uniform on [0, 2] */
    check_bayes("f=sqrt(x1)^2 n=2 noise=0.3", linear(2, 0.3), 1e-4);
}

/* Labels are drawn with the stated probability; the sign of f errs as often as it should. */
static void labels(void **state)
{
    (void)state;
    wlab_dataset *data = make_or_fail("f=x1*x2 n=20000 noise=0.4 seed=3");
    double wrong = 0, expected = 0, variance = 0;
    int64_t cell[2][2] = {{0}};

    assert_int_equal(data->X->cols, 2);
    for (int64_t i = 0; i < data->X->rows; i++) {
        const double *x = data->X->dense + 2 * i, f = wlab_formula_at(data, i),
                     e = wlab_formula_error(data->formula, f);
        assert_true(f == x[0] * x[1] && fabs(x[0]) <= 2 && fabs(x[1]) <= 2);
        ASSERT_NEAR(e, fmin(1 / (1 + exp(f / 0.4)), 1 / (1 + exp(-f / 0.4))), 1e-12);
        ASSERT_NEAR(wlab_formula_positive(data->formula, f), 1 / (1 + exp(-f / 0.4)), 1e-12);
        wrong += (f > 0) != (data->label[i] == 1);
        expected += e;
        variance += e * (1 - e);
        cell[x[0] > 0][x[1] > 0]++;
    }
    assert_true(fabs(wrong - expected) < 4 * sqrt(variance));
    for (int k = 0; k < 4; k++) /* uniform: 5000 +- 61 */
        assert_in_range(cell[k / 2][k % 2], 5000 - 250, 5000 + 250);
    wlab_dataset_unref(data);

    data = make_or_fail("f=x1+x2-0.5 n=500 noise=0");
    for (int64_t i = 0; i < 500; i++)
        assert_int_equal(data->label[i], data->X->dense[2 * i] + data->X->dense[2 * i + 1] - 0.5 > 0);
    wlab_dataset_unref(data);
}

static wlab_code integrate(const wlab_formula *f)
{
    wlab_bayes bayes;
    wlab_err err;
    return wlab_formula_bayes(f, &bayes, NULL, &err);
}

static void out_of_memory(void **state)
{
    (void)state;
    wlab_dataset *data = make_or_fail("f=x1 n=2");
    ALLOC_SWEEP(integrate(data->formula));
    wlab_dataset_unref(data);
}

static void columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int columns;
    } cases[] = {{"f=1 n=3", 2},
                 {"f=x1 n=3", 2},
                 {"f=x7-x3 n=3", 7},
                 {"f=x1 n=3 columns=1", 1},
                 {"f=x2 n=3 columns=4", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_dataset *data = make_or_fail(cases[i].text);
        assert_int_equal(data->X->cols, cases[i].columns);
        wlab_dataset_unref(data);
    }
}

static void without_value(void **state)
{
    (void)state;
    wlab_dataset *data = make_or_fail("f=log(x1)+1/x2 n=200");
    for (int64_t i = 0; i < 200; i++)
        assert_true(data->X->dense[2 * i] > 0 && isfinite(wlab_formula_at(data, i)));
    assert_non_null(data->remark);
    assert_non_null(strstr(data->remark, "no value at"));
    wlab_dataset_unref(data);
    data = make_or_fail("f=x1^2+1 n=200 noise=0");
    assert_non_null(strstr(data->remark, "one class"));
    wlab_dataset_unref(data);
    data = make_or_fail("f=x1 n=200");
    assert_null(data->remark);
    wlab_dataset_unref(data);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        wlab_code code;
        long column;
    } cases[] = {
        {"f=x1+(x2", "expected \")\" at column 7", WL_EINPUT, 7},
        {"f=x1+y", "no column \"y\"", WL_EINPUT, 4},
        {"f=x1+x3 columns=2", "no column \"x3\" (there are x1 to x2)", WL_EINPUT, 4},
        {"f=x41", "no column \"x41\"", WL_EINPUT, 1},
        {"f=x0", "no column \"x0\"", WL_EINPUT, 1},
        {"f=max(x1)", "max takes 2 numbers", WL_EINPUT, 7},
        {"f=x1<2", "not a condition", WL_EINPUT, 1},
        {"f=x1$2", "unexpected character", WL_EINPUT, 3},
        {"f=system(x1)", "no column \"system\"", WL_EINPUT, 1},
        {"f=1/0", "a value at only 0 of", WL_EARG, 0},
        {"f=x1 low=1 high=1", "must be below", WL_EARG, 0},
        {"f=x1 low=nan", "low", WL_EARG, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_err err = {0};
        wlab_dataset *data = made_data("formula", cases[i].text, &err);
        if (data || err.code != cases[i].code || err.column != cases[i].column ||
            !strstr(err.message, cases[i].message))
            fail_msg("%s: code %d, column %ld, %s", cases[i].text, (int)err.code, err.column, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bayes_error),   cmocka_unit_test(labels),        cmocka_unit_test(columns),
        cmocka_unit_test(out_of_memory), cmocka_unit_test(without_value), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
