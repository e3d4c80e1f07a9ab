/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long a computation goes on before it looks whether Ctrl-C was pressed, and how long it says nothing (`make
 * bench-interrupts`): every algorithm on a task of its own, by the linear kernel and by rbf, on so many rows that a step
 * takes some seconds by wlab_algo_cost; and the commands that compute.  Each case runs in a child process, one thread.
 * Prints a table in Markdown: processor seconds of the whole, the longest time between two calls of wlab_interrupted, and
 * between two reports of progress.  The time is that of the processor, so other programs do not matter.
 *
 *   interrupts [NAME...]    an algorithm's or a command's name; PLACES=1 also prints the two calls (for a build with -g)
 */
#include "algo/algos.h"
#include "bench/cases.h"
#include "bench/training.h"
#include "plot/plot.h"
#include "session/session.h"
#include "study/commands/commands.h"

static const double ENOUGH = 5, LEAST = 1.5; /* seconds: of a case, and of a step by its estimate */
enum {
    MOST_SECONDS = 60,
    MOST_ROWS = 200000
};

typedef struct interval {
    double last, longest;
    uintptr_t at, from, to; /* who called at `last`, and at both ends of the longest */
} interval;

typedef struct seen {
    double seconds;
    interval deaf, silent;
    char error[1100];
} seen;

static seen now_seen;

static void mark(interval *of, void *place)
{
    const double at = processor();
    if (at - of->last > of->longest) {
        of->longest = at - of->last;
        of->from = of->at;
        of->to = (uintptr_t)place;
    }
    of->last = at;
    of->at = (uintptr_t)place;
}

bool __real_wlab_interrupted(const wlab_ctx *);
bool __wrap_wlab_interrupted(const wlab_ctx *);
bool __wrap_wlab_interrupted(const wlab_ctx *ctx)
{
    if (ctx && ctx->interrupt) /* else nobody could interrupt here */
        mark(&now_seen.deaf, __builtin_return_address(0));
    return __real_wlab_interrupted(ctx);
}

static void hear(void *sink, const wlab_event *event)
{
    (void)sink;
    if (event->kind == WL_EV_PROGRESS || event->kind == WL_EV_INNER || event->kind == WL_EV_STEP)
        mark(&now_seen.silent, __builtin_return_address(0));
}

static void begin(void)
{
    now_seen = (seen){.seconds = processor()};
    now_seen.deaf.last = now_seen.silent.last = now_seen.seconds;
}

static void end(const wlab_err *err)
{
    mark(&now_seen.deaf, __builtin_return_address(0));
    mark(&now_seen.silent, __builtin_return_address(0));
    now_seen.seconds = processor() - now_seen.seconds;
    if (err)
        snprintf(now_seen.error, sizeof now_seen.error, "%s", err->message);
}

/* ---- an algorithm ---- */

typedef struct trial {
    const wlab_algo *algo;
    wlab_problem *problem;
    wlab_params *params;
    const char *setup, *command;
} trial;

static void run_algorithm(const trial *t)
{
    void *state = NULL;
    const wlab_algo *algo = t->algo;
    wlab_err err;
    wlab_step step = {0};
    atomic_int never = 0;
    wlab_ctx ctx = {.interrupt = &never, .emit = hear};

    begin();
    wlab_code code = wlab_algo_for(&algo, algo, t->problem, t->params, &err);
    code = code ? code : algo->create(&state, t->problem, t->params, &ctx, &err);
    mark(&now_seen.deaf, (void *)(uintptr_t)algo->create); /* the run looks before each part */
    while (!code && step.verdict == WL_MORE && processor() - now_seen.seconds < ENOUGH) {
        step = (wlab_step){0};
        code = algo->advance(state, &ctx, &step, &err);
        mark(&now_seen.deaf, (void *)(uintptr_t)algo->advance); /* and reports after it */
        mark(&now_seen.silent, (void *)(uintptr_t)algo->advance);
    }
    end(code ? &err : NULL);
}

/* ---- commands ---- */

static void ignore(void *self, const char *text)
{
    (void)self;
    (void)text;
}

static void run_commands(const trial *t)
{
    static const char *const none[] = {NULL};
    static const wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    const wlab_sink sink = {.text = ignore, .message = ignore, .event = hear};
    wlab_session *s = NULL;
    wlab_err err;

    wlab_code code = wlab_session_create(&s, &sink, &places, 1, 1, &err);
    code = code ? code : wlab_experiment_register(s, &err);
    code = code ? code : wlab_plot_register(s, &err);
    code = code ? code : wlab_session_line(s, t->setup, WL_FROM_PERSON, NULL, 0, &err);
    begin();
    code = code ? code : wlab_session_line(s, t->command, WL_FROM_PERSON, NULL, 0, &err);
    end(code ? &err : NULL);
}

/* ---- the table ---- */

static void run(void *data)
{
    const trial *t = data;
    if (t->algo)
        run_algorithm(t);
    else
        run_commands(t);
}

extern char __executable_start;

static void print_places(const char *what, const interval *of)
{
    char line[300];
    const uintptr_t base = (uintptr_t)&__executable_start;
    printf("    %s: ", what);
    fflush(stdout);
    snprintf(line, sizeof line, "addr2line -s -f -p -e /proc/%d/exe %#lx %#lx | tr '\\n' ' '; echo",
             (int)getpid(), of->from ? (unsigned long)(of->from - base) : 0ul,
             (unsigned long)(of->to - base));
    if (system(line))
        printf("?\n");
}

static struct {
    int good, of;
} deaf, silent;

