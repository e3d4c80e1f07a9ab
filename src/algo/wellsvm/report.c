/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The output of WellSVM: metrics, labels, mixing weights, the model, and the explanation of a step in words.
 */
#include "algo/algos.h"
#include "algo/wellsvm/wellsvm.h"
#include "model/model.h"

#include <cblas.h>
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
    M_MASTER_GAP,
    M_VIOLATION,
    M_INTEGER_UPPER,
    M_ROUNDED,
    M_IMBALANCE,
    M_FLIPS,
    M_WORKING_SET,
    M_ACTIVE,
    M_MKL_ITERS,
    M_SVM_ITERS,
    M_SECONDS,
    M_COUNT
};
_Static_assert((int)M_COUNT == (int)WELL_METRICS && (int)M_FLIPS == (int)WELL_FLIPS,
               "one index for each metric");

const wlab_metric_info well_metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning = "dual value of the master problem at the current alpha and mu",
     .equation = "sum_t mu_t G(alpha, y_t), Eq. 11 (Eq. 15 for ssl)"},
    {.name = "upper",
     .role = WL_R_UPPER,
     .flags = WL_M_HEADER,
     .meaning =
         "smallest certified upper bound on the optimum of the relaxation so far (the SVM objective of a "
         "single labeling is a bound, too, so `upper` may be below the objective, mostly in the first "
         "steps); never rises while the settings are unchanged",
     .equation = "J(mu) = max_alpha sum_t mu_t G(alpha, y_t), the primal value of its SVM"},
    {.name = "lower",
     .role = WL_R_LOWER,
     .flags = WL_M_HEADER,
     .meaning =
         "largest certified lower bound on the optimum of the relaxation so far; never falls while the "
         "settings are unchanged",
     .equation = "min over y in B of G(alpha, y) >= 1'alpha - M/2, M >= max over B of y'Hy, H = K.(alpha "
                 "alpha'); or the optimum of the SVM on the labelled rows"},
    {.name = "gap",
     .role = WL_R_GAP,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning = "`upper` is at most this far above the optimum of the relaxation",
     .equation = "upper - lower"},
    WLAB_RELGAP,
    {.name = "inner_gap",
     .role = WL_R_INNER_GAP,
     .log = true,
     .meaning = "duality gap of the SVM just solved: it is at most this far from its optimum",
     .equation = "primal - dual"},
    {.name = "master_gap",
     .role = WL_R_INSIDE,
     .log = true,
     .meaning = "certified gap of the master problem over the working set",
     .equation = "sum_t mu_t G(alpha, y_t) - min_t G(alpha, y_t)"},
    {.name = "violation",
     .role = WL_R_VIOLATION,
     .log = true,
     .flags = WL_M_SHOWN,
     .meaning =
         "by how much the labeling y_r that the search of this step found violates the constraints of the "
         "master problem; 0 if it violates none",
     .equation = "epsilon_r = min over the working set of G(alpha, y) - G(alpha, y_r), Proposition 3"},
    {.name = "integer_upper",
     .role = WL_R_LABELING,
     .flags = WL_M_HEADER,
     .meaning =
         "SVM objective of the best feasible labeling found (linear kernel above 4000 rows: an upper "
         "bound of it, see `rounded`): an upper bound on the optimum of the mixed-integer problem; with "
         "integer=all the optimum itself",
     .equation = "max_alpha G(alpha, y) at one y in B, Eq. 3"},
    {.name = "rounded",
     .flags = WL_M_LESS,
     .meaning = "SVM objective of the labeling to which the prediction rounds (linear kernel above 4000 "
                "rows: an upper bound of it, the primal value at the prediction's w times the best "
                "factor); rounded - objective is the price of a single labeling in place of the mixture",
     .equation = "max_alpha G(alpha, y) at y = argmax over y in B of f'y"},
    {.name = "imbalance",
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_LESS,
     .meaning = "by how many labels the signs of f, before its threshold is subtracted, miss the counts "
                "that the label set prescribes; threshold=balance corrects this in the model",
     .equation = "sum over groups of B of the distance of #{k: f(x_k) > 0} from [lo, hi]"},
    {.name = "flips",
     .role = WL_R_FLIPS,
     .unit = "labels",
     .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning =
         "rows with alpha > 0 whose labels differ between the two newest labelings of the working set"},
    {.name = "working_set",
     .role = WL_R_WORKING_SET,
     .unit = "labelings",
     .flags = WL_M_COUNT,
     .meaning = "labelings in the working set"},
    {.name = "active",
     .role = WL_R_ACTIVE,
     .unit = "labelings",
     .flags = WL_M_COUNT,
     .meaning = "labelings with mu > 0"},
    {.name = "mkl_iters", .flags = WL_M_COUNT | WL_M_LESS, .meaning = "updates of mu in this step"},
    {.name = "svm_iters",
     .flags = WL_M_COUNT | WL_M_LESS,
     .meaning = "SVM problems solved in this step (linear kernel above 4000 rows: passes over the data by "
                "the master)"},
    WLAB_SECONDS,
    {0}};

