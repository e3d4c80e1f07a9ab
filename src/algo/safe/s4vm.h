/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * S4VM: the state, its stages (s4vm.c), the sampled labelings and their clusters (samplings.c), and the report.
 */
#ifndef ALGO_S4VM_H
#define ALGO_S4VM_H

#include "algo/algos.h"
#include "model/kernel.h"
#include "solve/maxmin.h"

typedef struct s4vm_sampling {
    double objective; /* of the SVM for y; NaN before */
    bool moving;
    int64_t same_as; /* another sampling that it has met; -1: none */
    int64_t cluster; /* -1: before the clustering */
    int8_t *y;       /* [n] */
    double *beta;    /* [n] the SVM's, where the next one begins */
} s4vm_sampling;

typedef enum s4vm_stage {
    S4VM_BEGIN,
    S4VM_DESCENT,
    S4VM_CLUSTERS,
    S4VM_MAXMIN,
    S4VM_DONE
} s4vm_stage;

typedef struct s4vm {
    wlab_problem *p; /* a reference */
    wlab_kernel kernel;
    double C1, C2, lambda, slack, eps, tol;
    int64_t n, l, u, samplings, wanted, most;
    int64_t lo, hi;          /* unlabelled rows that may be positive */
    wlab_labelset *balanced; /* the labelings with that balance */
    int32_t *row;            /* [u] the unlabelled rows */
    double *K;               /* [n x n] */
    double *cost;            /* [n] */
    /* ---- snapshot ---- */
    s4vm_stage stage;
    wlab_rng rng;
    s4vm_sampling *r; /* [samplings] */
    int64_t turn, step, rounds, distinct, flips, svms;
    bool limited, kept;
    double seconds, rounded; /* rounded: the worst improvement of the labels that are handed out */
    int8_t *y0;              /* [n] the supervised SVM's labels */
    int8_t *shown;           /* [n] */
    double *beta;            /* [n] the model's SVM */
    double b;
    int64_t candidates;
    int64_t *candidate; /* [wanted] samplings, one of each cluster */
    wlab_maxmin *game;  /* NULL before the clustering */
    /* ---- workspace ---- */
    double *f;      /* [n] */
    int8_t *target; /* [n] */
    int32_t *pick;  /* [n] */
} s4vm;

/* ---- samplings.c ---- */
/* The first labels of all samplings, from y0 and the random generator. */
void s4vm_draw(s4vm *);
/* Moves a part of the rows whose label is not the best for outputs f within the balance; clears `moving` if there is none.
 * O(n log n). */
wlab_code s4vm_move(s4vm *, s4vm_sampling *, const double *f, wlab_err *);
/* Merges samplings with equal labels, of which none is moving any more.  Sets `distinct`. */
void s4vm_merge(s4vm *);
/* Divides the distinct labelings into `wanted` clusters at most, by k-medoids, and chooses the one with the smallest objective
 * of each.  distinct^2 u operations. */
wlab_code s4vm_cluster(s4vm *, wlab_err *);
/* The smallest improvement of labels y [n] on y0 over the candidates, gain - lambda loss. */
double s4vm_improvement(const s4vm *, const int8_t *y);
/* Fills c and d of the game. */
void s4vm_game(s4vm *);

/* ---- s4vm_report.c ---- */
extern const wlab_metric_info s4vm_metrics[];
extern const wlab_probe s4vm_probes[];
bool s4vm_solved(const s4vm *); /* the max-min problem, to eps */
int64_t s4vm_count_moving(const s4vm *);
void s4vm_observe(const void *state, double *metric, int8_t *labels);
void s4vm_explain(const void *state, char *buf, size_t size);
void s4vm_next(const void *state, char *buf, size_t size);

#endif
