/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bracket of `compare`: the bounds of wellsvm, which with integer=all has the true optimum, and artificial runs
 * that report a given number as the value of Eq. 7.
 */
#include "base/walk.h"
#include "support.h"

#include "model/kernel.h"
#include "talk.h"

/* ---- an algorithm that after one step reports its parameter `value` as its value ---- */

static const char *const losses[] = {"squared-hinge", "hinge", NULL};
static const wlab_param_info params[] = {
    WLAB_KERNEL_PARAMS("linear", "1"),
    {.name = "lambda", .type = WL_P_REAL, .fallback = "0.1", .lo = 0, .hi = HUGE_VAL, .flags = WL_P_MUTABLE},
    {.name = "lambda_u", .type = WL_P_REAL, .fallback = "1", .lo = 0, .hi = HUGE_VAL},
    {.name = "r", .type = WL_P_TEXT, .fallback = "auto"},
    {.name = "loss", .type = WL_P_CHOICE, .fallback = "squared-hinge", .choices = losses},
    {.name = "value", .type = WL_P_REAL, .fallback = "1"},
    {.name = NULL}};
static const wlab_metric_info metrics[] = {{.name = "J_balanced", .role = WL_R_BALANCED},
                                           {.name = "upper", .role = WL_R_UPPER},
                                           {.name = "lower", .role = WL_R_LOWER},
                                           {.name = NULL}};

typedef struct local {
    double value;
    bool done;
} local;

static wlab_code create(void **state, wlab_problem *p, const wlab_params *given, wlab_ctx *ctx, wlab_err *err)
{
    local *s = wlab_calloc(1, sizeof *s);
    (void)p;
    (void)ctx;
    if (!s)
        return wlab_nomem(err);
    s->value = wlab_params_real(given, "value");
    *state = s;
    return WL_OK;
}

static wlab_code advance(void *state, wlab_ctx *ctx, wlab_step *step, wlab_err *err)
{
    (void)ctx;
    (void)err;
    ((local *)state)->done = true;
    *step = (wlab_step){.complete = true};
    return WL_OK;
}

static void observe(const void *state, double *metric, int8_t *labels)
{
    const local *s = state;
    (void)labels;
    if (metric) {
        metric[0] = metric[1] = s->done ? s->value : (double)NAN;
        metric[2] = NAN;
    }
}

static wlab_code model(const void *state, wlab_model **m, wlab_ctx *ctx, wlab_err *err)
{
    (void)state;
    (void)ctx;
    *m = NULL;
    return wlab_fail(err, WL_ESTATE, "none");
}

static void words(const void *state, char *buf, size_t size)
{
    (void)state;
    snprintf(buf, size, "nothing");
}

static void walk(void *state, wlab_walk *w)
{
    WL_WALK(w, *(local *)state);
}

static wlab_code set(void *state, const wlab_params *p, wlab_err *err)
{
    (void)state;
    (void)p;
    (void)err;
    return WL_OK;
}

static void destroy(void *state)
{
    wlab_free(state);
}

static const wlab_algo fake = {.name = "local",
                               .summary = "a value",
                               .source = "this file",
                               .learns_from = WL_SEES_ANYTHING,
                               .step_unit = "nothing",
                               .inner_unit = "nothing",
                               .params = params,
                               .metrics = metrics,
                               .create = create,
                               .advance = advance,
                               .observe = observe,
                               .model = model,
                               .explain = words,
                               .next = words,
                               .walk = walk,
                               .set = set,
                               .destroy = destroy};

/* Adds another run of this algorithm with `settings` ("key=value key=value") and makes one step. */
static void add_local(talk *t, const char *name, const char *settings)
{
    wlab_params *p = NULL;
    wlab_run *run = NULL;
    char text[200], *save = NULL;

    ASSERT_OK(wlab_params_create(&p, params, &t->err), t->err);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        ASSERT_OK(wlab_params_set(p, word, value, &t->err), t->err);
    }
    ASSERT_OK(wlab_run_create(&run, name, t->s->held.runs_made + 1, wlab_session_problem(t->s), &fake, p, 0,
                              NULL, &t->err),
              t->err);
    wlab_params_destroy(p);
    ASSERT_OK(wlab_session_add_run(t->s, run, &t->err), t->err);
    EXEC(t, "step");
}

