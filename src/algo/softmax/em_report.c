/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What softmax-em reports: metrics, labels, scores, explanations; and its snapshots.
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
     .meaning = "f of the restart that is shown, the smallest of all; never rises while lambda is unchanged",
     .equation = "Eq. 1: sum_n pi_n loss(z_n, W x_n + b) - H(z) + lambda/(2P) ||W||^2"},
    {.name = "loss",
     .meaning = "the first part of f: the soft-max loss of the labels",
     .equation = "sum_n pi_n (log sum_k exp(w_k'x_n + b_k) - z_n'(W x_n + b))"},
    {.name = "entropy",
     .meaning =
         "the second part of f, which is subtracted: the entropy of the class proportions; the larger, "
         "the better balanced the classes",
     .equation = "H(z) = h(sum_n pi_n z_n), h(v) = -sum_k v_k log v_k; entropy=bag: summed over bags"},
    {.name = "norm", .meaning = "the third part of f: the penalty on W", .equation = "lambda/(2P) ||W||^2"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "number of the restart that is shown: the one with the smallest objective"},
    {.name = "moving",
     .unit = "restarts",
     .flags = WL_M_COUNT,
     .meaning = "restarts that have not converged"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the same as objective: an upper bound on the optimum of Eq. 1",
     .equation = "Eq. 1 at (z, W, b)"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a lower bound on the optimum if all labels are given; else no value, as none is certified",
     .equation = "the M-step's dual value at the given labels"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "the objective is at most this far above the optimum; no value if lower has none",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning =
         "duality gap of the M-step, which says how exactly W and b were found for the labels that the "
         "E-step then replaced",
     .equation =
         "primal - dual of the M-step: sum pi KL(q'||q) + P/(2 lambda) ||sum pi (q'-z) x' + lambda/P W||^2"},
    {.name = "label_gap",
     .log = true,
     .flags = WL_M_LESS,
     .meaning =
         "duality gap of the E-step, which says how exactly the labels were found for W and b; no value "
         "without intercept",
     .equation =
         "primal - dual of the E-step: sum_n pi_n sum_k z_nk (c_nk + a_k - min_j (c_nj + a_j)), a = log v"},
    {.name = "change",
     .meaning = "total weight pi of the rows that the E-step moved into another class; no value if another "
                "restart is shown than before",
     .equation = "1/2 sum_n pi_n ||z_n - z_n before||_1"},
    {.name = "fractional",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "rows whose label is divided among several classes"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those that were shown one step before, possibly of another restart"},
    {.name = "newtons", .flags = WL_M_COUNT, .meaning = "Newton iterations of the last M-step"},
    WLAB_SECONDS,
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
    wlab_put_gap(&metric[M_GAP], sure ? s->inner_gap : NAN, metric[M_UPPER]);
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
        return wlab_fail(err, WL_ESTATE, "there are no scores yet: `step` first");
    if (wlab_probed_make(out, s->n, s->P, err))
        return WL_ENOMEM;
    wlab_em_scores(s->em[s->leader], out->value);
    for (int64_t i = 0; i < s->n; i++) { /* in the order of the displayed names */
        double row[WL_CLASSES_MOST], *of = out->value + i * s->P;
        for (int c = 0; c < s->P; c++)
            row[s->name[c]] = of[c];
        memcpy(of, row, (size_t)s->P * sizeof *of);
    }
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
                                  .meaning = "<w_k, x> + b_k of the model; the largest one gives the label",
                                  .get = scores},
                                 {.name = NULL}};

/* ---- explanations ---- */

void sem_explain(const void *state, char *buf, size_t size)
{
    const softmax_em *s = state;
    if (s->step == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: %lld restart%s will begin with labels %s, and then alternate between "
            "finding W and b (M-step) and labels (E-step).  Each row has %lld features and the weight %s.",
            (long long)s->restarts, s->restarts == 1 ? "" : "s",
            s->rows.free_rows == 0 ? "that are all given"
            : s->by_kmeans         ? "from k-means"
                                   : "drawn at random",
            (long long)s->f->r, s->weight_by_bag ? "1/(bags N_i)" : "1/n");
        return;
    }
    snprintf(buf, size,
             "Each restart that had not converged got the best W and b for its labels%s, and then the best "
             "labels for W and b.  Restart %lld of %lld has the smallest f, %.10g: loss %.6g, minus the "
             "entropy of the classes %.6g, plus lambda/(2P) ||W||^2 = %.6g.  Its M-step took %lld Newton "
             "iterations to reach a gap of %.2g.",
             s->rows.hard ? " (all instances of negative bags on the negative side)" : "",
             (long long)s->leader + 1, (long long)s->restarts, s->value.total, s->value.loss,
             s->value.entropy, s->value.norm, (long long)s->newtons, s->inner_gap);
    if (s->leader != s->shown_before)
        wlab_text_append(
            buf, size,
            "  Restart %lld was shown before: the %lld flips are rows where the labels of the two differ.",
            (long long)s->shown_before + 1, (long long)s->flips);
    else
        wlab_text_append(buf, size, "  %lld labels changed%s.", (long long)s->flips,
                         s->fractional
                             ? ", and some rows are divided between classes, which balances the classes best"
                             : "");
    wlab_text_append(buf, size, "  %lld of %lld restarts have not converged%s.", (long long)s->moving,
                     (long long)s->restarts, s->limited ? "; iterations= ended the run" : "");
    if (s->missed)
        wlab_text_append(buf, size,
                         "  The M-step is as exact as doubles allow, but less exact than eps= requests: "
                         "scale the columns, or use a larger lambda.");
}

void sem_next(const void *state, char *buf, size_t size)
{
    const softmax_em *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited ? "the limit iterations= was reached" : "every restart has converged");
    else if (s->stage == SEM_BEGIN)
        snprintf(buf, size, "choose the initial labels of every restart, then find W and b for them");
    else if (s->stage == SEM_M)
        snprintf(buf, size,
                 "M-step: find W and b for the labels of each of the %lld restarts that have not converged, "
                 "lambda = %.4g",
                 (long long)s->moving, s->lambda);
    else
        snprintf(buf, size,
                 "E-step: find the best labels for W and b of each of the %lld restarts that have not "
                 "converged",
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
    WL_WALK(w, s->named);
    WL_WALK_ARRAY(w, s->name, s->P);
    for (int c = 0; c < s->P && w->reading && !w->code; c++)
        if (s->name[c] < 0 || s->name[c] >= s->P)
            wlab_walk_damaged(w);
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
