/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What s3vm reports: metrics, and explanations of the last and the next step.
 */
#include "algo/smooth/s3vm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_J,
    M_J_NORM,
    M_J_LABELLED,
    M_J_UNLABELLED,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_GRADIENT,
    M_FLIPS,
    M_T,
    M_RATIO,
    M_CSTAR,
    M_GAMMA,
    M_CURVATURE,
    M_LEVEL,
    M_ENTROPY,
    M_MU,
    M_REFUSED,
    M_LENGTH,
    M_EVALUATIONS,
    M_SECONDS
};
const wlab_metric_info wlab_s3vm_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the function that the steps of this level minimise; never rises within a level",
     .equation = "J at the current C*, gamma and T"},
    {.name = "J",
     .role = WL_R_TARGET,
     .flags = WL_M_SHOWN,
     .meaning = "the objective of the last level at the current w: C* at its last value, gamma = 0, T = 0",
     .equation = "1/2 ||w||^2 + C sum max(0, 1 - y o)^2 + C* sum exp(-3 o'^2); da: max(0, 1 - |o'|)^2"},
    {.name = "J_norm",
     .flags = WL_M_LESS,
     .meaning = "the first part of J: the penalty on w",
     .equation = "1/2 ||w||^2"},
    {.name = "J_labelled",
     .flags = WL_M_LESS,
     .meaning = "the second part of J: the loss of the labelled rows",
     .equation = "C sum max(0, 1 - y o)^2"},
    {.name = "J_unlabelled",
     .flags = WL_M_LESS,
     .meaning = "the third part of J: the loss of the unlabelled rows",
     .equation = "C* sum exp(-3 o'^2)"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest J so far: an upper bound on its minimum",
     .equation = "min J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on J: its minimum over w without the unlabelled rows' loss",
     .equation = "f - ||gradient||^2 / 2 at the end of the first level"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_HEADER,
     .meaning = "`upper` is at most this far above the global minimum of J",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "gradient",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "norm of the objective's gradient",
     .equation = "||w + sum of the losses' derivatives times (phi - m)||"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "unlabelled rows whose output changed its sign in this step"},
    {.name = "width",
     .role = WL_R_TEMPERATURE,
     .log = true,
     .axis = "width of the smoothing or temperature",
     .meaning = "continuation: variance of an unlabelled row's output under the smoothing, a mean over the "
                "rows; da: the "
                "temperature T in units of C*; other methods: no value",
     .equation = "continuation: gamma times the mean of ||phi - m||^2; da: T"},
    {.name = "ratio_now",
     .role = WL_R_LEVEL,
     .log = true,
     .label = "C*/C",
     .axis = "C*/C, weight of an unlabelled row",
     .meaning = "C*/C at this level; 0: the labelled rows alone",
     .equation = "C*/C"},
    {.name = "C_star", .meaning = "weight of an unlabelled row's loss at this level", .equation = "C*"},
    {.name = "gamma",
     .log = true,
     .meaning = "continuation: variance of the smoothing in w; 0: none",
     .equation = "gamma"},
    {.name = "curvature",
     .log = true,
     .meaning = "bound on the negative curvature of the unlabelled rows' loss; at most 1: the objective is "
                "certainly convex; "
                "no value with method=da",
     .equation = "trace of sum_U 2 s C* (1 + 2 s v)^(-3/2) (phi - m)(phi - m)', s = 3"},
    {.name = "level",
     .flags = WL_M_COUNT | WL_M_LINE,
     .meaning = "number of the level; 0: the labelled rows alone"},
    {.name = "entropy",
     .role = WL_R_ENTROPY,
     .unit = "nats",
     .log = true,
     .meaning = "da: mean entropy of the beliefs that the outputs imply; 0: every row is decided",
     .equation = "mean of H(p)"},
    {.name = "mu",
     .log = true,
     .meaning = "newton: what the next step adds to the Hessian's diagonal first",
     .equation = "(Hessian + mu I) d = -gradient"},
    {.name = "refused",
     .flags = WL_M_COUNT,
     .meaning = "newton: values of mu refused in this step, because the sum with the Hessian was not "
                "positive definite, or the "
                "step did not lower the objective"},
    {.name = "length", .log = true, .meaning = "by how far the step moved w", .equation = "||w - w_old||"},
    {.name = "evaluations",
     .flags = WL_M_COUNT,
     .meaning = "evaluations of the objective and its gradient at this level"},
    WLAB_SECONDS,
    {.name = NULL}};

