/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What mean field annealing reports: metrics, and explanations of the last and the next step.
 */
#include "algo/svmlin/mfa.h"

#include <math.h>
#include <stdio.h>

enum {
    M_T = TR_SHARED,
    M_ENTROPY,
    M_KL,
    M_NU,
    M_PAIRS
};
const wlab_metric_info wlab_mfa_metrics[] = {
    TR_SHARED_METRICS(0),
    {.name = "T",
     .role = WL_R_TEMPERATURE,
     .log = true,
     .flags = WL_M_SHOWN,
     .axis = "temperature T",
     .meaning = "the temperature: the higher, the less decided the beliefs",
     .equation = "T in the entropy term of Eq. 8, T/(2u) sum_j H(p_j)"},
    {.name = "entropy",
     .role = WL_R_ENTROPY,
     .unit = "nats",
     .log = true,
     .meaning = "mean entropy of the beliefs: 0 if every belief is 0 or 1",
     .equation = "Eq. 17 / u"},
    {.name = "kl",
     .unit = "nats",
     .log = true,
     .meaning = "mean Kullback-Leibler divergence of the beliefs from those of the step before; when it is "
                "small, the beliefs have converged",
     .equation = "Eq. 16 / u"},
    {.name = "nu2",
     .meaning = "multiplier of the balance constraint, 2 nu",
     .equation = "p_j = 1/(1 + exp((g_j - 2 nu)/T)), Eq. 15"},
    {.name = "pairs",
     .unit = "pairs",
     .flags = WL_M_COUNT,
     .meaning = "label pairs switched in this step (polish=yes)"},
    {0}};

void wlab_mfa_observe(const void *state, double *metric, int8_t *labels)
{
    const mfa *s = state;

    wlab_tr_observe(&s->t, metric, labels);
    if (!metric)
        return;
    if (s->t.in_step && s->stage != MFA_LABELLED)
        metric[TR_OBJECTIVE] -= wlab_mfa_entropy_term(s);
    metric[M_T] = s->T;
    metric[M_ENTROPY] = s->entropy;
    metric[M_KL] = s->kl;
    metric[M_NU] = s->nu2;
    metric[M_PAIRS] = (double)s->pairs;
}

void wlab_mfa_limit(const mfa *s, char *buf, size_t size)
{
    if (s->anneal)
        snprintf(
            buf, size,
            "limit temperatures=%lld reached with a mean entropy of %.3g: `set temperatures=%lld` continues",
            (long long)s->temperatures, s->left_entropy, (long long)(2 * s->temperatures));
    else
        snprintf(buf, size, "limit alternations=%lld reached: `set alternations=%lld` continues",
                 (long long)s->alternations, (long long)(2 * s->alternations));
}

/* Writes for example "the smallest J, 0.123". */
static void describe_best(const transductive *t, char *buf, size_t size)
{
    snprintf(buf, size, "the smallest %s, %.10g", t->keep == WL_TR_KEEP_BALANCED ? "J_balanced" : "J",
             t->best.value);
}

void wlab_mfa_explain(const void *state, char *buf, size_t size)
{
    const mfa *s = state;
    const transductive *t = &s->t;
    char effort[100], best[64];

    if (t->step == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: the first step finds w with the belief p = r = %.4g that a row is "
            "positive, for every unlabelled row.",
            t->r);
        if (t->l == 0)
            snprintf(buf, size,
                     "No step has been made yet: the first step finds w for beliefs that follow the rows' "
                     "positions along the direction of the largest variance.");
    } else if (s->last == MFA_BEST) {
        describe_best(t, best, sizeof best);
        snprintf(
            buf, size,
            "w was restored from step %lld, which had %s of all steps; the beliefs are those for this w at "
            "T = %.6g.",
            (long long)t->best.step, best, s->T);
    } else if (s->last == MFA_ROUNDED || s->last == MFA_SWITCHING) {
        snprintf(buf, size,
                 "%s, and w was trained for these labels (%s): objective %.10g.  J is %.10g, the smallest so "
                 "far %.10g.",
                 s->last == MFA_ROUNDED ? "The largest outputs got the label +1"
                                        : "Pairs of labels were switched",
                 wlab_tr_effort(t, effort), t->objective, t->J, t->J_best);
    } else {
        snprintf(buf, size,
                 "At T = %.6g (temperature %lld, alternation %lld) the beliefs have a mean entropy of %.4g "
                 "nats%s; finding w for them took %s.  Objective at T %.10g; J %.10g, the smallest so far "
                 "%.10g.",
                 s->T, (long long)s->level, (long long)s->turn, s->entropy,
                 t->step > 1 ? s->kl <= wlab_mfa_tolerance(s) ? " and have converged"
                               : s->cool ? " and still change, but alternations= is reached"
                                         : " and still change"
                 : t->l      ? ", p = r everywhere"
                             : ", and follow the positions along the direction of the largest variance",
                 wlab_tr_effort(t, effort), t->objective, t->J, t->J_best);
    }
}

void wlab_mfa_next(const void *state, char *buf, size_t size)
{
    const mfa *s = state;
    char best[64];

    if (s->t.in_step) {
        snprintf(buf, size, "continue training w");
        return;
    }
    switch (s->stage) {
    case MFA_LABELLED:
    case MFA_EVEN:
        if (s->t.l)
            snprintf(buf, size, "find w for beliefs p = r = %.4g everywhere", s->t.r);
        else
            snprintf(buf, size,
                     "find w for beliefs that follow the positions along the direction of the largest "
                     "variance");
        break;
    case MFA_ANNEALING:
        if (s->cool)
            snprintf(buf, size, "lower T to %.6g, then find the beliefs and w", s->T / s->cooling);
        else
            snprintf(buf, size, "find the beliefs for w and w for the beliefs, at T = %.6g", s->T);
        break;
    case MFA_BEST:
        describe_best(&s->t, best, sizeof best);
        snprintf(buf, size, "restore w from step %lld, which has %s", (long long)s->t.best.step, best);
        break;
    case MFA_ROUNDED:
        snprintf(buf, size, "give the %lld largest outputs the label +1 and train for these labels",
                 (long long)s->t.positives);
        break;
    case MFA_SWITCHING:
        snprintf(buf, size, "switch %lld pair%s of labels and train again", (long long)s->pending,
                 s->pending == 1 ? "" : "s");
        break;
    case MFA_END:
        if (s->limited)
            wlab_mfa_limit(s, buf, size);
        else
            snprintf(buf, size, "nothing: the beliefs %s", s->anneal ? "are all 0 or 1" : "have converged");
        break;
    }
}
