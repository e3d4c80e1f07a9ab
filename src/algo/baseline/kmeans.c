/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * kmeans: Lloyd's iteration in the feature space of a kernel, with all restarts side by side: the baseline of Joulin
 * and Bach's Figure 3 (c).  The computations are those of lloyd.c, so the result equals that of wlab_kmeans_run.
 * start=alignment begins at labelings instead, as KM-r and KKM-r of Li, Tsang, Kwok and Zhou (2013), Table 11.
 */
#include "algo/algos.h"
#include "algo/alignment.h"
#include "algo/cluster_names.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/walk.h"
#include "model/features.h"
#include "model/kernel.h"
#include "solve/cluster/lloyd.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const start_names[] = {"centres", "alignment", NULL};

/* clang-format off */
static const wlab_param_info params[] = {
    WLAB_KERNEL_GRAPH_PARAMS("linear"),
    {"bias", WL_P_REAL, "0", 0, HUGE_VAL, NULL, NULL, "without effect, as a constant feature changes no distance; kept for "
                                                      "old recordings", 0},
    {"restarts", WL_P_INT, "10", 1, 1000, NULL, NULL, "number of restarts, each with its own start=; "
                                                      "the one with the smallest objective is shown", 0},
    {"start", WL_P_CHOICE, "centres", 0, 0, start_names, NULL,
     "centres: those that k-means++ draws; alignment: the class means of the best of tries= labelings by y'Ky, drawn "
     "from the label set (two clusters)", 0},
    WLAB_TRIES_PARAM,
    WLAB_CLUSTER_NAMES_PARAM,
    {"rank", WL_P_INT, "2000", 1, 1e6, NULL, NULL,
     "largest number of features in the factor of the kernel matrix, for nonlinear kernels, and for the linear one if "
     "there are more columns than that", 0},
    {"iterations", WL_P_INT, "1000", 1, 1e9, NULL, NULL, "largest number of iterations of Lloyd's method",
     WL_P_MUTABLE},
    {"seed", WL_P_INT, "1", 0, 0x1p53, NULL, NULL, "seed of the first centres", 0},
    {NULL, WL_P_TEXT, NULL, 0, 0, NULL, NULL, NULL, 0}};

static const wlab_metric_info metrics[] = {
    {.name = "objective", .role = WL_R_OBJECTIVE, .flags = WL_M_SHOWN,
     .meaning = "the smallest objective of all restarts, that of the restart that is shown; never rises",
     .equation = "sum_n pi_n ||x_n - c(n)||^2, c(n) the centre of row n, pi_n = 1/n"},
    {.name = "explained",
     .meaning = "fraction of the variance of the rows that lies between clusters",
     .equation = "1 - objective / (sum_n pi_n ||x_n - mean||^2)"},
    {.name = "smallest", .unit = "rows", .flags = WL_M_COUNT,
     .meaning = "number of rows of the smallest cluster"},
    {.name = "restart", .role = WL_R_RESTART, .flags = WL_M_COUNT,
     .meaning = "number of the restart that is shown: the one with the smallest objective"},
    {.name = "moving", .unit = "restarts", .flags = WL_M_COUNT,
     .meaning = "restarts that have not converged: in their last iteration some row changed its cluster"},
    {.name = "moved", .unit = "rows", .flags = WL_M_COUNT,
     .meaning = "rows that changed their cluster in the restart that is shown"},
    {.name = "flips", .role = WL_R_FLIPS, .unit = "rows", .flags = WL_M_COUNT | WL_M_SHOWN,
     .meaning = "labels that differ from those that were shown one step before, possibly of another restart; a "
                "first label is no flip"},
    WLAB_SECONDS,
    {0}};
/* clang-format on */
enum {
    M_OBJECTIVE,
    M_EXPLAINED,
    M_SMALLEST,
    M_RESTART,
    M_MOVING,
    M_MOVED,
    M_FLIPS,
    M_SECONDS
};

typedef enum stage { /* what comes next */
    BEGIN,
    ASSIGN,
    CENTRES
} stage;

typedef struct restart {
    double sum; /* sum of squared distances, with weights 1 */
    int64_t moved;
    int64_t moving;          /* whether it has not converged */
    double alignment, least; /* y'Ky of its first labels, and the smallest of those drawn; NaN: it has none */
} restart;

