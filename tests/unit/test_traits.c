/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks outside the table: all generic code works with them, as it uses only their traits.
 */
#include "task/task.h"
#include "unit/scene.h"
#include "weaklab/tune.h"

#include <math.h>

/* ---- positive and unlabelled rows, with a known class balance ---- */

static const wlab_param_info pu_params[] = {
    {.name = "labeled", .type = WL_P_TEXT, .fallback = "6", .meaning = "number of labelled positive rows"},
    {.name = "prior", .type = WL_P_REAL, .fallback = "0.5", .lo = 0, .hi = 1, .meaning = "of all rows"},
    WL_TASK_POSITIVE,
    {0},
};

static wlab_code pu_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                         wlab_ctx *ctx, wlab_err *err)
{
    (void)ctx;
    int64_t labelled = 0;
    wlab_code code = wlab_task_classes(p, params, false, err);

    if (!code)
        code = wlab_task_observe(p, wlab_params_text(params, "labeled"), 1, false, 1, 1, test, n_test, err);
    for (int64_t i = 0; i < p->n; i++)
        labelled += p->visible[i] > 0;
    p->r = (wlab_params_real(params, "prior") * (double)p->n - (double)labelled) / (double)(p->n - labelled);
    snprintf(p->r_from, sizeof p->r_from, "the prior");
    return code;
}

static wlab_code pu_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int64_t free_rows = 0;

    (void)params;
    for (int64_t i = 0; i < p->n; i++)
        free_rows += p->visible[i] == 0;
    return wlab_labelset_ssl(&p->labels, p->visible, p->n, wlab_negatives(p->r, free_rows), err);
}

static wlab_code pu_describe(const wlab_problem *p, wlab_buf *text)
{
    return wlab_buf_printf(text, "class prior: %g\n", wlab_params_real(p->params, "prior"));
}

static int pu_facts(const wlab_problem *p, wlab_fact fact[WL_FACTS_MOST])
{
    fact[0] = (wlab_fact){"prior", wlab_params_real(p->params, "prior"), false};
    return 1;
}

static const wlab_task pu = {
    .name = "pu",
    .summary = "some positive rows are labelled",
    .source = "this file",
    .sees = WL_SEES_SOME_LABELS,
    .params = pu_params,
    .fill = pu_fill,
    .allow = pu_allow,
    .describe = pu_describe,
    .facts = pu_facts,
};

/* ---- bags with signs: rows of negative bags are -1; a positive bag has at least one +1, and which one is hidden ---- */

static const wlab_param_info signs_params[] = {WL_TASK_POSITIVE, {0}};

static wlab_code signs_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                            wlab_ctx *ctx, wlab_err *err)
{
    (void)ctx;
    int8_t *sign = wlab_alloc((size_t)p->data->bags, 1);
    wlab_code code = sign ? wlab_task_classes(p, params, false, err) : wlab_nomem(err);

    (void)test, (void)n_test;
    p->all = (wlab_all_bags){.of_row = p->data->bag, .bags = p->data->bags, .name = p->data->bag_name};
    if (!code)
        code = wlab_task_bags(p, p->data->bag, p->data->bags, err);
    if (!code)
        wlab_dataset_bag_signs(p->data, p->positive, sign);
    for (int64_t b = 0; !code && b < p->bags; b++)
        p->bag_given[b] = sign[p->bag_number[b]] > 0;
    for (int64_t i = 0; !code && i < p->n; i++)
        p->visible[i] = p->bag_given[p->bag[i]] > 0.5 ? 0 : -1;
    wlab_free(sign);
    return code;
}

static wlab_code signs_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    int32_t *group = wlab_alloc((size_t)p->n, sizeof *group);
    int64_t *lo = wlab_calloc((size_t)p->bags, sizeof *lo), *hi = wlab_calloc((size_t)p->bags, sizeof *hi);
    int8_t *low = wlab_calloc((size_t)p->bags, sizeof *low);
    wlab_code code = group && lo && hi && low ? WL_OK : wlab_nomem(err);

    (void)params;
    for (int64_t b = 0; !code && b < p->bags; b++) {
        low[b] = -1;
        lo[b] = p->bag_given[b] > 0.5;
    }
    for (int64_t i = 0; !code && i < p->n; i++) {
        group[i] = p->visible[i] ? WL_NO_GROUP : p->bag[i];
        hi[p->bag[i]] += p->visible[i] == 0;
    }
    if (!code)
        code = wlab_labelset_create(&p->labels, "signs", p->n, p->visible, group, p->bags, lo, hi, low, err);
    wlab_free(group);
    wlab_free(lo);
    wlab_free(hi);
    wlab_free(low);
    return code;
}

