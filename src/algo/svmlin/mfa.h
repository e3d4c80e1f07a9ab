/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of mean field annealing: its steps are in mfa.c, its beliefs in
 * mfa_beliefs.c, what it shows in mfa_report.c.
 */
#ifndef WEAKLAB_ALGO_MFA_H
#define WEAKLAB_ALGO_MFA_H

#include "algo/svmlin/transductive.h"

/* What the next step, or the one under way, does. */
typedef enum mfa_stage {
    MFA_LABELLED,  /* the labelled rows alone, for `lower`; then, in the same step, what follows */
    MFA_EVEN,      /* w for p = r everywhere */
    MFA_ANNEALING, /* p and w at T, after T fell where `cool` is set */
    MFA_BEST,      /* w goes back to the smallest J */
    MFA_ROUNDED,   /* polish: the u+ largest outputs get the label +1; w for these */
    MFA_SWITCHING, /* polish: pairs are switched; w for these labels */
    MFA_END
} mfa_stage;

typedef struct mfa {
    transductive t;
    bool anneal, polish;
    int64_t temperatures, alternations; /* at most */
    double cooling;                     /* T falls by it */
    double *p, *l1;                     /* [u] beliefs p_j; log(1 + exp(-|x_j|)): both follow from x */
    double *g;                          /* [u] workspace */
    int32_t *pair;                      /* [u] as in tsvm */
    /* ---- snapshot, with t ---- */
    double *x; /* [u] log-odds (2 nu - g_j)/T */
    int8_t *y; /* [n] working labels while polishing */
    double T, nu2, kl, entropy;
    int64_t level, turn, pairs, pending; /* temperatures so far, alternations at this one */
    mfa_stage stage, last;               /* of the step to come, or under way; of the newest complete one */
    bool cool, polished, limited; /* limited: annealing ended before the beliefs were firm or had settled */
    double left_entropy;          /* with which it ended */
} mfa;

/* ---- mfa.c ---- */
/* What kl and entropy have to come to. */
double wlab_mfa_settled(const mfa *);
/* What Eq. 8 takes off for the entropy: T/2 (hinge: T) times its mean. */
double wlab_mfa_entropy_term(const mfa *);

/* ---- mfa_report.c: members of the algorithm's table ---- */
extern const wlab_metric_info wlab_mfa_metrics[];
void wlab_mfa_observe(const void *state, double *metric, int8_t *labels);
void wlab_mfa_explain(const void *state, char *buf, size_t size);
void wlab_mfa_next(const void *state, char *buf, size_t size);
/* What ended annealing before the beliefs were firm or had settled, and what goes on. */
void wlab_mfa_limit(const mfa *, char *buf, size_t size);

/* ---- mfa_beliefs.c ---- */
/* p = r. */
void wlab_mfa_even(mfa *);
/* p, l1 and entropy from x. */
void wlab_mfa_from_odds(mfa *);
/* The beliefs for the outputs now: the minimum of Eq. 8 over p with mean r,
 *     p_j = 1 / (1 + exp((g_j - 2 nu)/T)),  g_j = lambda' (V(o_j) - V(-o_j)),
 * 2 nu by Newton's method within a bracket (Table 6), from where it was; sets nu2, kl (against the beliefs before) and
 * entropy, means in nats.  Cost: some exponentials a row. */
void wlab_mfa_beliefs(mfa *, wlab_pool *);

#endif
