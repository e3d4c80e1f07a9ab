/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eval bags: scores a bag of mil by its largest output and its key instance, a bag of llp by its proportion of
 * positives.
 */
#include "session/commands/eval_bags.h"
#include "weaklab/score.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *wlab_eval_number(double x, char buf[32])
{
    if (isfinite(x))
        snprintf(buf, 32, "%.4f", x);
    else
        snprintf(buf, 32, "-");
    return buf;
}

bool wlab_eval_of_bags(const char *name)
{
    return strcmp(name, "bags") == 0 || strcmp(name, "train-bags") == 0;
}

wlab_code wlab_eval_bags_check(const wlab_run *run, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    if (p->bag)
        return WL_OK;
    return wlab_fail(err, WL_ESTATE,
                     p->data->bag ? "the task %s does not learn from bags; score rows: `eval test`"
                                  : "the data have no bags (task %s); score rows: `eval test`",
                     p->task->name);
}

bool wlab_bags_have_test(const wlab_slot *slot, const wlab_problem *p)
{
    return slot && slot->ntest > 0 && p->all.of_row;
}

static const char *bag_words(const wlab_bags_scored *b, int64_t n)
{
    return n == 1 ? b->test ? "test bag" : "training bag" : b->test ? "test bags" : "training bags";
}

static wlab_code score_mil(wlab_session *s, const wlab_run *run, const char *name, const wlab_bags_scored *b,
                           wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    int8_t *truth = wlab_alloc((size_t)b->o.n, 1);
    char t[6][32];
    wlab_scores sc;
    wlab_key_scores keys;
    if (!truth)
        return wlab_nomem(err);
    for (int64_t k = 0; k < b->o.n; k++)
        truth[k] = b->sign[b->o.bag[k]];
    wlab_score(b->o.top, truth, b->o.n, &sc);
    wlab_free(truth);
    wlab_score_keys(&b->o, b->sign, b->own, &keys);
    bool known = wlab_dataset_instances_known(p->data, p->positive);
    wlab_code code =
        known ? wlab_session_mark(s, err, "eval set=%s n=%lld tp=%lld fn=%lld fp=%lld tn=%lld keys=%lld",
                                  name, (long long)sc.n, (long long)sc.tp, (long long)sc.fn, (long long)sc.fp,
                                  (long long)sc.tn, (long long)keys.successes)
              : wlab_session_mark(s, err, "eval set=%s n=%lld tp=%lld fn=%lld fp=%lld tn=%lld", name,
                                  (long long)sc.n, (long long)sc.tp, (long long)sc.fn, (long long)sc.fp,
                                  (long long)sc.tn);
    if (code)
        return code;
    wlab_session_print(s,
                       "run %s, %lld %s: accuracy %s\n"
                       "balanced accuracy %s, precision %s, recall %s, F1 %s, AUC %s\n"
                       "confusion: positives %lld right, %lld wrong; negatives %lld right, %lld wrong\n",
                       wlab_run_name(run), (long long)sc.n, bag_words(b, sc.n),
                       wlab_eval_number(sc.accuracy, t[0]), wlab_eval_number(sc.balanced_accuracy, t[1]),
                       wlab_eval_number(sc.precision, t[2]), wlab_eval_number(sc.recall, t[3]),
                       wlab_eval_number(sc.f1, t[4]), wlab_eval_number(sc.auc, t[5]), (long long)sc.tp,
                       (long long)sc.fn, (long long)sc.tn, (long long)sc.fp);
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "type",
        "eval", "run", wlab_run_name(run), "set", name, "test", b->test, "n", (json_int_t)sc.n, "skipped",
        (json_int_t)sc.skipped, "iter", (json_int_t)wlab_run_iter(run), "accuracy",
        wlab_json_real(sc.accuracy), "balanced_accuracy", wlab_json_real(sc.balanced_accuracy), "precision",
        wlab_json_real(sc.precision), "recall", wlab_json_real(sc.recall), "f1", wlab_json_real(sc.f1), "auc",
        wlab_json_real(sc.auc), "tp", (json_int_t)sc.tp, "fn", (json_int_t)sc.fn, "fp", (json_int_t)sc.fp,
        "tn", (json_int_t)sc.tn);
    if (known) {
        wlab_session_print(s,
                           "key instances: %lld found in %lld bag%s predicted positive; %lld relevant bag%s\n"
                           "success rate %s of relevant bags, %s of predicted ones, together %s\n",
                           (long long)keys.successes, (long long)keys.predicted, wlab_plural(keys.predicted),
                           (long long)keys.relevant, wlab_plural(keys.relevant),
                           wlab_eval_number(keys.of_relevant, t[0]),
                           wlab_eval_number(keys.of_predicted, t[1]), wlab_eval_number(keys.success, t[2]));
        if (o) {
            json_object_set_new(o, "relevant", json_integer(keys.relevant));
            json_object_set_new(o, "predicted_relevant", json_integer(keys.predicted));
            json_object_set_new(o, "roi_successes", json_integer(keys.successes));
            json_object_set_new(o, "success_relevant", wlab_json_real(keys.of_relevant));
            json_object_set_new(o, "success_rois", wlab_json_real(keys.of_predicted));
            json_object_set_new(o, "success", wlab_json_real(keys.success));
        }
    }
    wlab_session_object(s, o);
    return WL_OK;
}

