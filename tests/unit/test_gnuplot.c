/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quoting, tested with the real gnuplot on hostile texts and names; and a gnuplot that is missing, hangs, dies, reports
 * errors or prints garbage.
 */
#include "plot/draw/gnuplot.h"
#include "plot/draw/quote.h"
#include "plot/draw/render.h"
#include "support.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

static char *terminated(wlab_buf *b)
{
    assert_int_equal(wlab_buf_put(b, "", 1), WL_OK);
    return (char *)b->data;
}

/* Make a folder for one test, which removes its files again. */
static void make_folder(char path[64])
{
    strcpy(path, "/tmp/weaklab-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static int entries(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static void put_file(const char *folder, const char *name, const void *data, size_t len, mode_t mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *o = fopen(path, "wb");
    assert_non_null(o);
    assert_int_equal(fwrite(data, 1, len, o), len);
    assert_int_equal(fclose(o), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void drop_file(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

/* ---- quoting ---- */
static const char *const hostile[] = {
    "`touch pwned`",
    "'`touch pwned`'",
    "'; system('touch pwned'); '",
    "'.system('touch pwned').'",
    "\\'; !touch pwned",
    "a' noenhanced; system(\"touch pwned\") #",
    "\"`touch pwned`\"",
    "\"; system('touch pwned'); \"",
    "@pwn @GPVAL_VERSION",
    "x\n!touch pwned\n",
    "x\r!touch pwned\r",
    "x\n`touch pwned`",
    "EOD\n!touch pwned",
    "ends in a backslash \\",
    "'",
    "''",
    "' '",
    "",
    "$(touch pwned) ${x} {/Symbol a} x_1^2 {",
    "} ; system('touch pwned') {",
    "do for [i=1:2] { system('touch pwned') }",
    "# comment",
    "%s %d %n %%",
    "\033[2J\007\b",
    "\xff\xfe broken \xc3( utf-8 \xe2\x82",
    "\xe2\x88\x9dSVM, Gr\xc3\xb6\303\237e",
    "\xe2\x80\xae right to left",
    "<b>&amp;</b> <script>",
    "< touch pwned",
    "| touch pwned",
};
enum {
    HOSTILE = sizeof hostile / sizeof *hostile
};

static void test_quote_text(void **state)
{
    static const struct {
        const char *text, *quoted;
    } cases[] = {
        {"plain", "'plain'"},       {"it's", "'it'.\"\\047\".'s'"},
        {"`x`", "'`x`'"},           {"a\nb\tc\x7f", "'a b c '"},
        {"\xc2\x85", "' '"},        {"\xc3\xa9\xff\xed\xa0\x80", "'\xc3\xa9?\?\?\?'"},
        {"\xe2\x80\xa8", "' '"},    {"", "''"},
        {"\xc0\xa7", "'\x3f\x3f'"}, /* an overlong ' */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wlab_buf b = {0};
        assert_int_equal(wlab_quote_text(&b, cases[i].text), WL_OK);
        assert_string_equal(terminated(&b), cases[i].quoted);
        wlab_buf_clear(&b);
    }
    char longest[1000];
    wlab_buf b = {0};
    memset(longest, '\'', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(wlab_quote_text(&b, longest), WL_OK);
    assert_int_equal(b.len, 7 * WL_QUOTE_MOST + 5);
    wlab_buf_clear(&b);
    wlab_buf_clear(&b);
    assert_int_equal(wlab_quote_latex(&b, "\\x{$a_1^2$} & 5% #~ <\u03bb|\u2032> \u00e9 \u6f22 it's"), WL_OK);
    assert_string_equal(terminated(&b), "'\\textbackslash{}x\\{\\$a\\_1\\textasciicircum{}2\\$\\} \\& 5\\% "
                                        "\\#\\textasciitilde{} $<$$\\lambda$$|$$'.\"\\047\".'$$>$ \u00e9 ? "
                                        "it'.\"\\047\".'s'");
    wlab_buf_clear(&b);
    assert_int_equal(wlab_quote_comment(&b, "a`b@c\\d'e\n"), WL_OK);
    assert_string_equal(terminated(&b), "a?b?c?d'e ");
    wlab_buf_clear(&b);
}

static void test_quote_file(void **state)
{
    wlab_buf b = {0};
    wlab_err err;
    (void)state;
    ASSERT_OK(wlab_quote_file(&b, "<it's|", &err), err);
    assert_string_equal(terminated(&b), "'./'.'<it'.\"\\047\".'s|'");
    wlab_buf_clear(&b);
    ASSERT_FAILS(wlab_quote_file(&b, "a\nb", &err), WL_EARG, err, "control");
    ASSERT_FAILS(wlab_quote_file(&b, "a/b", &err), WL_EARG, err, "name");
    ASSERT_FAILS(wlab_quote_file(&b, "a\xff", &err), WL_EARG, err, "UTF-8");
    ASSERT_FAILS(wlab_quote_file(&b, "", &err), WL_EARG, err, "255");
    assert_int_equal(b.len, 0);
}

/* A figure with the text in all places of a user's text. */
static void hostile_figure(wlab_figure *f, const char *s)
{
    wlab_figure_init(f, true);
    wlab_figure_title(f, "%s", s);
    wlab_figure_axes(f, s, s);
    int b = wlab_figure_block(f, 2, 2);
    wlab_figure_about(f, b, "%s", s);
    wlab_figure_column(f, b, 0, "%s", s);
    wlab_figure_column(f, b, 1, "%s", s);
    for (int i = 0; i < 2; i++) {
        *wlab_figure_at(f, b, i, 0) = i;
        *wlab_figure_at(f, b, i, 1) = 2 * i;
        wlab_figure_cover(f, i, 2 * i);
    }
    wlab_series series = {.block = b, .draw = WL_D_LINES, .x = 1, .y = 2, .ink = 1, .mark = '*'};
    wlab_figure_series(f, &series, s, "with points pt '*'");
    wlab_figure_series(f, &series, s, "with lines");
    assert_false(f->failed);
}

/* The real gnuplot executes nothing in the text, so that no file appears.  It draws a text of printable ASCII
 * characters unchanged. */
static void test_hostile_texts(void **state)
{
    GNUPLOT_OR_SKIP();
    char folder[64];
    (void)state;
    make_folder(folder);
    for (size_t i = 0; i < HOSTILE; i++) {
        wlab_figure f;
        wlab_buf image = {0};
        wlab_err err;
        bool plain = hostile[i][0] != 0;
        hostile_figure(&f, hostile[i]);
        ASSERT_OK(wlab_render(&f, WL_TXT, folder, NULL, 0, NULL, &image, &err), err);
        char *text = terminated(&image);
        for (const char *p = hostile[i]; *p; p++)
            plain = plain && *p >= ' ' && *p < 127;
        if (plain && !strstr(text, hostile[i]))
            fail_msg("the figure does not show: %s\n%s", hostile[i], text);
        wlab_buf_clear(&image);
        wlab_figure_clear(&f);
        assert_int_equal(entries(folder),
                         0); /* its temporary folder could be removed, so there was no other file in it */
    }
    assert_int_equal(access("pwned", F_OK), -1);
    assert_int_equal(rmdir(folder), 0);
}

/* The same with random texts of the characters that have a meaning in gnuplot. */
static void test_random_texts(void **state)
{
    GNUPLOT_OR_SKIP();
    static const char alphabet[] = "`'\"\\@;!#{}$()\n\r\t|<>%. a";
    char folder[64], text[60];
    wlab_gnuplot *g = NULL;
    wlab_err err;
    unsigned seed = 12345;
    (void)state;
    make_folder(folder);
    ASSERT_OK(wlab_gnuplot_create(&g, NULL, folder, 0, &err), err);
    for (int i = 0; i < 300; i++) {
        wlab_buf script = {0}, answer = {0};
        size_t n = 0;
        for (int k = 0; k < 20; k++) {
            seed = seed * 1664525u + 1013904223u;
            if (k == 7)
                n += (size_t)sprintf(text + n, "touch pwned");
            else
                text[n++] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        text[n] = 0;
        assert_int_equal(wlab_buf_printf(&script, "set print '-'\nx = "), WL_OK);
        assert_int_equal(wlab_quote_text(&script, text), WL_OK);
        assert_int_equal(wlab_buf_printf(&script, "\nprint x # "), WL_OK);
        assert_int_equal(wlab_quote_comment(&script, text), WL_OK);
        assert_int_equal(wlab_buf_printf(&script, "\n"), WL_OK);
        ASSERT_OK(wlab_gnuplot_run(g, terminated(&script), &answer, NULL, &err), err);
        for (size_t k = 0; text[k]; k++)
            if (text[k] < ' ')
                text[k] = ' ';
        char *printed = terminated(&answer);
        printed[strcspn(printed, "\n")] = 0;
        assert_string_equal(printed, text);
        wlab_buf_clear(&script);
        wlab_buf_clear(&answer);
    }
    wlab_gnuplot_destroy(g);
    assert_int_equal(rmdir(folder), 0);
}

/* Saved files are drawn again by their script, under names that gnuplot could misinterpret. */
static void test_hostile_names(void **state)
{
    GNUPLOT_OR_SKIP();
    static const char *const stems[] = {"fig2",     "<touch pwned",  "|touch pwned",   "we'ird", "-",
                                        "~",        "a b",           "$(touch pwned)", "+",      "x;y#z",
                                        "\xc3\xa9", "`touch pwned`", "back\\"};
    (void)state;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        char folder[64], dat_name[64], out_name[64];
        wlab_figure f;
        wlab_buf dat = {0}, gp = {0};
        wlab_gnuplot *g = NULL;
        wlab_err err;
        make_folder(folder);
        snprintf(dat_name, sizeof dat_name, "%s.dat", stems[i]);
        snprintf(out_name, sizeof out_name, "%s.svg", stems[i]);
        hostile_figure(&f, stems[i]);
        ASSERT_OK(wlab_figure_dat(&f, &dat, &err), err);
        const wlab_sheet sheet = wlab_sheet_plain(&f, WL_SVG);
        char words[WL_SHEET_TERMINAL];
        ASSERT_OK(wlab_sheet_terminal(&sheet, "svg", words, &err), err);
        ASSERT_OK(wlab_sheet_gp(&sheet, words, dat_name, out_name, NULL, &gp, &err), err);
        put_file(folder, dat_name, dat.data, dat.len, 0600);
        put_file(folder, "script.gp", gp.data, gp.len, 0600);
        ASSERT_OK(wlab_gnuplot_create(&g, NULL, folder, 0, &err), err);
        ASSERT_OK(wlab_gnuplot_run(g, "load 'script.gp'", NULL, NULL, &err), err);
        wlab_gnuplot_destroy(g);
        assert_int_equal(entries(folder), 3);
        drop_file(folder, dat_name);
        drop_file(folder, out_name);
        drop_file(folder, "script.gp");
        assert_int_equal(rmdir(folder), 0);
        wlab_figure_clear(&f);
        wlab_buf_clear(&dat);
        wlab_buf_clear(&gp);
    }
}

/* ---- the process ---- */

/* Draw with the program FOLDER/gnuplot, a shell script with the text `script` (NULL: there is no program). */
static wlab_code draw_with(const char *folder, const char *script, int timeout, const atomic_int *stop,
                           wlab_err *err)
{
    char program[128];
    wlab_figure f;
    wlab_buf image = {0};
    if (script)
        put_file(folder, "gnuplot", script, strlen(script), 0700);
    snprintf(program, sizeof program, "%s/gnuplot", folder);
    hostile_figure(&f, "a figure");
    wlab_code code = wlab_render(&f, WL_TXT, folder, program, timeout, stop, &image, err);
    if (code)
        assert_null(image.data);
    wlab_figure_clear(&f);
    wlab_buf_clear(&image);
    if (script)
        drop_file(folder, "gnuplot");
    return code;
}

static void test_missing(void **state)
{
    char folder[64], path[4096];
    wlab_gnuplot *g = NULL;
    wlab_err err;
    const char *old = getenv("PATH");
    (void)state;
    make_folder(folder);
    ASSERT_FAILS(draw_with(folder, NULL, 0, NULL, &err), WL_EIO, err, "install");
    snprintf(path, sizeof path, "%s", old ? old : "");
    setenv("PATH", folder, 1);
    ASSERT_FAILS(wlab_gnuplot_create(&g, NULL, NULL, 0, &err), WL_EIO, err, "no program 'gnuplot' in PATH");
    setenv("PATH", path, 1);
    assert_null(g);
    assert_int_equal(rmdir(folder), 0);
}

static void test_hangs(void **state)
{
    char folder[64], path[128], text[64] = "";
    wlab_err err;
    (void)state;
    make_folder(folder);
    snprintf(path, sizeof path, "%s/pid", folder);
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\necho $$ >../pid\nsleep 600\n", 3000, NULL, &err), WL_EIO, err,
                 "did not answer");
    FILE *i = fopen(path, "r");
    assert_non_null(i);
    assert_non_null(fgets(text, sizeof text, i));
    fclose(i);
    assert_int_equal(kill((pid_t)atoi(text), 0), -1); /* the process has ended */
    assert_int_equal(errno, ESRCH);
    drop_file(folder, "pid");
    atomic_int stop = 1;
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\nsleep 600\n", 0, &stop, &err), WL_EINTERRUPTED, err,
                 "stopped");
    assert_int_equal(rmdir(folder), 0);
}

static void test_dies(void **state)
{
    GNUPLOT_OR_SKIP();
    char folder[64];
    wlab_err err;
    (void)state;
    make_folder(folder);
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\nexit 3\n", 0, NULL, &err), WL_EIO, err, "twice");
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\nkill -9 $$\n", 0, NULL, &err), WL_EIO, err, "twice");
    /* the message has the first line of the error output, without control characters */
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\nprintf '\\n\\n  no \\033[2Jfont\\nmore\\n' >&2\nexit 1\n", 0,
                           NULL, &err),
                 WL_EIO, err, "no  [2Jfont");
    /* it dies the first time, and works the second time */
    ASSERT_OK(draw_with(folder, "#!/bin/sh\nif test -e ../once; then exec gnuplot \"$@\"; fi\n: >../once\n",
                        0, NULL, &err),
              err);
    drop_file(folder, "once");
    assert_int_equal(rmdir(folder), 0);
}

static void test_prints_garbage(void **state)
{
    char folder[64];
    wlab_err err;
    (void)state;
    make_folder(folder);
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\nexec yes weaklab-done-1-1\n", 0, NULL, &err), WL_EIO, err,
                 "does not answer like gnuplot");
    /* it echoes its input: the token is then inside a line, which is no acknowledgement */
    ASSERT_FAILS(draw_with(folder, "#!/bin/sh\nexec cat\n", 500, NULL, &err), WL_EIO, err, "did not answer");
    /* it acknowledges but does nothing else */
    ASSERT_FAILS(
        draw_with(
            folder,
            "#!/bin/sh\nwhile read -r a b; do case $b in \"'\"*) b=${b#?}; echo \"${b%%\\'*} 0\";; esac; "
            "done\n",
            5000, NULL, &err),
        WL_EARG, err, "no terminal dumb");
    assert_int_equal(rmdir(folder), 0);
}

