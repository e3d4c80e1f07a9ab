/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An experiment: a supervised SVM and a transductive one over ten data sets, the parameters of each chosen by cross-validation on
 * what the learner may observe, both scored on the rows whose labels it did not observe, and a paired t-test of the difference.
 *   cc -o compare compare.c $(pkg-config --cflags --libs weaklab); ./compare
 */
#include <stdio.h>
#include <string.h>
#include <weaklab/run.h>
#include <weaklab/score.h>
#include <weaklab/statistics.h>
#include <weaklab/tune.h>

enum {
    METHODS = 2,
    REPETITIONS = 10
};
/* every combination of the values in braces is a candidate */
static const char *const method[METHODS] = {"svm C={0.1,1,10}", "tsvm lambda={0.001,0.01}"};

static wlab_code settings(wlab_params **p, const wlab_param_info *table, const char *const *pairs,
                          wlab_err *err)
{
    wlab_code code = wlab_params_create(p, table, err);
    for (; !code && *pairs; pairs += 2)
        code = wlab_params_set(*p, pairs[0], pairs[1], err);
    return code;
}

/* Accuracy of a run's own labels of the rows that the learner saw no label of. */
static double accuracy_unseen(const wlab_run *run)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int8_t *labels = wlab_run_labels(run);
    int64_t right = 0, unseen = 0;

    for (int64_t i = 0; i < p->n; i++)
        if (p->visible[i] == 0 && p->truth[i] != 0) {
            right += labels[i] == p->truth[i];
            unseen++;
        }
    return (double)right / (double)unseen;
}

/* Choose the parameters, train with them to the end, score. */
static wlab_code one(const char *candidates, wlab_problem *problem, double *accuracy, wlab_ctx *ctx,
                     wlab_err *err)
{
    static const char *const folds[] = {"folds", "3", NULL};
    wlab_candidate *list = NULL;
    wlab_params *how = NULL;
    wlab_tuned tuned;
    wlab_run *run = NULL;
    bool did = true;
    int n = 0;
    wlab_code code = wlab_candidates_add(&list, &n, candidates, err);

    memset(&tuned, 0, sizeof tuned);
    if (!code)
        code = settings(&how, wlab_tune_params, folds, err);
    if (!code)
        code = wlab_tune(&tuned, problem, list, n, how, NULL, ctx, err);
    if (!code)
        code = wlab_run_create(&run, "a", 1, problem, list[tuned.best].algo, list[tuned.best].params, 0, ctx,
                               err);
    while (!code && did)
        code = wlab_run_step(run, ctx, &did, err);
    if (!code) {
        *accuracy = accuracy_unseen(run);
        printf("  %-28s %.3f\n", list[tuned.best].text, *accuracy);
    }
    wlab_run_destroy(run);
    wlab_tuned_clear(&tuned);
    wlab_params_destroy(how);
    wlab_candidates_free(list, n);
    return code;
}

int main(void)
{
    static wlab_err err;
    static wlab_ctx ctx;
    const wlab_generator *topics = wlab_generator_find("topics");
    const wlab_task *ssl = wlab_task_find("ssl");
    double accuracy[METHODS][REPETITIONS];
    wlab_test test;
    wlab_code code = WL_OK;

    for (int r = 0; !code && r < REPETITIONS; r++) {
        char seed[16];
        const char *const made[] = {"n", "300", "seed", seed, NULL};
        const char *const draw[] = {"labeled", "30", "seed", seed, NULL};
        wlab_params *how = NULL, *shown = NULL;
        wlab_dataset *data = NULL;
        wlab_problem *problem = NULL;

        snprintf(seed, sizeof seed, "%d", r + 1);
        printf("repetition %s\n", seed);
        code = settings(&how, topics->params, made, &err);
        if (!code)
            code = wlab_dataset_generate(&data, topics, "topics", how, &ctx, &err);
        if (!code)
            code = settings(&shown, ssl->params, draw, &err);
        if (!code)
            code = wlab_problem_create(&problem, data, NULL, 0, NULL, 0, ssl, shown, NULL, &err);
        for (int m = 0; !code && m < METHODS; m++)
            code = one(method[m], problem, &accuracy[m][r], &ctx, &err);
        wlab_problem_unref(problem);
        wlab_dataset_unref(data);
        wlab_params_destroy(shown);
        wlab_params_destroy(how);
    }
    /* each repetition has data of its own, so the differences are independent; draws from one data set overlap, and
     * then ratio is rows scored / rows shown (Nadeau and Bengio) */
    if (!code)
        code = wlab_test_paired(accuracy[1], accuracy[0], REPETITIONS, 0, &test, &err);
    if (!code)
        printf("means %.3f and %.3f; paired t-test: t = %.2f, p = %.3g\n",
               wlab_mean(accuracy[0], REPETITIONS), wlab_mean(accuracy[1], REPETITIONS), test.statistic,
               test.p);
    else
        fprintf(stderr, "%s\n", err.message);
    return code != WL_OK;
}
