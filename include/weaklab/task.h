/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks: what a learner may observe.  A task turns training rows of a data set into a problem: instances, observed labels,
 * and the label set.
 */
#ifndef WEAKLAB_TASK_H
#define WEAKLAB_TASK_H

#include "weaklab/dataset.h"
#include "weaklab/labelset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the learner observes of the truth; bits of wlab_algo.learns_from.  An algorithm with a bit learns from every task
 * whose `sees` has that bit. */
typedef enum wlab_sees {
    WL_SEES_ALL_LABELS = 1,   /* the label of every row */
    WL_SEES_SOME_LABELS = 2,  /* the labels of some rows; for the others at most their balance (r) */
    WL_SEES_NO_LABELS = 4,    /* no label; at most how much the sizes of the classes may differ */
    WL_SEES_BAG_SIGNS = 8,    /* for each bag whether any of its rows is positive */
    WL_SEES_PROPORTIONS = 16, /* for each bag the fraction of its rows that is positive */
    WL_SEES_CANDIDATES = 32,  /* for each row the classes that it may have */
    WL_SEES_POSITIVES =
        64, /* the label +1 of some rows, no label -1; of the others the fraction that is positive (r) */
    /* a label or candidates for single rows: a problem of one class against the rest observes the same kind */
    WL_SEES_ROWS = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS | WL_SEES_CANDIDATES,
    WL_SEES_ANYTHING = 127
} wlab_sees;

/* What is scored, and so the unit that cross-validation holds out as a whole. */
typedef enum wlab_scored {
    WL_SCORED_ROWS,       /* a row: its label (clusters: after the best matching) */
    WL_SCORED_BAGS,       /* a bag: the sign of its largest output */
    WL_SCORED_PROPORTIONS /* a bag: the fraction of its outputs that is positive */
} wlab_scored;

/* A number of a task that `info` displays beside the counts. */
typedef struct wlab_fact {
    const char *name;
    double value;
    bool whole;
} wlab_fact;
enum {
    WL_FACTS_MOST = 8
};

/* The bags of all rows of the data set, held-out rows included, unless the task dealt only its training rows into
 * bags. */
typedef struct wlab_all_bags {
    const int32_t *of_row; /* [data rows]; NULL: only the training rows have bags */
    int64_t bags;
    char *const *name; /* [bags] or NULL: bags have numbers only */
    double *given;     /* [bags] what proportions= says, NaN: nothing; NULL: it was not given */
    int32_t *own;      /* what of_row and name point to where it is not the data's */
    char **own_name;
} wlab_all_bags;

enum {
    WL_CLASSES_MOST = 64 /* classes of a problem: candidates are bits */
};

/* Labels are int8_t everywhere.  Two classes (classes = 2, "binary"): -1, +1, 0 for none.  More ("multi-class"):
 * 1 .. classes, 0 for none.  wlab_label_index and wlab_label_at make them indices from 0 and back.
 *
 * What the fields of a problem hold, by what the task observes (fields not in this table mean the same in all tasks):
 *
 *              all labels   some labels        no labels       bag signs            proportions        candidates
 * (a task)     supervised   ssl                cluster         mil                  llp                ambiguous
 * classes      2 or more    2 or more          2 or more       2                    2                  2 or more
 * visible      truth        label, or 0        0               -1 in a negative     label, or 0        label of a row with
 *                                                              bag, 0 in a positive                    one candidate, or 0
 * candidates   NULL         NULL               NULL            NULL                 NULL               set if multi-class
 * examples     rows         rows               rows            positive bags, rows  rows               rows
 *                                                              of negative ones (*)
 * cost is 0    all          labelled rows      none            positive bags        labelled rows      labelled rows
 * r            NaN          of the other rows, NaN             NaN                  NaN                NaN
 *                           NaN if multi-class
 * bag          NULL         NULL               NULL            set                  set                NULL
 * bag_given    NULL         NULL               NULL            1 positive, 0        fraction of        NULL
 *                                                              negative             positives, NaN:
 *                                                                                   not given
 * labels       the truth    the number of      sizes within    `keys` rows of each  each bag's count,  free rows
 * (label set)               negatives among    a bound         positive bag +1,     up to eps          unrestricted
 *                           unlabelled rows                    its others 0 (*)
 *
 * pu (positives) is like ssl, but every observed label is +1, and r is the class prior.
 *
 * (*) With labels=instances the examples are the rows, and each row of a positive bag is +1 or -1, at least one +1. */