typedef struct kmeans {
    wlab_problem *p; /* a reference */
    wlab_features *f;
    wlab_lloyd *lloyd;
    int64_t n, restarts, most;
    int P;
    uint64_t seed;
    bool matched; /* names=matched */
    bool aligned; /* start=alignment */
    int64_t tries;
    double *work;    /* [n + features] for y'Ky */
    int8_t *drawn;   /* [2 n] for start=alignment */
    double variance; /* sum ||x - mean||^2 */
    /* [restarts] half an iteration is computed here, so that an interrupt leaves `start` unchanged */
    wlab_lloyd_start *spare;
    /* ---- snapshot ---- */
    wlab_lloyd_start *start; /* [restarts] */
    restart *r;              /* [restarts] */
    int8_t *shown;           /* [n] labels */
    stage stage;
    bool finished, limited;
    int64_t step;
    int64_t leader;                      /* the restart with the smallest sum now */
    int64_t displayed, displayed_before; /* the restart whose labels are shown; one step before */
    int64_t moving, flips, smallest;
    double seconds;
} kmeans;

static void destroy(void *state)
{
    kmeans *s = state;
    if (!s)
        return;
    for (int64_t k = 0; k < s->restarts; k++) {
        if (s->start)
            wlab_lloyd_start_clear(&s->start[k]);
        if (s->spare)
            wlab_lloyd_start_clear(&s->spare[k]);
    }
    wlab_free(s->start);
    wlab_free(s->spare);
    wlab_free(s->r);
    wlab_free(s->shown);
    wlab_free(s->work);
    wlab_free(s->drawn);
    wlab_lloyd_destroy(s->lloyd);
    wlab_features_destroy(s->f);
    wlab_problem_unref(s->p);
    wlab_free(s);
}

static wlab_code make_starts(kmeans *s, wlab_ctx *ctx, wlab_err *err)
{
    const wlab_kmeans m = {.X = s->f->Phi, .n = s->n, .d = s->f->r, .k = s->P};
    const size_t R = (size_t)s->restarts;
    wlab_code code = wlab_lloyd_create(&s->lloyd, &m, ctx, err);
    if (code)
        return code;
    s->start = wlab_calloc(R, sizeof *s->start);
    s->spare = wlab_calloc(R, sizeof *s->spare);
    s->r = wlab_calloc(R, sizeof *s->r);
    s->shown = wlab_calloc((size_t)s->n, 1);
    s->work = wlab_alloc((size_t)(s->n + s->f->r), sizeof *s->work);
    s->drawn = wlab_alloc(2 * (size_t)s->n, 1);
    if (!s->start || !s->spare || !s->r || !s->shown || !s->work || !s->drawn)
        return wlab_nomem(err);
    for (size_t k = 0; !code && k < R; k++) {
        s->r[k] = (restart){.sum = NAN, .moving = true, .alignment = NAN, .least = NAN};
        code = wlab_lloyd_start_make(&s->start[k], s->lloyd, err);
        code = code ? code : wlab_lloyd_start_make(&s->spare[k], s->lloyd, err);
    }
    const double *X = wlab_lloyd_rows(s->lloyd);
    const int64_t d = s->f->r;
    for (int64_t i = 0; !code && i < s->n; i++) {
        if (!wlab_look_at(i, 4 * d, NULL, ctx))
            code = wlab_fail(err, WL_EINTERRUPTED, "interrupted");
        for (int64_t j = 0; j < d; j++)
            s->variance += X[i * d + j] * X[i * d + j];
    }
    return code;
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    wlab_kernel kernel;
    kmeans *s = wlab_calloc(1, sizeof *s);
    wlab_code code;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->n = p->n;
    s->P = p->classes;
    s->seed = (uint64_t)wlab_params_int(given, "seed");
    s->restarts = s->moving = wlab_params_int(given, "restarts");
    s->most = wlab_params_int(given, "iterations");
    s->matched = wlab_cluster_names_matched(p, given);
    s->aligned = wlab_params_choice(given, "start") == 1;
    s->tries = wlab_params_int(given, "tries");
    if (s->aligned && !p->labels) {
        destroy(s);
        return wlab_fail(
            err, WL_EARG,
            "start=alignment draws labelings of two clusters, but there are %d: use start=centres",
            p->classes);
    }
    if ((code = wlab_kernel_choose(&kernel, given, p->X, ctx, err)) ||
        (code = wlab_features_keep(&s->f, p, &kernel, 1e-10, wlab_params_int(given, "rank"), ctx, err)) ||
        (code = make_starts(s, ctx, err))) {
        destroy(s);
        return code;
    }
    if (s->f->left > 1e-3 * s->f->trace)
        wlab_emit_warning(
            ctx, "%lld features leave out %.2g %% of the trace of the kernel matrix: use a larger rank=",
            (long long)s->f->r, 100 * s->f->left / s->f->trace);
    *state = s;
    return WL_OK;
}