static wlab_code score_llp(wlab_session *s, const wlab_run *run, const char *name, const wlab_bags_scored *b,
                           wlab_err *err)
{
    double sum, most;
    char t[3][32];
    double off = 0; /* not whole if the given proportions are not those of whole rows */
    const int64_t given = wlab_proportion_errors(&b->o, b->proportion, &sum, &most);
    for (int64_t k = 0; k < b->o.n; k++)
        if (!isnan(b->proportion[b->o.bag[k]]))
            off += fabs(b->proportion[b->o.bag[k]] * (double)b->o.size[k] - (double)b->o.positives[k]);
    off = round(off * 1e6) / 1e6; /* a proportion is a rounded quotient */
    wlab_code code = wlab_session_mark(s, err, "eval set=%s n=%lld off=%.10g", name, (long long)given, off);
    if (code)
        return code;
    wlab_session_print(
        s,
        "run %s, %lld %s: bag error %s (sum of |p - predicted p|, Eq. 23), mean %s, largest %s; "
        "%.6g row%s too many or too few\n",
        wlab_run_name(run), (long long)given, bag_words(b, given), wlab_eval_number(sum, t[0]),
        wlab_eval_number(given ? sum / (double)given : NAN, t[1]), wlab_eval_number(most, t[2]), off,
        off == 1 ? "" : "s");
    wlab_session_object(
        s, json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:o, s:o, s:o, s:o}", "type", "eval", "run",
                     wlab_run_name(run), "set", name, "test", b->test, "n", (json_int_t)given, "iter",
                     (json_int_t)wlab_run_iter(run), "total_proportion_error", wlab_json_real(sum),
                     "proportion_error", wlab_json_real(given ? sum / (double)given : NAN),
                     "largest_proportion_error", wlab_json_real(most), "rows_off", wlab_json_real(off)));
    return WL_OK;
}

wlab_code wlab_session_bags(wlab_bags_scored *b, wlab_session *s, const wlab_run *run, const char *name,
                            wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_slot *slot = wlab_session_slot_of(s, p->data);
    wlab_code code = wlab_bags_scored_collect(b, p, slot ? slot->test : NULL, slot ? slot->ntest : 0,
                                              strcmp(name, "bags") != 0, err);
    if (code)
        return code;
    code = wlab_session_predict_bags(s, run, p->data, b->row, b->n, b->bag, b->bags, b->f, &b->o, err);
    if (code)
        wlab_bags_scored_clear(b);
    return code;
}

wlab_code wlab_eval_bags(wlab_session *s, const wlab_run *run, const char *name, wlab_err *err)
{
    wlab_bags_scored b;
    wlab_code code = wlab_session_bags(&b, s, run, name, err);

    if (code)
        return code;
    code = wlab_run_problem(run)->task->scored == WL_SCORED_PROPORTIONS ? score_llp(s, run, name, &b, err)
                                                                        : score_mil(s, run, name, &b, err);
    wlab_bags_scored_clear(&b);
    return code;
}