/* Only the sixel picture is kept of gnuplot's output: gnuplot 6 moves the cursor before it. */
static void test_sixel(void **state)
{
    static const struct {
        const char *file, *kept;
    } cases[] = {
        {"\\033[H\\033Pq#0~-\\033\\\\\\n\\033[?80l", "\033Pq#0~-\033\\"},
        {"\\033Pq#0~-\\033\\\\", "\033Pq#0~-\033\\"},
        {"\\033[H\\033Pq#0~-", NULL},
        {"\\033[H\\033\\\\", NULL},
        {"x", NULL},
    };
    char folder[64], program[128];
    (void)state;
    make_folder(folder);
    snprintf(program, sizeof program, "%s/gnuplot", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[512];
        wlab_figure f;
        wlab_buf image = {0};
        wlab_err err;
        snprintf(script, sizeof script,
                 "#!/bin/sh\nwhile read -r a b; do case $b in\n*fd/3*) printf '%s' >figure.six;;\n"
                 "\"'\"*) b=${b#?}; echo \"${b%%\\'*} 0\";; esac; done\n",
                 cases[i].file);
        put_file(folder, "gnuplot", script, strlen(script), 0700);
        hostile_figure(&f, "a figure");
        if (cases[i].kept) {
            ASSERT_OK(wlab_render_sixel(&f, 320, 200, folder, program, NULL, &image, &err), err);
            assert_string_equal(terminated(&image), cases[i].kept);
        } else {
            ASSERT_FAILS(wlab_render_sixel(&f, 320, 200, folder, program, NULL, &image, &err), WL_EIO, err,
                         "no sixel picture");
            assert_null(image.data);
        }
        wlab_buf_clear(&image);
        wlab_figure_clear(&f);
        drop_file(folder, "gnuplot");
    }
    assert_int_equal(rmdir(folder), 0);
}

