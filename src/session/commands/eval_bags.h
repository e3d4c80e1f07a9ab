/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eval of bags: what eval.c hands over.
 */
#ifndef SESSION_EVAL_BAGS_H
#define SESSION_EVAL_BAGS_H

#include "session/internal.h"
#include "weaklab/score.h"

/* The instances scored and their bags. */
typedef struct wlab_bags_scored {
    const wlab_run *run;
    const char *name; /* as asked for */
    bool test;        /* held-out bags */
    int64_t n, bags;
    const int32_t *row; /* [n] of the data set */
    int32_t *bag;       /* [n] */
    int8_t *own;        /* [n] the instances' labels */
    double *f;          /* [n] */
    int8_t *sign;       /* [bags] mil */
    double *share;      /* [bags] llp; NaN: nothing is told */
    wlab_bag_outputs o;
} wlab_bags_scored;

/* Bags dealt by the task itself have no rows that were held out. */
bool wlab_bags_have_test(const wlab_slot *, const wlab_problem *);
/* What the model says of the bags `name`, "bags" (those held out, else those learnt from) or "train-bags". */
wlab_code wlab_bags_scored_make(wlab_bags_scored *, wlab_session *, const wlab_run *, const char *name,
                                wlab_err *);
void wlab_bags_scored_clear(wlab_bags_scored *);

/* "0.9714", or "-" where there is no value. */
char *wlab_eval_number(double x, char buf[32]);
/* Whether `name` names bags. */
bool wlab_eval_of_bags(const char *name);
/* WL_ESTATE where the run's task does not learn from bags. */
wlab_code wlab_eval_bags_check(const wlab_run *, wlab_err *);
/* Score the bags `name` of the run: prints, emits an object, marks. */
wlab_code wlab_eval_bags(wlab_session *, const wlab_run *, const char *name, wlab_err *);

#endif
