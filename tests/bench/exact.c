/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * search=exact over whole runs of WellSVM: processor seconds of the searches for a violated labeling, on generated data
 * and, if ../shared has them, on random rows of UCI data sets.  BENCH_FREE=60: number of free labels (default 40).
 * BENCH_TASK=mil: only this task; BENCH_ROWS=16: only bags of so many rows.
 */
#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"
#include "seconds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const wlab_err *err)
{
    fprintf(stderr, "exact: %s\n", err->message);
    exit(1);
}

static wlab_params *settings(const wlab_param_info *info, const char *text)
{
    wlab_params *p = NULL;
    wlab_err err;
    char copy[256], *save = NULL;
    if (wlab_params_create(&p, info, &err))
        fail(&err);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (wlab_params_set(p, word, value, &err))
            fail(&err);
    }
    return p;
}

typedef struct tally {
    double seconds[4096];
    int searches, runs, open; /* open: searches whose tree was cut short */
} tally;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A run to its end, at most 40 steps; after each step the search is repeated and timed. */
static void run(const wlab_dataset *data, const int32_t *rows, int64_t n, const char *task, const char *how,
                const char *params, tally *t)
{
    wlab_err err;
    wlab_problem *p = NULL;
    void *state = NULL;
    const wlab_task *kind = wlab_task_find(task);
    wlab_params *of_task = settings(kind->params, how), *of_algo = settings(wlab_algo_wellsvm.params, params);
    if (wlab_problem_create(&p, (wlab_dataset *)(uintptr_t)data, rows, n, NULL, 0, kind, of_task, NULL,
                            &err) ||
        wlab_algo_wellsvm.create(&state, p, of_algo, NULL, &err))
        fail(&err);
    wellsvm *s = state;
    int8_t *y = malloc((size_t)p->n);
    wlab_step now = {0};
    for (int step = 0; step < 40 && now.verdict == WL_MORE && t->searches < 4096; step++) {
        now.complete = false;
        while (!now.complete)
            if (wlab_algo_wellsvm.advance(state, NULL, &now, &err))
                fail(&err);
        well_found found = {.y = y};
        wlab_rng rng = s->rng;
        double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
        if (well_search_run(s, &found, NULL, &err))
            fail(&err);
        s->rng = rng;
        t->seconds[t->searches++] = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        t->open += found.M > found.q + 2 * well_tolerance(s, s->eps);
    }
    t->runs++;
    free(y);
    wlab_algo_wellsvm.destroy(state);
    wlab_params_destroy(of_task);
    wlab_params_destroy(of_algo);
    wlab_problem_unref(p);
}

static void print_tally(const char *what, tally *t)
{
    if (t->searches == 0)
        return;
    qsort(t->seconds, (size_t)t->searches, sizeof *t->seconds, by_value);
    int half = t->searches / 2, nine = t->searches * 9 / 10, last = t->searches - 1;
    printf("%s: median search\t%.4g\t-\ts\n%s: slowest of ten\t%.4g\t-\ts\n", what, t->seconds[half], what,
           t->seconds[nine]);
    printf("%s: slowest of %d in %d runs\t%.4g\t-\ts\n", what, t->searches, t->runs, t->seconds[last]);
    printf("%s: left open\t%d\t-\tsearches\n", what, t->open);
    fflush(stdout);
}

static const char *const kernels[] = {"kernel=rbf sigma=1x search=exact nodes=1000000",
                                      "kernel=rbf sigma=0.5x loss=hinge C2=1 search=exact nodes=1000000",
                                      "kernel=linear search=exact nodes=1000000",
                                      "kernel=linear loss=squared-hinge search=exact nodes=1000000"};
static const char *const generated[] = {"two-moons", "g50c", "blobs"};
static const char *const uci[] = {"heart-statlog", "ionosphere", "australian",
                                  "house-votes",   "diabetes",   "clean1"};

static wlab_dataset *uci_set(const char *name)
{
    wlab_dataset *data = NULL;
    wlab_err err;
    char path[256];
    wlab_params *load = settings(wlab_load_params, "");
    snprintf(path, sizeof path, "../shared/datasets/uci/wellsvm16/%s.libsvm", name);
    if (access(path, R_OK) == 0 && wlab_dataset_load(&data, path, NULL, load, NULL, &err))
        fail(&err);
    wlab_params_destroy(load);
    return data;
}

