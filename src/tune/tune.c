/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cross-validation: for each fold, every candidate is trained without the fold and scored on it, but of candidates that
 * are the same problem there (`same` of the algorithm) only the first is trained.  Scores are computed from the labels
 * that the problem gives; only clustering, which has none, uses the true labels, and says so.
 */
#include "weaklab/tune.h"
#include "base/progress.h"
#include "model/model.h"
#include "tune/folds.h"
#include "weaklab/run.h"
#include "weaklab/score.h"
#include <math.h>
#include <string.h>

enum measure {
    BY_AUTO,
    BY_ACCURACY,
    BY_BALANCED,
    BY_AUC,
    BY_F1
};
static const char *const by_names[] = {"auto", "accuracy", "balanced-accuracy", "auc", "f1", NULL};

const wlab_param_info wlab_tune_params[] = {
    {.name = "folds",
     .type = WL_P_INT,
     .fallback = "5",
     .lo = 2,
     .hi = 1e9,
     .meaning =
         "the number of parts into which the labelled rows (or the bags) are divided; as many as these, or "
         "more: each is held out alone"},
    {.name = "by",
     .type = WL_P_CHOICE,
     .fallback = "auto",
     .choices = by_names,
     .meaning =
         "the score on the held-out rows (mil: bags); auto: accuracy; llp: the sum of |p - predicted p| "
         "over the held-out bags"},
    {.name = "warm",
     .type = WL_P_BOOL,
     .fallback = "no",
     .meaning = "one run continues through the candidates that differ only in settings that `set` may "
                "change: faster, but "
                "the result depends on the earlier candidates"},
    {.name = "seed",
     .type = WL_P_INT,
     .fallback = "1",
     .lo = 0,
     .hi = 0x1p53,
     .meaning = "decides which rows are in which fold"},
    {0},
};

/* One fold: the problem to train on, and the held-out instances. */
typedef struct part {
    wlab_problem *problem;
    int32_t *held; /* [n] indices into the whole problem */
    int64_t n;
    wlab_matrix *X; /* [n] their rows */
    int64_t at;     /* index of its first output among those of all parts */
} part;

typedef struct tuning {
    wlab_problem *p;
    const wlab_candidate *c;
    int n;
    const char *until;
    bool warm;
    part *part;
    int parts;
    int64_t total;    /* held-out instances of all parts */
    int outputs;      /* of a model */
    double *f;        /* [n x total x outputs] */
    bool *failed;     /* [n] could not be trained */
    int *first;       /* [n] the first candidate of the same path (see same_path) */
    int failed_first; /* the candidate whose error is in `failure`; n: none yet */
    char *failure;
    wlab_progress progress;
    wlab_ctx *ctx, quiet; /* quiet: for the runs, without events */
    wlab_err *err;
} tuning;

/* ---- training and held-out rows ---- */

/* of[c]: the number of labelled rows (mil: bags) of class c. */
static void count_labelled(const wlab_problem *p, int64_t of[WL_CLASSES_MOST])
{
    memset(of, 0, WL_CLASSES_MOST * sizeof *of);
    for (int64_t b = 0; p->bag_given && b < p->bags; b++)
        of[p->bag_given[b] > 0.5]++;
    for (int64_t i = 0; !p->bag_given && i < p->n; i++)
        if (p->visible[i])
            of[wlab_label_index(p, p->visible[i])]++;
}

/* Whether `p`, a problem without one fold, can be trained: it has labels of at least two classes, and of every class of
 * which the whole problem has labels. */
static bool has_all_classes(const wlab_problem *p, const wlab_problem *whole)
{
    int64_t of[WL_CLASSES_MOST], all[WL_CLASSES_MOST];
    int classes = 0;

    if (p->task->sees == WL_SEES_PROPORTIONS)
        return true;
    if (p->task->sees == WL_SEES_POSITIVES)
        return p->labelled > 0 && p->unlabelled > 0;
    count_labelled(p, of);
    count_labelled(whole, all);
    for (int k = 0; k < p->classes; k++) {
        if (all[k] && !of[k])
            return false;
        classes += of[k] > 0;
    }
    return classes > 1;
}

static void part_clear(part *t)
{
    wlab_problem_unref(t->problem);
    wlab_matrix_destroy(t->X);
    wlab_free(t->held);
    *t = (part){0};
}

