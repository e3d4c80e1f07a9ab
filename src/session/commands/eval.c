/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eval: scores the current run's model.
 */
#include "data/share.h"
#include "run/predict.h"
#include "session/commands/commands.h"
#include "session/commands/eval_bags.h"
#include "session/commands/eval_baseline.h"
#include "session/commands/eval_bayes.h"
#include "session/commands/eval_classes.h"
#include "session/jobs/stepping.h"
#include "weaklab/score.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct predicting {
    const wlab_run *run;
    const wlab_dataset *data;
    const int32_t *rows;
    int64_t n;
    double *f;
    const int32_t *bag; /* [n] or NULL: outputs of rows only */
    int64_t bags;
    wlab_bag_outputs *o;
} predicting;

static wlab_code predict(void *self, wlab_ctx *ctx, wlab_err *err)
{
    const predicting *p = self;
    if (p->bag)
        return wlab_state_predict_bags(wlab_run_algo(p->run), wlab_run_state(p->run), p->data, p->rows, p->n,
                                       p->bag, p->bags, p->f, p->o, ctx, err);
    return wlab_state_predict(wlab_run_algo(p->run), wlab_run_state(p->run), p->data, p->rows, p->n, p->f,
                              ctx, err);
}

wlab_code wlab_session_predict(wlab_session *s, const wlab_run *run, const wlab_dataset *data,
                               const int32_t *rows, int64_t n, double *f, wlab_err *err)
{
    predicting job = {.run = run, .data = data, .rows = rows, .n = n, .f = f};
    return wlab_session_call(s, predict, &job, err);
}

wlab_code wlab_session_predict_bags(wlab_session *s, const wlab_run *run, const wlab_dataset *data,
                                    const int32_t *rows, int64_t n, const int32_t *bag, int64_t bags,
                                    double *f, wlab_bag_outputs *o, wlab_err *err)
{
    predicting job = {
        .run = run, .data = data, .rows = rows, .n = n, .f = f, .bag = bag, .bags = bags, .o = o};
    return wlab_session_call(s, predict, &job, err);
}

/* Warns if the outputs f [n x outputs] of several rows all decide for the same class. */
static void say_one_class(wlab_session *s, const wlab_problem *p, const double *f, int64_t n,
                          const char *rows)
{
    if (n < 2)
        return;
    const int outputs = wlab_problem_outputs(p), only = wlab_decide(f, outputs);
    for (int64_t i = 1; i < n; i++)
        if (wlab_decide(f + i * outputs, outputs) != only)
            return;
    if (p->task->clusters)
        wlab_session_say(s, "warning: the model puts all %lld %s into one cluster", (long long)n, rows);
    else
        wlab_session_say(s, "warning: the model predicts one class only, %s, for all %lld %s",
                         wlab_problem_class(p, wlab_label_at(p, only)), (long long)n, rows);
}

void wlab_session_warn_collapse(wlab_session *s, const wlab_run *run)
{
    enum {
        MOST = 2000 /* rows, evenly chosen */
    };
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_trace_row *row;
    const int64_t steps = wlab_run_trace(run, &row), n = p->n < MOST ? p->n : MOST;
    const int m = wlab_metric_of(wlab_run_algo(run), WL_R_OBJECTIVE);
    int32_t *pick = wlab_alloc((size_t)n, sizeof *pick);
    double *f = wlab_alloc((size_t)(n * wlab_problem_outputs(p)), sizeof *f);

    if (m >= 0 && steps > 0 && fabs(row[steps - 1].metric[m]) <= 0)
        wlab_session_say(s, "warning: the objective is 0: the run has nothing to fit, so its model "
                            "means nothing");
    for (int64_t i = 0; pick && p->row && i < n; i++)
        pick[i] = p->row[i * p->n / n];
    if (pick && f && p->row && wlab_session_predict(s, run, p->data, pick, n, f, NULL) == WL_OK)
        say_one_class(s, p, f, n, n < p->n ? "training rows that were tried" : "training rows");
    wlab_free(pick);
    wlab_free(f);
}

