/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is seen of softmax-em: metrics, labels, scores, words; and its snapshots.
 */
#include "algo/algos.h"
#include "algo/softmax/em.h"
#include "base/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_LOSS,
    M_ENTROPY,
    M_NORM,
    M_RESTART,
    M_MOVING,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_LABEL_GAP,
    M_CHANGE,
    M_FRACTIONAL,
    M_FLIPS,
    M_NEWTONS,
    M_SECONDS
};

const wlab_metric_info sem_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "f of the restart that is shown, the smallest: never rises while lambda stays",
     .equation = "Eq. 1: sum_n pi_n loss(z_n, W x_n + b) - H(z) + lambda/(2P) ||W||^2"},
    {.name = "loss",
     .meaning = "f's first part",
     .equation = "sum_n pi_n (log sum_k exp(w_k'x_n + b_k) - z_n'(W x_n + b))"},
    {.name = "entropy",
     .meaning = "f's second part, which is taken off: how balanced the classes are",
     .equation = "H(z) = h(sum_n pi_n z_n), h(v) = -sum_k v_k log v_k; entropy=bag: summed over bags"},
    {.name = "norm", .meaning = "f's third part", .equation = "lambda/(2P) ||W||^2"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "the restart that is shown: the one with the smallest objective"},
    {.name = "moving", .unit = "restarts", .flags = WL_M_COUNT, .meaning = "restarts that are not at rest"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same as objective: an upper bound on the optimum of Eq. 1",
     .equation = "Eq. 1 at (z, W, b)"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a lower bound, where no label is free; else nothing is certified",
     .equation = "the M-step's dual value at the labels seen"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "how far from the optimum at most, where lower has a value",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "how exactly W and b were found for the labels before",
     .equation =
         "primal - dual of the M-step: sum pi KL(q'||q) + P/(2 lambda) ||sum pi (q'-z) x' + lambda/P W||^2"},
    {.name = "label_gap",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "how exactly the labels were found for W and b (no value without intercept)",
     .equation =
         "primal - dual of the E-step: sum_n pi_n sum_k z_nk (c_nk + a_k - min_j (c_nj + a_j)), a = log v"},
    {.name = "change",
     .meaning = "the weight of the rows that the E-step put into another class",
     .equation = "1/2 sum_n pi_n ||z_n - z_n before||_1"},
    {.name = "fractional",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "rows that are of several classes in part"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those shown one step before (of another restart, maybe)"},
    {.name = "newtons", .flags = WL_M_COUNT, .meaning = "Newton iterations of the M-step"},
    {.name = "seconds",
     .role = WL_R_SECONDS,
     .unit = "s",
     .flags = WL_M_VOLATILE,
     .meaning = "time in the solver"},
    {0}};

void sem_observe(const void *state, double *metric, int8_t *labels)
{
    const softmax_em *s = state;
    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    const bool sure = s->rows.free_rows == 0;
    metric[M_OBJECTIVE] = metric[M_UPPER] = s->value.total;
    metric[M_LOSS] = s->value.loss;
    metric[M_ENTROPY] = s->value.entropy;
    metric[M_NORM] = s->value.norm;
    metric[M_RESTART] = s->fitted ? (double)(s->leader + 1) : NAN;
    metric[M_MOVING] = (double)s->moving;
    metric[M_LOWER] = sure ? s->value.total - s->inner_gap : NAN;
    metric[M_GAP] = sure ? s->inner_gap : NAN;
    metric[M_RELGAP] = wlab_relgap(metric[M_GAP], metric[M_UPPER]);
    metric[M_INNER_GAP] = s->inner_gap;
    metric[M_LABEL_GAP] = s->e_gap;
    metric[M_CHANGE] = s->change;
    metric[M_FRACTIONAL] = s->fitted ? (double)s->fractional : NAN;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_NEWTONS] = s->fitted ? (double)s->newtons : NAN;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code objectives(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                            wlab_err *err)
{
    const softmax_em *s = state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, s->fitted ? s->restarts : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < w->rows; k++)
        w->value[k] = s->values[k];
    return WL_OK;
}

static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const softmax_em *s = state;
    (void)ask;
    (void)ctx;
    if (!s->fitted)
        return wlab_fail(err, WL_ESTATE, "softmax-em has no scores yet");
    if (wlab_probed_make(out, s->n, s->P, err))
        return WL_ENOMEM;
    wlab_em_scores(s->em[s->leader], out->value);
    return WL_OK;
}

