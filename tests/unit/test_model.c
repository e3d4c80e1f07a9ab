/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models: predictions compared with direct sums and with those of LIBLINEAR's and LIBSVM's own programs.
 */
#include "support.h"

#include "algo/algos.h"
#include "made.h"
#include "weaklab/model.h"

#include <fcntl.h>
#include <linear.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static wlab_dataset *load(const char *path, const char *options)
{
    wlab_err err;
    wlab_dataset *data = NULL;
    wlab_params *params = made_params(wlab_load_params, options, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_dataset_load(&data, path, NULL, params, NULL, &err), err);
    wlab_params_destroy(params);
    return data;
}

static wlab_dataset *load_text(const char *suffix, const char *text, const char *options)
{
    char path[256];
    support_temp_file(path, suffix, text, strlen(text));
    wlab_dataset *data = load(path, options);
    unlink(path);
    return data;
}

static wlab_problem *pose(wlab_dataset *data, const char *task, const char *options, const int32_t *rows,
                          int64_t n)
{
    wlab_err err;
    wlab_problem *p = NULL;
    const wlab_task *t = wlab_task_find(task);
    wlab_params *params = made_params(t->params, options, &err);
    assert_non_null(params);
    ASSERT_OK(wlab_problem_create(&p, data, rows, n, NULL, 0, t, params, NULL, &err), err);
    wlab_params_destroy(params);
    return p;
}

/* n rows of d columns as LIBSVM text; `some`: the fraction of entries that are not 0. */
static wlab_dataset *random_data(int n, int d, double some, uint64_t seed)
{
    wlab_rng rng;
    wlab_buf text = {0};
    wlab_rng_seed(&rng, seed);
    for (int i = 0; i < n; i++) {
        wlab_buf_printf(&text, "%d", i % 2 ? 1 : -1);
        for (int j = 1; j <= d; j++)
            if (j == 1 || wlab_rng_uniform(&rng) < some)
                wlab_buf_printf(&text, " %d:%.17g", j, wlab_rng_normal(&rng) + (i % 2 ? 0.3 : -0.3));
        wlab_buf_printf(&text, "\n");
    }
    wlab_dataset *data = load_text(".libsvm", (char *)text.data, "");
    wlab_buf_clear(&text);
    return data;
}

/* A symmetric psd matrix of kernel values, as data. */
static wlab_dataset *gram_data(int n, uint64_t seed)
{
    wlab_rng rng;
    wlab_buf text = {0};
    double *x = calloc((size_t)n, sizeof *x);
    assert_non_null(x);
    wlab_rng_seed(&rng, seed);
    for (int i = 0; i < n; i++)
        x[i] = wlab_rng_normal(&rng) + (i % 2 ? 0.5 : -0.5);
    for (int i = 0; i < n; i++) {
        wlab_buf_printf(&text, "%d", i % 2 ? 1 : -1);
        for (int j = 1; j <= n; j++)
            wlab_buf_printf(&text, " %d:%.17g", j, exp(-(x[i] - x[j - 1]) * (x[i] - x[j - 1])));
        wlab_buf_printf(&text, "\n");
    }
    wlab_dataset *data = load_text(".libsvm", (char *)text.data, "");
    wlab_buf_clear(&text);
    free(x);
    return data;
}

/* ---- direct sums ---- */

/* 0 beyond the matrix's columns */
static double entry_at(const wlab_matrix *X, int64_t i, int32_t j)
{
    return j < X->cols ? wlab_matrix_at(X, i, j) : 0;
}

static double kappa(const wlab_kernel *k, const wlab_matrix *X, int64_t i, const wlab_matrix *Z, int64_t j)
{
    double dot = 0, d2 = 0;
    for (int32_t c = 0; c < (X->cols > Z->cols ? X->cols : Z->cols); c++) {
        dot += entry_at(X, i, c) * entry_at(Z, j, c);
        d2 += pow(entry_at(X, i, c) - entry_at(Z, j, c), 2);
    }
    double v = k->kind == WL_K_RBF    ? exp(-k->gamma * d2)
               : k->kind == WL_K_POLY ? pow(k->gamma * dot + k->coef0, k->degree)
                                      : dot;
    return v + k->bias * k->bias;
}

static const wlab_kernel kernels[] = {
    {WL_K_LINEAR, 0, 0, 0, 0, NULL}, {WL_K_LINEAR, 0, 0, 1.5, 0, NULL}, {WL_K_RBF, 0.2, 0, 0, 0, NULL},
    {WL_K_RBF, 0.1, 0, 2, 0, NULL},  {WL_K_POLY, 0.3, 1, 0, 3, NULL},   {WL_K_POLY, 0.3, 0, 1, 2, NULL},
};

