/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interface of a steppable algorithm.
 *
 * An algorithm keeps its state to itself.  `advance` does one inner unit (the command `stepi`).  An outer step (the
 * command `step`) consists of inner units, up to the one that reports the step complete.  The algorithm does not loop
 * until convergence: it reports a verdict after each step.  `walk` serialises the whole state, including the random
 * generator, so that time travel, forks and recovery use one mechanism.
 */
#ifndef WEAKLAB_ALGO_H
#define WEAKLAB_ALGO_H

#include "weaklab/metric.h"
#include "weaklab/model.h"
#include "weaklab/score.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wlab_walk;

/* The idea by which an algorithm deals with labels that are missing; help and lists group algorithms by it. */
typedef enum wlab_idea {
    WL_IDEA_NONE,
    WL_IDEA_LABELLED, /* it ignores rows without a label: the baselines */
    WL_IDEA_RELAXATION,
    WL_IDEA_EXACT,
    WL_IDEA_IN_TURN,
    WL_IDEA_DESCENT,
    WL_IDEA_BAG_MEANS,
    WL_IDEA_GRAPH,
    WL_IDEAS
} wlab_idea;
extern const char *const wlab_idea_names[WL_IDEAS]; /* as headings */

typedef enum wlab_verdict {
    WL_MORE,      /* not finished: another step can follow */
    WL_CONVERGED, /* the algorithm's own criterion holds */
    WL_STALLED,   /* the criterion does not hold, but no progress is possible; a note says why */
    WL_LIMIT,     /* a limit that the user set (iterations, labelings) was reached */
} wlab_verdict;
/* What the certified bounds say after a step (wlab_metric_certified). */
typedef struct wlab_certified {
    double relgap; /* NaN: nothing */
    /* The solution whose value the bounds enclose, if it is not one of the problem itself ("relaxation"), or if the model
     * that predicts is another one; NULL: neither. */
    const char *of;
    /* The value of the labeling that predicts, if `of` is set, and the lower bound, which is one for this value, too; NaN:
     * not known. */
    double value, lower;
} wlab_certified;
/* How large the relative gap is at the verdict: "proven" (converged to 1e-6), "5.5 % open", or "relaxation proven"
 * (wlab_certified.of); "" if relgap has no value or the run is not finished.  Returns buf. */
const char *wlab_verdict_open(wlab_verdict, const wlab_certified *, char *buf, size_t size);
/* The same, followed by what is known of the labeling that predicts: "relaxation proven; the labeling that predicts:
 * objective 5.61, bound 1.06".  Returns buf. */
const char *wlab_verdict_open_whole(wlab_verdict, const wlab_certified *, char *buf, size_t size);
/* wlab_verdict_open with the verdict: "proven", "converged, relaxation proven", "converged, 5.5 % open", "limit, 12 %
 * open", "stalled".  Returns buf. */
const char *wlab_verdict_text(wlab_verdict, const wlab_certified *, char *buf, size_t size);
extern const char *const wlab_verdict_names[]; /* "more", "converged", "stalled", "limit" */

/* ---- probes: numbers of a state from which views draw pictures, besides metrics, labels and the model ---- */

/* What a probe's numbers are.  A view or pane draws one kind, whichever algorithm offers it.  A new kind needs a line
 * here, its cost in wlab_probe_is_quick, and its view. */
