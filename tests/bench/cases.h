/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For benchmarks of every algorithm: one generated problem for each task, of any size.
 */
#ifndef TESTS_BENCH_CASES_H
#define TESTS_BENCH_CASES_H

#include "made.h"
#include "weaklab/task.h"

#include <stdio.h>
#include <string.h>

/* Cases of a task: made by a generator with so many rows. */
static const struct {
    const char *task, *options, *data, *dims;
} tasks[] = {
    {"ssl", "labeled=10%", "g50c", ""},
    {"ssl", "labeled=10%", "topics", " d=5000"}, /* sparse */
    {"supervised", "", "g50c", ""},
    {"pu", "labeled=10%", "g50c", ""},
    {"mil", "", "roi-bags", " least=8 most=16"},
    {"llp", "bagsize=8", "g50c", ""},
    {"ambiguous", "classes=all", "blobs", " dims=20 classes=4 spread=4"},
    {"cluster", "", "g50c", " error=0.01"},
};
enum {
    TASKS = sizeof tasks / sizeof *tasks
};

static inline wlab_problem *posed(int t, int64_t n)
{
    wlab_err err;
    wlab_problem *p = NULL;
    char how[100];
    snprintf(how, sizeof how, strcmp(tasks[t].task, "mil") ? "n=%lld%s" : "bags=%lld%s",
             (long long)(strcmp(tasks[t].task, "mil") ? n : n / 12), tasks[t].dims);
    wlab_dataset *data = made_data(tasks[t].data, how, &err);
    const wlab_task *task = wlab_task_find(tasks[t].task);
    wlab_params *params = data ? made_params(task->params, tasks[t].options, &err) : NULL;
    if (!params || wlab_problem_create(&p, data, NULL, 0, NULL, 0, task, params, NULL, &err))
        fprintf(stderr, "%s: %s\n", tasks[t].task, err.message);
    wlab_params_destroy(params);
    wlab_dataset_unref(data);
    return p;
}

#endif
