/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where `plot VIEW` draws: text, a sixel picture, a pane, live windows.  A fake gnuplot writes its windows into files.
 */
#include "plot/plot.h"
#include "support.h"
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

typedef struct fixture {
    wlab_session *session;
    wlab_sink sink;
    wlab_places places;
    wlab_buf text, messages, raw;
    int changed;
    bool shows;      /* the result of on_show */
    char shown[32];  /* the view requested of on_show, */
    int runs, first; /* its number of runs and the first run, */
    wlab_axis vs;    /* and its axis */
    char folder[64]; /* of the fake gnuplot */
    char path[4096]; /* PATH before the test */
} fixture;

static void on_text(void *self, const char *text)
{
    assert_int_equal(wlab_buf_printf(&((fixture *)self)->text, "%s", text), WL_OK);
}
static void on_message(void *self, const char *text)
{
    assert_int_equal(wlab_buf_printf(&((fixture *)self)->messages, "%s\n", text), WL_OK);
}
static void on_changed(void *self)
{
    ((fixture *)self)->changed++;
}
static void on_raw(void *self, const void *bytes, size_t len)
{
    assert_int_equal(wlab_buf_put(&((fixture *)self)->raw, bytes, len), WL_OK);
}
static bool on_show(void *self, const char *view, const int *runs, int nruns, wlab_axis vs)
{
    fixture *f = self;
    strcpy(f->shown, view);
    f->runs = nruns;
    f->first = runs[0];
    f->vs = vs;
    return f->shows;
}

static void exec_line(fixture *f, const char *text)
{
    wlab_err err;
    ASSERT_OK(wlab_session_line(f->session, text, WL_FROM_PERSON, "test", 1, &err), err);
}

static fixture *create_fixture(void)
{
    static const char *const none[] = {NULL};
    fixture *f = calloc(1, sizeof *f);
    wlab_err err;
    assert_non_null(f);
    f->sink = (wlab_sink){.text = on_text, .message = on_message, .changed = on_changed, .self = f};
    f->places = (wlab_places){.data_dirs = none, .script_dirs = none, .out_dir = "."};
    ASSERT_OK(wlab_session_create(&f->session, &f->sink, &f->places, 1, 1, &err), err);
    ASSERT_OK(wlab_plot_register(f->session, &err), err);
    exec_line(f, "generate two-moons n=40 seed=1");
    exec_line(f, "task ssl labeled=4 seed=1");
    exec_line(f, "algo wellsvm kernel=rbf loss=hinge");
    exec_line(f, "step 2");
    snprintf(f->path, sizeof f->path, "%s", getenv("PATH"));
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    return f;
}

static void remove_file(const fixture *f, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    unlink(path);
}

static void destroy_fixture(fixture *f)
{
    wlab_session_destroy(f->session);
    wlab_buf_clear(&f->text);
    wlab_buf_clear(&f->messages);
    wlab_buf_clear(&f->raw);
    setenv("PATH", f->path, 1);
    if (f->folder[0]) {
        remove_file(f, "gnuplot");
        for (char name[] = "window1.txt"; name[6] <= '9'; name[6]++)
            remove_file(f, name);
        for (char name[] = "pid1"; name[3] <= '9'; name[3]++)
            remove_file(f, name);
        assert_int_equal(rmdir(f->folder), 0);
    }
    unsetenv("DISPLAY");
    free(f);
}

/* Whether the buffer contains the text; clears the buffer. */
static bool printed(wlab_buf *b, const char *text)
{
    assert_int_equal(wlab_buf_put(b, "", 1), WL_OK);
    bool found = strstr((char *)b->data, text) != NULL;
    wlab_buf_clear(b);
    return found;
}

