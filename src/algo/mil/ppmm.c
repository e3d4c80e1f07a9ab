/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ppmm (Wang, Yang and Zha, ICML 2008): EM of a Gaussian mixture on all instances, whose labels it does not use; the
 * mean posteriors of each bag's instances; a kernel of bags from powers of these (ppmm.h), the power chosen by kernel
 * alignment; an SVM on the bags.  f of a bag of one instance ranks instances.
 */
#include "algo/mil/ppmm.h"
#include "algo/mil/bag_svm.h"
#include "algo/mil/standardise.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/text.h"
#include "model/kernel.h"
#include "model/model.h"
#include "solve/cluster/kmeans.h"

#include <stdio.h>
#include <string.h>

/* The columns have variance 1.  A component on a single row would have variance 0 and an infinite density; with this floor,
 * a deviation of 3 % of the column's, such components gain too little to attract the others. */
#define FLOOR 1e-3
enum {
    MOST_NUMBERS = 1 << 27 /* posteriors */
};

static const wlab_param_info params[] = {
    {.name = "components",
     .type = WL_P_INT,
     .fallback = "10",
     .lo = 1,
     .hi = 10000,
     .meaning = "components of the mixture, at most as many as instances",
     .flags = WL_P_OBJECTIVE},
    {.name = "power",
     .type = WL_P_REAL,
     .fallback = "0",
     .lo = 0,
     .hi = 3,
     .meaning =
         "p, the power of the mean posteriors; 0: the one of 0.03, 0.06, ..., 3 whose kernel is most aligned "
         "with the labels of the bags",
     .flags = WL_P_OBJECTIVE},
    BAG_SVM_PARAMS,
    {.name = "rise",
     .type = WL_P_REAL,
     .fallback = "1e-5",
     .lo = 0,
     .hi = 1,
     .meaning = "EM ends when an iteration raises the mean log-likelihood by at most this"},
    {.name = "iterations",
     .type = WL_P_INT,
     .fallback = "1000",
     .lo = 1,
     .hi = 1e9,
     .meaning = "largest number of iterations of EM; then the next stage begins"},
    {.name = "restarts",
     .type = WL_P_INT,
     .fallback = "10",
     .lo = 1,
     .hi = 1000,
     .meaning = "number of starts of k-means, of whose clusters the best ones start EM"},
    {.name = "seed", .type = WL_P_INT, .fallback = "1", .lo = 0, .hi = 0x1p53, .meaning = "seed of k-means"},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_SVM, /* the first of BAG_SVM_METRICS */
    M_STAGE = M_SVM + BAG_SVM_COUNT,
    M_RISE,
    M_COMPONENTS,
    M_POWER,
    M_ALIGNMENT,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "minus the mean log-likelihood of the instances, which never rises; then the objective of the SVM",
     .equation = "-1/n sum_i log p(x_i); 1/2 ||w||^2 + C sum_b H(1 - y_b f(B_b))"},
    BAG_SVM_METRICS(WL_M_LAST),
    {.name = "svm",
     .role = WL_R_STAGE,
     .flags = WL_M_COUNT,
     .label = "SVM",
     .axis = "the SVM on the bags",
     .meaning = "1: the SVM is trained"},
    {.name = "likelihood_rise",
     .log = true,
     .flags = WL_M_LESS,
     .meaning = "by how much the last iteration of EM raised the mean log-likelihood",
     .equation = "1/n sum_i (log p(x_i) - log p_old(x_i))"},
    {.name = "components",
     .flags = WL_M_COUNT,
     .meaning = "components with at least one instance's worth of posteriors"},
    {.name = "power", .flags = WL_M_SHOWN, .meaning = "p, the power of the mean posteriors", .equation = "p"},
    {.name = "alignment",
     .meaning = "alignment of the kernel of the bags with their labels, both centred: at most 1",
     .equation = "<K, yy'> / (||K|| ||yy'||)"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef enum stage { /* what comes next */
    BEGIN,
    EM,
    POWER,
    TRAIN,
    END
} stage;

/* The bags by a mixture, and the SVM on them. */
typedef struct pooled_bags {
    double power, alignment; /* NaN: not chosen yet */
    bag_svm svm;
    double *pi;   /* [bags x k] the mean posteriors */
    double *K;    /* [bags x bags] */
    double *work; /* [bags x k + k] workspace */
} pooled_bags;

typedef struct ppmm {
    wlab_problem *p; /* a reference */
    int64_t n, k, d, bags, most, restarts;
    double given_power, rise_most, C, eps;
    uint64_t seed;
    double *X;              /* [n x d] standardised columns */
    double *centre, *width; /* [d] width 0: a constant column */
    double *y;              /* [bags] labels minus their mean */
    int64_t *size;          /* [bags] */
    /* ---- snapshot ---- */
    stage stage;
    bool limited;
    int64_t iteration; /* of EM; 1: k-means */
    double likelihood, rise, seconds;
    wlab_mixture mixture;
    pooled_bags
        of; /* its svm and power; pi from POWER on and K from TRAIN on, which follow from the mixture */
    int8_t *label; /* [n] */
    /* ---- follow from the mixture, and workspace ---- */
    double *R;      /* [n x k] posteriors */
    double *next_R; /* [n x k] this and the next: of the iteration that is being made, so that an */
    wlab_mixture next_mixture; /* interrupt changes nothing */
    double *rows;              /* [n] workspace */
} ppmm;

static void clear_bags(pooled_bags *b)
{
    bag_svm_clear(&b->svm);
    wlab_free(b->pi);
    wlab_free(b->K);
    wlab_free(b->work);
}

static void destroy(void *state)
{
    ppmm *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    wlab_mixture_clear(&s->mixture);
    clear_bags(&s->of);
    wlab_free(s->X);
    wlab_free(s->centre);
    wlab_free(s->width);
    wlab_free(s->y);
    wlab_free(s->size);
    wlab_free(s->label);
    wlab_free(s->R);
    wlab_free(s->next_R);
    wlab_mixture_clear(&s->next_mixture);
    wlab_free(s->rows);
    wlab_free(s);
}

static void read_params(ppmm *s, const wlab_params *given)
{
    s->k = wlab_params_int(given, "components");
    s->k = s->k < s->n ? s->k : s->n;
    s->given_power = wlab_params_real(given, "power");
    s->C = wlab_params_real(given, "C");
    s->eps = wlab_params_real(given, "eps");
    s->rise_most = wlab_params_real(given, "rise");
    s->most = wlab_params_int(given, "iterations");
    s->restarts = wlab_params_int(given, "restarts");
    s->seed = (uint64_t)wlab_params_int(given, "seed");
}

static wlab_code check_size(const ppmm *s, wlab_err *err)
{
    wlab_code code = wlab_kernel_fits(s->bags, WL_KERNEL_ROWS, "bags", "use fewer (`split`)", err);

    if (!code && s->k > MOST_NUMBERS / s->n)
        code = wlab_fail(err, WL_EARG,
                         "components=%lld has too many posteriors for %lld instances: at most %lld",
                         (long long)s->k, (long long)s->n, (long long)(MOST_NUMBERS / s->n));
    return code ? code : standardised_fits(s->n, s->d, err);
}

static wlab_code make_bags(pooled_bags *b, const ppmm *s, wlab_err *err)
{
    const size_t m = (size_t)s->bags, k = (size_t)s->k;

    b->power = b->alignment = NAN;
    b->pi = wlab_calloc(m * k, sizeof *b->pi);
    b->K = wlab_calloc(m * m, sizeof *b->K);
    b->work = wlab_calloc(m * k + k, sizeof *b->work);
    return b->pi && b->K && b->work ? bag_svm_make(&b->svm, s->p, s->C, s->eps, err) : wlab_nomem(err);
}

static wlab_code reserve(ppmm *s, wlab_err *err)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d, m = (size_t)s->bags, k = (size_t)s->k;

    s->X = wlab_alloc(n * d, sizeof *s->X);
    s->centre = wlab_alloc(d, sizeof *s->centre);
    s->width = wlab_alloc(d, sizeof *s->width);
    s->y = wlab_alloc(m, sizeof *s->y);
    s->size = wlab_calloc(m, sizeof *s->size);
    s->label = wlab_alloc(n, 1);
    s->R = wlab_calloc(n * k, sizeof *s->R);
    s->next_R = wlab_calloc(n * k, sizeof *s->next_R);
    s->rows = wlab_calloc(n, sizeof *s->rows);
    if (!s->X || !s->centre || !s->width || !s->y || !s->size || !s->label || !s->R || !s->next_R || !s->rows)
        return wlab_nomem(err);
    wlab_code code = wlab_mixture_make(&s->mixture, s->k, s->d, err);
    code = code ? code : wlab_mixture_make(&s->next_mixture, s->k, s->d, err);
    return code ? code : make_bags(&s->of, s, err);
}

