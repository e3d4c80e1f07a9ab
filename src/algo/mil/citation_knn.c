/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * citation-knn (Wang and Zucker, ICML 2000): bags vote for the bags that are near to them, as references and as citers
 * (citation.h).  Training computes the distances of the training bags and classifies each of them without itself, some
 * bags per step: the leave-one-out error is the training error.  A bag's key instance is the one with the largest output.
 */
#include "algo/algos.h"
#include "algo/mil/citation.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/walk.h"
#include "model/kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    STEPS = 20, /* most steps of a run, so most parts into which the bags are divided */
    BLOCKS = 16
};

static const wlab_param_info params[] = {
    {.name = "references",
     .type = WL_P_INT,
     .fallback = "2",
     .lo = 0,
     .hi = 1000000,
     .unit = "bags",
     .meaning = "how many nearest training bags vote for a bag (R)",
     .flags = WL_P_MUTABLE | WL_P_OBJECTIVE},
    {.name = "citers",
     .type = WL_P_INT,
     .fallback = "4",
     .lo = 0,
     .hi = 1000000,
     .unit = "bags",
     .meaning = "a training bag votes, too, if the bag is among this many nearest to it (C)",
     .flags = WL_P_MUTABLE | WL_P_OBJECTIVE},
    {.name = NULL}};

enum {
    M_OBJECTIVE,
    M_LEFT,
    M_CLASSIFIED,
    M_MISSED,
    M_ALARMS,
    M_TIES,
    M_SECONDS
};
static const wlab_metric_info metrics[] = {
    {.name = "objective",
     .role = WL_R_OBJECTIVE,
     .flags = WL_M_SHOWN,
     .meaning =
         "leave-one-out error: fraction of the bags classified so far that the other bags classify wrongly; "
         "nothing minimises it",
     .equation = "(missed + alarms) / classified"},
    {.name = "left",
     .unit = "bags",
     .flags = WL_M_COUNT | WL_M_SHOWN | WL_M_LESS,
     .meaning = "bags that are not classified yet"},
    {.name = "classified", .unit = "bags", .flags = WL_M_COUNT, .meaning = "bags that are classified"},
    {.name = "missed",
     .unit = "bags",
     .flags = WL_M_COUNT | WL_M_SHOWN | WL_M_LESS,
     .meaning = "positive bags that the other bags classify as negative"},
    {.name = "alarms",
     .unit = "bags",
     .flags = WL_M_COUNT | WL_M_SHOWN | WL_M_LESS,
     .meaning = "negative bags that the other bags classify as positive"},
    {.name = "ties",
     .unit = "bags",
     .flags = WL_M_COUNT,
     .meaning = "bags with as many positive votes as negative ones, which count as negative"},
    WLAB_SECONDS,
    {.name = NULL}};

typedef struct knn {
    wlab_problem *p; /* a reference */
    int64_t parts;   /* of the bags: steps of a run */
    int64_t references, citers;
    int64_t *start;  /* [bags + 1] the instances of each bag */
    int32_t *member; /* [n] */
    citation rule;   /* its radii are set when all distances are known */
    /* ---- follows from the data: computed anew by a run that goes back ---- */
    int64_t have;   /* parts whose distances are in D and output */
    double *D;      /* [bags x bags] squared distances */
    double *output; /* [n] f(x) without the instance's own bag */
    /* ---- snapshot ---- */
    int64_t measured; /* parts whose distances are known to the run */
    int64_t at;       /* bags that are classified, the first ones */
    int64_t missed, alarms, ties;
    double seconds;
    int8_t *y; /* [n] */
    /* ---- workspace ---- */
    double *work; /* [BLOCKS x bags] */
} knn;

static void destroy(void *state)
{
    knn *s = state;
    if (!s)
        return;
    wlab_problem_unref(s->p);
    citation_clear(&s->rule, false);
    wlab_free(s->start);
    wlab_free(s->member);
    wlab_free(s->D);
    wlab_free(s->output);
    wlab_free(s->y);
    wlab_free(s->work);
    wlab_free(s);
}

