/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests over the table of algorithms: sessions with a run on a tiny problem, whose task and parameters are drawn
 * at random from the descriptors.
 */
#ifndef TESTS_DRAWN_H
#define TESTS_DRAWN_H

#include "support.h"

#include "session/session.h"
#include "weaklab/run.h"

typedef enum drawn_kind {
    DRAWN_PLAIN,  /* realistic numbers */
    DRAWN_EXTREME /* also unrealistic numbers */
} drawn_kind;

typedef struct drawn {
    wlab_session *s;
    char line[1000]; /* the executed commands */
} drawn;

static const char *const drawn_tasks[] = {
    "generate two-moons n=%d noise=0.35 seed=%d; task ssl labeled=6",
    "generate two-moons n=%d noise=0.35 seed=%d; task cluster balance=0.1",
    "generate two-moons n=%d noise=0.35 seed=%d; task supervised",
    "generate two-moons n=%d noise=0.35 seed=%d; task llp bagsize=4",
    "generate blobs n=%d dims=3 spread=3 seed=%d; task llp bagsize=5 eps=0.1 labeled=2",
    "generate roi-bags bags=8 least=2 most=4 dims=4 rois=1 positive=0.5 context=%d seed=%d; task mil",
    "generate blobs n=%d classes=3 spread=3 seed=%d; task ssl labeled=9 classes=all",
    "generate blobs n=%d classes=3 spread=3 seed=%d; task supervised classes=all",
    "generate blobs n=%d classes=3 spread=3 seed=%d; task ambiguous classes=all",
    "generate polygon n=%d seed=%d; task cluster classes=3",
    "generate topics n=%d d=30 meanlen=4 labeled=0 seed=%d; task ssl labeled=8"};
/* For algorithms that learn from nothing else. */
static const char *const drawn_positives[] = {
    "generate two-moons n=%d noise=0.35 seed=%d; task pu labeled=4 prior=0.3",
    "generate blobs n=%d dims=3 spread=3 seed=%d; task pu labeled=1 prior=0.9",
    "generate topics n=%d d=30 meanlen=4 labeled=0 seed=%d; task pu labeled=5 prior=0.5",
    "generate blobs n=%d spread=0 box=0 seed=%d; task pu labeled=3 prior=0.01",
    "generate blobs n=%d spread=1000000 seed=%d; task pu labeled=3 prior=0.5",
    "generate two-moons n=%d dims=6 noise=0 seed=%d; scale zscore; task pu labeled=6 prior=0.999"};
/* Data that are difficult for a solver, such as equal rows, equal columns, huge numbers, or labels of one class. */
static const char *const drawn_hard[] = {
    "generate blobs n=%d spread=0 box=0 seed=%d; task ssl labeled=6",
    "generate blobs n=%d spread=0 seed=%d; task cluster balance=0.5",
    "generate blobs n=%d dims=4 spread=0 classes=3 seed=%d; task ssl labeled=9 classes=all",
    "generate two-moons n=%d noise=0.35 seed=%d; task ssl labeled=6 only=positive r=0.5",
    "generate blobs n=%d spread=1000000 seed=%d; task supervised",
    "generate topics n=%d d=21 meanlen=1 labeled=0 seed=%d; scale zscore; task llp bagsize=2",
    "generate ring-clusters n=%d rings=2 seed=%d; task supervised",
    "generate two-moons n=%d noise=0 seed=%d; task llp bagsize=10000",
    "generate two-moons n=%d dims=6 noise=0 seed=%d; scale zscore; task cluster balance=1"};

static inline void drawn_ignore(void *self, const wlab_event *event)
{
    (void)self;
    (void)event;
}

/* Draws a legal value of the parameter into `value`; false: leave the parameter out. */
static inline bool drawn_value(const wlab_param_info *p, wlab_rng *rng, drawn_kind kind, char value[40])
{
    static const double plain[] = {0, 1e-3, 0.01, 0.1, 0.3, 1, 3, 10},
                        extreme[] = {0, 1e-9, 1e-6, 1e-3, 0.01, 0.5, 1, 100, 1e6, 1e9};
    static const int plain_int[] = {0, 1, 2, 3, 5, 20}, extreme_int[] = {0, 1, 2, 10, 1000};
    int n = 0;
    double x;

    switch (p->type) {
    case WL_P_BOOL:
        snprintf(value, 40, "%s", wlab_rng_below(rng, 2) ? "yes" : "no");
        return true;
    case WL_P_CHOICE:
        while (p->choices[n])
            n++;
        snprintf(value, 40, "%s", p->choices[wlab_rng_below(rng, (uint64_t)n)]);
        return true;
    case WL_P_INT:
        x = kind == DRAWN_PLAIN ? plain_int[wlab_rng_below(rng, 6)] : extreme_int[wlab_rng_below(rng, 5)];
        break;
    case WL_P_REAL:
    case WL_P_SCALED:
        x = kind == DRAWN_PLAIN ? plain[wlab_rng_below(rng, 8)] : extreme[wlab_rng_below(rng, 10)];
        break;
    default:
        return false;
    }
    if (!(p->lo == 0 && p->hi == 0) && (x < p->lo || x > p->hi || (x == p->lo && p->flags & WL_P_OPEN_LO) ||
                                        (x == p->hi && p->flags & WL_P_OPEN_HI)))
        return false;
    snprintf(value, 40, p->type == WL_P_INT ? "%.0f" : "%.17g", x);
    return true;
}