static void coefficients(double *c, int64_t n, uint64_t seed)
{
    wlab_rng rng;
    wlab_rng_seed(&rng, seed);
    for (int64_t k = 0; k < n; k++)
        c[k] = wlab_rng_uniform(&rng) < 0.4 ? 0 : wlab_rng_normal(&rng);
}

/* Predictions on data as wide, narrower and wider, dense and sparse, of models of dense and sparse rows. */
static void test_direct_sums(void **state)
{
    (void)state;
    wlab_err err;
    for (int how = 0; how < 2; how++) {
        wlab_dataset *data = random_data(40, 9, how ? 0.2 : 1, 1);
        assert_true(data->X->sparse == how);
        int32_t rows[30];
        double c[30], f[300];
        for (int i = 0; i < 30; i++)
            rows[i] = (i * 7 + 2) % 40;
        coefficients(c, 30, 2);
        wlab_problem *p = pose(data, "supervised", "", rows, 30);
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            wlab_model *m;
            ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernels[k], c, NULL, &err), err);
            for (int other = 0; other < 6; other++) {
                wlab_dataset *test = random_data(300,
                                                 other / 2 == 0   ? 9
                                                 : other / 2 == 1 ? 5
                                                                  : 14,
                                                 other % 2 ? 0.15 : 1, 3);
                assert_true(test->X->sparse == other % 2);
                ASSERT_OK(wlab_model_predict(m, test->X, f, NULL, &err), err);
                for (int64_t i = 0; i < 300; i++) {
                    double sum = 0;
                    for (int s = 0; s < 30; s++)
                        sum += c[s] * kappa(&kernels[k], data->X, rows[s], test->X, i);
                    ASSERT_NEAR(f[i], sum, 1e-11);
                }
                wlab_dataset_unref(test);
            }
            wlab_model_destroy(m);
        }
        wlab_problem_unref(p);
        wlab_dataset_unref(data);
    }
}

static void test_precomputed_sums(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = gram_data(20, 4);
    const int32_t rows[] = {3, 0, 12, 7, 19, 4};
    double c[] = {0.5, -1, 0, 2, -0.25, 0.125}, f[20];
    const wlab_kernel kernel = {.kind = WL_K_PRECOMPUTED, .bias = 1};
    wlab_problem *p = pose(data, "supervised", "", rows, 6);
    wlab_model *m;
    ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernel, c, NULL, &err), err);
    ASSERT_OK(wlab_model_predict(m, data->X, f, NULL, &err), err);
    for (int i = 0; i < 20; i++) {
        double sum = 0;
        for (int s = 0; s < 6; s++)
            sum += c[s] * (wlab_matrix_at(data->X, i, rows[s]) + 1);
        ASSERT_NEAR(f[i], sum, 1e-14);
    }
    wlab_dataset *narrow = random_data(3, 4, 1, 5);
    ASSERT_FAILS(wlab_model_predict(m, narrow->X, f, NULL, &err), WL_EARG, err, "no column 8");
    wlab_dataset_unref(narrow);
    wlab_model_destroy(m);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

/* No coefficients, and data without classes: the model's output is 0. */
static void test_empty(void **state)
{
    (void)state;
    wlab_err err;
    wlab_dataset *data = load_text(".csv", "a,b\n1,2\n3,4\n5,7\n0,1\n", "label=none");
    assert_int_equal(data->classes, 0);
    wlab_problem *p = pose(data, "cluster", "", NULL, 0);
    double c[4] = {0}, f[4];
    for (int kind = 0; kind < 3; kind++) {
        wlab_model *m, *back;
        wlab_buf text = {0};
        char path[256];
        const wlab_kernel kernel = {.kind = (wlab_kernel_kind)kind, .gamma = 1, .degree = 2};
        ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernel, c, NULL, &err), err);
        assert_string_equal(m->class_name[1], "+1");
        assert_string_equal(m->class_name[0], "-1");
        ASSERT_OK(wlab_model_write(m, &text, &err), err);
        support_temp_file(path, ".model", text.data, text.len);
        ASSERT_OK(wlab_model_read(&back, path, &err), err);
        ASSERT_OK(wlab_model_predict(back, data->X, f, NULL, &err), err);
        assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0 && f[3] == 0);
        unlink(path);
        wlab_buf_clear(&text);
        wlab_model_destroy(m);
        wlab_model_destroy(back);
    }
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

/* ---- the programs ---- */