static wlab_code check_votes(const wlab_params *given, wlab_err *err)
{
    if (wlab_params_int(given, "references") > 0 || wlab_params_int(given, "citers") > 0)
        return WL_OK;
    return wlab_fail(err, WL_EARG, "with references=0 and citers=0 no bag votes: give one of them");
}

static wlab_code reserve(knn *s, wlab_err *err)
{
    const size_t n = (size_t)s->p->n, m = (size_t)s->p->bags;

    s->start = wlab_calloc(m + 1, sizeof *s->start);
    s->member = wlab_calloc(n, sizeof *s->member);
    s->D = wlab_calloc(m * m, sizeof *s->D);
    s->output = wlab_calloc(n, sizeof *s->output);
    s->y = wlab_calloc(n, 1);
    s->work = wlab_calloc(BLOCKS * m, sizeof *s->work);
    return s->start && s->member && s->D && s->output && s->y && s->work ? WL_OK : wlab_nomem(err);
}

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    knn *s = wlab_calloc(1, sizeof *s);
    wlab_code code;

    (void)ctx;
    *state = NULL;
    if (!s)
        return wlab_nomem(err);
    s->p = wlab_problem_ref(p);
    s->parts = p->bags < STEPS ? p->bags : STEPS;
    s->references = wlab_params_int(given, "references");
    s->citers = wlab_params_int(given, "citers");
    code = check_votes(given, err);
    code = code ? code : wlab_kernel_fits(p->bags, WL_KERNEL_ROWS, "bags", "use fewer (`split`)", err);
    code = code ? code : citation_make(&s->rule, p, false, err);
    code = code ? code : reserve(s, err);
    if (code) {
        destroy(s);
        return code;
    }
    wlab_members_fill(p->bag, p->n, p->bags, s->start, s->member);
    memcpy(s->y, p->visible, (size_t)p->n);
    *state = s;
    return WL_OK;
}

/* ---- steps ---- */

static int64_t part_begin(const knn *s, int64_t part)
{
    return wlab_block_begin(s->p->bags, (int)s->parts, (int)part);
}

typedef struct measuring {
    knn *s;
    int64_t first, end; /* bags */
    wlab_ctx *ctx;
    wlab_progress progress; /* instances */
    atomic_bool stopped;
} measuring;

static bool stopped(measuring *m)
{
    if (wlab_interrupted(m->ctx))
        atomic_store(&m->stopped, true);
    return atomic_load(&m->stopped);
}

/* The distances of a block of the part's bags from all bags, and the outputs of their instances. */
static void measure_block(void *data, int block)
{
    measuring *m = data;
    knn *s = m->s;
    const int64_t bags = s->p->bags, of = m->end - m->first, each = wlab_look_every(s->p->X->nnz),
                  end = m->first + wlab_block_begin(of, BLOCKS, block + 1);
    double *near = s->work + block * bags;
    int64_t done = 0;

    for (int64_t a = m->first + wlab_block_begin(of, BLOCKS, block); a < end; a++) {
        double *d = s->D + a * bags;
        for (int64_t b = 0; b < bags; b++)
            d[b] = HUGE_VAL;
        for (int64_t k = s->start[a]; k < s->start[a + 1]; k++, done++) {
            if (done % each == 0) {
                if (stopped(m))
                    return;
                wlab_progress_add(&m->progress, done ? each : 0);
            }
            citation_near(&s->rule, s->p->X, s->member[k], near);
            s->output[s->member[k]] = citation_instance(&s->rule, near, a);
            for (int64_t b = 0; b < bags; b++)
                d[b] = fmin(d[b], near[b]);
        }
    }
}

/* The next part of the distances, unless they are there because the run went back.  After the last one the radii. */
static wlab_code measure(knn *s, int64_t part, wlab_ctx *ctx, wlab_err *err)
{
    measuring m = {.s = s, .first = part_begin(s, part), .end = part_begin(s, part + 1), .ctx = ctx};

    if (part < s->have)
        return WL_OK;
    wlab_progress_begin(&m.progress, ctx, "instances", s->start[m.end] - s->start[m.first]);
    wlab_pool_run(ctx ? ctx->pool : NULL, BLOCKS, measure_block, &m);
    if (atomic_load(&m.stopped))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    for (int64_t a = m.first; a < m.end; a++)
        for (int64_t b = 0; b < s->p->bags; b++)
            if (!isfinite(s->D[a * s->p->bags + b]))
                return wlab_fail(err, WL_ENUMERIC,
                                 "the distance of two bags is not a finite number: scale the data");
    s->have++;
    return WL_OK;
}

