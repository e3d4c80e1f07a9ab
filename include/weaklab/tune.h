/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Selecting parameters by cross-validation with weak labels.  It uses only labels that the learner may observe, with one
 * exception: clusters.  The task decides what is held out:
 *   supervised, ssl, ambiguous   labelled rows, in folds stratified by class; all unlabelled rows are always kept
 *   mil                          bags, stratified by bag label; scored by the bags' labels (largest output)
 *   llp                          bags; scored by the bag error, the sum over bags of |p - predicted p| (Yu et al. 2013, Eq. 23)
 *   cluster                      nothing: each candidate is scored against the true labels of the training rows under
 *                                the best matching, and the result is marked as chosen by an oracle
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
    int k;         /* the number of folds: as requested, but at most the number of units */
    int32_t *fold; /* [n instances] the fold, from 0, that holds the instance out; -1: it is never held out */
} wlab_folds;
/* Divides the units of `p` that may be held out into k folds, at random by `seed`.  WL_EARG if there are fewer than 2 units,
 * and for cluster. */
wlab_code wlab_folds_create(wlab_folds *, const wlab_problem *p, int k, uint64_t seed, wlab_err *);
void wlab_folds_clear(wlab_folds *);
/* The problem without the instances of fold f.  The others keep their observed labels.  r, the fraction of positives, is
 * that of the whole problem; if that is an estimate, the observed labels of fold f are part of it. */
wlab_code wlab_problem_without(wlab_problem **, const wlab_problem *p, const wlab_folds *, int f, wlab_err *);

/* ---- candidates ---- */
/* A candidate: an algorithm with all its parameters. */
typedef struct wlab_candidate {
    const wlab_algo *algo;
    wlab_params *params; /* owned */
    char *text;          /* the command that makes the run: "wellsvm kernel=rbf C2=0.1"; owned */
} wlab_candidate;
/* Appends to *list and *n every combination that a text such as "wellsvm kernel=rbf C2={0.01,0.1,1} sigma={0.5x,1x}" names;
 * the last brace varies fastest.  {a,b,c} lists values, {1..5} integers.  Errors give the column in `text`, from 1. */
wlab_code wlab_candidates_add(wlab_candidate **list, int *n, const char *text, wlab_err *);
void wlab_candidates_free(wlab_candidate *, int n);

/* ---- tuning ---- */
/* Parameters of `tune`: folds, by, warm, seed. */
extern const wlab_param_info wlab_tune_params[];
typedef struct wlab_tuned {
    int candidates;
    int best;       /* the index of the best candidate; among equals the first of the list */
    double *score;  /* [candidates] pooled over the folds; NaN: training failed */
    int folds;      /* the number of scored folds; 0 for clusters */
    int64_t scored; /* the number of units (rows, bags) held out in all of them */
    bool oracle;    /* true labels were used */
    bool lower;     /* smaller is better (llp: bag error) */
    const char *by; /* the score's name: "accuracy" */
    char *failure;  /* why the first candidate that failed could not be trained; NULL: none failed */
} wlab_tuned;
/* Scores every candidate on `p`.  Skips a fold if the rows outside it have labels of one class only, or lack those of a
 * class that the whole problem has.  warm: candidates that differ only in parameters that `set` may change form a path,
 * in the order of the list, along which one run continues.
 * until: a condition that ends a run besides its verdict (as in `continue until`), or NULL.  WL_EARG with the reason if all
 * candidates fail or no fold can be scored.  Progress: "trainings", candidates times folds.  Memory: candidates times
 * held-out rows. */
wlab_code wlab_tune(wlab_tuned *, wlab_problem *p, const wlab_candidate *, int n, const wlab_params *options,
                    const char *until, wlab_ctx *, wlab_err *);
void wlab_tuned_clear(wlab_tuned *);

#ifdef __cplusplus
}
#endif

#endif
