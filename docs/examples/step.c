/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Load and step: a file, a task on it, WellSVM a step at a time, and back to an earlier step, bit for bit.
 *   cc -o step step.c $(pkg-config --cflags --libs weaklab); ./step FILE
 */
#include <stdio.h>
#include <weaklab/run.h>

/* The settings of a table, those in pairs[] (name, value, ..., NULL) set, the others at their defaults. */
static wlab_code settings(wlab_params **p, const wlab_param_info *table, const char *const *pairs,
                          wlab_err *err)
{
    wlab_code code = wlab_params_create(p, table, err);
    for (; !code && *pairs; pairs += 2)
        code = wlab_params_set(*p, pairs[0], pairs[1], err);
    return code;
}

/* Whoever wants to hear what goes on: notes, warnings, progress, each step. */
static void heard(void *sink, const wlab_event *event)
{
    (void)sink;
    if (event->kind == WL_EV_WARNING)
        fprintf(stderr, "%s\n", event->text);
}

int main(int argc, char **argv)
{
    static const char *const labeled[] = {"labeled", "4", NULL}, *const rbf[] = {"kernel", "rbf", NULL},
                             *const none[] = {NULL};
    static wlab_err err;
    static wlab_ctx ctx; /* one thread, no interrupt */
    wlab_params *load = NULL, *shown = NULL, *choice = NULL;
    wlab_dataset *data = NULL;
    wlab_problem *problem = NULL;
    wlab_run *run = NULL;
    const wlab_task *ssl = wlab_task_find("ssl");
    const wlab_algo *wellsvm = wlab_algo_find("wellsvm");
    const int objective = wlab_metric_index(wellsvm, "objective");
    const wlab_trace_row *row;
    bool did = true;
    int64_t rows;
    int status = 1;

    ctx.emit = heard;
    if (argc != 2) {
        fprintf(stderr, "usage: step FILE\n");
        return 2;
    }
    /* a task says what the learner observes; a problem is a task on rows of a data set */
    if (settings(&load, wlab_load_params, none, &err) ||
        wlab_dataset_load(&data, argv[1], NULL, load, &ctx, &err) ||
        settings(&shown, ssl->params, labeled, &err) ||
        wlab_problem_create(&problem, data, NULL, 0, NULL, 0, ssl, shown, NULL, &err))
        goto out;
    printf("%s: %lld rows, %lld labels shown\n", data->name, (long long)problem->n,
           (long long)problem->labelled);
    if (settings(&choice, wellsvm->params, rbf, &err) ||
        wlab_run_create(&run, "a", 1, problem, wellsvm, choice, 0, &ctx, &err))
        goto out;
    while (did && wlab_run_iter(run) < 10) /* did: false where the run has ended */
        if (wlab_run_step(run, &ctx, &did, &err))
            goto out;
    rows = wlab_run_trace(run, &row);
    for (int64_t i = 0; i < rows; i++)
        printf("step %lld: objective %.17g, %lld labels flipped\n", (long long)row[i].iter,
               row[i].metric[objective], (long long)row[i].nflips);
    printf("%s\n", wlab_verdict_names[wlab_run_verdict(run)]);
    /* time travel: the state after step 1 again, and the same step from there */
    if (rows > 2) {
        const double second = row[2].metric[objective];
        if (wlab_run_goto(run, 1, &ctx, &err) || wlab_run_step(run, &ctx, &did, &err))
            goto out;
        rows = wlab_run_trace(run, &row);
        printf("step 2 again: %s\n",
               row[rows - 1].metric[objective] == second ? "the same bits" : "something else");
    }
    status = 0;
out:
    if (status)
        fprintf(stderr, "%s\n", err.message);
    wlab_run_destroy(run); /* all of these take NULL */
    wlab_problem_unref(problem);
    wlab_dataset_unref(data);
    wlab_params_destroy(choice);
    wlab_params_destroy(shown);
    wlab_params_destroy(load);
    return status;
}