const wlab_probe sem_probes[] = {{.name = "objective",
                                  .kind = WL_PROBE_RESTARTS,
                                  .when = WL_PROBE_RECORDED,
                                  .meaning = "objective of each restart",
                                  .get = objectives},
                                 {.name = "scores",
                                  .kind = WL_PROBE_SCORES,
                                  .when = WL_PROBE_QUICK,
                                  .meaning = "<w_k, x> + b_k: the model's, of which the largest is the label",
                                  .get = scores},
                                 {.name = NULL}};

/* ---- words ---- */

void sem_explain(const void *state, char *buf, size_t size)
{
    const softmax_em *s = state;
    if (s->step == 0) {
        snprintf(
            buf, size,
            "Nothing was stepped yet: %lld restart%s will begin with labels %s, and each then has W and b "
            "(M-step) and labels (E-step) by turns.  The features are %lld numbers a row, weights of rows "
            "are %s.",
            (long long)s->restarts, s->restarts == 1 ? "" : "s",
            s->rows.free_rows == 0 ? "that are all seen"
            : s->by_kmeans         ? "of k-means"
                                   : "by chance",
            (long long)s->f->r, s->weigh ? "1/(bags N_i)" : "1/n");
        return;
    }
    snprintf(buf, size,
             "Each restart that moved got the best W and b for its labels%s and then the best labels for "
             "these.  Restart %lld of %lld has the smallest f, %.10g: loss %.6g, less the entropy of the "
             "classes %.6g, and lambda/(2P) ||W||^2 %.6g.  Its M-step took %lld Newton iterations to a gap "
             "of %.2g.",
             s->rows.hard ? " (all instances of negative bags on the negative side)" : "",
             (long long)s->leader + 1, (long long)s->restarts, s->value.total, s->value.loss,
             s->value.entropy, s->value.norm, (long long)s->newtons, s->inner_gap);
    if (s->leader != s->shown_before)
        wlab_text_append(
            buf, size,
            "  Restart %lld was shown before: the %lld flips are rows where the labels of the two differ.",
            (long long)s->shown_before + 1, (long long)s->flips);
    else
        wlab_text_append(
            buf, size, "  %lld labels changed%s.", (long long)s->flips,
            s->fractional ? ", and some rows are of two classes in part, which balances these best" : "");
    wlab_text_append(buf, size, "  %lld of %lld restarts still move%s.", (long long)s->moving,
                     (long long)s->restarts, s->limited ? ", and iterations= ended it" : "");
    if (s->missed)
        wlab_text_append(
            buf, size,
            "  The M-step is as exact as doubles allow, which is less than eps= asks for: scaled "
            "columns or a "
            "larger lambda would help.");
}

void sem_next(const void *state, char *buf, size_t size)
{
    const softmax_em *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited ? "as many iterations as iterations= allows were made"
                            : "every restart is at rest");
    else if (s->stage == SEM_BEGIN)
        snprintf(buf, size, "give every restart the labels to begin with, then find W and b for them");
    else if (s->stage == SEM_M)
        snprintf(buf, size,
                 "M-step: find W and b for the labels of each of the %lld restarts that move, lambda = %.4g",
                 (long long)s->moving, s->lambda);
    else
        snprintf(buf, size, "E-step: find the best labels for W and b of each of the %lld restarts that move",
                 (long long)s->moving);
}

/* ---- snapshots ---- */

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(stage) X(fitted) X(finished) X(limited) X(step) X(leader) X(shown_before) X(flips) X(fractional)       \
    X(newtons) X(moving) X(change) X(inner_gap) X(e_gap) X(missed) X(value) X(seconds)
/* clang-format on */

void sem_walk(void *state, wlab_walk *w)
{
    softmax_em *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->shown, s->n);
    WL_WALK_ARRAY(w, s->values, s->restarts);
    for (int64_t k = 0; k < s->restarts; k++) {
        WL_WALK(w, s->r[k].before);
        WL_WALK(w, s->r[k].moving);
        WL_WALK(w, s->r[k].missed);
    }
    for (int64_t k = 0; k < s->restarts; k++)
        wlab_em_walk(s->em[k], w);
}
