/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What mmc-sdp reports: metrics, labels, the matrix M and its eigenvalues, the model, explanations.
 */
#include "algo/algos.h"
#include "algo/mmc/sdp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    M_OBJECTIVE,
    M_UPPER,
    M_LOWER,
    M_GAP,
    M_RELGAP,
    M_INNER_GAP,
    M_INTEGER_UPPER,
    M_ROUNDED,
    M_RANK,
    M_LEADING,
    M_T,
    M_FLIPS,
    M_NEWTONS,
    M_SECONDS
};

const wlab_metric_info mmc_sdp_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "the SVM objective of the current matrix M, to within inner_gap",
     .equation = "F(M) = max over alpha of 1'alpha - 1/2 alpha'(K o M)alpha; sum-to-one: -1/(4 F), as in "
                 "wellsvm"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest F(M) so far: an upper bound on the relaxation's optimum",
     .equation = "F(M)"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "certified lower bound on the relaxation's optimum, so on the SVM objective of every labeling; "
         "never falls",
     .equation = "1'alpha - 1/2 (1'd), Diag(d) + multipliers of the balance - K o alpha alpha' psd"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the relaxation's optimum",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .flags = WL_M_BESIDE,
     .meaning = "duality gap of the SVM that gives F(M): how exactly F(M) is known",
     .equation = "primal - dual at fixed M"},
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "SVM objective of the best labeling that M was rounded to so far, which predicts: an upper "
                "bound on that of the best labeling",
     .equation = "max_alpha G(alpha, y) at one y in B"},
    {.name = "rounded",
     .flags = WL_M_LESS,
     .meaning = "SVM objective of the better of the labelings to which the current M rounds",
     .equation = "max_alpha G(alpha, y), y = argmax over y in B of c'y, c: the column of M of the labelled "
                 "rows, or its leading eigenvector"},
    {.name = "rank",
     .flags = WL_M_COUNT,
     .meaning =
         "eigenvalues of M above a thousandth of the largest: 1 for the matrix of a labeling. M has one "
         "row for all labelled rows together, and one for each other row"},
    {.name = "leading",
     .meaning =
         "the part of the trace of M that is in its largest eigenvalue: 1 for the matrix of a labeling. M "
         "has one row for all labelled rows together, and one for each other row",
     .equation = "lambda_max(M) / tr M"},
    {.name = "t",
     .log = true,
     .meaning = "weight of the objective against the barriers; M's distance from the optimum is about the "
                "number of variables / t",
     .equation = "t (1'alpha - 1/2 1'd) + log det S + ..."},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels of the best labeling that the step changed"},
    {.name = "newtons", .unit = "steps", .flags = WL_M_COUNT, .meaning = "Newton steps in this step"},
    WLAB_SECONDS,
    {0}};

void mmc_sdp_observe(const void *state, double *metric, int8_t *labels)
{
    const mmc_sdp *s = state;
    if (labels)
        memcpy(labels, s->best, (size_t)s->n);
    if (!metric)
        return;
    const double lower = isfinite(s->lower) ? wlab_lower_beside(s->lower, s->upper, fabs(s->upper)) : NAN;
    metric[M_OBJECTIVE] = s->objective;
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = lower;
    wlab_put_gap(&metric[M_GAP], s->upper - lower, s->upper);
    metric[M_INNER_GAP] = s->inner_gap;
    metric[M_INTEGER_UPPER] = s->integer_upper;
    metric[M_ROUNDED] = s->rounded;
    const bool begun = !isnan(s->objective);
    metric[M_RANK] = begun ? (double)s->rank : NAN;
    metric[M_LEADING] = s->leading;
    metric[M_T] = begun ? wlab_mmc_get(s->sdp).t : NAN;
    metric[M_FLIPS] = s->step > 1 ? (double)s->flips : NAN; /* a first label does not count */
    metric[M_NEWTONS] = begun ? (double)s->newtons : NAN;
    metric[M_SECONDS] = s->seconds;
}

/* The bounds enclose the optimum over matrices; the labeling that was rounded from one predicts. */
const char *mmc_sdp_certified(const wlab_params *given, const double *metric, double *value)
{
    const char *of = wlab_relaxation_of(metric[M_INTEGER_UPPER], metric[M_LOWER]);
    (void)given;
    if (of)
        *value = metric[M_INTEGER_UPPER];
    return of;
}

