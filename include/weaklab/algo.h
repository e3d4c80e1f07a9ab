/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steppable algorithm.  State is opaque; `advance` does one inner unit (a `stepi`); an outer step (a
 * `step`) is inner units until one reports that it completes the step.  Convergence is a verdict, not a loop inside.
 * `walk` serialises the whole state, random generator included: time travel, fork and recovery are one mechanism.
 */
#ifndef WEAKLAB_ALGO_H
#define WEAKLAB_ALGO_H

#include "weaklab/metric.h"
#include "weaklab/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wlab_walk;

typedef enum wlab_verdict {
    WL_MORE,      /* go on */
    WL_CONVERGED, /* the algorithm's own criterion holds */
    WL_STALLED,   /* no progress is possible although the criterion does not hold; a note says why */
    WL_LIMIT,     /* a limit that the user set (iterations, labelings) was reached */
} wlab_verdict;
/* How much is open, relgap, of what the verdict is about: "proven" (converged to 1e-6), "5.5 % open"; "" where relgap has
 * no value, or the run goes on.  Returns buf. */
const char *wlab_verdict_open(wlab_verdict, double relgap, char *buf, size_t size);
/* The same with the verdict: "proven", "converged, 5.5 % open", "limit, 12 % open", "stalled".  Returns buf. */
const char *wlab_verdict_text(wlab_verdict, double relgap, char *buf, size_t size);
extern const char *const wlab_verdict_names[]; /* "more", "converged", "stalled", "limit" */

/* ---- probes: numbers of a state that a picture is drawn from, beside metrics, labels and the model ---- */

/* What a probe's numbers are.  Views and panes draw a kind, whichever algorithm offers it.  A new one: a line here, how long
 * it takes in wlab_probe_is_quick, and its view. */
typedef enum wlab_probe_kind {
    WL_PROBE_WEIGHTS,     /* [rows] what each labeling of a working set weighs, the newest last */
    WL_PROBE_EIGENVALUES, /* [rows] of a matrix, the largest, WL_EIGENVALUES_MOST at most */
    WL_PROBE_RESTARTS,    /* [rows] the objective of each restart */
    WL_PROBE_COSINES, /* [rows x rows] of the angles between what is weighed, the newest WL_COSINES_MOST at most,
                           * symmetric; NaN where a vector is 0 */
    WL_PROBE_MATRIX, /* [rows x rows] over the instances that are asked for, symmetric; quick for some hundred */
    WL_PROBE_SCORES, /* [instances x classes] what the labels are rounded from, classes by wlab_label_index */
} wlab_probe_kind;
enum {
    WL_PROBE_KINDS = WL_PROBE_SCORES + 1,
    WL_EIGENVALUES_MOST = 100,
    WL_COSINES_MOST = 200
};

/* When it is computed: never without somebody who looks, but for what is recorded. */
typedef enum wlab_probe_when {
    WL_PROBE_RECORDED, /* with every step, into its row of the trace: one at most of an algorithm, a vector */
    WL_PROBE_PAUSE,    /* between jobs, when a picture wants it */
    WL_PROBE_QUICK     /* the same, in live pictures only where wlab_probe_is_quick */
} wlab_probe_when;

/* The numbers: rows x columns, row-major. */
typedef struct wlab_probed {
    int64_t rows, columns;
    int64_t first; /* of cosines: the weight, from 0, that the first row is of */
    double *value; /* owned by who asked */
} wlab_probed;

typedef struct wlab_probe_ask {
    const struct wlab_probe *probe; /* which is asked, for a `get` that serves several */
    const int32_t *instance;        /* [n] a matrix: over these; else NULL */
    int64_t n;
} wlab_probe_ask;

typedef struct wlab_probe {
    const char *name; /* of what is shown: "mu", "Z" */
    wlab_probe_kind kind;
    wlab_probe_when when;
    const char *meaning; /* one line */
    /* WL_ESTATE where there is nothing yet; a vector then is of 0 rows.  *out is empty before the call, and after a failure;
     * wlab_probed_make gives it room. */
    wlab_code (*get)(const void *state, const wlab_probe_ask *, wlab_probed *out, wlab_ctx *, wlab_err *);
} wlab_probe; /* tables end with name = NULL */

/* What a unit came to.  Where it completes no outer step, all is 0. */
typedef struct wlab_step {
    bool complete;        /* an outer step, which the rest is about */
    wlab_verdict verdict; /* after it */
    /* Phases (lambda' levels, temperatures): the number, from 1, of the one that the step belongs to, which falls only where `set`
     * begins an earlier one again; 0: the algorithm has none (and no phase_unit). */
    int64_t phase;
    /* It was the last of its phase: the step to come begins another one, or there is none to come.  `finish` makes steps
     * until it is so, one at least. */
    bool phase_complete;
} wlab_step;

/* An algorithm.  No member is NULL unless its comment says that it may be; test_metrics holds every algorithm to that.  A ctx
 * that a hook is given may be NULL: then there are no threads, and nobody interrupts or listens. */