static void try_case(const char *name, const char *data, trial *t)
{
    if (!in_child(run, t, &now_seen, sizeof now_seen, MOST_SECONDS, 5ull << 30)) {
        printf("| %s | %s | over %d | | | not ended |\n", name, data, MOST_SECONDS);
        return;
    }
    printf("| %s | %s | %.2f | %.2f | %.2f | %s |\n", name, data, now_seen.seconds, now_seen.deaf.longest,
           now_seen.silent.longest, now_seen.error[0] ? now_seen.error : "");
    if (getenv("PLACES") && now_seen.deaf.longest > 0.2)
        print_places("not looking", &now_seen.deaf);
    if (getenv("PLACES") && now_seen.silent.longest > 1)
        print_places("silent", &now_seen.silent);
    fflush(stdout);
    deaf.good += now_seen.deaf.longest <= 0.2;
    silent.good += now_seen.silent.longest <= 1;
    deaf.of++;
    silent.of++;
}

static bool asked_for(const char *name, int argc, char **argv)
{
    for (int a = 1; a < argc; a++)
        if (strcmp(argv[a], name) == 0)
            return true;
    return argc < 2;
}

/* The problem with so many rows that the first step takes some seconds, or as many as fit. */
static void try_algorithm(const wlab_algo *algo, int task, const char *kernel)
{
    trial t = {.algo = algo};
    wlab_err err;
    char name[100], data[100];
    for (int64_t n = 160;; n *= 2) {
        wlab_cost cost;
        const bool last = algo->rows_most > 0 && n >= algo->rows_most;
        t.problem = posed(task, last ? algo->rows_most : n);
        t.params = made_params(algo->params, kernel, &err);
        if (!t.problem || !t.params)
            fail("a problem");
        if (wlab_algo_cost(&cost, algo, t.problem, t.params, &err)) /* too few rows for it, say */
            cost = (wlab_cost){0};
        if (last || cost.start + cost.step > LEAST || cost.bytes > 1e9 || n > MOST_ROWS)
            break;
        wlab_params_destroy(t.params);
        wlab_problem_unref(t.problem);
    }
    snprintf(name, sizeof name, "%s %s", algo->name, kernel);
    snprintf(data, sizeof data, "%s, %lld x %ld", t.problem->task->name, (long long)t.problem->n,
             (long)t.problem->X->cols);
    try_case(name, data, &t);
    wlab_params_destroy(t.params);
    wlab_problem_unref(t.problem);
}

#define MOONS "generate two-moons n=4000; task ssl labeled=20; "
static const struct {
    const char *name, *setup, *command;
} commands[] = {
    {"generate", "set history=1", "generate topics n=400000 d=20000"},
    {"generate", "set history=1", "generate g50c n=2000000"},
    {"load", "generate g50c n=200000; export data big.csv", "load big.csv"},
    {"scale", "generate g50c n=400000", "scale zscore"},
    {"split", "generate g50c n=2000000", "split test=0.2"},
    {"task", "generate g50c n=2000000", "task ssl labeled=1000"},
    {"task", "generate g50c n=2000000", "task llp bagsize=8"},
    {"algo", MOONS, "algo"},
    {"eval", "generate g50c n=16000; task ssl labeled=4000; algo svm kernel=rbf; continue", "eval"},
    {"compare",
     "generate two-moons n=1000; task ssl labeled=20; algo wellsvm; step 3; algo tsvm kernel=rbf; continue",
     "compare a b"},
    {"back", MOONS "algo mfa kernel=rbf; set history=1; step 8", "back 5"},
    {"plot", "generate two-moons n=2000; task supervised; algo svm kernel=rbf; continue",
     "plot boundary to boundary.svg"},
    {"plot", "generate two-moons n=1000; task ssl labeled=20; algo wellsvm; step 2",
     "plot matrix to matrix.svg"},
    {"plot", "generate g50c n=8000; task supervised; algo svm kernel=rbf; continue",
     "plot projection to projection.svg"},
    {"tune", "generate two-moons n=2000; task supervised",
     "tune algo svm kernel=rbf sigma={0.25x,1x,4x} C={0.1,1,10}"},
    {"score", MOONS "algo wellsvm; step 2", "score unlabeled on"},
    {"set", MOONS "algo wellsvm; step", "set C1=10"},
    {"fork", MOONS "algo wellsvm; step", "fork b"},
    {"export", "generate g50c n=8000; task ssl labeled=4000; algo svm kernel=rbf; continue",
     "export predictions x.csv"},
};

int main(int argc, char **argv)
{
    if (getenv("TMP") && chdir(getenv("TMP")))
        fail("TMP");
    printf("| what | data | s | without a look, s | without a report, s | |\n| :-- | :-- | --: | --: | --: | "
           ":-- |\n");
    for (int k = 0; wlab_algos[k]; k++) {
        const wlab_algo *algo = wlab_algos[k];
        int shown = 0;
        for (int t = 0; t < TASKS && asked_for(algo->name, argc, argv); t++) {
            const wlab_task *task = wlab_task_find(tasks[t].task);
            if (!wlab_algo_suits(algo, task, strcmp(tasks[t].task, "ambiguous") ? 2 : 4) ||
                (algo->made_for && !(algo->made_for & task->sees)) || shown++ == 1)
                continue;
            if (!wlab_param_known(algo->params, "kernel")) {
                try_algorithm(algo, t, "");
                continue;
            }
            try_algorithm(algo, t, "kernel=linear");
            try_algorithm(algo, t, "kernel=rbf");
        }
    }
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (asked_for(commands[k].name, argc, argv))
            try_case(commands[k].command, "",
                     &(trial){.setup = commands[k].setup, .command = commands[k].command});
    printf("\nAt most 0.2 s without a look: %d of %d. At most 1 s without a report: %d of %d.\n", deaf.good,
           deaf.of, silent.good, silent.of);
    return 0;
}
