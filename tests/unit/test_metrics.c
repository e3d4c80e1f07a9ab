/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metrics: the requirements on every algorithm's table, and the properties that follow from roles.
 */
#include "support.h"
#include "weaklab/algo.h"

/* An algorithm has at most one metric of each role by which generic code looks up a metric. */
static void test_tables(void **state)
{
    (void)state;
    for (int k = 0; wlab_algos[k]; k++) {
        const wlab_algo *a = wlab_algos[k];
        int of[WL_ROLES] = {0};

        for (int i = 0; i < wlab_metric_count(a); i++) {
            const wlab_metric_info *m = &a->metrics[i];
            assert_non_null(m->meaning);
            assert_int_equal(wlab_metric_index(a, m->name), i); /* no name twice */
            if (m->role != WL_R_NONE && of[m->role]++)
                fail_msg("%s has two metrics of the role of %s", a->name, m->name);
            if (m->role == WL_R_TEMPERATURE || (m->role == WL_R_LEVEL && !of[WL_R_TEMPERATURE]))
                assert_non_null(m->axis); /* `plot objective vs level` */
        }
        assert_int_equal(of[WL_R_OBJECTIVE], 1);
        assert_int_equal(of[WL_R_SECONDS], 1);
        if (of[WL_R_GAP] != of[WL_R_RELGAP] || (of[WL_R_GAP] && (!of[WL_R_UPPER] || !of[WL_R_LOWER])))
            fail_msg("%s: a gap is upper - lower, and has a relgap", a->name);
        if (of[WL_R_CLASSIFIER])
            fail_msg("%s: the number of the binary classifier is one-against-the-rest's", a->name);
    }
}

/* Generic code uses these members without testing for NULL.  Each symbol is described, and each metric that is a real
 * number and does not depend on the time has an equation. */
static void test_descriptors(void **state)
{
    (void)state;
    for (int k = 0; wlab_algos[k]; k++) {
        const wlab_algo *a = wlab_algos[k];
        assert_non_null(a->name);
        const struct {
            const char *name;
            bool there;
        } member[] = {{"summary", a->summary},
                      {"problem", a->problem},
                      {"symbols", a->symbols},
                      {"when", a->when},
                      {"cost", a->cost},
                      {"source", a->source},
                      {"idea", a->idea != WL_IDEA_NONE},
                      {"learns_from", a->learns_from},
                      {"step_unit", a->step_unit},
                      {"inner_unit", a->inner_unit},
                      {"converged", a->converged},
                      {"params", a->params},
                      {"metrics", a->metrics},
                      {"create", a->create},
                      {"advance", a->advance},
                      {"observe", a->observe},
                      {"model", a->model},
                      {"explain", a->explain},
                      {"next", a->next},
                      {"walk", a->walk},
                      {"destroy", a->destroy}};
        for (size_t i = 0; i < sizeof member / sizeof *member; i++)
            if (!member[i].there)
                fail_msg("%s has no %s", a->name, member[i].name);
        for (const char *line = a->symbols; *line; line += strcspn(line, "\n"), line += *line == '\n') {
            const size_t name = strcspn(line, ":\n"), len = strcspn(line, "\n");
            if (line[name] != ':' || line[name + 1] != ' ' || name > 30 || len > 380)
                fail_msg("%s: a symbol is not described as \"NAME: MEANING\": %.*s", a->name, (int)len, line);
        }
        for (int i = 0; i < wlab_metric_count(a); i++)
            if (!(a->metrics[i].flags & (WL_M_COUNT | WL_M_VOLATILE)) && !a->metrics[i].equation)
                fail_msg("%s: %s is a real number, and has no equation", a->name, a->metrics[i].name);
    }
}

/* The line of a step has these columns in this order: a new metric must not change it unnoticed. */
static void test_lines(void **state)
{
    static const char *const lines[][2] = {
        {"svm", "objective gap "},
        {"wellsvm", "objective gap violation flips "},
        {"mfn", "objective gap "},
        {"tsvm", "objective J lambda_now flips "},
        {"mfa", "objective J T flips "},
        {"bb", "objective gap flips "},
        {"conv-psvm", "objective gap violation flips "},
        {"invcal", "objective gap "},
        {"mean-map", "objective gap flips "},
        {"alter-psvm", "objective C_now bag_error distinct flips "},
        {"softmax-sdp", "objective gap flips "},
        {"softmax-em", "objective gap flips "},
        {"kmeans", "objective flips "},
        {"s3vm", "objective J flips level "},
        {"entropy", "objective J lambda_now flips "},
        {"lapsvm", "objective gap flips energy "},
        {"ncut", "objective gap flips ritz residual "},
    };
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        const wlab_algo *a = wlab_algo_find(lines[k][0]);
        int shown[16];
        char text[200] = "";

        assert_non_null(a);
        for (int i = 0, n = wlab_metrics_shown(a, WL_M_LINE, shown, 16); i < n; i++)
            wlab_text_append(text, sizeof text, "%s ", a->metrics[shown[i]].name);
        assert_string_equal(text, lines[k][1]);
    }
}