typedef enum wlab_probe_kind {
    WL_PROBE_WEIGHTS,     /* [rows] the weight of each labeling in the working set, the newest last */
    WL_PROBE_EIGENVALUES, /* [rows] the largest eigenvalues of a matrix, at most WL_EIGENVALUES_MOST */
    WL_PROBE_RESTARTS,    /* [rows] the objective of each restart */
    WL_PROBE_COSINES, /* [rows x rows] cosines of the angles between the vectors to which the weights belong, symmetric,
                       * for the newest WL_COSINES_MOST at most; NaN if a vector is 0 */
    WL_PROBE_MATRIX, /* [rows x rows] a symmetric matrix over the requested instances; quick for some hundred */
    WL_PROBE_SCORES, /* [instances x classes] the scores that are rounded to labels, classes by wlab_label_index */
    WL_PROBE_TREE, /* [depths x WL_TREE_COLUMNS] a search tree by depth, the root first; a bound that no node has is NaN */
    WL_PROBE_CENTRES, /* [classes x columns] a centre for each class, as a row of the data; 0 rows: with a kernel a centre
                       * is not such a row */
    WL_PROBE_SLICE, /* [WL_SLICE_POINTS x 2, or x 3 if `beside` is set] t, and the objective at w_old + t (w - w_old), where
                       * w_old is the point from which the last move of w started; and the function `beside` */
    WL_PROBE_CUTS, /* [rows x WL_CUT_COLUMNS] the thresholds at which a function of the rows may be cut into two clusters, in
                       * ascending order, and what is minimised over them; the last row: the threshold that was chosen */
    WL_PROBE_LANDSCAPE, /* [WL_LAND_SIDE^2 + 2 x WL_LAND_COLUMNS] the objective of a concept at places over two columns of the
                         * data, in rows of equal y; then the concept; then the numbers of the two columns, from 0 */
    WL_PROBE_MAP, /* [rows x WL_MAP_COLUMNS] labelings in the plane, the distances as near as possible to how many rows they
                   * differ on, their values, and what they are */
} wlab_probe_kind;
enum {
    WL_PROBE_KINDS = WL_PROBE_MAP + 1,
    WL_MAP_X = 0, /* columns of a map */
    WL_MAP_Y,
    WL_MAP_VALUE, /* NaN: none */
    WL_MAP_KIND,
    WL_MAP_COLUMNS,
    WL_MAP_OTHER = 0, /* what a labeling is */
    WL_MAP_CANDIDATE,
    WL_MAP_START, /* what the run began with */
    WL_MAP_RESULT,
    WL_MAP_KINDS,
    WL_LAND_SIDE = 60,
    WL_LAND_X = 0, /* columns of a landscape */
    WL_LAND_Y,
    WL_LAND_VALUE,
    WL_LAND_COLUMNS,
    WL_CUT_AT = 0,  /* columns of cuts: the threshold */
    WL_CUT_VALUE,   /* what is minimised */
    WL_CUT_ALLOWED, /* 1: the label set allows the cut */
    WL_CUT_BOUND,   /* a certified lower bound on the values of all cuts; NaN: none */
    WL_CUT_COLUMNS,
    WL_SLICE_POINTS = 81, /* of a slice: t from -0.5 to 1.5 */
    WL_SLICE_OLD = 20,    /* the row with t = 0 */
    WL_SLICE_NEW = 60,    /* the row with t = 1 */
    WL_TREE_SPLIT = 0,    /* columns of a tree: number of nodes that were split in two */
    WL_TREE_CLOSED,       /* number of nodes that were closed */
    WL_TREE_OPEN,         /* number of nodes that wait */
    WL_TREE_SPLIT_BOUND,  /* smallest lower bound of the nodes that were split */
    WL_TREE_CLOSED_BOUND,
    WL_TREE_OPEN_BOUND,
    WL_TREE_COLUMNS,
    WL_EIGENVALUES_MOST = 100,
    WL_COSINES_MOST = 200
};

/* When a probe is computed.  All but recorded ones are computed only when something displays them. */
typedef enum wlab_probe_when {
    WL_PROBE_RECORDED, /* at every step, into its row of the trace: a vector; at most one probe per algorithm */
    WL_PROBE_PAUSE,    /* between jobs, when a picture requests it */
    WL_PROBE_QUICK     /* between jobs; also for live pictures, if wlab_probe_is_quick */
} wlab_probe_when;

/* The numbers: rows x columns, row-major. */
typedef struct wlab_probed {
    int64_t rows, columns;
    int64_t first; /* of cosines: the index, from 0, of the weight to which the first row belongs */
    double *value; /* owned by the caller */
} wlab_probed;

typedef struct wlab_probe_ask {
    const struct wlab_probe *probe; /* the requested probe, for a `get` that serves several */
    const int32_t *instance;        /* [n] the instances of a requested matrix; NULL for other kinds */
    int64_t n;
} wlab_probe_ask;

