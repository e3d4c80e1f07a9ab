/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where `plot VIEW` goes: text, a sixel picture, a pane, live windows; by a gnuplot whose windows are files.
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
    bool shows;      /* what `show` answers */
    char shown[32];  /* the view it was asked for */
    int runs, first; /* ... and of which */
    wlab_axis vs;    /* over what */
    char folder[64]; /* of the fake gnuplot */
    char path[4096]; /* PATH as it was */
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

static void line(fixture *f, const char *text)
{
    wlab_err err;
    ASSERT_OK(wlab_session_line(f->session, text, WL_FROM_PERSON, "test", 1, &err), err);
}

static fixture *begin(void)
{
    static const char *const none[] = {NULL};
    fixture *f = calloc(1, sizeof *f);
    wlab_err err;
    assert_non_null(f);
    f->sink = (wlab_sink){.text = on_text, .message = on_message, .changed = on_changed, .self = f};
    f->places = (wlab_places){.data_dirs = none, .script_dirs = none, .out_dir = "."};
    ASSERT_OK(wlab_session_create(&f->session, &f->sink, &f->places, 1, 1, &err), err);
    ASSERT_OK(wlab_plot_register(f->session, &err), err);
    line(f, "generate two-moons n=40 seed=1");
    line(f, "task ssl labeled=4 seed=1");
    line(f, "algo wellsvm kernel=rbf loss=hinge");
    line(f, "step 2");
    snprintf(f->path, sizeof f->path, "%s", getenv("PATH"));
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    return f;
}

static void drop(const fixture *f, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    unlink(path);
}

static void end(fixture *f)
{
    wlab_session_destroy(f->session);
    wlab_buf_clear(&f->text);
    wlab_buf_clear(&f->messages);
    wlab_buf_clear(&f->raw);
    setenv("PATH", f->path, 1);
    if (f->folder[0]) {
        drop(f, "gnuplot");
        for (char name[] = "window1.txt"; name[6] <= '9'; name[6]++)
            drop(f, name);
        for (char name[] = "pid1"; name[3] <= '9'; name[3]++)
            drop(f, name);
        assert_int_equal(rmdir(f->folder), 0);
    }
    unsetenv("DISPLAY");
    free(f);
}

static bool said(wlab_buf *b, const char *text)
{
    assert_int_equal(wlab_buf_put(b, "", 1), WL_OK);
    bool found = strstr((char *)b->data, text) != NULL;
    wlab_buf_clear(b);
    return found;
}

/* Nobody is there: text, whatever is set, and as before. */
static void test_batch(void **state)
{
    static const char *const terminals[] = {"auto", "none", "dumb", "sixel", "qt", "x11"};
    fixture *f = begin();
    (void)state;
    setenv("DISPLAY", ":99", 1);
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        char set[64];
        snprintf(set, sizeof set, "set terminal=%s", terminals[i]);
        line(f, set);
        wlab_buf_clear(&f->text);
        line(f, i % 2 ? "plot objective" : "plot objective to terminal");
        assert_true(said(&f->text, "objective: two-moons (40 x 2)"));
    }
    wlab_err err;
    ASSERT_FAILS(wlab_session_line(f->session, "set terminal=qtt", WL_FROM_PERSON, NULL, 0, &err), WL_EARG,
                 err, "qt");
    ASSERT_FAILS(
        wlab_session_line(f->session, "plot gap to terminal to x.png", WL_FROM_PERSON, NULL, 0, &err),
        WL_EARG, err, "one file at a time");
    assert_int_equal(wlab_plot_windows(f->session), 0);
    end(f);
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
    fixture *f = begin();
    wlab_plot_screen screen = {.raw = on_raw, .self = f};
    (void)state;
    wlab_plot_set_screen(f->session, &screen); /* it cannot */
    line(f, "plot objective");
    assert_int_equal(f->raw.len, 0);
    assert_true(said(&f->text, "objective"));
    line(f, "set terminal=sixel"); /* the person knows better */
    line(f, "plot objective");
    assert_true(is_sixel(f));
    line(f, "set terminal=auto");
    screen.sixel = on_sixel;
    wlab_plot_set_screen(f->session, &screen);
    wlab_buf_clear(&f->text);
    line(f, "plot boundary");
    assert_non_null(memmem(f->raw.data, f->raw.len < 60 ? f->raw.len : 60, ";576;225", 8));
    assert_true(is_sixel(f));
    assert_false(said(&f->text, "boundary"));
    line(f, "set terminal=dumb");
    line(f, "plot boundary");
    assert_int_equal(f->raw.len, 0);
    assert_true(said(&f->text, "boundary"));
    line(f, "set terminal=none");
    wlab_buf_clear(&f->text);
    line(f, "plot boundary");
    assert_true(f->raw.len == 0 && !said(&f->text, "boundary:"));
    assert_true(said(&f->messages, "terminal=none"));
    line(f, "plot boundary to terminal");
    assert_true(is_sixel(f));
    wlab_plot_set_screen(f->session, NULL);
    line(f, "set terminal=auto");
    line(f, "plot boundary");
    assert_int_equal(f->raw.len, 0);
    end(f);
}

