/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Experiments: what is compared, in the words of the command language, and the cells that it falls into.
 *
 *     # comment
 *     title SVM against WellSVM
 *     load heart.libsvm                         data sets: `load` and `generate` lines
 *     generate two-moons n=200 noise=0.1 as moons
 *     scale minmax                              may be left out; statistics are of the training rows
 *     split test=0.25                           or folds=10; may be left out
 *     task ssl labeled={5%,10%,15%}             {...} here: settings, each with its own table
 *     method SVM algo svm kernel=rbf
 *     method WellSVM algo wellsvm kernel=linear C2={0.01,0.1,1}       {...} here: `tune` chooses
 *         or algo wellsvm kernel=rbf sigma={0.5x,1x} C2={0.01,0.1,1}
 *     tune folds=5
 *     repeat 30                                 or {1..30}: the seeds
 *     continue until gap < 1e-4                 may be left out: `continue`
 *     eval test unlabeled                       may be left out: as `eval` alone
 *     published SVM labeled=5% repeats=30 heart=.70+-.08   numbers to show beside ours
 *     table against=SVM                         what is reported: settings of `table`, any number of lines
 *     curve accuracy vs labeled                 and of `curve`
 *
 * A seed that is not written is that of the repetition, in `generate` too.  In generate, split and task {seed} stands
 * for it and {data} for the data set's name: `task ssl labeled=@{data}-splits.txt line={seed}`.  A key that stands in
 * braces in several lines goes through the same values in all of them at once.
 */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "session/session.h"
#include "weaklab/tune.h"

typedef struct wlab_exp_data {
    char *name; /* as in tables; unique */
    char *
        line; /* the command, `as NAME` in it, braces and all, without an added seed; after the check its paths
                   are absolute */
    bool drawn;      /* `generate` without a seed: another sample each repetition */
    char sha256[65]; /* of the file, and of files that its settings and the task's name; "" when generated, or
                        before the check */
    char file[65];   /* of the file alone, which every cell finds again; "" when generated, or not known */
    long at;         /* line of the file */
} wlab_exp_data;

/* One combination of the values in braces of generate, split and task. */
typedef struct wlab_exp_setting {
    char *name; /* "labeled=5%", several with a blank between; "": there are no braces */
    int values; /* [values] key and value of each brace */
    char **key, **value;
} wlab_exp_setting;

typedef struct wlab_exp_method {
    char *name;
    char **algo; /* [alternatives] what stands behind `algo`, braces and all */
    int alternatives;
    int candidates; /* over all alternatives; above 1: tuned */
    long at;
} wlab_exp_method;

typedef struct wlab_exp_published {
    int method; /* or -1: of a method that is not run; then `name` */
    char *name;
    int data, setting;
    double mean, deviation; /* NaN: not given */
    int repeats;            /* behind them, repeats=30; 0: not given */
} wlab_exp_published;

/* A line that says what is reported: "table against=SVM", without the first word. */
typedef struct wlab_exp_report {
    bool curve;
    char *rest;
    long at;
} wlab_exp_report;

typedef struct wlab_cell {
    int64_t number; /* from 1, in the order of the plan: repetition, setting, data, method, fold */
    int data, setting, method;
    int64_t seed;
    int fold;     /* from 1; 0: the split has no folds */
    char key[65]; /* SHA-256 of all that decides on the result, data included: not of names, paths, places */
} wlab_cell;

typedef struct wlab_experiment {
    char *text; /* of the file, whole */
    char *path; /* as it was given */
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
    double
        test_ratio; /* test rows / training rows of the split, for the corrected t-test; the largest where they
                          differ; NaN: no split, or test=COUNT before the check */
    const wlab_task *task;
    wlab_params
        *tune; /* wlab_tune_params; NULL: there is no such line, and no method with several candidates */
    char *scale, *split, *task_line, *go,
        *eval; /* whole lines, braces and all; NULL: left out (task_line, go, eval never); eval with all its rows */
    char *until;     /* the condition of `go`, or NULL */
    wlab_cell *cell; /* [cells] after the check */
    int64_t cells;
    char plan[65]; /* SHA-256 over the cells' keys, in order */
} wlab_experiment;

/* Read and check every word that can be checked without the data; the first error has FILE:LINE:COLUMN.  text: the
 * file's content, path: for messages and to find data files beside it. */
wlab_code wlab_experiment_parse(wlab_experiment **, const char *text, size_t len, const char *path,
                                wlab_err *);
wlab_code wlab_experiment_read(wlab_experiment **, const char *path, wlab_err *);
void wlab_experiment_free(wlab_experiment *);
/* The rest of the check: load or make every data set, split it and set the task once for each setting, in a session of
 * its own with these places; then the cells are there.  Nothing is trained. */
wlab_code wlab_experiment_check(wlab_experiment *, const wlab_places *, wlab_ctx *, wlab_err *);

/* The cells with their keys, and `plan`, made anew from what was parsed and the data sets' sha256: the check ends with
 * it; a worker and the store have the sums from elsewhere and read no data. */
wlab_code wlab_experiment_plan(wlab_experiment *, wlab_err *);

/* What a session does before a cell's `algo`: data, split, scale, task, with seeds; and behind it: go, eval.
 * Owned by the caller (wlab_list_free). */
wlab_code wlab_cell_before(const wlab_experiment *, const wlab_cell *, char ***lines, int *n, wlab_err *);
wlab_code wlab_cell_after(const wlab_experiment *, const wlab_cell *, char ***lines, int *n, wlab_err *);
/* The candidates of its method, with the seed. */
wlab_code wlab_cell_candidates(const wlab_experiment *, const wlab_cell *, wlab_candidate **, int *n,
                               wlab_err *);
/* "heart labeled=5% WellSVM seed=7 fold=2": for people. */
wlab_code wlab_cell_title(const wlab_experiment *, const wlab_cell *, wlab_buf *);

/* A number, a percentage or a multiple, "5%", "0.1x": what an axis can show. */
bool wlab_exp_number(const char *value, double *number);
/* The rows that a score is of: their name at *rows, whose length is returned; 0: it is of none (a time, a metric).  Where
 * *rows is `score` itself the score's own name follows behind it and a '_'. */
int wlab_exp_score_rows(const wlab_experiment *, const char *score, const char **rows);

#endif