static int64_t active(const wellsvm *s)
{
    int64_t count = 0;
    for (int64_t t = 0; t < s->T; t++)
        count += s->mu[t] > 0;
    return count;
}

void well_observe(const void *state, double *metric, int8_t *labels)
{
    const wellsvm *s = state;
    if (metric) {
        bool begun = s->T > 0;
        metric[M_OBJECTIVE] = s->objective;
        metric[M_UPPER] = s->upper_bound;
        metric[M_LOWER] = s->lower_bound;
        wlab_put_gap(&metric[M_GAP], s->upper_bound - s->lower_bound, s->upper_bound);
        metric[M_INNER_GAP] = s->inner_gap;
        metric[M_MASTER_GAP] = s->master_gap;
        metric[M_VIOLATION] =
            s->in_master ? NAN : s->violation; /* inside a step the search is still to come */
        metric[M_INTEGER_UPPER] = s->integer_upper;
        metric[M_ROUNDED] = s->rounded;
        metric[M_IMBALANCE] =
            begun && !s->in_master && wlab_labelset_counts(s->p->labels) ? (double)s->imbalance : NAN;
        metric[M_FLIPS] = begun && !s->in_master ? (double)s->flips : NAN;
        metric[M_WORKING_SET] = (double)s->T;
        metric[M_ACTIVE] = (double)(s->at_size ? s->active : active(s));
        metric[M_MKL_ITERS] = (double)s->updates;
        metric[M_SVM_ITERS] = (double)s->svms;
        metric[M_SECONDS] = s->seconds;
    }
    if (labels)
        for (int64_t k = 0; k < s->n; k++)
            labels[k] = s->finish.rounds > 0 ? s->finish.y[k]
                        : s->T > 0           ? well_label(s, s->T - 1, k)
                                             : s->pending[k];
}

/* The bounds are those of the relaxation, whose solution, the mixture, predicts.  It solves the problem itself only if the
 * relaxation is tight: a labeling in the working set attains the lower bound.  With finish=alternate at the end of a run
 * it is a single labeling that predicts. */
const char *well_certified(const wlab_params *given, const double *metric, double *value)
{
    if (wlab_params_choice(given, "finish") == 0)
        return wlab_relaxation_of(metric[M_INTEGER_UPPER], metric[M_LOWER]);
    *value = metric[M_ROUNDED];
    return "relaxation";
}

static wlab_code weights(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                         wlab_err *err)
{
    const wellsvm *s = state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, s->T, 1, err))
        return WL_ENOMEM;
    memcpy(w->value, s->mu, (size_t)s->T * sizeof *w->value);
    return WL_OK;
}

/* Subtracts from the model's offset the threshold at which the signs of f(x) = sum_k c_k kappa(x_k, x) on the training
 * rows have the counts that the label set prescribes.  Does nothing if threshold= says so. */
static wlab_code shift_offset(const wellsvm *s, const double *c, wlab_model *m, wlab_ctx *ctx, wlab_err *err)
{
    double t;
    int64_t missed;
    wlab_code code = WL_OK;
    if (s->threshold == WELL_THRESHOLD_ZERO || (s->threshold == WELL_THRESHOLD_AUTO && s->kernel.bias != 0) ||
        !wlab_labelset_counts(s->p->labels))
        return WL_OK;
    double *f = wlab_alloc((size_t)s->n, sizeof *f);
    if (!f)
        return wlab_nomem(err);
    if (s->K)
        cblas_dsymv(CblasRowMajor, CblasLower, (int)s->n, s->lambda, s->K, (int)s->n, c, 1, 0, f, 1);
    else
        code = wlab_model_predict_progress(m, s->p->X, f, ctx, err);
    if (!code && !(code = wlab_labelset_threshold(s->p->labels, f, &t, &missed, err)))
        m->b[0] -= t;
    wlab_free(f);
    return code;
}