typedef struct wlab_probe {
    const char *name; /* of the quantity: "mu", "Z" */
    wlab_probe_kind kind;
    wlab_probe_when when;
    const char *meaning; /* one line */
    /* Fills *out, which is empty before the call and after a failure; wlab_probed_make allocates it.  If there is nothing
     * yet: WL_ESTATE, or, for a vector, 0 rows. */
    wlab_code (*get)(const void *state, const wlab_probe_ask *, wlab_probed *out, wlab_ctx *, wlab_err *);
    const char
        *beside; /* of a slice: the function that is drawn beside the objective ("majoriser"); NULL: none */
} wlab_probe;    /* tables end with name = NULL */

/* What one inner unit reports.  All fields are 0 unless it completed an outer step. */
typedef struct wlab_step {
    bool complete;        /* the unit completed an outer step; the other fields describe that step */
    wlab_verdict verdict; /* after the step */
    /* The number of the phase (a level of lambda', a temperature) to which the step belongs, as the algorithm counts them.  It
     * decreases only if `set` returns the run to an earlier phase.  0 also if it has no phases (and no phase_unit). */
    int64_t phase;
    /* The step was the last of its phase: the next step begins another phase, or there is none.  `finish` makes steps,
     * at least one, until this is true. */
    bool phase_complete;
} wlab_step;

/* An algorithm.  No member is NULL unless its comment says that it may be; test_metrics checks every algorithm.  The ctx
 * of a hook may be NULL: then there are no threads, no interrupts, and no listener for events. */