/* Hold out the instances with fold[i] == f (fold NULL: all with a true label). */
static wlab_code hold_out(part *t, const wlab_problem *p, const int32_t *fold, int f, wlab_err *err)
{
    wlab_code code;
    int32_t *row = wlab_alloc((size_t)p->n, sizeof *row);

    t->held = wlab_alloc((size_t)p->n, sizeof *t->held);
    if (!row || !t->held) {
        wlab_free(row);
        return wlab_nomem(err);
    }
    t->n = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (fold ? fold[i] == f : p->truth[i] != 0) {
            row[t->n] = p->row[i];
            t->held[t->n++] = (int32_t)i;
        }
    code = wlab_matrix_rows(&t->X, p->data->X, row, t->n, err);
    wlab_free(row);
    return code;
}

/* Make the parts of k folds; a fold without which the problem cannot be trained is left out. */
static wlab_code make_parts(tuning *t, int k, uint64_t seed, wlab_tuned *out)
{
    wlab_folds folds = {0};
    wlab_code code = wlab_folds_create(&folds, t->p, k, seed, t->err);

    if (!code && !(t->part = wlab_calloc((size_t)folds.k, sizeof *t->part)))
        code = wlab_nomem(t->err);
    for (int f = 0; !code && f < folds.k; f++) {
        part *now = &t->part[t->parts++];

        code = wlab_problem_without(&now->problem, t->p, &folds, f, t->err);
        if (!code && !has_all_classes(now->problem, t->p)) {
            part_clear(now);
            t->parts--;
            continue;
        }
        if (!code)
            code = hold_out(now, t->p, folds.fold, f, t->err);
        now->at = t->total;
        t->total += now->n;
    }
    wlab_folds_clear(&folds);
    if (code)
        return code;
    out->folds = t->parts;
    if (t->parts > 0)
        return WL_OK;
    int64_t of[WL_CLASSES_MOST];
    int least = 0;
    count_labelled(t->p, of);
    for (int c = 1; c < t->p->classes; c++)
        least = of[c] < of[least] ? c : least;
    if (t->p->classes > 2)
        return wlab_fail(
            t->err, WL_EARG,
            "tune needs two labelled rows of each class, so that one can be held out; of class %s there "
            "%s %lld: give more labels",
            wlab_problem_class(t->p, wlab_label_at(t->p, least)), of[least] == 1 ? "is" : "are",
            (long long)of[least]);
    return wlab_fail(t->err, WL_EARG,
                     "tune needs two labelled %s of each class, so that one can be held out; there are %lld "
                     "positive and %lld negative ones: give more labels",
                     t->p->bag_given ? "bags" : "rows", (long long)of[1], (long long)of[0]);
}

/* Clustering holds nothing out: one part, whose score is that of all training rows with a true label. */
static wlab_code make_whole_part(tuning *t)
{
    wlab_code code;

    if (!(t->part = wlab_calloc(1, sizeof *t->part)))
        return wlab_nomem(t->err);
    t->parts = 1;
    t->part->problem = wlab_problem_ref(t->p);
    code = hold_out(t->part, t->p, NULL, 0, t->err);
    t->total = t->part->n;
    if (!code && t->total == 0)
        code =
            wlab_fail(t->err, WL_EARG,
                      "tune scores clusters with the true labels of the training rows, and %s has none that "
                      "it can use: give `task cluster positive=CLASS`, or choose the settings by hand",
                      t->p->data->name);
    return code;
}

/* ---- scores ---- */