static void test_pane(void **state)
{
    fixture *f = begin();
    wlab_plot_screen screen = {.show = on_show, .self = f};
    (void)state;
    line(f, "fork other");
    wlab_plot_set_screen(f->session, &screen);
    f->shows = true;
    wlab_buf_clear(&f->text);
    line(f, "plot gap a other");
    assert_string_equal(f->shown, "gap");
    assert_int_equal(f->vs, WL_VS_ITER);
    assert_int_equal(f->runs, 2);
    assert_int_equal(f->first, wlab_run_number(wlab_session_find_run(f->session, "a")));
    assert_false(said(&f->text, "gap:"));
    f->shown[0] = 0;
    line(f, "plot gap to terminal");
    assert_string_equal(f->shown, "");
    assert_true(said(&f->text, "gap:"));
    line(f, "plot gap vs seconds");
    assert_string_equal(f->shown, "gap");
    assert_int_equal(f->vs, WL_VS_SECONDS);
    f->shows = false; /* then as without it */
    line(f, "plot gap");
    assert_string_equal(f->shown, "gap");
    assert_true(said(&f->text, "gap:"));
    /* what cannot be drawn is said, and no pane comes */
    wlab_err err;
    f->shows = true;
    line(f, "plot boundary");
    assert_string_equal(f->shown, "boundary");
    line(f, "generate g241c n=60 seed=1; task ssl labeled=6 seed=1; algo wellsvm; step");
    f->shown[0] = 0;
    ASSERT_FAILS(wlab_session_line(f->session, "plot boundary", WL_FROM_PERSON, NULL, 0, &err), WL_EARG, err,
                 "boundary needs data with 2 columns");
    assert_string_equal(f->shown, "");
    end(f);
}

/* A gnuplot that says it has qt, and whose window K is FOLDER/windowK.txt. */
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

