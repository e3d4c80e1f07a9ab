/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What pl-svm reports: metrics, labels, scores, explanations; and its snapshots.
 */
#include "algo/candidates/pl_svm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_LOSS,
    M_NORM,
    M_CONVEX,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_DROP,
    M_CHANGES,
    M_FLIPS,
    M_RESTART,
    M_MOVING,
    M_PASSES,
    M_SECONDS
};
const wlab_metric_info pl_svm_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "J of the restart that is shown, the smallest of all; never rises",
     .equation =
         "lambda/2 sum_k ||w_k||^2 + 1/m sum_i max(0, 1 - [max_{k in S_i} f_k - max_{k not in S_i} f_k])"},
    {.name = "loss",
     .flags = WL_M_LESS,
     .meaning = "the second part of J: the mean hinge loss",
     .equation = "1/m sum_i max(0, 1 - [max_{k in S_i} f_k - max_{k not in S_i} f_k])"},
    {.name = "norm",
     .flags = WL_M_LESS,
     .meaning = "the first part of J: the penalty on the functions",
     .equation = "lambda/2 sum_k ||w_k||^2"},
    {.name = "convex",
     .flags = WL_M_LESS,
     .meaning = "the objective of the convex problem that the round solved; never below J",
     .equation = "G: J with f_{c_i} (first round: the mean over S_i) in place of max_{k in S_i} f_k"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same as objective: an upper bound on the minimum of J",
     .equation = "J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a lower bound on the minimum of J if every row has one candidate; else no value, as none is "
                "certified",
     .equation = "D"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_HEADER,
     .meaning = "J is at most this far above its minimum; no value if lower has none",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .flags = WL_M_LINE,
     .meaning = "certified gap of the convex problem that the round solved",
     .equation = "G - D"},
    {.name = "drop",
     .meaning = "by how much the round lowered J; 0: the restart kept its functions",
     .equation = "J before - J"},
    {.name = "changes",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning =
         "rows whose choice for the next round is another one than in this round; after means, all rows "
         "with several candidates",
     .equation = "#{i: c_i new != c_i}"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "rows whose candidate with the largest output is another one than was shown before the step"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "number of the restart that is shown: the one with the smallest objective"},
    {.name = "moving",
     .unit = "restarts",
     .flags = WL_M_COUNT,
     .meaning = "restarts that have not ended, nor come to the choices of another one"},
    {.name = "passes",
     .flags = WL_M_COUNT,
     .meaning = "passes over the rows in the convex problem of the round"},
    WLAB_SECONDS,
    {.name = NULL}};

void pl_svm_observe(const void *state, double *metric, int8_t *labels)
{
    const pl_svm *s = state;
    const pl_restart *r = &s->r[s->leader];

    if (labels)
        memcpy(labels, s->y, (size_t)s->f.n);
    if (!metric)
        return;
    const bool known = !isnan(r->J), sure = known && s->f.ambiguous == 0;
    metric[M_OBJECTIVE] = metric[M_UPPER] = r->J;
    metric[M_LOSS] = r->loss;
    metric[M_NORM] = r->J - r->loss;
    metric[M_CONVEX] = r->convex;
    metric[M_LOWER] = sure ? wlab_lower_beside(r->lower, r->J, r->J) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_INNER_GAP] = r->gap;
    metric[M_DROP] = r->drop;
    metric[M_CHANGES] = known ? (double)r->changes : NAN;
    metric[M_FLIPS] = s->step > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_RESTART] = known ? (double)(s->leader + 1) : NAN;
    metric[M_MOVING] = (double)s->moving;
    metric[M_PASSES] = known ? (double)r->passes : NAN;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code objectives(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                            wlab_err *err)
{
    const pl_svm *s = state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, s->step ? s->restarts : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < w->rows; k++)
        w->value[k] = s->r[k].J;
    return WL_OK;
}

static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const pl_svm *s = state;
    (void)ask;
    (void)ctx;
    if (s->step == 0)
        return wlab_fail(err, WL_ESTATE, "there are no scores yet: `step` first");
    return wlab_functions_scores(&s->f, s->r[s->leader].o, out, err);
}

const wlab_probe pl_svm_probes[] = {{.name = "objective",
                                     .kind = WL_PROBE_RESTARTS,
                                     .when = WL_PROBE_RECORDED,
                                     .meaning = "objective of each restart",
                                     .get = objectives},
                                    {.name = "scores",
                                     .kind = WL_PROBE_SCORES,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "outputs f_k of the classes; the largest one gives the label",
                                     .get = scores},
                                    {.name = NULL}};

/* ---- explanations ---- */

