/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TEMPLATE: the smallest algorithm that has everything.  Copy this file to a folder of src/algo, replace the mathematics,
 * and add a line to the table in algo/algos.h; a test on problems whose answer is known, and a page in docs, make it whole
 * (docs/contributing.md).  Nothing else names an algorithm: help, completion, panes, figures, time travel, recordings, tuning and
 * sweeps ask the descriptor at the end.  It is compiled with every build, and the tests over the table of algorithms have
 * it in their table (tests/registry.o): so what this file says is tested.  It is not in the program.
 *
 * What it computes: nearest means, taught by themselves (Basu, Banerjee, Mooney 2002, constrained k-means).  A class is the
 * mean of its rows; a row without a label belongs to the class whose mean is nearest; both by turns, until no row changes
 * its class.  Both lower the objective, the mean squared distance of the rows to the mean of their class.
 */
#include "algo/algos.h"
#include "base/clock.h"
#include "base/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what a person may set ----
 *
 * Name, type, default, range, choices, unit, meaning, flags: enough for parsing, completion, help, man pages and tuning.
 * WL_P_MUTABLE: `set` may change it between steps (see `set`).  Every setting is one more thing to learn: have few. */
static const wlab_param_info params[] = {
    {.name = "weight",
     .type = WL_P_REAL,
     .fallback = "1",
     .lo = 0,
     .hi = 1,
     .meaning = "of a row without a label in the mean of its class; 0: the labelled rows alone decide",
     .flags = WL_P_MUTABLE},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "steps at most",
     .flags = WL_P_MUTABLE},
    {.name = NULL}};

/* ---- what is told after each step ----
 *
 * One number each; the enum below names them in this order.  The role says what a metric is, and by it columns, panes,
 * views, tables and conditions find it (weaklab/metric.h): `objective` is what a reader compares, a certified bound would be
 * WL_R_UPPER, WL_R_LOWER, WL_R_GAP.  WL_M_SHOWN: has a column; WL_M_VOLATILE: differs from run to run, so in no digest. */
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
    {.name = "seconds",
     .role = WL_R_SECONDS,
     .unit = "s",
     .flags = WL_M_VOLATILE,
     .meaning = "time in the solver"},
    {.name = NULL}};
enum {
    M_OBJECTIVE,
    M_FLIPS,
    M_SECONDS
};

/* ---- the state ----
 *
 * Three parts: what create() took from its caller and never changes; what a step changes, all of which walk() names; and
 * room for work, whose content means nothing between units. */
typedef struct means {
    wlab_problem *p; /* a reference */
    int64_t n, d;
    int P;
    double weight;
    int64_t most;
    /* ---- snapshot ---- */
    bool centred; /* the means are those of `label`, and labels come next */
    bool finished, limited;
    int64_t step, flips;
    double objective, seconds;
    int8_t *label; /* [n] 0: in no class yet */
    double *mean;  /* [P x d] */
    double *shift; /* [P] ||mean||^2 / 2 */
    /* ---- work ---- */
    int8_t *next; /* [n] */
} means;

/* ---- its life ----
 *
 * destroy() takes what create() left half made, too: create() then has one way out. */
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

/* What the problem must have that not every problem of the task has: say what is missing, and what to do. */
static wlab_code check(const wlab_problem *p, wlab_err *err)
{
    for (int k = 0; k < p->classes; k++) {
        bool seen = false;
        for (int64_t i = 0; i < p->n && !seen; i++)
            seen = p->visible[i] == wlab_label_at(p, k);
        if (!seen)
            return wlab_fail(err, WL_ESTATE,
                             "no label of class %s is seen, and a class begins as the mean of "
                             "its labelled rows: show more labels",
                             wlab_problem_class(p, wlab_label_at(p, k)));
    }
    return WL_OK;
}

static void read_params(means *s, const wlab_params *given)
{
    s->weight = wlab_params_real(given, "weight");
    s->most = wlab_params_int(given, "iterations");
}

/* Everything that may fail for want of memory is best done here: then no step can.  Before step 1 the labels are those that
 * are seen, and a metric that has no value is NaN. */
static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    means *s = wlab_calloc(1, sizeof *s);
    wlab_code code = s ? check(p, err) : wlab_nomem(err);
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

/* A parameter with WL_P_MUTABLE was changed, between steps; whatever ended the run no longer does.  On an error (none here)
 * the state is as before. */
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
 * A step consists of units.  A person can stop behind each of them, so that one takes seconds at most, on the largest data
 * that the algorithm is meant for.  Here a step has two units: the means, then the labels. */
static double share(const means *s, int64_t i)
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
        wlab_matrix_row_axpy(s->p->X, i, share(s, i), s->mean + k * s->d);
        sum[k] += share(s, i);
    }
    for (int k = 0; k < s->P; k++) {
        double *c = s->mean + k * s->d, square = 0;
        for (int64_t j = 0; j < s->d; j++) {
            c[j] /= sum[k]; /* not 0: labelled rows stay */
            square += c[j] * c[j];
        }
        s->shift[k] = square / 2;
    }
}

