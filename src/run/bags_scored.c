/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bags and what is known of them, for scores of bags.
 */
#include "run/bags_scored.h"
#include "run/predict.h"
#include "weaklab/run.h"
#include <math.h>
#include <string.h>

void wlab_bags_scored_clear(wlab_bags_scored *b)
{
    wlab_free(b->bag);
    wlab_free(b->own);
    wlab_free(b->f);
    wlab_free(b->sign);
    wlab_free(b->proportion);
    wlab_bag_outputs_clear(&b->o);
    memset(b, 0, sizeof *b);
}

/* proportion[k]: the given one, else the fraction of positives among the rows whose class is known; NaN: neither. */
static wlab_code find_proportions(wlab_bags_scored *b, const double *given, wlab_err *err)
{
    int64_t *known = wlab_calloc((size_t)b->bags, sizeof *known);
    if (!known)
        return wlab_nomem(err);
    for (int64_t i = 0; i < b->n; i++) {
        known[b->bag[i]] += b->own[i] != 0;
        b->proportion[b->bag[i]] += b->own[i] > 0;
    }
    for (int64_t k = 0; k < b->bags; k++)
        b->proportion[k] = given && !isnan(given[k]) ? given[k]
                           : known[k]                ? b->proportion[k] / (double)known[k]
                                                     : NAN;
    wlab_free(known);
    return WL_OK;
}

static wlab_code fill_bags(wlab_bags_scored *b, const wlab_problem *p, wlab_err *err)
{
    for (int64_t i = 0; i < b->n; i++) {
        b->bag[i] = b->test ? p->all.of_row[b->row[i]] : p->bag[i];
        b->own[i] = (int8_t)wlab_problem_truth(p, p->data, b->row[i]);
    }
    if (p->task->scored == WL_SCORED_PROPORTIONS && b->test)
        return find_proportions(b, p->all.given, err);
    if (b->test) {
        wlab_dataset_bag_signs(p->data, p->positive, b->sign);
        return WL_OK;
    }
    for (int64_t k = 0; k < b->bags; k++) {
        b->proportion[k] = p->bag_given[k];
        b->sign[k] = p->bag_given[k] > 0.5 ? 1 : -1;
    }
    return WL_OK;
}

wlab_code wlab_bags_scored_collect(wlab_bags_scored *b, const wlab_problem *p, const int32_t *test,
                                   int64_t n_test, bool train, wlab_err *err)
{
    const bool held_out = !train && !wlab_hidden_bags_given(p, n_test);
    *b = (wlab_bags_scored){.test = held_out,
                            .n = held_out ? n_test : p->n,
                            .bags = held_out ? p->all.bags : p->bags,
                            .row = held_out ? test : p->row};
    b->bag = wlab_alloc((size_t)b->n, sizeof *b->bag);
    b->own = wlab_alloc((size_t)b->n, 1);
    b->f = wlab_alloc((size_t)b->n, sizeof *b->f);
    b->sign = wlab_calloc((size_t)b->bags, 1);
    b->proportion = wlab_calloc((size_t)b->bags, sizeof *b->proportion);
    wlab_code code =
        b->bag && b->own && b->f && b->sign && b->proportion ? fill_bags(b, p, err) : wlab_nomem(err);
    if (code)
        wlab_bags_scored_clear(b);
    return code;
}

wlab_code wlab_bags_scored_predict(wlab_bags_scored *b, const wlab_algo *algo, const void *state,
                                   const wlab_dataset *data, wlab_ctx *ctx, wlab_err *err)
{
    return wlab_state_predict_bags(algo, state, data, b->row, b->n, b->bag, b->bags, b->f, &b->o, ctx, err);
}
