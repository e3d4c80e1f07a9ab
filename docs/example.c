/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The algorithms inside a C or C++ program: WellSVM on two moons, a step at a time.
 *   cc -o example example.c $(pkg-config --cflags --libs weaklab)
 */
#include <stdio.h>
#include <weaklab/run.h>

int main(void)
{
    static wlab_err err;
    static wlab_ctx ctx; /* one thread, nobody listens */
    wlab_params *p = NULL;
    wlab_dataset *data = NULL;
    wlab_problem *problem = NULL;
    wlab_run *run = NULL;
    const wlab_generator *moons = wlab_generator_find("two-moons");
    const wlab_task *ssl = wlab_task_find("ssl");
    const wlab_algo *wellsvm = wlab_algo_find("wellsvm");
    const wlab_trace_row *row;
    bool did = true;
    int status = 1;

    if (wlab_params_create(&p, moons->params, &err) || wlab_params_set(p, "n", "200", &err) ||
        wlab_dataset_generate(&data, moons, "moons", p, &ctx, &err))
        goto out;
    wlab_params_destroy(p);
    p = NULL;
    if (wlab_params_create(&p, ssl->params, &err) || wlab_params_set(p, "labeled", "4", &err) ||
        wlab_problem_create(&problem, data, NULL, 0, NULL, 0, ssl, p, &err))
        goto out;
    wlab_params_destroy(p);
    p = NULL;
    if (wlab_params_create(&p, wellsvm->params, &err) || wlab_params_set(p, "kernel", "rbf", &err) ||
        wlab_params_set(p, "sigma", "0.5x", &err) ||
        wlab_run_create(&run, "a", 1, problem, wellsvm, p, 0, &ctx, &err))
        goto out;
    while (did && wlab_run_iter(run) < 10)
        if (wlab_run_step(run, &ctx, &did, &err))
            goto out;
    for (int64_t i = 0, n = wlab_run_trace(run, &row); i < n; i++)
        printf("%lld %.17g\n", (long long)row[i].iter,
               row[i].metric[wlab_metric_index(wellsvm, "objective")]);
    status = 0;
out:
    if (status)
        fprintf(stderr, "%s\n", err.message);
    wlab_run_destroy(run);
    wlab_problem_unref(problem);
    wlab_dataset_unref(data);
    wlab_params_destroy(p);
    return status;
}
