/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TEMPLATE: the smallest algorithm that has all parts.  Copy this file to a folder of src/algo, replace the
 * mathematics, and add a line to the table in algo/algos.h.  Then write a test on problems with a known answer, and a
 * page in docs (docs/contributing.md).  No other place names an algorithm: help, completion, panes, figures, time
 * travel, recordings, tuning and sweeps use the descriptor at the end of this file.  Every build compiles this file,
 * and the tests over the table of algorithms run it (tests/registry.o), so its comments are tested.  It is not part
 * of the program.
 *
 * What it computes: nearest means by self-training (Basu, Banerjee, Mooney 2002, constrained k-means).  A class is
 * represented by the mean of its rows; a row without a label belongs to the class whose mean is nearest.  The
 * algorithm alternates between the two until no row changes its class.  Both lower the objective, the mean squared
 * distance of the rows to the mean of their class.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ----
 *
 * Name, type, default, range, choices, unit, meaning and flags; parsing, completion, help, man pages and tuning use
 * them. WL_P_MUTABLE: `set` may change the parameter between steps (see `set`).  WL_P_OBJECTIVE: runs with other values
 * minimise other functions, so `compare` says that their objectives differ.  Users must learn every parameter: have
 * few. */
static const wlab_param_info params[] = {
    {.name = "weight",
     .type = WL_P_REAL,
     .fallback = "1",
     .lo = 0,
     .hi = 1,
     .meaning = "weight of a row without a label in the mean of its class; 0: only labelled rows count",
     .flags = WL_P_MUTABLE | WL_P_OBJECTIVE},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of steps",
     .flags = WL_P_MUTABLE},
    {.name = NULL}};

/* ---- metrics ----
 *
 * One number each, reported after each step; the enum below names them in this order.  The role says what a metric
 * is; columns, panes, views, tables and conditions find it by its role (weaklab/metric.h).  `objective` is the value
 * that readers compare; certified bounds would have the roles WL_R_UPPER, WL_R_LOWER and WL_R_GAP.  WL_M_SHOWN: has a
 * column; WL_M_VOLATILE: differs from run to run, so it is in no digest. */
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "mean squared distance of the rows to the mean of their class; never rises",
     .equation = "sum_i pi_i ||x_i - mean(y_i)||^2 / sum_i pi_i, pi_i = 1 or weight"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "rows whose class the step changed"},
    WLAB_SECONDS,
    {.name = NULL}};
enum {
    M_OBJECTIVE,
    M_FLIPS,
    M_SECONDS
};

/* ---- the state ----
 *
 * Three parts: the fields that create() sets and that never change; the fields that a step changes, all of which
 * walk() names; and workspace, whose content is not used between units. */
typedef struct means {
    wlab_problem *p; /* a reference */
    int64_t n, d;
    int P;
    double weight;
    int64_t most;
    /* ---- snapshot ---- */
    bool centred; /* the means belong to `label`; the next unit finds labels */
    bool finished, limited;
    int64_t step, flips;
    double objective, seconds;
    int8_t *label; /* [n] 0: no class yet */
    double *mean;  /* [P x d] */
    double *shift; /* [P] ||mean||^2 / 2 */
    /* ---- workspace ---- */
    int8_t *next; /* [n] */
} means;

/* ---- creation and destruction ----
 *
 * destroy() also accepts a state that create() completed only in part, so create() needs only one error path. */
static void destroy(void *state)
{
    means *s = state;
    if (!s)
        return;
    wlab_free(s->label);
    wlab_free(s->mean);
    wlab_free(s->shift);
    wlab_free(s->next);
    wlab_problem_unref(s->p);
    wlab_free(s);
}

/* Checks whether the problem has what the algorithm needs but not every problem of its tasks has.  The message says
 * what is missing and what to do. */
static wlab_code check_problem(const wlab_problem *p, wlab_err *err)
{
    for (int k = 0; k < p->classes; k++) {
        bool any = false;
        for (int64_t i = 0; i < p->n && !any; i++)
            any = p->visible[i] == wlab_label_at(p, k);
        if (!any)
            return wlab_fail(err, WL_ESTATE,
                             "no row is labelled with class %s, but a class starts as the mean of "
                             "its labelled rows: label more rows",
                             wlab_problem_class(p, wlab_label_at(p, k)));
    }
    return WL_OK;
}

static void read_params(means *s, const wlab_params *given)
{
    s->weight = wlab_params_real(given, "weight");
    s->most = wlab_params_int(given, "iterations");
}

/* Allocate all memory here if possible: then no step can fail for lack of memory.  Before step 1 the labels are the
 * given ones, and a metric without a value is NaN. */
