/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every algorithm in the table, on problems drawn at random, with extreme parameters.  If a run reports that it
 * converged, the rule that `help` prints holds for its metrics.  If it reports that it stalled or reached a limit, it
 * also says why.  Lower bounds are not above upper bounds, except by rounding.
 */
#include "drawn.h"

#include "weaklab/expr.h"
#include <time.h>

enum {
    RUNS = REPEATS(30), /* runs of each algorithm */
    DRAWS = 8000,       /* draws in which these must be found */
    STEPS = 40,         /* steps of a run, at most */
    /* of processor time; then a run is not continued: with an extreme kernel the trees of bb take minutes */
    MOST_SECONDS = 5,
    NAMES_MOST = 100
};

/* ---- the rule ---- */

/* The names that a rule may use, and their values. */
typedef struct names {
    const char *name[NAMES_MOST];
    double value[NAMES_MOST];
    int metrics, n;
} names;

static void add_name(names *s, const char *name, double value)
{
    assert_true(s->n < NAMES_MOST);
    s->name[s->n] = name;
    s->value[s->n++] = value;
}

/* Collects the names that a rule may use: the metrics, first_objective, and the numeric parameters whose name is not
 * that of a metric. */
static void collect_names(names *s, const wlab_algo *algo, const wlab_params *params)
{
    s->n = 0;
    for (const wlab_metric_info *m = algo->metrics; m->name; m++)
        add_name(s, m->name, NAN);
    s->metrics = s->n;
    add_name(s, "first_objective", NAN);
    for (const wlab_param_info *p = algo->params; p->name; p++) {
        if (wlab_metric_index(algo, p->name) >= 0)
            continue;
        double value = p->type == WL_P_REAL ? wlab_params_real(params, p->name) : NAN;
        const char *said = strstr(p->meaning, "default ");
        if (p->type == WL_P_REAL && isnan(value) &&
            said) /* which it is depends on others: as the meaning says */
            value = strtod(said + strlen("default "), NULL);
        if (p->type == WL_P_REAL)
            add_name(s, p->name, value);
        else if (p->type == WL_P_INT && wlab_params_text(params, p->name))
            add_name(s, p->name, (double)wlab_params_int(params, p->name));
    }
}