#define DATA "generate two-moons n=14 noise=0.2 seed=3; task ssl labeled=4 seed=1 r=0.5"
#define WELL "algo wellsvm kernel=linear bias=1 loss=squared-hinge lambda=0.1 lambda_u=1"

static json_t *compared(talk *t, const char *line)
{
    t->text[0] = '\0';
    EXEC(t, line);
    if (!t->s->sink.json)
        return NULL;
    json_t *o = json_array_get(t->objects, json_array_size(t->objects) - 1);
    assert_string_equal(json_string_value(json_object_get(o, "type")), "compare");
    return json_object_get(o, "bracket");
}

static double number_of(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    assert_non_null(v);
    return json_is_null(v) ? (double)NAN : json_number_value(v);
}

static void assert_has(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, text);
}

static double of_run(const wlab_run *run, const char *metric)
{
    const wlab_trace_row *row;
    int64_t n = wlab_run_trace(run, &row);
    return row[n - 1].metric[wlab_metric_index(wlab_run_algo(run), metric)];
}

/* lambda_u= in place of the costs gives the same numbers, bit for bit.  `algo` and `set` refuse
 * it together with the costs, and `algo` refuses it with another loss. */
static void test_costs(void **state)
{
    talk t;
    (void)state;
    talk_begin(&t, false, ".");
    EXEC(&t, DATA);
    EXEC(&t, "algo wellsvm kernel=linear bias=1 loss=squared-hinge lambda=0.1 lambda_u=2; continue");
    wlab_run *a = wlab_session_run(t.s);
    EXEC(&t, "algo wellsvm kernel=linear bias=1 loss=squared-hinge lambda=0.1 C1=0.25 C2=0.2; continue");
    wlab_run *b = wlab_session_run(t.s);
    assert_true(of_run(a, "objective") == of_run(b, "objective"));
    assert_true(of_run(a, "lower") == of_run(b, "lower"));
    EXEC(&t, "switch a; set lambda_u=3; step");
    EXEC(&t, "switch b; set C2=0.3; step");
    assert_true(of_run(a, "objective") == of_run(b, "objective"));
    EXEC_FAILS(&t, "algo wellsvm loss=squared-hinge lambda_u=1 C2=1", WL_EARG, "lambda_u= and C2= exclude");
    EXEC_FAILS(&t, "algo wellsvm loss=hinge lambda_u=1", WL_EARG, "lambda_u= works with loss=squared-hinge");
    EXEC_FAILS(&t, "algo wellsvm lambda=2", WL_EARG, "lambda= works with loss=squared-hinge");
    EXEC_FAILS(&t, "switch a; set C1=2", WL_EARG, "lambda_u= and C1= exclude");
    assert_true(of_run(a, "objective") == of_run(b, "objective"));
    EXEC(&t, "step");
    talk_end(&t);
}

