/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bracket across algorithms.  For equal lambda, costs, kernel, feature of ones and number of negatives, the
 * certified lower bound of WellSVM or of branch and bound is below the objective at any labeling with that many
 * negatives, such as those of TSVM and mean field annealing.  So is the optimum of the labelled rows alone.
 *
 * An algorithm that finds labelings of the very problem of WellSVM and branch and bound, but no bound (alternate), gets a
 * bracket with them, for any task and loss.  So do runs of two algorithms that bound this problem: a relaxation and a
 * tighter one, or the problem itself.
 */
#include "session/bracket.h"
#include "base/locale.h"
#include "model/kernel.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST = 8, /* differences named at most */
    WORDS = 1024
};
#define NEAR 1e-9 /* relative: settings are typed, 1/3 as 0.3333333333 */

/* The settings of a run that determine the problem it solves. */
typedef struct setup {
    const wlab_run *run;
    const wlab_problem *p;
    const wlab_params *params;
    bool certifies; /* wlab_algo_certifies: the value of its best labeling is its upper bound */
    bool bounds;    /* its algorithm has lower bounds */
    double lambda, weight, C1, C2, r; /* weight: lambda_u as typed; NaN: the costs C1 and C2 were given */
    int64_t negatives;
} setup;

static const char *text_of(const wlab_params *params, const char *name)
{
    return wlab_param_known(wlab_params_table(params), name) ? wlab_params_text(params, name) : NULL;
}

static bool text_is(const wlab_params *params, const char *name, const char *expected)
{
    const char *text = text_of(params, name);
    return text && !strcmp(text, expected);
}

static double real_of(const wlab_params *params, const char *name)
{
    double x;
    const char *text = text_of(params, name);
    return text && wlab_parse_real(text, &x) ? x : NAN;
}

/* The text in use of a setting; NULL: there is no such setting. */
static const char *words_in_use(const wlab_run *run, const char *name, char buf[WL_REAL_TEXT])
{
    const wlab_param_info *p = wlab_param_find(wlab_run_algo(run)->params, name);

    return p ? wlab_run_setting(run, p, NULL, buf) : NULL;
}

/* The value in use of a setting, or NaN. */
static double in_use(const wlab_run *run, const char *name)
{
    char number[WL_REAL_TEXT];
    double x;
    const char *text = words_in_use(run, name, number);
    return text && wlab_parse_real(text, &x) ? x : NAN;
}

static bool nearly_equal(double a, double b)
{
    return fabs(a - b) <= NEAR * fmax(fabs(a), fabs(b)) || (isnan(a) && isnan(b));
}

static double metric(const wlab_run *run, wlab_role role)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    return wlab_metric_value(wlab_run_algo(run), row[rows - 1].metric, role);
}

static bool evaluates(const wlab_run *run)
{
    return wlab_metric_of(wlab_run_algo(run), WL_R_BALANCED) >= 0;
}

/* false: the run neither evaluates nor bounds Eq. 7, or it trains several classifiers, of which the last one's values say
 * nothing about all. */
static bool read_setup(setup *s, const wlab_run *run)
{
    const wlab_params *params = wlab_run_params(run);
    const bool certifies = wlab_algo_certifies(wlab_run_algo(run), params);

    *s = (setup){.run = run,
                 .p = wlab_run_solved(run),
                 .params = params,
                 .certifies = certifies,
                 .bounds = wlab_metric_of(wlab_run_algo(run), WL_R_LOWER) >= 0};
    if ((!evaluates(run) && !certifies) || s->p->classes > 2) /* no bound for several classifiers */
        return false;
    s->weight = real_of(params, "lambda_u");
    s->lambda = real_of(params, "lambda");
    s->C1 = in_use(run, "C1");
    s->C2 = in_use(run, "C2");
    if (isnan(s->C1)) /* an algorithm of SVMlin's, whose costs are these */
        s->C1 = 1 / fmax((double)s->p->labelled, 1);
    if (isnan(s->C2))
        s->C2 = s->weight / fmax((double)s->p->unlabelled, 1);
    s->r = real_of(params, "r");
    s->r = isnan(s->r) ? s->p->r : s->r; /* auto, or wellsvm: the task's r, */
    s->r = isnan(s->r) ? 0.5 : s->r;     /* or 0.5 if the task has none */
    s->negatives = wlab_negatives(s->r, s->p->unlabelled);
    return true;
}

/* ---- differences between two problems ---- */