static wlab_code eigenvalues(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                             wlab_err *err)
{
    const mmc_sdp *s = state;
    const int64_t n = isnan(s->objective) ? 0 : s->nodes - !wlab_mmc_get(s->sdp).constant;
    (void)ask;
    (void)ctx;
    return wlab_probed_eigenvalues(w, s->value, n, err);
}

static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *z, wlab_ctx *ctx,
                        wlab_err *err)
{
    const mmc_sdp *s = state;
    const int64_t n = ask->n;
    (void)ctx;
    if (isnan(s->objective))
        return wlab_fail(err, WL_ESTATE, "there is no matrix M yet: `step` first");
    if (wlab_probed_make(z, n, n, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            z->value[i * n + j] = wlab_mmc_entry(s->sdp, ask->instance[i], ask->instance[j]);
    return WL_OK;
}

const wlab_probe mmc_sdp_probes[] = {{.name = "eigenvalue",
                                      .kind = WL_PROBE_EIGENVALUES,
                                      .when = WL_PROBE_RECORDED,
                                      .meaning = "eigenvalues of M",
                                      .get = eigenvalues},
                                     {.name = "M",
                                      .kind = WL_PROBE_MATRIX,
                                      .when = WL_PROBE_PAUSE,
                                      .meaning = "the matrix in place of the products of two rows' labels",
                                      .get = matrix},
                                     {.name = NULL}};

wlab_code mmc_sdp_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const mmc_sdp *s = state;
    const double one = 1;
    *out = NULL;
    if (isnan(s->integer_upper))
        return wlab_no_model(err);
    return well_mixture(&s->w, s->best, 1, &one, &s->w.at, out, ctx, err);
}

void mmc_sdp_explain(const void *state, char *buf, size_t size)
{
    const mmc_sdp *s = state;
    const wlab_mmc_numbers r = wlab_mmc_get(s->sdp);
    char percent[32];
    buf[0] = 0;
    if (isnan(s->objective)) {
        snprintf(buf, size,
                 "No step has been made yet.  The label set has %.4g labelings y.  In place of yy' the run "
                 "looks for a matrix M with %lld rows and columns, one for %s; it begins near an M that "
                 "decides nothing.",
                 wlab_labelset_count(s->w.p->labels), (long long)r.nodes - !r.constant,
                 r.constant ? "the labelled rows together and one for each other row" : "each row");
        return;
    }
    wlab_text_append(
        buf, size,
        "Step %lld reached the maximum for t = %.4g in %lld Newton step%s, which gives a feasible "
        "matrix M.  Its SVM objective F(M) is %.10g; multipliers prove that no matrix, so no "
        "labeling, has less than %.10g: gap %.3g, %s of it.  ",
        (long long)s->step, r.t, (long long)s->newtons, s->newtons == 1 ? "" : "s", s->objective, s->lower,
        fmax(s->upper - s->lower, 0), wlab_percent(fmax(s->upper - s->lower, 0) / fabs(s->upper), percent));
    wlab_text_append(
        buf, size,
        "%s of the trace of M is in its largest eigenvalue, %lld eigenvalue%s above a thousandth of it: "
        "1 eigenvalue would be a labeling.  M was rounded to labels with the SVM objective %.10g; "
        "the best so far has %.10g",
        wlab_percent(s->leading, percent), (long long)s->rank, s->rank == 1 ? " is" : "s are", s->rounded,
        s->integer_upper);
    if (s->step > 1)
        wlab_text_append(buf, size, ", %lld of its labels changed", (long long)s->flips);
    wlab_text_append(buf, size, ".");
    if (s->finished && !s->stuck)
        wlab_text_append(buf, size,
                         "  The relaxation is solved to eps = %g.  The best labeling of all has an objective "
                         "between %.10g and %.10g.",
                         s->eps, s->lower, s->integer_upper);
    if (s->stuck)
        wlab_text_append(buf, size, "  Rounding errors allow no further Newton step.");
}

void mmc_sdp_next(const void *state, char *buf, size_t size)
{
    const mmc_sdp *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->stuck ? "rounding errors allow no further Newton step" : "gap <= eps |upper|");
    else if (s->pending)
        snprintf(buf, size,
                 "compute the SVM objective of the new matrix M, its certified lower bound, and labels");
    else
        snprintf(buf, size, "a Newton step towards the maximum of t times the objective plus the barriers%s",
                 isnan(s->objective) ? "" : ", with a larger t than before");
}