/* Adds a graph to one in five settings of an algorithm with a kernel, from a copy of the generator: the other draws are
 * those without it. */
static inline void drawn_graph(const wlab_algo *algo, wlab_rng rng, drawn_kind kind, char *out, size_t size)
{
    static const char *const graphs[] = {"knn:1", "knn:3:heat", "knn:5:normalised", "knn:1000"};
    static const double plain[] = {0.01, 1, 10}, extreme[] = {0, 1e-9, 1, 1e6};
    const size_t len = strlen(out);

    if (!wlab_param_known(algo->params, "rho") || wlab_rng_below(&rng, 5) > 0)
        return;
    const char *graph = graphs[wlab_rng_below(&rng, 4)];
    snprintf(out + len, size - len, " graph=%s rho=%g", graph,
             kind == DRAWN_PLAIN ? plain[wlab_rng_below(&rng, 3)] : extreme[wlab_rng_below(&rng, 4)]);
}

/* Draws settings of the algorithm: a value of each parameter with probability 1 / `rare`.  A parameter whose drawn
 * value is not legal is left out. */
static inline void drawn_settings(const wlab_algo *algo, wlab_rng *rng, drawn_kind kind, uint64_t rare,
                                  char *out, size_t size)
{
    size_t len = 0;

    *out = 0;
    for (const wlab_param_info *p = algo->params; p->name; p++) {
        char value[40];
        if (strcmp(p->name, "rho") == 0 ||
            (strcmp(p->name, "graph") == 0 && wlab_param_known(algo->params, "rho")))
            continue;
        if (wlab_rng_below(rng, rare) == 0 && drawn_value(p, rng, kind, value))
            len += (size_t)snprintf(out + len, size - len, " %s=%s", p->name, value);
        assert_true(len < size);
    }
    drawn_graph(algo, *rng, kind, out, size);
}

/* Creates the session d->s and executes d->line in it. */
static inline wlab_code drawn_open(drawn *d, int threads, wlab_err *err)
{
    static const char *const none[] = {NULL};
    const wlab_places places = {.data_dirs = none, .script_dirs = none, .out_dir = "."};
    const wlab_sink sink = {.event = drawn_ignore};

    ASSERT_OK(wlab_session_create(&d->s, &sink, &places, threads, 1, err), *err);
    return wlab_session_line(d->s, d->line, WL_FROM_SCRIPT, NULL, 0, err);
}

/* Draws a session with a run of the algorithm.  False: the session refused the drawn task or settings, or the run would
 * take too long; the caller must draw again. */
static inline bool drawn_create(drawn *d, const wlab_algo *algo, wlab_rng *rng, drawn_kind kind, int threads)
{
    const bool hard = kind == DRAWN_EXTREME && wlab_rng_below(rng, 3) == 0;
    const bool positives = algo->learns_from == WL_SEES_POSITIVES;
    const char *task =
        positives ? drawn_positives[wlab_rng_below(rng, sizeof drawn_positives / sizeof *drawn_positives)]
        : hard    ? drawn_hard[wlab_rng_below(rng, sizeof drawn_hard / sizeof *drawn_hard)]
                  : drawn_tasks[wlab_rng_below(rng, sizeof drawn_tasks / sizeof *drawn_tasks)];
    const int rows = strstr(task, "context=") ? 1 : 12 + 2 * (int)wlab_rng_below(rng, 8);
    char data[300], settings[sizeof d->line - sizeof data - 40];
    wlab_err err;

    snprintf(data, sizeof data, task, rows, 1 + (int)wlab_rng_below(rng, 1000));
    drawn_settings(algo, rng, kind, kind == DRAWN_PLAIN ? 4 : 3, settings, sizeof settings);
    snprintf(d->line, sizeof d->line, "%s; algo %s%s", data, algo->name, settings);
    if (kind == DRAWN_EXTREME && strstr(settings, "backend=libsvm"))
        return false; /* it would make ten million iterations before it stops */
    if (drawn_open(d, threads, &err)) {
        if (err.code != WL_EARG && err.code != WL_ESTATE && err.code != WL_ENUMERIC)
            fail_msg("%s: code %d, %s", d->line, err.code, err.message);
        wlab_session_destroy(d->s);
        d->s = NULL;
        return false;
    }
    return true;
}

#endif
