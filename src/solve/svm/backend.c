/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The distribution's LIBLINEAR and LIBSVM as back ends of the supervised SVM, and as references for comparison.
 */
#include "solve/svm/backend.h"

#include <libsvm/svm.h>
#include <linear.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* LIBSVM's limit is the larger of this and 100 n, which is larger only for n above 100000: the kernel matrix of so
     * many rows does not fit in memory */
    MOST_ITERATIONS = 10000000
};

/* the libraries' random numbers and print hooks belong to the process */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The solve in progress on this thread; a variable, because the libraries' print hooks have no argument for it. */
static _Thread_local struct {
    wlab_progress *progress;
    int64_t dot; /* iterations per printed dot */
    bool gave_up;
} solve;

static void read_printed(const char *text)
{
    static const char iterations[] = "#iter = ";
    const char *at = strstr(text, iterations);
    if (strcmp(text, ".") == 0)
        wlab_progress_add(solve.progress, solve.dot);
    /* LIBLINEAR prints that it reached its limit, and whether it switches to another method; LIBSVM prints only its
     * number of iterations */
    if (strstr(text, "reaching max number of iterations") && !strstr(text, "Switching"))
        solve.gave_up = true;
    if (at && strtoll(at + strlen(iterations), NULL, 10) >= MOST_ITERATIONS)
        solve.gave_up = true;
}

bool wlab_backend_gave_up(void)
{
    return solve.gave_up;
}

static void lock_solver(wlab_progress *progress, int64_t dot)
{
    pthread_mutex_lock(&lock);
    solve.progress = progress;
    solve.dot = dot;
    solve.gave_up = false;
}

static void unlock_solver(void)
{
    solve.progress = NULL;
    pthread_mutex_unlock(&lock);
}

/* LIBLINEAR's model of the rows pick[0..n-1] of X, whose labels are label[0..n-1]. */
static wlab_code train_linear(const wlab_matrix *X, const int32_t *pick, double *label, int64_t n,
                              const struct parameter *parameter, double bias, unsigned seed,
                              struct model **model, wlab_progress *progress, wlab_err *err)
{
    wlab_code code = WL_OK;
    int64_t nodes = 0, at = 0;
    int extra = bias > 0 ? 1 : 0;
    for (int64_t i = 0; i < n; i++)
        nodes += X->len[pick[i]] + 1 + extra;
    struct feature_node *node = wlab_alloc((size_t)nodes, sizeof *node),
                        **row = wlab_alloc((size_t)n, sizeof *row);
    *model = NULL;
    if (!node || !row) {
        code = wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = pick[i], first = X->start[r];
        row[i] = node + at;
        for (int32_t k = 0; k < X->len[r]; k++) {
            double v = X->sparse ? (double)X->val[first + k] : X->dense[first + k];
            if (v != 0)
                node[at++] = (struct feature_node){(X->sparse ? X->col[first + k] : k) + 1, v};
        }
        if (extra)
            node[at++] = (struct feature_node){X->cols + 1, bias};
        node[at++] = (struct feature_node){-1, 0};
    }
    struct problem problem = {
        .l = (int)n, .n = X->cols + extra, .y = label, .x = row, .bias = bias > 0 ? bias : -1};
    const char *wrong = check_parameter(&problem, parameter);
    if (wrong) {
        code = wlab_fail(err, WL_EARG, "LIBLINEAR: %s", wrong);
        goto out;
    }
    lock_solver(progress, 10);
    set_print_string_function(read_printed);
    srand(seed);
    *model = train(&problem, parameter);
    unlock_solver();
out:
    wlab_free(node);
    wlab_free(row);
    return code;
}