static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    kmeans *s = state;
    (void)err;
    s->most = wlab_params_int(given, "iterations");
    if (s->limited && s->step < s->most)
        s->finished = s->limited = false;
    return WL_OK;
}

/* ---- steps ---- */

/* y'Ky = ||Phi'y||^2. */
static wlab_code alignment(void *data, const int8_t *y, double *q, wlab_ctx *ctx, wlab_err *err)
{
    kmeans *s = data;
    const int d = (int)s->f->r;
    double *to = s->work + s->n;
    (void)ctx, (void)err;
    for (int64_t i = 0; i < s->n; i++)
        s->work[i] = y[i];
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)s->n, d, 1, s->f->Phi, d, s->work, 1, 0, to, 1);
    *q = cblas_ddot(d, to, 1, to, 1);
    return WL_OK;
}

/* The first centres of restart k, in its spare. */
static wlab_code begin(kmeans *s, int64_t k, wlab_rng *rng, wlab_ctx *ctx, wlab_progress *progress,
                       wlab_err *err)
{
    wlab_lloyd_start *at = &s->spare[k];
    if (!s->aligned)
        return wlab_lloyd_seed(s->lloyd, at, rng, ctx, progress, err);
    int8_t *y = s->drawn + s->n;
    wlab_code code = wlab_aligned_labeling(s->p->labels, s->tries, rng, alignment, s, s->drawn, y,
                                           &s->r[k].alignment, &s->r[k].least, ctx, err);
    if (code)
        return code;
    for (int64_t i = 0; i < s->n; i++)
        at->label[i] = wlab_label_index(s->p, y[i]);
    code = wlab_lloyd_centres(s->lloyd, at, ctx, progress, err);
    return code ? code : wlab_lloyd_measure(s->lloyd, at, ctx, progress, err);
}

/* Computes one half of an iteration of restart k in its spare. */
static wlab_code run_half(kmeans *s, int64_t k, wlab_rng *rng, wlab_ctx *ctx, wlab_progress *progress,
                          wlab_err *err)
{
    wlab_lloyd_start *at = &s->spare[k];
    int64_t moved;
    if (s->stage == BEGIN)
        return begin(s, k, rng, ctx, progress, err);
    wlab_lloyd_start_copy(at, &s->start[k], s->lloyd);
    if (s->stage == ASSIGN)
        return wlab_lloyd_assign(s->lloyd, at, &moved, ctx, progress, err);
    const wlab_code code = wlab_lloyd_centres(s->lloyd, at, ctx, progress, err);
    return code ? code : wlab_lloyd_measure(s->lloyd, at, ctx, progress, err);
}

static int64_t count_moved(const kmeans *s, int64_t k)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++)
        count += s->spare[k].label[i] != s->start[k].label[i];
    return count;
}

/* Which restart will be shown after this half of an iteration, and under which name (a class index) each of its clusters:
 * if it is another one than before, the names with which the fewest labels change. */
static wlab_code match_names(const kmeans *s, int64_t *leader, int *name, wlab_err *err)
{
    double least = NAN;
    *leader = 0;
    for (int64_t k = 0; k < s->restarts; k++) {
        const double sum = s->r[k].moving ? wlab_lloyd_sum(s->lloyd, &s->spare[k]) : s->r[k].sum;
        if (!(sum >= least)) {
            least = sum;
            *leader = k;
        }
    }
    if (*leader == s->displayed)
        return WL_OK;
    const int32_t *label = s->r[*leader].moving ? s->spare[*leader].label : s->start[*leader].label;
    return wlab_cluster_names_match(s->p, label, s->shown, name, err);
}

/* Gives the clusters of a restart other names; its spare is the workspace. */
static void rename_clusters(kmeans *s, int64_t k, const int *name)
{
    const size_t d = (size_t)s->f->r;
    wlab_lloyd_start *at = &s->start[k], *was = &s->spare[k];
    wlab_lloyd_start_copy(was, at, s->lloyd);
    for (int c = 0; c < s->P; c++)
        memcpy(at->centre + (size_t)name[c] * d, was->centre + (size_t)c * d, d * sizeof *at->centre);
    for (int64_t i = 0; i < s->n; i++)
        at->label[i] = name[was->label[i]];
}