/* The rows that are scored. */
typedef struct rows_scored {
    const char *name;
    const wlab_dataset *data;
    int32_t *row;
    int64_t n;
    int8_t *labels; /* the run's own labels of these rows (0: none), or NULL */
    bool copies;    /* mil: the rows' labels are copies of their bags' */
} rows_scored;

static wlab_code reserve_rows(rows_scored *set, int64_t n, bool labels, wlab_err *err)
{
    set->row = wlab_alloc((size_t)n + 1, sizeof *set->row);
    set->labels = labels ? wlab_alloc((size_t)n + 1, sizeof *set->labels) : NULL;
    return set->row && (set->labels || !labels) ? WL_OK : wlab_nomem(err);
}

static wlab_code rows_of_problem(rows_scored *set, const wlab_run *run, bool hidden_only, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const int8_t *now = wlab_run_labels(run);
    wlab_code code = reserve_rows(set, p->n, true, err);
    for (int64_t i = 0; !code && i < p->n; i++)
        if (!hidden_only || p->visible[i] == 0) {
            set->labels[set->n] = now[i];
            set->row[set->n++] = p->row[i];
        }
    return code;
}

static wlab_code rows_of_test(rows_scored *set, const wlab_session *s, const wlab_run *run, wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_slot *slot = wlab_session_slot_of(s, p->data);
    if (!slot || slot->ntest == 0)
        return wlab_fail(
            err, WL_ESTATE,
            "no rows of %s are held out: `split test=0.25 seed=1` before `task`, or score the rows whose "
            "labels were hidden with `eval unlabeled`",
            p->data->name);
    wlab_code code = reserve_rows(set, slot->ntest, false, err);
    /* both lists of rows are ascending */
    for (int64_t i = 0, k = 0; !code && i < slot->ntest; i++) {
        while (k < p->n && p->row[k] < slot->test[i])
            k++;
        if (k < p->n && p->row[k] == slot->test[i])
            code = wlab_fail(
                err, WL_ESTATE,
                "run %s was trained on row %ld, which the later split holds out: set the task and start "
                "a run again",
                wlab_run_name(run), (long)slot->test[i] + 1);
        else
            set->row[set->n++] = slot->test[i];
    }
    return code;
}

static wlab_code rows_of_data(rows_scored *set, const wlab_session *s, const char *name, wlab_err *err)
{
    const wlab_slot *slot = wlab_session_find_slot(s, name);
    if (!slot) {
        const char *known[69] = {"test", "unlabeled", "train", "bags", "train-bags"};
        size_t n = 5;
        for (int i = 0; i < s->held.nslots && n < 69; i++)
            known[n++] = s->held.slot[i].data->name;
        const char *near = wlab_nearest(name, known, n);
        if (near)
            return wlab_fail(err, WL_EARG, "no rows \"%.60s\" to score; did you mean \"%s\"?", name, near);
        return wlab_fail(err, WL_EARG,
                         "no rows \"%.60s\" to score: test, unlabeled, train, bags, train-bags, or the name "
                         "of a loaded data set",
                         name);
    }
    set->data = slot->data;
    wlab_code code = reserve_rows(set, slot->data->X->rows, false, err);
    for (int64_t i = 0; !code && i < slot->data->X->rows; i++)
        set->row[set->n++] = (int32_t)i;
    return code;
}

/* The fraction of the run's own labels that are right; NaN if no row has both a label and a truth. */
static double agreement(const int8_t *labels, const int8_t *truth, int64_t n)
{
    int64_t known = 0, right = 0;
    for (int64_t i = 0; labels && i < n; i++)
        if (labels[i] && truth[i]) {
            known++;
            right += labels[i] == truth[i];
        }
    return known ? (double)right / (double)known : NAN;
}