static wlab_code choose_measure(const tuning *t, const wlab_params *options, enum measure *by,
                                wlab_tuned *out)
{
    static const char *const of_rows[] = {NULL, "accuracy", "balanced accuracy", "AUC", "F1"};
    static const char *const of_bags[] = {NULL, "bag accuracy", "balanced bag accuracy", "bag AUC", "bag F1"};
    const wlab_task *task = t->p->task;
    const bool proportions = task->scored == WL_SCORED_PROPORTIONS;
    const bool positives = task->sees == WL_SEES_POSITIVES;
    const char *only = proportions ? "bag error"
                       : positives ? "accuracy estimated by the class prior"
                                   : "accuracy under the best matching";

    *by = (enum measure)wlab_params_choice(options, "by");
    out->oracle = task->sees == WL_SEES_NO_LABELS;
    out->lower = proportions;
    if (proportions || positives || task->clusters) {
        out->by = only;
        if (*by == BY_AUTO || (*by == BY_ACCURACY && !proportions))
            return WL_OK;
        return wlab_fail(t->err, WL_EARG, "by=%s: the task %s is only scored by the %s: leave by= out",
                         wlab_params_text(options, "by"), t->p->task->name, only);
    }
    *by = *by == BY_AUTO ? BY_ACCURACY : *by;
    if (t->p->classes > 2 && *by == BY_AUC)
        return wlab_fail(t->err, WL_EARG, "by=auc is for two classes; use accuracy, balanced-accuracy or f1");
    if (t->p->classes > 2 && *by == BY_F1) {
        out->by = "macro-F1";
        return WL_OK;
    }
    out->by = task->scored == WL_SCORED_BAGS ? of_bags[*by] : of_rows[*by];
    return WL_OK;
}

static wlab_code score_of(const double *f, const int8_t *sign, int64_t n, enum measure by, double *score,
                          wlab_err *err)
{
    wlab_scores s;

    wlab_score(f, sign, n, &s);
    if (isnan(s.auc) && s.tp + s.fn > 0 && s.tn + s.fp > 0) /* f is finite, so memory ran out */
        return wlab_nomem(err);
    *score = by == BY_BALANCED ? s.balanced_accuracy : by == BY_AUC ? s.auc : by == BY_F1 ? s.f1 : s.accuracy;
    return WL_OK;
}

/* The score of the bags' outputs against their labels, or the sum over bags of |p - predicted p|.  Where the model gives
 * outputs of whole bags, f holds these for each of their rows. */
static wlab_code score_bags(const tuning *t, wlab_bag_rule rule, const double *f, enum measure by,
                            double *score, int64_t *scored)
{
    const wlab_problem *p = t->p;
    int32_t *bag = wlab_alloc((size_t)t->total, sizeof *bag);
    int8_t *sign = wlab_alloc((size_t)p->bags, 1);
    wlab_bag_outputs o = {0};
    wlab_code code = bag && sign ? WL_OK : wlab_nomem(t->err);

    for (int k = 0; !code && k < t->parts; k++)
        for (int64_t i = 0; i < t->part[k].n; i++)
            bag[t->part[k].at + i] = p->bag[t->part[k].held[i]];
    code = code ? code
                : wlab_bag_outputs_make(&o, rule == WL_BAG_WHOLE ? WL_BAG_LARGEST : rule, f, NULL, bag,
                                        t->total, p->bags, t->err);
    *scored = o.n;
    if (!code && p->task->scored == WL_SCORED_PROPORTIONS) {
        double most;
        *scored = wlab_proportion_errors(&o, p->bag_given, score, &most);
    } else if (!code) {
        for (int64_t b = 0; b < o.n; b++)
            sign[b] = p->bag_given[o.bag[b]] > 0.5 ? 1 : -1;
        code = score_of(o.top, sign, o.n, by, score, t->err);
    }
    wlab_bag_outputs_clear(&o);
    wlab_free(bag);
    wlab_free(sign);
    return code;
}

/* For more than two classes. */
static wlab_code score_classes(const tuning *t, const int8_t *label, const int8_t *truth, enum measure by,
                               double *score)
{
    const wlab_problem *p = t->p;
    const bool cluster = p->task->clusters;
    wlab_class_scores s;
    wlab_code code = wlab_score_classes(&s, label, p->classes, truth, cluster ? p->truths : p->classes,
                                        t->total, cluster, t->err);
    if (code)
        return code;
    *score = by == BY_BALANCED ? s.balanced_accuracy : by == BY_F1 ? s.macro_f1 : s.accuracy;
    wlab_class_scores_clear(&s);
    return WL_OK;
}

/* Positive and unlabelled rows: 1 - (pi FN + max(0, U - pi TP)), where FN and TP are the fractions of the labelled rows that
 * are predicted negative and positive, and U that of the unlabelled ones predicted positive: the expected accuracy on the
 * mixture, without the max an unbiased estimate of it.  NaN without rows of both kinds. */