typedef struct wlab_algo {
    const char *name, *alias, *summary;
    const wlab_param_info *params; /* programs in other languages read the members up to here */
    wlab_idea idea;                /* not WL_IDEA_NONE */
    const char *problem;           /* what it minimises, as an equation, and its number in the source */
    const char
        *symbols; /* what the letters in `problem`, `step_unit` and the metrics are: lines "NAME: MEANING" */
    const char *when; /* one line for a user who chooses: the problems for which it is a good choice */
    const char *cost; /* one line: what a step computes, and on how many rows */
    /* What that takes in time and memory, as formulas (expr.h) over names of the problem: n instances, d columns, z entries
     * that are not 0, l labelled and u unlabelled rows, b bags, P classes (2 if there is one binary classifier per class), K (1 if it
     * works by a kernel matrix that kernel= asks for, else 0), and over the algorithm's parameters that are numbers.  With
     * a factor of R columns in the matrix's place K is 0, d = R and z = n R.  The kernel matrix and the factor themselves are
     * not part of the formulas (wlab_algo_cost adds them).  tests/bench/costs.c compares them with what is measured. */
    const char *work;      /* processor seconds of an outer step, a typical one of the first ten */
    const char *work_once; /* those before the first step, and what it takes longer; NULL: none */
    const char *memory;    /* bytes held during a step */
    const char *
        columns; /* those of the factor of the kernel matrix, if the algorithm makes one itself; NULL: it does not */
    int64_t rows_most;    /* it refuses more rows; 0: no limit but those of a kernel matrix */
    const char *proves;   /* one line: what it certifies; NULL: nothing about other labelings */
    const char *source;   /* paper, algorithm and equation numbers */
    unsigned learns_from; /* WL_SEES_ bits: it accepts every task whose `sees` has one of these */
    unsigned
        made_for; /* the bits of learns_from for which it was designed: listed before methods for any label set */
    unsigned advised_for;    /* the bits of learns_from for which the program advises to begin with it */
    bool multiclass;         /* it solves problems of more than two classes itself */
    bool kernel_of_labelled; /* its kernel matrix has only the labelled rows */
    /* The bits of learns_from for which it can learn from rows on several ranks (algo/away.h): its sums over rows are those of
     * base/rows.h, in every hook. */
    unsigned ranks;
    bool any_balance; /* the fraction of positives r of a task with labelled rows plays no role */
    const char *step_unit, *inner_unit; /* what one step and one stepi do */
    /* What the verdict "converged" means: a condition (expr.h) over metrics and parameters that holds after the last step
     * (in an algorithm with several stages, after the last step of the stage that the condition is about).  The condition
     * writes a parameter with choices as NAME=CHOICE; first_objective is the first value of the objective. */
    const char *converged;
    const char *
        converged_also; /* in words: other rules by which a run ends as converged, or what the condition leaves open; NULL: none */
    const char *phase_unit; /* the phase that `finish` completes ("temperature"); NULL: no phases */
    const wlab_metric_info *metrics;
    const wlab_probe *probes; /* NULL: none */
    wlab_code (*create)(void **state, wlab_problem *, const wlab_params *, wlab_ctx *, wlab_err *);
    /* Does one inner unit and writes *step.  After an error the state is as before the call. */
    wlab_code (*advance)(void *state, wlab_ctx *, wlab_step *, wlab_err *);
    /* Writes metrics[] in table order (NaN: no value) and labels[n instances], coded as in weaklab/task.h.  Either may be
     * NULL. */
    void (*observe)(const void *state, double *metrics, int8_t *labels);
    wlab_code (*model)(const void *state, wlab_model **, wlab_ctx *, wlab_err *);
    /* The kernel after kernel=auto and a width with a unit were resolved; returns NULL while it is unknown, before the
     * first step.  The member is NULL if the algorithm has no kernel. */
    const wlab_kernel *(*kernel)(const void *state);
    /* The loss of an unlabelled row with output o at temperature T and weight `weight` (the metrics with roles
     * WL_R_TEMPERATURE and WL_R_LEVEL of a step), in units of the final weight, which *full receives.  Its additive
     * constant is such that the value at o = 0 does not depend on T.  NULL: unlabelled rows have no such loss. */
    double (*row_loss)(const wlab_params *, double T, double weight, double o, double *full);
    /* If each step replaces row_loss by a convex function that is nowhere below it and touches it at the row's output: the
     * value at o of the one of a row whose output is *at, a typical one on the side (+1 or -1).  NULL: there are none. */
    double (*row_majoriser)(const wlab_params *, int side, double o, double *at);
    /* The loss with which the model is trained; the file of an exported linear model states it (wlab_algo_loss).  loss_of:
     * the one that the parameters choose; NULL: it is always `loss`. */
    wlab_loss loss;
    wlab_loss (*loss_of)(const wlab_params *);
    /* Bags with a sign: how a bag's output follows from those of its instances. */
    wlab_bag_rule bag_rule;
    /* The value in use of a parameter that others (WL_P_ALIAS) or the problem (`solved`, or else the task's) set; of a choice
     * its number; NaN: that of its own text.  NULL: none is set by others. */
    double (*setting)(const wlab_problem *, const wlab_params *, const char *name);
    /* For the bracket of `compare`, which combines bounds of several algorithms.  Algorithms with a metric WL_R_BALANCED
     * evaluate Eq. 7 of SVMlin's paper at labelings.  certifies: it solves the problem of wellsvm and bb, defined by the
     * same parameters: for runs with the same settings WL_R_LOWER (if it has this metric) is a lower bound on the minimum
     * over all labelings, and WL_R_LABELING an upper one (WL_R_BEST if it has no metric WL_R_LOWER).  suggest: whether to
     * advise the user to start a run of this algorithm, because it could give a tighter lower bound than the labelled rows
     * alone; it writes the reason into words, for yes and for no.  NULL: a run is never advised. */
    bool certifies;
    /* If `certifies` is set, but these parameters make its problem another one than that of wellsvm and bb: the setting that
     * does ("negatives=bag"), else NULL.  The member is NULL if no parameters do. */
    const char *(*departs)(const wlab_params *);
    /* Of which solution WL_R_LOWER and WL_R_UPPER enclose the value, if it does not solve the problem itself, as the solution
     * of a relaxation, or if the model that predicts after a step with these metrics (in the order of the table) is another
     * one, such as a labeling that was rounded from it: a word for messages ("relaxation").  *value, which is NaN before the call: the value of the labeling that predicts in a problem for which
     * WL_R_LOWER is a lower bound, if that is known.  Returns NULL if the model is that solution, and it is one of
     * the problem itself.  The member is NULL if that is always so. */
    const char *(*certified)(const wlab_params *, const double *metric, double *value);
    /* The problem that the state solves, if that is another one than the task's, on the same rows: two runs that solve
     * different problems have no common bounds.  NULL: the task's. */
    const wlab_problem *(*solved)(const void *state);
    /* Whether two given settings pose the same problem on these rows and take the same steps, although the texts of their
     * parameters differ: `tune` then trains only one.  NULL: they never do. */
    bool (*same)(const wlab_problem *, const wlab_params *, const wlab_params *);
    /* What the run's labels are, for titles, if they are not the labeling that was added last to the weighted ones
     * ("recovered labels"); NULL: they are. */
    const char *labels_are;
    bool (*suggest)(const wlab_problem *, char *words, size_t size);
    /* Write into buf, in words with numbers, what the last step did and what the next one will do. */
    void (*explain)(const void *state, char *buf, size_t size);
    void (*next)(const void *state, char *buf, size_t size);
    /* Writes or reads back all fields of the state, including the random generator (base/walk.h). */
    void (*walk)(void *state, struct wlab_walk *);
    /* A snapshot has one copy more or fewer (by = 1, -1): for an algorithm that keeps a part of it elsewhere.  NULL: all of
     * it is in the snapshot. */
    void (*hold)(const wlab_buf *snapshot, int by);
    /* Adopts parameters that changed between steps (only WL_P_MUTABLE ones differ); NULL if none is mutable. */
    wlab_code (*set)(void *state, const wlab_params *, wlab_err *);
    void (*destroy)(void *state);
    /* Sets the parameters whose default was another one in recordings of an older format (those of the kernel are set
     * elsewhere).  NULL: no default has changed. */
    wlab_code (*older)(const wlab_problem *, int format, wlab_params *, wlab_err *);
} wlab_algo;