/* out = the rule with NAME=CHOICE replaced by 1 > 0 or 0 > 1. */
static void decide_choices(const wlab_params *params, const char *rule, char *out, size_t size)
{
    size_t len = 0;
    while (*rule) {
        const size_t word = strspn(rule, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const size_t choice =
            word && rule[word] == '=' ? strspn(rule + word + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;
        char name[40];
        if (choice > 0) {
            snprintf(name, sizeof name, "%.*s", (int)word, rule);
            const char *now = wlab_params_text(params, name);
            const bool is = now && strncmp(now, rule + word + 1, choice) == 0 && !now[choice];
            len += (size_t)snprintf(out + len, size - len, is ? "1 > 0" : "0 > 1");
            rule += word + 1 + choice;
        } else {
            const size_t keep = word ? word : 1;
            len += (size_t)snprintf(out + len, size - len, "%.*s", (int)keep, rule);
            rule += keep;
        }
        assert_true(len < size);
    }
}

/* Whether the rule holds after some step of this binary classifier (0: the run has only one). */
static bool rule_held(const wlab_run *run, const wlab_expr *rule, names *s, int classifier)
{
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);
    const int whose = wlab_metric_index(wlab_run_algo(run), "classifier"),
              objective = wlab_metric_index(wlab_run_algo(run), "objective");
    bool found = false;

    s->value[s->metrics] = NAN;
    for (int64_t i = 1; i < rows && !found; i++) {
        if (classifier > 0 && row[i].metric[whose] != classifier)
            continue;
        memcpy(s->value, row[i].metric, (size_t)s->metrics * sizeof *s->value);
        if (isnan(s->value[s->metrics]))
            s->value[s->metrics] = row[i].metric[objective];
        found = wlab_expr_true(rule, s->value, NULL, NULL);
    }
    return found;
}

static void assert_converged(const wlab_run *run, const drawn *d)
{
    const wlab_algo *algo = wlab_run_algo(run);
    const wlab_params *params = wlab_run_params(run);
    const int whose = wlab_metric_index(algo, "classifier");
    char text[400], shown[1500];
    size_t len = 0;
    wlab_expr *rule;
    names s;
    wlab_err err;

    collect_names(&s, algo, params);
    decide_choices(params, algo->converged, text, sizeof text);
    ASSERT_OK(wlab_expr_create(&rule, text, s.name, s.n, &err), err);
    for (int classifier = whose >= 0; classifier <= (whose >= 0 ? wlab_run_problem(run)->classes : 0);
         classifier++)
        if (!rule_held(run, rule, &s, classifier)) {
            for (int i = 0; i < s.n && len < sizeof shown; i++)
                len += (size_t)snprintf(shown + len, sizeof shown - len, " %s=%.17g", s.name[i], s.value[i]);
            fail_msg("%s\nconverged after step %lld, but not: %s\n%s", d->line, (long long)wlab_run_iter(run),
                     text, shown);
        }
    wlab_expr_destroy(rule);
}

/* ---- runs ---- */

typedef struct heard {
    int words; /* notes and warnings of the last unit */
    char last[300];
} heard;

static void keep_words(void *sink, const wlab_event *event)
{
    heard *h = sink;
    if (event->kind == WL_EV_NOTE || event->kind == WL_EV_WARNING) {
        h->words++;
        snprintf(h->last, sizeof h->last, "%s", event->text);
    }
}

static double shown(const wlab_run *run, const double *metric, const char *name)
{
    const int k = wlab_metric_index(wlab_run_algo(run), name);
    return k < 0 ? NAN : metric[k];
}

/* Gaps are not negative.  No lower bound is above an upper one by more than 1e-6 of it.  The gap agrees with relgap and
 * with the difference of the bounds. */
static void assert_bounds(const wlab_run *run, const drawn *d)
{
    static const char *const gaps[] = {"gap", "inner_gap", "master_gap", "violation"};
    const wlab_trace_row *row;
    const int64_t rows = wlab_run_trace(run, &row);

    for (int64_t i = 1; i < rows; i++) {
        const double *m = row[i].metric, lower = shown(run, m, "lower"), upper = shown(run, m, "upper");
        for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++)
            if (shown(run, m, gaps[k]) < 0)
                fail_msg("%s\nstep %lld: %s is %.17g", d->line, (long long)i, gaps[k],
                         shown(run, m, gaps[k]));
        if (lower > upper + 1e-6 * fabs(upper) + 1e-9)
            fail_msg("%s\nstep %lld: lower %.17g, upper %.17g", d->line, (long long)i, lower, upper);
        const double gap = shown(run, m, "gap"), relgap = shown(run, m, "relgap"), differs = upper - lower;
        if (wlab_metric_index(wlab_run_algo(run), "gap") >= 0 &&
            (isnan(gap) != isnan(relgap) || fabs(gap - relgap * fabs(upper)) > 1e-12 * gap))
            fail_msg("%s\nstep %lld: gap %.17g, relgap %.17g, upper %.17g", d->line, (long long)i, gap,
                     relgap, upper);
        if (fabs(gap - differs) > 1e-6 * (fabs(upper) + fabs(lower)) + 1e-9)
            fail_msg("%s\nstep %lld: gap %.17g, upper - lower %.17g", d->line, (long long)i, gap, differs);
    }
}

/* Runs a session to its end and makes all checks; returns the verdict, or -1 after an error. */
static int end_of(const drawn *d)
{
    wlab_run *run = wlab_session_run(d->s);
    heard h = {0};
    wlab_ctx ctx = {.emit = keep_words, .sink = &h};
    wlab_err err;
    bool did, outer;
    wlab_code code = WL_OK;

    const clock_t began = clock();
    for (int u = 0; u < 50 * STEPS && wlab_run_iter(run) < STEPS && wlab_run_verdict(run) == WL_MORE &&
                    !code && clock() - began < MOST_SECONDS * CLOCKS_PER_SEC;
         u++) {
        if (!wlab_run_algo(run)
                 ->phase_unit) /* with phases, the reason may have been reported at the end of a phase */
            h.words = 0;
        code = wlab_run_stepi(run, &ctx, &did, &outer, &err);
    }
    if (code && code != WL_ENUMERIC && code != WL_ESTATE && code != WL_EARG)
        fail_msg("%s\ncode %d, %s", d->line, (int)code, err.message);
    const wlab_verdict verdict = wlab_run_verdict(run);
    assert_bounds(run, d);
    if (verdict == WL_CONVERGED)
        assert_converged(run, d);
    if ((verdict == WL_STALLED || verdict == WL_LIMIT) && h.words == 0)
        fail_msg("%s\n%s, and no note or warning says why", d->line, wlab_verdict_names[verdict]);
    return code ? -1 : (int)verdict;
}