/* If every labeling is tried, the smallest value is the optimum, and the bracket contains it. */
static void test_bracket(void **state)
{
    talk t;
    char settings[100], words[200];
    (void)state;
    talk_begin(&t, true, ".");
    EXEC(&t, DATA);
    EXEC(&t, WELL " integer=all; continue");
    wlab_run *well = wlab_session_run(t.s);
    double best = of_run(well, "integer_upper"), lower = of_run(well, "lower");
    assert_true(lower > 0 && lower <= best * (1 + 1e-9));
    snprintf(settings, sizeof settings, "bias=1 value=%.17g", 1.25 * best);
    add_local(&t, "near", settings);
    snprintf(settings, sizeof settings, "bias=1 r=0.5 sigma=3 value=%.17g",
             2 * best); /* the linear kernel has no sigma */
    add_local(&t, "far", settings);
    json_t *o = compared(&t, "compare near far a");
    assert_true(number_of(o, "lower") == lower);
    assert_true(number_of(o, "upper") == best);
    assert_string_equal(json_string_value(json_object_get(o, "lower_of")), "a");
    assert_int_equal(json_integer_value(json_object_get(o, "negatives")), 5);
    json_t *runs = json_object_get(o, "runs");
    assert_int_equal(json_object_size(runs), 3);
    ASSERT_NEAR(number_of(json_object_get(runs, "far"), "above"), 100 * (2 * best - lower) / lower, 1e-12);
    ASSERT_NEAR(number_of(json_object_get(runs, "near"), "above"), 100 * (1.25 * best - lower) / lower,
                1e-12);
    assert_int_equal(json_array_size(json_object_get(o, "others")), 0);
    assert_null(json_object_get(o, "line"));
    talk_end(&t);
    /* as text: if no run is of wellsvm, `compare` prints the line that starts one; it includes that run later */
    talk_begin(&t, false, ".");
    EXEC(&t, DATA);
    snprintf(settings, sizeof settings, "bias=1 lambda=0.05 lambda_u=2 kernel=rbf sigma=2 value=%.17g", 7.5);
    add_local(&t, "x", settings);
    add_local(&t, "y", settings);
    compared(&t, "compare x y");
    assert_has(t.text, "no bracket yet: no run of this problem has a lower bound");
    assert_has(t.text, "algo wellsvm kernel=rbf sigma=2 bias=1 loss=squared-hinge lambda=0.05 lambda_u=2\n");
    EXEC(&t, "algo wellsvm kernel=rbf sigma=2 bias=1 loss=squared-hinge lambda=0.05 lambda_u=2; step 2");
    compared(&t, "compare x c");
    assert_has(t.text,
               "bracket: the global optimum of Eq. 7 with 5 of 10 unlabelled rows negative lies in [");
    snprintf(words, sizeof words, "%s: its best labeling has 7.5; open: ", "x");
    assert_has(t.text, words);
    EXEC(&t, "switch c; set lambda_u=3");
    compared(&t, "compare x c");
    assert_has(t.text,
               "c is left out of the bracket of x: lambda_u=3, not 2, lambda_u, which takes effect at the "
               "next step");
    talk_end(&t);
}

static void test_in_the_way(void **state)
{
    static const struct {
        const char *local, *well, *expected;
    } cases[] = {
        {"bias=1", "bias=1 kernel=linear loss=hinge C1=0.25 C2=0.1",
         "loss=hinge, not squared-hinge, lambda=1, not 0.1"},
        {"bias=1", "bias=0 kernel=linear loss=squared-hinge lambda=0.1 lambda_u=1", "bias=0, not 1"},
        {"bias=1", "bias=1 kernel=linear loss=squared-hinge lambda=0.2 lambda_u=1", "lambda=0.2, not 0.1"},
        {"bias=1", "bias=1 kernel=linear loss=squared-hinge lambda=0.1 C=0.5",
         "C1=0.5, not 1/l = 0.25, C2=0.5, not lambda_u/u = 0.1"},
        {"bias=1 r=0.3", "bias=1 kernel=linear loss=squared-hinge lambda=0.1 lambda_u=1",
         "5 negatives (r=0.5), not 7 (r=0.3)"},
        {"bias=1 kernel=rbf", "bias=1 kernel=linear loss=squared-hinge lambda=0.1 lambda_u=1",
         "kernel=linear, not rbf"},
        {"bias=1 kernel=rbf sigma=2", "bias=1 kernel=rbf loss=squared-hinge lambda=0.1 lambda_u=1",
         "sigma=1nn, not 2"},
        {"bias=1 kernel=rbf gamma=2", "bias=1 kernel=rbf loss=squared-hinge lambda=0.1 lambda_u=1",
         "gamma=-, not 2"},
        {"bias=1 kernel=poly degree=2", "bias=1 kernel=poly loss=squared-hinge lambda=0.1 lambda_u=1",
         "degree=3, not 2"},
    };
    talk t;
    char line[200];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        talk_begin(&t, false, ".");
        EXEC(&t, DATA);
        add_local(&t, "x", cases[k].local);
        snprintf(line, sizeof line, "algo wellsvm %s; step", cases[k].well);
        EXEC(&t, line);
        compared(&t, "compare");
        assert_has(t.text, "is left out of the bracket of x: ");
        assert_has(t.text, cases[k].expected);
        assert_has(t.text, "WellSVM on the same problem may have a tighter lower bound: algo wellsvm ");
        talk_end(&t);
    }
    /* costs typed as numbers, gamma in place of sigma: the same problem */
    talk_begin(&t, false, ".");
    EXEC(&t, DATA);
    add_local(&t, "x", "bias=1 kernel=rbf gamma=0.5");
    EXEC(&t, "algo wellsvm bias=1.0 kernel=rbf gamma=.5 loss=squared-hinge lambda=1e-1 C1=0.25 "
             "C2=0.1; step");
    compared(&t, "compare");
    assert_null(strstr(t.text, "no part"));
    assert_has(t.text, "lies in [");
    /* other rows */
    EXEC(&t, "task ssl labeled=4 seed=2 r=0.5; algo wellsvm bias=1 kernel=rbf gamma=.5 loss=squared-hinge "
             "lambda=0.1 lambda_u=1; step; compare x c");
    assert_has(t.text, "c is left out of the bracket of x: other rows or labels");
    /* the weight is named as it was typed; mfn is left out because it does not evaluate Eq. 7 */
    EXEC(&t, "algo wellsvm kernel=linear bias=1 loss=squared-hinge lambda=0.1 lambda_u=2; step; algo mfn "
             "lambda=0.1; step");
    compared(&t, "compare d c e");
    assert_null(strstr(t.text, "left out")); /* nothing evaluates Eq. 7 */
    add_local(&t, "z", "bias=1");
    compared(&t, "compare z d e");
    assert_has(t.text, "d is left out of the bracket of z: lambda_u=2, not 1\n");
    assert_has(t.text, "e is left out of the bracket of z: mfn does not evaluate Eq. 7");
    /* the hinge loss is not Eq. 7; comparisons without any run of Eq. 7 do not mention it */
    add_local(&t, "h", "loss=hinge");
    compared(&t, "compare h c");
    assert_has(t.text, "no bracket for run h: it is for loss=squared-hinge");
    compared(&t, "compare b c");
    assert_null(strstr(t.text, "bracket"));
    talk_end(&t);
}