typedef struct wlab_problem {
    int refs;
    const struct wlab_task *task;
    wlab_params *params; /* of the task, as given */
    wlab_dataset *data;  /* owned reference */
    wlab_matrix *X;      /* [n x d] view of the training rows */
    int64_t n;           /* instances */
    int32_t *row;        /* [n] row of the data set */
    int64_t examples;    /* the number of examples: each has a loss term and a dual variable alpha */
    int32_t *example;    /* [n] example of each instance */
    int classes;         /* P, 2 .. WL_CLASSES_MOST: the number of different labels */
    int truths; /* the number of values of `truth`: P; for clusters the number of classes of the data */
    /* Multi-class only: [truths] the class of the data for each value of `truth`, and so for each label unless the task
     * clusters.  NULL in binary problems, and for clusters of data without classes. */
    int32_t *class_number;
    /* A labeling selects key instances of positive bags, and the other rows of those bags have label 0 (mil). */
    bool keys;
    int8_t *visible; /* [n] the observed label, 0: none */
    int8_t *truth;   /* [n] a label, 0: unknown or of another class; for scoring only */
    /* [n] bit k set: the class of index k is possible.  NULL: rows without an observed label may have any class. */
    uint64_t *candidates;
    uint8_t *cost; /* [examples] 0: C1 (labelled), 1: C2 (unlabelled) */
    int64_t labelled, unlabelled;
    double *bag_given;      /* [bags] what the task gives for a bag (table above) */
    int32_t *bag;           /* [n] bag of each instance, from 0; NULL: the task has none */
    int32_t *bag_number;    /* [bags] its number among all bags (below), from 0; NULL: the same */
    int64_t bags;           /* 0: the task has none */
    wlab_all_bags all;      /* empty in a part of a problem */
    char r_from[80];        /* the source of r, "2 of 4 labels, drawn by class"; "": there is no r */
    double r;               /* fraction of positives among the unlabelled rows; NaN if the task has none */
    double r_lo, r_hi;      /* 95 % interval of r, if it was estimated from the rows; else NaN */
    int positive, negative; /* class numbers; negative = -1: every class but `positive`; positive = -1: the
                               data do not have two classes (cluster), truth is 0 for all rows, or the
                               problem is multi-class */
    char rest[16];          /* a name for all classes but `positive` together: a number that no class has */
    int hidden;             /* class that means "unlabelled" in the file (given=yes), or -1 */
    int64_t held_out;       /* rows of the data that were held out when the problem was made */
    char *split;  /* how they were chosen, as settings: "test=0.25 seed=1"; NULL: not known, or none are */
    char *remark; /* or NULL: one sentence that the user should know (rows left out) */
    wlab_labelset *labels; /* the label set; NULL in multi-class problems */
} wlab_problem;

/* A task.  Its hooks say which labels are observed and which labelings are allowed; its traits say what these mean.  Code
 * outside src/task asks for traits and never for a certain task, so that a new task needs one file and one line in
 * wlab_tasks. */
typedef struct wlab_task {
    const char *name, *summary, *source;
    wlab_sees sees;
    wlab_scored scored;
    bool
        clusters; /* a label is the number or sign of a cluster, which stands for no class until clusters are matched */
    const wlab_param_info *params; /* `positive` included */
    /* Fills truth, visible, r, bags, ... of *p, whose data, X, n, row and example are set.  The caller computes cost,
     * labelled and unlabelled from visible afterwards.  `test`: held-out rows of the data set, whose labels must not be
     * used.  WL_EINTERRUPTED: the caller drops *p. */
    wlab_code (*fill)(wlab_problem *p, const wlab_params *, const int32_t *test, int64_t n_test, wlab_ctx *,
                      wlab_err *);
    /* Makes p->labels, the label set, from the fields of *p and the parameters.  It must not draw random numbers: it is
     * called after `fill`, and again for a part of a problem (wlab_problem_without) and for a problem of one class
     * against the rest.  It is not called if there are more than two classes. */
    wlab_code (*allow)(wlab_problem *p, const wlab_params *, wlab_err *);
    /* Completes *p, a problem of one class against the rest whose labels are set, as `fill` would (r).  NULL: there is
     * nothing to add. */
    wlab_code (*one_class)(wlab_problem *p, const wlab_params *, wlab_err *);
    /* What `info task` displays beside the counts; NULL: nothing.  describe: lines, each with its newline.  facts: the same
     * as numbers; returns how many. */
    wlab_code (*describe)(const wlab_problem *, wlab_buf *);
    int (*facts)(const wlab_problem *, wlab_fact fact[WL_FACTS_MOST]);
} wlab_task;