void wlab_eval_say_labeling(wlab_session *s, const wlab_run *run, const char *rows, double right)
{
    char text[32];

    if (isfinite(right) && wlab_run_problem(run)->unlabelled > 0)
        wlab_session_print(
            s,
            "note: the labels that the run itself gives (`explain labels`) are right on %s of the %s rows\n",
            wlab_eval_number(right, text), rows);
}

static void print_scores(wlab_session *s, const wlab_run *run, const rows_scored *set, const wlab_scores *sc,
                         const wlab_beside *beside, const wlab_best *best, double labels, bool same,
                         bool cluster)
{
    char a[32], b[32], c[32], d[32], e[32], f[32];
    wlab_session_print(s, "run %s, %s: %s%s on %lld row%s%s%s", wlab_run_name(run), set->name,
                       cluster ? "accuracy under the best matching " : "accuracy ",
                       wlab_eval_number(sc->accuracy, a), (long long)sc->n, wlab_plural(sc->n), beside->words,
                       sc->skipped ? "" : "\n");
    if (sc->skipped)
        wlab_session_print(s, " (%lld without a true label left out)\n", (long long)sc->skipped);
    if (!cluster)
        wlab_session_print(s,
                           "balanced accuracy %s, precision %s, recall %s, F1 %s, AUC %s\n"
                           "confusion: positives %lld right, %lld wrong; negatives %lld right, %lld wrong\n",
                           wlab_eval_number(sc->balanced_accuracy, b), wlab_eval_number(sc->precision, c),
                           wlab_eval_number(sc->recall, d), wlab_eval_number(sc->f1, e),
                           wlab_eval_number(sc->auc, f), (long long)sc->tp, (long long)sc->fn,
                           (long long)sc->tn, (long long)sc->fp);
    if (beside->cut[0])
        wlab_session_print(s, "%s", beside->cut);
    if (best)
        wlab_session_print(s,
                           "the sign of the formula, the best on average: accuracy %s (expected %s; over the "
                           "box %.6f +- %.1g)\n",
                           wlab_eval_number(best->accuracy, a), wlab_eval_number(best->expected, b),
                           1 - best->error, best->deviation);
    if (set->copies)
        wlab_session_print(
            s, "(the rows' labels are copies of their bags' labels: the classes of single rows are unknown; "
               "`eval bags` scores bags)\n");
    if (!same && fabs(labels - sc->accuracy) >= 0.00005) /* as printed */
        wlab_eval_say_labeling(s, run, set->name, labels);
}

static void report(wlab_session *s, const wlab_run *run, const rows_scored *set, const wlab_scores *sc,
                   const wlab_beside *beside, const wlab_best *best, double labels, bool same, bool cluster)
{
    if (sc->n)
        print_scores(s, run, set, sc, beside, best, labels, same, cluster);
    json_t *o =
        json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:o}", "type", "eval", "run", wlab_run_name(run), "set",
                  wlab_json_text(set->name), "n", (json_int_t)sc->n, "skipped", (json_int_t)sc->skipped,
                  "iter", (json_int_t)wlab_run_iter(run), "accuracy", wlab_json_real(sc->accuracy));
    if (o && !cluster) {
        json_object_set_new(o, "balanced_accuracy", wlab_json_real(sc->balanced_accuracy));
        json_object_set_new(o, "precision", wlab_json_real(sc->precision));
        json_object_set_new(o, "recall", wlab_json_real(sc->recall));
        json_object_set_new(o, "f1", wlab_json_real(sc->f1));
        json_object_set_new(o, "auc", wlab_json_real(sc->auc));
        json_object_set_new(o, "tp", json_integer(sc->tp));
        json_object_set_new(o, "fn", json_integer(sc->fn));
        json_object_set_new(o, "fp", json_integer(sc->fp));
        json_object_set_new(o, "tn", json_integer(sc->tn));
    }
    if (o && beside->object)
        json_object_set(o, "baseline", beside->object);
    if (o && best)
        json_object_set_new(o, "bayes", wlab_eval_best_object(best));
    if (o && set->copies)
        json_object_set_new(o, "copies", json_true());
    if (o && set->labels)
        json_object_set_new(o, "label_accuracy", wlab_json_real(labels));
    wlab_session_object(s, o);
}

