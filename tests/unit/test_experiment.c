/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Experiment files: their grammar, the errors about wrong ones and their places, the plan.
 */
#include "talk.h"

#include "study/experiment/experiment.h"

#include <dirent.h>

static wlab_err err;

static wlab_code parse(wlab_experiment **e, const char *text)
{
    memset(&err, 0, sizeof err);
    return wlab_experiment_parse(e, text, strlen(text), "x.wexp", &err);
}

static wlab_experiment *parsed(const char *text)
{
    wlab_experiment *e = NULL;
    ASSERT_OK(parse(&e, text), err);
    return e;
}

/* Plans without reading the data: each data set of a `load` line gets an invented sum, made from its name. */
static void plan_made_up(wlab_experiment *e)
{
    for (int d = 0; d < e->ndata; d++)
        if (strncmp(e->data[d].line, "load ", 5) == 0)
            wlab_sha256_hex(e->data[d].name, strlen(e->data[d].name), e->data[d].sha256);
    ASSERT_OK(wlab_experiment_plan(e, &err), err);
}

static wlab_experiment *planned(const char *text)
{
    wlab_experiment *e = parsed(text);
    plan_made_up(e);
    return e;
}

#define BASE                                                                                                 \
    "load a.libsvm\nload sub/b.csv as bee label=last\nsplit test=0.25\ntask ssl labeled={5%,10%}\n"          \
    "method SVM algo svm kernel=rbf\nmethod Well algo wellsvm kernel=linear C2={0.1,1}\n"                    \
    "    or algo wellsvm kernel=rbf sigma={0.5x,1x} C2={0.1,1,10}\ntune folds=3\nrepeat 2\n"

static void test_grammar(void **state)
{
    wlab_experiment *e = parsed(
        "\xef\xbb\xbf# comment\r\n  title SVM, and WellSVM  # so\r\n" BASE
        "scale minmax\ncontinue until iter >= 3\n"
        "published SVM labeled=10% repeats=30 a=.70+-.08 bee=0.8\npublished Other labeled=5% a=.9\xc2\xb1.1\n"
        "\ttable against=SVM digits=2\ntable\ncurve accuracy vs labeled to x.png\ncurve accuracy vs "
        "seconds data=a");

    (void)state;
    assert_string_equal(e->title, "SVM, and WellSVM");
    assert_int_equal(e->ndata, 2);
    assert_string_equal(e->data[0].name, "a");
    assert_string_equal(e->data[0].line, "load a.libsvm as a");
    assert_string_equal(e->data[1].line, "load sub/b.csv as bee label=last");
    assert_int_equal(e->data[1].at, 4);
    assert_string_equal(e->split, "split test=0.25");
    assert_string_equal(e->scale, "scale minmax");
    assert_string_equal(e->task_line, "task ssl labeled={5%,10%}");
    assert_string_equal(e->task->name, "ssl");
    assert_string_equal(e->go, "continue until iter >= 3");
    assert_string_equal(e->until, "iter >= 3");
    assert_string_equal(e->eval, "eval test");
    assert_int_equal(e->nsettings, 2);
    assert_string_equal(e->setting[1].name, "labeled=10%");
    assert_string_equal(e->setting[1].key[0], "labeled");
    assert_string_equal(e->setting[1].value[0], "10%");
    assert_int_equal(e->nmethods, 2);
    assert_int_equal(e->method[0].candidates, 1);
    assert_int_equal(e->method[1].alternatives, 2);
    assert_int_equal(e->method[1].candidates, 8);
    assert_string_equal(e->method[1].algo[1], "wellsvm kernel=rbf sigma={0.5x,1x} C2={0.1,1,10}");
    assert_int_equal(wlab_params_int(e->tune, "folds"), 3);
    assert_int_equal(e->nseeds, 2);
    ASSERT_NEAR(e->test_ratio, 1.0 / 3, 1e-12);
    assert_int_equal(e->npublished, 3);
    assert_int_equal(e->published[1].method, 0);
    assert_int_equal(e->published[1].data, 1);
    assert_int_equal(e->published[1].setting, 1);
    assert_int_equal(e->published[1].repeats, 30);
    assert_true(isnan(e->published[1].deviation));
    ASSERT_NEAR(e->published[0].deviation, 0.08, 1e-12);
    assert_int_equal(e->published[2].method, -1);
    assert_string_equal(e->published[2].name, "Other");
    ASSERT_NEAR(e->published[2].deviation, 0.1, 1e-12);
    assert_int_equal(e->nreports, 4);
    assert_string_equal(e->report[0].rest, "against=SVM digits=2");
    assert_string_equal(e->report[1].rest, "");
    assert_true(e->report[2].curve);
    assert_string_equal(e->report[2].rest, "accuracy vs labeled to x.png");
    wlab_experiment_free(e);
}

/* Optional lines; alternatives on one line; quotes. */
static void test_defaults(void **state)
{
    wlab_experiment *e =
        parsed("generate two-moons\ntask ssl\nmethod \"My method\" algo svm or algo svm C=2\ntune");

    (void)state;
    assert_null(e->title);
    assert_null(e->split);
    assert_true(isnan(e->test_ratio));
    assert_string_equal(e->go, "continue");
    assert_null(e->until);
    assert_string_equal(e->eval, "eval unlabeled");
    assert_int_equal(e->nseeds, 1);
    assert_int_equal(e->seed[0], 1);
    assert_true(e->data[0].drawn);
    assert_int_equal(e->nsettings, 1);
    assert_string_equal(e->setting[0].name, "");
    assert_string_equal(e->method[0].name, "My method");
    assert_int_equal(e->method[0].alternatives, 2);
    wlab_experiment_free(e);

    e = parsed("generate two-moons seed=4\ntask supervised\nmethod a algo svm\nrepeat {7,3}");
    assert_string_equal(e->eval, "eval train");
    assert_false(e->data[0].drawn);
    assert_null(e->tune);
    assert_int_equal(e->seed[0], 7);
    assert_int_equal(e->seed[1], 3);
    wlab_experiment_free(e);
}