static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    means *s = wlab_calloc(1, sizeof *s);
    wlab_code code = s ? check_problem(p, err) : wlab_nomem(err);
    (void)ctx;
    *state = NULL;
    if (!code) {
        s->p = wlab_problem_ref(p);
        s->n = p->n;
        s->d = p->X->cols;
        s->P = p->classes;
        s->objective = NAN;
        read_params(s, given);
        s->label = wlab_alloc((size_t)s->n, 1);
        s->next = wlab_alloc((size_t)s->n, 1);
        s->mean = wlab_calloc((size_t)s->P, (size_t)s->d * sizeof *s->mean);
        s->shift = wlab_calloc((size_t)s->P, sizeof *s->shift);
        if (!s->label || !s->next || !s->mean || !s->shift)
            code = wlab_nomem(err);
    }
    if (code) {
        destroy(s);
        return code;
    }
    memcpy(s->label, p->visible, (size_t)s->n);
    *state = s;
    return WL_OK;
}

/* Called between steps when a parameter with WL_P_MUTABLE was changed.  A finished run continues.  After an error
 * (there is none here) the state must be unchanged. */
static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    means *s = state;
    (void)err;
    read_params(s, given);
    s->finished = s->limited = false;
    return WL_OK;
}

/* ---- a step, in units ----
 *
 * A step consists of units.  A run can be stopped after each of them, so a unit should take a few seconds at most, on the
 * largest data for which the algorithm is meant.  Here a step has two units: the means, then the labels. */
static double weight_of(const means *s, int64_t i)
{
    return s->p->visible[i] ? 1 : s->weight;
}

static void find_means(means *s)
{
    double sum[WL_CLASSES_MOST] = {0};
    memset(s->mean, 0, (size_t)s->P * (size_t)s->d * sizeof *s->mean);
    for (int64_t i = 0; i < s->n; i++) {
        const int k = wlab_label_index(s->p, s->label[i]);
        if (k < 0)
            continue;
        wlab_matrix_row_axpy(s->p->X, i, weight_of(s, i), s->mean + k * s->d);
        sum[k] += weight_of(s, i);
    }
    for (int k = 0; k < s->P; k++) {
        double *c = s->mean + k * s->d, square = 0;
        for (int64_t j = 0; j < s->d; j++) {
            c[j] /= sum[k]; /* not 0, as labelled rows keep their class */
            square += c[j] * c[j];
        }
        s->shift[k] = square / 2;
    }
}

/* <mean, x_i> - ||mean||^2 / 2: the nearer the mean, the larger it is, as ||x_i||^2 is the same for all classes. */
static double output(const means *s, int64_t i, int k)
{
    return wlab_matrix_row_dot(s->p->X, i, s->mean + k * s->d) - s->shift[k];
}

/* The class whose mean is nearest; a row keeps its class if another mean is equally near. */
static int8_t nearest(const means *s, int64_t i)
{
    int best = wlab_label_index(s->p, s->label[i]);
    for (int k = 0; k < s->P; k++)
        if (best < 0 || output(s, i, k) > output(s, i, best))
            best = k;
    return wlab_label_at(s->p, best);
}

/* All or nothing: computes the labels in `next` and copies them when they are complete.  An interrupted unit is
 * repeated from its start, with the same bits as result. */
static wlab_code find_labels(means *s, wlab_ctx *ctx, wlab_err *err)
{
    double sum = 0, of = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (i % 1024 == 1023 && wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        s->next[i] = s->p->visible[i] ? s->p->visible[i] : nearest(s, i);
        const double square =
            wlab_matrix_row_sqnorm(s->p->X, i) - 2 * output(s, i, wlab_label_index(s->p, s->next[i]));
        sum += weight_of(s, i) * fmax(square, 0); /* a negative value is due to rounding */
        of += weight_of(s, i);
    }
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++)
        s->flips += s->next[i] != s->label[i];
    memcpy(s->label, s->next, (size_t)s->n);
    s->objective = sum / of;
    return WL_OK;
}

/* The report on a completed step.  WL_CONVERGED only if the rule `converged` of the descriptor holds after the step;
 * with WL_LIMIT or WL_STALLED, advance() emits a note that says why.  An algorithm with phases also sets .phase and
 * .phase_complete. */
static wlab_step report(const means *s)
{
    return (wlab_step){.complete = true,
                       .verdict = s->limited    ? WL_LIMIT
                                  : s->finished ? WL_CONVERGED
                                                : WL_MORE};
}

/* One unit.  A finished run does not change and returns the same report again.  On an error the state is
 * unchanged. */
static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    means *s = state;
    const double from = wlab_seconds_now();
    wlab_code code;
    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx)) /* before any change */
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (!s->centred) {
        find_means(s);
        s->centred = true;
    } else {
        if ((code = find_labels(s, ctx, err)))
            return code;
        s->centred = false;
        s->step++;
        s->limited = s->flips > 0 && s->step >= s->most;
        s->finished = s->flips == 0 || s->limited;
        *step = report(s);
        if (s->limited)
            wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                           (long long)s->most, 2 * (long long)s->most);
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- metrics, labels, probes and the model ----
 *
 * observe() is called after every unit, so it computes nothing: costly values belong in a probe or in the step. */
