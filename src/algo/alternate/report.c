/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the alternation reports: metrics, labels, the objectives of the restarts, the model, explanations.
 */
#include "algo/algos.h"
#include "algo/alternate/alternate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_BEST,
    M_SPREAD,
    M_RESTART,
    M_DISTINCT,
    M_MOVING,
    M_INNER_GAP,
    M_ALIGNMENT,
    M_FLIPS,
    M_SVMS,
    M_SECONDS
};

const wlab_metric_info alt_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "the function that the method minimises, for the restart that is shown: falls in both halves of an "
         "alternation, and when another restart is shown",
     .equation = "P(w, b, y) = 1/2 ||w||^2 + sum_i C_i loss; sum-to-one: -1/(4 P), as in wellsvm"},
    {.name = "best",
     .role = WL_R_BEST,
     .flags = WL_M_HEADER,
     .meaning = "the smallest objective that any restart has reached: an upper bound on the optimum over all "
                "labelings",
     .equation = "P(w, b, y)"},
    {.name = "spread",
     .meaning =
         "by how much the objectives of the restarts that are left differ: the largest minus the smallest",
     .equation = "max P - min P"},
    {.name = "restart",
     .role = WL_R_RESTART,
     .flags = WL_M_COUNT,
     .meaning = "number of the restart that is shown: the one with the smallest objective now"},
    {.name = "distinct",
     .role = WL_R_DISTINCT,
     .unit = "restarts",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "restarts that are left after those whose labels met were merged (clusters: up to the sign)"},
    {.name = "moving",
     .unit = "restarts",
     .flags = WL_M_COUNT,
     .meaning = "restarts that have not converged: their last alternation changed a label and lowered the "
                "objective by "
                "more than decrease"},
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap of the last classifier of the restart shown: how exactly it was found",
     .equation = "primal - dual at fixed y"},
    {.name = "alignment",
     .meaning = "start=alignment: kernel alignment of the initial labels of the restart shown",
     .equation = "y'Ky"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those that were shown one step before, possibly of another restart; "
                "in step 1 "
                "from the initial ones of restart 1"},
    {.name = "svms",
     .unit = "classifiers",
     .flags = WL_M_COUNT,
     .meaning = "classifiers trained so far, over all restarts"},
    WLAB_SECONDS,
    {0}};

static bool begun(const alternate *s)
{
    return s->stage != ALT_BEGIN;
}

static double spread(const alternate *s)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int64_t k = 0; k < s->restarts; k++)
        if (s->r[k].same_as < 0) {
            least = fmin(least, alt_objective(s, &s->r[k]));
            most = fmax(most, alt_objective(s, &s->r[k]));
        }
    return most - least;
}

void alt_observe(const void *state, double *metric, int8_t *labels)
{
    const alternate *s = state;
    const alt_restart *r = &s->r[s->leader];
    for (int64_t i = 0; labels && i < s->n; i++)
        labels[i] = s->as_keys && s->shown[i] < 0 && s->w.p->visible[i] == 0 ? 0 : s->shown[i];
    if (!metric)
        return;
    metric[M_OBJECTIVE] = begun(s) ? alt_objective(s, r) : NAN;
    metric[M_BEST] = s->best;
    metric[M_SPREAD] = begun(s) ? spread(s) : NAN;
    metric[M_RESTART] = begun(s) ? (double)(s->leader + 1) : NAN;
    metric[M_DISTINCT] = (double)s->distinct;
    metric[M_MOVING] = (double)s->moving;
    metric[M_INNER_GAP] = r->gap;
    metric[M_ALIGNMENT] = r->alignment;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_SVMS] = (double)s->svms;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code objectives(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                            wlab_err *err)
{
    const alternate *s = state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(out, begun(s) ? s->restarts : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < out->rows; k++)
        out->value[k] = alt_objective(s, &s->r[alt_representative(s, k)]);
    return WL_OK;
}

/* The cuts of the shown restart's outputs, and its present offset. */
static wlab_code cuts(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                      wlab_err *err)
{
    const alternate *s = state;
    const alt_restart *r = &s->r[s->leader];
    const int64_t n = s->n, lo = s->w.p->labels->lo[0], hi = s->w.p->labels->hi[0];
    (void)ask;
    (void)ctx;
    if (s->step == 0)
        return wlab_fail(err, WL_ESTATE, "nothing has been cut yet: `step` first");
    int32_t *order = wlab_alloc((size_t)n, sizeof *order);
    double *loss = wlab_alloc((size_t)n, sizeof *loss);
    wlab_code code = order && loss ? alt_cuts(s, r, 1, n - 1, order, loss, err) : wlab_nomem(err);
    code = code ? code : wlab_probed_make(out, n, WL_CUT_COLUMNS, err);
    for (int64_t k = 1; k < n && !code; k++) {
        double *row = out->value + (k - 1) * WL_CUT_COLUMNS;
        row[WL_CUT_AT] = alt_cut_below(r->f, order, k);
        row[WL_CUT_VALUE] = loss[n - k - 1];
        row[WL_CUT_ALLOWED] = n - k >= lo && n - k <= hi;
        row[WL_CUT_BOUND] = NAN;
    }
    if (!code) {
        double *chosen = out->value + (n - 1) * WL_CUT_COLUMNS;
        chosen[WL_CUT_AT] = -r->b;
        chosen[WL_CUT_VALUE] = alt_loss(s, r->f, r->b, r->y);
        chosen[WL_CUT_ALLOWED] = 1;
        chosen[WL_CUT_BOUND] = NAN;
    }
    wlab_free(order);
    wlab_free(loss);
    return code;
}