static const wlab_task signs = {
    .name = "signs",
    .summary = "each bag is labelled by whether any of its rows is positive",
    .source = "this file",
    .sees = WL_SEES_BAG_SIGNS,
    .scored = WL_SCORED_BAGS,
    .params = signs_params,
    .fill = signs_fill,
    .allow = signs_allow,
};

/* ---- clusters with some labelled rows ---- */

static wlab_code some_fill(wlab_problem *p, const wlab_params *params, const int32_t *test, int64_t n_test,
                           wlab_ctx *ctx, wlab_err *err)
{
    (void)ctx;
    wlab_code code = wlab_task_classes(p, params, false, err);

    return code ? code : wlab_task_observe(p, "8", 1, true, 0, 1, test, n_test, err);
}

static wlab_code some_allow(wlab_problem *p, const wlab_params *params, wlab_err *err)
{
    (void)params;
    return wlab_labelset_ambiguous(&p->labels, p->visible, p->n, err);
}

static const wlab_task some_labelled = {
    .name = "some_labelled",
    .summary = "clusters with some labelled rows",
    .source = "this file",
    .sees = WL_SEES_SOME_LABELS,
    .clusters = true,
    .params = signs_params,
    .fill = some_fill,
    .allow = some_allow,
};

/* ---- a session with such a task ---- */

static void start_session(talk *t, const char *data, const wlab_task *task)
{
    wlab_params *params = NULL;

    scene_begin(t);
    EXEC(t, data);
    ASSERT_OK(wlab_params_create(&params, task->params, &t->err), t->err);
    wlab_slot *slot = wlab_session_slot(t->s);
    ASSERT_OK(wlab_problem_create(&slot->problem, slot->data, slot->train, slot->ntrain, slot->test,
                                  slot->ntest, task, params, NULL, &t->err),
              t->err);
    wlab_params_destroy(params);
}

/* The output of the last lines. */
static const char *take_output(talk *t)
{
    static char text[1 << 16];

    snprintf(text, sizeof text, "%s", t->text);
    t->text[0] = t->messages[0] = '\0';
    return text;
}

static void assert_says(talk *t, const char *line, const char *what)
{
    (void)take_output(t);
    EXEC(t, line);
    const char *text = take_output(t);
    if (!strstr(text, what))
        fail_msg("%s: \"%s\" is not in\n%s", line, what, text);
}

/* Executes queries and steps of a run, and draws every view and the panes that apply; `panes`: the names of these. */
static void inspect(talk *t, char panes[400])
{
    static const char *const line[] = {"info task",  "info run", "explain", "info flips", "runs",   "eval",
                                       "eval train", "stepi",    "step",    "back",       "goto 0", "step 2"};
    drawing d;
    wlab_figure f;
    wlab_err err;

    for (size_t k = 0; k < sizeof line / sizeof *line; k++)
        EXEC(t, line[k]);
    wlab_scene s = scene_of(t);
    panes[0] = '\0';
    for (int k = 0; wlab_panes[k]; k++)
        if (wlab_pane_fits(k, &s)) {
            wlab_text_append(panes, 400, "%s%s", panes[0] ? " " : "", wlab_panes[k]->name);
            draw_pane(&d, &s, k, 14, 60);
            drawing_end(&d);
        }
    for (int k = 0; wlab_views[k]; k++) {
        wlab_view_run run = wlab_view_run_of(wlab_session_run(t->s));
        wlab_view_request q = {.run = &run, .runs = 1, .ctx = wlab_session_ctx(t->s), .columns = 60};

        wlab_figure_init(&f, false);
        const wlab_code code = wlab_view_draw(wlab_views[k], &f, &q, &err);
        if (code && code != WL_ESTATE && code != WL_EARG)
            fail_msg("%s: %s", wlab_views[k]->name, err.message);
        wlab_figure_clear(&f);
    }
}