#define DATA   "generate two-moons\n"
#define TASK   "task ssl labeled=4\n"
#define METHOD "method a algo svm\n"

static void test_errors(void **state)
{
    static const struct {
        const char *text;
        long line, column;
        const char *says;
    } wrong[] = {
        {"", 1, 1, "no data"},
        {"# nothing\n\n", 1, 1, "no data"},
        {DATA METHOD, 2, 1, "no task"},
        {DATA TASK, 2, 1, "no method"},
        {"titel x", 1, 1, "did you mean \"title\"?"},
        {"xyzzy", 1, 1, "there are title, load"},
        {"  algo svm", 1, 3, "`method NAME algo svm`"},
        {"title", 1, 1, "title takes a text"},
        {"title a\ntitle b", 2, 1, "line 1 already"},
        {"load", 1, 1, "load takes a file"},
        {"load a b", 1, 8, "\"b\" is not key=value"},
        {"load a as", 1, 8, "a name must follow"},
        {"load a as \"\"", 1, 11, "at least one letter"},
        {"load a as b c", 1, 13, "not key=value"},
        {"load {a,b}.csv", 1, 6, "write a `load` line for each file"},
        {"load a lable=last", 1, 8, "did you mean \"label\"?"},
        {"load a label={1,2}", 1, 8, "braces are allowed in"},
        {"load a format=cvs", 1, 8, "did you mean \"csv\"?"},
        {"load a.csv\nload b/a.csv", 2, 6, "line 1 already; give this one another name"},
        {"load a.csv\nload b as a", 2, 11, "line 1 already"},
        {"load /", 1, 6, "a folder"},
        {"load a; load b", 1, 7, "`;` is for the prompt"},
        {"load \"a", 1, 6, "never closed"},
        {"generate moons", 1, 10, "did you mean \"two-moons\"?"},
        {"generate two-moons n=1", 1, 20, "n=1"},
        {"generate two-moons n={50,x}", 1, 20, "n=x"},
        {"generate two-moons n={50,}", 1, 26, "a value is missing"},
        {"generate two-moons n={50", 1, 22, "never closed"},
        {"generate two-moons n=\"{50\"", 1, 23, "never closed"},
        {"generate two-moons n={}", 1, 22, "braces are empty"},
        {"generate two-moons n={1{2}}", 1, 24, "cannot be nested"},
        {"generate two-moons n={5..2}", 1, 23, "goes down"},
        {"generate two-moons n={50,{seed}}{1}", 1, 33, "only one pair of braces"},
        {"generate two-moons n=50 n=60", 1, 25, "given twice"},
        {"generate two-moons n={50,60}\ngenerate ring-clusters n={50,70}", 2, 24, "has other values"},
        {"generate two-moons n={50,60}\ngenerate ring-clusters\n" TASK METHOD, 1, 20,
         "all data sets or none"},
        {"scale", 1, 1, "minmax, symmetric, zscore"},
        {"scale minmaxx", 1, 7, "did you mean \"minmax\"?"},
        {"scale minmax twice", 1, 14, "a `scale` line ends here"},
        {"split", 1, 1, "split takes settings"},
        {"split 0.25", 1, 7, "not key=value"},
        {"split test=2x", 1, 7, "must be a number"},
        {"split fold=1", 1, 7, "computes all folds"},
        {"split folds={3,5}", 1, 7, "one value"},
        {"split folds=3 test=0.5", 1, 15, "exclude each other"},
        {"split test=0.5\nsplit test=0.25", 2, 1, "line 1 already"},
        {"task", 1, 1, "task takes a kind"},
        {"task {ssl,cluster}", 1, 6, "one task"},
        {"task slsl", 1, 6, "did you mean \"ssl\"?"},
        {"task ssl 5%", 1, 10, "not key=value"},
        {"task ssl labled=5%", 1, 10, "did you mean \"labeled\"?"},
        {"method", 1, 1, "takes a name"},
        {"method algo svm", 1, 8, "a name comes first"},
        {"method C=1 algo svm", 1, 8, "a name comes first"},
        {"method a", 1, 8, "an algorithm must follow"},
        {"method a svm", 1, 10, "expected `algo`"},
        {"method a algo", 1, 10, "algo takes a name"},
        {"method a algo welsvm", 1, 15, "did you mean \"wellsvm\"?"},
        {"method a algo {svm,wellsvm}", 1, 15, "or algo"},
        {"method a algo svm kernle=rbf", 1, 19, "did you mean \"kernel\"?"},
        {"method a algo svm C=1 kernel={rbf,lineer}", 1, 23, "did you mean \"linear\"?"},
        {"method a algo svm kernel=linear sigma=1x", 1, 15, "does not apply to kernel=linear"},
        {"method a algo svm kernel={rbf,linear} sigma={1x,2x}", 1, 15, "write `or algo svm kernel=..."},
        {DATA TASK METHOD "table score=accuarcy", 4, 7, "did you mean \"accuracy\"?"},
        {DATA TASK METHOD "table score=foo", 4, 7, "no score \"foo\""},
        {DATA TASK METHOD "curve accuarcy", 4, 7, "did you mean \"accuracy\"?"},
        {"method a algo svm C={seed}", 1, 19, "in generate, split and task only"},
        {"method a algo svm rbf", 1, 19, "not key=value"},
        {"method a algo svm or", 1, 19, "an algorithm must follow"},
        {"method a algo svm or svm", 1, 22, "expected `algo`"},
        {METHOD METHOD, 2, 8, "give this one another name"},
        {"or algo svm", 1, 1, "must follow a `method` line"},
        {METHOD "tune\nor algo svm", 3, 1, "must follow a `method` line"},
        {METHOD "or svm", 2, 4, "expected `algo`"},
        {METHOD "or", 2, 1, "an algorithm must follow"},
        {"method a algo svm C={1..200} gamma={1..200}", 1, 10, "more than 10000 candidates"},
        {DATA TASK "method a algo svm kernel=rbf C={1,2}", 3, 30, "add a line `tune folds=5`"},
        {DATA TASK METHOD "method b algo svm\n  or algo svm C=2", 5, 6, "method b has several candidates"},
        {DATA "task cluster\n" METHOD, 3, 15, "svm does not solve the task cluster"},
        {"tune 5", 1, 6, "not key=value"},
        {"tune fold=5", 1, 6, "did you mean \"folds\"?"},
        {"tune folds={3,5}", 1, 6, "braces are allowed in"},
        {"tune\ntune", 2, 1, "line 1 already"},
        {"repeat", 1, 1, "repeat takes"},
        {"repeat often", 1, 8, "neither a number of repetitions"},
        {"repeat 0", 1, 8, "neither a number of repetitions"},
        {"repeat 30 times", 1, 11, "a `repeat` line ends here"},
        {"repeat {1..", 1, 8, "never closed"},
        {"repeat {1,x}", 1, 8, "\"x\" is not a seed"},
        {"repeat {1,01}", 1, 8, "is given twice"},
        {"repeat 2\nrepeat 3", 2, 1, "line 1 already"},
        {"continue 5", 1, 10, "continue takes nothing"},
        {"continue until", 1, 10, "must follow `until`"},
        {DATA TASK METHOD "continue until  gapp < 1", 4, 17, "for svm: no metric \"gapp\""},
        {"eval tset", 1, 6, "did you mean \"test\"?"},
        {"eval test twice", 1, 11, "there are test, unlabeled, train"},
        {"eval test train test", 1, 17, "test is scored already"},
        {DATA TASK METHOD "eval unlabeled test", 4, 16, "without a split"},
        {DATA TASK METHOD "table score=train_accuracy", 4, 7, "no score"},
        {DATA TASK METHOD "eval unlabeled train\ntable score=train_acuracy", 5, 7,
         "did you mean \"train_accuracy\"?"},
        {DATA TASK METHOD "eval unlabeled train\ntable score=train_seconds", 5, 7, "no score"},
        {DATA TASK METHOD "table score=success", 4, 7, "success is a score of the task mil"},
        {DATA TASK METHOD "table score=rows_off", 4, 7, "rows_off is a score of the task llp"},
        {DATA TASK METHOD "table methods=a,b", 4, 7, "no method \"b\""},
        {DATA TASK "method Alpha algo svm\nmethod b algo svm C=2\ntable methods=b,Alhpa", 5, 7,
         "did you mean \"Alpha\"?"},
        {DATA TASK "method Alpha algo svm\nmethod b algo svm C=2\ntable methods=b against=Alpha", 5, 17,
         "not among the methods"},
        {DATA TASK "method Alpha algo svm\ncurve accuracy vs seconds methods=", 4, 27, "no method \"\""},
        {DATA TASK METHOD "table rows=settings", 4, 7, "one setting only"},
        {"eval\neval", 2, 1, "line 1 already"},
        {DATA TASK METHOD "eval test", 4, 6, "without a split"},
        {DATA TASK METHOD "repeat 1000000\nload x\n", 4, 1, "2000000 cells"},
        {DATA TASK METHOD "published", 4, 1, "takes a method and numbers"},
        {DATA TASK METHOD "published a", 4, 1, "no number is given"},
        {DATA TASK METHOD "published two-moons=3", 4, 11, "takes a method and numbers"},
        {DATA TASK METHOD "published a two-moon=.7", 4, 13, "did you mean \"two-moons\"?"},
        {DATA TASK METHOD "published a two-moons=x", 4, 13, "must be a mean"},
        {DATA TASK METHOD "published a two-moons=.7+-", 4, 13, "must be a mean"},
        {DATA TASK METHOD "published a two-moons=.7+--1", 4, 13, "must be a mean"},
        {DATA TASK METHOD "published a two-moons=.7 two-moons=.8", 4, 26, "given twice"},
        {DATA TASK METHOD "published a .7", 4, 13, "is not DATA=mean"},
        {DATA TASK METHOD "published a repeats=0 two-moons=.7", 4, 13, "must be an integer"},
        {DATA "task ssl labeled={4,6}\n" METHOD "published a two-moons=.7", 4, 1, "add labeled=4"},
        {DATA "task ssl labeled={4,6}\n" METHOD "published a labeled=5 two-moons=.7", 4, 13,
         "no setting has"},
        {DATA "task ssl labeled={4,6}\n" METHOD "published a labled=4 two-moons=.7", 4, 13,
         "did you mean \"labeled\"?"},
        {DATA TASK METHOD "table SVM", 4, 7, "not key=value"},
        {DATA TASK METHOD "table agianst=a", 4, 7, "did you mean \"against\"?"},
        {DATA TASK "method Alpha algo svm\ntable against=Alhpa", 4, 7, "did you mean \"Alpha\"?"},
        {DATA TASK METHOD "curve vs=labeled", 4, 1, "curve takes a score"},
        {DATA TASK METHOD "curve accuracy over labeled", 4, 16, "a curve line is"},
        {DATA TASK METHOD "curve accuracy vs labeled", 4, 19, "no setting in braces \"labeled\""},
        {DATA "task ssl labeled={10,5%}\n" METHOD "curve accuracy vs labeled", 4, 19,
         "labeled=10 is a number and labeled=5% a percentage"},
        {DATA "task ssl labeled={4,6}\n" METHOD "curve accuracy vs labled", 4, 19,
         "did you mean \"labeled\"?"},
        {DATA "task ssl positive={x,y}\n" METHOD "curve accuracy vs positive", 4, 19, "is not a number"},
        {DATA TASK METHOD "curve accuracy vs seconds to", 4, 27, "name of a file"},
        {DATA TASK METHOD "curve accuracy vs seconds to a.png b", 4, 36, "`curve` line ends here"},
        {DATA TASK METHOD "curve accuracy vs seconds to ../a.png", 4, 30, "without a folder"},
        {DATA TASK METHOD "curve accuracy vs seconds to a.gp", 4, 30, "ends in .png"},
        {DATA TASK METHOD "curve accuracy vs seconds data=b", 4, 27, "no data set \"b\""},
        {DATA TASK METHOD "curve accuracy vs seconds bar=sd", 4, 27, "did you mean \"bars\"?"},
        {"title a\x01"
         "b",
         1, 8, "control character"},
        {DATA "load a.libsvm as z\xc2\x9b"
              "2J",
         2, 19, "control character"},
    };
    char text[2048];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wlab_experiment *e = NULL;
        if (parse(&e, wrong[i].text) == WL_OK)
            fail_msg("no error: %s", wrong[i].text);
        assert_null(e);
        if (err.line != wrong[i].line || err.column != wrong[i].column ||
            !strstr(err.message, wrong[i].says) || strcmp(err.file, "x.wexp") != 0 || err.code != WL_EINPUT)
            fail_msg("%s\n%s\ninstead of %ld:%ld: %s", wrong[i].text,
                     wlab_err_format(&err, text, sizeof text), wrong[i].line, wrong[i].column, wrong[i].says);
    }
}