static wlab_code advance_half(kmeans *s, wlab_ctx *ctx, wlab_err *err)
{
    wlab_rng rng;
    int name[WL_CLASSES_MOST];
    int64_t leader = s->displayed;
    wlab_progress progress;
    wlab_code code = WL_OK;
    wlab_rng_seed(&rng, s->seed);
    wlab_progress_begin(&progress, ctx, "restarts", s->moving);
    for (int64_t k = 0; k < s->restarts; k++) {
        if (wlab_interrupted(ctx))
            return wlab_fail(err, WL_EINTERRUPTED, "interrupted at restart %lld of %lld", (long long)k + 1,
                             (long long)s->restarts);
        if (!s->r[k].moving)
            continue;
        if ((code = run_half(s, k, &rng, ctx, &progress, err)))
            return code;
        wlab_progress_add(&progress, 1);
    }
    if (s->stage == BEGIN && s->aligned)
        wlab_emit_note(ctx,
                       "y'Ky of the %lld labelings drawn for restart 1: %.6g to %.6g, the largest begins",
                       (long long)s->tries, s->r[0].least, s->r[0].alignment);
    if (s->stage == CENTRES && s->matched && s->step > 0 && (code = match_names(s, &leader, name, err)))
        return code;
    s->moving = 0;
    for (int64_t k = 0; k < s->restarts; k++) {
        restart *r = &s->r[k];
        const wlab_lloyd_start swap = s->start[k];
        if (!r->moving)
            continue;
        if (s->stage == ASSIGN)
            r->moving = (r->moved = count_moved(s, k)) > 0;
        s->moving += r->moving;
        s->start[k] = s->spare[k];
        s->spare[k] = swap;
        if (s->stage != BEGIN)
            r->sum = wlab_lloyd_sum(s->lloyd, &s->start[k]);
    }
    if (leader != s->displayed)
        rename_clusters(s, leader, name);
    return WL_OK;
}

static void find_leader(kmeans *s)
{
    for (int64_t k = s->leader = 0; k < s->restarts; k++)
        if (s->r[k].sum < s->r[s->leader].sum)
            s->leader = k;
}

static void update_labels(kmeans *s)
{
    int64_t size[WL_CLASSES_MOST] = {0};
    find_leader(s);
    s->displayed_before = s->step > 0 ? s->displayed : s->leader;
    s->displayed = s->leader;
    s->flips = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int32_t c = s->start[s->displayed].label[i];
        const int8_t y = wlab_label_at(s->p, c);
        size[c]++;
        s->flips += s->shown[i] && s->shown[i] != y; /* a first label is no flip */
        s->shown[i] = y;
    }
    s->smallest = s->n;
    for (int c = 0; c < s->P; c++)
        s->smallest = size[c] < s->smallest ? size[c] : s->smallest;
}