static double expected_accuracy(const tuning *t, const double *f)
{
    int64_t of[2] = {0, 0}, above[2] = {0, 0};

    for (int k = 0; k < t->parts; k++)
        for (int64_t i = 0; i < t->part[k].n; i++) {
            const bool labelled = t->p->visible[t->part[k].held[i]] > 0;
            of[labelled]++;
            above[labelled] += f[t->part[k].at + i] > 0;
        }
    const double right = (double)above[1] / (double)of[1], positive = (double)above[0] / (double)of[0];
    return of[0] && of[1] ? 1 - (t->p->r * (1 - right) + fmax(0, positive - t->p->r * right)) : (double)NAN;
}

static wlab_code score_rows(const tuning *t, const double *f, enum measure by, double *score, int64_t *scored)
{
    const bool cluster = t->p->task->clusters, nothing = t->p->task->sees == WL_SEES_NO_LABELS;
    int8_t *sign = wlab_alloc((size_t)t->total, 1), *labels = wlab_alloc((size_t)t->total, 1);
    wlab_code code = WL_OK;

    if (!sign || !labels) {
        wlab_free(sign);
        wlab_free(labels);
        return wlab_nomem(t->err);
    }
    for (int k = 0; k < t->parts; k++)
        for (int64_t i = 0; i < t->part[k].n; i++) {
            int64_t at = t->part[k].at + i;
            int32_t held = t->part[k].held[i];

            sign[at] = nothing ? t->p->truth[held] : t->p->visible[held];
            labels[at] = wlab_label_at(t->p, wlab_decide(f + at * t->outputs, t->outputs));
        }
    if (t->p->task->sees == WL_SEES_POSITIVES)
        *score = expected_accuracy(t, f);
    else if (t->p->classes > 2)
        code = score_classes(t, labels, sign, by, score);
    else if (cluster)
        *score = wlab_matching_accuracy(labels, sign, t->total);
    else
        code = score_of(f, sign, t->total, by, score, t->err);
    *scored = t->total;
    wlab_free(sign);
    wlab_free(labels);
    return code;
}

static wlab_code score_candidates(tuning *t, enum measure by, wlab_tuned *out)
{
    int trained = 0;

    for (int i = 0; i < t->n; i++) {
        const double *f = t->f + (int64_t)i * t->total * t->outputs;
        wlab_code code;

        out->score[i] = NAN;
        if (t->failed[i])
            continue;
        trained++;
        code = wlab_folds_of_bags(t->p)
                   ? score_bags(t, t->c[i].algo->bag_rule, f, by, &out->score[i], &out->scored)
                   : score_rows(t, f, by, &out->score[i], &out->scored);
        if (code)
            return code;
        double gain = out->best < 0 ? 1 : out->score[i] - out->score[out->best];
        if (!isnan(out->score[i]) && (out->lower && out->best >= 0 ? gain < 0 : gain > 0))
            out->best = i;
    }
    if (out->best >= 0)
        return WL_OK;
    if (trained > 0)
        return wlab_fail(t->err, WL_EARG,
                         "the %s has no value on the %lld held-out rows: choose another by=", out->by,
                         (long long)t->total);
    return wlab_fail(t->err, WL_EARG, "none of the candidates could be trained; the first: %s",
                     t->failure ? t->failure : "out of memory");
}

/* ---- training ---- */

/* Whether they differ only in what `set` may change. */
static bool same_path(const wlab_candidate *a, const wlab_candidate *b)
{
    if (a->algo != b->algo)
        return false;
    for (const wlab_param_info *p = a->algo->params; p->name; p++)
        if (!(p->flags & WL_P_MUTABLE) && !wlab_params_agree(a->params, b->params, p->name))
            return false;
    return true;
}

/* Change the settings of `run` to those of candidate c.  False: `set` cannot do that (it cannot
 * remove a given setting, and it may refuse a value; `run` is then partly changed), and the candidate needs a run of its
 * own. */
static bool change_candidate(wlab_run *run, const wlab_candidate *c)
{
    for (const wlab_param_info *p = c->algo->params; p->name; p++)
        if (wlab_params_given(wlab_run_params(run), p->name) && !wlab_params_given(c->params, p->name))
            return false;
    for (const wlab_param_info *p = c->algo->params; p->name; p++)
        if (wlab_params_given(c->params, p->name) &&
            !wlab_params_agree(c->params, wlab_run_params(run), p->name) &&
            wlab_run_set(run, p->name, wlab_params_text(c->params, p->name), NULL))
            return false;
    return true;
}