static void test_bytes(void **state)
{
    wlab_experiment *e = NULL;
    static const char zero[] = "load a\nload b\0c\n";
    size_t len = 1 << 20;
    char *text = malloc(len);

    (void)state;
    assert_int_equal(wlab_experiment_parse(&e, zero, sizeof zero - 1, "x.wexp", &err), WL_EINPUT);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 7);
    assert_int_equal(wlab_experiment_parse(&e, zero, sizeof zero - 1, "x.wexp", NULL), WL_EINPUT);
    assert_non_null(text); /* a very long line; names that are not UTF-8 */
    memset(text, 'x', len);
    memcpy(text, "load ", 5);
    assert_int_equal(wlab_experiment_parse(&e, text, len, "x.wexp", &err), WL_EINPUT);
    free(text);
    e = parsed("load \xff\xfe.csv\n" TASK METHOD);
    assert_string_equal(e->data[0].name, "\xff\xfe");
    wlab_experiment_free(e);
}

static void test_order(void **state)
{
    wlab_experiment *e = planned(BASE);
    wlab_buf title = {0};

    (void)state;
    assert_int_equal(e->cells, 16);
    for (int64_t i = 0; i < e->cells; i++) {
        const wlab_cell *c = &e->cell[i];
        assert_int_equal(c->number, i + 1);
        assert_int_equal(c->method, i % 2);
        assert_int_equal(c->data, i / 2 % 2);
        assert_int_equal(c->setting, i / 4 % 2);
        assert_int_equal(c->seed, i / 8 + 1);
        assert_int_equal(c->fold, 0);
        for (int64_t k = 0; k < i; k++)
            assert_string_not_equal(e->cell[k].key, c->key);
    }
    assert_int_equal(wlab_cell_title(e, &e->cell[14], &title), WL_OK);
    assert_string_equal((const char *)title.data, "bee labeled=10% SVM seed=2");
    wlab_buf_clear(&title);
    wlab_experiment_free(e);

    e = planned("load a\nsplit folds=3\n" TASK METHOD "repeat {5,4}");
    assert_int_equal(e->cells, 6);
    assert_int_equal(e->cell[4].fold, 2);
    assert_int_equal(e->cell[4].seed, 4);
    ASSERT_NEAR(e->test_ratio, 0.5, 1e-12);
    assert_int_equal(wlab_cell_title(e, &e->cell[4], &title), WL_OK);
    assert_string_equal((const char *)title.data, "a a seed=4 fold=2");
    wlab_buf_clear(&title);
    wlab_experiment_free(e);
}

