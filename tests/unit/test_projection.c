/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * View `projection`: its coordinates are those that LAPACK's singular value decomposition of the centred data gives, of
 * the whole data or of what the output leaves of them.
 */
#include "plot/views/view.h"
#include "talk.h"
#include <lapacke.h>
#include <math.h>

/* Writes the first left singular vector of A [n x d] (row-major) times its singular value to y [n]. *part: the
 * fraction of the sum of squares of A that it explains.  Overwrites A. */
static void leading(double *A, int n, int d, double *y, double *part)
{
    const int k = n < d ? n : d;
    double *s = wlab_alloc((size_t)k, sizeof *s), *U = wlab_alloc((size_t)n * (size_t)k, sizeof *U),
           *V = wlab_alloc((size_t)k * (size_t)d, sizeof *V), total = 0;

    assert_int_equal(LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', n, d, A, d, s, U, k, V, d), 0);
    for (int j = 0; j < k; j++)
        total += s[j] * s[j];
    *part = s[0] * s[0] / total;
    int largest = 0;
    for (int j = 1; j < d; j++)
        largest = fabs(V[j]) > fabs(V[largest]) ? j : largest;
    for (int i = 0; i < n; i++)
        y[i] = U[(size_t)i * (size_t)k] * s[0] * (V[largest] < 0 ? -1 : 1);
    wlab_free(s);
    wlab_free(U);
    wlab_free(V);
}

/* Subtract from each column of A its mean, and its multiple of f less its mean (NULL: only the mean). */
static void leave_rest(double *A, int n, int d, const double *f)
{
    double mean = 0, ff = 0;
    for (int i = 0; i < n && f; i++)
        mean += f[i] / n;
    for (int i = 0; i < n && f; i++)
        ff += (f[i] - mean) * (f[i] - mean);
    for (int j = 0; j < d; j++) {
        double sum = 0, along = 0;
        for (int i = 0; i < n; i++)
            sum += A[i * d + j] / n;
        for (int i = 0; i < n; i++)
            A[i * d + j] -= sum;
        for (int i = 0; i < n && f; i++)
            along += A[i * d + j] * (f[i] - mean) / ff;
        for (int i = 0; i < n && f; i++)
            A[i * d + j] -= along * (f[i] - mean);
    }
}

/* Draw the current run of a session, and compare block 0 of the figure with LAPACK's coordinates. */
static void compare(wlab_session *s, bool output)
{
    const wlab_run *run = wlab_session_run(s);
    const wlab_problem *p = wlab_run_problem(run);
    const int n = (int)p->n, d = p->X->cols;
    wlab_view_run v = wlab_view_run_of(run);
    wlab_view_request q = {.run = &v, .runs = 1, .ctx = wlab_session_ctx(s)};
    wlab_figure f = {0};
    wlab_err err = {0};
    double *A = wlab_alloc((size_t)n * (size_t)d, sizeof *A), *x = wlab_alloc((size_t)n, sizeof *x),
           *y = wlab_alloc((size_t)n, sizeof *y), part[2];
    char words[40];

    for (int k = 0; k < n * d; k++)
        A[k] = wlab_matrix_at(p->X, k / d, k % d);
    if (output) {
        wlab_model *m = NULL;
        ASSERT_OK(v.algo->model(v.state, &m, q.ctx, &err), err);
        ASSERT_OK(wlab_model_predict(m, p->X, x, NULL, &err), err);
        wlab_model_destroy(m);
        part[0] = 0;
    } else {
        double *B = wlab_alloc((size_t)n * (size_t)d, sizeof *B);
        memcpy(B, A, (size_t)n * (size_t)d * sizeof *B);
        leave_rest(B, n, d, NULL);
        leading(B, n, d, x, &part[0]);
        wlab_free(B);
    }
    leave_rest(A, n, d, x);
    leading(A, n, d, y, &part[1]);
    ASSERT_OK(wlab_view_draw(wlab_view_find("projection"), &f, &q, &err), err);
    assert_int_equal(f.block[0].rows, n);
    double scale = 0, lapack = 0, ours = 0;
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fmax(fabs(x[i]), fabs(y[i])));
        lapack += y[i] * y[i];
        ours += pow(*wlab_figure_at(&f, 0, i, 1), 2);
    }
    ASSERT_NEAR(ours / lapack, 1, 1e-4);
    /* the direction is known less well than its variance where the second largest is close */
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            if (fabs(*wlab_figure_at(&f, 0, i, k) - (k ? y : x)[i]) > (k || !output ? 0.03 : 1e-9) * scale)
                fail_msg("row %d, axis %d: %g, LAPACK: %g", i + 1, k, *wlab_figure_at(&f, 0, i, k),
                         (k ? y : x)[i]);
    snprintf(words, sizeof words, "(%.0f %%", 100 * (output ? part[1] : part[1] * (1 - part[0])));
    assert_non_null(strstr(f.ylabel, words));
    assert_int_equal(f.blocks > 1, output); /* a grid for the decision line */
    wlab_figure_clear(&f);
    wlab_free(A);
    wlab_free(x);
    wlab_free(y);
}