/* Runs and inspects every algorithm that suits the task; `list`: their names.  Algorithms that refuse the problem at
 * once are left out. */
static void inspect_suited(talk *t, char list[400], char panes[400])
{
    const wlab_problem *p = wlab_session_slot(t->s)->problem;
    const wlab_algo *a;
    char line[60];

    list[0] = '\0';
    for (int k = 0; (a = wlab_algo_suited(p->task, p->classes, k)); k++) {
        snprintf(line, sizeof line, "algo %s", a->name);
        if (type_line(t, line)) {
            assert_int_equal(t->err.code, WL_ESTATE);
            continue;
        }
        wlab_text_append(list, 400, "%s%s", list[0] ? " " : "", a->name);
        EXEC(t, "step 2");
        inspect(t, panes);
    }
}

/* Checks that `tune` compares candidates by the measure `by`; NULL: that it refuses, because too few labels are
 * given to hold some out. */
static void check_tune(talk *t, const char *by)
{
    wlab_candidate *list = NULL;
    wlab_params *options = NULL;
    wlab_tuned tuned;
    int n = 0;

    ASSERT_OK(wlab_params_create(&options, wlab_tune_params, &t->err), t->err);
    ASSERT_OK(wlab_params_set(options, "folds", "2", &t->err), t->err);
    ASSERT_OK(wlab_candidates_add(&list, &n, "softmax-em", &t->err), t->err);
    const wlab_code code =
        wlab_tune(&tuned, wlab_session_slot(t->s)->problem, list, n, options, "iter >= 3", NULL, &t->err);
    if (!by) {
        assert_int_equal(code, WL_EARG);
        assert_non_null(strstr(t->err.message, "two labelled rows of each class"));
    } else {
        ASSERT_OK(code, t->err);
        assert_string_equal(tuned.by, by);
        assert_false(tuned.oracle);
        wlab_tuned_clear(&tuned);
    }
    wlab_candidates_free(list, n);
    wlab_params_destroy(options);
}

static void test_pu(void **state)
{
    talk t;
    char list[400], panes[400];
    const wlab_algo *a;

    (void)state;
    start_session(&t, "generate two-moons n=28 noise=0.1 seed=2; split test=0.25 seed=1", &pu);
    const wlab_problem *p = wlab_session_slot(t.s)->problem;
    assert_int_equal(p->labelled, 6);
    for (int64_t i = 0; i < p->n; i++)
        assert_int_equal(p->cost[i], p->visible[i] == 0);
    for (int k = 0; (a = wlab_algo_suited(wlab_task_find("ssl"), 2, k));
         k++) /* the algorithms of ssl, in the same order */
        assert_ptr_equal(wlab_algo_suited(&pu, 2, k), a);
    assert_string_equal(wlab_algo_advised(p), "wellsvm");
    inspect_suited(&t, list, panes);
    assert_string_equal(list,
                        "wellsvm tsvm mfa bb conv-psvm invcal mean-map alter-psvm softmax-sdp softmax-em "
                        "alternate s3vm entropy cccp lapsvm mmc-sdp gmmc");
    assert_says(&t, "info task", "class prior: 0.5\n");
    json_t *o = wlab_json_task(p);
    assert_true(fabs(json_real_value(json_object_get(o, "prior")) - 0.5) <= 0);
    json_decref(o);
    assert_says(&t, "eval", "test: accuracy");
    assert_null(strstr(panes, "bags"));
    check_tune(&t, NULL);
    EXEC_FAILS(&t, "eval bags", WL_ESTATE, "no bags (task pu)");
    EXEC_FAILS(&t, "algo kmeans", WL_EARG, "does not solve the task pu");
    talk_end(&t);
}

