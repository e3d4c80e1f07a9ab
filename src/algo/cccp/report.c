/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What cccp reports: metrics, and explanations of the last and the next step.
 */
#include "algo/cccp/cccp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_J_NORM,
    M_J_LABELLED,
    M_J_UNLABELLED,
    M_MAJORISER,
    M_GAIN,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_FLIPS,
    M_PENDING,
    M_PLUS,
    M_MINUS,
    M_UNDECIDED,
    M_SOLVES,
    M_SECONDS
};
const wlab_metric_info cccp_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "J, which no round raises",
     .equation = "1/2 ||w||^2 + C sum max(0, 1 - y o)^p + C* sum hat(o')"},
    {.name = "J_norm",
     .flags = WL_M_LESS,
     .meaning = "the first part of J: the penalty on w",
     .equation = "1/2 ||w||^2"},
    {.name = "J_labelled",
     .flags = WL_M_LESS,
     .meaning = "the second part of J: the loss of the labelled rows",
     .equation = "C sum max(0, 1 - y o)^p"},
    {.name = "J_unlabelled",
     .flags = WL_M_LESS,
     .meaning = "the third part of J: the loss of the unlabelled rows",
     .equation = "C* sum min(max(0, 1 - |o'|)^p, (1 + s)^p)"},
    {.name = "majoriser",
     .flags = WL_M_LESS | WL_M_HEADER,
     .meaning = "the convex function that the round minimised, at the new w: at least the objective there, "
                "and equal "
                "to it at the old w",
     .equation = "J with the concave part of hat replaced by its tangent at the old outputs"},
    {.name = "gain",
     .log = true,
     .meaning =
         "by how much the minimum of the majoriser is below the old objective; 0: the old w was a stationary "
         "point; the objective falls by at least this",
     .equation = "J(w_old) - majoriser"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest J so far: an upper bound on its minimum",
     .equation = "min J"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "a certified lower bound on J: the dual value of the labelled rows alone",
     .equation = "min over w of 1/2 ||w||^2 + C sum max(0, 1 - y o)^p"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_HEADER,
     .meaning = "`upper` is at most this far above the global minimum of J",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap of the last convex problem, which says how exactly the majoriser was minimised",
     .equation = "primal - dual; squared hinge: ||gradient||^2 / 2"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "unlabelled rows whose output changed its sign in this step"},
    {.name = "pending",
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_LINE,
     .meaning = "unlabelled rows whose tangent the next round changes; 0: w is a fixed point"},
    {.name = "plus",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "unlabelled rows whose tangent favours the label +1",
     .equation = "o' > -s"},
    {.name = "minus",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "unlabelled rows whose tangent favours the label -1",
     .equation = "o' < s"},
    {.name = "undecided",
     .unit = "rows",
     .flags = WL_M_COUNT,
     .meaning = "unlabelled rows on the flat top of the hat",
     .equation = "|o'| <= -s"},
    {.name = "solves", .flags = WL_M_COUNT, .meaning = "runs of SMO, or Newton iterations, in this step"},
    WLAB_SECONDS,
    {.name = NULL}};

void cccp_observe(const void *state, double *metric, int8_t *labels)
{
    const cccp *s = state;
    const bool begun = s->step > 0;

    if (labels)
        memcpy(labels, s->y, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->J;
    metric[M_J_NORM] = s->J_norm;
    metric[M_J_LABELLED] = s->J_labelled;
    metric[M_J_UNLABELLED] = s->J_unlabelled;
    metric[M_MAJORISER] = s->majoriser;
    metric[M_GAIN] = s->gain;
    metric[M_UPPER] = begun ? s->upper : NAN;
    metric[M_LOWER] = begun ? wlab_lower_beside(s->lower, s->upper, s->upper) : NAN;
    wlab_put_gap(&metric[M_GAP], metric[M_UPPER] - metric[M_LOWER], metric[M_UPPER]);
    metric[M_INNER_GAP] = s->m->gap;
    metric[M_FLIPS] = s->step > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_PENDING] = (double)s->pending;
    metric[M_PLUS] = (double)s->plus;
    metric[M_MINUS] = (double)s->minus;
    metric[M_UNDECIDED] = (double)s->undecided;
    metric[M_SOLVES] = (double)s->solves;
    metric[M_SECONDS] = s->seconds;
}

void cccp_explain(const void *state, char *buf, size_t size)
{
    const cccp *s = state;

    if (s->step == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: w = 0, and every output is 2 r - 1 = %.4g; C = %.4g, C* = %.4g.  The "
            "first step trains on the %lld labelled rows alone.",
            s->b0, s->C, s->Cu, (long long)s->l);
        return;
    }
    if (s->step == 1) {
        snprintf(buf, size,
                 "The SVM was trained on the %lld labelled rows alone: J is %.10g, and no w has a smaller "
                 "one than "
                 "%.10g.  The outputs of %lld unlabelled rows are positive, of %lld negative, and %lld are "
                 "undecided.",
                 (long long)s->l, s->J, s->lower, (long long)s->plus, (long long)s->minus,
                 (long long)s->undecided);
        return;
    }
    snprintf(buf, size,
             "Round %lld: the majoriser touched J at the old w, at %.10g; its minimum is %.10g, and J there "
             "is %.10g, lower "
             "still by %.3g.  %lld of %lld rows changed their sign; the tangents of %lld would change.%s",
             (long long)s->step - 1, s->majoriser + s->gain, s->majoriser, s->J, fmax(0, s->majoriser - s->J),
             (long long)s->flips, (long long)s->u, (long long)s->pending,
             s->pending == 0 ? "  So another round would solve the same problem: w is a fixed point."
             : s->limited    ? "  The limit rounds= stopped the run."
             : s->finished   ? "  The round gained hardly anything: w is nearly a stationary point."
                             : "");
}

void cccp_next(const void *state, char *buf, size_t size)
{
    const cccp *s = state;

    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited        ? "the limit rounds= was reached; `set rounds=` continues"
                 : s->pending == 0 ? "another round would solve the same problem"
                                   : "the last round gained hardly anything");
    else if (s->in_step)
        snprintf(buf, size, "solve the convex problem%s", s->step ? "" : " of the labelled rows");
    else if (s->step == 0)
        snprintf(buf, size, "train on the %lld labelled rows alone", (long long)s->l);
    else
        snprintf(buf, size, "draw the tangents at the present outputs, and minimise the majoriser");
}