typedef struct wlab_algo {
    const char *name, *alias, *summary;
    const char *source;   /* paper, algorithm and equation numbers */
    unsigned learns_from; /* WL_SEES_ bits: it takes every task that shows one of these */
    unsigned made_for;    /* of these, those it was made for: listed before methods for any label set */
    unsigned advised_for; /* of these, those for which it is the one to begin with */
    bool multiclass;      /* takes problems of more than two classes itself */
    const char *step_unit, *inner_unit; /* what one step and one stepi do */
    /* What the verdict "converged" means: a condition (expr.h) over metrics and parameters that holds after the last step,
     * or, of an algorithm that goes on to other stages, after the last of the stage that it is about.  A parameter with
     * choices stands in it as NAME=CHOICE, and first_objective is the first value that the objective had. */
    const char *converged;
    const char *converged_also; /* in words: other rules by which a run ends as converged; NULL: none */
    const char *phase_unit;     /* what `finish` goes to the end of ("temperature"); NULL: no phases */
    const wlab_param_info *params;
    const wlab_metric_info *metrics;
    const wlab_probe *probes; /* NULL: none */
    wlab_code (*create)(void **state, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
    /* One inner unit.  *step is written whatever was in it.  On an error the state is as before the call. */
    wlab_code (*advance)(void *state, wlab_ctx *, wlab_step *, wlab_err *);
    /* metrics[] in table order (NaN: no value); labels[n instances] as weaklab/task.h has them; either may
     * be NULL. */
    void (*observe)(const void *state, double *metrics, int8_t *labels);
    wlab_code (*model)(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
    /* The kernel, with what kernel=auto and a width with a unit came to; NULL: not known before the first step.
     * May be NULL: there is none. */
    const wlab_kernel *(*kernel)(const void *state);
    /* What an unlabelled row with output o costs by the temperature and weight of a step (roles WL_R_TEMPERATURE and
     * WL_R_LEVEL), in units of the weight in the end, *full; what does not depend on o is chosen so that the value at
     * o = 0 does not depend on T.  NULL: unlabelled rows have no such loss. */
    double (*row_loss)(const wlab_params *, double T, double weight, double o, double *full);
    /* Whether it minimises the squared hinge loss with these parameters, which the file of an exported linear model says.
     * NULL: it does. */
    bool (*squared_loss)(const wlab_params *);
    /* The bracket of `compare` puts bounds of several algorithms on Eq. 7 of SVMlin's paper beside each other.  Those with a
     * metric WL_R_BALANCED evaluate it at labelings.  certifies: the lower bound and the metric WL_R_LABELING are bounds on
     * it where the settings are the same.  suggest: whether the lower bound may be tighter than that of the labelled rows,
     * and so is worth a run, in words for the user either way; NULL: never suggested. */
    bool certifies;
    bool (*suggest)(const wlab_problem *, char *words, size_t size);
    /* What the last step did / what the next one will do, in words with numbers; into buf. */
    void (*explain)(const void *state, char *buf, size_t size);
    void (*next)(const void *state, char *buf, size_t size);
    /* The state's fields, written or read back, random generator included (base/walk.h). */
    void (*walk)(void *state, struct wlab_walk *);
    /* Parameters changed between steps (only WL_P_MUTABLE ones differ); NULL where none is mutable. */
    wlab_code (*set)(void *state, const wlab_params *, wlab_err *);
    void (*destroy)(void *state);
    /* Names what other parameters than those of the kernel were, left out, in recordings of an older format; NULL: they
     * are what they were. */
    wlab_code (*older)(const wlab_problem *, int format, wlab_params *, wlab_err *);
} wlab_algo;

extern const wlab_algo *const wlab_algos[];        /* NULL-terminated */
const wlab_algo *wlab_algo_find(const char *name); /* by name or alias, capitals or not */
/* The k-th, from 0, that solves a task with so many classes; those made for what it shows first.  NULL: no more. */
const wlab_algo *wlab_algo_suited(const wlab_task *, int classes, int k);
/* The name of one to begin with; NULL: nothing is known of the problem. */
const char *wlab_algo_advised(const wlab_problem *);
/* Whether it solves the task with so many classes, itself or by one machine a class. */
bool wlab_algo_suits(const wlab_algo *, const wlab_task *, int classes);
/* What runs `algo` on a problem: algo itself, or, where the problem has more classes than it can tell apart, machines of
 * one class against the rest (algo/onevsrest.h).  WL_ESTATE for more than two clusters, with what to do instead. */
wlab_code wlab_algo_for(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *, wlab_err *);
/* Gives what is not named the value that it had in recordings of an older format. */
wlab_code wlab_algo_older(const wlab_algo *, const wlab_problem *, int format, wlab_params *, wlab_err *);
/* The whole state, appended to *buf. */
wlab_code wlab_algo_snapshot(const wlab_algo *, const void *state, wlab_buf *, wlab_err *);
/* Into a state made by create() with the same problem and parameters, from buf->pos.  The state is as before where the
 * snapshot is cut short, memory does not suffice or it is interrupted; of a snapshot that is damaged within, half may be
 * read: then it is good for another restore, or destroy. */
wlab_code wlab_algo_restore(const wlab_algo *, void *state, wlab_buf *, wlab_ctx *, wlab_err *);

int wlab_probe_count(const wlab_algo *);
int wlab_probe_index(const wlab_algo *, wlab_probe_kind); /* the first of the kind; -1: none */
const wlab_probe *wlab_probe_recorded(const wlab_algo *); /* NULL: none */
/* Whether nobody notices that it is computed, `weighed` being how many rows the recorded probe has. */
bool wlab_probe_is_quick(const wlab_probe *, const wlab_problem *, int64_t weighed);
/* Room for rows x columns numbers, which say nothing yet. */
wlab_code wlab_probed_make(wlab_probed *, int64_t rows, int64_t columns, wlab_err *);
void wlab_probed_clear(wlab_probed *);

#ifdef __cplusplus
}
#endif

#endif
