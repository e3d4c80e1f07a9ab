/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What softmax-sdp reports: metrics, labels, the spectrum and the entries of Z, scores, explanations.
 */
#include "algo/algos.h"
#include "algo/softmax/sdp.h"
#include "model/kernel.h"

#include <cblas.h>
#include <math.h>
#include <stdarg.h>
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
    M_LAMBDA_MIN,
    M_T,
    M_RANK,
    M_LABEL_ENTROPY,
    M_LINK_ERROR,
    M_FLIPS,
    M_TRIALS,
    M_INNER,
    M_CG,
    M_FITS,
    M_EM,
    M_SECONDS
};

const wlab_metric_info sdp_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "an upper bound of F(Z) at the current Z, computed from the classifier (U, b) that was found; F(Z) "
         "is the maximum over Omega of the inner problem. In EM: f of the labels and the model",
     .equation = "Eq. 5: max over Omega of -cP/(2 lambda) tr(Z (I-Omega)'K(I-Omega)) - sum pi_n Omega_nm "
                 "log(Omega_nm/pi_m), c = 1 - 1/P, or 1 with coding=indicator; EM: Eq. 1"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning = "the smallest F since the start or the last change of lambda: an upper bound on the "
                "relaxation's optimum; unchanged in EM",
     .equation = "F(Z), Eq. 5"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning = "certified lower bound on the relaxation's optimum, so also on f of every labeling (with "
                "reduce=: of the points; not with entropy=bag or loss=square); unchanged in EM",
     .equation =
         "entropy(Omega) + tr(multipliers) + N min(0, lambda_min(H)), the best so far; N: the rows of Z"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the relaxation's optimum; unchanged in EM, where a step's "
                "line shows - because it does not bound EM's objective",
     .equation = "upper - lower, at most -N lambda_min(H) + inner_gap"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .flags = WL_M_BESIDE,
     .meaning = "duality gap of the inner problem, which says how exactly F(Z) is known",
     .equation = "F's dual value at (U, b) - its value at a feasible Omega"},
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning = "the smallest f of any labels so far: an upper bound on f of the best labeling (with "
                "reduce=: in the relaxation f of labels of the points, in EM of all rows)",
     .equation =
         "Eq. 1: sum pi_n softmaxloss(z_n, w'x_n + b) - h(sum pi_n z_n) + lambda/(2P) ||w||^2, minimal "
         "in (w, b); with intercept=no minimal in w, and b is fixed"},
    {.name = "lambda_min",
     .meaning = "the smallest eigenvalue of H, the gradient minus its multipliers: 0 at the optimum",
     .equation = "lambda_min(H), H = G - Diag(diag(G Z))"},
    {.name = "t",
     .log = true,
     .meaning = "inverse step size of the line search (a larger t is a shorter step), in Z+ = "
                "rescale(exp(log Z - H/t))",
     .equation = "t, Section 4.2"},
    {.name = "rank", .flags = WL_M_COUNT, .meaning = "rank of Z: the columns of its factor"},
    {.name = "label_entropy",
     .meaning = "entropy of the class proportions: log P if the classes are balanced",
     .equation = "h(sum pi_n z_n) = -sum_k v_k log v_k"},
    {.name = "link_error",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "the largest error of those entries of Z that the candidates prescribe",
     .equation = "max |Z_nk - prescribed value| over pairs whose label vectors must differ"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "rows",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those of the step before; a first label is not counted"},
    {.name = "trials", .flags = WL_M_COUNT, .meaning = "matrices that line searches have tried so far"},
    {.name = "inner",
     .unit = "steps",
     .flags = WL_M_COUNT | WL_M_LESS,
     .meaning = "steps of the inner problem so far"},
    {.name = "cg",
     .unit = "products",
     .flags = WL_M_COUNT,
     .meaning = "conjugate gradient steps inside Newton's method so far"},
    {.name = "fits",
     .unit = "rounds",
     .flags = WL_M_COUNT,
     .meaning = "rounds of iterative proportional fitting so far"},
    {.name = "em",
     .role = WL_R_STAGE,
     .unit = "iterations",
     .flags = WL_M_COUNT,
     .label = "EM",
     .axis = "EM from the relaxation's labels",
     .meaning = "iterations of EM, after the relaxation"},
    WLAB_SECONDS,
    {0}};

