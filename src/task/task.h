/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tasks share: classes and true labels, the labels that the learner observes, bags.
 */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "weaklab/task.h"

#define WL_TASK_POSITIVE                                                                                     \
    {                                                                                                        \
        .name = "positive", .type = WL_P_TEXT,                                                               \
        .meaning = "class that counts as +1, all others as -1; default: of two classes the last in the "     \
                   "order of `info "                                                                         \
                   "data`; needed if there are more classes (except with classes=all)"                       \
    }

extern const char *const wlab_task_classes_names[];
#define WL_TASK_CLASSES                                                                                      \
    {                                                                                                        \
        .name = "classes", .type = WL_P_CHOICE, .fallback = "two", .choices = wlab_task_classes_names,       \
        .meaning =                                                                                           \
            "two: one class against all others; all: every class of the data is distinguished from every "   \
            "other (at most 64)"                                                                             \
    }

/* All thresholds between two neighbouring outputs give the same signs.  Returns 0 if that is one of them, else the
 * middle, or a value beside the finite output.  above >= below; either may be infinite. */
double wlab_threshold_between(double above, double below);

/* For tasks with observed labels: see wlab_task_observe, wlab_task_observe_given. */
#define WL_TASK_LINE                                                                                         \
    {                                                                                                        \
        .name = "line", .type = WL_P_INT, .fallback = "1", .lo = 1, .hi = 1e9,                               \
        .meaning = "with labeled=@FILE: the number of the line"                                              \
    }
#define WL_TASK_GIVEN                                                                                        \
    {                                                                                                        \
        .name = "given", .type = WL_P_BOOL, .fallback = "no",                                                \
        .meaning =                                                                                           \
            "yes: observe all labels of the data file (or of `load labels=`); 0, or none, means unlabelled"  \
    }

/* To be called between two passes over all rows, of which there may be millions.  WL_EINTERRUPTED: stop. */
wlab_code wlab_task_look(const wlab_ctx *, wlab_err *);

/* Set positive, negative and truth of *p from `positive=` and p->hidden.  Without two classes: an error that lists
 * the classes; with `alone` one class is enough, which is positive.  With classes=all and more than two classes: set
 * classes, truths, class_number and truth. */
wlab_code wlab_task_classes(wlab_problem *p, const wlab_params *, bool alone, wlab_err *);
/* Put every class of the data that is not hidden into p->class_number, and set the truth to their numbers 1, 2, ...
 * WL_EARG: there are more than WL_CLASSES_MOST. */
wlab_code wlab_task_all_classes(wlab_problem *p, wlab_err *);
/* The label (0: none) of class c (-1: unknown) under p's positive, negative, hidden or class_number. */
int wlab_task_sign(const wlab_problem *p, int c);

/* Let the learner observe labels: set p->visible from p->truth.  `labeled` is a count, a percentage of the rows, or
 * @FILE, the row numbers on line `line` of a split file.  The generator of `seed` draws the rows, each class in
 * proportion if stratified, from class `only` (+1, -1, 0: both). */
wlab_code wlab_task_observe(wlab_problem *p, const char *labeled, int64_t line, bool stratified, int only,
                            uint64_t seed, const int32_t *test, int64_t n_test, wlab_err *);
/* Without a file of labels, the class 0 means unlabelled: set p->hidden.  To be called before wlab_task_classes. */
void wlab_task_hidden(wlab_problem *p);
/* Let the learner observe all labels of the data file or, if `load labels=` named a file of labels, all of that
 * file. */
void wlab_task_observe_given(wlab_problem *p);

/* Add a clause to p->remark and take ownership of it (NULL: out of memory). */
wlab_code wlab_task_remark(wlab_problem *p, char *clause, wlab_err *);
/* Whether the task is to distinguish all classes (classes=all). */
bool wlab_task_separates_all(const wlab_problem *p, const wlab_params *);
/* In a multi-class problem: add a remark on the classes without an observed label. */
wlab_code wlab_task_remark_unobserved(wlab_problem *p, wlab_err *);
/* Set p->labels by task->allow, except in multi-class problems. */
wlab_code wlab_task_allow(wlab_problem *p, wlab_err *);
/* ssl: set p->r and p->r_from from `r`: auto, true or a number.  by_class: labels were drawn so that each class has its
 * proportion.  other_way: advice for the message if auto cannot estimate r, to stand before "give r=": empty, or
 * ending in ", or ". */
wlab_code wlab_task_balance(wlab_problem *p, const char *r, bool by_class, const char *other_way, wlab_err *);
/* Set p->rest to a number that no class has. */
void wlab_task_name_rest(wlab_problem *p);
/* Make a problem of the instances i of p with fold[i] != f (fold NULL: of all), with the same observed labels,
 * candidates, bags and proportions; `labels` and `remark` are not set. */
wlab_code wlab_task_part(wlab_problem **, const wlab_problem *p, const int32_t *fold, int f, wlab_err *);

/* With bag signs: one example per row of a negative bag, and per positive bag, or, without keys, per row; numbered in the
 * order of their first rows: if there are as many examples as rows, the examples are the rows. */
wlab_code wlab_task_number_examples(wlab_problem *, bool keys, wlab_err *);
/* Set `cost`, labelled and unlabelled from visible. */
void wlab_task_count(wlab_problem *p);

/* Keep only the instances k with keep[k]: in row, truth, X, n, examples.  The caller gives the reason in a remark. */
wlab_code wlab_task_keep(wlab_problem *p, const bool *keep, wlab_err *);
/* Renumber the entries of list[0..n-1] as 0, 1, ... in the order in which they first occur.  size: larger than all
 * entries; *total: the number of different entries; *old [total]: the old number of each new one, owned by the
 * caller. */
wlab_code wlab_renumber(int32_t *list, int64_t n, int64_t size, int32_t **old, int64_t *total, wlab_err *);
/* Set p->bag, p->bags and, if p->all has the bags, p->bag_number from the bag of each row of the data set, and allocate
 * bag_given. */
wlab_code wlab_task_bags(wlab_problem *p, const int32_t *of_row, int64_t bags, wlab_err *);

/* Bags of the training rows: their sizes and given proportions. */
typedef struct wlab_given_bags {
    int64_t smallest, largest, not_given;
    int64_t small, large; /* how many bags have these sizes */
    double median;
    double least, mean, most, spread; /* of bag_given; spread: standard deviation; NaN if none is given */
} wlab_given_bags;
/* For a problem with bags.  WL_ENOMEM without a message. */
wlab_code wlab_task_given_bags(const wlab_problem *p, wlab_given_bags *);

#endif