/* What closing the window does: its gnuplot ends. */
static void stop_window(const fixture *f, int number)
{
    char path[256], text[32] = "";
    snprintf(path, sizeof path, "%s/pid%d", f->folder, number);
    FILE *i = fopen(path, "r");
    assert_non_null(i);
    assert_non_null(fgets(text, sizeof text, i));
    fclose(i);
    assert_int_equal(kill(-getpgid((pid_t)atoi(text)), SIGTERM), 0); /* the shell around it too */
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

/* The window's title is in its file, which is taken away; false: it was not drawn. */
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
    fixture *f = begin();
    wlab_plot_screen screen = {.windows = true, .self = f};
    wlab_live *l = NULL;
    wlab_err err;
    (void)state;
    wlab_plot_set_screen(f->session, &screen);
    ASSERT_OK(wlab_live_create(&l, NULL, 3600000, &err), err);
    line(f, "plot objective"); /* no display: text */
    assert_true(said(&f->text, "objective:"));
    line(f, "set terminal=qt");
    ASSERT_FAILS(wlab_session_line(f->session, "plot objective", WL_FROM_PERSON, NULL, 0, &err), WL_EARG, err,
                 "no window of kind qt");
    line(f, "set terminal=auto");
    wlab_live_destroy(l);

    fake_windows(f);
    ASSERT_OK(wlab_live_create(&l, NULL, 3600000, &err), err);
    wlab_buf_clear(&f->text);
    line(f, "plot objective");
    assert_false(said(&f->text, "objective:"));
    assert_true(said(&f->messages, "objective is shown live in window 1"));
    line(f, "plot boundary");
    line(f, "plot objective"); /* the same again is the same window */
    assert_int_equal(wlab_plot_windows(f->session), 2);
    wlab_plot_refresh(f->session, l);
    assert_true(wlab_live_busy(l));
    serve(l);
    assert_true(window_holds(f, 1, "objective: two-moons"));
    assert_true(window_holds(f, 2, "after step 2"));
    wlab_plot_refresh(f->session, l); /* nothing changed */
    assert_false(wlab_live_busy(l));
    f->changed = 0;
    line(f, "step");
    assert_true(f->changed > 0);
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_true(window_holds(f, 1, "objective: two-moons"));
    assert_true(window_holds(f, 2, "after step 3"));
    assert_null(wlab_live_trouble(l));
    /* more than there is room for: the oldest makes room */
    static const char *const more[] = {"gap",          "flips",          "mu",         "violation",
                                       "gap vs inner", "flips vs inner", "mu vs inner"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[64];
        snprintf(text, sizeof text, "plot %s", more[i]);
        line(f, text);
    }
    assert_int_equal(wlab_plot_windows(f->session), WL_LIVE_WINDOWS);
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_true(window_holds(f, 3, "gap"));
    assert_true(window_holds(f, 2, "mu")); /* in the place of the boundary, the oldest */
    /* closed by hand: its gnuplot ends, and it stays closed */
    stop_window(f, 3);
    while (!wlab_live_closed(l, WL_LIVE_SLOTS - WL_LIVE_WINDOWS + 2)) {
        struct pollfd fds[WL_LIVE_FDS];
        wlab_raster r;
        int slot;
        (void)wlab_live_poll(l, fds);
        poll(fds, WL_LIVE_FDS, 100);
        (void)wlab_live_serve(l, fds, &slot, &r);
    }
    line(f, "step");
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_int_equal(wlab_plot_windows(f->session), WL_LIVE_WINDOWS - 1);
    assert_false(window_holds(f, 3, ""));
    assert_true(window_holds(f, 4, "flips"));
    assert_null(wlab_live_trouble(l));
    line(f, "plot gap"); /* and opens again when it is asked for */
    wlab_plot_refresh(f->session, l);
    serve(l);
    assert_true(window_holds(f, 3, "gap"));
    line(f, "set terminal=dumb"); /* no windows any more */
    wlab_plot_refresh(f->session, l);
    assert_int_equal(wlab_plot_windows(f->session), 0);
    wlab_live_destroy(l);
    end(f);
}

/* What is not possible is said when it is asked for, not by an empty window. */
static void test_refused(void **state)
{
    fixture *f = begin();
    wlab_plot_screen screen = {.windows = true, .self = f};
    wlab_err err;
    (void)state;
    fake_windows(f);
    wlab_plot_set_screen(f->session, &screen);
    line(f, "algo wellsvm");
    ASSERT_FAILS(wlab_session_line(f->session, "plot gap", WL_FROM_PERSON, NULL, 0, &err), WL_ESTATE, err,
                 "step");
    assert_int_equal(wlab_plot_windows(f->session), 0);
    end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),   cmocka_unit_test(test_sixel),   cmocka_unit_test(test_pane),
        cmocka_unit_test(test_windows), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