/* Bags of `size` rows; every sixth bag is negative, the others have rows of both classes. */
static void put_in_bags(wlab_dataset *data, int size)
{
    int64_t n = data->X->rows;
    data->bag = wlab_alloc((size_t)n, sizeof *data->bag);
    data->bags = (n + size - 1) / size;
    for (int64_t i = 0; i < n && data->bag; i++) {
        data->bag[i] = (int32_t)(i / size);
        data->label[i] = i / size % 6 == 5 ? 0 : i % size == 0 ? 1 : data->label[i];
    }
}

static wlab_dataset *make(const char *name, const char *how)
{
    wlab_dataset *data = NULL;
    wlab_err err;
    const wlab_generator *g = wlab_generator_find(name);
    wlab_params *p = settings(g->params, how);
    if (wlab_dataset_generate(&data, g, NULL, p, NULL, &err))
        fail(&err);
    wlab_params_destroy(p);
    return data;
}

/* All runs of a task with `n` rows: on each set four settings, each a kernel with a loss. */
static void measure(const char *task, const char *how, int n, bool real)
{
    static tally t;
    char what[64];
    memset(&t, 0, sizeof t);
    if (getenv("BENCH_TASK") && strcmp(getenv("BENCH_TASK"), task) != 0)
        return;
    for (int set = 0; set < (real ? (int)(sizeof uci / sizeof *uci) : 3); set++) {
        wlab_dataset *data = NULL;
        int32_t *rows = NULL;
        if (real && !(data = uci_set(uci[set])))
            continue;
        if (real) {
            wlab_rng rng;
            wlab_rng_seed(&rng, 7);
            rows = malloc((size_t)data->X->rows * sizeof *rows);
            for (int32_t i = 0; i < (int32_t)data->X->rows; i++)
                rows[i] = i;
            wlab_rng_shuffle(&rng, rows, (size_t)data->X->rows);
        } else {
            char made[64];
            snprintf(made, sizeof made, "n=%d seed=1", n);
            data = make(generated[set], made);
        }
        for (int k = 0; k < 4; k++)
            run(data, rows, n, task, how, kernels[k], &t);
        free(rows);
        wlab_dataset_unref(data);
    }
    snprintf(what, sizeof what, "%s %s, %s", task, how, real ? "UCI rows" : "generated");
    print_tally(what, &t);
}

/* Rows of the generated sets in bags, and generate roi-bags; some 2^`free` labelings of bags of `size` rows. */
static void measure_bags(int free_labels, int size)
{
    static tally t;
    char what[64], made[96];
    const char *only = getenv("BENCH_ROWS");
    memset(&t, 0, sizeof t);
    if ((getenv("BENCH_TASK") && strcmp(getenv("BENCH_TASK"), "mil") != 0) || (only && atoi(only) != size))
        return;
    int positive = (int)(free_labels / log2(size)), bags = positive + (positive + 4) / 5;
    for (int set = 0; set < 4; set++) {
        wlab_dataset *data = NULL;
        if (set < 3) {
            snprintf(made, sizeof made, "n=%d seed=1", bags * size);
            data = make(generated[set], made);
            put_in_bags(data, size);
        } else {
            snprintf(made, sizeof made, "bags=%d positive=0.5 least=%d most=%d seed=1", 2 * positive, size,
                     size);
            data = make("roi-bags", made);
        }
        for (int k = 0; k < 4; k++)
            run(data, NULL, data->X->rows, "mil", "", kernels[k], &t);
        wlab_dataset_unref(data);
    }
    snprintf(what, sizeof what, "mil, bags of %d", size);
    print_tally(what, &t);
}

int main(void)
{
    const char *given = getenv("BENCH_FREE");
    int n = given ? atoi(given) : 40;
    for (int real = 0; real < 2; real++) {
        measure("ssl", "labeled=6 seed=1", n + 6, real);
        measure("cluster", "balance=0.1", n, real);
        measure("cluster", "balance=0.3", n, real);
        measure("ambiguous", "ambiguous=1", n, real);
        measure("llp", "bagsize=4", 3 * n / 2, real); /* the label set has about 2^38 elements for n = 40 */
        measure("llp", "bagsize=5 eps=0.2", n, real);
    }
    for (int size = 4; size <= 32; size *= 2)
        measure_bags(n, size); /* at most 2^40 for n = 40 */
    return 0;
}