/* <mean, x_i> - ||mean||^2 / 2, which is the larger the nearer the mean is: ||x_i||^2 is the same for all. */
static double output(const means *s, int64_t i, int k)
{
    return wlab_matrix_row_dot(s->p->X, i, s->mean + k * s->d) - s->shift[k];
}

/* A row keeps its class where another mean is as near. */
static int8_t nearest(const means *s, int64_t i)
{
    int best = wlab_label_index(s->p, s->label[i]);
    for (int k = 0; k < s->P; k++)
        if (best < 0 || output(s, i, k) > output(s, i, best))
            best = k;
    return wlab_label_at(s->p, best);
}

/* All or nothing: the labels go where nobody looks, and are taken over when all are there.  A unit that was interrupted is
 * done again from its start, to the same bits. */
static wlab_code find_labels(means *s, wlab_ctx *ctx, wlab_err *err)
{
    double sum = 0, of = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (i % 1024 == 1023 && wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        s->next[i] = s->p->visible[i] ? s->p->visible[i] : nearest(s, i);
        const double square =
            wlab_matrix_row_sqnorm(s->p->X, i) - 2 * output(s, i, wlab_label_index(s->p, s->next[i]));
        sum += share(s, i) * fmax(square, 0); /* below 0 is rounding */
        of += share(s, i);
    }
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++)
        s->flips += s->next[i] != s->label[i];
    memcpy(s->label, s->next, (size_t)s->n);
    s->objective = sum / of;
    return WL_OK;
}

/* What is said of a step that is complete.  WL_CONVERGED only where the rule `converged` of the descriptor holds after it;
 * with WL_LIMIT or WL_STALLED it emits a note that says why (see advance).  Phases, for who has them: .phase and .phase_complete. */
static wlab_step report(const means *s)
{
    return (wlab_step){.complete = true,
                       .verdict = s->limited    ? WL_LIMIT
                                  : s->finished ? WL_CONVERGED
                                                : WL_MORE};
}

/* One unit.  A run that is finished stays as it is, and says so again.  On an error the state is as before the call. */
static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    means *s = state;
    const double from = wlab_seconds_now();
    wlab_code code;
    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    if (wlab_interrupted(ctx)) /* before anything is changed */
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
            wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` goes on",
                           (long long)s->most, 2 * (long long)s->most);
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- what is seen ----
 *
 * Asked after every unit, so it computes nothing: what costs is a probe, or belongs to the step. */
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

/* Pictures beside those of metrics, labels and the model: this one is drawn by `plot scores` and its pane, since it is of
 * their kind.  It is computed when somebody looks. */
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
                                     .meaning = "the nearest mean has the largest",
                                     .get = scores},
                                    {.name = NULL}};

/* The model predicts rows that were not seen, and `eval`, `export model` and the decision line are of it.  In the middle of a
 * step it is made from the state as it is then. */
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

/* ---- words ----
 *
 * What the last step did and what the next one will do, with the numbers at hand, in the words of the paper. */
static void explain(const void *state, char *buf, size_t size)
{
    const means *s = state;
    if (s->step == 0)
        snprintf(buf, size,
                 "Nothing was stepped yet: %lld of %lld rows have a label, and their means come first.",
                 (long long)s->p->labelled, (long long)s->n);
    else
        snprintf(
            buf, size,
            "The mean of each of the %d classes was taken over its rows, those without a label with weight "
            "%g, and every such row went to the class of the nearest mean: %lld changed.  The rows' mean "
            "squared distance to the mean of their class is %.10g.%s",
            s->P, s->weight, (long long)s->flips, s->objective,
            s->limited    ? "  iterations= ended it."
            : s->finished ? "  Nothing would change any more."
                          : "");
}

static void next(const void *state, char *buf, size_t size)
{
    const means *s = state;
    snprintf(buf, size, "%s",
             s->finished  ? "nothing: no row changes its class, or iterations= ended it"
             : s->centred ? "put every row without a label to the class whose mean is nearest"
                          : "take the mean of each class over its rows");
}

/* ---- snapshots ----
 *
 * Every field that a step changes stands here once, a generator of random numbers too (wlab_rng is a plain struct).  What
 * follows from these fields is made again behind them, `if (wlab_walk_has_read(w))`.  Here no size depends on what is read,
 * so there is nothing to check, and no memory to ask for. */
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
 * What is left out is NULL: no phases (`phase_unit`), no kernel (`kernel`, WLAB_KERNEL_HOOK), nothing that older recordings
 * meant otherwise (`older`).  Without `multiclass` the algorithm tells two classes apart; where it learns from rows
 * (WL_SEES_ROWS), problems of more get a binary classifier for each class. */
const wlab_algo wlab_algo_template = {
    .name = "template",
    .summary =
        "nearest means, which the rows without a label join: the example of how an algorithm is written",
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
    .model = model,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