/* A parameter's value in use: its text or, if other parameters set it, the number, written into buf.  *by, which may be
 * NULL, becomes the one that sets it, or NULL.  Returns NULL if it has no value. */
const char *wlab_algo_setting(const wlab_algo *, const wlab_problem *, const wlab_params *,
                              const wlab_param_info *, const wlab_param_info **by, char buf[WL_REAL_TEXT]);
/* What the certified bounds say after a step with these metrics, in the order of the table.  relgap is NaN if the algorithm
 * has none, or if it trains one binary classifier per class, as the gap in metric[] is then that of the last one only. */
wlab_certified wlab_metric_certified(const wlab_algo *, const wlab_params *, const double *metric);

extern const wlab_algo *const wlab_algos[];        /* NULL-terminated */
const wlab_algo *wlab_algo_find(const char *name); /* by name or alias, capitals or not */
/* The k-th algorithm, from 0, that solves the task with this number of classes; those designed for what the task observes
 * come first.  NULL: there are no more. */
const wlab_algo *wlab_algo_suited(const wlab_task *, int classes, int k);
/* The name of the algorithm with which to begin on this problem (NULL, or without a task: wellsvm).  Never NULL. */
const char *wlab_algo_advised(const wlab_problem *);
/* Whether it can read the rows: those of data that were loaded with ranks=all only with `ranks`. */
bool wlab_algo_reaches(const wlab_algo *, const wlab_problem *);
/* Whether the algorithm solves the task with this number of classes, itself or by one binary classifier per class. */
bool wlab_algo_suits(const wlab_algo *, const wlab_task *, int classes);
/* What runs `algo` on a problem: algo itself, or, if the problem has more classes than algo distinguishes, one binary
 * classifier per class, each trained against the rest (algo/onevsrest.h); and that by a factor of the kernel matrix, if the
 * parameters (NULL: not known) ask for one (algo/lowrank.h).  WL_ESTATE for more than two clusters, and if
 * algo learns from bags only; the message says what to do instead. */
wlab_code wlab_algo_for(const wlab_algo **out, const wlab_algo *algo, const wlab_problem *,
                        const wlab_params *, wlab_err *);