static double lower_now(const sdp *s)
{
    return s->rounded && isfinite(s->lower) ? s->lower : NAN;
}

/* A lower bound on f of every labeling that EM may find; NaN: not known.  -log P is a bound, too: loss and penalty are
 * not negative, and the entropy is at most log P. */
static double labels_lower(const sdp *s)
{
    return s->square || s->points.own || s->rows.bag ? NAN : fmax(lower_now(s), -log(s->P));
}

void sdp_observe(const void *state, double *metric, int8_t *labels)
{
    const sdp *s = state;
    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    const wlab_relax_numbers r = wlab_relax_get(s->relax);
    /* the tolerance for rounding: f and F are a loss minus an entropy, each of which may be as large as log P */
    const double size = log(s->P) + fabs(s->upper), lower = wlab_lower_beside(lower_now(s), s->upper, size);
    metric[M_OBJECTIVE] = s->objective;
    metric[M_UPPER] = s->upper;
    metric[M_LOWER] = lower;
    wlab_put_gap(&metric[M_GAP], s->upper - lower, s->upper);
    metric[M_INTEGER_UPPER] = s->integer_upper;
    metric[M_INNER_GAP] = s->rounded && isfinite(r.inner_gap) ? r.inner_gap : NAN;
    metric[M_LAMBDA_MIN] = s->rounded ? r.lambda_min : NAN;
    metric[M_T] = s->rounded ? r.t : NAN;
    metric[M_RANK] = s->rounded ? (double)r.rank : NAN;
    metric[M_LABEL_ENTROPY] = s->entropy;
    metric[M_LINK_ERROR] = s->pairs && s->rounded ? r.violation : NAN;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_TRIALS] = (double)r.trials;
    metric[M_INNER] = (double)r.inner;
    metric[M_CG] = (double)r.cg;
    metric[M_FITS] = (double)r.fits;
    metric[M_EM] = (double)s->em_steps;
    metric[M_SECONDS] = s->seconds;
}

/* The bounds are those of the relaxation; labels that were rounded from it predict, as EM has changed them.  With other
 * losses, entropies or points than those of the relaxation its bound is none for the objective of EM. */
const char *sdp_certified(const wlab_params *given, const double *metric, double *value)
{
    if (metric[M_EM] > 0 && wlab_params_choice(given, "loss") == 0 &&
        wlab_params_choice(given, "entropy") == 0 && wlab_params_choice(given, "reduce") == 0)
        *value = metric[M_OBJECTIVE];
    return "relaxation";
}

static wlab_code eigenvalues(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                             wlab_err *err)
{
    const sdp *s = state;
    int64_t n;
    const double *value = wlab_relax_eigenvalues(s->relax, &n);
    n = !s->rounded ? 0 : n < WL_EIGENVALUES_MOST ? n : (int64_t)WL_EIGENVALUES_MOST;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, n, 1, err))
        return WL_ENOMEM;
    if (n)
        memcpy(w->value, value, (size_t)n * sizeof *w->value);
    return WL_OK;
}