static void observe(const void *state, double *metric, int8_t *labels)
{
    const means *s = state;
    if (metric) {
        metric[M_OBJECTIVE] = s->objective;
        metric[M_FLIPS] = (double)s->flips;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        memcpy(labels, s->label, (size_t)s->n);
}

/* Probes are data for pictures other than those of metrics, labels and the model.  `plot scores` and its pane draw
 * this one, because of its kind.  It is computed only when it is displayed. */
static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const means *s = state;
    (void)ask;
    (void)ctx;
    if (s->step == 0)
        return wlab_fail(err, WL_ESTATE, "there are no scores yet: `step` first");
    if (wlab_probed_make(out, s->n, s->P, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < s->P; k++)
            out->value[i * s->P + k] = output(s, i, k);
    return WL_OK;
}

static const wlab_probe probes[] = {{.name = "scores",
                                     .kind = WL_PROBE_SCORES,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "output of each class: the nearest mean has the largest",
                                     .get = scores},
                                    {.name = NULL}};

/* The model predicts new rows; `eval`, `export model` and the decision line use it.  In the middle of a step it is
 * made from the state at that time. */
static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const means *s = state;
    double b[WL_CLASSES_MOST];
    (void)ctx;
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    for (int k = 0; k < s->P; k++)
        b[k] = -s->shift[k];
    return wlab_model_from_class_weights(out, s->p, s->mean, b, err);
}

/* ---- explanations ----
 *
 * What the last step did and what the next one will do, with the actual numbers, in the terms of the paper. */
static void explain(const void *state, char *buf, size_t size)
{
    const means *s = state;
    if (s->step == 0)
        snprintf(buf, size,
                 "No step has been made yet: %lld of %lld rows have a label; step 1 starts with their means.",
                 (long long)s->p->labelled, (long long)s->n);
    else
        snprintf(buf, size,
                 "The mean of each of the %d classes was computed over its rows, with weight %g for those "
                 "without a label, and every such row was assigned to the class of the nearest mean: %lld "
                 "changed.  The mean squared distance of the rows to the mean of their class is %.10g.%s",
                 s->P, s->weight, (long long)s->flips, s->objective,
                 s->limited    ? "  The limit iterations= stopped the run."
                 : s->finished ? "  Further steps would change nothing."
                               : "");
}

static void next(const void *state, char *buf, size_t size)
{
    const means *s = state;
    snprintf(buf, size, "%s",
             s->finished  ? "nothing: no row changes its class, or the limit iterations= was reached"
             : s->centred ? "assign every row without a label to the class whose mean is nearest"
                          : "compute the mean of each class over its rows");
}

/* ---- snapshots ----
 *
 * walk() names every field that a step changes once, including a random number generator (wlab_rng is a plain
 * struct). Values that follow from these fields are recomputed after them, `if (wlab_walk_has_read(w))`.  Here no
 * size depends on the data read, so there is nothing to check and no memory to allocate. */
static void walk(void *state, wlab_walk *w)
{
    means *s = state;
    WL_WALK(w, s->centred);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->limited);
    WL_WALK(w, s->step);
    WL_WALK(w, s->flips);
    WL_WALK(w, s->objective);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->label, s->n);
    WL_WALK_ARRAY(w, s->mean, s->P * s->d);
    WL_WALK_ARRAY(w, s->shift, s->P);
}

/* ---- the descriptor ----
 *
 * Fields left out are NULL: no phases (`phase_unit`), no kernel (`kernel`, WLAB_KERNEL_HOOK), no parameters with
 * another meaning in older recordings (`older`).  Without `multiclass` the algorithm distinguishes two classes; if it
 * learns from rows (WL_SEES_ROWS), problems with more classes get one binary classifier per class. */
const wlab_algo wlab_algo_template = {
    .name = "template",
    .summary = "nearest means by self-training: an example of how an algorithm is written",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over y and the means of sum_i pi_i ||x_i - mean(y_i)||^2 / sum_i pi_i",
    .symbols = "y_i: class of row i, given or to be found\n"
               "mean(c): the mean of the rows of class c\n"
               "pi_i: weight of row i, 1 if it has a label, else weight=",
    .when = "an example",
    .cost = "a pass over the rows",
    .work = "2e-9 * z",
    .memory = "10 * n",
    .source = "Basu, Banerjee, Mooney, Semi-supervised clustering by seeding, ICML 2002: Constrained-KMeans",
    .learns_from = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS,
    .multiclass = true,
    .step_unit = "the means of the classes, then the rows without a label to the nearest",
    .inner_unit = "the means, or the labels",
    .converged = "flips == 0",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .loss = WL_LOSS_DISTANCE,
    .model = model,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