static void expect_lines(wlab_code (*make)(const wlab_experiment *, const wlab_cell *, char ***, int *,
                                           wlab_err *),
                         const wlab_experiment *e, int64_t number, const char *joined)
{
    char **lines = NULL, text[4096] = "";
    int n = 0;

    ASSERT_OK(make(e, &e->cell[number - 1], &lines, &n, &err), err);
    for (int i = 0; i < n; i++) {
        strcat(text, i ? "; " : "");
        strcat(text, lines[i]);
    }
    assert_string_equal(text, joined);
    wlab_list_free(lines, n);
}

static void test_lines(void **state)
{
    wlab_experiment *e = planned(BASE);
    wlab_candidate *list = NULL;
    int n = 0;

    (void)state;
    expect_lines(wlab_cell_before, e, 16,
                 "load sub/b.csv as bee label=last; split test=0.25 seed=2; task ssl labeled=10% seed=2");
    expect_lines(wlab_cell_after, e, 16, "continue; eval test");
    ASSERT_OK(wlab_cell_candidates(e, &e->cell[15], &list, &n, &err), err);
    assert_int_equal(n, 8);
    assert_string_equal(list[0].text, "wellsvm kernel=linear C2=0.1 seed=2");
    assert_string_equal(list[7].text, "wellsvm kernel=rbf sigma=1x C2=10 seed=2");
    wlab_candidates_free(list, n);
    ASSERT_OK(wlab_cell_candidates(e, &e->cell[14], &list, &n, &err), err);
    assert_int_equal(n, 1);
    wlab_candidates_free(list, n);
    wlab_experiment_free(e);

    /* each kind of rows is scored by a command of its own; scores of the second kind have its name in front */
    e = planned(DATA "task ssl labeled={4,6}\n" METHOD
                     "eval unlabeled train\ntable score=train_f1 rows=settings\n"
                     "table score=error methods=a against=a\ncurve train_error methods=a log=yes\n");
    expect_lines(wlab_cell_after, e, 1, "continue; eval unlabeled; eval train");
    assert_int_equal(e->nreports, 3);
    wlab_experiment_free(e);

    /* braces in two lines, {seed} and {data}, and given seeds, which are kept; then one key with braces in two lines */
    e = planned("generate two-moons as \"two moons\" n={50,60}\nsplit test=0.{2,4} seed=3\nscale unit\n"
                "task ssl labeled=@{data}-{seed}.txt line={seed} seed=1\n" METHOD "repeat {8,9}");
    assert_int_equal(e->cells, 8);
    expect_lines(wlab_cell_before, e, 8,
                 "generate two-moons as \"two moons\" n=60 seed=9; split test=0.4 seed=3; scale unit; "
                 "task ssl labeled=\"@two moons-9.txt\" line=9 seed=1");
    assert_string_equal(e->setting[3].name, "n=60 test=0.4");
    wlab_experiment_free(e);
    e = planned(
        "generate two-moons n={50,60}\ngenerate ring-clusters n={50,60}\nsplit folds=2\n" TASK METHOD);
    assert_int_equal(e->nsettings, 2);
    assert_int_equal(e->cells, 8);
    expect_lines(wlab_cell_before, e, 8,
                 "generate ring-clusters as ring-clusters n=60 seed=1; split folds=2 seed=1 fold=2; "
                 "task ssl labeled=4 seed=1");
    wlab_experiment_free(e);
}