/* Runs a program found on PATH; its output goes to the file `out`.  Returns false if there is no such program; any exit
 * status but 0 fails the test. */
static bool run(const char *const *argv, const char *out)
{
    pid_t child;
    int status;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int refused = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (refused)
        return false;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return false;
    if (WEXITSTATUS(status) != 0)
        fail_msg("%s ended with status %d", argv[0], WEXITSTATUS(status));
    return true;
}

typedef struct paths {
    char rows[256], model[256], labels[256], said[256];
} paths;

static void paths_make(paths *p)
{
    support_temp_file(p->rows, ".libsvm", "", 0);
    support_temp_file(p->model, ".model", "", 0);
    support_temp_file(p->labels, ".txt", "", 0);
    support_temp_file(p->said, ".txt", "", 0);
}

static void paths_unlink(const paths *p)
{
    unlink(p->rows);
    unlink(p->model);
    unlink(p->labels);
    unlink(p->said);
}

static void write_rows(const char *path, const wlab_dataset *data, bool serial)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (int64_t i = 0; i < data->X->rows; i++) {
        fprintf(out, "%.17g", data->class_value[data->label[i]]);
        if (serial)
            fprintf(out, " 0:%lld", (long long)i + 1);
        for (int32_t j = 0; j < data->X->cols; j++)
            if (serial || entry_at(data->X, i, j) != 0)
                fprintf(out, " %d:%.17g", j + 1, entry_at(data->X, i, j));
        fprintf(out, "\n");
    }
    assert_int_equal(fclose(out), 0);
}

static void write_model(const wlab_model *m, const char *path)
{
    wlab_err err;
    wlab_buf text = {0};
    ASSERT_OK(wlab_model_write(m, &text, &err), err);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text.data, 1, text.len, out), text.len);
    assert_int_equal(fclose(out), 0);
    wlab_buf_clear(&text);
}

/* The program's labels are the signs of f, and its accuracy is ours. */
static void compare(const paths *p, const wlab_dataset *data, const wlab_model *m, const double *f)
{
    FILE *in = fopen(p->labels, "r");
    assert_non_null(in);
    int64_t right = 0;
    double positive = 1, negative = -1, label;
    if (!wlab_parse_real(m->class_name[1], &positive) || !wlab_parse_real(m->class_name[0], &negative)) {
        positive = 1;
        negative = -1;
    }
    for (int64_t i = 0; i < data->X->rows; i++) {
        assert_int_equal(fscanf(in, "%lf", &label), 1);
        double ours = f[i] > 0 ? positive : negative;
        if (fabs(f[i]) > 1e-12 && (label < ours || label > ours))
            fail_msg("row %lld: f = %.17g, but the program says %g", (long long)i + 1, f[i], label);
        right += data->class_value[data->label[i]] >= label && data->class_value[data->label[i]] <= label;
    }
    assert_int_equal(fscanf(in, "%lf", &label), EOF);
    fclose(in);
    char text[256] = "", *open = NULL;
    in = fopen(p->said, "r");
    assert_non_null(in);
    while (fgets(text, sizeof text, in) && !(open = strchr(text, '(')))
        continue;
    fclose(in);
    long long said = -1;
    assert_non_null(open);
    assert_int_equal(sscanf(open, "(%lld/", &said), 1);
    assert_int_equal(said, right);
}

static wlab_model *trained(wlab_problem *p, const char *options)
{
    wlab_err err;
    void *state = NULL;
    wlab_step step = {0};
    wlab_model *m = NULL;
    wlab_params *params = made_params(wlab_algo_svm.params, options, &err);
    if (!params)
        fail_msg("%s: %s", options, err.message);
    ASSERT_OK(wlab_algo_svm.create(&state, p, params, NULL, &err), err);
    ASSERT_OK(wlab_algo_svm.advance(state, NULL, &step, &err), err);
    assert_true(step.complete && step.verdict == WL_CONVERGED);
    ASSERT_OK(wlab_algo_svm.model(state, &m, NULL, &err), err);
    wlab_algo_svm.destroy(state);
    wlab_params_destroy(params);
    return m;
}