/* Constant columns get the width 0, so that the model leaves them out. */
static void drop_constants(ppmm *s)
{
    for (int64_t j = 0; j < s->d; j++) {
        bool varies = false;
        for (int64_t i = 0; i < s->n && !varies; i++)
            varies = s->X[i * s->d + j] != 0;
        s->width[j] = varies ? s->width[j] : 0;
    }
}

static void fill_bags(ppmm *s)
{
    double mean = 0;

    for (int64_t i = 0; i < s->n; i++)
        s->size[s->p->bag[i]]++;
    for (int64_t b = 0; b < s->bags; b++) {
        s->y[b] = s->p->bag_given[b] > 0.5 ? 1 : -1;
        mean += s->y[b] / (double)s->bags;
    }
    for (int64_t b = 0; b < s->bags; b++)
        s->y[b] -= mean;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    ppmm *s = wlab_calloc(1, sizeof *s);
    wlab_code code;

    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->d = p->X->cols;
    s->bags = p->bags;
    s->likelihood = s->rise = NAN;
    read_params(s, given);
    code = check_size(s, err);
    code = code ? code : wlab_blas_init(wlab_pool_threads(ctx ? ctx->pool : NULL), err);
    code = code ? code : reserve(s, err);
    code = code ? code : standardise(p->X, s->X, s->centre, s->width, ctx, err);
    if (code) {
        destroy(s);
        return code;
    }
    drop_constants(s);
    fill_bags(s);
    memcpy(s->label, p->visible, (size_t)s->n);
    *state = s;
    return WL_OK;
}