typedef struct list {
    char *buf;
    size_t size;
    int n;
} list;

static void WLAB_PRINTF(2, 3) append_difference(list *l, const char *fmt, ...)
{
    char text[WORDS];
    va_list ap;

    if (l->n++ >= MOST)
        return;
    va_start(ap, fmt);
    wlab_vprint(text, sizeof text, fmt, ap);
    va_end(ap);
    wlab_text_append(l->buf, l->size, "%s%s", l->n > 1 ? ", " : "", text);
}

static bool same_problem(const wlab_problem *a, const wlab_problem *b)
{
    size_t n = (size_t)a->n;
    return a == b ||
           (a->n == b->n && a->data == b->data && memcmp(a->visible, b->visible, n) == 0 &&
            (a->row == b->row || (a->row && b->row && !memcmp(a->row, b->row, n * sizeof *a->row))));
}

/* The kernel in use: for `auto`, the one it resolves to.  NULL: the algorithm has none. */
static const char *kernel_of(const setup *s)
{
    return text_of(s->params, "kernel") ? wlab_kernel_names[wlab_kernel_plain_kind(s->params, s->p->X)]
                                        : NULL;
}

/* The settings that the kernel of this name uses. */
static const char *const *kernel_settings(const char *kernel)
{
    static const char *const none[] = {NULL}, *const linear[] = {"graph", "rho", NULL},
                             *const rbf[] = {"gamma", "sigma", "graph", "rho", NULL},
                             *const poly[] = {"gamma", "degree", "coef0", "graph", "rho", NULL};
    return !kernel ? none : !strcmp(kernel, "rbf") ? rbf : !strcmp(kernel, "poly") ? poly : linear;
}

static void compare_setting(list *l, const setup *s, const setup *ref, const char *name)
{
    char number[2][WL_REAL_TEXT];
    const char *a = words_in_use(s->run, name, number[0]), *b = words_in_use(ref->run, name, number[1]);
    double x, y;

    if (!strcmp(name, "sigma") && text_of(s->params, "gamma") && text_of(ref->params, "gamma"))
        return; /* gamma is compared instead */
    if (a && b && wlab_parse_real(a, &x) && wlab_parse_real(b, &y) ? nearly_equal(x, y)
                                                                   : !strcmp(a ? a : "-", b ? b : "-"))
        return;
    append_difference(l, "%s=%.40s, not %.40s", name, a ? a : "-", b ? b : "-");
}

/* The words that are in use: auto may stand for the same as a word that was typed. */
static void compare_words(list *l, const setup *s, const setup *ref, const char *name)
{
    char number[2][WL_REAL_TEXT];
    const char *a = words_in_use(s->run, name, number[0]), *b = words_in_use(ref->run, name, number[1]);

    if (strcmp(a ? a : "-", b ? b : "-") != 0)
        append_difference(l, "%s=%.40s, not %.40s", name, a ? a : "-", b ? b : "-");
}

/* The columns of a factor in place of the kernel matrix, with which the problem is another one. */
static void compare_rank(list *l, const setup *s, const setup *ref)
{
    if (text_of(s->params, "kernel") && text_of(ref->params, "kernel"))
        compare_words(l, s, ref, "rank");
}

/* Settings that were changed, but with which no step was made yet. */
static void append_pending(list *l, const setup *s)
{
    for (const wlab_param_info *p = wlab_params_table(s->params); p->name; p++)
        if (wlab_run_pending(s->run, p->name))
            append_difference(l, "%s, which takes effect at the next step", p->name);
}

/* Whether its loss is the squared hinge; other settings than loss= may decide that. */
static bool squared(const setup *s)
{
    const wlab_algo *algo = wlab_run_algo(s->run);
    return text_is(s->params, "loss", "squared-hinge") &&
           (!algo->loss_of || algo->loss_of(s->params) == WL_LOSS_SQUARED_HINGE);
}

