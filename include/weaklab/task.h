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

enum { /* bits for wlab_algo.tasks */
    WL_T_SUPERVISED = 1,
    WL_T_SSL = 2,
    WL_T_CLUSTER = 4,
    WL_T_MIL = 8,
    WL_T_LLP = 16,
    WL_T_AMBIGUOUS = 32
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
 * 1 .. classes, 0 for none.  wlab_label_index and wlab_label_at make them indices from 0 and back. */
typedef struct wlab_problem {
    int refs;
    const struct wlab_task *task;
    wlab_params *params; /* of the task, as given */
    wlab_dataset *data;  /* owned reference */
    wlab_matrix *X;      /* [n x d] view of the training rows */
    int64_t n;           /* instances */
    int32_t *row;        /* [n] row of the data set */
    int64_t examples;    /* what has a loss term and an alpha; = n except for mil */
    int32_t *example;    /* [n] example of each instance */
    int classes;         /* P, 2 .. WL_CLASSES_MOST: how many labels there are to tell apart */
    int truths;          /* how many values `truth` has: P, but for clusters the classes of the data */
    /* Multi-class only: [truths] the data's class of each truth, which is that of each label too but for clusters;
     * NULL in binary problems, and for clusters of data without classes. */
    int32_t *class_number;
    int8_t *visible; /* [n] a label where the learner sees one, else 0 */
    int8_t *truth;   /* [n] a label, 0: unknown or of another class; for scoring only */
    uint64_t *
        candidates; /* [n] bit k set: the class of index k is possible (ambiguous); NULL in binary problems */
    uint8_t *cost;  /* [examples] 0: C1 (labelled), 1: C2 (unlabelled) */
    int64_t labelled, unlabelled;
    /* What is told of a bag: 1 or 0, positive or negative (mil); the fraction of positives (llp). */
    double *bag_shown;      /* [bags] */
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

typedef struct wlab_task {
    const char *name, *summary, *source;
    unsigned bit;
    const wlab_param_info *params; /* `positive` included */
    /* What is shown: fill truth, visible, r, bags, ... of *p, whose data, X, n, row, example are set; cost,
     * labelled and unlabelled are made from visible afterwards.  `test`: held-out rows of the data set, which
     * must not be labelled. */
    wlab_code (*fill)(wlab_problem *p, const wlab_params *, const int32_t *test, int64_t n_test, wlab_err *);
    /* What is allowed: make p->labels from n, visible, r and bags.  Behind `fill`, and for a part of a problem
     * (wlab_problem_without), where nothing is drawn again. */
    wlab_code (*allow)(wlab_problem *p, const wlab_params *, wlab_err *);
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
