/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The library in a program whose locale has a decimal comma reads and writes numbers with a decimal point.
 */
#include "reading.h"
#include "talk.h"

#include "plot/plot.h"
#include "session/session.h"
#include "weaklab/model.h"
#include "weaklab/statistics.h"
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static char folder[64]; /* contains all files of this test */

static int run_program(char *const argv[])
{
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = -1;

    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&quiet, 1, 2);
    if (posix_spawnp(&child, argv[0], &quiet, NULL, argv, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&quiet);
    return status;
}

/* Set a locale with a decimal comma, one that is installed or one created for this test; returns its name. */
static const char *set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    static char place[128];
    const char *got = NULL;

    for (size_t i = 0; !got && i < sizeof names / sizeof *names; i++)
        got = setlocale(LC_ALL, names[i]);
    if (got)
        return got;
    if (!place[0]) {
        snprintf(place, sizeof place, "%s/de_DE.utf8", folder);
        char *const argv[] = {"localedef", "-i", "de_DE", "-f", "UTF-8", place, NULL};
        (void)run_program(argv);
    }
    (void)setenv("LOCPATH", folder, 1);
    got = setlocale(LC_ALL, "de_DE.utf8");
    (void)unsetenv("LOCPATH"); /* if it is set, glibc's newlocale leaks memory */
    return got;
}

static void need_comma(void)
{
    if (!set_comma_locale() || strcmp(localeconv()->decimal_point, ",") != 0) {
        (void)setlocale(LC_ALL, "C");
        print_message("skipped: no locale with a decimal comma is installed, nor can localedef make one\n");
        skip();
    }
}

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/weaklab-locale-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char *const argv[] = {"rm", "-rf", folder, NULL};
    (void)state;
    return run_program(argv);
}

static int plain(void **state)
{
    (void)state;
    return setlocale(LC_ALL, "C") ? 0 : -1;
}

static void numbers(void **state)
{
    double x = 0, rank[2];
    char text[32], *made;
    wlab_buf buf = {0};

    (void)state;
    need_comma();
    assert_true(wlab_parse_real("1.5", &x) && x == 1.5);
    assert_false(wlab_parse_real("1,5", &x));
    assert_string_equal(wlab_real_text(0.25, text), "0.25");
    assert_int_equal(wlab_buf_printf(&buf, "%g", 0.5), WL_OK);
    assert_string_equal((char *)buf.data, "0.5");
    wlab_buf_clear(&buf);
    made = wlab_format("%.1f", 2.5);
    assert_string_equal(made, "2.5");
    wlab_free(made);
    (void)wlab_fail(&err, WL_EARG, "it is %g", 0.125);
    assert_string_equal(err.message, "it is 0.125");
    ASSERT_OK(wlab_score_ranks((double[]){0.123, 0.124}, 2, true, 2, rank, &err), err);
    assert_true(rank[0] == 1.5 && rank[1] == 1.5);
    assert_string_equal(localeconv()->decimal_point, ","); /* the locale of the process is unchanged */
}

/* Numbers of up to 400 digits, which only strtod can read, in every text format. */
static void long_numbers(void **state)
{
    static const struct {
        const char *suffix, *before, *between, *after;
    } formats[] = {{".csv", "a,b,class\n", ",1,x\n", ",2,y\n"},
                   {".libsvm", "1 1:", " 2:1\n-1 1:", " 2:2\n"},
                   {".arff",
                    "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n@data\n",
                    ",1,x\n", ",2,y\n"}};
    char digits[450], text[2000];

    (void)state;
    need_comma();
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int n = 20; n <= 400; n += 38) {
            double expected = 0;

            strcpy(digits, "0.");
            for (int i = 0; i < n; i++)
                digits[2 + i] = (char)('1' + i % 9);
            digits[2 + n] = '\0';
            snprintf(text, sizeof text, "%s%s%s%s%s", formats[f].before, digits, formats[f].between, digits,
                     formats[f].after);
            wlab_dataset *ds = reading_load(text, formats[f].suffix, NULL);
            assert_true(wlab_parse_real(digits, &expected));
            for (int64_t i = 0; i < 2; i++)
                ASSERT_NEAR(ds->X->dense[i * ds->X->cols], expected, 1e-15);
            wlab_dataset_unref(ds);
        }
}

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t n = 0;

    assert_non_null(in);
    assert_true(getdelim(&text, &n, EOF, in) > 0);
    fclose(in);
    return text;
}