/* Write to buf, in words, what makes the problem of s another than that of ref.  Returns the number of differences. */
static int find_differences(const setup *s, const setup *ref, char *buf, size_t size)
{
    list l = {.buf = buf, .size = size};

    buf[0] = '\0';
    if (!same_problem(s->p, ref->p))
        append_difference(&l, "other rows or labels");
    else if (s->certifies && isnan(s->p->r))
        append_difference(&l, "the task %s, whose labelings may have other numbers of negatives",
                          s->p->task->name);
    else if (s->negatives != ref->negatives)
        append_difference(&l, "%lld negatives (r=%.6g), not %lld (r=%.6g)", (long long)s->negatives, s->r,
                          (long long)ref->negatives, ref->r);
    if (!squared(s))
        append_difference(&l, "loss=%s, not squared-hinge",
                          text_is(s->params, "loss", "squared-hinge") ? "hinge" : text_of(s->params, "loss"));
    const char *kernel = kernel_of(s), *ref_kernel = kernel_of(ref);
    if (kernel && ref_kernel && strcmp(kernel, ref_kernel) != 0)
        append_difference(&l, "kernel=%s, not %s", kernel, ref_kernel);
    else
        for (const char *const *name = kernel_settings(kernel); *name; name++)
            compare_setting(&l, s, ref, *name);
    compare_rank(&l, s, ref);
    compare_setting(&l, s, ref, "bias");
    if (!nearly_equal(s->lambda, ref->lambda))
        append_difference(&l, "lambda=%.6g, not %.6g", s->lambda, ref->lambda);
    bool weighted = !isnan(s->weight) && !isnan(ref->weight);
    if (weighted && !nearly_equal(s->weight, ref->weight))
        append_difference(&l, "lambda_u=%.6g, not %.6g", s->weight, ref->weight);
    if (!weighted && !nearly_equal(s->C1, ref->C1))
        append_difference(&l, "C1=%.6g, not 1/l = %.6g", s->C1, ref->C1);
    if (!weighted && !nearly_equal(s->C2, ref->C2))
        append_difference(&l, "C2=%.6g, not lambda_u/u = %.6g", s->C2, ref->C2);
    append_pending(&l, s);
    return l.n;
}

static bool same_labelset(const wlab_labelset *a, const wlab_labelset *b)
{
    const size_t n = (size_t)a->n, groups = (size_t)a->groups;
    return a == b || (a->n == b->n && a->groups == b->groups && memcmp(a->fixed, b->fixed, n) == 0 &&
                      memcmp(a->group, b->group, n * sizeof *a->group) == 0 &&
                      memcmp(a->lo, b->lo, groups * sizeof *a->lo) == 0 &&
                      memcmp(a->hi, b->hi, groups * sizeof *a->hi) == 0 &&
                      memcmp(a->low, b->low, groups * sizeof *a->low) == 0);
}

/* The same between two runs on the problem of wellsvm and bb. */
static int find_labeling_differences(const setup *s, const setup *ref, char *buf, size_t size)
{
    list l = {.buf = buf, .size = size};
    const char *kernel = kernel_of(s);

    buf[0] = '\0';
    if (!same_problem(s->p, ref->p) || !same_labelset(s->p->labels, ref->p->labels))
        append_difference(&l, "other rows, labels or label set");
    compare_words(&l, s, ref, "loss");
    if (kernel_of(ref) != kernel)
        append_difference(&l, "kernel=%s, not %s", kernel, kernel_of(ref));
    for (const char *const *name = kernel_settings(kernel); *name; name++)
        compare_setting(&l, s, ref, *name);
    compare_rank(&l, s, ref);
    compare_setting(&l, s, ref, "bias");
    if (!nearly_equal(s->lambda, ref->lambda))
        append_difference(&l, "lambda=%.6g, not %.6g", s->lambda, ref->lambda);
    if (!nearly_equal(s->C1, ref->C1))
        append_difference(&l, "C1=%.6g, not %.6g", s->C1, ref->C1);
    if (!nearly_equal(s->C2, ref->C2))
        append_difference(&l, "C2=%.6g, not %.6g", s->C2, ref->C2);
    append_pending(&l, s);
    return l.n;
}

/* The line that starts an algorithm on the problem of ref. */
static void line_for(const wlab_algo *algo, const setup *ref, char *buf, size_t size)
{
    char number[WL_REAL_TEXT];
    const char *kernel = kernel_of(ref), *bias = text_of(ref->params, "bias"),
               *lambda = text_of(ref->params, "lambda"), *weight = text_of(ref->params, "lambda_u");

    snprintf(buf, size, "algo %s kernel=%s", algo->name, kernel ? kernel : "linear");
    for (const char *const *name = kernel_settings(kernel); *name; name++) {
        const char *text = words_in_use(ref->run, *name, number);
        const bool without =
            (!strcmp(*name, "graph") || !strcmp(*name, "rho")) && text_is(ref->params, "graph", "none");
        if (text && !without && !(!strcmp(*name, "sigma") && text_of(ref->params, "gamma")))
            wlab_text_append(buf, size, " %s=%s", *name, text);
    }
    if (wlab_params_given(ref->params, "rank"))
        wlab_text_append(buf, size, " rank=%s", text_of(ref->params, "rank"));
    wlab_text_append(buf, size, " bias=%s loss=squared-hinge lambda=%s lambda_u=%s", bias ? bias : "0",
                     lambda ? lambda : "1", weight ? weight : "1");
}

