/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores by hidden labels: after each step the model is compared with labels that the learner never observes.  The scores
 * are metrics of the run, so everything that displays or tests metrics has them.
 */
#include "run/hidden.h"
#include "data/share.h"
#include "run/predict.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

const char *const wlab_hidden_names[] = {"unlabeled", "test", "bags", NULL};

/* ---- which sets a problem has ---- */

wlab_code wlab_hidden_held_out(const wlab_problem *p, const int32_t *test, int64_t n_test, wlab_err *err)
{
    if (n_test == 0)
        return wlab_fail(err, WL_ESTATE, "no rows of %s are held out: `split test=0.25 seed=1` before `task`",
                         p->data->name);
    /* both lists of rows are ascending */
    for (int64_t i = 0, k = 0; i < n_test; i++) {
        while (k < p->n && p->row[k] < test[i])
            k++;
        if (k < p->n && p->row[k] == test[i])
            return wlab_fail(err, WL_ESTATE,
                             "row %ld, which a later split holds out, is a training row of this run: set the "
                             "task and start a run again",
                             (long)test[i] + 1);
    }
    return WL_OK;
}

wlab_code wlab_hidden_check(const wlab_problem *p, wlab_hidden set, const int32_t *test, int64_t n_test,
                            wlab_err *err)
{
    int64_t hidden = 0;
    const wlab_code code = wlab_share_refuse(p->data, "a score after every step", err);

    if (code)
        return code;
    if (set == WL_HIDDEN_BAGS)
        return p->bag ? WL_OK
                      : wlab_fail(err, WL_ESTATE,
                                  "the task %s does not learn from bags: score rows, unlabeled or test",
                                  p->task->name);
    if (wlab_problem_copies(p, p->data))
        return wlab_fail(err, WL_ESTATE,
                         "the labels of single rows are unknown, as each is a copy of its bag's label: "
                         "`score bags on`");
    if (set == WL_HIDDEN_TEST)
        return wlab_hidden_held_out(p, test, n_test, err);
    for (int64_t i = 0; i < p->n; i++)
        hidden += p->visible[i] == 0;
    return hidden > 0 ? WL_OK
                      : wlab_fail(err, WL_ESTATE,
                                  "the task %s hides no labels: there are no unlabelled rows to score",
                                  p->task->name);
}

/* ---- the rows ---- */

static void clear_rows(wlab_hidden_rows *r)
{
    wlab_free(r->row);
    wlab_free(r->truth);
    wlab_free(r->predicted);
    wlab_free(r->f);
}

void wlab_hidden_clear(wlab_hidden_scores *h)
{
    clear_rows(&h->unlabeled);
    clear_rows(&h->held_out);
    wlab_bags_scored_clear(&h->bags);
    wlab_free(h->test);
    memset(h, 0, sizeof *h);
}

static wlab_code reserve_rows(wlab_hidden_rows *r, const wlab_problem *p, int64_t most, wlab_err *err)
{
    r->row = wlab_alloc((size_t)most, sizeof *r->row);
    r->truth = wlab_alloc((size_t)most, 1);
    r->predicted = wlab_alloc((size_t)most, 1);
    r->f = wlab_alloc((size_t)(most * wlab_problem_outputs(p)), sizeof *r->f);
    return r->row && r->truth && r->predicted && r->f ? WL_OK : wlab_nomem(err);
}

static void add_row(wlab_hidden_rows *r, const wlab_problem *p, int32_t row)
{
    const int truth = p->task->clusters ? p->data->classes ? p->data->label[row] + 1 : 0
                                        : wlab_problem_truth(p, p->data, row);
    r->truth[r->n] = (int8_t)truth;
    r->row[r->n++] = row;
}

wlab_code wlab_hidden_collect(wlab_hidden_scores *h, const wlab_problem *p, unsigned sets,
                              const int32_t *test, int64_t n_test, wlab_err *err)
{
    wlab_code code = WL_OK;

    *h = (wlab_hidden_scores){.sets = sets, .n_test = n_test};
    if (n_test > 0) {
        if (!(h->test = wlab_alloc((size_t)n_test, sizeof *h->test)))
            return wlab_nomem(err);
        memcpy(h->test, test, (size_t)n_test * sizeof *test);
    }
    if (sets & WL_HIDDEN_UNLABELED && !(code = reserve_rows(&h->unlabeled, p, p->n, err)))
        for (int64_t i = 0; i < p->n; i++)
            if (p->visible[i] == 0)
                add_row(&h->unlabeled, p, p->row[i]);
    if (!code && sets & WL_HIDDEN_TEST && !(code = reserve_rows(&h->held_out, p, n_test, err)))
        for (int64_t i = 0; i < n_test; i++)
            add_row(&h->held_out, p, test[i]);
    if (!code && sets & WL_HIDDEN_BAGS)
        code = wlab_bags_scored_collect(&h->bags, p, h->test, n_test, false, err);
    if (code)
        wlab_hidden_clear(h);
    return code;
}