#define OBJECTIVES                                                                                           \
    {                                                                                                        \
        .name = "objective", .kind = WL_PROBE_RESTARTS, .when = WL_PROBE_RECORDED,                           \
        .meaning = "objective of each restart", .get = objectives                                            \
    }
const wlab_probe alt_probes[] = {OBJECTIVES, {.name = NULL}};
const wlab_probe itersvr_probes[] = {OBJECTIVES,
                                     {.name = "losses",
                                      .kind = WL_PROBE_CUTS,
                                      .when = WL_PROBE_QUICK,
                                      .meaning = "sum of the losses for every cut of the outputs",
                                      .get = cuts},
                                     {.name = NULL}};
#undef OBJECTIVES

wlab_code alt_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const alternate *s = state;
    const alt_restart *r = &s->r[s->leader];
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    if (s->regression) {
        wlab_code code =
            wlab_model_from_coefficients(out, s->w.p, &s->w.kernel, r->beta, ctx ? ctx->pool : NULL, err);
        if (!code)
            (*out)->b[0] += r->b;
        return code;
    }
    double *c = wlab_alloc((size_t)s->n, sizeof *c);
    if (!c)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n; k++)
        c[k] = r->beta[k] / (r->scale * s->w.lambda);
    wlab_code code = well_classifier(&s->w, c, out, ctx, err);
    wlab_free(c);
    return code;
}

const wlab_kernel *alt_kernel(const void *state)
{
    return &((const alternate *)state)->w.kernel;
}

static const char *machine(const alternate *s)
{
    return s->regression ? "support vector regression" : "SVM";
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

void alt_explain(const void *state, char *buf, size_t size)
{
    const alternate *s = state;
    const alt_restart *r = &s->r[s->leader];
    if (s->step == 0 && begun(s)) {
        snprintf(buf, size,
                 "Inside step 1: the initial labels of %lld restart%s are chosen; the %s is solved for each, "
                 "and then "
                 "the best labels for it are found.",
                 (long long)s->restarts, plural(s->restarts), machine(s));
        return;
    }
    if (s->step == 0) {
        snprintf(buf, size,
                 "No step has been made yet: %lld restart%s will begin with labels from the label set, which "
                 "has %.4g "
                 "labelings, and alternate between the %s for the labels and the best labels for it.",
                 (long long)s->restarts, plural(s->restarts), wlab_labelset_count(s->w.p->labels),
                 machine(s));
        return;
    }
    snprintf(
        buf, size,
        "In each restart that had not converged, the %s was solved for its labels, and then the labels of "
        "the "
        "label set with the smallest loss were found%s.  Restart %lld of %lld has the smallest objective, "
        "%.10g: 1/2 ||w||^2 = %.6g and weighted losses %.6g%s; %lld of its labels changed, and both halves "
        "together lowered the sum by %.4g.",
        machine(s),
        s->regression ? ", by trying every cut of the sorted outputs that the balance allows"
                      : ": within a group of the label set the rows with the largest outputs are positive",
        (long long)s->leader + 1, (long long)s->restarts, alt_objective(s, r), r->norm, r->loss,
        !s->regression && s->w.loss == WELL_SUM_TO_ONE
            ? " (of the squared hinge loss; the objective is -1 / (4 their sum))"
        : s->w.group ? " (of a negative bag only that of its largest output)"
                     : "",
        (long long)r->flips, r->first - r->norm - r->loss);
    if (s->before != s->leader)
        wlab_text_append(
            buf, size,
            "  Restart %lld was shown before: the %lld flips are rows on which the labels of the two "
            "differ.",
            (long long)s->before + 1, (long long)s->flips);
    if (!isnan(r->alignment))
        wlab_text_append(buf, size,
                         "  It began with the best of %lld labelings by y'Ky, %.6g; the worst had %.6g.",
                         (long long)s->tries, r->alignment, r->least);
    wlab_text_append(buf, size,
                     "  %lld of %lld restarts have distinct labels, with objectives up to %.4g apart; ",
                     (long long)s->distinct, (long long)s->restarts, spread(s));
    if (s->moving)
        wlab_text_append(buf, size, "%lld %s not converged%s.", (long long)s->moving,
                         s->moving == 1 ? "has" : "have",
                         s->limited ? ", and the limit iterations= stopped the run" : "");
    else
        wlab_text_append(buf, size,
                         "all have converged: these are local minima, and none is proven to be the "
                         "smallest.");
    if (r->missed)
        wlab_text_append(
            buf, size, "  Its last classifier missed tol=%g: scale the columns, or use a smaller C.", s->tol);
}

void alt_next(const void *state, char *buf, size_t size)
{
    const alternate *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited ? "the limit iterations= was reached" : "every restart has converged");
    else if (s->stage == ALT_BEGIN)
        snprintf(buf, size, "choose the initial labels of %lld restart%s, then solve the %s for them",
                 (long long)s->restarts, plural(s->restarts), machine(s));
    else if (s->stage == ALT_CLASSIFIER)
        snprintf(buf, size,
                 "solve the %s for the labels of restart %lld, the first of %lld that %s not converged",
                 machine(s), (long long)s->turn + 1, (long long)s->moving, s->moving == 1 ? "has" : "have");
    else
        snprintf(buf, size, "find the best labels for the %s of each restart that has not converged",
                 machine(s));
}
