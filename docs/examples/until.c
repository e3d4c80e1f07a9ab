/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions: alternating pSVM learns from label proportions until an expression over its metrics holds.
 *   cc -o until until.c $(pkg-config --cflags --libs weaklab); ./until ['CONDITION']
 */
#include <stdio.h>
#include <weaklab/run.h>

static wlab_code settings(wlab_params **p, const wlab_param_info *table, const char *const *pairs,
                          wlab_err *err)
{
    wlab_code code = wlab_params_create(p, table, err);
    for (; !code && *pairs; pairs += 2)
        code = wlab_params_set(*p, pairs[0], pairs[1], err);
    return code;
}

int main(int argc, char **argv)
{
    static const char *const made[] = {"n", "200", NULL}, *const bags[] = {"bagsize", "10", NULL},
                             *const linear[] = {"kernel", "linear", NULL};
    const char *const condition = argc > 1 ? argv[1] : "flips == 0 or iter >= 30";
    static wlab_err err;
    static wlab_ctx ctx;
    wlab_params *how = NULL, *shown = NULL, *choice = NULL;
    wlab_dataset *data = NULL;
    wlab_problem *problem = NULL;
    wlab_run *run = NULL;
    wlab_expr *until = NULL;
    const wlab_generator *blobs = wlab_generator_find("blobs");
    const wlab_task *llp = wlab_task_find("llp");
    const wlab_algo *alter = wlab_algo_find("alter-psvm");
    const char *const *name;
    bool did = true, holds = false;
    int missing = -1, names, status = 1;

    if (settings(&how, blobs->params, made, &err) ||
        wlab_dataset_generate(&data, blobs, "blobs", how, &ctx, &err) ||
        settings(&shown, llp->params, bags, &err) ||
        wlab_problem_create(&problem, data, NULL, 0, NULL, 0, llp, shown, NULL, &err) ||
        settings(&choice, alter->params, linear, &err) ||
        wlab_run_create(&run, "a", 1, problem, alter, choice, 0, &ctx, &err))
        goto out;
    /* a condition is compiled once, over the names that the run knows: iter, inner, and the algorithm's metrics */
    names = wlab_run_names(run, &name);
    if (wlab_expr_create(&until, condition, name, names, &err))
        goto out;
    while (did && !holds) {
        if (wlab_run_step(run, &ctx, &did, &err))
            goto out;
        holds = did && wlab_run_holds(run, until, &missing);
        if (missing >= 0) { /* a metric that has no value makes its comparison false; it may have one later */
            printf("step %lld: %s has no value\n", (long long)wlab_run_iter(run), name[missing]);
            missing = -1;
        }
    }
    printf("%s after %lld steps: %s\n", condition, (long long)wlab_run_iter(run),
           holds ? "holds" : wlab_verdict_names[wlab_run_verdict(run)]);
    status = 0;
out:
    if (status) /* of a condition that is none, err.column says where */
        fprintf(stderr, "%s\n", err.message);
    wlab_expr_destroy(until);
    wlab_run_destroy(run);
    wlab_problem_unref(problem);
    wlab_dataset_unref(data);
    wlab_params_destroy(choice);
    wlab_params_destroy(shown);
    wlab_params_destroy(how);
    return status;
}