static wlab_step report(const kmeans *s)
{
    return (wlab_step){.complete = true,
                       .verdict = s->limited    ? WL_LIMIT
                                  : s->finished ? WL_CONVERGED
                                                : WL_MORE};
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    kmeans *s = state;
    const double from = wlab_seconds_now();
    *step = s->finished ? report(s) : (wlab_step){0};
    if (s->finished)
        return WL_OK;
    wlab_code code = advance_half(s, ctx, err);
    if (code)
        return code;
    if (s->stage == CENTRES) {
        update_labels(s);
        s->step++;
        s->limited = s->moving > 0 && s->step >= s->most;
        s->finished = s->moving == 0 || s->limited;
        *step = report(s);
        if (s->limited)
            wlab_emit_note(ctx, "limit iterations=%lld reached: `set iterations=%lld` continues",
                           (long long)s->most, 2 * (long long)s->most);
    } else if (s->stage == ASSIGN) {
        find_leader(s);
    }
    s->stage = s->stage == ASSIGN ? CENTRES : ASSIGN;
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* ---- metrics, labels, probes and the model ---- */

static bool begun(const kmeans *s)
{
    return !isnan(s->r[s->leader].sum);
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const kmeans *s = state;
    if (labels)
        memcpy(labels, s->shown, (size_t)s->n);
    if (!metric)
        return;
    const restart *r = &s->r[s->leader];
    metric[M_OBJECTIVE] = r->sum / (double)s->n;
    metric[M_EXPLAINED] = s->variance > 0 ? 1 - r->sum / s->variance : NAN;
    metric[M_SMALLEST] = s->step > 0 ? (double)s->smallest : NAN;
    metric[M_RESTART] = begun(s) ? (double)(s->leader + 1) : NAN;
    metric[M_MOVING] = (double)s->moving;
    metric[M_MOVED] = begun(s) ? (double)r->moved : NAN;
    metric[M_FLIPS] = (double)s->flips;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code objectives(const void *state, const wlab_probe_ask *ask, wlab_probed *w, wlab_ctx *ctx,
                            wlab_err *err)
{
    const kmeans *s = state;
    (void)ask;
    (void)ctx;
    if (wlab_probed_make(w, begun(s) ? s->restarts : 0, 1, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < w->rows; k++)
        w->value[k] = s->r[k].sum / (double)s->n;
    return WL_OK;
}

/* The nearest centre has the largest f_k(x) = <c_k, x - mean> - ||c_k||^2 / 2, c_k the centre minus the mean.  In
 * terms of the original centres this differs from <centre_k, x> - ||centre_k||^2 / 2 only by a term that is the same
 * for all k, and it loses no digits for data far from 0. */
static double offset(const kmeans *s, int64_t k)
{
    const double *c = s->start[s->leader].centre + k * s->f->r;
    return -cblas_ddot((int)s->f->r, c, 1, c, 1) / 2;
}

static wlab_code scores(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const kmeans *s = state;
    const int64_t d = s->f->r;
    (void)ask;
    (void)ctx;
    if (s->step == 0)
        return wlab_fail(err, WL_ESTATE, "there are no scores yet: `step` first");
    if (wlab_probed_make(out, s->n, s->P, err))
        return WL_ENOMEM;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->P; k++)
            out->value[i * s->P + k] = cblas_ddot((int)d, wlab_lloyd_rows(s->lloyd) + i * d, 1,
                                                  s->start[s->leader].centre + k * d, 1) +
                                       offset(s, k);
    return WL_OK;
}

static wlab_code centres(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                         wlab_err *err)
{
    const kmeans *s = state;
    const int64_t d = s->f->r, columns = s->f->direct ? s->f->p->X->cols : 0;
    (void)ask;
    (void)ctx;
    if (s->step == 0)
        return wlab_fail(err, WL_ESTATE, "there are no centres yet: `step` first");
    if (wlab_probed_make(out, columns ? s->P : 0, columns, err))
        return WL_ENOMEM;
    for (int64_t k = 0; k < out->rows; k++)
        for (int64_t j = 0; j < columns; j++)
            out->value[k * columns + j] =
                s->start[s->leader].centre[k * d + j] + wlab_lloyd_mean(s->lloyd)[j];
    return WL_OK;
}

static const wlab_probe probes[] = {{.name = "objective",
                                     .kind = WL_PROBE_RESTARTS,
                                     .when = WL_PROBE_RECORDED,
                                     .meaning = "objective of each restart",
                                     .get = objectives},
                                    {.name = "scores",
                                     .kind = WL_PROBE_SCORES,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "outputs of the model: the nearest centre has the largest",
                                     .get = scores},
                                    {.name = "centres",
                                     .kind = WL_PROBE_CENTRES,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "the means of the clusters",
                                     .get = centres},
                                    {.name = NULL}};

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const kmeans *s = state;
    const int64_t d = s->f->r;
    double b[WL_CLASSES_MOST];
    *out = NULL;
    if (s->step == 0)
        return wlab_no_model(err);
    const double *W = s->start[s->leader].centre;
    for (int64_t k = 0; k < s->P; k++)
        b[k] = offset(s, k) - cblas_ddot((int)d, W + k * d, 1, wlab_lloyd_mean(s->lloyd), 1);
    return wlab_features_model(out, s->f, s->P, W, b, ctx ? ctx->pool : NULL, err);
}

/* ---- words ---- */

static void explain(const void *state, char *buf, size_t size)
{
    const kmeans *s = state;
    const restart *r = &s->r[s->leader];
    if (s->step == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: %lld restart%s will start from %s, and "
            "then alternate: assign every row to the nearest of %d centres, and move every centre to the "
            "mean of its rows.  Each row has %lld features.",
            (long long)s->restarts, s->restarts == 1 ? "" : "s",
            s->aligned ? "the class means of the best of some labelings by y'Ky"
                       : "centres that k-means++ draws",
            s->P, (long long)s->f->r);
        return;
    }
    snprintf(
        buf, size,
        "In each restart that had not converged, every row was assigned to the nearest centre and every "
        "centre moved to the mean of its rows.  Restart %lld of %lld has the smallest objective: %.10g; its "
        "clusters explain %.4g %% of the variance.  Its smallest cluster has %lld rows.  %lld of %lld "
        "restarts have not converged%s.",
        (long long)s->leader + 1, (long long)s->restarts, r->sum / (double)s->n,
        s->variance > 0 ? 100 * (1 - r->sum / s->variance) : 0, (long long)s->smallest, (long long)s->moving,
        (long long)s->restarts, s->limited ? ", and iterations= stopped the run" : "");
    if (s->step > 1)
        wlab_text_append(buf, size, "  %lld rows of that restart changed their cluster.",
                         (long long)r->moved);
    if (s->displayed != s->displayed_before)
        wlab_text_append(
            buf, size,
            "  Restart %lld was shown before: the %lld flips are rows on which the labels of the two differ.",
            (long long)s->displayed_before + 1, (long long)s->flips);
    if (s->aligned)
        wlab_text_append(buf, size,
                         "  It began with the best of %lld labelings by y'Ky, %.6g; the worst had %.6g.",
                         (long long)s->tries, r->alignment, r->least);
}