static wlab_code run_to_end(wlab_run *run, const char *until, wlab_ctx *ctx, wlab_err *err)
{
    const char *const *names;
    wlab_expr *expr = NULL;
    wlab_code code = WL_OK;
    bool did = true;
    int n = wlab_run_names(run, &names), missing;

    if (until)
        code = wlab_expr_create(&expr, until, names, n, err);
    while (!code && did && wlab_run_verdict(run) == WL_MORE) {
        code = wlab_run_step(run, ctx, &did, err);
        if (!code && expr && wlab_run_holds(run, expr, &missing))
            break;
    }
    wlab_expr_destroy(expr);
    return code;
}

/* Each held-out row gets the output of its bag. */
static wlab_code predict_bags(const wlab_model *model, const part *now, const wlab_problem *p, double *f,
                              wlab_ctx *ctx, wlab_err *err)
{
    int32_t *bag = wlab_alloc((size_t)now->n, sizeof *bag);
    double *whole = wlab_calloc((size_t)p->bags, sizeof *whole);
    wlab_code code = bag && whole ? WL_OK : wlab_nomem(err);

    for (int64_t i = 0; !code && i < now->n; i++)
        bag[i] = p->bag[now->held[i]];
    code =
        code ? code : wlab_model_predict_bags(model, now->X, NULL, NULL, bag, p->bags, whole, ctx->pool, err);
    for (int64_t i = 0; !code && i < now->n; i++)
        f[i] = whole[bag[i]];
    wlab_free(bag);
    wlab_free(whole);
    return code;
}

static wlab_code predict(const wlab_run *run, const part *now, const wlab_problem *p, double *f,
                         wlab_ctx *ctx, wlab_err *err)
{
    const wlab_matrix *X = now->X;
    wlab_model *model = NULL;
    wlab_code code = wlab_run_algo(run)->model(wlab_run_state(run), &model, ctx, err);

    if (!code)
        code = model->bagged ? predict_bags(model, now, p, f, ctx, err)
                             : wlab_model_predict_progress(model, X, f, ctx, err);
    for (int64_t i = 0; !code && i < X->rows * model->outputs; i++)
        if (!isfinite(f[i]))
            code = wlab_fail(err, WL_ENUMERIC, "an output is not a finite number");
    wlab_model_destroy(model);
    return code;
}

/* Candidate i could not be trained: leave it out.  Lack of memory and Ctrl-C end the tuning. */
static wlab_code on_failure(tuning *t, int i, wlab_code code)
{
    char *text;

    if (code == WL_EINTERRUPTED)
        return wlab_fail(t->err, code, "interrupted: no candidate was chosen");
    if (code == WL_ENOMEM)
        return code;
    t->failed[i] = true;
    if (i >= t->failed_first)
        return WL_OK;
    text = wlab_format("%s: %s", t->c[i].text, t->err ? t->err->message : "");
    if (!text)
        return wlab_nomem(t->err);
    wlab_free(t->failure);
    t->failure = text;
    t->failed_first = i;
    return WL_OK;
}

static double *outputs_of(const tuning *t, const part *now, int i)
{
    return t->f + ((int64_t)i * t->total + now->at) * t->outputs;
}

/* Train candidate i on one part.  *run: the run to continue, or NULL; afterwards the run to continue with the next
 * candidate, or NULL. */
static wlab_code train(tuning *t, const part *now, int i, wlab_run **run)
{
    const wlab_candidate *c = &t->c[i];
    wlab_code code = WL_OK;

    if (*run && !change_candidate(*run, c)) {
        wlab_run_destroy(*run);
        *run = NULL;
    }
    if (!*run)
        code = wlab_run_create(run, "tune", 0, now->problem, c->algo, c->params, 1, &t->quiet, t->err);
    if (!code)
        code = run_to_end(*run, t->until, &t->quiet, t->err);
    if (!code)
        code = predict(*run, now, t->p, outputs_of(t, now, i), &t->quiet, t->err);
    if (code || !t->warm) {
        wlab_run_destroy(*run);
        *run = NULL;
    }
    return code;
}

/* Copies the outputs of an earlier candidate that is the same on this part's rows, if there is one.  Not with warm=yes, where
 * results depend on the candidates before. */