/* The key of cell `number`. */
static char *key(const char *text, int64_t number, char hex[65])
{
    wlab_experiment *e = planned(text);
    assert_true(number <= e->cells);
    memcpy(hex, e->cell[number - 1].key, 65);
    wlab_experiment_free(e);
    return hex;
}

static void test_keys(void **state)
{
#define ONE                                                                                                  \
    "load a\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm C={1,2}\ntune folds=4\n"
    static const char *const same[] = {
        "# other words\ntitle T\n" ONE,
        "load x/y/a.csv.gz as a\nscale unit\nsplit   test=0.25\ntask ssl labeled={4,6}\nmethod other algo "
        "svm C={1,2}\n"
        "tune folds=4\ncontinue\neval test\nrepeat 3\n",
        ONE "method n algo svm\nload b\npublished m labeled=4 a=.7\ntable\ncurve accuracy vs labeled\n",
        "load a\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6,8}\nmethod m algo svm C={1,2}\ntune "
        "warm=no folds=4\n",
    };
    static const char *const other[] = {
        "load b as a2\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm C={1,2}\ntune "
        "folds=4\n",
        "load a label=1\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm "
        "C={1,2}\ntune folds=4\n",
        "load a\nsplit test=0.3\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm C={1,2}\ntune "
        "folds=4\n",
        "load a\nsplit test=0.25 seed=1\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm C={1,2}\ntune "
        "folds=4\n",
        "load a\nsplit test=0.25\nscale zscore\ntask ssl labeled={4,6}\nmethod m algo svm C={1,2}\ntune "
        "folds=4\n",
        "load a\nsplit test=0.25\ntask ssl labeled={4,6}\nmethod m algo svm C={1,2}\ntune folds=4\n",
        "load a\nsplit test=0.25\nscale unit\ntask ssl labeled={5,6}\nmethod m algo svm C={1,2}\ntune "
        "folds=4\n",
        "load a\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6} seed=1\nmethod m algo svm C={1,2}\ntune "
        "folds=4\n",
        "load a\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm C={1,3}\ntune "
        "folds=4\n",
        "load a\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6}\nmethod m algo svm C={2,1}\ntune "
        "folds=4\n",
        ONE "continue until iter > 2\n",
        ONE "eval train\n",
        ONE "eval test train\n",
        ONE "repeat {2}\n",
    };
    char first[65], hex[65];

    (void)state;
    key(ONE, 1, first);
    assert_int_equal(strlen(first), 64);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(key(same[i], 1, hex), first) != 0)
            fail_msg("another key: %s", same[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_string_not_equal(key(other[i], 1, hex), first);
    assert_string_not_equal(key("load a\nsplit test=0.25\nscale unit\ntask ssl labeled={4,6}\nmethod m algo "
                                "svm C={1,2}\ntune folds=5\n",
                                1, hex),
                            first);
    /* settings of `tune` do not change the key of a method with one candidate */
    key(DATA TASK METHOD "tune folds=5", 1, first);
    assert_string_equal(key(DATA TASK METHOD "tune folds=6", 1, hex), first);
    assert_string_equal(key("generate two-moons as other\n" TASK METHOD, 1, hex), first);
    assert_string_not_equal(key("generate two-moons n=100\n" TASK METHOD, 1, hex), first);
    assert_string_not_equal(key("generate two-moons seed=1\n" TASK METHOD, 1, hex), first);
}

static void test_twins(void **state)
{
    static const struct {
        const char *text;
        long line, column;
        const char *says;
    } twins[] = {
        {DATA TASK METHOD "  method b algo  svm", 4, 10, "method b is the same as a in line 3"},
        {DATA "generate two-moons as b\n" TASK METHOD, 2, 10, "b holds the same data as two-moons in line 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        wlab_experiment *e = parsed(twins[i].text);
        ASSERT_FAILS(wlab_experiment_plan(e, &err), WL_EINPUT, err, twins[i].says);
        assert_int_equal(err.line, twins[i].line);
        assert_int_equal(err.column, twins[i].column);
        assert_int_equal(e->cells, 0);
        wlab_experiment_free(e);
    }
    wlab_experiment *e = parsed("load a\n" TASK METHOD);
    ASSERT_FAILS(wlab_experiment_plan(e, &err), WL_EINPUT, err, "not read yet");
    wlab_experiment_free(e);
}

static void test_memory(void **state)
{
    static const char more[] =
        BASE "title T\nscale unit\ncontinue until iter > 3\neval test\npublished SVM labeled=5% a=.7+-.1\n"
             "table against=SVM\ncurve accuracy vs labeled to x.png\n";

    (void)state;
    for (long k = 1;; k++) {
        wlab_experiment *e = NULL;
        wlab_err own = {0};
        wlab_alloc_fail_at(k);
        wlab_code code = wlab_experiment_parse(&e, more, sizeof more - 1, "x.wexp", &own);
        if (!code) {
            for (int d = 0; d < e->ndata; d++)
                strcpy(e->data[d].sha256, d ? "1" : "2");
            code = wlab_experiment_plan(e, &own);
        }
        char **lines = NULL;
        int n = 0;
        if (!code)
            code = wlab_cell_before(e, &e->cell[15], &lines, &n, &own);
        wlab_list_free(lines, n);
        if (!code)
            code = wlab_cell_after(e, &e->cell[15], &lines, &n, &own);
        wlab_candidate *list = NULL;
        int candidates = 0;
        if (!code) {
            wlab_list_free(lines, n);
            code = wlab_cell_candidates(e, &e->cell[15], &list, &candidates, &own);
            wlab_candidates_free(list, candidates);
        }
        wlab_alloc_fail_at(0);
        wlab_experiment_free(e);
        if (code == WL_OK) {
            assert_true(k > 100);
            break;
        }
        if (code != WL_ENOMEM || own.code != WL_ENOMEM)
            fail_msg("allocation %ld: code %d, %s", k, (int)code, own.message);
    }
}

/* ---- with data ---- */

static char home[256];

static wlab_code read_and_check(wlab_experiment **e, const char *path, const char *const *dirs)
{
    wlab_places places = {dirs ? dirs : talk_nowhere, talk_nowhere, ".", NULL, home};
    memset(&err, 0, sizeof err);
    *e = NULL;
    wlab_code code = wlab_experiment_read(e, path, &err);
    return code ? code : wlab_experiment_check(*e, &places, NULL, &err);
}

static void write_in(const char *dir, const char *name, const char *text, char path[512])
{
    snprintf(path, 512, "%s/%s", dir, name);
    talk_write(path, text);
}

static void remove_files(const char *dir)
{
    static const char *const names[] = {"x.wexp", "a.libsvm", "b.csv",      "bad.csv",
                                        "s1.txt", "s2.txt",   "one.libsvm", "labels.txt"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

static const char rows[] =
    "1 1:1 2:2\n-1 1:2 2:3\n1 1:1.5 2:1\n-1 1:3 2:3\n1 1:1 2:1\n-1 1:2 2:2\n1 2:1\n-1 1:3 2:1\n";

static void test_check(void **state)
{
    char dir[256], other[256], path[512], unused[512], hex[65], expected[1024], **lines = NULL;
    const char *dirs[] = {other, NULL};
    wlab_experiment *e = NULL;
    int n = 0;

    (void)state;
    talk_folder(dir);
    talk_folder(other);
    write_in(dir, "a.libsvm", rows, unused);
    write_in(other, "b.csv", "x,class\n1,u\n2,v\n3,u\n4,v\n5,u\n6,v\n", unused);
    write_in(dir, "x.wexp",
             "load a.libsvm\nload b.csv\ngenerate two-moons n=40 as drawn\ngenerate ring-clusters n=40 "
             "seed=2\nscale "
             "minmax\n"
             "split test={2,3}\ntask ssl labeled=2\nmethod svm algo svm\nrepeat 2\n",
             path);
    ASSERT_OK(read_and_check(&e, path, dirs), err);
    assert_int_equal(e->cells, 16);
    wlab_sha256_hex(rows, sizeof rows - 1, hex);
    assert_string_equal(e->data[0].sha256, hex);
    assert_int_equal(strlen(e->data[1].sha256), 64);
    assert_string_equal(e->data[2].sha256, "");
    ASSERT_NEAR(e->test_ratio, 3.0 / 3, 1e-12); /* of b.csv: 3 of 6 rows */
    snprintf(expected, sizeof expected, "load %s/b.csv as b", other);
    assert_string_equal(e->data[1].line, expected);
    /* a session can execute the lines */
    talk *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int64_t i = 0; i < e->cells; i += 5) {
        talk_begin(t, true, NULL);
        ASSERT_OK(wlab_cell_before(e, &e->cell[i], &lines, &n, &err), err);
        assert_int_equal(n, 4);
        for (int k = 0; k < n; k++)
            EXEC(t, lines[k]);
        wlab_list_free(lines, n);
        talk_end(t);
    }
    free(t);
    /* a second parse with the same sums gives the same plan */
    wlab_experiment *again = NULL;
    ASSERT_OK(wlab_experiment_parse(&again, e->text, strlen(e->text), e->path, &err), err);
    for (int d = 0; d < e->ndata; d++)
        strcpy(again->data[d].sha256, e->data[d].sha256);
    ASSERT_OK(wlab_experiment_plan(again, &err), err);
    assert_string_equal(again->plan, e->plan);
    wlab_experiment_free(again);
    wlab_experiment_free(e);
    remove_files(dir);
    remove_files(other);
}

/* Keys depend on the contents of the files that settings name. */
static void test_files(void **state)
{
    char dir[256], path[512], unused[512], before[65];
    wlab_experiment *e = NULL;

    (void)state;
    talk_folder(dir);
    write_in(dir, "a.libsvm", rows, unused);
    write_in(dir, "s1.txt", "1 2\n", unused);
    write_in(dir, "s2.txt", "3 4\n", unused);
    write_in(dir, "x.wexp",
             "load a.libsvm\ntask ssl labeled=@s{seed}.txt line=1\nmethod svm algo svm\nrepeat 2\n", path);
    ASSERT_OK(read_and_check(&e, path, NULL), err);
    strcpy(before, e->cell[0].key);
    wlab_experiment_free(e);
    ASSERT_OK(read_and_check(&e, path, NULL), err);
    assert_string_equal(e->cell[0].key, before);
    wlab_experiment_free(e);
    write_in(dir, "s2.txt", "5 6\n", unused);
    ASSERT_OK(read_and_check(&e, path, NULL), err);
    assert_string_not_equal(e->cell[0].key, before);
    wlab_experiment_free(e);

    /* files with the same contents, but for other seeds, give other cells */
    write_in(dir, "s3.txt", "1 2\n", unused);
    write_in(dir, "x.wexp",
             "load a.libsvm\ntask ssl labeled=@s{seed}.txt line=1\nmethod svm algo svm\nrepeat 3\n", path);
    ASSERT_OK(read_and_check(&e, path, NULL), err);
    strcpy(before, e->cell[2].key);
    wlab_experiment_free(e);
    write_in(dir, "s3.txt", "5 6\n", unused);
    ASSERT_OK(read_and_check(&e, path, NULL), err);
    assert_string_not_equal(e->cell[2].key, before);
    wlab_experiment_free(e);

    /* a file for each setting; with one file for all seeds no key depends on the number of seeds */
    write_in(dir, "x.wexp", "load a.libsvm\ntask ssl labeled={@s1.txt,@s2.txt} line=1\nmethod svm algo svm\n",
             path);
    ASSERT_OK(read_and_check(&e, path, NULL), err);
    assert_string_not_equal(e->cell[0].key, e->cell[1].key);
    wlab_experiment_free(e);
    write_in(dir, "s1.txt", "1 2\n3 4\n5 6\n", unused);
    for (int repeat = 2; repeat <= 3; repeat++) {
        char text[200];
        snprintf(text, sizeof text,
                 "load a.libsvm\ntask ssl labeled=@s1.txt line={seed}\nmethod svm algo svm\nrepeat %d\n",
                 repeat);
        write_in(dir, "x.wexp", text, path);
        ASSERT_OK(read_and_check(&e, path, NULL), err);
        if (repeat == 2)
            strcpy(before, e->cell[0].key);
        assert_string_equal(e->cell[0].key, before);
        wlab_experiment_free(e);
    }
    remove_files(dir);
}

static void test_check_errors(void **state)
{
    static const struct {
        const char *text;
        long line, column;
        const char *says;
    } wrong[] = {
        {"load a.libsvm\n  load  c.libsvm\n" TASK METHOD, 2, 9, "no data file 'c.libsvm'"},
        {"load a.libsvm labels=none.txt\n" TASK METHOD, 1, 15, "none.txt"},
        {"load bad.csv\n" TASK METHOD, 1, 6, "bad.csv:3:7: error: "},
        {"load a.libsvm\n task ssl labeled={2,7,9}\n" METHOD, 2, 2, "a, labeled=9: "},
        {"load a.libsvm\ntask ssl labeled=2 positive=3\n" METHOD, 2, 1, "a: 'a' has no class '3'"},
        {"load one.libsvm\ntask ssl labeled=2\n" METHOD, 2, 1, "only one class"},
        {"load a.libsvm\nsplit test={2,8}\ntask ssl labeled=2\n" METHOD, 2, 1, "a, test=8: "},
        {"load a.libsvm\ntask supervised\n" METHOD "eval unlabeled\n", 4, 1, "no unlabeled rows"},
        {"load a.libsvm\nload a.libsvm as b\ntask ssl labeled=2\n" METHOD, 2, 6,
         "b holds the same data as a"},
        {"load a.libsvm\ntask ssl labeled=@none.txt\n" METHOD, 2, 1, "none.txt"},
        {"load ~/a.libsvm\ntask ssl labeled=@~/s.txt\n" METHOD, 2, 1, "~/s.txt"},
    };
    char dir[256], path[512], unused[512], text[2048];

    (void)state;
    talk_folder(dir);
    write_in(dir, "a.libsvm", rows, unused);
    snprintf(home, sizeof home, "%s", dir);
    write_in(dir, "one.libsvm", "1 1:1\n1 1:2\n1 1:3\n", unused);
    write_in(dir, "bad.csv", "x,y,class\n1,2,u\n1,2,3,4,v\n", unused);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wlab_experiment *e = NULL;
        write_in(dir, "x.wexp", wrong[i].text, path);
        if (read_and_check(&e, path, NULL) == WL_OK)
            fail_msg("no error: %s", wrong[i].text);
        if (err.line != wrong[i].line || err.column != wrong[i].column ||
            !strstr(err.message, wrong[i].says) || strcmp(err.file, path) != 0)
            fail_msg("%s\n%s\ninstead of %ld:%ld: %s", wrong[i].text,
                     wlab_err_format(&err, text, sizeof text), wrong[i].line, wrong[i].column, wrong[i].says);
        wlab_experiment_free(e);
    }
    wlab_experiment *e = NULL;
    ASSERT_FAILS(wlab_experiment_read(&e, dir, &err), WL_EIO, err, "a folder or a device");
    ASSERT_FAILS(wlab_experiment_read(&e, "/nowhere/x.wexp", &err), WL_EIO, err, "cannot open");
    remove_files(dir);
}

static void test_check_memory(void **state)
{
    char dir[256], path[512], unused[512];
    long k = 1;

    (void)state;
    talk_folder(dir);
    write_in(dir, "a.libsvm", rows, unused);
    write_in(dir, "s1.txt", "1 2\n", unused);
    write_in(
        dir, "x.wexp",
        "load a.libsvm\nsplit test=2\nscale unit\ntask ssl labeled=@s1.txt line={1}\nmethod svm algo svm\n",
        path);
    for (;; k++) {
        wlab_experiment *e = NULL;
        wlab_places places = {talk_nowhere, talk_nowhere, ".", NULL, NULL};
        wlab_err own = {0};
        ASSERT_OK(wlab_experiment_read(&e, path, &err), err);
        wlab_alloc_fail_at(k);
        wlab_code code = wlab_experiment_check(e, &places, NULL, &own);
        wlab_alloc_fail_at(0);
        wlab_experiment_free(e);
        if (code == WL_OK)
            break;
        if (code != WL_ENOMEM)
            fail_msg("allocation %ld: code %d, %s", k, (int)code, own.message);
    }
    assert_true(k > 50);
    remove_files(dir);
}

/* The experiments of this project. */
static void test_shipped(void **state)
{
    wlab_experiment *e = NULL;

    (void)state;
    ASSERT_OK(read_and_check(&e, "scripts/experiments/quick.wexp", NULL), err);
    assert_true(e->ndata > 1 && e->nmethods > 1 && e->nsettings > 1 && e->nseeds > 1);
    assert_int_equal(e->cells, (int64_t)e->ndata * e->nmethods * e->nsettings * e->nseeds);
    wlab_experiment_free(e);
    ASSERT_OK(wlab_experiment_read(&e, "scripts/experiments/wellsvm-tables-large.wexp", &err), err);
    assert_int_equal(e->npublished, 30);
    wlab_experiment_free(e);
    ASSERT_OK(wlab_experiment_read(&e, "scripts/experiments/wellsvm-tables.wexp", &err), err);
    assert_int_equal(e->npublished, 180);
    wlab_experiment_free(e);
    ASSERT_OK(read_and_check(&e, "scripts/experiments/svmlin-quick.wexp", NULL), err);
    assert_true(e->ndata == 1 && e->nmethods == 3 && e->nsettings > 1 && e->nseeds > 1);
    wlab_experiment_free(e);
    static const struct {
        const char *name;
        int published;
    } psvm[] = {{"tables-linear", 144}, {"tables-rbf", 144}, {"robustness", 4}, {"codrna", 6}, {"time", 0}};
    for (size_t i = 0; i < sizeof psvm / sizeof *psvm; i++) {
        char path[80];
        snprintf(path, sizeof path, "scripts/experiments/psvm-%s.wexp", psvm[i].name);
        ASSERT_OK(wlab_experiment_read(&e, path, &err), err);
        assert_int_equal(e->npublished, psvm[i].published);
        wlab_experiment_free(e);
    }
}

static bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n)
        if (at > text && strchr(" \n", at[-1]) && strchr(" \n,:", at[n]))
            return true;
    return false;
}