/* Append `text`, which must not depend on the locale, without times and the version line. */
static void append_text(wlab_buf *all, const char *name, char *text)
{
    char *save = NULL;

    (void)wlab_buf_printf(all, "==== %s\n", name);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *took = strstr(line, "seconds");
        if (strncmp(line, "#@ weaklab", 10) == 0)
            continue;
        if (took)
            *took = '\0';
        assert_int_equal(wlab_buf_printf(all, "%s\n", line), WL_OK);
    }
}

/* Runs a session that records, displays, explains, evaluates, exports and plots, and appends its output and the files
 * that it wrote to *all. */
static void run_session(wlab_buf *all)
{
    static const char *const lines[] = {"record all.wlab",
                                        "generate two-moons n=40 noise=0.125 seed=3",
                                        "task ssl labeled=6 seed=1",
                                        "algo wellsvm kernel=rbf C1=0.5 loss=hinge",
                                        "display objective",
                                        "step 2",
                                        "set eps=0.0005",
                                        "step",
                                        "explain",
                                        "info run",
                                        "eval",
                                        "export model m.model",
                                        "export labels l.csv",
                                        "export predictions p.jsonl",
                                        "export predictions p.csv",
                                        "export trace t.csv",
                                        "plot objective to o.txt",
                                        "plot boundary to b.txt",
                                        "record stop"};
    static const char *const files[] = {"all.wlab", "m.model", "l.csv", "p.jsonl", "p.csv",
                                        "o.gp",     "o.dat",   "b.gp",  "b.dat"};
    wlab_err why;

    for (int json = 0; json < 2; json++) {
        talk *t = calloc(1, sizeof *t);
        char path[256];

        assert_non_null(t);
        snprintf(path, sizeof path, "%s/out%d", folder, json);
        char *const anew[] = {"rm", "-rf", path, NULL};
        assert_int_equal(run_program(anew), 0);
        assert_int_equal(mkdir(path, 0777), 0);
        talk_begin(t, json, path);
        ASSERT_OK(wlab_plot_register(t->s, &why), why);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            if (wlab_session_line(t->s, lines[i], WL_FROM_SCRIPT, NULL, 0, &t->err))
                fail_msg("%s: %s", lines[i], t->err.message);
        append_text(all, "text", t->text);
        append_text(all, "messages", t->messages);
        for (size_t i = 0; i < json_array_size(t->objects); i++) {
            char *one = json_dumps(json_array_get(t->objects, i), JSON_REAL_PRECISION(17) | JSON_INDENT(1));
            append_text(all, "object", one);
            free(one);
        }
        talk_end(t);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            snprintf(path, sizeof path, "%s/out%d/%s", folder, json, files[i]);
            char *text = read_text(path);
            append_text(all, files[i], text);
            free(text);
        }
        snprintf(path, sizeof path, "%s/out%d/t.csv", folder, json);
        char *trace = read_text(path), *save = NULL;
        int columns = -1;
        for (char *row = strtok_r(trace, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
            int n = 0;
            for (char *c = row; *c; c++)
                n += *c == ',';
            assert_true(columns < 0 || n == columns);
            columns = n;
        }
        free(trace);
        free(t);
    }
}

static void sessions(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_buf here = {0}, there = {0};
    wlab_model *model = NULL;
    wlab_err why;
    char path[256];

    (void)state;
    need_comma();
    run_session(&there);
    snprintf(path, sizeof path, "%s/out0/m.model", folder);
    ASSERT_OK(wlab_model_read(&model, path, &why), why);
    wlab_model_destroy(model);
    talk *t = calloc(1, sizeof *t);
    assert_non_null(t);
    talk_begin(t, false, folder);
    ASSERT_OK(wlab_plot_register(t->s, &why), why);
    snprintf(path, sizeof path, "%s/out0/all.wlab", folder);
    ASSERT_OK(wlab_session_replay(t->s, path, true, 0, 0, &why), why);
    assert_non_null(strstr(t->messages, "all equal bit for bit"));
    talk_end(t);
    free(t);
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_non_null(setlocale(LC_ALL, "C"));
    run_session(&here);
    const char *a = (const char *)here.data, *b = (const char *)there.data;
    assert_true(here.len > 10000);
    while (*a && *a == *b)
        a++, b++;
    if (*a || *b)
        fail_msg("with a point: ...%.100s\nwith a comma: ...%.100s", a, b);
    wlab_buf_clear(&here);
    wlab_buf_clear(&there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(numbers, plain),
                                       cmocka_unit_test_teardown(long_numbers, plain),
                                       cmocka_unit_test_teardown(sessions, plain)};
    return cmocka_run_group_tests_name("locale", tests, setup, teardown);
}