static void next(const void *state, char *buf, size_t size)
{
    const kmeans *s = state;
    if (s->finished)
        snprintf(buf, size, "nothing: %s",
                 s->limited ? "the limit iterations= was reached"
                            : "no row changes its cluster in any restart");
    else if (s->stage == BEGIN)
        snprintf(buf, size,
                 s->aligned ? "draw labelings, and begin with the %d class means of the best for each of "
                              "%lld restarts, then assign the rows"
                            : "draw %d centres for each of %lld restarts (k-means++), then assign the rows",
                 s->P, (long long)s->restarts);
    else if (s->stage == ASSIGN)
        snprintf(buf, size,
                 "assign every row to its nearest centre, in each of the %lld restarts not converged",
                 (long long)s->moving);
    else
        snprintf(buf, size,
                 "move every centre to the mean of its rows, in each of the %lld restarts not converged",
                 (long long)s->moving);
}

/* ---- snapshots ---- */

/* clang-format off */
#define SCALARS(X)                                                                                           \
    X(stage) X(finished) X(limited) X(step) X(leader) X(displayed) X(displayed_before) X(moving) X(flips) X(smallest) X(seconds)
/* clang-format on */

static void walk(void *state, wlab_walk *w)
{
    kmeans *s = state;
    SCALARS(WL_WALK_FIELD)
    WL_WALK_ARRAY(w, s->shown, s->n);
    WL_WALK_ARRAY(w, s->r, s->restarts);
    for (int64_t k = 0; k < s->restarts; k++) {
        const wlab_lloyd_start *at = &s->start[k];
        WL_WALK_ARRAY(w, at->label, s->n);
        WL_WALK_ARRAY(w, at->centre, s->P * s->f->r);
        WL_WALK_ARRAY(w, at->distance, s->n);
    }
}

WLAB_KERNEL_HOOK(kmeans, f->kernel)

const wlab_algo wlab_algo_kmeans = {
    .name = "kmeans",
    .alias = "k-means",
    .summary = "k-means, also with kernels: rows to the nearest centre, centres to the mean of their rows",
    .idea = WL_IDEA_IN_TURN,
    .problem = "min over centres c and clusters of sum_n pi_n ||x_n - c(n)||^2",
    .symbols = "c(n): the centre of the cluster of row n\n"
               "pi_n: 1/n for n rows\n"
               "x_n: row n; with a kernel, its image in the kernel's feature space",
    .when = "the baseline of clustering",
    .cost = "a pass over the rows for each restart that has not converged",
    .work = "8e-10 * restarts * P * z",
    .work_once = "4e-9 * restarts * z",
    .columns = "min(n, rank)",
    .memory = "16 * z + 8 * n * restarts",
    .source =
        "Lloyd, Least squares quantization in PCM (1982); starts: Arthur, Vassilvitskii, k-means++ (SODA "
        "2007); the baseline of Joulin, Bach (ICML 2012), Figure 3 (c)",
    .learns_from = WL_SEES_NO_LABELS,
    .multiclass = true,
    .step_unit =
        "one iteration of every restart that has not converged: every row to its nearest centre, then every "
        "centre to the mean of its rows",
    .inner_unit = "the first: the centres that start= says; after that in turn: the rows, then the centres",
    .converged = "moving == 0",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .loss = WL_LOSS_DISTANCE,
    .model = model,
    .kernel = kernel,
    .explain = explain,
    .next = next,
    .walk = walk,
    .older = wlab_cluster_names_older,
    .set = set,
    .destroy = destroy,
};