/* ---- steps ---- */

/* From the posteriors to the mixture, and from the mixture to the posteriors. */
static wlab_code iterate(ppmm *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_mixture was = s->mixture;
    double likelihood = 0, *R = s->R;

    wlab_mixture_copy(&s->next_mixture, &was); /* a component without rows remains where it is */
    wlab_code code = wlab_mixture_maximise(&s->next_mixture, s->X, s->n, R, FLOOR, ctx, err);
    code = code
               ? code
               : wlab_mixture_expect(&s->next_mixture, s->X, s->n, s->next_R, s->rows, &likelihood, ctx, err);
    if (code)
        return code;
    s->mixture = s->next_mixture;
    s->next_mixture = was;
    s->R = s->next_R;
    s->next_R = R;
    s->rise = likelihood - s->likelihood;
    s->likelihood = likelihood;
    s->iteration++;
    return WL_OK;
}

/* The clusters of k-means are the first posteriors. */
static wlab_code begin(ppmm *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_kmeans m = {
        .X = s->X, .n = s->n, .d = s->d, .k = s->k, .restarts = s->restarts, .seed = s->seed};
    int32_t *cluster = wlab_alloc((size_t)s->n, sizeof *cluster);
    wlab_code code = cluster ? wlab_kmeans_run(&m, cluster, NULL, NULL, ctx, err) : wlab_nomem(err);

    if (!code) {
        memset(s->R, 0, (size_t)(s->n * s->k) * sizeof *s->R);
        for (int64_t i = 0; i < s->n; i++)
            s->R[i * s->k + cluster[i]] = 1;
        code = iterate(s, ctx, err);
    }
    if (!code)
        s->stage = EM;
    wlab_free(cluster);
    return code;
}

static wlab_code em(ppmm *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_code code = iterate(s, ctx, err);

    if (code)
        return code;
    s->limited = s->rise > s->rise_most && s->iteration >= s->most;
    if (s->limited)
        wlab_emit_note(ctx, "limit iterations=%lld reached: EM ends before it has converged",
                       (long long)s->most);
    if (s->limited || s->rise <= s->rise_most)
        s->stage = POWER;
    return WL_OK;
}

static void pool_posteriors(const ppmm *s, double *pi)
{
    memset(pi, 0, (size_t)(s->bags * s->k) * sizeof *pi);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t c = 0; c < s->k; c++)
            pi[s->p->bag[i] * s->k + c] += s->R[i * s->k + c];
    for (int64_t b = 0; b < s->bags; b++)
        for (int64_t c = 0; c < s->k; c++)
            pi[b * s->k + c] /= (double)s->size[b];
}

