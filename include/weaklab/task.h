/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks: what the learner may see.  A task turns training rows of a data set into a problem: instances,
 * visible labels, the label set B.
 */
#ifndef WEAKLAB_TASK_H
#define WEAKLAB_TASK_H

#include "weaklab/dataset.h"
#include "weaklab/labelset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the learner sees of the truth; bits of wlab_algo.learns_from.  An algorithm that names one learns from every task
 * that shows it. */
typedef enum wlab_sees {
    WL_SEES_ALL_LABELS = 1,   /* the label of every row */
    WL_SEES_SOME_LABELS = 2,  /* the labels of some rows; of the others at most their balance (r) */
    WL_SEES_NO_LABELS = 4,    /* no label; at most how far the classes' sizes may differ */
    WL_SEES_BAG_SIGNS = 8,    /* of each bag whether any of its rows is positive */
    WL_SEES_PROPORTIONS = 16, /* of each bag which fraction of its rows is positive */
    WL_SEES_CANDIDATES = 32,  /* of each row which classes it may be of */
    /* single rows' labels or classes: the same can be shown of one class against the rest */
    WL_SEES_ROWS = WL_SEES_ALL_LABELS | WL_SEES_SOME_LABELS | WL_SEES_CANDIDATES,
    WL_SEES_ANYTHING = 63
} wlab_sees;

/* What of a prediction is compared with what the task shows; and so, what is held out as a whole to do that. */
typedef enum wlab_scored {
    WL_SCORED_ROWS,       /* a row: its label (a cluster's number after the best matching) */
    WL_SCORED_BAGS,       /* a bag: its largest output has its sign */
    WL_SCORED_PROPORTIONS /* a bag: which fraction of its outputs is positive */
} wlab_scored;

/* A number of a task that is shown beside the counts. */
typedef struct wlab_fact {
    const char *name;
    double value;
    bool whole;
} wlab_fact;
enum {
    WL_FACTS_MOST = 8
};

/* The bags of all rows of the data set, of held-out ones too, where the task did not deal them itself. */
typedef struct wlab_all_bags {
    const int32_t *of_row; /* [data rows]; NULL: there are none but those of the training rows */
    int64_t bags;
    char *const *name; /* [bags] or NULL: they are numbered only */
    double *told;      /* [bags] what proportions= says, NaN: nothing; NULL: it was not given */
    int32_t *own;      /* what of_row and name point to where it is not the data's */
    char **own_name;
} wlab_all_bags;

enum {
    WL_CLASSES_MOST = 64 /* classes of a problem: candidates are bits */
};

/* Labels are int8_t everywhere.  Two classes (classes = 2, "binary"): -1, +1, 0 for none.  More ("multi-class"):
 * 1 .. classes, 0 for none.  wlab_label_index and wlab_label_at make them indices from 0 and back.
 *
 * What the fields below hold, by what the task sees (those that are not named hold the same for all):
 *
 *              all labels   some labels        no labels       bag signs            proportions        candidates
 * (a task)     supervised   ssl                cluster         mil                  llp                ambiguous
 * classes      2 or more    2 or more          2 or more       2                    2                  2 or more
 * visible      truth        label, or 0        0               -1 in a negative     label, or 0        label of a row with
 *                                                              bag, 0 in a positive                    one candidate, or 0
 * candidates   NULL         NULL               NULL            NULL                 NULL               set if multi-class
 * examples     rows         rows               rows            positive bags, rows  rows               rows
 *                                                              of negative ones
 * cost is 0    all          rows seen          none            positive bags        rows seen          rows seen
 * r            NaN          of the other rows, NaN             NaN                  NaN                NaN
 *                           NaN if multi-class
 * bag          NULL         NULL               NULL            set                  set                NULL
 * bag_shown    NULL         NULL               NULL            1 positive, 0        fraction of        NULL
 *                                                              negative             positives, NaN:
 *                                                                                   not told
 * labels (B)   the truth    so many negatives  sizes within    `keys` rows of each  each bag's count,  each free row as
 *                           among those not    a bound         positive bag +1,     up to eps          it likes
 *                           seen                               its others 0 */