/* ---- the bracket ---- */

/* The objective of the best labeling that a run has found. */
static double labeling_value(const setup *s)
{
    return metric(s->run, !s->certifies ? WL_R_UPPER : s->bounds ? WL_R_LABELING : WL_R_BEST);
}

typedef struct bounds {
    double lower, upper; /* NaN: none */
    const wlab_run *lower_of, *upper_of;
} bounds;

/* Takes a run's bounds into account.  Returns the value of its best labeling. */
static double offer_bounds(bounds *b, const setup *s)
{
    const double low = metric(s->run, WL_R_LOWER), up = labeling_value(s);

    if (isfinite(low) && !(low <= b->lower)) {
        b->lower = low;
        b->lower_of = s->run;
    }
    if (isfinite(up) && !(up >= b->upper)) {
        b->upper = up;
        b->upper_of = s->run;
    }
    return up;
}

/* Equal bounds may contradict each other by the solvers' tolerance. */
static void close_bounds(bounds *b)
{
    if (b->lower > b->upper && b->lower - b->upper <= 1e-6 * fabs(b->lower))
        b->lower = b->upper;
}

static void print_contradiction(wlab_session *s, const bounds *b)
{
    wlab_session_print(s, "the bounds contradict each other: %.9g of %s is above %.9g of %s\n", b->lower,
                       wlab_run_name(b->lower_of), b->upper, wlab_run_name(b->upper_of));
}

/* The first run whose problem another algorithm of these runs bounds, too. */
static setup bounded_twice(const wlab_run *const *run, int n)
{
    char words[WORDS];
    for (int k = 0; k < n; k++) {
        setup s, other;
        if (!read_setup(&s, run[k]) || !s.certifies)
            continue;
        for (int j = k + 1; j < n; j++)
            if (read_setup(&other, run[j]) && other.certifies &&
                wlab_run_algo(run[j]) != wlab_run_algo(run[k]) &&
                !find_labeling_differences(&other, &s, words, sizeof words))
                return s;
    }
    return (setup){0};
}

/* Prints the lower bounds of the runs that have one, if there are several, from the loosest to the tightest.  lower [n]:
 * NaN if there is none; it is NaN for all afterwards. */
static void print_lowers(wlab_session *s, const wlab_run *const *run, int n, double *lower)
{
    char line[WORDS] = "";
    int many = 0;
    for (int left = n; left > 0; left--) {
        int least = -1;
        for (int k = 0; k < n; k++)
            if (!isnan(lower[k]) && (least < 0 || lower[k] < lower[least]))
                least = k;
        if (least < 0)
            break;
        wlab_text_append(line, sizeof line, "%s%.6g (%s, %s)", many++ ? " <= " : "", lower[least],
                         wlab_run_name(run[least]), wlab_run_algo(run[least])->name);
        lower[least] = NAN;
    }
    if (many > 1)
        wlab_session_print(s, "lower bounds: %s\n", line);
}

/* Why a run that does not certify has no place in a bracket of labelings. */
static void say_apart(const wlab_run *run, char *buf, size_t size)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const char *setting = algo->departs ? algo->departs(wlab_run_params(run)) : NULL;
    snprintf(buf, size, "%s%s%s solves another problem", algo->name, setting ? " with " : "",
             setting ? setting : "");
}

static json_t *no_bracket(wlab_session *s, const wlab_run *run, const char *why)
{
    wlab_session_print(s, "no bracket for run %s: %s\n", wlab_run_name(run), why);
    return json_pack("{s:s, s:s}", "run", wlab_run_name(run), "why", why);
}

/* If a run would have a bracket with another of these runs but for a setting of its own, says so; else JSON null. */
static json_t *apart(wlab_session *s, const wlab_run *const *run, int n)
{
    char words[WORDS];
    for (int k = 0; k < n; k++) {
        const wlab_algo *algo = wlab_run_algo(run[k]);
        bool other = false;
        if (!algo->certifies || wlab_algo_certifies(algo, wlab_run_params(run[k])))
            continue;
        for (int j = 0; j < n; j++)
            other = other || (wlab_metric_of(wlab_run_algo(run[j]), WL_R_LOWER) >= 0 &&
                              wlab_algo_certifies(wlab_run_algo(run[j]), wlab_run_params(run[j])) &&
                              wlab_run_problem(run[j])->data == wlab_run_problem(run[k])->data);
        if (!other)
            continue;
        say_apart(run[k], words, sizeof words);
        return no_bracket(s, run[k], words);
    }
    return json_null();
}