static void test_styles(void **state)
{
    (void)state;
    const wlab_algo *tsvm = wlab_algo_find("tsvm"), *mfa = wlab_algo_find("mfa"),
                    *alter = wlab_algo_find("alter-psvm");
    assert_string_equal(tsvm->metrics[wlab_metric_level(tsvm)].name, "lambda_now");
    assert_string_equal(mfa->metrics[wlab_metric_level(mfa)].name, "T");
    assert_string_equal(wlab_metric_style(&alter->metrics[wlab_metric_level(alter)]).label, "C*");
    assert_int_equal(wlab_metric_level(wlab_algo_find("wellsvm")), -1);
    assert_string_equal(mfa->metrics[wlab_metric_compared(mfa)].name, "J");
    assert_string_equal(alter->metrics[wlab_metric_compared(alter)].name, "objective");
    assert_true(wlab_metric_style(wlab_metric_named("integer_upper")).less);
    assert_true(wlab_metric_style(wlab_metric_named("rounded")).less);
    assert_true(wlab_metric_style(wlab_metric_named("J_norm")).less);
    assert_false(wlab_metric_style(wlab_metric_named("lower")).less);
    assert_false(wlab_metric_style(wlab_metric_named("entropy")).less);
    assert_null(wlab_metric_named("accuracy"));
    const double metric[32] = {1, 2, 3};
    assert_true(isnan(wlab_metric_value(alter, metric, WL_R_TARGET)));
    ASSERT_NEAR(wlab_metric_value(alter, metric, WL_R_BEST), 2, 0);
}

static bool listed(const char *list, const char *name)
{
    char words[600], word[40];
    snprintf(words, sizeof words, " %s ", list);
    snprintf(word, sizeof word, " %s ", name);
    return strstr(words, word) != NULL;
}

/* Which settings change the function that an algorithm minimises: costs, losses, kernels and the like in every table, and
 * never those of a search, a start or a tolerance.  Names that mean something else in an algorithm are listed for it. */
static void test_objectives(void **state)
{
    static const char *const costs = "C C1 C2 Cp lambda lambda_u loss ploss offset intercept",
                             *const kernel = "kernel gamma sigma degree coef0 graph rho",
                             *const search =
                                 "search nodes master bound integer threshold finish mtol tol decrease "
                                 "labelings starts seed restarts start names rank iterations backend "
                                 "newton schedule inner rounding sign basis variance first grow merge "
                                 "passes anneal T cooling temperatures alternations keep polish S";
    static const struct {
        const char *algo, *yes, *no;
    } own[] = {{"wellsvm", "bias", "eps"},
               {"bb", "bias", "eps"},
               {"svm", "bias", "eps"},
               {"mfn", "bias", "eps"},
               {"tsvm", "bias r", "eps"},
               {"mfa", "bias r", "eps"},
               {"alter-psvm", "bias eps weight", ""},
               {"conv-psvm", "bias eps center", ""},
               {"invcal", "bias eps tube clip", ""},
               {"mean-map", "bias average weights", "eps"},
               {"softmax-sdp", "bias coding weight links reduce points em entropy hard", "eps"},
               {"softmax-em", "bias weight entropy hard", "eps"},
               {"kmeans", "", "bias"},
               {"alternate", "bias", "eps"},
               {"itersvr", "eps", ""},
               {"s3vm", "ratio r", "eps"},
               {"entropy", "bias lambda_e", "eps"},
               {"lapsvm", "bias preset gamma_A gamma_I rank", "eps"},
               {"ncut", "", "cut eps"},
               {"template", "weight", ""}};
    (void)state;
    for (int k = 0; wlab_algos[k]; k++) {
        const wlab_algo *a = wlab_algos[k];
        size_t o = 0;
        while (o < sizeof own / sizeof *own && strcmp(own[o].algo, a->name) != 0)
            o++;
        for (const wlab_param_info *p = a->params; p->name; p++) {
            const bool of_kernel = listed(kernel, p->name),
                       has_own = o < sizeof own / sizeof *own &&
                                 (listed(own[o].yes, p->name) || listed(own[o].no, p->name)),
                       yes = p->flags & WL_P_FACTOR ||
                             (has_own ? listed(own[o].yes, p->name) : of_kernel || listed(costs, p->name));
            if (p->flags & WL_P_ALIAS) /* the settings for which it stands have the flag */
                assert_false(p->flags & WL_P_OBJECTIVE);
            else if (!has_own && !yes && !listed(search, p->name))
                continue; /* a name of the algorithm's own, of which only its author knows */
            else if (!(p->flags & WL_P_OBJECTIVE) == yes)
                fail_msg("%s: %s= %s the objective", a->name, p->name, yes ? "changes" : "does not change");
            assert_int_equal(!(p->flags & WL_P_KERNEL), !of_kernel);
            if (of_kernel)
                assert_non_null(a->kernel);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objectives), cmocka_unit_test(test_descriptors), cmocka_unit_test(test_tables),
        cmocka_unit_test(test_lines),      cmocka_unit_test(test_styles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