static void test_signs(void **state)
{
    talk t;
    char list[400], panes[400];
    const wlab_problem *p;

    (void)state;
    start_session(&t, "generate roi-bags bags=8 least=2 most=3 dims=2 rois=1 seed=1", &signs);
    inspect_suited(&t, list, panes);
    assert_string_equal(list, "wellsvm bb softmax-sdp softmax-em alternate mi-bag mi-instance sil mi-kernel "
                              "citation-knn ppmm dd em-dd");
    assert_non_null(strstr(panes, "bags"));
    assert_null(strstr(panes, "proportions"));
    p = wlab_session_slot(t.s)->problem;
    EXEC(&t, "algo wellsvm; step 3");
    const int8_t *label = wlab_run_labels(wlab_session_run(t.s));
    for (int64_t i = 0; i < p->n; i++)
        assert_int_not_equal(label[i], 0); /* no row is left out */
    check_tune(&t, "bag accuracy");
    assert_says(&t, "eval", "training bags: accuracy");
    talk_end(&t);
}

static void test_some_labelled(void **state)
{
    talk t;
    char panes[400];

    (void)state;
    start_session(&t, "generate two-moons n=28 noise=0.1 seed=2", &some_labelled);
    EXEC(&t, "algo wellsvm");
    EXEC(&t, "step 3");
    inspect(&t, panes);
    check_tune(&t, "accuracy under the best matching");
    assert_says(&t, "eval train", "accuracy under the best matching");
    talk_end(&t);
}

/* Whether `name` stands in backquotes somewhere in text. */
static bool quotes(const char *text, const char *name)
{
    char quoted[80];

    snprintf(quoted, sizeof quoted, "`%s`", name);
    return strstr(text, quoted) != NULL;
}

/* The objective after some steps, by the same draws, with two values of r: whether r plays a role. */
static bool uses_balance(const wlab_algo *algo)
{
    double objective[2];

    for (int k = 0; k < 2; k++) {
        char line[200];
        talk t;
        double *metric = wlab_calloc((size_t)wlab_metric_count(algo), sizeof *metric);

        scene_begin(&t);
        snprintf(line, sizeof line, "task ssl labeled=6 r=%s", k ? "0.7" : "0.3");
        EXEC(&t, "generate two-moons n=40");
        EXEC(&t, line);
        snprintf(line, sizeof line, "algo %s", algo->name);
        EXEC(&t, line);
        EXEC(&t, "step 6");
        wlab_run_metrics(wlab_session_run(t.s), metric);
        objective[k] = wlab_metric_value(algo, metric, WL_R_OBJECTIVE);
        if (algo->any_balance && !strstr(t.text, "does not use the task's r="))
            fail_msg("`algo %s` does not say that r= plays no role", algo->name);
        wlab_free(metric);
        talk_end(&t);
    }
    return objective[0] < objective[1] || objective[0] > objective[1];
}

static void test_any_balance(void **state)
{
    (void)state;
    for (int a = 0; wlab_algos[a]; a++)
        if (wlab_algo_suits(wlab_algos[a], wlab_task_find("ssl"), 2) &&
            wlab_algos[a]->any_balance == uses_balance(wlab_algos[a]))
            fail_msg("%s: any_balance does not say what r does to its objective", wlab_algos[a]->name);
}

/* README.md's table of tasks names, for each task, all algorithms that take it, and no others. */
static void test_readme(void **state)
{
    char *text = talk_read("README.md"), *line;

    (void)state;
    assert_non_null(text);
    for (int t = 0; wlab_tasks[t]; t++) {
        char column[40], row[800];
        snprintf(column, sizeof column, "| `%s` |", wlab_tasks[t]->name);
        line = strstr(text, column);
        if (!line)
            fail_msg("README.md's table has no row for the task %s", wlab_tasks[t]->name);
        snprintf(row, sizeof row, "%.*s", (int)strcspn(line, "\n"), line);
        for (int a = 0; wlab_algos[a]; a++)
            if (quotes(row, wlab_algos[a]->name) != wlab_algo_suits(wlab_algos[a], wlab_tasks[t], 2))
                fail_msg("README.md's row for the task %s %s %s", wlab_tasks[t]->name,
                         quotes(row, wlab_algos[a]->name) ? "wrongly names" : "does not name",
                         wlab_algos[a]->name);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pu),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_some_labelled),
        cmocka_unit_test(test_any_balance),
        cmocka_unit_test(test_readme),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