/* The mark that `replay --check` compares: counts, because they do not differ by rounding between machines. */
static wlab_code mark_scores(wlab_session *s, const rows_scored *set, const wlab_scores *sc, bool cluster,
                             wlab_err *err)
{
    wlab_buf name = {0};
    wlab_code code = wlab_buf_quote(&name, set->name) ? wlab_nomem(err) : WL_OK;

    if (!code && cluster)
        code =
            wlab_session_mark(s, err, "eval set=%s n=%lld matched=%lld", (const char *)name.data,
                              (long long)sc->n, sc->n ? (long long)llround(sc->accuracy * (double)sc->n) : 0);
    else if (!code)
        code = wlab_session_mark(s, err, "eval set=%s n=%lld tp=%lld fn=%lld fp=%lld tn=%lld",
                                 (const char *)name.data, (long long)sc->n, (long long)sc->tp,
                                 (long long)sc->fn, (long long)sc->fp, (long long)sc->tn);
    wlab_buf_clear(&name);
    return code;
}

static void clear_rows(rows_scored *set)
{
    set->row = wlab_free(set->row);
    set->labels = wlab_free(set->labels);
}

/* Selects the rows that `name` names; NULL: the default rows. */
static wlab_code select_rows(rows_scored *set, const wlab_session *s, const wlab_run *run, const char *name,
                             wlab_err *err)
{
    const wlab_problem *p = wlab_run_problem(run);
    const wlab_slot *slot = wlab_session_slot_of(s, p->data);
    wlab_code code;

    *set = (rows_scored){.data = p->data,
                         .name = name                                ? name
                                 : p->task->scored == WL_SCORED_BAGS ? "bags"
                                 : slot && slot->ntest               ? "test"
                                 : p->unlabelled                     ? "unlabeled"
                                                                     : "train"};
    if (wlab_eval_of_bags(set->name))
        return wlab_eval_bags_check(run, err);
    if (strcmp(set->name, "test") == 0)
        code = rows_of_test(set, s, run, err);
    else if (strcmp(set->name, "train") == 0 || strcmp(set->name, "unlabeled") == 0)
        code = rows_of_problem(set, run, set->name[0] == 'u', err);
    else
        code = rows_of_data(set, s, set->name, err);
    if (!code && set->data && set->data->share)
        code = wlab_fail(
            err, WL_ESTATE,
            "`eval` reads the values of all rows, but those of '%s' are spread over ranks: load test "
            "rows without ranks=all, and `eval` them by name",
            set->data->name);
    if (!code && set->n == 0)
        code = strcmp(set->name, "unlabeled") == 0
                   ? wlab_fail(err, WL_ESTATE, "the task %s hides no labels: there are no unlabeled rows",
                               p->task->name)
                   : wlab_fail(err, WL_ESTATE, "there are no rows to score");
    return code;
}