/* With more than 400 free labels WellSVM by default has no tighter lower bound than that of the labelled rows:
 * `compare` then says so, and suggests no line. */
static void test_free_labels(void **state)
{
    static const struct {
        const char *data, *expected;
        bool line;
    } cases[] = {
        {"generate blobs n=400 seed=1", "may have a tighter lower bound: algo wellsvm", true},
        {"generate blobs n=460 seed=1", "no tighter lower bound with more than 400 free labels", false},
        {"generate blobs n=4002 seed=1", "labelled rows, too\n", false},
    };
    talk t;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int json = 0; json < 2; json++) {
            talk_begin(&t, json, ".");
            EXEC(&t, cases[k].data);
            EXEC(&t, "task ssl labeled=4 seed=1 r=0.5");
            add_local(&t, "x", "bias=1");
            add_local(&t, "y", "bias=1");
            json_t *o = compared(&t, "compare x y");
            if (json)
                assert_true((json_object_get(o, "line") != NULL) == cases[k].line);
            else
                assert_has(t.text, cases[k].expected);
            talk_end(&t);
        }
}

/* Real runs: no labeling that TSVM or annealing finds is below the optimum over all labelings, and WellSVM's lower
 * bound is not above it. */
static void test_real_runs(void **state)
{
    static const char *const kernel[] = {"kernel=linear lambda=0.1", "kernel=rbf sigma=0.5x lambda=0.05",
                                         "kernel=poly degree=2 gamma=0.5 lambda=0.2"};
    talk t;
    char line[300];
    int met = 0;
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int seed = 1; seed <= 3; seed++) {
            talk_begin(&t, true, ".");
            snprintf(line, sizeof line,
                     "generate two-moons n=14 noise=0.2 seed=%d; task ssl labeled=4 seed=1 r=%s", seed,
                     seed == 2 ? "0.3" : "0.5");
            EXEC(&t, line);
            snprintf(line, sizeof line, "algo tsvm %s lambda_u=0.5; continue", kernel[k]);
            EXEC(&t, line);
            snprintf(line, sizeof line, "algo mfa %s lambda_u=0.5; continue", kernel[k]);
            EXEC(&t, line);
            json_t *o = compared(&t, "compare");
            const char *well = json_string_value(json_object_get(o, "line"));
            char exact[300];
            assert_int_equal(strncmp(well, "algo wellsvm ", 13), 0);
            snprintf(exact, sizeof exact, "algo bb %s; continue", well + 13);
            snprintf(line, sizeof line, "%s integer=all; continue", well);
            double lower = number_of(o, "lower");
            EXEC(&t, line);
            o = compared(&t, "compare a b c");
            json_t *runs = json_object_get(o, "runs");
            double best = number_of(json_object_get(runs, "c"), "value");
            assert_int_equal(json_array_size(json_object_get(o, "others")), 0);
            assert_true(lower <= best * (1 + 1e-6)); /* the bound of the labelled rows alone */
            assert_true(number_of(o, "lower") >= lower && number_of(o, "lower") <= best * (1 + 1e-6));
            for (int r = 0; r < 2; r++) {
                double value = number_of(json_object_get(runs, r ? "b" : "a"), "value");
                assert_true(value >= best * (1 - 1e-6));
                met += value <= best * (1 + 1e-4);
            }
            /* branch and bound closes the bracket, at the optimum found by enumeration */
            EXEC(&t, exact);
            o = compared(&t, "compare a b d");
            assert_int_equal(json_array_size(json_object_get(o, "others")), 0);
            assert_true(fabs(number_of(o, "lower") - best) <= 1e-6 * best &&
                        number_of(o, "lower") <= best * (1 + 1e-9));
            assert_true(fabs(number_of(o, "upper") - best) <= 1e-6 * best);
            talk_end(&t);
        }
    assert_true(
        met >=
        6); /* at least a third of the runs reach the optimum: they minimise the same function, not a larger one */
}