/* Trains, writes the model, runs the program to predict, reads the model back and predicts again. */
static void check_programs(wlab_dataset *data, const char *options, double tol)
{
    wlab_err err;
    paths files;
    bool pre = strstr(options, "precomputed") != NULL;
    double *f = calloc((size_t)data->X->rows, sizeof *f), *again = calloc((size_t)data->X->rows, sizeof *f);
    int32_t rows[60];
    assert_true(f && again);
    for (int i = 0; i < 60; i++)
        rows[i] = (int32_t)((i * 13 + 5) % data->X->rows);
    wlab_problem *p = pose(data, "supervised", "", rows, 60);
    wlab_model *m = trained(p, options), *back;
    ASSERT_OK(wlab_model_predict(m, data->X, f, NULL, &err), err);
    paths_make(&files);
    write_rows(files.rows, data, pre);
    write_model(m, files.model);
    ASSERT_OK(wlab_model_read(&back, files.model, &err), err);
    ASSERT_OK(wlab_model_predict(back, data->X, again, NULL, &err), err);
    for (int64_t i = 0; i < data->X->rows; i++)
        ASSERT_NEAR(again[i], f[i], tol);
    const char *program = m->kernel.kind == WL_K_LINEAR ? "liblinear-predict" : "svm-predict";
    const char *const argv[] = {program, files.rows, files.model, files.labels, NULL};
    bool there = run(argv, files.said);
    if (there)
        compare(&files, data, m, f);
    else
        print_message("skipped: %s is not installed\n", program);
    paths_unlink(&files);
    wlab_model_destroy(m);
    wlab_model_destroy(back);
    wlab_problem_unref(p);
    free(f);
    free(again);
    if (!there)
        skip();
}

static const char *const trainings[] = {
    "kernel=linear",
    "kernel=linear bias=1 C=0.1",
    "kernel=linear bias=2 loss=squared-hinge",
    "kernel=linear offset=free",
    "kernel=rbf",
    "kernel=rbf sigma=0.5x offset=feature bias=1",
    "kernel=poly degree=2 coef0=1 gamma=0.3",
    "kernel=poly offset=feature degree=3",
};

static void test_programs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof trainings / sizeof *trainings; k++)
        for (int how = 0; how < 2; how++) {
            wlab_dataset *data = random_data(150, 12, how ? 0.2 : 0.8, 6);
            check_programs(data, trainings[k], 1e-12);
            wlab_dataset_unref(data);
        }
    wlab_dataset *data = gram_data(80, 7);
    check_programs(data, "kernel=precomputed", 1e-13);
    check_programs(data, "kernel=precomputed offset=feature bias=1", 1e-13);
    wlab_dataset_unref(data);
}

static void test_programs_on_real_rows(void **state)
{
    (void)state;
    wlab_dataset *data = load(SHARED_OR_SKIP("datasets/libsvm/heart_scale"), "");
    for (size_t k = 0; k < sizeof trainings / sizeof *trainings; k++)
        check_programs(data, trainings[k], 1e-12);
    wlab_dataset_unref(data);
}

/* Models that the programs trained. */
static void test_their_models(void **state)
{
    (void)state;
    wlab_err err;
    static const char *const kinds[][8] = {
        {"liblinear-train", "-s", "3"},
        {"liblinear-train", "-s", "1", "-B", "1"},
        {"svm-train", "-t", "2"},
        {"svm-train", "-t", "1", "-r", "1", "-d", "2"},
    };
    wlab_dataset *data = random_data(120, 10, 0.4, 8);
    bool there = true;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && there; k++) {
        paths files;
        const char *train_argv[12] = {0};
        double f[120];
        int n = 0;
        paths_make(&files);
        write_rows(files.rows, data, false);
        while (n < 8 && kinds[k][n]) {
            train_argv[n] = kinds[k][n];
            n++;
        }
        train_argv[n++] = files.rows;
        train_argv[n] = files.model;
        const char *const argv[] = {k < 2 ? "liblinear-predict" : "svm-predict", files.rows, files.model,
                                    files.labels, NULL};
        there = run(train_argv, files.said) && run(argv, files.said);
        if (there) {
            wlab_model *m;
            ASSERT_OK(wlab_model_read(&m, files.model, &err), err);
            ASSERT_OK(wlab_model_predict(m, data->X, f, NULL, &err), err);
            compare(&files, data, m, f);
            wlab_model_destroy(m);
        }
        paths_unlink(&files);
    }
    wlab_dataset_unref(data);
    if (!there) {
        print_message("skipped: the programs are not installed\n");
        skip();
    }
}

/* Whatever loss a file states, LIBLINEAR's library predicts the classes of the model.  The files of losses for which it has
 * a type say so. */