static void test_reports_errors(void **state)
{
    GNUPLOT_OR_SKIP();
    wlab_gnuplot *g = NULL;
    wlab_buf answer = {0}, big = {0};
    wlab_err err;
    bool has;
    (void)state;
    ASSERT_OK(wlab_gnuplot_create(&g, NULL, NULL, 0, &err), err);
    ASSERT_FAILS(wlab_gnuplot_run(g, "plot nothing", NULL, NULL, &err), WL_EIO, err,
                 "undefined variable: nothing");
    /* the next script starts a new process */
    ASSERT_OK(wlab_gnuplot_run(g, "set print '-'; print 6*7", &answer, NULL, &err), err);
    assert_string_equal(terminated(&answer), "42\n");
    ASSERT_OK(wlab_gnuplot_has(g, "dumb", &has, NULL, &err), err);
    assert_true(has);
    ASSERT_OK(wlab_gnuplot_has(g, "umb", &has, NULL, &err), err);
    assert_false(has);
    /* more than a pipe can hold, in both directions */
    for (int i = 0; i < 20000; i++)
        assert_int_equal(wlab_buf_printf(&big, "print %d\n", i), WL_OK);
    ASSERT_OK(wlab_gnuplot_run(g, terminated(&big), &answer, NULL, &err), err);
    assert_true(answer.len > 100000);
    assert_memory_equal(answer.data, "0\n1\n2\n", 6);
    assert_memory_equal(answer.data + answer.len - 6, "19999\n", 6);
    wlab_buf_clear(&big);
    wlab_buf_clear(&answer);
    wlab_gnuplot_destroy(g);
}