static wlab_code score_rows(wlab_session *s, const wlab_run *run, rows_scored *set, wlab_err *err)
{
    wlab_problem *p = wlab_run_problem(run);
    bool cluster = p->task->clusters;
    double *f = wlab_alloc((size_t)(set->n + 1) * (size_t)wlab_problem_outputs(p), sizeof *f), labels = NAN;
    int8_t *truth = wlab_alloc((size_t)set->n + 1, sizeof *truth),
           *predicted = wlab_alloc((size_t)set->n + 1, sizeof *predicted);
    wlab_scores scores;
    wlab_beside beside = {0};
    wlab_best best;
    const bool known = set->data->formula && !cluster;
    wlab_code code = f && truth && predicted ? WL_OK : wlab_nomem(err);

    if (!code && set->data != p->data && set->data->X->cols != p->data->X->cols)
        wlab_session_say(s, "warning: %s has %ld column%s, the model has %ld: %s", set->data->name,
                         (long)set->data->X->cols, wlab_plural(set->data->X->cols), (long)p->data->X->cols,
                         set->data->X->cols < p->data->X->cols ? "the missing ones count as 0"
                                                               : "the others are ignored");
    if (!code)
        code = wlab_session_predict(s, run, set->data, set->row, set->n, f, err);
    if (!code)
        say_one_class(s, p, f, set->n, "rows");
    for (int64_t i = 0; !code && i < set->n; i++)
        truth[i] = (int8_t)wlab_problem_truth(p, set->data, set->row[i]);
    if (!code)
        code = wlab_eval_baseline(&beside, s, run, set->data, set->row, set->n, f, truth, err);
    if (!code && known)
        code = wlab_eval_best(&best, s, set->data, set->row, set->n, err);
    if (!code && p->classes > 2) {
        int64_t scored = 0;
        code = wlab_eval_classes(s, run, set->name, &beside, f, set->labels, truth, set->n, &scored, err);
        if (!code && scored == 0)
            wlab_session_say(s, "no true labels of the %s rows are known, so there is nothing to score",
                             set->name);
    } else if (!code) {
        for (int64_t i = 0; i < set->n; i++)
            predicted[i] = f[i] > 0 ? 1 : -1;
        wlab_score(f, truth, set->n, &scores);
        set->copies = wlab_problem_copies(p, set->data);
        labels = cluster || set->copies ? NAN : agreement(set->labels, truth, set->n);
        if (cluster) {
            scores.accuracy = wlab_matching_accuracy(predicted, truth, set->n);
            labels = set->labels ? wlab_matching_accuracy(set->labels, truth, set->n) : NAN;
        }
        code = mark_scores(s, set, &scores, cluster, err);
    }
    if (!code && p->classes == 2) {
        report(s, run, set, &scores, &beside, known ? &best : NULL, labels,
               set->labels && memcmp(set->labels, predicted, (size_t)set->n) == 0, cluster);
        if (scores.n == 0 && p->positive < 0 && p->data->classes > 2)
            wlab_session_say(s,
                             "nothing to score: %s has %d classes, and the task does not say which one is "
                             "positive: `task %s positive=%s`, say",
                             p->data->name, p->data->classes, p->task->name, p->data->class_name[0]);
        else if (scores.n == 0)
            wlab_session_say(s, "no true labels of the %s rows are known, so there is nothing to score%s",
                             set->name,
                             p->task->scored == WL_SCORED_PROPORTIONS && set->data == p->data
                                 ? ": `eval bags` scores proportions"
                                 : "");
    }
    json_decref(beside.object);
    wlab_free(f);
    wlab_free(truth);
    wlab_free(predicted);
    return code;
}

/* All names are checked before the first is scored: if one cannot be scored, nothing is printed but the error. */
static wlab_code eval(wlab_session *s, const wlab_args *args, wlab_err *err)
{
    wlab_run *run = NULL;
    rows_scored set = {0};
    int n = args->nwords ? args->nwords : 1;

    if (args->nsettings)
        return wlab_fail(
            err, WL_EARG,
            "eval takes names of rows: test, unlabeled, train, bags, train-bags, or a data set's "
            "name");
    wlab_code code = wlab_session_need_run(s, &run, err);
    for (int k = 0; !code && k < n; k++) {
        for (int i = 0; !code && i < k; i++)
            if (strcmp(args->word[i], args->word[k]) == 0)
                code = wlab_fail(err, WL_EARG, "%.60s is named twice; keep one", args->word[k]);
        code = code ? code : select_rows(&set, s, run, args->nwords ? args->word[k] : NULL, err);
        if (n > 1)
            clear_rows(&set);
    }
    for (int k = 0; !code && k < n; k++) {
        code = n > 1 ? select_rows(&set, s, run, args->word[k], err) : code;
        if (!code)
            code = wlab_eval_of_bags(set.name) ? wlab_eval_bags(s, run, set.name, err)
                                               : score_rows(s, run, &set, err);
        if (n > 1)
            clear_rows(&set);
    }
    clear_rows(&set);
    return code;
}

