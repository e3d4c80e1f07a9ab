/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of bags by the outputs of their instances: the largest output, the key instance, the proportion of
 * positives.
 */
#include "weaklab/score.h"

#include <math.h>

wlab_code wlab_bag_outputs_make(wlab_bag_outputs *o, const double *f, const int32_t *bag, int64_t n,
                                int64_t bags, wlab_err *err)
{
    size_t count = (size_t)bags;
    *o = (wlab_bag_outputs){.bag = wlab_alloc(count, sizeof *o->bag),
                            .top = wlab_alloc(count, sizeof *o->top),
                            .key = wlab_alloc(count, sizeof *o->key),
                            .size = wlab_calloc(count, sizeof *o->size),
                            .positives = wlab_calloc(count, sizeof *o->positives)};
    if (!o->bag || !o->top || !o->key || !o->size || !o->positives) {
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
    }
    for (int32_t b = 0; b < bags; b++) {
        if (o->size[b] == 0)
            continue;
        int64_t at = o->n++;
        o->bag[at] = b;
        o->top[at] = o->top[b];
        o->key[at] = o->key[b];
        o->size[at] = o->size[b];
        o->positives[at] = o->positives[b];
    }
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
