/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Choosing parameters by cross-validation that understands weak labels, without a look at labels the learner may
 * not see.  What is held out depends on the task:
 *   supervised, ssl, ambiguous   labelled rows, in folds stratified by class; unlabelled rows all stay
 *   mil                          bags, stratified by bag label; scored by the bags' labels (largest output)
 *   llp                          bags; scored by the bag error, the sum over bags of |p - predicted p| (Yu et al. 2013, Eq. 23)
 *   cluster                      nothing: each candidate is scored with the true labels of the training rows under
 *                                the best matching, and the result is marked as an oracle's choice
 */
#ifndef WEAKLAB_TUNE_H
#define WEAKLAB_TUNE_H

#include "weaklab/algo.h"
#include "weaklab/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- folds ---- */
typedef struct wlab_folds {
    int k;         /* folds made: at most as many as asked for, and as there are units */
    int32_t *fold; /* [n instances] the fold that holds the instance out, from 0; -1: it is never held out */
} wlab_folds;
/* Cut what may be held out of `p` into k folds, by the generator of `seed`.  WL_EARG where there is nothing to cut
 * (fewer than 2 units); WL_EARG for cluster. */
wlab_code wlab_folds_create(wlab_folds *, const wlab_problem *p, int k, uint64_t seed, wlab_err *);
void wlab_folds_clear(wlab_folds *);
/* The problem without the instances of fold f: what stays shows the same labels, and has the fraction of positives
 * r that the whole problem has (learnt from its visible labels).  */
wlab_code wlab_problem_without(wlab_problem **, const wlab_problem *p, const wlab_folds *, int f, wlab_err *);

/* ---- candidates ---- */
/* One choice: an algorithm with all its parameters. */
typedef struct wlab_candidate {
    const wlab_algo *algo;
    wlab_params *params; /* owned */
    char *text;          /* what makes the run at the prompt: "wellsvm kernel=rbf C2=0.1"; owned */
} wlab_candidate;
/* "wellsvm kernel=rbf C2={0.01,0.1,1} sigma={0.5x,1x}": every combination, the last brace fastest, appended to
 * *list, *n.  {a,b,c} lists values, {1..5} integers.  Errors have the column in `text`, from 1. */
wlab_code wlab_candidates_add(wlab_candidate **list, int *n, const char *text, wlab_err *);
void wlab_candidates_free(wlab_candidate *, int n);

/* ---- tuning ---- */
/* Parameters of `tune`: folds, by, warm, seed. */
extern const wlab_param_info wlab_tune_params[];
typedef struct wlab_tuned {
    int candidates;
    int best;       /* the first of the best, in the order of the list */
    double *score;  /* [candidates] pooled over the folds; NaN: could not be trained */
    int folds;      /* that were scored */
    int64_t scored; /* units (rows, bags) held out in all of them */
    bool oracle;    /* true labels were looked at */
    bool lower;     /* smaller is better (llp: bag error) */
    const char *by; /* what the score is: "accuracy" */
    char *failure;  /* why the first candidate that could not be trained could not, or NULL */
} wlab_tuned;
/* Score every candidate on `p`.  A fold whose training part shows one class only tells nothing and is left out.
 * warm: candidates that differ only in parameters that `set` may change are one path, in the order of the list: one
 * run goes on from each to the next.  until: the condition that ends a run besides its verdict (as `continue until`),
 * or NULL.  All candidates failing, or no fold to score: WL_EARG with the reason.  Progress: units "trainings",
 * candidates times folds.  Memory: candidates times rows held out. */
wlab_code wlab_tune(wlab_tuned *, wlab_problem *p, const wlab_candidate *, int n, const wlab_params *options,
                    const char *until, wlab_ctx *, wlab_err *);
void wlab_tuned_clear(wlab_tuned *);

#ifdef __cplusplus
}
#endif

#endif