static wlab_code render_once(void)
{
    wlab_figure f;
    wlab_buf image = {0};
    wlab_figure_init(&f, true);
    wlab_figure_title(&f, "a figure");
    int b = wlab_figure_block(&f, 2, 2);
    for (int i = 0; i < 2; i++)
        *wlab_figure_at(&f, b, i, 0) = *wlab_figure_at(&f, b, i, 1) = i;
    wlab_figure_cover(&f, 0, 0);
    wlab_figure_cover(&f, 1, 1);
    wlab_figure_series(&f, &(wlab_series){.block = b, .draw = WL_D_LINES, .x = 1, .y = 2}, "x", "with lines");
    wlab_code code = wlab_render(&f, WL_TXT, NULL, NULL, 0, NULL, &image, NULL);
    wlab_figure_clear(&f);
    wlab_buf_clear(&image);
    return code;
}

static void test_memory_runs_out(void **state)
{
    GNUPLOT_OR_SKIP();
    (void)state;
    ALLOC_SWEEP(render_once());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quote_text),     cmocka_unit_test(test_quote_file),
        cmocka_unit_test(test_hostile_texts),  cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_hostile_names),  cmocka_unit_test(test_missing),
        cmocka_unit_test(test_hangs),          cmocka_unit_test(test_dies),
        cmocka_unit_test(test_prints_garbage), cmocka_unit_test(test_sixel),
        cmocka_unit_test(test_reports_errors), cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