wlab_code well_classifier(const wellsvm *s, const double *c, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    wlab_code code = wlab_model_from_coefficients(out, s->p, &s->kernel, c, ctx ? ctx->pool : NULL, err);
    if (!code && (code = shift_offset(s, c, *out, ctx, err))) {
        wlab_model_destroy(*out);
        *out = NULL;
    }
    return code;
}

wlab_code well_mixture(const wellsvm *s, const int8_t *y, int64_t T, const double *mu, const well_point *at,
                       wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    double *c = wlab_alloc((size_t)s->n, sizeof *c), S = s->loss == WELL_SUM_TO_ONE ? at->S : 1;
    if (!c)
        return wlab_nomem(err);
    for (int64_t k = 0; k < s->n; k++) {
        double sum = 0;
        for (int64_t t = 0; t < T; t++)
            sum += mu[t] * (y ? y[t * s->n + k] : well_label(s, t, k));
        c[k] = sum * at->alpha[s->p->example[k]] / (S * s->lambda);
    }
    const wlab_code code = well_classifier(s, c, out, ctx, err);
    wlab_free(c);
    return code;
}

typedef struct mixing {
    const wellsvm *s;
    double *c; /* [n] the coefficients of the mixture */
} mixing;

static void mix(void *data, int64_t begin, int64_t end, int block, double *sum)
{
    const mixing *m = data;
    const wellsvm *s = m->s;
    const double S = s->loss == WELL_SUM_TO_ONE ? s->at.S : 1;

    (void)block;
    for (int64_t k = begin; k < end; k++)
        sum[0] += m->c[k] = well_mean_label(s, k) * s->at.alpha[k] / (S * s->lambda);
}

wlab_code well_spread_model(wellsvm *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_pool *pool = ctx ? ctx->pool : NULL;
    const double b2 = s->kernel.bias * s->kernel.bias;
    double t = 0, *c = s->kb, *offset = &s->weights[s->p->X->cols];
    int64_t missed;

    if (s->T == 0 || !s->evaluated)
        return WL_OK;
    *offset = b2 * well_sum(s, mix, &(mixing){s, c}, pool);
    wlab_passes_transpose(s->passes, c, s->weights, pool);
    if (s->threshold == WELL_THRESHOLD_ZERO || (s->threshold == WELL_THRESHOLD_AUTO && s->kernel.bias != 0) ||
        !wlab_labelset_counts(s->p->labels))
        return WL_OK;
    wlab_passes_outputs(s->passes, NULL, s->weights, *offset, s->kb, pool);
    const wlab_code code = well_threshold_of(s, s->kb, &t, &missed, err);
    *offset -= t;
    return code;
}

wlab_code well_model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const wellsvm *s = state;
    *out = NULL;
    if (s->T == 0)
        return wlab_no_model(err);
    if (!s->evaluated)
        return wlab_fail(err, WL_ESTATE,
                         "C1 or C2 changed, and no model was trained with the new value yet: `step` first "
                         "(`back` returns to the model before)");
    if (s->spread)
        return wlab_model_from_weights(out, s->p, s->weights, s->weights[s->p->X->cols], err);
    const double one = 1;
    return s->finish.rounds > 0 ? well_mixture(s, s->finish.y, 1, &one, &s->finish.at, out, ctx, err)
                                : well_mixture(s, NULL, s->T, s->mu, &s->at, out, ctx, err);
}