/* The algorithm whose table of parameters this is; NULL: none. */
const wlab_algo *wlab_algo_of_params(const wlab_params *);
/* Sets parameters that a recording of an older format does not name to the defaults of that format. */
wlab_code wlab_algo_older(const wlab_algo *, const wlab_problem *, int format, wlab_params *, wlab_err *);
/* What a run costs, estimated before it begins. */
typedef struct wlab_cost {
    double
        start; /* processor seconds before the first step (a kernel matrix, say), and what that takes longer */
    double step;  /* those of an outer step, a typical one of the first ten */
    double bytes; /* memory held, without the data */
    int64_t
        most; /* the rows (l labelled ones, if `kernel_of_labelled`) it takes with these parameters, if there are more; else 0 */
} wlab_cost;
/* Evaluates the formulas of `algo` on a problem that it suits, with the parameters in use (NULL: the defaults), and adds what
 * algorithms share: the matrix of a kernel that is not linear (n z operations, 8 n^2 bytes), its factor (n R^2 operations,
 * 16 n R bytes), a graph of neighbours (n z).  Right in order of magnitude (docs/benchmarks.md), for one thread of a machine of
 * 2020; how many steps a run needs is not known.  Cost: O(1).  WL_ENOMEM. */
wlab_code wlab_algo_cost(wlab_cost *, const wlab_algo *, const wlab_problem *, const wlab_params *,
                         wlab_err *);
/* "about 0.3 s" and "40 MB", to one digit; "less than 1 ms", "about 5 min".  Return buf. */
const char *wlab_cost_seconds(double seconds, char *buf, size_t size);
const char *wlab_cost_bytes(double bytes, char *buf, size_t size);
/* Steps until the verdict says that the run has ended.  WL_EINTERRUPTED; errors of the algorithm. */
wlab_code wlab_algo_to_end(const wlab_algo *, void *state, wlab_ctx *, wlab_err *);
/* The whole state, appended to *buf. */
wlab_code wlab_algo_snapshot(const wlab_algo *, const void *state, wlab_buf *, wlab_err *);
/* Reads a snapshot at buf->pos into a state made by create() with the same problem and parameters.  The state is unchanged
 * if the snapshot is cut short, memory runs out, or the call is interrupted.  A snapshot that is damaged inside may be read
 * in part: then the state can only be restored again or destroyed. */
wlab_code wlab_algo_restore(const wlab_algo *, void *state, wlab_buf *, wlab_ctx *, wlab_err *);

static inline wlab_loss wlab_algo_loss(const wlab_algo *algo, const wlab_params *params)
{
    return algo->loss_of ? algo->loss_of(params) : algo->loss;
}

/* `certifies` for a run with these parameters (NULL: not known, the defaults). */
static inline bool wlab_algo_certifies(const wlab_algo *algo, const wlab_params *params)
{
    return algo->certifies && !(algo->departs && params && algo->departs(params));
}

/* The t of a slice's point k: exactly 0 at WL_SLICE_OLD and 1 at WL_SLICE_NEW. */
static inline double wlab_slice_place(int64_t k)
{
    return (double)(k - WL_SLICE_OLD) / (double)(WL_SLICE_NEW - WL_SLICE_OLD);
}
int wlab_probe_count(const wlab_algo *);
int wlab_probe_index(const wlab_algo *, wlab_probe_kind); /* the first probe of the kind; -1: none */
const wlab_probe *wlab_probe_recorded(const wlab_algo *); /* NULL: none */
/* Whether a WL_PROBE_QUICK probe takes too little time to be noticed; true for other probes.  `weighed`: the number of
 * rows of the recorded probe. */
bool wlab_probe_is_quick(const wlab_probe *, const wlab_problem *, int64_t weighed);
/* Allocates rows x columns numbers, uninitialised. */
wlab_code wlab_probed_make(wlab_probed *, int64_t rows, int64_t columns, wlab_err *);
/* Fills *out for WL_PROBE_MATRIX from a matrix M [bags x bags]: the value of the bags to which two instances belong. */
wlab_code wlab_probed_bags(wlab_probed *out, const wlab_problem *, const wlab_probe_ask *, const double *M,
                           wlab_err *);
void wlab_probed_clear(wlab_probed *);

#ifdef __cplusplus
}
#endif

#endif