static bool copy_same(tuning *t, const part *now, int i)
{
    const wlab_candidate *c = &t->c[i];
    for (int k = 0; k < i && !t->warm && c->algo->same; k++)
        if (t->c[k].algo == c->algo && !t->failed[k] &&
            c->algo->same(now->problem, t->c[k].params, c->params)) {
            memcpy(outputs_of(t, now, i), outputs_of(t, now, k),
                   (size_t)(now->n * t->outputs) * sizeof *t->f);
            return true;
        }
    return false;
}

/* Train the candidates of the path that begins with candidate `first`, in order. */
static wlab_code train_path(tuning *t, const part *now, int first)
{
    wlab_run *run = NULL;
    wlab_code code = WL_OK;

    for (int i = first; !code && i < t->n; i++) {
        if (t->first[i] != first)
            continue;
        if (!t->failed[i] && !copy_same(t, now, i) && (code = train(t, now, i, &run)))
            code = on_failure(t, i, code);
        wlab_progress_add(&t->progress, 1);
    }
    wlab_run_destroy(run);
    return code;
}

static wlab_code prepare(tuning *t, wlab_tuned *out)
{
    size_t n = (size_t)t->n;

    if (t->n < 1)
        return wlab_fail(t->err, WL_EARG, "there are no candidates to choose from");
    for (int i = 0; i < t->n; i++)
        if (!wlab_algo_suits(t->c[i].algo, t->p->task, 2))
            return wlab_fail(t->err, WL_EARG, "%s does not solve the task %s", t->c[i].algo->name,
                             t->p->task->name);
    t->failed = wlab_calloc(n, sizeof *t->failed);
    t->first = wlab_alloc(n, sizeof *t->first);
    out->score = wlab_calloc(n, sizeof *out->score);
    if (!t->failed || !t->first || !out->score)
        return wlab_nomem(t->err);
    for (int i = 0; i < t->n; i++) {
        t->first[i] = i;
        for (int k = 0; t->warm && k < i && t->first[i] == i; k++)
            if (t->first[k] == k && same_path(&t->c[k], &t->c[i]))
                t->first[i] = k;
    }
    return WL_OK;
}

wlab_code wlab_tune(wlab_tuned *tuned, wlab_problem *p, const wlab_candidate *list, int n,
                    const wlab_params *options, const char *until, wlab_ctx *ctx, wlab_err *err)
{
    wlab_err local;
    wlab_tuned out = {.candidates = n, .best = -1};
    tuning t = {.p = p,
                .c = list,
                .n = n,
                .until = until,
                .warm = wlab_params_bool(options, "warm"),
                .failed_first = n,
                .outputs = wlab_problem_outputs(p),
                .ctx = ctx,
                .err = err ? err : &local};
    enum measure by;
    wlab_code code = prepare(&t, &out);

    t.quiet = wlab_quiet(ctx);
    t.quiet.lean = !until; /* a condition may use bounds, which a lean run does not compute */
    if (!code)
        code = choose_measure(&t, options, &by, &out);
    if (!code)
        code = out.oracle ? make_whole_part(&t)
                          : make_parts(&t, (int)wlab_params_int(options, "folds"),
                                       (uint64_t)wlab_params_int(options, "seed"), &out);
    if (!code && !(t.f = wlab_alloc((size_t)n * (size_t)t.total * (size_t)t.outputs, sizeof *t.f)))
        code = wlab_nomem(err);
    wlab_progress_begin(&t.progress, ctx, "trainings", (int64_t)n * t.parts);
    for (int k = 0; !code && k < t.parts; k++)
        for (int i = 0; !code && i < n; i++)
            if (t.first[i] == i)
                code = train_path(&t, &t.part[k], i);
    if (!code)
        code = score_candidates(&t, by, &out);
    for (int k = 0; k < t.parts; k++)
        part_clear(&t.part[k]);
    wlab_free(t.part);
    wlab_free(t.f);
    wlab_free(t.failed);
    wlab_free(t.first);
    out.failure = t.failure;
    if (code)
        wlab_tuned_clear(&out);
    else
        *tuned = out;
    return code;
}

void wlab_tuned_clear(wlab_tuned *t)
{
    wlab_free(t->score);
    wlab_free(t->failure);
    *t = (wlab_tuned){0};
}