static wlab_code cosines(const void *state, const wlab_probe_ask *ask, wlab_probed *g, wlab_ctx *ctx,
                         wlab_err *err)
{
    wellsvm s = *(const wellsvm *)state; /* a copy, so that products write into buffers of this function */
    wlab_progress progress;
    wlab_code code = WL_OK;
    (void)ask;
    if (s.T == 0 || !s.evaluated)
        return wlab_fail(err, WL_ESTATE, "there are no weight vectors yet: `step` first");
    int64_t n = s.T < WL_COSINES_MOST ? s.T : WL_COSINES_MOST, first = s.T - n;
    double *cosine = wlab_alloc((size_t)n, (size_t)n * sizeof *cosine);
    double *beta = wlab_alloc((size_t)s.n, sizeof *beta), *kb = wlab_alloc((size_t)s.n, sizeof *kb);
    int8_t *buffer = wlab_alloc((size_t)s.n, 1);
    if (!cosine || !beta || !kb || !buffer) {
        code = wlab_nomem(err);
        goto out;
    }
    wlab_progress_begin(&progress, ctx, "labelings", n);
    for (int64_t t = 0; t < n && !code; t++) {
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        well_beta(&s, s.at.alpha, well_unpacked(&s, first + t, buffer), beta);
        code = well_product(&s, beta, kb, ctx, err);
        for (int64_t r = 0; r <= t && !code; r++) {
            const int8_t *y = well_unpacked(&s, first + r, buffer);
            double q = 0;
            for (int64_t k = 0; k < s.n; k++)
                q += y[k] ? s.at.alpha[s.p->example[k]] * y[k] * kb[k] : 0;
            cosine[r * n + t] = cosine[t * n + r] = q;
        }
        wlab_progress_add(&progress, 1);
    }
    for (int64_t t = 0; t < n && !code; t++)
        for (int64_t r = 0; r < t; r++) {
            double c = cosine[t * n + r] / sqrt(cosine[t * n + t]) / sqrt(cosine[r * n + r]);
            c = c > 1 ? 1 : c < -1 ? -1 : c; /* rounding errors */
            cosine[t * n + r] = cosine[r * n + t] = isfinite(c) ? c : NAN;
        }
    for (int64_t t = 0; t < n && !code; t++)
        cosine[t * n + t] = cosine[t * n + t] > 0 ? 1 : NAN;
    if (!code) {
        *g = (wlab_probed){.rows = n, .columns = n, .first = first, .value = cosine};
        cosine = NULL;
    }
out:
    wlab_free(cosine);
    wlab_free(beta);
    wlab_free(buffer);
    wlab_free(kb);
    return code;
}

const wlab_probe well_probes[] = {{.name = "mu",
                                   .kind = WL_PROBE_WEIGHTS,
                                   .when = WL_PROBE_RECORDED,
                                   .meaning = "mu, the weights of the labelings",
                                   .get = weights},
                                  {.name = "cosines",
                                   .kind = WL_PROBE_COSINES,
                                   .when = WL_PROBE_QUICK,
                                   .meaning = "cosines of the angles between the labelings' weight vectors",
                                   .get = cosines},
                                  {.name = NULL}};