/* Z without its factor c: products of unit label vectors. */
static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *z, wlab_ctx *ctx,
                        wlab_err *err)
{
    const sdp *s = state;
    const int64_t n = ask->n;
    (void)ctx;
    if (!s->rounded)
        return wlab_fail(err, WL_ESTATE, "there is no matrix Z yet: `step` first");
    if (wlab_probed_make(z, n, n, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const int32_t a = ask->instance[i], b = ask->instance[j];
            const int64_t p = s->points.of ? s->points.of[a] : a, q = s->points.of ? s->points.of[b] : b;
            z->value[i * n + j] = p < 0 || q < 0 ? NAN : wlab_relax_entry(s->relax, p, q);
        }
    return WL_OK;
}

static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const sdp *s = state;
    (void)ask;
    (void)ctx;
    if (!s->rounded)
        return wlab_fail(err, WL_ESTATE, "there are no scores yet: `step` first");
    if (wlab_probed_make(out, s->n, s->P, err))
        return WL_ENOMEM;
    if (s->em_steps)
        wlab_em_scores(s->full, out->value);
    for (int64_t i = 0; i < s->n && !s->em_steps; i++) {
        const int64_t p = s->points.of ? s->points.of[i] : i;
        for (int k = 0; k < s->P; k++)
            out->value[i * s->P + k] = p < 0 ? NAN : s->score[s->group[p] * s->P + k];
    }
    return WL_OK;
}

const wlab_probe sdp_probes[] = {{.name = "eigenvalue",
                                  .kind = WL_PROBE_EIGENVALUES,
                                  .when = WL_PROBE_RECORDED,
                                  .meaning = "eigenvalues of Z",
                                  .get = eigenvalues},
                                 {.name = "Z",
                                  .kind = WL_PROBE_MATRIX,
                                  .when = WL_PROBE_PAUSE,
                                  .meaning = "the relaxed products of the rows' unit label vectors",
                                  .get = matrix},
                                 {.name = "scores",
                                  .kind = WL_PROBE_SCORES,
                                  .when = WL_PROBE_QUICK,
                                  .meaning = "scores that are rounded to labels; in EM those of the model",
                                  .get = scores},
                                 {.name = NULL}};

/* ---- explanations ---- */

static void explain_em(const sdp *s, char *buf, size_t size)
{
    const wlab_em_value f = wlab_em_objective(s->full);
    *buf = 0;
    wlab_text_append(
        buf, size,
        "EM iteration %lld: the E-step chose labels z for the model (%lld flips, %lld rows divided between "
        "classes), the M-step the model (w, b) for these labels. f = %.10g: loss %.6g, minus the entropy "
        "%.6g of the class proportions, plus %.6g for ||w||^2.",
        (long long)s->em_steps, (long long)s->flips, (long long)wlab_em_fractional(s->full), f.total, f.loss,
        f.entropy, f.norm);
    const double bound = labels_lower(s);
    if (!isnan(bound))
        wlab_text_append(buf, size, " No labeling has a smaller f than %.10g, which is %.3g lower", bound,
                         f.total - bound);
    if (bound > lower_now(s))
        wlab_text_append(
            buf, size,
            " (-log %d, as loss and penalty are not negative; the relaxation's bound, %.6g, says less)", s->P,
            lower_now(s));
    if (!isnan(bound))
        wlab_text_append(buf, size, ".");
    if (s->finished)
        wlab_text_append(buf, size, " f no longer falls: done.");
    if (s->integer_upper < f.total - 1e-6 * (1 + fabs(f.total)))
        wlab_text_append(buf, size, " The labels of step %lld have a smaller f, %.10g (`goto %lld`).",
                         (long long)s->best_step, s->integer_upper, (long long)s->best_step);
}