static wlab_code set_radii(knn *s, wlab_ctx *ctx, wlab_err *err)
{
    return citation_set(&s->rule, s->references, s->citers, s->D, s->work, ctx, err);
}

static citation_votes votes_of(const knn *s, int64_t bag, int8_t *role)
{
    return citation_vote(&s->rule, s->D + bag * s->p->bags, bag, role, s->work);
}

/* Labels the instances of a positive bag: the one with the largest output is the key; the others have no label, or their
 * signs. */
static void label(knn *s, int64_t bag)
{
    const wlab_problem *p = s->p;
    int32_t key = s->member[s->start[bag]];

    if (s->rule.y[bag] < 0)
        return;
    for (int64_t k = s->start[bag]; k < s->start[bag + 1]; k++)
        key = s->output[s->member[k]] > s->output[key] ? s->member[k] : key;
    for (int64_t k = s->start[bag]; k < s->start[bag + 1]; k++) {
        const int32_t i = s->member[k];
        s->y[i] = (int8_t)(i == key ? 1 : p->keys ? 0 : s->output[i] > 0 ? 1 : -1);
    }
}

static void classify(knn *s, int64_t bag)
{
    const double f = votes_of(s, bag, NULL).f;

    s->missed += s->rule.y[bag] > 0 && f <= 0;
    s->alarms += s->rule.y[bag] < 0 && f > 0;
    s->ties += f == 0;
    label(s, bag);
}

/* The step to which the bag belongs that is classified next. */
static int64_t present_part(const knn *s)
{
    int64_t part = 0;
    while (part + 1 < s->parts && part_begin(s, part + 1) <= s->at)
        part++;
    return part;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    knn *s = state;
    const double from = wlab_seconds_now();
    wlab_code code;

    *step = (wlab_step){0};
    if (s->at == s->p->bags) {
        *step = (wlab_step){.complete = true, .verdict = WL_CONVERGED};
        return WL_OK;
    }
    if (wlab_interrupted(ctx))
        return wlab_fail(err, WL_EINTERRUPTED, "interrupted");
    if (s->measured < s->parts) {
        if ((code = measure(s, s->measured, ctx, err)) ||
            (s->measured + 1 == s->parts && (code = set_radii(s, ctx, err))))
            return code;
        s->measured++;
    } else {
        const int64_t end = part_begin(s, present_part(s) + 1);
        classify(s, s->at++);
        if (s->at == end)
            *step = (wlab_step){.complete = true, .verdict = s->at == s->p->bags ? WL_CONVERGED : WL_MORE};
    }
    s->seconds += wlab_seconds_now() - from;
    return WL_OK;
}

/* Other votes: the bags are classified again, with the same distances. */
static wlab_code set(void *state, const wlab_params *given, wlab_err *err)
{
    knn *s = state;
    const wlab_code code = check_votes(given, err);
    if (code)
        return code;
    s->references = wlab_params_int(given, "references");
    s->citers = wlab_params_int(given, "citers");
    s->at = s->missed = s->alarms = s->ties = 0;
    return s->measured == s->parts ? set_radii(s, NULL, err) : WL_OK;
}

/* ---- metrics, labels, the matrix of distances, the model ---- */

static void observe(const void *state, double *metric, int8_t *labels)
{
    const knn *s = state;

    if (labels)
        memcpy(labels, s->y, (size_t)s->p->n);
    if (!metric)
        return;
    metric[M_OBJECTIVE] = s->at ? (double)(s->missed + s->alarms) / (double)s->at : (double)NAN;
    metric[M_LEFT] = (double)(s->p->bags - s->at);
    metric[M_CLASSIFIED] = (double)s->at;
    metric[M_MISSED] = (double)s->missed;
    metric[M_ALARMS] = (double)s->alarms;
    metric[M_TIES] = (double)s->ties;
    metric[M_SECONDS] = s->seconds;
}

