/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Experiments: a file in the command language says what is compared.  The work is divided into cells: a cell is one
 * method on one data set, with one setting, one seed and one fold.
 *
 *     # comment
 *     title SVM against WellSVM
 *     load heart.libsvm                         data sets: `load` and `generate` lines
 *     generate two-moons n=200 noise=0.1 as moons
 *     scale minmax                              optional; statistics are computed from the training rows
 *     split test=0.25                           or folds=10; optional
 *     task ssl labeled={5%,10%,15%}             {...} here: settings, each with its own table
 *     method SVM algo svm kernel=rbf
 *     method WellSVM algo wellsvm kernel=linear C2={0.01,0.1,1}       {...} here: `tune` chooses
 *         or algo wellsvm kernel=rbf sigma={0.5x,1x} C2={0.01,0.1,1}
 *     tune folds=5
 *     repeat 30                                 or {1..30}: the seeds
 *     continue until gap < 1e-4                 optional; default: `continue`
 *     eval test unlabeled                       optional; default: the rows of `eval` alone
 *     published SVM labeled=5% repeats=30 heart=.70+-.08   numbers to show beside ours
 *     table against=SVM                         reports: settings of `table`, any number of lines
 *     curve accuracy vs labeled                 and of `curve`
 *
 * A command without seed=, `generate` too, uses the seed of the repetition.  In generate, split and task, {seed} is
 * replaced by that seed and {data} by the data set's name: `task ssl labeled=@{data}-splits.txt line={seed}`.  A key
 * that has braces in several lines has the same value in all of them in each setting.
 */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "session/session.h"
#include "weaklab/tune.h"

typedef struct wlab_exp_data {
    char *name; /* as in tables; unique */
    /* The command with `as NAME` and its braces, without an added seed; after the check its paths are absolute. */
    char *line;
    bool drawn; /* `generate` without a seed: another sample in each repetition */
    /* SHA-256 over the data file and the files that its settings and the task's settings name.  "": not checked yet, or
     * generated and no setting names a file. */
    char sha256[65];
    /* of the data file alone, which every cell checks again; "": generated, or not known yet */
    char file[65];
    long at; /* line number in the experiment */
} wlab_exp_data;

/* One combination of the values in braces of generate, split and task. */
typedef struct wlab_exp_setting {
    char *name; /* "labeled=5%", several separated by blanks; "": there are no braces */
    int values;
    char **key, **value; /* [values] of each brace */
} wlab_exp_setting;

typedef struct wlab_exp_method {
    char *name;
    char **algo; /* [alternatives] the text after `algo`, with its braces */
    int alternatives;
    int candidates; /* over all alternatives; more than 1: tuned */
    long at;
} wlab_exp_method;

typedef struct wlab_exp_published {
    int method; /* -1: a method that is not in the experiment */
    char *name;
    int data, setting;
    double mean, deviation; /* NaN: not given */
    int repeats;            /* the number of repetitions that they are from, repeats=30; 0: not given */
} wlab_exp_published;

/* A `table` or `curve` line. */
typedef struct wlab_exp_report {
    bool curve;
    char *rest; /* the line without its first word */
    long at;    /* line number */
} wlab_exp_report;

typedef struct wlab_cell {
    int64_t number; /* from 1, in the order of the plan: repetition, setting, data, method, fold */
    int data, setting, method;
    int64_t seed;
    int fold; /* from 1; 0: the split has no folds */
    /* SHA-256 over all that the result depends on, data included, but not over names and paths */
    char key[65];
} wlab_cell;

typedef struct wlab_experiment {
    char *text; /* the whole file */
    char *path; /* as given */
    char *title;
    wlab_exp_data *data;
    int ndata;
    wlab_exp_setting *setting;
    int nsettings; /* at least 1 */
    wlab_exp_method *method;
    int nmethods;
    wlab_exp_published *published;
    int npublished;
    wlab_exp_report *report;
    int nreports;
    int64_t *seed;
    int nseeds;
    int folds; /* of the split; 0: none */
    /* Test rows / training rows of the split, for the corrected t-test; the largest if the cells differ.  NaN: no
     * split, or test=COUNT before the check. */
    double test_ratio;
    const wlab_task *task;
    /* wlab_tune_params; NULL: there is no `tune` line, and no method with several candidates */
    wlab_params *tune;
    /* Whole lines with their braces; NULL: left out (task_line, go and eval never are).  eval: with all its rows. */
    char *scale, *split, *task_line, *go, *eval;
    char *until;     /* the condition of `go`, or NULL */
    wlab_cell *cell; /* [cells] after the check */
    int64_t cells;
    char plan[65]; /* SHA-256 over the cells' keys, in order */
} wlab_experiment;

/* Read the experiment and check every word that can be checked without the data; the first error has FILE:LINE:COLUMN.
 * text: the content of the file.  path: for messages and to find data files relative to it. */
wlab_code wlab_experiment_parse(wlab_experiment **, const char *text, size_t len, const char *path,
                                wlab_err *);
wlab_code wlab_experiment_read(wlab_experiment **, const char *path, wlab_err *);
void wlab_experiment_free(wlab_experiment *);
/* The rest of the check: load or generate every data set, split it and set its task once for each setting, in a session
 * of its own with these places, and then plan the cells.  Nothing is trained. */
wlab_code wlab_experiment_check(wlab_experiment *, const wlab_places *, wlab_ctx *, wlab_err *);

/* Compute the cells with their keys, and `plan`, from the parsed lines and the data sets' sha256.  The check calls this
 * at its end; workers and the store, which get the sums from elsewhere, call it without reading any data. */
wlab_code wlab_experiment_plan(wlab_experiment *, wlab_err *);

/* The lines that a session executes before a cell's `algo` (data, split, scale, task, with seeds) and after it (go,
 * eval).  Owned by the caller (wlab_list_free). */
wlab_code wlab_cell_before(const wlab_experiment *, const wlab_cell *, char ***lines, int *n, wlab_err *);
wlab_code wlab_cell_after(const wlab_experiment *, const wlab_cell *, char ***lines, int *n, wlab_err *);
/* The candidates of the cell's method.  Those whose algorithm takes a seed, and that give none, get the cell's. */
wlab_code wlab_cell_candidates(const wlab_experiment *, const wlab_cell *, wlab_candidate **, int *n,
                               wlab_err *);
/* "heart labeled=5% WellSVM seed=7 fold=2", for people. */
wlab_code wlab_cell_title(const wlab_experiment *, const wlab_cell *, wlab_buf *);

/* Whether the value can be shown on an axis: a number, a percentage or a multiple ("5%", "0.1x"). */
bool wlab_exp_number(const char *value, double *number);
/* The unit of such a value: "%" of "5%", "nn" of "1nn", "" of "10".  Values with different units have no common axis. */
const char *wlab_exp_unit(const char *value);
/* "labeled=10 and labeled=5% are of different kinds ..." */
wlab_code wlab_exp_fail_units(const char *key, const char *value, const char *other, wlab_err *);
/* The rows of the data that a score of `eval` is of.  *rows points to their name, and the name's length is returned; 0:
 * the score is not of rows (a time, a metric).  In a score such as "unlabeled_accuracy" *rows is `score` itself, and
 * '_' and the score's own name follow; otherwise it points into the `eval` line. */
int wlab_exp_score_rows(const wlab_experiment *, const char *score, const char **rows);

#endif