static void test_losses(void **state)
{
    enum {
        D = 3,
        ROWS = 200
    };
    static const struct {
        wlab_loss loss;
        int outputs, solver;
        bool exact;
    } cases[] = {
        {WL_LOSS_HINGE, 1, L2R_L1LOSS_SVC_DUAL, true},
        {WL_LOSS_HINGE, 3, L2R_L1LOSS_SVC_DUAL, true},
        {WL_LOSS_SQUARED_HINGE, 1, L2R_L2LOSS_SVC, true},
        {WL_LOSS_SQUARED_HINGE, 3, L2R_L2LOSS_SVC, true},
        {WL_LOSS_LOGISTIC, 1, L2R_LR, true},
        {WL_LOSS_LOGISTIC_DOUBLE, 1, L2R_LR, false},
        {WL_LOSS_SOFTMAX, 1, L2R_LR, true},
        {WL_LOSS_SOFTMAX, 3, L2R_LR, false},
        {WL_LOSS_INSENSITIVE, 1, L2R_L1LOSS_SVC_DUAL, false},
        {WL_LOSS_DISTANCE, 1, L2R_L2LOSS_SVC, false},
        {WL_LOSS_DISTANCE, 3, L2R_L2LOSS_SVC, false},
    };
    static char *names[] = {"1", "2", "3"};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wlab_err err;
        wlab_rng rng;
        wlab_buf text = {0};
        double w[3 * D], b[3];
        char path[256];
        const int P = cases[c].outputs;
        const char *type;
        wlab_model m = {.kernel = {.kind = WL_K_LINEAR},
                        .cols = D,
                        .outputs = P,
                        .w = w,
                        .b = b,
                        .class_name = names,
                        .loss = cases[c].loss};
        wlab_rng_seed(&rng, 1 + c);
        for (int k = 0; k < P * D; k++)
            w[k] = wlab_rng_normal(&rng);
        for (int k = 0; k < P; k++)
            b[k] = wlab_rng_normal(&rng);
        assert_int_equal(!wlab_model_nearest(&m, &type), cases[c].exact);
        ASSERT_OK(wlab_model_write(&m, &text, &err), err);
        support_temp_file(path, ".model", (const char *)text.data, text.len);
        struct model *theirs = load_model(path);
        unlink(path);
        assert_non_null(theirs);
        assert_int_equal(theirs->param.solver_type, cases[c].solver);
        assert_false(check_regression_model(theirs));
        for (int i = 0; i < ROWS; i++) {
            double x[D], f[3];
            struct feature_node row[D + 2];
            for (int j = 0; j < D; j++) {
                x[j] = wlab_rng_normal(&rng);
                row[j] = (struct feature_node){.index = j + 1, .value = x[j]};
            }
            row[D] = (struct feature_node){.index = D + 1, .value = 1};
            row[D + 1].index = -1;
            for (int k = 0; k < P; k++) {
                f[k] = b[k];
                for (int j = 0; j < D; j++)
                    f[k] += w[k * D + j] * x[j];
            }
            assert_int_equal((int)predict(theirs, row), 1 + wlab_decide(f, P));
        }
        free_and_destroy_model(&theirs);
        wlab_buf_clear(&text);
    }
}

/* ---- class names ---- */

static void check_names(const char *csv, const char *task_options, const char *label_line)
{
    wlab_err err;
    wlab_dataset *data = load_text(".csv", csv, "");
    wlab_problem *p = pose(data, "supervised", task_options, NULL, 0);
    wlab_model *m;
    wlab_buf text = {0};
    const wlab_kernel kernel = {.kind = WL_K_LINEAR};
    double c[8] = {1, -1, 1, -1};
    ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernel, c, NULL, &err), err);
    ASSERT_OK(wlab_model_write(m, &text, &err), err);
    if (!strstr((char *)text.data, label_line))
        fail_msg("no \"%s\" in %s", label_line, (char *)text.data);
    wlab_buf_clear(&text);
    wlab_model_destroy(m);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
}

static void test_class_names(void **state)
{
    (void)state;
    check_names("x,class\n1,dog\n2,cat\n3,dog\n4,cat\n", "", "\nlabel 1 -1\n");
    check_names("x,class\n1,3\n2,7\n3,7\n4,3\n", "", "\nlabel 7 3\n");
    check_names("x,class\n1,3\n2,7\n3,7\n4,3\n", "positive=3", "\nlabel 3 7\n");
    check_names("x,class\n1,1.0\n2,2.0\n3,2.0\n4,1.0\n", "", "\nlabel 2 1\n");
    check_names("x,class\n1,1.5\n2,2\n3,2\n4,1.5\n", "", "\nlabel 1 -1\n");
    check_names("x,class\n1,-9223372036854775808\n2,2\n3,2\n4,2\n", "", "\nlabel 1 -1\n");
    check_names("x,class\n1,1\n2,2\n3,3\n4,1\n", "positive=2", "\nlabel 2 -1\n");
    check_names("x,class\n1,1\n2,2\n3,-1\n4,1\n", "positive=-1", "\nlabel -1 -2\n");
    check_names("x,class\n1,1\n2,2\n3,-1\n4,1\n", "positive=2", "\nlabel 2 -2\n");
}