static wlab_code make_kernel(const ppmm *s, pooled_bags *of, wlab_ctx *ctx, wlab_err *err)
{
    double *F = of->work;
    wlab_progress progress;

    ppmm_features(of->pi, s->bags, s->k, of->power, F);
    wlab_progress_begin(&progress, ctx, "bags", s->bags);
    for (int64_t a = 0; a < s->bags; a++) {
        if (!wlab_look_at(a, s->bags * s->k, &progress, ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t b = 0; b <= a; b++) {
            double dot = 0;
            for (int64_t c = 0; c < s->k; c++)
                dot += F[a * s->k + c] * F[b * s->k + c];
            of->K[a * s->bags + b] = of->K[b * s->bags + a] = dot;
        }
    }
    return WL_OK;
}

/* The given power, or the first with the largest alignment; and the kernel.  After an interrupt there is no power. */
static wlab_code choose_power(const ppmm *s, pooled_bags *of, wlab_ctx *ctx, wlab_err *err)
{
    const bool given = s->given_power > 0;
    wlab_code code = WL_OK;
    wlab_progress progress;

    pool_posteriors(s, of->pi);
    of->alignment = -HUGE_VAL;
    wlab_progress_begin(&progress, ctx, "powers", given ? 1 : PPMM_POWERS);
    for (int t = 1; !code && t <= (given ? 1 : PPMM_POWERS); t++) {
        if (wlab_interrupted(ctx)) {
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
            break;
        }
        const double p = given ? s->given_power : 3.0 * t / PPMM_POWERS,
                     alignment = ppmm_alignment(of->pi, s->bags, s->k, s->y, p, of->work);
        if (alignment > of->alignment) {
            of->alignment = alignment;
            of->power = p;
        }
        wlab_progress_add(&progress, 1);
    }
    code = code ? code : make_kernel(s, of, ctx, err);
    if (code)
        of->power = of->alignment = NAN;
    return code;
}

static wlab_code make_model(const ppmm *s, const pooled_bags *of, wlab_model **out, wlab_err *err)
{
    double *w = wlab_calloc((size_t)s->k, sizeof *w), *F = wlab_alloc((size_t)(s->bags * s->k), sizeof *F);
    wlab_code code = w && F ? WL_OK : wlab_nomem(err);

    *out = NULL;
    if (!code) {
        ppmm_features(of->pi, s->bags, s->k, of->power, F);
        for (int64_t b = 0; b < s->bags; b++)
            for (int64_t c = 0; c < s->k; c++)
                w[c] += of->svm.beta[b] * F[b * s->k + c];
        code = ppmm_model(out, s->p, &s->mixture, s->centre, s->width, w, of->power, of->svm.b, err);
    }
    wlab_free(w);
    wlab_free(F);
    return code;
}

static wlab_code train(ppmm *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_model *m = NULL;
    double *f = wlab_alloc((size_t)s->n, sizeof *f);
    wlab_code code = f ? bag_svm_train(&s->of.svm, s->p, s->of.K, ctx, err) : wlab_nomem(err);

    code = code ? code : make_model(s, &s->of, &m, err);
    code = code ? code : wlab_model_predict_progress(m, s->p->X, f, ctx, err);
    code = code ? code : bag_svm_label(s->p, f, s->label, err);
    if (code)
        bag_svm_forget(&s->of.svm);
    else
        s->stage = END;
    wlab_model_destroy(m);
    wlab_free(f);
    return code;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    ppmm *s = state;
    const double from = wlab_seconds_now();
    wlab_code code = WL_OK;

    *step = (wlab_step){0};
    if (s->stage != END && wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->stage == BEGIN)
        code = begin(s, ctx, err);
    else if (s->stage == EM)
        code = em(s, ctx, err);
    else if (s->stage == POWER) {
        if (!(code = choose_power(s, &s->of, ctx, err)))
            s->stage = TRAIN;
    } else if (s->stage == TRAIN)
        code = train(s, ctx, err);
    if (code)
        return code;
    s->seconds += wlab_seconds_now() - from;
    *step = (wlab_step){.complete = true, .verdict = s->stage == END ? bag_svm_verdict(&s->of.svm) : WL_MORE};
    return WL_OK;
}

/* ---- metrics, labels, the kernel's picture and the model ---- */

static int64_t count_components(const ppmm *s)
{
    int64_t count = 0;
    for (int64_t c = 0; c < s->k; c++)
        count += s->mixture.weight[c] * (double)s->n >= 1;
    return count;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const ppmm *s = state;

    if (labels)
        memcpy(labels, s->label, (size_t)s->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->of.svm.trained ? s->of.svm.objective : -s->likelihood;
    bag_svm_observe(&s->of.svm, metric + M_SVM);
    metric[M_STAGE] = s->of.svm.trained;
    metric[M_RISE] = s->rise;
    metric[M_COMPONENTS] = (double)count_components(s);
    metric[M_POWER] = s->of.power;
    metric[M_ALIGNMENT] = s->of.alignment;
    metric[M_SECONDS] = s->seconds;
}

/* The bounds are those of the SVM, given the mixture; EM certifies nothing. */
static const char *certified(const wlab_params *given, const double *metric, double *value)
{
    (void)given;
    (void)metric;
    (void)value;
    return "SVM";
}

static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const ppmm *s = state;

    (void)ctx;
    if (s->stage < TRAIN)
        return wlab_fail(err, WL_ESTATE,
                         "there is no kernel matrix of bags yet: `continue` until EM has ended");
    return wlab_probed_bags(out, s->p, ask, s->of.K, err);
}

static const wlab_probe probes[] = {{.name = "k",
                                     .kind = WL_PROBE_MATRIX,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "the kernel of the bags to which two instances belong",
                                     .get = matrix},
                                    {.name = NULL}};

/* Before its end the model is the one with which the run would end if EM ended now. */
static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const ppmm *s = state;
    wlab_ctx quiet = wlab_quiet(ctx);
    pooled_bags now = {0};
    wlab_code code;

    *out = NULL;
    if (s->stage == BEGIN)
        return wlab_no_model(err);
    if (s->of.svm.trained)
        return make_model(s, &s->of, out, err);
    code = make_bags(&now, s, err);
    code = code ? code : choose_power(s, &now, &quiet, err);
    code = code ? code : bag_svm_train(&now.svm, s->p, now.K, &quiet, err);
    code = code ? code : make_model(s, &now, out, err);
    clear_bags(&now);
    return code;
}