/* ---- the scores ---- */

static wlab_code score_rows(wlab_hidden_rows *r, const wlab_problem *p, const wlab_algo *algo,
                            const void *state, double *score, wlab_ctx *ctx, wlab_err *err)
{
    const int outputs = wlab_problem_outputs(p);
    wlab_class_scores of_clusters;
    int64_t known = 0, right = 0;
    wlab_code code = wlab_state_predict(algo, state, p->data, r->row, r->n, r->f, ctx, err);

    if (code)
        return code;
    for (int64_t i = 0; i < r->n; i++) {
        const int index = wlab_decide(r->f + i * outputs, outputs);
        r->predicted[i] = p->task->clusters ? (int8_t)(index + 1) : wlab_label_at(p, index);
        known += r->truth[i] != 0;
        right += r->truth[i] != 0 && r->truth[i] == r->predicted[i];
    }
    if (!p->task->clusters) {
        *score = known ? (double)right / (double)known : (double)NAN;
        return WL_OK;
    }
    if ((code = wlab_score_classes(&of_clusters, r->predicted, p->classes, r->truth, p->data->classes, r->n,
                                   true, err)))
        return code;
    *score = of_clusters.ari;
    wlab_class_scores_clear(&of_clusters);
    return WL_OK;
}

static wlab_code score_bags(wlab_bags_scored *b, const wlab_problem *p, const wlab_algo *algo,
                            const void *state, double *score, wlab_ctx *ctx, wlab_err *err)
{
    int64_t known = 0, right = 0;
    wlab_code code = wlab_bags_scored_predict(b, algo, state, p->data, ctx, err);

    if (code)
        return code;
    if (p->task->scored == WL_SCORED_PROPORTIONS) {
        double sum, most;
        known = wlab_proportion_errors(&b->o, b->proportion, &sum, &most);
        *score = known ? sum / (double)known : (double)NAN;
        return WL_OK;
    }
    for (int64_t k = 0; k < b->o.n; k++) {
        const int8_t sign = b->sign[b->o.bag[k]];
        known += sign != 0;
        right += sign != 0 && (sign > 0) == (b->o.top[k] > 0);
    }
    *score = known ? (double)right / (double)known : (double)NAN;
    return WL_OK;
}

wlab_code wlab_hidden_compute(wlab_hidden_scores *h, const wlab_problem *p, const wlab_algo *algo,
                              const void *state, double *score, wlab_ctx *ctx, wlab_err *err)
{
    int n = 0;

    for (unsigned set = 1; set <= WL_HIDDEN_BAGS; set <<= 1) {
        wlab_code code = WL_OK;
        if (!(h->sets & set))
            continue;
        score[n] = NAN;
        if (set == WL_HIDDEN_BAGS)
            code = score_bags(&h->bags, p, algo, state, &score[n], ctx, err);
        else
            code = score_rows(set == WL_HIDDEN_TEST ? &h->held_out : &h->unlabeled, p, algo, state, &score[n],
                              ctx, err);
        if (code && code != WL_ESTATE) /* WL_ESTATE: there is no model yet */
            return code;
        n++;
    }
    return WL_OK;
}

/* ---- the metrics ---- */

#define NOT_OBSERVED ", by labels that the learner never observes: watch it, but do not stop a run by it"

#define OF_BAG         "a bag's output is the largest of its rows'"
#define OF_PROPORTIONS "mean over bags of |p - predicted p|; Yu et al. 2013, Eq. 23 is the sum"

/* [set][measure]: of rows accuracy or the Rand index, of bags accuracy or the error of proportions, and, with GIVEN more,
 * those of the training bags. */