/* A model of a problem whose labelled rows all have class -1: LIBLINEAR's program predicts -1 for these rows, and for
 * the others 1, the name that we give to the other class. */
static void test_one_negative_class(void **state)
{
    (void)state;
    wlab_err err;
    paths files;
    wlab_dataset *data = load_text(".libsvm", "-1 1:1\n0 1:-1\n-1 1:1.2\n0 1:-3\n", "");
    wlab_problem *p = pose(data, "ssl", "given=yes r=0.5", NULL, 0);
    wlab_model *m;
    const wlab_kernel kernel = {.kind = WL_K_LINEAR};
    const double c[] = {1, -1, 1, -1};
    ASSERT_OK(wlab_model_from_coefficients(&m, p, &kernel, c, NULL, &err), err);
    assert_string_equal(wlab_problem_class(p, 1), "-1");
    assert_string_equal(wlab_problem_class(p, -1), "1");
    assert_null(wlab_problem_class(p, 0));
    paths_make(&files);
    write_rows(files.rows, data, false);
    write_model(m, files.model);
    const char *const argv[] = {"liblinear-predict", files.rows, files.model, files.labels, NULL};
    const bool there = run(argv, files.said);
    if (there) {
        char text[64] = "";
        FILE *in = fopen(files.labels, "r");
        assert_non_null(in);
        text[fread(text, 1, sizeof text - 1, in)] = 0;
        fclose(in);
        assert_string_equal(text, "-1\n1\n-1\n1\n");
    }
    paths_unlink(&files);
    wlab_model_destroy(m);
    wlab_problem_unref(p);
    wlab_dataset_unref(data);
    if (!there) {
        print_message("skipped: liblinear-predict is not installed\n");
        skip();
    }
}

/* ---- malformed files ---- */

static void bad_bytes(const char *text, size_t len, long line, long column, const char *message)
{
    wlab_err err = {0};
    char path[256];
    wlab_model *m = NULL;
    support_temp_file(path, ".model", text, len);
    ASSERT_FAILS(wlab_model_read(&m, path, &err), WL_EINPUT, err, message);
    assert_null(m);
    assert_string_equal(err.file, path);
    if (err.line != line || err.column != column)
        fail_msg("\"%s\" at %ld:%ld instead of %ld:%ld", err.message, err.line, err.column, line, column);
    unlink(path);
}

static void assert_refused(const char *text, long line, long column, const char *message)
{
    bad_bytes(text, strlen(text), line, column, message);
}

/* Explicit zeros in a file are not stored, and do not make sparse vectors dense. */
static void test_zeros_written_out(void **state)
{
    wlab_model *m;
    wlab_err err;
    char path[256];
    const char *text = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\nlabel 1 -1\ntotal_sv 2\nSV\n"
                       "1 1:0 2:0.5 3:0 4:-0 5:0 6:0\n-1 3:0 9:2\n";

    (void)state;
    support_temp_file(path, ".model", text, strlen(text));
    ASSERT_OK(wlab_model_read(&m, path, &err), err);
    assert_true(m->sv->sparse);
    assert_int_equal(m->sv->nnz, 2);
    assert_int_equal(m->sv->len[0], 1);
    assert_int_equal(m->cols, 9);
    wlab_model_destroy(m);
    unlink(path);
}

#define LINEAR "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\n"
#define RBF    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\n"

