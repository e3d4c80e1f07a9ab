/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of mean field annealing.  mfa.c makes the steps, mfa_beliefs.c computes the beliefs, mfa_report.c has
 * metrics and explanations.
 */
#ifndef WEAKLAB_ALGO_MFA_H
#define WEAKLAB_ALGO_MFA_H

#include "algo/svmlin/transductive.h"

/* What the next step does, or the current one. */
typedef enum mfa_stage {
    MFA_LABELLED, /* train on the labelled rows alone, for `lower`; MFA_EVEN follows in the same step */
    MFA_EVEN, /* find w for p = r everywhere; without labelled rows, for beliefs along the direction of largest variance */
    MFA_ANNEALING, /* find p and w at T; lower T first if `cool` is set */
    MFA_BEST,      /* return to the w with the smallest J (keep=balanced: J_balanced) */
    MFA_ROUNDED,   /* polish: give the u+ largest outputs the label +1, find w for these labels */
    MFA_SWITCHING, /* polish: switch pairs, find w for these labels */
    MFA_END
} mfa_stage;

typedef struct mfa {
    transductive t;
    bool anneal, polish;
    int64_t temperatures, alternations; /* at most */
    double cooling;                     /* factor by which T falls */
    double *p, logs;                    /* [u] beliefs p_j; sum of log(1 + exp(-|x_j|)): both follow from x */
    double *g;                          /* [u] workspace */
    tr_switch next;                     /* as in tsvm */
    /* ---- snapshot, with t ---- */
    double *x; /* [u] log-odds (2 nu - g_j)/T */
    int8_t *y; /* [n] working labels while polishing */
    double T, nu2, kl, entropy;
    int64_t level, turn, pairs, pending; /* temperatures so far, alternations at this one */
    mfa_stage stage, last;               /* of the next or current step; of the newest complete one */
    bool cool, polished,
        limited;         /* limited: annealing ended before the beliefs were 0 or 1, or had converged */
    double left_entropy; /* mean entropy of the beliefs when annealing ended */
} mfa;

/* ---- mfa.c ---- */
/* If kl is at most this, the beliefs have converged; if the entropy is, they count as 0 or 1. */
double wlab_mfa_tolerance(const mfa *);
/* The entropy term that Eq. 8 subtracts: T/2 (hinge: T) times the mean entropy. */
double wlab_mfa_entropy_term(const mfa *);

/* ---- mfa_report.c: members of the algorithm's table ---- */
extern const wlab_metric_info wlab_mfa_metrics[];
void wlab_mfa_observe(const void *state, double *metric, int8_t *labels);
void wlab_mfa_explain(const void *state, char *buf, size_t size);
void wlab_mfa_next(const void *state, char *buf, size_t size);
/* Names the limit that ended annealing too early, and the command that continues. */
void wlab_mfa_limit(const mfa *, char *buf, size_t size);

/* ---- mfa_beliefs.c ---- */
/* Sets p = r everywhere. */
void wlab_mfa_even(mfa *);
/* Sets p, logs and entropy from x. */
void wlab_mfa_from_odds(mfa *);
/* Sets the beliefs for the current outputs: the minimum of Eq. 8 over p with mean r,
 *     p_j = 1 / (1 + exp((g_j - 2 nu)/T)),  g_j = lambda' (V(o_j) - V(-o_j)),
 * with 2 nu by Newton's method within a bracket (Table 6), starting from its last value.  Also sets nu2, entropy, and
 * kl, the divergence from the beliefs before; the last two are means over rows, in nats.  Cost: some exponentials per
 * row. */
void wlab_mfa_beliefs(mfa *, wlab_pool *);

#endif