static wlab_code matrix(const void *state, const wlab_probe_ask *ask, wlab_probed *out, wlab_ctx *ctx,
                        wlab_err *err)
{
    const knn *s = state;

    (void)ctx;
    if (s->measured < s->parts)
        return wlab_fail(err, WL_ESTATE, "the distances of the bags are not known yet: `step` first");
    const wlab_code code = wlab_probed_bags(out, s->p, ask, s->D, err); /* squared distances */
    for (int64_t k = 0; !code && k < ask->n * ask->n; k++)
        out->value[k] = sqrt(out->value[k]);
    return code;
}

static const wlab_probe probes[] = {{.name = "distance",
                                     .kind = WL_PROBE_MATRIX,
                                     .when = WL_PROBE_QUICK,
                                     .meaning = "the distance of the bags to which two instances belong",
                                     .get = matrix},
                                    {.name = NULL}};

static wlab_code model(const void *state, wlab_model **out, wlab_ctx *ctx, wlab_err *err)
{
    const knn *s = state;

    (void)ctx;
    *out = NULL;
    if (s->measured == s->parts)
        return citation_model(out, s->p, &s->rule, err);
    return wlab_no_model(err);
}

/* ---- explanations ---- */

/* The bag as users know it: its name, or its number in the data. */
static void add_bag(const knn *s, int64_t bag, char *buf, size_t size)
{
    char number[24];

    wlab_text_append(buf, size, "%s",
                     wlab_problem_bag_name(s->p, wlab_problem_bag_number(s->p, bag), number));
}

/* "3 (+1), 7 (-1) and 5 more" for the bags whose role has the bit. */
static void add_voters(const knn *s, const int8_t *role, int bit, char *buf, size_t size)
{
    enum {
        MOST = 6
    };
    int64_t count = 0;

    for (int64_t b = 0; b < s->p->bags; b++) {
        if (!(role[b] & bit) || count++ >= MOST)
            continue;
        wlab_text_append(buf, size, count == 1 ? "" : ", ");
        add_bag(s, b, buf, size);
        wlab_text_append(buf, size, s->rule.y[b] > 0 ? " (+)" : " (-)");
    }
    if (count > MOST)
        wlab_text_append(buf, size, " and %lld more", (long long)(count - MOST));
    if (count == 0)
        wlab_text_append(buf, size, "none");
}

static void explain_last(const knn *s, char *buf, size_t size)
{
    const int64_t bag = s->at - 1;
    int8_t *role = wlab_alloc((size_t)s->p->bags, 1);
    if (!role)
        return;
    const citation_votes v = votes_of(s, bag, role);

    wlab_text_append(buf, size, "The last one, bag ");
    add_bag(s, bag, buf, size);
    wlab_text_append(buf, size, " (%s): references ", s->rule.y[bag] > 0 ? "+" : "-");
    add_voters(s, role, 1, buf, size);
    wlab_text_append(buf, size, "; citers ");
    add_voters(s, role, 2, buf, size);
    wlab_text_append(buf, size, "; votes %lld for +, %lld for -, so it is classified as %s.  ",
                     (long long)(v.positive_references + v.positive_citers),
                     (long long)(v.negative_references + v.negative_citers), v.f > 0 ? "+" : "-");
    wlab_free(role);
}