/* The bracket of a run that only finds labelings, with the runs that bound the same problem, or of runs of several
 * algorithms that do; JSON null if there are no such runs. */
static json_t *labelings_bracket(wlab_session *s, const wlab_run *const *run, int n)
{
    setup ref = {0}, other;
    bounds b = {.lower = NAN, .upper = NAN};
    char words[WORDS];

    for (int k = 0; k < n && !ref.run; k++)
        if (read_setup(&other, run[k]) && other.certifies && !other.bounds)
            ref = other;
    if (!ref.run)
        ref = bounded_twice(run, n);
    int others = 0;
    for (int k = 0; k < n && ref.run; k++)
        others += run[k] != ref.run && wlab_algo_certifies(wlab_run_algo(run[k]), wlab_run_params(run[k])) &&
                  wlab_run_problem(run[k])->data == ref.p->data;
    if (!others)
        return ref.run ? json_null() : apart(s, run, n);
    double *lower = wlab_alloc((size_t)n, sizeof *lower);
    if (!lower)
        return json_null();
    json_t *runs = json_object(), *left_out = json_array();
    for (int k = 0; k < n; k++) {
        lower[k] = NAN;
        if (!read_setup(&other, run[k]) || !other.certifies)
            say_apart(run[k], words, sizeof words);
        else if (!find_labeling_differences(&other, &ref, words, sizeof words)) {
            const double value = offer_bounds(&b, &other), low = metric(run[k], WL_R_LOWER);
            lower[k] = isfinite(low) ? low : (double)NAN;
            if (isfinite(value))
                json_object_set_new(
                    runs, wlab_run_name(run[k]),
                    json_pack("{s:f, s:o}", "value", value, "lower", wlab_json_real(lower[k])));
            continue;
        }
        wlab_session_print(s, "%s is left out of the bracket of %s: %s\n", wlab_run_name(run[k]),
                           wlab_run_name(ref.run), words);
        json_array_append_new(
            left_out, json_pack("{s:s, s:o}", "run", wlab_run_name(run[k]), "why", wlab_json_text(words)));
    }
    close_bounds(&b);
    if (!b.lower_of || !b.upper_of)
        wlab_session_print(s, "no bracket yet: %s\n",
                           b.upper_of ? "no run of this problem has a lower bound"
                                      : "no run has made a step");
    else if (b.lower > b.upper)
        print_contradiction(s, &b);
    else
        wlab_session_print(
            s,
            "bracket: the smallest SVM objective of all labelings lies in [%.6g, %.6g] (lower bound of "
            "%s, labeling of %s)\n",
            b.lower, b.upper, wlab_run_name(b.lower_of), wlab_run_name(b.upper_of));
    print_lowers(s, run, n, lower);
    wlab_free(lower);
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "lower", wlab_json_real(b.lower), "upper",
                          wlab_json_real(b.upper), "runs", runs, "others", left_out);
    if (b.lower_of)
        json_object_set_new(o, "lower_of", json_string(wlab_run_name(b.lower_of)));
    if (b.upper_of)
        json_object_set_new(o, "upper_of", json_string(wlab_run_name(b.upper_of)));
    return o;
}