/* Without a screen `plot` prints text, whatever `terminal` is set to. */
static void test_batch(void **state)
{
    GNUPLOT_OR_SKIP();
    static const char *const terminals[] = {"auto", "none", "dumb", "sixel", "qt", "x11"};
    fixture *f = create_fixture();
    (void)state;
    setenv("DISPLAY", ":99", 1);
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        char set[64];
        snprintf(set, sizeof set, "set terminal=%s", terminals[i]);
        exec_line(f, set);
        wlab_buf_clear(&f->text);
        exec_line(f, i % 2 ? "plot objective" : "plot objective to terminal");
        assert_true(printed(&f->text, "objective: two-moons (40 x 2)"));
    }
    wlab_err err;
    ASSERT_FAILS(wlab_session_line(f->session, "set terminal=qtt", WL_FROM_PERSON, NULL, 0, &err), WL_EARG,
                 err, "qt");
    ASSERT_FAILS(
        wlab_session_line(f->session, "plot gap to terminal to x.png", WL_FROM_PERSON, NULL, 0, &err),
        WL_EARG, err, "one file at a time");
    assert_int_equal(wlab_plot_windows(f->session), 0);
    destroy_fixture(f);
}

static bool is_sixel(fixture *f)
{
    size_t n = f->raw.len;
    bool fits = n > 1000 && !memcmp(f->raw.data, "\033P", 2) && memmem(f->raw.data, n, "\033\\", 2);
    wlab_buf_clear(&f->raw);
    return fits;
}

static bool on_sixel(void *self, int *width, int *height)
{
    (void)self;
    *width = 640;
    *height = 300;
    return true;
}

static void test_sixel(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture();
    wlab_plot_screen screen = {.raw = on_raw, .self = f};
    (void)state;
    wlab_plot_set_screen(f->session, &screen); /* a terminal that does not draw sixel pictures */
    exec_line(f, "plot objective");
    assert_int_equal(f->raw.len, 0);
    assert_true(printed(&f->text, "objective"));
    exec_line(f, "set terminal=sixel"); /* the setting overrides that */
    exec_line(f, "plot objective");
    assert_true(is_sixel(f));
    exec_line(f, "set terminal=auto");
    screen.sixel = on_sixel;
    wlab_plot_set_screen(f->session, &screen);
    wlab_buf_clear(&f->text);
    exec_line(f, "plot boundary");
    assert_non_null(memmem(f->raw.data, f->raw.len < 60 ? f->raw.len : 60, ";576;225", 8));
    assert_true(is_sixel(f));
    assert_false(printed(&f->text, "boundary"));
    exec_line(f, "set terminal=dumb");
    exec_line(f, "plot boundary");
    assert_int_equal(f->raw.len, 0);
    assert_true(printed(&f->text, "boundary"));
    exec_line(f, "set terminal=none");
    wlab_buf_clear(&f->text);
    exec_line(f, "plot boundary");
    assert_true(f->raw.len == 0 && !printed(&f->text, "boundary:"));
    assert_true(printed(&f->messages, "terminal=none"));
    exec_line(f, "plot boundary to terminal");
    assert_true(is_sixel(f));
    wlab_plot_set_screen(f->session, NULL);
    exec_line(f, "set terminal=auto");
    exec_line(f, "plot boundary");
    assert_int_equal(f->raw.len, 0);
    destroy_fixture(f);
}

static void test_pane(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture();
    wlab_plot_screen screen = {.show = on_show, .self = f};
    (void)state;
    exec_line(f, "fork other");
    wlab_plot_set_screen(f->session, &screen);
    f->shows = true;
    wlab_buf_clear(&f->text);
    exec_line(f, "plot gap a other");
    assert_string_equal(f->shown, "gap");
    assert_int_equal(f->vs, WL_VS_AUTO);
    assert_int_equal(f->runs, 2);
    assert_int_equal(f->first, wlab_run_number(wlab_session_find_run(f->session, "a")));
    assert_false(printed(&f->text, "gap:"));
    f->shown[0] = 0;
    exec_line(f, "plot gap to terminal");
    assert_string_equal(f->shown, "");
    assert_true(printed(&f->text, "gap:"));
    exec_line(f, "plot gap vs seconds");
    assert_string_equal(f->shown, "gap");
    assert_int_equal(f->vs, WL_VS_SECONDS);
    f->shows = false; /* no pane can show it: text */
    exec_line(f, "plot gap");
    assert_string_equal(f->shown, "gap");
    assert_true(printed(&f->text, "gap:"));
    /* a view that cannot be drawn is an error, and no pane comes to the front */
    wlab_err err;
    f->shows = true;
    exec_line(f, "plot boundary");
    assert_string_equal(f->shown, "boundary");
    exec_line(f, "generate g241c n=60 seed=1; task ssl labeled=6 seed=1; algo wellsvm; step");
    f->shown[0] = 0;
    ASSERT_FAILS(wlab_session_line(f->session, "plot boundary", WL_FROM_PERSON, NULL, 0, &err), WL_EARG, err,
                 "boundary needs data with 2 columns");
    assert_string_equal(f->shown, "");
    destroy_fixture(f);
}

