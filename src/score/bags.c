/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of bags by the outputs of their instances: the largest output, the key instance, the proportion of
 * positives.
 */
#include "weaklab/score.h"

#include <math.h>

const char *const wlab_bag_rule_words[] = {
    [WL_BAG_LARGEST] = "f(bag) is the largest output of its instances",
    [WL_BAG_MEAN] = "f(bag) is the mean of the outputs of its instances",
    [WL_BAG_NOISY_OR] =
        ("f(bag) is log(2 P), P = 1 - prod (1 - p), the probability that some instance is positive, each "
         "with p = exp(f)/2"),
    [WL_BAG_WHOLE] = "f(bag) follows from its instances together, and is no sum of their outputs"};

/* What a bag's output sums over its instances. */
static double term(wlab_bag_rule rule, double f)
{
    return rule == WL_BAG_MEAN ? f : log1p(-0.5 * exp(fmin(f, M_LN2))); /* log(1 - p), p at most 1 */
}

static double of_sum(wlab_bag_rule rule, double sum, double largest, int64_t size)
{
    if (rule == WL_BAG_MEAN)
        return sum / (double)size;
    /* log(2 P); where all p are tiny P is about their sum, which underflows before its logarithm does */
    return sum < 0 ? M_LN2 + log(-expm1(sum)) : largest;
}

wlab_code wlab_bag_outputs_make(wlab_bag_outputs *o, wlab_bag_rule rule, const double *f, const double *whole,
                                const int32_t *bag, int64_t n, int64_t bags, wlab_err *err)
{
    const bool sums = rule == WL_BAG_MEAN || rule == WL_BAG_NOISY_OR;
    double *sum = sums ? wlab_calloc((size_t)bags, sizeof *sum) : NULL;
    size_t count = (size_t)bags;
    *o = (wlab_bag_outputs){.bag = wlab_alloc(count, sizeof *o->bag),
                            .top = wlab_alloc(count, sizeof *o->top),
                            .key = wlab_alloc(count, sizeof *o->key),
                            .size = wlab_calloc(count, sizeof *o->size),
                            .positives = wlab_calloc(count, sizeof *o->positives)};
    if (!o->bag || !o->top || !o->key || !o->size || !o->positives || (sums && !sum)) {
        wlab_free(sum);
        wlab_bag_outputs_clear(o);
        return wlab_nomem(err);
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t b = bag[i];
        if (o->size[b]++ == 0 || f[i] > o->top[b]) {
            o->top[b] = f[i];
            o->key[b] = i;
        }
        o->positives[b] += f[i] > 0;
        if (sum)
            sum[b] += term(rule, f[i]);
    }
    for (int32_t b = 0; b < bags; b++) {
        if (o->size[b] == 0)
            continue;
        int64_t at = o->n++;
        o->bag[at] = b;
        o->top[at] = sum                    ? of_sum(rule, sum[b], o->top[b], o->size[b])
                     : rule == WL_BAG_WHOLE ? whole[b]
                                            : o->top[b];
        o->key[at] = o->key[b];
        o->size[at] = o->size[b];
        o->positives[at] = o->positives[b];
    }
    wlab_free(sum);
    return WL_OK;
}

void wlab_bag_outputs_clear(wlab_bag_outputs *o)
{
    wlab_free(o->bag);
    wlab_free(o->top);
    wlab_free(o->key);
    wlab_free(o->size);
    wlab_free(o->positives);
    *o = (wlab_bag_outputs){0};
}

static double ratio(double part, int64_t whole)
{
    return whole > 0 ? part / (double)whole : NAN;
}

void wlab_score_keys(const wlab_bag_outputs *o, const int8_t *sign, const int8_t *own, wlab_key_scores *out)
{
    wlab_key_scores s = {0};
    for (int64_t k = 0; k < o->n; k++) {
        if (sign[o->bag[k]] == 0)
            continue;
        s.relevant += sign[o->bag[k]] > 0;
        s.predicted += o->top[k] > 0;
        s.successes += o->top[k] > 0 && own[o->key[k]] > 0;
    }
    double successes = (double)s.successes;
    s.of_relevant = ratio(successes, s.relevant);
    s.of_predicted = ratio(successes, s.predicted);
    s.success = ratio(2 * successes, s.relevant + s.predicted);
    *out = s;
}

int64_t wlab_proportion_errors(const wlab_bag_outputs *o, const double *proportion, double *sum, double *most)
{
    int64_t given = 0;
    double total = 0, worst = 0;
    for (int64_t k = 0; k < o->n; k++) {
        if (isnan(proportion[o->bag[k]]))
            continue;
        double off = fabs(proportion[o->bag[k]] - (double)o->positives[k] / (double)o->size[k]);
        total += off;
        worst = off > worst ? off : worst;
        given++;
    }
    *sum = given ? total : NAN;
    *most = given ? worst : NAN;
    return given;
}