/* If memory runs out, `compare` reports that or prints what it can; afterwards it prints the bracket again. */
static void test_memory(void **state)
{
    talk t;
    long used = 1;
    (void)state;
    talk_begin(&t, false, ".");
    EXEC(&t, DATA);
    add_local(&t, "x", "bias=1 value=9");
    EXEC(&t, WELL "; step");
    for (long k = 1; used >= k || k == 1; k++) {
        t.text[0] = '\0';
        wlab_alloc_fail_at(k);
        wlab_code code = type_line(&t, "compare x b");
        used = wlab_alloc_count();
        wlab_alloc_fail_at(0);
        assert_true(code == WL_OK || code == WL_ENOMEM);
    }
    t.text[0] = '\0';
    EXEC(&t, "compare x b");
    assert_has(t.text, "lies in [");
    talk_end(&t);
}

/* alternate finds labelings of the problem that wellsvm and bb bound, for every loss and task. */
static void test_labelings(void **state)
{
    static const char *const problems[] = {
        "generate two-moons n=16 noise=0.4 seed=5; task llp bagsize=4 seed=1",
        "generate two-moons n=14 noise=0.4 seed=5; task cluster balance=0.2"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        talk t;
        talk_begin(&t, true, ".");
        EXEC(&t, problems[k]);
        EXEC(&t, "algo alternate kernel=linear loss=hinge C2=1; continue");
        EXEC(&t, "algo bb kernel=linear loss=hinge C2=1; continue");
        const double lower = of_run(wlab_session_run(t.s), "lower");
        json_t *o = compared(&t, "compare a b");
        assert_true(number_of(o, "lower") == lower && number_of(o, "upper") >= lower);
        assert_non_null(json_object_get(json_object_get(o, "runs"), "a"));
        EXEC(&t, "algo bb kernel=linear loss=hinge C2=2; continue");
        o = compared(&t, "compare a c");
        const json_t *others = json_object_get(o, "others");
        assert_int_equal(json_array_size(others), 1);
        assert_has(json_string_value(json_object_get(json_array_get(others, 0), "why")), "C2=2, not 1");
        talk_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs),      cmocka_unit_test(test_bracket),
                                       cmocka_unit_test(test_in_the_way), cmocka_unit_test(test_free_labels),
                                       cmocka_unit_test(test_real_runs),  cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_labelings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