/* Every file of the folder can be read and planned, and the script `run` mentions it: in the list of those that run by
 * default, or in the comment about those left out.  Every file in the list exists. */
static void test_every_file(void **state)
{
    static const char folder[] = "scripts/experiments";
    char *run = talk_read("scripts/experiments/run"), *list = run ? strstr(run, "|| set -- ") : NULL;
    DIR *dir = opendir(folder);
    int files = 0;

    (void)state;
    assert_non_null(dir);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[400];
        char *end = strstr(entry->d_name, ".wexp");
        if (!end || end[5])
            continue;
        wlab_experiment *e = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ASSERT_OK(wlab_experiment_read(&e, path, &err), err);
        plan_made_up(e);
        assert_true(e->cells > 0);
        wlab_experiment_free(e);
        *end = 0;
        if (!has_word(run, entry->d_name))
            fail_msg("scripts/experiments/run does not know %s", entry->d_name);
        files++;
    }
    closedir(dir);
    assert_true(files > 0);
    list += strlen("|| set -- ");
    for (char *end = list; (end = strchr(end, '\n')); end++)
        if (end[-1] != '\\') {
            *end = 0;
            break;
        }
    char *save = NULL;
    for (char *name = strtok_r(list, " \\\n", &save); name; name = strtok_r(NULL, " \\\n", &save)) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s.wexp", folder, name);
        if (access(path, R_OK) != 0)
            fail_msg("scripts/experiments/run names %s, which is not there", name);
    }
    free(run);
}