static void test_malformed(void **state)
{
    (void)state;
    wlab_err err;
    wlab_model *m;
    assert_refused("", 0, 1, "no weights");
    assert_refused("\n", 1, 1, "neither a LIBLINEAR nor a LIBSVM model");
    assert_refused("1 1:2\n", 1, 1, "neither a LIBLINEAR nor a LIBSVM model");
    assert_refused(LINEAR, 3, 1, "no weights");
    assert_refused(LINEAR "nr_feature x\n", 4, 12, "number of features");
    assert_refused(LINEAR "nr_feature -3\n", 4, 12, "number of features");
    assert_refused(LINEAR "w\n1\n", 4, 1, "nr_feature before w");
    assert_refused(LINEAR "nr_feature 3000000000\nw\n1\n", 5, 1, "nr_feature before w");
    assert_refused(LINEAR "nr_feature 2000000000\nbias -1\nw\n1\n", 6, 1, "too short for nr_feature weights");
    assert_refused(LINEAR "nr_feature 2\nbias -1\nw\n1\n", 7, 1, "ends before its last weight");
    assert_refused(LINEAR "nr_feature 2\nbias -1\nw\n1\n2\n3\n", 9, 1, "should end before this line");
    assert_refused(LINEAR "nr_feature 2\nbias 1\nw\n1\n2\n", 8, 1, "ends before its last weight");
    assert_refused(LINEAR "nr_feature 2\nbias -1\nw\n1\nnan\n", 8, 1, "one weight");
    assert_refused(LINEAR "nr_feature 1\nbias b\nw\n1\n", 5, 6, "expected a number");
    assert_refused(LINEAR "label 1 -1\n", 4, 7, "two classes, once");
    assert_refused("nr_class 2\nlabel 1\n", 2, 7, "two classes");
    assert_refused("label 1 2 3\n", 1, 7, "two classes");
    assert_refused("solver_type X\nnr_class 65\n", 2, 10, "nr_class must be from 2 to 64");
    assert_refused("nr_class 2\nnr_feature 1\nw\n1\n", 4, 1, "no `label` line");
    assert_refused("svm_type epsilon_svr\n", 1, 10, "must be c_svc");
    assert_refused("kernel_type sigmoid\n", 1, 13, "must be rbf");
    assert_refused("kernel_type polynomial\ndegree 0\n", 2, 8, "degree from 1 to 20");
    assert_refused(RBF "rho x\n", 5, 5, "expected a number");
    assert_refused(RBF "label 1 -1\nSV\n1 1:1\n", 6, 1, "total_sv before SV");
    assert_refused(RBF "label 1 -1\ntotal_sv 2000000000\nSV\n1 1:1\n", 7, 1,
                   "too short for total_sv support vectors");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 2000000000:1e39\n", 8, 1, "mostly zeros");
    assert_refused(RBF "label 1 -1\ntotal_sv 2\nSV\n1 1:1\n", 8, 1, "ends before its last support vector");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 1:1\n2 1:1\n", 9, 1, "should end before this line");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\nx 1:1\n", 8, 1, "a coefficient");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 1:1 x\n", 8, 7, "index:value");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 2:1 2:1\n", 8, 7, "ascending");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 0:1\n", 8, 3, "ascending");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 1:1e999\n", 8, 3, "index:value");
    assert_refused(RBF "label 1 -1\ntotal_sv 1\nSV\n1 9999999999:1\n", 8, 3, "index:value");
    assert_refused(RBF "label 1 -1\nnr_feature 1\nw\n1\n", 7, 1, "kernel_type has SV");
    assert_refused(LINEAR "total_sv 1\nSV\n1 1:1\n", 5, 1, "kernel_type before SV");
    static const char zero[] = LINEAR "nr_feature 2\nbias -1\nw\n1\n2\0"
                                      "3\n";
    bad_bytes(zero, sizeof zero - 1, 8, 1, "one weight");
    assert_refused("kernel_type precomputed\nlabel 1 -1\ntotal_sv 1\nSV\n1\n", 5, 1, "0:ROW");
    assert_refused("kernel_type precomputed\nlabel 1 -1\ntotal_sv 1\nSV\n1 1:3\n", 5, 3, "0:ROW");
    assert_refused("kernel_type precomputed\nlabel 1 -1\ntotal_sv 1\nSV\n1 0:0\n", 5, 5, "row number from 1");
    assert_refused("kernel_type precomputed\nlabel 1 -1\ntotal_sv 1\nSV\n1 0:1e300\n", 5, 5,
                   "row number from 1");
    ASSERT_FAILS(wlab_model_read(&m, "/nowhere/at.model", &err), WL_EIO, err,
                 "cannot open '/nowhere/at.model'");
}