/* Install a fake gnuplot that reports a terminal qt, and whose window K is the file FOLDER/windowK.txt. */
static void fake_windows(fixture *f)
{
    char path[128], paths[4300];
    strcpy(f->folder, "/tmp/weaklab-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(path, sizeof path, "%s/gnuplot", f->folder);
    FILE *o = fopen(path, "w");
    assert_non_null(o);
    fprintf(o,
            "#!/bin/sh\nPATH=${PATH#*:}\ncd %s\n"
            "while read -r a b; do case $a in\n"
            "load) sed -e \"s/^set terminal qt \\([0-9]\\).*/set terminal dumb; set output 'window\\1.txt'; "
            "set print 'pid\\1'; print system('echo \\$PPID'); unset print/\" -e \"s/GPVAL_TERMINALS/'qt'/\" "
            "/dev/fd/3; "
            "echo; echo 'set output';;\n"
            "*) echo \"$a $b\";; esac; done | gnuplot -d\n",
            f->folder);
    fclose(o);
    assert_int_equal(chmod(path, 0700), 0);
    snprintf(paths, sizeof paths, "%s:%s", f->folder, f->path);
    setenv("PATH", paths, 1);
    setenv("DISPLAY", ":99", 1);
}

/* Act as if the user closed a window: its gnuplot ends. */
static void stop_window(const fixture *f, int number)
{
    char path[256], text[32] = "";
    snprintf(path, sizeof path, "%s/pid%d", f->folder, number);
    FILE *i = fopen(path, "r");
    assert_non_null(i);
    assert_non_null(fgets(text, sizeof text, i));
    fclose(i);
    assert_int_equal(kill(-getpgid((pid_t)atoi(text)), SIGTERM), 0); /* with the shell that started it */
}

static void serve(wlab_live *l)
{
    while (wlab_live_busy(l)) {
        struct pollfd fds[WL_LIVE_FDS];
        wlab_raster r;
        int slot;
        poll(fds, WL_LIVE_FDS, wlab_live_poll(l, fds));
        assert_false(wlab_live_serve(l, fds, &slot, &r));
    }
}

/* Whether the file of a window contains the text; removes the file.  false also if the window was not drawn. */
static bool window_holds(const fixture *f, int number, const char *text)
{
    char path[256], data[8192] = "";
    snprintf(path, sizeof path, "%s/window%d.txt", f->folder, number);
    FILE *i = fopen(path, "r");
    if (!i)
        return false;
    data[fread(data, 1, sizeof data - 1, i)] = 0;
    fclose(i);
    unlink(path);
    return strstr(data, text) != NULL;
}

static void test_windows(void **state)
{
    GNUPLOT_OR_SKIP();
    fixture *f = create_fixture();
    wlab_plot_screen screen = {.windows = true, .self = f};
    wlab_live *l = NULL;
    wlab_err err;
    (void)state;
    wlab_plot_set_screen(f->session, &screen);
    ASSERT_OK(wlab_live_create(&l, NULL, 3600000, &err), err);
    exec_line(f, "plot objective"); /* no display: text */
    assert_true(printed(&f->text, "objective:"));
    exec_line(f, "set terminal=qt");
    ASSERT_FAILS(wlab_session_line(f->session, "plot objective", WL_FROM_PERSON, NULL, 0, &err), WL_EARG, err,
                 "windows of kind qt are not available");
    exec_line(f, "set terminal=auto");
    wlab_live_destroy(l);

    fake_windows(f);
    ASSERT_OK(wlab_live_create(&l, NULL, 3600000, &err), err);
    wlab_buf_clear(&f->text);
    exec_line(f, "plot objective");
    assert_false(printed(&f->text, "objective:"));
    assert_true(printed(&f->messages, "objective is shown live in window 1"));
    exec_line(f, "plot boundary");
    exec_line(f, "plot objective"); /* the same view again uses the same window */
    assert_int_equal(wlab_plot_windows(f->session), 2);
    wlab_plot_refresh(f->session, l);
    assert_true(wlab_live_busy(l));
    serve(l);
    assert_true(window_holds(f, 1, "objective: two-moons"));
    assert_true(window_holds(f, 2, "after step 2"));
    wlab_plot_refresh(f->session, l); /* nothing changed */
    assert_false(wlab_live_busy(l));
    f->changed = 0;
    exec_line(f, "step");
    assert_true(f->changed > 0);
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_true(window_holds(f, 1, "objective: two-moons"));
    assert_true(window_holds(f, 2, "after step 3"));
    assert_null(wlab_live_trouble(l));
    /* more views than windows: a new view replaces the oldest one */
    static const char *const more[] = {"gap",          "flips",          "mu",         "violation",
                                       "gap vs inner", "flips vs inner", "mu vs inner"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[64];
        snprintf(text, sizeof text, "plot %s", more[i]);
        exec_line(f, text);
    }
    assert_int_equal(wlab_plot_windows(f->session), WL_LIVE_WINDOWS);
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_true(window_holds(f, 3, "gap"));
    assert_true(window_holds(f, 2, "mu")); /* it replaced the boundary, the oldest */
    /* the user closes a window: its gnuplot ends, and the window does not open again */
    stop_window(f, 3);
    while (!wlab_live_closed(l, WL_LIVE_SLOTS - WL_LIVE_WINDOWS + 2)) {
        struct pollfd fds[WL_LIVE_FDS];
        wlab_raster r;
        int slot;
        (void)wlab_live_poll(l, fds);
        poll(fds, WL_LIVE_FDS, 100);
        (void)wlab_live_serve(l, fds, &slot, &r);
    }
    exec_line(f, "step");
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_int_equal(wlab_plot_windows(f->session), WL_LIVE_WINDOWS - 1);
    assert_false(window_holds(f, 3, ""));
    assert_true(window_holds(f, 4, "flips"));
    assert_null(wlab_live_trouble(l));
    exec_line(f, "plot gap"); /* until the view is requested again */
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_true(window_holds(f, 3, "gap"));
    exec_line(f, "set terminal=dumb"); /* closes all windows */
    wlab_plot_refresh(f->session, l);
    assert_int_equal(wlab_plot_windows(f->session), 0);
    wlab_live_destroy(l);
    destroy_fixture(f);
}

/* A view that cannot be drawn is refused when it is requested; no empty window opens. */
static void test_refused(void **state)
{
    fixture *f = create_fixture();
    wlab_plot_screen screen = {.windows = true, .self = f};
    wlab_err err;
    (void)state;
    fake_windows(f);
    wlab_plot_set_screen(f->session, &screen);
    exec_line(f, "algo wellsvm");
    ASSERT_FAILS(wlab_session_line(f->session, "plot gap", WL_FROM_PERSON, NULL, 0, &err), WL_ESTATE, err,
                 "step");
    assert_int_equal(wlab_plot_windows(f->session), 0);
    destroy_fixture(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),   cmocka_unit_test(test_sixel),   cmocka_unit_test(test_pane),
        cmocka_unit_test(test_windows), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