static void explain(const void *state, char *buf, size_t size)
{
    const ppmm *s = state;
    double largest = 0;

    for (int64_t c = 0; c < s->k; c++)
        largest = fmax(largest, s->mixture.weight[c]);
    char rise[60] = ".";

    if (s->iteration > 1)
        snprintf(rise, sizeof rise, ", %.3g more than before.", s->rise);
    if (s->stage == BEGIN)
        snprintf(buf, size,
                 "No step has been made yet: step 1 finds %lld clusters of the %lld instances by k-means, "
                 "from which "
                 "EM of a Gaussian mixture starts.",
                 (long long)s->k, (long long)s->n);
    else if (s->stage == EM || s->stage == POWER)
        snprintf(buf, size,
                 "%s: the mean log-likelihood of the instances is %.10g%s  %lld component%s with at least "
                 "one instance's worth of posteriors; the largest holds %.3g of all.%s",
                 s->iteration == 1 ? "The clusters of k-means became the components" : "An iteration of EM",
                 s->likelihood, rise, (long long)count_components(s), wlab_plural(count_components(s)),
                 largest, s->stage == POWER ? "  EM has ended." : "");
    else if (s->stage == TRAIN)
        snprintf(buf, size,
                 "Each of the %lld bags is described by the mean posteriors of its instances, raised to the "
                 "power %g%s: "
                 "the alignment of their kernel with the labels is %.4g.",
                 (long long)s->bags, s->of.power,
                 s->given_power > 0 ? ", which was given" : ", the best of 100 by kernel alignment",
                 s->of.alignment);
    else
        snprintf(buf, size,
                 "The SVM was trained on %lld bags, each by the mean posteriors of its instances to the "
                 "power %g.  "
                 "Objective %.10g, at most %.3g %% above the optimum for this mixture; %.0f bags are support "
                 "vectors.",
                 (long long)s->bags, s->of.power, s->of.svm.objective,
                 s->of.svm.objective > s->of.svm.lower
                     ? 100 * (s->of.svm.objective - s->of.svm.lower) / fabs(s->of.svm.objective)
                     : 0,
                 s->of.svm.support);
}