/* Files with a few changed bytes are either refused with a position in the file, or read as a model that predicts. */
static void test_damaged(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789 -.:\newSVrbf";
    static const char *const whole[] = {
        LINEAR "nr_feature 2\nbias 1\nw\n0.5 \n-1 \n0.25 \n",
        RBF "total_sv 3\nrho 0.5\nlabel 1 -1\nnr_sv 2 1\nSV\n1 1:1 3:0.1 \n0.5 2:1 \n-1 1:4 2:1 3:1 \n",
        "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nlabel 1 -1\nSV\n1 0:2 \n-1 0:1 \n",
    };
    wlab_err err;
    wlab_rng rng;
    wlab_rng_seed(&rng, 11);
    wlab_dataset *data = gram_data(3, 1);
    int read = 0, refused = 0;
    for (int round = 0; round < 1500; round++) {
        char text[512], path[256];
        double f[3];
        wlab_model *m = NULL;
        snprintf(text, sizeof text, "%s", whole[round % 3]);
        size_t len = strlen(text);
        for (uint64_t k = 0; k <= wlab_rng_below(&rng, 3); k++)
            text[wlab_rng_below(&rng, len)] = bytes[wlab_rng_below(&rng, sizeof bytes - 1)];
        support_temp_file(path, ".model", text, wlab_rng_below(&rng, 10) ? len : wlab_rng_below(&rng, len));
        wlab_code code = wlab_model_read(&m, path, &err);
        unlink(path);
        if (code) {
            assert_true(code == WL_EINPUT && err.line >= 0 && err.column >= 1 && !m);
            refused++;
        } else {
            assert_true(m->class_name[1] && m->class_name[0]);
            code = wlab_model_predict(m, data->X, f, NULL, &err);
            assert_true(code == WL_OK || code == WL_EARG || code == WL_ENUMERIC);
            wlab_model_destroy(m);
            read++;
        }
    }
    assert_true(read > 100 && refused > 100);
    wlab_dataset_unref(data);
}

/* Values beyond single precision and values that it would round are kept. */
static void test_values_kept(void **state)
{
    (void)state;
    wlab_err err;
    static const struct {
        const char *vectors;
        bool sparse;
    } files[] = {
        {"1 1:0.1 2:3 3:1e39\n-1 9:1\n", false},
        {"1 1:0.1 2:3\n-1 8:1\n", false},
        {"1 1:0.5 2:3\n-1 8:1\n", true},
    };
    for (size_t k = 0; k < 3; k++) {
        char path[256], text[512];
        wlab_model *m;
        snprintf(text, sizeof text, RBF "label 1 -1\ntotal_sv 2\nSV\n%s\n\n", files[k].vectors);
        support_temp_file(path, ".model", text, strlen(text));
        ASSERT_OK(wlab_model_read(&m, path, &err), err);
        assert_true(m->sv->sparse == files[k].sparse);
        assert_true(wlab_matrix_at(m->sv, 0, 0) == (k == 2 ? 0.5 : 0.1));
        assert_true(wlab_matrix_at(m->sv, 0, 1) == 3 && m->coef[1] == -1);
        if (k == 0)
            assert_true(wlab_matrix_at(m->sv, 0, 2) == 1e39 && wlab_matrix_at(m->sv, 1, 8) == 1);
        assert_int_equal(m->cols, k == 0 ? 9 : 8);
        unlink(path);
        wlab_model_destroy(m);
    }
}

static void test_memory(void **state)
{
    (void)state;
    wlab_err err;
    for (int how = 0; how < 3; how++) {
        wlab_dataset *data = how == 2 ? gram_data(12, 9) : random_data(12, 5, how ? 0.1 : 1, 9);
        wlab_dataset *wide = how == 2 ? wlab_dataset_ref(data) : random_data(12, 7, how ? 0.1 : 1, 9);
        wlab_problem *p = pose(data, "supervised", "", NULL, 0);
        double c[12], f[12];
        coefficients(c, 12, 1);
        for (int kind = how == 2 ? 3 : 0; kind < (how == 2 ? 4 : 3); kind++) {
            const wlab_kernel kernel = {.kind = (wlab_kernel_kind)kind, .gamma = 1, .degree = 2, .bias = 1};
            wlab_model *m, *back;
            wlab_buf text = {0};
            char path[256];
            ALLOC_SWEEP_OUT(wlab_model_from_coefficients(&m, p, &kernel, c, NULL, &err), m);
            ALLOC_SWEEP(wlab_model_predict(m, wide->X, f, NULL, &err));
            ALLOC_SWEEP_CHECK((wlab_buf_clear(&text), wlab_model_write(m, &text, &err)), (void)0);
            support_temp_file(path, ".model", text.data, text.len);
            ALLOC_SWEEP_OUT(wlab_model_read(&back, path, &err), back);
            unlink(path);
            wlab_buf_clear(&text);
            wlab_model_destroy(m);
            wlab_model_destroy(back);
        }
        wlab_problem_unref(p);
        wlab_dataset_unref(data);
        wlab_dataset_unref(wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct_sums),
        cmocka_unit_test(test_precomputed_sums),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_programs_on_real_rows),
        cmocka_unit_test(test_their_models),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_class_names),
        cmocka_unit_test(test_one_negative_class),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_zeros_written_out),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_values_kept),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