/* Cases found by trial. */
static void test_found(void **state)
{
    static const struct {
        const char *line;
        wlab_verdict verdict, or ; /* or: on other processors, where the last bits differ */
    } found[] = {
        {.line =
             "generate ring-clusters n=40 rings=2 seed=311; task supervised; algo bb kernel=linear C1=1e9",
         .verdict = WL_STALLED},
        {.line = "generate two-moons n=12 seed=1; task ssl labeled=4; algo bb kernel=linear bias=1000000",
         .verdict = WL_STALLED},
        {.line = "generate topics n=40 d=21 labeled=0 meanlen=1 seed=498; scale zscore; task llp bagsize=2 "
                 "eps=0; "
                 "algo wellsvm kernel=linear bias=1 C1=100 C2=2 search=linf bound=diagonal mtol=1",
         .verdict = WL_CONVERGED},
        {.line = "generate blobs n=18 spread=6 seed=924; task ssl labeled=9; algo svm C=1e9",
         .verdict = WL_CONVERGED,
         .or = WL_STALLED},
        {.line =
             "generate blobs n=18 spread=6 seed=924; task ssl labeled=9; algo svm C=1e9 backend=liblinear",
         .verdict = WL_LIMIT},
        {.line = "generate blobs n=12 spread=0 seed=854; task cluster balance=0.5; algo kmeans iterations=1 "
                 "seed=2",
         .verdict = WL_LIMIT},
        {.line =
             "generate two-moons n=12 noise=0.35 seed=207; task supervised; algo mfn kernel=poly degree=2 "
             "coef0=1000000 newton=paper",
         .verdict = WL_STALLED},
    };
    (void)state;
    for (size_t k = 0; k < sizeof found / sizeof *found; k++) {
        drawn d;
        wlab_err err;
        snprintf(d.line, sizeof d.line, "%s", found[k].line);
        ASSERT_OK(drawn_open(&d, 1, &err), err);
        const int verdict = end_of(&d);
        if (verdict != (int)found[k].verdict && !(found[k].or &&verdict == (int)found[k].or))
            fail_msg("%s: %s", d.line, verdict < 0 ? "an error" : wlab_verdict_names[verdict]);
        wlab_session_destroy(d.s);
    }
}

static void test_drawn(void **state)
{
    (void)state;
    for (int a = 0; wlab_algos[a]; a++) {
        wlab_rng rng;
        int runs = 0, refused = 0, ended[4] = {0};
        wlab_rng_seed(&rng, 3 + (uint64_t)a);
        for (int draws = 0; draws < DRAWS && runs < RUNS; draws++) {
            drawn d;
            if (!drawn_create(&d, wlab_algos[a], &rng, DRAWN_EXTREME, 1))
                continue;
            const int verdict = end_of(&d);
            runs++;
            if (verdict < 0)
                refused++;
            else
                ended[verdict]++;
            wlab_session_destroy(d.s);
        }
        print_message("%-12s %d runs: %d converged, %d stalled, %d at a limit, %d went on, %d refused\n",
                      wlab_algos[a]->name, runs, ended[WL_CONVERGED], ended[WL_STALLED], ended[WL_LIMIT],
                      ended[WL_MORE], refused);
        assert_int_equal(runs, RUNS);
    }
}

static void test_words(void **state)
{
    static const struct {
        wlab_verdict verdict;
        wlab_certified c;
        const char *text, *whole;
    } words[] = {
        {WL_CONVERGED, {1e-9, NULL, NAN, 1}, "proven", "proven"},
        {WL_CONVERGED, {0.0549, NULL, NAN, 1}, "converged, 5.5 % open", "5.5 % open"},
        {WL_CONVERGED, {NAN, "relaxation", 2, NAN}, "converged", ""},
        {WL_LIMIT, {0, NULL, NAN, 1}, "limit, 0 % open", "0 % open"},
        {WL_LIMIT, {0.21, NULL, NAN, 1}, "limit, 21 % open", "21 % open"},
        {WL_STALLED, {INFINITY, NULL, NAN, -INFINITY}, "stalled", ""},
        {WL_MORE, {0.5, NULL, NAN, 1}, "more", ""},
        {WL_MORE, {0.5, "relaxation", 2, 1}, "more", ""},
        {WL_CONVERGED, {1e-9, "relaxation", NAN, 1}, "converged, relaxation proven", "relaxation proven"},
        {WL_CONVERGED,
         {1e-9, "relaxation", 5.61234, 1.06},
         "converged, relaxation proven",
         "relaxation proven; the labeling that predicts: objective 5.612, bound 1.06"},
        {WL_LIMIT,
         {0.05, "relaxation", 2, 1},
         "limit, relaxation 5 % open",
         "relaxation 5 % open; the labeling that predicts: objective 2, bound 1"}};
    char buf[160];
    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        assert_string_equal(wlab_verdict_text(words[k].verdict, &words[k].c, buf, sizeof buf), words[k].text);
        assert_string_equal(wlab_verdict_open_whole(words[k].verdict, &words[k].c, buf, sizeof buf),
                            words[k].whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_found),
                                       cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