static void next(const void *state, char *buf, size_t size)
{
    static const char *const what[] = {
        [BEGIN] = "k-means on all instances, whose clusters start the mixture",
        [EM] = "an iteration of EM: the mixture from the posteriors, then the posteriors from the mixture",
        [POWER] =
            "the mean posteriors of each bag, and the power whose kernel is most aligned with the labels",
        [TRAIN] = "train the SVM on the bags",
        [END] = "nothing: it is trained"};
    const ppmm *s = state;

    snprintf(buf, size, "%s", what[s->stage]);
}

/* What follows from the fields that were read. */
static void follow(ppmm *s, wlab_pool *pool)
{
    wlab_ctx ctx = {.pool = pool}; /* without interrupts: a snapshot is read as a whole */
    double likelihood;

    if (s->stage > BEGIN)
        (void)wlab_mixture_expect(&s->mixture, s->X, s->n, s->R, s->rows, &likelihood, &ctx, NULL);
    if (s->stage <= POWER)
        return;
    pool_posteriors(s, s->of.pi);
    (void)make_kernel(s, &s->of, &ctx, NULL);
}

static void walk(void *state, wlab_walk *w)
{
    ppmm *s = state;
    stage now = s->stage;

    WL_WALK(w, now);
    if (wlab_walk_has_read(w) && now > END) {
        wlab_walk_damaged(w);
        return;
    }
    if (!w->code)
        s->stage = now;
    WL_WALK(w, s->limited);
    WL_WALK(w, s->iteration);
    WL_WALK(w, s->likelihood);
    WL_WALK(w, s->rise);
    WL_WALK(w, s->of.power);
    WL_WALK(w, s->of.alignment);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->mixture.weight, s->k);
    WL_WALK_ARRAY(w, s->mixture.constant, s->k);
    WL_WALK_ARRAY(w, s->mixture.mean, s->k * s->d);
    WL_WALK_ARRAY(w, s->mixture.inverse, s->k * s->d);
    bag_svm_walk(&s->of.svm, w);
    WL_WALK_ARRAY(w, s->label, s->n);
    if (wlab_walk_has_read(w))
        follow(s, w->ctx ? w->ctx->pool : NULL);
}

const wlab_algo wlab_algo_ppmm = {
    .name = "ppmm",
    .summary = "bags as mean posteriors of a Gaussian mixture of all instances, and an SVM on them",
    .idea = WL_IDEA_BAG_MEANS,
    .problem = "max over the mixture of sum_i log p(x_i); then min over w, b of 1/2 ||w||^2 + C sum_b H(1 - "
               "y_b f(B_b)), "
               "f(B) = sum_c w_c pi_c(B)^p + b",
    .symbols = "p(x): the density of the mixture, sum_c w_c N(x; m_c, v_c), v_c a variance for each column\n"
               "pi_c(B): the mean over the instances of B of the posterior probability of component c\n"
               "p: the power, chosen by kernel alignment\n"
               "K: the kernel of the bags, K(B, B') = sum_c pi_c(B)^p pi_c(B')^p\n"
               "y_b: label of bag b, -1 or +1\n"
               "B_b: the instances of bag b\n"
               "H(z): max(0, z)\n"
               "alpha_b: the dual variable of bag b",
    .when = "bags whose mixture of kinds of instances tells their class, and many instances",
    .cost = "EM: instances x columns x components per step; then an SVM on as many rows as there are bags",
    .proves = "that its SVM is solved, given the mixture",
    .work = "2.4e-9 * components * z",
    .work_once = "1.3e-7 * components * z",
    .memory = "20 * z + 8 * b^2",
    .source = "Wang, Yang, Zha, Adaptive p-posterior mixture-model kernels for multiple instance learning, "
              "ICML 2008",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit = "k-means; an iteration of EM; the choice of p; the SVM",
    .inner_unit = "the same as a step",
    .converged = "gap <= eps * abs(objective)",
    .converged_also = "EM before it ends by rise= or by iterations=",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .model = model,
    .bag_rule = WL_BAG_WHOLE,
    .certified = certified,
    .explain = explain,
    .next = next,
    .walk = walk,
    .destroy = destroy,
};