static void offer(wlab_offers *o, const wlab_session *s)
{
    static const char *const word[] = {"test", "unlabeled", "train", "bags", "train-bags", NULL};
    static const char *const meaning[] = {"the rows that `split` held out",
                                          "the training rows whose labels were hidden", "all training rows",
                                          "the bags held out, else the training bags", "the training bags"};
    char note[64];

    wlab_offers_list(o, word, meaning);
    for (int i = 0; i < s->held.nslots; i++) {
        const wlab_dataset *d = s->held.slot[i].data;
        snprintf(note, sizeof note, "%lld x %ld", (long long)d->X->rows, (long)d->X->cols);
        wlab_offers_add(o, d->name, note, "all rows of this data set", 0);
    }
}

const wlab_command wlab_cmd_eval = {
    .name = "eval",
    .usage = "eval [test|unlabeled|train|bags|train-bags|NAME...]",
    .summary = "score the current run's model",
    .help =
        "Predicts with the current run's model as it is now and compares the predictions with the true "
        "labels. Several sets of rows are scored one after another: `eval unlabeled test`.\n"
        "  test        the rows that `split` held out\n"
        "  unlabeled   the training rows whose labels were hidden\n"
        "  train       all training rows\n"
        "  bags        tasks mil and llp: the bags that `split` held out, or the\n"
        "              training bags if none are held out\n"
        "  train-bags  tasks mil and llp: the training bags\n"
        "  NAME        all rows of another loaded data set\n"
        "`eval` alone scores bags in task mil. In other tasks it scores the first of test, unlabeled and "
        "train that has rows.\n"
        "\n"
        "For two classes: accuracy, balanced accuracy, precision, recall, F1, AUC and the confusion "
        "counts. For more classes: accuracy, balanced accuracy, macro-F1 and the confusion matrix. For "
        "clusters: the accuracy under the best matching of clusters to classes; for more than two clusters "
        "also the normalised mutual information and the adjusted Rand index.\n"
        "\n"
        "In a task with labelled and unlabelled rows eval also trains the supervised SVM on the labelled "
        "(pu: with the unlabelled ones as negatives) "
        "rows, with the kernel of the run and C=1, and scores it on the same rows: `(svm C=1: "
        "0.8100, p = 0.022)`, or with the kernel if that is not linear. p is that of "
        "McNemar's test: below 0.05 the two differ by more than chance on these rows. Most algorithms know "
        "the fraction of positives r, and the SVM does not. If the same SVM, with the threshold by which "
        "that "
        "fraction of the unlabelled rows is positive, compares otherwise, a line `but with r=` says so: then "
        "the "
        "difference came from r.\n"
        "\n"
        "For data of `generate formula` the accuracy of the best possible classifier, the sign of the "
        "formula, is printed too: on these labels, on average over other labels of these rows, and on "
        "average over the box (1 - the Bayes error, with the standard error of its integration).\n"
        "\n"
        "In task mil a bag is predicted positive if the largest output of its instances is above 0 (some "
        "algorithms have another rule: `help ALGORITHM`). If the "
        "data have labels of single instances, key instances are scored too. The key instance of a "
        "positive bag is found if the bag is predicted positive and the instance with its largest output "
        "is positive by its own label. With relevant for truly positive, the success rates are found / "
        "relevant bags, found / bags predicted relevant, and 2 found / (relevant + predicted relevant) (Li "
        "et al. 2013, Eqs. 39 and 40). `plot roi` and `plot bags` also count instances of bags that are "
        "predicted negative, so their numbers can be larger.\n"
        "\n"
        "In task llp the score of a bag is the distance of its predicted proportion of positives from the "
        "given one (for a held-out bag without a given one, from its true one): printed are the sum over "
        "the bags (Eq. 23 of Yu et al.), the mean and the largest.",
    .flags = WL_C_SHOWS | WL_C_SHARED,
    .execute = eval,
    .offer = offer,
};