json_t *wlab_session_bracket(wlab_session *s, const wlab_run *const *run, int n)
{
    setup ref = {0}, other;
    bounds b = {.lower = NAN, .upper = NAN};
    const wlab_run *many = NULL;
    bool certified = false, alone = true, stepped = false;
    json_t *runs, *others, *o;
    char words[WORDS];

    for (int k = 0; k < n; k++) {
        bool two = evaluates(run[k]) && read_setup(&other, run[k]);
        if (two && !ref.run)
            ref = other;
        else if (evaluates(run[k]) && !two && !many)
            many = run[k];
    }
    if (!ref.run)
        return many ? no_bracket(s, many, "there is none for more than two classes")
                    : labelings_bracket(s, run, n);
    if (!text_is(ref.params, "loss", "squared-hinge"))
        return no_bracket(s, ref.run, "it is for loss=squared-hinge, the loss of Eq. 7");
    for (int k = 0; k < n; k++)
        alone = alone && (run[k] == ref.run || wlab_run_problem(run[k])->data != ref.p->data);
    if (alone)
        return json_null();
    runs = json_object();
    others = json_array();
    for (int k = 0; k < n; k++) {
        bool takes_part = read_setup(&other, run[k]);
        if (!takes_part)
            snprintf(words, sizeof words, "%s %s", wlab_run_algo(run[k])->name,
                     wlab_run_problem(run[k])->classes > 2 ? "has more than two classes to label"
                                                           : "does not evaluate Eq. 7");
        if (!takes_part || find_differences(&other, &ref, words, sizeof words)) {
            wlab_session_print(s, "%s is left out of the bracket of %s: %s\n", wlab_run_name(run[k]),
                               wlab_run_name(ref.run), words);
            json_array_append_new(
                others, json_pack("{s:s, s:o}", "run", wlab_run_name(run[k]), "why", wlab_json_text(words)));
            continue;
        }
        certified = certified || (other.certifies && other.bounds);
        stepped = stepped || wlab_run_iter(run[k]) > 0;
        const double up = offer_bounds(&b, &other);
        if (isfinite(up))
            json_object_set_new(runs, wlab_run_name(run[k]), json_pack("{s:f}", "value", up));
    }
    close_bounds(&b);
    if (b.lower_of && b.upper_of && b.lower > b.upper)
        print_contradiction(s, &b);
    else if (b.lower_of && b.upper_of)
        wlab_session_print(
            s,
            "bracket: the global optimum of Eq. 7 with %lld of %lld unlabelled rows negative lies "
            "in [%.6g, %.6g] (lower bound of %s, labeling of %s)\n",
            (long long)ref.negatives, (long long)ref.p->unlabelled, b.lower, b.upper,
            wlab_run_name(b.lower_of), wlab_run_name(b.upper_of));
    else
        wlab_session_print(s, "no bracket yet: %s\n",
                           b.upper_of ? "no run of this problem has a lower bound"
                           : stepped  ? "no run has found a labeling with that number of negatives"
                                      : "no run has made a step");
    for (int k = 0; k < n && b.lower_of; k++) {
        json_t *entry = json_object_get(runs, wlab_run_name(run[k]));
        double value = entry ? json_real_value(json_object_get(entry, "value")) : NAN;
        double percent = b.lower > 0        ? 100 * fmax(0, value - b.lower) / b.lower
                         : value <= b.lower ? 0
                                            : (double)NAN;
        if (!entry)
            continue;
        /* of the value, as in the words of a verdict; `percent` is of the lower bound */
        const double open = value > b.lower ? (value - b.lower) / fabs(value) : 0;
        char part[32];
        json_object_set_new(entry, "above", wlab_json_real(percent));
        json_object_set_new(entry, "open", wlab_json_real(open));
        if (isnan(percent))
            wlab_session_print(s, "  %s: its best labeling has %.6g\n", wlab_run_name(run[k]), value);
        else
            wlab_session_print(
                s,
                "  %s: its best labeling has %.6g; open: %s of it, so at most %.*f %% above the "
                "optimum\n",
                wlab_run_name(run[k]), value, wlab_percent(open, part),
                percent < 0.1  ? 6
                : percent < 10 ? 2
                               : percent < 100,
                percent);
    }
    o = json_pack("{s:o, s:o, s:I, s:o, s:o}", "lower", wlab_json_real(b.lower), "upper",
                  wlab_json_real(b.upper), "negatives", (json_int_t)ref.negatives, "runs", runs, "others",
                  others);
    if (b.lower_of)
        json_object_set_new(o, "lower_of", json_string(wlab_run_name(b.lower_of)));
    if (b.upper_of)
        json_object_set_new(o, "upper_of", json_string(wlab_run_name(b.upper_of)));
    if (certified || isnan(ref.p->r))
        return o;
    for (int k = 0; wlab_algos[k]; k++) {
        char line[WORDS];
        if (!wlab_algos[k]->suggest)
            continue;
        if (!wlab_algos[k]->suggest(ref.p, words, sizeof words)) {
            wlab_session_print(s, "%s\n", words);
            continue;
        }
        line_for(wlab_algos[k], &ref, line, sizeof line);
        wlab_session_print(s, "%s: %s\n", words, line);
        json_object_set_new(o, "line", wlab_json_text(line));
    }
    return o;
}