/* The plural ending: "3 labelings", "1 labeling". */
static const char *plural_s(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void say_weights(const wellsvm *s, char *buf, size_t size)
{
    const char *between = "Weights: ";
    int64_t shown = 0, all = active(s);
    for (int64_t t = 0; t < s->T && shown < 12; t++)
        if (s->mu[t] >= 0.0005 ||
            (s->mu[t] > 0 && all <= 12)) { /* of many weights, not those that would be printed as 0.000 */
            wlab_text_append(buf, size, "%smu%lld = %.3f", between, (long long)t + 1, s->mu[t]);
            between = ", ";
            shown++;
        }
    wlab_text_append(buf, size, all > shown ? ", and %lld more. " : ". ", (long long)(all - shown));
}

static void say_limit(const wellsvm *s, char *buf, size_t size)
{
    char limit[100];
    well_limit(s, limit, sizeof limit);
    wlab_text_append(buf, size, "The run stops: %s.", limit);
}

/* Says whether the optimum of the relaxation is proven, and if not, how to prove it. */
static void say_gap(const wellsvm *s, char *buf, size_t size)
{
    double gap = s->upper_bound - s->lower_bound, scale = fabs(s->objective);
    char is[32], would[32];
    const char *hint = s->at_size ? ""
                       : s->search == WELL_PAPER || s->search == WELL_LINF
                           ? " search=multistart searches more thoroughly; search=exact proves optimality."
                       : s->search != WELL_EXACT ? " search=exact proves optimality."
                                                 : "";
    gap = gap < 0 ? 0 : gap;
    if (!isfinite(gap))
        wlab_text_append(buf, size, "No lower bound is known, so nothing is proven.%s", hint);
    else if (gap <= s->eps * scale)
        wlab_text_append(
            buf, size,
            "The relaxation is solved, and that is proven: upper and lower differ by %.2g, which is "
            "within eps=%g of the objective.",
            gap, s->eps);
    else
        wlab_text_append(buf, size,
                         "That the relaxation is solved is not proven: lower is %s of the objective below "
                         "upper (eps=%g would be %s)%s.%s",
                         wlab_percent(gap / scale, is), s->eps, wlab_percent(s->eps, would),
                         s->search == WELL_EXACT ? ""
                         : s->violation > 0
                             ? ", and the search found a labeling that would lower the objective"
                             : ", as the search did not cover the whole label set",
                         hint);
}

static void say_verdict(const wellsvm *s, char *buf, size_t size)
{
    double remains = s->violation + s->master_gap + s->inner_gap, scale = fabs(s->objective);
    if (s->verdict == WL_MORE) {
        wlab_text_append(buf, size, "The next step adds it.");
    } else if (s->verdict == WL_LIMIT) {
        say_limit(s, buf, size);
    } else if (well_unsolved(s)) {
        wlab_text_append(buf, size,
                         "But the SVMs are not solved, as inner_gap is %.3g: stalled. Scale the data, or use "
                         "a smaller C. ",
                         s->inner_gap);
        say_gap(s, buf, size);
    } else if (remains <= s->eps * scale) {
        wlab_text_append(buf, size, "Violation and gaps together are within eps: converged. ");
        say_gap(s, buf, size);
    } else if (s->at_size && (s->violation < WELL_SMALL_VIOLATION * scale || s->slow >= 2)) {
        if (s->violation < WELL_SMALL_VIOLATION * scale)
            wlab_text_append(buf, size,
                             "That is less than %g of the objective: converged by the stopping rule for more "
                             "than 4000 rows. ",
                             WELL_SMALL_VIOLATION);
        else
            wlab_text_append(
                buf, size,
                "The objective fell by less than 1e-3 of itself in each of the last two steps: converged by "
                "the stopping rule for more than 4000 rows. ");
        say_gap(s, buf, size);
        wlab_text_append(buf, size, " The lower bound comes from the labelled rows alone.");
    } else if (s->verdict == WL_CONVERGED) {
        wlab_text_append(buf, size, "The objective fell by less than decrease=%g of it: converged. ",
                         s->decrease);
        say_gap(s, buf, size);
    } else {
        wlab_text_append(
            buf, size, "No new labeling was found, and the master cannot be solved more exactly: stalled. ");
        say_gap(s, buf, size);
    }
}

void well_explain(const void *state, char *buf, size_t size)
{
    const wellsvm *s = state;
    static const char *const how[] = {"by linearising once at the best labeling of the working set (Eq. 21)",
                                      "by local search from many starts", "by the exact search",
                                      "along one axis at a time (Yu et al., Eq. 20)"};
    buf[0] = 0;
    if (s->in_master) {
        wlab_text_append(buf, size,
                         "Inside step %lld: %s%lld%s, and mu was updated %lld "
                         "time%s (%lld SVM%s) over the %lld labeling%s: objective %.10g, master gap %.2g. ",
                         (long long)s->step + 1, s->added ? "y" : "the working set kept its ",
                         (long long)s->T,
                         s->added    ? " was added to the working set"
                         : s->T == 1 ? " labeling"
                                     : " labelings",
                         (long long)s->updates, plural_s(s->updates), (long long)s->svms, plural_s(s->svms),
                         (long long)s->T, plural_s(s->T), s->objective, s->master_gap);
        say_weights(s, buf, size);
        wlab_text_append(
            buf, size,
            "When the gap is small enough, the same unit also searches for a violated labeling; if you "
            "interrupt it, `stepi` or `step` repeats the whole unit.");
        return;
    }
    if (s->step == 0) {
        wlab_text_append(buf, size,
                         "No step has been made yet. y1 is what a first SVM, trained on the given labels or "
                         "proportions, predicts, rounded into the label set (%.4g labelings); if nothing is "
                         "given, it is the best of some random labelings.",
                         wlab_labelset_count(s->p->labels));
        return;
    }
    if (s->finish.rounds > 0) {
        wlab_text_append(
            buf, size,
            "The relaxation is solved, and finish=alternate looks for a single labeling. The mixture rounds "
            "to one with the SVM objective %.10g; y1, with which the run began, has %.10g; the better one "
            "was taken, and %lld alternation%s followed. The SVM objective is now %.10g, %lld label%s "
            "changed in this step, and the run predicts by this SVM. ",
            s->finish.mixture, s->finish.first, (long long)s->finish.rounds - 1,
            plural_s(s->finish.rounds - 1), s->rounded, (long long)s->flips, plural_s(s->flips));
        if (isfinite(s->lower_bound))
            wlab_text_append(buf, size, "No labeling has an SVM objective below %.10g, the bound. ",
                             s->lower_bound);
        say_gap(s, buf, size);
        return;
    }
    if (s->added)
        wlab_text_append(buf, size, "Step %lld added labeling y%lld to the working set", (long long)s->step,
                         (long long)s->T);
    else
        wlab_text_append(
            buf, size,
            "Step %lld kept the working set of %lld labeling%s (the last search had found no other)",
            (long long)s->step, (long long)s->T, plural_s(s->T));
    if (s->added && s->T > 1)
        wlab_text_append(buf, size, " (%lld of its labels with alpha > 0 differ from y%lld's)",
                         (long long)s->flips, (long long)s->T - 1);
    wlab_text_append(
        buf, size,
        " and solved the master problem min over mu of max over alpha of sum_t mu_t G(alpha, y_t) in %lld "
        "update%s of mu and %lld %s%s: objective %.10g, certified master gap %.2g. ",
        (long long)s->updates, plural_s(s->updates), (long long)s->svms,
        s->at_size && s->master == WELL_NEWTON ? "round" : "SVM", plural_s(s->svms), s->objective,
        s->master_gap);
    say_weights(s, buf, size);
    wlab_text_append(buf, size,
                     "Then it searched the label set for a violated labeling, %s: ", how[s->search]);
    if (s->violation > 0)
        wlab_text_append(
            buf, size,
            "G of the labeling that it found is lower by %.4g than that of any labeling in the working set. ",
            s->violation);
    else
        wlab_text_append(buf, size, "it found none. ");
    say_verdict(s, buf, size);
}

void well_limit(const wellsvm *s, char *buf, size_t size)
{
    long long more = 2 * (long long)(s->T > s->max_labelings ? s->T : s->max_labelings);
    if (s->T < s->max_labelings)
        snprintf(buf, size, "limit nodes=%lld reached in the search: `set nodes=%lld` continues",
                 (long long)s->max_nodes, 2 * (long long)s->max_nodes);
    else if (more <= WELL_MOST_LABELINGS)
        snprintf(buf, size, "limit labelings=%lld reached: `set labelings=%lld` continues",
                 (long long)s->max_labelings, more);
    else
        snprintf(buf, size, "limit labelings=%lld reached; `set` allows at most %d",
                 (long long)s->max_labelings, WELL_MOST_LABELINGS);
}

void well_next(const void *state, char *buf, size_t size)
{
    const wellsvm *s = state;
    if (s->finished && s->verdict == WL_LIMIT)
        well_limit(s, buf, size);
    else if (s->finished)
        snprintf(buf, size, "nothing: %s; `back`, `set` or `algo` continues", wlab_verdict_names[s->verdict]);
    else if (s->finish.active)
        snprintf(buf, size, "%s",
                 s->finish.rounds == 0 ? "round the mixture to a labeling, and take it or y1, whichever has "
                                         "the better SVM (finish=alternate)"
                                       : "round the outputs of the labeling's SVM to a labeling, and train "
                                         "its SVM (finish=alternate)");
    else if (s->in_master)
        snprintf(buf, size,
                 "update mu over %lld labeling%s (master gap %.2g); once the gap is small, search for the "
                 "next one",
                 (long long)s->T, plural_s(s->T), s->master_gap);
    else if (s->T > 0 && (s->spread ? s->pending_known : well_known(s, s->pending)))
        snprintf(buf, size, "solve the master again over %lld labeling%s, search for a violated labeling",
                 (long long)s->T, plural_s(s->T));
    else {
        char with[60] = "";
        if (s->T == 0)
            snprintf(with, sizeof with, " (search=%s%s)", well_search_names[1 + s->search],
                     s->tree_nodes > 0 ? ", then a small tree search" : "");
        snprintf(buf, size,
                 "add y%lld, solve the master over %lld labeling%s, search for a violated labeling%s",
                 (long long)s->T + 1, (long long)s->T + 1, plural_s(s->T + 1), with);
    }
}