typedef struct wlab_problem {
    int refs;
    const struct wlab_task *task;
    wlab_params *params; /* of the task, as given */
    wlab_dataset *data;  /* owned reference */
    wlab_matrix *X;      /* [n x d] view of the training rows */
    int64_t n;           /* instances */
    int32_t *row;        /* [n] row of the data set */
    int64_t examples;    /* what has a loss term and an alpha */
    int32_t *example;    /* [n] example of each instance */
    int classes;         /* P, 2 .. WL_CLASSES_MOST: how many labels there are to tell apart */
    int truths;          /* how many values `truth` has: P, but for clusters the classes of the data */
    /* Multi-class only: [truths] the data's class of each truth, which is that of each label too but for clusters;
     * NULL in binary problems, and for clusters of data without classes. */
    int32_t *class_number;
    int8_t *visible; /* [n] a label where the learner sees one, else 0 */
    int8_t *truth;   /* [n] a label, 0: unknown or of another class; for scoring only */
    uint64_t *
        candidates; /* [n] bit k set: the class of index k is possible; NULL: all are where no label is seen */
    uint8_t *cost;  /* [examples] 0: C1 (labelled), 1: C2 (unlabelled) */
    int64_t labelled, unlabelled;
    double *bag_shown;      /* [bags] what is told of a bag */
    int32_t *bag;           /* [n] bag of each instance, from 0; NULL: the task has none */
    int64_t bags;           /* 0: the task has none */
    wlab_all_bags all;      /* empty in a part of a problem */
    char r_from[80];        /* where r comes from, "2 of 4 labels, drawn by class"; "": there is none */
    double r;               /* fraction of positives among the unlabelled; NaN where the task has none */
    int positive, negative; /* class numbers; negative = -1: every class but `positive`; positive = -1: the
                               data have no two classes to tell apart (cluster), truth is 0 throughout, or
                               the problem is multi-class */
    char rest[16]; /* what every class but `positive` is called together: a number that no class has */
    int hidden;    /* class that means "unlabelled" in the file (given=yes), or -1 */
    char *remark;  /* or NULL: what the user should know (rows left out), one sentence */
    wlab_labelset *labels; /* B; NULL in multi-class problems */
} wlab_problem;

/* A task is what it shows and what it allows (hooks), and how that is to be understood (traits).  Code outside src/task
 * asks the traits and never which task it is, so that another task is a file and a line in wlab_tasks. */
typedef struct wlab_task {
    const char *name, *summary, *source;
    wlab_sees sees;
    wlab_scored scored;
    bool clusters; /* a label is the number, or the sign, of a cluster: of no class, until they are matched */
    bool keys;     /* a labeling picks key instances of positive bags; 0 is the label of their other rows */
    const wlab_param_info *params; /* `positive` included */
    /* What is shown: fill truth, visible, r, bags, ... of *p, whose data, X, n, row, example are set; cost,
     * labelled and unlabelled are made from visible afterwards.  `test`: held-out rows of the data set, which
     * must not be labelled. */
    wlab_code (*fill)(wlab_problem *p, const wlab_params *, const int32_t *test, int64_t n_test, wlab_err *);
    /* What is allowed: make p->labels from n, visible, r and bags.  Behind `fill`, and for a part of a problem
     * (wlab_problem_without), where nothing is drawn again. */
    wlab_code (*allow)(wlab_problem *p, const wlab_params *, wlab_err *);
    /* What `fill` would say of one class against the rest, of *p where that is shown already (r); NULL: nothing more. */
    wlab_code (*one_class)(wlab_problem *p, const wlab_params *, wlab_err *);
    /* What `info task` says beside counts: in lines, each with its newline; and as numbers, how many.  NULL: nothing. */
    wlab_code (*describe)(const wlab_problem *, wlab_buf *);
    int (*facts)(const wlab_problem *, wlab_fact fact[WL_FACTS_MOST]);
} wlab_task;

extern const wlab_task *const wlab_tasks[]; /* NULL-terminated */
const wlab_task *wlab_task_find(const char *name);
/* The problem of `task` on rows train[0..n-1] (NULL: all rows) of `data`.  Percentages are of n. */
wlab_code wlab_problem_create(wlab_problem **, wlab_dataset *data, const int32_t *train, int64_t n_train,
                              const int32_t *test, int64_t n_test, const wlab_task *, const wlab_params *,
                              wlab_err *);
/* The binary problem of the class of index k (+1) against the rest (-1) of a multi-class problem: the same rows; a
 * row is seen where its label is, or where its candidates do not include the class.  r: as the task says, for that
 * class.  WL_ESTATE for clusters. */
wlab_code wlab_problem_one_vs_rest(wlab_problem **, const wlab_problem *p, int k, wlab_err *);
wlab_problem *wlab_problem_ref(wlab_problem *);
void wlab_problem_unref(wlab_problem *);
/* The name of the class of a label; NULL for 0.  "+1" and "-1" where the data have no two classes; of more than two
 * clusters "1", "2", ... */
const char *wlab_problem_class(const wlab_problem *, int label);
/* The name of what a value of truth[] stands for; NULL for 0.  That of the label but for more than two clusters. */
const char *wlab_problem_truth_class(const wlab_problem *, int truth);
/* A label or 0 for a row of any data set with the same classes (by name), as truth[] has it. */
int wlab_problem_truth(const wlab_problem *, const wlab_dataset *, int64_t row);
/* The classes as indices 0 .. p->classes - 1, whatever their number: of two, -1 is 0 and +1 is 1. */
int wlab_label_index(const wlab_problem *, int8_t label); /* -1 for none */
int8_t wlab_label_at(const wlab_problem *, int index);
/* The classes that are possible for instance i, bit k for index k: that of a visible label (a negative bag's
 * instances have one), an ambiguous row's candidates, else all. */
uint64_t wlab_problem_allowed(const wlab_problem *, int64_t i);

#ifdef __cplusplus
}
#endif

#endif