extern const wlab_task *const wlab_tasks[]; /* NULL-terminated */
const wlab_task *wlab_task_find(const char *name);
/* Makes the problem of `task` on rows train[0 .. n_train-1] (NULL: all rows) of `data`.  Percentages among the parameters
 * are of these rows.  WL_EINTERRUPTED: there is no problem. */
wlab_code wlab_problem_create(wlab_problem **, wlab_dataset *data, const int32_t *train, int64_t n_train,
                              const int32_t *test, int64_t n_test, const wlab_task *, const wlab_params *,
                              wlab_ctx *, wlab_err *);
/* Makes the binary problem of the class of index k (+1) against the rest (-1) of a multi-class problem, on the same rows.  A
 * row is labelled if its label is observed, or if its candidates do not include the class.  The task sets r, for this
 * class (one_class).  WL_ESTATE for clusters and for problems of two classes. */
wlab_code wlab_problem_one_vs_rest(wlab_problem **, const wlab_problem *p, int k, wlab_err *);
/* Makes the same problem on other columns: X [n x any], of which it becomes the owner, also after a failure. */
wlab_code wlab_problem_with_columns(wlab_problem **, const wlab_problem *p, wlab_matrix *X, wlab_err *);
/* Makes, of a problem with bag signs, one on the same rows with other labels for the rows of positive bags. */
typedef enum wlab_bag_labels {
    WL_LABELS_KEYS,      /* one of each bag is the key instance, the others have no label */
    WL_LABELS_INSTANCES, /* each is +1 or -1, at least one of each bag +1 */
    WL_LABELS_OF_BAGS    /* each is +1, and that is observed */
} wlab_bag_labels;
wlab_code wlab_problem_of_bags(wlab_problem **, const wlab_problem *p, wlab_bag_labels, wlab_err *);
wlab_problem *wlab_problem_ref(wlab_problem *);
void wlab_problem_unref(wlab_problem *);
/* The name of the class of a label; NULL for 0.  "+1" and "-1" if the data do not have two classes; "1", "2", ... for more
 * than two clusters. */
const char *wlab_problem_class(const wlab_problem *, int label);
/* The number of bag b in the data or in the file of bags, from 1; where the task dealt the training rows into bags, and in
 * a part of a problem: b + 1. */
int64_t wlab_problem_bag_number(const wlab_problem *, int64_t b);
/* The name of the bag of that number, or the number itself, in `text`. */
const char *wlab_problem_bag_name(const wlab_problem *, int64_t number, char text[24]);
/* The name of the class of a value of truth[]; NULL for 0.  The same as for a label, except for more than two clusters. */
const char *wlab_problem_truth_class(const wlab_problem *, int truth);
/* The value that truth[] would have for a row of any data set with the same classes (by name); 0: none. */
int wlab_problem_truth(const wlab_problem *, const wlab_dataset *, int64_t row);
/* Whether the labels of single rows of that data set are copies of their bags' labels: no bag has rows of both classes. */
bool wlab_problem_copies(const wlab_problem *, const wlab_dataset *);
/* Labels as indices 0 .. p->classes - 1, for any number of classes: of two classes -1 has index 0 and +1 index 1. */
int wlab_label_index(const wlab_problem *, int8_t label); /* -1 for none */
int8_t wlab_label_at(const wlab_problem *, int index);
/* The classes that are possible for instance i, bit k for index k: that of its observed label (instances of negative bags
 * have one), else its candidates, else all. */
uint64_t wlab_problem_allowed(const wlab_problem *, int64_t i);

#ifdef __cplusplus
}
#endif

#endif