typedef struct drawing {
    const char *commands;
    bool output;
} drawing;

static void test_lapack(void **state)
{
    const drawing *d = *state;
    talk t;

    talk_begin(&t, false, ".");
    ASSERT_OK(type_line(&t, d->commands), t.err);
    compare(t.s, d->output);
    talk_end(&t);
}

/* View `histogram`: each row is in the bin of its output, and is counted by the label that the model predicts. */
static void test_histogram(void **state)
{
    talk t;
    wlab_figure f = {0};
    wlab_model *m = NULL;
    (void)state;

    talk_begin(&t, false, ".");
    ASSERT_OK(type_line(&t, "generate two-moons n=90; task ssl labeled=6; algo wellsvm kernel=rbf; step 2"),
              t.err);
    wlab_view_run v = wlab_view_run_of(wlab_session_run(t.s));
    wlab_view_request q = {.run = &v, .runs = 1, .ctx = wlab_session_ctx(t.s)};
    const int n = (int)v.problem->n;
    double out[90];
    int8_t label[90];
    assert_int_equal(n, 90);
    ASSERT_OK(v.algo->model(v.state, &m, q.ctx, &t.err), t.err);
    ASSERT_OK(wlab_model_predict(m, v.problem->X, out, NULL, &t.err), t.err);
    ASSERT_OK(wlab_predicted_labels(v.problem, out, label, &t.err), t.err);
    wlab_model_destroy(m);
    ASSERT_OK(wlab_view_draw(wlab_view_find("histogram"), &f, &q, &t.err), t.err);
    const double width = *wlab_figure_at(&f, 0, 1, 0) - *wlab_figure_at(&f, 0, 0, 0);
    for (int64_t k = 0; k < f.block[0].rows; k++) {
        const double lo = *wlab_figure_at(&f, 0, k, 0) - width / 2, hi = lo + width;
        double rows = 0, positive = 0;
        for (int i = 0; i < n; i++)
            if (out[i] >= lo && out[i] < hi) {
                rows++;
                positive += label[i] > 0;
            }
        assert_true(*wlab_figure_at(&f, 0, k, 3) == rows && *wlab_figure_at(&f, 0, k, 1) == positive);
        assert_true(lo > -1e-9 * width || hi < 1e-9 * width); /* 0 is between two bins */
    }
    wlab_figure_clear(&f);
    talk_end(&t);
}

/* Data whose rows are all equal have no direction: every row is drawn at (0, 0). */
static void test_constant(void **state)
{
    talk t;
    wlab_figure f = {0};
    (void)state;

    char file[] = "/tmp/weaklab-projection-XXXXXX.csv";
    const int fd = mkstemps(file, 4);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    for (int i = 0; i < 8; i++)
        fprintf(out, "3,3,3,%s\n", i % 2 ? "yes" : "no");
    assert_int_equal(fclose(out), 0);
    char line[200];
    snprintf(line, sizeof line, "load %s; task ssl labeled=4; algo svm kernel=linear; step", file);
    talk_begin(&t, false, ".");
    ASSERT_OK(type_line(&t, line), t.err);
    wlab_view_run v = wlab_view_run_of(wlab_session_run(t.s));
    wlab_view_request q = {.run = &v, .runs = 1, .ctx = wlab_session_ctx(t.s)};
    ASSERT_OK(wlab_view_draw(wlab_view_find("projection"), &f, &q, &t.err), t.err);
    for (int i = 0; i < 8; i++)
        assert_true(*wlab_figure_at(&f, 0, i, 0) == 0 && *wlab_figure_at(&f, 0, i, 1) == 0);
    wlab_figure_clear(&f);
    talk_end(&t);
    unlink(file);
}

int main(void)
{
    static drawing many[] = {
        {"generate blobs n=60 dims=5 classes=2 seed=3; task ssl labeled=6; algo wellsvm kernel=linear; step "
         "2",
         true},
        {"generate blobs n=60 dims=5 classes=2 seed=3; task ssl labeled=6; algo wellsvm kernel=rbf; step 2",
         true},
        {"generate topics n=80 d=200 seed=1; task ssl labeled=10; algo tsvm; step", true}, /* sparse rows */
        {"generate blobs n=60 dims=5 classes=3 seed=3; task ssl labeled=9 classes=all; algo softmax-em; step",
         false},
        {"generate blobs n=40 dims=3 classes=2 seed=3; task cluster; algo wellsvm kernel=linear",
         false}, /* no model yet */
    };
    struct CMUnitTest tests[sizeof many / sizeof *many + 2];
    const size_t n = sizeof many / sizeof *many;

    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){many[i].commands, test_lapack, NULL, NULL, &many[i]};
    tests[n] = (struct CMUnitTest)cmocka_unit_test(test_constant);
    tests[n + 1] = (struct CMUnitTest)cmocka_unit_test(test_histogram);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