void sdp_explain(const void *state, char *buf, size_t size)
{
    const sdp *s = state;
    *buf = 0;
    if (!s->rounded) {
        snprintf(
            buf, size,
            "No step has been made yet. Z has %lld x %lld entries, which are free%s: %lld label vectors, "
            "%lld points, %lld features, %d classes.",
            (long long)s->nodes, (long long)s->nodes, s->block ? " except for the block of the classes" : "",
            (long long)s->groups, (long long)s->points.n, (long long)s->features->r, s->P);
        return;
    }
    if (s->reset) {
        snprintf(buf, size,
                 "lambda was changed to %g: the next step evaluates F at the current matrix and computes new "
                 "bounds. Labels and numbers are still those of the previous lambda.",
                 s->lambda);
        return;
    }
    if (s->em_steps) {
        explain_em(s, buf, size);
        return;
    }
    if (s->pending) { /* the numbers below would be of two steps */
        snprintf(buf, size,
                 "The relaxation has made step %lld, which is not rounded to labels yet; labels, flips and "
                 "objective are still those of step %lld.",
                 (long long)s->step + 1, (long long)s->step);
        return;
    }
    const wlab_relax_numbers r = wlab_relax_get(s->relax);
    char percent[32];
    if (s->step == 1)
        wlab_text_append(buf, size, "Step 1 evaluated F at the first Z: %.10g", s->objective);
    else
        wlab_text_append(buf, size,
                         "Step %lld went from Z to rescale(exp(log Z - H/t)) with t = %.3g: F = %.10g",
                         (long long)s->step, r.t, s->objective);
    wlab_text_append(buf, size, ", exact to %.2g (inner gap). The smallest eigenvalue of H is %.3g",
                     r.inner_gap, r.lambda_min);
    if (isfinite(s->lower))
        wlab_text_append(buf, size, ", so no %s than %.10g: gap %.3g, %s of F",
                         s->square || s->points.own || s->rows.bag ? "matrix Z has a smaller F"
                                                                   : "labeling has a smaller f",
                         s->lower, fmax(s->objective - s->lower, 0),
                         wlab_percent(fmax(s->objective - s->lower, 0) / fabs(s->objective), percent));
    wlab_text_append(buf, size, ". Z has rank %lld.", (long long)r.rank);
    wlab_text_append(
        buf, size, " Rounded %s: %lld flips, entropy of the class proportions%s %.4g (log %d = %.4g)",
        s->best && s->relaxed            ? "in several ways at each step, with the best of all"
        : s->best                        ? "in several ways, with the best of these"
        : s->rounding == WL_ROUND_KMEANS ? "by k-means on its eigenvectors"
                                         : "by its eigenvectors",
        (long long)s->flips, s->rows.bag ? ", summed over bags," : "", s->entropy, s->P, log(s->P));
    wlab_text_append(buf, size, "; the best labels so far, of step %lld, have f = %.10g",
                     (long long)s->best_step, s->integer_upper);
    wlab_text_append(buf, size, ".");
    if (s->relaxed)
        wlab_text_append(buf, size,
                         sdp_stalled(s) ? " No step lowers F any more: stalled."
                                        : " The gap is within eps = %g: converged.",
                         s->eps);
}

void sdp_next(const void *state, char *buf, size_t size)
{
    const sdp *s = state;
    if (s->relaxed && (!s->em || s->finished))
        snprintf(buf, size, "nothing: %s; continue with `set lambda=`, `back` or `algo`",
                 s->em            ? "EM has converged"
                 : sdp_stalled(s) ? "the relaxation is stalled"
                                  : "the relaxation has converged");
    else if (s->relaxed && !s->begun_em)
        snprintf(buf, size, "find the model (w, b) of the rounded labels, then run EM");
    else if (s->relaxed)
        snprintf(buf, size,
                 s->middle ? "the M-step: find (w, b) for the labels"
                           : "the E-step: find labels for (w, b), then the M-step");
    else if (s->pending)
        snprintf(buf, size, "round Z to labels");
    else if (s->reset)
        snprintf(buf, size, "evaluate F at the current matrix with lambda = %g, and round it", s->lambda);
    else if (!s->rounded)
        snprintf(buf, size, "evaluate F at the first Z, %lld x %lld, and round it", (long long)s->nodes,
                 (long long)s->nodes);
    else
        snprintf(buf, size, "make a von Neumann step in Z (%lld x %lld) with a line search, then round Z",
                 (long long)s->nodes, (long long)s->nodes);
}