/* The example of the man page, as a reader would copy it. */
static void test_man_page(void **state)
{
    static const char *const dirs[] = {"datasets", NULL};
    char dir[256], path[512], *text = talk_read("man/weaklab-experiment.5.in");
    char *begin = text ? strstr(text, ".SH EXAMPLE\n.EX\n") : NULL,
         *end = begin ? strstr(begin, ".EE\n") : NULL;
    wlab_experiment *e = NULL;

    (void)state;
    assert_non_null(end);
    begin += strlen(".SH EXAMPLE\n.EX\n");
    *end = '\0';
    char *to = begin;
    for (const char *from = begin; *from; from++) /* `\-` */
        if (*from != '\\')
            *to++ = *from;
    *to = '\0';
    talk_folder(dir);
    write_in(dir, "x.wexp", begin, path);
    ASSERT_OK(read_and_check(&e, path, dirs), err);
    assert_int_equal(e->cells, 3 * 2 * 2 * 10);
    wlab_experiment_free(e);
    free(text);
    remove_files(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),      cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_order),        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_keys),         cmocka_unit_test(test_twins),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_check),
        cmocka_unit_test(test_files),        cmocka_unit_test(test_check_errors),
        cmocka_unit_test(test_check_memory), cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_every_file),   cmocka_unit_test(test_man_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
