/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prediction: rows are held out, a run makes a model of the others, the model predicts those held out, and goes into a file
 * that LIBSVM's programs read and this one reads back.
 *   cc -o predict predict.c $(pkg-config --cflags --libs weaklab); ./predict MODEL-FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weaklab/run.h>
#include <weaklab/score.h>

static wlab_code settings(wlab_params **p, const wlab_param_info *table, const char *const *pairs,
                          wlab_err *err)
{
    wlab_code code = wlab_params_create(p, table, err);
    for (; !code && *pairs; pairs += 2)
        code = wlab_params_set(*p, pairs[0], pairs[1], err);
    return code;
}

static wlab_code write_model(const wlab_model *model, const char *path, wlab_err *err)
{
    wlab_buf text;
    memset(&text, 0, sizeof text);
    wlab_code code = wlab_model_write(model, &text, err);
    FILE *out = code ? NULL : fopen(path, "w");

    if (!code && (!out || fwrite(text.data, 1, text.len, out) != text.len))
        code = wlab_fail_errno(err, "cannot write '%s'", path);
    if (out && fclose(out) != 0 && !code)
        code = wlab_fail_errno(err, "cannot write '%s'", path);
    wlab_buf_clear(&text);
    return code;
}

int main(int argc, char **argv)
{
    static const char *const made[] = {"n", "300", NULL}, *const third[] = {"test", "100", NULL},
                             *const labeled[] = {"labeled", "10", NULL},
                             *const rbf[] = {"kernel", "rbf", NULL};
    static wlab_err err;
    static wlab_ctx ctx;
    wlab_params *how = NULL, *cut = NULL, *shown = NULL, *choice = NULL;
    wlab_dataset *data = NULL;
    wlab_problem *problem = NULL;
    wlab_run *run = NULL;
    wlab_model *model = NULL, *again = NULL;
    wlab_matrix *X = NULL;
    const wlab_generator *moons = wlab_generator_find("two-moons");
    const wlab_task *ssl = wlab_task_find("ssl");
    const wlab_algo *wellsvm = wlab_algo_find("wellsvm");
    int32_t *train = NULL, *test = NULL;
    int64_t n_train = 0, n_test = 0, other = 0;
    double *f = NULL, *g = NULL;
    int8_t *truth = NULL;
    wlab_scores scores;
    bool did = true;
    int status = 1;

    if (argc != 2) {
        fprintf(stderr, "usage: predict MODEL-FILE (which is written)\n");
        return 2;
    }
    if (settings(&how, moons->params, made, &err) ||
        wlab_dataset_generate(&data, moons, "moons", how, &ctx, &err) ||
        settings(&cut, wlab_split_params, third, &err) ||
        wlab_dataset_split(data, cut, &train, &n_train, &test, &n_test, &err) ||
        settings(&shown, ssl->params, labeled, &err) ||
        wlab_problem_create(&problem, data, train, n_train, test, n_test, ssl, shown, NULL, &err) ||
        settings(&choice, wellsvm->params, rbf, &err) ||
        wlab_run_create(&run, "a", 1, problem, wellsvm, choice, 0, &ctx, &err))
        goto out;
    while (did)
        if (wlab_run_step(run, &ctx, &did, &err))
            goto out;
    /* the decision function after the last step; of two classes it has one output a row, whose sign says which */
    if (wellsvm->model(wlab_run_state(run), &model, &ctx, &err))
        goto out;
    f = (double *)malloc((size_t)n_test * sizeof *f);
    g = (double *)malloc((size_t)n_test * sizeof *g);
    truth = (int8_t *)malloc((size_t)n_test);
    if (!f || !g || !truth || wlab_matrix_rows(&X, data->X, test, n_test, &err) ||
        wlab_model_predict(model, X, f, NULL, &err))
        goto out;
    for (int64_t i = 0; i < n_test; i++)
        truth[i] = (int8_t)wlab_problem_truth(problem, data, test[i]);
    wlab_score(f, truth, n_test, &scores);
    printf("%lld rows held out: accuracy %.3f, area under the curve %.3f\n", (long long)scores.n,
           scores.accuracy, scores.auc);
    /* another program, another day */
    if (write_model(model, argv[1], &err) || wlab_model_read(&again, argv[1], &err) ||
        wlab_model_predict(again, X, g, NULL, &err))
        goto out;
    for (int64_t i = 0; i < n_test; i++)
        other += wlab_model_decide(model, f + i) != wlab_model_decide(again, g + i);
    printf("the model from the file predicts %lld rows otherwise\n", (long long)other);
    status = 0;
out:
    if (status)
        fprintf(stderr, "%s\n", err.message[0] ? err.message : "out of memory");
    free(truth);
    free(g);
    free(f);
    wlab_matrix_destroy(X);
    wlab_model_destroy(again);
    wlab_model_destroy(model);
    wlab_run_destroy(run);
    wlab_problem_unref(problem);
    wlab_free(train); /* what the library gives away is freed by it */
    wlab_free(test);
    wlab_dataset_unref(data);
    wlab_params_destroy(choice);
    wlab_params_destroy(shown);
    wlab_params_destroy(cut);
    wlab_params_destroy(how);
    return status;
}