static void explain_start(const pl_svm *s, char *buf, size_t size)
{
    snprintf(buf, size,
             "No step has been made yet: all %d functions are 0.  %lld rows have fewer candidates than "
             "classes, %lld of them several; the other %lld say nothing and have no loss.",
             s->f.P, (long long)s->f.told, (long long)s->f.ambiguous, (long long)(s->f.n - s->f.told));
    if (s->restarts > 1)
        wlab_text_append(
            buf, size,
            "  The first of %lld restarts begins with the mean over the candidates, the others with "
            "random choices.",
            (long long)s->restarts);
}

void pl_svm_explain(const void *state, char *buf, size_t size)
{
    const pl_svm *s = state;
    const pl_restart *r = &s->r[s->leader];

    if (s->step == 0) {
        explain_start(s, buf, size);
        return;
    }
    snprintf(buf, size,
             "The convex problem %s was solved in %lld passes to G = %.10g, which is at most %.3g above its "
             "minimum.  ",
             !isnan(r->drop)  ? "for the choices after the round before"
             : s->leader == 0 ? "with the mean over the candidates"
                              : "for random choices",
             (long long)r->passes, r->convex, r->gap);
    if (s->f.ambiguous == 0)
        wlab_text_append(buf, size, "Every row has one candidate, so that is the minimum of J.");
    else if (r->drop == 0)
        wlab_text_append(buf, size, "J is not lower there, so the functions are kept: J is %.10g.", r->J);
    else
        wlab_text_append(
            buf, size, "With the largest output over the candidates J is %.10g; %lld rows have %s.", r->J,
            (long long)r->changes,
            isnan(r->drop) && s->leader == 0 ? "that candidate as their first choice" : "another choice now");
    if (s->restarts > 1)
        wlab_text_append(
            buf, size,
            "  That is restart %lld of %lld, with the smallest J; %lld still move, the others have "
            "ended or were merged.",
            (long long)s->leader + 1, (long long)s->restarts, (long long)s->moving);
    if (s->leader != s->leader_before)
        wlab_text_append(buf, size, "  Restart %lld was shown before.", (long long)s->leader_before + 1);
    if (s->finished && s->limited)
        wlab_text_append(buf, size, "  The limit iterations= stopped the run.");
}

void pl_svm_next(const void *state, char *buf, size_t size)
{
    const pl_svm *s = state;

    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited            ? "the limit iterations= was reached"
                 : s->f.ambiguous == 0 ? "the minimum is certified to eps="
                                       : "new choices would lower the objective by no more than eps=");
    else if (s->step == 0)
        snprintf(buf, size, "%s with the mean over the candidates of each row",
                 s->begun ? "a pass of the convex problem" : "solve the convex problem");
    else
        snprintf(buf, size, "%s for the candidates with the largest outputs%s",
                 s->begun ? "a pass of the convex problem" : "solve the convex problem",
                 s->restarts > 1 ? ", of each restart that moves" : "");
}

/* ---- snapshots ---- */

static void walk_restart(const pl_svm *s, pl_restart *r, wlab_walk *w)
{
    WL_WALK(w, r->moving);
    WL_WALK(w, r->in_round);
    WL_WALK(w, r->missed);
    WL_WALK(w, r->same_as);
    WL_WALK(w, r->J);
    WL_WALK(w, r->loss);
    WL_WALK(w, r->drop);
    WL_WALK(w, r->gap);
    WL_WALK(w, r->convex);
    WL_WALK(w, r->lower);
    WL_WALK(w, r->changes);
    WL_WALK(w, r->passes);
    WL_WALK_ARRAY(w, r->W, s->f.P * s->f.dim);
    WL_WALK_ARRAY(w, r->o, s->f.P * s->f.n);
    wlab_multi_walk(&r->m, w);
}

void pl_svm_walk(void *state, wlab_walk *w)
{
    pl_svm *s = state;
    int64_t leader = s->leader;
    WL_WALK(w, s->begun);
    WL_WALK(w, s->finished);
    WL_WALK(w, s->limited);
    WL_WALK(w, s->step);
    WL_WALK(w, s->flips);
    WL_WALK(w, leader);
    WL_WALK(w, s->leader_before);
    WL_WALK(w, s->moving);
    WL_WALK(w, s->seconds);
    if (wlab_walk_has_read(w) && (leader < 0 || leader >= s->restarts))
        wlab_walk_damaged(w);
    if (wlab_walk_has_read(w))
        s->leader = leader;
    WL_WALK_ARRAY(w, s->y, s->f.n);
    for (int64_t k = 0; k < s->restarts; k++)
        walk_restart(s, &s->r[k], w);
}
