/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tasks share: which class is positive, the true signs.
 */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "weaklab/task.h"

#define WL_TASK_POSITIVE                                                                                     \
    {                                                                                                        \
        .name = "positive", .type = WL_P_TEXT,                                                               \
        .meaning = "class that counts as +1, all others as -1; needed for more than two classes"             \
    }

extern const char *const wlab_task_classes_names[];
#define WL_TASK_CLASSES                                                                                      \
    {                                                                                                        \
        .name = "classes", .type = WL_P_CHOICE, .fallback = "two", .choices = wlab_task_classes_names,       \
        .meaning = "two: one class against the others; all: every class of the data is told from every "     \
                   "other (at most 64)"                                                                      \
    }

/* Of tasks that show labels: see wlab_task_show, wlab_task_show_given. */
#define WL_TASK_LINE                                                                                         \
    {                                                                                                        \
        .name = "line", .type = WL_P_INT, .fallback = "1", .lo = 1, .hi = 1e9,                               \
        .meaning = "line of the split file"                                                                  \
    }
#define WL_TASK_GIVEN                                                                                        \
    {                                                                                                        \
        .name = "given", .type = WL_P_BOOL, .fallback = "no",                                                \
        .meaning = "the labels seen are those of the file; 0, or none, means unlabelled"                     \
    }

/* Set positive, negative and truth of *p from `positive=` and p->hidden.  Without two classes: an error that
 * lists them; with `alone` one class is enough, the positive one.  With classes=all of more than two: classes,
 * truths, class_number and truth. */
wlab_code wlab_task_classes(wlab_problem *p, const wlab_params *, bool alone, wlab_err *);
/* Every class of the data that is not hidden is one of p->class_number, which makes the truth: 1, 2, ...  WL_EARG
 * where they are more than WL_CLASSES_MOST. */
wlab_code wlab_task_all_classes(wlab_problem *p, wlab_err *);
/* The label (0: none) of class c (-1: unknown) under p's positive, negative, hidden or class_number. */
int wlab_task_sign(const wlab_problem *p, int c);

/* Show labels: `labeled` is a count, a percentage of the rows, or @FILE, the row numbers on line `line` of a split
 * file; drawn ones are drawn from the generator of `seed`, each class in proportion where stratified, of class `only`
 * (+1, -1, 0: both).  Sets p->visible from p->truth. */
wlab_code wlab_task_show(wlab_problem *p, const char *labeled, int64_t line, bool stratified, int only,
                         uint64_t seed, const int32_t *test, int64_t n_test, wlab_err *);
/* The class 0 of a file without a file of labels beside it means unlabelled: p->hidden.  Before wlab_task_classes. */
void wlab_task_hidden(wlab_problem *p);
/* The labels seen are those of the file (of its labels file where there is one). */
void wlab_task_show_given(wlab_problem *p);

/* One more clause in p->remark, which it owns (NULL: memory was short). */
wlab_code wlab_task_remark(wlab_problem *p, char *clause, wlab_err *);
/* Whether the task is asked to tell all classes apart. */
bool wlab_task_wants_all(const wlab_problem *p, const wlab_params *);
/* In a multi-class problem: a remark on the classes of which no label is seen. */
wlab_code wlab_task_remark_unseen(wlab_problem *p, wlab_err *);
/* p->labels by task->allow, but of multi-class problems. */
wlab_code wlab_task_allow(wlab_problem *p, wlab_err *);
/* ssl: p->r and p->r_from from what `r` says, auto, true or a number.  by_class: labels were drawn so that each class has
 * its share.  other_way: what else than r= may help auto. */
wlab_code wlab_task_balance(wlab_problem *p, const char *r, bool by_class, const char *other_way, wlab_err *);
/* p->rest: a number that no class has. */
void wlab_task_name_rest(wlab_problem *p);
/* The instances of p with fold[i] != f (fold NULL: all), in a problem that shows the same of them; `labels` is not
 * made, nor `remark`. */
wlab_code wlab_task_part(wlab_problem **, const wlab_problem *p, const int32_t *fold, int f, wlab_err *);

/* Make `cost`, labelled, unlabelled from visible. */
void wlab_task_count(wlab_problem *p);

/* Only the instances k with keep[k] stay: row, truth, X, n, examples.  The caller says why in a remark. */
wlab_code wlab_task_keep(wlab_problem *p, const bool *keep, wlab_err *);
/* Numbers list[0..n-1] anew, from 0 in the order of their first use; size: above all of them; *total: how many;
 * *old [total]: what they were, owned by the caller. */
wlab_code wlab_renumber(int32_t *list, int64_t n, int64_t size, int32_t **old, int64_t *total, wlab_err *);
/* p->bag, p->bags from the bag of each row of the data set, and room for bag_shown.  *old as above. */
wlab_code wlab_task_bags(wlab_problem *p, const int32_t *of_row, int64_t bags, int32_t **old, wlab_err *);

/* Bags of the training rows: their sizes, and what is told of them. */
typedef struct wlab_told_bags {
    int64_t smallest, largest, untold;
    int64_t small, large; /* bags of these sizes */
    double median;
    double least, mean, most, spread; /* of bag_shown; spread: standard deviation; NaN where none is told */
} wlab_told_bags;
/* Of a problem with bags.  WL_ENOMEM without a message. */
wlab_code wlab_task_told_bags(const wlab_problem *p, wlab_told_bags *);

#endif