static void explain(const void *state, char *buf, size_t size)
{
    const knn *s = state;

    *buf = 0;
    if (s->measured == 0) {
        snprintf(
            buf, size,
            "No step has been made yet: step 1 computes the distances of the %lld bags, each that of the "
            "two nearest instances, and begins to classify each bag by the others.",
            (long long)s->p->bags);
    } else if (s->at == 0) {
        snprintf(buf, size, "The distances of %lld of the %lld bags from all others are known.",
                 (long long)part_begin(s, s->measured), (long long)s->p->bags);
    } else {
        snprintf(buf, size, "%lld of %lld bags are classified by the others.  ", (long long)s->at,
                 (long long)s->p->bags);
        explain_last(s, buf, size);
        wlab_text_append(buf, size,
                         "So far %lld positive bag%s missed, %lld negative bag%s taken for positive, %lld "
                         "tie%s (negative): leave-one-out error %.4g.",
                         (long long)s->missed, s->missed == 1 ? " is" : "s are", (long long)s->alarms,
                         s->alarms == 1 ? " is" : "s are", (long long)s->ties, wlab_plural(s->ties),
                         (double)(s->missed + s->alarms) / (double)s->at);
    }
}

static void next(const void *state, char *buf, size_t size)
{
    const knn *s = state;

    if (s->at == s->p->bags) {
        snprintf(buf, size, "nothing: all bags are classified; `set references=` or citers= begins again");
    } else if (s->measured < s->parts) {
        const int64_t bags = part_begin(s, s->measured + 1) - part_begin(s, s->measured);
        snprintf(buf, size, "the distances of %lld bag%s from all others", (long long)bags,
                 wlab_plural(bags));
    } else {
        snprintf(buf, size, "classify bag ");
        add_bag(s, s->at, buf, size);
        wlab_text_append(buf, size, " by its references and citers");
    }
}

static void walk(void *state, wlab_walk *w)
{
    knn *s = state;
    int64_t measured = s->measured;

    WL_WALK(w, measured);
    if (wlab_walk_has_read(w) && (measured < 0 || measured > s->parts)) {
        wlab_walk_damaged(w);
        return;
    }
    while (wlab_walk_has_read(w) && s->have < measured)
        (void)wlab_walk_check(w, measure(s, s->have, w->ctx, w->err));
    if (w->code)
        return;
    s->measured = measured;
    WL_WALK(w, s->at);
    if (wlab_walk_has_read(w) && (s->at < 0 || s->at > s->p->bags)) {
        s->at = 0;
        wlab_walk_damaged(w);
    }
    WL_WALK(w, s->missed);
    WL_WALK(w, s->alarms);
    WL_WALK(w, s->ties);
    WL_WALK(w, s->references);
    WL_WALK(w, s->citers);
    WL_WALK(w, s->seconds);
    WL_WALK_ARRAY(w, s->y, s->p->n);
    if (wlab_walk_has_read(w) && s->measured == s->parts)
        (void)set_radii(s, NULL, NULL); /* without interrupts: a snapshot is read as a whole */
}

const wlab_algo wlab_algo_citation_knn = {
    .name = "citation-knn",
    .summary = "nearest bags and the bags to which a bag is near vote for its class",
    .idea = WL_IDEA_GRAPH,
    .problem = "f(B) = sum over references of y_b + sum over citers of y_b; B is positive if f(B) > 0; d(B, "
               "B') = min over "
               "x in B, x' in B' of ||x - x'||",
    .symbols = "y_b: label of training bag b, -1 or +1\n"
               "references: the training bags nearest to B\n"
               "citers: the training bags for which B is among the nearest",
    .when = "few bags, and bags of a class resemble each other in some instance; nothing is trained",
    .cost = "the distances of all pairs of instances, once",
    .work = "4e-9 * b^2",
    .work_once = "5e-10 * n * z + 1e-8 * n",
    .memory = "8 * b^2 + 8 * n",
    .source = "Wang, Zucker, Solving the multiple-instance problem: a lazy learning approach, ICML 2000",
    .learns_from = WL_SEES_BAG_SIGNS,
    .step_unit =
        "a twentieth of the bags, each classified by the others; before the first the distances of the bags",
    .inner_unit = "the distances of a twentieth of the bags; then one bag",
    .converged = "left == 0",
    .params = params,
    .metrics = metrics,
    .probes = probes,
    .create = create,
    .advance = advance,
    .observe = observe,
    .loss = WL_LOSS_DISTANCE,
    .model = model,
    .bag_rule = WL_BAG_WHOLE,
    .explain = explain,
    .next = next,
    .walk = walk,
    .set = set,
    .destroy = destroy,
};