wlab_code wlab_liblinear_solve(const wlab_matrix *X, const int32_t *pick, const int8_t *y, int64_t n,
                               bool squared, double Cpos, double Cneg, double bias, double eps, unsigned seed,
                               double *w, double *b, wlab_progress *progress, wlab_err *err)
{
    double *label = wlab_alloc((size_t)n, sizeof *label);
    struct model *model = NULL;
    int classes[] = {1, -1};
    double costs[] = {Cpos, Cneg};
    const struct parameter parameter = {.solver_type = squared ? L2R_L2LOSS_SVC_DUAL : L2R_L1LOSS_SVC_DUAL,
                                        .eps = eps,
                                        .C = 1,
                                        .nr_weight = 2,
                                        .weight_label = classes,
                                        .weight = costs};
    if (!label)
        return wlab_nomem(err);
    for (int64_t i = 0; i < n; i++)
        label[i] = y[i];
    wlab_code code = train_linear(X, pick, label, n, &parameter, bias, seed, &model, progress, err);
    if (!code) { /* LIBLINEAR's first class is the label of the first row */
        const double sign = model->nr_class > 0 && model->label[0] < 0 ? -1 : 1;
        for (int32_t j = 0; j < X->cols; j++)
            w[j] = sign * model->w[j];
        *b = bias > 0 ? sign * model->w[X->cols] * bias : 0;
        free_and_destroy_model(&model);
    }
    wlab_free(label);
    return code;
}

/* K as rows in LIBSVM's precomputed format, which has a serial number in column 0. */
static wlab_code make_precomputed_rows(const double *K, int64_t n, struct svm_node **nodes,
                                       struct svm_node ***rows, wlab_err *err)
{
    struct svm_node *node = wlab_alloc((size_t)(n * (n + 2)), sizeof *node);
    struct svm_node **row = wlab_alloc((size_t)n, sizeof *row);
    if (!node || !row) {
        wlab_free(node);
        wlab_free(row);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < n; i++) {
        row[i] = node + i * (n + 2);
        row[i][0] = (struct svm_node){0, (double)(i + 1)};
        for (int64_t j = 0; j < n; j++)
            row[i][j + 1] = (struct svm_node){(int)j + 1, K[i * n + j]};
        row[i][n + 1] = (struct svm_node){-1, 0};
    }
    *nodes = node;
    *rows = row;
    return WL_OK;
}

wlab_code wlab_libsvm_solve(const double *K, const int8_t *y, int64_t n, double C, double eps, double *c,
                            double *b, wlab_progress *progress, wlab_err *err)
{
    const struct svm_parameter parameter = {
        .svm_type = C_SVC, .kernel_type = PRECOMPUTED, .cache_size = 200, .shrinking = 1, .C = C, .eps = eps};
    struct svm_node *nodes = NULL, **rows = NULL;
    struct svm_model *model = NULL;
    wlab_code code = make_precomputed_rows(K, n, &nodes, &rows, err);
    double *label = wlab_alloc((size_t)n, sizeof *label);
    if (code || !label) {
        code = code ? code : wlab_nomem(err);
        goto out;
    }
    for (int64_t i = 0; i < n; i++)
        label[i] = y[i];
    struct svm_problem problem = {.l = (int)n, .y = label, .x = rows};
    const char *wrong = svm_check_parameter(&problem, &parameter);
    if (wrong) {
        code = wlab_fail(err, WL_EARG, "LIBSVM: %s", wrong);
        goto out;
    }
    lock_solver(progress, n < 1000 ? n : 1000);
    svm_set_print_string_function(read_printed);
    srand(1);
    model = svm_train(&problem, &parameter);
    unlock_solver();
    memset(c, 0, (size_t)n * sizeof *c);
    const double sign = model->label && model->label[0] < 0 ? -1 : 1;
    for (int k = 0; k < model->l; k++)
        c[model->sv_indices[k] - 1] = sign * model->sv_coef[0][k];
    *b = -sign * model->rho[0];
    svm_free_and_destroy_model(&model);
out:
    wlab_free(nodes);
    wlab_free(rows);
    wlab_free(label);
    return code;
}