enum {
    GIVEN = 2
};
static const wlab_metric_info infos[WL_HIDDEN_SETS][2 * GIVEN] = {
    {{.name = "hidden_unlabeled",
      .label = "unlabeled*",
      .axis = "accuracy on the unlabelled rows",
      .meaning = "accuracy on the unlabelled training rows" NOT_OBSERVED,
      .equation = "right / rows with a true label"},
     {.name = "hidden_unlabeled",
      .label = "ARI*",
      .axis = "adjusted Rand index (hidden classes)",
      .meaning = "adjusted Rand index of the clusters and the classes of the training rows" NOT_OBSERVED,
      .equation = "Hubert and Arabie 1985, Eq. 5"}},
    {{.name = "hidden_test",
      .label = "test*",
      .axis = "accuracy on held-out rows",
      .meaning = "accuracy on the held-out rows" NOT_OBSERVED,
      .equation = "right / rows with a true label"},
     {.name = "hidden_test",
      .label = "test ARI*",
      .axis = "adjusted Rand index of held-out rows",
      .meaning = "adjusted Rand index of the clusters and the classes of the held-out rows" NOT_OBSERVED,
      .equation = "Hubert and Arabie 1985, Eq. 5"}},
    {{.name = "hidden_bags",
      .label = "bags*",
      .axis = "accuracy on held-out bags",
      .meaning = "accuracy on the held-out bags" NOT_OBSERVED,
      .equation = OF_BAG},
     {.name = "hidden_bags",
      .flags = WL_M_LESS,
      .label = "bags*",
      .axis = "mean error of held-out bags' proportions",
      .meaning = "mean error of the predicted proportions of the held-out bags" NOT_OBSERVED,
      .equation = OF_PROPORTIONS},
     {.name = "hidden_bags",
      .flags = WL_M_GIVEN,
      .label = "given bags",
      .axis = "accuracy on the training bags",
      .meaning = "accuracy on the training bags, as none are held out; the learner has their labels",
      .equation = OF_BAG},
     {.name = "hidden_bags",
      .flags = WL_M_LESS | WL_M_GIVEN,
      .label = "given bags",
      .axis = "mean error of the training bags' proportions",
      .meaning = "mean error of the predicted proportions of the training bags, as none are held out; the "
                 "learner has their proportions: it is the bag error divided by the number of bags",
      .equation = OF_PROPORTIONS}},
};

static bool has_second_measure(const wlab_problem *p, int set)
{
    return 1 << set == WL_HIDDEN_BAGS ? p->task->scored == WL_SCORED_PROPORTIONS : p->task->clusters;
}

const char *wlab_hidden_measure(const wlab_problem *p, wlab_hidden set)
{
    return set == WL_HIDDEN_BAGS && p->task->scored == WL_SCORED_PROPORTIONS ? "mean error of proportions"
           : set != WL_HIDDEN_BAGS && p->task->clusters                      ? "adjusted Rand index"
                                                                             : "accuracy";
}

bool wlab_hidden_bags_given(const wlab_problem *p, int64_t n_test)
{
    return n_test == 0 || !p->all.of_row;
}

wlab_metric_info wlab_hidden_metric(const wlab_problem *p, wlab_hidden set, bool given)
{
    int k = 0;
    while (1U << k != (unsigned)set)
        k++;
    wlab_metric_info m = infos[k][has_second_measure(p, k) + (set == WL_HIDDEN_BAGS && given ? GIVEN : 0)];
    m.role = (wlab_role)(WL_R_HIDDEN + k);
    m.flags |= WL_M_DERIVED | WL_M_SHOWN;
    return m;
}

typedef struct derivation {
    const wlab_algo *base;
    unsigned sets, second; /* second: bit k: set k has its second measure */
    bool given;
    wlab_algo algo;
    struct derivation *next;
    wlab_metric_info metric[];
} derivation;

static derivation *derived; /* kept until the program ends: mirrors and figures may outlive their run */
static pthread_mutex_t derived_lock = PTHREAD_MUTEX_INITIALIZER;

static derivation *derive_algo(const wlab_algo *base, const wlab_problem *p, unsigned sets, unsigned second,
                               bool given)
{
    int n = wlab_metric_count(base);
    derivation *d = wlab_calloc(1, sizeof *d + (size_t)(n + WL_HIDDEN_SETS + 1) * sizeof *d->metric);

    if (!d)
        return NULL;
    memcpy(d->metric, base->metrics, (size_t)n * sizeof *d->metric);
    for (unsigned set = 1; set <= WL_HIDDEN_BAGS; set <<= 1)
        if (sets & set)
            d->metric[n++] = wlab_hidden_metric(p, (wlab_hidden)set, given);
    d->base = base;
    d->sets = sets;
    d->second = second;
    d->given = given;
    d->algo = *base;
    d->algo.metrics = d->metric;
    return d;
}

const wlab_algo *wlab_hidden_algo(const wlab_algo *base, const wlab_problem *p, unsigned sets, bool given)
{
    unsigned second = 0;
    derivation *d;

    if (sets == 0)
        return base;
    for (int k = 0; k < WL_HIDDEN_SETS; k++)
        second |= sets & 1U << k && has_second_measure(p, k) ? 1U << k : 0;
    pthread_mutex_lock(&derived_lock);
    for (d = derived; d && (d->base != base || d->sets != sets || d->second != second || d->given != given);
         d = d->next)
        ;
    if (!d && (d = derive_algo(base, p, sets, second, given))) {
        d->next = derived;
        derived = d;
    }
    pthread_mutex_unlock(&derived_lock);
    return d ? &d->algo : NULL;
}