void wlab_s3vm_observe(const void *state, double *metric, int8_t *labels)
{
    const s3vm *s = state;
    const smooth *m = &s->m;

    if (labels)
        memcpy(labels, m->y, (size_t)m->n);
    if (!metric)
        return;
    const bool newton = s->method == S3VM_NEWTON, da = s->method == S3VM_DA,
               smoothed = s->method == S3VM_CONTINUATION && s->m.level > 0;
    metric[M_OBJECTIVE] = s->m.objective;
    metric[M_J] = s->J;
    metric[M_J_NORM] = s->J_norm;
    metric[M_J_LABELLED] = s->J_labelled;
    metric[M_J_UNLABELLED] = s->J_unlabelled;
    metric[M_UPPER] = m->step ? s->m.upper : NAN;
    metric[M_LOWER] = m->step ? wlab_lower_beside(s->m.lower, s->m.upper, s->m.upper) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_GRADIENT] = s->m.gradient;
    metric[M_FLIPS] = m->step > 1 ? (double)m->flips : NAN; /* a first label does not count */
    metric[M_T] = smoothed ? s->now.gamma * s->mean_square : da && s->m.level > 0 ? s->now.T : NAN;
    metric[M_RATIO] = s->now.Cu / s->C;
    metric[M_CSTAR] = s->now.Cu;
    metric[M_GAMMA] = smoothed ? s->now.gamma : NAN;
    metric[M_CURVATURE] = da ? NAN : s->curvature;
    metric[M_LEVEL] = (double)s->m.level;
    metric[M_ENTROPY] = s->entropy;
    metric[M_MU] = newton && s->mu > 0 ? s->mu : NAN;
    metric[M_REFUSED] = newton ? (double)s->refused : NAN;
    metric[M_LENGTH] = s->m.length;
    metric[M_EVALUATIONS] = (double)s->m.evaluations;
    metric[M_SECONDS] = m->seconds;
}

/* Names the level k: "C* = 0.01", "gamma = 0.1". */
static void name_level(const s3vm *s, int64_t k, char *buf, size_t size)
{
    const s3vm_level at = wlab_s3vm_level(s, k);

    if (k == 0)
        snprintf(buf, size, "the labelled rows alone, C* = 0");
    else if (s->method == S3VM_CONTINUATION && at.gamma > 0)
        snprintf(buf, size, "J smoothed with gamma = %.4g", at.gamma);
    else if (s->method == S3VM_CONTINUATION)
        snprintf(buf, size, "J itself, gamma = 0");
    else if (s->method == S3VM_DA)
        snprintf(buf, size, "the temperature T = %.4g", at.T);
    else
        snprintf(buf, size, "C* = %.4g", at.Cu);
}

void wlab_s3vm_explain(const void *state, char *buf, size_t size)
{
    const s3vm *s = state;
    char level[80], extra[120] = "", changed[WL_SMOOTH_CHANGED];

    name_level(s, s->m.level, level, sizeof level);
    if (s->m.step == 0) {
        snprintf(buf, size,
                 "No step has been made yet: w = 0, and every output is 2 r - 1 = %.4g; C = %.4g.  The first "
                 "level "
                 "trains on the %lld labelled rows alone.",
                 s->m.rows->b0, s->C, (long long)s->m.l);
        return;
    }
    if (s->method == S3VM_CONTINUATION && s->m.level > 0)
        snprintf(extra, sizeof extra, "  %s.",
                 s->curvature <= 1 ? "The smoothed objective is certainly convex"
                                   : "It may have several minima");
    else if (s->method == S3VM_DA && s->m.level > 0)
        snprintf(extra, sizeof extra, "  The mean entropy of the beliefs is %.3g nats.", s->entropy);
    else if (s->method == S3VM_NEWTON && s->refused > 0)
        snprintf(extra, sizeof extra, "  %lld value%s of mu %s refused.", (long long)s->refused,
                 s->refused == 1 ? "" : "s", s->refused == 1 ? "was" : "were");
    snprintf(buf, size,
             "Level %lld of %lld, %s: iteration %lld of %s moved w by %.3g, to the objective %.10g with a "
             "gradient of "
             "norm %.3g; J is %.10g.%s%s%s",
             (long long)s->m.level, (long long)s->m.levels, level, (long long)s->m.tries,
             s->method == S3VM_NEWTON ? "Newton's method" : "L-BFGS", s->m.length, s->m.objective,
             s->m.gradient, s->J, wlab_smooth_changed(&s->m, changed), extra, wlab_smooth_reached(&s->m));
}

void wlab_s3vm_next(const void *state, char *buf, size_t size)
{
    const s3vm *s = state;
    char level[80];

    if (s->m.finished) {
        snprintf(buf, size, "nothing: %s", wlab_smooth_why(&s->m));
        return;
    }
    const bool begins = s->m.level_done;
    name_level(s, s->m.level + begins, level, sizeof level);
    snprintf(buf, size, "%s%s: an iteration of %s", begins ? "begin a level, " : "", level,
             s->method == S3VM_NEWTON ? "Newton's method" : "L-BFGS");
}
